//! A dataset as a page to look at.

use crate::dataset::bars::bars;
use crate::dataset::card::{constants, example};
use crate::dataset::info::Provenance;
use crate::dataset::inspect::Inspection;
use crate::dataset::stats::Stats;
use std::fmt::Write;
use support::show::numbers::{counted, thousands};
use support::show::page::{escape, page};

/// The title of the page.
pub const TITLE: &str = "Cairn: a dataset";

const STYLE: &str =
    ".chart .fill { fill: var(--c8); }\n.chart g:hover .fill { fill: var(--c2); }\n";

/// The page of an inspection.
pub fn dataset_page(inspection: &Inspection) -> String {
    let mut body = String::new();
    write_body(&mut body, inspection).expect("writing to a string does not fail");
    page(TITLE, STYLE, &body)
}

fn write_body(
    out: &mut String,
    Inspection { info, stats, examples }: &Inspection,
) -> std::fmt::Result {
    let Provenance { version, system_hash, totals, seed, .. } = &info.cairn;
    let system = info.cairn.config.system.as_deref().unwrap_or("system.rules".as_ref()).display();
    writeln!(
        out,
        "<h1>Waypoints of proofs over {}</h1>\n<p>Made by cairn {} from {}, with <code>--seed {seed}</code> \
         and the rewrite system <code>{}</code>. {}</p>",
        escape(&system.to_string()),
        escape(version),
        counted(totals.seeds, "seed"),
        escape(system_hash.get(..12).unwrap_or(system_hash)),
        escape(&constants(info))
    )?;
    writeln!(
        out,
        "<div class=\"scroll\"><table>\n<tr><th>split</th><th class=\"n\">triples</th>\
         <th class=\"n\">bytes</th><th class=\"n\">steps, median</th>\
         <th class=\"n\">nodes of the guide, median</th></tr>"
    )?;
    for (split, of_split) in stats {
        let bytes = info.splits.get(split).map_or(0, |part| part.num_bytes);
        writeln!(
            out,
            "<tr><td>{split}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>\
             <td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            thousands(of_split.triples),
            thousands(bytes),
            of_split.steps.summary(1).median,
            of_split.guide_size.summary(1).median
        )?;
    }
    writeln!(out, "</table></div>\n<h2>Sizes, over all splits</h2>")?;
    for (title, histogram) in Stats::of_all(stats.values()).histograms() {
        let summary = histogram.summary(1);
        writeln!(
            out,
            "<figure>\n{}<figcaption>{}: {} to {}, median {}, mean {:.1}</figcaption>\n</figure>",
            bars(histogram, title),
            escape(title),
            summary.min,
            summary.max,
            summary.median,
            summary.mean
        )?;
    }
    let proofs = &totals.proofs;
    writeln!(
        out,
        "<h2>Where the triples come from</h2>\n<div class=\"scroll\"><table>\n\
         <tr><th>what</th><th class=\"n\">number</th></tr>"
    )?;
    for (what, number) in [
        ("seeds", totals.seeds),
        ("seeds left out, for two distinct literals met", totals.conflicts),
        ("sampled e-classes", totals.classes),
        ("draws", totals.drawn),
        ("draws of padded terms", totals.padded),
        ("draws of terms that were there already", totals.repeated),
        ("distinct terms", totals.terms),
        ("frontier terms", totals.frontier),
        ("chains", totals.chains),
        ("pairs of terms that were explained", proofs.proofs),
        ("proofs with too many steps", proofs.too_long),
        ("proofs with too large terms", proofs.too_large),
        ("proofs with too few steps to be split", proofs.too_short),
        ("proofs kept, each accepted by the checker", proofs.kept),
        ("their steps", proofs.steps),
        ("their steps before they were shortened", proofs.unshortened),
        ("their segments", proofs.triples),
        ("triples dropped as duplicates", totals.duplicates),
        ("triples dropped for a pair of another split", totals.shared),
    ] {
        writeln!(out, "<tr><td>{what}</td><td class=\"n\">{}</td></tr>", thousands(number))?;
    }
    writeln!(out, "</table></div>")?;
    if !examples.is_empty() {
        writeln!(out, "<h2>Examples</h2>")?;
    }
    examples.iter().try_for_each(|triple| writeln!(out, "<pre>{}</pre>", escape(&example(triple))))
}
