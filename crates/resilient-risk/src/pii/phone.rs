//! Telephone numbers.

use super::{Hit, Number};

/// The country calling codes in use, without those that are a prefix of another.
const CODES: &str = " 1 20 211 212 213 216 218 220 221 222 223 224 225 226 227 228 229 230 231 232 \
    233 234 235 236 237 238 239 240 241 242 243 244 245 246 247 248 249 250 251 252 253 254 255 \
    256 257 258 260 261 262 263 264 265 266 267 268 269 27 290 291 297 298 299 30 31 32 33 34 350 \
    351 352 353 354 355 356 357 358 359 36 370 371 372 373 374 375 376 377 378 379 380 381 382 383 \
    385 386 387 389 39 40 41 420 421 423 43 44 45 46 47 48 49 500 501 502 503 504 505 506 507 508 \
    509 51 52 53 54 55 56 57 58 590 591 592 593 594 595 596 597 598 599 60 61 62 63 64 65 66 670 \
    672 673 674 675 676 677 678 679 680 681 682 683 685 686 687 688 689 690 691 692 7 800 81 82 84 \
    850 852 853 855 856 86 870 880 886 90 91 92 93 94 95 960 961 962 963 964 965 966 967 968 970 \
    971 972 973 974 975 976 977 98 992 993 994 995 996 998 ";

/// Words that announce a telephone number, in many languages.
const WORDS: [&str; 34] = [
    "phone",
    "telephone",
    "tel",
    "mobile",
    "cell",
    "fax",
    "call",
    "number",
    "sms",
    "whatsapp",
    "contact",
    "telefon",
    "handy",
    "rufnummer",
    "telefono",
    "teléfono",
    "móvil",
    "téléphone",
    "portable",
    "telefone",
    "celular",
    "telefoon",
    "puhelin",
    "telefonnummer",
    "телефон",
    "тел",
    "電話",
    "电话",
    "手机",
    "전화",
    "โทร",
    "טלפון",
    "هاتف",
    "फोन",
];

/// The name of numbers that begin with their country's code.
pub(super) const INTERNATIONAL: &str = "phone_international";

/// A number with its country's code: `+44 20 7946 0958`.
pub(super) fn international(text: &str, start: usize, before: Option<u8>) -> Option<Hit> {
    let bytes = text.as_bytes();
    let rest = bytes.get(start..)?;
    if rest.first() != Some(&b'+')
        || before.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_)].+$".contains(&byte))
        || bytes.get(start + 1).is_some_and(|byte| !byte.is_ascii_digit())
    {
        return None;
    }
    let mut digits = Vec::new();
    let (mut end, mut gap, mut groups) = (1, 0, 1);
    for (at, byte) in rest.iter().enumerate().skip(1).take(28) {
        if byte.is_ascii_digit() {
            digits.push(*byte);
            end = at + 1;
            groups += usize::from(gap > 0);
            gap = 0;
        } else if b" -.()".contains(byte) && gap < 2 {
            gap += 1;
        } else {
            break;
        }
    }
    let next = rest.get(end).copied().unwrap_or(b' ');
    if next.is_ascii_alphanumeric() || next == b'_' {
        return None;
    }
    let known = (1..=3).any(|len| {
        let code = digits.get(..len).and_then(|code| std::str::from_utf8(code).ok());
        code.is_some_and(|code| CODES.contains(&format!(" {code} ")))
    });
    let enough = if groups > 1 { 7 } else { 8 };
    (known && (enough..=15).contains(&digits.len()))
        .then_some(Hit { name: INTERNATIONAL, span: start..start + end })
}

/// A number as it is dialled inside a country: by its form, or announced.
pub(super) fn national(number: &Number<'_>) -> Option<&'static str> {
    if !number.all_digits() {
        return None;
    }
    let len = number.len();
    let seps = number.seps;
    let dashed = matches!(seps, [(3, a), (7, b)] if a == b && b"-.".contains(a));
    let large = |nth| number.compact().get(nth).is_some_and(|digit| *digit >= b'2');
    if len == 10 && dashed && large(0) && large(3) {
        return Some("phone");
    }
    let is_sep = |nth| seps.iter().find(|(at, _)| *at == nth).map(|(_, sep)| sep);
    let date = number.span.len() == 10 && is_sep(4).is_some() && is_sep(4) == is_sep(7);
    let fits = (7..=13).contains(&len) && seps.len() < 5 && !date;
    let telephone = fits
        && (number.separated() || len >= 9)
        && seps.iter().all(|(_, sep)| *sep != b':')
        && number.announced(&WORDS);
    telephone.then_some("phone")
}

/// `(415) 555-0132`: the area in brackets.
pub(super) fn bracketed(text: &[u8], at: usize) -> Option<std::ops::Range<usize>> {
    let form = text.get(at..at + 14)?;
    let digits = |range: std::ops::Range<usize>| {
        form.get(range).is_some_and(|part| part.iter().all(u8::is_ascii_digit))
    };
    let fits = form.first() == Some(&b'(')
        && form.get(4..6) == Some(b") ")
        && form.get(9).is_some_and(|byte| b"- .".contains(byte))
        && digits(1..4)
        && digits(6..9)
        && digits(10..14);
    fits.then_some(at..at + 14)
}
