//! Keeps the sessions of the SDK: it begins and ends each, puts it to sleep, and wakes it.
//!
//! The SDK can begin a session again from what its client began it with, and plays the handshake to it once more. What
//! else there is to remember stands in `sessions`. A stream for what is told unasked is the SDK's only once there may be
//! something to tell; until then it waits here, and its session can sleep.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use futures_util::{Stream, StreamExt as _, stream};
use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, ServerJsonRpcMessage, ServerNotification};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::common::server_side_http::{ServerSseMessage, session_id};
use rmcp::transport::streamable_http_server::session::{
    EventStream, RestoreOutcome, SessionId, SessionManager, SessionState, SessionStore,
    SessionStoreError,
};

use crate::answers::Answers;
use crate::events::{Event, Name, Reader};
use crate::hosted::Hosted;
use crate::sessions::Sessions;
use crate::talk::{Ended, FromClient, Talk, Writer};

/// Why the SDK does not get what it asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The session has ended.
    Ended,
    /// There is no such event, or nothing behind it is kept.
    NoEvent,
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Ended => "the session has ended",
            Self::NoEvent => "there is no such event any more",
        })
    }
}

impl std::error::Error for Fault {}

impl From<Ended> for Fault {
    fn from(_: Ended) -> Self {
        Self::Ended
    }
}

/// The sessions that are awake.
#[derive(Clone, Default)]
struct Awake(Arc<Mutex<HashMap<SessionId, Arc<Talk>>>>);

/// The sessions of one workspace, for the SDK.
pub(crate) struct Keeper<S> {
    awake: Awake,
    pub(crate) sessions: Arc<Sessions<S>>,
}

impl<S: Hosted> Keeper<S> {
    pub(crate) fn new() -> Self {
        Self { awake: Awake::default(), sessions: Arc::default() }
    }

    /// Puts those to sleep that are quiet for a while, and forgets those that have slept for long.
    pub(crate) fn sweep(&self, now: Instant) {
        for id in self.sessions.sweep(now) {
            self.awake.end(&id);
        }
    }

    /// Puts one to sleep if so many are awake that another needs its room.
    fn make_room(&self) {
        if let Some(id) = self.sessions.crowded_out() {
            self.awake.end(&id);
        }
    }

    /// Whether the SDK has a session.
    pub(crate) fn is_awake(&self, id: &str) -> bool {
        self.awake.lock().contains_key(id)
    }

    /// What a session that is awake and its client say to each other.
    pub(crate) fn talk(&self, id: &str) -> Option<Arc<Talk>> {
        self.awake.talk(id).ok()
    }

    /// What comes behind an event of a request; `None` if nothing does, or it is not kept any more.
    pub(crate) fn behind(&self, id: &str, request: u64, event: usize) -> Option<Reader> {
        match self.talk(id) {
            Some(talk) => talk.behind(request, event),
            None => self.sessions.answers(id)?.behind(request, event),
        }
    }

    /// The answer to the handshake, as long as the client has not gone on.
    pub(crate) fn greeting(&self, id: &str) -> Option<Reader> {
        self.sessions.answers(id)?.greeting()
    }

    fn begin(&self, id: SessionId, life: u32, answers: Arc<Answers>) -> Overheard<S> {
        let (talk, from_client) = Talk::begin(life, answers);
        let talk = Arc::new(talk);
        self.awake.lock().insert(id.clone(), Arc::clone(&talk));
        Overheard { id, talk, from_client, sessions: Arc::clone(&self.sessions) }
    }

    /// The stream for what is told unasked, from behind an event on, or from what the client was not sent.
    fn unasked(&self, id: &SessionId, after: Option<usize>) -> Result<EventStream, Fault> {
        let (awake, id) = (self.awake.clone(), id.clone());
        let mut is_told = self.sessions.is_told(&id).ok_or(Fault::Ended)?;
        if *is_told.borrow() {
            return Ok(Box::pin(said(awake.talk(&id)?.unasked(after))));
        }
        let told = async move {
            // It ends with the session.
            is_told.wait_for(|is_told| *is_told).await.ok()?;
            Some(said(awake.talk(&id).ok()?.unasked(after)))
        };
        let told = stream::once(told).flat_map(|told| stream::iter(told).flatten());
        Ok(Box::pin(told))
    }
}

