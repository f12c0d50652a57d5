//! Secrets that are recognised by what stands before them: `password = "…"`, `IDENTIFIED BY '…'`,
//! `scheme://user:password@host`, and the blocks of private keys.
//!
//! A value counts when it is neither a word nor a dummy nor code.

mod address;
mod assigned;
mod bare;
mod basic;
mod between;
mod call;
mod column;
mod command;
mod cookie;
mod entries;
mod filled;
mod insert;
mod judge;
mod jwk;
mod key_block;
mod lead;
mod list;
mod literal;
mod name;
mod nearby;
mod pair;
mod place;
mod quote;
mod row;
mod shape;
mod spot;
mod statement;

use std::ops::Range;
use std::sync::LazyLock;

use memchr::{memchr, memrchr};
use regex::bytes::{Match, Regex};

pub(super) use self::address::password as password_of_address;
pub(super) use self::judge::{Stand, is_password};
pub(super) use self::jwk::jwk;
pub(super) use self::key_block::key_blocks;
use self::name::is_other_word;
use super::keywords::{Keyword, KeywordHit};
use super::pii;

/// One value that was recognised by its surroundings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ValueHit {
    pub(super) family: &'static str,
    pub(super) name: &'static str,
    pub(super) span: Range<usize>,
}

/// Where values go, and which places are taken already.
pub(super) trait Claimed {
    /// Tells whether nothing of a span is taken.
    fn is_free(&self, span: &Range<usize>) -> bool;
    /// Takes the place of a value.
    fn claim(&mut self, hit: ValueHit);
    /// Keeps a literal that is assigned to a word for passwords, or its parts: a secret within them is a part of all.
    fn hold(&mut self, parts: Vec<Range<usize>>);
}

/// How something is written that stands behind a word.
type Notation = LazyLock<Option<Regex>>;

/// The code of a bank behind a sign: `BIC: …`.
static BANK: Notation = LazyLock::new(|| {
    Regex::new(r#"^[A-Za-z _/"'\\\]-]{0,15}[:=][:=> "'\\]{0,7}([A-Z0-9]+)(?:[^A-Za-z0-9_-]|$)"#)
        .ok()
});

/// Finds the values after the words of a text.
pub(super) fn find(text: &[u8], keywords: &[KeywordHit], claims: &mut impl Claimed) {
    // Up to here the text is tables and cookies.
    let (mut tables, mut cookies) = (0, 0..0);
    let mut lists = insert::Reading::default();
    let (mut maps, mut statements) = (Reading::default(), Reading::default());
    for said in keywords.iter().copied() {
        let KeywordHit { word, start, end } = said;
        if is_other_word(text, said) {
            continue;
        }
        if word == Keyword::Cookie {
            cookie::find(text, said, &mut cookies, claims);
            continue;
        }
        let option = || command::option(text, said);
        let hit = match word {
            Keyword::Url => address::credentials(text, start, end),
            Keyword::Tcp => address::before_tcp(text, start),
            Keyword::Oracle => address::oracle(text, end),
            Keyword::Port => address::pgpass(text, start),
            Keyword::User => command::user(text, end),
            Keyword::Share => command::share(text, start),
            Keyword::Basic => basic::credentials(text, end),
            Keyword::Call => call::password(text, end),
            Keyword::Constant => call::constant(text, end),
            Keyword::AwsId => call::behind_aws_id(text, start),
            Keyword::Login | Keyword::Redis => option(),
            Keyword::Cookie | Keyword::Dummy | Keyword::Signing => None,
            Keyword::Pair => pair::password(text, said).or_else(|| call::login(text, start, end)),
            Keyword::Bank => bank(text, start, end),
            Keyword::Command => option().or_else(|| call::password(text, end)),
            _ => option()
                .or_else(|| assigned::value(text, said, claims))
                .or_else(|| pair::password(text, said))
                .or_else(|| basic::auth(text, start))
                .or_else(|| {
                    call::password(text, end)
                        .filter(|_| near(text, start, 4).eq_ignore_ascii_case(b"auth"))
                }),
        };
        if let Some(hit) = hit {
            claims.claim(hit);
        } else if let Some(hit) = column::beside(text, said) {
            claims.claim(hit);
        } else if matches!(
            word,
            Keyword::Password | Keyword::ShortPassword | Keyword::Secret | Keyword::Key
        ) {
            column::find(text, start, &mut tables, claims);
            insert::find(text, start, &mut lists, claims);
        }
        list::find(text, said, &mut maps, claims);
        nearby::find(text, said, &mut statements, claims);
    }
}

/// How far a text was read behind words, and how often. What is read may have a word in it that is read from, too.
#[derive(Default)]
struct Reading {
    end: usize,
    times: usize,
}

impl Reading {
    /// Tells whether what stands behind a place was read as often as any byte is.
    fn is_done(&self, place: usize) -> bool {
        const TIMES_MAX: usize = 6;
        place < self.end && self.times >= TIMES_MAX
    }

    /// Notes that the text was read from one place to another.
    fn goes(&mut self, from: usize, to: usize) {
        self.times = if from < self.end { self.times + 1 } else { 1 };
        self.end = self.end.max(to);
    }
}

/// The text from a position on, up to some length.
fn near(text: &[u8], from: usize, len: usize) -> &[u8] {
    text.get(from..from + len).or_else(|| text.get(from..)).unwrap_or_default()
}

/// So much of a line is looked at on either side of a place.
const LINE_REACH: usize = 200;

/// The text before a position, in which the name of a user may stand.
fn near_before(text: &[u8], at: usize) -> &[u8] {
    text.get(at.saturating_sub(LINE_REACH)..at).unwrap_or_default()
}

/// The line around a position, as far as it is near.
fn line_around(text: &[u8], at: usize) -> Range<usize> {
    let (from, to) = (at.saturating_sub(LINE_REACH), text.len().min(at + LINE_REACH));
    super::work::spend((to - from) / 4);
    let start = memrchr(b'\n', text.get(from..at).unwrap_or_default());
    let end = memchr(b'\n', text.get(at..to).unwrap_or_default());
    start.map_or(from, |start| from + start + 1)..end.map_or(to, |end| at + end)
}

/// Where a match in the text behind a position stands.
fn behind(end: usize, found: &Match<'_>) -> Range<usize> {
    end + found.start()..end + found.end()
}

/// How many consecutive bytes of a text are one of some, from a place on and up to some number.
fn row(text: &[u8], at: usize, most: usize, of: &[u8]) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    rest.iter().take(most).take_while(|byte| of.contains(byte)).count()
}

/// Reads the code of a bank behind a word that is no end of another one.
fn bank(text: &[u8], start: usize, end: usize) -> Option<ValueHit> {
    const REACH: usize = 48;
    let code = BANK.as_ref()?.captures(near(text, end, REACH))?.get(1)?;
    let before = start.checked_sub(1).and_then(|before| text.get(before));
    let fits = !before.is_some_and(u8::is_ascii_alphanumeric) && pii::is_bank(code.as_bytes());
    fits.then(|| ValueHit { family: "pii", name: "bic", span: behind(end, &code) })
}

#[cfg(test)]
mod tests;
