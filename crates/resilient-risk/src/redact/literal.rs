//! Where a source text has string literals and comments.
//!
//! This is no parser. One pass knows how each language quotes, comments and interpolates, and that is
//! all; it never goes back, so its time is linear. Where a literal is not closed it says so, and
//! nothing is made of what it says there.

use std::ops::Range;

use super::language::Language;
use super::window_after;

/// What announces a here-document is no longer.
const HERE_LEN_MAX: usize = 128;

/// A stretch of a text that is not plain code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) kind: Kind,
    /// With prefix and quotes.
    pub(super) outer: Range<usize>,
    /// Between the quotes.
    pub(super) inner: Range<usize>,
    /// Code inside a literal: `${…}`.
    pub(super) holes: Vec<Range<usize>>,
}

/// What a region is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A string literal.
    Literal,
    /// The lines of a here-document in which variables are expanded.
    Expanded,
    /// A comment, a here-document without expansion, or a literal that does not end.
    Inert,
}

/// How one kind of literal is written.
struct Quote {
    open: &'static str,
    close: &'static str,
    /// A backslash takes the next character with it.
    escapes: bool,
    /// The quote twice stands for itself.
    doubles: bool,
    /// It may go over lines.
    lines: bool,
    /// What begins and ends code inside.
    hole: Option<(&'static str, u8)>,
}

const fn quote(open: &'static str, close: &'static str) -> Quote {
    Quote { open, close, escapes: true, doubles: false, lines: false, hole: None }
}

const fn raw(open: &'static str, close: &'static str) -> Quote {
    Quote { escapes: false, lines: true, ..quote(open, close) }
}

/// How a language is written, as far as this file cares.
struct Syntax {
    line_comments: &'static [&'static str],
    block_comment: Option<(&'static str, &'static str)>,
    quotes: &'static [Quote],
    /// Characters that may stand before a quote and belong to it.
    prefixes: &'static [u8],
    /// A `'` is for single characters.
    has_characters: bool,
}

const PLAIN: Syntax = Syntax {
    line_comments: &[],
    block_comment: None,
    quotes: &[quote("\"", "\"")],
    prefixes: b"",
    has_characters: false,
};

const C_LIKE: Syntax = Syntax {
    line_comments: &["//"],
    block_comment: Some(("/*", "*/")),
    quotes: &[
        Quote { lines: true, ..quote("\"\"\"", "\"\"\"") },
        Quote { hole: Some(("${", b'}')), ..quote("\"", "\"") },
    ],
    prefixes: b"",
    has_characters: true,
};

const SCRIPT: Syntax = Syntax {
    quotes: &[
        quote("\"", "\""),
        quote("'", "'"),
        Quote { lines: true, hole: Some(("${", b'}')), ..quote("`", "`") },
    ],
    has_characters: false,
    ..C_LIKE
};

const PYTHON: Syntax = Syntax {
    line_comments: &["#"],
    quotes: &[
        Quote { lines: true, ..quote("\"\"\"", "\"\"\"") },
        Quote { lines: true, ..quote("'''", "'''") },
        quote("\"", "\""),
        quote("'", "'"),
    ],
    prefixes: b"rRbBfFuU",
    ..PLAIN
};

const RUST: Syntax =
    Syntax { quotes: &[Quote { lines: true, ..quote("\"", "\"") }], prefixes: b"bcr#", ..C_LIKE };

const GO: Syntax = Syntax { quotes: &[quote("\"", "\""), raw("`", "`")], ..C_LIKE };

const RUBY: Syntax = Syntax {
    line_comments: &["#"],
    block_comment: Some(("\n=begin", "\n=end")),
    quotes: &[
        Quote { lines: true, hole: Some(("#{", b'}')), ..quote("\"", "\"") },
        Quote { lines: true, ..quote("'", "'") },
    ],
    ..PLAIN
};

const C_SHARP: Syntax = Syntax {
    quotes: &[
        Quote { lines: true, ..quote("\"\"\"", "\"\"\"") },
        Quote { hole: Some(("{", b'}')), ..quote("\"", "\"") },
    ],
    prefixes: b"$@",
    ..C_LIKE
};

const PHP: Syntax = Syntax {
    line_comments: &["//", "#"],
    quotes: &[Quote { lines: true, ..quote("\"", "\"") }, Quote { lines: true, ..quote("'", "'") }],
    has_characters: false,
    ..C_LIKE
};

