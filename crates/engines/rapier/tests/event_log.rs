//! The event log on motions whose events are known in closed form: the order is the one of theory, times come closer as
//! the step shrinks.

mod scenes;
use scenes::*;
use veracity_engine::Simulation;
use veracity_engine::events::in_order;
use veracity_model::geometry::at;
use veracity_model::{
    Body, BodyShape, ContactPair, Inertia, Joint, JointKind, Material, ModelBuilder, Pose, Shape, Vec3, World,
};
use veracity_record::{Event, EventKind, EventRules};

/// A body of 1 kg over something fixed, both of one surface; the pair has a name.
fn pair(below: Shape, place: Pose, above: Shape, [friction, restitution]: [f64; 2]) -> World {
    let mut builder = ModelBuilder::new("w");
    let surface = Material { name: "m".into(), friction: [friction; 2], restitution, ..Material::default() };
    let m = builder.add_material(surface);
    let shaped = |name: &str, inertia: Inertia, shape: Shape, place: Pose| {
        let mut shape = BodyShape::new("s", shape, place);
        shape.material = Some(m);
        Body { shapes: vec![shape], ..Body::new(name, inertia) }
    };
    let ground = shaped("ground", Inertia::zero(), below, place);
    let ground = builder.add_body(ground, Joint::new("fixed", JointKind::Fixed), None);
    let body = shaped("body", Inertia::solid_box(1.0, Vec3::repeat(0.1)), above, Pose::identity());
    let body = builder.add_body(body, Joint::new("free", JointKind::Free), None);
    let named = ContactPair { name: "pair".into(), a: body, b: Some(ground), material: None, conditions: Vec::new() };
    builder.add_contact_pair(named);
    World::with_model(builder.build().unwrap())
}

/// The events of a run from a place with a velocity.
fn events(world: &World, h: f64, place: Vec3, velocity: Vec3, until: f64) -> Vec<Event> {
    let mut simulation = load("rapier", world, h).unwrap();
    let ([x, y, z], [vx, vy, vz]) = (place.into(), velocity.into());
    simulation.set_state(0.0, &[x, y, z, 1.0, 0.0, 0.0, 0.0], &[0.0, 0.0, 0.0, vx, vy, vz]).unwrap();
    assert!(simulation.log_events(Some(EventRules::default())));
    coast(simulation.as_mut(), (until / h).round() * h);
    taken(simulation.as_mut())
}

fn taken(simulation: &mut dyn Simulation) -> Vec<Event> {
    let mut events = Vec::new();
    simulation.take_events(true, &mut events);
    in_order(events)
}

fn kinds(events: &[Event]) -> Vec<&'static str> {
    events.iter().map(|e| e.kind.name()).collect()
}

const STEPS: [f64; 3] = [1e-3, 5e-4, 2.5e-4];

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

#[test]
fn a_bouncing_ball_hits_the_ground_at_the_times_of_the_series() {
    let world = pair(Shape::Plane, Pose::identity(), Shape::Sphere { radius: 0.05 }, [0.5, 0.5]);
    let mut worst = Vec::new();
    for h in STEPS {
        let events = events(&world, h, Vec3::new(0.0, 0.0, 0.55), Vec3::zeros(), 2.0);
        // Four bounces, then smaller ones, then rest.
        let expected = ["impact", "liftoff"].repeat(4);
        assert_eq!(kinds(&events[..8]), expected);
        assert_eq!(kinds(&events).last(), Some(&"rest"));
        let impacts = events.iter().filter(|e| e.kind == EventKind::Impact);
        let off = impacts.zip(series(4)).map(|(e, t)| (e.time - t).abs());
        worst.push(off.fold(0.0, f64::max));
    }
    // Rapier's bounces are early by part of a step each, and the errors add up: five steps after four bounces.
    assert!(worst.iter().zip(STEPS).all(|(off, h)| *off < 6.0 * h), "{worst:?}");
}

#[test]
fn a_sliding_block_sticks_when_friction_has_stopped_it() {
    let world = pair(Shape::Plane, Pose::identity(), Shape::Box { size: Vec3::repeat(0.1) }, [0.4, 0.0]);
    for h in STEPS {
        let events = events(&world, h, Vec3::new(0.0, 0.0, 0.05), Vec3::new(1.0, 0.0, 0.0), 1.0);
        assert_eq!(kinds(&events), ["touch", "rest", "stick"]);
        let off = events[2].time - 1.0 / (0.4 * G);
        // The deceleration is steady; the weight is not, in the first steps of the contact.
        assert!(off.abs() < 1e-5, "{h}: {off:e}");
    }
}

/// A ball that flies past another at a distance.
fn past(distance: f64) -> Vec<Event> {
    let ball = || Shape::Sphere { radius: 0.05 };
    let mut world = pair(ball(), at(0.0, 0.0, 0.0), ball(), [0.0, 0.0]);
    world.gravity = Vec3::zeros();
    events(&world, 1e-3, Vec3::new(-0.2003, 0.0, 0.1 + distance), Vec3::new(1.0, 0.0, 0.0), 0.4)
}

#[test]
fn a_ball_that_flies_past_logs_a_near_miss() {
    let events = past(0.02);
    assert_eq!(kinds(&events), ["near_miss"]);
    // A hyperbola is a parabola near its lowest point, to the fourth order in a step.
    assert!((events[0].time - 0.2003).abs() < 1e-8 && (events[0].gap - 0.02).abs() < 1e-9, "{events:?}");
}

/// A known property of Rapier, tested so that a version that changes it is noticed: it keeps the normal of a predicted
/// contact while the bodies move on, and deflects a ball that would have passed at a millimetre. The log reports what
/// it did.
#[test]
fn rapier_deflects_a_ball_that_would_have_passed() {
    let events = past(1e-3);
    assert_eq!(kinds(&events), ["impact", "liftoff"]);
    // The true normal is at 76 degrees to the flight there, Rapier's at 60.
    assert!((events[0].normal_speed + 0.5).abs() < 0.01, "{events:?}");
}
