//! Bodies that touch.

mod scenes;
use scenes::*;
use std::sync::Arc;
use veracity_engine::{Inputs, Simulation};
use veracity_model::geometry::at;
use veracity_model::shape::HeightField;
use veracity_model::{
    Body, BodyShape, Inertia, Joint, JointKind, Material, ModelBuilder, Pose, Shape, TriangleMesh, Vec3, World,
};

/// A surface of this friction and restitution.
fn material(builder: &mut ModelBuilder, friction: f64, restitution: f64) -> veracity_model::MaterialId {
    builder.add_material(Material { name: "m".into(), friction: [friction; 2], restitution, ..Material::default() })
}

fn shaped(name: &str, inertia: Inertia, shape: Shape, material: veracity_model::MaterialId) -> Body {
    let mut shape = BodyShape::new("s", shape, Pose::identity());
    shape.material = Some(material);
    Body { shapes: vec![shape], ..Body::new(name, inertia) }
}

/// A body on a plane, both of one surface, start at `q`.
fn on_plane(shape: Shape, friction: f64, restitution: f64) -> World {
    let mut builder = ModelBuilder::new("w");
    let m = material(&mut builder, friction, restitution);
    builder.add_body(shaped("ground", Inertia::zero(), Shape::Plane, m), Joint::new("fixed", JointKind::Fixed), None);
    let inertia = Inertia::solid_box(1.0, Vec3::repeat(0.1));
    builder.add_body(shaped("body", inertia, shape, m), Joint::new("free", JointKind::Free), None);
    World::with_model(builder.build().unwrap())
}

fn start(simulation: &mut dyn Simulation, place: Vec3, velocity: Vec3) {
    let [x, y, z] = place.into();
    let [vx, vy, vz] = velocity.into();
    simulation.set_state(0.0, &[x, y, z, 1.0, 0.0, 0.0, 0.0], &[0.0, 0.0, 0.0, vx, vy, vz]).unwrap();
}

#[test]
fn a_cube_at_rest_sinks_by_7e_5_m_and_creeps_by_8e_6() {
    for spec in ["rapier", "rapier:iters=20"] {
        let mut simulation = load(spec, &cube_on_plane(0.05), 1e-3).unwrap();
        coast(simulation.as_mut(), 10.0);
        let (sunk, crept) = (simulation.q()[2] - 0.05, simulation.q()[0].hypot(simulation.q()[1]));
        // Known of Rapier alone, to two digits.
        assert!((sunk + 6.9e-5).abs() < 1e-6 && (crept - 8.3e-6).abs() < 1e-6, "{spec}: {sunk:e} {crept:e}");
    }
    // Stiffer contacts sink less: the setting reaches the contact.
    let mut stiff = load("rapier:static_contact_hz=1000", &cube_on_plane(0.05), 1e-3).unwrap();
    coast(stiff.as_mut(), 2.0);
    assert!((stiff.q()[2] - 0.05).abs() < 1e-5, "{}", stiff.q()[2]);
}

/// Deceleration of a sliding cube over μ g, after checking the impulses of a step against the change of momentum.
fn braking(spec: &str, friction: f64) -> f64 {
    let mut simulation = load(spec, &on_plane(Shape::Box { size: Vec3::repeat(0.1) }, friction, 0.0), 1e-3).unwrap();
    start(simulation.as_mut(), Vec3::new(0.0, 0.0, 0.05), Vec3::new(2.0, 0.0, 0.0));
    coast(simulation.as_mut(), 0.1);
    let before = simulation.v()[3];
    coast(simulation.as_mut(), 0.101);
    let change = simulation.v()[3] - before;
    let mut contacts = Vec::new();
    simulation.contacts(&mut contacts);
    let body = simulation.layout().body("body").map(|slot| slot as u32);
    let sum = |k: usize| -> f64 {
        contacts.iter().map(|c| if c.body_a == body { c.impulse[k] } else { -c.impulse[k] }).sum()
    };
    // 1 kg. Under the simplified friction the last substep stands for all of them: equal in steady sliding to 1e-6.
    assert!((sum(0) / change - 1.0).abs() < 1e-5, "{spec}: {:e} {change:e}", sum(0));
    assert!((sum(2) / (G * 1e-3) - 1.0).abs() < 1e-3, "{spec}: {:e}", sum(2));
    -change / (friction * G * 1e-3)
}

#[test]
fn a_sliding_cube_is_braked_by_friction_times_weight() {
    for friction in [0.2, 0.5] {
        let simplified = braking("rapier", friction);
        assert!((simplified - 1.0).abs() < 1e-3, "{friction}: {simplified}");
    }
}

/// A known property of Rapier, tested so that a version that changes it is noticed: one constraint per point brakes too
/// little.
#[test]
fn coulomb_friction_per_point_brakes_six_percent_too_little() {
    let found = braking("rapier:friction=coulomb", 0.2);
    assert!((found - 0.936).abs() < 0.01, "{found}");
}

