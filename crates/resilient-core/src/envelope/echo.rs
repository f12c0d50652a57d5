//! What an envelope says of what its caller sent, when it leaves: no more than tells one text from another.
//!
//! A caller may send a string of megabytes. It has that string, and need not be sent it again.

use std::borrow::Cow;

use serde::Serializer;
use serde_json::{Map, Value};

/// No path is longer, and no diff.
const FACT_MAX: usize = 5000;
/// A text to be replaced is known by its beginning.
const OLD_STRING_MAX: usize = 1000;

/// The facts, of which a long one is cut, with a mark that tells how long it was.
pub(super) fn facts<S: Serializer>(facts: &Map<String, Value>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(facts.iter().map(|(name, fact)| (name, fact_of(name, fact))))
}

/// The message, cut in the same way.
#[expect(clippy::ref_option, reason = "serde asks so")]
pub(super) fn message<S: Serializer>(message: &Option<String>, to: S) -> Result<S::Ok, S::Error> {
    match message {
        Some(message) => to.serialize_some(&cut(message, FACT_MAX)),
        None => to.serialize_none(),
    }
}

fn fact_of<'a>(name: &str, fact: &'a Value) -> Cow<'a, Value> {
    let most = if name == "old_string" { OLD_STRING_MAX } else { FACT_MAX };
    match fact {
        Value::String(text) if text.len() > most => {
            Cow::Owned(Value::String(cut(text, most).into_owned()))
        }
        other => Cow::Borrowed(other),
    }
}

fn cut(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let begin = text.get(..text.floor_char_boundary(most)).unwrap_or_default();
    Cow::Owned(format!("{begin}[cut: {} bytes in all]", text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters_and_says_so() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("a\u{e9}b", 2), "a[cut: 4 bytes in all]");
        let fact = Value::String("x".repeat(2000));
        assert_eq!(*fact_of("path", &fact), fact);
        let shown = fact_of("old_string", &fact);
        assert_eq!(shown.as_str(), Some(&*("x".repeat(1000) + "[cut: 2000 bytes in all]")));
    }
}
