//! Secrets that are put together of pieces.

use super::*;

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
fn no_look_up_goes_over_literals() {
    let token = token("k3Jd9f");
    let (head, tail) = token.split_at(20);
    for env in [false, true] {
        let wish = Wish { language: Some(Language::Python), env, ..Wish::default() };
        let text = format!("k = ('{head}'\n  '{tail}')\n");
        let redaction = redact(&text, &Policy::default(), &wish).unwrap();
        // What only decoding shows is not what a variable would hold.
        assert_eq!(redaction.text, "k = ('<REDACTED:github_pat:1>'\n  '')\n", "{text}");
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

/// Before, the second item was null.
#[test]
fn a_plain_item_that_becomes_empty_stays_a_text() {
    let token = token("k3Jd9f");
    let (head, tail) = token.split_at(38);
    let mark = "<REDACTED:github_pat:1>";
    pieces_go(
        "a.yaml",
        &format!("key:\n- {head}\n- {tail}\n- b\n"),
        &format!("key:\n- {mark}\n- \"\"\n- b\n"),
    );
}

/// Before, both items became one.
#[test]
fn a_secret_in_two_items_of_yaml_leaves_two_items_or_is_refused() {
    let (head, tail) = ("k3Jd9fQx7LmZ2pVtR8sW", "9sKq2LmXv7TbNc4Rw8Yd");
    let wish = Wish { language: Some(Language::Yaml), ..Wish::default() };
    let redacted = |text: &str| redact(text, &Policy::default(), &wish);
    let quoted = format!("a:\n- api_token ::= \"{head}\n- {tail}\"\nb: 1\n");
    assert!(matches!(redacted(&quoted), Err(Refusal::Breaks { .. })), "{:?}", redacted(&quoted));
    // Lines of one scalar are one item, and none of them becomes a text of its own.
    let row = "k3Jd9fQx7LmZ2pVtR8sWAbCd".repeat(2);
    let (begin, end) =
        (["-----BEGIN PRIVATE", " KEY-----"].concat(), ["-----END PRIVATE", " KEY-----"].concat());
    let key = format!("a:\n- {begin}\n  {row}\n- {row}\n  {end}\nb: 1\n");
    let redaction = redacted(&key).unwrap();
    assert_eq!(redaction.text, "a:\n- <REDACTED:pem_block:1>\n  \n- \"\"\n  \nb: 1\n");
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
    let groups: Vec<_> = (0..5).map(|nth| &token[8 * nth..8 * nth + 8]).collect();
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
        (
            "a.py",
            format!("x = (f\"{head}\" r'{tail}')\ny = b\"\"\"{head}\"\"\" b\"\"\"{tail}\"\"\"\n"),
            format!("x = (f\"{mark}\" r'')\ny = b\"\"\"{mark}\"\"\" b\"\"\"\"\"\"\n"),
        ),
        (
            "A.java",
            format!("f(new A().append(\"{head}\") // a\n  .append(\"{tail}\").b(), \"c\");\n"),
            format!("f(new A().append(\"{mark}\") // a\n  .append(\"\").b(), \"c\");\n"),
        ),
        ("a.txt", format!("part: {} extra\n", groups.join(" ")), format!("part: {mark} extra\n")),
        ("a.cs", format!("x = \"{token}\"u8;\n"), format!("x = \"{mark}\"u8;\n")),
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
            format!("p1 = \"{head}\"\np2 = \"{tail}\"\nf(p1 + p2)\n"),
            format!("p1 = \"{mark}\"\np2 = \"\"\nf(p1 + p2)\n"),
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
            format!("f('user', ''.join([\"{head}\", \"{tail}\"]), 'host')\n"),
            format!("f('user', ''.join([\"{mark}\", \"\"]), 'host')\n"),
        ),
        (
            "a.sh",
            format!("TOKEN='{head}'\"{tail}\"'7x'\nf \"x\" '{head}''7Q'\"9r\"\n"),
            format!("TOKEN='{mark}'\"\"''\nf \"x\" '{}'''\"\"\n", mark.replace('1', "2")),
        ),
        (
            "a.yaml",
            format!("b: \"{head}\\\n  x\\\n  {tail}\"\nc:\n  - \"{head}\\\n    7Q\"\n"),
            format!("b: \"{mark}\\\n  \\\n  \"\nc:\n  - \"{}\\\n    \"\n", mark.replace('1', "2")),
        ),
        // Nothing says that a list is put together: what stands beside a whole token stays.
        (
            "a.py",
            format!("f('user', \"{head}\", \"{tail}\", 'host')\n"),
            format!("f('user', \"{mark}\", \"{tail}\", 'host')\n"),
        ),
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
    let mut again = redaction.text.clone();
    again.replace_range(replaced.to.start..replaced.to.end, &token);
    assert_eq!(again, format!("x = \"{token}\" + \"\"\n"), "it says the same");
}

#[test]
fn literals_that_share_a_secret_keep_the_text_around_it() {
    let render = |text: &str| {
        let span = text.find("SE").unwrap()..text.find("ET").unwrap() + 2;
        let out = Replacement {
            mark: "<M>".to_owned(),
            variable: Some("V".to_owned()),
            is_first: true,
            ..Replacement::empty(span)
        };
        render::render(text, Some(Language::Python), &[out]).text
    };
    // No look-up goes over several literals. The mark is in the first.
    assert_eq!(render("k = 'x SEC' + 'RET y'"), "k = 'x <M>' + ' y'");
    assert_eq!(render("k = 'SEC' + \"RET y\""), "k = '<M>' + \" y\"");
    assert_eq!(render("k = 'x SEC' + RET"), "k = 'x <M>'");
    assert_eq!(render("k = SEC + 'RET'"), "k = os.environ[\"V\"]");
    let (before, after) = ("k = ('x SE' f'CR' # c\n r'ET y')", "k = ('x <M>' f'' # c\n r' y')");
    assert_eq!(render(before), after);
}

#[test]
fn a_hash_that_a_shell_continues_goes_whole_however_long_it_is() {
    let digits = |len: usize| "8b0e7153bf7c3706d85c524e4400665".chars().cycle().take(len).collect();
    for (first, second) in [(100, 100), (400, 400), (100, 700), (700, 100), (700, 1300)] {
        let [first, second]: [String; 2] = [first, second].map(digits);
        for (begin, end) in
            [("$krb", "5tgs$23$"), ("$krb", &format!("5asrep$23${}$", &first[..32]))]
        {
            let text = format!("X={begin}{end}{first}\\\n{second}\necho done\n");
            let redacted = redacted(&text).text;
            assert_eq!(redacted, "X=<REDACTED:generic_secret:1>\\\n\necho done\n", "{text}");
        }
    }
}
