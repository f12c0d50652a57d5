//! The reference script passes every scenario with our tools, for several seeds.

use crate::bench::Bench;

#[test]
fn every_scenario_can_be_passed() {
    let bench = Bench::new();
    for seed in ["1", "2", "3"] {
        let bench = if seed == "1" { &bench } else { &Bench::new() };
        let trials = bench.script("reference", &["--arms", "ours", "--seed", seed]);
        assert_eq!(trials.len(), 6);
        for trial in trials {
            assert_eq!(trial["failed_checks"].as_array().unwrap().len(), 0, "{trial}");
            assert_eq!(trial["passed"], true, "{trial}");
            assert!(trial["end"].as_str().unwrap().starts_with("answer"), "{trial}");
            assert!(trial["score"].as_f64().unwrap() >= 97.0, "{trial}");
        }
    }
}

#[test]
fn a_small_context_needs_no_other_tools() {
    let bench = Bench::new();
    let trials = bench.script("reference", &["--arms", "ours", "--core"]);
    assert!(trials.iter().all(|trial| trial["passed"] == true), "{trials:?}");
}

#[test]
fn what_goes_wrong_is_met_and_nothing_is_lost_by_it() {
    let bench = Bench::new();
    bench.script("reference", &["--arms", "ours", "--scenarios", "s1,s2,s3,s4"]);
    let report = bench.report();
    for cell in report["cells"].as_array().unwrap() {
        let figures = [&cell["met"], &cell["incidents"], &cell["lost"], &cell["recovered"]];
        assert_eq!(figures, [1, 1, 0, 1], "{cell}");
        assert_eq!(cell["identical_retries"], 0.0, "{cell}");
    }
}
