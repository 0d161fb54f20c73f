//! Conclusion of a study. Everything is decided here: exit code, terminal, JSON, JUnit and report only show the
//! decision.
//!
//! | row | without an expectation | with one |
//! |---|---|---|
//! | accepted | passed | passed if expected, else failed |
//! | rejected, cannot tell | failed; skipped for a guest | passed if expected, else failed |
//! | not expressible | skipped | skipped if expected, else failed |
//! | too slow, failed | error; skipped for a guest | error |
//! | finished, scenario without checks | skipped: nothing was checked | failed: an expectation needs a check |
//!
//! A row that got worse than the baseline has failed, whatever its verdict. The study passes when it is complete, no
//! row failed or had an error, and no trial of the baseline is missing. Where there is no row (every engine is absent), or no
//! engine can express anything and nothing else was expected, nothing was run: the study could not run.

use crate::results::{Row, StudyResult};
use veracity_measure::TrialVerdict;

/// Conclusion of a whole study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Every verdict is as expected.
    Passed,
    /// A verdict is not as expected, or a result is worse than the baseline.
    NotAccepted,
    /// The study did not run to its end, or nothing of it could be run.
    CouldNotRun,
}

impl Standing {
    /// The process's exit code.
    pub fn exit_code(self) -> u8 {
        match self {
            Standing::Passed => 0,
            Standing::NotAccepted => 1,
            Standing::CouldNotRun => 2,
        }
    }
}

/// Conclusion of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowStanding {
    /// The verdict is as expected.
    Passed,
    /// The verdict is not as expected, or the result is worse than the baseline.
    Failed,
    /// No verdict where one was required.
    Error,
    /// Nothing was checked, or the engine cannot express the scenario.
    Skipped,
}

impl RowStanding {
    /// Whether it makes the study fail.
    fn is_bad(&self) -> bool {
        matches!(self, RowStanding::Failed | RowStanding::Error)
    }
}

/// What decides whether a study passes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gate {
    /// Verdicts only; regressions are reported.
    Verdicts,
    /// Regressions against the baseline only; verdicts are reported.
    Regressions,
    /// Both.
    #[default]
    Both,
}

/// A result that is worse than the baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct Regression {
    /// The row of the new results; `None` if the new results lack the trial.
    pub row: Option<usize>,
    /// One sentence.
    pub text: String,
}

/// Conclusion of a study, with its reasons.
#[derive(Clone, Debug, PartialEq)]
pub struct Conclusion {
    /// Of the whole study.
    pub standing: Standing,
    /// Of each row.
    pub rows: Vec<RowStanding>,
    /// Regressions; `None` without a baseline.
    pub regressions: Option<Vec<Regression>>,
    /// In a few words: `all verdicts as expected`.
    pub headline: &'static str,
    /// Counts of the verdicts, as a sentence without its full stop.
    pub summary: String,
}

impl Conclusion {
    /// Decides by verdicts and regressions.
    pub fn new(result: &StudyResult, regressions: Option<Vec<Regression>>) -> Self {
        Self::gated(result, regressions, Gate::Both)
    }

