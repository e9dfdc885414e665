//! What Cairn's search for the cheapest DAG finds in e-graphs in the form of egraph-serialize.
//!
//!     cargo run --release -p extraction-gym -- SECONDS FILE.json …
//!
//! A line of CSV for each file: its classes and e-nodes, the cost of the first answer and of the last one of the
//! search, with the seconds that each took, and the cost after an attempt to prove the least, which may find it, with its
//! seconds and whether it could. The search and the attempt have so many seconds each. Costs count each class once,
//! over all roots.

use egraph::{DagSolver, DagWay};
use egraph_serialize::EGraph;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::{Duration, Instant};

/// Costs are sums of integers; a cost of one is so many.
const UNIT: f64 = 1e6;

fn main() {
    let mut args = std::env::args().skip(1);
    let seconds = args.next().and_then(|text| text.parse().ok()).expect("a number of seconds");
    let seconds = Duration::from_secs_f64(seconds);
    println!("file,classes,nodes,first,first_seconds,last,seconds,least,least_seconds,proved");
    for file in args {
        let egraph = EGraph::from_json_file(Path::new(&file)).expect("an e-graph");
        let (places, root) = places(&egraph);
        let began = Instant::now();
        let Some((mut solver, origins)) = DagSolver::of_ways(&places, root) else {
            println!("{file},{},{},,,,,,,", places.len() - 1, egraph.nodes.len());
            continue;
        };
        let (first, first_seconds) = (solver.total()[0], began.elapsed().as_secs_f64());
        let mut more = true;
        while more && began.elapsed() < seconds {
            more = solver.improve(100_000);
        }
        let took = began.elapsed().as_secs_f64();
        let last = solver.total()[0];
        let proving = Instant::now();
        let proved = solver.prove(seconds);
        let least_seconds = proving.elapsed().as_secs_f64();
        let least = solver.total()[0];
        assert_eq!(checked(&places, root, solver.ways().map(|way| origins[way])), least);
        let cost = |total: u64| total as f64 / UNIT;
        println!(
            "{file},{},{},{},{first_seconds:.3},{},{took:.3},{},{least_seconds:.3},{proved}",
            places.len() - 1,
            egraph.nodes.len(),
            cost(first),
            cost(last),
            cost(least)
        );
    }
}

/// The classes and one more, which needs all roots.
fn places(egraph: &EGraph) -> (Vec<Vec<DagWay>>, usize) {
    let classes: HashMap<_, usize> = egraph.classes().keys().cloned().zip(0..).collect();
    let mut places: Vec<Vec<DagWay>> = vec![Vec::new(); classes.len()];
    for node in egraph.nodes.values() {
        let cost = node.cost.into_inner();
        assert!(cost >= 0.0, "a cost below 0");
        if cost.is_finite() {
            let needs = node.children.iter().map(|child| classes[&egraph.nodes[child].eclass]);
            let mut needs: Vec<usize> = needs.collect();
            needs.sort_unstable();
            needs.dedup();
            let weight = (cost * UNIT).round() as u64;
            places[classes[&node.eclass]].push(DagWay { weight, needs });
        }
    }
    let needs = egraph.root_eclasses.iter().map(|class| classes[class]).collect();
    places.push(vec![DagWay { weight: 0, needs }]);
    let root = places.len() - 1;
    (places, root)
}

/// What the ways cost, which are to make the root and all that they need, each once and behind what it needs.
fn checked(places: &[Vec<DagWay>], root: usize, ways: impl Iterator<Item = [usize; 2]>) -> u64 {
    let mut made = HashSet::new();
    let mut total = 0;
    for [place, way] in ways {
        let DagWay { weight, needs } = &places[place][way];
        assert!(needs.iter().all(|needed| made.contains(needed)), "a part that is not there");
        assert!(made.insert(place), "a class made twice");
        total += weight;
    }
    assert!(made.contains(&root));
    total
}
