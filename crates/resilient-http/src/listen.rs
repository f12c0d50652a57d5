//! The socket: connections in, and the end.

use std::convert::Infallible;
use std::io::{self, Cursor};
use std::net::IpAddr;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use resilient_mcp::Busy;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, join, split};
use tokio::net::TcpListener;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::address::Names;
use crate::door::{Door, Ends};
use crate::hosted::Hosted;
use crate::limits::{CONNECTIONS_MAX, FAREWELL, HEAD_MAX, HEAD_PATIENCE, LINGERS, WRITE_PATIENCE};
use crate::patience::Patient;
use crate::places::{Place, Places, Protocol};
use crate::tls::{Tls, TlsFiles};
use crate::token::Tokens;

/// How long nothing is taken after the system has refused a connection: it is out of handles, mostly.
const AFTER_FAULT: Duration = Duration::from_millis(100);

/// How the server is reached.
#[derive(Debug)]
pub struct Listen {
    /// By which protocol.
    pub protocol: Protocol,
    /// The address or name of the interface.
    pub host: String,
    /// The port; 0 is any that is free.
    pub port: u16,
    /// A socket that listens already, at this host; the port does not count then.
    pub socket: Option<std::net::TcpListener>,
    /// What clients are greeted with by TLS; without it, they are not.
    pub tls: Option<TlsFiles>,
    /// The file of tokens; without it everybody who reaches the server may do everything.
    pub token_file: Option<PathBuf>,
    /// Names by which clients may reach the server besides its own.
    pub allow_hosts: Vec<String>,
    /// Pages that may send requests.
    pub allow_origins: Vec<String>,
}

/// Whether others than this machine reach a host.
#[must_use]
pub fn is_exposed(host: &str) -> bool {
    match host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
        Ok(address) => !address.is_loopback(),
        // What another name leads to, somebody else decides.
        Err(_) => !host.eq_ignore_ascii_case("localhost"),
    }
}

/// What the server tells the user who started it, one line each.
pub type Tell = Arc<dyn Fn(&str) + Send + Sync>;

/// Serves until `stop` is cancelled and all that is under way is answered.
///
/// Runs its own small runtime: one thread for the protocol, one per call that is running.
///
/// # Errors
/// The host is exposed and there is no file of tokens; the file, the certificate or its key cannot be used; this was
/// built without TLS; nothing can listen there.
pub fn serve<S: Hosted>(
    listen: Listen,
    places: Vec<Place<S>>,
    stop: &CancellationToken,
    tell: &Tell,
) -> io::Result<()> {
    if is_exposed(&listen.host) && listen.token_file.is_none() {
        let text = "others can reach this host: tokens are needed";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    let tokens = match &listen.token_file {
        None => None,
        Some(path) => {
            let (tokens, made) = Tokens::open(path)
                .map_err(|error| io::Error::new(error.kind(), format!("the tokens: {error}")))?;
            if let Some(made) = made {
                // The only time that it is told.
                tell(&format!(
                    "made {} with a token named {}: {}",
                    path.display(),
                    made.name,
                    made.secret
                ));
            }
            Some(tokens)
        }
    };
    let tls = listen.tls.map(Tls::open).transpose()?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    let names = Names { hosts: listen.allow_hosts, origins: listen.allow_origins };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        // The next process takes those who come to a socket that was handed over.
        let is_own = listen.socket.is_none();
        let listener = match listen.socket {
            Some(socket) => {
                socket.set_nonblocking(true)?;
                TcpListener::from_std(socket)?
            }
            None => bind(&listen.host, listen.port).await?,
        };
        let places = Arc::new(Places::new(listen.protocol, places, Door::new(names, tokens)));
        let address = listener.local_addr()?;
        for path in places.paths() {
            tell(&format!("listening on {scheme}://{address}{path}"));
        }
        let connections = Busy::default();
        let tls = tls.map(Arc::new);
        let taking = |until| {
            let closing = Closing { stop: stop.clone(), until, patience: FAREWELL };
            accept(&listener, &tls, &places, &connections, closing, tell)
        };
        taking(stop.clone()).await;
        places.close();
        let under_way = places.calls();
        let (calls, are) = if under_way == 1 { ("call", "is") } else { ("calls", "are") };
        tell(&format!("stopping: {under_way} {calls} {are} under way"));
        let (finish, over) = (places.finish(FAREWELL), CancellationToken::new());
        let are_taken = if is_own {
            // A client that is refused at the socket may take all its calls for lost, also those that are under way.
            tokio::select! {
                are_taken = finish => are_taken,
                () = taking(over.clone()) => false,
            }
        } else {
            finish.await
        };
        over.cancel();
        drop(listener);
        // The others had their time.
        let patience = if are_taken { FAREWELL } else { LINGERS };
        let _ = timeout(patience, connections.none_left()).await;
        tell("stopped: every call is done");
        Ok(())
    })
}

