//! The same workload in egg: a system's language and rules as an egg language and rewrites.
//!
//! egg must not be slower for being given its language at run time:
//!
//! - an e-node is an operator number and two children, 12 bytes, like a `define_language!` enum
//!   with children `[Id; 2]`; the operator number is the discriminant, and its arity is in the
//!   number's last bits;
//! - patterns are egg's own `Pattern`s; an unconditional rule is a plain `Rewrite`;
//! - a system that neither folds constants nor asks for literals has the analysis `()`;
//! - conditions and computations are compiled once, to function pointers.
//!
//! `--languages` measures egg with this language and with a `define_language!` enum of the same
//! 12 bytes: the same within the noise. (16 bytes, as an enum with 64-bit literals has, make egg a
//! tenth faster on the rows that fit in the cache, a fifth slower on prop, and larger.)
//!
//! Conditions are tested while searching, against the e-graph as it was before the iteration, as
//! Cairn does. (egg's `ConditionalApplier` tests while applying, so that the order of rules shows;
//! and rejected matches would be stored, and counted by the back-off scheduler.)

use crate::allocator;
use crate::egg_language::{ENode, Literals, Symbols, expression};
use crate::egg_rules::{plain, with_literals};
use crate::workloads::{Run, Stop, Workload};
use egg::{
    Analysis, BackoffScheduler, Language, RecExpr, Rewrite, Runner, SimpleScheduler, Symbol,
};
use egraph::{Scheduler, System};
use std::time::{Duration, Instant};

/// Runs egg.
pub fn run(workload: &Workload, system: &System, explanations: bool) -> Run {
    let mut symbols = Symbols::new(system);
    let start = start(workload, system, &mut symbols);
    if system.language.constant_folding || system.rules.iter().any(|r| !r.literal_vars().is_empty())
    {
        let rules: Vec<_> = system.rules.iter().map(|r| with_literals(r, &mut symbols)).collect();
        let analysis = Literals { symbols, reason: Symbol::from("constant folding") };
        grow(workload, analysis, &rules, &start, explanations)
    } else {
        let rules: Vec<_> = system.rules.iter().map(|r| plain(r, &mut symbols)).collect();
        grow(workload, (), &rules, &start, explanations)
    }
}

fn start(workload: &Workload, system: &System, symbols: &mut Symbols) -> RecExpr<ENode> {
    let (bank, root) = workload.start_term(system);
    expression(&bank, root, |leaf| symbols.leaf(leaf))
}

/// Runs egg in any language.
pub fn grow<L: Language, A: Analysis<L>>(
    workload: &Workload,
    analysis: A,
    rules: &[Rewrite<L, A>],
    start: &RecExpr<L>,
    explanations: bool,
) -> Run {
    let before = allocator::live();
    allocator::reset_peak();
    let began = Instant::now();
    let mut runner = Runner::<L, A, ()>::new(analysis)
        .with_node_limit(usize::MAX)
        .with_time_limit(Duration::from_secs(3_600))
        .with_iter_limit(match workload.stop {
            Stop::Saturated(_) => usize::MAX,
            Stop::Iterations(n) => n as usize,
        });
    if explanations {
        runner = runner.with_explanations_enabled();
    }
    runner = match workload.scheduler {
        Scheduler::Simple => runner.with_scheduler(SimpleScheduler),
        Scheduler::Backoff => runner.with_scheduler(BackoffScheduler::default()),
        Scheduler::BestFirst => {
            unreachable!("egg has no such scheduler, and no workload asks for it")
        }
    };
    let runner = runner.with_expr(start).run(rules);
    let seconds = began.elapsed().as_secs_f64();
    Run {
        seconds,
        live: allocator::live() - before,
        peak: allocator::peak() - before,
        nodes: runner.egraph.total_number_of_nodes(),
        classes: runner.egraph.number_of_classes(),
    }
}
