//! The risk score: of 100 kB of code, of texts made to be slow, of a whole tree on one core.
//!
//! In this process and through the real server, in turn with the Python server and with a scanner
//! of trees, where they are named. What is not named is left out, and said to be. The code comes by
//! path; made-up text stands for it in the first two comparisons, which says less.

mod tree;

use std::cell::RefCell;
use std::path::PathBuf;

use anyhow::{Result, ensure};
use resilient_core::risk::{self, Policy, hostile};
use serde_json::json;

use super::start;
use crate::client;
use crate::measure::{Samples, Spread, Subject, interleave, timed};
use crate::report::{Bound, Table};
use crate::risk::{SIZE, code, texts};
use crate::running::{Running, time_call};
use crate::setting::Setting;

/// So many texts of code are scored in turn: no single one decides.
const TEXTS: usize = 12;

/// So many of the slowest texts are shown.
const SHOWN: usize = 6;

/// Texts that take the Python server more than ten seconds each.
const SLOW_FOR_PYTHON: [&str; 2] = ["one letter", "AKIA flood"];

const ORDINARY: &str = "code";

pub(super) fn run(setting: &mut Setting) -> Result<Vec<Table>> {
    let files: Vec<(PathBuf, String)> = match setting.code.as_slice() {
        [] => Vec::new(),
        dirs => code(dirs, 1 << 20)?,
    };
    let texts = match files.is_empty() {
        true => (0..TEXTS).map(|_| setting.text(SIZE)).collect(),
        false => texts(&files, TEXTS, SIZE),
    };
    ensure!(texts.iter().all(|text| text.len() > SIZE - 4), "the directories hold too little code");
    let mut tables = vec![ordinary(setting, &texts)?];
    tables.extend(slow(setting, &texts)?);
    if files.is_empty() {
        crate::say("left out: a tree on one core; --code names none\n")?;
    } else {
        tables.push(tree::run(setting, &files)?);
    }
    Ok(tables)
}

/// Code, as agents write it.
fn ordinary(setting: &mut Setting, texts: &[String]) -> Result<Table> {
    let policy = Policy::default();
    let text =
        |round: usize| texts.get(round % texts.len()).map(String::as_str).unwrap_or_default();
    let home = setting.fresh()?;
    let mut echo = start::echo().spawn(home.path())?;
    let mut subjects = vec![
        Subject::new("counting lines", |round| {
            let (time, lines) =
                timed(|| Ok(memchr::memchr_iter(b'\n', text(round).as_bytes()).count()))?;
            std::hint::black_box(lines);
            Ok(time)
        }),
        Subject::new("cat", |round| {
            let line = client::call(1, "rw.risk_score", json!({"content": text(round)}));
            Ok(timed(|| echo.exchange(&line))?.0)
        }),
        Subject::new("library", |round| {
            let (time, report) = timed(|| Ok(risk::score(text(round), &policy)))?;
            std::hint::black_box(report);
            Ok(time)
        }),
    ];
    for program in setting.programs() {
        let server = Running::start(program, setting)?;
        subjects.push(server.calling("rw.risk_score", |round| json!({"content": text(round)})));
    }
    if setting.python.is_none() {
        crate::say("left out: the Python server; --python names none\n")?;
    }
    let samples = setting.interleave(300, &mut subjects)?;
    let mut table = Table::new("risk score of 100 kB of code", "counting lines", samples);
    for (subject, goal, floor) in [("library", 0.1, 0.25), ("resilient-write", 0.5, 1.0)] {
        if let Some(median) = table.line(subject).map(|line| line.ms.p50) {
            let bounds = (Bound::AtMost(goal), Bound::AtMost(floor));
            table.goal_and_floor(&format!("{subject}, median"), median, bounds, "ms");
        }
    }
    Ok(table)
}

/// Texts that were made to be slow, through the server; the slowest of them.
fn slow(setting: &mut Setting, ordinary: &[String]) -> Result<Vec<Table>> {
    let hostile = hostile::texts(SIZE);
    let code = ordinary.first().map(String::as_str).unwrap_or_default();
    let ours = RefCell::new(Running::start(&setting.ours, setting)?);
    let calling = |text: &str| {
        let arguments = json!({"content": text});
        time_call(&mut ours.borrow_mut().client, "rw.risk_score", arguments)
    };
    let calling = &calling;
    let mut subjects = vec![Subject::new(ORDINARY, |_| calling(code))];
    subjects.extend(hostile.iter().map(|(name, text)| Subject::new(*name, |_| calling(text))));
    let mut samples = setting.interleave(40, &mut subjects)?;
    drop(subjects);

    let median = |samples: &Samples| Spread::of(&samples.times).p50;
    samples.sort_by(|one, other| median(other).total_cmp(&median(one)));
    samples.iter_mut().for_each(|samples| samples.cpu = None);
    let worst = samples.iter().find(|samples| samples.name != ORDINARY);
    let worst = worst.map(|samples| (samples.name.clone(), median(samples)));
    let mut rank = 0;
    samples.retain(|samples| {
        rank += usize::from(samples.name != ORDINARY);
        samples.name == ORDINARY || rank <= SHOWN
    });
    let title = format!(
        "risk score through the server: the slowest of {} hostile texts of 100 kB",
        hostile.len()
    );
    let mut table = Table::new(title, ORDINARY, samples);
    if let Some((name, ms)) = worst {
        let bounds = (Bound::AtMost(2.0), Bound::AtMost(5.0));
        table.goal_and_floor(&format!("{name}, median"), ms, bounds, "ms");
    }
    let mut tables = vec![table];

    if let Some(python) = setting.python.clone() {
        for name in SLOW_FOR_PYTHON {
            let text = hostile.iter().find(|(of, _)| *of == name).map(|(_, text)| text.as_str());
            let text = text.unwrap_or_default();
            let mut subjects = Vec::new();
            for program in [&setting.ours, &python] {
                let server = Running::start(program, setting)?;
                subjects.push(server.calling("rw.risk_score", |_| json!({"content": text})));
            }
            // One round, after one that does not count: these are minutes otherwise.
            let samples = interleave(&mut setting.random, 1, &mut subjects)?;
            let title = format!("risk score through the servers: {name}, 100 kB");
            tables.push(Table::new(title, "resilient-write", samples));
        }
    }
    Ok(tables)
}
