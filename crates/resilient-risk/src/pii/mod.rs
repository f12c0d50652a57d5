//! Personal data: telephone numbers, accounts, cards, the numbers that states give people, and addresses.
//!
//! Which numbers there are is data, `data/people.toml`: their forms, checks and words. Nothing here knows a country.
//!
//! A number alone proves little. It counts when its form is rare, or when its check digits fit, or
//! when a word of its language announces it; a check that fails is overruled by such a word, and
//! never the other way round. Lines that hold many long numbers without a name are tables and are left alone.

mod check;
mod context;
#[cfg(test)]
mod drawn;
mod kinds;
mod number;
mod phone;
mod readings;
mod special;
mod table;
#[cfg(test)]
mod tests;
mod wallet;

use std::net::IpAddr;
use std::ops::Range;

use self::context::{ContextWords, low};
use self::readings::Readings;
pub(super) use self::special::is_bank;
use super::bits::{GROUP, bits_at, ones};
use super::byte_classes::ByteClasses;
use super::work;

/// What the build prints as lists and texts.
type List<T> = &'static [T];
type Text = &'static str;

/// One personal number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PersonalHit {
    pub(super) name: &'static str,
    pub(super) span: Range<usize>,
}

/// The names of all that is found, some more than once.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    const OTHERS: [&str; 7] = [
        phone::INTERNATIONAL,
        "date_of_birth",
        "ip_address",
        "mac_address",
        "passport_mrz",
        "phone",
        "postal_address",
    ];
    let tables = table::ROWS.iter().map(|row| row.name);
    tables.chain(table::WALLETS.iter().map(|row| row.name)).chain(OTHERS)
}

/// Finds personal numbers where digits are dense.
pub(super) fn find(
    text: &str,
    byte_classes: &ByteClasses,
    digit_regions: &[Range<usize>],
    each: impl FnMut(PersonalHit),
) {
    let mut line = Line::new(text, byte_classes, digit_regions, each);
    let mut next = 0;
    // Any number begins where digits are dense.
    for start in digit_regions.iter().flat_map(|region| region.clone().step_by(STEP)) {
        work::spend(1);
        let base = start.saturating_sub(BEFORE);
        let firsts = firsts(text.as_bytes(), byte_classes, base) & low(GROUP - AFTER);
        for place in ones(firsts).map(|bit| base + bit) {
            if place >= start.max(next) {
                next = line.visit(place);
            }
        }
    }
    line.close();
}

/// So much of a group is seen before and after what is judged: a word has its first digit after six letters at
/// most, and with no more than eight bytes from there on a number differs from most others.
const BEFORE: usize = 8;
const AFTER: usize = 8;
/// So much of it is judged.
const STEP: usize = GROUP - BEFORE - AFTER;

/// The first digits of words that a number may begin with, in the group from a place on.
fn firsts(text: &[u8], byte_classes: &ByteClasses, at: usize) -> u64 {
    let (digit, alnum) = (byte_classes.digit.from(at), byte_classes.alnum.from(at));
    let [signs, colon, plus, open, dash] = bits_at(text, at, sign);
    let others = plain(digit, alnum, signs) | postcodes(digit, alnum, signs);
    // What addresses of devices have, and what numbers of telephones begin with: few groups have any.
    if colon | plus | open | dash == 0 {
        return others;
    }
    others | signed_digits(digit, plus, open) | addresses(digit, alnum, signs, colon)
}

/// Whether a byte may stand between letters and digits of a number, and which sign it is.
#[inline(always)]
fn sign(byte: u8) -> u8 {
    let between = matches!(byte, b' ' | b'-'..=b'/' | b':');
    let all = [between, byte == b':', byte == b'+', byte == b'(', byte == b'-'];
    all.iter().rev().fold(0, |all, is| all << 1 | u8::from(*is))
}

