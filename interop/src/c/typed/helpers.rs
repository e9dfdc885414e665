//! Functions of C that compute what C has no operator for, or where its operator has no value.

use std::collections::BTreeMap;

/// Names of helpers, before the width, and the operators that they compute.
const HELPERS: [(&str, &str); 15] = [
    ("shl", "<<"),
    ("shr", ">>"),
    ("sar", ">>s"),
    ("div", "/"),
    ("mod", "%"),
    ("divs", "/s"),
    ("mods", "%s"),
    ("rotl", "rotl"),
    ("rotr", "rotr"),
    ("min", "min"),
    ("max", "max"),
    ("mins", "mins"),
    ("maxs", "maxs"),
    ("clz", "clz"),
    ("ctz", "ctz"),
];

/// What a helper of this name computes, on words of so many bits.
pub(super) fn helper_named(name: &str) -> Option<(&'static str, u32)> {
    let (name, bits) = name.rsplit_once('_')?;
    let bits = bits.parse().ok().filter(|bits| [8, 16, 32, 64].contains(bits))?;
    let known = HELPERS.iter().find(|(known, _)| *known == name)?;
    Some((known.1, bits))
}

/// The helpers that a text calls, by name: their definitions.
#[derive(Default)]
pub(super) struct Helpers {
    definitions: BTreeMap<String, String>,
}

impl Helpers {
    /// The name of the function that computes an operator on words of so many bits.
    pub fn call(&mut self, operator: &str, bits: u32) -> String {
        let (u, s) = (format!("uint{bits}_t"), format!("int{bits}_t"));
        let name = HELPERS.iter().find(|(_, known)| *known == operator).expect("it has a helper").0;
        let (result, body) = match operator {
            "<<" => (&u, format!("b < {bits} ? ({u})(({wide})a << b) : 0", wide = wide(bits))),
            ">>" => (&u, format!("b < {bits} ? a >> b : 0")),
            ">>s" => (&s, format!("({s})a >> (b < {bits} ? b : {})", bits - 1)),
            "/" => (&u, format!("b ? a / b : ({u})-1")),
            "%" => (&u, "b ? a % b : a".to_owned()),
            // The least number has no opposite, and no quotient by -1.
            "/s" => (
                &s,
                format!(
                    "b == 0 ? (({s})a < 0 ? 1 : -1) : b == ({u})-1 ? ({s})({u})(0u - a) : ({s})a / ({s})b"
                ),
            ),
            "%s" => (&s, format!("b == 0 ? ({s})a : b == ({u})-1 ? 0 : ({s})a % ({s})b")),
            "rotl" => (
                &u,
                format!(
                    "({u})(({wide})a << (b % {bits})) | ({u})(a >> (({bits} - b % {bits}) % {bits}))",
                    wide = wide(bits)
                ),
            ),
            "rotr" => (
                &u,
                format!(
                    "({u})(a >> (b % {bits})) | ({u})(({wide})a << (({bits} - b % {bits}) % {bits}))",
                    wide = wide(bits)
                ),
            ),
            "min" => (&u, "a < b ? a : b".to_owned()),
            "max" => (&u, "a < b ? b : a".to_owned()),
            "mins" => (&s, format!("({s})a < ({s})b ? ({s})a : ({s})b")),
            "maxs" => (&s, format!("({s})a < ({s})b ? ({s})b : ({s})a")),
            "clz" => (&u, format!("a ? __builtin_clzll(a) - {} : {bits}", 64 - bits)),
            "ctz" => (&u, format!("a ? __builtin_ctzll(a) : {bits}")),
            _ => unreachable!("{operator} has no helper"),
        };
        let unary = matches!(operator, "clz" | "ctz");
        let parameters = if unary { format!("{u} a") } else { format!("{u} a, {u} b") };
        let name = format!("{name}_{bits}");
        let text = format!("static inline {result} {name}({parameters}) {{ return {body}; }}\n");
        self.definitions.insert(name.clone(), text);
        name
    }

    /// All definitions but those of `known` helpers, in the order of their names.
    pub fn text(&self, known: &[String]) -> String {
        let new = self.definitions.iter().filter(|(name, _)| !known.contains(name));
        new.map(|(_, text)| text.as_str()).collect()
    }
}

/// A type in which words can be shifted without a sign.
fn wide(bits: u32) -> &'static str {
    if bits == 64 { "uint64_t" } else { "uint32_t" }
}
