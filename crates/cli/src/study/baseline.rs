//! Comparison with older results: what got worse.
//!
//! Trials are matched by scenario, engine spec, step, seed and overrides; [`since_baseline`] decides how each number
//! changed. A trial or check that is missing in the new results counts as worse: a comparison must not pass by leaving
//! things out.

use super::json::{Check, SCHEMA, StudyDocument, Tolerance, Trial};
use anyhow::{Context, bail};
use std::collections::BTreeMap;
use std::path::Path;
use veracity_lab::{Regression, StoreReader};
use veracity_measure::comparison::Better;
use veracity_measure::regression::{Allowance, Change, since_baseline};
use veracity_measure::{Judgement, Measured, TrialVerdict, Verdict};

/// Older results.
pub struct Baseline {
    pub trials: Vec<Trial>,
    /// What may get worse, and by how much; only a file has any.
    pub tolerances: Vec<Tolerance>,
}

/// The older results: the last finished run of this study in a folder written by `--out`, or a file printed
/// by `--json`. A folder may hold runs of other studies: comparing one study with another would only report every trial
/// as missing.
pub fn load(path: &Path, study: &str) -> anyhow::Result<Baseline> {
    let what = || format!("the baseline {} cannot be used", path.display());
    if path.is_dir() {
        if !path.join("store.sqlite").is_file() {
            bail!("{}: the folder holds no results; give what --out wrote or a file of --json", what());
        }
        let store = StoreReader::open(path).with_context(what)?;
        let runs = store.runs().with_context(what)?;
        let Some(run) = runs.iter().rev().find(|r| r.study == study && r.complete) else {
            let mut held: Vec<&str> = runs.iter().filter(|r| r.complete).map(|r| r.study.as_str()).collect();
            held.sort_unstable();
            held.dedup();
            let held = if held.is_empty() { "no finished run".to_string() } else { held.join(", ") };
            bail!("{}: it holds no finished run of '{study}'; it holds {held}", what());
        };
        let (_, result) = store.result(Some(run.id)).with_context(what)?.with_context(what)?;
        return Ok(Baseline { trials: super::json::trials(&result), tolerances: Vec::new() });
    }
    let text = veracity_model::input::read_text(path, 1 << 30).with_context(what)?;
    let document: StudyDocument = serde_json::from_str(&text).with_context(what)?;
    if document.schema != SCHEMA {
        bail!("{}: its schema is {}, this version compares {SCHEMA}", what(), document.schema);
    }
    for entry in &document.tolerances {
        check_tolerance(entry, &document.trials).with_context(what)?;
    }
    Ok(Baseline { trials: document.trials, tolerances: document.tolerances })
}

/// A tolerance that could never apply, or says nothing, is a mistake.
fn check_tolerance(entry: &Tolerance, trials: &[Trial]) -> anyhow::Result<()> {
    let named = format!("the tolerance of check '{}'", entry.check);
    if !trials.iter().any(|trial| trial.checks.iter().any(|check| fits(entry, trial, check))) {
        bail!("{named} matches no check of its trials; correct its 'check', 'scenario' or 'engine'");
    }
    if entry.factor.is_some_and(|f| f.is_nan() || f < 1.0) {
        bail!("{named}: 'factor' must be at least 1");
    }
    if entry.absolute.is_some_and(|x| x.is_nan() || x < 0.0) {
        bail!("{named}: 'absolute' must not be negative");
    }
    if entry.factor.is_none() && entry.absolute.is_none() {
        bail!("{named} has neither 'factor' nor 'absolute'");
    }
    Ok(())
}

fn fits(entry: &Tolerance, trial: &Trial, check: &Check) -> bool {
    entry.check == check.name
        && entry.scenario.as_ref().is_none_or(|s| *s == trial.scenario)
        && entry.engine.as_ref().is_none_or(|e| *e == trial.engine || *e == trial.full_spec)
}

/// What got worse, each as a sentence that names the trial.
pub fn regressions(old: &Baseline, new: &[Trial]) -> Vec<Regression> {
    let mut out = Vec::new();
    let mut matched = 0;
    let mut row_of = BTreeMap::new();
    for (row, trial) in new.iter().enumerate() {
        // The first of two equal trials counts.
        row_of.entry(identity(trial)).or_insert(row);
    }
    for before in &old.trials {
        let Some(&row) = row_of.get(&identity(before)) else {
            let text = format!("{} is missing: run the engines and steps of the baseline", title(before));
            out.push(Regression { row: None, text });
            continue;
        };
        matched += 1;
        let worse = compare(before, &new[row], &old.tolerances);
        out.extend(worse.into_iter().map(|text| Regression { row: Some(row), text }));
    }
    if matched == 0 && !new.is_empty() {
        let text = "no trial of the baseline is among the new ones: nothing was compared".to_string();
        out.push(Regression { row: None, text });
    }
    out
}

fn compare(before: &Trial, after: &Trial, tolerances: &[Tolerance]) -> Vec<String> {
    let (title, mut out) = (title(before), Vec::new());
    if before.verdict == TrialVerdict::Accepted && after.verdict != TrialVerdict::Accepted {
        out.push(format!("{title}: was accepted, is {}: {}", after.verdict, after.reason));
    }
    for old in &before.checks {
        match after.checks.iter().find(|c| c.name == old.name) {
            None => out.push(format!("{title}: the check '{}' is missing", old.name)),
            Some(new) => {
                let tolerance = tolerances.iter().find(|entry| fits(entry, before, old));
                out.extend(worse(old, new, tolerance).map(|what| format!("{title}: {what}")));
            }
        }
    }
    out
}

/// What got worse about a check. A tolerance widens what a number may do; a verdict that got worse always counts.
fn worse(old: &Check, new: &Check, tolerance: Option<&Tolerance>) -> Option<String> {
    let mut allowance = Allowance::default();
    if let Some(factor) = tolerance.and_then(|t| t.factor) {
        allowance.error_factor = factor;
    }
    let since = since_baseline(&judgement(old), &judgement(new), &allowance);
    let apart = old.value.zip(new.value).map_or(f64::INFINITY, |(a, b)| (a - b).abs());
    let within = tolerance.and_then(|t| t.absolute).is_some_and(|most| apart <= most);
    let counts = since.change == Change::Regression && (!within || new.verdict > old.verdict);
    counts.then(|| format!("{}: {}", new.name, since.reason))
}

/// A check of the document as it was judged. A value that was not finite is `null` with a verdict of rejection.
fn judgement(check: &Check) -> Judgement {
    let verdict = check.verdict;
    let lost = (verdict == Verdict::Rejected).then_some(f64::NAN);
    let measured = check.value.or(lost).map(|value| Measured::new(value, check.uncertainty.unwrap_or(0.0)));
    let better = match (check.at_least, check.at_most) {
        (Some(least), Some(_)) => Better::Between { least },
        (Some(_), None) => Better::Larger,
        _ => Better::Smaller,
    };
    let bound = check.bound.unwrap_or(f64::INFINITY);
    Judgement { verdict, measured, bound, better, reason: check.reason.clone() }
}

/// Identifies a trial across two runs of a study.
fn identity(t: &Trial) -> (&str, &str, u64, u64, Vec<(&str, u64)>) {
    let numbers = t.overrides.iter().map(|o| (o.path.as_str(), o.value.to_bits())).collect();
    (t.scenario.as_str(), t.full_spec.as_str(), t.step_s.to_bits(), t.seed, numbers)
}

fn title(trial: &Trial) -> String {
    format!("{} on {} at {} s", trial.scenario, trial.engine, trial.step_s)
}
