//! The value that is assigned to a word: `password = "…"`, `PASSWORD=…`, `setPassword("…")`.

use std::ops::Range;

use super::super::features::PrecedingWords;
use super::super::keywords::{Keyword, KeywordHit, VALUE_REACH};
use super::super::token::{TokenStats, is_name_with_digest, is_public};
use super::super::{naming, work};
use super::filled::{self, Style};
use super::judge::{Stand, is_password};
use super::lead::{Lead, NOTATION, without_end};
use super::literal::Opening;
use super::name::{
    is_about_user, is_kept, is_of_other, is_password_name, is_password_of_words, names_text,
};
use super::shape::{is_memorable, is_passphrase, is_slug, may_name};
use super::{Claimed, ValueHit, near, near_before};

/// Reads the value after a word.
pub(super) fn value(text: &[u8], said: KeywordHit, claims: &mut impl Claimed) -> Option<ValueHit> {
    work::spend(VALUE_REACH / 4);
    let lead = Lead::of(text, said)?;
    let Lead { word, name, end, .. } = lead;
    let start = said.start;
    // A quote without another one on its line is a sign of a value without quotes.
    let opening = Opening::of(text.get(end..)?);
    let literal = opening.and_then(|of| Some((of, of.value(text, end + of.len)?)));
    if !lead.leads_to(literal.as_ref().map(|(opening, _)| opening.quote)) {
        return None;
    }
    // Without quotes it may be a subtraction, and behind a name that goes on the name of a policy.
    let is_phrase =
        |value: &[u8]| word == Keyword::Password && is_password_name(name) && is_passphrase(value);
    // `force_pass=ForceLengthPass2016,` is an argument, and a field of a form has the name of an element.
    let is_other = is_of_other(text, said);
    // The first of several arguments names what has the password: `keyring.set_password("Shop2024", "bob", password)`.
    let is_of_call = || {
        let before = near_before(text, start);
        let close = literal.as_ref().and_then(|(_, value)| text.get(value.span.end + 1));
        let is_call = near(text, said.end + name.len(), 1) == b"(";
        lead.is_listed
            && is_call
            && (is_kept(before) && close != Some(&b')') || is_about_user(before))
    };
    let is_words =
        |value: &[u8]| !is_other && is_password_of_words(value, word, name) && !is_of_call();
    let (mut spans, is_code) = if let Some((opening, value)) = &literal {
        let said = value.said(text);
        // A shell writes no blank behind the sign, and no place in braces alone: `PASSWORD=$"…{…}…"`.
        let is_shell = near_before(text, end).ends_with(b"=") && near(text, end, 2) == b"$\"";
        let style = match word {
            Keyword::Key => Style::Key,
            _ if opening.is_filled && !is_shell => Style::Template,
            _ => Style::Plain,
        };
        let parts = filled::parts(text, &value.span, style);
        let is_filled = parts.as_slice() != [value.span.clone()];
        let said_in = |part: &Range<usize>| {
            if is_filled { text.get(part.clone()).unwrap_or_default() } else { said }
        };
        // The values of other words for passwords are spelled. That of a key may be an address, or a list; most are
        // one token.
        let is_own = |byte: &u8| byte.is_ascii_graphic() && !b"/:.,;=\"'`\\".contains(byte);
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let fits =
            |part: &Range<usize>| is_password(said_in(part), Stand::Literal, Keyword::Password);
        let is_whole = |part: &&Range<usize>| match word {
            Keyword::Password => {
                said_in(part).iter().all(u8::is_ascii_graphic) && (!is_filled || fits(part))
            }
            Keyword::Key => {
                let said = said_in(part);
                let has_signs = is_filled || !said.iter().all(is_name);
                has_signs && said.iter().all(is_own) && fits(part)
            }
            _ => false,
        };
        let held: Vec<_> = parts.iter().filter(is_whole).cloned().collect();
        if !held.is_empty() {
            claims.hold(held);
        }
        // The quotes of two literals, and what is put between them: `"password=" + value + "&…"`.
        let is_between = matches!(said, [first @ (b'+' | b'.'), .., last] if first == last);
        // A raw literal may be a regular expression: `r"[A-Z]{8}[0-9]+"`.
        let is_regex = opening.is_raw && said.contains(&b'[') && said.contains(&b']');
        // With its places the whole may look like code.
        let has_password = || {
            is_filled && word != Keyword::Key && parts.iter().any(|part| has_drawn(said_in(part)))
        };
        let is_one = is_password(said, Stand::Literal, word) || has_password() || is_phrase(said);
        let is_named = || lead.is_sentence && !is_said(said) && !is_words(said);
        if is_between || is_regex || !is_one || is_named() {
            return None;
        }
        // A value of a list of settings may begin with letters and quotes: `Password=E'a'b;`.
        let goes_on = || text.get(value.span.end + 1).is_some_and(u8::is_ascii_alphanumeric);
        let whole = (!is_filled && goes_on()).then(|| lead.field(text, start)).flatten();
        let spans = if let Some(field) = whole.filter(|field| field.is_closed) {
            vec![field.span]
        } else if is_filled && parts.iter().any(fits) {
            parts.into_iter().filter(fits).collect()
        } else {
            // What is no password by itself is a part of one.
            parts
        };
        (spans, false)
    } else {
        // What begins a call is no password: `f("…`.
        let in_call = lead.is_spaced && opening.is_none() && lead.open_line(text).is_some();
        let bare = if in_call { None } else { lead.bare(text, start) };
        let (mut field, is_code) = bare.or_else(|| Some((lead.first_line(text)?, false)))?;
        // A program writes blanks around its sign, and names behind it: `pw = left2-right1`.
        if said.word == Keyword::ShortPassword && near(text, said.end, 1) == b" " {
            let value = text.get(field.span.clone())?;
            if !(has_strange(value) && is_memorable(value)) {
                return None;
            }
        }
        if lead.is_sentence {
            let value = text.get(field.span.clone())?;
            let value = without_end(value);
            field.span.end = field.span.start + value.len();
            if !is_said(value) && !is_words(value) {
                return None;
            }
        }
        // In Markdown: `Password: **…**`.
        let value = text.get(field.span.clone())?;
        if value.len() > 4 && value.starts_with(b"**") && value.ends_with(b"**") {
            field.span = field.span.start + 2..field.span.end - 2;
        }
        if word == Keyword::Password && field.is_closed {
            claims.hold(vec![field.span.clone()]);
        }
        (vec![field.span], is_code)
    };
    let is_code = is_code || lead.is_listed || is_other || said.word == Keyword::Credential;
    // Spring names the notation before a password: `"{noop}…"`.
    if let Some(span) = spans.first_mut()
        && text.get(span.clone()).is_some_and(|value| value.starts_with(NOTATION))
    {
        span.start += NOTATION.len();
    }
    spans.retain(|span| {
        let value = text.get(span.clone()).unwrap_or_default();
        // A line ends there, a flow mapping, or a cell in quotes.
        let is_last = || match near(text, span.end, 2) {
            [b'"', next] => b",;\t\r\n".contains(next),
            [next, ..] => b"\r\n}".contains(next),
            [] => true,
        };
        let is_ended = || literal.is_some() || is_last();
        // Behind `password_queue` a name stands.
        // Beside a variable stands another argument: `connect("h", $password, "Shop2024")`.
        let is_beside = !is_password_name(name) || near(text, said.end + name.len(), 1) == b",";
        if (is_beside || is_of_call()) && may_name(value) {
            return false;
        }
        let is_chosen = || {
            literal.is_some() && (is_phrase(value) || is_words(value))
                || (is_ended() || lead.is_sentence || has_strange(value)) && is_memorable(value)
        };
        let is_text = || names_text(name) && TokenStats::of(value).is_name();
        let is_name = || {
            TokenStats::of(value).is_name() && !is_chosen()
                || is_other && (is_slug(value) || is_text())
        };
        !(is_code && is_name()) && claims.is_free(span)
    });
    let last = spans.pop()?;
    let name = text.get(start.saturating_sub(40)..said.end + name.len()).unwrap_or_default();
    let name = name.rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
    // `key: fleet-db-12-9f86d0…` names what a cache keeps.
    let is_open = || {
        let words = PrecedingWords::of(name);
        let value = text.get(last.clone()).unwrap_or_default();
        let is_named = || is_name_with_digest(value);
        naming::is_open(&words)
            || is_public(value)
            || !naming::says_more_than_key(&words) && is_named()
    };
    let (family, pattern) = match word {
        Keyword::Key if is_open() => return None,
        Keyword::Key => (naming::family_after(name), "assigned_key"),
        _ => ("generic_secret", "assigned_password"),
    };
    for span in spans {
        claims.claim(ValueHit { family, name: pattern, span });
    }
    Some(ValueHit { family, name: pattern, span: last })
}

/// Tells whether a value has a sign that hardly stands between names of a program.
fn has_strange(value: &[u8]) -> bool {
    value.iter().any(|byte| b"!@#?~".contains(byte))
}

/// Tells whether a word of a sentence is a password, and not a name: one that people choose, or that is drawn.
fn is_said(value: &[u8]) -> bool {
    TokenStats::of(value).is_drawn() && !is_slug(value) || is_memorable(value)
}

/// Tells whether a part of a literal has a password between its dashes and dots, and not only names.
fn has_drawn(part: &[u8]) -> bool {
    let is_one = |word: &[u8]| {
        TokenStats::of(word).is_drawn() && is_password(word, Stand::Literal, Keyword::Password)
    };
    part.split(|byte| b"-_. ".contains(byte)).any(is_one)
}
