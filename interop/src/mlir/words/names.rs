//! Each value of a function by a name of its own: regions side by side may use a name twice.

use crate::mlir::functions::symbol;
use crate::mlir::ops::{Op, Region};
use egraph::ParseError;
use rustc_hash::{FxHashMap, FxHashSet};

/// Renames values so that no two have one name. Those of outer regions keep theirs.
///
/// # Errors
/// A value that is defined twice in a region, or used where it is not defined.
pub fn resolve(function: &mut Op) -> Result<(), ParseError> {
    let mut resolver = Resolver {
        symbol: symbol(function),
        scopes: Vec::new(),
        written: names(function),
        taken: FxHashSet::default(),
    };
    let place = function.place;
    for region in &mut function.regions {
        resolver.region(region, &|name| {
            ParseError::new(place, format!("{name} is defined a second time"))
        })?;
    }
    Ok(())
}

/// All names in an operation, those of groups without the number of the result.
fn names(function: &Op) -> FxHashSet<String> {
    let mut names = FxHashSet::default();
    for op in function.walk() {
        names.extend(op.results.iter().map(|name| split(name).0.to_owned()));
        let blocks = op.regions.iter().flat_map(|region| &region.blocks);
        names.extend(blocks.flat_map(|block| &block.arguments).map(|(name, _)| name.clone()));
    }
    names
}

/// The name of a group, and which result of it with its sign.
fn split(name: &str) -> (&str, &str) {
    name.split_at(name.find('#').unwrap_or(name.len()))
}

struct Resolver {
    /// The function, as `@f`.
    symbol: String,
    /// By the names in the text: those of the regions around, the innermost last.
    scopes: Vec<FxHashMap<String, String>>,
    /// All names in the text.
    written: FxHashSet<String>,
    /// Names that were given.
    taken: FxHashSet<String>,
}

impl Resolver {
    fn region(
        &mut self,
        region: &mut Region,
        twice: &dyn Fn(&str) -> ParseError,
    ) -> Result<(), ParseError> {
        let mut scope: FxHashMap<String, String> = FxHashMap::default();
        let mut groups: FxHashMap<String, String> = FxHashMap::default();
        for block in &mut region.blocks {
            for (name, _) in &mut block.arguments {
                let new = self.unique(name, &mut groups);
                if scope.insert(std::mem::replace(name, new.clone()), new).is_some() {
                    return Err(twice(name));
                }
            }
            for op in &mut block.ops {
                for name in &mut op.results {
                    let new = self.unique(name, &mut groups);
                    if scope.contains_key(name) {
                        let message = format!("{name} is defined a second time");
                        return Err(ParseError::new(op.place, message));
                    }
                    scope.insert(std::mem::replace(name, new.clone()), new);
                }
            }
        }
        self.scopes.push(scope);
        for op in region.blocks.iter_mut().flat_map(|block| &mut block.ops) {
            for name in &mut op.operands {
                let found = self.scopes.iter().rev().find_map(|scope| scope.get(name));
                let Some(found) = found else {
                    let message = format!("{name} is used and not defined in {}", self.symbol);
                    return Err(ParseError::new(op.place, message));
                };
                name.clone_from(found);
            }
            let place = op.place;
            for inner in &mut op.regions {
                self.region(inner, &|name| {
                    ParseError::new(place, format!("{name} is defined a second time"))
                })?;
            }
        }
        self.scopes.pop();
        Ok(())
    }

    /// A name that no other value has; results of one group stay one.
    fn unique(&mut self, name: &str, groups: &mut FxHashMap<String, String>) -> String {
        let (group, result) = split(name);
        let new = match groups.get(group).filter(|_| !result.is_empty()) {
            Some(new) => new.clone(),
            None => {
                let mut new = group.to_owned();
                let mut number = 0;
                while !self.taken.insert(new.clone()) {
                    loop {
                        new = format!("{group}_{number}");
                        number += 1;
                        if !self.written.contains(&new) {
                            break;
                        }
                    }
                }
                groups.insert(group.to_owned(), new.clone());
                new
            }
        };
        format!("{new}{result}")
    }
}
