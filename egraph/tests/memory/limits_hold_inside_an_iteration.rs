//! Limits on memory and e-nodes, with an allocator that counts; schedules and schedulers.

use crate::ONE_AT_A_TIME;
use crate::common;
use crate::counting::{LIVE, PEAK};
use egraph::{
    Cancel, EGraph, Iteration, Limits, Report, SaturationConfig, Scheduler, StopReason, TermBank,
    saturate,
};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

fn run(text: &str, start: &str, limits: Limits, scheduler: Scheduler) -> (EGraph, Report) {
    let (egraph, report, _) = run_seen(text, start, limits, scheduler);
    (egraph, report)
}

/// As [`run`], with all iterations.
fn run_seen(
    text: &str,
    start: &str,
    limits: Limits,
    scheduler: Scheduler,
) -> (EGraph, Report, Vec<Iteration>) {
    let system = common::system(text);
    let mut bank = TermBank::new(system.language.clone());
    let term = bank.parse(start, None).unwrap();
    let mut egraph = EGraph::new(system);
    egraph.add_term(&bank, term);
    let config = SaturationConfig { limits, scheduler, ..Default::default() };
    let mut iterations = Vec::new();
    let report = saturate(&mut egraph, &config, &mut |_, iteration| {
        iterations.push(iteration.clone());
        ControlFlow::Continue(())
    });
    assert_eq!(report.iterations + 1, iterations.len() as u64);
    (egraph, report, iterations)
}

const EXPLOSIVE: &str = "(* (+ (+ a b) (+ c (+ d 5))) (+ (+ (* 2 e) f) (- g (* 3 (+ a h)))))";

#[test]
fn memory() {
    let _guard = ONE_AT_A_TIME.lock();
    let mut sizes = Vec::new();
    for mib in [1usize, 4, 16, 64] {
        let limit = mib << 20;
        let system = common::system(common::INTEGERS);
        let mut bank = TermBank::new(system.language.clone());
        let term = bank.parse(EXPLOSIVE, None).unwrap();
        let before = LIVE.load(Relaxed);
        PEAK.store(before, Relaxed);
        let mut egraph = EGraph::new(system);
        egraph.add_term(&bank, term);
        let limits = Limits { memory: Some(limit), ..Default::default() };
        let config = SaturationConfig { limits, ..Default::default() };
        let report = saturate(&mut egraph, &config, &mut |egraph, _| {
            let live = LIVE.load(Relaxed) - before;
            let bytes = egraph.heap_bytes();
            let ratio = live as f64 / bytes as f64;
            // Reports of iterations are not the e-graph's; where it is small they can be seen.
            let right = (0.9..1.1).contains(&ratio) || bytes < 1 << 16;
            assert!(right, "the allocator says {live}, heap_bytes {bytes}");
            ControlFlow::Continue(())
        });
        assert_eq!(report.stop, StopReason::Memory);
        let (bytes, peak) = (egraph.heap_bytes(), PEAK.load(Relaxed) - before);
        assert!(bytes <= limit + limit / 100, "{bytes} of {limit}");
        // With all that wait to be applied.
        assert!(peak <= limit + limit / 100 + (1 << 16), "at most {peak} of {limit}");
        assert!(bytes > limit / 2, "{bytes} of {limit}: the budget is not used");
        sizes.push(egraph.node_count());
    }
    assert!(sizes.windows(2).all(|w| w[0] < w[1]), "{sizes:?}");
}

/// All that can be seen of an e-graph and of how it grew, times aside.
fn seen(egraph: &EGraph, report: &Report, iterations: &[Iteration]) -> String {
    let mut bank = TermBank::new(egraph.system().language.clone());
    let mut text = format!("{report:?}\n");
    for i in iterations {
        let numbers = (i.e_nodes, i.e_classes, i.bytes, i.built, i.matches, i.new, i.unions);
        text += &format!("{numbers:?} {} {:?}\n", i.visits, i.rules);
    }
    for class in egraph.classes() {
        text += &format!("{class:?} {:?}\n", egraph.nodes(class));
        for &node in egraph.nodes(class).iter().take(3) {
            let term = egraph.term(&mut bank, node);
            text += if bank.size(term) < 50 { bank.text(term) } else { "…".into() }.as_str();
        }
    }
    text
}

