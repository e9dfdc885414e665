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
fn a_nest_whose_loops_have_factors_of_their_own_is_tiled() {
    let term = "(m (* rows 57) (m (* cols 6) (m (* k 128) f)))";
    let goal = "(contains (m k (m 57 (m cols (m 128 (m rows (m 6 f)))))))";
    let said =
        optimise("nests", &["--system", "tiling", "--term", term, "--goal", goal, "--first"]);
    assert!(said.contains("ended: a term satisfies the goal"), "{said}");
}

/// A model knows terms and no rules: it goes on where rules are added, and by name where sorts and operators are, but not where all
/// operators are others.
#[test]
fn models_live_through_edits_of_rules() {
    let directory = tempfile::tempdir().unwrap();
    let polynomials = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/systems/polynomials.rules");
    let polynomials = std::fs::read_to_string(polynomials).unwrap();
    let path = directory.path().join("edited.rules");
    let run = |rules: String, term: &str| {
        std::fs::write(&path, rules).unwrap();
        let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/polynomials");
        let system = path.to_str().unwrap();
        let mut command = Command::cargo_bin("cairn").unwrap();
        command.args(["optimise", "--cost", "size", "--model", model, "--system", system]);
        command.args(["--term", term, "--work", "5000"]).output().unwrap()
    };
    let said = |output: &std::process::Output| String::from_utf8(output.stderr.clone()).unwrap();
    let sum = "(+ (* x x) (* x y))";
    for (more, note) in [
        ("(rewrite (+ ?a 0) ?a :name again)", "was trained with other rules"),
        ("(sort Another) (op inv (Ring) Ring)", "reads terms by the names of their operators"),
    ] {
        let edited = run(format!("{polynomials}{more}\n"), sum);
        assert!(edited.status.success(), "{}", said(&edited));
        assert!(said(&edited).contains(note), "{}", said(&edited));
    }
    let other = "(sort S) (variable S) (op join (S S) S) (ruleset normal) (normal-form normal)
        (rewrite (join ?a ?a) ?a :ruleset normal)";
    let other = run(other.to_owned(), "(join a a)");
    assert_eq!(other.status.code(), Some(2));
    assert!(said(&other).contains("trained for another rewrite system"), "{}", said(&other));
}

/// That of integers, and by the names of its operators that of words.
#[test]
fn a_polynomial_is_a_product_again() {
    let cube = "(+ (* x (* x x)) (+ (* (* y y) (* 3 x)) (+ (* (* y y) y) (* (* x x) (* 3 y)))))";
    for (system, width) in [("polynomials", ""), ("words", ":32")] {
        let cube = cube.replace("(+", &format!("(+{width}")).replace("(*", &format!("(*{width}"));
        let said = optimise(
            "polynomials",
            &["--system", system, "--term", &cube, "--guides", "32", "--work", "400000"],
        );
        let best = said.lines().find(|line| line.starts_with("best term: ")).unwrap_or_default();
        let best = best.replace(width, "");
        assert!(best.matches("(+ ").count() <= 3 && best.len() <= 60, "{said}");
    }
}

#[test]
fn a_term_that_is_longer_than_a_model_reads_is_told_of() {
    let long = |x: &str| (0..120).fold(x.to_owned(), |sum, _| format!("(+ {x} {sum})"));
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/polynomials");
    let said = |command: &[&str]| {
        let mut cairn = Command::cargo_bin("cairn").unwrap();
        cairn.args(command).args(["--system", "polynomials", "--work", "50", "--model", model]);
        String::from_utf8(cairn.output().unwrap().stderr).unwrap()
    };
    let longer = "a term is longer than the model reads";
    for term in [long("x"), "(+ x 1)".to_owned()] {
        let is_long = term.len() > 20;
        let text = said(&["optimise", "--cost", "size", "--term", &term]);
        assert_eq!(text.contains(longer), is_long, "{text}");
        let text = said(&["prove", "--start", &term, "--target", "(+ y x)"]);
        assert_eq!(text.contains(longer), is_long, "{text}");
        let text = said(&["optimise", "--cost", "size", "--term", &term, "--quiet"]);
        assert!(!text.contains(longer), "{text}");
    }
}
