//! Which terms are worth an e-graph: those whose e-graph grows.

use egraph::{
    EGraph, Id, Node, SaturationConfig, StopReason, System, TermBank, TermId, saturate_until,
};

use std::sync::Arc;

/// What is asked of a seed.
#[derive(Clone, Debug)]
pub struct SeedFilter {
    /// Its e-graph must have that many canonical e-nodes after some iteration, or when a limit
    /// ends its growth.
    pub least_nodes: usize,
    /// Whether terms that equal a constant are kept.
    pub keep_constants: bool,
    /// How e-graphs are grown, and within which limits.
    pub saturation: SaturationConfig,
}

/// What was found out about a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Its e-graph grew as large as was asked for.
    Kept,
    /// Its e-graph was saturated before.
    Saturated,
    /// A limit ended the growth of its e-graph before.
    Limited,
    /// It equals a constant (a literal or an operator without arguments), as far as its e-graph
    /// was grown.
    Constant,
    /// Two literals became equal in its e-graph: the rules are not sound.
    Conflict,
}

impl Verdict {
    /// Why a term was dropped, as it is reported; nothing for those that were kept.
    pub fn reason(self) -> Option<&'static str> {
        match self {
            Verdict::Kept => None,
            Verdict::Saturated => Some("saturated too early"),
            Verdict::Limited => Some("met a limit too early"),
            Verdict::Constant => Some("equal to a constant"),
            Verdict::Conflict => Some("with a conflict"),
        }
    }
}

impl SeedFilter {
    /// Grows the e-graph of a term until it is large enough, or ends before.
    pub fn judge(&self, system: &Arc<System>, bank: &TermBank, term: TermId) -> Verdict {
        let mut egraph = EGraph::new(system.clone());
        let root = egraph.add_term(bank, term);
        let large = |egraph: &EGraph| egraph.node_count() >= self.least_nodes;
        let report = saturate_until(&mut egraph, &self.saturation, large);
        if egraph.conflict().is_some() {
            Verdict::Conflict
        } else if !self.keep_constants && equals_constant(&egraph, egraph.find(root)) {
            Verdict::Constant
        } else if large(&egraph) {
            Verdict::Kept
        } else if report.stop == StopReason::Saturated {
            Verdict::Saturated
        } else {
            Verdict::Limited
        }
    }
}

/// Whether a class equals a constant: it has a literal or an operator without arguments, such as `zero`.
pub fn equals_constant(egraph: &EGraph, class: Id) -> bool {
    let nullary = |&id: &Id| match egraph.node(id) {
        Node::Op(op) => egraph.system().language.op(op).args.is_empty(),
        Node::Leaf(_) => false,
    };
    egraph.literal(class).is_some() || egraph.nodes(class).iter().any(nullary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use egraph::Limits;

    fn verdict(term: &str, least_nodes: usize, limits: Limits, keep_constants: bool) -> Verdict {
        let system = System::parse(
            "(sort I) (literal i64 I) (variable I) (op + (I I) I) (op * (I I) I) \
             (analysis constant) (rewrite (+ ?a ?b) (+ ?b ?a) :name comm) \
             (rewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c) :name assoc) \
             (op nil () I) (rewrite (* ?a nil) nil :name nil) \
             (rewrite (* ?a 0) 0 :name zero) (rewrite (* ?a 13) 7 :name wrong)",
        );
        let system = Arc::new(system.unwrap());
        let mut bank = TermBank::new(system.language.clone());
        let term = bank.parse(term, None).unwrap();
        let saturation = SaturationConfig { limits, ..SaturationConfig::default() };
        SeedFilter { least_nodes, keep_constants, saturation }.judge(&system, &bank, term)
    }

    #[test]
    fn terms_are_dropped_for_what_their_e_graphs_do() {
        let free = Limits::default;
        // Four summands: 4 leaves, and all ways to write each of the 11 sums: 50 ordered pairs.
        let sum = "(+ a (+ b (+ c d)))";
        assert_eq!(verdict(sum, 54, free(), false), Verdict::Kept);
        assert_eq!(verdict(sum, 55, free(), false), Verdict::Saturated);
        let short = Limits { iterations: Some(1), ..Limits::default() };
        assert_eq!(verdict(sum, 54, short, false), Verdict::Limited);
        let constant = "(* (+ a (+ b (+ c d))) 0)";
        assert_eq!(verdict(constant, 20, free(), false), Verdict::Constant);
        assert_eq!(verdict(constant, 20, free(), true), Verdict::Kept);
        let nullary = "(* (+ a (+ b (+ c d))) nil)";
        assert_eq!(verdict(nullary, 20, free(), false), Verdict::Constant);
        assert_eq!(verdict(nullary, 20, free(), true), Verdict::Kept);
        let with_nullary = "(+ a (+ b (+ c nil)))";
        assert_eq!(verdict(with_nullary, 20, free(), false), Verdict::Kept);
        assert_eq!(verdict("(+ (* 1 13) a)", 100, free(), false), Verdict::Conflict);
    }
}
