//! Conversion between joint coordinates and the motion of every body.
//!
//! With `A` the joint's frame on the parent, `B` the one on the child, `ω` and `u` the child's angular velocity and the
//! velocity of B's origin relative to the parent's at the same point:
//!
//! ```text
//! (1)  turning about a:       q = 2 atan2(r · a, r_w)  of the rotation r of A⁻¹ B,     q' = (A a) · ω
//! (2)  sliding along a:       q = a · translation of A⁻¹ B,                            q' = (A a) · u
//! (3)  ball:                  q = r,                                                   v = B⁻¹ ω
//! (4)  two axes e₁ ⟂ e₂:      q₁ from r e₂, q₂ from r⁻¹ e₁,                            q₁' = (A e₁) · ω, q₂' = (B e₂) · ω
//! (5)  free:                  q = A⁻¹ B,                                               v = (B⁻¹ ω, A⁻¹ u)
//! ```
//!
//! Where joints have come apart, (1) to (5) are the coordinates computed from the frames; the gap itself is not a joint
//! coordinate. Every `q'` is a pair of wrenches on the two bodies, [`JointFrame::wrench`], which maps efforts back to
//! the bodies.

use veracity_dynamics::BodyMotion;
use veracity_model::{JointKind, Layout, Pose, Vec3, World};

/// A tree joint between two bodies.
#[derive(Clone, Debug)]
pub struct JointFrame {
    /// Joint kind.
    pub kind: JointKind,
    /// Slot of the child in the layout.
    pub child: usize,
    /// Slot of the parent; `None` for the world.
    pub parent: Option<usize>,
    /// Joint frame on the parent's side (in the world, if there is no parent).
    pub parent_from_joint: Pose,
    /// Joint frame on the child's side.
    pub child_from_joint: Pose,
    /// Index of its first entry in `q`.
    pub q: usize,
    /// Index of its first entry in `v`.
    pub v: usize,
}

/// A joint at a state of its bodies.
#[derive(Clone, Copy, Debug)]
pub struct JointPlace {
    /// `A` and `B`.
    pub frames: [Pose; 2],
    /// `ω`, world axes [rad/s].
    pub turning: Vec3,
    /// `u`, world axes [m/s].
    pub sliding: Vec3,
}

/// All tree joints of a world, by slots.
pub fn joint_frames(world: &World, layout: &Layout) -> Vec<JointFrame> {
    let mut frames = Vec::with_capacity(layout.joints.len());
    for (slot, joint) in layout.joints.iter().zip(world.placements.iter().flat_map(|p| p.model.joints())) {
        let parent = layout.bodies[slot.body].parent;
        let base =
            if parent.is_none() { world.placements[slot.placement].world_from_model } else { Pose::identity() };
        frames.push(JointFrame {
            kind: joint.kind,
            child: slot.body,
            parent,
            parent_from_joint: base * joint.parent_from_joint,
            child_from_joint: joint.child_from_joint,
            q: slot.q,
            v: slot.v,
        });
    }
    frames
}

impl JointFrame {
    /// Frames and relative velocity of the joint, from the motions of all bodies by slots.
    pub fn place(&self, motions: &[BodyMotion]) -> JointPlace {
        let child = &motions[self.child];
        let b = child.world_from_body * self.child_from_joint;
        let at = b.translation.vector;
        let velocity = |m: &BodyMotion| {
            m.linear_velocity + m.angular_velocity.cross(&(at - m.world_from_body.translation.vector))
        };
        let (a, turning, sliding) = match self.parent.map(|p| &motions[p]) {
            None => (self.parent_from_joint, child.angular_velocity, velocity(child)),
            Some(p) => (
                p.world_from_body * self.parent_from_joint,
                child.angular_velocity - p.angular_velocity,
                velocity(child) - velocity(p),
            ),
        };
        JointPlace { frames: [a, b], turning, sliding }
    }

