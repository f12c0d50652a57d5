//! The socket that a starter has opened for the server, as systemd does (`LISTEN_FDS`, `LISTEN_PID`).

use std::io;
use std::net::TcpListener;

/// The socket, if there is one.
///
/// # Errors
/// There are several, or it is another kind of socket.
#[cfg(unix)]
pub(crate) fn handed_over() -> io::Result<Option<TcpListener>> {
    let mut sockets = listenfd::ListenFd::from_env();
    match sockets.len() {
        0 => Ok(None),
        1 => sockets.take_tcp_listener(0).map_err(|error| {
            let text = format!(
                "LISTEN_FDS has no TCP socket ({error}): write ListenStream=127.0.0.1:8000 in the socket unit"
            );
            io::Error::new(error.kind(), text)
        }),
        count => {
            let text = format!("LISTEN_FDS has {count} sockets: write one ListenStream in the socket unit");
            Err(io::Error::new(io::ErrorKind::InvalidInput, text))
        }
    }
}

/// Other systems have none.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub(crate) fn handed_over() -> io::Result<Option<TcpListener>> {
    Ok(None)
}
