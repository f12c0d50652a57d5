//! The tables of `data/people.toml`, as the build makes them, and which row a number is of.

use super::context::ContextWords;
use super::kinds::{Address, Need, Row, Signs, Wallet, Way, bit};
use super::number::{Form, Number};
pub(super) use made::*;

/// What the build made.
mod made {
    use super::super::kinds::{Check::*, Need::*, Shows::*, Signs::*, Sum::*};
    use super::{Address, ContextWords, Row, Wallet, Way};

    include!(concat!(env!("OUT_DIR"), "/people.rs"));
}

/// Tells whether a number with letters begins with such eight characters, with signs between them or as one word.
pub(super) fn may_begin(head: Form, word: bool) -> bool {
    let head = (head.0 & 255) as usize;
    let has = |heads: &[u64; 4]| heads.get(head / 64).is_some_and(|it| it >> (head % 64) & 1 == 1);
    let [any, plain] = &HEADS;
    has(any) || word && has(plain)
}

/// Tells whether a number with letters has such a form, with signs in it or as one word.
pub(super) fn is_form(form: Form, word: bool) -> bool {
    let masks = MASKS.get(form.len()).copied().unwrap_or_default();
    masks.iter().any(|(letters, digits, plain)| form.fits(*letters, *digits) && (word || !plain))
}

/// Tells whether any number has so many digits, no letters, and so many signs, where nothing announces it: most
/// columns of numbers and most dates have none.
pub(super) fn stands_alone(digits: usize, signs: usize) -> bool {
    ALONE.get(digits).is_some_and(|known| known >> signs.min(15) & 1 == 1)
}

/// The name of a number, if it has one. There is none at all where another pattern finds the number.
pub(super) fn name(number: &Number<'_>, place: NumberPlace) -> Option<Option<&'static str>> {
    let [lettered, digits] = WAYS.get(number.form.len()).copied().unwrap_or_default();
    let ways = if number.form.all_digits() { digits } else { lettered };
    let found = ways
        .iter()
        .filter(|way| number.form.fits(way.letters, way.digits))
        .filter_map(|way| Some((way, ROWS.get(way.row)?)))
        .find(|(way, row)| way.may_count(number, row) && way.counts(number, row, place));
    match found {
        Some((Way { need: Need::Elsewhere, .. }, _)) => None,
        found => Some(found.map(|(_, row)| row.name)),
    }
}

/// Where a number stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct NumberPlace {
    /// An argument, or an item of a list.
    pub(super) item: bool,
    /// What a statement ends behind.
    pub(super) constant: bool,
    pub(super) after_sign: bool,
}

impl Way {
    /// Tells whether a number is written in this form, and what announces it may be there. What excludes most is
    /// asked first.
    fn may_count(&self, number: &Number<'_>, row: &Row) -> bool {
        let needs_word = matches!(self.need, Need::CheckAndWord | Need::Word);
        self.joins(number, row)
            && (!needs_word || number.may_be_announced(&row.words))
            && self.has(number.compact(), row)
    }

    /// Tells whether the groups of a number are joined like those of this form.
    fn joins(&self, number: &Number<'_>, row: &Row) -> bool {
        let signs = number.signs;
        match self.signs {
            Signs::These(these) => {
                let same = |(at, sign): (&(usize, u8), &(usize, u8))| {
                    at.0 == sign.0
                        && (at.1 == sign.1
                            || at.1 == b'_' && signs.iter().all(|(_, all)| *all == sign.1))
                };
                these.len() == signs.len() && these.iter().zip(signs).all(same)
            }
            Signs::Any => {
                // So has most that is short and has no sign another meaning.
                let long = !signs.is_empty() || number.form.len() > 8 || !number.form.all_digits();
                let [least, most] = row.signs.unwrap_or([0, usize::MAX]);
                long && (least..=most).contains(&signs.len())
                    && signs.iter().all(|(_, sign)| *sign != b':')
                    && !number.is_date_or_list()
            }
            Signs::Groups => {
                let mut from = 0;
                let long = signs.iter().all(|(at, sign)| {
                    let len = at - std::mem::replace(&mut from, at + 1);
                    len >= 4 && matches!(sign, b' ' | b'-')
                });
                long && number.span.len() - from >= 3
            }
        }
    }

    /// Tells whether letters and digits are those of a number of this form.
    pub(super) fn has(&self, compact: &[u8], row: &Row) -> bool {
        let two = |at: usize| match compact.get(at..at + 2) {
            Some([tens, ones]) => u32::from(tens - b'0') * 10 + u32::from(ones - b'0'),
            _ => 0,
        };
        let month = |at| row.months.iter().fold(two(at), |month, all| month % all);
        let day = |at| row.days.map_or(two(at), |days| two(at) % days);
        let never = |digits: &&str| {
            digits.bytes().zip(compact).all(|(never, digit)| never == b'.' || never == *digit)
        };
        compact.len() == self.places.len()
            && compact.iter().zip(self.places).all(|(char, place)| place & bit(*char) != 0)
            && self.month.is_none_or(|at| (1..=12).contains(&month(at)))
            && self.day.is_none_or(|at| (1..=31).contains(&day(at)))
            && !row.never.iter().any(never)
    }

    /// Tells whether a number of this form has what it needs.
    fn counts(&self, number: &Number<'_>, row: &Row, place: NumberPlace) -> bool {
        let digits = number.form.all_digits();
        let compact = number.compact();
        // One digit alone is no number, and a round one is a limit or a constant.
        let zeros =
            || compact.iter().filter(|digit| **digit == b'0').count() * 10 > compact.len() * 9;
        if digits
            && (compact.iter().all(|digit| compact.first() == Some(digit))
                || self.need == Need::Check && zeros())
        {
            return false;
        }
        let announced = || number.announced(&row.words);
        let checked = || row.check.iter().all(|check| check.fits(number.raw(), compact));
        let fits = match self.need {
            Need::Elsewhere => return true,
            Need::CheckAndWord => announced() && checked(),
            Need::Form => true,
            Need::Check => checked(),
            Need::Word => !place.constant && announced(),
        };
        // A part of something longer is nobody's number, and of the constants of programs one in ten has a check digit
        // that fits.
        fits && (!place.after_sign || row.after_sign)
            && (!place.item || announced() || number.announced(&PERSON))
    }
}
