//! What stands around a place in a text, and what the language takes there: it is seen by how the line begins and by the
//! signs beside the place.

use std::cell::LazyCell;
use std::ops::Range;

use super::language::Language;
use super::literal::{Kind, Region};
use super::{window_after, window_before};

/// So far is looked around a literal.
const WINDOW: usize = 512;

/// A literal or a bare place, and the text around it.
pub(super) struct Around<'a> {
    pub(super) content: &'a str,
    pub(super) language: Language,
    pub(super) span: Range<usize>,
    /// The quote that the literal begins with.
    pub(super) open: &'a str,
    pub(super) regions: &'a [Region],
}

impl<'a> Around<'a> {
    fn before(&self, len: usize) -> &'a str {
        window_before(self.content, self.span.start, len)
    }

    fn after(&self, len: usize) -> &'a str {
        window_after(self.content, self.span.end, len)
    }

    /// What stands before it on its line.
    fn line(&self) -> &'a str {
        self.before(WINDOW).rsplit('\n').next().unwrap_or_default()
    }

    /// The code before it, without comments and without what is in literals.
    fn code(&self) -> String {
        let mut at = self.span.start - self.before(16 * WINDOW).len();
        let nth = self.regions.partition_point(|region| region.outer.end <= at);
        let (mut code, end) = (String::new(), self.span.start);
        let regions = self.regions.iter().skip(nth).take_while(|region| region.outer.start < end);
        for Region { kind, outer, .. } in regions {
            code += self.content.get(at..outer.start).unwrap_or_default();
            code += if *kind == Kind::Literal { "\"\"" } else { " " };
            at = outer.end;
        }
        code + self.content.get(at..end).unwrap_or_default()
    }

    /// The last sign before it, and the first behind it.
    pub(super) fn neighbours(&self) -> (Option<u8>, Option<u8>) {
        let bytes = |text: &'a str| text.bytes().filter(|byte| !byte.is_ascii_whitespace());
        (bytes(self.before(WINDOW)).next_back(), bytes(self.after(WINDOW)).next())
    }

    /// Whether what has begun with some words is open here: its end has not come.
    fn is_open(&self, begins: &[&str], end: &str) -> bool {
        let before = self.before(WINDOW);
        let begun = begins.iter().filter_map(|begin| before.rfind(begin)).max();
        begun.and_then(|at| before.get(at..)).is_some_and(|begun| !begun.contains(end))
    }

    /// Whether an expression stands here: the right side of an assignment, an argument, what is returned, an element
    /// of a list, the value of a map, or a part of such a one. Where it may be a pattern, a type or a constant, none does.
    pub(super) fn takes_look_up(&self) -> bool {
        if self.language == Language::Python {
            // A parser sees to the rest.
            return !self.is_annotation();
        }
        let before = self.code();
        let code = before.trim_end();
        let levels = LazyCell::new(|| levels(code));
        let ends = |with: &[&str]| with.iter().any(|end| code.ends_with(end));
        let braced = matches!(self.language, Language::Go | Language::Java | Language::CSharp);
        let is_apart = before.len() > code.len();
        let begins = match code.chars().next_back() {
            Some(':') => match self.language {
                Language::JavaScript | Language::TypeScript => in_object(&levels),
                // `:"…"` is a symbol.
                Language::Ruby => is_apart,
                _ => true,
            },
            Some('[') => !code.trim_end_matches('[').ends_with(is_value_end),
            Some('.') => self.language == Language::Php,
            Some('{') => braced,
            Some('&') => self.language == Language::Rust || ends(&["&&"]),
            Some('o') if self.language == Language::Kotlin => ends(&[" to"]),
            Some(c) if c.is_ascii_alphanumeric() => {
                ends(&["return"]) || self.language == Language::Ruby && is_apart
            }
            _ => ends(&["=", "=>", "(", ",", "+", "||", "?"]),
        };
        let line = self.after(WINDOW).split('\n').next().unwrap_or_default();
        let rest = line.trim_start();
        let is_joined = self.language == Language::Ruby && rest.starts_with(['"', '\'', '\\']);
        // `"…"u8`
        let has_suffix = line.starts_with(is_word);
        begins
            && !has_suffix
            && !rest.starts_with(['(', ':', '='])
            && !is_joined
            && !self.wants_constant(code, &levels)
    }

    /// Whether the language takes no expression here: patterns, types, imports, attributes, constants, cases.
    fn wants_constant(&self, code: &str, levels: &[Level]) -> bool {
        let line = code.rsplit('\n').next().unwrap_or_default();
        let statement = code.rsplit([';', '{', '}']).next().unwrap_or_default().trim_start();
        let is_case = || statement.starts_with("case ") && !statement.contains(':');
        // Each level with what stands before its bracket.
        let mut pairs = levels.iter().zip(levels.iter().skip(1).map(|outer| outer.text.trim_end()));
        match self.language {
            Language::Go => {
                let begins = |level: &Level| begins(level.line(), &["const", "import"]);
                levels.iter().any(begins)
            }
            Language::Java => {
                let constant = has(statement, "static") && has(statement, "final");
                let is_at = line.trim_start().starts_with('@') || pairs.any(in_annotation);
                constant || is_case() || is_at || in_interface(levels)
            }
            Language::Kotlin => {
                let is_annotation = |level: &Level| has(level.line(), "annotation");
                let is_const = |level: &Level| has(level.line(), "const");
                pairs.any(in_annotation)
                    || levels.first().is_some_and(is_const)
                    || levels.iter().any(is_annotation)
            }
            Language::CSharp => {
                let is_default =
                    |level: &Level| matches!(level.open, Some('(' | '[')) && level.assigns();
                let is_special = |(level, before): (&Level, &str)| match level.open {
                    // An attribute.
                    Some('[') => before.is_empty() || before.ends_with([',', ';', '}', ']']),
                    // `is { Name: "…" }`
                    Some('{') => level.is_named(),
                    _ => false,
                };
                has(statement, "const")
                    || has(statement, "is")
                    || is_case()
                    || levels.first().is_some_and(is_default)
                    || pairs.any(is_special)
                    || self.is_pattern()
            }
            Language::Php => {
                let is_default = |(level, before): (&Level, &str)| {
                    let mut words = before.rsplit(|c| !is_word(c)).filter(|word| !word.is_empty());
                    let is_function =
                        words.by_ref().take(2).any(|w| matches!(w, "function" | "fn"));
                    level.open == Some('(') && is_function && level.assigns()
                };
                let is_property = |level: &Level| {
                    let line = level.line().trim_start().trim_start_matches("<?php");
                    let named = line.split_once('=').map_or("", |(named, _)| named);
                    begins(named, &["public", "private", "protected", "static", "var"])
                        && !named.contains(['(', ':'])
                };
                has(statement, "const")
                    || is_case()
                    || levels.iter().any(is_property)
                    || pairs.any(is_default)
            }
            Language::Rust => {
                let is_macro = |(_, before): (&Level, &str)| {
                    let name = before.strip_suffix('!').unwrap_or_default();
                    let name = name.rsplit(|c| !is_word(c)).next().unwrap_or_default();
                    !name.is_empty() && !MACROS.contains(&name)
                };
                // An array of known length.
                let is_special = |(level, before): (&Level, &str)| {
                    let is_attribute = level.open == Some('[')
                        && (before.ends_with('#') || before.ends_with("#!"));
                    is_attribute || is_macro((level, before))
                };
                line.contains("[u8;") || pairs.any(is_special) || self.is_pattern()
            }
            Language::Ruby => {
                const OTHERS: [&str; 6] =
                    ["in", "require", "require_relative", "load", "autoload", "alias"];
                let is_pattern = |level: &Level| {
                    let mut words = level.line().split_whitespace().rev().take(2);
                    begins(level.line(), &OTHERS) || words.any(|word| word == "in")
                };
                levels.iter().any(is_pattern)
            }
            Language::JavaScript | Language::TypeScript => {
                pairs.any(|(_, before)| has_end(before, &["require", "import"]))
                    || self.language == Language::TypeScript
                        && (in_type(levels) || self.is_open(&["enum "], "}"))
            }
            _ => false,
        }
    }

    /// Whether a pattern of Rust or C# ends here: behind the place, or behind brackets around it, stands what only
    /// follows one.
    fn is_pattern(&self) -> bool {
        let after = self.after(WINDOW);
        let follows = |at: usize| {
            let rest = after.get(at..).unwrap_or_default().trim_start();
            let is_sign =
                |sign: &str, other: &str| rest.starts_with(sign) && !rest.starts_with(other);
            is_sign("=", "==") || is_sign("|", "||") || begins(rest, &["if", "when", "or", "and"])
        };
        let mut depth = 0_usize;
        let statement = after.char_indices().take_while(|(_, c)| *c != ';');
        let mut shut = statement.filter(|(_, c)| {
            let is_shut = ")]}".contains(*c);
            let is_last = is_shut && depth == 0;
            depth =
                if "([{".contains(*c) { depth + 1 } else { depth.saturating_sub(is_shut.into()) };
            is_last
        });
        follows(0) || shut.any(|(at, _)| follows(at + 1))
    }

    /// Whether a literal in Python is an annotation, or a statement by itself, as documentation is.
    fn is_annotation(&self) -> bool {
        let line = self.line().trim();
        let (before, after) = self.neighbours();
        let named = line.strip_suffix(':').unwrap_or_default();
        let is_named = !named.is_empty() && !named.contains(['"', '\'', '{', ',']);
        let is_value = before.is_some_and(|byte| b"([{,=+-*%|&\"'\\".contains(&byte));
        let goes_on = matches!(after, Some(b',' | b'}'));
        let is_long = self.open.len() > 3 && before != Some(b'(');
        self.is_open(&["Literal["], "]")
            || line.ends_with("->")
            || is_named && (named.contains("def ") || !goes_on)
            || line.is_empty() && (!is_value || is_long) && !goes_on
    }

    /// Whether a list of words in a Dockerfile is open here: `CMD ["a", "b"]`.
    pub(super) fn in_list(&self) -> bool {
        let before = self.before(WINDOW).replace("\\\n", " ");
        let line = before.rsplit('\n').next().unwrap_or_default();
        line.split('"').next().is_some_and(|begin| begin.trim_end().ends_with('['))
    }

    /// Whether it is in the name of a key or a table, which nothing expands.
    pub(super) fn is_name(&self) -> bool {
        let line = self.after(WINDOW).split('\n').next().unwrap_or_default();
        let rest = line.trim();
        match self.language {
            Language::Json => rest.starts_with(':'),
            Language::Yaml | Language::Workflow => rest == ":" || rest.starts_with(": "),
            Language::Toml => {
                let is_table = self.line().trim_start().starts_with('[') && rest.ends_with(']');
                is_table || rest.starts_with(['=', '.'])
            }
            Language::Env => self.open.is_empty() && rest.starts_with('='),
            _ => false,
        }
    }

    /// Whether a command in a here-document of a shell is open here, whose quotes keep a look-up from being expanded.
    pub(super) fn in_command(&self) -> bool {
        self.is_open(&["$("], ")") || self.line().contains('`')
    }

    /// Whether a shell runs what stands here as a command: the words of `eval` and `trap`, and the value of `-c`.
    pub(super) fn is_run(&self) -> bool {
        let command = self.line().rsplit([';', '|', '&', '(']).next().unwrap_or_default();
        let is_end = |c: char| c.is_whitespace() || "\"'[,".contains(c);
        let mut words = command.split(is_end).filter(|word| !word.is_empty());
        let last = words.clone().next_back().and_then(|word| word.strip_prefix('-'));
        words.any(|word| matches!(word, "eval" | "trap"))
            || last.is_some_and(|option| option.ends_with('c') && !option.starts_with('-'))
    }

    /// Whether it is all of a plain scalar of YAML.
    pub(super) fn is_scalar(&self) -> bool {
        let line = self.after(WINDOW).split('\n').next().unwrap_or_default();
        let rest = line.trim_start();
        let ends = rest.is_empty() || rest.starts_with([',', ']', '}']) || line.starts_with(" #");
        ends && self.begins_scalar()
    }

    fn begins_scalar(&self) -> bool {
        let before = self.neighbours().0;
        before.is_none_or(|byte| b":-,[{".contains(&byte)) && !self.in_block()
    }

    /// Whether this is in the lines of a block scalar of YAML: `key: |`. Its first line is the next one above that
    /// is less indented, or one that is so from there.
    fn in_block(&self) -> bool {
        let mut lines = self.before(16 * WINDOW).rsplit('\n');
        let width = |line: &str, signs: &[char]| line.len() - line.trim_start_matches(signs).len();
        let mut indent = lines.next().map_or(0, |line| width(line, &[' ']));
        for line in lines.filter(|line| !line.trim().is_empty()) {
            let begin = line.split(" #").next().unwrap_or_default().trim_end();
            let begin = begin.trim_end_matches(|c: char| c.is_ascii_digit() || "+-".contains(c));
            let key = width(line, &[' ', '-']);
            // `- |` has no key.
            let parent = if line.get(key..).is_some_and(|rest| rest.starts_with(['|', '>'])) {
                width(line, &[' '])
            } else {
                key
            };
            if [" |", " >"].iter().any(|sign| begin.ends_with(sign)) && parent < indent {
                return true;
            }
            indent = indent.min(width(line, &[' ']));
            if indent == 0 {
                break;
            }
        }
        false
    }

    /// Whether a place in a workflow may be in a command: no value of a key begins there, where a bracket would begin
    /// a list, nor is it in braces.
    pub(super) fn in_step(&self) -> bool {
        let line = self.line().trim_start_matches([' ', '-']);
        let key = line.trim_end().trim_end_matches(':');
        let is_key = key.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
        let is_value = is_key && self.begins_scalar();
        !(is_value || self.open.is_empty() && self.in_flow())
    }

    /// Whether braces or brackets of YAML are open here.
    pub(super) fn in_flow(&self) -> bool {
        let count = |signs: [char; 2]| self.before(WINDOW).matches(signs).count();
        count(['{', '[']) > count(['}', ']']) && !self.in_block()
    }

    /// Whether this is the text of an element in JSX: `<p>…</p>`. In code such signs compare, and signs of code
    /// stand between.
    pub(super) fn in_markup(&self, is_bare: bool) -> bool {
        const TAGS: [char; 4] = ['<', '>', '{', '}'];
        const CODE: [char; 4] = ['(', ')', ';', '='];
        if !matches!(self.language, Language::JavaScript | Language::TypeScript) {
            return false;
        }
        let begins = |tag: &str| {
            tag.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '>'))
        };
        // An element may hold a whole key.
        let (before, after) = (self.before(16 * WINDOW), self.after(16 * WINDOW));
        let (text, has_holes) = behind_holes(before);
        let opened = text.rfind(TAGS).and_then(|at| text.get(..at + 1)).filter(|tag| {
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
        // Behind an expression, only what ends the element tells that this is no code.
        closed.starts_with("</") || !has_holes && (!is_bare || !has_code())
    }

    /// Whether an attribute's value in JSX begins here: `<A key="…`.
    pub(super) fn in_tag(&self) -> bool {
        let before = self.before(WINDOW);
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
}

/// A text without the expressions in braces behind its last tag, and whether there are any.
fn behind_holes(text: &str) -> (&str, bool) {
    let mut rest = text;
    while let Some((before, _)) = rest.rsplit_once(['<', '>', '{', '}'])
        && rest.get(before.len()..).is_some_and(|sign| sign.starts_with('}'))
        && let Some(open) = enclosing(before).and_then(|open| open.strip_suffix('{'))
    {
        rest = open;
    }
    (rest, rest.len() < text.len())
}

/// The text up to the bracket that is open at its end.
fn enclosing(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let mut signs = text.rmatch_indices(['(', ')', '[', ']', '{', '}']);
    let open = signs.find(|(_, sign)| {
        let is_shut = matches!(*sign, ")" | "]" | "}");
        let is_open = !is_shut && depth == 0;
        depth = if is_shut { depth + 1 } else { depth.saturating_sub(1) };
        is_open
    });
    open.and_then(|(at, _)| text.get(..=at))
}

/// The macros of Rust that take expressions.
const MACROS: [&str; 29] = [
    "anyhow",
    "assert",
    "assert_eq",
    "assert_ne",
    "bail",
    "dbg",
    "debug",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "ensure",
    "eprint",
    "eprintln",
    "error",
    "format",
    "format_args",
    "info",
    "json",
    "panic",
    "print",
    "println",
    "todo",
    "trace",
    "unimplemented",
    "unreachable",
    "vec",
    "warn",
    "write",
    "writeln",
];

/// What stands before a place within one bracket. Brackets that are closed again are left empty.
struct Level {
    /// The bracket; none at the beginning of the text.
    open: Option<char>,
    text: String,
}

impl Level {
    /// Its last line, with those before that go on behind a sign.
    fn line(&self) -> &str {
        let text = self.text.trim_end();
        let mut end = text.len();
        loop {
            let rest = text.get(..end).unwrap_or_default();
            let start = rest.rfind(['\n', ';']).map_or(0, |at| at + 1);
            let before = rest.get(..start).unwrap_or_default().trim_end();
            if !before.ends_with(['=', '+']) {
                return text.get(start..).unwrap_or_default();
            }
            end = before.len();
        }
    }

    /// Its last element.
    fn element(&self) -> &str {
        self.text.rsplit([',', ';']).next().unwrap_or_default()
    }

    fn assigns(&self) -> bool {
        assigns(self.element())
    }

    /// Whether its last element begins with a name and `:`.
    fn is_named(&self) -> bool {
        let name = self.element().split_once(':').map_or("", |(name, _)| name.trim());
        !matches!(name, "" | "default") && name.chars().all(|c| is_word(c) || c == '.')
    }

    /// Whether its last element is a type of TypeScript: `name: …`, `A | …`, `A<…`.
    fn is_type(&self) -> bool {
        const WORDS: [&str; 7] =
            ["readonly", "keyof", "unique", "as", "satisfies", "extends", "implements"];
        let text = self.text.trim_end();
        let is_block = !matches!(self.open, Some('(' | '['));
        let element = if is_block { self.line() } else { self.element() };
        let element = element.rsplit(',').next().unwrap_or_default().replace("?:", ":");
        let annotated = element.split_once(':').is_some_and(|(name, rest)| {
            let name = name.trim();
            // `() : A => …` has a type, and then a value.
            let of = name.strip_suffix("()").filter(|_| rest.contains("=>"));
            let is_arrow = of.is_some_and(|of| !of.ends_with(is_value_end));
            let is_case = name == "default" || begins(name, &["case"]);
            !name.contains('?') && !assigns(rest) && !is_arrow && !is_case
        });
        let mut depth = 0_usize;
        let mut last = ' ';
        for c in text.rsplit([';', '}']).next().unwrap_or_default().chars() {
            match c {
                '<' if is_value_end(last) => depth += 1,
                '>' if last != '=' => depth = depth.saturating_sub(1),
                _ => {}
            }
            last = c;
        }
        let is_union = text.ends_with(['|', '&', '<']) && !text.ends_with("||");
        let is_type = is_union && !text.ends_with("&&") || has_end(text, &WORDS);
        annotated || depth > 0 || is_type
    }
}

/// The levels at the end of a text, from within outwards.
fn levels(text: &str) -> Vec<Level> {
    let (mut levels, mut level, mut depth) = (Vec::new(), Vec::new(), 0_usize);
    let mut end = |open, level: &mut Vec<char>| {
        levels.push(Level { open, text: level.drain(..).rev().collect() });
    };
    for c in text.chars().rev() {
        let is_open = "([{".contains(c);
        if is_open && depth == 0 {
            end(Some(c), &mut level);
            continue;
        }
        depth -= usize::from(is_open);
        if depth == 0 {
            level.push(c);
        }
        depth += usize::from(")]}".contains(c));
    }
    end(None, &mut level);
    levels
}

/// Whether the first of some levels is that of an object in JavaScript: in a block or a type, `:` begins no value.
fn in_object(levels: &[Level]) -> bool {
    const BEFORE: [&str; 7] = ["=", ",", "?", "||", "&&", "return", "default"];
    let [Level { open: Some('{'), .. }, rest @ ..] = levels else { return false };
    let Some(outer) = rest.first() else { return false };
    let before = outer.text.trim_end();
    match before.chars().next_back() {
        None => matches!(outer.open, Some('(' | '[')) || in_object(rest),
        Some(':') => in_object(rest),
        _ => BEFORE.iter().any(|end| before.ends_with(end)),
    }
}

/// Whether a type of TypeScript stands at the first of some levels. A block is the last one that tells.
fn in_type(levels: &[Level]) -> bool {
    for (nth, level) in levels.iter().enumerate() {
        let is_object = in_object(levels.get(nth..).unwrap_or_default());
        if declares_type(level.line()) || !is_object && level.is_type() {
            return true;
        }
        if level.open == Some('{') && !is_object {
            return false;
        }
    }
    false
}

fn declares_type(line: &str) -> bool {
    let line = line.trim_start().trim_start_matches("export ").trim_start_matches("declare ");
    ["type ", "interface "].iter().any(|word| line.starts_with(word))
}

/// Whether a level has the arguments of an annotation: `@Value(`.
fn in_annotation((level, before): (&Level, &str)) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_.:".contains(c);
    level.open == Some('(') && before.trim_end_matches(is_name).ends_with('@')
}

