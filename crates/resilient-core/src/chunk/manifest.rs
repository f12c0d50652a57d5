//! The manifest of a session: what is known of it beside its parts.

use serde::{Deserialize, Serialize};

use crate::error::{Composed, Error, Result};
use crate::store::{CHUNKS, Store};

pub(super) const MANIFEST: &str = "manifest.json";

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// The file that an earlier session of this name was composed into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) composed_before: Option<Composed>,
    pub(super) created_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) output_path: Option<String>,
    pub(super) session: String,
    #[serde(default)]
    pub(super) total_expected: Option<u32>,
    pub(super) updated_at: String,
}

pub(super) fn manifest(store: &Store, session: &str) -> Result<Option<Manifest>> {
    store
        .state_bytes(&[CHUNKS, session], MANIFEST)?
        .map(|bytes| read_manifest(session, &bytes))
        .transpose()
}

pub(super) fn read_manifest(session: &str, bytes: &[u8]) -> Result<Manifest> {
    let damaged = |reason| Error::BadManifest {
        session: session.to_owned(),
        manifest: format!("{}/{CHUNKS}/{session}/{MANIFEST}", crate::roots::STATE_DIR),
        reason,
    };
    match serde_json::from_slice::<serde_json::Value>(bytes) {
        Ok(value) if !value.is_object() => Err(damaged("not_mapping".to_owned())),
        Ok(value) => {
            serde_json::from_value(value).map_err(|error| damaged(format!("bad_manifest: {error}")))
        }
        Err(error) => Err(damaged(format!("bad_manifest: {error}"))),
    }
}

pub(super) fn pretty(manifest: &Manifest) -> Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(manifest)
        .map_err(|error| Error::Internal { message: error.to_string() })?;
    text.push(b'\n');
    Ok(text)
}
