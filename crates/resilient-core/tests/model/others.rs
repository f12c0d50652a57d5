//! What happens to a unit from outside: crashes, copies, and the edits of people who take no lock.

use crate::disk::{Content, NONE, SLOTS, copy, dir_of, foreign, old, slot, staged, target};
use crate::model::{Label, Model};
use crate::world::{Kind, Step, World};

impl World {
    /// Nothing is owed any more of what only this file holds.
    pub(crate) fn forgive(&mut self, file: u8) {
        if file == NONE {
            return;
        }
        if let Content::Edit(k) = self.disk.content(file) {
            self.owed.remove(k.into());
        }
    }

    /// What people destroy themselves is not owed to them.
    fn forgive_what_is_gone(&mut self) {
        for k in 0..2 {
            if !self.disk.reaches(|_, content| content == Content::Edit(k)) {
                self.owed.remove(k.into());
            }
        }
    }

    /// Nor is the old content, where it was what they replaced.
    fn forgive_old(&mut self, file: u8) {
        for i in 0..2 {
            if file == old(i) || file == copy(i) {
                self.old_owed.remove(i);
            }
        }
    }
}

impl Model {
    pub(crate) fn crashes(&self, world: &World) -> Vec<(Label, World)> {
        let mut ways = Vec::new();
        if world.crashes >= self.bounds.crashes {
            return ways;
        }
        let mut crashed = world.clone();
        crashed.crashes += 1;
        crashed.step = Step::Crashed;
        crashed.is_recovering = false;
        crashed.is_blind = false;
        crashed.todo = crate::world::Set::default();
        crashed.published = crate::world::Set::default();
        crashed.keep = crate::world::Set::default();
        crashed.goal = crate::world::End::Kept;
        // Where all is done, or after another crash, a kill changes nothing.
        if world.step != Step::Crashed && !(world.step == Step::Rest) {
            ways.push((("kill", 0), crashed.clone()));
        }
        let is_edit_pending = world.disk.has_pending_edit();
        for disk in world.disk.losses(self.persistence) {
            for log in world.log.losses(world.durable_log) {
                let mut next =
                    World { disk: disk.clone(), log, durable_log: log, ..crashed.clone() };
                if is_edit_pending {
                    // An edit that persists without what was done before it replaces the old file.
                    next.forgive_what_is_gone();
                    for i in 0..self.kinds.len() {
                        if !next.disk.reaches(|file, _| file == old(i)) {
                            next.forgive_old(old(i));
                        }
                    }
                }
                if world.is_clean {
                    ways.push((("power fails, the marker stays", 0), next.clone()));
                }
                next.is_clean = false;
                ways.push((("power fails", 0), next));
            }
        }
        ways
    }

    /// Other ways to start after a crash: in a copy, or by a process that may not look everywhere.
    pub(crate) fn starts(&self, world: &World) -> Vec<(Label, World)> {
        let mut ways = Vec::new();
        if world.step == Step::Rest && !world.is_clean {
            ways.push((("another process", 0), World { step: Step::Crashed, ..world.clone() }));
        }
        if world.step != Step::Crashed || world.is_clean || world.is_retired {
            return ways;
        }
        if world.blind_runs < self.bounds.blind_runs {
            let blind_runs = world.blind_runs + 1;
            let (is_blind, is_recovering, step) = (true, true, Step::SyncRows);
            let next = World { blind_runs, is_blind, is_recovering, step, ..world.clone() };
            ways.push((("start: a process that sees only a part", 0), next));
        }
        if self.bounds.copies && !world.is_copied {
            let mut next = World { is_copied: true, ..world.clone() };
            next.disk.make_all_durable();
            next.durable_log = next.log;
            ways.push((("the directory is copied", 0), next));
        }
        ways
    }

    /// Everything that one person may do at one instant.
    pub(crate) fn edits(&self, world: &World) -> Vec<(Label, World)> {
        let mut ways = Vec::new();
        if world.edits >= self.bounds.edits || world.step == Step::Stage {
            return ways;
        }
        let k = world.edits;
        let mut push = |label: Label, edit: &dyn Fn(&mut World)| {
            let mut next = world.clone();
            next.edits += 1;
            edit(&mut next);
            next.forgive_what_is_gone();
            ways.push((label, next));
        };
        for i in 0..self.kinds.len() {
            let file = world.disk.at(target(i));
            let is_ours = match self.kinds[i] {
                Kind::Remove => file == NONE,
                _ => file == self.file(i),
            };
            let note = |world: &mut World| {
                // What people replace or delete is not owed to them.
                world.forgive_old(file);
                if !(0..2).any(|at| at != i && world.disk.at(target(at)) == file) {
                    world.forgive(file);
                }
                if is_ours {
                    world.changed_after.add(i);
                }
            };
            let save = |world: &mut World, content: Content| {
                note(world);
                let new = foreign(k.into());
                world.disk.write(new, content);
                world.disk.sync_file(new);
                world.disk.set(target(i), new, true);
            };
            push(("somebody saves a file at", i), &|world| {
                save(world, Content::Edit(k));
                world.owed.add(k.into());
            });
            push(("somebody saves and syncs a file at", i), &|world| {
                save(world, Content::Edit(k));
                world.owed.add(k.into());
                world.disk.sync(dir_of(target(i)), self.persistence);
            });
            if file != NONE && world.disk.content(file) == Content::Old {
                push(("somebody saves the same bytes at", i), &|world| save(world, Content::Old));
            }
            if file != NONE {
                push(("somebody writes into the file at", i), &|world| {
                    note(world);
                    world.disk.write(file, Content::Edit(k));
                    world.disk.sync_file(file);
                    world.owed.add(k.into());
                });
                push(("somebody deletes the file at", i), &|world| {
                    note(world);
                    world.deleted.add(i);
                    world.disk.set(target(i), NONE, true);
                });
            }
            let held = old(i);
            if !self.kinds[i].creates()
                && file != held
                && world.disk.reaches(|file, _| file == held)
                && !(0..2).any(|at| world.disk.at(target(at)) == held)
            {
                push(("somebody writes into the open old file of", i), &|world| {
                    world.forgive_old(held);
                    world.disk.write(held, Content::Edit(k));
                    world.disk.sync_file(held);
                    // It is kept with the before-image; a process that writes there has lost the name
                    // itself.
                    world.owed.add(k.into());
                    world.told.add(k.into());
                });
            }
            // Of a create nothing tells that; a before-image may leave its slot at any time.
            let can_tell = !self.kinds[i].creates() && world.disk.at(slot(i)) == self.file(i)
                || self.kinds[i] == Kind::Remove && world.disk.at(slot(i)) == staged(i);
            if self.bounds.meddling && can_tell && !world.log.void {
                push(("somebody deletes the slot of", i), &|world| {
                    world.disk.set(slot(i), NONE, true);
                    world.disk.sync(SLOTS, self.persistence);
                });
            }
        }
        let is_rename = self.kinds[0].is_link();
        if is_rename && world.disk.at(target(0)) == self.file(0) && world.disk.at(target(1)) == NONE
        {
            push(("somebody renames the file back", 0), &|world| {
                world.renamed_back = true;
                world.changed_after.add(0);
                world.changed_after.add(1);
                world.disk.rename_foreign(target(0), target(1));
            });
        }
        ways
    }
}
