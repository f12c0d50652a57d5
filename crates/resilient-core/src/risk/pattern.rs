//! What the classifier looks for: the built-in families of patterns, and finding them in a text.
//!
//! The table below is the contract: its order is the order of a report, its weights make the
//! score. Every search takes time linear in the text. The `regex` crate promises that for one
//! match only; over all matches it holds here because no pattern can read far beyond the end of a
//! match through text in which the next match begins.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::memchr_iter;
use regex::{Regex, RegexBuilder};

use super::policy::PolicyError;
use super::report::PatternHit;

/// The one family that is no secret: there is nothing to redact, only to split off.
pub(super) const BINARY_HINT: &str = "binary_hint";

/// A policy's regex may not compile to more than this.
const COMPILED_BYTES_MAX: usize = 1 << 20;

/// A family of patterns that weigh together.
struct Family {
    name: &'static str,
    weight: f64,
    /// Names and regexes.
    patterns: &'static [(&'static str, &'static str)],
}

const FAMILIES: [Family; 7] = [
    Family {
        name: "api_key",
        weight: 0.35,
        patterns: &[
            ("anthropic_oat", r"sk-ant-oat\d+-[A-Za-z0-9_\-]{40,}"),
            ("anthropic_api", r"sk-ant-api\d+-[A-Za-z0-9_\-]{40,}"),
            ("openai_project_key", r"sk-proj-[A-Za-z0-9_\-]{40,}"),
            ("openai_key", r"sk-[A-Za-z0-9]{30,}"),
            ("datadog_client_key", r"pub[a-f0-9]{32}"),
            ("statsig_client_key", r"client-[A-Za-z0-9]{30,}"),
            ("aws_access_key_id", r"AKIA[0-9A-Z]{16}"),
            ("bearer_token", r"(?i)bearer\s+[A-Za-z0-9\-_\.=]{20,}"),
        ],
    },
    Family {
        name: "github_pat",
        weight: 0.35,
        patterns: &[
            ("gho", r"gho_[A-Za-z0-9]{36}"),
            ("ghp", r"ghp_[A-Za-z0-9]{36}"),
            ("ghu", r"ghu_[A-Za-z0-9]{36}"),
            ("ghs", r"ghs_[A-Za-z0-9]{36}"),
            ("ghr", r"ghr_[A-Za-z0-9]{36}"),
        ],
    },
    Family {
        name: "jwt",
        weight: 0.25,
        patterns: &[("jwt_triplet", r"eyJ[A-Za-z0-9_\-]+\.eyJ[A-Za-z0-9_\-]+\.[A-Za-z0-9_\-]+")],
    },
    Family {
        name: "pem_block",
        weight: 0.50,
        patterns: &[("pem_private_key", r"-----BEGIN [A-Z ]+ PRIVATE KEY-----")],
    },
    Family {
        name: "aws_secret",
        weight: 0.40,
        patterns: &[(
            "aws_secret_access_key",
            r#"(?i)aws_secret_access_key["'\s:=]+[A-Za-z0-9/+=]{40}"#,
        )],
    },
    Family {
        name: "pii",
        weight: 0.15,
        patterns: &[
            ("email", r"[A-Za-z0-9._%+\-]+@[A-Za-z0-9.\-]+\.[A-Za-z]{2,}"),
            (SSN, r"\d{3}-\d{2}-\d{4}"),
        ],
    },
    Family {
        name: BINARY_HINT,
        weight: 0.20,
        patterns: &[("long_base64_blob", r"[A-Za-z0-9+/=]{200,}")],
    },
];

/// The one built-in pattern that must stand between word boundaries.
const SSN: &str = "ssn";

/// Tells how much a family weighs; one that only a policy knows weighs nothing.
pub(super) fn weight(family: &str) -> f64 {
    FAMILIES.iter().find(|known| known.name == family).map_or(0.0, |known| known.weight)
}

/// Tells whether a family's matches are secrets that can be redacted.
pub(super) fn is_redactable(family: &str) -> bool {
    family != BINARY_HINT && FAMILIES.iter().any(|known| known.name == family)
}

