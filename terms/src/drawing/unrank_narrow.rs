//! [`crate::drawing::unrank`] for numbers below 2^128, as those of nearly all terms are: the same
//! terms for the same numbers, several times as fast.
//!
//! It has a walk of its own, because the one that the others share costs it 15 to 20 % of its
//! speed. Over the tables here, with buffers that were kept from draw to draw,
//! [`crate::drawing::derivation::derive`] made 0.62 and 0.66 million draws a second where this made
//! 0.74 and 0.83 (seeds of 21 and of 31 nodes, all terms, "next" draws; medians of four rounds in
//! turn on a busy machine). Long numbers gave 0.12 and 0.20 million, the best of three rounds. The
//! draws of this walk are timed by
//! `cargo bench -p cairn-terms --bench sampling -- --memory 4MiB`; for the others,
//! `Sampler::draw_derivation` was made to call them.

use crate::counting::counts::Counts;
use crate::counting::grammar::{Alternative, NONE};
use crate::counting::number::Number;
use crate::drawing::derivation::Derivation;
use crate::drawing::running_sums::RUN;
use egraph::count_step;

/// Takes numbers apart, and remembers sums for it where a choice is made more than once.
#[derive(Debug)]
pub struct NarrowUnranker {
    /// By cell: where its sizes begin in `tables`; empty until used, then [`NONE`] until used.
    blocks: Vec<u32>,
    tables: Vec<Table>,
    sums: Vec<u128>,
    guides: Vec<u32>,
    todo: Vec<Todo>,
    /// The classes from the root to the current node.
    path: Vec<u32>,
    room: usize,
}

/// Running sums over a cell's alternatives at one size, to find the first that is larger than a
/// number. For numbers that agree in all but their lowest `shift` bits the search begins at the
/// same place, which is looked up.
#[derive(Clone, Copy, Debug)]
struct Table {
    /// Where they begin in `sums`; or [`NONE`], or [`ONCE`].
    sums: u32,
    /// Where the places to begin are in `guides`.
    guide: u32,
    shift: u32,
    /// There is a sum after this many alternatives.
    run: u32,
}

const NO_TABLE: Table = Table { sums: NONE, guide: NONE, shift: 0, run: 0 };

/// A choice that was made once: the next time, its table is made.
const ONCE: u32 = NONE - 1;

#[derive(Clone, Copy, Debug)]
enum Todo {
    /// A term of a cell: its size, and its number among those of this size.
    Cell(u32, u32, u128),
    /// The way back up.
    Leave,
}

impl NarrowUnranker {
    /// Remembers at most this many bytes of sums.
    pub fn new(room: usize) -> Self {
        NarrowUnranker {
            blocks: Vec::new(),
            tables: Vec::new(),
            sums: Vec::new(),
            guides: Vec::new(),
            todo: Vec::new(),
            path: Vec::new(),
            room,
        }
    }

    /// Before numbers of terms of another class or limit, see
    /// [`crate::drawing::running_sums::RunningSums::begin`].
    pub fn begin(&mut self) {
        if self.bytes() > self.room / 2 {
            self.blocks.fill(NONE);
            self.tables.clear();
            self.sums.clear();
            self.guides.clear();
        }
    }

