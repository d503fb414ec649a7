//! Paths that are wanted together, as a tree: what they share is looked for once.

use super::path::{Path, Step};

/// A value that is wanted itself or for what is in it.
#[derive(Debug, Clone, Default)]
pub struct Node {
    /// Where the value itself is written down.
    pub slots: Vec<usize>,
    /// Where it and all that is in it are written down.
    pub all_slots: Vec<usize>,
    pub members: Vec<(Vec<u8>, Node)>,
    pub elements: Vec<(i64, Node)>,
}

impl Node {
    fn add(&mut self, slot: usize, steps: &[Step]) {
        self.all_slots.push(slot);
        let Some((step, rest)) = steps.split_first() else { return self.slots.push(slot) };
        let child = match step {
            Step::Member(name) => child(&mut self.members, name.as_bytes().to_vec()),
            Step::Element(index) => child(&mut self.elements, *index),
        };
        child.add(slot, rest);
    }

    /// Whether elements are wanted that are counted from the end.
    pub fn counts_from_end(&self) -> bool {
        self.elements.iter().any(|(index, _)| *index < 0)
    }
}

fn child<K: PartialEq>(children: &mut Vec<(K, Node)>, key: K) -> &mut Node {
    let found = children.iter().position(|(other, _)| *other == key);
    let index = found.unwrap_or(children.len());
    if found.is_none() {
        children.push((key, Node::default()));
    }
    &mut children[index].1
}

/// The tree of several paths.
#[derive(Debug, Clone)]
pub struct Tree {
    pub root: Node,
    /// How many values are looked for: one a path, and behind them one more for each that is a name and else a path.
    pub slots: usize,
    /// Of each of those more, the path it belongs to.
    pub fallbacks: Vec<usize>,
}

impl Tree {
    pub fn new(paths: &[Path]) -> Tree {
        let mut tree = Tree { root: Node::default(), slots: paths.len(), fallbacks: Vec::new() };
        for (index, path) in paths.iter().enumerate() {
            let Some(name) = path.literal() else {
                tree.root.add(index, path.steps());
                continue;
            };
            tree.root.add(index, &[Step::Member(name.to_owned())]);
            if !path.steps().is_empty() {
                tree.root.add(tree.slots, path.steps());
                tree.fallbacks.push(index);
                tree.slots += 1;
            }
        }
        tree
    }
}
