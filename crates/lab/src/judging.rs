//! From a record to a row: every check measured and judged.

use crate::plan::Planned;
use crate::results::{CheckResult, Row, Stopped};
use veracity_engine::Unsolved;
use veracity_measure::metrics::READ_CONTACTS;
use veracity_measure::{CannotTell, Judgement, Measured, Subject, TrialVerdict, Truth, Verdict, judge_as};
use veracity_record::{Outcome, Record};
use veracity_scenario::Check;

/// Prefix of the reason when a motion did not reach its end.
pub const BROKE_DOWN: &str = "the motion broke down";

/// The largest share of steps whose solver may miss its own tolerance in an accepted trial. One step in a hundred is an
/// impact or a start from a guess, and the next step converges again; an engine that misses more is not computing the
/// motion its equations describe, and a small error is luck.
pub const MOST_UNSOLVED: f64 = 0.01;

/// References of a case, each with its truth or the reason why there is none.
pub type Truths = Vec<(String, Result<Truth, String>)>;

/// Judges one check of a record, with its whole history.
pub fn judge_check(record: &Record, check: &Check, truths: &Truths) -> CheckResult {
    let layout = record.layout();
    let subject = Subject { record, layout: &layout };
    let named = check.reference.as_ref().and_then(|name| truths.iter().find(|(n, _)| n == name));
    let (truth, against) = match (&check.reference, named) {
        (None, _) => (Ok(None), String::new()),
        (Some(_), Some((_, Ok(truth)))) => (Ok(Some(truth)), truth.source.clone()),
        (Some(_), Some((_, Err(why)))) => (Err(CannotTell(why.clone())), String::new()),
        (Some(name), None) => (Err(CannotTell(format!("there is no reference '{name}'"))), String::new()),
    };
    let measured = truth.and_then(|truth| (check.metric.measure)(&subject, truth, &check.options));
    let unit = check.metric.unit_for(&layout, &check.options);
    let judgement = judge_as(check.better, measured, check.bound, unit);
    CheckResult {
        name: check.name.clone(),
        metric: check.metric.name.to_string(),
        unit: unit.to_string(),
        judgement,
        against,
        bound_reason: check.reason.clone(),
    }
}

/// The verdict of a record, with every check. Histories are left out: a large study must stay small, and they can be
/// recomputed.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedRecord {
    /// Of the whole.
    pub verdict: TrialVerdict,
    /// In one sentence: the deciding check, or how the trial ended.
    pub reason: String,
    /// Every check.
    pub checks: Vec<CheckResult>,
}

/// Judges a record by checks. Without `contacts_known`, a check whose metric reads contacts cannot tell where bodies may
/// touch: the empty list of a motion computed elsewhere does not mean that nothing touched.
pub fn judge_record(record: &Record, checks: &[Check], truths: &Truths, contacts_known: bool) -> JudgedRecord {
    let checks = if record.track.rows() > 1 { checks } else { &[] };
    let unknown = |check: &Check| {
        let metrics = [Some(check.metric.name), check.options.quantity.as_deref()];
        !contacts_known && record.world.contact && metrics.into_iter().flatten().any(|m| READ_CONTACTS.contains(&m))
    };
    let judged = |check: &Check| {
        let mut result = without_history(judge_check(record, check, truths));
        if unknown(check) {
            let why = format!("'{}' reads contacts, and this motion was recorded without them", check.metric.name);
            result.judgement = judge_as(check.better, Err(CannotTell(why)), check.bound, &result.unit);
        }
        result
    };
    let checks: Vec<CheckResult> = checks.iter().map(judged).collect();
    let (verdict, reason) = overall(record, &checks);
    JudgedRecord { verdict, reason, checks }
}

/// The row of a trial.
pub fn row(planned: &Planned, record: &Record, truths: &Truths) -> Row {
    let JudgedRecord { verdict, reason, checks } = judge_record(record, &planned.setup.scenario.checks, truths, true);
    Row {
        scenario: planned.spec.scenario.clone(),
        engine: planned.settings.short_spec(),
        full_spec: planned.settings.full_spec(),
        step_s: record.head.step_s,
        seed: planned.spec.seed,
        overrides: planned.spec.overrides.clone(),
        verdict,
        reason,
        expected: planned.expected.clone(),
        expected_checks: planned.expected_checks.clone(),
        checks,
        digest: Some(record.digest()),
        key: planned.key.0,
        cpu_s: record.host.cpu_s,
        simulated_s: record.track.times.last().copied().unwrap_or(0.0),
        steps: record.host.steps,
        warnings: record.log.iter().filter(|l| l.warning).map(|l| l.text.clone()).collect(),
        stopped: match &record.outcome {
            Outcome::Stopped { time, check, reason } => {
                Some(Stopped { at_s: *time, check: check.clone(), reason: reason.clone() })
            }
            _ => None,
        },
    }
}

