//! The version of the state directory's format, in the file `format`.
//!
//! A file that says nothing is made anew: a crash may have left it empty, or zeros. One that says anything
//! else stays as it is, and nothing is written.
//!
//! An older program takes a directory without this file for one of its own. So the file is durable before the
//! first row of this version: the process that writes it removes the clean marker, and recovery syncs it.

use std::ffi::OsStr;
use std::io;

use super::{marker, or_foreign};
use crate::disk::{Access, Dir, File, FileBox, read_up_to};
use crate::error::{Error, Result};
use crate::roots::STATE_DIR;

/// The version that this program writes.
pub(super) const CURRENT: u32 = 2;

/// How much of the file is looked at; no version has so many digits.
const LOOKED_AT: usize = 64;

/// Finds out the version of the format, or says that it is this one where nothing does.
pub(super) fn check(dir: &dyn Dir, lock: &dyn File) -> Result<u32> {
    let name = OsStr::new("format");
    let os = |source| Error::os(format!("{STATE_DIR}/format"), "open", source);
    let mut bytes = [0; LOOKED_AT];
    let (len, links) = match dir.open(name) {
        Ok(file) => {
            (read_up_to(&*file, &mut bytes, 0).map_err(os)?, file.stat().map_err(os)?.links)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => (0, 1),
        Err(source) => return Err(or_foreign(os(source))),
    };
    let text = String::from_utf8_lossy(bytes.get(..len).unwrap_or_default());
    let found = text.trim_matches(|c: char| c == '\0' || c.is_whitespace());
    match found.parse::<u32>() {
        Ok(version @ 1..=CURRENT) => Ok(version),
        // IMPORTANT: it may be a link to a file outside. Nothing of it is told, and nothing is written there.
        _ if links > 1 => Err(Error::ForeignState {
            path: format!("{STATE_DIR}/format"),
            what: "has another name",
        }),
        Err(_) if found.is_empty() => {
            // IMPORTANT: before it is written, so that no process trusts it before recovery has synced it.
            marker::unclean(lock).and_then(|()| write(dir)).map(|_| CURRENT).map_err(os)
        }
        _ if is_number(found) => {
            Err(Error::NewerFormat { found: found.to_owned(), known: CURRENT })
        }
        _ => Err(Error::UnknownFormat { found: found.to_owned() }),
    }
}

/// Whether a text is a number of one digit or more, above zero.
fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.bytes().any(|byte| byte != b'0')
}

/// Says durably that the state directory is of this version. One byte changes: no crash leaves half of it. The bytes are
/// written in any case: an earlier sync of them may have failed.
pub(super) fn make_durable(dir: &dyn Dir) -> io::Result<()> {
    write(dir)?.sync()
}

fn write(dir: &dyn Dir) -> io::Result<FileBox> {
    let name = OsStr::new("format");
    let file = match dir.open_write(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            dir.create_new(name, Access::Private)?
        }
        other => other?,
    };
    if file.stat()?.links > 1 {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it has another name"));
    }
    file.write_all_at(format!("{CURRENT}\n").as_bytes(), 0)?;
    file.set_len(2)?;
    Ok(file)
}
