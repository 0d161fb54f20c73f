//! Held against older results: what got worse.
//!
//! Trials are matched by scenario, engine spec, step, seed and overrides; the numbers of a deterministic engine repeat to
//! the bit, so every change is a change of the program. A number is worse when it grew by more than a tenth *and* by more
//! than both uncertainties together, or left the finite; a verdict is worse when it went from accepted to anything else.
//! A trial the new results lack, or a check, is worse as well: a comparison must not pass by leaving things out.

use super::json::{Check, Document, SCHEMA, Trial};
use anyhow::{Context, bail};
use std::path::Path;
use veracity_lab::Store;

/// Growth below this share is no regression: bounds are orders of magnitude, and last digits move with every change of
/// the order of additions.
const SHARE: f64 = 0.1;

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
    let text = std::fs::read_to_string(path).with_context(what)?;
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
    let unit = if new.unit.is_empty() { String::new() } else { format!(" {}", new.unit) };
    match (old.value, new.value) {
        (Some(a), Some(b)) => {
            let doubt = old.uncertainty.unwrap_or(0.0) + new.uncertainty.unwrap_or(0.0);
            // Rounding of the metric itself: sums of a few thousand terms.
            let floor = 1e-12 * new.bound.abs();
            let grown = b.abs() - a.abs();
            let significant = grown > doubt && grown > SHARE * a.abs() && grown > floor;
            significant.then(|| format!("{} grew from {a:.3e} to {b:.3e}{unit}", new.name))
        }
        (Some(a), None) => Some(format!("{} was {a:.3e}{unit} and is no number now: {}", new.name, new.reason)),
        (None, _) => None,
    }
}

fn same(a: &Trial, b: &Trial) -> bool {
    let numbers = |t: &Trial| t.overrides.iter().map(|o| (o.path.clone(), o.value.to_bits())).collect::<Vec<_>>();
    (&a.scenario, &a.full_spec, a.step_s.to_bits(), a.seed) == (&b.scenario, &b.full_spec, b.step_s.to_bits(), b.seed)
        && numbers(a) == numbers(b)
}

fn title(trial: &Trial) -> String {
    format!("{} on {} at {} s", trial.scenario, trial.engine, trial.step_s)
}
