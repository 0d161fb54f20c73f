//! Every number of a scenario by its stable path, and [`Scenario::with`].
//!
//! | path | number |
//! |---|---|
//! | `world/…` | see [`veracity_model::numbers`] |
//! | `start/q/PLACEMENT/JOINT` | position of a joint with one freedom [rad or m]; with several `/0`, `/1` |
//! | `start/q/PLACEMENT/JOINT/x` … `z`, `roll` … `yaw` | of a free joint; a ball joint has the last three |
//! | `start/v/PLACEMENT/JOINT` | velocity [rad/s or m/s]; with several freedoms `/0`, `/1` …, in the order of `v` |
//! | `controllers/NAME/KEY…`, `sensors/NAME/KEY…` | numbers of their tables; elements of a list by their index |
//! | `duration_s` | duration [s] |
//!
//! In a world with one placement `start/q/JOINT` is accepted as well. Listing and setting use the same traversal.

use crate::equipment::{problems as equipment_problems, table};
use crate::possible::impossible;
use crate::scenario::Scenario;
use crate::time::{MAX_DURATION_S, nanoseconds};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use veracity_model::geometry::{quat_from_rpy, rpy_from_quat};
use veracity_model::numbers::{escape, nearest};
use veracity_model::{Findings, JointKind, Layout, Overrides, Quat, Severity, World};

/// What [`Scenario::with_inertias`] does about a tensor that no solid has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inertias {
    /// It is an error.
    #[default]
    Possible,
    /// It is used as it is.
    Raw,
}

/// The path with what may be left out: in a world with one model, a path of the model needs no `world/MODEL/`.
pub fn full_path(world: &World, path: &str) -> String {
    match world.placements.as_slice() {
        [only] if !path.starts_with("world/") => format!("world/{}/{path}", escape(&only.name)),
        _ => path.to_string(),
    }
}

impl Scenario {
    /// Every number with its path.
    pub fn numbers(&self) -> Vec<(String, f64)> {
        let mut out = self.world.numbers();
        out.extend(self.own_numbers());
        out
    }

    /// [`full_path`] of a number of the scenario.
    pub fn full_path(&self, path: &str) -> String {
        let own = ["world/", "start/", "controllers/", "sensors/", "duration_s"];
        if own.iter().any(|begin| path.starts_with(begin)) { path.to_string() } else { full_path(&self.world, path) }
    }

    /// The numbers that [`Scenario::with`] can set: all except those of the world that follow from parameters.
    pub fn free_numbers(&self) -> Vec<(String, f64)> {
        let mut out = self.world.free_numbers();
        out.extend(self.own_numbers());
        out
    }

    /// The scenario with some numbers changed and everything validated again.
    ///
    /// Checks and references stay; a closed form follows the changed world when it is evaluated.
    pub fn with(&self, overrides: &Overrides) -> Result<Scenario, Findings> {
        self.with_inertias(overrides, Inertias::Possible)
    }

    /// The same; with [`Inertias::Raw`], inertia tensors may be ones that no solid has. Masses are positive either way.
    pub fn with_inertias(&self, overrides: &Overrides, inertias: Inertias) -> Result<Scenario, Findings> {
        let mut problems = Findings::new();
        let mut of_world = Overrides::new();
        let mut own: BTreeMap<&str, f64> = BTreeMap::new();
        for (path, value) in overrides.iter() {
            if path.starts_with("world/") {
                of_world.insert(path, value);
            } else if value.is_finite() {
                own.insert(path, value);
            } else {
                let text = format!("'{path}' is set to {value}; give it a finite number");
                problems.add(Severity::Error, "override-value", None, path, text);
            }
        }
        let mut changed = self.clone();
        if !of_world.is_empty() {
            match self.world.with(&of_world) {
                Ok(world) => {
                    impossible(&self.world, &world, &of_world, inertias == Inertias::Raw, &mut problems);
                    changed.world = Arc::new(world);
                }
                Err(findings) => problems.extend(findings),
            }
        }
        let unknown = changed.set_own(&own, &mut problems);
        if !unknown.is_empty() {
            let existing = self.own_numbers();
            for path in unknown {
                let near = nearest(path, existing.iter().map(|(p, _)| p.as_str()));
                let hint = if near.is_empty() {
                    "paths begin with world/, start/, controllers/, sensors/ or are duration_s".to_string()
                } else {
                    format!("the nearest are '{}'", near.join("', '"))
                };
                let text = format!("there is no number '{path}' in scenario '{}'; {hint}", self.name);
                problems.add(Severity::Error, "override-path", None, path, text);
            }
        }
        if problems.has_errors() { Err(problems) } else { Ok(changed) }
    }

