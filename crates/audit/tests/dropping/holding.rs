//! An audit held to its task: green as the engine is, red for every number dropped alone. Engines in workers are held to it by
//! their own tests, where their programs are.

use super::mutations::MUTATIONS;
use super::{Dropping, NOTHING};
use veracity_audit::{EXPERIMENTS, Verdict, audit, judge};
use veracity_engine::Engine;

/// How much of it is done when time is short.
#[derive(Clone, Copy)]
pub struct Shortened {
    /// Every so many experiments are audited …
    pub audited_every: usize,
    /// … and of these every so many with their number dropped.
    pub dropped_every: usize,
}

/// All of it, always.
pub const WHOLE: Shortened = Shortened { audited_every: 1, dropped_every: 1 };

/// Green without a mutation, even through the wrapper; red with each. `refused` are the mutations that leave a world which this
/// engine says it cannot express: nothing is lost unseen there either, but it is the engine that says so and not the audit.
pub fn hold(engine: &dyn Engine, spec: &str, shortened: Shortened, least: usize, refused: &[&str]) {
    let full = std::env::var_os("VERACITY_FULL").is_some();
    let Shortened { audited_every, dropped_every } = if full { WHOLE } else { shortened };
    let settings = engine.resolve(&spec.parse().unwrap()).unwrap();
    let whole = Dropping { engine, mutation: NOTHING };
    let experiments: Vec<_> = EXPERIMENTS.iter().step_by(audited_every).collect();
    let sound = audit(&whole, &settings, &experiments, |_| {});
    let mut report = String::new();
    for finding in &sound.findings {
        if finding.verdict == Verdict::Wrong {
            report += &format!("{}: wrong without a mutation: {}\n", finding.experiment.name, finding.reason);
        }
    }
    assert!(sound.repeatability.as_declared(), "{}", sound.repeatability.sentence());
    let (mut caught, mut tried, mut said) = (0, 0, Vec::new());
    let mutations = MUTATIONS.iter().step_by(audited_every);
    for (finding, (name, mutation)) in sound.findings.iter().zip(mutations).step_by(dropped_every) {
        if finding.verdict == Verdict::NotExpressible {
            continue;
        }
        tried += 1;
        let dropping = Dropping { engine, mutation: *mutation };
        let found = judge(finding.experiment, &dropping, &settings);
        if found.verdict == Verdict::Wrong {
            caught += 1;
        } else if found.verdict == Verdict::NotExpressible && refused.contains(name) {
            said.push(*name);
        } else {
            let number = found.measured.unwrap_or(f64::NAN);
            report += &format!("{name}: dropped, and {} ({number})\n", found.verdict.word());
        }
    }
    assert!(report.is_empty(), "{}\n{report}", settings.full_spec());
    assert!(caught >= least / (audited_every * dropped_every), "only {caught} mutations were caught under {spec}");
    let said =
        if said.is_empty() { String::new() } else { format!(", {} refused by the engine itself", said.join(", ")) };
    println!(
        "ACCEPT audit-mutations-{}: {caught} of {tried} numbers, each dropped alone, caught{said}; of {} without a mutation {} honoured, {} approximated, {} not expressible, 0 WRONG",
        spec.replace([':', '=', ','], "-"),
        experiments.len(),
        sound.count(Verdict::Honoured),
        sound.count(Verdict::Approximated),
        sound.count(Verdict::NotExpressible),
    );
}
