//! What is found behind words, and what is not.

use super::super::keywords::AUTHORITY_REACH;
use super::super::text_index::TextIndex;
use super::*;

impl Claimed for Vec<ValueHit> {
    fn is_free(&self, span: &Range<usize>) -> bool {
        self.iter().all(|hit| hit.span.end <= span.start || span.end <= hit.span.start)
    }

    fn claim(&mut self, hit: ValueHit) {
        self.push(hit);
    }

    fn hold(&mut self, _: Vec<Range<usize>>) {}
}

pub(super) fn found(text: &str) -> Vec<(&'static str, &str)> {
    let mut hits = Vec::new();
    let bytes = text.as_bytes();
    find(bytes, &TextIndex::of(bytes).keywords, &mut hits);
    hits.into_iter().map(|hit| (hit.name, &text[hit.span])).collect()
}

#[test]
fn a_value_after_a_word_is_found() {
    let value = ["q7", "Rk!9", "zPw"].concat();
    for text in [
        format!("password = \"{value}\""),
        format!("PWD:{value}"),
        format!("user=x,pw={value}"),
        format!("IDENTIFIED BY '{value}'"),
        format!("login password '{value}';"),
        format!("\"db_password\": \"{value}\""),
        format!("def f(passwd: str = \"{value}\")"),
        format!("ANY_PW:{value}"),
        format!("Dim password As String = \"{value}\""),
        format!("Private m_Password as string = \"{value}\""),
    ] {
        assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text}");
    }
}

#[test]
fn a_short_word_for_a_password_ends_a_name() {
    let value = ["k3JxP0", "w9qLmZ"].concat();
    for name in ["pw", "PW", "db_pw", "userPw", "\"pw\"", "credential", "db_credentials"] {
        for sign in [" = ", ": "] {
            let text = format!("{name}{sign}\"{value}\"");
            assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text}");
        }
    }
    for text in [
        format!("spw = \"{value}\""),
        format!("pw_hint = \"{value}\""),
        format!("pw2 = \"{value}\""),
        format!("(pw, \"{value}\")"),
        format!("credentialsId: \"{value}\""),
        "credential = \"AzureKeyVaultCredential2\"".to_owned(),
        "pw = page.getByRole2(1)".to_owned(),
        "pw = imgW2-Pad1-x0".to_owned(),
    ] {
        assert_eq!(found(&text), [], "{text}");
    }
}

#[test]
fn words_with_dashes_are_a_password_if_they_have_a_digit_and_both_cases() {
    for value in [
        ["correct-horse-", "battery-9X"].concat(),
        ["blue-Tiger7-", "lamp-Rain"].concat(),
        ["gh-kP9-", "xx-Lq"].concat(),
        ["sunshine-", "Monday-42"].concat(),
    ] {
        for text in [
            format!("password = \"{value}\""),
            format!("db_pwd: '{value}'\n"),
            format!("os.environ.get(\"DB_PASSWORD\", \"{value}\")"),
        ] {
            assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text}");
        }
    }
    // A subtraction, and the names of what belongs to a password.
    let value = ["correct-Horse-", "battery-9"].concat();
    for text in [
        format!("pw = {value}\n"),
        format!("password_policy = \"{value}\""),
        format!("credential: \"{value}\""),
    ] {
        assert_eq!(found(&text), [], "{text}");
    }
    for slug in [
        "user-password-input",
        "my-secret-name",
        "blue-tiger-lamp",
        "blue-tiger-lamp-2",
        "Blue-Tiger-Lamp-Rain",
        "enter-Your-Password-v2",
        "My-Secret2-Name",
    ] {
        assert_eq!(found(&format!("password: {slug}\n")), [], "{slug}");
    }
}

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
fn words_that_only_begin_like_password_and_names_in_programs_announce_nothing() {
    let value = ["q7", "Rk!9", "zPw"].concat();
    for text in [
        format!("is_passive = \"{value}\""),
        format!("(\"Rose Passion\", \"{value}\")"),
        format!("\"arn:aws:secretsmanager:us-west-2:123456789012:secret:Db-{value}\""),
        "curve(force_pass=ForceLengthPassGroote2016, x=1)".to_owned(),
        "    Password?: XmlStringMaxLen256;".to_owned(),
        "import SecretListParams = Apps1.SecretListParams;".to_owned(),
        "t.minPasswordLength=e.minPasswordLength??6,t.x".to_owned(),
        "--test-pass-color: #00d6b2;".to_owned(),
        format!("compass = \"{value}\""),
        "[\"user\", \"pass\", \"base64Encoder\"]".to_owned(),
        "['id', 'password', 'created_at_utc1']".to_owned(),
        "password: enter the one of server 3".to_owned(),
        "password = r\"[A-Z]{90}[a-z0-9]+\"".to_owned(),
        "run --password env:Debug_PW84".to_owned(),
        "password = \"^[a-z]{8}[0-9A-Z]$\"".to_owned(),
        "password = \"my-secret-name-Of-2\"".to_owned(),
    ] {
        assert_eq!(found(&text), [], "{text}");
    }
    assert_eq!(found(&format!("arn = 1, password:{value}")).len(), 1);
}

