//! Random equations between ground terms: what e-graphs do with them beside what congruence closure is.

use egraph::{EGraph, Explainer, SaturationConfig, System, TermBank, TermId, check, saturate};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Ground terms over a, b, c, f/2 and g/1, and equations between them, asserted in rounds with a
/// rebuild after each: afterwards the e-graph holds exactly the congruence closure, and proves
/// every equality in it.
pub fn unions(data: &[u8]) -> bool {
    let (terms, equations) = decode(data);
    let mut text =
        String::from("(sort S) (op a () S) (op b () S) (op c () S) (op g (S) S) (op f (S S) S)\n");
    let mut rounds = String::new();
    for (i, (left, right)) in equations.iter().enumerate() {
        // Two equations a round.
        if i % 2 == 0 {
            text += &format!("(ruleset r{})\n", i / 2);
            rounds += &format!(" (run r{})", i / 2);
        }
        let (left, right) = (&terms[*left], &terms[*right]);
        text += &format!("(rewrite {left} {right} :name e{i} :ruleset r{})\n", i / 2);
    }
    text += &format!("(schedule (seq (run nothing){rounds}))");
    text = text.replace("(schedule", "(ruleset nothing) (schedule");
    let system = Arc::new(System::parse(&text).unwrap_or_else(|e| panic!("{e}: {text}")));
    let mut bank = TermBank::new(system.language.clone());
    let ids: Vec<TermId> = terms.iter().map(|t| bank.parse(t, None).expect("a term")).collect();
    let mut egraph = EGraph::new(system.clone());
    for &t in &ids {
        egraph.add_term(&bank, t);
    }
    let config = SaturationConfig::default();
    saturate(&mut egraph, &config, &mut |_, _| ControlFlow::Continue(()));
    let classes = closure(&bank, &ids, &equations);
    let mut explainer = Explainer::new(&egraph);
    for (i, &a) in ids.iter().enumerate() {
        for &b in &ids[..i] {
            let equal = classes[&a] == classes[&b];
            assert_eq!(egraph.lookup(&bank, a) == egraph.lookup(&bank, b), equal, "{text}");
            let proof = explainer.explain(&mut bank, a, b);
            assert_eq!(proof.is_some(), equal, "{text}");
            if let Some(proof) = proof {
                check(&system, &bank, &proof).unwrap_or_else(|e| panic!("{e}: {text}"));
                assert_eq!((proof.start(), proof.end()), (a, b));
            }
        }
    }
    !equations.is_empty()
}

/// At most 16 terms, each over earlier ones, and at most 12 equations between terms, by index.
fn decode(data: &[u8]) -> (Vec<String>, Vec<(usize, usize)>) {
    let mut terms = vec!["a".to_owned(), "b".to_owned(), "c".to_owned()];
    let mut equations = Vec::new();
    for chunk in data.chunks_exact(3) {
        let pick = |byte: u8| usize::from(byte) % terms.len();
        let (left, right) = (pick(chunk[1]), pick(chunk[2]));
        match chunk[0] % 3 {
            0 if terms.len() < 16 => terms.push(format!("(g {})", terms[left])),
            1 if terms.len() < 16 => terms.push(format!("(f {} {})", terms[left], terms[right])),
            _ if equations.len() < 12 && left != right => equations.push((left, right)),
            _ => {}
        }
    }
    (terms, equations)
}

/// The class of each subterm, by repeating what congruence asks for until nothing changes.
fn closure(
    bank: &TermBank,
    terms: &[TermId],
    equations: &[(usize, usize)],
) -> BTreeMap<TermId, usize> {
    let all = terms.iter().flat_map(|&t| bank.subterms(t));
    let mut class: BTreeMap<TermId, usize> = all.map(|t| (t, t.0 as usize)).collect();
    let unite = |class: &mut BTreeMap<TermId, usize>, a: TermId, b: TermId| {
        let (from, to) = (class[&a], class[&b]);
        class.values_mut().filter(|c| **c == from).for_each(|c| *c = to);
        from != to
    };
    for &(a, b) in equations {
        unite(&mut class, terms[a], terms[b]);
    }
    let members: Vec<TermId> = class.keys().copied().collect();
    let mut changed = true;
    while changed {
        changed = false;
        for &a in &members {
            for &b in &members {
                let (of_a, of_b) = (bank.children(a), bank.children(b));
                let congruent = bank.head(a) == bank.head(b)
                    && !of_a.is_empty()
                    && of_a.iter().zip(of_b).all(|(x, y)| class[x] == class[y]);
                changed |= congruent && unite(&mut class, a, b);
            }
        }
    }
    class
}
