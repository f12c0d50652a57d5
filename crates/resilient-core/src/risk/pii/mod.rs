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

use super::marks::{Bits, Marks};

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
struct Near {
    text: String,
    starts: Vec<usize>,
    /// Which bytes words begin with.
    first: [bool; 256],
}

impl Near {
    fn of(text: &str, span: &Range<usize>) -> Self {
        super::work::spend(84);
        const BACK: usize = 60;
        const AHEAD: usize = 24;
        let from = floor(text, span.start.saturating_sub(BACK));
        let to = floor(text, (span.end + AHEAD).min(text.len()));
        let part = |from, to| text.get(from..to).unwrap_or_default().to_lowercase();
        let text = part(from, span.start) + "\n" + &part(span.end, to);
        let (mut starts, mut first, mut inside) = (Vec::new(), [false; 256], false);
        for (at, char) in text.char_indices() {
            let latin = char.is_ascii_alphabetic();
            if !inside && (latin || !char.is_ascii()) {
                starts.push(at);
                let byte = text.as_bytes().get(at).copied().unwrap_or(0);
                if let Some(slot) = first.get_mut(usize::from(byte)) {
                    *slot = true;
                }
            }
            inside = latin;
        }
        Self { text, starts, first }
    }

    /// Tells whether there is a word that does not go on in Latin letters on either side.
    fn has(&self, word: &str) -> bool {
        let first = word.as_bytes().first().and_then(|byte| self.first.get(usize::from(*byte)));
        first == Some(&true)
            && self.starts.iter().any(|start| {
                let begins = self.text.as_bytes().get(*start) == word.as_bytes().first();
                let rest = self.text.get(*start..).filter(|_| begins);
                let rest = rest.and_then(|rest| rest.strip_prefix(word));
                rest.is_some_and(|rest| {
                    word.len() >= 5 || !rest.starts_with(|char: char| char.is_ascii_alphabetic())
                })
            })
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
            line(text, &marks.digit, from..to, &mut each);
            from = to + 1;
        }
        done = end;
    }
}

/// Looks at the numbers of one line.
fn line(text: &str, digits: &Bits, line: Range<usize>, each: &mut impl FnMut(Hit)) {
    /// More long numbers than this make a table.
    const NUMBERS_MAX: usize = 6;
    /// A line with so many candidates is a table, however long it is.
    const TRIED_MAX: usize = 64;
    const DIGITS_MIN: usize = 4;
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
            let rest = bytes.get(digit..line.end).unwrap_or_default();
            at = digit + rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
            continue;
        }
        // The word that the digit stands in.
        let before = bytes.get(at..digit).unwrap_or_default();
        let start = digit - before.iter().rev().take_while(|b| b.is_ascii_alphanumeric()).count();
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
        let letters = sign.filter(|sign| b" -./".contains(sign)).map_or(0, |_| {
            let before = bytes.get(at..start - 1).unwrap_or_default();
            before.iter().rev().take(3).take_while(|byte| byte.is_ascii_alphanumeric()).count()
        });
        if matches!(letters, 1 | 2)
            && let Some(hit) = number(text, digits, start - 1 - letters..line.end, byte_before)
        {
            at = hit.span.end;
            hits.push(hit);
            continue;
        }
        let word = bytes.get(start..line.end).unwrap_or_default();
        let len = word.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        numbers += usize::from(len >= 8 && digits.run(start) >= len);
        let glued = byte_before(start).is_some_and(is_glue);
        tried += usize::from(!glued && len >= 3);
        if let Some(hit) = number(text, digits, start..line.end, byte_before) {
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
    marks: &Bits,
    range: Range<usize>,
    byte_before: impl Fn(usize) -> Option<u8>,
) -> Option<Hit> {
    let bytes = text.as_bytes();
    let Range { start, end } = range;
    let near = bytes.get(start..end.min(start + 20))?;
    let least = if near.first()?.is_ascii_digit() { 5 } else { 4 };
    if (marks.from(start) & ((1 << near.len()) - 1)).count_ones() < least {
        return None;
    }
    let before = byte_before(start);
    if before.is_some_and(is_glue) {
        return None;
    }
    // Where the number may be over: after each of its groups that nothing is glued to.
    let mut ends = [0; 10];
    let (mut groups, mut count) = (0, 0);
    let mut at = start;
    // Of the first group much is known: letters are capitals, a fraction is none, and what stands
    // between commas or brackets is an item of a table.
    let group = near.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let (group, rest) = near.split_at_checked(group)?;
    let small = group.iter().filter(|byte| byte.is_ascii_lowercase()).count();
    let next = rest.first().copied().unwrap_or(b' ');
    let item = b",)];}".contains(&next) && before.is_some_and(|byte| b"([{, \t".contains(&byte));
    if small > 1 && !(small == 3 && group.len() == 9)
        || group == b"0"
        || group.first() == Some(&b'0') && group.get(1) == Some(&b'x')
        || item && group.iter().all(u8::is_ascii_digit)
        || group.len() > 19 && group.iter().all(u8::is_ascii_digit)
    {
        return None;
    }
    // Two groups with a dot between them are a fraction.
    if next == b'.' {
        let tail = rest.get(1..).unwrap_or_default();
        let second = tail.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        if second < tail.len() && tail.get(second) != Some(&b'.') {
            return None;
        }
    }
    while at < end && at - start < 48 {
        let rest = bytes.get(at..end)?;
        let len = rest.iter().take(40).take_while(|byte| byte.is_ascii_alphanumeric()).count();
        if len == 0 {
            break;
        }
        at += len;
        if groups == ends.len() {
            break;
        }
        groups += 1;
        let sep = bytes.get(at).copied().unwrap_or(b'\n');
        let next = bytes.get(at + 1).copied().unwrap_or(b'\n');
        let glued = matches!(sep, b'_' | b'@')
            || matches!(sep, b'.' | b'-') && next.is_ascii_alphanumeric();
        if !glued && let Some(slot) = ends.get_mut(count) {
            *slot = at;
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
    let whole = bytes.get(start..*ends.last()?)?;
    let digits = whole.iter().filter(|byte| byte.is_ascii_digit()).count();
    let lettered = whole.iter().any(u8::is_ascii_alphabetic);
    if digits < if lettered { 4 } else { 7 } || whole.len() < 8 {
        return None;
    }
    for end in ends.iter().rev().copied() {
        super::work::spend(end - start);
        let raw = bytes.get(start..end)?;
        let digits = raw.iter().filter(|byte| byte.is_ascii_digit()).count();
        let lettered = raw.iter().any(u8::is_ascii_alphabetic);
        if raw.len() < 8 || digits < if lettered { 4 } else { 7 } {
            continue;
        }
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
