//! The rules, applied to this workspace.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test reads the real disk, and fails where it cannot"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use tidy::floors::Floors;
use tidy::house::{House, faults};
use tidy::manifest::Manifest;
use tidy::modules::Modules;
use tidy::names::Names;
use tidy::plain::{Kind, Plain};
use tidy::tree;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn house() -> House {
    House::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("house.toml")).unwrap()
}

fn crates() -> Vec<(PathBuf, Manifest)> {
    let crates = tree::crates(&workspace()).unwrap();
    assert!(crates.len() > 3, "the crates were not found");
    crates.into_iter().map(|krate| (krate.clone(), Manifest::read(&krate).unwrap())).collect()
}

#[test]
fn modules_use_lower_floors_and_make_no_circles() {
    let (workspace, house) = (workspace(), house());
    let mut found = Vec::new();
    let mut files = BTreeSet::new();
    for (krate, manifest) in crates() {
        for (number, root) in tree::roots(&krate).unwrap().iter().enumerate() {
            let modules = Modules::read(root).unwrap();
            let has_arrows = number > 0 || modules.files().len() < 5 || modules.arrows().len() > 5;
            assert!(has_arrows, "the arrows of {} were not found", root.display());
            let floors = house.crates.get(&manifest.name).map(|table| &table.floors);
            let floors = floors.filter(|_| number == 0);
            for fault in faults(&workspace, &modules, floors, &house.exception) {
                found.push(format!("{}: {fault}", manifest.name));
            }
            files.extend(modules.files().into_iter().map(Path::to_owned));
        }
    }
    for entry in &house.exception {
        if !files.contains(&workspace.join(&entry.from)) {
            found.push(format!("an exception for a file that is gone: {}", entry.from));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn crates_depend_on_the_crates_of_their_row() {
    let (crates, house) = (crates(), house());
    let ours: BTreeSet<_> = crates.iter().map(|(_, manifest)| manifest.name.clone()).collect();
    assert_eq!(ours, house.crates.keys().cloned().collect(), "crates and rows");
    for (_, manifest) in crates {
        let used: BTreeSet<_> = manifest.dependencies.intersection(&ours).cloned().collect();
        let row = house.crates.get(&manifest.name).map(|table| table.uses.clone());
        assert_eq!(Some(used), row, "{}", manifest.name);
    }
}

#[test]
fn every_source_file_is_declared() {
    for (krate, _) in crates() {
        let mut declared = BTreeSet::new();
        for root in tree::roots(&krate).unwrap() {
            let modules = Modules::read(&root).unwrap();
            let files = modules.files().into_iter();
            declared.extend(files.map(|file| file.canonicalize().unwrap()));
        }
        for dir in ["src", "tests", "benches", "examples"] {
            for file in tree::rust_files(&krate.join(dir)).unwrap() {
                assert!(declared.contains(&file), "no module declares {}", file.display());
            }
        }
    }
}

#[test]
fn names_in_the_architecture_exist() {
    let workspace = workspace();
    let files = tree::rust_files(&workspace.join("crates")).unwrap();
    let names = Names::read(&workspace, files.into_iter()).unwrap();
    let missing = names.missing_in(&workspace.join("ARCHITECTURE.md")).unwrap();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn the_tests_that_the_guarantees_name_exist() {
    let workspace = workspace();
    let files = tree::rust_files(&workspace.join("crates")).unwrap();
    let names = Names::read(&workspace, files.into_iter()).unwrap();
    let missing = names.missing_tests_in(&workspace.join("docs/guarantees.md")).unwrap();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// The rows with names of a section of `ARCHITECTURE.md`, cut into cells.
fn rows(heading: &str) -> Vec<Vec<String>> {
    let page = std::fs::read_to_string(workspace().join("ARCHITECTURE.md")).unwrap();
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with('|') && line.contains('`'));
    rows.map(|row| row.trim_matches('|').split('|').map(str::to_owned).collect()).collect()
}

/// The names in the code spans of a text.
fn spans(text: &str) -> BTreeSet<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn the_crates_in_the_architecture_are_those_of_the_workspace() {
    let of_row = |cells: Vec<String>| {
        let [krate, _, uses] = cells.as_slice() else { panic!("{cells:?}") };
        (spans(krate).pop_first().unwrap(), spans(uses))
    };
    let shown: BTreeMap<_, _> = rows("Crates").into_iter().map(of_row).collect();
    let house = house().crates.into_iter();
    assert_eq!(shown, house.map(|(name, krate)| (name, krate.uses)).collect());
}

#[test]
fn the_floors_in_the_architecture_are_those_of_the_library() {
    let rows = rows("Floors of the library").into_iter().filter_map(|cells| cells.get(1).cloned());
    let mut shown: Vec<_> =
        rows.flat_map(|cell| cell.split('·').map(spans).collect::<Vec<_>>()).collect();
    shown.reverse();
    let house = house();
    let Floors(floors) = &house.crates.get("resilient-core").unwrap().floors;
    let floors: Vec<BTreeSet<_>> =
        floors.iter().map(|floor| floor.iter().cloned().collect()).collect();
    assert_eq!(shown, floors);
}

/// The files below a directory that end in `.md`, at any depth.
fn pages(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(pages(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn documents_and_comments_are_in_plain_english() {
    let workspace = workspace();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("plain.toml");
    let plain = Plain::read(&file).unwrap();
    let mut files: Vec<_> = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]
        .map(|page| (Kind::Page, workspace.join(page)))
        .into();
    for dir in ["docs", "campaigns"] {
        files.extend(pages(&workspace.join(dir)).into_iter().map(|page| (Kind::Page, page)));
    }
    let sources = tree::rust_files(&workspace.join("crates")).unwrap();
    files.extend(sources.into_iter().map(|source| (Kind::Source, source)));
    let texts: Vec<_> = files
        .into_iter()
        .map(|(kind, file)| {
            let name = file.strip_prefix(&workspace).unwrap().to_str().unwrap().to_owned();
            (kind, name, std::fs::read_to_string(file).unwrap())
        })
        .collect();
    let texts = texts.iter().map(|(kind, name, text)| (*kind, name.as_str(), text.as_str()));
    let faults = plain.faults(texts);
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