#[test]
fn threads_change_nothing() {
    let _guard = ONE_AT_A_TIME.lock();
    let pool =
        |threads| Arc::new(rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
    let memory = |mib: usize| Limits { memory: Some(mib << 20), ..Default::default() };
    let nodes = Limits { nodes: Some(60_000), ..Default::default() };
    for scheduler in [Scheduler::Simple, Scheduler::Backoff, Scheduler::BestFirst] {
        for limits in [memory(3), memory(12), nodes.clone()] {
            let results: Vec<String> = [None, Some(2), Some(5)]
                .into_iter()
                .map(|threads| {
                    let system = common::system(common::INTEGERS);
                    let mut bank = TermBank::new(system.language.clone());
                    let term = bank.parse(EXPLOSIVE, None).unwrap();
                    let mut egraph = EGraph::new(system);
                    egraph.add_term(&bank, term);
                    let limits = limits.clone();
                    let pool = threads.map(pool);
                    let config =
                        SaturationConfig { limits, scheduler, pool, ..SaturationConfig::default() };
                    let mut iterations = Vec::new();
                    let report = saturate(&mut egraph, &config, &mut |_, iteration| {
                        iterations.push(iteration.clone());
                        ControlFlow::Continue(())
                    });
                    assert!(egraph.node_count() > 5_000, "too small for threads to be used");
                    seen(&egraph, &report, &iterations)
                })
                .collect();
            assert!(results.iter().all(|result| *result == results[0]), "{limits:?}");
        }
    }
}

#[test]
fn a_flag_stops_a_run_soon() {
    let _guard = ONE_AT_A_TIME.lock();
    let flag = Cancel::default();
    let system = common::system(common::INTEGERS);
    let mut bank = TermBank::new(system.language.clone());
    let term = bank.parse(EXPLOSIVE, None).unwrap();
    let mut egraph = EGraph::new(system);
    egraph.add_term(&bank, term);
    let limits = Limits { memory: Some(64 << 20), ..Default::default() };
    let config = SaturationConfig { limits, cancel: Some(flag.clone()), ..Default::default() };
    let set = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(30));
        flag.ask();
        Instant::now()
    });
    let report = saturate(&mut egraph, &config, &mut |_, _| ControlFlow::Continue(()));
    let ended = Instant::now();
    assert_eq!(report.stop, StopReason::Cancelled);
    // Generous, for machines that are busy with other tests.
    assert!(ended - set.join().unwrap() < Duration::from_millis(500));
}

#[test]
fn the_same_limit_gives_the_same_e_graph() {
    let _guard = ONE_AT_A_TIME.lock();
    let limits = Limits { memory: Some(3 << 20), ..Default::default() };
    let once = run_seen(common::INTEGERS, EXPLOSIVE, limits.clone(), Scheduler::Simple).2;
    let again = run_seen(common::INTEGERS, EXPLOSIVE, limits, Scheduler::Simple).2;
    let numbers = |iterations: &[Iteration]| -> Vec<_> {
        iterations.iter().map(|i| (i.e_nodes, i.e_classes, i.bytes, i.matches, i.unions)).collect()
    };
    assert_eq!(numbers(&once), numbers(&again));
}

#[test]
fn e_nodes() {
    let _guard = ONE_AT_A_TIME.lock();
    for nodes in [50usize, 1_000, 20_000] {
        let limits = Limits { nodes: Some(nodes), ..Default::default() };
        let (egraph, report) = run(common::INTEGERS, EXPLOSIVE, limits, Scheduler::Simple);
        assert_eq!(report.stop, StopReason::Nodes);
        assert!(egraph.node_count() <= nodes, "{} of {nodes}", egraph.node_count());
    }
}

