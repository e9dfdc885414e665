//! What an e-graph is between two calls: what `push` keeps and `pop` brings back, `save` writes and `load` reads.

use crate::errors::{any, bad, of_term};
use crate::shared::Shared;
use cairn::STORED_EGRAPH;
use egraph::{EGraph as Engine, Id, Rule, System};
use pyo3::prelude::*;
use std::fmt::Display;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use support::{OutputFile, read_bytes};

/// All that `pop` brings back.
#[derive(Clone)]
pub struct State {
    pub shared: Arc<Shared>,
    pub engine: Engine,
    /// The classes of the terms that were added.
    pub roots: Vec<Id>,
    /// Equalities that were given by hand.
    pub given: usize,
}

impl State {
    pub fn of(shared: Arc<Shared>, engine: Engine, roots: Vec<Id>) -> State {
        let is_given = |rule: &&Rule| rule.name.starts_with("given-");
        let given = match shared.system.rulesets.last() {
            Some(last) if last.starts_with("given") => {
                shared.system.rules.iter().filter(is_given).count()
            }
            _ => 0,
        };
        State { shared, engine, roots, given }
    }

    pub fn load(shared: Arc<Shared>, file: &Path) -> PyResult<State> {
        let bytes = read_bytes(file, "the e-graph").map_err(any)?;
        let at = |why: &dyn Display| bad(format!("{}: {why}", file.display()));
        let (mut engine, roots) = Engine::from_bytes(&bytes).map_err(|why| at(&why))?;
        engine.go_on_with(shared.system.clone()).map_err(|_| {
            at(&"expected an e-graph of the rules of the system, or of the first ones of them")
        })?;
        Ok(State::of(shared, engine, roots))
    }

    pub fn save(&self, file: &Path) -> PyResult<()> {
        let bytes = self.engine.to_bytes(&self.shared.text, &self.roots);
        let bytes = bytes.map_err(|why| bad(why.to_string()))?;
        let file = OutputFile::new(file, STORED_EGRAPH).map_err(any)?;
        file.write(|file| Ok(file.write_all(&bytes)?)).map_err(any)
    }

    /// The classes of the terms that were added, each once.
    pub fn root_classes(&self) -> Vec<Id> {
        let mut classes: Vec<Id> = Vec::new();
        for class in self.roots.iter().map(|&root| self.engine.find(root)) {
            if !classes.contains(&class) {
                classes.push(class);
            }
        }
        classes
    }

    /// Goes on with the same rules and another schedule.
    pub fn go_on_with_schedule(&mut self, schedule: &str) -> PyResult<()> {
        let system = self.shared.system.with_schedule(schedule);
        self.go_on_with(Arc::new(system.map_err(|mistake| of_term(schedule, &mistake))?))
    }

    pub fn go_on_with(&mut self, system: Arc<System>) -> PyResult<()> {
        self.engine.go_on_with(system).map_err(|_| bad("the system does not fit"))
    }
}