#[test]
fn the_value_of_an_entry_goes_to_the_end_of_its_line() {
    let value = ["w7yyJF$~#h", "GP&k5tQz"].concat();
    for text in [
        format!("machine h login bob password {value}\n"),
        format!("db.password={value}\r\nx=1"),
        format!("**password:** {value}"),
        format!("x || process.env.DB_PASSWORD || \"{value}\""),
        format!("getenv(\"DB_PASSWORD\") ?: '{value}'"),
        format!("env[\"PASSWORD\"] ?? '{value}'"),
    ] {
        assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text}");
    }
    let query = format!("password={}&user=b", value.replace('&', ""));
    assert_eq!(found(&query)[0].1, value.replace('&', ""));
    let plain = ["q7Rk9", "zPwX2vLm"].concat();
    for behind in [";./run2", "&&make", "|tee", " 2024-01-02", " v2.0", " host2:5432"] {
        let text = format!("PASSWORD={plain}{behind}");
        assert_eq!(found(&text), [("assigned_password", plain.as_str())], "{text}");
    }
    let triple = ["q7Rk", "9zPwX2mB"].concat();
    let with_blank = ["Ab3dEf9h", " i6wRbgJc"].concat();
    let text = format!("password: {with_blank}\n");
    assert_eq!(found(&text), [("assigned_password", with_blank.as_str())], "{text}");
    for value in ["^".to_owned() + &triple, triple.replace("9z", "-9=_z")] {
        let text = format!("password = \"{value}\"\n");
        assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text}");
    }
    for prefix in ["", "r", "b"] {
        let text = format!("password = {prefix}'''{triple}'''\n");
        assert_eq!(found(&text), [("assigned_password", triple.as_str())], "{text}");
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
fn a_value_ends_where_no_password_goes_on() {
    let value = ["Bvm7rVk", "OQpRUA6Hx"].concat();
    for behind in ["\u{a0}", "。", "”", "—", "…", "\u{200b}", "|", ">", "\0", "\u{1b}[0m", "\nx"]
    {
        let text = format!("a password: {value}{behind}");
        assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text:?}");
    }
    let text = format!("password = \"\"\"{value}\"\"\"\n");
    assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text:?}");
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
fn a_value_in_quotes_goes_to_its_own_closing_quote() {
    let value = ["S_q1L", "&I7S1"].concat();
    for written in [
        format!("{value}\\\\%3="),
        format!("{value}\\\"xY2"),
        format!("{value}\\u0026xY2"),
        format!("{value}\\x26xY2"),
        format!("{value}, xY2;)").replace(' ', ""),
    ] {
        let text = format!("{{\"db_password\": \"{written}\"}}");
        assert_eq!(found(&text), [("assigned_password", written.as_str())], "{text}");
        // The same as a literal in a literal.
        let escaped = written.replace('\\', "\\\\").replace('"', "\\\"");
        let text = format!("x = \"{{\\\"db_password\\\": \\\"{escaped}\\\"}}\"");
        assert_eq!(found(&text), [("assigned_password", escaped.as_str())], "{text}");
    }
    let text = format!("password = '{value}''x'\n");
    assert_eq!(found(&text), [("assigned_password", format!("{value}''x").as_str())]);
    // A raw literal ends with a backslash.
    let text = format!("password = '{value}\\'\n");
    assert_eq!(found(&text), [("assigned_password", format!("{value}\\").as_str())]);
    assert_eq!(found("password = \"q7Rk!9zPw\\\"\n"), []);
    // In many literals a backslash is one.
    let text = "password = 'q7Rk!9\\nzPw'\n";
    assert_eq!(found(text), [("assigned_password", "q7Rk!9\\nzPw")]);
}

