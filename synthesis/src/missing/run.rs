//! The rules that some questions lack: what their e-graphs hold apart is made general, proved, and becomes a rule.

use crate::language::parts::FEW;
use crate::missing::apart::{apart, needed};
use crate::missing::general::{Directed, directed, general, written};
use crate::missing::literals::other_literals;
use crate::missing::points::Points;
use crate::missing::widths::at_other_widths;
use crate::options::MissingAim;
use crate::rules::following::{of_both, united};
use crate::rules::found::{Found, with_rules};
use crate::rules::instances::sides;
use crate::rules::known::Known;
use crate::rules::proving::{NEW_RULE, asked_of};
use anyhow::{Result, anyhow};
use egraph::{Leaf, System, TermBank, TermId};
use interop::{Limits, Solver, assumption};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use support::Progress;

/// What came of the questions.
#[derive(Clone, Debug, Default)]
pub struct Missing {
    /// The rules, with their names.
    pub rules: Vec<(String, Found)>,
    /// The rules file with them.
    pub text: String,
    /// Questions whose two terms differ at a point, so that no rule can help: their places.
    pub differ: Vec<usize>,
    /// Candidates that are false.
    pub refuted: usize,
    /// Candidates that nobody could prove or refute.
    pub unknown: usize,
    /// Whether the end came first.
    pub cut: bool,
}

/// What may be a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    sides: [String; 2],
    /// Whether it may go from left to right, and back.
    ways: [bool; 2],
    when: Option<String>,
}

impl Candidate {
    /// As many words as its sides and its condition have.
    fn size(&self) -> usize {
        let all = self.sides.iter().chain(&self.when);
        all.flat_map(|text| text.split_whitespace()).count()
    }
}

/// Looks for rules without which the two terms of each question are not equal, for all questions together: what their
/// e-graphs hold apart, the smallest first, made as general as values allow. What follows from the rules so far is left out, and
/// what is not proved. With `asked` it ends soon. Runs on the threads of the current pool; what is found does not depend on
/// them.
///
/// # Errors
/// It is no rules file, or a question has a term that is none of its language.
pub fn missing(
    (name, text): (&str, &str),
    questions: &[[String; 2]],
    aim: &MissingAim,
    solvers: &[Solver],
    (seed, quiet): (u64, bool),
    asked: &AtomicBool,
) -> Result<Missing> {
    let read =
        |text: &str| System::parse(text).map(Arc::new).map_err(|error| anyhow!("{name}:{error}"));
    let found = Missing { text: with_rules(text, []), ..Missing::default() };
    let system = read(text)?;
    let mut growing = Growing { found, system, aim, solvers, asked, tried: BTreeSet::new() };
    let mut open: Vec<usize> = (0..questions.len()).collect();
    while !open.is_empty() && !growing.is_over() {
        let progress = Progress::new("failures", open.len() as u64, quiet);
        let lacks: Vec<Lacks> = open
            .par_iter()
            .map(|&place| {
                let lacks = growing.lacks(&questions[place], seed);
                progress.advance(1);
                lacks
            })
            .collect::<Result<_>>()?;
        progress.finish();
        let mut counted: BTreeMap<Candidate, usize> = BTreeMap::new();
        let mut left = Vec::new();
        for (place, lacks) in open.into_iter().zip(lacks) {
            match lacks {
                Lacks::Sense => growing.found.differ.push(place),
                Lacks::Rules(some) if some.is_empty() => {}
                Lacks::Rules(some) => {
                    left.push(place);
                    some.into_iter().for_each(|one| *counted.entry(one).or_default() += 1);
                }
            }
        }
        open = left;
        growing.take(counted, quiet);
    }
    Ok(growing.found)
}

/// What a question lacks.
enum Lacks {
    /// Its terms have different values.
    Sense,
    /// Rules; none where nothing helps, or it lacks none.
    Rules(Vec<Candidate>),
}

/// Rules that become more.
struct Growing<'a> {
    found: Missing,
    system: Arc<System>,
    aim: &'a MissingAim,
    solvers: &'a [Solver],
    asked: &'a AtomicBool,
    /// Candidates that were looked at.
    tried: BTreeSet<Candidate>,
}

