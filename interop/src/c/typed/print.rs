//! From a term over words to C: a function with its shared parts as temporaries, or an expression.
//!
//! A word of N bits is any expression whose value, converted to `uintN_t`, is the word. So sums of narrow words are cut only
//! where it matters, and signed variables stand for words as they are. What has no value in C is written only where the
//! original is sure to compute it, too; else a helper is called that has one.

use crate::c::dialect::is_name;
use crate::c::typed::helpers::Helpers;
use crate::c::typed::read::Sure;
use crate::c::typed::statements::{CFile, CFunction};
use crate::c::typed::types::CType;
use crate::c::typed::words::{Words, number};
use egraph::{LeafValue, Node, TermBank, TermId};
use rustc_hash::FxHashMap;

/// How strongly the operators of C bind.
mod strength {
    pub const CHOICE: u8 = 1;
    pub const OR: u8 = 2;
    pub const AND: u8 = 3;
    pub const BIT_OR: u8 = 4;
    pub const BIT_XOR: u8 = 5;
    pub const BIT_AND: u8 = 6;
    pub const EQUAL: u8 = 7;
    pub const LESS: u8 = 8;
    pub const SHIFT: u8 = 9;
    pub const SUM: u8 = 10;
    pub const PRODUCT: u8 = 11;
    pub const UNARY: u8 = 12;
    pub const ATOM: u8 = 13;
}
use strength::{ATOM, CHOICE, SUM, UNARY};

/// Most nodes of an expression that is written without temporaries.
const LARGEST: u64 = 2_000;

/// What is known of the value of a text beside that it is the word modulo 2ᴺ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Range {
    /// From 0 to 2ᴺ − 1.
    Unsigned,
    /// From −2ᴺ⁻¹ to 2ᴺ⁻¹ − 1.
    Signed,
    /// From 0 to 2ᴺ⁻¹ − 1: both.
    Both,
    /// Nothing.
    Any,
}

/// An expression of C.
#[derive(Clone, Debug)]
struct Piece {
    text: String,
    strength: u8,
    /// Its type in C, which is no narrower than `int`.
    ctype: CType,
    range: Range,
    /// The number, if it is one.
    literal: Option<u64>,
}

impl Piece {
    fn atom(text: String, ctype: CType, range: Range) -> Piece {
        Piece { text, strength: ATOM, ctype, range, literal: None }
    }

