//! What keywords that are whole numbers may be: a mistake says which of them it is, as Python's own does not.

use crate::errors::bad;
use pyo3::prelude::*;

fn of<'py, T: TryFrom<u64>>(name: &str, given: &Bound<'py, PyAny>) -> PyResult<T> {
    if !given.hasattr("__index__")? {
        let found = given.get_type().name()?;
        return Err(pyo3::exceptions::PyTypeError::new_err(format!(
            "{name}: expected a whole number, found {found}"
        )));
    }
    let number = given.extract::<u64>().ok().and_then(|number| T::try_from(number).ok());
    number.ok_or_else(|| {
        bad(format!("{name}: expected a whole number from 0 to 2^64 - 1, found {given}"))
    })
}

/// A function for each keyword, for `from_py_with`; and one for those that may be left out.
macro_rules! keywords {
    ($($name:ident: $kind:ty),*; optional $($left_out:ident: $its:ty),* $(,)?) => {
        $(pub fn $name(given: &Bound<'_, PyAny>) -> PyResult<$kind> {
            of(stringify!($name), given)
        })*

        pub mod optional {
            use pyo3::prelude::*;

            $(pub fn $left_out(given: &Bound<'_, PyAny>) -> PyResult<Option<$its>> {
                if given.is_none() {
                    return Ok(None);
                }
                crate::keywords::whole::of(stringify!($left_out), given).map(Some)
            })*
        }
    };
}

keywords! {
    count: usize, max_size: usize, seed: u64;
    optional iterations: u64, nodes: usize, threads: usize
}
