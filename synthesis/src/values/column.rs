//! What a term comes to at all inputs, in a column; and its signature, by which columns are told apart.

use crate::language::Operator;
use crate::language::meaning::Meaning;
use egraph::{LiteralKind, Value};
use interop::Lack;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// The values of a term at all inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// Words or truth values, with a value at every input.
    Words(Box<[u64]>),
    /// All others; where there is no value, why.
    Values(Box<[Result<Value, Lack>]>),
}

/// So many bits tell columns apart: two different ones with equal signatures do not occur.
pub type Signature = u128;

impl Column {
    /// The column of a variable or a literal.
    pub fn of(kind: LiteralKind, values: impl Iterator<Item = Value>) -> Column {
        match kind {
            LiteralKind::Bits(_) | LiteralKind::Bool => {
                Column::Words(values.map(|value| value.to_bits().unwrap_or(0)).collect())
            }
            _ => Column::Values(values.map(Ok).collect()),
        }
    }

    /// The column of an operator over those of its arguments.
    pub fn apply(operator: &Operator, args: &[&Column], kinds: &[LiteralKind]) -> Column {
        let words = |column: &Column| matches!(column, Column::Words(_));
        if let Some(op) = operator.word
            && args.iter().all(|column| words(column))
        {
            let of = |i: usize| match args.get(i) {
                Some(Column::Words(words)) => &words[..],
                _ => &[],
            };
            return Column::Words(op.all([of(0), of(1), of(2)]));
        }
        let points = args[0].len();
        let at = |point| -> Vec<Result<Value, Lack>> {
            args.iter().zip(kinds).map(|(column, kind)| column.value(point, *kind)).collect()
        };
        let values = (0..points).map(|point| operator.meaning.value(&at(point)));
        match &operator.meaning {
            Meaning::Table(table) if table.is_of_words() => {
                let values: Box<[Result<Value, Lack>]> = values.collect();
                let words = values.iter().map(|value| value.ok().and_then(Value::to_bits));
                // Somewhere an argument may have no value.
                match words.collect::<Option<_>>() {
                    Some(words) => Column::Words(words),
                    None => Column::Values(values),
                }
            }
            _ => Column::Values(values.collect()),
        }
    }

    /// Number of inputs.
    pub fn len(&self) -> usize {
        match self {
            Column::Words(words) => words.len(),
            Column::Values(values) => values.len(),
        }
    }

    /// The value at an input.
    pub fn value(&self, point: usize, kind: LiteralKind) -> Result<Value, Lack> {
        match self {
            Column::Words(words) => kind.of_bits(words[point]).ok_or(Lack::Undefined),
            Column::Values(values) => values[point],
        }
    }

    /// Whether there is a value at some input.
    pub fn has_values(&self) -> bool {
        match self {
            Column::Words(_) => true,
            Column::Values(values) => values.iter().any(Result::is_ok),
        }
    }

    /// A number that is the same for equal values at an input.
    fn code(&self, point: usize) -> u64 {
        match self {
            Column::Words(words) => words[point],
            Column::Values(values) => match values[point] {
                Ok(Value::Bits(bits)) => bits.value(),
                Ok(Value::Bool(truth)) => u64::from(truth),
                Ok(Value::Int(int)) => int as u64,
                value => {
                    let mut hasher = FxHasher::default();
                    value.hash(&mut hasher);
                    hasher.finish()
                }
            },
        }
    }

    /// Tells it from other columns, at the inputs where `holds` says so, or at all.
    pub fn signature(&self, holds: Option<&[bool]>) -> Signature {
        let (mut a, mut b) = (0x9e37_79b9_7f4a_7c15_u64, 0xc2b2_ae3d_27d4_eb4f_u64);
        for point in 0..self.len() {
            if holds.is_none_or(|holds| holds[point]) {
                let code = self.code(point);
                a = (a.rotate_left(25) ^ code).wrapping_mul(0xff51_afd7_ed55_8ccd);
                b = (b ^ code ^ (b >> 29)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
            }
        }
        u128::from(a) << 64 | u128::from(b ^ (b >> 32))
    }
}
