//! Which address is what: the workspaces, and what is seen of the server from outside.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::request::Parts;
use http::{HeaderValue, Method, Request, StatusCode, header};
use hyper::body::{Body as _, Incoming};
use resilient_mcp::{Busy, Caller, Server, Unready};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::body::{Reply, Room, ending, later, leave, plain, whole};
use crate::door::{Door, Ends, Refused};
use crate::hosted::Hosted;
use crate::metrics::{Answered, Seen};
use crate::ready::Checks;
use crate::refused;
use crate::sse::Sse;
use crate::streamable::{Streamable, last_event, no_session};

/// By which protocol clients speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// Streamable HTTP, at `/mcp`.
    Http,
    /// The older one with two addresses, `/sse` and `/messages/`.
    Sse,
}

/// A workspace that is served.
#[derive(Debug)]
pub struct Place<S = Server> {
    /// Its name in addresses. The first place is at the addresses without a name, too.
    pub name: Option<String>,
    /// Its server.
    pub server: S,
    /// The directories that it leads to.
    pub directories: Vec<PathBuf>,
}

/// All that is served.
pub(crate) struct Places<S: Hosted> {
    door: Arc<Door>,
    room: Room,
    places: Vec<Served<S>>,
    /// The requests that are not answered in full yet.
    requests: Busy,
    answered: Answered,
    ending: CancellationToken,
    /// Whether the server begins nothing any more.
    refuses: AtomicBool,
}

struct Served<S: Hosted> {
    /// Its name, or the empty one.
    name: String,
    /// In front of the addresses of the place.
    prefix: String,
    server: S,
    directories: Vec<PathBuf>,
    way: Way<S>,
    checks: Checks,
}

enum Way<S: Hosted> {
    Http(Streamable<S>),
    Sse(Sse<S>),
}

impl<S: Hosted> Way<S> {
    /// Where clients begin.
    fn first(&self) -> &'static str {
        match self {
            Self::Http(_) => "/mcp",
            Self::Sse(_) => "/sse",
        }
    }
}

