//! Extraction under costs that a rules file declares, against exhaustive search over small e-graphs.

use crate::common;
use egraph::{
    Cost, CostFunction, DagSearch, DagSolver, DagWay, EGraph, Id, Limits, Node, Sketch, TermBank,
    TermId, extract_best,
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::time::Duration;

/// A term of a few operators, from a recipe.
fn term(rng: &mut ChaCha8Rng, depth: u32) -> String {
    let leaf = |rng: &mut ChaCha8Rng| ["a", "b", "c", "d"][rng.random_range(0..4)].to_owned();
    if depth == 0 {
        return leaf(rng);
    }
    match rng.random_range(0..4) {
        0 => leaf(rng),
        1 => format!("(f {})", term(rng, depth - 1)),
        _ => format!("(g {} {})", term(rng, depth - 1), term(rng, depth - 1)),
    }
}

/// The e-graph of a few terms with random costs and equalities, which may be cyclic, and its first class.
fn random_egraph(seed: u64, terms: usize, equalities: usize) -> (EGraph, TermBank, Id) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut text = "(sort S) (variable S)\n".to_owned();
    for (op, args) in [("a", ""), ("b", ""), ("c", ""), ("d", ""), ("f", "S"), ("g", "S S")] {
        text += &format!("(op {op} ({args}) S :cost {})\n", rng.random_range(0..8));
    }
    for (op, args) in [("a", ""), ("b", ""), ("f", "?x"), ("g", "?x ?y")] {
        let form = if args.is_empty() { op.to_owned() } else { format!("({op} {args})") };
        text += &format!("(cost {form} {} :name other)\n", rng.random_range(0..4));
    }
    let all: Vec<String> = (0..terms).map(|_| term(&mut rng, 3)).collect();
    for _ in 0..equalities {
        let side = |rng: &mut ChaCha8Rng| term(rng, 1);
        text += &format!("(birewrite {} {})\n", side(&mut rng), side(&mut rng));
    }
    let system = common::system(&text);
    let mut bank = TermBank::new(system.language.clone());
    let all: Vec<TermId> = all.iter().map(|text| bank.parse(text, None).unwrap()).collect();
    let limits = Limits { iterations: Some(6), nodes: Some(60), ..Limits::default() };
    let egraph = common::grow(&system, &bank, &all, limits);
    let root = egraph.lookup(&bank, all[0]).unwrap();
    (egraph, bank, root)
}

/// Own costs of an e-node, measured on its operator alone.
fn weights(egraph: &EGraph, bank: &mut TermBank, cost: &CostFunction, node: Id) -> Vec<u64> {
    let term = egraph.term(bank, node);
    let whole = cost.of_term(bank, term).unwrap();
    let parts: Vec<Cost> =
        bank.children(term).iter().map(|&c| cost.of_term(bank, c).unwrap()).collect();
    let part = |m: usize| parts.iter().map(|part| part.values()[m]).sum::<u64>();
    whole.values().iter().enumerate().map(|(m, value)| value - part(m)).collect()
}

/// The cheapest tree of a class; a cheapest one never has a class within itself.
fn best_tree(
    egraph: &EGraph,
    own: &BTreeMap<Id, Vec<u64>>,
    class: Id,
    above: &mut Vec<Id>,
) -> Option<Vec<u64>> {
    if above.contains(&class) {
        return None;
    }
    above.push(class);
    let mut best: Option<Vec<u64>> = None;
    for &node in egraph.nodes(class) {
        let mut sum = own[&node].clone();
        let whole = egraph.children(node).iter().all(|&child| {
            let part = best_tree(egraph, own, child, above);
            part.iter().for_each(|part| sum.iter_mut().zip(part).for_each(|(s, p)| *s += p));
            part.is_some()
        });
        if whole && best.as_ref().is_none_or(|best| sum < *best) {
            best = Some(sum);
        }
    }
    above.pop();
    best
}

