//! Passwords that go on in the next line.

use super::*;

/// A text without its secrets, in a language.
fn redacted_in(language: impl Into<Option<Language>>, text: &str) -> String {
    let wish = Wish { language: language.into(), ..Wish::default() };
    redact(text, &Policy::default(), &wish).unwrap().text
}

/// Before, the first line went, and the others stayed.
#[test]
fn a_password_over_lines_goes_whole() {
    let (one, two) = (["aB3x", "Y9q7"].concat(), ["Zk8m", "N2pW"].concat());
    for (language, before, between, after) in [
        (Language::Yaml, "password: \"", "\n  ", "\"\nport: 1\n"),
        (Language::Yaml, "password: '", "\n  ", "'\nport: 1\n"),
        (Language::Yaml, "password: ", "\n  ", "\nport: 1\n"),
        (Language::Yaml, "db:\n  password: ", "\n    ", "\n  port: 1\n"),
        (Language::Yaml, "- password: ", "\r\n    ", "\r\n  port: 1\r\n"),
        (Language::Python, "password = \"\"\"", "\n", "\"\"\"\nx = 1\n"),
        (Language::Python, "password = '''", "\n", "'''\nx = 1\n"),
        (Language::JavaScript, "const password = `", "\n", "`;\nconst x = 1;\n"),
        (Language::Shell, "PASSWORD=\"", "\n", "\"\nX=1\n"),
        (Language::Go, "password := `", "\n", "`\nx := 1\n"),
        (Language::Toml, "password = \"\"\"", "\n", "\"\"\"\nx = 1\n"),
        (Language::Rust, "let password = \"", "\n", "\";\nlet x = 1;\n"),
        (Language::Rust, "let password = r#\"", "\n", "\"#;\nlet x = 1;\n"),
        (Language::CSharp, "var password = @\"", "\n", "\";\nvar x = 1;\n"),
        (Language::CSharp, "var password = $@\"", "\n", "\";\nvar x = 1;\n"),
    ] {
        let text = format!("{before}{one}{between}{two}{after}");
        let whole = Wish { language: Some(language), ..Wish::default() };
        let redaction = redact(&text, &Policy::default(), &whole).unwrap();
        assert_eq!(redaction.text, format!("{before}<REDACTED:generic_secret:1>{after}"), "{text}");
        let redaction = redacted(&text).text;
        assert!(!redaction.contains(&one) && !redaction.contains(&two), "{text}: {redaction}");
        assert!(
            redaction.ends_with(after.trim_start_matches(['"', '\'', '`', '#'])),
            "{redaction}"
        );
    }
    // What follows is another field, or another text.
    for (language, after) in [
        (None, "\n    then click on it\n"),
        (None, "\n  user: ab3\n"),
        (Some(Language::Yaml), "\n  # old\n"),
        (Some(Language::Yaml), "\n- a1\n"),
        (Some(Language::Yaml), "\nb: a1\n"),
    ] {
        let wish = Wish { language, ..Wish::default() };
        let text = format!("password: {one}{after}");
        let redaction = redact(&text, &Policy::default(), &wish).unwrap();
        assert_eq!(redaction.text, format!("password: <REDACTED:generic_secret:1>{after}"));
    }
    // What stands before it on the line says nothing.
    for (language, before, quote, after) in [
        (Language::Php, "<?php $x = \"a\nb\"; $password = ", "\"", ";\n"),
        (Language::Python, "x = \"\"\"a\nb\"\"\"; password = ", "\"\"\"", "\n"),
        (Language::JavaScript, "const x = `a\nb`, password = ", "`", ";\n"),
        (Language::Shell, "echo \"it's\"; PASSWORD=", "'", "\n"),
        (Language::Ruby, "x = \"a\nb\"; password = ", "\"", "\n"),
        (Language::Yaml, "a: it's\npassword: ", "'", "\n"),
    ] {
        let (one, two) = (["hG7kd92", "LmQx81Zp"].concat(), ["qQ7zL9", "mN2"].concat());
        let text = format!("{before}{quote}{one}\n{two}{quote}{after}");
        let wish = Wish { language: Some(language), ..Wish::default() };
        let redaction = redact(&text, &Policy::default(), &wish).unwrap().text;
        assert!(!redaction.contains(&one) && !redaction.contains(&two), "{text}: {redaction}");
    }
    // A comment in quotes is no end of a literal.
    let text = format!("# password: \"{one}\nsudo reboot\necho \"#\"\n");
    assert!(redacted(&text).text.ends_with("\nsudo reboot\necho \"#\"\n"));
    // A quote that its own line closes begins no literal.
    for (language, line) in [
        (Language::Env, "if x_1 < y {"),
        (Language::Shell, "call_1 x y"),
        (Language::Rust, "if x_2 < y {"),
    ] {
        let rest = format!("\n{line}\n{two}\"\n");
        let text = format!("token = \"g\"hp_{}{rest}", "aB3xY9q7".repeat(4));
        let wish = Wish { language: Some(language), ..Wish::default() };
        let redaction = redact(&text, &Policy::default(), &wish).unwrap();
        assert!(redaction.text.contains(line), "{language:?}: {}", redaction.text);
    }
    let open = format!("password: \"{one}\nuser: \"bob\"\n");
    assert!(redacted(&open).text.ends_with("\nuser: \"bob\"\n"), "a quote that nothing closes");
}

