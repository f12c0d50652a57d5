//! Characters that are not seen, and characters that look like others.

use super::super::bits::GROUP;
use super::super::marks::Marks;
use super::{Map, Trust, Views};

/// Makes a view of every word that holds such a character.
pub(super) fn views(text: &str, marks: &Marks, views: &mut Views<'_>) {
    let bytes = text.as_bytes();
    let mut done = 0;
    for at in marks.foreign.iter().flat_map(|group| group * GROUP..(group + 1) * GROUP) {
        if at >= done && may_fold(bytes, at) {
            done = word(text, at, done, views);
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
                | [0xE2, 0x80 | 0x81 | 0x88 | 0x92 | 0x93]
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
    let first = text.get(found..).and_then(|rest| rest.chars().next());
    if let Some(char) = first
        && matches!(fold(char), Fold::Foreign)
    {
        return found + char.len_utf8();
    }
    // The word around it, over ASCII and what folds.
    let before = text.as_bytes().get(done..found).unwrap_or_default();
    let start = found - before.iter().rev().take(256).take_while(|byte| is_inner(**byte)).count();
    super::super::work::spend(found - start);
    let (mut end, mut len) = (found, found - start);
    let (mut changed, mut seen) = (0, 0);
    for (plain, char) in stretches(text.get(found..).unwrap_or_default()) {
        super::super::work::spend(1 + plain.len());
        end += plain.len();
        len += plain.len();
        let Some(char) = char else { break };
        match fold(char) {
            Fold::Same | Fold::Foreign => break,
            Fold::Gone => {}
            Fold::To(_) => {
                len += 1;
                seen += 1;
            }
        }
        changed += 1;
        end += char.len_utf8();
    }
    // A word of another script is folded whole by chance only if it is short.
    let word = text.get(start..end).unwrap_or_default();
    if changed > 0 && len >= WORD_MIN && (seen < len || is_wide(word)) && views.has_room(len) {
        let mut folded = String::with_capacity(len);
        // What is not seen goes with the characters around it.
        let (mut map, mut at) = (Map::parts(), start);
        for (plain, char) in stretches(word) {
            folded.push_str(plain);
            if !plain.is_empty() {
                map.push(plain.len(), at..at + plain.len(), true);
            }
            at += plain.len();
            let Some(char) = char else { break };
            if let Fold::To(to) = fold(char) {
                folded.push(to);
                map.push(1, at..at + char.len_utf8(), true);
            }
            at += char.len_utf8();
        }
        views.add("look-alikes", map, folded, Trust::Full);
    }
    end.max(found + 1)
}

/// Cuts a word at its characters that are not ASCII: tells what stands before each of them, and what
/// behind the last one, up to the end of the word.
fn stretches(text: &str) -> impl Iterator<Item = (&str, Option<char>)> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let len = text.bytes().take_while(|byte| is_inner(*byte)).count();
        let (plain, others) = text.split_at_checked(len)?;
        let mut others = others.chars();
        let char = others.next().filter(|char| !char.is_ascii());
        rest = char.map(|_| others.as_str());
        Some((plain, char))
    })
}

/// Tells whether a byte can be inside of a word.
fn is_inner(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\"'`<>(),;".contains(&byte)
}

fn is_wide(text: &str) -> bool {
    text.chars().any(|char| ('\u{FF01}'..='\u{FF5E}').contains(&char))
}

enum Fold {
    Same,
    Gone,
    To(char),
    Foreign,
}

