//! Why a finding counts, and for how much: for people who doubt it.
//!
//! A finding has what made it: its pattern's name, what the model said, the rule of a policy. The text is not scanned
//! again. What a row of the table says is looked up by its name.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use super::checksum::{crc32_base62, luhn, mod97};
use super::family;
use super::policy::{Placeholders, Policy};
use super::report::{Detection, PatternHit, Report, Verdict};
use super::size::SIZE_RULES;
use super::tables::{Check, FORMATS, FormatRow};
use super::tally::PLACEHOLDER_PART;

/// From this weight on a family is one of secrets.
const SECRET_WEIGHT: f64 = 0.25;

/// From this weight on a family is worth a warning.
const WARNING_WEIGHT: f64 = 0.10;

/// Why one detection counts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// How bad it is by itself.
    pub level: Verdict,
    /// What its family weighs.
    pub weight: f64,
    /// What it adds to the score: less than the weight where its family was found before.
    pub adds: f64,
    /// What the detector goes by.
    pub rule: &'static str,
    /// The form of such tokens, in the notation of the table of formats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Words of which one stands near.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// What documents the form: of a built-in one, a host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The check that it carries in itself, and whether it fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checksum: Option<Checksum>,
    /// The model's margin over its threshold, if the model has made the finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_margin: Option<i32>,
    /// Shannon's entropy of its characters, in bits for each, to a tenth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entropy: Option<f64>,
    /// How many bytes it is long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub len: Option<usize>,
}

/// A check that a text carries in itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Checksum {
    /// Its name.
    pub name: &'static str,
    /// Whether it fits. One that does not proves nothing.
    pub fits: bool,
}

/// How bad a detection is by itself: `high` for a secret, `medium` for personal data, `low` for a
/// placeholder, a blob or a size. A policy's weights move families.
#[must_use]
pub fn level(found: &Detection, policy: &Policy) -> Verdict {
    let Some(hit) = found.hit() else { return Verdict::Low };
    let weight = weight(&hit.kind, policy);
    if is_dummy(hit, policy) || hit.kind == family::BINARY_HINT || weight < WARNING_WEIGHT {
        Verdict::Low
    } else if weight < SECRET_WEIGHT {
        Verdict::Medium
    } else {
        Verdict::High
    }
}

/// Explains each detection of a report on a text, in their order.
#[must_use]
pub fn explain(content: &str, report: &Report, policy: &Policy) -> Vec<Explanation> {
    let hits = || report.detected_patterns.iter().filter_map(Detection::hit);
    let real = |kind: &str| hits().any(|hit| hit.kind == kind && !is_dummy(hit, policy));
    // Of all placeholders, the heaviest counts, once.
    let dummy = hits()
        .filter(|hit| is_dummy(hit, policy) && !real(&hit.kind))
        .map(|hit| weight(&hit.kind, policy) * PLACEHOLDER_PART)
        .fold(0.0, f64::max);
    let mut dummy_counted = false;
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    report
        .detected_patterns
        .iter()
        .map(|found| {
            let level = level(found, policy);
            let Some(hit) = found.hit() else { return Explanation::of_size(found, level) };
            let weight = weight(&hit.kind, policy);
            let adds = if is_dummy(hit, policy) {
                let part = weight * PLACEHOLDER_PART;
                let counts = !dummy_counted && !real(&hit.kind) && part >= dummy;
                dummy_counted |= counts;
                if counts { part } else { 0.0 }
            } else {
                let before = seen.entry(hit.kind.as_ref()).or_default();
                *before += 1;
                match *before {
                    1 => weight,
                    2 | 3 => weight * 0.25,
                    _ => 0.0,
                }
            };
            let text = content.get(hit.span.clone()).unwrap_or_default();
            let form = Form::of(hit);
            let text_of = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
            Explanation {
                level,
                weight,
                adds: (adds * 10_000.0).round() / 10_000.0,
                rule: rule(hit, form.is_some()),
                format: form.as_ref().and_then(|form| text_of(form.format)),
                words: form.as_ref().and_then(|form| text_of(&form.words)),
                source: form.as_ref().and_then(|form| text_of(form.source)),
                checksum: checksum(hit, text, form.and_then(|form| form.check)),
                model_margin: hit.margin,
                entropy: Some(entropy(text.as_bytes())),
                len: Some(text.len()),
            }
        })
        .collect()
}

