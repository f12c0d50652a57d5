//! `completions` and `man`: what a shell and `man` show about the commands.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Args, Command};
use clap_complete::Shell;
use resilient_core::Error;

use crate::output::Output;

/// Prints the completions of a shell.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the manual page, or writes the pages of all commands into a directory.
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The directory, which exists
    dir: Option<PathBuf>,
}

impl Completions {
    /// Prints them.
    ///
    /// # Errors
    /// Standard output fails.
    pub(crate) fn run(&self, mut command: Command, output: &Output) -> Result<ExitCode> {
        let name = command.get_name().to_owned();
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut command, name.as_str(), &mut text);
        if self.shell == Shell::Bash {
            text = with_one_spelling(&name, &String::from_utf8(text)?).into_bytes();
        }
        output.raw(&text)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// The completions of bash, which know a command by its path. The generator spells the dash of the program's
/// name in one way where it sets the path, and in another where it looks for it.
fn with_one_spelling(program: &str, completions: &str) -> String {
    completions.replace(&program.replace('-', "__subcmd__"), &program.replace('-', "__"))
}

impl Man {
    /// Prints or writes them.
    ///
    /// # Errors
    /// Standard output fails, or the directory cannot be written.
    pub(crate) fn run(self, command: Command, output: &Output) -> Result<ExitCode> {
        match self.dir {
            Some(dir) if !dir.exists() => {
                let path = dir.to_string_lossy().into_owned();
                return Err(Error::NotFound { path, near: Vec::new() }.into());
            }
            Some(dir) => clap_mangen::generate_to(command, &dir)
                .with_context(|| format!("cannot write the pages into {}", dir.display()))?,
            None => {
                let mut page = Vec::new();
                clap_mangen::Man::new(command).render(&mut page)?;
                output.raw(&page)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
