//! Literals and codes that belong together, and some that do not.

use crate::{Detection, Policy, score};

/// A token of a known format, which is in no file as such.
fn token() -> String {
    ["gl", "sa_", "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5A", "_", "8f3a9c1d"].concat()
}

/// What is found in a text, each in its pieces.
fn pieces(text: &str) -> Vec<Vec<&str>> {
    let report = score(text, &Policy::default());
    let hits = report.detected_patterns.iter().filter_map(|found| match found {
        Detection::Pattern(hit) if hit.pieces.is_empty() => Some(vec![&text[hit.span.clone()]]),
        Detection::Pattern(hit) => Some(hit.pieces.iter().map(|at| &text[at.clone()]).collect()),
        Detection::Size(_) => None,
    });
    hits.collect()
}

/// What is found in more than one piece.
fn joined(text: &str) -> Vec<Vec<&str>> {
    pieces(text).into_iter().filter(|pieces| pieces.len() > 1).collect()
}

#[test]
fn literals_are_joined_by_what_puts_them_together() {
    let token = token();
    let (a, b) = token.split_at(25);
    for text in [
        format!("const z = \"{a}\" + \"{b}\";\nconst y = \"bye\";\n"),
        format!("part_a = '{a}'\npart_b = '{b}'\nrest = 'x1'\n"),
        format!("x = '{a}'\nx += '{b}'\n"),
        format!("x = '{a}'  # the first of two pieces, and a comment behind it\nx += '{b}'\n"),
        format!("one = '{a}'  # first\ntwo = '{b}'  # second\nz = one + two\n"),
        format!("head = '{a}'\nmode = 'w'\ntail = '{b}'\nsend(mode)\nz = head + tail\n"),
        format!("one = '{a}'\nz = one + '{b}'\n"),
        format!("one = '{a}'\ntwo = '{b}'\nz = f'{{one}}{{two}}'\n"),
        format!("let one = '{a}';\nlet two = '{b}';\nlet z = `${{one}}${{two}}`;\n"),
        format!("one = '{a}'\ntwo = '{b}'\nz = ''.join([one, two])\n"),
        format!("$one = '{a}';\n$two = '{b}';\n$z = $one . $two;\n"),
        format!("f('user', '{a}', '{b}')\n"),
        format!("f('{a}' + '{b}', 'c')\n"),
        format!("x = '{a}#{b}'.replace('#', '')\n"),
        format!("x = f('{a}-{b}'.replaceAll('-',''))\n"),
        format!("x = '{a}%s' % '{b}'\n"),
        format!("x = '%s%s' % ('{a}', '{b}')\n"),
        format!("x = '{a}{{}}'.format('{b}')\n"),
        format!("x = '{{}}{{}}'.format('{a}', '{b}')\n"),
        format!("printf('{a}%s', '{b}')\n"),
        format!("one = '{a}'\nf('%s{b}' % one)\n"),
        format!("one = '{a}'\nf('{{}}{b}'.format(one))\n"),
        format!("d['a'] = '{a}'; d['b'] = '{b}'; x = d['a'] + d['b']\n"),
        format!("d.a = '{a}';\nd.x = '{b}';\nf(d.a + d.x);\n"),
        format!("d[0] = '{a}'\nd[7] = '{b}'\nx = d[0] + d[7]\n"),
        format!("K=\"{a}\"{b}\n"),
        format!("K='{a}'\"{b}\"\n"),
        format!("K={a}\"{b}\"\n"),
        format!("f -H \"K: {a}\"'{b}'\n"),
        format!("x = (\"{a}\"  # it's\n     # c\n     \"{b}\")\n"),
        format!("x = (f\"{a}\" f\"{b}\")\n"),
        format!("x = (\n    b'{a}'  # c\n    rb'{b}')\n"),
        format!("x = \"\"\"{a}\"\"\" \"\"\"{b}\"\"\"\n"),
        format!("x = f\"\"\"{a}\"\"\" + '{b}'\n"),
        format!("var x = @\"{a}\" + $\"{b}\";\n"),
        format!("var x = @\"{a}\" + // c\n  $@\"{b}\";\n"),
        format!("x = \"{a}\" & _\r\n  \"{b}\"\r\n"),
        format!("new StringBuilder().append(\"{a}\").append(\"{b}\").toString();\n"),
        format!("new StringBuilder()\n .append(\"{a}\") // c\n .append(\"{b}\") // d\n"),
        format!("x = \"{a}\".concat(\"{b}\");\n"),
        format!("f(\"{a}\".concat(\"{b}\"), \"c\");\n"),
        format!("x = \"{a}\" + // c\n  \"{b}\";\n"),
        format!("x = \"{a}\" /* \"c\" */ + \"{b}\";\n"),
        format!("x = concat!(\"{a}\", /* c */ \"{b}\");\n"),
        format!("SELECT '{a}' || -- c\n '{b}';\n"),
        format!("A='{a}'\nB='{b}'\nK=$A$B\n"),
        format!("A='{a}'\nB='{b}'\nK=\"$A$B\"\n"),
        format!("var e=\"{a}\",n=\"{b}\";f(e+n)\n"),
        format!("SELECT CONCAT('{a}', '{b}');\n"),
        format!("f(concat('{a}', '{b}'))\n"),
        format!("x = ''.concat('{a}', '{b}');\n"),
        format!("x = string.Concat('{a}', '{b}');\n"),
    ] {
        assert_eq!(joined(&text), [[a, b]], "{text}");
    }
    for text in [
        format!("x = '%s{b}' % '{a}'\n"),
        format!("x = '%s{b}' % ('{a}',)\n"),
        format!("x = '{{}}{b}'.format('{a}')\n"),
        format!("x = '{{1}}{{0}}'.format('{b}', '{a}')\n"),
        format!("fmt.Sprintf(\"%s{b}\", \"{a}\")\n"),
    ] {
        assert_eq!(joined(&text), [[b, a]], "{text}");
    }
}

