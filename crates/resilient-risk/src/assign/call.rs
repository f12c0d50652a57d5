//! Calls whose arguments are a user and a password: `new PDO(dsn, user, "…")`, `auth=("admin", "…")`.

use std::ops::Range;

use super::super::keywords::Keyword;
use super::super::token::TokenStats;
use super::judge::{Stand, is_password};
use super::literal::Opening;
use super::shape::may_name;
use super::{ValueHit, near, row};

/// So many arguments are looked at.
const ARGUMENTS_MAX: usize = 3;

/// An argument that is no literal is no longer than this.
const ARGUMENT_MAX: usize = 80;

/// What a call of Rust wraps an argument in that may be missing.
const SOME: &[u8] = b"Some(";

/// Reads the password behind a word that names such a call: an argument that is not the first.
pub(super) fn password(text: &[u8], end: usize) -> Option<ValueHit> {
    let is_call = |names: &[&[u8]]| {
        let call = text.get(..end).unwrap_or_default();
        names.iter().any(|name| call.ends_with(name))
    };
    // Behind these passwords stands a domain, or the address of a database.
    let is_before = is_call(&[b"NetworkCredential", b"cx_Oracle.connect", b"PasswordSignInAsync"]);
    let last = if is_before { 1 } else { ARGUMENTS_MAX };
    let spans: Vec<_> = literals(text, end).filter(|(nth, _)| *nth <= last).collect();
    // The name of a user or of a database may have a number, too. The call takes no database, or the argument stands behind it.
    let takes_two = is_call(&[
        b"redential",
        b"auth",
        b"asicAuth",
        b"login",
        b"AddPasswordAsync",
        b"CheckPasswordAsync",
        b"anager.CreateAsync",
    ]);
    let is_behind_literal = |nth: usize| spans.iter().any(|(before, _)| before + 1 == nth);
    let is_third = |nth: usize| nth + 1 == ARGUMENTS_MAX && is_behind_literal(nth);
    let is_last = |span: &Range<usize>| text.get(span.end + 1) != Some(&b',');
    let fits = |(nth, span): &&(usize, Range<usize>)| {
        let value = part(text, span);
        *nth > 0
            && is_password(value, Stand::Literal, Keyword::Password)
            && (is_before
                || takes_two && (is_last(span) || is_behind_literal(*nth))
                || is_third(*nth)
                || !may_name(value))
    };
    let (_, span) = spans.iter().rev().find(fits)?.clone();
    Some(ValueHit { family: "generic_secret", name: "assigned_password", span })
}

/// Reads the password behind a call with this name and no other: `login("bob", "…")`.
pub(super) fn login(text: &[u8], start: usize, end: usize) -> Option<ValueHit> {
    let before = start.checked_sub(1).and_then(|at| text.get(at));
    let is_whole = !before.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    is_whole.then(|| password(text, end))?
}

/// Reads the key behind its identifier, which begins at a place: `Session("AKIA…", "…")`.
pub(super) fn behind_aws_id(text: &[u8], start: usize) -> Option<ValueHit> {
    const LEN: usize = 40;
    let id = Opening::of(text.get(start..)?)?.value(text, start + 1)?.span;
    let comma = id.end + 1;
    let from = comma + 1 + row(text, comma + 1, ARGUMENT_MAX, b" \t\r\n");
    let opening = Opening::of(text.get(from..)?).filter(|_| text.get(comma) == Some(&b','))?;
    let span = opening.value(text, from + opening.len)?.span;
    let key = part(text, &span);
    let is_of_key = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/".contains(byte);
    (key.len() == LEN && key.iter().all(is_of_key)).then_some(ValueHit {
        family: "aws_secret",
        name: "aws_secret_key",
        span,
    })
}

/// Reads the value of a constant of WordPress: `define('AUTH_KEY', '…')`.
pub(super) fn constant(text: &[u8], end: usize) -> Option<ValueHit> {
    const LEN: usize = 64;
    let mut literals = literals(text, end);
    let (_, name) = literals.next()?;
    let (_, span) = literals.next().filter(|(nth, _)| *nth == 1)?;
    let (name, stats) = (part(text, &name), TokenStats::of(part(text, &span)));
    let is_key = name.ends_with(b"_KEY") || name.ends_with(b"_SALT");
    let is_random = stats.len == LEN && stats.changes * 5 >= LEN * 2;
    (is_key && is_random).then_some(ValueHit {
        family: "generic_secret",
        name: "assigned_key",
        span,
    })
}

fn part<'a>(text: &'a [u8], span: &Range<usize>) -> &'a [u8] {
    text.get(span.clone()).unwrap_or_default()
}

/// The literals among the first arguments of the call whose bracket opens behind a place, with the arguments' numbers.
fn literals(text: &[u8], end: usize) -> impl Iterator<Item = (usize, Range<usize>)> {
    let lead = row(text, end, ARGUMENT_MAX, b"is_connect =");
    // Ruby writes no bracket: `basic_auth "bob", "…"`.
    let is_bare = lead == 1 && matches!(near(text, end, 2), [b' ', b'"' | b'\'']);
    let is_open = text.get(end + lead) == Some(&b'(');
    let mut at = (is_open || is_bare).then_some(end + lead - usize::from(is_bare));
    (0..ARGUMENTS_MAX)
        .map_while(move |nth| {
            // The bracket, or the comma before.
            let from = at? + 1;
            let from = from + row(text, from, ARGUMENT_MAX, b" \t\r\n");
            // In Rust: `.basic_auth("bob", Some("…"))`.
            let from = from + if near(text, from, SOME.len()) == SOME { SOME.len() } else { 0 };
            let opening = Opening::of(text.get(from..)?);
            let span = opening.and_then(|opening| opening.value(text, from + opening.len));
            let span = span.map(|value| value.span);
            let to = span.as_ref().map_or(from, |span| span.end);
            let rest = near(text, to, ARGUMENT_MAX);
            super::super::work::spend(ARGUMENT_MAX / 4);
            let sign = rest.iter().position(|byte| b",();\n".contains(byte));
            at = sign.filter(|sign| rest.get(*sign) == Some(&b',')).map(|sign| to + sign);
            Some(span.map(|span| (nth, span)))
        })
        .flatten()
}
