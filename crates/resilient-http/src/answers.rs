//! The answers that a session keeps for a client that comes back.
//!
//! The server cannot know which answers have arrived: what it has sent may be lost with the connection. So the last
//! answers are kept for a while, also those that were read. The answer to the handshake is kept until the client goes on.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use bytes::Bytes;
use rmcp::ErrorData;
use rmcp::model::{JsonRpcMessage, ServerJsonRpcMessage, ServerResult};

use crate::events::{Events, Name, Reader};
use crate::limits::{
    ANSWER_KEPT, ANSWERS_KEPT, ANSWERS_KEPT_BYTES, ANSWERS_KEPT_BYTES_ALL, ANSWERS_KEPT_SHARE,
};

/// How many bytes of answers all sessions of a workspace keep beyond their shares. Nobody can take the share of another.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stock(Arc<AtomicUsize>);

/// The last answers of a session.
#[derive(Debug)]
pub(crate) struct Answers {
    kept: Mutex<Kept>,
    greeting: Mutex<Greeting>,
}

/// The answer to the handshake of a session.
#[derive(Debug, Default)]
enum Greeting {
    /// It is not given yet.
    #[default]
    Ahead,
    /// As it is sent. The client may not have got it.
    Kept(Bytes),
    /// The client has gone on, so it has the answer.
    Past,
}

#[derive(Debug)]
struct Kept {
    /// The oldest first.
    last: VecDeque<Answer>,
    /// How many bytes they have.
    bytes: usize,
    /// How many of these are in the stock: those beyond the share.
    beyond: usize,
    stock: Stock,
}

#[derive(Debug)]
struct Answer {
    name: Name,
    /// As it is sent.
    written: Bytes,
    since: Instant,
}

impl Kept {
    /// How many bytes the answers may have together.
    fn room(&self) -> usize {
        let all = self.stock.0.load(Ordering::Relaxed);
        let left = (ANSWERS_KEPT_BYTES_ALL + self.beyond).saturating_sub(all);
        ANSWERS_KEPT_BYTES.min(ANSWERS_KEPT_SHARE + left)
    }

    fn push(&mut self, answer: Answer) {
        self.bytes += answer.written.len();
        self.last.push_back(answer);
        self.count();
    }

    /// Forgets the oldest as long as something holds.
    fn forget_while(&mut self, is_so: impl Fn(&Self, &Answer) -> bool) {
        while let Some(oldest) = self.last.pop_front() {
            if !is_so(self, &oldest) {
                self.last.push_front(oldest);
                break;
            }
            self.bytes -= oldest.written.len();
        }
        self.count();
    }

    /// Has the stock count what is beyond the share now.
    fn count(&mut self) {
        let before =
            std::mem::replace(&mut self.beyond, self.bytes.saturating_sub(ANSWERS_KEPT_SHARE));
        self.stock.0.fetch_add(self.beyond, Ordering::Relaxed);
        self.stock.0.fetch_sub(before, Ordering::Relaxed);
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.stock.0.fetch_sub(self.beyond, Ordering::Relaxed);
    }
}

impl Answers {
    pub(crate) fn new(stock: Stock) -> Arc<Self> {
        let kept = Kept { last: VecDeque::new(), bytes: 0, beyond: 0, stock };
        Arc::new(Self { kept: Mutex::new(kept), greeting: Mutex::default() })
    }

    /// Keeps the answer to the handshake as it is sent.
    pub(crate) fn greet(&self, written: Bytes) {
        *self.handshake() = Greeting::Kept(written);
    }

    /// The client has gone on behind the handshake.
    pub(crate) fn go_on(&self) {
        *self.handshake() = Greeting::Past;
    }

    /// Whether the client has gone on behind the handshake.
    pub(crate) fn has_gone_on(&self) -> bool {
        matches!(*self.handshake(), Greeting::Past)
    }

    /// The answer to the handshake, as long as the client has not gone on.
    pub(crate) fn greeting(&self) -> Option<Reader> {
        match &*self.handshake() {
            Greeting::Kept(written) => Some(Events::read_one(1, None, written.clone())),
            Greeting::Ahead | Greeting::Past => None,
        }
    }

    /// Keeps an answer as it is sent, in the place of older ones. What is too long is not kept.
    pub(crate) fn keep(&self, name: Name, written: Bytes, now: Instant) {
        let mut kept = self.lock();
        let (bytes, room) = (written.len(), kept.room());
        if bytes <= room {
            // One is out of the list while this is asked.
            kept.forget_while(|kept, _| {
                kept.last.len() + 1 >= ANSWERS_KEPT || kept.bytes + bytes > room
            });
            kept.push(Answer { name, written, since: now });
        }
    }

    /// The answer to a request, if it is kept and comes behind one of its events.
    pub(crate) fn behind(&self, request: u64, event: usize) -> Option<Reader> {
        let kept = self.lock();
        let is_it = |answer: &&Answer| answer.name.of == Some(request) && answer.name.event > event;
        let Answer { name, written, .. } = kept.last.iter().find(is_it)?;
        Some(Events::read_one(name.event, name.of, written.clone()))
    }

