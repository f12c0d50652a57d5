//! Personal data that are no row of letters and digits: the lines that machines read from passports,
//! addresses of devices, wallets and houses.

use std::ops::Range;

use super::super::byte_classes::ByteClasses;
use super::super::work;
use super::context::Context;
use super::kinds::{Address, Signs, Way, bit};
use super::table::{ADDRESSES, COUNTRIES, HARDWARE, INTERNET, MONTHS, ROWS, WALLETS};
use super::wallet;
use super::{PersonalHit, byte_before};

/// What begins with a word, or ends with one.
pub(super) fn find(text: &str, byte_classes: &ByteClasses, start: usize) -> Option<PersonalHit> {
    let bytes = text.as_bytes();
    let run = byte_classes.alnum.from(start).trailing_ones() as usize;
    match (run, bytes.get(start + run).copied().unwrap_or(b'\n')) {
        (7.., b'<') | (27..=44, _) => {
            passport(bytes, start).or_else(|| wallet_of(text, byte_classes, start..start + run))
        }
        (26.., _) => wallet_of(text, byte_classes, start..start + run),
        (2, b':' | b'-') => hardware(text, byte_classes, start).or_else(|| house(text, start, 2)),
        (4, b':') => internet(text, byte_classes, start),
        (4, _) => birthday(text, byte_classes, start).or_else(|| house(text, start, run)),
        (2..=5, _) => house(text, start, run),
        _ => None,
    }
}

fn is_machine_readable(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'<'
}

/// The check digit of ICAO Doc 9303, part 3.
pub(super) fn sum(body: &[u8]) -> u32 {
    let value = |byte: u8| match byte {
        b'0'..=b'9' => u32::from(byte - b'0'),
        b'A'..=b'Z' => u32::from(byte - b'A') + 10,
        _ => 0,
    };
    let weighted = body.iter().zip([7, 3, 1].into_iter().cycle());
    weighted.map(|(byte, weight)| value(*byte) * weight).sum::<u32>() % 10
}

fn is_checked(field: Option<&[u8]>) -> bool {
    let Some((last, body)) = field.and_then(<[u8]>::split_last) else { return false };
    u32::from(last.wrapping_sub(b'0')) == sum(body)
}

/// The lines of a passport or a card, by the one that has the dates.
fn passport(bytes: &[u8], start: usize) -> Option<PersonalHit> {
    let is_line = |from: usize, len: usize| {
        let line = bytes.get(from..from + len)?;
        let end = bytes.get(from + len).copied().unwrap_or(b'\n');
        (line.iter().all(|byte| is_machine_readable(*byte)) && !is_machine_readable(end))
            .then_some(line)
    };
    if byte_before(bytes, start).is_some_and(is_machine_readable) {
        return None;
    }
    let (line, len) = [30, 36, 44].into_iter().find_map(|len| Some((is_line(start, len)?, len)))?;
    work::spend(3 * len);
    // Cards have the dates in front.
    let (birth, sex, expiry) = if len == 30 { (0, 7, 8) } else { (13, 20, 21) };
    let fits = matches!(line.get(sex), Some(b'M' | b'F' | b'X' | b'<'))
        && [birth, expiry].into_iter().all(|at| is_checked(line.get(at..at + 7)))
        && (len == 30 || is_checked(line.get(..10)));
    if !fits {
        return None;
    }
    // The lines around it have the names, and are of the same length.
    let (mut first, mut end) = (start, start + len);
    while let Some(from) = first
        .checked_sub(len + 1)
        .filter(|from| bytes.get(from + len) == Some(&b'\n') && is_line(*from, len).is_some())
    {
        first = from;
    }
    if len == 30 && bytes.get(end) == Some(&b'\n') && is_line(end + 1, len).is_some() {
        end += 1 + len;
    }
    Some(PersonalHit { name: "passport_mrz", span: first..end })
}

fn wallet_of(text: &str, byte_classes: &ByteClasses, span: Range<usize>) -> Option<PersonalHit> {
    let word = text.get(span.clone())?;
    let row = WALLETS.iter().find(|row| {
        let [least, most] = row.lengths;
        (least..=most).contains(&word.len())
            && row.begins.iter().any(|begin| word.starts_with(begin))
            && wallet::fits(row.sum, word)
    })?;
    let announced = row.words.is_empty() || Context::of(text, byte_classes, &span).has(&row.words);
    announced.then_some(PersonalHit { name: row.name, span })
}

