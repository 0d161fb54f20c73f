//! `[[checks]]`: metrics with bounds.

use super::times::Times;
use crate::check::Check;
use crate::file::document::{Document, at};
use crate::file::names::hint;
use crate::file::scenario_file::{CheckTable, StopTable};
use veracity_measure::{Better, METRICS, Options, Task, grasp, task_conditions};
use veracity_model::{Findings, Layout, World};

pub(super) fn read(
    document: &Document,
    tables: &[CheckTable],
    references: &[&str],
    world: &World,
    times: Option<&Times>,
    findings: &mut Findings,
) -> Vec<Check> {
    let parts = parts(world);
    let layout = Layout::new(world);
    let mut out: Vec<Check> = Vec::new();
    for (i, table) in tables.iter().enumerate() {
        if out.iter().any(|c| c.name == table.name) {
            let text = format!("two checks are called '{}'; give each its own name", table.name);
            document.error(at!["checks", i, "name"], text, findings);
        }
        if table.reason.trim().is_empty() {
            let text = "'reason' is empty; say where the bound comes from: theory, use, or a published tolerance";
            document.error(at!["checks", i, "reason"], text, findings);
        }
        let names = METRICS.iter().map(|m| m.name);
        let Some(metric) = METRICS.iter().find(|m| m.name == table.metric) else {
            let text = format!("there is no metric '{}'; {}", table.metric, hint(&table.metric, names));
            document.error(at!["checks", i, "metric"], text, findings);
            continue;
        };
        if let Some(quantity) = table.quantity.as_ref().filter(|q| !METRICS.iter().any(|m| m.name == **q)) {
            let text = format!("there is no metric '{quantity}'; {}", hint(quantity, names));
            document.error(at!["checks", i, "quantity"], text, findings);
        }
        reference(document, i, table, metric.needs_truth, references, findings);
        subject(document, i, table, &parts, findings);
        instants(document, i, table, times, findings);
        let options = Options {
            of: table.of.clone(),
            quantity: table.quantity.clone(),
            point: table.point_m,
            at_s: table.at_s.clone(),
            from_s: table.from_s,
            until_s: table.until_s,
            time_offset_s: table.time_offset_s,
            scale: table.scale,
            level: table.level,
            grippers: table.grippers.clone(),
            objects: table.objects.clone(),
            with: table.with.clone(),
            task: Task {
                target_m: table.target_m,
                target_rpy_rad: table.target_rpy_rad,
                within_m: table.within_m,
                within_rad: table.within_rad,
                below_m: table.below_m,
                farther_m: table.farther_m,
                tilt_rad: table.tilt_rad,
                for_s: table.for_s,
            },
        };
        roles(document, i, table, &options, &layout, findings);
        task(document, i, table, &options, world, &layout, findings);
        let Some((better, bound)) = bounds(document, i, table, findings) else { continue };
        out.push(Check {
            name: table.name.clone(),
            metric,
            options,
            reference: table.reference.clone(),
            bound,
            better,
            reason: table.reason.trim().to_string(),
        });
    }
    out
}

/// The direction of the bound, and the bound. A task condition without one must come true, or must never.
fn bounds(document: &Document, i: usize, table: &CheckTable, findings: &mut Findings) -> Option<(Better, f64)> {
    let given = [
        ("bound", table.bound.map(|most| (Better::Smaller, most))),
        ("at_most", table.at_most.map(|most| (Better::Smaller, most))),
        ("at_least", table.at_least.map(|least| (Better::Larger, least))),
        ("between", table.between.map(|[least, most]| (Better::Between { least }, most))),
    ];
    let mut given = given.into_iter().filter_map(|(key, bound)| Some((key, bound?)));
    let first = given.next().map(|(_, bound)| bound);
    if let Some((key, _)) = given.next() {
        let text = "has several bounds; keep one of 'bound', 'at_most', 'at_least' and 'between'";
        document.error(at!["checks", i, key], format!("the check '{}' {text}", table.name), findings);
        return None;
    }
    if let Some((Better::Between { least }, most)) = first
        && least > most
    {
        document.error(at!["checks", i, "between"], "'between' has its larger number first; swap them", findings);
        return None;
    }
    if first.is_some() {
        return first;
    }
    let Some(condition) = task_conditions::find(&table.metric) else {
        document.error(
            at!["checks", i],
            "[[checks]] has no 'bound'; add it, or 'at_most', 'at_least' or 'between'",
            findings,
        );
        return None;
    };
    Some((if condition.wanted { Better::Smaller } else { Better::Larger }, f64::INFINITY))
}

