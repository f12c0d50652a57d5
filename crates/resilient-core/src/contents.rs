//! The contents of files and directories as they are: digested, copied, taken away.

use std::ffi::{OsStr, OsString};
use std::io;
use std::sync::Arc;

use crate::digest::{Digest, Hasher, PrefixHashes};
use crate::disk::{Dir, DirRef, File, Kind, Replace, Stat, read_all, read_up_to};
use crate::ensure;
use crate::error::{Error, Result};
use crate::form::{self, Form};
use crate::roots::Target;

/// Blocks in which files are digested, compared and copied.
const BLOCK: usize = 128 * 1024;

/// The longest file that is read into memory as a whole. A client's message is no longer.
pub(crate) const WHOLE_MAX: u64 = 256 << 20;
/// Reads a file into memory as a whole.
///
/// # Errors
/// It is too long, as [`check_whole`]; there is no memory for it; the disk refuses.
pub(crate) fn read_whole(file: &dyn File, shown: &str) -> Result<Vec<u8>> {
    let os = |source| Error::os(shown, "read", source);
    check_whole(file.stat().map_err(os)?.len, shown)?;
    read_all(file, WHOLE_MAX).map_err(os)
}

/// Checks that a file of `len` bytes can be read into memory as a whole.
///
/// # Errors
/// It is longer than [`WHOLE_MAX`]: [`Error::TooLarge`].
pub(crate) fn check_whole(len: u64, shown: &str) -> Result<()> {
    if len > WHOLE_MAX {
        return Err(Error::TooLarge { path: shown.to_owned(), bytes: len, most: WHOLE_MAX });
    }
    Ok(())
}

/// Bytes for a file, with their digest.
#[derive(Clone, Debug)]
pub(crate) struct Content {
    pub(crate) bytes: Arc<Vec<u8>>,
    pub(crate) digest: Digest,
}

impl Content {
    /// Digests bytes.
    pub(crate) fn of(bytes: Vec<u8>) -> Self {
        let digest = Digest::of(&bytes);
        Self { bytes: Arc::new(bytes), digest }
    }

    /// Digests bytes from where they differ from those that they take the place of.
    pub(crate) fn instead_of(old: &[u8], prefixes: &PrefixHashes, bytes: Vec<u8>) -> Self {
        let digest = prefixes.digest_of_other(old, &bytes);
        Self { bytes: Arc::new(bytes), digest }
    }
}

/// Whether a file holds `bytes` at an offset. Where they are the ones that a digest was taken of,
/// what is there has that digest.
pub(crate) fn holds(file: &dyn File, at: u64, bytes: &[u8]) -> io::Result<bool> {
    let mut block = vec![0; bytes.len().min(BLOCK)];
    let mut at = at;
    for part in bytes.chunks(BLOCK) {
        let here = block.get_mut(..part.len()).unwrap_or_default();
        let read = read_up_to(file, here, at)?;
        if read != part.len() || here != part {
            return Ok(false);
        }
        at += read as u64;
    }
    Ok(true)
}

/// The form of a file, by its head and tail where it is long; and its last bytes.
pub(crate) fn form_of(file: &dyn File, len: u64) -> io::Result<(Form, Vec<u8>)> {
    let read = |from: u64, len: u64| {
        let mut bytes = vec![0; usize::try_from(len).map_err(io::Error::other)?];
        let read = read_up_to(file, &mut bytes, from)?;
        bytes.truncate(read);
        io::Result::Ok(bytes)
    };
    if len <= form::WHOLE {
        let bytes = read(0, len)?;
        return Ok((Form::of(&bytes), bytes));
    }
    let window = form::WINDOW as u64;
    // Where it begins, a character of UTF-16 may begin.
    let from = (len - window) & !1;
    let (head, tail) = (read(0, window)?, read(from, len - from)?);
    Ok((Form::of_windows(&head, &tail), tail))
}

/// Digests a file from `from` to `to`.
pub(crate) fn digest_range(
    file: &dyn File,
    from: u64,
    to: u64,
    into: &mut Hasher,
) -> io::Result<()> {
    each_block(file, from, to, |_, block| {
        into.update(block);
        Ok(())
    })
}

