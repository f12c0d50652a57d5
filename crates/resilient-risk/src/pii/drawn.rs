//! Each row of the table finds values that are drawn from its own form and check, and none that one digit spoils.
//!
//! The draws are the same on every run. No value stands here.

use super::kinds::{Check, Need, Row, Signs, Way};
use super::special::sum;
use super::table::{ADDRESSES, ROWS, WAYS};
use super::tests::found;

/// A row of numbers that is the same on every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % end
    }

    /// One of the characters of a class.
    fn of_class(&mut self, class: u64) -> u8 {
        loop {
            let nth = self.below(36);
            if class >> nth & 1 == 1 {
                return b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[nth];
            }
        }
    }

    fn of_classes(&mut self, classes: &[u64]) -> Vec<u8> {
        classes.iter().map(|class| self.of_class(*class)).collect()
    }
}

fn ways() -> impl Iterator<Item = (&'static Way, &'static Row)> {
    // What may be digits alone stands in both lists.
    let lettered = WAYS.iter().flat_map(|[lettered, _]| *lettered);
    let digits = WAYS.iter().flat_map(|[_, digits]| *digits).filter(|way| way.letters == 0);
    let all = lettered.chain(digits).map(|way| (way, &ROWS[way.row]));
    // An address on the internet is no row of places.
    all.filter(|(way, row)| way.need != Need::Elsewhere && !matches!(row.check, [Check::Octets]))
}

fn is_checked(way: &Way) -> bool {
    matches!(way.need, Need::Check | Need::CheckAndWord)
}

/// Letters and digits of a number of this form.
fn draw(way: &Way, row: &Row, chance: &mut Chance) -> Vec<u8> {
    for _ in 0..200_000 {
        let mut compact = chance.of_classes(way.places);
        for (at, most) in way.month.map(|at| (at, 12)).into_iter().chain(way.day.map(|at| (at, 28)))
        {
            let value = 1 + chance.below(most) as u8;
            compact[at] = b'0' + value / 10;
            compact[at + 1] = b'0' + value % 10;
        }
        // Of the first characters of any number so many are digits, and one of the first seven is.
        let digits = compact.iter().take(18).filter(|byte| byte.is_ascii_digit()).count();
        if digits < 4 + usize::from(compact[0].is_ascii_digit())
            || !compact.iter().take(7).any(u8::is_ascii_digit)
        {
            continue;
        }
        let fits = |check: &Check| check.fits("", &compact);
        if way.has(&compact, row) && (!is_checked(way) || row.check.iter().all(fits)) {
            return compact;
        }
    }
    panic!("no value fits {} {}", row.name, row.what);
}

/// A number as it is written.
fn written(way: &Way, compact: &[u8]) -> String {
    let is_short = compact.len() < 9 || ROWS[way.row].signs.is_some_and(|[least, _]| least > 0);
    let mut raw = String::new();
    for (nth, byte) in compact.iter().enumerate() {
        match way.signs {
            Signs::These(signs) => {
                let sign = signs.iter().find(|(at, _)| *at == raw.len());
                raw.extend(
                    sign.map(|(_, sign)| char::from(if *sign == b'_' { b'-' } else { *sign })),
                );
            }
            // Short ones are written with signs, as are those that must have some.
            Signs::Any if is_short && matches!(nth, 2 | 4) => raw.push('-'),
            Signs::Groups if nth > 0 && nth % 4 == 0 && compact.len() - nth >= 3 => raw.push(' '),
            _ => {}
        }
        raw.push(char::from(*byte));
    }
    raw
}

fn announced(way: &Way, row: &Row, number: &str, chance: &mut Chance) -> String {
    let words = row.words.all();
    match way.need {
        Need::CheckAndWord | Need::Word => {
            format!("{}: {number} .", words[chance.below(words.len())].1)
        }
        _ => format!("= {number} ."),
    }
}

#[test]
fn words_are_told_by_how_they_begin() {
    for (bit, word) in ROWS.iter().flat_map(|row| row.words.all()) {
        assert_eq!(1 << bit, super::context::beginning(word.as_bytes()), "{word}");
        assert_eq!(*word, word.to_lowercase());
    }
}

