//! Finds secrets and personal data in a text, predicts whether a content filter refuses it, and redacts it.
//!
//! [`score`] answers a [`Report`]: a number, a [`Verdict`], what was found where, and what an agent could
//! do about it. [`redact`](redact::redact) takes out what was found. Both depend on the text and the [`Policy`]
//! alone: nothing here reads a file, a clock or the environment. Callers read the policy file, and decide what
//! a verdict forbids.
//!
//! It is a heuristic. A `safe` verdict does not promise that a text holds no secret, and plain
//! prose can look like one.
//!
//! ```
//! use resilient_risk::{Policy, Verdict, score};
//!
//! let text = format!("token = {}{}", "ghp_", "k3Jd9f".repeat(6));
//! let report = score(&text, &Policy::default());
//! assert_eq!(report.verdict, Verdict::Low);
//! assert_eq!(report.kinds(), ["github_pat"]);
//! ```

mod added;
mod assign;
mod benign;
mod bits;
mod byte_classes;
mod candidate;
mod catalogue;
mod checksum;
mod decode;
#[cfg(test)]
mod drawn;
mod escape;
mod explain;
mod family;
mod features;
mod findings;
mod format;
#[cfg(test)]
mod hidden;
mod hit;
#[doc(hidden)]
pub mod hostile;
mod inner;
mod keywords;
mod known_formats;
#[doc(hidden)]
pub mod lab;
mod material;
mod model;
#[cfg(test)]
mod mutated;
mod naming;
mod needles;
mod paper_patterns;
mod paths;
mod pattern;
mod pii;
mod placeholder;
mod policy;
pub mod redact;
mod report;
mod rows;
mod rule;
mod runs;
mod scan;
mod score;
mod services;
mod size;
#[cfg(test)]
mod steady;
mod tables;
mod tally;
mod text_index;
mod token;
mod veil;
mod work;

pub use self::added::{as_of_text, score_added, score_appended};
pub use self::catalogue::{families, patterns};
pub use self::explain::{Explanation, explain, level};
pub use self::findings::{Findings, TOLD_MAX, Told};
pub use self::format::BadForm;
pub use self::paths::Paths;
pub use self::pattern::{BadRegex, Pattern};
pub use self::policy::{Allow, Placeholders, Policy, Thresholds};
pub use self::report::{
    Action, Detection, LISTED_MAX, PatternHit, Report, SizeHit, UnknownVerdict, Verdict,
};
pub use self::rule::{Check, Dummy, Rule};
pub use self::score::{score, score_cut, score_file};
pub use self::veil::veil;
pub use self::work::{Stopped, watched};
