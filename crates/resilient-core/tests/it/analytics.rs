//! What the journal tells about the work.

use resilient_core::Workspace;
use resilient_core::chunk::ChunkReceipt;
use resilient_core::journal::{By, Filter};
use serde_json::{Value, json};

use crate::home::{Home, composing, correctable, create, digest, json_of, refusal};

const JOURNAL: &str = ".resilient_write/journal.jsonl";

/// A row as the Python server writes it.
fn row(ts: &str, path: &str, bytes: u64, mode: &str) -> String {
    row_by(ts, path, bytes, mode, "resilient-write")
}

fn row_by(ts: &str, path: &str, bytes: u64, mode: &str, caller: &str) -> String {
    let row = json!({
        "bytes": bytes, "caller": caller, "journal_id": "wj_0", "mode": mode, "path": path,
        "sha256": digest(""), "ts": ts,
    });
    format!("{row}\n")
}

/// A row of a minute and second past noon of one day.
fn at(minute: u32, second: u32, path: &str, bytes: u64) -> String {
    row(&format!("2026-04-01T12:{minute:02}:{second:02}Z"), path, bytes, "create")
}

fn part(session: &str, index: u32) -> String {
    format!(".resilient_write/chunks/{session}/part-{index:03}.txt")
}

fn checkpoint(name: &str) -> String {
    format!(".resilient_write/checkpoints/{name}.json")
}

fn report_since(lines: &[String], since: Option<&str>) -> Value {
    let home = Home::new();
    home.put(JOURNAL, lines.concat());
    json_of(home.open().analytics(since, None).expect("a report"))
}

fn report(lines: &[String]) -> Value {
    report_since(lines, None)
}

#[test]
fn without_a_journal_all_is_nothing() {
    let home = Home::new();
    let nothing = json!({
        "total_writes": 0, "unique_paths": 0, "total_bytes_written": 0, "by_mode": {},
        "by_caller": {}, "timeline": [], "hot_paths": [], "sessions": {},
        "checkpoints": {"total_saves": 0, "overwrites": 0, "by_name": {}},
        "write_velocity":
            {"writes_per_minute": 0.0, "avg_bytes_per_write": 0.0, "peak_minute": null},
        "period": {"first_entry": null, "last_entry": null, "duration_seconds": 0.0},
    });
    assert_eq!(json_of(home.open().analytics(None, None).expect("a report")), nothing);
    assert_eq!(home.names(""), [""; 0], "asking creates nothing");
    assert_eq!(report(&[]), nothing, "nor does an empty one tell more");
}

#[test]
fn every_field_of_a_small_journal() {
    let report = report(&[
        row("2026-04-01T12:00:00Z", "a", 10, "create"),
        row_by("2026-04-01T12:01:30Z", "b", 5, "append", "other"),
        row("2026-04-01T12:02:00Z", "a", 30, "overwrite"),
    ]);
    assert_eq!(
        report,
        json!({
            "total_writes": 3, "unique_paths": 2, "total_bytes_written": 45,
            "by_mode": {"create": 1, "append": 1, "overwrite": 1},
            "by_caller": {"resilient-write": 2, "other": 1},
            "timeline": [
                {"ts": "2026-04-01T12:00:00Z", "path": "a", "bytes": 10, "mode": "create"},
                {"ts": "2026-04-01T12:01:30Z", "path": "b", "bytes": 5, "mode": "append"},
                {"ts": "2026-04-01T12:02:00Z", "path": "a", "bytes": 30, "mode": "overwrite"},
            ],
            "hot_paths": [
                {
                    "path": "a", "write_count": 2, "total_bytes": 40,
                    "last_write": "2026-04-01T12:02:00Z",
                },
                {
                    "path": "b", "write_count": 1, "total_bytes": 5,
                    "last_write": "2026-04-01T12:01:30Z",
                },
            ],
            "sessions": {},
            "checkpoints": {"total_saves": 0, "overwrites": 0, "by_name": {}},
            "write_velocity": {
                "writes_per_minute": 1.5, "avg_bytes_per_write": 15.0,
                "peak_minute": "2026-04-01T12:00Z",
            },
            "period": {
                "first_entry": "2026-04-01T12:00:00Z", "last_entry": "2026-04-01T12:02:00Z",
                "duration_seconds": 120.0,
            },
        })
    );
}

