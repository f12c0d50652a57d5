//! A file system behind traits with a durability contract: the real one, and a simulated one that
//! crashes on demand.
//!
//! A program that promises that its data survive a power loss needs two things: a precise statement of
//! what it may assume of the file system, and a way to test each of its steps against a crash. This
//! crate gives both. Code is written against [`Disk`], [`Dir`] and [`File`]; it runs on [`RealDisk`],
//! and its tests run on `sim::SimDisk` (feature `sim`), which lists every disk that a power loss may
//! leave behind.
//!
//! # The durability contract
//!
//! * Bytes of a file survive a power loss after [`File::sync`] of that file.
//! * A *name* (created, renamed or removed) survives after [`Dir::sync`] of the directory that
//!   holds it. A rename between two directories is one operation: it is durable as a whole once
//!   the directory that received the name is synced.
//! * [`Dir::rename`] is atomic: every reader sees the old or the new file, never neither. So is
//!   [`Dir::exchange`], which is durable once both directories are synced.
//! * Nothing else is promised. Whatever is pending may survive, be lost or be reordered.
//!
//! # Confinement
//!
//! Every directory is a handle and every operation takes a single name in it. So nobody can lead an
//! operation elsewhere by replacing a parent directory with a link. [`Disk::open_root`] is the only
//! call that takes a path.
//!
//! # Example
//!
//! A file that is replaced durably: the new content is synced before the rename, and the directory
//! after it.
//!
//! ```
//! use std::ffi::OsStr;
//! use std::io;
//!
//! use resilient_disk::{Access, Dir, Replace};
//!
//! fn replace(dir: &dyn Dir, name: &OsStr, content: &[u8]) -> io::Result<()> {
//!     let staged = OsStr::new("staged");
//!     let file = dir.create_new(staged, Access::Default)?;
//!     file.write_all_at(content, 0)?;
//!     file.sync()?;
//!     dir.rename(staged, dir, name, Replace::Yes)?;
//!     dir.sync()
//! }
//!
//! # #[cfg(feature = "sim")] {
//! use resilient_disk::Disk;
//! use resilient_disk::sim::{Model, SimDisk};
//!
//! let disk = SimDisk::new();
//! disk.write_file("work/notes", b"old");
//! let dir = disk.open_root("/work".as_ref())?;
//! replace(&*dir, OsStr::new("notes"), b"new")?;
//! // Whatever the power loss leaves, the new content is there: the call has returned.
//! for after in disk.crash_states(Model::Strict, 1000).iter() {
//!     assert_eq!(after.read("work/notes"), Some(b"new".to_vec()));
//! }
//! # }
//! # Ok::<(), io::Error>(())
//! ```
//!
//! # The parts
//!
//! * The traits and the types that they use are at the top of the crate.
//! * [`RealDisk`] is the operating system: Linux, macOS and Windows. No other code here calls it.
//! * `sim` (feature `sim`) is the disk in memory, with crashes, faults, permissions, foreign changes and
//!   living processes that take turns.
//! * [`Clock`] is where time and random numbers come from, so that tests can fix both.

mod bytes;
mod clock;
mod contract;
mod real;
#[cfg(feature = "sim")]
pub mod sim;

pub use bytes::{Strayed, append_by_pages, read_all, read_range, read_up_to};
pub use clock::{Clock, FixedClock, Stopwatch, SystemClock};
pub use contract::{
    Access, Dir, DirRef, Disk, File, FileBox, FileId, FileSystem, Kind, LockFile, Owner, Replace,
    Rights, Stat, SyncItem,
};
pub use real::RealDisk;
