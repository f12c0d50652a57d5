//! The look-ups of each language: how one is written, and what it needs beside itself.

use super::language::Language;

/// How languages look up a variable.
pub(super) struct LookUp {
    languages: &'static [Language],
    /// The look-up of the variable `KEY`.
    pub(super) written: &'static str,
    /// What a text must also have, and what shows that it has it.
    needs: Option<(&'static str, &'static str)>,
}

macro_rules! row {
    ($($language:ident)|+, $written:literal, $needs:expr) => {
        LookUp { languages: &[$(Language::$language),+], written: $written, needs: $needs }
    };
}

/// All look-ups. Markup has none.
static LOOK_UPS: [LookUp; 12] = [
    row!(Python, "os.environ[\"KEY\"]", Some(("import os", "import os"))),
    row!(JavaScript | TypeScript, "process.env.KEY", None),
    row!(Rust, "env!(\"KEY\")", Some(("the variables when it is compiled", ""))),
    row!(Go, "os.Getenv(\"KEY\")", Some(("import \"os\"", "\"os\""))),
    row!(Ruby, "ENV.fetch(\"KEY\")", None),
    row!(Java | Kotlin, "System.getenv(\"KEY\")", None),
    row!(
        CSharp,
        "Environment.GetEnvironmentVariable(\"KEY\")",
        Some(("using System;", "using System;"))
    ),
    row!(Php, "getenv('KEY')", None),
    row!(Shell, "\"${KEY}\"", None),
    row!(Dockerfile, "\"${KEY}\"", Some(("ARG for each variable", ""))),
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
        let is_there = |sign: &str| !sign.is_empty() && text.contains(sign);
        self.needs.filter(|(_, sign)| !is_there(sign)).map(|(needed, _)| needed)
    }
}
