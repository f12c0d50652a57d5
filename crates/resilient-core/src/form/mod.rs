//! The form of a text file: its encoding, its byte order mark and its line ends.
//!
//! Everything that reads or writes text asks here what form a file has, and everything that adds text
//! to a file has it spelled here. [`Form`] is what a file is found to have; [`Asked`] is what a call
//! asks for; a `Spelling` is what follows from the two, and turns UTF-8 text into the file's bytes.
//!
//! A form is found from a file's bytes alone: a mark, else what the bytes look like. For a long file
//! the head and the tail are enough. A guess that may be wrong says so, and then nothing outside ASCII
//! is written by it.

mod asked;
mod decoded;
mod encoding;
mod eol;
mod guess;
mod spelling;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

pub use self::asked::{Asked, AskedEncoding, AskedEol, Declared, FormPolicy, FormSource};
pub use self::decoded::Decoded;
pub use self::encoding::Encoding;
pub(crate) use self::encoding::synchronous;
pub use self::eol::Eol;
pub(crate) use self::guess::Guess;
pub(crate) use self::spelling::{Speller, Spelling, Unspellable};

use self::eol::Ends;

/// How much of a file's head, and of its tail, tells its form.
pub(crate) const WINDOW: usize = 16 << 10;

/// All of a file up to this length tells its form.
pub(crate) const WHOLE: u64 = 64 << 10;

/// The form that a file is found to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// What its bytes mean.
    pub encoding: Encoding,
    /// Whether it begins with a byte order mark.
    pub bom: bool,
    /// The most frequent line end; nothing where there is none.
    pub eol: Option<Eol>,
    /// Whether both `\n` and `\r\n` end lines.
    pub is_mixed: bool,
    /// Whether the encoding is more than the best of several guesses.
    pub is_sure: bool,
    /// Whether nothing but ASCII was seen, which is the same in most encodings.
    pub(crate) is_ascii: bool,
    /// Whether a NUL byte was seen that is no part of a character.
    pub(crate) has_nul: bool,
}

