//! A whole token leaves the literals beside it alone, and the pieces of a token that a program joins all go.

use super::tables::assert_both_go;
use super::*;
use crate::steady::Chance;

const MIXED: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const DRAWS: usize = 12;

/// Tokens of formats with a length, and of some without.
fn tokens(chance: &mut Chance) -> [String; 8] {
    [
        ["gh", "p_", &chance.draw(MIXED, 36)].concat(),
        ["np", "m_", &chance.draw(MIXED, 36)].concat(),
        ["AI", "za", &chance.draw(MIXED, 35)].concat(),
        ["AK", "IA", &chance.draw(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)].concat(),
        ["gl", "pat-", &chance.draw(MIXED, 20)].concat(),
        ["sk_", "live_", &chance.draw(MIXED, 24)].concat(),
        ["xo", "xb-123456789012-123456789012-", &chance.draw(MIXED, 24)].concat(),
        ["sk-", "proj-", &chance.draw(MIXED, 48)].concat(),
    ]
}

/// Texts with a token and a value beside it, which nothing puts together.
type Apart = (Option<Language>, fn(&str, &str) -> String);
const APART: [Apart; 36] = [
    (Some(Language::Shell), |k, w| format!("./deploy.sh \"{k}\" \"{w}\"\n")),
    (Some(Language::Shell), |k, w| format!("notify.sh \"{w}\" \"{k}\"\n")),
    (Some(Language::Shell), |k, w| format!("run --token=\"{k}\" \"{w}\"\n")),
    (Some(Language::Shell), |k, w| format!("curl -u \"bob:{k}\" \"{w}\"\n")),
    (Some(Language::Shell), |k, w| format!("set -- \"{k}\" \"{w}\"\n")),
    (Some(Language::Shell), |k, w| format!("echo \"two words\" \"{k}\" \"{w}\"\n")),
    (Some(Language::Shell), |k, w| format!("cd x\n\"$CMD\" \"{k}\" \"{w}\"\n")),
    (Some(Language::Shell), |k, w| format!("./deploy.sh \\\n  \"{k}\" \\\n  \"{w}\"\n")),
    (Some(Language::Shell), |k, w| format!("ARGS=(\"{k}\" \"{w}\")\n")),
    (Some(Language::Shell), |k, w| format!("ARGS+=(\n  \"{k}\"\n  \"{w}\"\n)\n")),
    (Some(Language::Shell), |k, w| format!("printf \"%s:%s\" \"{k}\" \"{w}\"\n")),
    (Some(Language::Python), |k, w| format!("p = os.path.join(\"{k}\", \"{w}\")\n")),
    (Some(Language::Python), |k, w| format!("p = os.path.join(\"{w}\", \"{k}\", \"{w}\")\n")),
    (Some(Language::Python), |k, w| format!("p = \" \".join([\"{k}\", \"{w}\"])\n")),
    (Some(Language::Python), |k, w| format!("log.info(\"{{}} {{}}\".format(\"{k}\", \"{w}\"))\n")),
    (Some(Language::Python), |k, w| format!("f(\"{k}\", \"{w}\")\n")),
    // A docstring. As a part of a token, such a word would go.
    (Some(Language::Python), |k, w| format!("k = \"{k}\"\n\"\"\"{w}Name7x1\"\"\"\n")),
    (Some(Language::JavaScript), |k, w| format!("const p = [\"{k}\", \"{w}\"].join(\" \");\n")),
    (Some(Language::Go), |k, w| format!("fmt.Printf(\"{k}\", \"{w}\")\n")),
    (Some(Language::Java), |k, w| format!("var p = String.join(\":\", \"{k}\", \"{w}\");\n")),
    (Some(Language::CSharp), |k, w| format!("var p = string.Format(\"{k}\", \"{w}\");\n")),
    (Some(Language::Php), |k, w| format!("<?php $p = implode(\",\", [\"{k}\", \"{w}\"]);\n")),
    (Some(Language::Yaml), |k, w| format!("args: [\"{k}\", \"{w}\"]\n")),
    (Some(Language::Yaml), |k, w| format!("args:\n  - \"{k}\"\n  - \"{w}\"\n")),
    (Some(Language::Json), |k, w| format!("{{\"args\": [\"{k}\", \"{w}\"]}}\n")),
    (Some(Language::Env), |k, w| format!("KEY_1=\"{k}\"\nKEY_2=\"{w}\"\n")),
    (Some(Language::JavaScript), |k, w| format!("x = a.concat(\"{k}\", \"{w}\");\n")),
    (Some(Language::JavaScript), |k, w| {
        format!("x = a.concat(\"--{w}\", \"{k}\", \"--a\", \"{w}\");\n")
    }),
    (Some(Language::JavaScript), |k, w| format!("x = a.concat([\"{k}\", \"{w}\"]);\n")),
    (Some(Language::JavaScript), |k, w| format!("f(a.concat(\"{k}\"), \"{w}\");\n")),
    (Some(Language::JavaScript), |k, w| format!("x = {{a: \"{k}\\\n  {w}\"}};\n")),
    (Some(Language::Yaml), |k, w| format!("a: \"{k}\\\n\n  {w}\"\n")),
    (Some(Language::Shell), |k, w| format!("f - \"{k}\\\n  {w}\"\n")),
    (Some(Language::Python), |k, w| format!("x = f(\"{k}\")(\"{w}\")\n")),
    (Some(Language::Env), |k, w| format!("[Service]\nEnvironment=\"A={k}\" \"B={w}\"\n")),
    (None, |k, w| format!("Environment=\"TOKEN={k}\" \"USER={w}\"\n")),
];

