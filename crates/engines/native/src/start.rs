//! Start states: projected onto unit quaternions and closed loops, or rejected.

use crate::trouble;
use veracity_dynamics::{BodyPlace, SmoothSimulation as Dynamics, System};
use veracity_engine::{BodyState, LoadError, StepError};
use veracity_model::{Layout, Pose, Vec3, World};

/// Constraint violation of a start state above which it is more than rounding [m or rad].
const ON_CONSTRAINTS: f64 = 1e-8;

/// Whether a simulation has a state to start from. The initial state of a model file may leave loops open; then a state
/// that closes them has to be set before the first step.
pub(crate) struct FileStart {
    /// Why there is no state; `None` once one was set.
    missing: Option<String>,
}

impl Default for FileStart {
    fn default() -> Self {
        Self { missing: Some("the model's own was not set either".to_string()) }
    }
}

impl FileStart {
    /// Sets the state of the dynamics, or leaves it unchanged on failure. Returns the largest correction that was
    /// needed.
    pub(crate) fn set(&mut self, run: &mut Dynamics, time: f64, q: &[f64], v: &[f64]) -> Result<f64, LoadError> {
        let set = start_from(run, time, q, v);
        match (&set, &mut self.missing) {
            (Ok(_), missing) => *missing = None,
            (Err(why), Some(missing)) => *missing = why.to_string(),
            (Err(_), None) => {}
        }
        set
    }

    /// A snapshot replaces the start state.
    pub(crate) fn replaced(&mut self) {
        self.missing = None;
    }

    /// An error while there is no state.
    pub(crate) fn check(&self, time: f64) -> Result<(), StepError> {
        match &self.missing {
            None => Ok(()),
            Some(why) => Err(trouble::refused(time, format!("no start state was set, and {why}"))),
        }
    }
}

fn start_from(run: &mut Dynamics, time: f64, q: &[f64], v: &[f64]) -> Result<f64, LoadError> {
    if !time.is_finite() || q.iter().chain(v).any(|x| !x.is_finite()) {
        return Err(LoadError::State("it contains NaN or infinity".to_string()));
    }
    let before = run.snapshot();
    let mut changed = 0.0f64;
    let set = run.set_state(time, q, v).map_err(|e| e.to_string()).and_then(|()| {
        let state = run.state();
        let pairs = state.q.iter().zip(q).chain(state.v.iter().zip(v));
        changed = pairs.fold(0.0, |worst, (a, b)| if (a - b).is_nan() { f64::NAN } else { worst.max((a - b).abs()) });
        let off = run.constraint_violation();
        match () {
            () if !run.state().q.iter().all(|x| x.is_finite()) => Err("a quaternion has length zero".to_string()),
            () if off > ON_CONSTRAINTS => Err(format!(
                "it violates the closed loops by {off:.1e} m or rad and cannot be projected onto them; start closer"
            )),
            () => Ok(()),
        }
    });
    if let Err(why) = set {
        // The snapshot is of this same simulation.
        run.restore(&before).map_err(|e| LoadError::Other(e.to_string()))?;
        return Err(LoadError::State(why));
    }
    Ok(changed)
}

/// The place of each body in the system, and its centre of mass in its frame.
pub(crate) fn body_places(world: &World, layout: &Layout, system: &System) -> Vec<(BodyPlace, [f64; 3])> {
    let place = |slot: &veracity_model::layout::BodySlot| {
        let body = world.placements[slot.placement].model.body(slot.body);
        (system.place(slot.placement, slot.body), body.inertia.com.into())
    };
    layout.bodies.iter().map(place).collect()
}

/// Every body at rest at the origin: the initial contents of scratch.
pub(crate) fn still_bodies(layout: &Layout) -> Vec<BodyState> {
    let still = BodyState {
        world_from_body: Pose::identity(),
        angular_velocity: Vec3::zeros(),
        linear_velocity: Vec3::zeros(),
    };
    vec![still; layout.bodies.len()]
}
