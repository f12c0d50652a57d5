//! The house rules that a machine can check: which module may use which, and no forgotten tests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Whether the modules of a floor may use each other.
#[derive(Clone, Copy, PartialEq)]
enum Neighbours {
    Know,
    Ignore,
}
use Neighbours::{Ignore, Know};

/// The floors, lowest first. A module uses modules of lower floors.
const FLOORS: &[(Neighbours, &[&str])] = &[
    // Pure: bytes in, values out.
    (
        Know,
        &[
            "digest",
            "edit",
            "envelope",
            "error",
            "front_matter",
            "name",
            "number",
            "redact",
            "risk",
            "stamp",
            "unit",
            "validate",
        ],
    ),
    (Ignore, &["disk"]),
    // The commit path.
    (Know, &["commit", "contents", "journal", "recovery", "roots", "sectors", "state", "store"]),
    (Ignore, &["write"]),
    // The families of tools.
    (Ignore, &["analytics", "checkpoint", "chunk", "handoff", "read", "scratch"]),
    (Ignore, &["workspace"]),
];

/// Arrows between families, each for a reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    // A handoff lists the checkpoints, which the facade hands to it.
    ("handoff", "checkpoint"),
];

fn floor(module: &str) -> usize {
    FLOORS
        .iter()
        .position(|(_, modules)| modules.contains(&module))
        .unwrap_or_else(|| panic!("module {module} has no floor: give it one in {}", file!()))
}

fn may_use(user: &str, used: &str) -> bool {
    let (from, to) = (floor(user), floor(used));
    user == used
        || to < from
        || (to == from && FLOORS[from].0 == Know)
        || EXCEPTIONS.contains(&(user, used))
}

fn rust_files(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut ahead = vec![dir.to_owned()];
    while let Some(dir) = ahead.pop() {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                ahead.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files
}

/// The modules that a source names as `crate::module`, outside of comments.
fn used(source: &str) -> BTreeSet<&str> {
    source
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| line.split("crate::").skip(1))
        .filter_map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next())
        .filter(|name| !name.is_empty())
        .collect()
}

#[test]
fn arrows_point_down() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    let mut seen = 0;
    for path in rust_files(&src) {
        let inside = path.strip_prefix(&src).unwrap();
        let first = inside.iter().next().unwrap().to_str().unwrap();
        let module = first.trim_end_matches(".rs");
        if module == "lib" {
            continue;
        }
        floor(module);
        for used in used(&std::fs::read_to_string(&path).unwrap()) {
            seen += 1;
            if !may_use(module, used) {
                wrong.push(format!("{} uses {used}", inside.display()));
            }
        }
    }
    assert!(seen > 20, "the sources were not read");
    assert!(wrong.is_empty(), "arrows that point up or across: {wrong:#?}");
}

#[test]
fn uses_are_found() {
    let source =
        "use crate::disk::{Dir, File};\n// crate::workspace\nlet x = crate::risk::score();";
    assert_eq!(used(source), BTreeSet::from(["disk", "risk"]));
    assert!(may_use("write", "commit") && may_use("store", "commit"));
    assert!(!may_use("commit", "write") && !may_use("chunk", "scratch"));
}

#[test]
fn every_test_file_is_declared() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let main = std::fs::read_to_string(here.join("main.rs")).unwrap();
    for path in rust_files(&here).into_iter().filter(|path| path.parent() == Some(&here)) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let declared = main.lines().any(|line| line == format!("mod {name};"));
        assert!(name == "main" || declared, "{name}.rs is not declared in main.rs");
    }
}
