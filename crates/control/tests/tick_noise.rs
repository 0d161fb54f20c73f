//! Noise that is drawn anew at every sample and activation: correlation, spread that grows with the signal, noise of commands, jitter of
//! their delay, and continuation from a snapshot.

mod support;

use support::{MS, Rule, Sliders, run, setup, sliders};
use veracity_control::config::{CommandNoise, PerGroup, Profile, Schedule};
use veracity_control::{ControlLoop, ControllerConfig, SensorConfig, Setup};
use veracity_engine::{Samples, Simulation};
use veracity_model::Layout;

fn encoder(noise: SensorConfig) -> SensorConfig {
    SensorConfig { name: "e".into(), kind: "encoder".into(), ..noise }
}

/// Every row of the signals while two sliders rest at 0.3 and -0.7.
fn rows(sensors: &[SensorConfig], controllers: &[ControllerConfig], count: i64, trial: u64) -> Vec<Vec<f64>> {
    let world = sliders(&[1e9, 1e9], f64::INFINITY, f64::INFINITY);
    let layout = Layout::new(&world);
    let setup = Setup { trial, ..setup(&world, &layout, MS) };
    let mut control = ControlLoop::new(&setup, controllers, sensors).unwrap();
    let mut simulation = Sliders::new(&world, MS, Rule::Exact);
    simulation.set_state(0.0, &[0.3, -0.7], &[0.0, 0.0]).unwrap();
    let (mut inputs, mut out) = (control.inputs(), Vec::new());
    run(&mut control, &mut simulation, &mut inputs, (count - 1) * MS, |t, _, _, control| {
        let mut row = vec![0.0; control.signals().len()];
        control.write_signals(t, &mut row);
        out.push(row);
    })
    .unwrap();
    out
}

fn moments(x: &[f64]) -> (f64, f64) {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    (mean, x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / x.len() as f64)
}

#[test]
fn correlated_noise_keeps_its_spread_and_forgets_at_its_rate() {
    // One number each for positions and velocities.
    let config = encoder(SensorConfig {
        noise_std: PerGroup::Each(vec![0.02, 0.0]),
        correlation_s: PerGroup::Each(vec![0.005, 0.0]),
        ..Default::default()
    });
    let n = 60_000;
    let x: Vec<f64> = rows(&[config], &[], n, 3).iter().map(|row| row[0]).collect();
    let (mean, variance) = moments(&x);
    // Samples that are alike for 5 ms count as 60,000 / 10 independent ones: five standard errors are 0.065 of the mean's and 0.09 of
    // the variance's scale.
    assert!((mean - 0.3).abs() < 0.02 * 5.0 / 6000f64.sqrt(), "{mean}");
    assert!((variance / 4e-4 - 1.0).abs() < 0.1, "{variance}");
    for lag in [1usize, 5, 20] {
        let product: f64 = x.windows(lag + 1).map(|w| (w[0] - mean) * (w[lag] - mean)).sum::<f64>() / n as f64;
        let expected = (-(lag as f64) * 1e-3 / 5e-3).exp();
        assert!((product / variance - expected).abs() < 0.065, "lag {lag}: {} for {expected}", product / variance);
    }
}

#[test]
fn spread_grows_with_the_signal() {
    let config = encoder(SensorConfig { noise_relative: PerGroup::Each(vec![0.1, 0.0]), ..Default::default() });
    let seen = rows(&[config], &[], 20_000, 3);
    for (column, truth) in [(0, 0.3f64), (1, -0.7)] {
        let (mean, variance) = moments(&seen.iter().map(|row| row[column]).collect::<Vec<_>>());
        let std = 0.1 * truth.abs();
        // Five standard errors.
        assert!((mean - truth).abs() < 5.0 * std / 20_000f64.sqrt());
        assert!((variance.sqrt() / std - 1.0).abs() < 5.0 / 40_000f64.sqrt(), "{} for {std}", variance.sqrt());
    }
}

fn constant(noise: CommandNoise, latency_s: f64) -> ControllerConfig {
    ControllerConfig {
        name: "push".into(),
        kind: "constant".into(),
        latency_s,
        noise: Some(noise),
        efforts: [("x0".to_string(), Profile::Constant(2.0)), ("x1".to_string(), Profile::Constant(-4.0))].into(),
        ..Default::default()
    }
}

