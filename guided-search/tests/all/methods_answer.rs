//! Every row of the table of methods answers questions, and what it answers is checked.

use crate::shared::{halide_tasks, settings, shipped};
use anyhow::Result;
use egraph::{System, TermBank, TermId, check};
use guided_search::{
    Aids, Answer, Asked, Drawn, ExpertGuides, GuideWriter, Method, Need, Question, WrittenTerm,
};
use ranking::Ranker;
use std::sync::Arc;

/// Writes what it was asked for, and what is behind it: a network would know no better in the beginning.
struct Scribe;

impl GuideWriter for Scribe {
    fn write(
        &self,
        bank: &mut TermBank,
        [start, target]: [TermId; 2],
        drawn: &Drawn,
    ) -> Result<Vec<WrittenTerm>> {
        assert!(drawn.terms > 0 && drawn.max_size > 0);
        let written = |term: TermId| {
            let nodes = usize::try_from(bank.size(term)).unwrap();
            let node_probabilities = (0..nodes).map(|node| 1.0 / (1.0 + node as f32)).collect();
            WrittenTerm { term, node_probabilities }
        };
        Ok([start, target].map(written).into())
    }

    fn can_read(&self, _: &TermBank, _: [TermId; 2]) -> Result<bool> {
        Ok(true)
    }
}

fn ask(
    method: Method,
    system: &Arc<System>,
    bank: &mut TermBank,
    ends: [TermId; 2],
    aids: Aids<'_>,
) -> Answer {
    let question = Question { ends, number: 0, deadline: None, cancel: None, threads: 1 };
    let asked = &mut Asked { system, bank, question, settings: settings(), aids };
    method.answer(asked).unwrap()
}

#[test]
fn every_method_ends_in_a_proof_that_the_checker_accepts() {
    let directory = tempfile::tempdir().unwrap();
    let (system, set) = halide_tasks(1, false);
    let text = std::fs::read_to_string(shipped("rankers/halide.json")).unwrap();
    let ranker = Arc::new(Ranker::read("halide", &text, &system).unwrap());
    let guides = directory.path().join("guides.txt");
    std::fs::write(&guides, set.tasks[0].waypoints.join("\n")).unwrap();
    for method in Method::all() {
        let mut bank = TermBank::new(system.language.clone());
        let near = ["(+ (* 2 x) 0)", "(* x 2)"].map(|text| bank.parse(text, None).unwrap());
        let chain = set.tasks[0].terms(&mut bank).unwrap();
        let far = [chain[0], chain[chain.len() - 1]];
        let expert = ExpertGuides::load(&guides, &system, bank.sort(far[0])).unwrap();
        let aids = Aids {
            model: Some(&Scribe),
            ranker: Some(&ranker),
            chain: Some(&chain),
            expert: Some(&expert).filter(|_| method.needs() == Need::Guides),
            watcher: None,
        };
        for ends in [near, far] {
            let answer = ask(method, &system, &mut bank, ends, aids);
            if let Ok(proof) = &answer.result {
                assert_eq!([proof.start(), proof.end()], ends, "{method}");
                check(&system, &bank, proof).unwrap();
            }
            assert!(answer.result.is_ok() || ends == far, "{method}");
            // True waypoints always lead there.
            let is_told = [Need::Chain, Need::Guides].contains(&method.needs());
            assert!(answer.result.is_ok() || !is_told, "{method}");
        }
    }
}

#[test]
fn a_method_without_what_it_needs_says_so_and_does_nothing() {
    let (system, set) = halide_tasks(1, false);
    for method in Method::all().filter(|m| m.expect(&[]).is_err()) {
        let mut bank = TermBank::new(system.language.clone());
        let chain = set.tasks[0].terms(&mut bank).unwrap();
        let question = Question {
            ends: [chain[0], chain[1]],
            number: 0,
            deadline: None,
            cancel: None,
            threads: 1,
        };
        let error = method.answer(&mut Asked {
            system: &system,
            bank: &mut bank,
            question,
            settings: settings(),
            aids: Aids::default(),
        });
        assert!(error.unwrap_err().to_string().contains(method.name()));
    }
}

#[test]
fn the_portfolio_is_the_best_search_that_what_is_there_allows() {
    let (system, set) = halide_tasks(3, false);
    let text = std::fs::read_to_string(shipped("rankers/halide.json")).unwrap();
    let ranker = Arc::new(Ranker::read("halide", &text, &system).unwrap());
    for task in &set.tasks {
        let answer = |method: &str, ranker: Option<&Arc<Ranker>>| {
            let mut bank = TermBank::new(system.language.clone());
            let chain = task.terms(&mut bank).unwrap();
            let ends = [chain[0], chain[chain.len() - 1]];
            let aids = Aids { ranker, ..Aids::default() };
            ask(method.parse().unwrap(), &system, &mut bank, ends, aids)
        };
        let with = Some(&ranker);
        // The first e-graph is in the order that was learned.
        let (ranked, portfolio) = (answer("ranked", with), answer("portfolio", with));
        assert!(portfolio.result.is_ok());
        if ranked.ledger.e_graphs == 1 {
            assert_eq!(portfolio.ledger, ranked.ledger);
        }
        assert!(answer("portfolio", None).result.is_ok());
    }
}
