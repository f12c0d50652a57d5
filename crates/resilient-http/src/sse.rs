//! The older transport with two addresses: a stream of what the server says, and one to which a client posts.
//!
//! The SDK has it no more. It is the transport of lines over another pair of streams: what is posted becomes a line,
//! and each line of the server becomes an event. So everything that holds for standard streams holds here.

use std::collections::HashMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use bytes::{BufMut as _, Bytes, BytesMut};
use http::{HeaderValue, Response, StatusCode, header};
use http_body::{Body, Frame};
use http_body_util::BodyExt as _;
use resilient_mcp::guard::{Guarded, Kind, guard};
use resilient_mcp::{Busy, Caller, Hold, Work};
use tokio::io::{
    AsyncRead as _, AsyncWriteExt as _, DuplexStream, ReadBuf, ReadHalf, WriteHalf, duplex, split,
};
use tokio::sync::mpsc;
use tokio::time::{Interval, MissedTickBehavior, interval};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::body::{Held, Reply, Taken, handshake_too_long, later, plain};
use crate::door::Door;
use crate::hosted::Hosted;
use crate::limits::{HANDSHAKE_MAX, HEARTBEAT, SESSIONS_MAX};
use crate::token::unguessable;

/// What lies between a client and its server at most, each way.
const PIPE: usize = 64 << 10;

/// One workspace over SSE.
pub(crate) struct Sse<S> {
    server: S,
    door: Arc<Door>,
    /// Where clients post to.
    messages: String,
    sessions: Sessions,
    streams: Busy,
}

type Sessions = Arc<Mutex<HashMap<String, Arc<Session>>>>;

/// One client.
struct Session {
    caller: Caller,
    to_server: tokio::sync::Mutex<WriteHalf<DuplexStream>>,
    /// What is held for each line until its request is done, in the order of the lines.
    holds: mpsc::UnboundedSender<Hold>,
    /// Its stream has ended.
    gone: CancellationToken,
}

impl<S: Hosted> Sse<S> {
    /// A workspace whose clients post to `messages`.
    pub(crate) fn new(server: &S, door: Arc<Door>, messages: String) -> Self {
        let server = server.clone();
        Self { server, door, messages, sessions: Sessions::default(), streams: Busy::default() }
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
        let (ours, theirs) = duplex(PIPE);
        let (from_client, to_client) = split(theirs);
        let (from_server, to_server) = split(ours);
        // It ends with its streams; what was under way is done by then.
        let (holds, held) = mpsc::unbounded_channel();
        tokio::spawn(self.server.for_caller(caller.clone()).speak(from_client, to_client, held));
        let (to_server, gone) = (tokio::sync::Mutex::new(to_server), CancellationToken::new());
        let gone_at_end = gone.clone().drop_guard();
        let session = Arc::new(Session { caller: caller.clone(), to_server, holds, gone });
        lock(&self.sessions).insert(id.clone(), session);

        let hello = format!("event: endpoint\ndata: {}?session_id={id}\n\n", self.messages);
        let mut heartbeat = interval(HEARTBEAT);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        heartbeat.reset();
        let events = Events {
            hello: Some(Bytes::from(hello)),
            from_server,
            is_line_begun: false,
            heartbeat,
            _stream: self.streams.begin(),
            _listed: Listed { id, sessions: Arc::clone(&self.sessions), _gone: gone_at_end },
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

    /// Takes what a client posts; the answer comes on its stream.
    pub(crate) async fn post(&self, query: &str, taken: Taken, caller: &Caller) -> Reply {
        let id = query.split('&').find_map(|pair| {
            pair.strip_prefix("session_id=").or_else(|| pair.strip_prefix("sessionId="))
        });
        let session = id.and_then(|id| lock(&self.sessions).get(id).map(Arc::clone));
        let Some(session) = session.filter(|session| session.caller == *caller) else {
            return plain(StatusCode::NOT_FOUND, "there is no such session; open a stream first\n");
        };
        // The server keeps what a client says of itself.
        if taken.bytes.len() > HANDSHAKE_MAX && is_handshake(&taken.bytes) {
            return handshake_too_long();
        }
        // In JSON, a line end is never part of a text.
        let mut line = BytesMut::from(taken.bytes.as_ref());
        line.iter_mut().filter(|it| matches!(**it, b'\n' | b'\r')).for_each(|it| *it = b' ');
        line.put_u8(b'\n');
        // On its own: a client that goes away in the middle leaves no half line.
        let room: Hold = Arc::new(taken.room);
        let written = tokio::spawn(async move {
            let write = async {
                let mut to_server = session.to_server.lock().await;
                let _ = session.holds.send(room);
                to_server.write_all(&line).await.is_ok()
            };
            // A server that waits for its client to listen takes nothing: both would wait for ever.
            tokio::select! {
                biased;
                written = write => written,
                () = session.gone.cancelled() => false,
            }
        });
        match written.await {
            Ok(true) => plain(StatusCode::ACCEPTED, "Accepted"),
            _ => plain(StatusCode::GONE, "the session has ended; open a stream again\n"),
        }
    }

    /// Takes nothing more from any client. Each stream ends once all is answered.
    pub(crate) async fn close(&self) {
        let sessions: Vec<Arc<Session>> = lock(&self.sessions).values().cloned().collect();
        for session in sessions {
            let _ = session.to_server.lock().await.shutdown().await;
        }
    }
}

fn is_handshake(body: &[u8]) -> bool {
    matches!(
        guard(body),
        Guarded::Whole(Kind::Handshake, _) | Guarded::Mended(_, Kind::Handshake, _)
    )
}

fn lock(sessions: &Sessions) -> MutexGuard<'_, HashMap<String, Arc<Session>>> {
    sessions.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A session that can be posted to until this is dropped.
struct Listed {
    id: String,
    sessions: Sessions,
    _gone: DropGuard,
}

impl Drop for Listed {
    fn drop(&mut self) {
        lock(&self.sessions).remove(&self.id);
    }
}

/// The lines of a server as events.
struct Events {
    hello: Option<Bytes>,
    from_server: ReadHalf<DuplexStream>,
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
                        let beat = Bytes::from_static(b": still here\n\n");
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
    use tokio::task::yield_now;

    use super::*;
    use crate::address::Names;
    use crate::body::Unsent;

    /// A server that takes nothing and says nothing.
    #[derive(Clone, Default)]
    struct Deaf(Busy);

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
            &self.0
        }

        fn end_subscriptions(&self) {}

        async fn speak(
            self,
            _from_client: ReadHalf<DuplexStream>,
            _to_client: WriteHalf<DuplexStream>,
            _held: mpsc::UnboundedReceiver<Hold>,
        ) {
            std::future::pending::<()>().await;
        }
    }

    #[tokio::test]
    async fn what_waits_for_a_server_ends_with_the_stream() {
        let door = Arc::new(Door::new(Names::default(), None));
        let sse = Arc::new(Sse::new(&Deaf::default(), door, "/messages/".to_owned()));
        let stream = sse.stream(Caller::default());
        let query = format!("session_id={}", lock(&sse.sessions).keys().next().unwrap());
        let post = {
            let taken = Taken {
                bytes: Bytes::from(vec![b' '; 2 * PIPE]),
                room: None,
                unsent: Unsent::default(),
            };
            let sse = Arc::clone(&sse);
            tokio::spawn(async move { sse.post(&query, taken, &Caller::default()).await })
        };
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
