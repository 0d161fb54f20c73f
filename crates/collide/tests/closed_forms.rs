//! Gaps compared with formulas that can be checked by hand.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};
use std::sync::Arc;
use veracity_collide::{GapError, gap};
use veracity_model::geometry::{at, pose};
use veracity_model::{Pose, Shape, TriangleMesh, Vec3};

/// Closed forms are a handful of operations on numbers of order one.
const ROUNDING: f64 = 1e-14;

fn distance(a: &Shape, world_from_a: &Pose, b: &Shape, world_from_b: &Pose) -> f64 {
    gap(a, world_from_a, b, world_from_b).unwrap().distance
}

fn tilted(x: f64, y: f64, z: f64, tilt: f64) -> Pose {
    pose(Vec3::new(x, y, z), [tilt, 0.0, 0.7])
}

#[test]
fn the_gap_of_spheres_is_the_distance_of_centres_minus_the_radii() {
    let (a, b) = (Shape::Sphere { radius: 0.5 }, Shape::Sphere { radius: 0.25 });
    for (x, expected) in [(3.0, 2.25), (0.75, 0.0), (0.5, -0.25), (0.0, -0.75)] {
        assert!((distance(&a, &at(x, 0.0, 0.0), &b, &at(0.0, 0.0, 0.0)) - expected).abs() < ROUNDING, "{x}");
    }
}

#[test]
fn the_lowest_point_of_each_shape_decides_its_gap_to_a_plane() {
    let ground = at(0.0, 0.0, 0.0);
    let tilt = 0.3_f64;
    let (s, c) = tilt.sin_cos();
    // Height of the centre above the lowest point, from the formula in the text of each shape.
    let cases = [
        (Shape::Sphere { radius: 0.4 }, 0.4),
        (Shape::Box { size: Vec3::new(0.2, 0.4, 0.6) }, 0.2 * s + 0.3 * c),
        (Shape::Capsule { radius: 0.1, length: 0.8 }, 0.4 * c + 0.1),
        (Shape::Cylinder { radius: 0.1, length: 0.8 }, 0.4 * c + 0.1 * s),
        (Shape::Disc { radius: 0.1 }, 0.1 * s),
        (Shape::Ellipsoid { radii: Vec3::new(0.1, 0.2, 0.3) }, (0.04 * s * s + 0.09 * c * c).sqrt()),
    ];
    for (shape, reach) in cases {
        for height in [1.0, 0.05, -0.3] {
            let found = gap(&shape, &tilted(0.3, -0.2, height, tilt), &Shape::Plane, &ground).unwrap();
            assert!((found.distance - (height - reach)).abs() < ROUNDING, "{} {}", shape.name(), found.distance);
            assert!((found.normal - Vec3::z()).norm() < ROUNDING);
            assert!(found.point_b.z.abs() < ROUNDING && (found.point_a.z - found.distance).abs() < ROUNDING);
        }
    }
}

#[test]
fn a_tilted_plane_measures_along_its_own_normal() {
    let plane = pose(Vec3::new(0.0, 0.0, 1.0), [FRAC_PI_4, 0.0, 0.0]);
    let normal = plane.rotation * Vec3::z();
    let centre = Vec3::new(0.3, 0.4, 3.0);
    let expected = (centre - Vec3::new(0.0, 0.0, 1.0)).dot(&normal) - 0.25;
    let ball = Shape::Sphere { radius: 0.25 };
    let found = gap(&Shape::Plane, &plane, &ball, &at(centre.x, centre.y, centre.z)).unwrap();
    assert!((found.distance - expected).abs() < ROUNDING && (found.normal + normal).norm() < ROUNDING);
}

#[test]
fn a_sphere_in_a_box_leaves_through_the_nearest_face() {
    let solid = Shape::Box { size: Vec3::new(2.0, 2.0, 2.0) };
    let ball = Shape::Sphere { radius: 0.1 };
    let found = gap(&ball, &at(0.2, 0.7, -0.1), &solid, &at(0.0, 0.0, 0.0)).unwrap();
    assert!((found.distance + 0.4).abs() < ROUNDING && (found.normal - Vec3::y()).norm() < ROUNDING);
    // Outside a corner it is the distance to the corner.
    let corner = gap(&ball, &at(2.0, 2.0, 2.0), &solid, &at(0.0, 0.0, 0.0)).unwrap();
    assert!((corner.distance - (3.0_f64.sqrt() - 0.1)).abs() < ROUNDING);
}

