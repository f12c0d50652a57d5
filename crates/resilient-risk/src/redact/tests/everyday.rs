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

/// Before, an address whose host is put into it kept its password.
#[test]
fn a_host_may_be_a_place() {
    for host in ["{}", "{}:5432", "{host}", "${HOST}", "{cfg.host}", "<host>", "{host}.internal"] {
        let text = format!("url = \"postgres://bob:HT@{host}:5432/db\"\n");
        assert_eq!(left("a.py", &text), text.replace("HT", "M"), "{text}");
    }
    for host in [
        "{os.environ['HOST']}",
        "{cfg.get('host', 'db')}",
        "{hosts[0]}",
        "{h!r}",
        "{{ .Values.host }}",
    ] {
        for user in ["app", "{user}", "{{ user }}"] {
            let text = format!("url = f\"postgres://{user}:HT@{host}/db\"\n");
            assert_eq!(left("", &text), text.replace("HT", "M"), "{text}");
        }
    }
    let text = "U=\"postgres://app:HT@\"$HOST\":5432/shop\"\n";
    assert_eq!(left("a.sh", text), text.replace("HT", "M"));
    let text = "u = \"postgres://app:HT@\" + host\n";
    assert_eq!(left("a.py", text), text.replace("HT", "M"));
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
        ("", "  password: HT is not good\n"),
        ("", "pw = HT\n"),
        ("", "INFO db.password=HT, rev=5\n"),
        ("a.yaml", "password: \"HT\"\n"),
        ("a.py", "PASSWORD = \"HT\"\n"),
        ("a.java", "ds.setPassword(\"HT\");\n"),
        ("a.sql", "create user bob identified by 'HT';\n"),
    ] {
        for password in
            ["Summer2024!", "Welcome11!", "Dragon87#", "summer2024!", "Castle.Falcon12!"]
        {
            let told = left(name, &line.replace("HT", password));
            assert!(!told.contains(password), "{told}");
        }
    }
    assert_eq!(
        redacted("DB_PASSWORD=Castle-banana42\n").text,
        "DB_PASSWORD=<REDACTED:generic_secret:1>\n"
    );
    for text in [
        "pw = Left2-right15\n",
        "pw = Value2\n",
        "password: Optional1Type\n",
        "if password == Value2 {\n",
        "password = UserPassword2\n",
    ] {
        assert_eq!(redacted(text).text, text);
    }
}

/// Before, only a literal behind a sign or in backticks was one.
#[test]
fn a_password_goes_that_a_call_a_property_a_pair_or_a_sentence_gives() {
    for (name, line) in [
        ("a.cs", "public string Password { get; set; } = \"HT\";\n"),
        ("a.rs", "let p = env::var(\"DB_PASSWORD\").unwrap_or_else(|_| \"HT\".to_string());\n"),
        ("a.rs", "let p = env::var(\"DB_PASSWORD\").unwrap_or(\"HT\".into());\n"),
        ("a.kt", "val m = mapOf(\"user\" to \"bob\", \"password\" to \"HT\")\n"),
        ("a.ts", "await page.getByLabel('Password').fill('HT');\n"),
        ("a.ts", "cy.get('#password').type('HT');\n"),
        ("a.ts", "page.getByRole('textbox', { name: 'Password' }).fill('HT');\n"),
        ("a.ts", "page.getByLabel(/password/i).fill('HT');\n"),
        (
            "a.rs",
            "let p = env::var(\"PASSWORD\")\n        .unwrap_or_else(|_| \"HT\".to_string());\n",
        ),
        ("a.py", "driver.find_element(By.ID, \"password\").send_keys(\"HT\")\n"),
        ("a.yaml", "db_pass: \"{{ lookup('env', 'DB') | default('HT') }}\"\n"),
        ("a.md", "The admin password is HT.\n"),
        ("a.md", "The new db password is HT, please rotate it.\n"),
        ("a.md", "The password for `web-1` is `HT`.\n"),
        ("a.md", "Password for bob: `HT`\n"),
        ("a.md", "Set `password` to `HT`.\n"),
    ] {
        for password in ["Summer2024!", "Castle!577"] {
            let text = line.replace("HT", password);
            let told = left(name, &text);
            assert!(!told.contains(password), "{told}");
            let rest: Vec<_> = line.split("HT").collect();
            assert!(told.starts_with(rest[0]) && told.ends_with(rest[1]), "{told}");
        }
    }
    for text in [
        "The password is required for db-node-2.\n",
        "The password is Base64 encoded.\n",
        "Set `password` to `user_pass_2`.\n",
        "page.getByLabel('Password').fill(user.password2);\n",
        "map(\"password\" to \"text_field_2\")\n",
    ] {
        assert_eq!(redacted(text).text, text);
    }
}

