//! Names of instructions and of the operators that they are, of types and flags.

/// Widths of integers and their types.
pub const WIDTHS: [(u32, &str); 5] = [(1, "i1"), (8, "i8"), (16, "i16"), (32, "i32"), (64, "i64")];

/// Instructions after which another block begins.
pub const LAST: [&str; 11] = [
    "ret",
    "br",
    "switch",
    "indirectbr",
    "invoke",
    "callbr",
    "resume",
    "unreachable",
    "cleanupret",
    "catchret",
    "catchswitch",
];

/// Words before the type that make a result poison for some operands, and may be left out.
pub const FLAGS: [&str; 6] = ["nuw", "nsw", "exact", "disjoint", "nneg", "samesign"];

/// Instructions of two operands, and operators on words.
pub const BINARY: [(&str, &str); 13] = [
    ("add", "+"),
    ("sub", "-"),
    ("mul", "*"),
    ("udiv", "/"),
    ("urem", "%"),
    ("sdiv", "/s"),
    ("srem", "%s"),
    ("and", "&"),
    ("or", "|"),
    ("xor", "^"),
    ("shl", "<<"),
    ("lshr", ">>"),
    ("ashr", ">>s"),
];

/// Predicates of comparisons, and whether the operator has its operands the other way round.
pub const COMPARISONS: [(&str, &str, bool); 10] = [
    ("eq", "==", false),
    ("ne", "!=", false),
    ("ult", "<", false),
    ("ule", "<=", false),
    ("slt", "<s", false),
    ("sle", "<=s", false),
    ("ugt", "<", true),
    ("uge", "<=", true),
    ("sgt", "<s", true),
    ("sge", "<=s", true),
];

/// These have one name.
pub const CONVERSIONS: [&str; 3] = ["zext", "sext", "trunc"];

/// Intrinsic functions, without `llvm.` and the type.
pub const INTRINSICS: [(&str, &str); 9] = [
    ("ctpop", "popcount"),
    ("ctlz", "clz"),
    ("cttz", "ctz"),
    ("umin", "min"),
    ("umax", "max"),
    ("smin", "mins"),
    ("smax", "maxs"),
    ("fshl", "rotl"),
    ("fshr", "rotr"),
];

/// A type by its width.
pub fn type_of(bits: u32) -> &'static str {
    WIDTHS.iter().find(|(width, _)| *width == bits).map_or("", |(_, name)| name)
}
