//! Search end to end, on the shipped systems: under a cap that one e-graph can't keep to, the
//! true waypoints, chance and an expert lead to a checked proof.

use crate::common::{cairn, shipped};
use egraph::{System, TermBank, TermId, check, proof_from_json};
use guided_search::{
    Answer, Budget, Cap, ChainSettings, ExpertGuides, Failure, Frontier, GuideRequest, GuideSet,
    GuideSource, NoGuides, Oracle, Proposal, Question, Schedulers, SearchSettings, TaskSet,
    Waypoint, far_chains, prove,
};
use std::sync::Arc;

const LINK: usize = 150;

fn tasks() -> (Arc<System>, TaskSet) {
    let system = Arc::new(System::load(&shipped("systems/halide.rules")).unwrap());
    let mut bank = TermBank::new(system.language.clone());
    let seeds =
        terms::load_seeds(&shipped("seeds/halide.txt").into(), &system, &mut bank, None).unwrap();
    let settings = ChainSettings {
        links: 4,
        link_nodes: LINK,
        beyond: 4 * LINK,
        memory: 64 << 20,
        count: 20,
        rounds: 4,
        family: None,
        seed: 1,
    };
    let set = far_chains(&system, &bank, &seeds, &settings, true);
    assert_eq!(set.tasks.len(), 20);
    (system, set)
}

fn settings() -> SearchSettings {
    let (cap, work) = (Cap::Nodes(4 * LINK), 40 * LINK as u64);
    SearchSettings::within(Budget { cap, work, scheduler: Schedulers::Simple }, 0)
}

fn ask(
    system: &Arc<System>,
    bank: &mut TermBank,
    ends: [TermId; 2],
    source: &mut dyn GuideSource,
) -> anyhow::Result<Answer> {
    prove(
        system,
        bank,
        Question { ends, number: 0, deadline: None, cancel: None, threads: 1 },
        source,
        &settings(),
    )
}

fn assert_proved(system: &System, bank: &TermBank, answer: &Answer, ends: [egraph::TermId; 2]) {
    let proof = answer.result.as_ref().expect("a proof");
    assert_eq!([proof.start(), proof.end()], ends);
    check(system, bank, proof).unwrap();
    assert!(answer.ledger.work <= 40 * LINK as u64);
    assert!(answer.ledger.e_graphs > 1);
}

#[test]
fn true_waypoints_lead_to_every_target_and_no_guides_to_none() {
    let (system, set) = tasks();
    for task in &set.tasks {
        let mut bank = TermBank::new(system.language.clone());
        let chain = task.terms(&mut bank).unwrap();
        assert_eq!(chain.len(), 5);
        let ends = [chain[0], chain[4]];
        let none = ask(&system, &mut bank, ends, &mut NoGuides).unwrap();
        assert_eq!(none.result.unwrap_err(), Failure::Guides);
        assert_eq!(none.ledger.e_graphs, 1);
        let answer = ask(&system, &mut bank, ends, &mut Oracle { chain: &chain }).unwrap();
        assert_proved(&system, &bank, &answer, ends);
    }
}

