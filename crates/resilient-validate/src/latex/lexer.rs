//! LaTeX source as tokens, with everything that TeX would not read as code taken out.
//!
//! Comments, verbatim environments, the arguments of `\verb` and `\url` and their kin, `\iffalse`
//! blocks and whatever follows `\end{document}` never reach the checks: what is left can be
//! counted. Category codes are assumed to be LaTeX's usual ones, except that `@` (and, under
//! `\ExplSyntaxOn`, `_` and `:`) may be letters.

use std::collections::HashSet;

/// One token and the byte offset it starts at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind<'a>,
    pub(super) at: usize,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind<'a> {
    /// A control word, without its backslash: `\alpha`.
    Word(&'a str),
    /// A control symbol, without its backslash: `\{`.
    Symbol(char),
    /// `\begin{name}`.
    Begin(&'a str),
    /// `\end{name}`.
    End(&'a str),
    /// `{`.
    OpenBrace,
    /// `}`.
    CloseBrace,
    /// `[`.
    OpenBracket,
    /// `]`.
    CloseBracket,
    /// `$`.
    Dollar,
    /// `$$`.
    DoubleDollar,
    /// `_`.
    Underscore,
    /// The `%` that starts a comment.
    Comment,
    /// An end of line.
    Newline,
    /// A blank line.
    Paragraph,
    /// Material that is not code: a verbatim body, a `\url` argument.
    Raw(&'a str),
    /// Any other run of characters within a line.
    Text(&'a str),
}

impl Kind<'_> {
    /// Whether the token separates a macro from its argument without ending the search for one.
    pub(super) fn is_space(&self) -> bool {
        match self {
            Self::Comment | Self::Newline => true,
            Self::Text(text) => text.trim().is_empty(),
            _ => false,
        }
    }
}

/// Environments whose body is not code.
#[rustfmt::skip]
const VERBATIM: [&str; 29] = [
    "BVerbatim", "BVerbatim*", "LVerbatim", "LVerbatim*", "SaveVerbatim", "Verbatim", "Verbatim*",
    "VerbatimOut", "alltt", "asy", "asydef", "comment", "dot2tex", "filecontents",
    "filecontents*", "luacode", "luacode*", "lstlisting", "minted", "pyblock", "pycode",
    "pyconsole", "pyverbatim", "sagesilent", "spverbatim", "tcblisting", "tcblisting*", "verbatim",
    "verbatim*",
];

/// Reads the whole text.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut lexer = Lexer {
        text,
        at: 0,
        at_is_letter: false,
        expl_syntax: false,
        searched_to: 0,
        verbatim: HashSet::new(),
        tokens: Vec::new(),
    };
    lexer.run();
    lexer.tokens
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    at_is_letter: bool,
    expl_syntax: bool,
    /// The end of the last line on which an argument was searched whose end is not there. The
    /// line is not searched again, or many open arguments would make reading quadratic.
    searched_to: usize,
    /// Verbatim environments that the document defines.
    verbatim: HashSet<String>,
    tokens: Vec<Token<'a>>,
}

impl<'a> Lexer<'a> {
    fn run(&mut self) {
        while let Some(first) = self.rest().chars().next() {
            let start = self.at;
            self.at += first.len_utf8();
            match first {
                '\\' => {
                    if !self.control(start) {
                        return;
                    }
                }
                '{' => self.push(Kind::OpenBrace, start),
                '}' => self.push(Kind::CloseBrace, start),
                '[' => self.push(Kind::OpenBracket, start),
                ']' => self.push(Kind::CloseBracket, start),
                '_' => self.push(Kind::Underscore, start),
                '$' if self.take("$") => self.push(Kind::DoubleDollar, start),
                '$' => self.push(Kind::Dollar, start),
                '%' => {
                    self.push(Kind::Comment, start);
                    self.at = self.line_end();
                    if self.take("\n") {
                        self.start_of_line();
                    }
                }
                '\n' => {
                    self.push(Kind::Newline, start);
                    self.start_of_line();
                }
                _ => {
                    let special = ['\\', '{', '}', '[', ']', '_', '$', '%', '\n'];
                    let length = self.rest().find(special).unwrap_or(self.rest().len());
                    self.at += length;
                    let run = self.slice(start, self.at);
                    self.push(Kind::Text(run), start);
                }
            }
        }
    }

    /// Reads a control sequence whose backslash is behind us; says whether anything may follow.
    fn control(&mut self, start: usize) -> bool {
        let name = self.word();
        if name.is_empty() {
            if let Some(symbol) = self.rest().chars().next() {
                self.at += symbol.len_utf8();
                self.push(Kind::Symbol(symbol), start);
                if symbol == '\n' {
                    self.start_of_line();
                }
            }
            return true;
        }
        match name {
            "begin" | "end" => {
                if let Some(environment) = self.environment_name() {
                    return self.environment(name == "begin", environment, start);
                }
                self.push(Kind::Word(name), start);
            }
            "iffalse" => self.skip_conditional(start),
            _ => {
                self.push(Kind::Word(name), start);
                match name {
                    "makeatletter" => self.at_is_letter = true,
                    "makeatother" => self.at_is_letter = false,
                    "ExplSyntaxOn" => self.expl_syntax = true,
                    "ExplSyntaxOff" => self.expl_syntax = false,
                    "verb" | "Verb" => {
                        self.take("*");
                        self.raw_delimited();
                    }
                    "lstinline" => {
                        self.options();
                        if !self.raw_group() {
                            self.raw_delimited();
                        }
                    }
                    "mintinline" => {
                        self.options();
                        if self.raw_group() && !self.raw_group() {
                            self.raw_delimited();
                        }
                    }
                    "url" | "nolinkurl" | "path" | "href" => {
                        if name == "href" {
                            self.options();
                        }
                        self.raw_group();
                    }
                    "lstnewenvironment"
                    | "newtcblisting"
                    | "DefineVerbatimEnvironment"
                    | "newminted" => self.note_verbatim(name == "newminted"),
                    _ => {}
                }
            }
        }
        true
    }

    fn environment(&mut self, begin: bool, name: &'a str, start: usize) -> bool {
        if !begin {
            self.push(Kind::End(name), start);
            return name != "document";
        }
        self.push(Kind::Begin(name), start);
        if VERBATIM.contains(&name) || self.verbatim.contains(name) {
            let length = self.rest().find(&format!("\\end{{{name}}}")).unwrap_or(self.rest().len());
            self.raw(self.at + length);
        }
        true
    }

    /// Takes `{name}`, unless it is no plain name.
    fn environment_name(&mut self) -> Option<&'a str> {
        let rest = self.rest().trim_start_matches([' ', '\t']).strip_prefix('{')?;
        let length = rest.find(['}', '\n', '\\', '{', '#', '%', '$'])?;
        let (name, after) = rest.split_at_checked(length)?;
        let after = after.strip_prefix('}')?;
        self.at = self.text.len() - after.len();
        Some(name.trim())
    }

    /// Skips from `\iffalse` through its `\fi`, or through its `\else`.
    fn skip_conditional(&mut self, start: usize) {
        let mut depth = 1_usize;
        while let Some(length) = self.rest().find(['\\', '%']) {
            self.at += length;
            if self.take("%") {
                self.at = self.line_end();
                continue;
            }
            self.at += 1;
            match self.word() {
                "" => self.at += self.rest().chars().next().map_or(0, char::len_utf8),
                "fi" => depth -= 1,
                "else" if depth == 1 => depth = 0,
                "iff" | "ifthenelse" => {}
                name if name.starts_with("if") => depth += 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        if depth > 0 {
            self.at = self.text.len();
        }
        self.push(Kind::Raw(self.slice(start, self.at)), start);
    }

    /// Remembers the verbatim environment that the definition ahead makes.
    fn note_verbatim(&mut self, minted: bool) {
        let start = self.at;
        let bracketed = self.rest().strip_prefix('[').and_then(|rest| {
            let length = rest.find([']', '[', '{', '\\', '\n'])?;
            rest.split_at_checked(length)?.1.starts_with(']').then_some(rest.get(..length)?)
        });
        let name = match bracketed {
            Some(name) if minted => Some(name.to_owned()),
            _ if minted => self.environment_name().map(|language| format!("{language}code")),
            _ => self.environment_name().map(str::to_owned),
        };
        self.verbatim.extend(name);
        self.at = start;
    }

    /// Takes an optional argument, as not being code.
    fn options(&mut self) {
        if self.rest().starts_with('[') {
            self.raw_through(|byte| byte == b']');
        }
    }

    /// Takes a braced argument whose content is not code; braces in it still pair up.
    fn raw_group(&mut self) -> bool {
        let mut depth = 0_usize;
        self.rest().starts_with('{')
            && self.raw_through(|byte| {
                match byte {
                    b'{' => depth += 1,
                    b'}' => depth -= 1,
                    _ => {}
                }
                depth == 0
            })
    }

    /// Takes what reaches through the (ASCII) byte that `is_end` picks, if it is on this line. An
    /// argument of this sort rarely spans lines; one that does counts as code.
    fn raw_through(&mut self, mut is_end: impl FnMut(u8) -> bool) -> bool {
        if self.at < self.searched_to {
            return false;
        }
        for (offset, byte) in self.rest().bytes().enumerate() {
            if byte == b'\n' {
                self.searched_to = self.at + offset;
                return false;
            }
            if is_end(byte) {
                self.raw(self.at + offset + 1);
                return true;
            }
        }
        self.searched_to = self.text.len();
        false
    }

    /// Takes an argument between two equal characters of the same line.
    fn raw_delimited(&mut self) {
        let rest = self.rest();
        let Some(delimiter) = rest.chars().next().filter(|delimiter| *delimiter != '\n') else {
            return;
        };
        let body = rest.get(delimiter.len_utf8()..).unwrap_or("");
        let after = body.trim_start_matches(|c| c != delimiter && c != '\n');
        let after = after.strip_prefix(delimiter).unwrap_or(after);
        self.raw(self.text.len() - after.len());
    }

    fn raw(&mut self, end: usize) {
        self.push(Kind::Raw(self.slice(self.at, end)), self.at);
        self.at = end;
    }

    /// At the start of a line: a blank one is a paragraph break.
    fn start_of_line(&mut self) {
        let line = self.slice(self.at, self.line_end());
        if line.trim().is_empty() && self.at < self.text.len() {
            self.push(Kind::Paragraph, self.at);
            self.at += line.len();
        }
    }

    /// Takes the letters ahead.
    fn word(&mut self) -> &'a str {
        let is_letter = |c: char| {
            c.is_ascii_alphabetic()
                || (c == '@' && self.at_is_letter)
                || (matches!(c, '_' | ':') && self.expl_syntax)
        };
        let rest = self.rest();
        let length = rest.find(|c| !is_letter(c)).unwrap_or(rest.len());
        let word = self.slice(self.at, self.at + length);
        self.at += length;
        word
    }

    fn line_end(&self) -> usize {
        self.at + self.rest().find('\n').unwrap_or(self.rest().len())
    }

    fn take(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix);
        if found {
            self.at += prefix.len();
        }
        found
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or("")
    }

    fn push(&mut self, kind: Kind<'a>, at: usize) {
        self.tokens.push(Token { kind, at });
    }
}
