//! Lone surrogates in JSON: what Python writes of a name that is not UTF-8. No text of ours can hold one.

/// What stands for them.
const REPLACEMENT: &[u8; 6] = b"\\ufffd";

/// A line with U+FFFD in place of its lone surrogates, as long as it was; `None` where it has none.
pub(super) fn replaced(line: &[u8]) -> Option<Vec<u8>> {
    let mut out: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(next) = line.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
        at += next;
        at += match escaped(line, at) {
            Some(0xD800..=0xDBFF) if matches!(escaped(line, at + 6), Some(0xDC00..=0xDFFF)) => 12,
            Some(0xD800..=0xDFFF) => {
                let out = out.get_or_insert_with(|| line.to_vec());
                out.get_mut(at..at + 6)?.copy_from_slice(REPLACEMENT);
                6
            }
            // An escape of another kind.
            _ => 2,
        };
    }
    out
}

/// The number that `\u` and four digits at a place stand for.
fn escaped(line: &[u8], at: usize) -> Option<u32> {
    let digits = line.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u32::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::replaced;

    #[test]
    fn only_lone_surrogates_are_replaced() {
        let mended = |text: &str| {
            replaced(text.as_bytes()).map(|line| String::from_utf8(line).expect("text"))
        };
        for (text, expected) in [
            (r#"{"a":"d\udcff"}"#, r#"{"a":"d\ufffd"}"#),
            (r#""\ud83d\uDE00 \uD83D \ude00\ud83d""#, r#""\ud83d\uDE00 \ufffd \ufffd\ufffd""#),
            (r#""\\\ud800\\ud800""#, r#""\\\ufffd\\ud800""#),
            (r#""\ud800\"#, r#""\ufffd\"#),
            (r#""\ud800\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
        ] {
            assert_eq!(mended(text).as_deref(), Some(expected));
        }
        for whole in ["", "\\", r#""\ud83d\ude00""#, r#""\\ud800""#, r#""\ud8"#, r#""\u00e4\n""#] {
            assert_eq!(mended(whole), None, "{whole}");
        }
    }
}
