//! What a change adds to a text: the findings of the new text except for those that the old one
//! had.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use aho_corasick::AhoCorasick;

use super::hit::{each_hit, is_secret};
use super::model::Model;
use super::policy::Policy;
use super::report::{Detection, PatternHit, Report};
use super::scan::{self, ScanOptions};
use super::score::{measure, score, weigh};
use super::text_index::TextIndex;

/// What the old text had.
struct Known<'a> {
    /// How often it had each finding: family, pattern and what was matched.
    found: HashMap<(Cow<'static, str>, Cow<'static, str>, &'a str), usize>,
}

impl<'a> Known<'a> {
    fn of(text: &'a str, policy: &Policy) -> Self {
        let mut known = HashMap::new();
        let found = scan::scan(text, TextIndex::of(text.as_bytes()), options(policy));
        each_hit(text, found, policy, |hit| {
            let matched = text.get(hit.span).unwrap_or_default();
            *known.entry((hit.kind, hit.pattern, matched)).or_default() += 1;
        });
        Self { found: known }
    }

    /// Whether the old text had a finding of the new one; each of the old text's counts once.
    fn take(&mut self, hit: &PatternHit, text: &'a str) -> bool {
        let matched = text.get(hit.span.clone()).unwrap_or_default();
        match self.found.get_mut(&(hit.kind.clone(), hit.pattern.clone(), matched)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }
}

/// Drops the hits of values that the old text had as often as the new one. What stands around them has changed, so that they are
/// found now.
fn drop_moved(hits: &mut Vec<PatternHit>, before: &str, after: &str) {
    /// A shorter value may be a part of any word.
    const LEN_MIN: usize = 8;
    let value = |hit: &PatternHit| {
        let matched = after.get(hit.span.clone()).unwrap_or_default();
        (hit.pieces.is_empty() && matched.len() >= LEN_MIN).then_some(matched)
    };
    let values: BTreeSet<&str> = hits.iter().filter_map(value).collect();
    if values.is_empty() {
        return;
    }
    let Ok(search) = AhoCorasick::new(&values) else { return };
    let counts = |text: &str| {
        let mut counts = vec![0_usize; values.len()];
        for found in search.find_overlapping_iter(text) {
            counts.get_mut(found.pattern().as_usize()).into_iter().for_each(|count| *count += 1);
        }
        counts
    };
    let both = counts(before).into_iter().zip(counts(after));
    let is_moved = |(value, (before, after))| (before > 0 && before >= after).then_some(value);
    let moved: BTreeSet<&str> = values.iter().copied().zip(both).filter_map(is_moved).collect();
    hits.retain(|hit| !value(hit).is_some_and(|value| moved.contains(value)));
}

/// Scores what a change adds to a text: the findings of `after` that `before` does not have, or not as
/// often. Lines are those of `after`. The size rules are of `written` alone, which is what the caller sends.
#[must_use]
pub fn score_added(before: &str, after: &str, written: &str, policy: &Policy) -> Report {
    let mut report = measure(written, TextIndex::of(written.as_bytes()).lines, policy);
    let found = scan::scan(after, TextIndex::of(after.as_bytes()), options(policy));
    let mut known = Known::of(before, policy);
    let mut hits = Vec::new();
    each_hit(after, found, policy, |hit| {
        if !known.take(&hit, after) {
            hits.push(hit);
        }
    });
    drop_moved(&mut hits, before, after);
    weigh(&mut report, after, policy, usize::MAX, |add| hits.into_iter().for_each(add));
    report
}

/// Scores what a text adds behind the end of another one, its *front*: the findings of both together that do not end within
/// the front. Lines are those of both. The size rules are of the text alone.
#[must_use]
pub fn score_appended(front: &str, text: &str, policy: &Policy) -> Report {
    let both = [front, text].concat();
    let mut report = measure(text, TextIndex::of(text.as_bytes()).lines, policy);
    let found = scan::scan(&both, TextIndex::of(both.as_bytes()), options(policy));
    weigh(&mut report, &both, policy, usize::MAX, |add| {
        each_hit(&both, found, policy, |hit| {
            if !ends_in(&hit, front.len()) {
                add(hit);
            }
        });
    });
    report
}

/// Tells whether all of a finding stands within so many bytes of a text.
pub(super) fn ends_in(hit: &PatternHit, front: usize) -> bool {
    front > 0 && std::iter::once(&hit.span).chain(&hit.pieces).all(|part| part.end <= front)
}

/// The report of what a text adds behind a text in front of it, with the findings numbered as those of the text
/// alone, which is what a redaction takes them out of. Behind them come the findings that the text has only together
/// with what is in front: see [`PatternHit::begins_before`]. Spans of the report are those of both texts together.
#[must_use]
pub fn as_of_text(report: Report, in_front: usize, text: &str, policy: &Policy) -> Report {
    as_of_text_with_count(report, in_front, text, policy).0
}

/// The same, and how many findings are those of the text alone.
fn as_of_text_with_count(
    mut report: Report,
    in_front: usize,
    text: &str,
    policy: &Policy,
) -> (Report, usize) {
    let alone = score(text, policy).detected_patterns;
    let count = alone.len();
    let mut known: Vec<(usize, usize)> = alone
        .iter()
        .filter_map(Detection::hit)
        .filter(|hit| is_secret(&hit.kind))
        .map(|hit| (hit.span.start, hit.span.end))
        .collect();
    known.sort_unstable();
    // Up to where the findings reach that begin no later than this one.
    let mut reached = 0;
    for (_, end) in &mut known {
        reached = reached.max(*end);
        *end = reached;
    }
    let is_alone = |hit: &PatternHit| {
        let (start, end) = (hit.span.start, hit.span.end.saturating_sub(in_front));
        let Some(start) = start.checked_sub(in_front) else { return false };
        let last = known.partition_point(|(known, _)| *known < end).checked_sub(1);
        last.and_then(|last| known.get(last)).is_some_and(|(_, reached)| *reached > start)
    };
    let together = std::mem::replace(&mut report.detected_patterns, alone);
    report.detected_patterns.extend(together.into_iter().filter_map(|found| {
        match found {
            Detection::Pattern(hit) if is_secret(&hit.kind) => (!is_alone(&hit))
                .then_some(Detection::Pattern(PatternHit { begins_before: true, ..hit })),
            Detection::Pattern(ref hit) if hit.span.start < in_front => Some(found),
            Detection::Pattern(_) | Detection::Size(_) => None,
        }
    }));
    (report, count)
}

/// The report of a text that stands behind another one: findings and numbers as of [`as_of_text`], with all spans those of both
/// texts together. Behind them come the findings of the front, without numbers, and the count says how many have one.
pub(super) fn score_behind(front: &str, both: &str, policy: &Policy) -> (Report, usize) {
    let text = both.get(front.len()..).unwrap_or_default();
    let mut together = score(both, policy);
    if front.is_empty() {
        let numbered = together.detected_patterns.len();
        return (together, numbered);
    }
    let is_inside = |found: &Detection| found.hit().is_some_and(|hit| ends_in(hit, front.len()));
    let (inside, behind) = together.detected_patterns.into_iter().partition(is_inside);
    together.detected_patterns = behind;
    let (mut report, alone) = as_of_text_with_count(together, front.len(), text, policy);
    for found in report.detected_patterns.iter_mut().take(alone) {
        if let Detection::Pattern(hit) = found {
            for span in std::iter::once(&mut hit.span).chain(&mut hit.pieces) {
                *span = span.start + front.len()..span.end + front.len();
            }
        }
    }
    let numbered = report.detected_patterns.len();
    report.detected_patterns.extend::<Vec<Detection>>(inside);
    (report, numbered)
}

fn options(policy: &Policy) -> ScanOptions<'static> {
    ScanOptions { model: policy.model.then(Model::built_in) }
}