    /// Derives term `number` of those of a cell with `size` nodes, of which there are less than
    /// 2^128. With `stop_if_padded` the derivation ends where a class stands below itself.
    pub fn derive(
        &mut self,
        counts: &Counts,
        (cell, size, number): (u32, u32, u128),
        stop_if_padded: bool,
        derivation: &mut Derivation,
    ) {
        derivation.nodes.clear();
        derivation.padded = false;
        self.path.clear();
        self.todo.clear();
        self.todo.push(Todo::Cell(cell, size, number));
        count_step();
        while let Some(next) = self.todo.pop() {
            let Todo::Cell(cell, size, mut number) = next else {
                self.path.pop();
                continue;
            };
            let place = (cell, size);
            let alternatives = counts.grammar.alternatives(cell);
            let chosen = match alternatives.len() {
                1 => 0,
                // The leaves are the last alternatives, with one term each.
                len if size == 1 && counts.grammar.cells[cell as usize].is_class => {
                    let leaves = alternatives.iter().rev().take_while(|a| a.left == NONE).count();
                    len - leaves + number as usize
                }
                _ => match self.table(counts, place) {
                    Some(table) => {
                        let sums = &self.sums[table.sums as usize..];
                        let prefix = (number >> table.shift) as usize;
                        let mut chosen = self.guides[table.guide as usize + prefix] as usize;
                        while sums[chosen] <= number {
                            chosen += 1;
                        }
                        number -= if chosen > 0 { sums[chosen - 1] } else { 0 };
                        match table.run {
                            1 => chosen,
                            run => self.scan(counts, place, chosen * run as usize, &mut number),
                        }
                    }
                    None => self.scan(counts, place, 0, &mut number),
                },
            };
            let alternative = alternatives[chosen];
            let shape = counts.grammar.cells[cell as usize];
            if shape.is_class {
                derivation.padded |= self.path.contains(&cell);
                if derivation.padded && stop_if_padded {
                    return;
                }
                derivation.nodes.push(alternative.node);
                if alternative.left != NONE {
                    self.path.push(cell);
                    self.todo.push(Todo::Leave);
                }
            }
            let size = size - shape.own_size();
            match (alternative.left, alternative.right) {
                (NONE, _) => {}
                (only, NONE) => self.todo.push(Todo::Cell(only, size, number)),
                (left, right) => {
                    let (left_size, number, rights) = split(counts, left, right, size, number);
                    // The pair's number is left number · count of the right ones + right number.
                    let (first, second) = number.divide(&rights);
                    self.todo.push(Todo::Cell(right, size - left_size, second));
                    self.todo.push(Todo::Cell(left, left_size, first));
                }
            }
        }
    }

    /// The table of a cell's terms of `size`, of which there are some; `None` the first time, and
    /// where there is no room for it.
    fn table(&mut self, counts: &Counts, (cell, size): (u32, u32)) -> Option<Table> {
        let shape = counts.grammar.cells[cell as usize];
        if self.blocks.is_empty() {
            self.blocks = vec![NONE; counts.grammar.cells.len()];
        }
        let full = self.bytes() > self.room;
        let block = &mut self.blocks[cell as usize];
        if *block == NONE {
            if full {
                return None;
            }
            *block = self.tables.len() as u32;
            let sizes = (shape.max - shape.min) as usize + 1;
            self.tables.resize(self.tables.len() + sizes, NO_TABLE);
        }
        let place = (*block + size - shape.min) as usize;
        if self.tables[place].sums == NONE {
            self.tables[place].sums = ONCE;
            return None;
        }
        if self.tables[place].sums == ONCE {
            if full {
                return None;
            }
            let start = self.sums.len();
            // The first tables are those of the choices that are made most often.
            let run = if self.bytes() > self.room / 2 { RUN } else { 1 };
            let mut sum = 0;
            for alternatives in counts.grammar.alternatives(cell).chunks(run) {
                for alternative in alternatives {
                    sum += weight(counts, alternative, size - shape.own_size());
                }
                self.sums.push(sum);
            }
            let sums = &self.sums[start..];
            // About as many prefixes as sums.
            let last = sum - 1;
            let bits = 128 - last.leading_zeros();
            let shift = bits.saturating_sub(sums.len().ilog2()).min(127);
            let guide = self.guides.len() as u32;
            let first = |prefix: u128| sums.partition_point(|&sum| sum <= prefix << shift) as u32;
            self.guides.extend((0..=last >> shift).map(first));
            self.tables[place] = Table { sums: start as u32, guide, shift, run: run as u32 };
        }
        Some(self.tables[place])
    }

    /// The alternative that `number` falls to, of those from `first` on.
    fn scan(
        &self,
        counts: &Counts,
        (cell, size): (u32, u32),
        first: usize,
        number: &mut u128,
    ) -> usize {
        let size = size - counts.grammar.cells[cell as usize].own_size();
        let alternatives = counts.grammar.alternatives(cell);
        for (i, alternative) in alternatives.iter().enumerate().skip(first) {
            let weight = weight(counts, alternative, size);
            if *number < weight {
                return i;
            }
            *number -= weight;
        }
        unreachable!("a number is below the sum of the weights")
    }