/// Returns the built-in patterns in the order of the table.
///
/// They are compiled at the first call, so that a server which never classifies starts faster.
pub(super) fn built_in() -> &'static [Pattern] {
    static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
        let of_family = |family: &'static Family| {
            family.patterns.iter().map(|(name, regex)| compile_built_in(family.name, name, regex))
        };
        FAMILIES.iter().flat_map(of_family).collect()
    });
    &PATTERNS
}

#[expect(clippy::expect_used, reason = "the regexes are constants, and each has a test")]
fn compile_built_in(family: &'static str, name: &'static str, regex: &str) -> Pattern {
    Pattern {
        family: Cow::Borrowed(family),
        name: Cow::Borrowed(name),
        regex: Regex::new(regex).expect("a built-in regex compiles"),
        boundary: if name == SSN { Boundary::Word } else { Boundary::Any },
    }
}

/// A named regex that belongs to a family.
#[derive(Clone, Debug)]
pub struct Pattern {
    family: Cow<'static, str>,
    name: Cow<'static, str>,
    regex: Regex,
    boundary: Boundary,
}

/// What may stand next to a match.
#[derive(Clone, Copy, Debug)]
enum Boundary {
    Any,
    /// No word character on either side. A `\b` in the regex would say the same, but the engine
    /// leaves its fast path for it as soon as a text is not plain ASCII.
    Word,
}

impl Pattern {
    /// Compiles a pattern such as a policy adds.
    ///
    /// The syntax is that of the `regex` crate: without look-around and back-references, which
    /// could take exponential time.
    ///
    /// # Errors
    ///
    /// [`PolicyError::BadRegex`] if the regex is malformed or compiles to more than 1 MiB.
    pub fn new(family: &str, name: &str, regex: &str) -> Result<Self, PolicyError> {
        let compiled = RegexBuilder::new(regex).size_limit(COMPILED_BYTES_MAX).build();
        let regex = compiled.map_err(|error| PolicyError::BadRegex {
            family: family.to_owned(),
            name: name.to_owned(),
            message: one_line(&error),
        })?;
        Ok(Self {
            family: Cow::Owned(family.to_owned()),
            name: Cow::Owned(name.to_owned()),
            regex,
            boundary: Boundary::Any,
        })
    }

    /// Returns the family whose weight a hit counts for.
    #[must_use]
    pub fn family(&self) -> &str {
        &self.family
    }

    /// Returns the pattern's own name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Finds the pattern in a text, from its start to its end.
    pub(super) fn hits<'a>(&'a self, text: &'a str) -> impl Iterator<Item = PatternHit> + 'a {
        let mut line = 1;
        let mut counted = 0;
        self.matches(text).map(move |found| {
            let gap = text.as_bytes().get(counted..found.start).unwrap_or_default();
            line += memchr_iter(b'\n', gap).count();
            counted = found.start;
            PatternHit {
                kind: self.family.clone(),
                pattern: self.name.clone(),
                snippet: snippet(text.get(found).unwrap_or_default()),
                line,
            }
        })
    }

    fn matches<'a>(&'a self, text: &'a str) -> Box<dyn Iterator<Item = Range<usize>> + 'a> {
        match self.boundary {
            Boundary::Any => Box::new(self.regex.find_iter(text).map(|found| found.range())),
            Boundary::Word => Box::new(words(&self.regex, text)),
        }
    }
}

/// Finds the matches that have no word character on either side.
///
/// The regex's matches must be short, all of one length, and begin and end with a word character.
/// Then looking again from the second character of a rejected one misses nothing and costs little.
fn words<'a>(regex: &'a Regex, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let found = regex.find_at(text, from)?;
            let (before, rest) = text.split_at_checked(found.start())?;
            let (_, after) = text.split_at_checked(found.end())?;
            if !before.ends_with(is_word) && !after.starts_with(is_word) {
                from = found.end();
                return Some(found.range());
            }
            from = found.start() + rest.chars().next()?.len_utf8();
        }
    })
}

