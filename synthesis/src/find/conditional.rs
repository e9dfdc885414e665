//! Rules with a condition: two terms whose values differ only where the condition fails. The weakest condition comes first.

use crate::find::stage::{Search, Staged};
use crate::find::stages::Stage;
use crate::language::OperatorSet;
use crate::rules::found::Found;
use crate::rules::generality::by_generality;
use crate::rules::theory::Theory;
use crate::small::enumerated::Enumerated;
use crate::small::renaming::Renaming;
use crate::small::terms::{Node, Term};
use crate::values::column::Signature;
use crate::values::conditions::{Guard, Guarded, holds};
use crate::values::inputs::Inputs;
use anyhow::Result;
use egraph::{SortId, System, TermBank, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, Mutex, PoisonError};

/// Literals that a condition's variables have in turn when it is tried whether a rule follows from others.
const TRIED: usize = 3;

impl Search<'_> {
    /// The rules with a condition whose larger side has so many nodes.
    ///
    /// # Errors
    /// An internal fault.
    pub(super) fn conditional(
        &mut self,
        set: OperatorSet,
        size: u16,
        staged: &mut Staged,
    ) -> Result<()> {
        let language = self.theory.language.clone();
        let stage = Stage { width: language.operators.len(), size, conditional: true };
        let small = self.small(set, stage);
        staged.cut = small.cut;
        let mut system = self.theory.without_folding()?;
        let mut bank = TermBank::new(system.language.clone());
        let mut refuting: Vec<Vec<Value>> = Vec::new();
        let mut seen: FxHashSet<(Term, Term)> = FxHashSet::default();
        let mut named: FxHashSet<((Term, Term), Guard, Vec<u8>)> = FxHashSet::default();
        for guarded in if small.cut { Vec::new() } else { Guarded::all(&language, &self.inputs) } {
            let pairs = self.pairs(&small, size, &guarded);
            // Two terms with variables named as they come, and how these were called.
            let mut candidates: Vec<((Term, Term), Renaming)> = Vec::new();
            for pair in pairs.into_iter().filter(|pair| seen.insert(*pair)) {
                let terms = &mut self.theory.terms;
                let renaming = Renaming::of(&language, terms, pair);
                let pair = (renaming.term(terms, pair.0), renaming.term(terms, pair.1));
                let read = guarded.variables.iter().map(|&v| renaming.variable(v)).collect();
                if named.insert((pair, guarded.guard, read)) {
                    candidates.push((pair, renaming));
                }
            }
            let terms = &self.theory.terms;
            candidates.sort_by(|(a, _), (b, _)| by_generality(terms, *a, *b));
            for (pair, renaming) in candidates {
                // Now, and not with the pair: each refutation is an input more.
                let guarded = renamed(&guarded, &self.inputs, &renaming);
                let found = Found::of(&language, &self.theory.terms, pair, Some(&guarded));
                let Some(found) = found else { continue };
                if self.is_said_where(pair, &guarded)
                    || self.differs_where(pair, &guarded, &refuting)
                {
                    continue;
                }
                if self.follows_where(&system, pair, &guarded, &mut bank) {
                    continue;
                }
                let known = self.theory.found.len();
                self.settle(found, (&stage.told(&language), &renaming), staged, &mut refuting)?;
                if self.theory.found.len() > known {
                    system = self.theory.without_folding()?;
                }
                if self.spent.is_over() || self.prover.is_stopped() {
                    staged.cut = true;
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Terms of a size, each with a smaller one that has its values wherever a condition holds.
    fn pairs(&self, small: &Enumerated, size: u16, guarded: &Guarded) -> Vec<(Term, Term)> {
        let terms = &self.theory.terms;
        let mut classes: FxHashMap<(SortId, Signature), Vec<Term>> = FxHashMap::default();
        let mut found = Vec::new();
        for (&(term, sort), column) in small.terms.iter().zip(&small.columns) {
            let class = classes.entry((sort, column.signature(Some(&guarded.holds)))).or_default();
            if terms.shape(term).size == size {
                let makes = |known: &Term| {
                    !self.is_evaluated((term, *known), guarded)
                        && Found::of(&self.theory.language, terms, (term, *known), Some(guarded))
                            .is_some()
                };
                found.extend(class.iter().copied().find(makes).map(|known| (term, known)));
            }
            class.push(term);
        }
        found
    }

    /// Whether operators are evaluated on literals, and the condition reads all variables, so that they are literals.
    fn is_evaluated(&self, (left, right): (Term, Term), guarded: &Guarded) -> bool {
        let Theory { terms, language, .. } = &self.theory;
        let read: u32 = guarded.variables.iter().map(|v| 1 << v).sum();
        let variables = terms.shape(left).variables | terms.shape(right).variables;
        language.folds && variables & !read == 0
    }

    /// Whether rules make the larger side smaller where the condition holds.
    fn is_said_where(&self, (larger, _): (Term, Term), guarded: &Guarded) -> bool {
        let terms = &self.theory.terms;
        let known: Mutex<FxHashMap<(Guard, Vec<Term>), bool>> = Mutex::default();
        let assumed = |guard: &Guard, stand: &[Term]| {
            let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
            let implied = || self.implies(guarded, *guard, stand).unwrap_or(false);
            *known.entry((*guard, stand.to_vec())).or_insert_with(implied)
        };
        self.theory.rewriting.reduces_within(terms, larger, &assumed)
    }

    /// Whether one condition holds of terms, which are variables or literals, wherever another one does.
    fn implies(&self, guarded: &Guarded, guard: Guard, stand: &[Term]) -> Option<bool> {
        let Search { theory, inputs, .. } = self;
        let at = |term: Term, point: usize| match theory.terms.node(term) {
            Node::Variable(variable) => Some(inputs.value(usize::from(variable), point)),
            Node::Literal(number) => Some(theory.terms.literal_of(number).1),
            Node::Apply(..) => None,
        };
        let said = guard.said(at(*stand.first()?, 0)?.kind())?;
        let mut points = (0..inputs.len()).filter(|&point| guarded.holds[point]);
        let holds_at = |point| {
            let values: Option<Vec<Value>> = stand.iter().map(|&term| at(term, point)).collect();
            values.is_some_and(|values| holds(&said, &values))
        };
        Some(points.all(holds_at))
    }

    fn differs_where(
        &self,
        (left, right): (Term, Term),
        guarded: &Guarded,
        refuting: &[Vec<Value>],
    ) -> bool {
        let (terms, language) = (&self.theory.terms, &self.theory.language);
        refuting.iter().any(|input| {
            let values: Vec<Value> =
                guarded.variables.iter().map(|v| input[usize::from(*v)]).collect();
            let said = values.first().and_then(|value| guarded.guard.said(value.kind()));
            said.is_some_and(|said| holds(&said, &values))
                && terms.value(language, left, input) != terms.value(language, right, input)
        })
    }

    /// Whether it follows for some literals of which the condition holds, in a system that does not evaluate them. That is no
    /// proof that it does for all, and a rule that is left out is never a wrong one.
    fn follows_where(
        &self,
        system: &Arc<System>,
        pair: (Term, Term),
        guarded: &Guarded,
        bank: &mut TermBank,
    ) -> bool {
        let mut tried: Vec<Vec<Option<Value>>> = Vec::new();
        for point in (0..self.inputs.len()).rev().filter(|&point| guarded.holds[point]) {
            let mut values = vec![None; self.theory.language.variables.len()];
            for &variable in &guarded.variables {
                let variable = usize::from(variable);
                values[variable] = Some(self.inputs.value(variable, point));
            }
            if !tried.contains(&values) {
                if !self.follows(system, pair, &values, bank) {
                    return false;
                }
                tried.push(values);
            }
            if tried.len() == TRIED {
                break;
            }
        }
        true
    }
}

/// The same condition of variables with other names.
fn renamed(guarded: &Guarded, inputs: &Inputs, renaming: &Renaming) -> Guarded {
    let variables: Vec<u8> = guarded.variables.iter().map(|&v| renaming.variable(v)).collect();
    let at = |point| -> Vec<Value> {
        variables.iter().map(|&v| inputs.value(usize::from(v), point)).collect()
    };
    let said = at(0).first().and_then(|value| guarded.guard.said(value.kind()));
    let holds_at = |point| said.as_ref().is_some_and(|said| holds(said, &at(point)));
    let holds = (0..inputs.len()).map(holds_at).collect();
    Guarded { guard: guarded.guard, variables, holds }
}
