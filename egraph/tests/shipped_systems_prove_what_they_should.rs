//! The shipped systems lead to the identities that one expects of them, each by one e-graph of
//! 64 MiB at most, with a proof that the checker accepts. What has saturated without them would show
//! that a rule is missing.

use egraph::{EGraph, Explainer, Limits, SaturationConfig, System, TermBank, check, saturate};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

const MEMORY: usize = 64 << 20;

const RING: &[(&str, &str)] = &[
    ("(+ x x)", "(* 2 x)"),
    ("(+ x (+ x x))", "(* 3 x)"),
    ("(+ x (+ x (+ x x)))", "(* 4 x)"),
    ("(+ (* 2 x) (* 3 x))", "(* 5 x)"),
    ("(+ x (* -1 x))", "0"),
    ("(- x x)", "0"),
    ("(- 0 (- 0 x))", "x"),
    ("(* -1 (* -1 x))", "x"),
    ("(- (+ x y) y)", "x"),
    ("(- x (- x y))", "y"),
    ("(- x y)", "(* -1 (- y x))"),
    ("(* -1 (+ x y))", "(- (* -1 x) y)"),
    ("(- x (+ y z))", "(- (- x y) z)"),
    ("(- (+ x y) (+ x z))", "(- y z)"),
    ("(* x (- y z))", "(- (* x y) (* x z))"),
    ("(* (* -1 x) y)", "(* x (* -1 y))"),
    ("(* (+ x y) (+ x y))", "(+ (* x x) (+ (* 2 (* x y)) (* y y)))"),
    ("(* (- x y) (- x y))", "(+ (- (* x x) (* 2 (* x y))) (* y y))"),
    ("(* (+ x y) (- x y))", "(- (* x x) (* y y))"),
    ("(* (+ x 3) (+ x 1))", "(+ (+ (* x x) (* 4 x)) 3)"),
    ("(* (+ x 1) (- x 1))", "(- (* x x) 1)"),
    ("(+ (* a b) a)", "(* a (+ b 1))"),
    ("(- (* (+ x y) (+ x y)) (* (- x y) (- x y)))", "(* 4 (* x y))"),
    ("(* (+ x 1) (* (+ x 1) (+ x 1)))", "(+ (* x (* x x)) (+ (* 3 (* x x)) (+ (* 3 x) 1)))"),
    ("(* (- x 1) (+ (* x x) (+ x 1)))", "(- (* x (* x x)) 1)"),
];

const BOUNDS: &[(&str, &str)] = &[
    ("(* (+ 1 (+ 1 2)) (/ (+ a b) (+ 1 (+ 1 2))))", "(+ a b)"),
    ("(* (+ 1 (* x 0)) (/ (+ a b) (+ 1 (* x 0))))", "(+ a b)"),
    ("(/ (+ 1 (square x)) (+ 1 (square x)))", "1"),
    ("(/ (+ 1 (* x x)) (+ 1 (square x)))", "1"),
    ("(* (+ (abs x) 1/2) (/ y (+ (abs x) 1/2)))", "y"),
    ("(* (max x 1/3) (/ z (max 1/3 x)))", "z"),
    ("(abs (+ 1 (abs x)))", "(+ (abs x) 1)"),
    ("(max (min x 0) (square y))", "(* y y)"),
    ("(abs (- 0 (abs x)))", "(- 0 (- 0 (abs x)))"),
    ("(min 1/2 (+ (max x 1) (square y)))", "1/2"),
];

