//! Look-ups in the environment, in each language.

use super::*;

#[test]
fn a_look_up_in_braces_of_yaml_stands_alone_or_is_a_mark() {
    let secret = token("k3Jd9f");
    let text = format!("a: {{b: x=\"{secret}\", c: {secret}}}\n");
    let wish = Wish { language: Some(Language::Yaml), env: true, ..Wish::default() };
    let redaction = redact(&text, &Policy::default(), &wish).unwrap().text;
    assert_eq!(redaction, "a: {b: x=\"<REDACTED:github_pat:1>\", c: \"${GHP}\"}\n");
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
        ("a.rs", "f(b\"@\")\n", "f(b\"<REDACTED:github_pat:1>\")\n"),
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
    // `§` is where a look-up fits, `%` and `¤` where only a mark does: in angle brackets or in square ones. What parsers
    // do not tell, lines do.
    let rows = [
        ("a.py", "token = '§'\nmatch token:\n    case '%': pass\n", "os.environ[\"TOKEN\"]"),
        ("a.js", "import '%';\ntoken = '§'\n", "process.env.TOKEN"),
        ("a.sh", "cat <<A\n$(f '¤') b\nA\nf §\n", "\"${GHP}\""),
        ("a.js", "f(/%/, '§')\n", "process.env.GHP"),
        ("a.js", "f(gql`%`, `§`)\n", "process.env.GHP"),
        ("a.ts", "let a: '%' = f('§')\n", "process.env.GHP"),
        ("a.ts", "type A =\n  | '%';\nf('§')\n", "process.env.GHP"),
        ("a.ts", "enum A { B = '%' }\nf('§')\n", "process.env.GHP"),
        ("a.py", "def f(a: '%'): g('§')\n", "os.environ[\"GHP\"]"),
        ("a.py", "a: Literal['%'] = f('§')\n", "os.environ[\"GHP\"]"),
        ("a.py", "def f():\n    \"\"\"Uses %.\"\"\"\n    g('§')\n", "os.environ[\"GHP\"]"),
        ("A.java", "void f(@Value(\"%\") String a) { g(\"§\"); }\n", "System.getenv(\"GHP\")"),
        ("A.java", "switch (a) { case \"%\": f(\"§\"); }\n", "System.getenv(\"GHP\")"),
        ("a.ts", "export * from '%';\ntoken = '§'\n", "process.env.TOKEN"),
        ("a.rs", "#[path = \"%\"]\nmod a;\nconst TOKEN: &str = \"§\";\n", "env!(\"TOKEN\")"),
        ("a.go", "const a = \"%\"\nvar token = \"§\"\n", "os.Getenv(\"TOKEN\")"),
        ("a.go", "const (\n\ta = 1\n\tb = \"%\"\n)\nvar token = \"§\"\n", "os.Getenv(\"TOKEN\")"),
        ("a.go", "type t struct {\n\ta string `%`\n}\nvar token = `§`\n", "os.Getenv(\"TOKEN\")"),
        ("a.rb", "# %\ntoken = '§'\n", "ENV.fetch(\"TOKEN\")"),
        ("A.java", "@Value(\"%\")\nString token = \"§\";\n", "System.getenv(\"TOKEN\")"),
        ("A.java", "case \"%\":\n  token = \"§\";\n", "System.getenv(\"TOKEN\")"),
        ("a.kt", "const val A = \"%\"\nval token = \"§\"\n", "System.getenv(\"TOKEN\")"),
        (
            "a.cs",
            "private const string A = \"%\";\nvar token = \"§\";\n",
            "Environment.GetEnvironmentVariable(\"TOKEN\")",
        ),
        ("a.php", "<?php class A {\n  private $a = '%';\n}\n$token = '§';\n", "getenv('TOKEN')"),
        ("a.sh", "# %\ntoken=§\n", "\"${TOKEN}\""),
        ("Dockerfile", "# %\nENV TOKEN=§\n", "\"${TOKEN}\""),
        ("a.yaml", "# %\ntoken: §\n", "${TOKEN}"),
        (".github/workflows/a.yml", "# ¤\ntoken: §\n", "${{ secrets.TOKEN }}"),
        ("a.json", "{\"a\": \"\\\\%\", \"token\": \"§\"}\n", "\"${TOKEN}\""),
        ("a.toml", "# %\ntoken = '§'\n", "'${TOKEN}'"),
        (".env", "# ¤\nTOKEN=§\n", "${TOKEN}"),
        ("a.xml", "<token>¤</token>\n", ""),
    ];
    let mut seen = BTreeSet::new();
    for (path, text, look_up) in rows {
        let language = Language::of_path(path);
        seen.insert(format!("{language:?}"));
        let mark = text.find(['%', '¤']).unwrap();
        let number = if text.find('§').is_some_and(|at| at < mark) { 2 } else { 1 };
        let places = ["'§'", "\"§\"", "`§`", "§"].into_iter();
        let expected = places
            .fold(text.to_owned(), |text, place| text.replace(place, look_up))
            .replace('%', &format!("<REDACTED:github_pat:{number}>"))
            .replace('¤', &format!("[REDACTED:github_pat:{number}]"));
        let text = text.replace('§', &token("k3Jd9f")).replace(['%', '¤'], &token("Zq8vN2"));
        let wish = Wish { language, env: true, ..Wish::default() };
        let redaction = redact(&text, &Policy::default(), &wish).unwrap();
        assert_eq!(redaction.text.replace("GHP_2", "GHP"), expected, "{path}");
    }
    assert_eq!(seen.len(), Language::names().count(), "a row for each language");
}

