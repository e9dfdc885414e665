//! The cheapest trees of places.

use crate::bounds::count_step;
use crate::extract::dag::sums::{Number, Sum, add};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// By place the cost of its cheapest tree and the first of the ways that lead to it, if it can be made; `of` says what a way costs
/// by itself, and what it needs.
pub(super) fn least_trees<W>(
    places: &[Vec<W>],
    of: impl Fn(&W) -> (&Sum, &[Number]),
) -> Vec<Option<(Sum, usize)>> {
    let mut above: Vec<Vec<(usize, usize)>> = vec![Vec::new(); places.len()];
    // By way: the children that are still to be made, each time that it stands there.
    let mut missing: Vec<Vec<usize>> = Vec::with_capacity(places.len());
    let mut queue = BinaryHeap::new();
    for (place, ways) in places.iter().enumerate() {
        missing.push(ways.iter().map(|way| of(way).1.len()).collect());
        for (number, way) in ways.iter().enumerate() {
            let (weight, needs) = of(way);
            needs.iter().for_each(|&needed| above[needed as usize].push((place, number)));
            if needs.is_empty() {
                queue.push(Reverse((weight.clone(), place, number)));
            }
        }
    }
    // As Knuth's generalisation of Dijkstra's algorithm: what is made next costs least of all.
    let mut least: Vec<Option<(Sum, usize)>> = vec![None; places.len()];
    while let Some(Reverse((cost, place, way))) = queue.pop() {
        count_step();
        if least[place].is_some() {
            continue;
        }
        least[place] = Some((cost, way));
        for &(parent, number) in &above[place] {
            missing[parent][number] -= 1;
            if missing[parent][number] == 0 && least[parent].is_none() {
                let (weight, needs) = of(&places[parent][number]);
                let mut cost = weight.clone();
                for (part, _) in needs.iter().filter_map(|&needed| least[needed as usize].as_ref())
                {
                    add(&mut cost, part);
                }
                queue.push(Reverse((cost, parent, number)));
            }
        }
    }
    least
}
