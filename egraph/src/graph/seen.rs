//! What the rules have seen of an e-graph when saturation left it: with it, a later run looks at what is new only.

use crate::graph::changes::Epoch;

/// By rule; empty where nothing is known, and then everything is looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// What its last search has seen.
    pub epochs: Vec<Option<Epoch>>,
    /// How many matches that was at most.
    pub matches: Vec<usize>,
    /// How often back-off banned it, and how many iterations its ban goes on.
    pub bans: Vec<(u32, u64)>,
}

impl Seen {
    /// Nothing yet, of so many rules.
    pub fn nothing(rules: usize) -> Seen {
        Seen { epochs: vec![None; rules], matches: vec![0; rules], bans: vec![(0, 0); rules] }
    }

    /// The same of a system with more rules.
    pub fn extend(&mut self, rules: usize) {
        self.epochs.resize(rules, None);
        self.matches.resize(rules, 0);
        self.bans.resize(rules, (0, 0));
    }

    /// Stamps were lowered.
    pub fn lower(&mut self, shift: u8) {
        for seen in &mut self.epochs {
            *seen = seen.and_then(|epoch| epoch.lowered(shift));
        }
    }
}
