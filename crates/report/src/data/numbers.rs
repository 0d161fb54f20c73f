//! Numbers in JSON: non-finite values, and long arrays.

use crate::pack;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A number that may be infinite or NaN: an engine that diverged is a result. JSON cannot represent these; they are
/// written as `"inf"`, `"-inf"` and `"nan"`.
#[derive(Clone, Copy, Debug)]
pub struct Real(pub f64);

impl From<f64> for Real {
    fn from(value: f64) -> Self {
        Self(value)
    }
}

/// Two NaN values are equal.
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
                other => {
                    Err(de::Error::custom(format!("`{other}` is not a number; expected a number, nan, inf or -inf")))
                }
            },
        }
    }
}

/// Times, increasing, to the nanosecond.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times {
    /// Whole nanoseconds.
    pub ns: Vec<i64>,
}

impl Times {
    /// From seconds. A non-finite time becomes a value that [`crate::ReportData::check`] rejects.
    pub fn from_s(seconds: impl IntoIterator<Item = f64>) -> Self {
        let whole = |time: f64| {
            let ns = (time * 1e9).round();
            if ns.abs() <= pack::LARGEST as f64 { ns as i64 } else { i64::MAX }
        };
        Self { ns: seconds.into_iter().map(whole).collect() }
    }

    /// Number of times.
    pub fn len(&self) -> usize {
        self.ns.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ns.is_empty()
    }
}

impl Serialize for Times {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ns: Vec<i64> = self.ns.iter().map(|ns| (*ns).clamp(-pack::LARGEST, pack::LARGEST)).collect();
        serializer.serialize_str(&pack::pack(&ns, 1))
    }
}

impl<'de> Deserialize<'de> for Times {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self { ns: column(deserializer)? })
    }
}

/// Values of a curve, rounded for display: single precision with twelve binary digits after the first. That is accurate
/// to 1.2e-4 of the value, a thousandth of a pixel on a logarithmic axis; metrics and verdicts are [`Real`].
#[derive(Clone, Debug, Default)]
pub struct Rounded(Vec<f32>);

/// Binary digits of single precision that are dropped.
const DROPPED: u32 = 11;

impl Rounded {
    /// Rounds. What is too large for single precision becomes infinite.
    pub fn from_f64(values: impl IntoIterator<Item = f64>) -> Self {
        let round = |value: f64| {
            let bits = (value as f32).to_bits();
            // Round to nearest; a carry into the exponent gives the next power of two, or infinity after the largest.
            let near = if value.is_nan() { f32::NAN.to_bits() } else { bits + (1 << (DROPPED - 1)) };
            f32::from_bits(near >> DROPPED << DROPPED)
        };
        // Infinity must not be rounded to NaN.
        let kept = |value: f64| if (value as f32).is_infinite() { value as f32 } else { round(value) };
        Self(values.into_iter().map(kept).collect())
    }

    /// The rounded values.
    pub fn values(&self) -> &[f32] {
        &self.0
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Compares bits, so that NaN equals itself.
impl PartialEq for Rounded {
    fn eq(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(|(a, b)| a.to_bits() == b.to_bits())
    }
}

impl Serialize for Rounded {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // As whole numbers, the bits of positive values increase with their logarithm: smooth where a curve is smooth.
        let bits: Vec<i64> = self.0.iter().map(|value| i64::from(value.to_bits() >> DROPPED)).collect();
        serializer.serialize_str(&pack::pack(&bits, 1))
    }
}

impl<'de> Deserialize<'de> for Rounded {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = |bits: i64| {
            let whole = u32::try_from(bits).ok().filter(|bits| bits >> (32 - DROPPED) == 0);
            whole
                .map(|bits| f32::from_bits(bits << DROPPED))
                .ok_or_else(|| de::Error::custom("not a value of a curve"))
        };
        Ok(Self(column(deserializer)?.into_iter().map(value).collect::<Result<_, _>>()?))
    }
}

/// Many numbers in single precision, exact: vertices of a mesh.
#[derive(Clone, Debug, Default)]
pub struct F32Array(pub Vec<f32>);

impl F32Array {
    /// From double precision. What is too large for single precision becomes infinite.
    pub fn from_f64(values: impl IntoIterator<Item = f64>) -> Self {
        Self(values.into_iter().map(|value| value as f32).collect())
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Compares bits, so that NaN equals itself.
impl PartialEq for F32Array {
    fn eq(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(|(a, b)| a.to_bits() == b.to_bits())
    }
}

impl Serialize for F32Array {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bits: Vec<i64> = self.0.iter().map(|value| i64::from(value.to_bits())).collect();
        serializer.serialize_str(&pack::pack(&bits, 1))
    }
}

impl<'de> Deserialize<'de> for F32Array {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(words(deserializer)?.into_iter().map(f32::from_bits).collect()))
    }
}

