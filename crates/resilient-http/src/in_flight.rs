//! The ids of the requests that are at work in each session. The SDK finds the request of an answer by its id alone.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::RequestId;

/// The requests at work, by session and id.
#[derive(Clone, Debug, Default)]
pub(crate) struct InFlight(Arc<Mutex<HashSet<(String, RequestId)>>>);

/// A request at work, until it is dropped.
#[derive(Debug)]
pub(crate) struct Entered {
    of: InFlight,
    key: (String, RequestId),
}

impl InFlight {
    /// Enters a request of a session; `None` while another request of this session has its id.
    pub(crate) fn enter(&self, session: &str, id: &RequestId) -> Option<Entered> {
        let key = (session.to_owned(), id.clone());
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(key.clone()).then(|| Entered { of: self.clone(), key })
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.of.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_taken_once_at_a_time_in_each_session() {
        let (seven, text) = (RequestId::Number(7), RequestId::String("7".into()));
        let at_work = InFlight::default();
        let first = at_work.enter("a", &seven);
        assert!(first.is_some() && at_work.enter("a", &seven).is_none());
        assert!(at_work.enter("b", &seven).is_some() && at_work.enter("a", &text).is_some());
        drop(first);
        assert!(at_work.enter("a", &seven).is_some());
    }
}
