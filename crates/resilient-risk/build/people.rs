//! Makes the tables of `data/people.toml`, where the notation is explained.

#[expect(dead_code, reason = "it is read and printed")]
#[path = "../src/pii/kinds.rs"]
mod kinds;

use std::error::Error;
use std::fmt::{Debug, Formatter, Result as Written, Write as _};
use std::path::Path;

use kinds::{Address, Need, Row, Signs, Wallet, Way, bit};
use serde::Deserialize;
use toml::{Table, Value};

type Text = String;

#[derive(Clone, Deserialize)]
struct List<T>(Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Debug> Debug for List<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Written {
        write!(f, "&{:?}", self.0)
    }
}

#[derive(Default, Deserialize)]
struct ContextWords(Vec<String>);

impl Debug for ContextWords {
    fn fmt(&self, f: &mut Formatter<'_>) -> Written {
        // As `pii/context.rs` tells words by their first two letters; a test compares the two.
        let begins = |word: &String| match word.as_bytes() {
            [first, second, ..] => ((first & 31) as u32 * 7 + (second & 31) as u32) % 64,
            _ => 0,
        };
        let all: Vec<(u32, &String)> = self.0.iter().map(|word| (begins(word), word)).collect();
        write!(f, "ContextWords::of(&{all:?})")
    }
}

/// The forms of a kind of numbers, by what they need.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Forms {
    source: String,
    elsewhere: bool,
    word_overrules: bool,
    by_form: Vec<String>,
    by_check: Vec<String>,
    by_check_and_word: Vec<String>,
    by_word: Vec<String>,
}

const KEYS: &str = " name what country source after_sign signs words check never months days elsewhere \
    word_overrules by_form by_check by_check_and_word by_word begins lengths sum postcodes streets suffix city_behind ";
const DIGITS: u64 = (1 << 10) - 1;
const LETTERS: u64 = ((1 << 26) - 1) << 10;
/// No number is longer.
const LEN_MAX: usize = 36;
/// A word so long is one number or none.
const LONG: usize = 16;

/// All forms that are written so.
fn forms(written: &str) -> Result<Vec<Way>, String> {
    let signs = Signs::These(List::default());
    let (row, letters, digits, month, day) = (0, 0, 0, None, None);
    let places = List::default();
    let mut all = vec![Way { row, need: Need::Form, signs, letters, digits, places, month, day }];
    let mut rest = written.chars().peekable();
    while let Some(char) = rest.next() {
        let class = match char {
            '~' => {
                all.iter_mut().for_each(|way| way.signs = Signs::Any);
                continue;
            }
            '#' => {
                all.iter_mut().for_each(|way| way.signs = Signs::Groups);
                continue;
            }
            ' ' | '-' | '.' | '/' | ':' | '_' => {
                for way in &mut all {
                    let Signs::These(signs) = &mut way.signs else {
                        return Err(format!("{written:?} has signs twice"));
                    };
                    signs.0.push((way.places.0.len() + signs.0.len(), char as u8));
                }
                continue;
            }
            'M' | 'D' if rest.next_if_eq(&char).is_some() => {
                for way in &mut all {
                    let at = way.places.0.len();
                    *(if char == 'M' { &mut way.month } else { &mut way.day }) = Some(at);
                    way.places.0.extend([DIGITS; 2]);
                }
                continue;
            }
            '9' => DIGITS,
            'A' => LETTERS,
            'X' => DIGITS | LETTERS,
            '[' => {
                let (mut class, mut last) = (0, None);
                while let Some(char) = rest.next_if(|char| *char != ']') {
                    let to = if char == '-' { rest.next().unwrap_or(char) } else { char };
                    let from = if char == '-' { last.unwrap_or(to) } else { to };
                    (from..=to).for_each(|char| class |= bit(char as u8));
                    last = Some(char);
                }
                rest.next();
                class
            }
            _ => 0,
        };
        if class == 0 {
            return Err(format!("{char:?} of {written:?} means nothing"));
        }
        let mut counts = 1..=1;
        if rest.next_if_eq(&'{').is_some() {
            let count: String = std::iter::from_fn(|| rest.next_if(|char| *char != '}')).collect();
            rest.next();
            let (from, to) = count.split_once(',').unwrap_or((&count, &count));
            let number = |text: &str| text.parse().map_err(|_| format!("{text:?} is no count"));
            counts = number(from)?..=number(to)?;
        }
        let longer = |way: &Way, count: usize| {
            let mut way = way.clone();
            way.places.0.extend(vec![class; count]);
            way
        };
        let each = |way: &Way| counts.clone().map(|count| longer(way, count)).collect::<Vec<_>>();
        all = all.iter().flat_map(each).collect();
    }
    for way in &mut all {
        let may = |class: u64| {
            let places = way.places.0.iter().enumerate();
            places.fold(0, |bits, (at, place)| bits | u64::from(place & class != 0) << at)
        };
        (way.letters, way.digits) = (may(LETTERS), may(DIGITS));
    }
    Ok(all)
}

