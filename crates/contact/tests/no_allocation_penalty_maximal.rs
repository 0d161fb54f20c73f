//! No penalty step and no step in maximal coordinates allocates once its sizes have occurred.

use veracity_contact::penalty::PenaltySettings;
use veracity_contact::{Maximal, Paradigm, Penalty, SteppingSettings};
use veracity_counting::Counting;
use veracity_dynamics::NoEfforts;
use veracity_dynamics::integrate::State;
use veracity_model::geometry::at;
use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Pose, Shape, Vec3, World};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A hinged arm with a limit and dry friction over a stack of three boxes on the ground.
fn world() -> (World, State) {
    let mut builder = ModelBuilder::new("w");
    let ground = Body::new("ground", Inertia::solid_sphere(1.0, 1.0)).with_shape(Shape::Plane, Pose::identity());
    builder.add_body(ground, Joint::new("ground", JointKind::Fixed), None);
    let size = Vec3::repeat(0.1);
    let boxed =
        |name: &str| Body::new(name, Inertia::solid_box(1.0, size)).with_shape(Shape::Box { size }, Pose::identity());
    let hinge = Joint::new("hinge", JointKind::revolute(Vec3::y())).at(at(1.0, 0.0, 0.5));
    let arm = builder.add_body(boxed("arm"), hinge.each_dof(|d| (d.upper, d.friction) = (0.1, 0.2)), None);
    let second = Joint::new("second", JointKind::revolute(Vec3::x())).at(at(0.0, 0.0, 0.3));
    builder.add_body(boxed("fore"), second, Some(arm));
    let mut q = vec![0.0, 0.1];
    for i in 0..3 {
        builder.add_body(boxed(&format!("b{i}")), Joint::new(format!("f{i}"), JointKind::Free), None);
        q.extend([0.0, 0.0, 0.05 + 0.1 * f64::from(i), 1.0, 0.0, 0.0, 0.0]);
    }
    let world = World::with_model(builder.build().unwrap());
    (world, State { time: 0.0, q, v: vec![0.0; 20] })
}

fn allocations_in_steps(paradigm: &mut dyn Paradigm, mut state: State) -> u64 {
    for _ in 0..200 {
        paradigm.step(&mut NoEfforts, &mut state, 1e-3).unwrap();
    }
    assert!(!paradigm.touches().is_empty());
    let before = veracity_counting::allocations();
    for _ in 0..50 {
        paradigm.step(&mut NoEfforts, &mut state, 1e-3).unwrap();
    }
    veracity_counting::allocations() - before
}

#[test]
fn no_compliant_step_allocates() {
    let (world, state) = world();
    for step_tolerance in [None, Some(1e-4)] {
        let settings = PenaltySettings { step_tolerance, ..Default::default() };
        let mut penalty = Penalty::new(&world, settings).unwrap();
        assert_eq!(allocations_in_steps(&mut penalty, state.clone()), 0, "{step_tolerance:?}");
    }
}

#[test]
fn no_step_in_maximal_coordinates_allocates() {
    let (world, state) = world();
    let mut maximal = Maximal::new(&world, SteppingSettings::default()).unwrap();
    assert_eq!(allocations_in_steps(&mut maximal, state), 0);
}

#[test]
fn the_counter_counts() {
    let before = veracity_counting::allocations();
    let v = std::hint::black_box(vec![1.0f64; 8]);
    assert_eq!(veracity_counting::allocations() - before, 1, "{v:?}");
}
