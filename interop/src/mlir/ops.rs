//! Operations of MLIR as data, and their text in the generic form.
//!
//! Attributes, types and successors are kept as text, with single spaces: what this crate does not look
//! into comes out as it went in.

use egraph::Place;
use std::fmt::{self, Display, Formatter, Write};

/// Where a text begins: the place of what was never in one.
pub const START: Place = Place { line: 1, column: 1 };

/// A text of MLIR: operations, and what stands between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    pub items: Vec<Item>,
}

/// What stands at the top of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    Op(Box<Op>),
    /// An alias, as `#map = affine_map<(d0) -> (d0)>`, or resources in `{-# … #-}`.
    Text(String),
}

/// An operation.
#[derive(Clone, Debug)]
pub struct Op {
    pub place: Place,
    pub name: String,
    /// Names of the results. Those of a group `%0:2` are `%0#0` and `%0#1`.
    pub results: Vec<String>,
    pub operands: Vec<String>,
    pub successors: Vec<String>,
    pub properties: Vec<Attribute>,
    pub regions: Vec<Region>,
    pub attributes: Vec<Attribute>,
    pub operand_types: Vec<String>,
    pub result_types: Vec<String>,
    pub location: Option<String>,
}

/// The name of an attribute and its value; a unit has none.
pub type Attribute = (String, Option<String>);

/// A region: its blocks, the first of which is entered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Region {
    pub blocks: Vec<Block>,
}

/// A block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// Its name, as `^bb0`; the first may have none.
    pub label: Option<String>,
    /// Names and types.
    pub arguments: Vec<(String, String)>,
    pub ops: Vec<Op>,
}

/// Where an operation stood makes no difference.
impl PartialEq for Op {
    fn eq(&self, other: &Op) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for Op {}

impl Op {
    /// Without operands, attributes and regions.
    pub fn new(name: &str, place: Place) -> Op {
        Op {
            place,
            name: name.to_owned(),
            results: Vec::new(),
            operands: Vec::new(),
            successors: Vec::new(),
            properties: Vec::new(),
            regions: Vec::new(),
            attributes: Vec::new(),
            operand_types: Vec::new(),
            result_types: Vec::new(),
            location: None,
        }
    }

    /// The text of an attribute that has a value; properties are attributes, too.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let mut all = self.properties.iter().chain(&self.attributes);
        all.find(|(known, _)| known == name)?.1.as_deref()
    }

    /// The operations in its regions, from outside to inside, itself first.
    pub fn walk(&self) -> Vec<&Op> {
        let mut all = vec![self];
        let mut next = 0;
        while let Some(op) = all.get(next).copied() {
            let blocks = op.regions.iter().flat_map(|region| &region.blocks);
            all.extend(blocks.flat_map(|block| &block.ops));
            next += 1;
        }
        all
    }
}

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for item in &self.items {
            match item {
                Item::Op(op) => op.write(f, 0)?,
                Item::Text(text) => writeln!(f, "{text}")?,
            }
        }
        Ok(())
    }
}

impl Display for Op {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

impl Op {
    /// Writes the operation on lines of its own. Regions are nested to a limited depth, see `read.rs`.
    fn write(&self, f: &mut Formatter<'_>, indent: usize) -> fmt::Result {
        write!(f, "{:indent$}", "")?;
        if !self.results.is_empty() {
            write!(f, "{} = ", groups(&self.results).join(", "))?;
        }
        write!(f, "\"{}\"({})", self.name, self.operands.join(", "))?;
        if !self.successors.is_empty() {
            write!(f, "[{}]", self.successors.join(", "))?;
        }
        if !self.properties.is_empty() {
            write!(f, " <{}>", dictionary(&self.properties))?;
        }
        for (i, region) in self.regions.iter().enumerate() {
            f.write_str(if i == 0 { " (" } else { ", " })?;
            region.write(f, indent)?;
        }
        if !self.regions.is_empty() {
            f.write_char(')')?;
        }
        if !self.attributes.is_empty() {
            write!(f, " {}", dictionary(&self.attributes))?;
        }
        write!(f, " : ({}) -> ", self.operand_types.join(", "))?;
        match &self.result_types[..] {
            [one] if !one.starts_with('(') => f.write_str(one)?,
            several => write!(f, "({})", several.join(", "))?,
        }
        if let Some(location) = &self.location {
            write!(f, " loc({location})")?;
        }
        writeln!(f)
    }
}

impl Region {
    fn write(&self, f: &mut Formatter<'_>, indent: usize) -> fmt::Result {
        writeln!(f, "{{")?;
        for block in &self.blocks {
            if let Some(label) = &block.label {
                write!(f, "{:indent$}{label}", "")?;
                for (i, (name, of_type)) in block.arguments.iter().enumerate() {
                    write!(f, "{}{name}: {of_type}", if i == 0 { "(" } else { ", " })?;
                }
                writeln!(f, "{}:", if block.arguments.is_empty() { "" } else { ")" })?;
            }
            for op in &block.ops {
                op.write(f, indent + 2)?;
            }
        }
        write!(f, "{:indent$}}}", "")
    }
}

/// Names of results as they are declared: `%0#0` and `%0#1` as `%0:2`.
fn groups(results: &[String]) -> Vec<String> {
    let mut groups: Vec<String> = Vec::new();
    for (i, name) in results.iter().enumerate() {
        match name.split_once('#') {
            None => groups.push(name.clone()),
            Some((base, "0")) => {
                let of_group = |name: &&String| name.split_once('#').is_some_and(|n| n.0 == base);
                let count = results[i..].iter().take_while(of_group).count();
                groups.push(format!("{base}:{count}"));
            }
            Some(_) => {}
        }
    }
    groups
}

fn dictionary(attributes: &[Attribute]) -> String {
    let text = |(name, value): &Attribute| {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$');
        let bare = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(plain);
        let name = if bare { name.clone() } else { format!("\"{name}\"") };
        value.as_ref().map_or(name.clone(), |value| format!("{name} = {value}"))
    };
    format!("{{{}}}", attributes.iter().map(text).collect::<Vec<_>>().join(", "))
}
