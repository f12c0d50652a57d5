//! Undoing what hides a secret: encodings, cuts and look-alike letters.
//!
//! A *view* is a piece of the text after one decoding, with the place it came from. Views are
//! scanned like texts, and views of views down to [`DEPTH_MAX`]. All decodings together may
//! produce no more than [`budget`] allows; a text that asks for more is seen only so far. Nothing
//! is guessed twice and nothing is searched: each decoding is one pass.

mod encoded;
mod encoded_runs;
mod escape;
mod join;
mod look_alikes;
mod map;
mod pairs;
mod wrapped;

pub(super) use self::encoded::base64_bytes;
pub(super) use self::map::Map;
use super::text_index::TextIndex;

/// Views of views are made so deep: the third view is made of the second one.
pub(super) const DEPTH_MAX: usize = 3;

/// What views may produce together, in bytes, for a text of a given length.
pub(super) const fn budget(len: usize) -> usize {
    2 * len + (32 << 10)
}

/// A decoded piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct View {
    /// The name of the decoding.
    pub(super) via: &'static str,
    /// What it was decoded from.
    pub(super) map: Map,
    pub(super) text: String,
    /// How far to trust what is found in it.
    pub(super) trust: Trust,
}

/// How far a decoding can be trusted to be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// The text says that it is encoded: everything is looked for.
    Full,
    /// Chance or honest code can look like it: only formats with a prefix of their vendor count.
    Prefixed,
    /// As `Prefixed`; and nothing says that its parts are one text. A token that one of them holds is whole.
    Listed,
}

/// Makes the views of a text, as far as the budget goes.
pub(super) fn views(text: &str, text_index: &TextIndex, budget: &mut usize) -> Vec<View> {
    let mut views = Views { views: Vec::new(), budget };
    encoded_runs::views(text, text_index, &mut views);
    escape::views(text, &mut views);
    join::views(text, text_index, &mut views);
    pairs::views(text.as_bytes(), &text_index.byte_classes, &mut views);
    look_alikes::views(text, &text_index.byte_classes, &mut views);
    views.views
}

/// Views so far, and what is left of the budget.
struct Views<'a> {
    views: Vec<View>,
    budget: &'a mut usize,
}

impl Views<'_> {
    fn add(&mut self, via: &'static str, map: Map, text: String, trust: Trust) {
        if let Some(left) = self.budget.checked_sub(text.len()) {
            *self.budget = left;
            self.views.push(View { via, map, text, trust });
        }
    }

    fn has_room(&self, len: usize) -> bool {
        *self.budget >= len
    }
}

/// Tells whether a token is base64 of plain text.
pub(super) fn is_base64_text(token: &str) -> bool {
    base64_text(token).is_some()
}

