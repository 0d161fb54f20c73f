//! Events are in the record: found at every step, whatever rows were requested, the same in a fork.

mod support;

use std::sync::Arc;
use support::engines;
use veracity_lab::plan::{Case, Point};
use veracity_lab::{Planned, Session, run_trial};
use veracity_model::{
    Body, BodyShape, ContactPair, Inertia, Joint, JointKind, Material, ModelBuilder, Overrides, Pose, Shape, Vec3,
    World,
};
use veracity_record::{Event, EventKind, EventRules};
use veracity_scenario::Scenario;
use veracity_scenario::scenario::Parts;

/// A ball that bounces on the ground.
fn bouncing() -> World {
    let mut builder = ModelBuilder::new("w");
    let m = builder.add_material(Material { name: "m".into(), restitution: 0.5, ..Material::default() });
    let shaped = |name: &str, inertia: Inertia, shape: Shape| {
        let mut shape = BodyShape::new("s", shape, Pose::identity());
        shape.material = Some(m);
        Body { shapes: vec![shape], ..Body::new(name, inertia) }
    };
    let ground = shaped("ground", Inertia::zero(), Shape::Plane);
    let ground = builder.add_body(ground, Joint::new("fixed", JointKind::Fixed), None);
    let ball = shaped("ball", Inertia::solid_sphere(1.0, 0.05), Shape::Sphere { radius: 0.05 });
    let a = builder.add_body(ball, Joint::new("free", JointKind::Free), None);
    let name = "ball-ground".to_string();
    builder.add_contact_pair(ContactPair { name, a, b: Some(ground), material: None, conditions: Vec::new() });
    World::with_model(builder.build().unwrap())
}

fn planned(world: World, velocity: Vec3, spec: &str, record_every_ns: i64) -> Planned {
    let q = vec![0.0, 0.0, 0.55, 1.0, 0.0, 0.0, 0.0];
    let v = vec![0.0, 0.0, 0.0, velocity.x, velocity.y, velocity.z];
    let (name, duration_ns, step_ns) = ("bouncing".to_string(), 1_500_000_000, 1_000_000);
    let scenario = Scenario::from_parts(Parts { name, world, q, v, duration_ns, record_every_ns, step_ns });
    let case = Case::new(&Arc::new(scenario), &Overrides::new()).unwrap();
    let point = Point {
        engine: spec.parse().unwrap(),
        step_ns,
        seed: 0,
        index: 0,
        expected: None,
        expected_checks: Vec::new(),
    };
    engines().plan_trial(&case, 0, &point).unwrap()
}

fn open(planned: &Planned) -> Session {
    Session::open(planned.engine, &planned.settings, planned.setup.clone()).map_err(|r| format!("{r:?}")).unwrap()
}

fn bits(events: &[Event]) -> Vec<String> {
    events.iter().map(|e| format!("{:?}", Event { substep: 0, ..e.clone() })).collect()
}

#[test]
fn a_trial_leaves_its_events_however_few_rows_it_leaves() {
    let dense = run_trial(&planned(bouncing(), Vec3::zeros(), "rapier", 1_000_000), None);
    let sparse = run_trial(&planned(bouncing(), Vec3::zeros(), "rapier", 500_000_000), None);
    assert_eq!(dense.head.events, Some(EventRules::default()));
    assert_eq!(bits(&dense.events), bits(&sparse.events));
    let count = |kind: EventKind| dense.events.iter().filter(|e| e.kind == kind).count();
    assert!(count(EventKind::Impact) >= 4 && count(EventKind::Rest) == 1, "{:?}", bits(&dense.events));
    assert!(dense.events.is_sorted_by(|a, b| a.time <= b.time));
}

#[test]
fn a_fork_tells_what_the_uninterrupted_run_tells_from_there_on() {
    let planned = planned(bouncing(), Vec3::zeros(), "rapier", 100_000_000);
    let whole = run_trial(&planned, None).events;
    for cut_ns in [200_000_000, 320_000_000, 400_000_000] {
        let mut first = open(&planned);
        first.advance_to(cut_ns);
        let blob = first.snapshot();
        let mut fork = open(&planned);
        fork.restore(&blob).unwrap();
        fork.advance_to(1_500_000_000);
        let told = fork.finish().events;
        // Between two bounces, at least the debounce time from either, no event is pending.
        let tail: Vec<Event> = whole.iter().filter(|e| e.time > cut_ns as f64 * 1e-9).cloned().collect();
        assert!(!tail.is_empty());
        let told: Vec<Event> = told.into_iter().filter(|e| e.time > cut_ns as f64 * 1e-9).collect();
        assert_eq!(bits(&told), bits(&tail), "cut at {cut_ns}");
    }
}

/// The native engine reports near misses, and its own energy is recorded next to ours.
#[test]
fn the_native_engine_leaves_near_misses_and_its_energy() {
    let mut world = bouncing();
    world.contact = false;
    world.gravity = Vec3::new(0.0, 0.0, 9.81);
    for spec in ["native", "native:dop853"] {
        let record = run_trial(&planned(world.clone(), Vec3::new(0.0, 0.0, -3.0), spec, 100_000_000), None);
        let [event] = record.events.as_slice() else { panic!("{spec}: {:?}", record.events) };
        // The parabola through three samples of a parabola is exact to rounding.
        assert!(event.kind == EventKind::NearMiss && (event.time - 3.0 / 9.81).abs() < 1e-9, "{spec}: {event:?}");
        assert!((event.gap - (0.5 - 0.5 * 9.0 / 9.81)).abs() < 1e-12, "{spec}: {event:?}");
        let energy = record.track.signal("engine/energy_J").expect("the engine tells its energy");
        assert_eq!(energy.values.len(), record.track.rows());
        let spread = energy.values.iter().map(|e| (e - energy.values[0]).abs()).fold(0.0, f64::max);
        assert!(spread < 1e-9, "{spec}: {spread:e}");
    }
}
