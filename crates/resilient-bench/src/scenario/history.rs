//! What it costs that much was written before: the first write of a process, a look-up, a report.

use anyhow::{Result, ensure};
use resilient_core::Workspace;
use resilient_core::journal::Filter;
use resilient_core::write::WriteMode;
use tempfile::TempDir;

use crate::library::Library;
use crate::measure::{Subject, timed};
use crate::report::Table;
use crate::rows::{RARE, lay_down};
use crate::setting::Setting;

/// How many rows there are: the first is the base.
const ROWS: [(u64, &str); 3] = [(10, "ten"), (100_000, "100,000"), (1_000_000, "1,000,000")];

pub(super) fn run(setting: &mut Setting) -> Result<Vec<Table>> {
    let mut homes = Vec::new();
    for (rows, _) in ROWS {
        let home = setting.fresh()?;
        lay_down(home.path(), rows, &mut setting.random)?;
        homes.push(home);
    }
    Ok(vec![
        first_write(setting, &homes)?,
        question(setting, &homes, "a row by its path", |workspace| {
            let filter = Filter { path: Some(RARE.to_owned()), ..Filter::default() };
            ensure!(workspace.journal_tail(20, &filter)?.entries.len() == 1);
            Ok(())
        })?,
        question(setting, &homes, "analytics", |workspace| {
            ensure!(workspace.analytics(None, None)?.total_writes >= ROWS[0].0);
            Ok(())
        })?,
    ])
}

/// The first write of a process, and the second one.
fn first_write(setting: &mut Setting, homes: &[TempDir]) -> Result<Table> {
    let mut subjects = Vec::new();
    for (home, (_, shown)) in homes.iter().zip(ROWS) {
        let root = home.path().canonicalize()?;
        let open = move || Workspace::builder(&root).open();
        let write = |library: &Library, round: usize| {
            let path = format!("file-{}.txt", round % 64);
            library.time_write(path, format!("{round}\n"), WriteMode::Overwrite)
        };
        if shown == ROWS[0].1 {
            let open = open.clone();
            subjects.push(Subject::new("second write", move |round| {
                let library = Library::of(open());
                write(&library, 2 * round)?;
                write(&library, 2 * round + 1)
            }));
        }
        subjects.push(Subject::new(format!("first write, {shown} rows"), move |round| {
            write(&Library::of(open()), round)
        }));
    }
    let samples = setting.interleave(100, &mut subjects)?;
    Ok(Table::new("restart: the first write of a process", "second write", samples))
}

/// A question to journals of so many rows.
fn question(
    setting: &mut Setting,
    homes: &[TempDir],
    shown: &str,
    ask: fn(&Workspace) -> Result<()>,
) -> Result<Table> {
    let mut subjects = Vec::new();
    for (home, (_, rows)) in homes.iter().zip(ROWS) {
        let workspace = Workspace::builder(home.path().canonicalize()?).open();
        subjects
            .push(Subject::new(format!("{rows} rows"), move |_| Ok(timed(|| ask(&workspace))?.0)));
    }
    let samples = setting.interleave(50, &mut subjects)?;
    Ok(Table::new(format!("{shown}, library"), "ten rows", samples))
}
