//! Keeps the sessions of the SDK: it begins and ends each, puts it to sleep, and wakes it.
//!
//! The SDK can begin a session again from what its client began it with, and plays the handshake to it once more. What
//! else there is to remember stands in `sessions`. A stream for what is told unasked is the SDK's only once there may be
//! something to tell; until then it waits here, and its session can sleep.

use std::sync::Arc;
use std::time::Instant;

use futures_util::{Stream, StreamExt as _, stream};
use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, ServerJsonRpcMessage, ServerNotification,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::common::server_side_http::ServerSseMessage;
use rmcp::transport::streamable_http_server::session::local::{
    EventIdParseError, LocalSessionManager, LocalSessionManagerError, LocalSessionWorker,
};
use rmcp::transport::streamable_http_server::session::{
    EventStream, RestoreOutcome, SessionId, SessionManager, SessionState, SessionStore,
    SessionStoreError,
};
use rmcp::transport::{Transport, WorkerTransport};

use crate::hosted::Hosted;
use crate::sessions::Sessions;

type Fault = LocalSessionManagerError;
type Worker = WorkerTransport<LocalSessionWorker>;

/// The sessions of one workspace, for the SDK.
pub(crate) struct Keeper<S> {
    awake: Arc<LocalSessionManager>,
    pub(crate) sessions: Arc<Sessions<S>>,
}

impl<S: Hosted> Keeper<S> {
    pub(crate) fn new(awake: LocalSessionManager) -> Self {
        Self { awake: Arc::new(awake), sessions: Arc::default() }
    }

    /// Puts those to sleep that are quiet for a while, and forgets those that have slept for long.
    pub(crate) async fn sweep(&self, now: Instant) {
        for id in self.sessions.sweep(now) {
            self.put_to_sleep(id).await;
        }
    }

    /// Puts one to sleep if so many are awake that another needs its room.
    async fn make_room(&self) {
        if let Some(id) = self.sessions.crowded_out() {
            self.put_to_sleep(id).await;
        }
    }

    /// Whether the SDK has a session.
    pub(crate) async fn is_awake(&self, id: &str) -> bool {
        self.awake.sessions.read().await.contains_key(id)
    }

    async fn put_to_sleep(&self, id: String) {
        // The worker may have ended already.
        let _ = self.awake.close_session(&id.into()).await;
    }

    fn overheard(&self, id: SessionId, worker: Worker) -> Overheard<S> {
        Overheard { id, worker, sessions: Arc::clone(&self.sessions) }
    }

    /// The stream for what is told unasked.
    async fn unasked(&self, id: &SessionId, after: Option<String>) -> Result<EventStream, Fault> {
        let (awake, id) = (Arc::clone(&self.awake), id.clone());
        let Some(mut is_told) = self.sessions.is_told(&id) else {
            return Err(Fault::SessionNotFound(id));
        };
        if *is_told.borrow() {
            return begun(awake, id, after).await;
        }
        let told = async move {
            // It ends with the session.
            is_told.wait_for(|is_told| *is_told).await.ok()?;
            // On its own: this has to be `Sync`.
            tokio::spawn(begun(awake, id, after)).await.ok()?.ok()
        };
        let none = || -> EventStream { Box::pin(stream::empty()) };
        Ok(Box::pin(stream::once(told).flat_map(move |told| told.unwrap_or_else(none))))
    }
}

/// The SDK's stream for what is told unasked, with what came since an event.
async fn begun(
    awake: Arc<LocalSessionManager>,
    id: SessionId,
    after: Option<String>,
) -> Result<EventStream, Fault> {
    Ok(match after {
        None => Box::pin(awake.create_standalone_stream(&id).await?),
        Some(after) => Box::pin(awake.resume(&id, after).await?),
    })
}

impl<S: Hosted> SessionManager for Keeper<S> {
    type Error = Fault;
    type Transport = Overheard<S>;

    async fn create_session(&self) -> Result<(SessionId, Overheard<S>), Fault> {
        self.make_room().await;
        let (id, worker) = self.awake.create_session().await?;
        self.sessions.begin(&id);
        Ok((id.clone(), self.overheard(id, worker)))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Fault> {
        self.awake.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Fault> {
        self.awake.has_session(id).await
    }

    /// The SDK calls this for a `DELETE`, and once more when the tasks of a session have ended.
    async fn close_session(&self, id: &SessionId) -> Result<(), Fault> {
        let closed = self.awake.close_session(id).await;
        self.sessions.ended(id);
        closed
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Fault> {
        let life = self.sessions.life(id);
        let events = self.awake.create_stream(id, message).await?;
        Ok(events.map(move |event| told_in(life, event)))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Fault> {
        self.awake.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Fault> {
        self.unasked(id, None).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        after: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Fault> {
        let Some((event, request)) = after.split_once('/') else {
            // Before anything waits.
            after.parse::<usize>().map_err(EventIdParseError::InvalidIndex)?;
            return self.unasked(id, Some(after)).await;
        };
        let life = self.sessions.life(id);
        let request: u64 = request.parse().map_err(EventIdParseError::InvalidIndex)?;
        if request >> 32 != u64::from(life) {
            // Of a request that is long done.
            return Err(EventIdParseError::MissingRequestId.into());
        }
        let after = format!("{event}/{}", request & u64::from(u32::MAX));
        let events = self.awake.resume(id, after).await?;
        Ok(Box::pin(events.map(move |event| told_in(life, event))) as EventStream)
    }

    async fn restore_session(&self, id: SessionId) -> Result<RestoreOutcome<Overheard<S>>, Fault> {
        self.make_room().await;
        Ok(match self.awake.restore_session(id.clone()).await? {
            RestoreOutcome::Restored(worker) if self.sessions.woke(&id) => {
                RestoreOutcome::Restored(self.overheard(id, worker))
            }
            RestoreOutcome::Restored(_) => {
                // Nobody would know whose it is.
                self.awake.close_session(&id).await?;
                RestoreOutcome::NotSupported
            }
            RestoreOutcome::AlreadyPresent => RestoreOutcome::AlreadyPresent,
            _ => RestoreOutcome::NotSupported,
        })
    }
}

/// The event of a request, named so that no other life of its session has one of the same name.
fn told_in(life: u32, mut event: ServerSseMessage) -> ServerSseMessage {
    if life > 0
        && let Some((index, request)) = event.event_id.as_deref().and_then(|id| id.split_once('/'))
        && let Ok(request) = request.parse::<u64>()
    {
        event.event_id = Some(format!("{index}/{}", u64::from(life) << 32 | request));
    }
    event
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
    worker: Worker,
    sessions: Arc<Sessions<S>>,
}

impl<S: Hosted> Transport<RoleServer> for Overheard<S> {
    type Error = <Worker as Transport<RoleServer>>::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        if is_unasked(&message) {
            self.sessions.tell(&self.id);
        }
        self.worker.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let message = self.worker.receive().await;
        if message.as_ref().is_some_and(wants_to_be_told) {
            self.sessions.tell(&self.id);
        }
        message
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.worker.close().await
    }
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

fn wants_to_be_told(message: &ClientJsonRpcMessage) -> bool {
    let JsonRpcMessage::Request(asked) = message else { return false };
    matches!(asked.request, ClientRequest::SetLevelRequest(_) | ClientRequest::SubscribeRequest(_))
}

#[cfg(test)]
mod tests;
