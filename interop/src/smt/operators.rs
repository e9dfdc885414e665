//! The formula of each built-in operator, in SMT-LIB 2.
//!
//! Integers are those of mathematics, and that a value fits in 64 bits is a formula of its own; words are bit-vectors,
//! fractions are reals, doubles are of the theory of floating point, with one zero.

use super::conjunctions::Conjunctions;
use super::hints::{Division, word_facts};
use super::statement::kind_of;
use egraph::{Builtin, Expr, LiteralKind, Value, Width};
use rustc_hash::FxHashMap;

/// Formulas over the variables `v0`, `v1`, …, each named once: `n0`, `n1`, ….
pub(super) struct Formulas<'k> {
    kinds: &'k [LiteralKind],
    /// Definitions, a line each, and the names of what is defined.
    pub definitions: Vec<String>,
    known: FxHashMap<String, String>,
    /// Divisions of integers by what is no literal.
    pub divisions: Vec<Division>,
    /// Products of integers.
    pub products: Vec<[String; 2]>,
    /// Facts about divisions of words.
    pub facts: Vec<String>,
    /// Whether words that are combined bit by bit are written as sums, and what the names of such stand for.
    sums: bool,
    conjunctions: FxHashMap<String, Conjunctions>,
    /// The sums and products that are combined bit by bit, with their widths.
    pub combined: Vec<(String, u32)>,
}

/// What an expression comes to.
#[derive(Default)]
pub(super) struct Formula {
    /// Its value.
    pub value: String,
    /// All of these hold where it has a value.
    pub defined: Vec<String>,
    /// All of these hold where its parts and itself fit.
    pub fits: Vec<String>,
    /// The same of doubles, where they have values at all: there is none beyond those that fit.
    pub finite: Vec<String>,
}

/// The powers of two that integers are shifted by.
const POWERS: &str = "power";
/// An integer as an amount to shift a word of N bits by, at most N.
const AMOUNT: &str = "amount";

