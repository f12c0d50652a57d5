//! Sessions that sleep, through the service as `places` has it.

use std::sync::Mutex;

use bytes::Bytes;
use futures_util::FutureExt as _;
use http::request::Parts;
use http::{Request, StatusCode};
use http_body_util::BodyExt as _;
use resilient_mcp::{Busy, Caller, Tallied, Unready};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
    ProgressNotificationParam, ResourceUpdatedNotificationParam, ServerCapabilities, ServerConfig,
    SubscribeRequestParams,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, ServerHandler};
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinHandle, yield_now};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::address::Names;
use crate::body::{Reply, Taken, Unsent};
use crate::door::Door;
use crate::limits::{ANSWER_KEPT, AWAKE_MAX, GREETED_IDLE, QUIET, SESSION_IDLE};
use crate::streamable::Streamable;

/// A server that counts the calls of each session.
#[derive(Clone, Default)]
pub(crate) struct Stub {
    counted: Arc<Mutex<u32>>,
    calls: Busy,
    /// What a call of `wait` waits for.
    pub(crate) gate: Arc<Gate>,
}

pub(crate) struct Gate(pub(crate) Semaphore);

impl Default for Gate {
    fn default() -> Self {
        Self(Semaphore::new(0))
    }
}

impl ServerHandler for Stub {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if request.uri == "rw://journal" {
            return Ok(());
        }
        Err(ErrorData::invalid_params("nothing is there", None))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let counted = {
            let mut counted = self.counted.lock().unwrap();
            *counted += 1;
            *counted
        };
        match &*request.name {
            "wait" => self.gate.0.acquire().await.unwrap().forget(),
            "step" => {
                let token = context.meta.get_progress_token().unwrap();
                let step = ProgressNotificationParam::new(token, 1.0);
                context.peer.notify_progress(step).await.unwrap();
            }
            "tell" => {
                let told = ResourceUpdatedNotificationParam::new("rw://journal");
                context.peer.notify_resource_updated(told).await.unwrap();
            }
            _ => {}
        }
        Ok(CallToolResult::success(vec![ContentBlock::text(counted.to_string())]).into())
    }
}

impl Hosted for Stub {
    fn for_caller(&self, _caller: Caller) -> Self {
        Self { counted: Arc::default(), ..self.clone() }
    }

    fn tallied(&self) -> Tallied {
        Tallied::default()
    }

    fn check(&self) -> Result<(), Unready> {
        Ok(())
    }

    fn calls(&self) -> &Busy {
        &self.calls
    }

    fn end_subscriptions(&self) {}
}

fn place(stub: &Stub) -> Arc<Streamable<Stub>> {
    let names = Names { hosts: Vec::new(), origins: Vec::new() };
    Arc::new(Streamable::new(stub, Arc::new(Door::new(names, None)), CancellationToken::new()))
}

fn head(method: &str, session: &str, more: &[(&str, &str)]) -> Parts {
    let mut request = Request::builder().method(method).uri("/mcp");
    let accept = "application/json, text/event-stream";
    for (name, value) in
        [("host", "localhost"), ("accept", accept), ("content-type", "application/json")]
    {
        request = request.header(name, value);
    }
    if !session.is_empty() {
        request = request.header("mcp-session-id", session);
    }
    for (name, value) in more {
        request = request.header(*name, *value);
    }
    request.body(()).unwrap().into_parts().0
}

async fn post(place: &Streamable<Stub>, session: &str, message: Value) -> Reply {
    send(place, head("POST", session, &[]), message).await
}

async fn send(place: &Streamable<Stub>, head: Parts, message: Value) -> Reply {
    send_in(place, head, message, None).await
}

async fn send_in(
    place: &Streamable<Stub>,
    head: Parts,
    message: Value,
    room: Option<OwnedSemaphorePermit>,
) -> Reply {
    let bytes = Bytes::from(message.to_string());
    let taken = Taken { bytes, room, unsent: Unsent::default() };
    let caller = Caller::default();
    let used = place.enter(&head, &caller).await.unwrap();
    place.post(head, taken, caller, used, Busy::default().begin(), false).await
}

