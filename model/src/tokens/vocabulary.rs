//! The tokens: operators of the language, and pieces that spell literals and variables.
//!
//! Operators are one token each. Words (literals and the normalised names `v0`, `v1`, …) are
//! split by a small sub-vocabulary, a greedy longest-match model of the `tokenizers` library that
//! is saved as `tokenizer.json`. The last piece of a word carries the mark `</w>`, so that the
//! arity of every token is known: a marked piece has no child, an unmarked one has one, the piece
//! that follows it.

use crate::tokens::literals::Literals;
use anyhow::{Context, Result, bail, ensure};
use egraph::{Language, Leaf, LeafValue, LiteralKind, OpId, SortId};
use rustc_hash::FxHashMap;
use std::path::Path;
use std::sync::Arc;
use terms::LITERAL;
use tokenizers::{Model, Tokenizer};

/// The number of a token.
pub type Token = u32;

/// Fills a batch behind the end of a tree.
pub const PAD: Token = 0;
/// Stands before the first token of a guide.
pub const BOS: Token = 1;

const OPERATORS: Token = 2;
const END: &str = "</w>";
/// What integers, truth values and normalised names are spelled with.
const LETTERS: &str = "-0123456789v";
/// Variables, and names of literals, that are always one piece.
pub(crate) const WHOLE_NAMES: usize = 16;
/// At most this many other words become one piece, and only words seen this often.
const WHOLE_WORDS: usize = 96;
const WHOLE_WORD_COUNT: u64 = 16;

/// A part of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its letters, without the mark.
    pub text: String,
    /// Whether the word ends with it.
    pub last: bool,
}

/// What a token stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning<'a> {
    /// An operator of the language.
    Operator(OpId),
    /// A part of a word.
    Piece(&'a Piece),
    /// Padding or the beginning of a guide; never part of a tree.
    Special,
}

/// The tokens of one language.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    language: Arc<Language>,
    literals: Literals,
    tokenizer: Tokenizer,
    pieces: Vec<Piece>,
}

impl Vocabulary {
    /// The letters of all words of a language.
    fn letters(language: &Language, literals: Literals) -> String {
        let mut letters = LETTERS.to_owned();
        letters.extend((literals == Literals::Named).then_some(LITERAL));
        let has = |wanted| language.literals.iter().any(|(kind, _)| *kind == wanted);
        letters.extend(has(LiteralKind::Rational).then_some('/'));
        letters += if has(LiteralKind::F64) { ".e" } else { "" };
        letters
    }

    /// A vocabulary for `language` in which the frequent words among `counts` are one piece.
    ///
    /// # Errors
    /// The language binds variables. Else none in practice: the tokenizer is built from a list that is
    /// valid by construction.
    pub fn build(
        language: Arc<Language>,
        literals: Literals,
        counts: &FxHashMap<String, u64>,
    ) -> Result<Vocabulary> {
        let mut pieces: Vec<String> = Vec::new();
        for letter in Vocabulary::letters(&language, literals).chars() {
            pieces.push(letter.to_string());
            if letter.is_ascii_digit() {
                pieces.push(format!("{letter}{END}"));
            }
        }
        pieces.extend((0..WHOLE_NAMES).map(|i| format!("v{i}{END}")));
        if literals == Literals::Named {
            pieces.extend((0..WHOLE_NAMES).map(|i| format!("{LITERAL}{i}{END}")));
        }
        let mut frequent: Vec<(u64, &String)> = counts
            .iter()
            .filter(|(_, count)| **count >= WHOLE_WORD_COUNT)
            .map(|(word, count)| (*count, word))
            .collect();
        // By falling count, then by text: the map's order must not show.
        frequent.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
        frequent.truncate(WHOLE_WORDS);
        for (_, word) in frequent {
            let piece = format!("{word}{END}");
            if !pieces.contains(&piece) {
                pieces.push(piece);
            }
        }
        Vocabulary::of_pieces(language, pieces)
    }

