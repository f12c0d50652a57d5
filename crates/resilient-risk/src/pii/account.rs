//! Bank accounts and cards.

use super::super::checksum::{luhn, mod97};
use super::{Form, Number};

/// The length of an IBAN by country.
const IBAN: &str = "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BI27BR29BY28CH21CR22CY28CZ24DE22DJ27DK18DO28\
    EE20EG29ES24FI18FK18FO18FR27GB22GE22GI23GL18GR27GT28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28\
    LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MN20MR27MT31MU30NI28NL18NO15OM23PK24PL28PS29PT25QA29RO24\
    RS22RU33SA24SC31SD18SE24SI19SK24SM27SO23ST25SV28TL23TN24TR26UA29VA22VG24XK20YE30";

/// The same by the two letters of a country.
#[expect(clippy::indexing_slicing, reason = "an index out of bounds would not compile")]
const LENS: [u8; 32 * 32] = {
    let mut lens = [0; 32 * 32];
    let mut rest = IBAN.as_bytes();
    while let [first, second, tens, ones, after @ ..] = rest {
        lens[country(*first, *second)] = (*tens - b'0') * 10 + *ones - b'0';
        rest = after;
    }
    lens
};

/// How many letters and digits an account has that begins a text, by its country, or nothing. The
/// letters and digits of the text are known.
#[inline(always)]
pub(super) fn len(text: &[u8], alnum: u64) -> usize {
    let byte = |at: usize| text.get(at).copied().unwrap_or(0);
    let second = (alnum & !1).trailing_zeros() as usize;
    LENS.get(country(byte(0), byte(second))).copied().map_or(0, usize::from)
}

/// The place of a country by its two letters, in any case.
#[inline(always)]
const fn country(first: u8, second: u8) -> usize {
    (first & 31) as usize * 32 + (second & 31) as usize
}

/// Tells whether an account may have a form whose country has accounts of such a length.
#[inline(always)]
pub(super) fn is_form(form: Form, len: usize) -> bool {
    form.has_country() && form.len().abs_diff(len) <= 1
}

/// Names an account or a card, which may be an item of a list.
pub(super) fn name(number: &Number<'_>, item: bool) -> Option<&'static str> {
    iban(number).or_else(|| card(number, item))
}

fn iban(number: &Number<'_>) -> Option<&'static str> {
    // A number of digits alone has no country.
    if !number.form.has_country() {
        return None;
    }
    let compact = number.compact();
    let len = len(compact, u64::MAX);
    if !is_form(number.form, len) {
        return None;
    }
    let (head, rest) = compact.split_at_checked(4)?;
    let fits = compact.len() == len && mod97(rest.iter().chain(head).copied()) == 1;
    (fits || number.announced(&["iban"])).then_some("iban")
}

fn card(number: &Number<'_>, item: bool) -> Option<&'static str> {
    const WORDS: [&str; 14] = [
        "card",
        "credit",
        "visa",
        "mastercard",
        "amex",
        "debit",
        "cc",
        "pan",
        "kreditkarte",
        "tarjeta",
        "carte",
        "cartão",
        "carta",
        "карта",
    ];
    let len = number.len();
    if !number.all_digits() || !(12..=19).contains(&len) {
        return None;
    }
    // Cards are written in groups of four and more, of which the last may have three; shorter ones are lists of
    // small numbers.
    let mut from = 0;
    for (at, sep) in number.seps.iter().copied() {
        if at - from < 4 || b"./:".contains(&sep) {
            return None;
        }
        from = at + 1;
    }
    if number.span.len() - from < 3 {
        return None;
    }
    // An argument or an item of a list is a constant.
    if item && !number.announced(&WORDS) {
        return None;
    }
    let digits = number.compact();
    let head = |len: usize| {
        digits.iter().take(len).fold(0, |head, digit| head * 10 + u32::from(digit - b'0'))
    };
    let issued = match (head(1), head(2), head(4)) {
        (4, ..) => matches!(len, 13 | 16) || len == 19 && number.separated(),
        (_, 51..=55, _) | (_, _, 2221..=2720) => len == 16,
        (_, 34 | 37, _) => len == 15,
        (_, 36 | 38 | 39, _) | (_, _, 3000..=3059) => len == 14,
        (_, 35, _) => len == 16,
        (_, 60 | 62 | 64 | 65, _) => len == 16 || len == 19 && number.separated(),
        (_, 50 | 56..=58 | 63 | 67, _) => (12..=19).contains(&len),
        (1, ..) => len == 15,
        _ => false,
    };
    let zeros = digits.iter().filter(|digit| **digit == b'0').count();
    // A round number is a limit or a constant, unless it is written like a card.
    let round = zeros * 10 > len * 9;
    let fits = issued && !round && luhn(digits);
    (fits || issued && number.announced(&WORDS)).then_some("credit_card")
}
