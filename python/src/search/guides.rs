//! Guides that Python functions give.

use crate::errors::{any, bad, of_term};
use crate::keywords::whole;
use crate::matches::Order;
use crate::shared::{Shared, System};
use crate::term::{Term, term_like};
use crate::tokens::Draft;
use dataset_gen::SYSTEM_FILE;
use egraph::{MatchOrder, Sketch, SortId, TermBank, TermId};
use guided_search::{
    Frontier, GuideRequest, GuideSet, GuideSource, NUCLEUS, Planner, Proposal, Waypoint,
};
use model::{DecodeOptions, Device, GuideModel};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Who says how a search goes on: functions for guides and for the best frontier terms, and an order of matches.
pub struct Functions<'a> {
    pub shared: &'a Arc<Shared>,
    /// Proposes guides for a request.
    pub propose: Option<&'a Py<PyAny>>,
    /// Gives each of some terms a number beside the term of the other side; the largest are the best.
    pub score: Option<&'a Py<PyAny>>,
    pub order: &'a Order,
}

impl GuideSource for Functions<'_> {
    fn guides(
        &mut self,
        request: &GuideRequest<'_>,
        bank: &mut TermBank,
    ) -> anyhow::Result<GuideSet> {
        let mut set = GuideSet::default();
        if let Some(function) = self.propose {
            let began = Instant::now();
            let asked = Request {
                start: Term::out_of(self.shared, bank, request.start()),
                target: Term::out_of(self.shared, bank, request.target()),
                wanted: request.settings.guides,
                max_size: request.max_size,
                number: request.number,
                e_nodes: request.e_nodes(),
            };
            let sort = bank.sort(request.start());
            for waypoint in self.ask(function, asked, bank, sort)? {
                let (term, expand) = match &waypoint {
                    Waypoint::Term(term) => (Some(*term), true),
                    Waypoint::Sketch(sketch) => (sketch.to_term(bank), false),
                };
                match term.and_then(|term| Some((term, request.side_of(bank, term)?))) {
                    Some((term, side)) => set.reached[side].push(term),
                    None => set.proposals.push(Proposal { waypoint, expand }),
                }
            }
            set.model_seconds = began.elapsed().as_secs_f64();
        }
        // Whoever says where to grow e-graphs is followed, and nobody else.
        if set.proposals.iter().any(|proposal| proposal.expand) {
            return Ok(set);
        }
        // What they lack is left to the score, or to chance.
        let settings = request.settings;
        let rest = match self.score {
            Some(score) => {
                let mut rng = request.random(2);
                let drawn = request.frontier(bank, settings.drawn, settings.slack, &mut rng);
                let others = [request.target(), request.start()];
                let [start, target] = drawn;
                [
                    self.best(score, bank, start, others[0], settings.guides)?,
                    self.best(score, bank, target, others[1], settings.guides)?,
                ]
            }
            None if self.propose.is_some() => {
                request.frontier(bank, settings.guides, settings.slack, &mut request.random(4))
            }
            None => return Frontier::Shared.guides(request, bank),
        };
        set.fill(rest, settings.guides);
        Ok(set)
    }

    fn order(&self) -> Option<Arc<dyn MatchOrder>> {
        self.order.matches()
    }
}