    /// The vocabulary with these pieces, marked where a word ends.
    fn of_pieces(language: Arc<Language>, pieces: Vec<String>) -> Result<Vocabulary> {
        ensure!(
            !language.has_binders(),
            "models know no bound variables: expected a system none of whose operators binds any"
        );
        let vocab: serde_json::Map<String, serde_json::Value> =
            pieces.iter().enumerate().map(|(i, piece)| (piece.clone(), i.into())).collect();
        let json = serde_json::json!({
            "version": "1.0",
            "truncation": null,
            "padding": null,
            "added_tokens": [],
            "normalizer": null,
            "pre_tokenizer": null,
            "post_processor": null,
            "decoder": null,
            "model": {
                "type": "WordPiece",
                "unk_token": "[UNK]",
                "continuing_subword_prefix": "",
                "max_input_chars_per_word": 1000,
                "vocab": vocab,
            },
        });
        let tokenizer = match Tokenizer::from_bytes(json.to_string()) {
            Ok(tokenizer) => tokenizer,
            Err(e) => bail!("not a tokenizer: {e}"),
        };
        let split = |piece: String| match piece.strip_suffix(END) {
            Some(text) => Piece { text: text.to_owned(), last: true },
            None => Piece { text: piece, last: false },
        };
        let pieces: Vec<Piece> = pieces.into_iter().map(split).collect();
        let names_literals = |piece: &Piece| piece.text.starts_with(LITERAL);
        let literals = match pieces.iter().any(names_literals) {
            true => Literals::Named,
            false => Literals::Spelled,
        };
        // With every letter in place, every word can be spelled, and every half-written word
        // ended.
        for letter in Vocabulary::letters(&language, literals).chars() {
            let both = if letter.is_ascii_digit() { &[false, true][..] } else { &[false] };
            for last in both {
                let wanted = Piece { text: letter.to_string(), last: *last };
                ensure!(pieces.contains(&wanted), "no piece spells '{letter}'");
            }
        }
        Ok(Vocabulary { language, literals, tokenizer, pieces })
    }

    /// Reads a `tokenizer.json`.
    ///
    /// # Errors
    /// The file can't be read, or is no sub-vocabulary of this program.
    pub fn load(language: Arc<Language>, path: &Path) -> Result<Vocabulary> {
        let json = std::fs::read(path).with_context(|| path.display().to_string())?;
        Vocabulary::from_json(language, &json).with_context(|| path.display().to_string())
    }

    /// Only the pieces are taken from the text, and all else in it must be as this program writes
    /// it: other kinds of tokenizers make the library panic, or use memory without bound.
    pub(crate) fn from_json(language: Arc<Language>, json: &[u8]) -> Result<Vocabulary> {
        let value: serde_json::Value = serde_json::from_slice(json).context("not a tokenizer")?;
        let vocab = value["model"]["vocab"].as_object().context("not a tokenizer")?;
        let mut pieces: Vec<(u64, &String)> = Vec::with_capacity(vocab.len());
        for (piece, id) in vocab {
            let id = id.as_u64().with_context(|| format!("piece '{piece}' has no number"))?;
            ensure!(!piece.is_empty() && piece != END, "a piece has no letter");
            pieces.push((id, piece));
        }
        pieces.sort_unstable();
        for ((id, _), expected) in pieces.iter().zip(0..) {
            ensure!(*id == expected, "piece {expected} of {} is missing", pieces.len());
        }
        let pieces = pieces.into_iter().map(|(_, piece)| piece.clone()).collect();
        let vocabulary = Vocabulary::of_pieces(language, pieces)?;
        let expected = vocabulary.to_value()?;
        ensure!(value == expected, "not a tokenizer that cairn wrote");
        Ok(vocabulary)
    }

