use super::*;
use crate::Pattern;

fn token(fill: &str) -> String {
    ["gh", "p_", &fill.repeat(6)].concat()
}

fn redacted(text: &str) -> Redaction {
    redact(text, &Policy::default(), &Wish::default()).unwrap()
}

fn choosing(text: &str, chosen: &[&str]) -> Result<Redaction, Refusal> {
    let chosen = chosen.iter().map(|choice| Choice::read(choice)).collect();
    redact(text, &Policy::default(), &Wish { chosen, ..Wish::default() })
}

#[test]
fn equal_secrets_get_equal_marks() {
    let (one, two) = (token("k3Jd9f"), token("Zq8vN2"));
    let text = format!("a = {one}\nbé = {two}\nc = {one}\n");
    let redaction = redacted(&text);
    assert_eq!(
        redaction.text,
        "a = <REDACTED:github_pat:1>\nbé = <REDACTED:github_pat:2>\nc = <REDACTED:github_pat:1>\n"
    );
    let place = |line, col, start, end| Place { line, col, start, end };
    let from: Vec<_> = redaction.replaced.iter().map(|r| r.from).collect();
    assert_eq!(from, [place(1, 5, 4, 44), place(2, 6, 51, 91), place(3, 5, 96, 136)]);
    let to: Vec<_> = redaction.replaced.iter().map(|r| r.to).collect();
    assert_eq!(to, [place(1, 5, 4, 27), place(2, 6, 34, 57), place(3, 5, 62, 85)]);
    let findings: Vec<_> = redaction.replaced.iter().map(|r| r.findings.clone()).collect();
    assert_eq!(findings, [[1], [2], [3]]);
    assert_eq!(redaction.replaced[0].sha256, Some(sha256(&one)));
    assert_eq!((redaction.score, redaction.verdict), (0.0, Verdict::Safe));
}

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