#[test]
fn of_equals_the_first_seen_comes_first() {
    // g twice, then b to f once: the fifth place is e's, by order of appearance.
    let lines: Vec<String> =
        ["b", "g", "c", "d", "e", "f", "g"].iter().map(|path| at(0, 0, path, 1)).collect();
    let report = report(&lines);
    let paths: Vec<&Value> =
        report["hot_paths"].as_array().expect("a list").iter().map(|hot| &hot["path"]).collect();
    assert_eq!(paths, ["g", "b", "c", "d", "e"]);
    assert_eq!(report["write_velocity"]["writes_per_minute"], json!(0.0), "no time has passed");
}

#[test]
fn the_peak_is_the_first_minute_with_most_rows() {
    let report = report(&[
        at(3, 0, "a", 1),
        at(1, 0, "a", 1),
        at(1, 59, "a", 1),
        at(0, 0, "a", 1),
        at(0, 1, "a", 1),
    ]);
    assert_eq!(report["write_velocity"]["peak_minute"], "2026-04-01T12:01Z");
    // In the order of the file, even where the clock was set back.
    assert_eq!(
        report["period"],
        json!({
            "first_entry": "2026-04-01T12:03:00Z", "last_entry": "2026-04-01T12:00:01Z",
            "duration_seconds": -179.0,
        })
    );
    assert_eq!(report["write_velocity"]["writes_per_minute"], json!(0.0));
}

#[test]
fn the_timeline_has_the_last_fifty() {
    let lines: Vec<String> = (0..60).map(|n| at(n, 0, &format!("f{n}"), 1)).collect();
    let report = report(&lines);
    let timeline = report["timeline"].as_array().expect("a list");
    assert_eq!((timeline.len(), &timeline[0]["path"]), (50, &json!("f10")));
    assert_eq!(timeline[49]["path"], "f59");
    assert_eq!(report["total_writes"], 60);
}

#[test]
fn sessions_count_their_parts_and_every_later_row_of_another_kind() {
    let lines = [
        at(0, 0, "before", 1),
        at(1, 0, &part("s", 1), 1),
        at(2, 0, &part("t", 1), 1),
        at(3, 0, &part("s", 2), 1),
        at(4, 0, "out", 2),
        at(5, 0, &part("t", 2), 1),
        at(6, 0, &checkpoint("c"), 1),
        at(7, 0, &part("u", 1), 1),
        // No parts of a session, except for the last: the state may be below the working directory.
        at(8, 0, ".resilient_write/chunks/u/part-1.txt", 1),
        at(9, 0, ".resilient_write/chunks/u/manifest.json", 1),
        at(10, 0, "sub/.resilient_write/chunks/u/part-002.txt", 1),
        at(11, 0, &part("u", 2), 1),
    ];
    let session = |chunks: u64, composes: u64, first: u32, last: u32| {
        json!({
            "chunk_writes": chunks, "composes": composes,
            "first_write": format!("2026-04-01T12:{first:02}:00Z"),
            "last_write": format!("2026-04-01T12:{last:02}:00Z"),
            "duration_seconds": f64::from(last - first) * 60.0,
        })
    };
    // Rows of the Python server do not say what was composed.
    let expected =
        json!({"s": session(2, 0, 1, 3), "t": session(2, 0, 2, 5), "u": session(3, 0, 7, 11)});
    assert_eq!(report(&lines)["sessions"], expected);
    let said = |minute: u32, name: &str| {
        let row = at(minute, 0, "out", 2);
        row.replace("\"bytes\"", &format!("\"composed\":\"{name}\",\"bytes\""))
    };
    let told = [&lines[..], &[said(12, "s"), said(13, "s"), said(14, "v")]].concat();
    let sessions = &report(&told)["sessions"];
    assert_eq!(sessions["s"], session(2, 2, 1, 3), "a session lasts until its last part");
    assert_eq!((&sessions["t"], &sessions["v"]), (&expected["t"], &session(0, 1, 14, 14)));

    let home = Home::new();
    home.put(JOURNAL, lines.concat());
    let only =
        |name: &str| json_of(home.open().analytics(None, Some(name.to_owned())).expect("a report"));
    assert_eq!(only("t")["sessions"], json!({"t": expected["t"]}));
    assert_eq!(only("t")["total_writes"], 12, "the filter is for sessions alone");
    assert_eq!(only("x")["sessions"], json!({}));
}

