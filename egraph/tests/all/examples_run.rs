//! The examples come to their ends.

#[path = "../../examples/optimise.rs"]
mod optimise;
#[path = "../../examples/prove.rs"]
mod prove;

#[test]
fn prove() {
    prove::main().unwrap();
}

#[test]
fn optimise() {
    optimise::main().unwrap();
}
