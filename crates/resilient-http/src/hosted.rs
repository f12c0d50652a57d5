//! What can be served: a server as each client has it, and what it tells beside the protocol.

use resilient_mcp::{Afar, Busy, Caller, Server, Tallied, Unready, figures, serve_afar};
use rmcp::ServerHandler;
use tokio::io::{AsyncRead, AsyncWrite};

/// A server that can be put behind the door.
pub trait Hosted: ServerHandler + Clone {
    /// The same server for another client.
    #[must_use]
    fn for_caller(&self, caller: Caller) -> Self;

    /// What was called so far, by all clients.
    fn tallied(&self) -> Tallied;

    /// What was committed so far in numbers, and the length of the journal. This may wait for the disk.
    fn figures(&self) -> Option<(figures::Seen, u64)> {
        None
    }

    /// Whether calls can be made.
    ///
    /// # Errors
    /// What is wrong.
    fn check(&self) -> Result<(), Unready>;

    /// The calls of all clients that are not answered yet.
    fn calls(&self) -> &Busy;

    /// Forgets what only matters while a call of this client runs. None does.
    fn rest(&self) {}

    /// Ends the subscriptions of all clients.
    fn end_subscriptions(&self);

    /// Speaks with a client by lines, until it ends. A server that does not know how hangs up.
    fn speak(
        self,
        from_client: impl AsyncRead + Send + Unpin + 'static,
        to_client: impl AsyncWrite + Send + Unpin + 'static,
        afar: Afar,
    ) -> impl Future<Output = ()> + Send {
        drop((from_client, to_client, afar));
        std::future::ready(())
    }
}

impl Hosted for Server {
    fn for_caller(&self, caller: Caller) -> Self {
        self.for_caller(caller)
    }

    fn tallied(&self) -> Tallied {
        self.tallied()
    }

    fn figures(&self) -> Option<(figures::Seen, u64)> {
        self.figures()
    }

    fn check(&self) -> Result<(), Unready> {
        self.check()
    }

    fn calls(&self) -> &Busy {
        self.calls()
    }

    fn rest(&self) {
        self.rest();
    }

    fn end_subscriptions(&self) {
        self.end_subscriptions();
    }

    async fn speak(
        self,
        from_client: impl AsyncRead + Send + Unpin + 'static,
        to_client: impl AsyncWrite + Send + Unpin + 'static,
        afar: Afar,
    ) {
        // The streams have an end when the client goes away: that is no fault.
        let _ = serve_afar(self, from_client, to_client, afar).await;
    }
}
