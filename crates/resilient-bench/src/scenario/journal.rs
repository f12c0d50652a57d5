//! Questions to a journal of 100,000 rows, of which an answer must not read all. The floor reads one file that has them.

use std::fs::File;
use std::os::unix::fs::FileExt;

use anyhow::Result;
use resilient_core::Workspace;
use resilient_core::journal::Filter;
use serde_json::json;

use crate::client::Program;
use crate::library::Library;
use crate::measure::{Subject, timed};
use crate::report::Table;
use crate::rows::{lay_down, lay_down_whole};
use crate::running::Running;
use crate::setting::Setting;

const ROWS: u64 = 100_000;

pub(super) fn run(setting: &mut Setting) -> Result<Vec<Table>> {
    let mut tail = ask(setting, "tail of 20", 200, &Question::tail())?;
    tail.goal_ms("library", 0.1);
    let mut analytics = ask(setting, "analytics", 20, &Question::analytics())?;
    analytics.goal_ms("library", 20.0);
    Ok(vec![tail, analytics])
}

/// A question, as it is put to the library, to a server, and what it takes at least.
struct Question {
    tool: &'static str,
    arguments: serde_json::Value,
    library: fn(&Workspace) -> Result<()>,
    /// Reads what holds the answer.
    floor: fn(&File) -> Result<u64>,
}

impl Question {
    fn tail() -> Self {
        Self {
            tool: "rw.journal_tail",
            arguments: json!({"n": 20}),
            library: |workspace| {
                anyhow::ensure!(
                    workspace.journal_tail(20, &Filter::default())?.entries.len() == 20
                );
                Ok(())
            },
            floor: |file| {
                let mut block = vec![0; 16 << 10];
                let from = file.metadata()?.len() - block.len() as u64;
                Ok(file.read_at(&mut block, from)? as u64)
            },
        }
    }

    fn analytics() -> Self {
        Self {
            tool: "rw.analytics",
            arguments: json!({}),
            library: |workspace| {
                anyhow::ensure!(workspace.analytics(None, None)?.total_writes == ROWS);
                Ok(())
            },
            floor: |file| {
                let mut text = vec![0; usize::try_from(file.metadata()?.len())?];
                file.read_exact_at(&mut text, 0)?;
                // The product of a pass over the bytes, so that it is made.
                Ok(text.iter().filter(|byte| **byte == b'\n').count() as u64)
            },
        }
    }
}

fn ask(setting: &mut Setting, shown: &str, rounds: usize, question: &Question) -> Result<Table> {
    let whole = setting.fresh()?;
    lay_down_whole(whole.path(), ROWS, &mut setting.random)?;
    let file = File::open(whole.path().join(".resilient_write/journal.jsonl"))?;
    let home = setting.fresh()?;
    lay_down(home.path(), ROWS, &mut setting.random)?;
    let library = Library::open(home)?;
    let mut subjects = vec![
        Subject::new("read only", |_| Ok(timed(|| (question.floor)(&file))?.0)),
        Subject::new("library", |_| Ok(timed(|| (question.library)(&library.workspace))?.0)),
    ];
    let programs: Vec<Program> = setting.programs().cloned().collect();
    for program in &programs {
        let home = setting.fresh()?;
        // Others know one journal only.
        let is_ours = program.name == setting.ours.name;
        let lay_down = if is_ours { lay_down } else { lay_down_whole };
        lay_down(home.path(), ROWS, &mut setting.random)?;
        let server = Running::start_in(program, home)?;
        subjects.push(server.calling(question.tool, |_| question.arguments.clone()));
    }
    let samples = setting.interleave(rounds, &mut subjects)?;
    Ok(Table::new(format!("{shown}, journal of {ROWS} rows"), "read only", samples))
}
