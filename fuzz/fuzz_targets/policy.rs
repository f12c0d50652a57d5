//! Any policy file is used or refused, and what is used can score.
#![no_main]

use libfuzzer_sys::fuzz_target;
use resilient_core::policy::Policy;
use resilient_core::risk;

fuzz_target!(|text: &str| {
    match Policy::parse(text) {
        Ok(policy) => {
            let report = risk::score(text, &policy.risk);
            assert!((0.0..=1.0).contains(&report.score));
        }
        Err(error) => assert!(!error.reason().is_empty()),
    }
});
