//! Joint limits: where a joint pushed against one comes to rest, and the speed limit of a motor.
//!
//! Where bodies may touch, the sled has a ground far below: some engines enforce limits only in worlds with contact.

use super::ground;
use super::rail::MASS;
use crate::bench::{Bench, BenchScene, Stopped};
use crate::experiment::{Experiment, Reading, Tolerated};
use veracity_model::geometry::at;
use veracity_model::{
    Actuator, Body, Inertia, Joint, JointId, JointKind, ModelBuilder, Pose, Shape, Vec3, VelocityRule,
};

const UPPER: f64 = 0.1;
const LOWER: f64 = -0.15;
const SOFT: Option<Tolerated> =
    Some(Tolerated { within: 0.02, why: "limits are soft: the joint rests, or still oscillates, near them" });

type Read = fn(&Bench<'_>) -> Result<Reading, Stopped>;

const fn entry(name: &'static str, unit: &'static str, given: f64, read: Read) -> Experiment {
    let formula = "where it rests, pushed against the limit for a second";
    Experiment { name, group: "limits", unit, given, formula, tolerated: SOFT, read }
}

pub const RAIL_UPPER: Experiment = entry("limit-rail-upper", "m", UPPER, |b| Ok(sled(b, 2.0)?.x.into()));
pub const RAIL_LOWER: Experiment = entry("limit-rail-lower", "m", LOWER, |b| Ok(sled(b, -2.0)?.x.into()));
pub const HINGE_UPPER: Experiment = entry("limit-hinge-upper", "rad", 2.0 * UPPER, |b| wheel(b, 0.05));
pub const HINGE_LOWER: Experiment = entry("limit-hinge-lower", "rad", 2.0 * LOWER, |b| wheel(b, -0.05));

/// The speed limit of a joint belongs to its motor: beyond it, effort that would drive the joint faster is cut
/// ([`VelocityRule::CutPushing`]). Engines receive the resulting efforts, step by step.
pub const SPEED: Experiment = Experiment {
    tolerated: None,
    formula: "v of a sled pushed for a second, its motor cut off at the limit",
    ..entry("velocity-limit", "m/s", 0.5, |bench| {
        bench.need(|can| !can.adaptive, "fixed step at which a motor could be cut off")?;
        let mut motor = Actuator::effort("motor", JointId(0));
        (motor.velocity_limit, motor.velocity_rule) = (0.5, VelocityRule::CutPushing);
        let mut run = bench.load(&super::rail::sled(|_| {}))?;
        let steps = (ground::REST / bench.step_s).round() as usize;
        for _ in 0..steps {
            let (place, speed) = (run.place(0).x, run.velocity(0).x);
            run.inputs.efforts[0] = motor.effort_at(2.0, place, speed);
            run.step()?;
        }
        // The last push may exceed the limit by the speed gained in a step.
        Ok(Reading { value: run.velocity(0).x, resolution: 2.0 / MASS * bench.step_s })
    })
};

fn limited(bench: &Bench<'_>, kind: JointKind, scale: f64) -> Result<BenchScene, Stopped> {
    bench.need(|can| can.limits, "enforced joint limits")?;
    let contact = bench.capabilities().contact;
    let mut builder = ModelBuilder::new("limited");
    if contact {
        let plane = Body::new("plane", Inertia::zero()).with_shape(Shape::Plane, at(0.0, 0.0, -1.0));
        builder.add_body(plane, Joint::new("fixed", JointKind::Fixed), None);
    }
    let inertia = Inertia::new(MASS, Vec3::zeros(), [0.05, 0.05, 0.05, 0.0, 0.0, 0.0]);
    let mut body = Body::new("body", inertia);
    if contact {
        body = body.with_shape(Shape::Sphere { radius: 0.05 }, Pose::identity());
    }
    let joint = Joint::new("joint", kind).each_dof(|d| (d.lower, d.upper) = (scale * LOWER, scale * UPPER));
    builder.add_body(body, joint, None);
    let mut scene = BenchScene::new(builder);
    scene.world.contact = contact;
    Ok(scene)
}

fn sled(bench: &Bench<'_>, effort: f64) -> Result<Vec3, Stopped> {
    let mut scene = limited(bench, JointKind::prismatic(Vec3::x()), 1.0)?;
    scene.inputs.efforts[0] = effort;
    let last = scene.world.placements[0].model.bodies().len() - 1;
    Ok(bench.run(&scene, 1.0)?.place(last))
}

fn wheel(bench: &Bench<'_>, effort: f64) -> Result<Reading, Stopped> {
    let mut scene = limited(bench, JointKind::revolute(Vec3::z()), 2.0)?;
    scene.inputs.efforts[0] = effort;
    let last = scene.world.placements[0].model.bodies().len() - 1;
    let body = bench.run(&scene, ground::REST)?.body(last);
    Ok(body.world_from_body.rotation.scaled_axis().z.into())
}
