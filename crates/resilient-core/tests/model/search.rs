//! The search: every state that can be reached within the bounds, the nearest first.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::model::{Label, Model};
use crate::world::World;

/// What a search came to.
pub(crate) struct Found {
    pub(crate) states: usize,
    /// The first violation, with one of the shortest sequences that lead to it.
    pub(crate) violation: Option<(&'static str, String)>,
}

struct Node {
    world: World,
    from: usize,
    label: Label,
}

fn fingerprint(world: &World) -> u64 {
    let mut hasher = DefaultHasher::new();
    world.hash(&mut hasher);
    hasher.finish()
}

impl Model {
    /// Searches until nothing new is found, or something wrong.
    pub(crate) fn search(&self) -> Found {
        let start = World::new(&self.kinds);
        let mut seen = HashSet::from([fingerprint(&start)]);
        let mut nodes = vec![Node { world: start, from: 0, label: ("start", 0) }];
        let mut at = 0;
        while let Some(node) = nodes.get(at) {
            let world = node.world.clone();
            let mut ways = self.steps(&world);
            ways.extend(self.rest_steps(&world));
            ways.extend(self.starts(&world));
            ways.extend(self.edits(&world));
            ways.extend(self.crashes(&world));
            for (label, next) in ways {
                if !seen.insert(fingerprint(&next)) {
                    continue;
                }
                let violation = self.violation(&world, &next);
                let violation = violation.filter(|what| self.watched.is_none_or(|it| it == *what));
                nodes.push(Node { world: next, from: at, label });
                if let Some(what) = violation {
                    let sequence = tell(&nodes, nodes.len() - 1);
                    return Found { states: nodes.len(), violation: Some((what, sequence)) };
                }
            }
            at += 1;
        }
        Found { states: nodes.len(), violation: None }
    }
}

fn tell(nodes: &[Node], mut at: usize) -> String {
    let mut labels = Vec::new();
    while at > 0 {
        labels.push(nodes[at].label);
        at = nodes[at].from;
    }
    let mut text = String::new();
    for (label, i) in labels.iter().rev() {
        let _ = write!(text, "{}{label} {i}", if text.is_empty() { "" } else { "; " });
    }
    text
}