/// Metrics, besides task conditions, that use a second body.
const WITH_OTHER_BODY: [&str; 5] = ["gap", "penetration", "slip", "relative_displacement", "relative_angle"];

/// Keys of task conditions and of second bodies: required where they are used, an error elsewhere.
fn task(
    document: &Document,
    i: usize,
    table: &CheckTable,
    options: &Options,
    world: &World,
    layout: &Layout,
    findings: &mut Findings,
) {
    let condition = task_conditions::find(&table.metric);
    let keys = condition.map_or(&[][..], |o| o.keys);
    let other = WITH_OTHER_BODY.contains(&table.metric.as_str());
    let given = [
        ("with", table.with.is_some(), other),
        ("target_m", table.target_m.is_some(), false),
        ("target_rpy_rad", table.target_rpy_rad.is_some(), false),
        ("within_m", table.within_m.is_some(), false),
        ("within_rad", table.within_rad.is_some(), false),
        ("below_m", table.below_m.is_some(), false),
        ("farther_m", table.farther_m.is_some(), false),
        ("tilt_rad", table.tilt_rad.is_some(), false),
        ("for_s", table.for_s.is_some(), false),
    ];
    for (key, _, _) in given.into_iter().filter(|(key, given, used)| *given && !used && !keys.contains(key)) {
        let text = format!("the metric '{}' has no '{key}'; remove it", table.metric);
        document.error(at!["checks", i, key], text, findings);
    }
    let problem = match condition {
        Some(condition) => (condition.condition)(world, layout, options).err(),
        None if other && table.with.is_some() => {
            let bodies = [("of", &table.of), ("with", &table.with)];
            bodies.into_iter().find_map(|(key, name)| task_conditions::body(layout, key, name.as_ref()).err())
        }
        None if table.metric.starts_with("relative_") => task_conditions::body(layout, "with", None).err(),
        None => None,
    };
    if let Some(why) = problem {
        document.error(at!["checks", i, "metric"], format!("the metric '{}': {why}", table.metric), findings);
    }
}

/// `[stop]`: names of checks of task conditions that end a trial.
pub(super) fn stop(
    document: &Document,
    table: Option<&StopTable>,
    checks: &[Check],
    findings: &mut Findings,
) -> Vec<String> {
    let Some(table) = table else { return Vec::new() };
    if table.when.is_empty() {
        document.error(at!["stop", "when"], "'when' is empty; name a check, or remove [stop]", findings);
    }
    for (k, name) in table.when.iter().enumerate() {
        let text = match checks.iter().find(|c| c.name == *name) {
            None => {
                format!("there is no check '{name}'; {}", hint(name, checks.iter().map(|c| c.name.as_str())))
            }
            Some(check) if task_conditions::find(check.metric.name).is_none() => {
                let known = task_conditions::TASK_CONDITIONS.iter().map(|o| o.name).collect::<Vec<_>>().join(", ");
                format!("the metric '{}' of '{name}' cannot stop a trial; only {known} can", check.metric.name)
            }
            Some(_) => continue,
        };
        document.error(at!["stop", "when", k], text, findings);
    }
    table.when.clone()
}

