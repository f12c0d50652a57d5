//! The passwords in the columns of tables and of rows of SQL.

use super::fields::left;
use super::*;

/// Tells whether the two secrets of a table go, which `HT` and `HU` stand for, and nothing else.
pub(super) fn assert_both_go(rows: &str, [first, second]: [&str; 2]) {
    let text = rows.replace("HT", first).replace("HU", second);
    let mark = |number: usize| format!("<REDACTED:generic_secret:{number}>");
    let expected = rows.replace("HT", &mark(1)).replace("HU", &mark(2));
    assert_eq!(redacted(&text).text, expected, "{text}");
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
        " id | name | password\n----+------+-----\n 1 | e|ve | HT\n 2 | a\n b | HU\n(2 rows)\n",
        "| user | password |\n|---|---|\n| bob | HT | extra |\n| eve | HU (temp) |\n",
        "user,password\nbob,HT # temp\neve,HU # old\n",
        "user,password\n\"bob\",\"HT\"\n\"eve\",\"HU\n",
        "INSERT INTO u (id, pwd) VALUES (1, 'HT'), # a\n /* b */ (2, CONCAT('HU', 'a'));\n",
        "INSERT INTO u (id, pass) VALUES (1, HASHBYTES('SHA2_256', 'HT')), (2, 'x' || 'HU');\n",
        "id,note,password\n1,\"a\nb\",HT\n2,\"a, \"\"b\"\"\n\n\",HU\n",
    ] {
        assert_both_go(rows, ["aB3x9Kq2Lm7Z", "Xk29fQp1vB7z"]);
    }
    let told = redacted("id,password\n1,\"aB3x9Kq2Lm7Z\nXk29fQp1vB7z\"\n").text;
    assert_eq!(told, "id,password\n1,\"<REDACTED:generic_secret:1>\"\n");
}

/// Before, a password with a quote, or one that ends as a statement of a program does, stayed where others of its column went.
#[test]
fn a_cell_with_a_sign_of_code_goes() {
    for second in [
        "summer2024!",
        "Summer2024",
        "x7kq2mzr",
        "aB3x9Kq2Lm)",
        "Xk29'fQp1`vB7z",
        "'aB3x9Kq2Lm",
        "Xk29fQp1vB7z;",
    ] {
        for rows in [
            "name,user,password\ndb,bob,HT\nweb,eve,HU\n",
            "name\tuser\tpassword\ndb\tbob\tHT\nweb\teve\tHU\n",
            "| user | password |\n|---|---|\n| bob | HT |\n| eve | HU |\n",
            " id | password\n----+-----\n 1 | HT\n 2 | HU\n(2 rows)\n",
            "COPY users (id, password) FROM stdin;\n1\tHT\n2\tHU\n\\.\n",
        ] {
            assert_both_go(rows, ["Zq81mWp4vT6s", second]);
        }
    }
    for second in ["it''sX9k2Qm4", "a\"B3x9Kq2Lm", "Xk29`fQp1vB7z"] {
        let rows = "INSERT INTO u (id, password) VALUES (1, 'HT'), (2, 'HU');\n";
        assert_both_go(rows, ["Zq81mWp4vT6s", second]);
    }
}

/// Before, no row behind a long one was read.
#[test]
fn a_long_row_ends_no_list_of_values() {
    let bio = "word ".repeat(2000);
    let rows = format!("INSERT INTO u (bio, password) VALUES ('{bio}', 'HT'), ('', 'HU');\n");
    assert_both_go(&rows, ["Zq81mWp4vT6s", "Xk29fQp1vB7z"]);
}

/// Before, the end of the cell and the next cells went with the password.
#[test]
fn the_last_line_of_a_cell_in_quotes_keeps_its_end() {
    assert_both_go(
        "name,note,n\nx,\"Server: a\nPassword: HT\",3\ny,\"User: b\nToken: HU\",4\n",
        ["kX9vQ2mZ7wR4tY8p", "Zq81mWp4vT6sKd03Lx7b"],
    );
    let text = "name,note,n\nx,\"Server: a\nPassword: Summer2024!\",3\n";
    let told = redacted(text).text;
    assert_eq!(told, text.replace("Summer2024!", "<REDACTED:generic_secret:1>"));
}
