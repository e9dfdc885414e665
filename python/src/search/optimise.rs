//! `optimise`: the best term that equals a given one.

use crate::errors::{any, bad, of_term};
use crate::interrupt::{cancel, on_pool, pool};
use crate::keywords::options::{self, proposing};
use crate::keywords::whole;
use crate::keywords::{all_or_one, cost_of, seconds, shown};
use crate::matches::Order;
use crate::proof::Proof;
use crate::search::guides::{Said, model_of};
use crate::shared::{Shared, System, shown_cost};
use crate::term::{Term, term_like};
use egraph::{Amount, Scheduler, Sketch, TermBank, TermId};
use guided_search::{
    Beside, Objective, OptimiseOptions, OptimiseSettings, Outcome, Planner, Seconds, WrittenPlan,
    optimise as search,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::sync::Arc;
use support::{Internal, Progress, in_order};

/// Looks for the cheapest term that equals a given one, with a proof; or, of a list of terms, of each.
///
/// >>> import cairn_eqsat as cairn
/// >>> ring = cairn.System.load("ring")
/// >>> best = cairn.optimise(ring, "(+ (* a b) (* a c))", cost="size")
/// >>> print(best.term, best.cost, best.proof.end == best.term)
/// (* a (+ b c)) 5 True
///
/// The options are those of :class:`OptimiseOptions`: ``cost`` names costs of the system, with commas between, of which
/// the first counts most; ``size`` and ``depth`` are always there. ``goal`` is a sketch that the term must satisfy. Where
/// it is a term or ``(contains TERM)``, a ``model`` (of ``cairn plans``) or a function ``propose`` says what may come next;
/// of what is reached the search goes to what looks nearest to the goal. Without a goal they may guess what a normal form was, in a system that has them (a model of ``cairn guesses``): what is
/// wrong costs time only. The rest is as in :func:`prove`.
///
/// >>> polynomials = cairn.System.load("polynomials")
/// >>> def guess(request):
/// ...     return ["(* (+ x 1) (+ x 2))"]
/// >>> print(cairn.optimise(polynomials, "(+ (* x x) (+ (* 3 x) 2))", cost="size", propose=guess).term)
/// (* (+ x 1) (+ x 2))
#[pyfunction]
#[pyo3(signature = (system, term, *, model = None, propose = None, ranker = None, seed = 0, time = None,
                    threads = None, progress = None, **options))]
#[allow(clippy::too_many_arguments)] // each has a name where it is given
pub fn optimise<'py>(
    py: Python<'py>,
    system: &System,
    term: &Bound<'py, PyAny>,
    model: Option<&Bound<'py, PyAny>>,
    propose: Option<Py<PyAny>>,
    ranker: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = whole::seed)] seed: u64,
    time: Option<f64>,
    #[pyo3(from_py_with = whole::optional::threads)] threads: Option<usize>,
    progress: Option<bool>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let rules = &system.shared;
    let cancel = cancel();
    let propose = proposing(propose, options)?;
    let options: OptimiseOptions = options::read("optimise", options)?;
    let aim = options.settle(Beside {
        ranker: ranker.is_some_and(|given| !given.extract::<bool>().is_ok_and(|given| !given)),
        writer: model.is_some() || propose.is_some(),
        goals: false,
        normal_form: rules.system.normal_form.is_some(),
    });
    let aim = aim.map_err(any)?;
    let is_used = aim.limits.budget.scheduler.has(Scheduler::BestFirst);
    let order = match ranker {
        _ if !is_used => Order::None,
        None => Order::shipped(rules)?,
        Some(ranker) => Order::of(ranker, rules, &cancel)?,
    };
    let cost = cost_of(&rules.system, &aim.cost)?;
    let read = |text: &String| {
        let strategy = rules.system.read_strategy(text);
        strategy.map(Arc::new).map_err(|mistake| of_term(text, &mistake))
    };
    let strategy = aim.strategy.as_ref().map(read).transpose()?;
    let terms = options.guides();
    let planner: Option<Arc<dyn Planner>> = match (model_of(py, model)?, propose) {
        (None, None) => None,
        (Some(_), Some(_)) => return Err(bad("expected model or propose, not both")),
        (Some(model), None) => {
            model.expect_language(&rules.system).map_err(any)?;
            Some(Arc::new(WrittenPlan { model, terms, seed }))
        }
        (None, Some(propose)) => {
            Some(Arc::new(Said { shared: rules.clone(), propose, wanted: terms }))
        }
    };
    let many = term.is_instance_of::<PyList>() || term.is_instance_of::<PyTuple>();
    let terms = if many { term.extract()? } else { vec![term.clone()] };
    let mut asked = Vec::with_capacity(terms.len());
    for term in &terms {
        let term = term_like(rules, term, None)?;
        let sort = term.bank.sort(term.id);
        let sketch = match &aim.goal {
            None => Sketch::Any,
            Some(text) => Sketch::parse(&rules.system.language, text, Some(sort))
                .map_err(|mistake| of_term(text, &mistake))?,
        };
        let objective = Objective::new(&aim, cost.clone(), sketch).map_err(any)?;
        let mut bank = rules.bank();
        let start = bank.import(&term.bank, term.id);
        asked.push((bank, start, objective));
    }
    let pool = pool(threads)?;
    let alone = asked.len() == 1;
    let time = seconds("time", time)?;
    let settings = || OptimiseSettings {
        deadline: time.and_then(Seconds::from_now),
        cancel: Some(cancel.clone()),
        pool: alone.then(|| pool.clone()),
        order: order.matches(),
        planner: planner.clone(),
        strategy: strategy.clone(),
        ..OptimiseSettings::within(aim.limits, seed)
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
    /// Why it ended, in a word: `saturated`, `proved`, `least`, `smallest`, `settled`, `large`, `patience`, `work`, `time`, `conflict` or
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
