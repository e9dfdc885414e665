//! Whether a term is known to be the smallest: all smaller terms are gone through, up to equality of their values at
//! a few points. What differs at a point differs, so if none of them has the values of the term at all points, none
//! equals it, whatever the rules say.
//!
//! A variable that the term does not have needs none of its own, as another could stand in its place. A literal may be
//! any: terms with one are gone through from the root down, with what the rest of the term says of its value. Terms
//! with more than one are not gone through; they are too large where so many variables matter that no leaf is left for a
//! second literal, which is asked for first.

use crate::optimise::words::{Known, POINTS, Values, WordOp, operators_of};
use egraph::{LeafValue, Node, OpId, TermBank, TermId, Value};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rustc_hash::{FxHashMap, FxHashSet};

/// Terms and places that are looked at, at most.
const VISITS: u64 = 1 << 16;
/// Of these as many as take the time of one e-node.
const VISITS_PER_NODE: u64 = 64;

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Looked {
    /// The classes of smaller terms that were looked through, if no smaller term has the same values.
    pub none: Option<u64>,
    /// What it took, in e-nodes.
    pub work: u64,
}

/// Looks for a term that has the values of `start` and at most `most` nodes.
pub fn look(bank: &TermBank, start: TermId, most: u64, rng: &mut ChaCha8Rng) -> Looked {
    let mut visits = 0;
    let none = classes(bank, start, most, rng, &mut visits);
    Looked { none, work: visits / VISITS_PER_NODE }
}

fn classes(
    bank: &TermBank,
    start: TermId,
    most: u64,
    rng: &mut ChaCha8Rng,
    visits: &mut u64,
) -> Option<u64> {
    let (operators, ones) = operators_of(bank.language(), bank.sort(start))?;
    let points = Points::of(bank, start, (&operators, ones), rng)?;
    // Each variable that matters takes a leaf.
    let literals = (most as usize).div_ceil(2).saturating_sub(points.matter);
    let ops: Vec<WordOp> = operators.iter().map(|&(_, op)| op).collect();
    if literals > 1 || literals == 1 && !ops.iter().all(|op| op.goes_back()) {
        return None;
    }
    let mut smaller = Smaller { ops, ones, levels: vec![Vec::new()], visits: *visits };
    let found = smaller.without_literal(&points, most);
    let target = points.target.map(|value| Known { mask: ones, value });
    let none = found == Some(false)
        && (literals == 0 || smaller.with_literal(&target, most as usize) == Some(false));
    *visits = smaller.visits;
    none.then(|| smaller.levels.iter().map(|level| level.len() as u64).sum())
}

/// Where terms are compared.
struct Points {
    /// The values of the variables.
    variables: Vec<Values>,
    /// Those of the term that is looked for.
    target: Values,
    /// Variables on which the value depends at one of the points.
    matter: usize,
}