#[test]
fn a_name_before_the_parts_says_what_they_are() {
    let (a, b) = ("k3Jd9fQx7LmZ2pVtR8", "sWb4Yc6Hg1Nn5AqT0e");
    for text in [
        format!("api_key = \"{a}\" + \"{b}\"\n"),
        format!("head = '{a}'\ntail = '{b}'\napi_key = head + tail\n"),
        format!("api_key = (\n    '{a}'\n    '{b}'\n)\n"),
        format!("f(api_key='{a}' + '{b}', x=1)\n"),
    ] {
        assert_eq!(joined(&text), [[a, b]], "{text}");
    }
}

#[test]
fn what_nothing_puts_together_stays_apart() {
    let token = token();
    let (a, b) = token.split_at(25);
    let open = ["tr", "_iqp_", "WQzJVYWNjKOmZDYHziCHrxXC"].concat();
    let long = ["hf", "_", "kBuREHDLDhdfFFlhVDKYhxOKCnBosaFkWt"].concat();
    for text in [
        format!("one = '{a}'\ntwo = '{b}'\n"),
        format!("type Cipher = '{a}' | '{b}';"),
        format!("f('{a}'); g('{b}')\n"),
        format!("d = {{\"x\": \"{a}\", \"{b}\": 1}}\n"),
        format!("\"token\": \"{a}\"\n\"{b}\": 1\n"),
        format!("x = '{a}' // '{b}'\n"),
        format!("x = (f'{{y}}{a}' f'{b}')\n"),
        format!("x = (f'{a}' rf'{{y}}{b}')\n"),
        format!("x = f(\"{a}\"x\"{b}\")\n"),
        format!("form.append(\"token\", \"{a}\").append(\"user\", \"{b}\");\n"),
        format!("new Headers().append(\"{a}\").append(\"{b}\", \"main\");\n"),
        format!("x = '\"{a}\"\\n\"{b}\"'\n"),
        format!("x = y == '{a}' or z == '{b}'\n"),
        format!("x = f('{a}')('{b}')\n"),
        format!("f(g('{a}'), '{b}')\n"),
        // A token that may be longer is whole without the next item.
        format!("f(\"{open}\",\"b\",{{c:'d'}})\n"),
        format!("{{\"token\":\"{open}\",\"b\":1}}\n"),
        format!("[\"{long}\",\"b\",1]\n"),
        // A name that nothing is known of is no piece of a secret.
        format!("A='client_secret=bP88Q~rcBcYjz'\nB='{b}\n'\nKEY=\"$A$B\"\n"),
        "A='x = 7'\nB='osfG7Tk3BlbkFJBYX7TPs4HaYE6r3ljpC'\nKEY=\"$A$B\"\n".to_owned(),
    ] {
        assert_eq!(joined(&text), Vec::<Vec<&str>>::new(), "{text}");
    }
}

/// The codes of the token, each written in some way, with something between them.
fn list(write: impl Fn(u8) -> String, between: &str) -> String {
    token().bytes().map(write).collect::<Vec<_>>().join(between)
}

#[test]
fn a_list_of_codes_is_found_wherever_it_stands() {
    for (before, list, after) in [
        ("b = bytes([", list(|byte| byte.to_string(), ", "), "])\nz = 1\n"),
        ("b = ", list(|byte| format!("chr({byte})"), " + "), "\nz = 1\n"),
        ("b = {", list(|byte| format!("0x{byte:02x}"), ","), "};\nz = 1\n"),
        ("b = [", list(|byte| format!("0o{byte:o}"), ", "), "]\nz = 1\n"),
        ("String.fromCharCode(", list(|byte| byte.to_string(), ","), ");\nz = 1\n"),
        ("codes:\n  - ", list(|byte| byte.to_string(), "\n  - "), "\nnext: 2\n"),
    ] {
        let inner = list.trim_start_matches("chr(").trim_end_matches(')');
        for offset in 0..64 {
            let text = format!("{}{before}{list}{after}", "\n".repeat(offset));
            assert_eq!(pieces(&text), [[inner]], "{offset} {text}");
            // With a gap before, and numbers before that.
            let text = format!("x = 7\n{}\n{before}{list}{after}", "-".repeat(offset));
            assert_eq!(pieces(&text), [[inner]], "{offset} {text}");
        }
    }
}

#[test]
fn a_list_may_end_with_a_letter() {
    let token = ["np", "m_", "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5AqT0z"].concat();
    let list = token.bytes().map(|byte| format!("0x{byte:02x}")).collect::<Vec<_>>().join(", ");
    for offset in 0..64 {
        let text = format!("{}b = [{list}]\n", "-".repeat(offset));
        assert_eq!(pieces(&text), [[list.as_str()]], "{offset}");
    }
}

#[test]
fn two_lists_do_not_hide_each_other() {
    let list = list(|byte| byte.to_string(), ", ");
    let text = format!("a = bytes([{list}])\nb = bytes([{list}])\n");
    assert_eq!(pieces(&text), [[list.as_str()], [list.as_str()]]);
}
