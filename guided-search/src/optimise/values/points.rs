//! Points at which terms are compared: values of their variables.

use crate::optimise::values::words::{POINTS, Values, WordOp};
use egraph::{LeafValue, Node, OpId, TermBank, TermId, Value};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashMap;

/// Where terms are compared.
pub struct Points {
    /// The values of the variables.
    pub variables: Vec<Values>,
    /// Those of the term that is looked for.
    pub target: Values,
    /// Variables on which the value depends at one of the points.
    pub matter: usize,
}

impl Points {
    pub fn of(
        bank: &TermBank,
        start: TermId,
        (operators, ones): (&[(OpId, WordOp)], u64),
        rng: &mut ChaCha8Rng,
    ) -> Option<Points> {
        let names: Vec<String> =
            bank.variables(start).iter().map(|leaf| leaf.to_string()).collect();
        let operators: FxHashMap<OpId, WordOp> = operators.iter().copied().collect();
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
            (0..names.len()).map(|v| std::array::from_fn(|point| value(v, point))).collect()
        };
        let (variables, others) = (drawn(), drawn());
        let of =
            |variables: &[Values]| values(bank, start, (&names, variables), (&operators, ones));
        let target = of(&variables)?;
        let mut matter = 0;
        for variable in 0..names.len() {
            let mut changed = variables.clone();
            changed[variable] = others[variable];
            changed[variable][..4].iter_mut().for_each(|value| *value = !*value & ones);
            matter += usize::from(of(&changed)? != target);
        }
        Some(Points { variables, target, matter })
    }
}

/// The values of a term where its variables have these.
pub fn values(
    bank: &TermBank,
    term: TermId,
    (names, variables): (&[String], &[Values]),
    (operators, ones): (&FxHashMap<OpId, WordOp>, u64),
) -> Option<Values> {
    let mut known: FxHashMap<TermId, Values> = FxHashMap::default();
    for part in bank.subterms(term) {
        let found = match bank.node(part) {
            Node::Op(op) => {
                let op = operators.get(&op)?;
                let [a, b] = [0, 1].map(|i| bank.children(part).get(i).map(|child| known[child]));
                let (a, b) = (a?, b.unwrap_or_default());
                std::array::from_fn(|point| op.of(a[point], b[point], ones))
            }
            Node::Leaf(leaf) => match &leaf.value {
                LeafValue::Literal(Value::Bits(bits)) => [bits.value(); POINTS],
                LeafValue::Variable(name) => {
                    variables[names.iter().position(|known| known == name)?]
                }
                _ => return None,
            },
        };
        known.insert(part, found);
    }
    known.remove(&term)
}
