//! Writing the result: marks or look-ups in the environment where the secrets were, in valid code.
//!
//! A literal that holds a secret is written anew as the language wants it: an f-string, a template, a
//! concatenation. Where nothing of the kind is known to be valid, the mark stands in its place.

mod site;
mod style;

use std::ops::Range;

use self::site::{Part, Piece, Site, pieces};
use self::style::{Style, python, script};
use super::around::Around;
use super::language::Language;
use super::literal::{Region, regions};
use super::look_up::LookUp;
use super::mark::in_brackets;
use super::syntax::Kind;

/// A secret that is to be taken out.
#[derive(Clone, Debug)]
pub(super) struct Replacement {
    /// Where it is in the text.
    pub(super) span: Range<usize>,
    /// What stands for it in a text.
    pub(super) mark: String,
    /// The variable that holds it, if it is to be looked up.
    pub(super) variable: Option<String>,
    /// It is the first piece of its secret; the others become empty.
    pub(super) is_first: bool,
}

impl Replacement {
    /// A piece that becomes empty.
    pub(super) const fn empty(span: Range<usize>) -> Self {
        Self { span, mark: String::new(), variable: None, is_first: false }
    }
}

/// The text without the secrets.
#[derive(Debug, Default)]
pub(super) struct Rendered {
    pub(super) text: String,
    /// For each secret, in their order: where its replacement is, and whether it is a look-up.
    pub(super) places: Vec<(Range<usize>, bool)>,
}

impl Rendered {
    fn put(&mut self, replacement: &str, looked_up: bool) {
        let start = self.text.len();
        self.text += replacement;
        self.places.push((start..self.text.len(), looked_up));
    }
}

/// Replaces the secrets, which are in order and apart.
pub(super) fn render(
    content: &str,
    language: Option<Language>,
    secrets: &[Replacement],
) -> Rendered {
    let mut rendered = Rendered::default();
    let regions = language.map(|language| regions(content, language)).unwrap_or_default();
    let is_yaml = language.is_some_and(Language::is_yaml);
    let pieces: Vec<Piece<'_>> =
        secrets.iter().flat_map(|secret| pieces(content, is_yaml, &regions, secret)).collect();
    let (mut from, mut rest) = (0, pieces.as_slice());
    while let [first, ..] = rest {
        let site = Site::of(content, &regions, first, rest, from);
        crate::work::spend(site.outer.end.saturating_sub(from));
        rendered.text += content.get(from..site.outer.start).unwrap_or_default();
        from = site.outer.end;
        rest = rest.get(site.pieces().count()..).unwrap_or_default();
        match language {
            Some(language) => {
                Writer { content, language, regions: &regions }.write(&site, &mut rendered);
            }
            None => site.pieces().for_each(|piece| piece.put(&piece.secret.mark, &mut rendered)),
        }
    }
    rendered.text += content.get(from..).unwrap_or_default();
    rendered
}

struct Writer<'a> {
    content: &'a str,
    language: Language,
    regions: &'a [Region],
}

