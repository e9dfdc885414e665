//! What a subterm of a proof's last term descends from: the part of a proof that leads to it, without what
//! happens beside.

use crate::proof::dag::{FlatProof, Justification};
use crate::rules::pattern::Pattern;
use crate::rules::system::System;
use crate::rules::variables::VarId;
use crate::term::bank::{TermBank, TermId};

impl FlatProof {
    /// The terms that the subterm at `place` of the last term comes from, the oldest first, each a subterm of a term of
    /// the proof; and where the oldest stands in the first term. No two neighbours are the same. `None` if there is
    /// no such place.
    ///
    /// Going back, a subterm stays what it is while rewrites happen beside it; a rewrite in it changes it; one
    /// that only moved it is followed; and where a rewrite made it, it comes from the whole redex. So between
    /// neighbours lies one rewrite, perhaps with a look at a part of its result only.
    pub fn lineage(
        &self,
        system: &System,
        bank: &TermBank,
        place: &[u32],
    ) -> Option<(Vec<TermId>, Vec<u32>)> {
        let mut place = place.to_vec();
        let mut line = vec![bank.subterm(*self.terms.last()?, &place)?];
        for (step, &before) in self.steps.iter().zip(&self.terms).rev() {
            if let Some(inside) = place.strip_prefix(&step.path[..]) {
                let within = match step.rule {
                    Justification::Fold => None,
                    Justification::Rule(rule) => {
                        let rule = system.rule(rule);
                        let sides = [&rule.lhs, &rule.rhs];
                        let [from, to] = if step.forward { sides } else { [sides[1], sides[0]] };
                        moved(from, to, inside)
                    }
                };
                place = step.path.iter().copied().chain(within.unwrap_or_default()).collect();
            }
            let term = bank.subterm(before, &place)?;
            if line.last() != Some(&term) {
                line.push(term);
            }
        }
        line.reverse();
        Some((line, place))
    }
}

/// Where what stands at `inside` of an instance of `to` stood in that of `from`, if it lies in what a variable of
/// both stands for.
fn moved(from: &Pattern, to: &Pattern, inside: &[u32]) -> Option<Vec<u32>> {
    let mut at = to;
    for (depth, &child) in inside.iter().enumerate() {
        match at {
            Pattern::Op(_, args) => at = args.get(child as usize)?,
            Pattern::Var(var) => return place_of(from, *var, &inside[depth..]),
            _ => return None,
        }
    }
    match at {
        Pattern::Var(var) => place_of(from, *var, &[]),
        _ => None,
    }
}

/// Where a variable first occurs in a pattern, and `rest` below it.
fn place_of(pattern: &Pattern, var: VarId, rest: &[u32]) -> Option<Vec<u32>> {
    match pattern {
        Pattern::Var(other) => (*other == var).then(|| rest.to_vec()),
        Pattern::Op(_, args) => (0..).zip(args).find_map(|(i, arg)| {
            let below = place_of(arg, var, rest)?;
            Some(std::iter::once(i).chain(below).collect())
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::satisfied::sketch_satisfied;
    use crate::graph::egraph::EGraph;
    use crate::proof::explain::explain;
    use crate::proof::flatten::Caps;
    use crate::saturation::run::{SaturationConfig, saturate_until};
    use crate::term::sketch::Sketch;
    use crate::{check, extract_sketch};
    use std::sync::Arc;

    fn line(start: &str, goal: &str) -> (Vec<String>, Vec<u32>) {
        let rules = include_str!("../../../configs/systems/tiling.rules");
        let system = Arc::new(System::parse(rules).unwrap());
        let mut bank = TermBank::new(system.language.clone());
        let start = bank.parse(start, None).unwrap();
        let sketch = Sketch::parse(&system.language, &format!("(contains {goal})"), None).unwrap();
        let goal = bank.parse(goal, None).unwrap();
        let mut egraph = EGraph::new(system.clone());
        let class = egraph.add_term(&bank, start);
        let config = SaturationConfig::default();
        saturate_until(&mut egraph, &config, |e| sketch_satisfied(e, e.find(class), &sketch));
        let class = egraph.find(class);
        let end = extract_sketch(&egraph, &mut bank, class, &sketch).unwrap();
        let proof = explain(&egraph, &mut bank, start, end).unwrap();
        check(&system, &bank, &proof).unwrap();
        let flat = proof.flatten(&mut bank, Caps { steps: 100, term_size: 100 }).unwrap();
        let place = bank.place_of(end, goal).unwrap();
        let (line, from) = flat.lineage(&system, &bank, &place).unwrap();
        (line.into_iter().map(|term| bank.text(term)).collect(), from)
    }

    #[test]
    fn a_loop_is_moved_outwards_and_what_is_around_it_left_out() {
        let (line, from) = line("(m a (m b (m c f)))", "(m a (m c (m b f)))");
        assert_eq!(line[0], "(m a (m b (m c f)))");
        assert_eq!(line[1], "(m a (o T (o (m c (m b f)) T)))");
        assert_eq!(line.last().unwrap(), "(m a (m c (m b f)))");
        assert!(line.len() <= 5 && from.is_empty(), "{line:?}");
    }

    #[test]
    fn a_part_that_nothing_touched_comes_from_where_it_stood() {
        let (line, from) = line("(o (m a (o f g)) h)", "(m a f)");
        assert_eq!(line, ["(m a (o f g))", "(m a f)"]);
        assert_eq!(from, [0]);
        let (line, from) = super::tests::line("(m a (m b f))", "(m b f)");
        assert_eq!((line, from), (vec!["(m b f)".to_owned()], vec![1]));
    }
}
