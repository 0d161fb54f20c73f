//! A number that changes with time: constant, sinusoid or schedule.

use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// A number as a function of time: `1.5`, a table of a sinusoid, or a table of a schedule.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Profile {
    /// Constant.
    Constant(f64),
    /// `offset + amplitude · sin(omega · t + phase)`.
    Sinusoid(Sinusoid),
    /// Values at times.
    Schedule(Schedule),
}

/// `offset + amplitude · sin(omega · t + phase)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sinusoid {
    /// Mean value.
    #[serde(default)]
    pub offset: f64,
    /// Amplitude: half the peak-to-peak value.
    pub amplitude: f64,
    /// Angular frequency [rad/s].
    pub omega_rad_s: f64,
    /// Phase at time zero [rad].
    #[serde(default)]
    pub phase_rad: f64,
    /// Amplitude of the cosine that is used as its rate of change. By default the true one, `amplitude · omega`;
    /// published controllers have been found to use others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed_amplitude: Option<f64>,
}

/// Values at times: the first before the first time, the last after the last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// Increasing [s].
    pub times_s: Vec<f64>,
    /// One for each time.
    pub values: Vec<f64>,
    /// Interpolation between two times.
    #[serde(default)]
    pub interpolation: Interpolation,
}

/// Value between two times of a schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Interpolation {
    /// The value of the earlier time.
    #[default]
    Hold,
    /// The straight line.
    Linear,
}

impl Default for Profile {
    fn default() -> Self {
        Profile::Constant(0.0)
    }
}

impl Profile {
    /// Whether it is constantly zero.
    pub fn is_zero(&self) -> bool {
        *self == Profile::Constant(0.0)
    }
}

/// Every key a profile's table may have. Read as one flat table, so that a wrong key or type is reported at its
/// position.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    offset: Option<f64>,
    amplitude: Option<f64>,
    omega_rad_s: Option<f64>,
    phase_rad: Option<f64>,
    speed_amplitude: Option<f64>,
    times_s: Option<Vec<f64>>,
    values: Option<Vec<f64>>,
    interpolation: Option<Interpolation>,
}

impl Table {
    fn profile(self) -> Result<Profile, &'static str> {
        let wave = self.offset.is_some()
            || self.amplitude.is_some()
            || self.omega_rad_s.is_some()
            || self.phase_rad.is_some()
            || self.speed_amplitude.is_some();
        let schedule = self.times_s.is_some() || self.values.is_some() || self.interpolation.is_some();
        match (wave, schedule) {
            (true, true) => {
                Err("a table is a sinusoid or a schedule, not both; keep amplitude, omega_rad_s, phase_rad, \
                                 offset and speed_amplitude, or times_s, values and interpolation")
            }
            (false, true) => match (self.times_s, self.values) {
                (Some(times_s), Some(values)) => {
                    let interpolation = self.interpolation.unwrap_or_default();
                    Ok(Profile::Schedule(Schedule { times_s, values, interpolation }))
                }
                _ => Err("a schedule needs times_s and values"),
            },
            _ => match (self.amplitude, self.omega_rad_s) {
                (Some(amplitude), Some(omega_rad_s)) => Ok(Profile::Sinusoid(Sinusoid {
                    offset: self.offset.unwrap_or(0.0),
                    amplitude,
                    omega_rad_s,
                    phase_rad: self.phase_rad.unwrap_or(0.0),
                    speed_amplitude: self.speed_amplitude,
                })),
                _ => Err("a table needs amplitude and omega_rad_s (a sinusoid) or times_s and values (a schedule)"),
            },
        }
    }
}

impl<'de> Deserialize<'de> for Profile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Profile;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, a sinusoid { amplitude, omega_rad_s, … } or a schedule { times_s, values }")
            }
            fn visit_f64<E: Error>(self, x: f64) -> Result<Profile, E> {
                Ok(Profile::Constant(x))
            }
            fn visit_i64<E: Error>(self, x: i64) -> Result<Profile, E> {
                Ok(Profile::Constant(x as f64))
            }
            fn visit_u64<E: Error>(self, x: u64) -> Result<Profile, E> {
                Ok(Profile::Constant(x as f64))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Profile, A::Error> {
                Table::deserialize(MapAccessDeserializer::new(map))?.profile().map_err(A::Error::custom)
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    struct Holder {
        x: Profile,
    }

    fn read(text: &str) -> Result<Profile, toml::de::Error> {
        toml::from_str::<Holder>(text).map(|h| h.x)
    }

    #[test]
    fn three_forms_are_distinguished_by_their_keys() {
        assert_eq!(read("x = 3").unwrap(), Profile::Constant(3.0));
        let wave = read("x = { amplitude = 2, omega_rad_s = 0.5 }").unwrap();
        assert!(matches!(wave, Profile::Sinusoid(s) if s.amplitude == 2.0 && s.speed_amplitude.is_none()));
        let steps = read("x = { times_s = [0, 1], values = [2, 3] }").unwrap();
        assert!(matches!(steps, Profile::Schedule(s) if s.interpolation == Interpolation::Hold));
    }

    #[test]
    fn a_wrong_key_is_named_and_found() {
        let error = read("x = { amplitude = 2, omega = 0.5 }").unwrap_err();
        assert!(error.to_string().contains("`omega`"), "{error}");
        assert_eq!(error.span().map(|s| s.start), Some(21), "{error}");
        assert!(read("x = { amplitude = 2 }").unwrap_err().to_string().contains("omega_rad_s"));
        assert!(read("x = { amplitude = 2, times_s = [0] }").unwrap_err().to_string().contains("not both"));
        assert!(read("x = \"fast\"").unwrap_err().to_string().contains("a number, a sinusoid"));
    }
}
