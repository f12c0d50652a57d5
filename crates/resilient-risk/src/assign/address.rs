//! Passwords in addresses: `scheme://user:…@host`, `user:…@tcp(host:3306)/name`, and the lines of `.pgpass`.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::{memchr, memmem, memrchr};
use regex::bytes::Regex;

use super::super::keywords::{AUTHORITY_REACH, Keyword};
use super::super::token::TokenStats;
use super::super::{placeholder, work};
use super::judge::{Stand, is_password};
use super::{Notation, ValueHit, behind, line_around, near, quote};

/// A host, which may be an address in brackets, or a place for one in braces: `{host}`, `${HOST}`, `{{ .host }}`.
static HOST: Notation = LazyLock::new(|| {
    let place = r"[$#]?\{\{?[^{}\n]{0,80}\}\}?|<[\w.-]{1,40}>";
    let plain = r#"[^\s/"'`<>\[\]{}\\?@,;()]+"#;
    Regex::new(&format!(r"^(?:\[[0-9A-Fa-f:.]+\]|(?:{place})(?:{plain})?|{plain})")).ok()
});

/// `host:port:database:user:password`, alone on its line.
static PGPASS: Notation = LazyLock::new(|| {
    Regex::new(r"^[ \t]*([^\s:#]+):(?:[0-9]+|\*):[^\s:]+:([^\s:]+):(\S+)[ \t\r]*$").ok()
});

/// Where the password stands of `user:password@host`, which begins at a place behind `://`: it goes to the last `@` before
/// `/`, a blank or the quote that is open there.
pub(in super::super) fn password(text: &[u8], start: usize) -> Option<Range<usize>> {
    work::spend(AUTHORITY_REACH / 4);
    let rest = near(text, start, AUTHORITY_REACH);
    // Most addresses have none anywhere near.
    memchr(b'@', rest)?;
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"/\"'`<>[]{}\\?:,;()".contains(byte);
    let place = place_len(rest);
    let user = place + rest.get(place..)?.iter().position(is_end)?;
    let from = Some(user).filter(|at| rest.get(*at) == Some(&b':'))? + 1;
    let line = text.get(line_around(text, start).start..start)?;
    let rest = rest.get(from..)?;
    let rest = rest.get(..quote::len(line, rest, |rest| rest.starts_with(b"/")))?;
    let len = memrchr(b'@', rest)?;
    let user = near(text, start, from - 1);
    (!is_port_or_filled(line, user, rest.get(..len)?)).then_some(start + from..start + from + len)
}

/// How much of a text is a place for a user, if it begins with one: `{user}`, `${USER}`, `{{ .user }}`.
fn place_len(text: &[u8]) -> usize {
    const PLACE_MAX: usize = 80;
    let open = usize::from(matches!(text.first(), Some(b'$' | b'#')));
    if text.get(open) != Some(&b'{') {
        return 0;
    }
    let close = memchr(b'}', near(text, 0, PLACE_MAX)).map_or(0, |close| close + 1);
    close + usize::from(close > 0 && text.get(close) == Some(&b'}'))
}

/// Tells whether what stands behind a user begins with a port, or has a place for a value. Behind the port of an address
/// stand words, such as the name of a mailbox, or other parts of it. *Before* it stands the rest of its line.
fn is_port_or_filled(before: &[u8], user: &[u8], text: &[u8]) -> bool {
    const PORT_MAX: usize = 5;
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = text.get(digits..).unwrap_or_default();
    let ends = rest.first().is_none_or(|byte| b",;)]}<>\"'`?#\\|&".contains(byte));
    let is_word = |part: &[u8]| {
        let end = part.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |last| last + 1);
        let has_inner = part.iter().take(end).any(u8::is_ascii_digit);
        let has_digits = part.iter().any(u8::is_ascii_digit);
        part.len() < if has_digits { 3 } else { 4 } || !has_inner && TokenStats::of(part).is_name()
    };
    let are_words = || rest.split(|byte| !byte.is_ascii_alphanumeric()).all(is_word);
    let is_place = |two: &[u8]| matches!(two, [b'$', b'{' | b'('] | [b'#' | b'{', b'{'] | b"<%");
    let is_port = (1..=PORT_MAX).contains(&digits)
        && ends
        && (user.contains(&b'.') || are_words() || ends_port(before, rest));
    is_port || text.windows(2).any(is_place)
}

/// Tells whether a text begins with what ends the port of an address: `?`, `#`, a parameter, another host, the bracket
/// that is open before the address, or an escape of a blank.
fn ends_port(before: &[u8], text: &[u8]) -> bool {
    let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.:/".contains(byte);
    let opener = before.iter().rev().find(|byte| !is_scheme(byte));
    let is_named = |part: &[u8], sign: u8| {
        let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-.".contains(*byte);
        let len = part.iter().take_while(is_name).count();
        len > 0 && part.get(len) == Some(&sign)
    };
    match text {
        [b'?' | b'#', ..] | [b'\\', b'n' | b'r' | b't', ..] => true,
        [b'&' | b';' | b',', rest @ ..] => {
            is_named(rest, b':')
                || rest.split(|byte| b"&;,".contains(byte)).any(|part| is_named(part, b'='))
        }
        [b')', ..] => opener == Some(&b'('),
        [b']', ..] => opener == Some(&b'['),
        [b'}', ..] => opener == Some(&b'{'),
        [b'>', ..] => opener == Some(&b'<'),
        _ => false,
    }
}

