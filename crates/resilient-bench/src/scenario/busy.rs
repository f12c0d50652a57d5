//! A write of one process while another one has 64 writes outstanding, against the same write alone.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::thread;

use anyhow::{Context as _, Result};
use resilient_core::Workspace;
use resilient_core::journal::Row;
use resilient_core::write::WriteMode;

use super::outstanding::{OUTSTANDING, pipelined};
use crate::client;
use crate::library::Library;
use crate::measure::Subject;
use crate::report::{Bound, Table};
use crate::running::{Running, writing};
use crate::setting::Setting;

/// How many writes the busy server makes in a round, and how many of them before the other write.
const WRITES: usize = 8 * OUTSTANDING;
const BEFORE: usize = 2 * OUTSTANDING;

pub(super) fn run(setting: &mut Setting) -> Result<Vec<Table>> {
    let contents = setting.contents(1 << 10);
    let alone = Library::open(setting.fresh()?)?;
    let Running { mut client, home, .. } = Running::start(&setting.ours, setting)?;
    let root = home.path().canonicalize()?;
    let beside = Library::of(Workspace::builder(root.clone()).open());
    let most = Cell::new(0);
    let mut subjects = vec![
        Subject::new("alone", |round| {
            alone.time_write("other.txt".to_owned(), contents.number(round), WriteMode::Overwrite)
        }),
        Subject::new("beside a busy server", |round| {
            let lines: Vec<String> = (0..WRITES)
                .map(|number| {
                    let path = format!("file-{}.txt", number % OUTSTANDING);
                    let content = contents.number(round * WRITES + number);
                    client::call(number, "rw.safe_write", writing(&path, &content, "overwrite"))
                })
                .collect();
            let (replied, replies) = channel();
            thread::scope(|scope| {
                let busy = scope.spawn(|| {
                    pipelined(&mut client, &lines, || {
                        let _ = replied.send(());
                    })
                });
                replies.iter().take(BEFORE).for_each(drop);
                let asked_at = fs::metadata(journal(&root))?.len();
                let content = format!("other {}", contents.number(round));
                let path = "other.txt".to_owned();
                let cost = beside.time_write(path, content, WriteMode::Overwrite)?;
                most.set(most.get().max(batches_before(&root, asked_at)?));
                busy.join().ok().context("a panic")??;
                Ok(cost)
            })
        }),
    ];
    let samples = setting.interleave(30, &mut subjects)?;
    drop(subjects);
    let mut table = Table::new("a write beside another process", "alone", samples);
    let what = "batches of the server between the other write and its row, most";
    table.goal(what, f64::from(most.get()), Bound::AtMost(2.0), "batches");
    Ok(vec![table])
}

fn journal(root: &Path) -> PathBuf {
    root.join(".resilient_write").join("journal.jsonl")
}

/// How many batches of the server stand in the journal between a place and the first row of the other write
/// behind it.
fn batches_before(root: &Path, place: u64) -> Result<u32> {
    let bytes = fs::read(journal(root))?;
    // A shorter journal was closed in between, and its successor has all rows that count.
    let rows = bytes.get(usize::try_from(place)?..).unwrap_or(&bytes);
    let rows = rows.split(|byte| *byte == b'\n').filter_map(Row::parse);
    let before = rows.take_while(|row| row.path != "other.txt");
    let batches: BTreeSet<Option<u64>> = before.map(|row| row.batch).collect();
    Ok(u32::try_from(batches.len())?)
}
