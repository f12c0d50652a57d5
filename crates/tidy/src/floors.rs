//! The floors of a crate: which top module may use which.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::circles::siblings;
use crate::modules::Arrow;

/// The top modules, lowest floor first.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(transparent)]
pub struct Floors(pub Vec<Vec<String>>);

impl Floors {
    /// The floor of a module.
    pub fn of(&self, module: &str) -> Option<usize> {
        self.0.iter().position(|modules| modules.iter().any(|name| name == module))
    }

    /// What the table and the modules of a crate do not agree on.
    pub fn gaps<'a>(&self, modules: impl Iterator<Item = &'a str>) -> Vec<String> {
        let mut gaps = Vec::new();
        let mut listed = BTreeSet::new();
        for name in self.0.iter().flatten() {
            if !listed.insert(name.as_str()) {
                gaps.push(format!("`{name}` stands on two floors"));
            }
        }
        let modules: BTreeSet<_> = modules.collect();
        gaps.extend(modules.difference(&listed).map(|name| format!("`{name}` has no floor")));
        gaps.extend(listed.difference(&modules).map(|name| format!("there is no module `{name}`")));
        gaps
    }

    /// The arrows that do not go down.
    pub fn wrong<'a>(&self, arrows: &'a BTreeSet<Arrow>) -> Vec<(&'a Arrow, &'static str)> {
        let of = |arrow: &Arrow| {
            let (parent, from, to) = siblings(arrow).filter(|(parent, ..)| parent.is_empty())?;
            debug_assert!(parent.is_empty());
            let (from, to) = (self.of(&from)?, self.of(&to)?);
            match to.cmp(&from) {
                std::cmp::Ordering::Less => None,
                std::cmp::Ordering::Equal => Some("a neighbour"),
                std::cmp::Ordering::Greater => Some("upward"),
            }
        };
        arrows.iter().filter_map(|arrow| of(arrow).map(|wrong| (arrow, wrong))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floors(floors: &[&[&str]]) -> Floors {
        let floor = |floor: &&[&str]| floor.iter().map(|name| (*name).to_owned()).collect();
        Floors(floors.iter().map(floor).collect())
    }

    fn arrows(arrows: &[(&str, &str)]) -> BTreeSet<Arrow> {
        let names = |path: &str| path.split('/').map(str::to_owned).collect();
        arrows.iter().map(|(from, to)| Arrow { from: names(from), to: names(to) }).collect()
    }

    #[test]
    fn arrows_go_down() {
        let floors = floors(&[&["a", "b"], &["c"]]);
        assert!(floors.wrong(&arrows(&[("c", "a"), ("c/x", "b/y"), ("a/x", "a/y")])).is_empty());
        let planted = arrows(&[("a/x", "b"), ("b", "c/x")]);
        let wrong: Vec<_> = floors.wrong(&planted).into_iter().map(|(_, wrong)| wrong).collect();
        assert_eq!(wrong, ["a neighbour", "upward"]);
    }

    #[test]
    fn table_and_modules_agree() {
        let floors = floors(&[&["a", "b"], &["a", "gone"]]);
        assert_eq!(
            floors.gaps(["a", "b", "new"].into_iter()),
            ["`a` stands on two floors", "`new` has no floor", "there is no module `gone`"]
        );
    }
}
