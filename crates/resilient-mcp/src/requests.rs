//! The requests of one connection that are handed out, and where their answers go.
//!
//! The SDK knows each request by a number of ours, not by the id that the client gave it. So an answer can be with
//! the client before the SDK has done its own bookkeeping for it: if the client uses the id again at once, that is
//! another number. The first answer to a number is sent. A later one is not.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{JsonRpcMessage, RequestId, ServerResult};
use rmcp::service::TxJsonRpcMessage;
use serde_json::Value;
use tokio::sync::Notify;

use crate::batch::{Batch, Batches};
use crate::json::{self, Beyond};
use crate::replies::Replies;

/// Where a message says to which subscription it belongs.
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// What is handed out.
#[derive(Debug)]
pub(crate) struct Requests {
    state: Mutex<State>,
    one_done: Notify,
    replies: Replies,
}

#[derive(Debug, Default)]
struct State {
    last: i64,
    /// The numbers of those that are neither answered nor cancelled, and the ids that the client gave them.
    unanswered: HashMap<RequestId, RequestId>,
    /// How many are worked on, the cancelled ones included.
    at_work: usize,
    batches: Batches,
}

/// Rides in a request's extensions and so is dropped when its handler ends, however it ends.
#[derive(Debug)]
pub(crate) struct Watch {
    number: RequestId,
    requests: Arc<Requests>,
    in_turn: bool,
}

impl Requests {
    pub(crate) fn new(replies: Replies) -> Self {
        Self { state: Mutex::default(), one_done: Notify::new(), replies }
    }

    /// Enters a request, unless one of the same id is not answered yet.
    pub(crate) fn enter(self: &Arc<Self>, id: &RequestId, in_turn: bool) -> Option<Watch> {
        let mut state = self.lock();
        if state.number_of(id).is_some() {
            return None;
        }
        state.last += 1;
        state.at_work += 1;
        let number = RequestId::Number(state.last);
        state.unanswered.insert(number.clone(), id.clone());
        Some(Watch { number, requests: Arc::clone(self), in_turn })
    }

    /// Whether everything is answered.
    pub(crate) fn are_answered(&self) -> bool {
        self.lock().unanswered.is_empty()
    }

    /// Forgets a request whose client wants no answer any more; gives its number.
    pub(crate) fn cancel(&self, id: &RequestId) -> Option<RequestId> {
        let mut state = self.lock();
        let number = state.number_of(id)?;
        state.unanswered.remove(&number);
        let reply = state.batches.settle(&number, None);
        drop(state);
        self.put(reply);
        Some(number)
    }

    /// Begins a batch of these requests, by their numbers.
    pub(crate) fn begin_batch(&self, batch: Batch, numbers: Vec<RequestId>) {
        let reply = self.lock().batches.begin(batch, numbers);
        self.put(reply);
    }

