//! E-graphs.

pub mod extraction;
mod run;
mod state;

use crate::egraph::extraction::Extraction;
use crate::egraph::run::Keywords;
use crate::egraph::state::State;
use crate::errors::{any, bad, not_proved};
use crate::interrupt::here;
use crate::keywords::options::was_renamed;
use crate::keywords::whole;
use crate::keywords::{cost_of, seconds};
use crate::proof::Proof;
use crate::run_report::RunReport;
use crate::shared::System;
use crate::term::{Term, escaped, term_like};
use cairn::egraph_page;
use egraph::{
    BestTerms, EGraph as Engine, Extraction as Way, Id, Node, SortId, TermBank, TermId, explain,
};
use guided_search::quoted;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, TryLockError};

/// Classes of equal terms, grown by the rules of a system. Whatever is equal in it can be explained.
///
/// >>> import cairn_eqsat as cairn
/// >>> egraph = cairn.EGraph(cairn.System.load("math"))
/// >>> start = egraph.add("(+ (* a b) (* a c))")
/// >>> report = egraph.run(iterations=4, nodes=5_000)
/// >>> egraph.equal("(+ (* a b) (* a c))", "(* a (+ b c))")
/// True
/// >>> best = egraph.extract(start, cost="size")
/// >>> print(best.term, best.cost)
/// (* a (+ b c)) 5
/// >>> egraph.explain("(+ (* a b) (* a c))", "(* a (+ b c))").check()
#[pyclass(frozen, module = "cairn_eqsat")]
pub struct EGraph {
    held: Mutex<Held>,
}

/// An operator, and the classes of its arguments.
type ENode = (String, Vec<u32>);

/// What an e-graph has, for one call at a time.
struct Held {
    state: State,
    bank: TermBank,
    /// What `pop` goes back to, the last one first.
    pushed: Vec<State>,
}

impl EGraph {
    fn of(state: State) -> EGraph {
        let held = Held { bank: state.shared.bank(), state, pushed: Vec::new() };
        EGraph { held: Mutex::new(held) }
    }

    /// For this call alone: another one may come from another thread, or from a function that this one calls.
    fn hold(&self) -> PyResult<MutexGuard<'_, Held>> {
        match self.held.try_lock() {
            Ok(held) => Ok(held),
            Err(TryLockError::Poisoned(held)) => Ok(held.into_inner()),
            Err(TryLockError::WouldBlock) => Err(bad(
                "the e-graph is in use: another call of it has not ended, in another thread or around the function \
                 that makes this one; an e-graph takes one call at a time",
            )),
        }
    }
}

impl Held {
    /// A term of the system, in this bank.
    fn enter(&mut self, given: &Bound<'_, PyAny>) -> PyResult<TermId> {
        self.enter_of(given, None)
    }

    fn enter_of(&mut self, given: &Bound<'_, PyAny>, sort: Option<SortId>) -> PyResult<TermId> {
        let term = term_like(&self.state.shared, given, sort)?;
        Ok(self.bank.import(&term.bank, term.id))
    }

    /// What an integer is wherever a class may be meant: the number of one.
    fn numbered(&self, given: &Bound<'_, PyAny>) -> PyResult<Option<Id>> {
        if !given.hasattr("__index__")? || given.is_instance_of::<PyBool>() {
            return Ok(None);
        }
        let built = self.state.engine.built();
        match given.extract::<u32>() {
            Ok(id) if u64::from(id) < built => Ok(Some(Id(id))),
            _ => Err(bad(format!(
                "there is no class {given}: an integer is the number of a class here, as `add` gives it; a literal is \
                 written as text, '{given}'"
            ))),
        }
    }

    /// The class of a term, or of a number.
    fn class(&mut self, given: &Bound<'_, PyAny>) -> PyResult<Option<Id>> {
        if let Some(id) = self.numbered(given)? {
            return Ok(Some(self.state.engine.find(id)));
        }
        let term = self.enter(given)?;
        Ok(self.state.engine.lookup(&self.bank, term))
    }

