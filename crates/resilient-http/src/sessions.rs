//! The sessions of one workspace: whose each is, and whether it is awake or asleep.
//!
//! A session that is awake has two tasks of the SDK, and their queues. One that is quiet for a while is put to sleep, and
//! one that is quiet makes room for others: the SDK ends it, and what it has to remember stays here. Its next request wakes
//! it. No client sees a difference. A session to which something may be told unasked stays awake.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use http::{HeaderMap, HeaderName, HeaderValue, header};
use resilient_mcp::Caller;
use tokio::sync::watch;

use crate::answers::{Answers, Stock};
use crate::hosted::Hosted;
use crate::limits::{AWAKE_MAX, GREETED_IDLE, KEPT_HEAD_MAX, QUIET, SESSION_IDLE};

/// All sessions.
#[derive(Debug)]
pub(crate) struct Sessions<S> {
    all: Mutex<HashMap<String, Session<S>>>,
    /// What their answers are counted in.
    stock: Stock,
}

/// One session.
#[derive(Debug)]
struct Session<S> {
    /// Who began it: nobody else may go on with it.
    owner: Option<Caller>,
    /// What the client began it with, as JSON; `None` until the handshake is done.
    began: Option<Box<[u8]>>,
    /// The server as the session has it, from its first request on.
    server: Option<S>,
    state: State,
    /// How many requests are at work.
    at_work: usize,
    /// When the last request came, or was done.
    since: Instant,
    /// How often it was awake: the SDK numbers the requests anew each time.
    life: u32,
    /// Its last answers, for a client that comes back; and whether its client has gone on behind the handshake.
    answers: Arc<Answers>,
    /// The head of a call that the SDK has taken.
    taken: Option<Head>,
    /// Whether something may be told unasked. The streams that wait for that watch it.
    is_told: watch::Sender<bool>,
}

#[derive(Debug)]
enum State {
    Awake,
    /// The SDK is ending it. Dropping this says that it has.
    Leaving(watch::Sender<()>),
    Asleep,
}

/// What the SDK checks in the head of a call that names no version: it takes or refuses all that are the same here.
///
/// From version 2026-07-28 on, a head also says what is in the body. The SDK refuses such a head if the call names no version.
#[derive(Debug)]
pub(crate) struct Head([Option<HeaderValue>; 3]);

static CHECKED: [HeaderName; 3] =
    [header::ACCEPT, header::CONTENT_TYPE, HeaderName::from_static("mcp-protocol-version")];

/// A session that another client has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotYours;

/// A request at work, until it is dropped. The session stays awake meanwhile.
pub(crate) struct AtWork<S> {
    of: Arc<Sessions<S>>,
    id: String,
}

impl<S> Default for Sessions<S> {
    fn default() -> Self {
        Self { all: Mutex::default(), stock: Stock::default() }
    }
}

impl<S> Sessions<S> {
    /// How many there are, awake or asleep.
    pub(crate) fn count(&self) -> usize {
        self.lock().len()
    }

    /// Begins a request of a session; `None` if there is no such session.
    ///
    /// # Errors
    /// The session is another client's.
    pub(crate) async fn enter(
        self: &Arc<Self>,
        id: &str,
        caller: &Caller,
    ) -> Result<Option<AtWork<S>>, NotYours> {
        loop {
            let mut left = {
                let mut all = self.lock();
                let Some(session) = all.get_mut(id) else { return Ok(None) };
                if session.owner.as_ref().is_some_and(|owner| owner != caller) {
                    return Err(NotYours);
                }
                match &session.state {
                    State::Leaving(left) => left.subscribe(),
                    State::Awake | State::Asleep => {
                        session.at_work += 1;
                        session.since = Instant::now();
                        return Ok(Some(AtWork { of: Arc::clone(self), id: id.to_owned() }));
                    }
                }
            };
            // Nothing is ever sent.
            let _ = left.changed().await;
        }
    }

    /// A session has begun. Gives where its answers are kept.
    pub(crate) fn begin(&self, id: &str) -> Arc<Answers> {
        let answers = Answers::new(self.stock.clone());
        let session = Session {
            owner: None,
            began: None,
            server: None,
            state: State::Awake,
            at_work: 0,
            since: Instant::now(),
            life: 0,
            answers: Arc::clone(&answers),
            taken: None,
            is_told: watch::Sender::new(false),
        };
        self.lock().insert(id.to_owned(), session);
        answers
    }

    /// Its handshake is done.
    pub(crate) fn greeted(&self, id: &str, began: Box<[u8]>) {
        self.with(id, |session| session.began = Some(began));
    }

    /// It belongs to this client.
    pub(crate) fn own(&self, id: &str, caller: Caller) {
        self.with(id, |session| session.owner = Some(caller));
    }

    /// What a session that sleeps was begun with.
    pub(crate) fn began(&self, id: &str) -> Option<Box<[u8]>> {
        let all = self.lock();
        let session = all.get(id).filter(|it| matches!(it.state, State::Asleep))?;
        session.began.clone()
    }

    /// It is awake again, in the life with this number, and has these answers; none if it has ended meanwhile.
    pub(crate) fn woke(&self, id: &str) -> Option<(u32, Arc<Answers>)> {
        let mut all = self.lock();
        let session = all.get_mut(id)?;
        session.state = State::Awake;
        session.life = session.life.wrapping_add(1);
        Some((session.life, Arc::clone(&session.answers)))
    }

