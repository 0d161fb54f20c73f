//! Torque-free rotation of a rigid body: spinning boxes, tops in free fall, the T-handle that flips.
//!
//! In principal axes with moments I₁ ≤ I₂ ≤ I₃, energy E and angular momentum M (Landau and Lifshitz, Mechanics, §37),
//! for M² ≥ 2 E I₂:
//!
//! ```text
//! (1)  ω₁ = A₁ cn τ,  ω₂ = A₂ sn τ,  ω₃ = A₃ dn τ                 τ = n t + τ₀
//! (2)  A₁² = (2E I₃ - M²) / I₁(I₃ - I₁),  A₂² = (2E I₃ - M²) / I₂(I₃ - I₂),  A₃² = (M² - 2E I₁) / I₃(I₃ - I₁)
//! (3)  n² = (I₃ - I₂)(M² - 2E I₁) / I₁I₂I₃,  k² = (I₂ - I₁)(2E I₃ - M²) / (I₃ - I₂)(M² - 2E I₁)
//! ```
//!
//! and with 1 and 3 exchanged otherwise. The orientation follows from the angular momentum, which is constant in space:
//! the body carries its first axis around it at the rate
//!
//! ```text
//! (4)  χ' = M (I₂ω₂² + I₃ω₃²) / (I₂²ω₂² + I₃²ω₃²)
//! ```
//!
//! which is integrated with Gauss-Legendre quadrature, twice with different panels; the difference is its error. (4)
//! has no singularity: the angular momentum never points along the first axis of (1).
//!
//! Gravity only moves the centre of mass. A body that rotates about a principal axis keeps doing so.

use super::elliptic::{complete, incomplete, jacobi};
use super::form::{Form, FormInput, FormParameter};
use super::moving_body::MovingBody;
use super::quadrature::integral;
use nalgebra as na;
use veracity_measure::{CannotTell, Quantity, TruthChannel};
use veracity_model::geometry::quat_about;
use veracity_model::{JointKind, Mat3, Quat, Vec3};

pub(super) const FORM: Form = Form {
    name: "torque_free",
    text: "a free rigid body turns, by elliptic functions and one quadrature",
    parameters: &[FormParameter { name: "body", text: "the body that turns", required: true }],
    work_out,
};

fn work_out(input: &FormInput<'_>) -> Result<Vec<TruthChannel>, CannotTell> {
    let name = input.name("body")?;
    let slot = input.layout.body(name).ok_or_else(|| CannotTell(format!("there is no body '{name}'")))?;
    let body = MovingBody::alone(input, slot)?;
    let refuse = |why: &str| CannotTell(format!("the closed form does not hold: {why}; use another reference"));
    if body.joint.kind != JointKind::Free && body.joint.kind != JointKind::Ball {
        return Err(refuse(&format!("'{name}' is held by a {} joint", body.joint.kind.name())));
    }
    if body.joint.kind == JointKind::Ball {
        let pivot = body.joint.child_from_joint.translation.vector;
        let weight = (input.world.gravity * body.gravity_scale).norm();
        if weight * (body.inertia.com - pivot).norm() != 0.0 {
            return Err(refuse("gravity turns the body about its ball joint"));
        }
    }
    let dof =
        |d: &veracity_model::Dof| d.damping != 0.0 || d.stiffness != 0.0 || d.friction != 0.0 || d.armature != 0.0;
    if body.angular_damping != 0.0 || body.joint.dofs.iter().any(dof) {
        return Err(refuse("its turning is damped or sprung"));
    }
    let at = if body.joint.kind == JointKind::Free { 3 } else { 0 };
    let q = &input.q[body.q + at..body.q + at + 4];
    let v = &input.v[body.v..body.v + 3];
    let joint_turn = Quat::new_normalize(na::Quaternion::new(q[0], q[1], q[2], q[3]));
    let body_from_joint = body.joint.child_from_joint.rotation;
    let start = body.world_from_joint.rotation * joint_turn * body_from_joint.inverse();
    let spin = body_from_joint * Vec3::new(v[0], v[1], v[2]);
    let moment = if body.joint.kind == JointKind::Free {
        body.inertia.tensor
    } else {
        body.inertia.about(&body.joint.child_from_joint.translation.vector)
    };
    let turning = Turning::new(&moment, start, spin)?;
    let (turns, doubts) = turning.orientations(input.times);
    let spins: Vec<Vec3> = input.times.iter().zip(&turns).map(|(t, turn)| turn * turning.spin_in_body(*t)).collect();
    let rate = spin.norm();
    let doubt_at = |t: f64| {
        let i = input.times.partition_point(|x| *x < t);
        doubts.get(i).or(doubts.last()).copied().unwrap_or(0.0)
    };
    let quaternion = |turn: &Quat| [turn.w, turn.i, turn.j, turn.k];
    let mut channels = vec![
        input.channel(Quantity::Orientation(slot), turns.iter().map(quaternion), doubt_at),
        input.channel(Quantity::Spin(slot), spins.iter().map(|s| (*s).into()), |t| rate * doubt_at(t)),
    ];
    if let Some(period) = turning.period() {
        // The angular velocity about the middle axis changes sign twice in a period.
        channels.push(TruthChannel {
            quantity: Quantity::Scalar("flip_period".to_string()),
            times: vec![0.0],
            values: vec![0.5 * period],
            uncertainty: vec![1e-13 * period],
            parts_at_s: None,
        });
    }
    Ok(channels)
}