#[test]
fn a_sliding_cube_stops_where_coulomb_says() {
    let mut simulation = load("rapier", &on_plane(Shape::Box { size: Vec3::repeat(0.1) }, 0.5, 0.0), 1e-3).unwrap();
    start(simulation.as_mut(), Vec3::new(0.0, 0.0, 0.05), Vec3::new(2.0, 0.0, 0.0));
    coast(simulation.as_mut(), 3.0);
    // v²/2μg; a percent for the first steps, in which the contact is still settling.
    let travel = 2.0 * 2.0 / (2.0 * 0.5 * G);
    assert!((simulation.q()[0] / travel - 1.0).abs() < 0.01, "{} {travel}", simulation.q()[0]);
}

#[test]
fn a_ball_bounces_with_the_models_restitution() {
    for restitution in [0.0, 0.5, 0.9] {
        let world = on_plane(Shape::Sphere { radius: 0.05 }, 0.5, restitution);
        let mut simulation = load("rapier", &world, 1e-3).unwrap();
        start(simulation.as_mut(), Vec3::new(0.0, 0.0, 1.05), Vec3::zeros());
        let fall = (2.0 / G).sqrt();
        coast(simulation.as_mut(), ((fall + 0.01) * 1e3).round() * 1e-3);
        let (before, after) = ((2.0 * G).sqrt(), simulation.v()[5]);
        // A hundredth of a second after the impact at the latest: g · 0.01 of 4.4 m/s.
        assert!((after - restitution * before).abs() < 0.12, "{restitution}: {after} of {before}");
    }
}

#[test]
fn every_shape_rests_on_the_plane_at_its_own_height() {
    let hull = Arc::new(TriangleMesh::cuboid(Vec3::repeat(0.1)));
    let shapes = [
        (Shape::Sphere { radius: 0.05 }, 0.05),
        (Shape::Box { size: Vec3::repeat(0.1) }, 0.05),
        (Shape::Capsule { radius: 0.02, length: 0.06 }, 0.05),
        (Shape::Cylinder { radius: 0.03, length: 0.1 }, 0.05),
        (Shape::Convex(hull.clone()), 0.05),
        (Shape::Mesh(hull), 0.05),
    ];
    for (shape, height) in shapes {
        let mut simulation = load("rapier", &on_plane(shape.clone(), 0.5, 0.0), 1e-3).unwrap();
        start(simulation.as_mut(), Vec3::new(0.0, 0.0, height + 0.001), Vec3::zeros());
        // Before a capsule on its end tips over.
        coast(simulation.as_mut(), 0.2);
        let off = simulation.q()[2] - height;
        assert!(off.abs() < 5e-4, "{}: {off:e}", shape.name());
    }
}

#[test]
fn a_ball_rests_in_the_valley_of_a_height_field() {
    // Heights that fall towards +x and +y: the corner of the highest x and y is the lowest.
    let counts = [5, 4];
    let heights = (0..4).flat_map(|r| (0..5).map(move |c| 0.3 - 0.05 * c as f64 - 0.05 * r as f64)).collect();
    let field = Shape::HeightField(Arc::new(HeightField { size: [4.0, 3.0], counts, heights }));
    let mut builder = ModelBuilder::new("w");
    let m = material(&mut builder, 1.0, 0.0);
    builder.add_body(shaped("hill", Inertia::zero(), field, m), Joint::new("fixed", JointKind::Fixed), None);
    let ball = shaped("ball", Inertia::solid_sphere(1.0, 0.05), Shape::Sphere { radius: 0.05 }, m);
    builder.add_body(ball, Joint::new("free", JointKind::Free), None);
    let mut simulation = load("rapier", &World::with_model(builder.build().unwrap()), 1e-3).unwrap();
    // Over the middle, where the slope is -0.05 along x and y: the height is 0.3 - 0.1 - 0.075.
    start(simulation.as_mut(), Vec3::new(0.0, 0.0, 0.18), Vec3::zeros());
    coast(simulation.as_mut(), 1.0);
    let q = simulation.q();
    assert!(q[0] > 0.05 && q[1] > 0.05, "rolls downhill: {q:?}");
    let surface = 0.125 - 0.05 * (q[0] + q[1]);
    let across = 0.05 * (1.0f64 + 2.0 * 0.05 * 0.05).sqrt();
    assert!((q[2] - surface - across).abs() < 1e-3, "{q:?} {surface}");
}

/// A column of boxes, each free, that may or may not touch each other; how high each ends.
fn column(boxes: usize, change: impl Fn(&mut ModelBuilder)) -> Vec<f64> {
    let mut builder = ModelBuilder::new("w");
    let mut start = Vec::new();
    for i in 0..boxes {
        let shape = Shape::Box { size: Vec3::repeat(0.1) };
        let body = Body::new(format!("b{i}"), Inertia::solid_box(1.0, Vec3::repeat(0.1)))
            .with_shape(shape, Pose::identity());
        builder.add_body(body, Joint::new(format!("f{i}"), JointKind::Free), None);
        start.extend([0.0, 0.0, 0.05 + 0.1 * i as f64, 1.0, 0.0, 0.0, 0.0]);
    }
    builder.start_at(start);
    change(&mut builder);
    let mut ground = ModelBuilder::new("ground");
    let plane = Body::new("plane", Inertia::zero()).with_shape(Shape::Plane, Pose::identity());
    ground.add_body(plane, Joint::new("fixed", JointKind::Fixed), None);
    let mut world = World::with_model(builder.build().unwrap());
    world.placements.extend(World::with_model(ground.build().unwrap()).placements);
    let mut simulation = load("rapier:iters=8", &world, 1e-3).unwrap();
    coast(simulation.as_mut(), 0.5);
    simulation.q().chunks(7).map(|q| q[2]).collect()
}

