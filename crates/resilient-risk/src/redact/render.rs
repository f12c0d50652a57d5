//! Writing the result: marks or look-ups in the environment where the secrets were, in valid code.
//!
//! A literal that holds a secret is written anew as the language wants it: an f-string, a template, a
//! concatenation. Where nothing of the kind is known to be valid, the mark stands in its place.

use std::iter::once;
use std::ops::Range;

use regex::Captures;

use super::around::Around;
use super::form::Form;
use super::language::Language;
use super::literal::{Region, regions};
use super::look_up::LookUp;
use super::mark::in_brackets;
use super::syntax::Kind;

/// A secret that is to be taken out.
#[derive(Clone, Debug)]
pub(super) struct Out {
    /// Where it is in the text.
    pub(super) span: Range<usize>,
    /// What stands for it in a text.
    pub(super) mark: String,
    /// The variable that holds it, if it is to be looked up.
    pub(super) variable: Option<String>,
    /// It is the first piece of its secret; the others become empty.
    pub(super) is_first: bool,
}

impl Out {
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
pub(super) fn render(content: &str, language: Option<Language>, secrets: &[Out]) -> Rendered {
    let mut rendered = Rendered::default();
    let regions = language.map(|language| regions(content, language)).unwrap_or_default();
    let pieces: Vec<Piece<'_>> =
        secrets.iter().flat_map(|secret| pieces(&regions, secret)).collect();
    let (mut from, mut rest) = (0, pieces.as_slice());
    while let [first, ..] = rest {
        let site = Site::of(content, &regions, first, rest, from);
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

/// A secret within one literal or outside of all. One that goes over several has the mark in the first.
struct Piece<'a> {
    span: Range<usize>,
    secret: &'a Out,
    is_first: bool,
    is_only: bool,
}

impl Piece<'_> {
    fn put(&self, mark: &str, rendered: &mut Rendered) {
        if self.is_first {
            rendered.put(mark, false);
        }
    }
}

/// Cuts a secret where a literal begins or ends.
fn pieces<'a>(regions: &[Region], secret: &'a Out) -> impl Iterator<Item = Piece<'a>> {
    let Range { start, end } = secret.span;
    let literal = |at| holding(regions, at).filter(|region| region.kind == Kind::Literal);
    let spans: Vec<Range<usize>> = match (literal(start), literal(end.saturating_sub(1))) {
        // What stays of a literal keeps its quotes: it may go on over many lines.
        (None, Some(last)) if end < last.inner.end => {
            let within = last.inner.start..end.max(last.inner.start);
            once(start..last.outer.start).chain(Some(within).filter(|it| !it.is_empty())).collect()
        }
        (None, last) => once(start..last.map_or(end, |last| last.outer.end)).collect(),
        (Some(first), None) => vec![start..first.inner.end, first.outer.end..end],
        (Some(_), Some(_)) => {
            let nth = regions.partition_point(|region| region.outer.end <= start);
            let some = regions.iter().skip(nth).take_while(|region| region.outer.start < end);
            let some = some.filter(|region| region.kind == Kind::Literal);
            some.map(|of| start.clamp(of.inner.start, of.inner.end)..end.min(of.inner.end))
                .collect()
        }
    };
    let is_only = spans.len() == 1;
    let spans = spans.into_iter().enumerate();
    spans.map(move |(nth, span)| Piece { span, secret, is_first: nth == 0, is_only })
}

/// The region that a place is in.
fn holding(regions: &[Region], at: usize) -> Option<&Region> {
    let nth = regions.partition_point(|region| region.outer.end <= at);
    regions.get(nth).filter(|region| region.outer.start <= at)
}

/// A literal, or a bare place, with the secrets in it.
struct Site<'a> {
    outer: Range<usize>,
    /// The region that it is; none in code.
    kind: Option<Kind>,
    /// What stands before it in its region.
    begin: &'a str,
    open: &'a str,
    close: &'a str,
    parts: Vec<Part<'a>>,
    holes: &'a [Range<usize>],
}

enum Part<'a> {
    Text(&'a str),
    Secret(&'a Piece<'a>),
}

