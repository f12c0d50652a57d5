//! Personal data: telephone numbers, accounts, cards and the numbers that states give people.
//!
//! A number alone proves little. It counts when its form is rare, or when its check digits fit, or
//! when a word of its language announces it; a check that fails is overruled by such a word, and
//! never the other way round. Lines that hold many long numbers are tables and are left alone.

mod account;
mod national;
mod phone;

use std::cell::OnceCell;
use std::ops::Range;

use fearless_simd::{Level, dispatch};

use super::marks::{GROUP, Marks};
use super::work;

/// One personal number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) name: &'static str,
    pub(super) span: Range<usize>,
}

/// A word that may be a number, or words that one byte each joins.
struct Number<'a> {
    text: &'a str,
    marks: &'a Marks,
    /// The number with its separators.
    span: Range<usize>,
    /// Where in the number its separators stand, and which they are.
    seps: &'a [(usize, u8)],
    form: Form,
    /// The letters and digits of this number and perhaps of what follows, in capitals.
    compact: &'a OnceCell<Short>,
    near: OnceCell<Near<'a>>,
}

impl Number<'_> {
    fn raw(&self) -> &str {
        self.text.get(self.span.clone()).unwrap_or_default()
    }

    /// How many letters and digits it has.
    const fn len(&self) -> usize {
        self.form.len()
    }

    fn all_digits(&self) -> bool {
        self.form.all_digits()
    }

    fn separated(&self) -> bool {
        !self.seps.is_empty()
    }

    /// Its letters and digits, in capitals.
    fn compact(&self) -> &[u8] {
        let all = self.compact.get_or_init(|| {
            let raw = self.raw().bytes().filter(u8::is_ascii_alphanumeric);
            Short::of(raw.map(|byte| byte.to_ascii_uppercase()))
        });
        all.get(..self.len()).unwrap_or_default()
    }

    /// Tells whether one of the words stands shortly before the number (or right after it).
    fn announced(&self, words: &[&str]) -> bool {
        let near = self.near.get_or_init(|| Near::of(self.text, self.marks, &self.span));
        near.has(words)
    }
}

/// Which characters of a number are letters and which are digits, without what joins them: a bit for
/// each that is set for digits, the first one lowest, and a one above them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Form(u64);

impl Form {
    /// The form that is written as `A` for letters and `9` for digits.
    const fn of(written: &str) -> Self {
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
    const fn len(self) -> usize {
        self.0.ilog2() as usize
    }

    const fn all_digits(self) -> bool {
        self.0 & (self.0 + 1) == 0
    }

    /// Tells whether it begins with two letters and two digits.
    const fn has_country(self) -> bool {
        self.0 & 0b1111 == 0b1100
    }
}

/// A few bytes.
#[derive(Clone, Debug)]
struct Short {
    bytes: [u8; Self::LEN_MAX],
    len: usize,
}

impl Short {
    /// No number has more letters and digits.
    const LEN_MAX: usize = 36;

