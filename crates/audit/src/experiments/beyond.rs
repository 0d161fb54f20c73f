//! Drag, springs between points, gears and rods.
//!
//! ```text
//! (1)  v = v₀ exp(-c t),  ω = ω₀ exp(-c t)                drag, a rate
//! (2)  x = x₀ cos(√(k/m) t)                               a spring between points, along a rail
//! (3)  v = v₀ exp(-d t / m)                               its damper
//! (4)  q₂ = c₀ + c₁ q₁                                    a gear
//! (5)  v = F t / (m₁ + m₂)                                two sleds and a rod
//! ```

use super::{rail, space};
use crate::bench::{Bench, BenchScene, Stopped};
use crate::experiment::{Experiment, ITERATED, Reading, Tolerated};
use veracity_model::geometry::at;
use veracity_model::{
    Body, Coupling, Inertia, Joint, JointId, JointKind, LoopJoint, LoopKind, ModelBuilder, Pose, Spring, Vec3,
};

const TIME: f64 = 0.2;
const DRAG: f64 = 2.0;
const STIFFNESS: f64 = 50.0;
const DAMPING: f64 = 3.0;
const REST: f64 = 0.8;
const GEAR: f64 = -2.0;
const HOLDS: Option<Tolerated> = Some(Tolerated { within: 0.02, why: "constraints are soft or solved by sweeps" });

type Read = fn(&Bench<'_>) -> Result<Reading, Stopped>;

const fn entry(name: &'static str, unit: &'static str, given: f64, formula: &'static str, read: Read) -> Experiment {
    Experiment { name, group: "beyond joints", unit, given, formula, tolerated: ITERATED, read }
}

pub const LINEAR_DRAG: Experiment = entry("drag-linear", "1/s", DRAG, "-ln(v / v₀) / t of a free body", |bench| {
    let mut scene = space::with(|body| (body.inertia.com, body.linear_damping) = (Vec3::zeros(), DRAG));
    scene.v[3] = 1.0;
    Ok((-libm::log(bench.run(&scene, TIME)?.velocity(0).x) / TIME).into())
});

pub const ANGULAR_DRAG: Experiment =
    entry("drag-angular", "1/s", DRAG, "-ln(ω / ω₀) / t of a free ball", |bench| {
        let moments = [0.05, 0.05, 0.05, 0.0, 0.0, 0.0];
        let mut scene = space::with(|body| {
            body.inertia = Inertia::new(1.0, Vec3::zeros(), moments);
            body.angular_damping = DRAG;
        });
        scene.v[0] = 1.0;
        Ok((-libm::log(bench.run(&scene, TIME)?.spin(0).x) / TIME).into())
    });

/// A sled and a spring to a point a metre behind.
fn sprung(stiffness: f64, damping: f64, rest: f64) -> BenchScene {
    let mut builder = ModelBuilder::new("sprung");
    let inertia = Inertia::new(rail::MASS, Vec3::zeros(), [0.05, 0.05, 0.05, 0.0, 0.0, 0.0]);
    let sled =
        builder.add_body(Body::new("sled", inertia), Joint::new("rail", JointKind::prismatic(Vec3::x())), None);
    builder.add_spring(Spring {
        name: "spring".to_string(),
        body_a: None,
        body_b: Some(sled),
        point_a: Vec3::new(-1.0, 0.0, 0.0),
        point_b: Vec3::zeros(),
        stiffness,
        damping,
        rest_length: rest,
        source: None,
    });
    BenchScene::new(builder)
}

pub const POINT_SPRING: Experiment = entry(
    "point-spring-stiffness",
    "N/m",
    STIFFNESS,
    "m (acos(x / x₀) / t)² of a sled released at x₀",
    |bench| {
        let mut scene = sprung(STIFFNESS, 0.0, 1.0);
        scene.q[0] = 0.1;
        let angle = libm::acos(bench.run(&scene, TIME)?.place(0).x / 0.1);
        Ok((rail::MASS * (angle / TIME) * (angle / TIME)).into())
    },
);

pub const POINT_DAMPER: Experiment =
    entry("point-spring-damping", "N s/m", DAMPING, "-(m / t) ln(v / v₀) of a sled", |bench| {
        let mut scene = sprung(0.0, DAMPING, 1.0);
        scene.v[0] = 1.0;
        Ok((-rail::MASS / TIME * libm::log(bench.run(&scene, TIME)?.velocity(0).x)).into())
    });

pub const POINT_REST: Experiment =
    entry("point-spring-rest", "m", REST, "1 + x / (1 - cos(√(k/m) t)) of a sled released at 0", |bench| {
        let swing = 1.0 - libm::cos((STIFFNESS / rail::MASS).sqrt() * TIME);
        Ok((1.0 + bench.run(&sprung(STIFFNESS, 0.0, REST), TIME)?.place(0).x / swing).into())
    });

fn geared(constant: f64) -> BenchScene {
    let mut builder = ModelBuilder::new("geared");
    for (name, x) in [("leader", 0.0), ("follower", 1.0)] {
        let axle = Joint::new(format!("{name}-axle"), JointKind::revolute(Vec3::y())).at(at(x, 0.0, 0.0));
        let inertia = Inertia::new(rail::MASS, Vec3::zeros(), [0.05, 0.05, 0.05, 0.0, 0.0, 0.0]);
        builder.add_body(Body::new(name, inertia), axle, None);
    }
    builder.add_coupling(Coupling {
        name: "gear".to_string(),
        follower: JointId(1),
        leader: Some(JointId(0)),
        coefficients: vec![constant, GEAR],
        shared_motor: false,
        source: None,
    });
    let mut scene = BenchScene::new(builder);
    scene.q[1] = constant;
    scene.inputs.efforts[0] = 0.1;
    scene
}

pub const RATIO: Experiment = Experiment {
    tolerated: HOLDS,
    ..entry("gear-ratio", "", GEAR, "ω₂ / ω₁ of two wheels, one of them under an effort", |bench| {
        let mut run = bench.run(&geared(0.0), TIME)?;
        Ok((run.spin(1).y / run.spin(0).y).into())
    })
};

pub const ROD: Experiment = Experiment {
    tolerated: HOLDS,
    ..entry("rod-length", "m", 1.0, "the distance of two sleds and a rod, one of them pushed", |bench| {
        let mut builder = ModelBuilder::new("rodded");
        let mut ends = Vec::new();
        for (name, x) in [("first", 0.0), ("second", 1.0)] {
            let inertia = Inertia::new(rail::MASS, Vec3::zeros(), [0.05, 0.05, 0.05, 0.0, 0.0, 0.0]);
            let joint = Joint::new(format!("{name}-rail"), JointKind::prismatic(Vec3::x())).at(at(x, 0.0, 0.0));
            ends.push(builder.add_body(Body::new(name, inertia), joint, None));
        }
        builder.add_loop(LoopJoint {
            name: "rod".to_string(),
            kind: LoopKind::Distance { length: 1.0 },
            body_a: Some(ends[0]),
            body_b: Some(ends[1]),
            a_from_frame: Pose::identity(),
            b_from_frame: Pose::identity(),
            source: None,
        });
        let mut scene = BenchScene::new(builder);
        scene.inputs.efforts[0] = 3.0;
        let mut run = bench.run(&scene, TIME)?;
        Ok((run.place(1).x - run.place(0).x).into())
    })
};
