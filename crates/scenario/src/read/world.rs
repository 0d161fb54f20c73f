//! `[world]`: models and their placements.

use super::source_files::Files;
use crate::file::document::{Document, Step, at};
use crate::file::scenario_file::{BaseWord, ModelTable, WorldTable};
use nalgebra as na;
use veracity_model::geometry::quat_from_rpy;
use veracity_model::import::Base;
use veracity_model::{Findings, Overrides, Pose, Quat, Severity, Vec3, World};

/// The world; `None` if it cannot be built, which has then been reported.
pub(super) fn read(document: &Document, table: &WorldTable, files: &Files, findings: &mut Findings) -> Option<World> {
    let single = table.model.as_ref().map(|file| ModelTable {
        file: file.clone(),
        name: None,
        position_m: None,
        rpy_rad: None,
        quat_wxyz: None,
        base: None,
        sidecar: None,
        srdf: None,
    });
    if single.is_some() && !table.models.is_empty() {
        document.error(at!["world", "model"], "[world] has both 'model' and 'models'; keep one of them", findings);
        return None;
    }
    if single.is_none() && table.models.is_empty() {
        let text = "[world] has no model; write model = \"robot.urdf\" or a [[world.models]]";
        document.error(at!["world"], text, findings);
        return None;
    }
    let mut worlds = Vec::new();
    for (i, folder) in table.package_paths.iter().enumerate().filter(|(_, folder)| !files.path(folder).is_dir()) {
        let text = format!("'{folder}' is not a folder; paths are relative to this file's folder");
        document.error(at!["world", "package_paths", i], text, findings);
    }
    for (i, model) in single.iter().chain(&table.models).enumerate() {
        let way: Vec<Step> = if single.is_some() {
            at!["world", "model"].to_vec()
        } else {
            at!["world", "models", i, "file"].to_vec()
        };
        let mut there = true;
        for (key, named) in [("sidecar", &model.sidecar), ("srdf", &model.srdf)] {
            if let Some(named) = named.as_ref().filter(|named| !files.has(named)) {
                let text = format!("the file '{named}' does not exist; paths are relative to this file's folder");
                document.error(at!["world", "models", i, key], text, findings);
                there = false;
            }
        }
        if !there {
            worlds.push(None);
            continue;
        }
        worlds.push(model_world(document, &way, model, &table.package_paths, files, findings));
    }
    let worlds: Vec<World> = worlds.into_iter().collect::<Option<_>>()?;
    let world = merged(document, table, worlds, findings)?;
    let set: Overrides = table.set.iter().map(|(path, value)| (path.clone(), *value)).collect();
    if set.is_empty() {
        return Some(world);
    }
    match world.with(&set) {
        Ok(world) => Some(world),
        Err(problems) => {
            for problem in problems {
                // A model's own paths have no placement in front; the line is that of the key with this ending.
                let key = set.iter().map(|(path, _)| path).find(|path| path.ends_with(&problem.subject));
                let way = at!["world", "set", key.unwrap_or(&problem.subject)];
                document.error(way, problem.text, findings);
            }
            None
        }
    }
}

