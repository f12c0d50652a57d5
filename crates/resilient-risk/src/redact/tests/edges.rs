//! Where a secret begins and ends.

use super::*;

#[test]
fn a_name_that_a_form_begins_with_stays() {
    let digits = "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5A".repeat(3);
    for (name, len) in [("AccountKey", 86), ("SharedAccessKey", 43), ("_gitlab_session", 32)] {
        let sign = if len == 86 { "==" } else { "" };
        let text = format!("A=1\n{name}={}{sign}\nB=1\n", &digits[..len]);
        let wish = Wish { language: Some(Language::Env), ..Wish::default() };
        let redaction = redact(&text, &Policy::default(), &wish).unwrap();
        let after = redaction.text.strip_prefix(&format!("A=1\n{name}=[REDACTED:")).unwrap();
        assert!(after.ends_with("]\nB=1\n"), "{}", redaction.text);
    }
}

#[test]
fn an_escape_before_a_secret_stays() {
    let secret = ["Ez2XL1irjppyWSHvj", "ghalQOd1LXOHv8"].concat();
    for (language, text) in [
        (Language::CSharp, "class A { string b = \"api_key=\\n@\"; }\n"),
        (Language::CSharp, "class A { string apiKey = \"\\u00e9@\"; }\n"),
        (Language::Go, "package a\n\nvar apiKey = \"\\u00e9@\"\n"),
        (Language::Go, "package a\n\nvar apiKey = \"\\b@\"\n"),
        (Language::Rust, "fn f() { let api_key = \"\\0@\"; }\n"),
        (Language::JavaScript, "const c = {api_key: \"\\u200b@\"};\n"),
        (Language::JavaScript, "const c = {api_key: \"\\u{200b}@\"};\n"),
    ] {
        let wish = Wish { language: Some(language), ..Wish::default() };
        let redaction = redact(&text.replace('@', &secret), &Policy::default(), &wish).unwrap();
        assert_eq!(redaction.text, text.replace('@', "<REDACTED:api_key:1>"));
    }
}

#[test]
fn a_colon_behind_a_secret_that_is_a_name_stays() {
    let text = ["- password=", "CUlkSlzbAgc4Waur: x\n"].concat();
    assert_eq!(redacted(&text).text, "- password=<REDACTED:generic_secret:1>: x\n");
}

#[test]
fn a_password_goes_on_behind_an_escaped_sign() {
    let (begin, rest) = (["xK9daj\\$", "BV7kGVk8"].concat(), "fQwErTy3");
    for password in [[&begin, rest].concat(), [&begin, "\\!", rest].concat()] {
        let wish = Wish { language: Some(Language::Shell), ..Wish::default() };
        let text = format!("curl -u bob:{password} http://h\n");
        let redacted = redact(&text, &Policy::default(), &wish).unwrap().text;
        let (command, host) = redacted.split_once("'<REDACTED:generic_secret:1>'").unwrap();
        assert!(command.starts_with("curl -u") && host == " http://h\n", "{redacted}");
    }
}

#[test]
fn the_place_for_a_value_is_none_of_the_secret() {
    let value = "VtR8sWb4Yc6Hg1Nn5ABcD7";
    for text in [format!("token = \"%s{value}\" % x\n"), format!("api_key = f(\"%s{value}\", x)\n")]
    {
        let redacted = redacted(&text).text;
        assert!(redacted.contains("\"%s<REDACTED:"), "{redacted}");
    }
}

#[test]
fn what_was_encoded_goes_as_a_whole() {
    use base64::Engine as _;
    let plain = format!("token = {}", token("k3Jd9f"));
    let encoded = base64::engine::general_purpose::STANDARD.encode(plain);
    let redaction = redacted(&format!("x = \"{encoded}\"\n"));
    assert_eq!(redaction.text, "x = \"<REDACTED:github_pat:1>\"\n");
}

#[test]
fn a_full_stop_behind_a_secret_stays() {
    let token = ["gl", "sa_", "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5A", "_", "8f3a9c1d"].concat();
    assert_eq!(redacted(&format!("It is {token}.\n")).text, "It is <REDACTED:api_key:1>.\n");
}

/// Before, the path behind a token of Google went with it.
#[test]
fn the_path_behind_a_token_stays() {
    let google = ["ya", "29.a0k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5A"].concat();
    let service = ["ya", "29.c.b0k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5A"].concat();
    let grafana = ["gl", "sa_", "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5A", "_", "8f3a9c1d"].concat();
    for token in [google, service, grafana] {
        let text = format!("see https://h.io/{token}/x, now\n");
        assert_eq!(redacted(&text).text, "see https://h.io/<REDACTED:api_key:1>/x, now\n");
    }
}

#[test]
fn a_token_in_an_address_leaves_the_address() {
    let text = format!("git clone https://bob:{}@github.com/a\n", token("k3Jd9f"));
    let report = score(&text, &Policy::default());
    assert_eq!((report.score, report.kinds()), (0.35, vec!["github_pat".to_owned()]));
    let expected = "git clone https://bob:<REDACTED:github_pat:1>@github.com/a\n";
    assert_eq!(redacted(&text).text, expected);
}

