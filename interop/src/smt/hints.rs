//! Facts of arithmetic that solvers do not find where divisors are unknown numbers.
//!
//! Each is true of all integers, whatever a rule says, so that a query with them has the same answer. What is missing
//! without them is mostly that a quotient is the only one: where |b·k| is less than |b|, k is zero.

/// A division by what is no literal: of `a` by `b`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Division {
    pub a: String,
    pub b: String,
    /// The name of its remainder, where the rule speaks of it.
    pub remainder: Option<String>,
}

impl Division {
    fn quotient(&self) -> String {
        format!("(div {} {})", self.a, self.b)
    }

    fn leaves(&self, value: &str) -> bool {
        self.remainder.as_deref() == Some(value)
    }

    fn remainder(&self) -> String {
        format!("(mod {} {})", self.a, self.b)
    }
}

/// More facts than these are a burden.
const MOST: usize = 400;

/// Facts about divisions and products, each a formula that is true of all integers.
pub(super) fn hints(divisions: &[Division], products: &[[String; 2]]) -> Vec<String> {
    let mut facts: Vec<String> = Vec::new();
    let mut add = |fact: String| {
        if !facts.contains(&fact) && facts.len() < MOST {
            facts.push(fact);
        }
    };
    for division in divisions {
        let Division { a, b, .. } = division;
        let (q, r) = (division.quotient(), division.remainder());
        add(format!(
            "(or (= {b} 0) (and (= {a} (+ (* {b} {q}) {r})) (<= 0 {r}) (< {r} (abs {b}))))"
        ));
    }
    let factors: Vec<&String> = products.iter().flatten().collect();
    for division in divisions {
        let (b, r) = (&division.b, division.remainder());
        for f in &factors {
            // 0 ≤ r ≤ |b| − 1, f times.
            add(format!(
                "(or (= {b} 0) (< {f} 0) (and (<= 0 (* {f} {r})) (<= (* {f} {r}) (- (* {f} (abs {b})) {f}))))"
            ));
        }
    }
    for [f, g] in products {
        for (f, g) in [(f, g), (g, f)] {
            for Division { a, b, .. } in divisions.iter().filter(|division| division.a == *g) {
                let (q, r) = (format!("(div {a} {b})"), format!("(mod {a} {b})"));
                add(format!("(or (= {b} 0) (= (* {f} {g}) (+ (* {b} (* {f} {q})) (* {f} {r}))))"));
            }
        }
    }
    for division in divisions {
        let (b, quotient) = (&division.b, division.quotient());
        let multiples = multiples(division, divisions, products);
        let others = divisions.iter().filter(|other| *other != division);
        let mut differences: Vec<String> = Vec::new();
        for m in others.map(Division::quotient).chain(multiples.iter().cloned()) {
            differences.push(format!("(- {quotient} {m})"));
        }
        for i in 0..differences.len() {
            for m in &multiples {
                differences.push(format!("(- {} {m})", differences[i]));
                differences.push(format!("(+ {} {m})", differences[i]));
            }
        }
        for k in &differences {
            add(format!("(or (= {k} 0) (<= (abs {b}) (abs (* {b} {k}))))"));
        }
        // A divisor that is itself divided.
        for other in divisions.iter().filter(|other| other.a == *b) {
            let (d, q, r) = (&other.b, other.quotient(), other.remainder());
            for k in divisions.iter().map(Division::quotient) {
                add(format!("(or (= {d} 0) (= (* {b} {k}) (+ (* {d} (* {q} {k})) (* {r} {k}))))"));
            }
        }
    }
    facts
}

/// What is true of a division of words: what is below the divisor is left as it is.
pub(super) fn word_facts(a: &str, b: &str, width: u32) -> [String; 3] {
    let zero = format!("(_ bv0 {width})");
    [
        format!("(or (= {b} {zero}) (bvult (bvurem {a} {b}) {b}))"),
        format!("(=> (bvult {a} {b}) (= (bvurem {a} {b}) {a}))"),
        format!("(=> (bvult {a} {b}) (= (bvudiv {a} {b}) {zero}))"),
    ]
}

/// Words that add up to that with every bit set have each bit in one of them.
pub(super) fn complements(combined: &[(String, u32)]) -> Vec<String> {
    let mut facts = Vec::new();
    for (i, (a, width)) in combined.iter().enumerate() {
        for (b, _) in combined[..i].iter().filter(|(_, other)| other == width) {
            let ones = u64::MAX >> (64 - width);
            facts
                .push(format!("(=> (= (bvadd {a} {b}) (_ bv{ones} {width})) (= {a} (bvnot {b})))"));
        }
    }
    facts.truncate(MOST);
    facts
}

