//! Words that announce secrets. [`needles`](super::needles) finds them with all else that is looked for.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::byte_classes::ByteClasses;
use super::placeholder::before_mark;
use super::tables::SECRET_WORDS;

/// A value ends at most so far behind its word.
pub(super) const VALUE_REACH: usize = 160;

/// The `@` of an address stands at most so far behind its scheme.
pub(super) const AUTHORITY_REACH: usize = 300;

/// What a word says about what follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    Password,
    /// A word so short that it must stand alone, or end a name.
    ShortPassword,
    Secret,
    /// It must end a name: what its names go on with says what belongs to a credential.
    Credential,
    Key,
    Sql,
    Url,
    User,
    Basic,
    /// A command that is given a password.
    Command,
    /// One that is given it behind a blank, too.
    Login,
    /// The client of Redis.
    Redis,
    /// A sentence may name a user and a password: `bob / …`.
    Pair,
    /// A call that is given a secret among its arguments, to sign, to encrypt, to hash or to keep.
    Signing,
    /// A call whose arguments are a user and a password.
    Call,
    /// The identifier of a key of Amazon, in quotes.
    AwsId,
    /// A call that defines a constant.
    Constant,
    /// A slash stands between the user and the password of a database of Oracle.
    Oracle,
    /// An address of Go: what stands before it is a user and a password.
    Tcp,
    /// A port, perhaps in a line of `.pgpass`.
    Port,
    /// The user of a share.
    Share,
    /// It announces the code of a bank.
    Bank,
    /// It announces cookies.
    Cookie,
    /// The name in one of the paper's patterns, and a word for secrets.
    AwsSecret,
    /// It is a part of a dummy.
    Dummy,
}

/// The words that are looked for without regard to case.
pub(super) const KEYWORDS: [(&str, Keyword); 33] = [
    ("pass", Keyword::Password),
    ("pwd", Keyword::Password),
    // Passwords in other languages: Spanish, Portuguese, Dutch, German, Polish, Swedish, Russian, Chinese.
    ("contraseña", Keyword::Password),
    ("contrasena", Keyword::Password),
    ("senha", Keyword::Password),
    ("wachtwoord", Keyword::Password),
    ("kennwort", Keyword::Password),
    ("hasło", Keyword::Password),
    ("lösenord", Keyword::Password),
    ("пароль", Keyword::Password),
    ("密码", Keyword::Password),
    ("bindpw", Keyword::Password),
    ("rootpw", Keyword::Password),
    ("pw", Keyword::ShortPassword),
    ("psk", Keyword::ShortPassword),
    ("credential", Keyword::Credential),
    ("login", Keyword::Pair),
    ("log in", Keyword::Pair),
    ("jwt.", Keyword::Signing),
    ("hmac", Keyword::Signing),
    ("bcrypt", Keyword::Signing),
    ("fernet", Keyword::Signing),
    ("create_user", Keyword::Signing),
    ("securestring", Keyword::Password),
    ("secret", Keyword::Secret),
    ("pepper", Keyword::Secret),
    ("key", Keyword::Key),
    ("token", Keyword::Key),
    ("auth", Keyword::Key),
    ("://", Keyword::Url),
    ("bic", Keyword::Bank),
    ("cookie", Keyword::Cookie),
    ("ntified by", Keyword::Sql),
];

/// Words that are looked for as they are written.
pub(super) const CASED_KEYWORDS: [(&str, Keyword); 31] = [
    (" -u ", Keyword::User),
    ("--user ", Keyword::User),
    (" -b '", Keyword::Cookie),
    (" -b \"", Keyword::Cookie),
    ("asic ", Keyword::Basic),
    ("mysql", Keyword::Command),
    ("er login", Keyword::Login),
    ("redis-cli", Keyword::Redis),
    ("PDO", Keyword::Call),
    ("Connection", Keyword::Call),
    ("asicAuth", Keyword::Call),
    ("asic_auth", Keyword::Call),
    ("redential", Keyword::Call),
    (".login", Keyword::Call),
    ("equelize", Keyword::Call),
    ("cx_Oracle.connect", Keyword::Call),
    ("anager.CreateAsync", Keyword::Call),
    ("PasswordAsync", Keyword::Call),
    ("PasswordSignInAsync", Keyword::Call),
    ("PlainAuth", Keyword::Call),
    ("mptive().basic", Keyword::Call),
    ("\"AKIA", Keyword::AwsId),
    ("'AKIA", Keyword::AwsId),
    ("define", Keyword::Constant),
    ("@tcp(", Keyword::Tcp),
    ("oracle:thin:", Keyword::Oracle),
    ("sqlplus ", Keyword::Oracle),
    (":543", Keyword::Port),
    ("*:*:", Keyword::Port),
    ("/user:", Keyword::Share),
    ("xxxx", Keyword::Dummy),
];

/// A word in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeywordHit {
    pub(super) word: Keyword,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl KeywordHit {
    /// The word that ends at a place, or the longer name that it is a part of; nothing where no value
    /// can follow it, as it does most often.
    pub(super) fn of(
        text: &[u8],
        byte_classes: &ByteClasses,
        word: Keyword,
        start: usize,
        end: usize,
    ) -> Option<Self> {
        const NAME: &[u8] = b"aws_secret_access_key";
        if word == Keyword::Secret
            && let Some(start) = start.checked_sub(4)
            && let Some(name) = text.get(start..start + NAME.len())
            && name.eq_ignore_ascii_case(NAME)
        {
            return Some(Self { word: Keyword::AwsSecret, start, end: start + NAME.len() });
        }
        // Most values have a digit, and what follows shows the password of an address.
        let can_follow = match word {
            Keyword::Url | Keyword::Cookie | Keyword::Pair => true,
            Keyword::Bank => is_assigned(text, byte_classes, end),
            Keyword::Key | Keyword::Secret | Keyword::Credential => {
                is_assigned(text, byte_classes, end) || is_column(text, start, end)
            }
            Keyword::Password | Keyword::ShortPassword => {
                is_assigned(text, byte_classes, end)
                    || ends_cell(behind_name(text, byte_classes, end))
                    || has_digit(byte_classes, end)
                    // It takes the password from a pipe.
                    || text.get(end..).is_some_and(|rest| rest.starts_with(b"word-stdin"))
            }
            _ => has_digit(byte_classes, end),
        };
        can_follow.then_some(Self { word, start, end })
    }
}

