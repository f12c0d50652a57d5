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

    /// Whether an expression stands here: the right side of an assignment, an argument, what is returned, an element
    /// of a list, the value of a map, or a part of such a one.
    pub(super) fn takes_look_up(&self) -> bool {
        if self.language == Language::Python {
            // A parser sees to the rest.
            return !self.is_annotation();
        }
        let before = self.before(16 * WINDOW);
        let code = before.trim_end();
        let ends = |with: &[&str]| with.iter().any(|end| code.ends_with(end));
        let is_script = matches!(self.language, Language::JavaScript | Language::TypeScript);
        let braced = matches!(self.language, Language::Go | Language::Java | Language::CSharp);
        let is_call = self.language == Language::Ruby
            && before.len() > code.len()
            && code.ends_with(|c: char| c.is_ascii_alphanumeric());
        let begins = match code.chars().next_back() {
            Some(':') => !is_script || in_object(code),
            Some('[') => !code.trim_end_matches('[').ends_with(is_value_end),
            Some('.') => self.language == Language::Php,
            Some('{') => braced,
            Some('&') => self.language == Language::Rust || ends(&["&&"]),
            Some('o') => self.language == Language::Kotlin && ends(&[" to"]),
            _ => ends(&["=", "=>", "(", ",", "+", "||", "?", "return"]) || is_call,
        };
        let line = self.after(WINDOW).split('\n').next().unwrap_or_default().trim_start();
        let is_joined = self.language == Language::Ruby && line.starts_with(['"', '\'']);
        begins && !line.starts_with(['(', ':', '=']) && !is_joined && !self.wants_constant(code)
    }

    /// Whether the language takes nothing but a constant here: attributes, constants, cases, types.
    fn wants_constant(&self, code: &str) -> bool {
        let line = code.rsplit('\n').next().unwrap_or_default();
        let statement = code.rsplit([';', '{', '}']).next().unwrap_or_default().trim_start();
        let begins = |with: &[&str]| with.iter().any(|word| statement.starts_with(word));
        let has = |text: &str, wanted: &str| {
            let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            words.any(|word| word == wanted)
        };
        let is_case = || begins(&["case "]) && !statement.contains(':');
        // What is assigned in an argument is the default of a parameter.
        let is_default =
            || code.ends_with('=') && enclosing(code).is_some_and(|open| open.ends_with('('));
        match self.language {
            Language::Go => {
                let open = enclosing(code).and_then(|open| open.strip_suffix('('));
                let open = open.unwrap_or_default().trim_end();
                let line = line.rsplit([';', '{', '}']).next().unwrap_or_default();
                has(line, "const") || open.ends_with("const") || open.ends_with("import")
            }
            Language::Java => {
                let constant = has(statement, "static") && has(statement, "final");
                constant || is_case() || line.trim_start().starts_with('@') || self.in_annotation()
            }
            Language::Kotlin => self.in_annotation() || has(line, "const"),
            Language::CSharp => {
                let mut opens = std::iter::successors(enclosing(code), |open| {
                    enclosing(open.get(..open.len() - 1)?)
                });
                let is_attribute = |open: &str| {
                    let before = open.strip_suffix('[').map(str::trim_end);
                    before
                        .is_some_and(|text| text.is_empty() || text.ends_with([';', '{', '}', ']']))
                };
                is_default() || is_case() || has(statement, "const") || opens.any(is_attribute)
            }
            Language::Php => {
                let properties = ["public ", "private ", "protected ", "static ", "var "];
                let is_property = begins(&properties) && !statement.contains('(');
                is_property || is_case() || has(statement, "const") || is_default()
            }
            // An attribute, or an array of known length.
            Language::Rust => begins(&["#[", "#!["]) || line.contains("[u8;"),
            Language::TypeScript => declares_type(line) || self.is_open(&["enum "], "}"),
            _ => false,
        }
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

    /// Whether a list of words in a Dockerfile is open here: `CMD ["a", "b"]`.
    pub(super) fn in_list(&self) -> bool {
        self.line().split('"').next().is_some_and(|begin| begin.trim_end().ends_with('['))
    }

    /// Whether it is all of a plain scalar of YAML.
    pub(super) fn is_scalar(&self) -> bool {
        let line = self.after(WINDOW).split('\n').next().unwrap_or_default();
        let rest = line.trim_start();
        let ends = rest.is_empty() || rest.starts_with([',', ']', '}']) || line.starts_with(" #");
        let begins = self.neighbours().0.is_none_or(|byte| b":-,[{".contains(&byte));
        begins && ends && !self.in_block()
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

    /// Whether a place in a workflow may be in a command: it is not all of the value of a key, nor in braces.
    pub(super) fn in_step(&self) -> bool {
        let line = self.line().trim_start_matches([' ', '-']);
        let key = line.trim_end().trim_end_matches(':');
        let is_key = key.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
        let is_value = is_key && self.is_scalar();
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

/// Whether a `:` at the end of a text is in an object: in types and parameters it is not.
fn in_object(code: &str) -> bool {
    let mut code = code;
    while code.ends_with(':') {
        let Some(open) = enclosing(code).and_then(|open| open.strip_suffix('{')) else {
            return false;
        };
        code = open.trim_end();
    }
    let ends = ["=", "(", ",", "[", "?", "||", "&&", "return", "default"];
    let line = code.rsplit('\n').next().unwrap_or_default();
    ends.iter().any(|end| code.ends_with(end)) && !declares_type(line)
}

fn declares_type(line: &str) -> bool {
    let line = line.trim_start().trim_start_matches("export ").trim_start_matches("declare ");
    ["type ", "interface "].iter().any(|word| line.starts_with(word))
}

fn is_value_end(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | ')' | ']')
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
            (Language::Python, "a: Literal[@", "a: Literal[1] = @"),
            (Language::Python, "def f():\n    @\n    pass", "a = (\n    @\n)"),
        ] {
            assert!(!around(language, other).takes_look_up(), "{other}");
            assert!(around(language, look_up).takes_look_up(), "{look_up}");
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