/// The plain text that a token is base64 of.
pub(super) fn base64_text(token: &str) -> Option<String> {
    encoded::base64(token.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use data_encoding::{BASE32_NOPAD, BASE64_NOPAD, BASE64URL_NOPAD};
    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::super::{Detection, Policy, score};

    /// A token of a known format, which is in no file as such.
    fn token() -> String {
        ["gl", "sa_", "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5A", "_", "8f3a9c1d"].concat()
    }

    fn each(token: &str, write: impl Fn(u8) -> String) -> String {
        token.bytes().map(write).collect()
    }

    fn parts(token: &str, len: usize) -> Vec<&str> {
        token.as_bytes().chunks(len).map(|part| std::str::from_utf8(part).unwrap()).collect()
    }

    #[test]
    fn a_token_is_seen_through_every_encoding() {
        let token = token();
        let bytes = token.as_bytes();
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
        packed.write_all(bytes).unwrap();
        let wide: Vec<u8> = bytes.iter().flat_map(|byte| [*byte, 0]).collect();
        let dotted = ["hv", "s.", "CAESIJ2kd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5A8f3a9c1dKq"].concat();
        let line = ["TOKEN=", &token].concat();
        let lines = BASE64_NOPAD.encode(line.repeat(3).as_bytes());
        let turn = |byte: u8| match byte {
            b'a'..=b'z' => char::from((byte - b'a' + 13) % 26 + b'a'),
            b'A'..=b'Z' => char::from((byte - b'A' + 13) % 26 + b'A'),
            _ => char::from(byte),
        };
        let like = |char: char| match char {
            'a' => 'а',
            'c' => 'с',
            'x' => 'х',
            char => char,
        };
        let letters = ["np", "m_kJdfQxLmZpVtRsWbYcHgNnAkJdfQxLmZpVtR"].concat();
        for (via, text) in [
            ("base64", BASE64_NOPAD.encode(bytes)),
            ("base64", BASE64URL_NOPAD.encode(line.as_bytes())),
            ("base64", BASE64_NOPAD.encode(BASE64_NOPAD.encode(bytes).as_bytes())),
            ("joined lines", format!("\n  {}\n", parts(&lines, 64).join("\n  "))),
            ("base64", BASE64_NOPAD.encode(&wide)),
            ("base64", BASE64_NOPAD.encode(&packed.finish().unwrap())),
            ("base32", BASE32_NOPAD.encode(bytes)),
            ("hex", each(&token, |byte| format!("{byte:02x}"))),
            ("hex", each(&token, |byte| format!("{byte:02X}:"))),
            ("hex", each(&token, |byte| format!("{byte:02x} "))),
            ("quoted-printable", each(&token, |byte| format!("={byte:02X}"))),
            ("escapes", each(&token, |byte| format!("\\x{byte:02x}"))),
            ("escapes", each(&token, |byte| format!("\\u{byte:04x}"))),
            ("escapes", each(&token, |byte| format!("\\u{{{byte:x}}}"))),
            ("escapes", each(&token, |byte| format!("\\{byte:03o}"))),
            ("escapes", each(&token, |byte| format!("%{byte:02X}"))),
            ("escapes", each(&token, |byte| format!("&#{byte};"))),
            ("escapes", each(&token, |byte| format!("&#x{byte:x};"))),
            ("joined literals", format!("x = '{}'", parts(&token, 12).join("' . '"))),
            ("joined literals", format!("['{}']", parts(&token, 1).join("','"))),
            ("continued lines", parts(&token, 14).join("\\\n")),
            ("continued lines", parts(&token, 14).join("\\\r\n")),
            ("continued lines", format!("a: \"{}\"", parts(&token, 14).join("\\\n  "))),
            ("continued lines", format!("a = \"\"\"{}\"\"\"", parts(&token, 14).join("\\\n\n\t"))),
            ("joined lines", format!("\n  {} \n", parts(&lines, 64).join(" \n  "))),
            ("joined lines", parts(&token, 12).join("\n") + "\n"),
            ("joined lines", parts(&token, 20).join("\n") + "\n"),
            ("joined groups", format!("value: {}", parts(&token, 8).join(" "))),
            ("character codes", each(&token, |byte| format!("{byte}, "))),
            ("character codes", each(&token, |byte| format!("chr({byte})."))),
            ("character codes", each(&token, |byte| format!("0x{byte:02x}, "))),
            ("look-alikes", parts(&token, 6).join("\u{200b}")),
            ("look-alikes", parts(&token, 6).join("\u{ad}")),
            ("look-alikes", token.chars().map(like).collect()),
            ("look-alikes", {
                let wide = |char: char| char::from_u32(char as u32 + 0xFEE0).unwrap();
                token.chars().map(wide).collect()
            }),
            ("reversed", token.chars().rev().collect()),
            ("reversed base64", BASE64_NOPAD.encode(line.as_bytes()).chars().rev().collect()),
            ("rot13", token.bytes().map(turn).collect()),
            ("reversed", dotted.chars().rev().collect()),
            ("reversed", ["token=", &dotted.chars().rev().collect::<String>()].concat()),
            ("rot13", dotted.bytes().map(turn).collect()),
            ("joined groups", format!("value: {}", parts(&token, 9).join(" "))),
            ("joined groups", format!("value: {}", parts(&token, 11).join(" "))),
            // Without a digit, as one token in two hundred is.
            ("reversed", letters.chars().rev().collect()),
            ("rot13", letters.bytes().map(turn).collect()),
            ("joined groups", format!("value: {}", parts(&letters, 8).join(" "))),
            ("joined lines", parts(&letters, 14).join("\n") + "\n"),
        ] {
            let report = score(&format!("x = 1\n{text}\ny = 2\n"), &Policy::default());
            let seen = report.detected_patterns.iter().any(|found| match found {
                Detection::Pattern(hit) => hit.kind == "api_key" && hit.via.first() == Some(&via),
                Detection::Size(_) => false,
            });
            assert!(seen, "{via} {text:?} {:?}", report.detected_patterns);
        }
    }
}