/// Tells whether a digit stands where a value may, behind a word that ends at a place.
fn has_digit(byte_classes: &ByteClasses, end: usize) -> bool {
    byte_classes.digit.next(end, end + VALUE_REACH).is_some()
}

/// The byte behind the letters and digits that a name goes on with.
fn behind_name(text: &[u8], byte_classes: &ByteClasses, end: usize) -> Option<u8> {
    text.get(end + byte_classes.alnum.from(end).trailing_ones() as usize).copied()
}

/// Tells whether a sign, or what may stand before one, follows the letters and digits that a name goes on
/// with: most names end before brackets and commas.
fn is_assigned(text: &[u8], byte_classes: &ByteClasses, end: usize) -> bool {
    let is_sign = |byte: u8| b"_\"'`]\\ \t!:=>?".contains(&byte);
    behind_name(text, byte_classes, end).is_some_and(is_sign)
}

/// Tells whether a name may end there in the head of a table: the rows stand below it.
fn ends_cell(byte: Option<u8>) -> bool {
    byte.is_some_and(|byte| b",;|)\t\r\n".contains(&byte))
}

/// Tells whether a word may be the name of a column of tokens, or end one: `user,api_token`.
fn is_column(text: &[u8], start: usize, end: usize) -> bool {
    /// What makes a name of `key` is no longer: `private_`.
    const BEFORE: usize = 8;
    let word = text.get(start..end).unwrap_or_default();
    let name = || text.get(start.saturating_sub(BEFORE)..end).unwrap_or_default();
    let is_one = [&b"token"[..], b"secret"].iter().any(|known| word.eq_ignore_ascii_case(known));
    ends_cell(text.get(end).copied())
        && (is_one || word.eq_ignore_ascii_case(b"key") && names_key(name()))
}

/// Tells whether a name ends as that of a secret key: `api_key`, `API Key`, `secretKey`.
pub(super) fn names_key(name: &[u8]) -> bool {
    const KEYS: [&[u8]; 4] = [b"apikey", b"secretkey", b"privatekey", b"accesskey"];
    let letters = name.iter().filter(|byte| byte.is_ascii_alphanumeric());
    let letters: Vec<u8> = letters.map(u8::to_ascii_lowercase).collect();
    KEYS.iter().any(|key| letters.ends_with(key))
}

/// Tells whether a text has a word for secrets, alone or at the end of another word. Those of a mark, which stands for another
/// secret, do not count: `<REDACTED:generic_secret:1>`.
pub(super) fn has_secret_word(text: &[u8]) -> bool {
    let in_mark = |start: usize| text.get(..start).and_then(before_mark).is_some();
    static SEARCH: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
        AhoCorasick::builder().ascii_case_insensitive(true).build(SECRET_WORDS).ok()
    });
    let is_end = |end: usize| {
        let next = text.get(end).copied().unwrap_or(b' ');
        let last = text.get(end - 1).copied().unwrap_or(b' ');
        // A word of camel case ends before a capital.
        !next.is_ascii_alphabetic() || next.is_ascii_uppercase() && last.is_ascii_lowercase()
    };
    let mut found = SEARCH.iter().flat_map(|search| search.find_overlapping_iter(text));
    found.any(|word| is_end(word.end()) && !in_mark(word.start()))
}

#[cfg(test)]
mod tests {
    use super::super::text_index::TextIndex;
    use super::*;

    fn said(text: &str) -> Vec<(Keyword, usize, usize)> {
        let text_index = TextIndex::of(text.as_bytes());
        text_index.keywords.iter().map(|said| (said.word, said.start, said.end)).collect()
    }

    #[test]
    fn words_are_found_in_any_case_and_once() {
        let expected = [
            (Keyword::Key, 7, 10),
            (Keyword::Url, 12, 15),
            (Keyword::AwsSecret, 16, 37),
            (Keyword::Key, 34, 37),
        ];
        assert_eq!(said("My_API_Key x:// AWS_secret_Access_key 1"), expected);
        let starts: Vec<_> = said(&" Token1=".repeat(900)).iter().map(|said| said.1).collect();
        assert_eq!(starts, (0..900).map(|nth| nth * 8 + 1).collect::<Vec<_>>());
    }

    #[test]
    fn words_count_only_where_a_value_can_follow() {
        let gap = |len: usize| " ".repeat(len);
        assert_eq!(said(&format!("pass({}1", gap(158))), [(Keyword::Password, 0, 4)]);
        assert_eq!(said(&format!("pass({}1", gap(159))), []);
        for assigned in
            ["key: 1", "Key_name = 1", "x['keys'] = 1", "\"auth\" \"1", "secret1\t>1", "key = a"]
        {
            assert_eq!(said(assigned).len(), 1, "{assigned}");
        }
        for other in ["key)=1", "keys.1", "secret{ = 1", "token"] {
            assert_eq!(said(other), [], "{other}");
        }
        assert_eq!(said("aws_secret_access_key"), [(Keyword::AwsSecret, 0, 21)]);
    }
}
