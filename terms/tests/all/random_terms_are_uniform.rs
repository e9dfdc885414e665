//! Random terms against full enumeration: none is missing, none is more likely than another.

use egraph::{Language, SortId, System, TermBank};
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet};
use support::random::stream;
use terms::{LeafSet, RandomTerms};

/// Two sorts with variables, literals of two kinds, a constant, one to three arguments.
const RULES: &str = "(sort I) (sort B) (sort S) (literal i64 I) (literal bool B) (variable I) \
    (variable S) (op + (I I) I) (op size (S) I) (op at (S I) I) (op < (I I) B) (op empty () S) \
    (op if (B I I) I) (op put (S I I) S)";

/// The atoms of all leaves, by name of the sort, written down by hand.
fn atoms(sort: &str, variables: usize) -> Vec<String> {
    let named = |prefix: &str| (0..variables).map(|i| format!("{prefix}{i}")).collect::<Vec<_>>();
    match sort {
        "I" => [named("?i"), vec!["-7".into(), "1".into()]].concat(),
        "B" => vec!["1".into()],
        _ => named("?s"),
    }
}

/// The terms of a sort and size as text, from the definition.
fn terms(language: &Language, sort: SortId, size: usize, variables: usize) -> Vec<String> {
    let mut found = Vec::new();
    if size == 1 {
        found = atoms(language.sort_name(sort), variables);
    }
    for op in language.operators.iter().filter(|op| op.result == sort && size > 0) {
        let arguments = sequences(language, &op.args, size - 1, variables);
        found.extend(arguments.into_iter().map(|list| match list.as_str() {
            "" => op.name.clone(),
            list => format!("({}{list})", op.name),
        }));
    }
    found
}

fn sequences(language: &Language, sorts: &[SortId], size: usize, variables: usize) -> Vec<String> {
    let Some((&first, rest)) = sorts.split_first() else {
        return if size == 0 { vec![String::new()] } else { Vec::new() };
    };
    (1..=size)
        .flat_map(|here| {
            let tails = sequences(language, rest, size - here, variables);
            let heads =
                if tails.is_empty() { Vec::new() } else { terms(language, first, here, variables) };
            heads.into_iter().flat_map(move |head| {
                tails.iter().map(|tail| format!(" {head}{tail}")).collect::<Vec<_>>()
            })
        })
        .collect()
}

/// Renames ?i0, ?s0, … by first occurrence.
fn normal(term: &str) -> String {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut text = String::new();
    for piece in term.split_inclusive([' ', '(', ')']) {
        let atom = piece.trim_end_matches([' ', '(', ')']);
        if atom.starts_with('?') {
            let next = format!("v{}", names.len());
            text += names.entry(atom.to_owned()).or_insert(next);
            text += &piece[atom.len()..];
        } else {
            text += piece;
        }
    }
    text
}

fn enumerated(
    language: &Language,
    roots: &[SortId],
    size: usize,
    variables: usize,
) -> BTreeSet<String> {
    let all = roots.iter().flat_map(|&sort| terms(language, sort, size, variables));
    all.map(|term| normal(&term)).collect()
}

fn random_terms(language: &Language, roots: &[SortId], variables: usize) -> RandomTerms {
    let literal = |text: &str, sort: u16| language.leaf(text, Some(SortId(sort))).unwrap();
    let literals = vec![literal("-7", 0), literal("1", 0), literal("1", 1)];
    RandomTerms::new(language, &LeafSet { variables, literals }, roots, 8).unwrap()
}

const ROOTS: [&[SortId]; 3] = [&[SortId(0)], &[SortId(2)], &[SortId(1), SortId(2), SortId(0)]];

#[test]
fn counts_are_those_of_full_enumeration() {
    let language = System::parse(RULES).unwrap().language;
    for (roots, variables) in ROOTS.into_iter().flat_map(|roots| (0..5).map(move |n| (roots, n))) {
        let random = random_terms(&language, roots, variables);
        // Size 1 is left out of several roots: a 1 of one sort looks like that of another.
        for size in 0..=6 {
            if size == 1 && roots.len() > 1 {
                continue;
            }
            let expected = enumerated(&language, roots, size, variables).len();
            assert_eq!(random.count(size), BigUint::from(expected), "{roots:?} {variables} {size}");
        }
    }
}

/// Draws 30 times as many terms as there are and compares with equal frequencies: chi-square,
/// which for so many degrees of freedom is normal with mean d and standard deviation √(2d).
fn chi_square(roots: &[SortId], variables: usize, size: usize) {
    let language = System::parse(RULES).unwrap().language;
    let random = random_terms(&language, roots, variables);
    let mut frequency: BTreeMap<String, u32> =
        enumerated(&language, roots, size, variables).into_iter().map(|term| (term, 0)).collect();
    let terms = frequency.len();
    assert!((100..20_000).contains(&terms), "{terms} terms");
    let mut bank = TermBank::new(language);
    let mut rng = stream(5, 0);
    for _ in 0..30 * terms {
        let term = random.draw(&mut bank, size, &mut rng).unwrap();
        *frequency.get_mut(&bank.text(term)).expect("a term that there is") += 1;
    }
    let statistic: f64 = frequency.values().map(|&n| (f64::from(n) - 30.0).powi(2) / 30.0).sum();
    let freedom = (terms - 1) as f64;
    let deviations = (statistic - freedom) / (2.0 * freedom).sqrt();
    assert!(deviations.abs() < 4.0, "{terms} terms: {deviations} standard deviations");
}

#[test]
fn every_term_is_drawn_equally_often() {
    chi_square(ROOTS[0], 3, 5);
    chi_square(ROOTS[1], 1, 7);
    chi_square(ROOTS[2], 4, 5);
    // With one name too few for all leaves, permutations that fix some names matter.
    chi_square(ROOTS[0], 2, 6);
}