    /// Collects bytes; those that are too many are left out.
    fn of(all: impl Iterator<Item = u8>) -> Self {
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

/// The text near a number, and where words begin in it.
enum Near<'a> {
    /// No letter.
    Silent,
    /// Of ASCII alone: what stands before and after, with a bit for each place where a word begins,
    /// and the letters that words begin with.
    Plain([(&'a [u8], u64); 2], u32),
    /// In small letters.
    Other(String, Vec<usize>),
}

impl<'a> Near<'a> {
    const BACK: usize = 60;
    const AHEAD: usize = 24;

    fn of(text: &'a str, marks: &Marks, span: &Range<usize>) -> Self {
        work::spend(Self::BACK + Self::AHEAD);
        let (from, to) = (span.start.saturating_sub(Self::BACK), span.end + Self::AHEAD);
        let letters = |from, to| marks.alnum.from(from) & !marks.digit.from(from) & low(to - from);
        let letters = [letters(from, span.start), letters(span.end, to)];
        if letters == [0; 2] && marks.foreign.is_empty() {
            return Self::Silent;
        }
        let (from, to) = (floor(text, from), floor(text, to));
        let part = |from, to| text.get(from..to).unwrap_or_default();
        let (before, after) = (part(from, span.start), part(span.end, to));
        if before.is_ascii() && after.is_ascii() {
            let [first, second] = letters.map(|letters| letters & !(letters << 1));
            let parts = [(before.as_bytes(), first), (after.as_bytes(), second)];
            let words = parts.iter().flat_map(|(part, starts)| {
                ones(*starts).map(|at| first_letter(part.get(at..).unwrap_or_default()))
            });
            return Self::Plain(parts, words.fold(0, |all, letter| all | letter));
        }
        let text = before.to_lowercase() + "\n" + &after.to_lowercase();
        let (mut starts, mut inside) = (Vec::new(), false);
        for (at, char) in text.char_indices() {
            let latin = char.is_ascii_alphabetic();
            if !inside && (latin || !char.is_ascii()) {
                starts.push(at);
            }
            inside = latin;
        }
        Self::Other(text, starts)
    }

    /// Tells whether there is one of the words that does not go on in Latin letters on either side.
    fn has(&self, words: &[&str]) -> bool {
        if matches!(self, Self::Silent) {
            return false;
        }
        let is_at = |text: &[u8], start: usize, word: &str| {
            let rest = text.get(start..).unwrap_or_default();
            rest.split_at_checked(word.len()).is_some_and(|(said, rest)| {
                let goes_on = word.len() < 5 && rest.first().is_some_and(u8::is_ascii_alphabetic);
                !goes_on && said.eq_ignore_ascii_case(word.as_bytes())
            })
        };
        words.iter().any(|word| match self {
            Self::Silent => false,
            Self::Plain(parts, letters) => {
                letters & first_letter(word.as_bytes()) != 0
                    && parts
                        .iter()
                        .any(|(text, starts)| ones(*starts).any(|at| is_at(text, at, word)))
            }
            Self::Other(text, starts) => starts.iter().any(|at| is_at(text.as_bytes(), *at, word)),
        })
    }
}

/// A bit for the letter that a word begins with, in any case.
fn first_letter(word: &[u8]) -> u32 {
    word.first().map_or(0, |byte| 1 << (byte & 31))
}

/// The last character boundary at or before a position.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// The lowest bits, so many of them.
#[inline(always)]
const fn low(len: usize) -> u64 {
    if len < GROUP { (1 << len) - 1 } else { u64::MAX }
}

/// The places of the bits that are set.
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.saturating_sub(1);
        first
    })
}

/// Letters, digits, and single bytes between them.
#[inline(always)]
fn joined(alnum: u64) -> u64 {
    alnum | alnum << 1 & alnum >> 1
}

/// Where a number has digits enough, if it has its first here: as far as letters, digits and single
/// bytes between them go, but not further than `NEAR`.
#[inline(always)]
fn near(alnum: u64) -> u64 {
    low((joined(alnum).trailing_ones() as usize).min(NEAR))
}

/// Finds personal numbers where digits are dense.
pub(super) fn find(text: &str, marks: &Marks, dense: &[Range<usize>], each: impl FnMut(Hit)) {
    dispatch!(Level::new(), _simd => find_in(text, marks, dense, each));
}

#[inline(always)]
fn find_in(text: &str, marks: &Marks, dense: &[Range<usize>], each: impl FnMut(Hit)) {
    /// So much is looked at before and after what is judged.
    const BEFORE: usize = 8;
    const AFTER: usize = 12;
    let bytes = text.as_bytes();
    let mut line = Line::new(text, marks, dense, each);
    let mut at = 0;
    // Any number begins where digits are dense.
    for dense in dense {
        at = dense.start.max(at);
        while at < dense.end {
            work::spend(1);
            let base = at.saturating_sub(BEFORE);
            let mut found = look(marks, base) & low(GROUP - AFTER) & u64::MAX << (at - base);
            at = base + GROUP - AFTER;
            while found != 0 {
                let place = base + found.trailing_zeros() as usize;
                let (alnum, digit) = (marks.alnum.window(place), marks.digit.window(place));
                let mut next = place + alnum.trailing_ones() as usize;
                // Most digits are in words that are too short and too far from others.
                let digits = (digit & near(alnum)).count_ones();
                if digits >= DIGITS_MIN || is_signed(bytes, place) {
                    next = line.visit(place, digit).max(next);
                }
                at = at.max(next);
                found &= u64::MAX.checked_shl((next - base) as u32).unwrap_or(0);
            }
        }
    }
    line.close();
}

/// Tells whether a sign stands before a place that only numbers of telephones have.
#[inline(always)]
fn is_signed(bytes: &[u8], place: usize) -> bool {
    matches!(byte_before(bytes, place), Some(b'(' | b'+'))
}

/// The digits that have seven letters and digits or more beside them, with no more than one byte
/// between any two, or digits behind them and perhaps a plus sign before, with no more than two,
/// and those that lie as in `(ddd) ddd-dddd`.
#[inline(always)]
fn look(marks: &Marks, at: usize) -> u64 {
    let digit = marks.digit.window(at);
    if digit == 0 {
        return 0;
    }
    let alnum = marks.alnum.window(at);
    let starts = eight(joined(alnum));
    let two = starts | starts << 1;
    let four = two | two << 2;
    let beside = four | four << 4;
    let sign = marks.token.window(at) & !alnum;
    let behind = eight(digit | digit << 1 | digit << 2) & sign << 1;
    let three = digit & digit >> 1 & digit >> 2;
    let bracketed = three & three >> 5 & three >> 9 & digit >> 12 & !(digit >> 3 | digit >> 4);
    // The next digit of a number is never far.
    let pair = digit >> 1 | digit >> 2;
    let next = pair | pair >> 2 | pair >> 4;
    digit & next & (beside | behind | bracketed)
}

/// Where eight bits or more are set in a row.
#[inline(always)]
fn eight(bits: u64) -> u64 {
    let two = bits & bits >> 1;
    let four = two & two >> 2;
    four & four >> 4
}

/// A number of a telephone that begins with a sign.
fn signed(text: &str, sign: usize) -> Option<Hit> {
    let bytes = text.as_bytes();
    match bytes.get(sign)? {
        b'(' => Some(Hit { name: "phone", span: phone::bracketed(bytes, sign)? }),
        b'+' => phone::international(text, sign, byte_before(bytes, sign)),
        _ => None,
    }
}

/// The byte before a position.
#[inline(always)]
fn byte_before(bytes: &[u8], at: usize) -> Option<u8> {
    at.checked_sub(1).and_then(|at| bytes.get(at)).copied()
}

/// A line in which there may be numbers.
struct Line<'a, F> {
    text: &'a str,
    marks: &'a Marks,
    /// Where digits are dense, from the line on.
    dense: &'a [Range<usize>],
    range: Range<usize>,
    /// How far it was looked at, and what is known of it so far.
    seen: usize,
    table: Table,
    hits: Vec<Hit>,
    each: F,
    /// Where the last number ends, or the last word that may have begun one.
    floor: usize,
    /// How many words may have begun one.
    tried: usize,
}

impl<'a, F: FnMut(Hit)> Line<'a, F> {
    /// A line is not read further than this to either side of where digits are dense.
    const FAR: usize = 400;

