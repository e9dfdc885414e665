//! A file of tables: the values of sorts that have no literals, and what operators compute that are not built in.
//!
//! It is JSON, with two parts. `sorts` names the values of a sort; `operators` has a list of values for each operator, with a list
//! inside for each further argument:
//!
//! ```json
//! {"sorts": {"Sign": ["neg", "zero", "pos"]},
//!  "operators": {"flip": ["pos", "zero", "neg"],
//!                "times": [["pos", "zero", "neg"], ["zero", "zero", "zero"], ["neg", "zero", "pos"]]}}
//! ```

use crate::language::meaning::{MOST_ARGS, Table};
use anyhow::{Context, Result, anyhow, ensure};
use egraph::{Bits, LiteralKind, OpId, SortId, System, Value, Width, did_you_mean};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value as Json;
use std::fmt::{self, Write};
use std::marker::PhantomData;

/// The most values that a sort has which a table is about.
const MOST_VALUES: u64 = 1 << 16;
/// The most values in a table.
const MOST_ENTRIES: u64 = 1 << 20;
/// So many characters of a value are shown.
const SHOWN: usize = 60;

/// A file of tables, before it is read.
#[derive(Clone, Copy, Debug)]
pub struct TablesFile<'a> {
    /// Its name, for messages.
    pub name: &'a str,
    /// Its text.
    pub text: &'a str,
}

/// The values of sorts without literals, and tables by operator.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// The names of a sort's values; each stands for a word, its place.
    pub elements: Vec<(SortId, Vec<String>)>,
    /// What operators compute.
    pub operators: Vec<(OpId, Table)>,
    /// The places of these names.
    places: Vec<(SortId, FxHashMap<String, u64>)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    sorts: Pairs<Vec<String>>,
    operators: Pairs<Json>,
}

/// The keys and values of an object; a key that comes twice is refused.
struct Pairs<T>(Vec<(String, T)>);

