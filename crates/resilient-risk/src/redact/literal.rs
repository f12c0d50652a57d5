//! Where a source text has string literals and comments.
//!
//! This is no parser. One pass knows how each language quotes, comments and interpolates, and that is
//! all; it never goes back, so its time is linear. Where a literal of one line is not closed it says so, and
//! nothing is made of what it says there. Where one of many lines is not, the pass has lost its place somewhere
//! before, and all of the text is unknown.

mod here;

use std::ops::Range;

use self::here::Here;
use super::form::Form;
use super::language::Language;
use super::syntax::{HIDES, Kind, Quote, Where, quotes_of};
use super::window_before;

/// What is looked at before and behind a sign.
const NEAR: usize = 128;

/// Where code of PHP begins.
static PHP_OPEN: Form = Form::of(r"<\?(?:=|(?i:php)\b)");

/// What a value follows: a sign, a word, and in JavaScript a condition.
static BEFORE_VALUE: Form = Form::of(concat!(
    r"^$|[(,=:\[!&|?{};+*%~^>]$",
    r"|(?:^|[^\w$.])(?:return|typeof|case|in|of|delete|void|throw|else|do|yield|await|if|unless|",
    r"elsif|when|then|while|until|and|or|not)$",
    r"|\b(?:if|while|for|with)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)$",
));

/// A `case` in a command, whose `)` is none of the command's.
static CASE: Form = Form::of(r"\bcase\s.*\sin\s");

/// The value of a variable of a shell in which a pattern is cut off or replaced.
static PATTERN: Form = Form::of(r"^[A-Za-z0-9_\[\]@*!]*[#%/^,]");

/// Code within literals within code is followed so deep.
const DEPTH_MAX: usize = 16;

/// A stretch of a text that is not plain code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) kind: Kind,
    /// With prefix and quotes.
    pub(super) outer: Range<usize>,
    /// Between the quotes.
    pub(super) inner: Range<usize>,
    /// Code inside a literal or a here-document: `${…}`.
    pub(super) interpolations: Vec<Range<usize>>,
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    language: Language,
    at: usize,
    regions: Vec<Region>,
    heres: Vec<Here>,
    /// How many literals this code is within.
    depth: usize,
    /// The outermost of them must end with the line.
    one_line: bool,
    /// A literal of many lines did not end, or what ends it is not known.
    lost: bool,
}

/// Finds the regions of a text, in their order.
pub(super) fn regions(text: &str, language: Language) -> Vec<Region> {
    let (bytes, regions, heres) = (text.as_bytes(), Vec::new(), Vec::new());
    let (depth, one_line, lost) = (0, false, false);
    let mut lexer = Lexer { text, bytes, language, at: 0, regions, heres, depth, one_line, lost };
    if language == Language::Php {
        lexer.outside();
    }
    while lexer.at < bytes.len() && !lexer.lost {
        lexer.step();
    }
    if lexer.lost || !lexer.heres.is_empty() {
        lexer.regions.clear();
        lexer.push(Kind::Unknown, 0..bytes.len(), 0..bytes.len());
    }
    lexer.regions
}

