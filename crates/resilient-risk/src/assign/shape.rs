//! The shapes of values: what people choose as a password, what chance writes, what is a name or an expression of a program.

use std::ops::RangeInclusive;

use memchr::memmem;

use super::super::placeholder;
use super::super::tables::SLUGS;
use super::super::token::{Kind, TokenStats};

/// Passwords are so long.
pub(super) const LENS: RangeInclusive<usize> = 7..=80;

/// Tells whether a value is words with a number and a sign that no name has, as people choose passwords: `Summer2024!`,
/// `Castle.Falcon12!`.
fn is_chosen(value: &[u8]) -> bool {
    let stats = TokenStats::of(value);
    let signs = value.iter().filter(|byte| is_symbol(**byte) || !byte.is_ascii()).count();
    let marks = value.iter().filter(|byte| b"-_.".contains(byte)).count();
    let is_all = stats.lower + stats.upper + stats.digits + signs + marks == stats.len;
    is_all && stats.lower > 0 && stats.upper > 0 && stats.digits > 0 && signs > 0
        || is_word_with_number(value)
}

/// Tells whether a value is a word, a number and signs that end no name: `summer2024!`.
pub(super) fn is_word_with_number(value: &[u8]) -> bool {
    const WORD_MIN: usize = 4;
    /// So many letters have a number of one digit.
    const WORDS_MIN: usize = 7;
    let len = |from: usize, is: fn(&u8) -> bool| {
        value.get(from..).unwrap_or_default().iter().take_while(|byte| is(byte)).count()
    };
    let word = len(0, u8::is_ascii_alphabetic);
    let digits = len(word, u8::is_ascii_digit);
    let signs = len(word + digits, |byte| is_symbol(*byte));
    // `paris!123`: no program counts with such a sign.
    let is_before = || {
        let number = len(word + 1, u8::is_ascii_digit);
        let is_sign = matches!(value.get(word), Some(b'!' | b'$'));
        is_sign && number >= 2 && word + 1 + number == value.len()
    };
    let is_behind = (1..=2).contains(&signs) && word + digits + signs == value.len();
    word >= WORD_MIN
        && (is_behind && (digits >= 2 || digits == 1 && word >= WORDS_MIN) || is_before())
}

/// Tells whether a value is a word or two and a number of three digits or more, perhaps with a letter behind it, as people choose
/// passwords that may have no sign: `Summer2024`, `2024Summer`, `Summer_2024`. None of the words has to do with passwords.
pub(super) fn is_words_with_number(value: &[u8]) -> bool {
    const WORDS: RangeInclusive<usize> = 4..=20;
    let count = |text: &[u8], is: fn(&u8) -> bool| text.iter().take_while(|byte| is(byte)).count();
    let lead = value.split_at_checked(count(value, u8::is_ascii_digit)).unwrap_or_default();
    let (word, rest) = match lead {
        (number, word) if !number.is_empty() && word.iter().all(u8::is_ascii_alphabetic) => {
            (word, number)
        }
        _ => value.split_at_checked(count(value, u8::is_ascii_alphabetic)).unwrap_or_default(),
    };
    let words = word.len();
    let is_capital = word.first().is_some_and(u8::is_ascii_uppercase);
    if !is_capital && !lead.0.is_empty() {
        return false;
    }
    // What has a small letter before such a sign is a name.
    let rest = match rest {
        [b'_' | b'.', rest @ ..] if is_capital => rest,
        _ => rest,
    };
    let digits = count(rest, u8::is_ascii_digit);
    // `Falcon5786b`, `Tiger1990falcon`
    let has_tail = || {
        let tail = rest.get(digits..).unwrap_or_default();
        (tail.len() == 1 || WORDS.contains(&tail.len())) && tail.iter().all(u8::is_ascii_lowercase)
    };
    let mut lower = word.to_ascii_lowercase();
    // These words end as `key` does.
    for other in [&b"monkey"[..], b"hockey", b"turkey", b"donkey", b"whiskey"] {
        while let Some(at) = memmem::find(&lower, other) {
            lower.drain(at..at + other.len());
        }
    }
    let is_spelled = |two: &[u8]| matches!(two, [before, b'0' | b'1' | b'3' | b'4' | b'5' | b'7', b'a'..=b'z'] if before.is_ascii_alphabetic());
    // `c0ffeeDr4gon66`
    let is_leet = || {
        value.len() >= 10
            && value.iter().all(u8::is_ascii_alphanumeric)
            && value.iter().any(u8::is_ascii_uppercase)
            && value.windows(3).filter(|three| is_spelled(three)).count() >= 2
    };
    is_leet()
        || WORDS.contains(&words)
            && (3..=6).contains(&digits)
            && (rest.len() == digits || has_tail())
            && word.iter().skip(1).any(u8::is_ascii_lowercase)
            && !SLUGS.iter().any(|slug| lower.ends_with(slug))
            && !NAME_PARTS.iter().any(|part| memmem::find(&lower, part).is_some())
            && !placeholder::is_dummy(value)
}

