//! What recovery sees: the model's disk as a unit for the product's judge.

use resilient_core::unit::{self, Change, KnownBy, Mark, Rows, Slot, Target, Unit};

use crate::disk::{Content, File, NONE, copy, old, second, slot, staged, target};
use crate::model::Model;
use crate::world::{Kind, World};

impl Model {
    /// The file that change `i` publishes.
    pub(crate) fn file(&self, i: usize) -> File {
        if self.kinds[i].is_link() { old(i + 1) } else { staged(i) }
    }

    /// What that file holds as it is published.
    pub(crate) fn published_content(&self, i: usize) -> Content {
        if self.kinds[i].is_link() { Content::Old } else { Content::New }
    }

    pub(crate) fn observe(&self, world: &World) -> Unit {
        let mark = match (world.log.conflict && self.rules.conflict_is_final, world.log.void) {
            (true, _) => Some(Mark::Conflict),
            (false, true) => Some(Mark::Void),
            (false, false) => None,
        };
        Unit {
            rows: Rows { found: world.log.rows, of: self.kinds.len() },
            mark,
            is_copy: world.is_copied && self.rules.copy_is_known,
            changes: (0..self.kinds.len()).map(|i| self.change(world, i)).collect(),
        }
    }

    fn change(&self, world: &World, i: usize) -> Change {
        let kind = self.kinds[i];
        let mut change = Change {
            kind: match kind {
                Kind::Create | Kind::LinkCreate => unit::Kind::Create,
                Kind::Exchange | Kind::LinkExchange => unit::Kind::Exchange,
                Kind::Replace => unit::Kind::Replace,
                Kind::Remove => unit::Kind::Remove,
            },
            known_by: if world.is_copied && self.rules.copy_is_known {
                KnownBy::Content
            } else {
                KnownBy::Identity
            },
            slot: self.slot(world, i),
            before: (kind == Kind::Replace).then(|| self.second(world, i)),
            target: self.target(world, i),
        };
        if !self.rules.remove_has_slot && kind == Kind::Remove && change.slot == Slot::Gone {
            // A name that was only planned: nothing is there yet.
            change.slot = Slot::Whole;
        }
        if !self.rules.rename_has_slot && kind.is_link() {
            let is_there = world.disk.at(target(i)) == self.file(i);
            change.slot = if is_there { Slot::Gone } else { Slot::Whole };
        }
        change
    }

    fn slot(&self, world: &World, i: usize) -> Slot {
        let file = world.disk.at(slot(i));
        if file == NONE {
            return Slot::Gone;
        }
        let content = world.disk.content(file);
        let staged_content = match self.kinds[i] {
            Kind::Remove => Content::Empty,
            _ => self.published_content(i),
        };
        if world.is_copied {
            let is_link = self.kinds[i].is_link();
            return match content {
                _ if !self.rules.copy_is_known => Slot::Other,
                content if content == staged_content && !is_link => Slot::Whole,
                // The old content of both names may be the same.
                Content::Old if is_link && file == self.file(i) => Slot::Whole,
                Content::Empty => Slot::Damaged,
                Content::Old => Slot::Before,
                _ => Slot::Other,
            };
        }
        if file == self.file(i) {
            return if content == staged_content { Slot::Whole } else { Slot::Damaged };
        }
        if file == staged(i) {
            return Slot::Damaged;
        }
        match content {
            Content::Old if file == old(i) => Slot::Before,
            _ if file == old(i) => Slot::Touched,
            _ => Slot::Other,
        }
    }

    fn second(&self, world: &World, i: usize) -> Slot {
        match world.disk.at(second(i)) {
            NONE => Slot::Gone,
            file if file == copy(i) && world.disk.content(file) == Content::Old => Slot::Whole,
            _ => Slot::Damaged,
        }
    }

    pub(crate) fn target(&self, world: &World, i: usize) -> Target {
        let file = world.disk.at(target(i));
        if world.is_blind && i == 1 {
            return Target::Unseen;
        }
        if file == NONE {
            return Target::Absent;
        }
        let content = world.disk.content(file);
        if world.is_copied && !self.rules.copy_is_known {
            return Target::Other;
        }
        let is = |one: File| world.is_copied || file == one;
        if is(self.file(i)) && content == self.published_content(i) && !self.is_ambiguous(world, i)
        {
            return Target::New;
        }
        if is(old(i)) && content == Content::Old && !self.kinds[i].creates() {
            return Target::Old;
        }
        Target::Other
    }

    /// In a copy of a rename over a file of the same content nothing tells the two.
    fn is_ambiguous(&self, world: &World, i: usize) -> bool {
        world.is_copied && self.kinds[i] == Kind::LinkExchange && world.disk.at(target(i)) == old(i)
    }
}
