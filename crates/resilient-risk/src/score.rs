//! The score of a text: what was found in it, weighed by family, and its size.

use super::byte_classes::Lines;
use super::hit::{each_hit, number_lines};
use super::model::Model;
use super::pattern;
use super::policy::{Placeholders, Policy};
use super::report::{Detection, LISTED_MAX, PatternHit, Report, SizeHit};
use super::scan::{self, ScanOptions};
use super::size::SIZE_RULES;
use super::tally::Tally;
use super::text_index::TextIndex;

/// Scores a text against the built-in patterns, the size rules and what the policy adds or disables.
///
/// The same text and policy always give the same report, and no input makes it panic. The time is
/// linear in the text, for the patterns that a policy adds, too.
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
        return measure(content, TextIndex::of(content.as_bytes()).lines, policy);
    }
    score(content, policy)
}

/// Scores with the given model, whatever the policy says about models, and lists so many findings.
pub(super) fn score_through(
    content: &str,
    policy: &Policy,
    model: Option<&Model>,
    most: usize,
) -> Report {
    let text_index = TextIndex::of(content.as_bytes());
    let mut report = measure(content, text_index.lines, policy);
    let found = scan::scan(content, text_index, ScanOptions { model });
    // Most texts have nothing.
    let is_long = || SIZE_RULES.iter().any(|rule| rule.exceeded_by(&report).is_some());
    if !found.is_empty() || !policy.extra_patterns.is_empty() || is_long() {
        weigh(&mut report, content, policy, most, |add| each_hit(content, found, policy, add));
    }
    report
}

/// The report of a text in which nothing is found, except by the size rules.
pub(super) fn measure(content: &str, lines: Lines, policy: &Policy) -> Report {
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

/// Weighs the hits that `give` adds, and the sizes, and lists so many findings.
pub(super) fn weigh(
    report: &mut Report,
    content: &str,
    policy: &Policy,
    most: usize,
    give: impl FnOnce(&mut dyn FnMut(PatternHit)),
) {
    let mut tally = Tally::new(&policy.weights);
    let (mut hits, mut omitted) = (Vec::new(), 0);
    give(&mut |mut hit| {
        tally.add(&hit.kind, hit.placeholder && policy.placeholders != Placeholders::Full);
        if hits.len() < most {
            hit.snippet = pattern::snippet(content.get(hit.span.clone()).unwrap_or_default());
            hits.push(hit);
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

#[cfg(test)]
mod tests {
    use crate::steady::Chance;
    use serde_json::json;

    use super::super::{Action, Allow, Paths, Pattern, Thresholds, Verdict, hostile, work};
    use super::*;

    fn scored(content: &str) -> Report {
        score(content, &Policy::default())
    }

    /// A policy that finds the numbers of a house.
    fn house(family: &str) -> Policy {
        let pattern = Pattern::new(family, "number", r"house-\d").unwrap();
        Policy { extra_patterns: vec![pattern], ..Policy::default() }
    }

    fn pat() -> String {
        ["gh", "p_", &"k".repeat(36)].concat()
    }

    fn api_key() -> String {
        ["AK", "IA", &"Z".repeat(16)].concat()
    }

    fn jwt() -> String {
        ["ey", "Ja.ey", "Jb.c"].concat()
    }

    #[test]
    fn a_long_token_of_github_is_one_finding_as_a_whole() {
        for (kind, len) in [("p", 36), ("o", 40), ("u", 76), ("s", 190), ("r", 37)] {
            let token = ["gh", kind, "_", &"k3Jd9fQx7LmZ2pVtR8sWb".repeat(13)[..len]].concat();
            let text = format!("a = {token}\n");
            let report = scored(&text);
            let [Detection::Pattern(hit)] = report.detected_patterns.as_slice() else {
                panic!("{:?}", report.detected_patterns)
            };
            assert_eq!((&text[hit.span.clone()], report.score), (token.as_str(), 0.35));
        }
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
                {"kind": "github_pat", "pattern": "ghp", "match": "ghp_kkkkkkkkkkkk…", "line": 3},
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
        let built_in = Thresholds::default();
        for (thresholds, verdict) in [
            (Thresholds { high: 0.15, ..built_in }, Verdict::High),
            (Thresholds { low: 1.0, ..built_in }, Verdict::Safe),
        ] {
            let policy = Policy { thresholds, ..Policy::default() };
            assert_eq!(score("a@b.io", &policy).verdict, verdict);
        }
        let disabled_families = ["pii", "house"].map(str::to_owned).into();
        let policy = Policy { disabled_families, ..house("house") };
        let disabled = score("a@b.io house-7", &policy);
        assert_eq!((disabled.score, disabled.detected_patterns), (0.0, vec![]));
    }

    #[test]
    fn a_file_that_is_let_pass_has_its_sizes_and_no_finding() {
        let paths = Paths::new(vec!["a.txt".to_owned()]).unwrap();
        let policy = Policy { allow: Allow { paths, ..Allow::default() }, ..Policy::default() };
        let report = score_file("a.txt", &format!("{}\nab\n", pat()), &policy);
        assert_eq!((report.bytes, report.line_count, report.max_line_len), (44, 2, 40));
        assert_eq!((report.verdict, report.detected_patterns), (Verdict::Safe, vec![]));
    }

    #[test]
    fn a_new_family_is_listed_without_weight_and_without_advice() {
        let report = score("house-7", &house("house"));
        assert_eq!(report.score, 0.0);
        assert_eq!(report.kinds(), ["house"]);
        assert_eq!(report.suggested_actions, []);
    }

    #[test]
    fn an_added_pattern_of_a_known_family_counts_for_it() {
        let report = score("a@b.io house-7", &house("pii"));
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
        let parts = concat!(
            "|a|@|.|-|_| |\n|\r\n|\0|é|٣|🙂|\u{301}|eyJ|AKIA|sk-ant-oat|Bearer |b@c.io|123-45-6789|",
            "-----BEGIN |PRIVATE KEY",
        );
        let chance = &mut Chance(0x9E37_79B9_7F4A_7C15);
        for _ in 0..2_000 {
            let text = chance.text(parts, 40);
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
        let chance = &mut Chance(0x2545_F491_4F6C_DD1D);
        for round in 0..400 {
            // All bytes, printable ones, or those that tokens are made of.
            let bytes: Vec<u8> = (0..chance.below(1_500))
                .map(|_| match round % 3 {
                    0 => chance.next() as u8,
                    1 => 32 + chance.below(95) as u8,
                    _ => b"abcdef0123456789ABXYZ_-=+/.:\"' \n@"[chance.below(33)],
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
        const LOOKS_MAX: u64 = 80;
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
            let told = TextIndex::of(text.as_bytes()).lines;
            assert_eq!(told, Lines { feeds, longest }, "{lines:?}");
        }
    }
}
