//! What is taken of a field takes all of it.

use super::*;

/// A text at a path with `H` and `T` for the halves of a password, and what is left of it.
pub(super) fn left(path: &str, text: &str) -> String {
    let halves = ["q7Rk!9zP", "wX4m2Vb"];
    let text = text.replace('H', halves[0]).replace('T', halves[1]);
    let wish = Wish { language: Language::of_path(path), ..Wish::default() };
    let left = redact(&text, &Policy::default(), &wish).unwrap().text;
    let mark = Regex::new(r"[<\[]REDACTED:(?:generic_secret|conn_string):1[>\]]").unwrap();
    mark.replace_all(&left, "M").replace(halves[0], "H").replace(halves[1], "T")
}

#[test]
fn a_password_goes_with_the_rest_of_its_field() {
    for (path, text, expected) in [
        ("", "<pass>H|\"T</pass>", "<pass>M</pass>"),
        ("", "<pass>:H]\\T</pass>", "<pass>M</pass>"),
        ("", "c = \"Server=a;Password=H`T;b=1\"", "c = \"Server=a;Password=M;b=1\""),
        ("", "c = \"Server=a;Password=E'H'T;\"", "c = \"Server=a;Password=M;\""),
        ("", "<a b=\"Server=a;Password=H&quot;T\"/>", "<a b=\"Server=a;Password=M\"/>"),
        ("", "f('https://a.io/b?pass=H\"T&c=1')", "f('https://a.io/b?pass=M&c=1')"),
        ("", "f('https://a.io/b?pass=H<T>')", "f('https://a.io/b?pass=M')"),
        ("", "GET /b?pass=H>T&c=1 HTTP/1.1", "GET /b?pass=M&c=1 HTTP/1.1"),
        ("", "<a href=\"/b?a=b&amp;pass=H&lt;T\"/>", "<a href=\"/b?a=b&amp;pass=M\"/>"),
        (".env", "A_PASSWORD=H|T # b", "A_PASSWORD=M # b"),
        (".env", "A_PASSWORD='H'T", "A_PASSWORD='M'"),
        ("a.ini", "password = H;T ; b", "password = M ; b"),
        ("a.yml", "password: H,T", "password: M"),
        ("", "Config(user=bob, password=HT, host=x)", "Config(user=bob, password=M, host=x)"),
        ("a.yml", "r: {on: true, password: H;T}", "r: {on: true, password: M}"),
        ("a.yml", "r: [A=b, PASSWORD=H|T]", "r: [A=b, PASSWORD=M]"),
        ("a.sh", "PASS=H\"T\" b", "PASS='M'\"\" b"),
        ("a.sh", "PASS=\"H\"T", "PASS=\"M\""),
    ] {
        assert_eq!(left(path, text), expected, "{text}");
    }
}

/// Before, the value ended at a sign that may end a word of a shell.
#[test]
fn the_value_of_a_setting_ends_with_the_quotes_around_the_setting_or_with_its_line() {
    for (path, text, expected) in [
        ("a.yml", "- \"A_PASSWORD=H)T\"", "- \"A_PASSWORD=M\""),
        ("", "- 'A_PASSWORD=H|T' # b", "- 'A_PASSWORD=M' # b"),
        ("a.json", "[\"A=1\", \"A_PASSWORD=H\\\"T\"]", "[\"A=1\", \"A_PASSWORD=M\"]"),
        ("a.json", "[\"A_PASSWORD=H|T\\\\\", \"A\"]", "[\"A_PASSWORD=M\", \"A\"]"),
        ("a.py", "f(['-e', 'A_PASSWORD=H;T', b])", "f(['-e', 'A_PASSWORD=M', b])"),
        ("a.sh", "docker -e \"A_PASSWORD=H>T\" b", "docker -e \"A_PASSWORD=M\" b"),
        ("a.sh", "x '--password=H\"T' b", "x '--password=M' b"),
        ("", "curl -d \"password=H`T&user=b\"", "curl -d \"password=M&user=b\""),
        ("", "x = \"{\\\"env\\\": \\\"A_PWD=H]T\\\"}\"", "x = \"{\\\"env\\\": \\\"A_PWD=M\\\"}\""),
        ("a.ini", "Environment=\"A_PASSWORD=H,T\"", "Environment=\"A_PASSWORD=M\""),
        ("a.ini", "Environment=A_PASSWORD=H,T", "Environment=A_PASSWORD=M"),
        ("a.yml", "- A_PASSWORD=H>T", "- A_PASSWORD=M"),
        (".env", "export A_PASSWORD=H|T", "export A_PASSWORD=M"),
        ("Dockerfile", "ENV A=1 A_PASSWORD=H;T B=2", "ENV A=1 A_PASSWORD='M' B=2"),
        ("a.sh", "A_PASSWORD=H,T make", "A_PASSWORD='M' make"),
        (".env", "A_PASSWORD=H{T # b", "A_PASSWORD=M # b"),
        ("a.yml", "password: H(T  # b, c", "password: M  # b, c"),
        ("a.ini", "password = H[T ; b", "password = M ; b"),
    ] {
        assert_eq!(left(path, text), expected, "{text}");
    }
}

