//! The simple pendulum from level (IFToMM A01) through the contract, against its closed form in elliptic functions.

mod support;

use support::{advance, load, pendulum};
use veracity_engine::{Guard, Inputs, Watched};

const PERIOD: f64 = 2.36784194757624;
const PLACES: [(f64, f64, f64); 3] = [
    (0.5, 0.391048791550546, -0.920369948785192),
    (1.0, -0.986291751131875, -0.165010853125541),
    (10.0, 0.275087462576117, -0.961419205099125),
];

/// Distance from the closed form at an instant of [`PLACES`] [m].
fn error(spec: &str, step_s: f64, place: usize) -> f64 {
    let mut simulation = load(&pendulum(1.0, 1.0), spec, step_s);
    simulation.set_state(0.0, &[0.0], &[0.0]).unwrap();
    let (time, x, z) = PLACES[place];
    advance(simulation.as_mut(), time);
    let (sin, cos) = libm::sincos(simulation.q()[0]);
    (cos - x).hypot(-sin - z)
}

#[test]
fn the_adaptive_integrator_meets_the_elliptic_functions() {
    for place in 0..PLACES.len() {
        // The closed form is printed to 15 digits; ten seconds at a tolerance of 1e-12 leave 1e-11.
        let off = error("native:dop853", 1e-3, place);
        assert!(off < 1e-10, "{off:e}");
    }
}

#[test]
fn fixed_steps_have_their_order() {
    for (spec, order) in
        [("native:euler", 1.0), ("native:rk4", 4.0), ("native:midpoint", 2.0), ("native:implicit", 1.0)]
    {
        // Steps that divide half a second exactly.
        let (coarse, fine) = (error(spec, 0.5 / 64.0, 0), error(spec, 0.5 / 128.0, 0));
        let observed = libm::log2(coarse / fine);
        // The next term of the error is one order higher: some per cent at these steps.
        assert!((observed - order).abs() < 0.15, "{spec}: {observed}");
    }
}

#[test]
fn the_period_is_where_the_speed_turns() {
    for (spec, allowed) in [("native:dop853", 1e-10), ("native:rk4", 1e-9)] {
        let mut simulation = load(&pendulum(1.0, 1.0), spec, 1e-3);
        simulation.set_state(0.0, &[0.0], &[0.0]).unwrap();
        let guard = [Guard { watched: Watched::Speed(0), level: 0.0, direction: 0 }];
        let half = simulation.advance_until(5.0, &guard, &Inputs::none(1)).unwrap().unwrap();
        let full = simulation.advance_until(5.0, &guard, &Inputs::none(1)).unwrap().unwrap();
        assert!((half.time - 0.5 * PERIOD).abs() < allowed, "{spec}: {:e}", half.time - 0.5 * PERIOD);
        assert!((full.time - PERIOD).abs() < allowed, "{spec}: {:e}", full.time - PERIOD);
        assert!(full.error < 1e-14);
        // A hit inside a step does not shift the steps after it.
        advance(simulation.as_mut(), 3.0);
        assert_eq!(simulation.time(), 3.0);
    }
}

#[test]
fn of_two_levels_in_one_step_the_earlier_wins() {
    let mut simulation = load(&pendulum(1.0, 1.0), "native:rk4", 0.01);
    simulation.set_state(0.0, &[0.0], &[10.0]).unwrap();
    // 10 rad/s for 10 ms is 0.1 rad: both levels lie in the first step.
    let level = |level: f64| Guard { watched: Watched::Position(0), level, direction: 1 };
    let hit = simulation.advance_until(1.0, &[level(0.08), level(0.03)], &Inputs::none(1)).unwrap().unwrap();
    assert_eq!(hit.guard, 1);
    // 10 t + g t² / 2 = 0.03, as long as the rod is level: the cosine changes the last term by less than q² / 2 = 5e-4.
    let fall = ((100.0 + 2.0 * support::G * 0.03).sqrt() - 10.0) / support::G;
    assert!((hit.time - fall).abs() < 1e-8, "{} {fall}", hit.time);
    let next = simulation.advance_until(1.0, &[level(0.08), level(0.03)], &Inputs::none(1)).unwrap().unwrap();
    assert_eq!(next.guard, 0);
}