const MATH: &[(&str, &str)] = &[
    ("(+ 1 (+ 2 (+ 3 (+ 4 (+ 5 (+ 6 7))))))", "(+ 7 (+ 6 (+ 5 (+ 4 (+ 3 (+ 2 1))))))"),
    ("(* (pow 2 x) (pow 2 y))", "(pow 2 (+ x y))"),
    ("(+ 1 (- a (* (- 2 1) a)))", "1"),
    ("(div 1 (- (div (+ 1 (sqrt five)) 2) (div (- 1 (sqrt five)) 2)))", "(div 1 (sqrt five))"),
    ("(pow (+ x y) 2)", "(+ (pow x 2) (+ (* 2 (* x y)) (pow y 2)))"),
    ("(pow (- x y) 2)", "(+ (- (pow x 2) (* 2 (* x y))) (pow y 2))"),
    ("(* (+ x y) (- x y))", "(- (pow x 2) (pow y 2))"),
    ("(pow (+ x 1) 3)", "(+ (pow x 3) (+ (* 3 (pow x 2)) (+ (* 3 x) 1)))"),
    ("(* (- x 1) (+ (pow x 2) (+ x 1)))", "(- (pow x 3) 1)"),
    ("(- (pow (+ x y) 2) (pow (- x y) 2))", "(* 4 (* x y))"),
    ("(* x (* x x))", "(pow x 3)"),
    ("(* (pow x 2) (pow x 3))", "(pow x 5)"),
    ("(pow (pow x 2) 3)", "(pow x 6)"),
    ("(pow (* 2 x) 3)", "(* 8 (pow x 3))"),
    ("(div (+ a b) c)", "(+ (div a c) (div b c))"),
    ("(- (div a c) (div (- a b) c))", "(div b c)"),
    ("(div (* 2 x) 2)", "x"),
    ("(+ (div x 2) (div x 2))", "x"),
    ("(+ (div x 2) (div (* 3 x) 2))", "(* 2 x)"),
    ("(* (div 1 3) (+ (* 3 x) 6))", "(+ x 2)"),
    ("(div x 1)", "x"),
    ("(div 0 x)", "0"),
    ("(div (* 6 x) 3)", "(* 2 x)"),
    ("(div (div a b) c)", "(div a (* b c))"),
    ("(div 1 (div 1 x))", "x"),
    ("(* (div a b) (div c e))", "(div (* a c) (* b e))"),
    ("(div a (div b c))", "(div (* a c) b)"),
    ("(* (div x x) x)", "x"),
    ("(div (pow x 2) x)", "x"),
    ("(div (+ (pow x 2) x) 1)", "(* x (+ x 1))"),
    ("(pow (sqrt 2) 2)", "2"),
    ("(+ (pow (sin x) 2) (pow (cos x) 2))", "1"),
    ("(- 1 (pow (cos x) 2))", "(pow (sin x) 2)"),
    ("(d x x)", "1"),
    ("(d x (+ 1 (* 2 x)))", "2"),
    ("(d x (ln x))", "(div 1 x)"),
    ("(d x (pow x 3))", "(* 3 (pow x 2))"),
    ("(d x (- (pow x 3) (* 7 (pow x 2))))", "(* x (- (* 3 x) 14))"),
    ("(d x (* (sin x) (cos x)))", "(- (pow (cos x) 2) (pow (sin x) 2))"),
    ("(i 1 x)", "x"),
    ("(i (sin x) x)", "(* -1 (cos x))"),
    ("(i (pow x 1) x)", "(div (pow x 2) 2)"),
    ("(i x x)", "(div (pow x 2) 2)"),
    ("(i (* 2 x) x)", "(pow x 2)"),
    ("(i (* x (cos x)) x)", "(+ (* x (sin x)) (cos x))"),
    ("(i (* (cos x) x) x)", "(+ (* x (sin x)) (cos x))"),
    ("(i (ln x) x)", "(- (* x (ln x)) x)"),
    ("(d x (sin (* 2 x)))", "(* 2 (cos (* 2 x)))"),
    ("(d x (div 1 x))", "(* -1 (pow x -2))"),
    ("(d x (pow (+ x 1) 2))", "(* 2 (+ x 1))"),
    ("(d x (sqrt x))", "(div 1 (* 2 (sqrt x)))"),
    ("(i (div 1 x) x)", "(ln x)"),
    ("(* x (pow x -2))", "(pow x -1)"),
    ("(* (pow x -1) (pow x -1))", "(pow x -2)"),
    ("(div (* x x) (* x x))", "(div x x)"),
    ("(* (pow x 3) (pow x -2))", "x"),
    ("(div (- (pow x 2) 1) 1)", "(* (- x 1) (+ x 1))"),
    ("(d x (pow x 4))", "(* 4 (pow x 3))"),
    ("(d x (div (sin x) x))", "(- (div (cos x) x) (div (sin x) (pow x 2)))"),
    ("(pow 2 3)", "8"),
    ("(pow 2 10)", "1024"),
    ("(pow 2 -1)", "(div 1 2)"),
    ("(+ (div 1 2) (div 1 2))", "1"),
];

