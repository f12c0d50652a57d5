//! Slips in the text itself: a bare `%` in an address, a bare `_` outside mathematics.

use super::commands;
use super::definitions::Definitions;
use super::document::Document;
use super::lexer::Kind;
use crate::findings::Findings;
use crate::lines::Lines;

/// Macros whose arguments are keys, file names or the like, and how many braced ones. Sorted.
#[rustfmt::skip]
const KEY_ARGUMENTS: &[(&str, usize)] = &[
    ("Autoref", 1), ("Cref", 1), ("Crefrange", 2), ("Input", 1), ("InputIfFileExists", 1),
    ("RequirePackage", 1), ("SI", 2), ("SIrange", 3), ("Vref", 1), ("addbibresource", 1),
    ("addtocounter", 2), ("arabic", 1), ("autoref", 1), ("bibitem", 1), ("bibliography", 1),
    ("bibliographystyle", 1), ("ce", 1), ("color", 1), ("colorbox", 1), ("cref", 1),
    ("crefrange", 2), ("documentclass", 1), ("eqref", 1), ("fcolorbox", 2), ("graphicspath", 1),
    ("hyperlink", 1), ("hyperref", 0), ("hypersetup", 1), ("hypertarget", 1), ("include", 1),
    ("includegraphics", 1), ("includeonly", 1), ("includepdf", 1), ("input", 1),
    ("inputminted", 2), ("label", 1), ("lstinputlisting", 1), ("lstset", 1), ("nameref", 1),
    ("nocite", 1), ("num", 1), ("pageref", 1), ("pgfkeys", 1), ("pgfplotsset", 1), ("qty", 2),
    ("ref", 1), ("refstepcounter", 1), ("setcounter", 2), ("si", 1), ("sisetup", 1),
    ("stepcounter", 1), ("subfile", 1), ("subref", 1), ("textcolor", 1), ("texttt", 1),
    ("tikzset", 1), ("unit", 1), ("usepackage", 1), ("value", 1), ("verbatiminput", 1),
    ("vpageref", 1), ("vref", 1),
];

/// Macros whose braced argument is text, also within mathematics. Sorted.
#[rustfmt::skip]
const TEXT_ARGUMENT: &[&str] = &[
    "caption", "fbox", "footnote", "hbox", "intertext", "makebox", "mbox", "shortintertext",
    "text", "textbf", "textit", "textmd", "textnormal", "textrm", "textsc", "textsf", "textsl",
    "textup",
];

/// Environments that are mathematics, without their star. Sorted.
#[rustfmt::skip]
const MATH: &[&str] = &[
    "Bmatrix", "CD", "IEEEeqnarray", "Vmatrix", "align", "alignat", "aligned", "alignedat",
    "array", "bmatrix", "cases", "darray", "dcases", "dgroup", "displaymath", "dmath", "drcases",
    "empheq", "eqnarray", "equation", "flalign", "gather", "gathered", "math", "matrix",
    "multline", "multlined", "numcases", "pmatrix", "rcases", "smallmatrix", "split",
    "subnumcases", "vmatrix", "xalignat", "xxalignat",
];

/// Environments that are text, without their star. In any other one, `_` is not judged. Sorted.
#[rustfmt::skip]
const TEXT: &[&str] = &[
    "abstract", "acknowledgments", "algorithm", "algorithmic", "block", "center", "column",
    "columns", "corollary", "definition", "description", "document", "enumerate", "example",
    "figure", "flushleft", "flushright", "frame", "itemize", "landscape", "lemma", "longtable",
    "minipage", "multicols", "proof", "proposition", "quotation", "quote", "remark", "sidewaystable",
    "sloppypar", "spacing", "subequations", "subfigure", "table", "tabular", "tabularx",
    "thebibliography", "theorem", "threeparttable", "titlepage", "trivlist", "verse",
    "wrapfigure",
];

/// Unescaped `%` within an address, which hides the rest of the line.
///
/// In `\url` and `\href` it is harmless, unless they are themselves within an argument.
pub(super) fn percents(document: &Document<'_>, lines: &Lines<'_>) -> Findings {
    const MESSAGE: &str = "Unescaped '%' in URL (use \\% in LaTeX)";
    let mut findings = Findings::default();
    let mut depth = 0_usize;
    for (index, token) in document.tokens().iter().enumerate() {
        match token.kind {
            Kind::OpenBrace => depth += 1,
            Kind::CloseBrace => depth = depth.saturating_sub(1),
            Kind::Comment => {
                let word = lines.before(token.at).rsplit(char::is_whitespace).next().unwrap_or("");
                if has_address(word) {
                    findings.warning(|| lines.warning(token.at, MESSAGE));
                }
            }
            Kind::Raw(argument) if depth > 0 && argument.starts_with('{') => {
                let macro_name = index.checked_sub(1).and_then(|before| document.kind(before));
                let is_address = matches!(macro_name, Some(Kind::Word("url" | "href")));
                if is_address
                    && has_address(argument)
                    && let Some(percent) = bare_percent(argument)
                {
                    findings.warning(|| lines.warning(token.at + percent, MESSAGE));
                }
            }
            _ => {}
        }
    }
    findings
}

fn has_address(word: &str) -> bool {
    ["http://", "https://", "ftp://"].iter().any(|scheme| word.contains(scheme))
}

fn bare_percent(argument: &str) -> Option<usize> {
    let mut escaped = false;
    argument.bytes().position(|byte| {
        let bare = byte == b'%' && !escaped;
        escaped = byte == b'\\' && !escaped;
        bare
    })
}

