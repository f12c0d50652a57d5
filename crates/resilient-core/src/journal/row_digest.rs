//! The digest of a file as a row tells it.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::digest::Digest;

/// What a row has as the digest of its file. Our rows have a [`Digest`]; a row that others wrote counts
/// whatever text stands there.
#[derive(Clone, PartialEq, Eq)]
pub enum RowDigest {
    /// 64 lower-case hex digits.
    Sha256(Digest),
    /// Anything else.
    Other(String),
}

impl RowDigest {
    /// The digest, if it is one.
    #[must_use]
    pub fn digest(&self) -> Option<Digest> {
        match self {
            Self::Sha256(digest) => Some(*digest),
            Self::Other(_) => None,
        }
    }
}

impl From<Digest> for RowDigest {
    fn from(digest: Digest) -> Self {
        Self::Sha256(digest)
    }
}

impl PartialEq<Digest> for RowDigest {
    fn eq(&self, other: &Digest) -> bool {
        self.digest() == Some(*other)
    }
}

impl fmt::Display for RowDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sha256(digest) => digest.fmt(f),
            Self::Other(text) => f.write_str(text),
        }
    }
}

impl fmt::Debug for RowDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for RowDigest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RowDigest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(text.parse().map_or_else(|_| Self::Other(text), Self::Sha256))
    }
}
