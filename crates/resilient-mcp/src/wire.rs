//! Lines in, lines out: the transport under the SDK.
//!
//! The SDK's own transport drops overlong lines and unparsable ones without a word, and gives
//! calls that are still running five seconds once its input ends. This one answers every line
//! that may have been a request, takes lines of [`LINE_MAX`] bytes, and reports the end of input
//! only when every request it handed out has been worked off.
//!
//! Nothing here grows without bound. While [`AT_ONCE_MAX`] requests are being worked on, or
//! [`REPLIES_MAX`] bytes of replies wait for a client that does not read, no further line is taken:
//! the pipe fills, and the client waits.

use std::any::Any;
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, OnceLock};

use rmcp::RoleServer;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientCapabilities, ClientJsonRpcMessage,
    ClientNotification, ClientRequest, GetExtensions, GetMeta as _, Implementation,
    InitializeRequest, InitializeRequestParams, JsonRpcMessage, JsonRpcNotification,
    ProtocolVersion, RequestId, ServerResult,
};
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::{mpsc, oneshot, watch};

use crate::batch::Batch;
use crate::message::{self, InBatch, Incoming};
use crate::replies::Replies;
use crate::requests::Requests;
use crate::skim::Skim;

/// The longest line that is taken.
pub(crate) const LINE_MAX: usize = 256 << 20;

/// How many bytes one read asks for: what a pipe holds.
const PIECE: usize = 64 << 10;

/// A line buffer larger than this is given back once its line is done; one that is kept spares the
/// next long line the page faults of a new one, which cost more than parsing it.
const BUFFER_KEPT: usize = 4 << 20;

/// After so many requests that came alone, a client counts as one that waits for each answer.
const IN_TURN_MIN: usize = 4;

/// So many requests of a connection are worked on at once.
pub(crate) const AT_ONCE_MAX: usize = 1024;

/// What is held until the requests of a line are done.
pub type Hold = Arc<dyn Any + Send + Sync>;

/// A request that is cancelled past the lines. Who waits is told that it was at work.
pub type Cancel = (RequestId, oneshot::Sender<()>);

/// What holds for the lines of a client that the server does not know.
#[derive(Debug)]
pub struct Afar {
    /// What is held for each line until its request is done, in the order of the lines.
    pub held: mpsc::UnboundedReceiver<Hold>,
    /// So many bytes the line of a handshake has at most: the server keeps what a client says of itself.
    pub handshake_max: usize,
    /// What is cancelled, also while no line is taken.
    pub cancels: mpsc::UnboundedReceiver<Cancel>,
    /// The version that the client speaks, if it says so beside its lines. It counts for a client that sends no
    /// handshake: one that has opened its stream anew takes the session for the one before.
    pub version: Arc<OnceLock<ProtocolVersion>>,
}

impl Afar {
    /// Refuses a handshake that is too long.
    fn bound(&self, incoming: Incoming, bytes: usize) -> Incoming {
        match &incoming {
            Incoming::Message(message) if bytes > self.handshake_max => match &**message {
                JsonRpcMessage::Request(asked)
                    if matches!(asked.request, ClientRequest::InitializeRequest(_)) =>
                {
                    let id = asked.id.clone();
                    Incoming::Refused(message::handshake_too_long(id, self.handshake_max))
                }
                _ => incoming,
            },
            _ => incoming,
        }
    }
}

/// The transport: reads requests, hands replies to the writer.
pub(crate) struct Wire<R> {
    lines: Lines<R>,
    requests: Arc<Requests>,
    /// How many requests came alone, one after the other: see [`Watch::is_in_turn`](crate::requests::Watch::is_in_turn).
    in_turn: usize,
    /// Whether the SDK takes other messages than requests: it ends the connection over one that comes
    /// before it knows the era of the client.
    has_begun: bool,
    /// Whether the connection has the protocol version with batches.
    takes_batches: bool,
    /// The messages of a batch that are still to be handed out.
    ahead: VecDeque<ClientJsonRpcMessage>,
    afar: Option<Afar>,
    /// Told at the end of the input: a request that has no end of its own ends then.
    hung_up: Arc<watch::Sender<bool>>,
}

impl<R: AsyncRead + Send + Unpin> Wire<R> {
    /// A transport that reads from `reader` and sends its replies to `replies`.
    pub(crate) fn new(
        reader: R,
        replies: Replies,
        afar: Option<Afar>,
        hung_up: Arc<watch::Sender<bool>>,
    ) -> Self {
        let lines = Lines::new(reader, LINE_MAX);
        Self {
            lines,
            requests: Arc::new(Requests::new(replies)),
            in_turn: 0,
            has_begun: false,
            takes_batches: false,
            ahead: VecDeque::new(),
            afar,
            hung_up,
        }
    }