/// The first digits of words that a number may begin with, or that it goes on with after a letter or two.
fn plain(digit: u64, alnum: u64, signs: u64) -> u64 {
    let letter = alnum & !digit;
    let words = alnum & !(alnum << 1);
    // To add its first bit to a row of letters moves the bit behind the row.
    let first = (words & letter).wrapping_add(letter) & digit | words & digit;
    let signs = signs & alnum << 1 & alnum >> 1;
    // A letter or two in front may belong to the number: `AB 12 34 56 C`.
    let apart = words & signs << 1 & letter << 2;
    let (one, two) = (apart & !alnum << 3, apart & letter << 3 & !alnum << 4);
    // Or three or four: `AAA 123456`.
    let more = apart & letter << 3 & letter << 4;
    let more = more & (!alnum << 5 | letter << 5 & !alnum << 6);
    // A number has eight letters and digits or more, and its first digit is one of the first seven.
    let heads = words & eight(alnum | signs) | one | two | more;
    let heads = heads | heads << 1;
    let heads = heads | heads << 2;
    let heads = heads | heads << 3;
    // From there on most have six digits and single signs between them.
    let row = digit | signs & digit << 1 & digit >> 1;
    let row = row & row >> 1;
    let digits = row & row >> 2 & row >> 4;
    // The others begin like `GB29` or `1EG4-`, or are one word with eight letters and digits.
    let next = |nth: u32, kind: u64| kind >> nth | signs >> nth & kind >> (nth + 1);
    let country = (words << 2 | one << 1 | two) & next(1, digit);
    let long = words & eight(alnum);
    let long = long | long << 1;
    let long = long | long << 2;
    let long = long | long << 3;
    let apart = signs >> 1 | signs >> 2 | signs >> 3;
    let medicare = words & next(1, letter) & (apart | digit >> 3 & next(4, letter));
    first & heads & (digits | country | long | medicare)
}

/// The words that a postcode may begin or end with: five digits before a name, two letters or three in front of
/// digits, or `2AA` behind something.
fn postcodes(digit: u64, alnum: u64, signs: u64) -> u64 {
    let letter = alnum & !digit;
    let begins = alnum & !(alnum << 1) & digit;
    let three = digit & digit >> 1 & digit >> 2;
    let (four, five) = (three & digit >> 3, three & digit >> 3 & digit >> 4);
    let five = five & signs >> 5 & letter >> 6;
    let four = four
        & (signs >> 4 & letter >> 5 & letter >> 6 & !alnum >> 7
            | !alnum >> 4 & signs << 1 & (letter << 2 | !alnum << 2 & alnum << 3));
    let inward = signs << 1 & alnum >> 1 & alnum >> 2 & (letter >> 1 | letter >> 2) & !alnum >> 3;
    begins & (five | four | inward)
}

/// The words that the address of a device begins with: `1a:2b:3c` or `2001:`.
fn addresses(digit: u64, alnum: u64, signs: u64, colon: u64) -> u64 {
    let words = alnum & !(alnum << 1);
    let pair = alnum & alnum >> 1;
    let pairs = pair & signs >> 2 & pair >> 3 & signs >> 5 & pair >> 6;
    let four = digit & pair & pair >> 2 & colon >> 4 & (alnum | colon) >> 5;
    words & (pairs | four)
}

/// The digits behind a plus sign with digits behind them and no more than two bytes between, and those that lie
/// as in `(ddd) ddd`.
fn signed_digits(digit: u64, plus: u64, open: u64) -> u64 {
    let behind = eight(digit | digit << 1 | digit << 2);
    let three = digit & digit >> 1 & digit >> 2;
    digit & plus << 1 & behind | open << 1 & three & three >> 5
}

/// Where eight consecutive bits or more are set.
fn eight(bits: u64) -> u64 {
    let two = bits & bits >> 1;
    let four = two & two >> 2;
    four & four >> 4
}

/// A number of a telephone that begins with a sign.
fn signed(text: &str, sign: usize) -> Option<PersonalHit> {
    let bytes = text.as_bytes();
    match bytes.get(sign)? {
        b'(' => Some(PersonalHit { name: "phone", span: phone::bracketed(bytes, sign)? }),
        b'+' => phone::international(text, sign, byte_before(bytes, sign)),
        _ => None,
    }
}

/// Tells whether a number is a part of something else: of a fraction, of a longer row of groups, of a network, or of a
/// resource's name at Amazon. A letter and a power of two are a name in a program, `P134217728`.
fn is_part_of_other(text: &str, hit: &PersonalHit) -> bool {
    const NAME_MAX: usize = 64;
    let bytes = text.as_bytes();
    let number = bytes.get(hit.span.clone()).unwrap_or_default();
    let before = bytes.get(..hit.span.start).unwrap_or_default();
    let near = before.get(before.len().saturating_sub(NAME_MAX)..).unwrap_or_default();
    let word = near.rsplit(|byte| byte.is_ascii_whitespace() || b"\"'`".contains(byte)).next();
    let is_plain = number.iter().all(u8::is_ascii_digit);
    let is_fraction = matches!(before, [.., b'0'..=b'9', b'.']);
    let is_named = || word.is_some_and(|word| word.windows(7).any(|part| part == b"arn:aws"));
    let power = std::str::from_utf8(number.get(1..).unwrap_or_default());
    let power = power.ok().and_then(|power| power.parse().ok());
    is_plain && (is_fraction || is_named())
        || !is_plain && power.is_some_and(u64::is_power_of_two)
        || is_in_row(bytes, &hit.span)
        || is_network(text, hit)
}