impl Points {
    fn of(
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
fn values(
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

struct Smaller {
    ops: Vec<WordOp>,
    ones: u64,
    /// By size: the values of terms without a literal that no smaller one has.
    levels: Vec<Vec<Values>>,
    visits: u64,
}

impl Smaller {
    /// Whether a term without a literal and with at most `most` nodes has the values; unknown after too many visits.
    fn without_literal(&mut self, points: &Points, most: u64) -> Option<bool> {
        let mut seen: FxHashSet<Values> = FxHashSet::default();
        for size in 1..=most as usize {
            let mut level = Vec::new();
            let mut see = |values: Values| {
                if seen.insert(values) {
                    level.push(values);
                }
                values == points.target
            };
            if size == 1 && points.variables.iter().any(|&values| see(values)) {
                return Some(true);
            }
            for op in self.ops.clone() {
                for first in 1..size.saturating_sub(1).max(usize::from(op.arity() == 1) * size) {
                    let second = (size - 1).saturating_sub(first);
                    let (a, b) = match (op.arity(), second) {
                        (1, 0) => (&self.levels[first], &self.levels[0][..]),
                        (2, 1..) if !op.commutes() || first <= second => {
                            (&self.levels[first], &self.levels[second][..])
                        }
                        _ => continue,
                    };
                    for a in a {
                        let nothing = [[0; POINTS]];
                        let b = if op.arity() == 1 { &nothing[..] } else { b };
                        self.visits += b.len() as u64;
                        if self.visits > VISITS {
                            return None;
                        }
                        for b in b {
                            let ones = self.ones;
                            if see(std::array::from_fn(|point| op.of(a[point], b[point], ones))) {
                                return Some(true);
                            }
                        }
                    }
                }
            }
            self.levels.push(level);
        }
        Some(false)
    }

    /// Whether a term with one literal and at most `most` nodes may be what is `wanted` of it; unknown after too many
    /// visits.
    fn with_literal(&mut self, wanted: &[Known; POINTS], most: usize) -> Option<bool> {
        self.visits += 1;
        if self.visits > VISITS {
            return None;
        }
        if may_be_same(wanted) {
            return Some(true);
        }
        for op in self.ops.clone() {
            if op.arity() == 1 {
                if most >= 2
                    && let Some(inside) = self.inside(op, wanted, &[0; POINTS], false)
                    && self.with_literal(&inside, most - 1)?
                {
                    return Some(true);
                }
                continue;
            }
            for size in 1..most.saturating_sub(1) {
                for other in 0..self.levels[size].len() {
                    let values = self.levels[size][other];
                    for second in [false, true] {
                        self.visits += 1;
                        if !(second && op.commutes())
                            && let Some(inside) = self.inside(op, wanted, &values, second)
                            && self.with_literal(&inside, most - 1 - size)?
                        {
                            return Some(true);
                        }
                    }
                }
            }
        }
        Some(false)
    }

    fn inside(
        &self,
        op: WordOp,
        wanted: &[Known; POINTS],
        other: &Values,
        second: bool,
    ) -> Option<[Known; POINTS]> {
        let mut inside = [Known::NOTHING; POINTS];
        for ((inside, wanted), &other) in inside.iter_mut().zip(wanted).zip(other) {
            *inside = op.argument(*wanted, other, second, self.ones)?;
        }
        Some(inside)
    }
}

/// Whether one word may be what is known at each point.
fn may_be_same(known: &[Known; POINTS]) -> bool {
    let mut all = Known::NOTHING;
    known.iter().all(|known| {
        let agrees = (all.value ^ known.value) & all.mask & known.mask == 0;
        all = Known { mask: all.mask | known.mask, value: all.value | known.value };
        agrees
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::randomness::stream;
    use egraph::System;

    const RULES: &str = "(sort W) (literal (bits 3) W) (variable W) (op + (W W) W) (op & (W W) W)
        (op * (W W) W) (op ~ (W) W) (op - (W W) W)";
    /// What terms of two variables evaluate to at all of their values.
    type Table = Vec<u8>;

    /// By size: the tables of all terms over two variables and all words of three bits.
    fn tables(largest: usize) -> Vec<FxHashSet<Table>> {
        let all = |f: &dyn Fn(u8, u8) -> u8| (0..64).map(|i| f(i / 8, i % 8)).collect::<Table>();
        let mut sizes = vec![FxHashSet::default(); 2];
        sizes[1].extend([all(&|x, _| x), all(&|_, y| y)]);
        sizes[1].extend((0..8).map(|c| all(&move |_, _| c)));
        for size in 2..=largest {
            let mut next = FxHashSet::default();
            let not = |a: &Table| a.iter().map(|a| !a & 7).collect::<Table>();
            next.extend(sizes[size - 1].iter().map(not));
            for first in 1..size - 1 {
                for a in &sizes[first] {
                    for b in &sizes[size - 1 - first] {
                        for f in
                            [u8::wrapping_add, u8::wrapping_sub, u8::wrapping_mul, |a, b| a & b]
                        {
                            next.insert(a.iter().zip(b).map(|(&a, &b)| f(a, b) & 7).collect());
                        }
                    }
                }
            }
            sizes.push(next);
        }
        sizes
    }

    #[test]
    fn none_is_said_to_be_the_smallest_that_is_not() {
        let system = System::parse(RULES).unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let sizes = tables(4);
        let mut known = 0;
        for text in [
            "(+ x y)",
            "(~ (& x y))",
            "(+ x 3)",
            "(- (+ x y) (+ x (* 0 y)))",
            "(+ (& x y) (& x (~ y)))",
            "(& (* x 3) y)",
            "(* (+ x 1) y)",
            "(- x (& x y))",
            "(+ (* 2 (& x y)) (- x (& x y)))",
            "(- y (* 5 x))",
            "(~ (- x 1))",
            "(+ (+ x y) x)",
        ] {
            let start = bank.parse(text, None).unwrap();
            let operators: FxHashMap<OpId, WordOp> =
                operators_of(&system.language, bank.sort(start)).unwrap().0.into_iter().collect();
            let names = ["x".to_owned(), "y".to_owned()];
            let at = |x: u64, y: u64| {
                let variables = [[x; POINTS], [y; POINTS]];
                values(&bank, start, (&names, &variables), (&operators, 7)).unwrap()[0] as u8
            };
            let table: Table = (0..64).map(|i| at(i / 8, i % 8)).collect();
            for most in 1..=4 {
                let least = (1..=most).any(|size| sizes[size].contains(&table));
                let found = look(&bank, start, most as u64, &mut stream(0, 0, 0, 0));
                assert!(!(least && found.none.is_some()), "{text} has a term of {most} nodes");
                known += usize::from(found.none.is_some());
            }
        }
        assert!(known > 20, "{known}");
    }

    #[test]
    fn a_sum_with_a_literal_is_known_to_have_no_smaller_term() {
        let rules = include_str!("../../../configs/systems/mba.rules");
        let system = System::parse(rules).unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let mut none = |text: &str, most| {
            let start = bank.parse(text, None).unwrap();
            look(&bank, start, most, &mut stream(0, 0, 0, 0)).none.is_some()
        };
        assert!(none("(+ (^ x y) (* 2 (& x y)))", 2));
        assert!(!none("(+ (^ x y) (* 2 (& x y)))", 3));
        assert!(none("(& (+ x 77) y)", 4));
        assert!(!none("(& (+ x 77) y)", 5));
        // Terms of six nodes have room for a literal, and none does.
        assert!(none("(+ (* x y) (^ x 12345))", 6));
        assert!(!none("(+ (* x y) (^ x 12345))", 7));
        // Two literals are too many.
        assert!(!none("(+ (* 7 x) 9)", 7));
    }
}
