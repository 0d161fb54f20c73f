//! The event log on motions whose events are known in closed form, in every contact paradigm: the order agrees with
//! theory, and times converge as the step shrinks.

mod support;

use support::{G, load};
use veracity_engine::events::in_order;
use veracity_engine::{Inputs, Samples};
use veracity_model::{
    Body, BodyShape, ContactPair, Inertia, Joint, JointKind, Material, ModelBuilder, Pose, Shape, Vec3, World,
};
use veracity_record::{Event, EventKind, EventRules};

/// A body of 1 kg above a fixed shape, both with the same surface; the pair has a name.
fn pair(below: Shape, above: Shape, [friction, restitution]: [f64; 2]) -> World {
    let mut builder = ModelBuilder::new("w");
    let surface = Material { name: "m".into(), friction: [friction; 2], restitution, ..Material::default() };
    let m = builder.add_material(surface);
    let shaped = |name: &str, inertia: Inertia, shape: Shape| {
        let mut shape = BodyShape::new("s", shape, Pose::identity());
        shape.material = Some(m);
        Body { shapes: vec![shape], ..Body::new(name, inertia) }
    };
    let ground = shaped("ground", Inertia::zero(), below);
    let b = Some(builder.add_body(ground, Joint::new("fixed", JointKind::Fixed), None));
    let body = shaped("body", Inertia::solid_box(1.0, Vec3::repeat(0.1)), above);
    let a = builder.add_body(body, Joint::new("free", JointKind::Free), None);
    builder.add_contact_pair(ContactPair { name: "pair".into(), a, b, material: None, conditions: Vec::new() });
    World::with_model(builder.build().unwrap())
}

/// The events of a run from a position with a velocity.
fn events(world: &World, spec: &str, h: f64, place: Vec3, velocity: Vec3, until: f64) -> Vec<Event> {
    let mut simulation = load(world, spec, h);
    let ([x, y, z], [vx, vy, vz]) = (place.into(), velocity.into());
    simulation.set_state(0.0, &[x, y, z, 1.0, 0.0, 0.0, 0.0], &[0.0, 0.0, 0.0, vx, vy, vz]).unwrap();
    assert!(simulation.log_events(Some(EventRules::default())));
    let inputs = Inputs::none(6);
    let mut none = Samples::none(simulation.layout());
    simulation.advance((until / h).round() * h, &inputs, &mut none).unwrap();
    let mut told = Vec::new();
    simulation.take_events(true, &mut told);
    in_order(told)
}

fn kinds(events: &[Event]) -> Vec<&'static str> {
    events.iter().map(|e| e.kind.name()).collect()
}

/// Impacts of a ball dropped from half a metre with restitution 1/2 [s].
fn series(count: usize) -> Vec<f64> {
    let (mut t, mut v) = ((2.0 * 0.5 / G).sqrt(), (2.0 * G * 0.5).sqrt());
    let mut out = Vec::new();
    for _ in 0..count {
        out.push(t);
        v *= 0.5;
        t += 2.0 * v / G;
    }
    out
}

/// A spec, its steps, the allowed error of the first four impacts [s].
const BOUNCING: &[(&str, [f64; 2], [f64; 2])] = &[
    // Order 1: the half step that a flight loses is lost in the next flights too.
    ("native:paradigm=stepping", [1e-3, 2.5e-4], [6e-3, 1.5e-3]),
    // Located: the integrator's tolerance, and time in f64.
    ("native:paradigm=event", [1e-3, 1e-2], [1e-9, 1e-9]),
];