async fn text(reply: Reply) -> String {
    let (head, body) = reply.into_parts();
    let text = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
    assert_eq!(head.status, StatusCode::OK, "{text}");
    text
}

pub(crate) fn hello() -> Value {
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"}});
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
}

pub(crate) fn greeted() -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
}

/// A session whose client has not gone on behind the handshake.
async fn begun(place: &Streamable<Stub>) -> String {
    let reply = post(place, "", hello()).await;
    let session = reply.headers().get("mcp-session-id").cloned();
    let answer = text(reply).await;
    session.unwrap_or_else(|| panic!("{answer}")).to_str().unwrap().to_owned()
}

async fn greet(place: &Streamable<Stub>) -> String {
    let session = begun(place).await;
    assert_eq!(post(place, &session, greeted()).await.status(), StatusCode::ACCEPTED);
    session
}

async fn begin(place: &Streamable<Stub>, session: &str, tool: &str) -> Reply {
    post(place, session, call(tool, &json!({}))).await
}

pub(crate) fn call(tool: &str, meta: &Value) -> Value {
    let params = json!({"name": tool, "arguments": {}, "_meta": meta});
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
}

/// Begins a call that waits at the gate.
fn wait(place: &Arc<Streamable<Stub>>, session: &str) -> JoinHandle<Reply> {
    let (place, session) = (Arc::clone(place), session.to_owned());
    tokio::spawn(async move { begin(&place, &session, "wait").await })
}

/// Which call of its session a call is.
async fn count(place: &Streamable<Stub>, session: &str) -> u64 {
    let text = text(begin(place, session, "count").await).await;
    let line = text.lines().filter_map(|line| line.strip_prefix("data: ")).next_back().unwrap();
    let answer: Value = serde_json::from_str(line).unwrap();
    answer["result"]["content"][0]["text"].as_str().unwrap().parse().unwrap()
}

async fn stream(place: &Streamable<Stub>, session: &str, more: &[(&str, &str)]) -> Reply {
    let reply =
        place.stream(head("GET", session, more), Caller::default(), Busy::default().begin()).await;
    assert_eq!(reply.status(), StatusCode::OK);
    reply
}

/// Comes back for what follows an event.
async fn back(place: &Streamable<Stub>, session: &str, event: &str) -> Reply {
    let head = head("GET", session, &[("last-event-id", event)]);
    place.stream(head, Caller::default(), Busy::default().begin()).await
}

/// The next piece of a stream; nothing once it has ended.
async fn piece(reply: &mut Reply) -> Option<String> {
    let frame = reply.body_mut().frame().await?.unwrap();
    Some(String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap())
}

fn awake(place: &Streamable<Stub>) -> usize {
    place.keeper.awake.lock().len()
}

/// Lets the quiet time go by, and everything be done that follows from it.
async fn rest(place: &Streamable<Stub>) {
    for _ in 0..100 {
        yield_now().await;
    }
    place.keeper.sweep(Instant::now() + QUIET);
    for _ in 0..100 {
        yield_now().await;
    }
}

#[tokio::test]
async fn a_session_that_has_slept_goes_on() {
    let place = place(&Stub::default());
    let (one, other) = (greet(&place).await, greet(&place).await);
    assert_eq!(count(&place, &one).await, 1);
    place.keeper.sweep(Instant::now());
    assert_eq!(awake(&place), 2, "not quiet for long");
    for calls in 2..5 {
        rest(&place).await;
        assert_eq!((awake(&place), place.count()), (0, 2));
        assert_eq!(count(&place, &one).await, calls);
        assert_eq!(awake(&place), 1);
    }
    assert_eq!(count(&place, &other).await, 1);
}

#[tokio::test]
async fn a_request_that_comes_while_the_sdk_ends_its_session_waits_and_wakes_it() {
    let place = place(&Stub::default());
    let session = greet(&place).await;
    for _ in 0..100 {
        yield_now().await;
    }
    // The tasks of the session have not run since.
    place.keeper.sweep(Instant::now() + QUIET);
    assert!(place.keeper.sessions.began(&session).is_none(), "not yet asleep");
    assert_eq!(count(&place, &session).await, 1);
    for _ in 0..100 {
        yield_now().await;
    }
    assert_eq!(count(&place, &session).await, 2, "nothing has ended it again");
}

