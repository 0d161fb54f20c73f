//! Nonconvex surfaces: a floor of many triangles acts as one floor, a notch touches on both sides, a sharp edge is touched.

mod scenes;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use scenes::{points, scene};
use std::sync::Arc;
use veracity_collide::{ContactPoint, gap};
use veracity_model::geometry::{at, pose};
use veracity_model::shape::HeightField;
use veracity_model::{Pose, Shape, TriangleMesh, Vec3};

/// A prism over a polygon in x and z, counter-clockwise seen from -y, from y = -depth/2 to depth/2.
fn prism(outline: &[[f64; 2]], triangles: &[[u32; 3]], depth: f64) -> Shape {
    let count = outline.len() as u32;
    let side = |y: f64| outline.iter().map(move |[x, z]| Vec3::new(*x, y, *z));
    let vertices = side(-0.5 * depth).chain(side(0.5 * depth)).collect();
    let mut all = Vec::new();
    for [a, b, c] in triangles {
        all.push([*a, *b, *c]);
        all.push([c + count, b + count, a + count]);
    }
    for i in 0..count {
        let k = (i + 1) % count;
        all.extend([[k, i, i + count], [k, i + count, k + count]]);
    }
    let mesh = TriangleMesh::new(vertices, all);
    assert!(mesh.closure().is_closed() && !mesh.closure().is_inside_out(), "{:?}", mesh.closure());
    Shape::Mesh(Arc::new(mesh))
}

/// A step: a slab 2 m wide, 0.2 m high, with a block 0.3 m high on its right half.
fn step() -> Shape {
    let outline = [[-1.0, -0.2], [1.0, -0.2], [1.0, 0.3], [0.5, 0.3], [0.5, 0.0], [-1.0, 0.0]];
    prism(&outline, &[[0, 1, 4], [0, 4, 5], [1, 2, 3], [1, 3, 4]], 1.0)
}

fn gaps(found: &[ContactPoint]) -> Vec<f64> {
    let mut all: Vec<f64> = found.iter().map(|p| p.gap).collect();
    all.sort_by(f64::total_cmp);
    all
}

#[test]
fn a_box_on_a_floor_of_triangles_has_the_four_corners_it_has_on_a_plane() {
    let cube = Shape::Box { size: Vec3::new(0.2, 0.2, 0.1) };
    // Anywhere on the lower floor, across the seams of triangles, also turned.
    for i in 0..60 {
        let x = -0.85 + 0.02 * f64::from(i);
        let place = pose(Vec3::new(x, 0.1, 0.05 - 1e-5), [0.0, 0.0, 0.1 * f64::from(i)]);
        let found = points(&step(), &Pose::identity(), &cube, &place, 1e-3);
        let reach = 0.1 * std::f64::consts::SQRT_2;
        if x + reach > 0.499 {
            continue;
        }
        assert_eq!(found.len(), 4, "{x}: {found:?}");
        for p in &found {
            assert!((p.gap + 1e-5).abs() < 1e-15 && (p.normal + Vec3::z()).norm() < 1e-15, "{p:?}");
        }
    }
}

#[test]
fn a_box_in_the_corner_of_a_step_is_held_from_below_and_from_the_side() {
    let cube = Shape::Box { size: Vec3::repeat(0.2) };
    let found = points(&step(), &Pose::identity(), &cube, &at(0.4 + 1e-5, 0.0, 0.1 - 1e-5), 1e-3);
    let along = |n: Vec3| found.iter().filter(|p| (p.normal - n).norm() < 1e-9).count();
    assert!(along(-Vec3::z()) >= 2 && along(Vec3::x()) >= 2, "{found:?}");
    assert!(found.iter().all(|p| (p.gap + 1e-5).abs() < 1e-12), "{found:?}");
    // The corners away from the wall stand on the floor, the upper ones lean on the wall.
    assert!(found.iter().any(|p| p.point_b.x < 0.31) && found.iter().any(|p| p.point_b.z > 0.19));
}

