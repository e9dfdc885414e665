//! `prove`: guided search, for one question or many.

use crate::errors::{any, bad, of_term};
use crate::interrupt::{cancel, expect_a_thread, here, on_pool, pool};
use crate::keywords::options::{self, proposing};
use crate::keywords::whole;
use crate::keywords::{all_or_one, named, seconds, shown};
use crate::matches::Order;
use crate::proof::Proof;
use crate::search::guides::{Functions, model_of};
use crate::shared::{Shared, System};
use crate::term::{Term, term_like};
use egraph::{Cancel, TermBank, TermId};
use guided_search::{
    Aids, Asked, GuideWriter, Method, Question, Schedulers, SearchOptions, SearchSettings, Seconds,
    read_texts,
};
use model::GuideModel;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::sync::Arc;
use std::thread::available_parallelism;
use support::{Internal, Progress, in_order};

/// What all questions of a call share.
struct Search<'a> {
    shared: &'a Arc<Shared>,
    settings: SearchSettings,
    method: Option<Method>,
    model: Option<Arc<GuideModel>>,
    order: Order,
    propose: Option<Py<PyAny>>,
    score: Option<Py<PyAny>>,
    time: Option<Seconds>,
    cancel: Cancel,
    /// On a question.
    threads: usize,
}

/// What came of one question.
type Answered = (guided_search::Answer, TermBank);

impl Search<'_> {
    fn answer(&self, mut bank: TermBank, ends: [TermId; 2]) -> anyhow::Result<Answered> {
        let deadline = self.time.and_then(Seconds::from_now);
        let question = Question {
            ends,
            number: 0,
            deadline,
            cancel: Some(&self.cancel),
            threads: self.threads,
        };
        let ranker = match &self.order {
            Order::Learned(ranker) => Some(ranker),
            _ => None,
        };
        let model = self.model.as_deref().map(|model| model as &dyn GuideWriter);
        let aids = Aids { model, ranker, ..Aids::default() };
        let (system, settings) = (&self.shared.system, self.settings);
        let mut asked = Asked { system, bank: &mut bank, question, settings, aids };
        let answer = match self.method {
            Some(method) => method.answer(&mut asked)?,
            None => {
                let mut source = Functions {
                    shared: self.shared,
                    propose: self.propose.as_ref(),
                    score: self.score.as_ref(),
                    order: &self.order,
                };
                let schedulers = self.order.matches().map(|_| Schedulers::Mixed);
                asked.search(guided_search::prove, &mut source, schedulers)?
            }
        };
        Ok((answer, bank))
    }
}

/// A term of a question as it was given: text is read together with that of the other end, for a literal has the
/// sort of what it is compared with.
fn question(
    shared: &Arc<Shared>,
    start: &Bound<'_, PyAny>,
    target: &Bound<'_, PyAny>,
) -> PyResult<(TermBank, [TermId; 2])> {
    let mut bank = shared.bank();
    if let (Ok(start), Ok(target)) = (start.cast::<PyString>(), target.cast::<PyString>()) {
        let texts = [("start", start.to_str()?), ("target", target.to_str()?)];
        let terms = match read_texts(&mut bank, &texts) {
            Ok(terms) => terms,
            Err(why) => {
                // Alone, a text that is no term says where it is wrong.
                for (_, text) in texts {
                    if let Err(mistake) = shared.bank().parse(text, None)
                        && why.to_string().contains(&mistake.message)
                    {
                        return Err(of_term(text, &mistake));
                    }
                }
                return Err(any(why));
            }
        };
        return Ok((bank, [terms[0], terms[1]]));
    }
    let (first, other) = match start.cast::<Term>() {
        Ok(_) => (start, target),
        Err(_) => (target, start),
    };
    let one = term_like(shared, first, None)?;
    let two = term_like(shared, other, Some(one.bank.sort(one.id)))?;
    let [one, two] = [one, two].map(|term| bank.import(&term.bank, term.id));
    Ok((bank, if first.is(start) { [one, two] } else { [two, one] }))
}

/// Many questions.
fn pairs(shared: &Arc<Shared>, given: &Bound<'_, PyAny>) -> PyResult<Vec<(TermBank, [TermId; 2])>> {
    let wrong = |_| PyTypeError::new_err("prove: expected two terms, or a list of pairs of terms");
    let one = |pair: PyResult<Bound<'_, PyAny>>| {
        let (start, target): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
            pair?.extract().map_err(wrong)?;
        question(shared, &start, &target)
    };
    given.try_iter().map_err(wrong)?.map(one).collect()
}

