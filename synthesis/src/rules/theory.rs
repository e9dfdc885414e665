//! What is known: the rules of the file and those that were found, as a system of the engine and as rules that make small
//! terms smaller.

use crate::language::Language;
use crate::rules::found::Found;
use crate::small::rewriting::Rewriting;
use crate::small::terms::Terms;
use anyhow::{Result, anyhow};
use egraph::System;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// What is known.
#[derive(Clone, Debug)]
pub struct Theory {
    /// What terms are made of.
    pub language: Arc<Language>,
    /// All rules.
    pub system: Arc<System>,
    /// The small terms.
    pub terms: Terms,
    /// All rules that can be said of small terms.
    pub rewriting: Rewriting,
    /// Those that were found, with their names.
    pub found: Vec<(String, Found)>,
    /// Of the next rule.
    number: usize,
}

impl Theory {
    /// With the rules of the file.
    pub fn new(language: Arc<Language>) -> Theory {
        let mut terms = Terms::new(&language);
        let mut rewriting = Rewriting::new(&language);
        for rule in language.known() {
            rewriting.learn(&language, &mut terms, rule);
        }
        Theory {
            system: language.system.clone(),
            language,
            terms,
            rewriting,
            found: Vec::new(),
            number: 1,
        }
    }

    /// One more rule.
    ///
    /// # Errors
    /// It is none: an internal fault, or one of a file that was changed.
    pub fn add(&mut self, found: Found) -> Result<()> {
        let name = loop {
            let name = format!("found-{}", self.number);
            self.number += 1;
            let taken = |name: &str| self.system.rule_named(name).is_some();
            if !taken(&name) && !taken(&format!("{name}-rev")) {
                break name;
            }
        };
        let line = found.line(&name);
        let before = self.system.rules.len();
        let added = Arc::make_mut(&mut self.system).add_rules(&line);
        added.map_err(|error| anyhow!("{}: {error}", line.trim()))?;
        for rule in &self.system.rules[before..] {
            self.rewriting.learn(&self.language, &mut self.terms, rule);
        }
        self.found.push((name, found));
        Ok(())
    }

    /// All rules, where operators are not evaluated on literals: there a literal stands for any other of which the same
    /// conditions hold.
    ///
    /// # Errors
    /// As [`Theory::add`].
    pub fn without_folding(&self) -> Result<Arc<System>> {
        let mut text = self.language.without_folding();
        for (name, found) in &self.found {
            text += &found.line(name);
        }
        Ok(Arc::new(System::parse(&text).map_err(|error| anyhow!("{error}"))?))
    }

    /// Leaves out rules that were found, of which nothing small is made any more.
    ///
    /// # Errors
    /// As [`Theory::add`].
    pub fn leave_out(&mut self, names: &FxHashSet<String>) -> Result<()> {
        self.found.retain(|(name, _)| !names.contains(name));
        let mut system = (*self.language.system).clone();
        let lines = self.found.iter().map(|(name, found)| found.line(name));
        let added = system.add_rules(&lines.collect::<String>());
        added.map_err(|error| anyhow!("{error}"))?;
        self.system = Arc::new(system);
        Ok(())
    }
}