impl Growing<'_> {
    fn is_over(&mut self) -> bool {
        self.found.cut |=
            self.found.rules.len() >= self.aim.rules || self.asked.load(Ordering::SeqCst);
        self.found.cut
    }

    /// The rules that would make the terms of a question equal, as general as they can be.
    fn lacks(&self, [start, target]: &[String; 2], seed: u64) -> Result<Lacks> {
        let Growing { system, aim, .. } = self;
        let mut bank = TermBank::new(system.language.clone());
        let ends = read_ends(&mut bank, [start, target])?;
        let mut points = Points::new(seed);
        let [a, b] = ends;
        if points.of(&bank, a).is_some()
            && points.of(&bank, b).is_some()
            && !points.agree(&bank, a, b)
        {
            return Ok(Lacks::Sense);
        }
        let (egraph, united) = of_both(system, &bank, (a, b), aim.reach);
        if united || egraph.conflict().is_some() {
            return Ok(Lacks::Rules(Vec::new()));
        }
        // By size: the pair, and its most general form.
        let mut pairs: Vec<(u64, (TermId, TermId), Directed)> = Vec::new();
        for pair in apart(&egraph, &mut bank, &mut points) {
            let (a, b) = general(&mut bank, pair, &mut points);
            let size = bank.size(a) + bank.size(b);
            if size <= aim.size
                && let Some(directed) = directed(&bank, (a, b))
                && !self.tried.contains(&plain(&mut bank, directed))
            {
                pairs.push((size, pair, directed));
            }
        }
        pairs.sort_by_key(|(size, ..)| *size);
        let assumed: Vec<(TermId, TermId)> = pairs.iter().map(|(_, pair, _)| *pair).collect();
        let needed = needed(egraph, &mut bank, ends, &assumed, aim.reach);
        let mut lacks = Vec::new();
        for number in needed {
            let mut candidates = with_other_literals(&mut bank, pairs[number].2, &mut points);
            candidates.push(plain(&mut bank, pairs[number].2));
            lacks.extend(candidates.into_iter().find(|candidate| !self.tried.contains(candidate)));
        }
        Ok(Lacks::Rules(lacks))
    }

    /// Tries candidates, with how many questions need them: the smallest first, of equal ones those that many need.
    fn take(&mut self, counted: BTreeMap<Candidate, usize>, quiet: bool) {
        let mut sorted: Vec<(Candidate, usize)> = counted.into_iter().collect();
        sorted.sort_by_key(|(candidate, count)| (candidate.size(), Reverse(*count)));
        if sorted.is_empty() {
            return;
        }
        let progress = Progress::new("candidates", sorted.len() as u64, quiet);
        for (candidate, count) in sorted {
            if self.is_over() {
                break;
            }
            let told = match count {
                1 => "a task that was not solved".to_owned(),
                _ => format!("{count} tasks that were not solved"),
            };
            if let Some(name) = self.added(&candidate, &told) {
                self.at_other_widths(&name, candidate.ways);
            }
            self.tried.insert(candidate);
            progress.advance(1);
        }
        progress.finish();
    }

    /// Makes a candidate a rule if it does not follow from the others and is proved: its name.
    fn added(&mut self, candidate: &Candidate, told: &str) -> Option<String> {
        let Growing { found: so_far, system, aim, solvers, asked, .. } = self;
        let Candidate { sides: both, ways, when } = candidate.clone();
        let found = Found::between(&so_far.text, both, ways, when)?;
        let line = found.line(NEW_RULE);
        let with = System::parse(&format!("{}{line}", so_far.text)).ok()?;
        let rule = with.rule(with.rule_named(NEW_RULE)?);
        // What a condition reads is a literal, of which there is no telling here.
        if rule.conditions.is_empty() {
            let mut bank = TermBank::new(system.language.clone());
            let both = sides(&mut bank, rule)?;
            if united(system, &bank, both, aim.reach) {
                return None;
            }
        }
        let limits = Limits { time: aim.query_time, assignments: 1 << FEW };
        let by = match asked_of(&so_far.text, &line, solvers, limits, asked).1 {
            Known::Proved(by) => by,
            Known::Refuted(_) => {
                so_far.refuted += 1;
                return None;
            }
            Known::Unknown(_) => {
                so_far.unknown += 1;
                return None;
            }
        };
        let assumed = assumption(&with, rule).map_or(String::new(), |what| format!(" if {what}"));
        let origin = format!("{told}; proved by {by}{assumed}");
        let found = Found { proved: true, origin, ..found };
        let name = (1..).map(|number| format!("missing-{number}")).find(|name| {
            let free = |name: &str| system.rule_named(name).is_none();
            free(name) && free(&format!("{name}-rev"))
        })?;
        let named = (name.clone(), found);
        let text = with_rules(&so_far.text, [&named]);
        *system = Arc::new(System::parse(&text).ok()?);
        so_far.text = text;
        so_far.rules.push(named);
        Some(name)
    }

    /// A rule that is true at one width may be true at others.
    fn at_other_widths(&mut self, name: &str, ways: [bool; 2]) {
        let Some(rule) = self.system.rule_named(name) else { return };
        for sides in at_other_widths(&self.system, self.system.rule(rule)) {
            let candidate = Candidate { sides, ways, when: None };
            self.added(&candidate, &format!("{name} at another width"));
        }
    }
}