#[cfg(test)]
mod tests {
    use super::super::{Detection, Verdict};
    use super::*;

    fn pat(of: &str) -> String {
        ["gh", "p_", &of.repeat(12)].concat()
    }

    fn added(before: &str, after: &str) -> Vec<(String, usize)> {
        let report = score_added(before, after, "", &Policy::default());
        let hits = report.detected_patterns.into_iter().map(|found| match found {
            Detection::Pattern(hit) => (hit.kind.into_owned(), hit.line),
            Detection::Size(size) => panic!("{size:?}"),
        });
        hits.collect()
    }

    #[test]
    fn what_was_there_before_is_not_added_wherever_it_moves() {
        let (one, two) = (pat("aB3"), pat("cD4"));
        assert_eq!(added(&one, &format!("above\n{one}\n")), []);
        assert_eq!(added(&one, ""), []);
        let both = format!("{one}\n\n{two}\n");
        assert_eq!(added(&one, &both), [("github_pat".to_owned(), 3)]);
        let twice = format!("{one}\n{one}\n");
        assert_eq!(added(&one, &twice).len(), 1, "a second copy is added");
    }

    /// Before, a word for secrets that an edit wrote beside an old value made that a new secret.
    #[test]
    fn a_value_that_was_there_before_is_not_added_when_its_surroundings_change() {
        let id = ["Iv1.", "9e21bd47", "27af40fc"].concat();
        let value = ["q7Rk9", "zPw2mX4b"].concat();
        let env = |url: &str| format!("DATABASE_URL=\"postgres://shop:{url}@db/shop\"\nID={id}\n");
        assert_eq!(added(&env("x"), &env("${DATABASE_SECRET}")), []);
        let named = format!("password = \"{value}\"\n");
        assert_eq!(added(&format!("x = \"{value}\"\n"), &named), []);
        assert_eq!(added(&format!("x = \"{value}\"\n"), &[&named[..], &named].concat()).len(), 2);
    }

