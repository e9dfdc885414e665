//! Rewrite systems: a language and its rules, as one text file gives them.
//!
//! ```text
//! (sort Int) (sort Bool)
//! (op + (Int Int) Int)  (op < (Int Int) Bool)
//! (literal i64 Int) (literal bool Bool) (variable Int)
//! (analysis constant)
//! (ruleset comm)
//! (rewrite   (+ ?a ?b) (+ ?b ?a)                 :name add-comm :ruleset comm)
//! (birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c)   :name add-assoc)
//! (rewrite   (/ (* ?x ?c) ?c) ?x  :when ((const ?c) (!= ?c 0)) :name div-cancel)
//! (schedule (repeat 3 (seq (run comm) (run))))
//! ```

use crate::rules::analysis::Analyses;
use crate::rules::compiled::rewrite::Rewrite;
use crate::rules::costs::declared::DeclaredCost;
use crate::rules::rule::{MOST_BOUND, MOST_RULES, Rule, RuleId, RulesetId};
use crate::rules::schedule::Schedule;
use crate::term::language::Language;
use crate::text::sexpr::Sexpr;
use std::ops::Deref;
use std::sync::Arc;

/// A left-hand side has at most this many operators with arguments: there is a program to begin
/// with each of them, as long as the pattern.
const MOST_APPLICATIONS: usize = 1_024;

/// A language with rewrite rules, and the hash of the text it came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct System {
    /// Sorts, operators, literals and variables.
    pub language: Arc<Language>,
    /// The rules, in the order of the file.
    pub rules: Vec<Rule>,
    /// Names of the rulesets, by [`RulesetId`].
    pub rulesets: Vec<String>,
    /// In which order to run the rules, if the file says so.
    pub schedule: Option<Schedule>,
    /// Schedules that run only where they are asked for, by their names; as they stand in the file, where they were read.
    pub strategies: Vec<(String, Vec<Sexpr>)>,
    /// The ruleset whose rules bring terms into their normal form, if the file names one.
    pub normal_form: Option<RulesetId>,
    /// The costs that the file declares; the first is called `cost` and always there.
    pub costs: Vec<DeclaredCost>,
    /// What is known of terms beside what they equal.
    pub analyses: Arc<Analyses>,
    /// What the file declares in `(mlir …)`, as it stands there: a table for who reads and writes MLIR.
    pub mlir: Vec<Sexpr>,
    /// SHA-256 of the file's bytes in hexadecimal: goes into everything made with the system.
    pub hash: String,
    /// The rules compiled, by [`RuleId`].
    pub(crate) rewrites: Rewrites,
}

/// Compiled rules are the same where rules are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rewrites(Vec<Rewrite>);

impl PartialEq for Rewrites {
    fn eq(&self, _: &Rewrites) -> bool {
        true
    }
}

impl Eq for Rewrites {}

impl Deref for Rewrites {
    type Target = [Rewrite];

    fn deref(&self) -> &[Rewrite] {
        &self.0
    }
}

/// A rule that is to have this number, compiled.
///
/// # Errors
/// There are too many, or it is too large.
fn compiled(rule: &Rule, number: usize) -> Result<Rewrite, String> {
    let id = u32::try_from(number).ok().filter(|&id| id < MOST_RULES);
    let id = id.ok_or_else(|| format!("too many rules: at most {MOST_RULES}"))?;
    let most = MOST_BOUND as usize;
    if Rewrite::room(rule).bound > most || rule.lhs.size() > 4 * most {
        return Err("the rule is too large: a proof could not name all its e-nodes".to_owned());
    }
    let (applications, _) = rule.lhs.applications();
    if applications > MOST_APPLICATIONS {
        return Err(format!(
            "the left-hand side is too large: it has {applications} operators with arguments, \
             at most {MOST_APPLICATIONS} can be matched"
        ));
    }
    Ok(Rewrite::compile(rule, RuleId(id)))
}

impl System {
    /// Adds a rule, whose name no other one has.
    ///
    /// # Errors
    /// There are too many, or it is too large; nothing was added.
    pub(crate) fn add_rule(&mut self, rule: Rule) -> Result<(), String> {
        self.rewrites.0.push(compiled(&rule, self.rules.len())?);
        self.rules.push(rule);
        Ok(())
    }

    /// Leaves the first rules alone.
    pub(crate) fn keep_first(&mut self, rules: usize) {
        self.rewrites.0.truncate(rules);
        self.rules.truncate(rules);
    }

    /// The rule behind an id.
    pub fn rule(&self, rule: RuleId) -> &Rule {
        &self.rules[rule.0 as usize]
    }

    /// The rule called `name`.
    pub fn rule_named(&self, name: &str) -> Option<RuleId> {
        self.rules.iter().position(|r| r.name == name).map(|i| RuleId(i as u32))
    }
}
