//! Runs that go on, replays, reports.

use crate::bench::Bench;

#[test]
fn a_run_goes_on_where_it_stopped() {
    let bench = Bench::new();
    let naive = ["--arms", "naive", "--scenarios", "s1,s5"];
    bench.script("careful", &naive);
    let records = bench.records();
    assert_eq!(records.len(), 2);
    // As if it had been stopped before the second.
    std::fs::remove_file(&records[1]).unwrap();
    let before = std::fs::read(&records[0]).unwrap();
    bench.script("careful", &naive);
    assert_eq!(bench.records(), records);
    assert_eq!(std::fs::read(&records[0]).unwrap(), before, "a finished trial is left alone");
}

#[test]
fn another_plan_needs_another_directory() {
    let bench = Bench::new();
    bench.script("claims", &["--arms", "naive", "--scenarios", "s1"]);
    let out = bench.path().to_str().unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_rab"))
        .args(["run", "--out", out, "--script", "claims", "--seed", "9"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("has another plan"), "{said}");
}

#[test]
fn a_record_can_be_carried_out_again() {
    let bench = Bench::new();
    bench.script("reference", &["--arms", "ours"]);
    // Cursors, identifiers and the directory are others now; the scores are the same.
    let said = bench.rab(&["replay", bench.path().to_str().unwrap()]);
    assert_eq!(said.lines().filter(|line| line.contains(": the same, ")).count(), 6, "{said}");
}

#[test]
fn the_report_has_tables_and_a_page_of_its_own() {
    let bench = Bench::new();
    bench.script("careful", &["--arms", "naive", "--scenarios", "s1,s2", "--title", "A <b> title"]);
    let markdown = bench.read("report.md");
    assert!(markdown.starts_with("# A <b> title\n"), "{markdown}");
    // Two of two passed: Wilson's interval is 34 % to 100 %.
    let row = "| script:careful | naive | 2 | 100 % | 34 % to 100 % |";
    assert!(markdown.contains(row), "{markdown}");
    assert!(markdown.contains("| s2 | script:careful | naive | 1 | 1 |"), "{markdown}");
    let page = bench.read("report.html");
    assert!(page.contains("<title>A &lt;b&gt; title</title>"));
    assert_eq!(page.matches("<svg").count(), 2);
    for outside in ["http://", "https://", "<script", "src=", "@import"] {
        assert!(!page.contains(outside), "{outside}");
    }
}
