//! Normal forms: proved, reached whatever the order of arguments, and reached in the end.

use egraph::*;
use proptest::prelude::*;
use std::sync::Arc;

/// Polynomials with integer coefficients, as sorted sums of sorted products.
const POLYNOMIALS: &str = "
    (sort Int) (op + (Int Int) Int) (op * (Int Int) Int) (op neg (Int) Int)
    (literal i64 Int) (variable Int) (analysis constant)
    (ruleset sums) (normal-form sums)
    (rewrite (neg ?a) (* -1 ?a) :name neg :ruleset sums)
    (rewrite (* 0 ?a) 0 :ruleset sums :name zero-l) (rewrite (* ?a 0) 0 :ruleset sums :name zero-r)
    (rewrite (* 1 ?a) ?a :ruleset sums :name one-l) (rewrite (* ?a 1) ?a :ruleset sums :name one-r)
    (rewrite (+ 0 ?a) ?a :ruleset sums :name none-l) (rewrite (+ ?a 0) ?a :ruleset sums :name none-r)
    (rewrite (* ?c (* ?d ?a)) (* (compute (* ?c ?d)) ?a) :when ((const ?c) (const ?d)) :ruleset sums :name lit)
    (rewrite (* ?c (+ ?a ?b)) (+ (* ?c ?a) (* ?c ?b)) :ruleset sums :name left)
    (rewrite (* (+ ?a ?b) ?c) (+ (* ?a ?c) (* ?b ?c)) :ruleset sums :name right)
    (rewrite (* (* ?a ?b) ?c) (* ?a (* ?b ?c)) :ruleset sums :name mul-assoc)
    (rewrite (* ?a ?b) (* ?b ?a) :ruleset sums :name mul-comm)
    (rewrite (* ?a (* ?b ?c)) (* ?b (* ?a ?c)) :ruleset sums :name mul-comm-2)
    (rewrite (+ (+ ?a ?b) ?c) (+ ?a (+ ?b ?c)) :ruleset sums :name add-assoc)
    (rewrite (+ ?c (+ ?d ?a)) (+ (compute (+ ?c ?d)) ?a) :when ((const ?c) (const ?d)) :ruleset sums :name add-lit)
    (rewrite (+ ?a ?a) (* 2 ?a) :ruleset sums :name aa)
    (rewrite (+ ?a (+ ?a ?r)) (+ (* 2 ?a) ?r) :ruleset sums :name aar)
    (rewrite (+ ?a (* ?d ?a)) (* (compute (+ 1 ?d)) ?a) :ruleset sums :name ada)
    (rewrite (+ ?a (+ (* ?d ?a) ?r)) (+ (* (compute (+ 1 ?d)) ?a) ?r) :ruleset sums :name adar)
    (rewrite (+ (* ?c ?a) (* ?d ?a)) (* (compute (+ ?c ?d)) ?a) :ruleset sums :name cada)
    (rewrite (+ (* ?c ?a) (+ (* ?d ?a) ?r)) (+ (* (compute (+ ?c ?d)) ?a) ?r) :ruleset sums :name cadar)
    (rewrite (+ ?a ?b) (+ ?b ?a) :ruleset sums :name add-comm)
    (rewrite (+ ?a (+ ?b ?c)) (+ ?b (+ ?a ?c)) :ruleset sums :name add-comm-2)
    (rewrite (* ?a (+ ?b ?c)) (+ (* ?a ?b) (* ?a ?c)) :name distribute)";

/// A polynomial as a map from its sorted monomials to their coefficients: another way to the same.
fn polynomial(bank: &TermBank, t: TermId) -> std::collections::BTreeMap<Vec<String>, i64> {
    let children: Vec<_> = bank.children(t).iter().map(|&c| polynomial(bank, c)).collect();
    let mut sum = std::collections::BTreeMap::new();
    match (bank.node(t), &children[..]) {
        (Node::Leaf(leaf), _) => match leaf.value {
            LeafValue::Literal(Value::Int(n)) => drop(sum.insert(Vec::new(), n)),
            _ => drop(sum.insert(vec![leaf.to_string()], 1)),
        },
        (Node::Op(OpId(0)), [a, b]) => {
            sum = a.clone();
            b.iter().for_each(|(m, n)| *sum.entry(m.clone()).or_default() += n);
        }
        (Node::Op(OpId(1)), [a, b]) => {
            for (m, n) in a {
                for (o, k) in b {
                    let mut product: Vec<String> = m.iter().chain(o).cloned().collect();
                    product.sort();
                    *sum.entry(product).or_default() += n * k;
                }
            }
        }
        (_, [a]) => sum = a.iter().map(|(m, n)| (m.clone(), -n)).collect(),
        other => panic!("{other:?}"),
    }
    sum.retain(|_, n| *n != 0);
    sum
}

fn terms() -> impl Strategy<Value = String> {
    let leaf = prop_oneof!["[xyz]", (-3i64..4).prop_map(|n| n.to_string())];
    leaf.prop_recursive(4, 16, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("(+ {a} {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("(* {a} {b})")),
            inner.prop_map(|a| format!("(neg {a})")),
        ]
    })
}

