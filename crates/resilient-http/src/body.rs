//! Bodies: what a client sends, taken within limits; and what it is sent.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use http::request::Parts;
use http::{Response, StatusCode, header};
use http_body::{Body, Frame};
use http_body_util::{BodyExt as _, Full, combinators::UnsyncBoxBody};
use hyper::body::Incoming;
use resilient_mcp::Skim;
use rmcp::model::RequestId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};

use crate::limits::{
    ANSWER_PATIENCE, ANSWERS_MAX, BODIES_MAX, BODY_MAX, BODY_PATIENCE, HANDSHAKE_MAX, LINGERS,
    PASSED_OVER, PIECE_PATIENCE,
};

/// An answer.
pub(crate) type Reply = Response<UnsyncBoxBody<Bytes, Infallible>>;

/// The room for the bodies of all requests. While many answers wait for their clients, there is none.
#[derive(Debug, Clone)]
pub(crate) struct Room {
    bytes: Arc<Semaphore>,
    unsent: Unsent,
}

/// How many bytes of answers wait for their clients.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unsent {
    bytes: Arc<AtomicUsize>,
}

/// An answer that waits for its client until this is dropped.
#[derive(Debug)]
pub(crate) struct Waiting {
    of: Unsent,
    bytes: usize,
}

impl Unsent {
    pub(crate) fn waits(&self, bytes: usize) -> Waiting {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        Waiting { of: self.clone(), bytes }
    }

    fn are_many(&self) -> bool {
        self.bytes.load(Ordering::Relaxed) > ANSWERS_MAX
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.of.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Why a body is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Untaken {
    TooLong,
    TooSlow,
    NoRoom,
    /// The client went away, or sends what is no HTTP.
    Broken,
}

/// A body that is not taken.
pub(crate) struct Missed {
    pub(crate) why: Untaken,
    /// What was read of it.
    begun: Taken,
    /// The piece behind that.
    piece: Bytes,
    /// `None` if nothing more comes.
    rest: Option<Incoming>,
}

/// A body, which has its room until this is dropped.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) bytes: Bytes,
    pub(crate) room: Option<OwnedSemaphorePermit>,
    /// Where its answer counts.
    pub(crate) unsent: Unsent,
}

impl Default for Room {
    fn default() -> Self {
        Self { bytes: Arc::new(Semaphore::new(BODIES_MAX)), unsent: Unsent::default() }
    }
}

impl Room {
    /// Takes all of a body.
    ///
    /// # Errors
    /// It is too long, comes too slowly, or not at all; too many bodies are here, or too many answers wait.
    pub(crate) async fn take(&self, head: &Parts, mut body: Incoming) -> Result<Taken, Missed> {
        let unsent = self.unsent.clone();
        let mut taken = Taken { bytes: Bytes::new(), room: None, unsent };
        let mut bytes = BytesMut::new();
        let collected = if self.unsent.are_many() {
            Err((Untaken::NoRoom, Bytes::new()))
        } else if body.size_hint().lower() > BODY_MAX as u64 {
            Err((Untaken::TooLong, Bytes::new()))
        } else {
            self.collect(&mut body, &mut taken.room, &mut bytes).await
        };
        taken.bytes = bytes.freeze();
        let Err((why, piece)) = collected else { return Ok(taken) };
        let comes = matches!(why, Untaken::TooLong | Untaken::NoRoom) && comes(head, &body);
        Err(Missed { why, begun: taken, piece, rest: comes.then_some(body) })
    }

