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

use super::marks::{self, GROUP, Marks};

/// One personal number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) name: &'static str,
    pub(super) span: Range<usize>,
}

/// A word that may be a number, with what it is made of.
struct Number<'a> {
    text: &'a str,
    /// The number with its separators.
    span: Range<usize>,
    /// Its letters and digits, in capitals.
    compact: Short,
    /// Its digits alone.
    digits: Short,
    near: OnceCell<Near>,
}

impl Number<'_> {
    fn raw(&self) -> &str {
        self.text.get(self.span.clone()).unwrap_or_default()
    }

    fn all_digits(&self) -> bool {
        self.compact.len() == self.digits.len()
    }

    fn separated(&self) -> bool {
        self.span.len() > self.compact.len()
    }

    /// Tells whether one of the words stands shortly before the number (or right after it).
    fn announced(&self, words: &[&str]) -> bool {
        let near = self.near.get_or_init(|| Near::of(self.text, &self.span));
        words.iter().any(|word| near.has(word))
    }
}

/// A few bytes.
#[derive(Clone, Debug)]
struct Short {
    bytes: [u8; Self::LEN_MAX],
    len: usize,
}

impl Short {
    const LEN_MAX: usize = 36;

    /// Collects bytes; nothing if they are too many.
    fn of(all: impl Iterator<Item = u8>) -> Option<Self> {
        let mut short = Self { bytes: [0; Self::LEN_MAX], len: 0 };
        for byte in all {
            *short.bytes.get_mut(short.len)? = byte;
            short.len += 1;
        }
        Some(short)
    }

    fn as_slice(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}

impl std::ops::Deref for Short {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.as_slice()
    }
}

/// The text near a number, in small letters, and where words begin in it.
enum Near {
    /// Of ASCII alone: the text, its length, and a bit for each place where a word begins.
    Plain([u8; Self::LEN_MAX], u128),
    Other(String, Vec<usize>),
}

impl Near {
    const BACK: usize = 60;
    const AHEAD: usize = 24;
    /// Both parts and a line feed between them.
    const LEN_MAX: usize = Self::BACK + 1 + Self::AHEAD;