#[tokio::test]
async fn a_call_keeps_its_session_awake_until_it_is_done_and_its_answer_is_taken() {
    let stub = Stub::default();
    let place = place(&stub);
    let session = greet(&place).await;
    let call = wait(&place, &session);
    rest(&place).await;
    assert_eq!(awake(&place), 1);
    stub.gate.0.add_permits(1);
    rest(&place).await;
    assert_eq!(awake(&place), 1, "it is not taken");
    assert!(text(call.await.unwrap()).await.contains("result"));
    rest(&place).await;
    assert_eq!(awake(&place), 0);
    // Nobody is there for the answer of the next one.
    let call = wait(&place, &session);
    rest(&place).await;
    call.abort();
    rest(&place).await;
    assert_eq!(awake(&place), 1);
    stub.gate.0.add_permits(1);
    rest(&place).await;
    assert_eq!(awake(&place), 0);
}

#[tokio::test]
async fn a_stream_stays_open_while_its_session_sleeps_and_says_what_is_told_then() {
    let place = place(&Stub::default());
    let session = greet(&place).await;
    let mut open = stream(&place, &session, &[]).await;
    assert!(piece(&mut open).await.unwrap().contains("retry"));
    let mut resumed = stream(&place, &session, &[("last-event-id", "0")]).await;
    rest(&place).await;
    assert_eq!(awake(&place), 0);
    text(begin(&place, &session, "tell").await).await;
    assert!(piece(&mut open).await.unwrap().contains("notifications/resources/updated"));
    rest(&place).await;
    assert_eq!(awake(&place), 1, "it may be told more");
    // It ends with its session, and so does the one that has heard nothing.
    place.end(head("DELETE", &session, &[]), &Caller::default()).await;
    assert_eq!((piece(&mut open).await, piece(&mut resumed).await), (None, None));
}

/// Before, a session kept each of them at any length, also while it slept.
#[tokio::test]
async fn a_long_handshake_is_refused_and_a_long_head_is_not_kept() {
    let place = place(&Stub::default());
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "x".repeat(16 << 10), "version": "0"}});
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    assert_eq!(post(&place, "", hello).await.status(), StatusCode::PAYLOAD_TOO_LARGE);
    let session = greet(&place).await;
    for (more, is_kept) in [(1 << 10, false), (10, true)] {
        let accept = format!("application/json, text/event-stream, x/{}", "x".repeat(more));
        let mut head = head("POST", &session, &[]);
        head.headers.insert("accept", accept.parse().unwrap());
        text(send(&place, head, call("count", &json!({}))).await).await;
        assert_eq!(place.keeper.sessions.has_taken(&session), is_kept);
    }
}

#[tokio::test]
async fn a_session_stays_awake_for_what_it_is_subscribed_to_and_not_for_what_was_refused() {
    let place = place(&Stub::default());
    let session = greet(&place).await;
    for (uri, is_kept) in [("rw://nothing", false), ("rw://journal", true)] {
        let asked = json!({"jsonrpc": "2.0", "id": 1, "method": "resources/subscribe", "params": {"uri": uri}});
        let answer = text(post(&place, &session, asked).await).await;
        assert_eq!(answer.contains("error"), !is_kept, "{answer}");
        rest(&place).await;
        assert_eq!(awake(&place), usize::from(is_kept), "{uri}");
    }
}

