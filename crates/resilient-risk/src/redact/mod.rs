//! Taking secrets out of a text, and leaving marks or look-ups in their place.
//!
//! [`redact`] is pure: a text and a policy in, another text out. The same secret gets the same mark
//! everywhere, `<REDACTED:api_key:1>`, so that what was equal stays equal. A redaction is whole or
//! it is none: the result is scanned again, and when something that was chosen is still in it, there
//! is no result. [`guard`] keeps marks from being written over the values that they stand for.
//!
//! Reading the text, keeping the secrets and writing the result is left to the workspace.
//!
//! ```
//! use resilient_risk::Policy;
//! use resilient_risk::redact::{Wish, redact};
//!
//! let text = format!("token = \"{}{}\"\n", "ghp_", "k3Jd9fQx7LmZ2pVtR8sW".repeat(2).get(..36).unwrap());
//! let redaction = redact(&text, &Policy::default(), &Wish::default()).unwrap();
//! assert_eq!(redaction.text, "token = \"<REDACTED:github_pat:1>\"\n");
//! ```

mod guard;
mod language;
mod literal;
mod mark;
mod marked;
mod refusal;
mod render;
mod variable;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use memchr::{memchr_iter, memmem};
use serde::Serialize;

use resilient_validate as validate;
use sha2::{Digest as _, Sha256};

use crate::hit::{families, is_secret};
use crate::policy::Policy;
use crate::report::{Detection, PatternHit, Report, Verdict};
use crate::score::score;

pub use self::guard::{Overwritten, guard};
pub use self::language::Language;
pub use self::marked::{MARK, MarkedLines};
pub use self::refusal::Refusal;
use self::render::{Out, Rendered};
use self::variable::Names;

/// A text is scanned again at most so often, for what the first redaction has laid bare.
const ROUNDS_MAX: usize = 4;

/// A text is parsed at most so often to find the look-ups that it does not take.
const TRIES_MAX: usize = 32;

/// What the scan calls the decoding that adds up literals.
const JOINED: &str = "joined literals";

/// A secret of a machine has at least this many bytes.
const STRONG_LEN: usize = 20;

/// What is to be taken out, and what is to stand there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// What to take out; everything that is a secret or personal if there is no choice.
    pub chosen: Vec<Choice>,
    /// The language of the text, if it is known: what is written then stays valid in it.
    pub language: Option<Language>,
    /// Whether a look-up in the environment takes a secret's place wherever the language allows.
    pub env: bool,
}

/// One choice of findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Those of a family, but for placeholders.
    Family(String),
    /// That of a number, counted from 1 as [`Report::detected_patterns`] lists them.
    Finding(usize),
    /// Vendors' prefixes with a dummy behind.
    Placeholders,
}

impl Choice {
    /// Reads a choice: the name of a family, a number, or `placeholder`.
    #[must_use]
    pub fn read(text: &str) -> Self {
        match text.parse() {
            Ok(number) => Self::Finding(number),
            Err(_) if text == "placeholder" => Self::Placeholders,
            Err(_) => Self::Family(text.to_owned()),
        }
    }
}

/// A text without its secrets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Redaction {
    /// The text with marks or look-ups.
    #[serde(skip)]
    pub text: String,
    /// Its length.
    pub bytes: usize,
    /// The score of this text.
    pub score: f64,
    /// The verdict on this text.
    pub verdict: Verdict,
    /// What was replaced, in the order of the text.
    pub replaced: Vec<Replaced>,
    /// What the text must also have for its look-ups to work, and does not have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<&'static str>,
}

/// One replaced secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Replaced {
    /// What stands there now.
    pub put: String,
    /// The family of what stood there.
    pub kind: String,
    /// The pattern that found it.
    pub pattern: String,
    /// The findings that were there, by number; none where only a known secret was met again.
    pub findings: Vec<usize>,
    /// Where the secret was.
    pub from: Place,
    /// Where its replacement is.
    pub to: Place,
    /// The SHA-256 of the secret, in hex. Left out where it could be guessed from its digest: what people
    /// choose, and what has few values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The digest under which the scratchpad keeps the secret, in hex; [`redact`] keeps nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_sha256: Option<String>,
}

/// A stretch of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Its line, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub col: usize,
    /// Where it begins, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// A stretch of the text that is to be taken out, and what was found there.
#[derive(Clone, Debug)]
struct Taken {
    span: Range<usize>,
    kind: String,
    pattern: String,
    findings: Vec<usize>,
    is_decoded: bool,
}

