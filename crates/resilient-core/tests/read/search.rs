//! Searching: what matches, what is shown of it, and how one goes on.

use resilient_core::read::{Found, SearchRequest};
use resilient_core::{Error, Result, Workspace};
use serde_json::json;

use crate::home::{Home, Steps, json_of};
use crate::refused;

fn home_of(bytes: impl AsRef<[u8]>) -> (Home, Workspace) {
    let home = Home::new();
    home.put("f", bytes);
    let ws = home.open();
    (home, ws)
}

fn plain(query: &str) -> SearchRequest {
    SearchRequest { context_before: 0, context_after: 0, ..SearchRequest::of("f", query) }
}

#[track_caller]
fn search(ws: &Workspace, request: &SearchRequest) -> Found {
    ws.reader().search(request).unwrap()
}

/// The numbers of the lines that match.
#[track_caller]
fn matching(bytes: impl AsRef<[u8]>, request: &SearchRequest) -> Vec<u64> {
    let request = SearchRequest { max_matches: 100, count: true, ..request.clone() };
    let found = search(&home_of(bytes).1, &request);
    let lines: Vec<u64> = found.matches.iter().map(|it| it.match_line).collect();
    assert_eq!(found.total_matches, Some(lines.len() as u64));
    assert!(!found.has_more);
    lines
}

#[test]
fn a_page_has_its_matches_with_their_context() {
    let (_home, ws) = home_of("a\nb\nError one\nc\nd\nERROR two\ne\n");
    let request = SearchRequest { context_after: 1, ..SearchRequest::of("f", "error") };
    let found = search(&ws, &request);
    let mtime_ns = found.mtime_ns.unwrap();
    assert_eq!(
        json_of(found),
        json!({
            "path": "f", "query": "error", "from_line": 1, "next_from_line": 7,
            "matches_returned": 2, "has_more": false, "mtime_ns": mtime_ns,
            "matches": [
                {"match_line": 3, "start_line": 1, "end_line": 4,
                 "excerpt": "1|a\n2|b\n3|Error one\n4|c"},
                {"match_line": 6, "start_line": 4, "end_line": 7,
                 "excerpt": "4|c\n5|d\n6|ERROR two\n7|e"},
            ],
        })
    );
}

#[test]
fn a_query_is_a_literal_or_a_regular_expression() {
    let text = "a.c\nabc\nA.C\nx1y\n";
    assert_eq!(matching(text, &plain("a.c")), [1, 3]);
    let exact = SearchRequest { case_sensitive: true, ..plain("a.c") };
    assert_eq!(matching(text, &exact), [1]);
    let regex = SearchRequest { regex: true, ..plain("a.c") };
    assert_eq!(matching(text, &regex), [1, 2, 3]);
    let anchored = SearchRequest { regex: true, ..plain(r"^\w\d\w$") };
    assert_eq!(matching(text, &anchored), [4]);
    assert_eq!(matching("x1y\r\nx1yz\r\n", &anchored), [1], "a line ends before its terminator");
    assert_eq!(matching("MÜNCHEN\nmünchen\n", &plain("münchen")), [1, 2]);
    let empty = SearchRequest { regex: true, ..plain("^$") };
    assert_eq!(matching("a\n\nb\n\n", &empty), [2, 4]);
}

#[test]
fn lines_are_counted_as_everywhere() {
    assert_eq!(matching("a\rb\rhit\rc\nhit\r\nhit", &plain("hit")), [3, 5, 6]);
    let utf16: Vec<u8> =
        "\u{FEFF}a\r\nhít\nb\nHÍT".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(matching(utf16, &plain("hít")), [2, 4]);
    assert_eq!(matching(b"caf\xe9\nau lait\nCAF\xc9\n", &plain("café")), [1, 3]);
    assert_eq!(
        matching(b"\x00\x01hit\nhit\n", &plain("hit")),
        [1, 2],
        "a NUL makes no binary file"
    );
}

