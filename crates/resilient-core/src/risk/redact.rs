//! Taking secrets out of a text and leaving marks in their place.
//!
//! The same secret gets the same mark everywhere, `<REDACTED:api_key:1>`, so that what was equal
//! stays equal. A redaction is whole or it is none: the result is scanned again, and when something
//! of the chosen families is still in it, there is no result.

use std::collections::BTreeMap;
use std::ops::Range;

use memchr::memmem;
use serde::Serialize;

use super::{PatternHit, Policy, family, hits};
use crate::digest::Digest;
use crate::risk::model::Model;

/// A text without its secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Redaction {
    /// The text with marks.
    pub text: String,
    /// What was replaced, in the order of the text.
    pub replaced: Vec<Replaced>,
}

/// One replaced secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Replaced {
    /// What stands there now.
    pub mark: String,
    /// The family of what stood there.
    pub kind: String,
    /// The pattern that found it.
    pub pattern: String,
    /// Where it began in the text before, in bytes.
    pub start: usize,
    /// Where it ended.
    pub end: usize,
    /// Its line, from 1.
    pub line: usize,
    /// The digest of what was taken out.
    pub sha256: Digest,
}

/// A text from which its secrets cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{count} findings would remain, the first in line {line}")]
pub struct Unredacted {
    /// How many findings remain.
    pub count: usize,
    /// The line of the first of them.
    pub line: usize,
}

/// Replaces what is found of the given families; of all that are secrets when none is given.
///
/// # Errors
/// Something of these families would still be found in the result.
pub fn redact(content: &str, policy: &Policy, families: &[&str]) -> Result<Redaction, Unredacted> {
    let model = policy.model.then(Model::built_in);
    let chosen = |hit: &PatternHit| {
        let kind = hit.kind.as_ref();
        let wanted = if families.is_empty() {
            family::is_redactable(kind)
        } else {
            families.contains(&kind)
        };
        wanted && !hit.placeholder
    };
    let mut spans: Vec<(Range<usize>, PatternHit)> = hits(content, policy, model)
        .into_iter()
        .filter(chosen)
        .map(|hit| (secret(content, &hit), hit))
        .filter(|(span, _)| !span.is_empty())
        .collect();
    spans.sort_by_key(|(span, _)| (span.start, usize::MAX - span.end));

    // Findings that overlap are one secret with several names, of which the first counts.
    let mut apart: Vec<(Range<usize>, PatternHit)> = Vec::new();
    for (span, hit) in spans {
        match apart.last_mut() {
            Some((last, _)) if span.start < last.end => last.end = last.end.max(span.end),
            _ => apart.push((span, hit)),
        }
    }
    let mut numbers: BTreeMap<(String, Digest), usize> = BTreeMap::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut text = String::with_capacity(content.len());
    let mut replaced = Vec::new();
    let mut from = 0;
    for (span, hit) in apart {
        let taken = content.get(span.clone()).unwrap_or_default();
        let sha256 = Digest::of(taken.as_bytes());
        let kind = hit.kind.into_owned();
        let number = *numbers.entry((kind.clone(), sha256)).or_insert_with(|| {
            let count = counts.entry(kind.clone()).or_default();
            *count += 1;
            *count
        });
        let mark = format!("<REDACTED:{kind}:{number}>");
        text.push_str(content.get(from..span.start).unwrap_or_default());
        text.push_str(&mark);
        from = span.end;
        replaced.push(Replaced {
            mark,
            kind,
            pattern: hit.pattern.into_owned(),
            start: span.start,
            end: span.end,
            line: hit.line,
            sha256,
        });
    }
    text.push_str(content.get(from..).unwrap_or_default());

    let left: Vec<PatternHit> = hits(&text, policy, model).into_iter().filter(chosen).collect();
    match left.iter().map(|hit| hit.line).min() {
        Some(line) => Err(Unredacted { count: left.len(), line }),
        None => Ok(Redaction { text, replaced }),
    }
}

/// Where the secret of a finding is: without the name before it, with the block behind it.
fn secret(content: &str, hit: &PatternHit) -> Range<usize> {
    let span = hit.span.clone();
    let found = content.get(span.clone()).unwrap_or_default();
    if !hit.via.is_empty() {
        return span;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn token(fill: &str) -> String {
        ["gh", "p_", &fill.repeat(6)].concat()
    }

    #[test]
    fn equal_secrets_get_equal_marks() {
        let (one, two) = (token("k3Jd9f"), token("Zq8vN2"));
        let text = format!("a = {one}\nb = {two}\nc = {one}\n");
        let redaction = redact(&text, &Policy::default(), &[]).unwrap();
        assert_eq!(
            redaction.text,
            "a = <REDACTED:github_pat:1>\nb = <REDACTED:github_pat:2>\nc = <REDACTED:github_pat:1>\n"
        );
        let spans: Vec<_> = redaction.replaced.iter().map(|r| (r.start, r.end, r.line)).collect();
        assert_eq!(spans, [(4, 44, 1), (49, 89, 2), (94, 134, 3)]);
        assert_eq!(redaction.replaced[0].sha256, Digest::of(one.as_bytes()));
    }

    #[test]
    fn names_and_hosts_stay_and_blocks_go_whole() {
        let password = ["s3cr", "etP4ss"].concat();
        let block =
            ["-----BEGIN RSA ", "PRIVATE KEY-----\nMIIabc\n-----END RSA ", "PRIVATE KEY-----"];
        let text = format!("amqps://me:{password}@bunny.cloudamqp.com\n{}\n", block.concat());
        assert_eq!(
            redact(&text, &Policy::default(), &[]).unwrap().text,
            "amqps://me:<REDACTED:conn_string:1>@bunny.cloudamqp.com\n<REDACTED:pem_block:1>\n"
        );
    }

    #[test]
    fn only_chosen_families_are_replaced() {
        let text = format!("{} a@b.io", token("k3Jd9f"));
        let redaction = redact(&text, &Policy::default(), &["pii"]).unwrap();
        assert!(redaction.text.ends_with(" <REDACTED:pii:1>"), "{redaction:?}");
        assert_eq!(redaction.replaced.len(), 1);
    }
}
