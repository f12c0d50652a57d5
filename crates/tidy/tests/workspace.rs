//! The rules, applied to this workspace.

#![expect(clippy::unwrap_used, reason = "a test fails where a source cannot be read")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tidy::house::{House, faults};
use tidy::manifest::Manifest;
use tidy::modules::Modules;
use tidy::names::Names;
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
