//! Copies of a secret, in full and in part.

use sha2::Digest as _;

use super::*;

#[test]
fn a_chosen_secret_goes_everywhere() {
    let one = token("k3Jd9f");
    let redaction = choosing(&format!("{one}\n{one}\nx{one}y\n"), &["1"]).unwrap();
    assert_eq!(redaction.text.matches("<REDACTED:github_pat:1>").count(), 3, "{redaction:?}");
    assert!(!redaction.text.contains(&one));
}

#[test]
fn a_password_that_a_machine_has_made_goes_everywhere_and_a_word_where_it_was_found() {
    let [made, long] = ["Zq8vTr2mXw", "OybOBWygC61KwDC3dg"].map(|begin| [begin, "Kp4"].concat());
    for (text, expected) in [
        (
            format!("db = connect(password=\"{made}\")\nlogin(\"admin\", \"{made}\")\n"),
            "db = connect(password=\"<1>\")\nlogin(\"admin\", \"<1>\")\n",
        ),
        (
            format!(
                "a: postgres://bob:{long}@db/x\nu: postgres%3A//bob%3A{long}%40db/x\nb: {long}\n"
            ),
            "a: postgres://bob:<1>@db/x\nu: postgres%3A//bob%3A<1>%40db/x\nb: <1>\n",
        ),
        (
            "password = \"q7Rk9zPwX2\"\nuser = \"q7Rk9zPwX2\"\n".to_owned(),
            "password = \"<1>\"\nuser = \"q7Rk9zPwX2\"\n",
        ),
        (
            "a: redis://x:Summer-cache-2024@db/x\nb: Summer-cache-2024\n".to_owned(),
            "a: redis://x:<1>@db/x\nb: Summer-cache-2024\n",
        ),
    ] {
        let redacted = redacted(&text).text;
        let short =
            redacted.replace("REDACTED:generic_secret:", "").replace("REDACTED:conn_string:", "");
        assert_eq!(short, expected, "{text}");
    }
}

#[test]
fn copies_of_hexadecimal_passwords_go() {
    let drawn = (0..200_u64).map(|number| {
        let digest = sha2::Sha256::digest(number.to_le_bytes());
        let len = 12 + usize::try_from(number % 9).unwrap();
        data_encoding::HEXLOWER.encode(&digest)[..len].to_owned()
    });
    let left = drawn.filter(|password| {
        let text = format!("password = \"{password}\"\nlogin(\"admin\", \"{password}\")\n");
        redacted(&text).text.contains(password)
    });
    let left: Vec<_> = left.collect();
    assert!(left.len() <= 4, "{left:?}");
}

#[test]
fn the_beginning_of_a_secret_goes_with_it_if_it_tells_it() {
    let pat = token("k3Jd9f");
    let key =
        ["sk", "-ant-api03-", &"k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5A".repeat(3)[..93], "AA"].concat();
    for (secret, short, copied) in [(&pat, 11, 12), (&pat, 4, 30), (&key, 13, 21), (&key, 20, 40)] {
        let [short, copied] = [short, copied].map(|len| &secret[..len]);
        let text = format!("key = {secret}\n# begins with {short}: {copied}...\n");
        let redacted = redacted(&text).text;
        assert!(!redacted.contains(copied), "{redacted}");
        assert!(redacted.contains(&format!("with {short}: <")), "{redacted}");
    }
    let longer = format!("{}Z9", &pat[..20]);
    assert!(
        redacted(&format!("a/{pat}\nb/{longer}/c")).text.contains(&longer[20..]),
        "another token"
    );
}

#[test]
fn secrets_that_begin_alike_are_told_apart_in_time_that_their_length_bounds() {
    let texts: [fn(String) -> String; 2] = [
        |rest| ["gh", "p_aB3dE5fG", &rest[..28]].concat(),
        |rest| ["ey", "JhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ", &rest[..28], ".", &rest].concat(),
    ];
    for secret in texts {
        let looks = |count: usize| {
            let line = |nth| format!("a{nth} = \"{}\"\n", secret(sha256(&format!("{nth}"))));
            let text: String = (0..count).map(line).collect();
            crate::work::taken();
            let redaction = redacted(&text);
            assert_eq!(redaction.replaced.len(), count);
            crate::work::taken() / text.len() as u64
        };
        let (few, many) = (looks(100), looks(1_600));
        assert!(many <= 2 * few, "{few} looks at each byte, {many} of a longer text");
    }
    // Of two that begin alike, one in full and one as far as it was copied.
    let (short, long) = (token("k3Jd9f"), token("k3Jd9f") + "k3Jd");
    let copy = &long[..42];
    let text = format!("a = {short}\nb = {long}\nc = x{short}zz\nd = {copy}\n");
    assert!(!redacted(&text).text.contains("k3Jd9f"), "{text}");
}