/// Texts with a token and a word beside it, which may be joined: the token is whole without the word.
const BESIDE: [Apart; 21] = [
    (Some(Language::Java), |k, w| format!("x = \"{k}\" + \"{w}\";\n")),
    (Some(Language::Java), |k, w| format!("x = \"{w}\" + \"{k}\";\n")),
    (Some(Language::Java), |k, w| format!("s.append(\"{k}\").append(\"{w}\");\n")),
    (Some(Language::Java), |k, w| format!("s.append(\"{w}\").append(\"{k}\");\n")),
    (Some(Language::Java), |k, w| format!("f(s.append(\"a\").append(\"{k}\").b(), \"{w}\");\n")),
    (Some(Language::Yaml), |k, w| format!("a: \"{k}\\\n  {w}\"\n")),
    (Some(Language::Shell), |k, w| format!("f 'a'\"{k}\"'b' {w}\n")),
    (Some(Language::Shell), |k, w| format!("f \"{k}\"'-{w}'\n")),
    (Some(Language::Shell), |k, w| format!("A='{k}'B='{w}'\n")),
    (Some(Language::Shell), |k, w| format!("f --a='{k}'--b='{w}'\n")),
    (Some(Language::CSharp), |k, w| format!("var x = @\"{k}\"\"{w}\";\n")),
    (Some(Language::Python), |k, w| format!("x = \"{k}\"\"{w}\"\n")),
    (Some(Language::Python), |k, w| format!("x = \"{{}}{k}\".format(\"{w}\")\n")),
    (None, |k, w| format!("a,\"\"\"{k}\"\"{w}\"\"\",b\n")),
    (None, |k, w| format!("VALUES ('{k}''{w}')\n")),
    (None, |k, w| format!("''{k}''{w}''\n")),
    (None, |k, w| format!("'''{k}''' '''{w}'''\n")),
    (None, |k, w| format!("|\"{k}\"\"{w}\"|\n")),
    (None, |k, w| format!("<a b=\"{k}\"href=\"{w}\">\n")),
    (None, |k, w| format!("print(b\"{k}\"b\"{w}\")\n")),
    (None, |k, w| format!("x = '{k}'or'{w}'\n")),
];

