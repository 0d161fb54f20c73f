//! A free body falls, with or without drag.
//!
//! ```text
//! (1)  v' = g - c v
//! (2)  v(t) = v₀ e^(-ct) + g t φ₁(ct)            φ₁(x) = (1 - e^(-x)) / x
//! (3)  p(t) = p₀ + v₀ t φ₁(ct) + g t² φ₂(ct)     φ₂(x) = (x - 1 + e^(-x)) / x²
//! ```
//!
//! for the centre of mass, with `c` the body's linear damping [1/s]. At `c = 0` this is Galileo's law. It holds however
//! the body rotates.

use super::form::{Form, FormInput, FormParameter};
use super::moving_body::MovingBody;
use nalgebra as na;
use veracity_measure::{CannotTell, Quantity, TruthChannel};
use veracity_model::{JointKind, Quat, Vec3};

pub(super) const FORM: Form = Form {
    name: "fall",
    text: "a free body falls, with linear drag if it has any",
    parameters: &[FormParameter { name: "body", text: "the body that falls", required: true }],
    work_out,
};

fn work_out(input: &FormInput<'_>) -> Result<Vec<TruthChannel>, CannotTell> {
    let name = input.name("body")?;
    let slot = input.layout.body(name).ok_or_else(|| CannotTell(format!("there is no body '{name}'")))?;
    let body = MovingBody::alone(input, slot)?;
    if body.joint.kind != JointKind::Free {
        return Err(CannotTell(format!("the closed form does not hold: '{name}' is not free; use base = \"free\"")));
    }
    let dof =
        |d: &veracity_model::Dof| d.damping != 0.0 || d.stiffness != 0.0 || d.friction != 0.0 || d.armature != 0.0;
    if body.joint.dofs.iter().any(dof) {
        return Err(CannotTell(format!(
            "the closed form does not hold: the free joint of '{name}' is damped or sprung"
        )));
    }
    let (q, v) = (&input.q[body.q..body.q + 7], &input.v[body.v..body.v + 6]);
    let turn = Quat::new_normalize(na::Quaternion::new(q[3], q[4], q[5], q[6]));
    // From the joint's origin in the child to the centre of mass.
    let arm = body.joint.child_from_joint.inverse() * na::Point3::from(body.inertia.com);
    let spin = Vec3::new(v[0], v[1], v[2]);
    let p0 = body.world_from_joint * na::Point3::from(Vec3::new(q[0], q[1], q[2]) + turn * arm.coords);
    let v0 = body.world_from_joint.rotation * (Vec3::new(v[3], v[4], v[5]) + turn * spin.cross(&arm.coords));
    let gravity = input.world.gravity * body.gravity_scale;
    let c = body.linear_damping;
    let place = |t: f64| p0.coords + v0 * (t * phi1(c * t)) + gravity * (t * t * phi2(c * t));
    let speed = |t: f64| v0 * libm::exp(-c * t) + gravity * (t * phi1(c * t));
    let point: [f64; 3] = body.inertia.com.into();
    // A few roundings of numbers as large as the terms.
    let doubt = |t: f64| 4.0 * f64::EPSILON * (p0.coords.norm() + v0.norm() * t + gravity.norm() * t * t);
    let doubt_of_speed = |t: f64| 4.0 * f64::EPSILON * (v0.norm() + gravity.norm() * t);
    let times = || input.times.iter().copied();
    Ok(vec![
        input.channel(Quantity::Point { body: slot, point }, times().map(|t| place(t).into()), doubt),
        input.channel(
            Quantity::PointVelocity { body: slot, point },
            times().map(|t| speed(t).into()),
            doubt_of_speed,
        ),
    ])
}

/// See (2).
fn phi1(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { -libm::expm1(-x) / x }
}

/// See (3). Below 1 the difference cancels; the series, alternating and falling like 1/k!, does not.
fn phi2(x: f64) -> f64 {
    if x >= 1.0 {
        return (x + libm::expm1(-x)) / (x * x);
    }
    let (mut term, mut sum, mut k) = (0.5, 0.5, 3.0);
    while f64::abs(term) > 1e-18 {
        term *= -x / k;
        sum += term;
        k += 1.0;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_and_the_difference_meet() {
        // At 1 both are accurate to rounding.
        let x = 1.0f64;
        let below = phi2(x - 1e-12);
        assert!((phi2(x) - below).abs() < 1e-12, "{}", phi2(x) - below);
        assert_eq!((phi1(0.0), phi2(0.0)), (1.0, 0.5));
    }

    /// The thesis on USARSim, gravity table: expected over fallen distance at t = √(2D/9.81), 250 units to the metre.
    /// The facts' analytic values have three decimals.
    #[test]
    fn the_gravity_table_of_usarsim_comes_out() {
        let ratio = |units: f64, a: f64, c: f64| {
            let distance = units / 250.0;
            let t = (2.0 * distance / 9.81).sqrt();
            distance / (a / 250.0 * t * t * phi2(c * t))
        };
        let rows = [
            (1040.0, 0.1, [2.431, 2.461, 2.504, 2.566, 2.654, 2.781]),
            (1040.0, 0.0, [2.358; 6]),
            (2452.5, 0.1, [1.031, 1.044, 1.062, 1.088, 1.125, 1.179]),
            (2452.5, 0.0, [1.0; 6]),
        ];
        for (a, c, expected) in rows {
            for (i, printed) in expected.iter().enumerate() {
                let units = 1024.0 * f64::powi(2.0, i as i32);
                assert!((ratio(units, a, c) - printed).abs() <= 5.1e-4, "{a} {c} {units}: {}", ratio(units, a, c));
            }
        }
    }
}
