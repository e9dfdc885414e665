//! Terms that are smaller than a given one and have its values: all of them are gone through, up to equality of their
//! values at a few points. What differs at a point differs, so if none of them has the values of the term at all points,
//! none of these equals it, whatever the rules say. One that has them is a guess that is hardly ever wrong.
//!
//! A variable that the term does not have needs none of its own, as another could stand in its place. Terms with more than
//! one literal are not gone through, and nothing is said of sizes at which there may be some: where so many variables matter
//! that no leaf is left for a second literal there are none.

use crate::optimise::values::halves::of_halves;
use crate::optimise::values::literal::{Literal, with_literal};
use crate::optimise::values::points::Points;
use crate::optimise::values::small_terms::{Inside, Made, SmallTerms};
use crate::optimise::values::sums::put_together_anew;
use crate::optimise::values::words::operators_of;
use egraph::{TermBank, TermId};
use rand_chacha::ChaCha8Rng;

/// Terms and places that are looked at, at most.
const VISITS: u64 = 1 << 16;
/// And as many more where larger terms are put together of small ones.
const VISITS_OF_HALVES: u64 = 1 << 16;
/// And as many at most where sums are put together anew.
const VISITS_OF_SUMS: u64 = 1 << 17;
/// Of these as many as take the time of one e-node.
const VISITS_PER_NODE: u64 = 64;

/// What was found among the terms that are smaller than a given one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Smaller {
    /// By number of nodes, as far as no term of so many or fewer has the values: how many classes of them there are.
    none: Vec<u64>,
    /// A term that has the values; the smallest one, if all that are smaller were gone through.
    pub same: Option<TermId>,
    /// What it took, in e-nodes.
    pub work: u64,
    /// Whether the sort has no other operators than those of the terms that are gone through.
    pub of_all_operators: bool,
}

impl Smaller {
    /// How many classes were looked through, if it is known that no term of at most `most` nodes has the values.
    pub fn none(&self, most: u64) -> Option<u64> {
        self.none.get(usize::try_from(most).ok()?).copied()
    }
}

/// Looks through the terms of at most `most` nodes for one that has the values of `start`.
pub fn look(bank: &mut TermBank, start: TermId, most: u64, rng: &mut ChaCha8Rng) -> Smaller {
    let mut found = Smaller::default();
    let Some(operators) = operators_of(bank, start) else { return found };
    found.of_all_operators = operators.every;
    let Some(points) = Points::of(bank, start, operators.ones, rng) else { return found };
    let mut terms = SmallTerms::new(operators.ops.clone(), operators.ones, VISITS);
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    found.none.push(0);
    let mut made = by_size(&mut terms, &points, most, &mut found.none);
    let mut visits_of_sums = 0;
    if made.is_none() && found.none.len() <= most {
        (found.same, visits_of_sums) =
            put_together_anew(bank, start, &operators, &points.variables, VISITS_OF_SUMS);
        found.same = found.same.filter(|&same| bank.size(same) <= most as u64);
        let most = found.same.map_or(most, |same| bank.size(same) as usize - 1);
        made = of_halves(&mut terms, &points.target, most, VISITS_OF_HALVES);
    }
    if !operators.all {
        // Terms of other operators were not gone through, and this one has some.
        found.none.clear();
    }
    let made = made.map(|made| terms.build(bank, start, &operators.ids, &made));
    found.same = made.or(found.same);
    found.work = (terms.visits + visits_of_sums) / VISITS_PER_NODE;
    found
}

/// A smaller term than a given one that has its values, if one comes of putting its sums together anew; and what it took, in e-nodes.
pub fn look_at_sums(
    bank: &mut TermBank,
    term: TermId,
    rng: &mut ChaCha8Rng,
) -> (Option<TermId>, u64) {
    let Some(operators) = operators_of(bank, term) else { return (None, 0) };
    let Some(points) = Points::of(bank, term, operators.ones, rng) else { return (None, 0) };
    let (found, visits) =
        put_together_anew(bank, term, &operators, &points.variables, VISITS_OF_SUMS);
    (found, visits / VISITS_PER_NODE)
}

