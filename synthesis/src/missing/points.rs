//! What terms of a bank come to where their variables have values at the ends of what there is, and random ones.

use crate::values::inputs::{corners_of, random};
use egraph::{LeafValue, LiteralKind, Node, TermBank, TermId, Value};
use interop::{Lack, apply};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashMap;

/// So many points tell terms apart. What they don't is refuted when it is to be proved.
const POINTS: usize = 64;
/// In this part of them, values are those at the ends.
const CORNERS: usize = POINTS / 2;

/// What a term comes to, by point; where it has no value, why.
pub type Values = [Result<Value, Lack>];

/// By term.
type Known = FxHashMap<TermId, Option<Box<Values>>>;

/// The points, and what is known of terms there. Terms are those of one bank.
pub struct Points {
    rng: ChaCha8Rng,
    known: Known,
}

impl Points {
    /// The same for the same seed, and the same questions in the same order.
    pub fn new(seed: u64) -> Points {
        Points { rng: ChaCha8Rng::seed_from_u64(seed), known: Known::default() }
    }

    /// The values of a term; none if a part of it has no meaning: an operator that is not built in, a sort without literals.
    pub fn of(&mut self, bank: &TermBank, term: TermId) -> Option<&Values> {
        for part in bank.subterms(term) {
            if !self.known.contains_key(&part) {
                let values = self.computed(bank, part, &Known::default());
                self.known.insert(part, values);
            }
        }
        self.known[&term].as_deref()
    }

    /// Whether two terms have values, the same ones at all points.
    pub fn agree(&mut self, bank: &TermBank, a: TermId, b: TermId) -> bool {
        let both = [a, b].map(|term| self.of(bank, term).is_some());
        both == [true; 2] && self.known[&a] == self.known[&b]
    }

    /// The same of terms that nobody asks about again: nothing is kept of them.
    pub fn agree_once(&mut self, bank: &TermBank, a: TermId, b: TermId) -> bool {
        let mut once = Known::default();
        for part in bank.subterms(a).into_iter().chain(bank.subterms(b)) {
            if self.known.contains_key(&part) || once.contains_key(&part) {
                continue;
            }
            let values = self.computed(bank, part, &once);
            // A variable has the same values for ever.
            match bank.children(part).is_empty() {
                true => self.known.insert(part, values),
                false => once.insert(part, values),
            };
        }
        let of = |term| self.known.get(&term).or_else(|| once.get(&term)).and_then(|v| v.as_ref());
        of(a).is_some() && of(a) == of(b)
    }

    /// The values of a term whose parts are known.
    fn computed(&mut self, bank: &TermBank, term: TermId, once: &Known) -> Option<Box<Values>> {
        let language = bank.language();
        let kind = language.literal_kind(bank.sort(term))?;
        match bank.node(term) {
            Node::Leaf(leaf) => match &leaf.value {
                LeafValue::Literal(value) => Some(vec![Ok(*value); POINTS].into()),
                LeafValue::Variable(_) => Some(self.drawn(kind)),
                LeafValue::Bound(_) => None,
            },
            Node::Op(op) => {
                let builtin = language.op(op).builtin?;
                let args: Vec<&Values> = (bank.children(term).iter())
                    .map(|child| self.known.get(child).or_else(|| once.get(child))?.as_deref())
                    .collect::<Option<_>>()?;
                let at = |point: usize| {
                    let args: Vec<Result<Value, Lack>> =
                        args.iter().map(|values| values[point]).collect();
                    apply(builtin, &args)
                };
                Some((0..POINTS).map(at).collect())
            }
        }
    }

    /// The values of a variable.
    fn drawn(&mut self, kind: LiteralKind) -> Box<Values> {
        let corners = corners_of(kind);
        let mut value = |point: usize| match point < CORNERS {
            true => corners[self.rng.random_range(0..corners.len())],
            false => random(kind, &mut self.rng),
        };
        (0..POINTS).map(|point| Ok(value(point))).collect()
    }
}