/// Before, a list of calls and of names of arguments said where a password may stand.
#[test]
fn a_password_goes_that_stands_in_the_statement_of_its_word() {
    for (name, line) in [
        ("a.ts", "await page.getByLabel('Password', { exact: true }).fill('HT');\n"),
        ("a.ts", "await userEvent.type(screen.getByLabelText(/password/i), 'HT');\n"),
        ("a.ts", "page.getByLabel('Passwort bestätigen').fill('HT');\n"),
        ("a.ts", "fireEvent.change(getByLabelText('Password'), { target: { value: 'HT' } });\n"),
        ("a.ts", "cy.get('input[name=\"password\"]').clear().type('HT{enter}');\n"),
        ("a.ts", "const s = z.object({ password: z.string().default('HT') });\n"),
        ("a.rb", "fill_in 'Password', with: 'HT'\n"),
        ("a.rb", "let(:password) { 'HT' }\n"),
        ("a.py", "page.get_by_label(\"Password\", exact=True).fill(\"HT\")\n"),
        ("a.py", "password_input.send_keys(\"HT\")\n"),
        ("a.py", "p = os.environ.get(\n    \"DB_PASSWORD\",\n    \"HT\",\n)\n"),
        ("a.py", "@pytest.mark.parametrize(\"user,password\", [(\"bob\", \"HT\")])\n"),
        ("a.rs", "let p = env::var(\"DB_PASSWORD\").unwrap_or_else(|_e| \"HT\".to_owned());\n"),
        ("a.rs", "let p = env::var(\"PASSWORD\").ok().unwrap_or_else(|| String::from(\"HT\"));\n"),
        ("a.php", "'password' => Hash::make('HT'),\n"),
        ("a.java", "user.set(passwordEncoder.encode(\"HT\"));\n"),
        ("a.java", "new UsernamePasswordAuthenticationToken(\"bob\", \"HT\");\n"),
        ("a.json", "{\"adminPassword\": {\"type\": \"securestring\", \"defaultValue\": \"HT\"}}\n"),
        ("a.json", "[{\"ParameterKey\": \"DBPassword\", \"ParameterValue\": \"HT\"}]\n"),
        ("a.tf", "{\n  value = \"HT\"\n  type  = \"SecureString\"\n}\n"),
        ("a.html", "<input type=\"password\" name=\"pw\" value=\"HT\">\n"),
        ("a.sh", "aws ssm put-parameter --name /a/b --type SecureString --value 'HT'\n"),
        ("a.sh", "az keyvault secret set --vault-name v --name DbPassword --value 'HT'\n"),
    ] {
        for password in ["Summer2024!", "Castle!577", "q7Rk9zPw2mX4"] {
            let text = line.replace("HT", password);
            let told = left(name, &text);
            assert!(!told.contains(password), "{told}");
            let rest: Vec<_> = line.split("HT").collect();
            assert!(told.starts_with(rest[0]) && told.ends_with(rest[1]), "{told}");
        }
    }
    let told =
        left("a.java", "auth.withUser(\"bob\").password(\"{noop}Summer2024!\").roles(\"A\");\n");
    assert!(!told.contains("Summer"), "{told}");
    let hex = "9e21bd4727af40fc".repeat(2);
    for line in [
        "let p = env::var(\"DB_PASSWORD\").unwrap_or(\"HT\".into());\n",
        "await page.getByLabel('Password').fill('HT');\n",
        "variable \"client_secret\" {\n  type = string\n  default = \"HT\"\n}\n",
        "fn password() -> String {\n    let v = env::var(\"PASSWORD\").unwrap_or(\"HT\".into());\n",
        "test('password', () => {\n  const r = page.locator('#password').fill('HT')\n",
        "page.getByText(\"It's a wrong password!\").click();page.locator('#password').fill('HT');\n",
    ] {
        for password in [hex.as_str(), "FalconDragon5786", "Summer-2024"] {
            let told = left("", &line.replace("HT", password));
            // What a declaration has may be a name.
            let is_name = line.starts_with("variable") && password != hex;
            assert!(is_name || !told.contains(password), "{told}");
        }
    }
    for text in [
        "page.getByLabel('Password').fill(os.environ[\"E2E_PASSWORD_2\"])\n",
        "page.getByLabel('Password').press('Control+KeyA1');\n",
        "'password' => ['required', 'regex:/^(?=.*[0-9]).{8,}$/'],\n",
        "login({ password: a, label: 'Sign-In-2024' });\n",
        "{\"password\": {\"type\": \"string\"}, \"default\": \"Summer2024!\"}\n",
        "f(password, id=\"Form-Login-2\", placeholder=\"Passw0rd-2024!\")\n",
        "[{\"name\":\"DB_PASSWORD\",\"valueFrom\":\"x\"},{\"name\":\"REV\",\"value\":\"9e21bd4727af40fc\"}]\n",
        "<input type=\"password\">\n<input type=\"hidden\" value=\"9e21bd47-27af-40fc-a0ab-b5b85c746cb7\">\n",
        "def test_password_reset(c):\n    assert c.get(\"/x\").json()[\"id\"] == \"req_hEhcy93x1jEFY6\"\n",
        "expect(verify(a, password)).toBe(\"k3JxP0w9qLmZv7Rt\")\n",
        "if password:\n    run(\"req_hEhcy93x1jEFY6\")\n",
        "password.encode(\"Windows-1252\")\n",
        "files = [\"password.html\", \"Ubuntu-22-04\"]\n",
        "(\"password\", re.compile(\"a\")), (\"ssn\", re.compile(r\"\\b\\d{3}-\\d{2}-\\d{4}\\b\"))\n",
        "app.post('/password', scope('Fleet-Node-1314'), 'k3JxP0w9qLmZv7Rt');\n",
        "page.getByLabel('Secret name').fill('fleet-api-13')\n",
    ] {
        assert_eq!(redacted(text).text, text);
    }
}

