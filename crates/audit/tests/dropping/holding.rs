//! Tests an audit: no row is wrong for the unchanged engine, and every number dropped on its own is caught. Engines in
//! workers are tested this way in their own packages, where their programs are.

use super::mutations::MUTATIONS;
use super::{Dropping, NOTHING};
use veracity_audit::{EXPERIMENTS, ReadBack, audit, judge};
use veracity_engine::Engine;

/// Which part is tested in the short run.
#[derive(Clone, Copy)]
pub struct Shortened {
    /// Every n-th experiment is audited …
    pub audited_every: usize,
    /// … and of these every n-th with its number dropped.
    pub dropped_every: usize,
}

/// Everything, also in the short run.
pub const WHOLE: Shortened = Shortened { audited_every: 1, dropped_every: 1 };

/// Accepted without a mutation, even through the wrapper; wrong with each. `refused` are the mutations that give a
/// world which this engine declares it cannot express: nothing is silently lost there either, but the engine reports it
/// and not the audit.
pub fn hold(engine: &dyn Engine, spec: &str, shortened: Shortened, least: usize, refused: &[&str]) {
    let full = std::env::var_os("VERACITY_FULL").is_some();
    let Shortened { audited_every, dropped_every } = if full { WHOLE } else { shortened };
    let settings = engine.resolve(&spec.parse().unwrap()).unwrap();
    let whole = Dropping { engine, mutation: NOTHING };
    let experiments: Vec<_> = EXPERIMENTS.iter().step_by(audited_every).collect();
    let sound = audit(&whole, &settings, &experiments, |_| {});
    let mut report = String::new();
    for finding in &sound.findings {
        if finding.verdict == ReadBack::Wrong {
            report += &format!("{}: wrong without a mutation: {}\n", finding.experiment.name, finding.reason);
        }
    }
    assert!(sound.repeatability.as_declared(), "{}", sound.repeatability.sentence());
    let (mut caught, mut tried, mut refusals) = (0, 0, Vec::new());
    let mutations = MUTATIONS.iter().step_by(audited_every);
    for (finding, (name, mutation)) in sound.findings.iter().zip(mutations).step_by(dropped_every) {
        if finding.verdict == ReadBack::NotExpressible {
            continue;
        }
        tried += 1;
        let dropping = Dropping { engine, mutation: *mutation };
        let found = judge(finding.experiment, &dropping, &settings);
        if found.verdict == ReadBack::Wrong {
            caught += 1;
        } else if found.verdict == ReadBack::NotExpressible && refused.contains(name) {
            refusals.push(*name);
        } else {
            let number = found.measured.unwrap_or(f64::NAN);
            report += &format!("{name}: dropped, and {} ({number})\n", found.verdict.word());
        }
    }
    assert!(report.is_empty(), "{}\n{report}", settings.full_spec());
    assert!(caught >= least / (audited_every * dropped_every), "only {caught} mutations were caught under {spec}");
    let refusals = if refusals.is_empty() {
        String::new()
    } else {
        format!(", {} refused by the engine itself", refusals.join(", "))
    };
    println!(
        "ACCEPT audit-mutations-{}: {caught} of {tried} numbers, each dropped alone, caught{refusals}; of {} without a mutation {} honoured, {} approximated, {} not expressible, 0 WRONG",
        spec.replace([':', '=', ','], "-"),
        experiments.len(),
        sound.count(ReadBack::Honoured),
        sound.count(ReadBack::Approximated),
        sound.count(ReadBack::NotExpressible),
    );
}
