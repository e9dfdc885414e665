//! Rules that compilers had or nearly had, false and true ones, as solvers see them.

use crate::smt::{solvers, statements};
use interop::{Limits, Verdict, judge};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const LIMITS: Limits = Limits { time: Duration::from_secs(300), assignments: 1 << 12 };

#[test]
fn false_rules_are_refuted_and_true_ones_are_proved() {
    let Some(solvers) = solvers() else { return };
    let (mut false_ones, mut true_ones) = (0, 0);
    for file in ["words", "integers", "fractions", "doubles"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/classics");
        let text = std::fs::read_to_string(path.join(file).with_extension("rules")).unwrap();
        for (name, statement) in statements(&text) {
            let verdict = judge(&statement, &solvers, LIMITS, &AtomicBool::new(false));
            if name.starts_with("unsound-") {
                assert!(matches!(verdict, Verdict::Refuted(_)), "{file} {name}: {verdict:?}");
                false_ones += 1;
            } else {
                assert!(matches!(verdict, Verdict::Proved(_)), "{file} {name}: {verdict:?}");
                true_ones += 1;
            }
        }
    }
    assert!(false_ones >= 40 && true_ones >= 40, "{false_ones} and {true_ones}");
}
