//! Encoded text in one piece, or wrapped over lines: base64, base32, hexadecimal digits, quoted-printable; and what is a
//! token backwards, or turned by thirteen letters.

use std::ops::Range;

use percent_encoding::percent_decode_str;

use super::super::bits::padded;
use super::super::keywords::has_secret_word;
use super::super::known_formats;
use super::super::token::{is_uuid, is_wordlike};
use super::encoded::{base64, is_hex, is_text, text_of};
use super::wrapped::wrapped;
use super::{Map, TextIndex, Trust, Views};

/// Fewer encoded characters hold no secret.
const PIECE_MIN: usize = 20;

/// A shorter line is not what data are wrapped at.
const LINE_MIN: usize = 16;

/// Fewer escapes of quoted-printable text hide no token.
const ESCAPES_MIN: usize = 8;

/// Lines that are longer together are a file, not a token.
const TOKEN_MAX: usize = 4096;

/// What is longer is not turned around.
const TURNED_MAX: usize = 512;

/// Makes the views of the runs of a text, each with the lines that it goes on on.
pub(super) fn views(text: &str, text_index: &TextIndex, views: &mut Views<'_>) {
    let mut done = 0;
    for run in text_index.runs.iter().filter(|run| run.len() >= LINE_MIN) {
        if run.start < done {
            continue;
        }
        if let Some((lines, joined)) =
            wrapped(text.as_bytes(), &text_index.byte_classes, run.span(), false)
        {
            done = lines.hull().end;
            if joined.len() <= TOKEN_MAX {
                let trust = if is_named(text, run.start) { Trust::Full } else { Trust::Prefixed };
                views.add("joined lines", lines.clone(), joined.clone(), trust);
            }
            of_run(&joined, |span| Map::Whole(lines.pieces(span)), views);
        } else if run.is_rich && run.len() >= PIECE_MIN {
            let start = run.start;
            let place = |span: Range<usize>| Map::whole(start + span.start..start + span.end);
            of_run(text.get(run.span()).unwrap_or_default(), place, views);
        }
    }
}

/// Tells whether a line or two before a place say that a secret follows. Without that, lines of one length are a list.
fn is_named(text: &str, start: usize) -> bool {
    const NEAR: usize = 96;
    let before = text.as_bytes().get(start.saturating_sub(NEAR)..start).unwrap_or_default();
    let above = before.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
    let line = memchr::memrchr(b'\n', before.get(..above).unwrap_or_default());
    has_secret_word(before.get(line.unwrap_or(0)..).unwrap_or_default())
}

/// Makes the views of a run, whose parts have places in the text: of its encoded pieces or, if there are none, of what
/// stands behind its names.
fn of_run(run: &str, place: impl Fn(Range<usize>) -> Map, views: &mut Views<'_>) {
    if let Some(text) = printable(run) {
        views.add("quoted-printable", place(0..run.len()), text, Trust::Full);
    }
    let mut is_encoded = false;
    for span in pieces(run) {
        let piece = run.get(span.clone()).unwrap_or_default().as_bytes();
        // Programs are full of identifiers and digests, which are no encoding of anything.
        is_encoded |= is_uuid(piece) || is_hex(piece);
        if !is_uuid(piece)
            && let Some((via, text)) = text_of(piece)
        {
            views.add(via, place(span), text, Trust::Full);
            is_encoded = true;
        }
    }
    if is_encoded {
        return;
    }
    for span in values(run).filter(|span| span.len() <= TURNED_MAX) {
        let value = run.get(span.clone()).unwrap_or_default();
        // To turn the names of a program around takes too long.
        if is_wordlike(value.as_bytes()) {
            continue;
        }
        let reversed: Vec<u8> = value.bytes().rev().collect();
        let by_thirteen: Vec<u8> = value.bytes().map(rot13).collect();
        if let Some(text) = base64(&reversed) {
            views.add("reversed base64", place(span.clone()), text, Trust::Full);
        } else if has_format(&reversed) {
            let text = String::from_utf8_lossy(&reversed).into_owned();
            views.add("reversed", place(span.clone()), text, Trust::Prefixed);
        }
        if has_format(&by_thirteen) {
            let text = String::from_utf8_lossy(&by_thirteen).into_owned();
            views.add("rot13", place(span), text, Trust::Prefixed);
        }
    }
}

/// Cuts a run at every dot, and at every `=` that is no padding.
fn pieces(run: &str) -> impl Iterator<Item = Range<usize>> {
    let parts = split(run.as_bytes(), |byte| matches!(byte, b'=' | b'.')).map(|part| {
        let rest = run.as_bytes().get(part.end..).unwrap_or_default();
        let padding = rest.iter().take(2).take_while(|byte| **byte == b'=').count();
        let goes_on = rest.get(padding).is_some_and(u8::is_ascii_alphanumeric);
        part.start..part.end + if goes_on { 0 } else { padding }
    });
    parts.filter(|part| part.len() >= PIECE_MIN)
}

/// Cuts a run behind names: at every `=`. Dots belong to tokens.
fn values(run: &str) -> impl Iterator<Item = Range<usize>> {
    split(run.as_bytes(), |byte| *byte == b'=').filter(|part| part.len() >= PIECE_MIN)
}

