//! Compact JSON, as fast as the text in it can be copied.
//!
//! Answers are mostly text, and twice the same (`reply.rs`); text has few bytes that must be
//! escaped. So they are looked for many at a time, and what lies between them is copied.

use serde_json::{Map, Value};

/// What becomes of characters beyond ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beyond {
    /// They are UTF-8.
    Kept,
    /// They are escaped, so that the whole is ASCII.
    Escaped,
}

/// Writes a value, without a space or a line feed.
pub(crate) fn write(value: &Value, beyond: Beyond, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.extend(b"null"),
        Value::Bool(true) => out.extend(b"true"),
        Value::Bool(false) => out.extend(b"false"),
        Value::Number(number) => out.extend(number.to_string().as_bytes()),
        Value::String(text) => string(text, beyond, out),
        Value::Array(items) => {
            out.push(b'[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                write(item, beyond, out);
            }
            out.push(b']');
        }
        Value::Object(members) => object(members, beyond, out),
    }
}

fn object(members: &Map<String, Value>, beyond: Beyond, out: &mut Vec<u8>) {
    out.push(b'{');
    for (at, (name, value)) in members.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        string(name, beyond, out);
        out.push(b':');
        write(value, beyond, out);
    }
    out.push(b'}');
}

fn string(text: &str, beyond: Beyond, out: &mut Vec<u8>) {
    out.reserve(text.len() + text.len() / 16 + 2);
    out.push(b'"');
    let mut rest = text;
    loop {
        let plain = match beyond {
            Beyond::Kept => plain::<0xFF>(rest.as_bytes()),
            Beyond::Escaped => plain::<0x7F>(rest.as_bytes()),
        };
        let (copied, special) = rest.split_at_checked(plain).unwrap_or((rest, ""));
        out.extend(copied.as_bytes());
        let mut characters = special.chars();
        let Some(character) = characters.next() else { break };
        escape(character, out);
        rest = characters.as_str();
    }
    out.push(b'"');
}

/// How many bytes in front stand for themselves; `MOST` is the largest one that does.
fn plain<const MOST: u8>(bytes: &[u8]) -> usize {
    let is_plain = |byte: u8| (byte >= b' ') & (byte != b'"') & (byte != b'\\') & (byte <= MOST);
    // Without a branch for each byte, so that the processor compares sixteen at the same time.
    let all_plain = |step: &&[u8; 16]| step.iter().fold(true, |all, byte| all & is_plain(*byte));
    let steps = bytes.as_chunks::<16>().0.iter().take_while(all_plain).count() * 16;
    let rest = bytes.get(steps..).unwrap_or_default();
    steps + rest.iter().position(|byte| !is_plain(*byte)).unwrap_or(rest.len())
}

/// As RFC 8259 (section 7) has it, in the short form where there is one.
fn escape(character: char, out: &mut Vec<u8>) {
    let short = match character {
        '"' => b'"',
        '\\' => b'\\',
        '\n' => b'n',
        '\r' => b'r',
        '\t' => b't',
        '\u{8}' => b'b',
        '\u{C}' => b'f',
        _ => {
            for unit in character.encode_utf16(&mut [0; 2]) {
                out.extend(format!("\\u{unit:04x}").as_bytes());
            }
            return;
        }
    };
    out.extend([b'\\', short]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn written(value: &Value, beyond: Beyond) -> String {
        let mut out = Vec::new();
        write(value, beyond, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_is_written_is_what_serde_writes() {
        let all: String = ('\0'..'\u{180}').collect();
        let value = json!({
            "": [null, true, false, 0, -7, u64::MAX, 1.5, 1e300, -0.0, [], {}],
            "\"k\"\n": {"all": all, "high": "漢\u{1F600}", "long": "x".repeat(100)},
        });
        assert_eq!(written(&value, Beyond::Kept), serde_json::to_string(&value).unwrap());
    }

    #[test]
    fn an_escape_is_found_wherever_it_stands() {
        for at in 0..40 {
            for special in ["\"", "\\", "\n", "\u{1}", "é", "\u{1F600}"] {
                let text = ["a".repeat(at), special.to_owned(), "b".repeat(40 - at)].concat();
                for beyond in [Beyond::Kept, Beyond::Escaped] {
                    let written = written(&json!(text), beyond);
                    assert!(beyond == Beyond::Kept || written.is_ascii(), "{written}");
                    assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
                }
            }
        }
    }

    #[test]
    fn escapes_beyond_ascii_are_units_of_utf_16() {
        assert_eq!(
            written(&json!("ü\u{1F600}\u{7F}"), Beyond::Escaped),
            "\"\\u00fc\\ud83d\\ude00\u{7F}\""
        );
    }
}
