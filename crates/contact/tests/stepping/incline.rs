//! Friction at its limit: slopes, pushes, and the shape of the cone.

use crate::support::{Run, Scene};
use veracity_contact::SteppingSettings;
use veracity_dynamics::ConstantEfforts;
use veracity_lcp::Cone;
use veracity_model::geometry::at;
use veracity_model::{Inertia, Pose, Shape, Vec3};

const G: f64 = 9.81;
const MU: f64 = 0.5;

/// A cube on level ground with gravity tilted by `slope` towards `heading`: a slope without turning the ground.
fn on_slope(slope: f64, heading: f64, settings: SteppingSettings) -> Run {
    let mut scene = Scene::rubbing(MU);
    scene.ground(Pose::identity());
    let size = Vec3::new(0.2, 0.2, 0.05);
    scene.loose(Inertia::solid_box(1.0, size), Shape::Box { size }, at(0.0, 0.0, 0.025));
    scene.gravity = Vec3::new(slope.sin() * heading.cos(), slope.sin() * heading.sin(), -slope.cos()) * G;
    Run::new(&scene.world(), settings)
}

/// Whether it slides: speed after half a second against half of what Coulomb gives at a hundredth of a degree above.
fn slides(slope: f64, heading: f64, settings: &SteppingSettings) -> bool {
    let mut run = on_slope(slope, heading, settings.clone());
    run.run(1e-3, 500);
    run.motions()[1].linear_velocity.norm() > 0.5 * 0.5 * G * 0.01f64.to_radians()
}

/// Slip angle [rad], by bisection within a degree of the expected value.
fn slip_angle(expected: f64, heading: f64, settings: &SteppingSettings) -> f64 {
    let (mut low, mut high) = (expected - 1f64.to_radians(), expected + 1f64.to_radians());
    assert!(
        !slides(low, heading, settings) && slides(high, heading, settings),
        "heading {heading} {settings:?} {} {}",
        low.to_degrees(),
        high.to_degrees()
    );
    while high - low > 0.002f64.to_radians() {
        let middle = 0.5 * (low + high);
        if slides(middle, heading, settings) { high = middle } else { low = middle }
    }
    0.5 * (low + high)
}

#[test]
fn the_slip_angle_is_the_same_all_round() {
    let mut worst = 0.0f64;
    for k in 0..8 {
        let heading = 0.1 + f64::from(k) * std::f64::consts::FRAC_PI_4 * 0.9;
        let angle = slip_angle(MU.atan(), heading, &SteppingSettings::default());
        worst = worst.max((angle - MU.atan()).abs().to_degrees());
    }
    println!("ACCEPT incline-slip: exact cone, 8 headings: slip angle within {worst:.4} degrees of atan(mu)");
    assert!(worst < 0.01, "{worst}");
}

#[test]
fn a_pyramid_holds_what_its_corners_let_it() {
    let mut worst = 0.0f64;
    for (cone, turn, held) in [
        (Cone::Pyramid { sides: 4 }, 0.0, corner as fn(f64, f64) -> f64),
        (Cone::Pyramid { sides: 8 }, 0.3, corner),
        (Cone::Box, 0.0, square),
    ] {
        let sides = match cone {
            Cone::Pyramid { sides } => f64::from(sides),
            _ => 4.0,
        };
        let settings = SteppingSettings { cone, cone_direction: turn, ..Default::default() };
        for heading in [0.0, 0.3, std::f64::consts::FRAC_PI_4, 1.2] {
            // The holding friction points up the slope: against the heading. The normal points from the box down to the
            // ground, which is the first body: tangents turn about it in the opposite direction.
            let expected = (MU * held(heading + std::f64::consts::PI + turn, sides)).atan();
            let angle = slip_angle(expected, heading, &settings);
            worst = worst.max((angle - expected).abs().to_degrees());
        }
    }
    println!(
        "ACCEPT incline-pyramid: 4 and 8 sides, one turned, and the box: slip angle within {worst:.4} degrees of theory"
    );
    assert!(worst < 0.02, "{worst}");
}

/// Distance of a regular polygon's side in a direction, its corners on the unit circle and one of them at zero.
fn corner(direction: f64, sides: f64) -> f64 {
    let wedge = std::f64::consts::TAU / sides;
    (0.5 * wedge).cos() / (direction.rem_euclid(wedge) - 0.5 * wedge).cos()
}

/// The same for the square around the circle.
fn square(direction: f64, _: f64) -> f64 {
    1.0 / direction.cos().abs().max(direction.sin().abs())
}

#[test]
fn a_push_below_the_limit_holds_and_one_above_slides() {
    let mut scene = Scene::rubbing(MU);
    scene.ground(Pose::identity());
    let size = Vec3::repeat(0.1);
    scene.loose(Inertia::solid_box(2.0, size), Shape::Box { size }, at(0.0, 0.0, 0.05));
    let world = scene.world();
    let push = |part: f64| {
        let mut run = Run::new(&world, SteppingSettings::default());
        let (force, heading) = (part * MU * 2.0 * G, 0.7f64);
        run.efforts =
            Box::new(ConstantEfforts(vec![0.0, 0.0, 0.0, force * heading.cos(), force * heading.sin(), 0.0]));
        run.run(1e-3, 1000);
        run.motions()[1]
    };
    let held = push(0.99).world_from_body.translation.vector.xy().norm();
    let acceleration = push(1.01).linear_velocity.norm();
    let error = (acceleration / (0.01 * MU * G) - 1.0).abs();
    println!(
        "ACCEPT push: at 0.99 of the limit moves {held:.1e} m in 1 s; at 1.01 Coulomb's acceleration within {error:.1e}"
    );
    assert!(held < 1e-9 && error < 0.01, "{held} {error}");
}
