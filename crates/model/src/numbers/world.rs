//! Number paths of worlds: `world/PLACEMENT/…` for a model's numbers, `world/PLACEMENT/origin/x` … `yaw` for its pose,
//! `world/gravity/x`. `world/gravity/slope_x` and `slope_y` [rad] are another view of gravity, as log-Cholesky is of an inertia: the angle of
//! a plane that descends along that axis, `atan2(g_x, -g_z)`. Setting it turns gravity and keeps its size; like all views it is not listed.

use super::assign::refuse;
use super::overrides::Overrides;
use super::path::{escape, nearest};
use super::walk::Walker;
use crate::finding::Findings;
use crate::world::World;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

impl World {
    /// Every number with its path: gravity, then each model's pose and numbers.
    pub fn numbers(&self) -> Vec<(String, f64)> {
        let mut out = Vec::new();
        walk_places(&mut self.clone(), &mut |path, value| out.push((path.to_string(), *value)));
        for placement in &self.placements {
            let prefix = format!("world/{}/", escape(&placement.name));
            out.extend(placement.model.numbers().into_iter().map(|(path, value)| (prefix.clone() + &path, value)));
        }
        out
    }

    /// The numbers that [`World::with`] can set: all except those computed from parameters.
    pub fn free_numbers(&self) -> Vec<(String, f64)> {
        let mut out = Vec::new();
        walk_places(&mut self.clone(), &mut |path, value| out.push((path.to_string(), *value)));
        for placement in &self.placements {
            let prefix = format!("world/{}/", escape(&placement.name));
            let free = placement.model.free_numbers();
            out.extend(free.into_iter().map(|(path, value)| (prefix.clone() + &path, value)));
        }
        out
    }

    /// The number at a path; `None` if the path does not exist.
    pub fn number(&self, path: &str) -> Option<f64> {
        let mut found = None;
        walk_places(&mut self.clone(), &mut |p, value| {
            if p == path {
                found = Some(*value);
            }
        });
        if let Some(axis) = slope_axis(path) {
            return Some(libm::atan2(self.gravity[axis], -self.gravity.z));
        }
        found.or_else(|| {
            let (placement, rest) = split(path)?;
            self.placements.iter().find(|p| escape(&p.name) == placement)?.model.number(rest)
        })
    }

    /// The world with some numbers changed and every changed model validated again.
    pub fn with(&self, overrides: &Overrides) -> Result<World, Findings> {
        let mut world = self.clone();
        let mut problems = Findings::new();
        let mut own: BTreeMap<&str, f64> = BTreeMap::new();
        let mut of_model: BTreeMap<&str, Overrides> = BTreeMap::new();
        let mut slopes: Vec<(usize, f64)> = Vec::new();
        for (path, value) in overrides.iter() {
            match split(path) {
                Some((placement, rest)) if is_model_path(rest) => {
                    of_model.entry(placement).or_default().insert(rest, value);
                }
                _ if value.is_finite() && slope_axis(path).is_some() => {
                    slopes.extend(slope_axis(path).map(|axis| (axis, value)));
                }
                _ if value.is_finite() => {
                    own.insert(path, value);
                }
                _ => refuse(&mut problems, "override-value", path, format!("'{path}' is set to {value}")),
            }
        }
        let mut pending: BTreeSet<&str> = own.keys().copied().collect();
        walk_places(&mut world, &mut |path, value| {
            if let Some(new) = own.get(path) {
                *value = *new;
                pending.remove(path);
            }
        });
        if !slopes.is_empty() && own.keys().any(|path| path.starts_with("world/gravity/")) {
            let text = "gravity is set both by its components and by its slope; use one".to_string();
            refuse(&mut problems, "override-twice", "world/gravity", text);
        }
        for (axis, angle) in slopes {
            let size = libm::hypot(world.gravity[axis], world.gravity.z);
            (world.gravity[axis], world.gravity.z) = (size * libm::sin(angle), -size * libm::cos(angle));
        }
        for placement in &mut world.placements {
            if let Some(changes) = of_model.remove(escape(&placement.name).as_ref()) {
                match placement.model.with(&changes) {
                    Ok(model) => placement.model = Arc::new(model),
                    Err(findings) => problems.extend(findings),
                }
            }
        }
        let lost =
            of_model.iter().flat_map(|(name, o)| o.iter().map(move |(path, _)| format!("world/{name}/{path}")));
        for path in pending.iter().map(|p| p.to_string()).chain(lost) {
            let existing = self.numbers();
            let near = nearest(&path, existing.iter().map(|(p, _)| p.as_str()));
            let hint =
                if near.is_empty() { String::new() } else { format!("; the nearest are '{}'", near.join("', '")) };
            let text = format!("there is no number '{path}' in world '{}'{hint}", self.name);
            refuse(&mut problems, "override-path", &path, text);
        }
        if problems.has_errors() { Err(problems) } else { Ok(world) }
    }
}

fn walk_places(world: &mut World, visit: &mut dyn FnMut(&str, &mut f64)) {
    Walker::new(visit).within("world", |w| {
        w.vector("gravity", &mut world.gravity);
        for p in &mut world.placements {
            w.within(&p.name, |w| w.pose("origin", &mut p.world_from_model));
        }
    });
}

fn slope_axis(path: &str) -> Option<usize> {
    ["world/gravity/slope_x", "world/gravity/slope_y"].iter().position(|p| *p == path)
}

/// Splits `world/PLACEMENT/rest` into placement (still escaped) and rest.
fn split(path: &str) -> Option<(&str, &str)> {
    path.strip_prefix("world/")?.split_once('/')
}

/// Paths of a model start with a collection; the world's own paths (`gravity/x`, `origin/x`) do not.
fn is_model_path(rest: &str) -> bool {
    rest.contains('/') && !rest.starts_with("origin/")
}
