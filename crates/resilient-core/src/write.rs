//! Single-file writes: create, overwrite, append and replace.
//!
//! A write that is answered with a [`WriteReceipt`] is on disk: content, name and journal row. One
//! that is answered with an error has changed nothing, except for [`Error::OutcomeUnknown`].
//!
//! An overwrite keeps the file's permission bits, owner, extended attributes and links; a replace
//! keeps every byte around what it replaces. Content that is in place already is not written. What is
//! added to a file is spelled in its encoding and with its line ends; an overwrite writes the bytes
//! that it was given unless it is asked for more, and says when that changes the file's form.

mod appended;
mod rules;
pub(crate) mod shrink;
mod spelling;

use memchr::memmem;
use serde::Serialize;

use crate::checked::Checked;
use crate::commit::{Committer, Journaled, Old, WriteContext, is_written_in_place};
use crate::contents::{Content, form_of, read_whole};
use crate::digest::Digest;
use crate::disk::{Owner, read_up_to};
use crate::edit::{self, Edited, Refusal};
use crate::error::{Draft, Error, Result, WayOut};
use crate::form::{Asked, AskedEncoding, Encoding, Form, FormChange, FormPolicy, Guess, Spelling};
use crate::journal::Mode;
use crate::policy::Policy;
use crate::redact::{self, MARK, Overwritten, Wish};
use crate::risk::{Findings, Verdict};
use crate::roots::{Git, Target};
use crate::screen::Screen;

pub use self::spelling::asked;
pub(crate) use self::spelling::{form_before, unspellable, whole};

pub(crate) use self::appended::is_appended;
pub(crate) use self::rules::Rules;
use self::spelling::{added, is_mid_line, spelled};

pub use crate::commit::APPEND_IN_PLACE_FROM;

/// What to do when the file exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteMode {
    /// Refuse.
    Create,
    /// Replace its content.
    Overwrite,
    /// Add to its end.
    Append,
}

/// One file to be written.
#[derive(Clone, Debug)]
pub struct WriteRequest {
    /// The path as the agent writes it.
    pub path: String,
    /// What the file shall hold, or what is added to it.
    pub content: String,
    /// What to do when the file exists.
    pub mode: WriteMode,
    /// The digest that the file must have before, in hex; `""` for a file that must not exist.
    pub expected_prev_sha256: Option<String>,
    /// Refuses content of this verdict or a higher one; a policy may demand as much without being asked.
    pub reject_at: Option<Verdict>,
    /// Refuses a file that would have a syntax error, as far as its name tells its format.
    pub validate: bool,
    /// The encoding and the line ends.
    pub form: Asked,
    /// Takes content that is notably shorter than the file although a line of it stands for text that it
    /// leaves out, such as `... existing code ...`.
    pub allow_shrink: bool,
}

/// One text to be replaced in a file.
#[derive(Clone, Debug)]
pub struct ReplaceRequest {
    /// The path as the agent writes it.
    pub path: String,
    /// The text to be replaced.
    pub old_string: String,
    /// The text that takes its place.
    pub new_string: String,
    /// How often it must occur; -1 for as often as it does.
    pub count: i64,
    /// As in [`WriteRequest`].
    pub expected_prev_sha256: Option<String>,
    /// As in [`WriteRequest`], for what the edit adds to the file: what the file holds already is not
    /// judged again.
    pub reject_at: Option<Verdict>,
    /// As in [`WriteRequest`], for the file as it would be.
    pub validate: bool,
    /// What the file is read as, and the line ends of the new text.
    pub form: Asked,
    /// As in [`WriteRequest`], for an edit that takes much of the file away and has such a line in its place.
    pub allow_shrink: bool,
}

