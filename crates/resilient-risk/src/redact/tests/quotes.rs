//! Marks and their quotes, as each language takes them.

use super::*;

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

/// Before, the mark had no quotes, since the password seemed to end in a comment.
#[test]
fn a_mark_is_quoted_for_a_password_that_has_the_sign_of_a_comment() {
    let password = ["Prl23", "Db#@"].concat();
    for language in [Language::Python, Language::Ruby] {
        let wish = Wish { language: Some(language), ..Wish::default() };
        let text = format!("Password:{password}");
        let redaction = redact(&text, &Policy::default(), &wish).unwrap();
        assert_eq!(redaction.text, "Password:\"<REDACTED:generic_secret:1>\"");
    }
}

#[test]
fn a_quote_in_a_command_in_quotes_stays() {
    let secret = ["dipPr120", "Gg!"].concat();
    for text in [
        "x=\"$(curl -H \"user=master passwd=@\" https://h/ | sort)\"\n",
        "x=\"$(f \"a\") $(curl -H \"user=master passwd=@\" https://h/)\"\n",
    ] {
        let wish = Wish { language: Some(Language::Shell), ..Wish::default() };
        let redaction = redact(&text.replace('@', &secret), &Policy::default(), &wish).unwrap();
        assert_eq!(redaction.text, text.replace('@', "[REDACTED:generic_secret:1]"));
    }
}
