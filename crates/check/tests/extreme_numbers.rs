//! Numbers near the limits of f64: always a verdict, no panic, no endless loop.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use veracity_check::{Verdict, inspect_world};
use veracity_model::geometry::pose;
use veracity_model::{
    Body, Dof, Inertia, Joint, JointKind, LoopJoint, LoopKind, ModelBuilder, Pose, Shape, Vec3, World,
};

/// Zeros of both signs, numbers too small to square, too large to square, and ordinary ones.
fn extreme() -> impl Strategy<Value = f64> {
    let edges = [0.0, -0.0, 5e-324, 1e-308, 1e-200, 1e-154, 1e-30, 1.0, 1e8, 1e30, 1e154, 1e200, 1.7e308];
    (prop::sample::select(edges.to_vec()), -2.0f64..2.0, any::<bool>())
        .prop_map(|(edge, ordinary, pick)| if pick { edge * ordinary.signum() } else { ordinary })
}

fn vector() -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(extreme()).prop_map(Vec3::from)
}

fn place() -> impl Strategy<Value = Pose> {
    (vector(), prop::array::uniform3(-3.0f64..3.0)).prop_map(|(xyz, rpy)| pose(xyz, rpy))
}

fn shape() -> impl Strategy<Value = Shape> {
    let size = || extreme().prop_map(f64::abs);
    prop_oneof![
        size().prop_map(|radius| Shape::Sphere { radius }),
        vector().prop_map(|v| Shape::Box { size: v.abs() }),
        vector().prop_map(|v| Shape::Ellipsoid { radii: v.abs() }),
        (size(), size()).prop_map(|(radius, length)| Shape::Capsule { radius, length }),
        (size(), size()).prop_map(|(radius, length)| Shape::Cylinder { radius, length }),
        size().prop_map(|radius| Shape::Disc { radius }),
        Just(Shape::Plane),
    ]
}

fn body() -> impl Strategy<Value = (Inertia, Shape, Pose, Pose, Dof, u8)> {
    let inertia = (extreme(), vector(), prop::array::uniform6(extreme()))
        .prop_map(|(mass, com, tensor)| Inertia::new(mass, com, tensor));
    let dof = prop::array::uniform6(extreme()).prop_map(|[lower, upper, damping, stiffness, friction, armature]| {
        Dof { lower, upper, damping, stiffness, friction, armature, ..Dof::default() }
    });
    (inertia, shape(), place(), place(), dof, 0u8..5)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000, rng_seed: RngSeed::Fixed(3), failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn every_model_that_builds_gets_a_verdict(
        bodies in prop::collection::vec(body(), 1..5), length in extreme(), gravity in vector()
    ) {
        let mut builder = ModelBuilder::new("extreme");
        let mut parent = None;
        for (i, (inertia, shape, at_shape, at_joint, dof, kind)) in bodies.into_iter().enumerate() {
            let kind = match kind {
                0 => JointKind::Fixed,
                1 => JointKind::revolute(Vec3::y()),
                2 => JointKind::prismatic(Vec3::x()),
                3 => JointKind::Ball,
                _ => JointKind::Free,
            };
            let body = Body::new(format!("body{i}"), inertia).with_shape(shape, at_shape);
            let joint = Joint::new(format!("joint{i}"), kind).at(at_joint).each_dof(|d| *d = dof);
            parent = Some(builder.add_body(body, joint, parent));
        }
        builder.add_loop(LoopJoint {
            name: "rod".into(),
            kind: LoopKind::Distance { length },
            body_a: None,
            body_b: parent,
            a_from_frame: Pose::identity(),
            b_from_frame: Pose::identity(),
            source: None,
        });
        if let Ok(model) = builder.build() {
            let mut world = World::with_model(model);
            world.gravity = gravity;
            let report = inspect_world(&world);
            prop_assert!(report.verdict.is_some());
            // A rejection has reasons.
            prop_assert_eq!(report.verdict == Some(Verdict::Accepted), report.reasons.is_empty());
        }
    }
}
