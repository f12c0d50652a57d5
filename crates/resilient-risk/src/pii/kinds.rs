//! What `data/people.toml` says. The build reads its rows into these types and prints them as they are debugged, which
//! is Rust: there a `List` is a slice, and a `Text` a string.

use super::{ContextWords, List, Text};

/// A kind of numbers.
#[derive(Debug)]
#[cfg_attr(not(made), derive(Default, serde::Deserialize), serde(default))]
pub(super) struct Row {
    pub(super) name: Text,
    /// What the number is called, and where, for those who read a failure.
    #[cfg_attr(all(made, not(test)), expect(dead_code, reason = "tests tell rows by it"))]
    pub(super) what: Text,
    #[cfg_attr(all(made, not(test)), expect(dead_code, reason = "tests tell rows by it"))]
    pub(super) country: Text,
    /// Whether it may stand behind a full stop, a hyphen or a slash.
    pub(super) after_sign: bool,
    /// How many signs it has at least and at most.
    pub(super) signs: Option<[usize; 2]>,
    pub(super) words: ContextWords,
    /// All of them must fit.
    pub(super) check: List<Check>,
    /// Digits that were never issued; a dot stands for any.
    pub(super) never: List<Text>,
    /// What is taken off a month and a day first, as remainders.
    pub(super) months: List<u32>,
    pub(super) days: Option<u32>,
}

/// What a form needs to count, in the order in which they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Need {
    /// One of the paper's patterns finds it.
    Elsewhere,
    CheckAndWord,
    Form,
    Check,
    Word,
}

/// What joins the groups of a number.
#[derive(Clone, Debug)]
pub(super) enum Signs {
    /// These, with their places; `_` is any one, and the same everywhere.
    These(List<(usize, u8)>),
    /// Any or none.
    Any,
    /// Groups of four and more, of which the last may have three.
    Groups,
}

/// One form.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// The kind of numbers that has it.
    pub(super) row: usize,
    pub(super) need: Need,
    pub(super) signs: Signs,
    /// The places that may have letters, and those that may have digits.
    pub(super) letters: u64,
    pub(super) digits: u64,
    /// What each place may have: a bit for each digit and capital letter.
    pub(super) places: List<u64>,
    pub(super) month: Option<usize>,
    pub(super) day: Option<usize>,
}

/// The bit of a digit or a capital letter.
pub(super) const fn bit(char: u8) -> u64 {
    match char {
        b'0'..=b'9' => 1 << (char - b'0'),
        b'A'..=b'Z' => 1 << (char - b'A' + 10),
        _ => 0,
    }
}

/// One check.
#[derive(Debug)]
#[cfg_attr(
    not(made),
    derive(serde::Deserialize),
    serde(tag = "is", rename_all = "snake_case", deny_unknown_fields)
)]
pub(super) enum Check {
    /// Luhn's, ISO 7812-1, in any base; in base ten a letter is two digits, of which `A` has the first value. Where it is
    /// `plain`, the last digit is the sum of the others, and not what lacks to a multiple of the base.
    Luhn {
        from: Option<usize>,
        before: Option<Text>,
        base: Option<u32>,
        first: Option<u32>,
        plain: Option<bool>,
    },
    Verhoeff,
    /// ISO 7064, with the first four characters behind the others.
    Mod97,
    /// ISO 7064, hybrid.
    Mod11 {
        from: Option<usize>,
    },
    /// Four numbers of a byte with dots between them, of an address on the internet.
    Octets,
    /// The sum of weighted characters; `A` has the first value, or each letter has one of the values. Where the sum shows a
    /// blank, that of the second weights counts.
    Weights {
        weights: List<u32>,
        second: Option<List<u32>>,
        from: Option<usize>,
        at: Option<usize>,
        plus: Option<u32>,
        first: Option<u32>,
        values: Option<Text>,
        shows: Shows,
    },
    /// The value of digits; a leading letter is the digit of its place in `leads`.
    Number {
        before: Option<Text>,
        leads: Option<Text>,
        shows: Shows,
    },
}

/// What a sum shows.
#[derive(Debug)]
#[cfg_attr(not(made), derive(serde::Deserialize), serde(rename_all = "snake_case"))]
pub(super) enum Shows {
    /// A check character for each remainder; a blank where no number is issued.
    Character(Text),
    /// By a modulus, a remainder of all.
    Rest(u32, u32),
    /// Two check digits by a modulus.
    Pair(u32),
}

/// Addresses of wallets that begin alike.
#[derive(Debug)]
#[cfg_attr(not(made), derive(Default, serde::Deserialize), serde(default))]
pub(super) struct Wallet {
    pub(super) name: Text,
    pub(super) begins: List<Text>,
    pub(super) lengths: [usize; 2],
    pub(super) sum: Option<Sum>,
    pub(super) words: ContextWords,
}

/// How the address of a wallet is checked.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(made), derive(serde::Deserialize), serde(rename_all = "snake_case"))]
pub(super) enum Sum {
    Base58,
    Bech32,
}

/// The postal addresses of a country.
#[derive(Debug)]
#[cfg_attr(not(made), derive(Default, serde::Deserialize), serde(default))]
pub(super) struct Address {
    #[cfg_attr(all(made, not(test)), expect(dead_code, reason = "tests tell rows by it"))]
    pub(super) country: Text,
    #[cfg_attr(not(made), serde(skip))]
    pub(super) codes: List<Way>,
    pub(super) streets: List<Text>,
    /// Whether a word for a street may be the end of a longer word.
    pub(super) suffix: bool,
    /// Whether a name of a place stands behind the postcode.
    pub(super) city_behind: bool,
}
