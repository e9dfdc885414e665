//! Medians, ratios, and the table.

use crate::workloads::{Run, Timed};

/// The runs of one workload.
pub struct Row {
    pub name: &'static str,
    pub cairn: Run,
    /// Cairn's own count of its bytes.
    pub heap_bytes: usize,
    /// egg without and with explanations, as far as they were run.
    pub egg: [Option<Run>; 2],
}

impl Row {
    /// Whether both sides grew the same e-graph, as far as sizes tell.
    pub fn same(&self) -> bool {
        let size = |run: &Run| (run.nodes, run.classes);
        self.egg.iter().flatten().all(|egg| size(egg) == size(&self.cairn))
    }

    fn ratios(&self, of: fn(&Run) -> f64) -> [Option<f64>; 2] {
        self.egg.map(|egg| Some(of(&egg?) / of(&self.cairn)))
    }
}

/// The median of some runs that differ in time only.
pub fn median<R: Timed>(mut runs: Vec<R>) -> R {
    runs.sort_by(|a, b| a.seconds().total_cmp(&b.seconds()));
    runs[runs.len() / 2]
}

const QUANTITIES: [fn(&Run) -> f64; 3] =
    [|run| run.seconds * 1e3, |run| per_node(run, run.live), |run| per_node(run, run.peak)];

fn per_node(run: &Run, bytes: usize) -> f64 {
    bytes as f64 / run.nodes as f64
}

/// Three significant digits.
pub fn short(value: f64) -> String {
    let digits = (2 - value.abs().max(0.001).log10().floor() as i32).clamp(0, 2);
    format!("{value:.*}", digits as usize)
}

fn cell(value: Option<f64>) -> String {
    value.map_or("–".to_owned(), short)
}

/// The two lines above the rows.
pub fn header() -> String {
    let quantity = |name: &str| format!("{name} | egg | egg on | × | × on |");
    let columns: String =
        ["ms", "live B/node", "peak B/node"].iter().map(|name| quantity(name) + " ").collect();
    let names = format!("| workload | e-nodes | e-classes | {columns}heap_bytes/live |");
    let rule = names.split('|').skip(2).map(|_| "---:|").skip(1).collect::<String>();
    format!("{names}\n|---|{rule}")
}

/// A row, as Markdown.
pub fn line(row: &Row) -> String {
    let mut cells =
        vec![row.name.to_owned(), row.cairn.nodes.to_string(), row.cairn.classes.to_string()];
    for of in QUANTITIES {
        cells.push(short(of(&row.cairn)));
        cells.extend(row.egg.map(|egg| cell(egg.as_ref().map(of))));
        cells.extend(row.ratios(of).map(cell));
    }
    cells.push(short(row.heap_bytes as f64 / row.cairn.live as f64));
    format!("| {} |", cells.join(" | "))
}

/// Geometric means of how many times better Cairn is, over the rows that egg has run.
pub fn geomeans(rows: &[Row]) -> String {
    let means = |of| {
        let side = |side: usize| {
            let ratios: Vec<f64> = rows.iter().filter_map(|row| row.ratios(of)[side]).collect();
            let logs: f64 = ratios.iter().map(|r| r.ln()).sum();
            (!ratios.is_empty()).then(|| (logs / ratios.len() as f64).exp())
        };
        format!("off={} on={}", cell(side(0)), cell(side(1)))
    };
    let [time, live, peak] = QUANTITIES.map(means);
    format!("geomean peak {peak}\ngeomean time {time} heap {live}")
}
