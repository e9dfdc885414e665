//! `optimise`: the best term that equals a given one.

use crate::errors::{any, bad, of_term};
use crate::interrupt::{cancel, on_pool, pool};
use crate::keywords::{all_or_one, cap_of, cost_of, named, seconds, shown};
use crate::matches::Order;
use crate::proof::Proof;
use crate::search::guides::{Said, model_of};
use crate::shared::{Shared, System, shown_cost};
use crate::term::{Term, term_like};
use crate::whole;
use egraph::{Amount, Scheduler, Sketch, TermBank, TermId};
use guided_search::{
    Budget, Objective, OptimiseSettings, Outcome, Patience, Planner, Schedulers, WrittenPlan,
    check_number, optimise as search,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::sync::Arc;
use std::time::Instant;
use support::{Internal, Progress, in_order};

/// Looks for the cheapest term that equals a given one, with a proof; or, of a list of terms, of each.
///
/// >>> import cairn_eqsat as cairn
/// >>> ring = cairn.System.load("ring")
/// >>> best = cairn.optimise(ring, "(+ (* a b) (* a c))", cost="size")
/// >>> print(best.term, best.cost, best.proof.end == best.term)
/// (* a (+ b c)) 5 True
///
/// ``cost`` names costs of the system, with commas between, of which the first counts most; ``size`` and ``depth``
/// are always there. With ``shared`` equal parts count once; ``exact`` is how many seconds may then go into a proof
/// that nothing costs less. ``patience`` is after how many times the work that found the best term it is the answer
/// (``"off"``: the work is spent). ``goal`` is a sketch that the term must satisfy; with ``first`` the first such term is
/// the answer. Where the goal is a term or ``(contains TERM)``, a ``model`` (of ``cairn plans``) or a function
/// ``guides`` says what may come next, ``per_request`` terms at a time. Without a goal they may guess what a normal
/// form was, in a system that has them (a model of ``cairn guesses``): what is wrong costs time only. The rest is as
/// in :func:`prove`.
///
/// >>> polynomials = cairn.System.load("polynomials")
/// >>> def guess(request):
/// ...     return ["(* (+ x 1) (+ x 2))"]
/// >>> print(cairn.optimise(polynomials, "(+ (* x x) (+ (* 3 x) 2))", cost="size", guides=guess).term)
/// (* (+ x 1) (+ x 2))
#[pyfunction]
#[pyo3(signature = (system, term, *, cost = "cost", shared = false, exact = None, goal = None, first = false,
                    model = None, guides = None, per_request = 8, cap = None, work = None, patience = None,
                    scheduler = None, ranker = None, seed = 0, time = None, threads = None,
                    progress = None))]
#[allow(clippy::too_many_arguments)] // each has a name where it is given
pub fn optimise<'py>(
    py: Python<'py>,
    system: &System,
    term: &Bound<'py, PyAny>,
    cost: &str,
    shared: bool,
    exact: Option<f64>,
    goal: Option<&str>,
    first: bool,
    model: Option<&Bound<'py, PyAny>>,
    guides: Option<Py<PyAny>>,
    #[pyo3(from_py_with = whole::per_request)] per_request: usize,
    cap: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = whole::optional::work)] work: Option<u64>,
    patience: Option<&Bound<'py, PyAny>>,
    scheduler: Option<&str>,
    ranker: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = whole::seed)] seed: u64,
    time: Option<f64>,
    #[pyo3(from_py_with = whole::optional::threads)] threads: Option<usize>,
    progress: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let rules = &system.shared;
    let cancel = cancel();
    let given = ranker.is_some_and(|given| !given.extract::<bool>().is_ok_and(|given| !given));
    let default = if given { Schedulers::Mixed } else { Schedulers::Auto };
    let scheduler = named("scheduler", scheduler)?.unwrap_or(default);
    let budget = Budget::of_optimisation(cap_of("cap", cap)?, work, scheduler);
    budget.check().map_err(any)?;
    let patience = patience.map(|given| given.str()).transpose()?;
    let patience = patience.as_ref().map(|text| text.to_str()).transpose()?;
    let patience: Patience = named("patience", patience)?.unwrap_or_default();
    let (one, other) = scheduler.in_turn();
    let is_used = [Some(one), other].contains(&Some(Scheduler::BestFirst));
    if given && !is_used {
        return Err(bad("ranker orders the matches of scheduler='mixed' or 'best-first'"));
    }
    let order = if is_used { Order::of(ranker, rules, &cancel)? } else { Order::None };
    let cost = cost_of(&rules.system, cost)?;
    if exact.is_some() && (!shared || goal.is_some()) {
        return Err(bad("exact: expected shared=True, and no goal"));
    }
    let exact = seconds(exact)?;
    if first && goal.is_none() {
        return Err(bad("first: expected a goal to end with"));
    }
    check_number("per_request", per_request).map_err(any)?;
    let planner: Option<Arc<dyn Planner>> = match (model_of(py, model)?, guides) {
        (None, None) => None,
        _ if goal.is_none() && rules.system.normal_form.is_none() => {
            return Err(bad(
                "model and guides say what may come next on the way to a goal, or what a normal form may become: \
                 expected a goal, or a system with a normal form",
            ));
        }
        (Some(_), Some(_)) => return Err(bad("expected model or guides, not both")),
        (Some(model), None) => {
            model.expect_system(&rules.system).map_err(any)?;
            Some(Arc::new(WrittenPlan { model, terms: per_request, seed }))
        }
        (None, Some(guides)) => {
            Some(Arc::new(Said { shared: rules.clone(), guides, wanted: per_request }))
        }
    };
    let many = term.is_instance_of::<PyList>() || term.is_instance_of::<PyTuple>();
    let terms = if many { term.extract()? } else { vec![term.clone()] };
    let mut asked = Vec::with_capacity(terms.len());
    for term in &terms {
        let term = term_like(rules, term, None)?;
        let sort = term.bank.sort(term.id);
        let sketch = match goal {
            None => Sketch::Any,
            Some(text) => Sketch::parse(&rules.system.language, text, Some(sort))
                .map_err(|mistake| of_term(text, &mistake))?,
        };
        let objective = Objective { cost: cost.clone(), shared, exact, sketch };
        objective.check().map_err(any)?;
        let mut bank = rules.bank();
        let start = bank.import(&term.bank, term.id);
        asked.push((bank, start, objective));
    }
    let pool = pool(threads)?;
    let alone = asked.len() == 1;
    let time = seconds(time)?;
    let settings = || OptimiseSettings {
        deadline: time.and_then(|time| Instant::now().checked_add(time)),
        cancel: Some(cancel.clone()),
        pool: alone.then(|| pool.clone()),
        order: order.matches(),
        planner: planner.clone(),
        first,
        patience,
        ..OptimiseSettings::within(budget, seed)
    };
    let bar = Progress::new("terms", asked.len() as u64, !shown(py, progress, many)? || alone);
    let one = |number: usize| {
        anyhow::ensure!(!cancel.is_asked(), Internal::new("cancelled"));
        let (bank, start, objective) = &asked[number];
        let mut bank = bank.clone();
        let outcome = search(&rules.system, &mut bank, *start, objective, &settings())?;
        bar.advance(1);
        Ok(packed(rules, &bank, *start, objective, &outcome))
    };
    let count = if alone { 1 } else { pool.current_num_threads() };
    let all = on_pool(py, &pool, &cancel, || match alone {
        true => one(0).map(|one| vec![one]),
        false => in_order(asked.len(), count, one),
    });
    order.raise()?;
    bar.finish();
    all_or_one(py, all?.map_err(any)?, many)
}

