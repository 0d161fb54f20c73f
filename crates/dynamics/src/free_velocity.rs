//! The velocity at the end of a step without contact, and the update of positions along the final velocity.
//!
//! Trees, with the slopes `D` and `K` of the forces of each degree of freedom treated implicitly:
//!
//! ```text
//! (1)  (M + h D + h² K) (v* - v) = h (τ(q, v) - bias(q, v)) - h² K v
//! ```
//!
//! A free body moves about its centre of mass, in body axes; its gyroscopic torque by the midpoint rule, which conserves
//! `ωᵀ I ω` and `|I ω|` to rounding for any step (the explicit rule adds energy to every tumbling body):
//!
//! ```text
//! (2)  I (ω° - ω) = -h ω̄ × I ω̄,   ω̄ = (ω + ω°) / 2,      ω* = ω° + h I⁻¹ N,      v_c* = v_c + h F / m
//! (3)  x_c ← x_c + h v_c,   R ← R exp(h ω)
//! ```
//!
//! With (2) and (3), workless impulses make the energy of free bodies under constant forces fall at every step,
//! `ΔE = -½ |h f + Jᵀ λ|²` in the metric of `M⁻¹`.

use crate::blocks::{self, Block};
use crate::forward::{Efforts, Trouble};
use crate::integrate::State;
use crate::link::Link;
use crate::spatial::*;
use crate::system::System;
use crate::workspace::Workspace;
use crate::{forces, kinematics, rnea};
use nalgebra as na;

/// Scratch of [`free_velocity`].
#[derive(Clone, Debug)]
pub struct FreeVelocity {
    /// `v*`, in the order of `v`.
    pub velocity: Vec<f64>,
    change: Vec<f64>,
    bias: Vec<f64>,
    stiffness: Vec<f64>,
    damping: Vec<f64>,
    extra: Vec<f64>,
}

impl FreeVelocity {
    /// Allocates for a system.
    pub fn new(system: &System) -> Self {
        let zeros = || vec![0.0; system.nv];
        let (velocity, change, bias) = (zeros(), zeros(), zeros());
        Self { velocity, change, bias, stiffness: zeros(), damping: zeros(), extra: zeros() }
    }

    /// Velocity change by forces: for free bodies `h M⁻¹ f` without the gyroscopic term, for trees the whole change.
    pub fn push(&self) -> &[f64] {
        &self.change
    }
}

/// Computes `v*` of a step `h` from `state` and prepares `M̂ = M + h D + h² K` for [`blocks::respond`] and the kinematics for
/// [`blocks::add_wrench_row`]. Dry friction of joints is not included: the impulse solver handles it.
pub fn free_velocity(
    system: &System,
    ws: &mut Workspace,
    efforts: &mut dyn Efforts,
    state: &State,
    h: f64,
    out: &mut FreeVelocity,
) -> Result<(), Trouble> {
    let (q, v) = (&state.q, &state.v);
    kinematics::velocities(system, ws, q, v);
    forces::set_applied_wrenches(system, ws, efforts.wrenches());
    out.change.fill(0.0);
    efforts.add(system, state.time, q, v, &mut out.change);
    forces::add_smooth_joint_forces(system, q, v, &mut out.change);

    out.stiffness.fill(0.0);
    out.damping.fill(0.0);
    efforts.add_gains(system, state.time, q, v, &mut out.stiffness, &mut out.damping);
    // A free body has neither spring nor damper, so nothing is added to its inertia.
    for block in system.blocks.iter().filter(|block| !block.is_free_body) {
        for i in block.first..block.first + block.len {
            let dof = &system.dofs[i];
            // Only scalar positions have springs.
            if system.dof_position[i].is_some() {
                out.stiffness[i] += dof.stiffness;
            }
            out.damping[i] += dof.damping;
            out.extra[i] = h * out.damping[i] + h * h * out.stiffness[i];
        }
    }
    blocks::prepare(system, ws, Some(&out.extra)).map_err(|dof| Trouble::NoInertia { dof, time: state.time })?;

    out.velocity.copy_from_slice(v);
    for (index, block) in system.blocks.iter().enumerate() {
        let dofs = block.first..block.first + block.len;
        let change = &mut out.change[dofs.clone()];
        if block.is_free_body {
            add_free_forces(system, ws, block, change);
            turn_free_body(system, ws, index, h, &mut out.velocity[dofs.clone()]);
            change.iter_mut().for_each(|x| *x *= h);
        } else {
            rnea::bias_efforts_of(system, ws, block.links.0..block.links.1, &mut out.bias);
            for (x, i) in change.iter_mut().zip(dofs.clone()) {
                *x = h * (*x - out.bias[i] - h * out.stiffness[i] * v[i]);
            }
        }
        blocks::respond(system, ws, index, change);
        for (v, d) in out.velocity[dofs].iter_mut().zip(change.iter()) {
            *v += d;
        }
    }
    Ok(())
}

