//! The macros of common classes and packages.
//!
//! The table is `data/latex-packages.txt`: for each class and each package, what it loads and what
//! it defines. A class or package that is not in the table is unknown, and then nothing can be said
//! about undefined macros. The table is read once, when the first document loads something.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::table;

/// The macros of the classes and packages that a document loads.
#[derive(Default)]
pub(super) struct Loaded {
    packages: HashSet<&'static str>,
    macros: HashSet<&'static str>,
    prefixes: Vec<&'static str>,
}

impl Loaded {
    /// Adds a class and what it loads; says whether the class is known.
    pub(super) fn add_class(&mut self, name: &str) -> bool {
        let Some(class) = Entry::find(Kind::Class, name) else { return false };
        self.add(class);
        true
    }

    /// Adds a package and what it loads; says whether the package is known.
    pub(super) fn add_package(&mut self, name: &str) -> bool {
        let Some(package) = Entry::find(Kind::Package, name) else { return false };
        self.add(package);
        true
    }

    /// Whether something loaded defines the macro.
    pub(super) fn defines(&self, name: &str) -> bool {
        self.macros.contains(name) || self.prefixes.iter().any(|prefix| name.starts_with(prefix))
    }

    /// Whether the package is loaded.
    pub(super) fn has_package(&self, name: &str) -> bool {
        self.packages.contains(name)
    }

    fn add(&mut self, entry: &'static Entry) {
        let mut due = vec![entry];
        while let Some(entry) = due.pop() {
            // A class may have the name of a package. Nothing loads a class twice.
            if entry.kind == Kind::Package && !self.packages.insert(entry.name) {
                continue;
            }
            for name in table::words(entry.macros) {
                match name.strip_suffix('*') {
                    Some(prefix) if !self.prefixes.contains(&prefix) => self.prefixes.push(prefix),
                    Some(_) => {}
                    None => {
                        self.macros.insert(name);
                    }
                }
            }
            let loaded = table::words(entry.loads);
            due.extend(loaded.filter_map(|name| Entry::find(Kind::Package, name)));
        }
    }
}

/// A class or a package.
struct Entry {
    kind: Kind,
    name: &'static str,
    /// The packages that it loads, as far as documents rely on them.
    loads: &'static str,
    macros: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Class,
    Package,
}

/// All entries, sorted by kind and name.
static ENTRIES: LazyLock<Vec<Entry>> =
    LazyLock::new(|| Entry::read_all(include_str!("../../data/latex-packages.txt")));

impl Entry {
    fn find(kind: Kind, name: &str) -> Option<&'static Self> {
        let key = |entry: &Self| (entry.kind, entry.name);
        let index = ENTRIES.binary_search_by(|entry| key(entry).cmp(&(kind, name))).ok()?;
        ENTRIES.get(index)
    }

    /// The entries of a table. What is not an entry is skipped; a test says that there is none.
    fn read_all(text: &'static str) -> Vec<Self> {
        table::sections(text).filter_map(|(head, macros)| Self::read(head, macros)).collect()
    }

    /// Reads `package NAME: LOADS`.
    fn read(head: &'static str, macros: &'static str) -> Option<Self> {
        let (kind, rest) = head.split_once(' ')?;
        let kind = match kind {
            "class" => Kind::Class,
            "package" => Kind::Package,
            _ => return None,
        };
        let (name, loads) = rest.split_once(':')?;
        Some(Self { kind, name, loads, macros })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_of_the_table_is_an_entry() {
        let sections = table::sections(include_str!("../../data/latex-packages.txt"));
        let heads: Vec<_> = sections.map(|(head, _)| head).collect();
        assert_eq!(heads.len(), ENTRIES.len(), "{heads:?}");
        let count = |kind| ENTRIES.iter().filter(|entry| entry.kind == kind).count();
        assert!(count(Kind::Class) >= 20 && count(Kind::Package) >= 200);
    }

    #[test]
    fn table_is_sorted_without_repetition() {
        assert!(ENTRIES.is_sorted_by(|a, b| (a.kind, a.name) < (b.kind, b.name)));
        for entry in ENTRIES.iter() {
            let names: Vec<_> = table::words(entry.macros).collect();
            assert!(names.is_sorted_by(|a, b| a < b), "{}", entry.name);
        }
    }

    #[test]
    fn table_holds_names_only() {
        let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphabetic() || c == '@');
        for entry in ENTRIES.iter() {
            for name in table::words(entry.macros) {
                let name = name.strip_suffix('*').unwrap_or(name);
                assert!(!name.is_empty() && is_name(name), "{}: {name}", entry.name);
            }
        }
    }

    #[test]
    fn every_loaded_package_is_in_the_table() {
        for entry in ENTRIES.iter() {
            for name in table::words(entry.loads) {
                let known = Entry::find(Kind::Package, name).is_some();
                assert!(known, "{} loads {name}", entry.name);
            }
        }
    }

    #[test]
    fn packages_bring_what_they_load() {
        let mut loaded = Loaded::default();
        assert!(loaded.add_package("mathtools"));
        for name in ["coloneqq", "dfrac", "text", "widthof"] {
            assert!(loaded.defines(name), "{name}");
        }
        assert!(!loaded.defines("mathbb"));
    }

    #[test]
    fn a_star_stands_for_all_macros_that_begin_so() {
        let mut loaded = Loaded::default();
        assert!(loaded.add_class("IEEEtran"));
        assert!(loaded.defines("IEEEauthorblockN"));
        assert!(!loaded.defines("IEE"));
    }

    #[test]
    fn unknown_packages_and_classes_are_told_apart() {
        let mut loaded = Loaded::default();
        assert!(!loaded.add_package("no-such-package"));
        assert!(!loaded.add_class("amsmath"));
        assert!(!loaded.add_package("article"));
    }
}
