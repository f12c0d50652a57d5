//! Makes the tables of `data/formats.toml`, `data/words.toml` and `data/services.txt`.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use serde::Deserialize;

/// `formats.toml`
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Formats {
    format: Vec<Format>,
}

/// One row of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Format {
    name: String,
    #[serde(default = "api_key")]
    family: String,
    form: String,
    #[serde(default)]
    words: Vec<String>,
    check: Option<Check>,
    #[serde(default)]
    named: bool,
    #[serde(default)]
    dummy: Vec<Dummy>,
    #[serde(default)]
    service: Vec<String>,
    source: String,
}

fn api_key() -> String {
    "api_key".to_owned()
}

#[derive(Deserialize)]
enum Check {
    #[serde(rename = "crc32_base62")]
    Crc32Base62,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Dummy {
    prefix: String,
    name: String,
}

/// `words.toml`
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    secret: Vec<String>,
    faint: Vec<String>,
    qualifier: Vec<String>,
    technical: Vec<String>,
    other: Vec<String>,
    other_end: Vec<String>,
    identifier: Vec<String>,
    thing: Vec<String>,
    verb: Vec<String>,
    slug: Vec<String>,
    open: Vec<String>,
    check: Vec<String>,
    plain: Vec<String>,
    digest: Vec<String>,
    common_prefix: Vec<String>,
    dummy: Dummies,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Dummies {
    inside: Vec<String>,
    behind: Vec<String>,
    named: Vec<String>,
    spelled: Vec<String>,
}

/// Writes `tables.rs`.
pub(crate) fn make() -> Result<(), Box<dyn Error>> {
    let read = |name: &str| fs::read_to_string(Path::new("data").join(name));
    let formats: Formats = toml::from_str(&read("formats.toml")?)?;
    let words: Words = toml::from_str(&read("words.toml")?)?;
    let services = read("services.txt")?;

    let mut tables = String::new();
    table_of_formats(&mut tables, &formats.format)?;
    table_of_dummies(&mut tables, &formats.format)?;
    let is_faint = |word: &&String| words.faint.contains(word);
    let strong: Vec<String> = words.secret.iter().filter(|w| !is_faint(w)).cloned().collect();
    for (name, list) in [
        ("SECRET_WORDS", &words.secret),
        ("STRONG_SECRET_WORDS", &strong),
        ("QUALIFIERS", &words.qualifier),
        ("TECHNICAL", &words.technical),
        ("OTHER_WORDS", &words.other),
        ("OTHER_ENDS", &words.other_end),
        ("IDENTIFIERS", &words.identifier),
        ("THINGS", &words.thing),
        ("VERBS", &words.verb),
        ("SLUGS", &words.slug),
        ("OPEN", &words.open),
        ("CHECKS", &words.check),
        ("PLAIN", &words.plain),
        ("DIGESTS", &words.digest),
        ("COMMON_PREFIXES", &words.common_prefix),
        ("DUMMIES_INSIDE", &words.dummy.inside),
        ("DUMMIES_BEHIND", &words.dummy.behind),
        ("DUMMIES_NAMED", &words.dummy.named),
        ("DUMMIES_SPELLED", &words.dummy.spelled),
    ] {
        list_of_words(&mut tables, name, list)?;
    }
    let of_formats = formats.format.iter().flat_map(|row| row.service.iter().map(String::as_str));
    let lines = services.lines().filter(|line| !line.starts_with('#'));
    let all = of_formats.chain(lines.flat_map(str::split_whitespace));
    list_of_words(&mut tables, "SERVICES", &once_each(all)?)?;

    let out = env::var_os("OUT_DIR").ok_or("cargo names no directory for what a build makes")?;
    fs::write(Path::new(&out).join("tables.rs"), tables)?;
    Ok(())
}

/// The names in order; one that is there twice is an error.
fn once_each<'a>(names: impl Iterator<Item = &'a str>) -> Result<Vec<String>, String> {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name.to_owned()) {
            return Err(format!("data: `{name}` is there twice"));
        }
    }
    Ok(seen.into_iter().collect())
}

fn table_of_formats(out: &mut String, rows: &[Format]) -> Result<(), Box<dyn Error>> {
    once_each(rows.iter().map(|row| row.name.as_str()))?;
    writeln!(out, "pub(super) static FORMATS: [FormatRow; {}] = [", rows.len())?;
    for row in rows {
        let Format { name, family, form, words, check, named, source, .. } = row;
        let check = match check {
            Some(Check::Crc32Base62) => "Some(Check::Crc32Base62)",
            None => "None",
        };
        let words = words.join(" ");
        writeln!(
            out,
            "FormatRow {{ name: {name:?}, family: {family:?}, format: {form:?}, check: {check}, \
             words: {words:?}, named: {named}, source: {source:?} }},"
        )?;
    }
    out.push_str("];\n");
    Ok(())
}

fn table_of_dummies(out: &mut String, rows: &[Format]) -> Result<(), Box<dyn Error>> {
    let dummies: Vec<_> =
        rows.iter().flat_map(|row| row.dummy.iter().map(move |dummy| (row, dummy))).collect();
    writeln!(out, "pub(super) static DUMMY_PREFIXES: [(&str, &str, &str); {}] = [", dummies.len())?;
    for (row, Dummy { prefix, name }) in dummies {
        writeln!(out, "({prefix:?}, {:?}, {name:?}),", row.family)?;
    }
    out.push_str("];\n");
    Ok(())
}

fn list_of_words(out: &mut String, name: &str, words: &[String]) -> Result<(), Box<dyn Error>> {
    once_each(words.iter().map(String::as_str))?;
    writeln!(out, "pub(super) static {name}: [&[u8]; {}] = [", words.len())?;
    for word in words {
        writeln!(out, "b{word:?},")?;
    }
    out.push_str("];\n");
    Ok(())
}
