//! The credentials of HTTP's basic authentication: base64 of `user:password`.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::super::decode;
use super::{Form, Hit, near};

/// `"auth": "…"` of the files in which container tools keep their logins, and `_auth=…` of npm.
pub(super) static AUTH: Form =
    LazyLock::new(|| Regex::new(r#"^auth(?:"[: ]+"|[ \t]*=[ \t]*"?)"#).ok());

/// Reads what follows the word `auth` there.
pub(super) fn auth(text: &[u8], start: usize) -> Option<Hit> {
    const REACH: usize = 16;
    let found = AUTH.as_ref()?.find(near(text, start, REACH))?;
    credentials(text, start + found.end())
}

/// Reads the credentials of HTTP's basic authentication: base64 of `user:password`.
pub(super) fn credentials(text: &[u8], end: usize) -> Option<Hit> {
    const REACH: usize = 200;
    let rest = near(text, end, REACH);
    let len = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || b"+/=".contains(b)).count();
    let token = std::str::from_utf8(rest.get(..len)?).ok()?;
    let decoded = decode::base64_text(token)?;
    let (user, password) = decoded.split_once(':')?;
    let plain = !decoded.chars().any(char::is_control) && !user.is_empty() && password.len() >= 4;
    let dummy = matches!(password, "pass" | "password" | "secret" | "test" | "user" | "admin");
    (plain && !dummy && len >= 12).then(|| Hit {
        family: "generic_secret",
        name: "basic_authorization",
        span: end..end + len,
    })
}
