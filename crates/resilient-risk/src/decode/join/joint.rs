//! What stands between two parts of a text, and whether it puts them together.

use memchr::{memchr, memmem, memrchr};

use super::super::super::work;
use super::literal::{Source, is_quote};

/// Between two parts stand no more signs, and no longer comments.
pub(super) const GAP_MAX: usize = 48;
const COMMENTS_MAX: usize = 512;

/// What puts two parts together.
#[derive(PartialEq, Eq)]
pub(super) enum Joint {
    Added,
    /// Nothing but white space: a program adds them, a shell does not.
    Beside,
    Listed,
    /// Each in brackets of its own: only a call that joins them puts them together.
    Wrapped,
    /// The second one goes into the first.
    Filled,
    /// A call adds its arguments.
    Called,
}

/// What fills the places of a literal with arguments.
pub(super) const FILLS: &[u8] = b".format(";

/// Calls that add their argument to what they are called on.
const CALLS: [&[u8]; 2] = [b".append(", b".concat("];

/// What may stand between two literals that belong together: white space, operators, brackets and commas.
fn is_sign(byte: u8) -> bool {
    // A bit for each of them. A jump for each would often be mistaken.
    const SIGNS: u64 = 1 << b' ' | 0x1F << 9 | 1 << b'%' | 1 << b'&' | 0x7F << b'(';
    byte < 64 && SIGNS >> byte & 1 == 1 || byte == b'\\' || byte == b'|'
}

/// How long the comment is that a text begins with.
pub(super) fn comment_len(text: &[u8]) -> usize {
    let text = text.get(..COMMENTS_MAX).unwrap_or(text);
    match text {
        [b'/', b'*', rest @ ..] => memmem::find(rest, b"*/").map_or(0, |len| len + 4),
        [b'#', ..] | [b'/', b'/', ..] | [b'-', b'-', b' ', ..] => memchr(b'\n', text).unwrap_or(0),
        // Visual Basic continues a line with it.
        [b'_', b'\r' | b'\n', ..] => 1,
        _ => 0,
    }
}

