//! Circles between the children of a module.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::modules::Arrow;
use crate::source::Names;

type Graph = BTreeMap<String, BTreeSet<String>>;

/// Finds circles: one for each set of siblings that use each other, as the path of their parent and
/// the names of the siblings in the order in which they use each other.
pub fn circles(arrows: &BTreeSet<Arrow>) -> Vec<(Names, Vec<String>)> {
    let mut graphs: BTreeMap<Names, Graph> = BTreeMap::new();
    for arrow in arrows {
        if let Some((parent, from, to)) = siblings(arrow) {
            let graph = graphs.entry(parent).or_default();
            graph.entry(from).or_default().insert(to);
        }
    }
    let of_graph = |(parent, graph): (Names, Graph)| {
        of_graph(&graph).into_iter().map(move |circle| (parent.clone(), circle))
    };
    graphs.into_iter().flat_map(of_graph).collect()
}

/// The two siblings that an arrow goes between, and their parent; none where one end of the arrow is
/// an ancestor of the other.
pub fn siblings(arrow: &Arrow) -> Option<(Names, String, String)> {
    let same = arrow.from.iter().zip(&arrow.to).take_while(|(from, to)| from == to).count();
    let (from, to) = (arrow.from.get(same)?, arrow.to.get(same)?);
    Some((arrow.from.iter().take(same).cloned().collect(), from.clone(), to.clone()))
}

/// A shortest circle through each set of nodes that reach each other.
fn of_graph(graph: &Graph) -> Vec<Vec<String>> {
    let mut circles = Vec::new();
    let mut known = BTreeSet::new();
    for node in graph.keys() {
        if known.contains(node) {
            continue;
        }
        let Some(circle) = way(graph, node, node) else { continue };
        let joined = |other: &&String| {
            way(graph, node, other).is_some() && way(graph, other, node).is_some()
        };
        known.extend(graph.keys().filter(joined));
        circles.push(circle);
    }
    circles
}

/// The nodes on a shortest way from one to another, both named; at least one step.
fn way(graph: &Graph, from: &str, to: &str) -> Option<Vec<String>> {
    let mut came: BTreeMap<&str, &str> = BTreeMap::new();
    let mut ahead = VecDeque::from([from]);
    while let Some(node) = ahead.pop_front() {
        for next in graph.get(node).into_iter().flatten() {
            if next == to {
                let mut back = vec![to.to_owned(), node.to_owned()];
                let mut at = node;
                while let Some(before) = came.get(at).filter(|_| at != from) {
                    back.push((*before).to_owned());
                    at = before;
                }
                back.reverse();
                return Some(back);
            }
            if next != from && !came.contains_key(next.as_str()) {
                came.insert(next, node);
                ahead.push_back(next);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(arrows: &[(&str, &str)]) -> Vec<String> {
        let names = |path: &str| path.split('/').map(str::to_owned).collect();
        let arrows =
            arrows.iter().map(|(from, to)| Arrow { from: names(from), to: names(to) }).collect();
        let circles = circles(&arrows).into_iter();
        circles.map(|(at, circle)| format!("{}: {}", at.join("/"), circle.join(" "))).collect()
    }

    #[test]
    fn a_circle_is_found_at_the_floor_where_its_files_part() {
        assert_eq!(found(&[("a", "b"), ("b", "c"), ("a", "c")]), [""; 0]);
        assert_eq!(found(&[("a", "b"), ("b", "c"), ("c", "a")]), [": a b c a"]);
        assert_eq!(found(&[("m/a", "m/b"), ("m/b", "m/a")]), ["m: a b a"]);
        // No circle of files, but one of folders.
        assert_eq!(found(&[("m/a", "n/a"), ("n/b", "m/b")]), [": m n m"]);
    }

    #[test]
    fn a_parent_and_its_children_make_no_circle_but_one_through_a_neighbour_is_found() {
        assert_eq!(found(&[("m", "m/a"), ("m/a", "m"), ("m/a/x", "m")]), [""; 0]);
        assert_eq!(found(&[("m", "m/a"), ("m/a", "n"), ("n", "m")]), [": m n m"]);
    }

    #[test]
    fn each_circle_is_told_once_and_in_its_shortest_form() {
        let arrows =
            [("a", "b"), ("b", "a"), ("b", "c"), ("c", "b"), ("x", "y"), ("y", "x"), ("c", "x")];
        assert_eq!(found(&arrows), [": a b a", ": x y x"]);
    }
}