/// Before, the word for the secret beside it announced what identifies another thing, and a time lost its first half.
#[test]
fn what_identifies_a_thing_beside_a_secret_and_a_time_stay() {
    let token = ["q7Rk9zPw2mX4bVt8", "Ls3Yc6Hg1Jd5Nf0K"].concat();
    for id in ["9e21bd47-27af-40fc-a0ab-b5b85c746cb7", "9e21bd4727af40fca0abb5b85c746cb7d01f2a3e"] {
        for line in [
            "new Client({ token: \"HT\", commit: \"ID\" });\n",
            "c = Client(token=\"HT\", tenant=\"ID\")\n",
            "{\"apiKey\": \"HT\", \"buildRef\": \"ID\"}\n",
            "GET /a?token=HT&rev=ID HTTP/1.1\n",
        ] {
            let told = left("", &line.replace("HT", &token).replace("ID", id));
            assert!(told.contains(id) && !told.contains(&token), "{told}");
        }
    }
    for text in [
        "TOKEN_EXPIRES=2025-09-21T19:57:03Z\n",
        "tokenAddress = '0x9e21bd4727af40fca0abb5b85c746cb7d01f2a3e'\n",
        "AUTH0_CLIENT_ID=q7Rk9zPw2mX4bVt8Ls3Yc6Hg1Jd5Nf0K\n",
        "AUTH_TENANT=9e21bd47-27af-40fc-a0ab-b5b85c746cb7\n",
        "{\"hashed_secret\": \"9e21bd4727af40fca0abb5b85c746cb7d01f2a3e\"}\n",
        "checksum/secrets: 9e21bd4727af40fca0abb5b85c746cb7d01f2a3e9e21bd4727af40fca0abb5b8\n",
        "token_hashes = [\"9e21bd4727af40fca0abb5b85c746cb7d01f2a3e9e21bd4727af40fca0abb5b8\"]\n",
        "{\"tokenIds\": [\"9e21bd47-27af-40fc-a0ab-b5b85c746cb7\"]}\n",
        "TOKEN_ISSUED_AT=2025-09-21T19:57:03Z\n",
        "- uses: actions/create-github-app-token@9e21bd4727af40fca0abb5b85c746cb7d01f2a3e\n",
        "'password' => 'required|string|min:8|confirmed',\n",
        "token = get_token(\"9e21bd47-27af-40fc-a0ab-b5b85c746cb7\")\n",
        "revokeToken(\"9e21bd47-27af-40fc-a0ab-b5b85c746cb7\")\n",
        "primary_key = \"ord_Cd6P6uYdpAwVme\"\n",
        "key = \"uploads/2024/9e21bd47-27af-40fc-a0ab-b5b85c746cb7.png\"\n",
        "id,username,token,role\n9e21bd47-27af-40fc-a0ab-b5b85c746cb7,bob,none,admin\n",
    ] {
        assert_eq!(redacted(text).text, text);
    }
}

#[test]
fn a_key_whose_name_ends_in_a_thing_goes() {
    let key = ["9e21bd4727af40fca0ab", "b5b85c746cb7d01f2a3e"].concat();
    for line in ["API_KEY_ORG=HEX", "API_KEY_USER = \"HEX\"", "GITHUB_TOKEN_USER=HEX"] {
        assert!(!redacted(&line.replace("HEX", &key)).text.contains(&key), "{line}");
    }
}

