//! Many clients of one server, each on a connection of its own, against one client with as many writes outstanding.

use anyhow::Result;
use tokio::task::JoinSet;

use super::outstanding::{OUTSTANDING, lines, pipelined};
use crate::client::OURS;
use crate::measure::{Subject, timed};
use crate::report::{Bound, Table};
use crate::running::Running;
use crate::setting::Setting;
use crate::web::{Posted, WebClient, WebServer};

pub(super) fn run(setting: &mut Setting) -> Result<Vec<Table>> {
    let contents = setting.contents(1 << 10);
    let contents = &contents;
    // One thread for all of them, as for the pipes: with a thread for each, their own switches would be measured.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let runtime = &runtime;
    let Running { mut client, home, .. } = Running::start(&setting.ours, setting)?;
    let pipes = format!("{OURS}, pipes");
    let mut subjects = vec![Subject::of_process(pipes.clone(), client.pid(), move |round| {
        let _ = &home;
        pipelined(&mut client, &lines(contents, round), || ())
    })];
    for program in std::iter::once(&setting.ours).chain(&setting.python) {
        let home = setting.fresh()?;
        let server = WebServer::start(program, home.path())?;
        let mut clients = runtime.block_on(async {
            let mut clients = Vec::with_capacity(OUTSTANDING);
            for number in 0..OUTSTANDING {
                clients.push((number, server.client().await?));
            }
            Ok::<_, anyhow::Error>(clients)
        })?;
        let name = format!("{}, HTTP", program.name);
        subjects.push(Subject::of_process(name, server.pid(), move |round| {
            let _ = (&home, &server);
            // The same writes as over pipes, file by file.
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
        }));
    }
    let samples = setting.interleave(20, &mut subjects)?;
    let mut table = Table::new("512 writes of 1 KiB, 64 clients", &pipes, samples);
    if let Some(ratio) = table.line(&format!("{OURS}, HTTP")).and_then(|line| line.ratio) {
        let what = "64 clients over HTTP : 64 outstanding on pipes, writes a second";
        table.goal(what, 1.0 / ratio.of_pairs, Bound::AtLeast(1.0), "x");
    }
    Ok(vec![table])
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
