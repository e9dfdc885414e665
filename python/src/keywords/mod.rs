//! What keywords may be that several functions take.

pub mod options;
pub mod whole;

use crate::errors::bad;
use egraph::{ByteSize, CostFunction};
use guided_search::Seconds;
use pyo3::prelude::*;
use pyo3::types::PyList;
use pyo3::{PyClass, PyClassInitializer};

/// What `memory=` may be: a number of bytes, or a text such as `64MiB`.
pub fn memory_of(given: &Bound<'_, PyAny>) -> PyResult<usize> {
    match given.extract::<usize>() {
        Ok(bytes) if bytes > 0 => Ok(bytes),
        _ => {
            let text = given.str()?.to_string();
            let size: Result<ByteSize, _> = text.parse();
            size.map(|size| size.0).map_err(|why| bad(format!("memory: {why}")))
        }
    }
}

/// What `time=` may be: seconds.
pub fn seconds(name: &str, given: Option<f64>) -> PyResult<Option<Seconds>> {
    let wrong = |why| bad(format!("{name}: {why}"));
    given.map(|seconds| Seconds::try_from(seconds).map_err(wrong)).transpose()
}

/// A keyword that names one of several.
pub fn named<T: std::str::FromStr<Err = String>>(
    name: &str,
    given: Option<&str>,
) -> PyResult<Option<T>> {
    given.map(|text| text.parse().map_err(|why| bad(format!("{name}: {why}")))).transpose()
}

/// What `cost=` may be: names of costs of the system.
pub fn cost_of(system: &egraph::System, names: &str) -> PyResult<CostFunction> {
    CostFunction::named(system, names).map_err(|why| bad(format!("cost: {why}")))
}

/// Whether a bar is shown: with many questions on a terminal, if `progress=` does not say.
pub fn shown(py: Python<'_>, given: Option<bool>, many: bool) -> PyResult<bool> {
    match given {
        Some(given) => Ok(given),
        None if many => py.import("sys")?.getattr("stderr")?.call_method0("isatty")?.extract(),
        None => Ok(false),
    }
}

/// What a call gives: a list, if it was asked many questions.
pub fn all_or_one<'py, T: PyClass + Into<PyClassInitializer<T>>>(
    py: Python<'py>,
    answers: Vec<T>,
    many: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let mut all = answers.into_iter().map(|answer| Bound::new(py, answer));
    match all.next() {
        Some(one) if !many => Ok(one?.into_any()),
        first => {
            let all = first.into_iter().chain(all).collect::<PyResult<Vec<_>>>()?;
            Ok(PyList::new(py, all)?.into_any())
        }
    }
}
