//! The parts of two callers in one session, as `rw_write_part` sends them.

use resilient_core::chunk::{ComposeRequest, PartRequest};
use resilient_core::error::WhyUnknown;
use resilient_core::journal::By;
use resilient_core::risk::Verdict;
use resilient_core::{Error, Workspace};
use serde_json::Value;

use crate::home::{Home, composing, digest, entries, json_of};

/// The workspace for a caller.
fn of(ws: &Workspace, who: &str) -> Workspace {
    let client = if who.contains('/') { who.to_owned() } else { format!("{who}/1") };
    let (client, session) = (Some(client), Some(format!("session of {who}")));
    ws.for_caller(By { client, session, ..By::default() })
}

fn part(index: i64, content: &str) -> PartRequest {
    let (session, content) = ("s".to_owned(), content.to_owned());
    PartRequest {
        session,
        content,
        index: Some(index),
        one_attempt: true,
        ..PartRequest::default()
    }
}

/// Checks that a caller is refused since it does not know the parts as they are.
fn is_unknown<T: std::fmt::Debug>(kept: Result<T, Error>, why: WhyUnknown) {
    match kept {
        Err(Error::PartsUnknown(unknown)) => assert_eq!(unknown.why, why, "{unknown:?}"),
        other => panic!("{other:?}"),
    }
}

/// Adds rows to the journal that are of something else.
fn add_rows(home: &Home, count: usize, ts: &str) {
    let line = format!(
        "{{\"bytes\":1,\"caller\":\"s\",\"journal_id\":\"wj_1\",\"mode\":\"create\",\"path\":\"s\",\
         \"sha256\":\"{}\",\"ts\":\"{ts}\"}}\n",
        digest("s")
    );
    let journal = [home.journal(), line.repeat(count).into_bytes()].concat();
    home.put(".resilient_write/journal.jsonl", journal);
}

#[test]
fn a_compose_writes_no_file_of_parts_that_somebody_else_has_begun_anew() {
    let home = Home::new();
    let ws = home.open();
    let (alpha, beta) = (of(&ws, "alpha"), of(&ws, "beta"));
    alpha.begin_parts(part(1, "A1")).expect("a part");
    // Another caller comes between a last part and its compose.
    beta.begin_parts(part(1, "B1")).expect("a part");
    let whole = || ComposeRequest { one_attempt: true, ..composing("a.md", true) };
    home.refused(|| alpha.compose(whole()));
    is_unknown(alpha.compose(whole()), WhyUnknown::BegunAnew);
    beta.compose(whole()).expect("a receipt");
    assert_eq!(home.text("a.md"), "B1");
}

/// Before, a part 1 that was refused was forgotten when the server ended, and the parts of the new text were added to
/// those of the old one.
#[test]
fn a_new_session_lists_the_parts_before_it_adds_one() {
    let home = Home::new();
    let ws = home.open();
    let alpha = of(&ws, "alpha");
    alpha.begin_parts(part(1, "old 1")).expect("a part");
    alpha.chunks().refuse("s", 1);
    drop((alpha, ws));
    let ws = home.open();
    let session = Some("another session".to_owned());
    let alpha = ws.for_caller(By { client: Some("alpha/1".to_owned()), session, ..By::default() });
    for _ in 0..2 {
        is_unknown(alpha.keep_part(part(2, "new 2")), WhyUnknown::NotListed);
    }
    let compose = ComposeRequest { one_attempt: true, ..composing("f", true) };
    is_unknown(alpha.compose(compose), WhyUnknown::NotListed);
    alpha.session_status("s").expect("a status");
    alpha.keep_part(part(2, "new 2")).expect("a part");
}

#[test]
fn a_status_names_the_client_of_the_newest_change() {
    let home = Home::new();
    let ws = home.open();
    let (alpha, beta) = (of(&ws, "alpha"), of(&ws, "beta"));
    let client = || {
        let status = json_of(alpha.session_status("s").expect("a status"));
        status["last_write"]["client"].clone()
    };
    assert_eq!(client(), Value::Null);
    alpha.begin_parts(part(1, "1")).expect("a part");
    assert_eq!(client(), "alpha/1");
    beta.session_status("s").expect("a status");
    beta.keep_part(part(2, "2")).expect("a part");
    assert_eq!(client(), "beta/1");
}

