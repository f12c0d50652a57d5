//! Checkpoints on a real disk.

use resilient_core::Workspace;
use resilient_core::checkpoint::{Cleanup, Format, SaveReceipt, SaveRequest};
use resilient_core::journal::Mode;
use serde_json::{Value, json};

use crate::home::{Home, damaged, digest, entries, json_of, malformed, refusal, stale};

const DIR: &str = ".resilient_write/checkpoints";

fn request(name: &str, data: Value) -> SaveRequest {
    SaveRequest {
        name: name.to_owned(),
        data,
        format: Format::Json,
        ttl: "session".to_owned(),
        expected_prev_sha256: None,
        reject_at: None,
    }
}

fn save(ws: &Workspace, name: &str, data: Value) -> SaveReceipt {
    ws.checkpoints().save(request(name, data)).expect("a receipt")
}

fn save_for(ws: &Workspace, name: &str, ttl: &str) {
    let request = SaveRequest { ttl: ttl.to_owned(), ..request(name, json!(name)) };
    ws.checkpoints().save(request).expect("a receipt");
}

fn data_of(ws: &Workspace, name: &str) -> Value {
    ws.checkpoints().read(name).expect("a checkpoint").data
}

/// The file of a checkpoint whose data is written as `data`.
fn file(name: &str, format: &str, ttl: &str, at: &str, data: &str) -> String {
    format!(
        "{{\n  \"created_at\": \"{at}\",\n  \"data\": {data},\n  \"format\": \"{format}\",\n  \
         \"name\": \"{name}\",\n  \"ttl\": \"{ttl}\",\n  \"updated_at\": \"{at}\"\n}}\n"
    )
}

#[test]
fn a_checkpoint_is_kept_with_its_row() {
    let home = Home::new();
    let ws = home.open();
    let receipt = ws
        .checkpoints()
        .save(SaveRequest {
            format: Format::Yaml,
            ttl: "P1D".to_owned(),
            ..request("plan-1_A", json!({"b": [1, 2], "a": "ü"}))
        })
        .expect("a receipt");
    let path = format!("{DIR}/plan-1_A.json");
    let text = file(
        "plan-1_A",
        "yaml",
        "P1D",
        "2023-11-14T22:13:20Z",
        "{\n    \"a\": \"ü\",\n    \"b\": [\n      1,\n      2\n    ]\n  }",
    );
    assert_eq!(home.text(&path), text);
    assert_eq!(
        json_of(&receipt),
        json!({
            "name": "plan-1_A", "format": "yaml", "ttl": "P1D", "checkpoint_path": path,
            "sha256": digest(&text), "bytes": text.len(), "journal_id": receipt.journal_id,
            "created_at": "2023-11-14T22:13:20Z", "updated_at": "2023-11-14T22:13:20Z",
            "chunked": false,
        })
    );
    let [row] = &entries(&ws)[..] else { panic!("one row") };
    assert_eq!((&row.path, row.mode, &row.journal_id), (&path, Mode::Create, &receipt.journal_id));
    assert_eq!((row.sha256.digest(), row.bytes), (Some(receipt.sha256), receipt.bytes));
    assert_eq!(
        json_of(ws.checkpoints().read("plan-1_A").expect("a checkpoint")),
        json!({
            "name": "plan-1_A", "format": "yaml", "ttl": "P1D",
            "created_at": "2023-11-14T22:13:20Z", "updated_at": "2023-11-14T22:13:20Z",
            "data": {"a": "ü", "b": [1, 2]}, "sha256": digest(&text), "bytes": text.len(),
        })
    );
    home.assert_tidy();
}

#[test]
fn a_save_that_changes_the_time_to_live_says_so() {
    let home = Home::new();
    let ws = home.open();
    save_for(&ws, "long", "P30D");
    let receipt = save(&ws, "long", json!(2));
    assert_eq!((receipt.ttl.as_str(), receipt.prev_ttl.as_deref()), ("session", Some("P30D")));
    assert_eq!(json_of(&receipt)["prev_ttl"], json!("P30D"));
    assert_eq!(save(&ws, "long", json!(3)).prev_ttl, None, "it is the same as before");
    home.assert_tidy();
}

