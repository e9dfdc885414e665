//! `cairn check` and `scripts/check_proof.py`, which share no code, accept the same proof files.

use crate::common::cairn;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Literals of each kind, facts about variables, and a binder.
const SYSTEMS: [(&str, &str, &str, &str); 5] = [
    (
        "integers",
        "(sort E)\n(op f (E) E)\n(op lam ((bind E E)) E)\n(literal i64 E)\n(variable E)\n\
         (analysis constant)\n(analysis tag E E :merge (min old new))\n\
         (transfer (tag (variable ?x)) 0)\n\
         (rewrite (f ?x) 0 :when ((== (tag ?x) 0)) :name zero)\n",
        "(f y)",
        "0",
    ),
    (
        "doubles",
        "(sort R)\n(op + (R R) R)\n(literal f64 R)\n(variable R)\n(analysis constant)\n\
         (rewrite (+ ?a 0) ?a :name zero)\n",
        "(+ (+ x 0) 1.5)",
        "(+ x 1.5)",
    ),
    (
        "fractions",
        "(sort Q)\n(op * (Q Q) Q)\n(literal rational Q)\n(variable Q)\n(analysis constant)\n\
         (rewrite (* ?a 1) ?a :name one)\n",
        "(* (* x 1) 1/2)",
        "(* x 1/2)",
    ),
    (
        "words",
        "(sort W)\n(op & (W W) W)\n(literal (bits 8) W)\n(variable W)\n(analysis constant)\n\
         (rewrite (& ?a 255) ?a :name ones)\n",
        "(& (& x 255) 3)",
        "(& x 3)",
    ),
    (
        "no literals",
        "(sort S)\n(op g (S) S)\n(variable S)\n(rewrite (g (g ?a)) ?a :name twice)\n",
        "(g (g x))",
        "x",
    ),
];

/// What may stand, or not, where a leaf does.
pub const LEAVES: [&str; 28] = [
    "0",
    "00",
    "+1",
    "-0",
    "-1",
    "2.0",
    "1.",
    "1e5",
    "1e400",
    "NaN",
    "inf",
    "1_0",
    "1/2",
    "2/4",
    "1/0",
    "256",
    "9223372036854775808",
    "x",
    "z",
    "?x",
    "f",
    "%0",
    "%1",
    "%01",
    "%1048576",
    "",
    "a b",
    "٣",
];

#[test]
fn on_proofs_with_another_leaf() {
    let directory = tempfile::tempdir().unwrap();
    for (name, system, from, to) in SYSTEMS {
        let (rules, file) = (format!("{name}.rules"), format!("{name}.json"));
        fs::write(directory.path().join(&rules), system).unwrap();
        let mut explain = cairn(&directory);
        explain.args(["explain", "--quiet", "--system", &rules, "--start", from, "--target", to]);
        explain.args(["--out", &file]).assert().success();
        let proof = fs::read_to_string(directory.path().join(&file)).unwrap();
        let proof: serde_json::Value = serde_json::from_str(&proof).unwrap();
        let mut mutants = vec![file];
        let terms = proof["terms"].as_array().unwrap().len();
        for term in (0..terms).filter(|&term| proof["terms"][term].get("leaf").is_some()) {
            for leaf in LEAVES {
                let mut mutant = proof.clone();
                mutant["terms"][term]["leaf"] = leaf.into();
                mutants.push(format!("{name}-{}.json", mutants.len()));
                let text = serde_json::to_string(&mutant).unwrap();
                fs::write(directory.path().join(mutants.last().unwrap()), text).unwrap();
            }
        }
        let Some(accepted) = by_python(&directory, &rules, &mutants) else {
            eprintln!("left out: there is no python3");
            return;
        };
        for (mutant, by_python) in mutants.iter().zip(&accepted) {
            let mut check = cairn(&directory);
            let by_kernel = check.args(["check", mutant, "--system", &rules]).output().unwrap();
            let said = String::from_utf8_lossy(&by_kernel.stderr);
            let text = fs::read_to_string(directory.path().join(mutant)).unwrap();
            assert_eq!(by_kernel.status.success(), *by_python, "{said}{text}");
        }
        // Some are good, and some are not.
        assert!(accepted[0] && accepted.contains(&false), "{name}");
    }
}

/// Which of the files the script accepts; nothing where there is no Python.
fn by_python(directory: &TempDir, rules: &str, files: &[String]) -> Option<Vec<bool>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/check_proof.py");
    let mut command = Command::new("python3");
    command.current_dir(directory.path()).arg(script).args(files).args(["--system", rules]);
    let said = String::from_utf8(command.output().ok()?.stdout).unwrap();
    let verdict = |file: &String| {
        let accepted = said.contains(&format!("{file}: accepted: "));
        assert!(accepted || said.contains(&format!("{file}: refused: ")), "{file} in {said}");
        accepted
    };
    Some(files.iter().map(verdict).collect())
}