impl<'k> Formulas<'k> {
    pub fn new(kinds: &'k [LiteralKind], sums: bool) -> Formulas<'k> {
        let (definitions, known) = (Vec::new(), FxHashMap::default());
        Formulas {
            kinds,
            definitions,
            known,
            divisions: Vec::new(),
            products: Vec::new(),
            facts: Vec::new(),
            sums,
            conjunctions: FxHashMap::default(),
            combined: Vec::new(),
        }
    }

    /// The formula of an expression.
    ///
    /// # Errors
    /// The operator that has none.
    pub fn of(&mut self, expr: &Expr) -> Result<Formula, String> {
        let (operator, args) = match expr {
            Expr::Value(value) => {
                return Ok(Formula { value: literal(*value), ..Formula::default() });
            }
            Expr::Var(var) => {
                return Ok(Formula { value: format!("v{}", var.0), ..Formula::default() });
            }
            Expr::Apply(operator, args) => (*operator, args),
        };
        let mut made = Formula::default();
        let mut values: Vec<String> = Vec::new();
        for arg in args {
            let of_arg = self.of(arg)?;
            values.push(of_arg.value);
            made.defined.extend(of_arg.defined);
            made.fits.extend(of_arg.fits);
            made.finite.extend(of_arg.finite);
        }
        let name = operator.name();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let kinds: Vec<LiteralKind> = args.iter().map(|arg| kind_of(arg, self.kinds)).collect();
        let value = match (kinds.first(), kinds.get(1)) {
            (Some(LiteralKind::I64), _) => self.integer(name, &values, &mut made),
            (Some(LiteralKind::Bool), _) => truth(operator, &values),
            (Some(LiteralKind::Rational), _) => fraction(name, &values, &mut made),
            (Some(LiteralKind::F64), _) => double(name, &values, &mut made),
            (Some(LiteralKind::Bits(width)), Some(LiteralKind::I64)) => {
                self.shift(name, &values, width.bits(), &mut made)
            }
            (Some(LiteralKind::Bits(width)), _) => {
                if let ("/" | "%", [a, b]) = (name, &values[..]) {
                    self.facts.extend(word_facts(a, b, width.bits()));
                }
                match self.bit_by_bit(name, &values, *width) {
                    Some(named) => return Ok(Formula { value: named, ..made }),
                    None => word(operator, &values, *width),
                }
            }
            (None, _) => None,
        };
        let kind = kind_of(expr, self.kinds);
        let value = value.ok_or_else(|| match kinds.first() {
            Some(kind) => format!("{operator} on {kind} has no formula"),
            None => format!("{operator} has no formula"),
        })?;
        made.value = self.define(kind, value);
        match kind {
            LiteralKind::I64 if !matches!(name, "%" | "min" | "max" | ">>") => {
                made.fits.push(fits(&made.value));
            }
            LiteralKind::F64 => {
                let value = &made.value;
                let finite = format!("(not (or (fp.isNaN {value}) (fp.isInfinite {value})))");
                made.finite.push(match all(made.defined.clone()) {
                    None => finite,
                    Some(defined) => format!("(=> {defined} {finite})"),
                });
            }
            _ => {}
        }
        Ok(made)
    }

    /// The name of a bit-wise operator's value as a sum of conjunctions, where such are wanted.
    fn bit_by_bit(&mut self, name: &str, args: &[&str], width: Width) -> Option<String> {
        if !self.sums {
            return None;
        }
        let known = |arg: &&str| match self.conjunctions.get(*arg) {
            Some(known) => known.clone(),
            None if **arg == literal(Value::word(width, 0)) => Conjunctions::zero(),
            None if **arg == literal(Value::word(width, -1)) => Conjunctions::ones(),
            None => Conjunctions::word(arg),
        };
        let parts: Vec<Conjunctions> = args.iter().map(known).collect();
        let sum = Conjunctions::apply(name, &parts.iter().collect::<Vec<_>>())?;
        for arg in args.iter().filter(|arg| arg.starts_with('n')) {
            let combined = ((*arg).to_owned(), width.bits());
            if !self.conjunctions.contains_key(*arg) && !self.combined.contains(&combined) {
                self.combined.push(combined);
            }
        }
        let named = self.define(LiteralKind::Bits(width), sum.formula(width.bits()));
        self.conjunctions.insert(named.clone(), sum);
        Some(named)
    }

    /// A name for a value, so that no formula is written twice, however often it occurs.
    fn define(&mut self, kind: LiteralKind, value: String) -> String {
        if let Some(name) = self.known.get(&value) {
            return name.clone();
        }
        let name = format!("n{}", self.known.len());
        self.definitions.push(format!("(define-fun {name} () {} {value})", sort(kind)));
        self.known.insert(value, name.clone());
        name
    }

    /// A function on integers, defined where it is first used: `value` of `n` from 0 on, and `beyond`.
    fn table(&mut self, name: &str, result: &str, values: &[String], beyond: &str) {
        if self.known.contains_key(name) {
            return;
        }
        let mut body = String::new();
        for (n, value) in values.iter().enumerate() {
            body += &format!("(ite (= n {n}) {value} ");
        }
        body += &format!("{beyond}{}", ")".repeat(values.len()));
        self.definitions.push(format!("(define-fun {name} ((n Int)) {result} {body})"));
        self.known.insert(name.to_owned(), name.to_owned());
    }

    fn power(&mut self, amount: &str) -> String {
        if let Ok(known @ 0..64) = amount.parse::<u32>() {
            return (1u128 << known).to_string();
        }
        let powers: Vec<String> = (0..64u32).map(|n| (1u128 << n).to_string()).collect();
        self.table(POWERS, "Int", &powers, "0");
        format!("({POWERS} {amount})")
    }

    fn integer(&mut self, name: &str, args: &[&str], made: &mut Formula) -> Option<String> {
        Some(match (name, args) {
            ("+" | "-", [a, b]) => format!("({name} {a} {b})"),
            ("*", [a, b]) => {
                let product = [(*a).to_owned(), (*b).to_owned()];
                if !self.products.contains(&product) {
                    self.products.push(product);
                }
                format!("(* {a} {b})")
            }
            // Division in SMT-LIB is Euclidean, too, but for that by zero.
            ("/" | "%", [a, b]) => {
                let name = if name == "/" { "div" } else { "mod" };
                match b.bytes().all(|c| c.is_ascii_digit()) && *b != "0" {
                    true => format!("({name} {a} {b})"),
                    false => {
                        let value = format!("(ite (= {b} 0) 0 ({name} {a} {b}))");
                        self.divided(a, b, (name == "mod").then_some(&value));
                        value
                    }
                }
            }
            ("<<" | ">>", [a, b]) => {
                made.defined.push(format!("(<= 0 {b} 63)"));
                let (name, power) = (if name == "<<" { "*" } else { "div" }, self.power(b));
                format!("({name} {a} {power})")
            }
            ("-", [a]) => format!("(- {a})"),
            ("abs", [a]) => format!("(ite (<= 0 {a}) {a} (- {a}))"),
            _ => return ordered(name, args),
        })
    }

    /// Notes a division, whose remainder may be what the rule speaks of.
    fn divided(&mut self, a: &str, b: &str, remainder: Option<&String>) {
        let remainder = remainder.map(|value| self.define(LiteralKind::I64, value.clone()));
        match self.divisions.iter_mut().find(|known| known.a == a && known.b == b) {
            Some(known) => known.remainder = remainder.or(known.remainder.take()),
            None => {
                self.divisions.push(Division { a: a.to_owned(), b: b.to_owned(), remainder });
            }
        }
    }

    /// A word shifted by an integer.
    fn shift(
        &mut self,
        name: &str,
        args: &[&str],
        width: u32,
        made: &mut Formula,
    ) -> Option<String> {
        let operator = match name {
            "shl" => "bvshl",
            "shr" => "bvlshr",
            _ => return None,
        };
        let [a, b] = args else { return None };
        made.defined.push(format!("(<= 0 {b})"));
        let words: Vec<String> = (0..width).map(|n| format!("(_ bv{n} {width})")).collect();
        let table = format!("{AMOUNT}{width}");
        self.table(
            &table,
            &format!("(_ BitVec {width})"),
            &words,
            &format!("(_ bv{width} {width})"),
        );
        Some(format!("({operator} {a} ({table} {b}))"))
    }
}

/// That an integer is one of 64 bits.
pub(super) fn fits(value: &str) -> String {
    format!("(<= (- {}) {value} {})", 1u128 << 63, i64::MAX)
}

/// What all ordered kinds have, with the operators of integers and reals.
fn ordered(name: &str, args: &[&str]) -> Option<String> {
    let [a, b] = args else { return None };
    Some(match name {
        "min" => format!("(ite (<= {a} {b}) {a} {b})"),
        "max" => format!("(ite (<= {a} {b}) {b} {a})"),
        "<" | "<=" | ">" | ">=" => format!("({name} {a} {b})"),
        _ => return equal(name, args),
    })
}

fn equal(name: &str, args: &[&str]) -> Option<String> {
    let [a, b] = args else { return None };
    match name {
        "==" => Some(format!("(= {a} {b})")),
        "!=" => Some(format!("(not (= {a} {b}))")),
        _ => None,
    }
}

fn truth(operator: Builtin, args: &[&str]) -> Option<String> {
    let name = operator.name();
    match (name, args) {
        ("&&", [a, b]) => Some(format!("(and {a} {b})")),
        ("||", [a, b]) => Some(format!("(or {a} {b})")),
        ("!", [a]) => Some(format!("(not {a})")),
        ("select", [c, a, b]) => Some(format!("(ite {c} {a} {b})")),
        (_, [a]) => {
            let width = operator.width()?;
            let truth = if name == "sext" { -1 } else { 1 };
            let [one, zero] = [truth, 0].map(|n| literal(Value::word(width, n)));
            Some(format!("(ite {a} {one} {zero})"))
        }
        _ => equal(name, args),
    }
}

fn fraction(name: &str, args: &[&str], made: &mut Formula) -> Option<String> {
    Some(match (name, args) {
        ("+" | "-" | "*", [a, b]) => format!("({name} {a} {b})"),
        ("/", [a, b]) => {
            made.defined.push(format!("(not (= {b} 0.0))"));
            format!("(/ {a} {b})")
        }
        ("-", [a]) => format!("(- {a})"),
        ("abs", [a]) => format!("(ite (<= 0.0 {a}) {a} (- {a}))"),
        _ => return ordered(name, args),
    })
}

fn double(name: &str, args: &[&str], made: &mut Formula) -> Option<String> {
    // -0.0 is 0.0: adding 0.0 makes it so, and changes nothing else.
    let one_zero = |value: String| format!("(fp.add RNE {value} (_ +zero 11 53))");
    Some(match (name, args) {
        ("+" | "-" | "*" | "/", [a, b]) => {
            let operator = match name {
                "+" => "fp.add",
                "-" => "fp.sub",
                "*" => "fp.mul",
                _ => "fp.div",
            };
            if name == "/" {
                made.defined.push(format!("(not (fp.isZero {b}))"));
            }
            one_zero(format!("({operator} RNE {a} {b})"))
        }
        ("-", [a]) => one_zero(format!("(fp.neg {a})")),
        ("abs", [a]) => format!("(fp.abs {a})"),
        ("min", [a, b]) => format!("(ite (fp.leq {a} {b}) {a} {b})"),
        ("max", [a, b]) => format!("(ite (fp.leq {a} {b}) {b} {a})"),
        ("<", [a, b]) => format!("(fp.lt {a} {b})"),
        ("<=", [a, b]) => format!("(fp.leq {a} {b})"),
        (">", [a, b]) => format!("(fp.gt {a} {b})"),
        (">=", [a, b]) => format!("(fp.geq {a} {b})"),
        _ => return equal(name, args),
    })
}

fn word(builtin: Builtin, args: &[&str], width: Width) -> Option<String> {
    let (name, bits) = (builtin.name(), width.bits());
    let operator = match (name, args) {
        ("+", [_, _]) => "bvadd",
        ("-", [_, _]) => "bvsub",
        ("*", [_, _]) => "bvmul",
        ("/", [_, _]) => "bvudiv",
        ("%", [_, _]) => "bvurem",
        ("/s", [_, _]) => "bvsdiv",
        ("%s", [_, _]) => "bvsrem",
        ("&" | "and", [_, _]) => "bvand",
        ("|" | "or", [_, _]) => "bvor",
        ("^" | "xor", [_, _]) => "bvxor",
        ("<<", [_, _]) => "bvshl",
        (">>", [_, _]) => "bvlshr",
        (">>s", [_, _]) => "bvashr",
        ("<", [_, _]) => "bvult",
        ("<=", [_, _]) => "bvule",
        (">", [_, _]) => "bvugt",
        (">=", [_, _]) => "bvuge",
        ("<s", [_, _]) => "bvslt",
        ("<=s", [_, _]) => "bvsle",
        (">s", [_, _]) => "bvsgt",
        (">=s", [_, _]) => "bvsge",
        ("concat", [_, _]) => "concat",
        ("-" | "neg", [_]) => "bvneg",
        ("~" | "not", [_]) => "bvnot",
        ("min", [a, b]) => return Some(format!("(ite (bvule {a} {b}) {a} {b})")),
        ("max", [a, b]) => return Some(format!("(ite (bvule {a} {b}) {b} {a})")),
        ("mins", [a, b]) => return Some(format!("(ite (bvsle {a} {b}) {a} {b})")),
        ("maxs", [a, b]) => return Some(format!("(ite (bvsle {a} {b}) {b} {a})")),
        ("rotl", [a, b]) => return Some(rotated(["bvshl", "bvlshr"], a, b, bits)),
        ("rotr", [a, b]) => return Some(rotated(["bvlshr", "bvshl"], a, b, bits)),
        ("popcount", [a]) => {
            let ones = (0..bits).map(|bit| if_set(a, bit, "1", "0", bits));
            return ones.reduce(|sum, bit| format!("(bvadd {sum} {bit})"));
        }
        // The first bit that is set, from one end, decides.
        ("clz", [a]) => return Some(first_set(a, (0..bits).map(|n| bits - 1 - n), bits)),
        ("ctz", [a]) => return Some(first_set(a, 0..bits, bits)),
        (_, [a]) => {
            let to = builtin.width()?.bits();
            return Some(match name {
                "zext" => format!("((_ zero_extend {}) {a})", to - bits),
                "sext" => format!("((_ sign_extend {}) {a})", to - bits),
                "trunc" => format!("((_ extract {} 0) {a})", to - 1),
                "extract" => {
                    let low = builtin.low()?;
                    format!("((_ extract {} {low}) {a})", low + to - 1)
                }
                _ => return None,
            });
        }
        _ => return equal(name, args),
    };
    Some(format!("({operator} {})", args.join(" ")))
}

/// `a` shifted by the first operator, with what falls out put in at the other end by the second.
fn rotated([there, back]: [&str; 2], a: &str, amount: &str, bits: u32) -> String {
    let width = format!("(_ bv{bits} {bits})");
    // One bit has no word for its width, and nothing to rotate.
    if bits == 1 {
        return a.to_owned();
    }
    let amount = format!("(bvurem {amount} {width})");
    format!("(bvor ({there} {a} {amount}) ({back} {a} (bvsub {width} {amount})))")
}

fn if_set(word: &str, bit: u32, then: &str, otherwise: &str, bits: u32) -> String {
    let number = |text: &str| match text.parse::<u32>() {
        Ok(n) => literal(Value::word(Width::new(bits.into()).expect("a width"), n.into())),
        Err(_) => text.to_owned(),
    };
    let (then, otherwise) = (number(then), number(otherwise));
    format!("(ite (= ((_ extract {bit} {bit}) {word}) #b1) {then} {otherwise})")
}

/// How many bits come before the first that is set.
fn first_set(word: &str, order: impl DoubleEndedIterator<Item = u32>, bits: u32) -> String {
    let all: Vec<u32> = order.collect();
    let none = literal(Value::word(Width::new(bits.into()).expect("a width"), bits.into()));
    all.iter()
        .enumerate()
        .rev()
        .fold(none, |rest, (before, bit)| if_set(word, *bit, &before.to_string(), &rest, bits))
}

/// All of these, unless there are none.
pub(super) fn all(mut formulas: Vec<String>) -> Option<String> {
    formulas.dedup();
    match &formulas[..] {
        [] => None,
        [one] => Some(one.clone()),
        all => Some(format!("(and {})", all.join(" "))),
    }
}

/// The sort of a kind.
pub(super) fn sort(kind: LiteralKind) -> String {
    match kind {
        LiteralKind::I64 => "Int".to_owned(),
        LiteralKind::Bool => "Bool".to_owned(),
        LiteralKind::Rational => "Real".to_owned(),
        LiteralKind::F64 => "(_ FloatingPoint 11 53)".to_owned(),
        LiteralKind::Bits(width) => format!("(_ BitVec {})", width.bits()),
    }
}

fn literal(value: Value) -> String {
    let whole = |n: i64, point: &str| match n {
        0.. => format!("{n}{point}"),
        _ => format!("(- {}{point})", n.unsigned_abs()),
    };
    match value {
        Value::Int(n) => whole(n, ""),
        Value::Bool(truth) => truth.to_string(),
        Value::Rational(r) if r.denominator() == 1 => whole(r.numerator(), ".0"),
        Value::Rational(r) => format!("(/ {} {}.0)", whole(r.numerator(), ".0"), r.denominator()),
        Value::Float(x) => format!("((_ to_fp 11 53) #x{:016x})", x.value().to_bits()),
        Value::Bits(word) => format!("(_ bv{} {})", word.value(), word.width().bits()),
    }
}
