//! Tells a value that is a password from a word, a dummy and code.

use std::ops::RangeInclusive;

use memchr::memmem;

use super::super::keywords::Keyword;
use super::super::tables::SLUGS;
use super::super::token::{Kind, TokenStats};
use super::super::{decode, placeholder};

/// Passwords are so long.
pub(super) const LENS: RangeInclusive<usize> = 7..=80;

/// So many hexadecimal digits are hardly a word with a number.
const HEX_MIN: usize = 12;

/// What a value stands in, which says what else it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Stand {
    /// A literal: no code.
    Literal,
    /// A field with an end of its own, such as the line of an entry: mostly no code.
    Field,
    /// No quotes, and any end.
    Bare,
    /// The same, behind a blank, where a type or the next word stands as well.
    Loose,
}

/// Where a value says that the secret stands elsewhere: `env:NAME`, `vault:path`. Behind `pass:` it follows.
const PLACES: [&[u8]; 7] = [b"env:", b"file:", b"vault:", b"op:", b"ssm:", b"secret:", b"pass:"];

/// What names an element of a page begins so, in tests of programs.
const ELEMENTS: [&[u8]; 7] =
    [b"#ctl00_", b"css=", b"data-testid=", b"mat-input-", b"role=", b"text=", b"xpath="];

