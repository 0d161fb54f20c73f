//! The scenario's checks on the motion that the programs produced.

use crate::output::Output;
use std::io::Write;
use veracity_lab::CheckResult;
use veracity_lab::judging::judge_check;
use veracity_measure::Verdict;
use veracity_scenario::Scenario;
use veracity_tempo::Run;

/// Every check that needs no reference: a reference is the motion of the scenario's own controllers, not of the programs.
pub fn of(run: &Run, scenario: &Scenario) -> Vec<CheckResult> {
    let own = scenario.checks.iter().filter(|check| check.reference.is_none());
    own.map(|check| judge_check(&run.record, check, &Vec::new())).collect()
}

/// Whether every one is accepted.
pub fn pass(checks: &[CheckResult]) -> bool {
    checks.iter().all(|check| check.judgement.verdict == Verdict::Accepted)
}

/// One line each.
pub fn print(checks: &[CheckResult], out: &mut Output) -> std::io::Result<()> {
    let paint = out.paint();
    for check in checks {
        let verdict = check.judgement.verdict;
        let word = match verdict {
            Verdict::Accepted => paint.good(verdict.text()),
            Verdict::Rejected => paint.bad(verdict.text()),
            Verdict::CannotTell => paint.doubtful(verdict.text()),
        };
        writeln!(out, "  check '{}': {word}: {}", check.name, check.judgement.reason)?;
    }
    Ok(())
}