#[test]
fn crossed_capsules_are_separated_along_their_common_normal() {
    let rod = Shape::Capsule { radius: 0.05, length: 1.0 };
    let across = pose(Vec3::new(0.0, 0.3, 0.1), [0.0, FRAC_PI_2, 0.0]);
    let found = gap(&rod, &at(0.0, 0.0, 0.0), &rod, &across).unwrap();
    assert!((found.distance - 0.2).abs() < ROUNDING && (found.normal + Vec3::y()).norm() < ROUNDING);
    // Axes that cross: the depth is the sum of the radii, along the common normal.
    let crossing = gap(&rod, &at(0.0, 0.0, 0.0), &rod, &pose(Vec3::zeros(), [0.0, FRAC_PI_2, 0.0])).unwrap();
    assert!((crossing.distance + 0.1).abs() < ROUNDING && crossing.normal.y.abs() > 1.0 - ROUNDING);
}

#[test]
fn blocks_in_a_row_touch_and_do_not_overlap() {
    let block = Shape::Box { size: Vec3::new(0.1, 0.1, 0.1) };
    for i in 0..11 {
        let y = 0.05 * 10.0 - 0.1 * f64::from(i);
        let found = gap(&block, &at(0.0, y, 0.5), &block, &at(0.0, y - 0.1, 0.5)).unwrap();
        // Zero up to the rounding of decimals near 0.5.
        assert!(found.distance.abs() < 1e-15, "{i}: {:e}", found.distance);
        assert!((found.normal - Vec3::y()).norm() < ROUNDING);
    }
}

#[test]
fn a_fingertip_half_a_millimetre_off_has_that_gap() {
    let tip = Shape::Box { size: Vec3::new(0.012, 0.0194, 0.024) };
    let cube = Shape::Box { size: Vec3::new(0.028, 0.028, 0.028) };
    let found = gap(&tip, &at(-0.0205, 0.0798, 0.0), &cube, &at(0.0, 0.086, 0.0)).unwrap();
    assert!((found.distance - 0.0005).abs() < 1e-16);
}

#[test]
fn edges_that_cross_decide_where_no_face_does() {
    // Two bars turned by 45 degrees about their own length, crossed: edge against edge along z.
    let bar = Shape::Box { size: Vec3::new(2.0, 0.1, 0.1) };
    let reach = 0.05 * 2.0_f64.sqrt();
    let lower = pose(Vec3::zeros(), [FRAC_PI_4, 0.0, 0.0]);
    for dz in [0.2, 0.13] {
        let upper = pose(Vec3::new(0.0, 0.0, dz), [FRAC_PI_4, 0.0, FRAC_PI_2]);
        let found = gap(&bar, &upper, &bar, &lower).unwrap();
        assert!((found.distance - (dz - 2.0 * reach)).abs() < 1e-13, "{dz}: {}", found.distance);
        assert!((found.normal - Vec3::z()).norm() < 1e-7);
    }
}

#[test]
fn a_cylinder_standing_in_a_slab_is_as_deep_as_its_foot() {
    let post = Shape::Cylinder { radius: 0.1, length: 1.0 };
    let slab = Shape::Box { size: Vec3::new(3.0, 3.0, 0.2) };
    let found = gap(&post, &at(0.2, 0.1, 0.57), &slab, &at(0.0, 0.0, 0.0)).unwrap();
    assert!((found.distance + 0.03).abs() < 1e-12 && (found.normal - Vec3::z()).norm() < 1e-6, "{found:?}");
}

/// A cube with corners at ±h, outside counter-clockwise.
fn cube_mesh(h: f64) -> TriangleMesh {
    let vertices = (0..8)
        .map(|i| {
            let side = |bit: u32| if i & bit == 0 { -h } else { h };
            Vec3::new(side(1), side(2), side(4))
        })
        .collect();
    let triangles = vec![
        [0, 2, 1],
        [1, 2, 3],
        [4, 5, 6],
        [5, 7, 6],
        [0, 1, 4],
        [1, 5, 4],
        [2, 6, 3],
        [3, 6, 7],
        [0, 4, 2],
        [2, 4, 6],
        [1, 3, 5],
        [3, 7, 5],
    ];
    TriangleMesh { vertices, triangles, ..TriangleMesh::default() }
}

