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

use crate::matching::compiled_rule::Rewrite;
use crate::rules::analysis::Analyses;
use crate::rules::cost::DeclaredCost;
use crate::rules::expression::Condition;
use crate::rules::pattern::Pattern;
use crate::rules::schedule::Schedule;
use crate::rules::variables::{VarId, Variables};
use crate::term::language::Language;
use crate::text::sexpr::{ParseError, utf8};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Rules are numbered below this: an edge of the proof forest has 20 bits for its rule.
pub(crate) const MOST_RULES: u32 = (1 << 20) - 1;
/// A match binds at most this many ids: an edge of the proof forest has 12 bits for their number.
pub(crate) const MOST_BOUND: u32 = (1 << 12) - 1;
/// A left-hand side has at most this many operators with arguments: there is a program to begin
/// with each of them, as long as the pattern.
const MOST_APPLICATIONS: usize = 1_024;

/// Index of a rule in [`System::rules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
pub struct RuleId(pub u32);

/// Index of a ruleset in [`System::rulesets`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RulesetId(pub u32);

/// A directed rewrite rule. A `birewrite` gives two: `name` and `name-rev`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The name, unique in its system.
    pub name: String,
    /// The pattern to find.
    pub lhs: Pattern,
    /// What it equals; its variables all occur in `lhs`.
    pub rhs: Pattern,
    /// Conditions, all of which must hold.
    pub conditions: Vec<Condition>,
    /// The variables of both sides.
    pub variables: Variables,
    /// The ruleset it belongs to, if any.
    pub ruleset: Option<RulesetId>,
}

impl Rule {
    /// The variables that a match binds to a literal, because a condition or a computed
    /// right-hand side reads them; in order of their ids.
    pub fn literal_vars(&self) -> Vec<VarId> {
        fn computed(pattern: &Pattern, f: &mut impl FnMut(VarId)) {
            match pattern {
                Pattern::Compute(expr, _) => expr.each_var(f),
                Pattern::Op(_, args) | Pattern::Function(_, args) => {
                    args.iter().for_each(|a| computed(a, f));
                }
                Pattern::Var(_) | Pattern::Leaf(_) => {}
            }
        }
        let mut vars = Vec::new();
        self.conditions.iter().for_each(|c| c.each_var(&mut |v| vars.push(v)));
        computed(&self.rhs, &mut |v| vars.push(v));
        vars.retain(|&var| self.variables.fact(var).is_none());
        vars.sort_unstable();
        vars.dedup();
        vars
    }
}

/// A language with rewrite rules, and the hash of the text it came from.
#[derive(Clone, Debug)]
pub struct System {
    /// Sorts, operators, literals and variables.
    pub language: Arc<Language>,
    /// The rules, in the order of the file.
    pub rules: Vec<Rule>,
    /// Names of the rulesets, by [`RulesetId`].
    pub rulesets: Vec<String>,
    /// In which order to run the rules, if the file says so.
    pub schedule: Option<Schedule>,
    /// The costs that the file declares; the first is called `cost` and always there.
    pub costs: Vec<DeclaredCost>,
    /// What is known of terms beside what they equal.
    pub analyses: Arc<Analyses>,
    /// SHA-256 of the file's bytes in hexadecimal: goes into everything made with the system.
    pub hash: String,
    /// The rules compiled, by [`RuleId`].
    pub(crate) rewrites: Vec<Rewrite>,
}

/// Compiled rules are the same where rules are.
impl PartialEq for System {
    fn eq(&self, other: &System) -> bool {
        let System { language, rules, rulesets, schedule, costs, analyses, hash, rewrites: _ } =
            self;
        *language == other.language
            && *rules == other.rules
            && *rulesets == other.rulesets
            && *schedule == other.schedule
            && *costs == other.costs
            && *analyses == other.analyses
            && *hash == other.hash
    }
}

impl Eq for System {}

/// Rules as they are read, each compiled at once.
#[derive(Default)]
pub(crate) struct Rules {
    rules: Vec<Rule>,
    rewrites: Vec<Rewrite>,
    names: FxHashSet<String>,
}

impl Rules {
    /// Adds a rule.
    ///
    /// # Errors
    /// Another one has its name, there are too many, or it is too large.
    pub fn add(&mut self, rule: Rule) -> Result<(), String> {
        let id = self.rules.len() as u32;
        if id >= MOST_RULES {
            return Err(format!("too many rules: at most {MOST_RULES}"));
        }
        let most = MOST_BOUND as usize;
        if Rewrite::room(&rule).bound > most || rule.lhs.size() > 4 * most {
            return Err("the rule is too large: a proof could not name all its e-nodes".to_owned());
        }
        let (applications, _) = rule.lhs.applications();
        if applications > MOST_APPLICATIONS {
            return Err(format!(
                "the left-hand side is too large: it has {applications} operators with arguments, \
                 at most {MOST_APPLICATIONS} can be matched"
            ));
        }
        if !self.names.insert(rule.name.clone()) {
            return Err(format!("a second rule is called '{}'", rule.name));
        }
        self.rewrites.push(Rewrite::compile(&rule, RuleId(id)));
        self.rules.push(rule);
        Ok(())
    }

    /// The system that has these rules.
    pub fn into_system(
        self,
        language: Language,
        rulesets: Vec<String>,
        schedule: Option<Schedule>,
        costs: Vec<DeclaredCost>,
        analyses: Analyses,
        hash: String,
    ) -> System {
        let Rules { rules, rewrites, .. } = self;
        let (language, analyses) = (Arc::new(language), Arc::new(analyses));
        System { language, rules, rulesets, schedule, costs, analyses, hash, rewrites }
    }
}

/// A rule file that can't be read or understood; displays as `file:line:column: message`.
#[derive(Debug, thiserror::Error)]
pub enum SystemError {
    /// The file can't be read.
    #[error("{path}: {reason}")]
    Read {
        /// The file.
        path: String,
        /// Why. It is part of the message, and so not called `source`: whoever prints an error
        /// with its sources would print it twice.
        reason: std::io::Error,
    },
    /// The file's text is wrong.
    #[error("{path}:{mistake}")]
    Parse {
        /// The file.
        path: String,
        /// Where and why; part of the message, too.
        mistake: ParseError,
    },
}

impl System {
    /// Reads a `.rules` file.
    ///
    /// # Errors
    /// The file can't be read, or its text is wrong.
    pub fn load(path: &std::path::Path) -> Result<System, SystemError> {
        System::load_with_bytes(path).map(|(system, _)| system)
    }

    /// As [`System::load`]; also gives what the file holds, which is read once.
    ///
    /// # Errors
    /// As [`System::load`].
    pub fn load_with_bytes(path: &std::path::Path) -> Result<(System, Vec<u8>), SystemError> {
        let name = || path.display().to_string();
        let bytes =
            std::fs::read(path).map_err(|reason| SystemError::Read { path: name(), reason })?;
        Ok((System::from_bytes(&name(), bytes.clone())?, bytes))
    }

    /// Reads what a `.rules` file holds; `name` is what mistakes call it.
    ///
    /// # Errors
    /// The text is wrong.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<System, SystemError> {
        utf8(bytes)
            .and_then(|text| System::parse(&text))
            .map_err(|mistake| SystemError::Parse { path: name.to_owned(), mistake })
    }

    /// Reads the text of a `.rules` file.
    ///
    /// # Errors
    /// The first mistake, with its place and what was expected.
    pub fn parse(text: &str) -> Result<System, ParseError> {
        crate::rules::read::read(text)
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