fn reference(
    document: &Document,
    i: usize,
    table: &CheckTable,
    needed: bool,
    references: &[&str],
    findings: &mut Findings,
) {
    let names = references.iter().copied();
    match &table.reference {
        None if needed => {
            let text = format!("the metric '{}' needs a 'reference'; {}", table.metric, hint("", names));
            document.error(at!["checks", i], text, findings);
        }
        Some(_) if !needed => {
            let text = format!("the metric '{}' needs no reference; remove it", table.metric);
            document.error(at!["checks", i, "reference"], text, findings);
        }
        Some(name) if !references.contains(&name.as_str()) => {
            let text = format!("there is no reference '{name}'; {}", hint(name, names));
            document.error(at!["checks", i, "reference"], text, findings);
        }
        _ => {}
    }
}

/// Words that a metric accepts besides names in the world.
const WORDS: &[(&str, &[&str])] = &[("momentum_error", &["linear", "angular"])];

/// Names a check may refer to, full and short.
fn parts(world: &World) -> Vec<String> {
    let mut out = Vec::new();
    for placement in &world.placements {
        let model = &placement.model;
        let names = model.bodies().iter().map(|b| &b.name);
        let names = names.chain(model.joints().iter().map(|j| &j.name)).chain(model.loops().iter().map(|l| &l.name));
        let names = names.chain(model.couplings().iter().map(|c| &c.name));
        for name in names.chain(model.contact_pairs().iter().map(|p| &p.name)) {
            out.push(name.clone());
            out.push(format!("{}/{name}", placement.name));
        }
    }
    out
}

fn subject(document: &Document, i: usize, table: &CheckTable, parts: &[String], findings: &mut Findings) {
    let Some(of) = &table.of else { return };
    let words = WORDS.iter().find(|(metric, _)| *metric == table.metric).map_or(&[][..], |(_, words)| *words);
    if parts.contains(of) || words.contains(&of.as_str()) {
        return;
    }
    let hint = hint(of, parts.iter().map(String::as_str).chain(words.iter().copied()));
    document.error(at!["checks", i, "of"], format!("there is nothing called '{of}' in the world; {hint}"), findings);
}

/// Bodies of a grasp: required and unambiguous for the metrics that use them; an error for the others.
fn roles(
    document: &Document,
    i: usize,
    table: &CheckTable,
    options: &Options,
    layout: &Layout,
    findings: &mut Findings,
) {
    let measured = [Some(&table.metric), table.quantity.as_ref()];
    if measured.into_iter().flatten().any(|name| grasp::WITH_ROLES.contains(&name.as_str())) {
        if let Err(why) = grasp::Roles::new(layout, options) {
            document.error(at!["checks", i, "metric"], format!("the metric '{}': {why}", table.metric), findings);
        }
        return;
    }
    let used = task_conditions::find(&table.metric).map_or(&[][..], |o| o.keys);
    for (key, names) in [("grippers", &table.grippers), ("objects", &table.objects)] {
        if !names.is_empty() && !used.contains(&key) {
            let text = format!("the metric '{}' has no '{key}'; remove it", table.metric);
            document.error(at!["checks", i, key], text, findings);
        }
    }
}

/// An instant outside the run would never be evaluated.
fn instants(document: &Document, i: usize, table: &CheckTable, times: Option<&Times>, findings: &mut Findings) {
    let Some(times) = times else { return };
    let duration = times.duration_ns as f64 * 1e-9;
    let inside = |t: f64| (0.0..=duration * (1.0 + 1e-12)).contains(&(t + table.time_offset_s));
    let given = [("from_s", table.from_s), ("until_s", table.until_s)];
    let lists = table.at_s.iter().map(|t| ("at_s", Some(*t)));
    for (key, t) in lists.chain(given).filter_map(|(key, t)| t.map(|t| (key, t))) {
        if !inside(t) {
            let text = format!("'{key}' is {t} and the run lasts from 0 to {duration} s; choose an instant inside");
            document.error(at!["checks", i, key], text, findings);
        }
    }
    if let (Some(from), Some(until)) = (table.from_s, table.until_s)
        && from > until
    {
        document.error(at!["checks", i, "from_s"], "'from_s' is after 'until_s'; swap them", findings);
    }
}