    /// Two terms of one sort; the number of a class stands for one of its terms.
    fn pair(&mut self, given: [&Bound<'_, PyAny>; 2]) -> PyResult<[TermId; 2]> {
        let mut terms = [None; 2];
        for (term, given) in terms.iter_mut().zip(given) {
            if let Some(id) = self.numbered(given)? {
                *term = Some(self.state.engine.term(&mut self.bank, id));
            } else if given.is_instance_of::<Term>() {
                *term = Some(self.enter(given)?);
            }
        }
        // A literal or a variable has the sort of what it is compared with.
        let sort = terms.iter().flatten().map(|&term| self.bank.sort(term)).next();
        let left = match terms[0] {
            Some(term) => term,
            None => self.enter_of(given[0], sort)?,
        };
        let sort = self.bank.sort(left);
        let right = match terms[1] {
            Some(term) if self.bank.sort(term) == sort => term,
            Some(term) => {
                let name = |sort| self.state.shared.system.language.sort_name(sort);
                let (found, sort) = (name(self.bank.sort(term)), name(sort));
                let term = self.bank.display_part(term, 40);
                return Err(bad(format!("{term} has sort {found}: expected {sort}")));
            }
            None => self.enter_of(given[1], Some(sort))?,
        };
        Ok([left, right])
    }

    fn expect_class(&mut self, given: &Bound<'_, PyAny>) -> PyResult<Id> {
        match self.class(given)? {
            Some(class) => Ok(class),
            None => {
                let shown = quoted(&given.str()?.to_string());
                Err(bad(format!("the e-graph does not hold {shown}: add it first")))
            }
        }
    }
}

#[pymethods]
impl EGraph {
    /// An empty e-graph for terms of a system.
    #[new]
    #[pyo3(signature = (system, /))]
    fn new(system: &System) -> EGraph {
        let shared = system.shared.clone();
        let engine = Engine::new(shared.system.clone());
        EGraph::of(State::of(shared, engine, Vec::new()))
    }

    /// An e-graph that `save`, or `cairn saturate --save`, wrote. Its rules are those of the system, or the first ones of
    /// them; `run(go_on=True)` goes on where it was left.
    #[staticmethod]
    #[pyo3(signature = (system, file, /))]
    fn load(system: &System, file: PathBuf) -> PyResult<EGraph> {
        let state = State::load(system.shared.clone(), &file)?;
        Ok(EGraph::of(state))
    }

    /// Writes the e-graph to a file, whole or not at all, for `EGraph.load` and `cairn saturate --load`. An earlier e-graph
    /// in it is replaced.
    #[pyo3(signature = (file, /))]
    fn save(&self, file: PathBuf) -> PyResult<()> {
        let held = &mut *self.hold()?;
        held.state.settle(&held.bank)?;
        held.state.save(&file)
    }

    /// Keeps the e-graph as it is now, for `pop`.
    ///
    /// >>> import cairn_eqsat as cairn
    /// >>> egraph = cairn.EGraph(cairn.System.load("math"))
    /// >>> _ = egraph.add("(+ a b)")
    /// >>> egraph.push()
    /// >>> egraph.union("a", "b")
    /// True
    /// >>> egraph.pop()
    /// >>> egraph.equal("a", "b")
    /// False
    fn push(&self) -> PyResult<()> {
        let held = &mut *self.hold()?;
        held.pushed.push(held.state.clone());
        Ok(())
    }

    /// Goes back to the e-graph of the last `push` that was not gone back to.
    fn pop(&self) -> PyResult<()> {
        let held = &mut *self.hold()?;
        held.state = held.pushed.pop().ok_or_else(|| bad("pop: nothing was pushed"))?;
        Ok(())
    }

