//! What the program says: progress and problems on standard error, nothing else anywhere.
#![expect(clippy::print_stderr, reason = "this is the file that speaks")]

/// Says how far it is.
pub(crate) fn progress(text: &str) {
    eprintln!("{text}");
}

/// Says what went wrong.
pub(crate) fn problem(error: &anyhow::Error) {
    eprintln!("rab: {error:#}");
}