    fn new(text: &'a str, marks: &'a Marks, dense: &'a [Range<usize>], each: F) -> Self {
        let (range, table, hits) = (0..0, Table::default(), Vec::new());
        Self { text, marks, dense, range, seen: 0, table, hits, each, floor: 0, tried: 0 }
    }

    /// Looks for a number whose first digit, or one of its first, stands at a place, and tells how far
    /// nothing more is to be looked for. The digits from there on are known.
    #[inline(always)]
    fn visit(&mut self, place: usize, digit: u64) -> usize {
        /// A table is looked for after so many words.
        const OFTEN: usize = 16;
        // The word that the digit stands in.
        let start = place - self.marks.alnum.run_back(place, self.floor);
        let hit = self.number(start, place, digit);
        self.tried += 1;
        if self.tried.is_multiple_of(OFTEN) || hit.is_some() {
            self.reach(start);
        }
        self.floor = match hit {
            Some(hit) => self.add(hit),
            None => place + self.marks.alnum.run_to(place, self.text.len()),
        };
        if self.table.is_over() { self.floor.max(self.range.end) } else { self.floor }
    }

    /// The number in whose first word with a digit one stands at a place. The word and the digits from
    /// there on are known.
    #[inline(always)]
    fn number(&mut self, start: usize, place: usize, digit: u64) -> Option<Hit> {
        let bytes = self.text.as_bytes();
        let before = byte_before(bytes, start);
        if matches!(before, Some(b'(' | b'+'))
            && let Some(hit) = signed(self.text, start - 1)
        {
            return Some(hit);
        }
        // Six digits, letters and single bytes between digits follow each other, as they do in most
        // numbers from the first digit on.
        let dense = joined(digit).trailing_ones() >= 6;
        // A letter or two in front may belong to the number: `AB 12 34 56 C`.
        if matches!(before, Some(b' ' | b'-' | b'.' | b'/')) && start > self.floor {
            let floor = self.floor.max((start - 1).saturating_sub(3));
            let letters = self.marks.alnum.run_back(start - 1, floor);
            if matches!(letters, 1 | 2)
                && (dense || letters + place - start == 2)
                && let Some(hit) = self.number_from(start - 1 - letters, start)
            {
                return Some(hit);
            }
        }
        // What has fewer digits begins like `GB29`, `AAAAA9999A` or `1EG4`.
        let lettered = match place - start {
            0 => digit & 2 == 0,
            letters => matches!(letters, 2 | 5),
        };
        if dense || lettered { self.number_from(start, start) } else { None }
    }

