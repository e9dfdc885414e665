//! Stages whose ends are written on the way: somebody who has seen such searches, a trained model, says which terms
//! may come next between where the search is and its goal; a fresh, small e-graph says which of them it reaches, and the
//! search goes on from there: from the one that looks nearest to the goal, if it reaches several.
//!
//! What is wanted may be a part of a term: `(contains t)`. Then only the part that is to become it is looked at, and
//! what is around it is left as it is. A term that may come next is first looked for in the e-graph of this part. If
//! it differs from the part in one place only, a smaller e-graph of what stands there may do: the context stays.

use crate::optimise::answer::{Ended, Objective};
use crate::optimise::growth::Growth;
use crate::optimise::guided::distance::distance;
use crate::optimise::guided::planner::{Goal, Planner};
use crate::options::budget::Cap;
use crate::search::stage::Ends;
use anyhow::Result;
use egraph::{Sketch, StopReason, TermBank, TermId, extract_sketch, sketch_satisfied};
use rustc_hash::FxHashSet;

/// The first e-graph of a stage has this share of the cap: most stages need no more.
const FIRST_SHARE: usize = 8;
/// Questions about one term before the search goes back to the one before.
const QUESTIONS: u32 = 2;
/// Stages of a walk that comes no nearer to the goal, for each node of the goal: after so many another one begins, with
/// other answers, and may be half as long again. How long a way has to be is not known.
const STAGES_PER_NODE: u64 = 8;
/// Stages of such a walk at least.
const LEAST_STAGES: u64 = 64;
/// Terms of an answer for which their place in the context is tried alone.
const PLACES: usize = 4;

/// Where a search is.
#[derive(Clone)]
struct Stop {
    /// A term that equals the start.
    whole: TermId,
    /// Where in it the part stands that is to become the goal.
    place: Vec<u32>,
    /// That part.
    part: TermId,
    /// How often it was asked what comes next.
    questions: u32,
}

/// How a stage ended.
enum Staged {
    /// At the goal.
    Goal(Stop),
    /// At a term that may come next.
    Next(Stop),
    /// Nowhere.
    Nowhere,
    /// The search is over.
    Over(Ended),
}

/// Follows what a planner says from the start, until a term satisfies the goal, which is noted as the best one,
/// or nothing may be grown any more; `None` without a word of the planner. Other ways are tried where one leads
/// nowhere.
pub(in crate::optimise) fn follow_planner(
    run: &mut Growth<'_>,
    start: TermId,
    goal: Goal,
    objective: &Objective,
    planner: &dyn Planner,
) -> Result<Option<Ended>> {
    let shortest = run.bank.size(goal.term).saturating_mul(STAGES_PER_NODE).max(LEAST_STAGES);
    let mut longest = shortest;
    let mut from_start = false;
    let mut seen = FxHashSet::from_iter([start]);
    let mut way = vec![Stop { whole: start, place: Vec::new(), part: start, questions: 0 }];
    let mut stages = 0;
    // How near to the goal it was, and the last stop that was so near, if there was one.
    let mut least = distance(run.bank, start, goal.term);
    let mut nearest: Option<Stop> = None;
    for number in 0.. {
        if let Some(ended) = run.over() {
            return Ok(Some(ended));
        }
        stages += 1;
        if stages > longest {
            // A wrong turn early on is not made good by trying everything behind it.
            longest = longest.saturating_add(longest / 2);
            way.truncate(1);
            // What looks near may be a dead end, where a part that the goal has is lost.
            from_start = !from_start;
            if !from_start {
                way.extend(nearest.clone());
            }
            seen = way.iter().map(|stop| stop.part).collect();
            stages = 0;
        }
        let bottom = way.len() == 1;
        let Some(at) = way.last_mut() else { break };
        at.questions += 1;
        if at.questions > QUESTIONS && !bottom {
            way.pop();
            continue;
        }
        // Between here and there terms may be larger than both, by what is in between.
        let larger = run.bank.size(at.part).max(run.bank.size(goal.term));
        let most = larger.saturating_mul(2).saturating_add(16);
        let mut next = planner.next(run.bank, at.part, goal.term, most, number)?;
        if next.is_empty() && bottom && at.questions > QUESTIONS {
            return Ok(None);
        }
        next.retain(|term| !seen.contains(term));
        next.sort_by_cached_key(|&term| distance(run.bank, term, goal.term));
        match stage(run, at, goal, &next)? {
            Staged::Over(ended) => return Ok(Some(ended)),
            Staged::Nowhere => {}
            Staged::Next(stop) => {
                seen.insert(stop.part);
                let near = distance(run.bank, stop.part, goal.term);
                if near < least {
                    (longest, stages) = (shortest, 0);
                }
                if near <= least {
                    (least, nearest) = (near, Some(stop.clone()));
                }
                way.push(stop);
            }
            Staged::Goal(stop) => match objective.of_term(run.bank, stop.whole) {
                Some(cost) => {
                    run.note(stop.whole, cost);
                    return Ok(Some(Ended::Reached));
                }
                None => return Ok(None),
            },
        }
    }
    Ok(None)
}

