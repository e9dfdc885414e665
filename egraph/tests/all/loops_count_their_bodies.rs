//! Costs over costs of arguments, whole numbers and fractions, against a definition written again and all terms of small
//! e-graphs.

use crate::common;
use egraph::{
    CostFunction, DagSearch, EGraph, Id, Limits, Node, Sketch, System, TermBank, TermId,
    extract_best,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// A number as a rules file says it; costs are counted in so many parts of one.
fn number(parts: u64, unit: u64) -> String {
    match unit {
        1 => parts.to_string(),
        10 => format!("{}.{}", parts / 10, parts % 10),
        _ => format!("{parts}/{unit}"),
    }
}

/// What an application costs by what its arguments cost, one of a few ways.
#[derive(Clone, Copy, Debug)]
enum Shape {
    /// All arguments are added.
    Sum(u64),
    /// The first argument so many times, rounded up to parts, and others added.
    Times(u64, u64, u64),
    /// The dearest argument.
    Slowest(u64),
    /// The cheaper of what the first argument costs and a number; never less than the argument.
    AtMost(u64),
}

impl Shape {
    fn random(rng: &mut ChaCha8Rng, unit: u64) -> Shape {
        let own = rng.random_range(0..6 * unit);
        match rng.random_range(0..5) {
            0 | 1 => Shape::Sum(own),
            2 => Shape::Times(own, rng.random_range(0..4 * unit), unit),
            3 => Shape::Slowest(own),
            _ => Shape::AtMost(own),
        }
    }

    fn text(self, unit: u64, arguments: &[&str]) -> String {
        let number = |parts| number(parts, unit);
        match self {
            Shape::Sum(own) => number(own),
            Shape::Times(own, times, _) => {
                format!("(+ {} (* (cost {}) {}))", number(own), arguments[0], number(times))
            }
            Shape::Slowest(own) => {
                let costs: Vec<String> = arguments.iter().map(|a| format!("(cost {a})")).collect();
                match &costs[..] {
                    [one] => format!("(+ {} {one})", number(own)),
                    all => format!("(+ {} (max {}))", number(own), all.join(" ")),
                }
            }
            Shape::AtMost(own) => format!("(min (cost {}) {})", arguments[0], number(own)),
        }
    }

    /// The arguments that are inside.
    fn inside(self, argument: usize) -> bool {
        match self {
            Shape::Sum(_) => false,
            Shape::Times(..) | Shape::AtMost(_) => argument == 0,
            Shape::Slowest(_) => true,
        }
    }

    fn cost(self, parts: &[u64]) -> u64 {
        let rest: u64 = parts.iter().skip(1).sum();
        match self {
            Shape::Sum(own) => own + parts.iter().sum::<u64>(),
            Shape::Times(own, times, unit) => {
                (own + (times * parts[0]).div_ceil(unit)).max(parts[0]) + rest
            }
            Shape::Slowest(own) => own + parts.iter().max().unwrap(),
            // The smaller one, and then never less than the argument.
            Shape::AtMost(_) => parts[0] + rest,
        }
    }
}

type Shapes = BTreeMap<&'static str, Shape>;

struct Case {
    egraph: EGraph,
    bank: TermBank,
    root: Id,
    shapes: Shapes,
}

fn case(seed: u64) -> Case {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut shapes = Shapes::new();
    let unit = [1, 10, 12][rng.random_range(0..3)];
    // So that there is a number with this denominator.
    let never = number(1, unit);
    let mut text = format!("(sort S) (op never () S) (cost never {never} :name c)\n");
    for (op, arguments) in [("a", &[][..]), ("b", &[]), ("f", &["?x"]), ("g", &["?x", "?y"])] {
        text += &format!("(op {op} ({}) S)\n", vec!["S"; arguments.len()].join(" "));
        let shape = match arguments.len() {
            0 => Shape::Sum(rng.random_range(0..6 * unit)),
            _ => Shape::random(&mut rng, unit),
        };
        let form = match arguments.len() {
            0 => op.to_owned(),
            _ => format!("({op} {})", arguments.join(" ")),
        };
        text += &format!("(cost {form} {} :name c)\n", shape.text(unit, arguments));
        shapes.insert(op, shape);
    }
    fn term(rng: &mut ChaCha8Rng, depth: u32) -> String {
        match if depth == 0 { 0 } else { rng.random_range(0..4) } {
            0 => ["a", "b"][rng.random_range(0..2)].to_owned(),
            1 => format!("(f {})", term(rng, depth - 1)),
            _ => format!("(g {} {})", term(rng, depth - 1), term(rng, depth - 1)),
        }
    }
    let starts: Vec<String> = (0..3).map(|_| term(&mut rng, 3)).collect();
    for _ in 0..rng.random_range(1..4) {
        text += &format!("(birewrite {} {})\n", term(&mut rng, 1), term(&mut rng, 2));
    }
    let system = common::system(&text);
    let mut bank = TermBank::new(system.language.clone());
    let starts: Vec<TermId> = starts.iter().map(|text| bank.parse(text, None).unwrap()).collect();
    let limits = Limits { iterations: Some(4), nodes: Some(40), ..Limits::default() };
    let egraph = common::grow(&system, &bank, &starts, limits);
    let root = egraph.lookup(&bank, starts[0]).unwrap();
    Case { egraph, bank, root, shapes }
}

fn name(system: &System, node: Node<'_>) -> String {
    match node {
        Node::Op(op) => system.language.op(op).name.clone(),
        Node::Leaf(_) => unreachable!("there are no leaves"),
    }
}

/// What a term costs as a tree, by the definition.
fn tree(system: &System, bank: &TermBank, shapes: &Shapes, term: TermId) -> u64 {
    let parts: Vec<u64> =
        bank.children(term).iter().map(|&c| tree(system, bank, shapes, c)).collect();
    shapes[&name(system, bank.node(term))[..]].cost(&parts)
}

/// What a term costs where equal parts count once, by the definition.
fn dag(system: &System, bank: &TermBank, shapes: &Shapes, term: TermId) -> u64 {
    let (mut seen, mut todo, mut total) = (BTreeSet::new(), vec![term], 0);
    while let Some(term) = todo.pop() {
        if !seen.insert(term) {
            continue;
        }
        let shape = shapes[&name(system, bank.node(term))[..]];
        let mut parts = Vec::new();
        for (i, &child) in bank.children(term).iter().enumerate() {
            if shape.inside(i) {
                parts.push(tree(system, bank, shapes, child));
            } else {
                parts.push(0);
                todo.push(child);
            }
        }
        total += shape.cost(&parts);
    }
    total
}

/// All terms of a class with at most so many nodes.
fn terms(egraph: &EGraph, bank: &mut TermBank, class: Id, most: u64) -> Vec<TermId> {
    let mut known: BTreeMap<(Id, u64), Vec<TermId>> = BTreeMap::new();
    let classes: Vec<Id> = egraph.classes().collect();
    for size in 1..=most {
        for &class in &classes {
            let mut found = Vec::new();
            for &node in egraph.nodes(class) {
                let Node::Op(op) = egraph.node(node) else { continue };
                match *egraph.children(node) {
                    [] if size == 1 => found.push(bank.apply(op, &[])),
                    [] => {}
                    [child] => {
                        for &t in known.get(&(child, size - 1)).into_iter().flatten() {
                            found.push(bank.apply(op, &[t]));
                        }
                    }
                    [left, right] => {
                        for part in 1..size.saturating_sub(1) {
                            let others = known.get(&(right, size - 1 - part));
                            for &l in known.get(&(left, part)).into_iter().flatten() {
                                for &r in others.into_iter().flatten() {
                                    found.push(bank.apply(op, &[l, r]));
                                }
                            }
                        }
                    }
                    _ => unreachable!("no operator has three arguments"),
                }
            }
            known.insert((class, size), found);
        }
    }
    (1..=most).flat_map(|size| known.remove(&(class, size)).unwrap_or_default()).collect()
}

/// 1,000 e-graphs: no term costs less than the best tree; none less than the DAG that is proved to be best, and few
/// less than the one that was found without a proof.
#[test]
fn no_term_of_a_small_egraph_costs_less() {
    let (mut cases, mut seed, mut worse, mut inside) = (0, 0, 0, 0);
    while cases < 1_000 {
        let Case { egraph, mut bank, root, shapes } = case(seed);
        seed += 1;
        let all = terms(&egraph, &mut bank, root, 8);
        if all.len() > 3_000 {
            continue;
        }
        cases += 1;
        let system = egraph.system().clone();
        let cost = CostFunction::named(&system, "c").unwrap();
        for &term in &all {
            let value = |cost: Option<egraph::Cost>| cost.map(|cost| cost.values()[0]);
            assert_eq!(value(cost.of_term(&bank, term)), Some(tree(&system, &bank, &shapes, term)));
            assert_eq!(value(cost.of_dag(&bank, term)), Some(dag(&system, &bank, &shapes, term)));
        }
        let (best, least) = extract_best(&egraph, &mut bank, root, &Sketch::Any, &cost).unwrap();
        assert_eq!(egraph.lookup(&bank, best), Some(root));
        assert_eq!(least.values()[0], tree(&system, &bank, &shapes, best), "seed {seed}");
        let cheapest = all.iter().map(|&t| tree(&system, &bank, &shapes, t)).min();
        assert!(cheapest.is_none_or(|cheapest| least.values()[0] <= cheapest), "seed {seed}");
        let mut search = DagSearch::new(&egraph, root, &Sketch::Any, &cost).unwrap();
        while search.improve(1_000) {}
        let found = search.best(&mut bank);
        assert!(search.prove(Duration::from_secs(60)), "seed {seed}");
        let proved = search.best(&mut bank);
        for (term, price) in [&found, &proved] {
            assert_eq!(egraph.lookup(&bank, *term), Some(root));
            assert_eq!(price.values()[0], dag(&system, &bank, &shapes, *term), "seed {seed}");
        }
        let cheapest = all.iter().map(|&t| dag(&system, &bank, &shapes, t)).min();
        assert!(
            cheapest.is_none_or(|cheapest| proved.1.values()[0] <= cheapest),
            "seed {seed}: {} costs {}",
            bank.text(proved.0),
            proved.1.values()[0]
        );
        worse += usize::from(found.1.values()[0] > proved.1.values()[0]);
        inside += usize::from(proved.1 < least);
    }
    println!(
        "{worse} of {cases} DAGs were not the best before the proof; {inside} cost less than the tree"
    );
    assert!(worse <= 20 && inside > 50, "{worse} {inside}");
}

const LOOPS: &str = "
(sort Nat) (sort Code)
(literal i64 Nat :cost 0) (variable Code)
(op loop (Nat Code) Code) (op seq (Code Code) Code) (op load (Code) Code) (op work (Code) Code)
(rewrite (loop ?n (seq (load ?a) ?b)) (seq (load ?a) (loop ?n ?b)) :name hoist)
(cost (loop ?n ?body) (* ?n (cost ?body)) :name time)
(cost (load ?a) 100 :name time)
(cost (work ?a) 10 :name time)";

#[test]
fn what_a_loop_does_it_does_every_time() {
    let system = common::system(LOOPS);
    let cost = CostFunction::named(&system, "time").unwrap();
    let mut bank = TermBank::new(system.language.clone());
    let start = bank.parse("(loop 50 (seq (load x) (work x)))", None).unwrap();
    assert_eq!(cost.of_term(&bank, start).unwrap().values()[0], 50 * 110);
    let egraph = common::grow(&system, &bank, &[start], Limits::default());
    let root = egraph.lookup(&bank, start).unwrap();
    let (best, least) = extract_best(&egraph, &mut bank, root, &Sketch::Any, &cost).unwrap();
    assert_eq!(bank.text(best), "(seq (load x) (loop 50 (work x)))");
    assert_eq!(least.values()[0], 100 + 500);
    // Outside of loops equal parts count once, in each loop they count every time.
    let twice = "(seq (work x) (seq (work x) (loop 3 (seq (work x) (work x)))))";
    let twice = bank.parse(twice, None).unwrap();
    assert_eq!(cost.of_term(&bank, twice).unwrap().values()[0], 20 + 60);
    assert_eq!(cost.of_dag(&bank, twice).unwrap().values()[0], 10 + 60);
    // The number of turns is not known, or none: then the body counts once.
    let mut of = |text: &str| {
        let term = bank.parse(text, None).unwrap();
        cost.of_term(&bank, term).map(|cost| cost.values()[0])
    };
    assert_eq!([of("(loop 0 (work x))"), of("(loop -1 (work x))")], [Some(10), None]);
    assert_eq!(of("(loop 9223372036854775807 (loop 3 (work x)))"), None);
}

#[test]
fn sums_of_costs_are_costs() {
    let system = common::system(LOOPS);
    let mut bank = TermBank::new(system.language.clone());
    let term = bank.parse("(seq (load x) (load x))", None).unwrap();
    let text = |names: &str, bank: &TermBank| {
        let cost = CostFunction::named(&system, names)?;
        Ok::<_, String>(cost.text(&cost.of_dag(bank, term).ok_or("none")?))
    };
    assert_eq!(text("2*size+cost", &bank).unwrap(), "9");
    assert_eq!(text("0.5*size+1/4*cost", &bank).unwrap(), "2.25");
    assert_eq!(text("1/3*size+1/7*cost", &bank).unwrap(), "10/7");
    assert_eq!(text("3*cost + 100*size, size", &bank).unwrap(), "3*cost + 100*size 309, size 3");
    let refused = |names: &str| text(names, &bank).unwrap_err();
    assert!(refused("0*size").starts_with("'0' in '0*size': expected how often a cost counts"));
    assert!(refused("x*size").starts_with("'x' in 'x*size'"));
    assert!(refused("size+").starts_with("unknown cost ''"));
    assert!(refused("time+size").starts_with("'time' in 'time+size' is no sum over the nodes"));
    assert!(refused("depth+size").starts_with("'depth' in"));
}

#[test]
fn fractions_are_exact() {
    let system = common::system(
        "(sort N) (sort Code) (literal i64 N :cost 0) (variable Code :cost 0.1)
         (op add (Code Code) Code :cost 0.2) (op third (Code) Code :cost 1/3) (op copy (N Code) Code)
         (op either (Code Code) Code)
         (cost (copy ?n ?a) (* 0.5 ?n))
         (cost (either ?a ?b) (+ (* 1/2 (cost ?a)) (* 1/2 (cost ?b))) :name mean)
         (cost (third ?a) 0.7 :name mean)",
    );
    let mut bank = TermBank::new(system.language.clone());
    let mut of = |name: &str, text: &str| {
        let cost = CostFunction::named(&system, name).unwrap();
        let term = bank.parse(text, None).unwrap();
        cost.text(&cost.of_term(&bank, term).unwrap())
    };
    assert_eq!(of("cost", "(add x y)"), "0.4");
    assert_eq!(of("cost", "(third x)"), "13/30");
    assert_eq!(of("cost", "(third (third (third (add x x))))"), "1.4");
    assert_eq!(of("cost", "(copy 3 (add x y))"), "1.9");
    // Half of 0.7 is rounded up to 0.4; and nothing costs less than an argument.
    assert_eq!(of("mean", "(either (third x) (third x))"), "0.8");
    assert_eq!(of("mean", "(either (third x) (third (third x)))"), "1.4");
    assert_eq!(of("cost, size", "(add x y)"), "cost 0.4, size 3");
}

#[test]
fn fractions_without_a_common_denominator_are_refused() {
    let text = "(sort S) (op a () S :cost 1/65537) (op b () S :cost 1/65539)";
    let error = System::parse(text).unwrap_err().to_string();
    assert!(
        error.contains("the fractions of cost 'cost' have no common denominator up to"),
        "{error}"
    );
}

#[test]
fn costs_that_could_fall_are_refused() {
    for (expression, message) in [
        ("(- (cost ?b) 1)", "expected one of + * max min"),
        ("(cost ?c)", "expected (cost ?a), of an argument"),
        ("(cost 1)", "expected (cost ?a), of an argument"),
        ("(+ (cost ?b))", "expected two parts at least"),
        ("(* ?b (cost ?b))", "?b can never be a literal"),
        ("(+ (cost ?b) (% ?n))", "'%' takes 2 arguments"),
    ] {
        let text = format!(
            "(sort Nat) (sort Code) (literal i64 Nat) (variable Code) (op loop (Nat Code) Code)
             (cost (loop ?n ?b) {expression})"
        );
        let error = System::parse(&text).unwrap_err().to_string();
        assert!(error.contains(message), "{expression}: {error}");
    }
}
