//! From what is planned to operations: each comes and goes where it stands, with the constants that it needs.

use crate::mlir::ops::{Block, Op, Region, START};
use crate::mlir::table::CONSTANT;
use crate::mlir::words::function::is_entered;
use crate::mlir::words::operation::{
    Applied, INDEX, Side, applied, constant, constant_text, index_cast, is_same_word, type_of,
    without_flags,
};
use crate::ssa::{Edit, Made, New, Operand, Plan};
use crate::words::Words;
use rustc_hash::{FxHashMap, FxHashSet};

/// Constants that are there, by value and type.
type Constants = FxHashMap<(u64, String), String>;

/// Writes what is planned for a function, each value of which has a name of its own.
pub fn apply(
    function: &mut Op,
    plan: Plan,
    words: &Words,
    types: FxHashMap<String, String>,
    constants: &FxHashSet<String>,
) {
    let mut writer = Writer { plan, words, types, line: 0, renamed: FxHashMap::default() };
    if let Some(region) = function.regions.first_mut() {
        writer.region(region, &Constants::default());
    }
    let mut used: FxHashMap<String, usize> = FxHashMap::default();
    for op in function.walk() {
        for name in &op.operands {
            let name = writer.renamed.get(name).unwrap_or(name);
            *used.entry(name.clone()).or_default() += 1;
        }
    }
    for region in &mut function.regions {
        rename(region, &writer.renamed);
        sweep(region, &mut used, constants);
    }
}

struct Writer<'w> {
    plan: Plan,
    words: &'w Words,
    types: FxHashMap<String, String>,
    /// The number of the next operation.
    line: usize,
    /// What is written wherever a value is used.
    renamed: FxHashMap<String, String>,
}

