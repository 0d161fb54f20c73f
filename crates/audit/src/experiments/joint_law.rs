//! Passive joint laws: damping, spring, dry friction, rotor inertia.
//!
//! ```text
//! (1)  v = v₀ exp(-d t / m)                       damping
//! (2)  x = r + (x₀ - r) cos(√(k/m) t)             a spring of stiffness k at rest at r
//! (3)  v = v₀ - f t / m                           dry friction of a moving sled
//! (4)  v = F t / (m + J)                          the rotor's inertia J at the joint
//! ```

use super::rail::{self, MASS};
use crate::bench::{Bench, BenchScene, Stopped};
use crate::experiment::{Experiment, ITERATED, Reading, SMOOTHED, Tolerated};
use veracity_model::Vec3;

const TIME: f64 = 0.2;

type Read = fn(&Bench<'_>) -> Result<Reading, Stopped>;

const fn entry(name: &'static str, unit: &'static str, given: f64, formula: &'static str, read: Read) -> Experiment {
    Experiment { name, group: "joint law", unit, given, formula, tolerated: ITERATED, read }
}

const DAMPING: f64 = 3.0;
pub const RAIL_DAMPING: Experiment =
    entry("damping-rail", "N s/m", DAMPING, "-(m / t) ln(v / v₀) of a sled", |bench| {
        let mut scene = rail::sled(|joint| joint.dofs[0].damping = DAMPING);
        scene.v[0] = 1.0;
        Ok((-MASS / TIME * libm::log(bench.run(&scene, TIME)?.velocity(0).x)).into())
    });

const HINGE: f64 = 0.1;
pub const HINGE_DAMPING: Experiment =
    entry("damping-hinge", "N m s/rad", HINGE, "-(I / t) ln(ω / ω₀) of a wheel", |bench| {
        let mut scene = rail::wheel(Vec3::x(), |joint| joint.dofs[0].damping = HINGE);
        scene.v[0] = 1.0;
        Ok((-rail::MOMENT / TIME * libm::log(bench.run(&scene, TIME)?.spin(0).x)).into())
    });

const STIFFNESS: f64 = 50.0;
const REST: f64 = 0.15;
pub const SPRING: Experiment =
    entry("spring-stiffness", "N/m", STIFFNESS, "m (acos(x / x₀) / t)² of a sled released at x₀", |bench| {
        let mut scene = rail::sled(|joint| joint.dofs[0].stiffness = STIFFNESS);
        scene.q[0] = 0.1;
        let angle = libm::acos(bench.run(&scene, TIME)?.place(0).x / 0.1);
        Ok((MASS * (angle / TIME) * (angle / TIME)).into())
    });

pub const REFERENCE: Experiment =
    entry("spring-reference", "m", REST, "x / (1 - cos(√(k/m) t)) of a sled released at 0", |bench| {
        let scene = rail::sled(|joint| {
            joint.dofs[0].stiffness = STIFFNESS;
            joint.dofs[0].spring_reference = REST;
        });
        let swing = 1.0 - libm::cos((STIFFNESS / MASS).sqrt() * TIME);
        Ok((bench.run(&scene, TIME)?.place(0).x / swing).into())
    });

fn dry(friction: f64) -> BenchScene {
    rail::sled(move |joint| joint.dofs[0].friction = friction)
}

const SLIDING: f64 = 3.0;
pub const DRY_SLIDING: Experiment = Experiment {
    tolerated: SMOOTHED,
    ..entry("dry-friction", "N", SLIDING, "m (v₀ - v) / t of a moving sled", |bench| {
        let mut scene = dry(SLIDING);
        scene.v[0] = 1.0;
        Ok((MASS * (1.0 - bench.run(&scene, TIME)?.velocity(0).x) / TIME).into())
    })
};

const HELD: f64 = 4.0;
pub const DRY_HOLDING: Experiment = Experiment {
    tolerated: Some(Tolerated { within: 0.05, why: "friction is smoothed or soft: a held sled creeps" }),
    ..entry(
        "dry-friction-hold",
        "N",
        HELD,
        "F - 2 m x / t² of a sled pushed with F, four fifths of its friction",
        |bench| {
            let mut scene = dry(HELD / 0.8);
            scene.inputs.efforts[0] = HELD;
            let time = 0.5;
            Ok((HELD - 2.0 * MASS * bench.run(&scene, time)?.place(0).x / (time * time)).into())
        },
    )
};

const ROTOR: f64 = 1.0;
pub const ARMATURE: Experiment = entry("armature", "kg", ROTOR, "F t / v - m of a sled under an effort", |bench| {
    let mut scene = rail::sled(|joint| joint.dofs[0].armature = ROTOR);
    scene.inputs.efforts[0] = 3.0;
    Ok((3.0 * TIME / bench.run(&scene, TIME)?.velocity(0).x - MASS).into())
});

const HINGE_ROTOR: f64 = 0.04;
pub const HINGE_ARMATURE: Experiment =
    entry("armature-hinge", "kg m²", HINGE_ROTOR, "τ t / ω - I of a wheel under an effort", |bench| {
        let mut scene = rail::wheel(Vec3::x(), |joint| joint.dofs[0].armature = HINGE_ROTOR);
        scene.inputs.efforts[0] = 0.1;
        Ok((0.1 * TIME / bench.run(&scene, TIME)?.spin(0).x - rail::MOMENT).into())
    });
