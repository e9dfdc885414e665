//! Rewrite systems and their operators; [`System`] itself is in `shared.rs`, for terms know theirs.

use crate::errors::{any, bad, of_system};
use crate::shared::{Reduced, Shared, System};
use crate::term::{Term, apply, equality};
use cairn::SYSTEMS;
use egraph::{LiteralKind, OpId, did_you_mean};
use pyo3::IntoPyObjectExt;
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;

#[pymethods]
impl System {
    /// Reads a rules file; a name without an ending is a shipped system, as in `System.load("halide")`.
    #[staticmethod]
    #[pyo3(signature = (source, /))]
    fn load(source: PathBuf) -> PyResult<System> {
        let file = SYSTEMS.resolve(source.into_os_string()).map_err(any)?;
        let bytes = file.read("the rewrite system").map_err(any)?;
        let name = file.to_string();
        let system = egraph::System::from_bytes(&name, bytes.clone());
        let system = system.map_err(|error| of_system(&error))?;
        let text = String::from_utf8(bytes).map_err(|error| bad(error.to_string()))?;
        Ok(System { shared: Shared::of(system, text, name) })
    }

    /// Reads the text of a rules file; `name` is what messages call it.
    #[staticmethod]
    #[pyo3(signature = (text, /, name = "rules"))]
    fn from_rules(text: String, name: &str) -> PyResult<System> {
        Ok(System { shared: Shared::read(name.to_owned(), text)? })
    }

    /// The names of the shipped systems.
    #[staticmethod]
    fn shipped() -> Vec<&'static str> {
        SYSTEMS.names().collect()
    }

    /// What messages call it: the file, or the name of a shipped one.
    #[getter]
    fn name(&self) -> &str {
        &self.shared.name
    }

    /// The text of the rules file.
    #[getter]
    fn text(&self) -> &str {
        &self.shared.text
    }

    /// SHA-256 of the text, which goes into everything made with the system.
    #[getter]
    fn hash(&self) -> &str {
        &self.shared.system.hash
    }

    /// The names of the rules, in the order of the file.
    #[getter]
    fn rules(&self) -> Vec<&str> {
        self.shared.system.rules.iter().map(|rule| rule.name.as_str()).collect()
    }

    /// The names of the rulesets.
    #[getter]
    fn rulesets(&self) -> Vec<&str> {
        self.shared.system.rulesets.iter().map(String::as_str).collect()
    }

    /// The names of the sorts.
    #[getter]
    fn sorts(&self) -> Vec<&str> {
        self.shared.system.language.sorts.iter().map(String::as_str).collect()
    }

    /// The names of the costs that the file declares; `size` and `depth` are always there.
    #[getter]
    fn costs(&self) -> Vec<&str> {
        self.shared.system.costs.iter().map(|cost| cost.name.as_str()).collect()
    }

    /// The operators.
    #[getter]
    fn operators(&self) -> Vec<Operator> {
        let operators = 0..self.shared.system.language.operators.len() as u32;
        operators.map(|op| Operator { shared: self.shared.clone(), op: OpId(op) }).collect()
    }

    /// The values of a sort of truth values or of words of at most 16 bits, in their order.
    #[pyo3(signature = (sort, /))]
    fn values<'py>(&self, py: Python<'py>, sort: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let kind = self.shared.system.language.literal_kind(self.shared.sort(sort)?);
        let count = match kind {
            Some(LiteralKind::Bool) => {
                return [false, true].map(|b| b.into_bound_py_any(py)).into_iter().collect();
            }
            Some(LiteralKind::Bits(width)) if width.bits() <= 16 => width.largest() + 1,
            _ => {
                return Err(bad(format!(
                    "the values of {sort} can't be listed: expected truth values, or words of at most 16 bits"
                )));
            }
        };
        (0..count).map(|word| word.into_bound_py_any(py)).collect()
    }

    /// Reads a term. A lone literal or variable that could be of several sorts needs its `sort`.
    #[pyo3(signature = (text, /, sort = None))]
    fn term(&self, text: &str, sort: Option<&str>) -> PyResult<Term> {
        let sort = sort.map(|sort| self.shared.sort(sort)).transpose()?;
        Term::read(&self.shared, text, sort)
    }

    /// An operator by its name: `system["+"](a, b)` is a term.
    fn __getitem__(&self, name: &str) -> PyResult<Operator> {
        let language = &self.shared.system.language;
        let op = language.operator(name).ok_or_else(|| {
            let meant = did_you_mean(name, language.operators.iter().map(|op| op.name.as_str()));
            pyo3::exceptions::PyKeyError::new_err(format!("no operator '{name}'{meant}"))
        })?;
        Ok(Operator { shared: self.shared.clone(), op })
    }

    fn __richcmp__(&self, other: &System, op: CompareOp) -> PyResult<bool> {
        let same = self.shared.system.hash == other.shared.system.hash;
        equality(same, op)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.shared.system.hash.hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        let system = &self.shared.system;
        let (rules, operators) = (system.rules.len(), system.language.operators.len());
        format!("<System {}: {operators} operators, {rules} rules>", self.shared.name)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (String, String)> {
        let make = py.get_type::<System>().getattr("from_rules")?;
        Ok((make, (self.shared.text.clone(), self.shared.name.clone())))
    }
}

/// An operator of a system. Called with terms, texts or numbers it makes a term.
///
/// >>> import cairn_eqsat as cairn
/// >>> add = cairn.System.load("halide")["+"]
/// >>> print(add("x", add("y", 1)))
/// (+ x (+ y 1))
#[pyclass(frozen, module = "cairn_eqsat")]
pub struct Operator {
    shared: Arc<Shared>,
    op: OpId,
}

#[pymethods]
impl Operator {
    /// The name as written in terms.
    #[getter]
    pub fn name(&self) -> &str {
        &self.shared.system.language.op(self.op).name
    }

    /// The sorts of the arguments.
    #[getter]
    fn arguments(&self) -> Vec<&str> {
        let language = &self.shared.system.language;
        language.op(self.op).args.iter().map(|&sort| language.sort_name(sort)).collect()
    }

    /// The sort of its terms.
    #[getter]
    fn result(&self) -> &str {
        let language = &self.shared.system.language;
        language.sort_name(language.op(self.op).result)
    }

    #[pyo3(signature = (*arguments))]
    fn __call__(&self, arguments: &Bound<'_, PyTuple>) -> PyResult<Term> {
        apply(&self.shared, self.op, &arguments.iter().collect::<Vec<_>>())
    }

    fn __repr__(&self) -> String {
        format!("<Operator {} ({}) {}>", self.name(), self.arguments().join(" "), self.result())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Py<System>, String)> {
        let get = py.import("operator")?.getattr("getitem")?;
        let system = Py::new(py, System { shared: self.shared.clone() })?;
        Ok((get, (system, self.name().to_owned())))
    }
}