/// Before, it ended at the semicolon of the sign.
#[test]
fn a_sign_of_xml_with_a_number_is_a_part_of_a_value() {
    for sign in ["&#39;", "&#x27;", "&#34;", "&#x22;", "&apos;"] {
        for text in [
            "<a b=\"server=c;Password=HST;d=e\"/>",
            "<a b=\"server=c;Password=HST\"/>",
            "<a b=\"/c?d=e&amp;password=HST&amp;f=g\"/>",
            "<password>HST</password>",
        ] {
            assert_eq!(left("a.xml", &text.replace('S', sign)), text.replace("HST", "M"));
        }
    }
}

/// Before, it ended at the backslash, and a user's at any quote.
#[test]
fn a_word_of_a_shell_goes_on_behind_its_escapes_and_the_other_quotes() {
    for (text, expected) in [
        ("A_PASSWORD=H\\|T make", "A_PASSWORD='M' make"),
        ("docker -e A_PASSWORD=H\\&T b", "docker -e A_PASSWORD='M' b"),
        ("x --password=H\\[T --b", "x --password='M' --b"),
        ("x --password H\\(T --b", "x --password 'M' --b"),
        ("mysql -u a -pH\\;T b", "mysql -u a -p'M' b"),
        ("sshpass -p \"HT$a_b\" ssh b", "sshpass -p \"M$a_b\" ssh b"),
        ("sshpass -p \"HT${a}\" ssh b", "sshpass -p \"M${a}\" ssh b"),
        // Before, what follows the `$` stayed.
        ("sshpass -p \"H$A-T\" ssh b", "sshpass -p \"M\" ssh b"),
        ("sshpass -p H$T ssh b", "sshpass -p 'M' ssh b"),
        ("mysql -u a -p\"HT$b8Cd\" b", "mysql -u a -p\"M\" b"),
        ("sshpass -p H\\\"T ssh b", "sshpass -p 'M' ssh b"),
        ("curl -u a:H\\{T https://b", "curl -u a:'M' https://b"),
        ("curl -u 'a:H\"T' https://b", "curl -u 'a:M' https://b"),
        ("curl -u 'a:H\\T' https://b", "curl -u 'a:M' https://b"),
        ("curl -u \"a:H'T\" https://b", "curl -u \"a:M\" https://b"),
        ("curl -u \"a:H(T\" https://b", "curl -u \"a:M\" https://b"),
        ("curl -u a:'H`T' https://b", "curl -u a:'M' https://b"),
    ] {
        assert_eq!(left("a.sh", text), expected, "{text}");
    }
}

/// Before, this was so on one line behind `login u` only.
#[test]
fn the_password_of_a_login_goes_to_the_next_blank() {
    for text in [
        "machine h\n  login u\n  password HST\n",
        "machine h\nlogin u\naccount a\npassword HST\nmachine g\n",
        "machine h login u account a password HST\n",
        "machine h password HST login u\n",
        "machine h\n\tpassword HST\n\tlogin u\n",
    ] {
        for sign in ["&", "|", ";", "<", "\"", ")"] {
            assert_eq!(
                left("", &text.replace('S', sign)),
                text.replace("HST", "M"),
                "{sign}{text}"
            );
        }
    }
}