/// The rotation of one body.
struct Turning {
    /// Axes of (1) in the body.
    body_from_axes: Quat,
    /// Orientation at time zero.
    start: Quat,
    moments: [f64; 3],
    kind: Kind,
}

enum Kind {
    /// Rotation about a fixed axis; the angular velocity, in the axes of (1).
    Steady(Vec3),
    /// (1)
    General { amplitude: [f64; 3], n: f64, m: f64, tau0: f64 },
}

impl Turning {
    fn new(tensor: &Mat3, start: Quat, spin: Vec3) -> Result<Self, CannotTell> {
        let momentum = tensor * spin;
        let torque = spin.cross(&momentum).norm();
        // For rotation about a principal axis the gyroscopic moment is only rounding.
        if torque <= 1e-14 * spin.norm() * momentum.norm() {
            let kind = Kind::Steady(spin);
            return Ok(Self { body_from_axes: Quat::identity(), start, moments: [1.0; 3], kind });
        }
        let (mut axes, mut moments) = principal(tensor);
        let local = axes.inverse() * spin;
        let energy2: f64 = (0..3).map(|i| moments[i] * local[i] * local[i]).sum();
        let m2: f64 = (0..3).map(|i| moments[i] * moments[i] * local[i] * local[i]).sum();
        if m2 < energy2 * moments[1] {
            // 1 and 3 are exchanged; the second axis is reversed to keep the frame right-handed.
            let exchange = Mat3::new(0.0, 0.0, 1.0, 0.0, -1.0, 0.0, 1.0, 0.0, 0.0);
            axes *= Quat::from_rotation_matrix(&na::Rotation3::from_matrix_unchecked(exchange));
            moments.swap(0, 2);
        }
        let [i1, i2, i3] = moments;
        let local = axes.inverse() * spin;
        let (near, far) = (energy2 * i3 - m2, m2 - energy2 * i1);
        let square = |x: f64| x.max(0.0).sqrt();
        // With 1 and 3 exchanged every difference in Euler's equations is negative, and so is one of the amplitudes.
        let hand = (i3 - i2).signum();
        let amplitude =
            [square(near / (i1 * (i3 - i1))), hand * square(near / (i2 * (i3 - i2))), square(far / (i3 * (i3 - i1)))];
        let n = square((i3 - i2) * far / (i1 * i2 * i3));
        let m = (i2 - i1) * near / ((i3 - i2) * far);
        if !(m < 1.0 - 1e-12 && n > 0.0) {
            return Err(CannotTell(
                "the body turns exactly about its middle axis's separatrix, which takes infinite time; start it elsewhere"
                    .into(),
            ));
        }
        // dn is positive: where ω₃ is not, the first and third components change sign together.
        let side = if local[2] < 0.0 { -1.0 } else { 1.0 };
        let tau0 = incomplete(libm::atan2(local[1] / amplitude[1], side * local[0] / amplitude[0]), m);
        let amplitude = [side * amplitude[0], amplitude[1], side * amplitude[2]];
        Ok(Self { body_from_axes: axes, start, moments, kind: Kind::General { amplitude, n, m: m.max(0.0), tau0 } })
    }