const PROP: &[(&str, &str)] = &[
    ("(& x (~ x))", "0"),
    ("(| x (~ x))", "1"),
    ("(~ (~ x))", "x"),
    ("(& x x)", "x"),
    ("(| x x)", "x"),
    ("(& x 0)", "0"),
    ("(| x 0)", "x"),
    ("(~ 0)", "1"),
    ("(~ 1)", "0"),
    ("(-> x x)", "1"),
    ("(-> 0 x)", "1"),
    ("(-> x 1)", "1"),
    ("(-> 1 x)", "x"),
    ("(-> x 0)", "(~ x)"),
    ("(-> (-> (-> p q) p) p)", "1"),
    ("(-> (& (-> p q) (-> q r)) (-> p r))", "1"),
    ("(-> (& p (-> p q)) q)", "1"),
    ("(-> (& (-> p q) (~ q)) (~ p))", "1"),
    ("(-> (& (| p q) (~ p)) q)", "1"),
    ("(-> p (-> q p))", "1"),
    ("(-> (-> p (-> q r)) (-> (-> p q) (-> p r)))", "1"),
    ("(-> (& p q) p)", "1"),
    ("(-> p (| p q))", "1"),
    ("(-> (-> p r) (-> (-> q r) (-> (| p q) r)))", "1"),
    ("(-> 0 p)", "1"),
    ("(-> (& p (~ p)) q)", "1"),
    ("(| (-> p q) (-> q p))", "1"),
    ("(~ (& p q))", "(| (~ p) (~ q))"),
    ("(~ (| p q))", "(& (~ p) (~ q))"),
    ("(~ (-> p q))", "(& p (~ q))"),
    ("(-> p q)", "(-> (~ q) (~ p))"),
    ("(-> p (-> q r))", "(-> (& p q) r)"),
    ("(-> p (-> q r))", "(-> q (-> p r))"),
    ("(-> p (& q r))", "(& (-> p q) (-> p r))"),
    ("(-> (| p q) r)", "(& (-> p r) (-> q r))"),
    ("(& p (| p q))", "p"),
    ("(| p (& p q))", "p"),
    ("(| p (& (~ p) q))", "(| p q)"),
    ("(& p (| (~ p) q))", "(& p q)"),
    ("(| (& p q) (& p (~ q)))", "p"),
    ("(& (| p q) (| p (~ q)))", "p"),
    ("(| (& p q) (| (& (~ p) r) (& q r)))", "(| (& p q) (& (~ p) r))"),
    ("(& (| p q) (& (| (~ p) r) (| q r)))", "(& (| p q) (| (~ p) r))"),
    ("(| p q)", "(-> (~ p) q)"),
    ("(| p q)", "(-> (-> p q) q)"),
    ("(& (-> p q) (-> q p))", "(| (& p q) (& (~ p) (~ q)))"),
    ("(-> (& (-> p q) (-> r s)) (-> (& p r) (& q s)))", "1"),
    ("(-> (& (-> p q) (& (-> r s) (| p r))) (| q s))", "1"),
];

const BITVECTORS: &[(&str, &str)] = &[
    ("(xor (xor x y) y)", "x"),
    ("(xor x (not x))", "ones"),
    ("(neg x)", "(not (- x one))"),
    ("(neg (not x))", "(+ x one)"),
    ("(not (neg x))", "(- x one)"),
    ("(+ x y)", "(- x (+ (not y) one))"),
    ("(- (- x y) x)", "(neg y)"),
    ("(- x y)", "(+ (+ x (not y)) one)"),
    ("(+ x y)", "(+ (xor x y) (shl (and x y) 1))"),
    ("(+ x y)", "(- (shl (or x y) 1) (xor x y))"),
    ("(- (+ x y) (and x y))", "(or x y)"),
    ("(- (+ x y) (or x y))", "(and x y)"),
    ("(- (or x y) y)", "(and x (not y))"),
    ("(- x (and x y))", "(and x (not y))"),
    ("(xor x y)", "(or (and x (not y)) (and (not x) y))"),
    ("(xor x y)", "(- (+ x y) (shl (and x y) 1))"),
    ("(- x y)", "(- (xor x y) (shl (and (not x) y) 1))"),
    ("(not (xor x y))", "(or (and x y) (not (or x y)))"),
    ("(shl (+ x x) 2)", "(shl x 3)"),
    ("(+ (shl x 1) (shl x 1))", "(shl x 2)"),
    ("(shl (- (or x y) (and x y)) 2)", "(xor (shl x 2) (shl y 2))"),
    ("(xor (and x z) (and y (not z)))", "(or (and x z) (and y (not z)))"),
    ("(xor y (and (xor x y) z))", "(or (and x z) (and y (not z)))"),
    ("(+ (and x y) (and x (not y)))", "x"),
    ("(and x (neg x))", "(and x (not (- x one)))"),
];

