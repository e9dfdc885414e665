//! The any-time search: what ends it, and what it says then.

use crate::shared::{halide_tasks, settings};
use egraph::{Cancel, CostFunction, Sketch, System, TermBank, check};
use guided_search::{
    Aids, Answer, Asked, Cap, Ended, Failure, Frontier, Method, NoGuides, Objective,
    OptimiseSettings, Question, SearchSettings, optimise, prove, united,
};
use std::sync::Arc;
use std::time::Instant;

fn search(
    system: &Arc<System>,
    texts: [&str; 2],
    settings: &SearchSettings,
    deadline: Option<Instant>,
) -> Answer {
    let mut bank = TermBank::new(system.language.clone());
    let ends = texts.map(|text| bank.parse(text, None).unwrap());
    let question = Question { ends, number: 0, deadline, cancel: None, threads: 1 };
    prove(system, &mut bank, question, &mut Frontier::Descend, settings).unwrap()
}

fn sums() -> Arc<System> {
    let rules = "(sort I) (literal i64 I) (variable I) (op + (I I) I) (analysis constant)
        (rewrite (+ ?a ?b) (+ ?b ?a))
        (birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c))";
    Arc::new(System::parse(rules).unwrap())
}

#[test]
fn the_same_question_has_the_same_answer() {
    let (system, set) = halide_tasks(3, false);
    for task in &set.tasks {
        let texts = [task.start.as_str(), task.target.as_str()];
        let answer = || search(&system, texts, &settings(), None);
        let (one, other) = (answer(), answer());
        assert_eq!(one.ledger, other.ledger);
        assert_eq!(one.result.is_ok(), other.result.is_ok());
        assert!(one.ledger.e_graphs > 1);
    }
}

#[test]
fn it_ends_when_the_work_is_spent_or_the_time_is_over_or_the_e_graph_is_complete() {
    let system = sums();
    let different = ["(+ a (+ b (+ c (+ d e))))", "(+ a (+ b (+ c (+ d f))))"];
    let mut small = settings();
    (small.budget.cap, small.budget.work) = (Cap::Nodes(60), 1_000);
    small.expansion = Cap::Nodes(30);
    let answer = search(&system, different, &small, None);
    assert_eq!(answer.result.unwrap_err(), Failure::Work);
    assert!(answer.ledger.requests > 0);
    let answer = search(&system, different, &small, Some(Instant::now()));
    assert_eq!(answer.result.unwrap_err(), Failure::Time);
    let answer = search(&system, ["(+ a b)", "(+ a c)"], &settings(), None);
    assert_eq!(answer.result.unwrap_err(), Failure::Saturated);
    let answer = search(&system, ["(+ 1 2)", "(+ 2 2)"], &settings(), None);
    assert_eq!(answer.result.unwrap_err(), Failure::Opposed);
    assert_eq!(answer.opposed.map(|sides| sides.len()), Some(2));
}

#[test]
fn guides_that_are_united_lead_through_many_legs_to_one_proof_without_what_was_given() {
    let system = sums();
    let mut bank = TermBank::new(system.language.clone());
    let texts = [
        "(+ a (+ b (+ c (+ d (+ e (+ f (+ g h)))))))",
        "(+ (+ h (+ b g)) (+ (+ f a) (+ c (+ e d))))",
    ];
    let ends = texts.map(|text| bank.parse(text, None).unwrap());
    let mut most = 0;
    for (guides, seed) in (1..=6).flat_map(|guides| (0..4).map(move |seed| (guides, seed))) {
        let mut small = SearchSettings { guides, seed, ..settings() };
        (small.budget.cap, small.budget.work) = (Cap::Nodes(150), 30_000);
        let question = Question { ends, number: 0, deadline: None, cancel: None, threads: 1 };
        let answer = united(&system, &mut bank, question, &mut Frontier::Descend, &small).unwrap();
        let Ok(proof) = &answer.result else { continue };
        assert_eq!([proof.start(), proof.end()], ends);
        check(&system, &bank, proof).unwrap();
        most = most.max(answer.waypoints.len());
        for waypoint in &answer.waypoints {
            let mut ends = proof.steps.iter().flat_map(|step| [step.from, step.to]);
            assert!(ends.any(|end| end == *waypoint));
        }
    }
    assert!(most >= 4, "{most}");
}

#[test]
fn united_guides_end_where_the_search_from_pairs_does() {
    let system = sums();
    let mut bank = TermBank::new(system.language.clone());
    for (texts, failure) in [
        (["(+ a b)", "(+ a c)"], Failure::Saturated),
        (["(+ 1 (+ 2 3))", "(+ 2 2)"], Failure::Opposed),
    ] {
        let ends = texts.map(|text| bank.parse(text, None).unwrap());
        let question = Question { ends, number: 0, deadline: None, cancel: None, threads: 1 };
        let answer =
            united(&system, &mut bank, question, &mut Frontier::Shared, &settings()).unwrap();
        assert_eq!(answer.result.unwrap_err(), failure);
        for (side, end) in answer.opposed.iter().flatten().zip(ends) {
            assert_eq!(side.start(), end);
            check(&system, &bank, side).unwrap();
        }
        assert_eq!(answer.opposed.is_some(), failure == Failure::Opposed);
    }
}

#[test]
fn without_guides_it_is_one_e_graph() {
    let (system, set) = halide_tasks(1, false);
    let mut bank = TermBank::new(system.language.clone());
    let chain = set.tasks[0].terms(&mut bank).unwrap();
    let question = Question {
        ends: [chain[0], chain[chain.len() - 1]],
        number: 0,
        deadline: None,
        cancel: None,
        threads: 1,
    };
    let answer = prove(&system, &mut bank, question, &mut NoGuides, &settings()).unwrap();
    assert_eq!(answer.result.unwrap_err(), Failure::Guides);
    assert_eq!((answer.ledger.e_graphs, answer.ledger.requests), (1, 1));
}

#[test]
fn a_search_that_is_asked_to_stop_does_and_says_so() {
    let system = sums();
    let mut bank = TermBank::new(system.language.clone());
    let ends = ["(+ a (+ b (+ c (+ d (+ e f)))))", "(+ a g)"];
    let ends = ends.map(|text| bank.parse(text, None).unwrap());
    let cancel = Cancel::default();
    cancel.ask();
    for method in ["deep", "united", "all-work"] {
        let question =
            Question { ends, number: 0, deadline: None, cancel: Some(&cancel), threads: 1 };
        let answer = method.parse::<Method>().unwrap().answer(&mut Asked {
            system: &system,
            bank: &mut bank,
            question,
            settings: settings(),
            aids: Aids::default(),
        });
        let answer = answer.unwrap();
        assert_eq!(answer.result.unwrap_err(), Failure::Cancelled, "{method}");
        assert!(answer.ledger.work < 100, "{method}: {:?}", answer.ledger);
    }
    let cost = CostFunction::size();
    let objective = Objective::tree(cost, Sketch::Any);
    let settings =
        OptimiseSettings { cancel: Some(cancel), ..OptimiseSettings::within(settings().budget, 0) };
    let outcome = optimise(&system, &mut bank, ends[0], &objective, &settings).unwrap();
    assert_eq!(outcome.ended, Ended::Cancelled);
}