#[test]
fn a_mark_in_the_text_of_an_element_is_no_tag() {
    let password = ["q7Rk9zPw", "X2"].concat();
    for (before, secret, after) in [
        ("https://bob:", password, "@h.io/x"),
        ("key = '", token("k3Jd9f"), "'"),
        ("key = ", token("k3Jd9f"), ""),
        ("key = '", token("k3Jd9f"), &format!("'{}", " and so on".repeat(100))),
        ("it's '%{a}' key = '", token("k3Jd9f"), "'"),
    ] {
        let text = format!("const e = <p>{before}{secret}{after}</p>;\n");
        for env in [false, true] {
            let wish = Wish { language: Some(Language::JavaScript), env, ..Wish::default() };
            let redaction = redact(&text, &Policy::default(), &wish).unwrap().text;
            let rest = redaction.strip_prefix(&format!("const e = <p>{before}"));
            let mark = rest.and_then(|rest| rest.strip_suffix(&format!("{after}</p>;\n")));
            let mark = mark.unwrap_or_else(|| panic!("{redaction}"));
            assert!(
                mark.starts_with("[REDACTED:") || mark.starts_with("{process.env."),
                "{redaction}"
            );
        }
    }
}

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
fn a_look_up_in_braces_of_yaml_stands_alone_or_is_a_mark() {
    let secret = token("k3Jd9f");
    let text = format!("a: {{b: x=\"{secret}\", c: {secret}}}\n");
    let wish = Wish { language: Some(Language::Yaml), env: true, ..Wish::default() };
    let redaction = redact(&text, &Policy::default(), &wish).unwrap().text;
    assert_eq!(redaction, "a: {b: x=\"<REDACTED:github_pat:1>\", c: \"${GHP}\"}\n");
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

#[test]
fn digests_are_told_of_what_nobody_guesses() {
    let password = ["s3cr", "etP4ss"].concat();
    let text = format!("amqps://me:{password}@bunny.cloudamqp.com a@b.io {}", token("k3Jd9f"));
    let told: Vec<_> =
        redacted(&text).replaced.into_iter().map(|r| (r.kind, r.sha256.is_some())).collect();
    let expected = [("conn_string", false), ("pii", false), ("github_pat", true)];
    assert_eq!(told, expected.map(|(kind, told)| (kind.to_owned(), told)));
}

#[test]
fn families_and_numbers_choose() {
    let text = format!("{} a@b.io {}", token("k3Jd9f"), token("Zq8vN2"));
    let marks = |chosen: &[&str]| {
        let replaced = choosing(&text, chosen).unwrap().replaced;
        replaced.into_iter().map(|r| (r.put, r.findings)).collect::<Vec<_>>()
    };
    let pii = ("<REDACTED:pii:1>".to_owned(), vec![3]);
    assert_eq!(marks(&["pii"]), std::slice::from_ref(&pii));
    let second = ("<REDACTED:github_pat:1>".to_owned(), vec![2]);
    assert_eq!(marks(&["2"]), std::slice::from_ref(&second));
    assert_eq!(marks(&["2", "pii"]), [pii, second]);
    for (choice, message) in [
        (
            "pi",
            "no family \"pi\"; there are api_key, github_pat, jwt, pem_block, aws_secret, pii, binary_hint, conn_string, generic_secret, placeholder, and findings by number",
        ),
        ("4", "no finding 4; there are 3"),
        ("0", "no finding 0; there are 3"),
    ] {
        let Err(Refusal::NoSuchChoice(said)) = choosing(&text, &[choice]) else {
            panic!("{choice}");
        };
        assert_eq!(said, message);
    }
}

#[test]
fn a_chosen_secret_goes_everywhere() {
    let one = token("k3Jd9f");
    let redaction = choosing(&format!("{one}\n{one}\nx{one}y\n"), &["1"]).unwrap();
    assert_eq!(redaction.text.matches("<REDACTED:github_pat:1>").count(), 3, "{redaction:?}");
    assert!(!redaction.text.contains(&one));
}

#[test]
fn a_password_that_a_machine_has_made_goes_everywhere_and_a_word_where_it_was_found() {
    let [made, long] = ["Zq8vTr2mXw", "OybOBWygC61KwDC3dg"].map(|begin| [begin, "Kp4"].concat());
    for (text, expected) in [
        (
            format!("db = connect(password=\"{made}\")\nlogin(\"admin\", \"{made}\")\n"),
            "db = connect(password=\"<1>\")\nlogin(\"admin\", \"<1>\")\n",
        ),
        (
            format!(
                "a: postgres://bob:{long}@db/x\nu: postgres%3A//bob%3A{long}%40db/x\nb: {long}\n"
            ),
            "a: postgres://bob:<1>@db/x\nu: postgres%3A//bob%3A<1>%40db/x\nb: <1>\n",
        ),
        (
            "password = \"q7Rk9zPwX2\"\nuser = \"q7Rk9zPwX2\"\n".to_owned(),
            "password = \"<1>\"\nuser = \"q7Rk9zPwX2\"\n",
        ),
        (
            "a: redis://x:Summer-cache-2024@db/x\nb: Summer-cache-2024\n".to_owned(),
            "a: redis://x:<1>@db/x\nb: Summer-cache-2024\n",
        ),
    ] {
        let redacted = redacted(&text).text;
        let short =
            redacted.replace("REDACTED:generic_secret:", "").replace("REDACTED:conn_string:", "");
        assert_eq!(short, expected, "{text}");
    }
}

#[test]
fn the_beginning_of_a_secret_goes_with_it_if_it_tells_it() {
    let pat = token("k3Jd9f");
    let key =
        ["sk", "-ant-api03-", &"k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5A".repeat(3)[..93], "AA"].concat();
    for (secret, short, copied) in [(&pat, 11, 12), (&pat, 4, 30), (&key, 13, 21), (&key, 20, 40)] {
        let [short, copied] = [short, copied].map(|len| &secret[..len]);
        let text = format!("key = {secret}\n# begins with {short}: {copied}...\n");
        let redacted = redacted(&text).text;
        assert!(!redacted.contains(copied), "{redacted}");
        assert!(redacted.contains(&format!("with {short}: <")), "{redacted}");
    }
    let longer = format!("{}Z9", &pat[..20]);
    assert!(
        redacted(&format!("a/{pat}\nb/{longer}/c")).text.contains(&longer[20..]),
        "another token"
    );
}

#[test]
fn secrets_that_begin_alike_are_told_apart_in_time_that_their_length_bounds() {
    let texts: [fn(String) -> String; 2] = [
        |rest| ["gh", "p_aB3dE5fG", &rest[..28]].concat(),
        |rest| ["ey", "JhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ", &rest[..28], ".", &rest].concat(),
    ];
    for secret in texts {
        let looks = |count: usize| {
            let line = |nth| format!("a{nth} = \"{}\"\n", secret(sha256(&format!("{nth}"))));
            let text: String = (0..count).map(line).collect();
            crate::work::taken();
            let redaction = redacted(&text);
            assert_eq!(redaction.replaced.len(), count);
            crate::work::taken() / text.len() as u64
        };
        let (few, many) = (looks(100), looks(1_600));
        assert!(many <= 2 * few, "{few} looks at each byte, {many} of a longer text");
    }
    // Of two that begin alike, one in full and one as far as it was copied.
    let (short, long) = (token("k3Jd9f"), token("k3Jd9f") + "k3Jd");
    let copy = &long[..42];
    let text = format!("a = {short}\nb = {long}\nc = x{short}zz\nd = {copy}\n");
    assert!(!redacted(&text).text.contains("k3Jd9f"), "{text}");
}

#[test]
fn a_flood_is_refused() {
    let most = taken::TAKEN_MAX;
    let flood = "a@b.io ".repeat(most + 1);
    let refused = redact(&flood, &Policy::default(), &Wish::default());
    assert_eq!(refused, Err(Refusal::TooMany { count: most + 1, most }));
}

#[test]
fn a_token_that_is_glued_to_itself_goes_whole() {
    let live = ["sk", "_live_I3FpGwzzpXFPAWxximQypoSe"].concat();
    let grid =
        ["S", "G.e3XWUAU_6gT_FCl9a9f4WH.5TEX8H8gQYNpx1tJ0Qw1eNxTFnT48tIAcgMDipoisXg"].concat();
    let jwt = ["ey", "JhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1c2VyIn0.", &"k3Jd9fQx7L".repeat(4)].concat();
    for token in [live, grid, jwt] {
        for times in [2, 3] {
            let redacted = redacted(&format!("a = {}\n", token.repeat(times))).text;
            let rest = redacted.rsplit(['>', '=']).next();
            assert_eq!(rest, Some("\n"), "{redacted}");
        }
    }
}

#[test]
fn two_tokens_that_are_glued_to_each_other_go_whole() {
    let body = "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5Aq8Xe";
    let tokens = [
        token("k3Jd9f"),
        ["np", "m_", body].concat(),
        ["sk", "_live_", &body[..24]].concat(),
        ["gl", "pat-", &body[..20]].concat(),
        ["S", "G.e3XWUAU_6gT_FCl9a9f4WH.5TEX8H8gQYNpx1tJ0Qw1eNxTFnT48tIAcgMDipoisXg"].concat(),
        ["ey", "JhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1c2VyIn0.", body].concat(),
    ];
    for (one, other) in tokens.iter().flat_map(|one| tokens.iter().map(move |other| (one, other))) {
        let redacted = redacted(&format!("a = {one}{other}\n")).text;
        let rest = redacted.rsplit(['>', '=']).next();
        assert_eq!(rest, Some("\n"), "{redacted}");
    }
}

#[test]
fn an_encoded_copy_behind_an_escape_goes_too() {
    let one = token("k3Jd9f");
    let hex: String = one.bytes().map(|byte| format!("{byte:02x}")).collect();
    for escape in ["n", "t", "\\n"] {
        let text = format!("{{\"log\": \"{one}\\{escape}{hex}\"}}\n");
        let wish = Wish { language: Some(Language::Json), ..Wish::default() };
        let redacted = redact(&text, &Policy::default(), &wish).unwrap().text;
        let marks = ["<REDACTED:github_pat:1>", "<REDACTED:github_pat:2>"];
        assert_eq!(redacted, format!("{{\"log\": \"{}\\{escape}{}\"}}\n", marks[0], marks[1]));
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
fn placeholders_stay_unless_they_are_chosen() {
    let text = format!("key = {}{{REDACTED}}\n", ["sk-", "ant-", "oat01-"].concat());
    assert_eq!(redacted(&text).text, text);
    let redaction = choosing(&text, &["placeholder"]).unwrap();
    assert_eq!(redaction.text, "key = <REDACTED:api_key:1>\n");
    assert_eq!(redaction.verdict, Verdict::Safe);
}

#[test]
fn numbers_go_on_from_marks_that_are_there() {
    let text = format!("a = <REDACTED:github_pat:4>\nb = {}\n", token("k3Jd9f"));
    assert!(redacted(&text).text.ends_with("b = <REDACTED:github_pat:5>\n"));
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
fn literals_with_marks_are_no_pieces_of_a_secret() {
    let token = token("k3Jd9f");
    let (head, tail) = token.split_at(20);
    let pieces = format!("z = \"{head}\" + \"{tail}\"\n");
    let mark = |nth: usize| format!("<REDACTED:github_pat:{nth}>");
    let redacted = |text: &str| {
        let wish = Wish { language: Some(Language::Python), ..Wish::default() };
        redact(text, &Policy::default(), &wish).unwrap()
    };
    // The first goes by itself, and what it hid until then goes by itself, too.
    let redaction = redacted(&format!("q = \"{token}\"\n{pieces}"));
    assert_eq!(redaction.text, format!("q = \"{}\"\nz = \"{}\" + \"\"\n", mark(1), mark(1)));
    let redaction = redacted(&format!("q = \"{}\"\n{pieces}p = \"{}\"\n", mark(4), mark(7)));
    let expected = [("q", mark(4), ""), ("z", mark(8), " + \"\""), ("p", mark(7), "")];
    let lines = expected.map(|(name, mark, rest)| format!("{name} = \"{mark}\"{rest}\n"));
    assert_eq!(redaction.text, lines.concat());
}

#[test]
fn a_text_without_secrets_is_its_own_redaction() {
    let redaction = redacted("nothing here\n");
    assert_eq!((redaction.text.as_str(), redaction.replaced.len()), ("nothing here\n", 0));
}

/// One text with a token in it for `@`, and what it becomes with look-ups.
fn looked_up(path: &str, text: &str) -> String {
    let text = text.replace('@', &token("k3Jd9f"));
    let language = Language::of_path(path);
    let wish = Wish { language, env: true, ..Wish::default() };
    let redaction = redact(&text, &Policy::default(), &wish).unwrap();
    assert!(!redaction.replaced.is_empty(), "nothing was found in {text}");
    for replaced in &redaction.replaced {
        assert_eq!(&redaction.text[replaced.to.start..replaced.to.end], replaced.put);
    }
    if let Some(Language::Python | Language::Json | Language::Yaml | Language::Toml) = language {
        let report = validate::validate(&redaction.text, None, Some(path));
        assert_eq!(report.valid, Some(true), "{}: {report:?}", redaction.text);
        assert_ne!(report.format, validate::Format::Unknown);
    }
    redaction.text
}

#[test]
fn python_looks_secrets_up() {
    for (text, expected) in [
        ("api_key = \"@\"\n", "api_key = os.environ[\"API_KEY\"]\n"),
        ("f(token='@', x=1)\n", "f(token=os.environ[\"TOKEN\"], x=1)\n"),
        (
            "h = {\"Authorization\": \"token @\"}\n",
            "h = {\"Authorization\": f\"token {os.environ['AUTHORIZATION_SECRET']}\"}\n",
        ),
        ("k = '{a} @ \\N{EM DASH}'\n", "k = f'{{a}} {os.environ[\"GHP\"]} \\N{EM DASH}'\n"),
        ("k = f'{a} @'\n", "k = f'{a} {os.environ[\"GHP\"]}'\n"),
        ("k = r\"\\d @\"\n", "k = rf\"\\d {os.environ['GHP']}\"\n"),
        ("k = b'@'\n", "k = os.environ[\"GHP\"].encode()\n"),
        ("k = b'x @'\n", "k = (b'x ' + os.environ[\"GHP\"].encode())\n"),
        ("k = ('a'\n     '@')\n", "k = ('a'\n     f'{os.environ[\"GHP\"]}')\n"),
        ("k = \"\"\"a\n@\n\"\"\"\n", "k = f\"\"\"a\n{os.environ['GHP']}\n\"\"\"\n"),
        ("# @\nk = 1\n", "# <REDACTED:github_pat:1>\nk = 1\n"),
        ("a, b = '@', '@'\n", "a, b = os.environ[\"GHP\"], os.environ[\"GHP\"]\n"),
    ] {
        let found = looked_up("a.py", text);
        assert_eq!(found, expected);
    }
}

#[test]
fn every_language_looks_secrets_up_in_its_own_way() {
    for (path, text, expected) in [
        ("a.js", "const apiKey = '@';\n", "const apiKey = process.env.API_KEY;\n"),
        ("a.ts", "h('token `@`')\n", "h(`token \\`${process.env.GHP}\\``)\n"),
        ("a.js", "x = `a ${b} @`\n", "x = `a ${b} ${process.env.GHP}`\n"),
        ("a.js", "x = {'@': 1}\n", "x = {'<REDACTED:github_pat:1>': 1}\n"),
        ("a.js", "f('\\033[31m @')\n", "f('\\033[31m <REDACTED:github_pat:1>')\n"),
        ("a.jsx", "<A d=\"a &amp; @\"/>\n", "<A d=\"a &amp; <REDACTED:github_pat:1>\"/>\n"),
        ("a.rs", "f!(\"a {x} @\")\n", "f!(\"a {x} <REDACTED:github_pat:1>\")\n"),
        ("Dockerfile", "CMD [\"x\", \"@\"]\n", "CMD [\"x\", \"<REDACTED:github_pat:1>\"]\n"),
        (".env", "C='@'\n", "C='[REDACTED:github_pat:1]'\n"),
        ("a.jsx", "<A token=\"@\"/>\n", "<A token={process.env.TOKEN}/>\n"),
        (
            "a.jsx",
            "<A\n  b={() => c}\n  token=\"@\"\n/>\n",
            "<A\n  b={() => c}\n  token={process.env.TOKEN}\n/>\n",
        ),
        ("a.js", "class A { token = '@'; }\n", "class A { token = process.env.TOKEN; }\n"),
        ("a.jsx", "<p>Use @ or {b}</p>\n", "<p>Use {process.env.GHP} or {b}</p>\n"),
        ("a.jsx", "<><b>a</b> @</>\n", "<><b>a</b> {process.env.GHP}</>\n"),
        ("a.rs", "const TOKEN: &str = \"@\";\n", "const TOKEN: &str = env!(\"TOKEN\");\n"),
        ("a.rs", "f(\"a @\")\n", "f(concat!(\"a \", env!(\"GHP\")))\n"),
        ("a.rs", "f(r#\"a @ b\"#)\n", "f(concat!(r#\"a \"#, env!(\"GHP\"), r#\" b\"#))\n"),
        ("a.rs", "f(b\"@\")\n", "f(env!(\"GHP\").as_bytes())\n"),
        ("a.go", "token := \"@\"\n", "token := os.Getenv(\"TOKEN\")\n"),
        ("a.go", "f(`a @`)\n", "f((`a ` + os.Getenv(\"GHP\")))\n"),
        ("a.rb", "token = '@'\n", "token = ENV.fetch(\"TOKEN\")\n"),
        ("a.rb", "f \"a @\"\n", "f \"a #{ENV.fetch(\"GHP\")}\"\n"),
        ("a.rb", "f 'a @'\n", "f ('a ' + ENV.fetch(\"GHP\"))\n"),
        ("A.java", "String token = \"@\";\n", "String token = System.getenv(\"TOKEN\");\n"),
        ("A.java", "f(\"a @ b\");\n", "f((\"a \" + System.getenv(\"GHP\") + \" b\"));\n"),
        ("a.kt", "f(\"@\")\n", "f(System.getenv(\"GHP\"))\n"),
        ("a.cs", "f(\"@\")\n", "f(Environment.GetEnvironmentVariable(\"GHP\"))\n"),
        ("a.php", "<?php f('a @');\n", "<?php f(('a ' . getenv('GHP')));\n"),
        ("a.sh", "export TOKEN=@\n", "export TOKEN=\"${TOKEN}\"\n"),
        ("a.sh", "f \"a @\"\n", "f \"a ${GHP}\"\n"),
        ("a.sh", "f 'a @ b'\n", "f 'a '\"${GHP}\"' b'\n"),
        ("a.sh", "f '@'\n", "f \"${GHP}\"\n"),
        ("a.sh", "cat <<EOF\ndon't @\nEOF\n", "cat <<EOF\ndon't ${GHP}\nEOF\n"),
        ("a.sh", "cat <<'EOF'\n@\nEOF\n", "cat <<'EOF'\n[REDACTED:github_pat:1]\nEOF\n"),
        ("Dockerfile", "ENV TOKEN=@\n", "ENV TOKEN=\"${TOKEN}\"\n"),
        (".env", "TOKEN=@\n", "TOKEN=${TOKEN}\n"),
        (".env", "TOKEN=\"@\"\n", "TOKEN=\"${TOKEN}\"\n"),
        ("a.yaml", "token: @\n", "token: ${TOKEN}\n"),
        ("a.yaml", "a: {token: @, b: 'x @'}\n", "a: {token: \"${TOKEN}\", b: 'x ${TOKEN}'}\n"),
        ("a.yaml", "a: |\n  don't\n  @\n", "a: |\n  don't\n  ${GHP}\n"),
        ("a.yaml", "a: [x, \"@\"] # '@\n", "a: [x, \"${GHP}\"] # '<REDACTED:github_pat:1>\n"),
        (".github/workflows/a.yml", "token: @\n", "token: ${{ secrets.TOKEN }}\n"),
        ("a.json", "{\"token\": \"@\"}\n", "{\"token\": \"${TOKEN}\"}\n"),
        ("a.toml", "token = '@'\n", "token = '${TOKEN}'\n"),
    ] {
        assert_eq!(looked_up(path, text), expected, "{path}: {text}");
    }
}

#[test]
fn a_look_up_that_does_not_fit_is_a_mark_and_the_others_stay() {
    // `§` is where a look-up fits, `%` where only a mark does. What parsers do not tell, lines do.
    let rows = [
        (
            "a.py",
            "token = '§'\nmatch token:\n    case '%':\n        pass\n",
            "token = os.environ[\"TOKEN\"]\nmatch token:\n    case '<M>':\n        pass\n",
        ),
        ("a.js", "import '%';\ntoken = '§'\n", "import '<M>';\ntoken = process.env.TOKEN\n"),
        (
            "a.sh",
            "cat <<A\n$(f '%') b\nA\nf §\n",
            "cat <<A\n$(f '[REDACTED:github_pat:1]') b\nA\nf \"${GHP}\"\n",
        ),
        ("a.js", "f(/%/, '§')\n", "f(/<M>/, process.env.GHP)\n"),
        ("a.js", "f(gql`%`, `§`)\n", "f(gql`<M>`, process.env.GHP)\n"),
        ("a.ts", "let a: '%' = f('§')\n", "let a: '<M>' = f(process.env.GHP)\n"),
        ("a.ts", "type A =\n  | '%';\nf('§')\n", "type A =\n  | '<M>';\nf(process.env.GHP)\n"),
        ("a.ts", "enum A { B = '%' }\nf('§')\n", "enum A { B = '<M>' }\nf(process.env.GHP)\n"),
        ("a.py", "def f(a: '%'): g('§')\n", "def f(a: '<M>'): g(os.environ[\"GHP\"])\n"),
        ("a.py", "a: Literal['%'] = f('§')\n", "a: Literal['<M>'] = f(os.environ[\"GHP\"])\n"),
        (
            "a.py",
            "def f():\n    \"\"\"Uses %.\"\"\"\n    g('§')\n",
            "def f():\n    \"\"\"Uses <M>.\"\"\"\n    g(os.environ[\"GHP\"])\n",
        ),
        (
            "A.java",
            "void f(@Value(\"%\") String a) { g(\"§\"); }\n",
            "void f(@Value(\"<M>\") String a) { g(System.getenv(\"GHP\")); }\n",
        ),
        (
            "A.java",
            "switch (a) { case \"%\": f(\"§\"); }\n",
            "switch (a) { case \"<M>\": f(System.getenv(\"GHP\")); }\n",
        ),
        (
            "a.ts",
            "export * from '%';\ntoken = '§'\n",
            "export * from '<M>';\ntoken = process.env.TOKEN\n",
        ),
        (
            "a.rs",
            "#[path = \"%\"]\nmod a;\nconst TOKEN: &str = \"§\";\n",
            "#[path = \"<M>\"]\nmod a;\nconst TOKEN: &str = env!(\"TOKEN\");\n",
        ),
        (
            "a.go",
            "const a = \"%\"\nvar token = \"§\"\n",
            "const a = \"<M>\"\nvar token = os.Getenv(\"TOKEN\")\n",
        ),
        (
            "a.go",
            "const (\n\ta = 1\n\tb = \"%\"\n)\nvar token = \"§\"\n",
            "const (\n\ta = 1\n\tb = \"<M>\"\n)\nvar token = os.Getenv(\"TOKEN\")\n",
        ),
        (
            "a.go",
            "type t struct {\n\ta string `%`\n}\nvar token = `§`\n",
            "type t struct {\n\ta string `<M>`\n}\nvar token = os.Getenv(\"TOKEN\")\n",
        ),
        ("a.rb", "# %\ntoken = '§'\n", "# <M>\ntoken = ENV.fetch(\"TOKEN\")\n"),
        (
            "A.java",
            "@Value(\"%\")\nString token = \"§\";\n",
            "@Value(\"<M>\")\nString token = System.getenv(\"TOKEN\");\n",
        ),
        (
            "A.java",
            "case \"%\":\n  token = \"§\";\n",
            "case \"<M>\":\n  token = System.getenv(\"TOKEN\");\n",
        ),
        (
            "a.kt",
            "const val A = \"%\"\nval token = \"§\"\n",
            "const val A = \"<M>\"\nval token = System.getenv(\"TOKEN\")\n",
        ),
        (
            "a.cs",
            "private const string A = \"%\";\nvar token = \"§\";\n",
            "private const string A = \"<M>\";\n\
             var token = Environment.GetEnvironmentVariable(\"TOKEN\");\n",
        ),
        (
            "a.php",
            "<?php class A {\n  private $a = '%';\n}\n$token = '§';\n",
            "<?php class A {\n  private $a = '<M>';\n}\n$token = getenv('TOKEN');\n",
        ),
        ("a.sh", "# %\ntoken=§\n", "# <M>\ntoken=\"${TOKEN}\"\n"),
        ("Dockerfile", "# %\nENV TOKEN=§\n", "# <M>\nENV TOKEN=\"${TOKEN}\"\n"),
        ("a.yaml", "# %\ntoken: §\n", "# <M>\ntoken: ${TOKEN}\n"),
        (
            ".github/workflows/a.yml",
            "# %\ntoken: §\n",
            "# [REDACTED:github_pat:1]\ntoken: ${{ secrets.TOKEN }}\n",
        ),
        (
            "a.json",
            "{\"a\": \"\\\\%\", \"token\": \"§\"}\n",
            "{\"a\": \"\\\\<M>\", \"token\": \"${TOKEN}\"}\n",
        ),
        ("a.toml", "# %\ntoken = '§'\n", "# <M>\ntoken = '${TOKEN}'\n"),
        (".env", "# %\nTOKEN=§\n", "# [REDACTED:github_pat:1]\nTOKEN=${TOKEN}\n"),
        ("a.xml", "<token>%</token>\n", "<token>[REDACTED:github_pat:1]</token>\n"),
    ];
    let mut seen = BTreeSet::new();
    for (path, text, expected) in rows {
        let language = Language::of_path(path);
        seen.insert(format!("{language:?}"));
        let number = if text.find('§') < text.find('%') { 2 } else { 1 };
        let expected = expected.replace("<M>", &format!("<REDACTED:github_pat:{number}>"));
        let text = text.replace('§', &token("k3Jd9f")).replace('%', &token("Zq8vN2"));
        let wish = Wish { language, env: true, ..Wish::default() };
        let redaction = redact(&text, &Policy::default(), &wish).unwrap();
        assert_eq!(redaction.text.replace("GHP_2", "GHP"), expected, "{path}");
    }
    assert_eq!(seen.len(), Language::names().count(), "a row for each language");
}

#[test]
fn a_mark_in_a_command_of_a_shell_needs_no_quotes() {
    let mark = "REDACTED:github_pat:1";
    for (text, expected) in [
        ("a=\"$(f -H @ \"b\")\"\n", format!("a=\"$(f -H [{mark}] \"b\")\"\n")),
        ("a=\"`f @`\"\n", format!("a=\"`f [{mark}]`\"\n")),
        ("a=$(f @)\n", format!("a=$(f '<{mark}>')\n")),
        ("a=\"$(f) @\"\n", format!("a=\"$(f) <{mark}>\"\n")),
        (
            "a=\"$(tr -d '(' <<< x)\"; f --k=@\n",
            format!("a=\"$(tr -d '(' <<< x)\"; f --k='<{mark}>'\n"),
        ),
        ("a='; f --k=@\n", format!("a='; f --k=[{mark}]\n")),
        ("cat <<A\n$(f @)\nA\n", format!("cat <<A\n$(f [{mark}])\nA\n")),
    ] {
        for env in [false, true] {
            let wish = Wish { language: Some(Language::Shell), env, ..Wish::default() };
            let text = text.replace('@', &token("k3Jd9f"));
            let redacted = redact(&text, &Policy::default(), &wish).unwrap().text;
            assert!(redacted == expected || env && redacted.contains("${"), "{redacted}");
        }
    }
}

#[test]
fn a_mark_gets_no_quotes_outside_of_code() {
    for (language, text, expected) in [
        (
            Language::Php,
            "<p>don't @</p>\n<?php $a = '@';\n",
            "<p>don't [M]</p>\n<?php $a = '<M>';\n",
        ),
        (
            Language::Php,
            "<?php\n$x = <<<SQL\n SELECT @\nSQL;\n?>\n<p>@</p>\n",
            "<?php\n$x = <<<SQL\n SELECT <M>\nSQL;\n?>\n<p>[M]</p>\n",
        ),
        (
            Language::Ruby,
            "a = %w[@ b]\nc = `curl @`\nd = /@/\ne = %x(f @)\n",
            "a = %w[<M> b]\nc = `curl [M]`\nd = /<M>/\ne = %x(f [M])\n",
        ),
        (
            Language::Workflow,
            "- run: echo @ | docker login\n- run: \"f @ | g\"\n- run: |\n    f --k=@ g\n- env:\n    A: @\n    B: '@'\n",
            "- run: echo [M] | docker login\n- run: \"f [M] | g\"\n- run: |\n    f --k=[M] g\n- env:\n    A: <M>\n    B: '<M>'\n",
        ),
    ] {
        let mark = "REDACTED:github_pat:1";
        let expected = expected.replace('M', mark);
        let text = text.replace('@', &token("k3Jd9f"));
        for env in [false, language != Language::Workflow] {
            let wish = Wish { language: Some(language), env, ..Wish::default() };
            let redacted = redact(&text, &Policy::default(), &wish).unwrap().text;
            let redacted = redacted.replace("getenv('GHP')", &format!("'<{mark}>'"));
            assert_eq!(redacted, expected);
        }
    }
}

#[test]
fn many_look_ups_are_tried_in_bounded_time() {
    // Each second one is a pattern to match, which takes no look-up.
    let text: String = (0..200)
        .map(|nth| {
            format!(
                "key{nth} = '{}'\nmatch 1:\n  case '{}': 0\n",
                nth_token(nth),
                nth_token(999 - nth)
            )
        })
        .collect();
    let wish = Wish { language: Some(Language::Python), env: true, ..Wish::default() };
    let redaction = redact(&text, &Policy::default(), &wish).unwrap();
    assert!(
        validate::validate(&redaction.text, Some(validate::Format::Python), None).valid
            == Some(true)
    );
    assert_eq!(redaction.replaced.len(), 400);
}

#[test]
fn marks_are_quoted_where_the_language_would_not_take_them_bare() {
    let pattern = Pattern::new("house", "number", "77[0-9]{6}").unwrap();
    let policy = Policy { extra_patterns: vec![pattern], ..Policy::default() };
    for (path, before, after) in [
        ("a.json", "{\"card\": @}\n", "{\"card\": \"<REDACTED:house:1>\"}\n"),
        ("a.json", "{\"card\": \"@\"}\n", "{\"card\": \"<REDACTED:house:1>\"}\n"),
        ("a.py", "card = @\n", "card = \"<REDACTED:house:1>\"\n"),
        ("a.yaml", "card: @\n", "card: <REDACTED:house:1>\n"),
        ("a.toml", "card = @\n", "card = \"<REDACTED:house:1>\"\n"),
        ("a.sh", "card=@\n", "card='<REDACTED:house:1>'\n"),
        ("a.txt", "card: @\n", "card: <REDACTED:house:1>\n"),
        (".env", "CARD=@\n", "CARD=[REDACTED:house:1]\n"),
        (
            "a.xml",
            "<card n=\"@\">@</card>\n",
            "<card n=\"[REDACTED:house:1]\">[REDACTED:house:1]</card>\n",
        ),
        ("a.tsx", "x = <p>Card @</p>;\n", "x = <p>Card [REDACTED:house:1]</p>;\n"),
        ("a.ts", "x = f<T>(@) < y;\n", "x = f<T>(\"<REDACTED:house:1>\") < y;\n"),
    ] {
        let text = before.replace('@', "77123456");
        let wish = Wish { language: Language::of_path(path), ..Wish::default() };
        let redaction = redact(&text, &policy, &wish).unwrap();
        assert_eq!(redaction.text, after, "{path}");
    }
}

#[test]
fn a_secret_that_goes_over_literals_is_replaced_with_them() {
    let token = token("k3Jd9f");
    let (head, tail) = token.split_at(20);
    let wish = |env| Wish { language: Some(Language::Python), env, ..Wish::default() };
    for (text, marked) in [
        (format!("k = \"{head}\" + \"{tail}\"\n"), "k = \"<REDACTED:github_pat:1>\" + \"\"\n"),
        (format!("k = ('{head}'\n  '{tail}')\n"), "k = ('<REDACTED:github_pat:1>'\n  '')\n"),
    ] {
        let redaction = redact(&text, &Policy::default(), &wish(false)).unwrap();
        assert_eq!(redaction.text, marked, "{text}");
        // What only decoding shows is not what a variable would hold.
        let redaction = redact(&text, &Policy::default(), &wish(true)).unwrap();
        assert_eq!(redaction.text, marked, "{text}");
    }
}

/// Texts with a secret in pieces become these, and each parses as it did before.
fn pieces_go(path: &str, text: &str, expected: &str) {
    let wish = Wish { language: Language::of_path(path), ..Wish::default() };
    let redaction = redact(text, &Policy::default(), &wish).unwrap();
    assert_eq!(redaction.text, expected, "{path}: {text}");
    assert_eq!(redaction.verdict, Verdict::Safe);
    let report = validate::validate(&redaction.text, None, Some(path));
    assert_ne!(report.valid, Some(false), "{expected}: {report:?}");
}

/// A token whose format takes any number of characters, so that its first half is one, too.
fn long_token() -> String {
    ["sk_", "li", "ve_", "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5A"].concat()
}

#[test]
fn the_pieces_of_a_secret_go_and_nothing_else() {
    let token = token("k3Jd9f");
    let (head, tail) = token.split_at(20);
    let (maps, rest) = (["AIza", "Dl1v64DNERHCXJYZX6S"].concat(), "MChyWo-pyAjl1Jnz");
    let escaped: String = token.bytes().map(|byte| format!("\\u{byte:04x}")).collect();
    let mark = "<REDACTED:github_pat:1>";
    for (path, text, expected) in [
        (
            "a.yaml",
            format!("token: '{maps}\\\n    {rest}'\n"),
            "token: '<REDACTED:api_key:1>\\\n    '\n".to_owned(),
        ),
        (
            "a.py",
            format!("p1 = \"{head}\"\np2 = \"{tail}\"\nf(p1 + p2)\n"),
            format!("p1 = \"{mark}\"\np2 = \"\"\nf(p1 + p2)\n"),
        ),
        (
            "a.py",
            format!("f(\"user\", \"{head}\", \"{tail}\", \"host\")\n"),
            format!("f(\"user\", \"{mark}\", \"\", \"host\")\n"),
        ),
        (
            "a.json",
            format!("[\"kept\", \"{head}\", \"{tail}\"]\n"),
            format!("[\"kept\", \"{mark}\", \"\"]\n"),
        ),
        (
            "a.py",
            format!("x = \"{head}\\\n{tail}\"\ny = 2\n"),
            format!("x = \"{mark}\\\n\"\ny = 2\n"),
        ),
        ("a.py", format!("x = '\u{feff}{token}'\n"), format!("x = '\u{feff}{mark}'\n")),
        ("a.py", format!("x = 'user:{head}\u{200b}{tail}'\n"), format!("x = 'user:{mark}'\n")),
        (
            "a.json",
            format!("{{\"a\": \"\\u0078:{escaped}\"}}\n"),
            format!("{{\"a\": \"\\u0078:{mark}\"}}\n"),
        ),
    ] {
        pieces_go(path, &text, &expected);
    }
}

#[test]
fn a_list_of_codes_goes_up_to_its_end() {
    let token = ["gl", "sa_", "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5A", "_", "8f3a9c1d"].concat();
    let list = |write: &dyn Fn(u8) -> String, between: &str| {
        token.bytes().map(write).collect::<Vec<_>>().join(between)
    };
    let mark = "<REDACTED:api_key:1>";
    let numbers = list(&|byte| byte.to_string(), ", ");
    let lines = list(&|byte| byte.to_string(), "\n  - ");
    for (path, text, expected) in [
        (
            "a.py",
            format!("a = bytes([{numbers}])\nz = 1\n"),
            format!("a = bytes([\"{mark}\"])\nz = 1\n"),
        ),
        ("a.js", format!("a = [{numbers}, 10];\n"), format!("a = [\"{mark}\", 10];\n")),
        ("a.yaml", format!("a:\n  - {lines}\nnext: 2\n"), format!("a:\n  - {mark}\nnext: 2\n")),
        (
            "A.java",
            format!("long[] a = {{{}}};\nint z = 1;\n", list(&|byte| format!("{byte}L"), ", ")),
            format!("long[] a = {{\"{mark}\"}};\nint z = 1;\n"),
        ),
    ] {
        pieces_go(path, &text, &expected);
    }
}

#[test]
fn a_secret_whose_first_half_is_one_goes_whole() {
    let token = long_token();
    let (head, tail) = token.split_at(28);
    let (pass, word) = (["q7R", "k!9zPw"].concat(), ["Blu", "eTree42"].concat());
    let mark = "<REDACTED:api_key:1>";
    for (path, text, expected) in [
        ("a.py", format!("x = \"{head}\" + \"{tail}\"\n"), format!("x = \"{mark}\" + \"\"\n")),
        (
            "a.py",
            format!("p1 = \"{head}\"\np2 = \"{tail}\"\n"),
            format!("p1 = \"{mark}\"\np2 = \"\"\n"),
        ),
        (
            "a.py",
            format!("password = (\"{pass}\" +\n  \"{word}\")\nf(\"{word}\")\n"),
            format!(
                "password = (\"{}\" +\n  \"\")\nf(\"{word}\")\n",
                "<REDACTED:generic_secret:1>"
            ),
        ),
        (
            "a.py",
            "api_key = \"a\" + \"k3Jd9fQx7LmZ2pVtR8sW\" + \"b4Yc6Hg1Nn5A\" + host\n".to_owned(),
            "api_key = \"<REDACTED:api_key:1>\" + \"\" + \"\" + host\n".to_owned(),
        ),
        (
            "a.py",
            format!("f('user', \"{head}\", \"{tail}\", 'host')\n"),
            format!("f('user', \"{mark}\", \"\", 'host')\n"),
        ),
        // What stands beside it in a list and is a word stays.
        (
            "a.py",
            format!("x = [\"{head}\", \"kept_value\"]\n"),
            format!("x = [\"{mark}\", \"kept_value\"]\n"),
        ),
    ] {
        pieces_go(path, &text, &expected);
    }
    // Two of them in one list are two.
    let other = long_token().replace("k3J", "q8W");
    let text = format!("x = [\"{token}\", \"{other}\"]\n");
    pieces_go("a.py", &text, &format!("x = [\"{mark}\", \"{}\"]\n", mark.replace('1', "2")));
}

#[test]
fn a_place_says_where_the_pieces_were_and_where_the_mark_is() {
    let token = token("k3Jd9f");
    let (head, tail) = token.split_at(20);
    let text = format!("x = \"{head}\" + \"{tail}\"\n");
    let redaction = redacted(&text);
    let replaced = &redaction.replaced[0];
    assert_eq!(text[replaced.from.start..replaced.from.end], format!("{head}\" + \"{tail}"));
    assert_eq!(&redaction.text[replaced.to.start..replaced.to.end], "<REDACTED:github_pat:1>");
    assert_eq!(replaced.put, "<REDACTED:github_pat:1>");
    assert_eq!(replaced.sha256, Some(sha256(&token)));
}

#[test]
fn a_full_stop_behind_a_secret_stays() {
    let token = ["gl", "sa_", "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5A", "_", "8f3a9c1d"].concat();
    assert_eq!(redacted(&format!("It is {token}.\n")).text, "It is <REDACTED:api_key:1>.\n");
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
fn a_mark_is_no_match_of_a_pattern_that_fits_its_name() {
    let pattern = Pattern::new("house", "word", "house").unwrap();
    let policy = Policy { extra_patterns: vec![pattern], ..Policy::default() };
    let redaction = redact("a house, [REDACTED:house:1]\n", &policy, &Wish::default()).unwrap();
    assert_eq!(redaction.text, "a <REDACTED:house:2>, [REDACTED:house:1]\n");
    assert_eq!(redaction.verdict, Verdict::Safe);
}

#[test]
fn literals_that_share_a_secret_keep_the_text_around_it() {
    let render = |text: &str| {
        let span = text.find("SE").unwrap()..text.find("ET").unwrap() + 2;
        let out = Out {
            mark: "<M>".to_owned(),
            variable: Some("V".to_owned()),
            is_first: true,
            ..Out::empty(span)
        };
        render::render(text, Some(Language::Python), &[out]).text
    };
    assert_eq!(render("k = 'x SEC' + 'RET y'"), "k = f'x {os.environ[\"V\"]} y'");
    assert_eq!(render("k = 'SEC' + \"RET y\""), "k = f\"{os.environ['V']} y\"");
    assert_eq!(render("k = 'x SEC' + RET"), "k = f'x {os.environ[\"V\"]}'");
    assert_eq!(render("k = SEC + 'RET'"), "k = os.environ[\"V\"]");
    // No look-up fits into two kinds of literal at once, and a mark into neither: it is in the first.
    assert_eq!(render("k = 'x SEC' + \"RET y\""), "k = 'x <M>' + \" y\"");
    let (before, after) = ("k = ('x SE' f'CR' # c\n r'ET y')", "k = ('x <M>' f'' # c\n r' y')");
    assert_eq!(render(before), after);
}

#[test]
fn what_the_result_needs_is_said() {
    let requires = |text: &str| {
        let wish = Wish { language: Some(Language::Python), env: true, ..Wish::default() };
        redact(text, &Policy::default(), &wish).unwrap().requires
    };
    let line = format!("key = '{}'\n", token("k3Jd9f"));
    assert_eq!(requires(&line), ["import os"]);
    assert_eq!(requires(&format!("import os\n{line}")), [""; 0]);
    assert_eq!(requires("key = 1\n"), [""; 0]);
}

/// One of a thousand tokens.
fn nth_token(nth: usize) -> String {
    token(&format!("{nth:03}Kx9"))
}

/// The requests that the paper's agent had captured, with what stood for the token.
fn captured(token: &str) -> String {
    let session =
        ["ey", "JhbGciOiJIUzI1NiJ9", ".ey", "JzdWIiOiJkZW1vIn0", ".c2lnbmF0dXJl"].concat();
    format!(
        "POST /v1/messages\nAuthorization: Bearer {token}\nX-Api-Key: {token}\n\
         X-Session: {session}\nX-Account: dev@lab.io\n"
    )
}

#[test]
fn the_incident_of_the_paper_is_high_with_the_raw_token() {
    let raw = ["sk-", "ant-", "oat01-", &"A1b2C3d4".repeat(6)].concat();
    let scored = |text: &str| score(text, &Policy::default());
    // The token twice, once in a header that is one more: 0.35 × 1.5; a session: 0.25; an address: 0.15.
    let report = scored(&captured(&raw));
    assert_eq!((report.score, report.verdict), (0.925, Verdict::High));
    assert_eq!(report.kinds(), ["api_key", "jwt", "pii"]);
    // By itself it weighs what its family weighs, and is a leak none the less.
    let alone = scored(&raw);
    assert_eq!((alone.score, alone.verdict), (0.35, Verdict::Low));
    assert_eq!(alone.kinds(), ["api_key"]);
    let level = |found| crate::level(found, &Policy::default());
    assert_eq!(alone.detected_patterns.iter().map(level).max(), Some(Verdict::High));

    let redaction = redacted(&captured(&raw));
    assert_eq!(
        redaction.text,
        "POST /v1/messages\nAuthorization: Bearer <REDACTED:api_key:1>\n\
         X-Api-Key: <REDACTED:api_key:1>\nX-Session: <REDACTED:jwt:1>\n\
         X-Account: <REDACTED:pii:1>\n"
    );
    assert_eq!(redaction.verdict, Verdict::Safe);
}

#[test]
fn the_incident_of_the_paper_is_a_placeholder_with_the_redacted_token() {
    let redacted_token = ["sk-", "ant-", "oat01-", "{REDACTED}"].concat();
    let report = score(&redacted_token, &Policy::default());
    let found: Vec<_> = hits(&report)
        .map(|(_, hit)| (hit.kind.to_string(), hit.pattern.to_string(), hit.placeholder))
        .collect();
    assert_eq!(found, [("api_key".to_owned(), "anthropic_prefix".to_owned(), true)]);
    // 0.35 × 0.35, rounded to four digits.
    assert_eq!((report.score, report.verdict), (0.1225, Verdict::Low));
    let actions = serde_json::to_value(&report.suggested_actions).unwrap();
    let rename = serde_json::json!([{"action": "rename_placeholder", "targets": ["api_key"]}]);
    assert_eq!(actions, rename);

    // Nothing of it is a secret: it stays, and what is left around it goes.
    let text = captured(&redacted_token);
    let redaction = redacted(&text);
    assert_eq!(redaction.text.matches(&redacted_token).count(), 2);
    assert_eq!(redaction.verdict, Verdict::Low);
    let renamed = choosing(&redaction.text, &["placeholder"]).unwrap();
    assert_eq!(renamed.text.matches("<REDACTED:api_key:1>").count(), 2);
    assert_eq!((renamed.score, renamed.verdict), (0.0, Verdict::Safe));
}

#[test]
fn no_text_makes_it_panic_and_what_it_answers_is_clean() {
    let one = token("k3Jd9f");
    let block = ["-----BEGIN ", "PRIVATE KEY-----"].concat();
    let parts = [
        "\"",
        "'",
        "`",
        "\\",
        "\n",
        "# ",
        "// ",
        "${",
        "}",
        " = ",
        "f",
        "b",
        "r#",
        "<REDACTED:pii:1>",
        "é",
        &one,
        &one[..20],
        "a@b.io ",
        "password: hunter2x9",
        &block,
        "-----END",
        "postgres://u:pässw0rd99@h/",
    ];
    let languages = [
        None,
        Some(Language::Python),
        Some(Language::JavaScript),
        Some(Language::Rust),
        Some(Language::Shell),
        Some(Language::Yaml),
        Some(Language::Json),
        Some(Language::Ruby),
    ];
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    for round in 0..300 {
        let mut text = String::new();
        for _ in 0..24 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            text.push_str(parts[(state % parts.len() as u64) as usize]);
        }
        let language = languages[round % languages.len()];
        let wish = Wish { language, env: round % 3 == 0 && language.is_some(), ..Wish::default() };
        match redact(&text, &Policy::default(), &wish) {
            Ok(redaction) => {
                let after = score(&redaction.text, &Policy::default());
                assert!(hits(&after).all(|(_, hit)| !wants(&[], hit)), "{text:?}");
                assert!(!redaction.text.contains(&one), "{text:?}");
            }
            Err(Refusal::Left { .. } | Refusal::Breaks { .. }) => {}
            Err(error) => panic!("{error} for {text:?}"),
        }
    }
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
