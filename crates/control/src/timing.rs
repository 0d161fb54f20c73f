//! Rates and delays in seconds to whole nanoseconds, checked against the engine's step.

use crate::config::{ControllerConfig, SensorConfig};
use crate::controller::Timing;
use crate::error::ControlError;
use crate::setup::{Setup, nanoseconds, seconds};

impl Timing {
    /// At every period, without latency.
    pub fn every(period_ns: i64) -> Self {
        Self { period_ns, phase_ns: 0, latency_ns: 0, deadline_ns: None }
    }

    /// Timing of a `[[controllers]]` table for a step of the engine. Does not check whether the engine can reach it.
    pub fn of_controller(config: &ControllerConfig, step_ns: i64) -> Result<Self, ControlError> {
        let place = format!("controllers/{}", config.name);
        let period_ns = match (config.rate_hz, config.period_s) {
            (Some(_), Some(_)) => {
                let what = "rate_hz and period_s both set the period; keep one of them";
                return Err(ControlError::new(format!("{place}/period_s"), what));
            }
            (Some(rate), None) => period_of(&place, rate)?,
            (None, Some(period)) => nanoseconds(&place, "period_s", period)?,
            (None, None) => step_ns,
        };
        if period_ns < 1 {
            let what = "the time between two activations must be at least a nanosecond";
            return Err(ControlError::new(format!("{place}/period_s"), what));
        }
        let phase_ns = nanoseconds(&place, "phase_s", config.phase_s)?;
        let latency_ns = nanoseconds(&place, "latency_s", config.latency_s)?;
        let deadline_ns = config.deadline_s.map(|d| nanoseconds(&place, "deadline_s", d)).transpose()?;
        if let Some(deadline) = deadline_ns.filter(|d| *d < latency_ns) {
            let what = format!(
                "its commands act {} s after activation, always past the deadline of {} s; shorten latency_s or raise \
                 deadline_s",
                seconds(latency_ns),
                seconds(deadline)
            );
            return Err(ControlError::new(format!("{place}/deadline_s"), what));
        }
        Ok(Self { period_ns, phase_ns, latency_ns, deadline_ns })
    }

    /// Timing of a `[[sensors]]` table.
    pub fn of_sensor(config: &SensorConfig, rate_hz: Option<f64>, step_ns: i64) -> Result<Self, ControlError> {
        let place = format!("sensors/{}", config.name);
        let period_ns = rate_hz.map_or(Ok(step_ns), |rate| period_of(&place, rate))?;
        let phase_ns = nanoseconds(&place, "phase_s", config.phase_s)?;
        let latency_ns = nanoseconds(&place, "latency_s", config.latency_s)?;
        Ok(Self { period_ns, phase_ns, latency_ns, deadline_ns: None })
    }

    /// The first activation at or after a time.
    pub fn first_at_or_after(&self, time_ns: i64) -> i64 {
        let since = time_ns - self.phase_ns;
        if since <= 0 {
            self.phase_ns
        } else {
            self.phase_ns + (since + self.period_ns - 1) / self.period_ns * self.period_ns
        }
    }

    /// Number of whole periods before a time of activation.
    pub fn count_at(&self, time_ns: i64) -> u64 {
        ((time_ns - self.phase_ns) / self.period_ns).max(0) as u64
    }

    /// Checks that the engine can stop at these times. `acts`: whether the time after the latency must be reached as
    /// well.
    pub(crate) fn check(&self, setup: &Setup<'_>, place: &str, acts: bool) -> Result<(), ControlError> {
        setup.reachable(place, "period_s", self.period_ns)?;
        setup.reachable(place, "phase_s", self.phase_ns)?;
        if acts {
            setup.reachable(place, "latency_s", self.latency_ns)?;
        }
        Ok(())
    }
}

/// [ns]
fn period_of(place: &str, rate_hz: f64) -> Result<i64, ControlError> {
    let period = 1e9 / rate_hz;
    if rate_hz > 0.0 && (1.0..9.0e15).contains(&period) {
        return Ok(period.round() as i64);
    }
    let what = format!("{rate_hz} Hz must be between 1.2e-7 and 1e9 Hz");
    Err(ControlError::new(format!("{place}/rate_hz"), what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn activations_are_counted_from_the_phase() {
        let timing = Timing { phase_ns: 5, ..Timing::every(10) };
        assert_eq!([0, 5, 6, 15, 16].map(|t| timing.first_at_or_after(t)), [5, 5, 15, 15, 25]);
        assert_eq!([5, 15, 25].map(|t| timing.count_at(t)), [0, 1, 2]);
    }

    #[test]
    fn a_latency_past_the_deadline_is_refused() {
        let config = ControllerConfig { latency_s: 2e-3, deadline_s: Some(1e-3), ..Default::default() };
        assert!(Timing::of_controller(&config, 1_000_000).unwrap_err().what.contains("0.002 s"));
        let twice = ControllerConfig { rate_hz: Some(1.0), period_s: Some(1.0), ..Default::default() };
        assert!(Timing::of_controller(&twice, 1).unwrap_err().what.contains("keep one"));
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(
                Timing::of_controller(&ControllerConfig { rate_hz: Some(rate), ..Default::default() }, 1).is_err()
            );
        }
    }
}
