//! The files of a ladder's results: tables, curves and a page with all of them.

use crate::scaling::fit::PowerLaw;
use crate::scaling::laws::{self, Against, Law, laws};
use crate::scaling::plan::duration;
use crate::scaling::results::{Ended, Outcome, csv, times_csv};
use anyhow::Result;
use maud::{Markup, html};
use std::path::Path;
use support::files::whole_file::write_atomic;
use support::show::numbers::{counted, thousands};
use support::show::page::page;
use support::show::svg_chart::{Axis, Chart, Series, Shape};

/// The page.
pub const PAGE_FILE: &str = "scaling.html";
/// The table of the runs.
pub const TABLE_FILE: &str = "scaling.csv";
/// What they took.
pub const TIMES_FILE: &str = "scaling_times.csv";
/// The laws.
pub const LAWS_FILE: &str = "scaling_laws.csv";

/// The classes of groups in the style sheet of pages, and their colours in files.
const COLOURS: [(&str, &str); 6] = [
    ("m9", "#54aeff"),
    ("m12", "#1a7f37"),
    ("m4", "#8250df"),
    ("m2", "#9a6700"),
    ("m6", "#bf3989"),
    ("m10", "#0a7ea4"),
];
/// Those of the baselines, and of the law over all groups.
const UNIGRAM: (&str, &str) = ("m0", "#8c959f");
const COPY: (&str, &str) = ("m1", "#57606a");
const ALL: (&str, &str) = ("m8", "#0969da");

const STYLE: &str = "
.cut circle { fill: var(--paper); stroke: var(--c); stroke-width: 2; }
.m0 .line, .m1 .line { stroke-dasharray: 6 4; }
.joined .line { stroke-dasharray: 2 3; stroke-width: 1; }
.chart text[class^=m] { fill: var(--c); }
.note { max-width: 54rem; }
";

/// Writes the files for the runs that have ended, of `runs` in all.
///
/// # Errors
/// What the file system says.
pub fn write(directory: &Path, outcomes: &[Outcome], runs: usize, seed: u64) -> Result<()> {
    let laws = laws(outcomes, seed);
    let write = |name: &str, text: &str| write_atomic(&directory.join(name), text.as_bytes());
    write(TABLE_FILE, &csv(outcomes))?;
    write(TIMES_FILE, &times_csv(outcomes))?;
    write(LAWS_FILE, &laws::csv(&laws))?;
    if outcomes.is_empty() {
        return Ok(());
    }
    for against in Against::ALL {
        let file = format!("scaling_{}.svg", against.name());
        write(&file, &chart(against, outcomes, &laws).file(&file_style()))?;
    }
    write(PAGE_FILE, &page("Cairn: scaling", STYLE, &body(outcomes, &laws, runs)))
}

fn body(outcomes: &[Outcome], laws: &[Law], runs: usize) -> Markup {
    let cut = outcomes.iter().filter(|o| o.ended == Ended::Share).count();
    html! {
        h1 { "Loss against parameters, data and compute" }
        @if outcomes.len() < runs {
            p { "Not finished: " (outcomes.len()) " of " (counted(runs as u64, "run")) " have ended." }
        }
        p.note {
            "Losses are the lowest ones on the validation split, the whole of it, in nats per token of a \
             guide, over the tokens that the grammar allows. A filled dot is a run that ended early, for \
             its loss fell no more; an open one was cut off by its share of the budget (" (cut) " of "
            (outcomes.len()) "), so that its loss is an upper bound. All axes are logarithmic."
        }
        @for against in Against::ALL {
            figure {
                (chart(against, outcomes, laws).markup())
                figcaption { (caption(against)) }
            }
        }
        h2 { "Laws" }
        p.note {
            "L = a·x" sup { "−b" } " + c, by least squares of relative residuals; c only where an F-test \
             at 5 % tells it from nothing. Intervals are 95 %, from a bootstrap of the residuals."
        }
        (laws_table(laws))
        h2 { "Runs" }
        p.note {
            "N is the number of parameters that are not in the table of embeddings; FLOPs are 6·N·D, D \
             being the tokens of starts, targets and guides seen, which is an upper bound: each passes \
             through an encoder or the decoder only. Smaller fractions lie within larger ones and have \
             their seeds whole. " b { "Unigram" } " knows how frequent each token is in the guides of the \
             fraction; " b { "copy" } " gives the start's token the probability 1 − ε as long as the guide \
             is the start so far, and is the unigram model from then on."
        }
        (runs_table(outcomes))
    }
}

fn caption(against: Against) -> &'static str {
    match against {
        Against::Parameters => {
            "Loss against N, the parameters that are not embeddings, for each fraction."
        }
        Against::Data => "Loss against the triples of the fraction, for each size.",
        Against::Compute => {
            "Loss against compute, 6·N·D. The law is that of the runs that no other beats with as \
             little compute."
        }
    }
}

