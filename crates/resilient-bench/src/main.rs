//! The benchmarks.

fn main() {}