/// Tells whether a place of a text is in a literal, or may be in one: the whole text says so, or the last value above in
/// quotes, in a language whose literals go over lines. A quote that was left out further above makes the two differ.
#[cfg(test)]
pub(crate) fn may_be_in_literal(text: &str, language: Option<Language>, at: usize) -> bool {
    static VALUE: Form = Form::of(r#"[=:][ \t]*["']"#);
    let Some(language) = language else { return false };
    let before = text.get(..at).unwrap_or_default();
    let is_open = |part: &str| {
        let goes_on = |quote: &&Quote| quote.lines || language == Language::Env;
        let known = quotes_of(language).map(|(known, _)| known).unwrap_or_default();
        known.iter().filter(goes_on).any(|quote| part.matches(quote.sign).count() % 2 == 1)
    };
    let last = VALUE.regex().and_then(|form| form.find_iter(before).last());
    let value = last.and_then(|value| before.get(value.start()..));
    value.is_some_and(is_open)
        || (language == Language::Env && is_open(before))
        || regions(text, language)
            .iter()
            .any(|of| matches!(of.kind, Kind::Literal | Kind::Unknown) && of.outer.contains(&at))
}

impl<'a> Lexer<'a> {
    fn step(&mut self) {
        let rest = self.rest();
        let Some(byte) = rest.first().copied() else { return };
        if byte == b'\n' && !self.heres.is_empty() {
            self.here_documents();
        } else if self.language == Language::Php && rest.starts_with(b"?>") {
            self.outside();
        } else if !(b"/#<=$?%';_".contains(&byte) && self.hidden()
            || self.literal()
            || byte == b'<' && self.here_begins())
        {
            let word = self.word(self.at);
            // A backslash outside of literals quotes in shells and means nothing elsewhere.
            let len = if byte == b'\\' && self.language.is_shell() { 2 } else { 1 };
            self.at += len.max(word);
        }
    }

    /// How long the word is that begins at a place.
    fn word(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default().iter();
        rest.take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count()
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
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
        self.regions.push(Region { kind, outer, inner, interpolations: Vec::new() });
    }

    /// Passes what hides quotes.
    fn hidden(&mut self) -> bool {
        let rest = self.text.get(self.at..).unwrap_or_default();
        for (languages, form, kind, place) in &HIDES {
            if !languages.contains(&self.language) || !self.is_at(*place) {
                continue;
            }
            let Some(found) = form.captures(rest) else { continue };
            let len = found.get(1).map_or(found.get_match().len(), |part| part.len());
            let len = if *place == Where::Nested { nested_len(rest.as_bytes()) } else { len };
            let whole = self.at..self.at + len;
            self.push(*kind, whole.clone(), whole);
            return true;
        }
        false
    }

    fn is_at(&self, place: Where) -> bool {
        let before = self.bytes.get(..self.at).unwrap_or_default();
        match place {
            Where::Any | Where::Nested => true,
            Where::InCode => self.depth == 0,
            Where::Line => self.before(self.at).is_none(),
            Where::Value => self.expects_value(),
            Where::Word => {
                // A word of a shell goes on behind a backslash and the end of a line.
                let line = window_before(self.text, self.at, NEAR).rsplit('\n').next();
                let value = line.and_then(|line| line.rsplit_once("${"));
                let is_value =
                    self.language.is_shell() && value.is_some_and(|(_, of)| !of.contains('}'));
                let goes_on = self.language == Language::Shell && before.ends_with(b"\\\n");
                let begins = |byte: &u8| {
                    byte.is_ascii_whitespace()
                        || self.language.is_shell() && b";&|()".contains(byte)
                };
                before.last().is_none_or(begins) && !is_value && !goes_on
            }
        }
    }

    /// Passes the literal that begins here, maybe with letters and signs before its quote.
    fn literal(&mut self) -> bool {
        let Some((quotes, prefixes)) = quotes_of(self.language) else { return false };
        let start = self.at;
        let mut at = start + self.word(start);
        let is_own = |byte: &u8| prefixes.contains(byte);
        let word = self.bytes.get(start..at).unwrap_or_default();
        if word.len() > 2 || !word.iter().all(is_own) {
            return false;
        }
        /// No literal has more signs before its quote. Many of them are read once.
        const SIGNS_MAX: usize = 64;
        let signs = self.bytes.get(at..).unwrap_or_default().iter().take(SIGNS_MAX);
        at += signs.take_while(|byte| byte.is_ascii_punctuation() && is_own(byte)).count();
        let rest = self.bytes.get(at..).unwrap_or_default();
        let quote = quotes.iter().find(|quote| rest.starts_with(quote.sign.as_bytes()));
        let Some(mut quote) = quote.copied() else { return false };
        // A scalar is quoted only where it begins; `don't` is plain.
        if self.language.is_yaml() && !self.before(at).is_none_or(|byte| b":-,[{?".contains(&byte))
        {
            return false;
        }
        self.at = at;
        quote.lines &= !self.one_line;
        let prefix = self.text.get(start..self.at).unwrap_or_default();
        let has = |letters: &str| prefix.contains(|letter| letters.contains(letter));
        let mut close = quote.sign.to_owned();
        match self.language {
            Language::Python => quote.interpolation = has("fF").then_some("{"),
            Language::Rust if has("r") => {
                quote.escapes = false;
                close += &"#".repeat(prefix.matches('#').count());
            }
            Language::CSharp => {
                quote = Quote { escapes: !has("@"), doubles: has("@"), ..quote };
                quote.lines |= has("@") && !self.one_line;
                quote.interpolation = quote.interpolation.filter(|_| has("$"));
            }
            // `$'…'` has escapes; a `$` before `"` is of no consequence.
            Language::Shell | Language::Dockerfile if quote.sign == "'" => quote.escapes = has("$"),
            _ => {}
        }
        let inner = self.at + quote.sign.len();
        let mut interpolations = Vec::new();
        if let Some(end) = self.end(inner, close.as_bytes(), quote, &mut interpolations) {
            // What is in backquotes is a command, in Kotlin a name.
            let is_other = close == "`"
                && matches!(self.language, Language::Ruby | Language::Php | Language::Kotlin);
            let kind = if is_other { Kind::Unknown } else { Kind::Literal };
            self.push(kind, start..end + close.len(), inner..end);
            if let Some(region) = self.regions.last_mut() {
                region.interpolations = interpolations;
            }
        } else {
            let line = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            // A plain text in YAML may hold what looks like the begin of a quoted one.
            self.lost |= quote.lines && !self.language.is_yaml();
            let end = if quote.lines { self.bytes.len() } else { self.at + line };
            self.push(Kind::Inert, start..end, inner.min(end)..end);
        }
        true
    }

    /// Where the literal that begins here ends, and the code in it.
    fn end(
        &self,
        from: usize,
        close: &[u8],
        quote: Quote,
        interpolations: &mut Vec<Range<usize>>,
    ) -> Option<usize> {
        let mut at = from;
        loop {
            let rest = self.bytes.get(at..)?;
            let byte = *rest.first()?;
            if byte == b'\n' && !quote.lines {
                return None;
            }
            let is_value = self.language.is_shell()
                && quote.interpolation.is_some()
                && rest.starts_with(b"${");
            let interpolation =
                quote.interpolation.filter(|open| rest.starts_with(open.as_bytes()));
            let interpolation = if is_value { Some("${") } else { interpolation };
            if byte == b'\\' && quote.escapes {
                at += 2;
            } else if let Some(behind) = rest.strip_prefix(close) {
                if !quote.doubles || !behind.starts_with(close) {
                    return Some(at);
                }
                at += 2 * close.len();
            } else if interpolation == Some("{") && rest.starts_with(b"{{") {
                // A brace twice is a brace.
                at += 2;
            } else if let Some(open) = interpolation {
                let end = self.end_of_hole(at + open.len(), open, quote.lines)?;
                // The value of a variable is text, except for what is quoted in it.
                let value = rest.get(..end - at).unwrap_or_default();
                if !is_value || value.iter().any(|byte| b"'(`".contains(byte)) {
                    interpolations.push(at..end);
                }
                at = end;
            } else {
                at += 1;
            }
        }
    }

    /// Where the code ends that begins inside of a literal: it is read as all code is.
    fn end_of_hole(&self, from: usize, open: &str, lines: bool) -> Option<usize> {
        let (nest, shut) = if open.ends_with('(') { (b'(', b')') } else { (b'{', b'}') };
        let (depth, one_line) = (self.depth + 1, self.one_line || !lines);
        let (regions, heres) = (Vec::new(), Vec::new());
        // In the value of a variable `'` quotes only a pattern, and nothing begins a comment.
        let rest = self.text.get(from..).unwrap_or_default();
        let is_value = self.language.is_shell() && nest == b'{';
        let is_pattern = PATTERN.is_in(rest);
        let mut lexer = Lexer { at: from, regions, heres, depth, one_line, ..*self };
        let mut open = 1_usize;
        while open > 0 {
            let byte = lexer.byte(lexer.at)?;
            if byte == b'\n' && one_line || lexer.lost || depth > DEPTH_MAX {
                return None;
            }
            match byte {
                _ if byte == nest => open += 1,
                _ if byte == shut => open -= 1,
                b'#' if is_value => {}
                b'\'' if is_value && !is_pattern => {}
                _ => {
                    lexer.step();
                    continue;
                }
            }
            lexer.at += 1;
        }
        let code =
            self.text.get(from..lexer.at).filter(|_| self.language.is_shell()).unwrap_or_default();
        let has_case = CASE.is_in(code);
        (!has_case).then_some(lexer.at)
    }

    /// Passes what is outside of `<?php … ?>`.
    fn outside(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let code = PHP_OPEN.find(rest);
        let end = self.at + code.map_or(rest.len(), |code| code.start());
        self.push(Kind::Unknown, self.at..end, self.at..end);
        self.at = end + code.map_or(0, |code| code.len());
    }

    /// Whether a value ends right before here.
    fn is_behind_value(&self) -> bool {
        let before = self.bytes.get(..self.at).and_then(<[u8]>::last);
        before.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_)]}".contains(byte))
    }

    /// Whether a `/` here begins a regular expression and no division.
    fn expects_value(&self) -> bool {
        let line = window_before(self.text, self.at, 2 * NEAR).rsplit('\n').next();
        let line = line.unwrap_or_default();
        let code = line.trim_end();
        let next = self.byte(self.at + 1);
        // Ruby takes `f /x/` for a call.
        let is_call = self.language == Language::Ruby
            && code.len() < line.len()
            && !next.is_some_and(|b| b" =\t".contains(&b))
            && code.ends_with(|c: char| c.is_ascii_alphabetic());
        // `</` and `/>` are of tags.
        next != Some(b'>') && (is_call || BEFORE_VALUE.is_in(code))
    }
}

