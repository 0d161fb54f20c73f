//! Single bodies: Rapier's hidden defaults, each with the setting or model that shows the difference.

mod scenes;
use scenes::*;
use veracity_engine::{BodyState, Inputs, Simulation};
use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Pose, Shape, Vec3, World};

fn free_body(body: Body, gravity: Vec3) -> World {
    let mut builder = ModelBuilder::new("body");
    builder.add_body(body, Joint::new("free", JointKind::Free), None);
    let mut world = World::with_model(builder.build().unwrap());
    world.gravity = gravity;
    world
}

fn brick() -> Body {
    let mut inertia = Inertia::solid_box(2.0, Vec3::new(0.1, 0.2, 0.3));
    inertia.com = Vec3::new(0.1, -0.2, 0.05);
    Body::new("brick", inertia)
}

/// A start with these velocities (turning, then sliding) at the origin.
fn started(spec: &str, world: &World, v: [f64; 6]) -> Box<dyn Simulation> {
    let mut simulation = load(spec, world, 1e-3).unwrap();
    simulation.set_state(0.0, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], &v).unwrap();
    simulation
}

/// Linear and angular momentum (about the origin) from the reported body.
fn momentum(simulation: &mut dyn Simulation, body: &Body) -> (Vec3, Vec3) {
    let mut states = [nowhere()];
    simulation.bodies(&mut states);
    body_momentum(&states[0], body)
}

fn body_momentum(state: &BodyState, body: &Body) -> (Vec3, Vec3) {
    let arm = state.world_from_body.rotation * body.inertia.com;
    let velocity = state.linear_velocity + state.angular_velocity.cross(&arm);
    let place = state.world_from_body.translation.vector + arm;
    let turn = state.world_from_body.rotation;
    let spin = turn * (body.inertia.tensor * (turn.inverse() * state.angular_velocity));
    (velocity * body.inertia.mass, spin + place.cross(&(velocity * body.inertia.mass)))
}

#[test]
fn a_free_body_keeps_its_momentum() {
    let world = free_body(brick(), Vec3::zeros());
    for spec in ["rapier", "rapier:multibody"] {
        let mut simulation = started(spec, &world, [1.0, 3.0, 0.1, 0.3, -0.2, 0.1]);
        let (linear, angular) = momentum(simulation.as_mut(), &brick());
        coast(simulation.as_mut(), 5.0);
        let (p, l) = momentum(simulation.as_mut(), &brick());
        assert!((p - linear).norm() < 1e-12 * linear.norm(), "{spec}: {p:?} {linear:?}");
        // Rapier's explicit gyroscopic step keeps the length of the angular momentum; its direction is of first order
        // in the substep of 0.25 ms with rates of a few 1/s over 5 s.
        assert!((l - angular).norm() < 5e-3 * angular.norm(), "{spec}: {l:?} {angular:?}");
    }
}

#[test]
fn without_gyroscopic_torques_angular_momentum_is_lost() {
    let mut body = brick();
    body.inertia.com = Vec3::zeros();
    let world = free_body(body.clone(), Vec3::zeros());
    let mut simulation = started("rapier:gyroscopic=off", &world, [1.0, 3.0, 0.1, 0.0, 0.0, 0.0]);
    let (_, angular) = momentum(simulation.as_mut(), &body);
    coast(simulation.as_mut(), 5.0);
    let (_, l) = momentum(simulation.as_mut(), &body);
    assert!((l - angular).norm() > 0.05 * angular.norm(), "{l:?} {angular:?}");
    assert!(load("rapier:multibody,gyroscopic=off", &world, 1e-3).is_err());
}

#[test]
fn a_floating_pair_keeps_its_momentum() {
    // A brick with another hinged to it, nothing outside acting. Rapier's own damping of 0.1 N m s on the turning of a
    // multibody's root and hinge would stop a body of 0.02 kg m² within a second.
    let mut builder = ModelBuilder::new("pair");
    let base = builder.add_body(brick(), Joint::new("free", JointKind::Free), None);
    let tail = Body { name: "tail".into(), ..brick() };
    let hinge = Joint::new("hinge", JointKind::revolute(Vec3::new(1.0, 1.0, 0.0)));
    builder.add_body(tail, hinge.at(veracity_model::geometry::at(0.3, 0.0, 0.2)), Some(base));
    let mut world = World::with_model(builder.build().unwrap());
    (world.gravity, world.contact) = (Vec3::zeros(), false);
    for spec in ["rapier:iters=20", "rapier:multibody"] {
        let mut simulation = load(spec, &world, 1e-3).unwrap();
        let q = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5];
        simulation.set_state(0.0, &q, &[0.5, -0.3, 1.0, 0.2, 0.0, -0.1, 1.0]).unwrap();
        let total = |simulation: &mut dyn Simulation| {
            let mut states = [nowhere(), nowhere()];
            simulation.bodies(&mut states);
            states.iter().fold((Vec3::zeros(), Vec3::zeros()), |sum, state| {
                let (p, l) = body_momentum(state, &brick());
                (sum.0 + p, sum.1 + l)
            })
        };
        let (linear, angular) = total(simulation.as_mut());
        coast(simulation.as_mut(), 2.0);
        let (p, l) = total(simulation.as_mut());
        // Impulses are equal and opposite; multibodies keep momentum to first order of the substep, with rates of 1/s.
        assert!((p - linear).norm() < 2e-3 * linear.norm(), "{spec}: {p:?} {linear:?}");
        assert!((l - angular).norm() < 5e-3 * angular.norm(), "{spec}: {l:?} {angular:?}");
    }
}

