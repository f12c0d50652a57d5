//! The door: who may come in.
//!
//! In this order: the name by which the server was reached, the page that a browser was on, how often the address
//! has asked, and the token. Nothing of a request has been read but its head.

use std::net::SocketAddr;
use std::time::Instant;

use http::{HeaderMap, StatusCode, Uri, header};
use resilient_mcp::Caller;

use crate::address::{Names, Stranger};
use crate::body::{Reply, plain};
use crate::limits::{GUESSES, REQUESTS, Rates};
use crate::token::Tokens;

/// What is checked of each request.
#[derive(Debug)]
pub(crate) struct Door {
    names: Names,
    tokens: Option<Tokens>,
    requests: Rates,
    guesses: Rates,
}

/// Where a connection comes from, and where it arrived.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ends {
    pub(crate) theirs: SocketAddr,
    pub(crate) ours: SocketAddr,
}

/// Why somebody is not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
    Host,
    Origin,
    TooOften,
    NoToken,
    WrongToken,
}

impl Refused {
    /// The reason in one word, as metrics have it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Origin => "origin",
            Self::TooOften => "rate",
            Self::NoToken => "no_token",
            Self::WrongToken => "wrong_token",
        }
    }

    pub(crate) fn reply(self) -> Reply {
        match self {
            Self::Host => plain(
                StatusCode::FORBIDDEN,
                "the server does not know this Host; start it with --allow-host NAME\n",
            ),
            Self::Origin => plain(
                StatusCode::FORBIDDEN,
                "the server does not know this Origin; start it with --allow-origin ORIGIN\n",
            ),
            Self::TooOften => {
                let mut reply = plain(StatusCode::TOO_MANY_REQUESTS, "too many requests; wait\n");
                let second = header::HeaderValue::from_static("5");
                reply.headers_mut().insert(header::RETRY_AFTER, second);
                reply
            }
            Self::NoToken | Self::WrongToken => {
                let text = "send a token of the server's token file: Authorization: Bearer TOKEN\n";
                let mut reply = plain(StatusCode::UNAUTHORIZED, text);
                let scheme = header::HeaderValue::from_static("Bearer");
                reply.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
                reply
            }
        }
    }
}

impl Door {
    pub(crate) fn new(names: Names, tokens: Option<Tokens>) -> Self {
        let (requests, guesses) = (Rates::of(REQUESTS), Rates::of(GUESSES));
        Self { names, tokens, requests, guesses }
    }

    /// Looks at where a request goes and comes from, before anything is done for it.
    ///
    /// # Errors
    /// It is not allowed.
    pub(crate) fn look(&self, uri: &Uri, headers: &HeaderMap, ends: Ends) -> Result<(), Refused> {
        self.names.check(uri, headers, ends.ours).map_err(|stranger| match stranger {
            Stranger::Host => Refused::Host,
            Stranger::Origin => Refused::Origin,
        })?;
        let may = self.requests.take(ends.theirs.ip(), Instant::now());
        if may { Ok(()) } else { Err(Refused::TooOften) }
    }

    /// Whose token a request has. Without tokens, every request that came so far may do everything.
    ///
    /// # Errors
    /// It has none, or one that is not known.
    pub(crate) fn caller(&self, headers: &HeaderMap, ends: Ends) -> Result<Caller, Refused> {
        let Some(tokens) = &self.tokens else { return Ok(Caller::default()) };
        let Some(secret) = bearer(headers) else { return Err(Refused::NoToken) };
        match tokens.caller(secret) {
            Some(caller) => Ok(caller),
            None if self.guesses.take(ends.theirs.ip(), Instant::now()) => Err(Refused::WrongToken),
            None => Err(Refused::TooOften),
        }
    }

    /// Whether a caller who is in may still be.
    pub(crate) fn still_has(&self, caller: &Caller) -> bool {
        self.tokens.as_ref().is_none_or(|tokens| tokens.has(caller))
    }

    /// Whether nobody may come in: tokens are needed, and there are none.
    pub(crate) fn is_shut(&self) -> bool {
        self.tokens.as_ref().is_some_and(Tokens::are_none)
    }

    /// What was found wrong with the file of tokens meanwhile.
    pub(crate) fn take_faults(&self) -> Vec<String> {
        self.tokens.as_ref().map(Tokens::take_faults).unwrap_or_default()
    }
}

/// The token of a request that has one, and one only.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (first, None) = (values.next()?, values.next()) else { return None };
    let (scheme, secret) = first.to_str().ok()?.split_once(' ')?;
    let secret = secret.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !secret.is_empty()).then_some(secret)
}
