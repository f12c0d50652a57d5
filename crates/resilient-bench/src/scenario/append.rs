//! 1 KiB at the end of a file that grows: the cost must not depend on the file's length.

use anyhow::Result;

use crate::bare::{FILE, Floor, through_pipes};
use crate::floor::Appender;
use crate::measure::{Subject, timed};
use crate::report::{Bound, Table};
use crate::running::{Running, writing};
use crate::sdk::through_sdk;
use crate::setting::Setting;
use crate::writers::Writer;

pub(super) fn run(setting: &mut Setting) -> Result<Vec<Table>> {
    let mut tables = Vec::new();
    for (shown, len) in [("100 KiB", 100 << 10), ("1 MiB", 1 << 20), ("10 MiB", 10 << 20)] {
        let mut table = append_to(setting, shown, len)?;
        table.goal_ratio("resilient-write", "floor d", 1.3);
        tables.push(table);
    }
    // Against the floor of the same run, since the runs were at different times.
    let ratio = |table: &Table| Some(table.line("resilient-write")?.ratio?.of_pairs);
    let (first, last) = (tables.first().and_then(ratio), tables.last().and_then(ratio));
    if let (Some(first), Some(last), Some(table)) = (first, last, tables.last_mut()) {
        let what = "resilient-write, ratio to d at 10 MiB : at 100 KiB";
        table.goal(what, last / first, Bound::AtMost(1.25), "x");
    }
    Ok(tables)
}

fn append_to(setting: &mut Setting, shown: &str, len: usize) -> Result<Table> {
    let contents = setting.contents(1 << 10);
    let start = setting.text(len);
    let home = setting.fresh()?;
    let mut floor = Appender::new(home.path(), "log.txt", start.as_bytes())?;
    let mut subjects = vec![Subject::new(floor.name(), |round| {
        let content = contents.number(round);
        Ok(timed(|| floor.write("log.txt", content.as_bytes()))?.0)
    })];
    subjects.push(through_pipes("floor d, through pipes", Floor::D, 1 << 10, setting.fresh()?)?);
    let sdk = through_sdk("floor d, through rmcp", Floor::D, setting)?;
    subjects.push(
        sdk.calling("rw.safe_write", |round| writing(FILE, &contents.number(round), "append")),
    );
    for program in setting.programs() {
        let server = Running::start(program, setting)?;
        std::fs::write(server.home.path().join("log.txt"), &start)?;
        subjects.push(server.calling("rw.safe_write", |round| {
            writing("log.txt", &contents.number(round), "append")
        }));
    }
    let samples = setting.interleave(200, &mut subjects)?;
    Ok(Table::new(format!("append 1 KiB to a file of {shown}"), "floor d", samples))
}
