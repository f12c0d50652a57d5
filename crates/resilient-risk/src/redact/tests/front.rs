//! What is taken out of a text that is to stand behind the end of another one.

use super::*;

const ONE: &str = "u8jzPde0IgxLd6Gn";
const TWO: &str = "cfBAepfJBd0Kh8oO";

/// A text behind a front without its secrets; `1` and `2` stand for passwords.
fn behind(path: &str, front: &str, text: &str) -> String {
    let said = |text: &str| text.replace('1', ONE).replace('2', TWO);
    let wish = Wish { language: Language::of_path(path), ..Wish::default() };
    let redacted = redact_behind(&said(front), &said(text), &Policy::default(), &wish).unwrap();
    let told = redacted.text.replace(ONE, "1").replace(TWO, "2");
    ["<REDACTED:generic_secret:1>", "[REDACTED:generic_secret:1]"]
        .into_iter()
        .fold(told, |told, mark| told.replace(mark, "M"))
}

/// Before, the second line stayed, since the finding ends in front.
#[test]
fn a_password_goes_on_behind_a_front_that_has_its_first_line() {
    for (path, front, text, expected) in [
        ("a.sh", "PASSWORD=\"1\n", "2\"\nB=x\n", "M\"\nB=x\n"),
        ("a.py", "password = \"\"\"1\n", "2\"\"\"\nb = 1\n", "M\"\"\"\nb = 1\n"),
        ("a.yaml", "password: 1\n", "  2\nb: x\n", "  M\nb: x\n"),
    ] {
        assert_eq!(behind(path, front, text), expected, "{front}");
    }
}

/// Before, the other half stayed, since the first one is a finding by itself.
#[test]
fn a_token_goes_on_behind_a_front_that_has_its_first_piece() {
    let token = ["xoxb-", "2847561930", "-4859302716584-", "aB3x9Kq2Lm7ZpR5tWv8yNc4D"].concat();
    let (first, second) = token.split_at(40);
    let front = format!("T = (\"{first}\"\n");
    let text = format!("     \"{second}\")\nb = 1\n");
    let redacted = redact_behind(&front, &text, &Policy::default(), &Wish::default()).unwrap();
    assert!(
        !redacted.text.contains(second) && redacted.text.contains("b = 1"),
        "{}",
        redacted.text
    );
}

/// Before, such a copy stayed.
#[test]
fn a_copy_of_a_secret_in_front_goes() {
    let told = behind("a.py", "PASSWORD = \"1\"\n", "# old login: bob / 1\n");
    assert_eq!(told, "# old login: bob / M\n");
}

/// Before, each of these was refused.
#[test]
fn what_is_whole_in_front_refuses_nothing() {
    for (front, text) in
        [("URL=postgres://app:1", "@db.internal:5432/app\n"), ("URL=redis://:1@cache", ":6379/0\n")]
    {
        assert_eq!(behind("", front, text), text);
    }
}

/// Before, the quote that closes the literal in front was a part of its password.
#[test]
fn what_ends_a_literal_in_front_stays() {
    for (path, front, text) in [
        ("a.py", "PASSWORD = \"\"\"1\n", "\"\"\"\nb = 1\n"),
        (".env", "PASSWORD=\"1\n", "\"\nB=c\n"),
        ("a.sh", "PASSWORD='1", "'\nB=c\n"),
    ] {
        assert_eq!(behind(path, front, text), text, "{front}");
    }
    assert_eq!(behind(".env", "PASSWORD=\"1\n", "2\"\nB=c\n"), "M\"\nB=c\n");
    let key = format!("-----BEGIN {0}-----\n@\n|-----END {0}-----\nb = 1\n", "PRIVATE KEY");
    let key = key.replace('@', "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCq7Zb3X9Kq2Lm7");
    let (front, text) = key.split_once('|').unwrap();
    let redacted = redact_behind(front, text, &Policy::default(), &Wish::default()).unwrap();
    assert_eq!(redacted.text, text);
}

/// A key that was cut in front, long ago, concerns no text behind it but one of rows.
#[test]
fn a_cut_key_in_front_refuses_rows_alone() {
    let front = format!("-----BEGIN {}-----\n...\nb\n", "RSA PRIVATE KEY");
    let rows = "MIIEowIBAAKCAQEAq7Zb3X9Kq2Lm7ZpR5tWv8yNc4DaB3x9Kq2Lm7ZpR5tWv8yN1";
    let behind = |text: &str| redact_behind(&front, text, &Policy::default(), &Wish::default());
    assert_eq!(behind("a = 1\n").unwrap().text, "a = 1\n");
    let told = behind(&format!("{rows}\n{rows}\n"));
    assert!(told.is_err() || !told.unwrap().text.contains(rows));
}
