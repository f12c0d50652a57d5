//! What the classifier answers: the report, its verdict, and how both look as JSON.
//!
//! The field names and their types are what clients of `rw.risk_score` already parse.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;

use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::rule::Rule;

/// How a text fared.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Report {
    /// From 0 (nothing found) to 1, rounded to four digits.
    pub score: f64,
    /// The score as a word, by the policy's thresholds and before the rounding.
    pub verdict: Verdict,
    /// The length of the text in UTF-8 bytes.
    pub bytes: usize,
    /// The number of lines; a last line without a line feed counts, an empty text has none.
    pub line_count: usize,
    /// The length of the longest line in characters.
    pub max_line_len: usize,
    /// What was found: by pattern and then by position, size rules last.
    pub detected_patterns: Vec<Detection>,
    /// How many were found beyond those, in a report that was [cut](Report::cut).
    #[serde(skip_serializing_if = "is_none")]
    pub omitted: usize,
    /// What an agent could do about it.
    pub suggested_actions: Vec<Action>,
}

/// So many findings are listed in an answer. Families count three at most, and a text with more
/// than this is a flood: nobody reads on, but everybody pays for it.
pub const LISTED_MAX: usize = 200;

impl Report {
    /// Leaves out what an answer does not list. The numbers of what is listed stay the same.
    #[must_use]
    pub fn cut(mut self) -> Self {
        let all = self.detected_patterns.len();
        self.detected_patterns.truncate(LISTED_MAX);
        self.omitted += all - self.detected_patterns.len();
        self
    }

    /// The same for a text whose first lines the caller does not know: the others are numbered from 1.
    #[must_use]
    pub fn without_lines(mut self, count: usize) -> Self {
        for found in &mut self.detected_patterns {
            if let Detection::Pattern(hit) = found {
                hit.line = hit.line.saturating_sub(count).max(1);
            }
        }
        self
    }

    /// Returns the kinds of everything detected, `size` included: sorted, each once.
    #[must_use]
    pub fn kinds(&self) -> Vec<String> {
        let kinds: BTreeSet<&str> = self.detected_patterns.iter().map(Detection::kind).collect();
        kinds.into_iter().map(str::to_owned).collect()
    }

    /// Whether something was found only together with the text in front: see [`PatternHit::begins_before`].
    #[must_use]
    pub fn begins_before(&self) -> bool {
        self.detected_patterns.iter().filter_map(Detection::hit).any(|hit| hit.begins_before)
    }

    /// Whether redacting can take out something of what was found.
    #[must_use]
    pub fn is_redactable(&self) -> bool {
        let redacts = |action: &Action| {
            matches!(action, Action::Redact { .. } | Action::RenamePlaceholder { .. })
        };
        self.suggested_actions.iter().any(redacts)
    }
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

/// The score as a word; a riskier verdict is the greater one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Nothing speaks against writing the text.
    Safe,
    /// Something was found that a filter may dislike.
    Low,
    /// A filter may well refuse the text.
    Medium,
    /// A filter will likely refuse the text.
    High,
}

impl Verdict {
    /// Returns the verdict's name, the one that [`FromStr`] reads.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Verdict {
    type Err = UnknownVerdict;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        [Self::Safe, Self::Low, Self::Medium, Self::High]
            .into_iter()
            .find(|verdict| verdict.as_str() == text)
            .ok_or_else(|| UnknownVerdict { found: text.to_owned() })
    }
}

/// A text that names no verdict.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is not one of safe, low, medium, high")]
pub struct UnknownVerdict {
    /// The text.
    pub found: String,
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum Detection {
    /// A pattern matched.
    Pattern(PatternHit),
    /// A size rule was exceeded.
    Size(SizeHit),
}

impl Detection {
    /// Returns the family of a pattern, or `size`.
    #[must_use]
    pub fn kind(&self) -> &str {
        match self {
            Self::Pattern(hit) => &hit.kind,
            Self::Size(_) => SizeHit::KIND,
        }
    }

