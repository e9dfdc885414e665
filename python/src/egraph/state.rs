//! What an e-graph is between two calls: what `push` keeps and `pop` brings back, `save` writes and `load` reads.

use crate::errors::{any, bad, of_term};
use crate::shared::Shared;
use cairn::STORED_EGRAPH;
use egraph::{EGraph as Engine, Id, Schedule, System, TermBank, TermId};
use pyo3::prelude::*;
use std::fmt::Display;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use support::{OutputFile, read_bytes};

/// The ruleset of equalities that were given by hand, where the system has none of this name.
const GIVEN: &str = "given";

/// All that `pop` brings back.
#[derive(Clone)]
pub struct State {
    /// The system, which lacks the equalities of `given` until [`State::settle`].
    pub shared: Arc<Shared>,
    pub engine: Engine,
    /// The classes of the terms that were added.
    pub roots: Vec<Id>,
    /// Equalities that were given by hand and that the text of the system does not have yet: terms of the bank.
    given: Vec<[TermId; 2]>,
}

impl State {
    pub fn of(shared: Arc<Shared>, engine: Engine, roots: Vec<Id>) -> State {
        State { shared, engine, roots, given: Vec::new() }
    }

    /// Makes two terms of one sort equal by hand.
    pub fn give(&mut self, bank: &mut TermBank, [left, right]: [TermId; 2]) -> PyResult<()> {
        // Read from left to right, a literal alone says nothing of its sort; what it is compared with does.
        let alone = |term| bank.children(term).is_empty();
        let [left, right] =
            if alone(left) && !alone(right) { [right, left] } else { [left, right] };
        let refused =
            |why: String| bad(format!("the equality can't become a rule of the system: {why}"));
        // It will stand in the text of the system.
        let text = bank.text(left);
        bank.parse(&text, None).map_err(|mistake| refused(mistake.message))?;
        let rulesets = &self.shared.system.rulesets;
        let taken = |name: &String| {
            rulesets.contains(name) || self.shared.system.rule_named(&format!("{name}-1")).is_some()
        };
        let mut ruleset = GIVEN.to_owned();
        while taken(&ruleset) {
            ruleset.push('_');
        }
        self.engine.assume(&ruleset, bank, &[(left, right)]).map_err(refused)?;
        self.engine.rebuild();
        self.given.push([left, right]);
        Ok(())
    }

    /// Writes the equalities that were given by hand into the text of the system.
    pub fn settle(&mut self, bank: &TermBank) -> PyResult<()> {
        if self.given.is_empty() {
            return Ok(());
        }
        let engine = self.engine.system();
        let own = &engine.rules[engine.rules.len() - self.given.len()..];
        let ruleset = engine.rulesets.last().cloned().unwrap_or_default();
        let mut text = self.shared.text.trim_end().to_owned();
        if !self.shared.system.rulesets.contains(&ruleset) {
            text += &format!("\n\n; Equalities that were given by hand.\n(ruleset {ruleset})\n");
        }
        for (rule, &[left, right]) in own.iter().zip(&self.given) {
            let (left, right) = (bank.text(left), bank.text(right));
            text += &format!("\n(given {left} {right} :name {} :ruleset {ruleset})", rule.name);
        }
        text.push('\n');
        let shared = Shared::parse(self.shared.name.clone(), text)
            .map_err(|mistake| bad(mistake.message))?;
        self.go_on_with(shared.system.clone())?;
        self.shared = shared;
        self.given.clear();
        Ok(())
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

    /// A schedule over the rules.
    pub fn schedule(&self, text: &str) -> PyResult<Arc<Schedule>> {
        let schedule = self.shared.system.read_schedule(text);
        Ok(Arc::new(schedule.map_err(|mistake| of_term(text, &mistake))?))
    }

    pub fn go_on_with(&mut self, system: Arc<System>) -> PyResult<()> {
        self.engine.go_on_with(system).map_err(|_| bad("the system does not fit"))
    }
}
