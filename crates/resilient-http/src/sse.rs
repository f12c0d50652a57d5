//! The older transport with two addresses: a stream of what the server says, and one to which a client posts.
//!
//! The SDK has it no more. It is the transport of lines over another pair of streams: what is posted becomes a line,
//! and each line of the server becomes an event. So everything that holds for standard streams holds here.
//!
//! A body is handed over as a whole once its server wants a line. Until then it can be taken back: a server takes nothing as
//! long as its client does not read what it was answered. A client may look for the answer to its request on the stream
//! alone, so one that is refused has an error there, too.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{BufMut as _, Bytes, BytesMut};
use http::request::Parts;
use http::{HeaderValue, Response, StatusCode, header};
use http_body::{Body, Frame};
use http_body_util::BodyExt as _;
use resilient_mcp::guard::{Guarded, Kind, cancelled, guard};
use resilient_mcp::{Afar, Busy, Caller, Cancel, Hold, Work};
use rmcp::model::{ProtocolVersion, RequestId};
use serde_json::Value;
use tokio::io::{AsyncRead, DuplexStream, ReadBuf, duplex};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::time::{Interval, MissedTickBehavior, interval, timeout};

use crate::body::{Held, Missed, Reply, Taken, ending, later, plain};
use crate::door::Door;
use crate::hosted::Hosted;
use crate::limits::{COMES_BACK, HANDSHAKE_MAX, HEARTBEAT, POST_PATIENCE, SESSIONS_MAX};
use crate::refused;
use crate::token::unguessable;

/// What lies between a server and its client at most.
const PIPE: usize = 64 << 10;

/// So many refusals wait for a client that does not read its stream. It is not told there of more.
const REFUSALS_MAX: usize = 64;

/// What is sent where nothing is to be said.
const BEAT: &[u8] = b": still here\n\n";

/// Why a server takes nothing more.
const FULL: &str = "the session takes nothing more now: read its stream, or wait for its calls, and send this again\n";

/// One workspace over SSE.
pub(crate) struct Sse<S> {
    server: S,
    door: Arc<Door>,
    /// Where clients post to.
    messages: String,
    sessions: Sessions,
    streams: Busy,
    /// How long a body waits while its server takes none.
    patience: Duration,
}

type Sessions = Arc<Mutex<HashMap<String, Arc<Session>>>>;

/// One client.
struct Session {
    caller: Caller,
    /// Has one permit while the server wants a line. Closed once it gets no more.
    wanted: Arc<Semaphore>,
    /// How many lines the server got.
    got: AtomicU64,
    /// `None` once the server gets no more.
    posts: Mutex<Option<mpsc::UnboundedSender<Post>>>,
    /// What the server is to cancel before it wants the next line.
    cancels: mpsc::UnboundedSender<Cancel>,
    /// The version that the client has named first beside what it posts.
    version: Arc<OnceLock<ProtocolVersion>>,
    /// The errors for requests that the server does not get. An empty one has the stream look whether its client may go on.
    refusals: mpsc::Sender<Bytes>,
}

/// A line, and what is held until its request is done.
type Post = (Bytes, Hold);

/// Why a server does not get a line.
enum Unwanted {
    Ended,
    /// It has taken none for a while.
    Busy,
}

/// The lines of a client for its server.
struct Lines {
    wanted: Arc<Semaphore>,
    /// Whether the next line is wanted already.
    is_wanted: bool,
    posts: mpsc::UnboundedReceiver<Post>,
    /// What is left of the line that is being read.
    line: Bytes,
    /// What is held for each line, in the order of the lines.
    holds: mpsc::UnboundedSender<Hold>,
}

impl<S: Hosted> Sse<S> {
    /// A workspace whose clients post to `messages`.
    pub(crate) fn new(server: &S, door: Arc<Door>, messages: String) -> Self {
        let server = server.clone();
        let (sessions, streams) = Default::default();
        Self { server, door, messages, sessions, streams, patience: POST_PATIENCE }
    }

    /// How many sessions live.
    pub(crate) fn count(&self) -> usize {
        lock(&self.sessions).len()
    }

    /// The streams that are open.
    pub(crate) fn streams(&self) -> &Busy {
        &self.streams
    }

