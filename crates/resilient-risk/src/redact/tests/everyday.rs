//! Everyday places of passwords that `campaigns/redact/compare` has shown to be missed.

use super::fields::left;
use super::*;

/// Before, each of them stayed.
#[test]
fn passwords_of_everyday_places_go() {
    for (path, text, expected) in [
        (
            "a.py",
            "P = os.getenv(\"DB_PASSWORD\") or \"HT\"\n",
            "P = os.getenv(\"DB_PASSWORD\") or \"M\"\n",
        ),
        ("a.py", "p = env['PASSWORD'] or 'HT'\n", "p = env['PASSWORD'] or 'M'\n"),
        ("", "The password is `HT`.\n", "The password is `M`.\n"),
        ("", "the root password is \"HT\"\n", "the root password is \"M\"\n"),
        (
            "a.py",
            "run([\"mysql\", \"-u\", \"root\", \"-pHT\"])\n",
            "run([\"mysql\", \"-u\", \"root\", \"-pM\"])\n",
        ),
        ("a.sh", "docker login -u bob -p HT reg.io\n", "docker login -u bob -p 'M' reg.io\n"),
        ("a.sh", "redis-cli -h a -a 'HT' ping\n", "redis-cli -h a -a 'M' ping\n"),
        (
            "",
            "variable \"db_password\" { default = \"HT\" }\n",
            "variable \"db_password\" { default = \"M\" }\n",
        ),
        (
            "",
            "variable \"password\" {\n  type    = string\n  default = \"HT\"\n}\n",
            "variable \"password\" {\n  type    = string\n  default = \"M\"\n}\n",
        ),
        ("", "| DB_PASSWORD | HT | rotate |\n", "| DB_PASSWORD | M | rotate |\n"),
        (
            "",
            "| a | b |\n|---|---|\n| `DB_PASSWORD` | `HT` |\n",
            "| a | b |\n|---|---|\n| `DB_PASSWORD` | `M` |\n",
        ),
        ("a.js", "const password = `HT-${env}-TH`;\n", "const password = `M-${env}-M`;\n"),
    ] {
        let left = left(path, text).replace("<REDACTED:generic_secret:2>", "M");
        assert_eq!(left, expected, "{text}");
    }
}

/// A row is looked at as far as it is near.
#[test]
fn a_cell_goes_whole_or_not_at_all() {
    for blanks in 150..230 {
        let text = format!("| DB_PASSWORD | {}HT | rotate |\n", " ".repeat(blanks));
        let left = left("", &text);
        assert!(left == text || left == text.replace("HT", "M"), "{left}");
    }
}

/// Before, an address whose host is put into it kept its password.
#[test]
fn a_host_may_be_a_place() {
    for host in ["{}", "{}:5432", "{host}", "${HOST}", "{cfg.host}", "<host>", "{host}.internal"] {
        let text = format!("url = \"postgres://bob:HT@{host}:5432/db\"\n");
        assert_eq!(left("a.py", &text), text.replace("HT", "M"), "{text}");
    }
    let text = "U=\"postgres://app:HT@\"$HOST\":5432/shop\"\n";
    assert_eq!(left("a.sh", text), text.replace("HT", "M"));
    let text = "u = \"postgres://app:HT@\" + host\n";
    assert_eq!(left("a.py", text), text.replace("HT", "M"));
}

/// Before, the tokens of such a column stayed if their format is not known.
#[test]
fn a_column_of_tokens_goes() {
    let digits = "8b0e7153bf7c3706d85c524e4400665a9f03c1d2";
    for (head, row) in
        [("name,token", "a,@"), ("id,user,api_token", "1,bob,@"), ("user;secret", "bob;\"@\"")]
    {
        let text = format!("{head}\n{row}\n").replace('@', digits);
        assert_eq!(redacted(&text).text.replace("<REDACTED:generic_secret:1>", digits), text);
        assert!(!redacted(&text).text.contains(digits), "{text}");
    }
}

