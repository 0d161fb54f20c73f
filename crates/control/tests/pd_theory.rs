//! PD control of a double integrator compared with control theory.

mod support;

use support::{MS, Rule, Sliders, run, setup, sliders};
use veracity_control::config::{ControllerConfig, Interpolation, JointLaw, PdForm, Profile, Schedule};
use veracity_control::{ControlLoop, SensorConfig};
use veracity_engine::Simulation;
use veracity_model::Layout;

fn pd(kp: f64, kd: f64, target: Profile) -> ControllerConfig {
    ControllerConfig {
        name: "arm".into(),
        kind: "pd".into(),
        joints: [("x0".to_string(), JointLaw { kp, kd, target, ..Default::default() })].into(),
        ..Default::default()
    }
}

/// Position and speed after a time, from rest at `start`.
fn after(
    config: ControllerConfig,
    sensors: &[SensorConfig],
    (rule, step_ns): (Rule, i64),
    start: f64,
    until_ns: i64,
) -> (f64, f64) {
    let world = sliders(&[1.0], f64::INFINITY, f64::INFINITY);
    let layout = Layout::new(&world);
    let mut control = ControlLoop::new(&setup(&world, &layout, step_ns), &[config], sensors).unwrap();
    let mut simulation = Sliders::new(&world, step_ns, rule);
    simulation.set_state(0.0, &[start], &[0.0]).unwrap();
    let mut inputs = control.inputs();
    run(&mut control, &mut simulation, &mut inputs, until_ns, |_, _, _, _| ()).unwrap();
    (simulation.q[0], simulation.v[0])
}

#[test]
fn pd_on_a_double_integrator_is_a_damped_oscillator() {
    // x'' = -kp x - kd x' from rest at 1: underdamped, wd = sqrt(kp - kd²/4).
    let (kp, kd, t): (f64, f64, f64) = (40.0, 2.0, 1.0);
    let wd = (kp - kd * kd / 4.0).sqrt();
    let exact = (-0.5 * kd * t).exp() * ((wd * t).cos() + 0.5 * kd / wd * (wd * t).sin());
    let error = |step_ns: i64| {
        let (x, _) = after(pd(kp, kd, Profile::default()), &[], (Rule::Exact, step_ns), 1.0, 1_000 * MS);
        (x - exact).abs()
    };
    // Holding the effort over a step of length h delays it by h/2: first order in h.
    let (coarse, fine) = (error(MS), error(MS / 10));
    assert!(coarse < 2e-2 && (coarse / fine - 10.0).abs() < 0.3, "{coarse:e} {fine:e}");
}

#[test]
fn a_sampled_damper_is_stable_exactly_below_two_over_the_step() {
    // v+ = (1 - kd h) v: the bound is kd h < 2, for any engine.
    let h = 1e-3;
    for (kd, stable) in [(1.99 / h, true), (2.01 / h, false)] {
        let world = sliders(&[1.0], f64::INFINITY, f64::INFINITY);
        let layout = Layout::new(&world);
        let config = pd(0.0, kd, Profile::default());
        let mut control = ControlLoop::new(&setup(&world, &layout, MS), &[config], &[]).unwrap();
        let mut simulation = Sliders::new(&world, MS, Rule::Exact);
        simulation.set_state(0.0, &[0.0], &[1.0]).unwrap();
        let mut inputs = control.inputs();
        run(&mut control, &mut simulation, &mut inputs, 2_000 * MS, |_, _, _, _| ()).unwrap();
        assert_eq!(simulation.v[0].abs() < 1.0, stable, "kd h = {}: {}", kd * h, simulation.v[0]);
        // |1 - kd h|^2000 from one, to the rounding of 2000 products.
        let expected = (1.0 - kd * h).abs().powi(2000);
        assert!((simulation.v[0].abs() / expected - 1.0).abs() < 1e-9);
    }
}

#[test]
fn a_slower_controller_over_more_steps_has_the_bound_of_its_own_period() {
    // Ten steps a period: kd T < 2 with T = 10 ms; the engine's step does not enter.
    let run_at = |kd: f64| {
        let config = ControllerConfig { rate_hz: Some(100.0), ..pd(0.0, kd, Profile::Constant(0.0)) };
        after(config, &[], (Rule::Exact, MS), 0.5, 3_000 * MS).1
    };
    // At rest a pure damper does nothing at all.
    assert_eq!(run_at(150.0), 0.0);
    let pulled = |kd: f64| {
        let config = ControllerConfig { rate_hz: Some(100.0), ..pd(1.0, kd, Profile::Constant(0.0)) };
        after(config, &[], (Rule::Exact, MS), 0.5, 3_000 * MS).0.abs()
    };
    assert!(pulled(190.0) < 1.0 && pulled(210.0) > 1e3, "{} {}", pulled(190.0), pulled(210.0));
}

