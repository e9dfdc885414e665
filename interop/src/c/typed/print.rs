//! From a term over words to C: a function with its shared parts as temporaries, or an expression.
//!
//! What has no value in C is written only where the
//! original is sure to compute it, too; else a helper is called that has one.

use crate::c::dialect::is_name;
use crate::c::typed::helpers::Helpers;
use crate::c::typed::piece::strength::{self, CHOICE};
use crate::c::typed::piece::{
    Piece, Range, alike, binary, bitwise, cast, compared, exact, joined, literal, opposite,
    prefixed, product, same_width, signed, sum, unsigned, wide,
};
use crate::c::typed::statements::{CFile, CFunction};
use crate::c::typed::types::CType;
use crate::words::{Sure, Words, number};
use egraph::{LeafValue, Node, TermBank, TermId};
use rustc_hash::FxHashMap;

/// Most nodes of an expression that is written without temporaries.
const LARGEST: u64 = 2_000;

/// A function whose body returns `term`, with the definitions of the helpers that it calls; of an expression the expression
/// alone. The term equals that of the function.
///
/// # Errors
/// A message that says what C lacks.
pub fn c_function(
    bank: &TermBank,
    function: &CFunction,
    file: Option<&CFile>,
    term: TermId,
) -> Result<(String, String), String> {
    let types = function.parameters.iter().map(|(name, ctype)| (name.as_str(), *ctype)).collect();
    let mut printer = Printer {
        bank,
        words: &function.words,
        types,
        sure: &function.sure,
        helpers: Helpers::default(),
        temporaries: FxHashMap::default(),
    };
    let Some(file) = file.filter(|_| function.name.is_some()) else {
        if bank.size(term) > LARGEST {
            return Err(format!("an expression of more than {LARGEST} nodes"));
        }
        let text = printer.all(term)?.text;
        return Ok((text, printer.helpers.text(&[])));
    };
    let mut body = String::new();
    let mut taken = 0;
    for part in printer.shared(term) {
        let piece = printer.all(part)?;
        let name = loop {
            taken += 1;
            let name = format!("t{taken}");
            if !printer.types.contains_key(&*name) {
                break name;
            }
        };
        let bits = printer.bits(part)?;
        let ctype = CType::of(bits, piece.range == Range::Signed && bits > 1);
        let range = match piece.range {
            Range::Any => Range::Unsigned,
            known => known,
        };
        body += &format!("    {ctype} {name} = {};\n", piece.text);
        printer.temporaries.insert(part, Piece::atom(name, ctype.promoted(), range));
    }
    let returned = printer.all(term)?.text;
    body += &format!("    return {returned};\n");
    let helpers = printer.helpers.text(&file.helpers);
    Ok((format!("{} {{\n{body}}}", file.head(function)), helpers))
}

struct Printer<'b> {
    bank: &'b TermBank,
    words: &'b Words,
    /// Types of variables.
    types: FxHashMap<&'b str, CType>,
    sure: &'b Sure,
    helpers: Helpers,
    /// Parts that have a name.
    temporaries: FxHashMap<TermId, Piece>,
}

