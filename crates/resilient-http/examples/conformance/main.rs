//! The server that the official conformance suite asks for: its tools, prompts and resources, behind the door, the guards
//! and the transport of the product. `campaigns/conformance/run` starts it; it is not shipped.
//!
//! `fixture.json` has all that is the same each time; `fixture` answers from it; `rounds` asks the client for more
//! before it answers.
#![expect(clippy::indexing_slicing, reason = "a JSON value has null where nothing is")]
#![expect(clippy::print_stderr, reason = "the campaign reads where it listens")]

mod fixture;
mod rounds;

use std::io;
use std::sync::Arc;

use resilient_http::{Listen, Place, Protocol, Stop, Tell, serve};

use fixture::Fixture;

fn main() -> io::Result<()> {
    let listen = Listen {
        tls: None,
        protocol: Protocol::Http,
        host: "127.0.0.1".to_owned(),
        port: 0,
        socket: None,
        token_file: None,
        allow_hosts: Vec::new(),
        allow_origins: Vec::new(),
    };
    let tell: Tell = Arc::new(|line| eprintln!("conformance: {line}"));
    let place = Place { name: None, server: Fixture::read()?, directories: Vec::new() };
    serve(listen, vec![place], &Stop::new(), &tell)
}