impl Writer<'_> {
    fn write(&self, site: &Site<'_>, rendered: &mut Rendered) {
        let around = Around {
            content: self.content,
            language: self.language,
            span: site.outer.clone(),
            open: site.open,
            regions: self.regions,
        };
        let form = self.can_look_up(site, &around).then(|| self.form(site, &around)).flatten();
        let form = form.filter(|form| !sets_itself(site, &around, &form.look_up));
        let Some(form) = form else { return self.write_marks(site, &around, rendered) };
        rendered.text += &form.start;
        for (nth, part) in site.parts.iter().enumerate() {
            if nth > 0 {
                rendered.text += form.between;
            }
            match part {
                Part::Text(text) => {
                    rendered.text += &form.around.0;
                    rendered.text += &(form.escape)(text);
                    rendered.text += &form.around.1;
                }
                Part::Secret(piece) => {
                    let variable = piece.secret.variable.as_deref().unwrap_or_default();
                    rendered.put(&form.look_up.replace("KEY", variable), true);
                }
            }
        }
        rendered.text += &form.end;
    }

    fn write_marks(&self, site: &Site<'_>, around: &Around<'_>, rendered: &mut Rendered) {
        // Behind a backslash, a quote would be none.
        let before = self.content.get(..site.outer.start).unwrap_or_default();
        let is_escaped = self.language.is_shell() && site.kind.is_none() && before.ends_with('\\');
        // In the text of an element `://` begins no comment, and a quote no literal.
        let in_text = around.in_markup(site.kind.is_none());
        let quote = match self.language {
            _ if site.kind.is_some() || in_text || is_escaped => "",
            Language::Yaml | Language::Workflow | Language::Env | Language::Markup => "",
            Language::Shell | Language::Dockerfile => "'",
            _ => "\"",
        };
        // Here `<` would begin a tag, or read a file.
        let is_sign = in_text
            || is_escaped
            || site.kind == Some(Kind::Unknown)
            || self.language.is_shell() && (site.kind == Some(Kind::Expanded) || around.is_run())
            || matches!(self.language, Language::Env | Language::Markup)
            || self.language == Language::Workflow && (!site.is_whole() || around.in_step());
        // In a command, which stands in a literal of a shell, no quote is free.
        let in_quotes = self.language.is_shell() && !site.open.ends_with('\'');
        let has_command = in_quotes && site.has_text(|text| text.contains('`'));
        // Without quotes an empty scalar of YAML is no text.
        let is_scalar =
            self.language.is_yaml() && site.kind.is_none() && site.is_whole() && around.is_scalar();
        rendered.text += site.open;
        for (nth, part) in site.parts.iter().enumerate() {
            match part {
                Part::Text(text) => rendered.text += text,
                Part::Secret(piece) if is_scalar && !piece.is_first => rendered.text += "\"\"",
                Part::Secret(piece) if is_scalar && piece.secret.mark.is_empty() => {
                    piece.put("\"\"", rendered);
                }
                Part::Secret(piece) => {
                    let in_command = has_command || in_quotes && site.has_in_hole(piece);
                    let mark = &piece.secret.mark;
                    let mark = if is_sign || in_command { &in_brackets(mark) } else { mark };
                    let is_value = |is_end| is_end && piece.secret.is_first;
                    let open = if is_value(nth == 0) { quote } else { "" };
                    let close = if is_value(nth + 1 == site.parts.len()) { quote } else { "" };
                    piece.put(&format!("{open}{mark}{close}"), rendered);
                }
            }
        }
        rendered.text += site.close;
    }

    /// Whether every part of the site can be written as a look-up.
    fn can_look_up(&self, site: &Site<'_>, around: &Around<'_>) -> bool {
        // Behind a backslash, what begins here is the rest of an escape.
        let is_escaped = |piece: &Piece<'_>| {
            self.content.get(..piece.span.start).is_some_and(|before| before.ends_with('\\'))
        };
        let fits = |piece: &Piece<'_>| {
            let is_named = piece.is_only && piece.secret.variable.is_some();
            is_named && !site.has_in_hole(piece) && !is_escaped(piece)
        };
        // In a command, its quotes would keep a look-up from being expanded. This is asked last: it may read a whole text.
        let is_command = |text: &str| text.contains('`');
        let is_outside = || {
            let begins = site.begin.contains("$(") || is_command(site.begin);
            !(begins || site.open.ends_with('"') && site.has_text(is_command))
        };
        !matches!(site.kind, Some(Kind::Inert | Kind::Unknown))
            && site.pieces().all(fits)
            && (site.kind.is_none() || !around.in_markup(false))
            && !around.is_name()
            && (!self.language.is_shell() || is_outside())
    }

    /// How the site is written anew; nothing where only a mark is known to do.
    fn form(&self, site: &Site<'_>, around: &Around<'_>) -> Option<Style> {
        let value = LookUp::of(self.language)?.written;
        let (whole, bare) = (site.is_whole(), site.kind.is_none());
        let expanded = site.kind == Some(Kind::Expanded);
        let inside = |look_up: &str| Some(Style::of(site.open, site.close, look_up));
        let alone = || Some(Style::of("", "", value));
        let quoted = || Some(Style::of("\"", "\"", value));
        match self.language {
            Language::Env if site.open == "'" => None,
            Language::Json if whole => quoted(),
            Language::Toml if bare => quoted(),
            // Within braces or brackets those of a look-up would not belong to the text around it.
            Language::Yaml | Language::Workflow if bare && around.in_flow() => {
                quoted().filter(|_| around.is_scalar())
            }
            Language::Json
            | Language::Yaml
            | Language::Workflow
            | Language::Toml
            | Language::Env => inside(value),
            // A list of words is not for a shell, which would expand it.
            Language::Dockerfile if around.in_list() => None,
            Language::Shell | Language::Dockerfile => match site.open {
                _ if bare => alone(),
                open if !open.ends_with('\'') => inside(value.trim_matches('"')),
                _ if whole => alone(),
                open => inside(&[site.close, value, open].concat()),
            },
            Language::Ruby if expanded || !whole && site.open == "\"" => {
                inside("#{ENV.fetch(\"KEY\")}")
            }
            _ if expanded => None,
            _ if bare && !whole => None,
            _ if bare && around.in_markup(true) => Some(Style::of("{", "}", value)),
            _ if !around.takes_look_up() => None,
            _ if bare => alone(),
            Language::Python => Some(python(site, around, value)),
            Language::JavaScript | Language::TypeScript => script(site, around, value),
            // A literal of bytes has a type of its own. What is put together takes no names of variables into a format.
            Language::Rust if site.open.contains(['b', 'c']) => None,
            Language::Rust if !whole && site.has_text(|text| text.contains('{')) => None,
            _ if whole => alone(),
            Language::Rust => Some(Style::sum(site, "concat!(", ", ", value)),
            // Another language's piece of a literal that spans lines cannot be cut.
            Language::Java | Language::CSharp if site.open.contains("\"\"\"") => None,
            Language::Php => Some(Style::sum(site, "(", " . ", value)),
            _ => Some(Style::sum(site, "(", " + ", value)),
        }
    }
}

