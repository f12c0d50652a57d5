//! The commands, one file each, and what they share.

pub(crate) mod local;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod run;

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;

use crate::host::Programs;

/// Which servers are tried.
#[derive(Clone, Debug, Args)]
pub(crate) struct Servers {
    /// The command of the write server; otherwise `resilient-write` beside this program or in PATH
    #[arg(long, value_name = "COMMAND")]
    write_server: Option<String>,
    /// The command of the read server; otherwise `resilient-read`, found likewise
    #[arg(long, value_name = "COMMAND")]
    read_server: Option<String>,
}

impl Servers {
    /// The programs.
    ///
    /// # Errors
    /// This program does not know where it is.
    fn programs(&self) -> Result<Programs> {
        let plain = std::env::current_exe().context("where this program is")?;
        let beside = |name: &str| {
            let program: PathBuf =
                plain.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX));
            vec![if program.is_file() { program.display().to_string() } else { name.to_owned() }]
        };
        let command = |given: &Option<String>, name: &str| {
            let given = given.as_deref().map(|line| line.split_whitespace().map(str::to_owned));
            given.map_or_else(|| beside(name), Iterator::collect)
        };
        Ok(Programs {
            write: command(&self.write_server, "resilient-write"),
            read: command(&self.read_server, "resilient-read"),
            plain: plain.clone(),
        })
    }
}
