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
    ANSWER_KEPT, ANSWER_SHORT, ANSWERS_KEPT, ANSWERS_KEPT_BYTES, ANSWERS_KEPT_BYTES_ALL,
};

/// How many bytes the answers of all sessions of a workspace have. The short ones have room of their own: a client that
/// reads much takes none of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stock {
    short: Arc<AtomicUsize>,
    long: Arc<AtomicUsize>,
}

/// The last answers of a session.
#[derive(Debug)]
pub(crate) struct Answers {
    stock: Stock,
    /// The oldest first.
    kept: Mutex<VecDeque<Answer>>,
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
struct Answer {
    name: Name,
    /// As it is sent.
    written: Bytes,
    counted: Counted,
    since: Instant,
}

/// Bytes of the stock, until this is dropped.
#[derive(Debug)]
struct Counted {
    of: Arc<AtomicUsize>,
    bytes: usize,
}

impl Stock {
    /// Counts an answer; `None` if there is no room for it.
    fn count(&self, bytes: usize) -> Option<Counted> {
        let of = if bytes <= ANSWER_SHORT { &self.short } else { &self.long };
        let before = of.fetch_add(bytes, Ordering::Relaxed);
        let counted = Counted { of: Arc::clone(of), bytes };
        (before.saturating_add(bytes) <= ANSWERS_KEPT_BYTES_ALL).then_some(counted)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.of.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Answers {
    pub(crate) fn new(stock: Stock) -> Arc<Self> {
        Arc::new(Self { stock, kept: Mutex::default(), greeting: Mutex::default() })
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
        let bytes = written.len();
        if bytes > ANSWERS_KEPT_BYTES {
            return;
        }
        let mut kept = self.lock();
        let mut all: usize = kept.iter().map(|answer| answer.counted.bytes).sum();
        while kept.len() >= ANSWERS_KEPT || all + bytes > ANSWERS_KEPT_BYTES {
            let Some(oldest) = kept.pop_front() else { break };
            all -= oldest.counted.bytes;
        }
        if let Some(counted) = self.stock.count(bytes) {
            kept.push_back(Answer { name, written, counted, since: now });
        }
    }

    /// The answer to a request, if it is kept and comes behind one of its events.
    pub(crate) fn behind(&self, request: u64, event: usize) -> Option<Reader> {
        let kept = self.lock();
        let is_it = |answer: &&Answer| answer.name.of == Some(request) && answer.name.event > event;
        let Answer { name, written, .. } = kept.iter().find(is_it)?;
        Some(Events::read_one(name.event, name.of, written.clone()))
    }

    /// Forgets what is kept for long.
    pub(crate) fn forget(&self, now: Instant) {
        self.lock().retain(|answer| now.saturating_duration_since(answer.since) < ANSWER_KEPT);
    }

    fn handshake(&self) -> MutexGuard<'_, Greeting> {
        self.greeting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Answer>> {
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
        let mut sessions: Vec<_> = (0..=count).map(|_| given(&stock, &[EACH])).collect();
        assert_eq!(sessions.iter().filter(|it| !numbers(it).is_empty()).count(), count);
        // A session that ends makes room.
        sessions.pop();
        sessions.pop();
        let last = given(&stock, &[EACH]);
        assert_eq!(numbers(&last), [0]);
        // Before, the answer to a write was not kept while others read much.
        let short = given(&stock, &[EACH, ANSWER_SHORT]);
        assert_eq!(numbers(&short), [1]);
        drop((sessions, last, short));
        let left = [&stock.short, &stock.long].map(|of| of.load(Ordering::Relaxed));
        assert_eq!(left, [0, 0]);
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