#[test]
fn the_file_is_what_python_would_write() {
    let home = Home::new();
    let ws = home.open();
    let data = json!({
        "z": {"é": 1, "e": 2, "Z": 3, "a\u{10000}": 4, "a\u{ffff}": 5},
        "empty": [{}, [], "", {"inner": {}, "list": []}],
        "text": "tab\t nul\0 bell\u{7} del\u{7f} quote\" back\\ slash/ line\u{2028} é 𝄞",
        "values": [null, true, false, 0, -1, 1.5, 18_446_744_073_709_551_615_u64],
    });
    save(&ws, "n", data.clone());
    // json.dumps(data, indent=2, sort_keys=True, ensure_ascii=False), four levels in.
    let written = r#"{
    "empty": [
      {},
      [],
      "",
      {
        "inner": {},
        "list": []
      }
    ],
    "text": "tab\t nul\u0000 bell\u0007 del§ quote\" back\\ slash/ line¶ é 𝄞",
    "values": [
      null,
      true,
      false,
      0,
      -1,
      1.5,
      18446744073709551615
    ],
    "z": {
      "Z": 3,
      "a¢": 5,
      "a𐀀": 4,
      "e": 2,
      "é": 1
    }
  }"#
    .replace('§', "\u{7f}")
    .replace('¶', "\u{2028}")
    .replace('¢', "\u{ffff}");
    assert_eq!(
        home.text(&format!("{DIR}/n.json")),
        file("n", "json", "session", "2023-11-14T22:13:20Z", &written)
    );
    assert_eq!(data_of(&ws, "n"), data);
}

#[test]
fn any_json_comes_back_as_it_was() {
    let home = Home::new();
    let ws = home.open();
    for text in [
        "null",
        "false",
        "0",
        "\"\"",
        "[]",
        "{}",
        "{\"data\":{\"created_at\":null,\"name\":1}}",
        // Doubles whose nearest decimal form is hard to read back.
        "31.245270191439438",
        "0.3453453453453453",
        "2.2250738585072014e-308",
        "5e-324",
        "1.7976931348623157e308",
        "-0.0",
        "9007199254740993",
        "-9223372036854775808",
        "-123456789012345678901234567890123456789012345678901234567890",
    ] {
        let data: Value = serde_json::from_str(text).expect("JSON");
        save(&ws, "n", data.clone());
        assert_eq!(data_of(&ws, "n"), data, "{text}");
        assert_eq!(data_of(&ws, "n").to_string(), text.replace("e308", "e+308"), "{text}");
    }
}

#[test]
fn long_data_in_any_script_comes_back_whole() {
    let home = Home::new();
    let ws = home.open();
    // Two and three bytes each: no length of a piece fits both.
    let long = format!("x{}{}", "é".repeat(600_000), "→".repeat(100_000));
    let receipt = save(&ws, "long", json!({"text": long}));
    assert!(receipt.chunked);
    assert_eq!(home.read(&format!("{DIR}/long.json")).len() as u64, receipt.bytes);
    assert_eq!(data_of(&ws, "long"), json!({"text": long}));
    assert_eq!(home.names(".resilient_write/chunks"), [""; 0]);
    // Exactly the limit is not over it: what surrounds a text of no length is the rest.
    let rest = save(&ws, "edge", json!("")).bytes;
    let fits = "a".repeat(usize::try_from(1_048_576 - rest).expect("a length"));
    let receipt = save(&ws, "edge", json!(fits));
    assert_eq!((receipt.bytes, receipt.chunked), (1_048_576, false));
    let receipt = save(&ws, "edge", json!(format!("{fits}a")));
    assert_eq!((receipt.bytes, receipt.chunked), (1_048_577, true));
    // The longest name is as good as any for long data.
    let name = "n".repeat(64);
    assert!(save(&ws, &name, json!(long)).chunked);
    assert_eq!(data_of(&ws, &name), json!(long));
    home.assert_tidy();
}

