//! The look-ups of each language: how one is written, and what it needs beside itself.

use super::form::Form;
use super::language::Language;

/// How languages look up a variable.
pub(super) struct LookUp {
    languages: &'static [Language],
    /// The look-up of the variable `KEY`.
    pub(super) written: &'static str,
    /// What a text must also have, and what shows that it has it.
    needs: Option<(&'static str, Option<&'static Form>)>,
}

macro_rules! row {
    ($($language:ident)|+, $written:literal, $needs:expr) => {
        LookUp { languages: &[$(Language::$language),+], written: $written, needs: $needs }
    };
}

/// Statements at the beginning of a line that give a program its environment, and by no other name.
static IMPORTS_OS: Form =
    Form::of(r"(?m)^import[ \t]+(?:[^#\n]*,[ \t]*)?os(?:\.\w+)?[ \t]*(?:[,;#]|\r?$)");
static IMPORTS_GO_OS: Form = Form::of(r#"(?m)^(?:import[ \t]+|[ \t]+)"os"[ \t]*(?:[;/]|\r?$)"#);
static USES_SYSTEM: Form = Form::of(r"(?m)^[ \t]*(?:global[ \t]+)?using[ \t]+System[ \t]*;");

/// All look-ups. Markup has none.
static LOOK_UPS: [LookUp; 12] = [
    row!(Python, "os.environ[\"KEY\"]", Some(("import os", Some(&IMPORTS_OS)))),
    row!(JavaScript | TypeScript, "process.env.KEY", None),
    row!(Rust, "env!(\"KEY\")", Some(("the variables when it is compiled", None))),
    row!(Go, "os.Getenv(\"KEY\")", Some(("import \"os\"", Some(&IMPORTS_GO_OS)))),
    row!(Ruby, "ENV.fetch(\"KEY\")", None),
    row!(Java | Kotlin, "System.getenv(\"KEY\")", None),
    row!(
        CSharp,
        "Environment.GetEnvironmentVariable(\"KEY\")",
        Some(("using System;", Some(&USES_SYSTEM)))
    ),
    row!(Php, "getenv('KEY')", None),
    row!(Shell, "\"${KEY}\"", None),
    row!(Dockerfile, "\"${KEY}\"", Some(("ARG for each variable", None))),
    row!(Workflow, "${{ secrets.KEY }}", None),
    row!(Yaml | Json | Toml | Env, "${KEY}", None),
];

impl LookUp {
    /// The look-up of a language.
    pub(super) fn of(language: Language) -> Option<&'static Self> {
        LOOK_UPS.iter().find(|of| of.languages.contains(&language))
    }

    /// What a text with look-ups must have, and has not.
    pub(super) fn lacks(&self, text: &str) -> Option<&'static str> {
        let is_there = |shows: &Option<&Form>| shows.is_some_and(|shows| shows.is_in(text));
        self.needs.filter(|(_, shows)| !is_there(shows)).map(|(needed, _)| needed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Before, a comment, a part of another name and an import under another name showed that it is there.
    #[test]
    fn a_text_lacks_what_it_does_not_import_by_its_name() {
        let lacks = |language, text: &str| LookUp::of(language).unwrap().lacks(text).is_some();
        for (text, expected) in [
            ("import os\n", false),
            ("import sys, os\r\nx = 1\n", false),
            ("import os.path; x = 1\n", false),
            ("import os as o\n", true),
            ("import os.path as p\n", true),
            ("# import os\n", true),
            ("import osmium\n", true),
            ("def f():\n    import os\n", true),
        ] {
            assert_eq!(lacks(Language::Python, text), expected, "{text}");
        }
        for (text, expected) in [
            ("import \"os\"\n", false),
            ("import (\n\t\"fmt\"\n\t\"os\"\n)\n", false),
            ("import o \"os\"\n", true),
            ("// import \"os\"\n", true),
        ] {
            assert_eq!(lacks(Language::Go, text), expected, "{text}");
        }
        assert!(!lacks(Language::CSharp, "using System;\n"));
        assert!(lacks(Language::CSharp, "// using System;\n"));
    }
}
