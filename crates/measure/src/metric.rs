//! The interface of every metric.

use crate::truth::Truth;
use serde::{Deserialize, Serialize};
use veracity_model::Layout;
use veracity_record::{Outcome, Record};

/// What a metric is computed from.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The record.
    pub record: &'a Record,
    /// The layout of its world.
    pub layout: &'a Layout,
}

/// Options of a metric in a scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    /// The body, joint or pair; `None` for all of them (the worst counts) or where it has no meaning.
    pub of: Option<String>,
    /// Another metric by name, for metrics that are derived from one: the one whose value is compared with a known
    /// number, or whose error is followed as the step shrinks.
    pub quantity: Option<String>,
    /// A point in the body's frame [m].
    pub point: Option<[f64; 3]>,
    /// Instants to evaluate [s]; empty for every known one.
    pub at_s: Vec<f64>,
    /// First instant that counts [s].
    pub from_s: Option<f64>,
    /// Last instant that counts [s].
    pub until_s: Option<f64>,
    /// Added to every instant above, and to those of a reference, to get the instant of the record [s]. For a log whose
    /// row at `t` is the state one step earlier it is minus the step.
    pub time_offset_s: f64,
    /// Divisor of a relative error, in the unit of what it is relative to; `None` for the metric's own choice, which
    /// its note states.
    pub scale: Option<f64>,
    /// A threshold, in the unit of the quantity that the metric follows.
    pub level: Option<f64>,
    /// Bodies that hold, for metrics of a grasp.
    pub grippers: Vec<String>,
    /// Bodies that are held, for metrics of a grasp.
    pub objects: Vec<String>,
    /// The other body: of a contact pair, or the one in whose frame `of` is followed. It may belong to any model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// When a task counts as done or lost.
    #[serde(skip_serializing_if = "Task::is_empty")]
    pub task: Task,
}

/// When a task counts as done or lost: the numbers of [`crate::task_conditions`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Task {
    /// Target position of `of`, in the frame of `with`, or in the world without it [m].
    pub target_m: Option<[f64; 3]>,
    /// Target orientation of `of`: roll, pitch, yaw about fixed axes [rad].
    pub target_rpy_rad: Option<[f64; 3]>,
    /// The largest distance from the target, or displacement of a held object [m].
    pub within_m: Option<f64>,
    /// The same for rotation [rad].
    pub within_rad: Option<f64>,
    /// A height above the world's origin [m].
    pub below_m: Option<f64>,
    /// Displacement in its gripper's frame at which an object counts as dropped [m].
    pub farther_m: Option<f64>,
    /// The largest tilt of a standing body [rad].
    pub tilt_rad: Option<f64>,
    /// How long the condition must hold [s].
    pub for_s: Option<f64>,
}

impl Task {
    /// Whether no option is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A number with its uncertainty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// In the metric's unit. NaN if the record has NaN where it was evaluated; infinite if the trial broke down before.
    pub value: f64,
    /// Half-width of the interval the true value lies in: error of the reference, of interpolation, of sampling.
    pub uncertainty: f64,
    /// Instant at which it was found [s], for a largest or a first.
    pub at_s: Option<f64>,
    /// Over time, for plots: [s] and the metric's unit.
    pub series: Vec<(f64, f64)>,
    /// The same number as the engine reports it, if it does.
    pub said_by_engine: Option<f64>,
    /// What should be read with the number: which body was worst, what it was divided by. May be empty.
    pub note: String,
    /// The number covers only the time before this, although more was asked for: the reference is not known later [s].
    pub known_until_s: Option<f64>,
}

impl Measured {
    /// A number without a series.
    pub fn new(value: f64, uncertainty: f64) -> Self {
        let (series, note) = (Vec::new(), String::new());
        Self { value, uncertainty, at_s: None, series, said_by_engine: None, note, known_until_s: None }
    }
}

/// Why there is no number, in one sentence with what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct CannotTell(pub String);

impl CannotTell {
    /// From any text that reads as a sentence.
    pub fn new<T>(why: impl Into<String>) -> Result<T, Self> {
        Err(Self(why.into()))
    }
}

/// One entry of the list of metrics.
pub struct MetricEntry {
    /// As in scenario files: lower case with underscores.
    pub name: &'static str,
    /// SI unit; empty for a dimensionless number; `of` and `of/s` stand for the unit of the object: see
    /// [`MetricEntry::unit_for`].
    pub unit: &'static str,
    /// What it is, in one line.
    pub text: &'static str,
    /// Whether it needs a reference.
    pub needs_truth: bool,
    /// Whether a repetition gives the same bits. Metrics that are not deterministic must stay out of repeatable
    /// verdicts.
    pub deterministic: bool,
    /// Computes it.
    pub measure: fn(&Subject<'_>, Option<&Truth>, &Options) -> Result<Measured, CannotTell>,
}

impl MetricEntry {
    /// The unit of the number with these options: `of` is looked up.
    pub fn unit_for(&self, layout: &Layout, options: &Options) -> &'static str {
        if !self.unit.starts_with("of") {
            return self.unit;
        }
        if let Some(other) =
            options.quantity.as_deref().and_then(crate::metrics::find).filter(|e| e.name != self.name)
        {
            let options = Options { quantity: None, ..options.clone() };
            return other.unit_for(layout, &options);
        }
        let slides = |slot: usize| crate::machine::slides(&layout.joints[slot].kind);
        let slides = match options.of.as_deref().and_then(|name| layout.joint(name)) {
            Some(slot) => slides(slot),
            None => (0..layout.joints.len()).any(slides),
        };
        match (self.unit, slides) {
            ("of", true) => "m",
            ("of", false) => "rad",
            (_, true) => "m/s",
            (_, false) => "rad/s",
        }
    }
}

/// The reason why a trial has nothing to measure; `None` if it finished, was stopped or broke down, because every
/// metric then has its own answer.
pub fn nothing_to_measure(outcome: &Outcome) -> Option<CannotTell> {
    let why = match outcome {
        Outcome::Finished | Outcome::Stopped { .. } | Outcome::BrokeDown { .. } => return None,
        Outcome::NotExpressible { features } => {
            format!("the engine cannot express the scenario: {}", features.join("; "))
        }
        Outcome::TooSlow { time } => {
            format!("too slow: the trial reached its cap of CPU time at {time} s of simulated time; raise the cap")
        }
        Outcome::Failed { reason } => format!("the engine failed: {reason}"),
    };
    Some(CannotTell(why))
}