#[test]
fn chance_and_size_reach_some_targets() {
    let (system, set) = tasks();
    let mut proved = [0; 3];
    for (task, number) in set.tasks.iter().zip(0..) {
        let sources = [Frontier::Random, Frontier::Descend, Frontier::Smallest];
        for (mut source, proved) in sources.into_iter().zip(&mut proved) {
            let mut bank = TermBank::new(system.language.clone());
            let chain = task.terms(&mut bank).unwrap();
            let ends = [chain[0], chain[4]];
            let question = Question { ends, number, deadline: None, cancel: None, threads: 1 };
            let answer = prove(&system, &mut bank, question, &mut source, &settings()).unwrap();
            if answer.result.is_ok() {
                assert_proved(&system, &bank, &answer, ends);
                *proved += 1;
            }
        }
    }
    let [random, descend, smallest] = proved;
    assert!(random > 0 && smallest > 0 && descend > random, "{proved:?}");
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
        command.args(["prove", "--start", &task.start, "--target", &task.target, "--cap", &cap]);
        command.args(["--work", "6000", "--out", "proof.json", "--system"]).arg(&rules);
        command.args(if guides { ["--expert", "guides.txt"] } else { ["--method", "cap"] });
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

#[test]
fn a_stage_of_a_plan_ends_where_its_sketch_first_holds_whatever_the_cap() {
    let directory = tempfile::tempdir().unwrap();
    // The split and the tiled form of a map over two dimensions: the second is what the target is.
    let plan =
        "(contains (m n1 (m 32 (m n2 (m 32 f)))))\n(contains (m n1 (m n2 (m 32 (m 32 f)))))\n";
    let path = directory.path().join("plan.txt");
    std::fs::write(&path, plan).unwrap();
    let system = Arc::new(System::load(&shipped("systems/tiling.rules")).unwrap());
    let mut bank = TermBank::new(system.language.clone());
    let ends = [
        "(m (* n1 32) (m (* n2 32) f))",
        "(o j (o (o (m n1 (m 32 j)) (o (o (m n1 T) (o (m n1 (m n2 (m 32 (m 32 f)))) (m n1 T))) \
         (m n1 (m 32 (s 32))))) (s 32)))",
    ]
    .map(|text| bank.parse(text, None).unwrap());
    let mut expert = ExpertGuides::load(&path, &system, bank.sort(ends[0])).unwrap();
    for cap in [26_000, 300_000, 1_000_000] {
        let (cap, work) = (Cap::Nodes(cap), 20_000_000);
        let budget = Budget { cap, work, scheduler: Schedulers::Simple };
        let question = Question { ends, number: 0, deadline: None, cancel: None, threads: 1 };
        let settings = SearchSettings::within(budget, 0);
        let answer = prove(&system, &mut bank, question, &mut expert, &settings).unwrap();
        check(&system, &bank, answer.result.as_ref().unwrap()).unwrap();
        assert_eq!(answer.ledger.requests, 0);
        assert!(answer.ledger.work < 2_000, "{} with a cap of {cap}", answer.ledger.work);
    }
}

/// Says that the class of the start holds a term that it does not hold.
struct Liar {
    term: TermId,
}

impl GuideSource for Liar {
    fn guides(&mut self, _: &GuideRequest<'_>, _: &mut TermBank) -> anyhow::Result<GuideSet> {
        Ok(GuideSet { reached: [vec![self.term], vec![]], ..GuideSet::default() })
    }
}

#[test]
fn a_source_that_has_not_reached_what_it_says_is_found_out() {
    let (system, set) = tasks();
    let mut bank = TermBank::new(system.language.clone());
    let chain = set.tasks[0].terms(&mut bank).unwrap();
    let mut liar = Liar { term: chain[4] };
    let error = ask(&system, &mut bank, [chain[0], chain[4]], &mut liar).unwrap_err();
    assert_eq!(support::exit_code(&error), 1, "{error:#}");
}

/// Proposes terms that are only looked up, and draws at random.
struct Prompter {
    terms: Vec<TermId>,
}

impl GuideSource for Prompter {
    fn guides(
        &mut self,
        request: &GuideRequest<'_>,
        bank: &mut TermBank,
    ) -> anyhow::Result<GuideSet> {
        let mut set = Frontier::Descend.guides(request, bank)?;
        let proposal = |term| Proposal { waypoint: Waypoint::Term(term), expand: false };
        set.proposals = self.terms.drain(..).map(proposal).collect();
        Ok(set)
    }
}

#[test]
fn what_is_proposed_joins_a_pool_where_an_e_graph_reaches_it() {
    let (system, set) = tasks();
    let mut reached = 0;
    for task in &set.tasks {
        let mut bank = TermBank::new(system.language.clone());
        let chain = task.terms(&mut bank).unwrap();
        let ends = [chain[0], chain[4]];
        let mut source = Prompter { terms: chain[1..4].to_vec() };
        let answer = ask(&system, &mut bank, ends, &mut source).unwrap();
        assert_eq!(answer.ledger.proposed, 3);
        reached += answer.ledger.reached;
        if answer.result.is_ok() {
            assert_proved(&system, &bank, &answer, ends);
        }
    }
    assert!(reached > 0);
}

#[test]
fn guides_are_shown_on_their_way_to_the_search() {
    let directory = tempfile::tempdir().unwrap();
    let prove = |options: &[&str]| {
        let mut command = cairn(&directory);
        command.args(["prove", "--system", "halide", "--cap", "100", "--work", "2000"]);
        command.args(["--start", "(<= (+ (* 2 x) (* 2 y)) (* 2 z))", "--method", "descend"]);
        command.args(options).assert()
    };
    let to = ["--target", "(<= (+ y x) z)"];
    let said = |options: &[&str]| {
        let output = prove(&[&to, options].concat()).get_output().clone();
        (output.status.code(), output.stdout, String::from_utf8(output.stderr).unwrap())
    };
    let shown = said(&["--show-guides"]);
    for line in [
        "request 1: an e-graph of ",
        "\n    (<= (+ (* 2 x) (* 2 y)) (* 2 z))\n    (<= (+ y x) z)\n  10 guides in the class of its start:\n",
        "\nrequest 2: ",
    ] {
        assert!(shown.2.contains(line), "{}", shown.2);
    }
    // Looking on changes nothing.
    let unseen = said(&[]);
    assert!(!unseen.2.contains("request 1:"));
    assert_eq!((shown.0, shown.1), (unseen.0, unseen.1));
    prove(&["--target", "(<= ? ?)", "--show-guides"]).code(2);
}
