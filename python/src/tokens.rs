//! Tasks and guides as a network in Python reads and writes them.

use crate::errors::{any, bad};
use crate::shared::Shared;
use crate::term::Term;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// The tokens of a checkpoint; `cairn_eqsat.torch_model` has a network for them.
#[pyclass(frozen, module = "cairn_eqsat")]
pub struct Tokens {
    tokens: model::Tokens,
}

#[pymethods]
impl Tokens {
    /// Reads those of the model in a directory.
    #[staticmethod]
    #[pyo3(signature = (directory, /))]
    fn load(directory: PathBuf) -> PyResult<Tokens> {
        Ok(Tokens { tokens: model::Tokens::load(&directory).map_err(any)? })
    }

    fn __len__(&self) -> usize {
        self.tokens.len()
    }

    /// A guide for a task, nothing of it written; `None` if the task is too long for the network, or no guide is
    /// small enough.
    #[pyo3(signature = (start, target, /, *, max_size = 100))]
    fn draft(&self, start: &Term, target: &Term, max_size: usize) -> PyResult<Option<Draft>> {
        let shared = &start.shared;
        if shared.system.hash != self.tokens.system().hash {
            return Err(bad("the model was trained for another rewrite system"));
        }
        let mut bank = shared.bank();
        let task = [start, target].map(|end| bank.import(&end.bank, end.id));
        let draft = self.tokens.draft(&bank, task, max_size).map_err(any)?;
        Ok(draft.map(|draft| Draft { shared: shared.clone(), draft }))
    }
}

/// The nodes of a tree: all features, where those of each node begin, and the places of the nodes.
type Nodes = (Vec<u32>, Vec<u32>, Vec<[i32; 5]>);

fn shown(nodes: model::Nodes) -> Nodes {
    (nodes.features, nodes.starts, nodes.places)
}

/// A guide, as far as it is written. Whatever is chosen among the tokens that are allowed, a term comes out.
#[pyclass(module = "cairn_eqsat")]
pub struct Draft {
    pub shared: Arc<Shared>,
    pub draft: model::Draft,
}

#[pymethods]
impl Draft {
    /// The start of the task, as an encoder reads it: features, where those of each node begin, places.
    fn start(&self) -> Nodes {
        shown(self.draft.end(false))
    }

    /// The target.
    fn target(&self) -> Nodes {
        shown(self.draft.end(true))
    }

    /// What is written, and the hole that comes next, as the decoder reads it.
    fn guide(&self) -> Nodes {
        shown(self.draft.guide())
    }

    /// Whether nothing is left to write.
    #[getter]
    fn complete(&self) -> bool {
        self.draft.is_complete()
    }

    /// The tokens that may come next.
    fn allowed(&mut self) -> Vec<u32> {
        self.draft.allowed()
    }

    /// Writes a token.
    #[pyo3(signature = (token, /))]
    fn push(&mut self, token: u32) -> PyResult<()> {
        self.draft.push(token).map_err(any)
    }

    /// The tokens of a term, as a guide of this task.
    #[pyo3(signature = (term, /))]
    fn tokens_of(&self, term: &Term) -> PyResult<Vec<u32>> {
        self.draft.tokens_of(&term.bank, term.id).map_err(any)
    }

    /// The complete guide.
    fn term(&self) -> PyResult<Term> {
        let mut bank = self.shared.bank();
        let id = self.draft.term(&mut bank).map_err(any)?;
        Ok(Term::new(self.shared.clone(), Arc::new(bank), id))
    }
}