    /// Reads a body to its end, or up to a piece that is not taken.
    async fn collect(
        &self,
        body: &mut Incoming,
        room: &mut Option<OwnedSemaphorePermit>,
        bytes: &mut BytesMut,
    ) -> Result<(), (Untaken, Bytes)> {
        let deadline = Instant::now() + BODY_PATIENCE;
        let without = |why| (why, Bytes::new());
        loop {
            let piece = timeout(PIECE_PATIENCE, body.frame());
            let piece = timeout_at(deadline, piece).await;
            let piece = piece.ok().and_then(Result::ok).ok_or(without(Untaken::TooSlow))?;
            let Some(frame) = piece else { return Ok(()) };
            let frame = frame.map_err(|_| without(Untaken::Broken))?;
            let Ok(piece) = frame.into_data() else { continue };
            let length = u32::try_from(piece.len()).ok();
            let is_short = piece.len() <= BODY_MAX.saturating_sub(bytes.len());
            let Some(length) = length.filter(|_| is_short) else {
                return Err((Untaken::TooLong, piece));
            };
            let Ok(more) = Arc::clone(&self.bytes).try_acquire_many_owned(length) else {
                return Err((Untaken::NoRoom, piece));
            };
            match room {
                Some(room) => room.merge(more),
                None => *room = Some(more),
            }
            bytes.extend_from_slice(&piece);
        }
    }
}

impl Missed {
    /// Leaves it: its client sees the answer all the same.
    pub(crate) fn leave(self) -> Reply {
        if let Some(rest) = self.rest {
            tokio::spawn(pass_over(rest, |_| {}));
        }
        untaken(self.why)
    }

    /// Passes over all of it before the answer, and looks for the id of its request meanwhile.
    pub(crate) async fn passed_over(self) -> (Reply, Option<RequestId>) {
        let mut skim = Skim::default();
        if let Some(rest) = self.rest {
            skim.feed(&self.begun.bytes);
            skim.feed(&self.piece);
            drop((self.begun, self.piece));
            pass_over(rest, |piece| skim.feed(piece)).await;
        }
        (untaken(self.why), skim.id())
    }
}

/// Leaves a body that nobody takes: its client sees the answer all the same.
pub(crate) fn leave(head: &Parts, body: Incoming) {
    if comes(head, &body) {
        tokio::spawn(pass_over(body, |_| {}));
    }
}

/// Whether the client sends more of a body. One that asks first sends nothing.
fn comes(head: &Parts, body: &Incoming) -> bool {
    !body.is_end_stream() && !head.headers.contains_key(header::EXPECT)
}

/// Reads on, shows each piece, and keeps nothing. A client that reads nothing before it has sent all would not see the
/// answer if its connection were closed meanwhile.
async fn pass_over(mut body: Incoming, mut show: impl FnMut(&[u8])) {
    let deadline = Instant::now() + PASSED_OVER;
    loop {
        let piece = timeout(LINGERS, body.frame());
        match timeout_at(deadline, piece).await {
            Ok(Ok(Some(Ok(frame)))) => frame.data_ref().into_iter().for_each(|piece| show(piece)),
            _ => return,
        }
    }
}

/// A short answer in words.
pub(crate) fn plain(status: StatusCode, text: impl Into<String>) -> Reply {
    whole(status, "text/plain; charset=utf-8", text.into())
}

/// A short answer as JSON.
pub(crate) fn json(status: StatusCode, value: &serde_json::Value) -> Reply {
    whole(status, "application/json", value.to_string())
}

/// A whole answer of a type.
pub(crate) fn whole(status: StatusCode, kind: &'static str, text: String) -> Reply {
    let mut reply = Response::new(Full::new(Bytes::from(text)).boxed_unsync());
    *reply.status_mut() = status;
    let headers = reply.headers_mut();
    headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-store"));
    reply
}

/// The answer to a body that is not taken.
fn untaken(why: Untaken) -> Reply {
    match why {
        Untaken::TooLong => {
            let text = format!("a body has at most {BODY_MAX} bytes; send the content in parts\n");
            plain(StatusCode::PAYLOAD_TOO_LARGE, text)
        }
        Untaken::TooSlow => plain(StatusCode::REQUEST_TIMEOUT, "the body came too slowly\n"),
        Untaken::NoRoom => {
            later("too many bodies are being worked on, or answers wait; send it again\n")
        }
        Untaken::Broken => plain(StatusCode::BAD_REQUEST, "the body broke off\n"),
    }
}

/// The answer to a handshake that is too long to be kept.
pub(crate) fn handshake_too_long() -> Reply {
    let text = format!("a handshake has at most {HANDSHAKE_MAX} bytes\n");
    plain(StatusCode::PAYLOAD_TOO_LARGE, text)
}

/// Why nothing begins while the server ends.
pub(crate) const ENDING: &str = "the server is ending; nothing was done\n";

/// The answer to what would begin while the server ends.
pub(crate) fn ending() -> Reply {
    later(ENDING)
}

/// The answer to what may succeed in a moment.
pub(crate) fn later(text: &str) -> Reply {
    let mut reply = plain(StatusCode::SERVICE_UNAVAILABLE, text);
    reply.headers_mut().insert(header::RETRY_AFTER, header::HeaderValue::from_static("1"));
    reply
}

/// A body that holds something until it is sent, and ends early once it may no longer go on.
pub(crate) struct Held<B> {
    body: B,
    /// Whether the client may still have the next piece.
    may_go_on: Option<Box<dyn Fn() -> bool + Send>>,
    /// What is given back when the body is sent.
    _kept: Option<Box<dyn Send>>,
}

impl<B> Held<B> {
    pub(crate) fn until_sent(body: B, kept: impl Send + 'static) -> Self {
        Self { body, may_go_on: None, _kept: Some(Box::new(kept)) }
    }

