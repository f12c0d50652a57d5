//! How often each family was found, and what that weighs.

use std::collections::{BTreeMap, BTreeSet};

use super::family;
use super::report::Action;

/// A placeholder weighs so much of its family's weight.
pub(super) const PLACEHOLDER_PART: f64 = 0.35;

/// How often each family was found, in the order of first hits.
pub(super) struct Tally<'a> {
    families: Vec<(String, usize)>,
    placeholders: BTreeSet<String>,
    weights: &'a BTreeMap<String, f64>,
}

impl<'a> Tally<'a> {
    pub(super) fn new(weights: &'a BTreeMap<String, f64>) -> Self {
        Self { families: Vec::new(), placeholders: BTreeSet::new(), weights }
    }

    pub(super) fn add(&mut self, family: &str, placeholder: bool) {
        if placeholder {
            self.placeholders.insert(family.to_owned());
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
    pub(super) fn score(&self) -> f64 {
        let found = self.families.iter().fold(0.0, |sum, (family, hits)| {
            let further = hits.saturating_sub(1) as f64;
            sum + self.weight(family) * (1.0 + 0.25 * further).min(1.5)
        });
        let hit = |family: &String| self.families.iter().any(|(known, _)| known == family);
        let dummies = self.placeholders.iter().filter(|family| !hit(family));
        found + dummies.map(|family| self.weight(family) * PLACEHOLDER_PART).fold(0.0, f64::max)
    }

    pub(super) fn actions(&self) -> Vec<Action> {
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