    /// The match, if it is one of a pattern.
    pub(crate) const fn hit(&self) -> Option<&PatternHit> {
        match self {
            Self::Pattern(hit) => Some(hit),
            Self::Size(_) => None,
        }
    }
}

/// One match of a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct PatternHit {
    /// The pattern's family.
    pub kind: Cow<'static, str>,
    /// The pattern's name.
    pub pattern: Cow<'static, str>,
    /// The beginning of the matched text.
    #[serde(rename = "match")]
    pub snippet: String,
    /// The line on which the match begins, from 1.
    pub line: usize,
    /// Whether it is a vendor's prefix with a dummy behind it: it may trip a filter, but nothing
    /// is lost. Left out when it is not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub placeholder: bool,
    /// The decodings through which the match was seen, outermost first: `base64`, `reversed`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<&'static str>,
    /// Whether it is a finding only together with the text in front of that which was judged: nothing that is taken
    /// out of the latter ends it. Left out when it is not.
    #[serde(rename = "begins_in_file", skip_serializing_if = "std::ops::Not::not")]
    pub begins_before: bool,
    /// Where the match is in the text, in bytes; of a decoded one, what it was decoded from.
    #[serde(skip)]
    pub span: Range<usize>,
    /// The pieces of the text that the secret is made of, in order and apart, where it is not simply the
    /// match: of literals that are added up, what stands in each of them.
    #[serde(skip)]
    pub pieces: Vec<Range<usize>>,
    /// How far above its threshold the model saw it, if the model has made the finding.
    #[serde(skip)]
    pub margin: Option<i32>,
    /// The rule of the policy that it is a match of; none of what is built in, and of a regex.
    #[serde(skip)]
    pub rule: Option<Arc<Rule>>,
}

/// A size rule that was exceeded. As JSON it has all the keys of a [`PatternHit`], too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeHit {
    /// The rule's name.
    pub rule: &'static str,
    /// What was measured.
    pub value: usize,
    /// The most that the rule lets pass.
    pub threshold: usize,
}

impl SizeHit {
    /// The kind of every size hit.
    pub const KIND: &'static str = "size";
}

impl Serialize for SizeHit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("SizeHit", 6)?;
        object.serialize_field("kind", Self::KIND)?;
        object.serialize_field("pattern", self.rule)?;
        object.serialize_field("match", &None::<&str>)?;
        object.serialize_field("line", &None::<usize>)?;
        object.serialize_field("value", &self.value)?;
        object.serialize_field("threshold", &self.threshold)?;
        object.end()
    }
}

/// One thing an agent could do about a detection.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "action", rename_all = "lowercase")]
pub enum Action {
    /// Take the secrets out.
    Redact {
        /// The families that were found, sorted.
        targets: Vec<String>,
    },
    /// Write the text in several parts.
    Split {
        /// What is too large, in machine-readable words.
        reason: String,
    },
    /// Write a placeholder without the vendor's prefix, `<REDACTED>`.
    #[serde(rename = "rename_placeholder")]
    RenamePlaceholder {
        /// The families whose prefixes were found, sorted.
        targets: Vec<String>,
    },
    /// Break the long lines up or encode them.
    Escape {
        /// What is too long, in machine-readable words.
        reason: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_report_keeps_the_first_findings_and_counts_the_others() {
        let policy = crate::Policy::default();
        let of = |addresses: usize| {
            let text: String = (0..addresses).map(|n| format!("person{n}@mail.net\n")).collect();
            let whole = crate::score(&text, &policy);
            // A size rule that fires comes last.
            let long = text + &"- ".repeat(1_500);
            for text in [long.as_str(), long.get(..20).unwrap()] {
                let cut = crate::score_cut(text, &policy);
                assert_eq!(cut, crate::score(text, &policy).cut());
            }
            whole
        };
        let whole = of(LISTED_MAX);
        assert_eq!(whole.clone().cut(), whole);
        assert!(serde_json::to_value(&whole).unwrap().get("omitted").is_none());
        let flood = of(LISTED_MAX + 7);
        let cut = flood.clone().cut();
        assert_eq!(cut.detected_patterns, flood.detected_patterns[..LISTED_MAX]);
        assert_eq!((cut.omitted, cut.score), (7, flood.score));
        assert_eq!(cut.clone().cut(), cut);
    }

    #[test]
    fn verdicts_are_ordered_and_read_back() {
        let verdicts = [Verdict::Safe, Verdict::Low, Verdict::Medium, Verdict::High];
        assert!(verdicts.is_sorted_by(|a, b| a < b));
        for verdict in verdicts {
            assert_eq!(verdict.to_string().parse(), Ok(verdict));
            assert_eq!(serde_json::to_value(verdict).unwrap(), verdict.as_str());
        }
        let unknown = "High".parse::<Verdict>().unwrap_err();
        assert_eq!(unknown.to_string(), "`High` is not one of safe, low, medium, high");
    }
}
