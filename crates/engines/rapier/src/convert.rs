//! Conversion between our geometry (nalgebra) and Rapier's (glam).

use nalgebra as na;
use rapier3d_f64::math::{Pose as RapierPose, Rotation, Vector};
use veracity_model::{Pose, Quat, Vec3};

/// To Rapier.
pub fn to_vector(v: &Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

/// From Rapier.
pub fn from_vector(v: Vector) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}

/// To Rapier.
pub fn to_rotation(q: &Quat) -> Rotation {
    Rotation::from_xyzw(q.i, q.j, q.k, q.w)
}

/// From Rapier, whose quaternions have unit length: not normalised again, so that a pose read twice is the same.
pub fn from_rotation(q: Rotation) -> Quat {
    Quat::new_unchecked(na::Quaternion::new(q.w, q.x, q.y, q.z))
}

/// To Rapier.
pub fn to_pose(p: &Pose) -> RapierPose {
    RapierPose::from_parts(to_vector(&p.translation.vector), to_rotation(&p.rotation))
}

/// From Rapier.
pub fn from_pose(p: &RapierPose) -> Pose {
    Pose::from_parts(from_vector(p.translation).into(), from_rotation(p.rotation))
}
