//! LaTeX, read without running it.
//!
//! Errors are braces and mathematics that do not pair up and environments that do not nest. Warnings are what
//! usually goes wrong when LaTeX is written by a program: parts of the document that are missing,
//! `\being` for `\begin`, characters that need a backslash, macros and environments that nothing defines. TeX
//! can redefine anything, so the warnings keep quiet where they cannot know.
//!
//! The source is read once into tokens (`lexer`), paired up (`document`) and searched for what it
//! defines (`definitions`); the checks then walk the tokens.

mod commands;
mod definitions;
mod document;
mod environments;
mod lexer;
mod macros;
mod math;
mod packages;
mod prose;
mod structure;
mod table;

use crate::findings::Findings;
use crate::lines::Lines;
use crate::report::{Item, Severity};
use definitions::Definitions;
use document::Document;
use lexer::Kind;

/// Finds errors and warnings, check by check.
pub(super) fn check(text: &str) -> Findings {
    let lines = Lines::new(text);
    let document = Document::new(text);
    let definitions = Definitions::new(&document);
    let loaded = macros::loaded(&document);
    // What we do not know may give `$` another meaning, though hardly anything does.
    let is_sure = !definitions.is_dynamic && !macros::has_unknown(&document);
    let severity = if is_sure { Severity::Error } else { Severity::Warning };
    [
        structure::braces(&document, &lines),
        structure::environments(&document, &definitions, &lines),
        math::balance(&document, &definitions, &lines, severity),
        missing_parts(&document),
        typos(&document, &definitions, &lines),
        prose::percents(&document, &lines),
        prose::underscores(&document, &definitions, &lines),
        macros::undefined(&document, &definitions, loaded.as_ref(), &lines),
        environments::undefined(&document, &definitions, loaded.as_ref(), &lines),
    ]
    .into_iter()
    .fold(Findings::default(), Findings::and)
}

fn missing_parts(document: &Document<'_>) -> Findings {
    let has = |kind| document.tokens().iter().any(|token| token.kind == kind);
    [
        (Kind::Word("documentclass"), "\\documentclass not found"),
        (Kind::Begin("document"), "\\begin{document} not found"),
        (Kind::End("document"), "\\end{document} not found"),
    ]
    .into_iter()
    .filter(|(part, _)| !has(*part))
    .map(|(_, message)| Item::warning(1, None, message))
    .collect()
}