/// Before, a part of it stayed that a sign divides from what looks like a token.
#[test]
fn a_password_under_the_name_of_a_key_goes_whole() {
    let (one, two) = (["q7RkLvz", "PwX4m"].concat(), ["2VbT3k", "Jx9Z"].concat());
    for (text, expected) in [
        (format!("{{\"apiKey\": \"{one}{two}<inx\"}}"), "{\"apiKey\": \"<REDACTED:api_key:1>\"}"),
        (format!("api_key = 'HzC>{one}{two}'"), "api_key = '<REDACTED:api_key:1>'"),
        (
            format!("\"host=db user=u password={one};{two} dbname=q\""),
            "\"host=db user=u password=<REDACTED:generic_secret:1> dbname=q\"",
        ),
    ] {
        assert_eq!(redacted(&text).text, expected);
    }
}

/// Before, the hash stayed behind the user's name, and the token's last part behind its backslash.
#[test]
fn a_ticket_goes_with_the_name_of_its_user_and_a_token_with_its_escaped_sign() {
    let hex = |len: usize| "8f3a9c1d7e5b2a60".repeat(len / 16);
    let hash = [&hex(32), "$", &hex(96)].concat();
    let token = ["ATAT", "T3xFfGF0", &"k3Jd9fQx7LmZ".repeat(10)].concat();
    for (text, expected) in [
        (format!("$krb5asrep$23$bob@CORP.IO:{hash} b"), "<REDACTED:generic_secret:1> b"),
        (format!("$krb5tgs$23$*bob$CORP.IO$a/bob*${hash} b"), "<REDACTED:generic_secret:1> b"),
        (format!("a={token}\\=C028D9B3 b"), "a=<REDACTED:api_key:1> b"),
    ] {
        assert_eq!(redacted(&text).text, expected);
    }
}

#[test]
fn a_field_ends_where_the_text_shows_it() {
    for (path, text, expected) in [
        ("", "<p>password=H</p>", "<p>password=M</p>"),
        (
            "",
            "f(\"Server=a;Password=H\" + b + \";c=d\")",
            "f(\"Server=a;Password=M\" + b + \";c=d\")",
        ),
        ("", "<a>Server=b;Id=c;Password=H</a>", "<a>Server=b;Id=c;Password=M</a>"),
        ("", "<p>machine a.io login b password H</p>", "<p>machine a.io login b password M</p>"),
        ("", "see [it](https://a.io/b?pass=H).", "see [it](https://a.io/b?pass=M)."),
        ("", "see <https://a.io/b?pass=H>", "see <https://a.io/b?pass=M>"),
        ("", "<p>https://a.io/b?pass=H<br>c</p>", "<p>https://a.io/b?pass=M<br>c</p>"),
        ("", "href='?pass=H&amp;c=1'", "href='?pass=M&amp;c=1'"),
        ("", "\"GET /b?pass=H\\n\"", "\"GET /b?pass=M\\n\""),
        ("a.py", "f(\"password=H\" + b)", "f(\"password=M\" + b)"),
        ("a.py", "f(\"password=H b\")", "f(\"password=M b\")"),
        ("a.py", "f(password=H)  # b", "f(password=\"M\")  # b"),
        ("", "f(`https://a.io/b?pass=H`, `T`)", "f(`https://a.io/b?pass=M`, `T`)"),
        ("", "\\\"https://a.io/b?pass=H\\\"", "\\\"https://a.io/b?pass=M\\\""),
        ("", "https://a.io/b?pass=H\\\"", "https://a.io/b?pass=M\\\""),
        ("a.env", "A=\"-Dpassword=H -Db=1\"", "A=\"-Dpassword=M -Db=1\""),
        ("a.ini", "a=1;password=H;c=2", "a=1;password=M;c=2"),
        ("a.ini", "password = \"H\";", "password = \"M\";"),
        ("a.ini", "password = HT;", "password = M;"),
        (".env", "A_PASSWORD=HT;", "A_PASSWORD=M"),
        (".env", "A_PASSWORD=HT,,", "A_PASSWORD=M"),
        (".env", "A_PASSWORD='HT';", "A_PASSWORD='M';"),
        ("a.yml", "{a: b,\n  password: HT}", "{a: b,\n  password: M}"),
        ("a.yml", "{a: b,\n  password: HT,\n  c: d}", "{a: b,\n  password: M,\n  c: d}"),
        ("a.yml", "# {\npassword: H}T", "# {\npassword: M"),
        // Before, these opened brackets around the value.
        ("a.yml", "a:\n  b: \"[0,1)\"\n  password: H,kXwq", "a:\n  b: \"[0,1)\"\n  password: M"),
        ("a.yml", "a:\n  # see [b\n  password: H,kXwq", "a:\n  # see [b\n  password: M"),
        ("a.yml", "a:\n  b: x [y\n  password: H,kXwq", "a:\n  b: x [y\n  password: M"),
        ("a.yml", "a:\n  b: \"^ {3\"\n  password: H,kXwq", "a:\n  b: \"^ {3\"\n  password: M"),
        (
            "a.yml",
            "a:\n  b: |\n    [[ -z c ]; then\n  password: H,kXwq",
            "a:\n  b: |\n    [[ -z c ]; then\n  password: M",
        ),
        (
            "a.yaml",
            "a: |\n  password: \"H\",\n  user: \"main\"",
            "a: |\n  password: \"M\",\n  user: \"main\"",
        ),
        ("a.yml", "a: {password: H, b: 1}", "a: {password: M, b: 1}"),
        ("a.sh", "PASSWORD=H;make", "PASSWORD='M';make"),
        ("a.sh", "PASSWORD=H\"$T\"", "PASSWORD='M'\"$T\""),
    ] {
        assert_eq!(left(path, text), expected, "{text}");
    }
}

