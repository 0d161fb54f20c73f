//! Inspection of a study's experiments, before engines are ranked by them.

use crate::results::{ExperimentFinding, Row};
use crate::start_moved::StartMoved;
use veracity_check::experiment::{InspectedExperiment, StartChange, inspect_experiment};
use veracity_model::{Findings, Severity};
use veracity_scenario::{Scenario, Study};

/// Findings to read before the results are trusted. Notes, which change no result, are left out. The rows say how each
/// engine changed the start.
pub fn inspect_study(study: &Study, rows: &[Row]) -> Vec<ExperimentFinding> {
    let of = |s: &std::sync::Arc<Scenario>| {
        let findings = inspect_scenario(s, &taken(s, rows)).into_iter();
        let serious = findings.filter(|f| f.severity >= Severity::Warning);
        serious.map(|finding| ExperimentFinding { scenario: s.name.clone(), finding }).collect::<Vec<_>>()
    };
    study.scenarios.iter().flat_map(of).collect()
}

/// How each engine changed the start of a scenario as written, once for each spec.
fn taken(scenario: &Scenario, rows: &[Row]) -> Vec<StartChange> {
    let mut out: Vec<StartChange> = Vec::new();
    for row in rows.iter().filter(|r| r.scenario == scenario.name && r.overrides.is_empty()) {
        let Some(StartMoved(change)) = row.warnings.iter().find_map(|text| StartMoved::read(text)) else { continue };
        if out.iter().all(|known| known.engine != row.engine) {
            out.push(StartChange { engine: row.engine.clone(), change });
        }
    }
    out
}

/// All findings about one scenario at its own step, notes included.
pub fn inspect_scenario(scenario: &Scenario, taken: &[StartChange]) -> Findings {
    inspect_experiment(&InspectedExperiment {
        world: &scenario.world,
        q: &scenario.q,
        v: &scenario.v,
        controllers: &scenario.controllers,
        sensors: &scenario.sensors,
        step_ns: scenario.step_ns,
        imported: &scenario.findings,
        // Findings that a model's authors already know about are still reported before a ranking.
        known: &[],
        taken,
    })
}
