//! Chains across fresh e-graphs: one proof each, from the seed to a term that no e-graph of its own
//! would have reached.

use crate::small_dataset::{Place, place, quiet};
use dataset_gen::{
    ChainReport, DatasetInfo, ProofRow, SYSTEM_FILE, Split, for_each_proof, generate, verify,
};
use egraph::{EGraph, Limits, SaturationConfig, System, TermBank, check_flat, saturate};
use std::ops::ControlFlow;
use std::sync::Arc;

const NODES: usize = 150;

fn made(far: bool) -> (Place, DatasetInfo, Vec<ProofRow>) {
    let mut place = place();
    place.config.saturation.nodes = Some(NODES);
    place.config.chains.count = 3;
    place.config.chains.links = 3;
    place.config.chains.far = far;
    let info = generate(&place.config, &place.path("data"), &quiet(2, 0)).unwrap();
    verify(&place.path("data"), &quiet(2, 0)).unwrap();
    let mut rows = Vec::new();
    for split in Split::ALL {
        for_each_proof(&place.path("data"), split, &mut |proofs| {
            // Those of a class stand together, chains among those of the seed's own.
            assert!(proofs.is_sorted_by_key(|row| row.class));
            rows.extend(proofs);
            Ok(())
        })
        .unwrap();
    }
    (place, info, rows)
}

#[test]
fn each_is_one_proof_without_loops_and_each_that_failed_has_a_reason() {
    let (place, info, rows) = made(false);
    let system = System::load(&place.path("data").join(SYSTEM_FILE)).unwrap();
    let chains: Vec<&ProofRow> = rows.iter().filter(|row| row.links > 1).collect();
    assert!(chains.len() >= 5, "{} chains", chains.len());
    for row in &chains {
        assert_eq!((row.links, row.class), (3, 0));
        let mut bank = TermBank::new(system.language.clone());
        let proof = row.proof(&system, &mut bank).unwrap();
        check_flat(&system, &bank, &proof).unwrap();
        let mut terms = proof.terms.clone();
        terms.sort_unstable();
        terms.dedup();
        assert_eq!(terms.len(), proof.terms.len(), "a loop");
    }
    assert_eq!(info.cairn.totals.chains, chains.len() as u64);
    let mut begun = 0;
    for report in &info.cairn.seeds {
        let ChainReport { begun: all, made, no_frontier, conflict, no_proof, near, proofs } =
            report.chains;
        assert_eq!(all, made + no_frontier + conflict + no_proof + near + proofs.too_short);
        assert_eq!(near, 0);
        begun += all;
    }
    assert_eq!(begun, 30);
}

#[test]
fn a_far_one_ends_where_one_e_graph_does_not_reach() {
    let (place, info, rows) = made(true);
    let system = Arc::new(System::load(&place.path("data").join(SYSTEM_FILE)).unwrap());
    let chains: Vec<&ProofRow> = rows.iter().filter(|row| row.links > 1).collect();
    assert!(chains.len() >= 3, "{} far chains: {:?}", chains.len(), info.cairn.totals);
    for row in chains {
        let mut bank = TermBank::new(system.language.clone());
        let ends = row.read_terms(&mut bank, [0, row.steps()].into_iter()).unwrap();
        let mut egraph = EGraph::new(system.clone());
        let ids = [ends[0], ends[1]].map(|term| egraph.add_term(&bank, term));
        let limits = Limits { nodes: Some(NODES), ..Limits::default() };
        let config = SaturationConfig { limits, ..SaturationConfig::default() };
        saturate(&mut egraph, &config, &mut |_, _| ControlFlow::Continue(()));
        assert_ne!(egraph.find(ids[0]), egraph.find(ids[1]), "{:?}", row.terms);
    }
}
