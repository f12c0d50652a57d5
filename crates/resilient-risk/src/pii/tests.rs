//! What is found, and what is not.

use super::number::Form;
use super::readings::{Readings, may_begin};
use super::*;
use crate::byte_classes::ByteClasses;
use crate::text_index::TextIndex;
use crate::{Detection, Policy, score};

pub(super) fn found(text: &str) -> Vec<&'static str> {
    let mut names = Vec::new();
    let TextIndex { byte_classes, digit_regions, .. } = &TextIndex::of(text.as_bytes());
    find(text, byte_classes, digit_regions, |hit| names.push(hit.name));
    names
}

#[test]
fn parts_of_fractions_and_of_names_are_no_numbers_of_people() {
    for text in [
        "x = [0.4111111111111111, 12.378282246310005]",
        "arn:aws:sns:us-east-1:415555267112:topic",
        "\"arn:aws-cn:iam::234567890124:root\"",
        "pub type P134217728 = X;",
    ] {
        assert!(found(text).is_empty(), "{text}");
    }
}

#[test]
fn a_date_in_words_counts_where_a_word_announces_it() {
    for text in [
        "Maria was born on 12 March 1984 in Porto.",
        "born March 12, 1984",
        "born in Sept. 1984",
        "DOB: 1st of May 1984",
        "geboren am 12. März 1984",
        "née le 1er août 1984",
        "nacida el 12 de marzo de 1984",
    ] {
        assert_eq!(found(text), ["date_of_birth"], "{text}");
    }
    for text in [
        "signed on 12 March 1984",
        "born in room 12, 1984",
        "born 40 March1 1984",
        "born March 12, 1784",
    ] {
        assert_eq!(found(text), [""; 0], "{text}");
    }
}

#[test]
fn a_word_that_was_cut_and_a_line_far_above_are_no_address() {
    let words =
        "internal/x\ncall_1(x, y)\nx = fwWv WYkFce hW\nEFF dPxqU izIsAce f\n6789-123 45-678 Opole";
    for len in 0..20 {
        let text = format!("{}{words}", "a".repeat(len));
        assert!(!found(&text).contains(&"postal_address"), "{len}");
    }
    let text = "ul. Polna 5\n\n\n\n\n45-678 Opole";
    assert_eq!(found(text), [""; 0]);
}

#[test]
fn numbers_of_many_countries_are_named() {
    // Published examples: each state's or standard's own.
    for (text, name) in [
        ("GB29 NWBK 6016 1331 9268 19", "iban"),
        ("DE89370400440532013000", "iban"),
        ("4111 1111 1111 1111", "credit_card"),
        ("378282246310005", "credit_card"),
        ("+44 20 7946 0958", "phone_international"),
        ("+905321234567", "phone_international"),
        ("(415) 555-0132", "phone"),
        ("44051401458", "national_id_pl"),
        ("131052-308T", "national_id_fi"),
        ("S1234567D", "national_id_sg"),
        ("12345678Z", "national_id_es"),
        ("960121-1021413", "national_id_kr"),
        ("19121212-1212", "national_id_se"),
        ("AB 12 34 56 C", "national_id_uk"),
        ("10000000146", "national_id_tr"),
        ("529.982.247-25", "national_id_br"),
        ("11010519491231002X", "national_id_cn"),
        ("RSSMRA85T10A562S", "national_id_it"),
        ("756.9217.0769.85", "national_id_ch"),
        ("12.345.678-5", "national_id_cl"),
        ("7.654.321-6", "national_id_cl"),
        ("RUT: 12345678-5", "national_id_cl"),
        ("RUT 10.000.013-K", "national_id_cl"),
        ("51 824 753 556", "national_id_au_abn"),
        ("ABN 51824753556", "national_id_au_abn"),
        ("943 476 5919", "national_id_uk_nhs"),
        ("NHS 943-476-5919", "national_id_uk_nhs"),
    ] {
        assert_eq!(found(text), [name], "{text}");
    }
    for text in ["12.345.678-6", "12345678-5", "51 824 753 557", "7.654.321-K"] {
        assert_eq!(found(text), Vec::<&str>::new(), "{text}");
    }
}

#[test]
fn one_number_is_one_finding_by_its_right_name() {
    let names = |text: &str| {
        let report = score(text, &Policy::default());
        let hits = report.detected_patterns.into_iter().map(|found| match found {
            Detection::Pattern(hit) => hit.pattern.into_owned(),
            Detection::Size(_) => String::new(),
        });
        hits.collect::<Vec<_>>()
    };
    for text in ["ssn: 123-45-6789", "tax id 912-70-1234", "call 123-45-6789"] {
        assert_eq!(names(text), ["ssn"], "{text}");
    }
    assert_eq!(names("415-555-2671"), ["phone"]);
}

