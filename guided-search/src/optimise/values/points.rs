//! Points at which terms are compared: values of their variables.

use crate::optimise::values::words::{POINTS, Values};
use egraph::{Leaf, LeafValue, LiteralKind, Node, TermBank, TermId, Value};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashMap;

/// Where terms are compared.
pub struct Points {
    /// The values of the term's variables.
    pub drawn: Vec<Values>,
    /// Those of the variables of the term's own sort, each with its number among all.
    pub variables: Vec<(usize, Values)>,
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
        let own = |&(number, _): &(usize, Values)| leaves[number].sort == bank.sort(start);
        let drawn = variables.clone();
        let variables = variables.into_iter().enumerate().filter(own).collect();
        Some(Points { drawn, variables, target, matter })
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
