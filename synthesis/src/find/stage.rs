//! One stage: terms are enumerated, pairs with equal values sorted by generality; what does not follow is proved and becomes a
//! rule. What is refuted adds an input, and the stage is gone through again.

use crate::find::stages::Stage;
use crate::language::OperatorSet;
use crate::options::Sizes;
use crate::rules::following::{Reach, united};
use crate::rules::found::Found;
use crate::rules::generality;
use crate::rules::known::Known;
use crate::rules::proving::Prover;
use crate::rules::theory::Theory;
use crate::small::enumerated::{Enumerated, Request, enumerate};
use crate::small::matching::matched_both;
use crate::small::renaming::Renaming;
use crate::small::rewriting::nothing;
use crate::small::terms::Term;
use crate::values::inputs::Inputs;
use anyhow::Result;
use egraph::{System, TermBank, Value};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::time::Instant;

/// What a search works with.
pub struct Search<'a> {
    /// What is known.
    pub theory: Theory,
    /// Where terms are compared.
    pub inputs: Inputs,
    /// Who proves.
    pub prover: &'a Prover,
    /// What follows within this is left out.
    pub reach: Reach,
    /// Whether rules are kept that are not proved.
    pub unproved: bool,
    /// Sizes up to which terms of few operators are gone through.
    pub sizes: Sizes,
    /// Candidates of this stage that nobody could prove or refute.
    pub unknown: Vec<(Term, Term)>,
    /// How much was done, and when to end.
    pub spent: Spent,
}

/// Two terms with equal values, and how their variables are called instead of as they were found.
type Candidate = ((Term, Term), Renaming);

/// How much was done, and when to end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    /// Terms that were looked at.
    pub terms: u64,
    /// The most that may be.
    pub most: Option<u64>,
    /// The time of the end.
    pub until: Option<Instant>,
}

