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
    /// How many of its characters are digits.
    digits: usize,
    compact: OnceCell<Short>,
    near: OnceCell<Near<'a>>,
}

impl Number<'_> {
    fn raw(&self) -> &str {
        self.text.get(self.span.clone()).unwrap_or_default()
    }

    /// How many letters and digits it has.
    fn len(&self) -> usize {
        self.span.len() - self.seps.len()
    }

    fn all_digits(&self) -> bool {
        self.len() == self.digits
    }

    fn separated(&self) -> bool {
        !self.seps.is_empty()
    }

    /// Its letters and digits, in capitals.
    fn compact(&self) -> &[u8] {
        self.compact.get_or_init(|| {
            let raw = self.raw().bytes().filter(u8::is_ascii_alphanumeric);
            Short::of(raw.map(|byte| byte.to_ascii_uppercase()))
        })
    }

    /// Tells whether one of the words stands shortly before the number (or right after it).
    fn announced(&self, words: &[&str]) -> bool {
        let near = self.near.get_or_init(|| Near::of(self.text, self.marks, &self.span));
        near.has(words)
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
fn low(len: usize) -> u64 {
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

/// Tells whether so many bits or more are set.
fn has(mut bits: u64, least: usize) -> bool {
    for _ in 1..least {
        bits &= bits.saturating_sub(1);
    }
    bits != 0
}

/// Letters, digits, and single bytes between them.
fn joined(alnum: u64) -> u64 {
    alnum | alnum << 1 & alnum >> 1
}

/// Where a number has digits enough, if it has its first here: as far as letters, digits and single
/// bytes between them go, but not further than `NEAR`.
fn near(alnum: u64) -> u64 {
    low((joined(alnum).trailing_ones() as usize).min(NEAR))
}

/// Finds personal numbers where digits are dense.
pub(super) fn find(text: &str, marks: &Marks, dense: &[Range<usize>], mut each: impl FnMut(Hit)) {
    /// A line is not read further than this to either side.
    const LINE_MAX: usize = 400;
    let mut done = 0;
    let mut ahead = dense;
    while let Some((dense, rest)) = ahead.split_first() {
        // A number may begin before the first dense window and end after the last.
        let from = dense.start.saturating_sub(LINE_MAX).max(done.min(dense.start));
        let from = marks.feed.last(from, dense.start).map_or(from, |at| at + 1);
        let to = (dense.end + LINE_MAX).min(text.len());
        let end = marks.feed.next(dense.end, to).unwrap_or(to);
        let mut places = Places::of(text.as_bytes(), marks, ahead);
        let mut at = from;
        while let Some(place) = places.next(at, end) {
            let start = marks.feed.last(at, place).map_or(at, |feed| feed + 1);
            let end = marks.feed.next(place, end).unwrap_or(end);
            line(text, marks, &mut places, start..end, &mut each);
            at = end + 1;
        }
        done = end;
        ahead = rest;
    }
}

/// The digits that a personal number may begin with, found sixty-four bytes at a time. Most digits
/// are in words that are too short and too far from others.
struct Places<'a> {
    bytes: &'a [u8],
    marks: &'a Marks,
    /// Where digits are dense, as they are where any number begins.
    dense: &'a [Range<usize>],
    /// What was found last, and where it was looked for.
    found: u64,
    window: Range<usize>,
}

impl<'a> Places<'a> {
    /// So much is looked at before and after what is judged.
    const BEFORE: usize = 8;
    const AFTER: usize = 12;

    const fn of(bytes: &'a [u8], marks: &'a Marks, dense: &'a [Range<usize>]) -> Self {
        Self { bytes, marks, dense, found: 0, window: 0..0 }
    }

    /// The first place from a position on, which is never less than before.
    fn next(&mut self, at: usize, end: usize) -> Option<usize> {
        let mut at = at.max(self.window.start);
        while at < end {
            if at >= self.window.end {
                while self.dense.first().is_some_and(|dense| dense.end <= at) {
                    self.dense = self.dense.get(1..).unwrap_or_default();
                }
                at = self.dense.first()?.start.max(at);
                let base = at.saturating_sub(Self::BEFORE);
                self.window = base..base + GROUP - Self::AFTER;
                self.found = self.look(base) & low(self.window.len());
                work::spend(1);
            }
            let found = self.found & u64::MAX << (at - self.window.start);
            if found == 0 {
                at = self.window.end;
                continue;
            }
            let place = self.window.start + found.trailing_zeros() as usize;
            if place >= end {
                return None;
            }
            let alnum = self.marks.alnum.from(place);
            if has(self.marks.digit.from(place) & near(alnum), DIGITS_MIN) || self.is_signed(place)
            {
                return Some(place);
            }
            at = place + alnum.trailing_ones() as usize;
        }
        None
    }

    /// Tells whether a sign stands before a place that only numbers of telephones have.
    fn is_signed(&self, place: usize) -> bool {
        let before = place.checked_sub(1).and_then(|before| self.bytes.get(before));
        matches!(before, Some(b'(' | b'+'))
    }

    /// The digits that have seven letters and digits or more beside them, with no more than one byte
    /// between any two, or digits behind them and perhaps a plus sign before, with no more than two,
    /// and those that lie as in `(ddd) ddd-dddd`.
    fn look(&self, at: usize) -> u64 {
        let digit = self.marks.digit.from(at);
        if digit == 0 {
            return 0;
        }
        let alnum = self.marks.alnum.from(at);
        let starts = eight(joined(alnum));
        let two = starts | starts << 1;
        let four = two | two << 2;
        let beside = four | four << 4;
        let sign = self.marks.token.from(at) & !alnum;
        let behind = eight(digit | digit << 1 | digit << 2) & sign << 1;
        let three = digit & digit >> 1 & digit >> 2;
        let bracketed = three & three >> 5 & three >> 9 & digit >> 12 & !(digit >> 3 | digit >> 4);
        // The next digit of a number is never far.
        let pair = digit >> 1 | digit >> 2;
        let next = pair | pair >> 2 | pair >> 4;
        digit & next & (beside | behind | bracketed)
    }
}

/// Where eight bits or more are set in a row.
fn eight(bits: u64) -> u64 {
    let two = bits & bits >> 1;
    let four = two & two >> 2;
    four & four >> 4
}

/// Looks at the numbers of one line.
fn line(
    text: &str,
    marks: &Marks,
    places: &mut Places<'_>,
    line: Range<usize>,
    each: &mut impl FnMut(Hit),
) {
    work::spend(line.len());
    let alnum = &marks.alnum;
    let bytes = text.as_bytes();
    let before = |at: usize| byte_before(bytes, &line, at);
    let mut hits = Vec::new();
    let mut table = Table::default();
    let mut at = line.start;
    while let Some(digit) = places.next(at, line.end) {
        // A shorter line is told when a number was found in it.
        if line.len() > Table::LEN_MIN {
            table.add_all(bytes, marks, &line, at..digit);
        }
        if table.is_list() || table.is_long() {
            return;
        }
        // The word that the digit stands in.
        let start = digit - alnum.run_back(digit, at);
        let sign = before(start).filter(|_| start > at);
        if sign == Some(b'(')
            && let Some(span) = phone::bracketed(bytes, start - 1)
        {
            at = span.end;
            hits.push(Hit { name: "phone", span });
            continue;
        }
        if sign == Some(b'+')
            && let Some(hit) = phone::international(text, start - 1, before(start - 1))
        {
            at = hit.span.end;
            hits.push(hit);
            continue;
        }
        // A letter or two in front may belong to the number: `AB 12 34 56 C`.
        let letters = sign
            .filter(|sign| b" -./".contains(sign))
            .map_or(0, |_| alnum.run_back(start - 1, at.max((start - 1).saturating_sub(3))));
        let dense = is_dense(marks, digit);
        if matches!(letters, 1 | 2) && (dense || letters + digit - start == 2) {
            let start = start - 1 - letters;
            if let Some(hit) = number(text, marks, start..line.end, before(start)) {
                at = hit.span.end;
                hits.push(hit);
                continue;
            }
        }
        let word = start..start + alnum.run_to(start, line.end);
        table.add(bytes, marks, &line, &word);
        // What has fewer digits begins like `GB29`, `AAAAA9999A` or `1EG4`.
        let lettered = match digit - start {
            0 => marks.digit.from(digit) & 2 == 0,
            letters => matches!(letters, 2 | 5),
        };
        if (dense || lettered)
            && let Some(hit) = number(text, marks, start..line.end, before(start))
        {
            at = hit.span.end;
            hits.push(hit);
            continue;
        }
        at = word.end;
    }
    if !hits.is_empty() && !is_table(bytes, marks, &line, &hits) {
        hits.into_iter().for_each(each);
    }
}

/// Tells whether six digits, letters and single bytes between digits follow each other, as they do
/// in most numbers from the first digit on.
fn is_dense(marks: &Marks, at: usize) -> bool {
    let digit = marks.digit.from(at);
    joined(digit).trailing_ones() >= 6
}

/// The byte before a position of a line.
fn byte_before(bytes: &[u8], line: &Range<usize>, at: usize) -> Option<u8> {
    let before = at.checked_sub(1).filter(|at| *at >= line.start);
    before.and_then(|at| bytes.get(at)).copied()
}

/// What tells a table: how many words of a line are long numbers, and how many may be any.
#[derive(Default)]
struct Table {
    long: usize,
    any: usize,
}

impl Table {
    /// More long numbers than this make a table.
    const LONG_MAX: usize = 6;
    /// More candidates make a table, however long the line is.
    const ANY_MAX: usize = 64;
    /// So many words of three letters do not fit into a shorter line.
    const LEN_MIN: usize = 4 * Self::ANY_MAX;

    /// Adds the words of a stretch of a line that have digits, until there are enough.
    fn add_all(&mut self, bytes: &[u8], marks: &Marks, line: &Range<usize>, part: Range<usize>) {
        let mut at = part.start;
        while let Some(digit) = marks.digit.next(at, part.end)
            && !self.is_list()
        {
            let start = digit - marks.alnum.run_back(digit, at);
            let word = start..start + marks.alnum.run_to(start, line.end);
            self.add(bytes, marks, line, &word);
            at = word.end;
        }
    }

    fn add(&mut self, bytes: &[u8], marks: &Marks, line: &Range<usize>, word: &Range<usize>) {
        let long = word.len() >= 8 && marks.digit.run_to(word.start, word.end) == word.len();
        let glued = byte_before(bytes, line, word.start).is_some_and(is_glue);
        self.long += usize::from(long);
        self.any += usize::from(!glued && word.len() >= 3);
    }

    const fn is_long(&self) -> bool {
        self.long > Self::LONG_MAX
    }

    const fn is_list(&self) -> bool {
        self.any > Self::ANY_MAX
    }
}

/// Tells whether a line in which numbers were found is a table.
fn is_table(bytes: &[u8], marks: &Marks, line: &Range<usize>, hits: &[Hit]) -> bool {
    work::spend(line.len());
    let mut table = Table::default();
    let mut hits = hits.iter().peekable();
    let mut at = line.start;
    while let Some(digit) = marks.digit.next(at, line.end) {
        if table.is_list() {
            return true;
        }
        let start = digit - marks.alnum.run_back(digit, at);
        let word = start..start + marks.alnum.run_to(start, line.end);
        let hit = hits.next_if(|hit| hit.span.start <= digit);
        if hit.is_none_or(|hit| hit.span.start == start) {
            table.add(bytes, marks, line, &word);
        }
        table.long += usize::from(hit.is_some_and(|hit| hit.name == phone::INTERNATIONAL));
        at = hit.map_or(word.end, |hit| hit.span.end);
    }
    table.is_long()
}

/// What is glued to other characters is a part of something else.
fn is_glue(byte: u8) -> bool {
    b"_$#@\\|".contains(&byte)
}

/// Any number has so many digits where it begins.
const DIGITS_MIN: usize = 4;
/// So near to its first character.
const NEAR: usize = 20;

/// Tries the forms of numbers that begin at the start of a range, longest reading first.
fn number(text: &str, marks: &Marks, range: Range<usize>, before: Option<u8>) -> Option<Hit> {
    /// No number has more groups.
    const GROUPS_MAX: usize = 10;
    /// The shortest number, with its separators.
    const LEN_MIN: usize = 8;
    let bytes = text.as_bytes();
    let Range { start, end } = range;
    let within = low(end - start);
    let alnum = marks.alnum.from(start) & within;
    let digit = marks.digit.from(start) & within;
    let near = near(alnum);
    let least = DIGITS_MIN + (digit & 1) as usize;
    if near <= low(LEN_MIN - 1) || !has(digit & near, least) {
        return None;
    }
    if before.is_some_and(is_glue) {
        return None;
    }
    let byte = |at: usize| bytes.get(start + at).copied();
    // Of the first group much is known: letters are capitals, a fraction is none, and what stands
    // between commas or brackets is an item of a table.
    let near = NEAR.min(end - start);
    let len = (alnum.trailing_ones() as usize).min(near);
    let next = byte(len).filter(|_| len < near).unwrap_or(b' ');
    if digit.trailing_ones() as usize >= len {
        let item =
            b",)];}".contains(&next) && before.is_some_and(|byte| b"([{, \t".contains(&byte));
        if item || len > 19 || len == 1 && byte(0) == Some(b'0') {
            return None;
        }
    } else {
        let group = bytes.get(start..start + len)?;
        let small = group.iter().filter(|byte| byte.is_ascii_lowercase()).count();
        if small > 1 && !(small == 3 && len == 9) || group.starts_with(b"0x") {
            return None;
        }
    }
    // Two groups with a dot between them are a fraction.
    if next == b'.' {
        let second = len + 1 + (alnum >> (len + 1)).trailing_ones() as usize;
        if second < near && byte(second) != Some(b'.') {
            return None;
        }
    }
    // Where the number may be over: after each of its groups that nothing is glued to, with its
    // separators and the digits so far.
    let mut ends = [(0, 0, 0); GROUPS_MAX];
    let mut seps = [(0, 0); GROUPS_MAX];
    let (mut count, mut at, mut digits) = (0, 0, 0);
    for (groups, slot) in seps.iter_mut().enumerate() {
        let len = (alnum >> at).trailing_ones() as usize;
        if len == 0 {
            break;
        }
        let group = digit >> at & low(len);
        digits += if group == low(len) { len } else { group.count_ones() as usize };
        at += len;
        let sep = byte(at).unwrap_or(b'\n');
        let next = byte(at + 1).unwrap_or(b'\n');
        let glued = matches!(sep, b'_' | b'@')
            || matches!(sep, b'.' | b'-') && next.is_ascii_alphanumeric();
        if !glued && let Some(end) = ends.get_mut(count) {
            *end = (at, groups, digits);
            count += 1;
        }
        let joins = b" -./".contains(&sep) && next.is_ascii_alphanumeric()
            || sep == b':' && len == 4 && next.is_ascii_digit();
        if !joins || at >= 47 {
            break;
        }
        *slot = (at, sep);
        at += 1;
    }
    let ends = ends.get(..count)?;
    for (len, groups, digits) in ends.iter().rev().copied() {
        work::spend(len);
        let seps = seps.get(..groups)?;
        if len < LEN_MIN || !may_be_named(digit & 1 == 0, len, len - groups, digits) {
            continue;
        }
        let number = Number {
            text,
            marks,
            span: start..start + len,
            seps,
            digits,
            compact: OnceCell::new(),
            near: OnceCell::new(),
        };
        let free = before.is_none_or(|byte| !b".-/".contains(&byte));
        let name = account::name(&number)
            .or_else(|| free.then(|| national::name(&number)).flatten())
            .or_else(|| free.then(|| phone::national(&number)).flatten());
        if let Some(name) = name {
            return Some(Hit { name, span: number.span });
        }
    }
    None
}

/// Tells whether any number has so many letters and digits, of which so many digits, and is so long
/// with its separators.
fn may_be_named(lettered: bool, len: usize, alnums: usize, digits: usize) -> bool {
    if alnums == digits {
        // Short ones are told by their separators.
        return (7..=19).contains(&digits) && (digits >= 9 || len > digits);
    }
    let account = lettered && (14..=35).contains(&alnums);
    let national = match alnums {
        8 => digits == 7,
        9 => (6..=8).contains(&digits),
        10 => matches!(digits, 4 | 7 | 9),
        11 => digits >= 4,
        12 => digits == 11,
        16 => digits == 7,
        18 => matches!(digits, 7 | 8 | 17),
        _ => false,
    };
    account && digits >= 4 || national
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