#[test]
fn a_command_acts_exactly_its_latency_later() {
    let world = sliders(&[1.0], f64::INFINITY, f64::INFINITY);
    let layout = Layout::new(&world);
    for k in [0, 1, 3, 10] {
        let efforts = [(
            "x0".to_string(),
            Profile::Schedule(Schedule {
                times_s: vec![0.0, 0.02],
                values: vec![0.0, 5.0],
                interpolation: Interpolation::Hold,
            }),
        )];
        let config = ControllerConfig {
            name: "push".into(),
            kind: "schedule".into(),
            latency_s: k as f64 * 1e-3,
            efforts: efforts.into(),
            ..Default::default()
        };
        let mut control = ControlLoop::new(&setup(&world, &layout, MS), &[config], &[]).unwrap();
        let mut simulation = Sliders::new(&world, MS, Rule::Exact);
        let mut inputs = control.inputs();
        let mut began = None;
        run(&mut control, &mut simulation, &mut inputs, 50 * MS, |t, _, inputs, _| {
            if inputs.efforts[0] != 0.0 && began.is_none() {
                began = Some(t);
            }
        })
        .unwrap();
        assert_eq!(began, Some((20 + k) * MS));
    }
}

#[test]
fn a_reading_arrives_exactly_its_latency_later() {
    let world = sliders(&[1.0], f64::INFINITY, f64::INFINITY);
    let layout = Layout::new(&world);
    let encoder = SensorConfig { name: "e".into(), kind: "encoder".into(), latency_s: 4e-3, ..Default::default() };
    let mut control = ControlLoop::new(&setup(&world, &layout, MS), &[], &[encoder]).unwrap();
    let mut simulation = Sliders::new(&world, MS, Rule::Exact);
    simulation.set_state(0.0, &[0.0], &[1.0]).unwrap();
    let mut inputs = control.inputs();
    let mut past = Vec::new();
    run(&mut control, &mut simulation, &mut inputs, 20 * MS, |_, simulation, _, control| {
        past.push(simulation.q()[0]);
        let mut seen = [0.0; 2];
        control.write_signals((past.len() as i64 - 1) * MS, &mut seen);
        let expected = past.len().checked_sub(5).map(|i| past[i]);
        assert_eq!(expected.unwrap_or(f64::NAN).to_bits(), seen[0].to_bits());
    })
    .unwrap();
}

#[test]
fn an_integral_part_removes_the_error_of_a_steady_load() {
    // kp e = load without it: e = 0.1. With it, zero.
    let load = ControllerConfig {
        name: "load".into(),
        kind: "constant".into(),
        efforts: [("x0".to_string(), Profile::Constant(-4.0))].into(),
        ..Default::default()
    };
    let rest = |ki: f64, limit: Option<f64>| {
        let world = sliders(&[1.0], f64::INFINITY, f64::INFINITY);
        let layout = Layout::new(&world);
        let law = JointLaw { kp: 40.0, kd: 12.0, ki, integral_limit: limit, ..Default::default() };
        let pid = ControllerConfig {
            name: "pid".into(),
            kind: "pid".into(),
            joints: [("x0".to_string(), law)].into(),
            ..Default::default()
        };
        let mut control = ControlLoop::new(&setup(&world, &layout, MS), &[load.clone(), pid], &[]).unwrap();
        let mut simulation = Sliders::new(&world, MS, Rule::Exact);
        let mut inputs = control.inputs();
        run(&mut control, &mut simulation, &mut inputs, 20_000 * MS, |_, _, _, _| ()).unwrap();
        simulation.q[0]
    };
    // 20 s are more than 30 of the slowest time constants: only rounding is left.
    assert!((rest(0.0, None) + 0.1).abs() < 1e-9, "{}", rest(0.0, None));
    assert!(rest(60.0, None).abs() < 1e-9, "{}", rest(60.0, None));
    // Clamped at 1 N against a load of 4 N, (4 - 1)/kp of the error stays.
    assert!((rest(60.0, Some(1.0)) + 0.075).abs() < 1e-9, "{}", rest(60.0, Some(1.0)));
}

#[test]
fn a_drive_of_an_explicit_engine_and_a_sampled_law_at_its_rate_are_the_same_bits() {
    let config = pd(300.0, 20.0, Profile::Constant(0.3));
    let drive = ControllerConfig { form: Some(PdForm::Drive), ..config.clone() };
    let both = [config, drive].map(|c| after(c, &[], (Rule::SemiImplicit, MS), 1.0, 500 * MS));
    assert_eq!(both[0], both[1]);
}
