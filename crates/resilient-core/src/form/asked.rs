//! What a call, the policy and the project ask for, and the spelling that follows from it.

use std::str::FromStr;

use super::Form;
use super::encoding::Encoding;
use super::eol::Eol;
use super::spelling::Spelling;

/// What a call asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The encoding.
    pub encoding: AskedEncoding,
    /// The line ends.
    pub eol: AskedEol,
}

impl Asked {
    /// Whether it names neither an encoding nor line ends.
    pub(crate) const fn names_none(self) -> bool {
        !matches!(self.encoding, AskedEncoding::Named { .. })
            && !matches!(self.eol, AskedEol::Named(_))
    }
}

/// The encoding that a call asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AskedEncoding {
    /// Nothing: an append and a replacement keep the file's; an overwrite writes UTF-8 unless the
    /// policy says `form: keep`; a new file is what the project says, else UTF-8.
    #[default]
    Unsaid,
    /// The file's own, with its byte order mark.
    Keep,
    /// The bytes of the text as they are, which is UTF-8, whatever the file holds.
    Raw,
    /// This one.
    Named {
        /// Which.
        encoding: Encoding,
        /// With or without a byte order mark. Unsaid, a file keeps its mark; a new file gets one in
        /// UTF-16, and none in UTF-8.
        bom: Option<bool>,
    },
}

/// The line ends that a call asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AskedEol {
    /// Nothing: as for [`AskedEncoding::Unsaid`].
    #[default]
    Unsaid,
    /// The file's most frequent.
    Keep,
    /// As they are in the text.
    Raw,
    /// These.
    Named(Eol),
}

/// What a policy says about the form of files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormPolicy {
    /// Whether an overwrite that says nothing keeps the form of the file.
    pub keep: bool,
    /// Where the form of a new file is looked up that says nothing; the first word counts.
    pub from: Vec<FormSource>,
}

/// A file of a project that says what form its files have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormSource {
    /// *.editorconfig*.
    EditorConfig,
    /// *.gitattributes*.
    GitAttributes,
}

/// What a project's files say about the form of a new file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// The encoding, and whether a byte order mark comes first.
    pub encoding: Option<(Encoding, bool)>,
    /// The line ends.
    pub eol: Option<Eol>,
}

impl Declared {
    /// What this says, and where it says nothing, what another says.
    pub(crate) fn or(self, other: Self) -> Self {
        Self { encoding: self.encoding.or(other.encoding), eol: self.eol.or(other.eol) }
    }
}

impl FromStr for AskedEncoding {
    type Err = ();

    /// Reads `keep`, `raw` or the name of an encoding, to which `-bom` or `-nobom` may be added.
    fn from_str(label: &str) -> Result<Self, ()> {
        let label = label.trim().to_ascii_lowercase().replace('_', "-");
        match label.as_str() {
            "keep" => return Ok(Self::Keep),
            "raw" => return Ok(Self::Raw),
            // Python's name.
            "utf-8-sig" => return Ok(Self::Named { encoding: Encoding::Utf8, bom: Some(true) }),
            _ => {}
        }
        let without = label.strip_suffix("-nobom");
        let with = label.strip_suffix("-bom");
        let (name, bom) = match (without, with) {
            (Some(name), _) => (name, Some(false)),
            (None, Some(name)) => (name, Some(true)),
            (None, None) => (label.as_str(), None),
        };
        let encoding = Encoding::named(name).ok_or(())?;
        if bom.is_some() && encoding.mark().is_empty() {
            return Err(());
        }
        Ok(Self::Named { encoding, bom })
    }
}

impl Asked {
    /// The text's own bytes.
    pub const RAW: Self = Self { encoding: AskedEncoding::Raw, eol: AskedEol::Raw };

    /// Asks for what is kept by default where nothing was said.
    pub(crate) fn or_keep(self) -> Self {
        Self {
            encoding: match self.encoding {
                AskedEncoding::Unsaid => AskedEncoding::Keep,
                said => said,
            },
            eol: match self.settled_eol() {
                AskedEol::Unsaid => AskedEol::Keep,
                said => said,
            },
        }
    }

    /// How the whole content of a file is spelled that takes the place of `old`.
    pub(crate) fn over(self, old: &Form) -> Spelling {
        let keeps = self.encoding == AskedEncoding::Keep && !old.is_binary();
        let (encoding, bom) = match self.encoding {
            AskedEncoding::Named { encoding, bom: None } if encoding == old.encoding => {
                (encoding, Some(old.bom))
            }
            AskedEncoding::Named { encoding, bom } => (encoding, bom.or(mark_of_new(encoding))),
            AskedEncoding::Keep if keeps => (old.encoding, Some(old.bom)),
            _ => (Encoding::Utf8, None),
        };
        Spelling { encoding, bom, eol: self.eol_of(old), only_ascii: keeps && !old.is_sure }
    }