#[test]
fn pages_follow_each_other() {
    let text: String = (1..=1000)
        .map(|n| if n % 10 == 0 { format!("hit {n}\n") } else { format!("line {n}\n") })
        .collect();
    let (_home, ws) = home_of(text);
    let (mut seen, mut from_line) = (Vec::new(), 1);
    loop {
        let found = search(&ws, &SearchRequest { from_line, max_matches: 7, ..plain("hit") });
        assert_eq!(found.matches_returned, found.matches.len() as u64);
        seen.extend(found.matches.iter().map(|it| it.match_line));
        from_line = found.next_from_line as i64;
        if !found.has_more {
            break;
        }
    }
    assert_eq!(seen, (1..=100).map(|n| n * 10).collect::<Vec<u64>>());
    let counted = search(&ws, &SearchRequest { from_line: 501, count: true, ..plain("hit") });
    assert_eq!((counted.total_matches, counted.matches_returned), (Some(50), 5));
    assert!(counted.has_more);
    let none = search(&ws, &SearchRequest { from_line: 17, ..plain("absent") });
    assert_eq!((none.next_from_line, none.has_more), (17, false));
    assert_eq!(search(&ws, &SearchRequest { from_line: 5000, ..plain("hit") }).matches, []);
}

#[test]
fn a_large_file_is_searched_in_order_whoever_is_first() {
    let text: String = (1..=300_000)
        .map(|n| if n % 30_000 == 0 { format!("needle {n}\n") } else { format!("hay {n}\n") })
        .collect();
    let (_home, ws) = home_of(text);
    for _ in 0..5 {
        let found = search(&ws, &SearchRequest { max_matches: 9, ..plain("needle") });
        let lines: Vec<u64> = found.matches.iter().map(|it| it.match_line).collect();
        assert_eq!(lines, (1..=9).map(|n| n * 30_000).collect::<Vec<u64>>());
        assert_eq!(found.matches[8].excerpt, "270000|needle 270000");
        assert!(found.has_more);
    }
}

#[test]
fn in_a_long_line_the_match_is_shown() {
    // The needle lies where blocks are cut, once in each of many places.
    for place in [262_140, 262_143, 262_144, 600_000, 2_000_000] {
        let mut text = "x".repeat(3_000_000);
        text.replace_range(place..place + 6, "needle");
        let (_home, ws) = home_of(format!("first\n{text}\nlast needle\n"));
        let found = search(&ws, &SearchRequest { count: true, ..plain("needle") });
        assert_eq!(found.total_matches, Some(2), "{place}");
        let [long, last] = found.matches.as_slice() else { panic!("{found:?}") };
        assert_eq!((long.match_line, last.match_line), (2, 3));
        assert!(long.excerpt.len() < 2100 && long.excerpt.contains("needle"));
        assert!(long.excerpt.starts_with("2|…x") && long.excerpt.ends_with("x…"));
        assert_eq!(long.match_offset, Some(6 + place as u64));
        assert_eq!((long.cut_lines[0].bytes, long.cut_lines[0].line), (3_000_000, 2));
    }
    // A line that matches in every block is one match.
    let (_home, ws) = home_of("needle ".repeat(300_000));
    let found = search(&ws, &SearchRequest { count: true, ..plain("needle") });
    assert_eq!((found.total_matches, found.matches.len()), (Some(1), 1));
}

#[test]
fn excerpts_have_a_budget() {
    let (_home, ws) = home_of(format!("hit {}\n", "word ".repeat(300)).repeat(1000));
    let request = SearchRequest { max_matches: 100, context_after: 100, ..plain("hit") };
    let found = search(&ws, &request);
    assert!(found.truncated && found.has_more && !found.matches.is_empty());
    let size: usize = found.matches.iter().map(|it| it.excerpt.len()).sum();
    assert!(size <= 256 << 10, "{size}");
    let request = SearchRequest { max_tokens: Some(1000), ..plain("hit") };
    let found = search(&ws, &request);
    assert_eq!((found.matches.len(), found.truncated, found.next_from_line), (2, true, 3));
    for max_tokens in [1, 20, 300] {
        let request =
            SearchRequest { max_tokens: Some(max_tokens), ..SearchRequest::of("f", "hit") };
        let found = search(&ws, &request);
        let [only] = found.matches.as_slice() else { panic!("{found:?}") };
        assert!(found.truncated && found.has_more, "{found:?}");
        assert!(only.excerpt.len() < 40 + 4 * max_tokens as usize, "{found:?}");
    }
}

fn tree() -> (Home, Workspace) {
    let home = Home::new();
    for (path, text) in [
        (".gitignore", "*.tmp\n/build/\n"),
        ("a.log", "hit a\n"),
        ("build/out.log", "hit built\n"),
        ("d/.gitignore", "!keep.tmp\nsecret.*\n"),
        ("d/b.log", "one\nhit b\nhit b again\n"),
        ("d/deep/c.log", "hit c\n"),
        ("d/keep.tmp", "hit kept\n"),
        ("d/secret.log", "hit secret\n"),
        ("e.txt", "hit e\n"),
        ("x.tmp", "hit x\n"),
        (".git/config.log", "hit git\n"),
        (".resilient_write/journal.log", "hit state\n"),
    ] {
        home.put(path, text);
    }
    home.put("bin.log", b"\x00\x01\x02\xffhit");
    let ws = home.open();
    (home, ws)
}