/// Reads `user:password@host` after `://`.
pub(super) fn credentials(text: &[u8], start: usize, end: usize) -> Option<ValueHit> {
    let span = password(text, end)?;
    let behind_sign = near(text, span.end + 1, AUTHORITY_REACH);
    let host = HOST.as_ref()?.find(behind_sign).map_or(0..0, |host| host.range());
    // The host may be added: `"…:…@" + host`.
    let is_added = behind_sign.first().is_some_and(|byte| b"\"'`".contains(byte));
    let (user, password) = (text.get(end..span.start - 1)?, text.get(span.clone())?);
    let is_scheme = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let before = text.get(start.saturating_sub(16)..start)?;
    let scheme = before.iter().rev().take_while(is_scheme).count();
    // With these signs it may be code.
    let is_plain = !password.iter().any(|byte| b"\"'`<>[]{}\\?".contains(byte));
    let is_real = password.len() >= 4
        && is_url_password(password, user, behind_sign.get(host.clone())?)
        && (!host.is_empty() || is_added)
        && (is_plain && !is_added || is_password(password, Stand::Literal, Keyword::Password));
    (scheme >= 2 && is_real).then(|| ValueHit {
        family: "conn_string",
        name: "url_credentials",
        span: start - scheme..span.end + 1 + host.end,
    })
}

pub(super) fn is_url_password(password: &[u8], user: &[u8], host: &[u8]) -> bool {
    const DUMMIES: &str =
        "pass password passwd pwd secret user test admin root guest pw xxx token key";
    const FICTIONAL: [&str; 6] = ["example", "localhost", "127.0.0.1", "host", "domain", "test"];
    let lower = password.to_ascii_lowercase();
    let marks = b"$%{}*<>#";
    if placeholder::is_dummy(password)
        || password.first().is_some_and(|byte| marks.contains(byte)) && !password.starts_with(b"%")
        || DUMMIES.split(' ').any(|dummy| dummy.as_bytes() == lower)
        || password == user
    {
        return false;
    }
    let stats = TokenStats::of(password);
    let letters = stats.lower + stats.upper;
    let strong = stats.digits > 0 && letters > 0 && stats.len >= 6 && stats.changes >= 2;
    // Letters alone that are no words: chance changes their case.
    let is_drawn = || {
        let is_mixed = stats.lower > 0 && stats.upper > 0 && stats.changes * 4 >= stats.len;
        letters == stats.len && letters >= 10 && is_mixed && stats.has_rare_bigrams()
    };
    if strong || is_drawn() {
        return true;
    }
    // A weak password still opens a machine that exists.
    let host = host.to_ascii_lowercase();
    let name = host.split(|byte| *byte == b':').next().unwrap_or_default();
    let dots = name.iter().filter(|byte| **byte == b'.').count();
    let fictional = FICTIONAL.iter().any(|word| memmem::find(name, word.as_bytes()).is_some());
    dots >= 2 && !fictional && letters >= 6 && !lower.starts_with(b"pass")
}

/// Reads `user:password` before `@tcp(`.
pub(super) fn before_tcp(text: &[u8], start: usize) -> Option<ValueHit> {
    const REACH: usize = 120;
    let from = start.saturating_sub(REACH);
    work::spend(REACH / 4);
    let before = text.get(from..start)?;
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`".contains(byte);
    let word = before.rsplit(is_end).next()?;
    // A row of addresses is none.
    if memmem::find(word, b"@tcp(").is_some() {
        return None;
    }
    let colon = memchr(b':', word)?;
    let (name, password) = (word.get(..colon)?, word.get(colon + 1..)?);
    let user = name.rsplit(|byte| b"/@,;=".contains(byte)).next()?;
    let is_real = !password.is_empty() && is_url_password(password, user, b"");
    let span = start - word.len() + colon - user.len()..start + "@tcp".len();
    is_real.then_some(ValueHit { family: "conn_string", name: "url_credentials", span })
}

/// Reads the password of `user/password@host`, which begins at a place or behind options there.
pub(super) fn oracle(text: &[u8], end: usize) -> Option<ValueHit> {
    const REACH: usize = 120;
    work::spend(REACH / 4);
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`".contains(byte);
    let mut start = end;
    let word = near(text, end, REACH).split(is_end).find(|word| {
        let is_option = word.starts_with(b"-");
        start += if is_option { word.len() + 1 } else { 0 };
        !is_option
    })?;
    let (slash, host) = (memchr(b'/', word)?, memrchr(b'@', word)?);
    let (user, password) = (word.get(..slash)?, word.get(slash + 1..host)?);
    start += slash + 1;
    (!user.is_empty() && is_url_password(password, user, b"")).then(|| ValueHit {
        family: "generic_secret",
        name: "assigned_password",
        span: start..start + password.len(),
    })
}

/// Reads the password of a line of `.pgpass`.
pub(super) fn pgpass(text: &[u8], start: usize) -> Option<ValueHit> {
    let line = line_around(text, start);
    let found = PGPASS.as_ref()?.captures(text.get(line.clone())?)?;
    let [host, user, password] = [1, 2, 3].map(|nth| found.get(nth));
    let (host, user, password) = (host?.as_bytes(), user?.as_bytes(), password?);
    // A comment begins a line.
    let said = password.as_bytes();
    is_url_password(said.strip_prefix(b"#").unwrap_or(said), user, host).then(|| ValueHit {
        family: "generic_secret",
        name: "assigned_password",
        span: behind(line.start, &password),
    })
}