/// What the row of a match says of its form, or the rule of a policy.
struct Form<'a> {
    format: &'a str,
    words: Cow<'a, str>,
    source: &'a str,
    check: Option<Check>,
}

impl<'a> Form<'a> {
    fn of(hit: &'a PatternHit) -> Option<Self> {
        if let Some(rule) = &hit.rule {
            let (words, source) = (rule.words.join(" ").into(), rule.source.as_deref());
            let (source, check) = (source.unwrap_or_default(), rule.check);
            return Some(Self { format: &rule.form, words, source, check });
        }
        let FormatRow { format, words, source, check, .. } =
            FORMATS.iter().find(|row| row.name == hit.pattern)?;
        Some(Self { format, words: (*words).into(), source, check: *check })
    }
}

impl Explanation {
    fn of_size(found: &Detection, level: Verdict) -> Self {
        let adds = match found {
            Detection::Size(size) => SIZE_RULES.iter().find(|rule| rule.name == size.rule),
            Detection::Pattern(_) => None,
        };
        let adds = adds.map_or(0.0, |rule| rule.score);
        Self {
            level,
            weight: adds,
            adds,
            rule: "a limit on the size of a text",
            format: None,
            words: None,
            source: None,
            checksum: None,
            model_margin: None,
            entropy: None,
            len: None,
        }
    }
}

fn weight(kind: &str, policy: &Policy) -> f64 {
    policy.weights.get(kind).copied().unwrap_or_else(|| family::weight(kind))
}

fn is_dummy(hit: &PatternHit, policy: &Policy) -> bool {
    hit.placeholder && policy.placeholders != Placeholders::Full
}

fn rule(hit: &PatternHit, has_format: bool) -> &'static str {
    match hit.pattern.as_ref() {
        _ if hit.placeholder => "a vendor's prefix with a dummy behind it",
        _ if hit.rule.is_some() => "a rule of the policy",
        "learned_token" => "the model takes it for a secret",
        "encoded_token" => "one random token that was encoded",
        "url_credentials" => "a password in an address",
        name if name.starts_with("national_id") => {
            "the number of a person, by form and check digits"
        }
        "credit_card" | "iban" => "the number of an account, by form and check digits",
        "phone" | "phone_international" => "a telephone number",
        "email" => "an e-mail address",
        _ if hit.kind == "pii" => {
            "personal data, by its form, its check or a word that announces it"
        }
        "long_base64_blob" => "a long run without a break",
        _ if has_format => "a published format",
        _ => "a pattern, or a name with a value that looks random",
    }
}

fn checksum(hit: &PatternHit, text: &str, check: Option<Check>) -> Option<Checksum> {
    if !hit.via.is_empty() || hit.placeholder {
        return None;
    }
    let is_github = hit.kind == "github_pat" && text.len() == 40;
    match hit.pattern.as_ref() {
        // A match of a policy's rule is none if its check does not fit.
        _ if hit.rule.is_some() => check.map(|_| Checksum { name: "crc32", fits: true }),
        "credit_card" => Some(Checksum { name: "luhn", fits: luhn(text.as_bytes()) }),
        "iban" => {
            let compact: Vec<u8> = text.bytes().filter(u8::is_ascii_alphanumeric).collect();
            let (head, rest) = compact.split_at_checked(4)?;
            let fits = mod97(rest.iter().chain(head).copied()) == 1;
            Some(Checksum { name: "mod97", fits })
        }
        _ if is_github || check == Some(Check::Crc32Base62) => {
            let body = text.rsplit('_').next().unwrap_or(text);
            Some(Checksum { name: "crc32", fits: crc32_base62(body.as_bytes()) })
        }
        _ => None,
    }
}