fn typos(document: &Document<'_>, definitions: &Definitions, lines: &Lines<'_>) -> Findings {
    let mut findings = Findings::default();
    for token in document.tokens() {
        if token.kind == Kind::Word("being") && !definitions.has_macro("being") {
            findings.warning(|| {
                lines.warning(token.at, "Probable typo: \\being (did you mean \\begin?)")
            });
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Severity;

    /// What a check found, as `(line, col, message)`, without the warnings on missing parts.
    fn found(text: &str) -> Vec<(usize, Option<usize>, String)> {
        check(text)
            .items
            .into_iter()
            .filter(|item| !item.message.ends_with("not found"))
            .map(|item| (item.line, item.col, item.message))
            .collect()
    }

    fn at(line: usize, col: usize, message: &str) -> (usize, Option<usize>, String) {
        (line, Some(col), message.to_owned())
    }

    /// What is found in a document with this body, lines counted from the body's own first.
    fn found_in_body(preamble: &str, body: &str) -> Vec<(usize, Option<usize>, String)> {
        let preamble = format!("\\documentclass{{article}}\n{preamble}\n\\begin{{document}}\n");
        let skipped = preamble.matches('\n').count();
        let text = format!("{preamble}{body}\n\\end{{document}}\n");
        found(&text)
            .into_iter()
            .map(|(line, col, message)| (line - skipped, col, message))
            .collect()
    }

    const UNDERSCORE: &str = "Unescaped '_' outside math mode (use \\_)";
    const PERCENT: &str = "Unescaped '%' in URL (use \\% in LaTeX)";

    fn undefined(name: &str) -> String {
        format!("Undefined macro \\{name} (not defined by the document, LaTeX or a loaded package)")
    }

    #[test]
    fn whole_document_has_no_findings() {
        let text = "\\documentclass{article}\n\\usepackage{amsmath, graphicx}\n\
            \\newcommand{\\R}{\\mathbf{R}}\n\\begin{document}\n\\section{One}\n\
            Some \\emph{text} in $\\R^n$, 100\\%.\n\\begin{align*}\n  x_1 &= \\text{a} \\\\\n\
            \\end{align*}\n\\includegraphics[width=\\textwidth]{fig_1}\n\\end{document}\n";
        assert!(check(text).is_empty());
    }

    #[test]
    fn unclosed_brace_is_reported_where_it_opened() {
        assert_eq!(
            found("a\n  \\textbf{b\n\n{c}\n"),
            [at(2, 10, "Unclosed brace '{' opened at line 2")]
        );
        assert_eq!(
            found("{\n{"),
            [
                at(1, 1, "Unclosed brace '{' opened at line 1"),
                at(2, 1, "Unclosed brace '{' opened at line 2")
            ]
        );
    }

    #[test]
    fn closing_brace_without_opening_one_is_an_error() {
        assert_eq!(found("a}\n"), [at(1, 2, "Unexpected closing brace '}'")]);
        assert_eq!(check("a}\n").items[0].severity, Severity::Error);
    }

    #[test]
    fn braces_that_are_not_code_do_not_count() {
        for text in [
            "\\{ a",
            "a \\}",
            "% {\nb",
            "a % }",
            "50\\% {a}",
            "\\verb|{| and \\verb*+}+",
            "\\begin{verbatim}\n{ % {\n\\end{verbatim}",
            "\\begin{lstlisting}[language=C]\nint main() {\n\\end{lstlisting}",
            "\\begin{minted}{c}\n}\n\\end{minted}",
            "\\begin{comment}\n}}\\end{itemize}\n\\end{comment}",
            "\\url{a{b}%c}",
            "\\lstinline|{|",
            "\\lstinline[language=C]{if (a) {}}",
            "\\mintinline{c}|}|",
            "\\iffalse\n}}\\ifx{\\fi\n\\fi",
            "\\\\{a}",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn escaped_backslash_does_not_escape_a_brace() {
        assert_eq!(found("\\\\{"), [at(1, 3, "Unclosed brace '{' opened at line 1")]);
        assert_eq!(found("\\\\% {\n"), []);
        assert_eq!(found("\\% {\n"), [at(1, 4, "Unclosed brace '{' opened at line 1")]);
    }

    #[test]
    fn verbatim_environments_of_the_document_do_not_count() {
        for definition in [
            "\\lstnewenvironment{code}{}{}",
            "\\DefineVerbatimEnvironment{code}{Verbatim}{}",
            "\\newminted[code]{python}{}",
        ] {
            let text = format!("{definition}\n\\begin{{code}}\n}}\n\\end{{code}}\n");
            assert_eq!(found(&text), [], "{definition}");
        }
        assert_eq!(found("\\newminted{python}{}\n\\begin{pythoncode}\n}\n\\end{pythoncode}\n"), []);
    }

    #[test]
    fn environments_must_nest() {
        assert_eq!(found("\\begin{a}\n\\end{a}"), []);
        assert_eq!(found("x\n\\end{a}"), [at(2, 1, "\\end{a} without matching \\begin")]);
        assert_eq!(
            found("\\begin{itemize}\n\\end{enumerate}\n"),
            [at(2, 1, "\\end{enumerate} mismatches \\begin{itemize} opened at line 1")]
        );
        assert_eq!(
            found("\\begin{a}\n \\begin{b}\n"),
            [at(2, 2, "\\begin{b} never closed"), at(1, 1, "\\begin{a} never closed")]
        );
        assert_eq!(found("\\begin{verbatim}\n\\x"), [at(1, 1, "\\begin{verbatim} never closed")]);
    }

    #[test]
    fn environments_in_definitions_comments_and_verbatim_do_not_count() {
        for text in [
            "\\newcommand{\\be}{\\begin{equation}}\n\\newcommand\\ee{\\end{equation}}\n\\be x \\ee",
            "\\newenvironment{foo}[1][x]{\\begin{center}}{\\end{center}}",
            "\\NewDocumentEnvironment{foo}{o m}{\\begin{center}}{\\end{center}}",
            "\\def\\be#1{\\begin{equation}}",
            "% \\begin{itemize}\n",
            "\\verb|\\begin{itemize}|",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn missing_parts_are_warned_of_at_line_1() {
        let messages: Vec<_> = check("text")
            .items
            .into_iter()
            .map(|item| (item.line, item.col, item.message))
            .collect();
        assert_eq!(
            messages,
            [
                (1, None, "\\documentclass not found".to_owned()),
                (1, None, "\\begin{document} not found".to_owned()),
                (1, None, "\\end{document} not found".to_owned()),
            ]
        );
        assert!(check("text").items.iter().all(|item| item.severity == Severity::Warning));
        let commented = "%\\documentclass{article}\n\\begin{document}\\end{document}";
        assert_eq!(check(commented).items.len(), 1);
    }

    #[test]
    fn being_is_a_typo_unless_the_document_defines_it() {
        let message = "Probable typo: \\being (did you mean \\begin?)";
        assert_eq!(found("a\n \\being{x} \\beings"), [at(2, 2, message)]);
        assert_eq!(found("\\newcommand{\\being}{x}\\being"), []);
    }

    #[test]
    fn percent_in_an_address_is_warned_of_where_it_harms() {
        assert_eq!(found("see http://a.b/c%20d"), [at(1, 17, PERCENT)]);
        assert_eq!(found("\\footnote{\\url{https://a.b/%20}}"), [at(1, 28, PERCENT)]);
        for text in [
            "\\url{https://a.b/%20}",
            "http://a.b/c\\%20",
            "% http://a.b/%20",
            "http://a.b/ % comment",
            "50 % of",
            "\\footnote{\\url{https://a.b/\\%20}}",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn underscore_in_text_is_warned_of() {
        assert_eq!(found("an é_b"), [at(1, 5, UNDERSCORE)]);
        assert_eq!(found("$a_1$ b_c"), [at(1, 8, UNDERSCORE)]);
        assert_eq!(found("$x = \\text{a_b}$"), [at(1, 13, UNDERSCORE)]);
        assert_eq!(found("\\section{a_b}"), [at(1, 11, UNDERSCORE)]);
        assert_eq!(found("\\begin{itemize}\n\\item a_b\n\\end{itemize}"), [at(2, 8, UNDERSCORE)]);
        assert_eq!(found("\\href{a_b}{c_d}"), [at(1, 13, UNDERSCORE)]);
        assert_eq!(found("\\begin{equation}a_b\\end{equation}c_d"), [at(1, 35, UNDERSCORE)]);
        assert_eq!(found("a $ b\n\nc_d")[1], at(3, 2, UNDERSCORE));
    }

    #[test]
    fn underscore_in_mathematics_keys_and_code_is_not() {
        for text in [
            "a\\_b",
            "$a_b$",
            "$$a_b$$",
            "\\(a_b\\) \\[c_d\\]",
            "$a \\textbf{b} c_d$",
            "\\begin{equation*}a_b\\end{equation*}",
            "\\begin{align}a_b \\\\ \\begin{cases} c_d \\end{cases}\\end{align}",
            "\\begin{multline}a_b\\end{multline}\\begin{eqnarray}a_b\\end{eqnarray}",
            "\\begin{gather*}a_b\\end{gather*}\\begin{array}{l}a_b\\end{array}",
            "\\label{a_b} \\ref{a_b} \\cite[p_1]{a_b} \\citet*{a_b} \\input{a_b} \\include{a_b}",
            "\\includegraphics[width=a_b]{a_b} \\bibliography{a_b} \\url{a_b} \\texttt{a_b}",
            "\\usepackage{a_b} \\documentclass{a_b} \\href{a_b}{c}",
            "\\newcommand{\\x}{a_b}",
            "\\unknown{a_b}[c_d]{e_f}",
            "\\begin{tikzpicture}\n\\node (a_b) {};\n\\end{tikzpicture}",
            "% a_b",
            "\\verb|a_b|",
            "\\ensuremath{a_b}",
            "\\newcommand{\\be}{\\begin{equation}} \\be a_b",
            "\\begin{frame}{$a$}\\end{frame}",
            "\\begin{tabular}{>{$}l<{$}}x\\end{tabular}",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
        assert_eq!(found_in_body("\\hypersetup{pdftitle={a_b}} a_b", "x"), []);
        assert_eq!(found_in_body("\\usepackage[strings]{underscore}", "a_b"), []);
    }

    #[test]
    fn macro_that_nothing_defines_is_warned_of_once() {
        assert_eq!(
            found_in_body("\\usepackage{amsmath}", "a\n$x \\layer y$ \\layer\n\\other"),
            [at(2, 4, &undefined("layer")), at(3, 1, &undefined("other"))]
        );
        assert_eq!(found_in_body("", "$\\dfrac12$"), [at(1, 2, &undefined("dfrac"))]);
        assert_eq!(found_in_body("", "\\chapter{A}"), [at(1, 1, &undefined("chapter"))]);
    }

    #[test]
    fn macros_that_the_document_defines_are_known() {
        for definition in [
            "\\newcommand{\\foo}{}",
            "\\newcommand\\foo[1]{#1}",
            "\\newcommand*{\\foo}{}",
            "\\renewcommand{\\foo}{}",
            "\\providecommand{\\foo}{}",
            "\\DeclareRobustCommand\\foo{}",
            "\\DeclareMathOperator*{\\foo}{foo}",
            "\\NewDocumentCommand{\\foo}{m}{}",
            "\\DeclarePairedDelimiter{\\foo}{(}{)}",
            "\\def\\foo#1{}",
            "\\gdef\\foo{}",
            "\\let\\foo=\\bar",
            "\\let\\foo\\bar",
            "\\newif\\iffoo \\newlength{\\foo}",
            "\\newcommand{\\bar}{\\newcommand{\\foo}{}}",
            "\\newtheorem{foo}{Foo}",
            "\\newenvironment{foo}{}{}",
            "\\newsavebox\\foo",
        ] {
            assert_eq!(found_in_body(definition, "\\foo"), [], "{definition}");
        }
        assert_eq!(found_in_body("\\newif\\iffoo", "\\footrue\\iffoo a\\fi"), []);
        assert_eq!(found_in_body("\\newcounter{foo}", "\\thefoo"), []);
        assert_eq!(found_in_body("", "\\newcommand{\\foo}{\\undefinedyet}\\foo"), []);
        assert_eq!(found_in_body("\\usepackage{tikz}", "\\foreach \\i/\\j in {1/2} {\\i\\j}"), []);
    }

    #[test]
    fn macros_of_loaded_packages_and_classes_are_known() {
        for (package, body) in [
            ("amsmath", "$\\dfrac12 \\text{a}$"),
            ("amssymb", "$\\mathbb R \\leqslant$"),
            ("graphicx", "\\includegraphics{a}"),
            ("hyperref", "\\autoref{a} \\url{b}"),
            ("booktabs", "\\toprule"),
            ("siunitx", "\\SI{3}{\\kilo\\metre}"),
            ("tikz", "\\tikz \\draw (0,0) -- (1,1); \\pgfmathresult"),
            ("pgfplots", "\\addplot coordinates {};"),
            ("natbib", "\\citet{a}"),
            ("biblatex", "\\textcite{a} \\printbibliography"),
            ("algpseudocode", "\\State x \\EndFor"),
            ("glossaries", "\\gls{a} \\acrshort{b}"),
        ] {
            let preamble = format!("\\usepackage[option]{{{package}}}");
            assert_eq!(found_in_body(&preamble, body), [], "{package}");
            assert_ne!(found_in_body("", body), [], "{package}");
        }
        assert_eq!(
            found_in_body("\\usepackage{% comment\n  amsmath, % x\n  bm}", "$\\bm\\dots$"),
            []
        );
        let beamer = "\\documentclass{beamer}\n\\begin{document}\n\\begin{frame}\n\
            \\frametitle{a}\\pause\\only<2>{b}\n\\end{frame}\n\\end{document}";
        assert_eq!(found(beamer), []);
    }

    #[test]
    fn undefined_macros_are_not_judged_where_the_check_cannot_know() {
        for preamble in [
            "\\usepackage{some-house-style}",
            "\\usepackage{amsmath,unheard}",
            "\\input{macros}",
            "\\expandafter\\def\\csname foo\\endcsname{}",
            "\\ExplSyntaxOn \\ExplSyntaxOff",
        ] {
            assert_eq!(found_in_body(preamble, "\\foo"), [], "{preamble}");
        }
        assert_eq!(found("\\foo"), []);
        assert_eq!(found("\\begin{document}\\foo\\end{document}"), []);
        let class = "\\documentclass{unheard}\\begin{document}\\foo\\end{document}";
        assert_eq!(found(class), []);
        assert_eq!(found_in_body("", "\\input{part} \\foo"), []);
        assert_eq!(found_in_body("\\makeatletter\\my@thing\\makeatother \\foo", "a"), []);
        assert_eq!(found_in_body("", "\\makeatletter\\my@thing\\makeatother"), []);
        assert_eq!(found_in_body("", "\\verb|\\foo| % \\foo\n\\ifdefined\\foo a\\fi"), []);
    }

    #[test]
    fn many_findings_of_one_kind_are_counted() {
        let found = check(&"}".repeat(200));
        assert_eq!((found.items.len(), found.errors, found.warnings), (53, 200, 3));
    }

    #[test]
    fn mathematics_ends_in_the_group_and_paragraph_where_it_began() {
        for (text, line, col, message) in [
            ("a $x + 1 b", 1, 3, "$ never closed"),
            ("costs $5.\n\nAnd $x$.", 1, 7, "$ never closed before the blank line"),
            ("\\textbf{a $x} b", 1, 11, "$ never closed"),
            ("\\begin{itemize}\n\\item $x\n\\end{itemize}\n$y$", 2, 7, "$ never closed"),
            ("$$x + 1\n\ny", 1, 1, "$$ never closed before the blank line"),
            ("a \\(x", 1, 3, "\\( never closed"),
            ("a \\[x\n\n\\[y\\]", 1, 3, "\\[ never closed before the blank line"),
            ("x\\) y", 1, 2, "\\) without matching \\("),
            ("x \\] y", 1, 3, "\\] without matching \\["),
            ("\\(x\\]", 1, 4, "\\] within mathematics that \\( opened at line 1"),
            ("$$x$ y", 1, 4, "$ within mathematics that $$ opened at line 1"),
            ("\\[x $ y\\]", 1, 5, "$ within mathematics that \\[ opened at line 1"),
            ("$\\left( x$", 1, 2, "\\left without matching \\right"),
            ("$x \\right)$", 1, 4, "\\right without matching \\left"),
            ("\\begin{equation}\\left[ x\\end{equation}", 1, 17, "\\left without matching \\right"),
            ("$\\frac{\\left( x}{y}\\right)$", 1, 8, "\\left without matching \\right"),
        ] {
            assert_eq!(found(text).first(), Some(&at(line, col, message)), "{text}");
            assert_eq!(check(text).items[0].severity, Severity::Error, "{text}");
        }
        assert_eq!(
            found("a $x\n\nb $y$\n\nc $z"),
            [at(1, 3, "$ never closed before the blank line"), at(5, 3, "$ never closed"),]
        );
    }

    #[test]
    fn mathematics_that_pairs_up_is_not_judged_wrong() {
        for text in [
            "$a$$b$ $$c$$ \\(d\\) \\[e\\]",
            "$x$ costs \\$5",
            "\\[\n a = \\text{if $b$ then } c\n\\]",
            "$\\left( \\begin{array}{>{$}l<{$}} a \\end{array} \\right.$",
            "\\begin{tabular}{>{$}l<{$}}x\\end{tabular}",
            "\\begin{align}\\left( a \\right. & \\\\ \\left. b \\right)\\end{align}",
            "$x \\in \\R [0, 1)$ or $(0, 1]$ ]",
            "\\verb|$| \\texttt{\\$} \\lstinline{$} % $\n",
            "\\shell{echo $HOME}",
            "\\begin{shell}\necho $HOME\n\\end{shell}",
            "\\newcommand{\\bl}{\\left(} \\newcommand{\\br}{\\right)} $\\bl x \\br \\right)$",
            "\\newcommand{\\be}{\\begin{equation}} \\be x \\right)",
            "\\newcommand{\\m}{$} a \\m b",
            "\\catcode`\\$=12 a $ b",
            "\\MakeShortVerb{\\|} |$|",
            "\\[2pt] x \\\\[2pt] \\]",
            "\\section{On $x$} \\footnote{$y$ and \\(z\\)}",
            "$\\hbox{a $b$ c}$ $\\rlap{$x$} y$",
            "\\begin{verbatim}\n$\n\\end{verbatim}",
            "$a\n%\n+ b$",
        ] {
            assert_eq!(
                found(text)
                    .into_iter()
                    .filter(|(_, _, message)| !message.contains("'_'"))
                    .collect::<Vec<_>>(),
                [],
                "{text}"
            );
        }
    }

    #[test]
    fn mathematics_is_only_warned_of_where_a_file_or_package_is_unknown() {
        for preamble in
            ["\\usepackage{unheard}", "\\input{macros}", "\\def\\x{\\csname y\\endcsname}"]
        {
            let text = format!(
                "\\documentclass{{article}}{preamble}\\begin{{document}}a $ b\\end{{document}}"
            );
            let found = check(&text);
            assert_eq!((found.errors, found.warnings), (0, 1), "{preamble}");
        }
    }

    #[test]
    fn environment_whose_package_is_not_loaded_is_warned_of() {
        let message = "Undefined environment align* (\\usepackage{amsmath} defines it)";
        let body = "a\n\\begin{align*}\nx\n\\end{align*}\n\\begin{align}\nx\n\\end{align}";
        assert_eq!(found_in_body("", body), [at(2, 1, message)]);
        for preamble in [
            "\\usepackage{amsmath}",
            "\\usepackage{mathtools}",
            "\\usepackage{unheard}",
            "\\input{preamble}",
            "\\newenvironment{align*}{}{}\\newenvironment{align}{}{}",
        ] {
            assert_eq!(found_in_body(preamble, body), [], "{preamble}");
        }
        assert_eq!(found("\\begin{align}x\\end{align}"), []);
        let beamer =
            "\\documentclass{beamer}\\begin{document}\\begin{align}x\\end{align}\\end{document}";
        assert_eq!(found(beamer), []);
    }

    #[test]
    fn hostile_input_is_read_in_linear_time_and_bounded_stack() {
        for piece in [
            "{",
            "}",
            "[",
            "\\",
            "$",
            "%",
            "_",
            "\\begin{a}",
            "\\end{a}",
            "\\begin{",
            "\\url{",
            "\\url{x}",
            "\\verb|x|",
            "\\verb",
            "\\lstinline[",
            "\\newcommand",
            "\\newcommand{",
            "\\def\\x",
            "\\newcommand{\\x}{",
            "\\usepackage{",
            "\\cite[",
            "\\begin{verbatim}",
            "\\iffalse",
            "\\foreach\\x",
            "\\newminted{",
            "\\lstnewenvironment{a}",
            "\\let\\a",
            "\\footnote{",
            "\\x{",
            "\n",
            "% x\n",
            "\\makeatletter",
            "http://%\n",
            "é_",
            "\\é",
            "\\text{$",
            "\\left",
            "\\right",
            "$$",
            "\\(",
            "\\]",
            "\\x[",
            "\\begin{align}",
        ] {
            check(&piece.repeat(40_000));
            let document =
                format!("\\documentclass{{article}}\\begin{{document}}{}", piece.repeat(10_000));
            check(&document);
        }
    }
}