#[tokio::test]
async fn a_session_that_sleeps_ends_as_others_do() {
    let place = place(&Stub::default());
    let (ended, idle) = (greet(&place).await, greet(&place).await);
    let mut open = stream(&place, &idle, &[]).await;
    piece(&mut open).await;
    rest(&place).await;
    let stranger = Caller { secret: 1, ..Caller::default() };
    let refused = place.end(head("DELETE", &ended, &[]), &stranger).await;
    assert_eq!(refused.status(), StatusCode::NOT_FOUND);
    let reply = place.end(head("DELETE", &ended, &[]), &Caller::default()).await;
    assert_eq!((reply.status(), place.count()), (StatusCode::OK, 1));
    place.keeper.sweep(Instant::now() + SESSION_IDLE);
    assert_eq!((place.count(), piece(&mut open).await), (0, None));
    for session in [ended, idle] {
        assert_eq!(begin(&place, &session, "count").await.status(), StatusCode::NOT_FOUND);
    }
}

#[tokio::test]
async fn a_session_that_may_be_told_something_ends_when_it_is_idle_for_long() {
    let place = place(&Stub::default());
    let session = greet(&place).await;
    let mut open = stream(&place, &session, &[]).await;
    piece(&mut open).await;
    text(begin(&place, &session, "tell").await).await;
    piece(&mut open).await;
    place.keeper.sweep(Instant::now() + SESSION_IDLE - QUIET);
    assert_eq!(awake(&place), 1);
    place.keeper.sweep(Instant::now() + SESSION_IDLE);
    // It does not sleep: a client that came back would be told nothing.
    assert_eq!((awake(&place), place.count(), piece(&mut open).await), (0, 0, None));
    assert_eq!(begin(&place, &session, "count").await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_stream_of_a_request_whose_session_ends_just_then_ends() {
    let place = place(&Stub::default());
    let session = greet(&place).await;
    let caller = Caller::default();
    // The request is in before the session ends.
    let end = place.end(head("DELETE", &session, &[]), &caller);
    let (reply, ended) = tokio::join!(begin(&place, &session, "count"), end);
    assert_eq!((reply.status(), ended.status()), (StatusCode::OK, StatusCode::OK));
    assert_eq!(text(reply).await, "data: \nid: 0/0\nretry: 1000\n\n", "no answer");
    assert_eq!(place.count(), 0);
    assert_eq!(begin(&place, &session, "count").await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_session_that_ended_while_it_was_woken_does_not_come_back() {
    let place = place(&Stub::default());
    let session = greet(&place).await;
    rest(&place).await;
    assert_eq!(place.end(head("DELETE", &session, &[]), &Caller::default()).await.status(), 200);
    let woken = place.keeper.restore_session(session.as_str().into()).await.unwrap();
    assert!(matches!(woken, RestoreOutcome::NotSupported));
    assert_eq!((awake(&place), place.count()), (0, 0));
}

#[tokio::test]
async fn the_one_that_is_quiet_for_the_longest_time_makes_room() {
    let place = place(&Stub::default());
    let first = greet(&place).await;
    assert_eq!(count(&place, &first).await, 1);
    for _ in 0..AWAKE_MAX {
        greet(&place).await;
    }
    assert_eq!((awake(&place), place.count()), (AWAKE_MAX, AWAKE_MAX + 1));
    assert!(place.keeper.sessions.began(&first).is_some());
    assert_eq!(count(&place, &first).await, 2);
    assert_eq!(awake(&place), AWAKE_MAX);
}

#[tokio::test]
async fn an_answer_that_was_given_while_its_client_was_away_is_kept_for_it() {
    let stub = Stub::default();
    let place = place(&stub);
    let (session, other) = (greet(&place).await, greet(&place).await);
    let call = wait(&place, &session);
    rest(&place).await;
    call.abort();
    stub.gate.0.add_permits(1);
    for _ in 0..2 {
        rest(&place).await;
        assert_eq!(awake(&place), 0);
        let answer = text(back(&place, &session, "0/0").await).await;
        assert!(answer.contains("\"result\"") && answer.contains("id: 1/0\n"), "{answer}");
    }
    let nothing = async |session: &str, event: &str| {
        let reply = back(&place, session, event).await;
        assert_eq!(reply.status(), StatusCode::BAD_REQUEST, "{event}");
    };
    for event in ["1/0", "7/0", "0/1", "0/x", "x/0", "x", ""] {
        nothing(&session, event).await;
    }
    nothing(&other, "0/0").await;
    place.keeper.sweep(Instant::now() + ANSWER_KEPT);
    nothing(&session, "0/0").await;
}

/// Before, the stream that came back was open and never had the answer: every client waited for ever.
#[tokio::test]
async fn who_comes_back_for_the_answer_to_its_handshake_gets_it_until_it_goes_on() {
    let place = place(&Stub::default());
    let session = begun(&place).await;
    for asleep in [false, false, true, true] {
        if asleep {
            // Before, the answer was lost when the session fell asleep.
            rest(&place).await;
            assert_eq!(awake(&place), 0);
        }
        let answer = text(back(&place, &session, "0").await).await;
        assert!(answer.contains("\"protocolVersion\":\"2025-11-25\""), "{answer}");
    }
    assert_eq!(post(&place, &session, greeted()).await.status(), StatusCode::ACCEPTED);
    let mut open = back(&place, &session, "0").await;
    assert!(piece(&mut open).now_or_never().is_none());
}

/// Before, the stream that came back after it was the answer to the handshake, and ended at once.
#[tokio::test]
async fn who_opens_a_stream_has_the_answer_to_its_handshake() {
    let place = place(&Stub::default());
    let session = begun(&place).await;
    drop(stream(&place, &session, &[]).await);
    let mut open = back(&place, &session, "0").await;
    assert!(piece(&mut open).now_or_never().is_none());
}

/// Before, it stayed for an hour, and 2,048 of them kept everybody else out.
#[tokio::test]
async fn a_session_whose_client_does_not_go_on_behind_the_handshake_ends_soon() {
    let place = place(&Stub::default());
    let (silent, session) = (begun(&place).await, begun(&place).await);
    greet(&place).await;
    text(back(&place, &silent, "0").await).await;
    // Before, a request whose body took more than the minute came too late.
    let head = head("POST", &session, &[]);
    let used = place.enter(&head, &Caller::default()).await.unwrap();
    rest(&place).await;
    assert_eq!(place.count(), 3);
    place.keeper.sweep(Instant::now() + GREETED_IDLE);
    assert_eq!(place.count(), 2);
    drop(used);
    assert_eq!(post(&place, &session, greeted()).await.status(), StatusCode::ACCEPTED);
    assert_eq!(back(&place, &silent, "0").await.status(), StatusCode::NOT_FOUND);
}

/// Before, subscriptions kept the room of their bodies, and those of others were refused for ever. And a call kept it until its
/// client had read the answer.
#[tokio::test]
async fn only_a_call_keeps_the_room_of_its_body_until_it_is_done() {
    let stub = Stub::default();
    let place = place(&stub);
    let session = greet(&place).await;
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    // The second call goes past the SDK.
    let wait = || call("wait", &json!({}));
    for (message, left) in [(list, 1), (wait(), 0), (wait(), 0)] {
        let room = Arc::new(Semaphore::new(1));
        let permit = Arc::clone(&room).acquire_owned().await.unwrap();
        let head = head("POST", &session, &[]);
        let reply = send_in(&place, head, message, Some(permit)).await;
        assert_eq!(room.available_permits(), left);
        stub.gate.0.add_permits(1 - left);
        rest(&place).await;
        assert_eq!(room.available_permits(), 1, "nobody has read the answer");
        text(reply).await;
    }
}

#[tokio::test]
async fn nobody_comes_back_for_a_call_that_was_cancelled() {
    let stub = Stub::default();
    let place = place(&stub);
    let session = greet(&place).await;
    let call = wait(&place, &session);
    rest(&place).await;
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": 1}});
    assert_eq!(post(&place, &session, cancel).await.status(), StatusCode::ACCEPTED);
    assert_eq!(text(call.await.unwrap()).await, "data: \nid: 0/0\nretry: 1000\n\n");
    assert_eq!(back(&place, &session, "0/0").await.status(), StatusCode::BAD_REQUEST);
}

/// The SDK numbers the requests of a session anew when it wakes.
#[tokio::test]
async fn no_stream_of_another_request_is_mistaken_for_the_one_that_broke() {
    let stub = Stub::default();
    let place = place(&stub);
    let session = greet(&place).await;
    count(&place, &session).await;
    rest(&place).await;
    let _call = wait(&place, &session);
    for _ in 0..100 {
        yield_now().await;
    }
    let earlier = text(back(&place, &session, "0/0").await).await;
    assert!(earlier.contains("\"result\"") && earlier.contains("id: 1/0\n"), "{earlier}");
    let again = format!("0/{}", 1_u64 << 32);
    let resumed = stream(&place, &session, &[("last-event-id", &again)]).await;
    stub.gate.0.add_permits(1);
    let answer = text(resumed).await;
    assert!(answer.contains("\"result\"") && answer.contains(&again[1..]), "{answer}");
}

/// The first call of a session goes through the SDK, and the next ones do not.
#[tokio::test]
async fn a_call_past_the_sdk_is_answered_as_one_through_it() {
    let place = place(&Stub::default());
    for (tool, events) in [("count", 2), ("step", 3)] {
        let session = greet(&place).await;
        let mut answers = Vec::new();
        for number in 0..3 {
            assert_eq!(place.keeper.sessions.has_taken(&session), number > 0);
            let asked = json!({"progressToken": "a"});
            let reply = post(&place, &session, call(tool, &asked)).await;
            let head = (reply.status(), reply.headers().clone());
            let answer = text(reply).await.replace(&format!("/{number}\n"), "/N\n");
            let answer = answer.replace(&format!("\"{}\"", number + 1), "\"COUNT\"");
            assert_eq!(answer.matches("data: ").count(), events, "{answer}");
            answers.push((head, answer));
        }
        assert_eq!(answers[0], answers[1]);
        assert_eq!(answers[0], answers[2]);
    }
}

#[tokio::test]
async fn what_the_sdk_refuses_is_refused_also_behind_a_call_that_it_took() {
    let place = place(&Stub::default());
    let ask = async |session: &str, name: &str, value: &str, meta: Value| {
        let mut head = head("POST", session, &[]);
        if !name.is_empty() {
            let name = name.parse::<http::HeaderName>().unwrap();
            head.headers.insert(name, value.parse().unwrap());
        }
        send(&place, head, call("count", &meta)).await.status().as_u16()
    };
    let asks = |version: &str| json!({"io.modelcontextprotocol/protocolVersion": version});
    let session = greet(&place).await;
    assert_eq!(ask(&session, "", "", json!({})).await, 200);
    for (name, value, meta, status) in [
        ("accept", "application/json", json!({}), 406),
        ("accept", "*/*", json!({}), 200),
        ("accept", "text/html, */*;q=0.8", json!({}), 200),
        ("accept", "text/*", json!({}), 406),
        ("content-type", "text/plain", json!({}), 415),
        ("mcp-protocol-version", "2025-06-18", json!({}), 200),
        ("mcp-protocol-version", "1999-01-01", json!({}), 400),
        ("mcp-protocol-version", "2026-07-28", json!({}), 400),
        ("", "", asks("2026-07-28"), 400),
        // The SDK takes an unknown version if the call itself names it, too.
        ("mcp-protocol-version", "1999-01-01", asks("1999-01-01"), 200),
        ("mcp-protocol-version", "1999-01-01", json!({}), 400),
    ] {
        let fresh = greet(&place).await;
        for session in [&fresh, &session] {
            let got = ask(session, name, value, meta.clone()).await;
            assert_eq!(got, status, "{name}: {value}, {meta}");
            assert_eq!(ask(session, "", "", json!({})).await, 200);
        }
    }
}

#[tokio::test]
async fn a_head_that_has_a_field_twice_is_left_to_the_sdk() {
    let place = place(&Stub::default());
    let session = greet(&place).await;
    for _ in 0..2 {
        let mut head = head("POST", &session, &[]);
        head.headers.append("accept", "text/html".parse().unwrap());
        assert_eq!(send(&place, head, call("count", &json!({}))).await.status(), 200);
        assert!(!place.keeper.sessions.has_taken(&session));
    }
}
