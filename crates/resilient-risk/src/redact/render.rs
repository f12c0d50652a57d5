//! Writing the result: marks or look-ups in the environment where the secrets were, in valid code.
//!
//! A literal that holds a secret is written anew as the language wants it: an f-string, a template, a
//! concatenation. Where nothing of the kind is known to be valid, the mark stands in its place.

use std::ops::Range;

use super::language::Language;
use super::literal::{Kind, Region, regions};
use super::mark::in_brackets as in_brackets_of;
use super::{window_after, window_before};

/// So far is looked around a literal.
const WINDOW: usize = 512;

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

/// A literal, or a bare place, with the secrets in it.
struct Site {
    outer: Range<usize>,
    open: String,
    close: String,
    parts: Vec<Part>,
    holes: Vec<Range<usize>>,
    kind: SiteKind,
    /// It begins as one kind of literal and ends as another, with text on both sides.
    mixed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SiteKind {
    /// In code, outside of literals.
    Bare,
    Literal,
    /// In a here-document that is expanded.
    Expanded,
    Inert,
}

enum Part {
    Text(Range<usize>),
    Secret(usize),
}

/// How a literal is written anew.
struct Form {
    start: String,
    end: String,
    /// What goes around each piece of text that stays.
    around: (String, String),
    /// What goes between two pieces.
    between: &'static str,
    escape: fn(&str) -> String,
}

/// Replaces the secrets, which are in order and apart.
pub(super) fn render(content: &str, language: Option<Language>, secrets: &[Out]) -> Rendered {
    let mut rendered = Rendered::default();
    let mut from = 0;
    let Some(language) = language else {
        for secret in secrets {
            rendered.text += content.get(from..secret.span.start).unwrap_or_default();
            rendered.put(&secret.mark, false);
            from = secret.span.end;
        }
        rendered.text += content.get(from..).unwrap_or_default();
        return rendered;
    };
    let regions = regions(content, language);
    let mut next = 0;
    while next < secrets.len() {
        let site = site(content, &regions, secrets, next);
        rendered.text += content.get(from..site.outer.start).unwrap_or_default();
        from = site.outer.end;
        next += site.parts.iter().filter(|part| matches!(part, Part::Secret(_))).count();
        Writer { content, language, regions: &regions, secrets }.write(&site, &mut rendered);
    }
    rendered.text += content.get(from..).unwrap_or_default();
    rendered
}

impl Rendered {
    fn put(&mut self, replacement: &str, looked_up: bool) {
        let start = self.text.len();
        self.text += replacement;
        self.places.push((start..self.text.len(), looked_up));
    }
}

/// Gathers the literal around a secret and all secrets that share it.
fn site(content: &str, regions: &[Region], secrets: &[Out], first: usize) -> Site {
    let holding = |offset: usize| {
        let nth = regions.partition_point(|region| region.outer.end <= offset);
        regions.get(nth).filter(|region| region.outer.start <= offset)
    };
    let text = |range: Range<usize>| content.get(range).unwrap_or_default().to_owned();
    let span = secrets.get(first).map_or(0..0, |secret| secret.span.clone());
    let begin = holding(span.start);
    let bare = |kind| Site {
        outer: span.clone(),
        open: String::new(),
        close: String::new(),
        parts: vec![Part::Secret(first)],
        holes: Vec::new(),
        kind,
        mixed: false,
    };
    match begin.map(|region| region.kind) {
        Some(Kind::Inert) => return bare(SiteKind::Inert),
        Some(Kind::Expanded) => return bare(SiteKind::Expanded),
        _ => {}
    }
    // The secrets of one literal go together, and those of the next one that a secret goes into.
    let mut taken = vec![first];
    let mut last = holding(span.end.saturating_sub(1));
    while let Some(next) = secrets.get(first + taken.len())
        && last.is_some_and(|region| next.span.start < region.outer.end)
    {
        taken.push(first + taken.len());
        last = holding(next.span.end.saturating_sub(1));
    }
    if last.is_some_and(|region| region.kind != Kind::Literal) {
        return bare(SiteKind::Inert);
    }
    let end = taken.last().and_then(|last| secrets.get(*last)).map_or(span.end, |s| s.span.end);
    let before =
        begin.map_or(0..0, |region| region.inner.start..span.start.max(region.inner.start));
    let after = last.map_or(0..0, |region| end.min(region.inner.end)..region.inner.end);
    let (Some(one), Some(other)) = (begin.or(last), last.or(begin)) else {
        return bare(SiteKind::Bare);
    };
    let open = |region: &Region| text(region.outer.start..region.inner.start);
    let close = |region: &Region| text(region.inner.end..region.outer.end);
    let mixed = (open(one), close(one)) != (open(other), close(other))
        && !before.is_empty()
        && !after.is_empty();
    let quoted = if before.is_empty() { other } else { one };
    let mut parts = Vec::new();
    let mut from = before.start;
    for nth in taken {
        let span = secrets.get(nth).map_or(0..0, |secret| secret.span.clone());
        if from < span.start && (nth > first || !before.is_empty()) {
            parts.push(Part::Text(from..span.start));
        }
        parts.push(Part::Secret(nth));
        from = span.end;
    }
    if !after.is_empty() {
        parts.push(Part::Text(after));
    }
    Site {
        outer: begin.map_or(span.start, |region| region.outer.start)
            ..last.map_or(end, |region| region.outer.end),
        open: open(quoted),
        close: if mixed { close(other) } else { close(quoted) },
        parts,
        holes: if begin == last { one.holes.clone() } else { Vec::new() },
        kind: SiteKind::Literal,
        mixed,
    }
}

struct Writer<'a> {
    content: &'a str,
    language: Language,
    regions: &'a [Region],
    secrets: &'a [Out],
}