fn in_tree(path: &str, glob: &str, gitignore: bool) -> SearchRequest {
    let glob = Some(glob.to_owned());
    SearchRequest { path: path.into(), glob, gitignore, max_matches: 100, ..plain("hit") }
}

fn paths(found: &Found) -> Vec<&str> {
    found.matches.iter().map(|it| it.path.as_deref().unwrap()).collect()
}

#[test]
fn a_glob_names_files_below_a_directory() {
    let (_home, ws) = tree();
    let found = search(&ws, &in_tree(".", "*.log", false));
    assert_eq!(
        paths(&found),
        ["a.log", "build/out.log", "d/b.log", "d/b.log", "d/deep/c.log", "d/secret.log"]
    );
    assert_eq!((found.files_searched, found.mtime_ns), (Some(5), None));
    assert_eq!(json_of(&found.skipped), json!([{"path": "bin.log", "reason": "binary"}]));
    assert_eq!(paths(&search(&ws, &in_tree("d", "*.log", false))).len(), 4);
    assert_eq!(paths(&search(&ws, &in_tree(".", "d/*.log", false))).len(), 3, "one level");
    assert_eq!(paths(&search(&ws, &in_tree("d", "**/c.{log,txt}", false))), ["d/deep/c.log"]);
    assert_eq!(search(&ws, &in_tree(".", "*.none", false)).files_searched, Some(0));
}

#[test]
fn gitignore_is_heeded_when_asked_for() {
    let (_home, ws) = tree();
    let found = search(&ws, &in_tree(".", "*.{log,tmp}", true));
    assert_eq!(paths(&found), ["a.log", "d/b.log", "d/b.log", "d/deep/c.log", "d/keep.tmp"]);
    let found = search(&ws, &in_tree("d", "*.tmp", true));
    assert_eq!(paths(&found), ["d/keep.tmp"], "what the directories above say counts too");
}

#[test]
fn pages_go_through_files() {
    let (_home, ws) = tree();
    let (mut seen, mut request) = (Vec::new(), in_tree(".", "*.log", false));
    request.max_matches = 1;
    loop {
        let found = search(&ws, &request);
        seen.extend(found.matches.iter().map(|it| (it.path.clone().unwrap(), it.match_line)));
        assert_eq!(found.has_more, found.next_from_path.is_some());
        if found.next_from_path.is_none() {
            break;
        }
        request.from_line = found.next_from_line as i64;
        request.from_path = found.next_from_path;
    }
    let seen: Vec<(&str, u64)> = seen.iter().map(|(path, line)| (path.as_str(), *line)).collect();
    assert_eq!(
        seen,
        [
            ("a.log", 1),
            ("build/out.log", 1),
            ("d/b.log", 2),
            ("d/b.log", 3),
            ("d/deep/c.log", 1),
            ("d/secret.log", 1)
        ]
    );
}

#[test]
fn a_search_goes_on_where_a_file_was_and_says_that_nothing_is_there() {
    let (home, ws) = tree();
    let at = |from: &str, path: &str| SearchRequest {
        from_path: Some(from.to_owned()),
        ..in_tree(path, "*.log", false)
    };
    std::fs::remove_file(home.path("d/b.log")).unwrap();
    let found = search(&ws, &at("d/b.log", "."));
    assert_eq!(paths(&found), ["d/deep/c.log", "d/secret.log"]);
    assert!(found.warning.unwrap().contains("nothing is at from_path"));
    let found = search(&ws, &at("zzz", "."));
    assert!(found.matches.is_empty() && found.warning.is_some());
    // A file, a file that the glob does not mean, a directory, and the directory that is searched.
    for there in ["d/deep/c.log", "bin.log", "d", "."] {
        assert_eq!(search(&ws, &at(there, ".")).warning, None, "{there}");
    }
    assert_eq!(search(&ws, &in_tree(".", "*.log", false)).warning, None);
}

