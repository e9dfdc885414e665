//! Which operators of a system are C's, on which sort, and what C calls a name.

use egraph::{Language, LiteralKind, OpId, Operator, SortId, Width};

/// How strongly an operator binds; a larger number binds more strongly.
pub(super) type Strength = u8;

/// The binary operators, all of which associate to the left.
pub(super) const BINARY: [(&str, Strength); 10] = [
    ("|", 1),
    ("^", 2),
    ("&", 3),
    ("<<", 4),
    (">>", 4),
    ("+", SUM),
    ("-", SUM),
    ("*", PRODUCT),
    ("/", PRODUCT),
    ("%", PRODUCT),
];

pub(super) const SUM: Strength = 5;
pub(super) const PRODUCT: Strength = 6;
/// Of unary operators, and of negative numbers.
pub(super) const UNARY: Strength = 7;
/// Of what needs no parentheses anywhere.
pub(super) const ATOM: Strength = 8;

/// The operators of a system on one sort, as C has them.
pub(super) struct Dialect<'a> {
    language: &'a Language,
    /// The sort of all expressions.
    pub sort: SortId,
    /// The number of bits, where the literals are words; otherwise they are integers.
    pub width: Option<Width>,
}

/// An operator of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    /// With one operand after it.
    Unary(&'static str),
    /// Between two operands.
    Binary(&'static str, Strength),
}

impl<'a> Dialect<'a> {
    /// The first sort of words that has an operator of C, otherwise the first such sort of integers.
    ///
    /// # Errors
    /// There is no such sort.
    pub fn of(language: &'a Language) -> Result<Self, String> {
        let all = language.literals.iter().filter_map(|&(_, sort)| Self::on(language, sort));
        let has_operators = |dialect: &Dialect<'_>| {
            (0..language.operators.len()).any(|op| dialect.symbol(OpId(op as u32)).is_some())
        };
        // Words come first, as false is less than true.
        all.filter(has_operators).min_by_key(|dialect| dialect.width.is_none()).ok_or_else(|| {
            "the system has no operator of C, as + or &, on a sort with literals of the kind (bits N) or i64"
                .to_owned()
        })
    }

    /// The dialect on a sort, if that has literals of a kind that C has.
    pub fn on(language: &'a Language, sort: SortId) -> Option<Self> {
        let width = match language.literal_kind(sort)? {
            LiteralKind::Bits(width) => Some(width),
            LiteralKind::I64 => None,
            _ => return None,
        };
        Some(Dialect { language, sort, width })
    }

    /// What an operator of the system is in C.
    pub fn symbol(&self, op: OpId) -> Option<Symbol> {
        let op = self.language.op(op);
        let own = op.result == self.sort && op.args.iter().all(|&sort| sort == self.sort);
        if !own || !op.binds.is_empty() {
            return None;
        }
        match (op.args.len(), op.name.as_str()) {
            (1, "neg" | "-") => Some(Symbol::Unary("-")),
            (1, "~") => Some(Symbol::Unary("~")),
            (2, name) => {
                let (symbol, strength) = *BINARY.iter().find(|(symbol, _)| *symbol == name)?;
                Some(Symbol::Binary(symbol, strength))
            }
            _ => None,
        }
    }

    /// The operator of the system that stands for a binary one of C.
    ///
    /// # Errors
    /// The system has none; a message.
    pub fn binary(&self, symbol: &str) -> Result<OpId, String> {
        let named = self.language.operator(symbol);
        let fits = |op: &OpId| matches!(self.symbol(*op), Some(Symbol::Binary(..)));
        named.filter(fits).ok_or_else(|| match named {
            None => format!("the system has no operator '{symbol}'"),
            Some(op) => self.differs(self.language.op(op), "two arguments"),
        })
    }

    /// The operator of the system that stands for a unary one of C.
    ///
    /// # Errors
    /// The system has none; a message.
    pub fn unary(&self, symbol: &str) -> Result<OpId, String> {
        let names: &[&str] = if symbol == "-" { &["neg", "-"] } else { &[symbol] };
        let fits = |op: &OpId| matches!(self.symbol(*op), Some(Symbol::Unary(_)));
        let mut named = names.iter().filter_map(|name| self.language.operator(name));
        named.clone().find(fits).ok_or_else(|| match (symbol, named.next()) {
            ("-", _) => format!(
                "the system has no operator for a minus with one operand: expected 'neg', or '-' of one argument, \
                 on {}",
                self.sort_name()
            ),
            (_, None) => format!("the system has no operator '{symbol}'"),
            (_, Some(op)) => self.differs(self.language.op(op), "one argument"),
        })
    }

    fn differs(&self, op: &Operator, arguments: &str) -> String {
        format!(
            "the system's operator '{}' is not one of {arguments} on {}, as C's is",
            op.name,
            self.sort_name()
        )
    }

    /// The name of the sort.
    pub fn sort_name(&self) -> &'a str {
        self.language.sort_name(self.sort)
    }
}

/// Whether C takes a text as the name of a variable.
pub(super) fn is_name(text: &str) -> bool {
    let rest = |c: char| c == '_' || c.is_ascii_alphanumeric();
    !text.starts_with(|c: char| c.is_ascii_digit())
        && !text.is_empty()
        && text.chars().all(rest)
        && !KEYWORDS.contains(&text)
}

const KEYWORDS: [&str; 37] = [
    "auto",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "_Bool",
    "_Complex",
    "_Imaginary",
];
