//! The files that a policy lets pass, by globs.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Globs of paths: `*` and `?` stay in a directory, `**` does not, `{a,b}` and `[ab]` are choices.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    globs: Vec<String>,
    set: GlobSet,
}

impl Paths {
    /// Reads globs.
    ///
    /// # Errors
    /// What is wrong with the first one that is not a glob.
    pub fn new(globs: Vec<String>) -> Result<Self, String> {
        let mut set = GlobSetBuilder::new();
        for glob in &globs {
            let built =
                GlobBuilder::new(glob).literal_separator(true).backslash_escape(true).build();
            set.add(built.map_err(|error| format!("`{glob}`: {}", error.kind()))?);
        }
        let set = set.build().map_err(|error| error.kind().to_string())?;
        Ok(Self { globs, set })
    }

    /// Tells whether there is no glob.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.globs.is_empty()
    }

    /// The globs as they were given.
    #[must_use]
    pub fn globs(&self) -> &[String] {
        &self.globs
    }

    /// Tells whether one of the globs means a path.
    #[must_use]
    pub fn mean(&self, path: &str) -> bool {
        self.set.is_match(path)
    }
}

impl PartialEq for Paths {
    fn eq(&self, other: &Self) -> bool {
        self.globs == other.globs
    }
}

impl Eq for Paths {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_as_paths_do() {
        for (glob, path, matched) in [
            ("a/*.rs", "a/b.rs", true),
            ("a/*.rs", "a/b/c.rs", false),
            ("**/c.rs", "c.rs", true),
            ("**/c.rs", "a/b/c.rs", true),
            ("a?c", "abc", true),
            ("a?c", "a/c", false),
            ("tests/**", "tests/a/b.rs", true),
            ("*.lock", "a/b.lock", false),
            // More than one star.
            ("**/*.lock", "a/b/c.lock", true),
            ("**/test*.py", "tests/x/test_a.py", true),
            ("a*b*c", "a1b2b3c", true),
            // Choices.
            ("*.{lock,sum}", "go.sum", true),
            ("[ab].txt", "b.txt", true),
            ("[!ab].txt", "b.txt", false),
            ("a\\*b", "a*b", true),
            ("a\\*b", "axb", false),
        ] {
            let paths = Paths::new(vec![glob.to_owned()]).unwrap();
            assert_eq!(paths.mean(path), matched, "{glob} {path}");
        }
    }
}
