//! Counting and sampling the terms of e-graphs of Halide expressions.
//!
//!     cargo bench -p cairn-terms --bench sampling -- [--memory 32MiB] [--threads 1]
//!     cargo bench -p cairn-terms --bench sampling -- --egg [--nodes 100000]
//!
//! Counts are those of the seed's class to twice the seed's size, of all terms and of plain ones;
//! draws are of terms with up to 40 nodes. The threads are those that count; draws are of one
//! thread, first as e-nodes, then entered in a bank of all that were drawn. The
//! frontier is that of the last iteration.
//!
//! `--egg` compares with the same algorithm over egg instead, see [`egg_side`]: the same e-graph,
//! of as many iterations as it takes to so many e-nodes; one thread; medians of three rounds, the
//! sides in turn. Both leave out constants that are not written as literals; padded terms are
//! counted. If the sizes of the e-graphs or the numbers of terms differ, a line says so, and the
//! exit status is 1.

#[path = "../../../scripts/experiments/compare/egg-pipeline/src/counting.rs"]
mod counting;
#[path = "../../../scripts/experiments/compare/egg-pipeline/src/draw.rs"]
mod draw;
#[allow(dead_code)] // the engine's benchmark uses all of it
#[path = "../../../egraph/benches/peers/egg_language.rs"]
mod egg_language;
#[allow(dead_code)] // the engine's benchmark uses all of it
#[path = "../../../egraph/benches/peers/egg_rules.rs"]
mod egg_rules;
mod egg_side;
#[allow(dead_code)] // the pipeline uses all of it
#[path = "../../../scripts/experiments/compare/egg-pipeline/src/random.rs"]
mod random;

use egraph::{
    ByteSize, EGraph, History, Limits, Past, SaturationConfig, System, TermBank, saturate,
};
use rayon::ThreadPool;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use support::random::stream;
use terms::{Counts, Frontier, Sampler, Terms};

/// In the manner of configs/seeds/halide.txt: of 31 and of 21 nodes.
const SEEDS: [&str; 2] = [
    "(+ (* v0 8) (+ (max (* v1 4) (+ v2 3)) (+ (min v3 (* v4 2)) \
     (- (/ v2 8) (* v0 (+ v1 (+ v3 (* v4 5))))))))",
    "(- (max (+ (* v0 8) (+ v1 v2)) (* v3 4)) (/ (+ (% (+ v0 v1) 8) v2) 8))",
];

/// Terms that are drawn have at most this many nodes.
const LIMIT: u32 = 40;
const DRAWS: usize = 200_000;
const FRONTIER_DRAWS: usize = 5_000;
const EGG_DRAWS: usize = 2_000;
const ROUNDS: usize = 3;