/// Shows in which forms a redaction of the token changes the text beside it.
fn neighbours_stay(forms: &[Apart], words: &[&str], digests: usize) {
    let chance = &mut Chance(0x9E37_79B9_7F4A_7C15);
    let mark = Regex::new("<REDACTED:[a-z_]+:[0-9]+>|\\[REDACTED:[a-z_]+:[0-9]+\\]").unwrap();
    let (mut count, mut faults) = (0, Vec::new());
    for (nth, (language, write)) in forms.iter().enumerate() {
        for draw in 0..words.len() + digests {
            for token in tokens(chance) {
                let word = match words.get(draw) {
                    Some(word) => (*word).to_owned(),
                    None => chance.draw(b"0123456789abcdef", 40),
                };
                let text = write(&token, &word);
                let wish = Wish { language: *language, ..Wish::default() };
                let redacted = redact(&text, &Policy::default(), &wish).unwrap().text;
                count += 1;
                let (marked, kept) = (mark.replace_all(&redacted, "@"), text.replace(&token, "@"));
                // A digest may count as a key by itself. Then it has a mark of its own.
                if marked != kept && (draw < words.len() || marked != kept.replace(&word, "@")) {
                    faults.push((nth, format!("{text} -> {redacted}")));
                }
            }
        }
    }
    no_faults(count, &faults);
}

/// Shows how many faults each form has, and one of them.
fn no_faults(count: usize, faults: &[(usize, String)]) {
    let mut by_form = std::collections::BTreeMap::<usize, (usize, &str)>::new();
    for (nth, fault) in faults {
        by_form.entry(*nth).or_insert((0, fault)).0 += 1;
    }
    assert!(faults.is_empty(), "{} of {count}: {by_form:#?}", faults.len());
}

#[test]
fn what_stands_beside_a_whole_token_stays() {
    neighbours_stay(&APART, &["production", "main", "8080", "user1", "v1.2.3", "https://x.io"], 6);
    neighbours_stay(&BESIDE, &["production", "main", "8080", "user1", "v1.2.3", "eu-west-1"], 0);
}