#[test]
fn checkpoints_count_their_saves() {
    let report = report(&[
        row("2026-04-01T12:00:00Z", &checkpoint("a"), 10, "create"),
        row("2026-04-01T12:01:00Z", &checkpoint("b"), 1, "create"),
        row("2026-04-01T12:02:00Z", &checkpoint("a"), 20, "overwrite"),
        row("2026-04-01T12:03:00Z", ".resilient_write/checkpoints/readme.txt", 1, "create"),
    ]);
    assert_eq!(
        report["checkpoints"],
        json!({
            "total_saves": 3, "overwrites": 1,
            "by_name": {
                "a": {
                    "saves": 2, "total_bytes": 30, "first_write": "2026-04-01T12:00:00Z",
                    "last_write": "2026-04-01T12:02:00Z",
                },
                "b": {
                    "saves": 1, "total_bytes": 1, "first_write": "2026-04-01T12:01:00Z",
                    "last_write": "2026-04-01T12:01:00Z",
                },
            },
        })
    );
}

#[test]
fn earlier_rows_and_rows_of_no_time_are_left_out_on_request() {
    let lines = [
        at(0, 0, "a", 1),
        at(1, 0, "b", 1),
        row("2026-04-01T14:02:00+02:00", "c", 1, "create"),
        row("some day", "d", 1, "create"),
    ];
    let paths = |since: Option<&str>| -> Vec<String> {
        let report = report_since(&lines, since);
        let timeline = report["timeline"].as_array().expect("a list").clone();
        timeline.iter().map(|moment| moment["path"].as_str().unwrap_or("?").to_owned()).collect()
    };
    assert_eq!(paths(None), ["a", "b", "c", "d"]);
    assert_eq!(paths(Some("2026-04-01T12:00:00Z")), ["a", "b", "c"]);
    assert_eq!(paths(Some("2026-04-01T12:00:01Z")), ["b", "c"]);
    assert_eq!(paths(Some("2026-04-01T08:01:00-04:00")), ["b", "c"], "the same moment elsewhere");
    assert_eq!(paths(Some("2026-04-01T12:01:30+00:00")), ["c"]);
    assert_eq!(paths(Some("2030-01-01T00:00:00Z")), [""; 0]);
    let all = report(&lines);
    assert_eq!(all["write_velocity"]["peak_minute"], "2026-04-01T12:00Z");
    assert_eq!(all["period"]["last_entry"], "some day");
    assert_eq!(all["period"]["duration_seconds"], json!(0.0));
    // A row of no time is in no minute, even when there are most of them.
    let odd = report(&[
        row("when it is too late", "d", 1, "create"),
        row("when it is too late", "d", 1, "create"),
        at(7, 0, "a", 1),
    ]);
    assert_eq!(odd["write_velocity"]["peak_minute"], "2026-04-01T12:07Z");
}

#[test]
fn a_since_that_is_no_moment_is_refused() {
    let ws = Home::new().open();
    for since in ["", "yesterday", "2026-04-01", "2026-04-01T12:00:00", "1790000000"] {
        assert_eq!(
            refusal(ws.analytics(Some(since), None)),
            correctable(json!({
                "argument": "since", "reason": "not an ISO 8601 time with an offset or Z",
            }))
        );
    }
}

#[test]
fn damaged_lines_are_counted_and_a_torn_end_is_none() {
    let whole = at(0, 0, "a", 1);
    let second = at(1, 0, "b", 2);
    let told = |text: String| {
        let report = report(&[text]);
        (report["total_writes"].clone(), report.get("damaged_lines").cloned())
    };
    assert_eq!(told(format!("{whole}nonsense\n[]\n{second}")), (json!(2), Some(json!(2))));
    assert_eq!(told(format!("{whole}\0\0\0\0\n{second}")), (json!(2), Some(json!(1))));
    assert_eq!(told(format!("{whole}{}", &second[..30])), (json!(1), None));
    assert_eq!(told(format!("{whole}{}", second.trim_end())), (json!(2), None));
    assert_eq!(told(format!("\n{whole}\r\n  \n{second}\n")), (json!(2), None));
}

#[test]
fn numbers_that_do_not_fit_together_do_not_overflow() {
    let huge = u64::MAX;
    let report = report(&[at(0, 0, &checkpoint("a"), huge), at(1, 0, &checkpoint("a"), huge)]);
    assert_eq!(report["total_bytes_written"], huge);
    assert_eq!(report["hot_paths"][0]["total_bytes"], huge);
    assert_eq!(report["checkpoints"]["by_name"]["a"]["total_bytes"], huge);
}

