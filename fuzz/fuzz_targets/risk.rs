//! Any text is scored without a panic, the same way each time, with findings that lie in it, and with
//! work that is proportional to its length.
#![no_main]

use libfuzzer_sys::fuzz_target;
use resilient_core::risk::{self, Detection, Policy, lab};

/// So many bytes are looked at for each byte of a text, at most, and this many for any text.
const LOOKS_MAX: u64 = 100;
const LOOKS_LEAST: u64 = 100_000;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let policy = Policy::default();
    lab::work_taken();
    let report = risk::score(&text, &policy);
    let looks = lab::work_taken();
    assert!(looks <= LOOKS_LEAST + LOOKS_MAX * text.len() as u64, "{looks} looks at {}", text.len());
    assert!((0.0..=1.0).contains(&report.score));
    for found in &report.detected_patterns {
        if let Detection::Pattern(hit) = found {
            assert!(text.get(hit.span.clone()).is_some_and(|found| !found.is_empty()));
        }
    }
    assert_eq!(report, risk::score(&text, &policy));
});
