//! What encoding some bytes look like.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::WINDOWS_1252;

use super::encoding::{Encoding, synchronous};

/// How much of a legacy text is looked at.
const LOOKED_AT: usize = 64 << 10;

/// A guess over fewer bytes outside ASCII is not sure.
const SURE_FROM: usize = 12;

/// What bytes look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Guess {
    pub(crate) encoding: Encoding,
    /// Whether they begin with a byte order mark.
    pub(crate) bom: bool,
    /// Whether it is more than the best of several guesses.
    pub(crate) is_sure: bool,
}

impl Guess {
    /// Guesses by a mark and by all bytes.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self::without_detector(bytes).unwrap_or_else(|| Self::legacy(bytes))
    }

    /// The same for Unicode and for what is no text; nothing for any other text.
    pub(crate) fn without_detector(bytes: &[u8]) -> Option<Self> {
        let sure = |encoding, bom| Some(Self { encoding, bom, is_sure: true });
        match bytes {
            // These are four bytes to a character, and the first also looks like a UTF-16 mark.
            [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] => return sure(Encoding::Utf32, true),
            [0xFF, 0xFE, ..] => return sure(Encoding::Utf16Le, true),
            [0xFE, 0xFF, ..] => return sure(Encoding::Utf16Be, true),
            _ => {}
        }
        let bom = bytes.starts_with(Encoding::Utf8.mark());
        if memchr::memchr(0, bytes).is_some()
            && let Some(wide) = wide_without_mark(bytes)
        {
            return sure(wide, false);
        }
        if str::from_utf8(bytes).is_ok() {
            return sure(Encoding::Utf8, bom);
        }
        let (mut wide, mut broken) = (0_usize, 0_usize);
        for chunk in bytes.utf8_chunks() {
            wide += chunk.valid().bytes().filter(|byte| *byte >= 0xC0).count();
            broken += usize::from(!chunk.invalid().is_empty());
        }
        // Valid multi-byte sequences hardly arise by chance: this is UTF-8 with some damage.
        if broken == 0 || wide > broken {
            return sure(Encoding::Utf8, bom);
        }
        if has_controls(bytes) { sure(Encoding::Binary, false) } else { None }
    }

    /// Guesses the encoding of text that is no Unicode.
    fn legacy(bytes: &[u8]) -> Self {
        let first = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or_default();
        let from = synchronous(bytes, first);
        let to = bytes.len().min(from + LOOKED_AT);
        let text = bytes.get(from..to).unwrap_or(bytes);
        let count = text.iter().filter(|byte| !byte.is_ascii()).count();
        let is_western = looks_western(text);
        let found = detected(text, to == bytes.len());
        if found == WINDOWS_1252 || is_western && count < SURE_FROM {
            let is_sure =
                is_western && found == WINDOWS_1252 && (count >= SURE_FROM || are_in_words(text));
            return Self { encoding: Encoding::SingleByte(WINDOWS_1252), bom: false, is_sure };
        }
        let encoding = Encoding::of(found).unwrap_or(Encoding::SingleByte(WINDOWS_1252));
        Self { encoding, bom: false, is_sure: count >= SURE_FROM }
    }
}

/// What a detector makes of a text; `is_all` says whether it ends with these bytes.
fn detected(text: &[u8], is_all: bool) -> &'static encoding_rs::Encoding {
    let guess = |is_all| {
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        detector.feed(text, is_all);
        detector.guess(None, Utf8Detection::Deny)
    };
    let found = guess(is_all);
    if !is_all || text.last().is_none_or(u8::is_ascii) {
        return found;
    }
    // IMPORTANT: a character that is cut off at the end speaks against no encoding. The detector drops the
    // right one for it, and what is appended in another merges with that character.
    let open = guess(false);
    match Encoding::of(open) {
        Some(it @ Encoding::MultiByte(_)) if it.is_cut(text, text.len() as u64) => open,
        _ => found,
    }
}

/// Whether bytes are UTF-16 or UTF-32.
pub(super) fn is_wide(head: &[u8]) -> bool {
    matches!(head, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] | [0, 0, 0xFE, 0xFF, ..])
        || memchr::memchr(0, head).is_some() && wide_without_mark(head).is_some()
}

