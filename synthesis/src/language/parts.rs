//! What small terms are made of: the operators of a rules file, some literals, and some variables of each sort.

use crate::language::word::WordOp;
use anyhow::{Result, anyhow, ensure};
use egraph::{
    Builtin, LiteralKind, OpId, Rule, Sexpr, SortId, System, Value, forms, parse_all, text_without,
};
use std::fmt::Write;
use std::sync::Arc;

/// An operator that is built in.
#[derive(Clone, Debug)]
pub struct Operator {
    /// Its name.
    pub name: String,
    /// Its number in the system.
    pub op: OpId,
    /// What it computes.
    pub builtin: Builtin,
    /// The sorts of its arguments.
    pub args: Vec<SortId>,
    /// The sort of its result.
    pub result: SortId,
    /// How it computes on words and truth values, if it is about nothing else.
    pub word: Option<WordOp>,
}

/// A variable that small terms have.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name; in a rule with a `?` before it.
    pub name: String,
    /// Its sort.
    pub sort: SortId,
    /// The kind of the values that it stands for.
    pub kind: LiteralKind,
}

/// What small terms are made of.
#[derive(Clone, Debug)]
pub struct Language {
    /// The rules file, with variables of every sort that terms have.
    pub text: String,
    /// That file, read.
    pub system: Arc<System>,
    /// The operators of one or two arguments, in the order of the file.
    pub operators: Vec<Operator>,
    /// The variables, sort by sort.
    pub variables: Vec<Variable>,
    /// The literals, sort by sort.
    pub literals: Vec<(SortId, Value)>,
}

/// More operators have no bit of their own in a set of operators.
const MOST_OPERATORS: usize = 64;
/// Assignments of so many bits are few.
pub const FEW: u32 = 16;

impl Language {
    /// That of a rules file, with so many variables of each sort, and literals as they are written; without any, 0 and 1.
    ///
    /// # Errors
    /// The file is no rules file, an operator is not built in, or a literal is none of any sort.
    pub fn read(
        name: &str,
        text: &str,
        variables: usize,
        literals: Option<&[String]>,
    ) -> Result<Language> {
        let read = |text: &str| System::parse(text).map_err(|error| anyhow!("{name}:{error}"));
        let system = read(text)?;
        let language = &system.language;
        let not_built_in: Vec<&str> = language
            .operators
            .iter()
            .filter(|op| op.builtin.is_none())
            .map(|op| op.name.as_str())
            .collect();
        ensure!(
            not_built_in.is_empty(),
            "{name}: {} not built in: rules are found by evaluating terms, so expected built-in operators, with their names and sorts",
            match not_built_in[..] {
                [one] => format!("operator {one} is"),
                _ => format!("operators {} are", not_built_in.join(" ")),
            }
        );
        ensure!(!language.operators.is_empty(), "{name}: expected at least one operator");
        ensure!(
            language.operators.len() <= MOST_OPERATORS,
            "{name}: expected at most {MOST_OPERATORS} operators"
        );
        let sorts = sorts_of(&system);
        let mut text = text.to_owned();
        for &sort in sorts.iter().filter(|sort| !language.variables.contains(sort)) {
            _ = write!(text, "\n(variable {})", language.sort_name(sort));
        }
        text.push('\n');
        let system = Arc::new(read(&text)?);
        let kind = |sort| {
            let has = "a built-in operator is over sorts with literals";
            system.language.literal_kind(sort).expect(has)
        };
        let all = system.language.operators.iter().enumerate();
        let operators = all.filter(|(_, op)| op.args.len() <= 2).map(|(number, op)| {
            let builtin = op.builtin.expect("operators without a meaning were refused");
            let kinds: Vec<LiteralKind> = op.args.iter().map(|&sort| kind(sort)).collect();
            Operator {
                name: op.name.clone(),
                op: OpId(number as u32),
                builtin,
                args: op.args.clone(),
                result: op.result,
                word: WordOp::of(builtin.name(), &kinds),
            }
        });
        let operators = operators.collect();
        let mut names = names(&system);
        let variables = sorts
            .iter()
            .flat_map(|&sort| (0..variables).map(move |_| sort))
            .map(|sort| Variable { name: names.next().unwrap_or_default(), sort, kind: kind(sort) })
            .collect();
        let literals = read_literals(literals, &sorts, kind)?;
        Ok(Language { text, system: system.clone(), operators, variables, literals })
    }

