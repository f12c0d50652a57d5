//! What has nothing to do with a finding takes none away: a line before or after it, other line ends, a
//! mark of the byte order, the end of a sentence, brackets, digests above it, the same text once more.
//!
//! There are no labels in it. What a text has by itself, it has in every such place.

use super::{Detection, Policy, score};

/// A row of numbers that is the same on every run.
pub(super) struct Chance(pub(super) u64);

impl Chance {
    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 16
    }

    /// A number below another one.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.next() as usize % end.max(1)
    }

    /// So many parts, put together: each is one of a list that `|` divides.
    pub(super) fn text(&mut self, parts: &str, count: usize) -> String {
        let parts: Vec<&str> = parts.split('|').collect();
        (0..count).map(|_| parts[self.below(parts.len())]).collect()
    }

    /// So many characters of an alphabet.
    pub(super) fn draw(&mut self, alphabet: &[u8], len: usize) -> String {
        (0..len).map(|_| char::from(alphabet[self.next() as usize % alphabet.len()])).collect()
    }
}

const MIXED: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const HEX: &[u8] = b"0123456789abcdef";

/// A token of a known format.
fn token() -> String {
    ["gl", "sa_", "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5A", "_", "8f3a9c1d"].concat()
}

fn each(text: &str, write: impl Fn(u8) -> String) -> String {
    text.bytes().map(write).collect()
}

fn parts(text: &str, len: usize) -> Vec<&str> {
    text.as_bytes().chunks(len).map(|part| std::str::from_utf8(part).unwrap()).collect()
}

/// Texts that each have a finding.
fn texts() -> Vec<String> {
    let chance = &mut Chance(0x9E37_79B9_7F4A_7C15);
    let token = token();
    let base64 = |text: &str| {
        use base64::Engine as _;
        base64::engine::general_purpose::STANDARD.encode(text)
    };
    let long = base64(&["SERVICE_TOKEN=", &token, "\n"].concat().repeat(3));
    vec![
        ["gh", "p_", &chance.draw(MIXED, 36)].concat(),
        ["AK", "IA", &chance.draw(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)].concat(),
        ["sk_", "live_", &chance.draw(MIXED, 24)].concat(),
        token.clone(),
        format!("password = \"{}\"", "Tr0ub4dor&3x"),
        format!("POSTMARK_API_KEY={}", "8b1f04c7-2d3e-4a59-9c60-d7e8f1a2b3c4"),
        format!("redis://worker:{}@cache.internal:6379", "Hn7pQ2xV9w"),
        format!("auth: \"{}\"", chance.draw(MIXED, 40)),
        base64(&token),
        each(&token, |byte| format!("{byte:02x}")),
        each(&token, |byte| format!("\\x{byte:02x}")),
        format!("value: {}", parts(&token, 8).join(" ")),
        format!("\n{}\n", parts(&long, 64).join("\n")),
        format!("x = {}\n", parts(&token, 14).join("\\\n")),
        "4111 1111 1111 1111".to_owned(),
        "card number 4111111111111111".to_owned(),
        "{\"pesel\": 44051401458, \"card\": 378282246310005}".to_owned(),
        "DE89370400440532013000".to_owned(),
        "+44 20 7946 0958".to_owned(),
        "415-555-2671".to_owned(),
        "PESEL 44051401458".to_owned(),
        "529.982.247-25".to_owned(),
        "someone@mail.invalid".to_owned(),
    ]
}

/// What a text has: patterns and what they match, without white space.
fn found(text: &str) -> Vec<(String, String)> {
    let report = score(text, &Policy::default());
    let hits = report.detected_patterns.into_iter().filter_map(|found| match found {
        Detection::Pattern(hit) => Some(hit),
        Detection::Size(_) => None,
    });
    hits.map(|hit| {
        let matched: String = text[hit.span].split_whitespace().collect();
        (hit.pattern.into_owned(), matched)
    })
    .collect()
}

/// Compares every text with itself in another place; of one that a finding reaches further in, what it was.
fn assert_stays(place: impl Fn(&str) -> String) {
    let mut gone = Vec::new();
    for text in texts() {
        let alone = found(&text);
        assert!(!alone.is_empty(), "{text:?} has a finding");
        let placed = place(&text);
        let there = found(&placed);
        for (pattern, matched) in alone {
            let is_same =
                |(other, whole): &(String, String)| *other == pattern && whole.contains(&matched);
            if !there.iter().any(is_same) {
                gone.push(format!("{pattern} {matched:?} of {text:?} becomes {there:?}"));
            }
        }
    }
    assert!(gone.is_empty(), "{}", gone.join("\n"));
}

#[test]
fn lines_around_a_finding_take_nothing_away() {
    assert_stays(|text| format!("{text}\nMore text follows here.\n"));
    assert_stays(|text| format!("Some words come first.\n{text}"));
}

#[test]
fn line_ends_and_a_byte_order_mark_take_nothing_away() {
    assert_stays(|text| text.replace('\n', "\r\n"));
    assert_stays(|text| format!("\u{feff}{text}"));
}

#[test]
fn blanks_at_the_ends_of_lines_take_nothing_away() {
    let ends_in_blanks = |text: &str| text.replace('\n', " \n") + " \n";
    assert_stays(|text| if text.contains('\\') { text.to_owned() } else { ends_in_blanks(text) });
}

#[test]
fn the_end_of_a_sentence_and_brackets_take_nothing_away() {
    // Groups of a token are read to the end of their line.
    let inside = |text: &str, before: &str, after: &str| match text.contains("value: ") {
        true => text.to_owned(),
        false => [before, text, after].concat(),
    };
    assert_stays(|text| inside(text, "", ". More text follows."));
    assert_stays(|text| inside(text, "see (", ") there"));
    assert_stays(|text| inside(text, "[", "]\n"));
}

#[test]
fn digests_above_take_nothing_away() {
    for (alphabet, len) in [(HEX, 64), (HEX, 40), (HEX, 32), (MIXED, 43)] {
        let chance = &mut Chance(0x2545_F491_4F6C_DD1D);
        let digests: String = (0..400).map(|_| chance.draw(alphabet, len) + "\n").collect();
        assert_stays(|text| format!("{digests}{text}"));
    }
}

#[test]
fn the_same_text_once_more_takes_nothing_away() {
    assert_stays(|text| format!("{text}\n{text}\n"));
}

#[test]
fn no_place_in_a_file_takes_anything_away() {
    for feeds in 0..64 {
        assert_stays(|text| "\n".repeat(feeds) + text);
    }
}
