//! Writing the result: marks or look-ups in the environment where the secrets were, in valid code.
//!
//! A literal that holds a secret is written anew as the language wants it: an f-string, a template, a
//! concatenation. Where nothing of the kind is known to be valid, the mark stands in its place.

use std::ops::Range;

use super::around::Around;
use super::language::Language;
use super::literal::{Kind, Region, regions};
use super::mark::in_brackets;

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
    let (mut from, mut rest) = (0, secrets);
    while let [first, ..] = rest {
        let site = Site::of(content, &regions, first, rest);
        rendered.text += content.get(from..site.outer.start).unwrap_or_default();
        from = site.outer.end;
        rest = rest.get(site.secrets().count()..).unwrap_or_default();
        match language {
            Some(language) => {
                Writer { content, language, regions: &regions }.write(&site, &mut rendered);
            }
            None => rendered.put(&first.mark, false),
        }
    }
    rendered.text += content.get(from..).unwrap_or_default();
    rendered
}

/// A literal, or a bare place, with the secrets in it.
struct Site<'a> {
    outer: Range<usize>,
    /// The region that it is; none in code.
    kind: Option<Kind>,
    open: &'a str,
    close: &'a str,
    parts: Vec<Part<'a>>,
    holes: &'a [Range<usize>],
    /// It begins as one kind of literal and ends as another, with text on both sides.
    mixed: bool,
}

enum Part<'a> {
    Text(&'a str),
    Secret(&'a Out),
}

impl<'a> Site<'a> {
    /// Gathers the literal around a secret and all secrets that share it: those of one literal go together, and those of
    /// the next one that a secret goes into.
    fn of(content: &'a str, regions: &'a [Region], first: &'a Out, secrets: &'a [Out]) -> Self {
        let holding = |offset: usize| {
            let nth = regions.partition_point(|region| region.outer.end <= offset);
            regions.get(nth).filter(|region| region.outer.start <= offset)
        };
        let text = |range: Range<usize>| content.get(range).unwrap_or_default();
        let of = |region: Option<&Region>| region.map_or(Kind::Literal, |region| region.kind);
        let begin = holding(first.span.start);
        let (mut end, mut taken) = (first.span.end, 1);
        let mut last = holding(end.saturating_sub(1));
        // What begins in a comment is by itself.
        while let Some(next) = secrets.get(taken)
            && (of(begin), of(last)) == (Kind::Literal, Kind::Literal)
            && last.is_some_and(|region| next.span.start < region.outer.end)
        {
            (end, taken) = (next.span.end, taken + 1);
            last = holding(end.saturating_sub(1));
        }
        crate::work::spend(taken);
        let kind = match (of(begin), of(last)) {
            (Kind::Literal, Kind::Literal) => begin.or(last).map(|region| region.kind),
            (Kind::Literal, _) => Some(Kind::Inert),
            (kind, _) => Some(kind),
        };
        let holes = begin.filter(|_| begin == last).map_or(&[][..], |region| &region.holes);
        let is_literal = |_: &&Region| kind == Some(Kind::Literal);
        let (begin, last) = (begin.filter(is_literal), last.filter(is_literal));
        let mut parts = Vec::new();
        let mut from = begin.map_or(first.span.start, |region| region.inner.start);
        for secret in secrets.iter().take(taken) {
            if from < secret.span.start {
                parts.push(Part::Text(text(from..secret.span.start)));
            }
            parts.push(Part::Secret(secret));
            from = secret.span.end;
        }
        let to = last.map_or(end, |region| region.inner.end);
        if from < to {
            parts.push(Part::Text(text(from..to)));
        }
        let outer = begin.map_or(first.span.start, |region| region.outer.start)
            ..last.map_or(end, |region| region.outer.end);
        let (Some(one), Some(other)) = (begin.or(last), last.or(begin)) else {
            return Self { outer, kind, open: "", close: "", parts, holes, mixed: false };
        };
        let quotes =
            |of: &Region| (text(of.outer.start..of.inner.start), text(of.inner.end..of.outer.end));
        let is_text = |part: Option<&Part<'_>>| matches!(part, Some(Part::Text(_)));
        let (begins, ends) = (is_text(parts.first()), is_text(parts.last()));
        let mixed = begins && ends && quotes(one) != quotes(other);
        let (open, close) = quotes(if begins { one } else { other });
        Self {
            outer,
            kind,
            open,
            close: if mixed { quotes(other).1 } else { close },
            parts,
            holes,
            mixed,
        }
    }

    fn secrets(&self) -> impl Iterator<Item = &Out> {
        self.parts.iter().filter_map(|part| match part {
            Part::Secret(secret) => Some(*secret),
            Part::Text(_) => None,
        })
    }

    /// Whether a sign is in the text that stays.
    fn has_text(&self, sign: char) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Text(text) if text.contains(sign)))
    }

    /// Whether nothing but the secret is in it.
    const fn is_whole(&self) -> bool {
        self.parts.len() == 1
    }

    /// Whether a secret is in the code inside of a literal.
    fn has_in_hole(&self, Out { span, .. }: &Out) -> bool {
        let nth = self.holes.partition_point(|hole| hole.end <= span.start);
        self.holes.get(nth).is_some_and(|hole| hole.start < span.end)
    }
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
    /// The look-up of the variable `KEY`.
    look_up: String,
}

