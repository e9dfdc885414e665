//! Guided search, and beside it two e-graphs of the question that go on growing, under one account of work.
//!
//! Where terms must be rewritten through many small steps, search in small e-graphs goes far; where they do not shrink
//! on the way, one large e-graph does. Which it will be nobody knows before. So each has a share of the work, and whose
//! turn it is says who had least of its share. The e-graphs grow by small turns and are never begun anew, and what they
//! say of known terms the search learns too. The second one, with back-off, is a copy of the first as soon as that is as
//! large as the cap. The search takes the first one for its own e-graph of the question. Where enough work is left, the
//! next turn of an e-graph begins as soon as its last one was seen ([`crate::search::walking::ahead`]).
//!
//! Where the system declares a normal form, and the first e-graph does not answer the question while it is small, both sides
//! are brought to their normal forms ([`crate::search::portfolio::normal_forms`]).
//!
//! The shares and turns were chosen on validation tasks (docs/results.md#what-prove-does-by-default).

use crate::options::prove::SearchSettings;
use crate::search::answer::{Answer, Question};
use crate::search::guide_source::GuideSource;
use crate::search::portfolio::grower::Grower;
use crate::search::portfolio::growing::Growing;
use crate::search::prove::Search;
use crate::search::stage::{Ends, bounded};
use anyhow::Result;
use egraph::{Scheduler, StopReason, System, TermBank};
use std::sync::Arc;

/// Of five parts of the work the simple e-graph and the search have two each, the one with back-off has one: its work counts
/// this many times.
const BACKOFF_COUNTS: u64 = 2;

/// The sides are brought to normal forms when the simple e-graph has this part of its first e-nodes: what it finds by then
/// has a shorter proof.
const BEFORE_FORMS: u64 = 16;

/// Who may have the next turn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Simple,
    Backoff,
    Search,
}

/// Proves that the two ends of a question are equal, with the guides of `source` or in one e-graph.
///
/// # Errors
/// A fault of the source, or [`Internal`](support::Internal) when a proof is refused by the checker.
pub fn prove_beside(
    system: &Arc<System>,
    bank: &mut TermBank,
    question: Question<'_>,
    source: &mut dyn GuideSource,
    settings: &SearchSettings,
) -> Result<Answer> {
    let mut search = Search::new(system, bank, question, source, settings);
    let simple = Growing::new(system, search.bank(), Ends::of(&question.ends));
    let mut shares = Shares {
        is_ranked: search.is_ranked(),
        first: settings.budget.cap.expected_nodes(),
        begin: simple.fork(),
        simple: Grower::new(simple, Scheduler::Simple, settings.budget.cap.expected_nodes()),
        backoff: None,
        spent: [0; 3],
        is_asked: false,
        is_exhausted: false,
        has_forms: system.normal_form.is_none(),
    };
    let bounds = settings.budget.bounds(question.deadline, question.cancel);
    let ended = bounded(&bounds, || {
        search.follow_plan()?;
        while !search.is_over() {
            if shares.should_have_forms() {
                search.reach_normal_forms()?;
                continue;
            }
            let Some(turn) = shares.next() else { break };
            let before = search.ledger.work;
            match turn {
                Turn::Search => shares.search(&mut search)?,
                Turn::Simple | Turn::Backoff => shares.grow(turn, &mut search)?,
            }
            shares.spent[turn as usize] += search.ledger.work - before;
        }
        Ok(())
    })?;
    search.answer(ended.err())
}

struct Shares {
    /// Whether the search's e-graphs are grown in an order that was learned: then its first one comes first, which is often
    /// the last.
    is_ranked: bool,
    /// E-nodes of the simple e-graph before anybody else has a turn, and before it is copied.
    first: u64,
    /// The e-graph of the terms alone.
    begin: Growing,
    simple: Grower,
    /// Where the simple one ended before it was large enough to be copied, it begins anew.
    backoff: Option<Grower>,
    /// Work by turn.
    spent: [u64; 3],
    /// Whether the search has seen the simple e-graph as its own of the question.
    is_asked: bool,
    /// Whether the search has nothing left to do.
    is_exhausted: bool,
    /// Whether the sides were brought to normal forms, if there are such.
    has_forms: bool,
}

impl Shares {
    /// Whether it is time for the normal forms of the sides, which is once.
    fn should_have_forms(&mut self) -> bool {
        let is_time = self.simple.is_over || self.simple.built >= self.first / BEFORE_FORMS;
        if self.has_forms || !is_time {
            return false;
        }
        self.has_forms = true;
        true
    }

