//! The floors: the least that a write can cost, by the system calls that it takes.
//!
//! Bare loops without a library, in the same directory and the same run as what is compared with
//! them. They keep their directories and journals open and check nothing.
//!
//! * **a** ([`crate::writers::Naive`]): open, write, close;
//! * **b** ([`Atomic`]): a temporary file, `fsync`, rename;
//! * **c** ([`Durable`]): b, then `fsync` of the directory, a row in a journal, `fsync` of it;
//! * **d** ([`Appender`]): append in place, `fsync`, a row in a journal, `fsync` of it.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Barrier;

use anyhow::{Result, anyhow};

use crate::measure::{Cost, timed};
use crate::writers::Writer;

/// A journal row of ordinary length.
const ROW: [u8; 200] = {
    let mut row = [b'x'; 200];
    row[199] = b'\n';
    row
};

/// Floor b: readers see the old or the new file, and so do readers after a power loss that spares
/// the directory.
#[derive(Debug)]
pub(crate) struct Atomic {
    dir: PathBuf,
    temp: PathBuf,
}

impl Atomic {
    pub(crate) fn new(dir: &Path) -> Self {
        Self { dir: dir.to_owned(), temp: dir.join(".floor.tmp") }
    }
}

impl Writer for Atomic {
    fn name(&self) -> &'static str {
        "floor b"
    }

    fn write(&mut self, name: &str, content: &[u8]) -> Result<()> {
        let mut temp = File::create(&self.temp)?;
        temp.write_all(content)?;
        temp.sync_all()?;
        drop(temp);
        Ok(fs::rename(&self.temp, self.dir.join(name))?)
    }
}

/// Floor c: the file, its name and the row in the journal survive a power loss.
#[derive(Debug)]
pub(crate) struct Durable {
    atomic: Atomic,
    dir: File,
    journal: File,
}

impl Durable {
    /// Writes in `dir`, where its journal is too.
    ///
    /// # Errors
    /// The directory cannot be written.
    pub(crate) fn new(dir: &Path) -> Result<Self> {
        let journal =
            OpenOptions::new().create(true).append(true).open(dir.join("floor.journal"))?;
        Ok(Self { atomic: Atomic::new(dir), dir: File::open(dir)?, journal })
    }

    /// The same for one of several threads: a temporary file of its own, the journal shared.
    fn for_thread(&self, number: usize) -> Result<Self> {
        let dir = self.atomic.dir.clone();
        let temp = dir.join(format!(".floor.{number}.tmp"));
        Ok(Self {
            atomic: Atomic { dir, temp },
            dir: self.dir.try_clone()?,
            journal: self.journal.try_clone()?,
        })
    }

    /// Has `threads` threads write `each` files, each its own, and tells what that cost from
    /// the first write to the last.
    ///
    /// # Errors
    /// A write fails.
    pub(crate) fn side_by_side(&self, threads: usize, each: usize, content: &[u8]) -> Result<Cost> {
        let writers: Vec<Self> =
            (0..threads).map(|number| self.for_thread(number)).collect::<Result<_>>()?;
        let start = Barrier::new(threads + 1);
        std::thread::scope(|scope| {
            let start = &start;
            let running: Vec<_> = writers
                .into_iter()
                .enumerate()
                .map(|(number, mut writer)| {
                    scope.spawn(move || {
                        let name = format!("floor-{number}.txt");
                        start.wait();
                        (0..each).try_for_each(|_| writer.write(&name, content))
                    })
                })
                .collect();
            start.wait();
            let (cost, ()) = timed(|| {
                for thread in running {
                    thread.join().map_err(|_| anyhow!("a thread of the floor panicked"))??;
                }
                Ok(())
            })?;
            Ok(cost)
        })
    }
}

impl Writer for Durable {
    fn name(&self) -> &'static str {
        "floor c"
    }

    fn write(&mut self, name: &str, content: &[u8]) -> Result<()> {
        self.atomic.write(name, content)?;
        self.dir.sync_all()?;
        self.journal.write_all(&ROW)?;
        Ok(self.journal.sync_all()?)
    }
}

/// Floor d: bytes at the end of a file, and a row in the journal.
#[derive(Debug)]
pub(crate) struct Appender {
    file: File,
    at: u64,
    journal: File,
}

impl Appender {
    /// Appends to a new file that begins with `start`.
    ///
    /// # Errors
    /// The directory cannot be written.
    pub(crate) fn new(dir: &Path, name: &str, start: &[u8]) -> Result<Self> {
        fs::write(dir.join(name), start)?;
        let file = OpenOptions::new().write(true).open(dir.join(name))?;
        file.sync_all()?;
        let journal =
            OpenOptions::new().create(true).append(true).open(dir.join("floor.journal"))?;
        Ok(Self { file, at: start.len() as u64, journal })
    }
}

impl Writer for Appender {
    fn name(&self) -> &'static str {
        "floor d"
    }

    /// Appends; to the one file that it has open, whatever the name.
    fn write(&mut self, _name: &str, content: &[u8]) -> Result<()> {
        self.file.write_all_at(content, self.at)?;
        self.at += content.len() as u64;
        self.file.sync_all()?;
        self.journal.write_all(&ROW)?;
        Ok(self.journal.sync_all()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_floors_leave_the_files_and_rows_that_they_are_paid_for() {
        let dir = tempfile::tempdir().unwrap();
        let read = |name: &str| fs::read(dir.path().join(name)).unwrap();

        let mut durable = Durable::new(dir.path()).unwrap();
        durable.write("a", b"one").unwrap();
        durable.write("a", b"two").unwrap();
        assert_eq!(read("a"), b"two");
        assert_eq!(read("floor.journal").len(), 400);

        durable.side_by_side(3, 2, b"x").unwrap();
        assert_eq!(read("floor-2.txt"), b"x");
        assert_eq!(read("floor.journal").len(), 400 + 3 * 2 * 200);

        let mut appender = Appender::new(dir.path(), "log", b"start ").unwrap();
        appender.write("log", b"more ").unwrap();
        appender.write("log", b"end").unwrap();
        assert_eq!(read("log"), b"start more end");
    }
}
