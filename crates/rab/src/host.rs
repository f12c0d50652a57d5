//! The host of a trial: it starts the tool servers, passes calls on, and lets things go wrong.
//!
//! What goes wrong is the same in every arm: a content filter, a limit on the length of a call, and
//! a server that dies in a write. Only what the tools make of it differs. The host notes each
//! incident, and whether content was lost by it: it looks at the disk right then.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result};
use resilient_mcp::client::{Client, ToolAnswer, VARIABLES};
use serde_json::{Value, json};

use crate::arm::{self, Arm};
use crate::ground::{Ground, holds};
use crate::plain;
use crate::transcript::{Exchange, Incident, IncidentKind};

/// How long a server may take over one call.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the agent sees when a server has died.
const DIED: &str = "Error: the connection to the tool server was lost before an answer came. The \
                    server has been started again. Whether the call took effect is unknown.";

/// The programs that serve the tools.
#[derive(Clone, Debug)]
pub(crate) struct Programs {
    /// Resilient Write, with its arguments.
    pub(crate) write: Vec<String>,
    /// Resilient Read, with its arguments.
    pub(crate) read: Vec<String>,
    /// This program, which serves the plain tools.
    pub(crate) plain: PathBuf,
}

/// What goes wrong at the host or in the servers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Faults {
    /// Writes of secrets are refused.
    pub(crate) filter: bool,
    /// A call with more characters of content than this is not made.
    pub(crate) cut_above: Option<usize>,
    /// The server dies in this write, counted from 1.
    pub(crate) die_at_write: Option<u64>,
}

/// A tool as the model sees it.
#[derive(Clone, Debug)]
pub(crate) struct Tool {
    /// Its name, without dots.
    pub(crate) name: String,
    /// What it does.
    pub(crate) description: String,
    /// What it takes.
    pub(crate) schema: Value,
}

/// The servers of a trial and what has gone wrong so far.
pub(crate) struct Host<'a> {
    ground: &'a Ground,
    arm: Arm,
    faults: Faults,
    programs: &'a Programs,
    servers: Vec<Server>,
    tools: Vec<Tool>,
    /// Which server has a tool, and under what name.
    routes: BTreeMap<String, (usize, String)>,
    calls: u64,
    writes: u64,
    died: bool,
    /// The content of the last write that was answered as done.
    acknowledged: Option<String>,
    /// What went wrong so far.
    pub(crate) incidents: Vec<Incident>,
}

struct Server {
    command: Vec<String>,
    client: Client,
}

impl<'a> Host<'a> {
    /// Starts the servers of an arm; with `core`, shows only some of the tools.
    ///
    /// # Errors
    /// A server cannot be started.
    pub(crate) fn start(
        ground: &'a Ground,
        arm: Arm,
        faults: Faults,
        programs: &'a Programs,
        core: bool,
    ) -> Result<Self> {
        let mut host = Self {
            ground,
            arm,
            faults,
            programs,
            servers: Vec::new(),
            tools: Vec::new(),
            routes: BTreeMap::new(),
            calls: 0,
            writes: 0,
            died: false,
            acknowledged: None,
            incidents: Vec::new(),
        };
        host.restart()?;
        let shown = |name: &String| !core || arm != Arm::Ours || arm::CORE.contains(&&**name);
        host.tools.retain(|tool| shown(&tool.name));
        host.routes.retain(|name, _| shown(name));
        Ok(host)
    }

    /// Ends the servers and starts them anew, as between two conversations.
    ///
    /// # Errors
    /// A server cannot be started.
    pub(crate) fn restart(&mut self) -> Result<()> {
        self.servers.clear();
        let first = self.tools.is_empty();
        for (index, command) in self.commands().into_iter().enumerate() {
            let mut client = spawn(&command, self.ground)?;
            if first {
                for tool in client.tools()? {
                    self.add(index, &tool);
                }
            }
            self.servers.push(Server { command, client });
        }
        Ok(())
    }

    fn commands(&self) -> Vec<Vec<String>> {
        if self.arm == Arm::Ours {
            return vec![self.programs.write.clone(), self.programs.read.clone()];
        }
        let mut command = vec![self.programs.plain.display().to_string(), "plain".to_owned()];
        command.extend(["--arm".to_owned(), self.arm.to_string()]);
        if self.faults.filter {
            command.push("--filter".to_owned());
        }
        if let (Some(at), false) = (self.faults.die_at_write, self.died) {
            command.extend(["--die-at-write".to_owned(), at.to_string()]);
        }
        vec![command]
    }

    fn add(&mut self, server: usize, tool: &Value) {
        let text = |name| tool.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (listed, name) = (text("name"), text("name").replace('.', "_"));
        let schema = tool.get("inputSchema").cloned().unwrap_or_else(|| json!({"type": "object"}));
        self.tools.push(Tool { name: name.clone(), description: text("description"), schema });
        self.routes.insert(name, (server, listed));
    }

