//! A cursor as text: at most 80 characters, whatever it says.
//!
//! A token is the URL-safe base64 of at most 60 bytes, whose first tells the form and whose last three are
//! a digest of the others. A cursor of a file beyond some terabytes may leave its prefix out, and one of a
//! deep path some names of its directories: see [`Trail`]. Tokens of the Python reader and of versions up
//! to 0.4.0 are JSON; they are still read.

use base64::Engine as _;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::Deserialize;

use super::budget;
use super::prefix::{CHAIN_LEN, Prefix, TIP_LEN};
use super::trail::{PATH, Trail};
use crate::digest::Digest;
use crate::error::{Error, Result};

/// URL-safe; read with or without padding, which the Python reader writes.
const TEXT: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new()
        .with_encode_padding(false)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A longer token is not from this server: a path has at most 4,096 bytes.
const TOKEN_MAX: usize = 32 << 10;

/// How many bytes a token has at most: they make 80 characters.
const BYTES_MAX: usize = 60;

/// The form of a token. The others begin with `{`.
const FORM: u8 = 1;

const STRICT: u8 = 1;
const SETTLED: u8 = 2;
const CTIME: u8 = 4;
const READ: u8 = 8;
const ENCODING: u8 = 16;
const USUAL_LENGTH: u8 = 32;
const TRAIL_IS_CUT: u8 = 64;

/// How many bytes tell a time of change from another one.
const CTIME_LEN: usize = 3;
const CHECK: usize = 3;

/// The names of encodings, by number. New ones go to the end.
const ENCODINGS: [&str; 47] = [
    "utf-8",
    "utf-16le",
    "utf-16be",
    "base64",
    "utf-32le",
    "utf-32be",
    "ibm866",
    "iso-8859-2",
    "iso-8859-3",
    "iso-8859-4",
    "iso-8859-5",
    "iso-8859-6",
    "iso-8859-7",
    "iso-8859-8",
    "iso-8859-8-i",
    "iso-8859-10",
    "iso-8859-13",
    "iso-8859-14",
    "iso-8859-15",
    "iso-8859-16",
    "koi8-r",
    "koi8-u",
    "macintosh",
    "windows-874",
    "windows-1250",
    "windows-1251",
    "windows-1252",
    "windows-1253",
    "windows-1254",
    "windows-1255",
    "windows-1256",
    "windows-1257",
    "windows-1258",
    "x-mac-cyrillic",
    "gbk",
    "gb18030",
    "big5",
    "euc-jp",
    "iso-2022-jp",
    "shift_jis",
    "euc-kr",
    "x-user-defined",
    "utf-32",
    "utf-16",
    "replacement",
    "binary",
    "ascii",
];

/// Which file a cursor is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// The path as it was given; of the long form of a token.
    Path(String),
    Trail(Trail),
}

/// What a token says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cursor {
    pub(super) whose: Whose,
    pub(super) offset: u64,
    pub(super) max_bytes: u64,
    pub(super) size: u64,
    pub(super) mtime_ns: i64,
    pub(super) encoding: Option<String>,
    pub(super) strict: bool,
    /// What tells the time of the last change of any kind from another one.
    pub(super) ctime: Option<[u8; CTIME_LEN]>,
    /// The version was old enough when it was read that no change can share its times.
    pub(super) settled: bool,
    /// The Python reader knows none.
    pub(super) read: Option<Prefix>,
}

/// The JSON of a token of the Python reader, which has the first five fields, or of an earlier version.
#[derive(Deserialize)]
struct Long {
    path: String,
    offset: u64,
    max_bytes: u64,
    size: u64,
    mtime_ns: i64,
    encoding: Option<String>,
    #[serde(default)]
    strict: bool,
    ctime_ns: Option<i64>,
    #[serde(default)]
    settled: bool,
    read: Option<LongPrefix>,
}

#[derive(Deserialize)]
struct LongPrefix {
    from: u64,
    chain: String,
    tip: String,
}

/// What tells a time of change from another one.
pub(super) fn short_time(ns: i128) -> [u8; CTIME_LEN] {
    Digest::of(&ns.to_be_bytes()).as_bytes().first_chunk().copied().unwrap_or_default()
}

/// Writes a cursor whose file is at the end of a trail.
pub(super) fn encode(cursor: &Cursor, trail: &Trail) -> String {
    let mut bytes = without_trail(cursor, cursor.read.as_ref());
    if bytes.len() + PATH + CHECK > BYTES_MAX {
        bytes = without_trail(cursor, None);
    }
    let trail = trail.cut_to(BYTES_MAX.saturating_sub(bytes.len() + PATH + CHECK));
    if let (Some(flags), true) = (bytes.get_mut(1), trail.is_cut) {
        *flags |= TRAIL_IS_CUT;
    }
    bytes.extend(trail.path);
    bytes.extend(&trail.names);
    bytes.extend(check(&bytes));
    TEXT.encode(bytes)
}

