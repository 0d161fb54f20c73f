//! Context for building a control loop.

use crate::error::ControlError;
use veracity_engine::Capabilities;
use veracity_model::{Layout, World};

/// The world of a trial, the capabilities of its engine, and the keys of its random streams.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The world.
    pub world: &'a World,
    /// Names and offsets of its flat arrays.
    pub layout: &'a Layout,
    /// Capabilities of the engine under its spec.
    pub capabilities: Capabilities,
    /// The engine's step [ns]; for an adaptive engine the interval at which actuators are evaluated.
    pub step_ns: i64,
    /// Seed of the study.
    pub seed: u64,
    /// Number of the trial in the study.
    pub trial: u64,
}

impl Setup<'_> {
    /// Fails with a message if a fixed-step engine cannot stop at multiples of this time.
    pub(crate) fn reachable(&self, place: &str, key: &str, time_ns: i64) -> Result<(), ControlError> {
        if self.capabilities.adaptive || time_ns % self.step_ns == 0 {
            return Ok(());
        }
        let step = seconds(self.step_ns);
        let (below, above) = (time_ns / self.step_ns * self.step_ns, (time_ns / self.step_ns + 1) * self.step_ns);
        let near = if below > 0 { format!("{} or {}", seconds(below), seconds(above)) } else { seconds(above) };
        Err(ControlError::new(
            format!("{place}/{key}"),
            format!(
                "{} s is not a whole number of the engine's steps of {step} s, so that it would act at another time than \
                 requested; use {near} s, or a step that divides it",
                seconds(time_ns)
            ),
        ))
    }
}

/// Whole nanoseconds as decimal seconds, without rounding.
pub(crate) fn seconds(ns: i64) -> String {
    let text = format!("{}.{:09}", ns / 1_000_000_000, (ns % 1_000_000_000).abs());
    let trimmed = text.trim_end_matches('0').trim_end_matches('.');
    if ns < 0 && !trimmed.starts_with('-') { format!("-{trimmed}") } else { trimmed.to_string() }
}

/// Seconds as whole nanoseconds; a message if they are out of range.
pub(crate) fn nanoseconds(place: &str, key: &str, seconds: f64) -> Result<i64, ControlError> {
    // 2^53 ns are 104 days: beyond it a double no longer counts nanoseconds.
    let ns = seconds * 1e9;
    if seconds.is_finite() && (0.0..9.0e15).contains(&ns.abs()) && seconds >= 0.0 {
        return Ok(ns.round() as i64);
    }
    let what = format!("{seconds} s must be a time from 0 to 9e6 s");
    Err(ControlError::new(format!("{place}/{key}"), what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nanoseconds_print_without_rounding() {
        assert_eq!(seconds(1_000_000), "0.001");
        assert_eq!(seconds(12_345_678_901), "12.345678901");
        assert_eq!((seconds(0), seconds(-5)), ("0".to_string(), "-0.000000005".to_string()));
        assert_eq!(nanoseconds("a", "b", 1e-3), Ok(1_000_000));
        assert!(nanoseconds("a", "b", -1.0).is_err() && nanoseconds("a", "b", f64::NAN).is_err());
    }
}