/// Tells whether a value is a password rather than a word, a dummy or code.
pub(in super::super) fn is_password(value: &[u8], stand: Stand, word: Keyword) -> bool {
    // The values of keys are longer, and mostly names.
    const KEY_MIN: usize = 14;
    // Of letters alone the value of a key is longer still, and no name at all.
    const LETTERS_MIN: usize = 20;
    let is_long = || value.len() >= LETTERS_MIN && TokenStats::of(value).has_rare_bigrams();
    let is_key = word == Keyword::Key;
    let is_name = || value.len() < KEY_MIN || stand == Stand::Loose || value.contains(&b'.');
    if !LENS.contains(&value.len()) || is_key && is_name() {
        return false;
    }
    if is_key && matches!(stand, Stand::Field | Stand::Literal) && is_dense(value) {
        return true;
    }
    let stand = if is_key && stand == Stand::Field { Stand::Bare } else { stand };
    let is_literal = stand == Stand::Literal && !is_key;
    let is_quoted = stand == Stand::Literal;
    let is_sure = || is_grouped(value) || is_encoded(value);
    if word == Keyword::Password && stand != Stand::Loose && is_sure() {
        return true;
    }
    let count = |is: fn(u8) -> bool| value.iter().filter(|byte| is(**byte)).count();
    let letters = count(|byte| byte.is_ascii_alphabetic());
    let digits = count(|byte| byte.is_ascii_digit());
    let (symbols, code) = (count(is_symbol), count(is_code));
    // One without digits is a word, unless signs stand in it. `%NAME%` is a place for a value.
    let is_lettered = letters == value.len() && is_scrambled(value) && (!is_key || is_long());
    let is_telling =
        digits > 0 || is_lettered || is_quoted && value.first() != value.last() && symbols > 0;
    let is_spelled = || {
        let is_one = |byte: &u8| byte.is_ascii_graphic() || stand == Stand::Field && *byte == b' ';
        value.iter().all(is_one) || is_quoted && has_foreign_letters(value)
    };
    let is_place = || is_place(value) || word == Keyword::Sql && value.starts_with(b"%");
    if !is_telling || letters < 2 || !is_spelled() || is_place() {
        return false;
    }
    let marks = value.len() - letters - digits - symbols;
    // A bare value can be code. One in quotes may be a template, or a path with many marks.
    if !(is_literal || stand == Stand::Field) && (marks > 2 || code > 0)
        || stand == Stand::Field && is_balanced(value)
    {
        return false;
    }
    let stats = TokenStats::of(value);
    // The name of a type with the version of an interface before it: `V1SecretReference`.
    let is_versioned =
        matches!(value, [b'v' | b'V', b'0'..=b'9', ..]) && symbols == 0 && stats.is_name();
    // `main1,test2`
    let is_list = value.contains(&b',')
        && stats.upper == 0
        && value.split(|byte| *byte == b',').all(|part| TokenStats::of(part).is_name());
    if is_versioned || is_list || digits == 0 && stats.is_wordlike() {
        return false;
    }
    let symbols = symbols + code;
    let classes = [stats.lower, stats.upper, digits, symbols];
    let classes = classes.iter().filter(|count| **count > 0).count();
    let dense = stats.changes * 3 >= stats.len;
    // Paths and sentences have marks with fewer changes, and names with dashes fewer digits.
    let is_dashed = || {
        let is_own =
            |byte: &u8| byte.is_ascii_alphanumeric() || b"-_=".contains(byte) || is_symbol(*byte);
        let is_dense = dense && value.iter().all(is_own)
            || stats.changes * 2 >= stats.len
                && count(|byte| b"/ ".contains(&byte)) <= 1.max(value.len() / 8);
        is_dense && digits >= 2 && !stats.is_wordlike() && !stats.is_name()
    };
    let mixed =
        classes >= 3 && (symbols > 1 || (is_literal || stand == Stand::Field) && is_dashed());
    if marks > 2 && !mixed || code > 0 && is_template(value) {
        return false;
    }
    let is_hex = word == Keyword::Password
        && matches!(stats.kind, Kind::HexLower | Kind::HexUpper)
        && stats.len >= HEX_MIN;
    let is_field = (word, stand) == (Keyword::Password, Stand::Field);
    // Words with a number hardly have so many changes, or such pairs of letters.
    let changes_min = if stats.upper == 0 { 3 } else { 4 };
    let is_small = || match digits {
        0 => false,
        1 => stats.upper == 0 && stats.bigrams >= 4 && stats.rare_bigrams * 2 >= stats.bigrams,
        // Abbreviations have as few, before a number: `cfgdb12`.
        2 if stats.changes == 1 && stats.bigrams <= 4 => false,
        _ => stats.changes >= changes_min || stats.has_rare_bigrams(),
    };
    let strong = match (word, stand) {
        (Keyword::Key, _) => {
            is_lettered
                || classes >= 3
                    && dense
                    && digits >= 2
                    && (stats.rare_bigrams * 4 >= stats.bigrams
                        || digits >= 4
                        || stats.changes * 2 >= stats.len)
        }
        (_, Stand::Loose) => {
            let marked = value.iter().any(|byte| b"!@#$%^&*~?".contains(byte));
            classes >= 3 && (marked || dense && stats.changes >= 5)
        }
        (_, Stand::Bare | Stand::Field) => {
            is_lettered
                || classes >= 3 && (symbols > 0 || dense)
                || dense && stats.changes >= 4 && digits >= 3 && value.len() >= 8
                || is_field && !stats.is_name() && is_small()
                // `Castle-banana42`
                || is_field && classes >= 3 && digits >= 2 && value.contains(&b'-')
                || is_hex && stats.changes >= 3
        }
        (_, Stand::Literal) => {
            classes >= 3 && stats.changes >= 3
                || dense && stats.changes >= 4
                || stats.has_rare_bigrams() && digits >= 2
                || is_hex && stats.changes >= 3
        }
    };
    // An address or a path is none; a symbol at the end of a word alone is punctuation.
    let is_path = || value.windows(2).any(|two| matches!(two, b"->" | b"::" | b"//"));
    let is_path = || is_path() && !(symbols > 1 && stats.changes * 2 >= stats.len);
    // `/srv/node12`, `~/main/Client7`
    let is_rooted = || {
        let is_one = |part: &[u8]| part.len() < 3 || TokenStats::of(part).is_name();
        let mut parts = value.strip_prefix(b"~").unwrap_or(value).split(|byte| *byte == b'/');
        symbols == usize::from(value.starts_with(b"~"))
            && parts.next() == Some(b"")
            && parts.next().is_some_and(is_one)
            && parts.next().is_some_and(is_one)
            && parts.all(is_one)
    };
    strong && !is_path() && !is_rooted() && !placeholder::is_dummy(value)
}