    fn bytes(&self) -> usize {
        self.tables.len() * size_of::<Table>()
            + self.sums.len() * size_of::<u128>()
            + self.guides.len() * size_of::<u32>()
    }
}

/// The size of the left term of pair `number`, the pair's number among those, and how many terms
/// the right cell has to go with it.
fn split(counts: &Counts, left: u32, right: u32, size: u32, number: u128) -> (u32, u128, u128) {
    let (first, last) =
        counts.split_sizes(left, right, size).expect("the pair was counted at this size");
    let (lefts, rights) = (counts.of_cell(left), counts.of_cell(right));
    let (i, j) = ((first - lefts.min()) as usize, (size - first - rights.min()) as usize);
    let sizes = (last - first) as usize;
    let (place, number) = match (lefts.one_limb(), rights.one_limb()) {
        (Some(lefts), Some(rights)) => {
            let rights = rights[j - sizes..=j].iter().rev();
            let pairs = lefts[i..=i + sizes].iter().zip(rights);
            fall(number, sizes, pairs.map(|(&x, &y)| u128::from(x) * u128::from(y)))
        }
        _ => {
            let pairs = (0..=sizes).map(|k| lefts.low(i + k).wrapping_mul(rights.low(j - k)));
            fall(number, sizes, pairs)
        }
    };
    (first + place as u32, number, rights.low(j - place))
}

/// Which of the parts a number falls to, the last if to none before, and where in it.
fn fall(mut number: u128, last: usize, parts: impl Iterator<Item = u128>) -> (usize, u128) {
    for (place, part) in parts.take(last).enumerate() {
        if number < part {
            return (place, number);
        }
        number -= part;
    }
    (last, number)
}

/// How many terms of an alternative have children of `size` together.
fn weight(counts: &Counts, alternative: &Alternative, size: u32) -> u128 {
    let mut weight = 0;
    weight.add_alternative(counts, alternative, size);
    weight
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counting::limbs;
    use crate::counting::terms::Terms;
    use crate::drawing::derivation::build;
    use crate::drawing::sampling::Sampler;
    use egraph::{EGraph, SaturationConfig, System, TermBank, saturate};
    use std::ops::ControlFlow;
    use std::sync::Arc;
    use support::random::{below_u128, stream};

    #[test]
    fn the_same_however_much_is_remembered() {
        let rules = "(sort I) (variable I) (op + (I I) I)
            (rewrite (+ ?a ?b) (+ ?b ?a))
            (birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c))";
        let system = Arc::new(System::parse(rules).unwrap());
        let mut bank = TermBank::new(system.language.clone());
        let sum = bank.parse("(+ a (+ b (+ c (+ d e))))", None).unwrap();
        let mut egraph = EGraph::new(system);
        let root = egraph.add_term(&bank, sum);
        let config = SaturationConfig::default();
        saturate(&mut egraph, &config, &mut |_, _| ControlFlow::Continue(()));
        let root = egraph.find(root);
        let counts = Counts::new(&egraph, &[(root, 9)], Terms::ALL);
        let cell = counts.grammar.cell_of(root).unwrap();
        assert!(counts.grammar.alternatives(cell).len() > RUN);
        let total = limbs::low(counts.limbs(cell, 9));
        // The sums of five: 14 ways to put parentheses, 120 orders.
        assert_eq!(total, 1_680);
        let mut sampler = Sampler::new(&egraph, &counts);
        let mut rng = stream(1, 2);
        for room in [0, 100, 200, 500, 1_000, 1 << 20] {
            let mut unranker = NarrowUnranker::new(room);
            let mut derivation = Derivation::default();
            for _ in 0..300 {
                let number = below_u128(total, &mut rng);
                unranker.derive(&counts, (cell, 9, number), false, &mut derivation);
                let term = build(&egraph, &mut bank, &derivation.nodes);
                let expected = sampler.term(&mut bank, root, 9, &number.into());
                assert_eq!(Some(term), expected, "number {number}, room = {room}");
            }
        }
    }
}
