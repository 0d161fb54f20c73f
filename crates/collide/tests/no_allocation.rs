//! Finding contact points allocates nothing after the first searches of a scene: checked with a counting allocator.

mod scenes;

use scenes::scene;
use std::sync::Arc;
use veracity_counting::Counting;
use veracity_model::geometry::pose;
use veracity_model::shape::HeightField;
use veracity_model::{Pose, Shape, TriangleMesh, Vec3};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations while a scene is searched and every point recomputed, at `runs` poses after as many for warm-up, and the number
/// of points.
fn allocations(shapes: &[Shape], runs: usize, place: impl Fn(usize, usize) -> Pose) -> (u64, usize) {
    let mut scene = scene(shapes);
    let reach = vec![0.0; shapes.len()];
    let mut found = Vec::with_capacity(2000);
    let (mut points, mut during) = (0, 0);
    for run in 0..2 * runs {
        let poses: Vec<Pose> = (0..shapes.len()).map(|i| place(run, i)).collect();
        let before = veracity_counting::allocations();
        scene.find(&poses, &reach, 0.01, &mut found).unwrap();
        for p in &found {
            scene.evaluate(p.pair, p.feature, &poses);
        }
        if run >= runs {
            during += veracity_counting::allocations() - before;
            points += found.len();
        }
    }
    (during, points)
}

fn wave(k: usize) -> f64 {
    libm::sin(k as f64)
}

#[test]
fn a_pile_of_balls_boxes_capsules_and_hulls_on_a_mesh_allocates_nothing() {
    let field = HeightField { size: [2.0, 2.0], counts: [9, 9], heights: vec![0.0; 81] };
    let mut shapes = vec![Shape::HeightField(Arc::new(field))];
    for i in 0..24 {
        let s = 0.1 + 0.005 * f64::from(i);
        shapes.push(match i % 4 {
            0 => Shape::Sphere { radius: 0.5 * s },
            1 => Shape::Box { size: Vec3::repeat(s) },
            2 => Shape::Capsule { radius: 0.3 * s, length: s },
            _ => Shape::Convex(Arc::new(TriangleMesh::cuboid(Vec3::repeat(s)))),
        });
    }
    let (during, points) = allocations(&shapes, 30, |run, i| {
        if i == 0 {
            return Pose::translation(0.0, 0.0, -0.05);
        }
        // Cells narrower than the largest shape: neighbours touch and overlap.
        let cell = Vec3::new((i % 3) as f64, (i / 3 % 3) as f64, (i / 9) as f64) * 0.15;
        let k = run * 7 + i * 13;
        pose(cell + Vec3::new(wave(k), wave(k + 29), wave(k + 58)) * 0.002, [wave(k + 1), wave(k + 2), wave(k + 3)])
    });
    assert!(points > 1000, "{points}");
    assert_eq!(during, 0);
}

#[test]
fn round_solids_that_rest_on_each_other_allocate_nothing() {
    let quarter = std::f64::consts::FRAC_PI_2;
    let cylinder = Shape::Cylinder { radius: 0.1, length: 0.2 };
    let shapes = [
        Shape::Box { size: Vec3::new(1.0, 1.0, 0.2) },
        cylinder.clone(),
        cylinder,
        Shape::Ellipsoid { radii: Vec3::new(0.1, 0.12, 0.15) },
        Shape::Capsule { radius: 0.05, length: 0.1 },
    ];
    let places = [
        Pose::identity(),
        pose(Vec3::new(0.0, 0.0, 0.2), [0.0; 3]),
        pose(Vec3::new(0.0, 0.0, 0.4), [quarter, 0.0, 0.0]),
        pose(Vec3::new(0.2, 0.0, 0.25), [0.0; 3]),
        pose(Vec3::new(0.0, 0.0, 0.55), [0.0, quarter, 0.0]),
    ];
    let (during, points) = allocations(&shapes, 30, |run, i| {
        let k = run * 7 + i * 13;
        Pose::translation(1e-4 * wave(k), 1e-4 * wave(k + 29), 1e-4 * wave(k + 58)) * places[i]
    });
    assert!(points > 300, "{points}");
    assert_eq!(during, 0);
}
