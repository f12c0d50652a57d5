//! Any text is checked, in every format, and every finding is on a line of it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use resilient_validate::{Format, validate};

fuzz_target!(|text: &str| {
    // YAML ends lines at a lone carriage return, too.
    let lines = text.split(['\n', '\r']).count();
    for format in [Format::Latex, Format::Json, Format::Jsonl, Format::Yaml, Format::Toml] {
        let report = validate(text, Some(format), None);
        for item in report.errors.iter().chain(&report.warnings) {
            assert!((1..=lines).contains(&item.line), "{format:?} {item:?}");
        }
    }
});
