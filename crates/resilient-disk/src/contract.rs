//! The traits: what a caller may request from a file system, and what each call promises.
//!
//! The durability contract as a whole is in the documentation of the crate.

use std::any::Any;
use std::ffi::{OsStr, OsString};
use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A shared handle on a directory.
pub type DirRef = Arc<dyn Dir>;
/// A handle on an open regular file.
pub type FileBox = Box<dyn File>;

/// A file system that can be entered at a directory.
pub trait Disk: Send + Sync + Debug {
    /// Opens the directory at an absolute path, following links.
    ///
    /// This call and [`Disk::stat`] are the only ones that take a whole path. They serve to enter the roots, and to
    /// see that the policy is unchanged.
    ///
    /// # Errors
    /// The path does not exist, is no directory or may not be searched.
    fn open_root(&self, path: &Path) -> io::Result<DirRef>;

    /// The facts of what is at an absolute path now, without opening it where the system can tell so. Links in the
    /// parent directories are followed; a link at the end is reported as one.
    ///
    /// # Errors
    /// The path does not exist, or one of its directories may not be searched.
    fn stat(&self, path: &Path) -> io::Result<Stat>;

    /// How many handles this process may have open at once, where that is known.
    fn handle_limit(&self) -> Option<u64> {
        None
    }

    /// Syncs several files and directories, in parallel where that is faster; one answer each.
    fn sync_all(&self, items: &[SyncItem]) -> Vec<io::Result<()>> {
        items.iter().map(SyncItem::sync).collect()
    }
}

/// Something to be made durable.
#[derive(Clone, Debug)]
pub enum SyncItem {
    /// A file's content and length.
    File(Arc<dyn File>),
    /// The names in a directory.
    Dir(DirRef),
}

impl SyncItem {
    /// Makes it durable.
    ///
    /// # Errors
    /// As [`File::sync`] and [`Dir::sync`].
    pub fn sync(&self) -> io::Result<()> {
        match self {
            Self::File(file) => file.sync(),
            Self::Dir(dir) => dir.sync(),
        }
    }
}

/// What a rename does when the new name exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replace {
    /// Take its place.
    Yes,
    /// Refuse with [`io::ErrorKind::AlreadyExists`]; of several contenders exactly one wins.
    No,
}

/// What a name leads to, links not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link.
    Link,
    /// A FIFO, socket, device or anything else.
    Other,
}

/// The identity of a file or directory: equal for two handles on the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId {
    /// The device that holds it.
    pub device: u64,
    /// Its number on that device.
    pub inode: u64,
}

/// Facts about a file or directory at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// What it is.
    pub kind: Kind,
    /// Its identity.
    pub id: FileId,
    /// Length in bytes.
    pub len: u64,
    /// Number of names it has.
    pub links: u64,
    /// Last change of the content, in nanoseconds since 1970.
    pub mtime_ns: i128,
    /// Last change of content or attributes, in nanoseconds since 1970.
    pub ctime_ns: i128,
    /// When it was made, in nanoseconds since 1970, where the file system knows. A file that takes the number of a
    /// removed one has another time.
    pub born_ns: Option<i128>,
    /// Its permission bits, as far as the system has them.
    pub mode: u32,
    /// The user and the group that it belongs to, where the system knows.
    pub owner: Option<Owner>,
}

impl Stat {
    /// How long ago, at a time in nanoseconds since 1970, the file was changed last.
    #[must_use]
    pub fn age_ns(&self, now_ns: u128) -> i128 {
        let now_ns = i128::try_from(now_ns).unwrap_or(i128::MAX);
        now_ns.saturating_sub(self.mtime_ns.max(self.ctime_ns))
    }
}

/// Who owns a file and whether anybody may write it, as far as the system knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rights {
    /// Its owner.
    pub owner: Option<Owner>,
    /// Whether its permissions let nobody write it.
    pub read_only: bool,
}

