//! Line charts as SVG, in the colours of the page's style sheet.

use super::numbers::thousands;
use super::page::escape;
use std::fmt::Write;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 44.0;

/// One line of a chart.
#[derive(Clone, Debug)]
pub struct Series {
    /// Shown when the pointer rests on the line.
    pub name: String,
    /// The class of the line in the style sheet.
    pub class: String,
    /// Points (x, per cent), x ascending.
    pub points: Vec<(f64, f64)>,
}

/// How a chart connects the points of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Level until the next point: a count that grows.
    Steps,
    /// Straight, with a dot at every point: measurements.
    Dots,
}

/// A chart of per cent (0 to 100) over x (from `x_range`).
pub fn chart(x_label: &str, x_range: (f64, f64), shape: Shape, series: &[Series]) -> String {
    let (low, high) = x_range;
    let span = if high > low { high - low } else { 1.0 };
    let x = |value: f64| LEFT + (value - low) / span * (WIDTH - LEFT - RIGHT);
    let y = |percent: f64| HEIGHT - BOTTOM - percent / 100.0 * (HEIGHT - TOP - BOTTOM);
    let mut svg = format!(
        "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"per cent solved over {}\">\n",
        escape(x_label)
    );
    for percent in [0.0, 25.0, 50.0, 75.0, 100.0] {
        let at = y(percent);
        let class = if percent == 0.0 { "axis" } else { "grid" };
        let _ = writeln!(
            svg,
            "<line class=\"{class}\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{percent} %</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            at + 4.0
        );
    }
    for tick in ticks(low, high) {
        let at = x(tick);
        let _ = writeln!(
            svg,
            "<line class=\"axis\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{:.1}\" y2=\"{:.1}\"/>\
             <text class=\"tick\" x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            y(0.0),
            y(0.0) + 5.0,
            y(0.0) + 19.0,
            thousands(tick as u64)
        );
    }
    let _ = writeln!(
        svg,
        "<text class=\"label\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 6.0,
        escape(x_label)
    );
    for line in series {
        let mut path = String::new();
        let mut last = None;
        for &(value, percent) in &line.points {
            let (at, height) = (x(value), y(percent));
            match (last, shape) {
                (None, _) => write!(path, "M{at:.1} {height:.1}"),
                (Some(_), Shape::Steps) => write!(path, "H{at:.1}V{height:.1}"),
                (Some(_), Shape::Dots) => write!(path, "L{at:.1} {height:.1}"),
            }
            .ok();
            last = Some((at, height));
        }
        let _ = write!(svg, "<g class=\"{}\"><title>{}</title>", line.class, escape(&line.name));
        let _ = write!(svg, "<path class=\"line\" d=\"{path}\"/>");
        if shape == Shape::Dots {
            for &(value, percent) in &line.points {
                let (at, height) = (x(value), y(percent));
                let _ = write!(svg, "<circle cx=\"{at:.1}\" cy=\"{height:.1}\" r=\"4\"/>");
            }
        }
        svg.push_str("</g>\n");
    }
    svg.push_str("</svg>\n");
    svg
}

/// Round numbers from `low` to `high`, some five of them.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = ((high - low) / 5.0).max(1.0);
    let magnitude = 10f64.powf(rough.log10().floor());
    let factors = [1.0, 2.0, 5.0, 10.0];
    let step = factors.iter().map(|f| f * magnitude).find(|&s| s >= rough).unwrap_or(rough);
    let first = (low / step).ceil();
    (0..).map(|i| (first + f64::from(i)) * step).take_while(|&t| t <= high).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(ticks(0.0, 80_000.0), [0.0, 20_000.0, 40_000.0, 60_000.0, 80_000.0]);
        assert_eq!(ticks(1.0, 4.0), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(ticks(0.0, 0.0), [0.0]);
    }

    #[test]
    fn a_chart_has_a_path_per_line() {
        let series = |class: &str| Series {
            name: class.to_owned(),
            class: class.to_owned(),
            points: vec![(0.0, 0.0), (10.0, 50.0)],
        };
        let svg = chart("work", (0.0, 10.0), Shape::Steps, &[series("a"), series("b")]);
        assert_eq!(svg.matches("<path").count(), 2);
        assert!(svg.contains("M52.0 296.0H624.0V155.0"));
    }
}