/// The cheapest DAG of the classes of `todo`, with one e-node for each class, by trying all.
fn best_dag(
    egraph: &EGraph,
    own: &BTreeMap<Id, Vec<u64>>,
    chosen: &mut BTreeMap<Id, Id>,
    mut todo: Vec<Id>,
    sum: &[u64],
    best: &mut Option<Vec<u64>>,
) {
    if best.as_deref().is_some_and(|best| sum >= best) {
        return;
    }
    let Some(class) = todo.pop() else {
        if is_acyclic(egraph, chosen) {
            *best = Some(sum.to_vec());
        }
        return;
    };
    if chosen.contains_key(&class) {
        return best_dag(egraph, own, chosen, todo, sum, best);
    }
    for &node in egraph.nodes(class) {
        chosen.insert(class, node);
        let todo = todo.iter().chain(egraph.children(node)).copied().collect();
        let sum: Vec<u64> = sum.iter().zip(&own[&node]).map(|(a, b)| a + b).collect();
        best_dag(egraph, own, chosen, todo, &sum, best);
    }
    chosen.remove(&class);
}

fn is_acyclic(egraph: &EGraph, chosen: &BTreeMap<Id, Id>) -> bool {
    let mut done: Vec<Id> = Vec::new();
    loop {
        let ready = |(class, node): &(&Id, &Id)| {
            !done.contains(class) && egraph.children(**node).iter().all(|c| done.contains(c))
        };
        match chosen.iter().find(ready) {
            Some((&class, _)) => done.push(class),
            None => return done.len() == chosen.len(),
        }
    }
}

fn costs(egraph: &EGraph, names: &str) -> CostFunction {
    CostFunction::named(egraph.system(), names).unwrap()
}

fn all_weights(
    egraph: &EGraph,
    bank: &mut TermBank,
    cost: &CostFunction,
) -> BTreeMap<Id, Vec<u64>> {
    let nodes: Vec<Id> = egraph.classes().flat_map(|c| egraph.nodes(c).to_vec()).collect();
    nodes.into_iter().map(|node| (node, weights(egraph, bank, cost, node))).collect()
}

proptest! {
    #[test]
    fn as_trees(seed in any::<u64>(), terms in 1..5usize, equalities in 0..5usize) {
        let (egraph, mut bank, root) = random_egraph(seed, terms, equalities);
        prop_assume!(egraph.class_count() <= 9);
        for names in ["size", "cost", "other", "other,cost", "size,other"] {
            let cost = costs(&egraph, names);
            let own = all_weights(&egraph, &mut bank, &cost);
            let (term, found) = extract_best(&egraph, &mut bank, root, &Sketch::Any, &cost).unwrap();
            prop_assert_eq!(egraph.lookup(&bank, term), Some(root));
            prop_assert_eq!(cost.of_term(&bank, term), Some(found.clone()));
            let best = best_tree(&egraph, &own, root, &mut Vec::new()).unwrap();
            prop_assert_eq!(found.values(), &best[..], "{}", names);
        }
        // Of depth the first number is the least there is.
        let (deep, size) = (costs(&egraph, "depth"), costs(&egraph, "size"));
        let (flat, depth) = extract_best(&egraph, &mut bank, root, &Sketch::Any, &deep).unwrap();
        prop_assert_eq!(deep.of_term(&bank, flat), Some(depth.clone()));
        let (small, _) = extract_best(&egraph, &mut bank, root, &Sketch::Any, &size).unwrap();
        prop_assert!(depth.values()[0] <= deep.of_term(&bank, small).unwrap().values()[0]);
    }

    #[test]
    fn as_dags_it_is_never_better_than_possible_and_never_worse_than_the_tree(
        seed in any::<u64>(), terms in 1..5usize, equalities in 0..5usize,
    ) {
        let (egraph, mut bank, root) = random_egraph(seed, terms, equalities);
        prop_assume!(egraph.class_count() <= 9);
        for (names, sketch) in [("cost", "?"), ("other,cost", "?"), ("size", "(contains (f ?))")] {
            let cost = costs(&egraph, names);
            let sketch = Sketch::parse(&egraph.system().language, sketch, None).unwrap();
            let tree = extract_best(&egraph, &mut bank, root, &sketch, &cost);
            let search = DagSearch::new(&egraph, root, &sketch, &cost);
            prop_assert_eq!(tree.is_some(), search.is_some());
            let (Some((tree, _)), Some(mut search)) = (tree, search) else { continue };
            let mut before = cost.of_dag(&bank, tree).unwrap();
            loop {
                let more = search.improve(10);
                let (term, found) = search.best(&mut bank);
                prop_assert!(sketch.accepts(&bank, term));
                prop_assert_eq!(egraph.lookup(&bank, term), Some(root));
                prop_assert_eq!(cost.of_dag(&bank, term), Some(found.clone()));
                prop_assert!(found <= before);
                before = found;
                if !more {
                    break;
                }
            }
            if sketch == Sketch::Any {
                let own = all_weights(&egraph, &mut bank, &cost);
                let mut best = None;
                let none = vec![0; before.values().len()];
                best_dag(&egraph, &own, &mut BTreeMap::new(), vec![root], &none, &mut best);
                let best = best.unwrap();
                prop_assert!(before.values() >= &best[..]);
                prop_assert!(search.prove(Duration::from_secs(60)));
                let least = search.cost();
                prop_assert_eq!(least.values(), &best[..]);
            }
        }
    }
}

