//! What acts on joints has the same effect in both coordinates.

use crate::*;
use veracity_dynamics::{ActuatorCommands, BodyWrench, ConstantEfforts, System};
use veracity_model::{Actuator, BodyId, Drive, JointId, Model, Shape};

/// The difference halves with the step.
fn agrees(name: &str, world: &World, efforts: &mut dyn Efforts, state: &State) {
    let differences = [4e-3, 2e-3, 1e-3].map(|h| apart(&both(world, efforts, state, 0.3, h)));
    for pair in differences.windows(2) {
        // Order 1 against order 1; or both hold still.
        assert!(pair[1] < 0.65 * pair[0] || pair[1] < 1e-8, "{name}: {differences:?}");
    }
}

#[test]
fn springs_dampers_and_efforts() {
    let sprung = chain(3, hinges, |d| {
        d.stiffness = 40.0;
        d.damping = 0.5;
        d.spring_reference = 0.2;
    });
    let state = start(vec![0.1, 0.2, -0.1], vec![0.0; 3]);
    agrees("springs", &sprung, &mut none(), &state);
    let plain = chain(3, hinges, |_| {});
    agrees("efforts", &plain, &mut ConstantEfforts(vec![3.0, -1.0, 0.5]), &state);
    let damped = chain(3, hinges, |d| d.damping = 2.0);
    agrees("dampers and efforts", &damped, &mut ConstantEfforts(vec![3.0, -1.0, 0.5]), &state);
}

#[test]
fn a_stiff_drive_is_implicit() {
    // Gains that would be unstable if they were evaluated at the beginning of the step: kd h / I is 100.
    let mut world = chain(2, hinges, |_| {});
    let model: &Model = &world.placements[0].model;
    let mut builder = ModelBuilder::new("driven");
    for (body, joint) in model.bodies().iter().zip(model.joints()) {
        builder.add_body(body.clone(), joint.clone(), joint.parent);
    }
    for i in 0..2 {
        let drive = Drive::Position { kp: 1e4, kd: 1e3 };
        builder.add_actuator(Actuator { drive, ..Actuator::effort(format!("m{i}"), JointId(i)) });
    }
    world.placements[0].model = std::sync::Arc::new(builder.build().unwrap());
    let state = start(vec![0.1, -0.1], vec![0.0; 2]);
    let ends = both(&world, &mut ActuatorCommands(vec![0.3, 0.2]), &state, 1.0, 1e-3);
    // At rest: off the command by the weight over the gain, in both coordinates.
    assert!(apart(&ends) < 1e-6, "{ends:?}");
    assert!(ends[1].v.iter().all(|v| v.abs() < 1e-3) && (ends[1].q[0] - 0.3).abs() < 2e-3, "{ends:?}");
}

#[test]
fn limits_and_dry_friction() {
    let limited = chain(2, hinges, |d| (d.lower, d.upper) = (-0.3, 0.3));
    let ends = both(&limited, &mut none(), &start(vec![0.0; 2], vec![0.0, 1.0]), 1.0, 1e-3);
    // Down is positive about y: the first joint hangs on its upper limit.
    assert!((ends[1].q[0] - 0.3).abs() < 1e-6 && (ends[0].q[0] - 0.3).abs() < 1e-6, "{ends:?}");
    assert!(ends[1].q[1].abs() <= 0.3 + 1e-6);
    let rough = chain(1, hinges, |d| d.friction = 3.0);
    let held = both(&rough, &mut none(), &start(vec![0.0], vec![0.0]), 0.5, 1e-3);
    // The weight requires 9.81 · 0.25 = 2.45 N m: it sticks.
    assert!(held.iter().all(|s| s.q[0].abs() < 1e-9), "{held:?}");
    let slips = chain(1, hinges, |d| d.friction = 1.0);
    agrees("dry friction", &slips, &mut none(), &start(vec![0.0], vec![0.0]));
}

#[test]
fn a_push_on_a_body() {
    struct Push(Vec<BodyWrench>);
    impl Efforts for Push {
        fn add(&mut self, _: &System, _: f64, _: &[f64], _: &[f64], _: &mut [f64]) {}
        fn wrenches(&self) -> &[BodyWrench] {
            &self.0
        }
    }
    let world = chain(2, hinges, |_| {});
    let system = System::new(&world).unwrap();
    let place = system.place(0, BodyId(1));
    let mut push = Push(vec![BodyWrench::new(place, [0.4, 0.0, 0.1], [1.0, 2.0, 9.0], [0.1, 0.0, 0.3])]);
    agrees("a push", &world, &mut push, &start(vec![0.1, 0.2], vec![0.0; 2]));
}

#[test]
fn a_link_that_falls_to_the_ground_rests_alike() {
    let mut builder = ModelBuilder::new("w");
    let ground = Body::new("ground", Inertia::solid_sphere(1.0, 1.0)).with_shape(Shape::Plane, at(0.0, 0.0, -0.3));
    builder.add_body(ground, Joint::new("ground", JointKind::Fixed), None);
    let size = Vec3::new(0.5, 0.1, 0.1);
    let inertia = Inertia::solid_box(1.0, size).transformed(&at(0.25, 0.0, 0.0));
    let link = Body::new("link", inertia).with_shape(Shape::Box { size }, at(0.25, 0.0, 0.0));
    builder.add_body(link, Joint::new("hinge", JointKind::revolute(Vec3::y())), None);
    let world = World::with_model(builder.build().unwrap());
    let ends = both(&world, &mut none(), &start(vec![0.0], vec![0.0]), 1.0, 1e-3);
    // The lower edge of the far end touches: 0.5 sin q + 0.05 cos q = 0.3.
    for end in &ends {
        let gap = 0.3 - 0.5 * end.q[0].sin() - 0.05 * end.q[0].cos();
        // Errors too small for projection, and the closing of the gap in the last step.
        assert!(gap.abs() < 1e-6 && end.v[0].abs() < 1e-6, "{ends:?}");
    }
}

#[test]
fn what_cannot_be_loosened_is_listed() {
    let axis = Vec3::y();
    let mut world =
        chain(4, |i| if i == 1 { JointKind::Screw { axis, pitch: 0.1 } } else { hinges(i) }, |d| d.armature = 0.1);
    world.contact = false;
    let Err(list) = Maximal::new(&world, SteppingSettings::default()) else { panic!("a screw was loosened") };
    // One screw and four rotors, each by its name and with a hint.
    assert_eq!(list.len(), 5);
    assert!(
        list.iter().any(|e| e.to_string().contains("chain/j1: a screw joint in maximal coordinates")),
        "{list:?}"
    );
    assert!(list.iter().all(|e| e.to_string().contains("coordinates=reduced")), "{list:?}");
}
