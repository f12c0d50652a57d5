//! What stands between two parts of a text, and whether it puts them together.

use super::super::super::work;
use super::literal::{COMMENTS_MAX, Source, comment_len, is_quote};

/// Between two parts stand no more signs.
pub(super) const GAP_MAX: usize = 48;

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
}
