//! scratch
use egraph::*;
use std::ops::ControlFlow;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (row, threads): (&str, usize) = (&a[1], a.get(2).map_or(1, |t| t.parse().unwrap()));
    let nodes: Option<usize> = a.get(3).map(|t| t.parse().unwrap());
    let sums = "(sort S) (op + (S S) S) (variable S)(rewrite (+ ?a ?b) (+ ?b ?a) :name comm)(birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c) :name assoc)";
    let mm = "(sort S) (op * (S S) S) (variable S)(birewrite (* ?a (* ?b ?c)) (* (* ?a ?b) ?c) :name assoc)";
    let chain =
        |op: &str, n: usize| (1..n).rev().fold(format!("x{n}"), |t, i| format!("({op} x{i} {t})"));
    let mut scheduler = Scheduler::Simple;
    let file = |n: &str| std::fs::read_to_string(format!("configs/systems/{n}.rules")).unwrap();
    let (text, term) = if let Some(n) = row.strip_prefix("ac") {
        (sums.to_owned(), chain("+", n.parse().unwrap()))
    } else if let Some(n) = row.strip_prefix("mm") {
        (mm.to_owned(), chain("*", n.parse::<usize>().unwrap() + 1))
    } else if row == "math" {
        scheduler = Scheduler::Backoff;
        (file("math-test"), "(i (ln x) x)".into())
    } else if row == "prop" {
        (
            file("prop"),
            std::env::var("TERM").unwrap_or("(-> (-> a b) (-> (-> b c) (-> a c)))".into()),
        )
    } else {
        (file(row), std::env::var("TERM").unwrap())
    };
    let system = std::sync::Arc::new(System::parse(&text).unwrap());
    let mut bank = TermBank::new(system.language.clone());
    let t = bank.parse(&term, None).unwrap();
    for _ in 0..std::env::var("REPEAT").map_or(1, |r| r.parse().unwrap()) {
        let mut g = EGraph::new(system.clone());
        g.add_term(&bank, t);
        let pool = (threads > 1).then(|| {
            std::sync::Arc::new(
                rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap(),
            )
        });
        let config = SaturationConfig {
            limits: Limits { nodes, ..Default::default() },
            scheduler,
            pool,
            cancel: None,
        };
        let quiet = std::env::var("QUIET").is_ok();
        let r = saturate(&mut g, &config, &mut |_, i| {
            if !quiet {
                println!(
                    "{:3} nodes {:8} classes {:8} built {:8} bytes/node {:6.1} matches {:9} new {:9} unions {:8} search {:.4} apply {:.4} rebuild {:.4}",
                    i.iteration,
                    i.e_nodes,
                    i.e_classes,
                    i.built,
                    i.bytes as f64 / i.e_nodes as f64,
                    i.matches,
                    i.new,
                    i.unions,
                    i.search_seconds,
                    i.apply_seconds,
                    i.rebuild_seconds
                );
            }
            ControlFlow::Continue(())
        });
        let s: f64 = r.iterations.iter().map(|i| i.seconds).sum();
        let p = |f: fn(&Iteration) -> f64| r.iterations.iter().map(f).sum::<f64>();
        println!(
            "{row} {} total {:.4} s search {:.4} apply {:.4} rebuild {:.4} left out {}",
            r.stop,
            s,
            p(|i| i.search_seconds),
            p(|i| i.apply_seconds),
            p(|i| i.rebuild_seconds),
            r.left_out
        );
    }
}
