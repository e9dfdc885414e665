//! A dataset of proofs that searches found: what leads to a goal, for a model that plans.

use crate::config::Config;
use crate::dataset::assemble::{assemble, found_or_made, refuse_other};
use crate::dataset::info::DatasetInfo;
use crate::dataset::provenance::{Provenance, Totals};
use crate::proofs::checked::check_all;
use crate::proofs::drawn::ClassReport;
use crate::proofs::one_seed::SeedReport;
use crate::proofs::packed::PackedRow;
use crate::proofs::proof_rows::ProofRow;
use crate::proofs::prover::ProofTally;
use crate::splits::assign_splits::divide;
use crate::splits::split::Split;
use crate::triples::segments::Scheme;
use anyhow::{Context, Result, ensure};
use egraph::{StopReason, System, TermBank};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use support::hash::sha256;
use support::{Progress, Run};
use terms::digest;
use terms::{rename_literals, rename_variables};

/// What is needed of a proof beside it.
struct Described {
    /// Its start and what was wanted, in normal form.
    key: String,
    /// Of its terms and of which part was wanted.
    hash: String,
    /// What is reported of it, but for the split.
    report: SeedReport,
}

/// Makes a dataset in the new directory `out` of proofs of a system, whose rows have the ids of their tasks; `rules`
/// is the text of the system. Two proofs with the same start and the same wanted part, after renaming, are in one
/// split. Of the configuration the splitting, the shares of the splits and the sizes of files count.
///
/// # Errors
/// No proof, or one that is wrong; a directory that holds something else, no triple at all, or what the file
/// system says.
pub fn dataset_of(
    proofs: Vec<PackedRow>,
    (system, rules): (&System, &[u8]),
    config: &Config,
    out: &Path,
    run: &Run,
) -> Result<DatasetInfo> {
    config.validate()?;
    refuse_other(out)?;
    ensure!(!proofs.is_empty(), "no proof to make a dataset of");
    let row_of = |number: usize| -> Result<ProofRow> {
        let row = proofs[number].row()?;
        Ok(ProofRow { id: number as u64, seed: number as u32, ..row })
    };
    let pool = run.build_pool()?;
    let describe = |number: usize| -> Result<Described> {
        let row = row_of(number)?;
        check_all(system, std::slice::from_ref(&row))?;
        describe(&row, system, config)
    };
    let numbers = (0..proofs.len()).into_par_iter();
    let described: Vec<Described> =
        pool.install(|| numbers.map(describe).collect::<Result<_>>())?;
    let keys: Vec<String> = described.iter().map(|one| one.key.clone()).collect();
    let splits = divide(keys, config.splits, run.seed);
    let hashes: String = described.iter().map(|one| one.hash.as_str()).collect();
    let reports = described.into_iter().zip(&splits);
    let reports: Vec<SeedReport> =
        reports.map(|(one, &split)| SeedReport { split, ..one.report }).collect();
    let provenance = Provenance {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        system_hash: system.hash.clone(),
        seeds_hash: sha256(hashes.as_bytes()),
        seed: run.seed,
        config: config.clone(),
        found: true,
        files: BTreeMap::new(),
        totals: Totals::default(),
        seeds: Vec::new(),
    };
    let totals = Totals::of(&reports);
    let most = totals.proofs.triples;
    let whole = Provenance { totals, seeds: reports, ..provenance.clone() };
    pool.install(|| {
        found_or_made(out, "found ", &provenance, |staged| {
            let progress = Progress::new("proofs", proofs.len() as u64, run.quiet);
            let made = assemble(staged, system, rules, whole, most, &mut |split, sink| {
                for number in (0..proofs.len()).filter(|&number| splits[number] == split) {
                    sink(vec![row_of(number)?])?;
                    progress.advance(1);
                }
                Ok(())
            });
            progress.finish();
            made
        })
    })
}

fn describe(row: &ProofRow, system: &System, config: &Config) -> Result<Described> {
    let mut bank = TermBank::new(system.language.clone());
    let line = match config.splitting.scheme {
        Scheme::Ahead => row.lineage(system, &mut bank),
        // What is between the ends need not be read.
        _ => row.read_terms(&mut bank, [0, row.steps()].into_iter()),
    };
    let line = line.with_context(|| format!("task {}", row.seed_id))?;
    let (start, wanted) = (line[0], line[line.len() - 1]);
    let steps = if config.splitting.scheme == Scheme::Ahead { line.len() - 1 } else { row.steps() };
    let normal = rename_variables(&mut bank, &[start, wanted]).into_iter();
    let mut texts: Vec<String> = normal.map(|term| bank.text(term)).collect();
    if config.splits.literals {
        texts = rename_literals([&texts[0], &texts[1]]).to_vec();
    }
    let size = bank.size(start);
    let tally = ProofTally {
        proofs: 1,
        kept: 1,
        steps: row.steps() as u64,
        unshortened: u64::from(row.unshortened),
        triples: config.splitting.segments(steps).len() as u64,
        ..ProofTally::default()
    };
    let report = SeedReport {
        seed: row.seed,
        id: row.seed_id.clone(),
        split: Split::Train,
        digest: digest(&mut bank, start, config.splits.literals),
        size,
        stop: StopReason::Goal,
        iterations: 0,
        e_nodes: 0,
        e_classes: 0,
        classes: vec![ClassReport { size, terms: 2, proofs: tally, ..ClassReport::default() }],
        chains: Default::default(),
    };
    let hash = sha256(format!("{:?}", (&row.terms, &row.place)).as_bytes());
    Ok(Described { key: texts.join(" "), hash, report })
}
