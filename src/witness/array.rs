//! PostgreSQL's text of arrays: `[0:1]={{1,NULL},{"a b","c\"d"}}`.

use super::told::Told;

/// Reads a list of lists; `member` reads an element's text, or a NULL.
pub(super) fn read(text: &str, member: &dyn Fn(Option<&str>) -> Option<Told>) -> Option<Told> {
    // Bounds say nothing of the elements.
    let braces = text.find('{')?;
    let mut rest = text.get(braces..)?;
    let list = list(&mut rest, member)?;
    rest.is_empty().then_some(list)
}

fn list(rest: &mut &str, member: &dyn Fn(Option<&str>) -> Option<Told>) -> Option<Told> {
    *rest = rest.strip_prefix('{')?;
    let mut members = Vec::new();
    if let Some(end) = rest.strip_prefix('}') {
        *rest = end;
        return Some(Told::List(members));
    }
    loop {
        members.push(match rest.chars().next()? {
            '{' => list(rest, member)?,
            '"' => member(Some(&quoted(rest)?))?,
            _ => bare(rest, member)?,
        });
        match rest.chars().next()? {
            ',' => *rest = rest.get(1..)?,
            '}' => {
                *rest = rest.get(1..)?;
                return Some(Told::List(members));
            }
            _ => return None,
        }
    }
}

fn bare(rest: &mut &str, member: &dyn Fn(Option<&str>) -> Option<Told>) -> Option<Told> {
    let end = rest.find([',', '}'])?;
    let (text, behind) = rest.split_at_checked(end)?;
    *rest = behind;
    if text.eq_ignore_ascii_case("null") { member(None) } else { member(Some(text)) }
}

fn quoted(rest: &mut &str) -> Option<String> {
    let mut text = String::new();
    let mut characters = rest.get(1..)?.chars();
    loop {
        match characters.next()? {
            '\\' => text.push(characters.next()?),
            '"' => break,
            character => text.push(character),
        }
    }
    *rest = characters.as_str();
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Option<Told> {
        read(text, &|member| Some(member.map_or(Told::Null, |text| Told::Text(text.to_owned()))))
    }

    #[test]
    fn arrays_are_read_as_postgres_writes_them() {
        let text = |text: &str| Told::Text(text.to_owned());
        assert_eq!(texts("{}"), Some(Told::List(vec![])));
        assert_eq!(texts("{a,NULL,\"NULL\"}"), Some(Told::List(vec![text("a"), Told::Null, text("NULL")])));
        assert_eq!(
            texts(r#"[0:0][1:2]={{"a \"b\\",""}}"#),
            Some(Told::List(vec![Told::List(vec![text("a \"b\\"), text("")])]))
        );
        for wrong in ["", "{", "{a", "{a}x", "{\"a}"] {
            assert_eq!(texts(wrong), None, "{wrong}");
        }
    }
}
