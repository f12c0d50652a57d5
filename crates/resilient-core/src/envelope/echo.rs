//! What an envelope says of what its caller sent, when it leaves: no more than tells one text from another.
//!
//! A caller may send a string of megabytes. It has that string, and need not be sent it again. A secret in what it
//! sent, or in a text of a file that it is told beside an error, is shown by its beginning alone.

use std::borrow::Cow;

use serde::Serializer;
use serde_json::{Map, Value};

use crate::risk::{self, Policy};

/// No path is longer, and no diff.
const FACT_MAX: usize = 5000;
/// A text to be replaced is known by its beginning.
const OLD_STRING_MAX: usize = 1000;

/// What a caller sends back as it is, and what is no text of its own or is shown without secrets already.
const EXACT: &[&str] = &["cursor", "diff", "head_hex", "journal_id"];

/// The facts, of which a long one is cut, with a mark that tells how long it was.
pub(super) fn facts<S: Serializer>(facts: &Map<String, Value>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(facts.iter().map(|(name, fact)| (name, fact_of(name, fact))))
}

/// The same facts as a map.
pub(super) fn cut_facts(facts: &Map<String, Value>) -> Map<String, Value> {
    facts.iter().map(|(name, fact)| (name.clone(), fact_of(name, fact).into_owned())).collect()
}

/// The message, shown in the same way.
#[expect(clippy::ref_option, reason = "serde asks so")]
pub(super) fn message<S: Serializer>(message: &Option<String>, to: S) -> Result<S::Ok, S::Error> {
    match message {
        Some(message) => to.serialize_some(&shown(message, FACT_MAX)),
        None => to.serialize_none(),
    }
}

fn fact_of<'a>(name: &str, fact: &'a Value) -> Cow<'a, Value> {
    let most = if name == "old_string" { OLD_STRING_MAX } else { FACT_MAX };
    let is_exact = EXACT.contains(&name) || name.ends_with("sha256");
    match fact {
        Value::String(text) => match if is_exact { cut(text, most) } else { shown(text, most) } {
            Cow::Borrowed(_) => Cow::Borrowed(fact),
            Cow::Owned(text) => Cow::Owned(Value::String(text)),
        },
        // Its suggestion is to be sent back as it is.
        Value::Object(nearest) if name == "nearest" && nearest.contains_key("text") => {
            let mut nearest = nearest.clone();
            if let Some(Value::String(text)) = nearest.get_mut("text") {
                *text = veil(text).into_owned();
            }
            Cow::Owned(Value::Object(nearest))
        }
        Value::Array(all) if !is_exact => Cow::Owned(Value::Array(
            all.iter().map(|one| fact_of(name, one).into_owned()).collect(),
        )),
        other => Cow::Borrowed(other),
    }
}

/// A text without its secrets, and cut.
fn shown(text: &str, most: usize) -> Cow<'_, str> {
    // What is cut off is not shown, and a secret that the cut goes through is whole in a little more.
    let begin = text.get(..text.floor_char_boundary(2 * most)).unwrap_or(text);
    match veil(begin) {
        Cow::Borrowed(_) => cut(text, most),
        Cow::Owned(veiled) if text.len() <= most => Cow::Owned(veiled),
        Cow::Owned(veiled) => Cow::Owned(cut_of(&veiled, most, text.len())),
    }
}

fn veil(text: &str) -> Cow<'_, str> {
    risk::veil(text, &Policy::default())
}

fn cut(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    Cow::Owned(cut_of(text, most, text.len()))
}

fn cut_of(text: &str, most: usize, len: usize) -> String {
    let begin = text.get(..text.floor_char_boundary(most)).unwrap_or(text);
    format!("{begin}[cut: {len} bytes in all]")
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

    #[test]
    fn a_secret_is_shown_by_its_beginning_wherever_it_stands() {
        let secret = ["gh", "p_", &"aB3".repeat(12)].concat();
        let is_hidden = |name: &str, text: String| {
            let fact = Value::String(text);
            let shown = fact_of(name, &fact).to_string();
            assert!(!shown.contains(&secret[..20]), "{shown}");
            assert!(shown.contains(&secret[..6]), "{shown}");
        };
        for name in ["hint", "old_string", "path", "reason"] {
            is_hidden(name, format!("key = {secret}"));
        }
        // The cut goes through it.
        is_hidden("old_string", format!("{} {secret} {}", "x ".repeat(485), "y ".repeat(2000)));
        let nearest = serde_json::json!({"text": secret, "suggested_old_string": secret});
        let shown = fact_of("nearest", &nearest).into_owned();
        assert_ne!(shown["text"], secret);
        assert_eq!(shown["suggested_old_string"], secret);
        let names = serde_json::json!(["a.txt", format!("{secret}.txt")]);
        let shown = fact_of("nearest_names", &names).to_string();
        assert!(shown.contains("a.txt") && !shown.contains(&secret[..20]), "{shown}");
        let cursor = Value::String(secret.clone());
        assert_eq!(*fact_of("cursor", &cursor), cursor);
    }
}
