//! A bounded list of findings of one kind.

use crate::report::Item;

/// How many findings of one kind are spelled out.
const ITEMS_MAX: usize = 50;

/// Findings of one kind; the ones beyond [`ITEMS_MAX`] are only counted.
#[derive(Default)]
pub(super) struct Findings {
    items: Vec<Item>,
    omitted: usize,
    first_omitted: Option<Item>,
}

impl Findings {
    /// Adds the finding that `item` makes, which is asked only while there is room.
    pub(super) fn add(&mut self, item: impl FnOnce() -> Item) {
        if self.items.len() < ITEMS_MAX {
            self.items.push(item());
        } else {
            self.omitted += 1;
            if self.first_omitted.is_none() {
                self.first_omitted = Some(item());
            }
        }
    }

    /// The findings, with the rest told as one last item in the place of the first of them.
    pub(super) fn into_items(self) -> Vec<Item> {
        let Self { mut items, omitted, first_omitted } = self;
        items.extend(first_omitted.map(|first| match omitted {
            1 => first,
            _ => Item { message: format!("{}; and {} more", first.message, omitted - 1), ..first },
        }));
        items
    }
}
