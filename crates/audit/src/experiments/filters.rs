//! Collision filters: two balls move towards each other, and either collide or pass through.
//!
//! The number is 1 if they did what the world specifies, decided by their order at the end.

use crate::bench::{Bench, BenchScene, Stopped};
use crate::experiment::{Experiment, Reading};
use veracity_model::{Body, BodyId, Inertia, Joint, JointKind, ModelBuilder, Pose, Shape, Vec3};

const RADIUS: f64 = 0.1;

type Read = fn(&Bench<'_>) -> Result<Reading, Stopped>;

const fn entry(name: &'static str, formula: &'static str, read: Read) -> Experiment {
    Experiment { name, group: "filters", unit: "", given: 1.0, formula, tolerated: None, read }
}

const PASS: &str = "1 if two balls that move towards each other passed";
const MEET: &str = "1 if two balls that move towards each other collided";

pub const NONE: Experiment = entry("filter-none", MEET, |bench| met(bench, |_| {}, true));
pub const EXCLUDED: Experiment =
    entry("filter-excluded", PASS, |bench| met(bench, |b| b.exclude_contact(BodyId(0), BodyId(1)), false));
pub const GROUPS: Experiment = entry("filter-groups", PASS, |bench| {
    let apart = |b: &mut ModelBuilder| {
        for (id, group) in [(0, 1), (1, 2)] {
            let shape = &mut b.body_mut(BodyId(id)).shapes[0];
            (shape.group, shape.mask) = (group, group);
        }
    };
    met(bench, apart, false)
});
pub const ONE_WILLING: Experiment = entry("filter-one-willing", MEET, |bench| {
    let half = |b: &mut ModelBuilder| {
        for (id, group, mask) in [(0, 1, 2), (1, 2, 4)] {
            let shape = &mut b.body_mut(BodyId(id)).shapes[0];
            (shape.group, shape.mask) = (group, mask);
        }
    };
    met(bench, half, true)
});
pub const VISUAL: Experiment =
    entry("filter-visual", PASS, |bench| met(bench, |b| b.body_mut(BodyId(1)).shapes[0].collides = false, false));
pub const SELF: Experiment = entry("filter-self", PASS, |bench| met(bench, |b| b.self_collide(false), false));
pub const SWITCH: Experiment = entry("filter-world", PASS, |bench| {
    let mut scene = balls(|_| {});
    scene.world.contact = false;
    outcome(bench, &scene, false)
});

/// A body and its parent, on a rail through it, do not touch unless the model says so.
pub const ADJACENT: Experiment = entry("filter-adjacent", PASS, |bench| railed(bench, false));
pub const ADJACENT_TOUCH: Experiment = entry("filter-adjacent-touch", MEET, |bench| railed(bench, true));

fn ball(name: &str) -> Body {
    let inertia = Inertia::solid_sphere(1.0, RADIUS);
    Body::new(name, inertia).with_shape(Shape::Sphere { radius: RADIUS }, Pose::identity())
}

fn balls(change: fn(&mut ModelBuilder)) -> BenchScene {
    let mut builder = ModelBuilder::new("two-balls");
    for name in ["left", "right"] {
        builder.add_body(ball(name), Joint::new(format!("{name}-free"), JointKind::Free), None);
    }
    change(&mut builder);
    let mut scene = BenchScene::new(builder).touching();
    (scene.q[0], scene.q[7]) = (-0.2, 0.2);
    (scene.v[3], scene.v[9]) = (1.0, -1.0);
    scene
}

fn met(bench: &Bench<'_>, change: fn(&mut ModelBuilder), wanted: bool) -> Result<Reading, Stopped> {
    bench.need(|can| can.contact, "contact")?;
    outcome(bench, &balls(change), wanted)
}

fn railed(bench: &Bench<'_>, wanted: bool) -> Result<Reading, Stopped> {
    bench.need(|can| can.contact, "contact")?;
    let mut builder = ModelBuilder::new("railed-balls");
    let base = builder.add_body(ball("left"), Joint::new("free", JointKind::Free), None);
    builder.add_body(ball("right"), Joint::new("rail", JointKind::prismatic(Vec3::x())), Some(base));
    builder.adjacent_bodies_collide(wanted);
    let mut scene = BenchScene::new(builder).touching();
    (scene.q[0], scene.q[7]) = (-0.2, 0.4);
    (scene.v[3], scene.v[6]) = (1.0, -2.0);
    outcome(bench, &scene, wanted)
}

fn outcome(bench: &Bench<'_>, scene: &BenchScene, wanted: bool) -> Result<Reading, Stopped> {
    let mut run = bench.run(scene, 0.4)?;
    let met = run.place(0).x < run.place(1).x;
    Ok(f64::from(u8::from(met == wanted)).into())
}
