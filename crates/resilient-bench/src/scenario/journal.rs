//! Questions to a journal of 100,000 rows, which must not be read to its beginning for its end.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;

use anyhow::Result;
use resilient_core::Workspace;
use resilient_core::digest::Digest;
use resilient_core::journal::{Filter, Mode, Row};
use serde_json::json;

use crate::library::Library;
use crate::measure::{Random, Subject, timed};
use crate::report::Table;
use crate::running::Running;
use crate::setting::Setting;

const ROWS: u64 = 100_000;

pub(super) fn run(setting: &mut Setting) -> Result<Vec<Table>> {
    let journal = rows(&mut setting.random)?;
    let mut tail = ask(setting, &journal, "tail of 20", 200, &Question::tail())?;
    tail.goal_ms("library", 0.1);
    let mut analytics = ask(setting, &journal, "analytics", 20, &Question::analytics())?;
    analytics.goal_ms("library", 20.0);
    Ok(vec![tail, analytics])
}

/// A question, as it is put to the library, to a server, and what it takes at the least.
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

fn ask(
    setting: &mut Setting,
    journal: &[u8],
    shown: &str,
    rounds: usize,
    question: &Question,
) -> Result<Table> {
    let home = setting.fresh()?;
    lay_down(home.path(), journal)?;
    let file = File::open(home.path().join(".resilient_write/journal.jsonl"))?;
    let library = Library::open(home)?;
    let mut subjects = vec![
        Subject::new("read only", |_| Ok(timed(|| (question.floor)(&file))?.0)),
        Subject::new("library", |_| Ok(timed(|| (question.library)(&library.workspace))?.0)),
    ];
    for program in setting.programs() {
        let home = setting.fresh()?;
        lay_down(home.path(), journal)?;
        let server = Running::start_in(program, home)?;
        subjects.push(server.calling(question.tool, |_| question.arguments.clone()));
    }
    let samples = setting.interleave(rounds, &mut subjects)?;
    Ok(Table::new(format!("{shown}, journal of {ROWS} rows"), "read only", samples))
}

fn lay_down(home: &Path, journal: &[u8]) -> Result<()> {
    let state = home.join(".resilient_write");
    fs::create_dir(&state)?;
    Ok(fs::write(state.join("journal.jsonl"), journal)?)
}

/// Rows of ordinary length: a thousand files, all modes, a row every seven seconds.
fn rows(random: &mut Random) -> Result<Vec<u8>> {
    const MODES: [Mode; 4] = [Mode::Create, Mode::Overwrite, Mode::Append, Mode::Replace];
    let mut text = Vec::new();
    for seq in 1..=ROWS {
        let path = format!("src/part-{:02}/file-{:03}.rs", random.below(20), random.below(50));
        let at = seq * 7;
        let (day, hour, minute, second) = (at / 86_400, at / 3_600 % 24, at / 60 % 60, at % 60);
        let digest = Digest::of(&random.next().to_le_bytes());
        let row = Row {
            abs_path: Some(format!("/home/user/project/{path}")),
            also: Vec::new(),
            at: None,
            batch: Some(seq),
            by: None,
            bytes: random.below(20_000) as u64,
            caller: "resilient-write".to_owned(),
            // Nobody who only reads follows the chain.
            chain: Some(digest.to_string()),
            epoch: None,
            exchange: None,
            from: None,
            gone: Vec::new(),
            journal_id: format!("wj_{:012x}{:08x}", seq, random.next() >> 32),
            line: None,
            mode: MODES.get(random.below(MODES.len())).copied().unwrap_or(Mode::Create),
            path,
            prev_sha256: Some(digest),
            sectors: None,
            seq: Some(seq),
            sha256: digest,
            staged: Some(format!("s-{:016x}-{seq}", random.next())),
            undo: None,
            undoes: None,
            unit: None,
            ts: format!("2026-11-{:02}T{hour:02}:{minute:02}:{second:02}Z", day + 1),
        };
        serde_json::to_writer(&mut text, &row)?;
        text.push(b'\n');
    }
    Ok(text)
}
