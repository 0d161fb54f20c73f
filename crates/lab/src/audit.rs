//! The audit of a study's experiments, before any engine is ranked by them.

use veracity_check::experiment::{Experiment, audit_experiment};
use veracity_model::{Findings, Severity};
use veracity_scenario::{Scenario, Study};

/// What should be read about each scenario: its name and the finding. Notes, which change no result, are left out.
pub fn audit(study: &Study) -> Vec<(String, String)> {
    let of = |s: &std::sync::Arc<Scenario>| {
        let findings = audit_scenario(s);
        let told = findings.iter().filter(|f| f.severity >= Severity::Warning);
        told.map(|f| (s.name.clone(), f.to_string())).collect::<Vec<_>>()
    };
    study.scenarios.iter().flat_map(of).collect()
}

/// Everything found about one scenario at its own step, notes included.
pub fn audit_scenario(scenario: &Scenario) -> Findings {
    audit_experiment(&Experiment {
        world: &scenario.world,
        q: &scenario.q,
        v: &scenario.v,
        controllers: &scenario.controllers,
        sensors: &scenario.sensors,
        step_ns: scenario.step_ns,
        imported: &scenario.findings,
        // What a model's authors know about is still told before a ranking.
        known: &[],
        taken: &[],
    })
}
