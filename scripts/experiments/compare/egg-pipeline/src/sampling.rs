//! Uniform terms of the seed's class, without those that are padded: in which a subterm equals one
//! of its own proper subterms.

use crate::counting::Counts;
use crate::draw::Draw;
use crate::egg_language::ENode;
use crate::grow::Grown;
use crate::options::Options;
use crate::random::Random;
use egg::{Id, Language, RecExpr};

/// The seed and distinct terms that were drawn. If nearly all are padded the size limit is
/// lowered by and by, as Cairn does.
pub fn terms(
    grown: &Grown,
    seed_size: u64,
    options: &Options,
    random: &mut Random,
) -> Vec<RecExpr<ENode>> {
    let Grown { egraph, root, .. } = grown;
    let mut limit = (seed_size as usize * options.size_factor).min(options.max_size);
    let counts = Counts::new(egraph, *root, limit);
    let seed = as_tree(&grown.start);
    let Some(least) = counts.root.iter().position(|&count| count > 0.0) else {
        return vec![seed];
    };
    let mut best: Vec<RecExpr<ENode>> = Vec::new();
    loop {
        let mut drawn: Vec<RecExpr<ENode>> = Vec::new();
        for _ in 0..options.attempts {
            let size = random.weighted(&counts.root[..=limit]);
            let mut term = RecExpr::default();
            let mut draw = Draw::new(egraph, &counts, random, false);
            let whole = draw.class(*root, size, &mut term).is_some();
            if whole && !drawn.contains(&term) {
                drawn.push(term);
            }
            if drawn.len() == options.terms {
                break;
            }
        }
        let enough = drawn.len() == options.terms;
        if drawn.len() > best.len() {
            best = drawn;
        }
        if enough || limit <= least {
            break;
        }
        limit -= (limit - least).div_ceil(4);
    }
    best.retain(|term| *term != seed);
    best.insert(0, seed);
    best
}

/// A term with every node as often as it occurs, in post-order, so that equal terms are equal.
fn as_tree(term: &RecExpr<ENode>) -> RecExpr<ENode> {
    fn copy(term: &RecExpr<ENode>, id: Id, to: &mut RecExpr<ENode>) -> Id {
        let node = &term[id];
        let children: Vec<Id> = node.children().iter().map(|&c| copy(term, c, to)).collect();
        to.add(ENode::new(node.discriminant(), &children))
    }
    let mut tree = RecExpr::default();
    copy(term, term.root(), &mut tree);
    tree
}