#[test]
fn a_value_in_quotes_is_no_code_for_its_brackets() {
    for value in [
        ["q7Rk{!", "9zPw"],
        ["aB3)x|", "Y9>kk2"],
        ["T(4m]Q", "x8%Lz"],
        ["xK9(a)[jB", "V]7{kG}"],
        ["Fg+F55()-", "HQXB|vx"],
        ["vr{Rk;Lq", "Pm!?t%w,z"],
        ["V8Thund", "er!Bird[99"],
    ] {
        let value = value.concat();
        let text = format!("password = \"{value}\"");
        assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text}");
        assert_eq!(found(&format!("f(password = {value})")), [], "{value}");
    }
    for text in [
        "password = \"{{vault.pw1}}\"",
        "password = \"{password1}!aB\"",
        "password = \"%(pass1)sXy!\"",
        "password = \"get_Pass1()\"",
        "password = \"users[1].Password\"",
        "password = \"Forgot+Password?\"",
        "password = \"Password*required\"",
        "passwordRegex = \"^(?=.*[A-Z]).{8,}$\"",
        "password = \"${Db_1}-aX2!#\"",
        "password = \"aB1/cD2/eF3/x.y\"",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

#[test]
fn words_dummies_and_code_are_not() {
    for text in [
        "password = \"password\"",
        "password: Sha256Digest,",
        "TrafficSecrets::Aes128Gcm { key }",
        "${passed?\"bg-green-100\":\"bg-red-100\"}",
        "'secret_ref': 'V1SecretReference',",
        "a station identified by %NL80211_ATTR_MAC",
        "password = get_password()",
        "pass = ${DB_PASS1}",
        "passing: true",
        "password=\"<your password 1>\"",
        "key = \"some_identifier_2\"",
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
fn a_value_without_quotes_ends_where_its_field_does() {
    for sign in ["'", "\"", ")", "]", "}", ">", "\\", "&", ";", "|", "<", "=", "`"] {
        let value = ["q7", "Rk9", sign, "zPw!", "X2m"].concat();
        let (before, after) = ("Server=db1;User Id=sa;Password=", ";Database=q");
        let mut texts = vec![
            format!("A=1\nDB_PASSWORD={value}\nB=2\n"),
            format!("# db.password = {value}\n"),
            format!("db:\n  password: {value}\r\n"),
            format!("<p><password><![CDATA[{value}]]></password></p>"),
        ];
        let other = |signs: &str| !signs.contains(sign);
        let more = [
            (other("<"), format!("<DbPassword>{value}</DbPassword>\n")),
            (other("&"), format!("GET /x?user=u&password={value}&z=1 HTTP/1.1")),
            (other(";"), format!("{before}{value}{after}")),
            (other(";\""), format!("x = \"{before}{value}\"")),
            (other(";"), format!("host=db1 user=u password={value} dbname=q")),
        ];
        texts.extend(more.into_iter().filter(|(fits, _)| *fits).map(|(_, text)| text));
        for text in texts {
            assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text}");
        }
    }
    let written = ["q7Rk9", "&amp;zPw!"].concat();
    for text in [
        format!("<password>{written}</password>"),
        format!("connectionString=\"Server=db1;Pwd={written};Database=q\""),
    ] {
        assert_eq!(found(&text), [("assigned_password", written.as_str())], "{text}");
    }
}

#[test]
fn code_that_owns_its_line_is_no_entry() {
    for text in [
        "password=os.environ['DB1']",
        "password = get_pw(x1)",
        "    password=x1.y2[3])",
        "password=self.cfg2.Pw[i1]",
        "password = \"q7Rk9\" + x1['b2']",
        "connect(host=h1, user=u, password=cfg.x['a1'])",
        "this.password=e.passwordStrength2&&b;",
        "let key = Der::Sec1(PrivateSec1KeyDer::from(",
        "#keystore.keyAlgorithm = PBEWithHmacSHA256AndAES_256",
        "{\"AWS::EC2::EIPAssociation\": \"a267820d6250f189\"}",
        "assertEqual(passValue('string1F4bb!x'), 1)",
        "for key in ('md5_hash', 'crc32c_hash'):",
        "    password=MyProperty()#hashfunc=hashlib.md5)",
        "'(?P<secret_resource>projects/[^/]+/x/[a-zA-Z0-9-_]+)'",
        "apt\tpasswd\t1:4.13+dfsg1-1+deb12u1",
        "PASSWORD_FIELD = \"main_User28\"",
    ] {
        assert_eq!(found(text), [], "{text}");
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

#[test]
fn passwords_of_known_makers_are_found() {
    let groups = ["wkqz xhgj", " pvbt mzrl"].concat();
    let salt = ["6Blq_L+>q.A^_NyOYqKJ@=bjFBe?^Yw}", "R1?PiZovP[jxsLwFK=MP?,b}<W*%AC} "].concat();
    let npm = ["YWRtaW46", "MXpNMTZOQTRHWUhr"].concat();
    let encoded = ["UXZleDhBVExQ", "NDcxazVpcFJs"].concat();
    let hex = ["3fa1b27", "c80d951"].concat();
    for (text, name, value) in [
        (format!("app_password = \"{groups}\""), "assigned_password", &groups),
        (format!("EMAIL_PASSWORD={groups}\n"), "assigned_password", &groups),
        (format!("define('AUTH_KEY',         '{salt}');"), "assigned_key", &salt),
        (format!("define( 'NONCE_SALT', '{salt}' );"), "assigned_key", &salt),
        (format!("_auth = {npm}\n"), "basic_authorization", &npm),
        (format!("password = \"{hex}\""), "assigned_password", &hex),
        (format!("//npm.x.io/:_password={encoded}\n"), "assigned_password", &encoded),
    ] {
        assert_eq!(found(&text), [(name, value.as_str())], "{text}");
    }
    for text in
        ["password = \"this that with from\"", "define('AUTH_KEY', 'put your unique phrase here')"]
    {
        assert_eq!(found(text), [], "{text}");
    }
}

/// Before, the first five were passwords.
#[test]
fn elements_of_pages_lists_and_parts_of_code_are_no_passwords() {
    for text in [
        "password: \"#cacheTest99\"",
        "password = \"#client-admin-57\"",
        "password: \"#ctl00_ResetCore_txtPw64\"",
        "password: 'mat-input-05'",
        "password: \"role=textbox[name=Core42]\"",
        "x = \"pass=light1,event2,node3\"",
        "pass=main1,test2,token3\n",
        "f(\"password={w9}\", \"pwd=$w9W\", \"pwd=%(w9)s\")",
        "x = \"password=\" + a1B2['c3'] + \"&d=e\"",
        "re = \"password=\\[w9\\]\"",
        "password: main12 # the user\n",
        "machine learning password reset2\n",
        "\"GET /x?password=[page58]\"",
        "\"PWD=~/main/Reset72\", \"OLDPWD=/x/user84\"",
        "password: cfgdb93 # comment\n",
        "a user name password userdb96<b>",
        "f(\"password=$USER&x=1&y=2\")",
        "secret = f\"{S3_KEY}|{dbPass}\"\n",
        "docker run -e A=\"$pass_67:Client32Db\"",
        "curl -u \"$USER1:$A_PW9\" https://x.io",
        "curl -u \"${USER1}:a${A_PW9}B7xQ\" https://x.io",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
    let value = ["q7Rk", "9zPwX2"].concat();
    let text = format!("openssl x -passout pass:{value} b");
    assert_eq!(found(&text), [("assigned_password", value.as_str())]);
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

/// Before, these were words or code.
#[test]
fn passwords_of_small_letters_and_of_brackets_are_found_where_a_field_or_quotes_end_them() {
    let small = ["qw7b", "3pdkx"].concat();
    let signs = ["q7Rk{9)", "|zP<wX2m"].concat();
    let tagged = ["q7RkzP<b>", "w9X2<z/m"].concat();
    let pair = ["user:q7R", "k{9z)P<wX2m"].concat();
    for (text, name, value) in [
        (format!("DB_PASSWORD={small}\n"), "assigned_password", &small),
        (format!("db:\n  password: {small}\n"), "assigned_password", &small),
        (format!("machine h login u password {small}\n"), "assigned_password", &small),
        (format!("machine h login u password {signs}\n"), "assigned_password", &signs),
        (format!("machine h login u password {tagged}\n"), "assigned_password", &tagged),
        (format!("DB_PASSWORD={tagged}\n"), "assigned_password", &tagged),
        (format!("curl -u '{pair}' https://x.io"), "command_line_user", &pair),
    ] {
        assert_eq!(found(&text), [(name, value.as_str())], "{text}");
    }
    for few in [["qwz1", "kpv9"], ["xqzk", "7wpv"], ["vmgrthj", "zfh35"]] {
        let few = few.concat();
        for text in [format!("DB_PASSWORD={few}\n"), format!("db:\n  password: {few}\n")] {
            assert_eq!(found(&text), [("assigned_password", few.as_str())], "{text}");
        }
    }
    // The end of a literal is no part of the password in it.
    let code = format!("var b = f(\"machine h login u password {small}\")\n");
    assert!(found(&code).iter().all(|(_, value)| !value.contains('"')), "{code}");
    for text in [
        "PASSWORD=postgres12\n",
        "PASSWORD_HASH=sha256md5\n",
        "password=base64utf8\n",
        "login user password reset2fa(x1)\n",
        "curl -u '{user1}:{password1}' https://x.io",
        "curl -u '$USER1:${PASS2}' https://x.io",
        "curl -u 'user:get_Pass1()' https://x.io",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

/// Before, the first of these was a type or a subtraction wherever no quotes stand around it.
#[test]
fn passwords_that_people_choose_are_found_without_quotes() {
    for value in ["Castle-banana42", "Winter2021@", "Blue-Tiger-lamp7", "Winter^Tiger842"] {
        for text in [
            format!("db:\n  password: {value}\n"),
            format!("environment:\n  POSTGRES_PASSWORD: {value}\n"),
            format!("[db]\npassword = {value}\n"),
            format!("machine h\nlogin bob\npassword {value}\n"),
            format!("deploy --password={value} --host x\n"),
            format!("db: {{user: bob, password: {value}}}\n"),
            format!("bindpw {value}\n"),
            format!("rootpw {value}\n"),
            format!("network={{\n  psk=\"{value}\"\n}}\n"),
        ] {
            assert_eq!(found(&text), [("assigned_password", value)], "{text}");
        }
    }
    for text in [
        "db:\n  password: User-input42\n",
        "db:\n  password: castle-banana42\n",
        "password=Castle-banana42;\n",
        "f(password=Castle-banana42)\n",
        "bindpw_file x7Kq9-mZ2w\n",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

/// Before, no sign stood between the name and the value of the first two, and a word for another thing in the last.
#[test]
fn passwords_in_sentences_and_in_sql_are_found() {
    for value in [["Summer", "2022$"].concat(), ["q7Rk9", "zPw2mX4b"].concat()] {
        for text in [
            format!("Log in as `admin` with the password `{value}`.\n"),
            format!("The password for the server is `{value}`.\n"),
            format!("The password is `{value}`.\n"),
            format!("SET PASSWORD FOR 'a'@'%' = PASSWORD('{value}');\n"),
            format!("SET PASSWORD FOR 'a'@'%' = '{value}';\n"),
            format!("password <- \"{value}\"\n"),
            format!("request.basic_auth(\"bob\", Some(\"{value}\"))\n"),
        ] {
            assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text}");
        }
    }
    for text in [
        "The password for the server is `db-main-2`.\n",
        "the passphrase is `BIP39-84861words`\n",
        "password <- get_secret2(x)\n",
        "password = oldPass1+salt\n",
        "passwordHint: Step1of3?\n",
        "passwordLabel: \"Min8Chars!\"\n",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

/// Before, each was a finding: it names what a secret is kept in, or made with.
#[test]
fn names_of_secrets_and_of_their_algorithms_are_none() {
    for text in [
        "existingSecret: prod-db-2024\n",
        "imagePullSecret: regcred-2024-a1\n",
        "secretName: api-tls-2024\n",
        "secretKeyRef: app-key-2024\n",
        "cache:\n  key: Orange-Prod-1200\n",
        "restore-keys: Orange-Prod-1200\n",
        "password_hash_algorithm: pbkdf2_sha256\n",
        "password_hasher: bcrypt_sha256\n",
        "password = get_password(\"db-main-2\")\n",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
    for value in ["Lt%Q8p2tr!5t", "Summer750@"] {
        for name in ["passwordInput", "PASSWORD_FIELD"] {
            let text = format!("{name} = \"{value}\"\n");
            assert_eq!(found(&text), [("assigned_password", value)], "{text}");
        }
    }
    let value = ["q7Rk9", "zPw2mX4b"].concat();
    for name in ["existingSecret", "secretName", "client_secret"] {
        let text = format!("{name}: {value}\n");
        assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text}");
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
fn words_with_a_number_are_a_password_without_a_sign() {
    for value in ["Summer2024", "FalconDragon5786b", "c0ffeeDr4gon66", "Monkey2024", "Müller§2024!"]
    {
        for text in [
            format!("DB_PASSWORD={value}\n"),
            format!("password: {value}\n"),
            format!("password = \"{value}\"\n"),
            format!("contraseña: {value}\n"),
            format!("пароль = \"{value}\"\n"),
            format!("CREATE USER bob IDENTIFIED BY '{value}';\n"),
            format!("RUN echo \"root:{value}\" | chpasswd\n"),
            format!("- {{name: DB_PASSWORD, value: {value}}}\n"),
            format!("variable \"db_password\" {{\n  default = \"{value}\"\n}}\n"),
            format!("t.Setenv(\"DB_PASSWORD\", \"{value}\")\n"),
            format!("ds.setPassword(\"{value}\");\n"),
            format!("user.setPassword(encoder.encode(\"{value}\"));\n"),
            format!("'password' => Hash::make('{value}'),\n"),
            format!("$hash = password_hash('{value}', PASSWORD_DEFAULT);\n"),
            format!("const h = await bcrypt.hash('{value}', 10);\n"),
            format!("Log in with user `bob` and password `{value}`.\n"),
            format!("passwords = {{\"bob\": \"{value}\", \"eve\": None}}\n"),
            format!("passwords:\n  - {value}\n"),
        ] {
            assert_eq!(found(&text), [("assigned_password", value)], "{text}");
        }
    }
    for text in [
        "db1 ansible_user=bob ansible_ssh_pass=Summer2024\n",
        "db1 ansible_ssh_pass=Summer2024 ansible_user=bob\n",
        "The admin password is Summer2024.\n",
        "dsn := \"host=db user=bob password=Summer2024 dbname=shop\"\n",
    ] {
        assert_eq!(found(text), [("assigned_password", "Summer2024")], "{text}");
    }
    for value in ["Summer2024", "Summer2024!", "q7Rk9zPw2mX4b"] {
        for text in [
            format!("new mysqli('h', 'root', '{value}', 'Shop2024');\n"),
            format!("new Sequelize('shop', 'bob', '{value}', {{ host: 'db' }});\n"),
            format!("new NetworkCredential(\"bob\", \"{value}\", \"Domain-2024\")\n"),
            format!("await userManager.CreateAsync(user, \"{value}\");\n"),
            format!("http.basic_auth \"bob\", \"{value}\"\n"),
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
    let drawn = ["IC1oAl", "aO6M1d"].concat();
    let text = format!("conf = {{\"credentials\": \"{drawn}\"}}\n");
    assert_eq!(found(&text), [("assigned_password", drawn.as_str())]);
    let text = format!("new PDO('mysql:host=h', 'Fleet2000', '{drawn}');\n");
    assert_eq!(found(&text), [("assigned_password", drawn.as_str())]);
    for text in [
        "env::var(\"PASSWORD_TABLE\").unwrap_or_else(|_| \"Fleet2000\".to_string());\n",
        "new PDO($dsn, 'Fleet2000', $password);\n",
        "new mysqli('h', 'root', $password, 'Shop2024');\n",
        "resource \"kubernetes_secret\" \"k3f2a91c\" {\n",
        "resource \"random_password\" \"p384a21b\" {\n",
        "static final String PASSWORD_COLUMN = \"Shop-Main-2024\";\n",
        "vault_password_file=/etc/core-db-89\n",
        "key: FleetDomain12-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b\n",
        "verifyHmac(body, 'q7Rk9zPw2mX4b', key)\n",
        "passwordKey: FleetNode1314\n",
        "PASSWORD_RESET_QUEUE=FleetNode1314\n",
        "password: String255\n",
        "password: UserInput2000\n",
        "password: Text12\n",
        "secret: Orders2024\n",
        "- {name: PASSWORD_TABLE, value: Orders2024}\n",
        "The password policy is Orders2024.\n",
        "passwordFields = [\"Orders2024\"]\n",
        "connect(user=bob, password=Orders2024)\n",
        "new NetworkCredential(\"Orders2024\", password, \"Domain-12\")\n",
        "url=jdbc:oracle:thin:@db/orders2024@x\n",
        "createConnection('h', 'Orders2024', password, 'Shop2024')\n",
        "pepper = chili_red_2024\n",
        "password = getpass(\"Orders2024\")\n",
        "docker login -u bob --password-stdin Registry2024\n",
        "season_pass: Alps2024\n",
        "expect(maskPassword(p)).toBe('Su****4!');\n",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

#[test]
fn a_plugin_of_mysql_stands_before_its_password() {
    let value = ["q7Rk9", "zPw2mX4b"].concat();
    for plugin in ["mysql_native_password", "caching_sha2_password"] {
        let text = format!("ALTER USER root IDENTIFIED WITH {plugin} BY '{value}';\n");
        assert_eq!(found(&text), [("assigned_password", value.as_str())], "{text}");
    }
}
