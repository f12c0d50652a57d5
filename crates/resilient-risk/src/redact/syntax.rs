//! How each language quotes, and what hides quotes in it.

use super::form::Form;
use super::language::Language;

/// What a region is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A string literal.
    Literal,
    /// The lines of a here-document in which variables are expanded.
    Expanded,
    /// A comment, a here-document without expansion, or a literal that does not end.
    Inert,
    /// What is in another language, or may be a literal or code. A mark there is safe in both.
    Unknown,
}

/// What hides the quotes in it: comments, characters, regular expressions, and signs that have a quote. Where a form has a
/// group, the group is what is hidden.
pub(super) static HIDES: [(&[Language], Form, Kind, Where); 21] = [
    (&TYPED, Form::of(r"^//[^\n]*"), Kind::Inert, Where::InCode),
    (&SCRIPTS, Form::of(r"^//[^\n]*"), Kind::Inert, Where::InCode),
    (&[Language::Php], Form::of(r"^((?://|#)[^\n]*?)(?:\?>|\n|\z)"), Kind::Inert, Where::InCode),
    (&NESTING, Form::of(r"^/\*"), Kind::Inert, Where::Nested),
    (&TYPED, Form::of(r"^/\*(?s:.*?)(?:\*/|\z)"), Kind::Inert, Where::Any),
    (&SCRIPTS, Form::of(r"^/\*(?s:.*?)(?:\*/|\z)"), Kind::Inert, Where::Any),
    (&[Language::Php], Form::of(r"^/\*(?s:.*?)(?:\*/|\z)"), Kind::Inert, Where::Any),
    (&[Language::Markup], Form::of(r"^<!--(?s:.*?)(?:-->|\z)"), Kind::Inert, Where::Any),
    (
        &[Language::Python, Language::Toml, Language::Ruby],
        Form::of(r"^#[^\n]*"),
        Kind::Inert,
        Where::InCode,
    ),
    (&SHELLS, Form::of(r"^#[^\n]*"), Kind::Inert, Where::Word),
    (&YAMLS, Form::of(r"^#[^\n]*"), Kind::Inert, Where::Word),
    (&[Language::Env], Form::of(r"^[#;][^\n]*"), Kind::Inert, Where::Line),
    (&[Language::Ruby], Form::of(r"^=begin(?s:.*?)(?:\n=end|\z)"), Kind::Inert, Where::Line),
    // What a program of Ruby reads as its data.
    (&[Language::Ruby], Form::of(r"^__END__\r?\n(?s:.*)"), Kind::Inert, Where::Line),
    // What is no character is the mark of a lifetime.
    (&TYPED, Form::of(r"^'(?:\\[^']{0,12}'|\\''|[^\\]')"), Kind::Inert, Where::Any),
    (&[Language::Ruby], Form::of(r#"^\$["'`]"#), Kind::Inert, Where::Any),
    (&[Language::Ruby], Form::of(r#"^\?["'`]"#), Kind::Inert, Where::Value),
    (&SCRIPTS, Form::of(REGEX), Kind::Inert, Where::Value),
    (&[Language::Ruby], Form::of(REGEX), Kind::Inert, Where::Value),
    // Lists, texts, regular expressions and commands of Ruby: `%w[…]`.
    (&[Language::Ruby], Form::of(PERCENT), Kind::Inert, Where::Value),
    (&[Language::Ruby], Form::of(COMMAND), Kind::Unknown, Where::Value),
];

/// A regular expression. Where its end is not found, whether it is one is not known.
const REGEX: &str = r"^/(?:(?:\\[^\n]|\[(?:\\[^\n]|[^\]\\\n])*\]|[^/\\\[\n])*/|[^\n]*)";

/// A text of Ruby behind `%`, and a command. Brackets may stand in brackets once.
macro_rules! percent {
    ($letter:literal) => {
        concat!(
            "^%",
            $letter,
            r"(?:\[(?:\\.|[^\\\[\]]|\[[^\[\]]*\])*\]|\((?:\\.|[^\\()]|\([^()]*\))*\)",
            r"|\{(?:\\.|[^\\{}]|\{[^{}]*\})*\}|<(?:\\.|[^\\<>]|<[^<>]*>)*>|\|(?:\\.|[^\\|])*\|",
            r#"|!(?:\\.|[^\\!])*!|/(?:\\.|[^\\/])*/|"(?:\\.|[^\\"])*"|'(?:\\.|[^\\'])*')"#,
        )
    };
}
const PERCENT: &str = percent!("[wWiIqQrs]?");
const COMMAND: &str = percent!("x");

const SCRIPTS: [Language; 2] = [Language::JavaScript, Language::TypeScript];
const SHELLS: [Language; 2] = [Language::Shell, Language::Dockerfile];
const YAMLS: [Language; 2] = [Language::Yaml, Language::Workflow];
const NESTING: [Language; 2] = [Language::Rust, Language::Kotlin];
const TYPED: [Language; 5] =
    [Language::Rust, Language::Kotlin, Language::Go, Language::Java, Language::CSharp];

/// Where something stands that hides quotes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Where {
    Any,
    /// Not in code within a literal, where its sign is more often a format.
    InCode,
    /// It may stand within another one.
    Nested,
    /// At the begin of a line.
    Line,
    /// At the begin of a word.
    Word,
    /// Where a value is expected.
    Value,
}

/// How one kind of literal is written: it ends as it begins.
#[derive(Clone, Copy)]
pub(super) struct Quote {
    pub(super) sign: &'static str,
    /// A backslash takes the next character with it.
    pub(super) escapes: bool,
    /// The quote twice stands for itself.
    pub(super) doubles: bool,
    /// It may go over lines.
    pub(super) lines: bool,
    /// What begins code inside.
    pub(super) interpolation: Option<&'static str>,
}

impl Quote {
    const fn of(sign: &'static str) -> Self {
        Self { sign, escapes: true, doubles: false, lines: false, interpolation: None }
    }

    const fn raw(self) -> Self {
        Self { escapes: false, ..self }
    }

    const fn long(self) -> Self {
        Self { lines: true, ..self }
    }

    const fn with(self, interpolation: &'static str) -> Self {
        Self { interpolation: Some(interpolation), ..self }
    }
}

const DOUBLE: Quote = Quote::of("\"");
const SINGLE: Quote = Quote::of("'");
const TICK: Quote = Quote::of("`").long();
const THREE_DOUBLE: Quote = Quote::of("\"\"\"").long();
const THREE_SINGLE: Quote = Quote::of("'''").long();

/// The quotes of languages, and the characters that may stand before one and belong to it.
const QUOTES: [(&[Language], &[Quote], &[u8]); 14] = [
    (&[Language::Python], &[THREE_DOUBLE, THREE_SINGLE, DOUBLE, SINGLE], b"rRbBfFuU"),
    (&SCRIPTS, &[DOUBLE, SINGLE, TICK.with("${")], b""),
    (&[Language::Rust], &[DOUBLE.long()], b"bcr#"),
    (&[Language::Go], &[DOUBLE, TICK.raw()], b""),
    (&[Language::Ruby], &[DOUBLE.long().with("#{"), SINGLE.long(), TICK.with("#{")], b""),
    (&[Language::Java], &[THREE_DOUBLE, DOUBLE], b""),
    (&[Language::Kotlin], &[THREE_DOUBLE, DOUBLE.with("${"), Quote::of("`").raw()], b""),
    (&[Language::CSharp], &[THREE_DOUBLE, DOUBLE.with("{")], b"$@"),
    (&[Language::Php], &[DOUBLE.long().with("{$"), SINGLE.long(), TICK], b""),
    (&SHELLS, &[DOUBLE.long().with("$("), SINGLE.long().raw()], b"$"),
    (&YAMLS, &[DOUBLE.long(), Quote { doubles: true, ..SINGLE.long().raw() }], b""),
    // What programs print as JSON may have single quotes, and JSON5 takes them.
    (&[Language::Json], &[DOUBLE, SINGLE], b""),
    (&[Language::Toml], &[THREE_DOUBLE, THREE_SINGLE.raw(), DOUBLE, SINGLE.raw()], b""),
    (&[Language::Env], &[DOUBLE, SINGLE.raw()], b""),
];

/// The quotes of a language, and the characters that may stand before one and belong to it.
pub(super) fn quotes_of(language: Language) -> Option<(&'static [Quote], &'static [u8])> {
    let mut known = QUOTES.iter().filter(|(of, ..)| of.contains(&language));
    known.next().map(|(_, quotes, prefixes)| (*quotes, *prefixes))
}