/// The user and the group that a file belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The user's number.
    pub user: u32,
    /// The group's number.
    pub group: u32,
}

/// Where the data of a directory are kept, as far as that bears on what a sync and a lock promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileSystem {
    /// On this machine: the kernel writes to a device, or to memory.
    Local,
    /// On another machine, by a protocol of that name. Its server decides what a sync and a lock do.
    Network(&'static str),
    /// A program serves it (FUSE, which virtual machines also use for folders of their host). What
    /// stands behind it cannot be asked: a disk, an archive or a network.
    Program,
    /// The system does not say, or says a name that is not known here.
    Unknown,
}

/// An open directory. Every `name` is one path component, and no operation follows a link.
pub trait Dir: Send + Sync + Debug {
    /// Opens a directory in this one.
    ///
    /// # Errors
    /// There is none of that name ([`io::ErrorKind::NotFound`]), or it is a link or a file
    /// ([`io::ErrorKind::NotADirectory`]).
    fn open_dir(&self, name: &OsStr) -> io::Result<DirRef>;

    /// Opens a directory several components down, without following a link anywhere.
    ///
    /// # Errors
    /// As [`Dir::open_dir`], for any component.
    fn open_beneath(&self, names: &[OsString]) -> io::Result<DirRef>;

    /// As [`Dir::open_beneath`], but not into another mount, where the system reports one: a mount may show a
    /// directory under a second name.
    ///
    /// # Errors
    /// As [`Dir::open_beneath`]; a mount is in between ([`io::ErrorKind::CrossesDevices`]).
    fn open_in_mount(&self, names: &[OsString]) -> io::Result<DirRef> {
        self.open_beneath(names)
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    /// There is none of that name; it is a link ([`io::ErrorKind::InvalidInput`]) or no regular
    /// file ([`io::ErrorKind::InvalidInput`]). Never waits on a FIFO or a device.
    fn open(&self, name: &OsStr) -> io::Result<FileBox>;

    /// Opens a regular file for reading and for writing in place.
    ///
    /// # Errors
    /// As [`Dir::open`], or it may not be written.
    fn open_write(&self, name: &OsStr) -> io::Result<FileBox>;

    /// Creates a file that did not exist and opens it for reading and writing.
    ///
    /// # Errors
    /// The name exists ([`io::ErrorKind::AlreadyExists`]), or the directory refuses a new one.
    fn create_new(&self, name: &OsStr, access: Access) -> io::Result<FileBox>;

    /// Creates a directory.
    ///
    /// # Errors
    /// The name exists ([`io::ErrorKind::AlreadyExists`]), or the directory refuses a new one.
    fn create_dir(&self, name: &OsStr, access: Access) -> io::Result<()>;

    /// Tells what a name is; a link is itself.
    ///
    /// # Errors
    /// There is none of that name.
    fn stat(&self, name: &OsStr) -> io::Result<Stat>;

    /// Tells this directory's own facts.
    ///
    /// # Errors
    /// The handle went stale.
    fn stat_self(&self) -> io::Result<Stat>;

    /// Tells which directory this is. As long as the handle is open that stays the same, and no
    /// other directory is it: the disk need be asked only once.
    ///
    /// # Errors
    /// The handle went stale.
    fn id(&self) -> io::Result<FileId> {
        Ok(self.stat_self()?.id)
    }

    /// Reads where a link points.
    ///
    /// # Errors
    /// It is no link.
    fn read_link(&self, name: &OsStr) -> io::Result<PathBuf>;

    /// Gives a file or directory another name, here or in another directory of the same disk.
    ///
    /// # Errors
    /// The new name exists and `replace` is [`Replace::No`]; the directories are on different
    /// file systems, or what is moved is a directory of a lower layer of an overlay
    /// ([`io::ErrorKind::CrossesDevices`]); the file system refuses.
    fn rename(
        &self,
        name: &OsStr,
        to: &dyn Dir,
        to_name: &OsStr,
        replace: Replace,
    ) -> io::Result<()>;

    /// Exchanges what two names lead to, in one step: every reader finds the one or the other file
    /// under each name, never neither. It is durable once one of the two directories is synced, since it is one
    /// transaction of the file system's log; before that a power loss may undo it as a whole. (A file system without
    /// a log may do it by halves: each name is durable once its own directory is synced.)
    ///
    /// # Errors
    /// One of the names does not exist; the directories are on different file systems
    /// ([`io::ErrorKind::CrossesDevices`]); the system or the file system has no such call
    /// ([`io::ErrorKind::Unsupported`]), and nothing has changed.
    fn exchange(&self, name: &OsStr, to: &dyn Dir, to_name: &OsStr) -> io::Result<()> {
        let _ = (name, to, to_name);
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Whether an exchange here comes as a whole after a loss of power, and a file keeps its number as long as
    /// it is there. So it is on the file systems that are known for it, and not where this cannot be told.
    fn exchanges_whole(&self) -> bool {
        false
    }

    /// Gives a file or a link a second name, here or in another directory of the same disk. It is
    /// durable once that directory is synced.
    ///
    /// # Errors
    /// The new name exists ([`io::ErrorKind::AlreadyExists`]); the file is a directory, or one that
    /// this user may not link ([`io::ErrorKind::PermissionDenied`]); the directories are on different
    /// file systems ([`io::ErrorKind::CrossesDevices`]); the file system has no second names
    /// ([`io::ErrorKind::Unsupported`] or [`io::ErrorKind::PermissionDenied`]).
    fn hard_link(&self, name: &OsStr, to: &dyn Dir, to_name: &OsStr) -> io::Result<()> {
        let _ = (name, to, to_name);
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Tells whether a rename can lead from here to another directory. Two directories of one
    /// device may lie in different mounts of it, which no rename crosses.
    ///
    /// # Errors
    /// A handle went stale.
    fn reaches(&self, to: &dyn Dir) -> io::Result<bool>;

    /// Removes a file's or a link's name.
    ///
    /// # Errors
    /// There is none of that name, or it is a directory.
    fn remove_file(&self, name: &OsStr) -> io::Result<()>;

    /// Removes an empty directory.
    ///
    /// # Errors
    /// There is none of that name, or it is not empty.
    fn remove_dir(&self, name: &OsStr) -> io::Result<()>;

    /// Lists the names in this directory, sorted.
    ///
    /// # Errors
    /// The directory may not be read.
    fn entries(&self) -> io::Result<Vec<OsString>>;

    /// Makes every name created, renamed or removed here so far durable.
    ///
    /// On a file system that has no sync for directories (some network file systems and some served
    /// by programs) this succeeds and does nothing: names are as durable there as the file system
    /// makes them.
    ///
    /// # Errors
    /// The device failed, and what was pending may be lost. Unlike that of a file, a later sync that
    /// succeeds makes up for it: a file system logs its names in order, and a log that cannot be
    /// written is not written any more.
    fn sync(&self) -> io::Result<()>;

    /// Tells on what kind of file system this directory is.
    ///
    /// # Errors
    /// The handle went stale.
    fn file_system(&self) -> io::Result<FileSystem> {
        Ok(FileSystem::Unknown)
    }

    /// Opens the lock file of that name, creating it when absent.
    ///
    /// # Errors
    /// It can be neither opened nor created.
    fn open_lock(&self, name: &OsStr) -> io::Result<Box<dyn LockFile>>;

    /// For implementations: two handles given to [`Dir::rename`] must be of one kind.
    fn as_any(&self) -> &dyn Any;
}

/// Who may use what is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// What the user's umask says: for files of the workspace.
    Default,
    /// The user alone: for state.
    Private,
}

/// An open regular file, addressed by offset.
pub trait File: Send + Sync + Debug {
    /// Reads at most `buf.len()` bytes at `offset`; 0 at the end.
    ///
    /// # Errors
    /// The device failed.
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Writes all of `bytes` at `offset`, growing the file when needed.
    ///
    /// # Errors
    /// No space, or the device failed; a part may have been written.
    fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// Adds all of `bytes` at the end that the file has when they are written, and tells where they begin: at `end`, unless
    /// another program has changed the length meanwhile. If the system has no such call, the bytes go to
    /// `end`, over what another program has added there.
    ///
    /// # Errors
    /// As [`write_all_at`](Self::write_all_at).
    fn append(&self, bytes: &[u8], end: u64) -> io::Result<u64> {
        self.write_all_at(bytes, end).map(|()| end)
    }

    /// Cuts or extends (with zeros) the file to `len` bytes.
    ///
    /// # Errors
    /// The file system refuses.
    fn set_len(&self, len: u64) -> io::Result<()>;

    /// Makes content and length durable.
    ///
    /// # Errors
    /// The device failed: the bytes that this sync covered are to be taken as lost, and a later sync
    /// does not bring them back. A later sync makes the length durable.
    fn sync(&self) -> io::Result<()>;

    /// Tells the file's facts, of this handle and not of a name.
    ///
    /// # Errors
    /// The handle went stale.
    fn stat(&self) -> io::Result<Stat>;

    /// Tells which file this is; as [`Dir::id`].
    ///
    /// # Errors
    /// The handle went stale.
    fn id(&self) -> io::Result<FileId> {
        Ok(self.stat()?.id)
    }

    /// Tells who owns the file and whether anybody may write it.
    ///
    /// # Errors
    /// The handle went stale.
    fn rights(&self) -> io::Result<Rights> {
        Ok(Rights::default())
    }

    /// Lets only the user read and write this file.
    ///
    /// # Errors
    /// The file system refuses.
    fn make_private(&self) -> io::Result<()>;

    /// Takes over the permission bits, the owner where permitted, and the extended attributes of
    /// another file.
    ///
    /// # Errors
    /// The permission bits could not be carried over. (Owner and attributes that this process
    /// may not set are left.)
    fn copy_attributes(&self, from: &dyn File) -> io::Result<()>;

    /// Gives a new file what it would have got, had it been created in `dir` with
    /// [`Access::Default`]: the group that a set-group-id directory hands down, the access that its
    /// default access control list grants (which then counts in place of the umask), and its
    /// security label. What the file has of the directory in which it was created is taken away.
    ///
    /// That is done as far as this process may: a group that it is not in, and what the file system
    /// does not know, is left.
    ///
    /// # Errors
    /// The directory or the file cannot be asked; the file system refuses for another reason than a
    /// lack of permission, such as a lack of space.
    fn adopt_directory(&self, dir: &dyn Dir) -> io::Result<()> {
        let _ = dir;
        Ok(())
    }

    /// Takes the advisory lock of the file for this handle, if it is free or this handle has it: no other handle gets
    /// it meanwhile, of this process or of another one. It hinders no read and no write, and dies with the handle.
    ///
    /// # Errors
    /// The system or the file system has no such lock ([`io::ErrorKind::Unsupported`] or another one).
    fn try_lock(&self) -> io::Result<bool> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Gives the lock back.
    ///
    /// # Errors
    /// The handle went stale.
    fn unlock(&self) -> io::Result<()> {
        Ok(())
    }

    /// For implementations: as [`Dir::as_any`].
    fn as_any(&self) -> &dyn Any;
}

/// An advisory lock among processes, with a few bytes of content that all holders share.
///
/// The lock dies with its holder: there are no stale locks and no process numbers.
pub trait LockFile: Send + Sync + Debug {
    /// Takes the lock if it is free.
    ///
    /// # Errors
    /// The file system has no locks.
    fn try_lock(&self) -> io::Result<bool>;

    /// Gives the lock back.
    ///
    /// # Errors
    /// The handle went stale.
    fn unlock(&self) -> io::Result<()>;

    /// The content of the lock file as a plain file.
    fn file(&self) -> &dyn File;
}
