//! Search end to end, on the shipped systems: under a cap that one e-graph can't keep to, the
//! true waypoints, chance and an expert lead to a checked proof.

mod common;

use common::{cairn, shipped};
use egraph::{Proof, System, TermBank, check, proof_from_json};
use guided_search::search::answer::{Answer, Failure, SearchSettings, Tactic};
use guided_search::search::budget::{Budget, Cap, Schedulers};
use guided_search::search::prove::prove;
use guided_search::sources::both_sides::BothSides;
use guided_search::sources::guide_source::{
    Guide, GuideRequest, GuideSet, GuideSource, NoGuides, Waypoint,
};
use guided_search::sources::oracle::Oracle;
use guided_search::tasks::chains::{ChainSettings, far_chains};
use guided_search::tasks::task::TaskSet;
use std::sync::Arc;

const LINK: usize = 150;

fn tasks() -> (Arc<System>, TaskSet) {
    let system = Arc::new(System::load(&shipped("systems/halide.rules")).unwrap());
    let mut bank = TermBank::new(system.language.clone());
    let seeds = dataset_gen::seeds::read::load_seeds(
        &shipped("seeds/halide.txt").into(),
        &system,
        &mut bank,
        None,
    )
    .unwrap();
    let settings =
        ChainSettings { links: 4, link_nodes: LINK, cap: 4 * LINK, count: 20, rounds: 4, seed: 1 };
    let set = far_chains(&system, &bank, &seeds, &settings, true);
    assert_eq!(set.tasks.len(), 20);
    (system, set)
}

fn settings(tactic: Tactic) -> SearchSettings {
    let budget =
        Budget { cap: Cap::Nodes(4 * LINK), work: 40 * LINK as u64, scheduler: Schedulers::Simple };
    let (guides, attempts, depth, max_size, deadline) = (10, 4, 4, 60, None);
    SearchSettings { budget, guides, attempts, depth, tactic, max_size, deadline }
}

fn assert_proved(system: &System, bank: &TermBank, answer: &Answer, ends: [egraph::TermId; 2]) {
    let proof = answer.result.as_ref().expect("a proof");
    assert_eq!([proof.start(), proof.end()], ends);
    check(system, bank, proof).unwrap();
    assert!(answer.ledger.work <= 40 * LINK as u64);
    assert!(answer.ledger.e_graphs > 1 && !answer.waypoints.is_empty());
}

#[test]
fn true_waypoints_lead_to_every_target_and_no_guides_to_none() {
    let (system, set) = tasks();
    for task in &set.tasks {
        let mut bank = TermBank::new(system.language.clone());
        let chain = task.terms(&mut bank).unwrap();
        assert_eq!(chain.len(), 5);
        let ends = [chain[0], chain[4]];
        let [start, target] = ends;
        let settings = settings(Tactic::Each);
        let none = prove(&system, &mut bank, start, target, &mut NoGuides, &settings).unwrap();
        assert_eq!(none.result.unwrap_err(), Failure::Guides);
        assert_eq!(none.ledger.e_graphs, 1);
        let mut oracle = Oracle { chain };
        let answer = prove(&system, &mut bank, start, target, &mut oracle, &settings).unwrap();
        assert_proved(&system, &bank, &answer, ends);
    }
}

#[test]
fn chance_reaches_some_targets() {
    let (system, set) = tasks();
    let mut proved = 0;
    for tactic in [Tactic::Each, Tactic::United] {
        for (number, task) in (0..).zip(&set.tasks) {
            let mut bank = TermBank::new(system.language.clone());
            let chain = task.terms(&mut bank).unwrap();
            let ends = [chain[0], chain[4]];
            let mut source = BothSides { seed: 0, task: number };
            let answer =
                prove(&system, &mut bank, ends[0], ends[1], &mut source, &settings(tactic));
            let answer = answer.unwrap();
            if answer.result.is_ok() {
                assert_proved(&system, &bank, &answer, ends);
                proved += 1;
            }
        }
    }
    assert!(proved > 0);
}

#[test]
fn an_experts_guides_are_the_stages_of_a_proof_that_check_accepts() {
    let (system, set) = tasks();
    let task = &set.tasks[0];
    let directory = tempfile::tempdir().unwrap();
    let guides = task.waypoints.join(" ; a stage\n");
    std::fs::write(directory.path().join("guides.txt"), guides).unwrap();
    let rules = shipped("systems/halide.rules");
    let cap = (4 * LINK).to_string();
    let prove = |guides: bool| {
        let mut command = cairn(&directory);
        command.args(["prove", "--from", &task.start, "--to", &task.target, "--cap", &cap]);
        command.args(["--work", "6000", "--out", "proof.json", "--system"]).arg(&rules);
        if guides {
            command.args(["--expert", "guides.txt"]);
        }
        command.assert()
    };
    prove(false).code(3);
    assert!(!directory.path().join("proof.json").exists());
    prove(true).success();
    let text = std::fs::read_to_string(directory.path().join("proof.json")).unwrap();
    let mut bank = TermBank::new(system.language.clone());
    let proof = proof_from_json(&system, &mut bank, &text).unwrap();
    assert_eq!(bank.text(proof.end()), task.target);
    cairn(&directory).args(["check", "proof.json", "--system"]).arg(&rules).assert().success();
}

/// Says that it has reached a waypoint from a term that is none of the question's.
struct Liar {
    proof: Proof,
}

impl GuideSource for Liar {
    fn guides(&mut self, _: &GuideRequest<'_>, _: &mut TermBank) -> anyhow::Result<GuideSet> {
        let waypoints = vec![Waypoint::Term(self.proof.end())];
        let guides = vec![Guide { waypoints, reached: Some(self.proof.clone()) }];
        Ok(GuideSet { guides, ..GuideSet::default() })
    }
}

#[test]
fn a_source_with_a_proof_of_something_else_is_found_out() {
    let (system, set) = tasks();
    let mut bank = TermBank::new(system.language.clone());
    let chain = set.tasks[0].terms(&mut bank).unwrap();
    // The waypoint is a true one, but nothing shows that the start equals it.
    let mut liar = Liar { proof: Proof::reflexive(chain[1]) };
    let settings = settings(Tactic::Each);
    let error = prove(&system, &mut bank, chain[0], chain[4], &mut liar, &settings).unwrap_err();
    assert_eq!(support::errors::exit_code(&error), 1, "{error:#}");
}