#[test]
fn saving_again_keeps_the_time_of_the_first() {
    let home = Home::new();
    save(&home.open(), "n", json!(1));
    let later = home.open_after(3600);
    let receipt = save(&later, "n", json!(2));
    assert_eq!(receipt.created_at, "2023-11-14T22:13:20Z");
    assert_eq!(receipt.updated_at, "2023-11-14T23:13:20Z");
    let read = later.checkpoints().read("n").expect("a checkpoint");
    assert_eq!(
        (read.created_at, read.updated_at, read.data),
        (json!("2023-11-14T22:13:20Z"), json!("2023-11-14T23:13:20Z"), json!(2))
    );
    let modes: Vec<Mode> = entries(&later).iter().map(|row| row.mode).collect();
    assert_eq!(modes, [Mode::Create, Mode::Overwrite]);
    // A damaged file gives no time to keep.
    home.put(&format!("{DIR}/n.json"), "{");
    assert_eq!(save(&later, "n", json!(3)).created_at, "2023-11-14T23:13:20Z");
    // The very same content is a save like any other.
    let again = save(&later, "n", json!(3));
    assert_eq!(entries(&later).pop().map(|row| row.journal_id), Some(again.journal_id));
    home.assert_tidy();
}

#[test]
fn arguments_are_checked_before_anything_is_made() {
    let home = Home::new();
    let ws = home.open();
    let long = "n".repeat(65);
    for name in ["", "a b", "../x", "a/b", "a.b", "ä", long.as_str()] {
        let expected = malformed(json!({
            "name": name, "reason": "name_must_match_^[A-Za-z0-9_-]{1,64}$",
        }));
        assert_eq!(refusal(ws.checkpoints().save(request(name, json!(1)))), expected);
        assert_eq!(refusal(ws.checkpoints().read(name)), expected);
    }
    for format in ["", "JSON", "toml"] {
        assert_eq!(
            refusal(Format::named(format)),
            malformed(json!({"format": format, "valid": ["json", "markdown", "yaml"]}))
        );
    }
    for ttl in ["", "Session", "P1W", "P1.5D", "1D", "PT1M1H", "P-1D", "P1D ", "p1d", "P1DT1D"] {
        let request = SaveRequest { ttl: ttl.to_owned(), ..request("n", json!(1)) };
        assert_eq!(
            refusal(ws.checkpoints().save(request)),
            malformed(json!({
                "ttl": ttl, "reason": "ttl_must_be_session|permanent|ISO_8601_duration",
            }))
        );
    }
    assert_eq!(home.names(""), [""; 0]);
    for format in ["json", "yaml", "markdown"] {
        let named = Format::named(format).expect("a format");
        let request = SaveRequest { format: named, ..request("n", json!([1])) };
        assert_eq!(json_of(ws.checkpoints().save(request).expect("a receipt").format), format);
        assert_eq!(data_of(&ws, "n"), json!([1]), "the format is but a label");
    }
    for ttl in ["session", "permanent", "P", "PT", "P1Y2M3DT4H5M6S", "PT99999999999999999999S"] {
        save_for(&ws, "n", ttl);
        assert_eq!(ws.checkpoints().read("n").expect("a checkpoint").ttl, ttl);
    }
}

