//! The best term of a class, under a cost of the system or a function of Python.

use crate::egraph::state::State;
use crate::errors::bad;
use crate::interrupt::here;
use crate::keywords::cost_of;
use crate::shared::shown_cost;
use crate::term::Term;
use egraph::{Extracted, Extraction as Way, Id, NoCost, Node, Sketch, TermBank, extract_by};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// The best term of a class.
#[pyclass(frozen, module = "cairn_eqsat")]
pub struct Extraction {
    /// The term.
    #[pyo3(get)]
    term: Py<Term>,
    /// What it costs: a number, or by name where several costs were asked for.
    #[pyo3(get)]
    cost: Py<PyAny>,
    /// Whether it is certain that no term of the class costs less.
    #[pyo3(get)]
    least: bool,
}

#[pymethods]
impl Extraction {
    fn __repr__(&self) -> String {
        format!("<Extraction {} cost {}>", self.term.get().shown(), self.cost)
    }
}

/// Under costs of the system.
pub fn by_name(
    py: Python<'_>,
    state: &State,
    bank: &mut TermBank,
    class: Id,
    names: &str,
    way: Way,
) -> PyResult<Extraction> {
    let cost = cost_of(&state.shared.system, names)?;
    way.check(&cost).map_err(bad)?;
    let found = here(py, || way.best(&state.engine, bank, class, &Sketch::Any, &cost))?;
    let unknown = || bad(format!("no term of class {} has a known cost '{names}'", class.0));
    let Extracted { term, cost: found, least } = found.ok_or_else(unknown)?;
    let value = shown_cost(py, &cost.names(), &cost.asked(&found))?.unbind();
    let term = Term::out_of(&state.shared, bank, term);
    Ok(Extraction { term: Py::new(py, term)?, cost: value, least })
}

/// Under a function of an operator's name and the costs of its arguments.
pub fn by_function(
    py: Python<'_>,
    state: &State,
    bank: &mut TermBank,
    class: Id,
    function: &Bound<'_, PyAny>,
) -> PyResult<Extraction> {
    // The names of operators are made once; those of leaves are asked for once each.
    let language = state.shared.system.language.clone();
    let names: Vec<Bound<'_, PyString>> =
        language.operators.iter().map(|op| PyString::new(py, &op.name)).collect();
    let found = extract_by(&state.engine, bank, class, |node, costs| {
        let cost = match node {
            Node::Op(op) => function.call1((&names[op.0 as usize], costs)),
            Node::Leaf(leaf) => function.call1((leaf.to_string(), costs)),
        };
        cost?.extract::<f64>()
    });
    let (term, cost) = found.map_err(|error| match error {
        NoCost::Failed(error) => error,
        less => bad(less.to_string()),
    })?;
    let term = Term::out_of(&state.shared, bank, term);
    let cost = cost.into_pyobject(py)?.into_any().unbind();
    Ok(Extraction { term: Py::new(py, term)?, cost, least: true })
}
