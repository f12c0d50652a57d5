//! New files whose names are nearly those of others.

use serde_json::json;

use crate::home::{Home, append, composing, create, json_of, overwrite, replace};

const NFC: &str = "caf\u{e9}.txt";
const NFD: &str = "cafe\u{301}.txt";

#[test]
fn a_new_file_is_told_the_names_that_differ_only_by_case_or_normalisation() {
    let home = Home::new();
    home.put("README.md", "x");
    home.put(NFC, "x");
    home.put("src/a.rs", "x");
    let ws = home.open();
    for (path, twins) in [
        ("readme.md", json!(["README.md"])),
        ("Readme.md", json!(["README.md", "readme.md"])),
        (NFD, json!([NFC])),
        ("src/A.rs", json!(["src/a.rs"])),
        ("Src/new/b.rs", json!(["src"])),
    ] {
        let created = json_of(ws.write(create(path, "y")).unwrap());
        assert_eq!(created["twins"], twins, "{path}");
    }
    assert_eq!(json_of(ws.write(append("ReadMe.md", "y")).unwrap())["twins"][0], "README.md");
    ws.chunks().append("s", "y".to_owned(), None).unwrap();
    let composed = json_of(ws.compose(composing("SRC.md", false)).unwrap());
    assert!(composed.get("twins").is_none(), "{composed}");
    let composed = json_of(ws.compose(composing("src.md", false)).unwrap());
    assert_eq!(composed["twins"], json!(["SRC.md"]));
}

#[test]
fn a_file_that_is_there_and_a_name_of_its_own_have_no_twins() {
    let home = Home::new();
    home.put("README.md", "x");
    home.put("readme.md", "x");
    let ws = home.open();
    for receipt in [
        ws.write(overwrite("README.md", "y")).unwrap(),
        ws.write(append("README.md", "y")).unwrap(),
        ws.replace(replace("README.md", "yy", "z")).unwrap(),
        ws.write(create("README.txt", "y")).unwrap(),
        ws.write(create("new/readme.md", "y")).unwrap(),
    ] {
        assert!(receipt.twins.is_empty(), "{receipt:?}");
    }
}

#[test]
fn in_a_large_directory_the_usual_spellings_of_the_name_are_looked_for() {
    let home = Home::new();
    for n in 0..2000 {
        home.put(&format!("a-file-of-a-large-directory-{n}"), "");
    }
    home.put("readme.md", "x");
    home.put(NFC, "x");
    let ws = home.open();
    let twins = |path: &str| ws.write(create(path, "y")).unwrap().twins;
    assert_eq!(twins("README.md"), ["readme.md"]);
    assert_eq!(twins(NFD), [NFC]);
    assert!(twins("other.md").is_empty());
}
