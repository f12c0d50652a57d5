//! The field that a secret stands in. A pattern reads a value up to a sign that may end it; where the text shows
//! how far the field goes, all of it is the secret.

use std::ops::Range;

use super::form::Form;
use super::language::Language;
use super::{window_after, window_before};
use crate::assign::password_of_address;
use crate::placeholder;

/// No field is longer, and no more of a line tells which quotes are open.
const FIELD_MAX: usize = 256;
const LINE_MAX: usize = 1024;

/// Where the field begins in the text before a secret. Between the two stand signs alone, or no sign that assigns. A
/// field is the text of an element of XML, a setting in a list (`Server=…;Password=…`), a part of a query, an entry with
/// a line of its own, a plain scalar of YAML, and a word of a shell.
static ELEMENT: Form = Form::of(r"<[A-Za-z][\w:.-]*(?:\s[^<>]*)?>([^\s<>A-Za-z0-9]*|[^\s<>=:]*)\z");
static SETTING: Form = Form::of(r"[A-Za-z]=([^\sA-Za-z0-9]*|[^\s;=]*)\z");
static QUERY: Form = Form::of(r"[?&][\w.-]+=([^\sA-Za-z0-9&#]*)\z");
static ENTRY: Form =
    Form::of(r"(?:^|\n)[ \t]*[\w.\[\]-]+[ \t]*[=:][ \t]*([^\sA-Za-z0-9]*|[^\s=:]*)\z");