#[test]
fn a_password_of_an_address_goes_up_to_its_last_at() {
    for sign in ["`", "{", "}", "<", ">", "\"", "'", "@\""] {
        for text in
            ["u://a:HST@b.corp.io/c", "A=u://a:HST@b.corp.io:1/c", "don't u://a:HST@b.corp.io"]
        {
            let expected = text.replace("HST", "M");
            assert_eq!(
                left("", &text.replace('S', sign).replace("u:", "postgres:")),
                expected.replace("u:", "postgres:")
            );
        }
    }
    for (text, expected) in [
        ("\"u://a:H\\\"T@b.corp.io\"", "\"u://a:M@b.corp.io\""),
        ("'u://a:H\"T@b.corp.io' a@b", "'u://a:M@b.corp.io' a@b"),
    ] {
        assert_eq!(left("", &text.replace("u:", "postgres:")), expected.replace("u:", "postgres:"));
    }
}

#[test]
fn a_mailbox_behind_an_address_is_no_password_of_it() {
    for (before, after) in [
        ("{\"url\":\"https://h.io:8080\",\"mail\":\"", "\"}"),
        ("see https://h.io:8080\",\"mail\":\"", "\""),
        ("<a href=https://h.io:80>", "</a>"),
        ("\"https://h:ab\",\"", "\""),
        ("https://h:${A}", "/b"),
    ] {
        let redaction = redacted(&[before, "ann.lee@corp.io", after].concat());
        let mark = if before.starts_with('<') { "[REDACTED:pii:1]" } else { "<REDACTED:pii:1>" };
        assert_eq!(redaction.text, [before, mark, after].concat());
    }
}

/// Before, these names counted as variables of a shell, and the braces as places.
#[test]
fn what_a_place_falls_back_to_and_what_a_name_with_a_dollar_says_are_values() {
    for (path, text) in [
        ("", "a.password=${DB_PASSWORD:HT}"),
        ("a.yml", "password: ${DB_PASSWORD:HT}"),
        ("a.yml", "password: \"${DB_PASSWORD:HT}\""),
        ("a.ini", "p=${DB_PASSWORD:HT}"),
        ("a.java", "@Value(\"${DB_PASSWORD:HT}\")"),
        ("a.xml", "<a name=\"b\" value=\"${DB_PASSWORD:HT}\"/>"),
        ("", "f \"${DB_PASSWORD:-HT}\""),
        ("a.json", "{\"$password\": \"HT\"}"),
        ("a.js", "a = {$password: \"HT\"};"),
        ("", "$password: \"HT\";"),
        ("a.yml", "$password: HT"),
        ("a.php", "<?php f([\"$db_password: HT\"]);"),
        ("", "a \"$USER:$PASSWORD:HT\""),
        ("a.sh", "A_PASSWORD=$'H{a}T'"),
        ("a.sh", "A_PASSWORD=$\"H{a}T\""),
    ] {
        let expected = text.replace("HT", "M").replace("H{a}T", "M");
        assert_eq!(left(path, text), expected, "{text}");
    }
}