    /// The system, with what was given by `union` as further rules.
    #[getter]
    fn system(&self) -> PyResult<System> {
        let held = &mut *self.hold()?;
        held.state.settle(&held.bank)?;
        Ok(System { shared: held.state.shared.clone() })
    }

    /// Adds a term and its subterms; the number of its class.
    #[pyo3(signature = (term, /))]
    fn add(&self, term: &Bound<'_, PyAny>) -> PyResult<u32> {
        let held = &mut *self.hold()?;
        let term = held.enter(term)?;
        let id = held.state.engine.add_term(&held.bank, term);
        held.state.roots.push(id);
        held.state.engine.rebuild();
        Ok(held.state.engine.find(id).0)
    }

    /// Makes two terms equal by hand, which adds them. Proofs say so: the equality is a rule of `egraph.system`
    /// from then on, called `given-1`, `given-2` and so on. Returns whether they were in two classes. The number of a
    /// class stands for one of its terms.
    ///
    /// >>> import cairn_eqsat as cairn
    /// >>> egraph = cairn.EGraph(cairn.System.load("math"))
    /// >>> egraph.union(egraph.add("a"), egraph.add("b"))
    /// True
    /// >>> egraph.equal("a", "b"), egraph.system.rules[-1]
    /// (True, 'given-1')
    #[pyo3(signature = (left, right, /))]
    fn union(&self, left: &Bound<'_, PyAny>, right: &Bound<'_, PyAny>) -> PyResult<bool> {
        let held = &mut *self.hold()?;
        let [left, right] = held.pair([left, right])?;
        let ids = [left, right].map(|term| held.state.engine.add_term(&held.bank, term));
        held.state.engine.rebuild();
        if held.state.engine.find(ids[0]) == held.state.engine.find(ids[1]) {
            return Ok(false);
        }
        held.state.give(&mut held.bank, [left, right])?;
        Ok(true)
    }

    /// Whether two terms, or classes, are known to be equal. A term that the e-graph does not hold equals nothing.
    #[pyo3(signature = (left, right, /))]
    fn equal(&self, left: &Bound<'_, PyAny>, right: &Bound<'_, PyAny>) -> PyResult<bool> {
        let held = &mut *self.hold()?;
        let (left, right) = (held.class(left)?, held.class(right)?);
        Ok(left.is_some() && left == right)
    }

    /// The number of the class of a term, if the e-graph holds it.
    #[pyo3(signature = (term, /))]
    fn find(&self, term: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
        let held = &mut *self.hold()?;
        Ok(held.class(term)?.map(|class| class.0))
    }

    fn __contains__(&self, term: &Bound<'_, PyAny>) -> PyResult<bool> {
        let held = &mut *self.hold()?;
        Ok(held.class(term)?.is_some())
    }

    /// All classes by their numbers: the e-nodes of each, as pairs of an operator and the classes of its arguments.
    fn classes(&self) -> PyResult<BTreeMap<u32, Vec<ENode>>> {
        let held = self.hold()?;
        let State { shared, engine, .. } = &held.state;
        let e_node = |&node: &Id| {
            let name = match engine.node(node) {
                Node::Op(op) => shared.system.language.op(op).name.clone(),
                Node::Leaf(leaf) => leaf.to_string(),
            };
            (name, engine.children(node).iter().map(|&child| engine.find(child).0).collect())
        };
        let class = |class: Id| (class.0, engine.nodes(class).iter().map(e_node).collect());
        Ok(engine.classes().map(class).collect())
    }

    /// Number of e-nodes.
    #[getter]
    fn e_nodes(&self) -> PyResult<usize> {
        let held = self.hold()?;
        Ok(held.state.engine.node_count())
    }

    /// Number of classes.
    #[getter]
    fn e_classes(&self) -> PyResult<usize> {
        let held = self.hold()?;
        Ok(held.state.engine.class_count())
    }

