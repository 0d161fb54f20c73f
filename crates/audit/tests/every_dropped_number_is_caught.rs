//! The audit is green over engines that honour what they load, and red for exactly the number that is lost on the way.

mod dropping;

use dropping::mutations::MUTATIONS;
use dropping::{Dropping, NOTHING};
use veracity_audit::{EXPERIMENTS, Verdict, audit, judge};
use veracity_engine::{Engine, Settings};

fn settings(engine: &dyn Engine, spec: &str) -> Settings {
    engine.resolve(&spec.parse().unwrap()).unwrap()
}

#[test]
fn every_experiment_has_a_mutation_and_every_mutation_an_experiment() {
    let experiments: Vec<_> = EXPERIMENTS.iter().map(|e| e.name).collect();
    let mutations: Vec<_> = MUTATIONS.iter().map(|(name, _)| *name).collect();
    assert_eq!(experiments, mutations, "the two lists are in one order");
}

/// Green without a mutation, even through the wrapper; red with each. Shortened, a later spec of an engine tries every third
/// mutation; the first tries all.
fn hold(engine: &dyn Engine, spec: &str, every: usize, least: usize) {
    let every = if std::env::var_os("VERACITY_FULL").is_some() { 1 } else { every };
    let settings = settings(engine, spec);
    let whole = Dropping { engine, mutation: NOTHING };
    let sound = audit(&whole, &settings, &EXPERIMENTS.iter().collect::<Vec<_>>(), |_| {});
    let mut report = String::new();
    for finding in &sound.findings {
        if finding.verdict == Verdict::Wrong {
            report += &format!("{}: wrong without a mutation: {}\n", finding.experiment.name, finding.reason);
        }
    }
    assert!(sound.repeatability.as_declared(), "{}", sound.repeatability.sentence());
    let (mut caught, mut tried) = (0, 0);
    for (finding, (name, mutation)) in sound.findings.iter().zip(MUTATIONS).step_by(every) {
        if finding.verdict == Verdict::NotExpressible {
            continue;
        }
        tried += 1;
        let dropping = Dropping { engine, mutation: *mutation };
        let found = judge(finding.experiment, &dropping, &settings);
        if found.verdict == Verdict::Wrong {
            caught += 1;
        } else {
            let number = found.measured.unwrap_or(f64::NAN);
            report += &format!("{name}: dropped, and {} ({number})\n", found.verdict.word());
        }
    }
    assert!(report.is_empty(), "{}\n{report}", settings.full_spec());
    assert!(caught >= least / every, "only {caught} mutations were caught under {spec}");
    println!(
        "ACCEPT audit-mutations-{}: {caught} of {tried} numbers, each dropped alone, caught; of {} without a mutation {} honoured, {} approximated, {} not expressible, 0 WRONG",
        spec.replace([':', '=', ','], "-"),
        EXPERIMENTS.len(),
        sound.count(Verdict::Honoured),
        sound.count(Verdict::Approximated),
        sound.count(Verdict::NotExpressible),
    );
}

#[test]
fn native() {
    hold(&veracity_engine_native::ENGINE, "native", 1, 105);
}

#[test]
fn native_stepping() {
    hold(&veracity_engine_native::ENGINE, "native:paradigm=stepping", 3, 105);
}

#[test]
fn native_event() {
    hold(&veracity_engine_native::ENGINE, "native:paradigm=event", 3, 105);
}

#[test]
fn native_penalty() {
    hold(&veracity_engine_native::ENGINE, "native:paradigm=penalty", 3, 105);
}

#[test]
fn rapier_impulse() {
    hold(&veracity_engine_rapier::ENGINE, "rapier:impulse", 1, 95);
}

#[test]
fn rapier_multibody() {
    hold(&veracity_engine_rapier::ENGINE, "rapier:multibody", 3, 95);
}
