//! Contact follows the equations at the head of `surfaces.hpp`: depths at rest, speeds of rebound, friction of
//! different surfaces. Where a law has a closed form the motion is compared with it, at an accuracy at which
//! integration errors do not matter.

#[path = "../../../worker/tests/program/mod.rs"]
mod program;

use program::engine;
use veracity_engine::{BodyState, Engine, Inputs, LoadError, LoadOptions, Samples, Simulation, StepError};
use veracity_model::geometry::at;
use veracity_model::{
    Body, BodyId, CombineRule, Inertia, Joint, JointKind, Material, ModelBuilder, Pose, Shape, Vec3, World,
};

const G: f64 = 9.81;
const RADIUS: f64 = 0.1;
/// Integration errors a thousandth of the differences tested below.
const EXACT: &str = "simbody:accuracy=1e-8";

/// Free bodies of 1 kg above a plane, each with a shape; friction and restitution of the plane and of the others.
fn above_ground(surfaces: [[f64; 2]; 2], shapes: &[Shape]) -> World {
    above_ground_with(surfaces, shapes, |_| {})
}

fn above_ground_with(surfaces: [[f64; 2]; 2], shapes: &[Shape], change: fn(&mut ModelBuilder)) -> World {
    let mut builder = ModelBuilder::new("scene");
    let mut surface = |name: &str, [friction, restitution]: [f64; 2]| {
        builder.add_material(Material {
            name: name.to_string(),
            friction: [friction; 2],
            restitution,
            ..Material::default()
        })
    };
    let (below, above) = (surface("below", surfaces[0]), surface("above", surfaces[1]));
    let mut ground = Body::new("ground", Inertia::zero()).with_shape(Shape::Plane, Pose::identity());
    ground.shapes[0].material = Some(below);
    builder.add_body(ground, Joint::new("fixed", JointKind::Fixed), None);
    for (i, shape) in shapes.iter().enumerate() {
        let inertia = Inertia::solid_sphere(1.0, RADIUS);
        let mut body = Body::new(format!("body{i}"), inertia).with_shape(shape.clone(), Pose::identity());
        body.shapes[0].material = Some(above);
        builder.add_body(body, Joint::new(format!("free{i}"), JointKind::Free), None);
    }
    change(&mut builder);
    World::with_model(builder.build().unwrap())
}

fn load(spec: &str, world: &World) -> Result<Box<dyn Simulation>, LoadError> {
    let engine = engine();
    let settings = engine.resolve(&spec.parse().unwrap()).unwrap();
    engine.load(world, &settings, &LoadOptions { step_s: 1e-3 })
}

fn advance(simulation: &mut dyn Simulation, until: f64) -> Result<(), StepError> {
    let mut none = Samples::none(simulation.layout());
    let inputs = Inputs::none(simulation.v().len());
    simulation.advance(until, &inputs, &mut none).map(|_| ())
}

/// Positions of free bodies at these places, not turned.
fn placed(places: &[[f64; 3]]) -> Vec<f64> {
    places.iter().flat_map(|[x, y, z]| [*x, *y, *z, 1.0, 0.0, 0.0, 0.0]).collect()
}

