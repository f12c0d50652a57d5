//! A user and a password that stand beside each other in a sentence or a pipe of a shell: `Default credentials: bob / …`,
//! `Login: bob:…`, `echo "bob:…" | chpasswd`, `echo '…' | docker login --password-stdin`.

use std::ops::Range;

use memchr::memmem;

use super::super::keywords::{Keyword, KeywordHit};
use super::super::work;
use super::judge::{Stand, is_password};
use super::nearby::is_said;
use super::{ValueHit, line_around, near, row};

/// Reads the password on the line of a word for logins, or before one that takes it from a pipe.
pub(super) fn password(text: &[u8], said: KeywordHit) -> Option<ValueHit> {
    let candidates = match said.word {
        Keyword::Pair | Keyword::Credential => beside(text, said),
        Keyword::Password if reads(text, said) => piped(text, said.start),
        Keyword::Key => of_auth(text, said),
        _ => return None,
    };
    let is_one = |span: &Range<usize>| {
        let value = text.get(span.clone()).unwrap_or_default();
        // What a command is given from a pipe is a password, of whatever form.
        let shows = said.word == Keyword::Password || is_said(value);
        shows && is_password(value, Stand::Literal, Keyword::Password)
    };
    let span = candidates.into_iter().find(is_one)?;
    Some(ValueHit { family: "generic_secret", name: "assigned_password", span })
}

/// The words behind a slash on a line, and what stands behind the colon of a word that follows a place.
fn beside(text: &[u8], KeywordHit { start, end, .. }: KeywordHit) -> Vec<Range<usize>> {
    let line = line_around(text, start);
    let words = text.get(line.clone()).unwrap_or_default();
    work::spend(words.len() / 4);
    // Names of things begin with a capital: `Chrome / Safari17`.
    let is_user = |at: usize| {
        let before = words.get(..at).unwrap_or_default().trim_ascii_end();
        let name = before.rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
        let name = name.strip_prefix(b"`").unwrap_or(name);
        name.len() > 1 && name.first().is_some_and(u8::is_ascii_lowercase) && name != b"login"
    };
    let slashes = memmem::find_iter(words, b"/ ").chain(memmem::find_iter(words, b"/`"));
    let slashes = slashes.filter(|at| is_user(*at));
    let mut found: Vec<_> = slashes.map(|at| word(text, line.start + at + 1)).collect();
    let rest = text.get(end..line.end).unwrap_or_default();
    let blanks = rest.iter().take_while(|byte| b"s: \t*".contains(byte)).count();
    let next = word(text, end + blanks);
    found.extend(behind_colon(text, next));
    found
}

/// What stands behind the user of basic authentication: `BASIC_AUTH=bob:…`.
fn of_auth(text: &[u8], KeywordHit { start, end, .. }: KeywordHit) -> Vec<Range<usize>> {
    let before = start.checked_sub(1).and_then(|at| text.get(at));
    // `oauth` names a protocol.
    let is_auth = !before.is_some_and(u8::is_ascii_alphabetic)
        && near(text, start, end - start).eq_ignore_ascii_case(b"auth");
    let signs = row(text, end, 4, b"\"'=: ");
    let is_assigned = near(text, end, signs).iter().any(|byte| b"=:".contains(byte));
    let pair = (is_auth && is_assigned).then(|| word(text, end + signs));
    pair.and_then(|pair| behind_colon(text, pair)).into_iter().collect()
}

/// Tells whether a word is that of a command or an option which reads a password from a pipe: `--password-stdin`, `chpasswd`.
fn reads(text: &[u8], KeywordHit { start, end, .. }: KeywordHit) -> bool {
    let rest = near(text, end, 10);
    let command = || text.get(..start).is_some_and(|before| before.ends_with(b"ch"));
    rest == b"word-stdin" || rest.starts_with(b"wd") && command()
}

/// What a command writes into the pipe that a word stands behind.
fn piped(text: &[u8], word_start: usize) -> Vec<Range<usize>> {
    const COMMANDS: [&[u8]; 2] = [b"echo ", b"printf "];
    let before = line_around(text, word_start).start..word_start;
    let line = text.get(before.clone()).unwrap_or_default();
    let pipe = memmem::rfind(line, b" | ");
    let Some(line) = pipe.and_then(|pipe| line.get(..pipe)) else { return Vec::new() };
    let begin = |command: &&[u8]| memmem::rfind(line, command).map(|at| at + command.len());
    let Some(at) = COMMANDS.iter().find_map(begin) else { return Vec::new() };
    let written = line.get(at..).unwrap_or_default();
    let options = if written.starts_with(b"-n ") { 3 } else { 0 };
    let whole = word(text, before.start + at + options);
    behind_colon(text, whole.clone()).into_iter().chain([whole]).collect()
}

