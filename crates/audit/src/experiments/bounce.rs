//! Restitution and what soft surfaces say of themselves.
//!
//! ```text
//! (1)  e = - v after / v before             a ball against the ground, nothing else acts
//! (2)  k = m g / (r - z)                    where a ball rests in ground of stiffness k
//! ```

use super::ground::{self, G, Ground};
use crate::bench::{Bench, Scene};
use crate::experiment::{Experiment, Tolerated};
use veracity_model::{Body, Inertia, Material, Pose, Shape, Vec3};

/// A bounce on a stiff spring lasts a fraction of a millisecond: where the step does not give the number back it is made this
/// many times shorter, because whether the number arrived is asked here, and not what a step of a millisecond makes of it.
/// (Not always: Bullet takes the gap that is left off the bounce, gap over step, and at so short a step nothing of it is left.)
const FINER: f64 = 200.0;
/// What no engine that has lost the number comes to.
const CLOSE: f64 = 0.05;
const RADIUS: f64 = 0.1;
const E: f64 = 0.6;
const STIFFNESS: f64 = 1e4;

fn ball(surface: Material, height: f64) -> Scene {
    let mut ground = Ground::new(surface);
    ground.add("ball", Shape::Sphere { radius: RADIUS }, Inertia::solid_sphere(1.0, RADIUS), 0);
    let mut scene = ground.scene();
    scene.q[2] = height;
    scene
}

pub const RESTITUTION: Experiment = Experiment {
    name: "restitution",
    group: "contact",
    unit: "",
    given: E,
    formula: "-v' / v of a ball against the ground, without gravity",
    tolerated: Some(Tolerated {
        within: 0.05,
        why: "the bounce is a spring and damper, or goes through a contact that is a little soft",
    }),
    read: |bench| {
        bench.need(|can| can.contact, "contact")?;
        let mut scene = ball(Material { restitution: E, ..Material::default() }, RADIUS + 0.005);
        scene.v[5] = -1.0;
        let coarse = bench.run(&scene, 0.01)?.velocity(1).z;
        if (coarse - E).abs() < CLOSE * E {
            return Ok(coarse.into());
        }
        let finer = Bench { step_s: bench.step_s / FINER, ..*bench };
        Ok(finer.run(&scene, 0.01)?.velocity(1).z.into())
    },
};

pub const SOFTNESS: Experiment = Experiment {
    name: "contact-stiffness",
    group: "contact",
    unit: "N/m",
    given: STIFFNESS,
    formula: "m g / (r - z) of a ball that rests on the ground",
    tolerated: Some(Tolerated { within: 0.02, why: "the ball still swings a little" }),
    read: |bench| {
        bench.need(|can| can.contact, "contact")?;
        // The ground is rigid: of two soft surfaces each would give way by its part.
        let soft = Material { name: "soft".to_string(), stiffness: Some(STIFFNESS), ..Material::default() };
        let mut ground = Ground::new(Material::default());
        let soft = ground.add_material(Material { dissipation: 2.0, ..soft });
        let ball = Body::new("ball", Inertia::solid_sphere(1.0, RADIUS));
        let mut ball = ball.with_shape(Shape::Sphere { radius: RADIUS }, Pose::identity());
        ball.shapes[0].material = Some(soft);
        ground.add_body(ball);
        let mut scene = ground.scene().falling(Vec3::new(0.0, 0.0, -G));
        scene.q[2] = RADIUS;
        let sunk = RADIUS - bench.run(&scene, 2.0 * ground::REST)?.place(1).z;
        Ok((G / sunk).into())
    },
};