#[test]
fn each_row_finds_its_own() {
    let chance = &mut Chance(0x9E37_79B9_7F4A_7C15);
    let mut missed = Vec::new();
    let mut others = vec![(0, 0); ROWS.len()];
    for (way, row) in ways() {
        for _ in 0..8 {
            let number = written(way, &draw(way, row, chance));
            let text = announced(way, row, &number, chance);
            let names = found(&text);
            if names.is_empty() {
                missed.push(format!("{} of {} ({}): {text}", row.name, row.country, row.what));
            }
            others[way.row].0 += usize::from(!names.contains(&row.name));
            others[way.row].1 += 1;
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    for ((other, all), row) in others.iter().zip(&ROWS) {
        // Some numbers of a state are those of another, too.
        assert!(
            other * 2 <= *all,
            "{} ({}): {other} of {all} have another name",
            row.name,
            row.what
        );
    }
}

#[test]
fn a_number_that_one_digit_spoils_is_not_found() {
    let chance = &mut Chance(0x2545_F491_4F6C_DD1D);
    let mut rows = vec![(0, 0); ROWS.len()];
    for (way, row) in ways().filter(|(way, _)| is_checked(way)) {
        for _ in 0..40 {
            let mut compact = draw(way, row, chance);
            let at = chance.below(compact.len());
            let date = [way.month, way.day].into_iter().flatten();
            if date.clone().any(|date| (date..date + 2).contains(&at))
                || !compact[at].is_ascii_digit()
            {
                continue;
            }
            let class = way.places[at] & 0x3FF & !(1 << (compact[at] - b'0'));
            if class == 0 {
                continue;
            }
            compact[at] = chance.of_class(class);
            let names = found(&announced(way, row, &written(way, &compact), chance));
            rows[way.row].0 += usize::from(names.contains(&row.name));
            rows[way.row].1 += 1;
        }
    }
    for ((found, all), row) in rows.iter().zip(&ROWS) {
        // A remainder that is shown like another and a weight that divides the modulus let some pass.
        assert!(found * 4 <= *all, "{} ({}): {found} of {all}", row.name, row.what);
    }
}

/// A field and its check digit.
fn with_sum(field: &str) -> String {
    format!("{field}{}", sum(field.as_bytes()))
}

#[test]
fn lines_that_machines_read_from_passports_are_found_with_the_names() {
    let chance = &mut Chance(0x0F0F_1234_9E37_79B9);
    for _ in 0..50 {
        let mut digits = |len: usize| -> String {
            (0..len).map(|_| char::from(b'0' + chance.below(10) as u8)).collect()
        };
        let number = with_sum(&format!("L{}", digits(8)));
        let (birth, expiry) = (with_sum(&digits(6)), with_sum(&digits(6)));
        let passport = format!("P<UTO{:<<39}\n{number}UTO{birth}F{expiry}{:<<16}", "DOE<<JANE", "");
        let card =
            format!("I<UTO{:<<25}\n{birth}M{expiry}UTO{:<<12}\n{:<<30}", number, "", "DOE<<JANE");
        for (text, len) in [(&passport, 89), (&card, 92)] {
            assert_eq!(text.len(), len);
            assert_eq!(found(text), ["passport_mrz"], "{text}");
            assert_eq!(found(&format!("before\n{text}\nafter")), ["passport_mrz"], "{text}");
            let spoilt = text.replace(
                &birth,
                &format!("{}{}", &birth[..6], (birth.as_bytes()[6] - b'0' + 1) % 10),
            );
            assert_eq!(found(&spoilt), Vec::<&str>::new(), "{spoilt}");
        }
    }
}

#[test]
fn addresses_of_devices_count_where_a_word_announces_them() {
    let chance = &mut Chance(0x51ED_270B_9E37_79B9);
    for _ in 0..50 {
        let byte = |chance: &mut Chance| 1 + chance.below(222);
        let [a, b, c] = [(); 3].map(|()| byte(chance));
        let mac = [17, a, b, c, 200, 3].map(|byte| format!("{byte:02x}"));
        let (colons, dashes) = (mac.join(":"), mac.join("-").to_uppercase());
        let ip = format!("81.{a}.{b}.{c}");
        let long = format!("2a02:{:x}:{b:x}::{c:x}", 4096 + a);
        for (word, name, number) in [
            ("MAC address", "mac_address", &colons),
            ("mac", "mac_address", &dashes),
            ("client ip", "ip_address", &ip),
            ("IP", "ip_address", &long),
        ] {
            if number.len() >= 10 {
                assert_eq!(found(&format!("{word}: {number} at")), [name], "{word} {number}");
            }
            assert_eq!(found(&format!("version {number} of")), Vec::<&str>::new(), "{number}");
        }
    }
    for private in [
        "ip 192.168.100.7",
        "ip: 10.20.30.40",
        "IP 127.0.0.1",
        "ip fe80::1234:5678",
        "ip 2001:db8::1234",
    ] {
        assert_eq!(found(private), Vec::<&str>::new(), "{private}");
    }
}

#[test]
fn an_address_has_a_number_a_street_and_a_postcode() {
    let chance = &mut Chance(0x7777_270B_9E37_1111);
    for address in &ADDRESSES {
        for way in address.codes {
            for street in address.streets {
                let code = written(way, &chance.of_classes(way.places));
                let number = 10 + chance.below(300);
                for text in [
                    format!("{number} Elm {street}, Anytown, {code} Anycity"),
                    format!("Elm{street} {number}, {code} Anycity"),
                    format!("{street} Elm {number}\n{code} Anycity"),
                    format!("{street} Elm {number}\npostal_code: {code} Anycity"),
                    format!("_{street} Elm {number}_\n{code} Anycity"),
                ] {
                    let glued = text.starts_with("Elm");
                    let names = found(&text);
                    if glued && !address.suffix {
                        continue;
                    }
                    assert!(
                        names.contains(&"postal_address"),
                        "{} {text} {names:?}",
                        address.country
                    );
                }
                let bare = format!("{number} Elm Anytown, {code} Anycity");
                assert!(!found(&bare).contains(&"postal_address"), "{bare}");
                for across in [
                    format!("{street}\ncall_{number}(x, y)\n{code} Anycity"),
                    format!("{street}\nimport lib_{number}\n{code} Anycity"),
                ] {
                    assert!(!found(&across).contains(&"postal_address"), "{across}");
                }
            }
        }
    }
}

#[test]
fn the_page_tells_how_many_rows_and_countries_there_are() {
    let named = ROWS.iter().flat_map(|row| row.country.split(", "));
    let countries: std::collections::BTreeSet<_> =
        named.filter(|country| !matches!(*country, "" | "EU")).collect();
    let told = format!("{} rows, for {} countries", ROWS.len(), countries.len());
    let page = include_str!("../../../../docs/risk.md");
    assert!(page.replace('\n', " ").contains(&told), "{told}");
}