#[test]
fn iterations_time_goal_and_saturation() {
    let _guard = ONE_AT_A_TIME.lock();
    let sum = "(+ a (+ b (+ c d)))";
    let limits = |iterations| Limits { iterations, ..Default::default() };
    let (_, report) = run(common::SUMS, sum, limits(Some(2)), Scheduler::Simple);
    assert_eq!((report.stop, report.iterations), (StopReason::Iterations, 2));
    let (egraph, report) = run(common::SUMS, sum, limits(None), Scheduler::Simple);
    assert_eq!((report.stop, egraph.class_count()), (StopReason::Saturated, 15));
    let no_time = Limits { time: Some(std::time::Duration::ZERO), ..Default::default() };
    let (_, report) = run(common::SUMS, sum, no_time, Scheduler::Simple);
    assert_eq!(report.stop, StopReason::Time);

    let system = common::system(common::SUMS);
    let mut bank = TermBank::new(system.language.clone());
    let (a, b) = (bank.parse(sum, None).unwrap(), bank.parse("(+ (+ d c) (+ b a))", None).unwrap());
    let mut egraph = EGraph::new(system);
    let (a, b) = (egraph.add_term(&bank, a), egraph.add_term(&bank, b));
    let report = saturate(&mut egraph, &SaturationConfig::default(), &mut |egraph, _| {
        if egraph.find(a) == egraph.find(b) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert_eq!(report.stop, StopReason::Goal);
}

#[test]
fn the_end_of_a_schedule_is_no_saturation() {
    let _guard = ONE_AT_A_TIME.lock();
    let sum = "(+ a (+ b (+ c d)))";
    for (schedule, stop) in [
        ("(repeat 1 (run))", StopReason::Schedule),
        ("(repeat 1000 (run))", StopReason::Saturated),
        ("(seq (run) (run))", StopReason::Schedule),
        ("(run) (saturate (run))", StopReason::Saturated),
        ("(saturate (seq (run) (run)))", StopReason::Saturated),
        // It has no rules, and the others were not run.
        ("(saturate (run r))", StopReason::Schedule),
    ] {
        let rules = format!("{} (ruleset r) (schedule {schedule})", common::SUMS);
        let (_, report) = run(&rules, sum, Limits::default(), Scheduler::Simple);
        assert_eq!(report.stop, stop, "{schedule}");
    }
}

#[test]
fn a_conflict_between_literals_stops_the_run() {
    let _guard = ONE_AT_A_TIME.lock();
    let unsound = "(sort Int) (op + (Int Int) Int) (literal i64 Int) (variable Int)
        (analysis constant) (rewrite (+ ?a ?b) ?a :name wrong)";
    let (egraph, report) = run(unsound, "(+ 1 2)", Limits::default(), Scheduler::Simple);
    assert_eq!(report.stop, StopReason::Conflict);
    assert!(egraph.conflict().is_some());
}

#[test]
fn back_off_reaches_what_the_simple_scheduler_reaches_where_both_saturate() {
    let _guard = ONE_AT_A_TIME.lock();
    let sum = "(+ a (+ b (+ c (+ d (+ e (+ f (+ g h)))))))";
    let (simple, first) = run(common::SUMS, sum, Limits::default(), Scheduler::Simple);
    let (backoff, second) = run(common::SUMS, sum, Limits::default(), Scheduler::Backoff);
    assert_eq!((first.stop, second.stop), (StopReason::Saturated, StopReason::Saturated));
    assert_eq!(simple.node_count(), backoff.node_count());
    assert!(second.iterations > first.iterations, "no rule was ever banned");
}

#[test]
fn a_schedule_runs_rulesets_in_its_order() {
    let _guard = ONE_AT_A_TIME.lock();
    let system = |schedule: &str| {
        format!(
            "(sort S) (op f (S) S) (op g (S) S) (op h (S) S) (op a () S) (ruleset one) (ruleset two)
             (rewrite (f ?x) (g ?x) :name fg :ruleset one)
             (rewrite (g ?x) (h ?x) :name gh :ruleset two)
             (schedule {schedule})"
        )
    };
    for (schedule, classes, nodes) in [
        ("(run one)", 2, 3),
        ("(run two)", 2, 2),
        ("(seq (run two) (run one))", 2, 3),
        ("(seq (run one) (run two))", 2, 4),
        ("one two", 2, 4),
        ("(repeat 1 one two)", 2, 4),
        ("(repeat 2 (run two) (run one))", 2, 4),
        // They belong to rulesets, both of them.
        ("(repeat 2 (run))", 2, 2),
        ("(saturate (seq (run two) (run one)))", 2, 4),
    ] {
        let (egraph, report) =
            run(&system(schedule), "(f a)", Limits::default(), Scheduler::Simple);
        assert_eq!((egraph.class_count(), egraph.node_count()), (classes, nodes), "{schedule}");
        let endless = schedule.starts_with("(saturate");
        let stop = if endless { StopReason::Saturated } else { StopReason::Schedule };
        assert_eq!(report.stop, stop, "{schedule}");
    }
}

#[test]
fn a_scheduler_of_a_schedule_lives_as_long_as_its_scope() {
    let _guard = ONE_AT_A_TIME.lock();
    let sum = "(+ a (+ b (+ c (+ d (+ e (+ f (+ g h)))))))";
    let grow = |schedule: &str, scheduler| {
        let rules = format!("{} (schedule {schedule})", common::SUMS);
        run(&rules, sum, Limits::default(), scheduler)
    };
    let simple = |schedule: &str| grow(schedule, Scheduler::Simple);
    // The scheduler of the whole run, said in the schedule.
    let (asked, first) = run(common::SUMS, sum, Limits::default(), Scheduler::Backoff);
    let (said, second) = simple("(let-scheduler bo (back-off)) (saturate (run-with bo))");
    assert_eq!((first.stop, first.iterations), (second.stop, second.iterations));
    assert_eq!(asked.node_count(), said.node_count());
    // Banned in the first of its iterations, a rule is never let in where the ban is forgotten in each turn.
    let few = "(back-off :match-limit 5 :ban-length 3)";
    let (kept, report) = simple(&format!("(let-scheduler bo {few}) (saturate (run-with bo))"));
    assert_eq!((kept.node_count(), report.stop), (asked.node_count(), StopReason::Saturated));
    let (lost, report) = simple(&format!("(saturate (let-scheduler bo {few}) (run-with bo))"));
    assert_eq!(report.stop, StopReason::Schedule);
    assert!(lost.node_count() < kept.node_count() / 2, "{}", lost.node_count());
    // Other runs of the same rules know nothing of it.
    let (free, report) =
        simple(&format!("(let-scheduler bo {few}) (run-with bo) (saturate (run))"));
    assert_eq!((free.node_count(), report.stop), (asked.node_count(), StopReason::Saturated));
    let inner = format!("(repeat 3 (seq (let-scheduler bo {few}) (run-with bo)) (run))");
    assert_eq!(simple(&inner).1.iterations, 6);
}

/// A class of 200 e-nodes, and a pattern that has a match for each four of them: 1.6 thousand
/// million matches.
fn grow_dense(limits: Limits, cancel: Option<Cancel>) -> (Report, Duration) {
    let system = common::system(
        "(sort S) (variable S) (op h (S) S) (op d () S) (op f (S S S S) S) (op list (S S) S)
         (ruleset first) (ruleset then)
         (rewrite (h ?x) d :name equal :ruleset first)
         (rewrite (f (h ?x) (h ?y) (h ?z) (h ?w)) d :name dense :ruleset then)
         (schedule (seq (run first) (run then)))",
    );
    let mut bank = TermBank::new(system.language.clone());
    let list = (0..200).fold("(f d d d d)".to_owned(), |rest, n| format!("(list (h a{n}) {rest})"));
    let term = bank.parse(&list, None).unwrap();
    let mut egraph = EGraph::new(system);
    egraph.add_term(&bank, term);
    let config = SaturationConfig { limits, cancel, ..Default::default() };
    let began = Instant::now();
    let report = saturate(&mut egraph, &config, &mut |_, _| ControlFlow::Continue(()));
    (report, began.elapsed())
}

#[test]
fn time_and_a_flag_stop_a_search_where_matches_are_dense() {
    let _guard = ONE_AT_A_TIME.lock();
    let limits = Limits { time: Some(Duration::from_millis(100)), ..Default::default() };
    let (report, took) = grow_dense(limits, None);
    assert_eq!(report.stop, StopReason::Time);
    // Generous, for machines that are busy with other tests.
    assert!(took < Duration::from_secs(2), "{took:?}");

    let flag = Cancel::default();
    let set = flag.clone();
    let setter = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        set.ask();
    });
    let (report, took) = grow_dense(Limits::default(), Some(flag));
    setter.join().unwrap();
    assert_eq!(report.stop, StopReason::Cancelled);
    assert!(took < Duration::from_secs(2), "{took:?}");
}

