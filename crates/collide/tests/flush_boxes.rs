//! Boxes face to face: the corners of their shared face, the same at every step.

mod scenes;

use scenes::{points, scene};
use std::sync::Arc;
use veracity_collide::contact::ContactPoint;
use veracity_model::geometry::{at, pose, quat_about};
use veracity_model::{Pose, Shape, TriangleMesh, Vec3};

fn cuboid(x: f64, y: f64, z: f64) -> Shape {
    Shape::Box { size: Vec3::new(x, y, z) }
}

/// Largest distance of the found points (on the second shape) from the nearest of the wanted, and whether each wanted one was found.
fn off(found: &[ContactPoint], wanted: &[Vec3]) -> f64 {
    let nearest =
        |p: &Vec3, all: &mut dyn Iterator<Item = Vec3>| all.map(|q| (q - p).norm()).fold(f64::INFINITY, f64::min);
    let mut worst = 0.0f64;
    for p in found {
        worst = worst.max(nearest(&p.point_b, &mut wanted.iter().copied()));
    }
    for p in wanted {
        worst = worst.max(nearest(p, &mut found.iter().map(|f| f.point_b)));
    }
    worst
}

#[test]
fn a_cube_against_a_gripper_gives_four_corners_of_the_shared_face_under_any_noise() {
    let (cube, gripper) = (cuboid(0.1, 0.1, 0.1), cuboid(0.2, 0.1, 0.2));
    let corners =
        [[-0.05, -0.05], [-0.05, 0.05], [0.05, -0.05], [0.05, 0.05]].map(|[x, z]| Vec3::new(x, 0.05, 0.5 + z));
    let mut names: Option<Vec<u64>> = None;
    for tilt in [0.0, 1e-15, 1e-12, -1e-12, 1e-9, 1e-7] {
        for axis in [Vec3::x(), Vec3::y(), Vec3::z(), Vec3::new(0.6, 0.0, 0.8)] {
            for shift in [0.0, 1e-16, -1e-13, 1e-9] {
                let turned =
                    Pose::from_parts(Vec3::new(shift, 0.1 + shift, 0.5 - shift).into(), quat_about(&axis, tilt));
                let found = points(&cube, &at(0.0, 0.0, 0.5), &gripper, &turned, 1e-3);
                assert_eq!(found.len(), 4, "{tilt} {axis} {shift}");
                // A tilt moves points by the tilt times the size, and a shift by itself.
                let slack = 2.0 * (tilt.abs() + shift.abs()) + 1e-15;
                assert!(off(&found, &corners) < slack, "{tilt} {shift}: {found:?}");
                assert!(found.iter().all(|p| p.gap.abs() < slack && (p.normal + Vec3::y()).norm() < slack));
                let mine: Vec<u64> = found.iter().map(|p| p.feature).collect();
                assert_eq!(*names.get_or_insert(mine.clone()), mine, "{tilt} {axis} {shift}");
            }
        }
    }
}

#[test]
fn equal_cubes_in_a_row_keep_four_corners_and_their_names() {
    let cube = cuboid(0.1, 0.1, 0.1);
    let mut scene = scene(&[cube.clone(), cube.clone(), cube]);
    let mut names: Option<Vec<(u32, u64)>> = None;
    let mut found = Vec::new();
    for step in 0..200 {
        // Noise of roundings and of a solver, different at each step.
        let noise = |k: i32| 1e-9 * libm::sin(f64::from(17 * step + 31 * k));
        let place = |k: i32| {
            pose(
                Vec3::new(noise(k), 0.1 * f64::from(k) + noise(k + 1), 0.5 + noise(k + 2)),
                [noise(k + 3), noise(k + 4), noise(k + 5)],
            )
        };
        scene.find(&[place(0), place(1), place(2)], &[0.0; 3], 1e-4, &mut found).unwrap();
        assert_eq!(found.len(), 8);
        let mine: Vec<(u32, u64)> = found.iter().map(|p| (p.pair, p.feature)).collect();
        assert_eq!(*names.get_or_insert(mine.clone()), mine, "step {step}");
    }
}

#[test]
fn a_box_and_its_tessellation_have_the_same_points() {
    let (size, other) = (Vec3::new(0.1, 0.12, 0.1), cuboid(0.2, 0.1, 0.15));
    let mesh = Arc::new(TriangleMesh::cuboid(size));
    let places = [
        at(0.03, 0.1099, 0.02),
        pose(Vec3::new(0.03, 0.1, 0.02), [0.002, 0.001, 0.3]),
        pose(Vec3::new(0.1, 0.1, 0.05), [0.5, 0.4, 0.3]),
    ];
    for place in places {
        let [boxed, hull] = [Shape::Box { size }, Shape::Convex(mesh.clone())]
            .map(|shape| points(&shape, &Pose::identity(), &other, &place, 0.02));
        assert!(!boxed.is_empty() && boxed.len() == hull.len(), "{boxed:?} {hull:?}");
        let wanted: Vec<Vec3> = boxed.iter().map(|p| p.point_b).collect();
        // Normals of triangles are right to a rounding; the rest is the same arithmetic.
        assert!(off(&hull, &wanted) < 1e-15);
        let plane = |shape: &Shape| points(&Shape::Plane, &Pose::identity(), shape, &place, 1.0);
        assert_eq!(plane(&Shape::Box { size }).len(), 8);
        assert_eq!(plane(&Shape::Convex(mesh.clone())).len(), 8);
    }
}

#[test]
fn the_overlap_of_shifted_and_rotated_faces_is_exact() {
    let cube = cuboid(1.0, 1.0, 1.0);
    // Shifted: the shared face is 0.7 by 0.6.
    let found = points(&cube, &Pose::identity(), &cube, &at(0.3, -0.4, 1.001), 0.01);
    let corners = [[-0.2, 0.1], [-0.2, -0.5], [0.5, 0.1], [0.5, -0.5]].map(|[x, y]| Vec3::new(x, y, 0.501));
    assert!(found.len() == 4 && off(&found, &corners) < 1e-15, "{found:?}");
    // Turned by 45 degrees: an octagon, each corner on the edges of both.
    let found = points(
        &cube,
        &Pose::identity(),
        &cube,
        &pose(Vec3::new(0.0, 0.0, 0.999), [0.0, 0.0, std::f64::consts::FRAC_PI_4]),
        0.01,
    );
    assert_eq!(found.len(), 8);
    for p in &found {
        let [x, y] = [p.point_a.x.abs(), p.point_a.y.abs()];
        let half_diagonal = std::f64::consts::FRAC_1_SQRT_2;
        assert!((x.max(y) - 0.5).abs() < 1e-15 && (x + y - half_diagonal).abs() < 1e-15, "{p:?}");
        assert!((p.gap + 0.001).abs() < 1e-15 && p.normal == -Vec3::z());
    }
}
