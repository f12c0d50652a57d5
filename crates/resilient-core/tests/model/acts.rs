//! What a process does to names: publishing, taking back, and clearing slots.

use crate::disk::{Content, NONE, kept, object, old, second, slot, target};
use crate::model::{Label, Model};
use crate::world::{End, Kind, Step, World};

impl Model {
    /// The last look at a target before it changes.
    pub(crate) fn is_as_looked_at(&self, world: &World, i: usize) -> bool {
        let file = world.disk.at(target(i));
        if self.kinds[i].creates() {
            return file == NONE;
        }
        file != NONE
            && world.disk.content(file) == Content::Old
            && (file == old(i) || !self.rules.identity)
    }

    pub(crate) fn publish(&self, world: &mut World, i: usize) -> bool {
        let there = world.disk.at(target(i));
        let kind = self.kinds[i];
        if (there == NONE) != kind.creates() {
            return false;
        }
        if kind != Kind::Remove && world.disk.at(slot(i)) == NONE {
            return false;
        }
        let disk = &mut world.disk;
        if kind.creates() {
            disk.rename(slot(i), target(i), self.persistence);
        } else if kind.exchanges() {
            disk.exchange(slot(i), target(i), self.persistence);
        } else if kind == Kind::Remove {
            disk.rename(target(i), slot(i), self.persistence);
        } else {
            // Whatever was saved since the last look is replaced: this window always stays open.
            if self.rules.last_look {
                world.forgive(there);
            }
            world.disk.rename(slot(i), target(i), self.persistence);
        }
        true
    }

    pub(crate) fn take_back(&self, world: &mut World, i: usize) -> bool {
        let is_free = world.disk.at(target(i)) == NONE;
        let kind = self.kinds[i];
        let disk = &mut world.disk;
        if kind.creates() {
            if is_free || disk.at(slot(i)) != NONE {
                return false;
            }
            disk.rename(target(i), slot(i), self.persistence);
        } else if kind.exchanges() {
            if is_free || disk.at(slot(i)) == NONE {
                return false;
            }
            disk.exchange(slot(i), target(i), self.persistence);
        } else if kind == Kind::Remove {
            if !is_free {
                return false;
            }
            disk.rename(slot(i), target(i), self.persistence);
        } else {
            let there = disk.at(target(i));
            if self.rules.look_before_back {
                world.forgive(there);
            }
            world.disk.rename(second(i), target(i), self.persistence);
        }
        true
    }

    /// A conflict's slot is emptied: what is not empty goes to `conflicts/`.
    pub(crate) fn shelve(&self, world: &mut World, i: usize) {
        for name in [slot(i), second(i)] {
            let file = world.disk.at(name);
            if file == NONE {
                continue;
            }
            let is_shelved = world.disk.content(file) != Content::Empty
                && name == slot(i)
                && world.disk.at(kept(i)) == NONE;
            self.tell(world, name);
            if is_shelved {
                world.disk.rename(name, kept(i), self.persistence);
            }
        }
    }

    pub(crate) fn sweep(&self, world: &mut World, i: usize) {
        for name in [slot(i), second(i)] {
            let file = world.disk.at(name);
            if file == NONE {
                continue;
            }
            let content = world.disk.content(file);
            let has_other_name =
                world.disk.at(target(0)) == file || world.disk.at(target(1)) == file;
            let is_known = match content {
                Content::Empty | Content::New => true,
                Content::Old => name == second(i),
                Content::Edit(_) => false,
            };
            let goes = is_known && !world.keep.has(i) || has_other_name || !self.rules.sweep_spares;
            if goes {
                world.disk.set(name, NONE, false);
            } else {
                self.tell(world, name);
                if world.disk.at(kept(i)) == NONE {
                    world.disk.rename(name, kept(i), self.persistence);
                }
            }
        }
    }

    /// Somebody is told what lies at a name.
    pub(crate) fn tell(&self, world: &mut World, name: usize) {
        let file = world.disk.at(name);
        if file != NONE
            && let Content::Edit(k) = world.disk.content(file)
        {
            world.told.add(k.into());
        }
    }

    /// A before-image with other content than the row's gets a row of its own.
    pub(crate) fn tell_touched(&self, world: &mut World) {
        for i in 0..self.len() {
            let file = world.disk.at(slot(i));
            if file == old(i) || world.is_copied {
                self.tell(world, slot(i));
            }
        }
    }

    /// A before-image goes to `objects/`; the old name of a renamed file just goes.
    pub(crate) fn move_out(&self, world: &mut World, i: usize) {
        if !self.takes_out(i) {
            return;
        }
        self.tell(world, slot(i));
        let has_other_name = (0..2).any(|at| world.disk.at(target(at)) == old(i));
        let goes = has_other_name || !self.rules.renamed_file_is_kept;
        if self.is_old_name(i) && goes {
            world.disk.set(slot(i), NONE, false);
        } else {
            world.disk.rename(slot(i), object(i), self.persistence);
        }
    }

    /// What may happen while nobody works on the unit: its before-images leave, a later batch comes.
    pub(crate) fn rest_steps(&self, world: &World) -> Vec<(Label, World)> {
        let mut ways = Vec::new();
        if world.step != Step::Rest || !world.is_clean || world.is_retired || world.is_copied {
            return ways;
        }
        let kept_unit = world.end == Some(End::Kept) && world.log.rows == self.len();
        for i in (0..self.len()).filter(|_| kept_unit) {
            let stays = self.is_old_name(i) && self.rules.renamed_file_stays;
            if !stays && world.disk.at(slot(i)) == old(i) {
                let mut next = world.clone();
                self.move_out(&mut next, i);
                ways.push((("the before-image leaves its slot", i), next));
            }
        }
        let mut next = world.clone();
        next.is_retired = true;
        next.durable_log = next.log;
        if next.log.void && !next.log.conflict {
            (0..self.len()).for_each(|i| self.sweep(&mut next, i));
        } else if kept_unit {
            let renamed = |i: &usize| self.is_old_name(*i) && next.disk.at(slot(*i)) == old(*i);
            if let Some(i) = (0..self.len()).find(renamed) {
                self.move_out(&mut next, i);
            }
        }
        ways.push((("a later batch is durable", 0), next));
        ways
    }
}