/// Weight and applied wrenches of a free body, as efforts of its joint.
fn add_free_forces(system: &System, ws: &Workspace, block: &Block, efforts: &mut [f64]) {
    let (link, s) = (&system.links[block.links.0], &ws.links[block.links.0 + 1]);
    let weight = scale(system.gravity, link.mass);
    let (mut torque, mut force) = (cross(rotate(&s.rot, link.com), weight), weight);
    if ws.loaded {
        (torque, force) = (add(torque, s.applied_torque), add(force, s.applied_force));
    }
    let (t, f) = (rotate_back(&s.rot, torque), rotate_back(&link.joint_axes(&IDENTITY), force));
    for k in 0..3 {
        efforts[k] += t[k];
        efforts[3 + k] += f[k];
    }
}

/// The first part of (2), the centre of mass keeping its velocity.
fn turn_free_body(system: &System, ws: &Workspace, block: usize, h: f64, v: &mut [f64]) {
    let b = &system.blocks[block];
    let (link, s) = (&system.links[b.links.0], &ws.links[b.links.0 + 1]);
    let before = [v[0], v[1], v[2]];
    let after = midpoint_turn(&link.inertia, before, h);
    let change = rotate(&s.rot, sub(after, before));
    let slide = rotate_back(&link.joint_axes(&IDENTITY), cross(change, ws.free_bodies[block].com));
    v[..3].copy_from_slice(&after);
    (0..3).for_each(|k| v[3 + k] -= slide[k]);
}

/// `ω°` of (2) by Newton's method. Where it does not converge (rotation by radians in a step) the body rate is kept, which
/// conserves the energy as well.
fn midpoint_turn(inertia: &Sym3, omega: V3, h: f64) -> V3 {
    let is_round = inertia[0] == inertia[1] && inertia[1] == inertia[2] && inertia[3..] == [0.0; 3];
    if is_round || omega == [0.0; 3] {
        return omega;
    }
    let i = na::Matrix3::from(crate::link::full(inertia));
    let before = na::Vector3::from(omega);
    let mut after = before;
    let mut last = f64::INFINITY;
    for _ in 0..12 {
        let mid = (before + after) * 0.5;
        let momentum = i * mid;
        let residual = i * (after - before) + mid.cross(&momentum) * h;
        let slope = i + (mid.cross_matrix() * i - momentum.cross_matrix()) * (0.5 * h);
        let Some(inverse) = slope.try_inverse() else { return omega };
        let step = inverse * residual;
        after -= step;
        let size = step.norm();
        // At rounding Newton's steps stop shrinking.
        if size >= last && size <= 1e-12 * before.norm() || size == 0.0 {
            return after.into();
        }
        last = size;
    }
    omega
}

/// Moves the positions of `state` by `h` along its velocity, (3) for free bodies. The velocity of a free body is afterwards
/// that of its origin at the new orientation: the velocity of the centre of mass is unchanged.
pub fn advance(system: &System, state: &mut State, h: f64) {
    advance_either(system, state, None, h);
}

/// The same along another velocity than the one at the end of the step, such as the mean over the step. Both velocities
/// change as the state's does in [`advance`].
pub fn advance_along(system: &System, state: &mut State, along: &mut [f64], h: f64) {
    advance_either(system, state, Some(along), h);
}

#[inline]
fn advance_either(system: &System, state: &mut State, mut along: Option<&mut [f64]>, h: f64) {
    let (q, v) = (&mut state.q, &mut state.v);
    for block in &system.blocks {
        let link = &system.links[block.links.0];
        if !block.is_free_body || link.com == [0.0; 3] {
            for link in &system.links[block.links.0..block.links.1] {
                kinematics::advance_link(link, q, along.as_deref().unwrap_or(v), h);
            }
            continue;
        }
        let axes = link.joint_axes(&IDENTITY);
        let old = Swing::of(link, &q[link.q..], &v[link.v..]);
        let swept = along.as_deref().map_or(old.velocity, |x| Swing::of(link, &q[link.q..], &x[link.v..]).velocity);
        kinematics::advance_link(link, q, along.as_deref().unwrap_or(v), h);
        let (p, v) = (&mut q[link.q..link.q + 7], &mut v[link.v..link.v + 6]);
        let new = Swing::of(link, p, v);
        let shift = rotate_back(&axes, add(scale(swept, h), sub(old.com, new.com)));
        if let Some(along) = along.as_deref_mut() {
            let kick = rotate_back(&axes, sub(swept, Swing::of(link, p, &along[link.v..]).velocity));
            (0..3).for_each(|k| along[link.v + 3 + k] += kick[k]);
        }
        let kick = rotate_back(&axes, sub(old.velocity, new.velocity));
        for k in 0..3 {
            p[k] += shift[k];
            v[3 + k] += kick[k];
        }
    }
}

