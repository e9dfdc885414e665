//! Values of terms about arrays and functions, and the comparison of all terms of all classes by them.

use super::shipped;
use Value::{Array, Function, Number, Pair, Unknown};
use egraph::{EGraph, Limits, SaturationConfig, TermBank, TermId, saturate};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::rc::Rc;

/// The elements by which arrays are compared.
const ELEMENTS: [i128; 3] = [-1, 1, 37];

#[derive(Clone)]
pub enum Value {
    Number(i128),
    /// Without an end, in both directions.
    Array(Rc<dyn Fn(i128) -> Value>),
    Pair(Rc<(Value, Value)>),
    Function(Rc<dyn Fn(&Value) -> Value>),
    /// A free variable: a number, an array or a pair, as it is used. The elements of its parts are the parts of
    /// its elements.
    Unknown {
        element: u64,
        part: u64,
    },
}

impl Value {
    pub fn number(&self) -> i128 {
        match self {
            Number(n) => *n,
            Unknown { element, part: 0 } => i128::from(element % 7) - 3,
            Unknown { element, part } => i128::from(mixed(element ^ mixed(*part)) % 7) - 3,
            _ => panic!("something else as a number"),
        }
    }

    pub fn get(&self, i: i128) -> Value {
        match self {
            Array(element) => element(i),
            Pair(parts) => pair(parts.0.get(i), parts.1.get(i)),
            Unknown { element, part } => {
                Unknown { element: mixed(*element ^ (i as u64).wrapping_add(0x9e37)), part: *part }
            }
            Number(_) | Function(_) => panic!("something else as an array"),
        }
    }

    /// A part of a pair, or the array of the parts of pairs.
    pub fn part(&self, second: bool) -> Value {
        match self {
            Pair(parts) if second => parts.1.clone(),
            Pair(parts) => parts.0.clone(),
            Array(element) => {
                let element = element.clone();
                array(move |i| element(i).part(second))
            }
            Unknown { element, part } => {
                Unknown { element: *element, part: 2 * part + 1 + u64::from(second) }
            }
            Number(_) | Function(_) => panic!("something else as a pair"),
        }
    }

    pub fn call(&self, argument: &Value) -> Value {
        match self {
            Function(f) => f(argument),
            _ => panic!("something else as a function"),
        }
    }

    fn is(&self, other: &Value) -> bool {
        match (self, other) {
            (Unknown { element, part }, Unknown { element: other_element, part: other_part }) => {
                (element, part) == (other_element, other_part)
            }
            (Function(f), Function(g)) => {
                let argument = Unknown { element: mixed(5), part: 0 };
                f(&argument).is(&g(&argument))
            }
            (Number(_), Array(_) | Pair(_)) | (Array(_) | Pair(_), Number(_)) => false,
            (Pair(_), _) | (_, Pair(_)) => {
                [false, true].iter().all(|&second| self.part(second).is(&other.part(second)))
            }
            (Array(_), _) | (_, Array(_)) => {
                ELEMENTS.iter().all(|&i| self.get(i).is(&other.get(i)))
            }
            _ => self.number() == other.number(),
        }
    }
}

pub fn mixed(seed: u64) -> u64 {
    let seed = (seed ^ (seed >> 31)).wrapping_mul(0x7fb5_d329_728e_a185);
    (seed ^ (seed >> 27)).wrapping_mul(0x81da_def4_bc2d_d44d) >> 8
}

/// What the variable `name` stands for.
pub fn unknown(name: &str, seed: u64) -> Value {
    Unknown { element: name.bytes().fold(seed, |seed, b| mixed(seed ^ u64::from(b))), part: 0 }
}

pub fn array(element: impl Fn(i128) -> Value + 'static) -> Value {
    Array(Rc::new(element))
}

/// The columns of an array of arrays.
pub fn transposed(x: &Value) -> Value {
    let x = x.clone();
    array(move |i| {
        let x = x.clone();
        array(move |j| x.get(j).get(i))
    })
}

pub fn pair(first: Value, second: Value) -> Value {
    Pair(Rc::new((first, second)))
}

pub fn function(f: impl Fn(&Value) -> Value + 'static) -> Value {
    Function(Rc::new(f))
}

/// Asserts that in e-graphs of at most `nodes` e-nodes grown from the seeds of a shipped system all terms of a class
/// have the same values, and that each rule made something equal. `values` is given a bank and the number of an
/// assignment of the variables.
///
/// Returns how many pairs of terms were compared.
pub fn assert_classes_have_one_value<V: Fn(TermId) -> Value>(
    name: &str,
    nodes: usize,
    values: impl Fn(&TermBank, u64) -> V,
) -> u32 {
    let system = shipped(name);
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../configs/seeds/{name}.txt"));
    let seeds = std::fs::read_to_string(seeds).unwrap();
    let mut compared = 0;
    let mut unused: BTreeSet<&str> = system.rules.iter().map(|rule| rule.name.as_str()).collect();
    for start in seeds.lines().filter(|line| line.starts_with('(')) {
        let mut bank = TermBank::new(system.language.clone());
        let term = bank.parse(start, None).unwrap();
        let mut egraph = EGraph::new(system.clone());
        egraph.add_term(&bank, term);
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let config = SaturationConfig { limits, ..SaturationConfig::default() };
        let report = saturate(&mut egraph, &config, &mut |_, _| ControlFlow::Continue(()));
        for totals in report.rules.iter().filter(|totals| totals.unions > 0) {
            unused.remove(system.rule(totals.rule).name.as_str());
        }
        let classes: Vec<Vec<TermId>> = egraph
            .classes()
            .map(|class| egraph.nodes(class).iter().map(|&n| egraph.term(&mut bank, n)).collect())
            .collect();
        for seed in 1..4 {
            let value_of = values(&bank, seed);
            for terms in &classes {
                let terms = || terms.iter().filter(|&&t| bank.size(t) < 60).take(8);
                let Some(&first) = terms().next() else { continue };
                let value = value_of(first);
                for &t in terms() {
                    let (left, right) = (bank.text(first), bank.text(t));
                    assert!(value.is(&value_of(t)), "{start}: {left} and {right}");
                    compared += u32::from(t != first);
                }
            }
        }
    }
    assert!(unused.is_empty(), "made nothing equal: {unused:?}");
    compared
}