/// Proves that two terms are equal, by guided search; or, of a list of pairs, those of each.
///
/// >>> import cairn_eqsat as cairn
/// >>> halide = cairn.System.load("halide")
/// >>> cairn.prove(halide, [("(+ x 0)", "x"), ("(max x x)", "x"), ("x", "(+ x 1)")], work=2_000)
/// ... # doctest: +ELLIPSIS
/// [<Answer proved ...>, <Answer proved ...>, <Answer not proved ...>]
///
/// ``method`` is one of those that ``cairn prove --help`` lists. Instead of it, functions may guide the search:
///
/// - ``propose`` is given a :class:`GuideRequest` and returns guides, which may be on the way: terms, from which and to
///   which e-graphs are grown, and texts, which are sketches that are looked up in every e-graph. They are not trusted:
///   one that can't be reached costs time only. Where it returns no term that the e-graph lacks, the search goes on
///   from terms that were reached, as ``score`` or chance has it.
/// - ``score`` is given terms that were reached on one side, and the term of the other side, and returns a number
///   for each; with the largest the search goes on.
/// - ``ranker`` may be a function, too: it orders the matches of e-graphs that are grown best-first.
///
/// An exception in one of them ends the search and comes out of ``prove``. All other options are those of
/// :class:`SearchOptions`: ``cap`` is what one e-graph may have, as e-nodes or as ``"64MiB"``, and ``work`` is e-nodes over
/// all e-graphs. The answer is the same for any number of ``threads``, unless ``time``, in seconds for each question, ends
/// it. With many questions a bar shows the progress on a terminal, or where ``progress=True`` asks for it.
///
/// >>> def through_sum(request):
/// ...     return ["(+ ? (+ ? ?))", request.target]
/// >>> bool(cairn.prove(halide, "(+ (+ a b) c)", "(+ c (+ b a))", propose=through_sum))
/// True
#[pyfunction]
#[pyo3(signature = (system, start, target = None, *, method = None, ranker = None, model = None, propose = None,
                    score = None, seed = 0, time = None, threads = None, progress = None, **options))]
#[allow(clippy::too_many_arguments)] // each has a name where it is given
pub fn prove<'py>(
    py: Python<'py>,
    system: &System,
    start: &Bound<'py, PyAny>,
    target: Option<&Bound<'py, PyAny>>,
    method: Option<&str>,
    ranker: Option<&Bound<'py, PyAny>>,
    model: Option<&Bound<'py, PyAny>>,
    propose: Option<Py<PyAny>>,
    score: Option<Py<PyAny>>,
    #[pyo3(from_py_with = whole::seed)] seed: u64,
    time: Option<f64>,
    #[pyo3(from_py_with = whole::optional::threads)] threads: Option<usize>,
    progress: Option<bool>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let shared = &system.shared;
    let cancel = cancel();
    let propose = proposing(propose, options)?;
    let options: SearchOptions = options::read("prove", options)?;
    let settings = options.settle(seed).map_err(any)?;
    let functions = propose.is_some() || score.is_some() || ranker.is_some_and(|r| r.is_callable());
    let method = named::<Method>("method", method)?;
    if functions && method.is_some() {
        return Err(bad("method: functions that guide the search are a method of their own"));
    }
    if functions && model.is_some() {
        return Err(bad("model: expected either a model or functions that guide the search"));
    }
    let default = if model.is_some() { "model" } else { "portfolio" };
    let method = match functions {
        true => None,
        false => Some(method.map_or_else(|| default.parse().map_err(bad), Ok)?),
    };
    let uses_ranker = method.is_some_and(Method::uses_ranker);
    let order = match ranker {
        None if uses_ranker => Order::Learned(shared.ranker()?),
        None => Order::None,
        Some(ranker) => Order::of(ranker, shared, &cancel)?,
    };
    let model = model_of(py, model)?;
    if let Some(model) = &model {
        model.expect_language(&shared.system).map_err(any)?;
    }
    let time = seconds("time", time)?;
    let asked = match target {
        Some(target) => vec![question(shared, start, target)?],
        None => pairs(shared, start)?,
    };
    // Functions are called on one thread, and many questions each have one.
    let on_one = match functions || asked.len() != 1 {
        true => 1,
        false => threads.unwrap_or_else(|| available_parallelism().map_or(1, usize::from)),
    };
    let search = Search {
        shared,
        settings,
        method,
        model,
        order,
        propose,
        score,
        time,
        cancel,
        threads: on_one,
    };
    let answers = match <[_; 1]>::try_from(asked) {
        Ok([(bank, ends)]) => {
            let work = || search.answer(bank, ends).map(|found| vec![packed(shared, found)]);
            // A network computes in a pool.
            match search.model {
                None => {
                    expect_a_thread(threads)?;
                    here(py, work)?
                }
                Some(_) => {
                    let pool = pool(threads)?;
                    on_pool(py, &pool, &search.cancel, work)?
                }
            }
        }
        Err(asked) => {
            let pool = pool(threads)?;
            let bar = Progress::new("questions", asked.len() as u64, !shown(py, progress, true)?);
            let one = |number: usize| {
                anyhow::ensure!(!search.cancel.is_asked(), Internal::new("cancelled"));
                let (bank, ends) = &asked[number];
                let found = search.answer(bank.clone(), *ends)?;
                bar.advance(1);
                // The bank of a search holds all terms that it has seen.
                Ok(packed(shared, found))
            };
            let threads = pool.current_num_threads();
            let all = on_pool(py, &pool, &search.cancel, || in_order(asked.len(), threads, one))?;
            bar.finish();
            all
        }
    };
    search.order.raise()?;
    all_or_one(py, answers.map_err(any)?, target.is_none())
}