/// Takes out what was chosen.
///
/// # Errors
/// There is no such family or finding; something that was chosen would still be found in the
/// result; the result would not be valid in a language that can be checked, and the text was.
pub fn redact(content: &str, policy: &Policy, wish: &Wish) -> Result<Redaction, Refusal> {
    let report = score(content, policy);
    check(&report, policy, &wish.chosen)?;
    let taken = gather(content, policy, &wish.chosen, &report);
    let numbers = mark::numbers(content);
    let mut planned = plan(content, &taken, &numbers, wish);

    let rendered = write(content, wish.language, &mut planned)?;
    let after = score(&rendered.text, policy);
    let secrets: BTreeSet<&str> =
        taken.iter().filter_map(|taken| content.get(taken.span.clone())).collect();
    let left: Vec<&PatternHit> = hits(&after)
        .map(|(_, hit)| hit)
        .filter(|hit| {
            let found = rendered.text.get(secret(&rendered.text, hit)).unwrap_or_default();
            wants(&wish.chosen, hit) || secrets.contains(found)
        })
        .collect();
    if let Some(line) = left.iter().map(|hit| hit.line).min() {
        let kinds: BTreeSet<String> = left.iter().map(|hit| hit.kind.to_string()).collect();
        let kinds = kinds.into_iter().collect();
        return Err(Refusal::Left { count: left.len(), line, kinds });
    }
    let looked_up = rendered.places.iter().any(|(_, looked_up)| *looked_up);
    let requires = match wish.language {
        Some(language) if looked_up => requirements(language, &rendered.text),
        _ => Vec::new(),
    };
    let from = places(content, taken.iter().map(|taken| taken.span.clone()));
    let to = places(&rendered.text, rendered.places.iter().map(|(place, _)| place.clone()));
    let replaced = taken
        .into_iter()
        .zip(from.into_iter().zip(to))
        .map(|(taken, (from, to))| Replaced {
            put: rendered.text.get(to.start..to.end).unwrap_or_default().to_owned(),
            sha256: is_strong(&taken).then(|| sha256(content.get(taken.span).unwrap_or_default())),
            kind: taken.kind,
            pattern: taken.pattern,
            findings: taken.findings,
            from,
            to,
            kept_sha256: None,
        })
        .collect();
    Ok(Redaction {
        bytes: rendered.text.len(),
        text: rendered.text,
        score: after.score,
        verdict: after.verdict,
        replaced,
        requires,
    })
}

