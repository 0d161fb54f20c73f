//! The order at which errors fall with the step.
//!
//! Records of one scenario at different steps, in any order. With a reference the error of each is that of the metric
//! `quantity` names (if not given, the one that fits what the reference knows first). Without one, each record is held
//! against the next finer one: for steps in a geometric series these differences fall with the same order as the errors,
//! and no run has to be taken for the truth.
//!
//! Steps too coarse to show the order and errors at the floor are left out by a rule (see `statistics::order`), and the note
//! says what was used. The uncertainty is the 95 % interval of the slope. The series is error over step.

use super::difference::between;
use crate::comparison::{Better, ComparisonEntry};
use crate::metric::{CannotTell, Measured, Options, Subject};
use crate::metrics;
use crate::statistics;
use crate::truth::{Quantity, Truth};

/// See the page of this file.
pub const ENTRY: ComparisonEntry = ComparisonEntry {
    name: "order_of_convergence",
    unit: "",
    text: "the power of the step with which errors fall",
    needs_truth: false,
    better: Better::Larger,
    compare,
};

/// Relative tolerance for equal ratios of steps: steps are printed with few digits.
const SAME_RATIO: f64 = 1e-6;

fn compare(subjects: &[Subject<'_>], truth: Option<&Truth>, options: &Options) -> Result<Measured, CannotTell> {
    let mut sorted: Vec<&Subject<'_>> = subjects.iter().collect();
    sorted.sort_by(|a, b| a.record.head.step_s.total_cmp(&b.record.head.step_s));
    let (errors, of) = match truth {
        Some(truth) => against_truth(&sorted, truth, options)?,
        None => (against_the_next(&sorted, options)?, "differences from the next finer step".to_string()),
    };
    let Some(found) = statistics::order_of_convergence(&errors) else {
        let list: Vec<_> = errors.iter().map(|(h, e, _)| format!("{e:.2e} at {h} s")).collect();
        return CannotTell::new(format!("no two steps show an error that falls with the step: {}", list.join(", ")));
    };
    let note = format!(
        "of {of}, from {} steps between {} and {} s, {} at the floor",
        found.steps, found.finest, found.coarsest, found.at_the_floor
    );
    let series = errors.iter().map(|&(h, e, _)| (h, e)).collect();
    Ok(Measured { series, note, ..Measured::new(found.order, found.uncertainty) })
}

type Errors = Vec<(f64, f64, f64)>;

fn against_truth(sorted: &[&Subject<'_>], truth: &Truth, options: &Options) -> Result<(Errors, String), CannotTell> {
    let fitting = truth.channels.iter().find_map(|c| match &c.quantity {
        Quantity::Point { .. } => Some("position_error"),
        Quantity::JointPosition(_) => Some("joint_error"),
        Quantity::Orientation(_) => Some("orientation_error"),
        Quantity::PointVelocity { .. } => Some("velocity_error"),
        Quantity::Spin(_) => Some("spin_error"),
        Quantity::JointSpeed(_) => Some("joint_speed_error"),
        Quantity::Scalar(_) => None,
    });
    let Some(name) = options.quantity.as_deref().or(fitting) else {
        return CannotTell::new("the reference has no values over time: name a metric with `quantity`");
    };
    let Some(metric) = metrics::find(name) else {
        return CannotTell::new(format!("there is no metric '{name}'; correct `quantity`"));
    };
    let options = Options { quantity: None, ..options.clone() };
    let mut errors = Vec::with_capacity(sorted.len());
    for subject in sorted {
        let measured = (metric.measure)(subject, Some(truth), &options)?;
        errors.push((subject.record.head.step_s, measured.value, measured.uncertainty));
    }
    Ok((errors, name.to_string()))
}

fn against_the_next(sorted: &[&Subject<'_>], options: &Options) -> Result<Errors, CannotTell> {
    let steps: Vec<f64> = sorted.iter().map(|s| s.record.head.step_s).collect();
    let ratios: Vec<f64> = steps.windows(2).map(|w| w[1] / w[0]).collect();
    if ratios.iter().any(|r| (r / ratios[0] - 1.0).abs() > SAME_RATIO) {
        return CannotTell::new(format!(
            "steps of {steps:?} s are not a geometric series: halve the step each time, or give a reference"
        ));
    }
    let mut errors = Vec::new();
    for pair in sorted.windows(2) {
        let measured = between(pair[1], pair[0], options)?;
        errors.push((pair[1].record.head.step_s, measured.value, measured.uncertainty));
    }
    Ok(errors)
}
