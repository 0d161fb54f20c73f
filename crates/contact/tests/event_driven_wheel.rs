//! The rimless wheel (Coleman, Chatterjee and Ruina 1997) through the general engine: six spokes that end in points,
//! plastic impacts, the old spoke released without an impulse because contacts cannot pull.

mod scenes;

use scenes::*;
use veracity_contact::event_driven::{EventDriven, EventDrivenSettings, EventKind};
use veracity_contact::{Paradigm, Touch};
use veracity_dynamics::NoEfforts;
use veracity_dynamics::integrate::State;
use veracity_model::geometry::at;
use veracity_model::{Body, Inertia, Joint, JointKind, ModelBuilder, Shape, Vec3, World};

/// The limit cycle with six spokes, λ² = 2/3 (so I = m l² / 2) and a slope of 0.2 rad: speed after an impact, and the
/// period.
const SPEED: f64 = 0.460_341_126_609_458_3;
const PERIOD: f64 = 2.310_014_865_045_386;
const SLOPE: f64 = 0.2;

/// The wheel on its slope, which is the plane z = 0; it moves in the plane y = 0.
fn wheel(slope: f64) -> World {
    let mut builder = ModelBuilder::new("wheel");
    let floor = Body::new("floor", Inertia::zero()).with_shape(Shape::Plane, at(0.0, 0.0, 0.0));
    builder.add_body(floor, Joint::new("ground", JointKind::Fixed), None);
    let mut hub = Body::new("hub", Inertia::new(1.0, Vec3::zeros(), [0.25, 0.5, 0.25, 0.0, 0.0, 0.0]));
    for k in 0..6 {
        let (s, c) = libm::sincos(std::f64::consts::FRAC_PI_6 + f64::from(k) * std::f64::consts::FRAC_PI_3);
        hub = hub.with_shape(Shape::Sphere { radius: 1e-12 }, at(s, 0.0, -c));
    }
    // Turning about x × z = -y.
    let plane = JointKind::Planar { x_axis: Vec3::x(), y_axis: Vec3::z() };
    builder.add_body(hub, Joint::new("plane", plane), None);
    let mut world = World::with_model(builder.build().unwrap());
    world.gravity = Vec3::new(libm::sin(slope), 0.0, -libm::cos(slope));
    world
}

/// Just after an impact, the new spoke's end at the origin.
fn after_strike(speed: f64) -> State {
    let (s, c) = libm::sincos(std::f64::consts::FRAC_PI_6);
    // The balls at the ends are nearly points.
    State { time: 0.0, q: vec![-s, c + 1e-12, 0.0], v: vec![speed * c, speed * s, -speed] }
}

/// The angular speed after the next impact and its time; `None` if the wheel does not pass over its spoke.
fn stride(slope: f64, speed: f64) -> Option<(f64, f64, Vec<Touch>)> {
    let mut engine = EventDriven::new(compiled(&wheel(slope)), EventDrivenSettings::default()).unwrap();
    let mut state = after_strike(speed);
    while engine.advance_to_event(&mut NoEfforts, &mut state, 20.0).unwrap() {
        let forward = state.v[2] < 0.0;
        if engine.events().iter().any(|e| e.kind == EventKind::Impact) {
            return forward.then(|| (-state.v[2], state.time, engine.touches().to_vec()));
        }
    }
    None
}

#[test]
fn the_wheel_keeps_its_cycle() {
    let (speed, period, touches) = stride(SLOPE, SPEED).unwrap();
    let (residual, late) = ((speed - SPEED).abs(), (period - PERIOD).abs());
    println!("ACCEPT event-wheel: residual {residual:.1e}, period {late:.1e}");
    assert!(residual < 1e-9 && late < 1e-9, "{residual} {late}");
    // One spoke takes the impact; the released one gets no impulse.
    let blows = touches.iter().filter(|t| t.located && t.impulse != [0.0; 3]).count();
    assert_eq!(blows, 1, "{touches:?}");
}

#[test]
fn the_wheel_forgets_by_the_square_of_what_a_strike_leaves() {
    // The eigenvalue of the map is μ² = 4/9. In the square of the speed the map is linear, so that differences of any
    // size give it to rounding over their size.
    let square = |x: f64| x * x;
    let ahead = square(stride(SLOPE, 1.01 * SPEED).unwrap().0) - square(stride(SLOPE, 0.99 * SPEED).unwrap().0);
    let slope = ahead / (square(1.01 * SPEED) - square(0.99 * SPEED));
    assert!((slope - 4.0 / 9.0).abs() < 1e-11, "{slope}");
}

/// The negative: on half the slope the speed of the hypothetical cycle does not carry the wheel over its spoke.
#[test]
fn half_the_slope_has_no_cycle() {
    // μ sqrt(4 λ² sin(π/6) sin a / (1 - μ²)), walkers.md 1.3.
    assert!(stride(0.1, 0.32633).is_none());
}
