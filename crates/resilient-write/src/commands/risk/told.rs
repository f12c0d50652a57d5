//! What was found, in words and as JSON.
//!
//! The words go to logs, and show no more of a secret than its first four characters.

use resilient_core::risk::{Detection, Explanation, Report, Verdict};
use serde_json::{Value, json};

use super::scan::{Finding, Outcome, Scan, reason};
use crate::output::{self, told_hit, veiled};

/// The report on one text.
pub(super) fn one(report: &Report, worst: Option<Verdict>, why: &[Explanation]) -> String {
    // The exit status is that of the worst finding, which may be worse than the text as a whole.
    let worst = worst.filter(|worst| *worst > report.verdict);
    let worst = worst.map(|worst| format!(", worst finding {worst}")).unwrap_or_default();
    let lines = output::count(report.line_count, "line");
    let mut text =
        format!("{} ({}){worst}, {} bytes, {lines}\n", report.verdict, report.score, report.bytes);
    for (nth, found) in report.detected_patterns.iter().enumerate() {
        let hit = serde_json::to_value(found).unwrap_or_default();
        text += &format!("  {}\n", told_hit(&hit));
        if let Some(why) = why.get(nth) {
            text += &reasons(found, why);
        }
    }
    text
}

/// All findings, one a line, and a last line that sums up.
pub(super) fn all(scan: &Scan) -> String {
    let mut text = String::new();
    let (mut skipped, mut failed) = (0, 0);
    for file in &scan.files {
        match &file.outcome {
            Outcome::Skipped(why) => {
                skipped += 1;
                let level = if why.is_unknown() { "low: " } else { "" };
                text += &format!("{}: {level}skipped: {}\n", file.path, why.reason());
            }
            Outcome::Failed(error) => {
                failed += 1;
                text += &format!("{}: error: {}\n", file.path, reason(error));
            }
            Outcome::Found { findings, .. } => {
                for finding in findings {
                    text += &line(&file.path, finding);
                }
            }
        }
    }
    let count = |level| scan.findings().filter(|(_, finding)| finding.level == level).count();
    text + &format!(
        "{}, {} bytes: {} high, {} medium, {} low; {skipped} skipped, {failed} not read\n",
        output::count(scan.scanned, "file"),
        scan.bytes,
        count(Verdict::High),
        count(Verdict::Medium),
        count(Verdict::Low) + scan.unknown(),
    )
}

fn line(path: &str, finding: &Finding) -> String {
    let Finding { found, level, from: (line, col), .. } = finding;
    let mut text = match found {
        Detection::Pattern(hit) => {
            let shown = veiled(&hit.snippet);
            let dummy = if hit.placeholder { ", placeholder" } else { "" };
            let via = if hit.via.is_empty() { "" } else { ", via " };
            let via = format!("{via}{}", hit.via.join(" and "));
            let (kind, pattern) = (&hit.kind, &hit.pattern);
            format!("{path}:{line}:{col}: {level}: {kind} ({pattern}{dummy}{via}) {shown}\n")
        }
        Detection::Size(size) => format!(
            "{path}:1:1: {level}: size ({}): {}, at most {}\n",
            size.rule, size.value, size.threshold
        ),
    };
    if let Some(why) = &finding.why {
        text += &reasons(found, why);
    }
    text
}

/// Why a finding counts, indented below it.
fn reasons(found: &Detection, why: &Explanation) -> String {
    let mut rows = vec![("rule", why.rule.to_owned())];
    rows.extend(why.format.clone().map(|format| ("format", format)));
    rows.extend(why.source.clone().map(|source| ("documented by", source)));
    rows.extend(why.words.clone().map(|words| ("near one of", words)));
    rows.extend(why.checksum.map(|check| {
        let fits = if check.fits { "fits" } else { "does not fit, which proves nothing" };
        ("checksum", format!("{} {fits}", check.name))
    }));
    if let Detection::Pattern(hit) = found
        && !hit.via.is_empty()
    {
        rows.push(("seen through", hit.via.join(", then ")));
    }
    if let (Some(entropy), Some(len)) = (why.entropy, why.len) {
        rows.push(("entropy", format!("{entropy:.1} bits for each of {len} bytes")));
    }
    rows.extend(why.model_margin.map(|margin| ("model", format!("{margin:+} from its threshold"))));
    rows.push(("weight", format!("{}, adds {} to the score: {}", why.weight, why.adds, why.level)));
    rows.iter().map(|(name, text)| format!("      {name}: {text}\n")).collect()
}

/// The same for programs.
pub(super) fn json(scan: &Scan) -> Value {
    let (mut files, mut skipped, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for file in &scan.files {
        match &file.outcome {
            Outcome::Skipped(why) => {
                skipped.push(json!({"path": file.path, "reason": why.reason()}));
            }
            Outcome::Failed(error) => {
                errors.push(json!({"path": file.path, "reason": reason(error)}));
            }
            Outcome::Found { report, findings } => files.push(json!({
                "path": file.path,
                "score": report.score,
                "verdict": report.verdict,
                "findings": findings.iter().map(of_finding).collect::<Vec<_>>(),
            })),
        }
    }
    let count = |level| scan.findings().filter(|(_, finding)| finding.level == level).count();
    json!({
        "files": files,
        "skipped": skipped,
        "errors": errors,
        "summary": {
            "files": scan.scanned, "bytes": scan.bytes, "high": count(Verdict::High),
            "medium": count(Verdict::Medium), "low": count(Verdict::Low),
        },
    })
}

fn of_finding(finding: &Finding) -> Value {
    let mut value = match &finding.found {
        Detection::Pattern(hit) => json!({
            "kind": hit.kind, "pattern": hit.pattern, "placeholder": hit.placeholder,
            "via": hit.via, "line": finding.from.0, "col": finding.from.1,
            "end_line": finding.to.0, "end_col": finding.to.1,
            "start": hit.span.start, "end": hit.span.end,
        }),
        Detection::Size(size) => json!({
            "kind": "size", "pattern": size.rule, "value": size.value,
            "threshold": size.threshold,
        }),
    };
    if let Value::Object(fields) = &mut value {
        fields.insert("level".to_owned(), json!(finding.level));
        if let Some(why) = &finding.why {
            fields.insert("why".to_owned(), json!(why));
        }
    }
    value
}
