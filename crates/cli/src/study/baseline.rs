//! Held against older results: what got worse.
//!
//! Trials are matched by scenario, engine spec, step, seed and overrides; what became of each number since is decided by
//! [`since_baseline`]. A trial the new results lack, or a check, is worse as well: a comparison must not pass by leaving
//! things out.

use super::json::{Check, Document, SCHEMA, Trial};
use anyhow::{Context, bail};
use std::path::Path;
use veracity_lab::Store;
use veracity_measure::comparison::Better;
use veracity_measure::regression::{Allowance, Change, since_baseline};
use veracity_measure::{Judgement, Measured, Verdict};

/// Older results: a folder that `--out` wrote, or a file that `--json` printed.
pub fn load(path: &Path) -> anyhow::Result<Document> {
    let what = || format!("the baseline {} cannot be used", path.display());
    if path.is_dir() {
        if !path.join("store.sqlite").is_file() {
            bail!("{}: the folder holds no results; give what --out wrote or a file of --json", what());
        }
        let store = Store::open(path).with_context(what)?;
        let (_, result) =
            store.result(None).with_context(what)?.with_context(|| format!("{}: no finished run", what()))?;
        return Ok(Document::new(&result, 0, None));
    }
    let text = veracity_model::input::read_text(path, 1 << 30).with_context(what)?;
    let document: Document = serde_json::from_str(&text).with_context(what)?;
    if document.schema != SCHEMA {
        bail!("{}: its schema is {}, this version compares {SCHEMA}", what(), document.schema);
    }
    Ok(document)
}

/// What got worse, each in a sentence.
pub fn regressions(old: &Document, new: &Document) -> Vec<String> {
    let mut out = Vec::new();
    let mut matched = 0;
    for before in &old.trials {
        let Some(after) = new.trials.iter().find(|t| same(t, before)) else {
            out.push(format!("{} is missing", title(before)));
            continue;
        };
        matched += 1;
        compare(before, after, &mut out);
    }
    if matched == 0 && !new.trials.is_empty() {
        out.push("no trial of the baseline is among the new ones: nothing was compared".to_string());
    }
    out
}

fn compare(before: &Trial, after: &Trial, out: &mut Vec<String>) {
    let title = title(before);
    if before.verdict == "accepted" && after.verdict != "accepted" {
        out.push(format!("{title}: was accepted, is {}: {}", after.verdict, after.reason));
    }
    for old in &before.checks {
        match after.checks.iter().find(|c| c.name == old.name) {
            None => out.push(format!("{title}: the check '{}' is missing", old.name)),
            Some(new) => out.extend(worse(old, new).map(|what| format!("{title}: {what}"))),
        }
    }
}

fn worse(old: &Check, new: &Check) -> Option<String> {
    let since = since_baseline(&judgement(old), &judgement(new), &Allowance::default());
    (since.change == Change::Regression).then(|| format!("{}: {}", new.name, since.reason))
}

/// A check of the document as it was judged. What was not finite is written as `null` beside a verdict of rejection.
fn judgement(check: &Check) -> Judgement {
    let verdict = [Verdict::Accepted, Verdict::CannotTell, Verdict::Rejected];
    let verdict = verdict.into_iter().find(|v| v.to_string() == check.verdict).unwrap_or(Verdict::CannotTell);
    let lost = (verdict == Verdict::Rejected).then_some(f64::NAN);
    let measured = check.value.or(lost).map(|value| Measured::new(value, check.uncertainty.unwrap_or(0.0)));
    Judgement { verdict, measured, bound: check.bound, better: Better::Smaller, reason: check.reason.clone() }
}

fn same(a: &Trial, b: &Trial) -> bool {
    let numbers = |t: &Trial| t.overrides.iter().map(|o| (o.path.clone(), o.value.to_bits())).collect::<Vec<_>>();
    (&a.scenario, &a.full_spec, a.step_s.to_bits(), a.seed) == (&b.scenario, &b.full_spec, b.step_s.to_bits(), b.seed)
        && numbers(a) == numbers(b)
}

fn title(trial: &Trial) -> String {
    format!("{} on {} at {} s", trial.scenario, trial.engine, trial.step_s)
}
