//! A stream of events to a client, which can come back for what it has missed.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use futures_util::Stream;
use rmcp::transport::common::server_side_http::ServerSseMessage;
use tokio::sync::Notify;

/// So many events are kept for a client that comes back. Who sends waits while a client has so many to read.
pub(crate) const KEPT: usize = 16;

/// One event of a stream.
#[derive(Debug, Clone)]
pub(crate) enum Event {
    /// As the SDK has it.
    Said(ServerSseMessage),
    /// As it is sent.
    Written(Bytes),
}

/// The name of an event, as its client has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Name {
    /// The index of the event in its stream.
    pub(crate) event: usize,
    /// The number of the request that it belongs to.
    pub(crate) of: Option<u64>,
}

/// The events of one request, or those that belong to no request.
#[derive(Debug)]
pub(crate) struct Events {
    /// The number of the request.
    of: Option<u64>,
    state: Mutex<State>,
    fewer: Notify,
}

#[derive(Debug)]
struct State {
    kept: VecDeque<Event>,
    /// The index of the first event that is kept.
    first: usize,
    /// The index of the event that the reader gets next; `None` if nobody reads.
    next: Option<usize>,
    /// The index behind the last event that a reader got.
    got: usize,
    /// How many readers there were. The last one gets the events.
    readers: u64,
    has_ended: bool,
    /// How many readers there were, with those that get nothing.
    made: u64,
    /// Who waits, by its number among all.
    waiting: Vec<(u64, Waker)>,
}

/// The client's end of the stream.
#[derive(Debug)]
pub(crate) struct Reader {
    events: Arc<Events>,
    /// Its number among all.
    id: u64,
    /// Which reader it is; `None` for one that gets nothing as long as another one reads.
    turn: Option<u64>,
    /// The index of the event that it reads from, once it may; `None` for the first that no reader got.
    from: Option<usize>,
}

impl Name {
    /// Reads a name; `None` if it is not one of ours.
    pub(crate) fn read(name: &str) -> Option<Self> {
        let (event, of) = match name.split_once('/') {
            Some((event, request)) => (event, Some(request.parse().ok()?)),
            None => (name, None),
        };
        Some(Self { event: event.parse().ok()?, of })
    }
}

impl fmt::Display for Name {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.of {
            Some(request) => write!(out, "{}/{request}", self.event),
            None => write!(out, "{}", self.event),
        }
    }
}

impl Events {
    /// A stream whose first event has this index.
    pub(crate) fn from(first: usize, of: Option<u64>) -> Arc<Self> {
        let (kept, waiting) = (VecDeque::new(), Vec::new());
        let (got, readers, has_ended, made) = (first, 0, false, 0);
        let state = State { kept, first, next: None, got, readers, has_ended, made, waiting };
        Arc::new(Self { of, state: Mutex::new(state), fewer: Notify::new() })
    }

    /// Reads a stream that has ended, of one event that is written already and has this index.
    pub(crate) fn read_one(index: usize, of: Option<u64>, written: Bytes) -> Reader {
        let events = Self::from(index, of);
        events.push(Event::Written(written));
        events.end();
        events.read(index)
    }

    /// The name of the event that is added next.
    pub(crate) fn next_name(&self) -> Name {
        Name { event: self.lock().end(), of: self.of }
    }

    /// Adds an event, under the next name.
    pub(crate) fn say(&self, mut event: ServerSseMessage) {
        event.event_id = Some(self.next_name().to_string());
        self.push(Event::Said(event));
    }

    /// Adds an event that has its name.
    pub(crate) fn push(&self, event: Event) {
        let mut state = self.lock();
        state.kept.push_back(event);
        state.trim();
        state.wake();
    }

    /// Adds nothing any more.
    pub(crate) fn end(&self) {
        let mut state = self.lock();
        state.has_ended = true;
        state.wake();
        drop(state);
        self.fewer.notify_waiters();
    }

    /// Reads from an event on. Who reads already gets nothing more.
    pub(crate) fn read(self: &Arc<Self>, next: usize) -> Reader {
        let mut state = self.lock();
        let turn = Some(state.give_turn(next));
        state.wake();
        // There may be less to read than for the one before.
        self.fewer.notify_waiters();
        Reader { events: Arc::clone(self), id: state.make(), turn, from: Some(next) }
    }

    /// Reads from an event on, or from the first that no reader got. If somebody reads already, it gets nothing until that
    /// one goes away.
    ///
    /// The other one cannot be ended: both may belong to one client that opens again what ends, for ever.
    pub(crate) fn read_if_free(self: &Arc<Self>, from: Option<usize>) -> Reader {
        Reader { events: Arc::clone(self), id: self.lock().make(), turn: None, from }
    }

