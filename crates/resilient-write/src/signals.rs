//! Signals that would end the process where an error can be answered instead.
//!
//! SIGPIPE is ignored by the standard library already: a client that hangs up is an error of the
//! stream. SIGXFSZ is not: with a limit on the size of files (`ulimit -f`) it kills a process that
//! writes beyond it, in the middle of a call and without a word.

/// Makes a write beyond the limit on the size of files fail like a write to a full disk.
///
/// The signal is caught rather than ignored, which takes no unsafe code; nobody looks at the flag.
#[cfg(unix)]
pub(crate) fn survive_size_limit() {
    use signal_hook::{consts::SIGXFSZ, flag};

    let flag = std::sync::Arc::default();
    // Where no handler can be installed, the process is as it would be without.
    let _ = flag::register(SIGXFSZ, flag);
}

/// Has SIGTERM, and Ctrl-C, end the server in peace. A second one ends it at once, which no write minds.
#[cfg(unix)]
pub(crate) fn on_end(stop: resilient_http::Stop) {
    use std::io::Read as _;
    use std::os::unix::net::UnixStream;

    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::low_level::pipe;

    // Without handlers the process ends at once, as it does on other systems.
    let Ok((mut signalled, told)) = UnixStream::pair() else { return };
    for signal in [SIGINT, SIGTERM] {
        let Ok(told) = told.try_clone() else { return };
        let _ = pipe::register(signal, told);
    }
    std::thread::spawn(move || {
        let mut one = [0];
        let mut is_signalled = || signalled.read_exact(&mut one).is_ok();
        if is_signalled() {
            stop.cancel();
        }
        if is_signalled() {
            std::process::exit(1);
        }
    });
}

/// Here a signal ends the process at once, which no write minds.
#[cfg(not(unix))]
pub(crate) fn on_end(_: resilient_http::Stop) {}

/// There is no such limit on this system.
#[cfg(not(unix))]
pub(crate) fn survive_size_limit() {}
