//! The directory of a run: what was asked for, and every finished trial.
//!
//! Each record is written through the library, so that a run that is stopped at any moment has
//! whole records, and goes on with the trials that are missing.
#![expect(clippy::disallowed_methods, reason = "the user names the directory by its path")]

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use resilient_core::Workspace;
use resilient_core::form::Asked;
use resilient_core::write::{WriteMode, WriteRequest};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::record::{FORMAT, Record};
use crate::transcript::Limits;
use crate::trial::Trial;

/// What a run was asked for. A run goes on only with the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Plan {
    /// [`FORMAT`].
    pub(crate) format: u32,
    /// Who is tried, as reports call it.
    pub(crate) agent: String,
    /// The seed of the first repetition.
    pub(crate) seed: u64,
    /// What ends a trial.
    pub(crate) limits: Limits,
    /// What else is worth telling: format of calls, programs, sampling.
    pub(crate) about: Value,
}

/// A directory with records.
#[derive(Debug)]
pub(crate) struct Runs {
    root: PathBuf,
    workspace: Workspace,
}

impl Runs {
    /// Opens a directory, and makes it if it is not there.
    ///
    /// # Errors
    /// The disk refuses.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        fs::create_dir_all(path).with_context(|| format!("making {}", path.display()))?;
        let root = fs::canonicalize(path)?;
        Ok(Self { workspace: Workspace::builder(&root).caller("rab").open(), root })
    }

    /// Takes a plan: writes it down, or finds that it is the one of this directory.
    ///
    /// # Errors
    /// The directory belongs to another plan.
    pub(crate) fn begin(&self, plan: &Plan) -> Result<()> {
        let name = format!("{}.plan.json", slug(&plan.agent));
        if let Ok(text) = fs::read_to_string(self.root.join(&name)) {
            let earlier: Plan = serde_json::from_str(&text).with_context(|| name.clone())?;
            if earlier != *plan {
                bail!("{name} has another plan; go on with that or use another directory");
            }
            return Ok(());
        }
        self.write(&name, &format!("{}\n", serde_json::to_string_pretty(plan)?))
    }

    /// Whether a trial is done.
    pub(crate) fn has(&self, trial: &Trial) -> bool {
        self.root.join(name_of(trial)).is_file()
    }

    /// Keeps a finished trial.
    ///
    /// # Errors
    /// The disk refuses.
    pub(crate) fn keep(&self, trial: &Trial, record: &Record) -> Result<()> {
        self.write(&name_of(trial), &format!("{}\n", serde_json::to_string_pretty(record)?))
    }

    /// All records and plans, by name.
    ///
    /// # Errors
    /// A record cannot be read, or is of another format.
    pub(crate) fn load(&self) -> Result<(Vec<Record>, Vec<Plan>)> {
        let (mut records, mut plans) = (Vec::new(), Vec::new());
        for file in files(&self.root)? {
            let name = file.to_string_lossy().into_owned();
            if name.ends_with(".plan.json") {
                plans.push(serde_json::from_str(&fs::read_to_string(&file)?).context(name)?);
            }
        }
        for file in files(&self.root.join("trials")).unwrap_or_default() {
            records.push(load(&file)?);
        }
        Ok((records, plans))
    }

    /// Writes a file of the run.
    ///
    /// # Errors
    /// The disk refuses.
    pub(crate) fn write(&self, path: &str, content: &str) -> Result<()> {
        self.workspace.write(WriteRequest {
            path: path.to_owned(),
            content: content.to_owned(),
            mode: WriteMode::Overwrite,
            expected_prev_sha256: None,
            reject_at: None,
            validate: false,
            form: Asked::default(),
            allow_shrink: false,
        })?;
        Ok(())
    }
}

/// Reads one record.
///
/// # Errors
/// It cannot be read, or is of another format.
pub(crate) fn load(file: &Path) -> Result<Record> {
    let name = file.display();
    let text = fs::read_to_string(file).with_context(|| format!("reading {name}"))?;
    let record: Record = serde_json::from_str(&text).with_context(|| format!("reading {name}"))?;
    if record.format != FORMAT {
        bail!("{name} has the format {}, this program has {FORMAT}", record.format);
    }
    Ok(record)
}

/// The records that a path names: itself, or those in the run's directory.
///
/// # Errors
/// There is nothing.
pub(crate) fn named(path: &Path) -> Result<Vec<PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let trials = path.join("trials");
    files(if trials.is_dir() { &trials } else { path })
}

fn files(dir: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(dir).with_context(|| format!("reading {}", dir.display()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|kind| kind == "json"));
    files.sort();
    Ok(files)
}

fn name_of(trial: &Trial) -> String {
    let Trial { agent, arm, scenario, number, .. } = trial;
    format!("trials/{}-{}-{arm}-{number:03}.json", slug(agent), scenario.as_str())
}

/// A name that every file system takes.
fn slug(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '.' { c.to_ascii_lowercase() } else { '-' })
        .collect()
}
