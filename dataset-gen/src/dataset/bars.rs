//! A histogram as a picture (SVG), in the colours of [`support::page`].

use crate::dataset::stats::{Bucket, Histogram, Summary};
use std::fmt::Write;
use support::show::numbers::thousands;
use support::show::page::escape;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 10.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 44.0;
/// Most bars.
const BARS: u32 = 60;

/// A bar a number, or a range of numbers if there are many. Its title says how often they occur.
pub fn bars(histogram: &Histogram, label: &str) -> String {
    let Summary { min, max, buckets, .. } = histogram.summary(BARS);
    let most = buckets.iter().map(|bucket| bucket.count).max().unwrap_or(0).max(1);
    let step = (WIDTH - LEFT - RIGHT) / buckets.len().max(1) as f64;
    let label = escape(label);
    let mut svg = format!(
        "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"{label}, {min} to {max}\">\n"
    );
    // Writing to a string does not fail.
    for (count, class) in [(0, "axis"), (most / 2, "grid"), (most, "grid")] {
        let y = HEIGHT - BOTTOM - count as f64 / most as f64 * (HEIGHT - TOP - BOTTOM);
        let _ = writeln!(
            svg,
            "<line class=\"{class}\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            y + 4.0,
            thousands(count)
        );
    }
    let every = buckets.len().div_ceil(10).max(1);
    for (i, Bucket { from, to, count }) in buckets.iter().enumerate() {
        let x = LEFT + i as f64 * step;
        let height = *count as f64 / most as f64 * (HEIGHT - TOP - BOTTOM);
        let range = if from == to { from.to_string() } else { format!("{from}–{to}") };
        let _ = writeln!(
            svg,
            "<g><title>{range}: {}</title><rect class=\"fill\" x=\"{:.1}\" y=\"{:.1}\" \
             width=\"{:.1}\" height=\"{height:.1}\"/></g>",
            thousands(*count),
            x + 0.1 * step,
            HEIGHT - BOTTOM - height,
            0.8 * step
        );
        if i % every == 0 {
            let _ = writeln!(
                svg,
                "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{from}</text>",
                x + 0.5 * step,
                HEIGHT - BOTTOM + 17.0
            );
        }
    }
    let _ = writeln!(
        svg,
        "<text class=\"label\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>\n</svg>",
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 6.0
    );
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_bar_a_number_to_scale() {
        let mut histogram = Histogram::default();
        histogram.add(3, 10);
        histogram.add(4, 5);
        let svg = bars(&histogram, "a < b");
        assert_eq!(svg.matches("<rect").count(), 2);
        assert!(svg.contains("height=\"166.0\"") && svg.contains("height=\"83.0\""));
        assert!(svg.contains("a &lt; b, 3 to 4"));
        (0..1_000).for_each(|n| histogram.add(n, 1));
        assert!(bars(&histogram, "n").matches("<rect").count() <= BARS as usize);
        assert_eq!(bars(&Histogram::default(), "none").matches("<rect").count(), 0);
    }
}
