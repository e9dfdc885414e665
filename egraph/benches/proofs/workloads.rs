//! The workloads of the benchmark: a system, a start term, how far to grow it, and pairs.

use egraph::{EGraph, Id, Limits, Node, SaturationConfig, System, TermBank, TermId, saturate};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Largest term of a pair, in nodes.
const MAX_SIZE: u64 = 60;

const CHAIN: &str = "(sort M) (op * (M M) M) (variable M)
(birewrite (* ?a (* ?b ?c)) (* (* ?a ?b) ?c) :name assoc)";

const SUMS: &str = "(sort S) (op + (S S) S) (variable S)
(rewrite (+ ?a ?b) (+ ?b ?a) :name comm)
(birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c) :name assoc)";

const HORNER: &str = "(sort E) (variable E)
(op + (E E) E) (op * (E E) E) (op ^ (E E) E) (op Zero () E) (op Succ (E) E)
(rewrite (+ ?a ?b) (+ ?b ?a) :name add-comm)
(birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c) :name add-assoc)
(rewrite (* ?a ?b) (* ?b ?a) :name mul-comm)
(birewrite (* ?a (* ?b ?c)) (* (* ?a ?b) ?c) :name mul-assoc)
(birewrite (* ?a (+ ?b ?c)) (+ (* ?a ?b) (* ?a ?c)) :name distribute)
(rewrite (* ?x (Succ Zero)) ?x :name mul-one)
(rewrite (^ ?x Zero) (Succ Zero) :name pow-zero)
(rewrite (^ ?x (Succ ?n)) (* ?x (^ ?x ?n)) :name pow-succ)";

const MATH: &str = include_str!("math.rules");

/// One row of the table.
pub struct Workload {
    pub name: &'static str,
    system: SystemText,
    start: String,
    iterations: u64,
}

enum SystemText {
    Inline(&'static str),
    File(&'static str),
}

/// A grown e-graph.
pub struct Grown {
    pub system: Arc<System>,
    pub egraph: EGraph,
    /// Iterations that it took.
    pub iterations: usize,
}

/// The right-nested application of `op` to `n` distinct variables.
fn chain(op: &str, n: usize) -> String {
    (1..n).rev().fold(format!("x{n}"), |rest, i| format!("({op} x{i} {rest})"))
}

/// The polynomial of degree `n`: the sum of `(* ci (^ x i))`, exponents in Peano form.
fn polynomial(n: usize) -> String {
    let power = |i: usize| format!("{}Zero{}", "(Succ ".repeat(i), ")".repeat(i));
    let monomial = |i: usize| format!("(* c{i} (^ x {}))", power(i));
    (0..n).rev().fold(monomial(n), |rest, i| format!("(+ {} {rest})", monomial(i)))
}

/// All rows.
pub fn workloads() -> Vec<Workload> {
    let inline = |name, text, start, iterations| Workload {
        name,
        system: SystemText::Inline(text),
        start,
        iterations,
    };
    let file = |name, file, start: &str, iterations| Workload {
        name,
        system: SystemText::File(file),
        start: start.to_owned(),
        iterations,
    };
    let halide = "(<= (- (+ (* (/ (+ x 7) 8) 8) (min y (* z 4))) (max (- x 1) (+ y (* 2 3)))) \
                  (+ (% (+ (* x 4) y) 8) (- (* (+ x y) 3) (min x (+ y 2)))))";
    vec![
        inline("mm20", CHAIN, chain("*", 21), 60),
        inline("AC 7", SUMS, chain("+", 7), 60),
        inline("Horner 5", HORNER, polynomial(5), 60),
        file("Halide, 10k nodes", "halide.rules", halide, 4),
        inline("math, 10k nodes", MATH, "(i (* (cos x) x) x)".to_owned(), 7),
    ]
}

impl Workload {
    /// The e-graph after the workload's iterations, every match applied.
    pub fn grow(&self) -> Grown {
        let system = Arc::new(match self.system {
            SystemText::Inline(text) => System::parse(text).expect("an inline system"),
            SystemText::File(name) => {
                let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/systems");
                System::load(&configs.join(name)).unwrap_or_else(|e| panic!("{e}"))
            }
        });
        let mut bank = TermBank::new(system.language.clone());
        let start = bank.parse(&self.start, None).expect("a start term");
        let mut egraph = EGraph::new(system.clone());
        egraph.add_term(&bank, start);
        let limits = Limits { iterations: Some(self.iterations), ..Default::default() };
        let config = SaturationConfig { limits, ..Default::default() };
        let report = saturate(&mut egraph, &config, &mut |_, _| ControlFlow::Continue(()));
        Grown { system, egraph, iterations: report.iterations as usize }
    }

    /// The start term as text.
    pub fn start(&self) -> &str {
        &self.start
    }
}

/// Which terms of a class make a pair.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Draw {
    /// The terms as which two e-nodes of the class were made.
    Own,
    /// A random e-node of the class, below it a random e-node of each child's class, and so on.
    Descent,
}

/// `count` pairs of distinct terms, both of one class and at most 60 nodes; `accept` may refuse
/// pairs. An e-class counts with the number of its e-nodes. The draw depends on `seed` only.
pub fn pairs(
    egraph: &EGraph,
    bank: &mut TermBank,
    draw: Draw,
    seed: u64,
    count: usize,
    accept: &mut dyn FnMut(&TermBank, TermId, TermId) -> bool,
) -> Vec<(TermId, TermId)> {
    let classes = egraph.classes().filter(|&c| egraph.nodes(c).len() > 1);
    let nodes: Vec<Id> = classes.flat_map(|c| egraph.nodes(c).iter().map(move |_| c)).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut found = Vec::new();
    for _ in 0..1_000 * count {
        if found.len() == count {
            break;
        }
        let class = nodes[rng.random_range(0..nodes.len())];
        let mut term = || match draw {
            Draw::Own => {
                let members = egraph.nodes(class);
                let t = egraph.term(bank, members[rng.random_range(0..members.len())]);
                (bank.size(t) <= MAX_SIZE).then_some(t)
            }
            Draw::Descent => descend(egraph, bank, &mut rng, class, &mut MAX_SIZE.clone()),
        };
        let (Some(a), Some(b)) = (term(), term()) else { continue };
        if a != b && accept(bank, a, b) {
            found.push((a, b));
        }
    }
    found
}

/// A term of `class` of at most `left` nodes.
fn descend(
    egraph: &EGraph,
    bank: &mut TermBank,
    rng: &mut ChaCha8Rng,
    class: Id,
    left: &mut u64,
) -> Option<TermId> {
    *left = left.checked_sub(1)?;
    let members = egraph.nodes(class);
    let node = members[rng.random_range(0..members.len())];
    match egraph.node(node) {
        Node::Leaf(leaf) => Some(bank.leaf(leaf)),
        Node::Op(op) => {
            let children = egraph.children(node).iter();
            let children: Option<Vec<TermId>> =
                children.map(|&c| descend(egraph, bank, rng, c, left)).collect();
            Some(bank.apply(op, &children?))
        }
    }
}
