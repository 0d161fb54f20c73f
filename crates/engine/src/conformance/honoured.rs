//! Every property of a model that an engine loads acts on the motion.

use super::loads::{close, run};
use super::scenes::{self, Scene};
use super::{Claim, Evidence, Subject};
use crate::contract::LoadOptions;
use crate::error::LoadError;
use crate::inputs::Inputs;
use veracity_model::geometry::at;
use veracity_model::{
    Body, Coupling, Inertia, Joint, JointId, JointKind, LoopJoint, LoopKind, ModelBuilder, Pose, Spring, Vec3,
};

pub(super) const MODEL: Claim = Claim {
    name: "model-honoured",
    says: "Damping, springs, dry friction, rotor inertia, drag, loops and couplings of a model act, or are refused by name.",
    run: honoured,
};

/// One property of the slider or the pendulum and the speed it leads to.
struct Property {
    name: &'static str,
    scene: Scene,
    steps: u64,
    /// Speed at the end, in closed form.
    speed: f64,
    /// Allowed error of an engine of order 1, as a fraction of the change of speed.
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
        property("angular drag", angular_drag(), libm::exp(-2.0 * t)),
        property("a spring between points", point_spring(), -0.1 * omega * libm::sin(omega * t)),
        property("a coupling", geared(), 0.01 / (5.0 * CUBE_MOMENT) * t),
        property("a loop", rodded(), 3.0 / (2.0 * m) * t),
    ]
}

/// A kilogram with sides of 0.2 m, about an axis through its centre [kg m²].
const CUBE_MOMENT: f64 = 0.04 / 6.0;

fn cube(name: &str, mass: f64) -> Body {
    Body::new(name, Inertia::solid_box(mass, Vec3::repeat(0.2)))
}

fn still(builder: ModelBuilder, q: &[f64], v: &[f64]) -> Scene {
    let world = scenes::smooth(builder, Vec3::zeros());
    Scene { world, q: q.to_vec(), v: v.to_vec(), inputs: Inputs::none(v.len()) }
}

/// A free cube that turns about x.
fn angular_drag() -> Scene {
    let mut builder = ModelBuilder::new("angular-drag");
    let mut body = cube("cube", 1.0);
    body.angular_damping = 2.0;
    builder.add_body(body, Joint::new("free", JointKind::Free), None);
    still(builder, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
}

/// The slider on a spring to a point of the ground on its rail: like a joint spring of the same stiffness.
fn point_spring() -> Scene {
    let mut builder = ModelBuilder::new("point-spring");
    let rail = Joint::new("rail", JointKind::prismatic(Vec3::x()));
    let sled = builder.add_body(cube("sled", scenes::SLIDER_MASS), rail, None);
    builder.add_spring(Spring {
        name: "spring".to_string(),
        body_a: None,
        body_b: Some(sled),
        point_a: Vec3::new(-1.0, 0.0, 0.0),
        point_b: Vec3::zeros(),
        stiffness: 50.0,
        damping: 0.0,
        rest_length: 1.0,
        source: None,
    });
    still(builder, &[0.1], &[0.0])
}

/// Two cubes on axles, the second geared to turn twice as fast in the other direction: five times the first's moment.
fn geared() -> Scene {
    let mut builder = ModelBuilder::new("geared-pair");
    for (name, x) in [("leader", 0.0), ("follower", 1.0)] {
        let axle = Joint::new(format!("{name}-axle"), JointKind::revolute(Vec3::y())).at(at(x, 0.0, 0.0));
        builder.add_body(cube(name, 1.0), axle, None);
    }
    builder.add_coupling(Coupling {
        name: "gear".to_string(),
        follower: JointId(1),
        leader: Some(JointId(0)),
        coefficients: vec![0.0, -2.0],
        shared_motor: false,
        source: None,
    });
    let mut scene = still(builder, &[0.0, 0.0], &[0.0, 0.0]);
    scene.inputs.efforts[0] = 0.01;
    scene
}

/// Two sliders joined by a rod along their rails: pushed, they move as one.
fn rodded() -> Scene {
    let mut builder = ModelBuilder::new("rodded-pair");
    let sled = |builder: &mut ModelBuilder, name: &str, x: f64| {
        let rail = Joint::new(format!("{name}-rail"), JointKind::prismatic(Vec3::x())).at(at(x, 0.0, 0.0));
        builder.add_body(cube(name, scenes::SLIDER_MASS), rail, None)
    };
    let (first, second) = (sled(&mut builder, "first", 0.0), sled(&mut builder, "second", 1.0));
    builder.add_loop(LoopJoint {
        name: "rod".to_string(),
        kind: LoopKind::Distance { length: 1.0 },
        body_a: Some(first),
        body_b: Some(second),
        a_from_frame: Pose::identity(),
        b_from_frame: Pose::identity(),
        source: None,
    });
    let mut scene = still(builder, &[0.0, 0.0], &[0.0, 0.0]);
    scene.inputs.efforts[0] = 3.0;
    scene
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
    // The rail is vertical, so that gravity acts along it.
    let mut scene = scenes::slider_with(0.0, 0.0, |body, joint| {
        body.gravity_scale = 0.25;
        joint.kind = JointKind::prismatic(Vec3::z());
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