const SHELL: Syntax = Syntax {
    line_comments: &["#"],
    quotes: &[Quote { lines: true, hole: Some(("$(", b')')), ..quote("\"", "\"") }, raw("'", "'")],
    prefixes: b"$",
    ..PLAIN
};

const YAML: Syntax = Syntax {
    line_comments: &["#"],
    quotes: &[Quote { lines: true, ..quote("\"", "\"") }, Quote { doubles: true, ..raw("'", "'") }],
    ..PLAIN
};

const TOML: Syntax = Syntax {
    line_comments: &["#"],
    quotes: &[
        Quote { lines: true, ..quote("\"\"\"", "\"\"\"") },
        raw("'''", "'''"),
        quote("\"", "\""),
        Quote { lines: false, ..raw("'", "'") },
    ],
    ..PLAIN
};

const MARKUP: Syntax = Syntax { block_comment: Some(("<!--", "-->")), quotes: &[], ..PLAIN };

const ENV: Syntax = Syntax {
    line_comments: &["#", ";"],
    quotes: &[quote("\"", "\""), Quote { lines: false, ..raw("'", "'") }],
    ..PLAIN
};

fn syntax(language: Language) -> &'static Syntax {
    match language {
        Language::Python => &PYTHON,
        Language::JavaScript | Language::TypeScript => &SCRIPT,
        Language::Rust => &RUST,
        Language::Go => &GO,
        Language::Ruby => &RUBY,
        Language::Java | Language::Kotlin => &C_LIKE,
        Language::CSharp => &C_SHARP,
        Language::Php => &PHP,
        Language::Shell | Language::Dockerfile => &SHELL,
        Language::Yaml | Language::Workflow => &YAML,
        Language::Json => &PLAIN,
        Language::Toml => &TOML,
        Language::Env => &ENV,
        Language::Markup => &MARKUP,
    }
}

/// A here-document whose body is to come.
struct Here<'a> {
    word: &'a str,
    kind: Kind,
    may_indent: bool,
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    language: Language,
    syntax: &'static Syntax,
    at: usize,
    regions: Vec<Region>,
    heres: Vec<Here<'a>>,
}

/// Finds the regions of a text, in their order.
pub(super) fn regions(text: &str, language: Language) -> Vec<Region> {
    let (bytes, syntax) = (text.as_bytes(), syntax(language));
    let (regions, heres) = (Vec::new(), Vec::new());
    let mut lexer = Lexer { text, bytes, language, syntax, at: 0, regions, heres };
    while lexer.at < bytes.len() {
        lexer.step();
    }
    lexer.regions
}

