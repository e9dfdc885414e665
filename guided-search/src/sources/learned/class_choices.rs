//! The terms of an e-class as choices for a decoder: every hole is filled only as an e-node of its class
//! allows, so that whatever is written stands in the class.
//!
//! An e-graph is a tree automaton: what was written so far can be derived in several ways, each of which
//! leaves a stack of classes to be filled. These ways are the *runs* that are kept, a few of them.
//! A class is never filled inside itself, so that no term is padded.

use egraph::{EGraph, Id, Leaf, LeastSizes, Node, OpId};
use model::Choices;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Runs that are kept at most: those with the least left to write.
const RUNS: usize = 200;

/// The terms of a class of at most so many nodes, while one of them is written. They are apart from
/// their e-graph, so that a model can write them together with those of others.
#[derive(Clone)]
pub struct ClassChoices {
    /// By number.
    classes: Arc<[Class]>,
    /// Nodes that may still be written.
    left: u64,
    /// What is left to fill, by run.
    runs: Vec<Stack>,
}

/// The number of a class; the root's is 0.
type Number = u32;

/// What a class can be filled with.
struct Class {
    /// Nodes of its smallest term.
    least: u64,
    ways: Vec<Way>,
}

/// An e-node.
struct Way {
    head: Head,
    children: Box<[Number]>,
    /// Nodes of the smallest term with this head.
    least: u64,
}

#[derive(Clone)]
enum Head {
    Op(OpId),
    Leaf(Leaf),
}

impl Head {
    fn new(node: Node<'_>) -> Head {
        match node {
            Node::Op(op) => Head::Op(op),
            Node::Leaf(leaf) => Head::Leaf(leaf.clone()),
        }
    }

    fn node(&self) -> Node<'_> {
        match self {
            Head::Op(op) => Node::Op(*op),
            Head::Leaf(leaf) => Node::Leaf(leaf),
        }
    }
}

/// Classes to be filled, the next one on top.
type Stack = Option<Arc<Hole>>;

struct Hole {
    class: Number,
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
    class: Number,
    above: Ancestors,
}

impl ClassChoices {
    /// All terms of a canonical class with at most `limit` nodes that are not padded.
    pub fn new(egraph: &EGraph, root: Id, limit: u64) -> ClassChoices {
        let classes = below(egraph, root, limit);
        let hole = Hole::new(0, None, None, classes[0].least);
        ClassChoices { classes: classes.into(), left: limit, runs: vec![Some(Arc::new(hole))] }
    }

    /// The stacks that filling the top of `hole` leaves, where that leads to the end within `nodes`
    /// nodes.
    fn fill(&self, hole: &Hole, way: &Way, nodes: u64) -> Option<Stack> {
        if way.children.iter().any(|&child| stands_in(&hole.inside, child)) {
            return None;
        }
        let least = |stack: &Stack| stack.as_ref().map_or(0, |hole| hole.least);
        let mut stack = hole.below.clone();
        if way.least.saturating_add(least(&stack)) > nodes {
            return None;
        }
        let above = hole.inside.clone();
        let inside = Some(Arc::new(Ancestor { class: hole.class, above }));
        for &child in way.children.iter().rev() {
            let least = self.classes[child as usize].least.saturating_add(least(&stack));
            stack = Some(Arc::new(Hole::new(child, inside.clone(), stack, least)));
        }
        Some(stack)
    }

    /// The next hole of each run, with each way to fill it, whether or not that leads to an end.
    fn ways(&self) -> impl Iterator<Item = (&Hole, &Way)> {
        let holes = self.runs.iter().flatten().map(|hole| &**hole);
        holes.flat_map(|hole| self.classes[hole.class as usize].ways.iter().map(move |w| (hole, w)))
    }
}

/// The classes below a root, by number, with the e-nodes that terms of at most `limit` nodes may have.
fn below(egraph: &EGraph, root: Id, limit: u64) -> Vec<Class> {
    let sizes = LeastSizes::of(egraph);
    let mut numbers: FxHashMap<Id, Number> = FxHashMap::default();
    numbers.insert(root, 0);
    let (mut found, mut classes) = (vec![root], Vec::new());
    while let Some(&class) = found.get(classes.len()) {
        let mut ways = Vec::new();
        for &node in egraph.nodes(class) {
            let children = egraph.children(node);
            let least = children.iter().map(|&child| sizes.size(child));
            let least = least.fold(1, u64::saturating_add);
            if least > limit || children.contains(&class) {
                continue;
            }
            let mut number = |child: Id| {
                *numbers.entry(child).or_insert_with(|| {
                    found.push(child);
                    found.len() as Number - 1
                })
            };
            let children = children.iter().map(|&child| number(child)).collect();
            ways.push(Way { head: Head::new(egraph.node(node)), children, least });
        }
        classes.push(Class { least: sizes.size(class), ways });
    }
    classes
}

impl Hole {
    fn new(class: Number, inside: Ancestors, below: Stack, least: u64) -> Hole {
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

fn stands_in(inside: &Ancestors, class: Number) -> bool {
    let mut above = inside;
    while let Some(ancestor) = above {
        if ancestor.class == class {
            return true;
        }
        above = &ancestor.above;
    }
    false
}

impl Choices for ClassChoices {
    fn heads(&self, nodes: usize, allow: &mut dyn FnMut(Node<'_>)) {
        let nodes = self.left.min(nodes as u64);
        for (hole, way) in self.ways() {
            if self.fill(hole, way, nodes).is_some() {
                allow(way.head.node());
            }
        }
    }

    fn advance(&mut self, head: Node<'_>) {
        let mut seen = FxHashSet::default();
        let mut runs: Vec<Stack> = Vec::new();
        for (hole, way) in self.ways() {
            if way.head.node() == head
                && let Some(stack) = self.fill(hole, way, self.left)
                && seen.insert(stack.as_ref().map(|hole| hole.key))
            {
                runs.push(stack);
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
    use egraph::{SaturationConfig, System, TermBank, TermId, saturate_until};
    use rand::RngExt;

    /// Writes a term, at each hole by chance what may stand there.
    fn write(bank: &mut TermBank, choices: &mut ClassChoices, seed: u64) -> Option<TermId> {
        let mut rng = stream(seed, 0, 0, 0);
        let mut open: Vec<(OpId, Vec<TermId>)> = Vec::new();
        loop {
            let mut heads: Vec<Head> = Vec::new();
            choices.heads(usize::MAX, &mut |head| heads.push(Head::new(head)));
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
