//! What the test file `lambda.rs` of egg 0.11 proves, by its names there, with a proof that the checker
//! accepts, and what it must not prove. Names of variables stand there in `(var x)`; here a name is a
//! variable as it stands. `lambda_ematching_bench` proves nothing.

use egraph::{Caps, EGraph, Explainer, Limits, SaturationConfig, Shortener, System, TermBank};
use egraph::{check, check_flat, proof_from_json, proof_to_json, saturate_until};
use std::path::Path;
use std::sync::Arc;

const COMPOSE: &str = "(lam f (lam g (lam x (app f (app g x)))))";

/// Name, start, goals.
fn proved() -> Vec<(&'static str, String, Vec<&'static str>)> {
    let with = |body: &str| format!("(let {COMPOSE} compose (let (lam y (+ y 1)) add1 {body}))");
    let many = "(app (app compose add1) ".repeat(6) + "add1" + &")".repeat(6);
    let repeat = "(fix repeat (lam fun (lam n (if (= n 0) (lam i i)
        (app (app compose fun) (app (app repeat fun) (+ n -1)))))))";
    let function_repeat = format!(
        "(let {COMPOSE} compose (let {repeat} repeat (let (lam y (+ y 1)) add1
            (app (app repeat add1) 2))))"
    );
    let fib = "(let (fix fib (lam n (if (= n 0) 0 (if (= n 1) 1
        (+ (app fib (+ n -1)) (app fib (+ n -2))))))) fib (app fib 4))";
    let zeroone = "(let (lam x (if (= x 0) 0 1)) zeroone (+ (app zeroone 0) (app zeroone 10)))";
    let compose = with("(app (app compose add1) add1)");
    vec![
        ("lambda_under", "(lam x (+ 4 (app (lam y y) 4)))".into(), vec!["(lam x 8)"]),
        ("lambda_if_elim", "(if (= a b) (+ a a) (+ a b))".into(), vec!["(+ a b)"]),
        ("lambda_let_simple", "(let 0 x (let 1 y (+ x y)))".into(), vec!["1"]),
        (
            "lambda_compose",
            compose,
            vec!["(lam x (+ 1 (app (lam y (+ 1 y)) x)))", "(lam x (+ x 2))"],
        ),
        ("lambda_if_simple", "(if (= 1 1) 7 9)".into(), vec!["7"]),
        ("lambda_compose_many", with(&many), vec!["(lam x (+ x 7))"]),
        ("lambda_function_repeat", function_repeat, vec!["(lam x (+ x 2))"]),
        ("lambda_if", zeroone.into(), vec!["1"]),
        ("lambda_fib", fib.into(), vec!["3"]),
    ]
}

/// Name, start, what would be captured, what is right.
const NOT_PROVED: [(&str, &str, &str, &str); 3] = [
    ("lambda_capture", "(let 1 x (lam x x))", "(lam x 1)", "(lam z z)"),
    ("lambda_capture_free", "(let (+ x x) y (lam x y))", "(lam x (+ x x))", "(lam z (+ x x))"),
    (
        "lambda_closure_not_seven",
        "(let 5 five (let (lam x (+ x five)) add-five (let 6 five (app add-five 1))))",
        "7",
        "6",
    ),
];

fn lambda() -> Arc<System> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/systems/lambda.rules");
    Arc::new(System::load(&path).unwrap())
}

/// Whether one e-graph proves it; a proof is checked in every form that it has.
fn proves(system: &Arc<System>, left: &str, right: &str) -> bool {
    let mut bank = TermBank::new(system.language.clone());
    let from = bank.parse(left, None).unwrap();
    let to = bank.parse(right, Some(bank.sort(from))).unwrap();
    let mut egraph = EGraph::new(system.clone());
    let (a, b) = (egraph.add_term(&bank, from), egraph.add_term(&bank, to));
    let limits = Limits { nodes: Some(50_000), iterations: Some(60), ..Limits::default() };
    let config = SaturationConfig { limits, ..SaturationConfig::default() };
    saturate_until(&mut egraph, &config, |egraph| egraph.find(a) == egraph.find(b));
    let Some(proof) = Explainer::new(&egraph).explain(&mut bank, from, to) else { return false };
    check(system, &bank, &proof).unwrap();
    assert_eq!((proof.start(), proof.end()), (from, to));
    let json = proof_to_json(system, &bank, &proof);
    let mut fresh = TermBank::new(system.language.clone());
    let read = proof_from_json(system, &mut fresh, &json).unwrap();
    check(system, &fresh, &read).unwrap();
    assert_eq!(proof_to_json(system, &fresh, &read), json);
    let flat = proof.flatten(&mut bank, Caps { steps: 5_000, term_size: 5_000 });
    if let Ok(flat) = flat {
        check_flat(system, &bank, &flat).unwrap();
        let short = Shortener::new(system).shorten(&mut bank, &flat, 5_000);
        check_flat(system, &bank, &short).unwrap();
        assert!(short.steps.len() <= flat.steps.len());
        println!("{left}: {} e-nodes, {} steps", egraph.node_count(), short.steps.len());
    } else {
        println!("{left}: {} e-nodes, too long", egraph.node_count());
    }
    true
}

#[test]
fn all_of_it() {
    let lambda = lambda();
    let mut missing = Vec::new();
    for (name, start, goals) in proved() {
        missing.extend(goals.iter().filter(|goal| !proves(&lambda, &start, goal)).map(|_| name));
    }
    assert_eq!(missing, Vec::<&str>::new());
}

#[test]
fn and_nothing_that_captures_a_variable() {
    let lambda = lambda();
    for (name, start, wrong, right) in NOT_PROVED {
        assert!(!proves(&lambda, start, wrong), "{name}");
        assert!(proves(&lambda, start, right), "{name}");
    }
}