impl<'a> Lexer<'a> {
    fn step(&mut self) {
        let Some(byte) = self.byte(self.at) else { return };
        if byte == b'\n' && !self.heres.is_empty() {
            self.here_documents();
        } else if self.comment() || self.literal(byte) {
        } else if byte == b'\'' && self.syntax.has_characters {
            self.character();
        } else if byte == b'/' && self.is_script() && self.expects_value() {
            self.regex();
        } else if byte == b'<' && self.here_begins() {
        } else {
            // A backslash outside of literals quotes in shells and means nothing elsewhere.
            self.at += if byte == b'\\' && self.is_shell() { 2 } else { 1 };
        }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    fn is_shell(&self) -> bool {
        matches!(self.language, Language::Shell | Language::Dockerfile)
    }

    fn is_script(&self) -> bool {
        matches!(self.language, Language::JavaScript | Language::TypeScript)
    }

    fn is_yaml(&self) -> bool {
        matches!(self.language, Language::Yaml | Language::Workflow)
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// The last byte before here that is no blank, on this line.
    fn before(&self, at: usize) -> Option<u8> {
        let line = self.bytes.get(..at)?.iter().rev().take_while(|byte| **byte != b'\n');
        line.copied().take(256).find(|byte| !byte.is_ascii_whitespace())
    }

    fn push(&mut self, kind: Kind, outer: Range<usize>, inner: Range<usize>) {
        self.at = outer.end;
        self.regions.push(Region { kind, outer, inner, holes: Vec::new() });
    }

    fn comment(&mut self) -> bool {
        let rest = self.rest();
        if let Some((open, close)) = self.syntax.block_comment
            && rest.starts_with(open.as_bytes())
        {
            let body = rest.get(open.len()..).unwrap_or_default();
            let len = memchr::memmem::find(body, close.as_bytes())
                .map_or(rest.len(), |end| open.len() + end + close.len());
            let whole = self.at..self.at + len;
            self.push(Kind::Inert, whole.clone(), whole);
            return true;
        }
        let begins = self.syntax.line_comments.iter().any(|open| rest.starts_with(open.as_bytes()));
        // Where `#` begins a comment only at the start of a word, or `;` only at that of a line.
        let place = match self.language {
            Language::Env => self.before(self.at).is_none(),
            _ if self.is_shell() || self.is_yaml() => {
                let before = self.bytes.get(..self.at).unwrap_or_default();
                // A word of a shell goes on behind a backslash and the end of a line.
                let is_inside = self.is_shell() && before.ends_with(b"\\\n");
                before.last().is_none_or(u8::is_ascii_whitespace) && !is_inside
            }
            _ => true,
        };
        if !begins || !place {
            return false;
        }
        let len = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let whole = self.at..self.at + len;
        self.push(Kind::Inert, whole.clone(), whole);
        true
    }

    fn literal(&mut self, byte: u8) -> bool {
        if !matches!(byte, b'"' | b'\'' | b'`') {
            return false;
        }
        // A scalar is quoted only where it begins; `don't` is plain.
        if self.is_yaml() && !self.before(self.at).is_none_or(|byte| b":-,[{?".contains(&byte)) {
            return false;
        }
        let rest = self.rest();
        let quotes = self.syntax.quotes;
        let Some(quote) = quotes.iter().find(|quote| rest.starts_with(quote.open.as_bytes()))
        else {
            return false;
        };
        let start = self.prefix();
        let prefix = self.text.get(start..self.at).unwrap_or_default();
        let has = |letters: &str| prefix.contains(|letter| letters.contains(letter));
        let (mut escapes, mut doubles, mut lines) = (quote.escapes, quote.doubles, quote.lines);
        let (mut hole, mut close) = (quote.hole, quote.close.to_owned());
        match self.language {
            Language::Python => {
                hole = has("fF").then_some(("{", b'}'));
            }
            Language::Rust if has("r") => {
                escapes = false;
                close += &"#".repeat(prefix.matches('#').count());
            }
            Language::CSharp => {
                (escapes, doubles, lines) = (!has("@"), has("@"), lines || has("@"));
                hole = hole.filter(|_| has("$"));
            }
            Language::Java => hole = None,
            // `$'…'` has escapes; a `$` before `"` is of no consequence.
            Language::Shell | Language::Dockerfile if byte == b'\'' => escapes = has("$"),
            _ => {}
        }
        let inner = self.at + quote.open.len();
        let (end, holes) = self.end(inner, close.as_bytes(), (escapes, doubles, lines), hole);
        match end {
            Some(end) => {
                self.push(Kind::Literal, start..end + close.len(), inner..end);
                if let Some(region) = self.regions.last_mut() {
                    region.holes = holes;
                }
            }
            None => {
                let line = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                let end = if lines { self.bytes.len() } else { self.at + line };
                self.push(Kind::Inert, start..end, inner.min(end)..end);
            }
        }
        true
    }

    /// Where the prefix of the quote here begins.
    fn prefix(&self) -> usize {
        let most = if self.language == Language::Rust { 64 } else { 2 };
        let len = self
            .bytes
            .get(..self.at)
            .unwrap_or_default()
            .iter()
            .rev()
            .take(most)
            .take_while(|byte| self.syntax.prefixes.contains(byte))
            .count();
        let start = self.at - len;
        let touches = start
            .checked_sub(1)
            .and_then(|before| self.byte(before))
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let hash_only = self.bytes.get(start..self.at).is_some_and(|p| p.starts_with(b"#"));
        let is_word = self.byte(start).is_some_and(|byte| byte.is_ascii_alphabetic());
        let taken = self.regions.last().is_some_and(|last| start < last.outer.end);
        if hash_only || taken || touches && is_word { self.at } else { start }
    }

    /// Where the literal that begins here ends, and the code in it.
    fn end(
        &self,
        from: usize,
        close: &[u8],
        (escapes, doubles, lines): (bool, bool, bool),
        hole: Option<(&str, u8)>,
    ) -> (Option<usize>, Vec<Range<usize>>) {
        let mut holes = Vec::new();
        let mut at = from;
        while let Some(byte) = self.byte(at) {
            let rest = self.bytes.get(at..).unwrap_or_default();
            if byte == b'\n' && !lines {
                return (None, holes);
            }
            if byte == b'\\' && escapes {
                at += 2;
            } else if rest.starts_with(close) {
                let twice = rest.get(close.len()..).is_some_and(|rest| rest.starts_with(close));
                if !(doubles && twice) {
                    return (Some(at), holes);
                }
                at += 2 * close.len();
            } else if let Some((open, shut)) = hole
                && rest.starts_with(open.as_bytes())
            {
                // A brace twice is a brace.
                if open == "{" && rest.starts_with(b"{{") {
                    at += 2;
                    continue;
                }
                let nest = open.as_bytes().last().copied().unwrap_or(b'{');
                let (start, mut depth) = (at, 1_usize);
                at += open.len();
                while depth > 0 {
                    match self.byte(at) {
                        Some(byte) if byte == nest => depth += 1,
                        Some(byte) if byte == shut => depth -= 1,
                        Some(b'\n') if !lines => return (None, holes),
                        Some(_) => {}
                        None => return (None, holes),
                    }
                    at += 1;
                }
                holes.push(start..at);
            } else {
                at += 1;
            }
        }
        (None, holes)
    }

    /// Passes a character such as `'"'`, or the mark of a lifetime.
    fn character(&mut self) {
        let rest = self.text.get(self.at + 1..).unwrap_or_default();
        let len = match rest.chars().next() {
            Some('\\') => rest.get(2..).and_then(|rest| rest.find('\'')).map(|end| end + 4),
            Some(c) if rest.get(c.len_utf8()..).is_some_and(|rest| rest.starts_with('\'')) => {
                Some(c.len_utf8() + 2)
            }
            _ => None,
        };
        self.at += len.filter(|len| *len <= 16).unwrap_or(1);
    }

    /// Whether a `/` here begins a regular expression and no division.
    fn expects_value(&self) -> bool {
        let before = self.before(self.at);
        // `</` and `/>` are of tags.
        self.byte(self.at + 1) != Some(b'>')
            && before.is_none_or(|byte| b"(,=:[!&|?{};+*%~^>".contains(&byte))
            || self.text.get(..self.at).is_some_and(|text| text.trim_end().ends_with("return"))
    }

    fn regex(&mut self) {
        let (mut at, mut in_class) = (self.at + 1, false);
        while let Some(byte) = self.byte(at) {
            match byte {
                b'\n' => break,
                b'\\' => at += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => {
                    let whole = self.at..at + 1;
                    return self.push(Kind::Inert, whole.clone(), whole);
                }
                _ => {}
            }
            at += 1;
        }
        self.at = at;
    }

    /// Notes `<<WORD`, whose lines come after this one.
    fn here_begins(&mut self) -> bool {
        if !self.is_shell() && self.language != Language::Ruby {
            return false;
        }
        let line = window_after(self.text, self.at, HERE_LEN_MAX);
        let line = line.split('\n').next().unwrap_or_default();
        let Some(rest) = line.strip_prefix("<<").filter(|rest| !rest.starts_with('<')) else {
            return false;
        };
        let indents = rest.starts_with(['-', '~']);
        if self.language == Language::Ruby && !indents {
            return false;
        }
        let rest = rest.trim_start_matches(['-', '~']).trim_start();
        let quoted = rest.starts_with(['\'', '\\'])
            || rest.starts_with('"') && self.language != Language::Ruby;
        let word = rest.trim_start_matches(['\'', '"', '\\']);
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = word.find(|c| !is_word(c)).unwrap_or(word.len());
        let word = word.get(..end).unwrap_or_default();
        if !word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return false;
        }
        let kind = if quoted { Kind::Inert } else { Kind::Expanded };
        self.heres.push(Here { word, kind, may_indent: indents });
        self.at += line.len() - rest.len() + rest.find(word).unwrap_or(0) + word.len();
        // The quote behind the word does not open a string.
        self.at += usize::from(quoted && self.byte(self.at).is_some_and(|b| b"'\"".contains(&b)));
        true
    }

    /// Takes the here-documents that begin after this line feed.
    fn here_documents(&mut self) {
        self.at += 1;
        for here in std::mem::take(&mut self.heres) {
            let start = self.at;
            let mut end = self.bytes.len();
            for line in self.text.get(start..).unwrap_or_default().split_inclusive('\n') {
                let bare = line.trim_end_matches(['\n', '\r']);
                let bare = if here.may_indent { bare.trim_start() } else { bare };
                if bare == here.word {
                    end = self.at;
                    self.at += line.len();
                    break;
                }
                self.at += line.len();
            }
            let after = self.at;
            self.push(here.kind, start..end, start..end);
            self.at = after;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, language: Language) -> Vec<(Kind, &str, &str)> {
        let of = |region: Region| (region.kind, &text[region.outer], &text[region.inner]);
        regions(text, language).into_iter().map(of).collect()
    }

    fn literals(text: &str, language: Language) -> Vec<&str> {
        let regions = found(text, language).into_iter();
        regions.filter(|(kind, ..)| *kind == Kind::Literal).map(|(_, outer, _)| outer).collect()
    }

    #[test]
    fn literals_come_with_prefix_and_quotes() {
        for (language, text, expected) in [
            (Language::Python, "x = rb'a\\'b' + \"c\" # 'no'", &["rb'a\\'b'", "\"c\""][..]),
            (Language::Python, "f'''a\n{d['x']}''' 'e'", &["f'''a\n{d['x']}'''", "'e'"]),
            (Language::Python, "elif\"x\"", &["\"x\""]),
            (
                Language::Rust,
                "fn f<'a>(c: char) { r#\"a\"b\"# '\"' b\"x\" }",
                &["r#\"a\"b\"#", "b\"x\""],
            ),
            (Language::JavaScript, "a = x / 2; 'e' / 3", &["'e'"]),
            (Language::Go, "a := `b\\` + \"c\\\"\"", &["`b\\`", "\"c\\\"\""]),
            (Language::CSharp, "@\"a\\\" + $\"b{c}\"", &["@\"a\\\"", "$\"b{c}\""]),
            (Language::Shell, "a='b\\' c=\"$(d \"e\")\" # 'f'", &["'b\\'", "\"$(d \"e\")\""]),
            (Language::Shell, "a=b\\\n#'c'\nd \\\n #'e'\n", &["'c'"]),
            (Language::Yaml, "a: don't\nb: 'it''s' # \"x\"\n- \"y\"", &["'it''s'", "\"y\""]),
            (Language::Toml, "a = '''b'c''' # 'd'", &["'''b'c'''"]),
            (Language::Json, "{\"a\": \"b\\\"c\"}", &["\"a\"", "\"b\\\"c\""]),
        ] {
            assert_eq!(literals(text, language), expected, "{text}");
        }
    }

    #[test]
    fn regular_expressions_hide_their_quotes() {
        assert_eq!(literals("a = /[\"/]/; 'e'", Language::JavaScript), ["'e'"]);
        assert_eq!(literals("return /'/.test(\"x\")", Language::TypeScript), ["\"x\""]);
    }

    #[test]
    fn here_documents_are_one_region() {
        assert_eq!(
            found("cat <<EOF 'x'\ndon't\nEOF\necho 'y'\n", Language::Shell),
            [
                (Kind::Literal, "'x'", "x"),
                (Kind::Expanded, "don't\n", "don't\n"),
                (Kind::Literal, "'y'", "y"),
            ]
        );
        assert_eq!(
            found("cat <<-'E'\n\ta\n\tE\n", Language::Shell),
            [(Kind::Inert, "\ta\n", "\ta\n")]
        );
    }

    #[test]
    fn what_does_not_end_is_inert() {
        assert_eq!(found("x = 'abc\ny", Language::Python), [(Kind::Inert, "'abc", "abc")]);
        assert_eq!(found("x = \"\"\"abc\n", Language::Python)[0].0, Kind::Inert);
    }

    #[test]
    fn no_text_makes_it_panic_or_its_regions_overlap() {
        let parts = [
            "'", "\"", "`", "\\", "\n", "#", "//", "/*", "*/", "${", "}", "{", "$(", ")", "r#",
            "f", "é", "<<A", "A\n", "=begin", " ", "x", "@", "$",
        ];
        let all = [
            Language::Python,
            Language::JavaScript,
            Language::Rust,
            Language::Go,
            Language::Ruby,
            Language::CSharp,
            Language::Shell,
            Language::Yaml,
            Language::Toml,
            Language::Env,
        ];
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        for round in 0..2_000 {
            let mut text = String::new();
            for _ in 0..40 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                text.push_str(parts[(state % parts.len() as u64) as usize]);
            }
            let mut end = 0;
            for region in regions(&text, all[round % all.len()]) {
                assert!(region.outer.start >= end, "{text:?}");
                assert!(region.inner.start >= region.outer.start, "{text:?}");
                assert!(text.get(region.inner.clone()).is_some(), "{text:?}");
                assert!(text.get(region.outer.clone()).is_some(), "{text:?}");
                end = region.outer.end;
            }
        }
    }
}
