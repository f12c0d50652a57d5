//! The rules as data: formats of tokens, words and names of services, made from the files in `data` when
//! this crate is built.

pub(super) use super::rule::Check;

/// One format of `formats.toml`, which says what its columns mean.
#[derive(Clone, Copy, Debug)]
pub(super) struct FormatRow {
    pub(super) name: &'static str,
    pub(super) family: &'static str,
    pub(super) format: &'static str,
    pub(super) check: Option<Check>,
    /// Separated by spaces.
    pub(super) words: &'static str,
    /// Whether the text that it begins with is the name of the secret.
    pub(super) named: bool,
    pub(super) source: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/tables.rs"));

#[cfg(test)]
mod tests {
    use super::super::family;
    use super::super::format::Format;
    use super::*;

    #[test]
    fn every_row_is_readable() {
        for row in FORMATS {
            assert!(Format::parse(row.format).is_ok(), "{}", row.name);
            assert!(row.source.contains(['.', '(']), "{}", row.name);
            assert!(family::names().any(|known| known == row.family), "{}", row.name);
        }
    }

    #[test]
    fn no_service_is_called_like_its_credential() {
        let is_known = |name: &[u8]| SERVICES.contains(&name);
        for name in SERVICES {
            assert!(name.iter().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9')));
            for kind in ["token", "key", "secret", "oauth", "basicauth", "pat", "webhook"] {
                let service = name.strip_suffix(kind.as_bytes()).unwrap_or_default();
                assert!(!is_known(service), "{}", String::from_utf8_lossy(name));
            }
        }
    }
}
