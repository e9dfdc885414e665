//! A small e-graph drawn: classes in rows by the depth of their least deep terms, so that a line from
//! an e-node of such a term leads down.

use egraph::{BestTerms, CostFunction, Id, Node};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Larger e-graphs are not drawn.
const MOST_CLASSES: usize = 60;
const MOST_NODES: usize = 200;

/// Pixels.
const CHARACTER: f64 = 7.3;
const NODE_HEIGHT: f64 = 20.0;
const PADDING: f64 = 6.0;
const TITLE: f64 = 14.0;
const BETWEEN: f64 = 24.0;
const ROW_GAP: f64 = 46.0;
/// E-nodes that stand beside each other in a class.
const COLUMNS: usize = 6;
/// Characters of a name that are shown.
const NAME: usize = 16;

/// Where an e-node or a class stands: left, top, width, height.
#[derive(Clone, Copy)]
struct Area(f64, f64, f64, f64);

/// The drawing, if the e-graph is small.
pub fn drawing(best: &BestTerms<'_>, roots: &[Id]) -> Option<Markup> {
    let egraph = best.egraph();
    if egraph.class_count() > MOST_CLASSES || egraph.node_count() > MOST_NODES {
        return None;
    }
    let depths = CostFunction::named(egraph.system(), "depth").ok()?;
    let by_depth = BestTerms::of(egraph, &depths);
    let mut rows: BTreeMap<u64, Vec<Id>> = BTreeMap::new();
    for class in egraph.classes() {
        let depth = by_depth.cost(class).map_or(0, |cost| cost.values()[0]);
        rows.entry(u64::MAX - depth).or_default().push(class);
    }
    let mut classes: BTreeMap<Id, Area> = BTreeMap::new();
    let mut nodes: BTreeMap<Id, Area> = BTreeMap::new();
    let (mut top, mut width) = (BETWEEN, 0.0_f64);
    for row in rows.values_mut() {
        // Below those that it is an argument of, as far as these are placed.
        let centre = |class: &Id| {
            let above = nodes.iter().filter(|(node, _)| egraph.children(**node).contains(class));
            let (sum, count) = above.fold((0.0, 0.0), |(sum, count), (_, area)| {
                (sum + area.0 + area.2 / 2.0, count + 1.0)
            });
            if count > 0.0 { sum / count } else { 0.0 }
        };
        let mut ordered: Vec<(f64, Id)> = row.iter().map(|class| (centre(class), *class)).collect();
        ordered.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let (mut left, mut height) = (BETWEEN, 0.0_f64);
        for (wanted, class) in ordered {
            let (own_width, own_height) = size(best, class);
            left = left.max(wanted - own_width / 2.0);
            classes.insert(class, Area(left, top, own_width, own_height));
            place_nodes(best, class, left, top, &mut nodes);
            left += own_width + BETWEEN;
            height = height.max(own_height);
        }
        width = width.max(left);
        top += height + ROW_GAP;
    }
    Some(html! {
        svg.drawing xmlns="http://www.w3.org/2000/svg" width=(round(width)) height=(round(top))
            viewBox=(format!("0 0 {} {}", round(width), round(top))) role="img" {
            title { "The e-classes and e-nodes" }
            @for (&class, area) in &classes {
                g {
                    rect.class.root[roots.contains(&class)] x=(round(area.0)) y=(round(area.1))
                        width=(round(area.2)) height=(round(area.3)) rx="6" {}
                    text.cost x=(round(area.0 + PADDING)) y=(round(area.1 + TITLE - 3.0)) {
                        (class.0) ": "
                        (best.text(class))
                    }
                }
            }
            @for (&node, area) in &nodes {
                @let chosen = best.node(egraph.find(node)) == Some(node);
                @for (i, child) in egraph.children(node).iter().enumerate() {
                    path.chosen[chosen] d=(line(area, i, egraph.children(node).len(), &classes[child])) {}
                }
            }
            @for (&node, area) in &nodes {
                @let chosen = best.node(egraph.find(node)) == Some(node);
                g {
                    rect.node.chosen[chosen] x=(round(area.0)) y=(round(area.1)) width=(round(area.2))
                        height=(round(area.3)) rx="4" {}
                    text x=(round(area.0 + area.2 / 2.0)) y=(round(area.1 + 14.0))
                        text-anchor="middle" { (short(&name(best, node))) }
                }
            }
        }
    })
}

/// From the bottom of an e-node to the top of a class.
fn line(from: &Area, argument: usize, arguments: usize, to: &Area) -> String {
    let x = from.0 + from.2 * (argument as f64 + 1.0) / (arguments as f64 + 1.0);
    let y = from.1 + from.3;
    let (x2, y2) = (to.0 + to.2 / 2.0, to.1);
    // Upwards, or to its own class, in a wider bow.
    let bow = if y2 > y { (y2 - y) / 2.0 } else { 60.0 };
    let numbers = [x, y, x, y + bow, x2, y2 - bow, x2, y2].map(round);
    let [x, y, ax, ay, bx, by, x2, y2] = numbers;
    format!("M{x} {y} C{ax} {ay} {bx} {by} {x2} {y2}")
}

fn node_width(best: &BestTerms<'_>, node: Id) -> f64 {
    short(&name(best, node)).chars().count().max(2) as f64 * CHARACTER + 2.0 * PADDING
}

/// Width and height of a class.
fn size(best: &BestTerms<'_>, class: Id) -> (f64, f64) {
    let mut areas = BTreeMap::new();
    place_nodes(best, class, 0.0, 0.0, &mut areas);
    let right = areas.values().map(|area| area.0 + area.2).fold(48.0, f64::max);
    let bottom = areas.values().map(|area| area.1 + area.3).fold(0.0, f64::max);
    (right + PADDING, bottom + PADDING)
}

fn place_nodes(
    best: &BestTerms<'_>,
    class: Id,
    left: f64,
    top: f64,
    areas: &mut BTreeMap<Id, Area>,
) {
    for (row, nodes) in best.egraph().nodes(class).chunks(COLUMNS).enumerate() {
        let y = top + TITLE + PADDING + row as f64 * (NODE_HEIGHT + PADDING);
        let mut x = left + PADDING;
        for &node in nodes {
            let width = node_width(best, node);
            areas.insert(node, Area(x, y, width, NODE_HEIGHT));
            x += width + PADDING;
        }
    }
}

fn short(name: &str) -> String {
    match name.chars().count() {
        long if long > NAME => name.chars().take(NAME - 1).chain(['…']).collect(),
        _ => name.to_owned(),
    }
}

fn round(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

/// What stands at an e-node.
pub fn name(best: &BestTerms<'_>, node: Id) -> String {
    match best.egraph().node(node) {
        Node::Leaf(leaf) => leaf.to_string(),
        Node::Op(op) => best.egraph().system().language.op(op).name.clone(),
    }
}
