//! The limit on the energy a bounce may return was computed over the whole world: a rod that struck the floor gained
//! energy when a ball hit a plate 100 m away in the same step, because the ball's loss paid for it. The limit is now
//! per island, and so is everything else that decides a step: a body moves the same, to the bit, whatever moves out of
//! its reach.

use crate::support::{Run, Scene, Stream};
use veracity_contact::SteppingSettings;
use veracity_contact::stepping::Impact;
use veracity_dynamics::integrate::State;
use veracity_model::geometry::at;
use veracity_model::{Inertia, Material, Pose, Shape, Vec3, World};

const H: f64 = 1e-3;

/// A body of the scene: shape, position, orientation and velocities.
#[derive(Clone)]
struct Thing {
    inertia: Inertia,
    shape: Shape,
    q: [f64; 7],
    v: [f64; 6],
}

/// Bodies over one floor, each at the same place whether or not the others are present.
fn run(things: &[Thing], impact: Impact) -> Run {
    let mut scene = Scene::new(Material { friction: [1.0; 2], restitution: 1.0, ..Material::default() });
    scene.ground(Pose::identity());
    for thing in things {
        scene.loose(thing.inertia, thing.shape.clone(), at(0.0, 0.0, 0.0));
    }
    let world: World = scene.world();
    let mut run = Run::new(&world, SteppingSettings { impact, ..Default::default() });
    run.state = State {
        time: 0.0,
        q: things.iter().flat_map(|t| t.q).collect(),
        v: things.iter().flat_map(|t| t.v).collect(),
    };
    run
}

/// A thin rod about to strike the floor with one end, sliding: restitution at a point with friction may gain energy
/// (Kane).
fn rod(s: &mut Stream, x: f64) -> Thing {
    let size = Vec3::new(1.0, 0.02, 0.02);
    let tilt = s.uniform(0.2, 1.3);
    let (sin, cos) = (libm::sin(0.5 * tilt), libm::cos(0.5 * tilt));
    let low = 0.5 * (libm::sin(tilt) + 0.02 * libm::cos(tilt));
    Thing {
        inertia: Inertia::solid_box(1.0, size),
        shape: Shape::Box { size },
        q: [x, 0.0, low + s.uniform(1e-4, 5e-3), cos, 0.0, sin, 0.0],
        v: [0.0, s.uniform(-3.0, 3.0), 0.0, s.uniform(-4.0, 4.0), 0.0, s.uniform(-3.0, -1.0)],
    }
}

/// Time at which the lower end of a rod reaches the floor, neglecting gravity [s].
fn fall_time(rod: &Thing) -> f64 {
    let tilt = 2.0 * libm::atan2(rod.q[5], rod.q[3]);
    let low = 0.5 * (libm::sin(tilt) + 0.02 * libm::cos(tilt));
    let speed = -rod.v[5] + 0.5 * rod.v[1] * libm::cos(tilt);
    (rod.q[2] - low) / speed.max(0.5)
}

/// A heavy ball that loses much energy to friction when it strikes the floor.
fn ball(x: f64, height: f64) -> Thing {
    Thing {
        inertia: Inertia::solid_sphere(100.0, 0.1),
        shape: Shape::Sphere { radius: 0.1 },
        q: [x, 0.0, 0.1 + height, 1.0, 0.0, 0.0, 0.0],
        v: [0.0, 0.0, 0.0, 5.0, 0.0, -5.0],
    }
}

/// Largest energy gain of a single body from one step to the next, relative to its kinetic energy at the start.
fn worst_gain(things: &[Thing], impact: Impact, steps: usize) -> f64 {
    let mut run = run(things, impact);
    let energy = |run: &mut Run, body: usize| {
        let motion = run.motions()[body + 1];
        let thing = &things[body];
        let turn = motion.world_from_body.rotation.inverse() * motion.angular_velocity;
        0.5 * thing.inertia.mass * motion.linear_velocity.norm_squared()
            + 0.5 * turn.dot(&(thing.inertia.tensor * turn))
            + 9.81 * thing.inertia.mass * motion.world_from_body.translation.z
    };
    let start: Vec<f64> = (0..things.len()).map(|b| energy(&mut run, b)).collect();
    let mut last = start.clone();
    let mut worst = f64::NEG_INFINITY;
    for _ in 0..steps {
        run.step(H);
        for body in 0..things.len() {
            let now = energy(&mut run, body);
            worst = worst.max((now - last[body]) / start[body]);
            last[body] = now;
        }
    }
    worst
}

#[test]
fn a_rod_gains_nothing_from_a_ball_100_m_away() {
    for impact in [Impact::Newton, Impact::Poisson] {
        let mut worst = f64::NEG_INFINITY;
        for seed in 0..40 {
            let mut s = Stream(seed);
            let rod = rod(&mut s, 0.0);
            // It closes its gap in the same step as the rod.
            let things = [rod.clone(), ball(100.0, 5.0 * fall_time(&rod))];
            worst = worst.max(worst_gain(&things, impact, 20));
        }
        // Rounding of energies of some tens of joules, and the tolerance of a solve at 5 m/s.
        assert!(worst < 1e-4, "{impact:?}: gained {worst}");
    }
}

/// 40 rods that do not touch each other; single ones gained up to 26 %.
#[test]
fn no_rod_of_forty_gains_energy() {
    let mut s = Stream(40);
    let things: Vec<Thing> = (0..40).map(|k| rod(&mut s, 5.0 * k as f64)).collect();
    let worst = worst_gain(&things, Impact::Newton, 400);
    // As above.
    assert!(worst < 1e-4, "gained {worst}");
}

/// Two systems that cannot touch, together and separately: every number of every body is the same.
#[test]
fn motion_depends_on_nothing_out_of_reach() {
    let boxed = |x: f64, z: f64, v: [f64; 6]| {
        let size = Vec3::new(0.2, 0.3, 0.1);
        Thing {
            inertia: Inertia::solid_box(2.0, size),
            shape: Shape::Box { size },
            q: [x, 0.0, z, 1.0, 0.0, 0.0, 0.0],
            v,
        }
    };
    let mut s = Stream(3);
    // A stack that is struck by a third box and falls, and rods and a ball far away that bounce at the same time.
    let stack =
        [boxed(0.0, 0.05, [0.0; 6]), boxed(0.01, 0.15, [0.0; 6]), boxed(-0.5, 0.16, [0.3, 2.0, 1.0, 3.0, 0.1, 0.0])];
    let far: Vec<Thing> = (0..5)
        .map(|k| rod(&mut s, 50.0 + 5.0 * f64::from(k)))
        .chain([ball(100.0, 0.01), boxed(120.0, 0.05, [0.0; 6])])
        .collect();
    let both: Vec<Thing> = stack.iter().chain(&far).cloned().collect();
    let (mut near, mut away, mut together) =
        (run(&stack, Impact::Newton), run(&far, Impact::Newton), run(&both, Impact::Newton));
    for step in 0..600 {
        [&mut near, &mut away, &mut together].into_iter().for_each(|run| run.step(H));
        let (q, v) = (7 * stack.len(), 6 * stack.len());
        assert_eq!(near.state.q, together.state.q[..q], "step {step}");
        assert_eq!(near.state.v, together.state.v[..v], "step {step}");
        assert_eq!(away.state.q, together.state.q[q..], "step {step}");
        assert_eq!(away.state.v, together.state.v[v..], "step {step}");
    }
}
