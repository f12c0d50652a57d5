//! Many clients of one server, each on a connection of its own, against one client with as many writes outstanding.

use anyhow::Result;

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
    let Running { mut client, home, .. } = Running::start(&setting.ours, setting)?;
    let pipes = format!("{OURS}, pipes");
    let mut subjects = vec![Subject::of_process(pipes.clone(), client.pid(), move |round| {
        let _ = &home;
        pipelined(&mut client, &lines(contents, round), || ())
    })];
    for program in std::iter::once(&setting.ours).chain(&setting.python) {
        let home = setting.fresh()?;
        let server = WebServer::start(program, home.path())?;
        let mut clients: Vec<WebClient> =
            (0..OUTSTANDING).map(|_| server.client()).collect::<Result<_>>()?;
        let name = format!("{}, HTTP", program.name);
        subjects.push(Subject::of_process(name, server.pid(), move |round| {
            let _ = (&home, &server);
            let write = |number: usize, client: &mut WebClient| {
                let path = format!("file-{number}.txt");
                (0..EACH).try_for_each(|turn| {
                    let content = contents.number(round * EACH + turn);
                    client.call("rw.safe_write", &writing(&path, &content, "overwrite"))
                })
            };
            let (cost, ()) = timed(|| {
                std::thread::scope(|scope| {
                    let threads: Vec<_> = (0..)
                        .zip(&mut clients)
                        .map(|(number, client)| scope.spawn(move || write(number, client)))
                        .collect();
                    threads.into_iter().try_for_each(|thread| {
                        thread.join().unwrap_or_else(|_| anyhow::bail!("a client panicked"))
                    })
                })
            })?;
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
