//! From readings at three steps to a verdict.
//!
//! With `p` the number given, `p(h)` the one read at step `h`, and `C hᵏ` the leading error of a step of order k >= 1,
//!
//! ```text
//! (1)  p(h) = p + C hᵏ + …
//! (2)  p(h/4) - p = (p(h/2) - p(h/4)) / (2ᵏ - 1) + …   <=  p(h/2) - p(h/4)   in size,
//! ```
//!
//! so the difference (2) of the two finer readings bounds the step's own error at the finest, for any order. A number
//! is honoured if it is read back to 1e-6 of its value or to (2) and the reading's own resolution; (2) counts only
//! while it is small (a motion that has not begun to converge proves nothing) and shrinks with the step.
//!
//! An engine that declares single precision rounds to a fraction ε = 2⁻²⁴ of a number in each step, and a constant
//! increment always in the same direction, so that over the N = 4000 steps of the longest experiment at the finest step
//!
//! ```text
//! (3)  |p(h/4) - p| / p  <=  N ε = 2.4e-4,
//! ```
//!
//! and a number that satisfies only (3) is approximated. A number that did not arrive is off by far more.

use crate::bench::{Bench, Stopped};
use crate::experiment::{Experiment, Reading, Tolerated};
use crate::repeat::{Repeatability, repeatability};
use veracity_engine::{Engine, Settings};

/// Relative error up to which a number is honoured: far above rounding, far below any mistake.
pub const EXACT: f64 = 1e-6;

/// Largest relative truncation error; beyond it the reading proves nothing.
pub const LARGEST_TRUNCATION: f64 = 0.02;

/// Tolerance of single precision, by (3).
pub const SINGLE: Tolerated = Tolerated {
    within: 4000.0 / (1 << 24) as f64,
    why: "numbers are stored in single precision: each step rounds to 6e-8 of them",
};

/// Margin for the terms after the first in (1).
const MARGIN: f64 = 1.25;

/// Verdict on a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadBack {
    /// Read back to 1e-6 of its value, or to the step's own truncation error.
    Honoured,
    /// Off by more, for a reason common to its class of engines.
    Approximated,
    /// The engine declares that it does not support this.
    NotExpressible,
    /// None of these: the number did not arrive.
    Wrong,
}

impl ReadBack {
    /// Its name in tables.
    pub fn word(self) -> &'static str {
        match self {
            ReadBack::Honoured => "honoured",
            ReadBack::Approximated => "approximated",
            ReadBack::NotExpressible => "not expressible",
            ReadBack::Wrong => "WRONG",
        }
    }
}

/// One row of the table.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The experiment.
    pub experiment: &'static Experiment,
    /// The verdict.
    pub verdict: ReadBack,
    /// At the finest step; `None` where there is no number.
    pub measured: Option<f64>,
    /// Error of `measured`, as a fraction of the number given.
    pub relative_error: Option<f64>,
    /// Truncation error of the finest step, by (2), with the reading's resolution; as a fraction of the number given.
    pub truncation: Option<f64>,
    /// Reason in a sentence; empty where the numbers suffice.
    pub reason: String,
}

/// The audit of one engine under one spec.
#[derive(Clone, Debug)]
pub struct Audit {
    /// Every setting.
    pub full_spec: String,
    /// Of the simulator.
    pub version: String,
    /// In the order of the experiments.
    pub findings: Vec<Finding>,
    /// Whether two runs are the same.
    pub repeatability: Repeatability,
}

impl Audit {
    /// How many rows have this verdict.
    pub fn count(&self, verdict: ReadBack) -> usize {
        self.findings.iter().filter(|f| f.verdict == verdict).count()
    }

    /// Whether no row is wrong and the engine is as repeatable as it declares.
    pub fn accepted(&self) -> bool {
        self.count(ReadBack::Wrong) == 0 && self.repeatability.as_declared()
    }
}

