//! Audit of an experiment: a world, where it starts, what controls it and at which step.
//!
//! The experiment is audited before the engine is blamed: [`audit_experiment`] merges what readers of the files had to
//! say (a mesh that was not found), the checks of the model at the experiment's own start, and [`EXPERIMENT_CHECKS`]. A
//! finding that the model's authors know is a warning at most, and still said: it changes what any ranking means.

mod actuator_saturated_at_start;
mod controller_late;
mod controller_off_step;
mod controllers_invalid;
pub mod coupled_groups;
mod sampled_controller_unstable;
mod sensor_slower_than_controller;
mod spectral_radius;
mod start_not_taken;
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

/// What is about to be tried.
#[derive(Clone, Copy, Debug)]
pub struct Experiment<'a> {
    /// Where.
    pub world: &'a World,
    /// Positions at the start, in the order of the world's layout.
    pub q: &'a [f64],
    /// Velocities at the start.
    pub v: &'a [f64],
    /// What commands.
    pub controllers: &'a [ControllerConfig],
    /// What measures.
    pub sensors: &'a [SensorConfig],
    /// The engine's step [ns].
    pub step_ns: i64,
    /// What readers of the files found.
    pub imported: &'a Findings,
    /// What the model's authors expect to be found.
    pub known: &'a [KnownFinding],
    /// What each engine that was asked did to the start.
    pub taken: &'a [StartTaken],
}

/// What an engine did to the start.
#[derive(Clone, Debug, PartialEq)]
pub struct StartTaken {
    /// Its spec.
    pub engine: String,
    /// The largest change it made, as its `set_state` reports [rad, m, rad/s or m/s].
    pub change: f64,
}

/// One audit of an experiment.
pub struct ExperimentCheck {
    /// The code of its findings.
    pub code: &'static str,
    /// What it asks of an experiment, in a line.
    pub text: &'static str,
    /// Looks.
    pub run: fn(&Scene<'_>) -> Findings,
}

/// Every check of an experiment, in the order they run.
pub const EXPERIMENT_CHECKS: &[ExperimentCheck] = &[
    controllers_invalid::CHECK,
    controller_off_step::CHECK,
    sampled_controller_unstable::CHECK,
    controller_late::CHECK,
    sensor_slower_than_controller::CHECK,
    actuator_saturated_at_start::CHECK,
    start_too_fast::CHECK,
    start_not_taken::CHECK,
];

/// What the checks look at: the experiment and what follows from it once for all of them.
pub struct Scene<'a> {
    /// As it was given.
    pub experiment: &'a Experiment<'a>,
    /// Names and offsets.
    pub layout: Layout,
    /// The world at the experiment's start.
    pub context: Context<'a>,
    /// Every feedback with the controller it belongs to; none of those that cannot be built.
    pub feedbacks: Vec<(&'a ControllerConfig, Feedback)>,
}

/// What no real engine has: nothing is refused for what an engine cannot do.
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

impl<'a> Scene<'a> {
    fn new(experiment: &'a Experiment<'a>) -> Self {
        let layout = Layout::new(experiment.world);
        let context = Context::at(experiment.world, experiment.q);
        let mut scene = Self { experiment, layout, context, feedbacks: Vec::new() };
        let sensing = Sensing::new(&scene.setup(), experiment.sensors).ok();
        let mut feedbacks = Vec::new();
        for config in experiment.controllers {
            let gains = loop_gains(config, experiment.world, &scene.layout, experiment.step_ns).unwrap_or_default();
            for gain in gains {
                let encoder = |dof: &(usize, f64)| sensing.as_ref().and_then(|s| s.encoder_timing(dof.0));
                // An actuator's own drive knows its joint; a controller sees it through the encoder.
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
        let Experiment { world, step_ns, .. } = *self.experiment;
        Setup { world, layout: &self.layout, capabilities: ANYTHING, step_ns, seed: 0, trial: 0 }
    }

    /// The name of the joint of a degree of freedom.
    pub fn joint_of(&self, dof: usize) -> &str {
        let joint = self.layout.joints.iter().rfind(|j| j.v <= dof && j.kind.dof_count() > 0);
        joint.map_or("", |j| j.name.as_str())
    }
}

/// Everything that should be read before any engine is ranked by this experiment, by file and line, worst first.
pub fn audit_experiment(experiment: &Experiment<'_>) -> Findings {
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
    let scene = Scene::new(experiment);
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

/// No finding twice; known ones say so and are warnings at most.
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
