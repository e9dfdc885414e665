//! Work that grows no e-graph, each kind under every bound: it ends at once where one is reached, with the reason, and
//! where none is it comes to what it comes to without.

use crate::common;
use egraph::{
    Bounds, Cancel, Caps, CostFunction, DagSearch, EGraph, Explainer, Id, Limits, Node, Shortener,
    Sketch, StopReason, System, TermBank, TermId, check, extract_best, extract_by, extract_sketch,
    normalise,
};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What work is about.
struct Case {
    system: Arc<System>,
    bank: TermBank,
    egraph: EGraph,
    class: Id,
    start: TermId,
    /// A term equal to the start, of another shape.
    other: TermId,
}

fn case(name: &str, term: &str, nodes: usize) -> Case {
    let system = common::shipped(name);
    let mut bank = TermBank::new(system.language.clone());
    let start = bank.parse(term, None).unwrap();
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let egraph = common::grow(&system, &bank, &[start], limits);
    let class = egraph.lookup(&bank, start).unwrap();
    let last = *egraph.nodes(class).last().unwrap();
    let other = egraph.term(&mut bank, last);
    Case { system, bank, egraph, class, start, other }
}

/// What work came to, as text.
type Work = fn(&Case, &mut TermBank) -> String;

/// Every kind of work by its name.
const ALL: &[(&str, Work)] = &[
    ("explain", |case, bank| {
        let mut explainer = Explainer::new(&case.egraph);
        let mut steps = 0;
        let classes: Vec<Id> = case.egraph.classes().collect();
        for &class in &classes {
            let nodes = case.egraph.nodes(class);
            let ends = [nodes[0], nodes[nodes.len() - 1]].map(|node| case.egraph.term(bank, node));
            let proof = explainer.explain(bank, ends[0], ends[1]).unwrap();
            check(&case.system, bank, &proof).unwrap();
            steps += proof.len();
        }
        steps.to_string()
    }),
    ("shorten", |case, bank| {
        let proof = Explainer::new(&case.egraph).explain(bank, case.start, case.other).unwrap();
        let flat = proof.flatten(bank, Caps { steps: 300, term_size: 300 }).unwrap();
        let short = Shortener::new(&case.system).shorten(bank, &flat, 300);
        format!("{} of {}", short.steps.len(), flat.steps.len())
    }),
    ("flatten", |case, bank| {
        let proof = Explainer::new(&case.egraph).explain(bank, case.start, case.other).unwrap();
        (0..200).for_each(|_| drop(proof.flatten(bank, Caps { steps: 300, term_size: 300 })));
        proof.len().to_string()
    }),
    ("extract", |case, bank| {
        let cost = CostFunction::named(&case.system, "size").unwrap();
        let (term, _) = extract_best(&case.egraph, bank, case.class, &Sketch::Any, &cost).unwrap();
        bank.text(term)
    }),
    ("extract a sketch", |case, bank| {
        let sketch = Sketch::parse(&case.system.language, "(contains (* x ?))", None).unwrap();
        let term = extract_sketch(&case.egraph, bank, case.class, &sketch);
        term.map_or("none".to_owned(), |term| bank.text(term))
    }),
    ("extract by a function", |case, bank| {
        let cost = |_: Node<'_>, args: &[f64]| Ok::<f64, String>(1.0 + args.iter().sum::<f64>());
        let (term, _) = extract_by(&case.egraph, bank, case.class, cost).unwrap();
        bank.text(term)
    }),
    ("extract a DAG", |case, bank| {
        let cost = CostFunction::named(&case.system, "size").unwrap();
        let mut search = DagSearch::new(&case.egraph, case.class, &Sketch::Any, &cost).unwrap();
        search.improve(200_000);
        let (term, _) = search.best(bank);
        bank.text(term)
    }),
    ("normal form", |_, _| {
        let system = common::shipped("polynomials");
        let mut bank = TermBank::new(system.language.clone());
        let sum = "(+ x (+ y (+ z 1)))";
        let power = format!("(* {sum} (* {sum} (* {sum} (* {sum} {sum}))))");
        let term = bank.parse(&power, None).unwrap();
        let form = normalise(&system, &mut bank, term, 100_000).unwrap();
        bank.size(form.term).to_string()
    }),
];

const SUMS: &str = "(* (+ x (+ y (+ z 1))) (+ (* x (+ y 2)) (* (+ z x) (- y 3))))";

#[test]
fn of_steps() {
    let case = case("ring", SUMS, 3_000);
    for (name, work) in ALL {
        let whole = work(&case, &mut case.bank.clone());
        let (mut most, mut ended) = (0, 0);
        loop {
            let bounds = Bounds { steps: Some(most), ..Bounds::default() };
            match bounds.hold(|| work(&case, &mut case.bank.clone())) {
                Ok(found) => break assert_eq!(found, whole, "{name}"),
                Err(reason) => assert_eq!(reason, StopReason::Visits, "{name}"),
            }
            (most, ended) = (most * 4 + 10, ended + 1);
        }
        assert!(ended > 1, "{name} takes hardly any step: {most}");
    }
}

#[test]
fn of_memory() {
    let case = case("ring", SUMS, 3_000);
    // The other kinds take what the e-graph's size says.
    for (name, work) in ALL.iter().filter(|(name, _)| !name.starts_with("extract")) {
        let whole = work(&case, &mut case.bank.clone());
        let (mut most, mut ended) = (0, 0);
        loop {
            let bounds = Bounds { memory: Some(most), ..Bounds::default() };
            match bounds.hold(|| work(&case, &mut case.bank.clone())) {
                Ok(found) => break assert_eq!(found, whole, "{name}"),
                Err(reason) => assert_eq!(reason, StopReason::Memory, "{name}"),
            }
            (most, ended) = (most * 4 + 100, ended + 1);
        }
        assert!(ended > 1, "{name} takes hardly any memory: {most}");
    }
}

#[test]
fn of_time_and_somebody_who_asks() {
    let case = case("ring", SUMS, 3_000);
    for (name, work) in ALL {
        let over = Bounds { deadline: Some(Instant::now()), ..Bounds::default() };
        let found = over.hold(|| work(&case, &mut case.bank.clone()));
        assert_eq!(found, Err(StopReason::Time), "{name}");
        let cancel = Cancel::default();
        let asked = Bounds { cancel: Some(cancel.clone()), ..Bounds::default() };
        cancel.ask();
        let found = asked.hold(|| work(&case, &mut case.bank.clone()));
        assert_eq!(found, Err(StopReason::Cancelled), "{name}");
    }
}

/// A tenth of a second is the promise; machines that are shared get a whole one.
#[test]
fn of_large_e_graphs_at_once() {
    let case = case("math", "(* (+ x (* y 2)) (- (* x y) (+ (* y y) (pow x 2))))", 60_000);
    for (name, work) in ALL {
        let mut waited = Duration::ZERO;
        for after in [5, 30] {
            let cancel = Cancel::default();
            let bounds = Bounds { cancel: Some(cancel.clone()), ..Bounds::default() };
            let asked = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(after));
                cancel.ask();
                Instant::now()
            });
            let mut bank = case.bank.clone();
            let found = bounds.hold(|| work(&case, &mut bank));
            let ended = Instant::now();
            if found.is_err() {
                waited = waited.max(ended.saturating_duration_since(asked.join().unwrap()));
            }
        }
        println!("{name}: ended {waited:?} after it was asked");
        assert!(waited < Duration::from_secs(1), "{name}: {waited:?}");
    }
}