    /// The number that begins at a position, if the line is no table as far as a word.
    #[inline(always)]
    fn number_from(&mut self, start: usize, word: usize) -> Option<Hit> {
        let readings = Readings::of(self.text.as_bytes(), self.marks, start)?;
        self.reach(word);
        if self.table.is_over() { None } else { readings.name(self.text, self.marks) }
    }

    /// Looks at the line as far as a place, which may be in a later line than the last.
    #[inline(never)]
    fn reach(&mut self, place: usize) {
        if place >= self.range.end {
            self.close();
            while let [dense, rest @ ..] = self.dense
                && dense.end <= place
            {
                self.dense = rest;
            }
            let dense = self.dense.first().cloned().unwrap_or(place..place);
            let feed = &self.marks.feed;
            let from = dense.start.saturating_sub(Self::FAR).max(self.range.end);
            let start = feed.last(from, place).map_or(from, |at| at + 1);
            let to = (dense.end + Self::FAR).min(self.text.len());
            self.range = start..feed.next(place, to).unwrap_or(to);
            self.seen = start;
            self.table = Table::default();
        }
        self.see(place);
        self.table.follow();
    }

    /// Looks at the words that have digits, until they make a table.
    fn see(&mut self, end: usize) {
        work::spend(end.saturating_sub(self.seen));
        while let Some(digit) = self.marks.digit.next(self.seen, end) {
            self.table.follow();
            if self.table.is_over() {
                return;
            }
            let start = digit - self.marks.alnum.run_back(digit, self.seen);
            self.seen = self.word(start);
        }
    }

    /// Adds a word to the table, and tells where it ends.
    fn word(&mut self, start: usize) -> usize {
        let word = start..start + self.marks.alnum.run_to(start, self.range.end);
        self.table.add(self.text.as_bytes(), self.marks, &word);
        word.end
    }

    /// Adds a number, and tells where it ends.
    fn add(&mut self, hit: Hit) -> usize {
        // Of a number, the first word is one of the line's, if it has digits.
        let start = hit.span.start;
        if self.marks.digit.next(start, start + self.marks.alnum.run(start)).is_some() {
            self.word(start);
        }
        self.table.long += usize::from(hit.name == phone::INTERNATIONAL);
        self.seen = hit.span.end;
        self.hits.push(hit);
        self.seen
    }