#[cfg(unix)]
#[test]
fn no_link_is_followed_out_of_the_tree() {
    let (home, ws) = tree();
    home.put("../outside/secret.log", "hit outside\n");
    std::os::unix::fs::symlink("../outside", home.path("link")).unwrap();
    std::os::unix::fs::symlink("../outside/secret.log", home.path("link.log")).unwrap();
    let found = search(&ws, &in_tree(".", "*.log", false));
    assert_eq!(found.matches.len(), 6);
    let (kind, _) = refused(ws.reader().search(&in_tree("link", "*.log", false)));
    assert_eq!(kind, "permission_denied/outside_workspace/abort");
    let (kind, _) = refused(ws.reader().search(&in_tree("../outside", "*", false)));
    assert_eq!(kind, "permission_denied/outside_workspace/abort");
}

#[test]
fn what_is_no_query_is_said_to_be_none() {
    let (home, ws) = home_of("a\n");
    home.put("d/f", "");
    let regex = |query: &str| SearchRequest { regex: true, ..plain(query) };
    let glob =
        |glob: &str| SearchRequest { glob: Some(glob.into()), path: ".".into(), ..plain("a") };
    for (request, reason) in [
        (plain(""), "query_must_not_be_empty"),
        (plain("a\nb"), "query_must_be_part_of_one_line"),
        (plain(&"a".repeat(10_001)), "query_must_have_at_most_10000_bytes"),
        (regex("(a"), "bad_regex: "),
        (regex(r"(a)\1"), "bad_regex: "),
        (regex("(a{1000}){1000}"), "bad_regex: "),
        (glob("{a"), "bad_glob: "),
        (SearchRequest { from_line: 2, ..glob("*") }, "from_line_needs_from_path"),
        (SearchRequest { path: "d/f".into(), ..glob("*") }, "path_must_be_a_directory"),
        (
            SearchRequest { from_path: Some("../x".into()), path: "d".into(), ..glob("*") },
            "from_path_must_be_below",
        ),
        (SearchRequest { max_matches: 0, ..plain("a") }, "max_matches_must_be_at_least_1"),
        (SearchRequest { max_matches: 101, ..plain("a") }, "max_matches_must_be_between_1_and_100"),
        (SearchRequest { from_line: 0, ..plain("a") }, "from_line_must_be_at_least_1"),
        (SearchRequest { context_before: -1, ..plain("a") }, "context_before_must_be_at_least_0"),
    ] {
        let (kind, context) = refused(ws.reader().search(&request));
        assert_eq!(kind, "invalid_input/range/retry_later");
        assert!(context["reason"].as_str().unwrap().starts_with(reason), "{context}");
    }
}

#[test]
fn a_directory_without_a_glob_is_told_to_need_one() {
    let (_home, ws) = home_of("hay");
    let all = SearchRequest { path: ".".into(), ..plain("hay") };
    let refused = ws.reader().search(&all).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "\".\" is a directory, and a search of a directory needs a glob"
    );
}

#[test]
fn a_search_tells_how_far_it_is_and_stops_when_told() {
    let (_home, ws) = home_of("hay and more hay\n".repeat(200_000));
    let (found, seen) = watched(&ws, &plain("needle"), usize::MAX);
    found.unwrap();
    assert!(seen.len() > 10 && seen.is_sorted());
    assert_eq!(seen.last(), Some(&(3_400_000, Some(3_400_000))));
    // What would be known by then is not the answer.
    let (stopped, seen) = watched(&ws, &plain("needle"), 2);
    assert!(matches!(stopped, Err(Error::Cancelled)), "{stopped:?}");
    assert_eq!(seen.len(), 2);

    // Of several files nobody knows how long they are together.
    let (home, ws) = home_of("hay\n".repeat(100_000));
    home.put("g", "straw\n");
    let files = SearchRequest { path: ".".into(), glob: Some("*".into()), ..plain("needle") };
    let (found, seen) = watched(&ws, &files, usize::MAX);
    found.unwrap();
    assert!(seen.is_sorted() && seen.iter().all(|(_, total)| total.is_none()), "{seen:?}");
    assert_eq!(seen.last(), Some(&(400_006, None)));
    for stop_at in 1..seen.len() {
        let (stopped, seen) = watched(&ws, &files, stop_at);
        assert!(matches!(stopped, Err(Error::Cancelled)), "{stopped:?}");
        assert_eq!(seen.len(), stop_at);
    }
}

/// A search that is stopped at so many steps, with the steps that it told.
fn watched(
    ws: &Workspace,
    request: &SearchRequest,
    stop_at: usize,
) -> (Result<Found>, Vec<(u64, Option<u64>)>) {
    let (ws, steps) = Steps::watching(ws, stop_at);
    let found = ws.reader().search(request);
    (found, steps.seen())
}
