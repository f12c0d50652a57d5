//! What a run was asked for, and what scenarios draw from it: directories, texts and turns.

use std::path::PathBuf;

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::client::Program;
use crate::measure::{Random, Samples, Subject, interleave};
use crate::text::{self, Contents};

/// What a run was asked for.
pub(crate) struct Setting {
    /// Where everything is written: floors and servers on one file system.
    pub(crate) dir: PathBuf,
    pub(crate) ours: Program,
    /// Our server of an earlier version, when there is one.
    pub(crate) before: Option<Program>,
    /// The Python server, when there is one.
    pub(crate) python: Option<Program>,
    /// The Python reader, when there is one.
    pub(crate) python_reader: Option<Program>,
    /// The scanner of trees, when there is one.
    pub(crate) kingfisher: Option<PathBuf>,
    /// Where real code is, when there is any.
    pub(crate) code: Vec<PathBuf>,
    pub(crate) random: Random,
    /// Takes a tenth of the rounds.
    pub(crate) quick: bool,
}

impl Setting {
    /// The programs that are compared, ours first.
    pub(crate) fn programs(&self) -> impl Iterator<Item = &Program> {
        std::iter::once(&self.ours).chain(&self.before).chain(&self.python)
    }

    /// The programs that read, ours first.
    pub(crate) fn readers(&self) -> impl Iterator<Item = Program> + use<> {
        std::iter::once(self.ours.reader()).chain(self.python_reader.clone())
    }

    /// A fresh directory.
    pub(crate) fn fresh(&self) -> Result<TempDir> {
        tempfile::Builder::new()
            .prefix("rw-bench-")
            .tempdir_in(&self.dir)
            .with_context(|| format!("making a directory in {}", self.dir.display()))
    }

    /// Measures subjects in turn.
    pub(crate) fn interleave(
        &mut self,
        rounds: usize,
        subjects: &mut [Subject<'_>],
    ) -> Result<Vec<Samples>> {
        let rounds = if self.quick { (rounds / 10).max(10) } else { rounds };
        interleave(&mut self.random, rounds, subjects)
    }

    /// A text of this length.
    pub(crate) fn text(&mut self, len: usize) -> String {
        text::code(&mut self.random, len)
    }

    /// Variants of a text of this length.
    pub(crate) fn contents(&mut self, len: usize) -> Contents {
        Contents::new(self.text(len))
    }
}
