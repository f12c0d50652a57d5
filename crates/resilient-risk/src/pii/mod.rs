//! Personal data: telephone numbers, accounts, cards and the numbers that states give people.
//!
//! A number alone proves little. It counts when its form is rare, or when its check digits fit, or
//! when a word of its language announces it; a check that fails is overruled by such a word, and
//! never the other way round. Lines that hold many long numbers without a name are tables and are left alone.

mod account;
mod national;
mod near;
mod number;
mod phone;
mod readings;

use std::ops::Range;

use fearless_simd::prelude::*;

use self::near::low;
use self::number::{Form, Number, Short};
use self::readings::Readings;
use super::bits::ones;
use super::lanes::{GROUP, Lanes};
use super::marks::Marks;
use super::work;

/// One personal number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) name: &'static str,
    pub(super) span: Range<usize>,
}

/// Finds personal numbers where digits are dense.
#[inline(always)]
pub(super) fn find<S: Simd>(
    simd: S,
    text: &str,
    marks: &Marks,
    dense: &[Range<usize>],
    each: impl FnMut(Hit),
) {
    let mut line = Line::new(text, marks, dense, each);
    let mut at = 0;
    // Any number begins where digits are dense.
    let mut starts = Starts { here: 0..0, dense: dense.iter() };
    let mut windows = Windows::default();
    while windows.fill(simd, text.as_bytes(), marks, &mut starts) {
        for (start, mut found) in windows.look() {
            let base = start.saturating_sub(Windows::BEFORE);
            let mut next = at.max(start);
            loop {
                found &= u64::MAX.checked_shl((next - base) as u32).unwrap_or(0);
                if found == 0 {
                    break;
                }
                next = line.visit(base + found.trailing_zeros() as usize);
                at = next;
            }
        }
    }
    line.close();
}

/// Where the windows begin that cover some stretches.
struct Starts<'a> {
    /// What is left of a stretch.
    here: Range<usize>,
    dense: std::slice::Iter<'a, Range<usize>>,
}

impl Iterator for Starts<'_> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.here.is_empty() {
            self.here = self.dense.next()?.clone();
        }
        let start = self.here.start;
        self.here.start += Windows::STEP;
        Some(start)
    }
}

/// Parts of a text that are looked at together: what their bytes are, a bit for each.
#[derive(Default)]
struct Windows {
    len: usize,
    starts: [usize; Self::LEN],
    digit: [u64; Self::LEN],
    alnum: [u64; Self::LEN],
    /// What may stand between letters and digits of a number.
    signs: [u64; Self::LEN],
    /// What numbers of telephones begin with.
    plus: [u64; Self::LEN],
    open: [u64; Self::LEN],
}

impl Windows {
    /// So many are looked at together.
    const LEN: usize = 16;
    /// So much is seen before and after what is judged: a word has its first digit after six letters at
    /// most, and with no more than eight bytes from there on a number is told from most others.
    const BEFORE: usize = 8;
    const AFTER: usize = 8;
    /// So much is judged.
    const STEP: usize = GROUP - Self::BEFORE - Self::AFTER;

    /// Reads the next windows, and tells whether there are any.
    #[inline(always)]
    fn fill<S: Simd>(
        &mut self,
        simd: S,
        bytes: &[u8],
        marks: &Marks,
        from: &mut impl Iterator<Item = usize>,
    ) -> bool {
        let Self { len, starts, digit, alnum, signs, plus, open } = self;
        *len = starts.iter_mut().zip(from).map(|(to, start)| *to = start).count();
        work::spend(*len);
        let bits = digit.iter_mut().zip(alnum).zip(signs).zip(plus).zip(open);
        let starts = starts.iter().take(*len);
        for (((((digit, alnum), signs), plus), open), start) in bits.zip(starts) {
            let base = start.saturating_sub(Self::BEFORE);
            let group = Lanes::at(simd, bytes, base);
            (*digit, *alnum) = (marks.digit.from(base), marks.alnum.from(base));
            *signs = (group.is(b' ') | group.lies(b'-', 3) | group.is(b':')).to_bitmask();
            [*plus, *open] = [b'+', b'('].map(|sign| group.is(sign).to_bitmask());
        }
        *len > 0
    }

    /// Where the windows start that have first digits of words that a number may begin with, and these digits.
    #[inline(always)]
    fn look(&self) -> impl Iterator<Item = (usize, u64)> {
        let Self { len, starts, digit, alnum, signs, plus, open } = self;
        let mut found = [0; Self::LEN];
        let bits = digit.iter().zip(alnum).zip(signs).zip(plus).zip(open);
        // Nothing else is done in this loop, which may then take several windows at once.
        for (found, ((((digit, alnum), signs), plus), open)) in found.iter_mut().zip(bits) {
            let inside = low(GROUP - Self::AFTER);
            *found = (plain(*digit, *alnum, *signs) | signed_digits(*digit, *plus, *open)) & inside;
        }
        // Which windows have one is not to be guessed.
        let some =
            found.iter().take(*len).rev().fold(0, |some, it| some << 1 | u64::from(*it != 0));
        ones(some).filter_map(move |nth| starts.get(nth).copied().zip(found.get(nth).copied()))
    }
}

