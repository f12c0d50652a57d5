//! Passwords in lines, fields and sentences, without quotes and with them.

use super::found;

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

#[test]
fn what_a_file_of_logins_or_a_map_says_is_a_password_of_any_form() {
    for value in ["tiger_falcon_1234$", "!Tiger1990falcon", "Tiger1990falcon"] {
        let text = format!("machine a.b login bob password {value}\n");
        assert_eq!(found(&text), [("assigned_password", value)], "{text}");
    }
    for (text, value) in [
        ("db: {password: RmaCq8(Nb9gHZAd5, user: x}\n", "RmaCq8(Nb9gHZAd5"),
        ("db:5432:shop:shop:#Falcon2005!\n", "#Falcon2005!"),
        ("\"redis:6379,password=Hw+DMeoO1|267wSH,ssl=True\"\n", "Hw+DMeoO1|267wSH"),
        ("password: aB3xQ9,xy.z=q7Rk9zPw2mX4b\n", "aB3xQ9,xy.z=q7Rk9zPw2mX4b"),
        ("ENV SMTP_PASSWORD IZQ?j4auqr4<6Fk\n", "IZQ?j4auqr4<6Fk"),
        ("password: '{noop}q7Rk9zPw2mX4b'\n", "q7Rk9zPw2mX4b"),
    ] {
        assert_eq!(found(text), [("assigned_password", value)], "{text}");
    }
}

#[test]
fn words_and_numbers_in_another_order_are_a_password() {
    for value in [
        "Winter_2023",
        "2024Summer",
        "MonkeyTiger1234",
        "Falcon&tiger123*",
        "Falcon&tiger123",
        "Tiger1990falcon",
        "paris!123",
        "iloveyou7!",
        "Football99!***",
    ] {
        for text in [
            format!("DB_PASSWORD={value}\n"),
            format!("password: {value}\n"),
            format!("{{\"password\": \"{value}\"}}\n"),
            format!("String password = \"{value}\";\n"),
        ] {
            assert_eq!(found(&text), [("assigned_password", value)], "{text}");
        }
    }
    let text = "The admin password is Summer2024 and the user is bob.\n";
    assert_eq!(found(text), [("assigned_password", "Summer2024")]);
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
            format!("let(:password) {{ \"{value}\" }}\n"),
            format!("password {{ \"{value}\" }}\n"),
            format!("fill_in \"Password\", with: \"{value}\"\n"),
            format!("r = requests.get(url, auth=(\"bob\", \"{value}\"))\n"),
        ] {
            assert_eq!(found(&text), [("assigned_password", value)], "{text}");
        }
    }
    for text in [
        "db1 ansible_user=bob ansible_ssh_pass=Summer2024\n",
        "db1 ansible_ssh_pass=Summer2024 ansible_user=bob\n",
        "The admin password is Summer2024.\n",
        "The admin password is Summer2024 in staging\n",
        "The admin password is Summer2024 - change it\n",
        "Das Passwort ist Summer2024 und bleibt.\n",
        "Test account (user=bob password=Summer2024)\n",
        "helm up --set auth.password=Summer2024,auth.user=bob x\n",
        "Your temporary password: Summer2024\n",
        "- user: admin / password: Summer2024\n",
        "| host | user | Passwort |\n|---|---|---|\n| a | bob | Summer2024 |\n",
        "gradle -PnexusPassword=Summer2024 x\n",
        "ENV SMTP_PASSWORD Summer2024\n",
        "mvn -Dnexus.password=Summer2024 deploy\n",
        "{\"Redis\": \"redis:6379,password=Summer2024,ssl=True\"}\n",
        "# of the team\nurl,username,password\nhttps://a.b,bob,Summer2024\n",
        "sep=,\nurl,username,password\nhttps://a.b,bob,Summer2024\n",
        "The accounts\nurl,username,password\nhttps://a.b,bob,Summer2024\n",
        "dsn := \"host=db user=bob password=Summer2024 dbname=shop\"\n",
    ] {
        assert_eq!(found(text), [("assigned_password", "Summer2024")], "{text}");
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
