//! Properties of contact points for all shapes and poses.

mod scenes;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use scenes::{points, scene};
use std::sync::Arc;
use veracity_collide::{ContactPoint, gap};
use veracity_model::geometry::pose;
use veracity_model::{Pose, Shape, TriangleMesh, Vec3};

const MARGIN: f64 = 0.05;

fn flat_shape() -> impl Strategy<Value = Shape> {
    let size = 0.05f64..1.0;
    prop_oneof![
        prop::array::uniform3(size.clone()).prop_map(|s| Shape::Box { size: Vec3::from(s) }),
        prop::array::uniform3(size).prop_map(|s| Shape::Mesh(Arc::new(TriangleMesh::cuboid(Vec3::from(s))))),
        prop::collection::vec(prop::array::uniform3(-0.5f64..0.5), 5..20).prop_map(|points| {
            let vertices = points.into_iter().map(Vec3::from).collect();
            Shape::Convex(Arc::new(TriangleMesh { vertices, ..TriangleMesh::default() }))
        }),
    ]
}

fn closed_shape() -> impl Strategy<Value = Shape> {
    let size = 0.05f64..1.0;
    prop_oneof![
        size.clone().prop_map(|radius| Shape::Sphere { radius }),
        (size.clone(), size.clone()).prop_map(|(radius, length)| Shape::Capsule { radius, length }),
        flat_shape(),
    ]
}

fn any_shape() -> impl Strategy<Value = Shape> {
    let size = 0.05f64..1.0;
    prop_oneof![
        3 => closed_shape(),
        1 => (size.clone(), size.clone()).prop_map(|(radius, length)| Shape::Cylinder { radius, length }),
        1 => prop::array::uniform3(size.clone()).prop_map(|r| Shape::Ellipsoid { radii: Vec3::from(r) }),
        1 => size.prop_map(|radius| Shape::Disc { radius }),
    ]
}

fn place() -> impl Strategy<Value = Pose> {
    let translation = prop::array::uniform3(-0.8f64..0.8);
    // Whole quarter turns are the poses of real scenes; they are also where closed forms have their corners.
    let quarter = (0i32..4).prop_map(|k| f64::from(k) * std::f64::consts::FRAC_PI_2);
    let angle = prop_oneof![2 => -3.0f64..3.0, 1 => quarter];
    (translation, prop::array::uniform3(angle)).prop_map(|(t, rpy)| pose(Vec3::from(t), rpy))
}

fn least(found: &[ContactPoint]) -> f64 {
    found.iter().fold(f64::INFINITY, |g, p| g.min(p.gap))
}

