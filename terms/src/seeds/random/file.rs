//! Files of random seeds: how they are written, and how they are recognised.

use crate::seeds::random::draws::RandomSeed;
use anyhow::{Result, ensure};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use support::{FileKind, OutputFile, first_bytes};

const FIRST_LINE: &str = "; Random terms by cairn seeds ";
const COLUMNS: &str = "id,expression\n";
const ID: &str = "random-";

/// A file that is to be written, whose name ends in `.txt` (a term a line, after comments) or
/// `.csv` (columns `id` and `expression`).
#[derive(Clone, Debug)]
pub struct SeedFile {
    file: OutputFile,
    is_csv: bool,
}

impl SeedFile {
    /// Looks whether the file can be written: it replaces random seeds only, not others.
    ///
    /// # Errors
    /// The name ends otherwise, or as [`OutputFile::new`].
    pub fn new(path: &Path) -> Result<SeedFile> {
        let ends_in = |end: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(end));
        ensure!(
            ends_in("txt") || ends_in("csv"),
            "--out {}: expected a name that ends in .txt or .csv",
            path.display()
        );
        let recognise = |path: &Path| {
            first_bytes(path).is_ok_and(|text| {
                text.starts_with(FIRST_LINE)
                    || text.strip_prefix(COLUMNS).is_some_and(|rows| rows.starts_with(ID))
            })
        };
        let kind = FileKind { name: "a file of random seeds", recognise };
        Ok(SeedFile { file: OutputFile::new(path, kind)?, is_csv: ends_in("csv") })
    }

    /// Writes the whole file. `origin` says how the seeds were made, in lines; CSV has no place
    /// for it.
    ///
    /// # Errors
    /// As [`OutputFile::write`].
    pub fn write(&self, seeds: &[RandomSeed], origin: &[String]) -> Result<()> {
        let text = if self.is_csv { csv(seeds) } else { lines(seeds, origin) };
        self.file.write(|file| Ok(file.write_all(text.as_bytes())?))
    }
}

fn lines(seeds: &[RandomSeed], origin: &[String]) -> String {
    let mut text = format!("{FIRST_LINE}{}\n", env!("CARGO_PKG_VERSION"));
    origin.iter().for_each(|line| text += &format!("; {line}\n"));
    seeds.iter().for_each(|seed| text += &format!("{}\n", seed.text));
    text
}

fn csv(seeds: &[RandomSeed]) -> String {
    let mut text = COLUMNS.to_owned();
    for RandomSeed { size, draw, text: term } in seeds {
        // Operators may have any names.
        let quoted = term.contains([',', '"']);
        let term = if quoted { format!("\"{}\"", term.replace('"', "\"\"")) } else { term.clone() };
        let _ = writeln!(text, "{ID}{size}-{draw},{term}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seeds::read::load_seeds;
    use egraph::{System, TermBank};

    #[test]
    fn both_kinds_are_read_as_they_were_written_and_replaced() {
        let system = System::parse("(sort I) (variable I) (op a,\"b (I I) I)").unwrap();
        let directory = tempfile::tempdir().unwrap();
        let term = "(a,\"b v0 v1)".to_owned();
        let seeds = [RandomSeed { size: 3, draw: 7, text: term.clone() }];
        for (name, id) in [("s.txt", "3"), ("s.CSV", "random-3-7")] {
            let path = directory.path().join(name);
            for _ in 0..2 {
                SeedFile::new(&path).unwrap().write(&seeds, &["of 3 nodes".into()]).unwrap();
            }
            let mut bank = TermBank::new(system.language.clone());
            let read = load_seeds(&path.clone().into(), &system, &mut bank, None).unwrap();
            assert_eq!((read[0].id.as_str(), bank.text(read[0].term)), (id, term.clone()));
            assert_eq!(read.len(), 1);
        }
    }

    #[test]
    fn other_seeds_are_kept() {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in [("s.txt", "(+ a b)\n"), ("s.csv", "id,expression\n1,(+ a b)\n")] {
            let path = directory.path().join(name);
            std::fs::write(&path, text).unwrap();
            let refused = SeedFile::new(&path).unwrap_err().to_string();
            assert!(refused.contains("exists and is not a file of random seeds"), "{refused}");
        }
        let refused = SeedFile::new(&directory.path().join("s.parquet")).unwrap_err().to_string();
        assert!(refused.contains("expected a name that ends in .txt or .csv"), "{refused}");
    }
}