/// Whether a constant of an interface of Java is open, or the default of an annotation.
fn in_interface(levels: &[Level]) -> bool {
    let outer = levels.iter().zip(levels.iter().skip(1));
    let mut before = outer.filter(|(level, _)| level.open == Some('{')).map(|(_, outer)| outer);
    // Arrays have braces, too.
    let body = before.find(|outer| {
        let text = outer.text.trim_end();
        !text.is_empty() && !text.ends_with(['=', ']', ','])
    });
    let head = body.map_or("", |outer| outer.text.trim_end());
    let head = head.rsplit([';', '}']).next().unwrap_or_default();
    has(head, "interface") || has_end(head, &["default"])
}

/// Whether something is assigned in a text: `=` that is no part of another sign.
fn assigns(text: &str) -> bool {
    let (bytes, is_part) = (text.as_bytes(), |byte: &u8| b"=!<>".contains(byte));
    memchr::memchr_iter(b'=', bytes).any(|at| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        !before.is_some_and(is_part) && !bytes.get(at + 1).is_some_and(|byte| b"=>".contains(byte))
    })
}

/// Whether a text has a word.
fn has(text: &str, wanted: &str) -> bool {
    text.split(|c| !is_word(c)).any(|word| word == wanted)
}

/// Whether a text begins with one of some words.
fn begins(text: &str, words: &[&str]) -> bool {
    words.contains(&text.trim_start().split(|c| !is_word(c)).next().unwrap_or_default())
}

