//! The credentials of HTTP's basic authentication: base64 of `user:password`.

use super::super::decode;
use super::{ValueHit, near, row};

/// Reads what follows the word `auth` in the files in which container tools and npm keep their logins: `"auth": "…"` and
/// `_auth=…`.
pub(super) fn auth(text: &[u8], start: usize) -> Option<ValueHit> {
    const WORD: &[u8] = b"auth";
    let end = start + WORD.len();
    let signs = row(text, end, 8, b"\": =");
    (signs > 0 && near(text, start, WORD.len()) == WORD).then_some(())?;
    credentials(text, end + signs)
}

/// Reads the credentials of HTTP's basic authentication: base64 of `user:password`.
pub(super) fn credentials(text: &[u8], end: usize) -> Option<ValueHit> {
    const REACH: usize = 200;
    let rest = near(text, end, REACH);
    let len = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || b"+/=".contains(b)).count();
    let token = std::str::from_utf8(rest.get(..len)?).ok()?;
    let decoded = decode::base64_text(token)?;
    let (user, password) = decoded.split_once(':')?;
    let plain = !decoded.chars().any(char::is_control) && !user.is_empty() && password.len() >= 4;
    let dummy = matches!(password, "pass" | "password" | "secret" | "test" | "user" | "admin");
    (plain && !dummy && len >= 12).then(|| ValueHit {
        family: "generic_secret",
        name: "basic_authorization",
        span: end..end + len,
    })
}
