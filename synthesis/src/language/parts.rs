//! What small terms are made of: the operators of a rules file, some literals, and some variables of each sort.

use crate::language::meaning::{MOST_ARGS, Meaning};
use crate::language::operator_set::MOST_OPERATORS;
use crate::language::tables::{Tables, TablesFile};
use crate::language::word::WordOp;
use anyhow::{Result, anyhow, ensure};
use egraph::{
    LiteralKind, OpId, Rule, Sexpr, SortId, System, Value, forms, parse_all, text_without,
};
use std::fmt::Write;
use std::sync::Arc;

/// An operator with a meaning.
#[derive(Clone, Debug)]
pub struct Operator {
    /// Its name.
    pub name: String,
    /// Its number in the system.
    pub op: OpId,
    /// What it computes.
    pub meaning: Meaning,
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
    /// How many values it may have, if they have names in a file of tables: they are the words below that number.
    pub named: Option<u64>,
}

/// What small terms are made of.
#[derive(Clone, Debug)]
pub struct Language {
    /// The rules file, with variables of every sort that terms have.
    pub text: String,
    /// That file, read.
    pub system: Arc<System>,
    /// The operators of at most three arguments, in the order of the file.
    pub operators: Vec<Operator>,
    /// The variables, sort by sort.
    pub variables: Vec<Variable>,
    /// The literals, sort by sort.
    pub literals: Vec<(SortId, Value)>,
    /// Whether the engine evaluates all terms without variables.
    pub folds: bool,
    tables: Tables,
}

/// So many variables a set of them may have.
const MOST_VARIABLES: usize = 32;
/// Assignments of so many bits are few.
pub const FEW: u32 = 16;

impl Language {
    /// That of a rules file, with so many variables of each sort, and literals as they are written; without any, 0 and 1.
    /// Tables say what operators compute that are not built in.
    ///
    /// # Errors
    /// The file is no rules file, an operator has no meaning, or a literal is none of any sort; what is wrong with the tables.
    pub fn read(
        (name, text): (&str, &str),
        tables: Option<TablesFile<'_>>,
        variables: usize,
        literals: Option<&[String]>,
    ) -> Result<Language> {
        let read = |text: &str| System::parse(text).map_err(|error| anyhow!("{name}:{error}"));
        let system = read(text)?;
        let language = &system.language;
        let tables = match tables {
            Some(file) => Tables::read(&system, file)?,
            None => Tables::default(),
        };
        let mut meanings: Vec<Option<Meaning>> =
            language.operators.iter().map(|op| op.builtin.map(Meaning::Builtin)).collect();
        for (op, table) in &tables.operators {
            meanings[op.0 as usize] = Some(Meaning::Table(Arc::new(table.clone())));
        }
        let without: Vec<&str> = (language.operators.iter().zip(&meanings))
            .filter(|(_, meaning)| meaning.is_none())
            .map(|(op, _)| op.name.as_str())
            .collect();
        ensure!(
            without.is_empty(),
            "{name}: {} not built in and without a table: rules are found by evaluating terms, so expected built-in operators, with their names and sorts, or a file of tables",
            match without[..] {
                [one] => format!("operator {one} is"),
                _ => format!("operators {} are", without.join(" ")),
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
            let has = "an operator with a meaning is over sorts with values";
            system.language.literal_kind(sort).or_else(|| tables.kind(sort)).expect(has)
        };
        let all = system.language.operators.iter().zip(meanings).enumerate();
        let operators: Vec<Operator> = all
            .filter(|(_, (op, _))| op.args.len() <= MOST_ARGS)
            .map(|(number, (op, meaning))| {
                let meaning = meaning.expect("operators without a meaning were refused");
                let kinds: Vec<LiteralKind> = op.args.iter().map(|&sort| kind(sort)).collect();
                let word = match &meaning {
                    Meaning::Builtin(builtin) => WordOp::of(builtin.name(), &kinds),
                    Meaning::Table(_) => None,
                };
                let (name, args, result) = (op.name.clone(), op.args.clone(), op.result);
                Operator { name, op: OpId(number as u32), meaning, args, result, word }
            })
            .collect();
        let mut names = names(&system);
        ensure!(
            sorts.len() * variables <= MOST_VARIABLES,
            "{name}: {variables} variables of each of {} sorts: expected at most {MOST_VARIABLES} in all",
            sorts.len()
        );
        let variables = sorts
            .iter()
            .flat_map(|&sort| (0..variables).map(move |_| sort))
            .map(|sort| Variable {
                name: names.next().unwrap_or_default(),
                sort,
                kind: kind(sort),
                named: tables.names(sort).map(|names| names.len() as u64),
            })
            .collect();
        let with_literals: Vec<SortId> =
            sorts.iter().copied().filter(|&sort| tables.names(sort).is_none()).collect();
        let literals = read_literals(literals, &with_literals, kind)?;
        let folds = system.language.constant_folding && tables.operators.is_empty();
        let system = system.clone();
        Ok(Language { text, system, operators, variables, literals, folds, tables })
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
        let of_literals = self.system.language.literal_kind(sort);
        of_literals.or_else(|| self.tables.kind(sort)).unwrap_or(LiteralKind::I64)
    }

    /// How many values a sort has, if that is not very many.
    pub fn count(&self, sort: SortId) -> Option<u64> {
        self.tables.count(&self.system, sort)
    }

    /// A value of a sort as the file of tables or the rules file writes it.
    pub fn named(&self, sort: SortId, value: Value) -> String {
        let name = self.tables.names(sort).zip(value.to_bits());
        let name = name.and_then(|(names, place)| names.get(place as usize));
        name.map_or_else(|| value.to_string(), Clone::clone)
    }

    /// Whether tables say what some operators compute.
    pub fn has_tables(&self) -> bool {
        !self.tables.operators.is_empty()
    }

    /// Whether some variables, a bit each, have so few values that all of them can be gone through at once.
    pub fn has_few_assignments(&self, variables: u32) -> bool {
        let mut occur = self.variables.iter().enumerate().filter(|(v, _)| variables >> v & 1 == 1);
        let all =
            occur.try_fold(1u64, |all, (_, variable)| all.checked_mul(self.count(variable.sort)?));
        all.is_some_and(|all| all <= 1 << FEW)
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
    for text in wanted.unwrap_or_default() {
        ensure!(
            sorts.iter().any(|&sort| kind(sort).read(text).is_some()),
            "literals: '{text}' is a literal of no sort that the operators have"
        );
    }
    let default = ["0".to_owned(), "1".to_owned()];
    let wanted = wanted.unwrap_or(&default);
    let mut found = Vec::new();
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
        let error = Language::read(("my.rules", ORDERED), None, 2, None).unwrap_err().to_string();
        assert!(error.starts_with("my.rules: operator b is not built in"), "{error}");
    }

    #[test]
    fn each_sort_has_its_variables_and_its_literals() {
        let text = ORDERED.replace("(op b (Int Int) Int)", "");
        let language =
            Language::read(("my.rules", &text), None, 2, Some(&["0".into(), "-1".into()]));
        let language = language.unwrap();
        let names: Vec<&str> = language.variables.iter().map(|v| v.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c", "d"]);
        let literals: Vec<String> =
            language.literals.iter().map(|(_, value)| format!("{value}")).collect();
        assert_eq!(literals, ["0", "-1", "0"], "-1 is no truth value");
        assert_eq!(language.system.language.variables.len(), 2);
        let error = Language::read(("", &text), None, 2, Some(&["1/2".into()])).unwrap_err();
        assert!(error.to_string().contains("'1/2' is a literal of no sort"), "{error}");
    }
}
