//! The pre-flight classifier: how likely is it that a content filter or a size limit refuses a text?
//!
//! [`score`] looks a text over and answers with a [`Report`]: a number, a [`Verdict`], what was
//! found where, and what an agent could do about it. The answer depends on the text and the
//! [`Policy`] alone. Nothing here reads a file, a clock or the environment; finding and reading the
//! policy file, and deciding what a verdict forbids, is left to the callers.
//!
//! It is a heuristic. A `safe` verdict does not promise that a text holds no secret, and plain
//! prose can look like one.
//!
//! ```
//! use resilient_core::risk::{self, Policy, Verdict};
//!
//! let text = format!("token = {}{}", "ghp_", "x".repeat(36));
//! let report = risk::score(&text, &Policy::default());
//! assert_eq!(report.verdict, Verdict::Low);
//! assert_eq!(report.kinds(), ["github_pat"]);
//! ```

mod added;
mod assign;
mod benign;
mod bits;
mod candidate;
mod checksum;
mod classic;
mod decode;
mod demand;
mod explain;
mod family;
mod features;
mod findings;
mod format;
mod formats;
#[doc(hidden)]
pub mod hostile;
#[doc(hidden)]
pub mod lab;
mod lanes;
mod literals;
mod marks;
mod model;
mod naming;
mod pattern;
mod pii;
mod place;
mod placeholder;
mod policy;
mod report;
mod retention;
mod runs;
mod scan;
mod search;
mod services;
mod survey;
mod token;
mod vendor;
mod words;
mod work;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use memchr::memchr_iter;

use self::added::Known;
pub use self::added::score_added;
pub use self::demand::Demand;
pub use self::explain::{Explanation, explain, level};
pub use self::findings::{Findings, TOLD_MAX, Told};
use self::marks::Lines;
use self::model::Model;
pub use self::pattern::Pattern;
pub use self::place::Place;
pub use self::policy::{
    Allow, HardLinks, KEYS as POLICY_KEYS, Placeholders, Policy, PolicyError, ReadOnly, Thresholds,
};
pub use self::report::{
    Action, Detection, LISTED_MAX, PatternHit, Report, SizeHit, UnknownVerdict, Verdict,
};
pub use self::retention::Retention;
use self::scan::{Finding, Lens};
use self::survey::Survey;

/// A placeholder weighs so much of its family's weight.
const PLACEHOLDER_PART: f64 = 0.35;

/// Scores a text against the built-in patterns, the size rules and what the policy adds or disables.
///
/// The same text and policy always give the same report, and no input makes it panic. The time is
/// linear in the text for everything built in; a pattern that a policy adds can be slower.
#[must_use]
pub fn score(content: &str, policy: &Policy) -> Report {
    let model = policy.model.then(Model::built_in);
    score_through(content, policy, model, usize::MAX)
}

/// Scores a text as [`score`] does, and [cuts](Report::cut) the report: what is left out is counted and
/// not made, so that a flood of findings costs little more than any text of its length.
#[must_use]
pub fn score_cut(content: &str, policy: &Policy) -> Report {
    let model = policy.model.then(Model::built_in);
    score_through(content, policy, model, LISTED_MAX)
}

/// Scores the text of a file: as [`score`], but a file that the policy lets pass has no findings.
#[must_use]
pub fn score_file(path: &str, content: &str, policy: &Policy) -> Report {
    if policy.allow.path(path) {
        let everything = Policy { disabled_families: BTreeSet::new(), ..policy.clone() };
        return score_through("", &everything, None, usize::MAX);
    }
    score(content, policy)
}

/// Scores with the given model, whatever the policy says about models, and lists so many findings.
fn score_through(content: &str, policy: &Policy, model: Option<&Model>, most: usize) -> Report {
    let survey = Survey::of(content.as_bytes());
    let mut report = measure(content, survey.lines, policy);
    let found = scan::scan(content, survey, Lens { model });
    // Most texts have nothing.
    let is_long = || SIZE_RULES.iter().any(|rule| rule.exceeded_by(&report).is_some());
    if !found.is_empty() || !policy.extra_patterns.is_empty() || is_long() {
        weigh(&mut report, content, found, policy, most, Known::default());
    }
    report
}

