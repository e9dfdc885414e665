//! The best term of a class where the caller's function says what an e-node costs.
//!
//! The function is asked once for each e-node, as soon as the costs of all its arguments are known for good:
//! classes are done in the order of their costs (Knuth, *A generalization of Dijkstra's algorithm*, 1977).
//! That is exact if no e-node costs less than one of its arguments, which is checked.

use crate::bounds::count_step;
use crate::graph::egraph::EGraph;
use crate::id::Id;
use crate::term::bank::{TermBank, TermId};
use crate::term::leaves::Node;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Why a cost is of no use.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum NoCost<E> {
    /// The function failed.
    #[error("{0}")]
    Failed(E),
    /// The cost of a term without arguments is below zero, or no number.
    #[error("the cost of {term} is {cost}: expected a number that is no less than 0")]
    Negative {
        /// The term.
        term: String,
        /// What it costs.
        cost: f64,
    },
    /// Every term of the class has an infinite cost.
    #[error(
        "the cost of {term} is {cost}, and no term of its class costs less: expected a finite number"
    )]
    Infinite {
        /// The first of them.
        term: String,
        /// What it costs.
        cost: f64,
    },
    /// The cost of an application is less than that of an argument.
    #[error(
        "the cost of {term} is {cost}: expected a number that is no less than that of an argument, {least}"
    )]
    Less {
        /// The application, over the best arguments.
        term: String,
        /// What it costs.
        cost: f64,
        /// The largest cost of an argument.
        least: f64,
    },
}

/// Nodes of a term that a message shows.
const SHOWN: u64 = 40;

/// The e-node at the root of the best term of each class that is done, and what that costs.
type Best = FxHashMap<Id, (Id, f64)>;

#[derive(PartialEq)]
struct Price(f64);

impl Eq for Price {}

