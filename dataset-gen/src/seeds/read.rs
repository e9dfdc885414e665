//! Seed terms, from text (a term a line) or CSV (a column `expression`).

use crate::seeds::term_file::{Layout, TermFile};
use anyhow::{Result, ensure};
use egraph::{System, TermBank, TermId};
use support::hash::sha256;
use support::{InputFile, text_of};

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
/// and everything after a `;` are comments.
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

const LAYOUT: Layout<1> = Layout { columns: ["expression"], line: "one term a line" };

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::anyhow;

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
