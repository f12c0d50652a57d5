//! Under which names the server is reached, and from which pages.
//!
//! A page of a stranger can have a browser send requests to this machine, under a name that the stranger has made
//! lead here (DNS rebinding), or as a form. Such a request names its target in `Host` and its page in `Origin`.

use std::net::{IpAddr, SocketAddr};

use http::uri::Authority;
use http::{HeaderMap, Uri, header};

/// Which names are taken.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Names by which clients may reach the server besides its own, with or without a port.
    pub(crate) hosts: Vec<String>,
    /// Pages that may send requests besides the server's own, as scheme, name and port.
    pub(crate) origins: Vec<String>,
}

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stranger {
    Host,
    Origin,
}

impl Names {
    /// Looks at where a request says that it goes and comes from; `here` is where it arrived.
    ///
    /// # Errors
    /// One of the two is not allowed.
    pub(crate) fn check(
        &self,
        uri: &Uri,
        headers: &HeaderMap,
        here: SocketAddr,
    ) -> Result<(), Stranger> {
        let host = the_one(headers, header::HOST).ok_or(Stranger::Host)?.ok_or(Stranger::Host)?;
        let authority = Authority::try_from(host).map_err(|_| Stranger::Host)?;
        if !self.is_here(&authority, here) || uri.authority().is_some_and(|it| *it != authority) {
            return Err(Stranger::Host);
        }
        match the_one(headers, header::ORIGIN) {
            Some(None) => Ok(()),
            Some(Some(origin)) if self.is_ours(origin, host) => Ok(()),
            _ => Err(Stranger::Origin),
        }
    }

    fn is_here(&self, authority: &Authority, here: SocketAddr) -> bool {
        // Nobody who calls needs a user's name in front.
        if authority.as_str().contains('@') {
            return false;
        }
        let named = self.hosts.iter().any(|name| {
            name.eq_ignore_ascii_case(authority.host())
                || name.eq_ignore_ascii_case(authority.as_str())
        });
        let name = authority.host().trim_start_matches('[').trim_end_matches(']');
        let ip = here.ip().to_canonical();
        let is_own = match name.parse::<IpAddr>() {
            Ok(named) => named.to_canonical() == ip,
            Err(_) => ip.is_loopback() && name.eq_ignore_ascii_case("localhost"),
        };
        // Clients leave out the port that their scheme has anyway.
        let is_port = authority
            .port_u16()
            .map_or(matches!(here.port(), 80 | 443), |port| port == here.port());
        named || is_own && is_port
    }

    /// Whether a page is the server's own, or one that is named.
    fn is_ours(&self, origin: &str, host: &str) -> bool {
        let own = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        own.is_some_and(|own| own.eq_ignore_ascii_case(host))
            || self.origins.iter().any(|named| named.eq_ignore_ascii_case(origin))
    }
}

/// The value of a header that is there once at most; `None` where it is there twice, or is no text.
fn the_one(headers: &HeaderMap, name: header::HeaderName) -> Option<Option<&str>> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() {
        return None;
    }
    match first {
        Some(value) => value.to_str().ok().map(Some),
        None => Some(None),
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn check(names: &Names, here: &str, host: &str, origin: Option<&str>) -> Result<(), Stranger> {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_str(host).unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, HeaderValue::from_str(origin).unwrap());
        }
        names.check(&Uri::from_static("/mcp"), &headers, here.parse().unwrap())
    }

    #[test]
    fn a_request_names_the_place_where_it_arrives() {
        let own = Names::default();
        let of = |here: &str, host: &str| check(&own, here, host, None).is_ok();
        for host in ["127.0.0.1:8000", "localhost:8000", "LOCALHOST:8000"] {
            assert!(of("127.0.0.1:8000", host), "{host}");
        }
        assert!(of("[::1]:8000", "[::1]:8000") && of("[::1]:8000", "localhost:8000"));
        assert!(of("10.0.0.7:8000", "10.0.0.7:8000") && of("127.0.0.1:80", "localhost"));
        for host in [
            "evil.example:8000",
            "127.0.0.1.evil.example:8000",
            "localhost.evil.example:8000",
            "127.0.0.1:8001",
            "127.0.0.1",
            "10.0.0.7:8000",
            "x@127.0.0.1:8000",
            "0.0.0.0:8000",
            "",
        ] {
            assert!(!of("127.0.0.1:8000", host), "{host}");
        }
        assert!(of("127.0.0.1:80", "localhost") && of("127.0.0.1:443", "localhost"));
        // Off loopback, a name is only what it was said to be.
        assert!(!of("10.0.0.7:8000", "localhost:8000"));
        let named = Names { hosts: vec!["rw.example".to_owned()], ..Names::default() };
        assert!(check(&named, "10.0.0.7:8000", "rw.example", None).is_ok());
        assert!(check(&named, "10.0.0.7:8000", "rw.example:443", None).is_ok());
        assert!(check(&named, "10.0.0.7:8000", "www.rw.example", None).is_err());
    }

    #[test]
    fn a_request_names_one_place() {
        let own = Names::default();
        let here = "127.0.0.1:8000".parse().unwrap();
        let mut headers = HeaderMap::new();
        assert_eq!(own.check(&Uri::from_static("/"), &headers, here), Err(Stranger::Host));
        headers.insert(header::HOST, HeaderValue::from_static("127.0.0.1:8000"));
        assert_eq!(own.check(&Uri::from_static("/"), &headers, here), Ok(()));
        let elsewhere = Uri::from_static("http://evil.example/");
        assert_eq!(own.check(&elsewhere, &headers, here), Err(Stranger::Host));
        headers.append(header::HOST, HeaderValue::from_static("127.0.0.1:8000"));
        assert_eq!(own.check(&Uri::from_static("/"), &headers, here), Err(Stranger::Host));
    }

    #[test]
    fn a_page_is_the_servers_own_or_named() {
        let named = Names { origins: vec!["https://app.example".to_owned()], ..Names::default() };
        let of = |origin: &str| check(&named, "127.0.0.1:8000", "127.0.0.1:8000", Some(origin));
        assert_eq!(of("http://127.0.0.1:8000"), Ok(()));
        assert_eq!(of("https://app.example"), Ok(()));
        for origin in [
            "http://evil.example",
            "http://127.0.0.1:3000",
            "http://127.0.0.1:8000.evil.example",
            "https://app.example.evil.example",
            "null",
            "",
        ] {
            assert_eq!(of(origin), Err(Stranger::Origin), "{origin}");
        }
    }
}