/// Experiments one after the other, usually all of [`crate::EXPERIMENTS`]; `each` is called with each finding.
pub fn audit(
    engine: &dyn Engine,
    settings: &Settings,
    experiments: &[&'static Experiment],
    mut each: impl FnMut(&Finding),
) -> Audit {
    let mut findings = Vec::with_capacity(experiments.len());
    for experiment in experiments {
        let finding = judge(experiment, engine, settings);
        each(&finding);
        findings.push(finding);
    }
    Audit {
        full_spec: settings.full_spec(),
        version: engine.version(),
        findings,
        repeatability: repeatability(engine, settings),
    }
}

/// One experiment at three steps.
pub fn judge(experiment: &'static Experiment, engine: &dyn Engine, settings: &Settings) -> Finding {
    let mut readings = [Reading::from(0.0); 3];
    for (reading, part) in readings.iter_mut().zip([1.0, 0.5, 0.25]) {
        let bench = Bench { engine, settings, step_s: part * crate::STEP_S };
        match (experiment.read)(&bench) {
            Ok(read) => *reading = read,
            Err(stopped) => return without_number(experiment, stopped),
        }
    }
    weigh(experiment, readings, engine.capabilities(settings).single_precision)
}

fn without_number(experiment: &'static Experiment, stopped: Stopped) -> Finding {
    let (verdict, reason) = match stopped {
        Stopped::NotExpressible(why) => (ReadBack::NotExpressible, why),
        Stopped::Failed(why) => (ReadBack::Wrong, why),
    };
    Finding { experiment, verdict, measured: None, relative_error: None, truncation: None, reason }
}

/// The verdict on three readings, coarsest first.
fn weigh(experiment: &'static Experiment, [coarse, middle, fine]: [Reading; 3], single: bool) -> Finding {
    let scale = experiment.given.abs();
    let error = (fine.value - experiment.given) / scale;
    let (first, second) = ((coarse.value - middle.value) / scale, (middle.value - fine.value) / scale);
    // At order one the differences halve; a difference that does not shrink is not a truncation error.
    let shrinks = second.abs() < 0.75 * first.abs();
    let truncation = if shrinks { second.abs() } else { 0.0 } + fine.resolution / scale;
    let by_step = truncation <= LARGEST_TRUNCATION && error.abs() <= MARGIN * truncation;
    let mut reason = String::new();
    let verdict = if !error.is_finite() {
        reason = "the reading is not finite".to_string();
        ReadBack::Wrong
    } else if error.abs() <= EXACT || by_step {
        ReadBack::Honoured
    } else {
        let rounded = single.then_some(SINGLE);
        match rounded.into_iter().chain(experiment.tolerated).find(|t| error.abs() <= t.within) {
            Some(tolerated) => {
                reason = tolerated.why.to_string();
                ReadBack::Approximated
            }
            None => {
                reason =
                    format!("{} instead of {}; read back as {}", fine.value, experiment.given, experiment.formula);
                ReadBack::Wrong
            }
        }
    };
    Finding {
        experiment,
        verdict,
        measured: Some(fine.value),
        relative_error: Some(error),
        truncation: Some(truncation),
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unused(_: &Bench<'_>) -> Result<Reading, Stopped> {
        Ok(0.0.into())
    }

    static STRICT: Experiment =
        Experiment { name: "x", group: "x", unit: "", given: 2.0, formula: "x", tolerated: None, read: unused };
    static LENIENT: Experiment =
        Experiment { tolerated: Some(crate::Tolerated { within: 0.01, why: "it is so" }), ..STRICT };

    fn verdict(of: &'static Experiment, values: [f64; 3]) -> ReadBack {
        weigh(of, values.map(Reading::from), false).verdict
    }

    #[test]
    fn rounding_in_single_precision_is_allowed_if_declared() {
        let off = [2.0 + 2e-4; 3].map(Reading::from);
        assert_eq!(weigh(&STRICT, off, false).verdict, ReadBack::Wrong);
        assert_eq!(weigh(&STRICT, off, true).verdict, ReadBack::Approximated);
        assert_eq!(weigh(&STRICT, [2.001; 3].map(Reading::from), true).verdict, ReadBack::Wrong);
    }

    #[test]
    fn an_error_that_shrinks_with_the_step_is_truncation() {
        assert_eq!(verdict(&STRICT, [2.004, 2.002, 2.001]), ReadBack::Honoured);
        // Of order two.
        assert_eq!(verdict(&STRICT, [2.016, 2.004, 2.001]), ReadBack::Honoured);
    }

    #[test]
    fn an_error_that_does_not_converge_to_zero_is_wrong() {
        assert_eq!(verdict(&STRICT, [2.001, 2.001, 2.001]), ReadBack::Wrong);
        assert_eq!(verdict(&STRICT, [2.104, 2.102, 2.101]), ReadBack::Wrong);
        assert_eq!(verdict(&STRICT, [3.0, 2.6, 2.3]), ReadBack::Wrong);
        assert_eq!(verdict(&STRICT, [f64::NAN; 3]), ReadBack::Wrong);
    }

    #[test]
    fn a_tolerated_error_is_an_approximation_within_its_bound() {
        assert_eq!(verdict(&LENIENT, [2.01; 3]), ReadBack::Approximated);
        assert_eq!(verdict(&LENIENT, [2.1; 3]), ReadBack::Wrong);
        assert_eq!(verdict(&LENIENT, [2.0000001; 3]), ReadBack::Honoured);
    }
}