    /// Begins a session: the answer is its stream.
    pub(crate) fn stream(&self, caller: Caller) -> Reply {
        if self.count() >= SESSIONS_MAX {
            return later("too many sessions live; try again\n");
        }
        let Ok(id) = unguessable() else {
            return plain(StatusCode::INTERNAL_SERVER_ERROR, "the system has no randomness\n");
        };
        let (from_server, to_client) = duplex(PIPE);
        let (to_stream, refusals) = mpsc::channel(REFUSALS_MAX);
        let (session, lines, afar) = Session::begin(caller.clone(), to_stream);
        // It ends with its streams; what was under way is done by then.
        tokio::spawn(self.server.for_caller(caller.clone()).speak(lines, to_client, afar));
        lock(&self.sessions).insert(id.clone(), session);

        let (messages, retry) = (&self.messages, COMES_BACK.as_millis());
        let hello =
            format!("event: endpoint\ndata: {messages}?session_id={id}\nretry: {retry}\n\n");
        let mut heartbeat = interval(HEARTBEAT);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        heartbeat.reset();
        let events = Events {
            hello: Some(Bytes::from(hello)),
            from_server,
            refusals,
            is_line_begun: false,
            heartbeat,
            _stream: self.streams.begin(),
            _listed: Listed { id, sessions: Arc::clone(&self.sessions) },
        };
        let door = Arc::clone(&self.door);
        let body = Held::as_long_as(events, move || door.still_has(&caller));
        let mut reply = Response::new(body.boxed_unsync());
        let headers = reply.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
        reply
    }

    /// Takes what a client posts; the answer comes on its stream. If the server `ends`, only what is not answered is taken.
    pub(crate) async fn post(
        &self,
        head: &Parts,
        taken: Taken,
        caller: &Caller,
        ends: bool,
    ) -> Reply {
        let Some(session) = self.session(head, caller) else {
            return plain(
                StatusCode::NOT_FOUND,
                "Session not found: it has ended; open a stream with GET for a new one\n",
            );
        };
        if ends {
            let guarded = guard(&taken.bytes);
            if !matches!(guarded, Guarded::Whole(Kind::Unanswered, _)) {
                return session.refuse(ending(), request_of(guarded)).await;
            }
        }
        session.speaks(head);
        let is_cancelled = session.cancel(cancelled(&taken.bytes));
        // In JSON, a line end is never part of a text.
        let mut line = BytesMut::from(taken.bytes);
        line.iter_mut().filter(|it| matches!(**it, b'\n' | b'\r')).for_each(|it| *it = b' ');
        line.put_u8(b'\n');
        let line = line.freeze();
        let handed = tokio::select! {
            biased;
            Ok(()) = is_cancelled => Ok(()),
            handed = session.hand_over((line.clone(), Arc::new(taken.room)), self.patience) => handed,
        };
        match handed {
            Ok(()) => plain(StatusCode::ACCEPTED, "Accepted"),
            Err(Unwanted::Ended) => {
                plain(StatusCode::GONE, "the session has ended; open a stream again\n")
            }
            Err(Unwanted::Busy) => session.refuse(later(FULL), request_of(guard(&line))).await,
        }
    }

    /// The answer to a body that is not taken.
    pub(crate) async fn miss(&self, head: &Parts, missed: Missed, caller: &Caller) -> Reply {
        let Some(session) = self.session(head, caller) else { return missed.leave() };
        let (reply, id) = missed.passed_over().await;
        session.refuse(reply, id).await
    }

    /// Has the stream of a session end if its client may no longer be in.
    pub(crate) fn look_again(&self, head: &Parts) {
        if let Some(session) = self.named(head) {
            // If it is full, the client does not read it, or the next error looks.
            let _ = session.refusals.try_send(Bytes::new());
        }
    }

    /// The session that a client posts to, if it is its own.
    fn session(&self, head: &Parts, caller: &Caller) -> Option<Arc<Session>> {
        self.named(head).filter(|session| session.caller == *caller)
    }

    fn named(&self, head: &Parts) -> Option<Arc<Session>> {
        let id = head.uri.query()?.split('&').find_map(|pair| {
            pair.strip_prefix("session_id=").or_else(|| pair.strip_prefix("sessionId="))
        });
        lock(&self.sessions).get(id?).map(Arc::clone)
    }

    /// Takes nothing more from any client. Each stream ends once all is answered.
    pub(crate) fn close(&self) {
        lock(&self.sessions).values().for_each(|session| session.end());
    }
}

