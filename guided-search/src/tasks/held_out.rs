//! Seeds that training has not seen.

use anyhow::{Result, ensure};
use dataset_gen::dataset::info::DatasetInfo;
use dataset_gen::seeds::assign_splits::partition;
use dataset_gen::seeds::normal_form::rename_variables;
use dataset_gen::seeds::read::{Seed, load_seeds};
use dataset_gen::seeds::split::Split;
use egraph::{System, TermBank};
use rustc_hash::FxHashSet;
use std::path::Path;
use support::files::hash::sha256;
use support::files::input::InputFile;

/// The seeds that no training seed of the dataset in `data` equals after renaming of variables.
///
/// `dataset_seeds` is the file that the dataset was made from: with the dataset's own settings it
/// tells which seeds were trained on.
///
/// # Errors
/// A directory without a dataset, one of another rewrite system or of other seeds than those in
/// `dataset_seeds`, or no seed that is left.
pub fn held_out(
    seeds: Vec<Seed>,
    bank: &mut TermBank,
    system: &System,
    data: &Path,
    dataset_seeds: &InputFile,
) -> Result<Vec<Seed>> {
    let info = DatasetInfo::load(data)?;
    let data = data.display();
    ensure!(
        info.system_hash() == system.hash,
        "the dataset in {data} was made with another rewrite system"
    );
    let made = &info.cairn;
    ensure!(
        sha256(&dataset_seeds.read("seeds")?) == made.seeds_hash,
        "the dataset in {data} was made from other seeds than {dataset_seeds}: give its seed file with \
         --data-seeds"
    );
    let all = load_seeds(dataset_seeds, system, bank, made.config.limit)?;
    let splits = partition(bank, &all, made.config.splits, made.seed);
    let mut trained = FxHashSet::default();
    for (seed, _) in all.iter().zip(splits).filter(|(_, split)| *split == Split::Train) {
        trained.extend(rename_variables(bank, &[seed.term]));
    }
    let count = seeds.len();
    let left: Vec<Seed> = seeds
        .into_iter()
        .filter(|seed| {
            let normal = rename_variables(bank, &[seed.term]);
            normal.iter().all(|term| !trained.contains(term))
        })
        .collect();
    ensure!(!left.is_empty(), "the dataset in {data} trains on all of the {count} seeds");
    Ok(left)
}