    /// Whose turn it is, if anybody can go on.
    fn next(&self) -> Option<Turn> {
        let [simple, backoff, search] = self.spent;
        // A saturated e-graph would be the same under any scheduler.
        let is_saturated = self.simple.is_over && self.simple.stop == StopReason::Saturated;
        let grows = self.backoff.as_ref().map_or(self.simple.is_over, |own| !own.is_over);
        let backs_off = grows && !is_saturated;
        if self.is_ranked && search == 0 {
            return Some(Turn::Search);
        }
        let is_first = !self.is_ranked && simple < self.first;
        let counted = if is_first { 0 } else { simple };
        // Of those that had the same, the first.
        let turns = [
            (!self.simple.is_over).then_some((counted, Turn::Simple)),
            backs_off.then_some((backoff.saturating_mul(BACKOFF_COUNTS), Turn::Backoff)),
            (!self.is_exhausted).then_some((search, Turn::Search)),
        ];
        turns.into_iter().flatten().min_by_key(|&(spent, _)| spent).map(|(_, turn)| turn)
    }

    fn search(&mut self, search: &mut Search<'_>) -> Result<()> {
        if !self.is_asked && self.spent[Turn::Search as usize] > 0 {
            self.is_asked = true;
            if let Some(simple) = self.simple.here() {
                search.ask_question(&simple.stage)?;
                simple.stage.before = None;
            }
        }
        self.is_exhausted = !search.step()?;
        Ok(())
    }

