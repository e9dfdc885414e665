//! Which triples are admitted to a dataset, in bounded memory however large it is.
//!
//! What was seen of a small dataset is kept in memory. Of a large one, all triples are surveyed
//! first: their digests go to buckets on disk, each of which is judged by itself, for triples that
//! are alike are in one bucket. When the triples come again, in the same order, there is a verdict
//! for each.

use crate::config::Splits;
use crate::dataset::duplicates::{Digests, Seen, Verdict};
use crate::splits::split::Split;
use crate::triples::triple_rows::Triple;
use anyhow::{Context, Result};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

/// At most this number of triples is kept in memory: they fit in tables of 2²¹ places, some 110 MB.
const IN_MEMORY: u64 = 1_800_000;
/// Most buckets: open files.
const MOST_BUCKETS: u64 = 256;

/// Judges the triples of a dataset one after the other.
#[derive(Debug)]
pub struct Admission {
    splits: Splits,
    known: Known,
    /// Triples that were there already.
    pub repeated: u64,
    /// Triples whose (start, target) is in another split.
    pub shared: u64,
}

#[derive(Debug)]
enum Known {
    /// What came so far.
    Seen(Seen),
    /// By bucket: a byte for each of its triples.
    Verdicts(Vec<BufReader<File>>),
}

impl Admission {
    /// Of a dataset that needs no survey.
    pub fn new(splits: Splits) -> Admission {
        Admission { splits, known: Known::Seen(Seen::default()), repeated: 0, shared: 0 }
    }

    /// Those of some triples that belong into the dataset, see [`Admission::admit`].
    ///
    /// # Errors
    /// As [`Admission::admit`].
    pub fn admitted(&mut self, split: Split, triples: Vec<Triple>) -> Result<Vec<Triple>> {
        let mut admitted = Vec::with_capacity(triples.len());
        for triple in triples {
            if self.admit(split, &triple)? {
                admitted.push(triple);
            }
        }
        Ok(admitted)
    }

    /// Whether a triple belongs into the dataset. The splits come in
    /// [`ORDER`](crate::dataset::duplicates::ORDER); after a survey, the triples as they came there.
    ///
    /// # Errors
    /// What the file system says.
    pub fn admit(&mut self, split: Split, triple: &Triple) -> Result<bool> {
        let digests = Digests::of(triple, self.splits);
        let verdict = match &mut self.known {
            Known::Seen(seen) => seen.judge(split, digests),
            Known::Verdicts(buckets) => {
                let bucket = bucket_of(digests, buckets.len());
                let mut byte = [0];
                buckets[bucket].read_exact(&mut byte).context(TEMPORARY)?;
                VERDICTS[usize::from(byte[0])]
            }
        };
        self.repeated += u64::from(verdict == Verdict::Repeated);
        self.shared += u64::from(verdict == Verdict::Shared);
        Ok(verdict == Verdict::Admitted)
    }
}

const TEMPORARY: &str = "cannot use a temporary file";
const VERDICTS: [Verdict; 3] = [Verdict::Admitted, Verdict::Repeated, Verdict::Shared];
/// Bytes of a triple in a bucket: two digests and the split.
const RECORD: usize = 33;

fn bucket_of(digests: Digests, buckets: usize) -> usize {
    (digests.ends % buckets as u128) as usize
}

/// Goes through the triples of a large dataset before they are admitted.
#[derive(Debug)]
pub struct Survey {
    splits: Splits,
    buckets: Vec<BufWriter<File>>,
}

impl Survey {
    /// Whether a dataset is so large that it needs a survey: with at most so many triples.
    pub fn is_needed(most: u64) -> bool {
        most > IN_MEMORY
    }

    /// How often all triples are gone through, of at most so many: twice if they need a survey.
    pub fn passes(most: u64) -> u64 {
        1 + u64::from(Survey::is_needed(most))
    }