/// The speed after an impact at `speed`, by (5), of a surface with restitution `e` at 1 m/s; by two plain bisections.
fn rebound(e: f64, speed: f64) -> f64 {
    let root = |low: f64, high: f64, f: &dyn Fn(f64) -> f64| {
        let (mut low, mut high) = (low, high);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if f(middle) > 0.0 { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    };
    let a = root(1e-9, 1.0 / e, &|u| u - u.ln_1p() + e * u + (-e * u).ln_1p());
    let into = a * speed - (a * speed).ln_1p();
    root(0.0, 1.0, &|w| into + w + (-w).ln_1p()) / a
}

/// Rebound speed of a body that hits the ground, with nothing else acting.
fn measured(spec: &str, shape: Shape, height: f64, e: f64, speed: f64) -> f64 {
    let mut world = above_ground([[0.5, e]; 2], &[shape]);
    world.gravity = Vec3::zeros();
    let mut simulation = load(spec, &world).unwrap();
    let q = placed(&[[0.0, 0.0, height + 2.5e-3 * speed]]);
    simulation.set_state(0.0, &q, &[0.0, 0.0, 0.0, 0.0, 0.0, -speed]).unwrap();
    advance(simulation.as_mut(), 0.03).unwrap();
    simulation.v()[5]
}

#[test]
fn rebounds_follow_hunt_and_crossley_for_every_shape() {
    let shapes = [
        (Shape::Sphere { radius: RADIUS }, RADIUS),
        (Shape::Box { size: Vec3::new(0.3, 0.2, 0.1) }, 0.05),
        (Shape::Ellipsoid { radii: Vec3::new(0.1, 0.15, 0.08) }, 0.08),
    ];
    let mut worst = 0.0f64;
    for (shape, height) in shapes {
        for (e, speed) in [(0.6, 0.25), (0.6, 1.0), (0.6, 4.0), (0.2, 1.0), (0.9, 2.0)] {
            let (found, law) = (measured(EXACT, shape.clone(), height, e, speed), rebound(e, speed));
            // The rest is the integrator's accuracy over some hundred steps.
            worst = worst.max((found - law).abs() / speed);
            assert!((found - law).abs() < 1e-5 * speed, "{shape:?} e {e} at {speed} m/s: {found}, by the law {law}");
            // At one speed it equals the World's number; at others it must differ, or the law would not be tested.
            assert!((speed == 1.0) == ((found - e * speed).abs() < 1e-4), "{shape:?} e {e} at {speed} m/s: {found}");
        }
        let elastic = measured(EXACT, shape.clone(), height, 1.0, 2.0);
        assert!((elastic - 2.0).abs() < 1e-5, "{shape:?}: an elastic rebound at {elastic} of 2 m/s");
        let dead = measured(EXACT, shape.clone(), height, 0.0, 4.0);
        // Within 1/a, and the accuracy.
        assert!((0.0..=0.01 + 1e-7).contains(&dead), "{shape:?}: restitution 0 rebounds at {dead} m/s");
    }
    println!("ACCEPT compliant-simbody-rebound: {worst:.0e} of the speed off the law at worst");
}

#[test]
fn depths_at_rest_are_hertz_and_four_springs_on_one_plane() {
    let shapes = [Shape::Sphere { radius: RADIUS }, Shape::Box { size: Vec3::new(0.3, 0.2, 0.1) }];
    // The two must never touch each other, for which there is no law; a filter ensures it.
    let world = above_ground_with([[0.5, 0.0]; 2], &shapes, |b| b.exclude_contact(BodyId(1), BodyId(2)));
    let mut worst = 0.0f64;
    for (modulus, stiffness) in [(1e9, 1e6), (1e8, 2e5)] {
        let spec = format!("{EXACT},modulus_pa={modulus:e},corner_stiffness_n_per_m={stiffness:e}");
        let mut simulation = load(&spec, &world).unwrap();
        simulation.set_state(0.0, &placed(&[[0.0, 0.0, RADIUS], [1.0, 0.0, 0.05]]), &[0.0; 12]).unwrap();
        advance(simulation.as_mut(), 0.5).unwrap();
        // (1) with both moduli the same: the pair's is that over the square root of 8; (2): half the stiffness.
        let pair = modulus / 8f64.sqrt();
        let hertz = (G / (4.0 / 3.0 * RADIUS.sqrt() * pair)).powf(2.0 / 3.0);
        let springs = G / (4.0 * 0.5 * stiffness);
        let (ball, boxed) = (RADIUS - simulation.q()[2], 0.05 - simulation.q()[9]);
        worst = worst.max((ball / hertz - 1.0).abs()).max((boxed / springs - 1.0).abs());
        // Half a second is some hundred times the decay time of the oscillation.
        assert!((ball / hertz - 1.0).abs() < 1e-4, "the ball is {ball} m deep, by Hertz {hertz}");
        assert!((boxed / springs - 1.0).abs() < 1e-4, "the box is {boxed} m deep, by its springs {springs}");
        let mut contacts = Vec::new();
        simulation.contacts(&mut contacts);
        let carried: f64 = contacts.iter().map(|c| c.impulse[2].abs()).sum();
        assert_eq!(contacts.len(), 5, "one point of the ball, four of the box");
        assert!((carried / (2.0 * G * 1e-3) - 1.0).abs() < 1e-4, "a step carries {carried} N s");
    }
    println!("ACCEPT compliant-simbody-depth: {worst:.0e} of the depth off at worst");
}

/// Simbody's own rule would give 0.45.
#[test]
fn different_surfaces_are_combined_by_the_worlds_rule() {
    let flat = Shape::Box { size: Vec3::new(0.3, 0.3, 0.04) };
    for (rule, expected) in
        [(CombineRule::Min, 0.3), (CombineRule::Max, 0.9), (CombineRule::GeometricMean, 0.27f64.sqrt())]
    {
        let mut world = above_ground([[0.9, 0.0], [0.3, 0.0]], std::slice::from_ref(&flat));
        world.combination.friction = rule;
        let mut simulation = load("simbody", &world).unwrap();
        simulation.set_state(0.0, &placed(&[[0.0, 0.0, 0.02]]), &[0.0, 0.0, 0.0, 5.0, 0.0, 0.0]).unwrap();
        advance(simulation.as_mut(), 0.1).unwrap();
        let before = simulation.v()[3];
        advance(simulation.as_mut(), 0.3).unwrap();
        let found = (before - simulation.v()[3]) / (0.2 * G);
        // The weight on the corners still oscillates by a part in a thousand.
        assert!((found - expected).abs() < 1e-3 * expected, "friction {found}, by the rule {expected}");
    }
}

/// Linear and angular momentum about the origin, of balls of 1 kg; the ground contributes zero.
fn momenta(simulation: &mut dyn Simulation) -> (Vec3, Vec3) {
    let still = BodyState {
        world_from_body: Pose::identity(),
        angular_velocity: Vec3::zeros(),
        linear_velocity: Vec3::zeros(),
    };
    let mut bodies = vec![still; simulation.layout().bodies.len()];
    simulation.bodies(&mut bodies);
    let (mut linear, mut angular) = (Vec3::zeros(), Vec3::zeros());
    for body in &bodies {
        linear += body.linear_velocity;
        angular += body.world_from_body.translation.vector.cross(&body.linear_velocity);
        angular += 0.4 * RADIUS * RADIUS * body.angular_velocity;
    }
    (linear, angular)
}

#[test]
fn round_bodies_that_collide_keep_their_momentum() {
    let (ball, egg) = (Shape::Sphere { radius: RADIUS }, Shape::Ellipsoid { radii: Vec3::new(0.08, 0.1, 0.12) });
    for shapes in [[ball.clone(), ball.clone()], [ball, egg.clone()], [egg.clone(), egg]] {
        let mut world = above_ground([[0.5, 0.5]; 2], &shapes);
        world.gravity = Vec3::zeros();
        let mut simulation = load(EXACT, &world).unwrap();
        let q = placed(&[[-0.15, 0.0, 1.0], [0.15, 0.03, 1.02]]);
        let v = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0];
        simulation.set_state(0.0, &q, &v).unwrap();
        let before = momenta(simulation.as_mut());
        advance(simulation.as_mut(), 0.2).unwrap();
        let after = momenta(simulation.as_mut());
        let (linear, angular) = ((after.0 - before.0).norm(), (after.1 - before.1).norm());
        assert!(linear < 1e-7 && angular < 1e-7, "{shapes:?}: momenta off by {linear} N s and {angular} N m s");
        let (left, right) = (simulation.q()[0], simulation.q()[7]);
        assert!(left < right && simulation.v()[3] < simulation.v()[9], "{shapes:?}: they passed through each other");
        assert!(
            simulation.v()[0].abs() + simulation.v()[1].abs() + simulation.v()[2].abs() > 0.1,
            "{shapes:?}: no spin"
        );
    }
}

