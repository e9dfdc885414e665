//! Keywords as options: what they are called, what they may be and what they are if they are left out, the structs of
//! `guided_search` say.

use crate::errors::bad;
use egraph::did_you_mean;
use pyo3::exceptions::{PyDeprecationWarning, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};
use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{
    DeserializeOwned, Deserializer, Error, Expected, IntoDeserializer, Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;
use std::ffi::CString;
use std::fmt::{self, Display};

/// Keywords that were renamed.
const OLD: [(&str, &str); 2] = [("per_request", "guides"), ("exact", "exact_time")];

/// Says that a keyword was renamed, as a `DeprecationWarning`.
pub fn was_renamed(py: Python<'_>, old: &str, new: &str) -> PyResult<()> {
    let said = format!("{old}= is called {new}= now; the next release does not know the old name");
    PyErr::warn(py, &py.get_type::<PyDeprecationWarning>(), &CString::new(said)?, 1)
}

/// A function that guides, from `propose=`, or from `guides=`, as it was called.
pub fn proposing(
    propose: Option<Py<PyAny>>,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<Option<Py<PyAny>>> {
    let Some(keywords) = keywords else { return Ok(propose) };
    match keywords.get_item("guides")? {
        Some(function) if function.is_callable() => {
            was_renamed(keywords.py(), "guides", "propose")?;
            keywords.del_item("guides")?;
            Ok(Some(function.unbind()))
        }
        _ => Ok(propose),
    }
}

/// The options that keywords give. One that is `None` is not given.
pub fn read<T: DeserializeOwned>(
    function: &str,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<T> {
    let mut given = Vec::new();
    for (name, value) in keywords.into_iter().flatten() {
        let name: String = name.extract()?;
        let renamed = OLD.iter().find(|(old, _)| *old == name);
        if let Some((old, new)) = renamed {
            was_renamed(value.py(), old, new)?;
        }
        if !value.is_none() {
            given.push((renamed.map_or(name, |&(_, new)| new.to_owned()), value));
        }
    }
    let given = given.into_iter().map(|(name, value)| (name.clone(), Value { name, value }));
    T::deserialize(MapDeserializer::new(given)).map_err(|Wrong { keyword, kind, why }| {
        let why = format!("{}: {why}", keyword.as_deref().unwrap_or(function));
        if kind { PyTypeError::new_err(why) } else { bad(why) }
    })
}

/// What is wrong with a keyword: of which, whether what it is given is of another kind, and what was expected.
#[derive(Debug)]
struct Wrong {
    keyword: Option<String>,
    kind: bool,
    why: String,
}

impl Wrong {
    fn new(kind: bool, why: String) -> Wrong {
        Wrong { keyword: None, kind, why }
    }

    fn of(self, keyword: &str) -> Wrong {
        Wrong { keyword: Some(keyword.to_owned()), ..self }
    }
}

impl Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for Wrong {}

impl From<PyErr> for Wrong {
    fn from(raised: PyErr) -> Wrong {
        Wrong::new(true, raised.to_string())
    }
}

impl Error for Wrong {
    fn custom<T: Display>(why: T) -> Wrong {
        Wrong::new(false, why.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Wrong {
        Wrong::new(true, format!("expected {}, found {}", in_words(expected), shown(found)))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Wrong {
        Wrong { kind: false, ..Wrong::invalid_type(found, expected) }
    }

    fn unknown_field(name: &str, known: &'static [&'static str]) -> Wrong {
        let hint = did_you_mean(name, known.iter().copied());
        Wrong::new(true, format!("unexpected keyword argument '{name}'{hint}"))
    }
}

/// What Rust calls a type, as users know it.
fn in_words(expected: &dyn Expected) -> String {
    match expected.to_string().as_str() {
        "u32" => "a whole number from 0 to 2^32 - 1".to_owned(),
        "u64" | "usize" => "a whole number from 0 to 2^64 - 1".to_owned(),
        "f64" => "a number".to_owned(),
        "any value" => "a number or a text".to_owned(),
        "a boolean" => "True or False".to_owned(),
        other => other.to_owned(),
    }
}

fn shown(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(true) => "True".to_owned(),
        Unexpected::Bool(false) => "False".to_owned(),
        Unexpected::Unsigned(number) => number.to_string(),
        Unexpected::Signed(number) => number.to_string(),
        Unexpected::Float(number) => number.to_string(),
        Unexpected::Str(text) => format!("'{text}'"),
        other => other.to_string(),
    }
}

/// The value of a keyword.
struct Value<'py> {
    name: String,
    value: Bound<'py, PyAny>,
}

impl Value<'_> {
    fn visit<'de, V: Visitor<'de>>(&self, visitor: V) -> Result<V::Value, Wrong> {
        let given = &self.value;
        if let Ok(truth) = given.cast::<PyBool>() {
            return visitor.visit_bool(truth.is_true());
        }
        if let Ok(text) = given.cast::<PyString>() {
            return visitor.visit_str(text.to_str()?);
        }
        // Whatever is a whole number to Python, as those of NumPy.
        if given.hasattr("__index__")? {
            if let Ok(number) = given.extract::<u64>() {
                return visitor.visit_u64(number);
            }
            if let Ok(number) = given.extract::<i64>() {
                return visitor.visit_i64(number);
            }
            let number = given.str()?;
            return Err(Wrong::invalid_value(Unexpected::Other(number.to_str()?), &visitor));
        }
        if given.hasattr("__float__")? {
            return visitor.visit_f64(given.extract()?);
        }
        let kind = given.get_type().name()?;
        Err(Wrong::invalid_type(Unexpected::Other(kind.to_str()?), &visitor))
    }
}

impl<'de> IntoDeserializer<'de, Wrong> for Value<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Value<'_> {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.visit(visitor).map_err(|wrong| wrong.of(&self.name))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        let name = self.name.clone();
        visitor.visit_some(self).map_err(|wrong| wrong.of(&name))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        let Ok(text) = self.value.cast::<PyString>() else { return self.deserialize_any(visitor) };
        let variant = text.to_str()?.into_deserializer();
        visitor.visit_enum(variant).map_err(|wrong: Wrong| wrong.of(&self.name))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        let Value { name, value } = self;
        let all: Vec<Bound<'_, PyAny>> =
            value.extract().map_err(|raised| Wrong::from(raised).of(&name))?;
        let all = all.into_iter().map(|value| Value { name: name.clone(), value });
        visitor.visit_seq(SeqDeserializer::new(all))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct tuple tuple_struct map struct identifier ignored_any
    }
}
