//! Cairn against egg, on the workloads of docs/benchmarks.md: time and bytes on the heap.
//!
//!     cargo bench -p cairn-egraph --bench peers                     every row
//!     cargo bench -p cairn-egraph --bench peers -- --quick          the small rows, under a minute
//!     cargo bench -p cairn-egraph --bench peers -- --small          rows of 1,000 to 4,000 e-nodes
//!     cargo bench -p cairn-egraph --bench peers -- --row AC10       the rows with this in their names
//!     cargo bench -p cairn-egraph --bench peers -- --no-egg         Cairn alone, for profiling
//!     cargo bench -p cairn-egraph --bench peers -- --languages      egg with two kinds of language
//!     cargo bench -p cairn-egraph --bench peers -- --threads        Cairn on one thread and on two
//!     cargo bench -p cairn-egraph --bench peers -- --phases         where Cairn's time goes
//!     cargo bench -p cairn-egraph --bench peers -- --limits         Cairn under limits on memory
//!
//! Cairn always keeps what its explanations need; egg is run without (`egg`) and with (`egg on`)
//! explanations. The sides run in turn in this process, on one thread, and medians are printed:
//! of at least three runs and a second, but of one run if it takes over ten seconds. A ratio `×`
//! says how many times better Cairn is. Bytes are what was asked of the allocator, at the end and
//! at most, per canonical e-node; `heap_bytes/live` is Cairn's own count by the allocator's. `–` is
//! what was not run: egg with explanations on AC12, for minutes and gigabytes. The
//! geometric means, the last of which is the last line, are over the ratios that there are.
//!
//! Both sides must grow the same e-graph. So rows end by saturation or after a number of
//! iterations: egg's limit on nodes counts stale entries and ends an iteration half-way. If the
//! numbers of e-nodes and e-classes differ, from each other or from a formula, the row is
//! followed by a line that says so and the exit status is 1.

mod allocator;
mod egg_language;
mod egg_rules;
mod egg_side;
mod limits;
mod native;
mod phases;
mod table;
mod threads;
mod workloads;

use std::process::ExitCode;
use table::Row;
use workloads::{Run, Stop, Timed, Workload};

#[global_allocator]
static ALLOCATOR: allocator::Counting = allocator::Counting;

/// A side that takes longer than this is run once.
const LONG_SECONDS: f64 = 10.0;
const MIN_ROUNDS: usize = 3;
const MIN_SECONDS: f64 = 1.0;
const MAX_ROUNDS: usize = 25;

/// What is compared.
#[derive(Clone, Copy, PartialEq)]
enum Comparison {
    Peers,
    CairnAlone,
    Languages,
    Threads,
    Phases,
    Limits,
}

struct Arguments {
    quick: bool,
    small: bool,
    comparison: Comparison,
    row: Option<String>,
}

fn arguments() -> Result<Arguments, String> {
    let mut parsed =
        Arguments { quick: false, small: false, comparison: Comparison::Peers, row: None };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quick" => parsed.quick = true,
            "--small" => parsed.small = true,
            "--no-egg" => parsed.comparison = Comparison::CairnAlone,
            "--languages" => parsed.comparison = Comparison::Languages,
            "--threads" => parsed.comparison = Comparison::Threads,
            "--phases" => parsed.comparison = Comparison::Phases,
            "--limits" => parsed.comparison = Comparison::Limits,
            "--row" => parsed.row = Some(arguments.next().ok_or("--row needs a name")?),
            "--bench" => {} // from cargo
            other => {
                let known = "--quick, --small, --row NAME, --no-egg, --languages, --threads, --phases or --limits";
                return Err(format!("expected {known}, found {other}"));
            }
        }
    }
    Ok(parsed)
}

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    let wanted = |w: &Workload| match &arguments.row {
        Some(row) => w.name.contains(row.as_str()),
        None => w.quick || !arguments.quick,
    };
    let workloads = if arguments.small { workloads::small() } else { workloads::all() };
    let workloads: Vec<Workload> = workloads.into_iter().filter(wanted).collect();
    let right = match arguments.comparison {
        Comparison::Peers => compare_peers(&workloads, true),
        Comparison::CairnAlone => compare_peers(&workloads, false),
        Comparison::Languages => {
            compare_languages(workloads.iter().filter(|w| w.quick));
            true
        }
        Comparison::Threads => {
            threads::compare(&workloads);
            true
        }
        Comparison::Phases => {
            phases::print(&workloads);
            true
        }
        Comparison::Limits => limits::try_all(&workloads),
    };
    if right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints the table; whether all sizes are right.