    #[test]
    fn a_secret_that_an_edit_completes_is_added() {
        let one = pat("aB3");
        let (front, back) = one.split_at(20);
        assert_eq!(added(&format!("{front}X"), &format!("{front}{back}")).len(), 1);
    }

    #[test]
    fn what_is_appended_is_numbered_by_itself_and_what_begins_before_it_comes_last() {
        let key = ["AK", "IA", "QX7LMZ2PVTR8SWBK"].concat();
        let (one, policy) = (pat("aB3"), Policy::default());
        let (front, back) = one.split_at(20);
        for end in [format!("k={front}"), format!("{one}\nk={front}")] {
            let text = format!("{back}\na={key}\n");
            let report = score_appended(&end, &text, &policy);
            let report = as_of_text(report, end.len(), &text, &policy);
            let told: Vec<_> = report
                .detected_patterns
                .iter()
                .map(|found| match found {
                    Detection::Pattern(hit) => (hit.kind.as_ref(), hit.begins_before),
                    Detection::Size(size) => panic!("{size:?}"),
                })
                .collect();
            assert_eq!(told, [("api_key", false), ("github_pat", true)]);
            assert!(report.begins_before());
        }
        // A value whose name is in front is found by itself, too, if the text has its own form.
        let text = format!("{one}\n");
        let report = score_appended("token = ", &text, &policy);
        let report = as_of_text(report, 8, &text, &policy);
        assert_eq!((report.detected_patterns.len(), report.begins_before()), (1, false));
    }

    #[test]
    fn sizes_are_those_of_what_is_written() {
        let policy = Policy::default();
        let long = "-".repeat(3_000);
        let report = score_added(&long, &format!("{long}\nx"), "x", &policy);
        assert_eq!((report.score, report.verdict), (0.0, Verdict::Safe));
        let report = score_added("x", &long, &long, &policy);
        assert_eq!(report.verdict, Verdict::Low);
    }
}
