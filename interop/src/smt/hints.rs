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