/// The SHA-256 of a text, in hex.
fn sha256(text: &str) -> String {
    use std::fmt::Write as _;
    let mut hex = String::new();
    for byte in Sha256::digest(text.as_bytes()) {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

/// The findings of a report that are patterns, with their numbers.
fn hits(report: &Report) -> impl Iterator<Item = (usize, &PatternHit)> {
    report.detected_patterns.iter().enumerate().filter_map(|(nth, found)| match found {
        Detection::Pattern(hit) => Some((nth + 1, hit)),
        Detection::Size(_) => None,
    })
}

/// Refuses choices that mean nothing, which would otherwise be a redaction that did not happen.
fn check(report: &Report, policy: &Policy, chosen: &[Choice]) -> Result<(), Refusal> {
    let bad = |message| Err(Refusal::NoSuchChoice(message));
    for choice in chosen {
        match choice {
            Choice::Placeholders => {}
            Choice::Family(name) => {
                if !families(policy).any(|known| known == name) {
                    let known: Vec<&str> = families(policy).collect();
                    return bad(format!(
                        "no family {name:?}; there are {}, placeholder, and findings by number",
                        known.join(", ")
                    ));
                }
            }
            Choice::Finding(number) => {
                let count = report.detected_patterns.len();
                let found = number.checked_sub(1).and_then(|n| report.detected_patterns.get(n));
                match found {
                    Some(Detection::Pattern(_)) => {}
                    Some(Detection::Size(_)) => {
                        return bad(format!("finding {number} is a size, not a text"));
                    }
                    None => return bad(format!("no finding {number}; there are {count}")),
                }
            }
        }
    }
    Ok(())
}

/// Whether a choice is of this finding's sort. Numbers choose none: they are of one text only.
fn wants(chosen: &[Choice], hit: &PatternHit) -> bool {
    if chosen.is_empty() {
        return !hit.placeholder && is_secret(&hit.kind);
    }
    chosen.iter().any(|choice| match choice {
        Choice::Family(name) => !hit.placeholder && hit.kind == name.as_str(),
        Choice::Placeholders => hit.placeholder,
        Choice::Finding(_) => false,
    })
}

/// Finds everything that has to go: what was chosen, what is equal to it, and what only shows when
/// that is gone.
fn gather(content: &str, policy: &Policy, chosen: &[Choice], report: &Report) -> Vec<Taken> {
    let numbered = |number| chosen.contains(&Choice::Finding(number));
    let mut taken: Vec<Taken> = hits(report)
        .filter(|(number, hit)| numbered(*number) || wants(chosen, hit))
        .map(|(number, hit)| Taken::new(content, hit, vec![number]))
        .collect();
    for round in 0..ROUNDS_MAX {
        merge(&mut taken);
        take_again(content, &mut taken, report);
        if taken.is_empty() || round + 1 == ROUNDS_MAX {
            break;
        }
        // What is found now was hidden behind what is gone.
        let plain: Vec<Out> = plan(content, &taken, &BTreeMap::new(), &Wish::default());
        let rendered = render::render(content, None, &plain);
        let after = score(&rendered.text, policy);
        let shifts: Vec<(Range<usize>, Range<usize>)> = rendered
            .places
            .iter()
            .zip(&taken)
            .map(|((place, _), taken)| (place.clone(), taken.span.clone()))
            .collect();
        let known: BTreeSet<(usize, usize)> =
            taken.iter().map(|taken| (taken.span.start, taken.span.end)).collect();
        let more: Vec<Taken> = hits(&after)
            .filter(|(_, hit)| wants(chosen, hit))
            .map(|(_, hit)| {
                let mut more = Taken::new(&rendered.text, hit, Vec::new());
                more.span =
                    back(&shifts, more.span.start, false)..back(&shifts, more.span.end, true);
                more
            })
            .filter(|more| !known.contains(&(more.span.start, more.span.end)))
            .collect();
        if more.is_empty() {
            break;
        }
        taken.extend(more);
    }
    taken
}

/// Where an offset of a rendered text was before; inside of a mark, the edge of what it stands for.
fn back(shifts: &[(Range<usize>, Range<usize>)], at: usize, is_end: bool) -> usize {
    let nth = shifts.partition_point(|(now, _)| if is_end { now.end < at } else { now.end <= at });
    match shifts.get(nth) {
        Some((now, was)) if now.start < at || now.start == at && !is_end => {
            if is_end {
                was.end
            } else {
                was.start
            }
        }
        _ => match nth.checked_sub(1).and_then(|nth| shifts.get(nth)) {
            Some((now, was)) => was.end + (at - now.end),
            None => at,
        },
    }
}

/// Findings that overlap are one secret with several names, of which the first counts.
fn merge(taken: &mut Vec<Taken>) {
    taken.retain(|taken| !taken.span.is_empty());
    taken.sort_by_key(|taken| (taken.span.start, usize::MAX - taken.span.end));
    let mut apart: Vec<Taken> = Vec::with_capacity(taken.len());
    for next in taken.drain(..) {
        match apart.last_mut() {
            Some(last) if next.span.start < last.span.end => {
                last.span.end = last.span.end.max(next.span.end);
                last.findings.extend(next.findings);
            }
            _ => apart.push(next),
        }
    }
    for taken in &mut apart {
        taken.findings.sort_unstable();
        taken.findings.dedup();
    }
    *taken = apart;
}

/// Takes the same secrets out wherever else they stand: a machine's anywhere, others where they
/// were found too.
fn take_again(content: &str, taken: &mut Vec<Taken>, report: &Report) {
    let mut known: BTreeMap<&str, Taken> = BTreeMap::new();
    for taken in taken.iter() {
        let text = content.get(taken.span.clone()).unwrap_or_default();
        known.entry(text).or_insert_with(|| taken.clone());
    }
    let equal = hits(report).filter_map(|(number, hit)| {
        let span = secret(content, hit);
        let like = known.get(content.get(span.clone())?)?;
        Some(Taken { span, findings: vec![number], ..like.clone() })
    });
    let equal: Vec<Taken> = equal.collect();

    let strong: Vec<&str> =
        known.iter().filter(|(_, taken)| is_strong(taken)).map(|(text, _)| *text).collect();
    let searcher = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&strong);
    let again: Vec<Taken> = searcher
        .iter()
        .flat_map(|searcher| searcher.find_iter(content))
        .filter_map(|found| {
            let like = known.get(strong.get(found.pattern().as_usize())?)?;
            Some(Taken { span: found.range(), findings: Vec::new(), ..like.clone() })
        })
        .collect();
    taken.extend(equal);
    taken.extend(again);
    merge(taken);
}

/// Whether nobody guesses the secret from its digest: a machine has made it. The families of what
/// people choose and of what has few values are left out whatever their length, as are those of a
/// policy, about which nothing is known.
fn is_strong(taken: &Taken) -> bool {
    let families = ["api_key", "github_pat", "jwt", "pem_block", "aws_secret"];
    families.contains(&taken.kind.as_str())
        && taken.span.len() >= STRONG_LEN
        && (taken.pattern != "bearer_token" || taken.span.len() >= 2 * STRONG_LEN)
}

impl Taken {
    fn new(content: &str, hit: &PatternHit, findings: Vec<usize>) -> Self {
        Self {
            span: secret(content, hit),
            kind: hit.kind.to_string(),
            pattern: hit.pattern.to_string(),
            findings,
            is_decoded: !hit.via.is_empty(),
        }
    }
}

/// Decides on marks and variables.
fn plan(content: &str, taken: &[Taken], numbers: &BTreeMap<&str, usize>, wish: &Wish) -> Vec<Out> {
    let mut counts: BTreeMap<&str, usize> = numbers.clone();
    let mut of_secret: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut names = Names::default();
    taken
        .iter()
        .map(|taken| {
            let text = content.get(taken.span.clone()).unwrap_or_default();
            let kind = taken.kind.as_str();
            let number = *of_secret.entry((kind, text)).or_insert_with(|| {
                let count = counts.entry(kind).or_default();
                *count += 1;
                *count
            });
            // A key that spans lines is no variable's value, nor is what only decoding shows.
            let fits = wish.env && !text.contains('\n') && !taken.is_decoded;
            Out {
                span: taken.span.clone(),
                mark: mark::write(kind, number),
                variable: fits.then(|| names.name(text, content, taken.span.start, &taken.pattern)),
            }
        })
        .collect()
}

/// Writes the text with its look-ups. Those that make it invalid are marks again, one by one and not
/// all together.
fn write(content: &str, language: Option<Language>, plan: &mut [Out]) -> Result<Rendered, Refusal> {
    let syntax = Syntax::of(content, language);
    let rendered = render::render(content, language, plan);
    let Err(broken) = syntax.check(&rendered.text) else { return Ok(rendered) };
    let variables: Vec<Option<String>> = plan.iter_mut().map(|out| out.variable.take()).collect();
    if variables.iter().all(Option::is_none) {
        return Err(broken);
    }
    let mut rendered = render::render(content, language, plan);
    syntax.check(&rendered.text)?;
    // Where all do not fit, either half may; what is undecided at the end stays as it is.
    let mut halves: Vec<Range<usize>> = Vec::new();
    let halve = |range: Range<usize>, halves: &mut Vec<Range<usize>>| {
        let middle = range.start + range.len() / 2;
        halves.extend([middle..range.end, range.start..middle]);
    };
    halve(0..plan.len(), &mut halves);
    let mut tries = 0;
    while let Some(half) = halves.pop() {
        let theirs = variables.get(half.clone()).unwrap_or_default();
        if theirs.iter().all(Option::is_none) {
            continue;
        }
        tries += 1;
        if tries > TRIES_MAX {
            break;
        }
        for (out, variable) in plan.iter_mut().skip(half.start).zip(theirs) {
            out.variable.clone_from(variable);
        }
        let tried = render::render(content, language, plan);
        if syntax.check(&tried.text).is_ok() {
            rendered = tried;
            continue;
        }
        plan.iter_mut().skip(half.start).take(half.len()).for_each(|out| out.variable = None);
        if half.len() > 1 {
            halve(half, &mut halves);
        }
    }
    Ok(rendered)
}

/// Whether a text is as valid as another was, in a language that can be checked.
struct Syntax<'a> {
    before: &'a str,
    format: Option<validate::Format>,
    was_valid: OnceCell<bool>,
}