/// The first digits of words that a number may begin with, or that it goes on with after a letter or two.
#[inline(always)]
fn plain(digit: u64, alnum: u64, signs: u64) -> u64 {
    let letter = alnum & !digit;
    let words = alnum & !(alnum << 1);
    // To add its first bit to a row of letters moves the bit behind the row.
    let first = (words & letter).wrapping_add(letter) & digit | words & digit;
    let signs = signs & alnum << 1 & alnum >> 1;
    // A letter or two in front may belong to the number: `AB 12 34 56 C`.
    let apart = words & signs << 1 & letter << 2;
    let (one, two) = (apart & !alnum << 3, apart & letter << 3 & !alnum << 4);
    // A number has eight letters and digits or more, and its first digit is one of the first seven.
    let heads = words & eight(alnum | signs) | one | two;
    let heads = heads | heads << 1;
    let heads = heads | heads << 2;
    let heads = heads | heads << 3;
    // From there on most have six digits and single signs between them.
    let row = digit | signs & digit << 1 & digit >> 1;
    let row = row & row >> 1;
    let digits = row & row >> 2 & row >> 4;
    // The others begin like `GB29`, `1EG4T`, or in one word like `AAAAA9999A` or `AAAAAA99A`.
    let next = |nth: u32, kind: u64| kind >> nth | signs >> nth & kind >> (nth + 1);
    let country = (words << 2 | one << 1 | two) & next(1, digit);
    let others = letter << 1 & (words << 5 & digit >> 3 | words << 6 & letter >> 2);
    let apart = signs >> 1 | signs >> 2 | signs >> 3;
    let medicare = words & next(1, letter) & (apart | digit >> 3 & next(4, letter));
    first & heads & (digits | country | others | medicare)
}

