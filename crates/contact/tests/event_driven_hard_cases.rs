//! Event-driven contact in difficult cases: Painlevé's rod, impacts at many points, joint limits, switched pairs, saved
//! and restored runs, piles of all kinds of solids.

mod scenes;

use scenes::*;
use veracity_contact::event_driven::{EventDriven, EventDrivenSettings, EventKind, Restitution, Site};
use veracity_contact::{ContactWorld, Paradigm};
use veracity_dynamics::integrate::State;
use veracity_dynamics::{NoEfforts, Workspace, energy::energy};
use veracity_model::{
    Body, ContactPair, Inertia, Joint, JointId, JointKind, ModelBuilder, Pose, Shape, StateCondition, TriangleMesh,
    Vec3, World,
};

const G: f64 = 9.81;

/// A thin rod that slides over rough ground on its lower end, leaning forward over it. With `μ` above 4/3 there are
/// angles at which no friction force at the sliding end is consistent with rigid bodies (Painlevé 1895).
fn rod(speed: f64) -> (EventDriven, State) {
    // A uniform rod, as a needle-shaped hull that stands on one corner.
    let length = 1.0;
    let ends = TriangleMesh::new(
        vec![
            Vec3::new(0.0, 0.0, -0.5 * length),
            Vec3::new(1e-3, 0.0, 0.5 * length),
            Vec3::new(-1e-3, 1e-3, 0.5 * length),
            Vec3::new(-1e-3, -1e-3, 0.5 * length),
        ],
        vec![[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]],
    );
    let thin =
        Inertia::new(1.0, Vec3::zeros(), [length * length / 12.0, length * length / 12.0, 1e-4, 0.0, 0.0, 0.0]);
    let rod = Body::new("rod", thin).with_shape(Shape::Convex(ends.into()), Pose::identity());
    let engine = EventDriven::new(on_floor(vec![rod], surface(2.0, 0.0)), EventDrivenSettings::default()).unwrap();
    // Leaning by 45 degrees, the lower end ahead: the top trails, and friction on the end turns it into the ground.
    let lean = std::f64::consts::FRAC_PI_4;
    let mut state = start(&engine, &[(Vec3::zeros(), Vec3::new(speed, 0.0, 0.0), Vec3::zeros())]);
    let (s, c) = libm::sincos(-0.5 * lean);
    state.q[3..7].copy_from_slice(&[c, 0.0, s, 0.0]);
    // The lower end exactly on the ground.
    state.q[2] = 0.5 * length * lean.cos();
    (engine, state)
}

#[test]
fn a_rod_of_painleve_is_stopped_by_an_impulse() {
    let (mut engine, mut state) = rod(3.0);
    let system = engine.world().system.clone();
    let mut ws = Workspace::new(&system);
    let before = energy(&system, &mut ws, &state.q, &state.v).total();
    engine.step(&mut NoEfforts, &mut state, 1e-3).unwrap();
    let after = energy(&system, &mut ws, &state.q, &state.v).total();
    assert_eq!(engine.counts().jams, 1, "no acceleration solves this");
    assert!(after < before, "{after} {before}");
    // The end was stopped at once: an impulse, and no long slide. The middle of a rod that turns about its resting end
    // has 3/8 of the previous sliding speed, in both directions; a millisecond of flight and the short contact time
    // change 1 %.
    assert!((state.v[3] - 3.0 * 3.0 / 8.0).abs() < 0.01, "{:?}", state.v);
}

/// The same rod sliding the other way trails its end, and friction cannot jam.
#[test]
fn a_trailing_rod_does_not_jam() {
    let (mut engine, mut state) = rod(-3.0);
    engine.step(&mut NoEfforts, &mut state, 1e-3).unwrap();
    assert_eq!(engine.counts().jams, 0);
}

/// A swinging rod with a limit: it reaches the end of its range at the time of the pendulum and stays there.
fn limited(lower: f64) -> World {
    let mut builder = ModelBuilder::new("limited");
    let mut joint = Joint::new("slide", JointKind::Prismatic { axis: Vec3::z() });
    joint.dofs[0].lower = lower;
    builder.add_body(Body::new("weight", Inertia::point_mass(1.0, Vec3::zeros())), joint, None);
    World::with_model(builder.build().unwrap())
}

