//! Logs of JSON lines beside the journal: a line is added at the end, and a torn one is cut.

use std::io;

use crate::disk::File;
use crate::journal::{Backwards, Line};

/// Writes the line of a change where it belongs.
pub(crate) fn write_line(file: &dyn File, line: &Line) -> io::Result<()> {
    let mut bytes = line.text.clone().into_bytes();
    bytes.push(b'\n');
    file.write_all_at(&bytes, line.at)
}

/// Cuts what a torn append left at the end of a log of JSON lines; returns where it ends.
pub(crate) fn cut_torn_tail(file: &dyn File) -> io::Result<u64> {
    let len = file.stat()?.len;
    let Some(last) = Backwards::new(file, len).next().transpose()? else { return Ok(0) };
    if last.ended {
        return Ok(len);
    }
    if serde_json::from_slice::<serde_json::Value>(&last.text).is_ok() {
        file.write_all_at(b"\n", len)?;
        return Ok(len + 1);
    }
    file.set_len(last.offset)?;
    Ok(last.offset)
}
