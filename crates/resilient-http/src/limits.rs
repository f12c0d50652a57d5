//! What the server takes from clients that it does not know: how many, how much, how long.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// So many connections are open at once; more are closed at once.
pub(crate) const CONNECTIONS_MAX: usize = 2048;

/// So many sessions live at once; no more begin.
pub(crate) const SESSIONS_MAX: usize = 2048;

/// A session without a request for so long ends.
pub(crate) const SESSION_IDLE: Duration = Duration::from_secs(60 * 60);

/// A session without a request at work for so long is put to sleep.
pub(crate) const QUIET: Duration = Duration::from_secs(10);

/// A session whose client does not go on behind the handshake ends after this: the client is gone, mostly.
pub(crate) const GREETED_IDLE: Duration = Duration::from_secs(60);

/// So often quiet sessions are looked for.
pub(crate) const SWEEP: Duration = Duration::from_secs(2);

/// So many sessions are awake at once, and those that have a request at work or are told something unasked.
///
/// Each takes the SDK 60 KB, and what many take at once the allocator does not give back.
pub(crate) const AWAKE_MAX: usize = 64;

/// A client whose connection broke comes back after this.
pub(crate) const COMES_BACK: Duration = Duration::from_secs(1);

/// An answer is kept for so long for a client that comes back.
pub(crate) const ANSWER_KEPT: Duration = Duration::from_secs(30);

/// A session keeps so many answers: as many as calls run at once.
pub(crate) const ANSWERS_KEPT: usize = 128;

/// The answers that a session keeps have together at most so many bytes; a longer one is not kept. The longest answer of
/// a tool has 2 MiB of text, twice.
pub(crate) const ANSWERS_KEPT_BYTES: usize = 8 << 20;

/// So many bytes of its answers a session keeps in any case: those of its last writes.
pub(crate) const ANSWERS_KEPT_SHARE: usize = 32 << 10;

/// What all sessions of a workspace keep beyond their shares has together at most so many bytes.
pub(crate) const ANSWERS_KEPT_BYTES_ALL: usize = 64 << 20;

/// The longest handshake: its session keeps it.
pub(crate) const HANDSHAKE_MAX: usize = 16 << 10;

/// The longest fields of a head that a session keeps, together.
pub(crate) const KEPT_HEAD_MAX: usize = 1 << 10;

/// A client greets by TLS within this.
#[cfg(feature = "tls")]
pub(crate) const HANDSHAKE_PATIENCE: Duration = Duration::from_secs(10);

/// The head of a request has at most so many bytes.
pub(crate) const HEAD_MAX: usize = 64 << 10;

/// A client sends the head of a request, or the next one on its connection, within this.
///
/// Clients keep a connection that they do not use for up to 90 seconds, and one of them may send a request just when it is cut.
pub(crate) const HEAD_PATIENCE: Duration = Duration::from_secs(120);

/// The body of a request has at most so many bytes.
pub(crate) const BODY_MAX: usize = 32 << 20;

/// The bodies that are being worked on have together at most so many bytes.
pub(crate) const BODIES_MAX: usize = 256 << 20;

/// While the answers that wait for their clients have together more bytes, no body is taken.
pub(crate) const ANSWERS_MAX: usize = 256 << 20;

/// A client sends the next piece of a body within this.
pub(crate) const PIECE_PATIENCE: Duration = Duration::from_secs(10);

/// A client sends all of a body within this.
pub(crate) const BODY_PATIENCE: Duration = Duration::from_secs(120);

/// What is left of a body that is not taken is read and thrown away for so long, so that its client comes to the answer.
pub(crate) const PASSED_OVER: Duration = Duration::from_secs(30);

/// A client that sends nothing for so long has come to it.
pub(crate) const LINGERS: Duration = Duration::from_millis(500);

/// A client takes the next piece of an answer within this.
pub(crate) const WRITE_PATIENCE: Duration = Duration::from_secs(30);

/// An answer that is done within this is sent as a whole. A client whose connection breaks before cannot come back for it.
pub(crate) const ANSWER_PATIENCE: Duration = Duration::from_millis(100);

/// A session over SSE that has taken no body for so long takes none: its client does not read its stream, mostly.
pub(crate) const POST_PATIENCE: Duration = Duration::from_secs(5);

/// At its end the server waits so long for clients to take their answers.
pub(crate) const FAREWELL: Duration = Duration::from_secs(5);

/// So often something is sent on a stream, so that a client that is gone is noticed.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(15);

/// Requests of one address: so many at once, and so many a second.
pub(crate) const REQUESTS: Rate = Rate { burst: 20_000.0, per_second: 10_000.0 };

/// Refused tokens of one address.
pub(crate) const GUESSES: Rate = Rate { burst: 20.0, per_second: 0.2 };

/// So many addresses are remembered.
const ADDRESSES_MAX: usize = 4096;

/// How often something may be done.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rate {
    pub(crate) burst: f64,
    pub(crate) per_second: f64,
}

/// How often each address has done something.
#[derive(Debug)]
pub(crate) struct Rates {
    rate: Rate,
    left: Mutex<HashMap<IpAddr, (f64, Instant)>>,
}

impl Rates {
    pub(crate) fn of(rate: Rate) -> Self {
        Self { rate, left: Mutex::default() }
    }

    /// Whether an address may do it once more, now.
    pub(crate) fn take(&self, address: IpAddr, now: Instant) -> bool {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if left.len() >= ADDRESSES_MAX && !left.contains_key(&address) {
            // Those who have rested are as good as new.
            let rested = self.rate.burst / self.rate.per_second;
            left.retain(|_, (_, last)| now.duration_since(*last).as_secs_f64() < rested);
            if left.len() >= ADDRESSES_MAX {
                return false;
            }
        }
        let (count, last) = left.entry(address).or_insert((self.rate.burst, now));
        let grown = now.duration_since(*last).as_secs_f64() * self.rate.per_second;
        *count = (*count + grown).min(self.rate.burst);
        *last = now;
        let may = *count >= 1.0;
        if may {
            *count -= 1.0;
        }
        may
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn an_address_may_do_so_much_at_once_and_then_so_much_a_second() {
        let rates = Rates::of(Rate { burst: 2.0, per_second: 1.0 });
        let (one, other) = (IpAddr::from(Ipv4Addr::LOCALHOST), IpAddr::from([10, 0, 0, 1]));
        let now = Instant::now();
        assert!(rates.take(one, now) && rates.take(one, now) && !rates.take(one, now));
        assert!(rates.take(other, now));
        let later = now + Duration::from_secs(1);
        assert!(rates.take(one, later) && !rates.take(one, later));
    }

    #[test]
    fn memory_does_not_grow_with_addresses() {
        let rates = Rates::of(Rate { burst: 2.0, per_second: 1.0 });
        let now = Instant::now();
        let address = |n: u32| IpAddr::from(Ipv4Addr::from(n));
        let all = u32::try_from(ADDRESSES_MAX).unwrap();
        assert!((0..all).all(|n| rates.take(address(n), now)));
        assert!(!rates.take(address(all), now));
        assert!(rates.take(address(all), now + Duration::from_secs(3)));
        assert_eq!(rates.left.lock().unwrap().len(), 1);
    }
}
