//! Equalities of terms, as rules of their own, that come from elsewhere than a rules file.

use crate::rules::pattern::Pattern;
use crate::rules::rule::{Rule, RuleId, RulesetId};
use crate::rules::system::System;
use crate::rules::variables::Variables;
use crate::term::bank::{TermBank, TermId};
use crate::term::leaves::Node;
use crate::text::sexpr::MAX_DEPTH;
use sha2::{Digest, Sha256};
use std::fmt::Write;

impl System {
    /// The same system with a ruleset called `ruleset` that says of each pair that it is equal, by the rules
    /// `ruleset-1`, `ruleset-2` and so on. The terms are of the bank.
    ///
    /// # Errors
    /// A message: a term is too large to be matched, there are too many, or a name is taken.
    pub fn with_given(
        &self,
        ruleset: &str,
        bank: &TermBank,
        pairs: &[(TermId, TermId)],
    ) -> Result<System, String> {
        let mut system = self.clone();
        let mut given = system.begin_given(ruleset)?;
        for &(left, right) in pairs {
            // The smaller one is looked for.
            let smaller_first = bank.size(left) <= bank.size(right);
            let pair = if smaller_first { (left, right) } else { (right, left) };
            system.give(&mut given, bank, pair)?;
        }
        Ok(system)
    }

    /// A new ruleset for equalities of terms.
    ///
    /// # Errors
    /// A message: it, or a rule that it may come to have, is there already.
    pub(crate) fn begin_given(&mut self, ruleset: &str) -> Result<Given, String> {
        if self.rulesets.iter().any(|name| name == ruleset) {
            return Err(format!("the system has a ruleset '{ruleset}' already"));
        }
        let numbered =
            |name: &str| name.strip_prefix(ruleset)?.strip_prefix('-')?.parse::<u64>().ok();
        if let Some(rule) = self.rules.iter().find(|rule| numbered(&rule.name).is_some()) {
            return Err(format!("a second rule is called '{}'", rule.name));
        }
        self.rulesets.push(ruleset.to_owned());
        Ok(Given { ruleset: RulesetId(self.rulesets.len() as u32 - 1), count: 0 })
    }

    /// Adds a rule of that ruleset: the left term equals the right one.
    ///
    /// # Errors
    /// A message: a term is too large to be matched, or there are too many; nothing was added.
    pub(crate) fn give(
        &mut self,
        given: &mut Given,
        bank: &TermBank,
        (left, right): (TermId, TermId),
    ) -> Result<RuleId, String> {
        let size = bank.size(left).max(bank.size(right));
        if size > MAX_DEPTH as u64 {
            return Err(format!(
                "a term of {size} nodes is given to be equal to another: at most {MAX_DEPTH} can be matched"
            ));
        }
        let name = format!("{}-{}", self.rulesets[given.ruleset.0 as usize], given.count + 1);
        let hash =
            Sha256::digest(format!("{}\n{} {}", self.hash, bank.text(left), bank.text(right)));
        let [lhs, rhs] = [left, right].map(|term| pattern_of(bank, term));
        let (conditions, variables) = (Vec::new(), Variables::default());
        let ruleset = Some(given.ruleset);
        self.add_rule(Rule { name, lhs, rhs, conditions, variables, ruleset })?;
        given.count += 1;
        self.hash = hash.iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        Ok(RuleId(self.rules.len() as u32 - 1))
    }
}

/// The ruleset of equalities that come from elsewhere than the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Given {
    ruleset: RulesetId,
    /// How many there are.
    count: u64,
}

/// A term as a pattern, which matches it alone. Terms that were read are not too deep for recursion.
pub(crate) fn pattern_of(bank: &TermBank, term: TermId) -> Pattern {
    match bank.node(term) {
        Node::Leaf(leaf) => Pattern::Leaf(leaf.clone()),
        Node::Op(op) => {
            let children = bank.children(term).iter();
            Pattern::Op(op, children.map(|&child| pattern_of(bank, child)).collect())
        }
    }
}
