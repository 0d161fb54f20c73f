//! Numbers computed from parameters: a link's length moves joint, shape, centre of mass and inertia together.

use super::assign::{assign, no_such_number, read, refuse};
use super::expression::Expression;
use super::path::{canonical, nearest};
use crate::finding::{Findings, Severity};
use crate::model::Model;
use std::collections::BTreeMap;

/// Largest relative difference between a derived number and the value in the file that counts as rounding: files print
/// nine digits or more where it matters.
const SAME: f64 = 1e-9;

/// Sets every derived number from the current parameter values, and records a warning where the previous value
/// differed: the file then contradicts its own parameters.
pub(crate) fn apply_derived(model: &mut Model, problems: &mut Findings) {
    let before = refresh(model, problems);
    let after = read(model, before.keys().map(String::as_str));
    for ((path, before), after) in before.iter().zip(after) {
        let (Some(before), Some(after)) = (before, after) else { continue };
        if (after - before).abs() > SAME * after.abs().max(before.abs()) {
            let text = format!(
                "'{path}' is {before:e} in the file, but its expression gives {after:e}, which is used; \
                 correct the number or the expression"
            );
            model.warnings.add(Severity::Warning, "derived-differs", None, path, text);
        }
    }
}

/// Sets every derived number and returns the previous values, by path.
pub(super) fn refresh(model: &mut Model, problems: &mut Findings) -> BTreeMap<String, Option<f64>> {
    let mut wanted = BTreeMap::new();
    for derived in model.derived.clone() {
        let path = canonical(&derived.path).into_owned();
        if path.starts_with("parameters/") {
            let text = format!("'{path}' is itself a parameter; express what depends on it instead");
            refuse(problems, "derived-path", &path, text);
            continue;
        }
        match evaluate(model, &derived.expression) {
            Err(why) => {
                let text = format!("'{path}' = '{}': {why}", derived.expression);
                refuse(problems, "derived-expression", &path, text);
            }
            Ok(value) => {
                if wanted.insert(path.clone(), value).is_some() {
                    refuse(problems, "derived-path", &path, format!("'{path}' is derived twice; keep one"));
                }
            }
        }
    }
    let before: BTreeMap<String, Option<f64>> =
        wanted.keys().cloned().zip(read(model, wanted.keys().map(String::as_str))).collect();
    for (path, _) in before.iter().filter(|(_, value)| value.is_none()) {
        let text = no_such_number(model, path);
        refuse(problems, "derived-path", path, text);
        wanted.remove(path);
    }
    assign(model, &wanted, problems);
    before
}

fn evaluate(model: &Model, expression: &str) -> Result<f64, String> {
    let value_of = |name: &str| model.parameters.iter().find(|p| p.name == name).map(|p| p.value);
    let parsed = Expression::parse(expression).map_err(|e| e.to_string())?;
    let value = parsed.value(value_of).map_err(|e| {
        let unknown = parsed.names(|_| true).into_iter().find(|n| value_of(n).is_none()).unwrap_or_default();
        match nearest(unknown, model.parameters.iter().map(|p| p.name.as_str())).first() {
            Some(near) => format!("{e}; did you mean '{near}'?"),
            None => e.to_string(),
        }
    })?;
    if value.is_finite() { Ok(value) } else { Err(format!("is {value} at the parameters' present values")) }
}
