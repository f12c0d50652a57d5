//! Where the numbers that begin at one place may end. Masks show it before anything is copied.

use std::cell::OnceCell;

use super::super::bits::GROUP;
use super::super::bits::ones;
use super::super::byte_classes::ByteClasses;
use super::super::work;
use super::context::{Context, low};
use super::number::{Form, Number, Short};
use super::table::{self, NumberPlace};
use super::{PersonalHit, byte_before, is_glue};

/// Letters, digits, and single bytes between them.
fn joined(alnum: u64) -> u64 {
    alnum | alnum << 1 & alnum >> 1
}

/// Where a number has digits enough, if it has its first here: as far as letters, digits and single
/// bytes between them go, but not further than `NEAR`.
fn reach(alnum: u64) -> u64 {
    low((joined(alnum).trailing_ones() as usize).min(NEAR))
}

/// Any number has so many digits where it begins.
const DIGITS_MIN: u32 = 4;
/// So near to its first character.
const NEAR: usize = 20;
/// The shortest number, with its separators.
const LEN_MIN: usize = 8;

/// Where the numbers may be over that begin at one place.
pub(super) struct Readings {
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
    /// No number without letters has more digits.
    const DIGITS_MAX: usize = 19;

    /// Looks at the forms of what begins at a place, if any number may.
    pub(super) fn of(bytes: &[u8], byte_classes: &ByteClasses, start: usize) -> Option<Self> {
        let (alnum, digit) = (byte_classes.alnum.from(start), byte_classes.digit.from(start));
        let near = reach(alnum);
        let least = DIGITS_MIN + (digit & 1) as u32;
        if near <= low(LEN_MIN - 1) || (digit & near).count_ones() < least {
            return None;
        }
        let byte = |at: usize| bytes.get(start + at).copied().unwrap_or(b'\n');
        // What begins with a short group must go on.
        let first = alnum.trailing_ones() as usize;
        if first < LEN_MIN && !joins(first, byte(first), byte(first + 1)) {
            return None;
        }
        if !may_begin(alnum, digit) {
            return None;
        }
        let before = byte_before(bytes, start);
        if before.is_some_and(is_glue) || begins_other(bytes, start, alnum, digit) {
            return None;
        }
        let mut readings = Self {
            start,
            alnum,
            form: Form(1),
            ends: 0,
            joined: matches!(before, Some(b'.' | b'-' | b'/')),
        };
        let (mut digits, mut len, mut at) = (0, 0, 0);
        for _ in 0..Self::GROUPS_MAX {
            let group = (alnum >> at).trailing_ones() as usize;
            digits |= (digit >> at & low(group)) << len;
            (len, at) = (len + group, at + group);
            if group == 0 || len > Short::LEN_MAX {
                break;
            }
            readings.form = Form(digits | 1 << len);
            if len > Self::DIGITS_MAX && readings.form.all_digits() {
                break;
            }
            let (sep, next) = (byte(at), byte(at + 1));
            let glued = matches!(sep, b'_' | b'@')
                || matches!(sep, b'.' | b'-') && next.is_ascii_alphanumeric();
            if !glued && may_be_named(readings.form, at) {
                readings.ends |= 1 << (at - 1);
            }
            if !joins(group, sep, next) || at >= 47 {
                break;
            }
            at += 1;
        }
        (readings.ends != 0).then_some(readings)
    }

