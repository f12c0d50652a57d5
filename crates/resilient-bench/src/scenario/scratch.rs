//! Puts into the scratchpad at once, against as many writes of new files.

use std::thread;

use anyhow::{Context as _, Result};
use resilient_core::Workspace;
use resilient_core::form::Asked;
use resilient_core::scratch::{Encoding, PutRequest};
use resilient_core::write::{WriteMode, WriteRequest};

use crate::library::Library;
use crate::measure::{Subject, timed};
use crate::report::Table;
use crate::setting::Setting;

pub(super) fn run(setting: &mut Setting) -> Result<Vec<Table>> {
    [1, 64, 256].into_iter().map(|at_once| of(setting, at_once)).collect()
}

fn of(setting: &mut Setting, at_once: usize) -> Result<Table> {
    let content = setting.text(1 << 10);
    let (writes, puts) = (Library::open(setting.fresh()?)?, Library::open(setting.fresh()?)?);
    let (for_writes, for_puts) = (&content, &content);
    let mut subjects = vec![
        Subject::new("writes", |round| {
            Ok(timed(|| {
                side_by_side(at_once, |number| {
                    writes.workspace.write(WriteRequest {
                        path: format!("file-{round}-{number}.txt"),
                        content: format!("{round} {number} {for_writes}"),
                        mode: WriteMode::Create,
                        expected_prev_sha256: None,
                        reject_at: None,
                        validate: false,
                        form: Asked::default(),
                        allow_shrink: false,
                    })?;
                    Ok(())
                })
            })?
            .0)
        }),
        Subject::new("puts", |round| {
            Ok(timed(|| {
                side_by_side(at_once, |number| {
                    put(&puts.workspace, format!("{round} {number} {for_puts}"))
                })
            })?
            .0)
        }),
    ];
    let samples = setting.interleave(20, &mut subjects)?;
    Ok(Table::new(format!("scratch: {at_once} at once, library"), "writes", samples))
}

fn put(workspace: &Workspace, content: String) -> Result<()> {
    let request = PutRequest {
        content,
        encoding: Encoding::Utf8,
        label: None,
        content_type: None,
        notes: None,
    };
    workspace.scratch().put(request)?;
    Ok(())
}

/// Makes so many calls, each from a thread of its own.
fn side_by_side(calls: usize, call: impl Fn(usize) -> Result<()> + Sync) -> Result<()> {
    thread::scope(|scope| {
        let call = &call;
        let threads: Vec<_> = (0..calls).map(|number| scope.spawn(move || call(number))).collect();
        let ends = threads.into_iter().map(|thread| thread.join().ok().context("a panic")?);
        ends.collect()
    })
}
