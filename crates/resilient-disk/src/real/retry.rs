//! Trying again where somebody else has a file open for a moment.
//!
//! Windows refuses what others do not share: an indexer or a virus scanner that reads a file just
//! written keeps it from being renamed until it is done. Such a refusal passes; one that stays is
//! told after a second.

use std::io;
use std::time::Duration;

/// `ERROR_SHARING_VIOLATION` and `ERROR_LOCK_VIOLATION`: somebody has it open.
const IN_USE: [i32; 2] = [32, 33];
/// `ERROR_ACCESS_DENIED`: what a rename answers where somebody has the new name's file open.
const DENIED: i32 = 5;

/// So long it is tried in all, nearly.
const PATIENCE: Duration = Duration::from_secs(1);

/// Whether an open, a link or a removal may succeed a little later.
pub(super) fn is_in_use(error: &io::Error) -> bool {
    error.raw_os_error().is_some_and(|number| IN_USE.contains(&number))
}

/// Whether a rename may succeed a little later.
pub(super) fn is_in_use_for_rename(error: &io::Error) -> bool {
    is_in_use(error) || error.raw_os_error() == Some(DENIED)
}

/// Does something again as long as it fails in a way that passes, with pauses that grow.
pub(super) fn patiently<T>(
    passes: fn(&io::Error) -> bool,
    mut pause: impl FnMut(Duration),
    mut act: impl FnMut() -> io::Result<T>,
) -> io::Result<T> {
    let mut next = Duration::from_millis(1);
    let mut waited = Duration::ZERO;
    loop {
        match act() {
            Err(error) if passes(&error) && waited < PATIENCE => {
                pause(next);
                waited += next;
                next *= 2;
            }
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failing(errno: i32, times: usize) -> impl FnMut() -> io::Result<usize> {
        let mut made = 0;
        move || {
            made += 1;
            if made > times { Ok(made) } else { Err(io::Error::from_raw_os_error(errno)) }
        }
    }

    /// The answer, and how many milliseconds were waited in how many pauses.
    fn patience(passes: fn(&io::Error) -> bool, errno: i32, times: usize) -> (bool, u128, usize) {
        let mut pauses = Vec::new();
        let answer = patiently(passes, |pause| pauses.push(pause), failing(errno, times));
        let waited: Duration = pauses.iter().sum();
        (answer.is_ok(), waited.as_millis(), pauses.len())
    }

    #[test]
    fn what_passes_is_waited_for() {
        assert_eq!(patience(is_in_use, 32, 0), (true, 0, 0));
        assert_eq!(patience(is_in_use, 32, 1), (true, 1, 1));
        assert_eq!(patience(is_in_use, 33, 4), (true, 15, 4));
        assert_eq!(patience(is_in_use_for_rename, 5, 4), (true, 15, 4));
        assert_eq!(patience(is_in_use_for_rename, 32, 4), (true, 15, 4));
    }

    #[test]
    fn what_stays_is_told_after_a_second() {
        assert_eq!(patience(is_in_use, 32, usize::MAX), (false, 1023, 10));
    }

    #[test]
    fn other_errors_are_told_at_once() {
        assert_eq!(patience(is_in_use, 5, 1), (false, 0, 0));
        assert_eq!(patience(is_in_use_for_rename, 2, 1), (false, 0, 0));
    }
}