impl Writer<'_> {
    fn region(&mut self, region: &mut Region, above: &Constants) {
        // What the first block defines is there in all.
        let mut of_first: Option<Constants> = None;
        for block in &mut region.blocks {
            let mut there = of_first.as_ref().unwrap_or(above).clone();
            self.block(block, &mut there);
            of_first.get_or_insert(there);
        }
    }

    fn block(&mut self, block: &mut Block, there: &mut Constants) {
        for mut op in std::mem::take(&mut block.ops) {
            let line = self.line;
            self.line += 1;
            let name = op.results.first().cloned().unwrap_or_default();
            match self.plan.edits.remove(&line) {
                Some(Edit::Remove) => {
                    let end = self.plan.operand(&name).cloned();
                    if let Some((end, _)) = end {
                        self.instead(&mut block.ops, there, name, end);
                    }
                    continue;
                }
                Some(Edit::Replace(new)) => {
                    let of_type = self.type_of(&name);
                    for new in new {
                        self.write(&mut block.ops, there, new, &name, &of_type);
                    }
                    continue;
                }
                Some(Edit::WithoutFlags) => without_flags(&mut op),
                None => {}
            }
            if let ([name], [of_type], Some(value)) =
                (&op.results[..], &op.result_types[..], constant(&op))
            {
                there.entry((value, of_type.clone())).or_insert_with(|| name.clone());
            }
            if is_entered(&op) {
                op.regions.iter_mut().for_each(|region| self.region(region, there));
            }
            block.ops.push(op);
        }
    }

    fn type_of(&self, name: &str) -> String {
        self.types.get(name).cloned().unwrap_or_default()
    }

    /// Puts an operand in the place of a value that is gone: everywhere, or under its name if it is of another type.
    fn instead(&mut self, ops: &mut Vec<Op>, there: &mut Constants, name: String, end: Operand) {
        let of_type = self.type_of(&name);
        match end {
            Operand::Number(value) => match there.get(&(value, of_type.clone())) {
                Some(known) => drop(self.renamed.insert(name, known.clone())),
                None => {
                    there.insert((value, of_type.clone()), name.clone());
                    ops.push(constant_op(name, value, of_type));
                }
            },
            Operand::Value(end) if self.type_of(&end) == of_type => {
                self.renamed.insert(name, end);
            }
            Operand::Value(end) => {
                let cast = self.op("arith.index_cast", vec![end], name, of_type);
                ops.push(cast);
            }
        }
    }

    /// An operation of values that are there.
    fn op(&self, of: &str, operands: Vec<String>, result: String, of_type: String) -> Op {
        let mut op = Op::new(of, START);
        op.operand_types = operands.iter().map(|name| self.type_of(name)).collect();
        op.operands = operands;
        op.results = vec![result];
        op.result_types = vec![of_type];
        op
    }

    fn fresh(&mut self, of_type: &str) -> String {
        let types = &self.types;
        let name = self.plan.fresh_name("%", &|name| types.contains_key(name));
        self.types.insert(name.clone(), of_type.to_owned());
        name
    }

    /// A constant that is there, or comes to be.
    fn constant(
        &mut self,
        ops: &mut Vec<Op>,
        there: &mut Constants,
        value: u64,
        of_type: &str,
    ) -> String {
        if let Some(known) = there.get(&(value, of_type.to_owned())) {
            return known.clone();
        }
        let name = self.fresh(of_type);
        there.insert((value, of_type.to_owned()), name.clone());
        ops.push(constant_op(name.clone(), value, of_type.to_owned()));
        name
    }

    /// An operand as a value of a type.
    fn operand(
        &mut self,
        ops: &mut Vec<Op>,
        there: &mut Constants,
        operand: &Operand,
        of_type: &str,
    ) -> String {
        let name = match operand {
            Operand::Number(value) => return self.constant(ops, there, *value, of_type),
            Operand::Value(name) => name.clone(),
        };
        if self.type_of(&name) == of_type {
            return name;
        }
        let cast = self.fresh(of_type);
        let op = self.op("arith.index_cast", vec![name], cast.clone(), of_type.to_owned());
        ops.push(op);
        cast
    }

    /// Writes what is computed for the value `goal` of a type.
    fn write(
        &mut self,
        ops: &mut Vec<Op>,
        there: &mut Constants,
        new: New,
        goal: &str,
        goal_type: &str,
    ) {
        let New { name, made, bits } = new;
        // A word of 64 bits that is no operand yet has the type of what it is for.
        let free = |bits: u32| match bits {
            64 if goal_type == INDEX => INDEX,
            bits => type_of(bits),
        };
        let wanted = if name == goal { goal_type } else { free(bits) };
        let (of, operands, properties) = match &made {
            Made::Freeze(_) => unreachable!("no term of MLIR has one"),
            Made::Unreached(_) => {
                ops.push(constant_op(name, 0, goal_type.to_owned()));
                return;
            }
            Made::LowestBit(word, bits) => {
                let of_type = self.common_type(&[word], &[*bits], free(*bits));
                let of = if of_type == INDEX { index_cast("trunc") } else { "arith.trunci" };
                (of, vec![self.operand(ops, there, word, of_type)], Vec::new())
            }
            Made::Apply(op, args) => {
                let Some((what, widths, _)) = self.words.meaning(*op) else { return };
                let from = widths.last().copied().unwrap_or(bits);
                let Some(Applied { name: of, properties, beside }) =
                    applied(what, widths.len(), from)
                else {
                    return;
                };
                let all: Vec<&Operand> = args.iter().collect();
                let of_type = self.common_type(&all, widths, free(from));
                let mut operands = Vec::new();
                for (arg, bits) in args.iter().zip(widths) {
                    let of_type = if *bits == from { of_type } else { type_of(*bits) };
                    operands.push(self.operand(ops, there, arg, of_type));
                }
                if let Some((value, side)) = beside {
                    let name = self.constant(ops, there, value, of_type);
                    operands.insert(if side == Side::Before { 0 } else { 1 }, name);
                }
                let is_conversion = widths.len() == 1 && bits != from;
                let is_of_index = is_conversion && (of_type == INDEX || wanted == INDEX);
                (if is_of_index { index_cast(what) } else { of }, operands, properties)
            }
        };
        // An operation has the type of its operands, but for conversions and comparisons.
        let of_operands = operands.last().map(|name| self.type_of(name)).unwrap_or_default();
        let wide = bits == 64 && matches!(of_operands.as_str(), "i64" | INDEX);
        let of_type = if wide { of_operands } else { wanted.to_owned() };
        let is_goal = name == goal && of_type != goal_type;
        let result = if is_goal { self.fresh(&of_type) } else { name.clone() };
        self.types.insert(result.clone(), of_type.clone());
        let mut op = self.op(of, operands, result.clone(), of_type);
        op.properties = properties;
        ops.push(op);
        if is_goal {
            let cast = self.op("arith.index_cast", vec![result], name, goal_type.to_owned());
            ops.push(cast);
        }
    }

    /// The type of the operands of 64 bits: `index` if no other is there, `free` if there is none.
    fn common_type(
        &self,
        operands: &[&Operand],
        widths: &[u32],
        free: &'static str,
    ) -> &'static str {
        let last = widths.last().copied().unwrap_or_default();
        if last != 64 {
            return type_of(last);
        }
        let values = operands.iter().zip(widths).filter_map(|(operand, bits)| match operand {
            Operand::Value(name) if *bits == 64 => Some(self.type_of(name)),
            _ => None,
        });
        let types: Vec<String> = values.collect();
        match &types[..] {
            [] => free,
            types if types.iter().all(|of_type| of_type == INDEX) => INDEX,
            _ => type_of(64),
        }
    }
}

fn constant_op(name: String, value: u64, of_type: String) -> Op {
    let mut op = Op::new(CONSTANT, START);
    op.properties = vec![("value".to_owned(), Some(constant_text(value, &of_type)))];
    op.results = vec![name];
    op.result_types = vec![of_type];
    op
}

/// Renames the values that operations use.
fn rename(region: &mut Region, renamed: &FxHashMap<String, String>) {
    for op in region.blocks.iter_mut().flat_map(|block| &mut block.ops) {
        for name in &mut op.operands {
            if let Some(new) = renamed.get(name) {
                name.clone_from(new);
            }
        }
        op.regions.iter_mut().for_each(|inner| rename(inner, renamed));
    }
}

/// Removes constants and casts that nothing uses any more. Uses stand below definitions, but for those of other blocks, which keep them.
fn sweep(region: &mut Region, used: &mut FxHashMap<String, usize>, constants: &FxHashSet<String>) {
    for block in region.blocks.iter_mut().rev() {
        let mut kept: Vec<Op> = Vec::new();
        for mut op in std::mem::take(&mut block.ops).into_iter().rev() {
            if is_entered(&op) {
                op.regions.iter_mut().for_each(|inner| sweep(inner, used, constants));
            }
            let is_unused = |name: &String| used.get(name).is_none_or(|count| *count == 0);
            let is_constant = op.results.iter().any(|name| constants.contains(name));
            if (is_constant || is_same_word(&op)) && op.results.iter().all(is_unused) {
                for name in &op.operands {
                    used.entry(name.clone()).and_modify(|count| *count -= 1);
                }
            } else {
                kept.push(op);
            }
        }
        kept.reverse();
        block.ops = kept;
    }
}