fn main() -> ExitCode {
    let option = |name: &str| {
        let mut arguments = std::env::args().skip_while(|argument| argument != name);
        arguments.nth(1)
    };
    let memory: ByteSize = option("--memory")
        .map_or(Ok(ByteSize(32 << 20)), |text| text.parse())
        .unwrap_or_else(|error| fail(&error));
    let threads: usize = option("--threads")
        .map_or(Ok(1), |text| text.parse())
        .unwrap_or_else(|error| fail(&format!("--threads: {error}")));
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/systems/halide.rules");
    let system = Arc::new(System::load(&rules).unwrap_or_else(|error| fail(&error.to_string())));
    if std::env::args().any(|argument| argument == "--egg") {
        let nodes = option("--nodes").map_or(Ok(100_000), |text| text.parse());
        let nodes = nodes.unwrap_or_else(|error| fail(&format!("--nodes: {error}")));
        println!("{EGG_HEADER}");
        let same = SEEDS.map(|seed| compare(&system, seed, nodes));
        return ExitCode::from(u8::from(same.contains(&false)));
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.unwrap_or_else(|error| fail(&error.to_string()));
    SEEDS.iter().for_each(|seed| measure(&system, seed, memory, &pool));
    ExitCode::SUCCESS
}

fn fail(message: &str) -> ! {
    eprintln!("{message}");
    std::process::exit(2);
}

fn measure(system: &Arc<System>, seed: &str, memory: ByteSize, pool: &ThreadPool) {
    let mut bank = TermBank::new(system.language.clone());
    let term = bank.parse(seed, None).unwrap_or_else(|error| fail(&error.to_string()));
    let size = bank.size(term) as u32;
    let mut egraph = EGraph::new(system.clone());
    let root = egraph.add_term(&bank, term);
    let limits = Limits { memory: Some(memory.0), ..Limits::default() };
    let config = SaturationConfig { limits, ..SaturationConfig::default() };
    let began = Instant::now();
    let mut history = History::new(1);
    saturate(&mut egraph, &config, &mut |egraph, _| {
        history.record(egraph);
        ControlFlow::Continue(())
    });
    let before = history.earlier().map(|snapshot| Past::new(&egraph, snapshot));
    let seed_node = root;
    let root = egraph.find(root);
    println!(
        "seed of {size} nodes: {} e-nodes, {} e-classes, grown in {:.2} s",
        egraph.node_count(),
        egraph.class_count(),
        began.elapsed().as_secs_f64()
    );
    for (name, terms) in [("all", Terms::ALL), ("plain", Terms::PLAIN)] {
        let began = Instant::now();
        let counts = match pool.current_num_threads() {
            1 => Counts::new(&egraph, &[(root, 2 * size)], terms),
            _ => Counts::in_pool(&egraph, &[(root, 2 * size)], terms, pool),
        };
        println!(
            "  {name}: counted to size {} in {:.3} s, {} terms, {:.1} MiB",
            2 * size,
            began.elapsed().as_secs_f64(),
            digits(&counts.up_to(root, 2 * size).to_string()),
            counts.heap_bytes() as f64 / (1 << 20) as f64
        );
        let counts = Counts::new(&egraph, &[(root, LIMIT)], terms);
        let mut sampler = Sampler::new(&egraph, &counts);
        let mut rng = stream(1, 0);
        // What is drawn first fills the tables.
        for round in ["first", "next"] {
            let began = Instant::now();
            let nodes: usize = (0..DRAWS)
                .filter_map(|_| Some(sampler.draw_nodes(root, LIMIT, &mut rng)?.len()))
                .sum();
            println!(
                "  {name}: {round} {DRAWS} draws, {:.1} nodes each: {:.0} a second",
                nodes as f64 / DRAWS as f64,
                DRAWS as f64 / began.elapsed().as_secs_f64()
            );
        }
        let began = Instant::now();
        let sample = sampler.sample(&mut bank, root, LIMIT, DRAWS, DRAWS as u64, &mut rng);
        println!(
            "  {name}: sampled, {:.0} draws a second: {} distinct terms, {} padded",
            sample.drawn as f64 / began.elapsed().as_secs_f64(),
            sample.terms.len(),
            sample.padded
        );
        let Some(before) = &before else { continue };
        let began = Instant::now();
        let mut frontier = Frontier::new(&egraph, before, &[(seed_node, LIMIT)], terms);
        let new = frontier.up_to(root, LIMIT);
        println!(
            "  {name}: {} of {} terms to size {LIMIT} are frontier terms, counted in {:.3} s",
            digits(&new.to_string()),
            digits(&counts.up_to(root, LIMIT).to_string()),
            began.elapsed().as_secs_f64()
        );
        for round in ["first", "next"] {
            let began = Instant::now();
            let wanted = FRONTIER_DRAWS;
            let sample = frontier.sample(&mut bank, root, LIMIT, wanted, wanted as u64, &mut rng);
            println!(
                "  {name}: {round} {} frontier draws: {:.0} a second, {} distinct, {} padded",
                sample.drawn,
                sample.drawn as f64 / began.elapsed().as_secs_f64(),
                sample.terms.len(),
                sample.padded
            );
        }
    }
}

const EGG_HEADER: &str = "\
| seed, nodes | e-nodes | terms | counting, s | egg | × | draws/s, first | next | egg | × first | × next |
|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|";

/// Prints a row of the comparison with egg; whether both sides have the same.
fn compare(system: &Arc<System>, seed: &str, nodes: usize) -> bool {
    let mut bank = TermBank::new(system.language.clone());
    let term = bank.parse(seed, None).unwrap_or_else(|error| fail(&error.to_string()));
    let size = bank.size(term) as u32;
    let mut egraph = EGraph::new(system.clone());
    let root = egraph.add_term(&bank, term);
    let limits = Limits { nodes: None, memory: None, ..Limits::default() };
    let config = SaturationConfig { limits, ..SaturationConfig::default() };
    let course = saturate(&mut egraph, &config, &mut |egraph, _| {
        if egraph.node_count() < nodes { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    let iterations = course.iterations;
    let root = egraph.find(root);
    let grown = egg_side::grow(system, &bank, term, iterations);
    // Counting, first draws, next draws; egg's counting and draws.
    let mut seconds: [Vec<f64>; 5] = Default::default();
    let (mut ours, mut theirs) = (0.0, 0.0);
    for _ in 0..ROUNDS {
        let began = Instant::now();
        let counts = Counts::new(&egraph, &[(root, 2 * size)], LITERALS);
        seconds[0].push(began.elapsed().as_secs_f64());
        ours = counts.up_to(root, 2 * size).to_string().parse().unwrap_or(f64::NAN);
        let counts = Counts::new(&egraph, &[(root, LIMIT)], LITERALS);
        let mut sampler = Sampler::new(&egraph, &counts);
        let mut rng = stream(1, 0);
        for (round, draws) in [(1, EGG_DRAWS), (2, DRAWS)] {
            let began = Instant::now();
            for _ in 0..draws {
                sampler.draw_nodes(root, LIMIT, &mut rng);
            }
            seconds[round].push(began.elapsed().as_secs_f64() / draws as f64);
        }
        let egg = egg_side::measure(&grown, 2 * size, LIMIT, EGG_DRAWS);
        seconds[3].push(egg.count_seconds);
        seconds[4].push(egg.draw_seconds / EGG_DRAWS as f64);
        theirs = egg.terms;
    }
    let [count, first, next, egg_count, egg_draw] = seconds.map(|mut all| {
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    });
    println!(
        "| {size} | {} | {ours:.0e} | {count:.3} | {egg_count:.2} | {:.0} | {:.0} | {:.0} | {:.0} \
         | {:.0} | {:.0} |",
        egraph.node_count(),
        egg_count / count,
        1.0 / first,
        1.0 / next,
        1.0 / egg_draw,
        egg_draw / first,
        egg_draw / next
    );
    let e_nodes = (egraph.node_count(), grown.egraph.total_number_of_nodes());
    let classes = (egraph.class_count(), grown.egraph.number_of_classes());
    let same =
        e_nodes.0 == e_nodes.1 && classes.0 == classes.1 && (ours / theirs - 1.0).abs() < 1e-9;
    if !same {
        println!("not the same: e-nodes {e_nodes:?}, e-classes {classes:?}, terms {ours} {theirs}");
    }
    same
}

/// All terms but those with constants that are not written as literals.
const LITERALS: Terms = Terms { padded: true, constants: false };

/// A large number in decimal, by its order of magnitude.
fn digits(number: &str) -> String {
    format!("{}e{}", &number[..1], number.len() - 1)
}