#[test]
fn commands_arrive_with_the_noise_they_are_given() {
    let noise = CommandNoise { std: 0.1, relative: 0.05, resolution: 1e-3, ..Default::default() };
    let seen = rows(&[], &[constant(noise, 0.0)], 20_000, 3);
    for (column, wanted) in [(0, 2.0f64), (1, -4.0)] {
        let x: Vec<f64> = seen.iter().map(|row| row[column]).collect();
        let (mean, variance) = moments(&x);
        let std = 0.1 + 0.05 * wanted.abs();
        assert!((mean - wanted).abs() < 5.0 * std / 20_000f64.sqrt(), "{mean}");
        assert!((variance.sqrt() / std - 1.0).abs() < 5.0 / 40_000f64.sqrt(), "{}", variance.sqrt());
        assert!(x.iter().all(|x| ((x / 1e-3).round() * 1e-3 - x).abs() < 1e-12));
    }
    // The same particle has the same noise; another has another.
    assert_eq!(seen[..50], rows(&[], &[constant(noise, 0.0)], 50, 3)[..]);
    assert_ne!(seen[..50], rows(&[], &[constant(noise, 0.0)], 50, 4)[..]);
}

/// A ramp of one per second: what is in force says when it was commanded.
fn ramp(noise: CommandNoise, period_s: f64) -> ControllerConfig {
    let ramp = Schedule {
        times_s: vec![0.0, 100.0],
        values: vec![0.0, 100.0],
        interpolation: veracity_control::config::Interpolation::Linear,
    };
    ControllerConfig {
        kind: "schedule".into(),
        efforts: [("x0".to_string(), Profile::Schedule(ramp))].into(),
        period_s: Some(period_s),
        ..constant(noise, 0.02)
    }
}

/// The delay of every command that was in force for a while [s].
fn delays(noise: CommandNoise, period_s: f64) -> Vec<f64> {
    // An encoder makes a tick of every step: its four channels come first.
    let seen = rows(&[encoder(SensorConfig::default())], &[ramp(noise, period_s)], 40_000, 3);
    // When the command of the first row looked at began to act is not known: it only bounds the next.
    let (mut delays, mut last) = (Vec::new(), seen[99][4]);
    for (k, row) in seen.iter().enumerate().skip(100) {
        let commanded = row[4];
        assert!(commanded >= last, "an older command replaced a newer one");
        if commanded > last {
            delays.push(k as f64 * 1e-3 - commanded);
        }
        last = commanded;
    }
    delays
}

#[test]
fn the_delay_of_commands_jitters_in_whole_steps_and_keeps_their_order() {
    let noise = CommandNoise { latency_jitter_s: 3e-3, ..Default::default() };
    // Commands 20 ms apart cannot overtake each other at three standard deviations of 3 ms.
    let apart = delays(noise, 0.02);
    let (mean, variance) = moments(&apart);
    let in_steps = |d: &f64| ((d / 1e-3).round() * 1e-3 - d).abs() < 1e-9 && (0.0109..0.0291).contains(d);
    assert!(apart.len() > 1900 && apart.iter().all(in_steps));
    // Five standard errors of 2,000 delays. Rounding to steps adds h²/12, 0.5 % of the spread.
    assert!((mean - 0.02).abs() < 5.0 * 3e-3 / 2000f64.sqrt(), "{mean}");
    assert!((variance.sqrt() / 3e-3 - 1.0).abs() < 5.0 / 4000f64.sqrt() + 0.005, "{}", variance.sqrt());
    // Commands 5 ms apart can: the order holds all the same, and no delay is negative.
    assert!(delays(noise, 0.005).iter().all(|d| *d >= 0.0));
}

#[test]
fn a_loop_continued_from_a_snapshot_has_the_same_noise() {
    let noise = CommandNoise { std: 0.1, correlation_s: 0.02, latency_jitter_s: 2e-3, ..Default::default() };
    let sensors = [encoder(SensorConfig {
        noise_std: PerGroup::Same(0.01),
        correlation_s: PerGroup::Same(0.03),
        ..Default::default()
    })];
    let controllers = [ramp(noise, 5e-3)];
    let whole = rows(&sensors, &controllers, 400, 3);
    let world = sliders(&[1e9, 1e9], f64::INFINITY, f64::INFINITY);
    let layout = Layout::new(&world);
    let setup = setup(&world, &layout, MS);
    let build = || ControlLoop::new(&setup, &controllers, &sensors).unwrap();
    let mut simulation = Sliders::new(&world, MS, Rule::Exact);
    simulation.set_state(0.0, &[0.3, -0.7], &[0.0, 0.0]).unwrap();
    let mut control = build();
    let mut inputs = control.inputs();
    let mut samples = Samples::none(simulation.layout());
    for k in 0..400i64 {
        if k == 173 {
            let mut bytes = Vec::new();
            control.snapshot(&mut bytes);
            control = build();
            control.restore(&bytes).unwrap();
        }
        simulation.advance(k as f64 * 1e-3, &inputs, &mut samples).unwrap();
        control.tick(k * MS, &mut simulation, &mut inputs).unwrap();
        let mut row = vec![0.0; control.signals().len()];
        control.write_signals(k * MS, &mut row);
        let bits = |row: &[f64]| row.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&row), bits(&whole[k as usize]), "{k}");
    }
}