impl Writer<'_> {
    fn write(&self, site: &Site, rendered: &mut Rendered) {
        let Some(form) = self.form(site) else {
            self.write_marks(site, rendered);
            return;
        };
        rendered.text += &form.start;
        for (nth, part) in site.parts.iter().enumerate() {
            if nth > 0 {
                rendered.text += form.between;
            }
            match part {
                Part::Text(range) => {
                    rendered.text += &form.around.0;
                    rendered.text += &(form.escape)(self.text(range.clone()));
                    rendered.text += &form.around.1;
                }
                Part::Secret(nth) => {
                    let variable = self.secrets.get(*nth).and_then(|s| s.variable.as_deref());
                    let look_up = self.look_up(site, variable.unwrap_or_default());
                    rendered.put(&look_up, true);
                }
            }
        }
        rendered.text += &form.end;
    }

    fn write_marks(&self, site: &Site, rendered: &mut Rendered) {
        // In the text of an element `://` begins no comment, and a quote no literal.
        let in_text = self.in_markup(&site.outer, site.kind == SiteKind::Bare);
        // Here `<` would begin a tag, or read a file.
        let in_brackets = in_text || matches!(self.language, Language::Env | Language::Markup);
        let quote = match (site.kind, self.language) {
            (SiteKind::Literal, _) => {
                rendered.text += &site.open;
                ""
            }
            _ if in_text => "",
            (SiteKind::Inert | SiteKind::Expanded, _) => "",
            (_, Language::Yaml | Language::Workflow | Language::Env | Language::Markup) => "",
            (_, Language::Shell | Language::Dockerfile) => "'",
            _ => "\"",
        };
        for part in &site.parts {
            match part {
                Part::Text(range) => rendered.text += self.text(range.clone()),
                Part::Secret(nth) => {
                    let is_first = self.secrets.get(*nth).is_some_and(|secret| secret.is_first);
                    let quote = if is_first { quote } else { "" };
                    let mark = self.secrets.get(*nth).map_or("", |secret| secret.mark.as_str());
                    let mark = if in_brackets || self.is_command(site, *nth) {
                        in_brackets_of(mark)
                    } else {
                        mark.to_owned()
                    };
                    rendered.put(&format!("{quote}{mark}{quote}"), false);
                    if site.mixed {
                        rendered.text += &self.seam(*nth);
                    }
                }
            }
        }
        if site.kind == SiteKind::Literal {
            rendered.text += &site.close;
        }
    }

    /// Whether a secret is in a command that stands in a literal of a shell, where `<` reads a file and no quote is free.
    fn is_command(&self, site: &Site, secret: usize) -> bool {
        matches!(self.language, Language::Shell | Language::Dockerfile)
            && site.kind == SiteKind::Literal
            && !site.open.ends_with('\'')
            && (self.in_hole(site, secret) || self.text(site.outer.clone()).contains('`'))
    }

    /// Whether a secret is in the code inside of a literal.
    fn in_hole(&self, site: &Site, secret: usize) -> bool {
        self.secrets.get(secret).is_some_and(|Out { span, .. }| {
            site.holes.iter().any(|hole| hole.start < span.end && span.start < hole.end)
        })
    }

    /// What a secret goes over that is not inside of literals: the quotes, and the code between.
    fn seam(&self, secret: usize) -> String {
        let Some(span) = self.secrets.get(secret).map(|secret| &secret.span) else {
            return String::new();
        };
        let nth = self.regions.partition_point(|region| region.outer.end <= span.start);
        let mut seam = String::new();
        let mut from = span.start;
        let here = self.regions.iter().skip(nth).take_while(|r| r.outer.start < span.end);
        for region in here.filter(|region| region.kind == Kind::Literal) {
            seam += self.text(from..region.inner.start.max(from));
            from = region.inner.end.clamp(from, span.end);
        }
        seam + self.text(from..span.end)
    }

    fn text(&self, range: Range<usize>) -> &str {
        self.content.get(range).unwrap_or_default()
    }

    fn byte_before(&self, at: usize) -> Option<u8> {
        self.content.as_bytes().get(at.checked_sub(1)?).copied()
    }

    /// The first byte from here on that is no white space, and the last before.
    fn neighbours(&self, outer: &Range<usize>) -> (Option<u8>, Option<u8>) {
        let bytes = self.content.as_bytes();
        let dark = |byte: &&u8| !byte.is_ascii_whitespace();
        let before = bytes.get(..outer.start).and_then(|b| b.iter().rev().take(256).find(dark));
        let after = bytes.get(outer.end..).and_then(|b| b.iter().take(256).find(dark));
        (before.copied(), after.copied())
    }

    /// Whether every part of the site can be written as a look-up.
    fn can_look_up(&self, site: &Site) -> bool {
        site.kind != SiteKind::Inert
            && !site.mixed
            && (site.kind == SiteKind::Bare || !self.in_markup(&site.outer, false))
            && site.parts.iter().all(|part| match part {
                Part::Text(_) => true,
                Part::Secret(nth) => self.secrets.get(*nth).is_some_and(|secret| {
                    // Behind a backslash, what begins here is the rest of an escape.
                    secret.variable.is_some()
                        && !self.in_hole(site, *nth)
                        && self.byte_before(secret.span.start) != Some(b'\\')
                }),
            })
    }

    /// Whether the language takes nothing but a constant here, which a look-up is not: attributes,
    /// constants, cases, imports. What it takes is seen by how the line begins.
    fn wants_constant(&self, outer: &Range<usize>, open: &str) -> bool {
        let before = window_before(self.content, outer.start, WINDOW);
        let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
        let begins = |with: &[&str]| with.iter().any(|word| line.starts_with(word));
        let mut words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        match self.language {
            Language::Go => {
                // A raw literal behind a type is the tag of a field.
                let word = line.trim_end().rsplit([' ', '\t']).next().unwrap_or_default();
                let is_tag = open == "`"
                    && word.ends_with(|c: char| c.is_ascii_alphanumeric() || "]}".contains(c))
                    && !["return", "case", "range"].contains(&word);
                let group = before.rfind("const (").or_else(|| before.rfind("import ("));
                let in_group = group
                    .and_then(|at| before.get(at..))
                    .is_some_and(|group| !group.contains("\n)"));
                begins(&["const ", "import "]) || in_group || is_tag
            }
            Language::Java => {
                let case = line.rsplit(['{', '}', ';', ':']).next().unwrap_or_default();
                begins(&["@"]) || case.trim_start().starts_with("case ") || in_annotation(before)
            }
            Language::Kotlin => in_annotation(before) || words.any(|word| word == "const"),
            Language::CSharp => begins(&["[", "case "]) || words.any(|word| word == "const"),
            Language::Php => {
                let properties = ["public ", "private ", "protected ", "static ", "var "];
                begins(&properties) && !line.contains('(') || words.any(|word| word == "const")
            }
            Language::Rust => begins(&["#[", "#![", "extern "]),
            Language::JavaScript | Language::TypeScript => {
                // A template behind a name is an argument of that name.
                let is_tagged = open == "`"
                    && self.byte_before(outer.start).is_some_and(|byte| {
                        byte.is_ascii_alphanumeric() || b"_$)]".contains(&byte)
                    });
                is_tagged
                    || begins(&["import "])
                    || begins(&["export "]) && line.ends_with("from ")
                    || self.language == Language::TypeScript && self.is_type(outer, before)
            }
            Language::Python => self.is_annotation(outer, before, open),
            _ => false,
        }
    }

    /// Whether a literal in TypeScript is a type, or the value in an `enum`.
    fn is_type(&self, outer: &Range<usize>, before: &str) -> bool {
        let line = before.rsplit('\n').next().unwrap_or_default();
        let near = line.trim_end();
        let declares =
            line.trim_start().trim_start_matches("export ").trim_start_matches("declare ");
        let (_, after) = self.neighbours(outer);
        let of_enum = before.rfind("enum ").and_then(|at| before.get(at..));
        ["type ", "interface "].iter().any(|word| declares.starts_with(word))
            || [" as", " extends", "<"].iter().any(|end| near.ends_with(end))
            || near.ends_with('|') && !near.ends_with("||")
            || near.ends_with(':') && after == Some(b'=')
            || of_enum.is_some_and(|of_enum| !of_enum.contains('}'))
    }

    /// Whether a literal in Python is an annotation, or a statement by itself, as documentation is.
    fn is_annotation(&self, outer: &Range<usize>, before: &str, open: &str) -> bool {
        let line = before.rsplit('\n').next().unwrap_or_default();
        let (dark, after) = self.neighbours(outer);
        let named = line.trim().strip_suffix(':').unwrap_or_default();
        let is_named = !named.is_empty() && !named.contains(['"', '\'', '{', ',']);
        let is_value = dark.is_some_and(|byte| b"([{,=+-*%|&\"'\\".contains(&byte));
        let goes_on = matches!(after, Some(b',' | b'}'));
        before.rfind("Literal[").and_then(|at| before.get(at..)).is_some_and(|of| !of.contains(']'))
            || line.trim_end().ends_with("->")
            || is_named && (named.contains("def ") || !goes_on)
            || line.trim().is_empty()
                && (!is_value || open.len() > 3 && dark != Some(b'('))
                && !goes_on
    }

    /// How the site is written anew; nothing where only a mark is known to do.
    fn form(&self, site: &Site) -> Option<Form> {
        if !self.can_look_up(site) || self.wants_constant(&site.outer, &site.open) {
            return None;
        }
        let whole = site.parts.len() == 1;
        let (before, after) = self.neighbours(&site.outer);
        let has = |letters: &str| site.open.contains(|letter| letters.contains(letter));
        let as_is = || Some(Form::of(&site.open, &site.close));
        let bare = || Some(Form::of("", ""));
        let concat = |operator| Some(Form::concat(site, operator));
        if site.kind == SiteKind::Expanded {
            return bare();
        }
        match self.language {
            Language::Markup => None,
            // A name is not expanded.
            Language::Env if site.kind == SiteKind::Bare && after == Some(b'=') => None,
            Language::Json => {
                Some(if whole { Form::of("\"", "\"") } else { Form::of(&site.open, &site.close) })
            }
            Language::Toml if site.kind == SiteKind::Bare => Some(Form::of("\"", "\"")),
            Language::Yaml | Language::Workflow if site.kind == SiteKind::Bare => {
                let alone = before.is_none_or(|byte| b":-,[{=>|".contains(&byte))
                    && self.ends_scalar(site.outer.end);
                // Within braces or brackets those of a look-up would not belong to the text around it.
                if !alone && self.in_flow(site.outer.start) {
                    return None;
                }
                Some(if alone { Form::of("\"", "\"") } else { Form::of("", "") })
            }
            Language::Yaml | Language::Workflow | Language::Toml | Language::Env => as_is(),
            Language::Shell | Language::Dockerfile if site.open.ends_with('\'') => {
                let form = Form::of(&site.open, &site.close);
                Some(if whole { Form::of("", "") } else { form })
            }
            Language::Shell | Language::Dockerfile => as_is(),
            _ if site.kind == SiteKind::Bare && self.in_markup(&site.outer, true) => {
                Some(Form::of("{", "}"))
            }
            _ if site.kind == SiteKind::Bare => bare(),
            Language::Python => self.python(site, whole),
            Language::JavaScript | Language::TypeScript => {
                let is_key = after == Some(b':') && matches!(before, Some(b'{' | b','));
                let is_attribute = before == Some(b'=') && self.in_tag(site.outer.start);
                let (start, end) = match (is_key, is_attribute) {
                    (true, _) => ("[", "]"),
                    (_, true) => ("{", "}"),
                    _ => ("", ""),
                };
                let form = match whole {
                    true => Form::of("", ""),
                    false if has("`") => Form::of("`", "`"),
                    false => Form { escape: template, ..Form::of("`", "`") },
                };
                Some(Form { start: start.to_owned() + &form.start, end: form.end + end, ..form })
            }
            Language::Rust if has("c") => None,
            Language::Rust => {
                let bytes = if has("b") { ".as_bytes()" } else { "" };
                let form = if whole { Form::of("", "") } else { Form::rust(site) };
                Some(Form { end: form.end + bytes, ..form })
            }
            // Another language's piece of a literal that spans lines cannot be cut.
            Language::Java if !whole && has("\"") && site.open.len() > 1 => None,
            Language::CSharp if !whole && site.open.len() > 2 => None,
            Language::Ruby if !whole && site.open == "\"" => as_is(),
            Language::Php if !whole => concat(" . "),
            _ if whole => bare(),
            _ => concat(" + "),
        }
    }

    fn python(&self, site: &Site, whole: bool) -> Option<Form> {
        let prefix = site.open.trim_end_matches(['"', '\'']);
        let quotes = site.open.get(prefix.len()..).unwrap_or_default();
        let has = |letters: &str| prefix.contains(|letter| letters.contains(letter));
        if has("bB") {
            return Some(if whole { Form::of("", "") } else { Form::concat(site, " + ") });
        }
        // Adjacent literals are one; an expression between them would be an error.
        if whole && !self.has_sibling(&site.outer) {
            return Some(Form::of("", ""));
        }
        if has("fF") {
            return Some(Form::of(&site.open, &site.close));
        }
        let raw = if has("rR") { "r" } else { "" };
        let open = format!("{raw}f{quotes}");
        Some(Form { escape: doubled_braces, ..Form::of(&open, &site.close) })
    }

    /// Whether another literal stands beside this one with nothing but white space between.
    fn has_sibling(&self, outer: &Range<usize>) -> bool {
        let nth = self.regions.partition_point(|region| region.outer.start < outer.start);
        let blank = |range: Range<usize>| {
            self.content.get(range).is_some_and(|gap| gap.chars().all(char::is_whitespace))
        };
        let literal = |region: &&Region| region.kind == Kind::Literal;
        let before = nth.checked_sub(1).and_then(|nth| self.regions.get(nth)).filter(literal);
        let after = self.regions.iter().skip(nth).find(|region| region.outer.start >= outer.end);
        before.is_some_and(|region| blank(region.outer.end..outer.start))
            || after.filter(literal).is_some_and(|region| blank(outer.end..region.outer.start))
    }

    /// Whether a plain scalar of YAML ends here.
    fn ends_scalar(&self, at: usize) -> bool {
        let line = window_after(self.content, at, WINDOW).split('\n').next().unwrap_or_default();
        let dark = line.trim_start();
        dark.is_empty() || dark.starts_with([',', ']', '}']) || line.starts_with(" #")
    }

    /// Whether braces or brackets of YAML are open here.
    fn in_flow(&self, at: usize) -> bool {
        let before = window_before(self.content, at, WINDOW);
        let count = |signs: [char; 2]| before.matches(signs).count();
        count(['{', '[']) > count(['}', ']'])
    }

    /// Whether this is the text of an element in JSX: `<p>…</p>`. In code such signs compare, and signs of code
    /// stand between.
    fn in_markup(&self, outer: &Range<usize>, is_bare: bool) -> bool {
        const TAGS: [char; 4] = ['<', '>', '{', '}'];
        const CODE: [char; 4] = ['(', ')', ';', '='];
        if !matches!(self.language, Language::JavaScript | Language::TypeScript) {
            return false;
        }
        let begins = |tag: &str| {
            tag.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '>'))
        };
        // An element may hold a whole key.
        let before = window_before(self.content, outer.start, 16 * WINDOW);
        let after = window_after(self.content, outer.end, 16 * WINDOW);
        let opened = before.rfind(TAGS).and_then(|at| before.get(..at + 1)).filter(|tag| {
            let open = tag.rfind('<').and_then(|at| tag.get(at + 1..));
            tag.ends_with('>') && !tag.ends_with("=>") && open.is_some_and(begins)
        });
        let closed = after
            .find(TAGS)
            .and_then(|at| after.get(at..))
            .filter(|rest| rest.starts_with('{') || rest.strip_prefix('<').is_some_and(begins));
        let (Some(opened), Some(closed)) = (opened, closed) else { return false };
        let has_code = || {
            let before = before.get(opened.len()..).unwrap_or_default();
            let after = after.get(..after.len() - closed.len()).unwrap_or_default();
            before.contains(CODE) || after.contains(CODE)
        };
        !is_bare || closed.starts_with("</") || !has_code()
    }

    /// Whether an attribute's value in JSX begins here: `<A key="…`.
    fn in_tag(&self, at: usize) -> bool {
        let before = window_before(self.content, at, WINDOW);
        let tight = before.strip_suffix('=').is_some_and(|name| {
            name.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-')
        });
        let opened = before.rfind('<').is_some_and(|open| {
            let tag = before.get(open + 1..).unwrap_or_default();
            let is_open = !tag.replace("=>", "").contains(['>', ';']);
            tag.starts_with(|c: char| c.is_ascii_alphabetic()) && is_open
        });
        tight && opened
    }

    /// The look-up of a variable, as it is written inside the form of the site.
    fn look_up(&self, site: &Site, name: &str) -> String {
        let literal = site.kind == SiteKind::Literal;
        let whole = site.parts.len() == 1;
        match self.language {
            Language::Python => {
                let prefix = site.open.trim_end_matches(['"', '\'']);
                if prefix.contains(['b', 'B']) {
                    return format!("os.environ[\"{name}\"].encode()");
                }
                if literal && (!whole || self.has_sibling(&site.outer)) {
                    let quote = if site.close.starts_with('"') { '\'' } else { '"' };
                    return format!("{{os.environ[{quote}{name}{quote}]}}");
                }
                format!("os.environ[\"{name}\"]")
            }
            Language::JavaScript | Language::TypeScript if literal && !whole => {
                format!("${{process.env.{name}}}")
            }
            Language::JavaScript | Language::TypeScript => format!("process.env.{name}"),
            Language::Rust => format!("env!(\"{name}\")"),
            Language::Go => format!("os.Getenv(\"{name}\")"),
            Language::Ruby
                if site.kind == SiteKind::Expanded || literal && !whole && site.open == "\"" =>
            {
                format!("#{{ENV.fetch(\"{name}\")}}")
            }
            Language::Ruby => format!("ENV.fetch(\"{name}\")"),
            Language::Java | Language::Kotlin => format!("System.getenv(\"{name}\")"),
            Language::CSharp => format!("Environment.GetEnvironmentVariable(\"{name}\")"),
            Language::Php => format!("getenv('{name}')"),
            Language::Shell | Language::Dockerfile => match site.kind {
                SiteKind::Bare => format!("\"${{{name}}}\""),
                SiteKind::Literal if whole && site.open.ends_with('\'') => {
                    format!("\"${{{name}}}\"")
                }
                SiteKind::Literal if site.open.ends_with('\'') => {
                    format!("{}\"${{{name}}}\"{}", site.close, site.open)
                }
                _ => format!("${{{name}}}"),
            },
            Language::Workflow => format!("${{{{ secrets.{name} }}}}"),
            Language::Yaml | Language::Json | Language::Toml | Language::Env | Language::Markup => {
                format!("${{{name}}}")
            }
        }
    }
}