    /// Sends what the SDK says. An answer to what is answered or cancelled goes nowhere.
    ///
    /// # Errors
    /// The message cannot be encoded, which no message of ours does.
    pub(crate) fn send(&self, mut message: TxJsonRpcMessage<RoleServer>) -> serde_json::Result<()> {
        let id = match &mut message {
            JsonRpcMessage::Response(answer) => Some(&mut answer.id),
            JsonRpcMessage::Error(answer) => answer.id.as_mut(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        let Some(id) = id else {
            let mut told = serde_json::to_value(&message)?;
            self.name_subscription(told.get_mut("params"));
            self.put(Some(written(&told)));
            return Ok(());
        };
        let Some(theirs) = self.lock().unanswered.get(id).cloned() else { return Ok(()) };
        let number = std::mem::replace(id, theirs);
        let mut reply = serde_json::to_value(&message)?;
        if let JsonRpcMessage::Response(answer) = &message
            && let ServerResult::SubscriptionsListenResult(_) = &answer.result
        {
            self.name_subscription(reply.get_mut("result"));
        }
        let reply = written(&reply);
        self.answer(&number, reply);
        Ok(())
    }

    /// Has a message that belongs to a subscription name it by the id that the client gave the request for it.
    fn name_subscription(&self, content: Option<&mut Value>) {
        let named =
            content.and_then(|it| it.get_mut("_meta")).and_then(|it| it.get_mut(SUBSCRIPTION));
        let Some(named) = named else { return };
        let number = serde_json::from_value::<RequestId>(named.clone()).ok();
        if let Some(theirs) = number.and_then(|number| self.lock().unanswered.get(&number).cloned())
        {
            *named = theirs.into_json_value();
        }
    }

    /// Sends the reply to a request, unless it is answered or cancelled by now.
    fn answer(&self, number: &RequestId, reply: Vec<u8>) {
        let mut state = self.lock();
        if state.unanswered.remove(number).is_none() {
            return;
        }
        let reply = if state.batches.has(number) {
            state.batches.settle(number, Some(reply))
        } else {
            Some(reply)
        };
        drop(state);
        self.put(reply);
    }

    /// Sends a reply that no request waits for.
    pub(crate) fn put(&self, reply: Option<Vec<u8>>) {
        if let Some(reply) = reply {
            // A writer that is gone means a client that is gone.
            let _ = self.replies.send(reply);
        }
    }

    pub(crate) async fn none_left(&self) {
        self.fewer_than(1).await;
    }

    /// Waits until fewer than so many are worked on, and there is room for their replies.
    pub(crate) async fn room(&self, limit: usize) {
        self.fewer_than(limit).await;
        self.replies.room().await;
    }

    async fn fewer_than(&self, limit: usize) {
        loop {
            let one_done = self.one_done.notified();
            if self.lock().at_work < limit {
                return;
            }
            one_done.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn number_of(&self, id: &RequestId) -> Option<RequestId> {
        self.unanswered.iter().find(|(_, theirs)| *theirs == id).map(|(number, _)| number.clone())
    }
}

impl Watch {
    /// What the SDK calls the request.
    pub(crate) fn number(&self) -> &RequestId {
        &self.number
    }

    /// Whether the client has been waiting for each answer before it asked again, so that nothing
    /// else is likely to come while this request is worked on.
    pub(crate) fn is_in_turn(&self) -> bool {
        self.in_turn
    }

    /// Whether the client still waits for the answer: a cancellation may not have come to the SDK yet.
    pub(crate) fn is_waited_for(&self) -> bool {
        self.requests.lock().unanswered.contains_key(&self.number)
    }

    /// Answers the request from the thread that has done it. What the SDK sends for it later goes nowhere.
    pub(crate) fn answer(&self, result: ServerResult) {
        // Where it cannot be encoded, the SDK tries in its turn, and says so.
        let _ = self.requests.send(JsonRpcMessage::response(result, self.number.clone()));
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.requests.lock().at_work -= 1;
        self.requests.one_done.notify_waiters();
    }
}

fn written(message: &Value) -> Vec<u8> {
    let mut reply = Vec::with_capacity(1024);
    json::write(message, Beyond::Kept, &mut reply);
    reply
}

#[cfg(test)]
mod tests {
    use rmcp::model::CallToolResult;
    use tokio::io::{AsyncReadExt as _, DuplexStream, duplex};

    use super::*;
    use crate::replies::{Written, replies};

    fn requests() -> (Arc<Requests>, Written, DuplexStream) {
        let (ours, client) = duplex(10_000);
        let (replies, written) = replies(ours);
        (Arc::new(Requests::new(replies)), written, client)
    }

    fn result() -> ServerResult {
        ServerResult::CallToolResult(CallToolResult::default())
    }

    /// Whom the replies that have been sent answer.
    async fn answered(
        requests: Arc<Requests>,
        written: Written,
        mut client: DuplexStream,
    ) -> Vec<Value> {
        drop(requests);
        written.await.unwrap();
        let mut lines = String::new();
        client.read_to_string(&mut lines).await.unwrap();
        let id = |line| serde_json::from_str::<Value>(line).unwrap()["id"].take();
        lines.lines().map(id).collect()
    }

    #[tokio::test]
    async fn a_request_is_answered_once_and_its_id_is_free_then() {
        let (requests, written, client) = requests();
        let id = RequestId::String("a".into());
        let first = requests.enter(&id, false).unwrap();
        assert!(requests.enter(&id, false).is_none(), "the id is in use");
        first.answer(result());
        let second = requests.enter(&id, false).unwrap();
        requests.send(JsonRpcMessage::response(result(), first.number().clone())).unwrap();
        assert!(!requests.are_answered(), "that was the SDK's answer to the first");
        requests.send(JsonRpcMessage::response(result(), second.number().clone())).unwrap();
        assert!(requests.are_answered());
        drop((first, second));
        assert_eq!(answered(requests, written, client).await, ["a", "a"]);
    }

    #[tokio::test]
    async fn a_request_that_is_cancelled_is_not_answered() {
        let (requests, written, client) = requests();
        let id = RequestId::Number(7);
        let watch = requests.enter(&id, false).unwrap();
        assert_eq!(requests.cancel(&id).as_ref(), Some(watch.number()));
        assert_eq!(requests.cancel(&id), None);
        watch.answer(result());
        drop(watch);
        assert!(answered(requests, written, client).await.is_empty());
    }
}
