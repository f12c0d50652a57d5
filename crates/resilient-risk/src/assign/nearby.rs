//! A password in the statement that a word for one is in, where no sign assigns it at once: what a call takes beside the word,
//! one of two cases, what stands for nothing, the value of a declaration.
//!
//! `getByLabel('Password').fill('…')`, `dev ? "a" : "…"`, `getenv("DB_PASSWORD").orElse("…")`, `"password": {"default": "…"}`

use std::ops::Range;

use memchr::{memchr_iter, memmem, memrchr};

use super::super::keywords::{Keyword, KeywordHit};
use super::super::naming;
use super::super::token::TokenStats;
use super::judge::{Stand, is_password};
use super::lead::NOTATION;
use super::name::{is_of_other, is_password_of_words, names_field, names_other};
use super::shape::{is_memorable, is_name, is_slug, is_words_with_number};
use super::statement::{Found, Given, Statement, gives, name_len, quotes_end};
use super::{Claimed, Reading, ValueHit, near, near_before};

/// Takes the passwords of the statement that a word is in.
pub(super) fn find(
    text: &[u8],
    said: KeywordHit,
    reading: &mut Reading,
    claims: &mut impl Claimed,
) {
    let KeywordHit { word, start, end } = said;
    if reading.is_done(end) || !leads_on(text, said) {
        return;
    }
    let is_field = names_field(text, end);
    let name = text.get(start.saturating_sub(40)..end).unwrap_or_default();
    let family = if word == Keyword::Key { naming::family_after(name) } else { "generic_secret" };
    let statement = match word {
        Keyword::Signing => Statement::of_call(text, said),
        _ => Some(Statement::around(text, said)),
    };
    let Some(mut statement) = statement else { return };
    while let Some(Found { span, given }) = statement.next() {
        let span = without_braces(text, span);
        let value = text.get(span.clone()).unwrap_or_default();
        let rest = text.get(end..end + name_len(text, end)).unwrap_or_default();
        // What is hashed so is a password.
        let is_hashed = || {
            let call = text.get(start..end).unwrap_or_default();
            // `bcrypt.hashpw(b"…", …)`
            let begin = near_before(text, span.start.saturating_sub(1));
            let is_first = begin.strip_suffix(b"b").unwrap_or(begin).ends_with(b"(");
            is_first && call.eq_ignore_ascii_case(b"bcrypt") && is_words_with_number(value)
        };
        let is_words = || is_password_of_words(value, said.word, rest) || is_hashed();
        // `getenv("PASSWORD_TABLE").unwrap_or("Fleet2000")`
        let is_label =
            || said.word == Keyword::Password && is_words_with_number(value) && !is_words();
        let is_named = || match given {
            Given::Call => false,
            Given::Value => is_name(value) && !is_words(),
            Given::No => is_name(value) && !is_hashed(),
        };
        // Of a field the value may be the name of an element.
        let is_other = || is_label() || is_named() || is_field && is_slug(value);
        // What a program signs is data: an address, or a template.
        let is_data = || {
            let has = |signs: &[u8]| value.iter().any(|byte| signs.contains(byte));
            word == Keyword::Signing && (has(b"{:") || has(b"/") && !value.ends_with(b"="))
        };
        let shows = || word != Keyword::Key && (is_said(value) || is_hashed()) && !is_data();
        let word = if word == Keyword::Key { word } else { Keyword::Password };
        let fits = (given != Given::No || shows()) && !is_other() && !is_written(value);
        if fits && is_password(value, Stand::Literal, word) && claims.is_free(&span) {
            let name = if word == Keyword::Key { "assigned_key" } else { "assigned_password" };
            claims.claim(ValueHit { family, name, span });
        }
    }
    reading.goes(end, statement.at);
}

