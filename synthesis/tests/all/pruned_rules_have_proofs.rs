//! Rules that follow from others go, each with a proof from those that stay; whatever else the file says stays.

use egraph::{System, TermBank, check, proof_from_json};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use synthesis::{Followed, Need, PruneAim, PruneOptions, prune};

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

fn accepted(system: &Arc<System>, proofs: &[Followed]) {
    for followed in proofs {
        let mut bank = TermBank::new(system.language.clone());
        let proof = proof_from_json(system, &mut bank, &followed.proof).unwrap();
        check(system, &bank, &proof).unwrap();
    }
}

#[test]
fn what_follows_goes_with_a_proof_and_the_rest_stays_as_it_was() {
    let aim = PruneOptions::default().settle().unwrap();
    let never = AtomicBool::new(false);
    let pruned = prune(("sums.rules", SUMS, "; Fewer.\n"), aim, true, &never).unwrap().unwrap();
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
            Need::Follows { from, proofs, all } => {
                accepted(&system, proofs);
                assert!(*all && proofs.len() == 1, "{name}");
                assert!(from.contains(&"comm".to_owned()), "{name}: {from:?}");
                followed.push(name.as_str());
            }
            Need::NotTried(why) => panic!("{name}: {why}"),
            Need::Needed => {}
        }
    }
    assert_eq!(followed, ["swap", "swap-rev", "zero-first"]);
}

#[test]
fn two_rules_that_say_the_same_do_not_go_both() {
    let text = SUMS.replace("(+ 0 ?a) ?a :name zero-first", "(+ ?b 0) ?b :name again");
    let aim = PruneOptions::default().settle().unwrap();
    let pruned = prune(("sums.rules", &text, ""), aim, true, &AtomicBool::new(false));
    let text = pruned.unwrap().unwrap().text;
    assert!(text.contains(":name zero)") && !text.contains(":name again)"), "{text}");
}

/// Rules that read literals: some follow at all literals that were tried, one at most of them, one at none.
const LITERALS: &str = "
(sort W) (op + (W W) W) (op * (W W) W) (op << (W W) W) (literal KIND W) (variable W) (analysis constant)
(rewrite (+ ?a ?b) (+ ?b ?a) :name comm)
(rewrite (+ (+ ?a ?b) ?c) (+ ?a (+ ?b ?c)) :name assoc)
(rewrite (+ (+ ?a ?c) ?d) (+ ?a (compute (+ ?c ?d))) :name sum)
(rewrite (+ ?a ?c) (+ ?c ?a) :when ((!= ?c 0)) :name comm-not-zero)
(rewrite (* ?a ?c) ?a :when ((== ?c 1)) :name one)
(rewrite (* ?a ?c) (* ?c ?a) :when ((!= ?c 2)) :name mul-not-two)
(rewrite (* ?a ?c) (* ?c ?a) :when ((!= ?c 3)) :name mul-not-three)
";

fn of_literals(kind: &str, aim: PruneAim) -> (Arc<System>, Vec<(String, Need)>) {
    let text = LITERALS.replace("KIND", kind);
    let pruned = prune(("l.rules", &text, ""), aim, true, &AtomicBool::new(false));
    let pruned = pruned.unwrap().unwrap();
    (Arc::new(System::parse(&pruned.text).unwrap()), pruned.rules)
}

#[test]
fn what_reads_literals_follows_at_each_of_them_that_was_tried() {
    let few = PruneOptions { instances: Some(64), ..PruneOptions::default() }.settle().unwrap();
    for (kind, choices, all) in [("(bits 3)", [64, 7], true), ("i64", [64, 64], false)] {
        let (system, rules) = of_literals(kind, few);
        let mut followed = Vec::new();
        for (name, need) in &rules {
            match need {
                Need::Follows { proofs, all: gone_through, .. } => {
                    accepted(&system, proofs);
                    assert_eq!(*gone_through, all, "{kind} {name}");
                    followed.push((name.as_str(), proofs.len()));
                }
                Need::NotTried(why) => panic!("{name}: {why}"),
                Need::Needed => {}
            }
        }
        // At 2 and at 3 one of the last two rules is needed, and 2 or 3 are always tried.
        assert_eq!(followed, [("sum", choices[0]), ("comm-not-zero", choices[1])], "{kind}");
    }
}

#[test]
fn without_instances_what_reads_literals_is_not_tried() {
    let none = PruneOptions { instances: Some(0), ..PruneOptions::default() }.settle().unwrap();
    let (_, rules) = of_literals("i64", none);
    let untried = |need: &Need| matches!(need, Need::NotTried(why) if why == "it reads literals");
    assert_eq!(rules.iter().filter(|(_, need)| untried(need)).count(), 5, "{rules:?}");
}
