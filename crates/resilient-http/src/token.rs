//! Bearer tokens: who may come in, and whether to write.
//!
//! The file has a line for each: a name, its scopes (`read`, `write`, or both with a comma), and the secret or its
//! digest (`sha256:` and 64 digits). The file that the server makes has the digest alone. It is read again when it
//! has changed, so that a line that is taken out lets nobody in any more. What cannot be read lets nobody in.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use resilient_mcp::Caller;
use sha2::{Digest as _, Sha256};
use subtle::{Choice, ConditionallySelectable as _, ConstantTimeEq as _};

use crate::version::Version;

/// A secret of fewer characters could be guessed.
const SECRET_MIN: usize = 32;

/// What tells the secrets of this program from others, where one has leaked.
const PREFIX: &str = "rwt_";

/// The tokens of a file.
#[derive(Debug)]
pub(crate) struct Tokens {
    path: PathBuf,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    tokens: Vec<Token>,
    /// The state of the file that was read last.
    version: Option<Version>,
    /// What was wrong with it.
    faults: Vec<String>,
}

#[derive(Debug, PartialEq)]
struct Token {
    caller: Caller,
    digest: [u8; 32],
}

/// A token that was just made: the only time that its secret is told.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) name: &'static str,
    pub(crate) secret: String,
}

impl Tokens {
    /// The tokens of a file, which is made with one if it is not there.
    ///
    /// # Errors
    /// The file cannot be made or read, or a line of it is wrong.
    pub(crate) fn open(path: &Path) -> io::Result<(Self, Option<Made>)> {
        let made = match make(path) {
            Ok(made) => Some(made),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => None,
            Err(error) => {
                let text = format!(
                    "cannot make {} ({error}): make its directory, or name another file",
                    path.display()
                );
                return Err(io::Error::new(error.kind(), text));
            }
        };
        let tokens = Self { path: path.to_owned(), known: Mutex::default() };
        let known = Known::read(path)?;
        if let Some(fault) = known.faults.first() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, fault.clone()));
        }
        *tokens.lock() = known;
        Ok((tokens, made))
    }

    /// Whose secret this is. It takes as long for any secret of a length, whomever it belongs to.
    pub(crate) fn caller(&self, secret: &str) -> Option<Caller> {
        let digest: [u8; 32] = Sha256::digest(secret).into();
        let known = self.current();
        let mut found = 0u64;
        for (place, token) in (1u64..).zip(&known.tokens) {
            let is_it: Choice = token.digest.ct_eq(&digest);
            found.conditional_assign(&place, is_it);
        }
        let place = usize::try_from(found).ok()?.checked_sub(1)?;
        known.tokens.get(place).map(|token| token.caller.clone())
    }

    /// Whether a token of this caller is still in the file.
    pub(crate) fn has(&self, caller: &Caller) -> bool {
        self.current().tokens.iter().any(|token| token.caller == *caller)
    }

    /// Whether no token lets anybody in.
    pub(crate) fn are_none(&self) -> bool {
        self.current().tokens.is_empty()
    }

    /// What was found wrong with the file since this was asked last.
    pub(crate) fn take_faults(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().faults)
    }

    /// What the file says now.
    fn current(&self) -> MutexGuard<'_, Known> {
        let mut known = self.lock();
        let version = Version::of(&self.path).ok();
        if version.is_none() || version != known.version {
            *known = Known::read(&self.path).unwrap_or_else(|error| Known {
                faults: vec![format!("{error}: nobody is let in until it can be read")],
                ..Known::default()
            });
        }
        known
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    #[expect(clippy::disallowed_methods, reason = "the file of tokens belongs to no workspace")]
    fn read(path: &Path) -> io::Result<Self> {
        let of =
            |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let version = Version::of(path).map_err(of)?;
        if !version.is_regular {
            // A pipe would be waited for.
            return Err(of(io::Error::new(io::ErrorKind::InvalidInput, "this is no regular file")));
        }
        let text = std::fs::read_to_string(path).map_err(of)?;
        let mut known = Self { version: Some(version), ..Self::default() };
        for (line, text) in (1..).zip(text.lines()) {
            match parse(text) {
                Ok(None) => {}
                Ok(Some(token))
                    if known.tokens.iter().any(|it| it.caller.name == token.caller.name) =>
                {
                    known
                        .faults
                        .push(format!("{}:{line}: the name is taken already", path.display()));
                }
                Ok(Some(token)) => known.tokens.push(token),
                Err(fault) => known.faults.push(format!("{}:{line}: {fault}", path.display())),
            }
        }
        if version.mode & 0o077 != 0 {
            // They may have the secrets, or have written some of their own.
            known.tokens.clear();
            known.faults.push(format!(
                "{}: others can read it, so nobody is let in; take the right from them (chmod 600), and replace each \
                 secret that is written in it as it is",
                path.display()
            ));
        }
        Ok(known)
    }
}

