//! Symmetry: a machine with its legs renamed is the same machine, so one step is a whole stride.
//!
//! Where legs are swapped, every body takes the pose and velocity of its partner, mirrored if there is a mirror:
//!
//! ```text
//! (1)  R' = M R M,  p' = M p,  v' = M v,  ω' = -M ω          M = diag(1, -1, 1) for a mirror across y
//! ```
//!
//! and the joints follow from the bodies ([`super::joints`]). A shift adds a constant to a position: the next spoke of
//! a wheel. Two things are checked:
//!
//! - geometry: every body must reach the pose of its partner ([`Symmetry::apply`]);
//! - dynamics: the renamed machine must move as the original does ([`Symmetry::asymmetry`]). A Lagrangian system is the
//!   same under a renaming `σ` of its states exactly when
//!
//! ```text
//! (2)  T(σ(q, v)) = T(q, v),   V(σ q) - V(q) = constant,   D(σ(q, v)) = D(q, v)
//! ```
//!
//!   for all states: kinetic energy, potential energy of height and springs, and power of dampers and dry friction; and
//!   the height of the landing foot above the ground must be that of the stance foot after renaming. All are evaluated
//!   at states displaced from the start along a fixed quasi-random sequence.

use super::feet::{Bodies, Foot};
use super::joints;
use crate::map::NoReturn;
use nalgebra::Matrix3;
use veracity_contact::ContactWorld;
use veracity_dynamics::energy::energy;
use veracity_dynamics::forces::add_joint_forces;
use veracity_dynamics::kinematics::{self, velocities};
use veracity_dynamics::observe::body_motion;
use veracity_dynamics::{BodyMotion, Workspace};
use veracity_model::{JointKind, Pose, Quat, Vec3, World};

/// How the state after a strike is renamed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Symmetry {
    /// Bodies that are swapped, by index in the layout.
    pub swap: Vec<[usize; 2]>,
    /// World axis along which everything is mirrored.
    pub mirror: Option<usize>,
    /// Added to entries of `q`.
    pub shift: Vec<(usize, f64)>,
}

/// Largest distance of a body from its partner's pose [m, or rad times m]: rounding only.
const MISS: f64 = 1e-9;

/// Relative difference of (2) above which a machine is not symmetric. Energies of equal machines differ by rounding,
/// about 1e-15 for a few bodies; model files print masses and lengths with six digits or more, so intended differences
/// are above 1e-7.
const UNEQUAL: f64 = 1e-9;

/// Displacement of the samples of (2) from the start [rad, m, rad/s, m/s]. Large enough that every term of (2)
/// contributes, small enough that no joint passes a singular pose.
const DISPLACED: f64 = 0.3;

