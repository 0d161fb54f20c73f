//! External loads: gravity, efforts, wrenches.

use super::scenes::{self, G, Scene};
use super::trace::bodies;
use super::{Claim, Evidence, Subject};
use crate::contract::Simulation;
use crate::inputs::Wrench;
use crate::samples::Samples;
use veracity_model::Vec3;

pub(super) const GRAVITY: Claim = Claim {
    name: "gravity",
    says: "A free body falls as in free fall, for any direction of gravity, and does not begin to turn.",
    run: gravity,
};

pub(super) const EFFORTS: Claim =
    Claim { name: "efforts", says: "Efforts along joints accelerate by effort over inertia.", run: efforts };

pub(super) const WRENCHES: Claim = Claim {
    name: "wrenches",
    says: "Forces act on the centre of mass and torques on the body, alone and together, free and jointed.",
    run: wrenches,
};

/// An iterative solver leaves this fraction of a constant acceleration unsolved; a missing load is far larger.
pub(super) const SOLVED: f64 = 2e-3;

/// Runs a scene for some steps from its start.
pub(super) fn run(subject: &Subject<'_>, scene: &Scene, steps: u64) -> Result<Box<dyn Simulation>, String> {
    let mut simulation = subject.load(&scene.world)?;
    simulation.set_state(0.0, &scene.q, &scene.v).map_err(|e| e.to_string())?;
    let mut none = Samples::none(simulation.layout());
    simulation.advance(steps as f64 * subject.step_s, &scene.inputs, &mut none).map_err(|e| e.to_string())?;
    Ok(simulation)
}

/// Compares a number with its closed form; `Ok` is the absolute error.
pub(super) fn close(what: &str, found: f64, expected: f64, allowed: f64) -> Result<f64, String> {
    let off = (found - expected).abs();
    if off <= allowed { Ok(off) } else { Err(format!("{what} is {found}, closed form {expected} ± {allowed:.1e}")) }
}

fn gravity(subject: &Subject<'_>) -> Result<Evidence, String> {
    let mut worst = 0.0f64;
    for g in [Vec3::new(0.0, 0.0, -G), Vec3::new(1.0, -2.0, 0.5)] {
        let mut scene = scenes::drifting(scenes::offset());
        scene.world.gravity = g;
        let steps = 500;
        let t = steps as f64 * subject.step_s;
        let body = bodies(run(subject, &scene, steps)?.as_mut())[0];
        for k in 0..3 {
            close("a falling body's speed", body.linear_velocity[k], g[k] * t, SOLVED * g.norm() * t)?;
            let place = body.world_from_body.translation.vector[k];
            // Order 1: half a step's speed over the whole fall, and as much again as a margin.
            let allowed = g.norm() * t * subject.step_s;
            worst = worst.max(close("a falling body's place", place, 0.5 * g[k] * t * t, allowed)?);
        }
        close("a falling body's spin", body.angular_velocity.norm(), 0.0, 1e-9)?;
    }
    Ok(Evidence::Holds(format!("place off by {worst:.0e} m after 500 steps")))
}

fn efforts(subject: &Subject<'_>) -> Result<Evidence, String> {
    let mut scene = scenes::slider(0.1, 0.2);
    scene.inputs.efforts[0] = 3.0;
    let (a, steps) = (3.0 / scenes::SLIDER_MASS, 500);
    let t = steps as f64 * subject.step_s;
    let simulation = run(subject, &scene, steps)?;
    let speed = close("the slider's speed", simulation.v()[0], 0.2 + a * t, SOLVED * a * t)?;
    close("the slider's place", simulation.q()[0], 0.1 + 0.2 * t + 0.5 * a * t * t, 2.0 * a * t * subject.step_s)?;

    // Ten steps from hanging: gravity has no arm yet (it would take (ω t)² / 6 = 2e-4 of the effort's work).
    let mut hinge = scenes::pendulum(0.0, 0.0);
    hinge.inputs.efforts[0] = -1.0;
    let alpha = -1.0 / scenes::link_inertia();
    let t = 10.0 * subject.step_s;
    let found = run(subject, &hinge, 10)?.v()[0];
    close("the hinge's speed", found, alpha * t, 2.0 * SOLVED * alpha.abs() * t)?;
    Ok(Evidence::Holds(format!("speed off by {:.0e} of its value", speed / (a * 0.5))))
}

fn wrenches(subject: &Subject<'_>) -> Result<Evidence, String> {
    let steps = 200;
    let t = steps as f64 * subject.step_s;
    let m = scenes::BOX_MASS;

    // A force on the centre of mass away from the frame: no turning. Two wrenches on one body add up.
    let mut pushed = scenes::drifting(scenes::offset());
    let wrench = |force: [f64; 3], torque: [f64; 3]| Wrench { body: 0, force, torque };
    pushed.inputs.wrenches = vec![wrench([1.0, 2.0, 0.0], [0.0; 3]), wrench([0.0, 0.5, 3.0], [0.0; 3])];
    let body = bodies(run(subject, &pushed, steps)?.as_mut())[0];
    for (k, force) in [1.0, 2.5, 3.0].into_iter().enumerate() {
        close("a pushed body's speed", body.linear_velocity[k], force * t / m, SOLVED * 4.0 * t / m)?;
    }
    close("a pushed body's spin", body.angular_velocity.norm(), 0.0, 1e-9)?;

    // A torque about a principal axis, with the frame away from the centre of mass, which stays where it is.
    let s = scenes::BOX_SIZE;
    let moment = m * (s.y * s.y + s.z * s.z) / 12.0;
    let mut turned = scenes::drifting(scenes::offset());
    turned.inputs.wrenches = vec![wrench([0.0; 3], [0.02, 0.0, 0.0])];
    let body = bodies(run(subject, &turned, steps)?.as_mut())[0];
    let spin = 0.02 * t / moment;
    close("a turned body's spin", body.angular_velocity.x, spin, SOLVED * spin)?;
    let com = body.world_from_body * nalgebra::Point3::from(scenes::offset());
    // Order 1 turns the frame about its own origin in each step: the centre drifts by spin² x arm x step x time.
    let wander = (com.coords - scenes::offset()).norm();
    close("how far a torque moved the centre of mass", wander, 0.0, spin * spin * t * subject.step_s + 1e-12)?;

    // On a hanging link: the torque of the force about the hinge, and a torque, add up.
    let mut hanging = scenes::pendulum(0.0, 0.0);
    hanging.inputs.wrenches = vec![wrench([1.0, 0.0, 0.0], [0.0, 0.2, 0.0])];
    let t = 10.0 * subject.step_s;
    let alpha = (-scenes::LINK_ARM + 0.2) / scenes::link_inertia();
    let found = run(subject, &hanging, 10)?.v()[0];
    close("a pushed link's speed", found, alpha * t, 2.0 * SOLVED * alpha.abs() * t)?;
    Ok(Evidence::Holds("force, torque, sum, and on a link".to_string()))
}
