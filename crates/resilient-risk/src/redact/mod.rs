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

mod around;
mod block;
mod encoded;
mod expression;
mod field;
mod form;
mod guard;
mod language;
mod literal;
mod look_up;
mod mark;
mod marked;
mod multiline;
mod refusal;
mod render;
mod syntax;
mod taken;
mod variable;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use data_encoding::HEXLOWER;
use memchr::memchr_iter;
use resilient_validate as validate;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::added::score_behind;
use crate::hit::{families, is_secret};
use crate::policy::Policy;
use crate::report::{Detection, PatternHit, Report, Verdict};
use crate::score::score;

pub use self::guard::{Overwritten, guard};
pub use self::language::Language;
#[cfg(test)]
pub(crate) use self::literal::may_be_in_literal;
use self::look_up::LookUp;
pub use self::marked::{MARK, MarkedLines};
pub use self::refusal::Refusal;
use self::render::{Rendered, Replacement};
use self::taken::{Taken, gather, is_strong};
use self::variable::{Wanted, names};

/// A text is parsed at most so often to find the look-ups that it does not take.
const TRIES_MAX: usize = 32;

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
    /// Those of a family, except for placeholders.
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

/// Takes out what was chosen.
///
/// # Errors
/// There is no such family or finding; there is too much to take out; something that was chosen
/// would still be found in the result; the result would not be valid in a language that can be checked, and the text was.
pub fn redact(content: &str, policy: &Policy, wish: &Wish) -> Result<Redaction, Refusal> {
    redact_behind("", content, policy, wish)
}

/// Takes secrets out of a text that is to stand behind the end of another one, the *front*, which stays as it is. Of what is a
/// secret only together with the front, that part goes which the text has. Numbers choose as
/// [`as_of_text`](crate::as_of_text) counts.
///
/// # Errors
/// Those of [`redact`]; or the mark of a secret would change the front.
pub fn redact_behind(
    front: &str,
    text: &str,
    policy: &Policy,
    wish: &Wish,
) -> Result<Redaction, Refusal> {
    let both = match front {
        "" => Cow::Borrowed(text),
        _ => Cow::Owned([front, text].concat()),
    };
    let mut redacted = redact_once(&both, front.len(), policy, wish);
    // The model may find something beside look-ups that it does not find beside marks.
    if wish.env && matches!(redacted, Err(Refusal::Left { .. })) {
        redacted = redact_once(&both, front.len(), policy, &Wish { env: false, ..wish.clone() });
    }
    let above = memchr_iter(b'\n', front.as_bytes()).count();
    redacted.map_err(|refusal| match refusal {
        Refusal::Left { count, line, kinds } => {
            Refusal::Left { count, line: line.saturating_sub(above).max(1), kinds }
        }
        other => other,
    })
}

/// Takes secrets out of a text from a position on. What stands before it stays.
fn redact_once(
    content: &str,
    front: usize,
    policy: &Policy,
    wish: &Wish,
) -> Result<Redaction, Refusal> {
    let (before, body) = content.split_at_checked(front).unwrap_or(("", content));
    let (report, numbered) = score_behind(before, content, policy);
    check(&report, numbered, policy, &wish.chosen)?;
    let taken = gather(content, front, policy, wish, &report)?;
    let taken: Vec<Taken> =
        taken.into_iter().filter_map(|taken| taken.behind(content, front)).collect();
    let numbers = mark::numbers(content);
    let mut planned = plan(content, &taken, &numbers, wish);

    let rendered = write(content, wish.language, &mut planned)?;
    let after = score(&rendered.text, policy);
    let secrets: BTreeSet<Cow<'_, str>> = taken.iter().map(|taken| taken.text(content)).collect();
    let is_left = |hit: &&PatternHit| {
        let pieces = taken::pieces(&rendered.text, hit).unwrap_or_else(|| vec![hit.span.clone()]);
        // What stands in front stays. Marks behind it, and the line that ends a key, are no part of a secret.
        let is_marked = |part: &Range<usize>| {
            let mut places = rendered.places.iter().map(|(place, _)| place);
            places.any(|place| place.start <= part.start && part.end <= place.end)
        };
        let is_behind = |piece: &Range<usize>| {
            let part = piece.start.max(front)..piece.end;
            let said = rendered.text.get(part.clone()).unwrap_or_default();
            !said.is_empty() && !taken::ends_key(said) && !is_marked(&part)
        };
        let is_some = front == 0 || pieces.iter().any(is_behind);
        let is_known = || secrets.contains(&taken::text(&rendered.text, &pieces));
        is_some && (wants(&wish.chosen, hit) || is_known())
    };
    remaining(hits(&after).map(|(_, hit)| hit).filter(is_left))?;
    let Some(text) = rendered.text.strip_prefix(before) else {
        return Err(Refusal::Left { count: taken.len(), line: 1, kinds: Vec::new() });
    };
    let looked_up = rendered.places.iter().any(|(_, looked_up)| *looked_up);
    let look_up = wish.language.filter(|_| looked_up).and_then(LookUp::of);
    let requires = look_up.and_then(|of| of.lacks(text)).into_iter().collect();
    let behind = |span: Range<usize>| span.start - front..span.end - front;
    let from = places(body, taken.iter().map(|taken| behind(taken.hull())));
    let marks = planned.iter().zip(&rendered.places).filter(|(out, _)| out.is_first);
    let to = places(text, marks.map(|(_, (place, _))| behind(place.clone())));
    let replaced = taken
        .into_iter()
        .zip(from.into_iter().zip(to))
        .map(|(taken, (from, to))| Replaced {
            put: text.get(to.start..to.end).unwrap_or_default().to_owned(),
            sha256: is_strong(&taken).then(|| sha256(&taken.text(content))),
            kind: taken.kind.into_owned(),
            pattern: taken.pattern.into_owned(),
            findings: taken.findings,
            from,
            to,
            kept_sha256: None,
        })
        .collect();
    let after = if front == 0 { after } else { score(text, policy) };
    Ok(Redaction {
        bytes: text.len(),
        text: text.to_owned(),
        score: after.score,
        verdict: after.verdict,
        replaced,
        requires,
    })
}