/// A file that is durably written and journaled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WriteReceipt {
    /// The path as it is reported; where the path was a link, its target's.
    pub path: String,
    /// The absolute path with all links resolved.
    pub abs_path: String,
    /// Digest of the whole file.
    pub sha256: Digest,
    /// Length of the whole file.
    pub bytes: u64,
    /// What was done.
    pub mode_applied: Mode,
    /// The journal row.
    pub journal_id: String,
    /// When.
    pub wrote_at: String,
    /// How many occurrences were replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replacements: Option<u64>,
    /// Length of the file before; absent for one that did not exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prev_bytes: Option<u64>,
    /// Digest of the file before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prev_sha256: Option<Digest>,
    /// Set when the file belongs to another user or group than before, since this process may not give it away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner_changed: Option<OwnerChange>,
    /// Set when the content was in place already and the file was not touched.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unchanged: bool,
    /// What was found in content that was judged and passed.
    #[serde(flatten)]
    pub findings: Findings,
    /// What the check of the file said, where one was asked for.
    #[serde(flatten)]
    pub checked: Option<Checked>,
    /// The file's form, where it is not UTF-8 without a byte order mark and with `\n`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<Form>,
    /// Set when an overwrite gave the file another encoding or other line ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form_changed: Option<FormChange>,
    /// Set when the text began with a byte order mark, which was left out: it would stand in the middle of the file.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub bom_dropped: bool,
    /// Set when the file had no newline at its end, so that the text that was added goes on in its last line.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub joined_mid_line: bool,
    /// For a new file, the paths beside it that differ only by case or by Unicode normalisation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub twins: Vec<String>,
}

impl WriteReceipt {
    fn with_form(self, form: Form, old: Option<Form>) -> Self {
        Self {
            form: Some(form).filter(|form| !form.is_plain()),
            form_changed: old.and_then(|old| Form::change(old, form)),
            ..self
        }
    }
}

/// Whom a file belonged to before a write, and belongs to now, as numbers of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct OwnerChange {
    /// The user before.
    pub old_user: u32,
    /// The group before.
    pub old_group: u32,
    /// The user now.
    pub new_user: u32,
    /// The group now.
    pub new_group: u32,
}

impl OwnerChange {
    /// The change from one owner to another; nothing where they are the same.
    pub(crate) fn of(old: Owner, new: Owner) -> Option<Self> {
        (old != new).then_some(Self {
            old_user: old.user,
            old_group: old.group,
            new_user: new.user,
            new_group: new.group,
        })
    }
}

pub(crate) fn git(policy: &Policy) -> Git {
    if policy.allow_git { Git::Open } else { Git::Protected }
}

/// So much of a file's end is judged together with what is added to it: longer than any token.
const END_LEN: u64 = 8 * 1024;

/// Judges the content of a write.
///
/// # Errors
/// It is refused: [`Error::Blocked`].
pub(crate) fn judge(
    store: &Committer,
    request: &WriteRequest,
    screen: &Screen,
) -> Result<Findings> {
    let WriteRequest { path, content, mode, .. } = request;
    if screen.is_on()
        && let Some((target, end)) = end_of(store, path, *mode, screen.policy())?
    {
        return screen.check_behind(path, &target, &end, content);
    }
    screen.check(&store.roots, path, content)
}

/// The file that an append adds to, if it exists, and the text at its end, if that is UTF-8.
pub(crate) fn end_of(
    store: &Committer,
    path: &str,
    mode: WriteMode,
    policy: &Policy,
) -> Result<Option<(Target, String)>> {
    if mode == WriteMode::Append
        && let Ok(target) = store.roots.writable(path, git(policy))
        && let Some(stat) = target.stat
        && let Ok(file) = target.dir.open(&target.name)
    {
        let from = stat.len.saturating_sub(END_LEN);
        let mut end = vec![0; usize::try_from(stat.len - from).unwrap_or_default()];
        let read = read_up_to(&*file, &mut end, from)
            .map_err(|source| Error::os(target.shown.clone(), "read", source))?;
        let end = end.get(..read).unwrap_or_default();
        let is_inside = |byte: &u8| *byte & 0b1100_0000 == 0b1000_0000;
        let cut = end.iter().position(|byte| !is_inside(byte)).unwrap_or(end.len());
        let end = end.get(cut..).and_then(|end| str::from_utf8(end).ok()).unwrap_or_default();
        let end = end.to_owned();
        return Ok(Some((target, end)));
    }
    Ok(None)
}

/// Checks the syntax of the content of a write that asks for it. What an append makes of its file is
/// known under the lock alone, and checked there.
///
/// # Errors
/// The file would have a syntax error; its path is refused.
pub(crate) fn checked(
    store: &Committer,
    request: &WriteRequest,
    policy: &Policy,
) -> Result<Option<Checked>> {
    if !request.validate || request.mode == WriteMode::Append {
        return Ok(None);
    }
    let shown = store.roots.writable(&request.path, git(policy))?.shown;
    Checked::of(&shown, request.content.as_bytes()).map(Some)
}