const WORDS: &[(&str, &str)] = &[
    ("(+ (* x 3) x)", "(<< x 2)"),
    ("(* 3 (+ x 5))", "(+ (* 3 x) 15)"),
    ("(+ (+ x 4294967295) (* 65536 65536))", "(- x 1)"),
    ("(neg x)", "(+ (~ x) 1)"),
    ("(~ x)", "(- 4294967295 x)"),
    ("(^ (^ x 255) 15)", "(^ x 240)"),
    ("(+ x y)", "(+ (^ x y) (<< (& x y) 1))"),
    ("(% x 16)", "(& x 15)"),
    ("(% (% x 256) 16)", "(& x 15)"),
    ("(< (% x 10) 10)", "1"),
    ("(/ (/ x 10) 10)", "(/ x 100)"),
    ("(/ (>> x 1) 4)", "(>> x 3)"),
    ("(>> (<< x 8) 8)", "(& x 16777215)"),
    ("(<< (<< x 20) 12)", "0"),
    ("(== (- x y) 0)", "(== (^ x y) 0)"),
    ("(/ x 0)", "(| x 4294967295)"),
];

/// Proves `left` equal to `right` with the rules of a system, or says how far it came.
fn prove(system: &Arc<System>, left: &str, right: &str) -> Result<(), String> {
    let mut bank = TermBank::new(system.language.clone());
    let from = bank.parse(left, None).map_err(|e| format!("{left}: {e}"))?;
    let sort = Some(bank.sort(from));
    let to = bank.parse(right, sort).map_err(|e| format!("{right}: {e}"))?;
    let mut egraph = EGraph::new(system.clone());
    let (a, b) = (egraph.add_term(&bank, from), egraph.add_term(&bank, to));
    let limits = Limits { memory: Some(MEMORY), ..Limits::default() };
    let config = SaturationConfig { limits, ..SaturationConfig::default() };
    let report = saturate(&mut egraph, &config, &mut |egraph, _| {
        if egraph.find(a) == egraph.find(b) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    if egraph.find(a) != egraph.find(b) {
        return Err(format!("{left} = {right}: {}", report.stop));
    }
    let proof = Explainer::new(&egraph).explain(&mut bank, from, to).ok_or("no explanation")?;
    assert_eq!((proof.start(), proof.end()), (from, to));
    check(system, &bank, &proof).map_err(|e| format!("{left} = {right}: {e}"))
}

fn prove_all(name: &str, identities: &[(&str, &str)]) {
    let systems = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/systems");
    let path = systems.join(name).with_extension("rules");
    let system = Arc::new(System::load(&path).unwrap_or_else(|e| panic!("{e}")));
    let missing: Vec<String> =
        identities.iter().filter_map(|(left, right)| prove(&system, left, right).err()).collect();
    assert!(missing.is_empty(), "{name}.rules:\n{}", missing.join("\n"));
}

#[test]
fn ring_collects_expands_and_cancels() {
    prove_all("ring", RING);
    prove_all("ring", &[("(* (+ a b) (+ c d))", "(+ (+ (* a c) (* a d)) (+ (* b c) (* b d)))")]);
}

#[test]
fn math_proves_what_ring_proves() {
    prove_all("math", RING);
}

#[test]
fn math_knows_powers_quotients_and_calculus() {
    prove_all("math", MATH);
}

#[test]
fn prop_proves_tautologies_and_equivalences() {
    prove_all("prop", PROP);
}

#[test]
fn bitvectors_prove_the_tricks_of_programmers() {
    prove_all("bitvectors", BITVECTORS);
}

#[test]
fn bounds_cancel_what_can_not_be_zero() {
    prove_all("bounds", BOUNDS);
}

#[test]
fn words_prove_what_holds_for_32_bits() {
    prove_all("words", WORDS);
}

#[test]
fn what_is_false_is_not_proved() {
    let systems = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/systems");
    let system = Arc::new(System::load(&systems.join("prop.rules")).unwrap());
    assert!(prove(&system, "(-> p q)", "(-> q p)").is_err());
    assert!(prove(&system, "(-> (-> p q) p)", "1").is_err());
    let system = Arc::new(System::load(&systems.join("bounds.rules")).unwrap());
    assert!(prove(&system, "(/ x x)", "1").is_err());
    assert!(prove(&system, "(abs x)", "x").is_err());
}
