//! How a literal is written anew, with a look-up in place of a secret.

use regex::Captures;

use super::super::around::Around;
use super::super::form::Form;
use super::site::Site;

/// How a literal is written anew.
pub(super) struct Style {
    pub(super) start: String,
    pub(super) end: String,
    /// What goes around each piece of text that stays.
    pub(super) around: (String, String),
    /// What goes between two pieces.
    pub(super) between: &'static str,
    pub(super) escape: fn(&str) -> String,
    /// The look-up of the variable `KEY`.
    pub(super) look_up: String,
}

impl Style {
    pub(super) fn of(start: &str, end: &str, look_up: &str) -> Self {
        Self {
            start: start.to_owned(),
            end: end.to_owned(),
            around: (String::new(), String::new()),
            between: "",
            escape: str::to_owned,
            look_up: look_up.to_owned(),
        }
    }

    /// Pieces that are put together between brackets, with a sign between them.
    pub(super) fn sum(site: &Site<'_>, start: &str, sign: &'static str, look_up: &str) -> Self {
        let around = (site.open.to_owned(), site.close.to_owned());
        Self { around, between: sign, ..Self::of(start, ")", look_up) }
    }
}

pub(super) fn python(site: &Site<'_>, around: &Around<'_>, value: &str) -> Style {
    let prefix = site.open.trim_end_matches(['"', '\'']);
    let quotes = site.open.get(prefix.len()..).unwrap_or_default();
    let has = |letters: &str| prefix.contains(|letter| letters.contains(letter));
    let quote = if site.close.starts_with('"') { "'" } else { "\"" };
    let interpolation = ["{", &value.replace('"', quote), "}"].concat();
    // Adjacent literals are one; an expression between them would be an error.
    let has_sibling = around.has_sibling();
    match site.is_whole() {
        true if has("bB") => Style::of("", ".encode()", value),
        true if !has_sibling => Style::of("", "", value),
        false if has("bB") => Style::sum(site, "(", " + ", &[value, ".encode()"].concat()),
        _ if has("fF") => Style::of(site.open, site.close, &interpolation),
        _ => {
            let open = [if has("rR") { "rf" } else { "f" }, quotes].concat();
            Style { escape: doubled_braces, ..Style::of(&open, site.close, &interpolation) }
        }
    }
}

/// An escape of octal digits, which no template takes.
static OCTAL: Form = Form::of(r"\\[0-9]");

pub(super) fn script(site: &Site<'_>, around: &Around<'_>, value: &str) -> Option<Style> {
    let in_tag = around.in_tag();
    // What is no escape in an attribute would be one in a template.
    let has_escape =
        site.has_text(|text| OCTAL.is_in(text) || in_tag && text.contains(['&', '\\']));
    if has_escape {
        return None;
    }
    let (start, end) = if in_tag { ("{", "}") } else { ("", "") };
    if site.is_whole() {
        return Some(Style::of(start, end, value));
    }
    let escape = if site.open.contains('`') { str::to_owned } else { template };
    let (start, end) = ([start, "`"].concat(), ["`", end].concat());
    Some(Style { escape, ..Style::of(&start, &end, "${process.env.KEY}") })
}

/// A brace in a literal of Python, and what has braces of its own: `\N{DASH}`.
static BRACE: Form = Form::of(r"\\\\|\\N\{[^}]*\}|[{}]");

/// Text of a literal as that of an f-string.
fn doubled_braces(text: &str) -> String {
    let doubled = |found: &Captures<'_>| {
        let found = found.get_match().as_str();
        found.repeat(if found.starts_with('\\') { 1 } else { 2 })
    };
    BRACE.regex().map_or_else(String::new, |brace| brace.replace_all(text, doubled).into_owned())
}

/// Text of a quoted literal as that of a template.
fn template(text: &str) -> String {
    text.replace('`', "\\`").replace("${", "\\${")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_are_doubled_but_for_names_of_characters() {
        assert_eq!(doubled_braces("{a} \\N{DASH} \\\\N{b}"), "{{a}} \\N{DASH} \\\\N{{b}}");
    }
}
