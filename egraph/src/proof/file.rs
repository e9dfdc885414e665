//! Proofs as JSON, for other programs to check, and as text, for people to read.
//!
//! The JSON form is specified in docs/proof-format.md.

use crate::proof::dag::{FactBy, FlatProof, How, Justification, Proof, Step, StepRef, Steps};
use crate::rules::analysis::TransferId;
use crate::rules::rule::RuleId;
use crate::rules::system::System;
use crate::rules::variables::Variables;
use crate::term::bank::{TermBank, TermId};
use crate::term::language::{Leaf, check_arity};
use crate::term::leaves::Node;
use crate::text::sexpr::BYTE_ORDER_MARK;
use crate::text::sexpr::is_of_atom;
use rustc_hash::FxHashMap;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt::{self, Write};

/// What a proof file says that it is.
pub const PROOF_FORMAT: &str = "cairn-proof";
const VERSION: u32 = 1;

/// Texts are borrowed from what is read or written, as far as JSON has them without escapes: a proof may have millions.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProofFile<'a> {
    format: String,
    version: u32,
    /// Hash of the rewrite system.
    system: String,
    /// Indices into `terms`.
    start: u32,
    end: u32,
    #[serde(borrow)]
    terms: Vec<TermEntry<'a>>,
    steps: Vec<StepEntry<'a>>,
    root: RefEntry,
}

/// A term; arguments are indices of earlier terms.
#[derive(Serialize, Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "expected a term: {\"op\": NAME, \"args\": [TERM, …]} or {\"leaf\": TEXT, \"sort\": NAME}"
)]
enum TermEntry<'a> {
    Op {
        #[serde(borrow)]
        op: Cow<'a, str>,
        args: Vec<u32>,
    },
    Leaf {
        #[serde(borrow)]
        leaf: Cow<'a, str>,
        #[serde(borrow)]
        sort: Cow<'a, str>,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StepEntry<'a> {
    from: u32,
    to: u32,
    #[serde(borrow)]
    how: HowEntry<'a>,
    /// The facts that it reads, or what a fact follows from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    because: Vec<RefEntry>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum HowEntry<'a> {
    Rule {
        #[serde(borrow)]
        name: Cow<'a, str>,
        substitution: Substitution<'a>,
    },
    Fold,
    Congruence(Vec<Option<RefEntry>>),
    Chain(Vec<RefEntry>),
    /// A fact by the transfer of this number.
    Transfer {
        #[serde(borrow)]
        analysis: Cow<'a, str>,
        transfer: u32,
        substitution: Substitution<'a>,
    },
    /// A fact of an equal term.
    Equality {
        analysis: Cow<'a, str>,
    },
    /// Two facts merged.
    Merge {
        analysis: Cow<'a, str>,
    },
}

/// The terms of variables and facts, in the order of their names.
struct Substitution<'a>(Vec<(Name<'a>, u32)>);

#[derive(PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl Substitution<'_> {
    fn get(&self, name: &str) -> Option<u32> {
        let place = self.0.binary_search_by(|(known, _)| (*known.0).cmp(name)).ok()?;
        Some(self.0[place].1)
    }
}

impl Serialize for Substitution<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, term)| (name, term)))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Substitution<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;

        impl<'de> Visitor<'de> for Entries {
            type Value = Substitution<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map from names to terms")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut all: Vec<(Name<'de>, u32)> = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    all.push(entry);
                }
                all.sort_unstable();
                match all.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                    Some(pair) => Err(M::Error::custom(format!("{} has two terms", pair[0].0.0))),
                    None => Ok(Substitution(all)),
                }
            }
        }

        deserializer.deserialize_map(Entries)
    }
}

/// An earlier step, read forwards (its index) or backwards.
#[derive(Serialize, Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "expected a reference to a step: its index or {\"reverse\": INDEX}"
)]
enum RefEntry {
    Forwards(u32),
    Backwards { reverse: u32 },
}

/// Why a proof file can't be read. Whether the proof is right is another question, see
/// [`crate::proof::check`].
#[derive(Debug, thiserror::Error)]
pub enum ProofFileError {
    /// Not JSON of the expected form. The reason is part of the message, and so no source.
    #[error("not a proof file: {0}")]
    Json(serde_json::Error),
    /// Made by another program or version.
    #[error("expected format {PROOF_FORMAT} version {VERSION}, found {0}")]
    Format(String),
    /// Made with another system.
    #[error("the proof was made with another rewrite system: it has hash {found}, not {expected}")]
    OtherSystem {
        /// The hash in the file.
        found: String,
        /// The hash of the system it was read with.
        expected: String,
    },
    /// An entry that makes no sense.
    #[error("{place}: {problem}")]
    Entry {
        /// Where, as `terms[3]`.
        place: String,
        /// What is wrong.
        problem: String,
    },
}