/// What an address means at one place.
enum Address<'a, S: Hosted> {
    Mcp(&'a Streamable<S>),
    Stream(&'a Sse<S>),
    Messages(&'a Sse<S>),
}

/// Whether a request only looks. An answer to HEAD has the head of the one to GET.
fn is_look(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

impl<S: Hosted> Places<S> {
    pub(crate) fn new(protocol: Protocol, places: Vec<Place<S>>, door: Door) -> Self {
        let (door, ending) = (Arc::new(door), CancellationToken::new());
        let served = places.into_iter().map(|place| {
            let prefix = place.name.as_ref().map(|name| format!("/w/{name}")).unwrap_or_default();
            let door = Arc::clone(&door);
            let way = match protocol {
                Protocol::Http => {
                    Way::Http(Streamable::new(&place.server, door, ending.child_token()))
                }
                Protocol::Sse => {
                    Way::Sse(Sse::new(&place.server, door, format!("{prefix}/messages/")))
                }
            };
            let Place { name, server, directories } = place;
            let (name, checks) = (name.unwrap_or_default(), Checks::default());
            Served { name, prefix, server, directories, way, checks }
        });
        let places = served.collect();
        let (room, requests, answered) = (Room::default(), Busy::default(), Answered::default());
        Self { door, room, places, requests, answered, ending, refuses: AtomicBool::new(false) }
    }

    /// The paths at which clients begin. If there are several, each is followed by the directories that it leads to.
    pub(crate) fn paths(&self) -> Vec<String> {
        let are_several = self.firsts().count() > 1;
        let of = |(path, place): (String, &Served<S>)| {
            let dirs = place.directories.iter().map(|dir| dir.display().to_string());
            let dirs = dirs.filter(|_| are_several).collect::<Vec<_>>().join(", ");
            let blank = if dirs.is_empty() { "" } else { " for " };
            format!("{path}{blank}{dirs}")
        };
        self.firsts().map(of).collect()
    }

    /// The path at which clients of each place begin. The first place has one without a name, too.
    fn firsts(&self) -> impl Iterator<Item = (String, &Served<S>)> {
        let all = || self.places.iter();
        let first = all().take(1).map(|place| ("", place));
        let named = all().filter(|it| !it.name.is_empty()).map(|it| (it.prefix.as_str(), it));
        first.chain(named).map(|(prefix, place)| (format!("{prefix}{}", place.way.first()), place))
    }

    /// Answers a request.
    pub(crate) async fn answer(&self, request: Request<Incoming>, ends: Ends) -> Reply {
        let (mut parts, body) = request.into_parts();
        let is_message = parts.method == Method::POST;
        // The query may have the name of a session.
        let asked = tracing::enabled!(tracing::Level::DEBUG)
            .then(|| (parts.method.clone(), parts.uri.path().to_owned()));
        let reply = match self.door.look(&parts.uri, &parts.headers, ends) {
            Err(refused) => self.shut_out(refused, ends, &body),
            Ok(()) if is_look(&parts.method) && parts.uri.path() == "/healthz" => {
                plain(StatusCode::OK, "ok\n")
            }
            Ok(()) if is_look(&parts.method) && parts.uri.path() == "/readyz" => {
                self.readiness().await
            }
            Ok(()) => match self.door.caller(&parts.headers, ends) {
                Ok(caller) => {
                    // Nothing behind the door has to see it.
                    parts.headers.remove(header::AUTHORIZATION);
                    self.inside(parts, body, caller).await
                }
                Err(Refused::TooOften) => self.shut_out(Refused::TooOften, ends, &body),
                Err(refused) => {
                    // A client whose token was revoked is told so.
                    leave(&parts, body);
                    if let Some(Address::Messages(place)) = self.address(parts.uri.path()) {
                        place.look_again(&parts);
                    }
                    self.refuse(refused, ends)
                }
            },
        };
        let status = reply.status().as_u16();
        self.answered.status(status);
        if let Some((method, path)) = asked {
            tracing::debug!(%method, path, status, from = %ends.theirs, "request");
        }
        if is_message { refused::sent(reply).await } else { reply }
    }

    fn refuse(&self, refused: Refused, ends: Ends) -> Reply {
        tracing::warn!(reason = refused.name(), from = %ends.theirs, "refused");
        self.answered.refusal(refused.name());
        refused.reply()
    }

    /// Refuses somebody whose body is not read, so that nothing can follow on this connection.
    fn shut_out(&self, refused: Refused, ends: Ends, body: &Incoming) -> Reply {
        let mut reply = self.refuse(refused, ends);
        if !body.is_end_stream() {
            reply.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        reply
    }

    /// Whether calls can be made at every place. The caller may be anybody, and is told no path; the log has it.
    async fn readiness(&self) -> Reply {
        if self.door.is_shut() {
            return later("the token file lets nobody in\n");
        }
        for place in &self.places {
            let server = place.server.clone();
            if let Err(Unready { what, why }) = place.checks.make(move || server.check()).await {
                tracing::warn!(workspace = %place.name, %what, %why, "not ready");
                let name = match place.name.as_str() {
                    "" => String::new(),
                    name => format!(" {name:?}"),
                };
                return later(&format!("the workspace{name} is not ready: {what}\n"));
            }
        }
        plain(StatusCode::OK, "ready\n")
    }

    async fn metrics(&self) -> Reply {
        let mut seen = Vec::new();
        for place in &self.places {
            let sessions = match &place.way {
                Way::Http(way) => way.count(),
                Way::Sse(way) => way.count(),
            };
            let running = place.server.calls().count();
            let server = place.server.clone();
            let figures = tokio::task::spawn_blocking(move || server.figures()).await;
            seen.push(Seen {
                name: &place.name,
                tallied: place.server.tallied(),
                running,
                sessions,
                figures: figures.ok().flatten(),
            });
        }
        whole(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", self.answered.text(&seen))
    }

    /// Answers the request of somebody who is in.
    async fn inside(&self, parts: Parts, body: Incoming, caller: Caller) -> Reply {
        if parts.method == Method::GET && parts.uri.path() == "/metrics" {
            return self.metrics().await;
        }
        let Some(address) = self.address(parts.uri.path()) else {
            leave(&parts, body);
            return plain(StatusCode::NOT_FOUND, self.nowhere(parts.uri.path()));
        };
        let ends = self.refuses.load(Ordering::Relaxed);
        // A body may come long after the head.
        let ends_now = || ends || self.ending.is_cancelled();
        // A client may still cancel what is under way, or come back for it.
        let is_of_old = !matches!(address, Address::Stream(_))
            && (parts.method != Method::GET || last_event(&parts).is_some());
        if ends && !is_of_old {
            leave(&parts, body);
            return ending();
        }
        let work = self.requests.begin();
        match (address, parts.method.clone()) {
            (Address::Mcp(place), Method::POST) => {
                let Ok(used) = place.enter(&parts, &caller).await else {
                    leave(&parts, body);
                    return no_session();
                };
                match self.room.take(&parts, body).await {
                    Ok(_) if !self.door.still_has(&caller) => Refused::WrongToken.reply(),
                    Ok(taken) => place.post(parts, taken, caller, used, work, ends_now()).await,
                    // A status would end all that such a client has asked.
                    Err(missed) if used.is_some() => {
                        let (reply, id) = missed.passed_over().await;
                        refused::of(reply, id, true)
                    }
                    Err(missed) => missed.leave(),
                }
            }
            (Address::Messages(place), Method::POST) => match self.room.take(&parts, body).await {
                Ok(_) if !self.door.still_has(&caller) => {
                    place.look_again(&parts);
                    Refused::WrongToken.reply()
                }
                Ok(taken) => place.post(&parts, taken, &caller, ends_now()).await,
                Err(missed) => place.miss(&parts, missed, &caller).await,
            },
            (Address::Mcp(place), Method::GET) => place.stream(parts, caller, work).await,
            (Address::Mcp(place), Method::DELETE) => place.end(parts, &caller).await,
            (Address::Stream(place), Method::GET) => place.stream(caller),
            (address, _) => {
                leave(&parts, body);
                match address {
                    Address::Mcp(_) => not_so("GET, POST, DELETE", ""),
                    Address::Stream(_) => not_so(
                        "GET",
                        "; for Streamable HTTP start the server with --transport http",
                    ),
                    Address::Messages(_) => not_so("POST", ""),
                }
            }
        }
    }

    fn address(&self, path: &str) -> Option<Address<'_, S>> {
        self.places_at(path).find_map(|(place, rest)| match (&place.way, rest) {
            (Way::Http(way), "/mcp") => Some(Address::Mcp(way)),
            (Way::Sse(way), "/sse") => Some(Address::Stream(way)),
            (Way::Sse(way), "/messages") => Some(Address::Messages(way)),
            _ => None,
        })
    }

    /// The places that a path may mean, each with the rest of the path.
    fn places_at<'s, 'p>(
        &'s self,
        path: &'p str,
    ) -> impl Iterator<Item = (&'s Served<S>, &'p str)> {
        let path = path.strip_suffix('/').unwrap_or(path);
        (0..).zip(&self.places).filter_map(move |(at, place)| {
            let named = path.strip_prefix(place.prefix.as_str());
            Some((place, named.or((at == 0).then_some(path))?))
        })
    }

    /// What to say where nothing is: the most likely mistake is a client of the other transport.
    fn nowhere(&self, path: &str) -> String {
        let found = self.places_at(path).find_map(|(place, rest)| {
            let way = &place.way;
            let (speaks, option) = match (way, rest) {
                (Way::Http(_), "/sse" | "/messages") => ("Streamable HTTP", "sse"),
                (Way::Sse(_), "/mcp") => ("the older transport", "http"),
                _ => return None,
            };
            let path = path.strip_suffix('/').unwrap_or(path);
            let place = path.strip_suffix(rest)?;
            let first = way.first();
            Some(format!(
                "this server speaks {speaks}, at {place}{first}; start it with --transport {option} for {path}\n"
            ))
        });
        found.unwrap_or_else(|| {
            let all: Vec<_> = self.firsts().map(|(path, _)| path).collect();
            format!("nothing is here; this server answers at {}\n", all.join(", "))
        })
    }

    /// What the door has to tell the user who started the server.
    pub(crate) fn take_faults(&self) -> Vec<String> {
        self.door.take_faults()
    }

    /// How many calls are not answered yet.
    pub(crate) fn calls(&self) -> usize {
        self.places.iter().map(|place| place.server.calls().count()).sum()
    }

    /// Begins nothing any more: each new request is refused.
    pub(crate) fn close(&self) {
        self.refuses.store(true, Ordering::Relaxed);
    }

    /// Answers all that is under way, and then ends the streams. For the disk it waits
    /// as long as that takes; for clients who do not take their answers only `farewell`. Gives whether all took theirs.
    pub(crate) async fn finish(&self, farewell: Duration) -> bool {
        // They have no end of their own.
        self.places.iter().for_each(|place| place.server.end_subscriptions());
        let mut are_taken = self.settle(&self.requests, farewell).await;
        for place in &self.places {
            if let Way::Sse(sse) = &place.way {
                sse.close();
                are_taken &= self.settle(sse.streams(), farewell).await;
            }
        }
        self.ending.cancel();
        are_taken
    }

    /// Waits for the calls, and then so long for the clients to take their answers. Gives whether they have.
    async fn settle(&self, busy: &Busy, farewell: Duration) -> bool {
        loop {
            for place in &self.places {
                place.server.calls().none_left().await;
            }
            let are_taken = timeout(farewell, busy.none_left()).await.is_ok();
            if are_taken || self.calls() == 0 {
                return are_taken;
            }
        }
    }
}

fn not_so(allowed: &'static str, hint: &str) -> Reply {
    let text = format!("this address takes {allowed}{hint}\n");
    let mut reply = plain(StatusCode::METHOD_NOT_ALLOWED, text);
    reply.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
    reply
}
