//! `serve`: the MCP server. It is also what runs without a command.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};
use resilient_core::Workspace;
use resilient_core::journal::By;
use resilient_http::{Listen, Place, Protocol, Stop, TlsFiles};
use resilient_mcp::{Offer, Server, ToolNames};

use crate::commands::door::Door;
use crate::log::Log;
use crate::output::Output;
use crate::signals;
use crate::socket;

/// How the server is reached and what it calls its tools.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// How the server is reached [default: stdio]
    #[arg(long, value_enum)]
    transport: Option<Transport>,
    /// How tools are named in the list; both names can always be called [default: underscore]
    #[arg(long, value_enum, value_name = "FORM")]
    tool_names: Option<Names>,
    #[command(flatten)]
    door: Door,
    #[command(flatten)]
    log: Log,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Transport {
    /// Standard input and output
    Stdio,
    /// Streamable HTTP, at /mcp
    Http,
    /// The older HTTP transport, at /sse and /messages/, for clients that know no other
    Sse,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Names {
    /// As rr_read_tail: every client takes these
    Underscore,
    /// As rr.read_tail
    Dotted,
}

/// A workspace that is to be opened.
#[derive(Debug)]
pub(crate) enum Opened<'a> {
    /// The one of these directories, or of the working directory.
    Unnamed(&'a [PathBuf]),
    /// One of several, which has this directory alone.
    Named(&'a Path),
}

/// Tells directories from workspaces with a name, `NAME=DIR`.
fn split(given: &[PathBuf]) -> (Vec<PathBuf>, Vec<(String, PathBuf)>) {
    let (mut unnamed, mut named) = (Vec::new(), Vec::new());
    for path in given {
        let pair = path.to_str().and_then(|text| text.split_once('='));
        match pair.filter(|(name, _)| is_name(name) && !path.is_dir()) {
            Some((name, dir)) => named.push((name.to_owned(), PathBuf::from(dir))),
            None => unnamed.push(path.clone()),
        }
    }
    (unnamed, named)
}

fn is_name(text: &str) -> bool {
    (1..=32).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// What was meant as the name of a workspace, and is none.
fn wrong_name(unnamed: &[PathBuf]) -> Option<&str> {
    let missing = unnamed.iter().filter(|path| !path.is_dir());
    let mut names = missing.filter_map(|path| Some(path.to_str()?.split_once('=')?.0));
    names.find(|name| !name.contains(['/', '\\']))
}

/// A name that two workspaces have.
fn twice(named: &[(String, PathBuf)]) -> Option<&str> {
    let mut names: Vec<&str> = named.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names.windows(2).find(|two| two.first() == two.last()).and_then(|two| two.first().copied())
}

/// Two workspaces of which one could reach the other.
fn nested(opened: &[(Option<String>, Workspace)]) -> Option<(String, String)> {
    let roots: Vec<(usize, &Path)> = (0..)
        .zip(opened)
        .flat_map(|(at, (_, workspace))| workspace.roots().paths().map(move |root| (at, root)))
        .collect();
    let pairs = roots.iter().flat_map(|one| roots.iter().map(move |other| (one, other)));
    let shown = |path: &Path| path.display().to_string();
    pairs
        .filter(|(one, other)| one.0 != other.0 && one.1.starts_with(other.1))
        .map(|(one, other)| (shown(one.1), shown(other.1)))
        .next()
}

/// Takes out of the scratchpad what the policy keeps no longer, while the server answers already. The next
/// server goes on with what this one does not come to.
fn retain(workspace: &Workspace) {
    let workspace = workspace.for_caller(By {
        origin: Some("server".to_owned()),
        tool: Some("scratch_retention".to_owned()),
        ..By::default()
    });
    std::thread::spawn(move || workspace.scratch().retain(usize::MAX));
}

impl Serve {
    /// Whether any option of the server was given.
    pub(crate) fn is_given(&self) -> bool {
        let Self { transport, tool_names, door, log } = self;
        transport.is_some() || tool_names.is_some() || door.is_given() || log.is_given()
    }

    /// Serves until the client hangs up, or, over HTTP, until it is told to end.
    ///
    /// # Errors
    /// The workspace is refused, standard output fails while somebody reads it, or nothing can listen.
    pub(crate) fn run(
        self,
        given: &[PathBuf],
        open: impl Fn(&Opened<'_>) -> Result<Workspace>,
        offer: Offer,
        output: &Output,
    ) -> Result<ExitCode> {
        let _started = self.log.start()?;
        let (unnamed, named) = split(given);
        let protocol = match self.transport {
            None | Some(Transport::Stdio) if self.door.is_given() => {
                return Ok(output.misuse(
                    "--host, --port, --token-file, --tls-certificate, --tls-key, --allow-host and --allow-origin are for \
                     --transport http or sse",
                ));
            }
            None | Some(Transport::Stdio) if !named.is_empty() => {
                return Ok(output.misuse("--workspace NAME=DIR is for --transport http or sse"));
            }
            None | Some(Transport::Stdio) => None,
            Some(Transport::Http) => Some(Protocol::Http),
            Some(Transport::Sse) => Some(Protocol::Sse),
        };
        if let Some(name) = protocol.and_then(|_| wrong_name(&unnamed)) {
            return Ok(output.misuse(&format!(
                "{name:?} is no name of a workspace: take 1 to 32 of A-Z, a-z, 0-9, - and _"
            )));
        }
        if let Some(fault) = self.door.missing() {
            return Ok(output.misuse(&fault));
        }
        if let Some(origin) = self.door.allow_origin.iter().find(|it| !it.contains("://")) {
            return Ok(output
                .misuse(&format!("{origin} is no origin: write its scheme, as https://{origin}")));
        }
        if let Some(host) = self.door.allow_host.iter().find(|it| it.contains('/')) {
            return Ok(output.misuse(&format!(
                "{host} is no name of a host: leave out the scheme and the path, as rw.example.org"
            )));
        }
        let socket = if protocol.is_some() { socket::handed_over()? } else { None };
        if socket.is_some() && (self.door.host.is_some() || self.door.port.is_some()) {
            return Ok(output
                .misuse("the socket is handed over (LISTEN_FDS): leave out --host and --port"));
        }
        let host = match &socket {
            Some(socket) => socket.local_addr()?.ip().to_string(),
            None => self.door.host.clone().unwrap_or_else(|| "127.0.0.1".to_owned()),
        };
        if protocol.is_some() && self.door.token_file.is_none() && resilient_http::is_exposed(&host)
        {
            return Ok(output.misuse(&format!(
                "others can reach {host}: pass --token-file FILE, which is made if it is not there"
            )));
        }
        let names = match self.tool_names {
            None | Some(Names::Underscore) => ToolNames::Underscore,
            Some(Names::Dotted) => ToolNames::Dotted,
        };
        let serve = |workspace: Workspace| {
            if offer != Offer::Read {
                if let Err(fault) = workspace.policy() {
                    // The server serves all the same: a client shows its user no more than that a server has ended.
                    // Each call that needs the policy answers with the fault.
                    output.warn(&fault);
                }
                retain(&workspace);
            }
            Server::offering(workspace, names, offer)
        };
        let mut opened = Vec::new();
        for (name, dir) in &named {
            opened.push((Some(name.clone()), open(&Opened::Named(dir))?));
        }
        if named.is_empty() || !unnamed.is_empty() {
            opened.insert(0, (None, open(&Opened::Unnamed(&unnamed))?));
        }
        if let Some(name) = twice(&named) {
            return Ok(output.misuse(&format!(
                "two workspaces are named {name}: an address leads to one; give each another name"
            )));
        }
        if let Some((one, other)) = nested(&opened) {
            if one == other {
                return Ok(output.misuse(&format!(
                    "two workspaces have the directory {one}: name directories apart"
                )));
            }
            return Ok(output.misuse(&format!(
                "{one} lies in {other}: a client of one workspace could reach the other; name directories apart"
            )));
        }
        let dirs = opened.iter().flat_map(|(_, workspace)| {
            workspace.roots().paths().map(Path::to_owned).chain([workspace.state_dir()])
        });
        if let Some(fault) = self.door.within_reach(&dirs.collect::<Vec<_>>()) {
            return Ok(output.misuse(&fault));
        }
        let mut places: Vec<Place> = opened
            .into_iter()
            .map(|(name, workspace)| {
                let directories = workspace.roots().paths().map(Path::to_owned).collect();
                Place { name, server: serve(workspace), directories }
            })
            .collect();
        let Some(protocol) = protocol else {
            output.waiting();
            if let Some(place) = places.pop() {
                resilient_mcp::serve_stdio(place.server)?;
            }
            return Ok(ExitCode::SUCCESS);
        };
        let listen = Listen {
            protocol,
            host,
            socket,
            port: self.door.port.unwrap_or(8000),
            tls: self
                .door
                .tls_certificate
                .zip(self.door.tls_key)
                .map(|(certificate, key)| TlsFiles { certificate, key }),
            token_file: self.door.token_file,
            allow_hosts: self.door.allow_host,
            allow_origins: self.door.allow_origin,
        };
        let (stop, tell) = (Stop::new(), output.teller());
        signals::on_end(stop.clone());
        resilient_http::serve(listen, places, &stop, &tell)?;
        Ok(ExitCode::SUCCESS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_with_a_name_is_no_directory() {
        let given = ["a=/x", "/y", "b=c=d", "=z", "../a=b", "a b=c"].map(PathBuf::from);
        let (unnamed, named) = split(&given);
        assert_eq!(unnamed, ["/y", "=z", "../a=b", "a b=c"].map(PathBuf::from));
        let of = |name: &str, dir: &str| (name.to_owned(), PathBuf::from(dir));
        assert_eq!(named, [of("a", "/x"), of("b", "c=d")]);
    }
}