    /// Tells the numbers of the line if it is no table.
    fn close(&mut self) {
        if !self.hits.is_empty() {
            self.see(self.range.end);
            let table = self.table.is_over();
            self.hits.drain(..).filter(|_| !table).for_each(&mut self.each);
        }
    }
}

/// What tells a table: how many words of a line are long numbers, and how many may be any.
#[derive(Default)]
struct Table {
    long: usize,
    any: usize,
    /// Whether more words follow than a line has that is none.
    over: bool,
}

impl Table {
    /// More long numbers than this make a table.
    const LONG_MAX: usize = 6;
    /// More candidates make a table, however long the line is.
    const ANY_MAX: usize = 64;

    /// Adds a word that has digits.
    fn add(&mut self, bytes: &[u8], marks: &Marks, word: &Range<usize>) {
        let long = word.len() >= 8 && marks.digit.run_to(word.start, word.end) == word.len();
        let glued = byte_before(bytes, word.start).is_some_and(is_glue);
        self.long += usize::from(long);
        self.any += usize::from(!glued && word.len() >= 3);
    }

    /// Says that one more word follows.
    const fn follow(&mut self) {
        self.over |= self.any > Self::ANY_MAX;
    }

    const fn is_over(&self) -> bool {
        self.over || self.long > Self::LONG_MAX
    }
}

/// What is glued to other characters is a part of something else.
#[inline(always)]
fn is_glue(byte: u8) -> bool {
    matches!(byte, b'_' | b'$' | b'#' | b'@' | b'\\' | b'|')
}

/// Any number has so many digits where it begins.
const DIGITS_MIN: u32 = 4;
/// So near to its first character.
const NEAR: usize = 20;
/// The shortest number, with its separators.
const LEN_MIN: usize = 8;

/// Where the numbers may be over that begin at one place.
struct Readings {
    start: usize,
    /// Letters and digits from there on.
    alnum: u64,
    /// What all of them are.
    form: Form,
    /// The last characters of what may be a number by its form.
    ends: u64,
    /// Whether a byte stands before that a number of a state or a telephone never follows.
    joined: bool,
}

impl Readings {
    /// No number has more groups.
    const GROUPS_MAX: usize = 10;
    /// No number but an account has more letters and digits.
    const LEN_MAX: usize = 19;

    /// Looks at the forms of what begins at a place, if any number may.
    #[inline(always)]
    fn of(bytes: &[u8], marks: &Marks, start: usize) -> Option<Self> {
        let (alnum, digit) = (marks.alnum.window(start), marks.digit.window(start));
        let near = near(alnum);
        let least = DIGITS_MIN + (digit & 1) as u32;
        if near <= low(LEN_MIN - 1) || (digit & near).count_ones() < least {
            return None;
        }
        let account = account::len(bytes.get(start..).unwrap_or_default(), alnum);
        if !may_begin(alnum, digit, account) {
            return None;
        }
        let before = byte_before(bytes, start);
        if before.is_some_and(is_glue) || is_other(bytes, start, alnum, digit, before) {
            return None;
        }
        let mut readings = Self {
            start,
            alnum,
            form: Form(1),
            ends: 0,
            joined: matches!(before, Some(b'.' | b'-' | b'/')),
        };
        let byte = |at: usize| bytes.get(start + at).copied().unwrap_or(b'\n');
        let (mut digits, mut len, mut at) = (0, 0, 0);
        for _ in 0..Self::GROUPS_MAX {
            let group = (alnum >> at).trailing_ones() as usize;
            digits |= (digit >> at & low(group)) << len;
            (len, at) = (len + group, at + group);
            if group == 0 || len > Self::LEN_MAX.max(account + 1) {
                break;
            }
            readings.form = Form(digits | 1 << len);
            let (sep, next) = (byte(at), byte(at + 1));
            let glued = matches!(sep, b'_' | b'@')
                || matches!(sep, b'.' | b'-') && next.is_ascii_alphanumeric();
            if !glued && may_be_named(readings.form, at, account) {
                readings.ends |= 1 << (at - 1);
            }
            let joins = matches!(sep, b' ' | b'-' | b'.' | b'/') && next.is_ascii_alphanumeric()
                || sep == b':' && group == 4 && next.is_ascii_digit();
            if !joins || at >= 47 {
                break;
            }
            at += 1;
        }
        (readings.ends != 0).then_some(readings)
    }