    /// Of at most about so many triples, with temporary files in `directory`, which have no names
    /// there and vanish with the process.
    ///
    /// # Errors
    /// What the file system says.
    pub fn new(most: u64, splits: Splits, directory: &Path) -> Result<Survey> {
        let count = most.div_ceil(IN_MEMORY).clamp(1, MOST_BUCKETS);
        let file = |_| Ok(BufWriter::new(tempfile::tempfile_in(directory).context(TEMPORARY)?));
        Ok(Survey { splits, buckets: (0..count).map(file).collect::<Result<_>>()? })
    }

    /// The next triple.
    ///
    /// # Errors
    /// What the file system says.
    pub fn add(&mut self, split: Split, triple: &Triple) -> Result<()> {
        let digests = Digests::of(triple, self.splits);
        let mut record = [0; RECORD];
        record[..16].copy_from_slice(&digests.ends.to_le_bytes());
        record[16..32].copy_from_slice(&digests.triple.to_le_bytes());
        record[32] = split as u8;
        let bucket = bucket_of(digests, self.buckets.len());
        self.buckets[bucket].write_all(&record).context(TEMPORARY)
    }

    /// Judges all of them, in `directory` as before.
    ///
    /// # Errors
    /// What the file system says.
    pub fn finish(self, directory: &Path) -> Result<Admission> {
        let mut verdicts = Vec::with_capacity(self.buckets.len());
        for bucket in self.buckets {
            let file = bucket.into_inner().map_err(|e| e.into_error()).context(TEMPORARY)?;
            verdicts.push(judge(file, directory).context(TEMPORARY)?);
        }
        let known = Known::Verdicts(verdicts);
        Ok(Admission { known, ..Admission::new(self.splits) })
    }
}

/// The verdicts about the triples of a bucket, in order.
fn judge(mut bucket: File, directory: &Path) -> Result<BufReader<File>> {
    bucket.rewind()?;
    let mut records = BufReader::new(bucket);
    let mut verdicts = BufWriter::new(tempfile::tempfile_in(directory)?);
    let mut seen = Seen::default();
    while !records.fill_buf()?.is_empty() {
        let mut record = [0; RECORD];
        records.read_exact(&mut record)?;
        let (ends, rest) = record.split_at(16);
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, &b| n << 8 | u128::from(b));
        let digests = Digests { ends: number(ends), triple: number(&rest[..16]) };
        let split = Split::ALL[usize::from(rest[16])];
        let verdict = seen.judge(split, digests);
        let code = VERDICTS.iter().position(|v| *v == verdict).unwrap_or_default();
        verdicts.write_all(&[code as u8])?;
    }
    let mut verdicts = verdicts.into_inner().map_err(|e| e.into_error())?;
    verdicts.rewind()?;
    Ok(BufReader::new(verdicts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::duplicates::ORDER;
    use support::random::{index_below, stream};

    #[test]
    fn a_survey_gives_the_same_verdicts_as_memory() {
        let mut rng = stream(1, 1);
        let mut triples = Vec::new();
        for split in ORDER {
            for _ in 0..2_000 {
                let mut term = || format!("v{}", index_below(25, &mut rng));
                let (start, guide, target) = (term(), term(), term());
                triples.push((split, Triple { start, guide, target, ..Triple::default() }));
            }
        }
        let splits = Splits::default();
        let directory = tempfile::tempdir().unwrap();
        let judged = |mut admission: Admission| {
            let admit =
                |(split, triple): &(Split, Triple)| admission.admit(*split, triple).unwrap();
            let admitted: Vec<bool> = triples.iter().map(admit).collect();
            (admitted, admission.repeated, admission.shared)
        };
        let (admitted, repeated, shared) = judged(Admission::new(splits));
        assert!(repeated > 100 && shared > 1_000);
        for most in [1, 3 * IN_MEMORY, u64::MAX] {
            let mut survey = Survey::new(most, splits, directory.path()).unwrap();
            triples.iter().for_each(|(split, triple)| survey.add(*split, triple).unwrap());
            let found = judged(survey.finish(directory.path()).unwrap());
            assert_eq!(found, (admitted.clone(), repeated, shared));
        }
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
