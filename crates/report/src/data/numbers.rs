//! Numbers on their way into JSON: those JSON has no word for, and long arrays.

use crate::base64;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A number that may be infinite or not a number at all: an engine that blew up is a result. JSON has no word for these;
/// they are written as `"inf"`, `"-inf"` and `"nan"`.
#[derive(Clone, Copy, Debug)]
pub struct Real(pub f64);

impl From<f64> for Real {
    fn from(value: f64) -> Self {
        Self(value)
    }
}

/// Two values that are both not a number are the same result.
impl PartialEq for Real {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0 || (self.0.is_nan() && other.0.is_nan())
    }
}

impl Serialize for Real {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            value if value.is_finite() => serializer.serialize_f64(value),
            value if value.is_nan() => serializer.serialize_str("nan"),
            value if value > 0.0 => serializer.serialize_str("inf"),
            _ => serializer.serialize_str("-inf"),
        }
    }
}

impl<'de> Deserialize<'de> for Real {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(f64),
            Word(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(value) => Ok(Self(value)),
            Written::Word(word) => match word.as_str() {
                "nan" => Ok(Self(f64::NAN)),
                "inf" => Ok(Self(f64::INFINITY)),
                "-inf" => Ok(Self(f64::NEG_INFINITY)),
                other => Err(de::Error::custom(format!("`{other}` is no number; write a number, nan, inf or -inf"))),
            },
        }
    }
}

/// Many numbers for the eye: single precision, written as base64 of their little-endian bytes. A pose in single
/// precision is right to 1e-7 of its distance; metrics and verdicts are [`Real`].
#[derive(Clone, Debug, Default)]
pub struct F32Array(pub Vec<f32>);

impl F32Array {
    /// From double precision. What is too large for single precision becomes infinite.
    pub fn from_f64(values: impl IntoIterator<Item = f64>) -> Self {
        Self(values.into_iter().map(|value| value as f32).collect())
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// None at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Bit by bit, so that what is not a number equals itself.
impl PartialEq for F32Array {
    fn eq(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(|(a, b)| a.to_bits() == b.to_bits())
    }
}

impl Serialize for F32Array {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = self.0.iter().flat_map(|value| value.to_le_bytes()).collect();
        serializer.serialize_str(&base64::encode(&bytes))
    }
}

impl<'de> Deserialize<'de> for F32Array {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(words(deserializer)?.into_iter().map(f32::from_le_bytes).collect()))
    }
}

/// Many indices, written like [`F32Array`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct U32Array(pub Vec<u32>);

impl Serialize for U32Array {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = self.0.iter().flat_map(|value| value.to_le_bytes()).collect();
        serializer.serialize_str(&base64::encode(&bytes))
    }
}

impl<'de> Deserialize<'de> for U32Array {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(words(deserializer)?.into_iter().map(u32::from_le_bytes).collect()))
    }
}

fn words<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<[u8; 4]>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let bytes = base64::decode(&text).ok_or_else(|| de::Error::custom("an array that is not base64"))?;
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(de::Error::custom("an array whose bytes are no multiple of four"));
    }
    Ok(words.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_double_comes_back() {
        for value in [0.0, -1.5e-300, f64::MAX, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let text = serde_json::to_string(&Real(value)).unwrap();
            assert_eq!(serde_json::from_str::<Real>(&text).unwrap(), Real(value), "{text}");
        }
        assert!(serde_json::from_str::<Real>("\"many\"").is_err());
    }

    #[test]
    fn arrays_come_back_bit_by_bit() {
        let values = F32Array(vec![0.0, -0.0, 1.0e-40, f32::MAX, f32::NAN, f32::INFINITY]);
        let text = serde_json::to_string(&values).unwrap();
        assert_eq!(serde_json::from_str::<F32Array>(&text).unwrap(), values);
        // Little-endian whatever the machine: 1.0 is 00 00 80 3f.
        assert_eq!(serde_json::to_string(&F32Array(vec![1.0])).unwrap(), "\"AACAPw==\"");
        let indices = U32Array(vec![0, 7, u32::MAX]);
        let text = serde_json::to_string(&indices).unwrap();
        assert_eq!(serde_json::from_str::<U32Array>(&text).unwrap(), indices);
    }

    #[test]
    fn broken_arrays_are_refused() {
        assert!(serde_json::from_str::<F32Array>("\"AAC\"").is_err());
        assert!(serde_json::from_str::<F32Array>("\"AAA=\"").is_err());
    }
}
