//! Lists of files: what is shown, page by page.

use resilient_core::Workspace;
use resilient_core::read::{ListRequest, Listing};
use serde_json::json;

use crate::home::{Home, json_of};
use crate::refused;

fn tree() -> (Home, Workspace) {
    let home = Home::new();
    for path in [
        "a.txt",
        "b.log",
        ".env",
        "src/main.rs",
        "src/deep/mod.rs",
        "target/out.o",
        ".git/config",
        ".resilient_write/journal.jsonl",
        "z/.hidden/x",
    ] {
        home.put(path, path);
    }
    home.put(".gitignore", "target/\n*.log\n");
    let ws = home.open();
    (home, ws)
}

fn list(ws: &Workspace, request: &ListRequest) -> Listing {
    ws.reader().list(request).unwrap()
}

fn paths(ws: &Workspace, request: &ListRequest) -> Vec<String> {
    list(ws, request).files.into_iter().map(|file| file.path).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_utf_8_is_listed_and_marked_and_begins_no_page() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let home = Home::new();
    for name in [&b"a"[..], b"b\x80", b"b\xef\xbf\xbe", b"b\xff", b"c"] {
        std::fs::write(home.path("").join(OsStr::from_bytes(name)), "x").unwrap();
    }
    let ws = home.open();
    let all = list(&ws, &ListRequest::of("."));
    let marked: Vec<bool> = all.files.iter().map(|file| file.not_utf8).collect();
    assert_eq!(marked, [false, true, false, true, false]);
    for max_files in 1..6 {
        let mut request = ListRequest { max_files, ..ListRequest::of(".") };
        let mut seen = Vec::new();
        loop {
            let page = list(&ws, &request);
            seen.extend(page.files);
            request.from_path = page.next_from_path;
            if !page.has_more {
                break;
            }
        }
        assert_eq!(seen, all.files, "{max_files} a page");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn pages_of_names_that_are_not_utf_8_have_an_end_and_a_limit() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let home = Home::new();
    for number in 0..400 {
        let name = [&b"m\xff"[..], format!("{number:03}").as_bytes()].concat();
        std::fs::write(home.path("").join(OsStr::from_bytes(&name)), "x").unwrap();
    }
    std::fs::write(home.path("z.txt"), "x").unwrap();
    let ws = home.open();
    let mut request = ListRequest { max_files: 10, ..ListRequest::of(".") };
    let first = list(&ws, &request);
    assert!(first.files.len() <= 110 && first.truncated, "{}", first.files.len());
    request.from_path = first.next_from_path;
    let second = list(&ws, &request);
    assert_eq!((second.files[0].path.as_str(), second.has_more), ("z.txt", false));
}

#[test]
fn a_list_has_size_and_time_and_leaves_out_what_is_ignored() {
    let (home, ws) = tree();
    let all = ListRequest::of(".");
    assert_eq!(paths(&ws, &all), ["a.txt", "src/deep/mod.rs", "src/main.rs"]);
    let listing = json_of(list(&ws, &all));
    assert_eq!(listing["files"][0]["size"], 5);
    assert!(listing["files"][0]["mtime_ns"].as_i64().unwrap() > 1_600_000_000_000_000_000);
    assert_eq!((&listing["files_returned"], &listing["has_more"]), (&json!(3), &json!(false)));
    let ignored = ListRequest { gitignore: false, ..all.clone() };
    assert_eq!(
        paths(&ws, &ignored),
        ["a.txt", "b.log", "src/deep/mod.rs", "src/main.rs", "target/out.o"]
    );
    let hidden = ListRequest { hidden: true, ..all.clone() };
    assert_eq!(
        paths(&ws, &hidden),
        [".env", ".gitignore", "a.txt", "src/deep/mod.rs", "src/main.rs", "z/.hidden/x"],
        "never the state directory, nor .git"
    );
    drop(home);
}

#[test]
fn a_glob_and_a_depth_choose() {
    let (_home, ws) = tree();
    let glob = |glob: &str| ListRequest { glob: Some(glob.to_owned()), ..ListRequest::of(".") };
    assert_eq!(paths(&ws, &glob("*.rs")), ["src/deep/mod.rs", "src/main.rs"]);
    assert_eq!(paths(&ws, &glob("src/*.rs")), ["src/main.rs"]);
    let flat = ListRequest { depth: Some(1), ..ListRequest::of(".") };
    assert_eq!(
        paths(&ws, &flat),
        ["a.txt", "src", "z"],
        "a directory that is not entered is shown"
    );
    assert_eq!(list(&ws, &flat).files[1].is, Some("dir"));
    let below = ListRequest::of("src");
    assert_eq!(paths(&ws, &below), ["src/deep/mod.rs", "src/main.rs"]);
}

#[cfg(unix)]
#[test]
fn links_and_pipes_are_named_and_not_followed() {
    let (home, ws) = tree();
    std::os::unix::fs::symlink("/etc", home.path("link")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, home.path("pipe"), 0o600.into()).unwrap();
    let files = list(&ws, &ListRequest::of(".")).files;
    let kinds: Vec<_> = files.iter().map(|file| (file.path.as_str(), file.is)).collect();
    assert!(kinds.contains(&("link", Some("link"))) && kinds.contains(&("pipe", Some("other"))));
    assert!(!kinds.iter().any(|(path, _)| path.starts_with("link/")));
}

#[test]
fn pages_follow_each_other_within_a_budget() {
    let home = Home::new();
    for n in 0..50 {
        home.put(&format!("d{}/f{n:02}", n % 3), "x");
    }
    let ws = home.open();
    let whole = paths(&ws, &ListRequest::of("."));
    assert_eq!(whole.len(), 50);
    for page in [
        ListRequest { max_files: 7, ..ListRequest::of(".") },
        ListRequest { max_tokens: Some(100), ..ListRequest::of(".") },
    ] {
        let (mut all, mut from_path) = (Vec::new(), None);
        loop {
            let listing = list(&ws, &ListRequest { from_path, ..page.clone() });
            assert!((1..=7).contains(&listing.files.len()));
            all.extend(listing.files.into_iter().map(|file| file.path));
            assert_eq!(listing.has_more, listing.next_from_path.is_some());
            from_path = listing.next_from_path;
            if from_path.is_none() {
                break;
            }
        }
        assert_eq!(all, whole);
    }
}

#[test]
fn a_list_goes_on_where_a_file_was_and_says_that_nothing_is_there() {
    let (home, ws) = tree();
    let at = |from: &str| {
        let from_path = Some(from.to_owned());
        let listing = list(&ws, &ListRequest { from_path, ..ListRequest::of(".") });
        let names: Vec<String> = listing.files.into_iter().map(|file| file.path).collect();
        (names, listing.warning.is_some())
    };
    let all = paths(&ws, &ListRequest::of("."));
    assert_eq!(at("src/main.rs"), (all[2..].to_vec(), false));
    std::fs::remove_file(home.path("src/main.rs")).unwrap();
    assert_eq!(at("src/main.rs"), (all[3..].to_vec(), true));
    assert_eq!(at("zzz"), (Vec::new(), true));
    assert_eq!(at("src"), ([&all[1..2], &all[3..]].concat(), false));
}

#[test]
fn a_list_never_leaves_the_workspace() {
    let (home, ws) = tree();
    let kind = |path: &str| refused(ws.reader().list(&ListRequest::of(path))).0;
    assert_eq!(kind(".."), "permission_denied/outside_workspace/abort");
    assert_eq!(kind(&home.beside("")), "permission_denied/outside_workspace/abort");
    assert_eq!(kind("nope"), "not_found/missing/abort");
    assert_eq!(kind("a.txt"), "invalid_input/range/retry_later");
    let page = ListRequest { max_files: 0, ..ListRequest::of(".") };
    assert_eq!(refused(ws.reader().list(&page)).0, "invalid_input/range/retry_later");
    let page = ListRequest { depth: Some(0), ..ListRequest::of(".") };
    assert_eq!(refused(ws.reader().list(&page)).0, "invalid_input/range/retry_later");
    let page = ListRequest { from_path: Some("../x".to_owned()), ..ListRequest::of("src") };
    assert_eq!(refused(ws.reader().list(&page)).0, "invalid_input/range/retry_later");
    let state =
        ListRequest { hidden: true, gitignore: false, ..ListRequest::of(".resilient_write") };
    assert_eq!(refused(ws.reader().list(&state)).0, "policy_violation/permission/abort");
}