/// Before, a redaction took the lines between a quote that nothing closes and another one below.
#[test]
fn the_lines_behind_an_open_quote_stay() {
    let token = ["ghp", "_ISERmjVzkjUusJ8Q15GV9aG"].concat();
    let lines = [
        Language::Python,
        Language::Go,
        Language::CSharp,
        Language::Toml,
        Language::JavaScript,
        Language::Kotlin,
    ];
    for (language, line) in ["ab", "call_2(x, y)", "return x + y;", "}"]
        .into_iter()
        .flat_map(|line| lines.iter().map(move |of| (*of, line)))
    {
        let rest = format!("\n{line}\nx9 wM\"\n");
        let text = format!("token = \"{token}{rest}");
        let wish = Wish { language: Some(language), ..Wish::default() };
        let redaction = redact(&text, &Policy::default(), &wish).unwrap();
        assert!(redaction.text.ends_with(&rest), "{language:?}: {}", redaction.text);
        assert!(!redaction.text.contains(&token), "{language:?}: {}", redaction.text);
    }
}

/// Such a line is no statement in a literal that goes over lines.
#[test]
fn the_lines_of_a_password_in_a_literal_go() {
    let (one, two) = (["hG7$kd92", "LmQx81Zp"].concat(), ["qQ7zL9", "mN2"].concat());
    for line in ["let me in please Xq7", "import ant 9Kd", "Vw4nT8(kq);", "}"] {
        for (language, begin, end) in [
            (Language::Rust, "let password = \"", "\";\n"),
            (Language::Ruby, "password = \"", "\"\n"),
            (Language::Shell, "export PASSWORD=\"", "\"\n"),
            (Language::Yaml, "password: \"", "\"\n"),
            (Language::Env, "PASSWORD=\"", "\"\n"),
            (Language::Go, "password := `", "`\n"),
        ] {
            let text = format!("{begin}{one}\n  {line}\n  {two}{end}");
            let redacted = redacted_in(language, &text);
            assert!(!redacted.contains(line) && !redacted.contains(&two), "{redacted}");
            // In `.env` the quotes go, too.
            let is_whole = redacted.starts_with(begin) && redacted.ends_with(end);
            assert!(is_whole || language == Language::Env, "{redacted}");
        }
    }
}

/// Before, such a password was found only where its statement begins the line.
#[test]
fn a_password_over_lines_goes_wherever_its_statement_stands() {
    let (one, two) = (["v11K9B8^KGH", "pYaax7"].concat(), ["2isDDf30x", "c9vIFShP"].concat());
    for (language, begin, end) in [
        (Language::Rust, "fn f() { let password = \"", "\"; }\n"),
        (Language::Python, "x = 1; password = \"\"\"", "\"\"\"\n"),
        (Language::Php, "<?php\nif (a()) { $password = \"", "\"; }\n"),
        (Language::JavaScript, "if (x) { y.password = `", "` }\n"),
        (Language::CSharp, "F(1, password: @\"", "\");\n"),
        (Language::Shell, "x() { y --to z; PASSWORD=\"", "\"; }\n"),
        (Language::Ruby, "f(1, password: \"", "\")\n"),
    ] {
        let text = format!("{begin}{one}\n{two}{end}");
        let redacted = redacted_in(language, &text);
        let mark = "<REDACTED:generic_secret:1>";
        assert_eq!(redacted, format!("{begin}{mark}{end}"), "{language:?}");
    }
    // Where no quote follows, the line is all of the literal that there is.
    let text = format!("if x {{ let password = \"{one}\n{two}\n");
    assert!(redacted(&text).text.contains(&two));
}

