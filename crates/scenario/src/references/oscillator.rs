//! A mass on a spring, with or without a damper.
//!
//! ```text
//! (1)  m x'' + c x' + k (x - x₀) = f                      f: gravity along the joint
//! (2)  y = x - x₀ - f/k,  δ = c/2m,  ω² = k/m - δ²
//! (3)  ω² > 0:  y = e^(-δt) (y₀ cos ωt + (y₀' + δ y₀)/ω sin ωt)
//! (4)  ω² = 0:  y = e^(-δt) (y₀ + (y₀' + δ y₀) t)
//! (5)  ω² < 0:  as (3) with cosh and sinh
//! ```
//!
//! Applies to a slider, and to a hinge on which gravity exerts no torque.

use super::form::{Form, FormInput, FormParameter};
use super::moving_body::MovingBody;
use veracity_measure::{CannotTell, Quantity, TruthChannel};
use veracity_model::{JointKind, Vec3};

pub(super) const FORM: Form = Form {
    name: "oscillator",
    text: "a mass on a spring, damped or not",
    parameters: &[FormParameter { name: "joint", text: "the sprung slider or hinge", required: true }],
    work_out,
};

fn work_out(input: &FormInput<'_>) -> Result<Vec<TruthChannel>, CannotTell> {
    let name = input.name("joint")?;
    let slot = input.layout.joint(name).ok_or_else(|| CannotTell(format!("there is no joint '{name}'")))?;
    let body = MovingBody::alone(input, slot)?;
    let refuse = |why: &str| CannotTell(format!("the closed form does not hold: {why}; use another reference"));
    let dof = body.only_dof()?;
    if dof.friction != 0.0 || body.linear_damping != 0.0 || body.angular_damping != 0.0 {
        return Err(refuse("there is dry friction or drag"));
    }
    if dof.stiffness <= 0.0 {
        return Err(refuse(&format!("joint '{name}' has no spring")));
    }
    let gravity = body.world_from_joint.rotation.inverse() * (input.world.gravity * body.gravity_scale);
    let (mass, force) = match body.joint.kind {
        JointKind::Prismatic { axis } => (body.inertia.mass, body.inertia.mass * gravity.dot(&axis)),
        JointKind::Revolute { axis } | JointKind::Continuous { axis } => {
            let turned = body.inertia.transformed(&body.joint.child_from_joint.inverse());
            let arm = turned.com - axis * axis.dot(&turned.com);
            let across = gravity - axis * axis.dot(&gravity);
            if arm.norm() * across.norm() * body.inertia.mass != 0.0 {
                return Err(refuse("gravity turns the hinge"));
            }
            ((turned.about(&Vec3::zeros()) * axis).dot(&axis), 0.0)
        }
        _ => return Err(refuse(&format!("joint '{name}' is {}", body.joint.kind.name()))),
    };
    let mass = mass + dof.armature;
    let rest = dof.spring_reference + force / dof.stiffness;
    let motion = Oscillation {
        delta: 0.5 * dof.damping / mass,
        omega2: dof.stiffness / mass - (0.5 * dof.damping / mass) * (0.5 * dof.damping / mass),
        y0: input.q[body.q] - rest,
        w0: input.v[body.v],
    };
    let states: Vec<(f64, f64)> = input.times.iter().map(|t| motion.at(*t)).map(|(y, w)| (y + rest, w)).collect();
    let reach = motion.y0.abs() + motion.w0.abs() / (dof.stiffness / mass).sqrt();
    // A damped oscillation stays within its undamped amplitude.
    body.inside_stops(rest - reach, rest + reach)?;
    let rate = (dof.stiffness / mass).sqrt();
    let doubt = |t: f64| 8.0 * f64::EPSILON * (rest.abs() + reach * (1.0 + rate * t));
    let each = || states.iter().copied();
    Ok(vec![
        input.channel(Quantity::JointPosition(slot), each().map(|(x, _)| [x]), doubt),
        input.channel(Quantity::JointSpeed(slot), each().map(|(_, w)| [w]), |t| rate * doubt(t)),
    ])
}

/// `y` of (2).
struct Oscillation {
    delta: f64,
    omega2: f64,
    y0: f64,
    w0: f64,
}

impl Oscillation {
    /// Position and velocity, (3) to (5).
    fn at(&self, t: f64) -> (f64, f64) {
        let Self { delta, omega2, y0, w0 } = *self;
        let omega = omega2.abs().sqrt();
        // C and S solve y'' = -ω² y with C(0) = 1, C' = -ω² S, S' = C.
        let (c, s) = if omega2 > 0.0 {
            let (s, c) = libm::sincos(omega * t);
            (c, s / omega)
        } else if omega2 == 0.0 {
            (1.0, t)
        } else {
            (libm::cosh(omega * t), libm::sinh(omega * t) / omega)
        };
        let decay = libm::exp(-delta * t);
        let y = decay * (y0 * c + (w0 + delta * y0) * s);
        let slope = decay * (-omega2 * y0 * s + (w0 + delta * y0) * c);
        (y, slope - delta * y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_equation_of_motion_holds_at_any_damping() {
        for damping in [0.0, 0.4, 2.0, 2.0 * 3.0f64.sqrt(), 9.0] {
            let (mass, stiffness) = (1.0, 3.0);
            let delta = 0.5 * damping / mass;
            let motion = Oscillation { delta, omega2: stiffness / mass - delta * delta, y0: 0.7, w0: -1.1 };
            assert_eq!(motion.at(0.0), (0.7, -1.1));
            let h = 1e-3;
            for i in 1..50 {
                let t = 0.1 * i as f64;
                let derivative = |k: usize| {
                    let f = |dt: f64| if k == 0 { motion.at(t + dt).0 } else { motion.at(t + dt).1 };
                    (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)
                };
                let (y, w) = motion.at(t);
                // Fourth order differences at 1e-3: truncation and rounding both near 1e-12.
                assert!((derivative(0) - w).abs() < 1e-10, "{damping} {t}");
                assert!((mass * derivative(1) + damping * w + stiffness * y).abs() < 1e-9, "{damping} {t}");
            }
        }
    }
}
