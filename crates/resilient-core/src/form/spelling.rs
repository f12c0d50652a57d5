//! UTF-8 text, spelled in the encoding and with the line ends of a file, block by block.

use super::encoding::{Encoding, Lacking};
use super::eol::Eol;

/// How text is spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spelling {
    pub(crate) encoding: Encoding,
    /// Whether a byte order mark comes first; `None` leaves that to the text.
    pub(crate) bom: Option<bool>,
    /// What `\n` and `\r\n` become; `None` leaves them as they are.
    pub(crate) eol: Option<Eol>,
    /// Whether nothing outside ASCII is written, since the encoding is only a guess.
    pub(crate) only_ascii: bool,
}

/// Text that cannot be spelled so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unspellable {
    pub(crate) encoding: Encoding,
    pub(crate) character: char,
    /// The line of the text, from 1.
    pub(crate) line: usize,
    /// Where in the text the character stands, in bytes.
    pub(crate) offset: usize,
    /// Whether the encoding has the character, but is only a guess.
    pub(crate) is_unsure: bool,
}

impl Spelling {
    /// The text's own bytes.
    pub(crate) const RAW: Self =
        Self { encoding: Encoding::Utf8, bom: None, eol: None, only_ascii: false };

    /// Spells a whole text; `None` where that gives its own bytes.
    ///
    /// # Errors
    /// A character cannot be spelled.
    pub(crate) fn spell(self, text: &str) -> Result<Option<Vec<u8>>, Unspellable> {
        if self == Self::RAW {
            return Ok(None);
        }
        let mut out = Vec::with_capacity(text.len());
        let mut speller = Speller::new(self);
        speller.push(text.as_bytes(), &mut out)?;
        speller.finish(&mut out)?;
        Ok((out != text.as_bytes()).then_some(out))
    }
}

/// A text on its way.
#[derive(Debug)]
pub(crate) struct Speller {
    how: Spelling,
    has_begun: bool,
    /// A character that is cut, or a `\r` of which nobody knows whether a `\n` follows.
    held: Vec<u8>,
    line: usize,
    offset: usize,
}

impl Speller {
    pub(crate) fn new(how: Spelling) -> Self {
        Self { how, has_begun: false, held: Vec::new(), line: 1, offset: 0 }
    }

    /// Appends the next block of a UTF-8 text, spelled. A block may end inside a character.
    ///
    /// # Errors
    /// A character cannot be spelled.
    pub(crate) fn push(&mut self, block: &[u8], out: &mut Vec<u8>) -> Result<(), Unspellable> {
        if self.how == Spelling::RAW {
            out.extend_from_slice(block);
            return Ok(());
        }
        let mut text = std::mem::take(&mut self.held);
        text.extend_from_slice(block);
        let valid = str::from_utf8(&text).map_or_else(|error| error.valid_up_to(), str::len);
        let end = if text.get(..valid).is_some_and(|valid| valid.ends_with(b"\r")) {
            valid - 1
        } else {
            valid
        };
        self.held = text.split_off(end);
        let whole = str::from_utf8(&text).unwrap_or_default();
        if whole.is_empty() { Ok(()) } else { self.write(whole, out) }
    }

