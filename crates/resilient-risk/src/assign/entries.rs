//! The entries below a name: of a section of TOML and INI, and of YAML.

use std::ops::Range;

use memchr::memchr;

use super::super::work;
use super::literal::Opening;
use super::{line_around, near, row};

/// So many values are looked at.
pub(super) const VALUES_MAX: usize = 100;

/// An item of YAML is no longer.
pub(super) const ITEM_MAX: usize = 120;

/// Where the head of a section ends whose name a word is in: `[tokens]` of TOML and INI.
pub(super) fn head_end(text: &[u8], word: usize, from: usize) -> Option<usize> {
    let line = line_around(text, word);
    let head = text.get(line.start..from)?;
    let rest = text.get(from..line.end)?.trim_ascii();
    (head.starts_with(b"[") && head.ends_with(b"]") && rest.is_empty()).then_some(from)
}

/// The values of the entries of a section, up to the head of the next one.
pub(super) fn section(text: &[u8], from: usize) -> Vec<Range<usize>> {
    const SECTION_MAX: usize = 8192;
    let mut spans = Vec::new();
    let mut at = from;
    for line in near(text, from, SECTION_MAX).split_inclusive(|byte| *byte == b'\n') {
        if line.trim_ascii_start().starts_with(b"[") || spans.len() >= VALUES_MAX {
            break;
        }
        if let Some(sign) = memchr(b'=', line) {
            let value = at + sign + 1 + row(line, sign + 1, ITEM_MAX, b" \t");
            let rest = text.get(value..at + line.len()).unwrap_or_default();
            let literal =
                Opening::of(rest).and_then(|of| Some(of.value(text, value + of.len)?.span));
            spans.push(literal.unwrap_or(value..value + rest.trim_ascii_end().len()));
        }
        at += line.len();
    }
    work::spend(at - from);
    spans
}

/// Items of YAML on the lines behind a place, and entries that are further in than the name at another one: what stands in
/// their quotes, or all of them up to a blank.
pub(super) fn items(text: &[u8], name: usize, from: usize) -> Vec<Range<usize>> {
    let indent = |line: usize| row(text, line, ITEM_MAX, b" ");
    let outer = indent(line_around(text, name).start);
    let is_inner = |at: usize| {
        let line = line_around(text, at).start;
        line > from && indent(line) > outer
    };
    let mut spans = Vec::new();
    let mut at = from;
    while spans.len() < VALUES_MAX {
        at += row(text, at, ITEM_MAX, b" \t\r\n");
        let lead = match near(text, at, 2) {
            b"- " => 1,
            [b'#', _] => {
                at = line_end(text, at);
                continue;
            }
            _ if is_inner(at) => {
                let Some(len) = entry_len(near(text, at, ITEM_MAX)) else { break };
                len
            }
            _ => break,
        };
        at += lead + row(text, at + lead, ITEM_MAX, b" \t");
        let line = near(text, at, ITEM_MAX).split(|byte| b"\r\n".contains(byte)).next();
        let line = line.unwrap_or_default();
        work::spend(line.len());
        let literal = Opening::of(line).and_then(|of| Some(of.value(text, at + of.len)?.span));
        let plain = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        spans.push(literal.unwrap_or(at..at + plain.len()));
        at += line.len();
    }
    spans
}

/// How much of a line of YAML is the name of an entry and its sign: `prod:`.
fn entry_len(line: &[u8]) -> Option<usize> {
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-.\"'@".contains(byte);
    let len = line.iter().take_while(is_name).count();
    let is_entry = len > 0 && matches!(line.get(len..)?, [b':'] | [b':', b' ' | b'\r' | b'\n', ..]);
    is_entry.then_some(len + 1)
}

/// The end of the line that a place is in.
pub(super) fn line_end(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let len = memchr(b'\n', rest).unwrap_or(rest.len());
    work::spend(len);
    at + len
}
