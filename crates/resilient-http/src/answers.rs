//! The answers that a session keeps for a client that comes back.
//!
//! The server cannot know which answers have arrived: what it has sent may be lost with the connection. So the last
//! answers are kept for a while, also those that were read.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rmcp::model::{JsonRpcMessage, ServerJsonRpcMessage, ServerResult};
use serde_json::Value;

use crate::events::Events;
use crate::limits::{
    ANSWER_KEPT, ANSWER_SHORT, ANSWERS_KEPT, ANSWERS_KEPT_BYTES, ANSWERS_KEPT_BYTES_ALL,
};

/// What an answer takes besides its text, at most.
const FRAME: usize = 1024;

/// What a value takes besides its text, at most.
const NODE: usize = 64;

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
}

#[derive(Debug)]
struct Answer {
    /// The number of its request.
    number: u64,
    events: Arc<Events>,
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
        Arc::new(Self { stock, kept: Mutex::default() })
    }

    /// Keeps the events of a request that is answered, in the place of older ones. What is too long is not kept.
    pub(crate) fn keep(&self, number: u64, events: Arc<Events>, bytes: usize, now: Instant) {
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
            kept.push_back(Answer { number, events, counted, since: now });
        }
    }

    /// The events of a request whose answer is kept.
    pub(crate) fn events(&self, number: u64) -> Option<Arc<Events>> {
        let kept = self.lock();
        let answer = kept.iter().find(|answer| answer.number == number)?;
        Some(Arc::clone(&answer.events))
    }

    /// Forgets what is kept for long.
    pub(crate) fn forget(&self, now: Instant) {
        self.lock().retain(|answer| now.saturating_duration_since(answer.since) < ANSWER_KEPT);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Answer>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// About how many bytes of memory the answer to a call of a tool takes. The other requests only look, and can be made again:
/// a list of tools for each of 1,000 sessions would take 120 MB.
pub(crate) fn size(message: &ServerJsonRpcMessage) -> Option<usize> {
    let JsonRpcMessage::Response(answer) = message else { return None };
    let ServerResult::CallToolResult(called) = &answer.result else { return None };
    let texts = called.content.iter().map(|block| match block.as_text() {
        Some(text) => text.text.len(),
        None => serde_json::to_vec(block).map_or(0, |encoded| encoded.len()),
    });
    Some(FRAME + texts.sum::<usize>() + called.structured_content.as_ref().map_or(0, value))
}

fn value(given: &Value) -> usize {
    NODE + match given {
        Value::String(text) => text.len(),
        Value::Array(values) => values.iter().map(value).sum(),
        Value::Object(fields) => fields.iter().map(|(name, it)| name.len() + value(it)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    /// A session that was given answers of these sizes, with the numbers from 0 on.
    fn given(stock: &Stock, sizes: &[usize]) -> Arc<Answers> {
        let answers = Answers::new(stock.clone());
        for (number, size) in (0..).zip(sizes) {
            answers.keep(number, Events::from(0, Some(number)), *size, Instant::now());
        }
        answers
    }

    fn numbers(answers: &Answers) -> Vec<u64> {
        (0..2 * ANSWERS_KEPT as u64).filter(|number| answers.events(*number).is_some()).collect()
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
        answers.keep(0, Events::from(0, Some(0)), 1, begin);
        answers.keep(1, Events::from(0, Some(1)), 1, begin + second);
        for (now, kept) in [
            (begin + ANSWER_KEPT - second, &[0, 1][..]),
            (begin + ANSWER_KEPT, &[1]),
            (begin + ANSWER_KEPT + second, &[]),
        ] {
            answers.forget(now);
            assert_eq!(numbers(&answers), kept);
        }
    }

    /// The size bounds the memory, so it must not be less than the text.
    #[test]
    fn every_text_of_an_answer_counts() {
        let text = "x".repeat(5000);
        let block = json!({"type": "text", "text": text});
        let image = json!({"type": "image", "data": text, "mimeType": "image/png"});
        for (result, texts) in [
            (json!({"content": []}), 0),
            (json!({"content": [block, block]}), 2),
            (json!({"content": [image]}), 1),
            (json!({"content": [block], "structuredContent": {"a": [text, {&text: 1}]}}), 3),
        ] {
            let message = json!({"jsonrpc": "2.0", "id": 1, "result": result});
            let size = size(&serde_json::from_value(message).unwrap()).unwrap();
            let least = FRAME + texts * text.len();
            assert!((least..least + 1000).contains(&size), "{size}, {texts}");
        }
        for other in [
            json!({"result": {"contents": [{"uri": "rw://journal", "text": text}]}}),
            json!({"result": {"tools": []}}),
            json!({"error": {"code": 1, "message": text}}),
        ] {
            let mut message = json!({"jsonrpc": "2.0", "id": 1});
            message.as_object_mut().unwrap().extend(other.as_object().unwrap().clone());
            assert_eq!(size(&serde_json::from_value(message).unwrap()), None);
        }
    }
}