#[test]
fn punctuation_around_a_number_takes_nothing_from_it() {
    for (text, name) in [
        ("4111111111111111", "credit_card"),
        ("44051401458", "national_id_pl"),
        ("756.9217.0769.85", "national_id_ch"),
        ("529.982.247-25", "national_id_br"),
    ] {
        for (before, after) in [("", "."), ("", ". More text."), ("", ".\n"), ("'", "',")] {
            let text = [before, text, after].concat();
            assert_eq!(found(&text), [name], "{text}");
        }
    }
    for fraction in ["4111111111111111.25 x", "44051401458.5 ", "x 44051401458.25,"] {
        assert_eq!(found(fraction), Vec::<&str>::new(), "{fraction}");
    }
}

#[test]
fn an_item_of_a_list_counts_where_a_word_announces_it() {
    for (text, names) in [
        ("{\"card\": 4111111111111111}", vec!["credit_card"]),
        ("values (7, 'visa', 4111111111111111)", vec!["credit_card"]),
        ("{\"pesel\": 44051401458, \"a\": 1}", vec!["national_id_pl"]),
        ("(nationalId 44051401458)", vec!["national_id_pl"]),
        ("{\"phone\": 4155552671, \"a\": 1}", vec!["phone"]),
        ("const PHONE_QUERY: u32 = 2147774600;", vec![]),
        ("f(4111111111111111)", vec![]),
        ("[44051401458, 44051401458]", vec![]),
        ("sizes: 44051401458, 7", vec![]),
    ] {
        assert_eq!(found(text), names, "{text}");
    }
}

#[test]
fn any_number_of_named_numbers_makes_no_table() {
    for (text, name) in [
        ("4111 1111 1111 1111", "credit_card"),
        ("4111111111111111", "credit_card"),
        ("+44 20 7946 0958", "phone_international"),
    ] {
        for count in [6, 7, 40, 100] {
            let line = [text, " and "].concat().repeat(count);
            assert_eq!(found(&line), vec![name; count], "{count} {text}");
        }
    }
    let customer = "{\"name\":\"a\",\"zip\":\"12345\",\"card\":\"4111 1111 1111 1111\"},";
    assert_eq!(found(&customer.repeat(80)).len(), 80);
}

#[test]
fn numbers_are_found_wherever_a_group_of_marks_begins() {
    for text in [
        "+1 (415) 555-0132",
        "(415) 555-0132",
        "GB29 NWBK 6016 1331 9268 19",
        "AB 12 34 56 C",
        "ABCPE1234F",
        "RSSMRA85T10A562S",
        "1EG4-TE5-MK73",
    ] {
        for before in 0..130 {
            assert_eq!(found(&(" ".repeat(before) + text)).len(), 1, "{before} {text}");
        }
    }
}

#[test]
fn whatever_may_be_read_as_a_number_is_visited() {
    let chance = &mut crate::steady::Chance(0x9E37_79B9_7F4A_7C15);
    let mut readings = 0;
    for _ in 0..20_000 {
        let text = chance.draw(b"0123456789012345678901234567ABGB- ./", 60);
        let bytes = text.as_bytes();
        let byte_classes = ByteClasses::of(bytes);
        let is_found = |place: usize| {
            let start = place - place % STEP;
            let base = start.saturating_sub(BEFORE);
            firsts(bytes, &byte_classes, base) >> (place - base) & 1 == 1
        };
        for start in (0..bytes.len()).filter(|at| bytes[*at].is_ascii_alphanumeric()) {
            let word = start..start + byte_classes.alnum.run(start);
            let begins = start == 0 || !bytes[start - 1].is_ascii_alphanumeric();
            let Some(place) = byte_classes.digit.next(start, word.end).filter(|_| begins) else {
                continue;
            };
            if Readings::of(bytes, &byte_classes, start).is_some() {
                readings += 1;
                assert!(is_found(place), "{start} {text}");
            }
        }
    }
    assert!(readings > 1000);
}

#[test]
fn lines_of_many_long_numbers_are_tables() {
    let found = |others: usize, short: usize| {
        found(&("44051401458 ".to_owned() + &"98765432 ".repeat(others) + &"a12 ".repeat(short)))
    };
    assert_eq!(found(5, 0), ["national_id_pl"]);
    assert_eq!(found(6, 0), Vec::<&str>::new());
    // The number and sixty-four words make a list once another word follows.
    assert_eq!(found(0, 64), ["national_id_pl"]);
    assert_eq!(found(0, 65), Vec::<&str>::new());
}

