//! The names that lead to what a row published.

use std::io;

use super::obstacle::Obstacle;
use crate::disk::SyncItem;
use crate::error::Error;
use crate::journal::Row;
use crate::roots::Git;
use crate::state::State;
use crate::store::Store;

/// Makes durable the names that lead to what a row published: its process may have died between
/// the rename and the sync.
pub(super) fn sync_names(store: &Store, state: &State, row: &Row) -> Result<(), Obstacle> {
    let also = row.also.iter().map(|also| also.abs_path.as_str());
    for path in also.chain(row.abs_path.as_deref()) {
        // What is not there any more, or not for this process, has no name to be made durable.
        let target = match store.row_target(state, path, Git::Open) {
            Err(Error::Os { source, .. }) if source.kind() != io::ErrorKind::NotFound => {
                return Err(source.into());
            }
            Err(_) => continue,
            Ok(target) => target,
        };
        for item in
            store.directories_above(&target)?.into_iter().chain([target.dir]).map(SyncItem::Dir)
        {
            item.sync()?;
        }
    }
    Ok(())
}