#[test]
fn a_box_over_the_edge_of_a_step_has_points_on_the_edge() {
    let cube = Shape::Box { size: Vec3::repeat(0.2) };
    // On the upper floor, half over its edge at x = 0.5: two corners and two crossings of edges.
    let found = points(&step(), &Pose::identity(), &cube, &at(0.55, 0.0, 0.4 + 1e-4), 1e-3);
    assert_eq!(found.len(), 4, "{found:?}");
    for p in &found {
        assert!((p.gap - 1e-4).abs() < 1e-12 && (p.normal + Vec3::z()).norm() < 1e-12);
        assert!((p.point_a.x - 0.5).abs() < 1e-12 || (p.point_a.x - 0.65).abs() < 1e-12, "{p:?}");
    }
}

#[test]
fn a_ball_in_a_notch_touches_both_sides_and_on_an_edge_the_edge() {
    let ball = Shape::Sphere { radius: 0.1 };
    let found = points(&step(), &Pose::identity(), &ball, &at(0.4, 0.2, 0.1), 1e-6);
    assert!(found.len() == 2 && found.iter().all(|p| p.gap.abs() < 1e-15), "{found:?}");
    // Over the edge at (0.5, 0.3), from 45 degrees.
    let h = 0.1 * std::f64::consts::FRAC_1_SQRT_2;
    let found = points(&step(), &Pose::identity(), &ball, &at(0.5 - h, 0.1, 0.3 + h), 1e-6);
    assert!(found.len() == 1 && found[0].gap.abs() < 1e-15, "{found:?}");
    assert!((found[0].normal - Vec3::new(1.0, 0.0, -1.0).normalize()).norm() < 1e-14);
    // The seam between triangles of the floor has no effect.
    let found = points(&step(), &Pose::identity(), &ball, &at(-0.25, 0.0, 0.0999), 1e-3);
    assert!(found.len() == 1 && (found[0].gap + 1e-4).abs() < 1e-15, "{found:?}");
}

#[test]
fn a_capsule_lies_on_the_floor_with_both_ends() {
    let capsule = Shape::Capsule { radius: 0.05, length: 0.4 };
    let lying = pose(Vec3::new(-0.3, 0.0, 0.05), [0.0, std::f64::consts::FRAC_PI_2, 0.7]);
    let found = points(&step(), &Pose::identity(), &capsule, &lying, 1e-3);
    assert!(found.len() == 2 && found.iter().all(|p| p.gap.abs() < 1e-15), "{found:?}");
}

#[test]
fn two_steps_touch_like_two_boxes() {
    // The second stands on the first's lower floor, upside down: its upper block comes down on the floor.
    let turned = pose(Vec3::new(0.2, 0.0, 0.3), [0.0, std::f64::consts::PI, 0.0]);
    let found = points(&step(), &Pose::identity(), &step(), &turned, 1e-3);
    let below: Vec<_> = found.iter().filter(|p| (p.normal + Vec3::z()).norm() < 1e-9).collect();
    assert!(below.len() >= 4, "{found:?}");
    assert!(gaps(&found).iter().all(|g| g.abs() < 1e-12), "{found:?}");
}

#[test]
fn a_box_on_a_level_height_field_stands_as_on_a_plane() {
    let field = HeightField { size: [2.0, 2.0], counts: [21, 21], heights: vec![0.0; 441] };
    let mut bumpy = field.clone();
    bumpy.heights[0] = 0.05;
    let cube = Shape::Box { size: Vec3::repeat(0.2) };
    for field in [field, bumpy] {
        let ground = Shape::HeightField(Arc::new(field));
        let mut scene = scene(&[ground, cube.clone()]);
        let mut found = Vec::new();
        for i in 0..20 {
            let place = pose(Vec3::new(0.037 * f64::from(i) - 0.3, 0.11, 0.1), [0.0, 0.0, 0.3 * f64::from(i)]);
            scene.find(&[Pose::identity(), place], &[0.0; 2], 1e-4, &mut found).unwrap();
            assert!(found.len() == 4 && found.iter().all(|p| p.gap.abs() < 1e-15), "{found:?}");
        }
    }
}