/// Before, a word with a number and a sign was a name behind a blank, and words with a dash were one in a file of settings.
#[test]
fn a_password_that_people_choose_goes() {
    for (name, line) in [
        ("a.yaml", "db:\n  password: HT\n  user: a\n"),
        ("a.ini", "password = HT\r\n"),
        (".env", "PASSWORD=HT\n"),
        ("", "password: HT"),
        ("a.php", "<?php define('DB_PASSWORD', 'HT');\n"),
        ("a.py", "x = env('DB_PASSWORD', 'HT')\n"),
    ] {
        for password in ["Summer2024!", "Welcome1!", "Dragon87#"] {
            let told = left(name, &line.replace("HT", password));
            assert!(!told.contains(password), "{told}");
        }
    }
    assert_eq!(
        redacted("DB_PASSWORD=Castle-banana42\n").text,
        "DB_PASSWORD=<REDACTED:generic_secret:1>\n"
    );
    for text in [
        "password: Optional1Type\n",
        "  password: Summer2024! is not good\n",
        "if password == Value2 {\n",
        "password = UserPassword2\n",
    ] {
        assert_eq!(redacted(text).text, text);
    }
}

/// Before, such a key was code without quotes, and went in part or not at all.
#[test]
fn a_key_with_many_signs_goes_whole() {
    let key = ["k7&$ct!t@^-7$&i%^7", "-o)x^w8$k(2&v3m*q"].concat();
    for (name, line) in [
        (".env", "SECRET_KEY=HT\n"),
        ("a.env", "API_KEY=HT\r\nA=1\r\n"),
        ("a.py", "api_key = \"HT\"\n"),
    ] {
        let told = left(name, &line.replace("HT", &key));
        assert!(!told.contains("k7") && !told.contains("v3m") && !told.contains("ct!t"), "{told}");
    }
    for text in
        ["SECRET_KEY=$(openssl rand -hex 32)\n", "api_key = \"${A1}-${B2}/${C3}:{d4}:[e5]\"\n"]
    {
        assert_eq!(redacted(text).text, text);
    }
}

/// Before, cookies stayed, also those that a browser copies into a command.
#[test]
fn cookies_of_a_session_go() {
    let (one, two) = ("XykWZeiNNCiiia3anXn9k3ksu9mI4ROnl", "89Sm995ytbxAk7jqevt0MLaMRTvetw0t");
    for (text, expected) in [
        (
            "Cookie: theme=dark; sessionid=@; csrftoken=2\n",
            "Cookie: theme=dark; sessionid=M; csrftoken=N\n",
        ),
        (
            "Set-Cookie: session=@; Path=/; HttpOnly\r\n",
            "Set-Cookie: session=M; Path=/; HttpOnly\r\n",
        ),
        (
            "curl -b 'session=@; _ga=GA1.2.1834758210.1612345678' https://a.b\n",
            "curl -b 'session=M; _ga=GA1.2.1834758210.1612345678' https://a.b\n",
        ),
        ("curl --cookie \"s=@\" a.b\n", "curl --cookie \"s=M\" a.b\n"),
        (
            "h = {\"Cookie\": \"sid=@\", \"Accept\": \"a\"}\n",
            "h = {\"Cookie\": \"sid=M\", \"Accept\": \"a\"}\n",
        ),
        (
            "{\"name\": \"cookie\", \"value\": \"sid=@; lang=de\"}",
            "{\"name\": \"cookie\", \"value\": \"sid=M; lang=de\"}",
        ),
        (
            "get(u, cookies={'sessionid': '@', 'lang': 'de'})\n",
            "get(u, cookies={'sessionid': 'M', 'lang': 'de'})\n",
        ),
    ] {
        let told = redacted(&text.replace('@', one).replace("=2\n", &format!("={two}\n"))).text;
        let told = told.replace("<REDACTED:api_key:1>", "M").replace("<REDACTED:api_key:2>", "N");
        assert_eq!(told, expected, "{text}");
    }
    for text in [
        "Cookie: theme=dark; lang=de-DE; consent=accepted-all-2024\n",
        "Cookie: OptanonConsent=isGpcEnabled0AndDatestamp2024\n",
        "cookie_name = \"sessionid_for_application_2\"\n",
        "response.set_cookie(\"sessionid\", value=token_value_2)\n",
        "Cookie: session=YOUR_SESSION_ID_HERE_1234\n",
    ] {
        assert_eq!(redacted(text).text, text);
    }
}