    /// Decides by what the gate selects. An error or an incomplete study fails any gate; a failed row that the gate
    /// does not select counts as skipped, so that the exit code, JUnit and the terminal agree.
    pub fn gated(result: &StudyResult, regressions: Option<Vec<Regression>>, gate: Gate) -> Self {
        let mut rows: Vec<RowStanding> = result.rows.iter().map(|row| standing(result, row)).collect();
        if gate == Gate::Regressions {
            for row in rows.iter_mut().filter(|row| **row == RowStanding::Failed) {
                *row = RowStanding::Skipped;
            }
        }
        let unexpected = rows.iter().any(RowStanding::is_bad);
        let worse = regressions.as_deref().unwrap_or_default();
        let counted: &[Regression] = if gate == Gate::Verdicts { &[] } else { worse };
        for row in counted.iter().filter_map(|r| r.row) {
            if let Some(standing) = rows.get_mut(row).filter(|s| **s != RowStanding::Error) {
                *standing = RowStanding::Failed;
            }
        }
        let unexpressed = |row: &Row| row.verdict == TrialVerdict::NotExpressible && row.as_expected().is_none();
        let nothing_ran = result.rows.iter().all(unexpressed);
        let standing = if !result.complete || nothing_ran {
            Standing::CouldNotRun
        } else if unexpected || !counted.is_empty() {
            Standing::NotAccepted
        } else {
            Standing::Passed
        };
        let nothing_asked = !result.rows.is_empty() && result.rows.iter().all(Row::is_unjudged);
        let expected = result.rows.iter().any(|row| row.as_expected().is_some());
        let some_accepted = result.rows.iter().any(|row| row.verdict == TrialVerdict::Accepted);
        let headline = match standing {
            Standing::Passed if nothing_asked => "nothing was checked",
            Standing::Passed if gate == Gate::Regressions => "not worse than the baseline",
            Standing::Passed if expected => "all verdicts as expected",
            Standing::Passed => "accepted",
            Standing::NotAccepted if unexpected && expected => "not all verdicts as expected",
            Standing::NotAccepted if unexpected && some_accepted => "not all accepted",
            Standing::NotAccepted if unexpected => "not accepted",
            Standing::NotAccepted => "worse than the baseline",
            Standing::CouldNotRun if result.complete => "nothing could be run",
            Standing::CouldNotRun => "interrupted",
        };
        let summary = summary(result, worse.len());
        Self { standing, rows, regressions, headline, summary }
    }

    /// The exit code.
    pub fn exit_code(&self) -> u8 {
        self.standing.exit_code()
    }

    /// The regressions of a row, as sentences.
    pub fn regressions_of(&self, row: usize) -> impl Iterator<Item = &str> {
        let all = self.regressions.iter().flatten();
        all.filter(move |r| r.row == Some(row)).map(|r| r.text.as_str())
    }
}

/// The table in the module documentation.
fn standing(result: &StudyResult, row: &Row) -> RowStanding {
    let no_verdict = matches!(row.verdict, TrialVerdict::Failed | TrialVerdict::TooSlow);
    match (row.as_expected(), row.verdict) {
        (Some(true) | None, TrialVerdict::NotExpressible) => RowStanding::Skipped,
        (Some(true), _) | (None, TrialVerdict::Accepted) => RowStanding::Passed,
        (None, _) if result.is_guest(row) || row.is_unjudged() => RowStanding::Skipped,
        _ if no_verdict => RowStanding::Error,
        _ => RowStanding::Failed,
    }
}