    pub(crate) fn as_long_as(body: B, may_go_on: impl Fn() -> bool + Send + 'static) -> Self {
        Self { body, may_go_on: Some(Box::new(may_go_on)), _kept: None }
    }
}

impl<B: Body<Data = Bytes, Error = Infallible> + Unpin> Body for Held<B> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = Pin::new(&mut self.body).poll_frame(context);
        if next.is_ready() && self.may_go_on.as_ref().is_some_and(|may| !may()) {
            return Poll::Ready(None);
        }
        next
    }

    /// Who sends it drops it at its end, and asks for the end only once what came before is nearly sent.
    fn is_end_stream(&self) -> bool {
        self._kept.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.body.size_hint()
    }
}

/// A body of which the beginning is there.
///
/// The SDK begins the answer to each request with an event that has a name alone, for a client whose connection breaks. Sent on its own, it
/// costs a write here and a wake of the client. So an answer that is soon done goes out as a whole.
pub(crate) struct Begun<B> {
    pieces: VecDeque<Bytes>,
    /// What is still to come; `None` if nothing is.
    rest: Option<B>,
}

impl<B> Begun<B> {
    /// How many bytes are there.
    pub(crate) fn len(&self) -> usize {
        self.pieces.iter().map(Bytes::len).sum()
    }
}

impl<B: Body<Data = Bytes, Error = Infallible> + Unpin> Begun<B> {
    /// Waits until a body has more than its first piece, for so long as an answer is waited for.
    pub(crate) async fn of(mut body: B) -> Self {
        let deadline = Instant::now() + ANSWER_PATIENCE;
        let mut pieces = VecDeque::new();
        while pieces.len() < 2 {
            match timeout_at(deadline, body.frame()).await {
                Ok(Some(Ok(frame))) => pieces.extend(frame.into_data()),
                Ok(None) => return Self { pieces, rest: None },
                Err(_) => return Self { pieces, rest: Some(body) },
            }
        }
        // The end comes with the answer.
        let next = poll_fn(|context| Poll::Ready(Pin::new(&mut body).poll_frame(context))).await;
        match next {
            Poll::Ready(None) => Self { pieces, rest: None },
            Poll::Ready(Some(Ok(frame))) => {
                pieces.extend(frame.into_data());
                Self { pieces, rest: Some(body) }
            }
            Poll::Pending => Self { pieces, rest: Some(body) },
        }
    }
}