impl Form {
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

    /// Pieces that an operator adds up.
    fn sum(site: &Site<'_>, operator: &'static str, look_up: &str) -> Self {
        let around = (site.open.to_owned(), site.close.to_owned());
        Self { around, between: operator, ..Self::of("(", ")", look_up) }
    }
}

struct Writer<'a> {
    content: &'a str,
    language: Language,
    regions: &'a [Region],
}

impl Writer<'_> {
    fn write(&self, site: &Site<'_>, rendered: &mut Rendered) {
        let Some(form) = self.form(site) else { return self.write_marks(site, rendered) };
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
                Part::Secret(secret) => {
                    let variable = secret.variable.as_deref().unwrap_or_default();
                    rendered.put(&form.look_up.replace("KEY", variable), true);
                }
            }
        }
        rendered.text += &form.end;
    }

    fn write_marks(&self, site: &Site<'_>, rendered: &mut Rendered) {
        // In the text of an element `://` begins no comment, and a quote no literal.
        let around = self.around(site);
        let in_text = around.in_markup(site.kind.is_none());
        let quote = match self.language {
            _ if site.kind.is_some() || in_text => "",
            Language::Yaml | Language::Workflow | Language::Env | Language::Markup => "",
            Language::Shell | Language::Dockerfile => "'",
            _ => "\"",
        };
        // Here `<` would begin a tag, or read a file.
        let is_sign = in_text
            || site.kind == Some(Kind::Unknown)
            || self.is_shell() && (site.kind == Some(Kind::Expanded) || around.is_run())
            || matches!(self.language, Language::Env | Language::Markup);
        // A command that stands in a literal of a shell, where `<` reads a file and no quote is free.
        let in_quotes =
            self.is_shell() && site.kind == Some(Kind::Literal) && !site.open.ends_with('\'');
        let has_command = in_quotes && site.has_text('`');
        rendered.text += site.open;
        for part in &site.parts {
            match part {
                Part::Text(text) => rendered.text += text,
                Part::Secret(secret) => {
                    let quote = if secret.is_first { quote } else { "" };
                    let in_step = self.language == Language::Workflow
                        && (!site.is_whole() || around.in_step());
                    let in_command = has_command || in_quotes && site.has_in_hole(secret);
                    let mark = if is_sign || in_step || in_command {
                        in_brackets(&secret.mark)
                    } else {
                        secret.mark.clone()
                    };
                    rendered.put(&format!("{quote}{mark}{quote}"), false);
                    if site.mixed {
                        rendered.text += &self.seam(&secret.span);
                    }
                }
            }
        }
        rendered.text += site.close;
    }

    fn is_shell(&self) -> bool {
        matches!(self.language, Language::Shell | Language::Dockerfile)
    }

    fn around<'a>(&'a self, site: &'a Site<'_>) -> Around<'a> {
        Around {
            content: self.content,
            language: self.language,
            span: site.outer.clone(),
            open: site.open,
            regions: self.regions,
        }
    }

    /// What a secret goes over that is not inside of literals: the quotes, and the code between.
    fn seam(&self, span: &Range<usize>) -> String {
        let text = |range: Range<usize>| self.content.get(range).unwrap_or_default();
        let nth = self.regions.partition_point(|region| region.outer.end <= span.start);
        let here = self.regions.iter().skip(nth).take_while(|of| of.outer.start < span.end);
        let (mut seam, mut from) = (String::new(), span.start);
        for region in here.filter(|region| region.kind == Kind::Literal) {
            seam += text(from..region.inner.start.max(from));
            from = region.inner.end.clamp(from, span.end);
        }
        seam + text(from..span.end)
    }

    /// Whether every part of the site can be written as a look-up.
    fn can_look_up(&self, site: &Site<'_>) -> bool {
        // Behind a backslash, what begins here is the rest of an escape.
        let is_escaped = |secret: &Out| {
            self.content.get(..secret.span.start).is_some_and(|before| before.ends_with('\\'))
        };
        // There, quotes of the command would keep it from being expanded.
        let in_command = || match site.kind {
            _ if !self.is_shell() => false,
            Some(Kind::Expanded) => self.around(site).in_command(),
            _ => site.open.ends_with('"') && site.has_text('`'),
        };
        !matches!(site.kind, Some(Kind::Inert | Kind::Unknown))
            && !site.mixed
            && (site.kind.is_none() || !self.around(site).in_markup(false))
            && !in_command()
            && site.secrets().all(|secret| {
                secret.variable.is_some() && !site.has_in_hole(secret) && !is_escaped(secret)
            })
    }

    /// How the site is written anew; nothing where only a mark is known to do.
    fn form(&self, site: &Site<'_>) -> Option<Form> {
        let around = self.around(site);
        if !self.can_look_up(site) {
            return None;
        }
        let value = match self.language {
            Language::Python => "os.environ[\"KEY\"]",
            Language::JavaScript | Language::TypeScript => "process.env.KEY",
            Language::Rust => "env!(\"KEY\")",
            Language::Go => "os.Getenv(\"KEY\")",
            Language::Ruby => "ENV.fetch(\"KEY\")",
            Language::Java | Language::Kotlin => "System.getenv(\"KEY\")",
            Language::CSharp => "Environment.GetEnvironmentVariable(\"KEY\")",
            Language::Php => "getenv('KEY')",
            Language::Shell | Language::Dockerfile => "\"${KEY}\"",
            Language::Workflow => "${{ secrets.KEY }}",
            Language::Yaml | Language::Json | Language::Toml | Language::Env => "${KEY}",
            Language::Markup => return None,
        };
        let before = around.neighbours().0;
        let (whole, bare) = (site.is_whole(), site.kind.is_none());
        let expanded = site.kind == Some(Kind::Expanded);
        let has = |letters: &str| site.open.contains(|letter| letters.contains(letter));
        let as_is = |look_up: &str| Form::of(site.open, site.close, look_up);
        let quoted = || Form::of("\"", "\"", value);
        Some(match self.language {
            Language::Env if site.open == "'" => return None,
            _ if around.is_name() => return None,
            Language::Json if whole => quoted(),
            Language::Toml if bare => quoted(),
            // Within braces or brackets those of a look-up would not belong to the text around it.
            Language::Yaml | Language::Workflow if bare && around.in_flow() => {
                if !around.is_scalar() {
                    return None;
                }
                quoted()
            }
            Language::Json
            | Language::Yaml
            | Language::Workflow
            | Language::Toml
            | Language::Env => as_is(value),
            // A list of words is not for a shell, which would expand it.
            Language::Dockerfile if around.in_list() => return None,
            Language::Shell | Language::Dockerfile if bare => Form::of("", "", value),
            Language::Shell | Language::Dockerfile if site.open.ends_with('\'') => match whole {
                true => Form::of("", "", value),
                false => as_is(&[site.close, value, site.open].concat()),
            },
            Language::Shell | Language::Dockerfile => as_is(value.trim_matches('"')),
            Language::Ruby if expanded || !whole && site.open == "\"" => {
                as_is("#{ENV.fetch(\"KEY\")}")
            }
            _ if expanded => return None,
            _ if bare && around.in_markup(true) => Form::of("{", "}", value),
            _ if !around.takes_look_up() => return None,
            _ if bare => Form::of("", "", value),
            Language::Python => self.python(site, value),
            Language::JavaScript | Language::TypeScript => {
                let in_tag = before == Some(b'=') && around.in_tag();
                let mut texts = site.parts.iter().filter_map(|part| match part {
                    Part::Text(text) => Some(*text),
                    Part::Secret(_) => None,
                });
                // What is no escape in an attribute would be one in a template, which takes none of octal.
                let is_octal = |text: &str| {
                    let mut pairs = text.as_bytes().windows(2);
                    pairs.any(|pair| matches!(pair, [b'\\', b'0'..=b'9']))
                };
                if texts.any(|text| is_octal(text) || in_tag && text.contains(['&', '\\'])) {
                    return None;
                }
                let (start, end) = if in_tag { ("{", "}") } else { ("", "") };
                let tick = if whole { "" } else { "`" };
                let look_up = if whole { value } else { "${process.env.KEY}" };
                let escape = if has("`") { str::to_owned } else { template };
                let (start, end) = ([start, tick].concat(), [tick, end].concat());
                Form { escape, ..Form::of(&start, &end, look_up) }
            }
            Language::Rust if has("c") => return None,
            // What is put together takes no names of variables into a format.
            Language::Rust if !whole && site.has_text('{') => return None,
            Language::Rust => {
                let bytes = if has("b") { ".as_bytes()" } else { "" };
                let around = (site.open.trim_start_matches('b').to_owned(), site.close.to_owned());
                match whole {
                    true => Form::of("", bytes, value),
                    false => {
                        let end = [")", bytes].concat();
                        Form { around, between: ", ", ..Form::of("concat!(", &end, value) }
                    }
                }
            }
            _ if whole => Form::of("", "", value),
            // Another language's piece of a literal that spans lines cannot be cut.
            Language::Java if has("\"") && site.open.len() > 1 => return None,
            Language::CSharp if site.open.len() > 2 => return None,
            Language::Php => Form::sum(site, " . ", value),
            _ => Form::sum(site, " + ", value),
        })
    }

    fn python(&self, site: &Site<'_>, value: &str) -> Form {
        let prefix = site.open.trim_end_matches(['"', '\'']);
        let quotes = site.open.get(prefix.len()..).unwrap_or_default();
        let has = |letters: &str| prefix.contains(|letter| letters.contains(letter));
        let bytes = [value, ".encode()"].concat();
        let quote = if site.close.starts_with('"') { "'" } else { "\"" };
        let hole = ["{", &value.replace('"', quote), "}"].concat();
        if has("bB") {
            return if site.is_whole() {
                Form::of("", "", &bytes)
            } else {
                Form::sum(site, " + ", &bytes)
            };
        }
        // Adjacent literals are one; an expression between them would be an error.
        if site.is_whole() && !self.has_sibling(&site.outer) {
            return Form::of("", "", value);
        }
        if has("fF") {
            return Form::of(site.open, site.close, &hole);
        }
        let open = [if has("rR") { "rf" } else { "f" }, quotes].concat();
        Form { escape: doubled_braces, ..Form::of(&open, site.close, &hole) }
    }

    /// Whether another literal stands beside this one with nothing but white space between.
    fn has_sibling(&self, outer: &Range<usize>) -> bool {
        let blank = |range: Range<usize>| {
            self.content.get(range).is_some_and(|gap| gap.chars().all(char::is_whitespace))
        };
        let nth = self.regions.partition_point(|region| region.outer.start < outer.start);
        let (before, after) = self.regions.split_at(nth);
        let after = after.iter().find(|region| region.outer.start >= outer.end);
        let is_literal = |region: &&Region| region.kind == Kind::Literal;
        before.last().filter(is_literal).is_some_and(|of| blank(of.outer.end..outer.start))
            || after.filter(is_literal).is_some_and(|of| blank(outer.end..of.outer.start))
    }
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
            (Language::Rust, "f(b\"<s> c\")", "f(concat!(env!(\"V\"), \" c\").as_bytes())"),
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
            (Language::Shell, "f <s> # <t>", "f '<M>' # <M>"),
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