/// Numbers by which a divisor is multiplied somewhere, remainders left out.
fn multiples(division: &Division, divisions: &[Division], products: &[[String; 2]]) -> Vec<String> {
    let b = &division.b;
    let mut found: Vec<String> = Vec::new();
    let by_b = || divisions.iter().filter(|other| other.b == *b);
    for [f, g] in products {
        for (f, g) in [(f, g), (g, f)] {
            if f == b {
                found.push(g.clone());
            }
            // A multiple of what is divided by it, or of what is left of that.
            for other in by_b().filter(|other| *f == other.a || other.leaves(f)) {
                found.push(format!("(* {g} {})", other.quotient()));
            }
        }
    }
    for other in by_b().filter(|other| *other != division) {
        found.push(other.quotient());
        // What is divided by a multiple of it.
        for more in divisions.iter().filter(|more| more.b == other.a) {
            found.push(format!("(* {} {})", more.quotient(), other.quotient()));
        }
    }
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smt::{Statement, go_through};
    use egraph::{Sexpr, System, parse_one};
    use std::sync::atomic::AtomicBool;

    /// The value of a formula over integers; truth values are 0 and 1, and what is divided by zero is 77.
    fn value(sexpr: &Sexpr, numbers: &[i128]) -> i128 {
        if let Some(atom) = sexpr.atom() {
            let variable = atom.strip_prefix('v').map(|n| numbers[n.parse::<usize>().unwrap()]);
            return variable.unwrap_or_else(|| atom.parse().unwrap());
        }
        let [head, args @ ..] = sexpr.list().unwrap() else { panic!("{sexpr:?}") };
        let args: Vec<i128> = args.iter().map(|arg| value(arg, numbers)).collect();
        match (head.atom().unwrap(), &args[..]) {
            ("or", all) => i128::from(all.contains(&1)),
            ("and", all) => i128::from(!all.contains(&0)),
            ("=", [a, b]) => i128::from(a == b),
            ("<", [a, b]) => i128::from(a < b),
            ("<=", [a, b]) => i128::from(a <= b),
            ("+", [a, b]) => a + b,
            ("-", [a, b]) => a - b,
            ("*", [a, b]) => a * b,
            ("abs", [a]) => a.abs(),
            ("div" | "mod", [_, 0]) => 77,
            ("div", [a, b]) => a.div_euclid(*b),
            ("mod", [a, b]) => a.rem_euclid(*b),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn facts_are_true_of_all_integers() {
        let division = |a: &str, b: &str, remainder: Option<&str>| Division {
            a: a.to_owned(),
            b: b.to_owned(),
            remainder: remainder.map(str::to_owned),
        };
        // Divisions of one number by several, of a divisor, and of what is left of another.
        let divisions = [
            division("v0", "v1", Some("(mod v0 v1)")),
            division("(mod v0 v1)", "v2", None),
            division("v1", "v2", None),
            division("(* v0 v2)", "v1", None),
        ];
        let product = |f: &str, g: &str| [f.to_owned(), g.to_owned()];
        let products = [product("v0", "v2"), product("v1", "v0"), product("(mod v0 v1)", "v2")];
        let facts = hints(&divisions, &products);
        assert!(facts.len() > 100, "{}", facts.len());
        for fact in facts {
            let formula = parse_one(&fact).unwrap();
            for number in 0..9i128.pow(3) {
                let numbers = [number % 9 - 4, number / 9 % 9 - 4, number / 81 - 4];
                assert_eq!(value(&formula, &numbers), 1, "{fact} for {numbers:?}");
            }
        }
    }

    #[test]
    fn facts_about_words_are_true_of_all_of_them() {
        let text = "(sort W) (sort B) (op / (W W) W) (op % (W W) W) (op < (W W) B) (op == (W W) B) (op != (W W) B)
            (op || (B B) B) (op ! (B) B) (literal (bits 4) W) (literal bool B) (variable W)
            (rewrite (|| (== ?b 0) (< (% ?a ?b) ?b)) 1)
            (rewrite (|| (! (< ?a ?b)) (== (% ?a ?b) ?a)) 1)
            (rewrite (|| (! (< ?a ?b)) (== (/ ?a ?b) 0)) 1)
            (op + (W W) W) (op ~ (W) W) (rewrite (|| (!= (+ ?a ?b) 15) (== ?a (~ ?b))) 1)";
        let system = System::parse(text).unwrap();
        let combined = ["a", "b"].map(|name| (name.to_owned(), 4));
        let facts = word_facts("a", "b", 4).len() + complements(&combined).len();
        assert_eq!(facts, system.rules.len());
        for rule in &system.rules {
            let statement = Statement::of(&system, rule).unwrap();
            assert_eq!(go_through(&statement, 1 << 8, &AtomicBool::default()), Some(Ok(256)));
        }
    }
}