/// The curves: dots, laws, and the baselines on the largest fraction as level lines.
fn chart(against: Against, outcomes: &[Outcome], laws: &[Law]) -> Chart {
    let xs = || outcomes.iter().map(|o| against.x(o));
    let (low, high) = (xs().fold(f64::INFINITY, f64::min), xs().fold(0.0, f64::max));
    let range = (low / 1.2, high * 1.2);
    // Names stand beside the curves.
    let room = range.1 * (range.1 / range.0).powf(0.35);
    let most = outcomes.iter().max_by_key(|o| o.triples).map(|o| o.baselines);
    let level = |name: &str, (class, _): (&str, &str), loss: f32| Series {
        name: format!("{name}: {loss:.3}"),
        class: class.to_owned(),
        points: vec![(range.0, f64::from(loss)), (range.1, f64::from(loss))],
    };
    let levels = most.map(|b| [level("unigram", UNIGRAM, b.unigram), level("copy", COPY, b.copy)]);
    let levels: Vec<Series> = levels.into_iter().flatten().collect();
    let losses = outcomes.iter().map(|o| f64::from(o.loss));
    let losses = losses.chain(levels.iter().map(|line| line.points[0].1));
    let (bottom, top) = losses.fold((f64::INFINITY, 0.0f64), |(l, h), y| (l.min(y), h.max(y)));
    let label = match against {
        Against::Parameters => "parameters that are not embeddings",
        Against::Data => "triples",
        Against::Compute => "FLOPs (6·N·D)",
    };
    let x = Axis::logarithms(label, (range.0, room));
    let y = Axis::logarithms("validation loss (nats per token)", (bottom / 1.1, top * 1.1));
    let chart = Chart::new(x, y, 400, &format!("validation loss against {}", against.name()));
    let chart = chart.lines(Shape::Straight, &levels);

    let mut groups: Vec<(usize, String)> = outcomes.iter().map(|o| against.group(o)).collect();
    groups.sort();
    groups.dedup();
    let colour = |group: usize| COLOURS[group % COLOURS.len()].0;
    let own = laws.iter().filter(|law| law.against == against);
    let curves = own.map(|law| {
        let class = law.group.as_ref().map_or(ALL.0, |(group, _)| colour(*group));
        let (points, class) = match &law.law {
            Ok(found) => (curve(found, &law.points), class.to_owned()),
            Err(_) => (law.points.clone(), format!("{class} joined")),
        };
        Series { name: law.of(), class, points }
    });
    let curves: Vec<Series> = curves.filter(|curve| curve.points.len() > 1).collect();
    let dots = |(group, name): &(usize, String), ended: Ended| {
        let own = outcomes.iter().filter(|o| against.group(o).0 == *group && o.ended == ended);
        let cut = if ended == Ended::Share { " cut" } else { "" };
        let class = format!("{}{cut}", colour(*group));
        let points = own.map(|o| (against.x(o), f64::from(o.loss))).collect();
        Series { name: name.clone(), class, points }
    };
    let ends = [Ended::Early, Ended::Share];
    let dots: Vec<Series> =
        groups.iter().flat_map(|group| ends.map(|ended| dots(group, ended))).collect();
    let name = |(group, name): &(usize, String)| Series {
        name: name.clone(),
        class: colour(*group).to_owned(),
        points: Vec::new(),
    };
    let names: Vec<Series> = groups.iter().map(name).chain(levels).collect();
    let chart = chart.lines(Shape::Straight, &curves).lines(Shape::Points, &dots);
    chart.names(&names)
}

/// A law from the first of its points to the last.
fn curve(law: &PowerLaw, points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    const PIECES: i32 = 40;
    let ends = points.first().zip(points.last());
    let Some((&(first, _), &(last, _))) = ends else { return Vec::new() };
    let x = |i: i32| first * (last / first).powf(f64::from(i) / f64::from(PIECES));
    (0..=PIECES).map(|i| (x(i), law.at(x(i)))).collect()
}

/// The style sheet of files, which know no variables.
fn file_style() -> String {
    let mut style = String::new();
    for (class, colour) in COLOURS.iter().chain([&UNIGRAM, &COPY, &ALL]) {
        style += &format!(
            ".{class} .line {{ stroke: {colour}; }} .{class} circle, text.{class} {{ fill: {colour}; }}\n\
             .{class}.cut circle {{ fill: #ffffff; stroke: {colour}; stroke-width: 2; }}\n"
        );
    }
    style
        + ".m0 .line, .m1 .line { stroke-dasharray: 6 4; }\n\
           .joined .line { stroke-dasharray: 2 3; stroke-width: 1; }\n"
}

fn laws_table(laws: &[Law]) -> Markup {
    html! {
        div.scroll { table {
            tr { th { "against" } th { "of" } th.n { "points" } th.n { "exponent b" } th { "interval" }
                 th.n { "c" } th { "interval" } th.n { "a" } }
            @for law in laws {
                tr {
                    td { (law.against.name()) } td { (law.of()) } td.n { (law.points.len()) }
                    @match &law.law {
                        Ok(found) => {
                            td.n { (format!("{:.3}", found.b)) } td { (interval(found.b_interval)) }
                            @match found.c_interval {
                                Some(of_c) => {
                                    td.n { (format!("{:.3}", found.c)) } td { (interval(of_c)) }
                                }
                                None => { td.n { "0" } td { "not fitted" } }
                            }
                            td.n { (format!("{:.4}", found.a)) }
                        }
                        Err(reason) => { td colspan="5" { (reason) } }
                    }
                }
            }
        } }
    }
}