/// Writes a proof as JSON.
pub fn proof_to_json(system: &System, bank: &TermBank, proof: &Proof) -> String {
    let mut writer = Writer { system, bank, terms: Vec::new(), places: FxHashMap::default() };
    let steps = proof.steps.iter().map(|step| writer.step(step)).collect();
    let file = ProofFile {
        format: PROOF_FORMAT.into(),
        version: VERSION,
        system: system.hash.clone(),
        start: writer.term(proof.start()),
        end: writer.term(proof.end()),
        terms: writer.terms,
        steps,
        root: entry(proof.root),
    };
    serde_json::to_string(&file).expect("a tree of numbers and strings")
}

struct Writer<'a> {
    system: &'a System,
    bank: &'a TermBank,
    terms: Vec<TermEntry<'a>>,
    places: FxHashMap<TermId, u32>,
}

impl<'a> Writer<'a> {
    /// The place of `t`, which is entered after its arguments, from left to right.
    fn term(&mut self, t: TermId) -> u32 {
        let mut todo = vec![t];
        while let Some(&s) = todo.last() {
            let before = todo.len();
            if !self.places.contains_key(&s) {
                let children = self.bank.children(s).iter().rev();
                todo.extend(children.filter(|c| !self.places.contains_key(c)));
                if todo.len() > before {
                    continue;
                }
                self.enter(s);
            }
            todo.pop();
        }
        self.places[&t]
    }

    fn enter(&mut self, t: TermId) {
        let language = &self.system.language;
        let entry = match self.bank.node(t) {
            Node::Op(op) => TermEntry::Op {
                op: Cow::Borrowed(&language.op(op).name),
                args: self.bank.children(t).iter().map(|c| self.places[c]).collect(),
            },
            Node::Leaf(leaf) => TermEntry::Leaf {
                leaf: leaf.to_string().into(),
                sort: language.sort_name(leaf.sort).into(),
            },
        };
        self.places.insert(t, self.terms.len() as u32);
        self.terms.push(entry);
    }

