//! The modules of one program or library, and the arrows between their files.
//!
//! Modules are read from a root, `lib.rs` or `main.rs`, along the `mod` declarations. A path is then
//! followed to the module whose item it names, through re-exports as well: an import of
//! `crate::disk::Dir` points at the file that defines `Dir`, wherever it was named from.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use crate::source::{self, Names, Scope};

/// Re-exports of re-exports are followed so far.
const DEPTH: usize = 16;

/// The modules of one target, by path from the root, whose own path is empty.
#[derive(Debug)]
pub struct Modules {
    modules: BTreeMap<Names, Module>,
}

#[derive(Debug)]
struct Module {
    file: PathBuf,
    /// Whether it stands in braces in another module's file.
    is_inline: bool,
    scope: Scope,
}

/// A file that uses another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    /// The module of the file that uses.
    pub from: Names,
    /// The module of the file that is used.
    pub to: Names,
}

/// What a path names.
enum Found {
    Module(Names),
    /// An item of this module.
    Item(Names),
}

impl Modules {
    /// Reads a root and all that it declares.
    ///
    /// # Errors
    /// A file is missing, cannot be read, or is not Rust.
    pub fn read(root: &Path) -> Result<Self> {
        let mut modules = Self { modules: BTreeMap::new() };
        let dir = root.parent().unwrap_or(root).to_owned();
        modules.add(Names::new(), root, &dir, false)?;
        Ok(modules)
    }

    /// Adds the modules of a file; `dir` holds the files of its children.
    fn add(&mut self, name: Names, file: &Path, dir: &Path, is_test: bool) -> Result<()> {
        for mut scope in source::read(file)? {
            scope.is_test |= is_test;
            let is_inline = !scope.within.is_empty();
            let module = [name.clone(), scope.within.clone()].concat();
            let dir = scope.within.iter().fold(dir.to_owned(), |dir, name| dir.join(name));
            for child in &scope.files {
                let (child_file, child_dir) = match &child.path {
                    Some(path) => {
                        let child_file = file.with_file_name("").join(path);
                        let child_dir = child_file.with_file_name("");
                        (child_file, child_dir)
                    }
                    None => {
                        let child_dir = dir.join(&child.name);
                        let plain = dir.join(format!("{}.rs", child.name));
                        let child_file =
                            if plain.exists() { plain } else { child_dir.join("mod.rs") };
                        (child_file, child_dir)
                    }
                };
                let shown = child_file.display();
                ensure!(
                    child_file.exists(),
                    "{}: no file for `mod {};`: {shown}",
                    file.display(),
                    child.name
                );
                let child_name = [module.clone(), vec![child.name.clone()]].concat();
                self.add(child_name, &child_file, &child_dir, scope.is_test || child.is_test)?;
            }
            let module = self.free(module, file);
            self.modules.insert(module, Module { file: file.to_owned(), is_inline, scope });
        }
        Ok(())
    }

    /// The name of a module, or where another file has it on another system, one that nothing else
    /// has.
    fn free(&self, mut name: Names, file: &Path) -> Names {
        if self.modules.contains_key(&name)
            && let Some(last) = name.last_mut()
        {
            last.push_str(&format!(" of {}", file.display()));
        }
        name
    }

    /// The files of all modules.
    pub fn files(&self) -> BTreeSet<&Path> {
        self.modules.values().map(|module| module.file.as_path()).collect()
    }

    /// The file of a module.
    pub fn file(&self, name: &[String]) -> Option<&Path> {
        self.modules.get(name).map(|module| module.file.as_path())
    }

    /// The modules that the root declares as files.
    pub fn top(&self) -> impl Iterator<Item = &str> {
        let top = self.modules.iter().filter(|(name, module)| name.len() == 1 && !module.is_inline);
        top.filter_map(|(name, _)| name.first()).map(String::as_str)
    }

    /// Every arrow from file to file. What is compiled for tests only makes none: a test may set up
    /// what it needs.
    pub fn arrows(&self) -> BTreeSet<Arrow> {
        let mut arrows = BTreeSet::new();
        for (name, module) in self.modules.iter().filter(|(_, module)| !module.scope.is_test) {
            let imports = module.scope.imports.iter().map(|import| &import.path);
            for path in imports.chain(&module.scope.paths) {
                let Some(found) = self.follow(name, path, DEPTH) else { continue };
                let (Found::Module(used) | Found::Item(used)) = found;
                let (from, to) = (self.of_file(name), self.of_file(&used));
                if from != to {
                    arrows.insert(Arrow { from, to });
                }
            }
        }
        arrows
    }

    /// The module whose file holds this one.
    fn of_file(&self, name: &[String]) -> Names {
        let mut name = name.to_vec();
        while self.modules.get(&name).is_some_and(|module| module.is_inline) {
            name.pop();
        }
        name
    }

