//! What Rapier cannot express is refused by name, all of it in one error.

mod scenes;
use scenes::*;
use veracity_engine::LoadError;
use veracity_model::coupling::{Coupling, LoopJoint, LoopKind};
use veracity_model::geometry::at;
use veracity_model::{
    Body, BodyShape, Inertia, Joint, JointKind, Material, ModelBuilder, Pose, Shape, Spring, Vec3, World,
};

fn ball(name: &str) -> Body {
    Body::new(name, Inertia::solid_sphere(1.0, 0.1))
}

fn refusals(spec: &str, world: &World) -> Vec<String> {
    match load(spec, world, 1e-3) {
        Ok(_) => Vec::new(),
        Err(LoadError::Unsupported(list)) => list.iter().map(|u| u.to_string()).collect(),
        Err(other) => panic!("{other}"),
    }
}

/// All unsupported features at once.
fn cabinet() -> World {
    let mut builder = ModelBuilder::new("cabinet");
    let axis = Vec3::x();
    builder.add_body(ball("screwed"), Joint::new("screw", JointKind::Screw { axis, pitch: 0.1 }), None);
    let universal = JointKind::Universal { axis1: axis, axis2: Vec3::y() };
    builder.add_body(ball("cardan"), Joint::new("universal", universal), None);
    let hinge = |name: &str| Joint::new(name, JointKind::revolute(Vec3::y()));
    let a = builder.add_body(ball("a"), hinge("rusty").each_dof(|d| d.friction = 1.0), None);
    let b = builder.add_body(ball("b"), hinge("geared").each_dof(|d| d.armature = 1.0), None);
    builder.add_body(ball("c"), hinge("wide").each_dof(|d| (d.lower, d.upper) = (-4.0, 4.0)), None);
    builder.add_body(ball("d"), hinge("open").each_dof(|d| d.lower = 0.0), None);
    let point = Inertia::point_mass(1.0, Vec3::x());
    builder.add_body(Body::new("point", point), Joint::new("f1", JointKind::Free), None);
    let rod = Inertia::thin_rod(1.0, Vec3::x());
    builder.add_body(Body::new("rod", rod), Joint::new("f2", JointKind::Free), None);
    builder.add_body(Body::new("ghost", Inertia::zero()), Joint::new("f3", JointKind::Free), None);
    let rough = builder.add_material(Material {
        name: "rough".into(),
        friction: [1.0, 0.5],
        rolling_friction: 0.1,
        ..Material::default()
    });
    let mut egg = ball("egg").with_shape(Shape::Ellipsoid { radii: Vec3::new(0.1, 0.2, 0.3) }, Pose::identity());
    let mut cube = BodyShape::new("cube", Shape::Box { size: Vec3::repeat(0.1) }, Pose::identity());
    cube.material = Some(rough);
    egg.shapes.push(cube);
    builder.add_body(egg, Joint::new("f4", JointKind::Free), None);
    let moving_plane = ball("sky").with_shape(Shape::Plane, at(0.0, 0.0, -5.0));
    builder.add_body(moving_plane, Joint::new("f5", JointKind::Free), None);
    let joints = |so_far: &ModelBuilder, name: &str| so_far.so_far().joint_named(name).unwrap();
    let (leader, follower) = (joints(&builder, "rusty"), joints(&builder, "geared"));
    builder.add_coupling(Coupling {
        name: "mimic".into(),
        follower,
        leader: Some(leader),
        coefficients: vec![0.0, 1.0],
        shared_motor: false,
        source: None,
    });
    builder.add_loop(LoopJoint {
        name: "rope".into(),
        kind: LoopKind::Distance { length: 1.0 },
        body_a: Some(a),
        body_b: Some(b),
        a_from_frame: Pose::identity(),
        b_from_frame: Pose::identity(),
        source: None,
    });
    builder.add_spring(Spring {
        name: "spring".into(),
        body_a: Some(a),
        body_b: Some(b),
        point_a: Vec3::zeros(),
        point_b: Vec3::zeros(),
        stiffness: 1.0,
        damping: 0.0,
        rest_length: 0.0,
        source: None,
    });
    World::with_model(builder.build().unwrap())
}

