//! What `idioms.rules` makes equal is equal: all terms of all classes of e-graphs grown from its seeds have
//! the same values, by an evaluator that knows the loops and the library, and no rule.

use crate::common;
use egraph::{EGraph, Leaf, LeafValue, Limits, Node, SaturationConfig, TermBank, TermId};
use egraph::{Value as Literal, saturate};
use std::ops::ControlFlow;
use std::path::Path;
use std::rc::Rc;

#[derive(Clone)]
enum Value {
    Number(i128),
    Array(Rc<dyn Fn(i128) -> Value>),
    /// A free variable, or an element of one: a number or an array, as it is used.
    Unknown(u64),
}
use Value::{Array, Number, Unknown};

impl Value {
    fn number(&self) -> i128 {
        match self {
            Number(n) => *n,
            Unknown(seed) => i128::from(seed % 7) - 3,
            Array(_) => panic!("an array as a number"),
        }
    }

    fn get(&self, i: i128) -> Value {
        match self {
            Array(element) => element(i),
            Unknown(seed) => Unknown(mixed(*seed ^ (i as u64).wrapping_add(0x9e37))),
            Number(_) => panic!("a number as an array"),
        }
    }

    fn is(&self, other: &Value) -> bool {
        match (self, other) {
            (Unknown(a), Unknown(b)) => a == b,
            (Array(_), _) | (_, Array(_)) => (-1..3).all(|i| self.get(i).is(&other.get(i))),
            _ => self.number() == other.number(),
        }
    }
}

fn mixed(seed: u64) -> u64 {
    let seed = (seed ^ (seed >> 31)).wrapping_mul(0x7fb5_d329_728e_a185);
    (seed ^ (seed >> 27)).wrapping_mul(0x81da_def4_bc2d_d44d) >> 8
}

fn array(element: impl Fn(i128) -> Value + 'static) -> Value {
    Array(Rc::new(element))
}

struct Meaning {
    bank: TermBank,
    seed: u64,
}

impl Meaning {
    fn leaf(&self, leaf: &Leaf, bound: &[Value]) -> Value {
        let is_int = self.bank.language().sort_name(leaf.sort) == "Int";
        let unknown = |name: &str| {
            let seed = name.bytes().fold(self.seed, |seed, b| mixed(seed ^ u64::from(b)));
            // Numbers of rounds are small.
            if is_int { Number(i128::from(seed % 4)) } else { Unknown(seed) }
        };
        match &leaf.value {
            LeafValue::Literal(Literal::Int(n)) => Number((*n).into()),
            LeafValue::Bound(index) => match bound.iter().rev().nth(*index as usize) {
                Some(value) => value.clone(),
                None => unknown(&format!("%{}", *index as usize - bound.len())),
            },
            _ => unknown(&leaf.to_string()),
        }
    }

    fn of(self: &Rc<Self>, t: TermId, bound: &[Value]) -> Value {
        let op = match self.bank.node(t) {
            Node::Leaf(leaf) => return self.leaf(leaf, bound),
            Node::Op(op) => self.bank.language().op(op).name.as_str(),
        };
        let children = self.bank.children(t).to_vec();
        let under = |t: TermId, more: Value| self.of(t, &[bound, &[more]].concat());
        let arg = |i: usize| self.of(children[i], bound);
        let number = |i: usize| arg(i).number();
        let dot = |n: i128, x: &Value, y: &Value| -> i128 {
            (0..n).map(|i| x.get(i).number() * y.get(i).number()).sum()
        };
        match op {
            "+" => Number(number(0) + number(1)),
            "*" => Number(number(0) * number(1)),
            "get" => arg(0).get(number(1)),
            "build" => {
                let (this, bound) = (self.clone(), bound.to_vec());
                array(move |i| this.of(children[1], &[&bound[..], &[Number(i)]].concat()))
            }
            "ifold" => (0..number(0)).fold(arg(1), |sum, i| {
                // A step binds the value so far in its only argument.
                let step = self.bank.children(children[2])[0];
                let bound = [bound, &[Number(i), sum]].concat();
                self.of(step, &bound)
            }),
            "step" => under(children[0], Number(2)),
            "dot" => Number(dot(number(0), &arg(1), &arg(2))),
            "axpy" => {
                let (a, x, y) = (number(1), arg(2), arg(3));
                array(move |i| Number(a * x.get(i).number() + y.get(i).number()))
            }
            "gemv" => {
                let (n, a, m, x, b, y) = (number(1), number(2), arg(3), arg(4), number(5), arg(6));
                array(move |i| {
                    let row = m.get(i);
                    let sum: i128 = (0..n).map(|j| row.get(j).number() * x.get(j).number()).sum();
                    Number(a * sum + b * y.get(i).number())
                })
            }
            "gemm" => {
                let (k, a, x, y, b, z) = (number(2), number(3), arg(4), arg(5), number(6), arg(7));
                array(move |i| {
                    let (x, y, z) = (x.get(i), y.clone(), z.get(i));
                    array(move |j| {
                        let y = y.get(j);
                        let sum: i128 = (0..k).map(|l| x.get(l).number() * y.get(l).number()).sum();
                        Number(a * sum + b * z.get(j).number())
                    })
                })
            }
            "transpose" => {
                let x = arg(2);
                array(move |i| {
                    let x = x.clone();
                    array(move |j| x.get(j).get(i))
                })
            }
            "zeros" => array(|_| Number(0)),
            "zero-rows" => array(|_| array(|_| Number(0))),
            other => panic!("{other} is not evaluated"),
        }
    }
}

#[test]
fn equal_terms_have_equal_values() {
    let system = common::shipped("idioms");
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs/seeds/idioms.txt");
    let seeds = std::fs::read_to_string(seeds).unwrap();
    let mut compared = 0;
    for start in seeds.lines().filter(|line| line.starts_with('(')) {
        let mut bank = TermBank::new(system.language.clone());
        let term = bank.parse(start, None).unwrap();
        let mut egraph = EGraph::new(system.clone());
        egraph.add_term(&bank, term);
        let limits = Limits { nodes: Some(800), ..Limits::default() };
        let config = SaturationConfig { limits, ..SaturationConfig::default() };
        saturate(&mut egraph, &config, &mut |_, _| ControlFlow::Continue(()));
        let classes: Vec<Vec<TermId>> = egraph
            .classes()
            .map(|class| egraph.nodes(class).iter().map(|&n| egraph.term(&mut bank, n)).collect())
            .collect();
        for seed in 1..4 {
            let meaning = Rc::new(Meaning { bank: bank.clone(), seed });
            for terms in &classes {
                let terms = || terms.iter().filter(|&&t| bank.size(t) < 60).take(8);
                let Some(&first) = terms().next() else { continue };
                let value = meaning.of(first, &[]);
                for &t in terms() {
                    let (left, right) = (bank.text(first), bank.text(t));
                    assert!(value.is(&meaning.of(t, &[])), "{start}: {left} and {right}");
                    compared += u32::from(t != first);
                }
            }
        }
    }
    assert!(compared > 4_000, "{compared} pairs");
}
