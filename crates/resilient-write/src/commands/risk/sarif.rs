//! The findings as SARIF 2.1.0, for code scanning services.
//!
//! Nothing of a secret is in it, and no digest of one: a fingerprint says which rule found how many in
//! this file before, so that moved lines do not make a finding new.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use resilient_core::digest::Digest;
use resilient_core::risk::{Detection, Verdict};
use serde_json::{Value, json};

use super::scan::{Finding, Outcome, Scan, reason};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The log of one run.
pub(super) fn log(scan: &Scan) -> Value {
    let mut rules: Vec<Value> = Vec::new();
    let mut index: BTreeMap<String, usize> = BTreeMap::new();
    let mut times: BTreeMap<(String, String), usize> = BTreeMap::new();
    let results: Vec<Value> = scan
        .findings()
        .map(|(path, finding)| {
            let (kind, pattern) = names(&finding.found);
            let id = format!("{kind}/{pattern}");
            let nth = *index.entry(id.clone()).or_insert_with(|| {
                rules.push(rule(&id, &finding.found, finding.level));
                rules.len() - 1
            });
            let times = times.entry((path.to_owned(), id.clone())).or_default();
            *times += 1;
            let fingerprint = Digest::of(format!("{path}\n{id}\n{times}").as_bytes()).short();
            json!({
                "ruleId": id,
                "ruleIndex": nth,
                "level": word(finding.level),
                "message": {"text": message(finding)},
                "locations": [{"physicalLocation": {
                    "artifactLocation": artifact(path),
                    "region": region(finding),
                }}],
                "partialFingerprints": {"resilientWrite/v1": fingerprint},
            })
        })
        .collect();
    let mut failed = false;
    let notes: Vec<Value> = scan
        .files
        .iter()
        .filter_map(|file| {
            let (level, text) = match &file.outcome {
                Outcome::Found { .. } => return None,
                Outcome::Skipped(why) => ("note", format!("skipped: {}", why.reason())),
                Outcome::Failed(error) => ("error", reason(error)),
            };
            failed |= level == "error";
            Some(json!({
                "level": level,
                "message": {"text": text},
                "locations": [{"physicalLocation": {"artifactLocation": artifact(&file.path)}}],
            }))
        })
        .collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "resilient-write",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": !failed,
                "toolExecutionNotifications": notes,
            }],
            "results": results,
        }],
    })
}

fn names(found: &Detection) -> (&str, &str) {
    match found {
        Detection::Pattern(hit) => (&hit.kind, &hit.pattern),
        Detection::Size(size) => ("size", size.rule),
    }
}

fn rule(id: &str, found: &Detection, level: Verdict) -> Value {
    let (kind, pattern) = names(found);
    let words = pattern.replace('_', " ");
    let (full, help) = match found {
        Detection::Pattern(_) => (
            format!("Text of the family {kind} that the rule {words} knows."),
            "Take it out, for instance with `resilient-write redact`, and revoke it where it was \
             seen. What is known to be harmless goes into the policy, under `allow`.",
        ),
        Detection::Size(_) => (
            format!("A text over the limit {words}, which filters tend to refuse."),
            "Write it in parts, or break its lines.",
        ),
    };
    json!({
        "id": id,
        "name": pascal(pattern),
        "shortDescription": {"text": format!("{kind}: {words}")},
        "fullDescription": {"text": full},
        "help": {"text": help.replace('`', "'"), "markdown": help},
        "defaultConfiguration": {"level": word(level)},
        "properties": {"tags": ["security", kind]},
    })
}

/// `long_line` as `LongLine`, which is how rules are called here.
fn pascal(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    words
        .flat_map(|word| {
            let mut letters = word.chars();
            letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters)
        })
        .collect()
}

fn word(level: Verdict) -> &'static str {
    match level {
        Verdict::High => "error",
        Verdict::Medium => "warning",
        Verdict::Low | Verdict::Safe => "note",
    }
}

fn message(finding: &Finding) -> String {
    match &finding.found {
        Detection::Pattern(hit) => {
            let what = if hit.placeholder { "a placeholder of " } else { "" };
            let mut text = format!("This looks like {what}{} ({}).", hit.kind, hit.pattern);
            if !hit.via.is_empty() {
                let _ = write!(text, " It was seen through {}.", hit.via.join(", then "));
            }
            if let Some(why) = &finding.why {
                let _ = write!(text, " Why: {}.", why.rule);
            }
            text
        }
        Detection::Size(size) => format!(
            "The text exceeds a limit ({}): {}, at most {}.",
            size.rule, size.value, size.threshold
        ),
    }
}

fn region(finding: &Finding) -> Value {
    match &finding.found {
        Detection::Pattern(hit) => json!({
            "startLine": finding.from.0, "startColumn": finding.from.1,
            "endLine": finding.to.0, "endColumn": finding.to.1,
            "byteOffset": hit.span.start, "byteLength": hit.span.len(),
        }),
        Detection::Size(_) => json!({"startLine": 1}),
    }
}

/// A path as a URI: relative ones begin at the root of the sources.
fn artifact(path: &str) -> Value {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    if path.starts_with('/') {
        return json!({"uri": format!("file://{uri}")});
    }
    json!({"uri": uri, "uriBaseId": "%SRCROOT%"})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_called_in_one_word() {
        assert_eq!(pascal("long_base64_blob"), "LongBase64Blob");
        assert_eq!(pascal("ghp"), "Ghp");
        assert_eq!(pascal("my own--rule_2"), "MyOwnRule2");
    }

    #[test]
    fn a_path_is_a_uri() {
        assert_eq!(
            artifact("a b/ü.rs"),
            json!({"uri": "a%20b/%C3%BC.rs", "uriBaseId": "%SRCROOT%"})
        );
        assert_eq!(artifact("/a/b"), json!({"uri": "file:///a/b"}));
    }
}
