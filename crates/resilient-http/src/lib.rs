//! MCP over HTTP: several clients and workspaces in one process, behind a door that is locked.
//!
//! [`serve`] listens and answers. From the socket inward: `listen` takes connections and ends them, `places` knows the
//! addresses, `door` says who may come in, `streamable` and `sse` are the two transports over the server of
//! `resilient-mcp`, whose guards hold for both. Every number that bounds what a client may take is in `limits`.
//!
//! What an attacker can and cannot do: `docs/http.md`. What is by hand beside the SDK, and why:
//! `docs/design/0008-transports.md`.

mod address;
mod answers;
mod body;
mod door;
mod encoded;
mod events;
mod hosted;
mod in_flight;
mod keeper;
mod limits;
mod listen;
mod metrics;
mod patience;
mod places;
mod ready;
mod refused;
mod sessions;
mod sse;
mod streamable;
mod talk;
mod tls;
mod token;
mod version;

pub use hosted::Hosted;
pub use listen::{Listen, Tell, is_exposed, serve};
pub use places::{Place, Protocol};
pub use tls::TlsFiles;
pub use tokio_util::sync::CancellationToken as Stop;
