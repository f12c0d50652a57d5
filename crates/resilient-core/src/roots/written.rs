//! The ways in which people write a path that are no path to the system: a home directory, a variable, a URL.
//!
//! A shell or a browser would have resolved them. Taken literally they would make directories named `~` or `file:`,
//! in which nobody looks. So they are resolved, or refused with a word on how to write what is meant. A name that
//! really begins like that is written with `./` in front of it.
//!
//! A client may also pass on a variable that only an editor or a shell would have replaced, such as
//! `${workspaceFolder}`.

use std::borrow::Cow;
use std::path::Path;

use percent_encoding::percent_decode_str;

use crate::error::{Error, Result};

/// Gives a path as the system takes it. `home` is the user's home directory.
///
/// | written | is |
/// |---|---|
/// | `~`, `~/a`, `$HOME/a`, `${HOME}/a` | in the home directory |
/// | `file:///a%20b` | `/a b` |
/// | `./~/a`, `./$HOME/a` | a directory of that name |
///
/// # Errors
/// It begins with another user's home, another variable or another scheme; it is a URL of a file elsewhere, or of
/// none; the home directory is not known: [`Error::PathForm`].
pub fn plain<'a>(path: &'a str, home: Option<&Path>) -> Result<Cow<'a, str>> {
    if let Some(url) = of_file_url(path) {
        return url.map(Cow::Owned);
    }
    let refuse = |what: &'static str| {
        let instead = format!("an absolute path, or ./{path} for a directory of that name");
        Err(Error::PathForm { path: path.to_owned(), what, instead })
    };
    if let Some(scheme) = path.split_once("://").map(|(scheme, _)| scheme)
        && is_scheme(scheme)
    {
        return refuse("a URL");
    }
    let (first, rest) = match path.split_once(is_separator) {
        Some((first, rest)) => (first, Some(rest)),
        None => (path, None),
    };
    if matches!(first, "~" | "$HOME" | "${HOME}") {
        let Some(home) = home.and_then(Path::to_str) else {
            return refuse("in the home directory, which is not known");
        };
        return Ok(Cow::Owned(match rest {
            Some(rest) => format!("{}/{rest}", home.trim_end_matches(is_separator)),
            None => home.to_owned(),
        }));
    }
    if WORKSPACES.iter().any(|name| name.eq_ignore_ascii_case(first)) {
        return refuse("named by a variable that the client has not replaced by a directory");
    }
    // A file may be named so (`~$draft.docx`); a directory is not made by accident.
    match rest {
        Some(_) if first.starts_with('~') => refuse("in the home directory of a user"),
        Some(_) if is_variable(first) => refuse("named by a variable of the environment"),
        _ => Ok(Cow::Borrowed(path)),
    }
}

/// The directory in which a client works, as editors and shells name it. No file is named so.
const WORKSPACES: [&str; 5] = ["${workspaceFolder}", "${workspaceRoot}", "$PWD", "${PWD}", "%CD%"];

/// The path of a URL of a file on this machine; nothing where it is no URL of a file.
fn of_file_url(path: &str) -> Option<Result<String>> {
    let (scheme, rest) = path.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") || !rest.starts_with('/') {
        return None;
    }
    let refuse = |what, instead: &str| {
        Some(Err(Error::PathForm { path: path.to_owned(), what, instead: instead.to_owned() }))
    };
    let named = match rest.strip_prefix("//") {
        Some(rest) => {
            let (host, _) = rest.split_once('/').unwrap_or((rest, ""));
            if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
                return refuse("a URL of another machine", "file:///, or an absolute path");
            }
            rest.get(host.len()..).unwrap_or_default()
        }
        None => rest,
    };
    if named.contains(['#', '?']) {
        return refuse(
            "a URL with a fragment or a query",
            "%23 for # and %3F for ?, or an absolute path",
        );
    }
    let Ok(decoded) = percent_decode_str(named).decode_utf8() else {
        return refuse("a URL that is not UTF-8", "an absolute path");
    };
    // `/C:/a` of Windows.
    let is_drive = cfg!(windows) && decoded.as_bytes().get(2) == Some(&b':');
    let decoded = decoded.get(usize::from(is_drive)..).unwrap_or_default();
    if !Path::new(decoded).is_absolute() {
        return refuse("a URL without a path", "an absolute path");
    }
    Some(Ok(decoded.to_owned()))
}

fn is_scheme(text: &str) -> bool {
    text.len() > 1
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

/// `$NAME`, `${NAME}`, `%NAME%`, or `${env:NAME}` of an editor.
fn is_variable(text: &str) -> bool {
    let between = |open, close| text.strip_prefix(open)?.strip_suffix(close);
    let braced = between("${", "}");
    let Some(name) = braced.or_else(|| between("%", "%")).or_else(|| text.strip_prefix('$')) else {
        return false;
    };
    let may_be = |c: char| matches!(c, '_') || braced.is_some() && matches!(c, ':' | '.' | '-');
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || may_be(c))
}

fn is_separator(c: char) -> bool {
    c == '/' || cfg!(windows) && c == '\\'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str) -> Option<String> {
        plain(path, Some(Path::new("/home/u"))).ok().map(Cow::into_owned)
    }

    #[test]
    fn home_directories_and_urls_of_files_are_resolved() {
        for (written, is) in [
            ("~", "/home/u"),
            ("~/a/b", "/home/u/a/b"),
            ("$HOME/a", "/home/u/a"),
            ("${HOME}/a", "/home/u/a"),
            ("$HOME", "/home/u"),
            ("file:///a/b%20c", "/a/b c"),
            ("FILE://localhost/a", "/a"),
            ("file:/a%23", "/a#"),
            ("file:///%C3%A9", "/é"),
        ] {
            assert_eq!(read(written).as_deref(), Some(is), "{written}");
        }
    }

    #[test]
    fn what_is_a_name_stays_one() {
        for written in [
            "",
            "a",
            "/~/a",
            "./~/a",
            "./~x/a",
            "./$HOME/a",
            "a/~/b",
            "~x",
            "~$a.docx",
            "$x",
            "${x}",
            "a$HOME/b",
            "$/a",
            "$1/a",
            "%20a%/b",
            "50%/a",
            "./${workspaceFolder}",
            "${}/a",
            "file:a",
            "a:b/c",
            "c://a",
            "a b://c",
            "a/b://c",
        ] {
            assert_eq!(read(written).as_deref(), Some(written));
        }
    }

    #[test]
    fn what_cannot_be_resolved_is_refused() {
        for written in [
            "~other/a",
            "$PWD/a",
            "${X_1}/a",
            "${workspaceFolder}",
            "${workspaceRoot}/a",
            "${workspaceFolder:app}/a",
            "${env:HOME}/a",
            "%CD%",
            "%cd%/a",
            "%USERPROFILE%/a",
            "$PWD",
            "https://a/b",
            "vscode-file://x/a",
            "file://host/a",
            "file://",
            "file:///a#L1",
            "file:///a?b",
            "file:///%FF",
            "FILE://x",
        ] {
            assert_eq!(read(written), None, "{written}");
        }
        assert!(plain("~/a", None).is_err());
    }
}
