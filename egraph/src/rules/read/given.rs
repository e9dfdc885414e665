//! Equalities of terms, as rules: those that a file declares, and those that come from elsewhere.

use super::Reader;
use crate::rules::options::{expect_atom, pairs, unexpected};
use crate::rules::pattern::Pattern;
use crate::rules::rule::{Rule, RulesetId};
use crate::rules::system::{Rules, System};
use crate::rules::variables::Variables;
use crate::term::bank::{TermBank, TermId};
use crate::term::leaves::Node;
use crate::text::sexpr::{MAX_DEPTH, ParseError, Place, Sexpr};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::sync::Arc;

impl Reader {
    /// `(given left right …)`: two terms, which have no pattern variables, are equal.
    pub(super) fn given(&mut self, args: &[Sexpr], place: Place) -> Result<(), ParseError> {
        let [left, right, options @ ..] = args else {
            return Err(ParseError::new(place, "expected (given term term :name … :ruleset …)"));
        };
        let mut name = format!("rule-{}", place.line);
        let mut ruleset = None;
        for (key, at, value) in pairs(options)? {
            match key {
                ":name" => name = expect_atom(value, "a name")?.to_owned(),
                ":ruleset" => {
                    let wanted = expect_atom(value, "the name of a ruleset")?;
                    ruleset = Some(self.known_ruleset(wanted, value.place())?);
                }
                _ => return Err(unexpected(":name or :ruleset", &[":name", ":ruleset"], key, at)),
            }
        }
        if ruleset.is_some() && ruleset == self.normal_form {
            return Err(ParseError::new(place, "an equality of terms is no rule of a normal form"));
        }
        let mut bank = TermBank::new(Arc::new(self.language.clone()));
        let lhs = bank.read(left, None)?;
        let rhs = bank.read(right, Some(bank.sort(lhs)))?;
        let [lhs, rhs] = [lhs, rhs].map(|term| pattern_of(&bank, term));
        let (conditions, variables) = (Vec::new(), Variables::default());
        let rule = Rule { name, lhs, rhs, conditions, variables, ruleset };
        self.rules.add(rule).map_err(|mistake| ParseError::new(place, mistake))?;
        self.places.rules.push(place);
        Ok(())
    }
}

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
        if self.rulesets.iter().any(|name| name == ruleset) {
            return Err(format!("the system has a ruleset '{ruleset}' already"));
        }
        let mut rulesets = self.rulesets.clone();
        let own = RulesetId(rulesets.len() as u32);
        rulesets.push(ruleset.to_owned());
        let mut rules = Rules::of(self);
        let mut hash = Sha256::new();
        hash.update(&self.hash);
        for (number, &(left, right)) in pairs.iter().enumerate() {
            // The smaller one is looked for.
            let (left, right) =
                if bank.size(left) <= bank.size(right) { (left, right) } else { (right, left) };
            if bank.size(right) > MAX_DEPTH as u64 {
                let size = bank.size(right);
                return Err(format!(
                    "a term of {size} nodes is given to be equal to another: at most {MAX_DEPTH} can be matched"
                ));
            }
            let name = format!("{ruleset}-{}", number + 1);
            hash.update(format!("\n{} {}", bank.text(left), bank.text(right)));
            let [lhs, rhs] = [left, right].map(|term| pattern_of(bank, term));
            let (conditions, variables) = (Vec::new(), Variables::default());
            let ruleset = Some(own);
            rules.add(Rule { name, lhs, rhs, conditions, variables, ruleset })?;
        }
        let hash = hash.finalize().iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        Ok(System { rulesets, hash, ..rules.into_those_of(self) })
    }
}

/// A term as a pattern, which matches it alone. Terms that were read are not too deep for recursion.
pub(super) fn pattern_of(bank: &TermBank, term: TermId) -> Pattern {
    match bank.node(term) {
        Node::Leaf(leaf) => Pattern::Leaf(leaf.clone()),
        Node::Op(op) => {
            let children = bank.children(term).iter();
            Pattern::Op(op, children.map(|&child| pattern_of(bank, child)).collect())
        }
    }
}