/// Before, a list ended at the first cookie that is not plain, and a map at the first end of an object.
#[test]
fn cookies_behind_others_go() {
    const ONE: &str = "XykWZeiNNCiiia3anXn9k3ksu9mI4ROnl";
    let pairs = [
        "c={stamp:1}",
        "x=\"a b\"",
        "p={\"a\":1}",
        "a=(1)",
        "a=${A}",
        "a=b c",
        "seen",
        "a[1]=2",
        "a=",
        "ä=1",
        "sessionid=<REDACTED:api_key:1>",
    ];
    let long = format!("a={}", "xy".repeat(3000));
    for first in pairs.into_iter().chain([long.as_str()]) {
        let text = format!("Cookie: {first}; sid={ONE}; lang=en\n");
        let told = redacted(&text).text;
        let mark = if first.contains("REDACTED") { 2 } else { 1 };
        let expected = format!("Cookie: {first}; sid=<REDACTED:api_key:{mark}>; lang=en\n");
        assert_eq!(told, expected);
    }
    for text in [
        "{\"cookies\":[{\"name\":\"theme\",\"value\":\"dark\",\"expires\":-1},{\"name\":\"sid\",\"value\":\"@\"}]}",
        "page.setCookie({name: \"a\", value: \"b\"}, {name: 'sid', value: '@'});\n",
        "{\"set-cookie\":[\"a=b; Path=/\",\"sid=@; Path=/\"]}",
        "cookies = {\n    \"theme\": \"dark\",  # it's\n    \"sid\": \"@\",\n}\n",
        "cookies = dict(theme=\"dark\", sid=\"@\")\n",
        "cookies:\n  theme: dark\n  sid: @\nother: x\n",
        "cookies:\n- name: sid\n  value: @\n",
        "# Netscape HTTP Cookie File\n\n#HttpOnly_.a.com\tTRUE\t/\tTRUE\t0\tsid\t@\n",
        "s.cookies.set('sid', '@', domain='x')\n",
        "cy.setCookie('sid', '@')\n",
        "curl --cookie sid=@ https://x\n",
        "\"{\\\"Cookie\\\": \\\"a=b; sid=@\\\"}\"\n",
        "Cookie: sid=\"@\"\n",
    ] {
        for value in
            [ONE, "hox3ntorue2yykjgdqwjk4rxvueej9lo", "s%3AhoX3ntorUe2yykjgdqwj.k4rxvueej9loQ7tR2w"]
        {
            let told = redacted(&text.replace('@', value)).text;
            assert_eq!(told, text.replace('@', "<REDACTED:api_key:1>"), "{text}");
        }
    }
    for text in [
        "Cookie: color_mode=%7B%22color_mode%22%3A%22auto%22%2C%22light_theme%22%3A%7B%22name%22%3A%22light%22%7D%7D\n",
        "Cookie: last_visited=%2Fdocs%2Fgetting-started%2FQuickStart2\n",
        "Cookie: device_id=3f2b1c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d\n",
        "Cookie: build=v2.14.0-rc.3+build.20240512.a1b2c3d4\n",
        "Cookie: release=3f2b1c4d5e6f4a7b8c9d0e1f2a3b4c5d6e7f8091\n",
        "Cookie: flags=newCheckout2=1&darkModeV3=0&fooBarBaz4=1\n",
        "Cookie: session_theme=dark_blue_2024_version\n",
    ] {
        assert_eq!(redacted(text).text, text);
    }
}

