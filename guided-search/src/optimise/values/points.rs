//! Points at which terms are compared: values of their variables.

use crate::optimise::values::words::{POINTS, Values};
use egraph::{Leaf, LeafValue, LiteralKind, Node, TermBank, TermId, Value};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashMap;

/// Where terms are compared.
pub struct Points {
    /// The values of the term's variables.
    pub variables: Vec<Values>,
    /// The numbers of those of the term's own sort.
    own: Vec<usize>,
    /// Those of the term that is looked for.
    pub target: Values,
    /// Variables on which the value depends at one of the points.
    pub matter: usize,
}

impl Points {
    pub fn of(bank: &TermBank, start: TermId, ones: u64, rng: &mut ChaCha8Rng) -> Option<Points> {
        let leaves = bank.variables(start);
        // All bits clear, all bits set, small numbers, each combination of bits; and random words.
        let mut value = |variable: usize, point: usize| {
            ones & match point {
                0 => 0,
                1 => u64::MAX,
                2 => variable as u64 + 1,
                3 => [0xaaaa, 0xcccc, 0xf0f0, 0xff00][variable % 4],
                _ => rng.random::<u64>(),
            }
        };
        let mut drawn = || -> Vec<Values> {
            (0..leaves.len()).map(|v| std::array::from_fn(|point| value(v, point))).collect()
        };
        let (variables, others) = (drawn(), drawn());
        let of = |variables: &[Values]| values(bank, start, &leaves, variables);
        let target = of(&variables)?;
        let mut matter = 0;
        for variable in 0..leaves.len() {
            let mut changed = variables.clone();
            changed[variable] = others[variable];
            changed[variable][..4].iter_mut().for_each(|value| *value = !*value & ones);
            matter += usize::from(of(&changed)? != target);
        }
        let is_own = |&variable: &usize| leaves[variable].sort == bank.sort(start);
        let own = (0..leaves.len()).filter(is_own).collect();
        Some(Points { variables, own, target, matter })
    }

    /// The variables of the term's own sort: the number of each, and its values.
    pub fn own_variables(&self) -> impl Iterator<Item = (usize, Values)> {
        self.own.iter().map(|&variable| (variable, self.variables[variable]))
    }
}

/// The values of a term where its variables have these: words, cut to the width of their sort, and truth values of 0 and 1.
/// `None` of other sorts, and of operators that are not built in.
pub fn values(
    bank: &TermBank,
    term: TermId,
    leaves: &[&Leaf],
    variables: &[Values],
) -> Option<Values> {
    let language = bank.language();
    let mut known: FxHashMap<TermId, Values> = FxHashMap::default();
    for part in bank.subterms(term) {
        let kind = language.literal_kind(bank.sort(part))?;
        let found = match bank.node(part) {
            Node::Op(op) => {
                let children = bank.children(part);
                let kinds: Vec<LiteralKind> = (children.iter())
                    .map(|&child| language.literal_kind(bank.sort(child)))
                    .collect::<Option<_>>()?;
                let builtin = language.op(op).builtin?;
                let mut found = [0; POINTS];
                for (point, found) in found.iter_mut().enumerate() {
                    let args: Vec<Value> = (children.iter().zip(&kinds))
                        .map(|(child, kind)| kind.of_bits(known[child][point]))
                        .collect::<Option<_>>()?;
                    *found = builtin.eval(&args)?.to_bits()?;
                }
                found
            }
            Node::Leaf(leaf) => match &leaf.value {
                LeafValue::Literal(value) => [value.to_bits()?; POINTS],
                LeafValue::Variable(_) => {
                    let values = variables[leaves.iter().position(|known| *known == leaf)?];
                    let mut found = [0; POINTS];
                    for (found, word) in found.iter_mut().zip(values) {
                        *found = kind.of_bits(word)?.to_bits()?;
                    }
                    found
                }
                LeafValue::Bound(_) => return None,
            },
        };
        known.insert(part, found);
    }
    known.remove(&term)
}

/// Two terms must have the same values at points that no search has drawn.
#[cfg(test)]
pub fn assert_same_values(bank: &TermBank, terms: [TermId; 2]) {
    let leaves = bank.variables(terms[0]);
    let mut rng = crate::search::randomness::stream(1, 0, 0, 0);
    let variables: Vec<Values> =
        leaves.iter().map(|_| std::array::from_fn(|_| rng.random())).collect();
    let [a, b] = terms.map(|term| values(bank, term, &leaves, &variables).unwrap());
    let [left, right] = terms.map(|term| bank.text(term));
    assert_eq!(a, b, "{left} {right}");
}
