//! Guards of the contract as functions whose zeros the dynamics can locate.

use veracity_collide::NamedPairs;
use veracity_dynamics::integrate::State;
use veracity_dynamics::observe::body_motion;
use veracity_dynamics::{BodyPlace, Guards, System, Workspace, kinematics};
use veracity_engine::{Guard, Watched};

/// Guards and what is needed to evaluate them.
pub(crate) struct SmoothGuards<'a> {
    pub guards: &'a [Guard],
    pub bodies: &'a [(BodyPlace, [f64; 3])],
    pub pairs: &'a NamedPairs,
}

impl Guards for SmoothGuards<'_> {
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
                self.pairs.gap(pair, |slot| body_motion(ws, self.bodies[slot].0).world_from_body)
            }
        };
        value - guard.level
    }
}
