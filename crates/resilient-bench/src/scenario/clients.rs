//! Many clients of one server, each on a connection of its own, against one client with as many writes outstanding.

use anyhow::Result;
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use super::outstanding::{OUTSTANDING, lines, pipelined};
use crate::bare::Floor;
use crate::client::{OURS, Program};
use crate::measure::{Subject, timed};
use crate::report::{Bound, Table};
use crate::running::Running;
use crate::setting::Setting;
use crate::text::Contents;
use crate::web::{Posted, WebClient, WebServer};

pub(super) fn run(setting: &mut Setting) -> Result<Vec<Table>> {
    let contents = setting.contents(1 << 10);
    let contents = &contents;
    // One thread for all of them, as for the pipes: with a thread for each, their own switches would be measured.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let runtime = &runtime;
    let pipes = format!("{OURS}, pipes");
    let mut subjects = vec![over_pipes(&pipes, Running::start(&setting.ours, setting)?, contents)];
    for program in std::iter::once(&setting.ours).chain(&setting.python) {
        let name = format!("{}, HTTP", program.name);
        subjects.push(over_http(name, program, setting.fresh()?, contents, runtime)?);
    }
    let samples = setting.interleave(20, &mut subjects)?;
    let mut table = Table::new("512 writes of 1 KiB, 64 clients", &pipes, samples);
    if let Some(ratio) = table.line(&format!("{OURS}, HTTP")).and_then(|line| line.ratio) {
        let what = "64 clients over HTTP : 64 outstanding on pipes, writes a second";
        table.goal(what, 1.0 / ratio.of_pairs, Bound::AtLeast(1.0), "x");
    }
    Ok(vec![table, bare(setting, contents, runtime)?])
}

/// What the same requests cost a server that answers at once and does nothing: over pipes, and over HTTP by the library
/// of our server.
fn bare(setting: &mut Setting, contents: &Contents, runtime: &Runtime) -> Result<Table> {
    let (pipes, http) = ("no work, pipes", "no work, HTTP library");
    let program = Floor::Idle.program(http.to_owned(), "bare")?;
    let home = setting.fresh()?;
    let client = program.spawn(home.path())?;
    let server = Running { name: pipes.to_owned(), client, home };
    let mut subjects = vec![
        over_pipes(pipes, server, contents),
        over_http(http.to_owned(), &program, setting.fresh()?, contents, runtime)?,
    ];
    let samples = setting.interleave(60, &mut subjects)?;
    Ok(Table::new("512 requests of 1 KiB, 64 clients, no work", pipes, samples))
}

/// One client with 64 requests outstanding.
fn over_pipes<'a>(name: &str, server: Running, contents: &'a Contents) -> Subject<'a> {
    let Running { mut client, home, .. } = server;
    Subject::of_process(name, client.pid(), move |round| {
        let _ = &home;
        pipelined(&mut client, &lines(contents, round), || ())
    })
}

/// 64 clients with a connection each, and the same writes as over pipes, file by file.
fn over_http<'a>(
    name: String,
    program: &Program,
    home: TempDir,
    contents: &'a Contents,
    runtime: &'a Runtime,
) -> Result<Subject<'a>> {
    let server = WebServer::start(program, home.path())?;
    let mut clients = runtime.block_on(async {
        let mut clients = Vec::with_capacity(OUTSTANDING);
        for number in 0..OUTSTANDING {
            clients.push((number, server.client().await?));
        }
        Ok::<_, anyhow::Error>(clients)
    })?;
    Ok(Subject::of_process(name, server.pid(), move |round| {
        let _ = (&home, &server);
        let lines = lines(contents, round);
        let work = clients.drain(..).map(|(number, client): (usize, WebClient)| {
            let own = lines.iter().skip(number).step_by(OUTSTANDING);
            let requests = own.map(|line| client.request(line)).collect();
            Work { number, client, requests }
        });
        let work: Vec<Work> = work.collect();
        let (cost, written) = timed(|| {
            runtime.block_on(async {
                let mut writing = JoinSet::new();
                for work in work {
                    writing.spawn(work.all());
                }
                let mut written = Vec::with_capacity(OUTSTANDING);
                while let Some(done) = writing.join_next().await {
                    written.push(done??);
                }
                Ok(written)
            })
        })?;
        for (number, client, replies) in written {
            replies.iter().try_for_each(Posted::check)?;
            clients.push((number, client));
        }
        Ok(cost)
    }))
}

/// What one client does in a round.
struct Work {
    number: usize,
    client: WebClient,
    requests: Vec<Vec<u8>>,
}

impl Work {
    async fn all(mut self) -> Result<(usize, WebClient, Vec<Posted>)> {
        let mut replies = Vec::with_capacity(self.requests.len());
        for request in &self.requests {
            replies.push(self.client.post(request).await?);
        }
        Ok((self.number, self.client, replies))
    }
}
