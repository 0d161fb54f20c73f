//! Noise, bias and quantisation have the configured statistics and depend on nothing else.

mod support;

use support::{MS, Rule, Sliders, run, setup, sliders};
use veracity_control::config::PerGroup;
use veracity_control::{ControlLoop, SensorConfig, Setup};
use veracity_engine::Simulation;
use veracity_model::Layout;

fn encoder(name: &str, joint: &str) -> SensorConfig {
    SensorConfig { name: name.into(), kind: "encoder".into(), joints: vec![joint.into()], ..Default::default() }
}

/// The positions a sensor delivered at each millisecond while two sliders rest at 0.3 and -0.7.
fn positions(sensors: &[SensorConfig], signal: &str, count: i64, (seed, trial): (u64, u64)) -> Vec<f64> {
    let world = sliders(&[1.0, 1.0], f64::INFINITY, f64::INFINITY);
    let layout = Layout::new(&world);
    let setup = Setup { seed, trial, ..setup(&world, &layout, MS) };
    let mut control = ControlLoop::new(&setup, &[], sensors).unwrap();
    let place = control.signals().iter().position(|(name, _)| name == signal).expect(signal);
    let mut simulation = Sliders::new(&world, MS, Rule::Exact);
    simulation.set_state(0.0, &[0.3, -0.7], &[0.0, 0.0]).unwrap();
    let mut inputs = control.inputs();
    let (mut out, mut row) = (Vec::new(), vec![0.0; control.signals().len()]);
    run(&mut control, &mut simulation, &mut inputs, (count - 1) * MS, |t, _, _, control| {
        control.write_signals(t, &mut row);
        out.push(row[place]);
    })
    .unwrap();
    out
}

const X0: &str = "sensors/sliders/x0/position";

#[test]
fn noise_has_the_mean_and_spread_it_is_given() {
    let n = 40_000;
    let config = SensorConfig {
        noise_std: PerGroup::Each(vec![0.02, 0.0]),
        bias: PerGroup::Each(vec![0.1, 0.0]),
        ..encoder("e", "x0")
    };
    let x = positions(&[config], X0, n, (7, 3));
    let mean = x.iter().sum::<f64>() / n as f64;
    let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
    let after: f64 = x.windows(2).map(|w| (w[0] - mean) * (w[1] - mean)).sum::<f64>() / n as f64;
    // Five standard errors each: σ/√n, σ²√(2/n), and σ²/√n for the correlation of neighbours.
    let root = (n as f64).sqrt();
    assert!((mean - 0.4).abs() < 5.0 * 0.02 / root, "mean {mean}");
    assert!((variance / 4e-4 - 1.0).abs() < 5.0 * 2f64.sqrt() / root, "variance {variance}");
    assert!((after / 4e-4).abs() < 5.0 / root, "neighbours are correlated: {after}");
}

#[test]
fn noise_does_not_depend_on_other_sensors() {
    let noisy = |name: &str, joint: &str| SensorConfig { noise_std: PerGroup::Same(0.1), ..encoder(name, joint) };
    let (a, b) = (noisy("a", "x0"), noisy("b", "x1"));
    let slow = SensorConfig { rate_hz: Some(50.0), latency_s: 3e-3, ..b.clone() };
    let alone = positions(std::slice::from_ref(&a), X0, 200, (7, 3));
    for others in [vec![a.clone(), b.clone()], vec![b, a.clone()], vec![a.clone(), slow]] {
        assert_eq!(positions(&others, X0, 200, (7, 3)), alone);
    }
    // It depends on the sensor's name, the seed and the trial.
    assert_ne!(positions(&[noisy("c", "x0")], X0, 200, (7, 3)), alone);
    assert_ne!(positions(std::slice::from_ref(&a), X0, 200, (8, 3)), alone);
    assert_ne!(positions(&[a], X0, 200, (7, 4)), alone);
}

#[test]
fn a_slower_sensor_shows_its_last_sample() {
    let config = SensorConfig { noise_std: PerGroup::Same(0.1), rate_hz: Some(250.0), ..encoder("a", "x0") };
    // Ticks come at the sensor's own rate, as nothing else needs any.
    let x = positions(&[config], X0, 101, (7, 3));
    assert_eq!(x.len(), 26);
    assert!(x.windows(2).all(|w| w[0] != w[1]));
}

#[test]
fn quantised_readings_are_multiples_within_half_a_step() {
    let resolution = 1e-3;
    let config = SensorConfig {
        resolution: PerGroup::Each(vec![resolution, 0.0]),
        noise_std: PerGroup::Each(vec![0.01, 0.0]),
        ..encoder("e", "x0")
    };
    let free = SensorConfig { resolution: PerGroup::default(), ..config.clone() };
    let (rounded, smooth) = (positions(&[config], X0, 5000, (7, 3)), positions(&[free], X0, 5000, (7, 3)));
    let mut squares = 0.0;
    for (x, y) in rounded.iter().zip(&smooth) {
        let steps = x / resolution;
        assert!((steps - steps.round()).abs() < 1e-9 && (x - y).abs() <= 0.5 * resolution + 1e-15);
        squares += (x - y) * (x - y);
    }
    // Uniform within a step: variance resolution²/12, here to five standard errors (√(4/5)/√n of it).
    let ratio = squares / 5000.0 / (resolution * resolution / 12.0);
    assert!((ratio - 1.0).abs() < 5.0 * 0.9 / 5000f64.sqrt(), "{ratio}");
}