    /// Forgets what is kept for long.
    pub(crate) fn forget(&self, now: Instant) {
        self.lock()
            .forget_while(|_, oldest| now.saturating_duration_since(oldest.since) >= ANSWER_KEPT);
    }

    fn handshake(&self) -> MutexGuard<'_, Greeting> {
        self.greeting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a client gets that comes back for an answer: the answer to a call of a tool, or else an error.
///
/// The other requests only look, and can be made again: a list of tools for each of 1,000 sessions would take 20 MB.
pub(crate) fn for_later(message: &ServerJsonRpcMessage) -> Option<ServerJsonRpcMessage> {
    let JsonRpcMessage::Response(answer) = message else { return None };
    let text = match answer.result {
        ServerResult::CallToolResult(_) => return None,
        _ => "the connection broke, and only answers of tools are kept; send the request again",
    };
    Some(JsonRpcMessage::error(ErrorData::internal_error(text, None), Some(answer.id.clone())))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// A session that was given answers of these sizes, with the numbers from 0 on.
    fn given(stock: &Stock, sizes: &[usize]) -> Arc<Answers> {
        let answers = Answers::new(stock.clone());
        for (number, size) in (0..).zip(sizes) {
            keep(&answers, number, *size, Instant::now());
        }
        answers
    }

    fn keep(answers: &Answers, number: u64, size: usize, now: Instant) {
        answers.keep(Name { event: 1, of: Some(number) }, vec![b'x'; size].into(), now);
    }

    fn numbers(answers: &Answers) -> Vec<u64> {
        (0..2 * ANSWERS_KEPT as u64).filter(|number| answers.behind(*number, 0).is_some()).collect()
    }

    #[test]
    fn a_session_keeps_its_last_answers_up_to_a_number_and_a_size() {
        const ALL: usize = ANSWERS_KEPT_BYTES;
        let many = [1; ANSWERS_KEPT + 2];
        let last: Vec<_> = (2..2 + ANSWERS_KEPT as u64).collect();
        let cases: [(&[usize], &[u64]); 6] = [
            (&[], &[]),
            (&many, &last),
            (&[ALL / 2, ALL / 2], &[0, 1]),
            (&[ALL / 2, ALL / 2, 1], &[1, 2]),
            (&[1, 1, ALL], &[2]),
            // One that is too long for itself leaves the others.
            (&[1, 1, ALL + 1], &[0, 1]),
        ];
        for (sizes, kept) in cases {
            assert_eq!(numbers(&given(&Stock::default(), sizes)), kept, "{sizes:?}");
        }
    }

    #[test]
    fn all_sessions_together_keep_answers_up_to_a_size() {
        const EACH: usize = ANSWERS_KEPT_BYTES;
        let stock = Stock::default();
        let count = ANSWERS_KEPT_BYTES_ALL / EACH;
        let mut sessions: Vec<_> = (0..count + 2).map(|_| given(&stock, &[EACH])).collect();
        // The rests of the shares have no room for another one.
        assert_eq!(sessions.iter().filter(|it| !numbers(it).is_empty()).count(), count);
        // A session that ends makes room.
        sessions.remove(0);
        let last = given(&stock, &[EACH]);
        assert_eq!(numbers(&last), [0]);
        drop((sessions, last));
        assert_eq!(stock.0.load(Ordering::Relaxed), 0);
    }

    /// Before, one client that made many calls with short answers took the room for those of everybody else.
    #[test]
    fn a_session_has_a_share_that_no_other_takes() {
        const SHORT: usize = ANSWERS_KEPT_SHARE / 2;
        let stock = Stock::default();
        let own = given(&stock, &[SHORT]);
        let many = vec![SHORT; ANSWERS_KEPT];
        let others: Vec<_> = (0..40).map(|_| given(&stock, &many)).collect();
        assert!(numbers(others.last().unwrap()).len() < ANSWERS_KEPT, "there is room for them");
        for number in 1..4 {
            keep(&own, number, SHORT, Instant::now());
            assert_eq!(numbers(&own), [number - 1, number]);
        }
        // What is longer than the share leaves the others.
        keep(&own, 4, ANSWERS_KEPT_SHARE + 1, Instant::now());
        assert_eq!(numbers(&own), [2, 3]);
        drop(others);
        keep(&own, 5, ANSWERS_KEPT_SHARE + 1, Instant::now());
        assert_eq!(numbers(&own), [2, 3, 5]);
        own.forget(Instant::now() + ANSWER_KEPT);
        assert_eq!(stock.0.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn an_answer_is_forgotten_after_a_while() {
        let answers = Answers::new(Stock::default());
        let begin = Instant::now();
        let second = Duration::from_secs(1);
        keep(&answers, 0, 1, begin);
        keep(&answers, 1, 1, begin + second);
        for (now, kept) in [
            (begin + ANSWER_KEPT - second, &[0, 1][..]),
            (begin + ANSWER_KEPT, &[1]),
            (begin + ANSWER_KEPT + second, &[]),
        ] {
            answers.forget(now);
            assert_eq!(numbers(&answers), kept);
        }
    }
}