    /// Angular velocity in the axes of (1).
    fn local_spin(&self, t: f64) -> Vec3 {
        match &self.kind {
            Kind::Steady(spin) => *spin,
            Kind::General { amplitude, n, m, tau0 } => {
                let j = jacobi(n * t + tau0, *m);
                Vec3::new(amplitude[0] * j.cn, amplitude[1] * j.sn, amplitude[2] * j.dn)
            }
        }
    }

    fn spin_in_body(&self, t: f64) -> Vec3 {
        self.body_from_axes * self.local_spin(t)
    }

    /// Time after which the angular velocity in the body repeats [s].
    fn period(&self) -> Option<f64> {
        match &self.kind {
            Kind::Steady(_) => None,
            Kind::General { n, m, .. } => Some(4.0 * complete(*m) / n),
        }
    }

    /// Orientations at increasing times, and their errors [rad].
    fn orientations(&self, times: &[f64]) -> (Vec<Quat>, Vec<f64>) {
        let Kind::General { n, m, .. } = &self.kind else {
            let spin = self.local_spin(0.0);
            let (rate, axis) = (spin.norm(), spin.try_normalize(0.0).unwrap_or_else(Vec3::x));
            let turn = |t: &f64| self.start * quat_about(&axis, rate * t);
            let doubt = |t: &f64| 8.0 * f64::EPSILON * (1.0 + rate * t);
            return (times.iter().map(turn).collect(), times.iter().map(doubt).collect());
        };
        let quarter = complete(*m) / n;
        let [_, i2, i3] = self.moments;
        let momentum = |t: f64| {
            let w = self.local_spin(t);
            Vec3::new(self.moments[0] * w.x, i2 * w.y, i3 * w.z)
        };
        let whole = momentum(0.0).norm();
        let rate = |t: f64| {
            let w = self.local_spin(t);
            let (b, c) = (i2 * w.y, i3 * w.z);
            whole * (b * w.y + c * w.z) / (b * b + c * c)
        };
        let world_from_spin = self.start * self.body_from_axes * frame_of(&momentum(0.0));
        let (mut coarse, mut fine, mut before) = (0.0, 0.0, 0.0);
        let (mut turns, mut doubts) = (Vec::new(), Vec::new());
        for &t in times {
            coarse += integral(rate, before, t, quarter / 4.0);
            fine += integral(rate, before, t, quarter / 7.0);
            before = t;
            let around = quat_about(&Vec3::z(), fine);
            turns.push(world_from_spin * around * (self.body_from_axes * frame_of(&momentum(t))).inverse());
            doubts.push(f64::abs(coarse - fine) + 16.0 * f64::EPSILON * (1.0 + fine + n * t));
        }
        (turns, doubts)
    }
}

/// The frame whose z is along a vector and whose x is as close to the first axis as that allows.
fn frame_of(along: &Vec3) -> Quat {
    let z = along.normalize();
    let x = (Vec3::x() - z * z.x).normalize();
    let y = z.cross(&x);
    Quat::from_rotation_matrix(&na::Rotation3::from_matrix_unchecked(Mat3::from_columns(&[x, y, z])))
}

