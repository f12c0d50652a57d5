//! Whether a language takes an expression at a place in a text: a table of what one follows, and of what takes none.

use std::sync::LazyLock;

use regex::Regex;

use super::around::{Around, WINDOW};
use super::form::Form;
use super::language::Language;
use super::literal::Region;
use super::syntax::Kind;

/// For each language, what an expression follows beside the signs that [`Rule::of`] knows, and what takes no
/// expression while it is open: patterns, types, imports, attributes, constants, cases. Both read the code before
/// a place, without what is in closed brackets. So each bracket that opens there is still open.
/// `LINE` is where a line or the content of a bracket begins, `REST` the rest of it up to the place or to a bracket,
/// and `OBJECT` an object of JavaScript up to one of its members.
const RULES: [(Language, &str, &str); 9] = [
    // The length of an array is a constant. A list has braces.
    (Language::Go, r":|\{", r"LINE(?:const|import)\b\s*REST|(?:^|[^\w)\]])\["),
    (
        Language::Java,
        r":|\{",
        concat!(
            r"\b(?:static\b[^;{}]*\bfinal|final\b[^;{}]*\bstatic)\b[^;{}]*\z",
            r"|(?:^|[;{}])\s*case\s[^:;{}]*\z|@[\w.:]*\s*\(|(?:^|\n)[ \t]*@[^\n]*\z",
            // Arrays have braces, too.
            r"|(?:\binterface\b[^;{}]*|\bdefault\s*)\{(?:[^{]*[=\],]\s*\{|\s*\{)*[^{]*\z",
        ),
    ),
    (Language::Kotlin, r":| to", r"@[\w.:]*\s*\(|\bconst\b[^\n;(\[{]*\z|\bannotation\bREST"),
    (
        Language::CSharp,
        r":|\{",
        concat!(
            r"\bconst\b[^;{}]*\z|\bnameof\s*\(|\bis\b[^;}]*\z|(?:^|[;{}])\s*case\s[^:;{}]*\z",
            // The default of a parameter, and what an attribute sets.
            r"|[(\[](?:[^(\[{]*[,;])?[^(\[{,;]*[^(\[{,;=!<>]=(?:[^(\[{,;=>][^(\[{,;]*)?\z",
            // An attribute, and the member of a pattern.
            r"|(?:^|[,;}\](\[{])\s*\[|[^)\s]\s*\{(?:[^(\[{]*[,;])?\s*[\w.]+\s*:",
        ),
    ),
    (
        Language::Php,
        r":|\.",
        concat!(
            r"\bconst\b[^;{}]*\z|(?:^|[;{}])\s*case\s[^:;{}]*\z|\b(?:function|fn)\b[\s&]*\w*\s*\(",
            r"|\bdeclare\s*\(",
            // Brackets may stand behind `private`, and before the arrow of a function.
            r"|LINE(?:<\?php\s*)?(?:public|private|protected|static|var)\b[^\n;=:(\[{]*=(?:\z|[^>\n;]REST)",
        ),
    ),
    (Language::Rust, r":|&", r"#!?\s*\["),
    (
        Language::Ruby,
        r":\s+|\w\s+",
        concat!(
            r"LINE(?:in|require|require_relative|load|autoload|alias)\bREST",
            r"|\bin(?:[ \t]+\S+)?[ \t]*(?:\z|[(\[{])",
            // A pattern on the right side.
            r"|(?:^|[\n;{])\s*[\w.@$?!)\]]+[ \t]*=>REST",
        ),
    ),
    (Language::JavaScript, r"OBJECT:|\?\s[^:;(\[{]*:", r"\b(?:require|import)\s*[(\[{]"),
    (
        Language::TypeScript,
        r"OBJECT:|\?\s[^:;(\[{]*:",
        concat!(
            r"\b(?:require|import)\s*[(\[{]|\benum\s+\w+\s*\{",
            r"|LINE(?:export\s+|declare\s+)*(?:type|interface)\sREST|[\w$]<[^>;(]*\z",
            // The type of a name that has no value yet.
            r"|\b(?:let|const|var|readonly|public|private|protected|static)\s+[\w$]+[?!]?\s*:",
            r"(?:[^=;\n]|=>)*\z",
        ),
    ),
];

