//! Errors as exceptions. Their classes are written in Python, where they can have attributes.

use egraph::{ParseError, SystemError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use support::Internal;

static CLASSES: PyOnceLock<Py<PyModule>> = PyOnceLock::new();

/// An exception of a class of `cairn_eqsat.errors`.
fn exception<A>(class: &str, arguments: A) -> PyErr
where
    A: for<'py> pyo3::call::PyCallArgs<'py>,
{
    Python::attach(|py| {
        let made = || {
            let import = || PyResult::Ok(py.import("cairn_eqsat.errors")?.unbind());
            CLASSES.get_or_try_init(py, import)?.bind(py).getattr(class)?.call1(arguments)
        };
        match made() {
            Ok(exception) => PyErr::from_value(exception),
            Err(error) => error,
        }
    })
}

/// Bad input.
pub fn bad(message: impl Into<String>) -> PyErr {
    exception("CairnError", (message.into(),))
}

/// There is nothing to explain.
pub fn not_proved(message: String) -> PyErr {
    exception("NotProved", (message,))
}

/// The checker does not accept a proof.
pub fn refused(message: String) -> PyErr {
    exception("ProofRefused", (message,))
}

/// A mistake in a rules file.
pub fn of_rules(name: &str, mistake: &ParseError) -> PyErr {
    placed("RuleFileError", name, name, mistake)
}

/// A rules file that can't be read, or is mistaken.
pub fn of_system(error: &SystemError) -> PyErr {
    match error {
        SystemError::Read { .. } => bad(error.to_string()),
        SystemError::Parse { path, mistake } => of_rules(path, mistake),
    }
}

/// A text that is no term, or no sketch.
pub fn of_term(text: &str, mistake: &ParseError) -> PyErr {
    placed("TermError", text, &guided_search::quoted(text), mistake)
}

fn placed(class: &str, file: &str, shown: &str, mistake: &ParseError) -> PyErr {
    let place = mistake.place;
    let message = format!("{shown}:{mistake}");
    exception(class, (message, file, place.line, place.column, mistake.message.clone()))
}

/// Whatever a library says. An exception that it was handed by a Python function stays what it is.
pub fn any(error: anyhow::Error) -> PyErr {
    match error.downcast::<PyErr>() {
        Ok(exception) => exception,
        Err(error) => {
            let class = match error.chain().any(|cause| cause.is::<Internal>()) {
                true => "InternalError",
                false => "CairnError",
            };
            exception(class, (format!("{error:#}"),))
        }
    }
}
