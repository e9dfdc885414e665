//! Fractions, doubles and words from random seeds through proofs, data and training.

use crate::common;
use std::fs;

const RULES: &str = "
(sort Q) (sort F) (sort W) (sort B)
(op q+ (Q Q) Q) (op q* (Q Q) Q) (op f+ (F F) F) (op f* (F F) F) (op w+ (W W) W) (op w* (W W) W)
(op q< (Q Q) B) (op f< (F F) B) (op w< (W W) B) (op and (B B) B)
(literal rational Q) (literal f64 F) (literal (bits 8) W) (literal bool B)
(variable Q) (variable F) (variable W)
(analysis constant)
(rewrite (q+ ?a ?b) (q+ ?b ?a) :name q-add-comm)
(rewrite (q* ?a ?b) (q* ?b ?a) :name q-mul-comm)
(rewrite (q* (q* ?a ?b) ?c) (q* ?a (compute (* ?b ?c))) :name q-mul-mul)
(rewrite (q+ ?a ?a) (q* ?a 2) :name q-double)
(rewrite (f+ ?a ?b) (f+ ?b ?a) :name f-add-comm)
(rewrite (f* ?a ?b) (f* ?b ?a) :name f-mul-comm)
(rewrite (f+ ?a ?a) (f* ?a 2) :name f-double)
(rewrite (f* ?a ?c) (f+ (f* ?a (compute (/ ?c 2))) (f* ?a (compute (/ ?c 2))))
         :when ((< 1e-3 ?c)) :name f-halves)
(rewrite (w+ ?a ?b) (w+ ?b ?a) :name w-add-comm)
(rewrite (w* ?a ?b) (w* ?b ?a) :name w-mul-comm)
(rewrite (w+ ?a ?a) (w* ?a 2) :name w-double)
(rewrite (w+ (w+ ?a ?b) ?c) (w+ ?a (compute (+ ?b ?c))) :name w-add-add)
(rewrite (q< ?a ?b) (q< (q* ?a 1/3) (q* ?b 1/3)) :name q-less)
(rewrite (f< ?a ?b) (f< ?a (f+ ?b 0.0)) :name f-less)
(rewrite (and ?p ?q) (and ?q ?p) :name and-comm)";

#[test]
fn from_seeds_to_a_model() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("s.rules"), RULES).unwrap();
    let seeds = "seeds --system s.rules --sort B --size 9 --count 40 --variables 1";
    common::run(&directory, &format!("{seeds} --literals -1/2,0.25,200,1e-7 --out seeds.txt"));
    let text = fs::read_to_string(directory.path().join("seeds.txt")).unwrap();
    for line in
        ["literals of Q: -1/2, 200\n", "literals of F: 1e-7, 0.25, 200.0\n", "literals of W: 200\n"]
    {
        assert!(text.contains(line), "{line}{text}");
    }
    let refused = "--literals 256.5.1";
    let output = common::cairn(&directory)
        .args(format!("{seeds} {refused} --out x.txt").split_whitespace())
        .assert()
        .code(2);
    let message = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(message.contains("--literals: 256.5.1 is not a literal of any sort"), "{message}");
    common::run(&directory, "generate --system s.rules --seeds seeds.txt --nodes 300 --out data");
    common::run(&directory, "verify data");
    common::run(&directory, "train --data data --config tiny --steps 5 --out model");
    let tokenizer = fs::read_to_string(directory.path().join("model/tokenizer.json")).unwrap();
    assert!(tokenizer.contains("\"/\"") && tokenizer.contains("\".\""), "{tokenizer}");
}

#[test]
fn proofs_about_them_are_written_and_checked() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("s.rules"), RULES).unwrap();
    for (from, to) in [
        ("(q* (q* x 2/3) 3/4)", "(q* 1/2 x)"),
        ("(f* y 3)", "(f+ (f* 1.5 y) (f* 1.5 y))"),
        ("(w+ (w+ z 200) 100)", "(w+ 44 z)"),
    ] {
        fs::remove_file(directory.path().join("proof.json")).ok();
        let explain = ["explain", "--system", "s.rules", "--start", from, "--target", to];
        common::cairn(&directory).args(explain).args(["--out", "proof.json"]).assert().success();
        let check = ["check", "--system", "s.rules", "proof.json"];
        common::cairn(&directory).args(check).assert().success();
    }
}
