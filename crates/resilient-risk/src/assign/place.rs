//! A place for another value in place of a password: `${NAME}`, `$NAME`, `env:…`, an element of a page.

use super::super::token::TokenStats;

/// Where a value says that the secret stands elsewhere: `env:NAME`, `vault:path`. Behind `pass:` it follows.
const PLACES: [&[u8]; 7] = [b"env:", b"file:", b"vault:", b"op:", b"ssm:", b"secret:", b"pass:"];

/// What names an element of a page begins so, in tests of programs.
const ELEMENTS: [&[u8]; 7] =
    [b"#ctl00_", b"css=", b"data-testid=", b"mat-input-", b"role=", b"text=", b"xpath="];

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

/// Tells whether a value is rules that the input of a form must keep: `required|min:8`, as in Laravel.
pub(super) fn is_rules(value: &[u8]) -> bool {
    let is_word = |byte: &u8| byte.is_ascii_lowercase() || *byte == b'_';
    let is_one = |part: &[u8]| {
        let word = part.iter().take_while(|byte| is_word(byte)).count();
        let is_setting = |byte: &u8| byte.is_ascii_alphanumeric() || b"_,.".contains(byte);
        let rest = part.get(word..).unwrap_or_default();
        let setting = rest.strip_prefix(b":").unwrap_or(rest);
        // `regex:/[0-9]/`
        part.starts_with(b"regex:")
            || word > 1
                && (rest.is_empty() || rest.len() > setting.len() && setting.iter().all(is_setting))
    };
    value.contains(&b'|') && value.split(|byte| *byte == b'|').all(is_one)
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

/// Tells whether a text begins with a name of letters, perhaps of several parts, and the sign that assigns.
pub(super) fn begins_setting(text: &[u8]) -> bool {
    let is_name = |byte: &&u8| byte.is_ascii_alphabetic() || b"_.".contains(byte);
    let name = text.iter().take_while(is_name).count();
    // `auth.user=`, and no signs that chance has put behind each other.
    let mut parts = text.get(..name).unwrap_or_default().split(|byte| *byte == b'.');
    text.get(name) == Some(&b'=') && parts.all(|part| part.len() > 1)
}

/// Tells whether a text is the name of an element, of several words: `cacheTest12`, `client-admin-5`.
fn is_element(name: &[u8]) -> bool {
    let is_border = |two: &[u8]| matches!(two, [b'a'..=b'z', b'A'..=b'Z' | b'-' | b'_']);
    name.first().is_some_and(u8::is_ascii_lowercase)
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(byte))
        && name.windows(2).any(is_border)
        && TokenStats::of(name).is_name()
}

/// Tells whether a value has an index or a call, or is mostly a place in brackets that something is put into.
pub(super) fn is_template(value: &[u8]) -> bool {
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
