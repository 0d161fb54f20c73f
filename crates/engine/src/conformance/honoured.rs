//! What a model says and an engine loads, the engine does.

use super::loads::{close, run};
use super::scenes::{self, Scene};
use super::{Claim, Evidence, Subject};
use crate::contract::LoadOptions;
use crate::error::LoadError;
use veracity_model::{Body, Joint};

pub(super) const MODEL: Claim = Claim {
    name: "model-honoured",
    says: "Damping, springs, dry friction, rotor inertia, drag and gravity scale of a model act, or are refused by name.",
    run: honoured,
};

/// One property of the slider or the pendulum and the speed it leads to.
struct Property {
    name: &'static str,
    scene: Scene,
    steps: u64,
    /// Speed at the end, in closed form.
    speed: f64,
    /// What an engine of order 1 may be off by, as a part of the change of speed.
    allowed: f64,
}

fn properties(step_s: f64) -> Vec<Property> {
    let m = scenes::SLIDER_MASS;
    let steps = 200;
    let t = steps as f64 * step_s;
    let slider = |x: f64, v: f64, change: fn(&mut Body, &mut Joint)| scenes::slider_with(x, v, change);
    let property = |name, scene, speed| Property { name, scene, steps, speed, allowed: 0.02 };
    let omega = (50.0 / m).sqrt();
    let mut pushed = slider(0.0, 0.0, |_, joint| joint.dofs[0].armature = 1.0);
    pushed.inputs.efforts[0] = 3.0;
    let hinge = |change: fn(&mut Joint)| {
        scenes::pendulum_with(0.0, 1.0, |mut joint| {
            change(&mut joint);
            joint
        })
    };
    let weightless = |scene: Scene| {
        let mut scene = scene;
        scene.world.gravity *= 0.0;
        scene
    };
    vec![
        property("joint damping", slider(0.0, 1.0, |_, j| j.dofs[0].damping = 4.0), libm::exp(-4.0 / m * t)),
        property(
            "a joint spring",
            slider(0.1, 0.0, |_, j| j.dofs[0].stiffness = 50.0),
            -0.1 * omega * libm::sin(omega * t),
        ),
        property("dry joint friction", slider(0.0, 1.0, |_, j| j.dofs[0].friction = 3.0), 1.0 - 3.0 / m * t),
        property("rotor inertia", pushed, 3.0 / (m + 1.0) * t),
        property("linear drag", slider(0.0, 1.0, |body, _| body.linear_damping = 2.0), libm::exp(-2.0 * t)),
        property(
            "damping of a hinge",
            weightless(hinge(|j| j.dofs[0].damping = 1.0)),
            libm::exp(-t / scenes::link_inertia()),
        ),
    ]
}

fn honoured(subject: &Subject<'_>) -> Result<Evidence, String> {
    let (mut kept, mut refused) = (Vec::new(), Vec::new());
    for property in properties(subject.step_s) {
        let options = LoadOptions { step_s: subject.step_s };
        match subject.engine.load(&property.scene.world, subject.settings, &options) {
            Err(LoadError::Unsupported(_)) => {
                refused.push(property.name);
                continue;
            }
            Err(e) => return Err(format!("{}: {e}", property.name)),
            Ok(_) => {}
        }
        let found = run(subject, &property.scene, property.steps)?.v()[0];
        let change = (property.speed - property.scene.v[0]).abs();
        close(&format!("with {}, the speed", property.name), found, property.speed, property.allowed * change)?;
        kept.push(property.name);
    }
    gravity_scale(subject, &mut kept, &mut refused)?;
    let refused = if refused.is_empty() { String::new() } else { format!("; refused: {}", refused.join(", ")) };
    Ok(Evidence::Holds(format!("acting: {}{refused}", kept.join(", "))))
}

fn gravity_scale(
    subject: &Subject<'_>,
    kept: &mut Vec<&'static str>,
    refused: &mut Vec<&'static str>,
) -> Result<(), String> {
    // The rail stands upright, so that gravity shows.
    let mut scene = scenes::slider_with(0.0, 0.0, |body, joint| {
        body.gravity_scale = 0.25;
        joint.kind = veracity_model::JointKind::prismatic(veracity_model::Vec3::z());
    });
    scene.world.name = "gravity-scale".to_string();
    let options = LoadOptions { step_s: subject.step_s };
    match subject.engine.load(&scene.world, subject.settings, &options) {
        Err(LoadError::Unsupported(_)) => {
            refused.push("gravity scale");
            return Ok(());
        }
        Err(e) => return Err(format!("gravity scale: {e}")),
        Ok(_) => {}
    }
    let expected = -0.25 * scenes::G * 100.0 * subject.step_s;
    close(
        "with a quarter of gravity, the speed",
        run(subject, &scene, 100)?.v()[0],
        expected,
        0.02 * expected.abs(),
    )?;
    kept.push("gravity scale");
    Ok(())
}