#[test]
fn a_bouncing_ball_meets_the_ground_when_the_series_says() {
    let world = pair(Shape::Plane, Shape::Sphere { radius: 0.05 }, [0.5, 0.5]);
    for (spec, steps, allowed) in BOUNCING {
        for (h, allowed) in steps.iter().zip(allowed) {
            let events = events(&world, spec, *h, Vec3::new(0.0, 0.0, 0.55), Vec3::zeros(), 1.5);
            let impacts = events.iter().filter(|e| e.kind == EventKind::Impact);
            let off: Vec<f64> = impacts.zip(series(4)).map(|(e, t)| e.time - t).collect();
            println!("{spec} {h}: {:?} {off:?}", kinds(&events));
            assert_eq!(kinds(&events[..8]), ["impact", "liftoff"].repeat(4), "{spec} {h}");
            assert_eq!(kinds(&events).last(), Some(&"rest"), "{spec} {h}");
            assert!(off.iter().all(|x| x.abs() < *allowed), "{spec} {h}: {off:?}");
        }
    }
}

/// Penalty contact gives the same sequence of events where the step resolves them; the bounce height is not compared.
#[test]
fn a_compliant_ball_tells_the_same_story() {
    let world = pair(Shape::Plane, Shape::Sphere { radius: 0.05 }, [0.5, 0.5]);
    let events = events(&world, "native:paradigm=penalty", 2e-5, Vec3::new(0.0, 0.0, 0.55), Vec3::zeros(), 1.5);
    assert_eq!(kinds(&events[..6]), ["impact", "liftoff"].repeat(3));
    assert_eq!(kinds(&events).last(), Some(&"rest"));
    // Up to the first impact only free fall, half a step early as expected for order 1.
    assert!((events[0].time - series(1)[0]).abs() < 2e-5, "{}", events[0].time);
}

#[test]
fn a_sliding_block_sticks_when_friction_has_eaten_its_speed() {
    let world = pair(Shape::Plane, Shape::Box { size: Vec3::repeat(0.1) }, [0.4, 0.0]);
    for spec in ["native:paradigm=stepping", "native:paradigm=event", "native:paradigm=penalty"] {
        let events = events(&world, spec, 1e-3, Vec3::new(0.0, 0.0, 0.05), Vec3::new(1.0, 0.0, 0.0), 1.0);
        println!("{spec}: {:?}", kinds(&events));
        let stick = events.iter().find(|e| e.kind == EventKind::Stick).expect("it stops");
        let off = stick.time - 1.0 / (0.4 * G);
        println!("{spec}: {off:e}");
        // The deceleration is constant, and the line through two speeds ends at the expected time: to the residual of
        // the solves, 1e-5 of the speed, over a deceleration of 4 m/s².
        assert!(off.abs() < 2e-6, "{spec}: {off:e}");
    }
}

#[test]
fn a_graze_is_a_near_miss_above_and_an_impact_below() {
    let ball = || Shape::Sphere { radius: 0.05 };
    let mut world = pair(ball(), ball(), [0.0, 0.0]);
    world.gravity = Vec3::zeros();
    for spec in ["native:paradigm=stepping", "native:paradigm=event", "native:paradigm=penalty"] {
        for d in [-1e-3, -1e-4, -1e-5, 1e-5, 1e-4, 1e-3] {
            let start = Vec3::new(-0.2003, 0.0, 0.1 + d);
            // Where impacts are not located, a step must be short compared with the duration of a graze.
            let h = if spec.ends_with("event") { 1e-3 } else { 1e-4 };
            let events = events(&world, spec, h, start, Vec3::new(1.0, 0.0, 0.0), 0.4);
            println!("{spec} {d}: {:?}", events.iter().map(|e| (e.kind.name(), e.time, e.gap)).collect::<Vec<_>>());
            if d < 0.0 {
                assert!(matches!(events[0].kind, EventKind::Impact | EventKind::Touch), "{spec} {d}: {events:?}");
            } else {
                assert_eq!(kinds(&events), ["near_miss"], "{spec} {d}");
                assert!((events[0].time - 0.2003).abs() < 1e-7, "{spec} {d}: {events:?}");
                assert!((events[0].gap - d).abs() < 1e-9, "{spec} {d}: {events:?}");
            }
        }
    }
}