/// Both terms of a question. Where one of them may be of several sorts, as a variable, it has that of the other.
fn read_ends(bank: &mut TermBank, [start, target]: [&String; 2]) -> Result<[TermId; 2]> {
    let read = |bank: &mut TermBank, text: &str, sort| {
        bank.parse(text, sort).map_err(|error| anyhow!("'{text}': {error}"))
    };
    if let Ok(first) = read(bank, start, None) {
        let sort = Some(bank.sort(first));
        return Ok([first, read(bank, target, sort)?]);
    }
    let second = read(bank, target, None)?;
    let sort = Some(bank.sort(second));
    Ok([read(bank, start, sort)?, second])
}

/// A candidate with the literals that are there.
fn plain(bank: &mut TermBank, Directed { sides, ways }: Directed) -> Candidate {
    Candidate { sides: written(bank, sides, |_, _| None), ways, when: None }
}

/// Candidates with other literals than those that are there, from left to right and back.
fn with_other_literals(
    bank: &mut TermBank,
    Directed { sides, ways }: Directed,
    points: &mut Points,
) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    let [left, right] = sides;
    for sides in [ways[0].then_some([left, right]), ways[1].then_some([right, left])] {
        let Some(sides) = sides else { continue };
        if let Some(other) = other_literals(bank, (sides[0], sides[1]), points) {
            let stands = |side: usize, leaf: &Leaf| {
                let known = other.literals.iter().find(|(literal, _)| literal == leaf);
                known.map(|(_, texts)| texts[side].clone())
            };
            let sides = written(bank, sides, stands);
            candidates.push(Candidate { sides, ways: [true, false], when: Some(other.when) });
        }
    }
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::following::Reach;
    use std::time::Duration;

    const BYTES: &str = "(sort Byte) (sort Nibble)
        (op & (Byte Byte) Byte) (op | (Byte Byte) Byte) (op + (Byte Byte) Byte) (op - (Byte Byte) Byte)
        (op &:4 (Nibble Nibble) Nibble) (op |:4 (Nibble Nibble) Nibble) (op +:4 (Nibble Nibble) Nibble)
        (op -:4 (Nibble Nibble) Nibble)
        (literal (bits 8) Byte) (literal (bits 4) Nibble) (variable Byte) (variable Nibble)
        (analysis constant) (rewrite (+ ?a ?b) (+ ?b ?a) :name add-comm)";

    fn found(questions: &[[&str; 2]], rules: usize) -> Missing {
        let questions: Vec<[String; 2]> =
            questions.iter().map(|sides| sides.map(str::to_owned)).collect();
        let reach = Reach { iterations: 4, nodes: 500 };
        let aim = MissingAim { rules, size: 20, reach, query_time: Duration::from_secs(1) };
        let never = AtomicBool::new(false);
        missing(("bytes", BYTES), &questions, &aim, &[], (0, true), &never).unwrap()
    }

    #[test]
    fn what_is_needed_is_found_in_its_most_general_form_and_at_other_widths() {
        let question = ["(+ 7 (- (+ x (| y 3)) (& (| y 3) x)))", "(+ (| x (| y 3)) 7)"];
        let found = found(&[question, ["x", "(+ x 1)"]], 10);
        let says: Vec<String> = found.rules.iter().map(|(name, rule)| rule.line(name)).collect();
        assert_eq!(
            says,
            [
                "(birewrite (- (+ ?a ?b) (& ?b ?a)) (| ?a ?b) :name missing-1)\n",
                "(birewrite (-:4 (+:4 ?a ?b) (&:4 ?b ?a)) (|:4 ?a ?b) :name missing-2)\n"
            ]
        );
        assert!(found.rules.iter().all(|(_, rule)| rule.proved));
        assert_eq!((found.differ, found.refuted, found.unknown), (vec![1], 0, 0));
        // Nothing is lacking any more.
        let system = Arc::new(System::parse(&found.text).unwrap());
        let mut bank = TermBank::new(system.language.clone());
        let [start, target] = question.map(|side| bank.parse(side, None).unwrap());
        assert!(united(&system, &bank, (start, target), Reach { iterations: 4, nodes: 500 }));
    }

    #[test]
    fn there_are_no_more_rules_than_asked_for() {
        let questions = [["(- (+ x y) x)", "y"], ["(& (| x y) x)", "x"], ["(& x x)", "x"]];
        let all = found(&questions, 10);
        assert!(all.rules.len() >= 6 && !all.cut, "{:?}", all.rules);
        let some = found(&questions, 1);
        assert!(some.cut && some.rules.len() <= 2, "a rule, and the same at another width");
        assert_eq!(some.rules[0], all.rules[0]);
    }
}