impl Form {
    /// The form of these bytes.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self::with(bytes, Guess::of(bytes))
    }

    /// The form of these bytes, by their head and tail where they are long.
    pub(crate) fn at_ends(bytes: &[u8]) -> Self {
        if bytes.len() as u64 <= WHOLE {
            return Self::of(bytes);
        }
        let tail = (bytes.len() - WINDOW) & !1;
        let head = bytes.get(..WINDOW).unwrap_or_default();
        Self::of_windows(head, bytes.get(tail..).unwrap_or_default())
    }

    /// The form of bytes that were spelled so.
    pub(crate) fn spelled(self, how: Spelling) -> Self {
        if how.encoding == Encoding::Utf8 || how.encoding.has_ascii() && self.is_ascii {
            return self;
        }
        let bom = self.bom && self.encoding == how.encoding;
        let has_nul = self.has_nul && how.encoding.has_ascii();
        let is_sure = !how.only_ascii;
        Self { encoding: how.encoding, bom, is_sure, is_ascii: false, has_nul, ..self }
    }

    /// The form of the same file with these bytes behind its end, which are in its encoding.
    pub(crate) fn with_added(self, added: &[u8]) -> Self {
        let Self { encoding, bom, is_sure, .. } = self;
        let more = Self::with(added, Guess { encoding, bom, is_sure });
        let is_other = self.eol.is_some() && more.eol.is_some() && self.eol != more.eol;
        let is_mixed = self.is_mixed || more.is_mixed || is_other;
        Self { eol: self.eol.or(more.eol), is_mixed, ..self }
    }

    /// The form of a long file of which these are the head and the tail. The tail begins an even
    /// number of bytes behind the file's beginning.
    pub(crate) fn of_windows(head: &[u8], tail: &[u8]) -> Self {
        if guess::is_wide(head) {
            let even = head.get(..head.len() & !1).unwrap_or(head);
            // The first half of a line end may be in front of the window.
            let tail = match tail {
                [b'\n', 0, rest @ ..] | [0, b'\n', rest @ ..] => rest,
                all => all,
            };
            let bytes = [even, tail].concat();
            return Self::with(&bytes, Guess::of(&bytes));
        }
        let whole = whole_characters(head);
        let head = if str::from_utf8(whole).is_ok() {
            whole
        } else {
            let sure = head.get(..synchronous(head, head.len()));
            sure.filter(|sure| sure.len() * 2 >= head.len()).unwrap_or(whole)
        };
        let tail = tail.strip_prefix(b"\n").unwrap_or(tail);
        let is_first = |byte: &u8| !matches!(byte, 0x80..=0xBF);
        let from = |at: Option<usize>| tail.get(at.unwrap_or_default()..).unwrap_or_default();
        let as_utf8 = from(tail.iter().position(is_first));
        let tail = if str::from_utf8(as_utf8).is_ok() {
            as_utf8
        } else {
            from(tail.iter().position(|byte| *byte < 0x30))
        };
        let bytes = [head, tail].concat();
        Self::with(&bytes, Guess::of(&bytes))
    }

    fn with(bytes: &[u8], guess: Guess) -> Self {
        let Guess { encoding, bom, is_sure } = guess;
        let (ends, has_nul) = match encoding {
            Encoding::Utf16Le | Encoding::Utf16Be => {
                let text = encoding.text_of(bytes);
                (Ends::of(text.as_bytes()), text.contains('\0'))
            }
            _ => (Ends::of(bytes), memchr::memchr(0, bytes).is_some()),
        };
        let is_ascii = encoding == Encoding::Utf8 && !bom && bytes.is_ascii();
        let (eol, is_mixed) = (ends.most(), ends.are_mixed());
        Self { encoding, bom, eol, is_mixed, is_sure, is_ascii, has_nul }
    }

    /// Whether it is what most files have: UTF-8 without a mark, and `\n`.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.encoding == Encoding::Utf8
            && self.is_sure
            && !self.bom
            && !self.is_mixed
            && matches!(self.eol, None | Some(Eol::Lf))
    }

    /// Whether it is no text that something can be added to.
    pub(crate) fn is_binary(&self) -> bool {
        self.has_nul || !self.encoding.is_text()
    }

    /// What an overwrite has changed. Text that is the same in both encodings has changed none, and
    /// text without a line end has changed no line ends.
    pub(crate) fn change(from: Self, to: Self) -> Option<FormChange> {
        let is_common = |one: &Self, other: &Self| {
            one.is_ascii && !other.bom && other.encoding.has_ascii() && !other.has_nul
        };
        let same_encoding = from.encoding == to.encoding && from.bom == to.bom
            || is_common(&from, &to)
            || is_common(&to, &from);
        let same_ends = match (from.eol, to.eol) {
            (Some(from_eol), Some(to_eol)) => from_eol == to_eol && from.is_mixed == to.is_mixed,
            _ => true,
        };
        (!same_encoding || !same_ends).then_some(FormChange { from, to })
    }
}

impl Serialize for Form {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("encoding", &self.encoding.name())?;
        if !self.is_sure {
            map.serialize_entry("encoding_confidence", "low")?;
        }
        if self.bom {
            map.serialize_entry("bom", &true)?;
        }
        if let Some(eol) = self.eol {
            map.serialize_entry("eol", &eol)?;
        }
        if self.is_mixed {
            map.serialize_entry("eol_mixed", &true)?;
        }
        map.end()
    }
}

/// An overwrite that gave a file another form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FormChange {
    /// What the file had.
    pub from: Form,
    /// What it has now.
    pub to: Form,
}