/// The word at a place, without quotes around it and signs of the sentence behind it.
fn word(text: &[u8], at: usize) -> Range<usize> {
    const WORD_MAX: usize = 100;
    let rest = near(text, at, WORD_MAX);
    work::spend(rest.len() / 4);
    let is_quote = |byte: &&u8| b" \"'`*".contains(byte);
    let lead = rest.iter().take_while(is_quote).count();
    let body = rest.get(lead..).unwrap_or_default();
    let is_in =
        |byte: &&u8| (byte.is_ascii_graphic() || !byte.is_ascii()) && !b"\"'`".contains(byte);
    let body = body.get(..body.iter().take_while(is_in).count()).unwrap_or_default();
    let tail = body.iter().rev().take_while(|byte| b".,;)".contains(byte)).count();
    let body = body.get(..body.len() - tail).unwrap_or_default();
    let body = body.strip_suffix(b"**").unwrap_or(body);
    at + lead..at + lead + body.len()
}

/// What stands behind the colon of a word that begins with the name of a user.
fn behind_colon(text: &[u8], word: Range<usize>) -> Option<Range<usize>> {
    let said = text.get(word.clone())?;
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.@-".contains(byte);
    let user = said.iter().take_while(is_name).count();
    (user > 1 && said.get(user) == Some(&b':')).then_some(word.start + user + 1..word.end)
}

#[cfg(test)]
mod tests {
    use super::super::tests::found;

    #[test]
    fn a_password_beside_a_user_is_found() {
        for value in ["Summer2024!", "q7Rk9zPw2mX4b"] {
            for text in [
                format!("Default credentials: bob / {value}\n"),
                format!("Login: bob:{value}\n"),
                format!("Use `bob` / `{value}` to log in.\n"),
                format!("Login with bob / {value}.\n"),
                format!("Credentials: `bob`/`{value}`\n"),
                format!("Set the password to {value}.\n"),
                format!("- Password \u{2013} {value}\n"),
                format!("Das Passwort ist {value}.\n"),
                format!("page.getByLabel('Mot de passe').fill('{value}');\n"),
                format!("echo '{value}' | docker login -u bob --password-stdin\n"),
                format!("RUN echo \"root:{value}\" | chpasswd\n"),
                format!("echo \"stage30:{value}\" | chpasswd\n"),
                format!("await login(\"bob\", \"{value}\")\n"),
                format!("| password | {value} |\n"),
                format!("Password: **{value}**\n"),
                format!("jwt.sign({{ id }}, '{value}', {{ expiresIn: '1h' }});\n"),
                format!("bcrypt.hash('{value}', 10)\n"),
                format!("User.objects.create_user(\"bob\", \"b@example.org\", \"{value}\")\n"),
                format!("auth().preemptive().basic(\"bob\", \"{value}\")\n"),
            ] {
                let hits = [("assigned_password", value)];
                assert_eq!(found(&text), hits, "{text}");
            }
        }
    }

    #[test]
    fn a_password_of_basic_authentication_is_found() {
        let text = "BASIC_AUTH=admin:Summer2024!\n";
        assert_eq!(found(text), [("assigned_password", "Summer2024!")]);
    }

    #[test]
    fn what_stands_beside_other_words_is_none() {
        for text in [
            "login / logout / Db-Main-2024\n",
            "urn:ietf:params:oauth:thumbprint:sha-256:q7Rk9zPw2mX4b\n",
            "Login via GitHub / GitLab16!\n",
            "- Fix login / FleetNode12! (#123)\n",
            "jwt.verify(t, f\"v1:{ts}:{body}\")\n",
            "hmac.new(key, f\"v1:{ts}:{body}\".encode(), \"sha256\")\n",
            "fernet.decrypt(b\"q7Rk9zPw2mX4bVt8Ls3Yc6Hg1Jd5Nf0K\")\n",
            "JWT.require(Algorithm.HMAC256(secret)).withAudience(\"q7Rk9zPw2mX4bVt8\")\n",
            "The login is at https://a.b / c.\n",
            "Login: bob@example.org\n",
            "echo \"password ok\" | tee Log-2024.txt\n",
            "hmac.new(key, \"POST/q7Rk9zPw2mX4b/v2\".encode(), \"sha256\").hexdigest() == \"q7Rk9zPw2mX4b\"\n",
            "expect(jwt.decode(t).nonce).toBe('q7Rk9zPw2mX4b')\n",
            "create_user(\"bob\", \"Atlas-Core-12\")\n",
            "bcrypt.compare(a, \"$2b$10$N9qo8uLOickgx2ZMRZoMye\")\n",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }
}
