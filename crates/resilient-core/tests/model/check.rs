//! What must hold whenever nobody works: the guarantees, as far as they can be seen here.

use crate::disk::{Content, NONE, copy, old, target};
use crate::model::Model;
use crate::world::{Answer, End, Kind, Step, World};

impl Model {
    /// What is wrong in a state that was reached, if anything.
    pub(crate) fn violation(&self, before: &World, world: &World) -> Option<&'static str> {
        if let (Some(end), Some(now)) = (before.end, world.end)
            && end != now
        {
            return Some("a unit that was judged is judged to another end");
        }
        match (world.answer, world.end) {
            (Some(Answer::Success), Some(End::Gone | End::Conflict)) => {
                return Some("a write that was answered is lost");
            }
            (Some(Answer::Error), Some(End::Kept | End::Conflict)) => {
                return Some("an error was answered, and something changed");
            }
            _ => {}
        }
        if before.is_copied && before.edits == world.edits && before.crashes == world.crashes {
            let moved = |i| before.disk.at(target(i)) != world.disk.at(target(i));
            if moved(0) || moved(1) {
                return Some("something outside of a copied state directory changed");
            }
        }
        if let Some(fault) = self.lost_bytes(world) {
            return Some(fault);
        }
        let is_settled = world.step == Step::Rest && (world.is_clean || world.is_retired);
        if is_settled { self.disagreement(world) } else { None }
    }

    /// Bytes that are nowhere any more although nobody wanted that.
    fn lost_bytes(&self, world: &World) -> Option<&'static str> {
        for k in (0..2_u8).filter(|k| world.owed.has((*k).into())) {
            if !world.disk.reaches(|_, content| content == Content::Edit(k)) {
                return Some("somebody's bytes are destroyed");
            }
        }
        for i in (0..self.kinds.len()).filter(|i| world.old_owed.has(*i)) {
            let is_old =
                |file, content| content == Content::Old && (file == old(i) || file == copy(i));
            if !world.disk.reaches(is_old) {
                return Some("the old content is destroyed");
            }
        }
        None
    }

    fn disagreement(&self, world: &World) -> Option<&'static str> {
        for k in (0..2_u8).filter(|k| world.owed.has((*k).into()) && !world.told.has((*k).into())) {
            if !world.disk.is_at_a_target(Content::Edit(k)) {
                return Some("somebody's file was taken away, and nobody is told");
            }
        }
        let is_there = world.log.rows == self.kinds.len() && !world.log.void;
        if world.log.conflict {
            return None;
        }
        if world.answer == Some(Answer::Success) && !is_there {
            return Some("a write that was answered has no row");
        }
        if world.answer == Some(Answer::Error) && is_there {
            return Some("an error was answered, and there is a row");
        }
        (0..self.kinds.len()).find_map(|i| {
            if is_there {
                self.row_without_change(world, i)
            } else {
                self.change_without_row(world, i)
            }
        })
    }

    fn row_without_change(&self, world: &World, i: usize) -> Option<&'static str> {
        let file = world.disk.at(target(i));
        let is_ours = match self.kinds[i] {
            Kind::Remove => file == NONE,
            _ => file == self.file(i),
        };
        if is_ours {
            let content = if file == NONE { Content::New } else { world.disk.content(file) };
            return (content == Content::Empty).then_some("a row whose file is empty");
        }
        let is_old = file == old(i) && !world.renamed_back;
        (is_old || !world.changed_after.has(i)).then_some("a row without its change")
    }

    fn change_without_row(&self, world: &World, i: usize) -> Option<&'static str> {
        let file = world.disk.at(target(i));
        let is_wrong = match self.kinds[i] {
            Kind::Create | Kind::LinkCreate => file == self.file(i),
            _ if file == NONE => !world.deleted.has(i) && !world.renamed_back,
            Kind::Remove => false,
            _ => file == self.file(i),
        };
        is_wrong.then_some("a change without its row")
    }
}