#[test]
fn one_error_names_everything() {
    let impulse = refusals("rapier", &cabinet());
    let expected = [
        "screw joint 'cabinet/screw'",
        "universal joint 'cabinet/universal'",
        "dry friction in joint 'cabinet/rusty'",
        "armature of joint 'cabinet/geared'",
        "range of joint 'cabinet/wide'",
        "range of joint 'cabinet/open'",
        "'cabinet/point', which has no moment",
        "'cabinet/rod', which has no moment of inertia about one axis",
        "'cabinet/ghost', which has no mass",
        "ellipsoid 'cabinet/egg/shape0'",
        "friction that depends on direction of the surface of 'cabinet/egg/cube'",
        "rolling friction of the surface of 'cabinet/egg/cube'",
        "plane 'cabinet/sky/shape0' on a body that moves",
        "coupling 'cabinet/mimic'",
        "distance joint 'cabinet/rope'",
    ];
    for what in expected {
        assert!(impulse.iter().any(|text| text.contains(what)), "{what} is not in {impulse:#?}");
    }
    assert_eq!(impulse.len(), expected.len(), "{impulse:#?}");
}

#[test]
fn a_multibody_supports_more() {
    let multibody = refusals("rapier:multibody", &cabinet());
    for taken in ["rusty", "geared'", "wide", "open"] {
        assert!(!multibody.iter().any(|text| text.contains(taken)), "{taken}: {multibody:#?}");
    }
    // The springs between points end on links here, on which Rapier's springs do not act.
    assert!(multibody.iter().any(|text| text.contains("spring 'cabinet/spring' on a multibody")), "{multibody:#?}");
}

#[test]
fn a_moment_floor_is_only_used_on_request() {
    let mut builder = ModelBuilder::new("w");
    let rod = Inertia::thin_rod(1.0, Vec3::x());
    builder.add_body(Body::new("rod", rod), Joint::new("hinge", JointKind::revolute(Vec3::y())), None);
    let world = World::with_model(builder.build().unwrap());
    for joints in ["impulse", "multibody"] {
        assert_eq!(refusals(&format!("rapier:{joints}"), &world).len(), 1);
        assert_eq!(refusals(&format!("rapier:{joints},moment_floor=1e-6"), &world).len(), 0);
    }
}

#[test]
fn a_joint_that_moves_no_inertia_is_refused() {
    let mut builder = ModelBuilder::new("w");
    let point = Body::new("point", Inertia::point_mass(1.0, Vec3::zeros()));
    builder.add_body(point, Joint::new("hinge", JointKind::revolute(Vec3::y())), None);
    let world = World::with_model(builder.build().unwrap());
    let found = refusals("rapier:multibody", &world);
    assert!(found.len() == 1 && found[0].contains("moves no inertia"), "{found:?}");
}

#[test]
fn a_world_without_contact_needs_no_shapes() {
    let mut builder = ModelBuilder::new("w");
    let egg = ball("egg").with_shape(Shape::Ellipsoid { radii: Vec3::repeat(0.1) }, Pose::identity());
    builder.add_body(egg, Joint::new("free", JointKind::Free), None);
    let mut world = World::with_model(builder.build().unwrap());
    assert_eq!(refusals("rapier", &world).len(), 1);
    world.contact = false;
    assert_eq!(refusals("rapier", &world).len(), 0);
}

#[test]
fn drag_that_a_weld_would_mix_up_is_refused() {
    let mut builder = ModelBuilder::new("w");
    let a = builder.add_body(ball("a"), Joint::new("free", JointKind::Free), None);
    let weld = Joint::new("weld", JointKind::Fixed).at(at(1.0, 0.0, 0.0));
    builder.add_body(Body { linear_damping: 1.0, gravity_scale: 0.0, ..ball("b") }, weld, Some(a));
    let found = refusals("rapier", &World::with_model(builder.build().unwrap()));
    assert_eq!(found.len(), 2, "{found:?}");
}
