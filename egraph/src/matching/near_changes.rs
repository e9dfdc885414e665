//! Which classes are near what has changed: a right-hand side that was not in a class when it was looked for last can have come
//! to be there only if some class of it has changed, and that is at most as many steps below as there are applications in
//! each other.

use crate::graph::egraph::EGraph;
use crate::id::Id;

/// Steps from a class to a child of an e-node in it that are told apart; all others are as many.
const FAR: u8 = 4;
/// Of an e-graph with more ids than this every class counts as changed: what is kept here is no part of what matches take.
const MOST_IDS: usize = 1 << 16;

/// What has changed in an e-graph since it was looked at last. A class has changed if it has an id that is new, or that was in
/// another class.
#[derive(Debug, Default)]
pub(crate) struct NearChanges {
    /// By id: its class at the last look.
    before: Vec<Id>,
    /// By class: steps down to the nearest class that had changed then.
    steps: Vec<u8>,
    /// The classes that had changed, and those right above them; nothing where all count as changed.
    nearest: Option<Vec<Id>>,
}

impl NearChanges {
    /// Looks at a rebuilt e-graph, always the same one. Where not `deep`, all that is further than a step counts as near.
    pub fn look(&mut self, egraph: &EGraph, deep: bool) {
        let NearChanges { before, steps, nearest: within_a_step } = self;
        let ids = egraph.built() as usize;
        if ids > MOST_IDS {
            return *self = NearChanges::default();
        }
        steps.clear();
        steps.resize(ids, FAR);
        let mut nearest = Vec::new();
        let known = before.len();
        // Where no id was, no class is.
        before.resize(ids, Id(u32::MAX));
        for (number, before) in before.iter_mut().enumerate() {
            let class = egraph.find(Id(number as u32));
            if number >= known || *before != class {
                *before = class;
                if std::mem::replace(&mut steps[class.0 as usize], 0) != 0 {
                    nearest.push(class);
                }
            }
        }
        let end = if deep { FAR } else { 2 };
        let mut all = nearest.clone();
        for step in 1..end {
            for class in std::mem::take(&mut nearest) {
                for (node, _) in egraph.parents(class) {
                    let above = egraph.class_of(node);
                    let steps = &mut steps[above.0 as usize];
                    if *steps > step {
                        *steps = step;
                        nearest.push(above);
                    }
                }
            }
            if step == 1 {
                all.extend_from_slice(&nearest);
            }
        }
        *within_a_step = (known > 0).then_some(all);
        if !deep {
            steps.clear();
        }
    }

    /// Whether the next look will tell what has changed.
    pub fn remembers(&self) -> bool {
        !self.before.is_empty()
    }

    /// The classes that had changed at the last look and those right above them, if they are told from others.
    pub fn nearest(&self) -> Option<&[Id]> {
        self.nearest.as_deref()
    }

    /// Whether an instance of a pattern with so many applications in each other may be in a class now and was not at
    /// the look before the last.
    #[inline]
    pub fn may_have_come(&self, class: Id, depth: u8) -> bool {
        self.steps.get(class.0 as usize).is_none_or(|&steps| steps <= depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::proof_forest::Reason;
    use crate::rules::rule::RuleId;
    use crate::rules::system::System;
    use crate::term::bank::TermBank;
    use std::sync::Arc;

    fn equate(egraph: &mut EGraph, left: Id, right: Id) {
        egraph.union(left, right, Reason::Rule { rule: RuleId(0), bound: &[] });
        egraph.rebuild();
    }

    #[test]
    fn what_came_into_a_class_is_as_near_as_it_is_deep() {
        let rules = "(sort I) (variable I) (op f (I) I) (op g (I I) I)";
        let system = Arc::new(System::parse(rules).unwrap());
        let mut bank = TermBank::new(system.language.clone());
        let mut egraph = EGraph::new(system);
        let [deep, other, c] = ["(f (f (f (f (f a)))))", "(g b b)", "c"].map(|text| {
            let term = bank.parse(text, None).unwrap();
            egraph.add_term(&bank, term)
        });
        egraph.rebuild();
        let ids = |text: &str, egraph: &EGraph, bank: &mut TermBank| {
            let term = bank.parse(text, None).unwrap();
            egraph.lookup(bank, term).unwrap()
        };
        let mut near = NearChanges::default();
        near.look(&egraph, true);
        // All is new.
        assert!([deep, other, c].iter().all(|&id| near.may_have_come(egraph.find(id), 0)));
        near.look(&egraph, true);
        assert!((0..FAR).all(|depth| !near.may_have_come(egraph.find(deep), depth)));
        assert_eq!(near.nearest(), Some(&[][..]));
        assert!(near.may_have_come(egraph.find(deep), FAR));
        let a = ids("a", &egraph, &mut bank);
        equate(&mut egraph, a, c);
        near.look(&egraph, true);
        let least = |text: &str, egraph: &EGraph, bank: &mut TermBank| {
            let class = ids(text, egraph, bank);
            (0..=FAR).find(|&depth| near.may_have_come(class, depth)).unwrap()
        };
        for (text, steps) in
            [("a", 0), ("(f a)", 1), ("(f (f (f a)))", 3), ("(f (f (f (f a))))", FAR), ("b", FAR)]
        {
            assert_eq!(least(text, &egraph, &mut bank), steps, "{text}");
        }
    }

    /// An e-node that is found congruent to another leaves no changed e-node behind.
    #[test]
    fn a_class_of_which_all_was_congruent_has_changed() {
        let rules = "(sort I) (variable I) (op f (I) I)";
        let system = Arc::new(System::parse(rules).unwrap());
        let mut bank = TermBank::new(system.language.clone());
        let mut egraph = EGraph::new(system);
        let [fa, fb] = ["(f a)", "(f b)"].map(|text| {
            let term = bank.parse(text, None).unwrap();
            egraph.add_term(&bank, term)
        });
        egraph.rebuild();
        let mut near = NearChanges::default();
        near.look(&egraph, true);
        near.look(&egraph, true);
        let [a, b] = [fa, fb].map(|id| egraph.children(id)[0]);
        equate(&mut egraph, a, b);
        near.look(&egraph, true);
        assert_eq!(egraph.find(fa), egraph.find(fb));
        assert!(near.may_have_come(egraph.find(fa), 0));
    }
}