impl<'a> Syntax<'a> {
    fn of(before: &'a str, language: Option<Language>) -> Self {
        let format = match language {
            Some(Language::Python) => Some(validate::Format::Python),
            Some(Language::Json) => Some(validate::Format::Json),
            Some(Language::Yaml | Language::Workflow) => Some(validate::Format::Yaml),
            Some(Language::Toml) => Some(validate::Format::Toml),
            _ => None,
        };
        Self { before, format, was_valid: OnceCell::new() }
    }

    /// Refuses a result that a parser does not take while it took the text before.
    fn check(&self, after: &str) -> Result<(), Refusal> {
        let Some(format) = self.format else { return Ok(()) };
        let report = validate::validate(after, Some(format), None);
        let was_valid = || {
            *self
                .was_valid
                .get_or_init(|| !validate::validate(self.before, Some(format), None).is_refused())
        };
        if !report.is_refused() || !was_valid() {
            return Ok(());
        }
        let first = report.errors.into_iter().next();
        let (line, message) = first.map_or((1, String::new()), |item| (item.line, item.message));
        Err(Refusal::Breaks { format: format.as_str(), line, message })
    }
}

/// What look-ups need beside themselves.
fn requirements(language: Language, text: &str) -> Vec<&'static str> {
    let (needed, sign) = match language {
        Language::Python => ("import os", "import os"),
        Language::Go => ("import \"os\"", "\"os\""),
        Language::CSharp => ("using System;", "using System;"),
        Language::Rust => ("the variables when it is compiled", ""),
        Language::Dockerfile => ("ARG for each variable", ""),
        _ => return Vec::new(),
    };
    let there = !sign.is_empty() && text.contains(sign);
    if there { Vec::new() } else { vec![needed] }
}

