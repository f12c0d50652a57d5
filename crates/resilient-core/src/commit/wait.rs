//! A wait for the disk, of several changes together.

use std::collections::HashMap;
use std::io;

use crate::disk::{FileId, Stopwatch, SyncItem};
use crate::store::Store;

/// Things to be synced in parallel, each once, with the changes that stand and fall with it.
#[derive(Default)]
pub(super) struct Wait {
    items: Vec<SyncItem>,
    /// Of each item; none for what concerns all.
    owners: Vec<Vec<usize>>,
    places: HashMap<FileId, usize>,
}

impl Wait {
    /// Adds an item, and tells its place.
    pub(super) fn add(&mut self, item: SyncItem, owner: Option<usize>) -> usize {
        let id = match &item {
            SyncItem::Dir(dir) => dir.id(),
            SyncItem::File(file) => file.id(),
        };
        let id = id.ok();
        let place = id.and_then(|id| self.places.get(&id).copied()).unwrap_or_else(|| {
            self.items.push(item);
            self.owners.push(Vec::new());
            self.items.len() - 1
        });
        self.places.extend(id.map(|id| (id, place)));
        if let (Some(owner), Some(owners)) = (owner, self.owners.get_mut(place)) {
            owners.push(owner);
        }
        place
    }

    /// Waits; each item's changes and answer.
    pub(super) fn run(self, store: &Store) -> Vec<(Vec<usize>, io::Result<()>)> {
        if self.items.is_empty() {
            return Vec::new();
        }
        let watch = Stopwatch::start();
        let results = store.disk.sync_all(&self.items);
        store.figures.waited(watch.elapsed());
        self.owners.into_iter().zip(results).collect()
    }
}