#[test]
fn contacts_without_a_law_are_refused_by_name() {
    let capsule = Shape::Capsule { radius: 0.05, length: 0.2 };
    let block = Shape::Box { size: Vec3::repeat(0.1) };
    let ball = Shape::Sphere { radius: 0.1 };
    for (shapes, named) in [
        (vec![capsule.clone()], "contact between a plane and a capsule"),
        (vec![block.clone(), ball], "contact between a box and a sphere"),
        (vec![block.clone(), block.clone()], "contact between a box and a box"),
        (vec![Shape::Cylinder { radius: 0.05, length: 0.2 }], "contact between a plane and a cylinder"),
    ] {
        let Err(LoadError::Unsupported(list)) = load("simbody", &above_ground([[0.5, 0.0]; 2], &shapes)) else {
            panic!("{named} was loaded");
        };
        assert!(list.iter().any(|u| u.feature.starts_with(named) && !u.hint.is_empty()), "{list:?}");
    }
    // A shape that may touch nothing is accepted.
    let mut builder = ModelBuilder::new("alone");
    let body = Body::new("body", Inertia::solid_sphere(1.0, 0.1)).with_shape(capsule, Pose::identity());
    builder.add_body(body, Joint::new("free", JointKind::Free).at(at(0.0, 0.0, 1.0)), None);
    load("simbody", &World::with_model(builder.build().unwrap())).unwrap();
}

