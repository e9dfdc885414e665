//! The likelihood of a given term is the probability with which the decoder writes it.

mod common;

use egraph::{TermBank, TermId};
use model::{DecodeOptions, GuideModel, Strategy};

fn question(bank: &mut TermBank) -> (TermId, TermId) {
    let [start, target] = ["(+ (* a 3) (neg b))", "(+ (neg b) (* 3 a))"];
    (bank.parse(start, None).unwrap(), bank.parse(target, None).unwrap())
}

fn written(model: &GuideModel, bank: &mut TermBank, max_size: usize) -> Vec<model::Guide> {
    let task = question(bank);
    let strategy = Strategy::Nucleus { p: 1.0, temperature: 2.0 };
    let options = DecodeOptions { strategy, guides: 60, max_size, seed: 3 };
    model.guides(bank, &[task], &options).unwrap().pop().unwrap()
}

#[test]
fn what_is_written_has_its_own_likelihood() {
    let model = common::small_model(30);
    let mut bank = TermBank::new(model.language().clone());
    for max_size in [3, 12] {
        let guides = written(&model, &mut bank, max_size);
        assert!(guides.len() > 40);
        let terms: Vec<TermId> = guides.iter().map(|g| g.term).collect();
        let task = question(&mut bank);
        let found = model.log_likelihoods(&bank, task, &terms, max_size).unwrap();
        let mut compared = 0;
        for (guide, found) in guides.iter().zip(&found) {
            let found = found.unwrap();
            // A word may have been spelled in another way than the shortest.
            if found.tokens == guide.tokens {
                assert!((found.log_p - guide.log_probability).abs() < 1e-4);
                compared += 1;
            }
        }
        assert!(compared > 20, "{compared}");
        // Each as it would be alone, to the last bit.
        for (t, found) in terms.iter().zip(&found) {
            assert_eq!(model.log_likelihoods(&bank, task, &[*t], max_size).unwrap(), [*found]);
        }
    }
}

#[test]
fn the_likelihoods_of_all_terms_sum_to_one() {
    let model = common::small_model(30);
    let mut bank = TermBank::new(model.language().clone());
    let truth = (bank.parse("(< a 1)", None).unwrap(), bank.parse("(< 1 a)", None).unwrap());
    let all = ["0", "1"].map(|t| bank.parse(t, Some(bank.sort(truth.0))).unwrap());
    let found = model.log_likelihoods(&bank, truth, &all, 1).unwrap();
    let sum: f32 = found.iter().map(|l| l.unwrap().log_p.exp()).sum();
    assert!((sum - 1.0).abs() < 1e-5, "{sum}");
}

#[test]
fn what_can_not_be_written_has_no_likelihood() {
    let model = common::small_model(1);
    let mut bank = TermBank::new(model.language().clone());
    let task = question(&mut bank);
    let mut huge = task.0;
    let plus = bank.language().operator("+").unwrap();
    for _ in 0..70 {
        huge = bank.apply(plus, &[huge, huge]);
    }
    let texts = ["a", "(+ a b)", "(+ a z)", "(< a b)", "(+ a (+ a b))"];
    let mut terms = texts.map(|t| bank.parse(t, None).unwrap()).to_vec();
    terms.push(huge);
    let found = model.log_likelihoods(&bank, task, &terms, 3).unwrap();
    let known: Vec<bool> = found.iter().map(Option::is_some).collect();
    assert_eq!(known, [true, true, false, false, false, false]);
    assert_eq!(model.log_likelihoods(&bank, (huge, huge), &terms, 3).unwrap(), [None; 6]);
}