    /// The `tokenizer.json` of the pieces.
    ///
    /// # Errors
    /// None in practice.
    pub fn to_json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(&self.to_value()?)? + "\n")
    }

    fn to_value(&self) -> Result<serde_json::Value> {
        // Through a Value, whose keys are sorted: the library writes its map in hash order.
        let text = self.tokenizer.to_string(false).map_err(|e| anyhow::anyhow!("{e}"))?;
        Ok(serde_json::from_str(&text)?)
    }

    /// The language of the operators.
    pub fn language(&self) -> &Arc<Language> {
        &self.language
    }

    /// How literals become tokens.
    pub fn literals(&self) -> Literals {
        self.literals
    }

    /// The leaf of `sort` that a word stands for, if it does for any.
    pub fn leaf(&self, word: &str, sort: SortId) -> Option<Leaf> {
        // Sorts that have literals need not have variables.
        if self.literals == Literals::Named && word.starts_with(LITERAL) {
            return Some(Leaf { sort, value: LeafValue::Variable(word.to_owned()) });
        }
        self.language.leaf(word, Some(sort)).ok()
    }

    /// Number of tokens, the special ones included.
    pub fn len(&self) -> usize {
        OPERATORS as usize + self.language.operators.len() + self.pieces.len()
    }

    /// Whether there are no tokens: never.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The token of an operator.
    pub fn operator(&self, op: OpId) -> Token {
        OPERATORS + op.0
    }

    /// What `token` stands for.
    pub fn meaning(&self, token: Token) -> Meaning<'_> {
        let operators = self.language.operators.len();
        match (token as usize).checked_sub(OPERATORS as usize) {
            None => Meaning::Special,
            Some(i) if i < operators => Meaning::Operator(OpId(i as u32)),
            Some(i) => match self.pieces.get(i - operators) {
                Some(piece) => Meaning::Piece(piece),
                None => Meaning::Special,
            },
        }
    }

    /// The pieces that spell a word, the last one marked.
    ///
    /// # Errors
    /// The word has a letter that no literal and no normalised name has.
    pub fn spell(&self, word: &str) -> Result<Vec<Token>> {
        let pieces = match self.tokenizer.get_model().tokenize(&format!("{word}{END}")) {
            Ok(pieces) => pieces,
            Err(_) => bail!("no pieces spell the word '{word}'"),
        };
        let base = OPERATORS + self.language.operators.len() as u32;
        Ok(pieces.iter().map(|piece| base + piece.id).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures;

    #[test]
    fn frequent_words_are_one_piece_and_others_are_spelled() {
        let counts = FxHashMap::from_iter([("127".to_owned(), 100), ("5000".to_owned(), 3)]);
        let language = fixtures::system().language.clone();
        let v = Vocabulary::build(language, Literals::Named, &counts).unwrap();
        assert_eq!(v.spell("127").unwrap().len(), 1);
        assert_eq!(v.spell("v3").unwrap().len(), 1);
        assert_eq!(v.spell("#3").unwrap().len(), 1);
        assert_eq!(v.spell("#31").unwrap().len(), 3);
        assert_eq!(v.spell("5000").unwrap().len(), 4);
        assert_eq!(v.spell("-127").unwrap().len(), 2);
        assert!(v.spell("x").is_err());
    }

    #[test]
    fn tokenizer_json_round_trips() {
        let counts = FxHashMap::from_iter((0..50).map(|i| (i.to_string(), 100 - i)));
        let language = fixtures::system().language.clone();
        let [v, named] = [Literals::Spelled, Literals::Named]
            .map(|literals| Vocabulary::build(language.clone(), literals, &counts).unwrap());
        for v in [&v, &named] {
            let json = v.to_json().unwrap();
            let again = Vocabulary::from_json(language.clone(), json.as_bytes()).unwrap();
            assert_eq!(v.pieces, again.pieces);
            assert_eq!(v.literals, again.literals);
            assert_eq!(json, again.to_json().unwrap());
        }
        let json = named.to_json().unwrap().replace("\"#\"", "\"##\"");
        assert!(Vocabulary::from_json(language.clone(), json.as_bytes()).is_err());
        let json = v.to_json().unwrap();
        let broken = json.replace("\"9</w>\"", "\"9x</w>\"");
        assert!(Vocabulary::from_json(language, broken.as_bytes()).is_err());
    }

    #[test]
    fn a_tokenizer_of_another_kind_is_refused() {
        let language = fixtures::system().language.clone();
        let json =
            Vocabulary::build(language.clone(), Literals::Spelled, &FxHashMap::default()).unwrap();
        let json = json.to_json().unwrap();
        let charsmap =
            "\"normalizer\": {\"type\": \"Precompiled\", \"precompiled_charsmap\": \"\"}";
        for (from, to) in [
            ("\"decoder\": null", "\"decoder\": tru"),
            (
                "\"decoder\": null",
                "\"decoder\": {\"type\": \"WordPiece\", \"prefix\": \"\", \"cleanup\": true}",
            ),
            ("\"normalizer\": null", charsmap),
            ("\"type\": \"WordPiece\"", "\"type\": \"BPE\""),
            ("\"9</w>\": ", "\"9</w>\": 7"),
            ("\"9</w>\"", "\"\""),
        ] {
            assert!(json.contains(from), "{from}");
            let changed = json.replace(from, to);
            assert!(Vocabulary::from_json(language.clone(), changed.as_bytes()).is_err(), "{to}");
        }
    }
}
