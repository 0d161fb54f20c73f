//! Feedback around a robot as gains, for the linear analysis in the inspection of an experiment.

use super::reach::{actuator_at, reaches};
use crate::config::{ControllerConfig, PdForm};
use crate::controller::Timing;
use crate::error::ControlError;
use veracity_model::{Layout, World};

/// One feedback: with `s = Σ c q` and `s' = Σ c q'` over its terms, the effort `-(kp s + kd s' + ki ∫s dt)` acts along
/// each term times its `c`.
#[derive(Clone, Debug, PartialEq)]
pub struct LoopGain {
    /// Index in `v` and coefficient `c`.
    pub terms: Vec<(usize, f64)>,
    /// [N m/rad or N/m]
    pub kp: f64,
    /// [N m s/rad or N s/m]
    pub kd: f64,
    /// [N m/(rad s) or N/(m s)]
    pub ki: f64,
    /// When it is computed and when it acts.
    pub timing: Timing,
    /// Computed as sampled and held, or inside the engine.
    pub form: PdForm,
}

/// Feedback of a table: the laws of `pd` and `pid`, and the position and speed drives of actuators that other kinds
/// command, which are evaluated at every step.
pub fn loop_gains(
    config: &ControllerConfig,
    world: &World,
    layout: &Layout,
    step_ns: i64,
) -> Result<Vec<LoopGain>, ControlError> {
    super::find(config)?;
    if config.kind == "pd" || config.kind == "pid" {
        let timing = Timing::of_controller(config, step_ns)?;
        let form = config.form.unwrap_or_default();
        let reached = reaches(config, world, layout)?;
        let gain = |r: super::reach::Reach<'_>| LoopGain {
            terms: vec![(r.dof, 1.0)],
            kp: r.law.kp,
            kd: r.law.kd,
            ki: r.law.ki,
            timing,
            form,
        };
        return Ok(reached.into_iter().map(gain).collect());
    }
    let replayed = config.values.keys().filter_map(|channel| channel.strip_prefix("actuators/"));
    let commanded = config.commands.keys().map(String::as_str).chain(replayed);
    let mut out = Vec::new();
    for slot in commanded.filter_map(|name| layout.actuator(name)) {
        let (first, actuator) = actuator_at(world, layout, slot);
        let (kp, kd) = actuator.gains();
        if (kp, kd) != (0.0, 0.0) {
            let terms = actuator.terms(|joint| (0, layout.joints[first + joint.0].v));
            let terms = terms.into_iter().map(|(_, dof, c)| (dof, c)).collect();
            out.push(LoopGain { terms, kp, kd, ki: 0.0, timing: Timing::every(step_ns), form: PdForm::Sampled });
        }
    }
    Ok(out)
}
