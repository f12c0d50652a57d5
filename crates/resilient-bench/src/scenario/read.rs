//! Reading a long log: its tail, rare and common words, deep lines, a window, and all of it by cursor.
//!
//! The floor of each is a bare loop of the system calls and passes that its answer takes, over the
//! same file in the same run. `read-large` has a file of 1 GiB and is run when it is named.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::client::{self, Client};
use crate::measure::{Cost, Random, Subject, interleave, timed};
use crate::report::Table;
use crate::running::time_call;
use crate::setting::Setting;

const LOG: &str = "app.log";

/// What stands near the end of the log, once.
const RARE: &str = "kernel panic: needle 4711";

/// What stands in every hundredth line.
const COMMON: &str = "ERROR";

/// A version older than this is one whose lines a server may remember.
const SETTLED: Duration = Duration::from_millis(2100);

/// Questions to a log of 50 MiB.
pub(super) fn run(setting: &mut Setting) -> Result<Vec<Table>> {
    ask(setting, 50 << 20, 20)
}

/// All of it, by cursor.
pub(super) fn all(setting: &mut Setting) -> Result<Vec<Table>> {
    walk(setting, 50 << 20, 3)
}

/// Questions to a log of 1 GiB, and all of it.
pub(super) fn large(setting: &mut Setting) -> Result<Vec<Table>> {
    let mut tables = ask(setting, 1 << 30, 10)?;
    tables.extend(walk(setting, 1 << 30, 1)?);
    Ok(tables)
}

/// What is asked, and what it takes at least.
struct Question {
    shown: String,
    tool: &'static str,
    arguments: Value,
    floor: fn(&File, u64) -> Result<u64>,
    goal_ms: Option<f64>,
}

fn questions(log: &Log, is_small: bool) -> Vec<Question> {
    let goal = |ms| is_small.then_some(ms);
    vec![
        Question {
            shown: "tail of 200 lines".to_owned(),
            tool: "rr.read_tail",
            arguments: json!({"path": LOG, "max_lines": 200}),
            floor: |file, len| {
                let mut block = vec![0; 32 << 10];
                Ok(file.read_at(&mut block, len.saturating_sub(32 << 10))? as u64)
            },
            goal_ms: goal(0.2),
        },
        Question {
            shown: "rare word, case as it is".to_owned(),
            tool: "rr.search_then_page",
            arguments: json!({"path": LOG, "query": RARE, "case_sensitive": true}),
            floor: |file, len| find(file, len, RARE.as_bytes(), usize::MAX),
            goal_ms: goal(8.0),
        },
        Question {
            shown: "rare word, any case".to_owned(),
            tool: "rr.search_then_page",
            arguments: json!({"path": LOG, "query": RARE}),
            floor: |file, len| find(file, len, RARE.as_bytes(), usize::MAX),
            goal_ms: None,
        },
        Question {
            shown: "common word, first 5".to_owned(),
            tool: "rr.search_then_page",
            arguments: json!({"path": LOG, "query": COMMON, "case_sensitive": true}),
            floor: |file, len| find(file, len, COMMON.as_bytes(), 5),
            goal_ms: None,
        },
        Question {
            shown: format!("400 lines at {}", log.lines / 2),
            tool: "rr.read_lines",
            arguments: json!({"path": LOG, "start_line": log.lines / 2}),
            floor: |file, len| count_lines(file, len / 2),
            goal_ms: goal(4.0),
        },
        Question {
            shown: "window of 64 KiB".to_owned(),
            tool: "rr.read_bytes",
            arguments: json!({"path": LOG, "offset": log.len / 2}),
            floor: |file, len| {
                let mut block = vec![0; 64 << 10];
                Ok(file.read_at(&mut block, len / 2)? as u64)
            },
            goal_ms: goal(0.15),
        },
    ]
}

fn ask(setting: &mut Setting, len: u64, rounds: usize) -> Result<Vec<Table>> {
    let mib = len >> 20;
    let home = setting.fresh()?;
    let log = Log::write(&home.path().join(LOG), len, &mut setting.random)?;
    // The same again, for what changes it.
    let restless = setting.fresh()?;
    std::fs::copy(home.path().join(LOG), restless.path().join(LOG))?;
    std::thread::sleep(SETTLED);
    let mut tables = Vec::new();
    for question in questions(&log, len <= 50 << 20) {
        let mut subjects = vec![Subject::new("bare pass", |_| {
            let file = File::open(home.path().join(LOG))?;
            Ok(timed(|| (question.floor)(&file, log.len))?.0)
        })];
        for program in setting.readers() {
            let mut client = program.connect(home.path())?;
            let (tool, arguments) = (question.tool, question.arguments.clone());
            subjects.push(Subject::of_process(program.name.clone(), client.pid(), move |_| {
                time_call(&mut client, tool, arguments.clone())
            }));
        }
        // A server that has not seen this version of the file, as after every line of a log.
        let cold = setting.ours.reader();
        let mut client = cold.connect(restless.path())?;
        let path = restless.path().join(LOG);
        let (tool, arguments) = (question.tool, question.arguments.clone());
        subjects.push(Subject::of_process(
            "resilient-read, new version",
            client.pid(),
            move |_| {
                File::options()
                    .append(true)
                    .open(&path)?
                    .set_modified(std::time::SystemTime::now())?;
                time_call(&mut client, tool, arguments.clone())
            },
        ));
        let samples = setting.interleave(rounds, &mut subjects)?;
        drop(subjects);
        let mut table =
            Table::new(format!("{}, log of {mib} MiB", question.shown), "bare pass", samples);
        if let Some(goal) = question.goal_ms {
            table.goal_ms("resilient-read", goal);
        }
        tables.push(table);
    }
    Ok(tables)
}

