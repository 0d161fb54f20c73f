//! Geometric types of the workspace and the conversions every importer needs.
//!
//! Right-handed, z up, SI, radians. `a_from_b` maps coordinates in frame b to frame a.

use nalgebra as na;

/// A point or free vector.
pub type Vec3 = na::Vector3<f64>;
/// A 3x3 matrix.
pub type Mat3 = na::Matrix3<f64>;
/// A rotation.
pub type Quat = na::UnitQuaternion<f64>;
/// A rigid transform, named `a_from_b`.
pub type Pose = na::Isometry3<f64>;

/// Rotation from roll, pitch, yaw about fixed axes x, y, z: `Rz(yaw) Ry(pitch) Rx(roll)`.
pub fn quat_from_rpy(roll: f64, pitch: f64, yaw: f64) -> Quat {
    let (sr, cr) = libm::sincos(0.5 * roll);
    let (sp, cp) = libm::sincos(0.5 * pitch);
    let (sy, cy) = libm::sincos(0.5 * yaw);
    Quat::new_normalize(na::Quaternion::new(
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    ))
}

/// Roll, pitch, yaw about fixed axes x, y, z. At pitch = ±π/2 the roll is set to zero.
pub fn rpy_from_quat(rotation: &Quat) -> [f64; 3] {
    let r = rotation.to_rotation_matrix();
    let sin_pitch = -r[(2, 0)];
    let cos_pitch = libm::hypot(r[(0, 0)], r[(1, 0)]);
    let pitch = libm::atan2(sin_pitch, cos_pitch);
    // Below this the two remaining angles act about the same axis and only their sum is determined.
    if cos_pitch < 1e-9 {
        return [0.0, pitch, libm::atan2(-r[(0, 1)], r[(1, 1)])];
    }
    [libm::atan2(r[(2, 1)], r[(2, 2)]), pitch, libm::atan2(r[(1, 0)], r[(0, 0)])]
}

/// Rotation about a unit `axis` by `angle` [rad].
pub fn quat_about(axis: &Vec3, angle: f64) -> Quat {
    let (s, c) = libm::sincos(0.5 * angle);
    Quat::new_normalize(na::Quaternion::new(c, axis.x * s, axis.y * s, axis.z * s))
}

/// A pose from a translation [m] and roll, pitch, yaw [rad].
pub fn pose(xyz: Vec3, rpy: [f64; 3]) -> Pose {
    Pose::from_parts(xyz.into(), quat_from_rpy(rpy[0], rpy[1], rpy[2]))
}

/// A pure translation [m].
pub fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::translation(x, y, z)
}

/// A rotation whose third column is the unit vector `z`: a frame for geometry that has only an axis.
pub fn frame_with_z(z: &Vec3) -> Quat {
    Quat::rotation_between(&Vec3::z(), z).unwrap_or_else(|| quat_about(&Vec3::x(), std::f64::consts::PI))
}

/// The skew matrix of a vector: `skew(a) * b = a x b`.
pub fn skew(a: &Vec3) -> Mat3 {
    Mat3::new(0.0, -a.z, a.y, a.z, 0.0, -a.x, -a.y, a.x, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rpy_is_yaw_after_pitch_after_roll() {
        let q = quat_from_rpy(0.3, -0.4, 0.5);
        let r = quat_about(&Vec3::z(), 0.5) * quat_about(&Vec3::y(), -0.4) * quat_about(&Vec3::x(), 0.3);
        // Half-angle formulas and products of three rotations differ only by rounding.
        assert!(q.angle_to(&r) < 1e-15);
        let back = rpy_from_quat(&q);
        assert!((back[0] - 0.3).abs() < 1e-15 && (back[1] + 0.4).abs() < 1e-15 && (back[2] - 0.5).abs() < 1e-15);
    }

    #[test]
    fn rpy_at_the_pole_keeps_the_rotation() {
        let q = quat_from_rpy(0.7, std::f64::consts::FRAC_PI_2, 0.2);
        let [r, p, y] = rpy_from_quat(&q);
        // atan2 near the pole resolves angles to about sqrt(eps).
        assert!(q.angle_to(&quat_from_rpy(r, p, y)) < 1e-7);
    }
}
