//! Whether two literals with white space between them belong to two statements, arguments or rows.

use memchr::memrchr;

use super::super::super::work;
use super::literal::{Source, comment_len, is_quote};

impl Source<'_> {
    /// Tells whether a literal ends a statement, and another begins the next line of something else: `"user" = …`, a call, a
    /// command. A program adds a literal of the next line if a backslash leads there, or within brackets, or if that line is
    /// further in.
    pub(super) fn is_statement(&self, from: usize, next: usize) -> bool {
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
    pub(super) fn is_argument(&self, from: usize, next: usize) -> bool {
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
    pub(super) fn is_row(&self, from: usize, next: usize) -> bool {
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
