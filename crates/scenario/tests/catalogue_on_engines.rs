//! Every check of the catalogue can be met and can fail: our own engine meets the bound, and the scenario's mutation, run
//! instead and judged as if nothing had been changed, turns a check red.
//!
//! The suites' expectations are held to what the engines do as well.
//!
//! This is the catalogue's own proof, with the shortest possible runner; the lab is not needed for it.

use veracity_control::{ControlLoop, Setup};
use veracity_engine::{BodyState, Engine, EngineSpec, LoadError, LoadOptions, Samples};
use veracity_measure::{Judgement, Quantity, Subject, Truth, TruthChannel, Verdict, judge};
use veracity_model::{Overrides, Pose, Vec3};
use veracity_record::{Head, Host, Outcome, Record, head::SCHEMA};
use veracity_scenario::catalogue::CATALOGUE;
use veracity_scenario::{Expected, ReferenceKind, Scenario, Study, references};

const CONVERGED: &str = "native:integrator=dop853,tolerance=1e-12";
const COARSER: &str = "native:integrator=dop853,tolerance=1e-10";

/// The scenario, no longer than a test may take, and the spec that is to meet it.
fn case(name: &str) -> Option<(Scenario, &'static str)> {
    let spec = match name {
        // Forty windows are the full suite's.
        "four_bar_40" => return None,
        // Whose controller sits in a limit cycle: what an engine makes of that is a result, not a demand on it.
        "ur10_control" => return None,
        // Stiff: an implicit method, and of second order.
        "governor" => "native:integrator=midpoint",
        _ => "native",
    };
    let scenario = Scenario::built_in(name).unwrap_or_else(|f| panic!("{f}"));
    let shorter = match name {
        "ur10_tracking" | "governor" | "bricard" | "four_bar_2" => {
            Some(if name == "ur10_tracking" { 1.0 } else { 2.0 })
        }
        _ => None,
    };
    let scenario = match shorter {
        Some(s) => scenario.with(&Overrides::new().set("duration_s", s)).unwrap().within_its_duration(),
        None => scenario,
    };
    Some((scenario, spec))
}

fn run(scenario: &Scenario, spec: &str) -> Record {
    run_at(scenario, &spec.parse().unwrap(), scenario.step_ns).unwrap_or_else(|e| panic!("{spec}: {e}"))
}

/// `Err` where the engine cannot express the scenario.
fn run_at(scenario: &Scenario, spec: &EngineSpec, step_ns: i64) -> Result<Record, LoadError> {
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
    };
    Ok(Record {
        head,
        world: scenario.world.clone(),
        track: samples.track,
        contacts: samples.contacts,
        events: Vec::new(),
        log: Vec::new(),
        outcome,
        host: Host::default(),
    })
}

/// Positions of joints and bodies of a careful run; a less careful one tells its error.
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
        channels.push(TruthChannel { quantity, times: fine.track.times.clone(), values, uncertainty });
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

fn truths(scenario: &Scenario, times: &[f64]) -> Vec<Truth> {
    let one = |reference: &veracity_scenario::ReferenceConfig| match reference.kind {
        ReferenceKind::Converged => converged(&reference.name, scenario),
        _ => references::work_out(reference, scenario, times).unwrap_or_else(|e| panic!("{}: {e}", scenario.name)),
    };
    scenario.references.iter().map(one).collect()
}

fn judged(scenario: &Scenario, record: &Record, truths: &[Truth]) -> Vec<(String, Judgement)> {
    let layout = record.layout();
    let subject = Subject { record, layout: &layout };
    let one = |check: &veracity_scenario::Check| {
        let truth = check.reference.as_ref().and_then(|name| truths.iter().find(|t| t.name == *name));
        let measured = (check.metric.measure)(&subject, truth, &check.options);
        (check.name.clone(), judge(measured, check.bound, check.metric.unit))
    };
    scenario.checks.iter().map(one).collect()
}

fn lines(judgements: &[(String, Judgement)]) -> String {
    judgements.iter().map(|(name, j)| format!("  {name}: {}: {}\n", j.verdict, j.reason)).collect()
}

