//! `read`, `tail`, `search`, `stat` and `list`, of both programs; what a terminal is spared; the manual.

use serde_json::json;

use crate::sandbox::{BINARY, READER, Ran, Sandbox, bound};

/// Of the text `one\n`.
const ONE: &str = "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806";

/// What both programs say.
fn both(sandbox: &Sandbox, args: &[&str]) -> [Ran; 2] {
    [sandbox.run(args), sandbox.run_reader(args)]
}

#[test]
fn the_command_line_reads_as_the_tools_do() {
    let sandbox = Sandbox::new();
    sandbox.put("d/a.log", "one\ntwo\nthree\n");
    for ran in both(&sandbox, &["read", "d/a.log", "--start-line", "2"]) {
        assert_eq!(ran.ok().stdout, "2|two\n3|three\n");
    }
    for ran in both(&sandbox, &["read", "d/a.log", "--max-lines", "1"]) {
        assert_eq!((ran.code, ran.stdout.as_str()), (0, "1|one\n"));
        assert_eq!(ran.stderr, "more: --start-line 2\n");
    }
    for ran in both(&sandbox, &["tail", "d/a.log", "-n", "1"]) {
        assert_eq!(ran.ok().stdout, "3|three\n");
    }
    let search = ["search", "T.O", "--regex", "--context-before", "0", "--context-after", "0"];
    for ran in both(&sandbox, &search) {
        assert_eq!(ran.ok().stdout, "d/a.log:2\n> 2|two\n");
    }
    // Of one file, too; and the match stands out among its context.
    for ran in both(&sandbox, &["search", "two", "d/a.log"]) {
        assert_eq!(ran.ok().stdout, "d/a.log:2\n  1|one\n> 2|two\n  3|three\n");
    }
    for ran in both(&sandbox, &["search", "nothing", "d/a.log"]) {
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (1, "", "no match\n"));
    }
    sandbox.put("one", "one\n");
    for ran in both(&sandbox, &["stat", "one"]) {
        let told = ran.ok().stdout;
        assert!(told.starts_with("one\n  bytes     4\n"), "{told}");
        assert!(told.contains(ONE), "{told}");
    }
    for ran in both(&sandbox, &["list", "--glob", "*.log"]) {
        let told = ran.ok().stdout;
        assert!(told.starts_with("          14  2") && told.ends_with("Z  d/a.log\n"), "{told}");
    }
    let args = json!({"path": "d/a.log", "start_line": 2}).to_string();
    let tool = sandbox.run(&["call", "rr_read_lines", &args, "--json"]).ok().stdout;
    let command = sandbox.run(&["read", "d/a.log", "--start-line", "2", "--json"]).ok().stdout;
    assert_eq!(tool, command, "the same answer");
}