/// One model file with its placement.
fn model_world(
    document: &Document,
    way: &[Step],
    table: &ModelTable,
    packages: &[String],
    files: &Files,
    findings: &mut Findings,
) -> Option<World> {
    if !files.has(&table.file) {
        let text =
            format!("the model file '{}' does not exist; paths are relative to this file's folder", table.file);
        document.error(way, text, findings);
        return None;
    }
    let base = table.base.map(|b| match b {
        BaseWord::Fixed => Base::Fixed,
        BaseWord::Free => Base::Free,
    });
    let imported = files.model(table, base, packages);
    let expected = |f: &veracity_model::Finding| imported.known.iter().any(|k| k.covers(f));
    // Findings that the model's own file declares as expected are not repeated.
    for finding in imported.findings.iter().filter(|f| f.severity > Severity::Note && !expected(f)) {
        findings.push(finding.clone());
    }
    let mut world = imported.world?;
    if world.placements.is_empty() {
        document.error(way, format!("'{}' contains no model", table.file), findings);
        return None;
    }
    if let Some(name) = &table.name {
        match world.placements.as_mut_slice() {
            [one] => one.name = name.clone(),
            several => {
                let text = format!(
                    "'{}' contains {} models, which have names of their own; remove 'name'",
                    table.file,
                    several.len()
                );
                document.error(way, text, findings);
            }
        }
    }
    let rotation = rotation(document, way, table.rpy_rad, table.quat_wxyz, findings)?.unwrap_or_else(Quat::identity);
    let place = Pose::from_parts(Vec3::from(table.position_m.unwrap_or_default()).into(), rotation);
    for placement in &mut world.placements {
        placement.world_from_model = place * placement.world_from_model;
    }
    Some(world)
}

fn merged(document: &Document, table: &WorldTable, worlds: Vec<World>, findings: &mut Findings) -> Option<World> {
    let mut parts = worlds.into_iter();
    let mut world = parts.next()?;
    for other in parts {
        if table.gravity_m_s2.is_none() && other.gravity != world.gravity {
            let text = "the model files disagree about gravity; write gravity_m_s2 = [x, y, z]";
            document.error(at!["world"], text, findings);
            return None;
        }
        for (key, given, differs) in [
            ("friction_rule", table.friction_rule, other.combination.friction != world.combination.friction),
            (
                "restitution_rule",
                table.restitution_rule,
                other.combination.restitution != world.combination.restitution,
            ),
        ] {
            if given.is_none() && differs {
                let text = format!(
                    "the model files combine surfaces by different rules (MJCF takes the larger friction, other files the \
                     smaller); write {key} = \"min\", \"max\", \"average\", \"multiply\" or \"geometric_mean\""
                );
                document.error(at!["world"], text, findings);
                return None;
            }
        }
        world.contact &= other.contact;
        world.engine_settings.extend(other.engine_settings);
        world.placements.extend(other.placements);
    }
    for (i, placement) in world.placements.iter().enumerate() {
        if world.placements[..i].iter().any(|p| p.name == placement.name) {
            let text = format!("two models are called '{}'; give each a 'name' of its own", placement.name);
            document.error(at!["world"], text, findings);
            return None;
        }
    }
    if let Some(gravity) = table.gravity_m_s2 {
        world.gravity = Vec3::from(gravity);
    }
    if let Some(contact) = table.contact {
        world.contact = contact;
    }
    if let Some(rule) = table.friction_rule {
        world.combination.friction = rule.into();
    }
    if let Some(rule) = table.restitution_rule {
        world.combination.restitution = rule.into();
    }
    if table.engine_settings == Some(false) {
        world.engine_settings.clear();
    }
    Some(world)
}

/// The rotation that two keys may give; the inner `None` means no rotation, the outer a mistake.
pub(super) fn rotation(
    document: &Document,
    way: &[Step],
    rpy: Option<[f64; 3]>,
    quat: Option<[f64; 4]>,
    findings: &mut Findings,
) -> Option<Option<Quat>> {
    match (rpy, quat) {
        (Some(_), Some(_)) => {
            document.error(way, "both 'rpy_rad' and 'quat_wxyz' are given; keep one of them", findings);
            None
        }
        (Some([roll, pitch, yaw]), None) => Some(Some(quat_from_rpy(roll, pitch, yaw))),
        (None, Some([w, x, y, z])) => {
            let given = na::Quaternion::new(w, x, y, z);
            // A quaternion that is not of unit length is a mistake, unless only its last digit is rounded.
            if (given.norm() - 1.0).abs() > 1e-6 {
                let text = format!("'quat_wxyz' has length {}; write a unit quaternion w x y z", given.norm());
                document.error(way, text, findings);
                return None;
            }
            Some(Some(Quat::new_normalize(given)))
        }
        (None, None) => Some(None),
    }
}
