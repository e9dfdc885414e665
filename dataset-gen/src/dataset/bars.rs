//! A histogram as a picture.

use crate::dataset::stats::{Bucket, Histogram, Summary};
use maud::Markup;
use support::svg_chart::{Axis, Bar, Chart};
use support::thousands;

/// Most bars.
const BARS: u32 = 60;

/// A bar a number, or a range of numbers if there are many. Its title says how often they occur.
pub fn bars(histogram: &Histogram, label: &str) -> Markup {
    let Summary { min, max, buckets, .. } = histogram.summary(BARS);
    let bar = |Bucket { from, to, count }: &Bucket| {
        let range = if from == to { from.to_string() } else { format!("{from}–{to}") };
        let title = format!("{range}: {}", thousands(*count));
        Bar { name: from.to_string(), title, count: *count }
    };
    let bars: Vec<Bar> = buckets.iter().map(bar).collect();
    let most = bars.iter().map(|bar| bar.count).max().unwrap_or(0).max(1);
    let y = Axis::numbers("", (0.0, most as f64), 1.0);
    let description = format!("{label}, {min} to {max}");
    Chart::new(Axis::of_bars(label, &bars), y, 220, &description).bars(&bars).markup()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_bar_a_number_and_there_are_not_too_many() {
        let mut histogram = Histogram::default();
        histogram.add(3, 10);
        histogram.add(4, 5);
        let svg = bars(&histogram, "a < b").into_string();
        assert_eq!(svg.matches("<rect").count(), 2);
        assert!(svg.contains("a &lt; b, 3 to 4") && svg.contains("<title>4: 5</title>"));
        (0..1_000).for_each(|n| histogram.add(n, 1));
        let svg = bars(&histogram, "n").into_string();
        assert!(svg.matches("<rect").count() <= BARS as usize);
        assert_eq!(bars(&Histogram::default(), "none").into_string().matches("<rect").count(), 0);
    }
}