    /// A state as numbers by path: setting them gives this start.
    pub fn start_numbers(&self, q: &[f64], v: &[f64]) -> Vec<(String, f64)> {
        let (mut q, mut v) = (q.to_vec(), v.to_vec());
        let mut out = Vec::new();
        walk_start(&Layout::new(&self.world), &mut q, &mut v, &mut |path, value| {
            out.push((path.to_string(), *value))
        });
        out
    }

    /// The numbers that do not belong to the world.
    fn own_numbers(&self) -> Vec<(String, f64)> {
        let mut out = Vec::new();
        let (mut q, mut v) = (self.q.clone(), self.v.clone());
        walk_start(&Layout::new(&self.world), &mut q, &mut v, &mut |path, value| {
            out.push((path.to_string(), *value))
        });
        let controllers = self.controllers.iter().map(|c| (format!("controllers/{}", escape(&c.name)), table(c)));
        let sensors = self.sensors.iter().map(|s| (format!("sensors/{}", escape(&s.name)), table(s)));
        for (prefix, mut content) in controllers.chain(sensors) {
            walk_table(&prefix, &mut content, &mut |path, value| out.push((path.to_string(), *value)));
        }
        out.push(("duration_s".to_string(), self.duration_ns as f64 * 1e-9));
        out
    }

    /// Sets numbers that do not belong to the world; returns the paths that do not exist.
    fn set_own<'a>(&mut self, own: &BTreeMap<&'a str, f64>, problems: &mut Findings) -> BTreeSet<&'a str> {
        let mut pending: BTreeSet<&str> = own.keys().copied().collect();
        let mut assign = |path: &str, value: &mut f64| {
            if let Some((path, new)) = own.get_key_value(path) {
                *value = *new;
                pending.remove(path);
            }
        };
        let layout = Layout::new(&self.world);
        let (mut q, mut v) = self.start.resolve(&self.world);
        walk_start(&layout, &mut q, &mut v, &mut |path, value| {
            assign(path, value);
            if let Some(short) = short_path(&layout, path) {
                assign(&short, value);
            }
        });
        self.start.keep_changes(&self.world, &q, &v);
        (self.q, self.v) = (q, v);
        for controller in &mut self.controllers {
            walk_config(&format!("controllers/{}", escape(&controller.name)), controller, &mut assign, problems);
        }
        for sensor in &mut self.sensors {
            walk_config(&format!("sensors/{}", escape(&sensor.name)), sensor, &mut assign, problems);
        }
        let mut duration_s = self.duration_ns as f64 * 1e-9;
        assign("duration_s", &mut duration_s);
        if own.contains_key("duration_s") {
            match nanoseconds(duration_s) {
                Some(ns) if duration_s <= MAX_DURATION_S && ns % self.step_ns == 0 => self.duration_ns = ns,
                _ => {
                    let step = self.step_ns as f64 * 1e-9;
                    let text = format!(
                        "'duration_s' is set to {duration_s}; it must be a positive multiple of the step {step} s, at \
                         most {MAX_DURATION_S:e}"
                    );
                    problems.add(Severity::Error, "override-value", None, "duration_s", text);
                }
            }
        }
        for problem in equipment_problems(&self.world, &self.controllers, &self.sensors, self.step_ns) {
            problems.add(Severity::Error, "override-value", None, problem.place, problem.what);
        }
        pending
    }
}