    /// How a new file is spelled.
    pub(crate) fn of_new(self, declared: Declared) -> Spelling {
        let (encoding, bom) = match self.encoding {
            AskedEncoding::Named { encoding, bom } => (encoding, bom.or(mark_of_new(encoding))),
            AskedEncoding::Raw => (Encoding::Utf8, None),
            _ => match declared.encoding {
                Some((encoding, bom)) => (encoding, Some(bom)),
                None => (Encoding::Utf8, None),
            },
        };
        let eol = match self.settled_eol() {
            AskedEol::Named(eol) => Some(eol),
            AskedEol::Raw => None,
            AskedEol::Unsaid | AskedEol::Keep => declared.eol,
        };
        Spelling { encoding, bom, eol, only_ascii: false }
    }

    /// How text is spelled that is added to a file.
    pub(crate) fn onto(self, old: &Form) -> Spelling {
        let (encoding, only_ascii) = match self.encoding {
            AskedEncoding::Unsaid | AskedEncoding::Keep => (old.encoding, !old.is_sure),
            AskedEncoding::Raw => (Encoding::Utf8, false),
            AskedEncoding::Named { encoding, .. } => (encoding, false),
        };
        let eol = match self.settled_eol() {
            AskedEol::Unsaid => old.eol,
            _ => self.eol_of(old),
        };
        Spelling { encoding, bom: None, eol, only_ascii }
    }

    /// A caller that asks for raw bytes means the line ends, too.
    fn settled_eol(self) -> AskedEol {
        match (self.encoding, self.eol) {
            (AskedEncoding::Raw, AskedEol::Unsaid) => AskedEol::Raw,
            (_, eol) => eol,
        }
    }

    fn eol_of(self, old: &Form) -> Option<Eol> {
        match self.eol {
            AskedEol::Named(eol) => Some(eol),
            AskedEol::Keep => old.eol,
            AskedEol::Raw | AskedEol::Unsaid => None,
        }
    }
}

/// Without a mark nobody can tell UTF-16 from other bytes; UTF-8 needs none.
fn mark_of_new(encoding: Encoding) -> Option<bool> {
    matches!(encoding, Encoding::Utf16Le | Encoding::Utf16Be).then_some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(encoding: &str) -> Asked {
        Asked { encoding: encoding.parse().unwrap(), eol: AskedEol::Unsaid }
    }

    #[test]
    fn a_name_may_say_whether_there_is_a_mark() {
        let named = |label: &str| match label.parse() {
            Ok(AskedEncoding::Named { encoding, bom }) => Some((encoding.name(), bom)),
            _ => None,
        };
        assert_eq!(named("UTF-8-BOM"), Some(("utf-8".to_owned(), Some(true))));
        assert_eq!(named("utf_8_sig"), Some(("utf-8".to_owned(), Some(true))));
        assert_eq!(named("utf-16le-nobom"), Some(("utf-16le".to_owned(), Some(false))));
        assert_eq!(named("utf-16be"), Some(("utf-16be".to_owned(), None)));
        assert_eq!(named("gbk-bom"), None, "there is no such mark");
        assert_eq!("keep".parse(), Ok(AskedEncoding::Keep));
        assert_eq!("raw".parse(), Ok(AskedEncoding::Raw));
        assert!("rot13".parse::<AskedEncoding>().is_err());
    }

    #[test]
    fn a_file_keeps_its_mark_when_its_encoding_is_named() {
        let with = Form::of(b"\xFF\xFEa\0");
        let without = Form::of(b"a\0b\0c\0d\0");
        assert_eq!(asked("utf-16le").over(&with).bom, Some(true));
        assert_eq!(asked("utf-16le").over(&without).bom, Some(false));
        assert_eq!(asked("utf-16le").of_new(Declared::default()).bom, Some(true));
        assert_eq!(asked("utf-8").of_new(Declared::default()).bom, None);
    }

    #[test]
    fn what_is_kept_of_a_guess_is_ascii_only() {
        let few = Form::of(b"\xE4\xE0");
        assert!(!few.is_sure);
        assert!(Asked::default().or_keep().over(&few).only_ascii);
        assert!(Asked::default().onto(&few).only_ascii);
        assert!(!asked("windows-1251").onto(&few).only_ascii);
        assert_eq!(Asked::default().over(&few), Spelling::RAW);
    }
}
