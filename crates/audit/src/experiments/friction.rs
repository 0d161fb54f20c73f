//! Friction between surfaces: in any direction, in two directions, torsional and rolling.
//!
//! ```text
//! (1)  µ = (F - m Δv / Δt) / (m g)               a box pushed along the ground faster and faster
//! (2)  s = I Δω / (Δt m g)                       a ball that spins about the normal and slows down; s a length
//! (3)  ρ = (I + m r²) Δv / (Δt m g r)            a ball that rolls and slows down; ρ a length
//! ```
//!
//! All of them are read between two instants of the motion, long after the body has settled, so that the settling does
//! not enter.

use super::ground::{G, Ground};
use crate::bench::{Bench, BenchScene, Stopped};
use crate::experiment::{Experiment, Reading, SMOOTHED, Tolerated};
use veracity_engine::Wrench;
use veracity_model::{Body, Combination, Inertia, Material, Pose, Shape, Vec3};

const MASS: f64 = 1.0;
const MU: f64 = 0.4;
/// Four fifths of it.
const HELD: f64 = 0.32;
const MU_FIRST: f64 = 0.3;
const MU_SECOND: f64 = 0.6;
const RADIUS: f64 = 0.1;
const LENGTH: f64 = 0.002;
/// The two instants [s].
const FROM: f64 = 0.3;
const TO: f64 = 0.5;

type Read = fn(&Bench<'_>) -> Result<Reading, Stopped>;

const fn entry(name: &'static str, unit: &'static str, given: f64, formula: &'static str, read: Read) -> Experiment {
    Experiment { name, group: "friction", unit, given, formula, tolerated: SMOOTHED, read }
}

const PUSHED: &str = "(F - m Δv / Δt) / (m g) of a box pushed along the ground";

pub const ALONG: Experiment = entry("friction", "", MU, PUSHED, |bench| pushed(bench, same(), Vec3::x()));

pub const DIAGONAL: Experiment = Experiment {
    tolerated: Some(Tolerated {
        within: 0.42,
        why: "the cone is a pyramid: µ (|cos φ| + |sin φ|) with its sides across the axes, µ / (|cos φ| + |sin φ|) with its corners on them",
    }),
    ..entry("friction-diagonal", "", MU, PUSHED, |bench| pushed(bench, same(), Vec3::new(0.6, 0.8, 0.0)))
};

pub const FIRST: Experiment = entry("friction-first", "", MU_FIRST, PUSHED, |b| pushed(b, two(), Vec3::x()));
pub const SECOND: Experiment = entry("friction-second", "", MU_SECOND, PUSHED, |b| pushed(b, two(), Vec3::y()));

pub const HOLDING: Experiment = Experiment {
    tolerated: Some(Tolerated { within: 0.05, why: "friction is smoothed or soft: a held box creeps" }),
    ..entry("friction-hold", "", HELD, "(F - m Δv / Δt) / (m g) of a box pushed with four fifths of µ", |bench| {
        let force = HELD * MASS * G;
        let gained = window(bench, &block(same(), force * Vec3::x()), |run| run.velocity(1).x)?;
        Ok(((force - MASS * gained) / (MASS * G)).into())
    })
};

pub const TORSIONAL: Experiment =
    entry("friction-torsional", "m", LENGTH, "I Δω / (Δt m g) of a ball that spins on the ground", |bench| {
        let surface = Material { torsional_friction: LENGTH, ..same() };
        let mut scene = ball(surface);
        scene.v[2] = 8.0;
        let lost = -window(bench, &scene, |run| run.spin(1).z)?;
        Ok((moment() * lost / (MASS * G)).into())
    });

pub const ROLLING: Experiment =
    entry("friction-rolling", "m", LENGTH, "(I + m r²) Δv / (Δt m g r) of a ball that rolls", |bench| {
        let surface = Material { rolling_friction: LENGTH, ..same() };
        let mut scene = ball(surface);
        scene.v[1] = 0.5 / RADIUS;
        scene.v[3] = 0.5;
        let lost = -window(bench, &scene, |run| run.velocity(1).x)?;
        Ok(((moment() + MASS * RADIUS * RADIUS) * lost / (MASS * G * RADIUS)).into())
    });

fn same() -> Material {
    Material { friction: [MU; 2], ..Material::default() }
}

fn two() -> Material {
    Material { friction: [MU_FIRST, MU_SECOND], friction_direction: Some(Vec3::x()), ..Material::default() }
}

fn moment() -> f64 {
    0.4 * MASS * RADIUS * RADIUS
}

fn down(ground: Ground) -> BenchScene {
    ground.scene().falling(Vec3::new(0.0, 0.0, -G))
}

fn ball(surface: Material) -> BenchScene {
    let mut ground = Ground::new(surface);
    ground.add("ball", Shape::Sphere { radius: RADIUS }, Inertia::solid_sphere(MASS, RADIUS), 0);
    let mut scene = down(ground);
    scene.q[2] = RADIUS;
    scene
}

/// A flat box, so that pushing at its middle hardly shifts its weight.
fn block(surface: Material, force: Vec3) -> BenchScene {
    block_of(None, surface, force)
}

/// The same with a separate surface for the box.
fn block_of(own: Option<Material>, surface: Material, force: Vec3) -> BenchScene {
    let size = Vec3::new(0.3, 0.3, 0.04);
    let mut ground = Ground::new(surface);
    let own = own.map(|m| ground.add_material(Material { name: "own".to_string(), ..m }));
    let mut block =
        Body::new("box0", Inertia::solid_box(MASS, size)).with_shape(Shape::Box { size }, Pose::identity());
    block.shapes[0].material = own;
    ground.add_body(block);
    let mut scene = down(ground);
    scene.q[2] = 0.5 * size.z;
    scene.inputs.wrenches.push(Wrench { body: 1, force: force.into(), torque: [0.0; 3] });
    scene
}

/// Friction of a box of one surface on ground of another.
pub(super) fn pushed_on_other_ground(
    bench: &Bench<'_>,
    [of_box, of_ground]: [f64; 2],
    rules: Combination,
) -> Result<Reading, Stopped> {
    let force = 8.0;
    let surface = |friction| Material { friction: [friction; 2], ..Material::default() };
    let mut scene = block_of(Some(surface(of_box)), surface(of_ground), force * Vec3::x());
    scene.world.combination = rules;
    let gained = window(bench, &scene, |run| run.velocity(1).x)?;
    Ok(((force - MASS * gained) / (MASS * G)).into())
}

/// Change of a number between the two instants, by the time between them.
fn window(bench: &Bench<'_>, scene: &BenchScene, of: impl Fn(&mut crate::Run) -> f64) -> Result<f64, Stopped> {
    bench.need(|can| can.contact, "contact")?;
    let mut run = bench.run(scene, FROM)?;
    let before = of(&mut run);
    run.until(TO)?;
    Ok((of(&mut run) - before) / (TO - FROM))
}

fn pushed(bench: &Bench<'_>, surface: Material, direction: Vec3) -> Result<Reading, Stopped> {
    let force = 8.0;
    let gained = window(bench, &block(surface, force * direction), |run| run.velocity(1).dot(&direction))?;
    Ok(((force - MASS * gained) / (MASS * G)).into())
}