/// Tells whether a number in groups of one length is a part of a longer row of such groups, of a table or a dump, or of
/// an address with colons.
fn is_in_row(bytes: &[u8], span: &Range<usize>) -> bool {
    let number = bytes.get(span.clone()).unwrap_or_default();
    let mut groups = number.split(|byte| !byte.is_ascii_alphanumeric()).map(<[u8]>::len);
    let Some(len) = groups.next().filter(|len| *len > 2 && groups.all(|other| other == *len))
    else {
        return false;
    };
    let Some(sign) = number.get(len) else { return false };
    let reach = 2 * len + 3;
    let behind = bytes.get(span.start.saturating_sub(reach)..span.start).unwrap_or_default();
    let ahead = bytes.get(span.end..bytes.len().min(span.end + reach)).unwrap_or_default();
    let is_joint = |byte: &u8| byte == sign || *byte == b'\n';
    let is_group = |group: &&[u8]| group.len() == len && group.iter().all(u8::is_ascii_hexdigit);
    let before = behind.strip_suffix(&[*sign]).into_iter().flat_map(|all| all.rsplit(is_joint));
    let after = ahead.strip_prefix(&[*sign]).into_iter().flat_map(|all| all.split(is_joint));
    let count = before.take_while(is_group).count() + after.take_while(is_group).count();
    // One more group may be another number.
    let least = if *sign == b' ' { 2 } else { 1 };
    *sign == b':' && (behind.ends_with(b":") || ahead.starts_with(b":")) || count >= least
}

/// Tells whether what follows an address says that it is one of a network, which begins with it.
fn is_network(text: &str, hit: &PersonalHit) -> bool {
    let bits = || {
        let rest = text.get(hit.span.end..)?.strip_prefix('/')?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let len = rest.get(..digits)?.parse().ok()?;
        Some(match text.get(hit.span.clone())?.parse().ok()? {
            IpAddr::V4(address) => address.to_bits().checked_shl(len)? == 0,
            IpAddr::V6(address) => address.to_bits().checked_shl(len)? == 0,
        })
    };
    bits().unwrap_or(false)
}

/// The byte before a position.
fn byte_before(bytes: &[u8], at: usize) -> Option<u8> {
    at.checked_sub(1).and_then(|at| bytes.get(at)).copied()
}

/// A line in which there may be numbers.
struct Line<'a, F> {
    text: &'a str,
    byte_classes: &'a ByteClasses,
    /// Where digits are dense, from the line on.
    digit_regions: &'a [Range<usize>],
    range: Range<usize>,
    /// How far it was looked at, and what is known of it so far.
    seen: usize,
    table: Table,
    hits: Vec<PersonalHit>,
    each: F,
    /// Where the last number ends, or the last word that may have begun one.
    floor: usize,
    /// How many words may have begun one.
    tried: usize,
}

impl<'a, F: FnMut(PersonalHit)> Line<'a, F> {
    /// A line is not read further than this to either side of where digits are dense.
    const FAR: usize = 400;

    fn new(
        text: &'a str,
        byte_classes: &'a ByteClasses,
        digit_regions: &'a [Range<usize>],
        each: F,
    ) -> Self {
        let (range, table, hits) = (0..0, Table::default(), Vec::new());
        Self {
            text,
            byte_classes,
            digit_regions,
            range,
            seen: 0,
            table,
            hits,
            each,
            floor: 0,
            tried: 0,
        }
    }

    /// Looks for a number with the first digit of its first word, or of its second, at a place, and tells how
    /// far nothing more is to be looked for.
    fn visit(&mut self, place: usize) -> usize {
        /// A table is looked for after so many words.
        const OFTEN: usize = 16;
        // The word that the digit stands in.
        let start = place - self.byte_classes.alnum.run_back(place, self.floor);
        let hit = self.number(start).filter(|hit| !is_part_of_other(self.text, hit));
        self.tried += 1;
        if self.tried.is_multiple_of(OFTEN) || hit.is_some() {
            self.reach(start);
        }
        self.floor = match hit {
            Some(hit) => self.add(hit),
            None => place + self.byte_classes.alnum.run_to(place, self.text.len()),
        };
        if self.table.is_over() { self.floor.max(self.range.end) } else { self.floor }
    }