/// 200 rules that match and say nothing new, and one that adds two e-nodes an iteration.
fn idle_rules() -> String {
    let idle: String =
        (0..200).map(|n| format!("(rewrite (f ?x) (f ?x) :name idle-{n})")).collect();
    format!(
        "(sort S) (op a () S) (op s (S) S) (op f (S) S)
         (rewrite (f ?x) (f (s ?x)) :name grow) {idle}"
    )
}

#[test]
fn iterations_take_no_memory_once_they_are_over() {
    let _guard = ONE_AT_A_TIME.lock();
    let system = common::system(&idle_rules());
    let mut bank = TermBank::new(system.language.clone());
    let term = bank.parse("(f a)", None).unwrap();
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let mut egraph = EGraph::new(system);
    egraph.add_term(&bank, term);
    let limits = Limits { memory: Some(2 << 20), iterations: Some(2_000), ..Default::default() };
    let config = SaturationConfig { limits, ..Default::default() };
    let report = saturate(&mut egraph, &config, &mut |_, _| ControlFlow::Continue(()));
    assert_eq!((report.stop, report.iterations), (StopReason::Iterations, 2_000));
    let matches: Vec<u64> = report.rules.iter().map(|rule| rule.matches).collect();
    assert!(
        matches.len() == 201 && matches.iter().all(|m| (2_000..2_010).contains(m)),
        "{matches:?}"
    );
    let peak = PEAK.load(Relaxed) - before;
    assert!(peak <= 2 << 20, "{peak}");
}

#[test]
fn a_run_whose_e_graph_hardly_grows_ends() {
    let _guard = ONE_AT_A_TIME.lock();
    let limits = Limits { visits: Some(10_000), iterations: Some(5_000), ..Default::default() };
    for scheduler in [Scheduler::Simple, Scheduler::Backoff, Scheduler::BestFirst] {
        let (egraph, report) = run(&idle_rules(), "(f a)", limits.clone(), scheduler);
        assert_eq!(report.stop, StopReason::Visits, "{} e-nodes", egraph.node_count());
        assert!((100..1_000).contains(&report.iterations), "{}", report.iterations);
    }
}
