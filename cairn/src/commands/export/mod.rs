//! An e-graph as a file, in the format that its name asks for.

mod drawing;
mod page;

pub use page::egraph_page;

use crate::inputs::mlir_file::load_table;
use anyhow::{Result, bail, ensure};
use egraph::{BestTerms, CostFunction, EGraph, Id, System, TermBank};
use interop::{MLIR_EGRAPH, MlirTable, write_dot, write_mlir, write_serialized};
use std::path::Path;
use support::{FileKind, InputFile, OutputFile, first_bytes, has_title};

/// Where an e-graph goes.
pub struct Export {
    file: OutputFile,
    format: Format,
}

enum Format {
    Dot,
    Json,
    Mlir(MlirTable),
    Page,
}

const DOT: FileKind = FileKind {
    name: "an e-graph for Graphviz",
    recognise: |path| first_bytes(path).is_ok_and(|text| text.starts_with("digraph egraph {")),
};
const JSON: FileKind = FileKind {
    name: "an e-graph as JSON",
    recognise: |path| first_bytes(path).is_ok_and(|text| text.starts_with("{\"nodes\":{")),
};
const MLIR: FileKind = FileKind {
    name: "an e-graph as MLIR",
    recognise: |path| first_bytes(path).is_ok_and(|text| text.starts_with(MLIR_EGRAPH)),
};
const PAGE: FileKind =
    FileKind { name: "a page about an e-graph", recognise: |path| has_title(path, page::TITLE) };

impl Export {
    /// Looks whether the file can be written, before any work is done. `file` is the one that the system is from.
    ///
    /// # Errors
    /// The name says no format, or as [`OutputFile::new`].
    pub fn new(path: &Path, file: &InputFile, system: &System) -> Result<Export> {
        let ending = path.extension().and_then(|ending| ending.to_str());
        let (format, kind) = match ending {
            Some("dot" | "gv") => (Format::Dot, DOT),
            Some("json") => (Format::Json, JSON),
            Some("mlir") => (Format::Mlir(load_table(file, system)?), MLIR),
            Some("html") => (Format::Page, PAGE),
            _ => bail!(
                "--export {}: expected a name that ends in .dot (Graphviz), .json \
                 (egraph-serialize), .mlir (xDSL) or .html",
                path.display()
            ),
        };
        Ok(Export { file: OutputFile::new(path, kind)?, format })
    }

    /// Writes an e-graph, of which the classes of some terms are of interest.
    ///
    /// # Errors
    /// What the file system says.
    pub fn write(
        &self,
        egraph: &EGraph,
        bank: &mut TermBank,
        cost: &CostFunction,
        roots: &[Id],
    ) -> Result<()> {
        // What is no operation is no part of any best term.
        let missing = match &self.format {
            Format::Mlir(table) => table.missing(&egraph.system().language),
            _ => Vec::new(),
        };
        let cost = &cost.clone().without(&missing);
        let best = BestTerms::of(egraph, cost);
        let mut classes: Vec<Id> = Vec::new();
        for &root in roots {
            let class = egraph.find(root);
            if !classes.contains(&class) {
                classes.push(class);
            }
        }
        if matches!(self.format, Format::Mlir(_)) {
            ensure!(
                classes.iter().all(|&class| best.node(class).is_some()),
                "no term that equals the start has a known cost and operations of MLIR for its operators"
            );
        }
        self.file.write(|file| {
            match &self.format {
                Format::Mlir(table) => write_mlir(&best, table, &classes, file)?,
                Format::Dot => write_dot(&best, &classes, file)?,
                Format::Json => write_serialized(&best, &classes, file)?,
                Format::Page => {
                    let page = page::egraph_page(&best, bank, cost, &classes);
                    std::io::Write::write_all(file, page.as_bytes())?;
                }
            }
            Ok(())
        })
    }
}
