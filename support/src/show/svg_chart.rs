//! Charts as SVG: one frame of axes, grid, ticks and labels, and lines or bars within it.
//!
//! In a page the colours are those of its style sheet (the classes `axis`, `grid`, `line` and
//! `fill`); as a file a chart has a style sheet of its own.

use super::numbers::thousands;
use maud::{Markup, PreEscaped, html};
use std::fmt::Write;

/// What all charts have that are files of their own; a page has its own style.
const FILE_STYLE: &str = "
.paper { fill: #ffffff; }
text { font: 12px sans-serif; fill: #59636e; }
.grid { stroke: #d1d9e0; stroke-dasharray: 2 4; }
.axis { stroke: #59636e; }
.line { fill: none; stroke-width: 2; stroke-linejoin: round; }
";

const WIDTH: f64 = 640.0;
const LEFT: f64 = 76.0;
// Half of a label such as 20,000 stands right of the last tick.
const RIGHT: f64 = 28.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 44.0;

/// One axis of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    label: String,
    range: (f64, f64),
    /// Where a mark is, and what stands at it.
    ticks: Vec<(f64, String)>,
}

impl Axis {
    /// Numbers over a range, marked at some five round ones that lie at least `least` apart.
    pub fn numbers(label: &str, range: (f64, f64), least: f64) -> Axis {
        let (step, ticks) = ticks(range, least);
        let text = |tick: f64| match step {
            step if step >= 1.0 => thousands(tick as u64),
            step => format!("{tick:.*}", (-step.log10()).ceil() as usize),
        };
        let ticks = ticks.into_iter().map(|tick| (tick, text(tick))).collect();
        Axis { label: label.to_owned(), range, ticks }
    }

    /// Per cent, from 0 to 100.
    pub fn per_cent(label: &str) -> Axis {
        let ticks = [0.0, 25.0, 50.0, 75.0, 100.0].map(|tick| (tick, format!("{tick} %")));
        let (range, ticks) = ((0.0, 100.0), ticks.into());
        Axis { label: label.to_owned(), range, ticks }
    }

    /// A place for each bar, some ten of which are named.
    pub fn of_bars(label: &str, bars: &[Bar]) -> Axis {
        let every = bars.len().div_ceil(10).max(1);
        let ticks = bars.iter().enumerate().step_by(every);
        let ticks = ticks.map(|(i, bar)| (i as f64 + 0.5, bar.name.clone())).collect();
        let range = (0.0, bars.len().max(1) as f64);
        Axis { label: label.to_owned(), range, ticks }
    }

    /// Where a value lies between the ends of the axis, from 0 to 1.
    fn share(&self, value: f64) -> f64 {
        let (low, high) = self.range;
        (value - low) / if high > low { high - low } else { 1.0 }
    }
}

/// One line of a chart.
#[derive(Clone, Debug)]
pub struct Series {
    /// Shown when the pointer rests on the line.
    pub name: String,
    /// The classes of the line in the style sheet.
    pub class: String,
    /// Points (x, y), x ascending.
    pub points: Vec<(f64, f64)>,
}

/// How a chart connects the points of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Level until the next point: a count that grows.
    Steps,
    /// Straight.
    Straight,
    /// Straight, with a dot at every point: measurements.
    Dots,
}

/// One bar of a chart.
#[derive(Clone, Debug)]
pub struct Bar {
    /// Stands below it, if there is room.
    pub name: String,
    /// Shown when the pointer rests on the bar.
    pub title: String,
    /// Its height.
    pub count: u64,
}

/// A frame with what was drawn in it so far.
#[derive(Clone, Debug)]
pub struct Chart {
    x: Axis,
    y: Axis,
    description: String,
    height: f64,
    drawn: Vec<Markup>,
}

impl Chart {
    /// An empty frame, 640 wide and `height` high. The description is for those who can't see it.
    pub fn new(x: Axis, y: Axis, height: u32, description: &str) -> Chart {
        let description = description.to_owned();
        Chart { x, y, description, height: height.into(), drawn: Vec::new() }
    }

    /// Draws lines.
    pub fn lines(mut self, shape: Shape, series: &[Series]) -> Chart {
        for line in series {
            let mut path = String::new();
            for (i, &(x, y)) in line.points.iter().enumerate() {
                let (x, y) = (self.at_x(x), self.at_y(y));
                // Writing to a string does not fail.
                let _ = match (i, shape) {
                    (0, _) => write!(path, "M{x:.1} {y:.1}"),
                    (_, Shape::Steps) => write!(path, "H{x:.1}V{y:.1}"),
                    (_, Shape::Straight | Shape::Dots) => write!(path, "L{x:.1} {y:.1}"),
                };
            }
            let dots = if shape == Shape::Dots { &line.points[..] } else { &[] };
            self.drawn.push(html! {
                g class=(line.class) {
                    title { (line.name) }
                    path class="line" d=(path) {}
                    @for &(x, y) in dots {
                        circle cx=(one(self.at_x(x))) cy=(one(self.at_y(y))) r="4" {}
                    }
                }
            });
        }
        self
    }

    /// Writes the names of lines into the upper right corner.
    pub fn names(mut self, series: &[Series]) -> Chart {
        for (i, line) in series.iter().enumerate() {
            let y = TOP + 16.0 * (i + 1) as f64;
            self.drawn.push(html! {
                text class=(line.class) x=(one(WIDTH - RIGHT - 6.0)) y=(one(y)) text-anchor="end" {
                    (line.name)
                }
            });
        }
        self
    }

    /// Draws bars, one beside the other from 0 on.
    pub fn bars(mut self, bars: &[Bar]) -> Chart {
        for (i, bar) in bars.iter().enumerate() {
            let left = self.at_x(i as f64 + 0.1);
            let (top, ground) = (self.at_y(bar.count as f64), self.at_y(0.0));
            self.drawn.push(html! {
                g {
                    title { (bar.title) }
                    rect class="fill" x=(one(left)) y=(one(top))
                        width=(one(self.at_x(i as f64 + 0.9) - left)) height=(one(ground - top)) {}
                }
            });
        }
        self
    }

    /// For a page.
    pub fn markup(&self) -> Markup {
        self.svg(None)
    }

    /// A file of its own; `style` (CSS) says what its lines look like.
    pub fn file(&self, style: &str) -> String {
        self.svg(Some(&format!("{FILE_STYLE}{style}"))).into_string() + "\n"
    }

    fn at_x(&self, value: f64) -> f64 {
        LEFT + self.x.share(value) * (WIDTH - LEFT - RIGHT)
    }

    fn at_y(&self, value: f64) -> f64 {
        self.height - BOTTOM - self.y.share(value) * (self.height - TOP - BOTTOM)
    }

    fn svg(&self, style: Option<&str>) -> Markup {
        let view = format!("0 0 {WIDTH} {}", self.height);
        html! {
            svg xmlns=[style.map(|_| "http://www.w3.org/2000/svg")] class="chart" viewBox=(view) role="img"
                aria-label=(self.description)
            {
                @if let Some(style) = style {
                    style { (PreEscaped(style)) }
                    rect class="paper" width="100%" height="100%" {}
                }
                (self.axes())
                @for part in &self.drawn { (part) }
            }
        }
    }

    fn axes(&self) -> Markup {
        let ground = self.height - BOTTOM;
        let (right, middle) = (WIDTH - RIGHT, (TOP + ground) / 2.0);
        html! {
            @for (value, text) in &self.y.ticks {
                @let y = self.at_y(*value);
                line class=(if y == ground { "axis" } else { "grid" })
                    x1=(one(LEFT)) x2=(one(right)) y1=(one(y)) y2=(one(y)) {}
                text class="tick" x=(one(LEFT - 8.0)) y=(one(y + 4.0)) text-anchor="end" { (text) }
            }
            @for (value, text) in &self.x.ticks {
                @let x = self.at_x(*value);
                line class="axis" x1=(one(x)) x2=(one(x)) y1=(one(ground)) y2=(one(ground + 5.0)) {}
                text class="tick" x=(one(x)) y=(one(ground + 19.0)) text-anchor="middle" { (text) }
            }
            text class="label" x=(one((LEFT + right) / 2.0)) y=(one(self.height - 6.0))
                text-anchor="middle" { (self.x.label) }
            @if !self.y.label.is_empty() {
                text class="label" x="14" y=(one(middle)) text-anchor="middle"
                    transform=(format!("rotate(-90 14 {middle:.1})")) { (self.y.label) }
            }
        }
    }
}

/// A coordinate with one digit after the point.
fn one(value: f64) -> String {
    format!("{value:.1}")
}

/// Some five round numbers in a range, a multiple of the step that is returned, which is at
/// least `least`.
fn ticks((low, high): (f64, f64), least: f64) -> (f64, Vec<f64>) {
    let rough = ((high - low) / 5.0).max(least);
    let magnitude = 10f64.powf(rough.log10().floor());
    let factors = [1.0, 2.0, 5.0, 10.0];
    let step = factors.iter().map(|f| f * magnitude).find(|&s| s >= rough).unwrap_or(rough);
    let first = (low / step).ceil();
    // The last may be beside the end by a rounding error.
    let end = high + step * 1e-9;
    let ticks = (0..).map(|i| (first + f64::from(i)) * step).take_while(|&t| t <= end).collect();
    (step, ticks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        let whole = |range| ticks(range, 1.0).1;
        assert_eq!(whole((0.0, 80_000.0)), [0.0, 20_000.0, 40_000.0, 60_000.0, 80_000.0]);
        assert_eq!(whole((1.0, 4.0)), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(whole((0.0, 0.0)), [0.0]);
        let texts: Vec<_> =
            Axis::numbers("", (0.0, 1.5), 0.01).ticks.into_iter().map(|t| t.1).collect();
        assert_eq!(texts, ["0.0", "0.5", "1.0", "1.5"]);
    }

    fn series(class: &str) -> Series {
        let points = vec![(0.0, 0.0), (10.0, 50.0)];
        Series { name: format!("<{class}>"), class: class.to_owned(), points }
    }

    #[test]
    fn a_chart_has_a_path_per_line_to_scale() {
        let x = Axis::numbers("work", (0.0, 10.0), 1.0);
        let chart = Chart::new(x, Axis::per_cent("solved"), 340, "solved over work");
        let svg = chart.lines(Shape::Steps, &[series("a"), series("b")]).markup().into_string();
        assert_eq!(svg.matches("<path").count(), 2);
        assert!(svg.contains("M76.0 296.0H612.0V155.0"), "{svg}");
        assert!(svg.contains("&lt;a&gt;") && !svg.contains("<style>") && !svg.contains("http"));
    }

    #[test]
    fn a_chart_has_a_bar_per_number_to_scale() {
        let bar = |count: u64| Bar { name: count.to_string(), title: String::new(), count };
        let bars: Vec<Bar> = [10, 5].map(bar).into();
        let y = Axis::numbers("", (0.0, 10.0), 1.0);
        let chart = Chart::new(Axis::of_bars("n", &bars), y, 220, "").bars(&bars);
        let svg = chart.markup().into_string();
        assert!(svg.contains("height=\"162.0\"") && svg.contains("height=\"81.0\""), "{svg}");
        let many: Vec<Bar> = (0..60).map(bar).collect();
        assert_eq!(Axis::of_bars("n", &many).ticks.len(), 10);
    }

    #[test]
    fn a_file_carries_its_style() {
        let x = Axis::numbers("steps", (0.0, 10.0), 1.0);
        let chart = Chart::new(x, Axis::per_cent(""), 340, "").names(&[series("a")]);
        let file = chart.file(".a { fill: red; }");
        assert!(file.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
        assert!(file.contains(".a { fill: red; }</style>") && file.ends_with("</svg>\n"));
    }
}