/// Visits the numbers of a start state, in the order of the layout.
fn walk_start(layout: &Layout, q: &mut [f64], v: &mut [f64], visit: &mut dyn FnMut(&str, &mut f64)) {
    for joint in &layout.joints {
        let path = format!("start/q/{}", joint_path(layout, joint.placement, &joint.name));
        let q = &mut q[joint.q..joint.q + joint.kind.position_count()];
        match joint.kind {
            JointKind::Ball => walk_rotation(&path, q, visit),
            JointKind::Free => {
                let (place, rotation) = q.split_at_mut(3);
                place.iter_mut().zip(["x", "y", "z"]).for_each(|(x, axis)| visit(&format!("{path}/{axis}"), x));
                walk_rotation(&path, rotation, visit);
            }
            _ => walk_list(&path, q, visit),
        }
    }
    for joint in &layout.joints {
        let path = format!("start/v/{}", joint_path(layout, joint.placement, &joint.name));
        walk_list(&path, &mut v[joint.v..joint.v + joint.kind.dof_count()], visit);
    }
}

/// A single number has the path itself; several have their index appended.
fn walk_list(path: &str, values: &mut [f64], visit: &mut dyn FnMut(&str, &mut f64)) {
    if let [one] = values {
        visit(path, one);
        return;
    }
    values.iter_mut().enumerate().for_each(|(i, x)| visit(&format!("{path}/{i}"), x));
}

/// Roll, pitch and yaw of a quaternion, written back only if one of them was changed.
fn walk_rotation(path: &str, quaternion: &mut [f64], visit: &mut dyn FnMut(&str, &mut f64)) {
    let given = nalgebra::Quaternion::new(quaternion[0], quaternion[1], quaternion[2], quaternion[3]);
    let before = rpy_from_quat(&Quat::new_normalize(given));
    let mut angles = before;
    angles.iter_mut().zip(["roll", "pitch", "yaw"]).for_each(|(x, word)| visit(&format!("{path}/{word}"), x));
    if angles != before {
        let new = quat_from_rpy(angles[0], angles[1], angles[2]);
        quaternion.copy_from_slice(&[new.w, new.i, new.j, new.k]);
    }
}

/// `placement/joint`, each part escaped.
fn joint_path(layout: &Layout, placement: usize, full: &str) -> String {
    let placement = &layout.placements[placement];
    let joint = full.strip_prefix(placement.as_str()).and_then(|rest| rest.strip_prefix('/')).unwrap_or(full);
    format!("{}/{}", escape(placement), escape(joint))
}

/// The path without its placement, if the world has only one.
fn short_path(layout: &Layout, path: &str) -> Option<String> {
    let [only] = layout.placements.as_slice() else { return None };
    let (word, rest) = path.split_at("start/q/".len());
    rest.strip_prefix(escape(only).as_ref())?.strip_prefix('/').map(|joint| format!("{word}{joint}"))
}

/// Visits the numbers of a controller or sensor and applies changed ones.
fn walk_config<T: Serialize + DeserializeOwned + PartialEq>(
    prefix: &str,
    config: &mut T,
    visit: &mut dyn FnMut(&str, &mut f64),
    problems: &mut Findings,
) {
    let before = table(config);
    let mut content = before.clone();
    walk_table(prefix, &mut content, visit);
    if content == before {
        return;
    }
    match content.try_into() {
        Ok(changed) => *config = changed,
        Err(e) => problems.add(Severity::Error, "override-value", None, prefix, e.message().to_string()),
    }
}

/// Visits every number of a table, list elements by index. Integers stay integers unless they are set to a fraction.
fn walk_table(path: &str, value: &mut toml::Value, visit: &mut dyn FnMut(&str, &mut f64)) {
    match value {
        toml::Value::Float(x) => visit(path, x),
        toml::Value::Integer(i) => {
            let mut x = *i as f64;
            visit(path, &mut x);
            if x != *i as f64 {
                *value = if x.fract() == 0.0 && x.abs() < 9e15 {
                    toml::Value::Integer(x as i64)
                } else {
                    toml::Value::Float(x)
                };
            }
        }
        toml::Value::Array(items) => {
            for (i, item) in items.iter_mut().enumerate() {
                walk_table(&format!("{path}/{i}"), item, visit);
            }
        }
        toml::Value::Table(table) => {
            for (key, item) in table.iter_mut() {
                walk_table(&format!("{path}/{}", escape(key)), item, visit);
            }
        }
        _ => {}
    }
}
