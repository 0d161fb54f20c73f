//! No tick allocates: tested with a counting allocator on a loop with every kind of controller and sensor.

mod support;

use support::puppet::{Prescribed, Puppet, one_body};
use support::{ABLE, MS, Rule, Sliders, setup, sliders};
use veracity_control::config::{
    CommandNoise, GaitConfig, GaitSpace, JointLaw, LegConfig, PathConfig, PdForm, PerGroup, Profile, Schedule,
    Sinusoid, WaypointConfig, WrenchConfig,
};
use veracity_control::{CONTROLLERS, ControlLoop, ControllerConfig, SENSORS, SensorConfig, Setup};
use veracity_counting::Counting;
use veracity_engine::{Capabilities, Inputs, Simulation};
use veracity_model::geometry::at;
use veracity_model::{Body, Inertia, Joint, JointKind, Layout, ModelBuilder, Pose, Shape, Vec3, World};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations in the ticks of the first 40 ms, the very first tick included.
fn allocations(control: &mut ControlLoop, simulation: &mut dyn Simulation, inputs: &mut Inputs) -> u64 {
    let mut signals = vec![0.0; control.signals().len()];
    let before = veracity_counting::allocations();
    for ms in 0..40 {
        if control.next_tick_ns() == ms * MS {
            control.tick(ms * MS, simulation, inputs).unwrap();
            control.write_signals(ms * MS, &mut signals);
        }
    }
    veracity_counting::allocations() - before
}

#[test]
fn controllers_of_every_kind() {
    let world = sliders(&[1.0, 2.0, 3.0], 50.0, 2.0);
    let layout = Layout::new(&world);
    let named = |kind: &str| ControllerConfig { name: kind.into(), kind: kind.into(), ..Default::default() };
    let number = |x: f64| Profile::Constant(x);
    let steps =
        Profile::Schedule(Schedule { times_s: vec![0.0, 0.01], values: vec![1.0, 2.0], ..Default::default() });
    let wave = Profile::Sinusoid(Sinusoid { amplitude: 1.0, omega_rad_s: 9.0, ..Default::default() });
    let law = |ki| JointLaw { kp: 9.0, kd: 2.0, ki, ..Default::default() };
    let push =
        WrenchConfig { body: "b1".into(), force_n: [number(1.0), number(0.0), number(0.0)], ..Default::default() };
    let controllers = [
        ControllerConfig { efforts: [("x0".into(), number(1.0))].into(), wrenches: vec![push], ..named("constant") },
        ControllerConfig { efforts: [("x0".into(), steps)].into(), ..named("schedule") },
        ControllerConfig { efforts: [("x1".into(), wave)].into(), ..named("sinusoid") },
        ControllerConfig {
            actuators: [("m1".into(), law(0.0))].into(),
            latency_s: 7e-3,
            gravity_compensation: Some(true),
            ..named("pd")
        },
        ControllerConfig { joints: [("x2".into(), law(1.0))].into(), form: Some(PdForm::Drive), ..named("pid") },
        ControllerConfig {
            times_s: vec![0.0, 0.02],
            values: [("actuators/m2".to_string(), vec![1.0, 2.0])].into(),
            ..named("recorded")
        },
        ControllerConfig {
            noise: Some(CommandNoise { std: 0.1, correlation_s: 0.1, latency_jitter_s: 2e-3, ..Default::default() }),
            gait: Some(GaitConfig {
                body: "b1".into(),
                period_s: 0.02,
                duty: 0.5,
                step_height_m: 0.01,
                space: GaitSpace::Joint,
                kp: 1.0,
                kd: 1.0,
                support: true,
                legs: vec![LegConfig { body: "b0".into(), joints: vec!["x0".into()], ..Default::default() }],
                ..Default::default()
            }),
            ..named("gait")
        },
        ControllerConfig {
            path: Some(PathConfig {
                body: "b0".into(),
                joints: vec!["x0".into()],
                kp: 1.0,
                kd: 1.0,
                inverse_dynamics: true,
                waypoints: vec![WaypointConfig { position_m: [1.0, 0.0, 0.0], speed_m_s: 1.0, ..Default::default() }],
                ..Default::default()
            }),
            ..named("path")
        },
    ];
    assert!(CONTROLLERS.iter().all(|kind| controllers.iter().any(|c| c.kind == kind.name)));
    let mut control = ControlLoop::new(&setup(&world, &layout, MS), &controllers, &[]).unwrap();
    let (mut simulation, mut inputs) = (Sliders::new(&world, MS, Rule::Exact), control.inputs());
    assert_eq!(allocations(&mut control, &mut simulation, &mut inputs), 0);
}

#[test]
fn sensors_of_every_kind() {
    let world = one_body();
    let layout = Layout::new(&world);
    let sensors: Vec<SensorConfig> = SENSORS
        .iter()
        .map(|kind| SensorConfig {
            name: kind.name.into(),
            kind: kind.name.into(),
            latency_s: 3.3e-3,
            noise_std: PerGroup::Same(0.1),
            resolution: PerGroup::Same(0.01),
            body: kind.keys.contains(&"body").then(|| "b".to_string()),
            joint: kind.keys.contains(&"joint").then(|| "free".to_string()),
            target: kind.keys.contains(&"target").then(|| "ground".to_string()),
            max_m: kind.keys.contains(&"max_m").then_some(5.0),
            ..Default::default()
        })
        .collect();
    for accelerations in [true, false] {
        let capabilities = Capabilities { reactions: true, accelerations, ..ABLE };
        let setup = Setup { world: &world, layout: &layout, capabilities, step_ns: MS, seed: 1, trial: 0 };
        let mut control = ControlLoop::new(&setup, &[], &sensors).unwrap();
        let mut puppet = Puppet::new(&world, |_| Prescribed::at_rest(at(0.0, 0.0, 1.0)));
        let mut inputs = control.inputs();
        assert_eq!(allocations(&mut control, &mut puppet, &mut inputs), 0);
    }
}

#[test]
fn a_sight_that_casts_rays() {
    let mut builder = ModelBuilder::new("three");
    let shapes = [
        ("eye", Shape::Sphere { radius: 0.1 }),
        ("target", Shape::Sphere { radius: 0.1 }),
        ("wall", Shape::Box { size: Vec3::new(0.1, 1.0, 1.0) }),
    ];
    for (name, shape) in shapes {
        let body = Body::new(name, Inertia::zero()).with_shape(shape, at(1.0, 0.0, 0.0));
        builder.add_body(body, Joint::new(format!("weld_{name}"), JointKind::Fixed), None);
    }
    let world = World::with_model(builder.build().unwrap());
    let layout = Layout::new(&world);
    let sight = SensorConfig {
        name: "sight".into(),
        kind: "sight".into(),
        body: Some("eye".into()),
        target: Some("target".into()),
        target_xyz_m: Some([2.0, 0.0, 0.0]),
        max_m: Some(5.0),
        half_view_rad: Some(1.0),
        ..Default::default()
    };
    let mut control = ControlLoop::new(&setup(&world, &layout, MS), &[], &[sight]).unwrap();
    let mut puppet = Puppet::new(&world, |_| Prescribed::at_rest(Pose::identity()));
    let mut inputs = control.inputs();
    assert_eq!(allocations(&mut control, &mut puppet, &mut inputs), 0);
}
