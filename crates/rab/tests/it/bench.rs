//! A directory for a run, the binary, and the servers beside it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;

use serde_json::Value;
use tempfile::TempDir;

const BINARY: &str = env!("CARGO_BIN_EXE_rab");

/// A run of its own.
pub(crate) struct Bench {
    dir: TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        build_servers();
        Self { dir: TempDir::new().unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Runs the binary; it has to succeed. Gives what it says.
    pub(crate) fn rab(&self, arguments: &[&str]) -> String {
        let output = Command::new(BINARY).args(arguments).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{arguments:?}: {said}");
        assert!(output.stdout.is_empty(), "standard output is not for talk");
        said
    }

    /// Runs a script and gives the report's trials.
    pub(crate) fn script(&self, name: &str, more: &[&str]) -> Vec<Value> {
        let out = self.path().to_str().unwrap();
        let arguments = [&["run", "--out", out, "--script", name, "--trials", "1"], more].concat();
        self.rab(&arguments);
        self.report()["trials"].as_array().unwrap().clone()
    }

    pub(crate) fn report(&self) -> Value {
        serde_json::from_str(&self.read("report.json")).unwrap()
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    /// The records, by name.
    pub(crate) fn records(&self) -> Vec<PathBuf> {
        let trials = std::fs::read_dir(self.path().join("trials")).unwrap();
        let mut records: Vec<PathBuf> = trials.map(|entry| entry.unwrap().path()).collect();
        records.sort();
        records
    }
}

/// A test of this package alone does not build the programs of another.
fn build_servers() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let suffix = std::env::consts::EXE_SUFFIX;
        let beside = |name: &str| Path::new(BINARY).with_file_name(format!("{name}{suffix}"));
        if beside("resilient-write").is_file() && beside("resilient-read").is_file() {
            return;
        }
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
        let status = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--package", "resilient-write", "--bins"])
            .args(["--manifest-path", manifest])
            .status()
            .unwrap();
        assert!(status.success());
    });
}
