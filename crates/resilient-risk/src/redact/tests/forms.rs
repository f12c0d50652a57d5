//! The places where a password stands in files of everyday use: each goes, and nothing around it.

use super::*;

/// What is put for a password in some forms, each of which has it at `@@`.
fn each(forms: &[&str], password: &str, mark: &str) {
    for form in forms {
        let text = form.replace("@@", password);
        let expected = form.replace("@@", mark);
        assert_eq!(redacted(&text).text, expected, "{text}");
    }
}

const MARK: &str = "<REDACTED:generic_secret:1>";

fn password() -> String {
    ["q7Rk9z", "PwX2vLm"].concat()
}

#[test]
fn a_password_goes_from_a_literal_with_a_prefix() {
    let forms = [
        "password = b\"@@\"\n",
        "db_password = b'@@'\n",
        "secret = r\"@@\"\n",
        "PASSWORD = rb'@@'\n",
        "passwd = u'@@'\n",
        "let password = r#\"@@\"#;\n",
        "let secret: &[u8] = br##\"@@\"##;\n",
        "const SECRET: &'static str = \"@@\";\n",
        "ALTER LOGIN bob WITH PASSWORD = N'@@';\n",
        "string password = @\"@@\";\n",
        "var password = $\"@@\";\n",
        "var password = $@\"@@\";\n",
    ];
    each(&forms, &password(), MARK);
    // What ends a raw literal is not what ends others.
    each(&["let password = r#\"@@\"#;\n"], "q7Rk\"9z\\PwX2", MARK);
    each(&["string password = @\"@@\";\n"], "q7Rk\"\"9zPwX2", MARK);
    each(&["ALTER LOGIN bob WITH PASSWORD = N'@@';\n"], "q7Rk''9zPwX2", MARK);
    each(&["f(password: '@@', name: '')\n"], "bm90IG15IHJl4WwgcGF=", MARK);
    let text = "password = bx\"a1B2c3D4\"\nlet key: Vec<A1b2C3> = b\"x\";\n";
    assert_eq!(redacted(text).text, text);
}

#[test]
fn a_password_goes_from_where_commands_and_programs_have_it() {
    let forms = [
        "$s = ConvertTo-SecureString \"@@\" -AsPlainText -Force\n",
        "$s = ConvertTo-SecureString -String '@@' -AsPlainText -Force\n",
        "Connect-Thing -User bob -Password @@ -Verbose\n",
        "net use Z: \\\\srv1\\share /user:bob @@\n",
        "net use Z: \\\\srv1\\share @@ /user:ACME\\bob\n",
        "curl -u bob:@@ https://api.acme.io/x\n",
        "curl -u 'bob:@@' https://api.acme.io/x\nnext: @@ .\n",
        "machine api.acme.io login bob password @@\n",
        "machine api.acme.io\n  login bob\n  password @@\n",
        "db.acme.io:5432:orders:bob:@@\n",
        "# servers\n*:*:*:bob:@@\n",
    ];
    each(&forms, &password(), MARK);
    let dsn = "dsn := \"bob:@@@tcp(10.0.0.5:3306)/orders?parseTime=true\"\n";
    each(&[dsn], &password(), "<REDACTED:conn_string:1>");
    for text in [
        "dsn := \"bob:$PASSWORD1@tcp(10.0.0.5:3306)/orders\"\n",
        "net use Z: \\\\srv1\\share /user:bob *\n",
        "listen 10.0.0.5:5432:a:b\n",
        "Get-Thing -Passthru file1.txt\n",
    ] {
        assert_eq!(redacted(text).text, text);
    }
}

