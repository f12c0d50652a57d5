//! The addresses of resources: `rw://journal`, `rw://handoff` and `rw://file/…`.

use percent_encoding::percent_decode_str;

/// The last rows of the journal.
pub(crate) const JOURNAL: &str = "rw://journal";

/// The handoff of the workspace.
pub(crate) const HANDOFF: &str = "rw://handoff";

/// The files of the workspace.
pub(crate) const FILE_TEMPLATE: &str = "rw://file/{path}";

const FILE: &str = "rw://file/";

/// What an address names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Named {
    Journal,
    Handoff,
    /// A file, by its path as a tool takes it.
    File(String),
}

impl Named {
    /// What an address names. In a path, `/` may be written as `%2F`, as templates without `+` do.
    pub(crate) fn of(uri: &str) -> Option<Self> {
        match uri {
            JOURNAL => Some(Self::Journal),
            HANDOFF => Some(Self::Handoff),
            _ => {
                let path = percent_decode_str(uri.strip_prefix(FILE)?).decode_utf8().ok()?;
                (!path.is_empty()).then(|| Self::File(path.into_owned()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_an_address_whatever_its_name() {
        let named = |uri| match Named::of(uri) {
            Some(Named::File(path)) => path,
            other => panic!("{uri}: {other:?}"),
        };
        assert_eq!(named("rw://file/src/a.rs"), "src/a.rs");
        assert_eq!(named("rw://file/src%2Fa b.rs"), "src/a b.rs");
        assert_eq!(named("rw://file/%C3%BC%3Fa%23b%2520"), "ü?a#b%20");
        assert_eq!(named("rw://file//abs/a"), "/abs/a");
        assert_eq!(named("rw://file/../a"), "../a", "whether it may be read is asked elsewhere");
    }

    #[test]
    fn what_is_no_address_names_nothing() {
        assert_eq!(Named::of("rw://journal"), Some(Named::Journal));
        assert_eq!(Named::of("rw://handoff"), Some(Named::Handoff));
        for uri in ["", "rw://file/", "rw://file/%FF", "rw://journal/1", "file:///etc/passwd"] {
            assert_eq!(Named::of(uri), None, "{uri}");
        }
    }
}
