//! `EGraph.run`: an e-graph is grown, as keywords or a Python function say.

use crate::egraph::state::State;
use crate::errors::bad;
use crate::interrupt::{cancel, here, on_pool, pool};
use crate::keywords::{memory_of, seconds};
use crate::matches::Order;
use crate::run_report::{Moment, RunReport};
use egraph::{Limits, Report, SaturationConfig, Scheduler, StopReason, saturate};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::ops::ControlFlow;
use std::time::Instant;

/// The keywords of `EGraph.run`.
pub struct Keywords<'a, 'py> {
    pub iterations: Option<u64>,
    pub nodes: Option<usize>,
    pub memory: Option<&'a Bound<'py, PyAny>>,
    pub time: Option<f64>,
    pub scheduler: Option<&'a Bound<'py, PyAny>>,
    pub ranker: Option<&'a Bound<'py, PyAny>>,
    pub schedule: Option<&'a str>,
    pub go_on: bool,
    pub threads: Option<usize>,
}

impl State {
    /// Grows the e-graph as keywords say.
    pub fn run_as(&mut self, py: Python<'_>, keywords: Keywords<'_, '_>) -> PyResult<RunReport> {
        let Keywords { iterations, nodes, scheduler, ranker, schedule, go_on, threads, .. } =
            keywords;
        let memory = match keywords.memory {
            Some(memory) => Some(memory_of(memory)?),
            None if iterations.or(nodes.map(|nodes| nodes as u64)).is_none() => Some(256 << 20),
            None => None,
        };
        let time = seconds("time", keywords.time)?.map(|seconds| seconds.0);
        let limits = Limits { memory, nodes, iterations, time, ..Limits::default() };
        let function = scheduler.filter(|given| given.is_callable());
        let named = match scheduler {
            Some(given) if function.is_none() => given
                .cast::<PyString>()?
                .to_str()?
                .parse()
                .map_err(|why: String| bad(format!("scheduler: {why}, or a function")))?,
            _ => Scheduler::Simple,
        };
        if ranker.is_some() && named != Scheduler::BestFirst {
            return Err(bad("ranker orders the matches of scheduler='best-first'"));
        }
        let cancel = cancel();
        let order = match ranker {
            Some(ranker) => Order::of(ranker, &self.shared, &cancel)?,
            None => Order::None,
        };
        let config = SaturationConfig {
            limits,
            scheduler: named,
            cancel: Some(cancel),
            sides: [self.roots.clone(), Vec::new()],
            order: order.matches(),
            go_on,
            ..SaturationConfig::default()
        };
        let mut history = Vec::new();
        let report = match function {
            None => {
                let schedule = schedule.map(|text| self.schedule(text)).transpose()?;
                let config = SaturationConfig { schedule, ..config };
                self.grow(py, &config, threads, &mut history)
            }
            Some(_) if schedule.is_some() => {
                return Err(bad("schedule: a scheduler that is a function says which rules run"));
            }
            Some(function) => self.by_function(py, function, &config, threads, &mut history),
        };
        let report = report?;
        order.raise()?;
        Ok(RunReport::new(&self.shared, &self.engine, &report, history))
    }

    /// Grows the e-graph as `config` says.
    pub fn grow(
        &mut self,
        py: Python<'_>,
        config: &SaturationConfig,
        threads: Option<usize>,
        history: &mut Vec<Moment>,
    ) -> PyResult<Report> {
        let pool = pool(threads)?;
        let cancel = config.cancel.clone().unwrap_or_default();
        let config = SaturationConfig { pool: Some(pool.clone()), ..config.clone() };
        let engine = &mut self.engine;
        let work = || {
            saturate(engine, &config, &mut |_, iteration| {
                history.push(Moment::of(iteration));
                ControlFlow::Continue(())
            })
        };
        match pool.current_num_threads() {
            1 => here(py, work),
            _ => on_pool(py, &pool, &cancel, work),
        }
    }

    /// Iterations whose rules a Python function chooses.
    fn by_function(
        &mut self,
        py: Python<'_>,
        function: &Bound<'_, PyAny>,
        config: &SaturationConfig,
        threads: Option<usize>,
        history: &mut Vec<Moment>,
    ) -> PyResult<Report> {
        let began = Instant::now();
        let most = config.limits.iterations.unwrap_or(u64::MAX);
        let mut all: Option<Report> = None;
        for number in 0.. {
            let last = all.as_ref();
            let last = last.map(|r| RunReport::new(&self.shared, &self.engine, r, Vec::new()));
            if number >= most {
                break;
            }
            let next: Option<String> = function.call1((number, last))?.extract().map_err(|_| {
                PyTypeError::new_err("scheduler: expected a schedule as text, or None for the end")
            })?;
            let Some(schedule) = next else { break };
            let schedule = Some(self.schedule(&schedule)?);
            let mut config = SaturationConfig { schedule, ..config.clone() };
            config.limits.iterations = None;
            config.limits.time =
                config.limits.time.map(|time| time.saturating_sub(began.elapsed()));
            let mut moments = Vec::new();
            let mut report = self.grow(py, &config, threads, &mut moments)?;
            // The first of each run is its start, which the one before has shown.
            history.extend(moments.into_iter().skip(usize::from(number > 0)));
            report.iterations += all.as_ref().map_or(0, |all| all.iterations);
            let ended = !matches!(report.stop, StopReason::Schedule | StopReason::Saturated);
            all = Some(report);
            if ended {
                break;
            }
        }
        all.ok_or_else(|| PyValueError::new_err("scheduler: nothing was run"))
    }
}