    /// The number that begins with a word, which has a digit, or with a letter or two in front of it.
    fn number(&mut self, start: usize) -> Option<PersonalHit> {
        if let Some(hit) = special::find(self.text, self.byte_classes, start) {
            return Some(hit);
        }
        let bytes = self.text.as_bytes();
        match byte_before(bytes, start) {
            Some(b'(' | b'+') => {
                if let Some(hit) = signed(self.text, start - 1) {
                    return Some(hit);
                }
            }
            Some(b' ' | b'-' | b'.' | b'/') if start > self.floor => {
                let floor = self.floor.max((start - 1).saturating_sub(5));
                let letters = self.byte_classes.alnum.run_back(start - 1, floor);
                let from = start - 1 - letters;
                // More letters than two are a word, unless they are capital.
                let head = bytes.get(from..start - 1).unwrap_or_default();
                let may = letters < 3 || head.iter().all(u8::is_ascii_uppercase);
                if (1..=4).contains(&letters)
                    && may
                    && let Some(hit) = self.number_from(from, start)
                {
                    return Some(hit);
                }
            }
            _ => {}
        }
        self.number_from(start, start)
    }

    /// The number that begins at a position, if the line is no table as far as a word.
    fn number_from(&mut self, start: usize, word: usize) -> Option<PersonalHit> {
        let readings = Readings::of(self.text.as_bytes(), self.byte_classes, start)?;
        self.reach(word);
        if self.table.is_over() { None } else { readings.name(self.text, self.byte_classes) }
    }

    /// Looks at the line as far as a place, which may be in a later line than the last.
    fn reach(&mut self, place: usize) {
        if place >= self.range.end {
            self.close();
            while let [region, rest @ ..] = self.digit_regions
                && region.end <= place
            {
                self.digit_regions = rest;
            }
            let region = self.digit_regions.first().cloned().unwrap_or(place..place);
            let feed = &self.byte_classes.feed;
            let from = region.start.saturating_sub(Self::FAR).max(self.range.end);
            let start = feed.last(from, place).map_or(from, |at| at + 1);
            let to = (region.end + Self::FAR).min(self.text.len());
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
        while let Some(digit) = self.byte_classes.digit.next(self.seen, end) {
            self.table.follow();
            if self.table.is_over() {
                return;
            }
            let start = digit - self.byte_classes.alnum.run_back(digit, self.seen);
            self.seen = self.word(start);
        }
    }

    /// Adds a word to the table, and tells where it ends.
    fn word(&mut self, start: usize) -> usize {
        let word = start..start + self.byte_classes.alnum.run_to(start, self.range.end);
        self.table.add(self.text.as_bytes(), self.byte_classes, &word);
        word.end
    }

    /// Adds a number, and tells where it ends.
    fn add(&mut self, hit: PersonalHit) -> usize {
        self.table.named += 1;
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

/// What tells a table: how many words of a line are long numbers that nobody's name is known for, and how
/// many may be any. A list of customers has many numbers, too, of which most are named.
#[derive(Default)]
struct Table {
    long: usize,
    any: usize,
    /// How many numbers were named.
    named: usize,
    /// Whether more words follow than a line has that is not a table.
    over: bool,
}

impl Table {
    /// More long numbers than this for each one that is named make a table.
    const LONG_MAX: usize = 5;
    /// More candidates make a table, however long the line is, and so many more for each number that is
    /// named after the first.
    const ANY_MAX: usize = 63;
    const ANY_EACH: usize = 16;

    /// Adds a word that has digits.
    fn add(&mut self, bytes: &[u8], byte_classes: &ByteClasses, word: &Range<usize>) {
        let long = word.len() >= 8 && byte_classes.digit.run_to(word.start, word.end) == word.len();
        let glued = byte_before(bytes, word.start).is_some_and(is_glue);
        self.long += usize::from(long);
        self.any += usize::from(!glued && word.len() >= 3);
    }

    /// Says that one more word follows.
    fn follow(&mut self) {
        let more = Self::ANY_EACH * self.named.saturating_sub(1);
        self.over |= self.any > Self::ANY_MAX + more;
    }

    fn is_over(&self) -> bool {
        self.over || self.long > Self::LONG_MAX * self.named.max(1)
    }
}

/// What is glued to other characters is a part of something else.
fn is_glue(byte: u8) -> bool {
    matches!(byte, b'_' | b'$' | b'#' | b'@' | b'\\' | b'|')
}
