//! The look-ups of each language: how one is written, how others are read, and what one needs beside itself.

use super::form::Form;
use super::language::Language;

/// How languages look up a variable.
pub(super) struct LookUp {
    languages: &'static [Language],
    /// The look-up of the variable `KEY`.
    pub(super) written: &'static str,
    /// The name in a look-up that a text has already.
    pub(super) read: Form,
    /// What a text must also have, and what shows that it has it.
    needs: Option<(&'static str, &'static str)>,
}

/// The look-ups of these languages. Behind the beginning of one its name stands, maybe in quotes.
macro_rules! row {
    ($($language:ident)|+, $written:literal, $begin:literal, $needs:expr) => {
        LookUp {
            languages: &[$(Language::$language),+],
            written: $written,
            read: Form::of(concat!("(?:", $begin, r#")["'`]?([A-Za-z_]\w*)"#)),
            needs: $needs,
        }
    };
}

/// All look-ups. Markup has none.
static LOOK_UPS: [LookUp; 12] = [
    row!(
        Python,
        "os.environ[\"KEY\"]",
        r"environ\.get\(|environ\[|getenv\(",
        Some(("import os", "import os"))
    ),
    row!(JavaScript | TypeScript, "process.env.KEY", r"process\.env[.\[]", None),
    row!(
        Rust,
        "env!(\"KEY\")",
        r"env!\(|env::var\(",
        Some(("the variables when it is compiled", ""))
    ),
    row!(Go, "os.Getenv(\"KEY\")", r"Getenv\(", Some(("import \"os\"", "\"os\""))),
    row!(Ruby, "ENV.fetch(\"KEY\")", r"ENV\.fetch\(|ENV\[", None),
    row!(Java | Kotlin, "System.getenv(\"KEY\")", r"getenv\(", None),
    row!(
        CSharp,
        "Environment.GetEnvironmentVariable(\"KEY\")",
        r"GetEnvironmentVariable\(",
        Some(("using System;", "using System;"))
    ),
    row!(Php, "getenv('KEY')", r"getenv\(|ENV\[", None),
    row!(Shell, "\"${KEY}\"", r"\$\{?", None),
    row!(Dockerfile, "\"${KEY}\"", r"\$\{?", Some(("ARG for each variable", ""))),
    row!(Workflow, "${{ secrets.KEY }}", r"\bsecrets\.", None),
    row!(Yaml | Json | Toml | Env, "${KEY}", r"\$\{?", None),
];

impl LookUp {
    /// The look-up of a language.
    pub(super) fn of(language: Language) -> Option<&'static Self> {
        LOOK_UPS.iter().find(|of| of.languages.contains(&language))
    }

    /// Tells whether the text itself may set what is looked up.
    pub(super) fn is_expanded(&self) -> bool {
        self.written.trim_matches('"') == "${KEY}"
    }

    /// What a text with look-ups must have, and has not.
    pub(super) fn lacks(&self, text: &str) -> Option<&'static str> {
        let is_there = |sign: &str| !sign.is_empty() && text.contains(sign);
        self.needs.filter(|(_, sign)| !is_there(sign)).map(|(needed, _)| needed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_up_that_is_written_is_read() {
        for of in &LOOK_UPS {
            let name = of.read.captures(of.written).and_then(|found| found.get(1));
            assert_eq!(name.map(|name| name.as_str()), Some("KEY"), "{}", of.written);
        }
    }
}