impl Source<'_> {
    /// Tells whether signs, and comments among them, lead from one literal to another: whether they list them, and
    /// where the other begins.
    pub(super) fn between(&self, from: usize, at: usize) -> Option<(bool, usize)> {
        let gap = self.bytes.get(from..at)?;
        let len = gap.iter().position(|byte| !is_sign(*byte)).unwrap_or(gap.len());
        let (signs, rest) = gap.split_at_checked(len)?;
        if !signs.is_empty() {
            let next = self.quote(from + len);
            if is_quote(self.byte(next)) {
                return Some((signs.contains(&b','), next));
            }
        }
        let is_comment = matches!(rest.first()?, b'/' | b'#' | b'_') || signs.ends_with(b"-- ");
        let may_join = is_comment || matches!(rest.first()?, b'a' | b'c') && signs.ends_with(b".");
        let (joint, next) = may_join.then(|| self.joint(from)).flatten()?;
        is_quote(self.byte(next)).then_some((joint == Joint::Listed, next))
    }

    /// What puts together the part that ends at a position and the next one, by the signs between them, and where that
    /// one begins. Nothing but white space does not name any.
    pub(super) fn joint(&self, from: usize) -> Option<(Joint, usize)> {
        let (mut at, mut comments, mut signs) = (from, 0, Vec::new());
        let (mut has_feed, mut has_bracket, mut brackets) = (false, false, Vec::new());
        while at - from - comments < GAP_MAX {
            let rest = self.bytes.get(at..)?;
            let len = comment_len(rest);
            comments += len;
            match rest.first().filter(|byte| is_sign(**byte)) {
                _ if comments > COMMENTS_MAX => return None,
                _ if len > 0 => at += len - 1,
                Some(b'.')
                    if let Some(call) = CALLS.iter().find(|call| rest.starts_with(call))
                        && self.sign_behind(self.quote(at + call.len())) == Some(b')') =>
                {
                    signs.push(b'(');
                    at += call.len() - 1;
                }
                Some(b'\n') => has_feed = true,
                Some(bracket @ (b'(' | b')')) => {
                    has_bracket |= signs.is_empty();
                    brackets.push(*bracket);
                }
                Some(byte) if byte.is_ascii_whitespace() || *byte == b'\\' => {}
                Some(byte) => signs.push(*byte),
                None => break,
            }
            at += 1;
        }
        work::spend(comments);
        let next = self.quote(at);
        let is_name = !is_quote(self.byte(next));
        let is_key = !is_name && self.sign_behind(next) == Some(b':');
        let joint = match signs.as_slice() {
            [] if at == from || is_name || is_key => return None,
            // The literal behind a bracket is the argument of another call, or the next one of a call around.
            b"," if has_bracket && brackets == b")(" => Joint::Wrapped,
            b"" | b"," if has_bracket => return None,
            // A literal in three quotes on a line of its own is a statement, as a docstring is.
            b"" if has_feed && self.is_long(next) => return None,
            b"" if has_feed && (self.is_row(from, next) || self.is_statement(from, next)) => {
                return None;
            }
            b"" if !has_feed && self.is_argument(from, next) => return None,
            b"" => Joint::Beside,
            b"+" | b"." | b".." | b"&" | b"||" => Joint::Added,
            b"%" => Joint::Filled,
            b"(" => Joint::Called,
            b"," if !is_key => Joint::Listed,
            // An item of a list stands on a line of its own.
            b"-" if has_feed && !is_key => Joint::Listed,
            _ => return None,
        };
        Some((joint, next))
    }

    /// Tells whether a literal ends a statement, and another begins the next line of something else: `"user" = …`, a call, a
    /// command. A program adds a literal of the next line if a backslash leads there, or within brackets, or if that line is
    /// further in.
    fn is_statement(&self, from: usize, next: usize) -> bool {
        const WORDS: [&[u8]; 9] =
            [b"if", b"else", b"or", b"and", b"unless", b"do", b"then", b"for", b"as"];
        let close = from.checked_sub(1).filter(|close| is_quote(self.byte(*close)));
        let open = close.and_then(|close| self.opened(close, 0));
        let Some((open, (_, end))) = open.zip(self.literal(next)) else { return false };
        let is_continued = self.bytes.get(from..next).is_some_and(|gap| gap.contains(&b'\\'));
        let (sign, behind) = self.behind(end);
        if is_continued || matches!(sign, b'=' | b':') {
            return !is_continued;
        }
        let (first, second) = (self.line_before(open), self.line_before(next));
        let begins_line = first.trim_ascii_start().len() <= 2 && !first.contains(&b'=');
        let count = |signs: &[u8]| first.iter().filter(|byte| signs.contains(byte)).count();
        let indent = |line: &[u8]| line.len() - line.trim_ascii_start().len();
        let is_inner = indent(second) > indent(first);
        let is_word = || {
            let len = behind.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
            behind.get(..len).is_some_and(|word| WORDS.contains(&word))
        };
        let ends: &[u8] = if is_inner { b"\n;,)]}+.%&\"'`\\" } else { b";,)]}\\" };
        let closes = || sign == b'\n' && behind.first().is_some_and(|byte| b")]},;".contains(byte));
        let is_added = ends.contains(&sign) || is_inner && is_word() || closes();
        !is_added && !begins_line && count(b"([{") <= count(b")]}")
    }

    /// The first sign on the line behind a place, or its end, and what stands from there on: comments are passed over, and the
    /// white space of other lines.
    fn behind(&self, at: usize) -> (u8, &[u8]) {
        const REACH: usize = 400;
        let mut rest = self.bytes.get(at..).unwrap_or_default();
        rest = rest.get(..REACH).unwrap_or(rest);
        let mut sign = None;
        loop {
            let white = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let (blanks, behind) = rest.split_at_checked(white).unwrap_or((rest, b""));
            let comment = comment_len(behind);
            let has_feed = blanks.contains(&b'\n') || comment > 0;
            sign = sign.or(has_feed.then_some(b'\n'));
            if comment == 0 {
                work::spend(REACH / 4);
                return (sign.or(behind.first().copied()).unwrap_or(b'\n'), behind);
            }
            rest = behind.get(comment..).unwrap_or_default();
        }
    }

    /// What stands before a place on its line, if that is near.
    fn line_before(&self, at: usize) -> &[u8] {
        const LINE_MAX: usize = 200;
        let before = self.bytes.get(at.saturating_sub(LINE_MAX)..at).unwrap_or_default();
        let line = before.get(memrchr(b'\n', before).map_or(0, |feed| feed + 1)..);
        work::spend(before.len() / 4);
        line.unwrap_or_default()
    }

    /// Tells whether a literal is that of an option or an assignment of a shell, and another on its line begins a command or an
    /// argument: `A="…" "$BIN"`, `--key="…" "name"`.
    fn is_argument(&self, from: usize, next: usize) -> bool {
        let close = from.checked_sub(1).filter(|close| is_quote(self.byte(*close)));
        let open = close.and_then(|close| self.opened(close, 0));
        let Some((open, (inner, end))) = open.zip(self.literal(next)) else { return false };
        let line = self.line_before(open).trim_ascii_start();
        let word = line.rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let is_assignment = word.strip_suffix(b"=").is_some_and(|name| name.iter().all(is_name));
        let is_first = word == line || line.starts_with(b"export ");
        let sign = self.bytes.get(end..).unwrap_or_default();
        let sign = sign.iter().find(|byte| !b" \t\r".contains(byte)).copied().unwrap_or(b'\n');
        let is_command = || {
            matches!(self.byte(inner.start), b'$' | b'/' | b'.')
                || !b"\n;,)]}+.%&\"'`#/\\".contains(&sign)
        };
        word.starts_with(b"-") || is_assignment && is_first && is_command()
    }

    /// Tells whether a literal ends a row of a table, and another begins the next row: `"…","…"` over two lines. In a program
    /// the second line is further in.
    fn is_row(&self, from: usize, next: usize) -> bool {
        let open = from.checked_sub(1).and_then(|close| self.opened(close, 0));
        let before = open.and_then(|open| self.bytes.get(..open)).unwrap_or_default();
        let line = memrchr(b'\n', before).map_or(0, |feed| feed + 1);
        let sign = before.iter().rfind(|byte| **byte != b' ');
        // In a program a bracket or a name begins the line.
        self.byte(next - 1) == b'\n'
            && is_quote(self.byte(line))
            && sign.is_some_and(|sign| b",;|\t".contains(sign))
    }
}
