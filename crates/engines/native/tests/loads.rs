//! Drives and wrenches, to the accuracy of the integrator rather than first order.

mod support;

use support::{advance_under, bodies, load, smooth};
use veracity_engine::{Inputs, JointDrive, Simulation, Wrench};
use veracity_model::geometry::at;
use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Vec3, World};

fn arm(change: impl Fn(&mut Joint)) -> World {
    let mut builder = ModelBuilder::new("arm");
    let mut hinge = Joint::new("hinge", JointKind::revolute(Vec3::y())).at(at(0.0, 0.0, 1.0));
    change(&mut hinge);
    builder.add_body(Body::new("link", Inertia::thin_rod(1.0, Vec3::new(0.0, 0.0, -1.0))), hinge, None);
    smooth(builder)
}

#[test]
fn a_drive_is_a_spring_and_a_damper() {
    let (kp, kd, target) = (30.0, 2.0, 0.8);
    let sprung = arm(|hinge| {
        hinge.dofs[0].stiffness = kp;
        hinge.dofs[0].damping = kd;
        hinge.dofs[0].spring_reference = target;
    });
    let max_effort = f64::INFINITY;
    let drive = JointDrive { dof: 0, kp, kd, target, target_speed: 0.0, feed_forward: 0.0, max_effort };
    let driven = Inputs { drives: vec![drive], ..Inputs::none(1) };
    for spec in ["native:euler", "native:rk4", "native:dop853", "native:midpoint", "native:implicit"] {
        let mut a = load(&sprung, spec, 1e-3);
        let mut b = load(&arm(|_| {}), spec, 1e-3);
        for (simulation, inputs) in [(&mut a, &Inputs::none(1)), (&mut b, &driven)] {
            simulation.set_state(0.0, &[0.1], &[0.3]).unwrap();
            advance_under(simulation.as_mut(), 1.0, inputs);
        }
        // The same numbers added in another order.
        let off = (a.q()[0] - b.q()[0]).abs().max((a.v()[0] - b.v()[0]).abs());
        assert!(off < 1e-11, "{spec}: {off:e}");
    }
}

#[test]
fn a_bounded_drive_in_an_implicit_step_stays_in_its_bounds() {
    // From rest, level and without gravity: the bound alone determines the speed.
    let mut world = arm(|_| {});
    world.gravity *= 0.0;
    let mut simulation = load(&world, "native:implicit", 1e-3);
    simulation.set_state(0.0, &[0.0], &[0.0]).unwrap();
    let drive =
        JointDrive { dof: 0, kp: 1e6, kd: 0.0, target: 1.0, target_speed: 0.0, feed_forward: 0.0, max_effort: 2.0 };
    advance_under(simulation.as_mut(), 0.1, &Inputs { drives: vec![drive], ..Inputs::none(1) });
    // 2 N m on 1/3 kg m² for 0.1 s.
    assert!((simulation.v()[0] - 0.6).abs() < 1e-12, "{}", simulation.v()[0]);
}

#[test]
fn a_spinning_body_gains_the_impulse_of_a_wrench() {
    let mut builder = ModelBuilder::new("stone");
    let inertia = Inertia::new(2.0, Vec3::new(0.1, 0.0, -0.05), [0.02, 0.05, 0.06, 0.0, 0.0, 0.0]);
    builder.add_body(Body::new("stone", inertia), Joint::new("free", JointKind::Free), None);
    let mut world = smooth(builder);
    world.gravity *= 0.0;
    let (force, torque) = (Vec3::new(0.5, -1.0, 2.0), Vec3::new(0.02, 0.01, -0.03));
    let wrench = Wrench { body: 0, force: force.into(), torque: torque.into() };
    let inputs = Inputs { wrenches: vec![wrench], ..Inputs::none(6) };
    let mut simulation = load(&world, "native:dop853", 1e-3);
    simulation.set_state(0.0, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], &[3.0, -2.0, 1.0, 0.1, 0.2, 0.3]).unwrap();
    // Linear momentum, and angular momentum about the centre of mass, where the force has no lever arm.
    let momenta = |simulation: &mut dyn Simulation| {
        let b = bodies(simulation)[0];
        let turn = b.world_from_body.rotation;
        let linear = 2.0 * (b.linear_velocity + b.angular_velocity.cross(&(turn * inertia.com)));
        (linear, turn * (inertia.tensor * (turn.inverse() * b.angular_velocity)))
    };
    let (linear, spin) = momenta(simulation.as_mut());
    advance_under(simulation.as_mut(), 1.0, &inputs);
    let (linear_after, spin_after) = momenta(simulation.as_mut());
    // One second at a tolerance of 1e-12 per step.
    assert!((linear_after - linear - force).norm() < 1e-10, "{:?}", linear_after - linear - force);
    assert!((spin_after - spin - torque).norm() < 1e-10, "{:?}", spin_after - spin - torque);
}