#[test]
fn a_password_goes_from_a_list_and_a_table() {
    let forms = [
        "**password:** @@\n",
        "* **Password**: `@@`\n",
        "| user | password |\n|------|----------|\n| bob | @@ |\n",
        "x\n\n| Password | User |\n|:--|--:|\n| - | amy |\n| `@@` | bob |\n\nx\n",
        "name,user,password\nmail,bob,@@\n",
        "id,password\n1,@@\n",
        "\u{feff}password,user\n@@,bob\n",
        "\"name\",\"db_password\",\"user\"\n\"a, b\",\"@@\",\"bob\"\n",
        "accounts:\n\n```\nuser\tpassword\nbob\t@@\n```\n",
    ];
    each(&forms, &password(), MARK);
    let text = "user,secret\nbob,q7Rk9zPwX2vL\namy,kqvxzfjwpqxz\njo,none\nal,changeme\n";
    let all = redacted(text).text;
    assert!(!all.contains("q7Rk") && !all.contains("kqvx"), "{all}");
    assert!(all.ends_with("jo,none\nal,changeme\n"), "{all}");
    for cell in [
        "${DB_PASS_11}",
        "DB_PASSWORD_11",
        "vault:kv/data/app12#pw",
        "****1234",
        "changeme123",
        "v12.10.1-rc.1",
        "2026-11-28T10:11:12Z",
        "model_2024x1",
        "Szczecin",
        "0f9a1c2e-1111-4222-8333-0123456789ab",
    ] {
        let text = format!("id,secret,user\n1,q7Rk9zPwX2vLm4,bob\n2,{cell},amy\n");
        let all = redacted(&text).text;
        assert!(all.ends_with(&format!("2,{cell},amy\n")) && !all.contains("q7Rk"), "{all}");
    }
    let key = ["q7Rk9zPwX2vLm", "aX4tB8nQe1Zr0"].concat();
    each(&["user,api_key\nbob,@@\n", "name;API Key\nbob;@@\n"], &key, MARK);
    let [one, two] = ["q7Rk9zPwX2vLm", "aX4tB8nQe1Zr0"];
    let text = format!("user;pass;passphrase\na;{one};{two}\nb;{two};-\n\nc;q7Rk;-\n");
    let short = redacted(&text).text.replace("REDACTED:generic_secret:", "");
    assert_eq!(short, format!("user;pass;passphrase\na;<1>;<2>\nb;<2>;-\n\nc;q7Rk;-\n"));
    for text in [
        "| name | password policy |\n|---|---|\n| Win2k3Srv | aX4tB8nQe1Zr0 |\n",
        "| user | password |\nbob | aX4tB8nQe1Zr0 |\n",
        "f(user, password)\ng(bob, aX4tB8nQe1Zr0)\n",
        "| test | pass |\n|---|---|\n| a | 3/4 |\n| b | yes |\n",
        "suite,pass,fail\nunit,Node18.x-x64,0\n",
        "| Test | Pass | Fail |\n|---|---|---|\n| a | Light86-main | |\n",
        "| Field | Password |\n|---|---|\n| type | STRING(232) |\n",
    ] {
        assert_eq!(redacted(text).text, text);
    }
}

#[test]
fn a_copy_of_a_password_goes_however_few_its_digits_and_changes() {
    for password in ["kqvxzfjwpq47", "aTeRoMiSaLe1"] {
        let text = format!("mysql -u root -p'{password}' orders\nsee {password} there\n");
        let redacted = redacted(&text).text;
        assert!(!redacted.contains(password), "{redacted}");
    }
}

#[test]
fn a_key_goes_however_few_its_digits_are_and_however_much_it_looks_like_a_name() {
    let forms = ["API_KEY=@@\n", "x=1\nAPI_KEY=@@\r\ny=2\n", "API_KEY = \"@@\"\n"];
    for key in ["j8BrbQkR,EuKpWMGj", "SawSmozR,WVT5iMCv", "I5WNiV7L,suptsNtr", "oburMIM9,buR4RTQ6"]
    {
        each(&forms, &key.replace(',', ""), "<REDACTED:api_key:1>");
    }
    for text in [
        "API_KEY=KEY_10CHANNELSUP\n",
        "KEY_NAME=ReadOnlyAccessToken\n",
        "token=get_Access2TokenFromCache\n",
        "api_key = someIdentifier2OfThis\n",
    ] {
        assert_eq!(redacted(text).text, text);
    }
}

#[test]
fn a_token_with_a_short_prefix_goes_though_it_looks_like_a_name() {
    for token in [
        ["tr", "_ccew_219FTEUtFcsXCG57mzYtWNaL3"],
        ["AK", "ID1zCREugOLr4viLuISAtKt6brTi9Jb7wP"],
        ["zt", "_2uHPO6WEPIT9id0c3FGRsBONsNHIr25Q"],
    ] {
        each(&["zerotier = \"@@\"\n"], &token.concat(), "<REDACTED:api_key:1>");
    }
}

#[test]
fn a_password_goes_whole_of_which_a_name_or_the_model_shows_a_part() {
    let [first, second] = ["Rh/pkEI,DDPGQt", "3hCd.2QuZqtBUUMi.VS532Pqo5d"];
    for password in [
        [first, second].concat(),
        ["JNKN0NuR/1E8vpgP.YO/QIskQdGx", "OQ5Jb4JiAM_ad3=/mOdR+v/CR"].concat(),
        ["0iRExE1Vt69+1dps82PD:CY:5Rqp0KrixJPJJJ-SJY/3swfvYYKniE0xc", "pQTBZ4ZGAvg///J5J:e7D"]
            .concat()
            + &first.repeat(2),
    ] {
        let text = redacted(&format!("password = \"{password}\"\n")).text;
        assert!(text == "password = \"<REDACTED:generic_secret:1>\"\n", "{password} {text}");
    }
}

#[test]
fn an_option_before_a_password_stays_and_so_does_the_name_of_a_user() {
    let password = ["Secr3", "tX9@corp.com"].concat();
    let text = redacted(&format!("mysql -h h1 -u root -p{password} orders\n")).text;
    assert!(text.starts_with("mysql -h h1 -u root -p<REDACTED:"), "{text}");
    let user = format!("{{\"sub\": \"auth0|5f7c8ec7c33c{}\"}}\n", "6c004bbafe82");
    assert_eq!(redacted(&user).text, user);
}