/// Before, the second line stayed behind each of these.
#[test]
fn a_literal_over_lines_ends_where_its_language_ends_it() {
    let (one, two) = (["3CI6FhulxD", "4#q"].concat(), ["AO~yMQS2G", "Sj5t3"].concat());
    for (language, begin, end) in [
        (Language::Yaml, "password: '", "''C'\n"),
        (Language::CSharp, "var password = @\"", "\"\"C\";\n"),
        (Language::Rust, "let password = r\"", "\\\";\n"),
        (Language::Rust, "let password = r#\"", "\"x\"#;\n"),
        (Language::Shell, "PASSWORD='", "\\'\n"),
        (Language::Shell, "PASSWORD=\"", "\"|cmd\n"),
        (Language::Shell, "PASSWORD=\"", "\"$X\n"),
        (Language::Go, "password := `", "\\`\n"),
        (Language::Go, "password := `", "`+x\n"),
        (Language::Toml, "password = '''", "\\'''\n"),
        (Language::Python, "password = \"\"\"", "\"\"\"+x\n"),
        (Language::JavaScript, "password = `", "`||x;\n"),
        (Language::Ruby, "password = %q(", ")\n"),
        (Language::Markup, "<a password=\"", "\"/>\n"),
        (Language::Markup, "<a b='c' password='", "'>d</a>\n"),
    ] {
        let text = format!("{begin}{one}\n  {two}{end}");
        let redacted = redacted_in(language, &text);
        let rest = redacted.strip_prefix(begin).unwrap_or_else(|| panic!("{redacted}"));
        let is_mark = rest.starts_with(['<', '[']) && rest.contains("REDACTED:generic_secret:1");
        assert!(is_mark, "{redacted}");
        let close = end.trim_start_matches(['\\', 'x', 'C']).trim_start_matches("''C");
        assert!(!rest.contains(&two) && rest.ends_with(&close[close.len() - 2..]), "{redacted}");
    }
}

/// Before, the second line stayed behind each of these.
#[test]
fn a_scalar_and_an_element_go_on_to_their_end() {
    let (one, two) = (["3CI6FhulxD", "4aq"].concat(), ["AO~yMQS2G", "Sj5t3"].concat());
    let lines = format!("{one}\n  {two}");
    for (language, text) in [
        (Some(Language::Yaml), "\"password\": @\nuser: bob\n"),
        (Some(Language::Yaml), "password: !!str @\nuser: bob\n"),
        (Some(Language::Yaml), "password: &p @\nuser: bob\n"),
        (Some(Language::Markup), "<a><password>@</password></a>\n"),
        (None, "<a><password>@</password></a>\n"),
    ] {
        let wish = Wish { language, ..Wish::default() };
        for lines in [lines.clone(), format!("{one}\n\n  -{two}")] {
            // Elsewhere an empty line ends it.
            if language.is_none() && lines.contains('-') {
                continue;
            }
            let redacted = redact(&text.replace('@', &lines), &Policy::default(), &wish);
            let redacted = redacted.unwrap().text;
            let mark = redacted.replace(['<', '>', '['], "");
            assert!(mark.contains("REDACTED:generic_secret:1"), "{redacted}");
            let around: Vec<_> = text.split('@').collect();
            let is_around = redacted.starts_with(around[0]) && redacted.ends_with(around[1]);
            assert!(is_around && !redacted.contains(&two), "{redacted}");
        }
    }
}

/// Before, the second line of a value that begins below its key stayed.
#[test]
fn a_scalar_below_its_key_goes_whole() {
    let (one, two) = (["kal5GpXcKg", "iBC57KM1uu"].concat(), ["DF9o71dGQ7", "bHMM"].concat());
    let text = format!("password:\n  {one}\n  {two}\nok: 2\n");
    let redacted = redacted_in(Language::Yaml, &text);
    let is_around = redacted.starts_with("password:\n  <RED") && redacted.ends_with("\nok: 2\n");
    assert!(is_around && !redacted.contains(&one) && !redacted.contains(&two), "{redacted}");
}