/// The digits behind a plus sign with digits behind them and no more than two bytes between, and those that lie
/// as in `(ddd) ddd`.
#[inline(always)]
fn signed_digits(digit: u64, plus: u64, open: u64) -> u64 {
    let behind = eight(digit | digit << 1 | digit << 2);
    let three = digit & digit >> 1 & digit >> 2;
    digit & plus << 1 & behind | open << 1 & three & three >> 5
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

    /// Looks for a number with the first digit of its first word, or of its second, at a place, and tells how
    /// far nothing more is to be looked for.
    #[inline(always)]
    fn visit(&mut self, place: usize) -> usize {
        /// A table is looked for after so many words.
        const OFTEN: usize = 16;
        // The word that the digit stands in.
        let start = place - self.marks.alnum.run_back(place, self.floor);
        let hit = self.number(start);
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

    /// The number that begins with a word, which has a digit, or with a letter or two in front of it.
    #[inline(always)]
    fn number(&mut self, start: usize) -> Option<Hit> {
        let bytes = self.text.as_bytes();
        match byte_before(bytes, start) {
            Some(b'(' | b'+') => {
                if let Some(hit) = signed(self.text, start - 1) {
                    return Some(hit);
                }
            }
            Some(b' ' | b'-' | b'.' | b'/') if start > self.floor => {
                let floor = self.floor.max((start - 1).saturating_sub(3));
                let letters = self.marks.alnum.run_back(start - 1, floor);
                if matches!(letters, 1 | 2)
                    && let Some(hit) = self.number_from(start - 1 - letters, start)
                {
                    return Some(hit);
                }
            }
            _ => {}
        }
        self.number_from(start, start)
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
    /// Whether more words follow than a line has that is none.
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
    fn add(&mut self, bytes: &[u8], marks: &Marks, word: &Range<usize>) {
        let long = word.len() >= 8 && marks.digit.run_to(word.start, word.end) == word.len();
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
#[inline(always)]
fn is_glue(byte: u8) -> bool {
    matches!(byte, b'_' | b'$' | b'#' | b'@' | b'\\' | b'|')
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};

    use super::super::marks::Marks;
    use super::super::survey::Survey;
    use super::super::{Detection, Policy, score};
    use super::readings::may_begin;
    use super::*;

    fn found(text: &str) -> Vec<&'static str> {
        let mut names = Vec::new();
        let survey = Survey::of(text.as_bytes());
        let Survey { marks, dense, .. } = &*survey;
        dispatch!(Level::new(), simd => find(simd, text, marks, dense, |hit| names.push(hit.name)));
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
            ("12.345.678-5", "national_id_cl"),
            ("7.654.321-6", "national_id_cl"),
            ("RUT: 12345678-5", "national_id_cl"),
            ("RUT 10.000.013-K", "national_id_cl"),
            ("51 824 753 556", "national_id_au_abn"),
            ("ABN 51824753556", "national_id_au_abn"),
            ("943 476 5919", "national_id_uk_nhs"),
            ("NHS 943-476-5919", "national_id_uk_nhs"),
        ] {
            assert_eq!(found(text), [name], "{text}");
        }
        for text in ["12.345.678-6", "12345678-5", "51 824 753 557", "7.654.321-K"] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn one_number_is_one_finding_by_its_right_name() {
        let names = |text: &str| {
            let report = score(text, &Policy::default());
            let hits = report.detected_patterns.into_iter().map(|found| match found {
                Detection::Pattern(hit) => hit.pattern.into_owned(),
                Detection::Size(_) => String::new(),
            });
            hits.collect::<Vec<_>>()
        };
        for text in ["ssn: 123-45-6789", "tax id 912-70-1234", "call 123-45-6789"] {
            assert_eq!(names(text), ["ssn"], "{text}");
        }
        assert_eq!(names("415-555-2671"), ["phone"]);
    }

    #[test]
    fn punctuation_around_a_number_takes_nothing_from_it() {
        for (text, name) in [
            ("4111111111111111", "credit_card"),
            ("44051401458", "national_id_pl"),
            ("756.9217.0769.85", "national_id_ch"),
            ("529.982.247-25", "national_id_br"),
        ] {
            for (before, after) in [("", "."), ("", ". More text."), ("", ".\n"), ("'", "',")] {
                let text = [before, text, after].concat();
                assert_eq!(found(&text), [name], "{text}");
            }
        }
        for fraction in ["4111111111111111.25 x", "44051401458.5 ", "x 44051401458.25,"] {
            assert_eq!(found(fraction), Vec::<&str>::new(), "{fraction}");
        }
    }

    #[test]
    fn an_item_of_a_list_counts_where_a_word_announces_it() {
        for (text, names) in [
            ("{\"card\": 4111111111111111}", vec!["credit_card"]),
            ("values (7, 'visa', 4111111111111111)", vec!["credit_card"]),
            ("{\"pesel\": 44051401458, \"a\": 1}", vec!["national_id_pl"]),
            ("(nationalId 44051401458)", vec!["national_id_pl"]),
            ("{\"phone\": 4155552671, \"a\": 1}", vec!["phone"]),
            ("const PHONE_QUERY: u32 = 2147774600;", vec![]),
            ("f(4111111111111111)", vec![]),
            ("[44051401458, 44051401458]", vec![]),
            ("sizes: 44051401458, 7", vec![]),
        ] {
            assert_eq!(found(text), names, "{text}");
        }
    }

    #[test]
    fn any_number_of_named_numbers_makes_no_table() {
        for (text, name) in [
            ("4111 1111 1111 1111", "credit_card"),
            ("4111111111111111", "credit_card"),
            ("+44 20 7946 0958", "phone_international"),
        ] {
            for count in [6, 7, 40, 100] {
                let line = [text, " and "].concat().repeat(count);
                assert_eq!(found(&line), vec![name; count], "{count} {text}");
            }
        }
        let customer = "{\"name\":\"a\",\"zip\":\"12345\",\"card\":\"4111 1111 1111 1111\"},";
        assert_eq!(found(&customer.repeat(80)).len(), 80);
    }

    #[test]
    fn numbers_are_found_wherever_a_group_of_marks_begins() {
        for text in [
            "+1 (415) 555-0132",
            "(415) 555-0132",
            "GB29 NWBK 6016 1331 9268 19",
            "AB 12 34 56 C",
            "ABCPE1234F",
            "RSSMRA85T10A562S",
            "1EG4-TE5-MK73",
        ] {
            for before in 0..130 {
                assert_eq!(found(&(" ".repeat(before) + text)).len(), 1, "{before} {text}");
            }
        }
    }

    #[test]
    fn whatever_may_be_read_as_a_number_is_visited() {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut readings = 0;
        for _ in 0..20_000 {
            let draw = |_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                char::from(b"0123456789012345678901234567ABGB- ./"[(state >> 32) as usize % 36])
            };
            let text: String = (0..60).map(draw).collect();
            let bytes = text.as_bytes();
            let marks = Marks::of(bytes);
            let mut windows = Windows::default();
            let mut starts = (0..bytes.len()).step_by(Windows::STEP);
            let level = Level::baseline();
            let any = dispatch!(level, simd => windows.fill(simd, bytes, &marks, &mut starts));
            assert!(any);
            let found: Vec<(usize, u64)> = windows.look().collect();
            let is_found = |place: usize| {
                found.iter().any(|(start, found)| {
                    let base = start.saturating_sub(Windows::BEFORE);
                    found.checked_shr((place.max(base) - base) as u32).unwrap_or(0) & 1 == 1
                })
            };
            for start in marks.alnum.ones(0..bytes.len()) {
                let word = start..start + marks.alnum.run(start);
                let begins = start == 0 || !bytes[start - 1].is_ascii_alphanumeric();
                let Some(place) = marks.digit.next(start, word.end).filter(|_| begins) else {
                    continue;
                };
                if Readings::of(bytes, &marks, start).is_some() {
                    readings += 1;
                    assert!(is_found(place), "{start} {text}");
                }
            }
        }
        assert!(readings > 1000);
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
            "504 127 132 109",
        ] {
            assert_eq!(found(text), Vec::<&str>::new(), "{text}");
        }
    }
}
