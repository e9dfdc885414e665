//! Learning to optimise: seeds are optimised from e-graph to e-graph, and what the proof of each improvement
//! used is learned from. There are no targets. A seed with which a round gets no further is set aside, and the
//! next larger one comes in, so that what is practised on gets harder as the ranker gets better.

use crate::learning::practice::{Found, Order, Practice, Searched, example};
use crate::optimise::answer::{Objective, OptimiseSettings, Used};
use crate::optimise::run::optimise;
use crate::options::budget::Budget;
use anyhow::Result;
use egraph::{System, TermBank, TermId};
use ranking::Example;
use std::sync::Arc;
use terms::{Seed, SeenSeeds};

/// Seeds, and what is made of them.
pub struct SeedPractice<'a> {
    system: &'a Arc<System>,
    /// The bank of the seeds.
    bank: &'a TermBank,
    /// The smallest first.
    training: Vec<TermId>,
    validation: Vec<TermId>,
    objective: &'a Objective,
    budget: Budget,
    /// Training seeds of a round.
    batch: usize,
    seed: u64,
}

impl<'a> SeedPractice<'a> {
    /// On `batch` training seeds a round, each within a budget.
    pub fn new(
        system: &'a Arc<System>,
        bank: &'a TermBank,
        [training, validation]: [&[Seed]; 2],
        objective: &'a Objective,
        (budget, batch, seed): (Budget, usize, u64),
    ) -> SeedPractice<'a> {
        let terms = |seeds: &[Seed]| seeds.iter().map(|seed| seed.term).collect();
        let mut training: Vec<TermId> = terms(training);
        training.sort_by_key(|&term| bank.size(term));
        let validation = terms(validation);
        SeedPractice { system, bank, training, validation, objective, budget, batch, seed }
    }

    fn optimise(
        &self,
        number: u32,
        term: TermId,
        order: &Order,
        keep_chosen: bool,
    ) -> Result<Searched> {
        let mut bank = TermBank::new(self.system.language.clone());
        let start = bank.import(self.bank, term);
        let settings = OptimiseSettings {
            order: order.clone(),
            keep_chosen,
            ..OptimiseSettings::within(self.budget, self.seed)
        };
        let outcome = optimise(self.system, &mut bank, start, self.objective, &settings)?;
        // The first of the curve is the seed.
        let improved = outcome.curve.len() > 1;
        let cost = outcome.best().map_or(Vec::new(), |best| best.cost.values().to_vec());
        Ok(Searched {
            found: Found { number, improved, cost },
            cost_before: outcome.curve.first().map(|first| first.cost.values()[0]),
            work: outcome.ledger.work,
            examples: outcome.used.iter().map(examples).collect(),
        })
    }

    /// The training seeds of the round after `before`.
    fn active(&self, before: &[Vec<Found>]) -> Vec<usize> {
        let count = self.training.len();
        let mut best: Vec<Option<&[u64]>> = vec![None; count];
        let mut active: Vec<usize> = (0..self.batch.min(count)).collect();
        // The next that was not tried yet; after the last one those that were set aside.
        let mut next = active.len();
        for round in before {
            let mut kept = Vec::new();
            for found in round {
                let seed = found.number as usize;
                let further = best[seed].is_none_or(|best| *found.cost < *best);
                if further {
                    best[seed] = Some(&found.cost);
                }
                if further && found.improved {
                    kept.push(seed);
                }
            }
            let mut tried = 0;
            while kept.len() < active.len() && tried < count {
                let seed = next % count;
                if !kept.contains(&seed) {
                    kept.push(seed);
                }
                (next, tried) = (next + 1, tried + 1);
            }
            kept.sort_unstable();
            active = kept;
        }
        active
    }
}

fn examples(used: &Used) -> Vec<Example> {
    used.iter().map(|(chosen, used)| example((chosen, *used))).collect()
}

impl Practice for SeedPractice<'_> {
    fn seen(&self) -> Result<SeenSeeds> {
        let mut bank = TermBank::new(self.system.language.clone());
        let both = self.training.iter().chain(&self.validation);
        let terms: Vec<TermId> = both.map(|&term| bank.import(self.bank, term)).collect();
        Ok(SeenSeeds::of(&mut bank, terms))
    }

    fn training(&self, before: &[Vec<Found>]) -> Vec<u32> {
        self.active(before).into_iter().map(|seed| seed as u32).collect()
    }

    fn train(&self, number: u32, order: &Order) -> Result<Searched> {
        self.optimise(number, self.training[number as usize], order, true)
    }

    fn validation(&self) -> u32 {
        self.validation.len() as u32
    }

    fn validate(&self, number: u32, order: &Order) -> Result<Searched> {
        self.optimise(number, self.validation[number as usize], order, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::budget::Cap;
    use crate::options::schedulers::Schedulers;
    use egraph::{CostFunction, Sketch};

    #[test]
    fn what_gets_no_further_makes_room_for_larger_ones_and_comes_back_at_the_end() {
        let system = Arc::new(System::parse("(sort S) (op a () S) (op f (S) S)").unwrap());
        let mut bank = TermBank::new(system.language.clone());
        let mut seeds = Vec::new();
        for text in ["(f (f (f a)))", "a", "(f a)", "(f (f a))"] {
            seeds.push(Seed { id: text.to_owned(), term: bank.parse(text, None).unwrap() });
        }
        let cost = CostFunction::size();
        let objective = Objective::tree(cost, Sketch::Any);
        let budget = Budget { cap: Cap::Nodes(10), work: 100, scheduler: Schedulers::BestFirst };
        let sets = [&seeds[..], &[]];
        let practice = SeedPractice::new(&system, &bank, sets, &objective, (budget, 2, 0));
        let sizes: Vec<u64> = practice.training.iter().map(|&term| bank.size(term)).collect();
        assert_eq!(sizes, [1, 2, 3, 4]);
        let found = |number, improved, cost: u64| Found { number, improved, cost: vec![cost] };
        let mut before = Vec::new();
        assert_eq!(practice.active(&before), [0, 1]);
        before.push(vec![found(0, false, 1), found(1, true, 1)]);
        assert_eq!(practice.active(&before), [1, 2]);
        // No further than before.
        before.push(vec![found(1, true, 1), found(2, true, 2)]);
        assert_eq!(practice.active(&before), [2, 3]);
        before.push(vec![found(2, true, 1), found(3, false, 4)]);
        assert_eq!(practice.active(&before), [0, 2]);
    }
}
