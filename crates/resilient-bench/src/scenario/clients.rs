//! Many clients of one server, each on a connection of its own, against one client with as many writes outstanding.

use std::sync::Arc;

use anyhow::Result;
use tokio::task::JoinSet;

use super::outstanding::{EACH, OUTSTANDING, lines, pipelined};
use crate::client::OURS;
use crate::measure::{Subject, timed};
use crate::report::{Bound, Table};
use crate::running::{Running, writing};
use crate::setting::Setting;
use crate::web::{WebClient, WebServer};

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
            let texts = (0..EACH).map(|turn| contents.number(round * EACH + turn));
            let texts: Arc<[String]> = texts.collect();
            let (cost, written) = timed(|| {
                runtime.block_on(async {
                    let mut writing = JoinSet::new();
                    for (number, client) in clients.drain(..) {
                        writing.spawn(write_all(number, client, Arc::clone(&texts)));
                    }
                    let mut written = Vec::with_capacity(OUTSTANDING);
                    while let Some(client) = writing.join_next().await {
                        written.push(client??);
                    }
                    Ok(written)
                })
            })?;
            clients = written;
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

async fn write_all(
    number: usize,
    mut client: WebClient,
    texts: Arc<[String]>,
) -> Result<(usize, WebClient)> {
    let path = format!("file-{number}.txt");
    for text in &*texts {
        client.call("rw.safe_write", &writing(&path, text, "overwrite")).await?;
    }
    Ok((number, client))
}
