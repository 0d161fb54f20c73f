//! Properties of the signed distance for all shapes: symmetry, motion by the gap, Lipschitz continuity, bounds.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::sync::Arc;
use veracity_collide::{Gap, gap};
use veracity_model::geometry::pose;
use veracity_model::{Pose, Shape, TriangleMesh, Vec3};

fn convex_shape() -> impl Strategy<Value = Shape> {
    let size = 0.05f64..1.0;
    prop_oneof![
        size.clone().prop_map(|radius| Shape::Sphere { radius }),
        prop::array::uniform3(size.clone()).prop_map(|s| Shape::Box { size: Vec3::from(s) }),
        (size.clone(), size.clone()).prop_map(|(radius, length)| Shape::Capsule { radius, length }),
        (size.clone(), size.clone()).prop_map(|(radius, length)| Shape::Cylinder { radius, length }),
        prop::array::uniform3(size.clone()).prop_map(|r| Shape::Ellipsoid { radii: Vec3::from(r) }),
        size.clone().prop_map(|radius| Shape::Disc { radius }),
        prop::collection::vec(prop::array::uniform3(-0.5f64..0.5), 4..20).prop_map(|points| {
            let vertices = points.into_iter().map(Vec3::from).collect();
            Shape::Convex(Arc::new(TriangleMesh { vertices, ..TriangleMesh::default() }))
        }),
    ]
}

fn place() -> impl Strategy<Value = Pose> {
    let translation = prop::array::uniform3(-1.0f64..1.0);
    let rpy = prop::array::uniform3(-3.0f64..3.0);
    (translation, rpy).prop_map(|(t, rpy)| pose(Vec3::from(t), rpy))
}

fn moved(p: &Pose, by: Vec3) -> Pose {
    Pose::from_parts((p.translation.vector + by).into(), p.rotation)
}

/// Largest difference of the two answers of a pair: for separated shapes each is anywhere between its bounds. For overlap the
/// search for the best normal ends within a millionth of the size; where a corner just touches, all normals of a cone are
/// nearly as good and the search is slow, so ten times that.
fn slack(gaps: [&Gap; 2]) -> f64 {
    gaps.iter().map(|g| if g.distance > 0.0 { g.bounds[1] - g.bounds[0] } else { 0.0 }).sum::<f64>() + 1e-5
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, rng_seed: RngSeed::Fixed(2), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_bounds_hold_and_are_tight(a in convex_shape(), pa in place(), b in convex_shape(), pb in place()) {
        let g = gap(&a, &pa, &b, &pb).unwrap();
        prop_assert!(g.bounds[0] == g.distance && g.distance <= g.bounds[1], "{g:?}");
        prop_assert!((g.normal.norm() - 1.0).abs() < 1e-12);
        // Cores apart: GJK stops at a relative 5e-8 or, at curved surfaces, a little earlier.
        let width = g.bounds[1] - g.bounds[0];
        prop_assert!(g.distance < 0.0 || width < 1e-5, "{g:?}");
        // The two points span the gap. If |a-b| <= u and n·(a-b) >= l, then |a-b-ln|² <= (u-l)(u+l): a bracket of width
        // w leaves the points good to sqrt(w (u+l)), and u+l < 8 for these sizes. 1e-5 is the witness query's own GJK.
        let loose = (8.0 * width).sqrt() + 1e-5;
        prop_assert!((g.point_a - g.point_b - g.normal * g.distance).norm() < loose, "{g:?}");
    }

    #[test]
    fn the_order_of_the_shapes_does_not_matter(a in convex_shape(), pa in place(), b in convex_shape(), pb in place()) {
        let forth = gap(&a, &pa, &b, &pb).unwrap();
        let back = gap(&b, &pb, &a, &pa).unwrap();
        prop_assert!((forth.distance - back.distance).abs() <= slack([&forth, &back]), "{forth:?} {back:?}");
    }

    #[test]
    fn moving_by_the_gap_along_the_normal_makes_them_touch(
        a in convex_shape(), pa in place(), b in convex_shape(), pb in place()
    ) {
        let g = gap(&a, &pa, &b, &pb).unwrap();
        let touching = gap(&a, &moved(&pa, -g.normal * g.distance), &b, &pb).unwrap();
        // The points that are brought together are good to sqrt(w (u+l)), see above.
        let aside = if g.distance > 0.0 { (8.0 * (g.bounds[1] - g.bounds[0])).sqrt() } else { 0.0 };
        prop_assert!(touching.distance.abs() <= aside + slack([&g, &touching]), "{g:?} {touching:?}");
    }

    #[test]
    fn the_gap_never_changes_faster_than_the_shapes_move(
        a in convex_shape(), pa in place(), b in convex_shape(), pb in place(), by in prop::array::uniform3(-0.1f64..0.1)
    ) {
        let by = Vec3::from(by);
        let before = gap(&a, &pa, &b, &pb).unwrap();
        let after = gap(&a, &moved(&pa, by), &b, &pb).unwrap();
        let change = (after.distance - before.distance).abs();
        prop_assert!(change <= by.norm() + slack([&before, &after]), "{before:?} {after:?}");
    }

    #[test]
    fn a_larger_ball_is_nearer_by_its_growth(
        radius in 0.1f64..0.5, more in 0.0f64..0.3, pa in place(), b in convex_shape(), pb in place()
    ) {
        let small = gap(&Shape::Sphere { radius }, &pa, &b, &pb).unwrap();
        let large = gap(&Shape::Sphere { radius: radius + more }, &pa, &b, &pb).unwrap();
        prop_assert!((small.distance - large.distance - more).abs() < 1e-12);
    }
}