#[test]
fn what_cannot_be_read_is_named() {
    let home = Home::new();
    let ws = home.open();
    assert_eq!(
        refusal(ws.checkpoints().read("n")),
        stale(json!({"name": "n", "reason": "checkpoint_not_found"}))
    );
    assert_eq!(home.names(""), [""; 0]);
    for text in ["", "{", "nonsense"] {
        home.put(&format!("{DIR}/n.json"), text);
        let refused = refusal(ws.checkpoints().read("n"));
        let told = refused["context"]["reason"].as_str().unwrap_or_default().to_owned();
        assert!(told.starts_with("corrupt_checkpoint: "), "{text}: {told}");
        assert_eq!(refused, damaged(json!({"name": "n", "reason": told})));
    }
    home.put(&format!("{DIR}/n.json"), b"{\"data\": \"\xff\"}");
    assert_eq!(refusal(ws.checkpoints().read("n"))["error"], "write_corruption");
    for text in ["{\"name\": \"n\"}", "[1]", "null"] {
        home.put(&format!("{DIR}/n.json"), text);
        assert_eq!(
            refusal(ws.checkpoints().read("n")),
            damaged(json!({"name": "n", "reason": "missing_data_field"})),
            "{text}"
        );
    }
    home.put(&format!("{DIR}/n.json"), "{\"data\": null}");
    let read = ws.checkpoints().read("n").expect("a checkpoint");
    assert_eq!((read.data, read.format, read.ttl), (json!(null), json!("json"), json!("session")));
}

#[test]
fn the_list_is_by_name_and_names_what_is_damaged() {
    let home = Home::new();
    let ws = home.open();
    assert_eq!(
        json_of(ws.checkpoints().list().expect("a list")),
        json!({"checkpoints": [], "count": 0})
    );
    assert_eq!(home.names(""), [""; 0]);
    save(&ws, "zeta", json!(1));
    save_for(&ws, "alpha", "permanent");
    home.put(&format!("{DIR}/mid.json"), "{\"torn\": ");
    home.put(&format!("{DIR}/readme.txt"), "no checkpoint");
    std::fs::create_dir(home.path(&format!("{DIR}/dir.json"))).expect("a directory");
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/passwd", home.path(&format!("{DIR}/link.json")))
        .expect("a link");
    let listed = |name: &str, ttl: &str| {
        let path = format!("{DIR}/{name}.json");
        json!({
            "name": name, "bytes": home.read(&path).len(), "checkpoint_path": path,
            "format": "json", "ttl": ttl, "created_at": "2023-11-14T22:13:20Z",
            "updated_at": "2023-11-14T22:13:20Z", "sha256": digest(home.read(&path)),
        })
    };
    assert_eq!(
        json_of(ws.checkpoints().list().expect("a list")),
        json!({
            "checkpoints": [
                listed("alpha", "permanent"),
                {
                    "name": "mid", "bytes": 9, "checkpoint_path": format!("{DIR}/mid.json"),
                    "corrupt": true,
                },
                listed("zeta", "session"),
            ],
            "count": 3,
        })
    );
}

#[test]
fn a_checkpoint_whose_time_is_over_is_read_and_said_to_be_so() {
    let home = Home::new();
    let request = |ttl: &str| SaveRequest {
        name: "c".to_owned(),
        data: json!(1),
        format: Format::Json,
        ttl: ttl.to_owned(),
        expected_prev_sha256: None,
        reject_at: None,
    };
    for (ttl, expired) in [("PT1H", true), ("P1D", false), ("session", false), ("permanent", false)]
    {
        home.open().checkpoints().save(request(ttl)).expect("a receipt");
        let later = home.open_after(7200);
        let found = later.checkpoints().read("c").expect("a checkpoint");
        assert_eq!((found.expired, &found.data), (expired, &json!(1)), "{ttl}");
        assert_eq!(json_of(&found).get("expired").is_some(), expired);
        let listed = json_of(later.checkpoints().list().unwrap());
        let listed = &listed["checkpoints"][0];
        assert_eq!(listed.get("expired").is_some(), expired, "{listed}");
    }
}

