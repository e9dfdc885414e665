//! Rules that are added to a system that has been read.

use super::{Phase, Reader, hex};
use crate::rules::system::System;
use crate::text::sexpr::{ParseError, Sexpr, parse_all};
use sha2::{Digest, Sha256};

impl System {
    /// Adds the rules of a text, which holds `(rewrite …)` and `(birewrite …)` alone, behind those that are there; as reading
    /// the whole file anew, without the time for what was read before. They can't introduce terms from pools. The hash is that
    /// of the hash before and the text.
    ///
    /// # Errors
    /// The first mistake, with its place in the text; nothing was added.
    pub fn add_rules(&mut self, text: &str) -> Result<(), ParseError> {
        let declarations = parse_all(text)?;
        let is_rule = |declaration: &&Sexpr| {
            let name = declaration.list().and_then(|list| list.first()).and_then(Sexpr::atom);
            matches!(name, Some("rewrite" | "birewrite"))
        };
        if let Some(other) = declarations.iter().find(|declaration| !is_rule(declaration)) {
            return Err(ParseError::new(other.place(), "expected (rewrite …) or (birewrite …)"));
        }
        let before = self.rules.len();
        let ids = (0..).map(crate::rules::rule::RulesetId);
        let mut reader = Reader {
            rule_names: self.rules.iter().map(|rule| rule.name.clone()).collect(),
            ruleset_ids: self.rulesets.iter().cloned().zip(ids).collect(),
            system: std::mem::take(self),
            ..Reader::default()
        };
        let read = declarations.iter().try_for_each(|rule| reader.declare(rule, Phase::Rules));
        *self = reader.system;
        match read {
            Ok(()) => self.hash = hex(&Sha256::digest(format!("{}\n{text}", self.hash))),
            Err(_) => self.keep_first(before),
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str =
        "(sort W) (op + (W W) W) (op ~ (W) W) (literal (bits 8) W) (variable W) (ruleset sums)
        (rewrite (+ ?a ?b) (+ ?b ?a) :name commute)";
    const MORE: &str = "(birewrite (+ ?a (+ ?b ?c)) (+ (+ ?a ?b) ?c) :name associate :ruleset sums)
        (rewrite (+ ?a ?b) 0 :name opposite :when ((== (+ ?a ?b) 0)))";

    #[test]
    fn it_is_as_if_the_whole_file_were_read() {
        let mut system = System::parse(FILE).unwrap();
        system.add_rules(MORE).unwrap();
        let whole = System::parse(&format!("{FILE} {MORE}")).unwrap();
        assert_eq!(system.rules.len(), 4);
        let hash = std::mem::replace(&mut system.hash, whole.hash.clone());
        assert_eq!(system, whole);
        assert_eq!(format!("{:?}", system.rewrites), format!("{:?}", whole.rewrites));
        assert_ne!(hash, whole.hash);
    }

    #[test]
    fn after_a_mistake_nothing_was_added() {
        let mut system = System::parse(FILE).unwrap();
        let before = system.clone();
        for (text, place, message) in [
            (
                "(rewrite (~ (~ ?a)) ?a :name new)\n(rewrite (+ ?a 0) ?a :name commute)",
                (2, 1),
                "a second rule is called",
            ),
            ("(rewrite (~ ?a) ?b :name new)", (1, 17), "?b is not bound"),
            ("(birewrite (~ ?a) 0 :name new)", (1, 15), "is not bound"),
            ("(sort V)", (1, 1), "expected (rewrite …) or (birewrite …)"),
            ("(rewrite (~ ?a) ?a", (1, 1), ""),
        ] {
            let mistake = system.add_rules(text).unwrap_err();
            assert!(mistake.message.contains(message), "{mistake}");
            assert_eq!((mistake.place.line, mistake.place.column), place, "{mistake}");
            assert_eq!(system, before);
            assert_eq!(system.rewrites.len(), before.rewrites.len());
        }
        system.add_rules("(rewrite (~ (~ ?a)) ?a :name new)").unwrap();
    }
}