    /// Waits until a client that reads has read most of it.
    pub(crate) async fn room(&self) {
        loop {
            let fewer = self.fewer.notified();
            if !self.lock().is_full() {
                return;
            }
            fewer.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The index of the event that comes next.
    fn end(&self) -> usize {
        self.first + self.kept.len()
    }

    fn is_full(&self) -> bool {
        let unread = self.next.map(|next| self.end().saturating_sub(next));
        !self.has_ended && unread.is_some_and(|unread| unread >= KEPT)
    }

    /// Forgets the oldest events, but none that the reader still gets.
    fn trim(&mut self) {
        while self.kept.len() > KEPT && self.next.is_none_or(|next| self.first < next) {
            self.kept.pop_front();
            self.first += 1;
        }
    }

    fn wake(&mut self) {
        self.waiting.drain(..).for_each(|(_, waker)| waker.wake());
    }

    fn make(&mut self) -> u64 {
        self.made += 1;
        self.made
    }

    /// Lets a reader read from an event on, and gives its number.
    fn give_turn(&mut self, next: usize) -> u64 {
        self.next = Some(next.min(self.end()));
        self.readers += 1;
        self.readers
    }

    fn next_event(&mut self) -> Option<Event> {
        let next = self.next?.max(self.first);
        let event = self.kept.get(next - self.first)?.clone();
        self.next = Some(next + 1);
        self.got = self.got.max(next + 1);
        self.trim();
        Some(event)
    }
}

impl Stream for Reader {
    type Item = Event;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Event>> {
        let Self { events, id, turn, from } = self.get_mut();
        let mut state = events.lock();
        if turn.is_none() && state.next.is_none() {
            let from = from.unwrap_or(state.got);
            *turn = Some(state.give_turn(from));
        }
        if let Some(turn) = turn {
            if *turn != state.readers {
                return Poll::Ready(None);
            }
            let was_full = state.is_full();
            if let Some(event) = state.next_event() {
                if was_full && !state.is_full() {
                    events.fewer.notify_waiters();
                }
                return Poll::Ready(Some(event));
            }
        }
        if state.has_ended {
            return Poll::Ready(None);
        }
        state.waiting.retain(|(of, _)| of != id);
        state.waiting.push((*id, context.waker().clone()));
        Poll::Pending
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut state = self.events.lock();
        state.waiting.retain(|(of, _)| *of != self.id);
        if self.turn == Some(state.readers) {
            state.next = None;
            state.trim();
            // Another one may read now.
            state.wake();
            drop(state);
            self.events.fewer.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::{FutureExt as _, StreamExt as _};

    use super::*;

    fn push(events: &Events, count: usize) {
        for _ in 0..count {
            events.say(ServerSseMessage::retry(Duration::from_secs(1)));
        }
    }

    /// The names of the events that are there for a reader, and whether its stream has ended.
    fn read(reader: &mut Reader) -> (Vec<String>, bool) {
        let mut names = Vec::new();
        loop {
            match reader.next().now_or_never() {
                Some(Some(Event::Said(event))) => names.push(event.event_id.unwrap()),
                Some(Some(Event::Written(_))) => unreachable!("nobody has written one"),
                Some(None) => return (names, true),
                None => return (names, false),
            }
        }
    }

    #[test]
    fn a_client_that_comes_back_gets_what_it_has_missed() {
        let events = Events::from(0, Some(7));
        push(&events, 3);
        let mut reader = events.read(0);
        assert_eq!(read(&mut reader).0, ["0/7", "1/7", "2/7"]);
        let mut again = events.read(2);
        push(&events, 1);
        events.end();
        assert_eq!(read(&mut again), (vec!["2/7".to_owned(), "3/7".to_owned()], true));
        assert_eq!(read(&mut reader), (vec![], true), "the other one gets them");
        drop(reader);
        assert_eq!(events.lock().next, Some(4), "the other one reads");
    }

    #[test]
    fn what_nobody_reads_is_forgotten_and_what_somebody_reads_is_not() {
        let events = Events::from(1, None);
        push(&events, KEPT + 2);
        let mut reader = events.read(0);
        push(&events, KEPT);
        let (names, _) = read(&mut reader);
        assert_eq!((names.len(), names.first().unwrap().as_str()), (2 * KEPT, "3"));
        assert_eq!(events.lock().kept.len(), KEPT);
    }

    #[test]
    fn who_sends_waits_for_a_client_that_reads_and_for_no_other() {
        let events = Events::from(0, None);
        push(&events, KEPT);
        assert!(events.room().now_or_never().is_some(), "nobody reads");
        let mut reader = events.read(0);
        let mut room = Box::pin(events.room());
        assert!(room.as_mut().now_or_never().is_none());
        assert!(reader.next().now_or_never().is_some());
        assert!(room.now_or_never().is_some());
        push(&events, 1);
        let mut room = Box::pin(events.room());
        assert!(room.as_mut().now_or_never().is_none());
        drop(reader);
        assert!(room.now_or_never().is_some(), "it has gone away");
    }

    /// Before, a client that opened its stream anew was told once more what it had been told.
    #[test]
    fn a_stream_from_no_event_begins_with_what_nobody_got() {
        let events = Events::from(1, None);
        push(&events, 2);
        let mut first = events.read_if_free(None);
        let mut second = events.read_if_free(None);
        assert_eq!(read(&mut first).0, ["1", "2"]);
        push(&events, 1);
        drop(first);
        assert_eq!(read(&mut second).0, ["3"]);
        drop(second);
        assert_eq!(read(&mut events.read_if_free(None)), (vec![], false));
        // One that knows less, which names it, gets more.
        assert_eq!(read(&mut events.read_if_free(Some(1))).0, ["1", "2", "3"]);
        assert_eq!(read(&mut events.read_if_free(None)), (vec![], false));
    }

    #[test]
    fn a_second_stream_of_what_belongs_to_no_request_is_open_and_gets_nothing() {
        let events = Events::from(1, None);
        let (mut first, mut second) = (events.read_if_free(Some(0)), events.read_if_free(Some(0)));
        push(&events, 1);
        assert_eq!((read(&mut first).0.len(), read(&mut second)), (1, (vec![], false)));
        drop(second);
        push(&events, 1);
        assert_eq!(read(&mut first).0.len(), 1);
        // It takes over when the first one goes away.
        let mut second = events.read_if_free(Some(2));
        assert_eq!(read(&mut second), (vec![], false));
        drop(first);
        assert_eq!(read(&mut second), (vec!["2".to_owned()], false));
        drop(second);
        assert_eq!(events.lock().waiting.len(), 0);
        let mut third = events.read_if_free(Some(2));
        assert_eq!(read(&mut third), (vec!["2".to_owned()], false));
        events.end();
        assert_eq!(read(&mut third), (vec![], true));
    }
}