impl Session {
    /// A session, what its server reads, and what holds for that.
    fn begin(caller: Caller, refusals: mpsc::Sender<Bytes>) -> (Arc<Self>, Lines, Afar) {
        let (holds, held) = mpsc::unbounded_channel();
        let (to_server, posts) = mpsc::unbounded_channel();
        let wanted = Arc::new(Semaphore::new(0));
        let of_server = Arc::clone(&wanted);
        let lines = Lines { wanted: of_server, is_wanted: false, posts, line: Bytes::new(), holds };
        let (got, posts) = (AtomicU64::new(0), Mutex::new(Some(to_server)));
        let (cancels, to_cancel) = mpsc::unbounded_channel();
        let version = Arc::<OnceLock<_>>::default();
        let of_client = Arc::clone(&version);
        let afar =
            Afar { held, handshake_max: HANDSHAKE_MAX, cancels: to_cancel, version: of_client };
        (Arc::new(Self { caller, wanted, got, posts, cancels, version, refusals }), lines, afar)
    }

    /// Keeps the version that a client names.
    fn speaks(&self, head: &Parts) {
        let named = head.headers.get("mcp-protocol-version").and_then(|it| it.to_str().ok());
        let known = ProtocolVersion::KNOWN_VERSIONS.iter().find(|it| Some(it.as_str()) == named);
        if let Some(known) = known {
            self.version.get_or_init(|| known.clone());
        }
    }

    /// Has the server cancel a request if it is at work. Who cancels one needs no turn then.
    fn cancel(&self, id: Option<RequestId>) -> oneshot::Receiver<()> {
        let (told, is_cancelled) = oneshot::channel();
        if let Some(id) = id {
            // A server that has ended cancels nothing.
            let _ = self.cancels.send((id, told));
        }
        is_cancelled
    }

    /// Hands a line over once the server wants one, in the order in which this was called.
    ///
    /// # Errors
    /// The server gets it not, nor any part of it.
    async fn hand_over(&self, post: Post, patience: Duration) -> Result<(), Unwanted> {
        let mut turn = pin!(self.wanted.acquire());
        loop {
            let before = self.got.load(Ordering::Relaxed);
            match timeout(patience, turn.as_mut()).await {
                Ok(turn) => {
                    turn.map_err(|_| Unwanted::Ended)?.forget();
                    self.got.fetch_add(1, Ordering::Relaxed);
                    let posts = self.posts.lock().unwrap_or_else(PoisonError::into_inner);
                    let sent = posts.as_ref().and_then(|posts| posts.send(post).ok());
                    return sent.ok_or(Unwanted::Ended);
                }
                Err(_) if self.got.load(Ordering::Relaxed) == before => return Err(Unwanted::Busy),
                // It is at work on others.
                Err(_) => {}
            }
        }
    }

    /// The answer to a body that the server does not get.
    async fn refuse(&self, reply: Reply, id: Option<RequestId>) -> Reply {
        // If it is full, the client does not read it.
        let tell = |error: &Value| self.refusals.try_send(format!("{error}\n").into()).is_ok();
        refused::on_stream(reply, id, tell).await
    }

    /// The server gets nothing more.
    fn end(&self) {
        self.wanted.close();
        self.posts.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl AsyncRead for Lines {
    /// Gives nothing of the next line before the one before it was read.
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.line.is_empty() {
            if !self.is_wanted {
                self.is_wanted = true;
                self.wanted.add_permits(1);
            }
            let Some((line, hold)) = ready!(self.posts.poll_recv(context)) else {
                return Poll::Ready(Ok(()));
            };
            // A server that has no use for it drops it.
            let _ = self.holds.send(hold);
            (self.line, self.is_wanted) = (line, false);
        }
        let count = buffer.remaining().min(self.line.len());
        buffer.put_slice(&self.line.split_to(count));
        Poll::Ready(Ok(()))
    }
}

impl Drop for Lines {
    /// What waits for a server that has ended waits for nothing.
    fn drop(&mut self) {
        self.wanted.close();
    }
}

/// The id of the request in a body.
fn request_of(body: Guarded) -> Option<RequestId> {
    match body {
        Guarded::Whole(kind, _) | Guarded::Mended(_, kind, _) => kind.id().cloned(),
        Guarded::Refused(_) => None,
    }
}

fn lock(sessions: &Sessions) -> MutexGuard<'_, HashMap<String, Arc<Session>>> {
    sessions.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A session that can be posted to until this is dropped.
struct Listed {
    id: String,
    sessions: Sessions,
}

impl Drop for Listed {
    fn drop(&mut self) {
        if let Some(session) = lock(&self.sessions).remove(&self.id) {
            session.end();
        }
    }
}

/// The lines of a server as events.
struct Events {
    hello: Option<Bytes>,
    from_server: DuplexStream,
    refusals: mpsc::Receiver<Bytes>,
    /// Whether a line is on its way: nothing may come between its pieces.
    is_line_begun: bool,
    heartbeat: Interval,
    _stream: Work,
    _listed: Listed,
}

impl Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = &mut *self;
        if let Some(hello) = this.hello.take() {
            return Poll::Ready(Some(Ok(Frame::data(hello))));
        }
        if !this.is_line_begun
            && let Poll::Ready(Some(line)) = this.refusals.poll_recv(context)
        {
            let events = if line.is_empty() {
                Bytes::from_static(BEAT)
            } else {
                framed(&line, &mut this.is_line_begun)
            };
            return Poll::Ready(Some(Ok(Frame::data(events))));
        }
        let mut piece = [0; 16 << 10];
        let mut buffer = ReadBuf::new(&mut piece);
        match Pin::new(&mut this.from_server).poll_read(context, &mut buffer) {
            Poll::Ready(Ok(())) if !buffer.filled().is_empty() => {
                let events = framed(buffer.filled(), &mut this.is_line_begun);
                Poll::Ready(Some(Ok(Frame::data(events))))
            }
            Poll::Ready(_) => Poll::Ready(None),
            Poll::Pending => {
                while this.heartbeat.poll_tick(context).is_ready() {
                    if !this.is_line_begun {
                        let beat = Bytes::from_static(BEAT);
                        return Poll::Ready(Some(Ok(Frame::data(beat))));
                    }
                }
                Poll::Pending
            }
        }
    }
}