/// Writes one file, whose content is judged already.
pub(crate) fn write(
    store: &Committer,
    request: WriteRequest,
    policy: &Policy,
) -> Result<WriteReceipt> {
    write_redacted(store, request, policy, None)
}

/// Writes one file whose content may be the redaction of the content with the given digest, which
/// is then the one that its marks may be written over.
pub(crate) fn write_redacted(
    store: &Committer,
    request: WriteRequest,
    policy: &Policy,
    redacted_from: Option<Digest>,
) -> Result<WriteReceipt> {
    let checked = checked(store, &request, policy)?;
    let WriteRequest {
        path,
        content,
        mode,
        expected_prev_sha256,
        form: asked,
        validate,
        allow_shrink,
        ..
    } = request;
    let guard = Guard::of(&content, policy);
    let form = policy.form.clone();
    // Digested here, where calls run in parallel, and not under the lock.
    let content = Content::of(content.into_bytes());
    let rules = Rules::of(policy);
    store.submit(move |op| {
        let target = op.store.roots.writable(&path, rules.git)?;
        op.claim(&target)?;
        if mode == WriteMode::Append {
            let expected = expected_prev_sha256.as_deref();
            let how = Appending { asked, policy: &form, validate, expected, rules };
            return append(op, target, &content, &how);
        }
        if mode == WriteMode::Create && target.stat.is_some() {
            let sha256 = match op.look(&target) {
                Err(error @ Error::Deferred) => return Err(error),
                // What may not be read exists all the same.
                old => old.ok().flatten().map(|old| old.digest),
            };
            return Err(Error::AlreadyExists { path: target.shown, sha256, since: None });
        }
        let old = match &guard {
            Some(guard) => match op.old_content(&target)? {
                Some((old, bytes, _)) if Some(old.digest) != redacted_from => {
                    check(&target, Some(&old), expected_prev_sha256.as_deref())?;
                    guard.check(&target, &bytes, &content.bytes)?;
                    Some(old)
                }
                found => found.map(|(old, ..)| old),
            },
            None => op.old(&target)?,
        };
        check(&target, old.as_ref(), expected_prev_sha256.as_deref())?;
        if let (Some(old), false) = (&old, allow_shrink) {
            shrink::check(&target, old, &content.bytes, || op.old_bytes(&target))?;
        }
        let journal_mode = match mode {
            WriteMode::Create => Mode::Create,
            _ => Mode::Overwrite,
        };
        let (spelling, old_form) = whole(op, &target, old.as_ref(), asked, &form)?;
        let content = spelled(&content, spelling, &target.shown)?;
        let new_form = Form::at_ends(&content.bytes).spelled(spelling);
        let receipt = put(op, target, old.as_ref(), &content, journal_mode, rules)?;
        Ok(WriteReceipt { checked: checked.clone(), ..receipt.with_form(new_form, old_form) })
    })
}

