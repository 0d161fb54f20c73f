//! An audit held to its task: green as the engine is, red for every number dropped alone. Engines in workers are held to it by
//! their own tests, where their programs are.

use super::mutations::MUTATIONS;
use super::{Dropping, NOTHING};
use veracity_audit::{EXPERIMENTS, Verdict, audit, judge};
use veracity_engine::Engine;

/// Green without a mutation, even through the wrapper; red with each. Shortened, it tries every so many of them.
pub fn hold(engine: &dyn Engine, spec: &str, every: usize, least: usize) {
    let every = if std::env::var_os("VERACITY_FULL").is_some() { 1 } else { every };
    let settings = engine.resolve(&spec.parse().unwrap()).unwrap();
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
