//! Guards of the contract as functions whose zeros the dynamics can locate.

use crate::gaps::GapWatch;
use crate::trouble;
use veracity_dynamics::integrate::State;
use veracity_dynamics::observe::body_motion;
use veracity_dynamics::{BodyPlace, Guards, System, Workspace, kinematics};
use veracity_engine::{Guard, StepError, Watched};
use veracity_model::Layout;

/// Guards and what is needed to evaluate them.
pub(crate) struct Watching<'a> {
    pub guards: &'a [Guard],
    pub bodies: &'a [(BodyPlace, [f64; 3])],
    pub gaps: &'a GapWatch,
}

impl Guards for Watching<'_> {
    fn count(&self) -> usize {
        self.guards.len()
    }

    fn direction(&self, index: usize) -> i8 {
        self.guards[index].direction
    }

    fn value(&mut self, index: usize, system: &System, ws: &mut Workspace, state: &State) -> f64 {
        let guard = &self.guards[index];
        let mut motion = |slot: usize| {
            kinematics::velocities(system, ws, &state.q, &state.v);
            body_motion(ws, self.bodies[slot].0)
        };
        let value = match guard.watched {
            Watched::Position(i) => state.q[i],
            Watched::Speed(i) => state.v[i],
            Watched::BodyCoordinate { body, axis } => motion(body).world_from_body.translation.vector[axis],
            Watched::BodySpin { body, axis } => motion(body).angular_velocity[axis],
            Watched::Gap(pair) => {
                kinematics::positions(system, ws, &state.q);
                let ws = &*ws;
                self.gaps.measure(pair, |slot| body_motion(ws, self.bodies[slot].0).world_from_body)
            }
        };
        value - guard.level
    }
}

/// Rejects guards on something that does not exist. `gaps` must be measured at the current state.
pub(crate) fn check(guards: &[Guard], layout: &Layout, gaps: &GapWatch, time: f64) -> Result<(), StepError> {
    for guard in guards {
        let known = match guard.watched {
            Watched::Position(i) => i < layout.position_count,
            Watched::Speed(i) => i < layout.dof_count(),
            Watched::BodyCoordinate { body, axis } | Watched::BodySpin { body, axis } => {
                body < layout.bodies.len() && axis < 3
            }
            Watched::Gap(pair) => gaps.now.get(pair).is_some_and(|gap| !gap.is_nan()),
        };
        if !known || !guard.level.is_finite() {
            return Err(trouble::told(time, format!("invalid guard: this world has nothing to watch for {guard:?}")));
        }
    }
    Ok(())
}
