//! Passwords that commands are given: `--password …`, `mysql -p…`, `-u user:…`, `net use … /user:… …`.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::super::token::Shape;
use super::super::words::{Said, Word};
use super::address::is_url_password;
use super::judge::{Stand, is_password};
use super::{Hit, Notation, behind, line_around, near};

/// The password that `-p` gives, and the one that an option with a name does, in quotes or in one word. PowerShell
/// may name the value once more: `ConvertTo-SecureString -String "…"`.
static SHORT_OPTION: Notation =
    LazyLock::new(|| Regex::new(r#" -p( *)(?:"([^"\n]*)|'([^'\n]*)|([^"'\s;&|)\\]*))"#).ok());
static LONG_OPTION: Notation = LazyLock::new(|| {
    Regex::new(r#"^[^ \n]*( +)(?:-String +)?(?:"([^"\n]*)|'([^'\n]*)|([^"'\s;&|)\\]*))"#).ok()
});

/// `user:password` and `user:'password'`, which is one word of a shell, too.
static USER: Notation =
    LazyLock::new(|| Regex::new(r#"^[ "'\\]*(([^\s"'`\\:]*):["']?([^\s"'`\\]*))[\s"'`\\]"#).ok());

/// `net use Z: \\\\host\\share … /user:name …`, with the password at either place.
static NET_USE: Notation = LazyLock::new(|| {
    let password = r#"(?:"([^"\n]+)"|([^\s"/]\S*))"#;
    Regex::new(&format!(
        r#"(?i)\bnet use +(?:\S{{1,2}} +)?"?\\\\[^\s"]+"? +(?:{password} +)?/user:\S+(?: +{password})?"#
    ))
    .ok()
});

/// All notations, for a test.
#[cfg(test)]
pub(super) static NOTATIONS: [&Notation; 4] = [&SHORT_OPTION, &LONG_OPTION, &USER, &NET_USE];

/// Reads the password that an option of a command gives.
pub(super) fn option(text: &[u8], Said { word, start, end }: Said) -> Option<Hit> {
    const REACH: usize = 120;
    const NAME_MAX: usize = 24;
    let before = text.get(start.saturating_sub(NAME_MAX)..start)?;
    let is_option =
        || before.rsplit(u8::is_ascii_whitespace).next().is_some_and(|name| name.starts_with(b"-"));
    let (form, is_one_word) = match word {
        Word::Command => (&SHORT_OPTION, true),
        Word::Password if before.ends_with(b"ssh") => (&SHORT_OPTION, false),
        Word::Password if before.ends_with(b"onvertTo-") || is_option() => (&LONG_OPTION, false),
        _ => return None,
    };
    let line = near(text, end, REACH).split(|byte| *byte == b'\n').next()?;
    let found = form.as_ref()?.captures(line)?;
    let blank = found.get(1)?;
    let said = found.iter().skip(2).flatten().next()?;
    let stand = if said.start() == blank.end() { Stand::Bare } else { Stand::Literal };
    let fits =
        (blank.is_empty() || !is_one_word) && is_password(said.as_bytes(), stand, Word::Password);
    let span = behind(end, &said);
    fits.then_some(Hit { family: "generic_secret", name: "assigned_password", span })
}

/// Reads `user:password` after the option of that name.
pub(super) fn user(text: &[u8], end: usize) -> Option<Hit> {
    const REACH: usize = 120;
    let found = USER.as_ref()?.captures(near(text, end, REACH))?;
    let (pair, user, password) = (found.get(1)?, found.get(2)?, found.get(3)?.as_bytes());
    let shape = Shape::of(password);
    let odd = password.len() >= 10 && shape.is_odd();
    let real = odd || is_url_password(password, user.as_bytes(), b"localhost");
    // A `%` alone is a sign of a password.
    let is_place = |two: &[u8]| matches!(two, [b'%', b's' | b'd' | b'v' | b'%']);
    let has_code = |part: &[u8]| part.iter().any(|byte| b"$<>{}()".contains(byte));
    // In quotes, brackets are no code of a shell.
    let is_quoted = text.get(..end + pair.start()).is_some_and(|before| before.ends_with(b"'"));
    let is_plain = || is_quoted && is_password(password, Stand::Literal, Word::Password);
    let is_code = has_code(user.as_bytes())
        || has_code(password) && !is_plain()
        || password.windows(2).any(is_place)
        || password.starts_with(b":")
        || password.starts_with(b"//");
    (password.len() >= 6 && real && !is_code).then(|| Hit {
        family: "generic_secret",
        name: "command_line_user",
        span: behind(end, &pair),
    })
}

/// Reads the password of a share, which stands before the name of a user or behind it.
pub(super) fn share(text: &[u8], start: usize) -> Option<Hit> {
    let line = line_around(text, start);
    let found = NET_USE.as_ref()?.captures(text.get(line.clone())?)?;
    let said = found.iter().skip(1).flatten().next()?;
    let fits = is_password(said.as_bytes(), Stand::Literal, Word::Password);
    let span = behind(line.start, &said);
    fits.then_some(Hit { family: "generic_secret", name: "assigned_password", span })
}
