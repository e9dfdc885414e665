//! Which operations of MLIR the operators of a system are: what a rules file declares in `(mlir …)`.
//!
//! ```text
//! (mlir
//!   (type Int i32) (type Bool i1)
//!   (drop overflowFlags)
//!   (+ "arith.addi")
//!   (< "arith.cmpi" (predicate 2 : i64))
//!   (low "arith.mulsi_extended") (high "arith.mulsi_extended" :result 1))
//! ```

use crate::mlir::literal;
use crate::mlir::ops::{Op, START};
use egraph::{Language, OpId, ParseError, Sexpr, SortId, System, did_you_mean};
use rustc_hash::FxHashMap;

/// The operation of constants.
pub const CONSTANT: &str = "arith.constant";
/// What a tool notes on an operation, and no part of what the operation is.
pub const NOTES: [&str; 1] = ["eqsat_cost"];

/// What the operators and sorts of a system are in MLIR.
#[derive(Debug)]
pub struct MlirTable {
    /// Types of sorts.
    types: FxHashMap<SortId, String>,
    /// Attributes without which an operation computes the same, or more.
    dropped: Vec<String>,
    operations: Vec<Operation>,
    /// By operator: its operation, and which result of it.
    of_op: FxHashMap<OpId, (usize, usize)>,
}

/// An operation with its attributes and types.
#[derive(Debug)]
pub struct Operation {
    pub name: String,
    /// Sorted.
    pub attributes: Vec<(String, String)>,
    pub operands: Vec<SortId>,
    /// By result.
    pub results: Vec<Option<OpId>>,
}

impl MlirTable {
    /// What the system's file declares.
    ///
    /// # Errors
    /// The first mistake, with its place in the rules file.
    pub fn of(system: &System) -> Result<MlirTable, ParseError> {
        let mut table = MlirTable {
            types: FxHashMap::default(),
            dropped: NOTES.map(str::to_owned).to_vec(),
            operations: Vec::new(),
            of_op: FxHashMap::default(),
        };
        // Operations are found by the types of sorts, which may be declared after them.
        for types in [true, false] {
            for item in &system.mlir {
                table.declare(&system.language, item, types)?;
            }
        }
        for Operation { name, results, .. } in &table.operations {
            if let Some(result) = results.iter().position(Option::is_none) {
                let place = system.mlir.first().map_or(START, Sexpr::place);
                let message =
                    format!("no operator is result {result} of '{name}', but a later one");
                return Err(ParseError::new(place, message));
            }
        }
        Ok(table)
    }

    /// The sort of a type.
    pub fn sort(&self, of_type: &str) -> Option<SortId> {
        let same = |known: &&SortId| compact(&self.types[known]) == compact(of_type);
        self.types.keys().find(same).copied()
    }

    /// The type of a sort.
    pub fn type_of(&self, sort: SortId) -> Option<&str> {
        self.types.get(&sort).map(String::as_str)
    }

    /// The operation that an operator is, and which of its results.
    pub fn operation(&self, op: OpId) -> Option<(&Operation, usize)> {
        self.of_op.get(&op).map(|&(operation, result)| (&self.operations[operation], result))
    }

    /// The operators that are no operations.
    pub fn missing(&self, language: &Language) -> Vec<OpId> {
        let all = (0..language.operators.len() as u32).map(OpId);
        all.filter(|op| !self.of_op.contains_key(op)).collect()
    }

    /// The operators, by result, of an operation with these attributes and types, if all of it is there.
    pub fn operators(&self, language: &Language, op: &Op) -> Option<&Operation> {
        if !op.regions.is_empty() || !op.successors.is_empty() {
            return None;
        }
        let type_is = |sort: SortId, of_type: &String| {
            self.type_of(sort).is_some_and(|known| compact(known) == compact(of_type))
        };
        self.operations.iter().find(|known| {
            let results = known.results.iter().flatten().map(|&op| language.op(op).result);
            known.name == op.name
                && known.operands.len() == op.operand_types.len()
                && known.results.len() == op.result_types.len()
                && known.operands.iter().zip(&op.operand_types).all(|(&sort, t)| type_is(sort, t))
                && results.zip(&op.result_types).all(|(sort, t)| type_is(sort, t))
                && self.same_attributes(known, op)
        })
    }

    fn same_attributes(&self, known: &Operation, op: &Op) -> bool {
        let names = |name: &String| known.attributes.iter().any(|(of_known, _)| of_known == name);
        let mut there: Vec<(&str, String)> = Vec::new();
        for (name, value) in op.properties.iter().chain(&op.attributes) {
            if names(name) || !self.dropped.contains(name) {
                there.push((name, compact(value.as_deref().unwrap_or_default())));
            }
        }
        there.sort_unstable();
        let known = known.attributes.iter().map(|(name, value)| (name.as_str(), compact(value)));
        there.into_iter().eq(known)
    }

