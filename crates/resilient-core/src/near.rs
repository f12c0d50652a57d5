//! The known names that come nearest to one that is not known.

/// No more names are told.
const NAMES_MAX: usize = 3;

/// A name of more bytes is compared with none: that would take time for each of them.
pub const LENGTH_MAX: usize = 1024;

/// The names that a wrong one was probably meant to be, the nearest first: at most three, often none.
/// Case does not count, nor does the sign between words.
///
/// ```
/// use resilient_core::near::nearest;
///
/// assert_eq!(nearest("rw_safe_wirte", ["rw_safe_write", "rw_redact"]), ["rw_safe_write"]);
/// assert!(nearest("something", ["else"]).is_empty());
/// ```
#[must_use]
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    ranked(wrong, known).into_iter().take(NAMES_MAX).map(str::to_owned).collect()
}

/// The nearest of them.
#[must_use]
pub fn nearest_one<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    ranked(wrong, known).into_iter().next()
}

/// All that come near, the nearest first.
fn ranked<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    if wrong.len() > LENGTH_MAX {
        return Vec::new();
    }
    let wanted = plain(wrong);
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut near: Vec<(usize, &str)> = known
        .into_iter()
        .filter(|name| *name != wrong)
        .filter_map(|name| Some((distance(&wanted, &plain(name))?, name)))
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().map(|(_, name)| name).collect()
}

/// How far a name is from the one that was given; nothing where it is another name altogether.
fn distance(wanted: &str, name: &str) -> Option<usize> {
    let longest = wanted.chars().count().max(name.chars().count());
    let edits = strsim::osa_distance(wanted, name);
    if edits * 3 <= longest || longest <= 3 && edits == 1 {
        return Some(edits);
    }
    // A part of the name, long enough to be no accident.
    let shortest = wanted.chars().count().min(name.chars().count());
    let contained = name.contains(wanted) || wanted.contains(name);
    (contained && shortest >= 4).then_some(edits)
}

fn plain(name: &str) -> String {
    name.to_lowercase().replace(['-', '.', ' '], "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_comes_first_and_what_is_far_not_at_all() {
        let known = ["content", "count", "path", "classify"];
        assert_eq!(nearest("contnet", known), ["content"]);
        assert_eq!(nearest("Classify_", known), ["classify"]);
        assert_eq!(nearest("conten", known), ["content"]);
        assert_eq!(nearest("xyz", known), [""; 0]);
        assert_eq!(nearest("", known), [""; 0]);
    }

    /// Before, one call with such a name kept a thread at work for minutes.
    #[test]
    fn a_long_name_is_compared_with_none() {
        let known = ["x".repeat(LENGTH_MAX)];
        let known = || known.iter().map(String::as_str);
        assert_eq!(nearest(&"x".repeat(LENGTH_MAX - 1), known()).len(), 1);
        assert_eq!(nearest(&"x".repeat(LENGTH_MAX + 1), known()), [""; 0]);
    }

    #[test]
    fn a_part_of_a_name_leads_to_it() {
        assert_eq!(nearest("safe_write", ["rw.safe_write", "rw.redact"]), ["rw.safe_write"]);
        assert_eq!(nearest("main.rs", ["main.rs.bak", "lib.rs"]), ["main.rs.bak"]);
    }

    #[test]
    fn case_and_the_sign_between_words_do_not_count() {
        assert_eq!(nearest("READ-ME.md", ["read_me.md", "other.md"])[0], "read_me.md");
    }

    #[test]
    fn three_names_at_most() {
        assert_eq!(nearest("part1", ["part2", "part3", "part4", "part5"]).len(), 3);
    }
}
