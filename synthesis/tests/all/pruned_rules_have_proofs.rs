//! Rules that follow from others go, each with a proof from those that stay; whatever else the file says stays.

use egraph::{System, TermBank, check, proof_from_json};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use synthesis::{Need, PruneOptions, prune};

const SUMS: &str = "; Sums.
(sort W) (op + (W W) W) (op * (W W) W) (literal i64 W) (variable W)
(rewrite (+ ?a ?b) (+ ?b ?a) :name comm) ; stays
(birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c)
  :name assoc)
(rewrite (+ ?a 0) ?a :name zero)
(birewrite (+ ?a (+ ?b ?c)) (+ ?b (+ ?a ?c)) :name swap)
(rewrite (+ 0 ?a) ?a :name zero-first)
(rewrite (* ?a ?c) ?a :when ((== ?c 1)) :name one)
";

#[test]
fn what_follows_goes_with_a_proof_and_the_rest_stays_as_it_was() {
    let reach = PruneOptions::default().settle().unwrap();
    let never = AtomicBool::new(false);
    let pruned = prune(("sums.rules", SUMS, "; Fewer.\n"), reach, true, &never).unwrap().unwrap();
    let expected = "; Fewer.\n".to_owned()
        + &SUMS
            .lines()
            .filter(|line| !line.contains("swap") && !line.contains("zero-first"))
            .map(|line| format!("{line}\n"))
            .collect::<String>();
    assert_eq!(pruned.text, expected);
    let system = Arc::new(System::parse(&pruned.text).unwrap());
    let mut followed = Vec::new();
    for (name, need) in &pruned.rules {
        match need {
            Need::Follows { from, proof, .. } => {
                let mut bank = TermBank::new(system.language.clone());
                let proof = proof_from_json(&system, &mut bank, proof).unwrap();
                check(&system, &bank, &proof).unwrap();
                assert!(from.contains(&"comm".to_owned()), "{name}: {from:?}");
                followed.push(name.as_str());
            }
            Need::NotTried(why) => {
                assert_eq!((name.as_str(), why.as_str()), ("one", "it has a condition"))
            }
            Need::Needed => {}
        }
    }
    assert_eq!(followed, ["swap", "swap-rev", "zero-first"]);
}

#[test]
fn two_rules_that_say_the_same_do_not_go_both() {
    let text = SUMS.replace("(+ 0 ?a) ?a :name zero-first", "(+ ?b 0) ?b :name again");
    let reach = PruneOptions::default().settle().unwrap();
    let pruned = prune(("sums.rules", &text, ""), reach, true, &AtomicBool::new(false));
    let text = pruned.unwrap().unwrap().text;
    assert!(text.contains(":name zero)") && !text.contains(":name again)"), "{text}");
}
