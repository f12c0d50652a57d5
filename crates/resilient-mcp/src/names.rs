//! How tools are called: `rw_safe_write` in lists, `rw.safe_write` in the contract.
//!
//! Several clients refuse a dot in a tool name, some of them together with the whole server, so
//! lists use underscores unless asked otherwise. A call may use either.

use std::borrow::Cow;

/// How tool names are spelled in lists and in texts for agents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ToolNames {
    /// `rw_safe_write`.
    #[default]
    Underscore,
    /// `rw.safe_write`.
    Dotted,
}

impl ToolNames {
    /// The listed form of a canonical name.
    pub(crate) fn listed(self, canonical: &'static str) -> Cow<'static, str> {
        match self {
            Self::Underscore => Cow::Owned(canonical.replace('.', "_")),
            Self::Dotted => Cow::Borrowed(canonical),
        }
    }

    /// A text that speaks of tools as `rw_…` and `rr_…`, in the listed form.
    pub(crate) fn spell(self, text: &str) -> String {
        match self {
            Self::Underscore => text.to_owned(),
            Self::Dotted => text.replace("rw_", "rw.").replace("rr_", "rr."),
        }
    }
}

/// Whether a name that was called means this canonical name.
pub(crate) fn means(called: &str, canonical: &str) -> bool {
    let plain = |byte| if byte == b'.' { b'_' } else { byte };
    called.len() == canonical.len() && called.bytes().map(plain).eq(canonical.bytes().map(plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_mean_the_same_tool() {
        assert_eq!(ToolNames::Underscore.listed("rw.safe_write"), "rw_safe_write");
        assert_eq!(ToolNames::Dotted.listed("rw.safe_write"), "rw.safe_write");
        assert_eq!(ToolNames::Dotted.spell("then rw_chunk_compose"), "then rw.chunk_compose");
        assert!(means("rw_safe_write", "rw.safe_write"));
        assert!(means("rw.safe_write", "rw.safe_write"));
        assert!(!means("rw_safe_write2", "rw.safe_write"));
        assert!(!means("safe_write", "rw.safe_write"));
    }
}