    /// The SDK has ended it: it sleeps, if it was to; otherwise it is gone.
    pub(crate) fn ended(&self, id: &str) {
        let mut all = self.lock();
        match all.get_mut(id) {
            Some(session) if matches!(session.state, State::Leaving(_)) => {
                session.state = State::Asleep;
            }
            _ => drop(all.remove(id)),
        }
    }

    /// The answers that are kept of a session.
    pub(crate) fn answers(&self, id: &str) -> Option<Arc<Answers>> {
        self.lock().get(id).map(|session| Arc::clone(&session.answers))
    }

    /// Something may be told to its client unasked, from now on.
    pub(crate) fn tell(&self, id: &str) {
        self.with(id, |session| session.is_told.send_replace(true));
    }

    /// Whether something may be told to its client unasked; a change is received, and so is the end of the session.
    pub(crate) fn is_told(&self, id: &str) -> Option<watch::Receiver<bool>> {
        self.lock().get(id).map(|session| session.is_told.subscribe())
    }

    /// The server as the session has it, made if need be; `None` if there is no such session.
    pub(crate) fn server(&self, id: &str, made: impl FnOnce() -> S) -> Option<S>
    where
        S: Clone,
    {
        self.lock().get_mut(id).map(|session| session.server.get_or_insert_with(made).clone())
    }

    /// Whether the SDK has taken a call in it.
    #[cfg(test)]
    pub(crate) fn has_taken(&self, id: &str) -> bool {
        self.lock().get(id).is_some_and(|session| session.taken.is_some())
    }

    fn with<R>(&self, id: &str, change: impl FnOnce(&mut Session<S>) -> R) {
        if let Some(session) = self.lock().get_mut(id) {
            change(session);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Session<S>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Hosted> Sessions<S> {
    /// Forgets those without a request for long, and answers that are kept for long. Names those that the SDK has to end
    /// now: of these, and those that are quiet and may sleep.
    pub(crate) fn sweep(&self, now: Instant) -> Vec<String> {
        let mut leaving = Vec::new();
        self.lock().retain(|id, it| {
            it.answers.forget(now);
            let quiet = now.saturating_duration_since(it.since);
            let patience = if it.answers.has_gone_on() { SESSION_IDLE } else { GREETED_IDLE };
            let is_over = it.at_work == 0 && quiet >= patience;
            match it.state {
                State::Asleep => !is_over,
                State::Awake if it.may_sleep() && quiet >= QUIET => {
                    it.leave();
                    leaving.push(id.clone());
                    true
                }
                State::Awake if is_over && !it.may_sleep() => {
                    leaving.push(id.clone());
                    false
                }
                _ => true,
            }
        });
        leaving
    }

    /// Names the one that is quiet for the longest time if so many are awake that it has to make room for another.
    pub(crate) fn crowded_out(&self) -> Option<String> {
        let mut all = self.lock();
        let awake = all.values().filter(|it| matches!(it.state, State::Awake)).count();
        if awake < AWAKE_MAX {
            return None;
        }
        let tired = all.iter_mut().filter(|(_, it)| it.may_sleep());
        let (id, session) = tired.min_by_key(|(_, it)| it.since)?;
        session.leave();
        Some(id.clone())
    }
}

impl<S: Hosted> Session<S> {
    fn may_sleep(&self) -> bool {
        self.is_idle() && self.began.is_some() && !*self.is_told.borrow()
    }

    fn is_idle(&self) -> bool {
        matches!(self.state, State::Awake) && self.at_work == 0
    }

    fn leave(&mut self) {
        self.state = State::Leaving(watch::Sender::new(()));
        self.server.as_ref().inspect(|server| server.rest());
    }
}

impl Head {
    /// The head of a call; `None` if it has one of these fields twice, or they are long.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let fields = CHECKED.iter().filter_map(|name| headers.get(name));
        if fields.map(HeaderValue::len).sum::<usize>() > KEPT_HEAD_MAX {
            return None;
        }
        // Copied, since a header keeps all that was read with it.
        let copied = |name| HeaderValue::from_bytes(headers.get(name)?.as_bytes()).ok();
        let head = Self(CHECKED.each_ref().map(copied));
        head.is_of(headers).then_some(head)
    }

    fn is_of(&self, headers: &HeaderMap) -> bool {
        CHECKED.iter().zip(&self.0).all(|(name, value)| headers.get_all(name).iter().eq(value))
    }
}

impl<S> AtWork<S> {
    /// The id of its session.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// The client has gone on behind the handshake.
    pub(crate) fn go_on(&self) {
        self.of.with(&self.id, |session| session.answers.go_on());
    }

    /// Whether the SDK has taken a call with this head in its session.
    pub(crate) fn has_taken(&self, headers: &HeaderMap) -> bool {
        let all = self.of.lock();
        let taken = all.get(&self.id).and_then(|session| session.taken.as_ref());
        taken.is_some_and(|head| head.is_of(headers))
    }

    /// The SDK has taken a call with this head.
    pub(crate) fn take_like(&self, head: Option<Head>) {
        self.of.with(&self.id, |session| session.taken = head);
    }
}

impl<S> Drop for AtWork<S> {
    fn drop(&mut self) {
        self.of.with(&self.id, |session| {
            session.at_work -= 1;
            session.since = Instant::now();
        });
    }
}

impl<S> fmt::Debug for AtWork<S> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("AtWork").field(&self.id).finish()
    }
}