    fn answer(&self, reply: &serde_json::Value) {
        self.requests.put(Some(reply.to_string().into_bytes()));
    }

    /// Takes the messages of a batch in.
    fn take(&mut self, messages: Vec<InBatch>, hold: Option<&Hold>) {
        if !self.takes_batches {
            return self.answer(&message::no_batches());
        }
        if messages.is_empty() {
            return self.answer(&message::empty_batch());
        }
        let (mut batch, mut numbers) = (Batch::default(), Vec::new());
        for message in messages {
            let admitted = match message::read_in_batch(message) {
                Incoming::Message(message) => self.admit(*message, hold),
                Incoming::Refused(reply) => Err(reply),
                Incoming::Batch(_) | Incoming::Ignored => Ok(None),
            };
            match admitted {
                Ok(Some(message)) => {
                    match &message {
                        JsonRpcMessage::Request(request) => numbers.push(request.id.clone()),
                        JsonRpcMessage::Notification(JsonRpcNotification {
                            notification: ClientNotification::CancelledNotification(cancelled),
                            ..
                        }) => numbers.retain(|id| Some(id) != cancelled.params.request_id.as_ref()),
                        _ => {}
                    }
                    self.ahead.push_back(message);
                }
                Ok(None) => {}
                Err(reply) => batch.add(reply.to_string().into_bytes()),
            }
        }
        self.requests.begin_batch(batch, numbers);
    }

    /// Lets a request pass to the SDK, watched until it is done; the cancellation of one that is not;
    /// and what else a client says once the connection has begun.
    ///
    /// # Errors
    /// The request is refused with this reply.
    fn admit(
        &mut self,
        mut message: ClientJsonRpcMessage,
        hold: Option<&Hold>,
    ) -> Result<Option<ClientJsonRpcMessage>, serde_json::Value> {
        match &mut message {
            JsonRpcMessage::Request(request) => {
                let is_alone = self.requests.are_answered()
                    && self.lines.are_drained()
                    && self.ahead.is_empty();
                self.in_turn = if is_alone { self.in_turn + 1 } else { 0 };
                let in_turn = self.in_turn > IN_TURN_MIN;
                let Some(watch) = self.requests.enter(&request.id, in_turn) else {
                    return Err(message::id_in_use(&request.id));
                };
                request.id = watch.number().clone();
                request.request.extensions_mut().insert(Arc::new(watch));
                // What another request keeps of its line is short, and a subscription has no end of its own.
                if let (Some(hold), ClientRequest::CallToolRequest(_)) = (hold, &request.request) {
                    request.request.extensions_mut().insert(Arc::clone(hold));
                }
                self.has_begun |= begins(&request.request);
            }
            _ if !self.has_begun => return Ok(None),
            JsonRpcMessage::Notification(JsonRpcNotification {
                notification: ClientNotification::CancelledNotification(cancelled),
                ..
            }) => {
                // The SDK sends no reply to what is cancelled.
                let number =
                    cancelled.params.request_id.as_ref().and_then(|id| self.requests.cancel(id));
                if number.is_none() {
                    return Ok(None);
                }
                cancelled.params.request_id = number;
            }
            JsonRpcMessage::Notification(_)
            | JsonRpcMessage::Response(_)
            | JsonRpcMessage::Error(_) => {}
        }
        Ok(Some(message))
    }

    /// The handshake that a client from afar has left out before this message. Its answer goes nowhere.
    fn left_out(&self, message: &ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        let afar = self.afar.as_ref().filter(|_| !self.has_begun)?;
        let JsonRpcMessage::Request(asked) = message else { return None };
        if !needs_handshake(&asked.request) {
            return None;
        }
        let version = afar.version.get().filter(|it| **it < ProtocolVersion::V_2026_07_28);
        let version = version.cloned().unwrap_or(ProtocolVersion::V_2024_11_05);
        // It says neither what it is nor what it can.
        let nobody = Implementation::new("", "");
        let params = InitializeRequestParams::new(ClientCapabilities::default(), nobody);
        let handshake = InitializeRequest::new(params.with_protocol_version(version));
        Some(ClientJsonRpcMessage::request(
            ClientRequest::InitializeRequest(handshake),
            // No request that is handed out has this number.
            RequestId::Number(0),
        ))
    }

