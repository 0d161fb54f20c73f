//! Conservation of momentum and energy.

use super::loads::run;
use super::scenes::{self, G, LINK_ARM, LINK_MASS};
use super::trace::bodies;
use super::{Claim, Evidence, Subject};
use crate::contract::Simulation;
use crate::inputs::Wrench;
use crate::samples::Samples;
use veracity_model::{Layout, Vec3, World};

pub(super) const MOMENTUM: Claim = Claim {
    name: "momentum",
    says: "Bodies left alone in space keep their linear and angular momentum to first order in the step.",
    run: momentum_kept,
};

pub(super) const TORQUE: Claim = Claim {
    name: "momentum-under-wrench",
    says: "A tumbling body under a wrench gains the wrench's impulse, to first order in the step.",
    run: momentum_under_wrench,
};

pub(super) const ENERGY: Claim =
    Claim { name: "energy", says: "A pendulum keeps its energy to first order in the step.", run: energy_kept };

/// Linear and angular momentum (about the origin) of all bodies, from the body states the engine reports.
fn momentum(world: &World, simulation: &mut dyn Simulation) -> (Vec3, Vec3) {
    let layout = Layout::new(world);
    let mut sum = (Vec3::zeros(), Vec3::zeros());
    for (slot, body) in layout.bodies.iter().zip(bodies(simulation)) {
        let inertia = world.placements[slot.placement].model.body(slot.body).inertia;
        let turn = body.world_from_body.rotation;
        let arm = turn * inertia.com;
        let linear = (body.linear_velocity + body.angular_velocity.cross(&arm)) * inertia.mass;
        let spin = turn * (inertia.tensor * (turn.inverse() * body.angular_velocity));
        sum.0 += linear;
        sum.1 += spin + (body.world_from_body.translation.vector + arm).cross(&linear);
    }
    sum
}

/// A step of order 1 turns a momentum by (spin x step)²; over a run of `t` that adds up to spin² x step x t. The factor
/// of two is a margin: joint coordinates have two such terms.
fn first_order(spin: f64, step_s: f64, t: f64) -> f64 {
    2.0 * spin * spin * step_s * t
}

fn momentum_kept(subject: &Subject<'_>) -> Result<Evidence, String> {
    let mut worst = 0.0f64;
    // Largest spin [rad/s] and a size of momentum [kg m/s and kg m²/s] of each scene.
    for (scene, spin) in [(scenes::tumbling(), 3.0), (scenes::floating_pair(), 2.5)] {
        let steps = 500;
        let mut still = subject.load(&scene.world)?;
        still.set_state(0.0, &scene.q, &scene.v).map_err(|e| e.to_string())?;
        let before = momentum(&scene.world, still.as_mut());
        let after = momentum(&scene.world, run(subject, &scene, steps)?.as_mut());
        let allowed = first_order(spin, subject.step_s, steps as f64 * subject.step_s);
        for (what, a, b) in [("linear", before.0, after.0), ("angular", before.1, after.1)] {
            let part = (b - a).norm() / a.norm();
            if part.is_nan() || part > allowed {
                return Err(format!(
                    "{}: {what} momentum changed by a fraction of {part:e}; the step allows {allowed:.1e}",
                    scene.world.name
                ));
            }
            worst = worst.max(part / allowed);
        }
    }
    Ok(Evidence::Holds(format!("at most {worst:.0e} of what the step allows")))
}

fn momentum_under_wrench(subject: &Subject<'_>) -> Result<Evidence, String> {
    let mut scene = scenes::tumbling();
    let (force, torque) = (Vec3::new(0.4, -0.3, 0.2), Vec3::new(0.02, 0.03, -0.01));
    scene.inputs.wrenches = vec![Wrench { body: 0, force: force.into(), torque: torque.into() }];
    // The moment of the force about the origin changes with the place of the centre of mass: follow it in pieces.
    let mut simulation = subject.load(&scene.world)?;
    simulation.set_state(0.0, &scene.q, &scene.v).map_err(|e| e.to_string())?;
    let before = momentum(&scene.world, simulation.as_mut());
    let h = subject.step_s;
    let mut none = Samples::none(simulation.layout());
    let mut moment = Vec3::zeros();
    let centre = |simulation: &mut dyn Simulation| {
        (bodies(simulation)[0].world_from_body * nalgebra::Point3::from(scenes::offset())).coords
    };
    let pieces = 100;
    for piece in 1..=pieces {
        let a = centre(simulation.as_mut());
        simulation.advance((piece * 5) as f64 * h, &scene.inputs, &mut none).map_err(|e| e.to_string())?;
        moment += 0.5 * (a + centre(simulation.as_mut())).cross(&force) * (5.0 * h);
    }
    let t = 5.0 * pieces as f64 * h;
    let after = momentum(&scene.world, simulation.as_mut());
    let linear = (after.0 - before.0 - force * t).norm() / (force.norm() * t);
    let gained = torque * t + moment;
    let angular = (after.1 - before.1 - gained).norm() / before.1.norm();
    let allowed = first_order(3.5, h, t);
    if !(linear <= allowed && angular <= allowed) {
        return Err(format!(
            "linear momentum is off by {linear:e} of the impulse, angular by {angular:e}; the step allows {allowed:.1e}"
        ));
    }
    Ok(Evidence::Holds(format!("linear off by {linear:.0e} of the impulse, angular by {angular:.0e}")))
}

fn energy_kept(subject: &Subject<'_>) -> Result<Evidence, String> {
    // In motion, so that missing gravity would show: the height would change without a change of speed.
    let scene = scenes::pendulum(1.0, 0.5);
    let weight = LINK_MASS * G * LINK_ARM;
    let energy =
        |s: &dyn Simulation| 0.5 * scenes::link_inertia() * s.v()[0] * s.v()[0] - weight * libm::cos(s.q()[0]);
    let mut simulation = subject.load(&scene.world)?;
    simulation.set_state(0.0, &scene.q, &scene.v).map_err(|e| e.to_string())?;
    let before = energy(simulation.as_ref());
    let mut none = Samples::none(simulation.layout());
    // Order 1 is off by a fraction of (frequency x step), in each swing or once; ten of them over two seconds.
    let omega = (weight / scenes::link_inertia()).sqrt();
    let allowed = 10.0 * omega * subject.step_s;
    let mut worst = 0.0f64;
    for piece in 1..=200 {
        simulation
            .advance((10 * piece) as f64 * subject.step_s, &scene.inputs, &mut none)
            .map_err(|e| e.to_string())?;
        worst = worst.max((energy(simulation.as_ref()) - before).abs() / weight);
        if worst.is_nan() || worst > allowed {
            return Err(format!(
                "after {} steps the energy is off by {worst:e} of m g l; the step allows {allowed:.1e}",
                10 * piece
            ));
        }
    }
    Ok(Evidence::Holds(format!("off by at most {worst:.0e} of m g l in 2000 steps")))
}
