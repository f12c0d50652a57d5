//! The keys of a message, of which no object may have one twice.
//!
//! Two readers of such a message may see two different ones: each takes another of the values. The walk goes over the text,
//! since a parsed object has each key once. It copies no text and passes over a long one as fast as its end is
//! found. It holds for every transport, since `message` asks.

use std::borrow::Cow;
use std::collections::HashSet;

/// What a message has twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Repeated {
    /// A key of the protocol: it is not clear what is asked.
    Key(String),
    /// A key in `params.arguments`: it is not clear what with. `argument` is the one that is or has the key.
    InArguments { argument: String, key: String },
}

/// The first key that a message has twice. One of the protocol goes before one of the arguments.
pub(crate) fn repeated(message: &[u8]) -> Option<Repeated> {
    Walk::over(message, 0).pop().flatten()
}

/// The same for each message of a batch.
pub(crate) fn repeated_in_each(batch: &[u8]) -> Vec<Option<Repeated>> {
    Walk::over(batch, 1)
}

/// The first key that the text of the arguments has twice.
pub(crate) fn repeated_in_arguments(arguments: &[u8]) -> Option<Repeated> {
    let mut walk = Walk::new(0);
    for key in ["params", "arguments"] {
        walk.open.push(Open::Object(Object { key: key.into(), seen: HashSet::new() }));
    }
    walk.run(arguments);
    walk.found.pop().flatten()
}

/// An object or an array that has not ended yet.
enum Open<'a> {
    Array,
    Object(Object<'a>),
}

struct Object<'a> {
    /// The key that came last.
    key: Cow<'a, str>,
    seen: HashSet<Cow<'a, str>>,
}

/// A pass over a text that has been parsed before: of another one it finds something, or nothing.
struct Walk<'a> {
    open: Vec<Open<'a>>,
    /// How many arrays are around the messages.
    around: usize,
    /// Whether the next text is a key.
    is_key: bool,
    /// For each message.
    found: Vec<Option<Repeated>>,
}

impl<'a> Walk<'a> {
    fn new(around: usize) -> Self {
        Self { open: Vec::new(), around, is_key: false, found: vec![None] }
    }

    fn over(text: &'a [u8], around: usize) -> Vec<Option<Repeated>> {
        let mut walk = Self::new(around);
        walk.run(text);
        walk.found
    }

    fn run(&mut self, mut text: &'a [u8]) {
        while let Some((&byte, rest)) = text.split_first() {
            text = rest;
            match byte {
                b'"' => {
                    let length = length_of_string(rest);
                    let (string, rest) = rest.split_at_checked(length).unwrap_or((rest, &[]));
                    text = rest.get(1..).unwrap_or_default();
                    if self.is_key {
                        self.key(string);
                    }
                }
                b'{' => {
                    let object = Object { key: "".into(), seen: HashSet::new() };
                    self.open.push(Open::Object(object));
                    self.is_key = true;
                }
                b'[' => {
                    self.open.push(Open::Array);
                    self.is_key = false;
                }
                b'}' | b']' => {
                    self.open.pop();
                }
                b':' => self.is_key = false,
                b',' => {
                    self.is_key = matches!(self.open.last(), Some(Open::Object(_)));
                    if self.open.len() == self.around {
                        self.found.push(None);
                    }
                }
                _ => {}
            }
        }
    }

    fn key(&mut self, raw: &'a [u8]) {
        let Some(Open::Object(object)) = self.open.last_mut() else { return };
        let Some(key) = unescaped(raw) else { return };
        object.key = key.clone();
        if object.seen.insert(key.clone()) {
            return;
        }
        let Some(found) = self.found.last_mut() else { return };
        let key_at = |depth: usize| match self.open.get(self.around + depth) {
            Some(Open::Object(object)) => Some(&*object.key),
            _ => None,
        };
        let is_in_arguments = (key_at(0), key_at(1)) == (Some("params"), Some("arguments"));
        match key_at(2).filter(|_| is_in_arguments) {
            Some(argument) if found.is_none() => {
                let (argument, key) = (argument.to_owned(), key.into_owned());
                *found = Some(Repeated::InArguments { argument, key });
            }
            None if !matches!(found, Some(Repeated::Key(_))) => {
                *found = Some(Repeated::Key(key.into_owned()));
            }
            _ => {}
        }
    }
}

