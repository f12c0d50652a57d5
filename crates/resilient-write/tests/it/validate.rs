//! `validate`.

use crate::sandbox::Sandbox;

#[test]
fn a_valid_text_passes_and_an_invalid_one_fails_the_command() {
    let sandbox = Sandbox::new();
    sandbox.put("good.json", "{}");
    assert_eq!(sandbox.run(&["validate", "good.json"]).ok().stdout, "json: ok\n");
    sandbox.put("bad.json", "{\"key\":}");
    let ran = sandbox.run(&["validate", "bad.json"]);
    assert_eq!(ran.code, 1);
    assert_eq!(ran.stdout, "bad.json:1:8: error: Expecting value\njson: 1 error(s)\n");
    let ran = sandbox.run(&["validate", "bad.json", "--json"]);
    assert_eq!((ran.code, &ran.json()["valid"]), (1, &false.into()));
}

#[test]
fn the_format_can_be_told() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run_with(&["validate", "-"], "x = 1");
    assert_eq!(ran.ok().stdout, "unknown: ok\n");
    let ran = sandbox.run_with(&["validate", "-", "--format", "python"], "def foo(");
    assert_eq!(ran.code, 1);
    let ran = sandbox.run_with(&["validate", "-", "--format", "latex"], "\\begin{itemize}\n");
    assert!(ran.stdout.contains("error: \\begin{itemize} never closed\n"), "{ran:?}");
    assert_eq!(sandbox.run(&["validate", "-", "--format", "cobol"]).code, 2);
}
