//! A rigid body swinging about a fixed hinge: the simple pendulum, the compound pendulum, and both when they rotate
//! over the top.
//!
//! With `θ` the angle of the centre of mass from its lowest position, `d` its distance from the hinge, `J` the moment
//! about the hinge (rotor included) and `g` the component of gravity perpendicular to the hinge axis:
//!
//! ```text
//! (1)  θ'' = -ω² sin θ                                ω² = m g d / J
//! (2)  k² = sin²(θ₀/2) + (θ₀' / 2ω)²
//! (3)  k < 1:  sin(θ/2) = k sn(ωt + u₀ | k²)          θ' = 2 k ω cn
//! (4)  k > 1:  θ/2 = am(±(kωt) + u₀ | 1/k²)           θ' = ±2 k ω dn
//! (5)  period: 4 K(k²) / ω swinging, 2 K(1/k²) / (k ω) for a turn
//! ```
//!
//! At k = 1 it takes forever to reach the top; the form then has no answer.

use super::elliptic::{complete, incomplete, jacobi};
use super::form::{Form, FormInput, FormParameter};
use super::moving_body::MovingBody;
use std::f64::consts::TAU;
use veracity_measure::{CannotTell, Quantity, TruthChannel};
use veracity_model::geometry::quat_about;
use veracity_model::{JointKind, Pose, Vec3};

pub(super) const FORM: Form = Form {
    name: "pendulum",
    text: "a rigid body on a hinge, by elliptic functions",
    parameters: &[FormParameter { name: "joint", text: "the hinge", required: true }],
    work_out,
};

fn work_out(input: &FormInput<'_>) -> Result<Vec<TruthChannel>, CannotTell> {
    let name = input.name("joint")?;
    let slot = input.layout.joint(name).ok_or_else(|| CannotTell(format!("there is no joint '{name}'")))?;
    let body = MovingBody::alone(input, slot)?;
    let refuse = |why: &str| CannotTell(format!("the closed form does not hold: {why}; use another reference"));
    let (JointKind::Revolute { axis } | JointKind::Continuous { axis }) = body.joint.kind else {
        return Err(refuse(&format!("joint '{name}' is {}, not a hinge", body.joint.kind.name())));
    };
    let dof = body.only_dof()?;
    if dof.damping != 0.0 || dof.friction != 0.0 || dof.stiffness != 0.0 {
        return Err(refuse(&format!("joint '{name}' has damping, friction or a spring")));
    }
    if body.linear_damping != 0.0 || body.angular_damping != 0.0 {
        return Err(refuse("the body has drag"));
    }

    // In the joint's frame on the child's side: the position of the centre of mass and the moment of inertia.
    let joint_from_body = body.joint.child_from_joint.inverse();
    let about_hinge = body.inertia.transformed(&joint_from_body);
    let arm = about_hinge.com - axis * axis.dot(&about_hinge.com);
    let moment = (about_hinge.about(&Vec3::zeros()) * axis).dot(&axis) + dof.armature;
    let gravity = body.world_from_joint.rotation.inverse() * (input.world.gravity * body.gravity_scale);
    let across = gravity - axis * axis.dot(&gravity);
    let (distance, pull) = (arm.norm(), across.norm());
    let omega2 = body.inertia.mass * pull * distance / moment;
    if !(omega2 > 0.0 && omega2.is_finite()) {
        return Err(refuse("nothing pulls the body back: no gravity across the hinge, or it is balanced"));
    }
    // θ = q + hanging.
    let hanging = libm::atan2(axis.dot(&across.cross(&arm)), across.dot(&arm));
    let swing = Swing::new(omega2.sqrt(), input.q[body.q] + hanging, input.v[body.v])?;
    let [lowest, highest] = swing.range().map(|theta| theta - hanging);
    let last = input.times.last().map_or(0.0, |t| swing.at(*t).0 - hanging);
    body.inside_stops(lowest.min(last), highest.max(last))?;

    let states: Vec<(f64, f64)> = input.times.iter().map(|t| swing.at(*t)).map(|(a, w)| (a - hanging, w)).collect();
    let com = body.inertia.com;
    let reach = |angle: f64| {
        let turned = Pose::from_parts(Vec3::zeros().into(), quat_about(&axis, angle));
        body.world_from_joint * turned * joint_from_body
    };
    let place = |angle: f64| -> [f64; 3] { (reach(angle) * nalgebra::Point3::from(com)).coords.into() };
    let world_axis = body.world_from_joint.rotation * axis;
    let velocity = |angle: f64, speed: f64| -> [f64; 3] {
        let out = body.world_from_joint.rotation * (quat_about(&axis, angle) * arm);
        (world_axis.cross(&out) * speed).into()
    };
    let turn = |angle: f64| {
        let q = reach(angle).rotation;
        [q.w, q.i, q.j, q.k]
    };
    // Rounding of the phase grows with time; the functions themselves are accurate to a few units in the last place.
    let omega = swing.omega;
    let doubt = |t: f64| 8.0 * f64::EPSILON * (1.0 + omega * t) * (1.0 + swing.k);
    let far = distance + body.world_from_joint.translation.vector.norm();
    let point: [f64; 3] = com.into();
    let each = || states.iter().copied();
    let mut channels = vec![
        input.channel(Quantity::JointPosition(slot), each().map(|(a, _)| [a]), doubt),
        input.channel(Quantity::JointSpeed(slot), each().map(|(_, w)| [w]), |t| omega * doubt(t)),
        input.channel(Quantity::Point { body: slot, point }, each().map(|(a, _)| place(a)), |t| far * doubt(t)),
        input.channel(Quantity::PointVelocity { body: slot, point }, each().map(|(a, w)| velocity(a, w)), |t| {
            far * omega * doubt(t)
        }),
        input.channel(Quantity::Orientation(slot), each().map(|(a, _)| turn(a)), doubt),
        input.channel(Quantity::Spin(slot), each().map(|(_, w)| (world_axis * w).into()), |t| omega * doubt(t)),
    ];
    let period = swing.period();
    channels.push(TruthChannel {
        quantity: Quantity::Scalar("period".to_string()),
        times: vec![0.0],
        values: vec![period],
        uncertainty: vec![8.0 * f64::EPSILON * period],
        parts_at_s: None,
    });
    Ok(channels)
}