#[test]
fn cleanup_takes_what_has_had_its_time() {
    let home = Home::new();
    let ws = home.open();
    let nothing = Cleanup { removed: Vec::new(), kept: 0 };
    assert_eq!(ws.checkpoints().cleanup(true).expect("a cleanup"), nothing);
    assert_eq!(home.names(""), [""; 0]);

    save_for(&ws, "forever", "permanent");
    save_for(&ws, "hour", "PT1H");
    save_for(&ws, "month", "P1M");
    save_for(&ws, "now", "session");
    save_for(&ws, "zero", "P");
    home.put(&format!("{DIR}/bad.json"), "{");
    home.put(&format!("{DIR}/when.json"), file("when", "json", "PT1H", "yesterday", "1"));
    home.put(&format!("{DIR}/other.txt"), "no checkpoint");

    // An hour is not over at its last second.
    let cleanup = home.open_after(3600).checkpoints().cleanup(false).expect("a cleanup");
    assert_eq!(
        json_of(cleanup),
        json!({"removed": [{"name": "bad", "ttl": "unknown", "reason": "corrupt"}], "kept": 6})
    );
    let later = home.open_after(3601);
    assert_eq!(
        json_of(later.checkpoints().cleanup(false).expect("a cleanup")),
        json!({"removed": [{"name": "hour", "ttl": "PT1H", "reason": "expired"}], "kept": 5})
    );
    assert_eq!(
        json_of(later.checkpoints().cleanup(true).expect("a cleanup")),
        json!({
            "removed": [{"name": "now", "ttl": "session", "reason": "session_cleanup"}],
            "kept": 4,
        })
    );
    assert_eq!(
        json_of(home.open_after(30 * 86_400 + 1).checkpoints().cleanup(true).expect("a cleanup")),
        json!({"removed": [{"name": "month", "ttl": "P1M", "reason": "expired"}], "kept": 3})
    );
    assert_eq!(home.names(DIR), ["forever.json", "other.txt", "when.json", "zero.json"]);
    assert_eq!(entries(&ws).len(), 5, "a cleanup has no rows");
    home.assert_tidy();
    drop((ws, later));
    assert_eq!(home.names(".resilient_write/tmp"), [""; 0]);
    assert_eq!(
        refusal(home.open().checkpoints().read("hour")),
        stale(json!({"name": "hour", "reason": "checkpoint_not_found"}))
    );
}

#[test]
fn saving_again_begins_the_time_anew() {
    let home = Home::new();
    save_for(&home.open(), "n", "PT1H");
    save_for(&home.open_after(3000), "n", "PT1H");
    let cleanup = home.open_after(6600).checkpoints().cleanup(true).expect("a cleanup");
    assert_eq!(cleanup, Cleanup { removed: Vec::new(), kept: 1 });
    let cleanup = home.open_after(6601).checkpoints().cleanup(true).expect("a cleanup");
    assert_eq!((cleanup.removed.len(), cleanup.kept), (1, 0));
}

#[test]
fn many_threads_save_one_name_and_the_last_row_tells_the_content() {
    let home = Home::new();
    let spaces = [home.open(), home.open()];
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let ws = &spaces[thread % 2];
            scope.spawn(move || {
                for n in 0..10 {
                    save(ws, "n", json!([thread, n]));
                    let read = ws.checkpoints().read("n").expect("a checkpoint");
                    assert!(read.data.is_array(), "a reader meets whole files");
                }
            });
        }
    });
    let rows = entries(&spaces[0]);
    assert_eq!(rows.len(), 40);
    assert_eq!(rows.iter().filter(|row| row.mode == Mode::Create).count(), 1);
    assert_eq!(rows[39].sha256, digest(home.read(&format!("{DIR}/n.json"))));
}

#[cfg(unix)]
#[test]
fn checkpoints_are_private_to_the_user() {
    let home = Home::new();
    save(&home.open(), "n", json!(1));
    assert_eq!(home.mode(DIR), 0o700);
    assert_eq!(home.mode(&format!("{DIR}/n.json")), 0o600);
}