impl<T> Default for Pairs<T> {
    fn default() -> Pairs<T> {
        Pairs(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Pairs<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Pairs<T>, D::Error> {
        from.deserialize_map(PairsVisitor(PhantomData))
    }
}

struct PairsVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for PairsVisitor<T> {
    type Value = Pairs<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Pairs<T>, M::Error> {
        let (mut found, mut keys) = (Vec::new(), FxHashSet::default());
        while let Some((key, value)) = map.next_entry::<String, T>()? {
            if !keys.insert(key.clone()) {
                return Err(M::Error::custom(format!("the key '{key}' comes twice")));
            }
            found.push((key, value));
        }
        Ok(Pairs(found))
    }
}

impl Tables {
    /// Reads a file, of which operators and sorts are those of a system.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn read(system: &System, file: TablesFile<'_>) -> Result<Tables> {
        let name = file.name;
        ensure!(
            file.text.trim_start().starts_with('{'),
            "{name}: no tables: expected an object with the keys sorts and operators"
        );
        let written: Written =
            serde_json::from_str(file.text).with_context(|| format!("{name}: no tables"))?;
        let language = &system.language;
        let mut tables = Tables::default();
        for (sort, elements) in written.sorts.0 {
            let number = (0..language.sorts.len() as u16).map(SortId);
            let found = number.clone().find(|&known| language.sort_name(known) == sort);
            let known = number.map(|known| language.sort_name(known));
            let found = found.ok_or_else(|| {
                anyhow!("{name}: sorts: no sort is called '{sort}'{}", did_you_mean(&sort, known))
            })?;
            ensure!(
                language.literal_kind(found).is_none(),
                "{name}: sorts: {sort} has literals, which are its values"
            );
            ensure!(
                (1..=MOST_VALUES).contains(&(elements.len() as u64)),
                "{name}: sorts: {sort} has {} values, expected 1 to {MOST_VALUES}",
                elements.len()
            );
            let mut places: FxHashMap<String, u64> = FxHashMap::default();
            for (place, element) in (0..).zip(&elements) {
                let before = places.insert(element.clone(), place);
                ensure!(
                    before.is_none(),
                    "{name}: sorts: {sort} has the value {} twice",
                    shown(element)
                );
            }
            tables.places.push((found, places));
            tables.elements.push((found, elements));
        }
        for (operator, rows) in written.operators.0 {
            let at = |error: anyhow::Error| anyhow!("{name}: operators: {operator}{error}");
            let known = language.operators.iter().map(|op| op.name.as_str());
            let op = language.operator(&operator).ok_or_else(|| {
                let meant = did_you_mean(&operator, known);
                anyhow!("{name}: operators: no operator is called '{operator}'{meant}")
            })?;
            let table = tables.table(system, op, &rows).map_err(at)?;
            tables.operators.push((op, table));
        }
        Ok(tables)
    }

    /// The kind of the words that stand for the values of a sort, if it has names for these.
    pub fn kind(&self, sort: SortId) -> Option<LiteralKind> {
        let last = self.names(sort)?.len().saturating_sub(1) as u64;
        Width::new(u64::from(u64::BITS - last.leading_zeros()).max(1)).map(LiteralKind::Bits)
    }

    /// The names of a sort's values, if it has some.
    pub fn names(&self, sort: SortId) -> Option<&[String]> {
        self.elements.iter().find(|(of, _)| *of == sort).map(|(_, names)| &names[..])
    }

    /// How many values a sort has, if that is not very many.
    pub fn count(&self, system: &System, sort: SortId) -> Option<u64> {
        match self.names(sort) {
            Some(names) => Some(names.len() as u64),
            None => system.language.literal_kind(sort)?.count(),
        }
    }

    fn table(&self, system: &System, op: OpId, rows: &Json) -> Result<Table> {
        let language = &system.language;
        let operator = language.op(op);
        ensure!(operator.builtin.is_none(), ": it is built in");
        ensure!(
            operator.args.len() <= MOST_ARGS,
            ": it has {} arguments, expected at most {MOST_ARGS}",
            operator.args.len()
        );
        let mut counts = Vec::new();
        for &sort in &operator.args {
            counts.push(self.count(system, sort).filter(|count| *count <= MOST_VALUES).ok_or_else(|| {
                let sort = language.sort_name(sort);
                anyhow!(": the values of {sort} can't be listed: expected a sort with names for its values, words of at most 16 bits, or truth values")
            })?);
        }
        let all = counts.iter().try_fold(1u64, |all, count| all.checked_mul(*count));
        ensure!(
            all.is_some_and(|all| all <= MOST_ENTRIES),
            ": a table of it has more than {MOST_ENTRIES} values"
        );
        let mut values = Vec::new();
        let entry = |json: &Json| self.value(system, operator.result, json);
        fill(&mut values, rows, &counts, &mut String::new(), &entry)?;
        Ok(Table { counts, values })
    }

    /// The value of a sort that is written so.
    fn value(&self, system: &System, sort: SortId, json: &Json) -> Result<Value> {
        let text = match json {
            Json::String(text) => text.clone(),
            Json::Bool(truth) => u8::from(*truth).to_string(),
            other => other.to_string(),
        };
        let places = self.places.iter().find(|(of, _)| *of == sort);
        let value = match (places, self.kind(sort)) {
            (Some((_, places)), Some(LiteralKind::Bits(width))) => {
                places.get(&text).map(|&place| Value::Bits(Bits::new(width, place)))
            }
            _ => system.language.literal_kind(sort).and_then(|kind| kind.read(&text)),
        };
        let has_values = places.is_some() || system.language.literal_kind(sort).is_some();
        let sort = system.language.sort_name(sort);
        ensure!(has_values, ": {sort} has no values: expected their names under sorts");
        value.ok_or_else(|| anyhow!(": found {}, expected a value of {sort}", shown(&text)))
    }
}

/// The beginning of what a file has.
fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Adds the values of a list with so many entries, with lists inside for further arguments; `place` says where it is, as `[2]`.
fn fill(
    values: &mut Vec<Value>,
    rows: &Json,
    counts: &[u64],
    place: &mut String,
    entry: &impl Fn(&Json) -> Result<Value>,
) -> Result<()> {
    let Some((count, counts)) = counts.split_first() else {
        values.push(entry(rows).map_err(|error| anyhow!("{place}{error}"))?);
        return Ok(());
    };
    let list = rows.as_array().filter(|list| list.len() as u64 == *count);
    let list = list.ok_or_else(|| match rows.as_array() {
        Some(list) => anyhow!("{place}: found a list of {}, expected one of {count}", list.len()),
        None => anyhow!("{place}: found {}, expected a list of {count}", shown(&rows.to_string())),
    })?;
    let here = place.len();
    for (number, row) in list.iter().enumerate() {
        _ = write!(place, "[{number}]");
        fill(values, row, counts, place, entry)?;
        place.truncate(here);
    }
    Ok(())
}
