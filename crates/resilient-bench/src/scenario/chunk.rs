//! A long file in parts: ten of 10 KiB, then the file.

use anyhow::Result;
use serde_json::json;

use crate::client;
use crate::floor::Durable;
use crate::measure::{Cost, Subject, timed};
use crate::report::Table;
use crate::running::Running;
use crate::setting::Setting;
use crate::writers::Writer;

const PARTS: usize = 10;

pub(super) fn run(setting: &mut Setting) -> Result<Vec<Table>> {
    let part = setting.contents(10 << 10);
    let whole = setting.contents(100 << 10);
    let home = setting.fresh()?;
    let mut floor = Durable::new(home.path())?;
    let mut subjects = vec![Subject::new("floor c, 11 times", |round| {
        let (part, whole) = (part.number(round), whole.number(round));
        let (time, ()) = timed(|| {
            for number in 0..PARTS {
                floor.write(&format!("part-{number}"), part.as_bytes())?;
            }
            floor.write("whole", whole.as_bytes())
        })?;
        Ok(time)
    })];
    for program in setting.programs() {
        let Running { name, mut client, home } = Running::start(program, setting)?;
        let part = &part;
        subjects.push(Subject::of_process(name, client.pid(), move |round| {
            let _ = &home;
            let session = format!("session-{round}");
            let mut lines: Vec<String> = (0..PARTS)
                .map(|number| {
                    let content = part.number(round * PARTS + number);
                    let arguments = json!({"session": session, "content": content});
                    client::call(number, "rw.chunk_append", arguments)
                })
                .collect();
            let output = format!("long-{}.txt", round % 8);
            let compose = json!({"session": session, "output_path": output, "cleanup": true});
            lines.push(client::call(PARTS, "rw.chunk_compose", compose));
            let mut spent = Cost::default();
            for line in &lines {
                let (cost, reply) = timed(|| client.exchange(line))?;
                spent += cost;
                client::check(&reply)?;
            }
            Ok(spent)
        }));
    }
    let samples = setting.interleave(50, &mut subjects)?;
    Ok(vec![Table::new(
        "ten parts of 10 KiB and the file composed of them",
        "floor c, 11 times",
        samples,
    )])
}
