//! Blocks of private keys.

use super::*;
use crate::steady::Chance;

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

/// Before, a redaction took the first word of such a line with the token above.
#[test]
fn a_statement_below_a_backslash_stays() {
    let token = ["ghp", "_oBVLzg8eUQJRCIl9"].concat();
    for line in ["import lib_1\n", "return x + y\n", "echo $x\n"] {
        let text = format!("x={token}\\\n{line}");
        assert!(redacted(&text).text.ends_with(line), "{}", redacted(&text).text);
    }
    // A word of a shell goes on there.
    let text = format!("x={token}\\\nQ7kd9sWb2Lx4Pa8ZrT3v ls\n");
    assert!(redacted(&text).text.ends_with(" ls\n") && !redacted(&text).text.contains("Q7kd9"));
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

/// Before, the label of an `END` went on to the next such sign, over lines.
#[test]
fn a_last_line_that_is_broken_takes_no_other_line_with_it() {
    let (begin, end) = (armor("BEGIN", "RSA PRIVATE KEY"), armor("END", "RSA PRIVATE KEY"));
    for (cut, rest) in [("-----END ", "---password=--"), ("-----END RSA P", "-+--")] {
        let text = format!("{begin}\n{}\n{cut}\ncall_1(x, y)\n{rest}{end}\n", key_row(64));
        let redacted = redacted(&text).text;
        assert!(redacted.contains("\ncall_1(x, y)\n") && !redacted.contains(&key_row(64)));
    }
    for label in ["ML-DSA-65 PRIVATE KEY", "ED448_PRIVATE KEY", "GOST R34.10\nPRIVATE KEY"] {
        let text = format!("{}\n{}\nb()\n", key_row(64), armor("END", label));
        assert_eq!(redacted(&text).text, "<REDACTED:pem_block:1>\nb()\n");
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

/// Every way that a key is written without the line that begins it: what stands before the key, the key, what stands behind.
/// Before, all lines of these but one stayed.
#[test]
fn a_key_without_its_first_line_goes_whole() {
    let more: String =
        ["9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5Aq2Bf8Dw0zX4uYw", "k3Jd9fQx7LmZ2pVtR8sWb4Yc"].concat();
    let first = |begin: [&str; 2]| (begin.concat() + &more)[..64].to_owned();
    let rsa = [first(["MIIE", "pAIBAAKCAQEA"]), key_row(64), key_row(64), key_row(22) + "=="];
    let ec = [first(["MHcC", "AQEEI"]), key_row(64), key_row(36)];
    let (rsa, ec) = (rsa.join("\n"), ec.join("\n"));
    let own = |len: usize| more.chars().cycle().take(len).collect::<String>();
    let cut = [own(64), own(64), own(40)].join("\n");
    let end = armor("END", "RSA PRIVATE KEY");
    let crlf = rsa.replace('\n', "\r\n");
    for (before, key, after) in [
        ("a = 1\n", rsa.clone(), "\nb = 2\n"),
        ("", ec.clone(), "\n"),
        ("key: |\r\n", crlf, "\r\nother: 1\r\n"),
        ("a = 1\n", format!("{rsa}\n{end}"), "\nb = 2\n"),
        ("a = 1\n", format!("{cut}\n{end}"), "\nb = 2\n"),
        ("the file has\n\n", format!("{}\n{cut}\n{end}", own(41)), ""),
        ("x = \"", format!("{}\\n{end}", cut.replace('\n', "\\n")), "\\n\"\n"),
        ("x = \"", rsa.replace('\n', "\\n"), "\"\nport = 5432\n"),
    ] {
        let text = format!("{before}{key}{after}");
        let expected = format!("{before}<REDACTED:pem_block:1>{after}");
        assert_eq!(redacted(&text).text, expected, "{text}");
    }
    let comment = format!("# {}\n# {end}\nb\n", cut.replace('\n', "\n# "));
    assert_eq!(redacted(&comment).text, "# <REDACTED:pem_block:1>\n# \n# \n# \nb\n");
    let two = format!("{rsa}\n\n{ec}\n");
    assert_eq!(redacted(&two).text, "<REDACTED:pem_block:1>\n\n<REDACTED:pem_block:2>\n");
    for open in [
        format!("A file ends with {end}, as everybody knows.\n"),
        format!("{}\n{}\n{}\n", armor("BEGIN", "CERTIFICATE"), cut, armor("END", "CERTIFICATE")),
    ] {
        assert_eq!(redacted(&open).text, open);
    }
}

/// Keys in forms of their own. Before, they were no finding.
#[test]
fn a_key_of_putty_ssh2_or_json_goes_whole() {
    // It does not begin as a key does.
    let own = |len: usize| "9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5Aq2Bf8D".chars().cycle().take(len);
    let body = [64, 64, 20].map(|len| own(len).collect::<String>()).join("\n");
    let head =
        "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nComment: x\nPublic-Lines: 1\nAAAAB3Nz\n";
    let putty = format!("{head}Private-{}: 3\n{body}\nPrivate-{}: abc\n", "Lines", "MAC");
    assert_eq!(redacted(&putty).text, format!("{head}<REDACTED:pem_block:1>\nPrivate-MAC: abc\n"));
    let ssh2 = |which: &str| format!("---- {which} SSH2 ENCRYPTED {} KEY ----", "PRIVATE");
    for (comment, left) in [
        ("", ""),
        ("Comment: x\n", ""),
        ("Comment: \"a key of 2048 bits\"\n", "\nComment: \"a key of 2048 bits\"\n"),
    ] {
        let text = format!("a\n{}\n{comment}{body}\n{}\nb\n", ssh2("BEGIN"), ssh2("END"));
        let expected = format!("a\n<REDACTED:pem_block:1>{left}\nb\n");
        assert_eq!(redacted(&text).text, expected, "{text}");
    }
    assert_eq!(
        redacted(&format!("a\n{body}\n{}\n", ssh2("END"))).text,
        "a\n<REDACTED:pem_block:1>\n"
    );
    let value = "9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5Aq2Bf8Dw0zX4uYwk";
    let public = "Kd7sQ2xVn4TgB8mZr6WcY1pLfJ9hXaE3uN5iOoRtSyU";
    for (kind, name) in
        [("RSA", "d"), ("RSA", "p"), ("RSA", "q"), ("RSA", "dp"), ("RSA", "dq"), ("RSA", "qi")]
            .into_iter()
            .chain([("EC", "d"), ("OKP", "d"), ("oct", "k")])
    {
        for quote in ["\"", "'", "\\\""] {
            let key = |value: &str| {
                let json = format!(
                    "{{\"a\": {{\"x\": \"{public}\", \"kty\":\"{kind}\", \"{name}\": \"{value}\"}}}}\n"
                );
                json.replace('"', quote)
            };
            let expected = key("<REDACTED:pem_block:1>");
            assert_eq!(redacted(&key(value)).text, expected, "{expected}");
        }
    }
    let open = format!(
        "{{\"keys\": [{{\"kty\": \"EC\", \"x\": \"{public}\", \"k\": \"{value}\"}}], \"d\": \"{public}\"}}\n"
    );
    assert!(!redacted(&open).text.contains("pem_block"), "these members are public");
}

/// Code that makes such a key, texts about one, and members of no object. Before, each was a finding.
#[test]
fn what_is_no_literal_of_base64_is_no_part_of_a_key_in_json() {
    let drawn = "9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5Aq2Bf8Dw0zX4uYwk";
    let own = format!("kty = \"EC\"\nd = \"{drawn}\"\n");
    for open in [
        "{\"kty\": \"RSA\", \"d\": to_base64url_uint(numbers.d).decode()}\n",
        "{\"k\": urlsafe_b64encode(key_bytes).decode(), \"kty\": \"oct\"}\n",
        "const jwk = { kty: 'oct', k: encodeBase64UrlString(secret), alg: 'HS256' };\n",
        "const jwk = { kty: 'EC', crv: 'P-256', d: privateKeyCoordinate, x, y };\n",
        "const jwk = { kty: 'EC', d: privateKeyP256B64Url, x, y };\n",
        "const jwk = { kty: 'oct', k: JWK_SECRET_VALUE_LONG_NAME };\n",
        "interface J { kty: \"RSA\"; d: Base64UrlUIntString; p: Base64UrlUIntString }\n",
        "m := map[string]string{\"kty\": \"OKP\", \"d\": base64RawURLEncoding(k)}\n",
        "{\"kty\": \"RSA\", \"d\": \"your-private-exponent-here\"}\n",
        "{\"kty\": \"oct\", \"k\": \"base64url-encoded-key-material\"}\n",
        "{\"kty\": \"oct\", \"k\": \"Base64url-Encoded-Key-Material\"}\n",
        "{\"kty\": \"oct\", \"k\": \"base64EncodedKeyMaterial\"}\n",
        "{\"kty\": \"RSA\", \"d\": \"2024-01-01T10-00-00\"}\n",
        "kty: RSA\nd: private_exponent_base64url_encoded\n",
        "kty = \"EC\"\np = get_curve_parameters_for_name(n)\nq = other_name_long2(p)\n",
        &own,
    ] {
        let report = crate::score(open, &Policy::default());
        assert!(report.kinds().iter().all(|kind| kind != "pem_block"), "{open}");
    }
    let cut = |value: &str| format!("{{\"kty\": \"oct\", \"k\": \"{value}");
    assert_eq!(redacted(&cut(drawn)).text, cut("<REDACTED:pem_block:1>"));
}

/// An `END` line with a checksum, numbers or times. Before, a mark stood in place of that line alone, and the key stayed.
#[test]
fn an_end_line_never_goes_without_the_lines_of_the_key() {
    let own = "9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5Aq2Bf8Dw0zX4uYwk3Jd";
    let row = |len: usize| own.chars().cycle().take(len).collect::<String>();
    let pgp = armor("END", "PGP PRIVATE KEY BLOCK");
    for last in ["lhsJhgzbAA==", "Qw==", &row(64)] {
        for checksum in ["=7q9h", "=AZXs"] {
            let text = format!("a\n{}\n{}\n{last}\n{checksum}\n{pgp}\nb\n", row(64), row(64));
            assert_eq!(redacted(&text).text, "a\n<REDACTED:pem_block:1>\nb\n", "{text}");
        }
    }
    let end = armor("END", "PRIVATE KEY");
    let lines = [row(64), row(64), row(20), end];
    for prefix in
        ["   N\t", "N: ", "2024-01-02 10:00:0N ", "[2024-01-02T10:00:0NZ] ", "LN ", "web_N | "]
    {
        let with = |lines: &[&str]| -> String {
            let all = lines.iter().zip(1..);
            all.map(|(line, nth)| prefix.replace('N', &format!("{nth}")) + line + "\n").collect()
        };
        let text = with(&lines.each_ref().map(String::as_str));
        let expected = with(&["<REDACTED:pem_block:1>", "", "", ""]);
        assert_eq!(redacted(&format!("a\n{text}b\n")).text, format!("a\n{expected}b\n"), "{text}");
    }
    let text: String = lines.iter().map(|line| format!("INFO {line}\n")).collect();
    let refused = redact(&text, &Policy::default(), &Wish::default());
    assert!(matches!(refused, Err(Refusal::Left { count: 1, .. })), "{text}");
}

/// Before, each line that begins as a key does was read to the end of all lines.
#[test]
fn many_lines_that_begin_as_keys_do_are_read_once() {
    let cost = |lines: usize| {
        let line = ["MIIE", "pAIBAAKCAQEA", &key_row(64)[16..]].concat() + "\n";
        crate::work::taken();
        assert!(redact(&line.repeat(lines), &Policy::default(), &Wish::default()).is_ok());
        crate::work::taken()
    };
    let (few, many) = (cost(100), cost(400));
    assert!(many < 8 * few, "{few} bytes for 100 lines, {many} for 400");
}

/// Before, the parts of the times counted as the last rows, and the key was none.
#[test]
fn a_key_below_times_with_fractions_goes_or_is_refused() {
    let end = armor("END", &["PRIV", "ATE KEY"].concat());
    for time in ["2026-01-02T12:00:01.684471234Z ", "2026-01-02T12:00:01+01:00 "] {
        let lines = [&key_row(64), &key_row(64), "YUekY2k6==", &end];
        let text: String = lines.map(|line| format!("{time}{line}\n")).concat();
        let redaction = redact(&text, &Policy::default(), &Wish::default());
        assert!(redaction.is_err() || !redaction.unwrap().text.contains(&key_row(64)));
    }
}

/// Before, the third line stayed: what joins lines had found two of them.
#[test]
fn the_lines_of_a_body_behind_a_name_go_in_any_notation() {
    let rows = [key_row(64), key_row(64).replace("MII", "xZ7"), key_row(64).replace("MII", "qR3")];
    for between in ["%0A", "%0D%0A", "&#10;"] {
        let text = format!("k={}\n", rows.join(between));
        assert_eq!(redacted(&text).text, "k=<REDACTED:pem_block:1>\n");
    }
}

/// Rows of a key that are drawn, and have so many characters.
fn drawn_rows(count: usize, len: usize) -> Vec<String> {
    const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let chance = &mut Chance(0x2545_F491_4F6C_DD1D);
    (0..count).map(|_| chance.draw(BASE64, len)).collect()
}

/// Before, the whole call failed.
#[test]
fn secrets_below_a_key_that_was_cut_are_no_rows_of_it() {
    let begin = armor("BEGIN", &["RSA PRIV", "ATE KEY"].concat());
    let rows = drawn_rows(2, 44);
    for key in ["MIIEpgIBAAKCAQEA...\n".to_owned(), format!("{}\n{}\n", key_row(64), key_row(30))] {
        for tail in [
            format!("AWS_SECRET_ACCESS_KEY={}\nSESSION_SECRET={}\n", rows[0], rows[1]),
            format!("\"a\": \"sha512-{}\",\n\"b\": \"sha512-{}\"\n", rows[0], rows[1]),
            format!("a ssh-ed25519 AAAAC3Nz{}\nb ssh-ed25519 AAAAC3Nz{}\n", rows[0], rows[1]),
        ] {
            let text = format!("{begin}\n{key}{tail}");
            assert!(redact(&text, &Policy::default(), &Wish::default()).is_ok(), "{text}");
        }
    }
}

/// Before, all other rows stayed.
#[test]
fn rows_of_a_key_without_the_first_one_are_refused() {
    let begin = armor("BEGIN", &["RSA PRIV", "ATE KEY"].concat());
    let rows = drawn_rows(5, 64);
    for first in ["", "<REDACTED:pem_block:1>", "...", "MIIE********", "[5 lines hidden]"] {
        for (before, behind) in
            [("", ""), ("#|", ""), ("INFO ", ""), ("echo ", " >> k"), ("<p>", "</p>")]
        {
            let lines = [&begin[..], first].into_iter().chain(rows.iter().map(String::as_str));
            let lines = lines.enumerate().filter(|(_, line)| !line.is_empty());
            let line = |(nth, line): (usize, &str)| {
                format!("{}{line}{behind}\n", before.replace('#', &nth.to_string()))
            };
            let text: String = lines.map(line).collect();
            let left = redact(&text, &Policy::default(), &Wish::default());
            let has_row = |text: &str| rows.iter().any(|row| text.contains(row));
            assert!(left.is_err() || !has_row(&left.unwrap().text), "{text}");
        }
    }
    for end in ["\\n", "\\u000a", "%0A", "\n\n", "\n[a1b2c3] "] {
        let text = format!("{{\"k\": \"{begin}{end}<x>{end}{}\"}}\n", rows.join(end));
        assert!(redact(&text, &Policy::default(), &Wish::default()).is_err(), "{text}");
    }
    // Below headers the first row may begin with anything.
    let headers = ["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-256-CBC,00", ""];
    let lines = [&begin[..]].into_iter().chain(headers).chain(rows.iter().map(String::as_str));
    let text: String = lines.enumerate().map(|(nth, line)| format!("{nth}|{line}\n")).collect();
    assert!(redact(&text, &Policy::default(), &Wish::default()).is_err());
    // These are no rows of a key.
    for below in [
        "\"a1\": \"sha384-#\",\n",
        "<link integrity=\"sha384-#\">\n",
        "id1: #\n",
        "assert f(\"#\")\n",
        "- #=\n",
    ] {
        let below: String = rows.iter().take(3).map(|row| below.replace('#', row)).collect();
        let text = format!("HEADER = \"{begin}\"\n{below}");
        assert!(redacted(&text).text.ends_with(&below), "{text}");
    }
}

/// Before, the rows from the thirty-third literal on stayed, or the call failed.
#[test]
fn a_key_without_its_end_in_many_literals_goes_whole() {
    let begin = armor("BEGIN", &["RSA PRIV", "ATE KEY"].concat());
    for (len, count) in [(64, 50), (40, 60), (16, 100)] {
        let rows = drawn_rows(count, len).join("\"\n  \"");
        for behind in ["\n", "\nsay(\"hello\");\n"] {
            let text = format!("char k[] = \"{begin}\"\n  \"MII{rows}\";{behind}");
            let redaction = redacted(&text);
            assert!(redaction.text.ends_with(&format!("\"\";{behind}")), "{}", redaction.text);
            assert!(!drawn_rows(count, len).iter().any(|row| redaction.text.contains(row)));
        }
    }
}

/// Before, the call failed, or the line above went with the key.
#[test]
fn a_numbered_key_begins_where_its_length_says() {
    let end = armor("END", &["EC PRIV", "ATE KEY"].concat());
    // A sequence of 119 bytes.
    let key = ["MHcC", &drawn_rows(1, 157).concat(), "w=="].concat();
    let rows = [&key[..64], &key[64..128], &key[128..]];
    for above in
        ["src/Main2/App", "4f0c1b7d9e2a3658c0d1f2a3b4c5d6e7f8091a2b", "Kj4mQ9xW2zKj4mQ9xW2zbT"]
    {
        let lines = [above].into_iter().chain(rows).chain([&end[..]]).enumerate();
        let text: String = lines.map(|(nth, line)| format!("{nth}|{line}\n")).collect();
        let redacted = redacted(&text).text;
        assert!(redacted.starts_with(&format!("0|{above}\n1|<")), "{redacted}");
        assert!(!rows.iter().any(|row| redacted.contains(row)), "{redacted}");
    }
}

/// Before, its rows of hexadecimal digits were no key, and the redaction was refused.
#[test]
fn a_static_key_of_openvpn_goes() {
    let row = "1f75143a5f61debc267b0bc8d3b1939a\n";
    let sign = |word: &str| format!("-----{word} OpenVPN Static key V1-----\n");
    let key = format!("{}{}{}", sign("BEGIN"), row.repeat(16), sign("END"));
    let told = redacted(&format!("<tls-auth>\n{key}</tls-auth>\nremote a 1194\n")).text;
    assert_eq!(told, "<tls-auth>\n[REDACTED:pem_block:1]\n</tls-auth>\nremote a 1194\n");
}

/// Before, a `/` or `+` that a key of Amazon begins with stayed.
#[test]
fn the_sign_that_a_key_begins_with_goes() {
    let rest = ["tqXkV7RmZ2wLp9Yc", "B4sNf8HdJ3gTb6Ua", "Qe1iK5o"].concat();
    for sign in ["/", "+"] {
        for text in ["secret_access_key = \"@\"\n", "{\"aws_secret_access_key\": \"@\"}\n"] {
            let told = redacted(&text.replace('@', &format!("{sign}{rest}"))).text;
            let told = told
                .replace("aws_secret:1", "K")
                .replace("api_key:1", "K")
                .replace("generic_secret:1", "K");
            assert_eq!(told, text.replace('@', "<REDACTED:K>"), "{sign}");
        }
    }
}