/// Replaces text in one file.
pub(crate) fn replace(
    store: &Committer,
    request: ReplaceRequest,
    screen: Screen,
) -> Result<WriteReceipt> {
    let ReplaceRequest {
        path,
        old_string,
        new_string,
        count,
        expected_prev_sha256,
        validate,
        form,
        allow_shrink,
        ..
    } = request;
    if old_string.is_empty() {
        return Err(Error::EmptyOldString { path });
    }
    if count == 0 {
        return Err(Error::CountZero { path });
    }
    let policy = screen.policy();
    let rules = Rules::of(policy);
    let target = store.roots.writable(&path, rules.git)?;
    if target.stat.is_none() {
        return Err(Error::FileNotFound { near: store.roots.nearby(&path), path: target.shown });
    }
    let guard = Guard::of(&new_string, policy);
    // Judged here, where calls run in parallel; under the lock only if the file has changed by then.
    let edit = |bytes: &[u8]| edit::replace_in(bytes, &old_string, &new_string, count, form);
    let mut judged = judge_edit(&screen, &target, edit, &new_string).map_err(of_edit)?;
    store.submit(move |op| {
        let target = op.store.roots.writable(&path, rules.git)?;
        op.claim(&target)?;
        let Some((old, bytes, prefixes)) = op.old_content(&target)? else {
            return Err(Error::FileNotFound { path: target.shown, near: Vec::new() });
        };
        check(&target, Some(&old), expected_prev_sha256.as_deref())?;
        let edited = edit::replace_in(&bytes, &old_string, &new_string, count, form)
            .map_err(|refusal| refused(refusal, &target.shown, &old_string))?;
        if judged.of != Some(old.digest) && screen.is_on() {
            let found = screen
                .check_added(&target.shown, &bytes, &edited.content, &new_string)
                .map_err(of_edit)?;
            judged = Judged { of: Some(old.digest), findings: found };
        }
        if let Some(guard) = &guard {
            guard.check(&target, &bytes, &edited.content)?;
        }
        if !allow_shrink {
            shrink::check_edit(&target, &bytes, &edited.content, &new_string)?;
        }
        let checked = match validate {
            true => Some(Checked::of(&target.shown, &edited.content)?),
            false => None,
        };
        let content = Content::instead_of(&bytes, &prefixes, edited.content);
        drop(bytes);
        let new_form = match form.encoding {
            AskedEncoding::Named { encoding, .. } => {
                Form::at_ends(&content.bytes).spelled(Spelling { encoding, ..Spelling::RAW })
            }
            _ => Form::at_ends(&content.bytes),
        };
        let receipt = put(op, target, Some(&old), &content, Mode::Replace, rules)?;
        let mut receipt = receipt.with_form(new_form, None);
        receipt.replacements = Some(edited.replacements);
        receipt.bom_dropped = edited.bom_dropped;
        receipt.findings = judged.findings.clone();
        receipt.checked = checked;
        Ok(receipt)
    })
}

/// Says of a draft that it is the new text of an edit.
fn of_edit(mut error: Error) -> Error {
    if let Error::Blocked { draft: Some(draft), .. } = &mut error
        && let Draft::Here(unkept) = &mut **draft
    {
        unkept.is_edit = true;
    }
    error
}

/// What an edit adds to the file of a digest, judged.
struct Judged {
    of: Option<Digest>,
    findings: Findings,
}

/// Judges an edit of a file as it is now, or of what the caller sends where the edit does not fit: a secret
/// is refused as one, whatever else is wrong with the call.
fn judge_edit(
    screen: &Screen,
    target: &Target,
    edit: impl FnOnce(&[u8]) -> std::result::Result<Edited, Refusal>,
    new_string: &str,
) -> Result<Judged> {
    let none = Judged { of: None, findings: Findings::default() };
    if !screen.is_on() {
        return Ok(none);
    }
    let os = |source| Error::os(target.shown.clone(), "read", source);
    let file = target.dir.open(&target.name).map_err(os)?;
    let before = read_whole(&*file, &target.shown)?;
    match edit(&before) {
        Ok(edited) => {
            let found = screen.check_added(&target.shown, &before, &edited.content, new_string)?;
            Ok(Judged { of: Some(Digest::of(&before)), findings: found })
        }
        Err(_) => screen.check_state(&target.shown, new_string).map(|_| none),
    }
}

/// Keeps marks in new content from being written over the values that they stand for.
pub(crate) struct Guard {
    policy: Policy,
}

impl Guard {
    /// A guard for content that has marks; nothing for any other, which is spared the comparison.
    pub(crate) fn of(content: &str, policy: &Policy) -> Option<Self> {
        memmem::find(content.as_bytes(), MARK).map(|_| Self::new(policy))
    }

    /// A guard for whatever content.
    pub(crate) fn new(policy: &Policy) -> Self {
        Self { policy: policy.clone() }
    }

    /// Refuses new content that has a mark where the old has a value.
    pub(crate) fn check(&self, target: &Target, old: &[u8], new: &[u8]) -> Result<()> {
        let text = |bytes| Guess::of(bytes).encoding.text_of(bytes);
        let (old, new) = (text(old), text(new));
        match redact::guard(&old, &new, &self.policy.risk) {
            None => Ok(()),
            Some(Overwritten { mark, line, old_line }) => {
                let found = redact::redact(&old, &self.policy.risk, &Wish::default());
                let is_found = found
                    .is_ok_and(|it| it.replaced.iter().any(|place| place.from.line == old_line));
                let way_out = if is_found { WayOut::Redact } else { WayOut::Edit };
                let path = target.shown.clone();
                Err(Error::MarkOverValue { path, mark, line, old_line, way_out })
            }
        }
    }
}