/// The ways of a kind of numbers.
fn ways(nth: usize, row: &Row, forms_of: &Forms) -> Result<Vec<Way>, String> {
    let by_form = if forms_of.elsewhere { Need::Elsewhere } else { Need::Form };
    let overruled = if forms_of.word_overrules { forms_of.by_check.as_slice() } else { &[] };
    let mut all = Vec::new();
    for (need, list) in [
        (by_form, forms_of.by_form.as_slice()),
        (Need::CheckAndWord, &forms_of.by_check_and_word),
        (Need::Check, &forms_of.by_check),
        (Need::Word, &forms_of.by_word),
        (Need::Word, overruled),
    ] {
        let checked = matches!(need, Need::Check | Need::CheckAndWord);
        let announced = matches!(need, Need::Word | Need::CheckAndWord);
        for way in list {
            if checked && row.check.0.is_empty() || announced && row.words.0.is_empty() {
                return Err(format!("{} lacks a check or words", row.name));
            }
            all.extend(forms(way)?.into_iter().map(|way| Way { row: nth, need, ..way }));
        }
    }
    let len = |way: &Way| match &way.signs {
        Signs::These(signs) => way.places.0.len() + signs.0.len(),
        _ => way.places.0.len() + 2,
    };
    match all.iter().find(|way| way.places.0.len() > LEN_MAX || len(way) < 8) {
        Some(_) => Err(format!("{} has a form that is too long or too short", row.name)),
        None => Ok(all),
    }
}

/// What begins a number with letters, a bit for each form of eight characters: with signs between them, and as one word.
fn heads(ways: &[Way]) -> [[u64; 4]; 2] {
    let mut heads = [[0_u64; 4]; 2];
    for way in ways.iter().filter(|way| way.letters != 0) {
        let plain = is_plain(way);
        for head in (0..256_u64).filter(|_| !plain || way.places.0.len() < LONG) {
            if head & !way.digits & 255 == 0 && !head & !way.letters & 255 == 0 {
                heads[usize::from(plain)][head as usize / 64] |= 1 << (head % 64);
            }
        }
    }
    heads
}

fn is_plain(way: &Way) -> bool {
    matches!(&way.signs, Signs::These(signs) if signs.0.is_empty())
}

/// With how many signs a number of each length counts that nothing announces, a bit for each.
fn alone(ways: &[Way]) -> [u16; 20] {
    let mut alone = [0; 20];
    let needs = [Need::Elsewhere, Need::Form, Need::Check];
    for way in ways.iter().filter(|way| needs.contains(&way.need)) {
        let len = way.places.0.len();
        if way.digits == (1 << len) - 1 && len < alone.len() {
            alone[len] |= match &way.signs {
                Signs::Any => u16::MAX,
                Signs::Groups => (1 << ((len + 1) / 3)) - 1,
                Signs::These(signs) => 1 << signs.0.len(),
            };
        }
    }
    alone
}