/// The report of a text in which nothing is found, but for the size rules.
fn measure(content: &str, lines: Lines, policy: &Policy) -> Report {
    let open_end = !content.is_empty() && !content.ends_with('\n');
    Report {
        score: 0.0,
        verdict: policy.thresholds.verdict(0.0),
        bytes: content.len(),
        line_count: lines.feeds + usize::from(open_end),
        max_line_len: lines.longest,
        detected_patterns: Vec::new(),
        omitted: 0,
        suggested_actions: Vec::new(),
    }
}

/// Weighs what was found and not known before, what the policy adds and the sizes, and lists so many
/// findings.
#[cold]
#[inline(never)]
fn weigh<'a>(
    report: &mut Report,
    content: &'a str,
    found: Vec<Finding>,
    policy: &Policy,
    most: usize,
    mut known: Known<'a>,
) {
    let mut tally = Tally::new(&policy.weights);
    let (mut hits, mut omitted) = (Vec::new(), 0);
    each_hit(content, found, policy, |hit| {
        if known.take(&hit, content) {
            return;
        }
        tally.add(&hit.kind, hit.placeholder && policy.placeholders != Placeholders::Full);
        if hits.len() < most {
            hits.push(hit.shown(content));
        } else {
            omitted += 1;
        }
    });
    number_lines(content.as_bytes(), &mut hits);
    report.suggested_actions = tally.actions();

    // The order of these additions is part of the contract: it decides on which side of a
    // threshold a sum of decimal fractions falls.
    let mut score = tally.score();
    report.detected_patterns = hits.into_iter().map(Detection::Pattern).collect();
    for rule in &SIZE_RULES {
        if let Some(value) = rule.exceeded_by(report) {
            score += rule.score;
            if report.detected_patterns.len() < most {
                report.detected_patterns.push(Detection::Size(SizeHit {
                    rule: rule.name,
                    value,
                    threshold: rule.threshold,
                }));
            } else {
                omitted += 1;
            }
            report.suggested_actions.push(rule.action(value));
        }
    }
    let score = score.clamp(0.0, 1.0);
    report.verdict = policy.thresholds.verdict(score);
    report.score = (score * 10_000.0).round() / 10_000.0;
    report.omitted = omitted;
}

/// The families that can be found under a policy: the built-in ones, then those it adds.
pub(crate) fn families<'a>(policy: &'a Policy) -> impl Iterator<Item = &'a str> {
    let built_in = family::names().map(|name| -> &'a str { name });
    built_in.chain(policy.extra_patterns.iter().map(Pattern::family))
}

/// Tells whether a family's matches are to be taken out, not to be split off.
pub(crate) fn is_secret(family: &str) -> bool {
    family != family::BINARY_HINT && family != SizeHit::KIND
}

/// Tells whether a value stands for one and is none: a word for it, a repetition, a mark.
pub(crate) fn is_stand_in(value: &str) -> bool {
    let value = value.as_bytes();
    placeholder::is_dummy(value) || placeholder::mark(value).is_some()
}

/// What counts of what was found.
struct Hit {
    kind: Cow<'static, str>,
    pattern: Cow<'static, str>,
    placeholder: bool,
    via: Vec<&'static str>,
    span: Range<usize>,
}

impl Hit {
    /// As it is shown, but for its line.
    fn shown(self, content: &str) -> PatternHit {
        let Self { kind, pattern, placeholder, via, span } = self;
        let snippet = pattern::snippet(content.get(span.clone()).unwrap_or_default());
        PatternHit { kind, pattern, snippet, line: 0, placeholder, via, span }
    }
}

/// Tells what counts of what was found: the built-in patterns in the order of their table, then what the
/// policy adds.
fn each_hit(content: &str, found: Vec<Finding>, policy: &Policy, mut each: impl FnMut(Hit)) {
    let disabled = |family: &str| policy.disabled_families.contains(family);
    for found in found {
        let matched = || content.get(found.span.clone()).unwrap_or_default();
        if disabled(found.family)
            || found.placeholder && policy.placeholders == Placeholders::Ignore
            || policy.allow.finding(found.pattern, matched())
        {
            continue;
        }
        each(Hit {
            kind: Cow::Borrowed(found.family),
            pattern: Cow::Borrowed(found.pattern),
            placeholder: found.placeholder,
            via: found.via,
            span: found.span,
        });
    }
    for pattern in policy.extra_patterns.iter().filter(|pattern| !disabled(pattern.family())) {
        for span in pattern.matches(content) {
            let (kind, pattern) = pattern.names();
            each(Hit { kind, pattern, placeholder: false, via: Vec::new(), span });
        }
    }
}