/// Before, a caller that was forgotten went on without a listing.
#[test]
fn a_caller_that_is_forgotten_lists_the_parts_again() {
    let home = Home::new();
    let ws = of(&home.open(), "alpha");
    ws.begin_parts(part(1, "old 1")).expect("a part");
    ws.chunks().refuse("s", 1);
    for n in 0..4096 {
        ws.chunks().refuse(&format!("other-{n}"), 1);
    }
    is_unknown(ws.keep_part(part(2, "new 2")), WhyUnknown::NotListed);
}

/// Where the path of a refused call cannot be read, it may have been a part of any file.
#[test]
fn a_part_that_nobody_could_read_is_refused_for_each_session() {
    let home = Home::new();
    let ws = home.open();
    let (alpha, beta) = (of(&ws, "alpha"), of(&ws, "beta"));
    alpha.begin_parts(part(1, "1")).expect("a part");
    let other = |index| PartRequest { session: "t".to_owned(), ..part(index, "b") };
    beta.begin_parts(other(1)).expect("a part");
    alpha.chunks().refuse_unread();
    let refused = alpha.keep_part(part(2, "2")).expect_err("a refusal");
    assert!(matches!(refused, Error::AfterRefusedPart { .. }), "{refused}");
    // Another caller is not meant.
    beta.keep_part(other(2)).expect("a part");
}

/// Before, a listing made the next part 1 begin anew: the other parts were lost.
#[test]
fn a_part_1_corrects_itself_after_a_refused_compose_and_a_listing() {
    let (front, back) = ("key = ghp_16C7e42F292c6912", "E7710c838347Ae178B4a\n");
    for is_listed in [false, true] {
        let home = Home::new();
        let ws = of(&home.open(), "alpha");
        ws.begin_parts(part(1, front)).expect("a part");
        for (n, text) in [(2, back), (3, "end\n")] {
            ws.keep_part(part(n, text)).expect("a part");
        }
        let screened = || ComposeRequest {
            one_attempt: true,
            reject_at: Some(Verdict::Low),
            ..composing("f", false)
        };
        assert!(matches!(ws.compose(screened()), Err(Error::Blocked { .. })), "{is_listed}");
        if is_listed {
            assert!(ws.session_status("s").expect("a status").exists);
        }
        let (_, discarded) = ws.begin_parts(part(1, "key = none\n")).expect("a part");
        assert_eq!(discarded, 0, "{is_listed}");
        ws.keep_part(part(2, "two\n")).expect("a part");
        ws.compose(screened()).expect("a file");
        assert_eq!(home.text("f"), "key = none\ntwo\nend\n", "{is_listed}");
    }
}

/// A row that others have pushed out of sight counts as a change.
#[test]
fn what_a_caller_knows_is_looked_for_among_the_newest_rows() {
    for (more, is_known) in [(19_999, true), (20_000, false)] {
        let home = Home::new();
        let ws = home.open();
        let alpha = of(&ws, "alpha");
        alpha.begin_parts(part(1, "A1")).expect("a part");
        let row = entries(&ws).pop().expect("a row");
        add_rows(&home, more, &row.ts);
        let kept = alpha.keep_part(part(2, "A2"));
        match is_known {
            true => assert!(kept.is_ok(), "{kept:?}"),
            false => {
                is_unknown(kept, WhyUnknown::NotListed);
                alpha.session_status("s").expect("a status");
                alpha.keep_part(part(2, "A2")).expect("a part");
            }
        }
    }
}