/// Principal axes, right-handed, with moments in increasing order.
fn principal(tensor: &Mat3) -> (Quat, [f64; 3]) {
    let eigen = tensor.symmetric_eigen();
    let mut order = [0, 1, 2];
    order.sort_by(|a, b| eigen.eigenvalues[*a].total_cmp(&eigen.eigenvalues[*b]));
    let column = |i: usize| eigen.eigenvectors.column(order[i]).into_owned();
    let (x, y) = (column(0), column(1));
    let axes = Mat3::from_columns(&[x, y, x.cross(&y)]);
    let rotation = Quat::from_rotation_matrix(&na::Rotation3::from_matrix_unchecked(axes));
    (rotation, order.map(|i| eigen.eigenvalues[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor() -> Mat3 {
        let turn = Quat::from_euler_angles(0.3, -0.8, 1.1).to_rotation_matrix();
        turn.matrix() * Mat3::from_diagonal(&Vec3::new(1.0, 2.0, 2.7)) * turn.matrix().transpose()
    }

    /// Orientation and angular velocity satisfy Euler's equations: the angular momentum is constant in space, and the
    /// rate of the orientation is the angular velocity.
    #[test]
    fn spin_stands_still_and_the_orientation_turns_with_the_angular_velocity() {
        for spin in [
            Vec3::new(0.2, 3.0, 0.1),
            Vec3::new(2.0, 0.1, -0.4),
            Vec3::new(-1.0, -2.0, -3.0),
            Vec3::new(0.3, -0.2, 2.0),
        ] {
            let start = Quat::from_euler_angles(-0.4, 0.9, 0.2);
            let turning = Turning::new(&tensor(), start, spin).unwrap();
            let spin_in_space = start * (tensor() * spin);
            assert!((turning.spin_in_body(0.0) - spin).norm() < 1e-13, "{spin}");
            let h = 1e-3;
            for i in 1..100 {
                let t = 0.1 * i as f64;
                let (turns, doubts) = turning.orientations(&[t - 2.0 * h, t - h, t, t + h, t + 2.0 * h]);
                let now = turning.spin_in_body(t);
                // Rounding of the phases, times the angular momentum.
                let drift = (turns[2] * (tensor() * now) - spin_in_space).norm();
                assert!(drift < 1e-12, "{spin} {t}: {drift:e}");
                assert!(doubts[2] < 1e-12, "{:e}", doubts[2]);
                // Fourth order difference of the quaternion; its error is h⁴ ω⁵ / 30 and ε/h.
                let d = |k: usize| turns[k].into_inner();
                let align = |k: usize| if d(k).dot(&d(2)) < 0.0 { -d(k) } else { d(k) };
                let slope = ((align(3) - align(1)) * 8.0 - (align(4) - align(0))) / (12.0 * h);
                let rate = (turns[2].inverse().into_inner() * slope).imag() * 2.0;
                assert!((rate - now).norm() < 1e-9, "{spin} {t}: {:e}", (rate - now).norm());
            }
        }
    }

    #[test]
    fn a_symmetric_top_precesses_at_its_rate() {
        // I₁ = I₂: the axis precesses about the angular momentum at M/I₁ and the body rotates about its axis at (I₁ -
        // I₃)/I₁ ω₃.
        let tensor = Mat3::from_diagonal(&Vec3::new(1.0, 1.0, 1.6));
        let spin = Vec3::new(0.5, 0.0, 2.0);
        let turning = Turning::new(&tensor, Quat::identity(), spin).unwrap();
        let t = 3.7;
        let (turns, _) = turning.orientations(&[t]);
        let momentum = tensor * spin;
        let around = quat_about(&momentum.normalize(), momentum.norm() * t);
        let own = quat_about(&Vec3::z(), (1.0 - 1.6) * spin.z * t);
        assert!(turns[0].angle_to(&(around * own)) < 1e-13);
    }

    #[test]
    fn a_prolate_top_and_a_sphere_are_no_special_cases() {
        let prolate = Mat3::from_diagonal(&Vec3::new(1.6, 0.7, 1.6));
        let turning = Turning::new(&prolate, Quat::identity(), Vec3::new(0.4, 2.0, -0.3)).unwrap();
        let spin = turning.spin_in_body(5.0);
        assert!((spin.y - 2.0).abs() < 1e-13);
        let sphere = Turning::new(&Mat3::identity(), Quat::identity(), Vec3::new(0.4, 2.0, -0.3)).unwrap();
        assert!(sphere.period().is_none());
    }

    #[test]
    fn the_middle_axis_flips_once_in_half_a_period() {
        let tensor = Mat3::from_diagonal(&Vec3::new(1.0, 2.0, 2.5));
        let turning = Turning::new(&tensor, Quat::identity(), Vec3::new(0.01, 3.0, 0.0)).unwrap();
        let half = 0.5 * turning.period().unwrap();
        let spin = turning.spin_in_body(half);
        assert!((spin.y + 3.0).abs() < 1e-9, "{spin}");
    }
}
