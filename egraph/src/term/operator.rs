//! The operators that have a meaning on literals, by the names that rules files have for them. What each computes, the kinds
//! of literals say ([`crate::term::builtin`]): they match on these and not on names, as facts and conditions are evaluated
//! for each e-node.

macro_rules! operators {
    ($($operator:ident $name:literal)*) => {
        /// An operator.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Operator {
            $($operator,)*
        }

        impl Operator {
            /// The operator with this name.
            pub fn named(name: &str) -> Option<Operator> {
                match name {
                    $($name => Some(Operator::$operator),)*
                    _ => None,
                }
            }

            pub fn name(self) -> &'static str {
                match self {
                    $(Operator::$operator => $name,)*
                }
            }
        }
    };
}

operators! {
    Add "+" Sub "-" Mul "*" Div "/" Rem "%" Min "min" Max "max" Abs "abs" Neg "neg"
    DivSigned "/s" RemSigned "%s" MinSigned "mins" MaxSigned "maxs"
    BitAnd "&" BitOr "|" BitXor "^" BitNot "~" And "and" Or "or" Xor "xor" Not "not"
    Shl "<<" Shr ">>" ShrSigned ">>s" ShlBy "shl" ShrBy "shr" Rotl "rotl" Rotr "rotr"
    Popcount "popcount" Clz "clz" Ctz "ctz"
    Less "<" AtMost "<=" Greater ">" AtLeast ">=" Equal "==" Unequal "!="
    LessSigned "<s" AtMostSigned "<=s" GreaterSigned ">s" AtLeastSigned ">=s"
    Both "&&" Either "||" Opposite "!"
    Zext "zext" Sext "sext" Trunc "trunc" Extract "extract" Concat "concat" Select "select"
}