fn packed(
    shared: &Arc<Shared>,
    bank: &TermBank,
    start: TermId,
    objective: &Objective,
    outcome: &Outcome,
) -> Optimised {
    let names: Vec<String> = objective.cost.names().into_iter().map(str::to_owned).collect();
    let values = |cost: &egraph::Cost| objective.cost.asked(cost);
    let moment = |best: &guided_search::Best| Moment {
        work: best.work,
        e_graphs: best.e_graphs,
        cost: values(&best.cost),
        term: Term::out_of(shared, bank, best.term),
    };
    Optimised {
        start: Term::out_of(shared, bank, start),
        before: objective.of_term(bank, start).map(|cost| values(&cost)),
        names,
        curve: outcome.curve.iter().map(moment).collect(),
        proof: outcome.proof.as_ref().map(|proof| Proof::out_of(shared, bank, proof)),
        ended: outcome.ended.to_string(),
        work: outcome.ledger.work,
        e_graphs: outcome.ledger.e_graphs,
    }
}

struct Moment {
    work: u64,
    e_graphs: u64,
    cost: Vec<Amount>,
    term: Term,
}

/// What `optimise` found.
#[pyclass(frozen, module = "cairn_eqsat")]
pub struct Optimised {
    start: Term,
    before: Option<Vec<Amount>>,
    names: Vec<String>,
    curve: Vec<Moment>,
    proof: Option<Proof>,
    /// Why it ended, in a word: `saturated`, `proved`, `least`, `smallest`, `settled`, `patience`, `work`, `time`, `conflict` or
    /// `reached`.
    #[pyo3(get)]
    ended: String,
    /// E-nodes that were built, over all e-graphs.
    #[pyo3(get)]
    work: u64,
    /// E-graphs that were grown.
    #[pyo3(get)]
    e_graphs: u64,
}

#[pymethods]
impl Optimised {
    /// The term that was given.
    #[getter]
    fn start(&self) -> Term {
        self.start.copy()
    }

    /// The best term, if one with a known cost that satisfies the goal was found.
    #[getter]
    fn term(&self) -> Option<Term> {
        self.curve.last().map(|best| best.term.copy())
    }

    /// What the best term costs: a number, or by name where several costs were asked for.
    #[getter]
    fn cost<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.curve.last().map(|best| shown_cost(py, &self.names, &best.cost)).transpose()
    }

    /// What the given term costs, if that is known and it satisfies the goal.
    #[getter]
    fn cost_before<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.before.as_ref().map(|of| shown_cost(py, &self.names, of)).transpose()
    }

    /// A proof that the given term equals the best one, accepted by the checker.
    #[getter]
    fn proof(&self) -> Option<Proof> {
        self.proof.as_ref().map(Proof::copy)
    }

    /// The best terms as they were found: dictionaries with `work`, `e_graphs`, `cost` and `term`.
    #[getter]
    fn curve<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let row = |moment: &Moment| {
            let row = PyDict::new(py);
            row.set_item("work", moment.work)?;
            row.set_item("e_graphs", moment.e_graphs)?;
            row.set_item("cost", shown_cost(py, &self.names, &moment.cost)?)?;
            row.set_item("term", moment.term.copy())?;
            Ok(row)
        };
        self.curve.iter().map(row).collect()
    }

    fn __repr__(&self) -> String {
        match self.curve.last() {
            Some(best) => {
                let cost: Vec<String> = best.cost.iter().map(ToString::to_string).collect();
                format!(
                    "<Optimised {} cost {} ({})>",
                    best.term.shown(),
                    cost.join(", "),
                    self.ended
                )
            }
            None => format!("<Optimised: no term was found ({})>", self.ended),
        }
    }
}