/// Tells whether a value is words with a number that may name a user or a thing as well: chance has not drawn it.
pub(super) fn may_name(value: &[u8]) -> bool {
    let letters = value.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let rest = value.get(letters..).unwrap_or_default();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_plain = letters > 0 && rest.len() - digits <= 1;
    is_plain && is_words_with_number(value) && !TokenStats::of(value).is_drawn()
}

/// Tells whether a value is one that people choose as a password, in one word or in several. Names of variables with operators
/// between them are none, but words with a capital are words: `oldPass1+salt`, `Winter*Tiger842`.
pub(super) fn is_memorable(value: &[u8]) -> bool {
    let is_word = |part: &[u8]| match part {
        [b'A'..=b'Z', rest @ ..] => {
            let letters = rest.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
            letters > 1 && rest.iter().skip(letters).all(u8::is_ascii_digit)
        }
        _ => false,
    };
    let operands = || value.split(|byte| is_operator(*byte));
    let are_names = || {
        let begins_name = |part: &[u8]| !part.first().is_some_and(u8::is_ascii_digit);
        operands().all(begins_name) && !operands().any(is_word) && is_expression(value)
    };
    is_chosen(value) && !are_names() || is_passphrase(value)
}

/// Tells whether a value is a name of a program, and no password that people choose.
pub(super) fn is_name(value: &[u8]) -> bool {
    TokenStats::of(value).is_name() && !is_memorable(value)
}

/// Tells whether a value has so many signs among its letters and digits as no code has: `w8$k(2&v…`, as Django makes keys.
pub(super) fn is_dense(value: &[u8]) -> bool {
    const LEN_MIN: usize = 32;
    const SIGNS_MIN: usize = 5;
    let is_own =
        |byte: &u8| byte.is_ascii_alphanumeric() || is_symbol(*byte) || b"()-_=".contains(byte);
    let is_mixed = || {
        let stats = TokenStats::of(value);
        stats.digits >= 2 && stats.changes * 2 >= stats.len
    };
    value.len() >= LEN_MIN
        && value.iter().filter(|byte| is_symbol(**byte)).count() >= SIGNS_MIN
        && value.iter().all(is_own)
        && is_mixed()
        && !is_expression(value)
        && !placeholder::is_dummy(value)
}

/// Tells whether a value may be an expression of a program: names and numbers with operators between them,
/// `((x+0x80)&0xff)*65536`. Chance puts signs beside each other that no program does, and a digit before a letter.
fn is_expression(value: &[u8]) -> bool {
    let is_operand = |part: &[u8]| {
        let is_digits = |rest: &[u8]| rest.iter().all(u8::is_ascii_digit);
        match part {
            [b'0', b'x' | b'X', rest @ ..] => rest.iter().all(u8::is_ascii_hexdigit),
            [b'0'..=b'9', rest @ ..] => is_digits(
                rest.strip_suffix(b"L").or_else(|| rest.strip_suffix(b"u")).unwrap_or(rest),
            ),
            _ => true,
        }
    };
    let fits = |two: &[u8]| match two {
        [b'*', b'*'] | [b'&', b'&'] | [b'=' | b'!' | b'^' | b'+' | b'&' | b'*', b'='] => true,
        // A bracket ends an operand, and an operator stands behind it.
        [b')', next] => b"+-*/%^&=!)".contains(next),
        [b'$', next] => next.is_ascii_alphabetic() || *next == b'(',
        [sign, next] if is_operator(*sign) => {
            next.is_ascii_alphanumeric() || b"(~-_$".contains(next)
        }
        [_, next] => !b"#@?~".contains(next),
        _ => true,
    };
    let is_whole = value.last().is_some_and(|last| *last == b')' || !is_operator(*last));
    is_whole && value.split(|byte| is_operator(*byte)).all(is_operand) && value.windows(2).all(fits)
}