#[test]
fn round_solids_rest_on_a_floor_of_triangles() {
    let quarter = std::f64::consts::FRAC_PI_2;
    let rests: [(Shape, Pose, usize); 3] = [
        (Shape::Cylinder { radius: 0.1, length: 0.2 }, pose(Vec3::new(-0.31, 0.07, 0.1 - 1e-5), [0.0, 0.0, 0.3]), 8),
        (
            Shape::Cylinder { radius: 0.1, length: 0.2 },
            pose(Vec3::new(-0.31, 0.07, 0.1 - 1e-5), [quarter, 0.0, 0.3]),
            1,
        ),
        (
            Shape::Ellipsoid { radii: Vec3::new(0.2, 0.15, 0.1) },
            pose(Vec3::new(-0.31, 0.07, 0.1 - 1e-5), [0.0, 0.0, 0.3]),
            1,
        ),
    ];
    for (shape, place, at_least) in rests {
        let found = points(&step(), &Pose::identity(), &shape, &place, 1e-3);
        let least = found.iter().fold(f64::INFINITY, |g, p| g.min(p.gap));
        // Support functions in closed form, the normal by a climb that ends within 1e-6 of the size.
        assert!(found.len() >= at_least && (least + 1e-5).abs() < 1e-8, "{found:?}");
        assert!(found.iter().all(|p| (p.normal + Vec3::z()).norm() < 1e-4), "{found:?}");
    }
}

fn any_shape() -> impl Strategy<Value = Shape> {
    let size = 0.05f64..0.5;
    prop_oneof![
        size.clone().prop_map(|radius| Shape::Sphere { radius }),
        (size.clone(), size.clone()).prop_map(|(radius, length)| Shape::Capsule { radius, length }),
        prop::array::uniform3(size.clone()).prop_map(|s| Shape::Box { size: Vec3::from(s) }),
        (size.clone(), size.clone()).prop_map(|(radius, length)| Shape::Cylinder { radius, length }),
        prop::array::uniform3(size.clone()).prop_map(|r| Shape::Ellipsoid { radii: Vec3::from(r) }),
        size.prop_map(|radius| Shape::Disc { radius }),
        Just(step()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, rng_seed: RngSeed::Fixed(4), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn overlap_with_a_step_is_detected_and_separated_shapes_are_not_reported(
        shape in any_shape(), place in prop::array::uniform3(-1.0f64..1.0), rpy in prop::array::uniform3(-3.0f64..3.0),
    ) {
        let place = pose(Vec3::from(place), rpy);
        let found = points(&step(), &Pose::identity(), &shape, &place, 0.01);
        let whole = gap(&step(), &Pose::identity(), &shape, &place).unwrap();
        for p in &found {
            prop_assert!((p.normal.norm() - 1.0).abs() < 1e-12 && p.gap <= 0.01, "{p:?}");
            prop_assert!((p.normal.dot(&(p.point_a - p.point_b)) - p.gap).abs() < 1e-5, "{p:?}");
        }
        let least = found.iter().fold(f64::INFINITY, |g, p| g.min(p.gap));
        // A disc has no thickness and passes through a wall that its rim does not touch.
        let thin = matches!(shape, Shape::Disc { .. });
        prop_assert!(whole.distance > -1e-3 || least < 0.0 || thin, "unseen: {whole:?} {found:?}");
        // Corners over a face beyond its edge are not counted, so nothing is nearer than it is.
        prop_assert!(whole.distance < 1e-6 || least > whole.distance - 1e-6, "{whole:?} {found:?}");
    }
}
