//! Rows contain the efforts on the joints, drives included: the energy balance of a record needs them.

mod scenes;

use scenes::*;
use veracity_engine::{Inputs, JointDrive, Samples};
use veracity_model::{Body, Inertia, Joint, JointKind, Layout, ModelBuilder, Vec3, World};

#[test]
fn the_effort_of_a_row_is_what_accelerated_the_body_in_the_step_before() {
    let mut builder = ModelBuilder::new("slider");
    let cart = Body::new("cart", Inertia::solid_box(2.0, Vec3::repeat(0.1)));
    builder.add_body(cart, Joint::new("rail", JointKind::prismatic(Vec3::x())), None);
    let mut world = World::with_model(builder.build().unwrap());
    world.gravity = Vec3::zeros();
    for spec in ["rapier:iters=20", "rapier:multibody"] {
        let mut simulation = load(spec, &world, 1e-3).unwrap();
        simulation.set_state(0.0, &[0.0], &[0.0]).unwrap();
        let mut inputs = Inputs::none(1);
        inputs.efforts[0] = 3.0;
        inputs.drives.push(JointDrive {
            dof: 0,
            kp: 200.0,
            kd: 20.0,
            target: 0.1,
            target_speed: 0.0,
            feed_forward: 0.0,
            max_effort: f64::INFINITY,
        });
        let mut samples = Samples::new(&Layout::new(&world), 1_000_000, 300);
        simulation.advance(0.3, &inputs, &mut samples).unwrap();
        let track = &samples.track;
        let mut before = 0.0;
        for row in 0..track.rows() {
            let acted = 2.0 * (track.v(row)[0] - before) / 1e-3;
            before = track.v(row)[0];
            // The law at the end of a step of 1 ms compared with its mean over the step: kp v + kd a, half a step of
            // it, at most 0.15 N of the 23 N it begins with.
            assert!(
                (track.efforts[row] - acted).abs() < 0.2,
                "{spec}, row {row}: {} and not {acted}",
                track.efforts[row]
            );
        }
        assert!(track.efforts[0] > 20.0, "{spec}");
    }
}
