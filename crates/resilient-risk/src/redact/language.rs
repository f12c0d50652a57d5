//! The languages for which a secret can become a look-up in the environment.

use super::marked::MARK;

/// A language of source or configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Python.
    Python,
    /// JavaScript.
    JavaScript,
    /// TypeScript.
    TypeScript,
    /// Rust.
    Rust,
    /// Go.
    Go,
    /// Ruby.
    Ruby,
    /// Java.
    Java,
    /// Kotlin.
    Kotlin,
    /// C#.
    CSharp,
    /// PHP.
    Php,
    /// Shells of the Bourne family.
    Shell,
    /// A Dockerfile.
    Dockerfile,
    /// YAML whose reader expands `${NAME}`.
    Yaml,
    /// A workflow of GitHub Actions.
    Workflow,
    /// JSON whose reader expands `${NAME}`.
    Json,
    /// TOML whose reader expands `${NAME}`.
    Toml,
    /// Lines of `NAME=value`: `.env`, INI, properties.
    Env,
    /// XML and HTML, which have no look-ups.
    Markup,
}

/// Each language with its names, which are also the endings of its files.
const NAMES: [(Language, &[&str]); 18] = [
    (Language::Python, &["python", "py", "pyi", "pyw"]),
    (Language::JavaScript, &["javascript", "js", "jsx", "mjs", "cjs"]),
    (Language::TypeScript, &["typescript", "ts", "tsx", "mts", "cts"]),
    (Language::Rust, &["rust", "rs"]),
    (Language::Go, &["go", "golang"]),
    (Language::Ruby, &["ruby", "rb", "rake", "gemspec", "ru"]),
    (Language::Java, &["java"]),
    (Language::Kotlin, &["kotlin", "kt", "kts"]),
    (Language::CSharp, &["csharp", "cs", "c#"]),
    (Language::Php, &["php"]),
    (Language::Shell, &["shell", "sh", "bash", "zsh", "ksh"]),
    (Language::Dockerfile, &["dockerfile", "containerfile"]),
    (Language::Yaml, &["yaml", "yml"]),
    (Language::Workflow, &["workflow"]),
    (Language::Json, &["json", "jsonc", "json5", "jwk", "jwks", "har", "tfstate", "ipynb"]),
    (Language::Toml, &["toml"]),
    (Language::Env, &["env", "dotenv", "ini", "cfg", "conf", "cnf", "properties", "service"]),
    (
        Language::Markup,
        &[
            "markup", "xml", "html", "htm", "xhtml", "svg", "plist", "csproj", "fsproj", "vbproj",
            "xaml", "resx", "wsdl", "xsd", "xsl", "xslt", "nuspec", "vue", "svelte",
        ],
    ),
];

impl Language {
    /// Whether it has the syntax of a shell.
    pub(super) const fn is_shell(self) -> bool {
        matches!(self, Self::Shell | Self::Dockerfile)
    }

    /// Whether it has the syntax of YAML.
    pub(super) const fn is_yaml(self) -> bool {
        matches!(self, Self::Yaml | Self::Workflow)
    }

    /// Reads a name, in whatever case: `python`, `py`, `bash`, `dotenv`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        NAMES.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(of, _)| *of)
    }

    /// The language that a path shows.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        let path = path.replace('\\', "/").to_ascii_lowercase();
        let name = path.rsplit('/').next()?;
        let begins = |with: &str| {
            let rest = name.strip_prefix(with);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        if begins("dockerfile") || begins("containerfile") {
            return Some(Self::Dockerfile);
        }
        const INI: [&str; 7] =
            [".env", ".npmrc", ".pypirc", ".my.cnf", ".gitconfig", ".s3cfg", ".boto"];
        if INI.into_iter().any(begins) || path.ends_with(".aws/credentials") {
            return Some(Self::Env);
        }
        if begins("gemfile") || begins("rakefile") {
            return Some(Self::Ruby);
        }
        const SHELLS: [&str; 8] = [
            ".bash_history",
            ".bash_profile",
            ".bashrc",
            ".envrc",
            ".profile",
            ".zprofile",
            ".zsh_history",
            ".zshrc",
        ];
        if SHELLS.into_iter().any(begins) {
            return Some(Self::Shell);
        }
        if ["web", "app", "nuget"].into_iter().any(begins) && name.ends_with(".config") {
            return Some(Self::Markup);
        }
        let named = Self::named(name.rsplit_once('.')?.1)?;
        let is_workflow = path.contains(".github/workflows/");
        Some(if named == Self::Yaml && is_workflow { Self::Workflow } else { named })
    }

    /// Markup, if a text that nothing names begins with a tag, a declaration or a comment.
    pub(super) fn of_markup(text: &str) -> Option<Self> {
        let text = text.trim_start_matches('\u{feff}').trim_start().strip_prefix('<')?;
        let is_in_name = |c: char| c.is_alphanumeric() || "_:.-".contains(c);
        let is_tag = || {
            let behind = text.trim_start_matches(is_in_name);
            text.starts_with(char::is_alphabetic)
                && (behind.starts_with(char::is_whitespace)
                    || behind.starts_with('>')
                    || behind.starts_with("/>"))
        };
        let is_mark = || text.as_bytes().starts_with(MARK);
        (text.starts_with('!') || text.starts_with("?xml") || is_tag() && !is_mark())
            .then_some(Self::Markup)
    }

    /// The first name of each language, for messages.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMES.iter().filter_map(|(_, names)| names.first().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_names_tell_the_language() {
        for (path, language) in [
            ("a/b.py", Some(Language::Python)),
            ("App.TSX", Some(Language::TypeScript)),
            ("deploy/Dockerfile.prod", Some(Language::Dockerfile)),
            (".env", Some(Language::Env)),
            ("x/.env.local", Some(Language::Env)),
            (".github/workflows/ci.yml", Some(Language::Workflow)),
            ("ci.yml", Some(Language::Yaml)),
            ("app/strings.xml", Some(Language::Markup)),
            ("src/Web.config", Some(Language::Markup)),
            ("web.release.config", Some(Language::Markup)),
            (".my.cnf", Some(Language::Env)),
            ("home/.aws/credentials", Some(Language::Env)),
            ("a.service", Some(Language::Env)),
            ("Rakefile", Some(Language::Ruby)),
            (".bash_history", Some(Language::Shell)),
            ("webpack.config", None),
            ("notes.md", None),
            ("Makefile", None),
            (".environment", None),
        ] {
            assert_eq!(Language::of_path(path), language, "{path}");
        }
        assert_eq!(Language::named("Bash"), Some(Language::Shell));
        assert_eq!(Language::named("cobol"), None);
    }

    #[test]
    fn a_text_that_begins_as_markup_does_is_markup() {
        for text in
            ["<a>", "\u{feff}\n<?xml version=\"1.0\"?>", "<!-- a -->", "<s:b c=\"\">", "<br/>"]
        {
            assert_eq!(Language::of_markup(text), Some(Language::Markup), "{text}");
        }
        for text in
            ["<?php f();", "<https://h.io/>", "<a@h.io>", "<<A", "< a", "<REDACTED:pii:1>", "a <b>"]
        {
            assert_eq!(Language::of_markup(text), None, "{text}");
        }
    }
}
