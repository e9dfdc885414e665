//! [`crate::unranking`] for numbers below 2^128, as those of nearly all terms are: the same terms
//! for the same numbers, several times as fast.

use crate::counting::Counts;
use crate::grammar::NONE;
use crate::limbs;
use crate::unranking::Derivation;

/// Takes numbers apart, and remembers sums for it.
#[derive(Debug, Default)]
pub struct NarrowUnranker {
    /// By cell: where its sizes begin in `tables`; empty until used, then [`NONE`] until used.
    blocks: Vec<u32>,
    tables: Vec<Table>,
    sums: Vec<u128>,
    guides: Vec<u32>,
    todo: Vec<Todo>,
    /// The classes from the root to the current node.
    path: Vec<u32>,
    scratch: Vec<u64>,
}

/// The running sums over a cell's alternatives at one size, to find the first that is larger than
/// a number. For numbers that agree in all but their lowest `shift` bits the search begins at the
/// same place, which is looked up.
#[derive(Clone, Copy, Debug)]
struct Table {
    /// Where they begin in `sums`, or [`NONE`] while they are not made.
    sums: u32,
    /// Where the places to begin are in `guides`.
    guide: u32,
    shift: u32,
}

const NO_TABLE: Table = Table { sums: NONE, guide: NONE, shift: 0 };

#[derive(Clone, Copy, Debug)]
enum Todo {
    /// A term of a cell: its size, and its number among those of this size.
    Cell(u32, u32, u128),
    /// The way back up.
    Leave,
}

impl NarrowUnranker {
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
        while let Some(next) = self.todo.pop() {
            let Todo::Cell(cell, size, mut number) = next else {
                self.path.pop();
                continue;
            };
            let alternatives = counts.grammar.alternatives(cell);
            let chosen = match alternatives.len() {
                1 => 0,
                len => {
                    let table = self.table(counts, cell, size);
                    let sums = &self.sums[table.sums as usize..table.sums as usize + len];
                    let prefix = (number >> table.shift) as usize;
                    let mut chosen = self.guides[table.guide as usize + prefix] as usize;
                    while sums[chosen] <= number {
                        chosen += 1;
                    }
                    number -= if chosen > 0 { sums[chosen - 1] } else { 0 };
                    chosen
                }
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
                    let (first, second) = divide(number, rights);
                    self.todo.push(Todo::Cell(right, size - left_size, second));
                    self.todo.push(Todo::Cell(left, left_size, first));
                }
            }
        }
    }

    /// The table of a cell's terms of `size`, of which there are some.
    fn table(&mut self, counts: &Counts, cell: u32, size: u32) -> Table {
        let shape = counts.grammar.cells[cell as usize];
        if self.blocks.is_empty() {
            self.blocks = vec![NONE; counts.grammar.cells.len()];
        }
        let block = &mut self.blocks[cell as usize];
        if *block == NONE {
            *block = self.tables.len() as u32;
            let sizes = (shape.max - shape.min) as usize + 1;
            self.tables.resize(self.tables.len() + sizes, NO_TABLE);
        }
        let place = (*block + size - shape.min) as usize;
        if self.tables[place].sums == NONE {
            let start = self.sums.len();
            let mut sum = 0;
            for alternative in counts.grammar.alternatives(cell) {
                self.scratch.clear();
                counts.add_alternative(alternative, size - shape.own_size(), &mut self.scratch);
                sum += limbs::low(&self.scratch);
                self.sums.push(sum);
            }
            let sums = &self.sums[start..];
            // About as many prefixes as sums.
            let last = sum - 1;
            let shift = (128 - last.leading_zeros()).saturating_sub(sums.len().ilog2());
            let guide = self.guides.len() as u32;
            let first = |prefix: u128| sums.partition_point(|&sum| sum <= prefix << shift) as u32;
            self.guides.extend((0..=last >> shift).map(first));
            self.tables[place] = Table { sums: start as u32, guide, shift };
        }
        self.tables[place]
    }
}

/// The size of the left term of pair `number`, the pair's number among those, and how many terms
/// the right cell has to go with it.
fn split(counts: &Counts, left: u32, right: u32, size: u32, mut number: u128) -> (u32, u128, u128) {
    let (mut left_size, last) =
        counts.split_sizes(left, right, size).expect("the pair was counted at this size");
    let (lefts, rights) = (counts.row(left), counts.row(right));
    let min = |cell: u32| counts.grammar.cells[cell as usize].min;
    let (mut i, mut j) =
        ((left_size - min(left)) as usize, (size - left_size - min(right)) as usize);
    while left_size < last {
        let pairs = lefts.low(i).wrapping_mul(rights.low(j));
        if number < pairs {
            break;
        }
        number -= pairs;
        (left_size, i, j) = (left_size + 1, i + 1, j - 1);
    }
    (left_size, number, rights.low(j))
}

/// Quotient and remainder; most numbers are small, and then this is faster.
fn divide(a: u128, b: u128) -> (u128, u128) {
    match (u64::try_from(a), u64::try_from(b)) {
        (_, Ok(1)) => (a, 0),
        (Ok(a), Ok(b)) => (u128::from(a / b), u128::from(a % b)),
        _ => (a / b, a % b),
    }
}
