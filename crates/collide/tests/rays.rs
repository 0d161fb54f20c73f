//! Rays against closed forms, and every shape against its own gap function.

use std::sync::Arc;
use veracity_collide::{Collider, Ray, collider_gap};
use veracity_model::geometry::{at, pose};
use veracity_model::shape::HeightField;
use veracity_model::{Pose, Shape, TriangleMesh, Vec3};

fn hit(shape: &Shape, place: &Pose, origin: [f64; 3], direction: [f64; 3]) -> Option<f64> {
    let ray = Ray { origin: origin.into(), direction: Vec3::from(direction).normalize() };
    ray.distance(&Collider::new(shape).unwrap(), place, 100.0)
}

#[test]
fn a_plane_is_height_over_the_cosine() {
    // From 2 m up, 30° off the vertical: 2 / cos 30°.
    let tilt = (30f64).to_radians();
    let found = hit(&Shape::Plane, &Pose::identity(), [5.0, 1.0, 2.0], [tilt.sin(), 0.0, -tilt.cos()]);
    assert!((found.unwrap() - 2.0 / tilt.cos()).abs() < 1e-14, "{found:?}");
    assert_eq!(hit(&Shape::Plane, &Pose::identity(), [0.0, 0.0, 2.0], [1.0, 0.0, 0.0]), None);
    assert_eq!(hit(&Shape::Plane, &Pose::identity(), [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]), Some(0.0));
}

#[test]
fn solids_are_hit_at_their_closed_form_distance() {
    let ball = Shape::Sphere { radius: 0.5 };
    assert_eq!(hit(&ball, &at(3.0, 0.0, 0.0), [0.0; 3], [1.0, 0.0, 0.0]), Some(2.5));
    // 0.3 off the centre: half chord 0.4.
    assert!((hit(&ball, &at(3.0, 0.3, 0.0), [0.0; 3], [1.0, 0.0, 0.0]).unwrap() - 2.6).abs() < 1e-15);
    assert_eq!(hit(&ball, &at(3.0, 0.6, 0.0), [0.0; 3], [1.0, 0.0, 0.0]), None);
    assert_eq!(hit(&ball, &at(-3.0, 0.0, 0.0), [0.0; 3], [1.0, 0.0, 0.0]), None, "behind");
    assert_eq!(hit(&ball, &at(0.1, 0.0, 0.0), [0.0; 3], [1.0, 0.0, 0.0]), Some(0.0), "inside");
    let crate_ = Shape::Box { size: Vec3::new(1.0, 2.0, 3.0) };
    assert_eq!(hit(&crate_, &at(4.0, 0.9, 1.4), [0.0; 3], [1.0, 0.0, 0.0]), Some(3.5));
    let drum = Shape::Cylinder { radius: 0.5, length: 2.0 };
    assert!((hit(&drum, &at(2.0, 0.3, 0.0), [0.0; 3], [1.0, 0.0, 0.0]).unwrap() - 1.6).abs() < 1e-15);
    assert_eq!(hit(&drum, &at(0.1, 0.2, -4.0), [0.0; 3], [0.0, 0.0, -1.0]), Some(3.0), "its end");
    let pill = Shape::Capsule { radius: 0.5, length: 2.0 };
    assert_eq!(hit(&pill, &at(0.0, 0.0, -4.0), [0.0; 3], [0.0, 0.0, -1.0]), Some(2.5), "its round end");
    assert!((hit(&pill, &at(2.0, 0.3, 0.9), [0.0; 3], [1.0, 0.0, 0.0]).unwrap() - 1.6).abs() < 1e-15, "its side");
    let egg = Shape::Ellipsoid { radii: Vec3::new(1.0, 2.0, 0.5) };
    assert_eq!(hit(&egg, &at(3.0, 0.0, 0.0), [0.0; 3], [1.0, 0.0, 0.0]), Some(2.0));
    let rim = Shape::Disc { radius: 1.0 };
    assert_eq!(hit(&rim, &at(0.5, 0.0, -2.0), [0.0; 3], [0.0, 0.0, -1.0]), Some(2.0));
    assert_eq!(hit(&rim, &at(1.5, 0.0, -2.0), [0.0; 3], [0.0, 0.0, -1.0]), None);
    let far = Ray { origin: Vec3::zeros(), direction: Vec3::x() };
    let ball = Collider::new(&ball).unwrap();
    assert_eq!(far.distance(&ball, &at(3.0, 0.0, 0.0), 2.4), None, "beyond the limit");
}

#[test]
fn a_ray_ends_on_the_surface_and_not_before() {
    let cube = TriangleMesh::cuboid(Vec3::new(0.8, 0.6, 1.0));
    let hill =
        HeightField { size: [2.0, 2.0], counts: [3, 3], heights: vec![0.1, 0.0, 0.2, 0.0, 0.5, 0.0, 0.3, 0.0, 0.1] };
    let shapes = [
        Shape::Sphere { radius: 0.5 },
        Shape::Box { size: Vec3::new(0.5, 1.0, 0.7) },
        Shape::Capsule { radius: 0.3, length: 0.8 },
        Shape::Cylinder { radius: 0.4, length: 0.9 },
        Shape::Ellipsoid { radii: Vec3::new(0.5, 0.7, 0.3) },
        Shape::Convex(Arc::new(cube.clone())),
        Shape::Mesh(Arc::new(cube)),
        Shape::HeightField(Arc::new(hill)),
    ];
    let place = pose(Vec3::new(0.1, -0.2, 0.3), [0.4, -0.3, 0.7]);
    let point = Collider::new(&Shape::Sphere { radius: 1e-12 }).unwrap();
    for shape in &shapes {
        let collider = Collider::new(shape).unwrap();
        let mut hits = 0;
        for i in 0..40 {
            // From a ring around the shape, at points near its middle.
            let turn = f64::from(i) * 0.7;
            let origin = Vec3::new(3.0 * turn.cos(), 3.0 * turn.sin(), 2.0 + 0.5 * (1.3 * turn).sin());
            let aim = Vec3::new(0.1 + 0.2 * (3.0 * turn).cos(), -0.2, 0.3 + 0.1 * (2.0 * turn).sin());
            let ray = Ray { origin, direction: (aim - origin).normalize() };
            let Some(t) = ray.distance(&collider, &place, 100.0) else { continue };
            hits += 1;
            // A micrometre before its end the ray is outside, and at most a micrometre away.
            let end = origin + (t - 1e-6) * ray.direction;
            let gap = collider_gap(&point, &at(end.x, end.y, end.z), &collider, &place).unwrap().distance;
            assert!(gap > 0.0 && gap < 1e-6 + 1e-9, "{}: {gap:e} at {t}", shape.name());
            // Halfway the ray is still outside.
            let before = origin + 0.5 * t * ray.direction;
            let gap = collider_gap(&point, &at(before.x, before.y, before.z), &collider, &place).unwrap().distance;
            assert!(gap > 0.0, "{}: already inside at half the way", shape.name());
        }
        assert!(hits >= 30, "{}: {hits} of 40", shape.name());
    }
}
