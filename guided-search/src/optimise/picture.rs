//! Cost against work, as a picture.

use crate::optimise::answer::Outcome;
use egraph::CostFunction;
use support::svg_chart::{Axis, Chart, Series, Shape};

const STYLE: &str = ".cost .line { stroke: #1f77b4; }\n";

/// What the best term cost after so much work, in the most important measure, as SVG.
pub fn picture(outcome: &Outcome, cost: &CostFunction) -> String {
    let name = cost.names()[0];
    let work = outcome.ledger.work.max(1) as f64;
    let first = |of: &egraph::Cost| cost.asked(of)[0].value();
    let mut points: Vec<(f64, f64)> =
        outcome.curve.iter().map(|best| (best.work as f64, first(&best.cost))).collect();
    if let Some(best) = outcome.best() {
        points.push((work, first(&best.cost)));
    }
    let top = points.iter().map(|&(_, cost)| cost).fold(1.0, f64::max);
    let x = Axis::numbers("work: e-nodes ever built", (0.0, work), 1.0);
    let y = Axis::numbers(name, (0.0, top), 1.0);
    let line = Series { name: name.to_owned(), class: "cost".to_owned(), points };
    let chart = Chart::new(x, y, 340, "cost of the best term over work");
    chart.lines(Shape::Steps, &[line]).file(STYLE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimise::answer::{Best, Ended};
    use crate::search::budget::Ledger;
    use egraph::{System, TermBank};

    #[test]
    fn the_line_goes_down_and_on_to_the_end() {
        let system = System::parse("(sort S) (op a () S) (op f (S) S)").unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let mut best = |work, text: &str| {
            let term = bank.parse(text, None).unwrap();
            let cost = CostFunction::size().of_term(&bank, term).unwrap();
            Best { work, e_graphs: 0, term, cost }
        };
        let curve = vec![best(0, "(f (f a))"), best(50, "a")];
        let ledger = Ledger { work: 100, ..Ledger::default() };
        let outcome = Outcome { curve, proof: None, ended: Ended::Least, ledger, used: Vec::new() };
        let svg = picture(&outcome, &CostFunction::size());
        let path = svg.split(" d=\"").nth(1).unwrap().split('"').next().unwrap();
        assert_eq!(path.matches('H').count(), 2, "{path}");
        assert!(svg.starts_with("<svg") && svg.contains(">size</text>"), "{svg}");
    }
}