/// Refuses if there are findings that stay, or that cannot be taken out.
fn remaining<'a>(left: impl Iterator<Item = &'a PatternHit>) -> Result<(), Refusal> {
    let left: Vec<&PatternHit> = left.collect();
    let Some(line) = left.iter().map(|hit| hit.line).min() else { return Ok(()) };
    let kinds: BTreeSet<String> = left.iter().map(|hit| hit.kind.to_string()).collect();
    let kinds = kinds.into_iter().collect();
    Err(Refusal::Left { count: left.len(), line, kinds })
}

/// The SHA-256 of a text, in hex.
fn sha256(text: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(text.as_bytes()))
}

/// The findings of a report that are patterns, with their numbers.
fn hits(report: &Report) -> impl Iterator<Item = (usize, &PatternHit)> {
    (1..).zip(&report.detected_patterns).filter_map(|(nth, found)| Some((nth, found.hit()?)))
}

/// Refuses choices that mean nothing, which would otherwise be a redaction that did not happen.
fn check(
    report: &Report,
    numbered: usize,
    policy: &Policy,
    chosen: &[Choice],
) -> Result<(), Refusal> {
    let found = report.detected_patterns.get(..numbered).unwrap_or_default();
    let fault = |choice: &Choice| match choice {
        Choice::Placeholders => None,
        Choice::Family(name) if families(policy).any(|known| known == name) => None,
        Choice::Family(name) => Some(Refusal::NoSuchFamily {
            name: name.clone(),
            known: families(policy).map(str::to_owned).collect(),
            found: report.kinds(),
        }),
        &Choice::Finding(number) => match number.checked_sub(1).and_then(|nth| found.get(nth)) {
            Some(Detection::Pattern(_)) => None,
            Some(Detection::Size(_)) => Some(Refusal::IsASize(number)),
            None => Some(Refusal::NoSuchFinding { number, found: found.len() }),
        },
    };
    chosen.iter().find_map(fault).map_or(Ok(()), Err)
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

/// Decides on marks and variables: for each piece, in order, what stands there.
fn plan(
    content: &str,
    taken: &[Taken],
    numbers: &BTreeMap<&str, usize>,
    wish: &Wish,
) -> Vec<Replacement> {
    let mut counts: BTreeMap<&str, usize> = numbers.clone();
    let mut of_secret: BTreeMap<(&str, Cow<'_, str>), usize> = BTreeMap::new();
    let mut done = 0;
    let wanted = taken.iter().map(|taken| {
        let (Range { start, end }, secret) = (taken.hull(), taken.text(content));
        // Nothing is named by a secret that stands before it.
        let before = done.min(start)..start;
        done = end.max(done);
        // A key that spans lines is no variable's value, nor is what only decoding shows.
        let fits = taken.pieces.len() == 1 && !taken.is_decoded && !secret.contains('\n');
        fits.then_some(Wanted { secret, before, pattern: &taken.pattern })
    });
    let variables = if wish.env {
        names(content, wish.language, &wanted.collect::<Vec<_>>())
    } else {
        vec![None; taken.len()]
    };
    let mut outs = Vec::with_capacity(taken.len());
    for (taken, variable) in taken.iter().zip(variables) {
        let (kind, text) = (taken.kind.as_ref(), taken.text(content));
        crate::work::spend(text.len());
        let number = *of_secret.entry((kind, text)).or_insert_with(|| {
            let count = counts.entry(kind).or_default();
            *count += 1;
            *count
        });
        let mut pieces = taken.pieces.iter().cloned();
        outs.extend(pieces.next().map(|span| Replacement {
            span,
            mark: mark::write(kind, number),
            variable,
            is_first: true,
        }));
        outs.extend(pieces.map(Replacement::empty));
    }
    outs.sort_by_key(|out| out.span.start);
    outs
}

/// Writes the text with its look-ups. Those that make it invalid are marks, one by one and not all together.
fn write(
    content: &str,
    language: Option<Language>,
    plan: &mut [Replacement],
) -> Result<Rendered, Refusal> {
    let language = language.or_else(|| Language::of_markup(content));
    let mut was_broken = None;
    let mut write = |plan: &[Replacement]| {
        let rendered = render::render(content, language, plan);
        let broken = breaks(language, &rendered.text);
        let mut is_new =
            |_: &Refusal| !*was_broken.get_or_insert_with(|| breaks(language, content).is_some());
        broken.filter(&mut is_new).map_or(Ok(rendered), Err)
    };
    let variables: Vec<Option<String>> = plan.iter_mut().map(|out| out.variable.take()).collect();
    let mut written = write(plan);
    // Where all do not fit, either half may; what is undecided at the end stays as it is.
    let mut parts: Vec<Range<usize>> = std::iter::once(0..plan.len()).collect();
    for _ in 0..TRIES_MAX {
        let is_some = |part: &Range<usize>| {
            variables.get(part.clone()).is_some_and(|part| part.iter().any(Option::is_some))
        };
        parts.retain(is_some);
        let Some(part) = parts.pop() else { break };
        let theirs = plan.iter_mut().zip(&variables).skip(part.start).take(part.len());
        theirs.for_each(|(out, variable)| out.variable.clone_from(variable));
        let tried = write(plan);
        if tried.is_ok() {
            written = tried;
            continue;
        }
        // Where the marks do not fit either, nothing does.
        if written.is_err() {
            break;
        }
        plan.iter_mut().skip(part.start).take(part.len()).for_each(|out| out.variable = None);
        parts.extend(halves(part));
    }
    written
}

/// The halves of a range, the first one last; one element has none.
fn halves(range: Range<usize>) -> Vec<Range<usize>> {
    let middle = range.start + range.len() / 2;
    if range.len() > 1 { [middle..range.end, range.start..middle].into() } else { Vec::new() }
}

/// What is wrong with a text in a language that can be checked.
fn breaks(language: Option<Language>, text: &str) -> Option<Refusal> {
    let format = match language? {
        Language::Python => validate::Format::Python,
        Language::Json => validate::Format::Json,
        Language::Yaml | Language::Workflow => validate::Format::Yaml,
        Language::Toml => validate::Format::Toml,
        _ => return None,
    };
    let report = validate::validate(text, Some(format), None);
    let is_refused = report.is_refused();
    let first = report.errors.into_iter().next();
    let (line, message) = first.map_or((1, String::new()), |item| (item.line, item.message));
    is_refused.then(|| Refusal::Breaks { format: format.as_str(), line, message })
}

/// Lines and columns of stretches that are in order, in one walk.
fn places(text: &str, spans: impl Iterator<Item = Range<usize>>) -> Vec<Place> {
    let (mut line, mut col, mut at) = (1, 1, 0);
    spans
        .map(|span| {
            let gap = text.get(at..span.start).unwrap_or_default();
            crate::work::spend(gap.len());
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
    text.get(text.ceil_char_boundary(at.saturating_sub(len))..at).unwrap_or_default()
}

/// No more than so many bytes from an offset on, to the end of a character.
fn window_after(text: &str, at: usize, len: usize) -> &str {
    text.get(at..text.floor_char_boundary(at.saturating_add(len))).unwrap_or_default()
}

#[cfg(test)]
mod tests;
