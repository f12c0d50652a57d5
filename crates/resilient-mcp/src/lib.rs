//! The MCP server over the library, and a [`client`] for any server.
//!
//! [`serve_stdio`] speaks MCP on the standard streams, [`serve`] on any pair of streams, in both
//! eras of the protocol: with the `initialize` handshake and without it. A failed tool is a
//! result with `isError` and the envelope; JSON-RPC errors are kept for what is not a tool call.
//! Whatever a client sends, it gets an answer and the server goes on.
//!
//! From the wire inward: `wire` cuts lines and writes replies, `message` tells what a line asks
//! for, [`Server`] finds the tool and makes the call for a `session`, `args` checks the arguments, [`tools`] says
//! which tools there are, `reply` turns an answer into a result, `json` writes it. `resources`, `prompts` and `completion` are
//! what a client has beside the tools; `updates` and `wishes` say which client learns about a change. The library stays
//! synchronous: calls run on blocking threads, a bounded number at once. Only what reads a window of a
//! file runs right away, for a client that asks one thing at a time: no other call keeps the protocol
//! waiting. Which of this is by hand beside the SDK, and why: `docs/design/0008-transports.md`.

mod aims;
mod args;
mod batch;
mod budget;
mod busy;
mod call;
pub mod client;
mod completion;
mod deeds;
#[doc(hidden)]
pub mod docs;
pub mod guard;
#[doc(hidden)]
pub mod hints;
mod instructions;
mod json;
mod keys;
mod meant;
mod message;
mod names;
mod prompts;
mod replies;
mod reply;
mod requests;
mod resources;
mod schema;
pub mod seam;
mod server;
mod session;
mod skim;
mod tally;
pub mod tools;
mod turns;
mod updates;
mod uri;
mod wire;
mod wishes;

use std::io;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio::io::{AsyncRead, AsyncWrite};

pub use busy::{Busy, Work};
pub use names::ToolNames;
pub use resilient_core::figures;
pub use schema::Schema;
pub use server::{ONE_OF_LISTED, Server, Unready};
pub use session::{Caller, program};
pub use skim::Skim;
pub use tally::{BOUNDS_MS, Tallied};
pub use tools::Offer;
pub use wire::{Afar, Cancel, Hold};

use replies::replies;
use wire::Wire;

/// Serves on the standard streams until standard input ends and every call is answered.
///
/// Runs its own small runtime: one thread for the protocol, one per call that is running.
///
/// # Errors
/// The runtime cannot be started, or standard output fails while somebody reads it.
pub fn serve_stdio(server: Server) -> io::Result<()> {
    widen_pipes();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let (stdin, stdout) = rmcp::transport::stdio_pipes();
        serve(server, stdin, stdout).await
    })
}

/// Has the pipes to the client hold a long answer or a long text at once. Where they hold 64 KiB,
/// as they do unasked, both sides wake up for every piece. Where the system does not let them, or
/// the streams are no pipes, they stay as they are.
fn widen_pipes() {
    #[cfg(target_os = "linux")]
    {
        // The most that the kernel gives to everybody (`fs.pipe-max-size`).
        const HELD: usize = 1 << 20;
        let _ = rustix::pipe::fcntl_setpipe_size(io::stdin(), HELD);
        let _ = rustix::pipe::fcntl_setpipe_size(io::stdout(), HELD);
    }
}

/// Serves on a pair of streams until the reader ends and every call is answered.
///
/// An end before the first request is no error: clients start a server only to look at it.
///
/// # Errors
/// The writer fails for another reason than that nobody reads it any more.
pub async fn serve<R, W>(server: Server, reader: R, writer: W) -> io::Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    serve_lines(server, reader, writer, None).await
}

/// The same for a client that the server does not know.
///
/// # Errors
/// As [`serve`].
pub async fn serve_afar<R, W>(server: Server, reader: R, writer: W, afar: Afar) -> io::Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    serve_lines(server, reader, writer, Some(afar)).await
}

async fn serve_lines<R, W>(
    server: Server,
    reader: R,
    writer: W,
    afar: Option<Afar>,
) -> io::Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let (replies, written) = replies(writer);
    let writing = tokio::spawn(written);
    let hung_up = server.hung_up();
    match server.serve(Wire::new(reader, replies, afar, hung_up)).await {
        Ok(running) => {
            let _ = running.waiting().await;
        }
        Err(ServerInitializeError::ConnectionClosed(_)) => {}
        Err(error) => return Err(io::Error::other(error)),
    }
    match writing.await {
        Ok(Err(error)) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}