/// How long a comment is that may have others in it.
fn nested_len(text: &[u8]) -> usize {
    let (mut len, mut depth) = (2, 1_usize);
    while depth > 0 && len < text.len() {
        let step = match text.get(len..) {
            Some([b'*', b'/', ..]) => {
                depth -= 1;
                2
            }
            Some([b'/', b'*', ..]) => {
                depth += 1;
                2
            }
            _ => 1,
        };
        len += step;
    }
    len
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steady::Chance;

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
            (Language::Dockerfile, "RUN a \\\n# don't\n  'b'", &["'b'"]),
            (Language::Yaml, "a: don't\nb: 'it''s' # \"x\"\n- \"y\"", &["'it''s'", "\"y\""]),
            (Language::Toml, "a = '''b'c''' # 'd'", &["'''b'c'''"]),
            (Language::Json, "{\"a\": \"b\\\"c\"}", &["\"a\"", "\"b\\\"c\""]),
        ] {
            assert_eq!(literals(text, language), expected, "{text}");
        }
    }

    #[test]
    fn characters_and_lifetimes_open_no_literal() {
        for text in
            ["'\"', \"e\"", "'\\'', \"e\"", "'\\u{22}', \"e\"", "&'a str, \"e\"", "'é', \"e\""]
        {
            assert_eq!(literals(text, Language::Rust), ["\"e\""], "{text}");
        }
    }

    #[test]
    fn regular_expressions_hide_their_quotes() {
        assert_eq!(literals("a = /[\"/]/; 'e'", Language::JavaScript), ["'e'"]);
        assert_eq!(literals("return /'/.test(\"x\")", Language::TypeScript), ["\"x\""]);
    }

    #[test]
    fn a_quote_that_is_none_opens_no_literal() {
        for (language, before) in [
            (Language::JavaScript, "if (f(x) > 1) /\"/.test(y); "),
            (Language::JavaScript, "typeof /\"/; a = b / c; "),
            (Language::JavaScript, "x = `${\"}\"}`; "),
            (Language::Kotlin, "/* a /* b */ \" */ "),
            (Language::Rust, "/* a /* b */ \" */ "),
            (Language::Ruby, "a = x.gsub(/\"/, b / c); "),
            (Language::Ruby, "f /\"/; a / b; "),
            (Language::Ruby, "c = ?\"; $x = $\"; "),
            (Language::Ruby, "a = %q(\"()\"\"); f %w[\"]; a % (b) % c; x %w; "),
            (Language::Ruby, "x = <<A\n say \"hi\nA\na <<'B C', b <<~D.e\n\"\nB C\n \"\n D\n"),
            (Language::Ruby, "`\"`; a <<b; c<<D; "),
            (Language::Ruby, "=begin\n\"\n=end\n"),
            (Language::Kotlin, "val `a\"b` = "),
            (Language::Php, "<p>6\" wide</p>\n<?php "),
            (Language::Php, "<?php // \" ?>\"<?= "),
            (Language::Php, "<?php $x = <<<A\n say \"hi\n A; f(<<< 'B'\n\"\n B); "),
            (Language::Php, "<?PHP `\"`; "),
        ] {
            let text = format!("{before}f(\"last\")");
            assert_eq!(literals(&text, language).last(), Some(&"\"last\""), "{text}");
            assert!(!literals(&text, language).contains(&text.as_str()));
        }
    }

    #[test]
    fn here_documents_are_one_region() {
        assert_eq!(
            found("cat <<EOF 'x'\ndon't\nEOF\necho 'y'\n", Language::Shell),
            [
                (Kind::Unknown, "EOF", "EOF"),
                (Kind::Literal, "'x'", "x"),
                (Kind::Expanded, "don't\n", "don't\n"),
                (Kind::Unknown, "EOF", "EOF"),
                (Kind::Literal, "'y'", "y"),
            ]
        );
        let word = (Kind::Unknown, "'E'", "'E'");
        assert_eq!(
            found("cat <<-'E'\n\ta\n\tE\n", Language::Shell),
            [word, (Kind::Unknown, "\ta\n", "\ta\n"), (Kind::Unknown, "E", "E")]
        );
    }

    #[test]
    fn a_shell_is_read_to_its_end_or_unknown() {
        for before in [
            "v=\"$(rustc -V | tr -d '(')\"\n",
            "v=\"$(sed 's/(.*//' f)\"\n",
            "y=\"$(echo \")\")\"\n",
            "v=\"$(awk '{print \")\"}' f)\"\n",
            "v=\"$(echo \\( )\"\n",
            "v=\"$(f # don't\n)\"\n",
            "v=\"$(cat <<A\nit's (\nA\n)\"\n",
            "tr a b <<< hello\n",
            "read -r a b <<< \"x y\"\n",
            "if (( a<<b )); then :; fi\n",
            "cat <<_EOF-1\nit's\n_EOF-1\n",
            "cat <<'A B'\nit's\nA B\n",
            "cat <<\"E\"F\nx '\nEF\n",
            "cat <<!\nit's\n!\n",
            "cat <<.\nit's\n.\n",
            "(f);# don't\n",
            "f \"${u#\"'\"}\" \"${u:-it's}\" \"${u%'\"'}\" \"${u%% #*}\" ${u%% #*} 'a'\n",
        ] {
            let text = format!("{before}f 'last'");
            let last = found(&text, Language::Shell).pop();
            assert_eq!(last, Some((Kind::Literal, "'last'", "last")), "{text}");
        }
        for text in
            ["f 'a\ng \"b\"\n", "cat <<A\nf 'b'\n", "v=\"$(case a in b) f;; esac)\"\nf 'c'\n"]
        {
            assert_eq!(found(text, Language::Shell), [(Kind::Unknown, text, text)]);
        }
    }

    #[test]
    fn the_data_behind_a_program_of_ruby_is_inert() {
        let data = "__END__\r\na = 'b'\n";
        let text = format!("a__END__\n__END__x\n{data}");
        assert_eq!(found(&text, Language::Ruby), [(Kind::Inert, data, data)]);
    }

    #[test]
    fn what_does_not_end_is_inert() {
        assert_eq!(found("x = 'abc\ny", Language::Python), [(Kind::Inert, "'abc", "abc")]);
        assert_eq!(found("x = 'a'; \"\"\"abc\n", Language::Python)[0].0, Kind::Unknown);
    }

    #[test]
    fn no_text_makes_it_panic_or_its_regions_overlap() {
        let parts = concat!(
            "'|\"|`|\\|\n|#|//|/*|*/|${|}|{|$(|)|r#|f|é|<<A|A\n|=begin| |x|@|$|%w[|]|?|/|<<<|<?php|?>|$((|",
            "case a in b|{$",
        );
        let all: Vec<_> = Language::names().filter_map(Language::named).collect();
        let chance = &mut Chance(0x9E37_79B9_7F4A_7C15);
        for round in 0..2_000 {
            let text = chance.text(parts, 40);
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