/// Compares a file's digest with what the caller believes it to be.
pub(crate) fn check(target: &Target, old: Option<&Old>, expected: Option<&str>) -> Result<()> {
    let Some(expected) = expected else { return Ok(()) };
    let actual = old.map(|old| old.digest);
    if actual.map_or(expected.is_empty(), |digest| digest.is_meant_by(expected)) {
        return Ok(());
    }
    let (path, expected) = (target.shown.clone(), expected.to_owned());
    Err(Error::Stale { path, expected, actual, since: None })
}

/// Stages and publishes the whole content of a file, unless it is in place.
pub(crate) fn put(
    op: &mut WriteContext<'_>,
    target: Target,
    old: Option<&Old>,
    content: &Content,
    mode: Mode,
    rules: Rules,
) -> Result<WriteReceipt> {
    let at = Place::of(&target, old);
    let (digest, bytes) = (content.digest, content.bytes.len() as u64);
    if let Some(old) = old {
        if old.digest == digest {
            let journaled = op.confirm(&target, old, mode)?;
            return Ok(WriteReceipt {
                unchanged: true,
                ..at.receipt(digest, bytes, mode, journaled)
            });
        }
        rules.check(&target, old)?;
    }
    let staged = op.stage(&target, content)?;
    let twins = if old.is_none() { op.store.roots.twins(&target) } else { Vec::new() };
    let journaled = op.publish(staged, target, old, mode)?;
    let owner_changed = old.and_then(|old| owner_change(op, old));
    Ok(WriteReceipt { owner_changed, twins, ..at.receipt(digest, bytes, mode, journaled) })
}

/// Whether the file that was published last has another owner than the one that it takes the place of.
pub(crate) fn owner_change(op: &WriteContext<'_>, old: &Old) -> Option<OwnerChange> {
    let new = op.new_file()?.rights().ok()?.owner?;
    OwnerChange::of(old.file.rights().ok()?.owner?, new)
}

/// How content is added to a file.
struct Appending<'a> {
    asked: Asked,
    policy: &'a FormPolicy,
    validate: bool,
    expected: Option<&'a str>,
    rules: Rules,
}

fn append(
    op: &mut WriteContext<'_>,
    target: Target,
    content: &Content,
    how: &Appending<'_>,
) -> Result<WriteReceipt> {
    let begins = target.stat.as_ref().is_none_or(|stat| stat.len == 0);
    let keeps_mark = begins || how.asked.encoding == AskedEncoding::Raw;
    match content.bytes.strip_prefix(Encoding::Utf8.mark()) {
        Some(rest) if !keeps_mark => {
            let receipt = append_as_it_is(op, target, &Content::of(rest.to_vec()), how)?;
            Ok(WriteReceipt { bom_dropped: true, ..receipt })
        }
        _ => append_as_it_is(op, target, content, how),
    }
}