    fn step(&mut self, step: Step<'_>) -> StepEntry<'a> {
        let how = match step.how {
            How::Rule(rule, substitution) => {
                let rule = self.system.rule(rule);
                let substitution = self.substitution(&rule.variables, substitution);
                HowEntry::Rule { name: Cow::Borrowed(&rule.name), substitution }
            }
            How::Fact(analysis, by) => {
                let analysis = Cow::Borrowed(&*self.system.language.analysis(analysis).name);
                match by {
                    FactBy::Transfer(transfer, substitution) => {
                        let known = self.system.analyses.transfer(transfer);
                        let variables = &known.expect("a transfer of the system").variables;
                        let substitution = self.substitution(variables, substitution);
                        HowEntry::Transfer { analysis, transfer: transfer.0, substitution }
                    }
                    FactBy::Equality => HowEntry::Equality { analysis },
                    FactBy::Merge => HowEntry::Merge { analysis },
                }
            }
            How::Fold => HowEntry::Fold,
            How::Congruence(children) => {
                HowEntry::Congruence(children.iter().map(|c| c.map(entry)).collect())
            }
            How::Chain(parts) => HowEntry::Chain(parts.iter().map(|&p| entry(p)).collect()),
        };
        let because = step.because.iter().map(|&r| entry(r)).collect();
        StepEntry { from: self.term(step.from), to: self.term(step.to), how, because }
    }

    fn substitution(&mut self, variables: &'a Variables, terms: &[TermId]) -> Substitution<'a> {
        let names = variables.names.iter().map(|name| Name(Cow::Borrowed(name)));
        let mut all: Vec<_> = names.zip(terms.iter().map(|&t| self.term(t))).collect();
        all.sort_unstable();
        Substitution(all)
    }
}

fn entry(step: StepRef) -> RefEntry {
    if step.reversed {
        RefEntry::Backwards { reverse: step.step }
    } else {
        RefEntry::Forwards(step.step)
    }
}

fn step_ref(entry: &RefEntry) -> StepRef {
    match *entry {
        RefEntry::Forwards(step) => StepRef { step, reversed: false },
        RefEntry::Backwards { reverse } => StepRef { step: reverse, reversed: true },
    }
}

/// Reads a proof. What it says is not checked, see [`crate::proof::check`].
///
/// # Errors
/// Text that is no proof file, or one that was made with another system.
pub fn proof_from_json(
    system: &System,
    bank: &mut TermBank,
    text: &str,
) -> Result<Proof, ProofFileError> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let file: ProofFile = serde_json::from_str(text).map_err(ProofFileError::Json)?;
    if file.format != PROOF_FORMAT || file.version != VERSION {
        return Err(ProofFileError::Format(format!("{} version {}", file.format, file.version)));
    }
    if file.system != system.hash {
        let expected = system.hash.clone();
        return Err(ProofFileError::OtherSystem { found: file.system, expected });
    }
    let mut terms: Vec<TermId> = Vec::with_capacity(file.terms.len());
    for (i, entry) in file.terms.into_iter().enumerate() {
        let term = read_term(system, bank, &terms, &entry);
        terms.push(term.map_err(|problem| wrong(format!("terms[{i}]"), problem))?);
    }
    let term = |place: &str, index: u32| {
        let found = terms.get(index as usize).copied();
        found.ok_or_else(|| wrong(place.to_owned(), format!("there is no term {index}")))
    };
    let mut steps = Steps::default();
    for (i, entry) in file.steps.into_iter().enumerate() {
        let place = format!("steps[{i}]");
        let wrong = |problem| wrong(place.clone(), problem);
        let earlier = |r: &RefEntry| {
            let step = step_ref(r);
            let is_earlier = (step.step as usize) < i;
            let problem = || wrong(format!("step {} does not come before it", step.step));
            is_earlier.then_some(step).ok_or_else(problem)
        };
        let (from, to) = (term(&place, entry.from)?, term(&place, entry.to)?);
        let because = entry.because.iter().map(earlier).collect::<Result<Vec<_>, _>>()?;
        if matches!(entry.how, HowEntry::Fold | HowEntry::Congruence(_) | HowEntry::Chain(_))
            && !because.is_empty()
        {
            return Err(wrong("rests on facts, and needs none".to_owned()));
        }
        let analysis = |name: &str| {
            let known = system.language.analysis_named(name);
            known.ok_or_else(|| wrong(format!("there is no analysis '{name}'")))
        };
        let terms_of = |variables: &Variables, substitution| {
            substitution_terms(variables, substitution, |t| term(&place, t)).map_err(wrong)
        };
        match &entry.how {
            HowEntry::Transfer { analysis: name, transfer, substitution } => {
                let id = TransferId(*transfer);
                let known = system.analyses.transfer(id);
                let known =
                    known.ok_or_else(|| wrong(format!("there is no transfer {transfer}")))?;
                let terms = terms_of(&known.variables, substitution)?;
                let facts = known.variables.facts.len();
                if because.len() != facts {
                    let problem = format!("rests on {} facts, expected {facts}", because.len());
                    return Err(wrong(problem));
                }
                let how = How::Fact(analysis(name)?, FactBy::Transfer(id, &terms));
                steps.push_because(from, to, how, &because)
            }
            HowEntry::Equality { analysis: name } => {
                let how = How::Fact(analysis(name)?, FactBy::Equality);
                steps.push_because(from, to, how, &because)
            }
            HowEntry::Merge { analysis: name } => {
                let how = How::Fact(analysis(name)?, FactBy::Merge);
                steps.push_because(from, to, how, &because)
            }
            HowEntry::Rule { name: rule, substitution } => {
                let known = system.rule_named(rule);
                let id = known.ok_or_else(|| wrong(format!("there is no rule '{rule}'")))?;
                let terms = terms_of(&system.rule(id).variables, substitution)?;
                steps.push_because(from, to, How::Rule(id, &terms), &because)
            }
            HowEntry::Fold => steps.push(from, to, How::Fold),
            HowEntry::Congruence(congruence) => {
                let children = congruence.iter().map(|c| c.as_ref().map(earlier).transpose());
                let children = children.collect::<Result<Vec<_>, _>>()?;
                steps.push(from, to, How::Congruence(&children))
            }
            HowEntry::Chain(chain) => {
                let parts = chain.iter().map(earlier).collect::<Result<Vec<_>, _>>()?;
                steps.push(from, to, How::Chain(&parts))
            }
        };
    }
    let root = step_ref(&file.root);
    if root.step as usize >= steps.len() {
        return Err(wrong("root".into(), format!("there is no step {}", root.step)));
    }
    let proof = Proof { steps, root };
    for (place, index, end) in
        [("start", file.start, proof.start()), ("end", file.end, proof.end())]
    {
        if term(place, index)? != end {
            return Err(wrong(place.into(), "is not where the root step starts or ends".into()));
        }
    }
    Ok(proof)
}

fn wrong(place: String, problem: String) -> ProofFileError {
    ProofFileError::Entry { place, problem }
}

fn read_term(
    system: &System,
    bank: &mut TermBank,
    terms: &[TermId],
    entry: &TermEntry<'_>,
) -> Result<TermId, String> {
    let language = &system.language;
    match entry {
        TermEntry::Leaf { leaf, sort } => {
            let sort = language.sort(sort).ok_or_else(|| format!("there is no sort '{sort}'"))?;
            // A name that the parser would not read as a variable must not become one.
            let readable = !leaf.is_empty()
                && leaf.chars().all(is_of_atom)
                && !leaf.starts_with('?')
                && language.operator(leaf).is_none();
            if !readable {
                return Err(format!("'{leaf}' is neither a literal nor a variable"));
            }
            let leaf: Leaf = language.leaf(leaf, Some(sort))?;
            Ok(bank.leaf(&leaf))
        }
        TermEntry::Op { op: name, args } => {
            let op =
                language.operator(name).ok_or_else(|| format!("there is no operator '{name}'"))?;
            check_arity(language, op, args.len())?;
            let mut children = Vec::with_capacity(args.len());
            for (&arg, &sort) in args.iter().zip(&language.op(op).args) {
                let child = *terms
                    .get(arg as usize)
                    .ok_or_else(|| format!("term {arg} does not come before it"))?;
                if bank.sort(child) != sort {
                    return Err(format!("term {arg} has the wrong sort for '{name}'"));
                }
                children.push(child);
            }
            Ok(bank.apply(op, &children))
        }
    }
}

fn substitution_terms(
    variables: &Variables,
    substitution: &Substitution<'_>,
    term: impl Fn(u32) -> Result<TermId, ProofFileError>,
) -> Result<Vec<TermId>, String> {
    let unknown = |(name, _): &&(Name<'_>, u32)| variables.get(&name.0).is_none();
    if let Some((unknown, _)) = substitution.0.iter().find(unknown) {
        return Err(format!("the rule has no variable {}", unknown.0));
    }
    let of = |name: &String| {
        let index = substitution.get(name).ok_or_else(|| format!("no term is given for {name}"))?;
        term(index).map_err(|e| e.to_string())
    };
    variables.names.iter().map(of).collect()
}

/// A flat proof for people: a line per term, and under it the rule that leads to the next.
pub fn proof_text(system: &System, bank: &TermBank, proof: &FlatProof) -> String {
    let mut text = String::new();
    let width = proof.steps.len().to_string().len();
    for (i, &term) in proof.terms.iter().enumerate() {
        let _ = writeln!(text, "{i:>width$}  {}", bank.display(term));
        let Some(step) = proof.steps.get(i) else { continue };
        let name = justification_name(system, step.rule);
        let names: &[String] = match step.rule {
            Justification::Rule(rule) => &system.rule(rule).variables.names,
            Justification::Fold => &[],
        };
        let bindings: Vec<String> = names
            .iter()
            .zip(&step.substitution)
            .map(|(name, &t)| format!("{name} = {}", bank.display(t)))
            .collect();
        let arrow = if step.forward { "=>" } else { "<=" };
        let path: Vec<String> = step.path.iter().map(u32::to_string).collect();
        let place = if path.is_empty() { "root".into() } else { path.join(".") };
        let _ = write!(text, "{:width$}    {arrow} {name} at {place}", "");
        if !bindings.is_empty() {
            let _ = write!(text, "  {}", bindings.join(", "));
        }
        text.push('\n');
    }
    text
}

/// The name of a rule as proofs show it.
pub fn justification_name(system: &System, justification: Justification) -> &str {
    match justification {
        Justification::Rule(RuleId(rule)) => &system.rules[rule as usize].name,
        Justification::Fold => "constant folding",
    }
}