impl Printer<'_> {
    /// The parts that occur more than once and are no leaves, each after its own parts.
    fn shared(&self, term: TermId) -> Vec<TermId> {
        let parts = self.bank.subterms(term);
        let mut uses: FxHashMap<TermId, usize> = FxHashMap::default();
        for part in &parts {
            for child in self.bank.children(*part) {
                *uses.entry(*child).or_default() += 1;
            }
        }
        let is_shared = |part: &TermId| {
            uses.get(part).is_some_and(|uses| *uses > 1) && !self.bank.children(*part).is_empty()
        };
        parts.into_iter().filter(is_shared).collect()
    }

    fn bits(&self, term: TermId) -> Result<u32, String> {
        let sort = self.bank.sort(term);
        self.words.bits(sort).ok_or_else(|| {
            format!("a term of sort {} is no integer in C", self.bank.language().sort_name(sort))
        })
    }

    /// The text of a term, with the names of parts that have one.
    fn all(&mut self, term: TermId) -> Result<Piece, String> {
        let mut known: FxHashMap<TermId, Piece> = FxHashMap::default();
        let mut todo = vec![(term, false)];
        while let Some((part, ready)) = todo.pop() {
            if known.contains_key(&part) {
                continue;
            }
            if let Some(named) = self.temporaries.get(&part) {
                known.insert(part, named.clone());
                continue;
            }
            let children = self.bank.children(part);
            if !ready {
                todo.push((part, true));
                todo.extend(children.iter().map(|child| (*child, false)));
                continue;
            }
            let args: Vec<Piece> = children.iter().map(|child| known[child].clone()).collect();
            let made = self.piece(part, &args)?;
            known.insert(part, made);
        }
        Ok(known.remove(&term).expect("the term was the first to do"))
    }

    fn piece(&mut self, term: TermId, args: &[Piece]) -> Result<Piece, String> {
        let n = self.bits(term)?;
        if let Some(value) = number(self.bank, term) {
            return Ok(literal(value, n));
        }
        let op = match self.bank.node(term) {
            Node::Op(op) => op,
            Node::Leaf(leaf) => {
                let LeafValue::Variable(name) = &leaf.value else {
                    return Err("C has no bound variables".to_owned());
                };
                if !is_name(name) {
                    return Err(format!("the variable '{name}' has a name that C does not allow"));
                }
                let ctype = self.types.get(&**name).copied().unwrap_or(CType::of(n, false));
                let range = match (n, ctype.signed) {
                    (1, _) => Range::Both,
                    (_, true) => Range::Signed,
                    (_, false) => Range::Unsigned,
                };
                return Ok(Piece::atom(name.clone(), ctype.promoted(), range));
            }
        };
        let Some((name, from, _)) = self.words.meaning(op) else {
            return Err(format!("C has no operator '{}'", self.bank.language().op(op).name));
        };
        let from = from.first().copied().unwrap_or(n);
        let mut children: Vec<TermId> = self.bank.children(term).to_vec();
        let mut args = args.to_vec();
        // As people write it: a literal comes second.
        if let ("+" | "*" | "&" | "|" | "^" | "==" | "!=", [Some(_), None]) =
            (name, &args.iter().map(|arg| arg.literal).collect::<Vec<_>>()[..])
        {
            args.swap(0, 1);
            children.swap(0, 1);
        }
        let args = &args[..];
        Ok(match (name, args) {
            ("+", [a, b]) => match b.literal.and_then(|value| opposite(value, n)) {
                // A sum with the upper half of the words is a difference.
                Some(less) => sum("-", a, &literal(less, n), n),
                None => sum("+", a, b, n),
            },
            ("-", [a, b]) => sum("-", a, b, n),
            ("*", [a, b]) => product(a, b, n),
            ("&", [a, b]) => bitwise(("&", strength::BIT_AND), a, b, n),
            ("|", [a, b]) => bitwise(("|", strength::BIT_OR), a, b, n),
            ("^", [a, b]) => bitwise(("^", strength::BIT_XOR), a, b, n),
            ("~", [a]) => {
                let a = if a.ctype.bits < n { cast(a, n, false) } else { a.clone() };
                let range = match (a.range, n) {
                    (Range::Signed | Range::Both, _) if a.ctype.signed => Range::Signed,
                    (_, 32..) if !a.ctype.signed => Range::Unsigned,
                    _ => Range::Any,
                };
                prefixed("~", &a, a.ctype, range)
            }
            ("neg", [a]) => match n {
                32.. => prefixed("-", &wide(a, n), CType::of(n, false), Range::Unsigned),
                _ => prefixed("-", &exact(a, n), CType::INT, Range::Any),
            },
            ("<<" | ">>" | ">>s", [a, b]) => {
                if !self.sure.is_amount(self.bank, self.words, children[1], n) {
                    return Ok(self.helper(name, args, n));
                }
                let b = unsigned(b, n);
                // What is zero from some bit on may be of a narrower type.
                let is_narrow = n >= 32 && a.ctype.bits < n;
                let a = match (name, n) {
                    ("<<", 32..) => wide(a, n),
                    (">>s", _) if is_narrow => cast(a, n, true),
                    (">>", _) if is_narrow => cast(a, n, false),
                    (">>s", _) => signed(a, n),
                    _ => unsigned(a, n),
                };
                let range = match name {
                    "<<" if n < 32 => Range::Any,
                    "<<" => Range::Unsigned,
                    ">>" if b.literal.is_some_and(|amount| amount > 0) => Range::Both,
                    _ => a.range,
                };
                let sign = if name == "<<" { "<<" } else { ">>" };
                binary((sign, strength::SHIFT), &a, &b, a.ctype, range)
            }
            ("/" | "%", [a, b]) => {
                if !self.sure.is_divisor(self.bank, children[1]) {
                    return Ok(self.helper(name, args, n));
                }
                let (a, b) = (unsigned(a, n), unsigned(b, n));
                let range = if a.range == Range::Both { Range::Both } else { Range::Unsigned };
                binary((name, strength::PRODUCT), &a, &b, a.ctype.common(b.ctype), range)
            }
            ("/s" | "%s", [a, b]) => {
                if !self.is_signed_division(children[0], children[1], n) {
                    return Ok(self.helper(name, args, n));
                }
                let (mut a, b) = (signed(a, n), signed(b, n));
                if a.ctype.common(b.ctype).bits < n {
                    a = cast(&a, n, true);
                }
                let range = if n < 32 { Range::Any } else { Range::Signed };
                let sign = if name == "/s" { "/" } else { "%" };
                binary((sign, strength::PRODUCT), &a, &b, a.ctype.common(b.ctype), range)
            }
            ("<" | "<=", [a, b]) => {
                compared((name, strength::LESS), &unsigned(a, from), &unsigned(b, from))
            }
            ("<s", [a, b]) => compared(("<", strength::LESS), &signed(a, from), &signed(b, from)),
            ("<=s", [a, b]) => compared(("<=", strength::LESS), &signed(a, from), &signed(b, from)),
            ("==" | "!=", [a, b]) => {
                let (a, b) = alike(a, b, from);
                compared((name, strength::EQUAL), &a, &b)
            }
            ("&&", [a, b]) => compared(("&&", strength::AND), a, b),
            ("||", [a, b]) => compared(("||", strength::OR), a, b),
            ("!", [a]) => prefixed("!", a, CType::INT, Range::Both),
            ("select", [c, a, b]) => {
                let (a, b) = if n < 32 { (a.clone(), b.clone()) } else { same_width(a, b, n) };
                let ctype = a.ctype.common(b.ctype);
                let text = format!(
                    "{} ? {} : {}",
                    c.within(CHOICE + 1),
                    a.within(CHOICE + 1),
                    b.within(CHOICE)
                );
                let range = joined(&a, &b, ctype, n);
                Piece { text, strength: CHOICE, ctype, range, literal: None }
            }
            ("zext", [a]) => {
                let a = unsigned(a, from);
                Piece { range: Range::Both, literal: None, ..a }
            }
            ("sext", [a]) if from == 1 => prefixed("-", a, CType::INT, Range::Signed),
            ("sext", [a]) => {
                let a = signed(a, from);
                Piece {
                    range: if a.range == Range::Both { Range::Both } else { Range::Signed },
                    literal: None,
                    ..a
                }
            }
            ("trunc", [a]) if n < 32 => Piece { range: Range::Any, literal: None, ..a.clone() },
            ("trunc", [a]) => cast(a, n, false),
            ("popcount", [a]) => {
                let called = if n == 64 { "__builtin_popcountll" } else { "__builtin_popcount" };
                let text = format!("{called}({})", unsigned(a, n).text);
                Piece::atom(text, CType::INT, Range::Both)
            }
            ("rotl" | "rotr" | "min" | "max" | "mins" | "maxs" | "clz" | "ctz", _) => {
                self.helper(name, args, n)
            }
            _ => return Err(format!("C has no operator '{}'", self.bank.language().op(op).name)),
        })
    }

    /// A call of a helper, to which arguments are converted.
    fn helper(&mut self, operator: &str, args: &[Piece], n: u32) -> Piece {
        let name = self.helpers.call(operator, n);
        let args: Vec<&str> = args.iter().map(|arg| &*arg.text).collect();
        let has_sign = matches!(operator, ">>s" | "/s" | "%s" | "mins" | "maxs");
        let range = match operator {
            "clz" | "ctz" => Range::Both,
            _ if has_sign => Range::Signed,
            _ => Range::Unsigned,
        };
        Piece::atom(
            format!("{name}({})", args.join(", ")),
            CType::of(n, has_sign).promoted(),
            range,
        )
    }

    /// Whether a quotient with a sign has a value. Words of less than an `int` are divided as such, where all quotients fit.
    fn is_signed_division(&self, dividend: TermId, divisor: TermId, n: u32) -> bool {
        let is_narrow = n < 32 && number(self.bank, divisor).is_none();
        self.sure.is_signed_division(self.bank, (dividend, divisor), n)
            || is_narrow && self.sure.is_divisor(self.bank, divisor)
    }
}
