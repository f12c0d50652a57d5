//! What belongs to one client rather than to the server: who it is, how often it has repeated a call, and in
//! which order its calls go.
//!
//! A connection over standard streams is one session; over HTTP each client has its own, so that none uses up
//! the retries of another.

use std::sync::{Arc, OnceLock};

use rmcp::RoleServer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, RequestContext};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};
use tokio::task::AbortHandle;

use crate::budget::RetryBudget;
use crate::seam::Workspace;
use crate::turns::Turns;
use crate::updates::Update;
use crate::wishes::{Told, Wishes};

/// No more is kept of a client's name.
const CLIENT_MAX: usize = 64;

/// Who calls, as a transport that asks for it has found out.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Caller {
    /// The name of the token that the client has shown.
    pub name: Option<String>,
    /// Whether the client may call tools that write.
    pub may_write: bool,
    /// The beginning of the digest of the token's secret: a new secret of the same name is another caller.
    pub secret: u64,
}

impl Default for Caller {
    /// A program that has the standard streams may do what the server can.
    fn default() -> Self {
        Self { name: None, may_write: true, secret: 0 }
    }
}

/// One client of the server.
#[derive(Debug, Default)]
pub(crate) struct Session {
    pub(crate) caller: Caller,
    pub(crate) budget: RetryBudget,
    pub(crate) turns: Turns,
    id: OnceLock<String>,
    /// What the client of a version with a handshake wants to be told unasked.
    pub(crate) wishes: Arc<Wishes>,
    /// The task that tells it, once there is something to be told.
    teller: OnceLock<Teller>,
    /// Whether the client has ended its input.
    pub(crate) hung_up: Arc<watch::Sender<bool>>,
}

/// A task that ends with its session.
#[derive(Debug)]
struct Teller(AbortHandle);

impl Drop for Teller {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Session {
    pub(crate) fn of(caller: Caller) -> Self {
        Self { caller, ..Self::default() }
    }

    /// The identity of the session in the journal.
    pub(crate) fn id(&self, workspace: &Workspace) -> String {
        self.id.get_or_init(|| workspace.new_session()).clone()
    }

    /// Begins to tell the client what it wants to know, unless that has begun.
    pub(crate) fn tell(
        &self,
        peer: &Peer<RoleServer>,
        updates: impl FnOnce() -> Option<broadcast::Receiver<Update>>,
    ) {
        self.teller.get_or_init(|| {
            let (wishes, peer, updates) = (Arc::clone(&self.wishes), peer.clone(), updates());
            Teller(tokio::spawn(tell(wishes, peer, updates)).abort_handle())
        });
    }

    /// Waits until the client has ended its input.
    pub(crate) async fn hung_up(&self) {
        let mut hung_up = self.hung_up.subscribe();
        // The sender is in this session.
        let _ = hung_up.wait_for(|it| *it).await;
    }
}

/// Tells a client what it wants to know, until nothing more is told or it is gone.
async fn tell(
    wishes: Arc<Wishes>,
    peer: Peer<RoleServer>,
    updates: Option<broadcast::Receiver<Update>>,
) {
    let Some(mut updates) = updates else { return };
    loop {
        let told = match updates.recv().await {
            Ok(update) => wishes.told(&update),
            Err(RecvError::Lagged(_)) => wishes.all(),
            Err(RecvError::Closed) => return,
        };
        for told in told {
            #[expect(deprecated, reason = "clients of the versions with a handshake use it")]
            let sent = match told {
                Told::Updated(uri) => {
                    let updated = ResourceUpdatedNotificationParam::new(uri);
                    peer.notify_resource_updated(updated).await
                }
                Told::Message(message) => peer.notify_logging_message(message).await,
            };
            if sent.is_err() {
                return;
            }
        }
    }
}

/// The program that asks, with its version, if it gives itself a name. Of a long name this is the beginning.
#[must_use]
pub fn program(context: &RequestContext<RoleServer>) -> Option<String> {
    let info = context.client_info().filter(|it| !it.name.is_empty())?;
    Some(shortened(&info.name, &info.version))
}

fn shortened(name: &str, version: &str) -> String {
    let name = name.chars().chain(['/']).chain(version.chars());
    name.filter(|char| !char.is_control()).take(CLIENT_MAX).collect()
}

impl Caller {
    /// How the journal calls a client: the name of its token and the program, as far as they are known.
    pub(crate) fn signed(&self, program: Option<String>) -> Option<String> {
        match (&self.name, program) {
            (Some(name), Some(program)) => Some(format!("{name}: {program}")),
            (Some(name), None) => Some(name.clone()),
            (None, program) => program,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_its_token_and_its_program() {
        let alice = Caller { name: Some("alice".to_owned()), may_write: false, secret: 1 };
        assert_eq!(alice.signed(Some("x/1".to_owned())).as_deref(), Some("alice: x/1"));
        assert_eq!(alice.signed(None).as_deref(), Some("alice"));
        assert_eq!(Caller::default().signed(None), None);
        assert_eq!(shortened("x", "1"), "x/1");
        assert_eq!(
            shortened(&format!("a\u{1b}b{}", "c".repeat(100)), "1"),
            format!("ab{}", "c".repeat(62))
        );
    }
}
