//! Makes the tables of rules from the files in `data`.

#![expect(unexpected_cfgs, reason = "what is made here is not made yet")]
#![expect(clippy::indexing_slicing, reason = "an index out of bounds stops the build")]
#![expect(clippy::disallowed_methods, reason = "a build reads and writes files")]

mod people;
mod rules;

use std::error::Error;

#[expect(clippy::print_stdout, reason = "this is how a build script talks to cargo")]
fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=data");
    println!("cargo::rustc-check-cfg=cfg(made)\ncargo::rustc-cfg=made");
    people::make()?;
    rules::make()
}
