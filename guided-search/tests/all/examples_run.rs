//! The examples do what they say.

#[path = "../../examples/learn.rs"]
mod learn;
#[path = "../../examples/optimise_within_budget.rs"]
mod optimise;
#[path = "../../examples/prove_with_guides.rs"]
mod prove;

#[test]
fn a_proof_is_found() {
    prove::main().unwrap();
}

#[test]
fn a_term_is_optimised() {
    optimise::main().unwrap();
}

#[test]
fn a_ranker_is_learned() {
    learn::main().unwrap();
}