/// What the names in [`RULES`] stand for.
const PARTS: [(&str, &str); 3] = [
    ("LINE", r"(?:^|[\n;(\[{])\s*"),
    ("REST", r"[^\n;(\[{]*(?:\z|[(\[{])"),
    ("OBJECT", r"(?:[=,?(\[]|\|\||&&|\breturn|\bdefault)\s*\{(?:[^(\[{]*:\s*\{|\s*\{)*[^(\[{]*"),
];

/// Where an expression stands in a language.
struct Rule {
    takes: Regex,
    denies: Regex,
}

impl Rule {
    fn of(more: &str, denies: &str) -> Option<Self> {
        let takes = format!(r"(?:[=(,+?]|=>|\|\||&&|return|(?:^|[^\w$)\]\[])\[+|{more})\s*\z");
        let whole = |pattern: &str| {
            PARTS.iter().fold(pattern.to_owned(), |whole, (name, part)| whole.replace(name, part))
        };
        let [takes, denies] = [&takes, denies].map(|pattern| Regex::new(&whole(pattern)).ok());
        Some(Self { takes: takes?, denies: denies? })
    }
}

static RULE_OF: LazyLock<Vec<(Language, Rule)>> = LazyLock::new(|| {
    let rules = RULES.iter();
    rules.filter_map(|(of, more, denies)| Some((*of, Rule::of(more, denies)?))).collect()
});

/// Behind these no expression of its own ends, but a name, a call or a part of a pattern.
static NO_END: Form = Form::of(r"^(?:\w|[ \t\r]*[(:=])");

/// What follows a pattern of Rust or C#, or the brackets around it.
static PATTERN_END: Form =
    Form::of(r"(?:^|[)\]}])\s*(?:=(?:[^=]|\z)|\|(?:[^|]|\z)|(?:if|when|or|and)\b)");

/// An array, brackets around a value, and a function behind `:`, in TypeScript: each may be a type.
static GROUP: Form = Form::of(concat!(
    r"(?:(?:^|[^\w$)\]>])([(\[](?:[^(\[{;]*,)?\s*)",
    r"|(?::|\bextends)\s*(\)\s*=>\s*))\z",
));

/// What a type follows.
static TYPE: Form =
    Form::of(r"(?:[:|&<]|\b(?:readonly|keyof|unique|as|satisfies|extends|implements))\s*\z");

/// A look-up whose default follows. Python and Ruby compute that first, and fail if its variable is not set.
static DEFAULT: Form = Form::of(concat!(
    r"(?:\b(?i:environ|env)(?:\.get|\.fetch)?|\bgetenv|\bconfig)",
    r#"\(\s*["'][\w.-]+["']\s*,\s*(?:default\s*=\s*)?\z"#,
));

/// A macro of Rust whose bracket is open.
static MACRO: Form = Form::of(r"(\w+)!\s*[(\[{]");

/// The macros of Rust that take expressions.
const MACROS: &str = "anyhow assert assert_eq assert_ne bail dbg debug debug_assert debug_assert_eq debug_assert_ne \
    ensure eprint eprintln error format format_args info json panic print println todo trace unimplemented \
    unreachable vec warn write writeln";

/// What is not in brackets that open and close again on a way through a text. Of those stays the first sign.
fn unnested(way: impl Iterator<Item = char>, enter: &str, leave: &str) -> String {
    let mut depth = 0_usize;
    way.filter(|c| {
        let is_kept = depth == 0;
        if enter.contains(*c) {
            depth += 1;
        } else if leave.contains(*c) {
            depth = depth.saturating_sub(1);
        }
        is_kept
    })
    .collect()
}

