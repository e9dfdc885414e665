//! What a program has declared.

use crate::egglog::refusal::{Refusal, Result, mistaken, refused};
use egraph::{LiteralKind, Place, Sexpr, did_you_mean};
use rustc_hash::{FxHashMap, FxHashSet};

/// A sort that is built in there, and what declares it here.
struct BuiltIn {
    name: &'static str,
    declaration: &'static str,
    /// Strings have none: they are variables here.
    kind: Option<LiteralKind>,
}

const fn built_in(
    name: &'static str,
    declaration: &'static str,
    kind: Option<LiteralKind>,
) -> BuiltIn {
    BuiltIn { name, declaration, kind }
}

const BUILT_IN: [BuiltIn; 7] = [
    built_in("i64", "(sort i64) (literal i64 i64)", Some(LiteralKind::I64)),
    built_in("BigInt", "(sort BigInt) (literal i64 BigInt)", Some(LiteralKind::I64)),
    built_in("BigRat", "(sort BigRat) (literal rational BigRat)", Some(LiteralKind::Rational)),
    built_in(
        "Rational",
        "(sort Rational) (literal rational Rational)",
        Some(LiteralKind::Rational),
    ),
    built_in("f64", "(sort f64) (literal f64 f64)", Some(LiteralKind::F64)),
    built_in("bool", "(sort bool) (literal bool bool)", Some(LiteralKind::Bool)),
    built_in("String", "(sort String) (variable String)", None),
];

/// The kind of the literals of a sort that is built in there.
pub(super) fn kind_of_sort(sort: &str) -> Option<LiteralKind> {
    BUILT_IN.iter().find(|built_in| built_in.name == sort)?.kind
}

/// What an analysis of strings is called, which says that two differ: they have different numbers.
const STRING_NUMBER: &str = "string-number";

/// Bytes of terms that stand for their names, in the whole program: each may name others twice.
const MOST_WRITTEN_OUT: usize = 1 << 24;

/// The variables that are arguments of an application, and a condition.
type Said = (Vec<String>, String);

/// What a program has declared.
#[derive(Clone, Default)]
pub(super) struct Names {
    pub sorts: FxHashSet<String>,
    /// The sorts of the arguments of each.
    pub constructors: FxHashMap<String, Vec<String>>,
    /// Of each the sort of its values.
    pub analyses: FxHashMap<String, String>,
    /// Analyses that were relations of one term: what they say is true or unknown.
    pub relations: FxHashSet<String>,
    /// Of these, those of two terms: here they say something of a term and itself.
    pub pairs: FxHashSet<String>,
    /// By relation: conditions of `?it` from each of which it follows, whatever the term is.
    pub derived: FxHashMap<String, Vec<Vec<String>>>,
    /// Relations that are known of terms in other ways, too.
    pub asserted: FxHashSet<String>,
    /// By relation and constructor: the variables that are its arguments, and when it holds.
    pub said: FxHashMap<(String, String), Vec<Said>>,
    /// Rulesets of rulesets: the names of these.
    pub combined: FxHashMap<String, String>,
    /// What was declared and is not taken over.
    pub refused: FxHashSet<String>,
    /// Whether more was declared in another file.
    pub includes: bool,
    /// Terms that have names.
    terms: FxHashMap<String, String>,
    /// Strings that rules name.
    strings: Vec<String>,
    /// Whether rules ask if strings differ.
    compares_strings: bool,
    /// Sorts that are built in there and were used.
    built_in: FxHashSet<&'static str>,
    rules: FxHashSet<String>,
    /// Bytes of terms that stand for their names.
    written_out: usize,
}

impl Names {
    /// A sort that was declared, or is built in.
    pub fn sort(&mut self, sort: &Sexpr) -> Result<String> {
        let name = atom(sort, "the name of a sort")?;
        if self.sorts.contains(name) {
            return Ok(name.to_owned());
        }
        self.not_refused(name, sort.place())?;
        if let Some(built_in) = BUILT_IN.iter().find(|built_in| built_in.name == name) {
            self.built_in.insert(built_in.name);
            return Ok(name.to_owned());
        }
        if name == "Unit" {
            return Err(refused(sort.place(), "sort Unit"));
        }
        let meant = did_you_mean(name, self.sorts.iter().map(String::as_str));
        Err(self.unknown(name, sort.place(), format!("unknown sort '{name}'{meant}")))
    }