    /// In parentheses where it binds less strongly.
    fn within(&self, least: u8) -> String {
        if self.strength < least { format!("({})", self.text) } else { self.text.clone() }
    }
}

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
    let words = Words::of(bank.language()).ok_or("the system has no words for C")?;
    let types = function.parameters.iter().map(|(name, ctype)| (name.as_str(), *ctype)).collect();
    let mut printer = Printer {
        bank,
        words,
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
    words: Words,
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
                if !self.is_amount(children[1], n) {
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
                if !self.is_divisor(children[1]) {
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

    /// Whether words of `n` bits may be shifted by a term: it is less than n, or the original has no meaning.
    fn is_amount(&self, term: TermId, n: u32) -> bool {
        let below = |term: TermId, most: u64| number(self.bank, term).is_some_and(|v| v < most);
        if below(term, n.into())
            || self.sure.amounts.iter().any(|(t, bits)| *t == term && *bits <= n)
        {
            return true;
        }
        let Node::Op(op) = self.bank.node(term) else { return false };
        match (self.words.meaning(op), self.bank.children(term)) {
            (Some(("&", ..)), [a, b]) => below(*a, n.into()) || below(*b, n.into()),
            (Some(("%", ..)), [_, b]) => below(*b, u64::from(n) + 1) && self.is_divisor(*b),
            (Some(("zext", [1], _)), _) => true,
            _ => false,
        }
    }

    fn is_divisor(&self, term: TermId) -> bool {
        number(self.bank, term).is_some_and(|value| value != 0)
            || self.sure.divisors.contains(&term)
    }

    fn is_signed_division(&self, dividend: TermId, divisor: TermId, n: u32) -> bool {
        match number(self.bank, divisor) {
            Some(value) => value != 0 && opposite(value, n) != Some(1),
            None if n < 32 => self.is_divisor(divisor),
            None => self.sure.signed_divisions.contains(&(dividend, divisor)),
        }
    }
}

/// What has to be subtracted instead of adding a word of the upper half.
fn opposite(value: u64, n: u32) -> Option<u64> {
    (n > 1 && value >> (n - 1) == 1).then(|| value.wrapping_neg() & (u64::MAX >> (64 - n)))
}

/// Literals down to this are written as negative numbers, others in hexadecimal digits.
const LEAST: u64 = 4_096;

fn literal(value: u64, n: u32) -> Piece {
    let (text, ctype, range) = match opposite(value, n) {
        None if value >> 31 == 0 => (value.to_string(), CType::INT, Range::Both),
        None => (value.to_string(), CType::of(64, true), Range::Both),
        Some(_) if n < 32 => (value.to_string(), CType::INT, Range::Unsigned),
        Some(less) if less <= LEAST => (format!("-{less}"), CType::INT, Range::Signed),
        Some(_) if n == 32 => (format!("0x{value:x}u"), CType::UNSIGNED, Range::Unsigned),
        Some(_) => (format!("0x{value:x}ull"), CType::of(64, false), Range::Unsigned),
    };
    let strength = if text.starts_with('-') { UNARY } else { ATOM };
    Piece { text, strength, ctype, range, literal: Some(value) }
}

fn cast(piece: &Piece, n: u32, signed: bool) -> Piece {
    let ctype = CType::of(n, signed);
    let text = format!("({ctype}){}", piece.within(UNARY));
    let range = if signed { Range::Signed } else { Range::Unsigned };
    Piece { text, strength: UNARY, ctype: ctype.promoted(), range, literal: None }
}

/// The word as a number from 0 on.
fn unsigned(piece: &Piece, n: u32) -> Piece {
    match piece.range {
        Range::Unsigned | Range::Both => piece.clone(),
        _ => cast(piece, n, false),
    }
}

/// The word as a number with a sign, of a type that has one.
fn signed(piece: &Piece, n: u32) -> Piece {
    match piece.range {
        Range::Signed | Range::Both if piece.ctype.signed => piece.clone(),
        _ => cast(piece, n, true),
    }
}

/// A narrow word of which the value is one of its own.
fn exact(piece: &Piece, n: u32) -> Piece {
    if piece.range == Range::Any { cast(piece, n, false) } else { piece.clone() }
}

/// Of the type `uintN_t`, for words that are no narrower than an `int`.
fn wide(piece: &Piece, n: u32) -> Piece {
    if piece.ctype == CType::of(n, false) { piece.clone() } else { cast(piece, n, false) }
}

/// Two operands of which one at least is of the type `uintN_t`.
fn one_wide(a: &Piece, b: &Piece, n: u32) -> (Piece, Piece) {
    match () {
        () if [a, b].iter().any(|piece| piece.ctype == CType::of(n, false)) => {
            (a.clone(), b.clone())
        }
        () if a.literal.is_some() => (a.clone(), wide(b, n)),
        () => (wide(a, n), b.clone()),
    }
}

fn sum(sign: &'static str, a: &Piece, b: &Piece, n: u32) -> Piece {
    if n < 32 {
        return binary((sign, SUM), &exact(a, n), &exact(b, n), CType::INT, Range::Any);
    }
    let (a, b) = one_wide(a, b, n);
    binary((sign, SUM), &a, &b, CType::of(n, false), Range::Unsigned)
}

fn product(a: &Piece, b: &Piece, n: u32) -> Piece {
    let operator = ("*", strength::PRODUCT);
    match n {
        32.. => {
            let (a, b) = one_wide(a, b, n);
            binary(operator, &a, &b, CType::of(n, false), Range::Unsigned)
        }
        // Two words of 16 bits are more than an int holds.
        9.. => {
            let a = cast(&exact(a, n), 32, false);
            binary(operator, &a, &exact(b, n), CType::UNSIGNED, Range::Any)
        }
        _ => binary(operator, &exact(a, n), &exact(b, n), CType::INT, Range::Any),
    }
}

/// Two operands that C brings to one type without a change of their words.
fn same_width(a: &Piece, b: &Piece, n: u32) -> (Piece, Piece) {
    let common = a.ctype.common(b.ctype);
    let both = |f: fn(&Piece) -> bool| f(a) && f(b);
    let as_they_are = common.bits >= n
        || both(|piece| piece.range == Range::Both)
        || both(|piece| piece.ctype.signed);
    if as_they_are { (a.clone(), b.clone()) } else { (cast(a, n, false), b.clone()) }
}

/// The range of either of two values, in the type that both are brought to.
fn joined(a: &Piece, b: &Piece, ctype: CType, n: u32) -> Range {
    let both = |f: fn(Range) -> bool| f(a.range) && f(b.range);
    match () {
        () if both(|range| range == Range::Both) => Range::Both,
        () if n >= 32 && ctype == CType::of(n, false) => Range::Unsigned,
        () if both(|range| matches!(range, Range::Unsigned | Range::Both)) => Range::Unsigned,
        () if ctype.signed && both(|range| matches!(range, Range::Signed | Range::Both)) => {
            Range::Signed
        }
        () => Range::Any,
    }
}

fn bitwise(operator: (&'static str, u8), a: &Piece, b: &Piece, n: u32) -> Piece {
    let (a, b) = if n < 32 { (a.clone(), b.clone()) } else { same_width(a, b, n) };
    let ctype = a.ctype.common(b.ctype);
    let is_no_more = |piece: &Piece| matches!(piece.range, Range::Unsigned | Range::Both);
    let range = match operator.0 {
        // No bit comes to what one of them has.
        "&" if a.range == Range::Both || b.range == Range::Both => Range::Both,
        "&" if is_no_more(&a) || is_no_more(&b) => Range::Unsigned,
        _ => joined(&a, &b, ctype, n),
    };
    binary(operator, &a, &b, ctype, range)
}

/// Two operands that are equal in C if their words are.
fn alike(a: &Piece, b: &Piece, n: u32) -> (Piece, Piece) {
    if n >= 32 {
        return same_width(a, b, n);
    }
    let both = |f: fn(Range) -> bool| f(a.range) && f(b.range);
    let as_they_are = both(|range| matches!(range, Range::Unsigned | Range::Both))
        || both(|range| matches!(range, Range::Signed | Range::Both));
    if as_they_are { (a.clone(), b.clone()) } else { (unsigned(a, n), unsigned(b, n)) }
}

fn compared(operator: (&'static str, u8), a: &Piece, b: &Piece) -> Piece {
    binary(operator, a, b, CType::INT, Range::Both)
}

fn binary(
    (operator, strength): (&'static str, u8),
    a: &Piece,
    b: &Piece,
    ctype: CType,
    range: Range,
) -> Piece {
    let text = format!("{} {operator} {}", a.within(strength), b.within(strength + 1));
    Piece { text, strength, ctype, range, literal: None }
}

fn prefixed(operator: &'static str, a: &Piece, ctype: CType, range: Range) -> Piece {
    let operand = a.within(UNARY);
    // Two signs side by side are another operator.
    let text = match operand.starts_with(operator) && operator == "-" {
        true => format!("{operator}({operand})"),
        false => format!("{operator}{operand}"),
    };
    Piece { text, strength: UNARY, ctype, range, literal: None }
}