/// Whether a look-up would stand behind a sign that assigns to the same variable: `process.env.KEY = process.env.KEY`. In
/// JavaScript the text `undefined` is the secret then, if there is no such variable.
fn sets_itself(site: &Site<'_>, around: &Around<'_>, look_up: &str) -> bool {
    let line = around.line().trim_ascii_end();
    let Some(target) = line.strip_suffix('=').map(str::trim_ascii_end) else { return false };
    site.pieces().any(|piece| {
        let variable = piece.secret.variable.as_deref().unwrap_or_default();
        let written = look_up.replace("KEY", variable);
        !variable.is_empty() && target.replace('\'', "\"").ends_with(&written.replace('\'', "\""))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text with `<` and `>` around each secret, rendered with the variable `V` or a mark.
    fn rendered(language: Language, text: &str, looked_up: bool) -> String {
        let (mut plain, mut outs) = (String::new(), Vec::new());
        for part in text.split_inclusive(['<', '>']) {
            let bare = part.trim_end_matches(['<', '>']);
            let start = plain.len();
            plain += bare;
            if part.ends_with('>') {
                outs.push(Replacement {
                    mark: "<M>".to_owned(),
                    variable: looked_up.then(|| "V".to_owned()),
                    is_first: true,
                    ..Replacement::empty(start..plain.len())
                });
            }
        }
        render(&plain, Some(language), &outs).text
    }

    #[test]
    fn secrets_of_one_literal_are_written_together() {
        for (language, text, expected) in [
            (
                Language::Go,
                "f(\"a <s> <t>\")",
                "f((\"a \" + os.Getenv(\"V\") + \" \" + os.Getenv(\"V\")))",
            ),
            (Language::Rust, "f(b\"<s> c\")", "f(b\"<M> c\")"),
            (Language::JavaScript, "f(<s><t>)", "f(\"<M><M>\")"),
            (Language::Shell, "f <s><t>", "f \"${V}\"\"${V}\""),
            (Language::Shell, "f 'a <s>'", "f 'a '\"${V}\"''"),
            (Language::JavaScript, "f(\"`<s>${x}\")", "f(`\\`${process.env.V}\\${x}`)"),
            (Language::Shell, "f \"`g '<s>'`\"", "f \"`g '[M]'`\""),
            (Language::Shell, "f \"${a:-$(g <s>)}\"", "f \"${a:-$(g [M])}\""),
            (Language::Python, "f('<s>' 'b')", "f(f'{os.environ[\"V\"]}' 'b')"),
        ] {
            assert_eq!(rendered(language, text, true), expected, "{text}");
        }
    }

    #[test]
    fn a_look_up_in_yaml_has_quotes_only_where_braces_would_end_it() {
        for (text, expected) in [
            ("- A=<s>\n", "- A=${V}\n"),
            ("- --token=<s>\n", "- --token=${V}\n"),
            ("a: |-\n  <s>\n", "a: |-\n  ${V}\n"),
            ("a: |-\n  b: <s>\n", "a: |-\n  b: ${V}\n"),
            ("a: |\n  [b, <s>]\n", "a: |\n  [b, ${V}]\n"),
            ("a: <s>\n", "a: ${V}\n"),
            ("a: [b, <s>]\n", "a: [b, \"${V}\"]\n"),
            ("a: [B=<s>]\n", "a: [B=<M>]\n"),
        ] {
            assert_eq!(rendered(Language::Yaml, text, true), expected, "{text}");
        }
    }

    #[test]
    fn secrets_of_one_region_are_written_in_time_that_their_number_bounds() {
        const MANY: u64 = 1_000;
        for (language, begin, end) in [
            (Language::Php, "", ""),
            (Language::Go, "/*", "*/"),
            (Language::Shell, "f \"$(f) `g` ", "\""),
            (Language::Go, "\"", "<s\" // t>"),
        ] {
            let text = [begin, &"<s> $(f) ".repeat(1_000), end].concat();
            crate::work::taken();
            rendered(language, &text, false);
            let most = 2 * MANY + text.len() as u64;
            assert!(crate::work::taken() < most, "{language:?}");
        }
    }

    #[test]
    fn a_mark_keeps_its_literal_and_is_quoted_in_code() {
        for (language, text, expected) in [
            (Language::Go, "f(\"a <s>\", <t>)", "f(\"a <M>\", \"<M>\")"),
            // Each mark had quotes of its own.
            (Language::JavaScript, "f(<s><t><u>, <v>)", "f(\"<M><M><M>\", \"<M>\")"),
            (Language::Shell, "f <s><t>'<u>'", "f '<M><M>''<M>'"),
            (Language::Php, "<s><t>", "[M][M]"),
            (Language::Shell, "f <s> # <t>", "f '<M>' # <M>"),
            (Language::Shell, "f \\<s> a\\<t>", "f \\[M] a\\[M]"),
            (Language::Shell, "eval \"f <s>\"; eval f <s>", "eval \"f [M]\"; eval f '[M]'"),
            (Language::Kotlin, "val `a\"b` = \"<s>\"", "val `a\"b` = \"<M>\""),
            (Language::Env, "A=<s>", "A=[M]"),
            (Language::Yaml, "a: <s>", "a: <M>"),
        ] {
            assert_eq!(rendered(language, text, false), expected, "{text}");
        }
    }
}
