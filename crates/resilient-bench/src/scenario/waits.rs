//! Ways to wait for several files at once, on which `docs/design/0002-waits.md` decides.
//!
//! The sequence of a commit in bare system calls: the staged files and the row are written and
//! synced, the files renamed, their directory synced. Only the way of the first wait differs.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use resilient_core::disk::{self, DirRef, Disk, RealDisk, SyncItem};
use rustix::fs::Advice;

use crate::measure::{Cost, Subject, timed};
use crate::report::Table;
use crate::setting::Setting;

/// How the staged files and the journal are synced.
enum Way {
    /// One after the other.
    InARow,
    /// Writing is begun for all, then one after the other.
    Begun,
    /// One call for all that is dirty on the file system, also what others wrote.
    Together,
    /// The same, and then each, for its own errors.
    TogetherThenEach,
    /// By threads that wait for work, the last one by the caller.
    Beside(Pool),
    /// As the library does it.
    Library,
}

pub(super) fn run(setting: &mut Setting) -> Result<Vec<Table>> {
    Ok(vec![compare(setting, 1, 400)?, compare(setting, 8, 150)?, compare(setting, 64, 60)?])
}

fn compare(setting: &mut Setting, files: usize, rounds: usize) -> Result<Table> {
    let contents = setting.contents(1 << 10);
    let home = setting.fresh()?;
    let mut ways = vec![
        ("in a row".to_owned(), Way::InARow),
        ("library".to_owned(), Way::Library),
        ("begun, in a row".to_owned(), Way::Begun),
        ("syncfs".to_owned(), Way::Together),
        ("syncfs, then in a row".to_owned(), Way::TogetherThenEach),
    ];
    for threads in [1, 4, 16, 64].into_iter().filter(|threads| *threads <= files) {
        ways.push((format!("beside, {threads} threads"), Way::Beside(Pool::new(threads))));
    }
    let mut subjects = Vec::new();
    for (number, (name, way)) in ways.into_iter().enumerate() {
        let dir = home.path().join(number.to_string());
        fs::create_dir(&dir)?;
        let mut commit = Commit::new(&dir, way)?;
        let contents = &contents;
        subjects.push(Subject::new(name, move |round| {
            commit.cost(files, contents.number(round).as_bytes())
        }));
    }
    let samples = setting.interleave(rounds, &mut subjects)?;
    Ok(Table::new(format!("a commit of {files} files, by its first wait"), "in a row", samples))
}

struct Commit {
    way: Way,
    tmp: PathBuf,
    target: PathBuf,
    target_dir: File,
    /// The journal's directory, as the library opens it.
    root: DirRef,
    journal: Arc<File>,
    len: u64,
}

impl Commit {
    fn new(dir: &Path, way: Way) -> Result<Self> {
        let (tmp, target) = (dir.join("tmp"), dir.join("target"));
        fs::create_dir(&tmp)?;
        fs::create_dir(&target)?;
        let journal = OpenOptions::new().create(true).append(true).open(dir.join("journal"))?;
        let target_dir = File::open(&target)?;
        let root = RealDisk.open_root(dir)?;
        Ok(Self { way, tmp, target, target_dir, root, journal: journal.into(), len: 0 })
    }

    fn cost(&mut self, files: usize, content: &[u8]) -> Result<Cost> {
        // The slots are there before, as in the store.
        let slots = (0..files)
            .map(|number| Ok(Arc::new(File::create_new(self.tmp.join(number.to_string()))?)))
            .collect::<Result<Vec<_>>>()?;
        File::open(&self.tmp)?.sync_all()?;
        let items = self.items(files)?;
        let rows = vec![b'x'; 450 * files];
        let (cost, ()) = timed(|| {
            if matches!(self.way, Way::Library) {
                self.write_by_library(&items, content, &rows)?;
            } else {
                for mut slot in slots.iter().map(|slot| &**slot) {
                    slot.write_all(content)?;
                }
                (&*self.journal).write_all(&rows)?;
                self.way.wait(&slots, &self.journal, self.len)?;
            }
            for number in 0..files {
                let name = number.to_string();
                fs::rename(self.tmp.join(&name), self.target.join(&name))?;
            }
            Ok(self.target_dir.sync_all()?)
        })?;
        self.len += rows.len() as u64;
        Ok(cost)
    }

    /// The journal and the slots, as the library opens them.
    fn items(&self, files: usize) -> Result<Vec<Arc<dyn disk::File>>> {
        let tmp = self.root.open_dir("tmp".as_ref())?;
        let mut items = vec![self.root.open_write("journal".as_ref())?.into()];
        for number in 0..files {
            items.push(tmp.open_write(number.to_string().as_ref())?.into());
        }
        Ok(items)
    }

    fn write_by_library(
        &self,
        items: &[Arc<dyn disk::File>],
        content: &[u8],
        rows: &[u8],
    ) -> Result<()> {
        let Some((journal, slots)) = items.split_first() else { return Ok(()) };
        for slot in slots {
            slot.write_all_at(content, 0)?;
        }
        journal.write_all_at(rows, self.len)?;
        let items: Vec<SyncItem> = items.iter().cloned().map(SyncItem::File).collect();
        Ok(RealDisk.sync_all(&items).into_iter().collect::<std::io::Result<()>>()?)
    }
}

impl Way {
    fn wait(&self, slots: &[Arc<File>], journal: &Arc<File>, at: u64) -> Result<()> {
        let all = || std::iter::once(journal).chain(slots);
        let each = || all().try_for_each(|file| Ok(file.sync_all()?));
        match self {
            Self::InARow | Self::Library => each(),
            Self::Begun => {
                begin(slots, journal, at)?;
                each()
            }
            Self::Together => Ok(rustix::fs::syncfs(journal)?),
            Self::TogetherThenEach => {
                rustix::fs::syncfs(journal)?;
                each()
            }
            Self::Beside(pool) => pool.sync(&all().cloned().collect::<Vec<_>>()),
        }
    }
}

/// Has the kernel begin to write what is dirty, without waiting: the advice that the pages will
/// not be needed does so, and drops only what is clean.
fn begin(slots: &[Arc<File>], journal: &File, at: u64) -> Result<()> {
    for slot in slots {
        rustix::fs::fadvise(slot, 0, None, Advice::DontNeed)?;
    }
    Ok(rustix::fs::fadvise(journal, at, None, Advice::DontNeed)?)
}

type Job = (Arc<File>, Sender<std::io::Result<()>>);

/// Threads that sync what they are given.
struct Pool {
    jobs: Sender<Job>,
}

impl Pool {
    fn new(threads: usize) -> Self {
        let (jobs, take) = channel();
        let take: Arc<Mutex<Receiver<Job>>> = Arc::new(Mutex::new(take));
        for _ in 0..threads {
            let take = take.clone();
            std::thread::spawn(move || {
                loop {
                    let job = take.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok((file, done)) = job else { return };
                    let _ = done.send(file.sync_all());
                }
            });
        }
        Self { jobs }
    }

    fn sync(&self, files: &[Arc<File>]) -> Result<()> {
        let (done, results) = channel();
        let Some((last, rest)) = files.split_last() else { return Ok(()) };
        for file in rest {
            self.jobs.send((file.clone(), done.clone()))?;
        }
        drop(done);
        last.sync_all()?;
        results.iter().try_for_each(|result| Ok(result?))
    }
}