impl Form {
    fn of(start: &str, end: &str) -> Self {
        Self {
            start: start.to_owned(),
            end: end.to_owned(),
            around: (String::new(), String::new()),
            between: "",
            escape: str::to_owned,
        }
    }

    fn concat(site: &Site, operator: &'static str) -> Self {
        let around = (site.open.clone(), site.close.clone());
        Self { around, between: operator, ..Self::of("(", ")") }
    }

    fn rust(site: &Site) -> Self {
        let open = site.open.strip_prefix('b').unwrap_or(&site.open).to_owned();
        Self { around: (open, site.close.clone()), between: ", ", ..Self::of("concat!(", ")") }
    }
}

/// Whether the arguments of an annotation are open at the end of a text: `@Value(`.
fn in_annotation(before: &str) -> bool {
    let name = before.rfind('@').and_then(|at| before.get(at + 1..)).unwrap_or_default();
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && !"_.:".contains(c));
    let rest = end.and_then(|end| name.get(end..)).unwrap_or_default();
    let count = |sign| rest.matches(sign).count();
    rest.trim_start().starts_with('(') && count('(') > count(')')
}

/// Text of a literal as that of an f-string. The braces of `\N{DASH}` stay.
fn doubled_braces(text: &str) -> String {
    let mut doubled = String::with_capacity(text.len());
    let mut name = false;
    for (at, c) in text.char_indices() {
        let before = text.get(..at).unwrap_or_default();
        if c == '{' && before.ends_with("\\N") && !before.ends_with("\\\\N") {
            name = true;
            doubled.push(c);
            continue;
        }
        doubled.push(c);
        match c {
            '}' if name => name = false,
            '{' | '}' => doubled.push(c),
            _ => {}
        }
    }
    doubled
}

/// Text of a quoted literal as that of a template.
fn template(text: &str) -> String {
    text.replace('`', "\\`").replace("${", "\\${")
}
