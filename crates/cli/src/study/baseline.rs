//! Comparison with older results: what got worse.
//!
//! Trials are matched by scenario, engine spec, step, seed and overrides; [`since_baseline`] decides how each number
//! changed. A trial or check that is missing in the new results counts as worse: a comparison must not pass by leaving
//! things out.

use super::json::{Check, SCHEMA, StudyDocument, Trial};
use anyhow::{Context, bail};
use std::collections::BTreeMap;
use std::path::Path;
use veracity_lab::{Regression, StoreReader};
use veracity_measure::comparison::Better;
use veracity_measure::regression::{Allowance, Change, since_baseline};
use veracity_measure::{Judgement, Measured, Verdict};

/// The trials of older results: the last finished run of this study in a folder written by `--out`, or a file printed
/// by `--json`. A folder may hold runs of other studies: comparing one study with another would only report every trial
/// as missing.
pub fn load(path: &Path, study: &str) -> anyhow::Result<Vec<Trial>> {
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
        return Ok(super::json::trials(&result));
    }
    let text = veracity_model::input::read_text(path, 1 << 30).with_context(what)?;
    let document: StudyDocument = serde_json::from_str(&text).with_context(what)?;
    if document.schema != SCHEMA {
        bail!("{}: its schema is {}, this version compares {SCHEMA}", what(), document.schema);
    }
    Ok(document.trials)
}

/// What got worse, each as a sentence that names the trial.
pub fn regressions(old: &[Trial], new: &[Trial]) -> Vec<Regression> {
    let mut out = Vec::new();
    let mut matched = 0;
    let mut row_of = BTreeMap::new();
    for (row, trial) in new.iter().enumerate() {
        // The first of two equal trials counts.
        row_of.entry(identity(trial)).or_insert(row);
    }
    for before in old {
        let Some(&row) = row_of.get(&identity(before)) else {
            let text = format!("{} is missing: run the engines and steps of the baseline", title(before));
            out.push(Regression { row: None, text });
            continue;
        };
        matched += 1;
        let worse = compare(before, &new[row]);
        out.extend(worse.into_iter().map(|text| Regression { row: Some(row), text }));
    }
    if matched == 0 && !new.is_empty() {
        let text = "no trial of the baseline is among the new ones: nothing was compared".to_string();
        out.push(Regression { row: None, text });
    }
    out
}

fn compare(before: &Trial, after: &Trial) -> Vec<String> {
    let (title, mut out) = (title(before), Vec::new());
    if before.verdict == "accepted" && after.verdict != "accepted" {
        out.push(format!("{title}: was accepted, is {}: {}", after.verdict, after.reason));
    }
    for old in &before.checks {
        match after.checks.iter().find(|c| c.name == old.name) {
            None => out.push(format!("{title}: the check '{}' is missing", old.name)),
            Some(new) => out.extend(worse(old, new).map(|what| format!("{title}: {what}"))),
        }
    }
    out
}

fn worse(old: &Check, new: &Check) -> Option<String> {
    let since = since_baseline(&judgement(old), &judgement(new), &Allowance::default());
    (since.change == Change::Regression).then(|| format!("{}: {}", new.name, since.reason))
}

/// A check of the document as it was judged. A value that was not finite is `null` with a verdict of rejection.
fn judgement(check: &Check) -> Judgement {
    let verdict = [Verdict::Accepted, Verdict::CannotTell, Verdict::Rejected];
    let verdict = verdict.into_iter().find(|v| v.to_string() == check.verdict).unwrap_or(Verdict::CannotTell);
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