/// Fills in the lines, in one walk over the text.
fn number_lines(bytes: &[u8], hits: &mut [PatternHit]) {
    let mut order: Vec<&mut PatternHit> = hits.iter_mut().collect();
    order.sort_by_key(|hit| hit.span.start);
    let (mut line, mut counted) = (1, 0);
    for hit in order {
        let gap = bytes.get(counted..hit.span.start).unwrap_or_default();
        line += memchr_iter(b'\n', gap).count();
        counted = hit.span.start;
        hit.line = line;
    }
}

/// One limit on the shape of a text; it fires strictly above its threshold.
struct SizeRule {
    name: &'static str,
    key: &'static str,
    measure: fn(&Report) -> usize,
    threshold: usize,
    score: f64,
    remedy: Remedy,
}

/// What makes a text fit under a [`SizeRule`].
enum Remedy {
    Split,
    Escape,
}

const SIZE_RULES: [SizeRule; 4] = [
    SizeRule {
        name: "big_100kb",
        key: "total_bytes",
        measure: |report| report.bytes,
        threshold: 100_000,
        score: 0.15,
        remedy: Remedy::Split,
    },
    SizeRule {
        name: "big_500kb",
        key: "total_bytes",
        measure: |report| report.bytes,
        threshold: 500_000,
        score: 0.30,
        remedy: Remedy::Split,
    },
    SizeRule {
        name: "long_line",
        key: "max_line_len",
        measure: |report| report.max_line_len,
        threshold: 2_000,
        score: 0.20,
        remedy: Remedy::Escape,
    },
    SizeRule {
        name: "many_lines",
        key: "line_count",
        measure: |report| report.line_count,
        threshold: 5_000,
        score: 0.10,
        remedy: Remedy::Split,
    },
];

impl SizeRule {
    fn exceeded_by(&self, report: &Report) -> Option<usize> {
        Some((self.measure)(report)).filter(|value| *value > self.threshold)
    }

    fn action(&self, value: usize) -> Action {
        let reason = format!("{}_{value}_exceeds_{}", self.key, self.threshold);
        match self.remedy {
            Remedy::Split => Action::Split { reason },
            Remedy::Escape => Action::Escape { reason },
        }
    }
}

/// How often each family was found, in the order of first hits.
struct Tally<'a> {
    families: Vec<(String, usize)>,
    placeholders: BTreeSet<String>,
    weights: &'a std::collections::BTreeMap<String, f64>,
}

impl<'a> Tally<'a> {
    fn new(weights: &'a std::collections::BTreeMap<String, f64>) -> Self {
        Self { families: Vec::new(), placeholders: BTreeSet::new(), weights }
    }

    fn add(&mut self, family: &str, placeholder: bool) {
        if placeholder {
            if !self.placeholders.contains(family) {
                self.placeholders.insert(family.to_owned());
            }
            return;
        }
        match self.families.iter_mut().find(|(known, _)| *known == family) {
            Some((_, count)) => *count += 1,
            None => self.families.push((family.to_owned(), 1)),
        }
    }

    fn weight(&self, family: &str) -> f64 {
        self.weights.get(family).copied().unwrap_or_else(|| family::weight(family))
    }

    /// Sums the families: the first hit counts in full, each further one a quarter, until the
    /// family weighs half as much again. Placeholders count once in all, and only where their
    /// family has no hit, so that they never reach more than `low` by themselves.
    fn score(&self) -> f64 {
        let found = self.families.iter().fold(0.0, |sum, (family, hits)| {
            let further = hits.saturating_sub(1) as f64;
            sum + self.weight(family) * (1.0 + 0.25 * further).min(1.5)
        });
        let hit = |family: &String| self.families.iter().any(|(known, _)| known == family);
        let dummies = self.placeholders.iter().filter(|family| !hit(family));
        found + dummies.map(|family| self.weight(family) * PLACEHOLDER_PART).fold(0.0, f64::max)
    }