/// Tells whether a value is a word with a number and a sign that no name has, as people choose passwords: `Summer2024!`.
fn is_chosen(value: &[u8]) -> bool {
    let stats = TokenStats::of(value);
    let signs = value.iter().filter(|byte| is_symbol(**byte)).count();
    let is_all = stats.lower + stats.upper + stats.digits + signs == stats.len;
    is_all && stats.lower > 0 && stats.upper > 0 && stats.digits > 0 && signs > 0
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

/// Tells whether a value is a place for another one, or the beginning of a pattern: `${NAME}`, `$NAME`, `^…`, `env:…`,
/// an element of a page, or a colour.
pub(super) fn is_place(value: &[u8]) -> bool {
    let is_variable = |rest: &[u8]| {
        // The notation of a hash has a name between two such signs: `$argon2id$…`.
        matches!(rest, [b'{' | b'(', ..])
            || rest.starts_with(b"argon2")
            || rest.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-.:/[]>".contains(byte))
    };
    let is_digits =
        |digits: &[u8]| matches!(digits.len(), 6 | 8) && digits.iter().all(u8::is_ascii_hexdigit);
    // Several, with signs between them: `$USER:$host2`, `%USER%-%host2%`. Of a shell one may stand alone, and other
    // letters beside it.
    let are_variables = |sign: &u8| {
        let is_shell = *sign == b'$';
        let mut parts = value.split(|byte| byte == sign).skip(1).peekable();
        let has_none = |part: &[u8]| !part.iter().any(u8::is_ascii_alphanumeric);
        let is_one = |part: &[u8]| is_variable_first(part) && (is_shell || is_variable_last(part));
        parts.next().is_some_and(is_one)
            && (is_shell || parts.peek().is_some())
            && parts.all(|part| has_none(part) || is_one(part))
    };
    value.strip_prefix(b"$").is_some_and(is_variable)
        || value.first().filter(|sign| b"$%@?:".contains(sign)).is_some_and(are_variables)
        || value.starts_with(b"^") && value.iter().any(|byte| b"[](){}\\.$|".contains(byte))
        || value.strip_prefix(b"#").is_some_and(|rest| is_digits(rest) || is_element(rest))
        || PLACES.iter().chain(&ELEMENTS).any(|place| value.starts_with(place))
}

/// Tells whether a text begins with the name of a variable: `USER!`, `dbPass2`, or `1`, and has not much behind it.
fn is_variable_first(text: &[u8]) -> bool {
    /// Behind a name stand signs, and so many letters and digits: `&b=`, `!23`.
    const MORE_MAX: usize = 3;
    let is_named = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let text = text.strip_prefix(b"env:").unwrap_or(text);
    let len = text.iter().position(|byte| !is_named(byte)).unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(len).unwrap_or((text, b""));
    let is_name = match name {
        [digit] => digit.is_ascii_alphanumeric(),
        [b'0'..=b'9', ..] | [] => false,
        // `dbPass2`, `APP_SECRET2`: digits stand at the end.
        _ => {
            let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
            let has_inner = name.iter().rev().skip(digits).any(u8::is_ascii_digit);
            digits <= 2 && !has_inner || !name.iter().any(u8::is_ascii_lowercase)
        }
    };
    let is_setting = || begins_setting(rest.get(1..).unwrap_or_default());
    let more = rest.iter().filter(|byte| byte.is_ascii_alphanumeric()).count();
    is_name && (more <= MORE_MAX || is_setting())
}

/// Tells whether a text is a name of more than a letter, which chance hardly writes, with signs alone behind it.
fn is_variable_last(text: &[u8]) -> bool {
    let is_named = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let len = text.iter().rposition(is_named).map_or(0, |last| last + 1);
    let name = text.get(..len).unwrap_or_default();
    // A capital letter begins a word, or all letters of it are capital: `dbUser`, `DB_USER`.
    let is_mixed = |three: &[u8]| {
        matches!(three, [b'A'..=b'Z', b'A'..=b'Z', b'a'..=b'z'])
            || matches!(three, [b'a'..=b'z', b'A'..=b'Z', next] if !next.is_ascii_lowercase())
    };
    let is_cut = matches!(name, [.., b'a'..=b'z', b'A'..=b'Z']);
    let is_word =
        !is_cut && !name.windows(3).any(is_mixed) && !TokenStats::of(name).has_rare_bigrams();
    len > 1 && name.iter().all(is_named) && is_word
}

/// Tells whether a text begins with a name of letters and the sign that assigns.
pub(super) fn begins_setting(text: &[u8]) -> bool {
    let is_name = |byte: &&u8| byte.is_ascii_alphabetic() || **byte == b'_';
    let name = text.iter().take_while(is_name).count();
    name > 1 && text.get(name) == Some(&b'=')
}

/// Tells whether a text is the name of an element, of several words: `cacheTest12`, `client-admin-5`.
fn is_element(name: &[u8]) -> bool {
    let is_border = |two: &[u8]| matches!(two, [b'a'..=b'z', b'A'..=b'Z' | b'-' | b'_']);
    name.first().is_some_and(u8::is_ascii_lowercase)
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(byte))
        && name.windows(2).any(is_border)
        && TokenStats::of(name).is_name()
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

/// Tells whether a value is base64 of a password, as npm and Kubernetes write them.
fn is_encoded(value: &[u8]) -> bool {
    let text = std::str::from_utf8(value).ok().and_then(decode::base64_text);
    text.is_some_and(|text| {
        let text = text.trim_ascii().as_bytes();
        !text.contains(&b' ') && is_password(text, Stand::Literal, Keyword::Sql)
    })
}

/// Tells whether all brackets and quotes of a value, if there are any, stand in pairs, as in code.
fn is_balanced(value: &[u8]) -> bool {
    let (mut open, mut pairs) = (Vec::new(), 0);
    for (at, byte) in value.iter().enumerate() {
        let opened = match byte {
            b')' => b'(',
            b']' => b'[',
            b'}' => b'{',
            b'"' | b'\'' | b'`' if open.contains(byte) => *byte,
            b'(' | b'[' | b'{' | b'"' | b'\'' | b'`' => {
                open.push(*byte);
                continue;
            }
            _ => continue,
        };
        if open.pop() != Some(opened) {
            // The last bracket may be that of a call around.
            return pairs > 0 && at + 1 == value.len();
        }
        pairs += 1;
    }
    open.is_empty() && pairs > 0
}

/// Tells whether a value is spelled with letters of other alphabets, too, but mostly without them.
fn has_foreign_letters(value: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let foreign = text.chars().filter(|char| !char.is_ascii()).count();
    foreign * 3 <= text.chars().count()
        && text.chars().all(|char| char.is_ascii_graphic() || char.is_alphabetic())
}

const fn is_symbol(byte: u8) -> bool {
    matches!(byte, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'~' | b'?' | b'+')
}

/// Tells whether a byte is a bracket or a bar, which are in the code of programs.
const fn is_code(byte: u8) -> bool {
    matches!(byte, b'{' | b'}' | b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'|')
}
/// Tells whether a value has an index or a call, or is mostly a place in brackets that something is put into.
fn is_template(value: &[u8]) -> bool {
    let named = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.:,'\"/@ ".contains(byte);
    let places = value.iter().enumerate().filter_map(|(at, open)| {
        let close = match open {
            b'{' => b'}',
            b'[' => b']',
            b'(' => b')',
            b'<' => b'>',
            _ => return None,
        };
        let (before, inside) = (value.get(..at)?, value.get(at + 1..)?);
        if matches!((open, inside.first()?), (b'{', b'{' | b'%') | (b'<', b'%')) {
            return Some(value.len());
        }
        let len = inside.iter().position(|byte| !named(byte))?;
        let name = inside.get(..len).filter(|_| inside.get(len) == Some(&close))?;
        let is_index = *open == b'[' && name.iter().all(u8::is_ascii_digit);
        let is_call = name.is_empty() && value.ends_with(b"()");
        let is_filled = matches!(before.last(), Some(b'$' | b'%' | b'#'));
        Some(if is_index || is_call || is_filled { value.len() } else { len + 2 })
    });
    places.max().unwrap_or(0) * 2 > value.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Before, a mark took the place of what a shell fills in.
    #[test]
    fn variables_of_a_shell_are_places_and_hashes_are_none() {
        for place in [
            "$DB_PASS!$DB_PASS",
            "$APP_SECRET2;B=$ENV",
            "$pass1-$dbPass",
            "$1$secret53",
            "$cfgdb13;",
            "$MainKey73-$appNew67",
            "$USER!23",
            "$POSTGRES_PASSWORD?x=1",
            "$USER:$HOST2",
            "$dbPass&user=$MYSQL_ROOT_PASSWORD",
            "$env:dbPass-$env:USER",
            "%dbPass-%dbUser",
            "%Db_84%",
            "@S3_KEY@-@pass1@",
            "?DB_PASS&?dbUser",
        ] {
            assert!(is_place(place.as_bytes()), "{place}");
        }
        for other in [
            "$k9Xw!2mQ7z",
            "$2b$10$N9qo8uLOickgx2ZMRZoMye",
            "$apr1$k3Xw9a$Hq2/zR8vL1pWk",
            "%k9Xw!2mQ7z",
            "@Sunny!Day2024",
            concat!("@9/pkN@", "aCJxHrbyJ"),
            concat!("%_hjugf%", "ROasOLC7"),
            concat!("%GIJF1PA;", "y%mrnUw"),
            concat!("%dZNy%", "fIVn_vHbN5"),
        ] {
            assert!(!is_place(other.as_bytes()), "{other}");
        }
    }
}