impl Functions<'_> {
    fn ask(
        &self,
        function: &Py<PyAny>,
        request: Request,
        bank: &mut TermBank,
        sort: SortId,
    ) -> anyhow::Result<Vec<Waypoint>> {
        Python::attach(|py| {
            let mut waypoints = Vec::new();
            for given in function.call1(py, (request,))?.bind(py).try_iter()? {
                waypoints.push(waypoint(self.shared, &given?, bank, sort)?);
            }
            PyResult::Ok(waypoints)
        })
        .map_err(anyhow::Error::new)
    }

    /// The terms with the largest scores; of equal ones those that came first.
    fn best(
        &self,
        score: &Py<PyAny>,
        bank: &TermBank,
        terms: Vec<TermId>,
        other: TermId,
        wanted: usize,
    ) -> anyhow::Result<Vec<TermId>> {
        if terms.is_empty() {
            return Ok(terms);
        }
        let scores = Python::attach(|py| {
            let shown: Vec<Term> =
                terms.iter().map(|&term| Term::out_of(self.shared, bank, term)).collect();
            let other = Term::out_of(self.shared, bank, other);
            let scores: Vec<f64> = score.call1(py, (shown, other))?.extract(py)?;
            let (found, expected) = (scores.len(), terms.len());
            if found != expected {
                return Err(bad(format!("score: expected {expected} numbers, found {found}")));
            }
            if scores.iter().any(|score| score.is_nan()) {
                return Err(bad("score: a score is not a number"));
            }
            Ok(scores)
        })
        .map_err(anyhow::Error::new)?;
        let mut ranked: Vec<(f64, TermId)> = scores.into_iter().zip(terms).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        Ok(ranked.into_iter().take(wanted).map(|(_, term)| term).collect())
    }
}

/// A function that says what may come next on the way to a goal, or what a normal form may become.
pub struct Said {
    pub shared: Arc<Shared>,
    pub propose: Py<PyAny>,
    /// How many terms are wanted at a time.
    pub wanted: usize,
}

impl fmt::Debug for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Said").field("propose", &self.propose).finish_non_exhaustive()
    }
}

impl Planner for Said {
    fn next(
        &self,
        bank: &mut TermBank,
        from: TermId,
        to: TermId,
        most: u64,
        number: u64,
    ) -> anyhow::Result<Vec<TermId>> {
        let (sort, shared) = (bank.sort(from), &self.shared);
        let asked = Request {
            start: Term::out_of(shared, bank, from),
            target: Term::out_of(shared, bank, to),
            wanted: self.wanted,
            max_size: most,
            number,
            e_nodes: 0,
        };
        let terms = Python::attach(|py| {
            let mut terms = Vec::new();
            for given in self.propose.call1(py, (asked,))?.bind(py).try_iter()? {
                let term = term_like(shared, &given?, Some(sort))?;
                terms.push(bank.import(&term.bank, term.id));
            }
            PyResult::Ok(terms)
        })
        .map_err(anyhow::Error::new)?;
        Ok(terms.into_iter().filter(|&term| bank.size(term) <= most).collect())
    }
}

/// A guide: a term, from which and to which e-graphs will be grown, or a text, which is a sketch.
fn waypoint(
    shared: &Arc<Shared>,
    given: &Bound<'_, PyAny>,
    bank: &mut TermBank,
    sort: SortId,
) -> PyResult<Waypoint> {
    if let Ok(text) = given.cast::<PyString>() {
        let text = text.to_str()?;
        let sketch = Sketch::parse(&shared.system.language, text, Some(sort));
        return Ok(Waypoint::Sketch(sketch.map_err(|mistake| of_term(text, &mistake))?));
    }
    let term = term_like(shared, given, Some(sort))?;
    Ok(Waypoint::Term(bank.import(&term.bank, term.id)))
}

/// What a function that writes guides is asked. By `prove`: how to go on from an e-graph, grown from a term that equals
/// the start and one that equals the target, that did not connect them. By `optimise`: what may come next between where it is
/// and its goal; or what a normal form, both its start and its target, may become.
#[pyclass(frozen, module = "cairn_eqsat", name = "GuideRequest")]
pub struct Request {
    start: Term,
    target: Term,
    /// How many guides a side the search can use.
    #[pyo3(get)]
    wanted: usize,
    /// Guides may have at most this many nodes.
    #[pyo3(get)]
    max_size: u64,
    /// Tells the requests of a search apart, from 0.
    #[pyo3(get)]
    number: u64,
    /// E-nodes of the e-graph; 0 where none was grown.
    #[pyo3(get)]
    e_nodes: usize,
}

#[pymethods]
impl Request {
    /// The term that the e-graph was grown from on the side of the start.
    #[getter]
    fn start(&self) -> Term {
        self.start.copy()
    }

    /// That on the side of the target.
    #[getter]
    fn target(&self) -> Term {
        self.target.copy()
    }

