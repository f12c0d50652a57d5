//! Logs of JSON lines beside the journal: a line is added at the end, and a torn one is cut.

use std::io;

use crate::disk::File;
use crate::journal::{Line, ReverseLines};

/// Writes the line of a change where it belongs.
pub(crate) fn write_line(file: &dyn File, line: &Line) -> io::Result<()> {
    let mut bytes = line.text.clone().into_bytes();
    bytes.push(b'\n');
    file.write_all_at(&bytes, line.at)
}

/// Cuts what a torn append left at the end of a log of JSON lines; returns where it ends.
///
/// As in the journal, a line is torn when it has no end or holds a zero byte.
pub(crate) fn cut_torn_tail(file: &dyn File) -> io::Result<u64> {
    let len = file.stat()?.len;
    let mut end = len;
    for line in ReverseLines::new(file, len) {
        let line = line?;
        if !line.ended && serde_json::from_slice::<serde_json::Value>(&line.text).is_ok() {
            end = line.offset + line.len;
            file.write_all_at(b"\n", end)?;
            return Ok(end + 1);
        }
        if !line.is_torn() {
            break;
        }
        end = line.offset;
    }
    if end < len {
        file.set_len(end)?;
    }
    Ok(end)
}
