//! In which order best-first saturation applies matches: a learned ranker, or a Python function.

use crate::errors::{any, bad};
use crate::shared::{Shared, System};
use cairn::{load_ranker, named_ranker};
use egraph::{Cancel, Kind, MatchOrder, MatchView};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// A learned order of matches, as `learn` makes it.
#[pyclass(frozen, module = "cairn_eqsat")]
pub struct Ranker {
    pub ranker: Arc<ranking::Ranker>,
}

#[pymethods]
impl Ranker {
    /// Reads a ranker for a system: a file, the directory that `learn` made, or the name of a shipped one.
    #[staticmethod]
    #[pyo3(signature = (source, system, /))]
    fn load(source: PathBuf, system: &System) -> PyResult<Ranker> {
        let ranker = read(source, &system.shared)?;
        Ok(Ranker { ranker })
    }

    /// How it came about.
    #[getter]
    fn origin(&self) -> &str {
        &self.ranker.origin
    }

    /// Names of the rules and operators of the system that it does not know, where the rules were changed since it was learned.
    #[getter]
    fn unknown(&self) -> Vec<&str> {
        let unknown = &self.ranker.unknown;
        unknown.rules.iter().chain(&unknown.operators).map(String::as_str).collect()
    }

    fn __repr__(&self) -> String {
        format!("<Ranker {}>", self.ranker.origin)
    }
}

fn read(source: PathBuf, shared: &Shared) -> PyResult<Arc<ranking::Ranker>> {
    let file = named_ranker(source.into_os_string()).map_err(any)?;
    load_ranker(&file, &shared.system).map_err(any)
}

/// What `ranker=` may be.
pub enum Order {
    /// Nothing was given, or `False`.
    None,
    /// A learned one.
    Learned(Arc<ranking::Ranker>),
    /// A Python function.
    Function(Arc<Callable>),
}

impl Order {
    /// The ranker that is shipped for the system, if one is.
    pub fn shipped(shared: &Shared) -> PyResult<Order> {
        Ok(shared.own_ranker()?.map_or(Order::None, Order::Learned))
    }

    /// From a [`Ranker`], a path or name, a function of matches, or `False` for none.
    pub fn of(given: &Bound<'_, PyAny>, shared: &Shared, cancel: &Cancel) -> PyResult<Order> {
        if let Ok(ranker) = given.cast::<Ranker>() {
            let ranker = &ranker.get().ranker;
            if ranker.system_hash != shared.system.hash {
                return Err(bad(
                    "ranker: it was loaded for another rewrite system: expected Ranker.load(file, system)",
                ));
            }
            return Ok(Order::Learned(ranker.clone()));
        }
        if given.is_callable() {
            let rules = shared.system.rules.iter().map(|rule| rule.name.clone()).collect();
            let operators = &shared.system.language.operators;
            return Ok(Order::Function(Arc::new(Callable {
                function: given.clone().unbind(),
                rules,
                operators: operators.iter().map(|op| op.name.clone()).collect(),
                cancel: cancel.clone(),
                failed: Mutex::new(None),
            })));
        }
        if given.extract::<bool>().is_ok_and(|given| !given) {
            return Ok(Order::None);
        }
        let source = given.extract().map_err(|_| {
            bad("ranker: expected a Ranker, its file, a function of matches, or False for none")
        })?;
        Ok(Order::Learned(read(source, shared)?))
    }

    /// For the engine.
    pub fn matches(&self) -> Option<Arc<dyn MatchOrder>> {
        match self {
            Order::None => None,
            Order::Learned(ranker) => Some(ranker.clone()),
            Order::Function(function) => Some(function.clone()),
        }
    }

    /// Raises what the function raised.
    pub fn raise(&self) -> PyResult<()> {
        match self {
            Order::Function(function) => {
                let mut failed = function.failed.lock().unwrap_or_else(PoisonError::into_inner);
                failed.take().map_or(Ok(()), Err)
            }
            _ => Ok(()),
        }
    }
}

