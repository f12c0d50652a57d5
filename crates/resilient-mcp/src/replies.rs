//! Replies on their way to the client.
//!
//! The thread that has a reply writes it at once ([`Replies::send`]). So a client that waits for its
//! answer does not wait for another thread to wake up. What the stream does not take now stays in a queue, which a
//! task empties ([`Written`]). So a call never waits for a client that does not read. The one who reads requests waits
//! instead ([`Replies::room`]), so that no more than [`REPLIES_MAX`] bytes are queued, and the replies of what is
//! worked on already.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use tokio::io::AsyncWrite;
use tokio::sync::Notify;

/// No further request is read while so many bytes of replies wait.
pub(crate) const REPLIES_MAX: usize = 64 << 20;

/// A queue larger than this is given back once it is empty.
const QUEUE_KEPT: usize = 64 << 10;

/// Where replies are put. The last one to be dropped ends the stream.
#[derive(Debug, Clone)]
pub(crate) struct Replies {
    stream: Arc<Stream>,
    _open: Arc<Open>,
}

/// The task that writes what the stream did not take at once; ready when the last [`Replies`] is gone and all
/// is written.
#[derive(Debug)]
pub(crate) struct Written {
    stream: Arc<Stream>,
}

#[derive(Debug)]
struct Stream {
    state: Mutex<State>,
    fewer: Notify,
}

struct State {
    /// None once the client is gone.
    writer: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    queue: VecDeque<u8>,
    has_ended: bool,
    failed: Option<io::Error>,
    task: Waker,
}

/// Ends the stream when it is dropped.
#[derive(Debug)]
struct Open(Arc<Stream>);

/// The two ends of a queue of replies in front of a stream.
pub(crate) fn replies(writer: impl AsyncWrite + Send + Unpin + 'static) -> (Replies, Written) {
    let state = State {
        writer: Some(Box::new(writer)),
        queue: VecDeque::new(),
        has_ended: false,
        failed: None,
        task: Waker::noop().clone(),
    };
    let stream = Arc::new(Stream { state: Mutex::new(state), fewer: Notify::new() });
    let open = Arc::new(Open(Arc::clone(&stream)));
    (Replies { stream: Arc::clone(&stream), _open: open }, Written { stream })
}

impl Replies {
    /// Writes a reply as a line, or queues what the stream does not take at once.
    ///
    /// # Errors
    /// The client is gone.
    pub(crate) fn send(&self, mut reply: Vec<u8>) -> Result<(), ()> {
        reply.push(b'\n');
        let mut state = self.stream.lock();
        if state.writer.is_none() {
            return Err(());
        }
        if state.queue.is_empty() {
            state.queue = reply.into();
        } else {
            state.queue.extend(reply);
        }
        // Nothing waits here. If something is left to do, the task does it, with a waker of its own.
        let written = self.stream.write(&mut state, &mut Context::from_waker(Waker::noop()));
        if written.is_pending() || state.failed.is_some() {
            state.task.wake_by_ref();
        }
        Ok(())
    }

    /// Waits until there is room for more, or the client is gone.
    pub(crate) async fn room(&self) {
        loop {
            let fewer = self.stream.fewer.notified();
            if self.stream.lock().queue.len() < REPLIES_MAX {
                return;
            }
            fewer.await;
        }
    }
}

impl Future for Written {
    type Output = io::Result<()>;

    /// # Errors
    /// The reader of the replies is gone, or the stream fails.
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut state = self.stream.lock();
        state.task.clone_from(context.waker());
        let written = self.stream.write(&mut state, context);
        if let Some(error) = state.failed.take() {
            return Poll::Ready(Err(error));
        }
        ready!(written);
        if state.has_ended { Poll::Ready(Ok(())) } else { Poll::Pending }
    }
}

impl State {
    fn write(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Some(writer) = &mut self.writer else { return Poll::Ready(()) };
        let mut writer = Pin::new(writer);
        let written = loop {
            let (next, _) = self.queue.as_slices();
            if next.is_empty() {
                break ready!(writer.as_mut().poll_flush(context));
            }
            match ready!(writer.as_mut().poll_write(context, next)) {
                Ok(0) => break Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => drop(self.queue.drain(..count)),
                Err(error) => break Err(error),
            }
        };
        if let Err(error) = written {
            (self.failed, self.writer) = (Some(error), None);
            self.queue.clear();
        }
        if self.queue.capacity() > QUEUE_KEPT {
            self.queue = VecDeque::new();
        }
        Poll::Ready(())
    }
}

impl Stream {
    /// Writes what is queued, and lets those go on who wait for room; ready when nothing is left to do.
    fn write(&self, state: &mut State, context: &mut Context<'_>) -> Poll<()> {
        let had = state.queue.len();
        let written = state.write(context);
        if had >= REPLIES_MAX && state.queue.len() < REPLIES_MAX {
            self.fewer.notify_waiters();
        }
        written
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for State {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("State").field("queued", &self.queue.len()).finish_non_exhaustive()
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.has_ended = true;
        state.task.wake_by_ref();
    }
}

impl Drop for Written {
    /// Nobody writes any more: a client that waits for room must not wait for ever.
    fn drop(&mut self) {
        let mut state = self.stream.lock();
        state.writer = None;
        state.queue.clear();
        self.stream.fewer.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use tokio::io::{AsyncReadExt as _, duplex};

    #[tokio::test]
    async fn what_the_stream_does_not_take_at_once_is_written_later_in_order() {
        let (ours, mut client) = duplex(10);
        let (replies, written) = replies(ours);
        let lines: Vec<String> = (0..50).map(|line| format!("reply {line}")).collect();
        for line in &lines {
            replies.send(line.clone().into_bytes()).unwrap();
        }
        drop(replies);
        let writing = tokio::spawn(written);
        let mut read = String::new();
        client.read_to_string(&mut read).await.unwrap();
        writing.await.unwrap().unwrap();
        assert_eq!(read.lines().collect::<Vec<_>>(), lines);
    }

    #[tokio::test]
    async fn a_reply_is_with_the_client_before_any_task_runs() {
        let (ours, mut client) = duplex(100);
        let (replies, _written) = replies(ours);
        replies.send(b"done".to_vec()).unwrap();
        let mut read = [0; 5];
        client.read_exact(&mut read).await.unwrap();
        assert_eq!(&read, b"done\n");
    }

    #[tokio::test]
    async fn a_client_that_is_gone_ends_the_task_with_its_error() {
        let (ours, client) = duplex(100);
        let (replies, written) = replies(ours);
        drop(client);
        replies.send(b"first".to_vec()).unwrap();
        assert_eq!(written.await.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        assert_eq!(replies.send(b"second".to_vec()), Err(()));
    }
}