    /// Writes joint coordinates (1) to (5) into the world's `q` and `v`; angles are those nearest to the previous `q`.
    pub fn read(&self, place: &JointPlace, q: &mut [f64], v: &mut [f64]) {
        let [a, b] = &place.frames;
        let between = a.inv_mul(b);
        let r = between.rotation;
        let (q, v) = (&mut q[self.q..], &mut v[self.v..]);
        match self.kind {
            JointKind::Fixed => return,
            JointKind::Revolute { axis } | JointKind::Continuous { axis } | JointKind::Screw { axis, .. } => {
                q[0] = nearest(2.0 * libm::atan2(r.imag().dot(&axis), r.w), q[0]);
            }
            JointKind::Prismatic { axis } => q[0] = between.translation.vector.dot(&axis),
            JointKind::Universal { axis1, axis2 } => {
                let third = axis1.cross(&axis2);
                let (second, first) = (r * axis2, r.inverse() * axis1);
                q[0] = nearest(libm::atan2(second.dot(&third), second.dot(&axis2)), q[0]);
                q[1] = nearest(libm::atan2(first.dot(&third), first.dot(&axis1)), q[1]);
            }
            JointKind::Ball => q[..4].copy_from_slice(&[r.w, r.i, r.j, r.k]),
            // Worlds with planar joints are rejected by `loosen`.
            JointKind::Planar { .. } => return,
            JointKind::Free => {
                q[..3].copy_from_slice(between.translation.vector.as_slice());
                q[3..7].copy_from_slice(&[r.w, r.i, r.j, r.k]);
            }
        }
        for (dof, v) in v.iter_mut().enumerate().take(self.kind.dof_count()) {
            let (torque, force) = self.wrench(place, dof);
            *v = torque.dot(&place.turning) + force.dot(&place.sliding);
        }
    }

    /// How far the joint has come apart: the distance between the origins in the directions the joint does not allow
    /// [m], and the angle between the directions it keeps aligned [rad].
    pub fn gap(&self, place: &JointPlace) -> (f64, f64) {
        let [a, b] = &place.frames;
        let between = a.inv_mul(b);
        let (apart, r) = (between.translation.vector, between.rotation);
        let tilt = |axis: &Vec3| libm::atan2((r * axis).cross(axis).norm(), (r * axis).dot(axis));
        match &self.kind {
            JointKind::Fixed => (apart.norm(), r.angle()),
            JointKind::Revolute { axis } | JointKind::Continuous { axis } | JointKind::Screw { axis, .. } => {
                (apart.norm(), tilt(axis))
            }
            JointKind::Prismatic { axis } => ((apart - axis * axis.dot(&apart)).norm(), r.angle()),
            JointKind::Universal { axis1, axis2 } => (apart.norm(), libm::asin((r * axis2).dot(axis1)).abs()),
            JointKind::Ball => (apart.norm(), 0.0),
            JointKind::Planar { .. } | JointKind::Free => (0.0, 0.0),
        }
    }

    /// The wrench on the child, about B's origin, that equals a unit effort of a degree of freedom; the parent gets the
    /// opposite. World axes.
    pub fn wrench(&self, place: &JointPlace, dof: usize) -> (Vec3, Vec3) {
        let [a, b] = &place.frames;
        let zero = Vec3::zeros();
        let unit = |k: usize| Vec3::ith(k, 1.0);
        match self.kind {
            JointKind::Fixed | JointKind::Planar { .. } => (zero, zero),
            JointKind::Revolute { axis } | JointKind::Continuous { axis } | JointKind::Screw { axis, .. } => {
                (a.rotation * axis, zero)
            }
            JointKind::Prismatic { axis } => (zero, a.rotation * axis),
            JointKind::Universal { axis1, axis2 } => {
                (if dof == 0 { a.rotation * axis1 } else { b.rotation * axis2 }, zero)
            }
            JointKind::Ball => (b.rotation * unit(dof), zero),
            JointKind::Free if dof < 3 => (b.rotation * unit(dof), zero),
            JointKind::Free => (zero, a.rotation * unit(dof - 3)),
        }
    }
}

/// The angle equal to `x` up to whole turns that lies nearest to `near`.
fn nearest(x: f64, near: f64) -> f64 {
    let turn = 2.0 * std::f64::consts::PI;
    x + turn * libm::round((near - x) / turn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_go_on_past_a_turn() {
        let pi = std::f64::consts::PI;
        // Rounding error of a few times pi.
        assert!((nearest(-0.9 * pi, 7.0 * pi) - 7.1 * pi).abs() < 1e-14);
        assert_eq!(nearest(0.1, 0.0), 0.1);
    }
}
