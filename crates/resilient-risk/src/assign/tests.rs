//! What is found behind words, and what is not.

mod calls;
mod fields;
mod others;

use super::super::text_index::TextIndex;
use super::*;

impl Claimed for Vec<ValueHit> {
    fn is_free(&self, span: &Range<usize>) -> bool {
        self.iter().all(|hit| hit.span.end <= span.start || span.end <= hit.span.start)
    }

    fn claim(&mut self, hit: ValueHit) {
        self.push(hit);
    }

    fn hold(&mut self, _: Vec<Range<usize>>) {}
}

pub(super) fn found(text: &str) -> Vec<(&'static str, &str)> {
    let mut hits = Vec::new();
    let bytes = text.as_bytes();
    find(bytes, &TextIndex::of(bytes).keywords, &mut hits);
    hits.into_iter().map(|hit| (hit.name, &text[hit.span])).collect()
}

#[test]
fn a_value_after_a_word_is_found() {
    let value = ["q7", "Rk!9", "zPw"].concat();
    for text in [
        format!("password = \"{value}\""),
        format!("PWD:{value}"),
        format!("user=x,pw={value}"),
        format!("IDENTIFIED BY '{value}'"),
        format!("login password '{value}';"),
        format!("\"db_password\": \"{value}\""),
        format!("def f(passwd: str = \"{value}\")"),
        format!("ANY_PW:{value}"),
        format!("Dim password As String = \"{value}\""),
        format!("Private m_Password as string = \"{value}\""),
    ] {
        assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text}");
    }
}

#[test]
fn a_value_in_quotes_goes_to_its_own_closing_quote() {
    let value = ["S_q1L", "&I7S1"].concat();
    for written in [
        format!("{value}\\\\%3="),
        format!("{value}\\\"xY2"),
        format!("{value}\\u0026xY2"),
        format!("{value}\\x26xY2"),
        format!("{value}, xY2;)").replace(' ', ""),
    ] {
        let text = format!("{{\"db_password\": \"{written}\"}}");
        assert_eq!(found(&text), [("assigned_password", written.as_str())], "{text}");
        // The same as a literal in a literal.
        let escaped = written.replace('\\', "\\\\").replace('"', "\\\"");
        let text = format!("x = \"{{\\\"db_password\\\": \\\"{escaped}\\\"}}\"");
        assert_eq!(found(&text), [("assigned_password", escaped.as_str())], "{text}");
    }
    let text = format!("password = '{value}''x'\n");
    assert_eq!(found(&text), [("assigned_password", format!("{value}''x").as_str())]);
    // A raw literal ends with a backslash.
    let text = format!("password = '{value}\\'\n");
    assert_eq!(found(&text), [("assigned_password", format!("{value}\\").as_str())]);
    assert_eq!(found("password = \"q7Rk!9zPw\\\"\n"), []);
    // In many literals a backslash is one.
    let text = "password = 'q7Rk!9\\nzPw'\n";
    assert_eq!(found(text), [("assigned_password", "q7Rk!9\\nzPw")]);
}

#[test]
fn a_value_in_quotes_is_no_code_for_its_brackets() {
    for value in [
        ["q7Rk{!", "9zPw"],
        ["aB3)x|", "Y9>kk2"],
        ["T(4m]Q", "x8%Lz"],
        ["xK9(a)[jB", "V]7{kG}"],
        ["Fg+F55()-", "HQXB|vx"],
        ["vr{Rk;Lq", "Pm!?t%w,z"],
        ["V8Thund", "er!Bird[99"],
    ] {
        let value = value.concat();
        let text = format!("password = \"{value}\"");
        assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text}");
        assert_eq!(found(&format!("f(password = {value})")), [], "{value}");
    }
    for text in [
        "password = \"{{vault.pw1}}\"",
        "password = \"{password1}!aB\"",
        "password = \"%(pass1)sXy!\"",
        "password = \"get_Pass1()\"",
        "password = \"users[1].Password\"",
        "password = \"Forgot+Password?\"",
        "password = \"Password*required\"",
        "passwordRegex = \"^(?=.*[A-Z]).{8,}$\"",
        "password = \"${Db_1}-aX2!#\"",
        "password = \"aB1/cD2/eF3/x.y\"",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

#[test]
fn passwords_of_known_makers_are_found() {
    let groups = ["wkqz xhgj", " pvbt mzrl"].concat();
    let salt = ["6Blq_L+>q.A^_NyOYqKJ@=bjFBe?^Yw}", "R1?PiZovP[jxsLwFK=MP?,b}<W*%AC} "].concat();
    let npm = ["YWRtaW46", "MXpNMTZOQTRHWUhr"].concat();
    let encoded = ["UXZleDhBVExQ", "NDcxazVpcFJs"].concat();
    let hex = ["3fa1b27", "c80d951"].concat();
    for (text, name, value) in [
        (format!("app_password = \"{groups}\""), "assigned_password", &groups),
        (format!("EMAIL_PASSWORD={groups}\n"), "assigned_password", &groups),
        (format!("define('AUTH_KEY',         '{salt}');"), "assigned_key", &salt),
        (format!("define( 'NONCE_SALT', '{salt}' );"), "assigned_key", &salt),
        (format!("_auth = {npm}\n"), "basic_authorization", &npm),
        (format!("password = \"{hex}\""), "assigned_password", &hex),
        (format!("//npm.x.io/:_password={encoded}\n"), "assigned_password", &encoded),
    ] {
        assert_eq!(found(&text), [(name, value.as_str())], "{text}");
    }
    for text in
        ["password = \"this that with from\"", "define('AUTH_KEY', 'put your unique phrase here')"]
    {
        assert_eq!(found(text), [], "{text}");
    }
}
