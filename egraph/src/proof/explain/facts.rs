//! Proofs of facts.
//!
//! A fact holds at the term of the e-node where a transfer found it. Its arguments' facts were found at
//! other terms of their classes: what these are equal by is older than the fact.

use super::Explainer;
use super::needs::arguments;
use crate::graph::facts::{Because, FactId, Facts};
use crate::id::Id;
use crate::proof::dag::{FactBy, How, StepRef};
use crate::rules::analysis::{Transfer, TransferId, TransferOf};
use crate::term::bank::{TermBank, TermId};
use crate::term::language::{Leaf, LeafValue};
use smallvec::SmallVec;

impl<'e> Explainer<'e> {
    fn known_facts(&self) -> &'e Facts {
        self.egraph.facts().expect("a fact of a system with analyses")
    }

    fn transfer(&self, id: TransferId) -> &'e Transfer {
        self.egraph.system().analyses.transfer(id).expect("a transfer of the system")
    }

    /// Proves a fact at its own term. All that it needs has been proved.
    pub(super) fn prove_fact(&mut self, bank: &mut TermBank, fact: FactId) {
        let found = self.known_facts().get(fact);
        let at = self.term(bank, found.at);
        let sort = bank.language().analysis(found.analysis).values;
        let value = bank.leaf(&Leaf { sort, value: LeafValue::Literal(found.value) });
        let step = match found.because {
            Because::Merged(old, new) => {
                let old = self.fact_at(bank, old, found.at);
                let new = self.fact_at(bank, new, found.at);
                let how = How::Fact(found.analysis, FactBy::Merge);
                self.steps.push_because(at, value, how, &[old, new])
            }
            Because::Transfer(id, premises) => {
                let transfer = self.transfer(id);
                let literals = transfer.literals();
                let args = arguments(self.egraph, transfer, found.at, premises);
                let mut substitution: SmallVec<[TermId; 6]> =
                    args.iter().map(|&arg| self.term(bank, arg)).collect();
                // The term with literals for the arguments that are read as such.
                let (equal, instance) = match transfer.of {
                    TransferOf::Literals | TransferOf::Variables => (None, at),
                    TransferOf::Operator(_) => {
                        let made_with = self.egraph.original_children(found.at);
                        let mut children = SmallVec::<[Option<StepRef>; 6]>::new();
                        for (&from, &to) in made_with.iter().zip(&args) {
                            children.push(self.equal(bank, from, to));
                        }
                        let instance = bank.add(bank.head(at), &substitution);
                        (self.congruence(at, instance, &children), instance)
                    }
                };
                let mut because = SmallVec::<[StepRef; 4]>::new();
                let facts = &premises[literals.len()..];
                for (of, &Id(fact)) in transfer.variables.facts.iter().zip(facts) {
                    let proved = self.fact_at(bank, FactId(fact), args[usize::from(of.var.0)]);
                    substitution.push(self.steps.ends(proved).1);
                    because.push(proved);
                }
                let how = How::Fact(found.analysis, FactBy::Transfer(id, &substitution));
                let step = self.steps.push_because(instance, value, how, &because);
                match equal {
                    None => step,
                    Some(equal) => {
                        let how = How::Fact(found.analysis, FactBy::Equality);
                        self.steps.push_because(at, value, how, &[equal, step])
                    }
                }
            }
        };
        self.facts.insert(fact, step);
    }

    /// The proof of a proved fact at an id that equals its own, which has been proved.
    pub(super) fn fact_at(&mut self, bank: &mut TermBank, fact: FactId, id: Id) -> StepRef {
        let found = self.known_facts().get(fact);
        let proved = self.facts[&fact];
        match self.equal(bank, id, found.at) {
            None => proved,
            Some(equal) => {
                let (from, value) = (self.term(bank, id), self.steps.ends(proved).1);
                let how = How::Fact(found.analysis, FactBy::Equality);
                self.steps.push_because(from, value, how, &[equal, proved])
            }
        }
    }
}