impl<B: Body<Data = Bytes, Error = Infallible> + Unpin> Body for Begun<B> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(piece) = self.pieces.pop_front() {
            return Poll::Ready(Some(Ok(Frame::data(piece))));
        }
        match &mut self.rest {
            Some(rest) => Pin::new(rest).poll_frame(context),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.is_empty() && self.rest.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> http_body::SizeHint {
        match &self.rest {
            None => http_body::SizeHint::with_exact(self.len() as u64),
            Some(_) => http_body::SizeHint::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::task::Waker;

    use resilient_mcp::Busy;

    use super::*;

    /// Whether a piece comes.
    fn gives<B: Body + Unpin>(body: &mut B) -> bool {
        let next = Pin::new(body).poll_frame(&mut Context::from_waker(Waker::noop()));
        matches!(next, Poll::Ready(Some(Ok(_))))
    }

    #[test]
    fn a_stream_ends_once_its_client_may_no_longer_be_in() {
        let may = Arc::new(AtomicBool::new(true));
        let asked = Arc::clone(&may);
        let pieces = Full::new(Bytes::from_static(b"a"));
        let mut held = Held::as_long_as(pieces, move || asked.load(Ordering::Relaxed));
        assert!(gives(&mut held));
        let mut held = Held { body: Full::new(Bytes::from_static(b"b")), ..held };
        may.store(false, Ordering::Relaxed);
        assert!(!gives(&mut held));
    }

    /// A body whose pieces are sent to it.
    struct Pieces(tokio::sync::mpsc::UnboundedReceiver<&'static str>);

    impl Body for Pieces {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            let piece = self.0.poll_recv(context);
            piece.map(|piece| piece.map(|piece| Ok(Frame::data(Bytes::from(piece)))))
        }
    }

    #[tokio::test]
    async fn an_answer_that_is_soon_done_is_sent_as_a_whole() {
        let (pieces, body) = tokio::sync::mpsc::unbounded_channel();
        for piece in ["name", "answer"] {
            pieces.send(piece).unwrap();
        }
        drop(pieces);
        let begun = Begun::of(Pieces(body)).await;
        assert_eq!(begun.size_hint().exact(), Some(10));
        assert_eq!(begun.collect().await.unwrap().to_bytes(), "nameanswer");
    }

    #[tokio::test]
    async fn what_comes_before_an_answer_is_not_held_back() {
        let (pieces, body) = tokio::sync::mpsc::unbounded_channel();
        for piece in ["name", "progress"] {
            pieces.send(piece).unwrap();
        }
        let mut begun = Begun::of(Pieces(body)).await;
        assert_eq!(begun.size_hint().exact(), None);
        assert!(gives(&mut begun) && gives(&mut begun) && !gives(&mut begun));
        pieces.send("answer").unwrap();
        drop(pieces);
        assert_eq!(begun.collect().await.unwrap().to_bytes(), "answer");
    }

    #[test]
    fn answers_that_wait_for_their_clients_leave_no_room_for_bodies() {
        let room = Room::default();
        let body = Full::new(Bytes::from_static(b"a"));
        let held = Held::until_sent(body, room.unsent.waits(ANSWERS_MAX));
        let one = room.unsent.waits(1);
        assert!(room.unsent.are_many());
        assert!(!held.is_end_stream(), "who sends it keeps it until it is sent");
        drop(held);
        assert!(!room.unsent.are_many());
        drop(one);
        assert_eq!(room.unsent.bytes.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn an_answer_counts_until_it_is_sent() {
        let busy = Busy::default();
        let held = Held::until_sent(Full::new(Bytes::from_static(b"a")), busy.begin());
        assert_eq!(busy.count(), 1);
        drop(held);
        assert_eq!(busy.count(), 0);
    }
}
