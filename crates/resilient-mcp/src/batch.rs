//! Batches of protocol version 2025-03-26: several messages on one line, whose replies go out on one line.
//!
//! A batch is open until each of its requests is answered or cancelled. One of which nothing is to be answered
//! has no reply.

use std::collections::HashMap;

use rmcp::model::RequestId;

/// The replies of one batch.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    replies: Vec<Vec<u8>>,
    awaited: usize,
}

/// The batches of which replies are still to come.
#[derive(Debug, Default)]
pub(crate) struct Batches {
    open: HashMap<u64, Batch>,
    /// Which batch a request belongs to.
    of: HashMap<RequestId, u64>,
    next: u64,
}

impl Batch {
    /// Adds a reply.
    pub(crate) fn add(&mut self, reply: Vec<u8>) {
        self.replies.push(reply);
    }

    /// All replies as one, unless there are none.
    fn whole(self) -> Option<Vec<u8>> {
        let all = self.replies.join(&b","[..]);
        (!self.replies.is_empty()).then(|| [b"[", all.as_slice(), b"]"].concat())
    }
}

impl Batches {
    /// Begins a batch whose requests are these; gives its reply if none of them is to be awaited.
    pub(crate) fn begin(&mut self, mut batch: Batch, requests: Vec<RequestId>) -> Option<Vec<u8>> {
        batch.awaited = requests.len();
        if batch.awaited == 0 {
            return batch.whole();
        }
        self.next += 1;
        self.of.extend(requests.into_iter().map(|id| (id, self.next)));
        self.open.insert(self.next, batch);
        None
    }

    /// Whether the reply to a request belongs to a batch.
    pub(crate) fn has(&self, id: &RequestId) -> bool {
        self.of.contains_key(id)
    }

    /// Notes the reply to a request, or that there will be none; gives the reply of the batch if it was the last.
    pub(crate) fn settle(&mut self, id: &RequestId, reply: Option<Vec<u8>>) -> Option<Vec<u8>> {
        let number = self.of.remove(id)?;
        let batch = self.open.get_mut(&number)?;
        batch.replies.extend(reply);
        batch.awaited = batch.awaited.saturating_sub(1);
        if batch.awaited > 0 {
            return None;
        }
        self.open.remove(&number).and_then(Batch::whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: i64) -> RequestId {
        RequestId::Number(number)
    }

    #[test]
    fn a_batch_is_answered_when_its_last_request_is() {
        let mut batches = Batches::default();
        let mut first = Batch::default();
        first.add(b"0".to_vec());
        assert_eq!(batches.begin(first, vec![id(1), id(2)]), None);
        assert_eq!(batches.begin(Batch::default(), vec![id(3)]), None);
        assert_eq!(batches.settle(&id(2), Some(b"2".to_vec())), None);
        assert_eq!(batches.settle(&id(3), Some(b"3".to_vec())), Some(b"[3]".to_vec()));
        assert_eq!(batches.settle(&id(1), Some(b"1".to_vec())), Some(b"[0,2,1]".to_vec()));
        assert!(!batches.has(&id(1)) && batches.open.is_empty() && batches.of.is_empty());
    }

    #[test]
    fn what_is_cancelled_is_not_waited_for() {
        let mut batches = Batches::default();
        assert_eq!(batches.begin(Batch::default(), vec![id(1), id(2)]), None);
        assert_eq!(batches.settle(&id(1), None), None);
        assert_eq!(batches.settle(&id(2), Some(b"2".to_vec())), Some(b"[2]".to_vec()));
        assert_eq!(batches.begin(Batch::default(), vec![id(4)]), None);
        assert_eq!(batches.settle(&id(4), None), None, "nothing is to be answered");
        assert_eq!(batches.begin(Batch::default(), Vec::new()), None);
    }
}
