//! Rules for tokens that a policy adds: rows such as those of `data/formats.toml`.

use serde::Serialize;

/// A rule for tokens, with the columns of a row of the built-in table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// The name in reports.
    pub name: String,
    /// The family whose weight a match counts for.
    pub family: String,
    /// What a token looks like, in the notation of the table.
    pub form: String,
    /// One of these stands before a token, on its line or just above; none if the form says enough.
    pub words: Vec<String>,
    /// What of a token can be computed from the rest.
    pub check: Option<Check>,
    /// Whether the text that the form begins with is the name of the secret: a redaction leaves it.
    pub named: bool,
    /// Prefixes behind which a dummy counts as one of this rule.
    pub dummy: Vec<Dummy>,
    /// What documents the form.
    pub source: Option<String>,
}

/// A prefix so well known that nothing but a token or its dummy follows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Dummy {
    /// The prefix.
    pub prefix: String,
    /// The name in reports of the prefix with a dummy behind it.
    pub name: String,
}

/// A part of a token that can be computed from the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Check {
    /// GitHub and npm: the last six characters are the CRC-32 of those before, in base 62.
    #[serde(rename = "crc32_base62")]
    Crc32Base62,
}