    /// The number of the longest reading that is one.
    #[inline(never)]
    fn name(&self, text: &str, marks: &Marks) -> Option<Hit> {
        let compact = OnceCell::new();
        let mut ends = self.ends;
        let longest = GROUP - ends.leading_zeros() as usize;
        let mut seps = [(0, 0); Self::GROUPS_MAX];
        for (slot, at) in seps.iter_mut().zip(ones(!self.alnum & low(longest))) {
            *slot = (at, text.as_bytes().get(self.start + at).copied().unwrap_or(0));
        }
        while ends != 0 {
            let len = GROUP - ends.leading_zeros() as usize;
            ends &= low(len - 1);
            work::spend(len);
            let groups = (!self.alnum & low(len)).count_ones() as usize;
            let number = Number {
                text,
                marks,
                span: self.start..self.start + len,
                seps: seps.get(..groups)?,
                form: Form(self.form.0 & low(len - groups) | 1 << (len - groups)),
                compact: &compact,
                near: OnceCell::new(),
            };
            let name = account::name(&number).or_else(|| {
                // A part of something longer is no number of a state and no telephone's.
                let whole = !self.joined;
                whole.then(|| national::name(&number).or_else(|| phone::national(&number)))?
            });
            if let Some(name) = name {
                return Some(Hit { name, span: number.span });
            }
        }
        None
    }
}

/// Tells of the first group, of which much is known, whether it begins something else: letters are
/// capitals, a fraction is none, and what stands between commas or brackets is an item of a table.
#[inline(always)]
fn is_other(bytes: &[u8], start: usize, alnum: u64, digit: u64, before: Option<u8>) -> bool {
    let byte = |at: usize| bytes.get(start + at).copied().filter(|byte| *byte != b'\n');
    let len = (alnum.trailing_ones() as usize).min(NEAR);
    let next = byte(len).filter(|_| len < NEAR).unwrap_or(b' ');
    if digit.trailing_ones() as usize >= len {
        let item = matches!(next, b',' | b')' | b']' | b';' | b'}')
            && matches!(before, Some(b'(' | b'[' | b'{' | b',' | b' ' | b'\t'));
        if item || len > 19 || len == 1 && byte(0) == Some(b'0') {
            return true;
        }
    } else {
        let group = bytes.get(start..start + len).unwrap_or_default();
        let mut small = group.iter().filter(|byte| byte.is_ascii_lowercase());
        if small.nth(1).is_some() && (len != 9 || small.count() != 1) {
            return true;
        }
    }
    // Two groups with a dot between them are a fraction.
    let second = len + 1 + (alnum >> (len + 1)).trailing_ones() as usize;
    next == b'.' && second < NEAR && byte(second).is_some_and(|byte| byte != b'.')
}

/// Tells whether any number begins as these letters and digits do.
#[inline(always)]
fn may_begin(mut alnum: u64, mut digit: u64, account: usize) -> bool {
    /// As many are asked about as all numbers with letters have.
    const HEAD: usize = 8;
    // What joins the groups is left out.
    loop {
        let len = (alnum.trailing_ones() as usize).min(HEAD);
        let head = Form(digit & low(len) | 1 << len);
        if len == HEAD {
            let country = head.has_country() && account > 0;
            return country || head.all_digits() || national::may_begin(head);
        }
        let rest = !low(len);
        (alnum, digit) = (alnum & !rest | alnum >> 1 & rest, digit & !rest | digit >> 1 & rest);
        if alnum >> len & 1 == 0 {
            return head.all_digits() && len == 7;
        }
    }
}

/// Tells whether any number has a form, and is so long with its separators, where an account would
/// have so many letters and digits.
#[inline(always)]
fn may_be_named(form: Form, len: usize, account: usize) -> bool {
    let digits = form.len();
    if form.all_digits() {
        // Short ones are told by their separators.
        return (7..=19).contains(&digits) && (digits >= 9 || len > digits) && len >= LEN_MIN;
    }
    len >= LEN_MIN && (account::is_form(form, account) || national::is_form(form))
}

#[cfg(test)]
mod tests {
    use super::super::marks::Marks;
    use super::*;

