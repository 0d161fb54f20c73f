//! A restored loop, the same or a fresh one, continues bit for bit; recorded commands replay bit for bit.

mod support;

use support::{MS, Rule, Sliders, run, setup, sliders};
use veracity_control::config::{JointLaw, PerGroup, Profile, Sinusoid};
use veracity_control::controllers::recorded;
use veracity_control::{ControlLoop, ControllerConfig, SensorConfig};
use veracity_engine::{Inputs, Simulation};
use veracity_model::{Digest, Layout, World};
use veracity_record::{Head, Host, Outcome, Record, Signal, Track};

/// Everything with memory: an integral, commands and readings in transit, noise, a slow sensor.
fn tables() -> ([ControllerConfig; 2], [SensorConfig; 2]) {
    let swing = Profile::Sinusoid(Sinusoid { amplitude: 0.4, omega_rad_s: 3.0, ..Default::default() });
    let law = |ki| JointLaw { kp: 60.0, kd: 9.0, ki, target: swing.clone(), ..Default::default() };
    let pid = ControllerConfig {
        name: "pid".into(),
        kind: "pid".into(),
        rate_hz: Some(500.0),
        latency_s: 5e-3,
        joints: [("x0".to_string(), law(20.0))].into(),
        ..Default::default()
    };
    let pd = ControllerConfig {
        name: "pd".into(),
        kind: "pd".into(),
        phase_s: 1e-3,
        actuators: [("m1".to_string(), law(0.0))].into(),
        ..Default::default()
    };
    let encoder = |name: &str, joint: &str, rate_hz| SensorConfig {
        name: name.into(),
        kind: "encoder".into(),
        joints: vec![joint.into()],
        rate_hz,
        latency_s: 2.5e-3,
        noise_std: PerGroup::Same(1e-3),
        resolution: PerGroup::Same(1e-5),
        ..Default::default()
    };
    ([pid, pd], [encoder("a", "x0", Some(250.0)), encoder("b", "x1", None)])
}

fn start(world: &World, layout: &Layout) -> (ControlLoop, Sliders, Inputs) {
    let (controllers, sensors) = tables();
    let control = ControlLoop::new(&setup(world, layout, MS), &controllers, &sensors).unwrap();
    let inputs = control.inputs();
    (control, Sliders::new(world, MS, Rule::SemiImplicit), inputs)
}

/// Bits of everything at an instant.
fn bits(control: &mut ControlLoop, simulation: &Sliders, inputs: &Inputs, time_ns: i64) -> Vec<u64> {
    let mut signals = vec![0.0; control.signals().len()];
    control.write_signals(time_ns, &mut signals);
    let all = simulation.q.iter().chain(&simulation.v).chain(&inputs.efforts).chain(&signals);
    all.map(|x| x.to_bits()).collect()
}

#[test]
fn a_restored_loop_continues_bit_for_bit() {
    let world = sliders(&[1.0, 0.5], 20.0, 3.0);
    let layout = Layout::new(&world);
    let (mut control, mut simulation, mut inputs) = start(&world, &layout);
    // In the middle: commands and readings are in transit.
    run(&mut control, &mut simulation, &mut inputs, 333 * MS, |_, _, _, _| ()).unwrap();
    let (mut saved, mut plant) = (Vec::new(), Vec::new());
    control.snapshot(&mut saved);
    simulation.snapshot(&mut plant);
    assert_eq!(control.in_force(), &inputs);
    run(&mut control, &mut simulation, &mut inputs, 1_000 * MS, |_, _, _, _| ()).unwrap();
    let uninterrupted = bits(&mut control, &simulation, &inputs, 1_000 * MS);

    let (mut fresh, mut other, mut acting) = start(&world, &layout);
    fresh.restore(&saved).unwrap();
    other.restore(&plant).unwrap();
    acting.clone_from(fresh.in_force());
    run(&mut fresh, &mut other, &mut acting, 1_000 * MS, |_, _, _, _| ()).unwrap();
    assert_eq!(bits(&mut fresh, &other, &acting, 1_000 * MS), uninterrupted);

    // And the first one, restored.
    control.restore(&saved).unwrap();
    simulation.restore(&plant).unwrap();
    inputs.clone_from(control.in_force());
    run(&mut control, &mut simulation, &mut inputs, 1_000 * MS, |_, _, _, _| ()).unwrap();
    assert_eq!(bits(&mut control, &simulation, &inputs, 1_000 * MS), uninterrupted);
}

