//! Files that are derived from a closed journal and spare reading it.
//!
//! A reader that needs one and finds none makes it, if this user may. It names the journal that it is made from, so
//! that one that came from elsewhere is noticed, and it has its name only when it is whole and on disk. So nothing of
//! it needs to be repaired: what cannot be used is made anew.

use std::ffi::{OsStr, OsString};
use std::io;

use super::{Name, Opened};
use crate::digest::Digest;
use crate::disk::{Access, Dir, FileBox, Replace, read_up_to};

/// How many bytes at the end of a journal identify it. They hold a chain value.
const END: u64 = 1024;

/// What the name of a file ends with until it has its own, with a number behind it.
const UNNAMED: &str = ".new";

/// What identifies the journal that a derived file is made from: as many bytes of it as there were, and how
/// these end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Of {
    pub(crate) len: u64,
    end: [u8; 16],
}

impl Of {
    /// The length of [`Of::encode`].
    pub(crate) const LEN: usize = 24;

    /// Of the first `len` bytes of a journal.
    pub(crate) fn beginning(journal: &Opened, len: u64) -> io::Result<Self> {
        let from = len.saturating_sub(END);
        let mut bytes = vec![0; (len - from) as usize];
        let read = read_up_to(journal.file(), &mut bytes, from)?;
        let digest = Digest::of(bytes.get(..read).unwrap_or_default());
        let [first, _] = digest.as_bytes().as_chunks::<16>().0 else {
            return Ok(Self { len, end: [0; 16] });
        };
        Ok(Self { len, end: *first })
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        [&self.len.to_be_bytes()[..], &self.end].concat()
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (len, end) = bytes.split_at_checked(8)?;
        Some(Self { len: u64::from_be_bytes(len.try_into().ok()?), end: end.try_into().ok()? })
    }

    /// Whether a journal begins with these bytes. Lines that were added later do not matter.
    pub(crate) fn is_of(&self, journal: &Opened) -> io::Result<bool> {
        Ok(self.len <= journal.len && Self::beginning(journal, self.len)? == *self)
    }
}

/// The name of a file that is derived from a journal.
pub(crate) fn name(journal: &Name, ending: &str) -> OsString {
    format!("{:06}.{ending}", journal.number).into()
}

/// Keeps a derived file. Another process may do the same at once: the last one stays.
pub(crate) fn keep(dir: &dyn Dir, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
    let (unnamed, file) = create_unnamed(dir, name)?;
    file.write_all_at(bytes, 0)?;
    // It must not come to its name before its content.
    file.sync()?;
    dir.rename(&unnamed, dir, name, Replace::Yes)
}

/// Creates a file that gets its name later.
///
/// No process takes the file of another one. The files of processes that were killed stay until the next journal is
/// closed ([`sweep`]), and there may be so many of them.
fn create_unnamed(dir: &dyn Dir, name: &OsStr) -> io::Result<(OsString, FileBox)> {
    const AT_ONCE: usize = 16;
    for number in 0..AT_ONCE {
        let mut unnamed = name.to_owned();
        unnamed.push(format!("{UNNAMED}{number}"));
        match dir.create_new(&unnamed, Access::Private) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => return Ok((unnamed, other?)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Removes derived files without a name. A process that is making one does so for nothing; the checksums tell, should
/// it give the name to the file of another one.
pub(crate) fn sweep(dir: &dyn Dir) {
    for name in dir.entries().unwrap_or_default() {
        let number =
            name.to_str().and_then(|name| name.rsplit_once(UNNAMED)).map(|(_, number)| number);
        if number.is_some_and(|number| number.parse::<u8>().is_ok()) {
            // It is in nobody's way.
            let _ = dir.remove_file(&name);
        }
    }
}