/// Where the parts of a run are that signs separate.
fn split(run: &[u8], is_sign: impl Fn(&u8) -> bool) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    run.split(is_sign).map(move |part| {
        let start = at;
        at += part.len() + 1;
        start..start + part.len()
    })
}

/// Decodes `=67=6C=73`, with plain characters in between, if most of the run is made of it.
fn printable(run: &str) -> Option<String> {
    let escapes = run.bytes().filter(|byte| *byte == b'=').count();
    if escapes < ESCAPES_MIN || escapes * 6 < run.len() {
        return None;
    }
    let percent = run.replace('=', "%");
    let text = percent_decode_str(&percent).decode_utf8().ok()?;
    is_text(text.as_bytes()).then(|| text.into_owned())
}

const fn rot13(byte: u8) -> u8 {
    match byte {
        b'a'..=b'm' | b'A'..=b'M' => byte + 13,
        b'n'..=b'z' | b'N'..=b'Z' => byte - 13,
        _ => byte,
    }
}

/// Tells whether a word of a token begins like one of the formats.
fn has_format(token: &[u8]) -> bool {
    // A word may be empty: what begins with a sign is found between two of them.
    split(token, |byte| !byte.is_ascii_alphanumeric()).any(|word| {
        let four = padded(token.get(word.start..).unwrap_or_default());
        known_formats::may_begin(four, word.len(), token.get(word.end).copied())
            && known_formats::begins(token, word.start, word.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_cut_at_its_signs_and_padding_stays() {
        let twenty = "k3Jd9fQx7LmZ2pVtR8sW";
        let cut = |parts: &mut dyn Iterator<Item = Range<usize>>, run: &str| -> Vec<String> {
            parts.map(|part| run[part].to_owned()).collect()
        };
        for (run, expected) in [
            (format!("NAME={twenty}=="), vec![format!("{twenty}==")]),
            (format!("{twenty}={twenty}"), vec![twenty.to_owned(); 2]),
            (format!("{twenty}.{twenty}=/x"), vec![twenty.to_owned(), format!("{twenty}=")]),
            ("short=".to_owned(), vec![]),
        ] {
            assert_eq!(cut(&mut pieces(&run), &run), expected);
        }
        let run = format!("NAME=v1.{twenty}");
        assert_eq!(cut(&mut values(&run), &run), [format!("v1.{twenty}")]);
    }

    #[test]
    fn quoted_printable_text_is_mostly_escapes() {
        let run = "=68=65=6C=6C=6Fw=6F=72=6C=64";
        assert_eq!(printable(run).as_deref(), Some("helloworld"));
        assert_eq!(printable("=68=65=6C=6C=6F"), None, "too few");
        assert_eq!(printable(&format!("{run}{}", "plain".repeat(9))), None, "too much else");
        assert_eq!(printable(&"=FF".repeat(9)), None, "no text");
    }

    #[test]
    fn turning_by_thirteen_twice_is_nothing_and_formats_are_seen() {
        let token = ["np", "m_", "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5AqT0z"].concat();
        let turned: Vec<u8> = token.bytes().map(rot13).collect();
        assert_eq!(turned.iter().map(|byte| rot13(*byte)).collect::<Vec<_>>(), token.as_bytes());
        assert!(has_format(token.as_bytes()) && has_format(format!("a/{token}").as_bytes()));
        assert!(!has_format(&turned) && !has_format(b"a_name_of_something"));
    }

    #[test]
    fn a_token_with_full_stops_or_an_equals_sign_is_found_backwards_and_turned() {
        let body = "k3Jd9fQx7LmZ2pVtR8sWb4Yc6Hg1Nn5AqT0zU7eD1oP";
        let send_grid = ["S", "G.", &body[..22], ".", body].concat();
        let atlassian = ["ATA", "TT3", body, body, body, "=8F3A9C1D"].concat();
        for token in [send_grid, atlassian] {
            let reversed: String = token.chars().rev().collect();
            let turned: String = token.bytes().map(|byte| char::from(rot13(byte))).collect();
            for hidden in [&token, &reversed, &turned] {
                let text = format!("x = \"{hidden}\"\n");
                let report =
                    super::super::super::score(&text, &super::super::super::Policy::default());
                assert!(!report.detected_patterns.is_empty(), "{text}");
            }
        }
    }

    #[test]
    fn lines_of_one_length_are_a_list_unless_a_name_says_more() {
        let ids = ["i-0f3a9bc4d5e6f7081", "i-02a3b4c5d6e7f8091", "i-0c9d8e7f6a5b4c3d2"].join("\n");
        let kinds = |text: &str| {
            super::super::super::score(text, &super::super::super::Policy::default()).verdict
        };
        let (list, secret) = (format!("ids:\n{ids}\n"), format!("api_key:\n{ids}\n"));
        assert_eq!(kinds(&list), super::super::super::Verdict::Safe);
        assert_ne!(kinds(&secret), super::super::super::Verdict::Safe);
        let line = "0f3a9bc4d5e6f70812a3b4c5d6e7f809";
        for below in ["--verbose", "x86_64", "12345", "package-lock"] {
            let text = format!("A={line}\n{below}\n");
            assert_eq!(kinds(&text), kinds(&format!("A={line}\n")), "{below}");
        }
    }
}
