//! Commands become efforts by the model's actuators, the same for every engine.

mod support;

use support::{ABLE, MS, Rule, Sliders, run, setup, sliders};
use veracity_control::config::{ControllerConfig, JointLaw, PdForm, Profile, WrenchConfig};
use veracity_control::{ControlLoop, Setup};
use veracity_engine::{Capabilities, DriveForm, Simulation};
use veracity_model::Layout;

fn constant(name: &str) -> ControllerConfig {
    ControllerConfig { name: name.into(), kind: "constant".into(), ..Default::default() }
}

fn speed_limited(config: ControllerConfig) -> (f64, Vec<f64>) {
    // 10 N on 1 kg, actuators limited to 4 N and 0.5 m/s.
    let world = sliders(&[1.0], 4.0, 0.5);
    let layout = Layout::new(&world);
    let mut control = ControlLoop::new(&setup(&world, &layout, MS), &[config], &[]).unwrap();
    let mut simulation = Sliders::new(&world, MS, Rule::SemiImplicit);
    let mut inputs = control.inputs();
    let mut efforts = Vec::new();
    run(&mut control, &mut simulation, &mut inputs, 1_000 * MS, |_, _, inputs, _| efforts.push(inputs.efforts[0]))
        .unwrap();
    (simulation.v[0], efforts)
}

#[test]
fn an_actuator_clamps_and_then_cuts_what_pushes_beyond_the_speed_limit_at_every_step() {
    let slow = ControllerConfig {
        rate_hz: Some(10.0),
        commands: [("m0".to_string(), Profile::Constant(10.0))].into(),
        ..constant("push")
    };
    let (speed, efforts) = speed_limited(slow);
    // Evaluated at each of the 1001 steps, although the controller runs eleven times.
    assert_eq!(efforts.len(), 1001);
    assert_eq!(efforts[0], 4.0);
    assert_eq!(efforts.last(), Some(&0.0));
    // Cut in the first step beyond 0.5 m/s: 4 N over 1 ms on 1 kg is 0.004 m/s a step.
    assert!(speed > 0.5 && speed <= 0.504 + 1e-12, "{speed}");
}

#[test]
fn a_direct_effort_has_the_joints_limit_and_no_speed_rule() {
    let direct =
        ControllerConfig { efforts: [("x0".to_string(), Profile::Constant(10.0))].into(), ..constant("push") };
    let (speed, efforts) = speed_limited(direct);
    assert!(efforts.iter().all(|e| *e == 4.0));
    assert!((speed - 4.0).abs() < 1e-9, "{speed}");
}

#[test]
fn efforts_and_forces_of_two_controllers_add_up() {
    let world = sliders(&[2.0], f64::INFINITY, f64::INFINITY);
    let layout = Layout::new(&world);
    let effort = |name: &str, x: f64| ControllerConfig {
        efforts: [("x0".to_string(), Profile::Constant(x))].into(),
        wrenches: vec![WrenchConfig {
            body: "b0".into(),
            force_n: [Profile::Constant(1.0), Profile::default(), Profile::Constant(x)],
            torque_nm: Default::default(),
        }],
        ..constant(name)
    };
    let configs = [effort("a", 3.0), effort("b", 4.0)];
    let mut control = ControlLoop::new(&setup(&world, &layout, MS), &configs, &[]).unwrap();
    let mut simulation = Sliders::new(&world, MS, Rule::Exact);
    let mut inputs = control.inputs();
    control.tick(0, &mut simulation, &mut inputs).unwrap();
    assert_eq!(inputs.efforts, [7.0]);
    assert_eq!(inputs.wrenches.len(), 1);
    assert_eq!(inputs.wrenches[0].force, [2.0, 0.0, 7.0]);
    assert!(simulation.step(&inputs, 1.0).is_ok());
}

#[test]
fn errors_give_the_path_and_what_to_do() {
    let world = sliders(&[1.0], 4.0, 0.5);
    let layout = Layout::new(&world);
    let law = JointLaw { kp: 1.0, ..Default::default() };
    let pd = ControllerConfig {
        name: "pd".into(),
        kind: "pd".into(),
        joints: [("x0".to_string(), law.clone())].into(),
        ..Default::default()
    };
    let refuse = |config: ControllerConfig, drives: DriveForm, path: &str, what: &str| {
        let capabilities = Capabilities { drives, ..ABLE };
        let setup = Setup { capabilities, ..setup(&world, &layout, MS) };
        let error = ControlLoop::new(&setup, &[config], &[]).err().expect(what);
        assert!(error.place == path && error.what.contains(what), "{error}");
    };
    let explicit = DriveForm::Explicit;
    let drive = ControllerConfig { form: Some(PdForm::Drive), ..pd.clone() };
    refuse(drive.clone(), DriveForm::None, "controllers/pd/form", "no joint drives");
    let implicit_only = ControllerConfig { drive_forms: Some(vec![DriveForm::Implicit]), ..drive.clone() };
    refuse(
        implicit_only,
        explicit,
        "controllers/pd/drive_forms",
        "explicit, but the experiment only allows implicit",
    );
    let through =
        ControllerConfig { joints: Default::default(), actuators: [("m0".to_string(), law.clone())].into(), ..drive };
    refuse(through, explicit, "controllers/pd/actuators", "past the model's actuators");
    refuse(
        ControllerConfig { kind: "lqr".into(), ..pd.clone() },
        explicit,
        "controllers/pd/kind",
        "constant, schedule",
    );
    let stray = ControllerConfig { times_s: vec![0.0], ..pd.clone() };
    refuse(stray, explicit, "controllers/pd/times_s", "has no key 'times_s'; it has joints");
    let off_step = ControllerConfig { period_s: Some(1.5e-3), ..pd.clone() };
    refuse(
        off_step,
        explicit,
        "controllers/pd/period_s",
        "0.0015 s is not a whole number of the engine's steps of 0.001 s",
    );
    let late = ControllerConfig { latency_s: 2.5e-4, ..pd.clone() };
    refuse(late, explicit, "controllers/pd/latency_s", "use 0.001 s");
    let elsewhere = ControllerConfig { joints: [("knee".to_string(), law.clone())].into(), ..pd.clone() };
    refuse(elsewhere, explicit, "controllers/pd/joints/knee", "available: sliders/x0");
    let integral =
        ControllerConfig { joints: [("x0".to_string(), JointLaw { ki: 1.0, ..law })].into(), ..pd.clone() };
    refuse(integral, explicit, "controllers/pd/joints/x0/ki", "use kind pid");
    let not_a_number =
        ControllerConfig { efforts: [("x0".to_string(), Profile::Constant(f64::NAN))].into(), ..constant("push") };
    refuse(not_a_number, explicit, "controllers/push/efforts/x0", "finite");
}

#[test]
fn an_actuator_has_only_one_controller() {
    let world = sliders(&[1.0], 4.0, 0.5);
    let layout = Layout::new(&world);
    let command = |name: &str| ControllerConfig {
        commands: [("m0".to_string(), Profile::Constant(1.0))].into(),
        ..constant(name)
    };
    let error = ControlLoop::new(&setup(&world, &layout, MS), &[command("a"), command("b")], &[]).err().unwrap();
    assert!(error.place == "controllers/b" && error.what.contains("'sliders/m0'"), "{error}");
}
