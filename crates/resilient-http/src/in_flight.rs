//! The ids of the requests that are at work in each session. The SDK finds the request of an answer by its id alone.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

/// The requests at work, by session and id.
#[derive(Clone, Debug, Default)]
pub(crate) struct InFlight(Arc<Mutex<HashSet<(String, String)>>>);

/// A request at work, until it is dropped.
#[derive(Debug)]
pub(crate) struct Entered {
    of: InFlight,
    key: (String, String),
}

impl InFlight {
    /// Enters a request of a session; `None` while another request of this session has its id.
    pub(crate) fn enter(&self, session: &str, id: &Value) -> Option<Entered> {
        let key = (session.to_owned(), id.to_string());
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(key.clone()).then(|| Entered { of: self.clone(), key })
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.of.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}

/// The id of a request.
pub(crate) fn id_of(body: &[u8]) -> Option<Value> {
    let mut message: Value = serde_json::from_slice(body).ok()?;
    message.get_mut("id").map(Value::take).filter(|id| !id.is_null())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_id_is_taken_once_at_a_time_in_each_session() {
        let at_work = InFlight::default();
        let first = at_work.enter("a", &json!(7));
        assert!(first.is_some() && at_work.enter("a", &json!(7)).is_none());
        assert!(
            at_work.enter("b", &json!(7)).is_some() && at_work.enter("a", &json!("7")).is_some()
        );
        drop(first);
        assert!(at_work.enter("a", &json!(7)).is_some());
    }
}
