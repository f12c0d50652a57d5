//! The macros of LaTeX itself: the kernel, the standard classes and the primitives of TeX, e-TeX
//! and the engines in use. The table is `data/latex-commands.txt`.

use std::sync::LazyLock;

use super::table;

/// Whether LaTeX defines the macro with this name, which comes without its backslash.
pub(super) fn is_standard(name: &str) -> bool {
    STANDARD.binary_search(&name).is_ok()
}

/// Sorted.
static STANDARD: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| table::words(include_str!("../../data/latex-commands.txt")).collect());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_sorted_without_repetition() {
        assert!(STANDARD.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn table_holds_kernel_and_primitives_but_no_package() {
        for name in ["section", "alpha", "hbox", "numexpr", "NewDocumentCommand", "textdegree"] {
            assert!(is_standard(name), "{name}");
        }
        for name in ["includegraphics", "text", "mathbb", "layer", "Section", ""] {
            assert!(!is_standard(name), "{name}");
        }
    }
}
