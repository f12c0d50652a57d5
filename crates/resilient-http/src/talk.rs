//! What a session that is awake and its client say to each other.
//!
//! A message of the client goes straight to the loop of the SDK, and a message of the server straight to the stream that
//! it belongs to: no task stands between. The SDK knows each request by a number of ours, which no other request of the session has.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rmcp::RoleServer;
use rmcp::model::{
    CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification, GetExtensions as _,
    GetMeta as _, JsonRpcMessage, Notification, ProgressToken, RequestId, ServerJsonRpcMessage,
    ServerNotification,
};
use rmcp::service::{OriginatingRequestId, RxJsonRpcMessage};
use rmcp::transport::common::server_side_http::ServerSseMessage;
use tokio::sync::{mpsc, oneshot};

use crate::answers::{Answers, for_later};
use crate::encoded::written;
use crate::events::{Event, Events, Reader};
use crate::limits::COMES_BACK;

/// What the client says, for the loop of the SDK.
pub(crate) type FromClient = mpsc::UnboundedReceiver<RxJsonRpcMessage<RoleServer>>;

/// The session has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ended;

/// One session that is awake.
#[derive(Debug)]
pub(crate) struct Talk {
    state: Mutex<State>,
    /// Those of the session in all its lives.
    answers: Arc<Answers>,
}

#[derive(Debug)]
struct State {
    /// `None` once the session ends.
    to_sdk: Option<mpsc::UnboundedSender<RxJsonRpcMessage<RoleServer>>>,
    /// Where the answer to the handshake goes.
    greeted: Option<oneshot::Sender<ServerJsonRpcMessage>>,
    /// The number of the next request.
    next: u64,
    /// The requests that are neither answered nor cancelled.
    asked: HashMap<u64, Asked>,
    /// What belongs to no request.
    unasked: Arc<Events>,
}

#[derive(Debug)]
struct Asked {
    /// The id that the client gave it.
    id: RequestId,
    token: Option<ProgressToken>,
    writer: Writer,
    events: Arc<Events>,
}

/// Who writes the answer to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writer {
    Sdk,
    Ours,
}

impl Talk {
    /// A session in one of its lives. Its answers are kept also when it ends.
    pub(crate) fn begin(life: u32, answers: Arc<Answers>) -> (Self, FromClient) {
        let (to_sdk, from_client) = mpsc::unbounded_channel();
        let state = State {
            to_sdk: Some(to_sdk),
            greeted: None,
            next: u64::from(life) << 32,
            asked: HashMap::new(),
            // The SDK begins this stream with an event that it calls 0.
            unasked: Events::from(1, None),
        };
        (Self { state: Mutex::new(state), answers }, from_client)
    }