/// Shows what a file holds from `from` to `to`, block by block, each with its offset.
pub(crate) fn each_block(
    file: &dyn File,
    from: u64,
    to: u64,
    mut see: impl FnMut(u64, &[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let want = usize::try_from((to - from).min(BLOCK as u64)).map_err(io::Error::other)?;
    let mut block = vec![0; want];
    let mut at = from;
    while at < to {
        let want = usize::try_from((to - at).min(block.len() as u64)).map_err(io::Error::other)?;
        let part = block.get_mut(..want).unwrap_or_default();
        let read = read_up_to(file, part, at)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        see(at, part.get(..read).unwrap_or_default())?;
        at += read as u64;
    }
    Ok(())
}

/// Digests a whole file.
pub(crate) fn digest_of(file: &dyn File) -> io::Result<(Digest, u64)> {
    let len = file.stat()?.len;
    let mut hasher = Hasher::default();
    digest_range(file, 0, len, &mut hasher)?;
    Ok((hasher.finish(), len))
}

/// What a directory lists, with the facts of each entry.
pub(crate) fn listing(dir: &dyn Dir) -> io::Result<Vec<(OsString, Stat)>> {
    let facts = |name: OsString| dir.stat(&name).map(|stat| (name, stat));
    dir.entries()?.into_iter().map(facts).collect()
}

/// Digests a directory: the names in it and the contents of its files, except for those that
/// `known` has. What is in directories below it does not count.
pub(crate) fn digest_of_dir(
    dir: &dyn Dir,
    known: impl Fn(&OsStr) -> Option<Digest>,
) -> io::Result<Digest> {
    digest_of_parts(&[dir], known)
}

/// The same of a directory that is on its way from one place to another, entry by entry.
pub(crate) fn digest_of_parts(
    parts: &[&dyn Dir],
    known: impl Fn(&OsStr) -> Option<Digest>,
) -> io::Result<Digest> {
    let mut entries = Vec::new();
    for dir in parts {
        entries.extend(dir.entries()?.into_iter().map(|name| (name, *dir)));
    }
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    let mut hasher = Hasher::default();
    for (name, dir) in entries {
        hasher.update(name.as_encoded_bytes());
        hasher.update(b"/");
        if dir.stat(&name)?.kind == Kind::File {
            let digest = match known(&name) {
                Some(digest) => digest,
                None => digest_of(&*dir.open(&name)?)?.0,
            };
            hasher.update(digest.as_bytes());
        }
    }
    Ok(hasher.finish())
}

/// Moves a directory of files, or what is left of one: in one step, or entry by entry where no rename
/// moves it, as in the lower layer of an overlay. The new name is durable once `to` is synced.
pub(crate) fn move_dir(from: &dyn Dir, name: &OsStr, to: &dyn Dir, new: &OsStr) -> io::Result<()> {
    match from.rename(name, to, new, Replace::Yes) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {}
        other => return other,
    }
    let old = from.open_dir(name)?;
    let trash = ensure::private_dir(to, new)?;
    // IMPORTANT: it is there for good before it has what the old directory has no more.
    to.sync()?;
    for entry in old.entries()? {
        old.rename(&entry, &*trash, &entry, Replace::Yes)?;
    }
    // Whatever a crash takes back of this was to go in any case.
    from.remove_dir(name)?;
    from.sync()
}

/// Digests what a target's name leads to now; `None` where there is nothing.
pub(crate) fn digest_now(target: &Target) -> io::Result<Option<Digest>> {
    match target.dir.open(&target.name) {
        Ok(file) => Ok(Some(digest_of(&*file)?.0)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Copies a file's bytes to an offset of another; tells where they end there.
fn copy_to(from: &dyn File, to: &dyn File, offset: u64) -> io::Result<u64> {
    let mut block = vec![0; BLOCK];
    let mut at = 0;
    loop {
        let read = read_up_to(from, &mut block, at)?;
        if read == 0 {
            return Ok(offset + at);
        }
        to.write_all_at(block.get(..read).unwrap_or_default(), offset + at)?;
        at += read as u64;
    }
}

/// Gives a file the bytes of another, and no more.
pub(crate) fn copy_all(from: &dyn File, to: &dyn File) -> io::Result<()> {
    to.set_len(copy_to(from, to, 0)?)
}

/// Writes again what a file holds from `from` to `to`: a sync may have failed for it, after which
/// a file system takes what it could not write for written, and only fresh bytes are certain to be.
pub(crate) fn write_again(file: &dyn File, from: u64, to: u64) -> io::Result<()> {
    each_block(file, from, to, |at, block| file.write_all_at(block, at))
}

/// Removes a directory with all that is in it, without following a link and without recursion.
pub(crate) fn remove_tree(parent: &dyn Dir, name: &OsStr) -> io::Result<()> {
    let mut open: Vec<(DirRef, OsString)> = vec![(parent.open_dir(name)?, name.to_owned())];
    while let Some((dir, _)) = open.last() {
        let mut deeper = None;
        for entry in dir.entries()? {
            match dir.stat(&entry)?.kind {
                Kind::Dir => {
                    deeper = Some((dir.open_dir(&entry)?, entry));
                    break;
                }
                _ => dir.remove_file(&entry)?,
            }
        }
        if let Some(next) = deeper {
            open.push(next);
        } else if let Some((_, name)) = open.pop() {
            match open.last() {
                Some((above, _)) => above.remove_dir(&name)?,
                None => parent.remove_dir(&name)?,
            }
        }
    }
    Ok(())
}
