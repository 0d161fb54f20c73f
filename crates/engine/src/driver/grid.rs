//! Time from a step count: `start + n · step`, never a running sum.

use serde::{Deserialize, Serialize};

/// How far from a whole number of steps a time may be, in steps.
const WHOLE: f64 = 1e-6;

/// Position of a run on its time grid.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepGrid {
    /// Start time [s].
    pub start: f64,
    /// Step size [s].
    pub step: f64,
    /// Completed steps.
    pub count: u64,
    /// A guard has stopped the run inside the step after these.
    pub inside: bool,
}

/// One step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepSpan {
    /// Its start [s].
    pub begin: f64,
    /// Its end [s].
    pub end: f64,
    /// Its size [s].
    pub size: f64,
    /// Steps since the start, this one included.
    pub count: u64,
}

impl StepGrid {
    /// At its start.
    pub fn new(start: f64, step: f64) -> Self {
        Self { start, step, count: 0, inside: false }
    }

    /// The time after `count` steps [s].
    pub fn time_after(&self, count: u64) -> f64 {
        self.start + count as f64 * self.step
    }

    /// The next step of a run at time `now` [s]: a whole one, or the rest of one that a guard has cut.
    pub fn next(&self, now: f64) -> StepSpan {
        let end = self.time_after(self.count + 1);
        // A whole step has its exact size, not a difference of times.
        StepSpan { begin: now, end, size: if self.inside { end - now } else { self.step }, count: self.count + 1 }
    }

    /// A step of a run at time `now` that ends wherever the engine chooses, at most at `limit` [s].
    pub fn free(&self, now: f64, limit: f64) -> StepSpan {
        StepSpan { begin: now, end: limit, size: limit - now, count: self.count + 1 }
    }

    /// The count at which `until` is reached, or an error message.
    pub fn count_at(&self, until: f64, now: f64) -> Result<u64, String> {
        if until == now {
            return Ok(self.count);
        }
        let steps = (until - self.start) / self.step;
        let whole = steps.round();
        let step = self.step;
        if !until.is_finite() || (steps - whole).abs() > WHOLE {
            return Err(format!(
                "{until} s is not a whole number of steps of {step} s from {} s; ask for a multiple of the step",
                self.start
            ));
        }
        let next = self.count + u64::from(self.inside);
        // A whole number below 2⁵³ here: a run of more steps than that never ends.
        if whole < next as f64 {
            return Err(format!("{until} s is before the current time {now} s; restore a snapshot to go back"));
        }
        Ok(whole as u64)
    }

    /// Counts a completed step.
    pub fn advance(&mut self) {
        self.count += 1;
        self.inside = false;
    }

    /// A guard stopped the run at `now`: inside a step, unless `now` equals the step's end to rounding.
    pub fn stop_at(&mut self, now: f64) -> f64 {
        let end = self.time_after(self.count + 1);
        if end - now <= 1e-9 * self.step {
            self.advance();
            return end;
        }
        self.inside = true;
        now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_steps_ahead_are_counted() {
        let mut grid = StepGrid::new(0.3, 0.1);
        assert_eq!(grid.count_at(0.3, 0.3), Ok(0));
        assert_eq!(grid.count_at(1.3, 0.3), Ok(10));
        assert!(grid.count_at(0.35, 0.3).unwrap_err().contains("multiple"));
        assert!(grid.count_at(0.2, 0.3).unwrap_err().contains("before the current time"));
        assert!(grid.count_at(f64::NAN, 0.3).is_err() && grid.count_at(f64::INFINITY, 0.3).is_err());
        grid.inside = true;
        assert!(grid.count_at(0.3, 0.36).is_err());
        let StepSpan { end, size, .. } = grid.next(0.36);
        assert!(end == 0.4 && (size - 0.04).abs() < 1e-15);
    }
}
