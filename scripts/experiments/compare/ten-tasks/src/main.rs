//! The ten things of cairn_tasks.py with egg.

// task: a language and rules
use egg::*;

define_language! {
    enum Math {
        "+" = Add([Id; 2]),
        "*" = Mul([Id; 2]),
        "/" = Div([Id; 2]),
        Num(i64),
        Symbol(Symbol),
    }
}

fn rules<N: Analysis<Math>>() -> Vec<Rewrite<Math, N>> {
    let mut rules = vec![
        rewrite!("add-comm"; "(+ ?a ?b)" => "(+ ?b ?a)"),
        rewrite!("mul-comm"; "(* ?a ?b)" => "(* ?b ?a)"),
        rewrite!("add-zero"; "(+ ?a 0)" => "?a"),
        rewrite!("mul-one"; "(* ?a 1)" => "?a"),
    ];
    rules.extend(rewrite!("distribute"; "(* ?a (+ ?b ?c))" <=> "(+ (* ?a ?b) (* ?a ?c))"));
    rules
}

fn simplify() {
    // task: simplify a term
    let start: RecExpr<Math> = "(+ 0 (* 1 x))".parse().unwrap();
    let runner = Runner::<Math, ()>::default().with_expr(&start).run(&rules());
    let extractor = Extractor::new(&runner.egraph, AstSize);
    let (_, best) = extractor.find_best(runner.roots[0]);
    assert_eq!(best.to_string(), "x");
}

fn equal() {
    // task: are two terms equal
    let left: RecExpr<Math> = "(* x (+ y z))".parse().unwrap();
    let right: RecExpr<Math> = "(+ (* z x) (* x y))".parse().unwrap();
    let runner = Runner::<Math, ()>::default().with_expr(&left).with_expr(&right).run(&rules());
    assert_eq!(runner.egraph.find(runner.roots[0]), runner.egraph.find(runner.roots[1]));

    // task: why they are equal, checked
    let runner = Runner::<Math, ()>::default().with_explanations_enabled();
    let mut runner = runner.with_expr(&left).with_expr(&right).run(&rules());
    let mut proof = runner.explain_equivalence(&left, &right);
    proof.check_proof(&rules::<()>());
    for step in proof.get_flat_strings() {
        println!("{step}");
    }

    // task: a cost of one's own
    struct Cost;
    impl CostFunction<Math> for Cost {
        type Cost = usize;
        fn cost<C: FnMut(Id) -> usize>(&mut self, node: &Math, mut costs: C) -> usize {
            let own = if matches!(node, Math::Mul(_)) { 10 } else { 1 };
            node.fold(own, |sum, child| sum + costs(child))
        }
    }
    let (cost, _) = Extractor::new(&runner.egraph, Cost).find_best(runner.roots[0]);
    assert_eq!(cost, 14);
}

// task: constants are computed
#[derive(Default)]
struct Folding;
impl Analysis<Math> for Folding {
    type Data = Option<i64>;
    fn make(egraph: &mut EGraph<Math, Self>, node: &Math, _: Id) -> Self::Data {
        let of = |id: &Id| egraph[*id].data;
        match node {
            Math::Num(n) => Some(*n),
            Math::Add([a, b]) => of(a)?.checked_add(of(b)?),
            Math::Mul([a, b]) => of(a)?.checked_mul(of(b)?),
            _ => None,
        }
    }
    fn merge(&mut self, to: &mut Self::Data, from: Self::Data) -> DidMerge {
        merge_option(to, from, |a, b| {
            assert_eq!(*a, b);
            DidMerge(false, false)
        })
    }
    fn modify(egraph: &mut EGraph<Math, Self>, id: Id) {
        if let Some(n) = egraph[id].data {
            let number = egraph.add(Math::Num(n));
            egraph.union(id, number);
        }
    }
}

fn folding() {
    let start: RecExpr<Math> = "(* x (+ 2 (* 3 4)))".parse().unwrap();
    let end: RecExpr<Math> = "(* x 14)".parse().unwrap();
    let runner = Runner::<Math, Folding>::default().with_iter_limit(3).with_expr(&start).run(&rules());
    assert_eq!(runner.egraph.lookup_expr(&end), Some(runner.egraph.find(runner.roots[0])));
}

// task: a rule with a condition
fn is_not_zero(var: &str) -> impl Fn(&mut EGraph<Math, Folding>, Id, &Subst) -> bool {
    let var = var.parse().unwrap();
    move |egraph, _, subst| egraph[subst[var]].data.is_some_and(|n| n != 0)
}

fn condition() {
    let mut all = rules::<Folding>();
    all.push(rewrite!("div-self"; "(/ ?a ?a)" => "1" if is_not_zero("?a")));
    let seven: RecExpr<Math> = "(/ 7 7)".parse().unwrap();
    let zero: RecExpr<Math> = "(/ 0 0)".parse().unwrap();
    let one: RecExpr<Math> = "1".parse().unwrap();
    let runner = Runner::<Math, Folding>::default().with_expr(&seven).with_expr(&zero).run(&all);
    let one = runner.egraph.lookup_expr(&one);
    assert_eq!(one, Some(runner.egraph.find(runner.roots[0])));
    assert_ne!(one, Some(runner.egraph.find(runner.roots[1])));
}

fn limits() {
    // task: limits, and why it stopped
    let start: RecExpr<Math> = "(* (+ a b) (* (+ c d) (* (+ e f) (+ g h))))".parse().unwrap();
    let runner = Runner::<Math, ()>::default()
        .with_iter_limit(30)
        .with_node_limit(1_000)
        .with_time_limit(std::time::Duration::from_secs(5))
        .with_scheduler(BackoffScheduler::default())
        .with_expr(&start)
        .run(&rules());
    println!("{:?} {} {}", runner.stop_reason, runner.iterations.len(), runner.egraph.total_size());
}

fn by_hand() {
    // task: an equality by hand
    let mut egraph = EGraph::<Math, ()>::default();
    let left = egraph.add_expr(&"(+ x 1)".parse().unwrap());
    let right = egraph.add_expr(&"(+ y 1)".parse().unwrap());
    let (x, y) = (egraph.add_expr(&"x".parse().unwrap()), egraph.add_expr(&"y".parse().unwrap()));
    egraph.union(x, y);
    egraph.rebuild();
    assert_eq!(egraph.find(left), egraph.find(right));

    // task: a picture
    let _dot = egraph.dot().to_string();
}

// task: -
fn main() {
    simplify();
    equal();
    folding();
    condition();
    limits();
    by_hand();
}
