//! Whether a run makes progress, and what slows it down if not.
//!
//! A stiff motion is smooth but needs tiny explicit steps: damping makes velocities decay at a rate `λ`, and an
//! explicit method is stable only while `λ h` stays below a constant, 6.1 for `dop853`. Where accuracy limits the step
//! instead, `λ h` is about one or less. So a step with `λ h` above three is limited by stability.

use serde::Serialize;
use veracity_dynamics::{Efforts, FastestDecay, SmoothSimulation};

/// Steps between two checks of the pace.
pub const BATCH: u64 = 1000;
/// A run that needs more than this is slow: evaluations of the acceleration of one joint, half a minute of one core.
const SLOW: f64 = 1e8;
/// Step times rate above which stability limits the step.
const CHOSEN_BY_STABILITY: f64 = 3.0;

/// A run that would take long.
#[derive(Clone, Copy, Debug)]
pub struct Slow {
    /// Steps still to take.
    pub steps: f64,
    /// Their mean size [s].
    pub step_s: f64,
    /// What makes it stiff; `None` where accuracy requires these steps.
    pub stiff: Option<FastestDecay>,
}

/// Another integrator took over because the motion is stiff.
#[derive(Clone, Debug, Serialize)]
pub struct Switch {
    /// Time of the switch [s].
    pub time_s: f64,
    /// The integrator before.
    pub from: &'static str,
    /// The integrator after.
    pub to: &'static str,
    /// Its step [s].
    pub step_s: f64,
    /// Reason, in one sentence.
    pub why: String,
}

/// Checks a run that was at `before` [s] a batch of steps ago and must reach `end` [s].
pub fn look(
    run: &mut SmoothSimulation,
    efforts: &mut dyn Efforts,
    before: f64,
    evaluations: u64,
    end: f64,
) -> Option<Slow> {
    let (now, dof) = (run.state().time, run.system().dof_count().max(1));
    let step_s = (now - before) / BATCH as f64;
    let steps = (end - now) / step_s;
    let work = steps * (evaluations as f64 / BATCH as f64) * dof as f64;
    // NaN, from a step of zero, counts as slow.
    if work <= SLOW {
        return None;
    }
    let stiff = run.fastest_decay(efforts).filter(|decay| decay.rate * step_s > CHOSEN_BY_STABILITY);
    Some(Slow { steps, step_s, stiff })
}

/// Describes a decay for a message; `names` are those of the velocities.
pub fn told(decay: &FastestDecay, names: &[String]) -> String {
    let FastestDecay { rate, dof, slope, source } = decay;
    let name = names.get(*dof).map_or("", String::as_str);
    format!("the {source} of '{name}', {slope:.1e} N m s/rad or N s/m, makes its speed decay at {rate:.1e} 1/s")
}