const fn is_operator(byte: u8) -> bool {
    !byte.is_ascii_alphanumeric() && byte != b'_'
}

/// Parts of names that have to do with passwords: `MySqlDbPassword`, `ErrWrongPwd`.
const NAME_PARTS: [&[u8]; 14] = [
    b"pass", b"pwd", b"sql", b"secret", b"token", b"auth", b"hash", b"user", b"field", b"key",
    b"cred", b"login", b"error", b"input",
];

/// Tells whether a value is letters of both cases and none of words: chance makes such pairs, and so many changes of case.
pub(super) fn is_scrambled(value: &[u8]) -> bool {
    const LEN_MIN: usize = 10;
    let stats = TokenStats::of(value);
    let are_letters = stats.kind == Kind::Letters && stats.len >= LEN_MIN;
    let is_mixed = stats.changes * 3 >= stats.len;
    are_letters && is_mixed && stats.rare_bigrams * 5 > stats.bigrams && !is_camel(value) && {
        let lower = value.to_ascii_lowercase();
        !NAME_PARTS.iter().any(|part| memmem::find(&lower, part).is_some())
    }
}

/// Tells whether letters are short words that begin with a capital, and perhaps an abbreviation at an end: `msSqlSaPwd`,
/// `RheinMainGmbH`. Chance rarely writes a token so.
fn is_camel(letters: &[u8]) -> bool {
    const LEAD_MAX: usize = 4;
    const TAIL_MAX: usize = 3;
    let lead = letters.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    let tail = letters.iter().rev().take_while(|byte| byte.is_ascii_uppercase()).count();
    let humps = letters.get(lead..letters.len() - tail).unwrap_or_default();
    let is_two = |two: &[u8]| two.iter().all(u8::is_ascii_uppercase);
    let words = humps.iter().filter(|byte| byte.is_ascii_uppercase()).count();
    // Of two letters are not all of them.
    let are_words = words > 0 && humps.len() * 2 >= words * 5;
    lead <= LEAD_MAX && tail <= TAIL_MAX && are_words && !humps.windows(2).any(is_two)
}

/// Tells whether a value is four groups of four letters of chance, as Google makes them for programs.
pub(super) fn is_grouped(value: &[u8]) -> bool {
    let groups = || value.split(|byte| *byte == b' ');
    value.len() == 19
        && groups().all(|group| group.len() == 4 && group.iter().all(u8::is_ascii_lowercase))
        && !TokenStats::of(value).is_wordlike()
}

/// Tells whether a value is words with dashes between them, as people choose passwords: of both cases, and with a number. If
/// the words are two, the number has two digits and ends a word: `Castle-banana42`. None of the words names a thing that has to
/// do with passwords, as those of `user-Password-2-input` do.
pub(super) fn is_passphrase(value: &[u8]) -> bool {
    const LEN_MIN: usize = 12;
    let parts = || value.split(|byte| *byte == b'-');
    let is_pair = parts().count() == 2;
    let has = |is: fn(&u8) -> bool| value.iter().any(is);
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_word = |part: &[u8]| {
        let digits = part.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let word = part.get(..part.len() - digits).unwrap_or_default();
        !part.is_empty()
            && part.iter().all(u8::is_ascii_alphanumeric)
            && (!is_pair || word.iter().all(u8::is_ascii_alphabetic))
            && !SLUGS.iter().any(|slug| word.eq_ignore_ascii_case(slug))
    };
    LENS.contains(&value.len())
        && value.len() >= LEN_MIN
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && value.contains(&b'-')
        && digits >= if is_pair { 2 } else { 1 }
        && parts().all(is_word)
        && !placeholder::is_dummy(value)
}

/// Tells whether a value is words and numbers with signs between them, as things are named: `prod-db-2024`, `pbkdf2_sha256`.
pub(super) fn is_slug(value: &[u8]) -> bool {
    let is_sign = |byte: &u8| b"-_./:".contains(byte);
    value.iter().any(is_sign)
        && value.split(is_sign).all(|part| {
            let letters = part.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
            let rest = part.get(letters..).unwrap_or_default();
            rest.len() <= 4 && rest.iter().all(u8::is_ascii_digit)
        })
}

pub(super) const fn is_symbol(byte: u8) -> bool {
    matches!(byte, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'~' | b'?' | b'+')
}