/// Before, the places went with the secret.
#[test]
fn what_fills_a_literal_stays() {
    let key = ["m1+kGtwy", "gcy2SZ^41e"].concat();
    let mark = Regex::new(r"<REDACTED:(?:api_key|generic_secret):\d>").unwrap();
    for text in [
        "token = f\"{prefix}-@\"\n",
        "client_secret = f\"@_{cfg['a1']}\"\n",
        "auth_token = f\"{a}_{user}+@\"\n",
        "var token = $\"{env}-@\";\n",
        "token = \"{$env}-@\";\n",
        "val token = \"$env-@\"\n",
        "token: \"[[env]]-@\"\n",
        "token = \"<env>-@\"\n",
        "token = \"{env}-@\".format(env=env)\n",
        "token = \"%(env)s-@\" % d\n",
        "client_secret = f\"@-{a}\"\n",
        "password = f\"{a!r:>10}@\"\n",
        "Password = $\"{a}.@\";\n",
    ] {
        let left = redacted(&text.replace('@', &key)).text;
        assert_eq!(mark.replace_all(&left, "@"), text);
    }
    // Before, of two halves none went, and of two passwords the first.
    for (text, one, two) in [
        ("password = f\"@{a}@\"\n", "x7Kq", "m2Wv9d"),
        ("secret = f\"@-{a}-@\"\n", "x7Kq4z", "m2Wv"),
        ("api_key = \"@-{a}-@\"\n", "4jfze1v6so2XOS", "Tztpv8qDF4EO"),
        ("secret = f\"{a}@{b}@{c}\"\n", "4jfze1v6so2XOS", "Tztpv8qDF4EO"),
        ("$password = \"@{$a}@\";\n", "4jfze1v6so2XOS", "Tztpv8qDF4EO"),
    ] {
        let left = redacted(&text.replacen('@', one, 1).replacen('@', two, 1)).text;
        assert_eq!(mark.replace_all(&left, "@"), text);
    }
    let key = ["{\"apiKey\": \"Prtvqhl7", "N57g$bj\"}\n"].concat();
    assert_eq!(redacted(&key).text, "{\"apiKey\": \"<REDACTED:api_key:1>\"}\n");
}

#[test]
fn a_value_may_be_aligned_with_those_of_other_lines() {
    let password = ["kQ7vT2mX", "9bLw"].concat();
    for blanks in [1, 8, 9, 12, 40].map(|len| " ".repeat(len)) {
        for text in ["password@= \"$\"\n", "db_password@= '$'\n", "password:@\"$\"\n"] {
            let text = text.replace('@', &blanks);
            let after = redacted(&text.replace('$', &password)).text;
            assert_eq!(after, text.replace('$', "<REDACTED:generic_secret:1>"));
        }
    }
}

/// Before, the sign that ends the statement went with a password below a user.
#[test]
fn a_statement_below_a_user_keeps_its_end() {
    let text = "login {\n  user admin;\n  password HT;\n}\n";
    assert_eq!(left("", text), text.replace("HT", "[M]").replace("[M]", "M"));
}

/// Before, the backslash before the quote went with the value, and the quote ended the literal.
#[test]
fn a_value_of_a_query_ends_before_an_escaped_quote() {
    let value = "J38YmIgn7dH6cw4W1yqoRgjsFsWvysFjfVcpCh7O9Yyv9_qNvNI";
    let text = format!("k = \"\\\"https://a.io/x?b=1&X-Amz-Key={value}\\\"\";\nb = 2;\n");
    let told = redacted(&text).text;
    assert_eq!(told, text.replace(value, "<REDACTED:api_key:1>"));
}

/// Before, the settings behind a comma went with the password.
#[test]
fn the_next_setting_of_a_word_of_a_shell_stays() {
    let wish = Wish { language: Some(Language::Shell), ..Wish::default() };
    for value in [["Summer", "2024!"].concat(), ["q7Rk9", "zPw2mX4b"].concat()] {
        let text = format!("helm up --set auth.password={value},auth.user=bob x\n");
        let redaction = redact(&text, &Policy::default(), &wish).unwrap();
        assert_eq!(redaction.text, text.replace(&value, "'<REDACTED:generic_secret:1>'"));
    }
}