/// Before, a password without a digit or a sign was a word.
#[test]
fn a_password_of_letters_of_both_cases_goes() {
    for password in ["KlBmuMgPYSvUed", "qXvRzkTWpd", "hJtYxQwMzNbKfDsG"] {
        for (name, line) in [
            (".env", "DB_PASSWORD=HT\n"),
            ("a.py", "password = \"HT\"\n"),
            ("a.yaml", "password: HT\n"),
            ("a.json", "{\"password\": \"HT\"}"),
        ] {
            let told = left(name, &line.replace("HT", password));
            assert!(!told.contains(password), "{told}");
        }
    }
    let key = ["KlBmuMgPYSvUed", "QXvRzkTWpdGh"].concat();
    assert!(!redacted(&format!("client_secret = \"{key}\"\n")).text.contains(&key));
    for name in [
        "msSqlSaPwd",
        "VpcSubnetIds",
        "ErrWrongPwd",
        "RheinMainGmbH",
        "PyTypeObject",
        "phpMyAdminPwd",
    ] {
        let text = format!("password: \"{name}\"\nconnect(password={name}, b=1)\n");
        assert_eq!(redacted(&text).text, text);
    }
    for name in ["getPasswordById", "MyDatabasePassword", "DefaultTestUser", "XMLHttpRequest"] {
        let text = format!("DB_PASSWORD={name}\npassword: \"{name}\"\napi_key = \"{name}\"\n");
        assert_eq!(redacted(&text).text, text);
    }
}

/// Before, a row with an empty last cell, a cell too few or too many, or a quoted line end was the last.
#[test]
fn a_table_goes_on_behind_a_row_of_another_form() {
    for rows in [
        "id\tname\tpassword\tnote\n1\tann\tHT\t\n2\tbob\tHU\t\n",
        "password\tname\nHT\t\nHU\tbob\n",
        "note\tpassword\tname\r\n\tHT\tbob\r\n\tHU\tann\r\n",
        "id,password,note\n1,HT\n2,HU,a\n",
        "id,password,note\n1,HT,a, b\n2,HU,a\n",
        "name,password\nann, jr,HT\nbob,HU\n",
        "user,password,commit\nbob,HT,aB3dE5fG7hI9,\neve,HU,a,b\n",
        "user,password,commit,note\nbob,HT,aB3dE5fG7hI9,a, b\neve,HU,cD4eF6gH8iJ0,c\n",
        "id,screen,password\n1,27\",HT\n2,5'11\",HU\n",
        "name|password|role\na|HT|b\nc|HU|d\n",
        " id | name | password \n----+------+----------\n  1 | bob  | HT\n  2 | eve  | HU\n(2 rows)\n",
        "+----+----------+\n| id | password |\n+----+----------+\n|  1 | HT |\n|  2 | HU |\n+----+----------+\n",
        "INSERT INTO users (id, name, password) VALUES\n  (1, 'o''b', 'HT'),\n  (2, 'a)', 'HU');\n",
        "INSERT INTO u (id, password, at) VALUES (1,'HT',now()), -- a, (b\n  (2, N'HU'::varchar, 'O\\'B');\n",
        "INSERT INTO u (id, password) VALUES (1, crypt('HT', gen_salt('bf'))), (2, MD5('HU'));\n",
        "insert into keys (`owner`,`token`) values ('a','HT'),('b','HU');",
        "COPY public.users (id, name, password) FROM stdin;\n1\tbob\tHT\n2\t\\N\tHU\n\\.\n",
        "owner,api_key\na,HT\nb,HU\n",
        "id,note,password\n1,\"a\nb\",HT\n2,\"a, \"\"b\"\"\n\n\",HU\n",
    ] {
        assert_both_go(rows, ["aB3x9Kq2Lm7Z", "Xk29fQp1vB7z"]);
    }
    let told = redacted("id,password\n1,\"aB3x9Kq2Lm7Z\nXk29fQp1vB7z\"\n").text;
    assert_eq!(told, "id,password\n1,\"<REDACTED:generic_secret:1>\"\n");
}

/// Before, the full stop of the sentence went, too.
#[test]
fn a_sentence_keeps_its_full_stop() {
    assert_eq!(left("", "password: HT. See a\n"), "password: M. See a\n");
    assert_eq!(left("", "Log in with password: HT. Go on.\n"), "Log in with password: M. Go on.\n");
}