#[test]
fn after_a_part_1_that_is_refused_a_caller_goes_on_once_it_has_listed_the_parts() {
    // Also where the rows of the parts are too old to be known.
    for more in [0, 20_000] {
        let home = Home::new();
        let ws = home.open();
        of(&ws, "alpha").begin_parts(part(1, "A1")).expect("a part");
        let row = entries(&ws).pop().expect("a row");
        drop(ws);
        add_rows(&home, more, &row.ts);
        let ws = home.open();
        let beta = of(&ws, "beta");
        let secret = format!("key = {}{}", concat!("AK", "IA"), "ABCDEFGHIJKLMNOP");
        let first = PartRequest { reject_at: Some(Verdict::Low), ..part(1, &secret) };
        let refused = beta.begin_parts(first).expect_err("a refusal");
        assert!(matches!(refused, Error::Blocked { .. }), "{refused}");
        let second = || beta.keep_part(part(2, "B2"));
        let refused = second().expect_err("a refusal");
        assert!(matches!(refused, Error::AfterRefusedPart { part: 2, .. }), "{more}: {refused}");
        assert!(beta.session_status("s").expect("a status").exists);
        second().unwrap_or_else(|error| panic!("{more}: {error}"));
    }
}

/// A caller that sends several parts at once may not have seen the refusal yet.
#[test]
fn after_another_part_that_is_refused_a_caller_sends_it_again_before_the_last_one() {
    let secret = format!("key = {}{}", concat!("AK", "IA"), "ABCDEFGHIJKLMNOP");
    let home = Home::new();
    let ws = of(&home.open(), "alpha");
    ws.begin_parts(part(1, "old")).expect("a part");
    for n in 2..=3 {
        ws.keep_part(part(n, "old")).expect("a part");
    }
    let blocked = || PartRequest { reject_at: Some(Verdict::Low), ..part(2, &secret) };
    assert!(matches!(ws.keep_part(blocked()), Err(Error::Blocked { .. })));
    let end = |text| PartRequest { total_expected: Some(3), ..part(3, text) };
    let refused = ws.keep_part(end("new")).expect_err("a refusal");
    assert!(matches!(refused, Error::AfterRefusedPart { refused: Some(2), .. }), "{refused}");
    // Before, this one was refused, too, and a part that was missing could not be sent.
    ws.keep_part(part(3, "new")).expect("a part");
    let compose = || ws.compose(ComposeRequest { one_attempt: true, ..composing("f", false) });
    let refused = compose().expect_err("a refusal");
    assert!(matches!(refused, Error::AfterRefusedPart { refused: Some(2), .. }), "{refused}");
    ws.keep_part(part(2, "new")).expect("a part");
    compose().expect("a file");
    assert_eq!(home.text("f"), "oldnewnew");

    // Before, of several parts that were refused the first one alone was remembered.
    let last = || PartRequest { total_expected: Some(3), ..part(3, "third") };
    assert!(matches!(ws.keep_part(blocked()), Err(Error::Blocked { .. })));
    ws.keep_part(last()).expect_err("a refusal");
    ws.keep_part(part(2, "second")).expect("a part");
    let refused = compose().expect_err("a refusal");
    assert!(matches!(refused, Error::AfterRefusedPart { refused: Some(3), .. }), "{refused}");
    ws.keep_part(last()).expect("a part");

    // Part 1 begins anew, whatever was refused.
    assert!(matches!(ws.keep_part(blocked()), Err(Error::Blocked { .. })));
    ws.begin_parts(part(1, "1")).expect("a part");
    // No older part of this number is there.
    assert!(matches!(ws.keep_part(blocked()), Err(Error::Blocked { .. })));
    ws.keep_part(part(3, "3")).expect("a part");
    ws.keep_part(part(2, "2")).expect("a part");

    // So does a look at the parts that are there.
    assert!(matches!(ws.keep_part(blocked()), Err(Error::Blocked { .. })));
    ws.keep_part(end("3")).expect_err("a refusal");
    ws.session_status("s").expect("a status");
    ws.keep_part(end("3")).expect("a part");
}

/// Before, a new program that was refused for its arguments went on where others had stopped, without a look.
#[test]
fn a_part_that_is_refused_tells_its_caller_nothing_about_the_parts_of_others() {
    let home = Home::new();
    let ws = home.open();
    of(&ws, "alpha").begin_parts(part(1, "A1")).expect("a part");
    let beta = of(&ws, "beta");
    beta.chunks().refuse("s", 2);
    is_unknown(beta.keep_part(part(2, "B2")), WhyUnknown::NotListed);
}

