//! How much a scan looks at, for tests and fuzzing alone.
//!
//! Time tells little on a busy machine, and whether a text can make the scan look at the same bytes
//! ever again is not a question of time. So every loop that could be started from many places of
//! one text says how many bytes it goes over, and the sum, which is the same on every run and
//! machine, must stay proportional to the text. In a program that is used all of this is nothing.

#[cfg(any(test, fuzzing))]
thread_local! {
    static SPENT: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Says that so many bytes are looked at.
pub(super) fn spend(bytes: usize) {
    #[cfg(any(test, fuzzing))]
    SPENT.with(|spent| spent.set(spent.get() + bytes as u64));
    #[cfg(not(any(test, fuzzing)))]
    let _ = bytes;
}

/// Takes the sum of what was spent on this thread.
#[cfg(any(test, fuzzing))]
pub(super) fn taken() -> u64 {
    SPENT.take()
}