#[test]
fn a_slider_hits_the_end_of_its_range_when_it_falls_there_and_stays() {
    let world = ContactWorld::new(&limited(-1.0)).unwrap();
    let mut engine = EventDriven::new(world, EventDrivenSettings::default()).unwrap();
    let mut state = State { time: 0.0, q: vec![0.0], v: vec![0.0] };
    let mut hits = Vec::new();
    engine.advance_to(&mut NoEfforts, &mut state, 2.0, &mut |e, _| hits.push((e.kind, e.site, e.time))).unwrap();
    let fall = (2.0 / G).sqrt();
    assert_eq!(hits.len(), 1, "{hits:?}");
    assert!(matches!(hits[0], (EventKind::Impact, Site::Limit { dof: 0, upper: false }, _)), "{hits:?}");
    // The accuracy of the integrator.
    assert!((hits[0].2 - fall).abs() < 1e-12 && (state.q[0] + 1.0).abs() < 1e-12 && state.v[0].abs() < 1e-12);
}

/// Three equal balls in a row, the first of which hits the other two, which touch: by Poisson's law and by Newton's,
/// momentum is conserved and no energy is gained.
#[test]
fn an_impact_through_several_bodies_keeps_momentum_and_gains_no_energy() {
    for law in [Restitution::Newton, Restitution::Poisson] {
        for (e, mu) in [(0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (0.8, 0.5)] {
            let radius = 0.1;
            let ball =
                |i: usize| body(&format!("b{i}"), Inertia::solid_sphere(1.0, radius), Shape::Sphere { radius });
            let settings = EventDrivenSettings { restitution: law, ..Default::default() };
            let mut engine =
                EventDriven::new(on_floor((0..3).map(ball).collect(), surface(mu, e)), settings).unwrap();
            let place = |x: f64| (Vec3::new(x, 0.0, 5.0), Vec3::zeros(), Vec3::zeros());
            let mut bodies = [place(-0.3), place(0.0), place(0.2)];
            bodies[0].1 = Vec3::new(1.0, 0.0, 0.0);
            bodies[0].0.y = 0.05;
            let mut state = start(&engine, &bodies);
            engine.advance_to(&mut NoEfforts, &mut state, 0.3, &mut |_, _| {}).unwrap();
            assert!(engine.counts().impacts > 0);
            let momentum: f64 = (0..3).map(|i| state.v[6 * i + 3]).sum();
            let kinetic: f64 = (0..3)
                .map(|i| {
                    let v = &state.v[6 * i..6 * i + 6];
                    let spin = 0.4 * radius * radius * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
                    let fall = v[5] + G * 0.3;
                    0.5 * (v[3] * v[3] + v[4] * v[4] + fall * fall + spin)
                })
                .sum();
            // Rounding errors of sums of order one; falling adds the same velocity to all.
            assert!((momentum - 1.0).abs() < 1e-12, "{law:?} {e} {mu}: {momentum}");
            assert!(kinetic < 0.5 + 1e-12, "{law:?} {e} {mu}: {kinetic}");
            if e == 1.0 && mu == 0.0 && law == Restitution::Newton {
                assert!((kinetic - 0.5).abs() < 1e-12, "{kinetic}");
            }
        }
    }
}

/// Loose solids of several kinds, thrown together over the floor.
fn pile(seed: u64) -> (EventDriven, State) {
    let mut random = Lcg::new(seed);
    let count = 2 + (seed % 5) as usize;
    let mut solids = Vec::new();
    for i in 0..count {
        let size = 0.05 + 0.03 * (random.number() + 1.0);
        let shape = match (random.number() * 2.0 + 2.0) as usize {
            0 => Shape::Sphere { radius: size },
            1 => Shape::Capsule { radius: 0.6 * size, length: size },
            2 => Shape::Convex(TriangleMesh::cuboid(Vec3::new(size, 1.5 * size, 2.0 * size)).into()),
            _ => Shape::Box { size: Vec3::new(2.0 * size, 1.5 * size, size) },
        };
        let inertia = shape.solid_inertia(1000.0).unwrap();
        solids.push(body(&format!("solid{i}"), inertia, shape));
    }
    let material = surface(0.25 * (random.number() + 1.0), 0.4 * (random.number() + 1.0));
    let engine = EventDriven::new(on_floor(solids, material), EventDrivenSettings::default()).unwrap();
    let mut bodies = Vec::new();
    for i in 0..count {
        let at = Vec3::new(0.1 * random.number(), 0.1 * random.number(), 0.3 + 0.35 * i as f64);
        let velocity = Vec3::new(random.number(), random.number(), random.number() - 1.0);
        bodies.push((at, velocity, Vec3::new(random.number(), random.number(), random.number()) * 5.0));
    }
    let state = start(&engine, &bodies);
    (engine, state)
}

#[test]
fn a_restored_run_goes_on_bit_for_bit() {
    let (mut engine, mut state) = pile(3);
    for _ in 0..40 {
        engine.step(&mut NoEfforts, &mut state, 0.05).unwrap();
    }
    let mut memory = Vec::new();
    engine.memory(&mut memory);
    let (mut other, _) = pile(3);
    assert!(other.set_memory(&memory) && !other.set_memory(&memory[..3]));
    let mut copy = state.clone();
    for _ in 0..40 {
        engine.step(&mut NoEfforts, &mut state, 0.05).unwrap();
        other.step(&mut NoEfforts, &mut copy, 0.05).unwrap();
        assert_eq!(state, copy);
    }
}

/// A block at rest is supported: the impulses of its contacts over a time are its weight times that time, whatever the
/// steps.
#[test]
fn touches_carry_the_weight() {
    let size = Vec3::new(0.2, 0.2, 0.1);
    let block = body("block", Inertia::solid_box(2.0, size), Shape::Box { size });
    let mut engine =
        EventDriven::new(on_floor(vec![block], surface(0.5, 0.0)), EventDrivenSettings::default()).unwrap();
    let mut state = start(&engine, &[(Vec3::new(0.0, 0.0, 0.05), Vec3::zeros(), Vec3::zeros())]);
    let mut carried = Vec3::zeros();
    while state.time < 1.0 {
        let left = 1.0 - state.time;
        engine.step(&mut NoEfforts, &mut state, left).unwrap();
        for touch in engine.touches() {
            // The impulse acts on the first body, which may be the floor.
            let sign = if touch.bodies[0] == 1 { 1.0 } else { -1.0 };
            carried += Vec3::from(touch.impulse) * sign;
        }
    }
    // Rounding errors of forty steps.
    assert!((carried - Vec3::new(0.0, 0.0, 2.0 * G * state.time)).norm() < 1e-11, "{carried}");
}

/// A ball whose contact with the ground is live only while a slider is up falls through when the slider is down.
#[test]
fn a_pair_touches_only_while_its_condition_holds() {
    let world = |above: f64| {
        let mut builder = ModelBuilder::new("switched");
        let floor = Body::new("floor", Inertia::zero()).with_shape(Shape::Plane, Pose::identity());
        builder.add_body(floor, Joint::new("ground", JointKind::Fixed), None);
        let ball = body("ball", Inertia::solid_sphere(1.0, 0.1), Shape::Sphere { radius: 0.1 });
        let slide = Joint::new("slide", JointKind::Prismatic { axis: Vec3::z() });
        let a = builder.add_body(ball, slide, None);
        let flag = Body::new("flag", Inertia::point_mass(1.0, Vec3::zeros()));
        let flag = builder.add_body(flag, Joint::new("flag", JointKind::Prismatic { axis: Vec3::z() }), None);
        let condition = StateCondition::JointPosition { joint: JointId(flag.0), above, below: f64::INFINITY };
        let pair = ContactPair { name: "p".into(), a, b: None, material: None, conditions: vec![condition] };
        builder.add_contact_pair(pair);
        World::with_model(builder.build().unwrap())
    };
    // The flag falls freely from zero: it is above -1 for sqrt(2 / g), then the ball that rested on the ground falls
    // too.
    let mut engine = EventDriven::new(compiled(&world(-1.0)), EventDrivenSettings::default()).unwrap();
    let mut state = State { time: 0.0, q: vec![0.1, 0.0], v: vec![0.0, 0.0] };
    let mut lifted = Vec::new();
    engine.advance_to(&mut NoEfforts, &mut state, 1.0, &mut |e, _| lifted.push((e.kind, e.time))).unwrap();
    let switch = (2.0 / G).sqrt();
    assert!(matches!(lifted[..], [(EventKind::Liftoff, t)] if (t - switch).abs() < 1e-12), "{lifted:?}");
    let fallen = 0.5 * G * (1.0 - switch) * (1.0 - switch);
    // The accuracy of the integrator.
    assert!((state.q[0] - 0.1 + fallen).abs() < 1e-11, "{state:?}");
}

/// NaN in the efforts is an error with a time, and the state is unchanged.
#[test]
fn what_is_no_number_does_not_leave_a_step() {
    let (mut engine, mut state) = rod(-3.0);
    let before = state.clone();
    let mut broken = |_: f64, _: &[f64], _: &[f64], tau: &mut [f64]| tau[3] = f64::NAN;
    let outcome = engine.step(&mut broken, &mut state, 1e-3);
    assert!(outcome.is_err() && state == before, "{outcome:?}");
}

/// A rod strikes the floor with one end at the same instant as a heavy ball 100 m away. The limit on the restitution
/// energy was shared by both, so that the ball's friction loss paid for the rod's gain.
#[test]
fn an_impact_elsewhere_at_the_same_instant_pays_for_nothing() {
    let size = Vec3::new(1.0, 0.02, 0.02);
    let rod = || body("rod", Inertia::solid_box(1.0, size), Shape::Box { size });
    let ball = || body("ball", Inertia::solid_sphere(100.0, 0.1), Shape::Sphere { radius: 0.1 });
    let mut random = Lcg::new(5);
    let (mut worst, mut tempered) = (f64::NEG_INFINITY, 0);
    for _ in 0..40 {
        let tilt = 0.75 + 0.55 * random.number();
        let (sin, cos) = libm::sincos(0.5 * tilt);
        let low = 0.5 * (libm::sin(tilt) + 0.02 * libm::cos(tilt));
        let velocity = Vec3::new(4.0 * random.number(), 0.0, -2.0 + random.number());
        let spin = Vec3::new(0.0, 3.0 * random.number(), 0.0);
        let run = |bodies: Vec<Body>| {
            let count = bodies.len();
            let world = on_floor(bodies, surface(1.0, 1.0));
            let mut engine = EventDriven::new(world, EventDrivenSettings::default()).unwrap();
            let places = [
                (Vec3::new(0.0, 0.0, low), velocity, spin),
                (Vec3::new(100.0, 0.0, 0.1), Vec3::new(5.0, 0.0, -5.0), Vec3::zeros()),
            ];
            let mut state = start(&engine, &places[..count]);
            state.q[3..7].copy_from_slice(&[cos, 0.0, sin, 0.0]);
            engine.begin_anew(&mut NoEfforts, &mut state).unwrap();
            (state.v[..6].to_vec(), engine.counts().tempered)
        };
        let energy = |v: &[f64]| {
            let inertia = Inertia::solid_box(1.0, size).tensor;
            let turn = Vec3::new(v[0], v[1], v[2]);
            0.5 * (v[3] * v[3] + v[4] * v[4] + v[5] * v[5]) + 0.5 * turn.dot(&(inertia * turn))
        };
        let before = energy(&[0.0, spin.y, 0.0, velocity.x, 0.0, velocity.z]);
        let ((alone, cut), (together, _)) = (run(vec![rod()]), run(vec![rod(), ball()]));
        tempered += cut;
        worst = worst.max(energy(&together) / before - 1.0);
        // With the ball's rows the problem is solved in another order: rounding errors of a solve to 1e-13 of 5 m/s.
        let apart = alone.iter().zip(&together).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-10, "apart by {apart}: {alone:?} {together:?}");
    }
    assert!(worst < 1e-9, "gained {worst}");
    // Some of these impacts would have gained energy: the test can fail.
    assert!(tempered > 0);
}
