//! The tables of `house.toml`, and what is wrong with a crate that does not follow them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::circles::circles;
use crate::floors::Floors;
use crate::modules::{Arrow, Modules};

/// `house.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct House {
    /// The crates, by name.
    #[serde(rename = "crate")]
    pub crates: BTreeMap<String, Crate>,
    /// The arrows that are known to be wrong.
    #[serde(default)]
    pub exception: Vec<Exception>,
}

/// One crate.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Crate {
    /// The crates of the workspace that it depends on.
    pub uses: BTreeSet<String>,
    /// Its floors, lowest first.
    pub floors: Floors,
}

/// An arrow that breaks a rule, from file to file, both relative to the workspace.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exception {
    /// The file that uses.
    pub from: String,
    /// The file that is used.
    pub to: String,
}

impl House {
    /// Reads the table.
    ///
    /// # Errors
    /// The file cannot be read, or it has another form.
    pub fn read(file: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(file).with_context(|| format!("{}", file.display()))?;
        toml::from_str(&text).with_context(|| format!("{}", file.display()))
    }
}

/// The faults of one target.
///
/// An exception that is not needed is one, which is told where there is no other.
///
/// Only the library, or the program of a crate that has none, has floors. An exception with a file
/// outside of the target is left to others.
pub fn faults(
    workspace: &Path,
    modules: &Modules,
    floors: Option<&Floors>,
    exceptions: &[Exception],
) -> Vec<String> {
    let file = |name: &[String]| {
        let file = modules.file(name).unwrap_or(Path::new(""));
        file.strip_prefix(workspace).unwrap_or(file).display().to_string()
    };
    let excepted = |arrow: &Arrow| Exception { from: file(&arrow.from), to: file(&arrow.to) };
    let arrows = modules.arrows();
    let without = |exceptions: &[&Exception]| -> BTreeSet<Arrow> {
        let kept = arrows.iter().filter(|arrow| !exceptions.contains(&&excepted(arrow)));
        kept.cloned().collect()
    };
    let broken = |arrows: &BTreeSet<Arrow>| {
        let mut broken = Vec::new();
        for (arrow, wrong) in floors.map(|floors| floors.wrong(arrows)).unwrap_or_default() {
            broken.push(format!("{wrong}: {} -> {}", file(&arrow.from), file(&arrow.to)));
        }
        for (parent, circle) in circles(arrows) {
            let steps = circle.iter().zip(circle.iter().skip(1));
            let steps: Vec<_> = steps.map(|(from, to)| step(arrows, &parent, from, to)).collect();
            let shown = |arrow: &Arrow| format!("{} -> {}", file(&arrow.from), file(&arrow.to));
            let steps: Vec<_> = steps.iter().flatten().map(|arrow| shown(arrow)).collect();
            broken.push(format!("circle {}: {}", circle.join(" -> "), steps.join(", ")));
        }
        broken
    };

    let ours: BTreeSet<String> = modules
        .files()
        .iter()
        .map(|file| file.strip_prefix(workspace).unwrap_or(file).display().to_string())
        .collect();
    let mine: Vec<&Exception> =
        exceptions.iter().filter(|entry| ours.contains(&entry.from)).collect();
    let mut faults = floors.map(|floors| floors.gaps(modules.top())).unwrap_or_default();
    faults.extend(broken(&without(&mine)));
    if !faults.is_empty() {
        return faults;
    }
    for entry in &mine {
        let others: Vec<_> = mine.iter().copied().filter(|other| other != entry).collect();
        if broken(&without(&others)).is_empty() {
            faults.push(format!("no longer an exception: {} -> {}", entry.from, entry.to));
        }
    }
    faults
}

/// An arrow that makes the step from one child of `parent` to another.
fn step<'a>(
    arrows: &'a BTreeSet<Arrow>,
    parent: &[String],
    from: &String,
    to: &String,
) -> Option<&'a Arrow> {
    let goes = |name: &[String], child: &String| {
        name.strip_prefix(parent).and_then(<[String]>::first) == Some(child)
    };
    arrows.iter().find(|arrow| goes(&arrow.from, from) && goes(&arrow.to, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The faults of a library of three modules, `top` on `left` and `right`.
    fn found(left: &str, right: &str, top: &str, exceptions: &[(&str, &str)]) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        let lib = "mod left; mod right; mod top;";
        for (name, text) in [("lib", lib), ("left", left), ("right", right), ("top", top)] {
            std::fs::write(dir.path().join(format!("{name}.rs")), text).unwrap();
        }
        let modules = Modules::read(&dir.path().join("lib.rs")).unwrap();
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let floors = Floors(vec![names(&["left", "right"]), names(&["top"])]);
        let exception =
            |(from, to): &(&str, &str)| Exception { from: (*from).into(), to: (*to).into() };
        let exceptions: Vec<_> = exceptions.iter().map(exception).collect();
        faults(dir.path(), &modules, Some(&floors), &exceptions)
    }

    #[test]
    fn a_house_in_order_has_no_faults() {
        assert_eq!(found("", "", "use crate::{left::A, right::B};", &[]), [""; 0]);
    }

    #[test]
    fn a_planted_arrow_and_a_planted_circle_are_found() {
        assert_eq!(found("use crate::top::A;", "", "", &[]), ["upward: left.rs -> top.rs"]);
        assert_eq!(
            found("use crate::right::A;", "use super::left::B;", "", &[]),
            [
                "a neighbour: left.rs -> right.rs",
                "a neighbour: right.rs -> left.rs",
                "circle left -> right -> left: left.rs -> right.rs, right.rs -> left.rs",
            ]
        );
    }

    #[test]
    fn an_exception_holds_as_long_as_it_is_needed() {
        let up = [("left.rs", "top.rs")];
        assert_eq!(found("use crate::top::A;", "", "", &up), [""; 0]);
        assert_eq!(
            found("", "", "use crate::left::A;", &up),
            ["no longer an exception: left.rs -> top.rs"]
        );
        let down = [("top.rs", "left.rs")];
        assert_eq!(
            found("", "", "use crate::left::A;", &down),
            ["no longer an exception: top.rs -> left.rs"]
        );
    }
}
