//! An engine that did not solve its own equations is not accepted, however small its error. "did not reach its residual
//! in 4776 of 6000 steps" used to appear only in the JSON, with the verdict "accepted".

mod support;

use std::sync::Arc;
use support::{engines, study};
use veracity_engine::Unsolved;
use veracity_lab::plan::{Case, Point};
use veracity_lab::{Planned, TrialVerdict, judging, run_trial};
use veracity_model::Overrides;
use veracity_record::LogEntry;
use veracity_scenario::references;

fn planned() -> Planned {
    let one = study(&["simple_pendulum"], &["native"]);
    let case = Case::new(&one.scenarios[0], &Overrides::new()).unwrap();
    let (engine, step_ns) = ("native".parse().unwrap(), one.scenarios[0].step_ns);
    let point = Point { engine, step_ns, seed: 0, index: 0, expected: None, expected_checks: Vec::new() };
    engines().plan_trial(&case, 0, &point).unwrap()
}

#[test]
fn more_than_one_unsolved_step_in_a_hundred_cannot_be_accepted() {
    let planned = planned();
    let scenario = Arc::clone(&planned.setup.scenario);
    let record = run_trial(&planned, None);
    let truth = |r: &veracity_scenario::ReferenceConfig| {
        (r.name.clone(), references::work_out(r, &scenario, &record.track.times).map_err(|e| e.to_string()))
    };
    let truths = scenario.references.iter().map(truth).collect();
    let judged = |steps: u64| {
        let mut record = record.clone();
        let said = Unsolved { steps, of: 6000, first_s: Some(0.5) };
        record.log.push(LogEntry { time: 1.0, warning: true, text: format!("{said}; give it more iters") });
        judging::row(&planned, &record, &truths)
    };
    assert_eq!(judged(60).verdict, TrialVerdict::Accepted, "{}", judged(60).reason);
    let row = judged(4776);
    assert_eq!(row.verdict, TrialVerdict::CannotTell, "{}", row.reason);
    assert!(row.reason.contains("4776 of 6000 steps") && row.reason.contains("79.6 %"), "{}", row.reason);
    assert!(row.warnings.iter().any(|w| w.contains("4776 of 6000")));
    assert_eq!(judged(61).verdict, TrialVerdict::CannotTell);
}
