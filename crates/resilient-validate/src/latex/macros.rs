//! Macros that nothing defines.
//!
//! The check speaks only where it can know: in a whole document of one file whose class and
//! packages are all in our tables, and which makes no macros by computing their names.

use std::collections::HashSet;

use super::commands;
use super::definitions::Definitions;
use super::document::Document;
use super::lexer::Kind;
use super::packages::Loaded;
use crate::findings::Findings;
use crate::lines::Lines;

/// Commands that bring in another file. Sorted.
#[rustfmt::skip]
const INCLUDES: &[&str] = &[
    "@input", "InputIfFileExists", "LoadClass", "import", "include", "input", "loadglsentries",
    "subfile", "subfileinclude", "subimport",
];

/// Commands behind which a macro is named rather than used. Sorted.
const MENTIONS: &[&str] = &["ifdefined", "ifx", "meaning", "show", "string", "undef"];

/// The first use in the body of every macro that neither the document nor LaTeX nor a loaded
/// package defines.
pub(super) fn undefined(
    document: &Document<'_>,
    definitions: &Definitions,
    loaded: Option<&Loaded>,
    lines: &Lines<'_>,
) -> Findings {
    let mut findings = Findings::default();
    let Some(loaded) = loaded.filter(|_| !definitions.is_dynamic) else { return findings };
    let mut seen = HashSet::new();
    let mut in_body = false;
    let mut mentioned = false;
    for (index, token) in document.tokens().iter().enumerate() {
        match token.kind {
            Kind::Begin("document") => in_body = true,
            Kind::Word(name) => {
                let is_use = in_body
                    && !mentioned
                    && !definitions.contains(index)
                    && !name.contains('@')
                    && name != "being";
                if is_use
                    && !commands::is_standard(name)
                    && !definitions.has_macro(name)
                    && !loaded.defines(name)
                    && seen.insert(name)
                {
                    findings.warning(|| {
                        let message = format!(
                            "Undefined macro \\{name} (not defined by the document, LaTeX or a loaded package)"
                        );
                        lines.warning(token.at, message)
                    });
                }
                mentioned = MENTIONS.binary_search(&name).is_ok();
            }
            _ => {}
        }
    }
    findings
}

/// The class and packages of a document, if it is whole and all of them are known.
pub(super) fn loaded(document: &Document<'_>) -> Option<Loaded> {
    let mut loaded = Loaded::default();
    let mut has_class = false;
    for (index, token) in document.tokens().iter().enumerate() {
        match token.kind {
            Kind::Word("documentclass") => {
                has_class = true;
                for class in document.names(index + 1) {
                    loaded.add_class(&class).then_some(())?;
                }
            }
            Kind::Word("usepackage" | "RequirePackage") => {
                for package in document.names(index + 1) {
                    loaded.add_package(&package).then_some(())?;
                }
            }
            Kind::Word(name) if INCLUDES.binary_search(&name).is_ok() => return None,
            _ => {}
        }
    }
    has_class.then_some(loaded)
}

/// Whether a document brings in a file, a class or a package that we do not know.
pub(super) fn has_unknown(document: &Document<'_>) -> bool {
    let brings = document.tokens().iter().any(|token| match token.kind {
        Kind::Word("documentclass" | "usepackage" | "RequirePackage") => true,
        Kind::Word(name) => INCLUDES.binary_search(&name).is_ok(),
        _ => false,
    });
    brings && loaded(document).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(INCLUDES.is_sorted());
        assert!(MENTIONS.is_sorted());
    }
}