/// Grows e-graphs from a stop, until one holds the goal or a term that may come next.
fn stage(run: &mut Growth<'_>, at: &Stop, goal: Goal, next: &[TermId]) -> Result<Staged> {
    let terms: Vec<TermId> = std::iter::once(goal.term).chain(next.iter().copied()).collect();
    let sketches: Vec<Sketch> = terms.iter().map(|&term| goal.sketch(run.bank, term)).collect();
    let any = Sketch::Or(sketches.clone());
    let all = run.cap();
    let first = share_of(all);
    for cap in [first, all] {
        if let Some(ended) = run.over() {
            return Ok(Staged::Over(ended));
        }
        let config = run.config(cap, run.scheduler());
        let grown = run.grow(Ends::alone(&at.part, Some(&any)), &config);
        if grown.stop == StopReason::Conflict {
            return Ok(Staged::Over(Ended::Conflict));
        }
        let class = grown.egraph.lookup(run.bank, at.part);
        let holds = |sketch| class.is_some_and(|id| sketch_satisfied(&grown.egraph, id, sketch));
        if let (Some(found), Some(class)) = (sketches.iter().position(holds), class)
            && let Some(end) = extract_sketch(&grown.egraph, run.bank, class, &sketches[found])
            && let Some(inside) = run.bank.place_of(end, terms[found])
        {
            let proof = grown.explain(run.bank, at.part, end)?;
            let stop = go(run, at, proof, (&[], &inside), terms[found])?;
            return Ok(if found == 0 { Staged::Goal(stop) } else { Staged::Next(stop) });
        }
        if cap == first {
            for &term in next.iter().take(PLACES) {
                let (from, to, place) = difference(run.bank, at.part, term);
                if place.is_empty() || from == to {
                    continue;
                }
                let sketch = Sketch::from_term(run.bank, to);
                let config = run.config(cap, run.scheduler());
                let grown = run.grow(Ends::alone(&from, Some(&sketch)), &config);
                if grown.egraph.lookup(run.bank, from).is_some_and(|class| {
                    grown.stop != StopReason::Conflict
                        && sketch_satisfied(&grown.egraph, class, &sketch)
                }) {
                    let proof = grown.explain(run.bank, from, to)?;
                    return Ok(Staged::Next(go(run, at, proof, (&place, &[]), term)?));
                }
            }
        }
        if grown.stop == StopReason::Saturated {
            break;
        }
    }
    Ok(Staged::Nowhere)
}