#[test]
fn a_look_up_may_fit_where_no_mark_does() {
    let text = format!("Is it: {}. Yes.\n", token("k3Jd9f"));
    let wish = Wish { language: Some(Language::Workflow), env: true, ..Wish::default() };
    let redaction = redact(&text, &Policy::default(), &wish).unwrap();
    assert_eq!(redaction.text, "Is it: ${{ secrets.IS }}. Yes.\n".replace("IS", "IT"));
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

/// Before, a look-up or a mark made a secret of what stands beside it: of the public part of an address.
#[test]
fn look_ups_make_no_secret_of_their_neighbours() {
    let [key, password] = [
        ["phc_", "NqVwYS81VP7Hb1DX8pPd5khxNqVwYS81VP7Hb1DX8pP"].concat(),
        ["xAk7jqe", "vt0MLaM"].concat(),
    ];
    let dsn = "SENTRY_DSN=https://f7c3706d85c524e440066559a6656c90@o123456.ingest.sentry.io/4505\n";
    let text = format!("POSTHOG_PUBLIC={key}\n{dsn}SMTP_PASS='{password}'\n");
    let wish = Wish { language: Some(Language::Env), env: true, ..Wish::default() };
    let redaction = redact(&text, &Policy::default(), &wish).unwrap();
    let mark = "'[REDACTED:generic_secret:1]'";
    let expected = format!("POSTHOG_PUBLIC=${{POSTHOG_PUBLIC}}\n{dsn}SMTP_PASS={mark}\n");
    assert_eq!(redaction.text, expected);
}

/// Before, a variable was set from itself, and JavaScript made the text `undefined` of one that is not there.
#[test]
fn a_variable_is_not_set_from_itself() {
    let key = ["q7Rk9zPw2mX4", "Vt8Ls3Yc6Hg1"].concat();
    for (language, text) in [
        (Language::JavaScript, "process.env.JWT_SECRET = 'HT'\n"),
        (Language::Python, "import os\nos.environ['API_KEY'] = 'HT'\n"),
    ] {
        let wish = Wish { language: Some(language), env: true, ..Wish::default() };
        let redaction = redact(&text.replace("HT", &key), &Policy::default(), &wish).unwrap();
        assert!(redaction.text.contains("<REDACTED:"), "{}", redaction.text);
    }
    let text = format!("process.env.A = x; const apiKey = '{key}'\n");
    let wish = Wish { language: Some(Language::JavaScript), env: true, ..Wish::default() };
    let redaction = redact(&text, &Policy::default(), &wish).unwrap();
    assert!(redaction.text.ends_with("apiKey = process.env.API_KEY\n"), "{}", redaction.text);
}
