//! What `idioms.rules` makes of loops: the cheapest equal term, with a proof that the checker accepts.

use crate::common;
use egraph::{CostFunction, EGraph, Explainer, Limits, SaturationConfig, Sketch, TermBank};
use egraph::{check, extract_best, saturate};
use std::ops::ControlFlow;

const LOOPS: &[(&str, &str, &str)] = &[
    ("get-build", "(get (build n i (* (get x i) 2)) 3)", "(* 2 (get x 3))"),
    ("dot", "(ifold n 0 i (step s (+ s (* (get x i) (get y i)))))", "(dot n x y)"),
    (
        "scaled dot",
        "(ifold n c i (step s (+ (* (get x i) (* a (get y i))) s)))",
        "(+ c (* a (dot n x y)))",
    ),
    ("axpy", "(build n i (+ (get y i) (* a (get x i))))", "(axpy n a x y)"),
    ("sum of vectors", "(build n i (+ (get x i) (get y i)))", "(axpy n 1 x y)"),
    ("transpose", "(build m i (build n j (get (get A j) i)))", "(transpose m n A)"),
    // The factor is equal to a term that does not speak of the loop's variable, and is not one at first.
    (
        "hidden factor",
        "(build n i (+ (* (get (build n j (* 2 c)) i) (get x i)) (get y i)))",
        "(axpy n (* 2 c) x y)",
    ),
    (
        "gemv without a rest",
        "(build m i (ifold n 0 j (step s (+ s (* (get (get A i) j) (get x j))))))",
        "(gemv m n 1 A x 0 (zeros m))",
    ),
    (
        "gemv",
        "(build m i (+ (* a (ifold n 0 j (step s (+ s (* (get (get A i) j) (get x j)))))) \
            (* b (get y i))))",
        "(gemv m n a A x b y)",
    ),
    (
        "gemv of columns",
        "(build m i (ifold n 0 j (step s (+ s (* (get (get A j) i) (get x j))))))",
        "(gemv m n 1 (transpose m n A) x 0 (zeros m))",
    ),
    (
        "gemm without a rest",
        "(build m i (build n j (ifold k 0 l (step s (+ s (* (get (get A i) l) (get (get B l) j)))))))",
        "(gemm m n k 1 A (transpose n k B) 0 (zero-rows m n))",
    ),
    (
        "gemm",
        "(build m i (build n j (+ (* b (get (get C i) j)) (* a (ifold k 0 l (step s \
            (+ s (* (get (get A i) l) (get (get B j) l)))))))))",
        "(gemm m n k a A B b C)",
    ),
    (
        "stencil",
        "(build n i (ifold 5 0 q (step s (+ s (* (get w q) (get x (plus i q)))))))",
        "(conv1d n 5 w x)",
    ),
    (
        "stencil, written out",
        "(build n i (+ (+ (* (get w 0) (get x i)) (* (get x (plus i 1)) (get w 1))) \
            (* (get w 2) (get x (plus i 2)))))",
        "(conv1d n 3 w x)",
    ),
    (
        "stencil in two dimensions",
        "(build m i (build n j (ifold 5 0 p (step s (+ s (ifold 3 0 q (step t (+ t \
            (* (get (get w p) q) (get (get x (plus i p)) (plus j q)))))))))))",
        "(conv2d m n 5 3 w x)",
    ),
    (
        "stencil in two dimensions, written out",
        "(build m i (build n j (+ (+ (+ \
            (* (get (get w 0) 0) (get (get x i) j)) (* (get (get w 0) 1) (get (get x i) (plus j 1)))) \
            (* (get (get w 1) 0) (get (get x (plus i 1)) j))) \
            (* (get (get w 1) 1) (get (get x (plus i 1)) (plus j 1))))))",
        "(conv2d m n 2 2 w x)",
    ),
];

#[test]
fn each_by_the_calls_that_do_its_work() {
    let system = common::shipped("idioms");
    let cost = CostFunction::named(&system, "cost").unwrap();
    let mut wrong = Vec::new();
    for (name, start, expected) in LOOPS {
        let mut bank = TermBank::new(system.language.clone());
        let [start, expected] = [start, expected].map(|text| bank.parse(text, None).unwrap());
        let mut egraph = EGraph::new(system.clone());
        let root = egraph.add_term(&bank, start);
        let limits = Limits { nodes: Some(5_000), ..Limits::default() };
        let config = SaturationConfig { limits, ..SaturationConfig::default() };
        let report = saturate(&mut egraph, &config, &mut |_, _| ControlFlow::Continue(()));
        let best = extract_best(&egraph, &mut bank, root, &Sketch::Any, &cost);
        let (best, least) = best.unwrap();
        println!("{name}: {:?} {} {:?}", report.stop, egraph.node_count(), least);
        let expected_cost = cost.of_term(&bank, expected);
        if best != expected && Some(&least) != expected_cost.as_ref() {
            wrong.push(format!("{name}: {}", bank.text(best)));
        }
        let proof = Explainer::new(&egraph).explain(&mut bank, start, best).unwrap();
        check(&system, &bank, &proof).unwrap();
        if egraph.lookup(&bank, expected) != Some(egraph.find(root)) {
            wrong.push(format!("{name}: not found"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
