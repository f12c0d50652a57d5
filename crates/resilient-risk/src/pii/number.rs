//! A number as it is written: its letters and digits, what joins them, and what announces it.

use std::cell::OnceCell;
use std::ops::Range;

use super::super::marks::Marks;
use super::near::Near;

/// A word that may be a number, or words that one byte each joins.
pub(super) struct Number<'a> {
    pub(super) text: &'a str,
    pub(super) marks: &'a Marks,
    /// The number with its separators.
    pub(super) span: Range<usize>,
    /// Where in the number its separators stand, and which they are.
    pub(super) seps: &'a [(usize, u8)],
    pub(super) form: Form,
    /// The letters and digits of this number and perhaps of what follows, in capitals.
    pub(super) compact: &'a OnceCell<Short>,
    pub(super) near: OnceCell<Near<'a>>,
}

impl Number<'_> {
    pub(super) fn raw(&self) -> &str {
        self.text.get(self.span.clone()).unwrap_or_default()
    }

    /// How many letters and digits it has.
    pub(super) const fn len(&self) -> usize {
        self.form.len()
    }

    pub(super) fn all_digits(&self) -> bool {
        self.form.all_digits()
    }

    pub(super) fn separated(&self) -> bool {
        !self.seps.is_empty()
    }

    /// Its letters and digits, in capitals.
    pub(super) fn compact(&self) -> &[u8] {
        let all = self.compact.get_or_init(|| {
            let raw = self.raw().bytes().filter(u8::is_ascii_alphanumeric);
            Short::of(raw.map(|byte| byte.to_ascii_uppercase()))
        });
        all.get(..self.len()).unwrap_or_default()
    }

    /// Tells whether one of the words stands shortly before the number (or right after it).
    pub(super) fn announced(&self, words: &[&str]) -> bool {
        let near = self.near.get_or_init(|| Near::of(self.text, self.marks, &self.span));
        near.has(words)
    }
}

/// Words that announce the number of a person, whatever state gave it.
const PERSONS: [&str; 50] = [
    "aadhaar",
    "aadhar",
    "ahv",
    "avs",
    "bsn",
    "burgerservicenummer",
    "citizen",
    "cnic",
    "cnp",
    "cnpj",
    "cpf",
    "cpr",
    "curp",
    "dni",
    "egn",
    "fodselsnummer",
    "fødselsnummer",
    "hetu",
    "id number",
    "id_number",
    "idnr",
    "identification",
    "identity",
    "insz",
    "isikukood",
    "jmbg",
    "kimlik",
    "medicare",
    "national",
    "nhs",
    "nif",
    "niss",
    "oib",
    "passport",
    "personal id",
    "personal_id",
    "personal number",
    "personal_number",
    "personnummer",
    "pesel",
    "resident",
    "rijksregister",
    "rrn",
    "rsa id",
    "social insurance",
    "social security",
    "ssn",
    "steuer",
    "tax",
    "tckn",
];

impl Number<'_> {
    /// Tells whether a word near it says that it is the number of a person.
    pub(super) fn is_a_persons(&self) -> bool {
        self.announced(&PERSONS)
    }
}

/// Which characters of a number are letters and which are digits, without what joins them: a bit for
/// each that is set for digits, the first one lowest, and a one above them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form(pub(super) u64);

impl Form {
    /// The form that is written as `A` for letters and `9` for digits.
    pub(super) const fn of(written: &str) -> Self {
        let mut rest = written.as_bytes();
        let (mut digits, mut len) = (0, 0);
        while let [first, after @ ..] = rest {
            digits |= if *first == b'9' { 1 << len } else { 0 };
            len += 1;
            rest = after;
        }
        Self(digits | 1 << len)
    }

    /// How many letters and digits it has.
    pub(super) const fn len(self) -> usize {
        self.0.ilog2() as usize
    }

    pub(super) const fn all_digits(self) -> bool {
        self.0 & (self.0 + 1) == 0
    }

    /// Tells whether it begins with two letters and two digits.
    pub(super) const fn has_country(self) -> bool {
        self.0 & 0b1111 == 0b1100
    }
}

/// A few bytes.
#[derive(Clone, Debug)]
pub(super) struct Short {
    pub(super) bytes: [u8; Self::LEN_MAX],
    pub(super) len: usize,
}

impl Short {
    /// No number has more letters and digits.
    pub(super) const LEN_MAX: usize = 36;

    /// Collects bytes; those that are too many are left out.
    pub(super) fn of(all: impl Iterator<Item = u8>) -> Self {
        let mut short = Self { bytes: [0; Self::LEN_MAX], len: 0 };
        for (slot, byte) in short.bytes.iter_mut().zip(all) {
            *slot = byte;
            short.len += 1;
        }
        short
    }
}

impl std::ops::Deref for Short {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}
