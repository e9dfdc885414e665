use crate::optimise::values::points::{Points, assert_same_values};
use crate::optimise::values::sums::put_together_anew;
use crate::optimise::values::words::operators_of;
use crate::search::randomness::stream;
use egraph::{System, TermBank, TermId};
use proptest::prelude::*;

const MBA: &str = include_str!("../../../../../configs/systems/mba.rules");
const WORDS: &str = include_str!("../../../../../configs/systems/words.rules");
const VISITS: u64 = 1 << 17;

/// What a term becomes; its values are compared at points that the search does not have.
fn anew(rules: &str, text: &str) -> Option<(String, u64)> {
    let system = System::parse(rules).unwrap();
    let mut bank = TermBank::new(system.language.clone());
    let start = bank.parse(text, None).unwrap();
    let found = found(&mut bank, start)?;
    assert_same_values(&bank, [start, found]);
    Some((bank.text(found), bank.size(found)))
}

fn found(bank: &mut TermBank, start: TermId) -> Option<TermId> {
    let operators = operators_of(bank, start)?;
    let points = Points::of(bank, start, operators.ones, &mut stream(0, 0, 0, 0))?;
    put_together_anew(bank, start, &operators, &points.variables, VISITS).0
}

#[test]
fn sums_of_bitwise_terms_become_the_smallest_ones() {
    for (text, least) in [
        ("(+ (^ x y) (* 2 (& x y)))", "(+ x y)"),
        ("(- (* 5 (| x y)) (+ (* 5 x) (* 5 (& (~ x) y))))", "0"),
        ("(+ (+ (neg x) (~ (| x y))) (+ (& x y) 0))", "(- (~ y) (^ x y))"),
        ("(+ (+ 1 (| x y)) (- (& x y) 8))", "(+ (+ x y) 18446744073709551609)"),
    ] {
        let (_, size) = anew(MBA, least)
            .unwrap_or_else(|| (least.to_owned(), 1 + least.matches(' ').count() as u64));
        let (found, found_size) = anew(MBA, text).unwrap();
        assert!(found_size <= size, "{text} becomes {found}, where {least} is smaller");
    }
}

#[test]
fn a_complement_and_a_common_factor_are_put_around() {
    let complement = anew(MBA, "(- (- (- 5 (* 3 x)) (* 5 y)) 6)").unwrap();
    assert_eq!(complement, ("(~ (+ (* 3 x) (* 5 y)))".to_owned(), 8));
    let multiple = anew(MBA, "(- (* 6 (| x y)) (+ (* 6 z) (* 6 x)))").unwrap();
    assert_eq!(multiple, ("(* 6 (- (& y (~ x)) z))".to_owned(), 8));
    let both = anew(MBA, "(- (- (- 5 (* 6 x)) (* 6 y)) 6)").unwrap();
    assert_eq!(both, ("(~ (* 6 (+ x y)))".to_owned(), 6));
}

#[test]
fn what_is_inside_of_products_is_put_together_too() {
    let product = "(* (+ (^ x y) (* 2 (& x y))) (- (| z x) (& z x)))";
    assert_eq!(anew(MBA, product).unwrap().0, "(* (+ x y) (^ z x))");
    let nested = "(& (+ (^ x y) (* 2 (& x y))) (- (| z x) (& z x)))";
    assert_eq!(anew(MBA, nested).unwrap().0, "(& (+ x y) (^ z x))");
    // Products that agree are one atom.
    let twice = "(- (+ (* x y) (& z (* y x))) (& (~ z) (* x y)))";
    assert_eq!(anew(MBA, twice).unwrap().1, 7);
}

#[test]
fn arithmetic_that_is_bitwise_is_no_atom_and_a_literal_may_be_one() {
    assert_eq!(anew(MBA, "(& (- (| x y) (& x y)) (+ (& x y) (^ x y)))").unwrap().0, "(^ x y)");
    assert_eq!(anew(MBA, "(+ (& x 77) (& x (~ 77)))").unwrap().0, "x");
}

#[test]
fn words_of_each_width_and_with_parts_of_other_widths_are_put_together() {
    for n in [8, 16, 32, 64] {
        let text = format!("(+:{n} (^:{n} x y) (*:{n} 2 (&:{n} x y)))");
        assert_eq!(anew(WORDS, &text).unwrap().0, format!("(+:{n} x y)"));
    }
    let other = "(+:32 (^:32 x (zext:8:32 z)) (<<:32 (&:32 (zext:8:32 z) x) 1))";
    assert_eq!(anew(WORDS, other).unwrap().1, 4);
}

#[test]
fn deep_and_wide_terms_end() {
    let mut deep = "x".to_owned();
    for _ in 0..400 {
        deep = format!("(~ (+ {deep} y))");
    }
    assert_eq!(anew(MBA, &deep).unwrap().1, 1);
    let mut sum = "x".to_owned();
    for _ in 0..900 {
        sum = format!("(- y {sum})");
    }
    assert_eq!(anew(MBA, &sum).unwrap().0, "x");
    let mut shared = "x".to_owned();
    for i in 0..12 {
        shared = format!("(* (+ {shared} v{i}) (& {shared} v{i}))");
    }
    anew(MBA, &shared);
}

/// A sum of two multiples of bitwise terms, and the same with each in parts.
fn hidden_sums() -> impl Strategy<Value = (String, String)> {
    let bitwise = prop::sample::select(vec![
        "x",
        "(& x y)",
        "(~ x)",
        "(| x z)",
        "(^ x y)",
        "(& y (~ z))",
        "(^ (~ y) z)",
        "(~ (& x z))",
    ]);
    let other = prop::sample::select(vec!["x", "y", "z", "(& x y)", "(^ y z)"]);
    (bitwise.clone(), bitwise, 1u64..20, 1u64..20, other).prop_map(|(a, b, c, d, e)| {
        let sum = format!("(- (* {c} {a}) (* {d} {b}))");
        let part = |c: u64, a: &str| format!("(+ (* {c} (& {a} {e})) (* {c} (& {a} (~ {e}))))");
        (sum, format!("(- {} {})", part(c, a), part(d, b)))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_sum_of_two_multiples_is_missed((sum, hidden) in hidden_sums()) {
        let size = |text: &str| 1 + text.matches(' ').count() as u64;
        let (found, of_found) = anew(MBA, &hidden).unwrap();
        prop_assert!(of_found <= size(&sum), "{hidden} becomes {found}, and not {sum}");
    }
}
