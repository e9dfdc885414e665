//! The models in `models/` belong to the shipped systems as they are, and reach what a search alone does not.

use assert_cmd::Command;

fn optimise(model: &str, arguments: &[&str]) -> String {
    let model = format!("{}/../models/{model}", env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::cargo_bin("cairn").unwrap();
    command
        .args(["optimise", "--cost", "size", "--cap", "4000", "--model", &model])
        .args(arguments);
    String::from_utf8(command.assert().success().get_output().stdout.clone()).unwrap()
}

#[test]
fn a_nest_is_tiled() {
    let term = "(m (* n1 32) (m (* n2 32) (m (* n3 32) f)))";
    let goal = "(contains (m n3 (m 32 (m n1 (m 32 (m n2 (m 32 f)))))))";
    let said =
        optimise("tiling", &["--system", "tiling", "--term", term, "--goal", goal, "--first"]);
    assert!(said.contains("ended: a term satisfies the goal"), "{said}");
}

#[test]
fn a_polynomial_is_a_product_again() {
    let cube = "(+ (* x (* x x)) (+ (* (* y y) (* 3 x)) (+ (* (* y y) y) (* (* x x) (* 3 y)))))";
    let said = optimise(
        "polynomials",
        &["--system", "polynomials", "--term", cube, "--guides", "32", "--work", "400000"],
    );
    let best = said.lines().find(|line| line.starts_with("best term: ")).unwrap_or_default();
    assert!(best.matches("(+ ").count() <= 3 && best.len() <= 60, "{said}");
}
