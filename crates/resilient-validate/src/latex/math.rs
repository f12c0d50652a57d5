//! Does mathematics end where it began, and has each `\left` its `\right`?
//!
//! TeX wants mathematics to end in the group, the environment and the paragraph in which it began. So each
//! of these is judged by itself, and one that is wrong does not make all that follow wrong. The
//! arguments of macros and the bodies of environments that this reader does not know are passed over:
//! what `$` means in them is not known.

use super::definitions::Definitions;
use super::document::Document;
use super::lexer::Kind;
use super::prose::{self, Mode};
use crate::findings::Findings;
use crate::lines::Lines;
use crate::report::Severity;

/// Commands after which `$` may be any character. Sorted.
const CHANGE_DOLLAR: [&str; 5] =
    ["DefineShortVerb", "ExplSyntaxOn", "MakeShortVerb", "catcode", "lstMakeShortInline"];

/// How many tokens of an option are searched for mathematics.
const OPTION_TOKENS_MAX: usize = 100;

/// What begins mathematics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Dollar,
    DoubleDollar,
    Parenthesis,
    Bracket,
}

impl Sign {
    fn opener(self) -> &'static str {
        match self {
            Self::Dollar => "$",
            Self::DoubleDollar => "$$",
            Self::Parenthesis => "\\(",
            Self::Bracket => "\\[",
        }
    }

    fn closer(self) -> &'static str {
        match self {
            Self::Dollar => "$",
            Self::DoubleDollar => "$$",
            Self::Parenthesis => "\\)",
            Self::Bracket => "\\]",
        }
    }
}

/// A group or an environment that is not closed yet.
struct Frame {
    is_environment: bool,
    mode: Mode,
    /// The mathematics that begins in it and has not ended, and where.
    open: Option<(Sign, usize)>,
    /// Where each `\left` is that has no `\right` yet.
    lefts: Vec<usize>,
}

/// Mathematics and delimiters that do not pair up.
pub(super) fn balance(
    document: &Document<'_>,
    definitions: &Definitions,
    lines: &Lines<'_>,
    severity: Severity,
) -> Findings {
    // Where braces do not pair up, nobody knows in what group a `$` is.
    let has_braces = document.stray_closers.is_empty() && document.unclosed.is_empty();
    if !has_braces || definitions.opens_math || changes_dollar(document) {
        return Findings::default();
    }
    let mut walk = Walk {
        document,
        definitions,
        lines,
        severity,
        judges_delimiters: !splits_delimiters(document, definitions),
        frames: Vec::new(),
        found: Findings::default(),
    };
    walk.run();
    walk.found
}

fn changes_dollar(document: &Document<'_>) -> bool {
    document.tokens().iter().any(|token| {
        matches!(token.kind, Kind::Word(name) if CHANGE_DOLLAR.binary_search(&name).is_ok())
    })
}

/// Whether a definition has more or fewer of `\left` than of `\right`.
fn splits_delimiters(document: &Document<'_>, definitions: &Definitions) -> bool {
    let mut open = 0_i64;
    for (index, token) in document.tokens().iter().enumerate() {
        let is_within = definitions.contains(index);
        if open != 0 && (!is_within || definitions.begins(token.kind)) {
            return true;
        }
        if is_within {
            match token.kind {
                Kind::Word("left") => open += 1,
                Kind::Word("right") => open -= 1,
                _ => {}
            }
        }
    }
    open != 0 || definitions.has_macro("left") || definitions.has_macro("right")
}

struct Walk<'a> {
    document: &'a Document<'a>,
    definitions: &'a Definitions,
    lines: &'a Lines<'a>,
    severity: Severity,
    judges_delimiters: bool,
    frames: Vec<Frame>,
    found: Findings,
}

