//! The names in the code spans of a page, and which of them do not exist.
//!
//! A block is a paragraph, an item of a list or a row of a table. What a span names decides its rule:
//!
//! * a path (`disk/real`, `wire.rs`, `docs/errors.md`) is a file or a folder, named from the
//!   workspace, from its crate, or by the end of its path;
//! * `Type::method` and `module::item` are defined; where the block names source files, in one of
//!   these;
//! * a single name is a crate, a module, or something that is defined; where the block names source
//!   files, in one of these;
//! * commands, which have spaces, and what is no name are left alone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::source;

/// Words in code spans that belong to Rust and not to the sources.
const KEYWORDS: [&str; 6] = ["crate", "mod", "mod.rs", "pub", "self", "use"];

/// Everything in the sources that a page may name.
#[derive(Debug, Default)]
pub struct Names {
    workspace: PathBuf,
    /// The source files, relative to the workspace.
    files: BTreeSet<PathBuf>,
    /// Crates and modules.
    modules: BTreeSet<String>,
    /// Modules in braces.
    inline: BTreeSet<String>,
    /// `name` and `module::name` of whatever begins a line as a function, also in the arguments of a macro.
    functions: BTreeSet<String>,
    /// For `name` and for `Of::name`, the files that define it.
    defined: BTreeMap<String, BTreeSet<PathBuf>>,
}

impl Names {
    /// Reads source files.
    ///
    /// # Errors
    /// A file cannot be read, or it is not Rust.
    pub fn read(workspace: &Path, files: impl Iterator<Item = PathBuf>) -> Result<Self> {
        let mut names = Self { workspace: workspace.to_owned(), ..Self::default() };
        for file in files {
            let relative = file.strip_prefix(workspace).unwrap_or(&file).to_owned();
            names.add(relative, &std::fs::read_to_string(&file)?)?;
        }
        Ok(names)
    }

    fn add(&mut self, file: PathBuf, text: &str) -> Result<()> {
        let name = |path: &Path| path.file_stem().map(|name| name.to_string_lossy().into_owned());
        let of_folder = |file: &Path| name(file.parent()?);
        let module = match name(&file).unwrap_or_default() {
            stem if stem == "mod" => of_folder(&file),
            // A crate has the name of its folder.
            stem if ["lib", "main"].contains(&stem.as_str()) => {
                file.parent().and_then(of_folder).map(|name| name.replace('-', "_"))
            }
            stem => Some(stem),
        };
        let module = module.unwrap_or_default();
        self.modules
            .extend(file.components().map(|part| part.as_os_str().to_string_lossy().into()));
        self.modules.insert(module.clone());
        // Tests in the arguments of a macro are no items.
        for name in text.lines().filter_map(|line| line.trim_start().strip_prefix("fn ")) {
            let name = name.split('(').next().unwrap_or_default();
            self.functions.extend(["tests", &module].map(|of| format!("{of}::{name}")));
            self.functions.insert(name.to_owned());
        }
        for scope in source::parse(text)? {
            self.inline.extend(scope.within.iter().cloned());
            let module = scope.within.last().unwrap_or(&module);
            for item in scope.items {
                self.define(format!("{module}::{item}"), &file);
                self.define(item, &file);
            }
            let exports = scope.imports.into_iter().filter(|import| import.is_public);
            for name in exports.filter_map(|import| import.name) {
                self.define(format!("{module}::{name}"), &file);
            }
            for (of, part) in scope.parts {
                self.define(format!("{of}::{part}"), &file);
                self.define(part, &file);
            }
        }
        self.files.insert(file);
        Ok(())
    }

    fn define(&mut self, name: String, file: &Path) {
        self.defined.entry(name).or_default().insert(file.to_owned());
    }

    /// What a page names that does not exist, each with the reason.
    ///
    /// # Errors
    /// The page cannot be read.
    pub fn missing_in(&self, page: &Path) -> Result<Vec<String>> {
        Ok(self.missing(&std::fs::read_to_string(page)?))
    }

    /// The tests that a page names and that do not exist: `module::name`, a module, `module::*`, or a name of four
    /// words and more. Its other names are not looked at.
    ///
    /// # Errors
    /// The page cannot be read.
    pub fn missing_tests_in(&self, page: &Path) -> Result<Vec<String>> {
        Ok(self.missing_tests(&std::fs::read_to_string(page)?))
    }

    fn missing_tests(&self, page: &str) -> Vec<String> {
        let is_name = |span: &str| {
            !span.is_empty() && span.chars().all(|c| c.is_ascii_alphanumeric() || "_:*".contains(c))
        };
        let is_test = |span: &str| span.contains("::") || span.matches('_').count() >= 3;
        let is_missing = |span: &str| match span.strip_suffix("::*") {
            Some(module) => !self.modules.contains(module),
            None => {
                let parts: Vec<&str> = span.split("::").collect();
                let last =
                    parts.get(parts.len().saturating_sub(2)..).unwrap_or_default().join("::");
                let is_module = parts
                    .iter()
                    .all(|part| self.modules.contains(*part) || self.inline.contains(*part));
                !is_module && !self.functions.contains(&last) && !self.defined.contains_key(&last)
            }
        };
        let blocks = blocks(page);
        let spans = blocks.iter().flat_map(|block| block.split('`').skip(1).step_by(2));
        let tests = spans.filter(|span| is_name(span) && is_test(span));
        tests
            .filter(|span| is_missing(span))
            .map(|span| format!("`{span}`: no such test"))
            .collect()
    }

    fn missing(&self, page: &str) -> Vec<String> {
        blocks(page).iter().flat_map(|block| self.missing_of(block)).collect()
    }