#[test]
fn slow_bodies_do_not_fall_asleep() {
    let world = free_body(brick(), Vec3::zeros());
    let mut simulation = started("rapier", &world, [0.0, 0.0, 0.0, 1e-4, 0.0, 0.0]);
    coast(simulation.as_mut(), 10.0);
    // Rapier's sleep would stop it after a second or two. 4e4 sums near 0.1 m, where its centre of mass is, round by
    // 1e-17 each and all the same way.
    assert!((simulation.q()[0] - 1e-3).abs() < 1e-12, "{}", simulation.q()[0]);
}

#[test]
fn fast_bodies_are_not_held_back() {
    let mut body = brick();
    body.inertia.com = Vec3::zeros();
    let world = free_body(body, Vec3::zeros());
    let mut simulation = started("rapier", &world, [0.0, 0.0, 1000.0, 1000.0, 0.0, 0.0]);
    coast(simulation.as_mut(), 0.1);
    // About a principal axis nothing changes: 100 m, 1000 rad/s.
    assert!((simulation.q()[0] - 100.0).abs() < 1e-9 && (simulation.v()[2] - 1000.0).abs() < 1e-6);
    let mut capped = started("rapier:speed_cap_m_s=400,spin_cap=on", &world, [0.0, 0.0, 1000.0, 1000.0, 0.0, 0.0]);
    coast(capped.as_mut(), 0.1);
    assert!((capped.q()[0] - 40.0).abs() < 1.0 && capped.v()[2] < 800.0, "{:?}", capped.v());
}

#[test]
fn mass_is_the_models_and_not_the_shapes() {
    let heavy = Shape::Box { size: Vec3::repeat(3.0) };
    let world = free_body(brick().with_shape(heavy, Pose::identity()), Vec3::zeros());
    let mut simulation = started("rapier", &world, [0.0; 6]);
    let mut inputs = Inputs::none(6);
    inputs.wrenches.push(veracity_engine::Wrench { body: 0, force: [4.0, 0.0, 0.0], torque: [0.0; 3] });
    advance(simulation.as_mut(), 1.0, &inputs);
    // 4 N on 2 kg for 1 s, through the centre of mass: no turning. The sum of 4000 equal increments.
    assert!((simulation.v()[3] - 2.0).abs() < 1e-11 && simulation.v()[..3].iter().all(|w| w.abs() < 1e-12));
}

#[test]
fn drag_decays_as_the_model_says_to_first_order_in_the_step() {
    let mut body = brick();
    body.inertia.com = Vec3::zeros();
    (body.linear_damping, body.angular_damping) = (2.0, 3.0);
    let world = free_body(body, Vec3::zeros());
    let error = |step_s: f64| {
        let mut simulation = load("rapier", &world, step_s).unwrap();
        simulation.set_state(0.0, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], &[0.0, 0.0, 5.0, 1.0, 0.0, 0.0]).unwrap();
        coast(simulation.as_mut(), 1.0);
        let linear = (simulation.v()[3] - libm::exp(-2.0)).abs();
        let angular = (simulation.v()[2] / 5.0 - libm::exp(-3.0)).abs();
        [linear, angular]
    };
    let (coarse, fine) = (error(1e-2), error(5e-3));
    for k in 0..2 {
        // v / (1 + h c) is exp(-h c) with an error of (h c)²/2 a step: halving the step halves it.
        assert!((coarse[k] / fine[k] - 2.0).abs() < 0.1, "{coarse:?} {fine:?}");
        // exp(-c t) c² t h / 2.
        let c = [2.0, 3.0][k];
        let expected = libm::exp(-c) * c * c * 5e-3 / 2.0;
        assert!((fine[k] / expected - 1.0).abs() < 0.1, "{fine:?} {expected}");
    }
}

#[test]
fn gravity_scale_is_honoured() {
    let mut body = brick();
    body.gravity_scale = 0.25;
    let world = free_body(body, Vec3::new(0.0, 0.0, -8.0));
    let mut simulation = started("rapier", &world, [0.0; 6]);
    coast(simulation.as_mut(), 1.0);
    // The sum of 4000 equal increments.
    assert!((simulation.v()[5] + 2.0).abs() < 1e-11, "{}", simulation.v()[5]);
}