#[test]
fn dags_of_small_egraphs_are_mostly_exact() {
    let [mut all, mut greedy, mut exact] = [0; 3];
    for seed in 0..400 {
        let (egraph, mut bank, root) = random_egraph(seed, 4, 5);
        if egraph.class_count() > 10 {
            continue;
        }
        let cost = costs(&egraph, "cost");
        let own = all_weights(&egraph, &mut bank, &cost);
        let mut best = None;
        best_dag(&egraph, &own, &mut BTreeMap::new(), vec![root], &[0, 0], &mut best);
        let best = best.unwrap();
        let mut search = DagSearch::new(&egraph, root, &Sketch::Any, &cost).unwrap();
        all += 1;
        greedy += usize::from(search.best(&mut bank).1.values() == best);
        assert!(!search.improve(u64::MAX));
        exact += usize::from(search.best(&mut bank).1.values() == best);
        assert!(search.prove(Duration::from_secs(60)));
        assert_eq!(search.best(&mut bank).1.values(), best);
    }
    println!("{all} e-graphs, {greedy} greedy answers are best, {exact} after the search");
    assert!(all > 100 && 100 * exact >= 98 * all && exact >= greedy, "{all} {greedy} {exact}");
}

#[test]
fn what_is_shared_counts_once() {
    // Either half by itself is cheaper as it is, but one dear part serves both.
    let text = "(sort S)
        (op p (S S) S) (op l (S) S) (op r (S) S)
        (op big () S :cost 10) (op x () S :cost 7) (op y () S :cost 7)
        (rewrite x (l big))
        (rewrite y (r big))";
    let system = common::system(text);
    let mut bank = TermBank::new(system.language.clone());
    let start = bank.parse("(p x y)", None).unwrap();
    let egraph = common::grow(&system, &bank, &[start], Limits::default());
    let root = egraph.lookup(&bank, start).unwrap();
    let cost = costs(&egraph, "cost");
    let (tree, least) = extract_best(&egraph, &mut bank, root, &Sketch::Any, &cost).unwrap();
    assert_eq!((tree, least.values()[0]), (start, 15));
    let mut search = DagSearch::new(&egraph, root, &Sketch::Any, &cost).unwrap();
    assert_eq!(search.cost().values()[0], 15);
    assert!(!search.improve(u64::MAX));
    let (dag, shared) = search.best(&mut bank);
    assert_eq!((bank.text(dag), shared.values()[0]), ("(p (l big) (r big))".to_owned(), 13));
}

/// Products of matrices with their dimensions: m×k by k×n costs 2mkn.
const CHAIN: &str = "
(sort Matrix) (sort Nat)
(op mm (Nat Nat Nat Matrix Matrix) Matrix)
(literal i64 Nat) (variable Matrix)
(birewrite (mm ?m ?l ?n (mm ?m ?k ?l ?a ?b) ?c) (mm ?m ?k ?n ?a (mm ?k ?l ?n ?b ?c)))
(cost (mm ?m ?k ?n ?a ?b) (* 2 (* ?m (* ?k ?n))) :name flops)";

