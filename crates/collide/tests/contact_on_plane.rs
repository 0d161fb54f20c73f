//! Contact points of shapes over a plane, in closed form.

mod scenes;

use scenes::points;
use std::f64::consts::{FRAC_PI_2, PI};
use veracity_collide::ContactPoint;
use veracity_model::geometry::{at, pose};
use veracity_model::{Pose, Shape, Vec3};

/// Points of a shape over the plane z = 0, the shape second.
fn over(shape: &Shape, place: Pose, margin: f64) -> Vec<ContactPoint> {
    let found = points(&Shape::Plane, &Pose::identity(), shape, &place, margin);
    for p in &found {
        // The plane is first, so the normal points down, out of the shape into the plane: exact.
        assert!(p.normal == -Vec3::z() && p.point_a.z == 0.0 && p.gap == p.point_b.z, "{p:?}");
        assert!(p.point_a.xy() == p.point_b.xy());
    }
    found
}

#[test]
fn a_ball_has_one_point_and_a_lying_capsule_two() {
    let ball = over(&Shape::Sphere { radius: 0.3 }, at(1.0, 2.0, 0.25), 0.01);
    assert!(ball.len() == 1 && (ball[0].gap + 0.05).abs() < 1e-16);
    let capsule = Shape::Capsule { radius: 0.1, length: 0.6 };
    let lying = over(&capsule, pose(Vec3::new(0.0, 0.0, 0.1), [FRAC_PI_2, 0.0, 0.0]), 0.01);
    assert_eq!(lying.len(), 2);
    // A quarter turn is right to a rounding.
    assert!(lying.iter().all(|p| p.gap.abs() < 1e-16 && (p.point_b.y.abs() - 0.3).abs() < 1e-15));
    let standing = over(&capsule, at(0.0, 0.0, 0.4), 0.01);
    assert!(standing.len() == 1 && standing[0].gap.abs() < 1e-15);
}

#[test]
fn a_box_touches_with_its_corners() {
    let cube = Shape::Box { size: Vec3::new(0.2, 0.4, 0.6) };
    assert_eq!(over(&cube, at(0.0, 0.0, 0.3), 0.01).len(), 4);
    assert_eq!(over(&cube, pose(Vec3::new(0.0, 0.0, 0.3), [0.01, 0.0, 0.0]), 1e-3).len(), 2);
    // Sunk to above its upper face: every corner is below.
    assert_eq!(over(&cube, at(0.0, 0.0, -0.4), 0.01).len(), 8);
}

#[test]
fn a_standing_cylinder_has_four_points_a_lying_one_two_and_a_tilted_one_its_lowest() {
    let (radius, length) = (0.3, 0.8);
    let cylinder = Shape::Cylinder { radius, length };
    let standing = over(&cylinder, at(0.0, 0.0, 0.4), 0.01);
    let middle: Vec3 = standing.iter().map(|p| p.point_b).sum::<Vec3>() / 4.0;
    assert!(standing.len() == 4 && middle.norm() < 1e-16 && standing.iter().all(|p| p.gap == 0.0));
    // A slope of rounding size changes neither the points nor their names.
    for lean in [1e-15, 1e-12, 1e-10] {
        let leaning = over(&cylinder, pose(Vec3::new(0.0, 0.0, 0.4), [lean, -lean, 0.0]), 0.01);
        let names = |all: &[ContactPoint]| all.iter().map(|p| p.feature).collect::<Vec<_>>();
        assert_eq!(names(&leaning), names(&standing));
    }
    let lying = over(&cylinder, pose(Vec3::new(0.0, 0.0, 0.3), [FRAC_PI_2, 0.0, 0.4]), 0.01);
    // A quarter turn is right to a rounding.
    assert!(lying.len() == 2 && lying.iter().all(|p| p.gap.abs() < 1e-15), "{lying:?}");
    let ends = (lying[0].point_b - lying[1].point_b).norm();
    assert!((ends - length).abs() < 1e-15);
    // h cos + r sin below the centre.
    let tilt: f64 = 0.3;
    let tilted = over(&cylinder, pose(Vec3::new(0.0, 0.0, 0.5), [0.0, tilt, 0.0]), 0.05);
    let lowest = 0.5 - 0.4 * libm::cos(tilt) - radius * libm::sin(tilt);
    assert!(tilted.len() == 1 && (tilted[0].gap - lowest).abs() < 1e-15, "{tilted:?}");
    // Barely tilted: the lowest point of the rim is there, lower than the four.
    let lean = over(&cylinder, pose(Vec3::new(0.0, 0.0, 0.4), [1e-5, 1e-5, 0.0]), 0.01);
    let least = lean.iter().fold(f64::INFINITY, |g, p| g.min(p.gap));
    let slope = libm::sin(1e-5) * std::f64::consts::SQRT_2;
    // The slope of two turns of 1e-5 is √2 of one to 1e-10 of itself, and h (1 - cos) is 4e-11.
    assert!(lean.len() == 5 && (least + radius * slope).abs() < 5e-11, "{least:e}");
}

#[test]
fn a_disc_rolls_on_the_lowest_point_of_its_rim() {
    let disc = Shape::Disc { radius: 0.5 };
    for turned in 0..8 {
        let rolled = f64::from(turned) * PI / 7.0;
        let upright = pose(Vec3::new(0.0, 0.0, 0.5), [FRAC_PI_2, 0.0, 0.0]) * pose(Vec3::zeros(), [0.0, 0.0, rolled]);
        let found = over(&disc, upright, 0.01);
        assert!(
            found.len() == 1
                && found[0].gap.abs() < 1e-15
                && found[0].feature == over(&disc, upright, 0.01)[0].feature
        );
        assert!(found[0].point_b.xy().norm() < 1e-15);
    }
    assert_eq!(over(&disc, at(0.0, 0.0, 0.0), 0.01).len(), 4);
}
