//! How the text of a write becomes bytes of the file: by what the call asks for, what the policy says and
//! what the file is found to have.

use crate::commit::{Old, WriteContext};
use crate::contents::{Content, form_of};
use crate::declared::declared;
use crate::error::{Error, Result};
use crate::form::{
    self, Asked, AskedEncoding, AskedEol, Encoding, Eol, Form, FormPolicy, Spelling, Unspellable,
};
use crate::roots::Target;

/// The encoding and the line ends that a caller names; `encoding` is `keep`, `raw` or a name.
///
/// # Errors
/// The encoding is not known.
pub fn asked(encoding: Option<&str>, eol: AskedEol) -> Result<Asked> {
    let unknown = |label: &str| Error::WriteEncoding { encoding: label.to_owned() };
    let parse = |label: &str| label.parse().map_err(|()| unknown(label));
    Ok(Asked { encoding: encoding.map_or(Ok(AskedEncoding::Unsaid), parse)?, eol })
}

/// How the whole content of a file is to be spelled, and the form of the file that it replaces.
pub(crate) fn whole(
    op: &WriteContext<'_>,
    target: &Target,
    old: Option<&Old>,
    asked: Asked,
    policy: &FormPolicy,
) -> Result<(Spelling, Option<Form>)> {
    let Some(form) = form_before(target, old)? else {
        return Ok((asked.of_new(declared(&op.store.roots, target, &policy.from)), None));
    };
    let asked = if policy.keep { asked.or_keep() } else { asked };
    Ok((asked.over(&form), Some(form)))
}

/// The form of the file that is replaced; nothing where there is none, or an empty one.
pub(crate) fn form_before(target: &Target, old: Option<&Old>) -> Result<Option<Form>> {
    let Some(old) = old.filter(|old| old.stat.len > 0) else { return Ok(None) };
    let found = form_of(&*old.file, old.stat.len);
    let (form, _) = found.map_err(|source| Error::os(target.shown.clone(), "read", source))?;
    Ok(Some(form))
}

/// Content as it is spelled.
pub(super) fn spelled(content: &Content, spelling: Spelling, path: &str) -> Result<Content> {
    // It was a text; what is none has nothing to be spelled.
    let text = str::from_utf8(&content.bytes).unwrap_or_default();
    let bytes = spelling.spell(text).map_err(|fault| unspellable(fault, path))?;
    Ok(bytes.map_or_else(|| content.clone(), Content::of))
}

/// What keeps a text from being spelled, as an error.
pub(crate) fn unspellable(fault: Unspellable, path: &str) -> Error {
    let Unspellable { encoding, character, line, offset, is_unsure } = fault;
    let (path, encoding) = (path.to_owned(), encoding.name());
    if is_unsure {
        Error::UnsureEncoding { path, encoding, character, line }
    } else {
        Error::Unencodable { path, encoding, character, offset, line }
    }
}

/// What is added to a file of this form, of which these are the last bytes; and what is said of the
/// form then.
pub(super) fn added(
    content: &Content,
    asked: Asked,
    form: Form,
    tail: &[u8],
    len: u64,
    path: &str,
) -> Result<(Content, Form)> {
    let spelling = asked.onto(&form);
    let keeps = matches!(asked.encoding, AskedEncoding::Unsaid | AskedEncoding::Keep);
    let (path_of, encoding) = (|| path.to_owned(), spelling.encoding.name());
    if keeps && form.is_binary() && !content.bytes.is_empty() {
        let encoding = if form.has_nul { "binary".to_owned() } else { encoding };
        return Err(Error::AppendToBinary { path: path_of(), encoding });
    }
    if asked.encoding != AskedEncoding::Raw && spelling.encoding.is_cut(tail, len) {
        return Err(Error::CutCharacter { path: path_of(), encoding });
    }
    let added = spelled(content, spelling, path)?;
    let form = match asked.encoding {
        AskedEncoding::Named { encoding, .. } => Form { encoding, is_sure: true, ..form },
        // All that was seen is ASCII, and what was not seen may be something else.
        _ if form.is_ascii && len > form::WHOLE && !added.bytes.is_ascii() => {
            Form { is_sure: false, ..form }
        }
        _ => form,
    };
    Ok((added, form))
}

/// Whether text that is added to a file of this form, of which these are the last bytes, goes on in its last line.
pub(super) fn is_mid_line(form: Form, tail: &[u8], added: &Content) -> bool {
    let ends = match form.encoding {
        Encoding::Utf16Le => tail.ends_with(b"\n\0"),
        Encoding::Utf16Be => tail.ends_with(b"\0\n"),
        _ if form.eol == Some(Eol::Cr) => tail.ends_with(b"\r"),
        _ => tail.ends_with(b"\n"),
    };
    let begins = added.bytes.starts_with(b"\n") || added.bytes.starts_with(b"\r\n");
    !tail.is_empty() && !added.bytes.is_empty() && !ends && !begins
}