fn append_as_it_is(
    op: &mut WriteContext<'_>,
    target: Target,
    content: &Content,
    how: &Appending<'_>,
) -> Result<WriteReceipt> {
    let Appending { asked, policy, validate, expected, rules } = *how;
    let is_in_place =
        target.stat.as_ref().is_some_and(is_written_in_place) && !content.bytes.is_empty();
    if expected.is_none() {
        op.follows(is_in_place);
    }
    let check_whole = |target: &Target, old: &[u8], added: &[u8]| match validate {
        true => Checked::of(&target.shown, &[old, added].concat()).map(Some),
        false => Ok(None),
    };
    if is_in_place {
        let Some((old, before)) = op.old_for_append(&target)? else {
            return Err(Error::Deferred);
        };
        check(&target, Some(&old), expected)?;
        rules.check(&target, &old)?;
        let (form, tail) = form_of(&*old.file, old.stat.len)
            .map_err(|source| Error::os(target.shown.clone(), "read", source))?;
        let joined_mid_line = is_mid_line(form, &tail, content);
        let (added, form) = added(content, asked, form, &tail, old.stat.len, &target.shown)?;
        let checked = match validate {
            true => check_whole(&target, &op.old_bytes(&target)?, &added.bytes)?,
            false => None,
        };
        let at = Place::of(&target, Some(&old));
        let bytes = old.stat.len + added.bytes.len() as u64;
        let form = form.with_added(&added.bytes);
        let (journaled, digest) = op.append(target, &old, &before, added.bytes)?;
        let receipt = at.receipt(digest, bytes, Mode::Append, journaled).with_form(form, None);
        return Ok(WriteReceipt { checked, joined_mid_line, ..receipt });
    }
    let found = op.old_content(&target)?;
    check(&target, found.as_ref().map(|(old, ..)| old), expected)?;
    let (old, bytes, prefixes) = match found {
        Some(found) if !found.1.is_empty() => found,
        // IMPORTANT: no second look. Another program may have begun the file since.
        found => {
            let old = found.map(|(old, ..)| old);
            let (spelling, _) = whole(op, &target, old.as_ref(), asked, policy)?;
            let content = spelled(content, spelling, &target.shown)?;
            let checked = check_whole(&target, &[], &content.bytes)?;
            let form = Form::at_ends(&content.bytes).spelled(spelling);
            let receipt = put(op, target, old.as_ref(), &content, Mode::Append, rules)?;
            return Ok(WriteReceipt { checked, ..receipt.with_form(form, None) });
        }
    };
    let form = Form::of(&bytes);
    let joined_mid_line = is_mid_line(form, &bytes, content);
    let (added, form) = added(content, asked, form, &bytes, old.stat.len, &target.shown)?;
    let checked = check_whole(&target, &bytes, &added.bytes)?;
    let form = form.with_added(&added.bytes);
    let whole = [bytes.as_slice(), &added.bytes].concat();
    let whole = Content::instead_of(&bytes, &prefixes, whole);
    let receipt = put(op, target, Some(&old), &whole, Mode::Append, rules)?.with_form(form, None);
    Ok(WriteReceipt { checked, joined_mid_line, ..receipt })
}

fn refused(refusal: Refusal, path: &str, old_string: &str) -> Error {
    let (path, old_string) = (path.to_owned(), old_string.to_owned());
    match refusal {
        Refusal::EmptyOldString => Error::EmptyOldString { path },
        Refusal::CountZero => Error::CountZero { path },
        Refusal::NotUtf8 { message, is_utf32, nearest, diagnosis } => {
            Error::NotUtf8 { path, message, is_utf32, nearest, diagnosis }
        }
        Refusal::NotFound { nearest, diagnosis } => {
            Error::OldStringNotFound { path, old_string, nearest, diagnosis }
        }
        Refusal::InsufficientMatches { expected, actual } => {
            Error::InsufficientMatches { path, old_string, expected, actual }
        }
        Refusal::AmbiguousMatch { expected, actual, lines } => {
            Error::AmbiguousMatch { path, old_string, expected, actual, lines }
        }
        Refusal::Unencodable { encoding, character, offset, line } => {
            Error::Unencodable { path, encoding, character, offset, line }
        }
        Refusal::UnsureEncoding { encoding, character, line } => {
            Error::UnsureEncoding { path, encoding, character, line }
        }
    }
}

/// What a receipt says of the file before, kept while the target goes its way.
struct Place {
    path: String,
    abs_path: String,
    before: Option<(u64, Digest)>,
}

impl Place {
    fn of(target: &Target, old: Option<&Old>) -> Self {
        Self {
            path: target.shown.clone(),
            abs_path: target.path.to_string_lossy().into_owned(),
            before: old.map(|old| (old.stat.len, old.digest)),
        }
    }

    fn receipt(self, sha256: Digest, bytes: u64, mode: Mode, journaled: Journaled) -> WriteReceipt {
        WriteReceipt {
            path: self.path,
            abs_path: self.abs_path,
            sha256,
            bytes,
            mode_applied: mode,
            journal_id: journaled.journal_id,
            wrote_at: journaled.ts,
            replacements: None,
            prev_bytes: self.before.map(|(bytes, _)| bytes),
            prev_sha256: self.before.map(|(_, sha256)| sha256),
            owner_changed: None,
            unchanged: false,
            findings: Findings::default(),
            checked: None,
            form: None,
            form_changed: None,
            bom_dropped: false,
            joined_mid_line: false,
            twins: Vec::new(),
        }
    }
}