impl Spent {
    /// Whether that was all.
    pub fn is_over(&self) -> bool {
        self.most.is_some_and(|most| self.terms >= most)
            || self.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// What a stage has found.
#[derive(Clone, Debug, Default)]
pub struct Staged {
    /// The rules.
    pub rules: Vec<Found>,
    /// Inputs that refuted candidates.
    pub inputs: Vec<Vec<Value>>,
    /// Candidates that nobody could prove or refute.
    pub unknown: Vec<String>,
    /// Whether the end came first.
    pub cut: bool,
}

impl Search<'_> {
    /// Goes through a stage; what it finds is known from then on.
    ///
    /// # Errors
    /// An internal fault.
    pub fn stage(&mut self, stage: Stage) -> Result<Staged> {
        let mut staged = Staged::default();
        // A stage depends on the rules and inputs before it, and on nothing else.
        self.unknown.clear();
        for set in stage.sets(&self.theory.language.clone()) {
            // Until nothing is refuted.
            loop {
                let refuted = staged.inputs.len();
                match stage.conditional {
                    true => self.conditional(set, stage.size, &mut staged)?,
                    false => self.unconditional(set, stage, &mut staged)?,
                }
                if staged.cut {
                    return Ok(staged);
                }
                if staged.inputs.len() == refuted {
                    break;
                }
            }
        }
        Ok(staged)
    }

    /// The terms of some operators up to a size.
    pub(super) fn small(&mut self, set: OperatorSet, stage: Stage) -> Enumerated {
        let Search { theory, inputs, spent, prover, sizes, .. } = self;
        let before = |operators: usize, size: u16| match operators {
            0 | 1 if stage.width > 1 => size <= sizes.one,
            2 if stage.width > 2 => size <= sizes.two,
            3 if stage.width > 3 => size <= sizes.three,
            _ => false,
        };
        let language = theory.language.clone();
        let request = Request {
            language: &language,
            inputs,
            rewriting: &theory.rewriting,
            operators: set,
            size: stage.size,
            columns: stage.conditional,
            before: &before,
        };
        let mut over = |terms| {
            spent.terms += terms;
            spent.is_over() || prover.is_stopped()
        };
        enumerate(&mut theory.terms, &request, &mut over)
    }

    fn unconditional(&mut self, set: OperatorSet, stage: Stage, staged: &mut Staged) -> Result<()> {
        let small = self.small(set, stage);
        staged.cut = small.cut;
        let candidates = self.candidates(&small.pairs);
        let mut refuting = Vec::new();
        let language = self.theory.language.clone();
        let mut bank = TermBank::new(language.system.language.clone());
        for at in 0..if small.cut { 0 } else { candidates.len() } {
            let (pair, renaming) = &candidates[at];
            if self.is_said(*pair) || self.differs(*pair, &refuting) {
                continue;
            }
            let normal = self.theory.rewriting.normal(&mut self.theory.terms, pair.1);
            let pair = (pair.0, if self.agree(pair.1, normal) { normal } else { pair.1 });
            let Some(found) = Found::of(&language, &self.theory.terms, pair, None) else {
                continue;
            };
            let system = &self.theory.system;
            if pair.0 == pair.1 || self.follows(system, pair, &[], &mut bank) {
                continue;
            }
            if self.is_of_unknown(pair) {
                continue;
            }
            self.ask_ahead(&candidates[at..]);
            let unknown = staged.unknown.len();
            self.settle(found, (&stage.told(&language), renaming), staged, &mut refuting)?;
            if staged.unknown.len() > unknown {
                self.unknown.push(pair);
            }
            if self.spent.is_over() || self.prover.is_stopped() {
                staged.cut = true;
                break;
            }
        }
        Ok(())
    }

    /// Pairs with variables named as they come, each once, the most general first.
    fn candidates(&mut self, pairs: &[(Term, Term)]) -> Vec<Candidate> {
        let Theory { terms, language, .. } = &mut self.theory;
        let mut named: FxHashMap<(Term, Term), Renaming> = FxHashMap::default();
        for &pair in pairs {
            let renaming = Renaming::of(language, terms, pair);
            let pair = (renaming.term(terms, pair.0), renaming.term(terms, pair.1));
            named.entry(pair).or_insert(renaming);
        }
        let mut candidates: Vec<Candidate> = named.into_iter().collect();
        candidates.sort_by(|(a, _), (b, _)| generality::by_generality(terms, *a, *b));
        candidates
    }

    /// Whether a rule that was found since makes the larger side smaller.
    fn is_said(&self, (larger, _): (Term, Term)) -> bool {
        let Theory { terms, rewriting, .. } = &self.theory;
        rewriting.reduces(terms, terms.node(larger), &nothing)
    }

    /// Whether both sides differ at an input that was found since.
    fn differs(&self, (left, right): (Term, Term), inputs: &[Vec<Value>]) -> bool {
        let Theory { terms, language, .. } = &self.theory;
        inputs
            .iter()
            .any(|input| terms.value(language, left, input) != terms.value(language, right, input))
    }

    /// Whether it is an instance of a candidate that nobody could prove, and of too many assignments to go through: no solver
    /// is asked about each case of what it does not know.
    fn is_of_unknown(&self, (left, right): (Term, Term)) -> bool {
        let Theory { terms, language, .. } = &self.theory;
        let variables = terms.shape(left).variables | terms.shape(right).variables;
        let is_one = |&(general, other): &(Term, Term)| {
            matched_both(terms, (general, other), (left, right))
                || matched_both(terms, (other, general), (left, right))
        };
        !language.has_few_assignments(variables) && self.unknown.iter().any(is_one)
    }

    /// Whether two terms have equal values at all inputs: what rules make of a term may have a value where the term has none.
    fn agree(&self, a: Term, b: Term) -> bool {
        let Theory { terms, language, .. } = &self.theory;
        let variables = language.variables.len();
        let at = |point| -> Vec<Value> {
            (0..variables).map(|variable| self.inputs.value(variable, point)).collect()
        };
        let same =
            |input: &[Value]| terms.value(language, a, input) == terms.value(language, b, input);
        a == b || (0..self.inputs.len()).all(|point| same(&at(point)))
    }

    /// Whether it follows from the rules of a system that both sides are equal, with literals in the place of some variables.
    pub(super) fn follows(
        &self,
        system: &Arc<System>,
        (left, right): (Term, Term),
        values: &[Option<Value>],
        bank: &mut TermBank,
    ) -> bool {
        let Theory { terms, language, .. } = &self.theory;
        let [left, right] = [left, right].map(|side| terms.in_bank(language, side, bank, values));
        united(system, bank, (left, right), self.reach)
    }

    /// Asks about the next candidates, too, while there are threads that do nothing else. What is known does not depend on it.
    fn ask_ahead(&mut self, candidates: &[Candidate]) {
        let threads = rayon::current_num_threads();
        if threads == 1 {
            return;
        }
        let language = self.theory.language.clone();
        let input = self.input();
        let next: Vec<Found> = candidates
            .iter()
            .filter(|(pair, _)| !self.is_said(*pair))
            .filter_map(|(pair, _)| Found::of(&language, &self.theory.terms, *pair, None))
            .take(threads)
            .collect();
        next.par_iter().for_each(|found| _ = self.prover.known(found, &input));
    }

    /// An input, for variables that a candidate does not have.
    fn input(&self) -> Vec<Value> {
        (0..self.theory.language.variables.len()).map(|v| self.inputs.value(v, 0)).collect()
    }

    /// Makes a candidate a rule if it is proved; notes what refutes it.
    pub(super) fn settle(
        &mut self,
        found: Found,
        (told, renaming): (&str, &Renaming),
        staged: &mut Staged,
        refuting: &mut Vec<Vec<Value>>,
    ) -> Result<()> {
        let (proved, how) = match self.prover.known(&found, &self.input()) {
            Known::Proved(by) => (true, format!("proved by {by}")),
            Known::Refuted(values) => {
                refuting.push(values.clone());
                for input in [renaming.back(&values), values] {
                    let before = self.inputs.len();
                    self.inputs.push(&input);
                    if self.inputs.len() > before {
                        staged.inputs.push(input);
                    }
                }
                return Ok(());
            }
            // Whoever is stopped knows nothing yet.
            Known::Unknown(_) if self.prover.is_stopped() => return Ok(()),
            Known::Unknown(why) => {
                let line = found.line("?").replace(" :name ?", "");
                let line = format!("{}; {why}", line.trim_end());
                if !staged.unknown.contains(&line) {
                    staged.unknown.push(line);
                }
                if !self.unproved {
                    return Ok(());
                }
                (false, format!("NOT PROVED: {why}"))
            }
        };
        let found = Found { proved, origin: format!("{told}; {how}"), ..found };
        staged.rules.push(found.clone());
        self.theory.add(found)
    }
}
