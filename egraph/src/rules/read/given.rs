//! Equalities of terms that a file declares.

use super::Reader;
use crate::rules::given::pattern_of;
use crate::rules::options::{expect_atom, pairs, unexpected};
use crate::rules::rule::Rule;
use crate::rules::variables::Variables;
use crate::term::bank::TermBank;
use crate::text::sexpr::{ParseError, Place, Sexpr};

impl Reader {
    /// `(given left right …)`: two terms, which have no pattern variables, are equal.
    pub(super) fn given(&mut self, args: &[Sexpr], place: Place) -> Result<(), ParseError> {
        let [left, right, options @ ..] = args else {
            return Err(ParseError::new(place, "expected (given term term :name … :ruleset …)"));
        };
        let mut name = self.unsaid_name(place);
        let mut ruleset = None;
        for (key, at, value) in pairs(options)? {
            match key {
                ":name" => name = expect_atom(value, "a name")?.to_owned(),
                ":ruleset" => {
                    let wanted = expect_atom(value, "the name of a ruleset")?;
                    ruleset = Some(self.known_ruleset(wanted, value.place())?);
                }
                _ => return Err(unexpected(":name or :ruleset", &[":name", ":ruleset"], key, at)),
            }
        }
        if ruleset.is_some() && ruleset == self.system.normal_form {
            return Err(ParseError::new(place, "an equality of terms is no rule of a normal form"));
        }
        let mut bank = TermBank::new(self.system.language.clone());
        let lhs = bank.read(left, None)?;
        let rhs = bank.read(right, Some(bank.sort(lhs)))?;
        let [lhs, rhs] = [lhs, rhs].map(|term| pattern_of(&bank, term));
        let (conditions, variables) = (Vec::new(), Variables::default());
        let rule = Rule { name, lhs, rhs, conditions, variables, ruleset };
        self.add(rule, place)
    }
}
