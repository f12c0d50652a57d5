//! A server at work in a directory of its own, and the calls that are timed.

use anyhow::Result;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{self, Client, Program};
use crate::measure::{Cost, Subject, timed};
use crate::setting::Setting;

/// A server at work in a directory of its own.
pub(crate) struct Running {
    pub(crate) name: String,
    pub(crate) client: Client,
    pub(crate) home: TempDir,
}

impl Running {
    pub(crate) fn start(program: &Program, setting: &Setting) -> Result<Self> {
        let home = setting.fresh()?;
        Self::start_in(program, home)
    }

    pub(crate) fn start_in(program: &Program, home: TempDir) -> Result<Self> {
        let client = program.connect(home.path())?;
        Ok(Self { name: program.name.clone(), client, home })
    }

    /// Makes a subject of one tool call a round, with the arguments that `arguments` gives.
    pub(crate) fn calling<'a>(
        self,
        tool: &'a str,
        mut arguments: impl FnMut(usize) -> Value + 'a,
    ) -> Subject<'a> {
        let Self { name, mut client, home } = self;
        Subject::of_process(name, client.pid(), move |round| {
            let _ = &home;
            time_call(&mut client, tool, arguments(round))
        })
    }
}

/// Times one call; the request is made before and the reply checked after.
pub(crate) fn time_call(client: &mut Client, tool: &str, arguments: Value) -> Result<Cost> {
    let line = client::call(1, tool, arguments);
    let (time, reply) = timed(|| client.exchange(&line))?;
    client::check(&reply)?;
    Ok(time)
}

/// The arguments of a write.
pub(crate) fn writing(path: &str, content: &str, mode: &str) -> Value {
    json!({"path": path, "content": content, "mode": mode})
}
