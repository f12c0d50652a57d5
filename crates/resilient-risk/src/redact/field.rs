//! The field that a secret stands in. A pattern reads a value up to a sign that may end it; where the text shows
//! how far the field goes, all of it is the secret.

use std::ops::Range;

use super::around::Around;
use super::form::Form;
use super::language::Language;
use super::{window_after, window_before};
use crate::assign::password_of_address;
use crate::placeholder;

/// No field is longer.
const FIELD_MAX: usize = 256;

/// Where the field begins in the text before a secret. Between the two stand signs alone, or no sign that assigns. A
/// field is an entry with a line of its own, a plain scalar of YAML, a setting of a Dockerfile, or a word of a shell.
static ENTRY: Form = Form::of(concat!(
    r"(?:^|\n)[ \t]*(?:export[ \t]+|\w+=)?[\w.\[\]-]+[ \t]*[=:][ \t]*",
    r"([^\sA-Za-z0-9]*|[^\s=:]*)\z",
));
static SCALAR: Form = Form::of(concat!(
    r"(?:^|\n)(?:[ -]*[\w./-]+:[ ]+|[ ]*-[ ]+[\w.-]+=)",
    r"([^\sA-Za-z0-9]*|[^\s=:]*)\z",
));
/// In braces or brackets of YAML.
static FLOW: Form = Form::of(concat!(
    r"[{,\[][ ]*(?:[\w./-]+:[ ]+|[\w.-]+=)",
    r"([^\sA-Za-z0-9,\[\]{}]*|[^\s=:,\[\]{}]*)\z",
));
static SETTING: Form = Form::of(concat!(
    r"(?:^|\n)[ \t]*(?i:ENV|ARG|LABEL)(?:[ \t]+\S+)*?[ \t]+[\w.-]+=",
    r"((?:[^\sA-Za-z0-9$`\\]|\\.)*|(?:[^\s=:$`\\]|\\.)*)\z",
));
static WORD: Form = Form::of(concat!(
    r"(?:^|[\s;&|(])-{0,2}[A-Za-z_][\w.-]*=",
    r"((?:[^\sA-Za-z0-9$`\\]|\\.)*|(?:[^\s=:;&|()<>$`\\]|\\.)*)\z",
));

/// Signs that end a word of a shell.
const OPERATORS: &str = ";&|()<>";

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
    let one = |start: usize, len: usize| {
        let field = start..start + len;
        let is_whole = field.end >= piece.end && content.get(field.clone()).is_some();
        is_whole.then(|| vec![field])
    };
    let in_flow = |at: usize| {
        let around = |language| Around { content, language, span: at..at, open: "", regions: &[] };
        language.is_some_and(|language| around(language).in_flow())
    };
    let entry = match language? {
        Language::Env => begin(&ENTRY),
        Language::Yaml | Language::Workflow => {
            begin(&SCALAR).or_else(|| begin(&FLOW).filter(|(start, _)| in_flow(*start)))
        }
        Language::Shell | Language::Dockerfile => {
            let setting = begin(&SETTING).filter(|_| language == Some(Language::Dockerfile));
            let operators = if setting.is_some() { "" } else { OPERATORS };
            let (start, rest) = setting.or_else(|| begin(&WORD))?;
            let is_whole = |last: &Range<usize>| last.end >= piece.end;
            return word(start, rest, operators).filter(|all| all.last().is_some_and(is_whole));
        }
        _ => None,
    };
    let (start, rest) = entry?;
    let line = rest.lines().next()?;
    let value = line.split([' ', '\t']).next()?;
    let is_env = language == Some(Language::Env);
    let value = if !is_env && in_flow(start) {
        value.split([',', '[', ']', '{', '}']).next()?
    } else if is_env && !content.get(..start)?.ends_with([' ', '\t']) {
        value
    } else {
        value.trim_end_matches([';', ','])
    };
    let behind = line.get(value.len()..)?.trim_start();
    // A quoted value and a collection have ends of their own.
    let inner = value.trim_start_matches(['(', '[', '{']);
    // Behind it stand signs that end an entry, a comment, or the next setting of a list: `A="…",B="…"`.
    let is_setting = |behind: &str| {
        let name = behind.trim_start_matches(|c: char| c.is_alphanumeric() || "_.-".contains(c));
        name.len() < behind.len() && name.starts_with('=')
    };
    let ends = |behind: &str| {
        behind.starts_with('#')
            || behind.chars().all(|c| ";,)}]".contains(c))
            || behind.strip_prefix([',', ';']).is_some_and(is_setting)
    };
    let is_quoted = |quote: char| {
        let rest = inner.strip_prefix(quote).and_then(|rest| rest.split_once(quote));
        rest.is_some_and(|(_, behind)| ends(behind))
    };
    let is_scalar = is_env || !value.starts_with(['{', '[', '|', '>', '&', '*']);
    let called = value.trim_start_matches(|c: char| c.is_alphanumeric() || "_.".contains(c));
    let is_call = called.starts_with('(') && called.trim_end_matches([';', ',']).ends_with(')');
    let is_plain = is_scalar && !is_call && !['"', '\'', '`'].into_iter().any(is_quoted);
    let is_alone = behind.is_empty() || behind.starts_with(['#', ';', ',', ']', '}']);
    one(start, value.trim_end_matches('\\').len()).filter(|_| is_plain && is_alone)
}

/// Tells whether a text begins with a name without digits and the sign that assigns.
fn begins_setting(text: &str) -> bool {
    let behind = text.trim_start_matches(|c: char| c.is_ascii_alphabetic() || "_.-".contains(c));
    let name = text.get(..text.len() - behind.len()).unwrap_or_default();
    behind.starts_with('=') && name.split('.').all(|part| part.len() > 1)
}

/// The pieces of a word of a shell: in quotes or not, and without anything that the shell expands.
fn word(start: usize, text: &str, operators: &str) -> Option<Vec<Range<usize>>> {
    let (mut pieces, mut at) = (Vec::new(), 0);
    loop {
        let rest = text.get(at..)?;
        let first = rest.chars().next().unwrap_or(' ');
        if first.is_whitespace() || operators.contains(first) {
            return Some(pieces);
        }
        let is_quote = matches!(first, '"' | '\'');
        let from = at + usize::from(is_quote);
        let body = text.get(from..)?;
        let ends = |c: char| {
            if is_quote {
                c == first
            } else {
                c.is_whitespace() || operators.contains(c) || matches!(c, '"' | '\'')
            }
        };
        let mut chars = body.char_indices();
        let len = loop {
            match chars.next() {
                Some((len, c)) if ends(c) => break len,
                // The next of several settings: `--set password=…,user=bob`.
                Some((len, ',')) if !is_quote && begins_setting(body.get(len + 1..)?) => {
                    pieces.push(start + from..start + from + len);
                    return Some(pieces);
                }
                // What stands behind a backslash is of the word.
                Some((_, '\\')) if !is_quote => {
                    chars.next().filter(|(_, c)| *c != '\n')?;
                }
                None if !is_quote => break body.len(),
                None | Some((_, '$' | '`' | '\\' | ' ' | '\n')) => return None,
                Some(_) => {}
            }
        };
        pieces.push(start + from..start + from + len);
        at = from + len + usize::from(is_quote);
    }
}