/// `1 trial`, `2 trials`.
pub fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// Counts of the verdicts.
fn summary(result: &StudyResult, worse: usize) -> String {
    let count = |wanted: &dyn Fn(&Row) -> bool| result.rows.iter().filter(|r| wanted(r)).count();
    let mut parts = vec![counted(result.rows.len(), "trial")];
    let unjudged = count(&Row::is_unjudged);
    for verdict in [
        TrialVerdict::Accepted,
        TrialVerdict::Rejected,
        TrialVerdict::CannotTell,
        TrialVerdict::NotExpressible,
        TrialVerdict::TooSlow,
        TrialVerdict::Failed,
    ] {
        let n = count(&|r| r.verdict == verdict && !r.is_unjudged());
        if n > 0 {
            parts.push(format!("{n} {verdict}"));
        }
    }
    if unjudged > 0 {
        parts.push(format!("{unjudged} without a check"));
    }
    let mut text = parts.join(", ");
    let unexpected = count(&|r| r.as_expected() == Some(false));
    if unexpected > 0 {
        text += &format!("; {unexpected} not as expected");
    } else if result.rows.iter().any(|r| r.as_expected().is_some()) {
        text += "; every verdict with an expectation is the expected one";
        let planned = count(&|r| r.as_expected() == Some(true) && r.verdict != TrialVerdict::Accepted);
        if planned > 0 {
            text += &format!(" ({planned} planned not to be accepted)");
        }
    }
    let fine =
        |r: &Row| matches!(r.verdict, TrialVerdict::Accepted | TrialVerdict::NotExpressible) || r.is_unjudged();
    // Without any expectation the counts say it all.
    let some_expected = result.rows.iter().any(|r| r.as_expected().is_some());
    let open = count(&|r| r.as_expected().is_none() && !fine(r));
    if open > 0 && some_expected {
        text += &format!("; {open} not accepted without an expectation");
    }
    if worse > 0 {
        text += &format!("; {worse} worse than the baseline");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{Expected, SCHEMA};
    use veracity_model::Digest;

    fn row(verdict: TrialVerdict, expected: Option<TrialVerdict>) -> Row {
        Row {
            scenario: "s".into(),
            engine: "e".into(),
            full_spec: "e".into(),
            step_s: 1e-3,
            seed: 0,
            overrides: Vec::new(),
            verdict,
            reason: String::new(),
            expected: expected.map(|verdict| Expected { verdict, why: String::new() }),
            expected_checks: Vec::new(),
            checks: vec![check()],
            digest: None,
            key: Digest::of(b""),
            cpu_s: 0.0,
            simulated_s: 0.0,
            steps: 0,
            warnings: Vec::new(),
            stopped: None,
        }
    }

    fn check() -> crate::results::CheckResult {
        let measured = veracity_measure::Measured::new(0.0, 0.0);
        crate::results::CheckResult {
            name: "c".into(),
            metric: "m".into(),
            unit: String::new(),
            judgement: veracity_measure::judge(Ok(measured), 1.0, ""),
            against: String::new(),
            bound_reason: String::new(),
        }
    }

    fn study(rows: Vec<Row>) -> StudyResult {
        StudyResult {
            schema: SCHEMA,
            study: "t".into(),
            veracity_version: String::new(),
            rows,
            audit: Vec::new(),
            comparisons: Vec::new(),
            complete: true,
            guests: Vec::new(),
            absent: Vec::new(),
            axes: Vec::new(),
            boundaries: Vec::new(),
        }
    }

    #[test]
    fn a_regression_fails_the_row_the_study_and_the_exit_code_alike() {
        let result = study(vec![row(TrialVerdict::Accepted, None), row(TrialVerdict::Accepted, None)]);
        assert_eq!(Conclusion::new(&result, Some(Vec::new())).exit_code(), 0);
        let worse = Regression { row: Some(1), text: "twice the error".into() };
        let conclusion = Conclusion::new(&result, Some(vec![worse]));
        assert_eq!(conclusion.exit_code(), 1);
        assert_eq!(conclusion.headline, "worse than the baseline");
        assert_eq!(conclusion.rows, [RowStanding::Passed, RowStanding::Failed]);
        assert!(conclusion.summary.ends_with("1 worse than the baseline"), "{}", conclusion.summary);
        // A trial that the new results lack has no row but still counts.
        let missing = Regression { row: None, text: "is missing".into() };
        assert_eq!(Conclusion::new(&result, Some(vec![missing])).standing, Standing::NotAccepted);
    }

    #[test]
    fn a_gate_decides_by_what_it_names_alone() {
        let rejected = study(vec![row(TrialVerdict::Rejected, None), row(TrialVerdict::Accepted, None)]);
        let worse = || Some(vec![Regression { row: Some(1), text: "twice the error".into() }]);
        let code = |regressions, gate| Conclusion::gated(&rejected, regressions, gate).exit_code();
        assert_eq!([Gate::Verdicts, Gate::Regressions, Gate::Both].map(|g| code(Some(Vec::new()), g)), [1, 0, 1]);
        let accepted = study(vec![row(TrialVerdict::Accepted, None), row(TrialVerdict::Accepted, None)]);
        let code = |gate| Conclusion::gated(&accepted, worse(), gate).exit_code();
        assert_eq!([Gate::Verdicts, Gate::Regressions, Gate::Both].map(code), [0, 1, 1]);
        // Rows and exit code must agree.
        let open = Conclusion::gated(&rejected, Some(Vec::new()), Gate::Regressions);
        assert_eq!(open.rows, [RowStanding::Skipped, RowStanding::Passed]);
        // An engine that failed has no result to compare.
        let failed = study(vec![row(TrialVerdict::Failed, None)]);
        assert_eq!(Conclusion::gated(&failed, Some(Vec::new()), Gate::Regressions).exit_code(), 1);
    }

    #[test]
    fn a_scenario_without_checks_does_not_fail() {
        let mut bare = row(TrialVerdict::CannotTell, None);
        bare.checks.clear();
        let conclusion = Conclusion::new(&study(vec![bare.clone()]), None);
        assert_eq!((conclusion.exit_code(), conclusion.headline), (0, "nothing was checked"));
        assert_eq!(conclusion.rows, [RowStanding::Skipped]);
        // A check that cannot tell is a failure.
        assert_eq!(Conclusion::new(&study(vec![row(TrialVerdict::CannotTell, None)]), None).exit_code(), 1);
        // An engine that failed is an error, with or without checks.
        let failed = Row { verdict: TrialVerdict::Failed, ..bare };
        assert_eq!(Conclusion::new(&study(vec![failed]), None).rows, [RowStanding::Error]);
    }

    #[test]
    fn a_study_of_which_nothing_runs_does_not_pass() {
        let unable = row(TrialVerdict::NotExpressible, None);
        let conclusion = Conclusion::new(&study(vec![unable.clone(), unable.clone()]), None);
        assert_eq!((conclusion.exit_code(), conclusion.headline), (2, "nothing could be run"));
        // The same for one row, and without any.
        assert_eq!(Conclusion::new(&study(vec![unable.clone()]), None).exit_code(), 2);
        assert_eq!(Conclusion::new(&study(Vec::new()), None).exit_code(), 2);
        // Next to an engine that runs it, or where it is expected, it does not fail the study.
        let beside = study(vec![unable.clone(), row(TrialVerdict::Accepted, None)]);
        assert_eq!(Conclusion::new(&beside, None).exit_code(), 0);
        let planned = row(TrialVerdict::NotExpressible, Some(TrialVerdict::NotExpressible));
        assert_eq!(Conclusion::new(&study(vec![planned, unable]), None).exit_code(), 0);
    }

    #[test]
    fn only_a_study_with_expectations_mentions_them() {
        let headline = |rows| Conclusion::new(&study(rows), None).headline;
        let (yes, no) = (row(TrialVerdict::Accepted, None), row(TrialVerdict::Rejected, None));
        assert_eq!(headline(vec![yes.clone()]), "accepted");
        assert_eq!(headline(vec![no.clone()]), "not accepted");
        assert_eq!(headline(vec![yes, no.clone()]), "not all accepted");
        let planned = row(TrialVerdict::Rejected, Some(TrialVerdict::Rejected));
        assert_eq!(headline(vec![planned.clone()]), "all verdicts as expected");
        assert_eq!(headline(vec![planned, no]), "not all verdicts as expected");
    }

    #[test]
    fn expectations_decide_and_guests_do_not() {
        let planned = row(TrialVerdict::Rejected, Some(TrialVerdict::Rejected));
        let surprise = row(TrialVerdict::Accepted, Some(TrialVerdict::Rejected));
        assert_eq!(Conclusion::new(&study(vec![planned.clone()]), None).exit_code(), 0);
        assert_eq!(Conclusion::new(&study(vec![planned, surprise]), None).exit_code(), 1);
        let mut with_guest = study(vec![row(TrialVerdict::Rejected, None)]);
        assert_eq!(Conclusion::new(&with_guest, None).exit_code(), 1);
        with_guest.guests.push("e".into());
        assert_eq!(Conclusion::new(&with_guest, None).rows, [RowStanding::Skipped]);
        with_guest.complete = false;
        assert_eq!(Conclusion::new(&with_guest, None).exit_code(), 2);
    }

    #[test]
    fn an_expectation_of_one_check_is_held_to_that_check() {
        let mut one = row(TrialVerdict::Rejected, None);
        one.checks[0].judgement.verdict = veracity_measure::Verdict::Rejected;
        let expect = |verdict| vec![("c".to_string(), Expected { verdict, why: String::new() })];
        one.expected_checks = expect(TrialVerdict::Rejected);
        assert_eq!(one.as_expected(), Some(true));
        one.expected_checks = expect(TrialVerdict::Accepted);
        assert_eq!(one.as_expected(), Some(false));
        // A check without an expectation must be accepted.
        one.expected_checks = expect(TrialVerdict::Rejected);
        let mut other = check();
        other.name = "d".into();
        one.checks.push(other.clone());
        assert_eq!(one.as_expected(), Some(true));
        one.checks[1].judgement.verdict = veracity_measure::Verdict::CannotTell;
        assert_eq!(one.as_expected(), Some(false));
    }
}
