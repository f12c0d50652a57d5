//! Tells a value that is a password from a word, a dummy and code.

use super::super::keywords::Keyword;
use super::super::token::{Kind, TokenStats};
use super::super::{decode, placeholder};
use super::place::{is_place, is_rules, is_template};
use super::shape::{
    LENS, is_dense, is_grouped, is_memorable, is_scrambled, is_symbol, is_word_with_number,
    is_words_with_number,
};

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
    // A sign outside of ASCII is several bytes: each is one, and no mark of code.
    let foreign = count(|byte| !byte.is_ascii());
    let (symbols, code) = (count(is_symbol) + foreign, count(is_code));
    // One without digits is a word, unless signs stand in it. `%NAME%` is a place for a value.
    let is_lettered = letters == value.len() && is_scrambled(value) && (!is_key || is_long());
    let is_telling =
        digits > 0 || is_lettered || is_quoted && value.first() != value.last() && symbols > 0;
    let is_foreign = |char: char| char.is_alphabetic() || is_foreign_sign(char);
    let is_spelled = || {
        let is_one = |byte: &u8| byte.is_ascii_graphic() || stand == Stand::Field && *byte == b' ';
        value.iter().all(is_one)
            || is_quoted && is_of(value, is_foreign)
            || stand == Stand::Field && is_of(value, is_foreign_sign)
            || stand == Stand::Field && is_memorable(value) && is_of(value, is_foreign)
    };
    let is_place =
        || is_place(value) || is_rules(value) || word == Keyword::Sql && value.starts_with(b"%");
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
                || is_field && is_words_with_number(value)
                || is_hex && stats.changes >= 3
        }
        (_, Stand::Literal) => {
            classes >= 3 && stats.changes >= 3
                || is_word_with_number(value)
                || matches!(word, Keyword::Password | Keyword::Sql) && is_words_with_number(value)
                || dense && stats.changes >= 4
                || stats.has_rare_bigrams() && digits >= 2
                || is_hex && stats.changes >= 3
        }
    };
    // An address or a path is none; a symbol at the end of a word alone is punctuation.
    let has = |sign: &[u8; 2]| value.windows(2).any(|two| two == sign);
    // Chance puts such signs between letters, too: `TzB3zA::PiIFG79f`.
    let is_drawn = || stats.len >= 12 && stats.is_drawn() && stats.digits >= 2;
    let is_path = || has(b"//") || (has(b"->") || has(b"::")) && !is_drawn();
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

/// Tells whether a value is spelled with some characters outside of ASCII, too, but mostly without them.
fn is_of(value: &[u8], is_one: impl Fn(char) -> bool) -> bool {
    let Ok(text) = std::str::from_utf8(value) else { return false };
    let foreign = text.chars().filter(|char| !char.is_ascii()).count();
    foreign * 3 <= text.chars().count()
        && text.chars().all(|char| char.is_ascii_graphic() || !char.is_ascii() && is_one(char))
}

/// Tells whether a character is a sign outside of ASCII that ends no sentence and no quotation: `€`, `§`.
fn is_foreign_sign(char: char) -> bool {
    let is_punctuation =
        matches!(char, '\u{2000}'..='\u{206F}' | '\u{3000}'..='\u{303F}' | '\u{FF00}'..='\u{FFEF}');
    !char.is_alphabetic() && !char.is_whitespace() && !char.is_control() && !is_punctuation
}

/// Tells whether a byte is a bracket or a bar, which are in the code of programs.
const fn is_code(byte: u8) -> bool {
    matches!(byte, b'{' | b'}' | b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'|')
}