impl Symmetry {
    /// Why the machine with renamed bodies is not the same machine, if it is not: (2) at displaced states.
    pub(super) fn asymmetry(
        &self,
        world: &World,
        compiled: &mut ContactWorld,
        ws: &mut Workspace,
        start_q: &[f64],
        [stance, landing]: [usize; 2],
    ) -> Result<Option<String>, NoReturn> {
        if self.swap.is_empty() && self.mirror.is_none() && self.shift.is_empty() {
            return Ok(None);
        }
        let dofs = compiled.system.dof_count();
        let mut first_rise = None;
        for sample in 0..2 * dofs + 4 {
            let number = |i: usize| DISPLACED * quasi_random(sample * 2 * dofs + i);
            let by: Vec<f64> = (0..dofs).map(number).collect();
            let mut v: Vec<f64> = (dofs..2 * dofs).map(number).collect();
            let mut q = start_q.to_vec();
            kinematics::advance(&compiled.system, &mut q, &by, 1.0);
            let height = foot_height(compiled, ws, &q, &v, landing)?;
            let system = &compiled.system;
            let at = |q: &[f64], v: &[f64], ws: &mut Workspace| {
                let energy = energy(system, ws, q, v);
                let mut damping = vec![0.0; dofs];
                add_joint_forces(system, q, v, &mut damping);
                let mut springs = vec![0.0; dofs];
                add_joint_forces(system, q, &vec![0.0; dofs], &mut springs);
                let power: f64 = damping.iter().zip(&springs).zip(v).map(|((d, s), v)| (d - s) * v).sum();
                (energy.kinetic, energy.gravity + energy.elastic, power)
            };
            let (kinetic, potential, power) = at(&q, &v, ws);
            self.apply(world, compiled, ws, &mut q, &mut v)?;
            let (kinetic_after, potential_after, power_after) = at(&q, &v, ws);
            let height_after = foot_height(compiled, ws, &q, &v, stance)?;
            let rise = potential_after - potential;
            let expected_rise = *first_rise.get_or_insert(rise);
            let scale = kinetic.abs() + potential.abs() + potential_after.abs();
            let differs = |a: f64, b: f64, scale: f64| (a - b).abs() > UNEQUAL * scale || (a - b).is_nan();
            if differs(kinetic_after, kinetic, kinetic) {
                let percent = 100.0 * (kinetic_after / kinetic - 1.0);
                return Ok(Some(format!(
                    "masses or inertias differ: kinetic energy of a state changes by {percent:.2e} % when the legs are renamed"
                )));
            }
            if differs(rise, expected_rise, scale) {
                return Ok(Some(format!(
                    "weights, springs or gravity differ: potential energy of a state changes by {:.2e} J when the legs are renamed",
                    rise - expected_rise
                )));
            }
            if differs(power_after, power, power.abs() + power_after.abs()) {
                return Ok(Some(format!(
                    "damping or dry friction differ: {power:.3e} W and {power_after:.3e} W when the legs are renamed"
                )));
            }
            if differs(height_after, height, 1.0) {
                return Ok(Some(format!(
                    "feet differ: the foot that lands is {height:.9} m above the ground, after renaming {height_after:.9} m"
                )));
            }
        }
        Ok(None)
    }

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
        // A body fixed to another moves with it: a mass at the hip may be attached to either leg.
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
            // A fixed body need not match.
            if fixed(slot) {
                continue;
            }
            let got = body_motion(ws, compiled.places[slot]);
            let apart = (got.world_from_body.translation.vector - wanted.world_from_body.translation.vector).norm()
                + got.world_from_body.rotation.angle_to(&wanted.world_from_body.rotation)
                + (got.angular_velocity - wanted.angular_velocity).norm();
            if apart.is_nan() || apart > MISS {
                return Err(NoReturn::Trouble(format!(
                    "is not the same with its legs renamed: body '{}' is {apart:.1e} away from its partner's pose; correct 'swap' and 'mirror'",
                    layout.bodies[slot].name
                )));
            }
        }
        Ok(())
    }

    /// Mirrors a motion by (1).
    fn mirrored(&self, motion: &BodyMotion) -> BodyMotion {
        let Some(axis) = self.mirror else { return *motion };
        let mut diagonal = Vec3::repeat(1.0);
        diagonal[axis] = -1.0;
        let mirror = Matrix3::from_diagonal(&diagonal);
        let turn = motion.world_from_body.rotation;
        // M R M rotates by the same angle about the mirrored axis, in the opposite direction.
        let axis = -(mirror * turn.imag());
        let turned = Quat::new_unchecked(nalgebra::Quaternion::new(turn.w, axis.x, axis.y, axis.z));
        BodyMotion {
            world_from_body: Pose::from_parts((mirror * motion.world_from_body.translation.vector).into(), turned),
            angular_velocity: -(mirror * motion.angular_velocity),
            linear_velocity: mirror * motion.linear_velocity,
        }
    }
}

/// Fractional part of multiples of the golden ratio, from -1 to 1: fills the interval evenly, the same in every run.
fn quasi_random(index: usize) -> f64 {
    let x = (index as f64 + 0.5) * 0.618_033_988_749_894_9;
    2.0 * (x - libm::floor(x)) - 1.0
}

/// Height of a foot's lowest point above the ground [m].
fn foot_height(
    compiled: &mut ContactWorld,
    ws: &mut Workspace,
    q: &[f64],
    v: &[f64],
    shape: usize,
) -> Result<f64, NoReturn> {
    let bodies = Bodies::at(compiled, ws, q, v);
    Foot::under(compiled, &bodies, shape)?.gap(compiled, &bodies)
}
