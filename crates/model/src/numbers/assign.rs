//! Reading and setting numbers by path.

use super::expression::Expression;
use super::overrides::Overrides;
use super::path::{canonical, nearest};
use super::walk::{Views, walk};
use crate::finding::{Findings, Severity};
use crate::model::Model;
use std::collections::{BTreeMap, BTreeSet};

const LOG_CHOLESKY: &str = "/inertia/log_cholesky/";

/// The numbers at these paths. The model is borrowed mutably only for the traversal; nothing changes.
pub(super) fn read<'a>(model: &mut Model, paths: impl IntoIterator<Item = &'a str>) -> Vec<Option<f64>> {
    let paths: Vec<&str> = paths.into_iter().collect();
    let mut found = BTreeMap::new();
    let wanted: BTreeSet<&str> = paths.iter().copied().collect();
    walk(model, views_for(wanted.iter().copied()), &mut |path, value| {
        if let Some(path) = wanted.get(path) {
            found.insert(*path, *value);
        }
    });
    paths.iter().map(|p| found.get(p).copied()).collect()
}

/// The overrides with canonical paths, without those that cannot be applied.
pub(super) fn checked(model: &Model, overrides: &Overrides, problems: &mut Findings) -> BTreeMap<String, f64> {
    let mut wanted = BTreeMap::new();
    for (path, value) in overrides.iter() {
        let name = canonical(path).into_owned();
        if value.is_nan() {
            refuse(problems, "override-value", &name, format!("'{path}' is set to NaN; give a number"));
        } else if let Some(source) = drivers(model, &name) {
            let text = format!("'{path}' follows from {source}; set that instead, or take the derivation out");
            refuse(problems, "override-derived", &name, text);
        } else if wanted.insert(name.clone(), value).is_some() {
            refuse(problems, "override-twice", &name, format!("'{name}' is set twice, once as links/…; keep one"));
        }
    }
    for body in &model.bodies {
        let prefix = format!("bodies/{}/", super::path::escape(&body.name));
        let of_body = || wanted.keys().filter_map(|p| p.strip_prefix(&prefix));
        let through_log_cholesky = of_body().any(|p| p.starts_with(&LOG_CHOLESKY[1..]));
        let raw = of_body().find(|p| is_raw_inertia(p));
        if let (true, Some(raw)) = (through_log_cholesky, raw) {
            let text = format!(
                "the inertia of '{}' is set both through log_cholesky and by '{raw}'; the two are views of the same \
                 numbers, use one",
                body.name
            );
            refuse(problems, "override-inertia", &prefix, text);
        }
    }
    wanted
}

/// Sets every requested number; a path that does not exist is an error that names the nearest ones.
pub(super) fn assign(model: &mut Model, wanted: &BTreeMap<String, f64>, problems: &mut Findings) {
    let mut pending: BTreeSet<&str> = wanted.keys().map(String::as_str).collect();
    walk(model, views_for(pending.iter().copied()), &mut |path, value| {
        if let Some(new) = wanted.get(path) {
            *value = *new;
            pending.remove(path);
        }
    });
    for path in pending {
        let text = no_such_number(model, path);
        refuse(problems, "override-path", path, text);
    }
}

/// Explains why a path does not exist and suggests similar ones.
pub(super) fn no_such_number(model: &mut Model, path: &str) -> String {
    let mut existing = BTreeSet::new();
    walk(model, views_for([path]), &mut |path, _| {
        existing.insert(path.to_string());
    });
    if let Some((body, _)) = path.split_once(LOG_CHOLESKY)
        && existing.contains(&format!("{body}/mass"))
        && !existing.contains(&format!("{body}{LOG_CHOLESKY}alpha"))
    {
        return format!(
            "'{path}' cannot be set: the inertia of '{body}' is not inside the set that solids can have, where alone \
             this parametrisation exists; set '{body}/mass' or '{body}/inertia/ixx' … directly (raw mode)"
        );
    }
    match nearest(path, existing.iter().map(String::as_str)).as_slice() {
        [] => format!("there is no number '{path}' in model '{}'", model.name),
        near => {
            format!("there is no number '{path}' in model '{}'; the nearest are '{}'", model.name, near.join("', '"))
        }
    }
}

pub(super) fn refuse(problems: &mut Findings, code: &'static str, subject: &str, text: String) {
    problems.add(Severity::Error, code, None, subject, text);
}

/// The parameters a derived number is computed from, as text; `None` for a number that is not derived.
fn drivers(model: &Model, path: &str) -> Option<String> {
    let derived = model.derived.iter().find(|d| canonical(&d.path) == path)?;
    let is_parameter = |name: &str| model.parameters.iter().any(|p| p.name == name);
    let expression = Expression::parse(&derived.expression).ok()?;
    let names: Vec<String> =
        expression.names(is_parameter).iter().map(|name| format!("'parameters/{name}'")).collect();
    Some(if names.is_empty() { format!("the expression '{}'", derived.expression) } else { names.join(" and ") })
}

/// The log-Cholesky view costs one factorisation per body, so it is used only when a path needs it.
fn views_for<'a>(paths: impl IntoIterator<Item = &'a str>) -> Views {
    if paths.into_iter().any(|p| p.contains(LOG_CHOLESKY)) { Views::With } else { Views::Without }
}

fn is_raw_inertia(path_in_body: &str) -> bool {
    path_in_body == "mass"
        || path_in_body.starts_with("com/")
        || (path_in_body.starts_with("inertia/") && !path_in_body.starts_with(&LOG_CHOLESKY[1..]))
}
