//! What a run of an e-graph did.

use crate::shared::Shared;
use egraph::{EGraph as Engine, Iteration, Report};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The e-graph after an iteration.
#[derive(Clone, Copy)]
pub struct Moment {
    iteration: u64,
    e_nodes: usize,
    e_classes: usize,
    bytes: usize,
    matches: u64,
    unions: u64,
    seconds: f64,
}

impl Moment {
    /// That of an iteration.
    pub fn of(iteration: &Iteration) -> Moment {
        let Iteration { iteration: number, e_nodes, e_classes, bytes, matches, unions, .. } =
            *iteration;
        let seconds = iteration.seconds;
        Moment { iteration: number, e_nodes, e_classes, bytes, matches, unions, seconds }
    }
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
    rules: Vec<(String, [u64; 4])>,
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
            (name, [rule.matches, rule.new, rule.unions, rule.bans])
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
        for (name, numbers) in &self.rules {
            let rule = PyDict::new(py);
            for (key, number) in ["matches", "new", "unions", "bans"].into_iter().zip(numbers) {
                rule.set_item(key, number)?;
            }
            rules.set_item(name, rule)?;
        }
        Ok(rules)
    }

    /// A dictionary for each iteration, the start included: `iteration`, `e_nodes`, `e_classes`, `bytes`,
    /// `matches`, `unions` and `seconds`. `pandas.DataFrame(report.history)` is a table of them.
    #[getter]
    fn history<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let row = |moment: &Moment| {
            let row = PyDict::new(py);
            row.set_item("iteration", moment.iteration)?;
            row.set_item("e_nodes", moment.e_nodes)?;
            row.set_item("e_classes", moment.e_classes)?;
            row.set_item("bytes", moment.bytes)?;
            row.set_item("matches", moment.matches)?;
            row.set_item("unions", moment.unions)?;
            row.set_item("seconds", moment.seconds)?;
            Ok(row)
        };
        self.history.iter().map(row).collect()
    }

    fn __repr__(&self) -> String {
        let (stop, iterations, nodes) = (&self.stop, self.iterations, self.e_nodes);
        format!("<RunReport {stop} after {iterations} iterations, {nodes} e-nodes>")
    }
}