fn fold(char: char) -> Fold {
    if char.is_ascii() {
        return Fold::Same;
    }
    if let Some(&to) = ALIKE.get(char as usize) {
        return match to {
            0 => Fold::Foreign,
            GONE => Fold::Gone,
            to => Fold::To(char::from(to)),
        };
    }
    match char {
        '\u{61C}'
        | '\u{180E}'
        | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206F}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}'
        | '\u{E0000}'..='\u{E007F}' => Fold::Gone,
        '\u{FF01}'..='\u{FF5E}' => Fold::To(char::from_u32(char as u32 - 0xFEE0).unwrap_or(char)),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => Fold::To('-'),
        // Letters for mathematics: twenty-five consecutive alphabets, and digits.
        '\u{1D400}'..='\u{1D6A3}' => {
            let nth = (char as u32 - 0x1D400) % 52;
            let base = if nth < 26 { b'A' } else { b'a' - 26 };
            Fold::To(char::from(base + nth as u8))
        }
        '\u{1D7CE}'..='\u{1D7FF}' => {
            Fold::To(char::from(b'0' + ((char as u32 - 0x1D7CE) % 10) as u8))
        }
        '\u{24B6}'..='\u{24CF}' => Fold::To(char::from(b'A' + (char as u32 - 0x24B6) as u8)),
        '\u{24D0}'..='\u{24E9}' => Fold::To(char::from(b'a' + (char as u32 - 0x24D0) as u8)),
        _ => Fold::Foreign,
    }
}

/// What stands in [`ALIKE`] for a character that is not seen.
const GONE: u8 = 1;

/// The Latin letter that a character looks like, by the character; zero for none.
#[expect(clippy::indexing_slicing, reason = "an index out of bounds would not compile")]
const ALIKE: [u8; 0x600] = {
    let mut alike = [0; 0x600];
    // The soft hyphen and the joiner of graphemes.
    alike[0xAD] = GONE;
    alike[0x34F] = GONE;
    let mut rest = LOOK_ALIKES.as_slice();
    while let Some(((from, to), after)) = rest.split_first() {
        alike[*from as usize] = *to as u8;
        rest = after;
    }
    alike
};

/// Cyrillic, Greek and Armenian letters that look like Latin ones.
const LOOK_ALIKES: [(char, char); 66] = [
    ('а', 'a'),
    ('А', 'A'),
    ('В', 'B'),
    ('в', 'b'),
    ('с', 'c'),
    ('С', 'C'),
    ('е', 'e'),
    ('Е', 'E'),
    ('Н', 'H'),
    ('һ', 'h'),
    ('і', 'i'),
    ('І', 'I'),
    ('ј', 'j'),
    ('Ј', 'J'),
    ('к', 'k'),
    ('К', 'K'),
    ('М', 'M'),
    ('о', 'o'),
    ('О', 'O'),
    ('р', 'p'),
    ('Р', 'P'),
    ('ѕ', 's'),
    ('Ѕ', 'S'),
    ('Т', 'T'),
    ('т', 't'),
    ('у', 'y'),
    ('У', 'Y'),
    ('х', 'x'),
    ('Х', 'X'),
    ('ԁ', 'd'),
    ('ԛ', 'q'),
    ('ԝ', 'w'),
    ('ѵ', 'v'),
    ('ӏ', 'l'),
    ('Ү', 'Y'),
    ('Α', 'A'),
    ('Β', 'B'),
    ('Ε', 'E'),
    ('Ζ', 'Z'),
    ('Η', 'H'),
    ('Ι', 'I'),
    ('Κ', 'K'),
    ('Μ', 'M'),
    ('Ν', 'N'),
    ('Ο', 'O'),
    ('ο', 'o'),
    ('Ρ', 'P'),
    ('ρ', 'p'),
    ('Τ', 'T'),
    ('Υ', 'Y'),
    ('υ', 'u'),
    ('Χ', 'X'),
    ('χ', 'x'),
    ('α', 'a'),
    ('ν', 'v'),
    ('ι', 'i'),
    ('ɡ', 'g'),
    ('ɑ', 'a'),
    ('օ', 'o'),
    ('ո', 'n'),
    ('ս', 'u'),
    ('հ', 'h'),
    ('ց', 'g'),
    ('ɩ', 'i'),
    ('п', 'n'),
    ('г', 'r'),
];