/// The stop after a stage that proved the part of the one before, or what is `at.place` and then `below`, equal to a
/// term that has the new part at `inside`.
fn go(
    run: &mut Growth<'_>,
    at: &Stop,
    proof: egraph::Proof,
    (below, inside): (&[u32], &[u32]),
    part: TermId,
) -> Result<Stop> {
    let place = [&at.place[..], below].concat();
    let proof = proof
        .within(run.bank, at.whole, &place)
        .ok_or_else(|| support::Internal::new("a part of a term is not where it was found"))?;
    let whole = proof.end();
    run.connect_proof(proof);
    let place = [&at.place[..], inside].concat();
    Ok(Stop { whole, place, part, questions: 0 })
}

fn share_of(cap: Cap) -> Cap {
    match cap {
        Cap::Nodes(nodes) => Cap::Nodes(nodes.div_ceil(FIRST_SHARE)),
        Cap::Memory(bytes) => Cap::Memory(bytes.div_ceil(FIRST_SHARE)),
    }
}

/// The parts in which two terms differ, if it is one place, and where they stand; of different roots the terms
/// themselves.
fn difference(bank: &TermBank, a: TermId, b: TermId) -> (TermId, TermId, Vec<u32>) {
    let (mut a, mut b, mut place) = (a, b, Vec::new());
    while a != b && bank.head(a) == bank.head(b) {
        let pairs = bank.children(a).iter().zip(bank.children(b));
        let mut differ = (0u32..).zip(pairs).filter(|(_, (a, b))| a != b);
        let (Some((child, (&left, &right))), None) = (differ.next(), differ.next()) else { break };
        place.push(child);
        (a, b) = (left, right);
    }
    (a, b, place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimise::answer::OptimiseSettings;
    use crate::optimise::run::optimise;
    use crate::options::budget::Budget;
    use crate::options::optimise::OptimiseLimits;
    use crate::options::schedulers::Schedulers;
    use egraph::{CostFunction, System, check};
    use std::sync::Arc;

    fn system() -> System {
        System::parse(include_str!("../../../../configs/systems/tiling.rules")).unwrap()
    }

    /// What may come next after the text of a term, to a question with a number.
    type Said = fn(&str, u64) -> Vec<String>;

    #[derive(Debug)]
    struct Scripted(Said);

    impl Planner for Scripted {
        fn next(
            &self,
            bank: &mut TermBank,
            from: TermId,
            _: TermId,
            _: u64,
            number: u64,
        ) -> Result<Vec<TermId>> {
            let sort = Some(bank.sort(from));
            let texts = self.0(&bank.text(from), number);
            Ok(texts.iter().map(|text| bank.parse(text, sort).unwrap()).collect())
        }
    }

    /// The search from a start to a goal with what is said: how it ended, with which term, and its work.
    fn search(
        system: System,
        [start, goal]: [&str; 2],
        said: Said,
        cap: usize,
        work: u64,
    ) -> (Ended, Option<String>, u64) {
        let system = Arc::new(system);
        let mut bank = TermBank::new(system.language.clone());
        let start = bank.parse(start, None).unwrap();
        let cost = CostFunction::named(&system, "size").unwrap();
        let objective = Objective::tree(cost, Sketch::parse(&system.language, goal, None).unwrap());
        let budget = Budget { cap: Cap::Nodes(cap), work, scheduler: Schedulers::Auto };
        let planner: Option<Arc<dyn Planner>> = Some(Arc::new(Scripted(said)));
        let limits = OptimiseLimits { first: true, ..budget.into() };
        let settings = OptimiseSettings { planner, ..OptimiseSettings::within(limits, 0) };
        let outcome = optimise(&system, &mut bank, start, &objective, &settings).unwrap();
        let best = outcome.best().map(|best| {
            let proof = outcome.proof.as_ref().unwrap();
            check(&system, &bank, proof).unwrap();
            assert_eq!((proof.start(), proof.end()), (start, best.term));
            assert!(objective.sketch.accepts(&bank, best.term));
            bank.text(best.term)
        });
        (outcome.ended, best, outcome.ledger.work)
    }

    fn run(goal: &str, said: Said, work: u64) -> (Ended, Option<String>, u64) {
        search(system(), ["(m a (m b (m c (m g f))))", goal], said, 400, work)
    }

    #[test]
    fn a_way_that_is_written_leads_where_the_cap_does_not() {
        let goal = "(contains (m g (m a (m b (m c f)))))";
        let way = |_: &str, _| {
            ["(m c (m a (m b f)))", "(m a (m b (m g (m c f))))", "(m a (m g (m b (m c f))))"]
                .map(String::from)
                .to_vec()
        };
        let (ended, best, work) = run(goal, way, 4_000);
        assert_eq!(ended, Ended::Reached, "after {work}");
        assert!(best.unwrap().contains("(m g (m a (m b (m c f))))"));
        assert!(work < 1_500, "{work}");
        let (ended, _, _) = run(goal, |_, _| Vec::new(), 1_500);
        assert_eq!(ended, Ended::Work);
    }

    #[test]
    fn a_way_may_be_longer_than_the_first_walks() {
        let links = 300;
        let op = |i: u32| format!("(op c{i} () X)\n");
        let rule = |i: u32| format!("(rewrite c{i} c{} :name r{i})\n", i + 1);
        let text: String = std::iter::once("(sort X)\n".to_owned())
            .chain((0..=links).map(op))
            .chain((0..links).map(rule))
            .collect();
        let next = |at: &str, _| vec![format!("c{}", at[1..].parse::<u32>().unwrap() + 1)];
        let goal = format!("c{links}");
        let system = System::parse(&text).unwrap();
        let (ended, best, _) = search(system, ["c0", &goal], next, 8, 20_000);
        assert_eq!((ended, best), (Ended::Reached, Some(goal)));
    }

    #[test]
    fn a_walk_that_comes_nearer_is_not_given_up() {
        // A hand goes around, and after each time a light is on: no walk of 64 stages sees the third.
        let hours = 50;
        let hour = |i: u32| format!("(op c{i} () X)\n");
        let tick = |i: u32| format!("(rewrite c{i} c{} :name r{i})\n", i + 1);
        let light = |lights: &str, next: &str| {
            format!(
                "(rewrite (t {lights} c{hours}) (t {next} c0) :name {})\n",
                next.replace(' ', "-")
            )
        };
        let text: String =
            std::iter::once("(sort X) (op t (X X X X) X) (op x () X) (op y () X)\n".into())
                .chain((0..=hours).map(hour))
                .chain((0..hours).map(tick))
                .chain([light("x x x", "y x x"), light("y x x", "y y x"), light("y y x", "y y y")])
                .collect();
        let next = |at: &str, _| {
            let (lights, hour) = at[3..at.len() - 1].split_at(6);
            match hour[1..].parse::<u32>().unwrap() {
                50 => vec![format!("(t {}c0)", lights.replacen('x', "y", 1))],
                hour => vec![format!("(t {lights}c{})", hour + 1)],
            }
        };
        let ends = ["(t x x x c0)", "(t y y y c1)"];
        let (ended, best, work) = search(System::parse(&text).unwrap(), ends, next, 40, 100_000);
        assert_eq!((ended, best.as_deref()), (Ended::Reached, Some(ends[1])));
        assert!(work < 1_000, "{work}");
    }

    #[test]
    fn the_nearest_of_what_is_reached_is_gone_to() {
        // Eight lights are to be green; that the first of those that are off is red is said before that it is green.
        let light = |place: usize, to: &str| {
            let [before, after] = ["off", to].map(|state| {
                let lights =
                    (0..8).map(|at| if at == place { state.into() } else { format!("?{at}") });
                lights.collect::<Vec<String>>().join(" ")
            });
            format!("(rewrite (t {before}) (t {after}) :name {to}{place})\n")
        };
        let lights =
            "(sort X) (op t (X X X X X X X X) X) (op off () X) (op red () X) (op green () X)\n";
        let text: String = std::iter::once(lights.to_owned())
            .chain((0..8).flat_map(|place| ["red", "green"].map(|to| light(place, to))))
            .collect();
        let next = |at: &str, _| ["red", "green"].map(|to| at.replacen("off", to, 1)).to_vec();
        let ends = ["off", "green"].map(|state| format!("(t{})", format!(" {state}").repeat(8)));
        let ends = ends.each_ref().map(String::as_str);
        let (ended, _, work) = search(System::parse(&text).unwrap(), ends, next, 200, 100_000);
        assert_eq!(ended, Ended::Reached);
        assert!(work < 1_000, "{work}");
    }

    #[test]
    fn what_looked_nearest_is_left_where_it_leads_nowhere() {
        // Two lights are on at once, but not the third: from there a hand goes round for ever. On the long way none is.
        let [dead, long] = [3_000, 30];
        let chain = |hand: char, last: u32| {
            let op = move |i: u32| format!("(op {hand}{i} () X)\n");
            let rule =
                move |i: u32| format!("(rewrite {hand}{i} {hand}{} :name {hand}{i})\n", i + 1);
            (0..=last).map(op).chain((0..last).map(rule))
        };
        let text: String = std::iter::once(
            "(sort X) (op t (X X X) X) (op x () X) (op y () X) (op s () X)\n".into(),
        )
        .chain(chain('c', dead))
        .chain(chain('u', long))
        .chain(["(rewrite s (t y y x) :name short) (rewrite (t y y x) c0 :name dead)\n".into()])
        .chain([format!("(rewrite s u0 :name long) (rewrite u{long} (t y y y) :name end)")])
        .collect();
        let next = |at: &str, number| {
            vec![match at {
                "s" if number < 60 => "(t y y x)".into(),
                "s" => "u0".into(),
                "(t y y x)" | "c3000" => "c0".into(),
                "u30" => "(t y y y)".into(),
                _ => format!("{}{}", &at[..1], at[1..].parse::<u32>().unwrap() + 1),
            }]
        };
        let ends = ["s", "(t y y y)"];
        let (ended, _, work) = search(System::parse(&text).unwrap(), ends, next, 8, 100_000);
        assert_eq!(ended, Ended::Reached);
        assert!(work < 2_000, "{work}");
    }

    #[test]
    fn nonsense_costs_work_and_nothing_else() {
        let goal = "(contains (m h (m a (m b (m c f)))))";
        let (ended, best, work) =
            run(goal, |_, _| ["(m e (m a (m c f)))", "f"].map(String::from).to_vec(), 20_000);
        assert_eq!((ended, best), (Ended::Work, None));
        assert!((20_000..21_000).contains(&work), "{work}");
    }

    #[test]
    fn who_says_nothing_is_not_asked_for_ever() {
        let (ended, best, _) =
            run("(contains (m b (m a (m c (m g f)))))", |_, _| Vec::new(), 4_000);
        assert_eq!(ended, Ended::Reached);
        assert!(best.is_some());
    }

    #[test]
    fn terms_that_differ_in_one_place_differ_there() {
        let system = system();
        let mut bank = TermBank::new(system.language.clone());
        let mut text = |a: &str, b: &str| {
            let [a, b] = [a, b].map(|text| bank.parse(text, None).unwrap());
            let (a, b, place) = difference(&bank, a, b);
            (bank.text(a), bank.text(b), place)
        };
        let of = |a: &str, b: &str, place: &[u32]| (a.to_owned(), b.to_owned(), place.to_vec());
        assert_eq!(text("(m a (m b f))", "(m a (m c f))"), of("b", "c", &[1, 0]));
        assert_eq!(text("(m a (m b f))", "(m a (m c g))"), of("(m b f)", "(m c g)", &[1]));
        assert_eq!(text("(m a f)", "(o f f)"), of("(m a f)", "(o f f)", &[]));
    }
}
