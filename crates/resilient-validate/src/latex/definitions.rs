//! What a LaTeX document defines, and where: macros, environments, and the bodies of both.

use std::collections::HashSet;

use super::document::Document;
use super::lexer::Kind;

/// How a defining command is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// The name, then this many braced arguments: `\newcommand{\x}[1]{...}`.
    Arguments(usize),
    /// The name, then anything up to a braced body: `\def\x#1.{...}`.
    Primitive,
    /// The name, then one token: `\let\x=\y`.
    Alias,
}

/// The defining commands whose form does not follow from [`form_of_unlisted`]. Sorted.
const DEFINERS: &[(&str, Form)] = &[
    ("DeclareMathOperator", Form::Arguments(1)),
    ("DeclareRobustCommand", Form::Arguments(1)),
    ("NewDocumentEnvironment", Form::Arguments(3)),
    ("ProvideDocumentEnvironment", Form::Arguments(3)),
    ("RenewDocumentEnvironment", Form::Arguments(3)),
    ("algnewcommand", Form::Arguments(1)),
    ("algrenewcommand", Form::Arguments(1)),
    ("chardef", Form::Arguments(0)),
    ("countdef", Form::Arguments(0)),
    ("def", Form::Primitive),
    ("dimendef", Form::Arguments(0)),
    ("edef", Form::Primitive),
    ("font", Form::Arguments(0)),
    ("futurelet", Form::Alias),
    ("gdef", Form::Primitive),
    ("glet", Form::Alias),
    ("let", Form::Alias),
    ("mathchardef", Form::Arguments(0)),
    ("newbox", Form::Arguments(0)),
    ("newcommand", Form::Arguments(1)),
    ("newcount", Form::Arguments(0)),
    ("newcounter", Form::Arguments(0)),
    ("newdimen", Form::Arguments(0)),
    ("newif", Form::Arguments(0)),
    ("newlength", Form::Arguments(0)),
    ("newmuskip", Form::Arguments(0)),
    ("newread", Form::Arguments(0)),
    ("newsavebox", Form::Arguments(0)),
    ("newskip", Form::Arguments(0)),
    ("newtheorem", Form::Arguments(1)),
    ("newtoks", Form::Arguments(0)),
    ("newwrite", Form::Arguments(0)),
    ("pgfmathsetlengthmacro", Form::Arguments(1)),
    ("pgfmathsetmacro", Form::Arguments(1)),
    ("pgfmathtruncatemacro", Form::Arguments(1)),
    ("protected@edef", Form::Primitive),
    ("protected@xdef", Form::Primitive),
    ("providecommand", Form::Arguments(1)),
    ("renewcommand", Form::Arguments(1)),
    ("savesymbol", Form::Arguments(0)),
    ("skipdef", Form::Arguments(0)),
    ("spnewtheorem", Form::Arguments(3)),
    ("toksdef", Form::Arguments(0)),
    ("xdef", Form::Primitive),
];

/// Commands that make macros in ways this reader does not follow. Sorted.
#[rustfmt::skip]
const DYNAMIC: &[&str] = &[
    "@namedef", "ExplSyntaxOn", "algblock", "algdef", "catcode", "csdef", "csedef", "csgdef",
    "cslet", "csname", "directlua", "luaexec", "pgfkeys", "pgfplotstableread", "tikzmath",
];

/// Packages and commands of every sort define by commands that start so.
const DEFINING_PREFIXES: [&str; 8] =
    ["new", "renew", "provide", "New", "Renew", "Provide", "Declare", "declare"];

/// How many tokens of a `\foreach` are searched for its variables.
const FOREACH_TOKENS_MAX: usize = 40;

/// What a document defines.
pub(super) struct Definitions {
    macros: HashSet<String>,
    environments: HashSet<String>,
    /// For every token, whether it is part of a definition.
    within: Vec<bool>,
    /// Macros may be defined in ways that were not understood.
    pub(super) is_dynamic: bool,
    /// Some macro's body begins mathematics that it does not end.
    pub(super) opens_math: bool,
}

impl Definitions {
    /// Reads all definitions of a document, those inside other definitions too.
    pub(super) fn new(document: &Document<'_>) -> Self {
        let mut found = Self {
            macros: HashSet::new(),
            environments: HashSet::new(),
            within: vec![false; document.tokens().len()],
            is_dynamic: false,
            opens_math: false,
        };
        let mut marked = 0;
        for (index, token) in document.tokens().iter().enumerate() {
            let Kind::Word(name) = token.kind else { continue };
            if DYNAMIC.binary_search(&name).is_ok() {
                found.is_dynamic = true;
            } else if name == "foreach" {
                found.note_variables(document, index + 1);
            } else if let Some(form) = form(name) {
                let end = found.definition(document, name, index + 1, form);
                // A definition inside a marked one is not marked again, to stay linear.
                for token in found.within.iter_mut().take(end).skip(marked.max(index)) {
                    *token = true;
                }
                marked = marked.max(end);
            } else if index > 0
                && matches!(document.kind(index - 1), Some(Kind::Text(text)) if text.ends_with("in="))
            {
                // A key such as `.store in=\x` makes its macro.
                found.macros.insert(name.to_owned());
            }
        }
        found.opens_math = found.leaves_math_open(document);
        found
    }