/// A piece of lines as a piece of events.
fn framed(lines: &[u8], is_line_begun: &mut bool) -> Bytes {
    let mut events = BytesMut::with_capacity(lines.len() + 64);
    for line in lines.split_inclusive(|byte| *byte == b'\n') {
        if !*is_line_begun {
            events.put_slice(b"event: message\ndata: ");
        }
        events.put_slice(line);
        *is_line_begun = !line.ends_with(b"\n");
        if !*is_line_begun {
            events.put_u8(b'\n');
        }
    }
    events.freeze()
}

#[cfg(test)]
mod tests {
    use resilient_mcp::{Tallied, Unready};
    use rmcp::ServerHandler;
    use serde_json::json;
    use tokio::io::{AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
    use tokio::sync::OwnedSemaphorePermit;
    use tokio::task::yield_now;

    use super::*;
    use crate::address::Names;
    use crate::body::{ENDING, Unsent};

    /// A server that takes nothing, and says a line in two pieces, each once it is told to.
    #[derive(Clone)]
    struct Deaf {
        calls: Busy,
        says: Arc<Semaphore>,
    }

    impl ServerHandler for Deaf {}

    impl Hosted for Deaf {
        fn for_caller(&self, _caller: Caller) -> Self {
            self.clone()
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

        async fn speak(
            self,
            _from_client: impl AsyncRead + Send + Unpin + 'static,
            mut to_client: impl AsyncWrite + Send + Unpin + 'static,
            _afar: Afar,
        ) {
            for piece in ["one ", "line\n"] {
                self.says.acquire().await.unwrap().forget();
                to_client.write_all(piece.as_bytes()).await.unwrap();
            }
            std::future::pending::<()>().await;
        }
    }

    fn sse(patience: Duration) -> Arc<Sse<Deaf>> {
        let door = Arc::new(Door::new(Names::default(), None));
        let deaf = Deaf { calls: Busy::default(), says: Arc::new(Semaphore::new(0)) };
        let sse = Sse::new(&deaf, door, "/messages/".to_owned());
        Arc::new(Sse { patience, ..sse })
    }

    /// Posts to the only session; if it `ends`, the server takes nothing new.
    fn post(
        sse: &Arc<Sse<Deaf>>,
        body: &str,
        room: Option<OwnedSemaphorePermit>,
        ends: bool,
    ) -> impl Future<Output = Reply> + use<> {
        let head = head(sse);
        let bytes = Bytes::from(body.to_owned());
        let (taken, sse) = (Taken { bytes, room, unsent: Unsent::default() }, Arc::clone(sse));
        async move { sse.post(&head, taken, &Caller::default(), ends).await }
    }

    /// The head of what is posted to the only session.
    fn head(sse: &Sse<Deaf>) -> Parts {
        let id = lock(&sse.sessions).keys().next().unwrap().clone();
        let request = http::Request::post(format!("/messages/?session_id={id}"));
        request.body(()).unwrap().into_parts().0
    }

    #[tokio::test]
    async fn what_waits_for_a_server_ends_with_the_stream() {
        let sse = sse(Duration::MAX);
        let stream = sse.stream(Caller::default());
        let post = tokio::spawn(post(&sse, "", None, false));
        for _ in 0..100 {
            yield_now().await;
        }
        assert!(!post.is_finished());
        drop(stream);
        for _ in 0..100 {
            yield_now().await;
        }
        assert!(post.is_finished(), "it waits for ever");
        assert_eq!(post.await.unwrap().status(), StatusCode::GONE);
    }

    /// Before, the bodies for a server whose client does not read kept their room for half a minute.
    #[tokio::test]
    async fn what_a_server_does_not_take_is_refused_and_gives_its_room_back() {
        let sse = sse(Duration::ZERO);
        let _stream = sse.stream(Caller::default());
        let room = Arc::new(Semaphore::new(1));
        let permit = Arc::clone(&room).acquire_owned().await.unwrap();
        let refused = post(&sse, "", Some(permit), false).await;
        assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(room.available_permits(), 1);
    }

    /// Before, clients that look for the answer on the stream alone waited for ever.
    #[tokio::test]
    async fn a_request_that_is_refused_has_an_error_on_the_stream_between_two_lines() {
        let sse = sse(Duration::ZERO);
        let mut stream = sse.stream(Caller::default()).into_body();
        let mut next = async || {
            let frame = stream.frame().await.unwrap().unwrap();
            String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap()
        };
        let hello = next().await;
        assert!(hello.starts_with("event: endpoint\n") && hello.ends_with("\nretry: 1000\n\n"));
        sse.server.says.add_permits(1);
        assert_eq!(next().await, "event: message\ndata: one ");
        let ping = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
        let call = r#"{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"x","arguments":"{}"}}"#;
        let told = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        for (body, ends) in [(told, false), (ping, false), (call, false), (ping, true)] {
            let refused = post(&sse, body, None, ends).await;
            assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE, "{body}");
        }
        sse.server.says.add_permits(1);
        assert_eq!(next().await, "line\n\n");
        // A refusal at the door has the stream look whether its client may still be in.
        sse.look_again(&head(&sse));
        for (id, why) in [(json!(7), FULL), (json!("x"), FULL), (json!(7), ENDING)] {
            let error = json!({"code": -32000, "message": why.trim_end()});
            let error = json!({"jsonrpc": "2.0", "id": id, "error": error});
            assert_eq!(next().await, format!("event: message\ndata: {error}\n\n"));
        }
        assert_eq!(next().await.as_bytes(), BEAT);
    }

    #[tokio::test]
    async fn a_server_gets_each_line_as_a_whole_and_none_that_was_taken_back() {
        let (session, mut lines, mut afar) = Session::begin(Caller::default(), mpsc::channel(1).0);
        let post =
            |line: &'static str| -> Post { (Bytes::from_static(line.as_bytes()), Arc::new(())) };
        let late = session.hand_over(post("late\n"), Duration::ZERO);
        assert!(matches!(late.await, Err(Unwanted::Busy)));
        let hand_over = async {
            for line in ["one\n", "two\n"] {
                assert!(session.hand_over(post(line), Duration::MAX).await.is_ok());
            }
        };
        let read = async {
            let mut piece = [0; 8];
            for line in ["one\n", "two\n"] {
                let count = lines.read(&mut piece).await.unwrap();
                assert_eq!(
                    (&piece[..count], afar.held.try_recv().is_ok()),
                    (line.as_bytes(), true)
                );
            }
        };
        tokio::join!(hand_over, read);
        session.end();
        assert_eq!(lines.read(&mut [0; 8]).await.unwrap(), 0);
        assert!(matches!(
            session.hand_over(post("x\n"), Duration::MAX).await,
            Err(Unwanted::Ended)
        ));
    }

    #[test]
    fn each_line_is_an_event_however_it_is_cut() {
        let expected = "event: message\ndata: {1}\n\nevent: message\ndata: {2}\n\n";
        let lines = b"{1}\n{2}\n";
        for cut in 0..=lines.len() {
            let mut begun = false;
            let (one, other) = lines.split_at(cut);
            let events = [framed(one, &mut begun), framed(other, &mut begun)].concat();
            assert_eq!(String::from_utf8(events).unwrap(), expected, "{cut}");
            assert!(!begun);
        }
    }
}
