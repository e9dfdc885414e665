//! What a run of an e-graph did.

use crate::shared::Shared;
use egraph::{EGraph as Engine, Iteration, Report, RuleTotals};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The e-graph after an iteration, for Python a dictionary.
#[derive(Clone, Copy, IntoPyObject)]
pub struct Moment {
    iteration: u64,
    e_nodes: usize,
    e_classes: usize,
    bytes: usize,
    built: u64,
    matches: u64,
    unions: u64,
    seconds: f64,
}

impl Moment {
    /// That of an iteration.
    pub fn of(iteration: &Iteration) -> Moment {
        let Iteration {
            iteration: number, e_nodes, e_classes, bytes, built, matches, unions, ..
        } = *iteration;
        let seconds = iteration.seconds;
        Moment { iteration: number, e_nodes, e_classes, bytes, built, matches, unions, seconds }
    }
}

/// What became of the matches of a rule, for Python a dictionary.
#[derive(Clone, Copy, IntoPyObject)]
struct Totals {
    matches: u64,
    new: u64,
    unions: u64,
    bans: u64,
}

/// What `EGraph.run` did.
#[pyclass(frozen, module = "cairn_eqsat")]
pub struct RunReport {
    /// Why it ended, in a word: `saturated`, `schedule`, `memory`, `nodes`, `visits`, `iterations`, `time` or
    /// `conflict`.
    #[pyo3(get)]
    stop: String,
    /// The same in a sentence.
    #[pyo3(get)]
    meaning: &'static str,
    /// Iterations, the start not counted.
    #[pyo3(get)]
    iterations: u64,
    /// E-nodes at the end.
    #[pyo3(get)]
    e_nodes: usize,
    /// Classes at the end.
    #[pyo3(get)]
    e_classes: usize,
    /// Matches that were found and not applied, because of a limit.
    #[pyo3(get)]
    left_out: u64,
    rules: Vec<(String, Totals)>,
    history: Vec<Moment>,
}

impl RunReport {
    /// Of a report, with the moments that were watched.
    pub fn new(
        shared: &Shared,
        engine: &Engine,
        report: &Report,
        history: Vec<Moment>,
    ) -> RunReport {
        let rules = report.rules.iter().map(|rule| {
            let name = shared.system.rule(rule.rule).name.clone();
            let &RuleTotals { matches, new, unions, bans, .. } = rule;
            (name, Totals { matches, new, unions, bans })
        });
        RunReport {
            stop: report.stop.to_string(),
            meaning: report.stop.meaning(),
            iterations: report.iterations,
            e_nodes: engine.node_count(),
            e_classes: engine.class_count(),
            left_out: report.left_out,
            rules: rules.collect(),
            history,
        }
    }
}

#[pymethods]
impl RunReport {
    /// By rule: matches, those that were new, those that united two classes, and how often it was banned.
    #[getter]
    fn rules<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let rules = PyDict::new(py);
        self.rules.iter().try_for_each(|(name, totals)| rules.set_item(name, *totals))?;
        Ok(rules)
    }

    /// A dictionary for each iteration, the start included: `iteration`, `e_nodes`, `e_classes`, `bytes`,
    /// `built` (e-nodes ever), `matches`, `unions` and `seconds`. `pandas.DataFrame(report.history)` is a table of them.
    #[getter]
    fn history(&self) -> Vec<Moment> {
        self.history.clone()
    }

    fn __repr__(&self) -> String {
        let (stop, iterations, nodes) = (&self.stop, self.iterations, self.e_nodes);
        format!("<RunReport {stop} after {iterations} iterations, {nodes} e-nodes>")
    }
}
