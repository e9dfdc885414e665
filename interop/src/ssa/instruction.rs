//! An instruction: what it defines and uses, and what it computes if that is one of the operations on integers.

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// By its name.
    Value(String),
    /// From 0 on.
    Number(u64),
}

/// An operation on integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Computed {
    /// The operator on words, or the instruction where there is none.
    pub what: &'static str,
    pub operands: Vec<Operand>,
    /// The width of the last operand.
    pub from: u32,
    pub bits: u32,
    /// Whether it has flags, which make it poison for some operands and may be left out.
    pub has_flags: bool,
    /// Whether it may be poison for other reasons than flags and large amounts of shifts.
    pub poison: bool,
}

impl Computed {
    /// Its operands with their widths.
    pub fn operands(&self) -> impl Iterator<Item = (&Operand, u32)> {
        let chooses = self.what == "select";
        let width = move |i| if chooses && i == 0 { 1 } else { self.from };
        self.operands.iter().enumerate().map(move |(i, operand)| (operand, width(i)))
    }

    /// The names of the values that it uses.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        self.operands.iter().filter_map(|operand| match operand {
            Operand::Value(name) => Some(name.as_str()),
            Operand::Number(_) => None,
        })
    }
}

/// An instruction in its place.
#[derive(Clone, Copy, Debug)]
pub struct Instruction<'f> {
    /// Where it stands, in the order of a block.
    pub line: usize,
    /// Which block it belongs to, from 0 on. Those of a block follow each other.
    pub block: usize,
    /// The name of its result.
    pub result: Option<&'f str>,
    /// Names that it uses, those of values among them.
    pub uses: &'f [String],
    pub computed: Option<&'f Computed>,
    /// Whether its result is neither poison nor undefined.
    pub is_defined: bool,
}

/// The operator of a binary instruction on words of some width, with its operands: complements and opposites are of one.
pub fn simplified(
    what: &'static str,
    bits: u32,
    mut operands: Vec<Operand>,
) -> Option<(&'static str, Vec<Operand>)> {
    let ones = Operand::Number(u64::MAX >> (64 - bits));
    let what = match (what, bits) {
        ("^" | "+" | "-", 1) => "!=",
        ("&" | "*", 1) => "&&",
        ("|", 1) => "||",
        (_, 1) => return None,
        (what, _) => what,
    };
    Some(match (what, &operands[..]) {
        ("^" | "!=", [_, last]) if *last == ones => {
            operands.pop();
            (if bits == 1 { "!" } else { "~" }, operands)
        }
        ("-", [Operand::Number(0), _]) => ("neg", operands.split_off(1)),
        _ => (what, operands),
    })
}
