//! Seed terms, from text (a term a line), CSV (a column `expression`) or Parquet (a column `term`).

use crate::seeds::term_file::{Layout, TermFile};
use anyhow::{Result, anyhow, ensure};
use egraph::{System, TermBank, TermId};
use std::collections::BTreeSet;
use support::hash::sha256;
use support::{InputFile, Record, columns_of, read_table, text_of};

/// A term to grow an e-graph from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seed {
    /// The column `id` of a CSV file if there is one, otherwise the line number in the file.
    pub id: String,
    /// The term, in the bank it was read into.
    pub term: TermId,
}

/// Reads the first `limit` seeds of a file (all of them without a limit).
///
/// A file that ends in `.csv` has a header with a column `expression`, perhaps a column `id`,
/// and any others. Any other file holds one term a line; blank lines, lines that start with `#`
/// and everything after a `;` are comments. A Parquet file, which is told by how it begins, has a column `term`,
/// perhaps a column `id`, both of strings, and any others.
///
/// # Errors
/// A file that can't be read, a term that is not one of `system`'s language (with file, line and
/// column), no seed at all.
pub fn load_seeds(
    file: &InputFile,
    system: &System,
    bank: &mut TermBank,
    limit: Option<usize>,
) -> Result<Vec<Seed>> {
    load_seeds_with_hash(file, system, bank, limit).map(|(seeds, _)| seeds)
}

/// As [`load_seeds`]; also gives the SHA-256 of the file, which is read once.
///
/// # Errors
/// As [`load_seeds`].
pub fn load_seeds_with_hash(
    file: &InputFile,
    system: &System,
    bank: &mut TermBank,
    limit: Option<usize>,
) -> Result<(Vec<Seed>, String)> {
    debug_assert_eq!(**bank.language(), *system.language, "a bank of another language");
    let bytes = file.read("seeds")?;
    let hash = sha256(&bytes);
    let path = file.path();
    if bytes.starts_with(PARQUET) {
        let seeds = from_table(file, bank, limit)?;
        return Ok((seeds, hash));
    }
    let text = text_of(bytes, path)?;
    let terms = TermFile::new(file.to_string(), path, text);
    let mut seeds = Vec::new();
    for line in terms.lines(LAYOUT)?.take(limit.unwrap_or(usize::MAX)) {
        let line = line?;
        let term = bank.read(&line.terms[0], None).map_err(|e| line.term_error(0, &e))?;
        seeds.push(Seed { id: line.id.unwrap_or_else(|| line.number.to_string()), term });
    }
    ensure!(!seeds.is_empty(), "{file} holds no seed: expected at least one term");
    Ok((seeds, hash))
}

/// How Parquet files begin.
const PARQUET: &[u8] = b"PAR1";

/// A row of a table of terms.
struct TermRow {
    id: Option<String>,
    term: String,
}

impl Record for TermRow {
    const NAME: &'static str = "terms";
    const ROW_GROUP: usize = 16_384;
    const BATCH: usize = 1_024;
    const LATER: &'static [&'static str] = &["id"];

    columns_of!(TermRow: id, term);
}

/// The terms of a table. An id says where a term stands, so no two rows have the same.
fn from_table(file: &InputFile, bank: &mut TermBank, limit: Option<usize>) -> Result<Vec<Seed>> {
    let rows: Vec<TermRow> = read_table(file.path())?;
    let mut seeds = Vec::new();
    let mut ids = BTreeSet::new();
    for (number, row) in (1u64..).zip(rows).take(limit.unwrap_or(usize::MAX)) {
        let term = bank
            .parse(&row.term, None)
            .map_err(|mistake| anyhow!("{file}, row {number}, column 'term': {mistake}"))?;
        let id = row.id.unwrap_or_else(|| number.to_string());
        ensure!(ids.insert(id.clone()), "{file}, row {number}: the id '{id}' was there before");
        seeds.push(Seed { id, term });
    }
    ensure!(!seeds.is_empty(), "{file} holds no seed: expected at least one term");
    Ok(seeds)
}

const LAYOUT: Layout<1> = Layout { columns: ["expression"], line: "one term a line" };

#[cfg(test)]
mod tests {
    use super::*;
    use support::write_table;

    fn load(name: &str, text: &str, limit: Option<usize>) -> Result<Vec<(String, String)>> {
        let system = System::parse(
            "(sort I) (sort B) (literal i64 I) (variable I) (op + (I I) I) (op < (I I) B)",
        )
        .unwrap();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let seeds = load_seeds(&path.clone().into(), &system, &mut bank, limit)
            .map_err(|e| anyhow!("{}", e.to_string().replace(&path.display().to_string(), name)))?;
        Ok(seeds.into_iter().map(|s| (s.id, bank.text(s.term))).collect())
    }

