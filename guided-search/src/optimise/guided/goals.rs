//! Terms with a goal each, from text (a term and a sketch a line) or CSV (columns `start` and `goal`).

use anyhow::{Result, ensure};
use egraph::{Sketch, System, TermBank};
use support::hash::sha256;
use support::{InputFile, text_of};
use terms::{Layout, Seed, TermFile};

const LAYOUT: Layout<2> = Layout { columns: ["start", "goal"], line: "a term and a sketch" };

/// Reads a file of terms with goals, and gives its SHA-256, too.
///
/// # Errors
/// A file that can't be read, a term or a sketch that is none of `system`'s language or of different sorts (with
/// file, line and column), none at all.
pub fn load_goals(
    file: &InputFile,
    system: &System,
    bank: &mut TermBank,
) -> Result<(Vec<Seed>, Vec<Sketch>, String)> {
    let bytes = file.read("terms with goals")?;
    let hash = sha256(&bytes);
    let path = file.path();
    let lines = TermFile::new(file.to_string(), path, text_of(bytes, path)?);
    let (mut terms, mut goals) = (Vec::new(), Vec::new());
    for line in lines.lines(LAYOUT)? {
        let line = line?;
        let term = bank.read(&line.terms[0], None).map_err(|e| line.term_error(0, &e))?;
        let sort = Some(bank.sort(term));
        let goal = Sketch::read(&system.language, &line.terms[1], sort);
        goals.push(goal.map_err(|e| line.term_error(1, &e))?);
        let id = line.id.unwrap_or_else(|| line.number.to_string());
        terms.push(Seed { id, term });
    }
    ensure!(!terms.is_empty(), "{file} holds no term: expected at least one with its goal");
    Ok((terms, goals, hash))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(name: &str, text: &str) -> Result<Vec<String>> {
        let system = "(sort I) (sort B) (variable I) (op + (I I) I) (op < (I I) B)";
        let system = System::parse(system).unwrap();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let (terms, goals, _) = load_goals(&path.into(), &system, &mut bank)?;
        let shown = |(seed, goal): (&Seed, &Sketch)| {
            let goal = goal.display(&system.language);
            format!("{} {} {goal}", seed.id, bank.display(seed.term))
        };
        Ok(terms.iter().zip(&goals).map(shown).collect())
    }

    #[test]
    fn a_line_has_a_term_and_its_goal() {
        let text = "(+ a b) (+ b ?) ; a comment\n\n(< a b) (contains (+ b a))\n";
        let all = ["1 (+ a b) (+ b ?)", "3 (< a b) (contains (+ b a))"];
        assert_eq!(load("t.txt", text).unwrap(), all);
        let csv = "goal,id,start\n(+ b ?),x,(+ a b)\n";
        assert_eq!(load("t.csv", csv).unwrap(), ["x (+ a b) (+ b ?)"]);
    }

    #[test]
    fn what_is_wrong_has_its_place() {
        let message = |name: &str, text: &str| load(name, text).unwrap_err().to_string();
        assert!(message("t.txt", "(+ a b)\n").contains("t.txt:1:"));
        assert!(message("t.txt", "(+ a b) (- b ?)\n").contains("t.txt:1:10: unknown operator '-'"));
        assert!(message("t.txt", "(+ a b) (< b ?)\n").contains("t.txt:1:9: "));
        assert!(message("t.txt", "; none\n").contains("holds no term"));
    }
}
