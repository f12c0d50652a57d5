//! What a server costs before its first call: the time until it answers, memory, and the tokens of
//! its list of tools.

use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};

use crate::client::{self, Program};
use crate::measure::{Subject, memory, timed};
use crate::report::{Bound, Table};
use crate::running::Running;
use crate::setting::Setting;

/// A process that answers a line with the same line: the least that a server can be.
pub(super) fn echo() -> Program {
    Program { name: "cat".to_owned(), command: vec!["cat".to_owned()] }
}

/// From the start of the process to its first answer; what it then holds in memory; one empty call.
pub(super) fn start(setting: &mut Setting) -> Result<Vec<Table>> {
    let home = setting.fresh()?;
    let home = home.path();
    let floor = echo();
    let programs: Vec<Program> = setting.programs().cloned().collect();
    let mut subjects = vec![Subject::new("cat", |_| {
        let (time, _) = timed(|| {
            let mut client = floor.spawn(home)?;
            client.exchange("{}\n")?;
            Ok(client)
        })?;
        Ok(time)
    })];
    subjects.extend(programs.iter().map(|program| {
        Subject::new(program.name.clone(), |_| Ok(timed(|| program.connect(home))?.0))
    }));
    let samples = setting.interleave(50, &mut subjects)?;
    let mut start = Table::new("start: spawn to initialize answered", "cat", samples);
    start.goal_ms("resilient-write", 5.0);

    let mut size = Table::of_figures("memory after initialize");
    for program in &programs {
        if let Some(bytes) = resident(program, home)? {
            let mib = bytes as f64 / f64::from(1 << 20);
            if program.name == setting.ours.name {
                size.goal(format!("{}, VmRSS", program.name), mib, Bound::AtMost(8.0), "MiB");
            } else {
                size.figure(format!("{}, VmRSS", program.name), mib, "MiB");
            }
        }
    }
    drop(subjects);
    Ok(vec![start, size, ping(setting)?])
}

fn resident(program: &Program, home: &Path) -> Result<Option<u64>> {
    let mut client = program.connect(home)?;
    // An answered request says that the server is done with the notification before it.
    client.request("ping", json!({}))?;
    Ok(memory(client.pid(), "VmRSS"))
}

/// A request that does nothing, against two pipes.
fn ping(setting: &mut Setting) -> Result<Table> {
    let home = setting.fresh()?;
    let line = client::request(1, "ping", json!({}));
    let mut echo = echo().spawn(home.path())?;
    let cat = {
        let line = line.clone();
        Subject::new("cat", move |_| Ok(timed(|| echo.exchange(&line))?.0))
    };
    let mut subjects = vec![cat];
    for program in setting.programs() {
        let Running { name, mut client, home } = Running::start(program, setting)?;
        let line = line.clone();
        subjects.push(Subject::of_process(name, client.pid(), move |_| {
            let _ = &home;
            Ok(timed(|| client.exchange(&line))?.0)
        }));
    }
    let samples = setting.interleave(500, &mut subjects)?;
    Ok(Table::new("ping", "cat", samples))
}

/// What the list of tools costs a model, at four bytes a token.
pub(super) fn tools(setting: &mut Setting) -> Result<Vec<Table>> {
    let mut table = Table::of_figures("tools/list");
    for program in setting.programs() {
        let mut server = Running::start(program, setting)?;
        let list = server.client.request("tools/list", json!({}))?;
        let tools = list.get("tools").and_then(Value::as_array).cloned().unwrap_or_default();
        let bytes: usize = tools.iter().map(tool_bytes).sum();
        let what = format!("{}, {} tools", program.name, tools.len());
        if program.name == setting.ours.name {
            table.goal(what, bytes as f64 / 4.0, Bound::AtMost(2_200.0), "tokens");
        } else {
            table.figure(what, bytes as f64 / 4.0, "tokens");
        }
    }
    Ok(vec![table])
}

/// The length of what a model is shown of a tool.
fn tool_bytes(tool: &Value) -> usize {
    ["name", "description", "inputSchema"]
        .iter()
        .filter_map(|field| tool.get(field))
        .map(|value| value.as_str().map_or_else(|| value.to_string().len(), str::len))
        .sum()
}