/// Rows as the tests of the Python server write them: digests are short words there.
#[test]
fn rows_of_others_count_whatever_their_digests_look_like() {
    let foreign = |id: &str, path: &str, sha256: &str| {
        let row = json!({
            "bytes": 7, "caller": "agent", "journal_id": id, "mode": "create", "path": path,
            "sha256": sha256, "ts": "2026-04-01T12:00:00Z",
        });
        format!("{row}\n")
    };
    let capital = "A".repeat(64);
    let home = Home::new();
    home.put(
        JOURNAL,
        foreign("wj_1", "a", "abc123")
            + &foreign("wj_2", "b", "")
            + &foreign("wj_3", "c", &capital),
    );
    let ws = home.open();
    let report = json_of(ws.analytics(None, None).expect("a report"));
    assert_eq!((&report["total_writes"], &report["total_bytes_written"]), (&json!(3), &json!(21)));
    assert_eq!((report.get("damaged_lines"), &report["by_caller"]), (None, &json!({"agent": 3})));
    let tail = json_of(ws.journal_tail(9, &Filter::default()).expect("a tail"));
    let digests: Vec<&Value> =
        tail["entries"].as_array().expect("a list").iter().map(|row| &row["sha256"]).collect();
    assert_eq!(digests, ["abc123", "", capital.as_str()]);
    assert_eq!(tail.get("damaged_lines"), None);
    let verified = ws.verify_journal().expect("an answer");
    assert_eq!((verified.rows, verified.breaks.len()), (3, 0));
    // They are in front of rows of ours as any others.
    ws.write(create("d", "x")).expect("a receipt");
    assert_eq!(ws.verify_journal().expect("an answer").rows, 4);
    let of_a = Filter { path: Some("a".to_owned()), ..Filter::default() };
    assert_eq!(ws.journal_tail(9, &of_a).expect("a tail").entries.len(), 1);
}

#[test]
fn callers_are_the_clients_that_rows_name() {
    let home = Home::new();
    let ws = home.open();
    for (client, path) in [("editor 1.2", "a"), ("editor 1.2", "b"), ("other 3", "c")] {
        let by = By { client: Some(client.to_owned()), ..By::default() };
        ws.for_caller(by).write(create(path, "x")).expect("a receipt");
    }
    ws.write(create("d", "x")).expect("a receipt");
    let report = json_of(ws.analytics(None, None).expect("a report"));
    let callers = json!({"editor 1.2": 2, "other 3": 1, "resilient-write": 1});
    assert_eq!(report["by_caller"], callers);
    let row: Value =
        serde_json::from_str(home.text(JOURNAL).lines().next().expect("a row")).expect("JSON");
    assert_eq!(row["caller"], "editor 1.2");
}

#[test]
fn many_sessions_in_a_long_journal_take_no_longer_than_few() {
    let mut lines: Vec<String> =
        (0..5_000).map(|n| at(0, 0, &part(&format!("s{n}"), 1), 1)).collect();
    lines.extend((0..5_000).map(|_| at(1, 0, "out", 1)));
    let report = report(&lines);
    assert_eq!(report["sessions"].as_object().expect("a map").len(), 5_000);
    assert_eq!(report["sessions"]["s4999"]["composes"], 0);
    assert_eq!(report["sessions"]["s0"]["duration_seconds"], json!(0.0));
}

#[test]
fn our_own_rows_are_told_wherever_the_state_is() {
    let home = Home::new();
    home.put("work/x", "");
    let write = |ws: &Workspace, content: &str| -> ChunkReceipt {
        ws.chunks().append("s", content.to_owned(), None).expect("a part")
    };
    // The state above the working directory, and the working directory above the state.
    for (cwd, state) in [("work", ""), ("", "work")] {
        let ws = home.builder().cwd(home.path(cwd)).state(home.path(state)).open();
        write(&ws, "one");
        write(&ws, "two");
        ws.compose(composing("out", true)).expect("a receipt");
        let report = json_of(ws.analytics(None, None).expect("a report"));
        assert_eq!(
            report["sessions"]["s"],
            json!({
                "chunk_writes": 2, "composes": 1, "first_write": "2023-11-14T22:13:20Z",
                "last_write": "2023-11-14T22:13:20Z", "duration_seconds": 0.0,
            })
        );
        assert_eq!(report["by_mode"], json!({"overwrite": 2, "create": 1}));
    }
}
