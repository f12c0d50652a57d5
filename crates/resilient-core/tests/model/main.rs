//! A model of units, searched exhaustively within bounds.
//!
//! A unit of one or two changes over two directories is committed, and anything may come between two steps of
//! that: a kill, a loss of power, a refused act, an edit by somebody who takes no lock, a copy of the
//! directory. Then recovery runs, by another process, and anything may come between its steps too. The model's
//! disk has files of one byte and ten names; which part of the pending changes of names a loss of power
//! leaves is one of three kinds of persistence. Recovery's decisions are the product's own
//! (`resilient_core::unit::judge`).
//!
//! * [`sound`]: with all rules, no state within the bounds breaks a guarantee.
//! * [`rules_matter`]: each rule taken away leads to a state that does.
//! * [`mutants`]: wrong judges are refused.
//! * [`product`]: what the product leaves out of the rules, all at once, breaks nothing for the units that it has.
//! * [`in_place`]: writes in place, in a model of their own.
//!
//! Not in the model: the tail of the journal, links and unlinks instead of renames, and more than one unit under
//! judgement. The simulated disk of `tests/crash` has those. Two processes never work at once: they take turns by a
//! lock, whose own faults `turns` and `processes` of `tests/crash` show with living processes, call by call.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may panic and print"
)]

mod acts;
mod check;
mod disk;
mod in_place;
mod model;
mod mutants;
mod observe;
mod others;
mod product;
mod rules;
mod rules_matter;
mod search;
mod sound;
mod world;
