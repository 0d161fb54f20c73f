//! Restitution, and the stiffness of soft surfaces.
//!
//! ```text
//! (1)  e = - v after / v before             a ball against the ground, nothing else acts
//! (2)  k = m g / (r - z)                    where a ball rests in ground of stiffness k
//! ```

use super::ground::{self, G, Ground};
use crate::bench::{Bench, Stopped};
use crate::experiment::{Experiment, Reading, Tolerated};
use veracity_model::{Body, Combination, Inertia, Material, Pose, Shape, Vec3};

/// A bounce on a stiff spring lasts a fraction of a millisecond: where the step does not give the number back it is
/// made this many times shorter, because the question here is whether the number arrived, not how a step of a
/// millisecond resolves it. (Not always: Bullet subtracts the remaining gap over the step from the bounce, and at so
/// short a step no bounce is left.)
const FINER: f64 = 200.0;
/// No engine that lost the number comes this close.
pub(super) const CLOSE: f64 = 0.05;
pub(super) const SOFT_BOUNCE: &str =
    "the bounce is a spring and damper, or goes through a contact that is a little soft";
const RADIUS: f64 = 0.1;
const E: f64 = 0.6;
const STIFFNESS: f64 = 1e4;

pub const RESTITUTION: Experiment = Experiment {
    name: "restitution",
    group: "contact",
    unit: "",
    given: E,
    formula: "-v' / v of a ball against the ground, without gravity",
    tolerated: Some(Tolerated { within: CLOSE, why: SOFT_BOUNCE }),
    read: |bench| rebound(bench, [E, E], Combination::default(), E),
};

/// Rebound speed of a ball that hits the ground at 1 m/s; `expected` only decides whether a shorter step is needed.
pub(super) fn rebound(
    bench: &Bench<'_>,
    [of_ball, of_ground]: [f64; 2],
    rules: Combination,
    expected: f64,
) -> Result<Reading, Stopped> {
    bench.need(|can| can.contact, "contact")?;
    let surface = |restitution| Material { restitution, ..Material::default() };
    let mut ground = Ground::new(surface(of_ground));
    let own = ground.add_material(Material { name: "own".to_string(), ..surface(of_ball) });
    let mut ball = Body::new("ball0", Inertia::solid_sphere(1.0, RADIUS))
        .with_shape(Shape::Sphere { radius: RADIUS }, Pose::identity());
    ball.shapes[0].material = Some(own);
    ground.add_body(ball);
    let mut scene = ground.scene();
    scene.world.combination = rules;
    scene.q[2] = RADIUS + 0.005;
    scene.v[5] = -1.0;
    let coarse = bench.run(&scene, 0.01)?.velocity(1).z;
    if (coarse - expected).abs() < CLOSE * expected {
        return Ok(coarse.into());
    }
    let finer = Bench { step_s: bench.step_s / FINER, ..*bench };
    Ok(finer.run(&scene, 0.01)?.velocity(1).z.into())
}

pub const SOFTNESS: Experiment = Experiment {
    name: "contact-stiffness",
    group: "contact",
    unit: "N/m",
    given: STIFFNESS,
    formula: "m g / (r - z) of a ball that rests on the ground",
    tolerated: Some(Tolerated { within: 0.02, why: "the ball still oscillates slightly" }),
    read: |bench| {
        bench.need(|can| can.contact, "contact")?;
        // The ground is rigid: of two soft surfaces each would yield by its share.
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
