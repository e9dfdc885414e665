//! What the rows of a ranker's tables are of: rules and operators by their content, so that a ranker lives on where a rules file
//! is edited. Comments, order, costs, names of rules and of variables change nothing.

use crate::any::Rows;
use crate::numbers::{PICKS, SET, rows, table_rows};
use crate::weights::{FIRST, Weights};
use egraph::{Operator, System};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use support::counted;

/// The rules and operators of a system by their content, each in the order of the system.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Content {
    /// As [`egraph::Rule::content`] has them.
    pub rules: Vec<String>,
    /// With their sorts.
    pub operators: Vec<String>,
}

/// What a ranker does not know of a system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unknown {
    /// Names of rules.
    pub rules: Vec<String>,
    /// Names of operators.
    pub operators: Vec<String>,
    /// How many rules that the ranker knows are in the system no more.
    pub left_out: usize,
}

impl Content {
    /// That of a system.
    pub fn of(system: &System) -> Content {
        let language = &system.language;
        let operator = |Operator { name, args, result, .. }: &Operator| {
            let args: String =
                args.iter().map(|sort| format!(" {}", language.sort_name(*sort))).collect();
            format!("({name}{args}) {}", language.sort_name(*result))
        };
        Content {
            rules: system.rules.iter().map(|rule| rule.content(language)).collect(),
            operators: language.operators.iter().map(operator).collect(),
        }
    }

    /// Rows of the tables that are of it.
    pub(crate) fn rows(&self) -> [usize; PICKS] {
        rows(self.rules.len(), self.operators.len())
    }

    /// The share of the rules and operators of `other` that are among these.
    pub fn share_of(&self, other: &Content) -> f64 {
        let known = |old: &[String], new: &[String]| {
            let places = places(old);
            new.iter().filter(|one| places.contains_key(one.as_str())).count()
        };
        let all = other.rules.len() + other.operators.len();
        let [rules, operators] =
            [known(&self.rules, &other.rules), known(&self.operators, &other.operators)];
        (rules + operators) as f64 / all.max(1) as f64
    }

    /// The weights of a system, whose content is `other`, by those of this content. A rule or an operator that is not known gets what `general` says of its
    /// shape, or else the mean of those that are.
    pub fn weights(
        &self,
        weights: &Weights,
        general: Option<&Weights>,
        system: &System,
        other: &Content,
    ) -> (Weights, Unknown) {
        let from = |old: &[String], new: &[String]| -> Vec<Option<usize>> {
            let places = places(old);
            new.iter().map(|one| places.get(one.as_str()).copied()).collect()
        };
        let rules = from(&self.rules, &other.rules);
        let operators = from(&self.operators, &other.operators);
        let general = general.map(|general| Rows::of(system).weights(general));
        let mut to = Weights { tables: Default::default(), ..weights.clone() };
        for (table, rows) in table_rows(system).into_iter().enumerate() {
            let places = if table == 0 { &rules } else { &operators };
            let general = general.as_ref().map(|general| &general.tables[table][..]);
            to.tables[table] = moved(&weights.tables[table], general, rows - places.len(), places);
        }
        // Operators beyond the first so many share the rows of those: theirs stay as they are.
        let places: Vec<Option<usize>> =
            operators.iter().take(SET).map(|place| place.filter(|place| *place < SET)).collect();
        for (set, (to, old)) in to.sets.iter_mut().zip(&weights.sets).enumerate() {
            let general = general.as_ref().map(|general| &general.sets[set][..]);
            let known = &old[..self.operators.len().min(SET) * FIRST];
            let rows = moved(known, general, 0, &places);
            to[..rows.len()].copy_from_slice(&rows);
        }
        let missing = |places: &[Option<usize>]| -> Vec<usize> {
            (0..places.len()).filter(|place| places[*place].is_none()).collect()
        };
        let unknown = Unknown {
            rules: missing(&rules).iter().map(|rule| system.rules[*rule].name.clone()).collect(),
            operators: missing(&operators)
                .iter()
                .map(|op| system.language.operators[*op].name.clone())
                .collect(),
            left_out: from(&other.rules, &self.rules)
                .iter()
                .filter(|place| place.is_none())
                .count(),
        };
        (to, unknown)
    }
}

/// By text, its first place.
fn places(texts: &[String]) -> FxHashMap<&str, usize> {
    texts.iter().enumerate().rev().map(|(place, text)| (text.as_str(), place)).collect()
}

/// A table whose first `fixed` rows stay, and whose others come from the places behind these.
fn moved(old: &[f32], general: Option<&[f32]>, fixed: usize, places: &[Option<usize>]) -> Vec<f32> {
    let (fixed, old) = old.split_at(fixed * FIRST);
    let mut new = fixed.to_vec();
    let rows = old.chunks_exact(FIRST);
    let mean = || -> Vec<f32> {
        let mut mean = vec![0.0; FIRST];
        let count = rows.len().max(1) as f32;
        rows.clone()
            .for_each(|row| mean.iter_mut().zip(row).for_each(|(mean, x)| *mean += x / count));
        mean
    };
    for (number, place) in places.iter().enumerate() {
        let row = |of: &[f32], row: usize| of[row * FIRST..][..FIRST].to_vec();
        new.extend(match (place, general) {
            (Some(place), _) => row(old, *place),
            (None, Some(general)) => row(general, fixed.len() / FIRST + number),
            (None, None) => mean(),
        });
    }
    new
}

impl Unknown {
    /// What it says to people, where there is something to be said.
    pub fn text(&self) -> Option<String> {
        let named = |what: &str, names: &[String]| {
            let count = counted(names.len() as u64, what);
            let shown: Vec<&str> = names.iter().take(3).map(String::as_str).collect();
            let more = if names.len() > shown.len() { ", …" } else { "" };
            (!names.is_empty()).then(|| format!("{count} ({}{more})", shown.join(", ")))
        };
        let parts = [named("rule", &self.rules), named("operator", &self.operators)];
        let unknown: Vec<String> = parts.into_iter().flatten().collect();
        (!unknown.is_empty()).then(|| format!("it does not know {}", unknown.join(" and ")))
    }
}
