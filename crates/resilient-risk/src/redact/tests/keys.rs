//! Blocks of private keys.

use super::*;

#[test]
fn names_and_hosts_stay_and_blocks_go_whole() {
    let password = ["s3cr", "etP4ss"].concat();
    let block = ["-----BEGIN RSA ", "PRIVATE KEY-----\nMIIabc\n-----END RSA ", "PRIVATE KEY-----"];
    let text = format!("amqps://me:{password}@bunny.cloudamqp.com\n{}\n", block.concat());
    let redaction = redacted(&text);
    assert_eq!(
        redaction.text,
        "amqps://me:<REDACTED:conn_string:1>@bunny.cloudamqp.com\n<REDACTED:pem_block:1>\n"
    );
}

/// A line of a key with so many characters.
fn key_row(len: usize) -> String {
    "MIIEpAIBAAKCAQEA7bq0ZJ8f+/k3".chars().cycle().take(len).collect()
}

#[test]
fn a_line_of_the_program_below_a_secret_stays() {
    let digits = "7EAbF6EDA555b6ba4dcBAe7a5150aadCEE0A7eBf5a953Db3Eb0c69d90782c1Af";
    for after in ["\nEOF\n", "\nb=2\n", "\nfi\n"] {
        let redaction = redacted(&format!("cat <<EOF\nprivateToken=0x{digits}{after}"));
        assert_eq!(
            redaction.text,
            format!("cat <<EOF\nprivateToken=<REDACTED:generic_secret:1>{after}")
        );
    }
}

/// The first or the last line of a block.
fn armor(which: &str, label: &str) -> String {
    ["-----", which, " ", label, "-----"].concat()
}

#[test]
fn a_key_that_was_cut_goes_with_its_lines() {
    for label in ["RSA PRIVATE KEY", "PRIVATE KEY"] {
        let begin = armor("BEGIN", label);
        let text = format!("a = 1\n{begin}\n{}\n{}\n{}", key_row(64), key_row(64), key_row(30));
        assert_eq!(redacted(&text).text, "a = 1\n<REDACTED:pem_block:1>");
        let text = format!("k = \"{begin}\\n{}\\n{}\"\nb = 2\n", key_row(64), key_row(30));
        assert_eq!(redacted(&text).text, "k = \"<REDACTED:pem_block:1>\"\nb = 2\n");
    }
}

#[test]
fn a_mention_of_a_key_takes_nothing_else_with_it() {
    let rest = format!(
        "is how keys begin.\n\n{}\n{}\n{}\n",
        armor("BEGIN", "CERTIFICATE"),
        key_row(64),
        armor("END", "CERTIFICATE")
    );
    let text = format!("`{}` {rest}", armor("BEGIN", "RSA PRIVATE KEY"));
    assert_eq!(redacted(&text).text, format!("`<REDACTED:pem_block:1>` {rest}"));
}

#[test]
fn a_key_in_added_literals_leaves_the_literals() {
    let (begin, end) = (armor("BEGIN", "PRIVATE KEY"), armor("END", "PRIVATE KEY"));
    let text = format!("k = (\"{begin}\\n\"\n  \"{}\\n\"\n  \"{end}\\n\")\nb = 2\n", key_row(64));
    let wish = Wish { language: Some(Language::Python), ..Wish::default() };
    let redaction = redact(&text, &Policy::default(), &wish).unwrap();
    let expected = "k = (\"<REDACTED:pem_block:1>\\n\"\n  \"\\n\"\n  \"\\n\")\nb = 2\n";
    assert_eq!(redaction.text, expected);
    assert_eq!(validate::validate(&redaction.text, None, Some("a.py")).valid, Some(true));
}

#[test]
fn a_key_in_a_form_that_is_not_known_is_refused() {
    let (begin, end) = (armor("BEGIN", "PRIVATE KEY"), armor("END", "PRIVATE KEY"));
    let text = format!("x\n{begin}\n| {} |\n{end}\n", key_row(64));
    let Err(Refusal::Left { count, line, kinds }) =
        redact(&text, &Policy::default(), &Wish::default())
    else {
        panic!("it is redacted");
    };
    assert_eq!((count, line, kinds), (1, 2, vec!["pem_block".to_owned()]));
}