/// Whether a text ends with one of some words.
fn has_end(text: &str, words: &[&str]) -> bool {
    words.contains(&text.trim_end().rsplit(|c| !is_word(c)).next().unwrap_or_default())
}

const fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn is_value_end(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | ')' | ']')
}

#[cfg(test)]
mod tests {
    use super::super::literal::regions;
    use super::*;

    /// What stands around the `@` of a text.
    fn around(language: Language, text: &str) -> Around<'_> {
        let is_code = language != Language::Php || text.contains("<?php");
        let text = if is_code { text } else { format!("<?php {text}").leak() };
        let at = text.rfind('@').unwrap();
        let open =
            if text.get(..at).is_some_and(|before| before.ends_with('`')) { "`" } else { "\"" };
        let regions = regions(text, language).leak();
        Around { content: text, language, span: at..at + 1, open, regions }
    }

    #[test]
    fn a_look_up_stands_where_an_expression_does() {
        let long = " ".repeat(600);
        for (language, other, look_up) in [
            (Language::Go, "const a = @", "a := @"),
            (Language::Go, "func f() { const a = @", "func f() { a := @"),
            (Language::Go, &format!("const ({long}\n\ta = @"), "const (\n\ta = 1\n)\nb = @"),
            (Language::Java, "case 1: x(); case @", "case 1: x(@"),
            (Language::Java, "static final String A = @", "final String a = @"),
            (Language::Kotlin, "private const val A =\n    @", "val constant = @"),
            (Language::Kotlin, "into @", "mapOf(\"k\" to @"),
            (Language::Rust, "a & b @", "f(&@"),
            (Language::CSharp, "[Attr(@", "x = [@"),
            (Language::CSharp, "class A { [Attr(\"x\",\n Name = @", "f(name: @"),
            (Language::CSharp, "void F(string a = @", "string a = @"),
            (Language::CSharp, "const string\n D = \"x\" +\n @", "string\n D = \"x\" +\n @"),
            (Language::Php, "private $a = @", "private function f() { g(@"),
            (Language::Php, "function f($a = @", "f('a' . @"),
            (Language::Php, "enum S: string { case A = @", "$a = @"),
            (Language::Rust, "#[path = @", "let a = @"),
            (Language::Rust, "match a { @ => 1", "f(match a { 1 => @"),
            (
                Language::Rust,
                "if let @ = a",
                "const D: &[u8; 40] = b;
let a = @",
            ),
            (Language::Rust, "const D: &[u8; 40] = @", "const D: &[u8] = @"),
            (Language::Ruby, "d = { @: 1 }", "d = { a: @ }"),
            (Language::Ruby, "l = 'a' @", "puts @"),
            (Language::JavaScript, "import @", "important(@"),
            (Language::JavaScript, "import {\n  a,\n} from @", "f({a: [@"),
            (Language::JavaScript, "class B {\n  get @() {}", "return @"),
            (Language::JavaScript, "class B {\n  a = 1;\n  @ = 2", "class B {\n  a = @"),
            (Language::JavaScript, "a = { b, @() {}", "a = { b, c: @ }"),
            (Language::JavaScript, "gql@", "b = c || @"),
            (Language::TypeScript, "type A = 'b' | @", "a = b || @"),
            (Language::TypeScript, "type A =\n  @", "a =\n  @"),
            (Language::TypeScript, "type A = { b: @", "const a = { b: { c: @"),
            (Language::TypeScript, "interface A {\n  b: string;\n  @: number", "f({ b: @"),
            (Language::TypeScript, "function f(m: @, b", "f(m, @, b"),
            (Language::TypeScript, "function f(): @ {", "f({ m: @ })"),
            (Language::TypeScript, "let a: A[@", "let a = [@"),
            (Language::TypeScript, "let a: { b: @", "export default { b: @"),
            (Language::TypeScript, "declare module @ {", "f(a || @"),
            (Language::TypeScript, "enum A { B = @", "enum A { B }\nb = @"),
            (Language::TypeScript, "let a: (@", "let a: B = (@"),
            (Language::TypeScript, "let a: [@, 1]", "f(a ? b : [@])"),
            (Language::TypeScript, "let a: readonly [@]", "const a = (): A => [@]"),
            (Language::TypeScript, "let a: () => [@]", "function f(): A { return [@] }"),
            (Language::TypeScript, "let a: import(@).A", "const a = { b: f(@) }"),
            (Language::TypeScript, "import a = require(@)", "switch (a) {\n  case 1: f(@)"),
            (Language::TypeScript, "namespace N { const a = 1; type B = @", "class A { b: C = @"),
            (Language::TypeScript, "function f<T extends 'a' = @>", "f<T>(a, @)"),
            (Language::TypeScript, "class A<B, C = @>", "class A<B> {\n  c = @"),
            (Language::TypeScript, "let a: A<B, @>", "if (a < b) c = f(@)"),
            (Language::TypeScript, "a as B | [@]", "f({ a: () => g(@) })"),
            (Language::JavaScript, "require(@)", "required(@)"),
            (Language::JavaScript, "a(b => { c: @", "a={{ b: @ }}"),
            (Language::Rust, "match a { Some(@) => 1 }", "match a { Some(1) => f(@), _ => 2 }"),
            (Language::Rust, "match a { (1, @)\n => 1 }", "f((1, @)); match a { 1 => 2 }"),
            (Language::Rust, "match a { 1 => 2, [@, ..] => 3 }", "let a = [@, b];"),
            (Language::Rust, "match a { S { b: @ } if c => 1 }", "let a = S { b: @ };"),
            (Language::Rust, "match a { 1 => 2, @ | \"b\" => 1 }", "a || f(@) || b"),
            (Language::Rust, "if let Some(@) = a {", "if a == f(@) {"),
            (Language::Rust, "let Some(@) = a else {", "if f(@) { a = 1; }"),
            (Language::Rust, "matches!(a, @)", "format!(\"{}\", @)"),
            (Language::Rust, "macro_rules! m { (@) => {} }", "if !(a == f(@)) {"),
            (Language::CSharp, "byte[] b = @u8;", "string b = @;"),
            (Language::CSharp, "bool F() => a is { B: @ };", "f(b: @);"),
            (Language::CSharp, "a is { B: C(1, @) }", "new A { B = new C(1, @) }"),
            (Language::CSharp, "if (a is (1, @)) {", "if (a is B) { f(@);"),
            (Language::CSharp, "a switch { (1, @) => 2 }", "a switch { (1, 2) => f(@) }"),
            (Language::CSharp, "int this[string a = @] => 1;", "using (var a = f(@)) {"),
            (Language::CSharp, "switch (a) { case (1, @): }", "switch (a) { case 1: f(@);"),
            (Language::Ruby, "a = :@", "a = b ? c : @"),
            (Language::Ruby, "case a\nin @ then 1", "case a\nin b\n f @"),
            (Language::Ruby, "case a\nin {\n  b: @ }", "a = {\n  b: @ }"),
            (Language::Ruby, "a in B(c: @)", "begin B(c: @)"),
            (Language::Ruby, "require @", "required @"),
            (Language::Php, "<?php function f($a = [@]) {}", "<?php if ($a = f(@)) {}"),
            (Language::Php, "fn(int $a, $b = 'x' . @) => 1", "fn(int $a) => f(@)"),
            (Language::Php, "<?php static $a = @;", "<?php static::$a = @;"),
            (Language::Php, "class A { /** B */\n private $a = [\n 'b' => @", "static fn() => @"),
            (
                Language::Kotlin,
                "annotation class V(val a: String = @)",
                "class V(val a: String = @)",
            ),
            (Language::Java, "interface I { String B = @; }", "class I { String b = @; }"),
            (Language::Java, "@interface I { String[] b() default { @ }", "String[] b = { @ }"),
            (
                Language::Java,
                "interface I { String B = f(@); }",
                "interface I { default A b() { f(@); }",
            ),
            (Language::Go, "const (\n a = Kind(@)\n)", "var (\n a = Kind(@)\n)"),
            (Language::Go, "const (\n a = \"x)\" // )\n b = @\n)", "/* const ( */ b = @"),
            (Language::Rust, "struct S { a: u8, #[b(c = @)] d: u8 }", "f(a, b[c(@)])"),
            (Language::CSharp, "// c\n[V(@)]", "Log(\"this is\", @);"),
            (Language::CSharp, "void F(int a, [V(@)] string b)", "F(a, x[V(@)])"),
            (Language::CSharp, "enum E { A, [V(@)] B }", "x = a[V(@)];"),
            (Language::Php, "class A { /** @var */ public $a = @;", "f(/* public */ $a = @);"),
            (
                Language::Kotlin,
                "const val A = \"x\" +\n \"y\" +\n @",
                "const val A = 1\nval b =\n @",
            ),
            (Language::Java, "@V(a = \")\", b = @) int c;", "@V(a = \"(\")\nint c = f(@);"),
            (Language::Ruby, "x = @\\\n \"y\"", "x = @\n y"),
            (Language::Python, "a: Literal[@", "a: Literal[1] = @"),
            (Language::Python, "def f():\n    @\n    pass", "a = (\n    @\n)"),
        ] {
            assert!(!around(language, other).takes_look_up(), "{other}");
            assert!(around(language, look_up).takes_look_up(), "{look_up}");
        }
    }

    #[test]
    fn a_shell_runs_the_words_of_some_commands() {
        for (other, run) in [
            ("f \"@", "eval \"@"),
            ("eval a; f '@", "a; trap -- '@"),
            ("f --c \"@", "bash -lc \"@"),
            ("f -c a '@", "RUN [\"sh\", \"-c\", \"@"),
        ] {
            assert!(!around(Language::Shell, other).is_run(), "{other}");
            assert!(around(Language::Shell, run).is_run(), "{run}");
        }
    }

    #[test]
    fn markup_and_yaml_are_told_by_the_signs_beside() {
        let is_text = |text: &str| around(Language::TypeScript, text).in_markup(true);
        assert!(is_text("x = <p>a @ b</p>") && is_text("<b>x</b> @ {y}"));
        assert!(!is_text("a < b > @ < c") && !is_text("f<T>(@) < y") && !is_text("x => @ </p>"));
        let is_attribute = |text: &str| around(Language::TypeScript, text).in_tag();
        assert!(is_attribute("<A b={() => c} d=@") && !is_attribute("a < b; d=@"));
        let is_scalar = |text: &str| around(Language::Yaml, text).is_scalar();
        for (language, other, name) in [
            (Language::Json, "{\"a\": @}", "{@: 1}"),
            (Language::Yaml, "a: @\n", "a: {@: 1}"),
            (Language::Yaml, "a: x@:b\n", "@:\n"),
            (Language::Toml, "a = [@, 1]", "[a.@]\n"),
            (Language::Toml, "a = @", "@ = 1"),
        ] {
            assert!(!around(language, other).is_name(), "{other}");
            assert!(around(language, name).is_name(), "{name}");
        }
        assert!(around(Language::Dockerfile, "RUN [\"x\", \\\n @]").in_list());
        let in_step = |text: &str| around(Language::Workflow, text).in_step();
        assert!(in_step("run: f @") && in_step("run: |\n  @ x") && !in_step("run: @ x"));
        assert!(is_scalar("a: @ # b") && is_scalar("[@, b]") && !is_scalar("a: b @"));
        assert!(around(Language::Yaml, "a: {b: x @").in_flow());
    }

    #[test]
    fn a_block_of_yaml_goes_on_while_its_lines_are_indented() {
        for (other, block) in [
            ("a: |\n  b\nc: @", "a: |\n  b @"),
            ("a: |\n  b\nc:\n  @", "a: >-\n\n  @"),
            ("- a: |\n    b\n  c: @", "- a: |\n    b: @"),
            ("- |\n  b\n- @", "- |\n  @"),
            ("a: b|\n  @", "a: |2+ # b\n  c\n    d: {e: @"),
        ] {
            assert!(!around(Language::Yaml, other).in_block(), "{other}");
            assert!(around(Language::Yaml, block).in_block(), "{block}");
        }
    }
}