impl Around<'_> {
    /// The code before it, without comments, without what is in literals and in closed brackets, and with lines put
    /// together that a sign continues.
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
        code += self.content.get(at..end).unwrap_or_default();
        let open: String = unnested(code.chars().rev(), ")]}", "([{").chars().rev().collect();
        let mut lines = open.split('\n');
        let first = lines.next().unwrap_or_default().to_owned();
        lines.fold(first, |code, line| {
            let between = if code.trim_end().ends_with(['=', '+']) { " " } else { "\n" };
            code + between + line
        })
    }

    /// Whether an expression stands here: the right side of an assignment, an argument, what is returned, an element
    /// of a list, the value of a map, or a part of such a one. Where it may be a pattern, a type or a constant, none does.
    pub(super) fn takes_look_up(&self) -> bool {
        let fails = matches!(self.language, Language::Python | Language::Ruby);
        if fails && DEFAULT.is_in(self.before(WINDOW)) {
            return false;
        }
        if self.language == Language::Python {
            // A parser sees to the rest.
            return !self.is_annotation();
        }
        let after = self.after(WINDOW);
        let is_joined = self.language == Language::Ruby
            && after.trim_start_matches([' ', '\t']).starts_with(['"', '\'', '\\']);
        if NO_END.is_in(after) || is_joined || self.is_pattern() {
            return false;
        }
        let mut rules = RULE_OF.iter().filter(|(language, _)| *language == self.language);
        let Some((_, rule)) = rules.next() else { return false };
        let code = self.code();
        let mut place = code.as_str();
        while self.language == Language::TypeScript
            && let Some(group) = GROUP.captures(place)
            && let Some(group) = group.get(1).or(group.get(2))
        {
            place = place.get(..group.start()).unwrap_or_default();
        }
        let is_group = place.len() < code.len() && !TYPE.is_in(place);
        (is_group || rule.takes.is_match(place))
            && !rule.denies.is_match(code.trim_end())
            && !self.in_macro(&code)
    }

    /// Whether a macro of Rust is open here that may take no expressions.
    fn in_macro(&self, code: &str) -> bool {
        let is_other = |name: &str| !MACROS.split(' ').any(|known| known == name);
        let mut names = MACRO.regex().into_iter().flat_map(|form| form.captures_iter(code));
        self.language == Language::Rust
            && names.any(|name| name.get(1).is_some_and(|name| is_other(name.as_str())))
    }

    /// Whether a pattern of Rust or C# ends here: behind the place, or behind brackets around it, stands what only
    /// follows one.
    fn is_pattern(&self) -> bool {
        let statement = self.after(WINDOW).chars().take_while(|c| *c != ';');
        matches!(self.language, Language::Rust | Language::CSharp)
            && PATTERN_END.is_in(&unnested(statement, "([{", ")]}"))
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
        self.is_open("Literal[", "]")
            || line.ends_with("->")
            || is_named && (named.contains("def ") || !goes_on)
            || line.is_empty() && (!is_value || is_long) && !goes_on
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_a_regex() {
        assert_eq!(RULE_OF.len(), RULES.len());
    }

    #[test]
    fn a_look_up_stands_where_an_expression_does() {
        let long = " ".repeat(600);
        for (language, other, look_up) in [
            (Language::Go, "const a = @", "a := @"),
            (Language::Go, "func f() { const a = @", "func f() { a := @"),
            (Language::Go, "const\n(\n\ta = 1\n\tb = @", "var\n(\n\ta = 1\n\tb = @"),
            (Language::Go, "var a [len(@)]int", "a := m[f(@)]"),
            (Language::Go, "a := [len(@)]byte{}", "a := [...]string{@}"),
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
            (Language::Php, "public private(set) string $a = @", "publics($a)->b = @"),
            (Language::Php, "declare(ticks=@", "declared(a, @"),
            (Language::CSharp, "var a = nameof(@", "var a = name(@"),
            (Language::Php, "enum S: string { case A = @", "$a = @"),
            (Language::Rust, "#[path = @", "let a = @"),
            (Language::Rust, "match a { @ => 1", "f(match a { 1 => @"),
            (Language::Rust, "if let @ = a", "const D: &[u8] = b;\nlet a = @"),
            (Language::Ruby, "d = { @: 1 }", "d = { a: @ }"),
            (Language::Ruby, "a.b => @", "f a.b => @"),
            (Language::Ruby, "a[0] => {b: [@]}", "f(a => {b: [@]})"),
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
            (Language::TypeScript, "a ? (b: @) => 1 : 2", "f(a ? b : @)"),
            (Language::TypeScript, "a as B | [@]", "f({ a: () => g(@) })"),
            (Language::TypeScript, "f<A, { b: @ }>(c)", "if (a < b) { c = { d: @ } }"),
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
            (Language::Python, "a = os.environ.get(\"A\", @)", "a = d.get(\"A\", @)"),
            (Language::Python, "a = env('A', default=@)", "a = f('A', default=@)"),
            (Language::Ruby, "a = ENV.fetch('A', @)", "a = b.fetch('A', @)"),
            (Language::Python, "def f():\n    @\n    pass", "a = (\n    @\n)"),
        ] {
            assert!(!Around::of_sign(language, other).takes_look_up(), "{other}");
            assert!(Around::of_sign(language, look_up).takes_look_up(), "{look_up}");
        }
    }
}