    /// Whether the document defines the macro with this name.
    pub(super) fn has_macro(&self, name: &str) -> bool {
        self.macros.contains(name)
    }

    /// Whether the document defines the environment with this name.
    pub(super) fn has_environment(&self, name: &str) -> bool {
        self.environments.contains(name)
    }

    /// Whether the token with this index is part of a definition.
    pub(super) fn contains(&self, index: usize) -> bool {
        self.within.get(index).copied().unwrap_or(false)
    }

    /// Whether a token of this kind begins a definition.
    pub(super) fn begins(&self, kind: Kind<'_>) -> bool {
        matches!(kind, Kind::Word(name) if form(name).is_some())
    }

    /// Notes the definition whose name is ahead; answers where it ends.
    fn definition(
        &mut self,
        document: &Document<'_>,
        definer: &str,
        start: usize,
        form: Form,
    ) -> usize {
        let mut at = document.after_space(start);
        if matches!(document.kind(at), Some(Kind::Text(text)) if text.trim() == "*") {
            at = document.after_space(at + 1);
        }
        let after_name = match document.kind(at) {
            Some(Kind::Word(name)) => {
                self.note_macro(definer, name);
                at + 1
            }
            Some(Kind::Symbol(_)) => at + 1,
            Some(Kind::OpenBrace) => {
                let Some(close) = document.group_end(at) else { return start };
                match document.kind(document.after_space(at + 1)) {
                    Some(Kind::Word(name)) => self.note_macro(definer, name),
                    _ => document.names(at).into_iter().for_each(|name| {
                        self.note_environment(definer, name);
                    }),
                }
                close + 1
            }
            // Such as `\newmintedfile[name]{...}`, or a command that defines nothing.
            _ => return start,
        };
        match form {
            Form::Arguments(0) => after_name,
            Form::Arguments(groups) => document.after_arguments(after_name, groups),
            Form::Alias => {
                let value = document.after_space(after_name);
                match document.kind(value) {
                    Some(Kind::Text(text)) if text.trim() == "=" => {
                        document.after_space(value + 1) + 1
                    }
                    _ => value + 1,
                }
            }
            Form::Primitive => {
                let parameters = document.tokens().iter().skip(after_name).take_while(|token| {
                    matches!(
                        token.kind,
                        Kind::Text(_)
                            | Kind::OpenBracket
                            | Kind::CloseBracket
                            | Kind::Symbol(_)
                            | Kind::Comment
                            | Kind::Newline
                            | Kind::Underscore
                    )
                });
                let body = after_name + parameters.count();
                document.group_end(body).map_or(after_name, |close| close + 1)
            }
        }
    }

    fn note_macro(&mut self, definer: &str, name: &str) {
        if definer == "newif"
            && let Some(switch) = name.strip_prefix("if")
        {
            self.macros.insert(format!("{switch}true"));
            self.macros.insert(format!("{switch}false"));
        }
        self.macros.insert(name.to_owned());
    }

    fn note_environment(&mut self, definer: &str, name: String) {
        self.macros.insert(format!("the{name}"));
        if definer != "newcounter" {
            self.macros.insert(format!("end{name}"));
            self.macros.insert(name.clone());
            self.environments.insert(name);
        }
    }

    /// Notes `\x` and `\y` of `\foreach \x/\y [count=\i] in {...}`.
    fn note_variables(&mut self, document: &Document<'_>, start: usize) {
        for token in document.tokens().iter().skip(start).take(FOREACH_TOKENS_MAX) {
            match token.kind {
                Kind::Word("foreach") => break,
                Kind::Word(name) => {
                    self.macros.insert(name.to_owned());
                }
                Kind::OpenBrace | Kind::Paragraph => break,
                _ => {}
            }
        }
    }

    fn leaves_math_open(&self, document: &Document<'_>) -> bool {
        let mut depth = 0_usize;
        let mut previous = false;
        for (index, token) in document.tokens().iter().enumerate() {
            let inside = self.contains(index);
            // One definition's opener must not be balanced by the next one's closer.
            let is_definer = matches!(token.kind, Kind::Word(name) if form(name).is_some());
            if depth > 0 && (!inside || is_definer) {
                return true;
            }
            if inside {
                match token.kind {
                    Kind::Begin(_) | Kind::Symbol('[' | '(') => depth += 1,
                    Kind::End(_) | Kind::Symbol(']' | ')') => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
            previous = inside;
        }
        previous && depth > 0
    }
}

fn form(name: &str) -> Option<Form> {
    match DEFINERS.binary_search_by_key(&name, |(definer, _)| definer) {
        Ok(found) => DEFINERS.get(found).map(|(_, form)| *form),
        Err(_) => form_of_unlisted(name),
    }
}

/// `\newenvironment`, `\NewDocumentCommand`, `\DeclarePairedDelimiter` and whatever packages add.
fn form_of_unlisted(name: &str) -> Option<Form> {
    const NOT_DEFINING: [&str; 4] = ["newline", "newpage", "newblock", "newrefsection"];
    let defines = DEFINING_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        && !NOT_DEFINING.contains(&name);
    defines.then_some(Form::Arguments(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(DEFINERS.is_sorted_by_key(|(name, _)| name));
        assert!(DYNAMIC.is_sorted());
    }
}
