//! The numbers that states give people, by their check digits and dates.

use std::cell::LazyCell;

use super::super::checksum::{luhn, verhoeff, weighted};
use super::{Form, Number, Short};

/// The forms of numbers with letters.
const FORMS: [u32; 22] = [
    form("9999999A"),
    form("99999999A"),
    form("9999999AA"),
    form("A9999999A"),
    form("AA999999A"),
    form("A99999999"),
    form("AA9999999"),
    form("999999999A"),
    form("AAAAA9999A"),
    form("A999999999"),
    form("AAA9999999"),
    form("999999A999A"),
    form("999999A9999"),
    form("9A99A99AA99"),
    form("9A99AA9AA99"),
    form("9AA9A99AA99"),
    form("9AA9AA9AA99"),
    form("99999999999A"),
    form("AAAAAA99A99A999A"),
    form("AAAA999999AAAAAA99"),
    form("AAAA999999AAAAAAA9"),
    form("99999999999999999A"),
];

/// A form, of which none is long.
const fn form(written: &str) -> u32 {
    Form::of(written).0 as u32
}

/// The first eight characters of all forms, as bits.
#[expect(clippy::indexing_slicing, reason = "an index out of bounds would not compile")]
const HEADS: [u64; 4] = {
    let mut heads = [0; 4];
    let mut rest = FORMS.as_slice();
    while let [form, after @ ..] = rest {
        heads[(*form as usize & 255) / 64] |= 1 << (*form % 64);
        rest = after;
    }
    heads
};

/// Tells whether a number with letters begins with such eight characters.
#[inline(always)]
pub(super) fn may_begin(head: Form) -> bool {
    let head = (head.0 & 255) as usize;
    HEADS.get(head / 64).is_some_and(|heads| heads >> (head % 64) & 1 == 1)
}

/// Tells whether a number with letters has such a form.
#[inline(always)]
pub(super) fn is_form(form: Form) -> bool {
    // All are compared: which one it is, if any, cannot be guessed.
    u32::try_from(form.0)
        .is_ok_and(|form| FORMS.iter().fold(false, |is, known| is | (form == *known)))
}

/// Two digits as a number.
fn two(digits: &[u8], at: usize) -> u32 {
    match digits.get(at..at + 2) {
        Some([tens, ones]) => u32::from(tens - b'0') * 10 + u32::from(ones - b'0'),
        _ => 0,
    }
}

fn value(digits: &[u8]) -> u64 {
    digits.iter().take(18).fold(0, |value, digit| value * 10 + u64::from(digit - b'0'))
}

fn last(digits: &[u8]) -> u32 {
    digits.last().map_or(0, |digit| u32::from(digit - b'0'))
}

fn is_day(month: u32, day: u32) -> bool {
    (1..=12).contains(&month) && (1..=31).contains(&day)
}