fn without_trail(cursor: &Cursor, read: Option<&Prefix>) -> Vec<u8> {
    // A prefix of the long form is made anew before it is written.
    let read = read.filter(|read| read.is_short());
    let encoding = cursor.encoding.as_deref().and_then(number_of);
    let is_usual = i64::try_from(cursor.max_bytes) == Ok(budget::BYTES);
    let flags = [
        (STRICT, cursor.strict),
        (SETTLED, cursor.settled),
        (CTIME, cursor.ctime.is_some()),
        (READ, read.is_some()),
        (ENCODING, encoding.is_some()),
        (USUAL_LENGTH, is_usual),
    ];
    let flags = flags.iter().filter(|(_, is_set)| *is_set).fold(0, |all, (flag, _)| all | flag);
    let mut bytes = vec![FORM, flags];
    put_number(&mut bytes, cursor.offset);
    put_number(&mut bytes, cursor.size.saturating_sub(cursor.offset));
    bytes.extend(cursor.mtime_ns.to_be_bytes());
    if !is_usual {
        put_number(&mut bytes, cursor.max_bytes);
    }
    bytes.extend(cursor.ctime.iter().flatten());
    bytes.extend(encoding);
    if let Some(Prefix { from, chain, tip }) = read {
        put_number(&mut bytes, *from);
        bytes.extend(chain);
        bytes.extend(tip);
    }
    bytes
}

/// Reads a token.
///
/// # Errors
/// It is none.
pub(super) fn decode(token: &str) -> Result<Cursor> {
    if token.len() > TOKEN_MAX {
        return Err(Error::CursorDecode);
    }
    let bytes = TEXT.decode(token.trim()).map_err(|_| Error::CursorDecode)?;
    let cursor = match bytes.first() {
        Some(&FORM) => decode_short(&bytes),
        _ => decode_long(&bytes),
    };
    cursor.filter(is_sound).ok_or(Error::CursorDecode)
}

fn is_sound(cursor: &Cursor) -> bool {
    (1..=budget::BYTES_MAX).contains(&cursor.max_bytes)
        && cursor.offset <= cursor.size
        && cursor.read.as_ref().is_none_or(|read| read.from <= cursor.offset)
}

fn decode_short(bytes: &[u8]) -> Option<Cursor> {
    let (said, found) = bytes.split_last_chunk::<CHECK>()?;
    if check(said) != *found {
        return None;
    }
    let mut rest = said.get(1..)?;
    let [flags] = take::<1>(&mut rest)?;
    let has = |flag| flags & flag != 0;
    let offset = take_number(&mut rest)?;
    let size = take_number(&mut rest)?.checked_add(offset)?;
    let mtime_ns = i64::from_be_bytes(take(&mut rest)?);
    let max_bytes = if has(USUAL_LENGTH) {
        u64::try_from(budget::BYTES).ok()?
    } else {
        take_number(&mut rest)?
    };
    let ctime = if has(CTIME) { Some(take(&mut rest)?) } else { None };
    let encoding = match has(ENCODING) {
        true => Some((*ENCODINGS.get(usize::from(take::<1>(&mut rest)?[0]))?).to_owned()),
        false => None,
    };
    let read = match has(READ) {
        true => Some(Prefix {
            from: take_number(&mut rest)?,
            chain: take::<CHAIN_LEN>(&mut rest)?.to_vec(),
            tip: take::<TIP_LEN>(&mut rest)?.to_vec(),
        }),
        false => None,
    };
    let path = take(&mut rest)?;
    let whose = Whose::Trail(Trail { path, names: rest.to_vec(), is_cut: has(TRAIL_IS_CUT) });
    let (strict, settled) = (has(STRICT), has(SETTLED));
    Some(Cursor {
        whose,
        offset,
        max_bytes,
        size,
        mtime_ns,
        encoding,
        strict,
        ctime,
        settled,
        read,
    })
}

fn decode_long(bytes: &[u8]) -> Option<Cursor> {
    let long: Long = serde_json::from_slice(bytes).ok()?;
    let read = match long.read {
        Some(read) => Some(Prefix {
            from: read.from,
            chain: TEXT.decode(read.chain).ok().filter(|chain| chain.len() == 32)?,
            tip: TEXT.decode(read.tip).ok().filter(|tip| tip.len() == 9)?,
        }),
        None => None,
    };
    Some(Cursor {
        whose: Whose::Path(long.path),
        offset: long.offset,
        max_bytes: long.max_bytes,
        size: long.size,
        mtime_ns: long.mtime_ns,
        encoding: long.encoding,
        strict: long.strict,
        ctime: long.ctime_ns.map(|ns| short_time(ns.into())),
        settled: long.settled,
        read,
    })
}

