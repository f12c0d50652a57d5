//! Environments whose package is not loaded.
//!
//! The check speaks only where it can know: in a whole document of one file, of a class that defines
//! none of these itself, whose packages are all in our tables.

use super::definitions::Definitions;
use super::document::Document;
use super::lexer::Kind;
use super::packages::Loaded;
use crate::findings::Findings;
use crate::lines::Lines;

/// Classes that define none of the environments below. Sorted.
const PLAIN_CLASSES: [&str; 9] = [
    "article",
    "book",
    "extarticle",
    "letter",
    "minimal",
    "report",
    "scrartcl",
    "scrbook",
    "scrreprt",
];

/// Environments, without their star, and the packages that define them, the usual one first. Sorted.
#[rustfmt::skip]
const PROVIDERS: &[(&str, &[&str])] = &[
    ("Bmatrix", &["amsmath"]), ("CD", &["amscd"]),
    ("Verbatim", &["fancyvrb", "fvextra", "minted"]), ("Vmatrix", &["amsmath"]), ("adjustbox", &["adjustbox"]),
    ("align", &["amsmath"]), ("alignat", &["amsmath"]), ("aligned", &["amsmath"]),
    ("alignedat", &["amsmath"]), ("bmatrix", &["amsmath"]), ("cases", &["amsmath"]),
    ("dcases", &["mathtools"]), ("flalign", &["amsmath"]), ("gather", &["amsmath"]),
    ("gathered", &["amsmath"]), ("landscape", &["pdflscape", "lscape"]),
    ("longtable", &["longtable", "ltablex", "xltabular"]), ("lstlisting", &["listings"]),
    ("mdframed", &["mdframed"]), ("minted", &["minted"]), ("multicols", &["multicol"]),
    ("multline", &["amsmath"]), ("pmatrix", &["amsmath"]), ("proof", &["amsthm", "ntheorem"]),
    ("sidewaysfigure", &["rotating", "rotfloat"]), ("sidewaystable", &["rotating", "rotfloat"]),
    ("smallmatrix", &["amsmath"]), ("split", &["amsmath"]), ("subequations", &["amsmath"]),
    ("tabularx", &["tabularx", "ltablex", "xltabular"]), ("tcolorbox", &["tcolorbox"]),
    ("threeparttable", &["threeparttable", "threeparttablex"]),
    ("tikzcd", &["tikz-cd"]), ("tikzpicture", &["tikz", "pgfplots", "pgf"]),
    ("vmatrix", &["amsmath"]), ("wrapfigure", &["wrapfig"]),
];

/// The first use of every environment that a package would define which is not loaded.
pub(super) fn undefined(
    document: &Document<'_>,
    definitions: &Definitions,
    loaded: Option<&Loaded>,
    lines: &Lines<'_>,
) -> Findings {
    let mut findings = Findings::default();
    let Some(loaded) = loaded.filter(|_| !definitions.is_dynamic && has_plain_class(document))
    else {
        return findings;
    };
    let mut seen: Vec<&str> = Vec::new();
    for (index, token) in document.tokens().iter().enumerate() {
        let Kind::Begin(name) = token.kind else { continue };
        let plain = name.strip_suffix('*').unwrap_or(name);
        let Ok(found) = PROVIDERS.binary_search_by_key(&plain, |(provided, _)| provided) else {
            continue;
        };
        let packages = PROVIDERS.get(found).map(|(_, packages)| *packages).unwrap_or_default();
        let is_defined = definitions.contains(index)
            || definitions.has_environment(name)
            || definitions.has_macro(name)
            || loaded.defines(plain)
            || packages.iter().any(|package| loaded.has_package(package))
            || seen.contains(&plain);
        if let Some(package) = packages.first().filter(|_| !is_defined) {
            seen.push(plain);
            findings.warning(|| {
                let message =
                    format!("Undefined environment {name} (\\usepackage{{{package}}} defines it)");
                lines.warning(token.at, message)
            });
        }
    }
    findings
}

fn has_plain_class(document: &Document<'_>) -> bool {
    let tokens = document.tokens().iter().enumerate();
    tokens.filter(|(_, token)| token.kind == Kind::Word("documentclass")).all(|(index, _)| {
        let names = document.names(index + 1);
        names.iter().all(|name| PLAIN_CLASSES.contains(&name.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_sorted() {
        assert!(PROVIDERS.is_sorted_by_key(|(name, _)| name));
    }

    #[test]
    fn every_package_of_the_table_can_be_loaded() {
        let names = PROVIDERS.iter().filter_map(|(_, packages)| packages.first());
        let unknown: Vec<_> = names.filter(|name| !Loaded::default().add_package(name)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}
