//! Whatever set of terms the decoder is given, everything that it writes is in the set, and is
//! drawn as often as the model's probabilities, normalised over the set, say.

mod common;

use egraph::{Leaf, Node, OpId, TermBank, TermId};
use model::{Choices, DecodeOptions, Strategy};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Head {
    Op(OpId),
    Leaf(Leaf),
}

impl Head {
    fn of(node: Node<'_>) -> Head {
        match node {
            Node::Op(op) => Head::Op(op),
            Node::Leaf(leaf) => Head::Leaf(leaf.clone()),
        }
    }
}

#[derive(Default)]
struct Branch {
    children: HashMap<Head, usize>,
    /// Nodes of the shortest way from here to the end of a term.
    rest: usize,
}

/// Given terms: a trie over their heads in pre-order.
#[derive(Clone)]
struct Trie {
    branches: Arc<Vec<Branch>>,
    at: usize,
}

impl Trie {
    fn new(bank: &TermBank, terms: &[TermId]) -> Trie {
        let mut branches = vec![Branch { rest: usize::MAX, ..Branch::default() }];
        for t in terms {
            let (mut at, mut todo) = (0, vec![*t]);
            let mut rest = bank.size(*t) as usize;
            while let Some(t) = todo.pop() {
                branches[at].rest = branches[at].rest.min(rest);
                rest -= 1;
                todo.extend(bank.children(t).iter().rev());
                let new = branches.len();
                at = *branches[at].children.entry(Head::of(bank.node(t))).or_insert(new);
                if at == new {
                    branches.push(Branch { rest: usize::MAX, ..Branch::default() });
                }
            }
            branches[at].rest = 0;
        }
        Trie { branches: Arc::new(branches), at: 0 }
    }
}

