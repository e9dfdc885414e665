//! The terms of an e-class as choices for a decoder: every hole is filled only as an e-node of its class
//! allows, so that whatever is written stands in the class.
//!
//! An e-graph is a tree automaton: what was written so far can be derived in several ways, each of which
//! leaves a stack of classes to be filled. These ways are the *runs* that are kept, a few of them.
//! A class is never filled inside itself, so that no term is padded.

use egraph::{EGraph, Id, LeastSizes, Node};
use model::Choices;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Runs that are kept at most: those with the least left to write.
const RUNS: usize = 200;

/// The terms of a class of at most so many nodes, while one of them is written.
#[derive(Clone)]
pub struct ClassChoices<'e> {
    egraph: &'e EGraph,
    /// Nodes of the smallest terms of the classes below the root.
    least: Arc<FxHashMap<Id, u64>>,
    /// Nodes that may still be written.
    left: u64,
    /// What is left to fill, by run.
    runs: Vec<Stack>,
}

/// Classes to be filled, the next one on top.
type Stack = Option<Arc<Hole>>;

struct Hole {
    class: Id,
    /// The classes that it stands in.
    inside: Ancestors,
    below: Stack,
    /// Nodes of the smallest terms of all classes of the stack.
    least: u64,
    /// Tells this stack from others.
    key: u64,
}

type Ancestors = Option<Arc<Ancestor>>;

struct Ancestor {
    class: Id,
    above: Ancestors,
}