    fn missing_of(&self, block: &str) -> Vec<String> {
        let spans: Vec<&str> = block.split('`').skip(1).step_by(2).collect();
        let files: BTreeSet<&PathBuf> = spans
            .iter()
            .filter(|span| span.ends_with(".rs"))
            .flat_map(|span| self.files.iter().filter(|file| names_file(span, file)))
            .collect();
        spans.into_iter().filter_map(|span| self.fault(span, &files)).collect()
    }

    fn fault(&self, span: &str, beside: &BTreeSet<&PathBuf>) -> Option<String> {
        let name = span.trim_end_matches("()");
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_-:".contains(c);
        if KEYWORDS.contains(&name) || name.contains(' ') {
            return None;
        }
        if name.contains('/') || Path::new(name).extension().is_some() {
            let exists = self.workspace.join(name).exists()
                || self
                    .files
                    .iter()
                    .any(|file| file.ancestors().any(|part| names_file(name, part)));
            return (!exists).then(|| format!("`{span}`: there is no such file"));
        }
        if name.is_empty() || !name.chars().all(is_name) || self.modules.contains(name) {
            return None;
        }
        let parts: Vec<&str> = name.split("::").collect();
        let last = parts.get(parts.len().saturating_sub(2)..).unwrap_or_default().join("::");
        match self.defined.get(&last) {
            None => Some(format!("`{span}`: nothing has this name")),
            Some(_) if beside.is_empty() => None,
            Some(files) if files.iter().any(|file| beside.contains(file)) => None,
            Some(files) => Some(format!(
                "`{span}`: not in the files that are named beside it, but in {files:?}"
            )),
        }
    }
}

/// Whether a page means this file or folder: it gives the end of the path, or the name of the crate
/// and the path in its `src`.
fn names_file(span: &str, file: &Path) -> bool {
    let span = span.trim_end_matches('/');
    let in_crate =
        |(krate, rest): (&str, &str)| Path::new("crates").join(krate).join("src").join(rest);
    let bare = file.with_extension("");
    file.ends_with(span)
        || bare.ends_with(span)
        || span.split_once('/').map(in_crate).is_some_and(|path| path == file || path == bare)
}

/// The blocks of a page, each on one line, without fenced code.
fn blocks(page: &str) -> Vec<String> {
    let mut blocks = vec![String::new()];
    let mut is_fenced = false;
    for line in page.lines() {
        let line = line.trim();
        if line.starts_with("```") {
            is_fenced = !is_fenced;
            continue;
        }
        let marker = line.split(' ').next().unwrap_or_default();
        let numbered = marker.strip_suffix('.').is_some_and(|n| n.parse::<u32>().is_ok());
        if line.is_empty() || ["*", "-", "|"].contains(&marker) || numbered {
            blocks.push(String::new());
        }
        if let Some(block) = blocks.last_mut().filter(|_| !is_fenced) {
            block.push_str(line);
            block.push(' ');
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(page: &str) -> Vec<String> {
        let mut names = Names::default();
        let mut add = |file: &str, text| names.add(PathBuf::from(file), text).unwrap();
        add("crates/big/src/disk/mod.rs", "pub struct Disk; impl Disk { fn sync() {} }");
        add("crates/big-one/src/lib.rs", "pub use other::thing; use other::hidden;");
        add("crates/big/src/wire.rs", "pub fn cut() {} pub enum Line { Long }");
        names.missing(page)
    }

    #[test]
    fn what_exists_is_found() {
        for span in [
            "big",
            "disk",
            "wire.rs",
            "big/wire.rs",
            "disk/mod.rs",
            "crates/big/",
            "Disk::sync",
            "disk::Disk",
            "wire::cut",
            "Line::Long",
            "cut()",
            "big::disk::Disk",
            "use",
            "cargo run x",
            "&x",
            "big_one::thing",
        ] {
            assert_eq!(missing(&format!("Look at `{span}`.")), [""; 0]);
        }
    }

    #[test]
    fn planted_false_names_are_found() {
        for span in [
            "Disk::make_durable",
            "gone",
            "gone.rs",
            "small/wire.rs",
            "disk/wire.rs",
            "wire::Disk",
            "big_one::hidden",
        ] {
            assert_eq!(missing(&format!("Look at `{span}`.")).len(), 1, "{span}");
        }
    }

    #[test]
    fn a_name_is_in_the_file_that_its_block_names() {
        assert_eq!(missing("`Disk::sync` of `disk/mod.rs`").len(), 0);
        assert_eq!(missing("`Disk::sync` of\n`wire.rs`").len(), 1);
        assert_eq!(missing("1. `wire.rs`\n2. `Disk::sync`").len(), 0);
        assert_eq!(missing("| `wire.rs` |\n| `Disk::sync` |\n\n```\n`gone`\n```").len(), 0);
    }

    #[test]
    fn a_page_names_only_tests_that_exist() {
        let mut names = Names::default();
        let text = "fn it_does_what_it_says() {} mod tests { fn so() {} }";
        names.add(PathBuf::from("crates/big/tests/it/wire.rs"), text).unwrap();
        let missing = |page| names.missing_tests(page);
        for page in [
            "`wire::it_does_what_it_says`",
            "`it_does_what_it_says`",
            "`wire::*`, `tests::so`",
            "`a_b_c`, `not a test`, `x.y`",
        ] {
            assert_eq!(missing(page), [""; 0], "{page}");
        }
        for page in ["`wire::gone`", "`gone::*`", "`it_does_what_it_did`", "`gone::so`"] {
            assert_eq!(missing(page).len(), 1, "{page}");
        }
    }
}