#[test]
fn a_secret_that_repeats_itself_is_searched_in_time_that_its_length_bounds() {
    let jwt = |len: usize| {
        let head = ["ey", "J"].concat().repeat(len);
        let body = ["ey", "Jk3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5A.", "k3Jd9fQx7LmZ2pVtR8sW"].concat();
        format!("a = {head}.{body}\nb = {head}\n")
    };
    let looks = |text: &str| {
        crate::work::taken();
        assert!(redacted(text).text.contains("<REDACTED:jwt:1>"));
        crate::work::taken() / text.len() as u64
    };
    let (short, long) = (looks(&jwt(1_000)), looks(&jwt(4_000)));
    assert!(long <= 2 * short, "{short} looks at each byte, {long} of a longer text");
}

#[test]
fn a_token_that_is_glued_to_itself_goes_whole() {
    let live = ["sk", "_live_I3FpGwzzpXFPAWxximQypoSe"].concat();
    let grid =
        ["S", "G.e3XWUAU_6gT_FCl9a9f4WH.5TEX8H8gQYNpx1tJ0Qw1eNxTFnT48tIAcgMDipoisXg"].concat();
    let jwt = ["ey", "JhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1c2VyIn0.", &"k3Jd9fQx7L".repeat(4)].concat();
    for token in [live, grid, jwt] {
        for times in [2, 3] {
            let redacted = redacted(&format!("a = {}\n", token.repeat(times))).text;
            let rest = redacted.rsplit(['>', '=']).next();
            assert_eq!(rest, Some("\n"), "{redacted}");
        }
    }
}

#[test]
fn two_tokens_that_are_glued_to_each_other_go_whole() {
    let body = "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5Aq8Xe";
    let tokens = [
        token("k3Jd9f"),
        ["np", "m_", body].concat(),
        ["sk", "_live_", &body[..24]].concat(),
        ["gl", "pat-", &body[..20]].concat(),
        ["S", "G.e3XWUAU_6gT_FCl9a9f4WH.5TEX8H8gQYNpx1tJ0Qw1eNxTFnT48tIAcgMDipoisXg"].concat(),
        ["ey", "JhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1c2VyIn0.", body].concat(),
    ];
    for (one, other) in tokens.iter().flat_map(|one| tokens.iter().map(move |other| (one, other))) {
        let redacted = redacted(&format!("a = {one}{other}\n")).text;
        let rest = redacted.rsplit(['>', '=']).next();
        assert_eq!(rest, Some("\n"), "{redacted}");
    }
}

#[test]
fn an_encoded_copy_behind_an_escape_goes_too() {
    let one = token("k3Jd9f");
    let hex: String = one.bytes().map(|byte| format!("{byte:02x}")).collect();
    for escape in ["n", "t", "\\n"] {
        let text = format!("{{\"log\": \"{one}\\{escape}{hex}\"}}\n");
        let wish = Wish { language: Some(Language::Json), ..Wish::default() };
        let redacted = redact(&text, &Policy::default(), &wish).unwrap().text;
        let marks = ["<REDACTED:github_pat:1>", "<REDACTED:github_pat:2>"];
        assert_eq!(redacted, format!("{{\"log\": \"{}\\{escape}{}\"}}\n", marks[0], marks[1]));
    }
}

/// The beginning was read in sixteen bytes only, so the address of a service went wherever it stood.
#[test]
fn the_public_beginning_of_a_secret_stays() {
    let service = ["https://hooks.", "slack.com/services/"].concat();
    let hook = [&service, "TLG7IV4GWZ/B2CH7HGTTX/", "k3Jd9fQx7LmZ2pVtR8sWb4Yc"].concat();
    let text = format!("url = \"{hook}\"\nif url.startswith(\"{service}\"): pass\n");
    let redacted = redacted(&text).text;
    assert!(redacted.contains(&format!("startswith(\"{service}\")")), "{redacted}");
    assert!(!redacted.contains("k3Jd9fQx7LmZ"), "{redacted}");
}

#[test]
fn copies_of_a_bearer_token_go_however_short_it_is() {
    for token in ["q7Rk9zPwX2vLmTb4Ds8N", "k3Jd9fQx7LmZ2pVtR8sWb4YcHg1Nn5Av"] {
        let text = format!("Authorization: Bearer {token}\nx = \"{token}\"\n");
        let redacted = redacted(&text).text;
        assert!(!redacted.contains(token), "{redacted}");
    }
}