/// Lines and columns of stretches that are in order, in one walk.
fn places(text: &str, spans: impl Iterator<Item = Range<usize>>) -> Vec<Place> {
    let (mut line, mut col, mut at) = (1, 1, 0);
    spans
        .map(|span| {
            let gap = text.get(at..span.start).unwrap_or_default();
            line += memchr_iter(b'\n', gap.as_bytes()).count();
            match gap.rsplit_once('\n') {
                Some((_, last)) => col = last.chars().count() + 1,
                None => col += gap.chars().count(),
            }
            at = span.start.max(at);
            Place { line, col, start: span.start, end: span.end }
        })
        .collect()
}

/// No more than so many bytes up to an offset, from the beginning of a character.
fn window_before(text: &str, at: usize, len: usize) -> &str {
    let mut from = at.saturating_sub(len);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text.get(from..at).unwrap_or_default()
}

/// No more than so many bytes from an offset on, to the end of a character.
fn window_after(text: &str, at: usize, len: usize) -> &str {
    let mut to = at.saturating_add(len).min(text.len());
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    text.get(at..to).unwrap_or_default()
}

/// Where the secret of a finding is: without the name before it, with the block behind it.
fn secret(content: &str, hit: &PatternHit) -> Range<usize> {
    let span = hit.span.clone();
    let found = content.get(span.clone()).unwrap_or_default();
    match hit.via.first().copied() {
        Some(JOINED) => return without_marks(found, span.start),
        Some(_) => return span,
        None => {}
    }
    match hit.pattern.as_ref() {
        "bearer_token" => {
            let name = found.find(char::is_whitespace).unwrap_or(0);
            let rest = found.get(name..).unwrap_or_default();
            let white = rest.len() - rest.trim_start().len();
            span.start + name + white..span.end
        }
        "aws_secret_access_key" => span.end.saturating_sub(40)..span.end,
        "url_credentials" => {
            let begin = found.find("://").map_or(0, |at| at + 3);
            let end = found.rfind('@').unwrap_or(found.len());
            let user = found.get(begin..end).unwrap_or_default();
            let colon = user.find(':').map_or(begin, |at| begin + at + 1);
            span.start + colon..span.start + end
        }
        "pem_private_key" | "private_key_block" => {
            let rest = content.as_bytes().get(span.end..).unwrap_or_default();
            let end = memmem::find(rest, b"-----END ").and_then(|end| {
                let tail = rest.get(end + 9..)?;
                Some(end + 9 + memmem::find(tail, b"-----")? + 5)
            });
            span.start..span.end + end.unwrap_or(0)
        }
        _ => span,
    }
}

/// Joined literals less those at either end that hold a mark: what is a mark is no piece of a secret.
fn without_marks(joined: &str, at: usize) -> Range<usize> {
    const QUOTES: [char; 3] = ['"', '\'', '`'];
    let (mut from, mut to) = (0, joined.len());
    let has_mark = |literal: &str| !mark::find(literal).is_empty();
    while let Some(rest) = joined.get(from..to)
        && let Some(quote) = rest.chars().next().filter(|c| QUOTES.contains(c))
        && let Some(len) = rest.get(1..).and_then(|rest| rest.find(quote)).map(|end| end + 2)
        && rest.get(..len).is_some_and(has_mark)
        && let Some(next) = rest.get(len..).and_then(|rest| rest.find(QUOTES))
    {
        from += len + next;
    }
    while let Some(rest) = joined.get(from..to)
        && let Some(quote) = rest.chars().next_back().filter(|c| QUOTES.contains(c))
        && let Some(start) = rest.get(..rest.len() - 1).and_then(|rest| rest.rfind(quote))
        && rest.get(start..).is_some_and(has_mark)
        && let Some(before) = rest.get(..start).and_then(|rest| rest.rfind(QUOTES))
    {
        to = from + before + 1;
    }
    at + from..at + to
}

#[cfg(test)]
mod tests;
