//! Whether calls can be made at a place: anybody may ask, as often as they like.

use std::sync::Arc;
use std::time::Duration;

use resilient_mcp::Unready;
use tokio::sync::Mutex;
use tokio::time::timeout;

/// A monitor gets its answer after so long, also while a check waits for the lock or the disk.
const PATIENCE: Duration = Duration::from_secs(1);

/// The checks of one place. One runs at a time, however many ask.
#[derive(Debug, Default)]
pub(crate) struct Checks(Arc<Mutex<()>>);

impl Checks {
    /// Makes a check, which may block. One that takes too long goes on, and the next one waits for it.
    ///
    /// # Errors
    /// What is wrong, or that the check takes too long.
    pub(crate) async fn make(
        &self,
        check: impl FnOnce() -> Result<(), Unready> + Send + 'static,
    ) -> Result<(), Unready> {
        self.make_within(PATIENCE, check).await
    }

    async fn make_within(
        &self,
        patience: Duration,
        check: impl FnOnce() -> Result<(), Unready> + Send + 'static,
    ) -> Result<(), Unready> {
        let turn = Arc::clone(&self.0).lock_owned();
        let made = async move {
            let turn = turn.await;
            let checked = tokio::task::spawn_blocking(move || {
                let checked = check();
                drop(turn);
                checked
            });
            let crashed = |error| Unready { what: "the check has failed", why: format!("{error}") };
            checked.await.map_err(crashed)?
        };
        timeout(patience, made).await.unwrap_or_else(|_| {
            let why = format!("a check has not ended after {patience:?}");
            Err(Unready { what: "the lock or the disk does not answer", why })
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[tokio::test]
    async fn a_check_that_hangs_is_told_and_the_next_one_waits_for_it() {
        let checks = Checks::default();
        let (go_on, gate) = channel();
        let hangs = move || gate.recv().map_err(|_| Unready { what: "", why: String::new() });
        let not_its_turn = || panic!("it is not its turn");
        let what = |checked: Result<(), Unready>| checked.unwrap_err().what;
        let no_answer = "the lock or the disk does not answer";
        assert_eq!(what(checks.make_within(Duration::ZERO, hangs).await), no_answer);
        assert_eq!(what(checks.make_within(Duration::ZERO, not_its_turn).await), no_answer);
        go_on.send(()).unwrap();
        assert_eq!(checks.make_within(Duration::MAX, || Ok(())).await, Ok(()));
        let fault = checks.make_within(Duration::MAX, || panic!("a fault")).await;
        assert_eq!(what(fault), "the check has failed");
        assert_eq!(checks.make_within(Duration::MAX, || Ok(())).await, Ok(()));
    }
}
