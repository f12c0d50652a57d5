//! Replies on their way from the calls to the one who writes them.
//!
//! A call never waits for a client that does not read: its reply is queued. The one who reads requests waits
//! instead ([`Replies::room`]), so that no more than [`REPLIES_MAX`] bytes are queued, and the replies of what is
//! worked on already.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{Notify, mpsc};

/// No further request is read while so many bytes of replies wait.
pub(crate) const REPLIES_MAX: usize = 64 << 20;

/// So much is written at once, of replies that wait together.
const PIECE: usize = 64 << 10;

/// Where replies are put.
#[derive(Debug, Clone)]
pub(crate) struct Replies {
    lines: mpsc::UnboundedSender<Vec<u8>>,
    waiting: Arc<Waiting>,
}

/// Where replies are taken from.
#[derive(Debug)]
pub(crate) struct Written {
    lines: mpsc::UnboundedReceiver<Vec<u8>>,
    waiting: Arc<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    bytes: AtomicUsize,
    fewer: Notify,
}

/// A queue of replies.
pub(crate) fn replies() -> (Replies, Written) {
    let (put, taken) = mpsc::unbounded_channel();
    let waiting = Arc::<Waiting>::default();
    (Replies { lines: put, waiting: Arc::clone(&waiting) }, Written { lines: taken, waiting })
}

impl Replies {
    /// Queues a reply as a line.
    ///
    /// # Errors
    /// Nobody writes any more.
    pub(crate) fn send(&self, mut reply: Vec<u8>) -> Result<(), ()> {
        reply.push(b'\n');
        self.waiting.bytes.fetch_add(reply.len(), Ordering::Relaxed);
        self.lines.send(reply).map_err(drop)
    }

    /// Waits until there is room for more, or nobody writes any more.
    pub(crate) async fn room(&self) {
        loop {
            let fewer = self.waiting.fewer.notified();
            if self.waiting.bytes.load(Ordering::Relaxed) < REPLIES_MAX || self.lines.is_closed() {
                return;
            }
            fewer.await;
        }
    }
}

impl Written {
    /// Writes lines until nobody puts any more.
    ///
    /// # Errors
    /// The reader of the replies is gone or the stream fails.
    pub(crate) async fn write_all<W: AsyncWrite + Unpin>(
        mut self,
        mut writer: W,
    ) -> io::Result<()> {
        while self.write_some(&mut writer).await? {}
        Ok(())
    }

    /// Writes the next line and those that wait with it; says whether more may come.
    pub(crate) async fn write_some<W: AsyncWrite + Unpin>(
        &mut self,
        writer: &mut W,
    ) -> io::Result<bool> {
        let Some(mut lines) = self.lines.recv().await else { return Ok(false) };
        while lines.len() < PIECE
            && let Ok(line) = self.lines.try_recv()
        {
            lines.extend_from_slice(&line);
        }
        writer.write_all(&lines).await?;
        writer.flush().await?;
        self.waiting.bytes.fetch_sub(lines.len(), Ordering::Relaxed);
        self.waiting.fewer.notify_waiters();
        Ok(true)
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        self.lines.close();
        self.waiting.fewer.notify_waiters();
    }
}
