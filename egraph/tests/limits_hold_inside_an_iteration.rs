//! Limits on memory and e-nodes, with an allocator that counts; schedules and schedulers.

mod common;

use egraph::{EGraph, Limits, Report, SaturationConfig, Scheduler, StopReason, TermBank, saturate};
use std::alloc::{GlobalAlloc, Layout, System as SystemAllocator};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: forwards to the system allocator and counts beside it.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size(), Relaxed);
        unsafe { SystemAllocator.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        unsafe { SystemAllocator.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The tests of this file run one after the other, for they share the count.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn run(text: &str, start: &str, limits: Limits, scheduler: Scheduler) -> (EGraph, Report) {
    let system = common::system(text);
    let mut bank = TermBank::new(system.language.clone());
    let term = bank.parse(start, None).unwrap();
    let mut egraph = EGraph::new(system);
    egraph.add_term(&bank, term);
    let config = SaturationConfig { limits, scheduler, ..Default::default() };
    let report = saturate(&mut egraph, &config, &mut |_, _| ControlFlow::Continue(()));
    (egraph, report)
}

const EXPLOSIVE: &str = "(* (+ (+ a b) (+ c (+ d 5))) (+ (+ (* 2 e) f) (- g (* 3 (+ a h)))))";

#[test]
fn memory() {
    let _guard = ONE_AT_A_TIME.lock();
    let mut sizes = Vec::new();
    for mib in [1usize, 4, 16] {
        let limit = mib << 20;
        let limits = Limits { memory: Some(limit), ..Default::default() };
        let before = LIVE.load(Relaxed);
        let (egraph, report) = run(common::INTEGERS, EXPLOSIVE, limits, Scheduler::Simple);
        assert_eq!(report.stop, StopReason::Memory);
        let bytes = egraph.heap_bytes();
        // Rebuilding after the last match may add a little: edges, and literals of folded constants.
        assert!(bytes <= limit + limit / 100, "{bytes} of {limit}");
        assert!(bytes > limit / 2, "{bytes} of {limit}: the budget is not used");
        drop(report);
        let live = LIVE.load(Relaxed) - before;
        let ratio = live as f64 / bytes as f64;
        assert!((0.9..1.1).contains(&ratio), "the allocator says {live}, heap_bytes {bytes}");
        sizes.push(egraph.node_count());
    }
    assert!(sizes.windows(2).all(|w| w[0] < w[1]), "{sizes:?}");
}

#[test]
fn the_same_limit_gives_the_same_e_graph() {
    let _guard = ONE_AT_A_TIME.lock();
    let limits = Limits { memory: Some(3 << 20), ..Default::default() };
    let once = run(common::INTEGERS, EXPLOSIVE, limits.clone(), Scheduler::Simple).1;
    let again = run(common::INTEGERS, EXPLOSIVE, limits, Scheduler::Simple).1;
    let numbers = |r: &Report| -> Vec<_> {
        r.iterations
            .iter()
            .map(|i| (i.e_nodes, i.e_classes, i.bytes, i.matches, i.unions))
            .collect()
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
    assert_eq!((report.stop, report.iterations.len()), (StopReason::Iterations, 3));
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
    assert!(second.iterations.len() > first.iterations.len(), "no rule was ever banned");
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
        ("(repeat 2 (run))", 2, 4),
        ("(repeat 1 (run))", 2, 3),
        ("(saturate (seq (run two) (run one)))", 2, 4),
    ] {
        let (egraph, report) =
            run(&system(schedule), "(f a)", Limits::default(), Scheduler::Simple);
        assert_eq!((egraph.class_count(), egraph.node_count()), (classes, nodes), "{schedule}");
        assert_eq!(report.stop, StopReason::Saturated);
    }
}
