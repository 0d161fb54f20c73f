//! Joint coordinates to poses and back.
//!
//! With `P` the joint frame on the parent, `C` that on the child and `X(q)` the joint's own motion:
//!
//! ```text
//! (1)  world_from_C = world_from_P · X(q)
//! (2)  ω_C = ω_P + R_P w(q, v),     v_C = v_P + ω_P × (c - p) + R_P u(q, v)
//! ```
//!
//! `w` and `u` are the angular velocity of C and the velocity of its origin relative to P, in the axes of P. Reading a
//! joint from two bodies that an engine in maximal coordinates moved slightly apart projects onto (1): what the joint
//! does not allow is dropped from `q`, and stays visible in the bodies' poses.

use std::f64::consts::{PI, TAU};
use veracity_engine::BodyState;
use veracity_model::geometry::quat_about;
use veracity_model::{JointKind, Layout, Pose, Quat, Vec3, World};

/// One joint with its frames.
#[derive(Clone, Copy, Debug)]
pub struct JointFrames {
    /// How it moves.
    pub kind: JointKind,
    /// First position.
    pub q: usize,
    /// First velocity.
    pub v: usize,
    /// Slot of the parent body; `None` is the world.
    pub parent: Option<usize>,
    /// In the parent body, or in the world.
    pub parent_from_joint: Pose,
    /// In the child body.
    pub child_from_joint: Pose,
}

/// Frames of all joints of a world.
pub fn joint_frames(world: &World, layout: &Layout) -> Vec<JointFrames> {
    let one = |slot: usize| {
        let (place, joint_slot) = (&layout.bodies[slot], &layout.joints[slot]);
        let placement = &world.placements[place.placement];
        let joint = &placement.model.joints()[place.body.0];
        let parent_from_joint = match place.parent {
            Some(_) => joint.parent_from_joint,
            None => placement.world_from_model * joint.parent_from_joint,
        };
        JointFrames {
            kind: joint.kind,
            q: joint_slot.q,
            v: joint_slot.v,
            parent: place.parent,
            parent_from_joint,
            child_from_joint: joint.child_from_joint,
        }
    };
    (0..layout.bodies.len()).map(one).collect()
}

/// A body that does not move.
pub fn still(pose: Pose) -> BodyState {
    BodyState { world_from_body: pose, angular_velocity: Vec3::zeros(), linear_velocity: Vec3::zeros() }
}

/// Velocity of a point that moves with a body, world axes [m/s].
pub fn point_velocity(body: &BodyState, point: &Vec3) -> Vec3 {
    let arm = point - body.world_from_body.translation.vector;
    body.linear_velocity + body.angular_velocity.cross(&arm)
}

impl JointFrames {
    /// The joint frame on the parent, in the world.
    pub fn world_from_parent_joint(&self, states: &[BodyState]) -> Pose {
        self.parent_state(states).world_from_body * self.parent_from_joint
    }

    fn parent_state(&self, states: &[BodyState]) -> BodyState {
        self.parent.map_or(still(Pose::identity()), |p| states[p])
    }

    /// `X(q)`.
    pub fn motion(&self, q: &[f64]) -> Pose {
        let q = &q[self.q..];
        let turn = |axis: &Vec3, angle| Pose::from_parts(Vec3::zeros().into(), quat_about(axis, angle));
        let slide = |v: Vec3| Pose::from_parts(v.into(), Quat::identity());
        match &self.kind {
            JointKind::Fixed => Pose::identity(),
            JointKind::Revolute { axis } | JointKind::Continuous { axis } => turn(axis, q[0]),
            JointKind::Prismatic { axis } => slide(axis * q[0]),
            JointKind::Screw { axis, pitch } => slide(axis * (pitch * q[0])) * turn(axis, q[0]),
            JointKind::Universal { axis1, axis2 } => turn(axis1, q[0]) * turn(axis2, q[1]),
            JointKind::Ball => Pose::from_parts(Vec3::zeros().into(), quaternion(q)),
            JointKind::Planar { x_axis, y_axis } => {
                slide(x_axis * q[0] + y_axis * q[1]) * turn(&x_axis.cross(y_axis), q[2])
            }
            JointKind::Free => Pose::from_parts(Vec3::new(q[0], q[1], q[2]).into(), quaternion(&q[3..])),
        }
    }