    fn __repr__(&self) -> String {
        format!("<GuideRequest {}: {} = {}>", self.number, self.start.shown(), self.target.shown())
    }
}

/// A network that is run by a Python function.
fn by_function(directory: &Path, function: Py<PyAny>) -> PyResult<Box<model::Elsewhere>> {
    let text = std::fs::read_to_string(directory.join(SYSTEM_FILE))?;
    let shared = Shared::read(SYSTEM_FILE.to_owned(), text)?;
    Ok(Box::new(move |drafts: &[model::Draft]| {
        let shown = |draft: &model::Draft| Draft { shared: shared.clone(), draft: draft.clone() };
        let drafts: Vec<Draft> = drafts.iter().map(shown).collect();
        Python::attach(|py| function.call1(py, (drafts,))?.extract(py)).map_err(anyhow::Error::new)
    }))
}

/// A trained transformer, as `cairn train` makes it, that writes guides.
#[pyclass(frozen, module = "cairn_eqsat")]
pub struct Model {
    pub model: Arc<GuideModel>,
}

/// What `model=` may be: a [`Model`], or its directory.
pub fn model_of(
    py: Python<'_>,
    given: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<Arc<GuideModel>>> {
    let of = |given: &Bound<'_, PyAny>| match given.cast::<Model>() {
        Ok(model) => Ok(model.get().model.clone()),
        Err(_) => Ok(Model::load(py, given.extract()?, None)?.model),
    };
    given.map(of).transpose()
}

#[pymethods]
impl Model {
    /// Loads the model in a directory, or by its name one that comes with the package: ``tiling`` or ``polynomials``. A function `network` computes in the place of its network: it is given a list of
    /// :class:`Draft`, and returns for each of them a list of logits, one for each token, of what comes next.
    #[staticmethod]
    #[pyo3(signature = (directory, /, *, network = None))]
    fn load(py: Python<'_>, directory: PathBuf, network: Option<Py<PyAny>>) -> PyResult<Model> {
        let directory = cairn::model_directory(&directory);
        let model = match network {
            None => py.detach(|| GuideModel::load(&directory, &Device::Cpu)),
            Some(function) => GuideModel::load_with(&directory, by_function(&directory, function)?),
        };
        Ok(Model { model: Arc::new(model.map_err(any)?) })
    }

    /// Terms that may lie between two others, the likeliest first, each with the logarithm of its probability.
    /// The same `seed` writes the same guides.
    #[pyo3(signature = (start, target, /, *, count = 10, max_size = 100, nucleus = NUCLEUS,
                        temperature = 1.0, seed = 0))]
    #[allow(clippy::too_many_arguments)] // each has a name where it is given
    fn guides(
        &self,
        py: Python<'_>,
        start: &Term,
        target: &Term,
        #[pyo3(from_py_with = whole::count)] count: usize,
        #[pyo3(from_py_with = whole::max_size)] max_size: usize,
        nucleus: f64,
        temperature: f64,
        #[pyo3(from_py_with = whole::seed)] seed: u64,
    ) -> PyResult<Vec<(Term, f32)>> {
        let shared = &start.shared;
        self.model.expect_language(&shared.system).map_err(any)?;
        if !target.shared.same_language(shared) {
            return Err(bad("start and target are terms of different systems"));
        }
        let mut bank = shared.bank();
        let task = (bank.import(&start.bank, start.id), bank.import(&target.bank, target.id));
        let options = DecodeOptions { nucleus, temperature, guides: count, max_size, seed };
        let written = py.detach(|| self.model.guides(&mut bank, &[task], &options));
        let written = written.map_err(any)?.pop().unwrap_or_default();
        let bank = Arc::new(bank);
        let guide = |guide: model::Guide| {
            (Term::new(shared.clone(), bank.clone(), guide.term), guide.log_probability)
        };
        Ok(written.into_iter().map(guide).collect())
    }

    /// Whether it can be used for this system: a sort of it has the operators that the model knows, by name, or some of these
    /// alone. Rules may be others.
    #[pyo3(signature = (system, /))]
    fn fits(&self, system: &System) -> bool {
        self.model.expect_language(&system.shared.system).is_ok()
    }
}