    /// Reads a type, or what is no type.
    fn declare(
        &mut self,
        language: &Language,
        item: &Sexpr,
        types: bool,
    ) -> Result<(), ParseError> {
        let error = |message: &str| ParseError::new(item.place(), message);
        let expected = "expected (type Sort type), (drop attribute …) or \
                        (operator \"dialect.operation\" (attribute value) … :result N)";
        let items = item.list().ok_or_else(|| error(expected))?;
        let [head, second, rest @ ..] = items else { return Err(error(expected)) };
        let (Some(head_name), Some(second_name)) = (head.atom(), second.atom()) else {
            return Err(error(expected));
        };
        let operation = second_name.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
        match (head_name, operation) {
            ("type", None) if types => self.declare_type(language, second, rest, item),
            ("drop", None) if types => {
                for name in &items[1..] {
                    self.dropped.push(name.atom().ok_or_else(|| error(expected))?.to_owned());
                }
                Ok(())
            }
            ("type" | "drop", None) => Ok(()),
            (_, Some(_)) if types => Ok(()),
            (_, Some(operation)) => self.declare_operation(language, head, operation, rest),
            (_, None) => Err(error(expected)),
        }
    }

    fn declare_type(
        &mut self,
        language: &Language,
        sort: &Sexpr,
        of_type: &[Sexpr],
        item: &Sexpr,
    ) -> Result<(), ParseError> {
        let error = |message: String| ParseError::new(item.place(), message);
        let name = sort.atom().unwrap_or_default();
        let known = language.sort(name);
        let known =
            known.ok_or_else(|| ParseError::new(sort.place(), format!("unknown sort '{name}'")))?;
        let of_type = text(of_type);
        if of_type.is_empty() {
            return Err(error("expected (type Sort type), as (type Int i32)".to_owned()));
        }
        if let Some(other) = self.sort(&of_type) {
            let other = language.sort_name(other);
            return Err(error(format!(
                "sort {other} has type {of_type} already: expected one of each"
            )));
        }
        if let Some(why) =
            language.literal_kind(known).and_then(|kind| literal::mismatch(kind, &of_type))
        {
            return Err(error(why));
        }
        match self.types.insert(known, of_type) {
            None => Ok(()),
            Some(_) => Err(error(format!("sort {name} has a type already"))),
        }
    }

    fn declare_operation(
        &mut self,
        language: &Language,
        operator: &Sexpr,
        name: &str,
        options: &[Sexpr],
    ) -> Result<(), ParseError> {
        let error = |message: String| ParseError::new(operator.place(), message);
        let op_name = operator.atom().unwrap_or_default();
        let op = language.operator(op_name).ok_or_else(|| {
            let all = language.operators.iter().map(|op| op.name.as_str());
            error(format!("unknown operator '{op_name}'{}", did_you_mean(op_name, all)))
        })?;
        let known = language.op(op);
        if let Some(sort) =
            known.args.iter().chain([&known.result]).find(|sort| !self.types.contains_key(sort))
        {
            let sort = language.sort_name(*sort);
            return Err(error(format!(
                "sort {sort} of '{op_name}' has no type: expected (type {sort} …)"
            )));
        }
        if !known.binds.is_empty() {
            return Err(error(format!("'{op_name}' binds variables, which no operation does")));
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '-');
        if !name.contains('.') || !name.chars().all(plain) {
            let message = format!(
                "\"{name}\" is no operation: expected its dialect and name, as \"arith.addi\""
            );
            return Err(error(message));
        }
        let (mut attributes, mut result) = (Vec::new(), 0);
        let mut options = options.iter();
        while let Some(option) = options.next() {
            match option {
                Sexpr::List(items, place) => match &items[..] {
                    [Sexpr::Atom(name, _), value @ ..] => {
                        attributes.push((name.clone(), text(value)))
                    }
                    _ => return Err(ParseError::new(*place, "expected (attribute value)")),
                },
                Sexpr::Atom(keyword, place) => {
                    let number =
                        options.next().and_then(Sexpr::atom).and_then(|n| n.parse::<u8>().ok());
                    match (keyword.as_str(), number) {
                        (":result", Some(number)) => result = usize::from(number),
                        _ => {
                            let message =
                                "expected (attribute value) or :result and a number up to 255";
                            return Err(ParseError::new(*place, message));
                        }
                    }
                }
            }
        }
        attributes.sort_unstable();
        let same = |other: &Operation| {
            let types = |sorts: &[SortId]| sorts.iter().map(|s| &self.types[s]).collect::<Vec<_>>();
            (other.name.as_str(), &other.attributes) == (name, &attributes)
                && types(&other.operands) == types(&known.args)
        };
        let number = self.operations.iter().position(same).unwrap_or_else(|| {
            let operands = known.args.clone();
            let name = name.to_owned();
            self.operations.push(Operation { name, attributes, operands, results: Vec::new() });
            self.operations.len() - 1
        });
        let results = &mut self.operations[number].results;
        results.resize(results.len().max(result + 1), None);
        if let Some(other) = results[result].replace(op) {
            let other = &language.op(other).name;
            return Err(error(format!(
                "'{other}' is the same operation with the same attributes and types"
            )));
        }
        match self.of_op.insert(op, (number, result)) {
            None => Ok(()),
            Some(_) => Err(error(format!("'{op_name}' is an operation already"))),
        }
    }
}

/// Types and attributes are compared without white space.
fn compact(text: &str) -> String {
    text.split_whitespace().collect()
}

/// The text of a type or an attribute.
fn text(parts: &[Sexpr]) -> String {
    let part = |part: &Sexpr| match part {
        Sexpr::Atom(atom, _) => atom.clone(),
        Sexpr::List(items, _) => format!("({})", text(items)),
    };
    parts.iter().map(part).collect::<Vec<_>>().join(" ")
}