    /// `w` and `u` of (2).
    fn relative_velocity(&self, motion: &Pose, v: &[f64]) -> (Vec3, Vec3) {
        let v = &v[self.v..];
        let none = Vec3::zeros();
        match &self.kind {
            JointKind::Fixed => (none, none),
            JointKind::Revolute { axis } | JointKind::Continuous { axis } => (axis * v[0], none),
            JointKind::Prismatic { axis } => (none, axis * v[0]),
            JointKind::Screw { axis, pitch } => (axis * v[0], axis * (pitch * v[0])),
            // The second axis turns with the first angle; axis2 itself is left in place by its own turn.
            JointKind::Universal { axis1, axis2 } => (axis1 * v[0] + motion.rotation * (axis2 * v[1]), none),
            JointKind::Ball => (motion.rotation * Vec3::new(v[0], v[1], v[2]), none),
            JointKind::Planar { x_axis, y_axis } => (x_axis.cross(y_axis) * v[2], x_axis * v[0] + y_axis * v[1]),
            JointKind::Free => (motion.rotation * Vec3::new(v[0], v[1], v[2]), Vec3::new(v[3], v[4], v[5])),
        }
    }

    /// The child's velocities by (2) in a given pose.
    pub fn child_velocity(
        &self,
        states: &[BodyState],
        world_from_child: &Pose,
        motion: &Pose,
        v: &[f64],
    ) -> BodyState {
        let parent = self.parent_state(states);
        let frame = parent.world_from_body.rotation * self.parent_from_joint.rotation;
        let (w, u) = self.relative_velocity(motion, v);
        let angular_velocity = parent.angular_velocity + frame * w;
        let joint = (world_from_child * self.child_from_joint).translation.vector;
        let joint_velocity = point_velocity(&parent, &joint) + frame * u;
        let arm = world_from_child.translation.vector - joint;
        let linear_velocity = joint_velocity + angular_velocity.cross(&arm);
        BodyState { world_from_body: *world_from_child, angular_velocity, linear_velocity }
    }

    /// The child by (1) and (2).
    pub fn child(&self, states: &[BodyState], q: &[f64], v: &[f64]) -> BodyState {
        let motion = self.motion(q);
        let pose = self.world_from_parent_joint(states) * motion * self.child_from_joint.inverse();
        self.child_velocity(states, &pose, &motion, v)
    }

    /// Reads `q` and `v` from parent and child. `q` holds the last positions: angles continue from them past half a
    /// turn, quaternions keep their sign.
    pub fn read(&self, states: &[BodyState], child: &BodyState, q: &mut [f64], v: &mut [f64]) {
        let parent = self.parent_state(states);
        let back = (parent.world_from_body.rotation * self.parent_from_joint.rotation).inverse();
        let turn = back * (child.world_from_body.rotation * self.child_from_joint.rotation);
        let w = back * (child.angular_velocity - parent.angular_velocity);
        // Where C is in P, and how fast: only for joints that slide, because most turn and this is half the work.
        let slide = || {
            let origin = (child.world_from_body * self.child_from_joint).translation.vector;
            let from = (parent.world_from_body * self.parent_from_joint).translation.vector;
            let u = back * (point_velocity(child, &origin) - point_velocity(&parent, &origin));
            (back * (origin - from), u)
        };
        let (q, v) = (&mut q[self.q..], &mut v[self.v..]);
        match &self.kind {
            JointKind::Fixed => {}
            JointKind::Universal { axis1, axis2 } => {
                // Of axes normal to each other: the first angle carries axis2, the second carries axis1 back.
                let (carried, back) = (turn * axis2, turn.inverse() * axis1);
                let first = libm::atan2(carried.dot(&axis1.cross(axis2)), carried.dot(axis2));
                let second = libm::atan2(back.dot(&axis1.cross(axis2)), back.dot(axis1));
                (q[0], q[1]) = (unwrap(first, q[0]), unwrap(second, q[1]));
                (v[0], v[1]) = (w.dot(axis1), w.dot(&carried));
            }
            JointKind::Revolute { axis } | JointKind::Continuous { axis } | JointKind::Screw { axis, .. } => {
                q[0] = unwrap(angle_about(&turn, axis), q[0]);
                v[0] = w.dot(axis);
            }
            JointKind::Prismatic { axis } => {
                let (place, u) = slide();
                (q[0], v[0]) = (place.dot(axis), u.dot(axis));
            }
            JointKind::Ball => {
                put_quaternion(&mut q[..4], &turn);
                v[..3].copy_from_slice((turn.inverse() * w).as_slice());
            }
            JointKind::Planar { x_axis, y_axis } => {
                let (place, u) = slide();
                let normal = x_axis.cross(y_axis);
                let angle = unwrap(angle_about(&turn, &normal), q[2]);
                q[..3].copy_from_slice(&[place.dot(x_axis), place.dot(y_axis), angle]);
                v[..3].copy_from_slice(&[u.dot(x_axis), u.dot(y_axis), w.dot(&normal)]);
            }
            JointKind::Free => {
                let (place, u) = slide();
                q[..3].copy_from_slice(place.as_slice());
                put_quaternion(&mut q[3..7], &turn);
                v[..3].copy_from_slice((turn.inverse() * w).as_slice());
                v[3..6].copy_from_slice(u.as_slice());
            }
        }
    }
}