/// Names the country whose number this is.
pub(super) fn name(number: &Number<'_>) -> Option<&'static str> {
    if !number.all_digits() {
        return with_letters(number);
    }
    let same = || number.compact().iter().all(|digit| number.compact().first() == Some(digit));
    of_digits(number).filter(|_| !same())
}

/// How a number is written, and what announces it, excludes more than its digits do, and is asked
/// first.
fn of_digits(number: &Number<'_>) -> Option<&'static str> {
    let d = LazyCell::new(|| number.compact());
    let digit = |nth: usize| d.get(nth).map_or(99, |digit| u32::from(digit - b'0'));
    let seps = number.seps;
    let plain = seps.is_empty();
    match number.len() {
        8 | 9 if rut(number) => Some("national_id_cl"),
        9 => {
            // American numbers written with spaces or dots.
            let social = matches!(seps, [(3, a), (6, b)] if a == b && b" .".contains(a));
            if social
                && !matches!(value(d.get(..3)?), 0 | 666)
                && two(&d, 3) > 0
                && value(d.get(5..)?) > 0
            {
                return Some("national_id_us");
            }
            let itin = matches!(seps, [(3, b'-'), (6, b'-')])
                || number.announced(&["itin", "taxpayer", "tax id"]);
            if itin && digit(0) == 9 && matches!(two(&d, 3), 50..=65 | 70..=88 | 90..=92 | 94..=99)
            {
                return Some("national_id_us_tax");
            }
            let canadian = match seps {
                [(3, b'-'), (7, b'-')] => true,
                [(3, a), (7, b)] if a == b && number.announced(&["nas"]) => true,
                _ => number.announced(&["sin", "social insurance", "assurance sociale"]),
            };
            if canadian && luhn(&d) {
                return Some("national_id_ca");
            }
            if number.announced(&["bsn", "burgerservicenummer", "sofinummer"])
                && (weighted(&d, &[9, 8, 7, 6, 5, 4, 3, 2]) + 11 - last(&d)).is_multiple_of(11)
            {
                return Some("national_id_nl");
            }
            if number.announced(&["תעודת זהות", "teudat zehut", "israeli id", "מספר זהות"])
                && luhn(&d)
            {
                return Some("national_id_il");
            }
            if number.announced(&["tfn", "tax file"])
                && weighted(&d, &[1, 4, 3, 7, 5, 8, 6, 9, 10]).is_multiple_of(11)
            {
                return Some("national_id_au_tax");
            }
            if number.announced(&["nif", "contribuinte", "número fiscal"])
                && (weighted(&d, &[9, 8, 7, 6, 5, 4, 3, 2]) + last(&d)) % 11 <= 1
            {
                return Some("national_id_pt");
            }
            number
                .announced(&["ssn", "social security", "passport", "pasaporte", "reisepass"])
                .then_some("national_id_announced")
        }
        10 => {
            if matches!(seps, [(6, b'-' | b'+')]) && finnish(&d, d.last().copied()) {
                return Some("national_id_fi");
            }
            let swedish = matches!(seps, [(6, b'-' | b'+')])
                || plain
                    && number.announced(&[
                        "pnr",
                        "personnummer",
                        "personal identity",
                        "identity code",
                        "samordningsnummer",
                    ]);
            if swedish && is_day(two(&d, 2), two(&d, 4) % 60) && luhn(&d) {
                return Some("national_id_se");
            }
            if matches!(seps, [(6, b'-')])
                && number.announced(&["cpr", "personnummer", "cpr-nummer"])
                && is_day(two(&d, 2), two(&d, 0))
            {
                return Some("national_id_dk");
            }
            let medicare = matches!(seps, [(4, _), (10, _)]) || number.announced(&["medicare"]);
            if medicare
                && matches!(digit(0), 2..=6)
                && weighted(&d, &[1, 3, 7, 9, 1, 3, 7, 9]) % 10 == digit(8)
            {
                return Some("national_id_au_medicare");
            }
            // Telephones are written so, too.
            let telephone =
                matches!(seps, [(3, b'-' | b'.'), (7, _)]) && digit(0) > 1 && digit(3) > 1;
            let nhs = matches!(seps, [(3, a), (7, b)] if a == b) && !telephone
                || number.announced(&["nhs", "health service"]);
            if nhs {
                let rest = 11 - weighted(&d, &[10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11;
                if rest % 11 == last(&d) && rest != 10 {
                    return Some("national_id_uk_nhs");
                }
            }
            if number.announced(&["egn", "егн"])
                && weighted(&d, &[2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11 % 10 == last(&d)
                && is_day(two(&d, 2) % 20, two(&d, 4))
            {
                return Some("national_id_bg");
            }
            let czech = matches!(seps, [(6, b'/')]) || number.announced(&["rodné", "rodne", "rc"]);
            if czech && is_day(two(&d, 2) % 50 % 20, two(&d, 4)) && value(&d).is_multiple_of(11) {
                return Some("national_id_cz");
            }
            number.announced(&["passport", "svnr", "nip"]).then_some("national_id_announced")
        }
        11 => {
            let polish = plain
                && is_day(two(&d, 2) % 20, two(&d, 4))
                && weighted(&d, &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]).is_multiple_of(10);
            if polish {
                return Some("national_id_pl");
            }
            if plain && turkish(&d) {
                return Some("national_id_tr");
            }
            let brazilian = matches!(seps, [(3, b'.'), (7, b'.'), (11, b'-')])
                || number.announced(&["cpf", "cadastro"]);
            if brazilian && cpf(&d) {
                return Some("national_id_br");
            }
            if is_day(two(&d, 2) % 40, two(&d, 0) % 40) {
                let first = (11 - weighted(&d, &[3, 7, 6, 1, 8, 9, 4, 5, 2]) % 11) % 11;
                let second = (11 - weighted(&d, &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11) % 11;
                if first == digit(9) && second == last(&d) {
                    return Some("national_id_no");
                }
            }
            let belgian =
                !plain || number.announced(&["rijksregister", "registre national", "niss", "insz"]);
            if belgian && is_day(two(&d, 2) % 20, two(&d, 4)) {
                let body = value(d.get(..9)?);
                let check = u64::from(two(&d, 9));
                if 97 - body % 97 == check || 97 - (2_000_000_000 + body) % 97 == check {
                    return Some("national_id_be");
                }
            }
            if number.announced(&[
                "steuer",
                "steuer-id",
                "idnr",
                "identifikationsnummer",
                "tin",
                "steuernummer",
            ]) {
                return Some("national_id_de");
            }
            if number.announced(&["oib"]) && mod_11_10(&d) {
                return Some("national_id_hr");
            }
            let abn =
                matches!(seps, [(2, b' '), (6, b' '), (10, b' ')]) || number.announced(&["abn"]);
            if abn
                && (weighted(&d, &[10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) + 890 - 10)
                    .is_multiple_of(89)
            {
                return Some("national_id_au_abn");
            }
            number
                .announced(&["pesel", "isikukood", "asmens kodas", "cpf"])
                .then_some("national_id_announced")
        }
        12 => {
            let indian = (plain || matches!(seps, [(4, a), (9, b)] if a == b))
                && digit(0) >= 2
                && verhoeff(&d);
            if indian || number.announced(&["aadhaar", "aadhar", "uidai", "आधार"]) {
                return Some("national_id_in");
            }
            let swedish = (plain || matches!(seps, [(8, b'-' | b'+')]))
                && matches!(two(&d, 0), 18..=20)
                && is_day(two(&d, 4), two(&d, 6) % 60)
                && luhn(d.get(2..)?);
            if swedish {
                return Some("national_id_se");
            }
            number
                .announced(&["マイナンバー", "my number", "инн", "cccd"])
                .then_some("national_id_announced")
        }
        13 => {
            let clock = plain && matches!(two(&d, 0), 14..=18);
            let dashed = matches!(seps, [(6, b'-')]);
            let korean = (plain || dashed)
                && is_day(two(&d, 2), two(&d, 4))
                && matches!(digit(6), 1..=8)
                && (dashed || {
                    let sum = weighted(&d, &[2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]);
                    (11 - sum % 11) % 10 == last(&d)
                });
            if korean {
                return Some("national_id_kr");
            }
            let thai =
                seps.iter().all(|(_, sep)| b"- ".contains(sep)) && matches!(digit(0), 1..=8) && {
                    let sum = weighted(&d, &[13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
                    (11 - sum % 11) % 10 == last(&d)
                };
            let thai_words = ["tnin", "บัตรประชาชน", "ประจำตัวประชาชน", "thai", "เลขประจำตัว"];
            let rounded = || d.iter().filter(|digit| **digit == b'0').count() >= 6;
            if thai && (!clock || rounded() || number.announced(&thai_words)) {
                return Some("national_id_th");
            }
            let south_african =
                plain && is_day(two(&d, 2), two(&d, 4)) && matches!(digit(10), 0..=2) && luhn(&d);
            if south_african && (!clock || number.announced(&["rsa", "said", "id"])) {
                return Some("national_id_za");
            }
            if number.announced(&["cnp", "cod numeric"])
                && is_day(two(&d, 3), two(&d, 5))
                && weighted(&d, &[2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11 % 10 == last(&d)
            {
                return Some("national_id_ro");
            }
            let swiss = !clock && two(&d, 0) == 75 && digit(2) == 6 && {
                let sum: u32 = d
                    .iter()
                    .take(12)
                    .enumerate()
                    .map(|(nth, digit)| u32::from(digit - b'0') * if nth % 2 == 0 { 1 } else { 3 })
                    .sum();
                (10 - sum % 10) % 10 == last(&d)
            };
            if swiss {
                return Some("national_id_ch");
            }
            number
                .announced(&["permanent resident", "rsa id", "emšo", "jmbg", "cnic"])
                .then_some("national_id_announced")
        }
        14 => {
            let company = matches!(seps, [(2, b'.'), (6, b'.'), (10, b'/'), (15, b'-')]);
            (company || number.announced(&["cnpj"])).then_some("national_id_br_company")
        }
        15 => {
            let french = matches!(digit(0), 1 | 2)
                && (1..=12).contains(&(two(&d, 3) % 20))
                && 97 - value(d.get(..13)?) % 97 == u64::from(two(&d, 13));
            french.then_some("national_id_fr")
        }
        18 => chinese(&d).then_some("national_id_cn"),
        _ => None,
    }
}

/// Croatia's check, ISO 7064.
fn mod_11_10(d: &[u8]) -> bool {
    let carry = d.iter().take(10).fold(10, |carry, digit| {
        let sum = (carry + u32::from(digit - b'0')) % 10;
        (if sum == 0 { 10 } else { sum }) * 2 % 11
    });
    (11 - carry) % 10 == last(d)
}

fn turkish(d: &[u8]) -> bool {
    let digit = |at: usize| d.get(at).map_or(0, |digit| u32::from(digit - b'0'));
    let odd: u32 = [0, 2, 4, 6, 8].into_iter().map(digit).sum();
    let even: u32 = [1, 3, 5, 7].into_iter().map(digit).sum();
    let tenth = (odd * 7 + 90 - even) % 10;
    let sum: u32 = (0..10).map(digit).sum();
    digit(0) != 0 && tenth == digit(9) && sum % 10 == digit(10)
}

fn cpf(d: &[u8]) -> bool {
    let check = |weights: &[u32]| match weighted(d, weights) % 11 {
        0 | 1 => 0,
        rest => 11 - rest,
    };
    check(&[10, 9, 8, 7, 6, 5, 4, 3, 2]) == u32::from(d.get(9).map_or(0, |x| x - b'0'))
        && check(&[11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) == last(d)
}

fn chinese(compact: &[u8]) -> bool {
    let Some((body, check)) = compact.split_last_chunk::<1>() else { return false };
    let digits = body.len() == 17 && body.iter().all(u8::is_ascii_digit);
    if !digits || !matches!(two(body, 6), 18..=20) || !is_day(two(body, 10), two(body, 12)) {
        return false;
    }
    let sum = weighted(body, &[7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]);
    b"10X98765432".get((sum % 11) as usize) == check.first()
}

fn with_letters(number: &Number<'_>) -> Option<&'static str> {
    let c = number.compact();
    let raw = number.raw();
    let at = |nth: usize| c.get(nth).copied().unwrap_or(0);
    // A letter in a number is a capital, but for a last one.
    let lower = raw.bytes().filter(u8::is_ascii_lowercase).count();
    let form = Short::of(c.iter().map(|byte| if byte.is_ascii_digit() { b'9' } else { b'A' }));
    let digits = Short::of(c.iter().copied().filter(u8::is_ascii_digit));
    let digits: &[u8] = &digits;
    match std::str::from_utf8(&form).ok()? {
        "A9999999A" if lower == 0 => {
            let sum = weighted(digits, &[2, 7, 6, 5, 4, 3, 2]);
            let (sum, table): (u32, &[u8; 11]) = match at(0) {
                b'S' => (sum, b"JZIHGFEDCBA"),
                b'T' => (sum + 4, b"JZIHGFEDCBA"),
                b'F' => (sum, b"XWUTRQPNMLK"),
                b'G' => (sum + 4, b"XWUTRQPNMLK"),
                b'M' => (sum + 3, b"KLJNPQRTUWX"),
                b'X' | b'Y' | b'Z' => {
                    let lead = value(digits) + u64::from(at(0) - b'X') * 10_000_000;
                    return (spanish(lead) == Some(at(8))).then_some("national_id_es_foreign");
                }
                _ => return None,
            };
            // The form is rare enough to stand without its check letter.
            let fits = table.get((sum % 11) as usize) == Some(&at(8));
            (fits || table.contains(&at(8))).then_some("national_id_sg")
        }
        "9999999A" | "99999999A" if rut(number) => Some("national_id_cl"),
        "99999999A" if lower <= 1 => {
            (spanish(value(digits)) == Some(at(8))).then_some("national_id_es")
        }
        "9999999A" | "9999999AA" if lower == 0 && raw.len() <= 9 => {
            let extra =
                if c.len() == 9 && at(8) != b'W' { u32::from(at(8) - b'A' + 1) * 9 } else { 0 };
            let sum = weighted(digits, &[8, 7, 6, 5, 4, 3, 2]) + extra;
            let fits = b"WABCDEFGHIJKLMNOPQRSTUV".get((sum % 23) as usize) == Some(&at(7));
            (fits && number.announced(&["pps", "ppsn", "personal public"]))
                .then_some("national_id_ie")
        }
        "999999A999A" | "999999A9999" if b"ABCDEFUVWXY".contains(&at(6)) => {
            finnish(digits, c.last().copied()).then_some("national_id_fi")
        }
        "999999999A" if raw.len() == 11 && matches!(raw.as_bytes().get(6), Some(b'-' | b'+')) => {
            finnish(digits, c.last().copied()).then_some("national_id_fi")
        }
        "AA999999A" => {
            let letters = !b"DFIQUV".contains(&at(0)) && !b"DFIQUVO".contains(&at(1));
            let tail = (b'A'..=b'D').contains(&at(8));
            (letters && tail && (lower == 0 || lower == 3)).then_some("national_id_uk")
        }
        "AAAAA9999A" if lower == 0 && !number.separated() => (b"PCHABGJLFTK".contains(&at(3))
            || number.announced(&["pan"]))
        .then_some("national_id_in_pan"),
        "AAAAAA99A99A999A" if !number.separated() => {
            let month = b"ABCDEHLMPRST".contains(&at(8));
            let day = (1..=71).contains(&two(c, 9));
            (month && day).then_some("national_id_it")
        }
        "AAAA999999AAAAAA99" | "AAAA999999AAAAAAA9" if lower == 0 => {
            (matches!(at(10), b'H' | b'M' | b'X') && is_day(two(c, 6), two(c, 8)))
                .then_some("national_id_mx")
        }
        "99999999999999999A" => chinese(c).then_some("national_id_cn"),
        text if is_mbi(c) && lower == 0 && text.len() == 11 => {
            let dashed = matches!(raw.as_bytes().get(4), Some(b'-')) && raw.len() == 13;
            (dashed || number.announced(&["mbi", "medicare", "beneficiary"]))
                .then_some("national_id_us_medicare")
        }
        "999999999A" | "99999999999A" | "A999999999" | "A99999999" | "AA9999999" | "AAA9999999" => {
            number
                .announced(&[
                    "passport",
                    "passeport",
                    "reisepass",
                    "pasaporte",
                    "passaporto",
                    "voter",
                    "epic",
                    "identity card",
                    "carta d'identità",
                    "personalausweis",
                    "driver",
                    "license",
                    "patente",
                ])
                .then_some("national_id_announced")
        }
        _ => None,
    }
}

/// Chile: `12.345.678-K`, or `12345678-K` where a word announces it.
fn rut(number: &Number<'_>) -> bool {
    let is_written = match *number.seps {
        [(one, b'.'), (two, b'.'), (last, b'-')] => {
            matches!(one, 1 | 2) && two - one == 4 && last - two == 4
        }
        [(7 | 8, b'-')] => number.announced(&["rut", "rol único", "rol unico", "cédula", "cedula"]),
        _ => false,
    };
    if !is_written {
        return false;
    }
    let Some((body, check)) = number.compact().split_last_chunk::<1>() else { return false };
    if !(7..=8).contains(&body.len()) || !body.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let sum: u32 = body
        .iter()
        .rev()
        .zip([2, 3, 4, 5, 6, 7].into_iter().cycle())
        .map(|(digit, weight)| u32::from(digit - b'0') * weight)
        .sum();
    let expected = match 11 - sum % 11 {
        11 => b'0',
        10 => b'K',
        rest => b'0' + u8::try_from(rest).unwrap_or(0),
    };
    check.first() == Some(&expected)
}

fn spanish(value: u64) -> Option<u8> {
    b"TRWAGMYFPDXBNJZSQVHLCKE".get((value % 23) as usize).copied()
}

fn finnish(digits: &[u8], check: Option<u8>) -> bool {
    if digits.len() < 9 || !is_day(two(digits, 2), two(digits, 0)) {
        return false;
    }
    let body = value(digits.get(..9).unwrap_or_default());
    b"0123456789ABCDEFHJKLMNPRSTUVWXY".get((body % 31) as usize).copied() == check
}

/// American Medicare: digits and letters by turns.
fn is_mbi(c: &[u8]) -> bool {
    let letter = |byte: u8| byte.is_ascii_uppercase() && !b"SLOIBZ".contains(&byte);
    let either = |byte: u8| letter(byte) || byte.is_ascii_digit();
    c.len() == 11
        && c.iter().enumerate().all(|(nth, &byte)| match nth {
            0 => (b'1'..=b'9').contains(&byte),
            1 | 4 | 7 | 8 => letter(byte),
            2 | 5 => either(byte),
            _ => byte.is_ascii_digit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_computed_as_published() {
        assert_eq!(spanish(12_345_678), Some(b'Z'));
        assert!(turkish(b"10000000146") && !turkish(b"10000000147"));
        assert!(cpf(b"52998224725") && !cpf(b"52998224724"));
        assert!(chinese(b"11010519491231002X"));
        assert!(finnish(b"131052308", Some(b'T')));
    }
}