    /// Appends what was held back.
    ///
    /// # Errors
    /// As [`Speller::push`].
    pub(crate) fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), Unspellable> {
        let held = std::mem::take(&mut self.held);
        self.write(str::from_utf8(&held).unwrap_or_default(), out)
    }

    fn write(&mut self, mut text: &str, out: &mut Vec<u8>) -> Result<(), Unspellable> {
        if !std::mem::replace(&mut self.has_begun, true)
            && let Some(bom) = self.how.bom
        {
            if let Some(rest) = text.strip_prefix('\u{FEFF}') {
                self.offset += text.len() - rest.len();
                text = rest;
            }
            if bom {
                out.extend_from_slice(self.how.encoding.mark());
            }
        }
        for line in text.split_inclusive('\n') {
            let (content, end) = match (self.how.eol, line.strip_suffix('\n')) {
                (Some(eol), Some(content)) => {
                    (content.strip_suffix('\r').unwrap_or(content), eol.as_str())
                }
                _ => (line, ""),
            };
            self.encode(content, out)?;
            self.encode(end, out)?;
            self.offset += line.len();
            self.line += usize::from(line.ends_with('\n'));
        }
        Ok(())
    }

    fn encode(&self, text: &str, out: &mut Vec<u8>) -> Result<(), Unspellable> {
        let Spelling { encoding, only_ascii, .. } = self.how;
        let refused = |Lacking { character, offset }, is_unsure| Unspellable {
            encoding,
            character,
            line: self.line,
            offset: self.offset + offset,
            is_unsure,
        };
        if only_ascii
            && let Some((offset, character)) = text.char_indices().find(|it| !it.1.is_ascii())
        {
            return Err(refused(Lacking { character, offset }, true));
        }
        encoding.encode(text, out).map_err(|lacking| refused(lacking, false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn how(label: &str, bom: Option<bool>, eol: Option<Eol>) -> Spelling {
        Spelling { encoding: Encoding::named(label).unwrap(), bom, eol, only_ascii: false }
    }

    fn in_blocks(how: Spelling, text: &str, size: usize) -> Result<Vec<u8>, Unspellable> {
        let (mut out, mut speller) = (Vec::new(), Speller::new(how));
        for block in text.as_bytes().chunks(size) {
            speller.push(block, &mut out)?;
        }
        speller.finish(&mut out).map(|()| out)
    }

    #[test]
    fn blocks_of_any_size_give_the_same_bytes() {
        let text = "\u{FEFF}é\r\n漢\n\r\rx\r";
        for how in [
            Spelling::RAW,
            how("utf-16le", Some(true), Some(Eol::CrLf)),
            how("utf-8", Some(false), Some(Eol::Lf)),
            how("gb18030", Some(false), Some(Eol::Cr)),
        ] {
            let whole = how.spell(text).unwrap().unwrap_or_else(|| text.as_bytes().to_vec());
            for size in 1..text.len() {
                assert_eq!(in_blocks(how, text, size).unwrap(), whole, "{how:?} {size}");
            }
        }
    }

    #[test]
    fn line_ends_become_those_of_the_file_and_a_lone_carriage_return_stays() {
        let spelled = |eol| how("utf-8", None, Some(eol)).spell("a\r\nb\nc\rd").unwrap().unwrap();
        assert_eq!(spelled(Eol::Lf), b"a\nb\nc\rd");
        assert_eq!(spelled(Eol::CrLf), b"a\r\nb\r\nc\rd");
        assert_eq!(spelled(Eol::Cr), b"a\rb\rc\rd");
    }

    #[test]
    fn there_is_one_mark_at_most() {
        let spelled = |bom, text| {
            let spelled = how("utf-8", Some(bom), None).spell(text).unwrap();
            spelled.unwrap_or_else(|| text.as_bytes().to_vec())
        };
        assert_eq!(spelled(true, "a"), b"\xEF\xBB\xBFa");
        assert_eq!(spelled(true, "\u{FEFF}a"), b"\xEF\xBB\xBFa");
        assert_eq!(spelled(false, "\u{FEFF}a"), b"a");
        assert_eq!(spelled(true, ""), b"\xEF\xBB\xBF");
    }

    #[test]
    fn a_character_that_cannot_be_spelled_is_named_with_its_line() {
        let latin = how("latin-1", None, Some(Eol::Lf));
        let refused = latin.spell("a\r\nб\n").unwrap_err();
        assert_eq!((refused.character, refused.line, refused.offset), ('б', 2, 3));
        let guess = Spelling { only_ascii: true, ..latin };
        assert!(guess.spell("é").unwrap_err().is_unsure);
        assert_eq!(guess.spell("e").unwrap(), None);
    }
}
