//! Families of tasks: those whose seed equals a constant, and the others.
//!
//! Whether a seed equals a constant can't be decided in general. So the family says what one e-graph
//! finds, grown from the seed alone, the most promising matches first: the better part of what is
//! there to find, far beyond the e-graph of a link.

use crate::options::tasks::Family;
use egraph::{
    EGraph, Limits, SaturationConfig, Scheduler, System, TermBank, TermId, saturate_until,
};
use std::sync::Arc;
use support::columns::{Array, Cell, DataType};
use terms::equals_constant;

/// How many times the e-nodes of a link the e-graph may have that tells a seed's family.
pub const LINKS_PER_SEED: usize = 20;

impl Family {
    /// The family of a seed, as far as one e-graph within these limits tells.
    pub fn of_seed(system: &Arc<System>, bank: &TermBank, seed: TermId, limits: Limits) -> Family {
        let mut egraph = EGraph::new(system.clone());
        let root = egraph.add_term(bank, seed);
        let config = SaturationConfig {
            limits,
            scheduler: Scheduler::BestFirst,
            sides: [vec![root], Vec::new()],
            ..SaturationConfig::default()
        };
        let constant = |egraph: &EGraph| equals_constant(egraph, egraph.find(root));
        saturate_until(&mut egraph, &config, constant);
        // Where two literals became equal, everything may equal anything.
        match egraph.conflict().is_none() && constant(&egraph) {
            true => Family::Theorem,
            false => Family::Identity,
        }
    }
}

impl Cell for Family {
    type Builder = <String as Cell>::Builder;

    fn kind() -> DataType {
        String::kind()
    }

    fn append(value: Option<&Self>, column: &mut Self::Builder) {
        column.append_option(value.map(|family| family.name()));
    }

    fn values(column: &dyn Array) -> anyhow::Result<Vec<Option<Self>>> {
        let read = |text: Option<String>| text.map(|text| text.parse()).transpose();
        let families: Result<_, String> = String::values(column)?.into_iter().map(read).collect();
        families.map_err(anyhow::Error::msg)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::budget::Cap;

    #[test]
    fn a_seed_that_equals_a_literal_or_a_nullary_operator_makes_theorems() {
        let system = "(sort I) (literal i64 I) (variable I) (op + (I I) I) (op nil () I)
             (analysis constant) (rewrite (+ ?a ?b) (+ ?b ?a) :name comm)
             (birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c) :name assoc)
             (rewrite (+ ?a nil) nil :name nil) (rewrite (+ ?a (+ ?a 1)) 2 :name two)
             (rewrite (+ ?a 13) 7 :name wrong)";
        let system = Arc::new(System::parse(system).unwrap());
        let family = |text: &str, nodes| {
            let mut bank = TermBank::new(system.language.clone());
            let seed = bank.parse(text, None).unwrap();
            Family::of_seed(&system, &bank, seed, Cap::Nodes(nodes).limits(u64::MAX))
        };
        assert_eq!(family("(+ a (+ b c))", 1_000), Family::Identity);
        assert_eq!(family("(+ (+ a b) (+ (+ nil c) d))", 1_000), Family::Theorem);
        assert_eq!(family("(+ (+ a 1) a)", 1_000), Family::Theorem);
        assert_eq!(family("7", 1_000), Family::Theorem);
        // As far as the e-graph may grow.
        assert_eq!(family("(+ (+ a 1) a)", 4), Family::Identity);
        // Two literals become equal: 1 + 13 is 14 and 7.
        assert_eq!(family("(+ (+ 1 13) nil)", 1_000), Family::Identity);
    }
}
