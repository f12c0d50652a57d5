//! Many writes at once over one connection: whenever one is answered, the next one is sent.

use anyhow::Result;

use crate::client::{self, Client};
use crate::floor::Durable;
use crate::measure::{Cost, Subject, timed};
use crate::report::{Bound, Table};
use crate::running::{Running, writing};
use crate::setting::Setting;
use crate::text::Contents;

pub(super) const OUTSTANDING: usize = 64;
/// How many writes each of the 64 files sees in a round.
pub(super) const EACH: usize = 8;

pub(super) fn run(setting: &mut Setting) -> Result<Vec<Table>> {
    let contents = setting.contents(1 << 10);
    let home = setting.fresh()?;
    let floor = Durable::new(home.path())?;
    let mut subjects = vec![Subject::new("floor c, 64 threads", |round| {
        floor.side_by_side(OUTSTANDING, EACH, contents.number(round).as_bytes())
    })];
    for program in setting.programs() {
        let Running { name, mut client, home } = Running::start(program, setting)?;
        let contents = &contents;
        subjects.push(Subject::of_process(name, client.pid(), move |round| {
            let _ = &home;
            pipelined(&mut client, &lines(contents, round), || ())
        }));
    }
    let samples = setting.interleave(20, &mut subjects)?;
    let mut table =
        Table::new("512 writes of 1 KiB, 64 outstanding", "floor c, 64 threads", samples);
    let rates: Vec<(String, f64)> = table
        .lines
        .iter()
        .map(|line| (line.subject.clone(), (OUTSTANDING * EACH) as f64 / line.ms.p50 * 1_000.0))
        .collect();
    for (subject, rate) in rates {
        table.figure(subject, rate, "writes a second");
    }
    if let Some(ratio) = table.line("resilient-write").and_then(|line| line.ratio) {
        let what = "resilient-write : floor c with 64 threads, writes a second";
        table.goal(what, 1.0 / ratio.of_pairs, Bound::AtLeast(0.8), "x");
    }
    Ok(vec![table])
}

/// The calls of a round, as lines.
pub(super) fn lines(contents: &Contents, round: usize) -> Vec<String> {
    let writes = OUTSTANDING * EACH;
    (0..writes)
        .map(|number| {
            let path = format!("file-{}.txt", number % OUTSTANDING);
            let content = contents.number(round * writes + number);
            client::call(number, "rw.safe_write", writing(&path, &content, "overwrite"))
        })
        .collect()
}

/// Sends all lines, never more than 64 ahead of the replies; calls `replied` at each reply.
pub(super) fn pipelined(client: &mut Client, lines: &[String], replied: impl Fn()) -> Result<Cost> {
    let (cost, replies) = timed(|| {
        let mut replies = Vec::with_capacity(lines.len());
        let (first, rest) = lines.split_at(OUTSTANDING.min(lines.len()));
        for line in first {
            client.send(line)?;
        }
        for line in rest {
            replies.push(client.receive()?);
            replied();
            client.send(line)?;
        }
        while replies.len() < lines.len() {
            replies.push(client.receive()?);
            replied();
        }
        Ok(replies)
    })?;
    replies.iter().try_for_each(|reply| client::check(reply).map(drop))?;
    Ok(cost)
}