/// The motion of (1).
struct Swing {
    omega: f64,
    k: f64,
    /// Phase at time zero.
    u0: f64,
    /// While swinging: whole turns at time zero [rad]. While rotating: the direction.
    base: f64,
}

impl Swing {
    fn new(omega: f64, theta: f64, speed: f64) -> Result<Self, CannotTell> {
        let base = (theta / TAU).round() * TAU;
        let half = 0.5 * (theta - base);
        let (s, rate) = (libm::sin(half), 0.5 * speed / omega);
        let k = libm::hypot(s, rate);
        if (k - 1.0).abs() < 1e-9 {
            return Err(CannotTell(
                "the pendulum only just reaches the top, which takes infinite time; start it elsewhere".into(),
            ));
        }
        if k < 1.0 {
            let u0 = if k == 0.0 { 0.0 } else { incomplete(libm::atan2(s, rate), k * k) };
            return Ok(Self { omega, k, u0, base });
        }
        let direction = rate.signum();
        Ok(Self { omega, k, u0: incomplete(0.5 * theta * direction, 1.0 / (k * k)), base: direction })
    }

    /// Angle and speed, (3) and (4).
    fn at(&self, t: f64) -> (f64, f64) {
        let Self { omega, k, u0, base } = *self;
        if k < 1.0 {
            let j = jacobi(omega * t + u0, k * k);
            return (base + 2.0 * libm::asin(k * j.sn), 2.0 * k * omega * j.cn);
        }
        let j = jacobi(k * omega * t + u0, 1.0 / (k * k));
        (base * 2.0 * j.am, base * 2.0 * k * omega * j.dn)
    }

    /// Lowest and highest angle while swinging; while rotating, which is unbounded, both are the angle at the start.
    fn range(&self) -> [f64; 2] {
        if self.k < 1.0 {
            let top = 2.0 * libm::asin(self.k);
            return [self.base - top, self.base + top];
        }
        let start = self.at(0.0).0;
        [start, start]
    }

    /// (5)
    fn period(&self) -> f64 {
        let Self { omega, k, .. } = *self;
        if k < 1.0 { 4.0 * complete(k * k) / omega } else { 2.0 * complete(1.0 / (k * k)) / (k * omega) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    /// IFToMM A01: from horizontal at x = +1, (x, y) as published with 15 digits.
    #[test]
    fn the_published_pendulum_comes_out_to_its_last_digits() {
        let swing = Swing::new(9.81f64.sqrt(), PI / 2.0, 0.0).unwrap();
        assert!((swing.period() - 2.36784194757624).abs() < 1e-14, "{}", swing.period());
        let rows = [
            (0.5, 0.391048791550546, -0.920369948785192),
            (1.0, -0.986291751131875, -0.165010853125541),
            (10.0, 0.275087462576117, -0.961419205099125),
        ];
        for (t, x, y) in rows {
            let theta = swing.at(t).0;
            // At 10 s the argument is 31 and has lost five bits: 1e-14 covers this and the last published digit.
            let error = libm::hypot(libm::sin(theta) - x, -libm::cos(theta) - y);
            assert!(error < 1e-14, "{t}: {error:e}");
        }
    }

    #[test]
    fn the_equation_of_motion_holds_swinging_and_turning() {
        for (theta, speed) in [(0.3, 0.0), (2.9, 0.1), (-1.0, 3.0), (0.5, 7.0), (1.0, -9.0), (3.1, 0.0), (7.0, 0.5)] {
            let omega = 1.7;
            let swing = Swing::new(omega, theta, speed).unwrap();
            let (start, rate) = swing.at(0.0);
            assert!((start - theta).abs() < 1e-14 && (rate - speed).abs() < 1e-13, "{theta} {speed}");
            let h = 1e-3;
            for i in 1..200 {
                let t = 0.05 * i as f64;
                let f = |dt: f64| swing.at(t + dt).1;
                // Fourth order differences: h⁴ and ε/h are both about 1e-12, times speeds and their derivatives.
                let acceleration = (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h);
                let expected = -omega * omega * libm::sin(swing.at(t).0);
                assert!((acceleration - expected).abs() < 1e-8, "{theta} {speed} {t}: {}", acceleration - expected);
            }
        }
    }

    #[test]
    fn the_separatrix_has_no_answer() {
        assert!(Swing::new(1.0, PI, 0.0).is_err());
        assert!(Swing::new(1.0, 0.0, 2.0).is_err());
    }

    #[test]
    fn a_turn_takes_its_period() {
        let swing = Swing::new(2.0, 0.4, 6.0).unwrap();
        let turned = swing.at(swing.period()).0 - 0.4;
        assert!((turned - TAU).abs() < 1e-14, "{turned}");
    }
}