#[test]
fn what_everyday_places_hold_besides_stays() {
    for text in [
        "| DB_PASSWORD | getUserById2 | rotate |\n",
        "| PASSWORD_FILE | /run/secrets/db2 |\n",
        "| password | string | at least 8 |\n",
        "| the password of db1 | host2.internal |\n",
        "variable \"db_password\" {\n  type = string\n}\nvariable \"image\" {\n  default = \"aB3x9Kq2Lm7Z\"\n}\n",
        "variable \"db_password\" { description = \"aB3x9Kq2Lm7Z\" }\n",
        "name,token\na,word1\nb,getUserById2\n",
        "// user, password\nadd('bob', 'aB3x9Kq2Lm7Z');\n",
        "-- Accounts\n-- id, name, password\nCALL add(1, 'bob', 'aB3x9Kq2Lm7Z');\n",
        "user,password\nadd('bob', 'aB3x9Kq2Lm7Z');\n",
        "name,password\n\nhost,serial\nweb,SN9aX7kQ2v1B\n",
        "INSERT INTO u (name, password) VALUES (@name, @Pass1Hash2X), (:user, :passV1Word2)\n",
        "\"INSERT INTO u (id, password) VALUES (1, '\".$hash2Pw1X9a.\"')\"\n",
        "f(token, x)\n",
        "the password is at least 8 signs\n",
        "if password is \"string1\":\n",
        "x = env['PASSWORD'] or 'server1'\n",
        "docker login -u bob -p $PW1 reg.io\n",
        "redis-cli -a \"$REDIS_PASSWORD2\" ping\n",
        "run([\"mysql\", \"-p\", \"db1\", \"Table2\"])\n",
        "url = f\"postgres://bob:{password1}@{host}:5432/db\"\n",
        "const password = `${a}-${b}`;\n",
        // Before, each of these was a look-up, a name or a token.
        "assert form.errors[\"password\"] or \"E31730Code\" in s\n",
        "x = d[\"password\"] or \"Default2Value-api\"\n",
        "the passphrase is `BIP39-84861words`\n",
        "The password is `GitHub7177`\n",
        "service,secret\na,kv/data/api#v86798\n",
        // Before, these were redacted.
        "redis-cli ping; ls -a Dir11162x-1f7b1ac7\n",
        "redis-cli ping && grep -a K8s18812x-Qr log\n",
        "docker login reg.h; mkdir -p App2Data-1089c4cb\n",
        "docker login reg.h | tar -p Backup80590x-66407ba6 f\n",
        "user login -p Profile55204-getUserById\n",
        "run([\"mysql\", \"-h\", \"db\"]); run([\"x\", \"-port3632Ab\"])\n",
        "from lib import user, secret\nfrom lib import sha, sha44970Hmac_x\n",
        "variable \"password_policy\" { default = \"min12UPPERlower1\" }\n",
        "variable \"secret_name\" { default = \"prod/db-10663x\" }\n",
        "| PASSWORD | 0xDEADBEEF12 | x |\n",
    ] {
        assert_eq!(redacted(text).text, text);
    }
}

/// Before, the line below went with the password.
#[test]
fn what_stands_below_a_password_stays() {
    for below in [
        "https://h5787.internal/prod",
        "<https://h5787.internal>",
        "`staging90478`",
        "b72644.internal:17459",
        "B2B31327",
        "v1.2.3378",
        "JIRA-39822",
        "x25291=1",
        "return86357;",
        "}27933a",
        "Main2Config.java",
    ] {
        let text = format!("Password: HT\n  {below}\n");
        assert_eq!(left("", &text), text.replace("HT", "M"), "{text}");
    }
    let chart = "  password: HT\n    {{- if .Values.prod }}\n  other: 1\n    {{- end }}\n";
    assert_eq!(left("a.yaml", chart), chart.replace("HT", "M"));
    for quote in ["'", "`"] {
        let text = format!("password: {quote}HT\nThe users{quote} names are user1.\n");
        assert!(left("", &text).ends_with(&format!("\nThe users{quote} names are user1.\n")));
    }
    let text = "password: HT\n  TH # note\nb: 1\n";
    assert_eq!(left("a.yaml", text), "password: M # note\nb: 1\n");
}