    /// The cancellation of a request that is at work.
    fn cancelled(&self, (id, told): Cancel) -> Option<ClientJsonRpcMessage> {
        // Once its line has come, nobody waits for this.
        if told.is_closed() || !self.has_begun {
            return None;
        }
        let number = self.requests.cancel(&id)?;
        let _ = told.send(());
        let cancelled = CancelledNotificationParam::new(Some(number), None);
        let cancelled = CancelledNotification::new(cancelled);
        Some(ClientJsonRpcMessage::notification(ClientNotification::CancelledNotification(
            cancelled,
        )))
    }
}

impl<R: AsyncRead + Send + Unpin + 'static> Transport<RoleServer> for Wire<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        if let JsonRpcMessage::Response(answer) = &item
            && let ServerResult::InitializeResult(greeting) = &answer.result
        {
            self.takes_batches = greeting.protocol_version == ProtocolVersion::V_2025_03_26;
        }
        let sent = self.requests.send(item).map_err(io::Error::from);
        std::future::ready(sent)
    }

    /// Cancel safe: whatever was read stays in `lines`.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            // Those of a batch count already: to wait until fewer are at work could have no end.
            if let Some(message) = self.ahead.pop_front() {
                return Some(message);
            }
            let cancel = async {
                match &mut self.afar {
                    Some(afar) => afar.cancels.recv().await,
                    None => None,
                }
            };
            tokio::select! {
                biased;
                Some(cancel) = cancel => match self.cancelled(cancel) {
                    Some(message) => return Some(message),
                    None => continue,
                },
                () = self.requests.room(AT_ONCE_MAX) => {}
            }
            let incoming = match self.lines.next().await {
                Ok(Some(Line::Whole(line))) => {
                    let incoming = message::read(line);
                    match &self.afar {
                        Some(afar) => afar.bound(incoming, line.len()),
                        None => incoming,
                    }
                }
                Ok(Some(Line::TooLong(id))) => Incoming::Refused(message::too_long(id, LINE_MAX)),
                Ok(None) | Err(_) => {
                    self.hung_up.send_replace(true);
                    self.requests.none_left().await;
                    return None;
                }
            };
            let hold = self.afar.as_mut().and_then(|afar| afar.held.try_recv().ok());
            match incoming {
                Incoming::Message(message) => {
                    let left_out = self.left_out(&message);
                    match self.admit(*message, hold.as_ref()) {
                        Ok(Some(message)) => {
                            let Some(handshake) = left_out else { return Some(message) };
                            self.has_begun = true;
                            self.ahead.push_back(message);
                            return Some(handshake);
                        }
                        Ok(None) => {}
                        Err(reply) => self.answer(&reply),
                    }
                }
                Incoming::Batch(messages) => self.take(messages, hold.as_ref()),
                Incoming::Refused(reply) => self.answer(&reply),
                Incoming::Ignored => {}
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether the SDK knows the era of a client by this request: it is the handshake, or a request that needs
/// none. A probe (`server/discover`) decides nothing.
fn begins(request: &ClientRequest) -> bool {
    let meta = request.get_meta();
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        _ => {
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && meta
                    .protocol_version()
                    .is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}

/// Whether a request is one of a version with a handshake, and comes behind it.
fn needs_handshake(request: &ClientRequest) -> bool {
    let may_be_first = matches!(
        request,
        ClientRequest::InitializeRequest(_)
            | ClientRequest::PingRequest(_)
            | ClientRequest::DiscoverRequest(_)
    );
    !may_be_first && request.get_meta().protocol_version().is_none()
}

/// A line, or what is left of one that is too long.
enum Line<'a> {
    Whole(&'a [u8]),
    TooLong(Option<RequestId>),
}

/// Splits a stream into lines without keeping more than `line_max` bytes of any, and a piece.
struct Lines<R> {
    reader: R,
    line_max: usize,
    buffer: Vec<u8>,
    /// Where the next line starts in `buffer`.
    start: usize,
    /// Up to where there is no newline.
    searched: usize,
    /// The line being passed over, if it is too long.
    skimmed: Option<Skim>,
    ended: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    fn new(reader: R, line_max: usize) -> Self {
        Self {
            reader,
            line_max,
            buffer: Vec::new(),
            start: 0,
            searched: 0,
            skimmed: None,
            ended: false,
        }
    }

    /// Whether everything that was read was handed out.
    fn are_drained(&self) -> bool {
        self.start == self.buffer.len()
    }

    /// The next line, or nothing at the end. What follows the last newline counts as a line.
    async fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        let end = loop {
            let unsearched = self.buffer.get(self.searched..).unwrap_or_default();
            if let Some(at) = memchr::memchr(b'\n', unsearched) {
                break self.searched + at;
            }
            self.searched = self.buffer.len();
            if self.searched - self.start > self.line_max || self.skimmed.is_some() {
                self.skim(self.searched);
            }
            if self.ended {
                if self.start == self.buffer.len() && self.skimmed.is_none() {
                    return Ok(None);
                }
                break self.buffer.len();
            }
            self.make_room();
            self.ended = self.reader.read_buf(&mut self.buffer).await? == 0;
        };
        if self.skimmed.is_some() || end - self.start > self.line_max {
            self.skim(end);
            self.start = (end + 1).min(self.buffer.len());
            self.searched = self.start;
            return Ok(Some(Line::TooLong(self.skimmed.take().and_then(Skim::id))));
        }
        let line = self.start..end;
        self.start = (end + 1).min(self.buffer.len());
        self.searched = self.start;
        Ok(self.buffer.get(line).map(Line::Whole))
    }

    /// Passes over the buffered bytes of the current line up to `end`.
    fn skim(&mut self, end: usize) {
        let piece = self.buffer.get(self.start..end).unwrap_or_default();
        self.skimmed.get_or_insert_default().feed(piece);
        self.start = end;
    }

    /// Drops the lines that are done, so that the buffer holds the current one and a piece more.
    fn make_room(&mut self) {
        self.buffer.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        if self.buffer.is_empty() && self.buffer.capacity() > BUFFER_KEPT {
            self.buffer = Vec::new();
        }
        self.buffer.reserve(PIECE);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use tokio::io::{duplex, sink};

    use super::*;
    use crate::replies::{REPLIES_MAX, replies};

    fn poll<T>(future: impl Future<Output = T>) -> Poll<T> {
        pin!(future).poll(&mut Context::from_waker(Waker::noop()))
    }

    fn received(lines: &str) -> Vec<ClientJsonRpcMessage> {
        let mut wire =
            Wire::new(Cursor::new(lines.to_owned()), replies(sink()).0, None, Arc::default());
        let mut all = Vec::new();
        // The end is not reported while a message is held.
        while let Poll::Ready(Some(message)) = poll(wire.receive()) {
            all.push(message);
        }
        all
    }

    /// The lines of a client from afar, what holds for them, and where it cancels.
    fn afar(lines: String) -> (Wire<Cursor<String>>, mpsc::UnboundedSender<Cancel>) {
        let (to_cancel, cancels) = mpsc::unbounded_channel();
        let held = mpsc::unbounded_channel().1;
        let afar = Afar { held, handshake_max: usize::MAX, cancels, version: Arc::default() };
        let lines = Cursor::new(lines);
        (Wire::new(lines, replies(sink()).0, Some(afar), Arc::default()), to_cancel)
    }

    fn call(id: usize) -> String {
        let call = r#""method":"tools/call","params":{"name":"x","arguments":{}}"#;
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{call}}}\n")
    }

    /// Before, a client that had as many calls as may wait could cancel none of them.
    #[test]
    fn what_is_at_work_is_cancelled_while_no_line_is_taken() {
        let lines = (0..AT_ONCE_MAX + 2).map(call).collect::<String>();
        let (mut wire, cancels) = afar(format!("{HANDSHAKE}\n{lines}"));
        let mut at_work = Vec::new();
        while let Poll::Ready(Some(message)) = poll(wire.receive()) {
            at_work.push(message);
        }
        assert_eq!(at_work.len(), AT_ONCE_MAX);
        // One that is not at work yet is cancelled by its line; of another, the line has come.
        for (id, is_waited_for) in [(AT_ONCE_MAX + 1, true), (5, false), (7, true)] {
            let (told, mut is_cancelled) = oneshot::channel();
            if !is_waited_for {
                is_cancelled.close();
            }
            cancels.send((RequestId::Number(id.try_into().unwrap()), told)).unwrap();
            let is_taken = poll(wire.receive()).is_ready();
            assert_eq!((is_taken, is_cancelled.try_recv().is_ok()), (id == 7, id == 7), "{id}");
        }
    }

    /// Before, such a client got an error about a version that it does not speak, for ever.
    #[test]
    fn a_client_from_afar_may_leave_the_handshake_out() {
        const OLD: ProtocolVersion = ProtocolVersion::V_2024_11_05;
        let ping = PING.to_owned() + "\n";
        for (before, named, spoken) in [
            ("", None, Some(OLD)),
            (
                ping.as_str(),
                Some(ProtocolVersion::V_2025_06_18),
                Some(ProtocolVersion::V_2025_06_18),
            ),
            ("", Some(ProtocolVersion::V_2026_07_28), Some(OLD)),
            (HANDSHAKE, None, None),
        ] {
            let (mut wire, _cancels) = afar(format!("{before}\n{}{}", call(5), call(6)));
            if let Some(named) = named {
                wire.afar.as_ref().unwrap().version.set(named).unwrap();
            }
            let mut all = Vec::new();
            while let Poll::Ready(Some(message)) = poll(wire.receive()) {
                all.push(message);
            }
            let played = all.iter().filter_map(|message| match message {
                JsonRpcMessage::Request(asked) if asked.id == RequestId::Number(0) => {
                    match &asked.request {
                        ClientRequest::InitializeRequest(it) => {
                            Some(it.params.protocol_version.clone())
                        }
                        _ => None,
                    }
                }
                _ => None,
            });
            assert_eq!(played.collect::<Vec<_>>(), spoken.into_iter().collect::<Vec<_>>());
            let is_call = |message: &ClientJsonRpcMessage| match message {
                JsonRpcMessage::Request(it) => {
                    matches!(it.request, ClientRequest::CallToolRequest(_))
                }
                _ => false,
            };
            assert!(all.iter().rev().take(2).all(is_call), "{all:?}");
        }
    }

    const PING: &str = r#"{"jsonrpc":"2.0","id":4,"method":"ping"}"#;
    const HANDSHAKE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#;
    const PROBE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    const REPLY: &str = r#"{"jsonrpc":"2.0","id":0,"result":{"roots":[]}}"#;
    const NOTED: &str = r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#;

    /// Before, the room of a body was given back while its call still waited.
    #[test]
    fn what_is_held_for_a_line_is_held_until_its_call_is_gone() {
        const CALL: &str = r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"x","arguments":{}}}"#;
        let (holds, held) = mpsc::unbounded_channel::<Hold>();
        let lines = format!("{CALL}\n{PROBE}\n");
        let kept: Vec<_> = (0..2)
            .map(|number: u8| {
                let hold: Hold = Arc::new(number);
                let kept = Arc::downgrade(&hold);
                holds.send(hold).unwrap();
                kept
            })
            .collect();
        let (cancels, version) = (mpsc::unbounded_channel().1, Arc::default());
        let afar = Afar { held, handshake_max: 0, cancels, version };
        let mut wire = Wire::new(Cursor::new(lines), replies(sink()).0, Some(afar), Arc::default());
        let is_held = || kept.iter().map(|kept| kept.upgrade().is_some()).collect::<Vec<_>>();
        // The handshake that was left out comes first.
        assert!(poll(wire.receive()).is_ready());
        let Poll::Ready(Some(call)) = poll(wire.receive()) else { panic!("a call") };
        assert_eq!(is_held(), [true, true]);
        drop(call);
        assert_eq!(is_held(), [false, true]);
        // A request of another kind may have no end.
        let Poll::Ready(Some(_probe)) = poll(wire.receive()) else { panic!("a probe") };
        assert_eq!(is_held(), [false, false]);
    }

    /// Before, the SDK never saw them.
    #[test]
    fn what_a_client_says_unasked_is_handed_on_once_its_era_is_known() {
        let of = |lines: &[&str]| received(&lines.join("\n")).len();
        assert_eq!(of(&[HANDSHAKE, NOTED, REPLY]), 3);
        assert_eq!(of(&[NOTED, REPLY, HANDSHAKE]), 1);
        assert_eq!(of(&[PROBE, NOTED, REPLY]), 1);
        let modern = PROBE.replace("server/discover", "tools/list");
        assert_eq!(of(&[&modern, NOTED, REPLY]), 3);
    }

    #[test]
    fn so_many_requests_are_worked_on_and_the_next_waits() {
        let lines: String = (0..=AT_ONCE_MAX)
            .map(|id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n"))
            .collect();
        let mut wire =
            Wire::new(Cursor::new(lines.to_owned()), replies(sink()).0, None, Arc::default());
        let mut held: Vec<_> = (0..AT_ONCE_MAX).map(|_| poll(wire.receive())).collect();
        assert!(held.iter().all(Poll::is_ready));
        assert!(poll(wire.receive()).is_pending());
        held.pop();
        assert!(poll(wire.receive()).is_ready());
    }

    /// Before, nobody was left who could finish any of them.
    #[test]
    fn a_batch_of_more_requests_than_are_worked_on_at_once_is_handed_out() {
        let messages: Vec<String> = (0..2 * AT_ONCE_MAX)
            .map(|id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}"))
            .collect();
        let line = format!("[{}]\n", messages.join(","));
        let mut wire = Wire::new(Cursor::new(line), replies(sink()).0, None, Arc::default());
        wire.takes_batches = true;
        let held: Vec<_> = (0..2 * AT_ONCE_MAX).map(|_| poll(wire.receive())).collect();
        assert!(held.iter().all(Poll::is_ready));
    }

    #[tokio::test]
    async fn no_request_is_read_while_too_many_replies_wait() {
        let (ours, mut client) = duplex(PIECE);
        let (replies, written) = replies(ours);
        let mut wire = Wire::new(HANDSHAKE.as_bytes(), replies.clone(), None, Arc::default());
        replies.send(vec![b'x'; REPLIES_MAX + PIECE]).unwrap();
        assert!(poll(wire.receive()).is_pending());
        let _writing = tokio::spawn(written);
        client.read_exact(&mut vec![0; 2 * PIECE]).await.unwrap();
        assert!(poll(wire.receive()).is_ready());
    }

    #[tokio::test]
    async fn a_client_that_is_gone_keeps_nobody_waiting() {
        let (ours, _client) = duplex(PIECE);
        let (replies, written) = replies(ours);
        let mut wire = Wire::new(HANDSHAKE.as_bytes(), replies.clone(), None, Arc::default());
        replies.send(vec![b'x'; REPLIES_MAX + PIECE]).unwrap();
        drop(written);
        assert!(poll(wire.receive()).is_ready());
    }

    async fn lines_of(input: &[u8]) -> Vec<Vec<u8>> {
        let mut lines = Lines::new(input, LINE_MAX);
        let mut all = Vec::new();
        while let Some(Line::Whole(line)) = lines.next().await.unwrap() {
            all.push(line.to_vec());
        }
        all
    }

    #[tokio::test]
    async fn a_stream_is_cut_at_its_newlines_and_at_its_end() {
        assert_eq!(lines_of(b"").await, Vec::<Vec<u8>>::new());
        assert_eq!(lines_of(b"a\n\nbc\n").await, [&b"a"[..], b"", b"bc"]);
        assert_eq!(lines_of(b"a\nb").await, [b"a", b"b"]);
        let long = [vec![b'x'; 3 * PIECE + 5], b"\ny\n".to_vec()].concat();
        assert_eq!(lines_of(&long).await, [vec![b'x'; 3 * PIECE + 5], b"y".to_vec()]);
    }

    #[tokio::test]
    async fn an_overlong_line_is_passed_over_and_its_id_kept() {
        const MAX: usize = 4 * BUFFER_KEPT;
        let filler = vec![b'x'; 2 * MAX];
        for (head, tail) in [
            (&br#"{"id":4,"params":""#[..], &b"\"}\nnext\n"[..]),
            (&br#"{"params":""#[..], &b"\",\"id\":4}\nnext\n"[..]),
        ] {
            let mut lines = Lines::new(head.chain(filler.as_slice()).chain(tail), MAX);
            let Some(Line::TooLong(id)) = lines.next().await.unwrap() else { panic!("not long") };
            assert_eq!(id, Some(RequestId::Number(4)));
            let Some(Line::Whole(next)) = lines.next().await.unwrap() else { panic!("not whole") };
            assert_eq!(next, b"next");
            assert!(lines.next().await.unwrap().is_none());
            assert!(lines.buffer.capacity() <= BUFFER_KEPT, "the buffer was given back");
        }
    }

    #[tokio::test]
    async fn a_line_of_exactly_the_limit_is_whole() {
        let input = [vec![b'x'; 10], b"\n".to_vec(), vec![b'y'; 11], b"\n".to_vec()].concat();
        let mut lines = Lines::new(input.as_slice(), 10);
        assert!(matches!(lines.next().await, Ok(Some(Line::Whole(line))) if line.len() == 10));
        assert!(matches!(lines.next().await, Ok(Some(Line::TooLong(None)))));
        assert!(matches!(lines.next().await, Ok(None)));
    }
}