    /// The rules file as [`Language::text`], without the evaluation of operators on literals.
    pub fn without_folding(&self) -> String {
        let is_folding = |form: &Sexpr| {
            let atoms = form.list().map(|items| items.iter().map(Sexpr::atom).collect::<Vec<_>>());
            atoms.is_some_and(|atoms| atoms == [Some("analysis"), Some("constant")])
        };
        match (forms(&self.text), parse_all(&self.text)) {
            (Ok(forms), Ok(read)) => {
                let left_out: Vec<bool> = read.iter().map(is_folding).collect();
                text_without(&self.text, &forms, &left_out)
            }
            _ => self.text.clone(),
        }
    }

    /// The kind of a sort's values.
    pub fn kind(&self, sort: SortId) -> LiteralKind {
        self.system.language.literal_kind(sort).unwrap_or(LiteralKind::I64)
    }

    /// Whether some variables, a bit each, have so few values that all of them can be gone through at once.
    pub fn has_few_assignments(&self, variables: u32) -> bool {
        let bits = self.variables.iter().enumerate().map(|(v, variable)| match variable.kind {
            _ if variables >> v & 1 == 0 => Some(0),
            LiteralKind::Bool => Some(1),
            LiteralKind::Bits(width) => Some(width.bits()),
            _ => None,
        });
        bits.sum::<Option<u32>>().is_some_and(|bits| bits <= FEW)
    }

    /// The rules that the file has.
    pub fn known(&self) -> &[Rule] {
        &self.system.rules
    }
}

/// The sorts that terms have, in the order of the file.
fn sorts_of(system: &System) -> Vec<SortId> {
    let operators = &system.language.operators;
    let occurs =
        |sort: &SortId| operators.iter().any(|op| op.result == *sort || op.args.contains(sort));
    (0..system.language.sorts.len() as u16).map(SortId).filter(occurs).collect()
}

/// Names for variables: letters, then letters with numbers, without those that operators have.
fn names(system: &System) -> impl Iterator<Item = String> {
    let letters = |round: usize| {
        ('a'..='z').map(move |letter| match round {
            0 => letter.to_string(),
            round => format!("{letter}{round}"),
        })
    };
    let language = system.language.clone();
    (0..).flat_map(letters).filter(move |name| language.operator(name).is_none())
}

/// The literals of each sort; 0 and 1 where nothing is said, as far as the sort has them.
fn read_literals(
    wanted: Option<&[String]>,
    sorts: &[SortId],
    kind: impl Fn(SortId) -> LiteralKind,
) -> Result<Vec<(SortId, Value)>> {
    let default = ["0".to_owned(), "1".to_owned()];
    let wanted = wanted.unwrap_or(&default);
    let mut found = Vec::new();
    for text in wanted {
        ensure!(
            sorts.iter().any(|&sort| kind(sort).read(text).is_some()),
            "literals: '{text}' is a literal of no sort that the operators have"
        );
    }
    for &sort in sorts {
        for text in wanted {
            if let Some(value) = kind(sort).read(text)
                && !found.contains(&(sort, value))
            {
                found.push((sort, value));
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDERED: &str = "(sort Int) (sort Bool) (op + (Int Int) Int) (op b (Int Int) Int)
        (op < (Int Int) Bool) (literal i64 Int) (literal bool Bool) (variable Int)";

    #[test]
    fn what_is_not_built_in_is_refused_by_its_name() {
        let error = Language::read("my.rules", ORDERED, 2, None).unwrap_err().to_string();
        assert!(error.starts_with("my.rules: operator b is not built in"), "{error}");
    }

    #[test]
    fn each_sort_has_its_variables_and_its_literals() {
        let text = ORDERED.replace("(op b (Int Int) Int)", "");
        let language = Language::read("my.rules", &text, 2, Some(&["0".into(), "-1".into()]));
        let language = language.unwrap();
        let names: Vec<&str> = language.variables.iter().map(|v| v.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c", "d"]);
        let literals: Vec<String> =
            language.literals.iter().map(|(_, value)| format!("{value}")).collect();
        assert_eq!(literals, ["0", "-1", "0"], "-1 is no truth value");
        assert_eq!(language.system.language.variables.len(), 2);
        let error = Language::read("", &text, 2, Some(&["1/2".into()])).unwrap_err();
        assert!(error.to_string().contains("'1/2' is a literal of no sort"), "{error}");
    }
}
