//! A string of the file together with where its characters stand.

use std::ops::Range;

use toml::Spanned;

use crate::mapping::diagnostic::{Span, quoted};

#[derive(Debug, Clone)]
pub(super) struct Text {
    pub(super) value: String,
    /// The whole value with its quotes.
    pub(super) span: Span,
    /// Where the value's first byte stands, when the file spells the value byte for byte.
    pub(super) offset: Option<usize>,
    /// All its variables are known. If not, the value is good for nothing but its place.
    pub(super) complete: bool,
    /// Messages do not show it then: it may be private.
    pub(super) from_environment: bool,
}

impl Text {
    pub(super) fn verbatim(source: &str, span: Span, value: &str) -> Self {
        let offset = offset_of_content(source, &span, value);
        Self { offset, ..Self::plain(value, span) }
    }

    /// A text whose parts have no places of their own.
    pub(super) fn plain(value: &str, span: Span) -> Self {
        Self { value: value.to_owned(), span, offset: None, complete: true, from_environment: false }
    }

    /// The place of a part of the value; the whole value where escapes stand between.
    pub(super) fn place(&self, part: &Range<usize>) -> Span {
        match self.offset {
            Some(offset) => offset.saturating_add(part.start)..offset.saturating_add(part.end),
            None => self.span.clone(),
        }
    }

    pub(super) fn shown(&self) -> String {
        if self.from_environment { "(from the environment)".into() } else { quoted(&self.value) }
    }

    pub(super) fn spanned(self) -> Spanned<String> {
        Spanned::new(self.span, self.value)
    }
}

fn offset_of_content(source: &str, span: &Span, value: &str) -> Option<usize> {
    let spelled = source.get(span.clone())?;
    for (quote, skipped) in [("\"\"\"\n", 4), ("'''\n", 4), ("\"\"\"", 3), ("'''", 3), ("\"", 1), ("'", 1)] {
        if spelled.starts_with(quote) {
            let content = spelled.get(skipped..)?;
            let content = content.strip_suffix(quote.trim_end())?;
            return (content == value).then(|| span.start.saturating_add(skipped));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::Text;

    #[test]
    fn points_inside_only_when_the_file_spells_the_value() {
        for (source, value, place) in [
            (r#""ab""#, "ab", 2..3),
            ("'ab'", "ab", 2..3),
            ("\"\"\"\nab\"\"\"", "ab", 5..6),
            ("'''ab'''", "ab", 4..5),
            (r#""a\u0062""#, "ab", 0..9),
            ("\"", "ab", 0..1),
        ] {
            let text = Text::verbatim(source, 0..source.len(), value);
            assert_eq!(text.place(&(1..2)), place, "{source}");
        }
    }
}
