//! A regular expression that is compiled when it is first asked for.

use std::sync::OnceLock;

use regex::{Captures, Match, Regex};

/// A form that texts may have. One that is no regular expression matches nothing, and fails every test that asks for it.
pub(super) struct Form {
    pattern: &'static str,
    regex: OnceLock<Option<Regex>>,
}

impl Form {
    pub(super) const fn of(pattern: &'static str) -> Self {
        Self { pattern, regex: OnceLock::new() }
    }

    pub(super) fn regex(&self) -> Option<&Regex> {
        let regex = self.regex.get_or_init(|| Regex::new(self.pattern).ok()).as_ref();
        debug_assert!(regex.is_some(), "no regular expression: {}", self.pattern);
        regex
    }

    pub(super) fn is_in(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }

    pub(super) fn find<'a>(&self, text: &'a str) -> Option<Match<'a>> {
        self.regex()?.find(text)
    }

    pub(super) fn captures<'a>(&self, text: &'a str) -> Option<Captures<'a>> {
        self.regex()?.captures(text)
    }
}
