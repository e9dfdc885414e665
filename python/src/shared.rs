//! What terms, proofs and e-graphs of a system have in common: the system.

use crate::errors::{any, bad, of_rules};
use cairn::{any_ranker, load_ranker, own_ranker_of};
use egraph::{Amount, ParseError, SortId, TermBank, did_you_mean};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use ranking::Ranker;
use std::sync::{Arc, OnceLock};
use support::InputFile;

/// A system, and the text that it was read from, so that it can be sent to another process.
pub struct Shared {
    pub system: Arc<egraph::System>,
    pub text: String,
    pub name: String,
    /// The file of the ranker that is shipped for the system, if one is: looked for once, since all rules are compared.
    own: OnceLock<Option<InputFile>>,
    /// That, or else the one for any system: read once, which takes longer than a short search.
    ranker: OnceLock<Arc<Ranker>>,
}

impl Shared {
    /// Reads the text of a rules file; `name` is what mistakes call it.
    pub fn read(name: String, text: String) -> PyResult<Arc<Shared>> {
        Shared::parse(name.clone(), text).map_err(|mistake| of_rules(&name, &mistake))
    }

    /// The same, for mistakes that are said otherwise.
    pub fn parse(name: String, text: String) -> Result<Arc<Shared>, ParseError> {
        Ok(Shared::of(egraph::System::parse(&text)?, text, name))
    }

    /// Of a system and the text that it was read from.
    pub fn of(system: egraph::System, text: String, name: String) -> Arc<Shared> {
        let (own, ranker) = Default::default();
        Arc::new(Shared { system: Arc::new(system), text, name, own, ranker })
    }

    /// A fresh bank.
    pub fn bank(&self) -> TermBank {
        TermBank::new(self.system.language.clone())
    }

    fn own(&self) -> Option<&InputFile> {
        self.own.get_or_init(|| own_ranker_of(&self.system)).as_ref()
    }

    /// The ranker that is shipped for the system, if one is.
    pub fn own_ranker(&self) -> PyResult<Option<Arc<Ranker>>> {
        self.own().map(|_| self.ranker()).transpose()
    }

    /// The ranker that is shipped for the system, or else that for any.
    pub fn ranker(&self) -> PyResult<Arc<Ranker>> {
        if let Some(ranker) = self.ranker.get() {
            return Ok(ranker.clone());
        }
        let ranker = load_ranker(&self.own().cloned().unwrap_or_else(any_ranker), &self.system);
        let ranker = ranker.map_err(any)?;
        Ok(self.ranker.get_or_init(|| ranker).clone())
    }

    /// Whether terms of one are terms of the other.
    pub fn same_language(&self, other: &Shared) -> bool {
        Arc::ptr_eq(&self.system, &other.system)
            || Arc::ptr_eq(&self.system.language, &other.system.language)
            || self.system.language == other.system.language
    }

    /// The sort of this name.
    pub fn sort(&self, name: &str) -> PyResult<SortId> {
        let language = &self.system.language;
        language.sort(name).ok_or_else(|| {
            let meant = did_you_mean(name, language.sorts.iter().map(String::as_str));
            bad(format!("unknown sort '{name}'{meant}"))
        })
    }
}

/// What a term costs: one number, an `int` or a `Fraction`, or several by name.
pub fn shown_cost<'py>(
    py: Python<'py>,
    names: &[impl AsRef<str>],
    values: &[Amount],
) -> PyResult<Bound<'py, PyAny>> {
    let number = |&Amount { numerator, denominator }: &Amount| match denominator {
        1 => Ok(numerator.into_pyobject(py)?.into_any()),
        _ => py.import("fractions")?.getattr("Fraction")?.call1((numerator, denominator)),
    };
    if let [one] = values {
        return number(one);
    }
    let named = PyDict::new(py);
    for (name, value) in names.iter().zip(values) {
        named.set_item(name.as_ref(), number(value)?)?;
    }
    Ok(named.into_any())
}

/// What `__reduce__` gives: a function, and the arguments with which it makes the same again.
pub type Reduced<'py, A> = PyResult<(Bound<'py, PyAny>, A)>;

/// A rewrite system: a language and its rules, as a rules file gives them.
///
/// >>> import cairn_eqsat as cairn
/// >>> system = cairn.System.load("halide")
/// >>> len(system.rules) > 100, "Int" in system.sorts
/// (True, True)
/// >>> system.term("(+ x (* 2 y))").size
/// 5
#[pyclass(frozen, module = "cairn_eqsat")]
pub struct System {
    pub shared: Arc<Shared>,
}
