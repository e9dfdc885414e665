//! The normal forms of both sides of a question, of a system that declares one: where they are the same term, that is the
//! answer, and where they are not, they are closer to each other than the sides were.

use crate::search::prove::Search;
use anyhow::Result;
use egraph::normalise;

/// Of the work that is left the part that the steps to a normal form may take.
const PART: u64 = 4;

impl Search<'_> {
    /// Brings both sides to their normal forms, and goes on from these where they differ.
    pub fn reach_normal_forms(&mut self) -> Result<()> {
        let mut forms = self.question;
        for (side, form) in forms.iter_mut().enumerate() {
            let most = self.left() / PART;
            if let Some(found) = normalise(self.system, self.bank, *form, most) {
                self.ledger.work += found.steps;
                if found.complete && found.term != *form {
                    *form = found.term;
                    self.know(side, found.proof);
                }
            }
        }
        if forms == self.question { Ok(()) } else { self.expand_first(forms) }
    }
}
