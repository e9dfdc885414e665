//! Pools: the terms that a rule may introduce, where its right-hand side has variables that its left-hand side
//! does not bind.

use super::Reader;
use crate::rules::given::pattern_of;
use crate::rules::options::text;
use crate::term::bank::TermBank;
use crate::text::sexpr::{ParseError, Place, Sexpr};

impl Reader {
    /// `(pool Sort term …)`.
    pub(super) fn pool(&mut self, args: &[Sexpr], place: Place) -> Result<(), ParseError> {
        let [name, terms @ ..] = args else {
            return Err(ParseError::new(place, "expected (pool Sort term …)"));
        };
        let sort = self.known_sort(name)?;
        if terms.is_empty() {
            return Err(ParseError::new(
                place,
                "expected (pool Sort term …) with at least one term",
            ));
        }
        let mut bank = TermBank::new(self.system.language.clone());
        let mut read = |term| bank.read(term, Some(sort)).map(|term| pattern_of(&bank, term));
        let terms = terms.iter().map(&mut read).collect::<Result<_, _>>()?;
        if self.pools.insert(sort, terms).is_some() {
            let message = format!("a second pool of {}: only one is allowed", text(name));
            return Err(ParseError::new(place, message));
        }
        Ok(())
    }
}
