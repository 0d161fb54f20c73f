//! The simplest possible runner: a scenario on an engine, its references, its checks.
#![allow(dead_code)]

use veracity_control::{ControlLoop, Setup};
use veracity_engine::{BodyState, Engine, EngineSpec, LoadError, LoadOptions, Samples};
use veracity_measure::{Judgement, Quantity, Subject, Truth, TruthChannel, judge_as};
use veracity_model::{Pose, Vec3};
use veracity_record::{Head, Host, LogEntry, Outcome, Record, head::SCHEMA};
use veracity_scenario::{ReferenceKind, Scenario, references};

/// The spec of converged references.
pub const CONVERGED: &str = "native:integrator=dop853,tolerance=1e-12";
const COARSER: &str = "native:integrator=dop853,tolerance=1e-10";

pub fn run(scenario: &Scenario, spec: &str) -> Record {
    run_at(scenario, &spec.parse().unwrap(), scenario.step_ns).unwrap_or_else(|e| panic!("{spec}: {e}"))
}

/// Runs a scenario at a step; `Err` if the engine cannot express it.
pub fn run_at(scenario: &Scenario, spec: &EngineSpec, step_ns: i64) -> Result<Record, LoadError> {
    let engine: &dyn Engine = match spec.engine.as_str() {
        "native" => &veracity_engine_native::ENGINE,
        "rapier" => &veracity_engine_rapier::ENGINE,
        other => panic!("no engine {other} here"),
    };
    let settings = engine.resolve(spec).unwrap();
    let options = LoadOptions { step_s: step_ns as f64 * 1e-9 };
    let mut simulation = engine.load(&scenario.world, &settings, &options)?;
    simulation.set_state(0.0, &scenario.q, &scenario.v)?;
    let layout = simulation.layout().clone();
    let capabilities = engine.capabilities(&settings);
    let setup = Setup { world: &scenario.world, layout: &layout, capabilities, step_ns, seed: 0, trial: 0 };
    let mut control = ControlLoop::new(&setup, &scenario.controllers, &scenario.sensors).unwrap();
    let mut inputs = control.inputs();
    let mut samples = Samples::new(&layout, scenario.record_interval_ns(step_ns).unwrap(), 0);
    let still = BodyState {
        world_from_body: Pose::identity(),
        angular_velocity: Vec3::zeros(),
        linear_velocity: Vec3::zeros(),
    };
    let mut bodies = vec![still; layout.bodies.len()];
    simulation.bodies(&mut bodies);
    samples.push(0.0, &scenario.q, &scenario.v, &bodies, &vec![0.0; scenario.v.len()], &[]);
    let mut outcome = Outcome::Finished;
    let mut now = 0;
    while now < scenario.duration_ns {
        if control.next_tick_ns() <= now {
            control.tick(now, &mut *simulation, &mut inputs).unwrap();
        }
        let next = control.next_tick_ns().min(scenario.duration_ns);
        if let Err(trouble) = simulation.advance(next as f64 * 1e-9, &inputs, &mut samples) {
            outcome = Outcome::BrokeDown { time: trouble.time, reason: trouble.reason };
            break;
        }
        now = next;
    }
    let mut warnings = Vec::new();
    simulation.warnings(&mut warnings);
    let time = now as f64 * 1e-9;
    let log = warnings.into_iter().map(|text| LogEntry { time, warning: true, text }).collect();
    let head = Head {
        schema: SCHEMA,
        scenario: scenario.name.clone(),
        key: None,
        engine: settings.full_spec(),
        engine_version: engine.version(),
        veracity_version: String::new(),
        step_s: options.step_s,
        duration_s: scenario.duration_ns as f64 * 1e-9,
        seed: 0,
        overrides: Vec::new(),
        world: scenario.world.digest(),
        events: None,
    };
    Ok(Record {
        head,
        world: scenario.world.clone(),
        track: samples.track,
        contacts: samples.contacts,
        events: Vec::new(),
        log,
        outcome,
        host: Host::default(),
    })
}

/// Positions of joints and bodies of an accurate run; a less accurate run gives its error.
fn converged(name: &str, scenario: &Scenario) -> Truth {
    let (fine, coarse) = (run(scenario, CONVERGED), run(scenario, COARSER));
    let (layout, rows) = (fine.layout(), fine.track.rows());
    let mut channels = Vec::new();
    let mut add = |quantity: Quantity, value: &dyn Fn(&Record, usize) -> Vec<f64>| {
        let distance = |row: usize| {
            let pairs = value(&fine, row).into_iter().zip(value(&coarse, row));
            pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
        };
        let uncertainty = (0..rows).map(distance).collect();
        let values = (0..rows).flat_map(|row| value(&fine, row)).collect();
        channels.push(TruthChannel {
            quantity,
            times: fine.track.times.clone(),
            values,
            uncertainty,
            parts_at_s: None,
        });
    };
    for (slot, joint) in layout.joints.iter().enumerate().filter(|(_, j)| j.kind.dof_count() == 1) {
        add(Quantity::JointPosition(slot), &|record, row| vec![record.track.q(row)[joint.q]]);
    }
    for body in 0..layout.bodies.len() {
        let place = |record: &Record, row: usize| record.track.pose(row, body)[..3].to_vec();
        add(Quantity::Point { body, point: [0.0; 3] }, &place);
    }
    Truth { name: name.to_string(), source: CONVERGED.to_string(), channels }
}

pub fn truths(scenario: &Scenario, times: &[f64]) -> Vec<Truth> {
    let one = |reference: &veracity_scenario::ReferenceConfig| match reference.kind {
        ReferenceKind::Converged => converged(&reference.name, scenario),
        _ => references::work_out(reference, scenario, times).unwrap_or_else(|e| panic!("{}: {e}", scenario.name)),
    };
    scenario.references.iter().map(one).collect()
}

pub fn judged(scenario: &Scenario, record: &Record, truths: &[Truth]) -> Vec<(String, Judgement)> {
    let layout = record.layout();
    let subject = Subject { record, layout: &layout };
    let one = |check: &veracity_scenario::Check| {
        let truth = check.reference.as_ref().and_then(|name| truths.iter().find(|t| t.name == *name));
        let measured = (check.metric.measure)(&subject, truth, &check.options);
        (check.name.clone(), judge_as(check.better, measured, check.bound, check.metric.unit))
    };
    scenario.checks.iter().map(one).collect()
}

pub fn lines(judgements: &[(String, Judgement)]) -> String {
    judgements.iter().map(|(name, j)| format!("  {name}: {}: {}\n", j.verdict, j.reason)).collect()
}