/// A Python function from matches to ranks. The engine's order can't fail: after an exception it asks for the
/// end, and gives every match the same rank until then.
#[derive(Debug)]
pub struct Callable {
    function: Py<PyAny>,
    rules: Vec<String>,
    operators: Vec<String>,
    cancel: Cancel,
    failed: Mutex<Option<PyErr>>,
}

impl Callable {
    fn ask(&self, matches: &[MatchView]) -> PyResult<Vec<f32>> {
        Python::attach(|py| {
            let seen = |seen: &MatchView| Match {
                rule: self.rules[seen.rule as usize].clone(),
                view: *seen,
                variables: seen
                    .variables
                    .iter()
                    .filter_map(|kind| kind.map(|kind| self.kind(kind)))
                    .collect(),
            };
            let seen: Vec<Match> = matches.iter().map(seen).collect();
            let ranks: Vec<f32> = self.function.call1(py, (seen,))?.extract(py)?;
            if ranks.len() != matches.len() {
                let (found, expected) = (ranks.len(), matches.len());
                return Err(bad(format!(
                    "ranker: expected a rank for each of {expected} matches, found {found}"
                )));
            }
            if ranks.iter().any(|rank| rank.is_nan()) {
                return Err(bad("ranker: a rank is not a number"));
            }
            Ok(ranks)
        })
    }

    fn kind(&self, kind: Kind) -> String {
        match kind {
            Kind::Literal(Some(value)) => value.to_string(),
            Kind::Literal(None) => "literal".to_owned(),
            Kind::Variable => "variable".to_owned(),
            Kind::Op(op) => self.operators[op.0 as usize].clone(),
        }
    }
}

impl MatchOrder for Callable {
    fn rank(&self, matches: &[MatchView], ranks: &mut Vec<f32>) {
        if !self.cancel.is_asked() {
            match self.ask(matches) {
                Ok(all) => return ranks.extend(all),
                Err(error) => {
                    let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
                    failed.get_or_insert(error);
                    self.cancel.ask();
                }
            }
        }
        ranks.resize(ranks.len() + matches.len(), 0.0);
    }
}

/// A match of a rule that waits to be applied, as a function given as `ranker=` sees it. Sizes are numbers of
/// nodes.
#[pyclass(frozen, module = "cairn_eqsat")]
pub struct Match {
    /// The name of the rule.
    #[pyo3(get)]
    rule: String,
    /// What stands for the first three variables of the rule: an operator, a literal that is 0, 1 or -1,
    /// `"literal"` or `"variable"`.
    #[pyo3(get)]
    variables: Vec<String>,
    view: MatchView,
}

#[pymethods]
impl Match {
    /// By how much the smallest whole term with the right-hand side in it is larger than the smallest known.
    #[getter]
    fn excess(&self) -> i64 {
        self.view.excess
    }

    /// The same for the class as it is, before the rule is applied.
    #[getter]
    fn excess_before(&self) -> i64 {
        self.view.excess_before
    }

    /// The size of the left-hand side.
    #[getter]
    fn left(&self) -> u64 {
        self.view.left
    }

    /// The size of the right-hand side.
    #[getter]
    fn right(&self) -> u64 {
        self.view.right
    }

    /// The size of the smallest term of the matched class.
    #[getter]
    fn least(&self) -> u64 {
        self.view.least
    }

    /// Iterations since it was found.
    #[getter]
    fn waited(&self) -> u64 {
        self.view.waited
    }

    /// E-nodes of the matched class.
    #[getter]
    fn class_nodes(&self) -> u32 {
        self.view.class_nodes
    }

    /// E-nodes that the right-hand side needs and the e-graph lacks.
    #[getter]
    fn missing(&self) -> u32 {
        self.view.missing
    }

    /// Whether the right-hand side is there, in another class.
    #[getter]
    fn unites(&self) -> bool {
        self.view.unites
    }

    /// E-nodes of the e-graph.
    #[getter]
    fn e_nodes(&self) -> u64 {
        self.view.e_nodes
    }

    /// Iterations so far.
    #[getter]
    fn iteration(&self) -> u64 {
        self.view.iteration
    }

    fn __repr__(&self) -> String {
        format!("<Match {} excess {}>", self.rule, self.view.excess)
    }
}