#[test]
fn the_line_behind_a_whole_token_stays() {
    let token = token("k3Jd9f");
    for next in ["PORT=8", "PORT", "EOF", "DATABASENAMELONGISH=1", "fi", "S3KEY9AB2=x", "Q1=2"] {
        for name in ["KEY=", "export KEY=", "a KEY="] {
            let text = format!("{name}{token}\n{next}\necho ok\n");
            let clean = redacted(&text);
            let rest = clean.text.split_once('\n').map(|(_, rest)| rest.to_owned());
            assert_eq!(rest, Some(format!("{next}\necho ok\n")), "{text}");
            assert!(!clean.text.contains(&token));
        }
    }
}

#[test]
fn the_name_beside_a_value_stays() {
    let value = ["wJalrXUtnFEMI/K7MDENG/", "bPxRfiCYzQ9kd2Lm7a"].concat();
    for (before, after) in [
        ("- name: AWS_SECRET_ACCESS_KEY\n  value: ", "\n- b: 1\n"),
        ("- name: \"AWS_SECRET_ACCESS_KEY\"\n  value: \"", "\"\n- b: 1\n"),
        ("{\"name\":\"AWS_SECRET_ACCESS_KEY\",\"value\":\"", "\",\"b\":1}\n"),
    ] {
        let redaction = redacted(&[before, &value, after].concat());
        assert!(
            redaction.text.starts_with(before) && redaction.text.ends_with(after),
            "{}",
            redaction.text
        );
        assert!(!redaction.text.contains(&value), "{}", redaction.text);
    }
}

#[test]
fn a_token_of_open_length_goes_on_behind_an_escape_of_its_own_character() {
    let body = "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5Aq8XeTw0u";
    for form in ["x = \"sk,_live_@\"\n", "Authorization: Bearer @\n"] {
        let form = form.replace(',', "");
        for escape in ["\\u002d", "\\x41", "%2D", "%5F", "&#x41;"] {
            let text = form.replace('@', &format!("{body}{escape}Ok6Cp{escape}2"));
            let (begin, end) = form.split_once('@').unwrap();
            let begin = begin.trim_end_matches("sk_live_");
            assert_eq!(redacted(&text).text, format!("{begin}<REDACTED:api_key:1>{end}"), "{text}");
        }
        // What no token has ends it.
        for escape in ["\\u0026z=1", "%26z=1", "\\nx", "%2Fx", "&#x3c;b"] {
            let text = form.replace('@', &format!("{body}{escape}"));
            assert!(redacted(&text).text.contains(&format!("1>{escape}")), "{text}");
        }
    }
    // The length of this one is fixed.
    let text = format!("x = {}\\u002dOk6Cp\n", token("k3Jd9f"));
    assert_eq!(redacted(&text).text, "x = <REDACTED:github_pat:1>\\u002dOk6Cp\n");
}

#[test]
fn a_password_with_letters_of_other_alphabets_goes_whole() {
    for password in
        ["\\u00e9csdSuW!S7WZhjm", "éYpUAyv!2fYcTL", "iTzJbkß!Y1OF06", "V3m\\xe4uA1!m1Tlb"]
    {
        let text = format!("password = \"{password}\"\n");
        assert_eq!(redacted(&text).text, "password = \"<REDACTED:generic_secret:1>\"\n");
    }
    for text in [
        "password = \"Пароль1!\"\n",
        "password = \"Kennwort für Büro1!\"\n",
        "password = é1a2b3c4\n",
    ] {
        assert_eq!(redacted(text).text, text);
    }
}

#[test]
fn a_quote_within_a_secret_takes_no_line_behind_it() {
    let head = ["https://bob:Kq7", "WzT4mVx9"].concat();
    for language in [Language::Shell, Language::Dockerfile] {
        for tail in ["\"LdR3sPy8J", "\""] {
            let text = format!("url: {head}{tail}@db.internal/x\ncall x\ny = \"a\n");
            let wish = Wish { language: Some(language), ..Wish::default() };
            let redaction = redact(&text, &Policy::default(), &wish).unwrap();
            let mark = "url: https://bob:'<REDACTED:conn_string:1>'\"@db.internal/x\n";
            assert_eq!(redaction.text, format!("{mark}call x\ny = \"a\n"));
        }
    }
}

/// Before, a date was a part of the token in the item above.
#[test]
fn an_item_below_a_token_stays() {
    let token = ["gl", "pat-", "7l69pXDaSsQyhkUqEKgj"].concat();
    for item in ["2024-01-15", "12345678", "user1"] {
        let text = format!("a:\n- {token}\n- {item}\n");
        assert_eq!(redacted(&text).text, format!("a:\n- <REDACTED:api_key:1>\n- {item}\n"));
    }
}

/// Before, a word between two literals counted as a part of the token.
#[test]
fn a_word_or_a_name_between_two_literals_stays() {
    let token = token("k3Jd9f");
    for text in ["x=\"@\"or\"kB\"\n", "<a b=\"@\"c=\"kB\"/>\n", "x=\"@\"+y+\"kB\";\n"] {
        let mark = if text.starts_with('<') { "[M]" } else { "<M>" };
        let mark = mark.replace('M', "REDACTED:github_pat:1");
        assert_eq!(redacted(&text.replace('@', &token)).text, text.replace('@', &mark));
    }
}
