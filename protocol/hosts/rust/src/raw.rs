//! Any JSON value as the text it came in: unknown fields, the spelling of numbers and the order of keys stay.

use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::{to_raw_value, RawValue};

/// Cheap to clone: a list of messages can be kept and compared without a copy of its text.
#[derive(Clone)]
pub struct Raw(Arc<RawValue>);

impl Raw {
    /// Keeps this text. An error if it is no JSON.
    pub fn parse(text: impl Into<String>) -> serde_json::Result<Raw> {
        RawValue::from_string(text.into()).map(|value| Raw(value.into()))
    }

    /// Writes a value as JSON. An error if it cannot be written, such as a map with keys that are no strings.
    pub fn of(value: &(impl Serialize + ?Sized)) -> serde_json::Result<Raw> {
        to_raw_value(value).map(|value| Raw(value.into()))
    }

    pub fn text(&self) -> &str {
        self.0.get()
    }

    pub fn read<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        serde_json::from_str(self.text())
    }
}

impl Default for Raw {
    /// `null`
    fn default() -> Raw {
        Raw(RawValue::NULL.to_owned().into())
    }
}

impl PartialEq for Raw {
    /// The same bytes; two spellings of one value differ.
    fn eq(&self, other: &Raw) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.text() == other.text()
    }
}

impl fmt::Debug for Raw {
    /// How long, not what: conversation text does not belong in a log.
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "Raw({} bytes)", self.text().len())
    }
}

impl Serialize for Raw {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Raw, D::Error> {
        Box::<RawValue>::deserialize(from).map(|value| Raw(value.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_as_it_is_and_out_of_logs() {
        for text in [r#"{"z":1.10,"a":[1E3, -0],"a":"\u0041\/\ud83d"}"#, "123456789012345678901234567890", "null"] {
            let raw = Raw::parse(text).unwrap();
            assert_eq!(Raw::of(&[&raw]).unwrap().text(), format!("[{text}]"));
            assert_eq!(serde_json::from_str::<Vec<Raw>>(&format!("[ {text} ]")).unwrap()[0], raw);
            assert_eq!(format!("{raw:?}"), format!("Raw({} bytes)", text.len()));
        }
        assert_ne!(Raw::parse("1.0").unwrap(), Raw::parse("1").unwrap());
        assert!(Raw::parse("{").is_err());
        assert_eq!(Raw::default().text(), "null");
    }
}