impl Walk<'_> {
    fn run(&mut self) {
        let tokens = self.document.tokens();
        let begun = tokens.iter().position(|token| token.kind == Kind::Begin("document"));
        self.push(false, Mode::Text);
        let mut index = begun.unwrap_or(0);
        // The group that starts here is text.
        let mut text_group = None;
        while let Some(token) = tokens.get(index) {
            let mut next = index + 1;
            match token.kind {
                _ if self.definitions.contains(index) => {}
                Kind::OpenBrace => {
                    let mode = if text_group == Some(index) { Mode::Text } else { self.mode() };
                    self.push(false, mode);
                }
                Kind::CloseBrace if self.is_in_group() => self.pop(),
                Kind::Begin(name) => {
                    let mode = prose::mode_of_environment(name, self.definitions, self.mode());
                    self.push(true, mode);
                    next = self.after_arguments(next, 2);
                }
                Kind::End(_) => self.end_environment(),
                Kind::Paragraph => self.end_paragraph(),
                Kind::Dollar => self.dollar(token.at),
                Kind::DoubleDollar => self.double_dollar(token.at),
                Kind::Symbol('(') => self.open(Sign::Parenthesis, token.at),
                Kind::Symbol('[') => self.open(Sign::Bracket, token.at),
                Kind::Symbol(')') => self.close(Sign::Parenthesis, token.at),
                Kind::Symbol(']') => self.close(Sign::Bracket, token.at),
                Kind::Word("left") => self.left(token.at),
                Kind::Word("right") => self.right(token.at),
                Kind::Word(name) if prose::is_text_command(name) => {
                    let options = self.after_arguments(next, 0);
                    text_group = Some(self.document.after_space(options));
                }
                Kind::Word(name) => {
                    if let Some(groups) = prose::groups_of_keys(name) {
                        next = self.after_arguments(next, groups);
                    }
                }
                _ => {}
            }
            index = next;
        }
        while !self.frames.is_empty() {
            self.pop();
        }
    }

    /// The index behind up to this many braced arguments and their options. What has mathematics in
    /// it is no option: `$\R [0, 1)$ or $(0, 1]$`.
    fn after_arguments(&self, index: usize, groups: usize) -> usize {
        let (mut end, mut remaining) = (index, groups);
        loop {
            let next = self.document.after_space(end);
            let close = match self.document.kind(next) {
                Some(Kind::Text(text)) if end == index && text.trim() == "*" => Some(next),
                Some(Kind::OpenBracket) => self.document.bracket_end(next).filter(|close| {
                    let inner = self.document.tokens().get(next..*close).unwrap_or_default();
                    inner.len() <= OPTION_TOKENS_MAX
                        && !inner.iter().any(|token| is_mathematics(token.kind))
                }),
                Some(Kind::OpenBrace) if remaining > 0 => {
                    remaining -= 1;
                    self.document.group_end(next)
                }
                _ => None,
            };
            let Some(close) = close else { return end };
            end = close + 1;
            if groups > 0 && remaining == 0 {
                return end;
            }
        }
    }

    fn push(&mut self, is_environment: bool, mode: Mode) {
        self.frames.push(Frame { is_environment, mode, open: None, lefts: Vec::new() });
    }

    /// Whether a brace is open, behind which no environment began.
    fn is_in_group(&self) -> bool {
        self.frames.len() > 1 && self.frames.last().is_some_and(|frame| !frame.is_environment)
    }

    /// How `$` is read here.
    fn mode(&self) -> Mode {
        match self.frames.last() {
            Some(Frame { mode: Mode::Unknown, .. }) | None => Mode::Unknown,
            Some(Frame { open: Some(_), .. }) => Mode::Math,
            Some(frame) => frame.mode,
        }
    }

    /// Whether a `$` here can only be the beginning or the end of mathematics.
    fn is_judged(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.mode == Mode::Text)
    }

    fn begun(&mut self) -> Option<&mut Option<(Sign, usize)>> {
        self.frames.last_mut().map(|frame| &mut frame.open)
    }

    fn dollar(&mut self, at: usize) {
        let is_judged = self.is_judged();
        let Some(open) = self.begun() else { return };
        match *open {
            None => *open = Some((Sign::Dollar, at)),
            Some((Sign::Dollar, _)) => {
                *open = None;
                self.end_lefts();
            }
            Some((sign, begun)) => {
                if sign == Sign::DoubleDollar {
                    *open = None;
                }
                if is_judged {
                    self.wrong_end("$", sign, at, begun);
                }
            }
        }
    }

    fn double_dollar(&mut self, at: usize) {
        let is_judged = self.is_judged();
        let Some(open) = self.begun() else { return };
        match *open {
            None if is_judged => *open = Some((Sign::DoubleDollar, at)),
            // `$a$$b$`: one ends and another begins.
            Some((Sign::Dollar, _)) => {
                *open = Some((Sign::Dollar, at + 1));
                self.end_lefts();
            }
            Some((Sign::DoubleDollar, _)) => {
                *open = None;
                self.end_lefts();
            }
            _ => {}
        }
    }

    fn open(&mut self, sign: Sign, at: usize) {
        if self.is_judged()
            && let Some(open) = self.begun()
        {
            match *open {
                None => *open = Some((sign, at)),
                Some((Sign::Dollar | Sign::DoubleDollar, _)) => {}
                Some((before, begun)) => {
                    *open = Some((sign, at));
                    self.never_closed(before, begun, "");
                }
            }
        }
    }

    fn close(&mut self, sign: Sign, at: usize) {
        if !self.is_judged() {
            return;
        }
        let Some(open) = self.begun() else { return };
        let closer = sign.closer();
        match *open {
            Some((begun, _)) if begun == sign => {
                *open = None;
                self.end_lefts();
            }
            Some((other, begun)) => {
                *open = None;
                self.wrong_end(closer, other, at, begun);
            }
            None => {
                let message = format!("{closer} without matching {}", sign.opener());
                self.add(at, message);
            }
        }
    }

    fn left(&mut self, at: usize) {
        let judged = self.judges_delimiters && self.mode() != Mode::Unknown;
        if let Some(frame) = self.frames.last_mut().filter(|_| judged) {
            frame.lefts.push(at);
        }
    }

    fn right(&mut self, at: usize) {
        let judged = self.judges_delimiters && self.mode() != Mode::Unknown;
        let Some(frame) = self.frames.last_mut().filter(|_| judged) else { return };
        if frame.lefts.pop().is_none() {
            self.add(at, "\\right without matching \\left".to_owned());
        }
    }

    fn end_environment(&mut self) {
        // Where environments do not nest, that is told elsewhere.
        if !self.frames.iter().skip(1).any(|frame| frame.is_environment) {
            return;
        }
        while let Some(frame) = self.frames.last() {
            let is_environment = frame.is_environment;
            self.pop();
            if is_environment {
                return;
            }
        }
    }

    fn end_paragraph(&mut self) {
        let is_judged = self.is_judged();
        if let Some((sign, at)) = self.begun().and_then(Option::take)
            && is_judged
        {
            self.never_closed(sign, at, " before the blank line");
        }
    }

    fn pop(&mut self) {
        let is_judged = self.is_judged();
        self.end_lefts();
        if let Some(Frame { open: Some((sign, at)), .. }) = self.frames.pop()
            && is_judged
        {
            self.never_closed(sign, at, "");
        }
    }

    fn end_lefts(&mut self) {
        let lefts = self.frames.last_mut().map(|frame| std::mem::take(&mut frame.lefts));
        for at in lefts.into_iter().flatten() {
            self.add(at, "\\left without matching \\right".to_owned());
        }
    }

    fn never_closed(&mut self, sign: Sign, at: usize, until: &str) {
        self.add(at, format!("{} never closed{until}", sign.opener()));
    }

    fn wrong_end(&mut self, end: &str, sign: Sign, at: usize, begun: usize) {
        let (opener, line) = (sign.opener(), self.lines.line(begun));
        self.add(at, format!("{end} within mathematics that {opener} opened at line {line}"));
    }

    fn add(&mut self, at: usize, message: String) {
        match self.severity {
            Severity::Error => self.found.error(|| self.lines.error(at, message)),
            Severity::Warning => self.found.warning(|| self.lines.warning(at, message)),
        }
    }
}

fn is_mathematics(kind: Kind<'_>) -> bool {
    matches!(
        kind,
        Kind::Dollar
            | Kind::DoubleDollar
            | Kind::Symbol('(' | ')' | '[' | ']')
            | Kind::Word("left" | "right")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_sorted() {
        assert!(CHANGE_DOLLAR.is_sorted());
    }
}
