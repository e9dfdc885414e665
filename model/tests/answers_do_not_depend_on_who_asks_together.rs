//! Threads that share a model get the answers, to the last bit, that each would get alone.

mod common;

use egraph::{Leaf, LeafValue, Node, TermBank, TermId};
use model::{Choices, DecodeOptions, GuideModel, SharedModel, Strategy};

/// All terms, but without variables.
#[derive(Clone)]
struct Closed(Vec<Leaf>);

impl Choices for Closed {
    fn heads(&self, _nodes: usize, allow: &mut dyn FnMut(Node<'_>)) {
        let language = common::system().language;
        (0..language.operators.len()).for_each(|i| allow(Node::Op(egraph::OpId(i as u32))));
        self.0.iter().for_each(|leaf| allow(Node::Leaf(leaf)));
    }

    fn advance(&mut self, _head: Node<'_>) {}
}

/// With literals of either sort, for a hole that nothing small fits ends a term without a word.
fn closed(bank: &mut TermBank) -> Closed {
    let number = bank.parse("0", None).unwrap();
    let truth = bank.parse("(< 0 0)", None).unwrap();
    let [number, truth] = [number, truth].map(|term| bank.sort(term));
    let leaf = |sort, value| Leaf { sort, value: LeafValue::Literal(value) };
    let numbers = (0..40).map(|i| leaf(number, egraph::Value::Int(i)));
    let truths = [false, true].map(|b| leaf(truth, egraph::Value::Bool(b)));
    Closed(numbers.chain(truths).collect())
}

/// The question of a thread, in a bank of its own.
fn question(model: &GuideModel, thread: usize) -> (TermBank, [TermId; 3]) {
    let mut bank = TermBank::new(model.language().clone());
    let triple = &common::triples(9, 12)[thread];
    let terms = triple.terms(&mut bank).unwrap();
    (bank, [terms[0], terms[2], terms[1]])
}

fn options(thread: usize) -> DecodeOptions {
    let strategy = match thread % 3 {
        0 => Strategy::Beam { width: 4 },
        _ => Strategy::Nucleus { p: 0.99, temperature: 1.5 },
    };
    DecodeOptions { strategy, guides: 1 + thread % 5, max_size: 10 + thread, seed: thread as u64 }
}

#[test]
fn guides_likelihoods_and_values() {
    let mut config = common::small_config();
    config.model.value_head = true;
    let model = common::model_of(config, 20);
    let guides = |bank: &TermBank, guides: &[model::Guide]| -> Vec<(String, [u32; 2])> {
        let numbers = |g: &model::Guide| [g.log_probability.to_bits(), g.log_proposal.to_bits()];
        guides.iter().map(|g| (bank.text(g.term), numbers(g))).collect()
    };
    for workers in [1, 3] {
        let shared = SharedModel::new(&model, workers);
        std::thread::scope(|scope| {
            for thread in 0..12 {
                let (shared, model, guides) = (&shared, &model, &guides);
                scope.spawn(move || {
                    let (mut bank, [start, target, guide]) = question(model, thread);
                    let (task, options) = ((start, target), options(thread));
                    for round in 0..3 {
                        let choices = (round == 1).then(|| closed(&mut bank));
                        let together =
                            shared.guides(&mut bank, task, choices.clone(), &options).unwrap();
                        assert!(together.seconds > 0.0);
                        let together = together.answer;
                        let alone = match choices {
                            Some(c) => model.guides_within(&mut bank, &[task], &[c], &options),
                            None => model.guides(&mut bank, &[task], &options),
                        };
                        let alone = &alone.unwrap()[0];
                        assert!(!alone.is_empty());
                        assert_eq!(guides(&bank, &together), guides(&bank, alone));

                        let terms = [guide, start, target];
                        assert_eq!(
                            shared.log_likelihoods(&bank, task, &terms, 60).unwrap().answer,
                            model.log_likelihoods(&bank, task, &terms, 60).unwrap()
                        );
                        let pairs = [task, (guide, target), (target, start)];
                        let values = shared.values(&bank, &pairs).unwrap().answer;
                        assert_eq!(values, model.values(&bank, &pairs).unwrap());
                        assert_eq!(values[..1], model.values(&bank, &pairs[..1]).unwrap());
                        assert!(values.iter().all(|value| value.unwrap().is_finite()));
                    }
                });
            }
        });
    }
}

#[test]
fn a_model_without_a_value_head_says_so() {
    let model = common::small_model(1);
    let (bank, [start, target, _]) = question(&model, 0);
    let error = model.values(&bank, &[(start, target)]).unwrap_err();
    assert!(error.to_string().contains("no value head"));
}