fn check(bytes: &[u8]) -> [u8; CHECK] {
    Digest::of(bytes).as_bytes().first_chunk().copied().unwrap_or_default()
}

fn number_of(encoding: &str) -> Option<u8> {
    let at = ENCODINGS.iter().position(|name| *name == encoding)?;
    u8::try_from(at).ok()
}

/// Seven bits to a byte, the lowest first; the highest bit of a byte tells that more follow.
fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take_number(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for place in 0..10 {
        let [byte] = take::<1>(rest)?;
        let bits = u64::from(byte & 0x7F);
        number |= bits.checked_shl(7 * place).filter(|shifted| shifted >> (7 * place) == bits)?;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, left) = rest.split_first_chunk()?;
    *rest = left;
    Some(*taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::encoding::Encoding;
    use proptest::prelude::*;

    fn trail(names: usize) -> Trail {
        Trail { path: [7; PATH], names: vec![9; names], is_cut: false }
    }

    fn cursor() -> impl Strategy<Value = Cursor> {
        let number = || prop_oneof![0..200_u64, any::<u32>().prop_map(u64::from), 0..1_u64 << 62];
        let numbers = (number(), number(), number(), 1..=budget::BYTES_MAX, any::<i64>());
        let read = prop::option::of(any::<([u8; CHAIN_LEN], [u8; TIP_LEN])>());
        let rest = (any::<bool>(), any::<bool>(), any::<Option<[u8; CTIME_LEN]>>(), read);
        let encoding = prop::option::of(prop::sample::select(ENCODINGS.to_vec()));
        (numbers, rest, encoding).prop_map(|(numbers, rest, encoding)| {
            let ((offset, more, from, max_bytes, mtime_ns), (strict, settled, ctime, read)) =
                (numbers, rest);
            Cursor {
                whose: Whose::Trail(trail(0)),
                offset,
                max_bytes,
                size: offset + more,
                mtime_ns,
                encoding: encoding.map(str::to_owned),
                strict,
                ctime,
                settled,
                read: read.map(|(chain, tip)| Prefix {
                    from: from.min(offset),
                    chain: chain.to_vec(),
                    tip: tip.to_vec(),
                }),
            }
        })
    }

    proptest! {
        #[test]
        fn a_token_has_at_most_80_characters_and_says_what_the_cursor_says(
            cursor in cursor(), names in 0..30_usize,
        ) {
            let token = encode(&cursor, &trail(names));
            prop_assert!(token.len() <= 80, "{}", token.len());
            let back = decode(&token).unwrap();
            let is_usual = cursor.size < 1 << 40;
            prop_assert!(back.read == cursor.read || !is_usual && back.read.is_none());
            let Whose::Trail(found) = &back.whose else { panic!("a trail") };
            prop_assert_eq!(found.path, [7; PATH]);
            prop_assert_eq!(found.is_cut, found.names.len() < names);
            let same = Cursor { whose: cursor.whose.clone(), read: cursor.read.clone(), ..back };
            prop_assert_eq!(same, cursor);
        }

        #[test]
        fn a_token_with_another_character_is_none(
            cursor in cursor(), at in any::<prop::sample::Index>(), other in "[A-Za-z0-9_-]",
        ) {
            let token = encode(&cursor, &trail(3));
            let at = at.index(token.len());
            let mut changed = token.clone();
            changed.replace_range(at..=at, &other);
            prop_assume!(changed != token);
            prop_assert!(decode(&changed).is_err());
        }
    }

    #[test]
    fn a_token_of_the_python_reader_is_understood_and_garbage_is_not() {
        let theirs = r#"{"max_bytes":64,"mtime_ns":1,"offset":3,"path":"a","size":9}"#;
        let cursor = decode(&TEXT.encode(theirs)).unwrap();
        assert_eq!((cursor.whose, cursor.offset, cursor.read), (Whose::Path("a".into()), 3, None));
        let broken = [
            String::new(),
            "no token".to_owned(),
            TEXT.encode("{}"),
            TEXT.encode("[1,2]"),
            TEXT.encode([FORM]),
            TEXT.encode(r#"{"max_bytes":0,"mtime_ns":1,"offset":3,"path":"a","size":9}"#),
            TEXT.encode(r#"{"max_bytes":1,"mtime_ns":1,"offset":10,"path":"a","size":9}"#),
            TEXT.encode(r#"{"max_bytes":1,"mtime_ns":1,"offset":-1,"path":"a","size":9}"#),
            "A".repeat(TOKEN_MAX + 1),
        ];
        for token in broken {
            assert!(matches!(decode(&token), Err(Error::CursorDecode)), "{token}");
        }
    }

    #[test]
    fn every_encoding_that_a_read_takes_has_a_number() {
        for label in ENCODINGS {
            if let Some(encoding) = Encoding::named(label) {
                assert!(number_of(&encoding.name()).is_some(), "{label}");
            }
        }
    }
}