/// Before, a file of another session of the same program was named as its own, and its text was lost.
#[test]
fn a_refused_part_is_in_a_file_only_with_its_own_text() {
    let home = Home::new();
    let ws = home.open();
    let session = |name: &str| {
        let (client, session) = (Some("alpha/1".to_owned()), Some(name.to_owned()));
        ws.for_caller(By { client, session, ..By::default() })
    };
    let first = session("first");
    first.begin_parts(part(1, "A1")).expect("a part");
    first.keep_part(part(2, "A2")).expect("a part");
    first.compose(ComposeRequest { one_attempt: true, ..composing("f", true) }).expect("a file");
    of(&ws, "beta").begin_parts(part(1, "B1")).expect("a part");
    for (text, is_in_file) in [("A2", true), ("other 2", false)] {
        match session("first, again").keep_part(part(2, text)) {
            Err(Error::PartsUnknown(unknown)) => {
                let path = unknown.composed.as_ref().map(|composed| composed.path.as_str());
                assert_eq!(path, is_in_file.then_some("f"), "{unknown:?}");
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Before, two agents that used one name were told nothing.
#[test]
fn a_part_that_follows_one_of_another_session_says_so() {
    let home = Home::new();
    let ws = home.open();
    let (alpha, beta) = (of(&ws, "alpha"), of(&ws, "beta"));
    let append = |ws: &Workspace| ws.chunks().append("s", "text".to_owned(), None).expect("a part");
    let first = append(&alpha);
    assert_eq!(first.last_write, None);
    assert_eq!(append(&alpha).last_write, None);
    let told = append(&beta).last_write.expect("a write of another one");
    assert_eq!(told.client.as_deref(), Some("alpha/1"));
    assert_eq!(append(&beta).last_write, None);
    // It replaces the part of another one, although the newest part is its own.
    let replaced = beta.chunks().write("s", 1, "other".to_owned(), None).expect("a part");
    let told = replaced.last_write.expect("the part of another one");
    assert_eq!((told.client.as_deref(), told.journal_id), (Some("alpha/1"), first.journal_id));
    // Parts of another one are in the file, although the newest is its own.
    assert_eq!(append(&alpha).last_write.expect("a write").client.as_deref(), Some("beta/1"));
    let composed = alpha.compose(composing("f", false)).expect("a file");
    let told = composed.last_write.expect("a write of another one");
    assert_eq!((told.client.as_deref(), told.journal_id), (Some("beta/1"), replaced.journal_id));
    // Each run of the command line is a session.
    let run = || {
        let (origin, session) = (Some("cli".to_owned()), Some("a run".to_owned()));
        ws.for_caller(By { origin, session, ..By::default() })
    };
    assert_eq!(append(&run()).last_write, None);
}

/// Each run of the command line is a session, so that none of them has listed anything.
#[test]
fn the_command_line_adds_parts_without_a_listing() {
    let home = Home::new();
    let ws = home.open();
    let run = |session: &str| {
        let (origin, session) = (Some("cli".to_owned()), Some(session.to_owned()));
        ws.for_caller(By { origin, session, ..By::default() })
    };
    run("first").begin_parts(part(1, "1")).expect("a part");
    run("second").keep_part(part(2, "2")).expect("a part");
    // A connection has not seen them.
    is_unknown(of(&ws, "alpha").keep_part(part(3, "3")), WhyUnknown::NotListed);
}

/// Before, the file of another agent of the program was named, since the last parts of both are the same.
#[test]
fn a_session_with_parts_of_its_own_is_told_of_no_file_of_others() {
    let home = Home::new();
    let ws = home.open();
    let session = |name: &str| {
        let (client, session) = (Some("alpha/1".to_owned()), Some(name.to_owned()));
        ws.for_caller(By { client, session, ..By::default() })
    };
    session("first").begin_parts(part(1, "A1")).expect("a part");
    session("second").begin_parts(part(1, "B1")).expect("a part");
    session("second").keep_part(part(2, "}")).expect("a part");
    let whole = ComposeRequest { one_attempt: true, ..composing("f", true) };
    session("second").compose(whole).expect("a file");
    match session("first").keep_part(part(2, "}")) {
        Err(Error::PartsUnknown(unknown)) => assert_eq!(unknown.composed, None),
        other => panic!("{other:?}"),
    }
}
