//! Folding: text reduced to what a person, or a model, would call the same text.
//!
//! Folded text has no typographic look-alikes, no invisible characters, no accents and no extent of white
//! space: a run of it becomes one space, or one line feed when it holds a line break. The table of
//! look-alikes covers what word processors, chat windows and language models put in the place of ASCII;
//! it is not a complete one, and full normalisation is not attempted.

use std::ops::Range;

/// What to fold besides look-alikes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Folding {
    /// Whether to lower the case.
    pub(super) case: Case,
    /// What becomes of white space.
    pub(super) spaces: Spaces,
}

/// Whether upper and lower case differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// They are.
    Kept,
    /// All is lower case.
    Lowered,
}

/// What becomes of a run of white space between words; at the ends it is dropped anyway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spaces {
    /// One space or one line feed.
    Collapsed,
    /// Nothing.
    Dropped,
}

/// The folded text.
pub(super) fn fold(text: &str, folding: Folding) -> Vec<u8> {
    let mut folded = Vec::with_capacity(text.len());
    each(text, folding, |_, bytes| folded.extend_from_slice(bytes));
    folded
}

/// The part of `text` that became `wanted` when folded, with any accents that follow on it.
pub(super) fn source(text: &str, folding: Folding, wanted: Range<usize>) -> Range<usize> {
    let mut emitted = 0;
    let mut found: Option<Range<usize>> = None;
    each(text, folding, |from, bytes| {
        let here = emitted..emitted + bytes.len();
        emitted = here.end;
        if here.start < wanted.end && here.end > wanted.start {
            let start = found.as_ref().map_or(from.start, |range| range.start);
            found = Some(start..from.end);
        }
    });
    let Range { start, end } = found.unwrap_or(0..0);
    let rest = text.get(end..).unwrap_or_default();
    let invisible = rest.len() - rest.trim_start_matches(|next| plain(next).is_none()).len();
    start..end + invisible
}

/// Where in `text` the pieces begin that became the bytes at these offsets, ascending, when folded.
pub(super) fn sources(text: &str, folding: Folding, offsets: &[usize]) -> Vec<usize> {
    let mut wanted = offsets.iter().peekable();
    let mut emitted = 0;
    let mut found = Vec::with_capacity(offsets.len());
    each(text, folding, |from, bytes| {
        emitted += bytes.len();
        while wanted.next_if(|offset| **offset < emitted).is_some() {
            found.push(from.start);
        }
    });
    found
}

/// Whether a reader would see a new line begin.
pub(super) fn is_line_break(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Calls `emit` with each piece of folded text and the range it comes from.
fn each(text: &str, folding: Folding, mut emit: impl FnMut(Range<usize>, &[u8])) {
    let mut gap: Option<(Range<usize>, bool)> = None;
    let mut begun = false;
    for (start, character) in text.char_indices() {
        let from = start..start + character.len_utf8();
        if character.is_whitespace() {
            let (range, breaks) = gap.get_or_insert((from.clone(), false));
            range.end = from.end;
            *breaks |= is_line_break(character);
            continue;
        }
        let Some(plain) = plain(character) else { continue };
        if let Some((range, breaks)) = gap.take()
            && begun
            && folding.spaces == Spaces::Collapsed
        {
            emit(range, if breaks { b"\n" } else { b" " });
        }
        begun = true;
        let mut utf8 = [0; 4];
        if let Some(mut byte) = ascii(plain) {
            if folding.case == Case::Lowered {
                byte.make_ascii_lowercase();
            }
            emit(from, &[byte]);
        } else if plain == '…' {
            emit(from, b"...");
        } else if folding.case == Case::Lowered {
            for lower in plain.to_lowercase() {
                emit(from.clone(), lower.encode_utf8(&mut utf8).as_bytes());
            }
        } else {
            emit(from, plain.encode_utf8(&mut utf8).as_bytes());
        }
    }
}

fn ascii(character: char) -> Option<u8> {
    u8::try_from(character).ok().filter(u8::is_ascii)
}

/// The character that this one is easily mistaken for, or nothing if it cannot be seen.
fn plain(character: char) -> Option<char> {
    if character.is_ascii() {
        return Some(character);
    }
    Some(match character {
        // Soft hyphen, zero-width and directional marks, variation selectors, combining accents.
        '\u{AD}'
        | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{2069}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}'
        | '\u{300}'..='\u{36F}' => return None,
        '‘' | '’' | '‚' | '‛' | '′' | '´' | 'ʼ' => '\'',
        '“' | '”' | '„' | '‟' | '″' => '"',
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' => '-',
        '×' => 'x',
        '⁄' | '∕' => '/',
        // The full-width forms stand in the order of ASCII.
        '\u{FF01}'..='\u{FF5E}' => {
            char::from_u32(u32::from(character) - 0xFEE0).unwrap_or(character)
        }
        'À' | 'Á' | 'Â' | 'Ã' | 'Ä' | 'Å' | 'Ā' | 'Ă' | 'А' => 'A',
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ā' | 'ă' | 'а' => 'a',
        'В' => 'B',
        'Ç' | 'Ć' | 'Ĉ' | 'Ċ' | 'Č' | 'С' => 'C',
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' | 'с' => 'c',
        'Ď' => 'D',
        'ď' => 'd',
        'È' | 'É' | 'Ê' | 'Ë' | 'Ē' | 'Ĕ' | 'Ė' | 'Ě' | 'Е' | 'Ё' => 'E',
        'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ĕ' | 'ė' | 'ě' | 'е' | 'ё' => 'e',
        'Ĝ' | 'Ğ' | 'Ġ' | 'Ģ' => 'G',
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => 'g',
        'Н' => 'H',
        'Ì' | 'Í' | 'Î' | 'Ï' | 'Ĩ' | 'Ī' | 'Ĭ' | 'İ' | 'І' => 'I',
        'ì' | 'í' | 'î' | 'ï' | 'ĩ' | 'ī' | 'ĭ' | 'і' => 'i',
        'К' => 'K',
        'М' => 'M',
        'Ñ' | 'Ń' | 'Ņ' | 'Ň' => 'N',
        'ñ' | 'ń' | 'ņ' | 'ň' => 'n',
        'Ò' | 'Ó' | 'Ô' | 'Õ' | 'Ö' | 'Ō' | 'Ŏ' | 'Ő' | 'О' => 'O',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ō' | 'ŏ' | 'ő' | 'о' => 'o',
        'Р' => 'P',
        'р' => 'p',
        'Ŕ' | 'Ŗ' | 'Ř' => 'R',
        'ŕ' | 'ŗ' | 'ř' => 'r',
        'Ś' | 'Ŝ' | 'Ş' | 'Š' | 'Ș' => 'S',
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => 's',
        'Ţ' | 'Ť' | 'Ț' | 'Т' => 'T',
        'ţ' | 'ť' | 'ț' => 't',
        'Ù' | 'Ú' | 'Û' | 'Ü' | 'Ũ' | 'Ū' | 'Ŭ' | 'Ů' | 'Ű' => 'U',
        'ù' | 'ú' | 'û' | 'ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' => 'u',
        'Х' => 'X',
        'х' => 'x',
        'Ý' | 'Ÿ' => 'Y',
        'ý' | 'ÿ' | 'у' => 'y',
        'Ź' | 'Ż' | 'Ž' => 'Z',
        'ź' | 'ż' | 'ž' => 'z',
        'Й' => 'И',
        'й' => 'и',
        _ => character,
    })
}