/// Many indices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct U32Array(pub Vec<u32>);

impl Serialize for U32Array {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let numbers: Vec<i64> = self.0.iter().map(|value| i64::from(*value)).collect();
        serializer.serialize_str(&pack::pack(&numbers, 1))
    }
}

impl<'de> Deserialize<'de> for U32Array {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(words(deserializer)?))
    }
}

fn words<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u32>, D::Error> {
    let word = |number: i64| u32::try_from(number).map_err(|_| de::Error::custom("a number of more than 32 bits"));
    column(deserializer)?.into_iter().map(word).collect()
}

/// The numbers of an array of one column.
fn column<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<i64>, D::Error> {
    match pack::unpack(&String::deserialize(deserializer)?).map_err(de::Error::custom)? {
        (1, numbers) => Ok(numbers),
        (found, _) => Err(de::Error::custom(format!("{found} columns, expected 1"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_double_is_read_back() {
        for value in [0.0, -1.5e-300, f64::MAX, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let text = serde_json::to_string(&Real(value)).unwrap();
            assert_eq!(serde_json::from_str::<Real>(&text).unwrap(), Real(value), "{text}");
        }
        assert!(serde_json::from_str::<Real>("\"many\"").is_err());
    }

    #[test]
    fn arrays_are_read_back_bit_by_bit() {
        let values = F32Array(vec![0.0, -0.0, 1.0e-40, f32::MAX, f32::NAN, f32::INFINITY]);
        let text = serde_json::to_string(&values).unwrap();
        assert_eq!(serde_json::from_str::<F32Array>(&text).unwrap(), values);
        let indices = U32Array(vec![0, 7, u32::MAX]);
        let text = serde_json::to_string(&indices).unwrap();
        assert_eq!(serde_json::from_str::<U32Array>(&text).unwrap(), indices);
    }

    #[test]
    fn times_are_accurate_to_half_a_nanosecond() {
        let times = Times::from_s([0.0, 0.0004, 1.0 / 3.0, 86_400.0]);
        assert_eq!(times.ns, [0, 400_000, 333_333_333, 86_400_000_000_000]);
        let text = serde_json::to_string(&times).unwrap();
        assert_eq!(serde_json::from_str::<Times>(&text).unwrap(), times);
        // A recording of ten seconds at 1 kHz is a start, a step and nothing else.
        assert!(serde_json::to_string(&Times::from_s((0..10_000).map(|i| f64::from(i) * 1e-3))).unwrap().len() < 60);
    }

    #[test]
    fn curves_are_accurate_to_their_thirteenth_digit_and_keep_nan() {
        let mut value = 1.1e-37;
        let mut values = vec![0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -2.5];
        while value < 1e38 {
            values.push(value);
            value *= 1.377;
        }
        let curve = Rounded::from_f64(values.iter().copied());
        // Half of the last kept digit, relative to a value whose first digit is one.
        let bound = 0.5f64.powi(13) * 1.0001;
        for (exact, kept) in values.iter().zip(curve.values()) {
            match *exact {
                x if x.is_nan() => assert!(kept.is_nan()),
                x if x.abs() > 1e38 => assert_eq!(f64::from(*kept), x.signum() * f64::INFINITY),
                x => assert!((f64::from(*kept) - x).abs() <= bound * x.abs(), "{x} became {kept}"),
            }
        }
        let text = serde_json::to_string(&curve).unwrap();
        assert_eq!(serde_json::from_str::<Rounded>(&text).unwrap(), curve);
    }

    #[test]
    fn damaged_arrays_are_rejected() {
        assert!(serde_json::from_str::<F32Array>("\"AAC\"").is_err());
        assert!(serde_json::from_str::<Times>("\"AAA=\"").is_err());
        let wide = serde_json::to_string(&pack::pack(&[1, 2], 2)).unwrap();
        assert!(serde_json::from_str::<U32Array>(&wide).unwrap_err().to_string().contains("2 columns, expected 1"));
        let negative = serde_json::to_string(&pack::pack(&[-1], 1)).unwrap();
        assert!(serde_json::from_str::<U32Array>(&negative).is_err());
        assert!(serde_json::from_str::<Rounded>(&negative).is_err());
    }
}
