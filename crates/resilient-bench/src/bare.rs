//! The least that a server can be: lines in, a floor's system calls, lines out.
//!
//! A floor in the benchmark's own process sleeps only for the disk. A server wakes up for a call,
//! and its client for the answer; what that alone costs beside the floor shows in the difference of
//! the two. This one is as simple as a server gets: one thread, blocking reads, no JSON. Over HTTP it is the HTTP library
//! of our server, and nothing else.

use std::cell::RefCell;
use std::io::{BufRead, Write, stdin, stdout};
use std::net::Ipv4Addr;
use std::path::Path;
use std::rc::Rc;

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::task::{LocalSet, spawn_local};

use crate::client::{Client, Program};
use crate::floor::{Appender, Durable};
use crate::measure::{Subject, timed};
use crate::writers::Writer;

/// Answers have the length that ours have.
const ANSWER_LEN: usize = 600;

/// The answer to everything: a line that says ok.
fn answer() -> String {
    let ok =
        r#"{"jsonrpc":"2.0","id":0,"result":{"content":[{"type":"text","text":"{\"ok\":true}"}]}}"#;
    format!("{ok:<width$}\n", width = ANSWER_LEN - 1)
}

/// What is written.
pub(crate) const FILE: &str = "file.txt";

/// How it is written.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Floor {
    C,
    D,
    /// Nothing is written.
    Idle,
}

/// Writes nothing.
struct Idle;

impl Writer for Idle {
    fn name(&self) -> &'static str {
        "no work"
    }

    fn write(&mut self, _: &str, _: &[u8]) -> Result<()> {
        Ok(())
    }
}

impl Floor {
    /// What writes so in the current directory.
    pub(crate) fn writer(self) -> Result<Box<dyn Writer + Send>> {
        let dir = Path::new(".");
        Ok(match self {
            Self::C => Box::new(Durable::new(dir)?),
            Self::D => Box::new(Appender::new(dir, FILE, b"")?),
            Self::Idle => Box::new(Idle),
        })
    }

    /// A server of this program that does nothing else.
    pub(crate) fn program(self, name: String, server: &str) -> Result<Program> {
        let us = std::env::current_exe()?.display().to_string();
        let floor = match self {
            Self::C => "c",
            Self::D => "d",
            Self::Idle => "idle",
        };
        Ok(Program { name, command: vec![us, server.to_owned(), floor.to_owned()] })
    }
}

/// What the process is told that does the work.
#[derive(Debug, Args)]
pub(crate) struct Bare {
    floor: Floor,
    /// As our server has it.
    #[arg(long, requires = "port")]
    transport: Option<String>,
    /// Answers over HTTP, and not over the standard streams.
    #[arg(long)]
    port: Option<u16>,
}

impl Bare {
    /// Writes each line, or each body of a request, to a file in the current directory, and answers.
    ///
    /// # Errors
    /// The disk refuses or a pipe breaks.
    pub(crate) fn run(&self) -> Result<()> {
        let mut writer = self.floor.writer()?;
        match self.port {
            Some(port) => over_http(writer, port),
            None => over_pipes(&mut *writer),
        }
    }
}

fn over_pipes(writer: &mut dyn Writer) -> Result<()> {
    let (mut lines, mut answers, answer) = (stdin().lock(), stdout().lock(), answer());
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        writer.write(FILE, &line)?;
        answers.write_all(answer.as_bytes())?;
        answers.flush()?;
        line.clear();
    }
    Ok(())
}

/// Answers each request with the same event, on one thread.
fn over_http(writer: Box<dyn Writer + Send>, port: u16) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let writer = Rc::new(RefCell::new(writer));
    let event = Bytes::from(format!("data: {}\n", answer()));
    LocalSet::new().block_on(&runtime, async move {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let (writer, event) = (Rc::clone(&writer), event.clone());
            let service = service_fn(move |request: Request<Incoming>| {
                let (writer, event) = (Rc::clone(&writer), event.clone());
                async move {
                    let body = request.into_body().collect().await?.to_bytes();
                    writer.borrow_mut().write(FILE, &body)?;
                    let head = Response::builder()
                        .header("Content-Type", "text/event-stream")
                        .header("Mcp-Session-Id", "bare");
                    anyhow::Ok(head.body(Full::new(event))?)
                }
            });
            spawn_local(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    })
}

/// A subject that has this program, as another process, do a floor on `len` bytes each round.
///
/// # Errors
/// The process cannot be started.
pub(crate) fn through_pipes<'a>(
    name: &str,
    floor: Floor,
    len: usize,
    home: tempfile::TempDir,
) -> Result<Subject<'a>> {
    let mut client: Client = floor.program(name.to_owned(), "bare")?.spawn(home.path())?;
    let mut line = "x".repeat(len.saturating_sub(1));
    line.push('\n');
    Ok(Subject::of_process(name, client.pid(), move |_| {
        let _ = &home;
        let (cost, answer) = timed(|| client.exchange(&line))?;
        ensure!(answer.len() == ANSWER_LEN, "{answer}");
        Ok(cost)
    }))
}
