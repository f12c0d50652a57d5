//! The parts of two callers in one session, as `rw_write_part` sends them.

use resilient_core::chunk::{ComposeRequest, PartRequest};
use resilient_core::journal::By;
use resilient_core::risk::Verdict;
use resilient_core::{Error, Workspace};

use crate::home::{Home, composing, digest, entries};

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
    alpha.keep_part(part(1, "A1")).expect("a part");
    // Another caller comes between a last part and its compose.
    beta.chunks().reset("s").expect("a reset");
    beta.keep_part(part(1, "B1")).expect("a part");
    let whole = || ComposeRequest { one_attempt: true, ..composing("a.md", true) };
    home.refused(|| alpha.compose(whole()));
    let refused = alpha.compose(whole()).expect_err("a refusal");
    assert!(matches!(refused, Error::PartOfAnother { part: 1, begun_anew: true, .. }), "{refused}");
    beta.compose(whole()).expect("a receipt");
    assert_eq!(home.text("a.md"), "B1");
}

#[test]
fn whose_an_attempt_is_is_known_for_a_thousand_rows() {
    // The row of the new beginning is one of them. It alone says that others have written the attempt.
    for (more, is_known) in [(998, true), (999, true), (1000, false)] {
        let home = Home::new();
        let ws = home.open();
        of(&ws, "alpha").keep_part(part(1, "A1")).expect("a part");
        let row = entries(&ws).pop().expect("a row");
        ws.chunks().reset("s").expect("a reset");
        of(&ws, "beta").keep_part(part(1, "B1")).expect("a part");
        drop(ws);
        add_rows(&home, more, &row.ts);
        let kept = of(&home.open(), "alpha").keep_part(part(2, "A2"));
        assert_eq!(kept.is_err(), is_known, "{more}");
    }
}

/// Before, a client could not correct its own part after an update.
#[test]
fn a_client_of_a_new_version_is_the_same_client() {
    for (later, is_refused) in [("alpha/2.1", false), ("beta/2.0", true)] {
        let home = Home::new();
        let ws = home.open();
        let before = of(&ws, "alpha/2.0");
        before.keep_part(part(1, "A1")).expect("a part");
        before.keep_part(part(2, "A2")).expect("a part");
        let corrected = of(&ws, later).keep_part(part(2, "A2, corrected"));
        assert_eq!(corrected.is_err(), is_refused, "{later}");
    }
}

#[test]
fn after_a_part_1_that_is_refused_a_caller_goes_on_once_it_has_listed_the_parts() {
    // Also where the rows of the parts are too old to be known.
    for more in [0, 1000] {
        let home = Home::new();
        let ws = home.open();
        of(&ws, "alpha").keep_part(part(1, "A1")).expect("a part");
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
fn after_another_part_that_is_refused_a_caller_sends_it_again_first() {
    let secret = format!("key = {}{}", concat!("AK", "IA"), "ABCDEFGHIJKLMNOP");
    let home = Home::new();
    let ws = of(&home.open(), "alpha");
    for n in 1..=3 {
        ws.keep_part(part(n, "old")).expect("a part");
    }
    let blocked = || PartRequest { reject_at: Some(Verdict::Low), ..part(2, &secret) };
    assert!(matches!(ws.keep_part(blocked()), Err(Error::Blocked { .. })));
    let refused = ws.keep_part(part(3, "new")).expect_err("a refusal");
    assert!(matches!(refused, Error::AfterRefusedPart { refused: Some(2), .. }), "{refused}");
    let compose = || ws.compose(ComposeRequest { one_attempt: true, ..composing("f", false) });
    let refused = compose().expect_err("a refusal");
    assert!(matches!(refused, Error::AfterRefusedPart { refused: Some(2), .. }), "{refused}");
    ws.keep_part(part(2, "new")).expect("a part");
    ws.keep_part(part(3, "new")).expect("a part");
    compose().expect("a file");
    assert_eq!(home.text("f"), "oldnewnew");

    // Part 1 begins anew, whatever was refused.
    assert!(matches!(ws.keep_part(blocked()), Err(Error::Blocked { .. })));
    ws.begin_parts(part(1, "1")).expect("a part");
    // No older part of this number is there.
    assert!(matches!(ws.keep_part(blocked()), Err(Error::Blocked { .. })));
    ws.keep_part(part(3, "3")).expect("a part");
    ws.keep_part(part(2, "2")).expect("a part");

    // So does a look at the parts that are there.
    assert!(matches!(ws.keep_part(blocked()), Err(Error::Blocked { .. })));
    ws.session_status("s").expect("a status");
    ws.keep_part(part(3, "3")).expect("a part");
}

/// Before, a new program that was refused for its arguments went on where others had stopped, without a look.
#[test]
fn a_part_that_is_refused_tells_its_caller_nothing_about_the_parts_of_others() {
    let home = Home::new();
    let ws = home.open();
    of(&ws, "alpha").keep_part(part(1, "A1")).expect("a part");
    let beta = of(&ws, "beta");
    beta.chunks().refuse("s", 2);
    let refused = beta.keep_part(part(2, "B2")).expect_err("a refusal");
    assert!(matches!(refused, Error::PartOfAnother { .. }), "{refused}");
}

/// Before, the last part of the one went behind the first part of the other, and both into one file.
#[test]
fn a_session_that_comes_back_after_its_compose_is_none_of_those_that_have_begun_since() {
    let home = Home::new();
    let ws = home.open();
    let session = |name: &str| {
        let (client, session) = (Some("alpha/1".to_owned()), Some(name.to_owned()));
        ws.for_caller(By { client, session, ..By::default() })
    };
    let first = session("first");
    first.keep_part(part(1, "A1")).expect("a part");
    first.keep_part(part(2, "A2")).expect("a part");
    first.compose(ComposeRequest { one_attempt: true, ..composing("f", true) }).expect("a file");
    session("second").begin_parts(part(1, "B1")).expect("a part");
    let refused = session("first, again").keep_part(part(2, "A2")).expect_err("a refusal");
    assert!(matches!(refused, Error::PartOfAnother { begun_anew: true, .. }), "{refused}");
    // One that has composed nothing in between goes on.
    session("second").keep_part(part(2, "B2")).expect("a part");
}