/// Before, the call went with the first line, and one quote stayed.
#[test]
fn a_call_around_a_literal_over_lines_stays() {
    let (one, two) = (["7hA^uB4b", "E2yb"].concat(), ["Z4jPY", "_w*3g"].concat());
    for (language, begin, end) in [
        (Language::Rust, "let password = String::from(\"", "\");\n"),
        (Language::Rust, "let password = Some(\"", "\");\n"),
        (Language::JavaScript, "const password = f(`", "`);\n"),
        (Language::JavaScript, "const password = tag`", "`;\n"),
        (Language::Python, "password = [\"\"\"", "\"\"\"]\n"),
        (Language::Python, "password = x.y(\"\"\"", "\"\"\", x)\n"),
        (Language::CSharp, "var password = F(@\"", "\");\n"),
    ] {
        let text = format!("{begin}{one}\n{two}{end}");
        let redacted = redacted_in(language, &text);
        assert_eq!(redacted, format!("{begin}<REDACTED:generic_secret:1>{end}"));
    }
}

/// Before, the next lines went with a password in a comment or in a block scalar.
#[test]
fn the_lines_below_a_comment_and_a_line_of_a_block_stay() {
    let one = ["C9kdla82", "MqpZx8#q"].concat();
    for (language, begin, rest) in [
        (Language::Shell, "# password: \"", "\nsudo reboot\necho \" done\"\nls\n"),
        (Language::Php, "<?php\n// password: \"", "\nstart(1);\nstop(\" x\");\n"),
        (Language::JavaScript, "// password: `", "\nstart(1);\nstop(` x`);\n"),
        (Language::Yaml, "message: |\n  password: ", "\n    please change it after the login\n"),
    ] {
        let text = [begin, &one, rest].concat();
        let redacted = redacted_in(language, &text);
        assert!(redacted.ends_with(rest) && !redacted.contains(&one), "{redacted}");
    }
}

/// These look like the first lines of passwords, and are code, other fields and texts.
#[test]
fn what_follows_an_open_quote_that_is_no_literal_over_lines_stays() {
    let one = ["T1m3xK9q", "Zr7Lp2"].concat();
    for (language, text) in [
        (Language::JavaScript, "x = '{\"password\":\"'+md5Hex(pw2)\n  +'\"}';\n"),
        (Language::JavaScript, "x = /password=\"Ab1Cd2/;\ny(\"z\");\n"),
        (Language::JavaScript, "log(\"password = '@\");\nok1();\nlog(\"it's\");\n"),
        (Language::Python, "print(\"password = '@\")\nok1(\"a'b\")\n"),
        (Language::Python, "f(\"password = 'SHA256withRSA\")\nok1(\"a'b\")\n"),
        (Language::JavaScript, "f({ user, password: p, body: `<h1>Login</h1>\nmore text\n` });\n"),
        (Language::Go, "T{Password: p, Body: `{\"a\":{\"b2\":[\nmore text\n`},\n"),
        (Language::Python, "password = render(x, \"\"\"<h1>Login</h1>\nmore text\n\"\"\")\n"),
        (Language::JavaScript, "const resetPassword = gql`query($id1:ID!){\n  a { b }\n}`;\n"),
    ] {
        let text = text.replace('@', &one);
        let wish = Wish { language: Some(language), ..Wish::default() };
        assert_eq!(redact(&text, &Policy::default(), &wish).unwrap().text, text);
    }
}

/// Before, the call went with the first line, and the second one stayed.
#[test]
fn a_literal_in_a_call_may_end_on_a_line_of_its_own_or_in_padding() {
    let (one, two) = (["r5c3bxD7", "u6yB54"].concat(), ["GRJl5CY", "AVH66Wx"].concat());
    for (language, begin, end) in [
        (Language::JavaScript, "const password = f(`", "\n`);\n"),
        (Language::JavaScript, "const password = dedent`", "\n  `;\n"),
        (Language::JavaScript, "const password = f(`", "=`);\n"),
        (Language::Go, "password := f(`", "\n`)\n"),
        (Language::Rust, "let password = f(b\"", "\");\n"),
    ] {
        let text = format!("{begin}{one}\n{two}{end}");
        let redacted = redacted_in(language, &text);
        assert!(!redacted.contains(&one) && !redacted.contains(&two), "{redacted}");
        assert!(redacted.starts_with(begin), "{redacted}");
    }
    // What is no password stays as it is.
    let text = format!("const password = f(`{one}\nand two words {two}\n`);\n");
    let redacted = redacted_in(Language::JavaScript, &text);
    assert!(redacted.starts_with("const password = f(`"), "{redacted}");
}

