//! The servers of the two other arms: `write_file` and `read_file`, as most agents have them.
//!
//! The naive one writes in place. The defensive one stages, syncs and renames, as careful programs
//! do. Both say what the system says when it refuses, and nothing more: no kinds, no facts, no next
//! step, and of the content filter only that the write was rejected, as in the incident that the
//! paper begins with. Both keep to their working directory, since a model is at the other end.
#![expect(clippy::disallowed_methods, reason = "these servers do without our library")]

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, Write as _};
use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Args;
use resilient_core::risk::{self, Policy, Verdict};
use serde_json::{Value, json};

use crate::arm::Arm;

/// What the filter says.
pub(crate) const REJECTED: &str = "Error: the write was rejected";

/// Serves plain tools on standard input and output, until it ends.
#[derive(Debug, Args)]
pub(crate) struct Plain {
    /// Which of the two
    #[arg(long)]
    arm: Arm,
    /// Reject content that holds secrets
    #[arg(long)]
    filter: bool,
    /// Die in the middle of this write, counted from 1
    #[arg(long)]
    die_at_write: Option<u64>,
}

/// A server at work.
struct Server {
    plain: Plain,
    root: PathBuf,
    writes: u64,
}

impl Plain {
    /// Serves.
    ///
    /// # Errors
    /// Standard input or output fails.
    pub(crate) fn run(self) -> Result<()> {
        let root = std::env::current_dir().context("the working directory")?;
        let mut server = Server { plain: self, root, writes: 0 };
        let mut output = io::stdout().lock();
        for line in io::stdin().lock().lines() {
            let Ok(message) = serde_json::from_str::<Value>(&line?) else { continue };
            let Some(id) = message.get("id") else { continue };
            let result = server.answer(&message);
            let reply = json!({"jsonrpc": "2.0", "id": id, "result": result});
            writeln!(output, "{reply}")?;
            output.flush()?;
        }
        Ok(())
    }
}

impl Server {
    fn answer(&mut self, message: &Value) -> Value {
        match message.get("method").and_then(Value::as_str) {
            Some("initialize") => json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "rab-plain", "version": env!("CARGO_PKG_VERSION")},
            }),
            Some("tools/list") => json!({"tools": tools()}),
            Some("tools/call") => {
                let (text, is_error) = match self.call(message) {
                    Ok(text) => (text, false),
                    Err(text) => (text, true),
                };
                json!({"content": [{"type": "text", "text": text}], "isError": is_error})
            }
            _ => json!({}),
        }
    }

    fn call(&mut self, message: &Value) -> Result<String, String> {
        let of = |name: &str| message.pointer(&format!("/params/arguments/{name}"));
        let text = |name: &str| {
            let value = of(name).and_then(Value::as_str);
            value.ok_or_else(|| format!("Error: missing argument {name}"))
        };
        let path = self.inside(text("path")?)?;
        match message.pointer("/params/name").and_then(Value::as_str) {
            Some("read_file") => fs::read(&path)
                .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
                .map_err(|error| format!("Error: {error}")),
            Some("write_file") => {
                let append = of("append").and_then(Value::as_bool).unwrap_or_default();
                self.write(&path, text("content")?, append)
            }
            _ => Err("Error: no such tool".to_owned()),
        }
    }

    fn write(&mut self, path: &Path, content: &str, append: bool) -> Result<String, String> {
        if self.plain.filter && risk::score(content, &Policy::default()).verdict == Verdict::High {
            return Err(REJECTED.to_owned());
        }
        self.writes += 1;
        let dies = self.plain.die_at_write == Some(self.writes);
        let written = match self.plain.arm {
            Arm::Defensive => staged(path, content, append, dies),
            Arm::Naive | Arm::Ours => in_place(path, content, append, dies),
        };
        written.map(|()| "ok".to_owned()).map_err(|error| format!("Error: {error}"))
    }

    /// The path below the working directory; no other is served.
    fn inside(&self, path: &str) -> Result<PathBuf, String> {
        let path = Path::new(path);
        let path = path.strip_prefix(&self.root).unwrap_or(path);
        let plain = |part: Component| matches!(part, Component::Normal(_) | Component::CurDir);
        if path.components().all(plain) && path.file_name().is_some() {
            Ok(self.root.join(path))
        } else {
            Err("Error: permission denied".to_owned())
        }
    }
}

fn in_place(path: &Path, content: &str, append: bool, dies: bool) -> io::Result<()> {
    make_parent(path)?;
    let mut options = OpenOptions::new();
    options.create(true).write(true).append(append).truncate(!append);
    let mut file = options.open(path)?;
    if dies {
        let half = content.as_bytes().get(..content.len() / 2).unwrap_or_default();
        file.write_all(half)?;
        std::process::exit(137);
    }
    file.write_all(content.as_bytes())
}

fn staged(path: &Path, content: &str, append: bool, dies: bool) -> io::Result<()> {
    make_parent(path)?;
    let mut bytes = if append { fs::read(path).unwrap_or_default() } else { Vec::new() };
    bytes.extend_from_slice(content.as_bytes());
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".tmp");
    let staged = path.with_file_name(name);
    let mut file = File::create(&staged)?;
    file.write_all(&bytes)?;
    file.sync_all()?;
    if dies {
        std::process::exit(137);
    }
    fs::rename(&staged, path)
}

fn make_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)
}

fn tools() -> Value {
    let path = json!({"type": "string"});
    json!([
        {
            "name": "read_file",
            "description": "Read a text file.",
            "inputSchema": {
                "type": "object",
                "properties": {"path": path},
                "required": ["path"],
                "additionalProperties": false,
            },
        },
        {
            "name": "write_file",
            "description": "Write a text file; replaces what is there, or adds to its end.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "path": path,
                    "content": {"type": "string"},
                    "append": {"type": "boolean", "description": "Add to the end."},
                },
                "required": ["path", "content"],
                "additionalProperties": false,
            },
        },
    ])
}
