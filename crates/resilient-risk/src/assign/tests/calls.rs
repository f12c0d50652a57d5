//! Passwords that commands, calls, look-ups and addresses are given.

use super::super::super::keywords::AUTHORITY_REACH;
use super::found;

#[test]
fn the_default_of_a_look_up_is_found() {
    let value = ["k3JxP0w9", "qLmZv7Rt"].concat();
    for text in [
        format!("os.environ.get('SECRET_KEY', '{value}')"),
        format!("os.getenv(\"APP_SECRET\", default=\"{value}\")"),
        format!("ENV.fetch(\"API_TOKEN\", \"{value}\")"),
        format!("env('APP_KEY', '{value}')"),
        format!("System.getProperty(\"api.key\", \"{value}\")"),
    ] {
        let mut values: Vec<_> = found(&text).into_iter().map(|(_, value)| value).collect();
        // Both words of `SECRET_KEY` lead to it.
        values.dedup();
        assert_eq!(values, [value.as_str()], "{text}");
    }
    for text in [
        format!("os.environ.get('SECRET_NAME', '{value}')"),
        "os.environ.get('SECRET_KEY', 'devSecretName12')".to_owned(),
    ] {
        assert_eq!(found(&text), [], "{text}");
    }
}

#[test]
fn a_password_that_a_command_is_given_is_found() {
    let value = ["q7Rk", "9zPwX2"].concat();
    for text in [
        format!("mysql -u root -p{value} db"),
        format!("mysqldump -u root -p'{value}' db"),
        format!("sshpass -p {value} ssh host"),
        format!("sshpass -p '{value}' ssh host"),
        format!("run --password {value} --all"),
        format!("run --db-password \"{value}\""),
    ] {
        assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text}");
    }
    for text in [
        "mysql -u root -p db1 x",
        "mysql -p\ncat q7Rk9zPwX2",
        "run --password $P1",
        "sshpass -p file1",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

#[test]
fn a_user_and_password_of_a_command_end_where_its_literal_does() {
    let pair = ["developer:yqDV", "tkqPECriaLRi"].concat();
    for quote in ["`", "'", "\""] {
        for text in [
            format!("a = {quote}curl -d x -u {pair}{quote};\n"),
            format!("b = f({quote}curl -d x -u {pair}{quote}, 1)\n"),
        ] {
            assert_eq!(found(&text), [("command_line_user", pair.as_str())], "{text}");
        }
    }
}

#[test]
fn the_code_of_a_bank_is_found_behind_a_word_and_a_sign() {
    for text in [
        "BIC: DEUTDEFF",
        "bic=\"DEUTDEFF\";",
        "SWIFT/BIC : DEUTDEFF",
        "{\"bic_code\": \"DEUTDEFF\"}",
    ] {
        assert_eq!(found(text), [("bic", "DEUTDEFF")], "{text}");
    }
    assert_eq!(found("BIC: BNPAFRPPXXX\n"), [("bic", "BNPAFRPPXXX")]);
    for text in [
        "cubic: DEUTDEFF",
        "BIC DEUTDEFF",
        "BIC: DEUTZZFF",
        "BIC: DEUTDEFFX",
        "BIC: Deutdeff",
        "BIC: DEUTDEFF_A",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

#[test]
fn credentials_in_addresses_are_found() {
    let password = ["s3cr", "etP4ss"].concat();
    let url = format!("amqps://me:{password}@bunny.cloudamqp.com");
    assert_eq!(found(&format!("x = '{url}/v'")), [("url_credentials", url.as_str())]);
    // Before, one of letters alone was none on a host that may not exist. A word is none.
    let letters = ["nQsPTUkv", "rhscbqwu"].concat();
    let url = format!("postgres://bob:{letters}@db");
    assert_eq!(found(&url), [("url_credentials", url.as_str())]);
    for word in ["correcthorsebattery", "MYSQLPASSWORD", "rabbitmqpw", "zolnierzyk", "Nebukadnezar"]
    {
        assert_eq!(found(&format!("postgres://bob:{word}@db")), []);
    }
    // A host that goes on and on is cut, but none of its characters.
    for before in ["", "a"] {
        let url = format!("amqps://me:{password}@{before}{}", "ü".repeat(AUTHORITY_REACH));
        let found = found(&url);
        assert!(matches!(found.as_slice(), [("url_credentials", cut)] if cut.len() > 300));
    }
    // Before, a password with a quote, a bracket or a backslash was none.
    for sign in ["(", ")", ",", ";", "\\", "`", "\"", "{", "}", "<", ">", "[", "]", "?", "@"] {
        for host in ["db.x.io", "db", "db:5432", "[::1]"] {
            let url = format!("postgres://me:{}{sign}{}@{host}", "s3cr", "etP4ss");
            for text in [format!("x = '{url}/v'"), format!("X={url}\n"), format!("don't {url} y")] {
                assert_eq!(found(&text), [("url_credentials", url.as_str())], "{text}");
            }
        }
    }
    for begin in ["3;", "80)", "5432,"] {
        let url = format!("postgres://bob:{begin}{password}~(E@db.corp.io");
        assert_eq!(found(&url), [("url_credentials", url.as_str())]);
    }
    let url = format!("https://me@x.io:{password}@bunny.cloudamqp.com");
    assert_eq!(found(&url), [("url_credentials", url.as_str())]);
    let link = "see (http://h:8080),user1@x.io";
    assert_eq!(found(link), []);
    // Before, the port of a host without a dot and what stands behind it were a password.
    for text in [
        "http://localhost:3000?x=@y",
        "http://localhost:8080#@y",
        "amqp://rabbit:5672?heartbeat=30&x=@y",
        "udp://tracker:6969&tr=@y",
        "jdbc:sqlserver://sql:1433;database=mydb;user=@y",
        "sip://gw:5060;lr;tag=@y",
        "kafka://b84:9092,b45:9092;id=@y",
        "docker://reg:5000,commit=@y",
        "[x](http://localhost:3000)[@y]",
        "<http://localhost:3000>@y",
        "http://localhost:3000\\n@y",
    ] {
        assert_eq!(found(&text.replace('@', &format!("{password}@"))), [], "{text}");
    }
    for url in [
        "http://user:pass@host/",
        "http://a.b/c@d",
        "docker://reg:5000,img@sha256:0c95",
        "https://x:${PW}@h",
        "https://x:{pw1}_Ab@h",
        "{\"url\":\"https://h:s3crX\",\"mail\":\"a@b.io\"}",
        "f('https://h:' + s3crX, 'a@b.io')",
        "{\\\"url\\\":\\\"https://h:s3crX\\\",\\\"mail\\\":\\\"a@b.io\\\"}",
    ] {
        assert_eq!(found(url), [], "{url}");
    }
}

#[test]
fn a_password_that_a_call_is_given_is_found() {
    let value = ["q7Rk", "9zPw!X2m"].concat();
    for text in [
        format!("source.setPassword(\"{value}\");"),
        format!("  .username(\"x\")\n  .password(\"{value}\")"),
        format!("$pdo = new PDO($dsn, 'root', '{value}');"),
        format!("mysqli_connect(\"db\", \"root\", \"{value}\", \"q\");"),
        format!("getConnection(url,\n  \"sa\",\n  \"{value}\");"),
        format!("get(url, auth=(\"admin\", \"{value}\"))"),
        format!("HTTPBasicAuth('admin', '{value}')"),
        format!("new NetworkCredential(user, \"{value}\", \"corp\")"),
        format!("db_password: str = Field(default=\"{value}\")"),
        format!("password = SecretStr(\"{value}\")"),
    ] {
        assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text}");
    }
    for text in [
        "new PDO($dsn, $user, getenv('DB_PASS1'))",
        "createConnection(\"tcp\", \"127.0.0.1:8080\")",
        "openConnection(\"GET\", \"/api/v1/Users\")",
        "auth=(\"user\", \"pass1word\")",
        "getPassword(\"vault/db/Prod1\")",
        "password = Field(default=\"hello World1\")",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

/// Before, what follows a sign that ends a word of a shell was a part of the password.
#[test]
fn commands_variables_tags_and_prose_are_no_part_of_a_password() {
    let password = ["q7Rk9z", "PwX2mT4"].concat();
    for tail in ["&&./deploy70.sh", ";./x2y;./z1", "&x86_64-run", ">out6", "|md5sum", ";ls2;x1"] {
        let text = format!("DB_PASSWORD={password}{tail}\n");
        assert_eq!(found(&text), [("assigned_password", password.as_str())], "{text}");
    }
    for tag in ["!!str ", "&db_pw ", ""] {
        let tagged = format!("password: {tag}{password}\n");
        assert_eq!(found(&tagged), [("assigned_password", password.as_str())], "{tagged}");
    }
    let signed = format!("password: !{password}\n");
    assert_eq!(found(&signed), [("assigned_password", signed[10..].trim_end())]);
    let bracket = format!("machine h login bob password ({password}\n");
    assert_eq!(found(&bracket), [("assigned_password", bracket[29..].trim_end())]);
    for text in [
        "DB_PASSWORD=$USER6$HOST2\n",
        "DB_PASSWORD=\"$A_B7:$C_D\"\n",
        "mqtt:\n  password: !secret mqtt_pw47\n",
        "password: !Ref DbPw7Param\n",
        "password: *client42Pw\n",
        "{password: *client42Pw, x: 1}\n",
        "<password><![CDATA[Choose a password with 8+ characters!]]></password>\n",
        "url = \"/login?password=\"+main34+\"&x=1\"\n",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

#[test]
fn a_password_may_have_any_sign_and_a_shell_may_join_its_parts() {
    for value in [
        "k3JxP0\\nw9qLmZ",
        "Tz3FSJ€b2w7v9ZX",
        "Rocket§1873?",
        "TzB3zA::PiIFG79f",
        "q7Rk9->zPw2mX4b",
    ] {
        for text in [format!("DB_PASSWORD='{value}'\n"), format!("password: '{value}'\n")] {
            assert_eq!(found(&text), [("assigned_password", value)], "{text}");
        }
    }
    for (one, two) in [("KqoFGj", "QXpNj7tw"), ("f7z5a$HfRMg", "vi")] {
        for joint in ["'\\''", "'\"'\"'"] {
            let value = [one, two].join(joint);
            for text in
                [format!("export DB_PASSWORD='{value}'\n"), format!("mysql -p'{value}' app\n")]
            {
                assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text}");
            }
        }
    }
    for text in ["password=k3JxP0w9\\rqLm4Zv7\n", "DEBUG password=k3JxP0w9\\nqLm4Zv7 ok\n"] {
        let value = text.split(['=', ' ', '\n']).find(|part| part.starts_with("k3J"));
        assert_eq!(found(text), [("assigned_password", value.unwrap_or_default())], "{text}");
    }
    assert_eq!(found("ApiPassword = 'https://a.b/q7Rk9zPw2mX4b'\n"), []);
}

#[test]
fn a_plugin_of_mysql_stands_before_its_password() {
    let value = ["q7Rk9", "zPw2mX4b"].concat();
    for plugin in ["mysql_native_password", "caching_sha2_password"] {
        let text = format!("ALTER USER root IDENTIFIED WITH {plugin} BY '{value}';\n");
        assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text}");
    }
}

#[test]
fn the_password_that_a_call_checks_hashes_or_changes_is_found_among_other_arguments() {
    for text in [
        "assert check_password(\"Summer2024\", h)\n",
        "hashPassword('Summer2024', 10)\n",
        "verify_password(\"Summer2024\", &hash)\n",
        "user.resetPassword(\"Summer2024\")\n",
        "bcrypt.hashpw(b\"Summer2024\", salt)\n",
        "await login(\"bob\", \"Summer2024\")\n",
        "client.login('bob', 'Summer2024', (error) => {\n",
        "await signIn.PasswordSignInAsync(\"bob\", \"Summer2024\", false, false);\n",
        "let(:admin_password) { \"Summer2024\" }\n",
        "ENV.fetch(\"DB_PASSWORD\") { \"Summer2024\" }\n",
    ] {
        // Both words of a method lead to it.
        let mut hits = found(text);
        hits.dedup();
        assert_eq!(hits, [("assigned_password", "Summer2024")], "{text}");
    }
    for text in [
        "await login(page, \"FleetNode1314\", password)\n",
        "smtp.PlainAuth(\"\", \"FleetNode1314\", password, h)\n",
        "render_login(\"index\", \"Page2024!\")\n",
        "SendPasswordAsync(user, \"FleetNode1314\")\n",
        "if password { \"FleetNode1314\" }\n",
        "label(:password) { \"FleetNode1314\" }\n",
        "click_on \"Reset password\", with: \"FleetNode1314\"\n",
        "lateinit var password: Masked2562\n",
        "connect(host=h,password=FleetNode1314)\n",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

#[test]
fn the_key_behind_an_identifier_of_amazon_is_found() {
    let id = ["AK", "IA", "QX7LMZ2PVTR8SWBK"].concat();
    let key = ["wJalrXUtnFEMI4K7MDEN", "GabPxRfiCYq7Rk9zPw2m"].concat();
    for text in [
        format!("s = boto3.Session(\"{id}\", \"{key}\")\n"),
        format!("Aws::Credentials.new(\n  '{id}',\n  '{key}'\n)\n"),
    ] {
        assert_eq!(found(&text), [("aws_secret_key", key.as_str())], "{text}");
    }
    let text = format!("(\"{id}\", \"{}\")\n", "9e21bd47".repeat(8));
    assert_eq!(found(&text), []);
}

#[test]
fn a_password_among_other_arguments_and_in_addresses_of_oracle_is_found() {
    for value in ["Summer2024", "Summer2024!", "q7Rk9zPw2mX4b"] {
        for text in [
            format!("new mysqli('h', 'root', '{value}', 'Shop2024');\n"),
            format!("new Sequelize('shop', 'bob', '{value}', {{ host: 'db' }});\n"),
            format!("new NetworkCredential(\"bob\", \"{value}\", \"Domain-2024\")\n"),
            format!("await userManager.CreateAsync(user, \"{value}\");\n"),
            format!("http.basic_auth \"bob\", \"{value}\"\n"),
            format!("await users.AddPasswordAsync(user, \"{value}\");\n"),
            format!("cx_Oracle.connect(\"bob\", \"{value}\", \"db/x\")\n"),
        ] {
            let all: std::collections::BTreeSet<_> = found(&text).into_iter().collect();
            assert_eq!(all, [("assigned_password", value)].into(), "{text}");
        }
    }
    for value in ["Summer2024!", "q7Rk9zPw2mX4b"] {
        for text in [
            format!("url=jdbc:oracle:thin:bob/{value}@db:1521/x\n"),
            format!("sqlplus -S bob/{value}@db\n"),
            format!("config.pepper = '{value}';\n"),
            format!("spring.security.user.password={{noop}}{value}\n"),
        ] {
            assert_eq!(found(&text), [("assigned_password", value)], "{text}");
        }
    }
}