fn compare_peers(workloads: &[Workload], egg: bool) -> bool {
    println!("{}", table::header());
    let mut rows = Vec::new();
    let mut right = true;
    for workload in workloads {
        let row = measure(workload, egg);
        println!("{}", table::line(&row));
        for complaint in complaints(workload, &row) {
            println!("{complaint}");
            right = false;
        }
        rows.push(row);
    }
    println!("\n{}", table::geomeans(&rows));
    right
}

/// Runs the sides in turn, until each has enough runs.
fn measure(workload: &Workload, egg: bool) -> Row {
    let system = workload.load();
    let mut heap_bytes = 0;
    let config = workloads::configuration(workload);
    let mut cairn = || {
        let (run, bytes) =
            workloads::run_cairn(workload, &system, &config, &mut workloads::unseen());
        heap_bytes = bytes;
        run
    };
    let mut off = || egg_side::run(workload, &system, false);
    let mut on = || egg_side::run(workload, &system, true);
    let sides: &mut [&mut dyn FnMut() -> Run] = match (egg, workload.explained) {
        (false, _) => &mut [&mut cairn],
        (true, false) => &mut [&mut cairn, &mut off],
        (true, true) => &mut [&mut cairn, &mut off, &mut on],
    };
    let medians = medians(sides);
    let egg = [medians.get(1).copied(), medians.get(2).copied()];
    Row { name: workload.name, cairn: medians[0], heap_bytes, egg }
}

/// Runs each in turn, until each has enough runs; gives their medians.
pub fn medians<R: Timed>(sides: &mut [&mut dyn FnMut() -> R]) -> Vec<R> {
    let enough = |runs: &[R]| {
        let seconds: f64 = runs.iter().map(R::seconds).sum();
        seconds > LONG_SECONDS
            || runs.len() >= MAX_ROUNDS
            || runs.len() >= MIN_ROUNDS && seconds > MIN_SECONDS
    };
    let mut runs: Vec<Vec<R>> = sides.iter().map(|_| Vec::new()).collect();
    while !runs.iter().all(|runs| enough(runs)) {
        for (side, runs) in sides.iter_mut().zip(&mut runs) {
            if !enough(runs) {
                runs.push(side());
            }
        }
    }
    runs.into_iter().map(table::median).collect()
}

/// egg's times with the language of the comparison, and with one from egg's macro.
fn compare_languages<'a>(workloads: impl Iterator<Item = &'a Workload>) {
    println!("| workload | ms | ms with define_language! |\n|---|---:|---:|");
    for workload in workloads {
        let system = workload.load();
        if native::has(&system) {
            let mut ours = || egg_side::run(workload, &system, false);
            let mut native = || native::run(workload, &system);
            let runs = medians(&mut [&mut ours, &mut native]);
            assert_eq!(runs[0].nodes, runs[1].nodes, "e-nodes in the two languages");
            let ms = |run: &Run| run.seconds * 1e3;
            println!("| {} | {:.1} | {:.1} |", workload.name, ms(&runs[0]), ms(&runs[1]));
        }
    }
}

/// What is wrong with the sizes of a row.
fn complaints(workload: &Workload, row: &Row) -> Vec<String> {
    let mut complaints = Vec::new();
    let size = (row.cairn.nodes, row.cairn.classes);
    if let Stop::Saturated(Some(expected)) = workload.stop
        && size != expected
    {
        complaints.push(format!("{}: {size:?} is not {expected:?}", row.name));
    }
    if !row.same() {
        let theirs = row.egg.map(|egg| egg.map(|run| (run.nodes, run.classes)));
        complaints.push(format!("{}: {size:?} is not what egg has: {theirs:?}", row.name));
    }
    complaints
}
