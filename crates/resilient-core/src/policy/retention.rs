//! How long a policy keeps what is in the scratchpad.

/// How long content stays in the scratchpad: the key `scratch` of a policy file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Days since it was put last, for any content; `None` keeps it.
    pub keep_days: Option<u32>,
    /// Days since it was put last, for what is nothing but the draft of a blocked call; `None` keeps it.
    pub drafts_keep_days: Option<u32>,
    /// Bytes in all, beyond which the oldest content goes. What was put last stays in any case, and so do the secrets
    /// that a redaction has kept.
    pub max_bytes: Option<u64>,
}

impl Default for Retention {
    fn default() -> Self {
        Self { keep_days: None, drafts_keep_days: Some(30), max_bytes: None }
    }
}
