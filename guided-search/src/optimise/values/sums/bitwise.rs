//! The smallest bitwise term of each truth table over some atoms.

use crate::optimise::values::sums::signature::{Table, table_of_atom};
use crate::optimise::values::words::WordOp;
use rustc_hash::FxHashMap;

/// Tables at most: all that three atoms have, and the smallest of four.
const MOST_TABLES: usize = 2_048;
/// So many pairs take as long as a visit.
const PAIRS_PER_VISIT: u64 = 16;

/// How a bitwise term is made.
#[derive(Clone, Copy, Debug)]
pub enum Made {
    Atom(usize),
    Not(Table),
    Of(WordOp, Table, Table),
}

/// The smallest terms by table.
pub struct Bitwise {
    /// Tables with their sizes in nodes, the smaller ones first.
    pub by_size: Vec<(Table, usize)>,
    made: FxHashMap<Table, (usize, Made)>,
    /// What it took.
    pub visits: u64,
}

impl Bitwise {
    /// Those of at most `most` nodes over atoms of these sizes, by those of `ops` that are bitwise.
    pub fn new(atoms: &[usize], ops: &[WordOp], most: usize) -> Bitwise {
        let mut bitwise = Bitwise { by_size: Vec::new(), made: FxHashMap::default(), visits: 0 };
        let mut levels: Vec<Vec<Table>> = vec![Vec::new()];
        let binary = [WordOp::And, WordOp::Or, WordOp::Xor].map(|op| (op, ops.contains(&op)));
        let mut pairs = 0;
        for size in 1..=most {
            levels.push(Vec::new());
            let mut found: Vec<(Table, Made)> = Vec::new();
            found.extend(
                (0..atoms.len())
                    .filter(|&atom| atoms[atom] == size)
                    .map(|atom| (table_of_atom(atom), Made::Atom(atom))),
            );
            if ops.contains(&WordOp::Not) {
                found.extend(levels[size - 1].iter().map(|&table| (!table, Made::Not(table))));
            }
            bitwise.see(&mut levels, found);
            for first in 1..=(size - 1) / 2 {
                let second = size - 1 - first;
                for at in 0..levels[first].len() {
                    let a = levels[first][at];
                    let mut found: Vec<(Table, Made)> = Vec::new();
                    for &b in &levels[second] {
                        for (op, _) in binary.iter().filter(|(_, there)| *there) {
                            let table = match op {
                                WordOp::And => a & b,
                                WordOp::Or => a | b,
                                _ => a ^ b,
                            };
                            found.push((table, Made::Of(*op, a, b)));
                        }
                    }
                    pairs += levels[second].len() as u64;
                    bitwise.see(&mut levels, found);
                }
            }
            if bitwise.by_size.len() >= MOST_TABLES.min((1 << (1 << atoms.len())) - 2) {
                break;
            }
        }
        bitwise.visits = pairs / PAIRS_PER_VISIT;
        bitwise
    }

    /// Keeps the tables that no smaller term has, but for those of literals.
    fn see(&mut self, levels: &mut [Vec<Table>], found: Vec<(Table, Made)>) {
        let size = levels.len() - 1;
        for (table, made) in found {
            if table == 0 || table == Table::MAX || self.made.contains_key(&table) {
                continue;
            }
            self.made.insert(table, (size, made));
            self.by_size.push((table, size));
            levels[size].push(table);
        }
    }

    /// The smallest term of a table, and its size.
    pub fn of(&self, table: Table) -> Option<(usize, Made)> {
        self.made.get(&table).copied()
    }
}
