//! Validated profiles: a value and its rate of change at a time in whole nanoseconds.

use crate::config::{Interpolation, Profile};
use crate::error::ControlError;
use crate::setup::nanoseconds;

/// A validated profile.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Course {
    Constant(f64),
    Sinusoid { offset: f64, amplitude: f64, omega: f64, phase: f64, speed_amplitude: f64 },
    Schedule { times_ns: Vec<i64>, values: Vec<f64>, linear: bool },
}

impl Course {
    /// Checks a profile.
    pub fn new(profile: &Profile, place: &str) -> Result<Self, ControlError> {
        let finite = |key: &str, x: f64| match x.is_finite() {
            true => Ok(x),
            false => Err(ControlError::new(format!("{place}/{key}"), format!("{x} must be a finite number"))),
        };
        match profile {
            Profile::Constant(x) if x.is_finite() => Ok(Course::Constant(*x)),
            Profile::Constant(x) => Err(ControlError::new(place, format!("{x} must be a finite number"))),
            Profile::Sinusoid(s) => Ok(Course::Sinusoid {
                offset: finite("offset", s.offset)?,
                amplitude: finite("amplitude", s.amplitude)?,
                omega: finite("omega_rad_s", s.omega_rad_s)?,
                phase: finite("phase_rad", s.phase_rad)?,
                speed_amplitude: finite("speed_amplitude", s.speed_amplitude.unwrap_or(s.amplitude * s.omega_rad_s))?,
            }),
            Profile::Schedule(s) => {
                let linear = s.interpolation == Interpolation::Linear;
                Self::schedule(&s.times_s, &s.values, linear, place)
            }
        }
    }

    /// Checks times and values.
    pub fn schedule(times_s: &[f64], values: &[f64], linear: bool, place: &str) -> Result<Self, ControlError> {
        let at = |key: &str, what: String| ControlError::new(format!("{place}/{key}"), what);
        if times_s.is_empty() || times_s.len() != values.len() {
            let what =
                format!("{} times and {} values; give as many of each, at least one", times_s.len(), values.len());
            return Err(at("values", what));
        }
        let times: Result<Vec<i64>, _> = times_s.iter().map(|t| nanoseconds(place, "times_s", *t)).collect();
        let times_ns = times?;
        if let Some(i) = times_ns.windows(2).position(|w| w[0] >= w[1]) {
            let what = format!("times must increase: {} s is followed by {} s", times_s[i], times_s[i + 1]);
            return Err(at("times_s", what));
        }
        if let Some(x) = values.iter().find(|x| !x.is_finite()) {
            return Err(at("values", format!("{x} must be a finite number")));
        }
        Ok(Course::Schedule { times_ns, values: values.to_vec(), linear })
    }

    /// Value and rate of change.
    pub fn at(&self, time_ns: i64) -> (f64, f64) {
        match self {
            Course::Constant(x) => (*x, 0.0),
            Course::Sinusoid { offset, amplitude, omega, phase, speed_amplitude } => {
                let time = time_ns as f64 / 1e9;
                let (sin, cos) = libm::sincos(omega * time + phase);
                (offset + amplitude * sin, speed_amplitude * cos)
            }
            Course::Schedule { times_ns, values, linear } => {
                let next = times_ns.partition_point(|t| *t <= time_ns);
                let before = next.saturating_sub(1);
                if !linear || next == 0 || next == times_ns.len() {
                    return (values[before], 0.0);
                }
                let span = (times_ns[next] - times_ns[before]) as f64 / 1e9;
                let since = (time_ns - times_ns[before]) as f64 / 1e9;
                let slope = (values[next] - values[before]) / span;
                (values[before] + slope * since, slope)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Schedule, Sinusoid};

    const S: i64 = 1_000_000_000;

    #[test]
    fn a_schedule_holds_or_interpolates() {
        let table = |interpolation| {
            let schedule = Schedule { times_s: vec![1.0, 3.0], values: vec![10.0, 20.0], interpolation };
            Course::new(&Profile::Schedule(schedule), "x").unwrap()
        };
        let hold = table(Interpolation::Hold);
        assert_eq!([0, S, 3 * S - 1, 3 * S, 9 * S].map(|t| hold.at(t).0), [10.0, 10.0, 10.0, 20.0, 20.0]);
        let line = table(Interpolation::Linear);
        assert_eq!([0, S, 2 * S, 3 * S].map(|t| line.at(t)), [(10.0, 0.0), (10.0, 5.0), (15.0, 5.0), (20.0, 0.0)]);
    }

    #[test]
    fn the_speed_of_a_sinusoid_is_its_derivative_by_default() {
        let wave = Sinusoid { amplitude: 0.5, omega_rad_s: 2.0, ..Default::default() };
        let (_, speed) = Course::new(&Profile::Sinusoid(wave), "x").unwrap().at(0);
        assert_eq!(speed, 1.0);
        let published = Sinusoid { speed_amplitude: Some(0.5), ..wave };
        assert_eq!(Course::new(&Profile::Sinusoid(published), "x").unwrap().at(0).1, 0.5);
    }

    #[test]
    fn invalid_profiles_are_errors() {
        let schedule = |t: &[f64], v: &[f64]| Course::schedule(t, v, false, "x").map_err(|e| e.to_string());
        assert!(schedule(&[0.0, 0.0], &[1.0, 2.0]).unwrap_err().contains("increase"));
        assert!(schedule(&[0.0], &[1.0, 2.0]).unwrap_err().contains("as many"));
        assert!(schedule(&[], &[]).is_err() && schedule(&[-1.0], &[0.0]).is_err());
        assert!(schedule(&[0.0], &[f64::NAN]).unwrap_err().contains("finite"));
        assert!(Course::new(&Profile::Constant(f64::INFINITY), "x").is_err());
    }
}