impl PartialOrd for Price {
    fn partial_cmp(&self, other: &Price) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Price {
    fn cmp(&self, other: &Price) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The term of a class that costs least, and what it costs, in a rebuilt e-graph. `cost` says what a term
/// costs by what stands at its root and by the costs of its arguments; infinity rules an e-node out. Of terms that cost
/// the same, that of the first e-node is taken.
///
/// # Errors
/// `cost` fails, gives a number that is less than 0 or than the cost of an argument, or rules out every term.
pub fn extract_by<E>(
    egraph: &EGraph,
    bank: &mut TermBank,
    class: Id,
    mut cost: impl FnMut(Node<'_>, &[f64]) -> Result<f64, E>,
) -> Result<(TermId, f64), NoCost<E>> {
    let root = egraph.find(class);
    let below = below(egraph, root);
    let mut best = Best::default();
    let mut heap: BinaryHeap<Reverse<(Price, Id)>> = BinaryHeap::new();
    // By e-node: how many of its arguments are not done.
    let mut missing: FxHashMap<Id, usize> = FxHashMap::default();
    let mut ready = |node: Id, best: &Best, heap: &mut BinaryHeap<_>, bank: &mut TermBank| {
        let children = egraph.children(node);
        let costs: SmallVec<[f64; 4]> = children.iter().map(|child| best[child].1).collect();
        let price = cost(egraph.node(node), &costs).map_err(NoCost::Failed)?;
        let least = costs.iter().copied().fold(0.0, f64::max);
        if price.is_nan() || price < least {
            let term = shown(egraph, bank, best, node);
            return Err(match costs.is_empty() {
                true => NoCost::Negative { term, cost: price },
                false => NoCost::Less { term, cost: price, least },
            });
        }
        heap.push(Reverse((Price(price), node)));
        Ok(())
    };
    // In the order of ids, so that the function sees e-nodes in the same order every time.
    for &node in below.iter().flat_map(|&class| egraph.nodes(class)) {
        match egraph.children(node).len() {
            0 => ready(node, &best, &mut heap, bank)?,
            arguments => _ = missing.insert(node, arguments),
        }
    }
    while let Some(Reverse((Price(price), node))) = heap.pop() {
        count_step();
        let class = egraph.find(node);
        if best.contains_key(&class) {
            continue;
        }
        best.insert(class, (node, price));
        if class == root {
            break;
        }
        for (parent, _) in egraph.parents(class) {
            let Some(left) = missing.get_mut(&parent) else { continue };
            *left -= 1;
            if *left == 0 {
                ready(parent, &best, &mut heap, bank)?;
            }
        }
    }
    let (node, price) = best[&root];
    if price.is_infinite() {
        return Err(NoCost::Infinite { term: shown(egraph, bank, &best, node), cost: price });
    }
    Ok((term(egraph, bank, &best, node), price))
}

/// The classes that terms of a class are made of, in the order of their ids.
fn below(egraph: &EGraph, root: Id) -> Vec<Id> {
    let mut seen = FxHashSet::from_iter([root]);
    let mut todo = vec![root];
    while let Some(class) = todo.pop() {
        for &child in egraph.nodes(class).iter().flat_map(|&node| egraph.children(node)) {
            if seen.insert(child) {
                todo.push(child);
            }
        }
    }
    let mut all: Vec<Id> = seen.into_iter().collect();
    all.sort_unstable();
    all
}

/// That term for a message.
fn shown(egraph: &EGraph, bank: &mut TermBank, best: &Best, root: Id) -> String {
    let term = term(egraph, bank, best, root);
    bank.display_part(term, SHOWN).to_string()
}

/// The term of an e-node over the best terms of its arguments.
fn term(egraph: &EGraph, bank: &mut TermBank, best: &Best, root: Id) -> TermId {
    let mut made: FxHashMap<Id, TermId> = FxHashMap::default();
    let mut todo = vec![root];
    while let Some(&node) = todo.last() {
        let before = todo.len();
        let needed = egraph.children(node).iter().map(|child| best[child].0);
        todo.extend(needed.filter(|node| !made.contains_key(node)));
        if todo.len() > before {
            continue;
        }
        todo.pop();
        let made_of = |child: &Id| made[&best[child].0];
        let term = match egraph.node(node) {
            Node::Leaf(leaf) => bank.leaf(leaf),
            Node::Op(op) => {
                let children: Vec<TermId> = egraph.children(node).iter().map(made_of).collect();
                bank.apply(op, &children)
            }
        };
        made.insert(node, term);
    }
    made[&root]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::best::extract_best;
    use crate::rules::costs::function::CostFunction;
    use crate::rules::system::System;
    use crate::saturation::run::{SaturationConfig, saturate_until};
    use crate::stop::Limits;
    use crate::term::sketch::Sketch;
    use std::convert::Infallible;
    use std::sync::Arc;

    fn grown(start: &str) -> (EGraph, TermBank, Id) {
        let rules = "(sort I) (variable I) (literal i64 I) (analysis constant)
            (op + (I I) I) (op * (I I) I :cost 5) (op neg (I) I)
            (rewrite (+ ?a ?b) (+ ?b ?a))
            (birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c))
            (birewrite (* ?a (+ ?b ?c)) (+ (* ?a ?b) (* ?a ?c)))
            (rewrite (* ?a ?b) (* ?b ?a))
            (rewrite (+ ?a 0) ?a)";
        let system = Arc::new(System::parse(rules).unwrap());
        let mut bank = TermBank::new(system.language.clone());
        let term = bank.parse(start, None).unwrap();
        let mut egraph = EGraph::new(system);
        let class = egraph.add_term(&bank, term);
        let limits = Limits { nodes: Some(2_000), ..Limits::default() };
        let config = SaturationConfig { limits, ..SaturationConfig::default() };
        saturate_until(&mut egraph, &config, |_| false);
        (egraph, bank, class)
    }

    #[test]
    fn a_sum_is_as_the_declared_cost_has_it() {
        for start in ["(+ (* a b) (+ (* c a) (* a d)))", "(+ (neg (+ x 0)) (* 2 (* 3 y)))"] {
            let (egraph, mut bank, class) = grown(start);
            let declared = CostFunction::named(egraph.system(), "cost").unwrap();
            let best = extract_best(&egraph, &mut bank, class, &Sketch::Any, &declared).unwrap().1;
            let system = egraph.system().clone();
            let mut asked = 0;
            let (term, price) = extract_by(&egraph, &mut bank, class, |node, costs| {
                asked += 1;
                let own = match node {
                    Node::Op(op) if system.language.op(op).name == "*" => 5.0,
                    _ => 1.0,
                };
                Ok::<f64, Infallible>(own + costs.iter().sum::<f64>())
            })
            .unwrap();
            assert_eq!(price, best.values()[0] as f64);
            assert_eq!(declared.of_term(&bank, term).unwrap().values()[0] as f64, price);
            assert!(asked <= egraph.node_count());
        }
    }

    #[test]
    fn an_infinite_cost_rules_an_e_node_out() {
        let (egraph, mut bank, class) = grown("(* a (+ b c))");
        let system = egraph.system().clone();
        let no_product_of_sums = |node: Node<'_>, costs: &[f64]| {
            let product = matches!(node, Node::Op(op) if system.language.op(op).name == "*");
            let sum = costs.iter().any(|&cost| cost > 1.0);
            let own = if product && sum { f64::INFINITY } else { 1.0 };
            Ok::<f64, Infallible>(own + costs.iter().sum::<f64>())
        };
        let (term, cost) = extract_by(&egraph, &mut bank, class, no_product_of_sums).unwrap();
        assert_eq!((bank.text(term).as_str(), cost), ("(+ (* a b) (* a c))", 7.0));
    }

    #[test]
    fn a_cost_below_that_of_an_argument_is_refused_with_the_term() {
        let (egraph, mut bank, class) = grown("(neg (neg x))");
        let halved = |_: Node<'_>, costs: &[f64]| {
            Ok::<f64, Infallible>(costs.first().map_or(8.0, |cost| cost / 2.0))
        };
        let error = extract_by(&egraph, &mut bank, class, halved).unwrap_err();
        assert!(error.to_string().starts_with("the cost of (neg x) is 4:"), "{error}");
        for (wrong, why) in [
            (f64::NAN, "x is NaN: expected a number that is no less than 0"),
            (-1.0, "x is -1: expected a number that is no less than 0"),
            (f64::NEG_INFINITY, "x is -inf: expected a number that is no less than 0"),
            (f64::INFINITY, "(neg (neg x)) is inf, and no term of its class costs less"),
        ] {
            let always = |_: Node<'_>, _: &[f64]| Ok::<f64, Infallible>(wrong);
            let error = extract_by(&egraph, &mut bank, class, always).unwrap_err();
            assert!(error.to_string().starts_with(&format!("the cost of {why}")), "{error}");
        }
        let failed = |_: Node<'_>, _: &[f64]| Err("no");
        assert_eq!(extract_by(&egraph, &mut bank, class, failed), Err(NoCost::Failed("no")));
    }
}