    fn grow(&mut self, turn: Turn, search: &mut Search<'_>) -> Result<()> {
        let keeps_before = turn == Turn::Simple && !self.is_asked;
        let is_new = self.spent[turn as usize] == 0;
        let is_to_copy = turn == Turn::Simple && self.backoff.is_none();
        let grower = match turn {
            Turn::Backoff => {
                let begin = || Grower::new(self.begin.fork(), Scheduler::Backoff, self.first);
                self.backoff.get_or_insert_with(begin)
            }
            _ => &mut self.simple,
        };
        let own = grower.grow(keeps_before, search)?;
        let work = own.count();
        search.book_growth(&own.stage, work, is_new);
        search.learn_from(&own.stage)?;
        let copy = (is_to_copy && own.built() >= self.first).then(|| own.fork());
        // Before, the search wants to see the simple one as it is when its own turn comes.
        if self.is_asked && !search.is_over() {
            grower.grow_ahead(search);
        }
        if let Some(copy) = copy {
            self.backoff = Some(Grower::new(copy, Scheduler::Backoff, self.first));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::frontier::Frontier;
    use crate::options::budget::{Budget, Cap};
    use crate::options::schedulers::Schedulers;
    use crate::search::answer::Failure;
    use crate::search::one_egraph::one_egraph;
    use crate::search::prove::prove;
    use egraph::check;

    const GROUPS: &str = include_str!("../../../../scripts/experiments/beds/systems/groups.rules");

    fn settings(work: u64, cap: Cap) -> SearchSettings {
        SearchSettings::within(Budget { cap, work, scheduler: Schedulers::Mixed }, 0)
    }

    type Method = fn(&Arc<System>, &mut TermBank, Question<'_>, &SearchSettings) -> Answer;

    fn answer(ends: [&str; 2], settings: &SearchSettings, method: Method) -> (Answer, bool) {
        let system = Arc::new(System::parse(GROUPS).unwrap());
        let mut bank = TermBank::new(system.language.clone());
        let ends = ends.map(|text| bank.parse(text, None).unwrap());
        let question = Question { ends, number: 0, deadline: None, cancel: None, threads: 1 };
        let answer = method(&system, &mut bank, question, settings);
        let holds = answer.result.as_ref().is_ok_and(|proof| check(&system, &bank, proof).is_ok());
        (answer, holds)
    }

    fn beside(s: &Arc<System>, b: &mut TermBank, q: Question<'_>, set: &SearchSettings) -> Answer {
        prove_beside(s, b, q, &mut Frontier::Shared, set).unwrap()
    }

    fn alone(s: &Arc<System>, b: &mut TermBank, q: Question<'_>, set: &SearchSettings) -> Answer {
        prove(s, b, q, &mut Frontier::Shared, set).unwrap()
    }

    fn whole(s: &Arc<System>, b: &mut TermBank, q: Question<'_>, set: &SearchSettings) -> Answer {
        one_egraph(s, b, q, set.budget.work, Scheduler::Simple).unwrap()
    }

    const QUESTIONS: [[&str; 2]; 4] = [
        ["(* (* a b) (inv b))", "a"],
        ["(inv (* (* a b) c))", "(* (inv c) (* (inv b) (inv a)))"],
        ["(* (* (inv a) (* a b)) (* c (inv c)))", "(* b e)"],
        ["(* (* a (* b c)) (* (inv c) (* d (inv d))))", "(* a (inv (inv b)))"],
    ];

    #[test]
    fn the_work_of_all_together_is_at_most_what_is_allowed_and_answers_repeat() {
        for cap in [Cap::Nodes(200), Cap::Memory(1 << 18)] {
            for ends in QUESTIONS.into_iter().chain([["a", "b"], ["(* a b)", "(* b a)"]]) {
                for work in [1, 50, 700, 5_000] {
                    let settings = settings(work, cap);
                    let (found, holds) = answer(ends, &settings, beside);
                    assert_eq!(found.result.is_ok(), holds);
                    // As everywhere, the last e-graph may go over by what an iteration folds.
                    assert!(found.ledger.work <= work + work / 10 + 40, "{}", found.ledger.work);
                    let (again, _) = answer(ends, &settings, beside);
                    assert_eq!((found.ledger, found.result), (again.ledger, again.result));
                }
            }
        }
    }

    #[test]
    fn answers_are_the_same_with_any_number_of_threads() {
        let rules = include_str!("../../../../configs/systems/ring.rules");
        let system = Arc::new(System::parse(rules).unwrap());
        let product = "(* (* (+ a b) (+ b a)) (+ a (* -1 b)))";
        let sum =
            "(+ (* a (* a a)) (+ (* a (* a b)) (+ (* -1 (* a (* b b))) (* -1 (* b (* b b))))))";
        // This is not so: all of the work is done, most of it by walks that go on side by side.
        let other = "(+ (* a (* a a)) (+ (* a (* a b)) (+ (* -1 (* a (* b b))) (* b (* b b)))))";
        for (target, cap) in [(sum, 100), (other, 300)].map(|(to, cap)| (to, Cap::Nodes(cap))) {
            for (method, least) in [(beside as Method, 30), (alone, 60)] {
                let of_threads = |threads: usize| {
                    let mut bank = TermBank::new(system.language.clone());
                    let ends = [product, target].map(|text| bank.parse(text, None).unwrap());
                    let question =
                        Question { ends, number: 0, deadline: None, cancel: None, threads };
                    let settings = settings(12_000, cap);
                    let answer = method(&system, &mut bank, question, &settings);
                    let proof = answer.result.as_ref().ok();
                    assert!(proof.is_none_or(|proof| check(&system, &bank, proof).is_ok()));
                    let terms = answer.waypoints.iter().chain(&answer.smallest);
                    let terms: Vec<String> = terms.map(|&term| bank.text(term)).collect();
                    (answer.ledger, answer.result, terms)
                };
                let one = of_threads(1);
                assert_eq!((&one, &one), (&of_threads(2), &of_threads(3)));
                let is_long = one.0.e_graphs >= least;
                assert!(is_long || target == sum && one.1.is_ok(), "{} e-graphs", one.0.e_graphs);
            }
        }
    }

    #[test]
    fn sides_are_brought_reach_normal_forms() {
        let rules = include_str!("../../../../configs/systems/mba.rules");
        let system = Arc::new(System::parse(rules).unwrap());
        let settings = settings(4_000, Cap::Nodes(4_000));
        let answer = |ends: [&str; 2], method: Method| {
            let mut bank = TermBank::new(system.language.clone());
            let ends = ends.map(|text| bank.parse(text, None).unwrap());
            let question = Question { ends, number: 0, deadline: None, cancel: None, threads: 1 };
            let result = method(&system, &mut bank, question, &settings).result;
            result.map(|proof| check(&system, &bank, &proof).unwrap())
        };
        let sums = [
            "(- (- (- (- (- (+ (* 4 (~ (^ x y))) (~ x)) (* 2 y)) (& x y)) (| x y)) (& x (~ y))) 1)",
            "(- (+ (* 18446744073709551614 (^ x y)) (* 5 (~ (| x y)))) 1)",
        ];
        assert_eq!(answer(sums, beside), Ok(()));
        assert_eq!(answer(sums, alone), Err(Failure::Work));
        assert_eq!(answer(sums, whole), Err(Failure::Work));
    }

    #[test]
    fn what_one_e_graph_or_the_search_proves_is_proved() {
        for ends in QUESTIONS {
            let settings = settings(4_000, Cap::Nodes(400));
            let either = [alone as Method, whole].iter().any(|&m| answer(ends, &settings, m).1);
            assert!(either && answer(ends, &settings, beside).1, "{ends:?}");
        }
    }
}
