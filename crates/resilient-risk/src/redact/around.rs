//! What stands around a place in a text, and what the language takes there: it is seen by how the line begins and by the
//! signs beside the place.

use std::ops::Range;

use memchr::{memchr2, memrchr2};

use super::form::Form;
use super::language::Language;
use super::literal::Region;
use super::{window_after, window_before};

/// So far is looked around a literal.
pub(super) const WINDOW: usize = 512;

/// A literal of Python, which adds itself to the one before it.
static SIBLING: Form = Form::of(r#"^\s*(?i:[rbfu]{0,2})["']"#);

/// What stands before the value of an attribute of JSX.
static ATTRIBUTE: Form = Form::of(r"<[A-Za-z](?:[^<>;]|=>)*[A-Za-z0-9_-]=\z");

/// A command of a shell that runs its words: `eval`, `trap`, and the value of `-c`.
static RUNS: Form = Form::of(concat!(
    r#"(?:^|[\s"'\[,;|&(])"#,
    r#"(?:(?:eval|trap)(?:[\s"'\[,][^;|&(]*)?|-[A-Za-z]*c[\s"'\[,]*)\z"#,
));

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
    /// What stands around the `@` of a text.
    #[cfg(test)]
    pub(super) fn of_sign(language: Language, text: &'a str) -> Self {
        let is_code = language != Language::Php || text.contains("<?php");
        let content = if is_code { text } else { format!("<?php {text}").leak() };
        let (before, _) = content.rsplit_once('@').unwrap_or_default();
        let regions = super::literal::regions(content, language).leak();
        let open = if before.ends_with('`') { "`" } else { "\"" };
        Self { content, language, span: before.len()..before.len() + 1, open, regions }
    }

    pub(super) fn before(&self, len: usize) -> &'a str {
        window_before(self.content, self.span.start, len)
    }

    pub(super) fn after(&self, len: usize) -> &'a str {
        window_after(self.content, self.span.end, len)
    }

    /// What stands before it on its line.
    pub(super) fn line(&self) -> &'a str {
        self.before(WINDOW).rsplit('\n').next().unwrap_or_default()
    }

    /// The last sign before it, and the first behind it.
    pub(super) fn neighbours(&self) -> (Option<u8>, Option<u8>) {
        let bytes = |text: &'a str| text.bytes().filter(|byte| !byte.is_ascii_whitespace());
        (bytes(self.before(WINDOW)).next_back(), bytes(self.after(WINDOW)).next())
    }

    /// Whether another literal of Python may be one with this one.
    pub(super) fn has_sibling(&self) -> bool {
        matches!(self.neighbours().0, Some(b'"' | b'\'')) || SIBLING.is_in(self.after(WINDOW))
    }

    /// Whether what has begun with a word is open here: its end has not come.
    pub(super) fn is_open(&self, begin: &str, end: &str) -> bool {
        let begun = self.before(WINDOW).rsplit_once(begin);
        begun.is_some_and(|(_, begun)| !begun.contains(end))
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

    /// Whether a shell runs what stands here as a command.
    pub(super) fn is_run(&self) -> bool {
        RUNS.is_in(self.line())
    }

    /// Whether it is all of a plain scalar of YAML.
    pub(super) fn is_scalar(&self) -> bool {
        let line = self.after(WINDOW).split('\n').next().unwrap_or_default();
        let rest = line.trim_start();
        let ends = rest.is_empty() || rest.starts_with([',', ']', '}']) || line.starts_with(" #");
        ends && self.begins_scalar()
    }

    fn begins_scalar(&self) -> bool {
        let before = self.before(WINDOW).trim_ascii_end();
        let begins = match before.strip_suffix('-') {
            // Else it is the end of a text that goes on here.
            Some(front) => {
                front.is_empty() || front.ends_with(|sign: char| sign.is_ascii_whitespace())
            }
            None => before.is_empty() || before.ends_with([':', ',', '[', '{']),
        };
        begins && !self.in_block()
    }

    /// Whether this is in the lines of a block scalar of YAML: `key: |`. Its first line is the next one above that
    /// is less indented, or one that is so from there.
    fn in_block(&self) -> bool {
        let mut lines = self.before(16 * WINDOW).rsplit('\n');
        let width = |line: &str, signs: &[char]| line.len() - line.trim_start_matches(signs).len();
        let mut indent = lines.next().map_or(0, |line| width(line, &[' ']));
        for line in lines.filter(|line| !line.trim().is_empty()) {
            let begin = without_comment(line);
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
        !self.in_block() && in_flow(self.before(16 * WINDOW))
    }

    /// Whether this is the text of an element in JSX: `<p>…</p>`. In code such signs compare, and signs of code
    /// stand between.
    pub(super) fn in_markup(&self, is_bare: bool) -> bool {
        const CODE: [char; 4] = ['(', ')', ';', '='];
        if !matches!(self.language, Language::JavaScript | Language::TypeScript) {
            return false;
        }
        // An element may hold a whole key.
        let (before, after) = (self.before(16 * WINDOW), self.after(16 * WINDOW));
        let Some((rest, sign)) = element_end(after) else { return false };
        let Some(begun) = element_text(before) else { return false };
        let has_holes = begun.contains('{');
        let has_code = begun.contains(CODE) || rest.contains(CODE);
        // Behind an expression, only what ends the element tells that this is no code.
        sign.starts_with("</") || !(has_holes || is_bare && has_code)
    }

    /// Whether an attribute's value in JSX begins here: `<A key="…`.
    pub(super) fn in_tag(&self) -> bool {
        ATTRIBUTE.is_in(self.before(WINDOW))
    }
}

/// A line of YAML without its comment, and without what says how a block is indented and ends: `key: |2+ # …`.
fn without_comment(line: &str) -> &str {
    let begin = line.split(" #").next().unwrap_or_default().trim_end();
    begin.trim_end_matches(|c: char| c.is_ascii_digit() || "+-".contains(c))
}

/// Whether braces or brackets are open at the end of a text of YAML. They begin a value, outside of a block, and their
/// lines are indented more. Within quotes and comments they are text.
fn in_flow(text: &str) -> bool {
    let (mut depth, mut indent, mut block, mut quote) = (0_usize, 0, None, None);
    for line in text.split('\n').filter(|line| !line.trim().is_empty()) {
        let width = line.len() - line.trim_start_matches(' ').len();
        if quote.is_none() && width <= indent && !line.trim_start().starts_with(['}', ']']) {
            depth = 0;
        }
        block = block.filter(|parent| depth == 0 && width > *parent);
        if block.is_some() {
            continue;
        }
        let Some(from) = (if depth > 0 { Some(0) } else { flow_begin(line) }) else {
            block = without_comment(line).ends_with(['|', '>']).then_some(width);
            continue;
        };
        if depth == 0 {
            (indent, quote) = (width, None);
        }
        let mut last = ' ';
        for c in line.get(from..).unwrap_or_default().chars() {
            let begins = last.is_whitespace() || "[{,:".contains(last);
            match (c, quote) {
                _ if quote == Some(c) && last != '\\' => quote = None,
                (_, Some(_)) => {}
                ('"' | '\'', None) if begins => quote = Some(c),
                ('#', None) if last.is_whitespace() => break,
                ('{' | '[', None) => depth += 1,
                ('}' | ']', None) => depth = depth.saturating_sub(1),
                _ => {}
            }
            last = c;
        }
    }
    depth > 0
}

/// Where on a line a value of YAML begins that has braces or brackets around it.
fn flow_begin(line: &str) -> Option<usize> {
    let at = line.find(['{', '['])?;
    let before = line.get(..at)?;
    let is_tag = |word: &&str| word.starts_with(['!', '&']);
    let key = before.split_whitespace().rev().find(|word| !is_tag(word));
    let is_open = |quote: char| before.matches(quote).count() % 2 == 1;
    let is_value = before.is_empty() || before.ends_with([' ', '\t']);
    let is_key = key.is_none_or(|word| word == "-" || word.ends_with(':'));
    let is_text = before.contains('#') || is_open('"') || is_open('\'');
    (is_value && is_key && !is_text).then_some(at)
}

/// The text up to the sign that ends the text of an element of JSX or begins code in it, and what begins with this sign.
fn element_end(after: &str) -> Option<(&str, &str)> {
    let (rest, sign) = after.split_at_checked(memchr2(b'<', b'{', after.as_bytes())?)?;
    let is_tag =
        |sign: &str| sign.starts_with(|c: char| c.is_ascii_alphabetic() || "/>".contains(c));
    let is_end = sign.starts_with('{') || sign.strip_prefix('<').is_some_and(is_tag);
    (is_end && memchr2(b'>', b'}', rest.as_bytes()).is_none()).then_some((rest, sign))
}

/// The text of an element of JSX, from its tag to the end of a text. Code in braces may stand in it.
fn element_text(before: &str) -> Option<&str> {
    let (mut at, mut depth) = (before.len(), 0);
    loop {
        let signs = before.as_bytes().get(..at)?;
        let tag = memrchr2(b'<', b'>', signs);
        let behind = tag.map_or(0, |tag| tag + 1);
        let brace = memrchr2(b'{', b'}', signs.get(behind..)?).map(|brace| behind + brace);
        at = brace.or(tag)?;
        match (signs.get(at)?, depth) {
            (b'>', 0) => break,
            (b'}', 0 | 1) => depth += 1,
            (b'{', 1 | 2) => depth -= 1,
            (b'<' | b'>', 1 | 2) => {}
            _ => return None,
        }
    }
    let (_, tag) = before.get(..at)?.rsplit_once('<')?;
    let is_named = tag.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    let is_tag = tag.is_empty() || is_named && !tag.ends_with('=');
    before.get(at + 1..).filter(|_| is_tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_runs_the_words_of_some_commands() {
        for (other, run) in [
            ("f \"@", "eval \"@"),
            ("eval a; f '@", "a; trap -- '@"),
            ("f --c \"@", "bash -lc \"@"),
            ("f -c a '@", "RUN [\"sh\", \"-c\", \"@"),
        ] {
            assert!(!Around::of_sign(Language::Shell, other).is_run(), "{other}");
            assert!(Around::of_sign(Language::Shell, run).is_run(), "{run}");
        }
    }

    #[test]
    fn markup_and_yaml_are_told_by_the_signs_beside() {
        let is_text = |text: &str| Around::of_sign(Language::TypeScript, text).in_markup(true);
        assert!(is_text("x = <p>a @ b</p>") && is_text("<b>x</b> @ {y}"));
        assert!(!is_text("a < b > @ < c") && !is_text("f<T>(@) < y") && !is_text("x => @ </p>"));
        assert!(is_text("<A b={() => c}>{ x < y && <b>z</b> } @</A>") && is_text("</a>@<b>"));
        assert!(!is_text("<a>{{{}}} @</a>") && !is_text("a <= b > @ </c>") && !is_text("<b>@ }"));
        let is_attribute = |text: &str| Around::of_sign(Language::TypeScript, text).in_tag();
        assert!(is_attribute("<A b={() => c} d=@") && !is_attribute("a < b; d=@"));
        let is_scalar = |text: &str| Around::of_sign(Language::Yaml, text).is_scalar();
        for (language, other, name) in [
            (Language::Json, "{\"a\": @}", "{@: 1}"),
            (Language::Yaml, "a: @\n", "a: {@: 1}"),
            (Language::Yaml, "a: x@:b\n", "@:\n"),
            (Language::Toml, "a = [@, 1]", "[a.@]\n"),
            (Language::Toml, "a = @", "@ = 1"),
        ] {
            assert!(!Around::of_sign(language, other).is_name(), "{other}");
            assert!(Around::of_sign(language, name).is_name(), "{name}");
        }
        assert!(Around::of_sign(Language::Dockerfile, "RUN [\"x\", \\\n @]").in_list());
        let in_step = |text: &str| Around::of_sign(Language::Workflow, text).in_step();
        assert!(in_step("run: f @") && in_step("run: |\n  @ x") && !in_step("run: @ x"));
        assert!(is_scalar("a: @ # b") && is_scalar("[@, b]") && !is_scalar("a: b @"));
        assert!(Around::of_sign(Language::Yaml, "a: {b: x @").in_flow());
    }

    #[test]
    fn brackets_of_yaml_begin_a_value_and_go_on_while_its_lines_are_indented() {
        for (other, flow) in [
            ("a: b [c @", "a: [c @"),
            ("a: \"[c\"\nb: @", "a: &x !y {\"}\": @"),
            ("a: [c # ]\n]\nb: @", "a: [c, # ]\n  @"),
            ("a: {\n  b: c\n}\nd: @", "- {a: b,\n  c: @"),
            ("a:\n  b: {c\n  d: @", "a:\n  b: {\n    c: [d],\n    e: @"),
            ("a: |\n  [b\nc: @", "a: |\n  b\nc: [@"),
        ] {
            assert!(!Around::of_sign(Language::Yaml, other).in_flow(), "{other}");
            assert!(Around::of_sign(Language::Yaml, flow).in_flow(), "{flow}");
        }
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
            assert!(!Around::of_sign(Language::Yaml, other).in_block(), "{other}");
            assert!(Around::of_sign(Language::Yaml, block).in_block(), "{block}");
        }
    }
}