/// Before, a line above that ends with such a sign was the begin of a block scalar, and the second line stayed.
#[test]
fn only_an_indicator_begins_a_block_scalar() {
    let (one, two) = (["C9kdla82", "MqpZx8q"].concat(), ["GRJl5CY", "AVH66Wx"].concat());
    let wish = Wish { language: Some(Language::Yaml), ..Wish::default() };
    for above in [
        "- to: Bob <b@x.io>",
        "- html: <b>",
        "- cmd: cat x |",
        "- sep: a|",
        "- v: 3 >2",
        "- k: |",
        "users:\n# a | b |",
        "users: # -->",
    ] {
        let text = format!("{above}\n  password: {one}\n    {two}\n");
        let redacted = redact(&text, &Policy::default(), &wish).unwrap().text;
        assert!(!redacted.contains(&one) && !redacted.contains(&two), "{redacted}");
    }
    let text = format!("- |\n  text\n- password: {one}\n    {two}\n");
    let redacted = redact(&text, &Policy::default(), &wish).unwrap().text;
    assert!(!redacted.contains(&one) && !redacted.contains(&two), "{redacted}");
    for above in
        ["k: |", "- |", "- k: >-", "k: !t &a |2- # c", "? |", "issue#12: |", "C#: |", "\"C#\": |"]
    {
        let text = format!("{above}\n     password: {one}\n       another line\n");
        let redacted = redact(&text, &Policy::default(), &wish).unwrap().text;
        assert!(redacted.ends_with("       another line\n"), "{redacted}");
    }
}

/// Before, the lines up to the next quote went with what stands behind a literal.
#[test]
fn what_stands_behind_a_literal_begins_none() {
    let one = ["ghp", "_aJHYDiuZ1x0YApBrmExZij3N0JXqjzKbq09"].concat();
    for language in [Language::Env, Language::Shell] {
        let text = format!("token = \"{one}\"p_aJHYDiuZ1x0YApBrmExZij3N0JX\nif x_2\n\")\n");
        let redacted = redacted_in(language, &text);
        assert!(redacted.ends_with("\nif x_2\n\")\n") && !redacted.contains(&one), "{redacted}");
    }
}

/// Before, the lines below the first one stayed where the literal begins with a line end, as a text block of Java does.
#[test]
fn a_password_over_lines_may_begin_on_the_second_one() {
    for (language, text, expected) in [
        (
            Language::Java,
            "String password = \"\"\"\n    1\n    2\"\"\";\nint n = 1;\n",
            "\n    M\"\"\";\nint",
        ),
        (
            Language::Java,
            "String password = \"\"\"\n    1\n    2\n    \"\"\";\nint n;\n",
            "\n    M\n    \"\"\";\nint",
        ),
        (Language::Toml, "password = \"\"\"\n1\n2\"\"\"\nn = 1\n", "\nM\"\"\"\nn"),
        (
            Language::Python,
            "password = \"\"\"\n1\nand other words\n\"\"\"\n",
            "\nM\nand other words\n",
        ),
    ] {
        let text = text.replace('1', "hbIuDX6FFdfsj9SU").replace('2', "4POlygRNnIhHagvl");
        let told = redacted_in(language, &text).replace("<REDACTED:generic_secret:1>", "M");
        assert!(told.contains(expected), "{told}");
    }
}

/// Before, what stands behind the escape of a line end stayed.
#[test]
fn a_password_with_escaped_line_ends_goes_whole() {
    let (one, two) = ("cYItZHohYk7yLghB", "7i09iuTOYjITq2op");
    for (held, expected) in [
        (format!("{one}\\n{two}"), "M"),
        (format!("{one}\\r\\n{two}\\n"), "M\\n"),
        (format!("{one}\\t{two}"), "M"),
        (format!("{one}\\t"), "M\\t"),
        (format!("{one}\\nHOST=db1"), "M\\nHOST=db1"),
        (format!("{one}\\nand other words"), "M\\nand other words"),
    ] {
        let text = format!("{{\"password\": \"{held}\", \"b\": 1}}\n");
        let told = redacted_in(Language::Json, &text).replace("<REDACTED:generic_secret:1>", "M");
        assert_eq!(told, format!("{{\"password\": \"{expected}\", \"b\": 1}}\n"));
    }
}

/// Before, `r#` began a literal of Rust in every language, and the next line went as a part of it.
#[test]
fn a_comment_behind_a_value_begins_no_literal() {
    let text = "<?php\npassword=r#\"q7password\nif x_1 < y {\n{\";\n";
    let told = redacted_in(Language::Php, text);
    assert!(told.contains("\nif x_1 < y {\n"), "{told}");
}
