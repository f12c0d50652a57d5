//! A text as it may be shown to whom it comes from: of each secret only the beginning, as reports show it.

use std::borrow::Cow;
use std::ops::Range;

use super::explain::level;
use super::pattern;
use super::policy::Policy;
use super::report::Verdict;
use super::score::score;

/// The text with no secret in it that is whole. What only looks like one, such as a placeholder, stays.
#[must_use]
pub fn veil<'a>(content: &'a str, policy: &Policy) -> Cow<'a, str> {
    let report = score(content, policy);
    let mut spans: Vec<Range<usize>> = report
        .detected_patterns
        .iter()
        .filter(|found| level(found, policy) == Verdict::High)
        .filter_map(|found| Some(found.hit()?.span.clone()))
        .collect();
    if spans.is_empty() {
        return Cow::Borrowed(content);
    }
    spans.sort_by_key(|span| span.start);
    let (mut veiled, mut at) = (String::with_capacity(content.len()), 0);
    for span in spans {
        // Two findings may overlap: what is left of the second is a secret's end.
        let start = span.start.max(at);
        veiled.push_str(content.get(at..start).unwrap_or_default());
        if start == span.start {
            veiled.push_str(&pattern::snippet(content.get(span.clone()).unwrap_or_default()));
        }
        at = at.max(span.end);
    }
    veiled.push_str(content.get(at..).unwrap_or_default());
    Cow::Owned(veiled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_each_secret_the_beginning_is_shown_and_all_else_stays() {
        let policy = Policy::default();
        let [one, two] = ["aB3", "xY7"].map(|fill| ["gh", "p_", &fill.repeat(12)].concat());
        let text = format!("a\nkey = \"{one}\" # {two}\nmail jane@mail.net\n");
        let veiled = veil(&text, &policy);
        assert!(!veiled.contains(&one[..20]) && !veiled.contains(&two[..20]), "{veiled}");
        assert!(veiled.starts_with("a\nkey = \"ghp_aB3"), "{veiled}");
        assert!(veiled.ends_with("…\nmail jane@mail.net\n"), "{veiled}");
        assert!(matches!(veil("nothing of the kind", &policy), Cow::Borrowed(_)));
    }
}
