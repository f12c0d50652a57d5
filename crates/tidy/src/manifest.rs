//! What a crate's manifest says.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use toml::{Table, Value};

/// The part of `Cargo.toml` that the rules look at.
#[derive(Debug)]
pub struct Manifest {
    /// The name of the package.
    pub name: String,
    /// Everything that it depends on, for tests and for single systems as well.
    pub dependencies: BTreeSet<String>,
}

impl Manifest {
    /// Reads the manifest of the crate in a directory.
    ///
    /// # Errors
    /// The file cannot be read, is not TOML, or names no package.
    pub fn read(krate: &Path) -> Result<Self> {
        let file = krate.join("Cargo.toml");
        let text = std::fs::read_to_string(&file).with_context(|| format!("{}", file.display()))?;
        Self::parse(&text).with_context(|| format!("{}", file.display()))
    }

    fn parse(text: &str) -> Result<Self> {
        let table: Table = toml::from_str(text)?;
        let name = table.get("package").and_then(|package| package.get("name"));
        let name = name.and_then(Value::as_str).context("no package name")?.to_owned();
        let mut dependencies = of_table(&table);
        let systems = table.get("target").and_then(Value::as_table);
        for system in systems.into_iter().flatten().filter_map(|(_, table)| table.as_table()) {
            dependencies.append(&mut of_table(system));
        }
        Ok(Self { name, dependencies })
    }
}

fn of_table(table: &Table) -> BTreeSet<String> {
    let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
    let tables = kinds.iter().filter_map(|kind| table.get(*kind)?.as_table());
    tables.flat_map(Table::keys).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_of_every_kind_are_found() {
        let manifest = Manifest::parse(
            "[package]\nname = \"x\"\n[dependencies]\na.workspace = true\n\
             [dev-dependencies]\nb = \"1\"\n[target.'cfg(unix)'.dependencies]\nc = \"1\"\n",
        )
        .unwrap();
        assert_eq!(manifest.name, "x");
        assert_eq!(manifest.dependencies, ["a", "b", "c"].map(str::to_owned).into());
    }
}