/// The row of a trial that left no record because its engine panicked.
pub fn lost_row(planned: &Planned, why: &str) -> Row {
    Row {
        scenario: planned.spec.scenario.clone(),
        engine: planned.settings.short_spec(),
        full_spec: planned.settings.full_spec(),
        step_s: planned.spec.step_ns as f64 * 1e-9,
        seed: planned.spec.seed,
        overrides: planned.spec.overrides.clone(),
        verdict: TrialVerdict::Failed,
        reason: format!("the engine panicked: {why}"),
        expected: planned.expected.clone(),
        expected_checks: planned.expected_checks.clone(),
        checks: Vec::new(),
        digest: None,
        key: planned.key.0,
        cpu_s: 0.0,
        simulated_s: 0.0,
        steps: 0,
        warnings: Vec::new(),
        stopped: None,
    }
}

/// How the trial ended, or the verdict of its worst check.
fn overall(record: &Record, checks: &[CheckResult]) -> (TrialVerdict, String) {
    match &record.outcome {
        Outcome::Finished | Outcome::Stopped { .. } => {}
        Outcome::BrokeDown { time, reason } => {
            return (TrialVerdict::Rejected, format!("{BROKE_DOWN} at {time} s: {reason}"));
        }
        Outcome::NotExpressible { features } => return (TrialVerdict::NotExpressible, features.join("; ")),
        Outcome::TooSlow { time } => {
            return (TrialVerdict::TooSlow, format!("it reached its cap of CPU time at {time} s"));
        }
        Outcome::Failed { reason } => return (TrialVerdict::Failed, reason.clone()),
    }
    let unsolved = record.log.iter().filter(|l| l.warning).filter_map(|l| Unsolved::read(&l.text));
    let unsolved = unsolved.max_by(|a, b| a.share().total_cmp(&b.share())).filter(|u| u.share() > MOST_UNSOLVED);
    match checks.iter().max_by_key(|c| (c.judgement.verdict, std::cmp::Reverse(position(checks, c)))) {
        None => (TrialVerdict::CannotTell, "the scenario has no checks".to_string()),
        Some(worst) if worst.judgement.verdict == Verdict::Accepted && unsolved.is_some() => {
            let unsolved = unsolved.map_or(String::new(), |u| format!("{u}, {:.1} %", 100.0 * u.share()));
            let rule = format!("beyond {} % nothing is accepted", 100.0 * MOST_UNSOLVED);
            let check = format!("{}: {}", worst.name, worst.judgement.reason);
            (TrialVerdict::CannotTell, format!("{unsolved}: {rule} ({check})"))
        }
        Some(worst) => {
            let verdict = worst.judgement.verdict;
            let all = if verdict == Verdict::Accepted && checks.len() > 1 { " (and every other check)" } else { "" };
            let end = match &record.outcome {
                Outcome::Stopped { time, check, .. } => format!("; stopped at {} s by '{check}'", rounded(*time)),
                _ => String::new(),
            };
            (verdict.into(), format!("{}: {}{all}{end}", worst.name, worst.judgement.reason))
        }
    }
}

/// A time to a microsecond, without the rounding of its last bits.
fn rounded(time: f64) -> f64 {
    if time.abs() < 1e9 { (time * 1e6).round() / 1e6 } else { time }
}

/// If verdicts are equal, the first check counts.
fn position(checks: &[CheckResult], check: &CheckResult) -> usize {
    checks.iter().position(|c| std::ptr::eq(c, check)).unwrap_or(0)
}

fn without_history(mut check: CheckResult) -> CheckResult {
    if let Judgement { measured: Some(Measured { series, .. }), .. } = &mut check.judgement {
        series.clear();
        series.shrink_to_fit();
    }
    check
}