/// How many bytes of a text come before the quotation mark that ends it.
fn length_of_string(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(next) = memchr::memchr2(b'"', b'\\', text.get(at..).unwrap_or_default()) {
        at += next;
        if text.get(at) == Some(&b'"') {
            return at;
        }
        at += 2;
    }
    text.len()
}

/// A key as it is meant: `\u0069d` is `id`.
fn unescaped(raw: &[u8]) -> Option<Cow<'_, str>> {
    if memchr::memchr(b'\\', raw).is_none() {
        return std::str::from_utf8(raw).ok().map(Cow::Borrowed);
    }
    serde_json::from_slice(&[b"\"", raw, b"\""].concat()).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `key`, or `argument/key`.
    fn shown(found: Option<Repeated>) -> Option<String> {
        found.map(|found| match found {
            Repeated::Key(key) => key,
            Repeated::InArguments { argument, key } => format!("{argument}/{key}"),
        })
    }

    #[test]
    fn a_key_that_an_object_has_twice_is_found_with_its_place() {
        let of = |message: &str| shown(repeated(message.as_bytes()));
        for (message, found) in [
            (r#"{"id":1,"method":"a","id":2}"#, "id"),
            (r#"{"id":1,"\u0069d":2}"#, "id"),
            (r#"{"params":{"name":"a","name":"b"}}"#, "name"),
            (r#"{"params":{"_meta":{"a":1,"a":2}}}"#, "a"),
            (r#"{"params":{"arguments":{},"arguments":{}}}"#, "arguments"),
            (r#"{"result":[{"a":1,"a":2}]}"#, "a"),
            // The first of several.
            (r#"{"params":{"x":1,"x":2},"b":1,"b":2}"#, "x"),
            (r#"{"params":{"arguments":{"x":1,"x":2}}}"#, "x/x"),
            (r#"{"params":{"arguments":{"x":{"a":[0,{"b":1,"b":2}]}}}}"#, "x/b"),
            (r#"{"params":{"arguments":{"x":1,"x":2,"y":3,"y":4}}}"#, "x/x"),
            // It matters more what is asked than what with.
            (r#"{"params":{"arguments":{"x":1,"x":2}},"id":1,"id":2,"a":1,"a":2}"#, "id"),
            (r#"{"params":{"arguments":{"x":"\\","x":"\""}}}"#, "x/x"),
        ] {
            assert_eq!(of(message).as_deref(), Some(found), "{message}");
        }
        for message in [
            r#"{"id":1.5,"method":"id","params":{"id":"b","arguments":{"x":{"x":1}},"_meta":{"x":1}}}"#,
            r#"{"x":"\",\"x\":1,\"x\":2","y":["x","x",{"x":"x"},{"x":"x"}],"z":null}"#,
            r#"{"params":"id","id":-7}"#,
            "{",
            r#"{"a":1,"b"#,
            "]}]}",
            r#""\"#,
        ] {
            assert_eq!(of(message), None, "{message}");
        }
    }

    #[test]
    fn arguments_that_came_as_a_text_are_looked_at() {
        let of = |text: &str| shown(repeated_in_arguments(text.as_bytes()));
        assert_eq!(of(r#"{"a":{"b":1,"b":2}}"#).as_deref(), Some("a/b"));
        assert_eq!(of(r#"{"a":{"b":1},"b":2}"#), None);
    }

    #[test]
    fn each_message_of_a_batch_is_looked_at() {
        let batch =
            r#"[7,{"id":1,"id":2},{"id":3},[],{"params":{"arguments":{"a":1,"a":2,"a":3}}}]"#;
        let found: Vec<_> = repeated_in_each(batch.as_bytes()).into_iter().map(shown).collect();
        let named = |name: &str| Some(name.to_owned());
        assert_eq!(found, [None, named("id"), None, None, named("a/a")]);
    }
}