impl<'e> ClassChoices<'e> {
    /// All terms of a canonical class with at most `limit` nodes that are not padded.
    pub fn new(egraph: &'e EGraph, root: Id, limit: u64) -> ClassChoices<'e> {
        let sizes = LeastSizes::of(egraph);
        let mut least = FxHashMap::default();
        let mut todo = vec![root];
        while let Some(class) = todo.pop() {
            if least.insert(class, sizes.size(class)).is_none() {
                todo.extend(egraph.nodes(class).iter().flat_map(|&n| egraph.children(n)));
            }
        }
        let least = Arc::new(least);
        let hole = Hole::new(root, None, None, least[&root]);
        ClassChoices { egraph, least, left: limit, runs: vec![Some(Arc::new(hole))] }
    }

    /// The stacks that filling the top of `hole` with an e-node leaves, where that leads to the end
    /// within `nodes` nodes.
    fn fill(&self, hole: &Hole, node: Id, nodes: u64) -> Option<Stack> {
        let children = self.egraph.children(node);
        let again = |class: Id| class == hole.class || stands_in(&hole.inside, class);
        if children.iter().any(|&child| again(child)) {
            return None;
        }
        let least = |stack: &Stack| stack.as_ref().map_or(0, |hole| hole.least);
        let mut stack = hole.below.clone();
        let needed = children.iter().map(|child| self.least[child]).fold(1, u64::saturating_add);
        if needed.saturating_add(least(&stack)) > nodes {
            return None;
        }
        let above = hole.inside.clone();
        let inside = Some(Arc::new(Ancestor { class: hole.class, above }));
        for &child in children.iter().rev() {
            let least = self.least[&child].saturating_add(least(&stack));
            stack = Some(Arc::new(Hole::new(child, inside.clone(), stack, least)));
        }
        Some(stack)
    }
}

impl Hole {
    fn new(class: Id, inside: Ancestors, below: Stack, least: u64) -> Hole {
        let mut hasher = FxHasher::default();
        class.hash(&mut hasher);
        below.as_ref().map(|hole| hole.key).hash(&mut hasher);
        // Runs that stand in other classes may be filled otherwise.
        let mut above = &inside;
        while let Some(ancestor) = above {
            ancestor.class.hash(&mut hasher);
            above = &ancestor.above;
        }
        Hole { class, inside, below, least, key: hasher.finish() }
    }
}

fn stands_in(inside: &Ancestors, class: Id) -> bool {
    let mut above = inside;
    while let Some(ancestor) = above {
        if ancestor.class == class {
            return true;
        }
        above = &ancestor.above;
    }
    false
}

impl Choices for ClassChoices<'_> {
    fn heads(&self, nodes: usize, allow: &mut dyn FnMut(Node<'_>)) {
        let nodes = self.left.min(nodes as u64);
        for hole in self.runs.iter().flatten() {
            for &node in self.egraph.nodes(hole.class) {
                if self.fill(hole, node, nodes).is_some() {
                    allow(self.egraph.node(node));
                }
            }
        }
    }

    fn advance(&mut self, head: Node<'_>) {
        let mut seen = FxHashSet::default();
        let mut runs: Vec<Stack> = Vec::new();
        for hole in self.runs.iter().flatten() {
            for &node in self.egraph.nodes(hole.class) {
                if self.egraph.node(node) == head
                    && let Some(stack) = self.fill(hole, node, self.left)
                    && seen.insert(stack.as_ref().map(|hole| hole.key))
                {
                    runs.push(stack);
                }
            }
        }
        runs.sort_by_key(|stack| stack.as_ref().map_or(0, |hole| hole.least));
        runs.truncate(RUNS);
        self.runs = runs;
        self.left = self.left.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::randomness::stream;
    use dataset_gen::drawing::sampling::is_padded;
    use egraph::{Leaf, OpId, SaturationConfig, System, TermBank, TermId, saturate_until};
    use rand::RngExt;

    #[derive(Clone)]
    enum Head {
        Op(OpId),
        Leaf(Leaf),
    }

    /// Writes a term, at each hole by chance what may stand there.
    fn write(bank: &mut TermBank, choices: &mut ClassChoices<'_>, seed: u64) -> Option<TermId> {
        let mut rng = stream(seed, 0, 0, 0);
        let mut open: Vec<(OpId, Vec<TermId>)> = Vec::new();
        loop {
            let mut heads: Vec<Head> = Vec::new();
            choices.heads(usize::MAX, &mut |head| {
                heads.push(match head {
                    Node::Op(op) => Head::Op(op),
                    Node::Leaf(leaf) => Head::Leaf(leaf.clone()),
                });
            });
            if heads.is_empty() {
                return None;
            }
            let mut done = match heads.swap_remove(rng.random_range(0..heads.len())) {
                Head::Op(op) => {
                    choices.advance(Node::Op(op));
                    open.push((op, Vec::new()));
                    continue;
                }
                Head::Leaf(leaf) => {
                    choices.advance(Node::Leaf(&leaf));
                    bank.leaf(&leaf)
                }
            };
            loop {
                let Some((op, children)) = open.last_mut() else { return Some(done) };
                children.push(done);
                if children.len() < bank.language().op(*op).args.len() {
                    break;
                }
                let (op, children) = open.pop()?;
                done = bank.apply(op, &children);
            }
        }
    }

    #[test]
    fn whatever_is_written_stands_in_the_class_and_is_not_padded() {
        let system = "(sort I) (literal i64 I) (variable I) (op + (I I) I) (op * (I I) I)
            (rewrite (+ ?a ?b) (+ ?b ?a))
            (birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c))
            (birewrite (+ ?a 0) ?a)
            (rewrite (* ?a (+ ?b ?c)) (+ (* ?a ?b) (* ?a ?c)))";
        let system = Arc::new(System::parse(system).unwrap());
        let mut bank = TermBank::new(system.language.clone());
        let mut egraph = EGraph::new(system);
        let start = bank.parse("(* x (+ a (+ b (+ c 1))))", None).unwrap();
        let root = egraph.add_term(&bank, start);
        saturate_until(&mut egraph, &SaturationConfig::default(), |egraph| {
            egraph.node_count() > 300
        });
        let class = egraph.find(root);
        let mut written = FxHashSet::default();
        for seed in 0..300 {
            let mut choices = ClassChoices::new(&egraph, class, 21);
            let Some(term) = write(&mut bank, &mut choices, seed) else { continue };
            assert_eq!(egraph.lookup(&bank, term), Some(class), "{}", bank.text(term));
            assert!(bank.size(term) <= 21 && !is_padded(&egraph, &bank, term));
            written.insert(term);
        }
        assert!(written.len() > 50, "{} terms", written.len());
    }
}