/// Shannon's entropy in bits for each byte, to a tenth.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in bytes {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let all = bytes.len() as f64;
    let bits: f64 = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) / all)
        .map(|share| -share * share.log2())
        .sum();
    (bits * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{score, work};

    fn explained(text: &str, policy: &Policy) -> Vec<Explanation> {
        explain(text, &score(text, policy), policy)
    }

    #[test]
    fn what_each_finding_adds_makes_the_score() {
        let token = ["gh", "p_", &"k3Jd9f".repeat(6)].concat();
        let policy = Policy::default();
        for text in [
            format!("{token}\n{token} a@b.io c@d.io e@f.io g@h.io"),
            format!("k = {}{{REDACTED}}", ["sk-", "ant-", "oat01-"].concat()),
            "x".repeat(2_001),
            String::new(),
        ] {
            let sum: f64 = explained(&text, &policy).iter().map(|why| why.adds).sum();
            let score = score(&text, &policy).score;
            assert!((sum - score).abs() < 0.000_2, "{sum} {score}");
        }
    }

    #[test]
    fn the_level_is_that_of_the_finding_and_not_of_the_text() {
        let levels = |text: &str, policy: &Policy| {
            explained(text, policy).into_iter().map(|why| why.level).collect::<Vec<_>>()
        };
        let built_in = Policy::default();
        let weighing =
            |weight| Policy { weights: [("pii".to_owned(), weight)].into(), ..Policy::default() };
        let full = Policy { placeholders: Placeholders::Full, ..Policy::default() };
        let token = ["gh", "p_", &"k3Jd9f".repeat(6)].concat();
        assert_eq!(levels(&format!("{token} a@b.io"), &built_in), [Verdict::High, Verdict::Medium]);
        assert_eq!(levels("a@b.io", &weighing(0.3)), [Verdict::High]);
        assert_eq!(levels("a@b.io", &weighing(0.01)), [Verdict::Low]);
        let dummy = ["sk-", "ant-", "oat01-", "{REDACTED}"].concat();
        assert_eq!(levels(&dummy, &built_in), [Verdict::Low]);
        assert_eq!(levels(&dummy, &full), [Verdict::High]);
        assert_eq!(levels(&"-".repeat(2_001), &built_in), [Verdict::Low]);
    }

    #[test]
    fn the_models_margin_is_told_of_what_it_has_found_and_nothing_is_scanned_again() {
        let value = ["8zBhTTWf", "BKWP9hJ8", "wunD7zMa", "EvWOGg"].concat();
        let token = ["gh", "p_", &"k3Jd9f".repeat(6)].concat();
        let text = format!("the secret {value}\nkey = {token}\n");
        let report = score(&text, &Policy::default());
        work::taken();
        let why = explain(&text, &report, &Policy::default());
        assert_eq!(work::taken(), 0);
        let learned = report.detected_patterns.iter().filter_map(Detection::hit);
        let learned: Vec<bool> = learned.map(|hit| hit.pattern == "learned_token").collect();
        assert_eq!(learned, [false, true], "{report:?}");
        let margins: Vec<_> =
            why.iter().map(|why| why.model_margin.map(|margin| margin >= 0)).collect();
        assert_eq!(margins, [None, Some(true)]);
    }

    #[test]
    fn checks_and_entropy_are_told() {
        let why = explained("pay DE89370400440532013000 now", &Policy::default());
        assert_eq!(why[0].checksum, Some(Checksum { name: "mod97", fits: true }));
        assert_eq!(entropy(b"aaaa"), 0.0);
        assert_eq!(entropy(b"abababab"), 1.0);
        assert_eq!(entropy(b""), 0.0);
    }
}
