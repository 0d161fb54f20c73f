//! A machine with its legs renamed is the same machine: one step is then a whole stride.
//!
//! Where legs are swapped, every body takes the place and motion of its partner, seen in the mirror if there is one:
//!
//! ```text
//! (1)  R' = M R M,  p' = M p,  v' = M v,  ω' = -M ω          M = diag(1, -1, 1) for a mirror across y
//! ```
//!
//! and the joints follow from the bodies ([`super::joints`]). That the joints can do so is checked: a machine that is not
//! its own mirror image is told apart by how far a body misses its place. A shift adds a constant to a position: the next
//! spoke of a wheel.

use super::joints;
use crate::map::NoReturn;
use nalgebra::Matrix3;
use veracity_contact::ContactWorld;
use veracity_dynamics::kinematics::velocities;
use veracity_dynamics::observe::body_motion;
use veracity_dynamics::{BodyMotion, Workspace};
use veracity_model::{JointKind, Pose, Quat, Vec3, World};

/// How the state after a strike is renamed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Symmetry {
    /// Bodies that change places, by slots of the layout.
    pub swap: Vec<[usize; 2]>,
    /// World axis across which all is mirrored.
    pub mirror: Option<usize>,
    /// Added to entries of `q`.
    pub shift: Vec<(usize, f64)>,
}

/// How far a body may miss its place [m, or rad times m] before the machine is not symmetric: rounding only.
const MISS: f64 = 1e-9;

impl Symmetry {
    /// Renames a state in place.
    pub(super) fn apply(
        &self,
        world: &World,
        compiled: &ContactWorld,
        ws: &mut Workspace,
        q: &mut [f64],
        v: &mut [f64],
    ) -> Result<(), NoReturn> {
        if !self.swap.is_empty() || self.mirror.is_some() {
            self.rename(world, compiled, ws, q, v)?;
        }
        for (entry, by) in &self.shift {
            q[*entry] += by;
        }
        Ok(())
    }

    fn rename(
        &self,
        world: &World,
        compiled: &ContactWorld,
        ws: &mut Workspace,
        q: &mut [f64],
        v: &mut [f64],
    ) -> Result<(), NoReturn> {
        velocities(&compiled.system, ws, q, v);
        let layout = &compiled.layout;
        let now: Vec<BodyMotion> = compiled.places.iter().map(|p| body_motion(ws, *p)).collect();
        let partner = |slot: usize| {
            self.swap
                .iter()
                .find_map(|[a, b]| (*a == slot).then_some(*b).or((*b == slot).then_some(*a)))
                .unwrap_or(slot)
        };
        let mut wanted: Vec<BodyMotion> = (0..now.len()).map(|slot| self.mirrored(&now[partner(slot)])).collect();
        // What is fixed to another body goes where that one goes: a mass at the hip may ride on either leg.
        let fixed = |slot: usize| layout.joints[slot].kind == JointKind::Fixed;
        for slot in 0..now.len() {
            if let (true, Some(parent)) = (fixed(slot), layout.bodies[slot].parent) {
                let parent_from_body = now[parent].world_from_body.inverse() * now[slot].world_from_body;
                let carrier = wanted[parent];
                let world_from_body = carrier.world_from_body * parent_from_body;
                let linear_velocity = joints::velocity_at(&carrier, &world_from_body.translation.vector);
                wanted[slot] = BodyMotion { world_from_body, linear_velocity, ..carrier };
            }
        }
        for (slot, place) in layout.joints.iter().enumerate() {
            let placement = &world.placements[place.placement];
            let joint = &placement.model.joints()[layout.bodies[slot].body.0];
            let still = BodyMotion {
                world_from_body: placement.world_from_model,
                angular_velocity: Vec3::zeros(),
                linear_velocity: Vec3::zeros(),
            };
            let parent = layout.bodies[slot].parent.map(|p| &wanted[p]);
            let (nq, nv) = (joint.kind.position_count(), joint.kind.dof_count());
            let (part_q, part_v) = (&mut q[place.q..place.q + nq], &mut v[place.v..place.v + nv]);
            joints::invert(joint, &still, parent, &wanted[slot], part_q, part_v)?;
        }
        velocities(&compiled.system, ws, q, v);
        for (slot, wanted) in wanted.iter().enumerate() {
            // What is held has no place to take.
            if fixed(slot) {
                continue;
            }
            let got = body_motion(ws, compiled.places[slot]);
            let apart = (got.world_from_body.translation.vector - wanted.world_from_body.translation.vector).norm()
                + got.world_from_body.rotation.angle_to(&wanted.world_from_body.rotation)
                + (got.angular_velocity - wanted.angular_velocity).norm();
            if apart.is_nan() || apart > MISS {
                return Err(NoReturn::Trouble(format!(
                    "is not the same with its legs renamed: body '{}' misses its place by {apart:.1e}; correct 'swap' and 'mirror'",
                    layout.bodies[slot].name
                )));
            }
        }
        Ok(())
    }

    /// (1).
    fn mirrored(&self, motion: &BodyMotion) -> BodyMotion {
        let Some(axis) = self.mirror else { return *motion };
        let mut diagonal = Vec3::repeat(1.0);
        diagonal[axis] = -1.0;
        let mirror = Matrix3::from_diagonal(&diagonal);
        let turn = motion.world_from_body.rotation;
        // M R M turns by the same angle about the mirrored axis, the other way round.
        let axis = -(mirror * turn.imag());
        let turned = Quat::new_unchecked(nalgebra::Quaternion::new(turn.w, axis.x, axis.y, axis.z));
        BodyMotion {
            world_from_body: Pose::from_parts((mirror * motion.world_from_body.translation.vector).into(), turned),
            angular_velocity: -(mirror * motion.angular_velocity),
            linear_velocity: mirror * motion.linear_velocity,
        }
    }
}
