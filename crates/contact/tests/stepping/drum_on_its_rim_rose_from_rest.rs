//! A drum that rolls down on its rim sank into the ground, 0.3 mm deep, and rose again after it had come to rest.
//!
//! The lowest point of the rim runs round it faster than the drum turns: by `θ' / tan θ` where the drum turns by `θ'`
//! with its ends `θ` from level. A step of 1 ms predicts the gap to first order, so it ends deeper by
//! `r (h ω)² / (2 sin θ)`. Lifting was limited to what free fall loses in a step, although the rolling drum loses ten
//! times as much to friction and small impacts; the remaining depth was lifted when no energy was lost any more,
//! without a source.

use crate::support::{Run, Scene};
use veracity_contact::{SteppingSettings, stepping::Stabilisation};
use veracity_model::geometry::quat_about;
use veracity_model::{Inertia, Pose, Shape, Vec3};

/// Mass of the drum [kg].
const MASS: f64 = 1.5;

/// Result of a run.
struct Fate {
    /// Largest rise of its energy above its lowest value so far [J].
    rise: f64,
    /// Depth at the end [m].
    depth: f64,
}

/// One second of a drum that starts on its rim, its ends `tilt` from level, falling sideways with `turn` [rad, rad/s].
fn roll_down(tilt: f64, turn: f64, stabilisation: Stabilisation) -> Fate {
    let (radius, length) = (0.05, 0.08);
    let mut scene = Scene::rubbing(0.8);
    scene.ground(Pose::identity());
    let place = Vec3::new(0.0, 0.0, radius * tilt.sin() + 0.5 * length * tilt.cos());
    let turned = quat_about(&Vec3::x(), tilt);
    let inertia = Inertia::solid_cylinder(MASS, radius, length);
    scene.loose(inertia, Shape::Cylinder { radius, length }, Pose::from_parts(place.into(), turned));
    let mut run = Run::new(&scene.world(), SteppingSettings { stabilisation, ..Default::default() });
    run.state.v[..3].copy_from_slice((turned.inverse() * Vec3::new(0.0, turn, 0.0)).as_slice());
    let (mut lowest, mut rise) = (run.energy(), 0.0_f64);
    for _ in 0..1000 {
        run.step(1e-3);
        let now = run.energy();
        rise = rise.max(now - lowest);
        lowest = lowest.min(now);
    }
    Fate { rise, depth: run.deepest() }
}

#[test]
fn a_drum_is_lifted_while_it_rolls_and_not_when_it_rests() {
    // The loss of free fall in one step: the most that a body at rest is lifted by in a step. It was twenty to a
    // hundred times that.
    let once = 0.5 * MASS * (9.81e-3_f64).powi(2);
    let mut deepest = 0.0_f64;
    for tilt in [0.1, 0.3, 0.5] {
        for turn in [0.3, 1.0, 3.0] {
            let Fate { rise, depth } = roll_down(tilt, turn, Stabilisation::Projection);
            assert!(rise < once, "{tilt} rad, {turn} rad/s: rises by {rise:e} J of {once:e} J");
            // Lifting still happens: at the end the drum is no deeper than the one step of rolling that some are still
            // in.
            assert!(depth < 1e-5, "{tilt} rad, {turn} rad/s: {depth:e} m deep");
            // Without lifting it stays at its depth, and rises by no more than the anchors' correction, microns.
            let unaided = roll_down(tilt, turn, Stabilisation::None);
            assert!(unaided.rise < 0.1 * once, "{:e} J", unaided.rise);
            deepest = deepest.max(unaided.depth);
        }
    }
    assert!(deepest > 1e-4, "{deepest:e} m");
}
