//! Whether a run gets on, and what holds it up if it does not.
//!
//! A stiff motion is smooth and still needs tiny explicit steps: damping makes velocities decay at a rate `λ`, and an
//! explicit method is stable only while `λ h` stays below a number of its own, 6.1 for `dop853`. Where accuracy decides the
//! step instead, `λ h` is about one or less. So a step with `λ h` above three is one that stability has chosen.

use serde::Serialize;
use veracity_dynamics::{Efforts, FastestDecay, Simulation};

/// Steps between two looks at the pace.
pub const BATCH: u64 = 1000;
/// A run that needs more than this is slow: evaluations of the acceleration of one joint, half a minute of one core.
const SLOW: f64 = 1e8;
/// Step times rate above which stability has chosen the step.
const CHOSEN_BY_STABILITY: f64 = 3.0;

/// A run that would take long.
#[derive(Clone, Copy, Debug)]
pub struct Slow {
    /// Steps it would still take.
    pub steps: f64,
    /// Their mean size [s].
    pub step_s: f64,
    /// What makes it stiff; `None` where accuracy asks for these steps.
    pub stiff: Option<FastestDecay>,
}

/// Another integrator took over because the motion is stiff.
#[derive(Clone, Debug, Serialize)]
pub struct Switch {
    /// From when on [s].
    pub time_s: f64,
    /// The integrator before.
    pub from: &'static str,
    /// The integrator after.
    pub to: &'static str,
    /// Its step [s].
    pub step_s: f64,
    /// In a sentence.
    pub why: String,
}

/// Looks at a run that was at `before` [s] a batch of steps ago and is to reach `end` [s].
pub fn look(
    run: &mut Simulation,
    efforts: &mut dyn Efforts,
    before: f64,
    evaluations: u64,
    end: f64,
) -> Option<Slow> {
    let (now, dof) = (run.state().time, run.system().dof_count().max(1));
    let step_s = (now - before) / BATCH as f64;
    let steps = (end - now) / step_s;
    let work = steps * (evaluations as f64 / BATCH as f64) * dof as f64;
    // NaN, from a step of nothing, counts as slow.
    if work <= SLOW {
        return None;
    }
    let stiff = run.fastest_decay(efforts).filter(|decay| decay.rate * step_s > CHOSEN_BY_STABILITY);
    Some(Slow { steps, step_s, stiff })
}

/// What a decay is, for a sentence; `names` are those of the velocities.
pub fn told(decay: &FastestDecay, names: &[String]) -> String {
    let FastestDecay { rate, dof, slope, source } = decay;
    let name = names.get(*dof).map_or("", String::as_str);
    format!("the {source} of '{name}', {slope:.1e} N m s/rad or N s/m, makes its speed decay at {rate:.1e} 1/s")
}