/// Before, other items hid a token whose format has one length, and so did variables without quotes.
#[test]
fn a_token_in_two_pieces_goes_and_what_stands_beside_them_stays() {
    type Form = (Language, fn(&str, &str) -> String);
    let forms: [Form; 29] = [
        (Language::Shell, |a, b| format!("A={a}\nB={b}\nX=\"$A$B\"\n")),
        (Language::Shell, |a, b| format!("A={a}\nB={b}\nX=$A$B\n")),
        (Language::Shell, |a, b| format!("A={a}\nB={b}\nexport X=${{A}}${{B}}\n")),
        (Language::Env, |a, b| format!("A={a}\nB={b}\nX=${{A}}${{B}}\n")),
        (Language::Shell, |a, b| format!("A={a}\nB={b}\nrun --t \"$A$B\"\n")),
        (Language::Shell, |a, b| format!("A={a}; B='{b}'\ncurl -H \"X: $A$B\" u\n")),
        (Language::Shell, |a, b| format!("local A={a}\nlocal B={b}\necho \"${{A}}${{B}}\"\n")),
        (Language::Shell, |a, b| format!("A={a}\nA+={b}\n")),
        (Language::Shell, |a, b| format!("A={a}\nA=$A\"{b}\"\n")),
        (Language::Shell, |a, b| format!("A={a}\nA=\"${{A}}{b}\"\n")),
        (Language::Shell, |a, b| format!("B={b}\nX={a}$B\n")),
        (Language::Shell, |a, b| format!("B={b}\nX=\"{a}\"$B\n")),
        (Language::Shell, |a, b| format!("B={b}\nX='{a}'\"$B\"\n")),
        (Language::Shell, |a, b| format!("(A={a}; B={b}; echo \"$A$B\")\n")),
        (Language::Shell, |a, b| {
            format!("if x; then A={a}; else A=other; fi\nB={b}\nX=\"$A$B\"\n")
        }),
        (Language::Shell, |a, b| format!("A={a}\nB={b}\nX=${{A:-x}}${{B:-y}}\n")),
        (Language::Dockerfile, |a, b| format!("ENV A={a}\nENV B={b}\nENV X=$A$B\n")),
        (Language::Python, |a, b| format!("x = \"\".join((\"{a}\", \"{b}\", \"kept\"))\n")),
        (Language::Python, |a, b| format!("x = \"{a}\"\nx += \"{b}\"\nx += \"kept\"\n")),
        (Language::Python, |a, b| format!("x = \"kept\"\nx += \"{a}\"\nx += \"{b}\"\n")),
        (Language::Java, |a, b| {
            format!("x = new StringBuilder(\"{a}\").append(\"{b}\").append(\"kept\");\n")
        }),
        (Language::Java, |a, b| format!("x=\"{a}\"+\"{b}\"+\"kept\";\n")),
        (Language::Shell, |a, b| format!("export A={a}\nexport B={b}\nX=\"${{A}}${{B}}\"\n")),
        (Language::Python, |a, b| format!("f(\"{a}\", \"{b}\", \"host\")\n")),
        (Language::Python, |a, b| format!("f(\"kept\", \"{a}\", \"{b}\", \"host\")\n")),
        (Language::JavaScript, |a, b| {
            format!("f(\"kept\", \"{a}\", \"{b}\", \"host\", \"other\", \"more1\");\n")
        }),
        (Language::Python, |a, b| format!("x = \"\".join([\"kept\", \"{a}\", \"{b}\"])\n")),
        (Language::Python, |a, b| {
            format!("x = \"\".join([\"kept\", \"{a}\", \"{b}\", \"host\"])\n")
        }),
        (Language::Python, |a, b| format!("x = \"kept\" + \"{a}\" + \"{b}\"\n")),
    ];
    let chance = &mut Chance(0x9E37_79B9_7F4A_7C15);
    let (mut count, mut faults) = (0, Vec::new());
    for (nth, (language, write)) in forms.iter().enumerate() {
        for token in tokens(chance).iter().take(3).chain(tokens(chance).iter().take(3)) {
            let (one, two) = token.split_at(6 + chance.below(token.len() - 14));
            let text = write(one, two);
            let wish = Wish { language: Some(*language), ..Wish::default() };
            let redacted = redact(&text, &Policy::default(), &wish).unwrap().text;
            count += 1;
            let stay = ["\"kept\"", "\"host\"", "\"other\"", "\"more1\""];
            let is_lost = stay.iter().any(|it| text.contains(it) && !redacted.contains(it));
            if is_lost || redacted.contains(one) || redacted.contains(two) {
                faults.push((nth, format!("{text} -> {redacted}")));
            }
        }
    }
    no_faults(count, &faults);
}