/// Reads an entry of the table, all of whose keys are known.
fn read<T: for<'a> Deserialize<'a>>(entry: &Value) -> Result<T, Box<dyn Error>> {
    let keys = entry.as_table().into_iter().flat_map(Table::keys);
    match keys.into_iter().find(|key| !KEYS.contains(&format!(" {key} "))) {
        Some(key) => Err(format!("there is no key {key:?}").into()),
        None => Ok(entry.clone().try_into()?),
    }
}

/// Writes `people.rs`.
pub(crate) fn make() -> Result<(), Box<dyn Error>> {
    let file = Path::new("data/people.toml");
    let people: Table = toml::from_str(&std::fs::read_to_string(file)?)?;
    let list = |name: &str| people.get(name).and_then(Value::as_array).ok_or(format!("no {name}"));
    let (mut rows, mut all, mut addresses) = (Vec::new(), Vec::new(), Vec::new());
    for (nth, entry) in list("number")?.iter().enumerate() {
        let (row, forms): (Row, Forms) = (read(entry)?, read(entry)?);
        if row.name.is_empty() || row.what.is_empty() || forms.source.is_empty() {
            return Err(format!("entry {nth} lacks a name, or what it is, or a source").into());
        }
        all.extend(ways(nth, &row, &forms)?);
        rows.push(row);
    }
    for entry in list("address")? {
        let mut address: Address = read(entry)?;
        for code in entry.get("postcodes").and_then(Value::as_array).into_iter().flatten() {
            address.codes.0.extend(forms(code.as_str().unwrap_or_default())?);
        }
        addresses.push(address);
    }
    let wallets = list("wallet")?.iter().map(read).collect::<Result<Vec<Wallet>, _>>()?;
    let codes: Vec<u16> = people["telephones"]["codes"].clone().try_into()?;
    // In the order in which they are tried.
    all.sort_by_key(|way| (way.need, !matches!(way.signs, Signs::These(_)), way.row));
    let of = |len: usize, digits: bool| {
        let fits = |way: &&Way| match digits {
            true => way.digits == (1 << len) - 1,
            false => way.letters != 0,
        };
        List(all.iter().filter(|way| way.places.0.len() == len).filter(fits).cloned().collect())
    };
    let by_len: Vec<[List<Way>; 2]> =
        (0..=LEN_MAX).map(|len| [of(len, false), of(len, true)]).collect();
    let masks = |[lettered, _]: &[List<Way>; 2]| {
        let lettered = lettered.0.iter();
        let mut masks: Vec<_> =
            lettered.map(|way| (way.letters, way.digits, is_plain(way))).collect();
        masks.sort_unstable();
        masks.dedup();
        List(masks)
    };
    let masks: Vec<_> = by_len.iter().map(masks).collect();

    let mut out = String::new();
    let mut table = |name: &str, of: &str, value: &dyn Debug| {
        writeln!(out, "pub(in crate::pii) static {name}: {of} = {value:?};")
    };
    table("ROWS", &format!("[Row; {}]", rows.len()), &rows)?;
    table("WAYS", &format!("[[&[Way]; 2]; {}]", by_len.len()), &by_len)?;
    table("MASKS", &format!("[&[(u64, u64, bool)]; {}]", masks.len()), &masks)?;
    table("HEADS", "[[u64; 4]; 2]", &heads(&all))?;
    table("ALONE", "[u16; 20]", &alone(&all))?;
    table("CODES", &format!("[u16; {}]", codes.len()), &codes)?;
    table("WALLETS", &format!("[Wallet; {}]", wallets.len()), &wallets)?;
    table("ADDRESSES", &format!("[Address; {}]", addresses.len()), &addresses)?;
    for (name, list) in
        [("COUNTRIES", &people["banks"]["countries"]), ("MONTHS", &people["words"]["months"])]
    {
        let words: Vec<String> = list.clone().try_into()?;
        table(name, &format!("[&str; {}]", words.len()), &words)?;
    }
    for name in ["person", "hardware", "internet"] {
        let words: ContextWords = people["words"][name].clone().try_into()?;
        table(&name.to_uppercase(), "ContextWords", &words)?;
    }
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("people.rs"), out)?;
    Ok(())
}
