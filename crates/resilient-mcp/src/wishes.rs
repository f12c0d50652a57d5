//! What one client wants to be told unasked: changes of resources, and log messages of a level.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[expect(deprecated, reason = "clients of the versions with a handshake use it")]
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use serde_json::{Value, json};

use crate::updates::{Subject, Update};

/// So many resources may one client have watched.
pub(crate) const WATCHED_MAX: usize = 1024;

/// Who speaks in a log message.
const LOGGER: &str = "recovery";

/// The wishes of a client.
#[derive(Debug, Default)]
pub(crate) struct Wishes {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// What is watched, by the address that the client gave.
    watched: HashMap<String, Subject>,
    /// The lowest level of messages; without one there are none.
    #[expect(deprecated, reason = "see above")]
    level: Option<LoggingLevel>,
}

/// What to tell one client.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Told {
    /// The resource with this address has changed.
    Updated(String),
    /// A log message.
    #[expect(deprecated, reason = "see above")]
    Message(LoggingMessageNotificationParam),
}

#[expect(deprecated, reason = "see above")]
impl Wishes {
    /// Watches a resource; `false` if the client has too many watched.
    pub(crate) fn watch(&self, uri: String, subject: Subject) -> bool {
        let mut inner = self.lock();
        let has_room = inner.watched.len() < WATCHED_MAX || inner.watched.contains_key(&uri);
        if has_room {
            inner.watched.insert(uri, subject);
        }
        has_room
    }

    /// Watches it no more.
    pub(crate) fn forget(&self, uri: &str) {
        self.lock().watched.remove(uri);
    }

    /// Sends messages of this level and above.
    pub(crate) fn log_from(&self, level: LoggingLevel) {
        self.lock().level = Some(level);
    }

    /// What an update is for this client.
    pub(crate) fn told(&self, update: &Update) -> Vec<Told> {
        let inner = self.lock();
        match update {
            Update::Changed(changed) => {
                let watched = inner.watched.iter().filter(|(_, subject)| *subject == changed);
                watched.map(|(uri, _)| Told::Updated(uri.clone())).collect()
            }
            Update::Recovered(notice) => {
                let notice = serde_json::to_value(&**notice).unwrap_or_default();
                let Some(from) = inner.level else { return Vec::new() };
                let message = message(&notice).filter(|it| is_from(it.level, from));
                message.map(Told::Message).into_iter().collect()
            }
        }
    }

    /// All that is watched, for a client that has missed updates.
    pub(crate) fn all(&self) -> Vec<Told> {
        self.lock().watched.keys().cloned().map(Told::Updated).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The messages for the notices that an answer has, of a level and above.
#[expect(deprecated, reason = "see above")]
pub(crate) fn messages(answer: &Value, from: LoggingLevel) -> Vec<LoggingMessageNotificationParam> {
    let notices = answer.get("notices").or_else(|| answer.get("context")?.get("notices"));
    let notices = notices.and_then(Value::as_array).into_iter().flatten();
    notices.filter_map(message).filter(|message| is_from(message.level, from)).collect()
}

/// Whether a level is this one or above it: the SDK lists them from the lowest to the highest.
#[expect(deprecated, reason = "see above")]
fn is_from(level: LoggingLevel, from: LoggingLevel) -> bool {
    level as u8 >= from as u8
}

/// A notice of recovery as a log message.
#[expect(deprecated, reason = "see above")]
fn message(notice: &Value) -> Option<LoggingMessageNotificationParam> {
    let level = match notice.get("about")?.as_str()? {
        "finished" | "withdrawn" | "abandoned" => LoggingLevel::Notice,
        _ => LoggingLevel::Warning,
    };
    Some(LoggingMessageNotificationParam::new(level, json!(notice)).with_logger(LOGGER))
}

#[cfg(test)]
#[expect(deprecated, reason = "see above")]
mod tests {
    use std::sync::Arc;

    use resilient_core::recovery::About;

    use super::*;
    use crate::seam::Notice;

    fn recovered(about: About) -> Update {
        Update::Recovered(Arc::new(Notice { about, path: None, text: "so".to_owned() }))
    }

    #[test]
    fn a_client_is_told_of_what_it_watches_alone() {
        let wishes = Wishes::default();
        let file = |path: &str| Subject::File(path.into());
        assert!(wishes.watch("rw://file/a".to_owned(), file("/w/a")));
        assert!(wishes.watch("rw://file/./a".to_owned(), file("/w/a")));
        let told = |subject| wishes.told(&Update::Changed(subject)).len();
        assert_eq!((told(file("/w/a")), told(file("/w/b")), told(Subject::Journal)), (2, 0, 0));
        wishes.forget("rw://file/a");
        assert_eq!(told(file("/w/a")), 1);
        assert_eq!(wishes.all(), [Told::Updated("rw://file/./a".to_owned())]);
    }

    #[test]
    fn what_is_watched_is_bounded() {
        let wishes = Wishes::default();
        let watch = |n: usize| wishes.watch(format!("rw://file/{n}"), Subject::Journal);
        assert!((0..WATCHED_MAX).all(watch) && !watch(WATCHED_MAX) && watch(0));
    }

    #[test]
    fn messages_are_sent_to_those_who_asked_from_their_level_on() {
        let wishes = Wishes::default();
        let told = |about| wishes.told(&recovered(about)).len();
        assert_eq!(told(About::Pending), 0, "nobody has asked");
        wishes.log_from(LoggingLevel::Warning);
        assert_eq!((told(About::Finished), told(About::Pending)), (0, 1));
        wishes.log_from(LoggingLevel::Debug);
        assert_eq!(told(About::Finished), 1);
    }

    #[test]
    fn the_notices_of_an_answer_are_found_in_success_and_failure() {
        let notices = json!([{"about": "cut", "text": "so"}, {"about": "finished", "text": "so"}]);
        let of = |answer: Value, level| messages(&answer, level).len();
        assert_eq!(of(json!({"ok": true, "notices": notices}), LoggingLevel::Info), 2);
        assert_eq!(of(json!({"context": {"notices": notices}}), LoggingLevel::Warning), 1);
        assert_eq!(of(json!({"ok": true}), LoggingLevel::Debug), 0);
    }
}
