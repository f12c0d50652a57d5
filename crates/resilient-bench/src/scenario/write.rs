//! Whole files: by our server, by the library without it, by the floors (one of them through pipes,
//! too) and by the writers that agents have without a server.

use anyhow::Result;
use resilient_core::write::WriteMode;

use crate::bare::{FILE, Floor, through_pipes};
use crate::floor::{Atomic, Durable};
use crate::library::Library;
use crate::measure::{Subject, timed};
use crate::report::Table;
use crate::running::{Running, writing};
use crate::sdk::through_sdk;
use crate::setting::Setting;
use crate::writers::{Defensive, Naive, Writer};

/// How many files are overwritten in turn.
const FILES: usize = 8;

pub(super) fn small(setting: &mut Setting) -> Result<Vec<Table>> {
    let mut overwrite = compare(setting, "write 1 KiB over an old file", 1 << 10, 400, false)?;
    overwrite.goal_cpu("resilient-write", 0.25);
    overwrite.goal_ratio("resilient-write", "floor c", 0.95);
    let mut create = compare(setting, "write 1 KiB to a new file", 1 << 10, 400, true)?;
    create.goal_cpu("resilient-write", 0.25);
    create.goal_ratio("resilient-write", "floor c", 0.95);
    Ok(vec![overwrite, create])
}

pub(super) fn large(setting: &mut Setting) -> Result<Vec<Table>> {
    let middle = compare(setting, "write 100 KiB over an old file", 100 << 10, 150, false)?;
    let mut large = compare(setting, "write 1 MiB over an old file", 1 << 20, 60, false)?;
    large.goal_ms("resilient-write", 4.0);
    Ok(vec![middle, large])
}

fn compare(
    setting: &mut Setting,
    scenario: &str,
    len: usize,
    rounds: usize,
    new: bool,
) -> Result<Table> {
    let contents = setting.contents(len);
    let name = |round: usize| {
        if new { format!("new-{round}.txt") } else { format!("file-{}.txt", round % FILES) }
    };
    let (word, mode) =
        if new { ("create", WriteMode::Create) } else { ("overwrite", WriteMode::Overwrite) };

    let home = setting.fresh()?;
    let dir = home.path();
    let writers: [Box<dyn Writer>; 4] = [
        Box::new(Durable::new(dir)?),
        Box::new(Naive::new(dir)),
        Box::new(Atomic::new(dir)),
        Box::new(Defensive::new(dir)),
    ];
    let library = Library::open(setting.fresh()?)?;
    let mut subjects: Vec<Subject<'_>> = Vec::new();
    for mut writer in writers {
        // Each has files of its own.
        let owner = subjects.len();
        let contents = &contents;
        subjects.push(Subject::new(writer.name(), move |round| {
            let (name, content) = (format!("{owner}-{}", name(round)), contents.number(round));
            Ok(timed(|| writer.write(&name, content.as_bytes()))?.0)
        }));
    }
    subjects.push(Subject::new("library", |round| {
        library.time_write(name(round), contents.number(round), mode)
    }));
    subjects.push(through_pipes("floor c, through pipes", Floor::C, len, setting.fresh()?)?);
    let sdk = through_sdk("floor c, through rmcp", Floor::C, setting)?;
    subjects
        .push(sdk.calling("rw.safe_write", |round| writing(FILE, &contents.number(round), word)));
    for program in setting.programs() {
        let server = Running::start(program, setting)?;
        subjects.push(server.calling("rw.safe_write", |round| {
            writing(&name(round), &contents.number(round), word)
        }));
    }
    let samples = setting.interleave(rounds, &mut subjects)?;
    Ok(Table::new(scenario, "floor c", samples))
}