    /// The tools that the model is shown.
    pub(crate) fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// Makes a call, or has it go wrong.
    ///
    /// # Errors
    /// A server that has died cannot be started again.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Result<Exchange> {
        self.calls += 1;
        let tool = tool.replace('.', "_");
        let said = |text: String| (text, false);
        let (reply, ok) = match self.routes.get(&tool).cloned() {
            _ if !arguments.is_object() => said(format!(
                "Error: the arguments could not be read as a JSON object: {}",
                arguments.as_str().unwrap_or_default()
            )),
            None => {
                let names: Vec<&str> = self.tools.iter().map(|tool| &*tool.name).collect();
                said(format!("Error: there is no tool {tool}; there are {}", names.join(", ")))
            }
            Some(_) if self.is_cut(&arguments) => {
                self.note(IncidentKind::CutOff, false);
                said(format!(
                    "Error: the call was cut off by the output limit of {} characters of content \
                     and was not made.",
                    self.faults.cut_above.unwrap_or_default()
                ))
            }
            Some((server, listed)) => self.pass_on(server, &listed, &tool, &arguments)?,
        };
        if ok && arm::writes(&tool) {
            self.acknowledged = content(&arguments).map(str::to_owned);
        }
        Ok(Exchange { tool, arguments, reply, ok })
    }

    fn pass_on(
        &mut self,
        server: usize,
        listed: &str,
        tool: &str,
        arguments: &Value,
    ) -> Result<(String, bool)> {
        let before = self.ground.files(false);
        let mut sent = arguments.clone();
        if self.faults.filter && matches!(tool, "rw_safe_write" | "rw_safe_replace") {
            // The filter is the host's decision and not the model's, in every arm.
            if let Some(sent) = sent.as_object_mut() {
                sent.insert("classify".to_owned(), Value::Bool(true));
            }
        }
        self.writes += u64::from(arm::writes(tool));
        let dies = self.arm == Arm::Ours
            && !self.died
            && arm::writes(tool)
            && self.faults.die_at_write == Some(self.writes);
        let running = self.servers.get_mut(server).context("a server that is not there")?;
        let mut answer = running.client.call(listed, &sent);
        if dies {
            // The worst moment: all is done and nobody has heard of it.
            running.client.kill()?;
            answer = Err(io::ErrorKind::UnexpectedEof.into());
        }
        match answer {
            Ok(answer) => {
                let ok = is_ok(&answer);
                if !ok && is_filtered(&answer) {
                    let lost = content(arguments).is_some_and(|draft| !self.is_on_disk(draft));
                    self.note(IncidentKind::Filtered, lost);
                }
                Ok((answer.text, ok))
            }
            Err(_) => {
                self.died = true;
                let lost = self.is_torn(&before, arguments) || self.is_forgotten();
                self.note(IncidentKind::Died, lost);
                self.revive(server)?;
                Ok((DIED.to_owned(), false))
            }
        }
    }

    fn revive(&mut self, server: usize) -> Result<()> {
        let command = if self.arm == Arm::Ours {
            self.servers.get(server).map(|server| server.command.clone()).unwrap_or_default()
        } else {
            self.commands().into_iter().next().unwrap_or_default()
        };
        let client = spawn(&command, self.ground)?;
        if let Some(place) = self.servers.get_mut(server) {
            *place = Server { command, client };
        }
        Ok(())
    }

    /// Notes an incident that the call at hand has met.
    pub(crate) fn note(&mut self, kind: IncidentKind, lost: bool) {
        self.incidents.push(Incident { kind, call: self.calls, lost });
    }

    fn is_cut(&self, arguments: &Value) -> bool {
        let length = content(arguments).map_or(0, |content| content.chars().count());
        self.faults.cut_above.is_some_and(|most| length > most)
    }

    fn is_on_disk(&self, text: &str) -> bool {
        self.ground.files(true).values().any(|bytes| holds(bytes, text))
    }

    /// Whether what was last answered as written is nowhere any more.
    fn is_forgotten(&self) -> bool {
        self.acknowledged.as_deref().is_some_and(|text| !text.is_empty() && !self.is_on_disk(text))
    }

    /// Whether a file is neither as it was nor as the call would have it.
    fn is_torn(&self, before: &BTreeMap<String, Vec<u8>>, arguments: &Value) -> bool {
        let content = content(arguments).unwrap_or_default().as_bytes();
        self.ground.files(false).into_iter().any(|(path, now)| {
            let old = before.get(&path).map(Vec::as_slice).unwrap_or_default();
            let is_temporary = path.ends_with(".tmp");
            !is_temporary && now != old && now != content && now != [old, content].concat()
        })
    }
}

fn spawn(command: &[String], ground: &Ground) -> Result<Client> {
    let (program, arguments) = command.split_first().context("an empty command")?;
    let mut child = Command::new(program);
    child.args(arguments).current_dir(ground.root()).stderr(Stdio::null());
    for variable in VARIABLES {
        child.env_remove(variable);
    }
    let client = Client::start(&mut child, "rab");
    Ok(client.with_context(|| format!("starting {program}"))?.patience(PATIENCE))
}

/// What a call would write.
fn content(arguments: &Value) -> Option<&str> {
    arguments.get("content").or_else(|| arguments.get("new_string"))?.as_str()
}

fn is_ok(answer: &ToolAnswer) -> bool {
    // The Python servers answer failures without the protocol's flag.
    !answer.is_error && value(answer).get("ok") != Some(&Value::Bool(false))
}

fn is_filtered(answer: &ToolAnswer) -> bool {
    answer.text == plain::REJECTED
        || value(answer).get("error").and_then(Value::as_str) == Some("blocked")
}

fn value(answer: &ToolAnswer) -> Value {
    serde_json::from_str(&answer.text).unwrap_or(Value::Null)
}