    /// Bytes that it takes.
    #[getter]
    fn bytes(&self) -> PyResult<usize> {
        let held = self.hold()?;
        Ok(held.state.engine.heap_bytes())
    }

    /// Applies the rules until nothing changes, or a limit.
    ///
    /// `memory` is bytes or a text such as `"64MiB"` (256 MiB if there is no other limit), `time` seconds.
    /// `scheduler` is `"simple"`, `"backoff"` or `"best-first"`, or a function that is given the number of
    /// the iteration and the report on the one before, and returns the schedule of the next, as
    /// `"(run comm)"`, or `None` for the end. `schedule` is a text that stands for that of the system, as
    /// `"(repeat 3 (run comm) (run))"`. `ranker` orders the matches of best-first: a `Ranker`, its file, or a
    /// function that is given a list of matches and returns a rank for each, the largest first. With `go_on` only what
    /// is new since the last run is looked at, unless that one left matches out.
    ///
    /// >>> import cairn_eqsat as cairn
    /// >>> egraph = cairn.EGraph(cairn.System.load("halide"))
    /// >>> _ = egraph.add("(+ x (+ y (+ z 0)))")
    /// >>> egraph.run(scheduler="best-first", nodes=500, ranker=lambda ms: [-m.excess for m in ms]).stop
    /// 'nodes'
    #[pyo3(signature = (*, iterations = None, nodes = None, memory = None, time = None,
                        scheduler = None, ranker = None, schedule = None, go_on = false, threads = None))]
    #[allow(clippy::too_many_arguments)] // each has a name where it is given
    fn run(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = whole::optional::iterations)] iterations: Option<u64>,
        #[pyo3(from_py_with = whole::optional::nodes)] nodes: Option<usize>,
        memory: Option<&Bound<'_, PyAny>>,
        time: Option<f64>,
        scheduler: Option<&Bound<'_, PyAny>>,
        ranker: Option<&Bound<'_, PyAny>>,
        schedule: Option<&str>,
        go_on: bool,
        #[pyo3(from_py_with = whole::optional::threads)] threads: Option<usize>,
    ) -> PyResult<RunReport> {
        let held = &mut *self.hold()?;
        let keywords = Keywords {
            iterations,
            nodes,
            memory,
            time,
            scheduler,
            ranker,
            schedule,
            go_on,
            threads,
        };
        held.state.settle(&held.bank)?;
        held.state.run_as(py, keywords)
    }

    /// The term of a class that costs least, and what it costs. `term` is a term of the class, or its number.
    ///
    /// `cost` names costs of the system with commas between, of which the first counts most (`"size"`,
    /// `"depth"`, `"flops, size"`), or is a function of an operator's name and the costs of its arguments.
    /// No cost may be less than that of an argument. With `shared` equal parts count once; with `exact_time` so many
    /// seconds are spent on a proof that nothing in the class costs less.
    ///
    /// >>> import cairn_eqsat as cairn
    /// >>> egraph = cairn.EGraph(cairn.System.load("math"))
    /// >>> start = egraph.add("(* x (+ x x))")
    /// >>> _ = egraph.run(iterations=3)
    /// >>> def deep(op, children):
    /// ...     return 1 + max(children, default=0)
    /// >>> egraph.extract(start, cost=deep).cost
    /// 3.0
    #[pyo3(signature = (term, /, *, cost = None, shared = false, exact_time = None, exact = None))]
    fn extract(
        &self,
        py: Python<'_>,
        term: &Bound<'_, PyAny>,
        cost: Option<&Bound<'_, PyAny>>,
        shared: bool,
        exact_time: Option<f64>,
        exact: Option<f64>,
    ) -> PyResult<Extraction> {
        if exact.is_some() {
            was_renamed(py, "exact", "exact_time")?;
        }
        let exact_time = exact_time.or(exact);
        let held = &mut *self.hold()?;
        let class = held.expect_class(term)?;
        let time = seconds("exact_time", exact_time)?.map(|seconds| seconds.0);
        let way = Way::new(shared, time).map_err(bad)?;
        if let Some(function) = cost.filter(|cost| cost.is_callable()) {
            if shared {
                return Err(bad("shared: the cost of a function is that of a tree"));
            }
            return extraction::by_function(py, &held.state, &mut held.bank, class, function);
        }
        let names = match cost {
            Some(names) => names.cast::<PyString>()?.to_str()?.to_owned(),
            None => "cost".to_owned(),
        };
        extraction::by_name(py, &held.state, &mut held.bank, class, &names, way)
    }

    /// Why two terms are equal: a proof, accepted by the checker. Raises `NotProved` if they are not equal in this
    /// e-graph. The number of a class stands for one of its terms.
    #[pyo3(signature = (left, right, /))]
    fn explain(
        &self,
        py: Python<'_>,
        left: &Bound<'_, PyAny>,
        right: &Bound<'_, PyAny>,
    ) -> PyResult<Proof> {
        let held = &mut *self.hold()?;
        let ends = held.pair([left, right])?;
        held.state.settle(&held.bank)?;
        let (engine, bank) = (&held.state.engine, &mut held.bank);
        let proof = here(py, || explain(engine, bank, ends[0], ends[1]))?;
        let proof = proof.ok_or_else(|| {
            let [left, right] = ends.map(|end| held.bank.display_part(end, 40).to_string());
            not_proved(format!("{left} and {right} are not equal in this e-graph"))
        })?;
        let proof =
            guided_search::checked(&held.state.shared.system, &held.bank, vec![proof], ends)
                .map_err(any)?;
        Ok(Proof::out_of(&held.state.shared, &held.bank, &proof))
    }

    /// A page about it: classes, what they cost, the best terms; a small e-graph is drawn.
    #[pyo3(signature = (*, cost = "size"))]
    fn to_html(&self, cost: &str) -> PyResult<String> {
        let held = self.hold()?;
        let roots = held.state.root_classes();
        let cost = cost_of(&held.state.shared.system, cost)?;
        let best = BestTerms::of(&held.state.engine, &cost);
        Ok(egraph_page(&best, &mut held.state.shared.bank(), &cost, &roots))
    }

    /// The e-graph for Graphviz.
    #[pyo3(signature = (*, cost = "size"))]
    fn to_dot(&self, cost: &str) -> PyResult<String> {
        self.written(cost, |best, roots, out| interop::write_dot(best, roots, out))
    }

    /// The e-graph as JSON of the crate egraph-serialize.
    #[pyo3(signature = (*, cost = "size"))]
    fn to_json(&self, cost: &str) -> PyResult<String> {
        self.written(cost, |best, roots, out| interop::write_serialized(best, roots, out))
    }

    fn _repr_html_(&self) -> PyResult<String> {
        let page = escaped(&self.to_html("size")?);
        Ok(format!(
            "<iframe srcdoc=\"{page}\" style=\"width: 100%; height: 32em; border: 0\"></iframe>"
        ))
    }

    fn __repr__(&self) -> PyResult<String> {
        let held = self.hold()?;
        let State { engine, shared, .. } = &held.state;
        let (nodes, classes) = (engine.node_count(), engine.class_count());
        Ok(format!("<EGraph {}: {nodes} e-nodes, {classes} classes>", shared.name))
    }
}

impl EGraph {
    fn written(
        &self,
        cost: &str,
        write: impl FnOnce(&BestTerms<'_>, &[Id], &mut Vec<u8>) -> std::io::Result<()>,
    ) -> PyResult<String> {
        let held = self.hold()?;
        let cost = cost_of(&held.state.shared.system, cost)?;
        let mut text = Vec::new();
        write(&BestTerms::of(&held.state.engine, &cost), &held.state.root_classes(), &mut text)?;
        String::from_utf8(text).map_err(|error| bad(error.to_string()))
    }
}
