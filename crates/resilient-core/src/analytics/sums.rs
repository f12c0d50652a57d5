//! The sums of the closed journals, kept in a file beside the last one.
//!
//! `NNNNNN.sum` has the sums of that journal and of all before it, as a line of JSON with its digest behind it. So a
//! report reads one such file and the current journal, however many rows there are. One that is damaged is made anew.

use std::io;

use serde::{Deserialize, Serialize};

use super::tally::Tally;
use crate::closed::{Journals, Name, Of, Opened, derived_name, keep};
use crate::digest::Digest;
use crate::disk::read_all;
use crate::journal::each_line;

const ENDING: &str = "sum";
/// Sums of another form count other rows, or count them in another way.
const FORM: u32 = 2;
/// Longer ones are made anew. There are so many different paths then that reading them takes longer than
/// the rows.
const LONGEST: u64 = 64 << 20;

/// What the file holds.
#[derive(Serialize, Deserialize)]
struct Kept {
    form: u32,
    /// Which journals the sums are of: number and length.
    journals: Vec<(u64, u64)>,
    /// What tells the last of them from another one, in hex.
    last: String,
    tally: Tally,
}

/// The sums of all closed journals, from what is kept and what has been closed since. They are kept again.
pub(super) fn up_to_current(journals: &Journals) -> io::Result<Tally> {
    let closed = journals.stats()?;
    let seen: Vec<(u64, u64)> = closed.iter().map(|(name, stat)| (name.number, stat.len)).collect();
    let found = (0..closed.len()).rev().find_map(|at| {
        let (name, _) = closed.get(at)?;
        Some((at + 1, open(journals, name, seen.get(..=at)?)?))
    });
    let (done, mut tally) = found.unwrap_or_default();
    let mut last = None;
    for (name, stat) in closed.iter().skip(done) {
        let Some(journal) = journals.open(name)? else { continue };
        each_line(journal.file(), stat.len, |line| tally.see(&line, None))?;
        last = Some((name, journal));
    }
    if let Some((name, journal)) = last {
        tally.forget_minutes();
        // Only a matter of time: the next report makes them again.
        let _ = set_aside(journals, name, &journal, seen, &mut tally);
    }
    Ok(tally)
}

/// The sums of the rows since a time, which are not kept.
pub(super) fn of_closed(journals: &Journals, since: Option<i128>) -> io::Result<Tally> {
    let mut tally = Tally::default();
    for (name, stat) in journals.stats()? {
        // No row is younger than the last change of its journal. The second is for times without fractions.
        if since.is_some_and(|since| stat.mtime_ns + 1_000_000_000 < since) {
            continue;
        }
        if let Some(journal) = journals.open(name)? {
            each_line(journal.file(), journal.len, |line| tally.see(&line, since))?;
        }
    }
    Ok(tally)
}

/// Reads the sums beside a journal; `None` where there are none, or they are of other journals.
fn open(journals: &Journals, name: &Name, seen: &[(u64, u64)]) -> Option<Tally> {
    let file = journals.dir()?.open(&derived_name(name, ENDING)).ok()?;
    let kept: Kept = serde_json::from_slice(sound(&read_all(&*file, LONGEST).ok()?)?).ok()?;
    let (_, len) = seen.last()?;
    let journal = journals.open(name).ok()??;
    let is_of =
        kept.form == FORM && kept.journals == seen && kept.last == last(&journal, *len).ok()?;
    is_of.then_some(kept.tally)
}

fn set_aside(
    journals: &Journals,
    name: &Name,
    journal: &Opened,
    seen: Vec<(u64, u64)>,
    tally: &mut Tally,
) -> io::Result<()> {
    let Some(dir) = journals.dir() else { return Ok(()) };
    let len = seen.last().map(|(_, len)| *len).unwrap_or_default();
    let last = last(journal, len)?;
    let kept = Kept { form: FORM, journals: seen, last, tally: std::mem::take(tally) };
    let bytes = serde_json::to_vec(&kept);
    *tally = kept.tally;
    let mut bytes = bytes?;
    let digest = Digest::of(&bytes);
    bytes.extend(format!("\n{digest}\n").bytes());
    keep(dir, &derived_name(name, ENDING), &bytes)
}

/// The line of JSON, where its digest behind it is the one of these bytes.
fn sound(kept: &[u8]) -> Option<&[u8]> {
    let (json, digest) = kept.split_at_checked(memchr::memchr(b'\n', kept)?)?;
    (digest == format!("\n{}\n", Digest::of(json)).as_bytes()).then_some(json)
}

fn last(journal: &Opened, len: u64) -> io::Result<String> {
    let of = Of::beginning(journal, len)?.encode();
    Ok(of.iter().map(|byte| format!("{byte:02x}")).collect())
}