/// After bodies were displaced from `before` to `q`: changes the velocity of a free body's origin so that the velocity of its
/// centre of mass is unchanged. Otherwise a body whose orientation is corrected would also be pushed, and its weight would do
/// work along a velocity that no impulse has caused.
pub fn keep_centres(system: &System, before: &[f64], q: &[f64], v: &mut [f64]) {
    for block in system.blocks.iter().filter(|block| block.is_free_body) {
        let link = &system.links[block.links.0];
        // A body that was not displaced keeps its velocity to the bit.
        if link.com == [0.0; 3] || before[link.q..link.q + 7] == q[link.q..link.q + 7] {
            continue;
        }
        let old = Swing::of(link, &before[link.q..], &v[link.v..]);
        let new = Swing::of(link, &q[link.q..], &v[link.v..]);
        let kick = rotate_back(&link.joint_axes(&IDENTITY), sub(old.velocity, new.velocity));
        (0..3).for_each(|k| v[link.v + 3 + k] += kick[k]);
    }
}

/// The centre of mass of a free body relative to its origin, in world axes.
struct Swing {
    com: V3,
    velocity: V3,
}

impl Swing {
    fn of(link: &Link, q: &[f64], v: &[f64]) -> Self {
        let rot = compose(&link.joint_axes(&IDENTITY), &quat_rotation([q[3], q[4], q[5], q[6]]));
        let com = rotate(&rot, link.com);
        Self { com, velocity: cross(rotate(&rot, [v[0], v[1], v[2]]), com) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoEfforts, energy};
    use veracity_model::{Body, Inertia, Joint, JointKind, Mat3, ModelBuilder, Vec3};

    fn lopsided() -> System {
        let tensor = Mat3::from_diagonal(&Vec3::new(0.02, 0.05, 0.04));
        let inertia = Inertia { mass: 2.0, com: Vec3::new(0.3, -0.1, 0.2), tensor };
        let mut builder = ModelBuilder::new("b");
        builder.add_body(Body::new("b", inertia), Joint::new("free", JointKind::Free), None);
        System::from_model(&builder.build().unwrap(), Vec3::zeros()).unwrap()
    }

    /// Correcting a body's orientation by half a radian changes neither its momentum nor its energy.
    #[test]
    fn a_body_that_is_put_right_is_not_pushed() {
        let system = lopsided();
        let mut ws = Workspace::new(&system);
        let v = vec![0.3, 5.0, 0.4, 0.1, 0.2, 0.3];
        let mut state = State { time: 0.0, q: system.neutral_positions().to_vec(), v };
        let before = state.q.clone();
        let start = energy::energy(&system, &mut ws, &state.q, &state.v).kinetic;
        let push = energy::momentum(&system, &mut ws, &state.q, &state.v).linear;
        kinematics::advance(&system, &mut state.q, &[0.3, -0.4, 0.2, 0.01, 0.0, 0.02], 1.0);
        keep_centres(&system, &before, &state.q, &mut state.v);
        let end = energy::energy(&system, &mut ws, &state.q, &state.v).kinetic;
        let after = energy::momentum(&system, &mut ws, &state.q, &state.v).linear;
        // Some roundings.
        assert!((end / start - 1.0).abs() < 1e-14, "{}", end / start - 1.0);
        assert!(norm(sub(after, push)) < 1e-14, "{after:?} {push:?}");
    }

    /// A tumbling body whose frame is not at its centre of mass conserves energy and momentum over 10,000 steps of 10 ms at
    /// 5 rad/s; the explicit rule at this step would have exploded.
    #[test]
    fn a_tumbling_body_keeps_its_energy() {
        let system = lopsided();
        let mut ws = Workspace::new(&system);
        let mut room = FreeVelocity::new(&system);
        let v = vec![0.3, 5.0, 0.4, 0.1, 0.2, 0.3];
        let mut state = State { time: 0.0, q: system.neutral_positions().to_vec(), v };
        let start = energy::energy(&system, &mut ws, &state.q, &state.v).kinetic;
        let push = energy::momentum(&system, &mut ws, &state.q, &state.v).linear;
        for _ in 0..10_000 {
            free_velocity(&system, &mut ws, &mut NoEfforts, &state, 0.01, &mut room).unwrap();
            state.v.copy_from_slice(&room.velocity);
            advance(&system, &mut state, 0.01);
        }
        let end = energy::energy(&system, &mut ws, &state.q, &state.v).kinetic;
        let after = energy::momentum(&system, &mut ws, &state.q, &state.v).linear;
        // 10,000 roundings of 1e-16 that all agree, times a few operations.
        assert!((end / start - 1.0).abs() < 1e-11, "{}", end / start - 1.0);
        assert!(norm(sub(after, push)) < 1e-11, "{after:?} {push:?}");
    }
}
