//! The default of a variable of Terraform whose name announces a secret: `variable "db_password" { default = "…" }`.

use memchr::memmem;

use super::super::keywords::KeywordHit;
use super::judge::{Stand, is_password};
use super::literal::Opening;
use super::{ValueHit, near, near_before, row};

/// A block ends so far behind the name.
const BLOCK_MAX: usize = 400;

const DEFAULT: &[u8] = b"default";

/// Reads the default of the variable that a word is in the name of.
pub(super) fn default(
    text: &[u8],
    KeywordHit { word, start, end }: KeywordHit,
) -> Option<ValueHit> {
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-".contains(*byte);
    let rest = near(text, end, BLOCK_MAX);
    let name = rest.iter().take_while(is_name).count();
    let inside = rest.get(name..)?.strip_prefix(b"\"")?.trim_ascii_start().strip_prefix(b"{")?;
    // Of `password_policy` and `secret_name` the value is no secret.
    if rest.get(..name)?.iter().any(|byte| b"_-".contains(byte)) {
        return None;
    }
    let before = near_before(text, start);
    let head = before.iter().rev().take_while(is_name).count();
    if !before.get(..before.len() - head)?.ends_with(b"variable \"") {
        return None;
    }
    super::super::work::spend(BLOCK_MAX / 4);
    // A block of one line ends with it.
    let line = inside.split(|byte| *byte == b'\n').next()?;
    let close: &[u8] = if line.contains(&b'}') { b"}" } else { b"\n}" };
    let block = inside.get(..memmem::find(inside, close).unwrap_or(inside.len()))?;
    let from = text.len().min(end + BLOCK_MAX) - inside.len();
    let value = memmem::find_iter(block, DEFAULT).find_map(|at| {
        let is_first =
            at.checked_sub(1).is_none_or(|at| block.get(at).is_some_and(u8::is_ascii_whitespace));
        let sign = at + DEFAULT.len() + row(block, at + DEFAULT.len(), BLOCK_MAX, b" \t");
        (is_first && block.get(sign) == Some(&b'=')).then_some(sign + 1)
    })?;
    let at = from + value + row(block, value, BLOCK_MAX, b" \t");
    let opening = Opening::of(text.get(at..)?)?;
    let value = opening.value(text, at + opening.len)?;
    is_password(value.said(text), Stand::Literal, word).then_some(ValueHit {
        family: "generic_secret",
        name: "assigned_password",
        span: value.span,
    })
}
