//! A password that goes on in the next line: in quotes that are closed there, or in a plain scalar of YAML.

use std::cell::OnceCell;
use std::ops::Range;

use super::form::Form;
use super::language::Language;
use super::literal::{Region, regions};
use super::syntax::{Kind, quotes_of};
use super::{window_after, window_before};
use crate::assign::{Stand, is_password};
use crate::keywords::Keyword;
use crate::token::TokenStats;

/// No password reaches further.
const REACH: usize = 1024;

/// The signs that a literal over lines begins and ends with, the longer ones first.
const QUOTES: [&str; 5] = ["\"\"\"", "'''", "\"", "'", "`"];

/// What stands before a literal and belongs to it.
const PREFIXES: &str = "bBcfFrRuULN8#@$";

/// A line that begins a field or a statement of its own: then a quote above it was no beginning of a literal over lines.
static FIELD: Form =
    Form::of(r#"(?m)^[ \t]*["']?[\w.-]+["']?[ \t]*(?::[ \t]|:$|[ \t]=[ \t]|=[ \t]*["'`])"#);

/// What stands before a plain scalar of YAML on its line; the group is how far its key is in.
static KEY: Form =
    Form::of(r#"(?:^|\n)([ ]*(?:- +)?)["']?[\w./-]+["']?:[ ]+(?:!!?\w*[ ]+|&\w+[ ]+)*\z"#);

/// A text whose passwords may go on in the next line.
pub(super) struct Multiline<'a> {
    pub(super) content: &'a str,
    pub(super) language: Option<Language>,
    /// Its literals and comments, which are read if a password asks for them.
    regions: OnceCell<Vec<Region>>,
}

impl<'a> Multiline<'a> {
    pub(super) const fn of(content: &'a str, language: Option<Language>) -> Self {
        Self { content, language, regions: OnceCell::new() }
    }

    /// The whole of a password of which the first line was taken, if it goes on.
    pub(super) fn whole(&self, piece: &Range<usize>) -> Option<Range<usize>> {
        let first = self.content.get(piece.clone())?;
        let before = self.content.get(..piece.start)?;
        let rest = window_after(self.content, piece.end, REACH);
        if let Some(len) = escaped_len(before, rest) {
            return Some(piece.start..piece.end + len);
        }
        if first.contains('\n') || !rest.contains('\n') {
            return None;
        }
        if let Some(region) = self.region(piece) {
            let whole = self.literal(piece, region).or_else(|| self.percent(piece, region));
            if whole.is_some() || self.is_line(piece, region) {
                return whole;
            }
        }
        let literal = first.trim_start_matches(|c| PREFIXES.contains(c));
        let prefix = first.strip_suffix(literal)?;
        // Only a literal of Rust has such a sign before it. In PHP and others a comment begins with it.
        if prefix.contains('#') && !matches!(self.language, None | Some(Language::Rust)) {
            return None;
        }
        for quote in QUOTES {
            // The quote stands before the piece, or the piece begins with it.
            let (lead, inner) = match (before.strip_suffix(quote), literal.strip_prefix(quote)) {
                (Some(lead), _) => (lead, first),
                (None, Some(inner)) => (self.content.get(..piece.start + prefix.len())?, inner),
                (None, None) => continue,
            };
            if closes(lead, quote) || unescaped(inner, quote).count() % 2 == 1 {
                return None;
            }
            let mut len = quoted_len(lead, rest, quote, self.language)?;
            if !before.ends_with(quote) {
                len += quote.len();
                let behind = rest.get(len..)?.bytes().take(prefix.matches('#').count());
                len += behind.take_while(|byte| *byte == b'#').count();
            }
            return Some(piece.start..piece.end + len);
        }
        let len = match self.language {
            Some(language) if language.is_yaml() => scalar_len(before, rest, true),
            Some(Language::Markup) => element_len(before, rest),
            None => element_len(before, rest)
                .filter(|len| !has_blanks(rest.get(..*len).unwrap_or_default()))
                .or_else(|| scalar_len(before, rest, false)),
            Some(_) => None,
        };
        Some(piece.start..piece.end + len?)
    }

    /// The literal or the comment that a piece begins in.
    fn region(&self, piece: &Range<usize>) -> Option<&Region> {
        let language = self.language?;
        let regions = self.regions.get_or_init(|| regions(self.content, language));
        let nth = regions.partition_point(|of| of.outer.start <= piece.start).checked_sub(1)?;
        regions.get(nth).filter(|of| piece.start < of.outer.end)
    }

    /// What a literal holds that begins where the piece does, if it ends in a line below. The piece may begin with its
    /// quote; then the last one is taken, too.
    fn literal(&self, piece: &Range<usize>, region: &Region) -> Option<Range<usize>> {
        let Region { kind, outer, inner, .. } = region;
        let below = self.content.get(piece.end..inner.end)?.split_once('\n')?.1;
        let next = self.content.get(outer.end..)?.chars().next();
        let ends = next.is_none_or(|next| !next.is_alphanumeric() && next != '_');
        let is_field = || outer.end - inner.end == 1 && FIELD.is_in(below);
        let end = if outer.start == piece.start { outer.end } else { inner.end };
        let is_whole = [inner.start, outer.start].contains(&piece.start);
        let is_other = || if is_whole { is_field() } else { !self.is_below(piece, region) };
        if *kind != Kind::Literal || !ends || is_other() {
            return None;
        }
        let held = self.content.get(piece.start..end)?;
        let blanks = if is_whole { 0 } else { held.len() - held.trim_end().len() };
        Some(piece.start..end - blanks)
    }

    /// Tells whether a piece is the first line of a literal that begins with a line end, and the lines below are none of words.
    fn is_below(&self, piece: &Range<usize>, Region { inner, .. }: &Region) -> bool {
        let lead = self.content.get(inner.start..piece.start).unwrap_or("-");
        let below = self.content.get(piece.end..inner.end).unwrap_or_default();
        lead.contains('\n')
            && lead.trim().is_empty()
            && below.split_once('\n').is_some_and(|(behind, below)| {
                behind.trim().is_empty() && below.lines().map(str::trim).all(is_rest)
            })
    }

    /// What a literal of Ruby holds that has letters behind its `%`, as `%q(…)` has.
    fn percent(&self, piece: &Range<usize>, region: &Region) -> Option<Range<usize>> {
        let outer = &region.outer;
        let is_whole = self.language == Some(Language::Ruby) && outer.start == piece.start;
        let rest = self.content.get(outer.clone()).filter(|_| is_whole)?.strip_prefix('%')?;
        let open = rest.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        Some(outer.end - open.len() + 1..outer.end - 1)
    }

    /// Tells whether a region is a comment, which ends with the line.
    fn is_line(&self, piece: &Range<usize>, Region { kind, outer, inner, .. }: &Region) -> bool {
        let behind = self.content.get(piece.end..outer.end);
        *kind == Kind::Inert && outer == inner && !behind.is_some_and(|it| it.contains('\n'))
    }
}

/// How much of a password in quotes follows behind the escape of a line end or a tab: `"…\n…"`.
fn escaped_len(before: &str, rest: &str) -> Option<usize> {
    let quote = before.chars().next_back().filter(|last| "\"'".contains(*last))?;
    let len = unescaped(rest, quote.encode_utf8(&mut [0; 4])).next()?;
    let held = rest.get(..len)?;
    // A line end that ends the value is none of it.
    let held = ["\\n", "\\r", "\\t"].into_iter().fold(held, |held, end| held.trim_end_matches(end));
    let mut parts = held.strip_prefix('\\')?.split('\\');
    let is_part = |part: &str| part.strip_prefix(['n', 'r', 't']).is_some_and(is_rest);
    parts.all(is_part).then_some(held.len())
}

/// Tells whether a line, which may be empty, may be the rest of a password: no word and no setting.
fn is_rest(line: &str) -> bool {
    let is_setting = |line: &str| {
        let is_name = |name: &str| {
            name.len() > 1 && !name.contains(|c: char| !c.is_ascii_alphabetic() && c != '_')
        };
        line.split_once('=').is_some_and(|(name, _)| is_name(name))
    };
    let is_one = || TokenStats::of(line.as_bytes()).is_rest() && !is_setting(line);
    line.is_empty() || !line.contains(char::is_whitespace) && is_one()
}

/// Tells whether a quote ends a literal of its own line rather than to begin one: a word or a mark stands right before it,
/// and such a quote before that.
fn closes(lead: &str, quote: &str) -> bool {
    const NEAR: usize = 128;
    let word = lead.trim_end_matches(|c| PREFIXES.contains(c));
    let near = window_before(word, word.len(), NEAR);
    let line = near.rsplit('\n').next().unwrap_or_default();
    let mark = line.rsplit_once("REDACTED:").map(|(_, mark)| mark.trim_end_matches(['>', ']']));
    let is_mark = || {
        mark.is_some_and(|mark| {
            !mark.contains(|c: char| !c.is_alphanumeric() && c != ':' && c != '_')
        })
    };
    (word.ends_with(char::is_alphanumeric) || is_mark()) && line.contains(quote)
}

/// Where a quote stands that no backslash escapes.
fn unescaped(text: &str, quote: &str) -> impl Iterator<Item = usize> {
    let is_escaped = |at: usize| {
        let before = text.as_bytes().get(..at).unwrap_or_default();
        before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
    };
    text.match_indices(quote).map(|(at, _)| at).filter(move |at| !is_escaped(*at))
}

/// How much stands before the quote that closes it, in a line below.
fn quoted_len(lead: &str, text: &str, quote: &str, language: Option<Language>) -> Option<usize> {
    let len = unescaped(text, quote).next()?;
    let inner = text.get(..len)?;
    let (_, below) = inner.split_once('\n')?;
    let behind = text.get(len + quote.len()..)?;
    let is_raw = lead.ends_with('#');
    let is_end = |c: char| c.is_whitespace() || ",;.)]}>".contains(c) || is_raw && c == '#';
    let ends = behind.chars().next().is_none_or(is_end) || behind.starts_with("/>");
    let begins_scalar = || {
        let line = lead.rsplit('\n').next().unwrap_or_default().trim_end();
        line.is_empty() || line.ends_with([':', '-', ',', '[', '{', '?'])
    };
    let is_literal = match language {
        // It may be an apostrophe.
        None | Some(Language::Markup) => quote.len() > 1 || !has_blanks(below),
        // Most readers let a value in quotes go on.
        Some(Language::Env) => true,
        // Elsewhere in a scalar of YAML a quote means nothing.
        Some(language) if language.is_yaml() => begins_scalar() || !has_blanks(below),
        Some(Language::CSharp) if lead.trim_end_matches('$').ends_with('@') => true,
        Some(language) => goes_over_lines(language, quote),
    };
    let is_field = || quote.len() == 1 && FIELD.is_in(below);
    (ends && is_literal && !is_field()).then_some(len)
}

/// Tells whether a line has a blank between its words.
fn has_blanks(lines: &str) -> bool {
    let said = |line: &str| line.trim().trim_start_matches("- ").contains(char::is_whitespace);
    lines.lines().any(said)
}

/// Tells whether a language has literals over lines between such quotes.
fn goes_over_lines(language: Language, quote: &str) -> bool {
    let known = quotes_of(language).map(|(known, _)| known).unwrap_or_default();
    known.iter().any(|of| of.sign == quote && of.lines)
}

/// A line that begins a block scalar: the signs of items and keys, a key, tags and anchors, and the indicator. `key: |-`
static BLOCK: Form = Form::of(concat!(
    r"^( *(?:[-?] +)*)((?:[^\s#]#*(?:[^\s]#|[^#])*?)?:[ \t]+)?(?:[!&]\S*[ \t]+)*",
    r"[|>][-+]?[1-9]?[-+]?[ \t]*(?:[ \t]#.*)?$",
));

/// How long the lines are that a plain scalar goes on with: they are further in than its key, and no fields. Where it may
/// be no YAML, each must look like a password.
fn scalar_len(before: &str, text: &str, in_yaml: bool) -> Option<usize> {
    let near = window_before(before, before.len(), REACH);
    let depth = KEY.captures(near)?.get(1)?.len();
    let (behind, _) = text.split_once('\n')?;
    if !behind.trim().is_empty() || is_block(near) {
        return None;
    }
    let (mut len, mut at) = (0, behind.len() + 1);
    for line in text.get(at..)?.split_inclusive('\n') {
        let said = line.trim();
        if said.is_empty() && in_yaml {
            at += line.len();
            continue;
        }
        let is_in = line.len() - line.trim_start_matches(' ').len() > depth;
        let is_item = said == "-" || said.starts_with(if in_yaml { "- " } else { "-" });
        let is_other =
            is_item || said.starts_with('#') || said.starts_with("{{") || FIELD.is_in(line);
        if !is_in || is_other || !(in_yaml || is_secret(said)) {
            break;
        }
        // A comment is none of it, and ends it.
        let comment = line.find(" #");
        len = at + line.get(..comment.unwrap_or(line.len()))?.trim_end().len();
        at += line.len();
        if comment.is_some() {
            break;
        }
    }
    (len > 0).then_some(len)
}

/// Tells whether the last line of a text stands in a block scalar of YAML: the next line above that is less far in begins
/// one.
fn is_block(near: &str) -> bool {
    let depth = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let own = near.rsplit('\n').next().map_or(0, depth);
    let is_any = |line: &&str| {
        let text = line.trim_start();
        !text.is_empty() && !text.starts_with('#')
    };
    let mut above = near.lines().rev().skip(1).filter(is_any);
    let outer = above.find(|line| depth(line) < own);
    let Some(begun) = outer.and_then(|line| BLOCK.captures(line)) else { return false };
    // The scalar is further in than its key, or than the sign of its item.
    let lead = begun.get(1).map_or("", |lead| lead.as_str());
    let lead =
        if begun.get(2).is_some() { lead } else { lead.trim_end().trim_end_matches(['-', '?']) };
    lead.len() < own
}

/// How much of the text of an element follows, up to its end.
fn element_len(before: &str, text: &str) -> Option<usize> {
    let (_, tag) = before.strip_suffix('>')?.rsplit_once('<')?;
    let name = tag.split(char::is_whitespace).next().filter(|name| !name.is_empty())?;
    let len = text.find('<')?;
    let end = text.get(len..)?.strip_prefix("</")?.strip_prefix(name)?;
    let below = text.get(..len)?.trim_end();
    (end.starts_with('>') && below.contains('\n')).then_some(below.len())
}

/// Tells whether a line is a password, and no address, file or program.
fn is_secret(line: &str) -> bool {
    !line.contains(|c: char| c.is_whitespace() || "()[]{}<>:;=/.,`'\"".contains(c))
        && is_password(line.as_bytes(), Stand::Loose, Keyword::Password)
}