/// Makes a file with one token that may do everything.
///
/// # Errors
/// The file is there, or cannot be written, or the system has no randomness.
fn make(path: &Path) -> io::Result<Made> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    let secret = secret()?;
    let text = format!(
        "# NAME SCOPES SECRET: scopes are read, write or both; the secret has {SECRET_MIN} characters or more,\n\
         # or is its digest, sha256:HEX. A line that is taken out lets nobody in any more, at once.\n\
         default read,write sha256:{}\n",
        hex(&Sha256::digest(&secret))
    );
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    Ok(Made { name: "default", secret })
}

fn secret() -> io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(format!("{PREFIX}{}", hex(&bytes)))
}

/// A name that nobody guesses.
///
/// # Errors
/// The system has no randomness.
pub(crate) fn unguessable() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(hex(&bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The token of a line, if it has one.
///
/// # Errors
/// One sentence, which repeats nothing of the line.
fn parse(line: &str) -> Result<Option<Token>, &'static str> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let mut words = line.split_whitespace();
    let (Some(name), Some(scopes), Some(secret), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err("a line is NAME SCOPES SECRET");
    };
    if name.len() > 32
        || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    {
        return Err("a name has at most 32 letters, digits, dots, dashes or underscores");
    }
    let (mut may_read, mut may_write) = (false, false);
    for scope in scopes.split(',') {
        match scope {
            "read" => may_read = true,
            "write" => (may_read, may_write) = (true, true),
            _ => return Err("scopes are read, write or read,write"),
        }
    }
    if !may_read {
        return Err("scopes are read, write or read,write");
    }
    let digest = match secret.strip_prefix("sha256:") {
        Some(digits) => unhex(digits).ok_or("a digest is sha256: and 64 digits")?,
        None if secret.len() < SECRET_MIN => return Err("a secret has 32 characters or more"),
        None => Sha256::digest(secret).into(),
    };
    let [a, b, c, d, e, f, g, h, ..] = digest;
    let secret = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
    Ok(Some(Token { caller: Caller { name: Some(name.to_owned()), may_write, secret }, digest }))
}

fn unhex(digits: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if digits.len() != 64 || !digits.is_ascii() {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(name: &str, may_write: bool) -> (Option<String>, bool) {
        (Some(name.to_owned()), may_write)
    }

    #[test]
    fn a_line_has_a_name_scopes_and_a_secret_or_its_digest() {
        let secret = "s".repeat(SECRET_MIN);
        let digest = format!("sha256:{}", hex(&Sha256::digest(&secret)));
        let of = |line: &str| {
            parse(line).map(|token| token.map(|it| (it.caller.name, it.caller.may_write)))
        };
        assert_eq!(of(""), Ok(None));
        assert_eq!(of(" # alice read x"), Ok(None));
        assert_eq!(of(&format!("alice read {secret}")), Ok(Some(caller("alice", false))));
        assert_eq!(of(&format!("bob read,write {secret}")), Ok(Some(caller("bob", true))));
        assert_eq!(parse(&format!("a write {secret}")), parse(&format!("a write {digest}")));
        for wrong in [
            "alice read",
            &format!("alice read {secret} more"),
            &format!("alice admin {secret}"),
            &format!("a/b read {secret}"),
            "alice read short",
            "alice read sha256:00",
        ] {
            let fault = of(wrong).unwrap_err();
            assert!(!fault.contains(&secret), "{fault}");
        }
    }

    #[test]
    fn a_new_secret_of_the_same_name_is_another_caller() {
        let caller = |letter: &str| {
            let line = format!("alice read {}", letter.repeat(SECRET_MIN));
            parse(&line).unwrap().unwrap().caller
        };
        assert!(caller("a") == caller("a") && caller("a") != caller("b"));
    }

    #[test]
    fn secrets_differ_and_are_long() {
        let (one, other) = (secret().unwrap(), secret().unwrap());
        assert_ne!(one, other);
        assert_eq!(one.len(), PREFIX.len() + 64);
    }
}