#[test]
fn a_line_is_one_table_however_far_its_numbers_stand_apart() {
    for (others, names) in [(5, 1), (6, 0)] {
        let text = ["98765432 ".repeat(others), "word ".repeat(40), "44051401458".to_owned()];
        assert_eq!(found(&text.concat()).len(), names);
    }
    // What stands before a number is seen where digits begin to be dense, too.
    let far = "word ".repeat(40);
    assert_eq!(found(&format!("12345678 {far}.+44 20 7946 0958")), Vec::<&str>::new());
}

#[test]
fn what_looks_like_a_range_a_row_or_a_network_counts_where_it_is_none() {
    for (text, name) in [
        ("call 555-0132", "phone"),
        ("my number is 07700 900123", "phone"),
        ("tel: 2345-6789", "phone"),
        ("phone 4155550132", "phone"),
        ("+1.4155550132", "phone_international"),
        ("card 4111 1111 1111 1111 2027", "credit_card"),
        ("ip 203.98.4.7/18", "ip_address"),
        ("ip 203.98.4.7/32", "ip_address"),
    ] {
        assert_eq!(found(text), [name], "{text}");
    }
}

#[test]
fn forms_are_told_by_bits() {
    let form = Form(0b10_1100);
    assert_eq!(form.len(), 5);
    assert!(form.fits(0b10011, 0b01100) && form.fits(0b11111, 0b11111));
    assert!(!form.fits(0b10001, 0b01100) && !form.fits(0b10011, 0b01000));
    assert!(!form.all_digits() && Form(0b1_1111).all_digits());
    // Without what joins the groups, these begin as `AA999999A` and as no form does.
    let byte_classes = |text: &str| ByteClasses::of(text.as_bytes());
    let begins =
        |text| may_begin(byte_classes(text).alnum.from(0), byte_classes(text).digit.from(0));
    assert!(begins("AB 12 34 56 C") && begins("123-4567") && !begins("1a2b3c4d"));
}

#[test]
fn ordinary_numbers_are_not() {
    for text in [
        "1700000000000",
        "2026-11-21T10:00:00+01:00",
        "version 1.2.3-4567",
        "0x12345678",
        "v12345678",
        "10.0.0.1:8080",
        "550e8400-e29b-41d4-a716-446655440000",
        "4000000000",
        "x = 123456789 + 987654321",
        "504 127 132 109",
        // Ranges, dates, lists and sums near a word for telephones or devices.
        "numbers 1024-1535 are reserved",
        "The year is in the range 1970-2069. Contact us",
        "the number 123456789, at most 2147483647",
        "Number.MAX, int32: [-2147483648, 2147483647]",
        "@param {Number} [options.maxPayload=104857600]",
        "call it 2001-07-16 14:00",
        "number.search(\"123 3.1416 789\")",
        "from -90.000000 to +90.000000",
        "+1441497364",
        "COUNTRY_OF_CITIZENSHIP 1.3.6.1.5.5.7.9.4",
        // Parts of a table and of an address, and networks.
        "5360 536F 5370 9370 9371 9372 9373 9374",
        "9367 9368 9370 9371 9372\n936B",
        "x = Address6('2001:4860:4001:803::1011')",
        "ip_network('2001::/32'), ip_network('203.98.0.0/18')",
    ] {
        assert_eq!(found(text), Vec::<&str>::new(), "{text}");
    }
}

/// Numbers that public documents show, and not ones that are drawn from our own check: that of health insurance is the sum
/// itself, a second row of weights counts where the first shows nothing, and a remainder of one is shown as nine.
#[test]
fn numbers_of_public_documents_fit_their_checks() {
    for (word, number, name) in [
        ("KVNR", "X110411319", "health_insurance_de"),
        ("KVNR", "X110411675", "health_insurance_de"),
        ("KVNR", "A123456780", "health_insurance_de"),
        ("IRD number", "84279969", "tax_id_nz"),
        ("IRD number", "136410132", "tax_id_nz"),
        ("IRD number", "49091850", "tax_id_nz"),
        ("CUIT", "34137656109", "national_id_ar"),
        ("CUIT", "23-73287867-9", "national_id_ar"),
    ] {
        assert_eq!(found(&format!("{word}: {number} .")), [name], "{word} {number}");
        let last = number.as_bytes()[number.len() - 1] - b'0';
        let spoilt = format!("{}{}", &number[..number.len() - 1], (last + 1) % 10);
        assert!(!found(&format!("{word}: {spoilt} .")).contains(&name), "{word} {spoilt}");
    }
}