/// Letters, numbers and the underscore, in any script.
fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// Shows enough of a match to find it, not enough to use it: sixteen characters, on one line.
fn snippet(found: &str) -> String {
    const CHARS_MAX: usize = 16;
    let mut chars = found.chars().flat_map(|char| {
        let (first, second) = if char == '\n' { ('\\', Some('n')) } else { (char, None) };
        std::iter::once(first).chain(second)
    });
    let mut snippet: String = chars.by_ref().take(CHARS_MAX).collect();
    if chars.next().is_some() {
        snippet.push('…');
    }
    snippet
}

/// A syntax error is drawn over several lines, of which the last one says what is wrong.
fn one_line(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(&'static str, &'static str)> {
        let name_of = |pattern: &'static Pattern| (pattern.family(), pattern.name());
        built_in().iter().flat_map(|p| p.hits(text).map(move |_| name_of(p))).collect()
    }

    fn of(name: &str) -> &'static Pattern {
        built_in().iter().find(|pattern| pattern.name() == name).unwrap()
    }

    /// Joins parts into what must not stand in a source file as it is.
    fn secret(parts: &[&str], fill: &str, count: usize) -> String {
        parts.concat() + &fill.repeat(count)
    }

    #[test]
    fn each_pattern_hits_at_its_shortest_and_misses_just_below() {
        let gh = |kind: &str, count| secret(&["gh", kind, "_"], "x", count);
        let pem = |kind: &str| ["-----", "BEGIN ", kind, "PRIVATE KEY", "-----"].concat();
        let aws = |count| secret(&["AWS_Secret", "_access_key\": '"], "/", count);
        let jwt = |third: &str| ["ey", "Ja.ey", "J_.", third].concat();
        let rows = [
            (
                "api_key",
                "anthropic_oat",
                secret(&["sk-", "ant-", "oat01-"], "A", 40),
                secret(&["sk-", "ant-", "oat01-"], "A", 39),
            ),
            (
                "api_key",
                "anthropic_api",
                secret(&["sk-", "ant-", "api3-"], "_", 40),
                secret(&["sk-", "ant-", "api-"], "_", 40),
            ),
            (
                "api_key",
                "openai_project_key",
                secret(&["sk-", "proj-"], "-", 40),
                secret(&["sk-", "proj-"], "-", 39),
            ),
            ("api_key", "openai_key", secret(&["sk", "-"], "z", 30), secret(&["sk", "-"], "z", 29)),
            (
                "api_key",
                "datadog_client_key",
                secret(&["pu", "b"], "0f", 16),
                secret(&["pu", "b"], "0g", 16),
            ),
            (
                "api_key",
                "statsig_client_key",
                secret(&["cli", "ent-"], "9", 30),
                secret(&["cli", "ent-"], "9", 29),
            ),
            (
                "api_key",
                "aws_access_key_id",
                secret(&["AK", "IA"], "Z", 16),
                secret(&["AK", "IA"], "z", 16),
            ),
            (
                "api_key",
                "bearer_token",
                secret(&["BEAR", "er \t"], "=", 20),
                secret(&["BEAR", "er \t"], "=", 19),
            ),
            ("github_pat", "gho", gh("o", 36), gh("o", 35)),
            ("github_pat", "ghp", gh("p", 36), gh("p", 35)),
            ("github_pat", "ghu", gh("u", 36), gh("u", 35)),
            ("github_pat", "ghs", gh("s", 36), gh("s", 35)),
            ("github_pat", "ghr", gh("r", 36), gh("r", 35)),
            ("jwt", "jwt_triplet", jwt("-"), jwt("")),
            ("pem_block", "pem_private_key", pem("RSA "), pem("")),
            ("aws_secret", "aws_secret_access_key", aws(40), aws(39)),
            ("pii", "email", "%@-.io".to_owned(), "%@-.i".to_owned()),
            ("pii", "ssn", "(123-45-6789)".to_owned(), "(1123-45-6789)".to_owned()),
            ("binary_hint", "long_base64_blob", "a".repeat(200), "a".repeat(199)),
        ];
        assert_eq!(
            rows.iter().map(|row| row.1).collect::<Vec<_>>(),
            built_in().iter().map(Pattern::name).collect::<Vec<_>>()
        );
        for (family, name, hit, miss) in rows {
            assert_eq!(found(&hit), [(family, name)], "{hit}");
            assert_eq!(found(&miss), [], "{miss}");
            assert_eq!(found(&format!("é {hit}\n")), [(family, name)], "{hit}");
        }
    }

    #[test]
    fn families_weigh_what_the_contract_says() {
        let weights: Vec<_> = [
            "api_key",
            "github_pat",
            "jwt",
            "pem_block",
            "aws_secret",
            "pii",
            "binary_hint",
            "new",
        ]
        .map(weight)
        .into();
        assert_eq!(weights, [0.35, 0.35, 0.25, 0.50, 0.40, 0.15, 0.20, 0.0]);
        assert!(is_redactable("pii") && !is_redactable("binary_hint") && !is_redactable("new"));
    }

    #[test]
    fn digits_spaces_and_words_are_those_of_any_script() {
        assert_eq!(found("\u{663}\u{663}\u{663}-12-3456"), [("pii", "ssn")]);
        assert_eq!(found(&secret(&["bear", "er\u{2003}"], "x", 20)), [("api_key", "bearer_token")]);
        assert_eq!(found("é123-45-6789"), []);
        assert_eq!(found("123-45-6789\u{663}"), []);
        assert_eq!(found("_123-45-6789"), []);
        assert_eq!(found("…123-45-6789-0"), [("pii", "ssn")]);
        // A combining mark is no letter.
        assert_eq!(found("123-45-6789\u{301}"), [("pii", "ssn")]);
    }

    #[test]
    fn a_rejected_number_does_not_hide_the_next_one() {
        let hits: Vec<_> = of("ssn").matches("0123-45-6789 123-45-67890 987-65-4321").collect();
        assert_eq!(hits, vec![26..37]);
    }

    #[test]
    fn standing_alone_means_what_a_word_boundary_means() {
        let plain = Regex::new(r"\b\d{3}-\d{2}-\d{4}\b").unwrap();
        let parts =
            ["1", "12", "123", "1234", "-", "-", "_", "a", "é", "٣", " ", "\n", "123-12-1234"];
        let mut state = 0x2545_F491_4F6C_DD1D_u64;
        let mut hits = 0;
        for _ in 0..4_000 {
            let mut text = String::new();
            for _ in 0..12 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                text.push_str(parts[(state % parts.len() as u64) as usize]);
            }
            let expected: Vec<_> = plain.find_iter(&text).map(|found| found.range()).collect();
            hits += expected.len();
            assert_eq!(of("ssn").matches(&text).collect::<Vec<_>>(), expected, "{text:?}");
        }
        assert!(hits > 300, "the corpus has only {hits} hits");
    }

    #[test]
    fn a_hit_names_its_line_and_shows_no_more_than_sixteen_characters() {
        let text = "a@b.io\nx\n\nsome-long-name@example.org c@d.io\n";
        let hits: Vec<_> = of("email").hits(text).map(|hit| (hit.line, hit.snippet)).collect();
        let expected = [(1, "a@b.io"), (4, "some-long-name@e…"), (4, "c@d.io")];
        assert_eq!(hits, expected.map(|(line, snippet)| (line, snippet.to_owned())));
    }

    #[test]
    fn a_snippet_is_cut_by_characters_after_line_feeds_are_spelled_out() {
        assert_eq!(snippet(""), "");
        assert_eq!(snippet("0123456789abcdef"), "0123456789abcdef");
        assert_eq!(snippet("0123456789abcdefg"), "0123456789abcdef…");
        assert_eq!(snippet("a\nb"), "a\\nb");
        assert_eq!(snippet("0123456789abcd\n"), "0123456789abcd\\n");
        assert_eq!(snippet("0123456789abcde\n"), "0123456789abcde\\…");
        assert_eq!(snippet(&"é".repeat(17)), format!("{}…", "é".repeat(16)));
    }

    #[test]
    fn an_added_pattern_may_match_nothing_at_all() {
        let pattern = Pattern::new("house", "empty", "x*").unwrap();
        let lines: Vec<_> = pattern.hits("é\nxx").map(|hit| (hit.line, hit.snippet)).collect();
        assert_eq!(lines, [(1, ""), (1, ""), (2, "xx")].map(|(l, s)| (l, s.to_owned())));
    }
}
