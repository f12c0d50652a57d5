//! Texts that were made to be slow to scan: floods, runs without end, and encodings of encodings.
//!
//! Tests hold the scan's work on them to a bound, and benchmarks time them. Nothing else needs them.

/// Texts of about so many bytes, by name.
#[must_use]
pub fn texts(len: usize) -> Vec<(&'static str, String)> {
    let whole = |(name, part): (&'static str, String)| {
        let mut text = part.repeat(len / part.len().max(1) + 1);
        let end = (0..=len).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
        (name, text)
    };
    parts(len).into_iter().map(whole).collect()
}

/// What the texts are made of; each part is repeated.
fn parts(size: usize) -> Vec<(&'static str, String)> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = move |of: &[u8], len: usize| {
        let next = std::iter::repeat_with(|| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            of.get((state >> 33) as usize % of.len().max(1)).copied().unwrap_or(b'x')
        });
        next.take(len).map(char::from).collect::<String>()
    };
    const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const ALNUM: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    const HEX: &[u8] = b"0123456789abcdef";
    let (lines, tokens, names): (String, String, String) = (
        (0..1400).map(|_| random(BASE64, 76) + "\n").collect(),
        (0..2000).map(|_| random(ALNUM, 32) + " ").collect(),
        (0..1500).map(|_| "api_key = \"".to_owned() + &random(ALNUM, 40) + "\"\n").collect(),
    );
    let cut = |width: usize, text: &str| -> String {
        let bytes = text.as_bytes().chunks(width);
        bytes.map(|line| String::from_utf8_lossy(line).into_owned() + "\n").collect()
    };
    let long = random(ALNUM, size);
    let nested = (0..6).fold("password = \"x\" ".repeat(900), |text, _| base64_of(text.as_bytes()));
    let text64 = base64_of("the quick brown fox key=1 ".repeat(3000).as_bytes());
    vec![
        ("one letter", "a".to_owned()),
        ("one digit", "7".to_owned()),
        ("random letters and digits", long.clone()),
        ("base64, one line", random(BASE64, size)),
        ("base64, lines", lines),
        ("base64 of text", text64.clone()),
        ("base64 of text, tokens", cut(48, &text64).replace('\n', " ")),
        ("nested base64", nested),
        ("hexadecimal digits, one line", random(HEX, size)),
        ("hexadecimal digits of text", "6b65793d".repeat(100) + " "),
        ("tokens", tokens),
        ("named tokens", names),
        ("short lines of token characters", cut(12, &long)),
        ("shrinking lines", (6..16).rev().map(|len| random(ALNUM, len) + "\n").collect()),
        ("AKIA flood", "AKIA".to_owned()),
        ("a row of prefixes", "sk_live_".to_owned()),
        ("a row of short prefixes", "sk-".to_owned()),
        ("AKIA tokens", "AKIA".to_owned() + &"Z9".repeat(8) + " "),
        ("keyword flood", "AKIAeyJghp_sk-".to_owned()),
        ("eyJ flood", "eyJa.".to_owned()),
        ("eyJ dots", ".eyJ".to_owned()),
        ("passwords", "password=".to_owned()),
        ("passwords with values", "password='q7Rk!9zPw' ".to_owned()),
        ("words for secrets", "key token auth pass pwd secret ".to_owned()),
        ("words for secrets with digits", "key:1token:2auth=3pass='4".to_owned()),
        ("addresses", "a@b.io ".to_owned()),
        ("ats", "@".to_owned()),
        ("ats and letters", "a@".to_owned()),
        ("long local part", "a.".repeat(40_000) + "@"),
        ("dots after at", "@".to_owned() + &"a.".repeat(200)),
        ("urls", "://a:b1c2d3e4@h ".to_owned()),
        ("schemes", "://".to_owned()),
        ("ports", ":5432:a:".to_owned()),
        ("addresses of Go", ":@tcp(".to_owned()),
        ("users of shares", "net use \\\\a /user:".to_owned()),
        ("heads of tables", "|pass|\n|--|\n".to_owned()),
        ("columns", "pass|".to_owned()),
        ("lines of heads", "pass,1\n\n".to_owned()),
        ("lists in lists", "api_keys = [".to_owned()),
        ("logins", "login".to_owned()),
        ("logins and slashes", "login a / 1".to_owned()),
        ("pipes", "echo a | chpasswd ".to_owned()),
        ("labels", "'password' (".to_owned()),
        ("sections", "[tokens]\na=1\n".to_owned()),
        ("heads of tokens", "token,1\n\n".to_owned()),
        ("columns of tokens", "token|".to_owned()),
        ("rows of names", "|pass|a1\n".to_owned()),
        ("names in one row", "|pass1 ".to_owned()),
        ("variables", "variable \"pass1\" {".to_owned()),
        ("literals in brackets", "(\"k\"),".to_owned()),
        ("raw literals", "password=r#\"q7".to_owned()),
        ("types", "password:a1 ".to_owned()),
        ("hashes that go on", "$a*\\\n".to_owned()),
        ("bearer", "bearer ".to_owned()),
        ("escapes", r"\x41\x6b".to_owned()),
        ("escapes and letters", r"\x41bcdefg".to_owned()),
        ("percent", "%41".to_owned()),
        ("backslashes", "\\".to_owned()),
        ("entities", "&#65;&#x42;".to_owned()),
        ("quotes", "\"".to_owned()),
        ("added literals", "\"a1b2\"+".to_owned()),
        ("listed literals", "\"k\",".to_owned()),
        ("literals and blocks of comment", "\"k\"/**/".to_owned()),
        ("literals and lines of comment", "\"k\"#".to_owned()),
        ("literals and comments without an end", "\"k\"+/*".to_owned()),
        ("glued literals", "ghp_\"k\"".to_owned()),
        ("character codes", "103, 108, ".to_owned()),
        ("digits and dashes", "123-45-6789-".to_owned()),
        ("numbers", "4111 1111 1111 1111 ".to_owned()),
        ("phone numbers", "+44 20 7946 0958, ".to_owned()),
        ("plus signs", "+4".to_owned()),
        ("brackets", "(415) ".to_owned()),
        ("groups", "ab12 cd34 ef56 gh78 ".to_owned()),
        ("zero width", "a\u{200b}".to_owned()),
        ("Cyrillic", "секрет и ".to_owned()),
        ("full width", "\u{ff41}\u{ff11}".to_owned()),
        ("Chinese", "密码是".to_owned()),
        ("equals", "=".to_owned()),
        ("slashes", "a/".to_owned()),
        ("dots", "a1.".to_owned()),
        ("dashes", "-".to_owned()),
        ("pluses", "+".to_owned()),
        ("underscores", "a_1_".to_owned()),
        ("key blocks", "-----BEGIN ".to_owned()),
        ("key blocks backwards", "-----YEK ETAVIRP".to_owned()),
        ("continued lines", "ab1\\\n".to_owned()),
        ("line feeds", "\n".to_owned()),
        ("uuids", "550e8400-e29b-41d4-a716-446655440000 ".to_owned()),
        ("placeholders", "ghp_xxxx ".to_owned()),
        ("secret access keys", "aws_secret_access_key=".to_owned()),
    ]
}

fn base64_of(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let value = (0..3)
            .fold(0, |value, nth| value << 8 | u32::from(three.get(nth).copied().unwrap_or(0)));
        for nth in 0..=three.len() {
            let digit = (value >> (18 - 6 * nth)) as usize & 63;
            text.push(DIGITS.get(digit).copied().map_or('=', char::from));
        }
    }
    text + &"=".repeat((3 - bytes.len() % 3) % 3)
}