/// Tells whether a word may lead to a value that no sign assigns to it.
fn leads_on(text: &[u8], said: KeywordHit) -> bool {
    let KeywordHit { word, start, end } = said;
    let before = near_before(text, start);
    let behind = near(text, end + name_len(text, end), 2);
    let is_word = match word {
        Keyword::Password => names_password(near(text, end, 6)),
        // `db_pw.send_keys(…)`
        Keyword::ShortPassword => behind.starts_with(b"."),
        // Keys are assigned, except in `getenv("API_KEY")`, `variable "api_key" {` and `ApiKey:` above entries.
        Keyword::Key => {
            matches!(behind, [b'"' | b'\'' | b'`', ..] | [b':', b'\r' | b'\n'])
        }
        Keyword::Secret => true,
        // `verifyHmac(body, "…")` is given what was signed.
        Keyword::Signing => return !before.to_ascii_lowercase().ends_with(b"verify"),
        _ => false,
    };
    // `'/password'` is a path, and `/password/` an expression.
    let is_path = || before.ends_with(b"/") && !behind.starts_with(b"/");
    if !is_word || is_path() {
        return false;
    }
    // `getByLabel('Secret name')`
    let label = text.get(end..quotes_end(text, start, end)).unwrap_or_default();
    let is_of_thing = label.contains(&b' ')
        && names_other(label.split_last().map(|(_, label)| label).unwrap_or_default());
    // `verify(password, "…")`: what stands beside a variable is another argument, unless a call fills what the variable is.
    let is_argument = || {
        let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
        let name = before.iter().rev().take_while(is_name).count();
        // `{name: DB_PASSWORD, value: …}` in YAML, `let(:db_password) {` in Ruby
        let is_entry = || {
            let before = before.get(..before.len() - name).unwrap_or_default();
            before.ends_with(b": ") || before.ends_with(b"(:")
        };
        let is_variable = label.is_empty() && !before.ends_with(b":") && !is_entry();
        is_variable && matches!(behind, [b',' | b')', ..]) && !gives(before)
    };
    !is_of_thing && (names_field(text, end) || !is_argument() && !is_of_other(text, said))
}

/// Tells whether what a word for passwords goes on with makes it one, and not another that begins so: `passValue`.
fn names_password(rest: &[u8]) -> bool {
    // Also `Passwort`, `passcode` and `mot de passe`.
    const REST: [&[u8]; 7] = [b"word", b"wd", b"phrase", b"wort", b"ord", b"code", b"e"];
    let goes_on = |word: &&[u8]| {
        rest.get(..word.len()).is_some_and(|rest| rest.eq_ignore_ascii_case(word))
            && (word.len() > 1 || !rest.get(1).is_some_and(u8::is_ascii_alphabetic))
    };
    !rest.first().is_some_and(u8::is_ascii_alphabetic) || REST.iter().any(goes_on)
}

/// Tells whether a value shows by itself that it is a password: people choose it so, or chance has drawn it.
pub(super) fn is_said(value: &[u8]) -> bool {
    let stats = TokenStats::of(value);
    // The name of a thing, or of a file: `price_1Nx…`, `img_4F2a8C.png`.
    let word = value.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    let ends_file = || {
        let end = value.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        end <= 5 && value.len().checked_sub(end + 1).and_then(|at| value.get(at)) == Some(&b'.')
    };
    let is_thing = || {
        let rest = value.get(word..).and_then(|rest| rest.strip_prefix(b"_"));
        word > 1 && rest.is_some_and(|rest| rest.iter().all(u8::is_ascii_alphanumeric))
            || ends_file()
    };
    let is_drawn = || {
        let is_mixed = stats.lower > 0 && !stats.is_hexadecimal() && !value.contains(&b'<');
        stats.is_drawn() && is_mixed && !is_slug(value) && !is_thing()
    };
    let has_sign = || value.iter().any(|byte| b"!@#$%^&*~?".contains(byte));
    has_sign() && is_memorable(value) || is_drawn()
}

/// A value without the key at its end that a test strikes, and the name of a notation before it: `…{enter}`, `{noop}…`.
fn without_braces(text: &[u8], mut span: Range<usize>) -> Range<usize> {
    let value = text.get(span.clone()).unwrap_or_default();
    if value.starts_with(NOTATION) {
        span.start += NOTATION.len();
    }
    if let Some(value) = value.strip_suffix(b"}")
        && let Some(at) = memrchr(b'{', value)
        && value.iter().skip(at + 1).all(u8::is_ascii_lowercase)
    {
        span.end -= value.len() + 1 - at;
    }
    span
}

