//! What an agent is told about a chunk session.

use serde_json::{Value, json};

use super::{Envelope, ErrorKind, ReasonHint, SuggestedAction, set, with_near};
use crate::error::{Error, UnknownParts, WhyUnknown};

/// The envelope of an error of a chunk session.
pub(super) fn envelope(error: &Error) -> Envelope {
    use ErrorKind::{PolicyViolation, StalePrecondition, WriteCorruption};
    use ReasonHint::{Encoding, Unknown};
    use SuggestedAction::{Abort, AskUser, RetryLater};

    let encoding = |context| Envelope::of(PolicyViolation, Encoding, Abort, context);
    let stale = |action, context| Envelope::of(StalePrecondition, Unknown, action, context);
    let corrupt = |context| Envelope::of(WriteCorruption, Encoding, Abort, context);

    match error {
        Error::SessionName { session } => encoding(json!({
            "session": session, "reason": "session_must_match_^[A-Za-z0-9_-]{1,64}$",
        })),
        Error::ChunkIndex { session, index } => encoding(json!({
            "session": session, "index": index, "reason": "index_must_be_int_in_1..999",
        })),
        Error::TotalExpected { session, total_expected } => encoding(json!({
            "session": session, "total_expected": total_expected,
            "reason": "total_expected_must_be_int_in_1..999",
        })),
        Error::IndexExceedsTotal { session, index, total_expected } => encoding(json!({
            "session": session, "index": index, "total_expected": total_expected,
            "reason": "index_exceeds_total_expected",
        })),
        Error::SessionComposed { session, expected, composed } => stale(
            AskUser,
            json!({
                "session": session, "reason": "session_composed", "composed": composed,
                "expected_prev_sha256": expected, "actual_prev_sha256": "",
            }),
        ),
        Error::ComposedBefore { session, path, actual, composed } => stale(
            AskUser,
            json!({
                "session": session, "path": path, "reason": "composed_before",
                "composed_before": composed, "actual_prev_sha256": actual,
            }),
        ),
        Error::AfterRefusedPart { session, part, refused, .. } => {
            let mut context =
                json!({"session": session, "part": part, "reason": "earlier_part_refused"});
            if let Some(refused) = refused {
                set(&mut context, "refused_part", json!(refused));
            }
            stale(AskUser, context)
        }
        Error::PartsUnknown(parts) => stale(AskUser, of_unknown_parts(parts)),
        Error::SessionNotFound { session, near, composed }
        | Error::NoChunks { session, near, composed } => {
            let reason = match error {
                Error::NoChunks { .. } => "no_chunks_found",
                _ => "session_not_found",
            };
            let context = json!({"session": session, "reason": reason});
            let mut context = with_near(context, near);
            if let Some(composed) = composed {
                set(&mut context, "composed", json!(composed));
            }
            stale(Abort, context)
        }
        Error::NonContiguous { session, have, missing, unexpected, total_expected } => {
            let mut context = json!({
                "session": session, "reason": "non_contiguous_chunks",
                "have": have, "missing": missing,
            });
            if let (Some(unexpected), Value::Object(map)) = (unexpected, &mut context) {
                map.insert("unexpected".into(), json!(unexpected));
            }
            if let Some(total) = total_expected {
                set(&mut context, "total_expected", *total);
            }
            stale(Abort, context)
        }
        Error::ChunkCount { session, have, total_expected } => {
            let mut context = json!({
                "session": session, "reason": "chunk_count_mismatch",
                "have": have, "total_expected": total_expected,
            });
            // There are no gaps.
            let (have, total) = (u32::try_from(*have).unwrap_or(u32::MAX), *total_expected);
            let (from, to, name) = match have < total {
                true => (have, total, "missing"),
                false => (total, have, "unexpected"),
            };
            let numbers: Vec<u32> = (from..=to).skip(1).collect();
            set(&mut context, name, json!(numbers));
            stale(Abort, context)
        }
        Error::SessionChanges { session } => {
            stale(RetryLater, json!({"session": session, "reason": "session_changes"}))
        }
        Error::ComposedNotUtf8 { session, message } => {
            corrupt(json!({"session": session, "reason": format!("composed_not_utf8: {message}")}))
        }
        Error::BadManifest { session, manifest, reason } => {
            corrupt(json!({"session": session, "manifest": manifest, "reason": reason}))
        }
        _ => corrupt(json!({"reason": "internal: no error of a session"})),
    }
}

fn of_unknown_parts(parts: &UnknownParts) -> Value {
    let UnknownParts { session, part, why, last_write, parts, composed } = parts;
    let reason = match why {
        WhyUnknown::NotListed => "parts_not_listed",
        WhyUnknown::BegunAnew | WhyUnknown::Changed => "part_of_another_client",
    };
    let mut context = json!({"session": session, "part": part, "reason": reason, "parts": parts});
    if *why != WhyUnknown::NotListed {
        set(&mut context, "begun_anew", *why == WhyUnknown::BegunAnew);
    }
    if let Some(last_write) = last_write {
        set(&mut context, "last_write", json!(last_write));
    }
    if let Some(composed) = composed {
        set(&mut context, "composed", json!(composed));
    }
    context
}