/// Terms of a bank that is kept as it is: copying out what is needed takes longer than a short search.
const KEPT: usize = 512;

/// An answer, whose terms have banks of their own if that of the search is large.
fn packed(shared: &Arc<Shared>, (answer, bank): Answered) -> Answer {
    let (kept, bank) = (bank.len() <= KEPT, Arc::new(bank));
    let proof = |proof: egraph::Proof| {
        Arc::new(match kept {
            true => Proof::new(shared.clone(), bank.clone(), proof),
            false => Proof::out_of(shared, &bank, &proof),
        })
    };
    let term = |&term: &TermId| match kept {
        true => Term::new(shared.clone(), bank.clone(), term),
        false => Term::out_of(shared, &bank, term),
    };
    let (proved, failure) = match answer.result {
        Ok(proved) => (Some(proof(proved)), None),
        Err(why) => (None, Some(why.to_string())),
    };
    Answer {
        proof: proved,
        failure,
        opposed: answer.opposed.map(|sides| sides.map(proof)),
        waypoints: answer.waypoints.iter().map(term).collect(),
        smallest: answer.smallest.each_ref().map(term),
        work: answer.ledger.work,
        e_graphs: answer.ledger.e_graphs,
        requests: answer.ledger.requests,
        guide_seconds: answer.ledger.model_seconds,
    }
}

/// What `prove` found. It is true if there is a proof.
#[pyclass(frozen, module = "cairn_eqsat")]
pub struct Answer {
    proof: Option<Arc<Proof>>,
    /// Why there is no proof, in a word: `work`, `guides`, `saturated`, `schedule`, `conflict`, `opposed` or
    /// `time`. None of them says that the terms are not equal.
    #[pyo3(get)]
    failure: Option<String>,
    opposed: Option<[Arc<Proof>; 2]>,
    waypoints: Vec<Term>,
    smallest: [Term; 2],
    /// E-nodes that were built, over all e-graphs.
    #[pyo3(get)]
    work: u64,
    /// E-graphs that were grown.
    #[pyo3(get)]
    e_graphs: u64,
    /// How often guides were asked for.
    #[pyo3(get)]
    requests: u64,
    /// Seconds in a model, or in the function that writes guides.
    #[pyo3(get)]
    guide_seconds: f64,
}

#[pymethods]
impl Answer {
    /// The proof, accepted by the checker, if there is one.
    #[getter]
    fn proof(&self) -> Option<Proof> {
        self.proof.as_deref().map(Proof::copy)
    }

    /// After the failure `opposed`: proofs that the start and the target equal two different literals.
    #[getter]
    fn opposed(&self) -> Option<(Proof, Proof)> {
        self.opposed.as_ref().map(|[start, target]| (start.copy(), target.copy()))
    }

    /// The terms that the proof goes through from e-graph to e-graph.
    #[getter]
    fn waypoints(&self) -> Vec<Term> {
        self.waypoints.iter().map(Term::copy).collect()
    }

    /// The smallest terms that were proved equal to the start, and to the target.
    #[getter]
    fn smallest(&self) -> (Term, Term) {
        (self.smallest[0].copy(), self.smallest[1].copy())
    }

    fn __bool__(&self) -> bool {
        self.proof.is_some()
    }

    fn __repr__(&self) -> String {
        let Answer { work, e_graphs, .. } = self;
        match &self.failure {
            None => format!("<Answer proved with {work} work in {e_graphs} e-graphs>"),
            Some(why) => {
                format!("<Answer not proved ({why}) with {work} work in {e_graphs} e-graphs>")
            }
        }
    }
}