/// The address of a device in a local network.
fn hardware(text: &str, byte_classes: &ByteClasses, start: usize) -> Option<PersonalHit> {
    const LEN: usize = 17;
    let bytes = text.as_bytes();
    let raw = bytes.get(start..start + LEN)?;
    let sign = *raw.get(2)?;
    let pairs = raw
        .iter()
        .enumerate()
        .all(|(nth, byte)| if nth % 3 == 2 { *byte == sign } else { byte.is_ascii_hexdigit() });
    let glued = |byte: u8| byte.is_ascii_alphanumeric() || byte == sign;
    if !pairs
        || bytes.get(start + LEN).is_some_and(|byte| glued(*byte))
        || byte_before(bytes, start).is_some_and(glued)
        || raw.iter().all(|byte| raw.first() == Some(byte) || *byte == sign)
    {
        return None;
    }
    let span = start..start + LEN;
    Context::of(text, byte_classes, &span)
        .has(&HARDWARE)
        .then_some(PersonalHit { name: "mac_address", span })
}

/// An address on the internet, with colons.
fn internet(text: &str, byte_classes: &ByteClasses, start: usize) -> Option<PersonalHit> {
    let bytes = text.as_bytes();
    let rest = bytes.get(start..)?;
    let is_part = |byte: &&u8| byte.is_ascii_hexdigit() || **byte == b':';
    let len = rest.iter().take(40).take_while(is_part).count();
    let span = start..start + len;
    let address: std::net::Ipv6Addr = text.get(span.clone())?.parse().ok()?;
    let [first, second, ..] = address.segments();
    let public = first & 0xE000 == 0x2000 && (first, second) != (0x2001, 0x0DB8);
    let glued = rest.get(len).is_some_and(u8::is_ascii_alphanumeric)
        || byte_before(bytes, start).is_some_and(|byte| byte == b':');
    (public && !glued && Context::of(text, byte_classes, &span).has(&INTERNET))
        .then_some(PersonalHit { name: "ip_address", span })
}

/// A date in words that ends with this year, which a word announces: `born on 12 March 1984`.
fn birthday(text: &str, byte_classes: &ByteClasses, start: usize) -> Option<PersonalHit> {
    const NAME: &str = "date_of_birth";
    const REACH: usize = 24;
    let end = start + 4;
    let year = text.get(start..end)?;
    if !year.starts_with("19") && !year.starts_with("20") {
        return None;
    }
    let floor = text.ceil_char_boundary(start.saturating_sub(REACH));
    let before = text.get(floor..start)?;
    let words = before.split(|char: char| !char.is_alphanumeric()).rev();
    let mut words = words.filter(|word| !matches!(*word, "" | "de" | "del" | "of"));
    let is_month = |word: &str| MONTHS.contains(&word.to_lowercase().as_str());
    let is_day = |word: &&str| {
        let day = word.trim_end_matches(|char: char| char.is_alphabetic());
        word.len() <= day.len() + 2 && day.parse().is_ok_and(|day: u8| (1..=31).contains(&day))
    };
    let (last, first) = (words.next()?, words.next());
    let begin = match first.filter(|first| is_day(&last) && is_month(first)) {
        Some(month) => month,
        None if is_month(last) => first.filter(is_day).unwrap_or(last),
        None => return None,
    };
    let span = floor + (begin.as_ptr() as usize - before.as_ptr() as usize)..end;
    let row = ROWS.iter().find(|row| row.name == NAME)?;
    Context::of(text, byte_classes, &span)
        .has(&row.words)
        .then_some(PersonalHit { name: NAME, span })
}

/// Tells whether a word is the code of a bank.
pub(in super::super) fn is_bank(word: &[u8]) -> bool {
    let is_capital = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    matches!(word.len(), 8 | 11)
        && word.iter().all(is_capital)
        && word.get(..4).is_some_and(|bank| bank.iter().all(u8::is_ascii_uppercase))
        && word.get(4..6).is_some_and(|of| COUNTRIES.iter().any(|known| known.as_bytes() == of))
}

/// An address of a house: a number beside a word for a street, and a postcode.
fn house(text: &str, start: usize, run: usize) -> Option<PersonalHit> {
    let bytes = text.as_bytes();
    let capital = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at)).is_some_and(|byte| byte.is_ascii_uppercase() || *byte > 127)
    };
    // A place or a state is written with a capital, as are the letters of a postcode.
    let near = [start.checked_sub(2), Some(start + 1), Some(start + run + 1)];
    if !near.into_iter().any(capital) && bytes.get(start + run) != Some(&b'-') {
        return None;
    }
    postal(text, start)
}

