//! (start, guide, target) triples, and their Parquet files in the Hugging Face layout.

use crate::splits::split::Split;
use anyhow::Result;
use egraph::ParseError;
use egraph::{TermBank, TermId};
use serde::Serialize;
use std::path::Path;
use support::{NumberedFiles, Record, columns_of, numbered_files, read_table};
use terms::sort_of;

/// A piece of a proof: from `start` over `guide` to `target`, as s-expressions whose variables
/// are in normal form over (start, target, guide).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Triple {
    /// Number of the row, unique in its dataset.
    pub id: u64,
    /// Index of the seed, from 0, in the order of the seed file.
    pub seed: u32,
    /// The seed's id in the seed file.
    pub seed_id: String,
    /// Number of the proof that this is a piece of.
    pub proof: u64,
    /// Where the proof starts.
    pub start: String,
    /// A term half-way.
    pub guide: String,
    /// Where the proof ends.
    pub target: String,
    /// Number of rewrite steps from start to guide.
    pub steps_start_guide: u32,
    /// Number of rewrite steps from guide to target.
    pub steps_guide_target: u32,
    /// Number of nodes of the start.
    pub start_size: u32,
    /// Number of nodes of the guide.
    pub guide_size: u32,
    /// Number of nodes of the target.
    pub target_size: u32,
    /// How often the proof was halved: 0 for a whole proof, and for a window.
    pub depth: u32,
}

impl Triple {
    /// Number of rewrite steps from start to target.
    pub fn steps(&self) -> u32 {
        self.steps_start_guide.saturating_add(self.steps_guide_target)
    }

    /// The terms [start, guide, target], read into `bank`.
    ///
    /// The three have one sort, also where one is a lone literal.
    ///
    /// # Errors
    /// A text that is not a term of the bank's language, or not of the sort of the others.
    pub fn terms(&self, bank: &mut TermBank) -> Result<[TermId; 3], ParseError> {
        let texts = [&self.start, &self.guide, &self.target];
        let sort = sort_of(bank, texts)?;
        let mut terms = [TermId(0); 3];
        for (term, text) in terms.iter_mut().zip(texts) {
            *term = bank.parse(text, sort)?;
        }
        Ok(terms)
    }
}

impl Record for Triple {
    const NAME: &'static str = "triples";
    const ROW_GROUP: usize = 16_384;
    const BATCH: usize = 1_024;

    columns_of!(Triple: id, seed, seed_id, proof, start, guide, target, steps_start_guide, steps_guide_target, start_size, guide_size, target_size, depth);
}

/// Reads all triples of a split of the dataset in `directory`.
///
/// # Errors
/// A file is missing, is not a whole Parquet file, or a column is missing, has another type or
/// has nulls: the file and the column are named.
pub fn read_triples(directory: &Path, split: Split) -> Result<Vec<Triple>> {
    let mut triples = Vec::new();
    for file in numbered_files(&directory.join(split.data()))? {
        triples.extend(read_table::<Triple>(&file)?);
    }
    Ok(triples)
}

/// Writes all triples of a split of a dataset in `directory`, as one file.
///
/// # Errors
/// What Parquet or the file system says.
pub fn write_triples(directory: &Path, split: Split, triples: &[Triple]) -> Result<()> {
    let stem = directory.join(split.data());
    stem.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    let mut files = NumberedFiles::new(&stem, usize::MAX);
    files.write(triples)?;
    files.finish::<Triple>()?;
    Ok(())
}
