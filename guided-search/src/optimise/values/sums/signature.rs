//! What a linear term is over atoms: a coefficient for each combination of their truth values.

/// Atoms at most.
pub const MOST_ATOMS: usize = 4;
/// Combinations of the truth values of so many.
const COMBINATIONS: usize = 1 << MOST_ATOMS;

/// A truth value for each combination: bit k is that of the combination in which atom i is true if bit i of k is set.
pub type Table = u16;

/// The table of an atom.
pub fn table_of_atom(atom: usize) -> Table {
    [0xaaaa, 0xcccc, 0xf0f0, 0xff00][atom]
}

/// The word Σₖ wₖ·mₖ, where mₖ has the bits at which the atoms have combination k. The word in which each bit is set is
/// −1, so a literal c has −c everywhere. Coefficients are modulo 2ᴺ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature(pub [u64; COMBINATIONS]);

impl Signature {
    pub fn of_table(table: Table) -> Signature {
        Signature(std::array::from_fn(|k| u64::from(table >> k & 1)))
    }

    pub fn of_literal(word: u64, ones: u64) -> Signature {
        Signature([word.wrapping_neg() & ones; COMBINATIONS])
    }

    /// The table, if the word is a bitwise term of the atoms.
    pub fn table(&self) -> Option<Table> {
        let mut table = 0;
        for (k, &coefficient) in self.0.iter().enumerate() {
            match coefficient {
                0 => {}
                1 => table |= 1 << k,
                _ => return None,
            }
        }
        Some(table)
    }

    /// The literal that it is, if it is one.
    pub fn literal(&self, ones: u64) -> Option<u64> {
        let first = self.0[0];
        self.0.iter().all(|&w| w == first).then_some(first.wrapping_neg() & ones)
    }

    /// This and so many times another one.
    pub fn plus(&self, times: u64, other: &Signature, ones: u64) -> Signature {
        let sum = |k: usize| self.0[k].wrapping_add(times.wrapping_mul(other.0[k])) & ones;
        Signature(std::array::from_fn(sum))
    }

    /// So many times this.
    pub fn times(&self, factor: u64, ones: u64) -> Signature {
        Signature(self.0.map(|w| w.wrapping_mul(factor) & ones))
    }

    /// That of the complement, −1 − E.
    pub fn not(&self, ones: u64) -> Signature {
        Signature(self.0.map(|w| 1u64.wrapping_sub(w) & ones))
    }

    /// Its different coefficients, if there are no more than `most`.
    pub fn distinct(&self, most: usize) -> Option<Vec<u64>> {
        let mut distinct: Vec<u64> = Vec::with_capacity(most);
        for &coefficient in &self.0 {
            if !distinct.contains(&coefficient) {
                if distinct.len() == most {
                    return None;
                }
                distinct.push(coefficient);
            }
        }
        Some(distinct)
    }
}
