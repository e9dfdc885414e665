//! A dataset as a page to look at.

use crate::dataset::bars::bars;
use crate::dataset::card::{constants, example};
use crate::dataset::info::DatasetInfo;
use crate::dataset::inspect::Inspection;
use crate::dataset::provenance::{Provenance, Totals};
use crate::dataset::stats::Stats;
use crate::splits::split::Split;
use maud::{Markup, html};
use std::collections::BTreeMap;
use support::{counted, page, thousands};

/// The title of the page.
pub const PAGE_TITLE: &str = "Cairn: a dataset";

const STYLE: &str =
    ".chart .fill { fill: var(--c8); }\n.chart g:hover .fill { fill: var(--c2); }\n";

/// The page of an inspection.
pub fn dataset_page(Inspection { info, stats, examples }: &Inspection) -> String {
    let Provenance { version, system_hash, totals, seed, config, .. } = &info.cairn;
    let system =
        config.system.as_ref().map_or("system.rules".as_ref(), |file| file.path()).display();
    let body = html! {
        h1 { "Waypoints of proofs over " (system) }
        p {
            "Made by cairn " (version) " from " (counted(totals.seeds, "seed")) ", with "
            code { "--seed " (seed) } " and the rewrite system "
            code { (system_hash.get(..12).unwrap_or(system_hash)) } ". " (constants(info))
        }
        (splits(info, stats))
        h2 { "Sizes, over all splits" }
        @for (title, histogram) in Stats::of_all(stats.values()).histograms() {
            @let summary = histogram.summary(1);
            figure {
                (bars(histogram, title))
                figcaption {
                    (title) ": " (summary.min) " to " (summary.max) ", median " (summary.median)
                    ", mean " (format!("{:.1}", summary.mean))
                }
            }
        }
        h2 { "Where the triples come from" }
        (origins(totals))
        @if !examples.is_empty() { h2 { "Examples" } }
        @for triple in examples { pre { (example(triple)) } }
    };
    page(PAGE_TITLE, STYLE, &body)
}

fn splits(info: &DatasetInfo, stats: &BTreeMap<Split, Stats>) -> Markup {
    html! {
        div.scroll {
            table {
                tr {
                    th { "split" }
                    @for name in ["triples", "bytes", "steps, median", "nodes of the guide, median"] {
                        th.n { (name) }
                    }
                }
                @for (split, of_split) in stats {
                    tr {
                        td { (split) }
                        td.n { (thousands(of_split.triples)) }
                        td.n { (thousands(info.splits.get(split).map_or(0, |part| part.num_bytes))) }
                        td.n { (of_split.steps.summary(1).median) }
                        td.n { (of_split.guide_size.summary(1).median) }
                    }
                }
            }
        }
    }
}

fn origins(totals: &Totals) -> Markup {
    let proofs = &totals.proofs;
    html! {
        div.scroll {
            table {
                tr { th { "what" } th.n { "number" } }
                @for (what, number) in [
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
                    tr { td { (what) } td.n { (thousands(number)) } }
                }
            }
        }
    }
}