#[test]
fn an_integrator_that_gives_up_names_step_and_body() {
    let world = above_ground([[0.5, 0.0]; 2], &[Shape::Sphere { radius: RADIUS }]);
    let mut simulation = load("simbody:max_internal_steps=3", &world).unwrap();
    simulation.set_state(0.0, &placed(&[[0.0, 0.0, RADIUS + 0.0105]]), &[0.0, 0.0, 0.0, 0.3, 0.0, -1.0]).unwrap();
    let trouble = advance(simulation.as_mut(), 0.1).unwrap_err();
    // It hits the ground in the eleventh millisecond, not before.
    let mentions = |word: &str| assert!(trouble.reason.contains(word), "{trouble:?}");
    mentions("in step 11:");
    mentions("max_internal_steps");
    mentions("'scene/body0'");
    assert!((trouble.time - 0.010).abs() < 1e-9, "{trouble:?}");
}

/// Simbody's tracker remembers contacts of the past. A snapshot only has positions and velocities, and still continues
/// to the bit: in the middle of impacts, of round pairs of every kind at once.
#[test]
fn a_snapshot_in_the_middle_of_impacts_continues_to_the_bit() {
    let (ball, egg) = (Shape::Sphere { radius: RADIUS }, Shape::Ellipsoid { radii: Vec3::new(0.08, 0.1, 0.12) });
    let world = above_ground([[0.5, 0.5]; 2], &[ball.clone(), egg.clone(), ball, egg]);
    let spec = "simbody:transition_speed_m_s=0.01";
    let mut whole = load(spec, &world).unwrap();
    let places = [[0.0, 0.0, 0.11], [0.03, 0.02, 0.34], [-0.02, 0.03, 0.56], [0.01, -0.02, 0.79]];
    whole.set_state(0.0, &placed(&places), &[0.0; 24]).unwrap();
    let bits = |s: &dyn Simulation| s.q().iter().chain(s.v()).map(|x| x.to_bits()).collect::<Vec<u64>>();
    let mut touching = 0;
    for cut in 1..=6 {
        advance(whole.as_mut(), 0.04 * f64::from(cut)).unwrap();
        let mut snapshot = Vec::new();
        whole.snapshot(&mut snapshot);
        let mut contacts = Vec::new();
        whole.contacts(&mut contacts);
        touching += contacts.len();
        let mut other = load(spec, &world).unwrap();
        other.restore(&snapshot).unwrap();
        let until = 0.04 * f64::from(cut) + 0.02;
        advance(other.as_mut(), until).unwrap();
        let mut ahead = load(spec, &world).unwrap();
        ahead.set_state(0.0, &placed(&places), &[0.0; 24]).unwrap();
        advance(ahead.as_mut(), until).unwrap();
        assert!(bits(other.as_ref()) == bits(ahead.as_ref()), "the run cut at {} s differs", 0.04 * f64::from(cut));
    }
    assert!(touching >= 6, "only {touching} points touched where it was cut");
}
