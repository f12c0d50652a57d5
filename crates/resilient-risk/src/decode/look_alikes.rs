//! Characters that are not seen, and characters that look like others.

use std::collections::HashMap;
use std::sync::LazyLock;

use unicode_normalization::char::decompose_compatible;

use super::super::bits::{GROUP, bits_at, ones};
use super::super::byte_classes::ByteClasses;
use super::super::work;
use super::{Map, Trust, Views};

/// Cyrillic, Greek and Armenian letters, each with the Latin one that it looks like.
static ALIKE: LazyLock<HashMap<char, char>> = LazyLock::new(|| {
    let pairs = "\
        аa АA ВB вb сc СC еe ЕE НH һh іi ІI \
        јj ЈJ кk КK МM оo ОO рp РP ѕs ЅS ТT \
        тt уy УY хx ХX ԁd ԛq ԝw ѵv ӏl ҮY ΑA \
        ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO οo ΡP ρp \
        ΤT ΥY υu ΧX χx αa νv ιi ɡg ɑa օo ոn \
        սu հh ցg ɩi пn гr";
    let pair = |pair: &str| Some((pair.chars().next()?, pair.chars().nth(1)?));
    pairs.split(' ').filter_map(pair).collect()
});

/// Makes a view of every word that holds such a character.
pub(super) fn views(text: &str, byte_classes: &ByteClasses, views: &mut Views<'_>) {
    let bytes = text.as_bytes();
    let mut done = 0;
    for group in byte_classes.foreign.iter().map(|group| group * GROUP) {
        // Lower bytes begin no such character.
        let [begins] = bits_at(bytes, group, |byte| u8::from(byte >= 0xC2));
        for at in ones(begins).map(|bit| group + bit) {
            if at >= done && may_fold(bytes, at) {
                done = word(text, at, done, views);
            }
        }
    }
}

/// Tells by its first two bytes whether a character can be one that is folded.
fn may_fold(bytes: &[u8], at: usize) -> bool {
    matches!(
        bytes.get(at..at + 2),
        Some(
            [0xC2, 0xAD]
                | [0xC9..=0xD8, _]
                | [0xE1, 0xA0]
                | [0xE2, 0x80 | 0x81 | 0x84 | 0x88 | 0x92 | 0x93]
                | [0xEF, 0xB8..=0xBD]
                | [0xF0, 0x9D]
                | [0xF3, 0xA0]
        )
    )
}

/// Makes a view of the word around a character that is not ASCII, and tells how far it was read.
fn word(text: &str, found: usize, done: usize, views: &mut Views<'_>) -> usize {
    /// A shorter word is no token.
    const WORD_MIN: usize = 12;
    const BEFORE_MAX: usize = 256;
    let first = text.get(found..).and_then(|rest| rest.chars().next()).unwrap_or(' ');
    if matches!(fold(first), Fold::Same | Fold::Foreign) {
        return found + first.len_utf8();
    }
    let before = text.as_bytes().get(done..found).unwrap_or_default().iter().rev();
    let start = found - before.take(BEFORE_MAX).take_while(|byte| is_inner(**byte)).count();
    let (mut folded, mut map, mut end) = (String::new(), Map::parts(), start);
    let (mut alike, mut is_wide) = (0, false);
    for char in text.get(start..).unwrap_or_default().chars() {
        let at = end..end + char.len_utf8();
        let to = match fold(char) {
            Fold::Same if is_inner(char as u8) => Some(char),
            Fold::Same | Fold::Foreign => break,
            Fold::Gone => None,
            Fold::To(to) => Some(to),
        };
        end = at.end;
        alike += usize::from(to.is_some_and(|to| to != char));
        is_wide |= matches!(char, '\u{FF01}'..='\u{FF5E}');
        if let Some(to) = to {
            folded.push(to);
            // What is not seen goes with the characters around it.
            map.push(1, at, true);
        }
    }
    work::spend(end - start);
    // A word of another script is folded whole by chance only if it is short.
    if folded.len() >= WORD_MIN && (alike < folded.len() || is_wide) {
        views.add("look-alikes", map, folded, Trust::Full);
    }
    end
}

/// Tells whether a byte can be inside of a word.
fn is_inner(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\"'`<>(),;".contains(&byte)
}

/// What becomes of a character.
#[derive(Debug, PartialEq, Eq)]
enum Fold {
    Same,
    Gone,
    To(char),
    Foreign,
}

fn fold(char: char) -> Fold {
    match char {
        '\0'..='\x7F' => Fold::Same,
        // The soft hyphen, joiners, marks of direction, variants and tags.
        '\u{AD}'
        | '\u{34F}'
        | '\u{61C}'
        | '\u{180E}'
        | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206F}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}'
        | '\u{E0000}'..='\u{E007F}' => Fold::Gone,
        '\u{2010}'..='\u{2015}' | '\u{2212}' => Fold::To('-'),
        // Letters of mathematics: consecutive alphabets, of which programs also use what Unicode has elsewhere.
        '\u{1D400}'..='\u{1D6A3}' => {
            let nth = (char as u32 - 0x1D400) % 52;
            let base = if nth < 26 { b'A' } else { b'a' - 26 };
            Fold::To(char::from(base + nth as u8))
        }
        // Wide letters, digits of mathematics and letters in circles are variants by Unicode.
        '\u{2000}'.. => {
            let (mut to, mut count) = (char, 0);
            decompose_compatible(char, |part| (to, count) = (part, count + 1));
            let is_plain = count == 1 && to.is_ascii_graphic();
            if is_plain { Fold::To(to) } else { Fold::Foreign }
        }
        char => ALIKE.get(&char).map_or(Fold::Foreign, |to| Fold::To(*to)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_fold_to_what_they_look_like() {
        for pair in "аa ΑA ցg ｇg ＿_ 𝐀A ℎh 𝟗9 ⓏZ –-".split(' ') {
            let [char, to] = [0, 1].map(|nth| pair.chars().nth(nth).unwrap());
            assert_eq!(fold(char), Fold::To(to), "{char}");
        }
        let others = [("\u{200b}\u{ad}", Fold::Gone), ("x", Fold::Same), ("жé字ﬁ", Fold::Foreign)];
        for (chars, to) in others {
            chars.chars().for_each(|char| assert_eq!(fold(char), to, "{char}"));
        }
        assert_eq!(ALIKE.len(), 66);
    }

    #[test]
    fn a_word_is_folded_with_all_that_belongs_to_it() {
        let said = |text: &str| -> Vec<(String, String)> {
            let mut budget = usize::MAX;
            let mut all = Views { views: Vec::new(), budget: &mut budget };
            views(text, &ByteClasses::of(text.as_bytes()), &mut all);
            let source = |map: &Map| text[map.hull()].to_owned();
            all.views.into_iter().map(|view| (source(&view.map), view.text)).collect()
        };
        let of = |from: &str, to: &str| vec![(from.to_owned(), to.to_owned())];
        let hidden = "tok\u{200b}en=ｋ3Jd9fQ\u{ad}x7";
        assert_eq!(said(&format!("x '{hidden}' y")), of(hidden, "token=k3Jd9fQx7"));
        assert_eq!(
            said("ｋｅｙ＿ｏｆ＿ｗｏｒｄｓ"),
            of("ｋｅｙ＿ｏｆ＿ｗｏｒｄｓ", "key_of_words")
        );
        for text in ["сорососороса", "k\u{200b}3Jd9", "a жuk_of_words", "plain_words_only"]
        {
            assert_eq!(said(text), [], "{text}");
        }
    }
}
