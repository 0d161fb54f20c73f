//! Sticking contacts on moving surfaces keep their place.
//!
//! A body on a joint moves along its arc and a free body along the tangent, so a block that is carried around falls
//! behind by `½ ω² R h²` in every step. Anchors used to drop every drift beyond 2 um and so had no effect at more than
//! 2 rad/s on a metre: the block of the turntable below left its place by 3.1 mm in a second.

use crate::support::Run;
use veracity_contact::SteppingSettings;
use veracity_model::geometry::at;
use veracity_model::{Body, Inertia, Joint, JointKind, Material, ModelBuilder, Pose, Shape, Vec3, World};

const H: f64 = 1e-3;

/// A block at the radius `R` of a heavy turntable, both turning at `OMEGA`; or clamped between two fingers at the end
/// of an arm that swings about a horizontal axis.
const OMEGA: f64 = 2.5;
const R: f64 = 1.0;

fn anchors(on: bool) -> SteppingSettings {
    SteppingSettings { anchor: on, ..SteppingSettings::default() }
}

fn builder(friction: f64) -> (ModelBuilder, impl Fn(&str, Inertia, Vec3, Pose) -> Body) {
    let mut builder = ModelBuilder::new("carried");
    builder.self_collide(true);
    let material =
        builder.add_material(Material { name: "m".into(), friction: [friction; 2], ..Material::default() });
    let boxed = move |name: &str, inertia: Inertia, size: Vec3, body_from_shape: Pose| {
        let mut body = Body::new(name, inertia).with_shape(Shape::Box { size }, body_from_shape);
        body.shapes[0].material = Some(material);
        body
    };
    (builder, boxed)
}

fn turntable() -> Run {
    let (mut builder, boxed) = builder(2.0);
    let (top, size) = (Vec3::new(3.0, 3.0, 0.1), Vec3::repeat(0.1));
    let table = boxed("table", Inertia::solid_box(1e4, top), top, at(0.0, 0.0, -0.05));
    builder.add_body(table, Joint::new("pivot", JointKind::revolute(Vec3::z())), None);
    let block = boxed("block", Inertia::solid_box(1.0, size), size, Pose::identity());
    builder.add_body(block, Joint::new("free", JointKind::Free), None);
    let mut run = Run::new(&World::with_model(builder.build().unwrap()), SteppingSettings::default());
    run.state.q[1..4].copy_from_slice(&[R, 0.0, 0.05]);
    run.state.v.copy_from_slice(&[OMEGA, 0.0, 0.0, OMEGA, 0.0, OMEGA * R, 0.0]);
    run
}

/// Fingers of 0.2 kg press with 100 N from both sides on a block of 0.5 kg at the end of an arm of 2 kg, released from
/// level.
fn swing(settings: SteppingSettings, friction: f64) -> Run {
    let (mut builder, boxed) = builder(friction);
    let arm = Inertia::solid_box(2.0, Vec3::new(R, 0.05, 0.05));
    let arm = Body::new("arm", Inertia { com: Vec3::new(0.5 * R, 0.0, 0.0), ..arm });
    let arm = builder.add_body(arm, Joint::new("pivot", JointKind::revolute(Vec3::y())), None);
    let (tip, size) = (Vec3::new(0.06, 0.02, 0.06), Vec3::repeat(0.1));
    for (name, y) in [("left", -0.06), ("right", 0.06)] {
        let finger = boxed(name, Inertia::solid_box(0.2, tip), tip, Pose::identity());
        let joint = Joint::new(name, JointKind::prismatic(Vec3::y())).at(at(R, y, 0.0));
        builder.add_body(finger, joint, Some(arm));
    }
    let block = boxed("block", Inertia::solid_box(0.5, size), size, Pose::identity());
    builder.add_body(block, Joint::new("free", JointKind::Free), None);
    let mut run = Run::new(&World::with_model(builder.build().unwrap()), settings);
    run.state.q[3..6].copy_from_slice(&[R, 0.0, 0.0]);
    run.efforts = Box::new(Squeeze);
    run
}

/// 100 N on each finger.
struct Squeeze;

impl veracity_dynamics::Efforts for Squeeze {
    fn add(&mut self, _: &veracity_dynamics::System, _: f64, _: &[f64], _: &[f64], out: &mut [f64]) {
        out[1] += 100.0;
        out[2] -= 100.0;
    }
}

/// The largest motion of a block relative to its carrier over a time.
struct Carried {
    /// Distance from its initial place [m].
    moved: f64,
    /// Rotation [rad].
    turned: f64,
    /// Energy of all bodies above that of the start [J].
    gained: f64,
}

fn carried(run: &mut Run, carrier: usize, block: usize, seconds: f64) -> Carried {
    let seen = |run: &mut Run| {
        let now = run.motions();
        now[carrier].world_from_body.inverse() * now[block].world_from_body
    };
    let (start, energy) = (seen(run), run.energy());
    let mut worst = Carried { moved: 0.0, turned: 0.0, gained: f64::NEG_INFINITY };
    for _ in 0..(seconds / H).round() as usize {
        run.step(H);
        let now = seen(run);
        worst.moved = worst.moved.max((now.translation.vector - start.translation.vector).norm());
        worst.turned = worst.turned.max(now.rotation.angle_to(&start.rotation));
        worst.gained = worst.gained.max(run.energy() - energy);
    }
    worst
}

#[test]
fn a_block_on_a_turntable_keeps_its_place() {
    let mut run = turntable();
    let kinetic = run.energy();
    let Carried { moved, turned, gained } = carried(&mut run, 0, 1, 1.0);
    println!("turntable: {moved:e} m, {turned:e} rad, energy {:e}", gained / kinetic);
    // The drift of one step is present when the step ends: ½ ω² R h² = 3.1 um. Twice that.
    assert!(moved < OMEGA * OMEGA * R * H * H, "{moved:e} m");
    assert!(turned < 1e-5, "{turned:e} rad");
    assert!(gained < 1e-12 * kinetic, "{gained:e} J");
}

#[test]
fn a_swinging_clamp_keeps_its_block_and_gains_no_energy() {
    let mut run = swing(anchors(true), 1.0);
    let start = run.energy();
    let Carried { moved, turned, gained } = carried(&mut run, 0, 3, 2.0);
    let mut without = swing(anchors(false), 1.0);
    let drifts = carried(&mut without, 0, 3, 2.0);
    println!(
        "swing: {moved:e} m, {turned:e} rad, energy at most {gained:e} J, {:e} J at the end; without anchors {:e} m, {:e} J",
        run.energy() - start,
        drifts.moved,
        without.energy() - start
    );
    // ω² R is at most 3 g for a rod that falls from level: ½ 3 g h² = 15 um in a step. Twice that.
    assert!(moved < 3e-5 && turned < 3e-4, "{moved:e} m, {turned:e} rad");
    assert!(gained <= 0.0, "{gained:e} J");
    // Anchors restore height lost by moving along the tangent; they must not add more than that.
    assert!((run.energy() - start).abs() < (without.energy() - start).abs());
    assert!(drifts.moved > 1e-3, "without anchors it must drift: {:e} m", drifts.moved);
}
