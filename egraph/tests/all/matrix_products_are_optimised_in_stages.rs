//! The strategies of `rise.rules` bring a product of two matrices to the loops that they are named after, with one proof
//! that the checker accepts.

use crate::common;
use egraph::{CostFunction, EGraph, Proof, SaturationConfig, TermBank, check, follow};
use std::ops::ControlFlow;
use std::sync::Arc;

const PRODUCT: &str =
    "(app (map 2048 (lam x (app (map 3072 (lam y (app (reduce 1280 (each z (lam u (+ u z))) 0)
    (app (map 1280 (lam z (* (fst z) (snd z)))) (zip x y))))) (app (transpose 1280 3072) B)))) A)";

/// The term that the last phase of a strategy comes to.
fn optimised(strategy: &str, phases: usize) -> String {
    let system = common::shipped("rise");
    let mut bank = TermBank::new(system.language.clone());
    let start = bank.parse(PRODUCT, None).unwrap();
    let mut egraph = EGraph::new(system.clone());
    let cost = Some(CostFunction::named(&system, "size").unwrap());
    let schedule = Some(Arc::new(system.read_strategy(strategy).unwrap()));
    let config = SaturationConfig { cost, schedule, ..SaturationConfig::default() };
    let report = follow(&mut egraph, &mut bank, [&[start], &[]], &config, &mut |_, _| {
        ControlFlow::Continue(())
    });
    assert_eq!(report.rebased.len(), phases, "{strategy}: {:?}", report.stop);
    let built: u64 = report.rebased.iter().map(|before| before.built).sum();
    assert!(built < 10_000, "{strategy}: {built} e-nodes");
    let legs = report.rebased.iter().map(|before| before.proofs[0][0].clone());
    let proof = Proof::chain(legs.collect());
    assert_eq!(proof.start(), start);
    check(&system, &bank, &proof).unwrap();
    bank.text(proof.end())
}

#[test]
fn each_goal_is_reached() {
    let baseline = optimised("baseline", 1);
    assert!(baseline.contains("(reduceSeq 1280 ") && !baseline.contains("(reduce "), "{baseline}");
    let blocked = optimised("blocking", 2);
    assert!(blocked.contains("(reduceSeq 320 ") && !blocked.contains("(v* "), "{blocked}");
    let vectors = optimised("vectorisation", 3);
    assert!(vectors.contains("(v* ") && vectors.contains("(lanes 32 "), "{vectors}");
    let permuted = optimised("loop-permutation", 3);
    assert!(permuted.contains("(v* ") && !permuted.contains("(toMem "), "{permuted}");
    let packed = optimised("array-packing", 4);
    assert!(packed.contains("(toMem (app (mapPar 96 (map 1280 "), "{packed}");
    let unrolled = optimised("cache-blocks", 4);
    assert!(unrolled.contains("(reduceSeqUnroll 4 ") && !packed.contains("Unroll"), "{unrolled}");
    let parallel = optimised("parallel", 4);
    assert!(parallel.contains("(mapPar 64 ") && !unrolled.contains("(mapPar 64 "), "{parallel}");
}