/// Tells whether a value has the notation of another thing in it: of bytes, an expression, an address, another literal.
fn is_written(value: &[u8]) -> bool {
    const NOTATIONS: [&[u8]; 15] = [
        b"\\x", b"\\u", b"\\b", b"\\d", b"\\w", b"\\s", b"(?", b"0-9", b"A-Z", b"a-z", b"%2",
        b"%3", b"\"", b"'", b"`",
    ];
    let is_in = |notation: &&[u8]| memmem::find(value, notation).is_some();
    // `$2b$10$…` is a hash.
    let is_hash = value.starts_with(b"$") && memchr_iter(b'$', value).count() > 2;
    is_hash || value.starts_with(b"#") || NOTATIONS.iter().any(is_in)
}

#[cfg(test)]
mod tests {
    use super::super::tests::found;

    #[test]
    fn each_branch_is_a_value() {
        for value in [["q7Rk9", "zPw2mX4b"].concat(), ["Summer", "2022$"].concat()] {
            for text in [
                format!("PASSWORD = DEV or \"{value}\"\n"),
                format!("const password = dev || \"{value}\";\n"),
                format!("const dbPassword = conf.get(\"db\", 1) ?? '{value}';\n"),
                format!("password = dev ? \"a\" : \"{value}\"\n"),
                format!("password = dev ? \"{value}\" : other\n"),
                format!("password = \"a\" if DEV else \"{value}\"\n"),
            ] {
                assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text}");
            }
        }
    }

    #[test]
    fn both_branches_may_be_secrets() {
        let (one, two) = (["q7Rk9", "zPw2mX4b"].concat(), ["Summer", "2022$"].concat());
        for text in [
            format!("val password = if (dev) \"{one}\" else \"{two}\"\n"),
            format!("let password = if dev {{ \"{one}\" }} else {{ \"{two}\" }};\n"),
            format!("password = \"{one}\" if dev else \"{two}\"\n"),
            format!("password = dev ? \"{one}\" : \"{two}\"\n"),
        ] {
            let mut hits: Vec<_> = found(&text).into_iter().map(|(_, value)| value).collect();
            hits.sort_unstable();
            assert_eq!(hits, [two.as_str(), &one], "{text}");
        }
    }

    #[test]
    fn what_stands_behind_the_value_or_compares_is_none() {
        let value = ["q7Rk9", "zPw2mX4b"].concat();
        for text in [
            format!("{{password: x, other: y || \"{value}\"}}\n"),
            format!("password = x; other = y || \"{value}\"\n"),
            format!("f(password=x) or \"{value}\"\n"),
            "password = dev ? \"text\" : \"password\"\n".to_owned(),
            "const passwordType = show ? 'text' : 'Password-V2';\n".to_owned(),
            "const secretName = dev ? 'a' : 'Backend-Auth-2020';\n".to_owned(),
        ] {
            assert_eq!(found(&text), [], "{text}");
        }
    }

    #[test]
    fn the_value_of_a_declaration_is_found() {
        for value in [["q7Rk9", "zPw2mX4b"].concat(), ["Summer", "2022$"].concat()] {
            for text in [
                format!("variable \"db_password\" {{\n  default = \"{value}\"\n}}\n"),
                format!("variable \"db_password\" {{ default = \"{value}\" }}\n"),
                format!(
                    "  DbPassword:\n    Type: String\n    NoEcho: true\n    Default: {value}\n"
                ),
                format!("  DbPassword:\n    Default: \"{value}\"\n  Other:\n"),
                format!("{{\"adminPassword\": {{\"value\": \"{value}\"}}}}\n"),
                format!(
                    "\"DbPassword\": {{\n  \"Type\": \"String\",\n  \"Default\": \"{value}\"\n}}\n"
                ),
                format!("{{\n  type  = \"SecureString\"\n  value = \"{value}\"\n}}\n"),
            ] {
                assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text}");
            }
        }
    }

    #[test]
    fn the_value_of_another_declaration_is_none() {
        let value = ["q7Rk9", "zPw2mX4b"].concat();
        for text in [
            format!("variable \"password_policy\" {{\n  default = \"{value}\"\n}}\n"),
            format!("  DbPassword:\n    Type: String\n  Other:\n    Default: {value}\n"),
            format!("  PasswordPolicy:\n    Default: {value}\n"),
            format!("{{\"password\": {{\"type\": \"a\"}}, \"value\": \"{value}\"}}\n"),
            "  Password:\n    Default: Form-Input-2\n".to_owned(),
            "{\"password\": {\"type\": \"string\", \"default\": \"input_field_2\"}}\n".to_owned(),
        ] {
            assert_eq!(found(&text), [], "{text}");
        }
    }
}