/// Whether there are control characters that no text has.
fn has_controls(bytes: &[u8]) -> bool {
    bytes.iter().any(|byte| *byte < 0x20 && !matches!(*byte, 0x08..=0x0D | 0x1B))
}

/// Whether the non-ASCII bytes are mostly single accented letters or typographic signs.
///
/// Cyrillic, Greek and double-byte text has them in runs instead, and Japanese syllables in Shift_JIS
/// come with a lead byte that is a rare sign in windows-1252.
fn looks_western(file: &[u8]) -> bool {
    let (mut all, mut single) = (0_usize, 0_usize);
    let mut run = 0_usize;
    let mut common = false;
    for byte in file.iter().copied().chain([b' ']) {
        match byte {
            0x81 | 0x8D | 0x8F | 0x90 | 0x9D => return false,
            0x80.. => {
                all += 1;
                run += 1;
                common = matches!(byte, 0x80 | 0x85 | 0x91..=0x97 | 0x99 | 0xA0..);
            }
            _ => {
                single += usize::from(run == 1 && common);
                run = 0;
            }
        }
    }
    single * 2 > all
}

/// Whether nearly all non-ASCII bytes, three of four, are letters of windows-1252 beside ASCII letters, as in `café`.
/// A letter that stands alone may be one of any alphabet.
fn are_in_words(text: &[u8]) -> bool {
    let is_plain =
        |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(u8::is_ascii_alphabetic);
    let is_letter = |byte: u8| {
        matches!(byte, 0x8A | 0x8C | 0x8E | 0x9A | 0x9C | 0x9E | 0x9F | 0xC0..)
            && !matches!(byte, 0xD7 | 0xF7)
    };
    let (mut all, mut in_words) = (0_usize, 0_usize);
    for (at, byte) in text.iter().enumerate().filter(|(_, byte)| !byte.is_ascii()) {
        let is_in_word = is_plain(at.checked_sub(1)) || is_plain(Some(at + 1));
        all += 1;
        in_words += usize::from(is_letter(*byte) && is_in_word);
    }
    in_words * 4 >= all * 3
}

/// UTF-16 or UTF-32 without a byte order mark: mostly ASCII, and so all other bytes of a character are zero.
fn wide_without_mark(head: &[u8]) -> Option<Encoding> {
    let (pairs, _) = head.as_chunks::<2>();
    let (fours, _) = head.as_chunks::<4>();
    if is_wide_ascii(fours, 0) || is_wide_ascii(fours, 3) {
        Some(Encoding::Utf32)
    } else if is_wide_ascii(pairs, 0) {
        Some(Encoding::Utf16Le)
    } else if is_wide_ascii(pairs, 1) {
        Some(Encoding::Utf16Be)
    } else {
        None
    }
}

