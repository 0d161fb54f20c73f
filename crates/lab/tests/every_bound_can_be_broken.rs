//! Every scenario of the catalogue has a mutation, and on our own engine, run by the lab with its references, the
//! mutation makes a check fail: a bound that nothing can break is worse than none.
//!
//! The changed scenario is run, and its record is judged with the world and the references of the unchanged one: with
//! the changed world the energy of an added damper would be accounted for and nothing would show.
//!
//! Only scenarios of smooth motion: those whose bodies touch need other specs.

mod support;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use support::{Folder, engines, study};
use veracity_lab::plan::{Case, Point};
use veracity_lab::{Lab, Store, Threads, TrialVerdict, judging, run_trial};
use veracity_model::Overrides;
use veracity_scenario::catalogue::CATALOGUE;

#[test]
fn every_scenario_is_accepted_as_it_is_and_rejected_when_mutated() {
    let folder = Folder::new("mutations");
    let store = Store::open(folder.path()).unwrap();
    let executor = Threads::new(1).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let lab = Lab { engines: engines(), store: &store, executor: &executor, stop, fresh: false };
    let (mut problems, mut count) = (Vec::new(), 0);
    for entry in CATALOGUE {
        let one = study(&[entry.name], &["native"]);
        let base = &one.scenarios[0];
        if base.world.contact {
            continue;
        }
        count += 1;
        let Some(mutation) = &base.mutation else {
            problems.push(format!("{} has no mutation", entry.name));
            continue;
        };
        // The truth is that of the scenario as written.
        let case = Case::new(base, &Overrides::new()).unwrap();
        let truths = lab.references(&one, &case).unwrap();
        let point = |engine: &str| Point {
            engine: engine.parse().unwrap(),
            step_ns: base.step_ns,
            seed: 0,
            index: 0,
            expected: None,
            expected_checks: Vec::new(),
        };
        // Adaptive, so that only the mutation can cause a failure.
        let spec = "native:integrator=dop853,tolerance=1e-11";
        let judge = |case: &Case| {
            let planned = lab.engines.plan_trial(case, 0, &point(spec)).unwrap();
            let mut record = run_trial(&planned, None);
            record.world = Arc::clone(&base.world);
            judging::row(&planned, &record, &truths)
        };
        let (plain, mutated) = (judge(&case), judge(&Case::new(base, &mutation.set).unwrap()));
        if plain.verdict != TrialVerdict::Accepted {
            problems.push(format!("{} is {} as it is: {}", entry.name, plain.verdict, plain.reason));
        }
        if mutated.verdict != TrialVerdict::Rejected {
            problems.push(format!(
                "{} is {} when mutated ({}): {}",
                entry.name, mutated.verdict, mutation.why, mutated.reason
            ));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    println!("ACCEPT mutations: {count} scenarios met as they are and rejected when mutated");
}