    /// The number of the longest reading that is one.
    pub(super) fn name(&self, text: &str, byte_classes: &ByteClasses) -> Option<PersonalHit> {
        let compact = OnceCell::new();
        let mut ends = self.ends;
        let longest = GROUP - ends.leading_zeros() as usize;
        let mut seps = [(0, 0); Self::GROUPS_MAX];
        for (slot, at) in seps.iter_mut().zip(ones(!self.alnum & low(longest))) {
            *slot = (at, text.as_bytes().get(self.start + at).copied().unwrap_or(0));
        }
        // Where there is no letter near any of them, nothing announces one of them.
        let silent = Context::is_silent(byte_classes, &(self.start..self.start + longest));
        while ends != 0 {
            let len = GROUP - ends.leading_zeros() as usize;
            ends &= low(len - 1);
            let signs = (!self.alnum & low(len)).count_ones() as usize;
            let form = Form(self.form.0 & low(len - signs) | 1 << (len - signs));
            let (start, end) = (self.start, self.start + len);
            let item = signs == 0 && form.all_digits() && is_item(text.as_bytes(), start, end);
            if silent && (item || !table::stands_alone(form.len(), signs)) {
                continue;
            }
            work::spend(len);
            let signs = seps.get(..signs)?;
            let raw = text.get(start..end)?;
            let small = raw.bytes().filter(u8::is_ascii_lowercase).count();
            // Letters are all capital or all small.
            if small > 0 && raw.bytes().any(|byte| byte.is_ascii_uppercase()) {
                continue;
            }
            let number = Number {
                text,
                byte_classes,
                span: start..end,
                signs,
                form,
                compact: &compact,
                context: if silent { Context::Silent.into() } else { OnceCell::new() },
            };
            let constant = item && text.as_bytes().get(end) == Some(&b';');
            let place = NumberPlace { item, constant, after_sign: self.joined };
            if let Some(name) = table::name(&number, place)? {
                return Some(PersonalHit { name, span: number.span });
            }
        }
        None
    }
}

/// Tells whether a byte joins a group of so many letters and digits to what follows.
fn joins(group: usize, sep: u8, next: u8) -> bool {
    matches!(sep, b' ' | b'-' | b'.' | b'/') && next.is_ascii_alphanumeric()
        || sep == b':' && group == 4 && next.is_ascii_digit()
}

/// Tells whether the first group, about which much is known, begins something else: letters are
/// capitals, and a fraction is not a number of this kind.
fn begins_other(bytes: &[u8], start: usize, alnum: u64, digit: u64) -> bool {
    let byte = |at: usize| bytes.get(start + at).copied().filter(|byte| *byte != b'\n');
    let len = (alnum.trailing_ones() as usize).min(NEAR);
    let next = byte(len).filter(|_| len < NEAR).unwrap_or(b' ');
    if digit.trailing_ones() as usize >= len {
        if len > 19 || len == 1 && byte(0) == Some(b'0') {
            return true;
        }
    } else {
        let group = bytes.get(start..start + len).unwrap_or_default();
        let mut small = group.iter().filter(|byte| byte.is_ascii_lowercase());
        if small.nth(1).is_some() && (len != 9 || small.count() != 1) {
            return true;
        }
    }
    // Two groups of digits with a dot between them are a fraction. A sentence ends with a dot, too.
    let rest = alnum >> (len + 1);
    let second = len + 1 + rest.trailing_ones() as usize;
    let goes_on = digit >> (len + 1) & 1 == 1;
    next == b'.' && goes_on && second < NEAR && byte(second).is_some_and(|byte| byte != b'.')
}

/// Tells whether a number without signs in it is an argument, or an item of a list, by what stands around it.
fn is_item(bytes: &[u8], start: usize, end: usize) -> bool {
    let before = byte_before(bytes, start);
    matches!(bytes.get(end), Some(b',' | b')' | b']' | b';' | b'}'))
        && matches!(before, Some(b'(' | b'[' | b'{' | b',' | b' ' | b'\t'))
}

/// Tells whether any number begins as these letters and digits do.
pub(super) fn may_begin(mut alnum: u64, mut digit: u64) -> bool {
    /// As many are asked about as all numbers with letters have.
    const HEAD: usize = 8;
    // A long word is one number or none.
    if alnum.trailing_ones() as usize >= LONG {
        return true;
    }
    // What joins the groups is left out.
    let word = alnum.trailing_ones() as usize >= HEAD;
    loop {
        let len = (alnum.trailing_ones() as usize).min(HEAD);
        let head = Form(digit & low(len) | 1 << len);
        if len == HEAD {
            return head.all_digits() || table::may_begin(head, word);
        }
        let rest = !low(len);
        (alnum, digit) = (alnum & !rest | alnum >> 1 & rest, digit & !rest | digit >> 1 & rest);
        if alnum >> len & 1 == 0 {
            return head.all_digits() && len >= 6;
        }
    }
}

/// A word so long has no signs.
const LONG: usize = 16;

/// Tells whether any number has a form, and is so long with its separators.
fn may_be_named(form: Form, len: usize) -> bool {
    let digits = form.len();
    if form.all_digits() {
        // Separators show the short ones.
        return (6..=19).contains(&digits) & (len >= LEN_MIN);
    }
    len >= LEN_MIN && table::is_form(form, len == digits)
}