/// Tells whether seven of ten characters of this width have a letter of ASCII in this place and zeros else, and nearly
/// none has it at the other end.
fn is_wide_ascii<const WIDTH: usize>(chars: &[[u8; WIDTH]], place: usize) -> bool {
    let is_text = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..=0x7E);
    let count = |place: usize| {
        let is_zero = |(at, byte): (usize, &u8)| at == place || *byte == 0;
        let is_ascii = |char: &&[u8; WIDTH]| {
            char.iter().enumerate().all(is_zero) && char.get(place).is_some_and(is_text)
        };
        chars.iter().filter(is_ascii).count()
    };
    let all = chars.len();
    all > 1 && count(place) * 10 >= all * 7 && count(WIDTH - 1 - place) * 50 <= all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn a_guess_is_by_mark_and_by_bytes() {
        let name = |bytes: &[u8]| Guess::of(bytes).encoding.name();
        assert_eq!(name(b""), "utf-8");
        assert_eq!(name(b"plain\n"), "utf-8");
        assert_eq!(name("\u{FEFF}mark".as_bytes()), "utf-8");
        assert_eq!(name(b"caf\xe9 au lait\n"), "windows-1252");
        assert_eq!(name(b"\x7fELF\x02\x01\x00\x00\x80\xff\xfe\x00"), "binary");
        assert_eq!(name(&utf16("\u{FEFF}hello")), "utf-16le");
        assert_eq!(name(&utf16("hello")), "utf-16le");
        assert_eq!(name(b"\xFE\xFF\0h\0i"), "utf-16be");
        assert_eq!(name(b"\0h\0e\0l\0l\0o"), "utf-16be");
        assert_eq!(name(b"\xff\xfe\0\0a\0\0\0"), "utf-32");
        assert_eq!(name(b"h\0\0\0i\0\0\0"), "utf-32");
        assert_eq!(name(b"\0\0\0h\0\0\0i"), "utf-32");
        assert_eq!(name(b"h\0\0\0"), "utf-8");
        assert!(Guess::of(b"\xEF\xBB\xBFa").bom && !Guess::of(b"a").bom);
    }

    #[test]
    fn few_bytes_outside_ascii_are_sure_only_as_letters_in_words() {
        for few in [b"# \xe9\nx = 1\n".as_slice(), b"\xe9", b"Wis\xb3a", b"caf\xe9 \xe0 8\n"] {
            assert!(!Guess::of(few).is_sure, "{few:?}");
        }
        for word in [b"caf\xe9 au lait\n".as_slice(), b"na\xefvet\xe9"] {
            assert!(Guess::of(word).is_sure, "{word:?}");
        }
        let many = b"caf\xe9 \x96 na\xefve ".repeat(6);
        assert!(Guess::of(&many).is_sure);
    }

    #[test]
    fn a_character_that_is_cut_off_at_the_end_makes_no_other_encoding_of_a_text() {
        for (label, text) in [
            ("shift_jis", "2026 エラー: 接続に失敗しました\n警告"),
            ("euc-jp", "エラー接続に失敗\n二行目: 成功しました。\n警告"),
            ("gbk", "错误：连接失败\n第二行: 成功了。\n警告"),
            ("big5", "錯誤連線失敗\n第二行: 成功了。\n警告"),
            ("euc-kr", "로그 연결 실패\n두번째 줄: 성공\n경고"),
        ] {
            let encoding = Encoding::named(label).unwrap();
            let mut bytes = Vec::new();
            encoding.encode(text, &mut bytes).unwrap();
            let whole = bytes.len();
            for times in [1, 3] {
                let torn = bytes.repeat(times);
                let torn = &torn[..torn.len() - 1];
                let guess = Guess::of(torn);
                assert_eq!((guess.encoding, guess.is_sure), (encoding, true), "{label}");
                assert!(encoding.is_cut(torn, torn.len() as u64), "{label}");
            }
            assert!(!encoding.is_cut(&bytes, whole as u64), "{label}");
        }
    }

    #[test]
    fn a_text_of_single_bytes_is_known_wherever_it_ends() {
        for (label, text) in [
            ("windows-1251", "ошибка соединения\nвторая строка: успех. Это русский текст\n"),
            ("windows-1252", "größe und maß für straße\nçà et là été, là-bas déjà vu à côté\n"),
            ("windows-1253", "Αυτό είναι ένα ελληνικό κείμενο\nδεύτερη γραμμή με λέξεις\n"),
        ] {
            let encoding = Encoding::named(label).unwrap();
            let mut bytes = Vec::new();
            encoding.encode(text, &mut bytes).unwrap();
            for len in 24..=bytes.len() {
                assert_eq!(Guess::of(&bytes[..len]).encoding, encoding, "{label} {len}");
            }
        }
    }

    #[test]
    fn east_asian_and_cyrillic_text_is_recognised_and_little_of_it_is_not_sure() {
        for (label, text) in [
            ("shift_jis", "これは日本語のテキストです。\n次の行です。\n"),
            ("euc-jp", "これは日本語のテキストです。\n次の行です。\n"),
            ("gbk", "这是一个中文文本文件。\n下一行。\n"),
            ("big5", "這是一個中文文字檔案。\n下一行。\n"),
            ("euc-kr", "이것은 한국어 텍스트 파일입니다.\n다음 줄.\n"),
            ("windows-1251", "Это русский текст. Ещё одна строка.\n"),
        ] {
            let encoding = Encoding::named(label).unwrap();
            let mut bytes = Vec::new();
            encoding.encode(text, &mut bytes).unwrap();
            let guess = Guess::of(&bytes);
            assert_eq!((guess.encoding, guess.is_sure), (encoding, true), "{label}");
            let mut few = b"name = ".to_vec();
            let two: String = text.chars().take(2).collect();
            encoding.encode(&two, &mut few).unwrap();
            assert!(!Guess::of(&few).is_sure, "{label}");
        }
    }
}
