//! How much a scan looks at: a caller may watch it, and stop it; tests hold it in bounds.
//!
//! Time tells little on a busy machine, and whether a text can make the scan look at the same bytes
//! again and again is not a question of time. So every loop that could be started from many places of
//! one text says how many bytes it goes over, and the sum, which is the same on every run and
//! machine, must stay proportional to the text.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

/// At least so many bytes are looked at between two calls of the watcher.
const STEP: u64 = 1 << 16;

struct Work {
    spent: Cell<u64>,
    /// The sum at which the watcher is called next.
    next: Cell<u64>,
}

type Watcher = Rc<dyn Fn(u64) -> bool>;

thread_local! {
    static WORK: Work = const { Work { spent: Cell::new(0), next: Cell::new(u64::MAX) } };
    static WATCHER: RefCell<Option<Watcher>> = const { RefCell::new(None) };
}

/// The watcher of a scan has stopped it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the scan was stopped by its watcher")
    }
}

impl std::error::Error for Stopped {}

/// Runs `work`, and calls `watcher` now and then with the number of bytes that scores and redactions on this
/// thread have looked at. They look at some bytes many times: the sum is larger than the text, and nobody knows
/// beforehand by how much. The parser that a redaction asks is not counted.
///
/// The scan unwinds to stop, as from a panic without its message. A program that is built with `panic = "abort"` cannot
/// unwind: there, `watcher` is called, and nothing stops.
///
/// # Errors
/// The watcher has answered `false`: `work` has ended there, without a result.
pub fn watched<T>(
    watcher: impl Fn(u64) -> bool + 'static,
    work: impl FnOnce() -> T,
) -> Result<T, Stopped> {
    /// What was watched before, which goes on however this ends.
    struct Before(Option<Watcher>, u64, u64);

    impl Drop for Before {
        fn drop(&mut self) {
            WATCHER.set(self.0.take());
            WORK.with(|work| {
                work.spent.set(self.1.saturating_add(work.spent.get()));
                work.next.set(self.2);
            });
        }
    }

    let _before = WORK.with(|work| {
        let before = WATCHER.replace(Some(Rc::new(watcher)));
        Before(before, work.spent.take(), work.next.replace(STEP))
    });
    // Nothing of a scan outlives it, but the sum.
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| match payload.downcast::<Stopped>() {
        Ok(stopped) => *stopped,
        Err(panic) => resume_unwind(panic),
    })
}

/// Says that so many bytes are looked at.
pub(super) fn spend(bytes: usize) {
    WORK.with(|work| {
        let spent = work.spent.get().saturating_add(bytes as u64);
        work.spent.set(spent);
        if spent >= work.next.get() {
            tell(work, spent);
        }
    });
}

#[cold]
fn tell(work: &Work, spent: u64) {
    work.next.set(spent.saturating_add(STEP));
    let watcher = WATCHER.with_borrow(Option::clone);
    if watcher.is_some_and(|watcher| !watcher(spent)) && cfg!(panic = "unwind") {
        resume_unwind(Box::new(Stopped));
    }
}

/// Takes the sum of what was spent on this thread.
#[cfg(any(test, fuzzing))]
pub(super) fn taken() -> u64 {
    WORK.with(|work| work.spent.take())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::{STEP, Stopped, watched};
    use crate::{Policy, score};

    fn long() -> String {
        "let name = other.of(&value, 17);\n".repeat(30_000)
    }

    #[test]
    fn a_watcher_is_told_a_sum_that_grows() {
        let (text, policy) = (long(), Policy::default());
        let told = Rc::new(RefCell::new(Vec::new()));
        let steps = Rc::clone(&told);
        let watcher = move |done| {
            steps.borrow_mut().push(done);
            true
        };
        let report = watched(watcher, || score(&text, &policy));
        assert_eq!(report, Ok(score(&text, &policy)));
        let told = told.take();
        assert!(told.len() > 2, "{told:?}");
        assert!(told.is_sorted_by(|step, next| next - step >= STEP), "{told:?}");
    }

    /// Before, a text without a secret counted at once, before it was looked at.
    #[test]
    fn prose_is_counted_as_it_is_looked_at() {
        const PASS: u64 = 1 << 20;
        let text = "The quick brown fox jumps over the lazy dog. ".repeat(1 << 16);
        let told = Rc::new(RefCell::new(Vec::new()));
        let steps = Rc::clone(&told);
        let watcher = move |done| {
            steps.borrow_mut().push(done);
            true
        };
        let policy = Policy::default();
        assert_eq!(watched(watcher, || score(&text, &policy)), Ok(score(&text, &policy)));
        let told = told.take();
        let first = told.first().copied().unwrap_or(u64::MAX);
        assert!(first < PASS, "{first}");
        assert!(told.windows(2).all(|two| matches!(two, [one, next] if next - one < PASS)));
        assert!(told.last() > Some(&(text.len() as u64)), "{told:?}");
    }

    #[test]
    fn a_scan_that_is_stopped_ends_there_and_the_next_one_is_as_before() {
        let (text, policy) = (long(), Policy::default());
        let told = Rc::new(RefCell::new(0));
        let steps = Rc::clone(&told);
        let watcher = move |_| {
            *steps.borrow_mut() += 1;
            *steps.borrow() < 2
        };
        assert_eq!(watched(watcher, || score(&text, &policy)), Err(Stopped));
        assert_eq!(score(&text, &policy), score(&text, &policy));
        assert_eq!(told.take(), 2);
    }

    #[test]
    fn a_panic_is_none_of_the_watchers() {
        let work = || std::panic::resume_unwind(Box::new("other"));
        let outer = std::panic::catch_unwind(|| watched::<()>(|_| false, work));
        assert_eq!(outer.map_err(|payload| payload.downcast_ref() == Some(&"other")), Err(true));
    }
}
