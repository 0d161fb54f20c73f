//! Every check of the catalogue can pass and can fail: our own engine satisfies the bound, and the scenario's mutation,
//! run instead and judged as if nothing had been changed, makes a check fail.
//!
//! The expectations of the suites are compared with the engines' results as well.
//!
//! Uses the simplest possible runner; the lab is not needed.

mod running;

use running::{judged, lines, run, run_at, truths};
use veracity_engine::EngineSpec;
use veracity_measure::{Truth, Verdict};
use veracity_model::Overrides;
use veracity_scenario::catalogue::CATALOGUE;
use veracity_scenario::{Expected, Scenario, Study};

/// The scenario, shortened for a test, and the spec that must pass it.
fn case(name: &str) -> Option<(Scenario, &'static str)> {
    let spec = match name {
        // Forty windows run only in the full suite.
        "four_bar_40" => return None,
        // Its controller is in a limit cycle: an engine's response to that is a result, not a requirement.
        "ur10_control" => return None,
        // Stiff: needs an implicit method of second order.
        "governor" => "native:integrator=midpoint",
        _ => "native",
    };
    let scenario = Scenario::built_in(name).unwrap_or_else(|f| panic!("{f}"));
    if scenario.world.contact {
        return touching(scenario);
    }
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

/// Scenarios that this test leaves out even at full size, and why. A new scenario is tested unless it is named here.
const NOT_TRIED: &[(&str, &str)] = &[
    ("balls_666", "minutes; its bound is the claim six-six-six"),
    ("balls_666_elastic", "minutes; its bound is the claim event-666"),
    ("funnel", "its solver does not reach its residual in most steps: what an engine makes of it is a result"),
    ("hanging_chain", "its bound is met at steps below 1 ms only"),
    ("ur10_grasp_control", "its controller is in a limit cycle: what an engine makes of it is a result"),
    ("ur10_grasp_control_2khz", "the same"),
    ("ur10_grasp_control_4khz", "the claim grasp-step-map covers it"),
    ("ur10_grasp_2x", "its fingers cross their gap in the first step: what an engine makes of it is a result"),
    ("ur10_grasp_3x", "the same"),
    ("ur10_grasp_4x", "the same"),
    ("ur10_grasp_10x", "the same"),
];

/// Bodies that touch: the paradigm that must pass, and for how long it runs. Scenarios that take minutes run only in
/// the full suite.
fn touching(scenario: Scenario) -> Option<(Scenario, &'static str)> {
    let (stepping, event, penalty) = ("native:paradigm=stepping", "native:paradigm=event", "native:paradigm=penalty");
    let (spec, seconds) = match scenario.name.as_str() {
        "bounce" | "zero_gravity" => (event, None),
        // Loads that only compliant surfaces distribute evenly; walls without clearance.
        "rolling" | "caged_box" => (penalty, None),
        "incline_holds" | "incline_slides" | "push_holds" | "push_slides" | "stack" | "switch" | "screw" => {
            (stepping, None)
        }
        "pinch" | "creep" | "stacked_joints" | "balls_125" => (stepping, None),
        "erez_humanoid" | "erez_capsules" => (stepping, None),
        "block_row_1_slides" | "block_row_3_slides" => (stepping, None),
        "block_row_1" | "block_row_2" | "block_row_3" | "block_row_3_margin" => (stepping, Some(2.0)),
        "bouncing_49" => (stepping, Some(4.0)),
        "mass_ratio" | "ur10_grasp" => (stepping, Some(1.0)),
        "ur10_grasp_drive" | "ur10_grasp_control_drive" => (stepping, Some(0.5)),
        "tower" => (stepping, Some(2.0)),
        "long_rest" => (stepping, Some(100.0)),
        "nao_standing" => (stepping, Some(6.0)),
        name if NOT_TRIED.iter().any(|(left_out, _)| *left_out == name) => return None,
        // The rest of the rows and the walkers take minutes together.
        _ if std::env::var_os("VERACITY_FULL").is_none() => return None,
        name if name.starts_with("block_row_") => (stepping, Some(2.0)),
        _ => (event, None),
    };
    let shorter = |s: f64| scenario.with(&Overrides::new().set("duration_s", s)).unwrap().within_its_duration();
    Some((seconds.map_or_else(|| scenario.clone(), shorter), spec))
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
        // An engine that ignores what the model says: its record is judged as a record of the unchanged model.
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

/// Runs the rows of a suite and counts those with the expected answer; returns the others.
fn unexpected(study: &Study, wanted: impl Fn(&Scenario) -> bool, must_expect: bool) -> (usize, String) {
    let (mut right, mut wrong) = (0, String::new());
    for scenario in study.scenarios.iter().filter(|s| wanted(s)) {
        let rows = scenario.duration_ns / scenario.record_every_ns;
        let times: Vec<f64> = (0..=rows).map(|i| (i * scenario.record_every_ns) as f64 * 1e-9).collect();
        let truths = truths(scenario, &times);
        // Guests run in separate processes: the command-line tests cover them.
        for engine in study.engines.iter().filter(|e| study.runs(e, scenario) && !e.if_present) {
            for step_ns in study.steps_for(engine, scenario) {
                let expected = study.expectation(&scenario.name, &engine.spec, step_ns, &[], None).map(|e| e.answer);
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

/// The quick suite's expectations, planned rejections included, are what the engines give. A row without an expectation
/// would make `validate` say nothing about it.
#[test]
fn the_quick_suite_expects_what_engines_do() {
    let (right, wrong) = unexpected(&Study::built_in("quick").unwrap(), |_| true, true);
    assert!(wrong.is_empty(), "{wrong}");
    println!("ACCEPT suite-quick: {right} rows as expected");
}

/// The full suite leaves open what is not known beforehand; the expectations it has are satisfied.
#[test]
fn the_full_suite_expects_what_engines_do() {
    let full_size = std::env::var_os("VERACITY_FULL").is_some();
    // The short form leaves out what takes minutes: forty windows, a hundred seconds of tracking.
    let quick = ["simple_pendulum", "pendulum_with_ball", "chain_of_ten"];
    let wanted = |s: &Scenario| full_size || quick.contains(&s.name.as_str());
    let (right, wrong) = unexpected(&Study::built_in("full").unwrap(), wanted, false);
    assert!(wrong.is_empty(), "{wrong}");
    println!("ACCEPT suite-full: {right} rows as expected");
}
