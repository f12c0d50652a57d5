//! Copies of a secret that are encoded.

use data_encoding::{BASE64, BASE64URL_NOPAD, HEXLOWER, HEXUPPER};

use super::*;

const MARK: &str = "<REDACTED:generic_secret:1>";

/// A password that a machine has made, and that has signs.
fn password() -> String {
    ["q7Rk9z!P", "wX2&v\"Lm"].concat()
}

/// A text with a password and something else, and what becomes of the latter.
fn rest(other: &str) -> String {
    let plain = password().replace('"', "\\\"");
    let text = format!("{{\"password\": \"{plain}\"}}\n{other}\n");
    let redacted = redacted(&text).text;
    let head = format!("{{\"password\": \"{MARK}\"}}\n");
    redacted.strip_prefix(&head).and_then(|rest| rest.strip_suffix('\n')).unwrap().to_owned()
}

#[test]
fn a_copy_in_hexadecimal_digits_goes() {
    for hex in [HEXLOWER.encode(password().as_bytes()), HEXUPPER.encode(password().as_bytes())] {
        assert_eq!(rest(&format!("x = 0x{hex}, f")), "x = 0x<REDACTED:generic_secret:2>, f");
        assert_eq!(rest(&format!("x-7{hex}a")), "x-7<REDACTED:generic_secret:2>a");
    }
}

#[test]
fn a_copy_in_base64_goes_with_the_text_that_it_is_part_of() {
    for before in ["", "u", "bo", "bob", "bob:"] {
        let text = format!("{before}{}", password());
        for digits in [BASE64.encode(text.as_bytes()), BASE64URL_NOPAD.encode(text.as_bytes())] {
            let left = rest(&format!("auth {digits}, x"));
            assert_eq!(left, "auth <REDACTED:generic_secret:2>, x", "{before}");
            // Of an address or of bytes that are no text only the password goes.
            let left = rest(&format!("https://h1/a/{digits}/b"));
            assert!(left.starts_with("https://h1/a/") && left.ends_with("/b"), "{left}");
            assert!(!left.contains(&digits[8..]), "{left}");
        }
    }
}

#[test]
fn a_copy_with_escapes_goes() {
    let percent: String = password().bytes().fold(String::new(), |text, byte| match byte {
        byte if byte.is_ascii_alphanumeric() => text + &char::from(byte).to_string(),
        byte => text + &format!("%{byte:02X}"),
    });
    let lower = percent.to_lowercase();
    let html = password().replace('&', "&amp;").replace('"', "&quot;");
    let unicode = password().replace('&', "\\u0026").replace('"', "\\u0022");
    let shell = password().replace('&', "\\&").replace('"', "\\\"").replace('!', "\\!");
    for copy in [&percent, &html, &unicode, &shell] {
        let left = rest(&format!("GET /x?user=bob&copy={copy}&y=%20z <b>{copy}</b>"));
        let mark = "<REDACTED:generic_secret:2>";
        assert_eq!(left, format!("GET /x?user=bob&copy={mark}&y=%20z <b>{mark}</b>"), "{copy}");
    }
    assert_eq!(rest(&format!("other {lower}")), format!("other {lower}"), "another password");
    assert_eq!(rest(&format!("plain {}", password())), "plain <REDACTED:generic_secret:2>");
}

#[test]
fn encoded_text_without_the_secret_stays() {
    let other = BASE64.encode(b"some other text that is long enough");
    let text =
        format!("{other} {} %20a%2Fb &amp; \\n \\u00e9", HEXLOWER.encode(b"another text 12"));
    assert_eq!(rest(&text), text);
}

/// Before, only the encoded text was searched.
#[test]
fn a_password_that_is_found_in_an_encoded_text_goes_where_it_is_not_encoded_too() {
    let password = ["q7Rk9zPw", "X2vLmTb4"].concat();
    for said in [password.clone(), format!("DB_PASSWORD={password}")] {
        let text = format!(
            "kind: Secret\ndata:\n  password: {}\n---\nenv: \"{password}\"\n",
            BASE64.encode(said.as_bytes())
        );
        let redacted = redacted(&text).text;
        assert!(!redacted.contains(&password), "{redacted}");
        assert!(redacted.starts_with("kind: Secret\ndata:\n  password: "), "{redacted}");
    }
}

#[test]
fn a_copy_in_base64_of_wide_characters_and_with_escapes_goes() {
    let wide = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let mark = "<REDACTED:generic_secret:2>";
    for text in [password(), format!("Connect -Host h1 '{}'", password())] {
        let digits = BASE64.encode(&wide(&text));
        assert_eq!(
            rest(&format!("run -EncodedCommand {digits}")),
            format!("run -EncodedCommand {mark}")
        );
    }
    // JSON of some programs has a backslash before each slash.
    let digits = BASE64.encode(format!("???{}", password()).as_bytes()).replace('/', "\\/");
    assert!(digits.contains("\\/"), "{digits}");
    assert_eq!(rest(&format!("{{\"b\": \"{digits}\"}}")), format!("{{\"b\": \"{mark}\"}}"));
}

#[test]
fn a_copy_with_doubled_quotes_goes() {
    let plain = ["q7Rk9z'P", "wX2&vLm5"].concat();
    let text = format!("password: \"{plain}\"\nb: 'x {} y'\n", plain.replace('\'', "''"));
    assert!(!redacted(&text).text.contains("wX2&vLm5"), "{}", redacted(&text).text);
}

#[test]
fn a_backslash_before_a_token_with_escapes_stays() {
    let token = token("k3Jd9f");
    let (first, rest) = (token.as_bytes()[0], &token[1..]);
    let all: String = token.bytes().map(|byte| format!("\\u{byte:04x}")).collect();
    let mark = "<REDACTED:github_pat:1>";
    for escaped in [all, format!("\\u{first:04x}{rest}"), format!("\\x{first:02x}{rest}")] {
        for before in ["\\\\", "a\\\\\\\\", "\\n\\\\", "\\n"] {
            let text = format!("x = \"{before}{escaped}\"");
            assert_eq!(redacted(&text).text, format!("x = \"{before}{mark}\""), "{text}");
        }
        // In a literal in a literal each backslash is two.
        let text = format!("x = \"{{\\\"a\\\":\\\"{}\\\"}}\"", escaped.replace('\\', "\\\\"));
        assert_eq!(redacted(&text).text, format!("x = \"{{\\\"a\\\":\\\"{mark}\\\"}}\""), "{text}");
    }
}