#[test]
fn a_cube_of_triangles_and_the_hull_of_its_corners_measure_like_the_box() {
    let solid = Shape::Box { size: Vec3::repeat(1.0) };
    let mesh = Shape::Mesh(Arc::new(cube_mesh(0.5)));
    let hull = Shape::Convex(Arc::new(cube_mesh(0.5)));
    let others = [
        Shape::Sphere { radius: 0.2 },
        Shape::Box { size: Vec3::new(0.3, 0.4, 0.5) },
        Shape::Capsule { radius: 0.1, length: 0.5 },
        Shape::Cylinder { radius: 0.1, length: 0.5 },
    ];
    for other in &others {
        for (x, roll) in [(1.4, 0.3), (1.0, 1.1), (0.9, 0.2)] {
            let place = pose(Vec3::new(x, 0.1, -0.2), [roll, 0.4, 0.1]);
            let reference = distance(other, &place, &solid, &at(0.0, 0.0, 0.0));
            let by_mesh = gap(other, &place, &mesh, &at(0.0, 0.0, 0.0)).unwrap();
            let by_hull = gap(other, &place, &hull, &at(0.0, 0.0, 0.0)).unwrap();
            // parry's GJK stops at a relative 5e-8.
            assert!((by_hull.distance - reference).abs() < 1e-7, "{} {reference} {by_hull:?}", other.name());
            if reference > 0.0 {
                assert!((by_mesh.distance - reference).abs() < 1e-7, "{} {reference} {by_mesh:?}", other.name());
            } else {
                let [lower, upper] = by_mesh.bounds;
                assert!(lower - 1e-7 <= reference && reference <= upper + 1e-7, "{} {by_mesh:?}", other.name());
                assert!(by_mesh.distance < 0.0);
            }
        }
    }
}

#[test]
fn a_ball_swallowed_by_a_mesh_is_inside_it() {
    let mesh = Shape::Mesh(Arc::new(cube_mesh(0.5)));
    let ball = Shape::Sphere { radius: 0.1 };
    let found = gap(&ball, &at(0.2, 0.0, 0.0), &mesh, &at(0.0, 0.0, 0.0)).unwrap();
    // Centre 0.3 below the surface: the ball must move 0.4 to be out; the bound holds 0.4 at best, 0.2 at least.
    assert!(found.distance <= -0.2 && found.bounds[0] <= -0.4 + ROUNDING, "{found:?}");
    assert!((found.normal - Vec3::x()).norm() < ROUNDING);
    // The same mesh turned inside out gives the same result.
    let mut inverted = cube_mesh(0.5);
    inverted.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    let inverted = Shape::Mesh(Arc::new(inverted));
    assert!(distance(&ball, &at(0.2, 0.0, 0.0), &inverted, &at(0.0, 0.0, 0.0)) < 0.0);
}

#[test]
fn a_mesh_inside_a_mesh_is_found_though_no_triangles_cross() {
    let small = Shape::Mesh(Arc::new(cube_mesh(0.1)));
    let large = Shape::Mesh(Arc::new(cube_mesh(0.5)));
    let found = gap(&small, &at(0.3, 0.0, 0.0), &large, &at(0.0, 0.0, 0.0)).unwrap();
    // The deepest corner of the small cube is 0.3 below the nearest face; 0.3 is also the exact depth.
    assert!((found.distance + 0.3).abs() < 1e-7 && (found.normal - Vec3::x()).norm() < 1e-7, "{found:?}");
}

#[test]
fn height_fields_are_solid_below() {
    let field = veracity_model::shape::HeightField {
        size: [4.0, 4.0],
        counts: [5, 5],
        // A ramp: z = x / 4.
        heights: (0..25).map(|i| f64::from(i % 5) / 4.0 - 0.5).collect(),
    };
    let ramp = Shape::HeightField(Arc::new(field));
    let slope = (1.0_f64 / 4.0).atan();
    let ball = Shape::Sphere { radius: 0.2 };
    for height in [0.6, 0.1, -0.4] {
        let found = gap(&ball, &at(0.3, 0.1, 0.075 + height), &ramp, &at(0.0, 0.0, 0.0)).unwrap();
        let expected = height * slope.cos() - 0.2;
        assert!((found.distance - expected).abs() < 1e-7, "{height}: {} {expected}", found.distance);
    }
}

#[test]
fn the_gap_of_two_planes_is_unsupported() {
    let found = gap(&Shape::Plane, &at(0.0, 0.0, 0.0), &Shape::Plane, &pose(Vec3::zeros(), [PI, 0.0, 0.0]));
    assert_eq!(found, Err(GapError::BothUnbounded { a: "plane", b: "plane" }));
    let empty = Shape::Mesh(Arc::new(TriangleMesh::default()));
    let found = gap(&empty, &at(0.0, 0.0, 0.0), &Shape::Plane, &at(0.0, 0.0, 0.0));
    assert_eq!(found, Err(GapError::Empty { shape: "mesh" }));
    let huge = gap(&Shape::Sphere { radius: 1e200 }, &at(0.0, 0.0, 0.0), &Shape::Plane, &at(0.0, 0.0, 0.0));
    assert!(matches!(huge, Err(GapError::TooLarge { .. })));
}