/// How `_` is read where the walk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Text: `_` is an error.
    Text,
    /// Mathematics begun by `$` or `\(`, which a blank line ends.
    Shift,
    /// Mathematics begun by an environment.
    Math,
    /// Something this reader does not know.
    Unknown,
}

/// What opened a scope, with the mode to go back to when it closes.
enum Scope {
    Brace(Mode),
    Environment(Mode),
}

/// Unescaped `_` outside mathematics and outside arguments that are keys or file names.
pub(super) fn underscores(
    document: &Document<'_>,
    definitions: &Definitions,
    lines: &Lines<'_>,
) -> Findings {
    let mut findings = Findings::default();
    let Some(start) = start_of_text(document, definitions) else { return Findings::default() };
    let mut mode = Mode::Text;
    let mut scopes = Vec::new();
    // Arguments up to here are not prose.
    let mut quiet_until = start;
    // The group that starts here is text.
    let mut text_group = None;
    for (index, token) in document.tokens().iter().enumerate().skip(start) {
        if definitions.contains(index) {
            continue;
        }
        match token.kind {
            Kind::OpenBrace => {
                scopes.push(Scope::Brace(mode));
                if text_group == Some(index) {
                    mode = Mode::Text;
                }
            }
            Kind::CloseBrace => {
                if let Some(Scope::Brace(outer)) = scopes.pop_if(|scope| scope.is_brace()) {
                    mode = outer;
                }
            }
            Kind::Begin(name) => {
                scopes.push(Scope::Environment(mode));
                mode = mode_of_environment(name, definitions, mode);
                if matches!(document.kind(index + 1), Some(Kind::OpenBrace | Kind::OpenBracket)) {
                    quiet_until = quiet_until.max(document.after_arguments(index + 1, 2));
                }
            }
            Kind::End(_) => {
                // Braces left open within the environment end with it.
                while let Some(scope) = scopes.pop() {
                    if let Scope::Environment(outer) = scope {
                        mode = outer;
                        break;
                    }
                }
            }
            Kind::Dollar | Kind::DoubleDollar => {
                mode = match mode {
                    Mode::Text => Mode::Shift,
                    Mode::Shift => Mode::Text,
                    Mode::Math | Mode::Unknown => mode,
                }
            }
            Kind::Symbol('(' | '[') if mode == Mode::Text => mode = Mode::Shift,
            Kind::Symbol(')' | ']') | Kind::Paragraph if mode == Mode::Shift => mode = Mode::Text,
            Kind::Word("ensuremath") => {
                quiet_until = quiet_until.max(document.after_arguments(index + 1, 1));
            }
            Kind::Word(name) => {
                if is_text_command(name) {
                    let options = document.after_arguments(index + 1, 0);
                    text_group = Some(document.after_space(options));
                } else if let Some(groups) = groups_of_keys(name) {
                    quiet_until = quiet_until.max(document.after_arguments(index + 1, groups));
                }
            }
            Kind::Underscore if mode == Mode::Text && index >= quiet_until => {
                findings.warning(|| {
                    lines.warning(token.at, "Unescaped '_' outside math mode (use \\_)")
                });
            }
            _ => {}
        }
    }
    findings
}

impl Scope {
    fn is_brace(&self) -> bool {
        matches!(self, Self::Brace(_))
    }
}

/// Where prose begins: behind `\begin{document}`, or at the top of a piece without one. Nowhere,
/// if the document changes what `_` means.
fn start_of_text(document: &Document<'_>, definitions: &Definitions) -> Option<usize> {
    let mut start = 0;
    for (index, token) in document.tokens().iter().enumerate() {
        match token.kind {
            Kind::Begin("document") => start = index,
            Kind::Word("catcode" | "ExplSyntaxOn") => return None,
            Kind::Word("usepackage") => {
                let names = document.names(index + 1);
                if names.iter().any(|name| name == "underscore") {
                    return None;
                }
            }
            _ => {}
        }
    }
    (!definitions.opens_math).then_some(start)
}

pub(super) fn mode_of_environment(name: &str, definitions: &Definitions, outer: Mode) -> Mode {
    let plain = name.strip_suffix('*').unwrap_or(name);
    if definitions.has_environment(name) {
        Mode::Unknown
    } else if MATH.binary_search(&plain).is_ok() {
        Mode::Math
    } else if TEXT.binary_search(&plain).is_ok() && outer != Mode::Unknown {
        Mode::Text
    } else {
        Mode::Unknown
    }
}

/// Whether the braced argument of a macro is text, also within mathematics.
pub(super) fn is_text_command(name: &str) -> bool {
    TEXT_ARGUMENT.binary_search(&name).is_ok()
}

/// How many braced arguments of a macro are not prose.
pub(super) fn groups_of_keys(name: &str) -> Option<usize> {
    if let Ok(found) = KEY_ARGUMENTS.binary_search_by_key(&name, |(listed, _)| listed) {
        return KEY_ARGUMENTS.get(found).map(|(_, groups)| *groups);
    }
    // What a macro of the document or of a package does with its arguments is not known here.
    (name.starts_with("cite") || !commands::is_standard(name)).then_some(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(KEY_ARGUMENTS.is_sorted_by_key(|(name, _)| name));
        assert!(TEXT_ARGUMENT.is_sorted());
        assert!(MATH.is_sorted());
        assert!(TEXT.is_sorted());
    }
}
