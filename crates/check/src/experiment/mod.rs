//! Inspection of an experiment: a world, its start, its controllers and the step.
//!
//! The experiment is inspected before an engine is blamed: [`inspect_experiment`] merges the findings of the file readers
//! (such as a mesh that was not found), the inspections of the model at the experiment's own start, and
//! [`EXPERIMENT_CHECKS`]. A finding known to the model's authors is a warning at most and is still reported: it affects
//! the meaning of any ranking.

mod actuator_saturated_at_start;
mod controller_late;
mod controller_off_step;
mod controllers_invalid;
pub mod coupled_groups;
mod gap_crossed_at_start;
mod sampled_controller_unstable;
mod sensor_slower_than_controller;
mod spectral_radius;
mod start_changed;
mod start_too_fast;
pub mod step_map;

use crate::checks::CHECKS;
use crate::context::Context;
use crate::report::sorted;
use step_map::Feedback;
use veracity_control::controllers::loop_gains;
use veracity_control::{ControllerConfig, Sensing, SensorConfig, Setup};
use veracity_engine::{Capabilities, DriveForm, EventTime, Fidelity};
use veracity_model::import::sidecar::KnownFinding;
use veracity_model::{Findings, Layout, Severity, World};

/// An experiment to be inspected.
#[derive(Clone, Copy, Debug)]
pub struct InspectedExperiment<'a> {
    /// The world.
    pub world: &'a World,
    /// Positions at the start, in the order of the world's layout.
    pub q: &'a [f64],
    /// Velocities at the start.
    pub v: &'a [f64],
    /// The controllers.
    pub controllers: &'a [ControllerConfig],
    /// The sensors.
    pub sensors: &'a [SensorConfig],
    /// The engine's step [ns].
    pub step_ns: i64,
    /// Findings of the file readers.
    pub imported: &'a Findings,
    /// Findings that the model's authors expect.
    pub known: &'a [KnownFinding],
    /// How each queried engine changed the start.
    pub taken: &'a [StartChange],
}

/// Change that an engine made to the start.
#[derive(Clone, Debug, PartialEq)]
pub struct StartChange {
    /// The engine spec.
    pub engine: String,
    /// The largest change, as reported by its `set_state` [rad, m, rad/s or m/s].
    pub change: f64,
}

/// One inspection of an experiment.
pub struct ExperimentCheck {
    /// The code of its findings.
    pub code: &'static str,
    /// What it inspects, in one line.
    pub text: &'static str,
    /// Runs the inspection.
    pub run: fn(&ExperimentContext<'_>) -> Findings,
}

/// Every inspection of an experiment, in the order they run.
pub const EXPERIMENT_CHECKS: &[ExperimentCheck] = &[
    controllers_invalid::CHECK,
    controller_off_step::CHECK,
    sampled_controller_unstable::CHECK,
    controller_late::CHECK,
    sensor_slower_than_controller::CHECK,
    actuator_saturated_at_start::CHECK,
    gap_crossed_at_start::CHECK,
    start_too_fast::CHECK,
    start_changed::CHECK,
];

/// Input of the inspections: the experiment and quantities derived from it once for all of them.
pub struct ExperimentContext<'a> {
    /// The experiment as given.
    pub experiment: &'a InspectedExperiment<'a>,
    /// Names and offsets.
    pub layout: Layout,
    /// The world at the experiment's start.
    pub context: Context<'a>,
    /// Every feedback with its controller, except those that cannot be built.
    pub feedbacks: Vec<(&'a ControllerConfig, Feedback)>,
}

/// Capabilities that no real engine has: nothing is rejected for what an engine cannot do.
const ANYTHING: Capabilities = Capabilities {
    snapshot: Fidelity::Exact,
    events: EventTime::Located,
    drives: DriveForm::Continuous,
    contact: true,
    limits: true,
    reactions: true,
    accelerations: true,
    gaps: true,
    adaptive: true,
    deterministic: true,
    single_precision: false,
};

impl<'a> ExperimentContext<'a> {
    fn new(experiment: &'a InspectedExperiment<'a>) -> Self {
        let layout = Layout::new(experiment.world);
        let context = Context::at(experiment.world, experiment.q);
        let mut scene = Self { experiment, layout, context, feedbacks: Vec::new() };
        let sensing = Sensing::new(&scene.setup(), experiment.sensors).ok();
        let mut feedbacks = Vec::new();
        for config in experiment.controllers {
            let gains = loop_gains(config, experiment.world, &scene.layout, experiment.step_ns).unwrap_or_default();
            for gain in gains {
                let encoder = |dof: &(usize, f64)| sensing.as_ref().and_then(|s| s.encoder_timing(dof.0));
                // An actuator's own drive reads its joint directly; a controller reads it through the encoder.
                let own = config.kind != "pd" && config.kind != "pid";
                let sensor = if own { None } else { gain.terms.first().and_then(encoder) };
                feedbacks.push((config, Feedback { gain, sensor }));
            }
        }
        scene.feedbacks = feedbacks;
        scene
    }

    /// For building controllers and sensors as an engine without limits would allow.
    pub fn setup(&self) -> Setup<'_> {
        let InspectedExperiment { world, step_ns, .. } = *self.experiment;
        Setup { world, layout: &self.layout, capabilities: ANYTHING, step_ns, seed: 0, trial: 0 }
    }

    /// The name of the joint that a degree of freedom belongs to.
    pub fn joint_of(&self, dof: usize) -> &str {
        let joint = self.layout.joints.iter().rfind(|j| j.v <= dof && j.kind.dof_count() > 0);
        joint.map_or("", |j| j.name.as_str())
    }
}

/// All findings to read before ranking engines by this experiment, by file and line, worst first.
pub fn inspect_experiment(experiment: &InspectedExperiment<'_>) -> Findings {
    let layout = Layout::new(experiment.world);
    let mut findings = experiment.imported.clone();
    for placement in &experiment.world.placements {
        findings.extend(placement.model.warnings().clone());
    }
    let (nq, nv) = (layout.position_count, layout.dof_count());
    if (experiment.q.len(), experiment.v.len()) != (nq, nv) {
        let text = format!(
            "the start has {} positions and {} velocities, the world {nq} and {nv}; give one for each",
            experiment.q.len(),
            experiment.v.len()
        );
        findings.add(Severity::Error, "start-size", None, "start", text);
        return merged(findings, experiment.known);
    }
    let scene = ExperimentContext::new(experiment);
    if let Err(why) = &scene.context.start {
        findings.add(Severity::Warning, "unsupported", None, "", why.to_string());
    }
    for check in CHECKS {
        findings.extend((check.run)(&scene.context));
    }
    for check in EXPERIMENT_CHECKS {
        findings.extend((check.run)(&scene));
    }
    merged(findings, experiment.known)
}

/// Removes duplicates; known findings are marked as known and are warnings at most.
fn merged(findings: Findings, known: &[KnownFinding]) -> Findings {
    let mut out = Findings::new();
    for entry in sorted(findings, known).into_iter().filter(|e| e.finding.code != "known-stale") {
        let mut finding = entry.finding;
        if let Some(why) = entry.known {
            finding.severity = finding.severity.min(Severity::Warning);
            finding.text = format!("{} (known: {why})", finding.text);
        }
        out.push(finding);
    }
    out
}
