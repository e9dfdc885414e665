//! Loads e-graphs that `cairn saturate --export FILE.json` wrote in the crate `egraph-serialize`, as
//! extraction-gym does, and prints what is in them:
//!
//!     cairn saturate --system prop --term '(-> (& a b) (| b c))' --nodes 5000 --export prop.json
//!     cargo run --release --manifest-path scripts/experiments/compare/Cargo.toml -p load-export -- prop.json
//!
//! The crate makes `serde_json` keep the order of objects wherever it is linked, so that it is no
//! dependency of Cairn's own tests, which read the same files with types of the same form.

use egraph_serialize::EGraph;

fn main() {
    for file in std::env::args().skip(1) {
        match EGraph::from_json_file(&file) {
            Ok(egraph) => println!(
                "{file}: {} e-nodes, {} e-classes, {} roots",
                egraph.nodes.len(),
                egraph.classes().len(),
                egraph.root_eclasses.len()
            ),
            Err(error) => {
                eprintln!("{file}: {error}");
                std::process::exit(2);
            }
        }
    }
}
