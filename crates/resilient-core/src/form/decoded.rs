//! A whole file as text.

use super::{Asked, AskedEncoding, AskedEol, Encoding, Guess};

/// The text of a file, decoded as a read does it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The text. What is no character in it is U+FFFD.
    pub text: String,
    /// Whether the text, spelled again, has the bytes of the file.
    pub is_exact: bool,
    encoding: Encoding,
    bom: bool,
}

impl Decoded {
    /// Decodes a file. The mark of a file that is UTF-8 stays in the text.
    ///
    /// # Errors
    /// The file is no text: its bytes are given back.
    pub fn of(bytes: Vec<u8>) -> Result<Self, Vec<u8>> {
        let Guess { encoding, bom, .. } = Guess::of(&bytes);
        let bytes = match encoding {
            Encoding::Utf32 | Encoding::Binary => return Err(bytes),
            Encoding::Utf8 => match String::from_utf8(bytes) {
                Ok(text) => return Ok(Self { text, is_exact: true, encoding, bom }),
                Err(error) => error.into_bytes(),
            },
            _ => bytes,
        };
        let mark = if bom { encoding.mark() } else { b"" };
        let body = bytes.strip_prefix(mark).unwrap_or(&bytes);
        let text = encoding.text_of(body).into_owned();
        let mut again = Vec::with_capacity(body.len());
        let is_exact = encoding.encode(&text, &mut again).is_ok() && again == body;
        Ok(Self { text, is_exact, encoding, bom })
    }

    /// Whether the bytes of a file are UTF-32, which no call reads.
    #[must_use]
    pub fn is_utf32(bytes: &[u8]) -> bool {
        Guess::of(bytes).encoding == Encoding::Utf32
    }

    /// What to ask for, so that the text is spelled as it was in the file.
    #[must_use]
    pub fn asked(&self) -> Asked {
        match self.encoding {
            Encoding::Utf8 => Asked::RAW,
            encoding => Asked {
                encoding: AskedEncoding::Named { encoding, bom: Some(self.bom) },
                eol: AskedEol::Raw,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_decoded_as_what_it_is() {
        let told = |bytes: &[u8]| Decoded::of(bytes.to_vec()).ok().map(|it| (it.text, it.is_exact));
        let text = |text: &str, is_exact| Some((text.to_owned(), is_exact));
        assert_eq!(told(b"caf\xc3\xa9"), text("caf\u{e9}", true));
        assert_eq!(told(b"\xef\xbb\xbfa"), text("\u{feff}a", true));
        assert_eq!(told(b"\xff\xfea\0\xe9\0"), text("a\u{e9}", true));
        assert_eq!(told(b"\xff\xfea\0\xe9"), text("a\u{fffd}", false));
        assert_eq!(told(b"a\0b\0c\0d\0"), text("abcd", true));
        assert_eq!(told(b"un caf\xe9 noir\n"), text("un caf\u{e9} noir\n", true));
        assert_eq!(told(b"\xc3\xa9\xc3\xa8 \xff"), text("\u{e9}\u{e8} \u{fffd}", false));
        assert_eq!(told(b"\x00\xff\xfe\x80"), None);
        assert_eq!(told(b"\xff\xfe\0\0a\0\0\0"), None);
    }
}