#[test]
fn expressions_over_literals_are_costs() {
    let system = common::system(CHAIN);
    let mut bank = TermBank::new(system.language.clone());
    // (A·B)·v with A, B of 100×100.
    let text = "(mm 100 100 1 (mm 100 100 100 A B) v)";
    let start = bank.parse(text, None).unwrap();
    let cost = CostFunction::named(&system, "flops").unwrap();
    assert_eq!(cost.of_term(&bank, start).map(|c| cost.text(&c)), Some("2020000".into()));
    let egraph = common::grow(&system, &bank, &[start], Limits::default());
    let root = egraph.lookup(&bank, start).unwrap();
    let (best, least) = extract_best(&egraph, &mut bank, root, &Sketch::Any, &cost).unwrap();
    assert_eq!(bank.text(best), "(mm 100 100 1 A (mm 100 100 1 B v))");
    assert_eq!(cost.text(&least), "40000");
    let both = CostFunction::named(&system, "size, flops").unwrap();
    assert_eq!(both.text(&both.of_term(&bank, best).unwrap()), "size 11, flops 40000");
}

#[test]
fn what_has_no_cost_is_not_chosen() {
    let text =
        "(sort S) (literal i64 S) (variable S) (op f (S S) S) (op g (S) S) (analysis constant)
        (op + (S S) S)
        (cost (f ?a ?b) (- ?a ?b) :name c)
        (rewrite (g ?a) (f ?a ?a))
        (rewrite (g ?a) (f ?a 9))";
    let system = common::system(text);
    let cost = CostFunction::named(&system, "c").unwrap();
    let mut bank = TermBank::new(system.language.clone());
    let mut of = |text: &str| {
        let term = bank.parse(text, None).unwrap();
        cost.of_term(&bank, term).map(|cost| cost.values()[0])
    };
    // A variable, a negative value, an overflow; a value that has to be folded.
    assert_eq!([of("(f x 1)"), of("(f 1 2)"), of("(f (+ 2 3) 1)")], [None, None, Some(4)]);
    assert_eq!(of("(f 9223372036854775807 -1)"), None);
    let start = bank.parse("(f 3 9)", None).unwrap();
    let egraph = common::grow(&system, &bank, &[start], Limits::default());
    let root = egraph.lookup(&bank, start).unwrap();
    assert!(extract_best(&egraph, &mut bank, root, &Sketch::Any, &cost).is_none());
    assert!(DagSearch::new(&egraph, root, &Sketch::Any, &cost).is_none());
    let start = bank.parse("(g 3)", None).unwrap();
    let egraph = common::grow(&system, &bank, &[start], Limits::default());
    let root = egraph.lookup(&bank, start).unwrap();
    assert_eq!(
        egraph.nodes(root).iter().filter(|&&n| matches!(egraph.node(n), Node::Op(_))).count(),
        3
    );
    let (best, least) = extract_best(&egraph, &mut bank, root, &Sketch::Any, &cost).unwrap();
    assert_eq!((bank.text(best), least.values()), ("(g 3)".to_owned(), &[0, 2][..]));
}

#[test]
fn costs_beyond_64_bits_are_none() {
    let text = "(sort S) (op a () S :cost 4294967295) (op p (S S) S) (op q (S) S)";
    let system = common::system(text);
    let cost = CostFunction::named(&system, "cost").unwrap();
    let mut bank = TermBank::new(system.language.clone());
    let a = bank.parse("a", None).unwrap();
    let p = system.language.operator("p").unwrap();
    let big = (0..70).fold(a, |term, _| bank.apply(p, &[term, term]));
    assert_eq!(cost.of_term(&bank, big), None);
    assert_eq!(cost.of_dag(&bank, big).unwrap().values(), [4_294_967_295 + 70, 71]);
    let mut egraph = EGraph::new(system.clone());
    let id = egraph.add_term(&bank, big);
    egraph.rebuild();
    assert!(extract_best(&egraph, &mut bank, id, &Sketch::Any, &cost).is_none());
}

#[test]
fn names_of_costs_are_checked() {
    let system = common::system("(sort S) (op a () S) (cost a 3 :name weight)");
    let named = |names| CostFunction::named(&system, names).map(|cost| cost.names().join("+"));
    assert_eq!(named("weight, size"), Ok("weight+size".to_owned()));
    assert_eq!(named("cost").as_deref(), Ok("cost"));
    let unknown = "unknown cost 'flops': expected one of size, depth, cost, weight, \
        several with commas between, or a sum as 3*cost+size";
    assert_eq!(named("flops").unwrap_err(), unknown);
    assert_eq!(named("size,size").unwrap_err(), "'size' stands twice");
    assert!(named("").unwrap_err().starts_with("unknown cost ''"));
}