fn interval((low, high): (f64, f64)) -> String {
    format!("[{low:.3}, {high:.3}]")
}

fn runs_table(outcomes: &[Outcome]) -> Markup {
    html! {
        div.scroll { table {
            tr { th { "size" } th.n { "parameters" } th.n { "N" } th { "fraction" } th.n { "seeds" }
                 th.n { "triples" } th.n { "steps" } th.n { "epochs" } th.n { "tokens seen" }
                 th.n { "FLOPs" } th.n { "loss" } th.n { "right" } th.n { "unigram" } th.n { "copy" }
                 th.n { "time" } th { "ended" } }
            @for o in outcomes {
                tr {
                    td { (o.size) } td.n { (thousands(o.parameters as u64)) }
                    td.n { (thousands(o.non_embedding as u64)) } td { (o.fraction) }
                    td.n { (thousands(o.seeds as u64)) } td.n { (thousands(o.triples as u64)) }
                    td.n { (thousands(o.steps)) } td.n { (format!("{:.1}", o.epochs())) }
                    td.n { (thousands(o.tokens_seen)) } td.n { (format!("{:.1e}", o.flops())) }
                    td.n { b { (format!("{:.3}", o.loss)) } }
                    td.n { (format!("{:.1} %", 100.0 * o.accuracy)) }
                    td.n { (format!("{:.3}", o.baselines.unigram)) }
                    td.n { (format!("{:.3}", o.baselines.copy)) } td.n { (duration(o.seconds)) }
                    td { (match o.ended { Ended::Early => "early", Ended::Share => "cut off by its share" }) }
                }
            }
        } }
    }
}

/// The runs and the laws for a terminal.
pub fn text(outcomes: &[Outcome], seed: u64) -> String {
    let mut text = format!(
        "{:>10} {:>12} {:>8} {:>9} {:>8} {:>7} {:>8} {:>8} {:>6}\n",
        "size",
        "no embedding",
        "fraction",
        "triples",
        "steps",
        "epochs",
        "loss",
        "right %",
        "ended"
    );
    for o in outcomes {
        text += &format!(
            "{:>10} {:>12} {:>8} {:>9} {:>8} {:>7.1} {:>8.3} {:>8.1} {:>6}\n",
            o.size,
            thousands(o.non_embedding as u64),
            o.fraction,
            thousands(o.triples as u64),
            thousands(o.steps),
            o.epochs(),
            o.loss,
            100.0 * o.accuracy,
            o.ended
        );
    }
    if let Some(most) = outcomes.iter().max_by_key(|o| o.triples) {
        let (unigram, copy) = (most.baselines.unigram, most.baselines.copy);
        text += &format!("unigram model {unigram:.3}, copy of the start {copy:.3}\n");
    }
    for law in laws(outcomes, seed) {
        let found = match law.law {
            Ok(found) => {
                let c = found.c_interval.map_or("no c".to_owned(), |of_c| {
                    format!("c {:.3} {}", found.c, interval(of_c))
                });
                format!("b {:.3} {}, {c}", found.b, interval(found.b_interval))
            }
            Err(reason) => reason.to_string(),
        };
        text += &format!("loss against {}, {}: {found}\n", law.against.name(), law.of());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaling::results::tests::outcome;

    #[test]
    fn a_page_and_its_pictures_show_every_run_and_what_cut_it_off() {
        let run = |i: usize, loss: f32| Outcome {
            non_embedding: 1_000 << (2 * i),
            size: format!("size{i}"),
            size_number: i,
            loss,
            ended: if i == 3 { Ended::Share } else { Ended::Early },
            ..outcome()
        };
        let outcomes: Vec<Outcome> =
            [2.0, 1.6, 1.3, 1.05].into_iter().enumerate().map(|(i, loss)| run(i, loss)).collect();
        let directory = tempfile::tempdir().unwrap();
        write(directory.path(), &outcomes, 5, 0).unwrap();
        let read = |name: &str| std::fs::read_to_string(directory.path().join(name)).unwrap();
        let page = read(PAGE_FILE);
        assert!(page.contains("4 of 5 runs have ended") && page.contains("cut off by its share"));
        assert!(page.contains("found 1"), "a law of one point");
        for against in Against::ALL {
            let svg = read(&format!("scaling_{}.svg", against.name()));
            assert_eq!(svg.matches("<circle").count(), 4, "{svg}");
            assert!(svg.contains("cut\">") && svg.contains("copy: 2.000"), "{svg}");
            assert!(!svg.contains("NaN") && !svg.contains("var("));
        }
        assert_eq!(read(TABLE_FILE).lines().count(), 5);
        assert!(text(&outcomes, 0).contains("loss against parameters, 1/2 of the data: b 0.1"));
    }
}