/// Properties of each point.
fn sound(found: &[ContactPoint], margin: f64) -> Result<(), TestCaseError> {
    for (i, p) in found.iter().enumerate() {
        prop_assert!((p.normal.norm() - 1.0).abs() < 1e-12, "{p:?}");
        prop_assert!(p.gap <= margin);
        prop_assert!((p.normal.dot(&(p.point_a - p.point_b)) - p.gap).abs() < 1e-5, "{p:?}");
        prop_assert!(found[..i].iter().all(|o| o.feature != p.feature), "duplicate name: {found:?}");
    }
    prop_assert!(found.len() <= 24);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, rng_seed: RngSeed::Fixed(11), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_smallest_gap_is_the_gap_of_the_shapes(a in closed_shape(), pa in place(), b in closed_shape(), pb in place()) {
        let found = points(&a, &pa, &b, &pb, MARGIN);
        sound(&found, MARGIN)?;
        // A mesh that is convex is measured as the hull that it is: where a mesh is entered, `gap` gives only bounds.
        let solid = |s: &Shape| if let Shape::Mesh(m) = s { Shape::Convex(m.clone()) } else { s.clone() };
        let whole = gap(&solid(&a), &pa, &solid(&b), &pb).unwrap();
        let hull = [&a, &b].iter().any(|s| matches!(solid(s), Shape::Convex(_)));
        let mine = least(&found);
        if found.is_empty() {
            prop_assert!(whole.distance > MARGIN - 1e-6, "{whole:?}");
        } else if whole.distance > 0.0 {
            // Apart: a face counts as nearest within a hundredth of a radian, which is right to half its square. The
            // bracket of `gap` is as wide as GJK left it.
            let slack = 1e-9 + 1e-4 * mine.abs() + (whole.bounds[1] - whole.bounds[0]);
            prop_assert!((mine - whole.distance).abs() < slack, "{mine} {whole:?} {found:?}");
        } else {
            // For overlap the depth of hulls is found by a search that ends within 1e-5, and is never deeper than the truth.
            let slack = if hull { 2e-5 } else { 1e-9 } + 1e-4 * mine.abs();
            prop_assert!((mine - whole.distance).abs() < slack || hull && mine > whole.distance, "{mine} {whole:?} {found:?}");
        }
    }

    #[test]
    fn round_solids_too(a in any_shape(), pa in place(), b in any_shape(), pb in place()) {
        let found = points(&a, &pa, &b, &pb, MARGIN);
        sound(&found, MARGIN)?;
        let solid = |s: &Shape| if let Shape::Mesh(m) = s { Shape::Convex(m.clone()) } else { s.clone() };
        let whole = gap(&solid(&a), &pa, &solid(&b), &pb).unwrap();
        let mine = least(&found);
        let slack = 2e-5 + 1e-4 * whole.distance.abs() + if whole.distance > 0.0 { whole.bounds[1] - whole.bounds[0] } else { 0.0 };
        if found.is_empty() {
            prop_assert!(whole.distance > MARGIN - slack, "{whole:?}");
        } else {
            prop_assert!(mine > whole.distance - slack && mine < whole.bounds[1].max(whole.distance) + slack, "{mine} {whole:?} {found:?}");
        }
    }

    #[test]
    fn the_order_of_the_shapes_does_not_matter(a in closed_shape(), pa in place(), b in closed_shape(), pb in place()) {
        let (one, two) = (points(&a, &pa, &b, &pb, MARGIN), points(&b, &pb, &a, &pa, MARGIN));
        // The reference of two opposite faces depends on the order: a difference of a hundredth of a radian at most.
        let slack = 1e-9 + 1e-4 * least(&one).abs();
        prop_assert!(one.is_empty() && two.is_empty() || (least(&one) - least(&two)).abs() < slack, "{one:?} {two:?}");
    }

    #[test]
    fn moving_everything_moves_the_points(a in closed_shape(), pa in place(), b in closed_shape(), pb in place(), whole in place()) {
        let one = points(&a, &pa, &b, &pb, MARGIN);
        let two = points(&a, &(whole * pa), &b, &(whole * pb), MARGIN);
        // The places of the corners are right to a few roundings of coordinates below 3, the edges of thin hulls to a
        // thousand times that.
        if !one.is_empty() || !two.is_empty() {
            prop_assert!((least(&one) - least(&two)).abs() < 1e-9, "{one:?} {two:?}");
        }
    }

    #[test]
    fn a_recomputed_point_is_the_same_point(a in any_shape(), pa in place(), b in any_shape(), pb in place()) {
        let mut scene = scene(&[a.clone(), b.clone()]);
        let mut found = Vec::new();
        scene.find(&[pa, pb], &[0.0, 0.0], MARGIN, &mut found).unwrap();
        for p in &found {
            let again = scene.evaluate(p.pair, p.feature, &[pa, pb]);
            prop_assert!(again.is_some(), "{p:?}");
            let again = again.unwrap();
            // The same arithmetic, or the crossing of two lines worked out from the other line.
            prop_assert!((again.gap - p.gap).abs() < 1e-9 && (again.normal - p.normal).norm() < 1e-9, "{p:?} {again:?}");
            prop_assert!((again.point_a - p.point_a).norm() < 1e-6 && (again.point_b - p.point_b).norm() < 1e-6, "{p:?} {again:?}");
        }
    }

    #[test]
    fn the_points_of_smooth_solids_lie_on_both_surfaces(a in any_shape(), pa in place(), b in any_shape(), pb in place()) {
        prop_assume!(!matches!(a, Shape::Convex(_) | Shape::Mesh(_)) && !matches!(b, Shape::Convex(_) | Shape::Mesh(_)));
        for p in points(&a, &pa, &b, &pb, MARGIN) {
            for (shape, pose, x, other) in [(&a, &pa, p.point_a, &b), (&b, &pb, p.point_b, &a)] {
                let dot = Shape::Sphere { radius: 1e-9 };
                let off = gap(&dot, &Pose::translation(x.x, x.y, x.z), shape, pose).unwrap().distance + 1e-9;
                // A point over a face is below it by the depth, and one of the other's edges beside it; inside is not off.
                // Round solids against each other are parry's GJK.
                let round = |s: &Shape| matches!(s, Shape::Cylinder { .. } | Shape::Ellipsoid { .. } | Shape::Disc { .. });
                let slack = if round(shape) || round(other) { 1e-5 } else { 1e-6 };
                prop_assert!(off < slack, "{off:e} {p:?}");
                // A capsule's end is a ball, of which the straight part may hide the lowest point.
                if matches!(shape, Shape::Capsule { .. }) {
                    continue;
                }
                prop_assert!(off > -1e-9 - p.gap.abs().max(if p.gap < 0.0 { 0.0 } else { 1e-5 }), "{off:e} {p:?}");
            }
        }
    }
}

/// The hull of points spread over a ball.
fn fine_ball(count: usize, radius: f64) -> Shape {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let place = |i: usize| {
        let z = 1.0 - 2.0 * (i as f64 + 0.5) / count as f64;
        let across = (1.0 - z * z).sqrt();
        Vec3::new(across * libm::cos(golden * i as f64), across * libm::sin(golden * i as f64), z) * radius
    };
    Shape::Convex(Arc::new(TriangleMesh::new((0..count).map(place).collect(), Vec::new())))
}

#[test]
fn hulls_of_hundreds_of_corners_touch_like_balls() {
    let (fine, ball) = (fine_ball(400, 0.3), Shape::Sphere { radius: 0.3 });
    for i in 0..40 {
        let angle = 0.17 * f64::from(i);
        let away = Vec3::new(libm::cos(angle), libm::sin(angle), 0.3).normalize() * 0.599;
        let (pa, pb) = (pose(Vec3::zeros(), [angle, 0.3, 0.0]), pose(away, [0.0, angle, 0.1]));
        let (hulls, balls) = (points(&fine, &pa, &fine, &pb, 0.02), points(&ball, &pa, &ball, &pb, 0.02));
        // Corners lie on the ball; a face of this many is 0.3 (d/0.3)²/2 = 0.0015 m below it, d = 0.03 m its half width.
        assert!(!hulls.is_empty());
        assert!((least(&hulls) - least(&balls)).abs() < 0.004, "{hulls:?}");
        assert!(least(&hulls) > least(&balls) - 1e-9, "a hull inside a ball is not nearer");
        let on_plane =
            points(&Shape::Plane, &Pose::identity(), &fine, &pose(Vec3::new(0.0, 0.0, 0.3), [angle, 0.0, 0.0]), 3e-3);
        assert!(
            !on_plane.is_empty() && on_plane.len() <= 24 && least(&on_plane) < 0.003 && least(&on_plane) > -1e-12
        );
    }
}