fn postal(text: &str, start: usize) -> Option<PersonalHit> {
    ADDRESSES.iter().find_map(|address| {
        address.codes.iter().find_map(|code| code.address(text, start, address))
    })
}

impl Way {
    /// The address that ends with a postcode of which a word is the first or the second.
    fn address(&self, text: &str, start: usize, address: &Address) -> Option<PersonalHit> {
        let bytes = text.as_bytes();
        let before = self.joints().first().map_or(0, |(at, _)| at + 1);
        let range = [0, before].into_iter().find_map(|before| {
            let from = start.checked_sub(before)?;
            let range = from..from + self.places.len() + self.joints().len();
            self.is_at(bytes.get(range.clone())?).then_some(range)
        })?;
        let alone = |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_alphanumeric());
        let ahead = bytes.get(range.end..).unwrap_or_default();
        let ends = if address.city_behind {
            matches!(ahead, [b' ', next, ..] if next.is_ascii_uppercase() || !next.is_ascii())
        } else {
            alone(ahead.first())
        };
        if !ends || !alone(byte_before(bytes, range.start).as_ref()) {
            return None;
        }
        let span = address.begins(text, range.start)?..range.end;
        // Lines of a program have such signs and names, and those of an address have not.
        let inside = text.get(span.clone())?;
        let mut words = inside.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_');
        // A name of a field ends with a colon or a quote: `postal_code: …`.
        let is_name = |word: &str| {
            let is_field = word.ends_with([':', '"', '\'']);
            !is_field && word.trim_end().trim_matches('_').contains('_')
        };
        let is_code = inside.contains('\n')
            && (inside.contains(['(', ')', '{', '}', '[', ']', '=', ';']) || words.any(is_name));
        (!is_code).then_some(PersonalHit { name: "postal_address", span })
    }

    const fn joints(&self) -> &[(usize, u8)] {
        if let Signs::These(signs) = self.signs { signs } else { &[] }
    }

    fn is_at(&self, raw: &[u8]) -> bool {
        let mut places = self.places.iter();
        raw.iter().enumerate().all(|(at, byte)| {
            match self.joints().iter().find(|(sign, _)| *sign == at) {
                Some((_, sign)) => sign == byte,
                None => places.next().is_some_and(|place| place & bit(*byte) != 0),
            }
        })
    }
}

impl Address {
    /// So far from its postcode an address begins.
    const REACH: usize = 90;
    /// It goes over so many ends of lines.
    const LINES: usize = 3;
    /// So many words stand between a house's number and the word for the street.
    const WORDS: usize = 4;

    /// Where the address begins whose postcode begins at a place.
    fn begins(&self, text: &str, end: usize) -> Option<usize> {
        work::spend(Self::REACH);
        let floor = text.ceil_char_boundary(end.saturating_sub(Self::REACH));
        // The lines of an address are few, and a word that was cut is none of it.
        let lines = text.get(floor..end)?.rmatch_indices('\n').nth(Self::LINES);
        let cut = text.get(floor..end)?.find(|char: char| !char.is_alphanumeric());
        let floor = floor + lines.map_or(if floor > 0 { cut? } else { 0 }, |(at, _)| at);
        let before = text.get(floor..end)?;
        let mut words: Vec<(usize, &str)> = Vec::new();
        for part in
            before.split(|char: char| !char.is_alphanumeric()).filter(|part| !part.is_empty())
        {
            words.push((part.as_ptr() as usize - before.as_ptr() as usize, part));
        }
        let is_number = |word: &str| {
            let digits = word.trim_end_matches(|char: char| char.is_ascii_alphabetic());
            (1..=5).contains(&digits.len())
                && word.len() <= digits.len() + 1
                && digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        let is_street = |word: &str| {
            let small = word.to_lowercase();
            self.streets
                .iter()
                .any(|street| small == *street || self.suffix && small.ends_with(street))
        };
        let (nth, (street, _)) = words.iter().enumerate().find(|(_, (_, word))| is_street(word))?;
        let near = words.iter().skip(nth.saturating_sub(Self::WORDS)).take(2 * Self::WORDS + 1);
        let number = near.filter(|(_, word)| is_number(word)).map(|(at, _)| *at).next()?;
        Some(floor + number.min(*street))
    }
}
