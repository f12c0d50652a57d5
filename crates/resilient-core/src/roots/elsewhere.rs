//! What a relative path would lead to if it began in another root.
//!
//! A relative path begins in the working directory, for a read as for a write. The Python server read from other
//! roots too where nothing was there. A caller that relies on that gets the absolute path.

use std::path::Path;

use super::{Resolved, Roots, plain};

impl Roots {
    /// The absolute paths of what other roots have at a relative path.
    pub(crate) fn elsewhere(&self, path: &str) -> Vec<String> {
        let Ok(plain) = plain(path, self.user_home.as_deref()) else { return Vec::new() };
        if Path::new(&*plain).is_absolute() {
            return Vec::new();
        }
        let others = self.paths().filter(|root| *root != self.cwd);
        let found = others.filter_map(|root| {
            let Resolved { path, missing, .. } = self.resolve(path, &root.join(&*plain)).ok()?;
            // What one root leads out of, the other must not lead into.
            (missing.is_empty() && path.starts_with(root)).then(|| self.show(&path))
        });
        found.collect()
    }
}
