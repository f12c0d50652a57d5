//! What one check found: a bounded list, and how many there are in all.

use crate::report::{Item, Severity};

/// How many findings of one kind are spelled out.
const ITEMS_MAX: usize = 50;

/// Findings of one kind; those beyond [`ITEMS_MAX`] are only counted.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) items: Vec<Item>,
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
}

impl Findings {
    /// Adds an error. `item` is asked only while there is room.
    pub(crate) fn error(&mut self, item: impl FnOnce() -> Item) {
        self.errors += 1;
        self.add(item);
    }

    /// Adds a warning. `item` is asked only while there is room.
    pub(crate) fn warning(&mut self, item: impl FnOnce() -> Item) {
        self.warnings += 1;
        self.add(item);
    }

    fn add(&mut self, item: impl FnOnce() -> Item) {
        if self.items.len() < ITEMS_MAX {
            self.items.push(item());
        }
    }

    /// Whether nothing was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.errors + self.warnings == 0
    }

    /// These findings, then those of another check.
    #[must_use]
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.items.extend(other.items);
        Self {
            items: self.items,
            errors: self.errors + other.errors,
            warnings: self.warnings + other.warnings,
        }
    }
}

impl FromIterator<Item> for Findings {
    fn from_iter<I: IntoIterator<Item = Item>>(items: I) -> Self {
        let mut findings = Self::default();
        for item in items {
            match item.severity {
                Severity::Error => findings.error(|| item),
                Severity::Warning => findings.warning(|| item),
            }
        }
        findings
    }
}
