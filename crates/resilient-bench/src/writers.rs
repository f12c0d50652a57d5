//! The writers that agents have without a server, as the paper's Table 4 compares them.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use resilient_core::digest::Digest;

/// A way to write a whole file.
pub(crate) trait Writer {
    /// What it is called in reports.
    fn name(&self) -> &'static str;

    /// Gives a file in the writer's directory this content.
    ///
    /// # Errors
    /// The disk refuses, or the writer found that the content is not what it wrote.
    fn write(&mut self, name: &str, content: &[u8]) -> Result<()>;
}

/// Opens, writes and closes, and hopes: floor a.
#[derive(Debug)]
pub(crate) struct Naive {
    dir: PathBuf,
}

impl Naive {
    pub(crate) fn new(dir: &Path) -> Self {
        Self { dir: dir.to_owned() }
    }
}

impl Writer for Naive {
    fn name(&self) -> &'static str {
        "naive writer (floor a)"
    }

    fn write(&mut self, name: &str, content: &[u8]) -> Result<()> {
        Ok(File::create(self.dir.join(name))?.write_all(content)?)
    }
}

/// What a careful script does: a temporary file, `fsync`, rename, and a look at what is there now.
#[derive(Debug)]
pub(crate) struct Defensive {
    dir: PathBuf,
    temp: PathBuf,
}

impl Defensive {
    pub(crate) fn new(dir: &Path) -> Self {
        Self { dir: dir.to_owned(), temp: dir.join(".defensive.tmp") }
    }
}

impl Writer for Defensive {
    fn name(&self) -> &'static str {
        "defensive writer"
    }

    fn write(&mut self, name: &str, content: &[u8]) -> Result<()> {
        let mut temp = File::create(&self.temp)?;
        temp.write_all(content)?;
        temp.sync_all()?;
        drop(temp);
        let path = self.dir.join(name);
        fs::rename(&self.temp, &path)?;
        ensure!(Digest::of(&fs::read(&path)?) == Digest::of(content), "{name} is damaged");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_writers_replace_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let mut writers: [Box<dyn Writer>; 2] =
            [Box::new(Naive::new(dir.path())), Box::new(Defensive::new(dir.path()))];
        for writer in &mut writers {
            writer.write("file", b"a longer content").unwrap();
            writer.write("file", b"short").unwrap();
            assert_eq!(fs::read(dir.path().join("file")).unwrap(), b"short", "{}", writer.name());
            fs::remove_file(dir.path().join("file")).unwrap();
        }
    }
}