impl Awake {
    fn talk(&self, id: &str) -> Result<Arc<Talk>, Fault> {
        self.lock().get(id).cloned().ok_or(Fault::Ended)
    }

    /// Ends one, if it has not ended already.
    fn end(&self, id: &str) {
        let talk = self.lock().remove(id);
        if let Some(talk) = talk {
            talk.end();
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<Talk>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Hosted> SessionManager for Keeper<S> {
    type Error = Fault;
    type Transport = Overheard<S>;

    async fn create_session(&self) -> Result<(SessionId, Overheard<S>), Fault> {
        self.make_room();
        let id = session_id();
        let answers = self.sessions.begin(&id);
        Ok((id.clone(), self.begin(id, 0, answers)))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Fault> {
        Ok(self.awake.talk(id)?.greet(message).await?)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Fault> {
        Ok(self.awake.talk(id).is_ok())
    }

    /// The SDK calls this for a `DELETE`, and once more when the tasks of a session have ended.
    async fn close_session(&self, id: &SessionId) -> Result<(), Fault> {
        self.awake.end(id);
        self.sessions.ended(id);
        Ok(())
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Fault> {
        Ok(said(self.awake.talk(id)?.ask(message, Writer::Sdk)?))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Fault> {
        Ok(self.awake.talk(id)?.note(message)?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Fault> {
        self.unasked(id, None)
    }

    async fn resume(
        &self,
        id: &SessionId,
        after: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Fault> {
        match Name::read(&after) {
            Some(Name { event, of: None }) => self.unasked(id, Some(event)),
            // Who comes back for the answer to a request gets it without the SDK.
            _ => Err(Fault::NoEvent),
        }
    }

    async fn restore_session(&self, id: SessionId) -> Result<RestoreOutcome<Overheard<S>>, Fault> {
        self.make_room();
        // Nobody would know whose it is if it has ended meanwhile.
        let life = self.sessions.woke(&id);
        Ok(life.map_or(RestoreOutcome::NotSupported, |(life, answers)| {
            RestoreOutcome::Restored(self.begin(id, life, answers))
        }))
    }
}

#[async_trait::async_trait]
impl<S: Hosted> SessionStore for Sessions<S> {
    async fn load(&self, id: &str) -> Result<Option<SessionState>, SessionStoreError> {
        let began = self.began(id);
        let began = began.map(|began| serde_json::from_slice(&began)).transpose()?;
        Ok(began.map(SessionState::new))
    }

    async fn store(&self, id: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        self.greeted(id, serde_json::to_vec(&state.initialize_params)?.into_boxed_slice());
        Ok(())
    }

    /// A session that has ended is gone already.
    async fn delete(&self, _id: &str) -> Result<(), SessionStoreError> {
        Ok(())
    }
}

/// What a session and its client say to each other: this notices whether something may be told unasked.
pub(crate) struct Overheard<S> {
    id: SessionId,
    talk: Arc<Talk>,
    from_client: FromClient,
    sessions: Arc<Sessions<S>>,
}

impl<S: Hosted> Transport<RoleServer> for Overheard<S> {
    type Error = Fault;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        if is_unasked(&message) {
            self.sessions.tell(&self.id);
        }
        let events = self.talk.say(message, Instant::now());
        async move {
            if let Some(events) = events {
                events.room().await;
            }
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.from_client.recv().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.talk.end();
        Ok(())
    }
}

/// Events for the SDK, which writes them.
fn said(reader: Reader) -> impl Stream<Item = ServerSseMessage> + Send + Sync + 'static {
    reader.filter_map(async |event| match event {
        Event::Said(event) => Some(event),
        Event::Written(_) => None,
    })
}

/// Whether a message belongs to no request at work.
fn is_unasked(message: &ServerJsonRpcMessage) -> bool {
    match message {
        JsonRpcMessage::Notification(told) => !matches!(
            told.notification,
            ServerNotification::ProgressNotification(_)
                | ServerNotification::CancelledNotification(_)
        ),
        JsonRpcMessage::Request(_) => true,
        JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => false,
    }
}

#[cfg(test)]
pub(crate) mod tests;
