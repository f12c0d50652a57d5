//! The least that a server can be: lines in, a floor's system calls, lines out.
//!
//! A floor in the benchmark's own process sleeps only for the disk. A server wakes up for a call,
//! and its client for the answer; what that alone costs beside the floor shows in the difference of
//! the two. This one is as simple as a server gets: one thread, blocking reads, no JSON.

use std::io::{BufRead, Write, stdin, stdout};
use std::path::Path;

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};

use crate::client::{Client, Program};
use crate::floor::{Appender, Durable};
use crate::measure::{Subject, timed};
use crate::writers::Writer;

/// An answer of the length that ours have.
const ANSWER: [u8; 600] = {
    let mut answer = [b'x'; 600];
    answer[599] = b'\n';
    answer
};

/// What is written.
pub(crate) const FILE: &str = "file.txt";

/// How it is written.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Floor {
    C,
    D,
}

impl Floor {
    /// What writes so in the current directory.
    pub(crate) fn writer(self) -> Result<Box<dyn Writer + Send>> {
        let dir = Path::new(".");
        Ok(match self {
            Self::C => Box::new(Durable::new(dir)?),
            Self::D => Box::new(Appender::new(dir, FILE, b"")?),
        })
    }

    /// A server of this program that does nothing else.
    pub(crate) fn program(self, name: String, server: &str) -> Result<Program> {
        let us = std::env::current_exe()?.display().to_string();
        let floor = match self {
            Self::C => "c",
            Self::D => "d",
        };
        Ok(Program { name, command: vec![us, server.to_owned(), floor.to_owned()] })
    }
}

/// What the process is told that does the work.
#[derive(Debug, Args)]
pub(crate) struct Bare {
    floor: Floor,
}

impl Bare {
    /// Writes every line of the standard input to a file in the current directory, and answers.
    ///
    /// # Errors
    /// The disk refuses or a pipe breaks.
    pub(crate) fn run(&self) -> Result<()> {
        let mut writer = self.floor.writer()?;
        let (mut lines, mut answers) = (stdin().lock(), stdout().lock());
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line)? > 0 {
            writer.write(FILE, &line)?;
            answers.write_all(&ANSWER)?;
            answers.flush()?;
            line.clear();
        }
        Ok(())
    }
}

/// A subject that has this program, as another process, do a floor on `len` bytes each round.
///
/// # Errors
/// The process cannot be started.
pub(crate) fn through_pipes<'a>(
    name: &str,
    floor: Floor,
    len: usize,
    home: tempfile::TempDir,
) -> Result<Subject<'a>> {
    let mut client: Client = floor.program(name.to_owned(), "bare")?.spawn(home.path())?;
    let mut line = "x".repeat(len.saturating_sub(1));
    line.push('\n');
    Ok(Subject::of_process(name, client.pid(), move |_| {
        let _ = &home;
        let (cost, answer) = timed(|| client.exchange(&line))?;
        ensure!(answer.len() == ANSWER.len(), "{answer}");
        Ok(cost)
    }))
}
