//! The formula of attention beside the loops.

use crate::fixtures::{close, formula_agrees, waves};
use crate::geometry::positions::{NodePlace, Slot, places};
use crate::geometry::relations::{Buckets, Relation};
use crate::network::ops::attention::attention;
use crate::network::ops::attention::inputs::{Geometry, Heads, Places, Source};
use crate::network::ops::operation::test::with_formulas;
use crate::network::ops::tensors::OnGpu;
use candle_core::Tensor;
use std::sync::Arc;

/// A tree of so many nodes, bushy and deep, filled up with nodes that are nowhere.
fn tree(nodes: usize, row: usize, seed: usize) -> Vec<NodePlace> {
    let (mut slots, mut path) = (vec![Slot::root(0)], vec![(0, 0)]);
    for i in 1..nodes {
        let up = (i * 7 + seed) * (i + 3) % 5;
        path.truncate(path.len().saturating_sub(up.saturating_sub(1)).max(1));
        let (parent, rank) = path.last_mut().unwrap();
        slots.push(slots[*parent].child(*parent as u32, *rank, 0));
        *rank += 1;
        path.push((i, 0));
    }
    let mut places = places(&slots);
    places.resize(row, NodePlace::NOWHERE);
    places
}

fn heads(count: usize, each: usize, k: u8) -> Arc<Heads> {
    let relations = [Relation::Ancestor, Relation::Sibling];
    let relations = (0..count).map(|h| relations[h % 2]).collect();
    let buckets = Buckets { k };
    Arc::new(Heads { width: count * each, count, relations, buckets, rope: false })
}

fn geometry(queries: (usize, &[usize]), keys: (usize, &[usize])) -> Geometry {
    Geometry {
        batch: queries.1.len(),
        queries: queries.0,
        keys: keys.0,
        query_lengths: queries.1.to_vec(),
        key_lengths: keys.1.to_vec(),
        causal: false,
        places: None,
        source: Source::Own,
        on_gpu: OnGpu::default(),
    }
}

/// Nodes see the nodes of their tree.
fn trees(row: usize, lengths: &[usize]) -> Geometry {
    let of = |(b, length): (usize, &usize)| tree(*length, row, b);
    let places = lengths.iter().enumerate().flat_map(of).collect();
    let places = Some(Places { places, row, first_query: 0 });
    Geometry { places, ..geometry((row, lengths), (row, lengths)) }
}

/// A decoder's: of each tree, the node after i sees the nodes up to i.
fn decoder(row: usize, lengths: &[usize]) -> Geometry {
    let of = |(b, length): (usize, &usize)| tree(*length + 1, row + 1, b);
    let places = lengths.iter().enumerate().flat_map(of).collect();
    let places = Some(Places { places, row: row + 1, first_query: 1 });
    Geometry { places, causal: true, ..geometry((row, lengths), (row, lengths)) }
}

/// Fails unless the formula computes what the loops do.
fn compare(heads: &Arc<Heads>, geometry: Geometry) {
    let g = Arc::new(geometry);
    let (d, n, r) = (heads.width, g.queries, heads.buckets.len());
    let q = waves(&[g.batch, n, d], 0.0);
    let tables = waves(&[2, r, d], 2.0);
    let related = g.places.is_some();
    let attend = |all: &[&Tensor]| attention(heads, &g, all[0], all[1], all.get(2).copied());
    let keys = match &g.source {
        Source::Own if related => {
            let kv = waves(&[g.batch, g.keys, 2 * d], 1.0);
            return formula_agrees(&[&q, &kv], &[&tables], attend);
        }
        Source::Own => {
            return formula_agrees(&[&q, &waves(&[g.batch, g.keys, 2 * d], 1.0)], &[], attend);
        }
        Source::Rows(rows) => vec![*rows.iter().max().unwrap() as usize + 1, g.keys, 2 * d],
        Source::Scattered(nodes) => vec![*nodes.iter().max().unwrap() as usize + 1, 2 * d],
    };
    // Without gradients.
    let [q, kv, tables] = [q, waves(&keys, 1.0), tables].map(|var| var.as_detached_tensor());
    let all = if related { vec![&q, &kv, &tables] } else { vec![&q, &kv] };
    close(&with_formulas(|| attend(&all)).unwrap(), &attend(&all).unwrap(), 1e-5);
}

#[test]
fn attention_in_trees_and_its_gradients_are_those_of_the_loops() {
    compare(&heads(2, 8, 2), trees(45, &[45, 1, 33]));
    compare(&heads(2, 40, 4), trees(7, &[7, 5]));
    compare(&heads(2, 100, 1), trees(34, &[34]));
}

#[test]
fn causal_attention_and_its_gradients_are_those_of_the_loops() {
    compare(&heads(2, 8, 8), decoder(70, &[70, 1]));
    compare(&heads(1, 40, 2), decoder(9, &[4, 9]));
}

#[test]
fn attention_without_relations_and_its_gradients_are_those_of_the_loops() {
    compare(&heads(2, 8, 2), geometry((45, &[45, 1]), (70, &[40, 70])));
    compare(&heads(1, 40, 2), geometry((3, &[2, 3]), (34, &[1, 34])));
    compare(&heads(1, 100, 2), geometry((34, &[33]), (5, &[4])));
}

#[test]
fn keys_are_read_from_shared_rows_and_scattered_nodes() {
    let rows = Source::Rows(vec![1, 0, 1]);
    let shared = geometry((2, &[2, 1, 2]), (40, &[40, 3, 35]));
    compare(&heads(2, 8, 2), Geometry { source: rows, ..shared });

    let (row, first_query) = (41, 40);
    let places = (0..2).flat_map(|b| tree(row, row, b)).collect();
    let nodes = Source::Scattered((0..80).map(|i| i * 37 % 101).collect());
    let scattered = Geometry {
        places: Some(Places { places, row, first_query }),
        source: nodes,
        ..geometry((1, &[1, 1]), (40, &[40, 33]))
    };
    compare(&heads(2, 40, 3), scattered);
}