/// The bytes without a UTF-8 character that is cut at their end.
fn whole_characters(bytes: &[u8]) -> &[u8] {
    for back in 1..4 {
        let Some(tail) = bytes.len().checked_sub(back).and_then(|at| bytes.get(at..)) else {
            break;
        };
        let is_cut = match tail.first() {
            Some(0xC2..=0xDF) => back < 2,
            Some(0xE0..=0xEF) => back < 3,
            Some(0xF0..=0xF4) => back < 4,
            Some(0x80..=0xBF) => continue,
            _ => false,
        };
        return if is_cut { bytes.get(..bytes.len() - back).unwrap_or_default() } else { bytes };
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(label: &str, text: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        Encoding::named(label).unwrap().encode(text, &mut bytes).unwrap();
        bytes
    }

    fn shown(form: Form) -> String {
        serde_json::to_string(&form).unwrap()
    }

    #[test]
    fn what_is_added_can_mix_the_line_ends() {
        let after = |file: &[u8], added: &[u8]| {
            let form = Form::of(file).with_added(added);
            (form.eol, form.is_mixed)
        };
        assert_eq!(after(b"a\r\n", b"x\n"), (Some(Eol::CrLf), true));
        assert_eq!(after(b"a\n", b"x\r\n"), (Some(Eol::Lf), true));
        assert_eq!(after(b"a\n", b"x\n"), (Some(Eol::Lf), false));
        assert_eq!(after(b"a", b"x\r\n"), (Some(Eol::CrLf), false));
    }

    #[test]
    fn a_form_is_said_in_few_words() {
        assert_eq!(shown(Form::of(b"a\n")), r#"{"encoding":"utf-8","eol":"lf"}"#);
        assert_eq!(
            shown(Form::of(b"\xEF\xBB\xBFa\r\nb\n")),
            r#"{"encoding":"utf-8","bom":true,"eol":"lf","eol_mixed":true}"#
        );
        assert_eq!(
            shown(Form::of(&bytes("utf-16le", "\u{FEFF}a\r\n"))),
            r#"{"encoding":"utf-16le","bom":true,"eol":"crlf"}"#
        );
        let few = Form::of(&bytes("windows-1251", "\u{434}\u{430}"));
        assert!(shown(few).contains(r#""encoding_confidence":"low""#));
    }

    #[test]
    fn head_and_tail_tell_what_the_whole_tells_wherever_they_are_cut() {
        for (label, line) in [
            ("utf-8", "déjà vu 漢字 😀\r\n"),
            ("utf-16le", "déjà vu 漢字 😀\r\n"),
            ("utf-16be", "\u{FEFF}plain words\n"),
            ("windows-1252", "déjà vu, là-bas\r\n"),
            ("shift_jis", "これは日本語のテキストです。\r\n"),
            ("gbk", "这是一个中文文本文件。\n"),
        ] {
            let whole = bytes(label, &line.repeat(20));
            let form = Form::of(&whole);
            for cut in 40..120 {
                let even = (whole.len() - cut) & !1;
                let part = Form::of_windows(&whole[..cut], &whole[even..]);
                let facts = (part.encoding, part.eol, part.is_mixed);
                assert_eq!(facts, (form.encoding, form.eol, form.is_mixed), "{label} {cut}");
            }
        }
    }

    #[test]
    fn only_what_text_shows_is_a_change() {
        let change = |from: &[u8], to: &[u8]| Form::change(Form::of(from), Form::of(to)).is_some();
        assert!(!change(b"a\n", "é\n".as_bytes()), "ASCII is UTF-8, too");
        assert!(!change(b"caf\xe9 du th\xe9\n", b"a\n"), "and Latin-1");
        assert!(!change(b"a\r\n", b"one line"));
        assert!(change(b"a\r\n", b"a\n"));
        assert!(change(b"a\r\nb\n", b"a\nb\n"), "mixed before, and not now");
        assert!(change(b"\xEF\xBB\xBFa\n", b"a\n"), "the mark is gone");
        assert!(change(b"caf\xe9 du th\xe9\n", "café du thé\n".as_bytes()));
        assert!(change(&bytes("utf-16le", "\u{FEFF}a\n"), b"a\n"));
    }
}
