//! Personal data: telephone numbers, accounts, cards and the numbers that states give people.
//!
//! A number alone proves little. It counts when its form is rare, or when its check digits fit, or
//! when a word of its language announces it; a check that fails is overruled by such a word, and
//! never the other way round. Lines that hold many long numbers are tables and are left alone.

mod account;
mod national;
mod phone;

use std::ops::Range;

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
    compact: Vec<u8>,
    /// Its digits alone.
    digits: Vec<u8>,
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
        const BACK: usize = 60;
        const AHEAD: usize = 24;
        let from = floor(self.text, self.span.start.saturating_sub(BACK));
        let to = floor(self.text, (self.span.end + AHEAD).min(self.text.len()));
        let near = |from, to| self.text.get(from..to).unwrap_or_default().to_lowercase();
        let (before, after) = (near(from, self.span.start), near(self.span.end, to));
        words.iter().any(|word| has_word(&before, word) || has_word(&after, word))
    }
}

/// Tells whether a text has a word that does not go on in Latin letters on either side.
fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + word.len()..).and_then(|text| text.chars().next());
        let latin = |char: Option<char>| char.is_some_and(|char| char.is_ascii_alphabetic());
        !latin(before) && (!latin(after) || word.len() >= 5)
    })
}

/// The last character boundary at or before a position.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Finds personal numbers where digits are dense.
pub(super) fn find(text: &str, digits: &[Range<usize>], mut each: impl FnMut(Hit)) {
    let bytes = text.as_bytes();
    let mut done = 0;
    for dense in digits {
        // A number may begin before the first dense window and end after the last.
        let start = line_start(bytes, dense.start, done);
        let end = line_end(bytes, dense.end);
        let mut from = start;
        while from < end {
            let to = memchr::memchr(b'\n', bytes.get(from..end).unwrap_or_default())
                .map_or(end, |at| from + at);
            line(text, from..to, &mut each);
            from = to + 1;
        }
        done = end;
    }
}

/// A line is not read further than this to either side.
const LINE_MAX: usize = 400;

fn line_start(bytes: &[u8], at: usize, done: usize) -> usize {
    let from = at.saturating_sub(LINE_MAX).max(done.min(at));
    memchr::memrchr(b'\n', bytes.get(from..at).unwrap_or_default()).map_or(from, |n| from + n + 1)
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    let to = (at + LINE_MAX).min(bytes.len());
    memchr::memchr(b'\n', bytes.get(at..to).unwrap_or_default()).map_or(to, |n| at + n)
}

/// Looks at the numbers of one line.
fn line(text: &str, line: Range<usize>, each: &mut impl FnMut(Hit)) {
    /// More long numbers than this make a table.
    const NUMBERS_MAX: usize = 6;
    const TRIED_MAX: usize = 64;
    let bytes = text.as_bytes();
    let mut at = line.start;
    let mut hits = Vec::new();
    let mut numbers = 0;
    let mut tried = 0;
    while at < line.end {
        // A line with so many candidates is a table, however long it is.
        if tried > TRIED_MAX {
            return;
        }
        let rest = bytes.get(at..line.end).unwrap_or_default();
        let begins = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'+' || *byte == b'(';
        let Some(begin) = rest.iter().position(begins) else { break };
        let start = at + begin;
        if bytes.get(start) == Some(&b'(') {
            match phone::bracketed(bytes, start) {
                Some(span) => {
                    at = span.end;
                    hits.push(Hit { name: "phone", span });
                }
                None => at = start + 1,
            }
            continue;
        }
        let word = bytes.get(start..line.end).unwrap_or_default();
        let before = bytes.get(line.start..start).unwrap_or_default().last().copied();
        if let Some(hit) = phone::international(text, start, before) {
            at = hit.span.end;
            numbers += 1;
            hits.push(hit);
            continue;
        }
        if word.first() == Some(&b'+') {
            at = start + 1;
            continue;
        }
        let len = word.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let head = word.get(..len).unwrap_or_default();
        let has_digit = head.iter().any(u8::is_ascii_digit);
        // What is glued to other characters is a part of something else.
        let glued = before.is_some_and(|byte| b"_$#@\\|".contains(&byte));
        numbers += usize::from(len >= 8 && head.iter().all(u8::is_ascii_digit));
        let may_begin = has_digit || len <= 2 && head.iter().all(u8::is_ascii_alphabetic);
        tried += usize::from(may_begin && !glued && has_digit && len >= 3);
        if may_begin
            && !glued
            && let Some(hit) = number(text, start, line.end, before)
        {
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

/// Tries the forms of numbers that begin at a position, longest reading first.
fn number(text: &str, start: usize, end: usize, before: Option<u8>) -> Option<Hit> {
    let bytes = text.as_bytes();
    // Where groups end: after each of them the number may be over.
    let mut ends = [0; 10];
    let mut count = 0;
    let mut at = start;
    // Most words are short and alone: a look saves the rest of the work.
    let near = bytes.get(start..end.min(start + 20))?;
    let least = if near.first()?.is_ascii_digit() { 5 } else { 4 };
    if near.iter().filter(|byte| byte.is_ascii_digit()).count() < least {
        return None;
    }
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
        let Some(slot) = ends.get_mut(count) else { break };
        *slot = at;
        count += 1;
        let sep = bytes.get(at).copied().unwrap_or(b'\n');
        let next = bytes.get(at + 1).copied().unwrap_or(b'\n');
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
        let next = bytes.get(end).copied().unwrap_or(b' ');
        let after = bytes.get(end + 1).copied().unwrap_or(b' ');
        if next == b'_'
            || next == b'@'
            || matches!(next, b'.' | b'-') && after.is_ascii_alphanumeric()
        {
            continue;
        }
        let raw = bytes.get(start..end)?;
        let digits = raw.iter().filter(|byte| byte.is_ascii_digit()).count();
        let lettered = raw.iter().any(u8::is_ascii_alphabetic);
        if raw.len() < 8 || digits < if lettered { 4 } else { 7 } {
            continue;
        }
        let compact: Vec<u8> =
            raw.iter().filter(|b| b.is_ascii_alphanumeric()).map(u8::to_ascii_uppercase).collect();
        let digits: Vec<u8> =
            compact.iter().filter(|byte| byte.is_ascii_digit()).copied().collect();
        if digits.len() < 4 || compact.len() > 36 {
            continue;
        }
        let number = Number { text, span: start..end, compact, digits };
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
    use super::*;

    fn found(text: &str) -> Vec<&'static str> {
        let mut names = Vec::new();
        let digits = super::super::runs::find(text.as_bytes()).digits;
        find(text, &digits, |hit| names.push(hit.name));
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