/// What is left of `open` places costs at least, by trying all ways; `chosen` are made already, and `below`
/// says which places stand above the one in hand.
fn cheapest_dag(
    places: &[Vec<DagWay>],
    chosen: &mut Vec<Option<usize>>,
    mut open: Vec<usize>,
    cost: u64,
    best: &mut Option<u64>,
) {
    while open.last().is_some_and(|&place| chosen[place].is_some()) {
        open.pop();
    }
    if best.is_some_and(|best| cost >= best) {
        return;
    }
    let Some(place) = open.pop() else {
        if can_be_made(places, chosen) {
            *best = Some(best.map_or(cost, |best| best.min(cost)));
        }
        return;
    };
    for (number, way) in places[place].iter().enumerate() {
        chosen[place] = Some(number);
        let open = [open.clone(), way.needs.clone()].concat();
        cheapest_dag(places, chosen, open, cost + way.weight, best);
        chosen[place] = None;
    }
}

fn can_be_made(places: &[Vec<DagWay>], chosen: &[Option<usize>]) -> bool {
    let mut made = vec![false; places.len()];
    for _ in places {
        for (place, way) in chosen.iter().enumerate() {
            if let Some(way) = way {
                made[place] |= places[place][*way].needs.iter().all(|&needed| made[needed]);
            }
        }
    }
    chosen.iter().zip(&made).all(|(way, &made)| way.is_none() || made)
}

proptest! {
    #[test]
    fn of_ways_that_anybody_names(
        places in proptest::collection::vec(
            proptest::collection::vec((0..9u64, proptest::collection::vec(0..12usize, 0..4)), 0..5),
            7..13,
        ),
    ) {
        let count = places.len();
        let way = |(weight, needs): (u64, Vec<usize>)| {
            let needs = needs.into_iter().map(|needed| needed % count).collect();
            DagWay { weight, needs }
        };
        let places: Vec<Vec<DagWay>> =
            places.into_iter().map(|ways| ways.into_iter().map(way).collect()).collect();
        let mut best = None;
        cheapest_dag(&places, &mut vec![None; count], vec![0], 0, &mut best);
        let found = DagSolver::of_ways(&places, 0);
        prop_assert_eq!(found.is_some(), best.is_some());
        let Some((mut solver, origins)) = found else { return Ok(()) };
        while solver.improve(50) {}
        let mut chosen = vec![None; count];
        let mut total = 0;
        for [place, way] in solver.ways().map(|way| origins[way]) {
            // Each once, behind what it needs.
            let needs = &places[place][way].needs;
            prop_assert!(chosen[place].is_none() && needs.iter().all(|&n| chosen[n].is_some()));
            chosen[place] = Some(way);
            total += places[place][way].weight;
        }
        prop_assert!(chosen[0].is_some());
        prop_assert_eq!(solver.total(), &[total][..]);
        prop_assert!(total >= best.unwrap_or(0));
        prop_assert!(solver.prove(Duration::from_secs(60)));
        prop_assert_eq!(solver.total().first(), best.as_ref());
    }
}

/// Seventeen places, each of which costs less where two more are made, which are worth it together alone.
#[test]
fn what_is_worth_it_together_alone_is_proved() {
    let needs = |needs: &[usize]| needs.to_vec();
    let mut places = vec![vec![DagWay { weight: 18, needs: (3..20).collect() }]];
    places.push(vec![DagWay { weight: 1, needs: needs(&[]) }]);
    places.push(vec![DagWay { weight: 1, needs: needs(&[]) }]);
    for _ in 3..20 {
        places.push(vec![
            DagWay { weight: 2, needs: needs(&[]) },
            DagWay { weight: 1, needs: needs(&[1, 2]) },
        ]);
    }
    let (mut solver, _) = DagSolver::of_ways(&places, 0).unwrap();
    assert!(solver.prove(Duration::from_secs(60)));
    assert_eq!(solver.total(), [37]);
}
