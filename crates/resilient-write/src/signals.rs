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

/// There is no such limit on this system.
#[cfg(not(unix))]
pub(crate) fn survive_size_limit() {}