#[test]
fn every_bound_can_be_met_and_every_mutation_turns_a_check_red() {
    let mut wrong = String::new();
    let (mut scenarios, mut checks) = (0, 0);
    for entry in CATALOGUE {
        let Some((scenario, spec)) = case(entry.name) else { continue };
        let record = run(&scenario, spec);
        let truths = truths(&scenario, &record.track.times);
        let met = judged(&scenario, &record, &truths);
        let good = met.iter().all(|(_, j)| j.verdict == Verdict::Accepted) && record.outcome.is_finished();
        let mutation = scenario.mutation.as_ref().unwrap();
        let mut changed = run(&scenario.with(&mutation.set).unwrap(), spec);
        // An engine that does not do what the model says: its record is taken for one of the model as it is.
        changed.world = scenario.world.clone();
        let mutated = judged(&scenario, &changed, &truths);
        (scenarios, checks) = (scenarios + 1, checks + met.len());
        let red = mutated.iter().any(|(_, j)| j.verdict == Verdict::Rejected);
        println!("{} on {spec}:\n{}mutated:\n{}", entry.name, lines(&met), lines(&mutated));
        if !good {
            wrong += &format!("{} does not meet its bounds on {spec}:\n{}", entry.name, lines(&met));
        }
        if !red {
            wrong += &format!("{}: the mutation turns nothing red:\n{}", entry.name, lines(&mutated));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    println!("ACCEPT catalogue: {checks} checks of {scenarios} scenarios met, {scenarios} mutations red");
}

/// What a study would show: the worst of the checks, or how the trial ended.
fn answer(scenario: &Scenario, spec: &EngineSpec, step_ns: i64, truths: &[Truth]) -> (Expected, String) {
    let record = match run_at(scenario, spec, step_ns) {
        Ok(record) => record,
        Err(why) => return (Expected::NotExpressible, format!("  {why}\n")),
    };
    let judgements = judged(scenario, &record, truths);
    let worst = judgements.iter().map(|(_, j)| j.verdict).max().unwrap();
    let answer = if record.outcome.is_finished() { worst.into() } else { Expected::Rejected };
    (answer, lines(&judgements))
}

/// Runs the rows of a suite and counts those whose answer is the expected one; gives back those where it is not.
fn unexpected(study: &Study, wanted: impl Fn(&Scenario) -> bool, must_expect: bool) -> (usize, String) {
    let (mut right, mut wrong) = (0, String::new());
    for scenario in study.scenarios.iter().filter(|s| wanted(s)) {
        let times: Vec<f64> = run(scenario, CONVERGED).track.times;
        let truths = truths(scenario, &times);
        for engine in study.engines.iter().filter(|e| study.runs(e, scenario)) {
            for step_ns in study.steps_for(engine, scenario) {
                let expected = study.expectation(&scenario.name, &engine.spec, step_ns, None).map(|e| e.answer);
                if expected.is_none() && !must_expect {
                    continue;
                }
                let (answer, lines) = answer(scenario, &engine.spec, step_ns, &truths);
                let step_s = step_ns as f64 * 1e-9;
                let shown = expected.map_or("nothing".to_string(), |e| e.to_string());
                let row = format!(
                    "{} on {} at {step_s} s: {answer}, expected {shown}\n{lines}",
                    scenario.name, engine.spec
                );
                println!("{row}");
                if expected == Some(answer) {
                    right += 1;
                } else {
                    wrong += &row;
                }
            }
        }
    }
    (right, wrong)
}

/// What the quick suite expects, planned rejections included, is what comes out. A row without an expectation would let
/// `validate` say nothing about it.
#[test]
fn the_quick_suite_expects_what_engines_do() {
    let (right, wrong) = unexpected(&Study::built_in("quick").unwrap(), |_| true, true);
    assert!(wrong.is_empty(), "{wrong}");
    println!("ACCEPT suite-quick: {right} rows as expected");
}

/// The full suite leaves open what nobody knows beforehand; what it does expect comes out.
#[test]
fn the_full_suite_expects_what_engines_do() {
    let full_size = std::env::var_os("VERACITY_FULL").is_some();
    // The shortened form leaves out what takes minutes: forty windows, a hundred seconds of tracking.
    let quick = ["simple_pendulum", "pendulum_with_ball", "chain_of_ten"];
    let wanted = |s: &Scenario| full_size || quick.contains(&s.name.as_str());
    let (right, wrong) = unexpected(&Study::built_in("full").unwrap(), wanted, false);
    assert!(wrong.is_empty(), "{wrong}");
    println!("ACCEPT suite-full: {right} rows as expected");
}
