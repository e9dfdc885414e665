//! Limits on memory and e-nodes, with an allocator that counts; schedules and schedulers.

mod common;

use egraph::{EGraph, Limits, Report, SaturationConfig, Scheduler, StopReason, TermBank, saturate};
use std::alloc::{GlobalAlloc, Layout, System as SystemAllocator};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
/// The most that was live since this was set to 0.
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: forwards to the system allocator and counts beside it.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(live, Relaxed);
        unsafe { SystemAllocator.alloc(layout) }
    }

    // Growing in place takes what is more, and no copy beside the old one.
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LIVE.fetch_sub(layout.size(), Relaxed);
        let live = LIVE.fetch_add(size, Relaxed) + size;
        PEAK.fetch_max(live, Relaxed);
        unsafe { SystemAllocator.realloc(pointer, layout, size) }
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
fn seen(egraph: &EGraph, report: &Report) -> String {
    let mut bank = TermBank::new(egraph.system().language.clone());
    let mut text = format!("{:?} {}\n", report.stop, report.left_out);
    for i in &report.iterations {
        let numbers = (i.e_nodes, i.e_classes, i.bytes, i.built, i.matches, i.new, i.unions);
        text += &format!("{numbers:?} {:?}\n", i.rules);
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
    for scheduler in [Scheduler::Simple, Scheduler::Backoff] {
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
                    let config = SaturationConfig { limits, scheduler, pool, cancel: None };
                    let report =
                        saturate(&mut egraph, &config, &mut |_, _| ControlFlow::Continue(()));
                    assert!(egraph.node_count() > 5_000, "too small for threads to be used");
                    seen(&egraph, &report)
                })
                .collect();
            assert!(results.iter().all(|result| *result == results[0]), "{limits:?}");
        }
    }
}

#[test]
fn a_flag_stops_a_run_soon() {
    let _guard = ONE_AT_A_TIME.lock();
    let flag = Arc::new(AtomicBool::new(false));
    let system = common::system(common::INTEGERS);
    let mut bank = TermBank::new(system.language.clone());
    let term = bank.parse(EXPLOSIVE, None).unwrap();
    let mut egraph = EGraph::new(system);
    egraph.add_term(&bank, term);
    let limits = Limits { memory: Some(64 << 20), ..Default::default() };
    let config = SaturationConfig { limits, cancel: Some(flag.clone()), ..Default::default() };
    let set = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(30));
        flag.store(true, Relaxed);
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
fn the_end_of_a_schedule_is_no_saturation() {
    let _guard = ONE_AT_A_TIME.lock();
    let sum = "(+ a (+ b (+ c d)))";
    for (schedule, stop) in [
        ("(repeat 1 (run))", StopReason::Schedule),
        ("(repeat 1000 (run))", StopReason::Saturated),
        ("(seq (run) (run))", StopReason::Schedule),
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
        let endless = schedule.starts_with("(saturate");
        let stop = if endless { StopReason::Saturated } else { StopReason::Schedule };
        assert_eq!(report.stop, stop, "{schedule}");
    }
}