#[test]
fn gitignore_is_heeded_unless_asked_otherwise() {
    let sandbox = Sandbox::new();
    sandbox.put(".gitignore", "out/\n");
    sandbox.put("out/a", "needle\n");
    sandbox.put("b", "needle\n");
    let paths = |args: &[&str]| {
        let listing = sandbox.run(args).ok().json();
        let files = listing["files"].as_array().unwrap();
        files.iter().map(|file| file["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(paths(&["list", "--json"]), ["b"]);
    assert_eq!(paths(&["list", "--no-gitignore", "--json"]), ["b", "out/a"]);
    assert_eq!(paths(&["list", "--hidden", "--json"]), [".gitignore", "b"]);
    let found = sandbox.run(&["search", "needle", "--json"]).ok().json();
    assert_eq!(found["matches_returned"], 1);
    let found = sandbox.run(&["search", "needle", "--no-gitignore", "--json"]).ok().json();
    assert_eq!(found["matches_returned"], 2);
}

#[test]
fn a_binary_file_is_said_to_be_one_on_the_command_line() {
    let sandbox = Sandbox::new();
    sandbox.put("b", b"\x00\xff\x80\x01");
    let refused = sandbox.run(&["tail", "b", "--json"]).envelope();
    assert_eq!(refused["error"], "invalid_input");
    assert_eq!(refused["context"]["head_hex"], "00ff8001");
    let complaint = sandbox.run(&["read", "b"]).complaint().to_owned();
    assert!(complaint.contains("is a binary file of 4 bytes"), "{complaint}");
    assert!(complaint.contains("`call rr_read_bytes`"), "{complaint}");
    let refused = sandbox.run(&["read", "b", "--encoding", "base64", "--json"]).envelope();
    let valid = refused["context"]["valid"].as_array().unwrap();
    assert!(valid.iter().all(|name| !name.as_str().unwrap().contains("base64")), "{refused}");
}

#[test]
fn a_read_that_cannot_be_done_is_told_in_the_options_of_the_command_line() {
    let sandbox = Sandbox::new();
    sandbox.put("a.txt", "one\n");
    for (command, told) in [
        (&["read", "a.txt", "--start-line", "0"][..], "`--start-line` must be"),
        (&["read", "a.txt", "--max-lines", "0"], "`--max-lines` must be"),
        (&["search", "", "a.txt"], "`QUERY` must"),
        (&["search", "x", ".", "--from-line", "2"], "`--from-line` needs `--from-path`"),
        (&["search", "(", "a.txt", "--regex"], "or leave out `--regex`"),
        (&["list", "--glob", "["], "`--glob`: "),
        (&["list", "--depth", "0"], "`--depth` must be"),
        (&["chunk", "preview", "s", "--max-bytes", "0"], "`--max-bytes`: must be"),
        (&["read", "a.txt", "--encoding", "none"], "as `--encoding`"),
    ] {
        let refused = sandbox.run(&[command, &["--json"]].concat()).envelope();
        let hint = refused["context"]["hint"].as_str().unwrap();
        assert!(hint.contains(told), "{command:?}: {hint}");
    }
}

#[test]
fn the_rest_of_a_long_line_is_had_with_the_call_that_is_named() {
    let sandbox = Sandbox::new();
    sandbox.put("it's long", format!("{}END\n", "x".repeat(300_000)));
    let ran = sandbox.run(&["read", "it's long"]);
    let (_, call) = ran.stderr.split_once("the rest: call rr_read_bytes ").unwrap();
    let word = call.lines().next().unwrap();
    let arguments = word.trim_matches('\'').replace(r"'\''", "'");
    let rest = sandbox.run(&["call", "rr_read_bytes", &arguments, "--json"]).ok().json();
    assert_eq!(rest["path"], "it's long");
    assert!(rest["content"].as_str().unwrap().starts_with('x'), "{rest}");
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_asks_for_the_permission_to_read() {
    use std::os::unix::fs::PermissionsExt as _;

    let sandbox = Sandbox::new();
    sandbox.put("closed", "x");
    let none = std::fs::Permissions::from_mode(0o0);
    std::fs::set_permissions(sandbox.path("closed"), none).unwrap();
    let complaint = bound(|| sandbox.run(&["read", "closed"])).complaint().to_owned();
    assert!(complaint.contains("the permission to open it"), "{complaint}");
    assert!(!complaint.contains("write there"), "{complaint}");
}

#[test]
fn what_is_not_there_has_one_exit_status() {
    let sandbox = Sandbox::new();
    let none = "a".repeat(64);
    for args in [
        &["read", "none"][..],
        &["validate", "none"],
        &["redact", "none"],
        &["risk", "none"],
        &["risk", "none", "other"],
        &["write", "a", "none"],
        &["policy", "check", "none"],
        &["replace", "none", "--old-string", "a", "--new-string", "b"],
        &["handoff", "read"],
        &["checkpoint", "read", "none"],
        &["chunk", "status", "none"],
        &["chunk", "reset", "none"],
        &["chunk", "preview", "none"],
        &["chunk", "compose", "none", "a"],
        &["validate", "--session", "none"],
        &["redact", "--draft-sha256", &none],
        &["scratch", "get", &none],
        &["scratch", "ref", "--label", "none"],
        &["scratch", "rm", "--label", "none"],
    ] {
        for ran in [sandbox.run(args), sandbox.run(&[args, &["--json"]].concat())] {
            assert_eq!(ran.code, 8, "{args:?}: {ran:?}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_has_an_exit_status_of_its_own() {
    let sandbox = Sandbox::new();
    sandbox.put("a", "one\n");
    for (program, args) in [
        (BINARY, &["read", "a"][..]),
        (BINARY, &["read", "a", "--json"]),
        (BINARY, &["search", "one", "a"]),
        (BINARY, &["write", "b", "--content", "x"]),
        (BINARY, &["read", "none", "--json"]),
        (BINARY, &["--help"]),
        (BINARY, &["completions", "bash"]),
        (READER, &["--version"]),
        (READER, &["tail", "a"]),
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ran = sandbox.command(program, &sandbox.root()).args(args).stdout(full).output();
        let ran = ran.unwrap();
        let told = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(9), "{args:?}: {told}");
        let what = "standard output cannot be written: No space left on device (os error 28)\n";
        assert!(told.starts_with("resilient-") && told.ends_with(what), "{args:?}: {told}");
        if args[0] == "write" {
            assert!(told.contains("the command is done, but its answer is lost: "), "{told}");
        }
    }
    assert_eq!(sandbox.text("b"), "x");
}

#[test]
fn the_exit_status_tells_the_kind_of_a_failure() {
    let sandbox = Sandbox::new();
    sandbox.put("a", "one\n");
    sandbox.put("b", b"\x00\xff\x80\x01");
    let token = ["sk-ant-oat01-", &"A1b2C3d4".repeat(10)].concat();
    for (args, code) in [
        (&["read", "a"][..], 0),
        (&["search", "two", "a"], 1),
        (&["read"], 2),
        (&["write", "a", "--content", "x"], 3),
        (&["write", "c", "--content", &format!("{token}\n{token}x"), "--classify=low"], 4),
        (&["write", "../c", "--content", "x"], 6),
        (&["read", "c"], 8),
        // The tools that read have other words for these.
        (&["read", "../c"], 6),
        (&["redact", "../c"], 6),
        (&["write", "b/", "--content", "x"], 6),
        (&["read", "."], 6),
        (&["read", "b"], 6),
        (&["read", "a", "--max-lines", "0"], 6),
        (&["checkpoint", "read", "a b"], 6),
    ] {
        let ran = sandbox.run(args);
        assert_eq!(ran.code, code, "{args:?}: {ran:?}");
    }
    sandbox.put("broken.yaml", "treshold: {}\n");
    let broken =
        Sandbox::new().with("RW_POLICY_FILE", sandbox.path("broken.yaml").to_str().unwrap());
    let top = std::path::Path::new("/");
    let same = |sandbox: &Sandbox, cwd: &std::path::Path, args: &[&str], code: i32| {
        for args in [args.to_vec(), [args, &["--json"]].concat()] {
            let ran = sandbox.run_in(cwd, &args, "");
            assert_eq!(ran.code, code, "{args:?}: {ran:?}");
        }
    };
    same(&sandbox, top, &["write", "x", "--content", "y"], 6);
    same(&sandbox, &sandbox.root(), &["-w", "nodir", "list"], 3);
    same(&broken, &broken.root(), &["write", "x", "--content", "y"], 6);
    same(&broken, &broken.root(), &["policy", "check"], 6);
    // A server that cannot start ends as the Python server does.
    same(&sandbox, top, &[], 1);
    let help = sandbox.run(&["--help"]).ok().stdout;
    for line in ["   3  stale_precondition", "   4  blocked", "   8  not_found"] {
        assert!(help.contains(line), "{help}");
    }
}

#[test]
fn what_a_terminal_would_obey_is_escaped_when_asked_and_raw_in_a_pipe() {
    let sandbox = Sandbox::new();
    sandbox.put("a", "red \u{1b}[31m\u{202e}text\n");
    let raw = sandbox.run(&["read", "a"]).ok().stdout;
    assert_eq!(raw, "1|red \u{1b}[31m\u{202e}text\n");
    let safe = sandbox.run(&["read", "a", "--escape"]).ok().stdout;
    assert_eq!(safe, "1|red \\u{1b}[31m\\u{202e}text\n");
    let json = sandbox.run(&["read", "a", "--escape", "--json"]).ok();
    assert!(!json.stdout.contains('\u{202e}') && json.stdout.contains("\\u202e"));
    assert_eq!(json.json()["content"], "1|red \u{1b}[31m\u{202e}text", "the value is the same");
}

#[test]
fn a_row_of_the_journal_is_one_line_whatever_its_path_is() {
    let sandbox = Sandbox::new();
    sandbox.run(&["write", "a\u{1b}[31m\nb", "--content", "x"]).ok();
    let told = sandbox.run(&["journal", "tail"]).ok().stdout;
    assert_eq!(told.lines().count(), 1);
    assert!(told.ends_with("  a\\u{1b}[31m\\u{a}b\n"), "{told}");
}

#[test]
fn content_comes_from_a_file_too() {
    let sandbox = Sandbox::new();
    sandbox.put("from", "one\n");
    sandbox.run(&["write", "to", "from"]).ok();
    assert_eq!(sandbox.text("to"), "one\n");
    sandbox.run(&["chunk", "append", "s", "from"]).ok();
    sandbox.run_with(&["chunk", "append", "s", "-"], "two\n").ok();
    sandbox.run(&["chunk", "append", "s", "--content", "three\n"]).ok();
    sandbox.run(&["chunk", "compose", "s", "all"]).ok();
    assert_eq!(sandbox.text("all"), "one\ntwo\nthree\n");
    sandbox.put("v.json", "[1]");
    sandbox.run(&["checkpoint", "save", "c", "v.json"]).ok();
    assert_eq!(sandbox.run(&["checkpoint", "read", "c", "--json"]).ok().json()["data"], json!([1]));
    assert_eq!(sandbox.run(&["validate", "--content", "{}"]).ok().stdout, "json: ok\n");
    assert_eq!(sandbox.run(&["write", "x", "from", "--content", "y"]).code, 2);
}

#[test]
fn every_command_that_takes_a_text_takes_a_file_standard_input_or_the_text_itself() {
    let note = json!({
        "task_id": "t", "status": "partial", "agent": "a", "summary": "s", "next_steps": [],
        "last_good_state": [],
    })
    .to_string();
    let page = include_str!("../../../../docs/cli.md");
    for (command, told) in [
        ("write out.txt --mode overwrite", "write PATH"),
        ("chunk write s 1", "chunk write SESSION INDEX"),
        ("chunk append s", "chunk append SESSION"),
        ("scratch put", "scratch put"),
        ("checkpoint save c", "checkpoint save NAME"),
        ("handoff write", "handoff write"),
        ("validate", "validate"),
        ("risk", "risk"),
        ("redact", "redact"),
    ] {
        let sandbox = Sandbox::new();
        sandbox.put("from", &note);
        let with = |more: &[&str]| {
            let args = command.split(' ').chain(more.iter().copied());
            args.map(str::to_owned).collect::<Vec<_>>()
        };
        let ways = [
            sandbox.run(&with(&["from"])),
            sandbox.run_with(&with(&["-"]), &note),
            sandbox.run(&with(&["--content", &note])),
        ];
        for ran in &ways {
            assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{command}: {ran:?}");
        }
        if ["validate", "risk", "redact"].contains(&command) {
            assert!(ways.iter().all(|ran| ran.stdout == ways[0].stdout), "{command}: {ways:?}");
        }
        let both = sandbox.run(&with(&["from", "--content", "x"]));
        assert_eq!(both.code, 2, "{command}: one text at a time: {both:?}");
        assert!(page.contains(&format!("`{told}`")), "{told}");
    }
}

#[test]
fn options_are_named_as_the_arguments_of_tools_and_the_old_names_stay() {
    let sandbox = Sandbox::new();
    sandbox.put("a", "one\n");
    let again = ["write", "a", "--mode", "overwrite", "--content", "one\n"];
    for option in ["--expected-prev-sha256", "--expect"] {
        sandbox.run(&[&again[..], &[option, ONE]].concat()).ok();
    }
    for [old, new] in [["--old-string", "--new-string"], ["--old", "--new"]] {
        sandbox.run(&["replace", "a", old, "one", new, "two"]).ok();
        sandbox.run(&["replace", "a", old, "two", new, "one"]).ok();
    }
    for path in ["--filter-path", "--path"] {
        assert_eq!(sandbox.run(&["journal", "tail", path, "none"]).ok().stdout, "no rows\n");
    }
    let help = sandbox.run(&["replace", "--help"]).ok().stdout;
    assert!(help.contains("--old-string") && !help.contains("--old <"), "{help}");
}

#[test]
fn help_names_only_what_there_is() {
    let sandbox = Sandbox::new();
    let help = sandbox.run(&["serve", "--help"]).ok().stdout;
    for present in ["stdio", "sse", "http", "--host", "--port", "--token-file"] {
        assert!(help.contains(present), "no {present} in {help}");
    }
    for args in [&["--help"][..], &["serve", "--help"], &["call", "--help"]] {
        let help = sandbox.run_reader(args).ok().stdout;
        assert!(!help.contains("rw_") && !help.contains("rw."), "{help}");
    }
}

#[test]
fn shells_and_man_know_the_commands() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        for ran in both(&sandbox, &["completions", shell]) {
            assert!(ran.ok().stdout.contains("search"), "{shell}");
        }
    }
    // Bash knows each command by a path, which has a list of what may come next.
    for ran in both(&sandbox, &["completions", "bash"]) {
        let text = ran.ok().stdout.clone();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let mut paths =
            lines.iter().filter_map(|line| line.strip_prefix("cmd=\"")?.strip_suffix('"'));
        let is_listed = |path: &&str| lines.contains(&format!("{path})").as_str());
        assert_eq!(paths.find(|path| !path.is_empty() && !is_listed(path)), None);
    }
    for ran in both(&sandbox, &["man"]) {
        assert!(ran.ok().stdout.contains(".SH SYNOPSIS"));
    }
    sandbox.put("pages/.keep", "");
    assert_eq!(sandbox.run(&["man", "none"]).code, 8);
    sandbox.run(&["man", "pages"]).ok();
    assert!(sandbox.text("pages/resilient-write-search.1").contains("regular expression"));
    assert_eq!(sandbox.run(&["completions", "cobol"]).code, 2);
}

#[cfg(unix)]
#[test]
fn a_pipe_that_nobody_writes_to_is_not_waited_for() {
    let sandbox = Sandbox::new();
    let made = std::process::Command::new("mkfifo").arg(sandbox.path("pipe")).status().unwrap();
    assert!(made.success());
    let refused = sandbox.run(&["validate", "pipe", "--json"]).envelope();
    assert_eq!(refused["context"]["reason"], "not_a_regular_file");
    // What a shell passes has a writer.
    sandbox.run(&["write", "a.json", "--content", "{}"]).ok();
}

#[test]
fn a_file_is_printed_whole_unless_a_part_is_asked_for() {
    let sandbox = Sandbox::new();
    let lines: Vec<String> = (1..=12_345).map(|number| format!("{number}|line {number}")).collect();
    let text: Vec<&str> = lines.iter().filter_map(|line| line.split('|').nth(1)).collect();
    sandbox.put("long.txt", text.join("\n") + "\n");
    for ran in both(&sandbox, &["read", "long.txt"]) {
        let ran = ran.ok();
        assert!(ran.stdout == lines.join("\n") + "\n" && ran.stderr.is_empty(), "{}", ran.stderr);
    }
    let part = sandbox.run(&["read", "long.txt", "--start-line", "12"]);
    assert_eq!((part.stdout.lines().count(), &*part.stderr), (400, "more: --start-line 412\n"));
    let part = sandbox.run(&["read", "long.txt", "--json"]).ok().json();
    assert_eq!(part["lines_returned"], 400);
    sandbox.put("empty.txt", "");
    assert_eq!(sandbox.run(&["read", "empty.txt"]).ok().stdout, "");
}