impl<'a> Site<'a> {
    /// Gathers the literal around a piece and all pieces that share it. What is before a place is written.
    fn of(
        content: &'a str,
        regions: &'a [Region],
        first: &Piece<'a>,
        pieces: &'a [Piece<'a>],
        written: usize,
    ) -> Self {
        let text = |range: Range<usize>| content.get(range).unwrap_or_default();
        let region = holding(regions, first.span.start);
        let kind = region.map(|region| region.kind);
        let Some(region) = region.filter(|region| region.kind == Kind::Literal) else {
            let start = first.span.start.max(written);
            // Secrets without a sign between them are one value.
            let outer_of = |at| holding(regions, at).map(|region| region.outer.clone());
            let is_glued = |one: &Piece<'_>, next: &Piece<'_>| {
                one.span.end == next.span.start
                    && [one, next].iter().all(|of| of.is_only && of.secret.is_first)
                    && outer_of(one.span.start) == outer_of(next.span.start)
            };
            let glued = pieces
                .windows(2)
                .take_while(|two| matches!(two, [one, next] if is_glued(one, next)));
            let parts = pieces.get(..=glued.count()).unwrap_or_default();
            let end = parts.last().map_or(start, |last| last.span.end);
            let outer = start..end.max(start);
            let begin = text(region.map_or(start, |region| region.outer.start)..start);
            let parts = parts.iter().map(Part::Secret).collect();
            return Self { outer, kind, begin, open: "", close: "", parts, holes: &[] };
        };
        let (mut parts, mut from) = (Vec::new(), region.inner.start);
        for piece in pieces.iter().take_while(|piece| piece.span.start < region.outer.end) {
            crate::work::spend(1);
            parts.extend(
                Some(text(from..piece.span.start)).filter(|of| !of.is_empty()).map(Part::Text),
            );
            parts.push(Part::Secret(piece));
            from = piece.span.end;
        }
        parts
            .extend(Some(text(from..region.inner.end)).filter(|of| !of.is_empty()).map(Part::Text));
        Self {
            outer: region.outer.clone(),
            kind,
            begin: "",
            open: text(region.outer.start..region.inner.start),
            close: text(region.inner.end..region.outer.end),
            parts,
            holes: &region.holes,
        }
    }

    fn pieces(&self) -> impl Iterator<Item = &'a Piece<'a>> {
        self.parts.iter().filter_map(|part| match part {
            Part::Secret(piece) => Some(*piece),
            Part::Text(_) => None,
        })
    }

    /// Whether the text that stays has a sign.
    fn has_text(&self, is: impl Fn(&str) -> bool) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Text(text) if is(text)))
    }

    /// Whether nothing but the secret is in it.
    const fn is_whole(&self) -> bool {
        self.parts.len() == 1
    }

    /// Whether a secret is in the code inside of a literal.
    fn has_in_hole(&self, Piece { span, .. }: &Piece<'_>) -> bool {
        let nth = self.holes.partition_point(|hole| hole.end <= span.start);
        self.holes.get(nth).is_some_and(|hole| hole.start < span.end)
    }
}

/// How a literal is written anew.
struct Style {
    start: String,
    end: String,
    /// What goes around each piece of text that stays.
    around: (String, String),
    /// What goes between two pieces.
    between: &'static str,
    escape: fn(&str) -> String,
    /// The look-up of the variable `KEY`.
    look_up: String,
}

impl Style {
    fn of(start: &str, end: &str, look_up: &str) -> Self {
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
    fn sum(site: &Site<'_>, start: &str, sign: &'static str, look_up: &str) -> Self {
        let around = (site.open.to_owned(), site.close.to_owned());
        Self { around, between: sign, ..Self::of(start, ")", look_up) }
    }
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
        let is_escaped = self.is_shell() && site.kind.is_none() && before.ends_with('\\');
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
            || self.is_shell() && (site.kind == Some(Kind::Expanded) || around.is_run())
            || matches!(self.language, Language::Env | Language::Markup)
            || self.language == Language::Workflow && (!site.is_whole() || around.in_step());
        // In a command, which stands in a literal of a shell, no quote is free.
        let in_quotes = self.is_shell() && !site.open.ends_with('\'');
        let has_command = in_quotes && site.has_text(|text| text.contains('`'));
        rendered.text += site.open;
        for (nth, part) in site.parts.iter().enumerate() {
            match part {
                Part::Text(text) => rendered.text += text,
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

    fn is_shell(&self) -> bool {
        matches!(self.language, Language::Shell | Language::Dockerfile)
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
            && (!self.is_shell() || is_outside())
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

fn python(site: &Site<'_>, around: &Around<'_>, value: &str) -> Style {
    let prefix = site.open.trim_end_matches(['"', '\'']);
    let quotes = site.open.get(prefix.len()..).unwrap_or_default();
    let has = |letters: &str| prefix.contains(|letter| letters.contains(letter));
    let quote = if site.close.starts_with('"') { "'" } else { "\"" };
    let hole = ["{", &value.replace('"', quote), "}"].concat();
    // Adjacent literals are one; an expression between them would be an error.
    let has_sibling = around.has_sibling();
    match site.is_whole() {
        true if has("bB") => Style::of("", ".encode()", value),
        true if !has_sibling => Style::of("", "", value),
        false if has("bB") => Style::sum(site, "(", " + ", &[value, ".encode()"].concat()),
        _ if has("fF") => Style::of(site.open, site.close, &hole),
        _ => {
            let open = [if has("rR") { "rf" } else { "f" }, quotes].concat();
            Style { escape: doubled_braces, ..Style::of(&open, site.close, &hole) }
        }
    }
}

/// An escape of octal digits, which no template takes.
static OCTAL: Form = Form::of(r"\\[0-9]");

fn script(site: &Site<'_>, around: &Around<'_>, value: &str) -> Option<Style> {
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

    /// A text with `<` and `>` around each secret, rendered with the variable `V` or a mark.
    fn rendered(language: Language, text: &str, looked_up: bool) -> String {
        let (mut plain, mut outs) = (String::new(), Vec::new());
        for part in text.split_inclusive(['<', '>']) {
            let bare = part.trim_end_matches(['<', '>']);
            let start = plain.len();
            plain += bare;
            if part.ends_with('>') {
                outs.push(Out {
                    mark: "<M>".to_owned(),
                    variable: looked_up.then(|| "V".to_owned()),
                    is_first: true,
                    ..Out::empty(start..plain.len())
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
            assert!(crate::work::taken() < 2 * MANY, "{language:?}");
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

    #[test]
    fn braces_are_doubled_but_for_names_of_characters() {
        assert_eq!(doubled_braces("{a} \\N{DASH} \\\\N{b}"), "{{a}} \\N{DASH} \\\\N{{b}}");
    }
}