proptest! {
    #[test]
    fn equal_polynomials_and_no_others_have_one_normal_form(a in terms(), b in terms()) {
        let system = System::parse(POLYNOMIALS).unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let asked = [a, b].map(|text| bank.parse(&text, None).unwrap());
        let forms = asked.map(|term| {
            let form = normalise(&system, &mut bank, term, 100_000).unwrap();
            assert!(form.complete);
            check(&system, &bank, &form.proof).unwrap();
            assert_eq!((form.proof.start(), form.proof.end()), (term, form.term));
            let again = normalise(&system, &mut bank, form.term, 100_000).unwrap();
            assert_eq!((again.term, again.steps), (form.term, 0));
            form.term
        });
        let maps = asked.map(|term| polynomial(&bank, term));
        prop_assert_eq!(forms[0] == forms[1], maps[0] == maps[1]);
        prop_assert_eq!(polynomial(&bank, forms[0]), maps[0].clone());
    }

    #[test]
    fn whatever_the_rules_it_ends_with_a_proof(a in terms(), most in 0u64..50, grow: bool) {
        let rule = if grow { "(+ ?a ?b) (+ (+ ?a ?a) ?b)" } else { "(+ ?a ?b) (+ ?b (neg (neg ?a)))" };
        let text = POLYNOMIALS.replace("(rewrite (neg ?a)", &format!(
            "(rewrite {rule} :name round :ruleset sums) (rewrite (+ ?a (neg (neg ?b))) (+ ?b ?a) :name back
             :ruleset sums) (rewrite (neg ?a)"
        ));
        let system = System::parse(&text).unwrap();
        let mut bank = TermBank::new(system.language.clone());
        let term = bank.parse(&a, None).unwrap();
        let form = normalise(&system, &mut bank, term, most).unwrap();
        prop_assert!(form.steps <= most);
        check(&system, &bank, &form.proof).unwrap();
        prop_assert_eq!((form.proof.start(), form.proof.end()), (term, form.term));
    }
}

#[test]
fn deep_terms_need_no_deep_stack() {
    let system = System::parse(POLYNOMIALS).unwrap();
    let mut bank = TermBank::new(system.language.clone());
    let mut term = bank.parse("x", None).unwrap();
    let neg = bank.parse("(neg x)", None).unwrap();
    for _ in 0..100_000 {
        term = bank.add(bank.head(neg), &[term]);
    }
    let form = normalise(&system, &mut bank, term, 1_000_000).unwrap();
    assert_eq!(bank.display(form.term).to_string(), "x");
    check(&system, &bank, &form.proof).unwrap();
}

#[test]
fn saturation_leaves_the_rules_of_the_normal_form_out() {
    let system = Arc::new(System::parse(POLYNOMIALS).unwrap());
    let mut bank = TermBank::new(system.language.clone());
    let term = bank.parse("(* x (+ y (neg z)))", None).unwrap();
    let mut egraph = EGraph::new(system.clone());
    let class = egraph.add_term(&bank, term);
    let report = saturate_until(&mut egraph, &SaturationConfig::default(), |_| false);
    let found = |bank: &mut TermBank, text: &str| {
        let term = bank.parse(text, None).unwrap();
        egraph.lookup(bank, term) == Some(egraph.find(class))
    };
    assert!(found(&mut bank, "(+ (* x y) (* x (neg z)))"));
    assert!(!found(&mut bank, "(* (+ y (neg z)) x)"));
    // What the left-out rules derive is missing.
    assert_ne!(report.stop, StopReason::Saturated);
}

#[test]
fn systems_without_one_have_no_normal_forms() {
    let system = System::parse("(sort S) (op a () S)").unwrap();
    let mut bank = TermBank::new(system.language.clone());
    let term = bank.parse("a", None).unwrap();
    assert_eq!(normalise(&system, &mut bank, term, 10), None);
}

#[test]
fn mistakes_in_the_declaration_have_their_place() {
    let language =
        "(sort S) (sort N) (literal i64 N) (literal i64 S) (variable S) (op f (S S) S)\n";
    let refused = |text: &str| System::parse(&format!("{language}{text}")).unwrap_err().to_string();
    let of = |rule: &str| refused(&format!("(ruleset r) (normal-form r)\n{rule}"));
    assert_eq!(refused("(normal-form r)"), "2:14: unknown ruleset 'r'");
    assert_eq!(
        refused("(ruleset sum) (normal-form sums)"),
        "2:28: unknown ruleset 'sums' (did you mean 'sum'?)"
    );
    assert_eq!(refused("(normal-form)"), "2:1: expected (normal-form ruleset)");
    let two = "(ruleset r) (normal-form r) (normal-form r)";
    assert_eq!(refused(two), "2:29: a second normal-form: only one is allowed");
    let facts = "(analysis lo S S :merge (max old new))
        (rewrite (f ?a ?b) ?a :when ((> (lo ?a) 0)) :ruleset r)";
    assert_eq!(of(facts), "4:9: a rule of the normal form can't read facts");
    let everywhere = "(rewrite ?a (f ?a ?a) :ruleset r)";
    assert!(of(everywhere).ends_with("must have an operator at the root of its left-hand side"));
    let binders = "(op lam ((bind S S)) S) (rewrite (f ?a ?b) ?b :ruleset r)";
    assert!(of(binders).ends_with("can't be applied under binders: this language has some"));
}
