//! Many short searches on one thread of one process: what a caller pays for each.
//!
//!     cargo bench --workspace --bench calls [-- RUNS]
//!
//! `python/benches/overhead.py` does the same from Python, in turn with this. The questions are those of
//! `questions.txt`, gone through in order until there are 10,000.

use anyhow::{Context, Result};
use egraph::{System, TermBank};
use guided_search::{
    Aids, Asked, Budget, Cap, Method, Question, Schedulers, SearchSettings, read_texts,
};
use std::sync::Arc;
use std::time::Instant;

const CALLS: usize = 10_000;

fn main() -> Result<()> {
    let rules = include_str!("../../configs/systems/halide.rules");
    let system = Arc::new(System::parse(rules)?);
    let questions: Vec<(&str, &str)> = include_str!("questions.txt")
        .lines()
        .map(|line| line.split_once(" = ").context("expected two terms with ' = ' between"))
        .collect::<Result<_>>()?;
    let method: Method = "deep".parse().map_err(anyhow::Error::msg)?;
    let budget = Budget { cap: Cap::Nodes(4_000), work: 80_000, scheduler: Schedulers::Auto };
    let settings = SearchSettings::within(budget, 0);
    // Cargo hands on options of its own, too.
    let count = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(5);
    let mut runs = Vec::new();
    for _ in 0..count {
        let began = Instant::now();
        let mut proved = 0;
        for (start, target) in questions.iter().cycle().take(CALLS) {
            let mut bank = TermBank::new(system.language.clone());
            let terms = read_texts(&mut bank, &[("start", start), ("target", target)])?;
            let ends = [terms[0], terms[1]];
            let answer = method.answer(&mut Asked {
                system: &system,
                bank: &mut bank,
                question: Question { ends, number: 0, deadline: None, cancel: None, threads: 1 },
                settings,
                aids: Aids::default(),
            })?;
            proved += usize::from(answer.result.is_ok());
        }
        let seconds = began.elapsed().as_secs_f64();
        println!("{CALLS} calls, {proved} proved: {seconds:.3} s");
        runs.push(seconds);
    }
    runs.sort_by(f64::total_cmp);
    if let Some(median) = runs.get(runs.len() / 2) {
        println!("median {median:.3} s, {:.1} µs a call", 1e6 * median / CALLS as f64);
    }
    Ok(())
}
