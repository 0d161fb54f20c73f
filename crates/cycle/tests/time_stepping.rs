//! Time stepping, with its frozen default, walks in the same cycles: its gait converges to them at first order.

use std::path::Path;
use veracity_contact::{Stepping, SteppingSettings};
use veracity_cycle::gait::{Gait, Passing, observe};
use veracity_dynamics::integrate::State;
use veracity_scenario::{LoadOptions, Scenario};

fn full() -> bool {
    std::env::var_os("VERACITY_FULL").is_some()
}

fn gait(scenario: &Scenario, passing: &Passing, step_s: f64, skip: usize, count: usize) -> Gait {
    let mut stepping =
        Stepping::new(&scenario.world, SteppingSettings::default()).unwrap_or_else(|e| panic!("{e:?}"));
    let mut state = State { time: 0.0, q: scenario.q.clone(), v: scenario.v.clone() };
    observe(&mut stepping, &mut state, passing, step_s, 20.0, skip, count).unwrap_or_else(|e| panic!("{step_s}: {e}"))
}

/// Allowed number of standard errors: one walk in sixteen thousand exceeds it by chance.
const LARGEST_DEVIATION: f64 = 4.0;

/// Mean periods at six steps compared with the cycle's. The order is the slope of the errors in logarithms; the
/// extrapolation to step zero is the line through the errors (Richardson's, over all six). Both are reported with their
/// standard errors, which come from those of the means.
fn converges(file: &str, passing: &Passing, period_s: f64, coarsest: f64, skip: usize, count: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(file);
    let scenario = Scenario::load(&path, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e:?}"));
    let steps = [1.0, 0.8, 0.6, 0.45, 0.35, 0.25].map(|part| part * coarsest);
    let gaits = steps.map(|h| gait(&scenario, passing, h, skip, count));
    let errors = gaits.map(|gait| gait.period_s - period_s);
    let noise = gaits.map(|gait| gait.standard_error_s);
    let spread = gaits.iter().fold(0.0f64, |most, gait| most.max(gait.spread_s));
    let relative: [f64; 6] = std::array::from_fn(|k| noise[k] / errors[k].abs());
    let order = line(&steps.map(f64::ln), &errors.map(|e| e.abs().ln()), &relative);
    let limit = line(&steps, &errors, &noise);
    println!(
        "ACCEPT cycle-stepping-{}: period off by {:.1e} s at {coarsest} s and {:.1e} s at a quarter of it, order {:.2} ± {:.2}, \
         extrapolated to zero {:.1e} ± {:.1e} s, {count} steps each, single ones differ by up to {spread:.1e} s",
        scenario.name.replace('_', "-"),
        errors[0].abs(),
        errors[5].abs(),
        order.slope,
        order.slope_error,
        limit.at_zero.abs(),
        limit.at_zero_error,
    );
    // The walk is long enough to distinguish first order from one half and from three halves.
    assert!(LARGEST_DEVIATION * order.slope_error < 0.4, "{errors:?} {noise:?}");
    // Order 1; a second-order term that is a tenth of the first at the coarsest step bends the slope by about 0.1.
    assert!(
        (order.slope - 1.0).abs() < 0.1 + LARGEST_DEVIATION * order.slope_error,
        "{errors:?} {noise:?} {:.2}",
        order.slope
    );
    // The same term leaves less than a tenth of the coarsest error at step zero.
    let allowed = 0.1 * errors[0].abs() + LARGEST_DEVIATION * limit.at_zero_error;
    assert!(limit.at_zero.abs() < allowed, "{:.1e} of {allowed:.1e}: {errors:?} {noise:?}", limit.at_zero);
}

/// A line and its standard errors.
struct Line {
    slope: f64,
    slope_error: f64,
    at_zero: f64,
    at_zero_error: f64,
}

/// The line through points whose ordinates have the given standard errors, by weighted least squares.
fn line(x: &[f64], y: &[f64], noise: &[f64]) -> Line {
    let weigh = |f: &dyn Fn(usize) -> f64| -> f64 { (0..x.len()).map(|k| f(k) / (noise[k] * noise[k])).sum() };
    let all = weigh(&|_| 1.0);
    let (mx, my) = (weigh(&|k| x[k]) / all, weigh(&|k| y[k]) / all);
    let width = weigh(&|k| (x[k] - mx).powi(2));
    let slope = weigh(&|k| (x[k] - mx) * (y[k] - my)) / width;
    Line {
        slope,
        slope_error: width.powf(-0.5),
        at_zero: my - slope * mx,
        at_zero_error: (1.0 / all + mx * mx / width).sqrt(),
    }
}

#[test]
fn stepping_wheel_converges_at_first_order() {
    // Rolling: x, z, rotation; spokes point straight down at multiples of a sixth of a turn.
    let passing = Passing { q: 2, v: 2, spacing: Some(std::f64::consts::FRAC_PI_3) };
    let (skip, count) = if full() { (40, 400) } else { (20, 120) };
    converges("rimless_wheel/rimless_wheel.toml", &passing, 2.310_014_865_045_386, 4e-3, skip, count);
}

#[test]
fn stepping_point_foot_walker_converges_at_first_order() {
    let passing = Passing { q: 3, v: 3, spacing: None };
    let (skip, count) = if full() { (40, 1440) } else { (20, 480) };
    converges("point_foot_walker/point_foot_walker.toml", &passing, 2.468_578_733_166_67, 4e-3, skip, count);
}

#[test]
fn stepping_tinkertoy_converges_at_first_order() {
    let passing = Passing { q: 7, v: 6, spacing: None };
    // No more than 120 steps: jitter of the strikes inside steps of 1 ms can topple this walker, whose basin is small;
    // of six steps between 0.25 and 1 ms one has been seen to fall, after 148.
    let (skip, count) = (40, 80);
    converges("tinkertoy/tinkertoy.toml", &passing, 1.007_114_036_220_65, 1e-3, skip, count);
}