    fn actions(&self) -> Vec<Action> {
        let mut actions = Vec::new();
        let mut targets: Vec<String> = self
            .families
            .iter()
            .filter(|(family, _)| family::is_redactable(family))
            .map(|(family, _)| family.clone())
            .collect();
        if !targets.is_empty() {
            targets.sort_unstable();
            actions.push(Action::Redact { targets });
        }
        if !self.placeholders.is_empty() {
            let targets = self.placeholders.iter().cloned().collect();
            actions.push(Action::RenamePlaceholder { targets });
        }
        if self.families.iter().any(|(family, _)| family == family::BINARY_HINT) {
            actions.push(Action::Split { reason: "binary_content_detected".to_owned() });
        }
        actions
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn scored(content: &str) -> Report {
        score(content, &Policy::default())
    }

    fn under(content: &str, policy: &str) -> Report {
        score(content, &Policy::parse(policy).unwrap())
    }

    fn pat() -> String {
        ["gh", "p_", &"x".repeat(36)].concat()
    }

    fn api_key() -> String {
        ["AK", "IA", &"Z".repeat(16)].concat()
    }

    fn jwt() -> String {
        ["ey", "Ja.ey", "Jb.c"].concat()
    }

    #[test]
    fn an_empty_text_is_safe() {
        assert_eq!(
            serde_json::to_value(scored("")).unwrap(),
            json!({
                "score": 0.0,
                "verdict": "safe",
                "bytes": 0,
                "line_count": 0,
                "max_line_len": 0,
                "detected_patterns": [],
                "suggested_actions": [],
            })
        );
    }

    #[test]
    fn lines_are_counted_at_line_feeds_and_measured_in_characters() {
        for (text, bytes, line_count, max_line_len) in [
            ("\n", 1, 1, 0),
            ("a", 1, 1, 1),
            ("a\n", 2, 1, 1),
            ("a\nb", 3, 2, 1),
            ("é€\r\n\nabc", 11, 3, 3),
        ] {
            let report = scored(text);
            assert_eq!(
                (report.bytes, report.line_count, report.max_line_len),
                (bytes, line_count, max_line_len),
                "{text:?}"
            );
        }
    }

    #[test]
    fn a_report_lists_hits_by_pattern_then_position_and_sizes_last() {
        let long = "-".repeat(2001);
        let text = format!("{long}\nb@c.io\na@b.io {}\n{}\n{}", pat(), jwt(), api_key());
        let report = serde_json::to_value(scored(&text)).unwrap();
        assert_eq!(
            report["detected_patterns"],
            json!([
                {"kind": "api_key", "pattern": "aws_access_key_id", "match": "AKIA…", "line": 5},
                {"kind": "github_pat", "pattern": "ghp", "match": "ghp_xxxxxxxxxxxx…", "line": 3},
                {"kind": "jwt", "pattern": "jwt_triplet", "match": "ey…", "line": 4},
                {"kind": "pii", "pattern": "email", "match": "b…", "line": 2},
                {"kind": "pii", "pattern": "email", "match": "a…", "line": 3},
                {"kind": "size", "pattern": "long_line", "match": null, "line": null,
                 "value": 2001, "threshold": 2000},
            ])
        );
        assert_eq!(
            report["suggested_actions"],
            json!([
                {"action": "redact", "targets": ["api_key", "github_pat", "jwt", "pii"]},
                {"action": "escape", "reason": "max_line_len_2001_exceeds_2000"},
            ])
        );
        assert_eq!(scored(&text).kinds(), ["api_key", "github_pat", "jwt", "pii", "size"]);
    }

    #[test]
    fn a_family_saturates_at_half_as_much_again() {
        for (hits, score) in [(1, 0.15), (2, 0.1875), (3, 0.225), (4, 0.225), (100, 0.225)] {
            assert_eq!(scored(&"a@b.io ".repeat(hits)).score, score, "{hits} hits");
        }
        // Two patterns of one family count together: 0.15 × 1.25.
        assert_eq!(scored("a@b.io 123-45-6789").score, 0.1875);
    }

    #[test]
    fn families_add_up_to_the_threshold_they_reach_on_paper() {
        let both = format!("{} {}", api_key(), pat());
        assert_eq!((scored(&both).score, scored(&both).verdict), (0.7, Verdict::High));
        let medium = format!("{} a@b.io", jwt());
        assert_eq!((scored(&medium).score, scored(&medium).verdict), (0.4, Verdict::Medium));
        assert_eq!(scored("a@b.io").verdict, Verdict::Low);
        assert_eq!(scored("a at b").verdict, Verdict::Safe);
    }

    #[test]
    fn the_score_ends_at_one() {
        let text = format!("{} {} {} a@b.io {}", api_key(), pat(), jwt(), "a".repeat(200));
        assert_eq!(scored(&text).score, 1.0);
    }

    #[test]
    fn a_blob_is_split_off_rather_than_redacted() {
        let report = scored(&"a".repeat(200));
        assert_eq!((report.score, report.verdict), (0.2, Verdict::Low));
        let reason = "binary_content_detected".to_owned();
        assert_eq!(report.suggested_actions, [Action::Split { reason }]);
    }

    #[test]
    fn size_rules_fire_just_above_their_limit() {
        // Lines of 99 characters and a line feed; the remainder is one more line.
        let text =
            |count: usize| ("-".repeat(99) + "\n").repeat(count / 100) + &"-".repeat(count % 100);
        let fired = |text: &str| {
            let report = scored(text);
            let rules: Vec<_> = report
                .detected_patterns
                .iter()
                .map(|found| match found {
                    Detection::Size(hit) => (hit.rule, hit.value, hit.threshold),
                    Detection::Pattern(hit) => panic!("{hit:?}"),
                })
                .collect();
            (report.score, rules)
        };
        assert_eq!(fired(&text(100_000)), (0.0, vec![]));
        assert_eq!(fired(&text(100_001)), (0.15, vec![("big_100kb", 100_001, 100_000)]));
        // 500 000 bytes are exactly 5000 lines.
        assert_eq!(fired(&text(500_000)), (0.15, vec![("big_100kb", 500_000, 100_000)]));
        assert_eq!(
            fired(&text(500_001)),
            (
                0.55,
                vec![
                    ("big_100kb", 500_001, 100_000),
                    ("big_500kb", 500_001, 500_000),
                    ("many_lines", 5_001, 5_000),
                ]
            )
        );
        assert_eq!(fired(&"é".repeat(2_000)), (0.0, vec![]));
        assert_eq!(fired(&"é".repeat(2_001)), (0.2, vec![("long_line", 2_001, 2_000)]));
        assert_eq!(fired(&"\n".repeat(5_000)), (0.0, vec![]));
        assert_eq!(fired(&"\n".repeat(5_001)), (0.1, vec![("many_lines", 5_001, 5_000)]));
    }

    #[test]
    fn size_rules_say_what_to_do() {
        let reasons: Vec<_> = scored(&"-\n".repeat(250_001)).suggested_actions;
        assert_eq!(
            serde_json::to_value(reasons).unwrap(),
            json!([
                {"action": "split", "reason": "total_bytes_500002_exceeds_100000"},
                {"action": "split", "reason": "total_bytes_500002_exceeds_500000"},
                {"action": "split", "reason": "line_count_250001_exceeds_5000"},
            ])
        );
    }

    #[test]
    fn a_policy_moves_thresholds_and_disables_families() {
        assert_eq!(under("a@b.io", "thresholds: {high: 0.15}").verdict, Verdict::High);
        assert_eq!(under("a@b.io", "thresholds: {low: 1}").verdict, Verdict::Safe);
        let disabled = under(
            "a@b.io house-7",
            "disable_families: [pii, house]\n\
             extend_patterns: {house: [{name: number, regex: 'house-\\d'}]}",
        );
        assert_eq!((disabled.score, disabled.detected_patterns), (0.0, vec![]));
    }

    #[test]
    fn a_new_family_is_listed_without_weight_and_without_advice() {
        let report =
            under("house-7", "extend_patterns: {house: [{name: number, regex: 'house-\\d'}]}");
        assert_eq!(report.score, 0.0);
        assert_eq!(report.kinds(), ["house"]);
        assert_eq!(report.suggested_actions, []);
    }

    #[test]
    fn an_added_pattern_of_a_known_family_counts_for_it() {
        let report =
            under("a@b.io house-7", "extend_patterns: {pii: [{name: number, regex: 'house-\\d'}]}");
        assert_eq!(report.score, 0.1875);
        let names: Vec<_> = report
            .detected_patterns
            .iter()
            .map(|found| match found {
                Detection::Pattern(hit) => hit.pattern.as_ref(),
                Detection::Size(hit) => hit.rule,
            })
            .collect();
        assert_eq!(names, ["email", "number"]);
    }

    #[test]
    fn no_text_makes_it_panic_or_leave_its_range() {
        let parts = [
            "",
            "a",
            "@",
            ".",
            "-",
            "_",
            " ",
            "\n",
            "\r\n",
            "\0",
            "é",
            "٣",
            "🙂",
            "\u{301}",
            "eyJ",
            "AKIA",
            "sk-ant-oat",
            "Bearer ",
            "b@c.io",
            "123-45-6789",
            "-----BEGIN ",
            "PRIVATE KEY",
        ];
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        for _ in 0..2_000 {
            let mut text = String::new();
            for _ in 0..40 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                text.push_str(parts[(state % parts.len() as u64) as usize]);
            }
            let report = scored(&text);
            assert!((0.0..=1.0).contains(&report.score), "{text:?}");
            assert_eq!(report.line_count, text.lines().count(), "{text:?}");
            assert_lies_inside(&report, &text);
        }
    }