/// A token with full stops may have one variable for each of its parts, and a whole token leaves other variables alone.
#[test]
fn variables_of_a_shell_are_joined_over_full_stops_and_not_to_whole_tokens() {
    let chance = &mut Chance(0x2545_F491_4F6C_DD1D);
    let mut draw =
        |len| chance.draw(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", len);
    let (one, two) = (["S", "G.", &draw(22)].concat(), draw(43));
    for (begin, end) in
        [("A=", "\nB=#\nX=\"$A.$B\"\n"), ("A=", "\nB=#\nX=\"${A}.${B}\"\n"), ("X=\"", "\".#\n")]
    {
        let text = format!("{begin}{one}{end}").replace('#', &two);
        let redacted = redacted(&text).text;
        assert!(!redacted.contains(&one) && !redacted.contains(&two), "{redacted}");
    }
    for token in [["gh", "p_", &draw(36)].concat(), ["np", "m_", &draw(36)].concat()] {
        for uses in ["[ -z \"$A$B\" ] && exit", "C=$A$B", "# $A$B", "A+=Prod2aXk"] {
            let text = format!("A=@\nB=Prod2aXk\n{uses}\n");
            let expected = text.replace('@', "<REDACTED:api_key:1>");
            let redacted = redacted(&text.replace('@', &token)).text;
            assert_eq!(redacted.replace("github_pat", "api_key"), expected);
        }
    }
}

/// Before, what was added to a token without a length was taken from 8 characters on, and a half that the text assigns above
/// the other one stayed.
#[test]
fn a_token_without_a_length_takes_a_drawn_variable_only_wherever_that_is_set() {
    let chance = &mut Chance(0x9E37_79B9_7F4A_7C15);
    let mut draw =
        |len| chance.draw(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", len);
    for token in [
        ["gl", "pat-", &draw(20)].concat(),
        ["wh", "sec_", &draw(32)].concat(),
        ["hv", "s.", &draw(40)].concat(),
        ["sk-", "ant-api03-", &draw(95)].concat(),
    ] {
        for value in ["Prod2aXk", "myRepoName", "a8Xk29/dir", "a1b2c3d4e5f6"] {
            for uses in ["[ -z \"$A$B\" ] && exit", "C=${A}-$B", "A+=$B"] {
                let text = format!("A=@\nB={value}\n{uses}\n");
                let expected = text.replace('@', "<REDACTED:api_key:1>");
                assert_eq!(redacted(&text.replace('@', &token)).text, expected);
            }
        }
    }
    for name in ["key-vault", "pat-service", "secret_manager", "sk-learn", "eyJson"] {
        let text = format!("NAME={name}\nID=a98c8db\nrun \"web-$NAME-$ID\" /tmp/$NAME$ID\n");
        assert_eq!(redacted(&text).text, text);
    }
    let (one, two) =
        (["sk-", "ant-api03-", &draw(48)].concat(), "Lq9kcoEU2FV4ik6f28DMSJJ7oj7FY6j5rHJMpH3AA");
    for text in [
        format!("B={two}\nX=\"{one}${{B}}\"\n"),
        format!("B={two}\nA={one}\nX=$A$B\n"),
        format!("P=foo\nA={one}\nB={two}\nX=\"$P$A$B\"\n"),
        format!("A={one}\nB={two}\nX=\"Bearer_$A$B\"\n"),
    ] {
        let redacted = redacted(&text).text;
        assert!(!redacted.contains(two) && !redacted.contains(&one), "{redacted}");
    }
}

/// Before, a name with capitals or digits in it went with such a token.
#[test]
fn nothing_belongs_to_a_token_that_is_as_long_as_its_format_allows() {
    let chance = &mut Chance(0x9E37_79B9_7F4A_7C15);
    for word in ["userName", "GitHub", "i18n", "x86_64", "20240115", "aB3x9Kq2Lm"] {
        for token in tokens(chance).into_iter().skip(1).take(2) {
            for (begin, between, end) in [("x = \"", "\" + \"", "\"\n"), ("K='", "''", "'\n")] {
                let text = [begin, &token, between, word, end].concat();
                let mark = "<REDACTED:api_key:1>";
                assert_eq!(redacted(&text).text, text.replace(&token, mark), "{text}");
            }
        }
    }
}

/// Texts that put pieces together: what stands before the pieces, between and behind them.
const PUT: [(Option<Language>, [&str; 3]); 23] = [
    (Some(Language::Python), ["x = \"", "\" + \"", "\"\n"]),
    (Some(Language::Python), ["x = \"", "\" \"", "\"\n"]),
    (Some(Language::Python), ["x = (\n    \"", "\"\n    \"", "\"\n)\n"]),
    (Some(Language::Python), ["f(a, \"", "\" \"", "\")\n"]),
    (Some(Language::Python), ["return \"", "\" \"", "\"\n"]),
    (Some(Language::Python), ["x = \"\".join([\"", "\", \"", "\"])\n"]),
    (Some(Language::Python), ["x = \"\".join([\n    \"", "\",\n    \"", "\",\n])\n"]),
    (Some(Language::Python), ["x = [\"", "\", \"", "\"]\n"]),
    (None, ["#define KEY \"", "\" \"", "\"\n"]),
    (None, ["const char *k = \"", "\"\n  \"", "\";\n"]),
    (Some(Language::JavaScript), ["const x = [\"", "\", \"", "\"].join(\"\");\n"]),
    (Some(Language::Rust), ["let x = concat!(\"", "\", \"", "\");\n"]),
    (Some(Language::Rust), ["let x = [\"", "\", \"", "\"].concat();\n"]),
    (Some(Language::Go), ["x := strings.Join([]string{\"", "\", \"", "\"}, \"\")\n"]),
    (Some(Language::Java), ["x = String.join(\"\", \"", "\", \"", "\");\n"]),
    (Some(Language::Kotlin), ["val x = listOf(\"", "\", \"", "\").joinToString(\"\")\n"]),
    (Some(Language::Php), ["<?php $x = implode(\"\", [\"", "\", \"", "\"]);\n"]),
    (Some(Language::Ruby), ["x = [\"", "\", \"", "\"].join\n"]),
    (Some(Language::Shell), ["KEY=\"", "\"\"", "\"\n"]),
    // Before, what stands in brackets, or behind a backslash and blanks, was no piece.
    (Some(Language::Python), ["x = \"\".join([(\"", "\"), (\"", "\")])\n"]),
    (Some(Language::Java), ["x = String.join(\"\", (\"", "\"), (\"", "\"));\n"]),
    (None, ["SELECT concat(('", "'), ('", "'));\n"]),
    (Some(Language::Java), ["x = StringUtils.concat(\"", "\", \"", "\");\n"]),
];

#[test]
fn the_pieces_that_a_program_joins_all_go() {
    let chance = &mut Chance(0x2545_F491_4F6C_DD1D);
    let (mut count, mut faults) = (0, Vec::new());
    for (nth, (language, [begin, between, end])) in PUT.into_iter().enumerate() {
        for _ in 0..DRAWS {
            // Those that are no token before the end of the last piece.
            let plain =
                |token: &String| !redacted(&format!("x = \"{token}\"\n")).text.contains(token);
            for token in tokens(chance).into_iter().take(5).filter(plain) {
                let (mut pieces, mut rest) = (Vec::new(), token.as_str());
                for _ in 0..1 + chance.below(3) {
                    let (head, tail) = rest.split_at(5 + chance.below(rest.len().div_ceil(3)));
                    (pieces, rest) = ([pieces, vec![head]].concat(), tail);
                    if rest.len() < 8 {
                        break;
                    }
                }
                pieces.push(rest);
                let text = [begin, &pieces.join(between), end].concat();
                let wish = Wish { language, ..Wish::default() };
                let redacted = redact(&text, &Policy::default(), &wish).unwrap().text;
                count += 1;
                if pieces.iter().any(|piece| piece.len() > 3 && redacted.contains(piece)) {
                    faults.push((nth, format!("{text} -> {redacted}")));
                }
            }
        }
    }
    no_faults(count, &faults);
}

/// Before, the last cell of a row and the first one of the next were taken as one literal, and the head lost a name.
#[test]
fn cells_in_quotes_of_two_rows_are_two() {
    for rows in [
        "\"password\",\"user\"\n\"HT\",\"bob\"\n\"HU\",\"eve\"\n",
        "\"api_key\";\"name\";\"role\"\r\n\"HT\";\"bob\";\"a\"\r\n\"HU\";\"eve\";\"b\"\r\n",
        "\"password\", \"user\"\n\"HT\", \"bob\"\n\"HU\", \"eve\"\n",
        "\"id\",\"user\",\"secret_key\"\n\"1\",\"bob\",\"HT\"\n\"2\",\"eve\",\"HU\"\n",
    ] {
        assert_both_go(rows, ["u8jzPde0IgxLd6GnQw4TbZ1k", "cfBAepfJBd0Kh8oOXs7VmN2p"]);
    }
}

/// Literals on two lines of a call are one, also where the second one is not further in.
#[test]
fn literals_of_a_call_are_joined_at_the_beginning_of_a_line() {
    let token = token("k3Jd9f");
    let (one, two) = token.split_at(20);
    for text in [
        format!("os.environ.setdefault(\"GITHUB_TOKEN\",\"{one}\"\n\"{two}\")\n"),
        format!("x = [\"a\",\"{one}\"\n\"{two}\"]\n"),
    ] {
        assert!(!redacted(&text).text.contains(two), "{text}");
    }
}

/// Before, the words of a mark made a secret of a value beside it.
#[test]
fn a_mark_announces_no_secret() {
    let commit = "2tAG1yKwILALo5vR6";
    for text in [
        format!("bob,<REDACTED:generic_secret:1>,{commit},\n"),
        format!("a <REDACTED:api_key:2> commit {commit}\n"),
        format!("user,password,commit\nbob,<REDACTED:generic_secret:1>,{commit}\n"),
    ] {
        assert_eq!(redacted(&text).text, text);
    }
    let text = format!("user,password,commit\nbob,97i4xgciFnq9RBX,{commit},\n");
    let told = redacted(&text).text;
    assert_eq!(told, text.replace("97i4xgciFnq9RBX", "<REDACTED:generic_secret:1>"));
}

/// Before, only the first key of such a list went.
#[test]
fn all_keys_of_a_list_go() {
    let [one, two] = [("Zq81mWp4vT6s", "Xk29fQp1vB7zKd03"), ("c9Lm2Qx7Rt5W", "b4Hn8Js6Vy1PzGe0")]
        .map(|(front, back)| [front, back].concat());
    for name in ["api_keys", "secret_keys", "session_keys", "SECRET_KEY_FALLBACKS"] {
        let text = format!("{name} = [\"{one}\", \"{two}\"]\n");
        let told = redacted(&text).text;
        assert!(!told.contains(&one) && !told.contains(&two), "{told}");
    }
}

/// Before, all that an address is put together from went with its password: user, host and the address itself.
#[test]
fn an_address_that_is_put_together_keeps_its_other_parts() {
    let password = "u8jzPde0IgxLd6GnWq2x";
    for (path, text, name) in [
        (
            "a.py",
            "DB_USER = \"app\"\nDB_PASSWORD = \"@\"\nDB_HOST = \"db.internal\"\nURL = f\"postgresql://{DB_USER}:{DB_PASSWORD}#{DB_HOST}/shop\"\n",
            "os.environ[\"DB_PASSWORD\"]",
        ),
        (
            "a.py",
            "password = \"@\"\nurl = f\"postgres://app:{password}#db/shop\"\n",
            "os.environ[\"PASSWORD\"]",
        ),
        (
            "a.js",
            "const password = \"@\";\nconst url = \"postgres://app:\" + password + \"#db/shop\";\n",
            "process.env.PASSWORD",
        ),
        (
            "a.js",
            "const password = \"@\";\nconst url = `postgres://app:${password}#db/shop`;\n",
            "process.env.PASSWORD",
        ),
        (
            "a.go",
            "password := \"@\"\nurl := fmt.Sprintf(\"postgres://app:%s#db/shop\", password)\n",
            "os.Getenv(\"PASSWORD\")",
        ),
        (
            "a.kt",
            "val password = \"@\"\nval url = \"postgres://app:$password#db/shop\"\n",
            "System.getenv(\"PASSWORD\")",
        ),
        ("a.py", "HOST = \"db.internal\"\nu = \"postgres://app:@#\" + HOST + \":5432/shop\"\n", ""),
        ("a.py", "u = \"https://bob:@#\" + \"git.corp.io\" + \"/x.git\"\n", ""),
    ] {
        let text = text.replace('@', password).replace('#', "@");
        let wish = Wish { language: Language::of_path(path), ..Wish::default() };
        let told = redact(&text, &Policy::default(), &wish).unwrap().text;
        let mark = ["generic_secret", "conn_string"].map(|kind| format!("<REDACTED:{kind}:1>"));
        let told = mark.iter().fold(told, |told, mark| told.replace(mark, password));
        assert_eq!(told, text);
        if !name.is_empty() {
            let told = redact(&text, &Policy::default(), &Wish { env: true, ..wish }).unwrap().text;
            assert_eq!(told, text.replace(&format!("\"{password}\""), name));
        }
    }
}
