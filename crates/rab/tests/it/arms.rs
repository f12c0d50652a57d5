//! The arms without our tools: what can be done there, and what is lost.

use serde_json::Value;

use crate::bench::Bench;

fn cell<'r>(report: &'r Value, scenario: &str, arm: &str) -> &'r Value {
    let cells = report["cells"].as_array().unwrap();
    cells.iter().find(|cell| cell["scenario"] == scenario && cell["arm"] == arm).unwrap()
}

#[test]
fn who_thinks_of_everything_passes_all_but_the_large_log() {
    let bench = Bench::new();
    let trials = bench.script("careful", &["--arms", "naive,defensive"]);
    assert_eq!(trials.len(), 12);
    for trial in &trials {
        assert_eq!(trial["passed"] == true, trial["scenario"] != "s0", "{trial}");
    }
    let report = bench.report();
    for (arm, torn) in [("naive", 1), ("defensive", 0)] {
        // A refused draft is nowhere; a death in the middle of a write tears the naive file.
        assert_eq!(cell(&report, "s1", arm)["lost"], 1, "{arm}");
        assert_eq!(cell(&report, "s2", arm)["lost"], torn, "{arm}");
        assert_eq!(cell(&report, "s2", arm)["met"], 1, "{arm}");
    }
}

#[test]
fn plain_tools_stay_in_their_directory() {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    let bench = Bench::new();
    let inside = bench.path().join("inside");
    std::fs::create_dir(&inside).unwrap();
    let mut server = Command::new(env!("CARGO_BIN_EXE_rab"))
        .args(["plain", "--arm", "naive"])
        .current_dir(&inside)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = server.stdin.take().unwrap();
    let absolute = bench.path().join("out.txt");
    for (id, path) in ["../out.txt", absolute.to_str().unwrap(), "a/../../out.txt", "in.txt"]
        .into_iter()
        .enumerate()
    {
        let arguments = serde_json::json!({"path": path, "content": "x"});
        let params = serde_json::json!({"name": "write_file", "arguments": arguments});
        let method = "tools/call";
        let call =
            serde_json::json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(input, "{call}").unwrap();
    }
    drop(input);
    let output = server.wait_with_output().unwrap();
    let replies: Vec<bool> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["result"]["isError"] == true)
        .collect();
    assert_eq!(replies, [true, true, true, false]);
    assert!(!absolute.exists() && inside.join("in.txt").exists());
}
