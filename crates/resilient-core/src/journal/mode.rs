//! How a file came to its content.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How a file came to its content. The set is open: a row of a later version may have another word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// It did not exist.
    Create,
    /// Its content was replaced as a whole.
    Overwrite,
    /// Bytes were added at its end.
    Append,
    /// Parts of it were replaced.
    Replace,
    /// It is gone. The row's `sha256` and `bytes` are those of no bytes.
    Remove,
    /// It came from another name, which is gone.
    Rename,
    /// A word that this version does not know.
    Other(Word),
}

/// A short word: up to fifteen lower-case letters, digits, `_` and `-`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Word {
    text: [u8; Self::LONGEST],
    len: u8,
}

impl Word {
    const LONGEST: usize = 15;

    fn of(text: &str) -> Option<Self> {
        let may_be = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
        let mut word = Self { text: [0; Self::LONGEST], len: u8::try_from(text.len()).ok()? };
        if text.is_empty() || !text.bytes().all(may_be) {
            return None;
        }
        word.text.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        Some(word)
    }

    /// The word.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let text = self.text.get(..usize::from(self.len)).unwrap_or_default();
        str::from_utf8(text).unwrap_or_default()
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl Mode {
    const KNOWN: [(&str, Self); 6] = [
        ("create", Self::Create),
        ("overwrite", Self::Overwrite),
        ("append", Self::Append),
        ("replace", Self::Replace),
        ("remove", Self::Remove),
        ("rename", Self::Rename),
    ];

    /// The mode of a word; `None` for what no version writes.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        let known = Self::KNOWN.into_iter().find(|(known, _)| *known == word);
        known.map(|(_, mode)| mode).or_else(|| Word::of(word).map(Self::Other))
    }

    /// The mode as the journal and the tools write it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Create => "create",
            Self::Overwrite => "overwrite",
            Self::Append => "append",
            Self::Replace => "replace",
            Self::Remove => "remove",
            Self::Rename => "rename",
            Self::Other(word) => word.as_str(),
        }
    }
}

impl Serialize for Mode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Mode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Mode;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a short word")
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<Mode, E> {
                Mode::of(word).ok_or_else(|| E::custom("not the word of a mode"))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_is_written_as_it_is_read() {
        for word in
            ["create", "overwrite", "append", "replace", "remove", "rename", "fifteen-letter"]
        {
            let json = format!("{word:?}");
            let mode: Mode = serde_json::from_str(&json).unwrap();
            assert_eq!(serde_json::to_string(&mode).unwrap(), json);
            assert_eq!(matches!(mode, Mode::Other(_)), word == "fifteen-letter");
        }
    }

    #[test]
    fn what_is_no_short_word_is_no_mode() {
        for word in ["", "Create", "a b", "sixteen-letters-", "\u{e9}", "a\0"] {
            assert_eq!(Mode::of(word), None, "{word:?}");
        }
        assert!(serde_json::from_str::<Mode>("1").is_err());
    }
}
