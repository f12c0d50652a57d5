//! What stands around a place in a text, and what the language takes there: it is seen by how the line begins and by the
//! signs beside the place.

use std::ops::Range;

use super::language::Language;
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

    /// Whether the language takes nothing but a constant here, which a look-up is not: attributes, constants, cases,
    /// imports, tags.
    pub(super) fn wants_constant(&self) -> bool {
        let line = self.line().trim_start();
        let begins = |with: &[&str]| with.iter().any(|word| line.starts_with(word));
        let has_const = || {
            let mut words = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            words.any(|word| word == "const")
        };
        let touches = |signs: &str| {
            let is_joined = |c: char| c.is_ascii_alphanumeric() || signs.contains(c);
            self.open == "`" && line.trim_end().ends_with(is_joined)
        };
        match self.language {
            Language::Go => {
                // A raw literal behind a type is the tag of a field.
                let word = line.trim_end().rsplit([' ', '\t']).next().unwrap_or_default();
                begins(&["const ", "import "])
                    || self.is_open(&["const (", "import ("], "\n)")
                    || touches("]}") && !["return", "case", "range"].contains(&word)
            }
            Language::Java => {
                let case = line.rsplit(['{', '}', ';', ':']).next().unwrap_or_default();
                begins(&["@"]) || case.trim_start().starts_with("case ") || self.in_annotation()
            }
            Language::Kotlin => self.in_annotation() || has_const(),
            Language::CSharp => begins(&["[", "case "]) || has_const(),
            Language::Php => {
                let properties = ["public ", "private ", "protected ", "static ", "var "];
                begins(&properties) && !line.contains('(') || has_const()
            }
            Language::Rust => begins(&["#[", "#![", "extern "]),
            Language::JavaScript | Language::TypeScript => {
                // A template behind a name is an argument of that name.
                touches("_$)]") && !line.ends_with(char::is_whitespace)
                    || begins(&["import "])
                    || begins(&["export "]) && line.ends_with("from ")
                    || self.language == Language::TypeScript && self.is_type()
            }
            Language::Python => self.is_annotation(),
            _ => false,
        }
    }

    /// Whether a literal in TypeScript is a type, or the value in an `enum`.
    fn is_type(&self) -> bool {
        let near = self.line().trim_end();
        let declares =
            near.trim_start().trim_start_matches("export ").trim_start_matches("declare ");
        let ends = |with: &[&str]| with.iter().any(|end| near.ends_with(end));
        ["type ", "interface "].iter().any(|word| declares.starts_with(word))
            || ends(&[" as", " extends", "<"])
            || ends(&["|"]) && !ends(&["||"])
            || ends(&[":"]) && self.neighbours().1 == Some(b'=')
            || self.is_open(&["enum "], "}")
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

    /// Whether the arguments of an annotation are open here: `@Value(`.
    fn in_annotation(&self) -> bool {
        let before = self.before(WINDOW);
        let name = before.rfind('@').and_then(|at| before.get(at + 1..)).unwrap_or_default();
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_.:".contains(c);
        let rest = name.trim_start_matches(is_name);
        let count = |sign| rest.matches(sign).count();
        rest.trim_start().starts_with('(') && count('(') > count(')')
    }

    /// Whether it is a plain scalar of YAML.
    pub(super) fn is_scalar(&self) -> bool {
        let line = self.after(WINDOW).split('\n').next().unwrap_or_default();
        let rest = line.trim_start();
        let ends = rest.is_empty() || rest.starts_with([',', ']', '}']) || line.starts_with(" #");
        ends && self.neighbours().0.is_none_or(|byte| b":-,[{=>|".contains(&byte))
    }

    /// Whether a place in a workflow may be in a command: it is not all of the value of a key, nor in braces.
    pub(super) fn in_step(&self) -> bool {
        let line = self.line().trim_start_matches([' ', '-']);
        let key = line.trim_end().trim_end_matches(':');
        let is_key = key.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
        let is_value = is_key && self.is_scalar();
        !is_value && !(self.open.is_empty() && self.in_flow())
    }

    /// Whether braces or brackets of YAML are open here.
    pub(super) fn in_flow(&self) -> bool {
        let count = |signs: [char; 2]| self.before(WINDOW).matches(signs).count();
        count(['{', '[']) > count(['}', ']'])
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What stands around the `@` of a text.
    fn around(language: Language, text: &str) -> Around<'_> {
        let at = text.find('@').unwrap();
        let open =
            if text.get(..at).is_some_and(|before| before.ends_with('`')) { "`" } else { "\"" };
        Around { content: text, language, span: at..at + 1, open }
    }

    #[test]
    fn where_a_constant_is_wanted_is_seen_by_the_line() {
        for (language, constant, other) in [
            (Language::Go, "const a = @", "a := @"),
            (Language::Go, "const (\n\ta = @", "const (\n\ta = 1\n)\nb = @"),
            (Language::Java, "case 1: x(); case @", "f(@"),
            (Language::Kotlin, "private const val A = @", "val constant = @"),
            (Language::CSharp, "[Attr(@", "x = [@"),
            (Language::Php, "private $a = @", "private function f($a = @"),
            (Language::Rust, "#[path = @", "let a = @"),
            (Language::JavaScript, "import @", "important(@"),
            (Language::TypeScript, "type A = 'b' | @", "a = b || @"),
            (Language::TypeScript, "enum A { B = @", "enum A { B }\nb = @"),
            (Language::Python, "a: Literal[@", "a: Literal[1] = @"),
            (Language::Python, "def f():\n    @\n    pass", "a = (\n    @\n)"),
        ] {
            assert!(around(language, constant).wants_constant(), "{constant}");
            assert!(!around(language, other).wants_constant(), "{other}");
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
        assert!(is_scalar("a: @ # b") && is_scalar("[@, b]") && !is_scalar("a: b @"));
        assert!(around(Language::Yaml, "a: {b: x @").in_flow());
    }
}