#[test]
fn filters_groups_and_self_collision_decide_which_bodies_touch() {
    assert!((column(2, |_| ())[1] - 0.15).abs() < 2e-3, "two boxes stand on each other");
    assert!((column(2, |b| b.self_collide(false))[1] - 0.05).abs() < 2e-3, "and fall into each other");
    let filter = |b: &mut ModelBuilder| {
        let (a, c) = (veracity_model::BodyId(0), veracity_model::BodyId(1));
        b.exclude_contact(a, c);
    };
    assert!((column(2, filter)[1] - 0.05).abs() < 2e-3);
    let mask = |b: &mut ModelBuilder| {
        for i in 0..2 {
            let shape = &mut b.body_mut(veracity_model::BodyId(i)).shapes[0];
            // Their masks include the ground's group but not each other's.
            (shape.group, shape.mask) = (2, 1);
        }
    };
    assert!((column(2, mask)[1] - 0.05).abs() < 2e-3);
}

#[test]
fn more_classes_than_bits_are_filtered_as_well() {
    // Forty boxes in a column, of which no two neighbours touch: each falls onto the next but one.
    let filter = |b: &mut ModelBuilder| {
        for i in 0..39 {
            let (a, c) = (veracity_model::BodyId(i), veracity_model::BodyId(i + 1));
            b.exclude_contact(a, c);
        }
    };
    let filtered = column(40, filter);
    // The second lies in the first, on the ground; the third, with those that press on it, on the first.
    assert!((filtered[1] - 0.05).abs() < 0.01 && (filtered[2] - 0.15).abs() < 0.02, "{filtered:?}");
    let all = column(40, |_| ());
    assert!((all[1] - 0.15).abs() < 0.03, "{all:?}");
}

#[test]
fn a_world_without_contact_has_none() {
    let mut world = cube_on_plane(0.05);
    world.contact = false;
    let mut simulation = load("rapier", &world, 1e-3).unwrap();
    coast(simulation.as_mut(), 1.0);
    assert!(simulation.q()[2] < -4.0);
}

/// A cube between two jaws on sliders along x, pushed together with 100 N each, 1 m up.
fn grip() -> World {
    let mut builder = ModelBuilder::new("grip");
    let m = material(&mut builder, 1.0, 0.0);
    let cube = shaped("cube", Inertia::solid_box(1.0, Vec3::repeat(0.1)), Shape::Box { size: Vec3::repeat(0.1) }, m);
    builder.add_body(cube, Joint::new("free", JointKind::Free).at(at(0.0, 0.0, 1.0)), None);
    let size = Vec3::new(0.04, 0.1, 0.1);
    for (name, x) in [("left", -0.07), ("right", 0.07)] {
        let jaw = shaped(name, Inertia::solid_box(1.0, size), Shape::Box { size }, m);
        builder.add_body(jaw, Joint::new(name, JointKind::prismatic(Vec3::x())).at(at(x, 0.0, 1.0)), None);
    }
    World::with_model(builder.build().unwrap())
}

/// Slip of the cube after 10 s and how far the jaws have sunk into it.
fn gripped(spec: &str) -> (f64, f64) {
    let mut simulation = load(spec, &grip(), 1e-3).unwrap();
    let mut inputs = Inputs::none(8);
    (inputs.efforts[6], inputs.efforts[7]) = (100.0, -100.0);
    advance(simulation.as_mut(), 10.0, &inputs);
    (simulation.q()[2], simulation.q()[7] - simulation.q()[8])
}

#[test]
fn impulse_jaws_hold_the_cube_and_sink_into_it_unless_contacts_are_stiff() {
    let (slip, sunk) = gripped("rapier");
    // Known of Rapier alone: slips 0.42 mm, sinks 14.3 mm.
    assert!(slip.abs() < 1e-3 && (sunk - 14.3e-3).abs() < 2e-3, "{slip:e} {sunk:e}");
    let (slip, sunk) = gripped("rapier:contact_hz=1000,allowed_error_m=1e-5");
    assert!(slip.abs() < 1e-5 && sunk < 1e-4, "{slip:e} {sunk:e}");
}

#[test]
fn multibody_jaws_hold_it_as_well() {
    let (slip, sunk) = gripped("rapier:multibody");
    assert!(slip.abs() < 1e-3 && (1e-3..14.3e-3).contains(&sunk), "{slip:e} {sunk:e}");
}
