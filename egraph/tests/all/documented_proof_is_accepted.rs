//! The example of a proof file in docs/proof-format.md is a proof.

use egraph::{System, TermBank, check, proof_from_json};
use std::path::Path;

#[test]
fn the_checker_accepts_the_example() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let system = System::load(&root.join("configs/systems/halide.rules")).unwrap();
    let page = std::fs::read_to_string(root.join("docs/proof-format.md")).unwrap();
    let example = page.split("```json\n").nth(1).unwrap();
    let example = example.split("```").next().unwrap();
    let mut bank = TermBank::new(system.language.clone());
    let text = example.replace('…', &system.hash);
    let proof = proof_from_json(&system, &mut bank, &text).unwrap();
    check(&system, &bank, &proof).unwrap();
    assert_eq!(bank.text(proof.start()), "(+ x (* 2 3))");
    assert_eq!(bank.text(proof.end()), "(+ 6 x)");
}