/// All of the file, from cursor to cursor, in windows of 64 KiB; so long that few rounds do.
fn walk(setting: &mut Setting, len: u64, rounds: usize) -> Result<Vec<Table>> {
    let home = setting.fresh()?;
    let home = home.path();
    let log = Log::write(&home.join(LOG), len, &mut setting.random)?;
    std::thread::sleep(SETTLED);
    let mut subjects = vec![Subject::new("bare pass", |_| {
        let file = File::open(home.join(LOG))?;
        Ok(timed(|| pieces(&file, log.len, 64 << 10, |_| false))?.0)
    })];
    for program in setting.readers() {
        let mut client = program.connect(home)?;
        subjects.push(Subject::of_process(program.name.clone(), client.pid(), move |_| {
            walk_once(&mut client, log.len)
        }));
    }
    let samples = interleave(&mut setting.random, rounds, &mut subjects)?;
    drop(subjects);
    let title = format!("walk by cursor, log of {} MiB", log.len >> 20);
    Ok(vec![Table::new(title, "bare pass", samples)])
}

fn walk_once(client: &mut Client, len: u64) -> Result<Cost> {
    let made = client::call(1, "rr.make_cursor", json!({"path": LOG}));
    let (mut cost, reply) = timed(|| client.exchange(&made))?;
    let mut answer = client::check(&reply)?;
    loop {
        let line = client::call(1, "rr.read_next", json!({"cursor": answer.get("cursor")}));
        let (step, reply) = timed(|| client.exchange(&line))?;
        cost += step;
        answer = client::check(&reply)?;
        if answer.get("eof") == Some(&Value::Bool(true)) {
            let end = answer.get("next_offset").and_then(Value::as_u64);
            ensure!(end == Some(len), "the walk ends at {end:?}");
            return Ok(cost);
        }
    }
}

/// A log on disk.
struct Log {
    len: u64,
    lines: u64,
}

impl Log {
    /// Lines of about a hundred bytes, as servers write them.
    fn write(path: &Path, len: u64, random: &mut Random) -> Result<Self> {
        const WORDS: [&str; 8] =
            ["request", "handled", "for", "user", "in", "cache", "refreshed", "connection"];
        let mut file = BufWriter::new(File::create(path)?);
        let (mut written, mut lines, mut has_rare) = (0, 0_u64, false);
        while written < len {
            let level = if lines % 100 == 99 { COMMON } else { "INFO" };
            let mut line = format!(
                "2026-11-22T10:{:02}:{:02}Z {level} [worker-{}] ",
                lines / 60 % 60,
                lines % 60,
                random.below(16)
            );
            while line.len() < 90 {
                line.push_str(WORDS.get(random.below(WORDS.len())).copied().unwrap_or_default());
                line.push(' ');
            }
            if !has_rare && written > len - len / 50 {
                line.push_str(RARE);
                has_rare = true;
            }
            line.push('\n');
            file.write_all(line.as_bytes())?;
            written += line.len() as u64;
            lines += 1;
        }
        file.into_inner().context("the end of the log")?.sync_all()?;
        Ok(Self { len: written, lines })
    }
}

/// Reads a file in pieces until one of them is enough.
fn pieces(
    file: &File,
    len: u64,
    piece: usize,
    mut is_enough: impl FnMut(&[u8]) -> bool,
) -> Result<u64> {
    let mut block = vec![0; piece];
    let mut at = 0;
    while at < len {
        let read = file.read_at(&mut block, at)?;
        at += read as u64;
        if read == 0 || is_enough(block.get(..read).unwrap_or_default()) {
            break;
        }
    }
    Ok(at)
}

/// What C's `memmem` in a loop of `pread` does.
fn find(file: &File, len: u64, word: &[u8], wanted: usize) -> Result<u64> {
    let finder = memchr::memmem::Finder::new(word);
    let mut found = 0;
    pieces(file, len, 256 << 10, |block| {
        found += finder.find_iter(block).take(wanted).count();
        found >= wanted
    })
}

fn count_lines(file: &File, len: u64) -> Result<u64> {
    let mut lines = 0;
    pieces(file, len, 256 << 10, |block| {
        lines += memchr::memchr_iter(b'\n', block).count();
        false
    })?;
    Ok(lines as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_has_what_is_looked_for() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join(LOG);
        let log = Log::write(&path, 100_000, &mut Random::new(1)).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!((text.len() as u64, text.lines().count() as u64), (log.len, log.lines));
        assert_eq!(text.matches(RARE).count(), 1);
        assert_eq!(text.matches(COMMON).count() as u64, log.lines / 100);
        let file = File::open(&path).unwrap();
        assert_eq!(count_lines(&file, log.len).unwrap(), log.lines);
        assert_eq!(find(&file, log.len, RARE.as_bytes(), usize::MAX).unwrap(), log.len);
    }
}