/// How connections end.
#[derive(Debug, Clone)]
struct Closing {
    /// From here on each connection ends with its first answer.
    stop: CancellationToken,
    /// From here on those end that have not begun to ask.
    until: CancellationToken,
    /// One that is made after `stop` sends the head of its request within this.
    patience: Duration,
}

async fn bind(host: &str, port: u16) -> io::Result<TcpListener> {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    TcpListener::bind((host, port)).await.map_err(|error| {
        let text =
            format!("cannot listen at {host} port {port} ({error}): pass another --port or --host");
        io::Error::new(error.kind(), text)
    })
}

/// Takes connections, until those end that have not begun to ask.
async fn accept<S: Hosted>(
    listener: &TcpListener,
    tls: &Option<Arc<Tls>>,
    places: &Arc<Places<S>>,
    connections: &Busy,
    closing: Closing,
    tell: &Tell,
) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = closing.until.cancelled() => return,
        };
        let Ok((stream, theirs)) = accepted else {
            sleep(AFTER_FAULT).await;
            continue;
        };
        let (Ok(ours), Some(seat)) =
            (stream.local_addr(), connections.begin_below(CONNECTIONS_MAX))
        else {
            continue;
        };
        let (places, tell) = (Arc::clone(places), Arc::clone(tell));
        let (closing, tls) = (closing.clone(), tls.clone());
        tokio::spawn(async move {
            // Answers are written whole.
            let _ = stream.set_nodelay(true);
            let stream = Patient::with(WRITE_PATIENCE, stream);
            let ends = Ends { theirs, ours };
            match tls {
                None => converse(stream, ends, places, &closing, tell).await,
                Some(tls) => {
                    let greeted = tokio::select! {
                        greeted = tls.greet(stream) => greeted,
                        () = closing.until.cancelled() => return,
                    };
                    tls.take_fault().iter().for_each(|fault| tell(fault));
                    if let Ok(stream) = greeted {
                        converse(stream, ends, places, &closing, tell).await;
                    }
                }
            }
            drop(seat);
        });
    }
}

/// Answers the requests of one connection.
async fn converse<S: Hosted>(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    ends: Ends,
    places: Arc<Places<S>>,
    closing: &Closing,
    tell: Tell,
) {
    let service = service_fn(move |request| {
        let (places, tell) = (Arc::clone(&places), Arc::clone(&tell));
        async move {
            let reply = places.answer(request, ends).await;
            places.take_faults().iter().for_each(|fault| tell(fault));
            Ok::<_, Infallible>(reply)
        }
    });
    let Closing { stop, until, patience } = closing;
    let is_late = stop.is_cancelled();
    let mut speech = http1::Builder::new();
    speech.keep_alive(!is_late).timer(TokioTimer::new()).max_header_size(HEAD_MAX);
    speech.header_read_timeout(if is_late { *patience } else { HEAD_PATIENCE });
    if is_late {
        // Told to end before its first request, it would close without an answer. A call that it comes back for may
        // wait for long.
        if let Ok(Some(stream)) = timeout(*patience, heard(stream, until)).await {
            let _ = speech.serve_connection(TokioIo::new(stream), service).await;
        }
        return;
    }
    let mut connection = pin!(speech.serve_connection(TokioIo::new(stream), service));
    // A connection that fails is the client's loss: nobody is left to tell.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = stop.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

/// Waits for the first bytes of a client; `None` if it is gone, or sends none until the end.
async fn heard<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    until: &CancellationToken,
) -> Option<impl AsyncRead + AsyncWrite + Unpin + use<S>> {
    let (mut from_client, to_client) = split(stream);
    let mut begun = Vec::new();
    tokio::select! {
        biased;
        count = from_client.read_buf(&mut begun) => {
            count.ok().filter(|count| *count > 0)?;
        }
        () = until.cancelled() => return None,
    }
    Some(join(Cursor::new(begun).chain(from_client), to_client))
}

#[cfg(test)]
mod tests;
