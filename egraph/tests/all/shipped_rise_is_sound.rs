//! What `rise.rules` makes equal is equal: all terms of all classes of e-graphs grown from its seeds have the same
//! values, by an evaluator that knows the loops and the moves of elements, and no rule.

use crate::common::values::{
    Value, array, assert_classes_have_one_value, function, pair, transposed, unknown,
};
use Value::Number;
use egraph::Value as Literal;
use egraph::{LeafValue, Node, TermBank, TermId};
use std::rc::Rc;

struct Meaning {
    bank: TermBank,
    seed: u64,
}

fn chunks(x: &Value, c: i128) -> Value {
    let x = x.clone();
    array(move |i| {
        let x = x.clone();
        array(move |j| x.get(i * c + j))
    })
}

fn joined(x: &Value, c: i128) -> Value {
    let x = x.clone();
    array(move |i| x.get(i.div_euclid(c)).get(i.rem_euclid(c)))
}

fn mapped(f: Value, x: &Value) -> Value {
    let x = x.clone();
    array(move |i| f.call(&x.get(i)))
}

impl Meaning {
    fn of(self: &Rc<Self>, t: TermId, bound: &[Value]) -> Value {
        let op = match self.bank.node(t) {
            Node::Leaf(leaf) => {
                return match &leaf.value {
                    LeafValue::Literal(Literal::Int(n)) => Number((*n).into()),
                    LeafValue::Bound(index) => match bound.iter().rev().nth(*index as usize) {
                        Some(value) => value.clone(),
                        None => unknown(&format!("%{}", *index as usize - bound.len()), self.seed),
                    },
                    _ => unknown(&leaf.to_string(), self.seed),
                };
            }
            Node::Op(op) => self.bank.language().op(op).name.as_str(),
        };
        let children = self.bank.children(t).to_vec();
        let arg = |i: usize| self.of(children[i], bound);
        let size = |i: usize| arg(i).number();
        // What the child is where its variable has a value.
        let under = |i: usize| {
            let (this, body, bound) = (self.clone(), children[i], bound.to_vec());
            move |x: &Value| this.of(body, &[&bound[..], std::slice::from_ref(x)].concat())
        };
        let lanewise = |f: fn(i128, i128) -> i128| {
            let (a, b) = (arg(0), arg(1));
            array(move |i| Number(f(a.get(i).number(), b.get(i).number())))
        };
        match op {
            "lam" | "each" => function(under(0)),
            "app" | "at" => arg(0).call(&arg(1)),
            "adds" => {
                let f = arg(0);
                function(move |y| {
                    let more = f.call(y);
                    function(move |s| Number(s.number() + more.number()))
                })
            }
            "map" | "mapPar" | "lanes" => {
                let f = arg(1);
                function(move |x| mapped(f.clone(), x))
            }
            "reduce" | "reduceSeq" | "reduceSeqUnroll" => {
                let (n, op, z) = (size(0), arg(1), arg(2));
                function(move |x| (0..n).fold(z.clone(), |s, i| op.call(&x.get(i)).call(&s)))
            }
            "split" | "asVector" => {
                let c = size(1);
                function(move |x| chunks(x, c))
            }
            "join" | "asScalar" => {
                let c = size(1);
                function(move |x| joined(x, c))
            }
            "transpose" => function(transposed),
            "zip" => {
                let (a, b) = (arg(0), arg(1));
                array(move |i| pair(a.get(i), b.get(i)))
            }
            "fst" => arg(0).part(false),
            "snd" => arg(0).part(true),
            "fill" => {
                let e = arg(1);
                array(move |_| e.clone())
            }
            "toMem" => arg(0),
            "let" => under(1)(&arg(0)),
            "+" => Number(arg(0).number() + arg(1).number()),
            "*" => Number(arg(0).number() * arg(1).number()),
            "v+" => lanewise(|a, b| a + b),
            "v*" => lanewise(|a, b| a * b),
            other => panic!("{other} is not evaluated"),
        }
    }
}

#[test]
fn equal_terms_have_equal_values() {
    let compared = assert_classes_have_one_value("rise", 600, |bank, seed| {
        let meaning = Rc::new(Meaning { bank: bank.clone(), seed });
        move |t| meaning.of(t, &[])
    });
    assert!(compared > 4_000, "{compared} pairs");
}