#[test]
fn damaged_and_foreign_snapshots_are_rejected_and_change_nothing() {
    let world = sliders(&[1.0, 0.5], 20.0, 3.0);
    let layout = Layout::new(&world);
    let (mut control, mut simulation, mut inputs) = start(&world, &layout);
    run(&mut control, &mut simulation, &mut inputs, 50 * MS, |_, _, _, _| ()).unwrap();
    let mut saved = Vec::new();
    control.snapshot(&mut saved);
    let (controllers, _) = tables();
    let other = ControlLoop::new(&setup(&world, &layout, MS), &controllers[..1], &[]).unwrap();
    let mut foreign = Vec::new();
    other.snapshot(&mut foreign);
    assert!(control.restore(&foreign).unwrap_err().what.contains("other controllers"));
    for cut in 0..saved.len() {
        assert!(control.restore(&saved[..cut]).is_err(), "{cut} of {} bytes", saved.len());
    }
    let longer = [&saved[..], &[0]].concat();
    assert!(control.restore(&longer).is_err());
    let mut again = Vec::new();
    control.snapshot(&mut again);
    assert_eq!(again, saved);
}

#[test]
fn a_reset_loop_repeats_its_run() {
    let world = sliders(&[1.0, 0.5], 20.0, 3.0);
    let layout = Layout::new(&world);
    let (mut control, mut simulation, mut inputs) = start(&world, &layout);
    run(&mut control, &mut simulation, &mut inputs, 200 * MS, |_, _, _, _| ()).unwrap();
    let first = bits(&mut control, &simulation, &inputs, 200 * MS);
    control.reset(0).unwrap();
    simulation = Sliders::new(&world, MS, Rule::SemiImplicit);
    inputs.clear();
    run(&mut control, &mut simulation, &mut inputs, 200 * MS, |_, _, _, _| ()).unwrap();
    assert_eq!(bits(&mut control, &simulation, &inputs, 200 * MS), first);
}

#[test]
fn recorded_commands_replay_their_controller_bit_for_bit() {
    let world = sliders(&[1.0, 0.5], 20.0, 3.0);
    let layout = Layout::new(&world);
    let (mut control, mut simulation, mut inputs) = start(&world, &layout);
    let mut track = Track::new(2, 2, 2, 0, 0);
    let named =
        |(name, unit): &(String, String)| Signal { name: name.clone(), unit: unit.clone(), values: Vec::new() };
    track.signals = control.signals().iter().map(named).collect();
    let mut made = Vec::new();
    let mut row = vec![0.0; control.signals().len()];
    run(&mut control, &mut simulation, &mut inputs, 400 * MS, |t, simulation, inputs, control| {
        if t == 0 {
            control.write_signals(t, &mut row);
        }
        // A row shows what was in force in the step that ended at it.
        track.times.push(simulation.time());
        track.signals.iter_mut().zip(&row).for_each(|(s, x)| s.values.push(*x));
        control.write_signals(t, &mut row);
        made.push(inputs.efforts.clone());
    })
    .unwrap();
    let path: Vec<u64> = simulation.q.iter().chain(&simulation.v).map(|x| x.to_bits()).collect();
    let record = Record {
        head: Head {
            schema: veracity_record::head::SCHEMA,
            scenario: "sliders".into(),
            key: None,
            engine: String::new(),
            engine_version: String::new(),
            veracity_version: String::new(),
            step_s: 1e-3,
            duration_s: 0.4,
            seed: 7,
            overrides: Vec::new(),
            world: Digest::of(b""),
            events: None,
        },
        world: std::sync::Arc::new(world.clone()),
        track,
        contacts: Vec::new(),
        events: Vec::new(),
        log: Vec::new(),
        outcome: Outcome::Finished,
        host: Host::default(),
    };
    // The replay has no sensors.
    let tables = ["pid", "pd"].map(|name| recorded::of_record(&record, name).unwrap());
    let mut replay = ControlLoop::new(&setup(&world, &layout, MS), &tables, &[]).unwrap();
    let mut again = Sliders::new(&world, MS, Rule::SemiImplicit);
    let mut inputs = replay.inputs();
    let mut replayed = Vec::new();
    run(&mut replay, &mut again, &mut inputs, 400 * MS, |_, _, inputs, _| replayed.push(inputs.efforts.clone()))
        .unwrap();
    // The step that begins at the last row was not recorded.
    assert_eq!(replayed[..400], made[..400]);
    assert_eq!(again.q.iter().chain(&again.v).map(|x| x.to_bits()).collect::<Vec<_>>(), path);
    assert!(recorded::of_record(&record, "nobody").unwrap_err().what.contains("commands/nobody"));
}
