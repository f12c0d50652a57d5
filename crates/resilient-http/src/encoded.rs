//! The events of one request as the body of its answer, byte for byte as the SDK writes them.

use std::convert::Infallible;
use std::io::Write as _;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::Stream as _;
use http::{HeaderValue, Response, header};
use http_body::{Body, Frame};
use rmcp::transport::common::server_side_http::ServerSseMessage;
use tokio::time::{Sleep, sleep};

use crate::events::{Event, Reader};
use crate::limits::HEARTBEAT;

/// The events of a request as bytes.
#[derive(Debug)]
pub(crate) struct Encoded {
    reader: Reader,
    /// When a client that waits is told that the connection lives.
    heartbeat: Option<Pin<Box<Sleep>>>,
}

impl Encoded {
    /// An answer of these events.
    pub(crate) fn reply(reader: Reader) -> Response<Self> {
        let mut reply = Response::new(Self { reader, heartbeat: None });
        let headers = reply.headers_mut();
        for (name, value) in [
            (header::CONTENT_TYPE, "text/event-stream"),
            (header::CACHE_CONTROL, "no-cache"),
            (header::HeaderName::from_static("x-accel-buffering"), "no"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        reply
    }
}

impl Body for Encoded {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let bytes = match Pin::new(&mut self.reader).poll_next(context) {
            Poll::Ready(event) => event.map(|event| match event {
                Event::Said(event) => written(&event),
                Event::Written(bytes) => bytes,
            }),
            Poll::Pending => {
                let heartbeat = self.heartbeat.get_or_insert_with(|| Box::pin(sleep(HEARTBEAT)));
                ready!(heartbeat.as_mut().poll(context));
                Some(Bytes::from_static(b":\n\n"))
            }
        };
        self.heartbeat = None;
        Poll::Ready(bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}

/// An event as it is sent.
pub(crate) fn written(event: &ServerSseMessage) -> Bytes {
    let mut text = b"data: ".to_vec();
    if let Some(message) = &event.message {
        text.reserve(1024);
        // Every message of ours can be encoded, and nothing fails that writes to memory.
        let _ = serde_json::to_writer(&mut text, message);
    }
    text.push(b'\n');
    if let Some(id) = &event.event_id {
        let _ = writeln!(text, "id: {id}");
    }
    if let Some(retry) = event.retry {
        let _ = writeln!(text, "retry: {}", retry.as_millis());
    }
    text.push(b'\n');
    // It may be kept for a while.
    text.shrink_to_fit();
    text.into()
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;
    use tokio::time::Duration;

    use super::*;
    use crate::events::Events;

    #[tokio::test]
    async fn a_client_that_waits_for_long_is_told_that_the_connection_lives() {
        let events = Events::from(0, Some(7));
        let heartbeat = Some(Box::pin(sleep(Duration::ZERO)));
        let mut answer = Encoded { reader: events.read(0), heartbeat };
        let next = answer.frame().await.unwrap().unwrap().into_data();
        assert_eq!(next.ok().as_deref(), Some(&b":\n\n"[..]));
        assert!(answer.heartbeat.is_none(), "the next one takes as long again");
        events.say(ServerSseMessage::retry(Duration::from_millis(1500)));
        events.end();
        let rest = answer.collect().await.unwrap().to_bytes();
        assert_eq!(rest, "data: \nid: 0/7\nretry: 1500\n\n");
    }
}
