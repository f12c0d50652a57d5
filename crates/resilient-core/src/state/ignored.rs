//! What keeps the state directory out of repositories: a `.gitignore` of its own, with which it ignores
//! itself and all that is in it.

use std::ffi::OsStr;
use std::io;

use crate::disk::{Access, Dir, read_all};

/// The name of that file.
const NAME: &str = ".gitignore";
/// Everything below.
const ALL: &[u8] = b"*\n";

/// Makes that file where it is missing or torn. One that says something else is somebody's own, and stays.
///
/// It needs no sync: the next process that enters looks again.
pub(super) fn ignore_all(dir: &dyn Dir) -> io::Result<()> {
    let name = OsStr::new(NAME);
    let file = match dir.open(name) {
        Ok(file) => {
            let text = read_all(&*file, 1 << 16);
            // One of several names may be a file outside.
            if file.stat()?.links > 1 || !text.is_ok_and(|text| is_torn(&text)) {
                return Ok(());
            }
            dir.open_write(name)?
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            dir.create_new(name, Access::Private)?
        }
        // A link or a directory is somebody's own.
        Err(_) => return Ok(()),
    };
    file.set_len(0)?;
    file.write_all_at(ALL, 0)
}

/// Whether bytes are what a crash may leave of the file.
fn is_torn(text: &[u8]) -> bool {
    text != ALL
        && text.len() <= ALL.len()
        && text.iter().zip(ALL).all(|(now, all)| now == all || *now == 0)
}