    fn message(name: &str, text: &str) -> String {
        load(name, text, None).unwrap_err().to_string()
    }

    fn pair(id: &str, text: &str) -> (String, String) {
        (id.to_owned(), text.to_owned())
    }

    #[test]
    fn text_has_a_term_a_line_and_comments() {
        let text = "# seeds\n\n(+ a 1) ; first\n; none\n  (< a b)\n";
        let all = [pair("3", "(+ a 1)"), pair("5", "(< a b)")];
        assert_eq!(load("s.txt", text, None).unwrap(), all);
        assert_eq!(load("s.txt", text, Some(1)).unwrap(), all[..1]);
    }

    #[test]
    fn parquet_takes_the_column_of_terms() {
        let row = |id: Option<&str>, term: &str| TermRow {
            id: id.map(str::to_owned),
            term: term.to_owned(),
        };
        let read = |rows: &[TermRow], limit: Option<usize>| {
            let rules = "(sort I) (literal i64 I) (variable I) (op + (I I) I)";
            let system = System::parse(rules).unwrap();
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("t.parquet");
            write_table(&path, rows).unwrap();
            let mut bank = TermBank::new(system.language.clone());
            let seeds = load_seeds(&path.clone().into(), &system, &mut bank, limit)
                .map_err(|e| format!("{e:#}").replace(&path.display().to_string(), "t.parquet"))?;
            Ok::<_, String>(
                seeds.into_iter().map(|s| (s.id, bank.text(s.term))).collect::<Vec<_>>(),
            )
        };
        let rows = [row(Some("x"), "(+ a 1)"), row(None, "b")];
        assert_eq!(read(&rows, None).unwrap(), [pair("x", "(+ a 1)"), pair("2", "b")]);
        assert_eq!(read(&rows, Some(1)).unwrap(), [pair("x", "(+ a 1)")]);
        let wrong = read(&[row(None, "a"), row(None, "(+ a")], None).unwrap_err();
        assert!(wrong.starts_with("t.parquet, row 2, column 'term': "), "{wrong}");
        let twice = read(&[row(Some("2"), "a"), row(None, "b")], None).unwrap_err();
        assert_eq!(twice, "t.parquet, row 2: the id '2' was there before");
        assert!(read(&[], None).unwrap_err().contains("holds no seed"));
    }

    #[test]
    fn csv_takes_the_column_of_expressions() {
        let text = "note,id,expression\n\"a, \"\"b\"\"\",7,(+ a 1)\n,x,\"(< a b)\"\r\n";
        assert_eq!(
            load("s.csv", text, None).unwrap(),
            [pair("7", "(+ a 1)"), pair("x", "(< a b)")]
        );
        let unnamed = load("s.csv", "expression\n(+ a 1)\n", None).unwrap();
        assert_eq!(unnamed, [pair("2", "(+ a 1)")]);
    }

    #[test]
    fn mistakes_are_reported_where_they_stand() {
        assert_eq!(
            message("s.txt", "(+ a 1)\n  (+ a)"),
            "s.txt:2:3: operator '+' takes 2 arguments, found 1"
        );
        assert_eq!(message("s.txt", "a\n(** a b)"), "s.txt:2:2: unknown operator '**'");
        assert!(message("s.txt", "a (+ a b)").starts_with("s.txt:1:3: a second term"));
        assert_eq!(
            message("s.csv", "id,expression\n1,a\n2,\"(+ a (* b))\""),
            "s.csv:3:10: unknown operator '*'"
        );
        assert!(message("s.csv", "id,term\n1,a\n").contains("s.csv:1:1: expected a header"));
        let twice = "note,expression,expression\n,a,b\n";
        assert_eq!(message("s.csv", twice), "s.csv:1:17: a second column 'expression'");
        let twice = "id,expression\n1,a\n2,b\n1,c\n";
        assert_eq!(message("s.csv", twice), "s.csv:4:1: id '1' is that of line 2, too");
        assert!(
            message("s.csv", "id,expression\n1,a,b\n").contains("s.csv:2:1: expected 2 fields")
        );
    }

    #[test]
    fn no_seed_is_an_error() {
        assert!(message("s.txt", "; nothing\n").contains("s.txt holds no seed"));
        assert!(message("s.csv", "id,expression\n").contains("s.csv holds no seed"));
        assert!(message("s.csv", "").contains("the file is empty"));
    }
}