    /// Whether a sort of terms was declared.
    pub fn is_sort(&self, sort: &Sexpr) -> bool {
        sort.atom().is_some_and(|sort| self.sorts.contains(sort))
    }

    /// Takes over the sort of booleans.
    pub fn use_bool(&mut self) -> &'static str {
        self.built_in.insert("bool");
        "bool"
    }

    /// Why a name is unknown that is neither declared nor refused.
    pub fn unknown(&self, name: &str, place: Place, message: String) -> Refusal {
        match self.includes {
            true => Refusal::Follows(place, name.to_owned()),
            false => mistaken(place, message),
        }
    }

    /// Whoever speaks of what was refused is not taken over, too.
    pub fn not_refused(&self, name: &str, place: Place) -> Result<()> {
        match self.refused.contains(name) {
            true => Err(Refusal::Follows(place, name.to_owned())),
            false => Ok(()),
        }
    }

    pub fn name_term(&mut self, name: &str, term: String) {
        self.terms.insert(name.to_owned(), term);
    }

    pub fn is_term(&self, name: &str) -> bool {
        self.terms.contains_key(name)
    }

    /// The term that a name stands for.
    pub fn term(&mut self, name: &str, place: Place) -> Result<Option<String>> {
        let Some(term) = self.terms.get(name) else { return Ok(None) };
        // Said once.
        if self.written_out > MOST_WRITTEN_OUT {
            return Err(Refusal::Follows(place, name.to_owned()));
        }
        self.written_out += term.len();
        if self.written_out > MOST_WRITTEN_OUT {
            let message = "the program is too large when names of terms are written out";
            return Err(mistaken(place, message));
        }
        Ok(Some(term.clone()))
    }

    /// Notes when a relation holds of applications of a constructor to variables.
    pub fn note_said(&mut self, relation: &str, of: &str, condition: &str) {
        let parts = of.trim_start_matches('(').trim_end_matches(')').split(' ');
        let mut parts = parts.map(str::to_owned);
        let key = (relation.to_owned(), parts.next().unwrap_or_default());
        self.said.entry(key).or_default().push((parts.collect(), condition.to_owned()));
    }

    /// A number for a string: the analysis of a variable's name, or of a constant its place.
    pub fn number_of_string(&mut self, written: &str) -> String {
        self.compares_strings = true;
        self.built_in.extend(["i64", "String"]);
        self.note_strings(written);
        match self.strings.iter().position(|known| known == written) {
            Some(number) => number.to_string(),
            None => format!("({STRING_NUMBER} {written})"),
        }
    }

    /// Strings in a part of a rule, which are constants there.
    pub fn note_strings(&mut self, text: &str) {
        let atoms = text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')'));
        for string in atoms.filter(|atom| atom.starts_with('"')) {
            if !self.strings.iter().any(|known| known == string) {
                self.strings.push(string.to_owned());
            }
        }
    }

    /// A name for a rule, with a number behind it if it is taken.
    pub fn name_rule(&mut self, base: &str) -> String {
        let mut name = base.to_owned();
        let mut number = 1;
        while !self.rules.insert(name.clone()) {
            number += 1;
            name = format!("{base}-{number}");
        }
        name
    }

    /// Declarations of the sorts that are built in there and of the strings that rules name.
    pub fn declarations(&self) -> Vec<String> {
        let used = BUILT_IN.iter().filter(|built_in| self.built_in.contains(built_in.name));
        let mut lines: Vec<String> = used.map(|built_in| built_in.declaration.to_owned()).collect();
        lines.extend(self.strings.iter().map(|text| format!("(op {text} () String)")));
        if self.compares_strings {
            lines.push(format!("(analysis {STRING_NUMBER} String i64 :merge old)"));
            lines.push(format!("(transfer ({STRING_NUMBER} (variable ?name)) ?name)"));
            let of = |(number, text)| format!("(transfer ({STRING_NUMBER} {text}) {number})");
            lines.extend(self.strings.iter().enumerate().map(of));
        }
        lines
    }
}

/// The text of an atom.
pub(super) fn atom<'s>(sexpr: &'s Sexpr, what: &str) -> Result<&'s str> {
    sexpr.atom().ok_or_else(|| mistaken(sexpr.place(), format!("expected {what}")))
}