/// The smallest term that has the values, or the first one that is found; `none` says of each size how many classes
/// were looked through, as far as none has them.
fn by_size(
    terms: &mut SmallTerms,
    points: &Points,
    most: usize,
    none: &mut Vec<u64>,
) -> Option<Made> {
    let goes_back = terms.ops.iter().all(|op| op.goes_back());
    for size in 1..=most {
        if let Some(place) = terms.grow(points)? {
            return Some(Made { inside: Inside::Term(place), way: Vec::new() });
        }
        // Each variable that matters takes a leaf.
        let literals = size.div_ceil(2).saturating_sub(points.matter);
        let mut is_sure = literals == 0 || literals == 1 && goes_back;
        if literals > 0 && goes_back {
            match with_literal(terms, &points.target, size)? {
                Literal::Found(made) => return Some(made),
                Literal::Unsure => is_sure = false,
                Literal::None => {}
            }
        }
        if is_sure && none.len() == size {
            none.push(terms.classes());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimise::values::points::{assert_same_values, values};
    use crate::optimise::values::words::POINTS;
    use crate::search::randomness::stream;
    use egraph::{Leaf, LeafValue, System};
    use rustc_hash::FxHashSet;

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
            let leaves = ["x", "y"].map(|name| {
                let sort = bank.sort(start);
                Leaf { sort, value: LeafValue::Variable(name.to_owned()) }
            });
            let at = |x: u64, y: u64| {
                let variables = [[x; POINTS], [y; POINTS]];
                values(&bank, start, &leaves.each_ref(), &variables).unwrap()[0] as u8
            };
            let table: Table = (0..64).map(|i| at(i / 8, i % 8)).collect();
            for most in 1..=4 {
                let least = (1..=most).any(|size| sizes[size].contains(&table));
                let found = look(&mut bank, start, most as u64, &mut stream(0, 0, 0, 0));
                assert!(
                    !(least && found.none(most as u64).is_some()),
                    "{text} has a term of {most} nodes"
                );
                known += usize::from(found.none(most as u64).is_some());
                assert!(found.same.is_none_or(|same| bank.size(same) <= most as u64), "{text}");
            }
        }
        assert!(known > 20, "{known}");
    }

    #[test]
    fn a_sum_with_a_literal_is_known_to_have_no_smaller_term() {
        let rules = include_str!("../../../../configs/systems/mba.rules");
        let system = System::parse(rules).unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let mut none = |text: &str, most| {
            let start = bank.parse(text, None).unwrap();
            look(&mut bank, start, most, &mut stream(0, 0, 0, 0)).none(most).is_some()
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

    /// The size of what is found among the terms of at most `most` nodes; its values are compared at other points.
    fn same(text: &str, most: u64) -> Option<u64> {
        let system = System::parse(include_str!("../../../../configs/systems/mba.rules")).unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let start = bank.parse(text, None).unwrap();
        let same = look(&mut bank, start, most, &mut stream(0, 0, 0, 0)).same?;
        assert_same_values(&bank, [start, same]);
        Some(bank.size(same))
    }

    #[test]
    fn the_smallest_term_with_the_same_values_is_found() {
        for (text, least) in [
            ("(+ (^ x y) (* 2 (& x y)))", 3),
            ("(- (| x y) (& x y))", 3),
            ("(+ (- (* x y) (+ z x)) (+ x z))", 3),
            ("(+ (& (* x 77) y) (& (* x 77) (~ y)))", 3),
            ("(- (+ (& x 1) (| x 1)) 1)", 1),
            ("(- x x)", 1),
        ] {
            assert_eq!(same(text, 12), Some(least), "{text}");
        }
        assert_eq!(same("(+ (^ x y) (* 2 (& x y)))", 2), None);
    }

    #[test]
    fn terms_with_parts_of_other_sorts_are_guessed_and_never_said_to_be_smallest() {
        let system =
            System::parse(include_str!("../../../../configs/systems/words.rules")).unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let mut found = |text: &str| {
            let start = bank.parse(text, None).unwrap();
            let most = bank.size(start) - 1;
            let found = look(&mut bank, start, most, &mut stream(0, 0, 0, 0));
            (found.none(1).is_some(), found.same.map(|same| bank.text(same)))
        };
        let chosen = "(-:32 (+:32 (select:32 c x y) x) (+:32 (select:32 c x y) (zext:8:32 z)))";
        let difference = "(-:32 x (zext:8:32 z))";
        assert_eq!(found(chosen), (false, Some(difference.to_owned())));
        let sum = "(+:32 (&:32 x (sext:1:32 c)) (&:32 x (~:32 (sext:1:32 c))))";
        assert_eq!(found(sum), (false, Some("x".to_owned())));
        assert!(found("(&:8 x (*:8 y z))").0);
        assert_eq!(found("(==:8 x y)"), (false, None));
    }

    #[test]
    fn larger_terms_are_put_together_of_small_ones() {
        for text in [
            // A conjunction of two, a sum of two, and two operators around one.
            "(& (^ x (* y z)) (- w (+ v x)))",
            "(+ (& x (* y z)) (| w (- v x)))",
            "(- (+ x (~ (* y z))) (& w (| v x)))",
            "(~ (| (* x y) (- z w)))",
        ] {
            let size = 1 + text.matches(' ').count() as u64;
            assert!(same(text, size).is_some_and(|found| found <= size), "{text}");
        }
    }
}