/// Before, a header of a program's own was read by the model alone, and the seed of one-time passwords in an address stayed.
#[test]
fn the_value_of_a_header_and_a_seed_go() {
    let token = ["DNxril3RavGD5", "MfvJ7NScUyk"].concat();
    for line in
        ["req.Header.Set(\"X-Api-Key\", \"HT\")\n", "x.setRequestHeader('X-Api-Key', 'HT');\n"]
    {
        let text = line.replace("HT", &token);
        assert_eq!(redacted(&text).text, line.replace("HT", "<REDACTED:api_key:1>"));
    }
    let seed = ["UZVDIIAJRPQZKDE5", "VIZXDDQJNGKL6PQR"].concat();
    let text = format!("otpauth://totp/a:bob?secret={seed}&issuer=a\n");
    assert_eq!(redacted(&text).text, "otpauth://totp/a:bob?secret=<REDACTED:api_key:1>&issuer=a\n");
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
        "The password is `GitHub71`\n",
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

/// Before, the name and the value of the second one went with the first.
#[test]
fn a_second_assignment_on_a_line_stays() {
    for (path, text) in [
        ("a.sh", "export PASSWORD='M' BUILD=Ab1Cd2Ef3\n"),
        ("a.sh", "make PASSWORD='M' BUILD=Ab1Cd2Ef3\n"),
        ("Dockerfile", "ENV PASSWORD='M' BUILD2=Ab1Cd2Ef3\n"),
        ("a.yml", "cmd: PASSWORD=M BUILD=Ab1Cd2Ef3\n"),
        (".env", "PASSWORD=M BUILD=Ab1Cd2Ef3\n"),
        ("", "login password=M build=Ab1Cd2Ef3\n"),
    ] {
        assert_eq!(left(path, &text.replace("'M'", "M").replace('M', "HT")), text);
    }
}

/// Before, a long expression of short names and numbers was a key.
#[test]
fn an_expression_is_no_key() {
    for text in [
        "key=$(((a*31+b)*31+(c*31+d)*31+e*17))\n",
        "key = ((x+0x80)&0xff)*65536+((y+0x80)&0xff)*256+(z&0xff)\n",
        "key = 7*(y+1)*13*(x-2)+2*(z*5)+w*3%1000\n",
        "key = x1&100*z&255^y^16*i*1000^n^16^z^(col-32)&n^2^x1-w^97\n",
    ] {
        assert_eq!(redacted(text).text, text);
    }
}

const PASSWORD: &str = "kX9vQ2mZ7wR4tY8p";

/// Before, the literal of the next line became empty, and the values of the other settings.
#[test]
fn the_next_statement_and_the_next_setting_stay() {
    for (path, text) in [
        ("a.reg", "\"Password\"=\"M\"\n\"User\"=\"bob\"\n"),
        ("a.tf", "db = {\n  \"password\" = \"M\"\n  \"user\" = \"bob\"\n}\n"),
        ("a.ps1", "$password = \"M\"\n\"Deploying\" | Out-Host\n"),
        ("a.rb", "password = \"M\"\n\"abc\".upcase\n"),
        ("a.conf", "environment=DB_PASSWORD=\"M\",HOME=\"/srv\",PATH=\"/bin\"\n"),
        ("a.sh", "PASSWORD=\"M\" \"$BIN\" x\n"),
        ("a.sh", "PASSWORD=\"M\"\n\"$BIN\" --port 80\n"),
        ("a.sh", "kubectl create secret generic --from-literal=password=\"M\" \"name\"\n"),
        (".env", "A=DB_PASSWORD=\"M\",HOME=\"/srv\"\n"),
    ] {
        let wish = Wish { language: Language::of_path(path), ..Wish::default() };
        let told = redact(&text.replace('M', PASSWORD), &Policy::default(), &wish).unwrap().text;
        let told = told.replace("[REDACTED:generic_secret:1]", "M");
        assert_eq!(told.replace("<REDACTED:generic_secret:1>", "M"), text, "{path}");
    }
}

/// As before.
#[test]
fn halves_over_lines_go() {
    for text in [
        "key(\n    password=\"H\"\n    \"T\",\n)\n",
        "const char *password = \"H\"\n    \"T\";\n",
        "password = (\n    \"H\"\n    \"T\"\n)\n",
        "f(\n    password=\"H\"\n    \"T\"\n)\n",
        "f(\n    password=\"H\"\n    \"T\"  # b\n)\n",
        "x = {\n    \"password\": \"H\"\n    \"T\"\n}\n",
        "x = f(\"smile :)\", password=\"H\"\n      \"T\"\n      )\n",
        "f(password=\"H\"\n    \"T\" if x else None,)\n",
        "password = \"H\" \\\n\"T\"\nx = 1\n",
        "export PASSWORD='H'\\\n'T'\n",
        "#define PASSWORD \"H\" \\\n\"T\"\n",
    ] {
        let (front, back) = PASSWORD.split_at(8);
        let told = redacted(&text.replace('H', front).replace('T', back)).text;
        assert!(!told.contains(front) && !told.contains(back), "{told}");
    }
}
