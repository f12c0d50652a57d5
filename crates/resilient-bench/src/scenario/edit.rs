//! One line replaced in a file of 100 KiB.

use anyhow::Result;
use serde_json::json;

use crate::bare::{Floor, through_pipes};
use crate::floor::Durable;
use crate::measure::{Subject, timed};
use crate::report::Table;
use crate::running::Running;
use crate::setting::Setting;
use crate::writers::Writer;

pub(super) fn run(setting: &mut Setting) -> Result<Vec<Table>> {
    let small = setting.contents(1 << 10);
    let contents = setting.contents(100 << 10);
    let home = setting.fresh()?;
    let mut floor = Durable::new(home.path())?;
    let mut same = Durable::new(home.path())?;
    let mut subjects = vec![
        Subject::new("floor c of 100 KiB", |round| {
            let content = contents.number(round);
            Ok(timed(|| same.write("large.txt", content.as_bytes()))?.0)
        }),
        Subject::new("floor c of 1 KiB", |round| {
            let content = small.number(round);
            Ok(timed(|| floor.write("small.txt", content.as_bytes()))?.0)
        }),
    ];
    let home = setting.fresh()?;
    subjects.push(through_pipes("floor c of 1 KiB, through pipes", Floor::C, 1 << 10, home)?);
    // The line is in the middle, so that a search has something to do.
    let (head, tail) = contents.halves();
    for program in setting.programs() {
        let server = Running::start(program, setting)?;
        std::fs::write(
            server.home.path().join("code.rs"),
            format!("{head}\n// edited 0 times\n{tail}"),
        )?;
        let mut edits = 0;
        subjects.push(server.calling("rw.safe_replace", move |_| {
            let before = format!("// edited {edits} times");
            edits += 1;
            let after = format!("// edited {edits} times");
            json!({"path": "code.rs", "old_string": before, "new_string": after})
        }));
    }
    let samples = setting.interleave(200, &mut subjects)?;
    let mut table =
        Table::new("replace a line in a file of 100 KiB", "floor c of 100 KiB", samples);
    table.goal_cpu("resilient-write", 0.6);
    table.goal_ratio("resilient-write", "floor c of 100 KiB", 1.2);
    table.goal_ratio("resilient-write", "floor c of 1 KiB", 1.2);
    Ok(vec![table])
}
