//! Any handoff is read or refused; what is read survives being written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use resilient_core::front_matter;

fuzz_target!(|text: &str| {
    if let Ok((facts, body)) = front_matter::read(text) {
        let again = front_matter::write(&facts, body).expect("no deeper than it was");
        let (facts_again, body_again) = front_matter::read(&again).expect("what was written");
        assert_eq!(facts_again, facts);
        assert_eq!(body_again.trim_end(), body.trim_end());
    }
});