    fn found(text: &str) -> Vec<&'static str> {
        let mut names = Vec::new();
        let marks = Marks::of(text.as_bytes());
        find(text, &marks, &marks.dense(), |hit| names.push(hit.name));
        names
    }

    #[test]
    fn numbers_of_many_countries_are_named() {
        // Published examples: each state's or standard's own.
        for (text, name) in [
            ("GB29 NWBK 6016 1331 9268 19", "iban"),
            ("DE89370400440532013000", "iban"),
            ("4111 1111 1111 1111", "credit_card"),
            ("378282246310005", "credit_card"),
            ("+44 20 7946 0958", "phone_international"),
            ("+905321234567", "phone_international"),
            ("(415) 555-0132", "phone"),
            ("44051401458", "national_id_pl"),
            ("131052-308T", "national_id_fi"),
            ("S1234567D", "national_id_sg"),
            ("12345678Z", "national_id_es"),
            ("960121-1021413", "national_id_kr"),
            ("19121212-1212", "national_id_se"),
            ("AB 12 34 56 C", "national_id_uk"),
            ("10000000146", "national_id_tr"),
            ("529.982.247-25", "national_id_br"),
            ("11010519491231002X", "national_id_cn"),
            ("RSSMRA85T10A562S", "national_id_it"),
            ("756.9217.0769.85", "national_id_ch"),
        ] {
            assert_eq!(found(text), [name], "{text}");
        }
    }

    #[test]
    fn numbers_are_found_wherever_a_group_of_marks_begins() {
        for text in ["+1 (415) 555-0132", "(415) 555-0132", "GB29 NWBK 6016 1331 9268 19"] {
            for before in 0..130 {
                assert_eq!(found(&(" ".repeat(before) + text)).len(), 1, "{before} {text}");
            }
        }
    }

    #[test]
    fn lines_of_many_long_numbers_are_tables() {
        let found = |others: usize, short: usize| {
            found(
                &("44051401458 ".to_owned() + &"98765432 ".repeat(others) + &"a12 ".repeat(short)),
            )
        };
        assert_eq!(found(5, 0), ["national_id_pl"]);
        assert_eq!(found(6, 0), Vec::<&str>::new());
        // The number and sixty-four words make a list once another word follows.
        assert_eq!(found(0, 64), ["national_id_pl"]);
        assert_eq!(found(0, 65), Vec::<&str>::new());
    }

    #[test]
    fn a_line_is_one_table_however_far_its_numbers_stand_apart() {
        for (others, names) in [(5, 1), (6, 0)] {
            let text = ["98765432 ".repeat(others), "word ".repeat(40), "44051401458".to_owned()];
            assert_eq!(found(&text.concat()).len(), names);
        }
        // What stands before a number is seen where digits begin to be dense, too.
        let far = "word ".repeat(40);
        assert_eq!(found(&format!("12345678 {far}.+44 20 7946 0958")), Vec::<&str>::new());
    }

    #[test]
    fn forms_are_told_by_bits() {
        let form = Form::of("AA99A");
        assert_eq!((form.0, form.len()), (0b10_1100, 5));
        assert!(form.has_country() && !form.all_digits() && Form::of("9999").all_digits());
        // Without what joins the groups, these begin as `AA999999A` and as no form does.
        let marks = |text: &str| Marks::of(text.as_bytes());
        let begins = |text| may_begin(marks(text).alnum.from(0), marks(text).digit.from(0), 0);
        assert!(begins("AB 12 34 56 C") && begins("123-4567") && !begins("1a2b3c4d"));
    }

    #[test]
    fn ordinary_numbers_are_not() {
        for text in [
            "1700000000000",
            "2026-11-21T10:00:00+01:00",
            "version 1.2.3-4567",
            "0x12345678",
            "v12345678",
            "10.0.0.1:8080",
            "550e8400-e29b-41d4-a716-446655440000",
            "4000000000",
            "x = 123456789 + 987654321",
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }
}
