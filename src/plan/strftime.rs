//! What a strftime text of a template or a `format` consists of.

/// One piece of a strftime text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Literal(char),
    Directive(Directive),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Directive {
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
    Millis,
    Micros,
    DayOfYear,
    IsoYear,
    IsoWeek,
    /// Nothing is known about its text.
    Other,
}

impl Directive {
    /// How many digits it writes, always.
    pub(super) fn width(self) -> Option<usize> {
        match self {
            Directive::Year | Directive::IsoYear => Some(4),
            Directive::Month
            | Directive::Day
            | Directive::Hour
            | Directive::Minute
            | Directive::Second
            | Directive::IsoWeek => Some(2),
            Directive::Millis | Directive::DayOfYear => Some(3),
            Directive::Micros => Some(6),
            Directive::Other => None,
        }
    }

    pub(super) fn of_day(self) -> bool {
        matches!(
            self,
            Directive::Year
                | Directive::Month
                | Directive::Day
                | Directive::DayOfYear
                | Directive::IsoYear
                | Directive::IsoWeek
        )
    }

    pub(super) fn of_time(self) -> bool {
        !self.of_day() && self != Directive::Other
    }
}

pub(super) fn pieces(format: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = format.chars();
    while let Some(character) = rest.next() {
        pieces.push(match character {
            '%' => directive(&mut rest),
            _ => Piece::Literal(character),
        });
    }
    pieces
}

pub(super) fn directives(format: &str) -> Vec<Directive> {
    let directive = |piece| match piece {
        Piece::Directive(directive) => Some(directive),
        Piece::Literal(_) => None,
    };
    pieces(format).into_iter().filter_map(directive).collect()
}

fn directive(rest: &mut std::str::Chars<'_>) -> Piece {
    let directive = match rest.next() {
        Some('%') => return Piece::Literal('%'),
        Some('Y') => Directive::Year,
        Some('m') => Directive::Month,
        Some('d') => Directive::Day,
        Some('H') => Directive::Hour,
        Some('M') => Directive::Minute,
        Some('S') => Directive::Second,
        Some('j') => Directive::DayOfYear,
        Some('G') => Directive::IsoYear,
        Some('V') => Directive::IsoWeek,
        Some(digit @ ('3' | '6')) => match rest.next() {
            Some('f') if digit == '3' => Directive::Millis,
            Some('f') => Directive::Micros,
            _ => Directive::Other,
        },
        _ => Directive::Other,
    };
    Piece::Directive(directive)
}
