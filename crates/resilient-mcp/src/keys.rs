//! The keys of a message, of which none may be there twice.
//!
//! Two readers of such a message may see two different ones: each takes another of the values. What a tool is called with is
//! the tool's own business, and its text is long; so only the message, its params and their `_meta` are looked at. It holds
//! for every transport, since `message` asks.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// What has keys of the protocol, as deep as it goes.
const INSIDE: [&str; 4] = ["_meta", "error", "params", "result"];

/// The first key that a message has twice.
pub(crate) fn repeated(message: &[u8]) -> Option<String> {
    let found = RefCell::default();
    let mut message = serde_json::Deserializer::from_slice(message);
    let _ = Keys { found: &found }.deserialize(&mut message);
    found.into_inner()
}

/// The same for each message of a batch.
pub(crate) fn repeated_in_each(batch: &[u8]) -> Vec<Option<String>> {
    let mut all = Vec::new();
    let mut batch = serde_json::Deserializer::from_slice(batch);
    let _ = Deserializer::deserialize_seq(&mut batch, Each { all: &mut all });
    all
}

/// Looks through each message of an array.
struct Each<'a> {
    all: &'a mut Vec<Option<String>>,
}

impl<'de> Visitor<'de> for Each<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let found = RefCell::default();
        while seq.next_element_seed(Keys { found: &found })?.is_some() {
            self.all.push(found.take());
        }
        Ok(())
    }
}

/// Looks through an object, and passes over everything else.
#[derive(Clone, Copy)]
struct Keys<'a> {
    found: &'a RefCell<Option<String>>,
}

impl<'de> DeserializeSeed<'de> for Keys<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        value.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Keys<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("anything")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen: Vec<String> = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            if seen.contains(&key) {
                self.found.borrow_mut().get_or_insert(key);
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            if INSIDE.contains(&key.as_str()) {
                map.next_value_seed(self)?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
            // A message with more keys than the protocol has is not looked at further: it would take too long.
            if seen.len() < 64 {
                seen.push(key);
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_there_twice_is_found_where_the_protocol_has_keys() {
        let of = |message: &str| repeated(message.as_bytes());
        assert_eq!(of(r#"{"id":1,"method":"a","id":2}"#).as_deref(), Some("id"));
        assert_eq!(of(r#"{"id":1,"\u0069d":2}"#).as_deref(), Some("id"));
        assert_eq!(of(r#"{"params":{"name":"a","name":"b"}}"#).as_deref(), Some("name"));
        assert_eq!(of(r#"{"params":{"_meta":{"a":1,"a":2}}}"#).as_deref(), Some("a"));
        for message in [
            r#"{"id":1.5,"method":"a","params":{"name":"b","arguments":{"x":1,"x":2},"_meta":{}}}"#,
            r#"{"id":null,"result":[{"a":1,"a":2}],"error":true}"#,
            r#"{"params":"id","id":-7}"#,
            r#"[{"id":1,"id":2}]"#,
            "{",
        ] {
            assert_eq!(of(message), None, "{message}");
        }
        // The first of several.
        assert_eq!(of(r#"{"params":{"x":1,"x":2},"b":1,"b":2}"#).as_deref(), Some("x"));
    }

    #[test]
    fn each_message_of_a_batch_is_looked_at() {
        let batch = r#"[7,{"id":1,"id":2},{"id":3},[],{"params":{"a":1,"a":2,"a":3}}]"#;
        let found = repeated_in_each(batch.as_bytes());
        let names: Vec<_> = found.iter().map(Option::as_deref).collect();
        assert_eq!(names, [None, Some("id"), None, None, Some("a")]);
    }
}
