//! What belongs to one client rather than to the server: who it is, how often it has repeated a call, and in
//! which order its calls go.
//!
//! A connection over standard streams is one session; over HTTP each client has its own, so that none uses up
//! the retries of another.

use std::sync::OnceLock;

use crate::budget::RetryBudget;
use crate::seam::Workspace;
use crate::turns::Turns;

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
}

impl Session {
    pub(crate) fn of(caller: Caller) -> Self {
        Self { caller, ..Self::default() }
    }

    /// The identity of the session in the journal.
    pub(crate) fn id(&self, workspace: &Workspace) -> String {
        self.id.get_or_init(|| workspace.new_session()).clone()
    }
}

impl Caller {
    /// How the journal calls a client: the name of its token and the program, as far as they are known.
    pub(crate) fn signed(&self, program: Option<String>) -> Option<String> {
        let program = program.map(|name| {
            name.chars().filter(|char| !char.is_control()).take(CLIENT_MAX).collect::<String>()
        });
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
        let long = Caller::default().signed(Some(format!("a\u{1b}b{}", "c".repeat(100))));
        assert_eq!(long.unwrap(), format!("ab{}", "c".repeat(62)));
    }
}
