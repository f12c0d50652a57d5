//! What stands behind words and is no password: names, words, parts of code.

use super::found;

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
fn whose_password_it_is_and_where_it_is_kept_stays() {
    for text in [
        "keyring.set_password(\"Orders2024\", \"Shop2024\", password)\n",
        "resetPassword(\"Orders2024\")\n",
        "bcrypt.hash(password, 'Orders2024')\n",
        "The admin password is Orders2024 specific.\n",
        "# Changes\n- login, password, token\n- reset, Oauth2Client, x\n",
        "from a import (\n    login, reset_password,\n    logout, Oauth2Client,\n)\n",
        "key: fleet-db-12-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b\n",
        "password: \"issue#123\"\n",
        "'password' => 'required|min:12|regex:/[0-9]/',\n",
        &format!("STRIPE_KEY={}\n", ["pk_", "live_", "q7Rk9zPw2mX4bVt8Ls3Yc6Hg"].concat()),
        "passwords: {policy: \"Orders2024\", table: \"Shop2024\"}\n",
    ] {
        assert_eq!(found(text), [], "{text}");
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
