//! What `idioms.rules` makes equal is equal: all terms of all classes of e-graphs grown from its seeds have
//! the same values, by an evaluator that knows the loops and the library, and no rule.

use crate::common::values::{Value, array, assert_classes_have_one_value, transposed, unknown};
use Value::Number;
use egraph::Value as Literal;
use egraph::{Leaf, LeafValue, Node, TermBank, TermId};
use std::rc::Rc;

/// The sum of products of l × k elements with those of `x` from (i, j) on.
fn window(l: i128, k: i128, w: &Value, x: &Value, i: i128, j: i128) -> i128 {
    let row = |p| (0..k).map(move |q| w.get(p).get(q).number() * x.get(i + p).get(j + q).number());
    (0..l).flat_map(row).sum()
}

struct Meaning {
    bank: TermBank,
    seed: u64,
}

impl Meaning {
    fn leaf(&self, leaf: &Leaf, bound: &[Value]) -> Value {
        let is_int = self.bank.language().sort_name(leaf.sort) == "Int";
        let unknown = |name: &str| match unknown(name, self.seed) {
            // Numbers of rounds are small.
            Value::Unknown { element, .. } if is_int => Number(i128::from(element % 4)),
            other => other,
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
            "transpose" => transposed(&arg(2)),
            "plus" => Number(number(0) + number(1)),
            "from" => {
                let (x, i) = (arg(0), number(1));
                array(move |j| x.get(i + j))
            }
            "dots" => {
                let (l, k, w, x) = (number(0), number(1), arg(2), arg(3));
                Number(window(l, k, &w, &x, number(4), number(5)))
            }
            "conv1d" => {
                let (k, w, x) = (number(1), arg(2), arg(3));
                array(move |i| {
                    Number((0..k).map(|q| w.get(q).number() * x.get(i + q).number()).sum())
                })
            }
            "conv2d" => {
                let (l, k, w, x) = (number(2), number(3), arg(4), arg(5));
                array(move |i| {
                    let (w, x) = (w.clone(), x.clone());
                    array(move |j| Number(window(l, k, &w, &x, i, j)))
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
    let compared = assert_classes_have_one_value("idioms", 800, |bank, seed| {
        let meaning = Rc::new(Meaning { bank: bank.clone(), seed });
        move |t| meaning.of(t, &[])
    });
    assert!(compared > 4_000, "{compared} pairs");
}
