//! Every judge sees through somebody who does it wrong.

use serde_json::Value;

use crate::bench::Bench;

fn fail(script: &str, scenarios: &str) -> Vec<Value> {
    let bench = Bench::new();
    let trials = bench.script(script, &["--arms", "ours", "--scenarios", scenarios]);
    for trial in &trials {
        assert_eq!(trial["passed"], false, "{script}: {trial}");
    }
    trials
}

fn fails_by(script: &str, scenario: &str, check: &str) {
    let trials = fail(script, scenario);
    let failed = trials[0]["failed_checks"].as_array().unwrap();
    assert!(failed.contains(&Value::from(check)), "{script}: {failed:?}");
}

#[test]
fn who_only_claims_gets_nothing() {
    let trials = fail("claims", "s0,s1,s2,s3,s4,s5");
    assert_eq!(trials.len(), 6);
    for trial in trials {
        assert_eq!(trial["score"], 0.0, "{trial}");
    }
}

#[test]
fn who_writes_the_raw_token_fails() {
    fails_by("raw", "s1", "no file gives a secret away");
    fails_by("raw", "s5", "the key is in no file but where it belongs");
}

#[test]
fn who_ignores_that_something_changed_fails() {
    fails_by("blind", "s2", "every section is there, once and in order");
    fails_by("blind", "s3", "the items are those of the file as it is in the end");
    fails_by("blind", "s4", "the drift is told, of the right file");
}

#[test]
fn who_reads_the_whole_log_fails_though_the_numbers_are_right() {
    fails_by("whole", "s0", "the log is not poured out in one answer");
}

#[test]
fn who_sends_the_same_again_fails_and_is_counted() {
    let bench = Bench::new();
    bench.script("stubborn", &["--arms", "ours", "--scenarios", "s1"]);
    let row = &bench.report()["agents"][0];
    assert_eq!([&row["passed"], &row["met"]], [0, 1], "{row}");
    assert_eq!(row["identical_retries"], 5.0, "{row}");
    // The draft is kept all the same, each time.
    assert_eq!([&row["incidents"], &row["lost"]], [6, 0], "{row}");
}
