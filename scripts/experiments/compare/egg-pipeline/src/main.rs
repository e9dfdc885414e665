//! What `cairn generate` does, as a straightforward program over egg 0.11, to compare with:
//! an e-graph a seed, with explanations → terms of the seed's class, uniform by counts → proofs
//! of pairs → (start, guide, target) triples as tab-separated text. `scripts/experiments/compare/pipelines.py`
//! runs it beside Cairn.
//!
//!     egg-pipeline --system FILE --seeds FILE --out FILE [--optimise 1] [--KEY NUMBER …]
//!     egg-pipeline --system FILE --seeds FILE --bytes 1 [--nodes N]
//!
//! The rule file, the meaning of its conditions, the caps and the order of work are Cairn's. Left
//! out are: checking proofs, shortening them (but for egg's own `--optimise 1`),
//! dropping duplicates, splitting by seed, Parquet. `--bytes 1` only grows the e-graphs, of egg and
//! of Cairn, and prints their bytes per e-node.

#[allow(dead_code)] // its benchmark uses all of it
#[path = "../../../../../egraph/benches/peers/allocator.rs"]
mod allocator;
mod bytes;
mod counting;
mod draw;
#[path = "../../../../../egraph/benches/peers/egg_language.rs"]
mod egg_language;
#[path = "../../../../../egraph/benches/peers/egg_rules.rs"]
mod egg_rules;
mod grow;
mod options;
mod proofs;
mod random;
mod sampling;
mod text;

use crate::grow::{Rules, grow};
use crate::options::Options;
use crate::proofs::Proofs;
use crate::random::Random;
use egraph::{System, TermBank, TermId};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::sync::Arc;
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: allocator::Counting = allocator::Counting;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = Options::from_arguments()?;
    let system = Arc::new(System::load(options.system.as_ref())?);
    let mut bank = TermBank::new(system.language.clone());
    let seeds = read_seeds(&options, &mut bank)?;
    if options.bytes {
        println!("{}", bytes::measure(&system, &bank, &seeds, options.nodes));
        return Ok(());
    }
    allocator::stop();
    let rules = Rules::new(&system);
    let mut out = BufWriter::new(File::create(&options.out)?);
    let mut proofs = Proofs::default();
    let (mut e_nodes, mut terms, mut sampling_seconds) = (0, 0, 0.0);
    for (number, &seed) in seeds.iter().enumerate() {
        let mut random = Random(options.seed << 32 | number as u64);
        let mut grown = grow(&system, &rules, &bank, seed, options.nodes);
        if !options.optimise {
            grown.egraph = grown.egraph.without_explanation_length_optimization();
        }
        e_nodes += grown.egraph.total_number_of_nodes();
        let began = Instant::now();
        let drawn = sampling::terms(&grown, bank.size(seed), &options, &mut random);
        sampling_seconds += began.elapsed().as_secs_f64();
        terms += drawn.len();
        for triple in proofs.triples(&mut grown, &drawn, &options, &mut random) {
            writeln!(out, "{number}\t{triple}")?;
        }
    }
    out.flush()?;
    let Proofs { pairs, triples, too_long, too_large, too_short, seconds, .. } = proofs;
    println!(
        "{{\"seeds\": {}, \"e_nodes\": {e_nodes}, \"terms\": {terms}, \"pairs\": {pairs}, \
         \"kept\": {}, \"too_long\": {too_long}, \"too_large\": {too_large}, \
         \"too_short\": {too_short}, \"triples\": {triples}, \"mean_steps\": {:.2}, \
         \"median_steps\": {}, \"sampling_seconds\": {sampling_seconds:.3}, \
         \"proof_seconds\": {seconds:.3}}}",
        seeds.len(),
        proofs.lengths.len(),
        proofs.mean(),
        proofs.median()
    );
    Ok(())
}

/// A term a line; `;` begins a comment.
fn read_seeds(
    options: &Options,
    bank: &mut TermBank,
) -> Result<Vec<TermId>, Box<dyn std::error::Error>> {
    let text = std::fs::read_to_string(&options.seeds)?;
    let lines = text.lines().map(|line| line.split(';').next().unwrap_or("").trim());
    let mut seeds = Vec::new();
    for line in lines.filter(|line| !line.is_empty()) {
        seeds.push(bank.parse(line, None).map_err(|e| format!("{line}: {e:?}"))?);
    }
    Ok(seeds)
}
