//! Whatever the weights, every guide is a well-formed term of the right sort within the size
//! limit and over the task's variables.

use crate::common;
use egraph::{Leaf, TermBank, TermId};
use model::DecodeOptions;
use std::collections::BTreeSet;

fn variables(bank: &TermBank, t: TermId) -> BTreeSet<Leaf> {
    bank.variables(t).into_iter().cloned().collect()
}

#[test]
fn an_untrained_model_writes_terms() {
    let model = common::small_model(1);
    let mut bank = TermBank::new(model.language().clone());
    let texts = [
        ("(+ a 3)", "(+ 3 a)"),
        ("(< b (neg c))", "(&& (< b (neg c)) (< 1 2))"),
        ("-9223372036854775808", "7"),
        ("(select (< x y) v1 v0)", "(select (< x y) v1 v0)"),
    ];
    let mut tasks: Vec<(TermId, TermId)> = Vec::new();
    for (start, target) in texts {
        tasks.push((bank.parse(start, None).unwrap(), bank.parse(target, None).unwrap()));
    }
    for (nucleus, temperature) in [(1e-9, 1.0), (1.0, 5.0), (0.5, 1.0)] {
        for max_size in [1, 2, 3, 7, 30] {
            let options = DecodeOptions { nucleus, temperature, guides: 5, max_size, seed: 3 };
            let guides = model.guides(&mut bank, &tasks, &options).unwrap();
            assert_eq!(guides.len(), tasks.len());
            for ((start, target), guides) in tasks.iter().zip(&guides) {
                // A truth value has at least one node, a literal.
                assert!(!guides.is_empty());
                let distinct: BTreeSet<TermId> = guides.iter().map(|g| g.term).collect();
                assert!(distinct.len() == guides.len() && guides.len() <= 5);
                let mut known = variables(&bank, *start);
                known.extend(variables(&bank, *target));
                for guide in guides {
                    let sort = bank.sort(*start);
                    assert_eq!(bank.sort(guide.term), sort);
                    assert!(bank.size(guide.term) <= max_size as u64);
                    assert!(variables(&bank, guide.term).is_subset(&known));
                    let text = bank.text(guide.term);
                    assert_eq!(bank.parse(&text, Some(sort)).unwrap(), guide.term);
                    assert_eq!(guide.node_probabilities.len() as u64, bank.size(guide.term));
                    assert!(guide.node_probabilities.iter().all(|p| *p > 0.0 && *p <= 1.0001));
                }
            }
        }
    }
}

#[test]
fn what_can_not_be_answered_gets_no_guides_and_wrong_options_are_refused() {
    let model = common::small_model(1);
    let mut bank = TermBank::new(model.language().clone());
    let mut options =
        DecodeOptions { nucleus: 1.0, temperature: 1.0, guides: 1, max_size: 9, seed: 0 };

    // As large as no tree could be written out.
    let mut huge = bank.parse("x", None).unwrap();
    let plus = bank.language().operator("+").unwrap();
    for _ in 0..70 {
        huge = bank.apply(plus, &[huge, huge]);
    }
    let small = bank.parse("(+ x y)", None).unwrap();
    let guides = model.guides(&mut bank, &[(huge, small), (small, small)], &options).unwrap();
    assert!(guides[0].is_empty() && guides[1].len() == 1);

    let truth = bank.parse("(< x y)", None).unwrap();
    let error = model.guides(&mut bank, &[(small, truth)], &options).unwrap_err();
    assert!(error.to_string().contains("different sorts"));
    options.guides = 0;
    assert!(model.guides(&mut bank, &[], &options).unwrap_err().to_string().contains("guides"));
    options.guides = 1;
    options.nucleus = 0.0;
    assert!(model.guides(&mut bank, &[], &options).unwrap_err().to_string().contains("nucleus"));
    let foreign = egraph::System::parse("(sort A) (op f (A) A) (variable A)").unwrap();
    let mut foreign = TermBank::new(foreign.language.clone());
    options.nucleus = 1.0;
    let unknown = foreign.parse("(f x)", None).unwrap();
    let guides = model.guides(&mut foreign, &[(unknown, unknown)], &options).unwrap();
    assert_eq!(guides, [vec![]]);
    assert!(!model.can_read(&foreign, unknown, unknown).unwrap());
}