    fn of(text: &str, span: &Range<usize>) -> Self {
        super::work::spend(84);
        let from = floor(text, span.start.saturating_sub(Self::BACK));
        let to = floor(text, (span.end + Self::AHEAD).min(text.len()));
        let part = |from, to| text.get(from..to).unwrap_or_default();
        let (before, after) = (part(from, span.start), part(span.end, to));
        if before.is_ascii() && after.is_ascii() {
            return Self::plain(before.as_bytes(), after.as_bytes());
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

    fn plain(before: &[u8], after: &[u8]) -> Self {
        let mut text = [0; Self::LEN_MAX];
        let (first, rest) = text.split_at_mut(before.len());
        first.copy_from_slice(before);
        if let Some((mark, rest)) = rest.split_first_mut() {
            *mark = b'\n';
            let (second, _) = rest.split_at_mut(after.len());
            second.copy_from_slice(after);
        }
        text.make_ascii_lowercase();
        let letters = marks::letters(&text);
        Self::Plain(text, letters & !(letters << 1))
    }

    /// Tells whether there is a word that does not go on in Latin letters on either side.
    fn has(&self, word: &str) -> bool {
        let goes_on =
            |rest: &[u8]| word.len() < 5 && rest.first().is_some_and(u8::is_ascii_alphabetic);
        let is_at = |text: &[u8], start: usize| {
            let rest = text.get(start..).and_then(|rest| rest.strip_prefix(word.as_bytes()));
            rest.is_some_and(|rest| !goes_on(rest))
        };
        match self {
            Self::Plain(text, starts) => {
                let first = word.as_bytes().first().copied().unwrap_or(0);
                let mut left = *starts;
                while left != 0 {
                    let start = left.trailing_zeros() as usize;
                    left &= left - 1;
                    if text.get(start) == Some(&first) && is_at(text, start) {
                        return true;
                    }
                }
                false
            }
            Self::Other(text, starts) => starts.iter().any(|start| is_at(text.as_bytes(), *start)),
        }
    }
}

/// The last character boundary at or before a position.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Finds personal numbers where digits are dense.
pub(super) fn find(text: &str, marks: &Marks, dense: &[Range<usize>], mut each: impl FnMut(Hit)) {
    /// A line is not read further than this to either side.
    const LINE_MAX: usize = 400;
    let mut done = 0;
    for dense in dense {
        // A number may begin before the first dense window and end after the last.
        let from = dense.start.saturating_sub(LINE_MAX).max(done.min(dense.start));
        let mut from = marks.feed.last(from, dense.start).map_or(from, |at| at + 1);
        let to = (dense.end + LINE_MAX).min(text.len());
        let end = marks.feed.next(dense.end, to).unwrap_or(to);
        for to in marks.feed.ones(from..end).chain([end]) {
            line(text, marks, from..to, &mut each);
            from = to + 1;
        }
        done = end;
    }
}

/// Looks at the numbers of one line.
fn line(text: &str, marks: &Marks, line: Range<usize>, each: &mut impl FnMut(Hit)) {
    /// More long numbers than this make a table.
    const NUMBERS_MAX: usize = 6;
    /// A line with so many candidates is a table, however long it is.
    const TRIED_MAX: usize = 64;
    const DIGITS_MIN: usize = 4;
    let Marks { digit: digits, alnum, .. } = marks;
    // No number has fewer digits.
    if !digits.has(DIGITS_MIN, line.clone()) {
        return;
    }
    super::work::spend(line.len());
    let bytes = text.as_bytes();
    let mut hits = Vec::new();
    let (mut numbers, mut tried) = (0, 0);
    // So many words of three letters do not fit into a shorter line.
    let counts = line.len() > 4 * TRIED_MAX;
    let mut at = line.start;
    while let Some(digit) = digits.next(at, line.end) {
        if tried > TRIED_MAX {
            return;
        }
        // Most words are short and alone: a look saves the rest of the work.
        if !counts && !is_dense(digits.from(digit)) {
            at = digit + alnum.run_to(digit, line.end);
            continue;
        }
        // The word that the digit stands in.
        let start = digit - alnum.run_back(digit, at);
        let byte_before = |start: usize| {
            start
                .checked_sub(1)
                .filter(|at| *at >= line.start)
                .and_then(|at| bytes.get(at))
                .copied()
        };
        let sign = byte_before(start).filter(|_| start > at);
        if sign == Some(b'(')
            && let Some(span) = phone::bracketed(bytes, start - 1)
        {
            at = span.end;
            hits.push(Hit { name: "phone", span });
            continue;
        }
        if sign == Some(b'+')
            && let Some(hit) = phone::international(text, start - 1, byte_before(start - 1))
        {
            at = hit.span.end;
            numbers += 1;
            hits.push(hit);
            continue;
        }
        // A letter or two in front may belong to the number: `AB 12 34 56 C`.
        let letters = sign
            .filter(|sign| b" -./".contains(sign))
            .map_or(0, |_| alnum.run_back(start - 1, at.max((start - 1).saturating_sub(3))));
        if matches!(letters, 1 | 2)
            && let Some(hit) = number(text, marks, start - 1 - letters..line.end, byte_before)
        {
            at = hit.span.end;
            hits.push(hit);
            continue;
        }
        let len = alnum.run_to(start, line.end);
        numbers += usize::from(len >= 8 && digits.run_to(start, start + len) == len);
        let glued = byte_before(start).is_some_and(is_glue);
        tried += usize::from(!glued && len >= 3);
        if let Some(hit) = number(text, marks, start..line.end, byte_before) {
            at = hit.span.end;
            hits.push(hit);
            continue;
        }
        at = start + len.max(1);
    }
    if numbers <= NUMBERS_MAX {
        hits.into_iter().for_each(each);
    }
}

/// Tells whether four of twenty bytes are digits, as they are where any number begins.
fn is_dense(digits: u64) -> bool {
    let mut digits = digits & ((1 << 20) - 1);
    for _ in 0..3 {
        digits &= digits.saturating_sub(1);
    }
    digits != 0
}

/// What is glued to other characters is a part of something else.
fn is_glue(byte: u8) -> bool {
    b"_$#@\\|".contains(&byte)
}

/// Tries the forms of numbers that begin at the start of a range, longest reading first.
fn number(
    text: &str,
    marks: &Marks,
    range: Range<usize>,
    byte_before: impl Fn(usize) -> Option<u8>,
) -> Option<Hit> {
    let bytes = text.as_bytes();
    let Range { start, end } = range;
    let near = bytes.get(start..end.min(start + 20))?;
    let first = *near.first()?;
    let len = marks.alnum.run_to(start, start + near.len());
    let (group, rest) = near.split_at_checked(len)?;
    let next = rest.first().copied().unwrap_or(b' ');
    // Most words are short and nothing is joined to them.
    if len < 8 && !b" -./:".contains(&next) {
        return None;
    }
    let least = if first.is_ascii_digit() { 5 } else { 4 };
    let digits = marks.digit.from(start) & ((1 << near.len()) - 1);
    if digits.count_ones() < least {
        return None;
    }
    let before = byte_before(start);
    if before.is_some_and(is_glue) {
        return None;
    }
    // Of the first group much is known: letters are capitals, a fraction is none, and what stands
    // between commas or brackets is an item of a table.
    if digits.trailing_ones() as usize >= len {
        let item =
            b",)];}".contains(&next) && before.is_some_and(|byte| b"([{, \t".contains(&byte));
        if item || len > 19 || group == b"0" {
            return None;
        }
    } else {
        let small = group.iter().filter(|byte| byte.is_ascii_lowercase()).count();
        if small > 1 && !(small == 3 && len == 9) || group.starts_with(b"0x") {
            return None;
        }
    }
    // Two groups with a dot between them are a fraction.
    if next == b'.' {
        let tail = rest.get(1..).unwrap_or_default();
        let from = start + len + 1;
        let second = marks.alnum.run_to(from, from + tail.len());
        if second < tail.len() && tail.get(second) != Some(&b'.') {
            return None;
        }
    }
    // Where the number may be over: after each of its groups that nothing is glued to, with the
    // letters and digits so far, and the digits among them.
    let mut ends = [(0, 0, 0); 10];
    let (mut groups, mut count) = (0, 0);
    let (mut at, mut alnums, mut digits) = (start, 0, 0);
    while at < end && at - start < 48 {
        let len = marks.alnum.run_to(at, end.min(at + 40));
        if len == 0 {
            break;
        }
        if groups == ends.len() {
            break;
        }
        alnums += len;
        digits += (marks.digit.from(at) & (u64::MAX >> (GROUP - len))).count_ones() as usize;
        at += len;
        groups += 1;
        let sep = bytes.get(at).copied().unwrap_or(b'\n');
        let next = bytes.get(at + 1).copied().unwrap_or(b'\n');
        let glued = matches!(sep, b'_' | b'@')
            || matches!(sep, b'.' | b'-') && next.is_ascii_alphanumeric();
        if !glued && let Some(slot) = ends.get_mut(count) {
            *slot = (at, alnums, digits);
            count += 1;
        }
        let joins = b" -./".contains(&sep) && next.is_ascii_alphanumeric()
            || sep == b':' && len == 4 && next.is_ascii_digit();
        if !joins {
            break;
        }
        at += 1;
    }
    let ends = ends.get(..count)?;
    let (_, alnums, digits) = *ends.last()?;
    if digits < if alnums > digits { 4 } else { 7 } {
        return None;
    }
    for (end, alnums, digits) in ends.iter().rev().copied() {
        super::work::spend(end - start);
        if end - start < 8 || !may_be_named(first, end - start, alnums, digits) {
            continue;
        }
        let raw = bytes.get(start..end)?;
        let compact = raw.iter().filter(|b| b.is_ascii_alphanumeric()).map(u8::to_ascii_uppercase);
        let Some(compact) = Short::of(compact) else { continue };
        let Some(digits) = Short::of(compact.iter().copied().filter(u8::is_ascii_digit)) else {
            continue;
        };
        let number = Number { text, span: start..end, compact, digits, near: OnceCell::new() };
        let free = before.is_none_or(|byte| !b".-/".contains(&byte));
        let name = account::name(&number)
            .or_else(|| free.then(|| national::name(&number)).flatten())
            .or_else(|| free.then(|| phone::national(&number)).flatten());
        if let Some(name) = name {
            return Some(Hit { name, span: start..end });
        }
    }
    None
}

/// Tells whether any number has so many letters and digits, of which so many digits, and is so long
/// with its separators.
fn may_be_named(first: u8, len: usize, alnums: usize, digits: usize) -> bool {
    if alnums == digits {
        // Short ones are told by their separators.
        return (7..=19).contains(&digits) && (digits >= 9 || len > digits);
    }
    let account = first.is_ascii_alphabetic() && (14..=35).contains(&alnums);
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
