//! The version of the state directory's format, in the file `format`.

use std::ffi::OsStr;
use std::io;

use crate::disk::{Access, Dir, read_all};
use crate::error::{Error, Result};
use crate::roots::STATE_DIR;

/// The version that this program writes.
pub(super) const CURRENT: u32 = 2;

/// Finds out the version of the format, or says that it is this one where nothing does.
pub(super) fn check(dir: &dyn Dir) -> Result<u32> {
    let name = OsStr::new("format");
    let os = |source| Error::os(format!("{STATE_DIR}/format"), "open", source);
    let text = match dir.open(name) {
        Ok(file) => read_all(&*file, 64).map_err(os)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(source) => return Err(os(source)),
    };
    match String::from_utf8_lossy(&text).trim().parse::<u32>() {
        Ok(found) if found > CURRENT => {
            Err(Error::NewerFormat { found: found.to_string(), known: CURRENT })
        }
        Ok(found) => Ok(found),
        // A torn file can only be one that this version was making. It needs no sync: without it,
        // the next process makes it again.
        Err(_) => {
            let file = match dir.open_write(name) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    dir.create_new(name, Access::Private)
                }
                other => other,
            };
            let written = file.and_then(|file| {
                file.set_len(0)?;
                file.write_all_at(format!("{CURRENT}\n").as_bytes(), 0)
            });
            written.map(|()| CURRENT).map_err(os)
        }
    }
}

/// Says durably that the state directory is of this version. One byte changes: no crash leaves half of it.
pub(super) fn upgrade(dir: &dyn Dir) -> io::Result<()> {
    let file = dir.open_write(OsStr::new("format"))?;
    file.write_all_at(format!("{CURRENT}\n").as_bytes(), 0)?;
    file.sync()
}