static SCALAR: Form = Form::of(r"(?:^|\n)[ -]*[\w./-]+:[ ]+([^\sA-Za-z0-9]*|[^\s=:]*)\z");
static WORD: Form = Form::of(r#"(?:^|[\s;&|(])[A-Za-z_]\w*=([^\sA-Za-z0-9$`\\]*)\z"#);

/// Another setting of a list.
static OTHER: Form = Form::of(r"\w=[^=;]+;|;\s*\w[\w ]*=[^=;]");

/// Signs of XML that have names end with a semicolon.
const NAMED: [&str; 5] = ["&amp;", "&lt;", "&gt;", "&quot;", "&apos;"];

/// The password of an address whose end looks like a mailbox.
pub(super) fn password(content: &str, mailbox: &Range<usize>) -> Option<Range<usize>> {
    let before = window_before(content, mailbox.start, FIELD_MAX);
    let start = mailbox.start - before.len() + before.rfind("://")? + "://".len();
    let password = password_of_address(content.as_bytes(), start)?;
    let is_dummy = placeholder::is_dummy(content.get(password.clone())?.as_bytes());
    (!is_dummy && password.end > mailbox.start).then_some(password)
}

/// All pieces of the value of which one was taken.
pub(super) fn value(
    content: &str,
    language: Option<Language>,
    piece: &Range<usize>,
) -> Option<Vec<Range<usize>>> {
    let before = window_before(content, piece.start, FIELD_MAX);
    let begin = |form: &Form| {
        let signs = form.captures(before)?.get(1)?;
        let start = piece.start - signs.len();
        Some((start, window_after(content, start, FIELD_MAX)))
    };
    let lead = window_before(content, piece.start, LINE_MAX).rsplit('\n').next()?;
    let one = |start: usize, len: usize| {
        let field = start..start + len;
        let is_whole = field.end >= piece.end && content.get(field.clone()).is_some();
        is_whole.then(|| vec![field])
    };
    if let Some((start, rest)) = begin(&ELEMENT) {
        let len = rest.find(|c: char| c.is_whitespace() || c == '<')?;
        let is_closed = rest.get(len..)?.starts_with("</");
        return one(start, len).filter(|_| is_closed);
    }
    let setting = begin(&SETTING).filter(|(_, rest)| {
        let rest = rest.lines().next().unwrap_or_default();
        OTHER.is_in(lead) || OTHER.is_in(rest)
    });
    if let Some((start, rest)) = setting {
        return one(start, end(lead, rest, &[';']));
    }
    if let Some((start, rest)) = begin(&QUERY) {
        let value = rest.get(..end(lead, rest, &['&', '#', '<', '>']))?;
        // These may end a sentence or a call.
        return one(start, value.trim_end_matches(|c| ".,;:)]}\"'`".contains(c)).len());
    }
    let entry = match language? {
        Language::Env => begin(&ENTRY),
        Language::Yaml | Language::Workflow => begin(&SCALAR),
        Language::Shell | Language::Dockerfile => {
            let (start, rest) = begin(&WORD)?;
            return word(start, rest).filter(|pieces| pieces.len() > 1);
        }
        _ => None,
    };
    let (start, rest) = entry?;
    let line = rest.lines().next()?;
    let value = line.split([' ', '\t']).next()?;
    let behind = line.get(value.len()..)?.trim_start();
    // A quoted value and a collection have ends of their own.
    let is_quoted =
        |quote: char| value.len() > 1 && value.starts_with(quote) && value.ends_with(quote);
    let is_scalar =
        language == Some(Language::Env) || !value.starts_with(['{', '[', '|', '>', '&', '*']);
    let is_plain = is_scalar && !['"', '\'', '`'].into_iter().any(is_quoted);
    let is_alone = behind.is_empty() || behind.starts_with(['#', ';']);
    one(start, value.trim_end_matches('\\').len()).filter(|_| is_plain && is_alone)
}

/// Where a text without quotes ends that begins behind another one: at a blank, at some signs, and at the quote that
/// is open there.
fn end(before: &str, text: &str, signs: &[char]) -> usize {
    let is_apostrophe = |at: usize| {
        let [one, other] = [before.get(..at), before.get(at + 1..)].map(Option::unwrap_or_default);
        one.ends_with(char::is_alphanumeric) && other.starts_with(char::is_alphanumeric)
    };
    let is_open = |quote: &&str| {
        let quotes = before.match_indices(*quote).filter(|(at, _)| !is_apostrophe(*at));
        quotes.count() % 2 == 1
    };
    let quote = ["\\\"", "&quot;", "\"", "'", "`"].into_iter().find(is_open);
    let mut at = 0;
    while let Some(rest) = text.get(at..)
        && let Some(first) = rest.chars().next()
        && !first.is_whitespace()
        && !quote.is_some_and(|quote| rest.starts_with(quote))
    {
        let is_escaped =
            quote.zip(rest.strip_prefix('\\')).is_some_and(|(quote, rest)| rest.starts_with(quote));
        at += match NAMED.iter().find(|name| rest.starts_with(**name)) {
            Some(name) => name.len(),
            None if signs.contains(&first) => break,
            None if is_escaped => 2,
            // Where no quote is known to be open, it ends a literal in a literal.
            None if quote.is_none()
                && first == '\\'
                && rest.get(1..).is_some_and(|rest| rest.starts_with(['"', '\''])) =>
            {
                break;
            }
            None => first.len_utf8(),
        };
    }
    at
}

/// The pieces of a word of a shell: in quotes or not, and without anything that the shell expands.
fn word(start: usize, text: &str) -> Option<Vec<Range<usize>>> {
    let (mut pieces, mut at) = (Vec::new(), 0);
    loop {
        let rest = text.get(at..)?;
        let first = rest.chars().next().unwrap_or(' ');
        if first.is_whitespace() || ";&|()<>".contains(first) {
            return Some(pieces);
        }
        let is_quote = matches!(first, '"' | '\'');
        let from = at + usize::from(is_quote);
        let ends = |c: char| {
            if is_quote { c == first } else { c.is_whitespace() || ";&|()<>\"'".contains(c) }
        };
        let body = text.get(from..)?;
        let len = body.find(ends).or((!is_quote).then_some(body.len()))?;
        if body.get(..len)?.contains(['$', '`', '\\', ' ', '\n']) {
            return None;
        }
        pieces.push(start + from..start + from + len);
        at = from + len + usize::from(is_quote);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_fields_begin_is_told_by_regexes() {
        let forms = [&ELEMENT, &SETTING, &QUERY, &ENTRY, &SCALAR, &WORD, &OTHER];
        assert!(forms.into_iter().all(|form| form.regex().is_some()));
    }
}