    /// Every finding is a piece of the text, on the line that it names.
    fn assert_lies_inside(report: &Report, text: &str) {
        for found in &report.detected_patterns {
            let Detection::Pattern(hit) = found else { continue };
            assert!(text.get(hit.span.clone()).is_some(), "{hit:?} {text:?}");
            assert!(!hit.span.is_empty(), "{hit:?} {text:?}");
            let line = text[..hit.span.start].matches('\n').count() + 1;
            assert_eq!(hit.line, line, "{hit:?} {text:?}");
        }
    }

    #[test]
    fn arbitrary_bytes_score_the_same_on_every_run() {
        let mut state = 0x2545_F491_4F6C_DD1D_u64;
        let mut random = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for round in 0..400 {
            // All bytes, printable ones, or those that tokens are made of.
            let bytes: Vec<u8> = (0..random() % 1_500)
                .map(|_| match round % 3 {
                    0 => random() as u8,
                    1 => 32 + (random() % 95) as u8,
                    _ => b"abcdef0123456789ABXYZ_-=+/.:\"' \n@"[(random() % 33) as usize],
                })
                .collect();
            let text = String::from_utf8_lossy(&bytes);
            let report = scored(&text);
            assert_eq!(report, scored(&text), "{text:?}");
            assert_lies_inside(&report, &text);
        }
    }

    #[test]
    fn no_text_makes_the_scan_look_at_it_ever_again() {
        /// So many bytes are looked at for each byte of a text, at most.
        const LOOKS_MAX: u64 = 120;
        for len in [10_000, 40_000] {
            for (name, text) in hostile::texts(len) {
                work::taken();
                let report = scored(&text);
                let looks = work::taken() / text.len() as u64;
                assert!(looks <= LOOKS_MAX, "{name}: {looks} looks at each byte of {len}");
                assert_lies_inside(&report, &text);
            }
        }
    }

    #[test]
    fn the_longest_line_is_found_whatever_stands_around_it() {
        for lines in [
            vec![],
            vec![""],
            vec!["", "", ""],
            vec!["a", "abc", "ab"],
            vec!["äöü", "abcd", "äöüß€", ""],
            vec!["", "a", "bb", "ccc", "dd", "e"],
        ] {
            let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
            let text = lines.join("\n");
            let feeds = lines.len().saturating_sub(1);
            let told = Survey::of(text.as_bytes()).lines;
            assert_eq!(told, Lines { feeds, longest }, "{lines:?}");
        }
    }
}