    /// Finds what a path names that stands in the module `from`; nothing for other crates.
    fn follow(&self, from: &[String], path: &[String], depth: usize) -> Option<Found> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => self.descend(Names::new(), rest, depth),
            "self" | "super" => self.descend(from.to_vec(), path, depth),
            _ => self.member(from, first, rest, depth),
        }
    }

    /// Goes down from a module that exists. What it is not known to have counts as an item of it.
    fn descend(&self, mut at: Names, path: &[String], depth: usize) -> Option<Found> {
        let Some((first, rest)) = path.split_first() else { return Some(Found::Module(at)) };
        match first.as_str() {
            "self" => self.descend(at, rest, depth),
            "super" => {
                at.pop()?;
                self.descend(at, rest, depth)
            }
            _ => match self.member(&at, first, rest, depth) {
                Some(found) => Some(found),
                None if self.imports(&at, first) => None,
                None => Some(Found::Item(at)),
            },
        }
    }

    /// Whether a module has imported a name.
    fn imports(&self, at: &[String], name: &str) -> bool {
        let imports = self.modules.get(at).map(|module| module.scope.imports.as_slice());
        imports.unwrap_or_default().iter().any(|import| import.name.as_deref() == Some(name))
    }

    /// Finds a name in a module, and goes on from there.
    fn member(&self, at: &[String], name: &str, rest: &[String], depth: usize) -> Option<Found> {
        let depth = depth.checked_sub(1)?;
        let scope = &self.modules.get(at)?.scope;
        let child = [at, &[name.to_owned()]].concat();
        if self.modules.contains_key(&child) {
            return self.descend(child, rest, depth);
        }
        if scope.items.contains(name) {
            return Some(Found::Item(at.to_vec()));
        }
        for import in &scope.imports {
            let found = match &import.name {
                Some(here) if here == name => self.follow(at, &import.path, depth),
                Some(_) => None,
                None => match self.follow(at, &import.path, depth) {
                    Some(Found::Module(glob)) if glob != at => self.member(&glob, name, &[], depth),
                    _ => None,
                },
            };
            match found {
                Some(Found::Module(module)) => return self.descend(module, rest, depth),
                Some(item) => return Some(item),
                None => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The arrows of a library with these files, as `from > to`.
    fn arrows(files: &[(&str, &str)]) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let file = dir.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        let modules = Modules::read(&dir.path().join("lib.rs")).unwrap();
        let shown = |arrow: Arrow| format!("{} > {}", arrow.from.join("::"), arrow.to.join("::"));
        modules.arrows().into_iter().map(shown).collect()
    }

    #[test]
    fn every_kind_of_path_is_followed_to_its_file() {
        let found = arrows(&[
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a.rs", "pub fn f() {}"),
            ("b/mod.rs", "pub mod x; mod y; mod z { use super::super::a::f; }"),
            ("b/x.rs", "fn g() { crate::a::f() } pub struct X;"),
            ("b/y.rs", "use super::x; fn h() { println!(\"{}\", x::X) }"),
            ("c.rs", "use {crate::b::{self, x::X}, std::fs}; fn i() { b::x::g(); c::d() }"),
        ]);
        assert_eq!(found, ["b > a", "b::x > a", "b::y > b::x", "c > b", "c > b::x"]);
    }

    #[test]
    fn a_re_export_leads_to_the_file_that_defines() {
        let found = arrows(&[
            ("lib.rs", "mod a; mod b; pub use a::T;"),
            ("a/mod.rs", "mod t; pub use t::*;"),
            ("a/t.rs", "pub struct T; pub enum U { V }"),
            ("b.rs", "use crate::T; fn f() { crate::a::U::V }"),
        ]);
        assert_eq!(found, [" > a::t", "a > a::t", "b > a::t"]);
    }

    #[test]
    fn two_systems_have_two_files_for_one_module() {
        let found = arrows(&[
            (
                "lib.rs",
                "mod a; #[cfg(unix)] #[path = \"unix.rs\"] mod b; \
                 #[cfg(windows)] #[path = \"windows.rs\"] mod b;",
            ),
            ("a.rs", "pub struct A;"),
            ("unix.rs", "use crate::a::A;"),
            ("windows.rs", "use crate::a::A;"),
        ]);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.iter().all(|arrow| arrow.starts_with("b") && arrow.ends_with(" > a")));
    }

    #[test]
    fn tests_make_no_arrows() {
        let found = arrows(&[
            ("lib.rs", "mod a; mod b;"),
            (
                "a.rs",
                "pub struct A; #[cfg(test)] mod tests; #[cfg(test)] mod more { use crate::b::B; }",
            ),
            ("a/tests.rs", "use crate::b::B;"),
            ("b.rs", "use crate::a::A; pub struct B;"),
        ]);
        assert_eq!(found, ["b > a"]);
    }

    #[test]
    fn a_missing_file_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("lib.rs"), "mod gone;").unwrap();
        let error = Modules::read(&dir.path().join("lib.rs")).unwrap_err();
        assert!(error.to_string().contains("mod gone;"), "{error}");
    }
}
