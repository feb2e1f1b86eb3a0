//! `rename_all`: column names in another case.

use crate::mapping::Case;

/// `rename_all` of one name. Words end at anything that is neither letter nor digit, before a capital
/// that follows a small letter or a digit, and before the last capital of a run (`HTTPServer`).
/// A name without words stays as it is.
pub fn rename(name: &str, case: Case) -> String {
    let words = words(name);
    if words.is_empty() {
        return name.to_owned();
    }
    match case {
        Case::Snake => words.join("_"),
        Case::Kebab => words.join("-"),
        Case::Pascal => words.iter().map(|word| capitalized(word)).collect(),
        Case::Camel => {
            let mut words = words.into_iter();
            let first = words.next().unwrap_or_default();
            words.fold(first, |text, word| text + &capitalized(&word))
        }
    }
}

/// The words of a name in small letters.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before: Option<char> = None;
    let mut characters = name.chars().peekable();
    while let Some(character) = characters.next() {
        if starts_word(before, character, characters.peek().copied()) {
            words.push(std::mem::take(&mut word));
        }
        if character.is_alphanumeric() {
            word.extend(character.to_lowercase());
        }
        before = Some(character);
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

fn starts_word(before: Option<char>, character: char, after: Option<char>) -> bool {
    let Some(before) = before else { return false };
    if !character.is_alphanumeric() {
        return true;
    }
    if !character.is_uppercase() {
        return false;
    }
    let follows_small = before.is_lowercase() || before.is_numeric();
    let last_of_run = before.is_uppercase() && after.is_some_and(char::is_lowercase);
    follows_small || last_of_run
}

fn capitalized(word: &str) -> String {
    let mut characters = word.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words_and_put_together_in_each_case() {
        for (name, camel, pascal, snake, kebab) in [
            ("order_id", "orderId", "OrderId", "order_id", "order-id"),
            ("orderID2", "orderId2", "OrderId2", "order_id2", "order-id2"),
            ("HTTPServer", "httpServer", "HttpServer", "http_server", "http-server"),
            ("Unit Price", "unitPrice", "UnitPrice", "unit_price", "unit-price"),
            ("v2Name", "v2Name", "V2Name", "v2_name", "v2-name"),
            ("ID", "id", "Id", "id", "id"),
            ("__x__y__", "xY", "XY", "x_y", "x-y"),
            ("größeXL", "größeXl", "GrößeXl", "größe_xl", "größe-xl"),
            ("_", "_", "_", "_", "_"),
        ] {
            assert_eq!(rename(name, Case::Camel), camel);
            assert_eq!(rename(name, Case::Pascal), pascal);
            assert_eq!(rename(name, Case::Snake), snake);
            assert_eq!(rename(name, Case::Kebab), kebab);
        }
    }
}