    /// Hands on the handshake, and waits for its answer.
    ///
    /// # Errors
    /// The session has ended.
    pub(crate) async fn greet(
        &self,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Ended> {
        let (answer, answered) = oneshot::channel();
        {
            let mut state = self.lock();
            state.greeted = Some(answer);
            state.hand_on(message)?;
        }
        answered.await.map_err(|_| Ended)
    }

    /// Hands on a request, and gives the stream of its answer.
    ///
    /// # Errors
    /// The session has ended.
    pub(crate) fn ask(
        &self,
        mut message: ClientJsonRpcMessage,
        writer: Writer,
    ) -> Result<Reader, Ended> {
        let mut state = self.lock();
        let number = state.next;
        state.next += 1;
        let events = Events::from(0, Some(number));
        // It has only a name, for a client that comes back.
        events.say(ServerSseMessage::retry(COMES_BACK));
        if let JsonRpcMessage::Request(request) = &mut message {
            let id = std::mem::replace(&mut request.id, named(number));
            let token = request.request.get_meta().get_progress_token();
            let asked = Asked { id, token, writer, events: Arc::clone(&events) };
            state.asked.insert(number, asked);
        }
        state.hand_on(message)?;
        Ok(events.read(0))
    }

    /// Hands on what is not answered.
    ///
    /// # Errors
    /// The session has ended.
    pub(crate) fn note(&self, mut message: ClientJsonRpcMessage) -> Result<(), Ended> {
        let mut state = self.lock();
        if let JsonRpcMessage::Notification(noted) = &mut message
            && let ClientNotification::CancelledNotification(cancelled) = &mut noted.notification
            && let Some(id) = &mut cancelled.params.request_id
        {
            let number = state.number_of(id);
            // What is answered already has no number, and the client's own may be that of another request.
            *id = number.map_or_else(|| RequestId::String("answered".into()), named);
            let asked = number.and_then(|number| state.asked.remove(&number));
            asked.inspect(|asked| asked.events.end());
        }
        state.hand_on(message)
    }

    /// Sends what the server says to the stream that it belongs to. Gives the stream if more may come on it.
    pub(crate) fn say(
        &self,
        mut message: ServerJsonRpcMessage,
        now: Instant,
    ) -> Option<Arc<Events>> {
        let mut state = self.lock();
        let id = match &mut message {
            JsonRpcMessage::Response(answer) => Some(&mut answer.id),
            JsonRpcMessage::Error(answer) => answer.id.as_mut(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        let Some(id) = id else {
            let events = Arc::clone(state.events_of(&message).unwrap_or(&state.unasked));
            events.say(ServerSseMessage::from_message(message));
            return Some(events);
        };
        if let Some(greeted) = state.greeted.take() {
            // In a later life, the handshake is played to the SDK once more.
            if state.next == 0 {
                self.answers.greet(written(&ServerSseMessage::from_message(message.clone())));
            }
            if greeted.send(message).is_err() {
                // The client has gone away, and knows no session.
                state.end();
            }
            return None;
        }
        let number = number(id)?;
        let asked = state.asked.remove(&number)?;
        *id = asked.id;
        let name = asked.events.next_name();
        let named = |message| {
            let mut event = ServerSseMessage::from_message(message);
            event.event_id = Some(name.to_string());
            event
        };
        let later = for_later(&message).map(|message| written(&named(message)));
        let event = named(message);
        let bytes = later.unwrap_or_else(|| written(&event));
        asked.events.push(match asked.writer {
            Writer::Ours => Event::Written(bytes.clone()),
            Writer::Sdk => Event::Said(event),
        });
        asked.events.end();
        self.answers.keep(name, bytes, now);
        None
    }

    /// The stream of what belongs to no request, from behind an event on, or from what no reader got.
    pub(crate) fn unasked(&self, after: Option<usize>) -> Reader {
        self.lock().unasked.read_if_free(after.map(|after| after.saturating_add(1)))
    }

    /// What comes behind an event of a request; `None` if nothing does, or it is not kept any more.
    pub(crate) fn behind(&self, request: u64, event: usize) -> Option<Reader> {
        let state = self.lock();
        match state.asked.get(&request) {
            Some(asked) => Some(asked.events.read(event.saturating_add(1))),
            None => self.answers.behind(request, event),
        }
    }

    /// Ends the session, and all its streams.
    pub(crate) fn end(&self) {
        self.lock().end();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn hand_on(&mut self, message: ClientJsonRpcMessage) -> Result<(), Ended> {
        let to_sdk = self.to_sdk.as_ref().ok_or(Ended)?;
        to_sdk.send(message).map_err(|_| Ended)
    }

    /// The number of the last request with an id: one before may go on whose client has gone away.
    fn number_of(&self, id: &RequestId) -> Option<u64> {
        let of_id = self.asked.iter().filter(|(_, asked)| asked.id == *id);
        of_id.map(|(number, _)| *number).max()
    }

    /// The stream of the request that a message belongs to.
    fn events_of(&self, message: &ServerJsonRpcMessage) -> Option<&Arc<Events>> {
        let asked = match message {
            JsonRpcMessage::Request(asks) => {
                let of = asks.request.extensions().get::<OriginatingRequestId>()?;
                self.asked.get(&number(&of.0)?)
            }
            JsonRpcMessage::Notification(told) => match &told.notification {
                ServerNotification::ProgressNotification(step) => {
                    let token = Some(&step.params.progress_token);
                    let of_token =
                        self.asked.iter().filter(|(_, asked)| asked.token.as_ref() == token);
                    of_token.max_by_key(|(number, _)| **number).map(|(_, asked)| asked)
                }
                _ => None,
            },
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => None,
        };
        asked.map(|asked| &asked.events)
    }

    fn end(&mut self) {
        // Nobody waits for what is still at work.
        for (number, asked) in std::mem::take(&mut self.asked) {
            let params = CancelledNotificationParam::new(Some(named(number)), None);
            let cancelled = ClientNotification::CancelledNotification(Notification::new(params));
            // If the SDK has ended, its requests have.
            let _ = self.hand_on(ClientJsonRpcMessage::notification(cancelled));
            asked.events.end();
        }
        (self.to_sdk, self.greeted) = (None, None);
        self.unasked.end();
    }
}

/// A number as the SDK knows it.
fn named(number: u64) -> RequestId {
    RequestId::Number(number.cast_signed())
}

fn number(id: &RequestId) -> Option<u64> {
    match id {
        RequestId::Number(number) => u64::try_from(*number).ok(),
        RequestId::String(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt as _, StreamExt as _};
    use serde_json::{Value, json};

    use super::*;
    use crate::answers::Stock;
    use crate::limits::ANSWERS_KEPT_BYTES;

    fn begin(life: u32) -> (Talk, FromClient) {
        Talk::begin(life, Answers::new(Stock::default()))
    }

    fn from_client(message: Value) -> ClientJsonRpcMessage {
        serde_json::from_value(message).unwrap()
    }

    fn call(id: Value) -> ClientJsonRpcMessage {
        let params = json!({"name": "x", "_meta": {"progressToken": id}});
        from_client(json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
    }

    fn ask(talk: &Talk, message: ClientJsonRpcMessage) -> Result<Reader, Ended> {
        talk.ask(message, Writer::Ours)
    }

    fn cancel(id: Value) -> ClientJsonRpcMessage {
        let params = json!({"requestId": id});
        let method = "notifications/cancelled";
        from_client(json!({"jsonrpc": "2.0", "method": method, "params": params}))
    }

    fn say(talk: &Talk, message: Value) {
        talk.say(serde_json::from_value(message).unwrap(), Instant::now());
    }

    fn answer(id: Value) -> Value {
        json!({"jsonrpc": "2.0", "id": id, "result": {"content": []}})
    }

    /// What the SDK is handed.
    fn handed(from_client: &mut FromClient) -> Value {
        serde_json::to_value(from_client.try_recv().unwrap()).unwrap()
    }

    /// The message of an event as it is sent.
    fn sent(event: &[u8]) -> Value {
        let mut lines = str::from_utf8(event).unwrap().lines();
        serde_json::from_str(lines.next().unwrap().strip_prefix("data: ").unwrap()).unwrap()
    }

    /// The messages that are there for a reader, and whether its stream has ended.
    fn read(mut reader: Reader) -> (Vec<Value>, bool) {
        let mut messages = Vec::new();
        loop {
            match reader.next().now_or_never() {
                Some(Some(Event::Said(event))) => messages
                    .extend(event.message.map(|message| serde_json::to_value(&*message).unwrap())),
                Some(Some(Event::Written(bytes))) => messages.push(sent(&bytes)),
                Some(None) => return (messages, true),
                None => return (messages, false),
            }
        }
    }

    #[test]
    fn an_answer_goes_to_its_request_under_the_id_of_the_client() {
        let (talk, mut sdk) = begin(1);
        let (one, other) =
            (ask(&talk, call(json!("a"))).unwrap(), ask(&talk, call(json!(0))).unwrap());
        let (first, second) = (handed(&mut sdk), handed(&mut sdk));
        assert_eq!((&first["id"], &second["id"]), (&json!(1_u64 << 32), &json!((1_u64 << 32) + 1)));
        say(&talk, answer(second["id"].clone()));
        say(&talk, answer(second["id"].clone()));
        assert_eq!(read(other), (vec![answer(json!(0))], true), "answered once");
        assert_eq!(read(one), (vec![], false));
    }

    /// Also what was sent may not have arrived.
    #[test]
    fn who_comes_back_gets_the_answer_as_often_as_it_asks() {
        let (talk, mut sdk) = begin(0);
        let mut reader = ask(&talk, call(json!("a"))).unwrap();
        assert!(reader.next().now_or_never().is_some());
        drop(reader);
        let again = || talk.behind(0, 0).map(read);
        assert_eq!(again(), Some((vec![], false)));
        say(&talk, answer(handed(&mut sdk)["id"].clone()));
        for _ in 0..2 {
            assert_eq!(again(), Some((vec![answer(json!("a"))], true)));
        }
        assert!(talk.behind(0, 1).is_none(), "that is all");
        assert!(talk.behind(1, 0).is_none());
    }

    #[test]
    fn a_late_answer_does_not_go_to_the_next_request_of_the_same_id() {
        let (talk, mut sdk) = begin(0);
        let cancelled = ask(&talk, call(json!(7))).unwrap();
        let number = handed(&mut sdk)["id"].clone();
        talk.note(cancel(json!(7))).unwrap();
        assert_eq!(handed(&mut sdk)["params"]["requestId"], number);
        assert_eq!(read(cancelled), (vec![], true));
        let next = ask(&talk, call(json!(7))).unwrap();
        say(&talk, answer(number));
        assert_eq!(read(next), (vec![], false));
        assert!(talk.behind(0, 0).is_none(), "nobody waits for it");
    }

    #[test]
    fn the_last_request_with_an_id_is_cancelled_and_told_its_progress() {
        let (talk, mut sdk) = begin(0);
        let calls: Vec<_> = (0..9).map(|_| ask(&talk, call(json!(7))).unwrap()).collect();
        let numbers: Vec<_> = calls.iter().map(|_| handed(&mut sdk)["id"].clone()).collect();
        let step = json!({"jsonrpc": "2.0", "method": "notifications/progress",
            "params": {"progressToken": 7, "progress": 1.0}});
        say(&talk, step.clone());
        talk.note(cancel(json!(7))).unwrap();
        assert_eq!(Some(&handed(&mut sdk)["params"]["requestId"]), numbers.last());
        let told: Vec<_> = calls.into_iter().map(read).collect();
        assert_eq!(told.last(), Some(&(vec![step], true)));
        assert!(told.iter().take(8).all(|told| *told == (vec![], false)));
    }

    /// To the SDK, the client's id of an earlier request may be the number of one that is at work.
    #[test]
    fn what_is_answered_cannot_be_cancelled() {
        let (talk, mut sdk) = begin(0);
        let _at_work = ask(&talk, call(json!("a"))).unwrap();
        let number = handed(&mut sdk)["id"].clone();
        talk.note(cancel(number.clone())).unwrap();
        assert_ne!(handed(&mut sdk)["params"]["requestId"], number);
    }

    /// Before, a write that waited for the lock was made after its session had ended.
    #[test]
    fn a_session_that_ends_cancels_what_is_at_work() {
        let (talk, mut sdk) = begin(0);
        let _at_work = ask(&talk, call(json!("a"))).unwrap();
        let _answered = ask(&talk, call(json!("b"))).unwrap();
        let (number, other) = (handed(&mut sdk)["id"].clone(), handed(&mut sdk)["id"].clone());
        say(&talk, answer(other));
        talk.end();
        assert_eq!(handed(&mut sdk), serde_json::to_value(cancel(number)).unwrap());
        assert_eq!(sdk.try_recv().unwrap_err(), mpsc::error::TryRecvError::Disconnected);
    }

    /// Before, only the result counted, and a long id stayed in memory with each answer.
    #[test]
    fn an_answer_with_a_long_id_is_not_kept() {
        for (id, is_kept) in [("a".to_owned(), true), ("x".repeat(ANSWERS_KEPT_BYTES), false)] {
            let (talk, mut sdk) = begin(0);
            let _at_work = ask(&talk, call(json!(id))).unwrap();
            say(&talk, answer(handed(&mut sdk)["id"].clone()));
            assert_eq!(talk.behind(0, 0).is_some(), is_kept);
        }
    }

    /// Before, the answer was 400, and one of the official clients waited for ever.
    #[test]
    fn who_comes_back_for_another_answer_is_told_to_ask_again() {
        let (talk, mut sdk) = begin(0);
        let list = json!({"jsonrpc": "2.0", "id": "a", "method": "tools/list"});
        let reader = talk.ask(from_client(list), Writer::Sdk).unwrap();
        let number = handed(&mut sdk)["id"].clone();
        let listed = |id| json!({"jsonrpc": "2.0", "id": id, "result": {"tools": []}});
        say(&talk, listed(number));
        assert_eq!(read(reader), (vec![listed(json!("a"))], true));
        let (told, has_ended) = read(talk.behind(0, 0).unwrap());
        assert!(has_ended);
        assert_eq!(told[0]["id"], "a");
        assert!(told[0]["error"]["message"].as_str().unwrap().ends_with("send the request again"));
    }

    #[test]
    fn progress_goes_to_the_request_that_asked_for_it_and_other_news_to_nobodys_stream() {
        let (talk, _sdk) = begin(0);
        let (one, other) =
            (ask(&talk, call(json!(1))).unwrap(), ask(&talk, call(json!(2))).unwrap());
        let step = json!({"jsonrpc": "2.0", "method": "notifications/progress",
            "params": {"progressToken": 2, "progress": 1.0}});
        say(&talk, step.clone());
        let news = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
        say(&talk, news.clone());
        assert_eq!((read(one).0, read(other).0), (vec![], vec![step]));
        assert_eq!(read(talk.unasked(None)), (vec![news], false));
    }

    #[test]
    fn a_session_whose_client_has_gone_before_it_was_greeted_ends() {
        let (talk, mut sdk) = begin(0);
        assert!(talk.greet(call(json!(0))).now_or_never().is_none());
        assert_eq!(handed(&mut sdk)["id"], 0);
        say(&talk, answer(json!(0)));
        assert!(
            sdk.try_recv().is_err_and(|error| error == mpsc::error::TryRecvError::Disconnected)
        );
        assert_eq!(ask(&talk, call(json!(1))).err(), Some(Ended));
    }
}