impl Choices for Trie {
    fn heads(&self, nodes: usize, allow: &mut dyn FnMut(Node<'_>)) {
        for (head, child) in &self.branches[self.at].children {
            if self.branches[*child].rest < nodes {
                match head {
                    Head::Op(op) => allow(Node::Op(*op)),
                    Head::Leaf(leaf) => allow(Node::Leaf(leaf)),
                }
            }
        }
    }

    fn advance(&mut self, head: Node<'_>) {
        self.at = self.branches[self.at].children[&Head::of(head)];
    }
}

const TERMS: [&str; 9] = [
    "(+ (* a 3) (neg b))",
    "(+ (* 3 a) (neg b))",
    "(+ (neg b) (* 3 a))",
    "(+ (neg b) (* 317 a))",
    "(+ (neg b) (* 31 a))",
    "(neg b)",
    "b",
    "-12",
    "(select (< a b) -12 (+ a b))",
];

fn terms(bank: &mut TermBank) -> Vec<TermId> {
    TERMS.iter().map(|t| bank.parse(t, None).unwrap()).collect()
}

#[test]
fn all_of_a_set_is_found_and_nothing_else() {
    let model = common::small_model(30);
    let mut bank = TermBank::new(model.language().clone());
    let terms = terms(&mut bank);
    let trie = Trie::new(&bank, &terms);
    let task = (terms[0], terms[2]);
    for strategy in [
        Strategy::Nucleus { p: 1.0, temperature: 1.0 },
        Strategy::Beam { width: 12 },
        Strategy::Greedy,
        Strategy::Nucleus { p: 0.6, temperature: 3.0 },
    ] {
        for max_size in [1, 2, 6, 20] {
            let options = DecodeOptions { strategy, guides: 12, max_size, seed: 7 };
            let written =
                model.guides_within(&mut bank, &[task], std::slice::from_ref(&trie), &options);
            let written = written.unwrap().pop().unwrap();
            let found: BTreeSet<TermId> = written.iter().map(|g| g.term).collect();
            assert_eq!(found.len(), written.len());
            let small: BTreeSet<TermId> =
                terms.iter().copied().filter(|t| bank.size(*t) <= max_size as u64).collect();
            match strategy {
                Strategy::Greedy | Strategy::Nucleus { p: 0.6, .. } => {
                    assert!(!found.is_empty() && found.is_subset(&small));
                }
                _ => assert_eq!(found, small),
            }
            // The probability among all terms is that of the scorer.
            let scored = model.log_likelihoods(&bank, task, &terms, max_size).unwrap();
            for guide in &written {
                let i = terms.iter().position(|t| *t == guide.term).unwrap();
                let scored = scored[i].unwrap();
                assert!((scored.log_p - guide.log_probability).abs() < 1e-4);
                assert_eq!(scored.tokens, guide.tokens);
                assert!(
                    guide.log_proposal >= guide.log_probability - 1e-4
                        || matches!(strategy, Strategy::Nucleus { .. })
                );
            }
        }
    }
}

#[test]
fn frequencies_are_the_probabilities_over_the_set() {
    let model = common::small_model(30);
    let mut bank = TermBank::new(model.language().clone());
    let terms = terms(&mut bank);
    let trie = Trie::new(&bank, &terms);
    let strategy = Strategy::Nucleus { p: 1.0, temperature: 1.0 };
    let mut options = DecodeOptions { strategy, guides: 9, max_size: 20, seed: 0 };
    let (task, sets) = ((terms[0], terms[2]), [trie]);
    let all = model.guides_within(&mut bank, &[task], &sets, &options).unwrap();
    let expected: HashMap<TermId, f32> =
        all[0].iter().map(|g| (g.term, g.log_proposal.exp())).collect();
    let sum: f32 = expected.values().sum();
    assert!(expected.len() == 9 && (sum - 1.0).abs() < 1e-4, "{sum}");
    options.guides = 1;
    let rounds = 3_000;
    let mut counts: HashMap<TermId, f32> = HashMap::new();
    for seed in 0..rounds {
        options.seed = seed;
        let drawn = model.guides_within(&mut bank, &[task], &sets, &options).unwrap();
        assert!((drawn[0][0].log_proposal.exp() - expected[&drawn[0][0].term]).abs() < 1e-4);
        *counts.entry(drawn[0][0].term).or_default() += 1.0;
    }
    // Chi-square with 8 degrees of freedom is above 26 once in a thousand times.
    let rounds = rounds as f32;
    let chi: f32 = expected
        .iter()
        .map(|(t, p)| (counts.get(t).unwrap_or(&0.0) - rounds * p).powi(2) / (rounds * p))
        .sum();
    assert!(chi < 26.0, "{chi}");
}

/// A set that offers what is no term of the task: other sorts, other variables, too large ones.
#[derive(Clone)]
struct Wild(Vec<OpId>, Vec<Leaf>);

impl Choices for Wild {
    fn heads(&self, _nodes: usize, allow: &mut dyn FnMut(Node<'_>)) {
        self.0.iter().for_each(|op| allow(Node::Op(*op)));
        self.1.iter().for_each(|leaf| allow(Node::Leaf(leaf)));
    }

    fn advance(&mut self, _head: Node<'_>) {}
}

#[test]
fn a_careless_set_gives_well_formed_terms() {
    let model = common::small_model(1);
    let mut bank = TermBank::new(model.language().clone());
    let terms = terms(&mut bank);
    let operators = (0..bank.language().operators.len()).map(|i| OpId(i as u32)).collect();
    let strange = bank.parse("(select (&& 0 1) (+ a 1) (+ zz 5))", None).unwrap();
    let leaves: Vec<Leaf> = bank
        .subterms(strange)
        .into_iter()
        .filter_map(|t| match bank.node(t) {
            Node::Leaf(leaf) => Some(leaf.clone()),
            Node::Op(_) => None,
        })
        .collect();
    let sets = [Wild(operators, leaves)];
    let strategy = Strategy::Nucleus { p: 1.0, temperature: 1.0 };
    let options = DecodeOptions { strategy, guides: 50, max_size: 9, seed: 1 };
    let written = model.guides_within(&mut bank, &[(terms[0], terms[2])], &sets, &options).unwrap();
    assert!(written[0].len() > 10);
    for guide in &written[0] {
        assert!(bank.size(guide.term) <= 9);
        let text = bank.text(guide.term);
        assert!(!text.contains("zz"));
        assert_eq!(bank.parse(&text, Some(bank.sort(terms[0]))).unwrap(), guide.term);
    }
}
