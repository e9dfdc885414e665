//! The smallest sum of a few multiples of bitwise terms with given coefficients.

use crate::optimise::values::sums::bitwise::Bitwise;
use crate::optimise::values::sums::signature::{Signature, Table};
use crate::optimise::values::words::WordOp;

/// Multiples in a sum, at most.
const MOST_MULTIPLES: usize = 3;

/// A sum: `factor · (literal + Σ cᵢ·bᵢ)`, or the complement of that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    pub is_complement: bool,
    pub factor: u64,
    pub literal: u64,
    /// Multiples of bitwise terms, which are known by their tables.
    pub multiples: Vec<(u64, Table)>,
}

/// Which operators sums may have beside `+`, and the word in which each bit is set.
#[derive(Clone, Copy, Debug)]
pub struct Means {
    pub sub: bool,
    pub mul: bool,
    pub neg: bool,
    pub not: bool,
    pub ones: u64,
}

impl Means {
    pub fn of(ops: &[WordOp], ones: u64) -> Means {
        let has = |op: WordOp| ops.contains(&op);
        Means {
            sub: has(WordOp::Sub),
            mul: has(WordOp::Mul),
            neg: has(WordOp::Neg),
            not: has(WordOp::Not),
            ones,
        }
    }

    /// Nodes that so many times something takes more than the thing, and whether it can be said; `is_behind` something it
    /// is subtracted from.
    fn of_multiple(&self, times: u64, is_behind: bool) -> Option<usize> {
        match times {
            1 => Some(0),
            _ if times == self.ones && is_behind && self.sub => Some(0),
            _ if times == self.ones && self.neg => Some(1),
            _ => self.mul.then_some(2),
        }
    }
}

/// A search for the smallest sum.
pub struct Search<'a> {
    pub means: Means,
    pub bitwise: &'a Bitwise,
    pub visits: u64,
    pub most_visits: u64,
    /// Nodes of the smallest sum so far, or one more than it may have.
    pub size: usize,
    pub best: Option<Sum>,
    around: Sum,
}

impl<'a> Search<'a> {
    /// One for sums of at most `most` nodes.
    pub fn new(means: Means, bitwise: &'a Bitwise, most: usize, most_visits: u64) -> Search<'a> {
        let around = Sum { is_complement: false, factor: 1, literal: 0, multiples: Vec::new() };
        Search { means, bitwise, visits: 0, most_visits, size: most + 1, best: None, around }
    }

    /// Looks for the smallest sum with these coefficients: as they are, as a complement, and either as a multiple of a sum;
    /// with few multiples first.
    pub fn all(&mut self, signature: &Signature) {
        let ones = self.means.ones;
        for multiples in 0..=MOST_MULTIPLES {
            for is_complement in [false, true] {
                if is_complement && !self.means.not {
                    continue;
                }
                let inside = if is_complement { signature.not(ones) } else { *signature };
                let used = usize::from(is_complement);
                self.around.is_complement = is_complement;
                self.look(&inside, multiples, used);
                let factor = common_factor(&inside, ones);
                let more = self.means.of_multiple(factor, false).filter(|&more| more > 0);
                if let Some(more) = more {
                    self.around.factor = factor;
                    self.look(&divided(&inside, factor, ones), multiples, used + more);
                    self.around.factor = 1;
                }
            }
        }
    }

    /// Looks for sums of so many multiples more, where `used` nodes are used.
    fn look(&mut self, left: &Signature, multiples: usize, used: usize) {
        self.visits += 1;
        let Some(distinct) = left.distinct((1 << multiples).min(16)) else { return };
        if let [all] = distinct[..] {
            self.around.literal = all.wrapping_neg() & self.means.ones;
            self.note();
            return;
        }
        if let [a, b] = distinct[..] {
            for (inside, outside) in [(a, b), (b, a)] {
                let mut table: Table = 0;
                for (k, &w) in left.0.iter().enumerate() {
                    table |= Table::from(w == inside) << k;
                }
                let times = inside.wrapping_sub(outside) & self.means.ones;
                self.around.multiples.push((times, table));
                self.around.literal = outside.wrapping_neg() & self.means.ones;
                self.note();
                self.around.multiples.pop();
            }
        }
        if multiples < 2 {
            return;
        }
        let ones = self.means.ones;
        let mut times: Vec<u64> = vec![1, ones];
        for a in &distinct {
            for b in &distinct {
                let difference = a.wrapping_sub(*b) & ones;
                if difference != 0 && !times.contains(&difference) {
                    times.push(difference);
                }
            }
        }
        let bitwise = self.bitwise;
        for times in times {
            let Some(more) = self.means.of_multiple(times, true) else { continue };
            for &(table, size) in &bitwise.by_size {
                // Something must come behind it, and take two nodes at least.
                let used = used + more + size + 1;
                if used + 1 >= self.size {
                    break;
                }
                self.visits += 1;
                if self.visits > self.most_visits {
                    return;
                }
                let rest = left.plus(times.wrapping_neg(), &Signature::of_table(table), ones);
                if rest.distinct(1 << (multiples - 1)).is_some() {
                    self.around.multiples.push((times, table));
                    self.look(&rest, multiples - 1, used);
                    self.around.multiples.pop();
                }
            }
        }
    }

    /// Keeps the sum if it can be said and is smaller than what was found.
    fn note(&mut self) {
        let Some(size) = size(&self.around, self.bitwise, self.means) else { return };
        if size < self.size {
            self.size = size;
            self.best = Some(self.around.clone());
        }
    }
}

/// The nodes of the term that [`Sum`] is built as, if it can be.
fn size(sum: &Sum, bitwise: &Bitwise, means: Means) -> Option<usize> {
    let is_negative = |times: u64| times == means.ones;
    let literal = usize::from(sum.literal != 0 || sum.multiples.is_empty());
    let leads = literal > 0 || !sum.multiples.iter().all(|&(times, _)| is_negative(times));
    let mut nodes = literal;
    for (number, &(times, table)) in sum.multiples.iter().enumerate() {
        // Where nothing is left to subtract from, the first is negated.
        nodes += means.of_multiple(times, leads || number > 0)? + bitwise.of(table)?.0;
    }
    nodes += sum.multiples.len() + literal - 1;
    nodes += match sum.factor {
        1 => 0,
        factor => means.of_multiple(factor, false)?,
    };
    Some(nodes + usize::from(sum.is_complement))
}

/// The largest number by which all coefficients can be divided, as numbers with a sign.
fn common_factor(signature: &Signature, ones: u64) -> u64 {
    let sign = ones ^ (ones >> 1);
    let absolute = |w: u64| if w & sign == 0 { w } else { w.wrapping_neg() & ones };
    let gcd = |mut a: u64, mut b: u64| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    signature.0.iter().fold(0, |all, &w| gcd(all, absolute(w))).max(1)
}

/// Each coefficient divided by a factor that all have, with its sign.
fn divided(signature: &Signature, factor: u64, ones: u64) -> Signature {
    let sign = ones ^ (ones >> 1);
    Signature(signature.0.map(|w| match w & sign {
        0 => w / factor,
        _ => ((w.wrapping_neg() & ones) / factor).wrapping_neg() & ones,
    }))
}