/// The angle about an axis of the twist that a rotation contains, within half a turn of zero [rad].
pub fn angle_about(rotation: &Quat, axis: &Vec3) -> f64 {
    let half = libm::atan2(rotation.imag().dot(axis), rotation.w);
    let angle = 2.0 * half;
    if angle > PI {
        angle - TAU
    } else if angle <= -PI {
        angle + TAU
    } else {
        angle
    }
}

/// The angle of the same direction nearest to the last one.
pub fn unwrap(angle: f64, last: f64) -> f64 {
    let apart = last - angle;
    // Most are the nearest already, and `round` is slow without a CPU instruction for it.
    if apart.abs() < PI { angle } else { angle + TAU * (apart / TAU).round() }
}

fn quaternion(q: &[f64]) -> Quat {
    Quat::new_unchecked(nalgebra::Quaternion::new(q[0], q[1], q[2], q[3]))
}

/// Writes a rotation with the sign that lies nearer to what is there.
pub fn put_quaternion(q: &mut [f64], rotation: &Quat) {
    let new = [rotation.w, rotation.i, rotation.j, rotation.k];
    let same: f64 = new.iter().zip(q.iter()).map(|(a, b)| a * b).sum();
    let sign = if same < 0.0 { -1.0 } else { 1.0 };
    q.iter_mut().zip(new).for_each(|(q, x)| *q = sign * x);
}

#[cfg(test)]
mod tests {
    use super::*;
    use veracity_model::geometry::pose;

    /// A child on a joint of each kind is read back, on a parent that itself moves.
    #[test]
    fn joint_coordinates_are_read_back() {
        let axis = Vec3::new(2.0, -1.0, 2.0) / 3.0;
        let across = Vec3::new(1.0, 2.0, 0.0) / 5f64.sqrt();
        let quat = quat_about(&across, 2.5);
        let [w, x, y, z] = [quat.w, quat.i, quat.j, quat.k];
        let cases: [(JointKind, Vec<f64>, Vec<f64>); 8] = [
            (JointKind::Screw { axis, pitch: 0.3 }, vec![4.0], vec![0.7]),
            (JointKind::Universal { axis1: axis, axis2: across }, vec![4.0, -2.0], vec![0.7, -0.3]),
            (JointKind::Revolute { axis }, vec![-2.0], vec![0.7]),
            (JointKind::Continuous { axis }, vec![9.0], vec![-3.0]),
            (JointKind::Prismatic { axis }, vec![0.4], vec![0.1]),
            (JointKind::Ball, vec![w, x, y, z], vec![0.1, -0.2, 0.3]),
            (JointKind::Planar { x_axis: axis, y_axis: across }, vec![0.3, -0.1, 7.0], vec![1.0, 2.0, 3.0]),
            (JointKind::Free, vec![1.0, 2.0, 3.0, w, x, y, z], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        ];
        let parent = BodyState {
            world_from_body: pose(Vec3::new(1.0, 2.0, 3.0), [0.1, 0.2, 0.3]),
            angular_velocity: Vec3::new(0.3, -0.4, 0.5),
            linear_velocity: Vec3::new(-1.0, 0.5, 0.2),
        };
        for (kind, q, v) in cases {
            let frames = JointFrames {
                kind,
                q: 0,
                v: 0,
                parent: Some(0),
                parent_from_joint: pose(Vec3::new(0.1, -0.2, 0.3), [1.0, -0.5, 0.2]),
                child_from_joint: pose(Vec3::new(-0.3, 0.1, 0.2), [0.4, 0.6, -1.0]),
            };
            let child = frames.child(&[parent], &q, &v);
            // Angles are unwrapped towards what was there: start from a position nearby.
            let mut read_q: Vec<f64> = q.iter().map(|x| x + 0.01).collect();
            let mut read_v = vec![0.0; v.len()];
            frames.read(&[parent], &child, &mut read_q, &mut read_v);
            for (a, b) in read_q.iter().zip(&q).chain(read_v.iter().zip(&v)) {
                // A dozen products of numbers of order one to ten.
                assert!((a - b).abs() < 2e-14, "{}: {read_q:?} {read_v:?}", kind.name());
            }
        }
    }
}
