//! Real edges are kept: steps, gaps that a body falls into, ridges and valleys.

use crate::floors::*;
use veracity_model::geometry::{at, pose};
use veracity_model::{Inertia, Pose, Shape, Vec3};

fn cube(x: f64, speed: f64) -> Mover {
    let size = Vec3::repeat(0.1);
    Mover::new(Shape::Box { size }, Inertia::solid_box(1.0, size), at(x, 0.0, 0.05), Vec3::new(speed, 0.0, 0.0))
}

fn ball(x: f64, speed: f64) -> Mover {
    let inertia = Inertia::solid_sphere(1.0, 0.05);
    Mover::new(Shape::Sphere { radius: 0.05 }, inertia, at(x, 0.0, 0.05), Vec3::new(speed, 0.0, 0.0))
}

fn tile() -> Shape {
    block(1.0, 2.0, 0.2)
}

#[test]
fn a_step_of_a_hundredth_of_a_millimetre_or_more_stops_a_box() {
    for paradigm in PARADIGMS {
        for rise in [1e-3, 1e-4, 2e-5] {
            let floor = [(tile(), at(-0.5, 0.0, -0.1)), (tile(), at(0.5, 0.0, -0.1 + rise))];
            let mut slide = Slide::new(paradigm, &floor, Held::Bodies, &cube(-0.1, 1.0), 0.0);
            slide.to(0.06, 1e-3);
            // The front edge hits the step head on; the rest of the motion tips the box up about it.
            assert!(slide.velocity().x < 0.8, "{paradigm}, step {rise}: {}", slide.velocity().x);
        }
        // On the way down nothing stops it.
        let floor = [(tile(), at(-0.5, 0.0, -0.1)), (tile(), at(0.5, 0.0, -0.101))];
        let mut slide = Slide::new(paradigm, &floor, Held::Bodies, &cube(-0.1, 1.0), 0.0);
        slide.to(0.3, 1e-3);
        let (place, velocity) = (slide.place(), slide.velocity());
        assert!((velocity.x - 1.0).abs() < 2e-2 && (place.z - 0.049).abs() < 1e-4, "{paradigm}: {place} {velocity}");
    }
}

#[test]
fn a_wall_that_stands_on_the_seam_stops_what_comes() {
    // The wall begins where the floor ends, and reaches below it; the mover's foremost edge is at floor level.
    let bow = prism(&[[-0.1, 0.0], [0.05, 0.0], [-0.05, 0.1]], 0.1, true);
    let inertia = Inertia::solid_box(1.0, Vec3::repeat(0.1));
    let mover = Mover::new(bow, inertia, at(-0.2, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0));
    for paradigm in PARADIGMS {
        let floor = [(tile(), at(-0.5, 0.0, -0.1)), (block(0.1, 2.0, 0.6), at(0.05, 0.0, 0.0))];
        let mut slide = Slide::new(paradigm, &floor, Held::Bodies, &mover, 0.0);
        slide.to(0.3, 1e-3);
        assert!(slide.place().x < -0.04, "{paradigm}: {}", slide.place());
    }
}

#[test]
fn a_box_that_tips_into_a_gap_hits_the_far_edge() {
    // The gap is wider than half the box: it tips over the near edge, and its front comes down behind the far one.
    for paradigm in PARADIGMS {
        let floor = [(tile(), at(-0.5, 0.0, -0.1)), (tile(), at(0.5 + 0.09, 0.0, -0.1))];
        let mut slide = Slide::new(paradigm, &floor, Held::Bodies, &cube(-0.1, 0.2), 0.0);
        slide.to(1.0, 1e-3);
        let mut free = Slide::new(paradigm, &floor[..1], Held::Bodies, &cube(-0.1, 0.2), 0.0);
        free.to(1.0, 1e-3);
        assert!(free.place().z < -0.5, "{paradigm}: without the far tile it falls: {}", free.place());
        assert!(
            slide.place().z > -0.06 && slide.place().x < 0.09,
            "{paradigm}: the far edge holds it: {}",
            slide.place()
        );
    }
}

/// Two tiles joined at an angle, cut so that nothing overlaps, in pieces or as one solid.
fn bent(slope: f64, whole: bool) -> Vec<Part> {
    let far = libm::tan(slope);
    let near = [[-1.0, -0.4], [0.0, -0.4], [0.0, 0.0], [-1.0, 0.0]];
    let inclined = [[0.0, -0.4], [1.0, -0.4], [1.0, far], [0.0, 0.0]];
    if whole {
        let all = [[0.0, -0.4], [1.0, -0.4], [1.0, far], [0.0, 0.0], [-1.0, 0.0], [-1.0, -0.4]];
        return vec![(prism(&all, 2.0, slope <= 0.0), Pose::identity())];
    }
    vec![(prism(&near, 2.0, true), Pose::identity()), (prism(&inclined, 2.0, true), Pose::identity())]
}

#[test]
fn a_ridge_in_two_pieces_is_the_ridge_in_one() {
    let mut worst = 0.0f64;
    for paradigm in PARADIGMS {
        for slope in [-0.02, -0.2, -0.35] {
            for mover in [cube(-0.1203, 1.0), ball(-0.1203, 1.0)] {
                let [pieces, whole] = [false, true].map(|whole| {
                    let mut slide = Slide::new(paradigm, &bent(slope, whole), Held::Bodies, &mover, 0.1);
                    slide.to(0.25, 1e-3);
                    slide
                });
                let off = (pieces.velocity() - whole.velocity()).norm();
                worst = worst.max(off);
                // Within a hundredth of a radian of lying flat the normal is that of one of the two faces, and which of
                // them depends on how the ridge is cut: gravity along the other acts for some steps.
                assert!(off < 1e-3, "{paradigm}, ridge {slope}: {} and {}", pieces.velocity(), whole.velocity());
                assert!(whole.velocity().x > 0.7 && pieces.velocity().z < -0.01);
            }
        }
    }
    println!("ACCEPT seams-ridge: two pieces within {worst:.1e} m/s of one, box and ball, slopes 0.02 to 0.35");
}

#[test]
fn a_valley_of_two_tiles_is_the_valley_of_two_planes() {
    let mut worst = 0.0f64;
    for paradigm in PARADIGMS {
        for slope in [0.02, 0.1, 0.2] {
            for mover in [cube(-0.1203, 1.0), ball(-0.1203, 1.0)] {
                let planes =
                    vec![(Shape::Plane, Pose::identity()), (Shape::Plane, pose(Vec3::zeros(), [0.0, -slope, 0.0]))];
                let [pieces, whole] = [bent(slope, false), planes].map(|floor| {
                    let mut slide = Slide::new(paradigm, &floor, Held::Bodies, &mover, 0.0);
                    slide.to(0.2, 1e-3);
                    slide
                });
                let off = (pieces.velocity() - whole.velocity()).norm();
                worst = worst.max(off);
                // A ball reaches the second tile from above an edge, and the plane from above a plane, one step apart.
                assert!(off < 1e-3, "{paradigm}, valley {slope}: {} and {}", pieces.velocity(), whole.velocity());
                assert!(whole.velocity().z > 0.0);
            }
        }
    }
    println!("ACCEPT seams-valley: two tiles within {worst:.1e} m/s of two planes, box and ball, slopes 0.02 to 0.2");
}
