//! Reads the parts of an SRDF file that URDF cannot express: named poses and pairs of links that do not collide.
//!
//! | SRDF | model |
//! |---|---|
//! | `<group_state name="…">` with `<joint name value>` | a keyframe; states of several groups with one name are one keyframe |
//! | `<disable_collisions link1 link2>` | a pair excluded from contact |
//!
//! A `<joint>` that is not in the URDF, with seven values, is the pose of a free base (x y z, then the quaternion with
//! its scalar last). Groups, end effectors and planning properties concern planners and are not read.
//!
//! The file is the one given by [`ImportOptions::srdf`](super::ImportOptions), else `STEM.srdf` or `ROBOT.srdf` (after
//! the URDF file or the name of the robot) next to the URDF or in `../srdf`, where ROS packages keep it.

use super::resources::Resources;
use super::xml::{self, Element};
use crate::builder::ModelBuilder;
use crate::finding::{Findings, Severity, Source};
use crate::joint::JointKind;
use crate::model::{BodyId, JointId, Keyframe, Model};
use crate::world::World;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Adds the contents of the SRDF of `urdf` to a world with one model; the world is unchanged if there is no SRDF.
pub(super) fn apply(
    urdf: &Path,
    named: Option<&Path>,
    resources: &Resources,
    mut world: World,
    findings: &mut Findings,
) -> World {
    let Some(path) = named.map(Path::to_path_buf).or_else(|| discover(urdf, resources, &world)) else { return world };
    let file: Arc<str> = path.display().to_string().into();
    let at = |line| Some(Source { file: file.clone(), line });
    let bytes = match std::fs::metadata(&path).and_then(|_| std::fs::read(&path)) {
        Ok(bytes) => bytes,
        Err(e) => {
            findings.add(Severity::Error, "srdf", at(0), "", format!("cannot be read: {e}; check --srdf"));
            return world;
        }
    };
    let [placement] = world.placements.as_mut_slice() else { return world };
    let mut builder = ModelBuilder::from_model(&placement.model);
    xml::with_document(&bytes, &file, findings, |root, findings| read(root, &mut builder, findings));
    match builder.build() {
        Ok(model) => placement.model = Arc::new(model),
        Err(problems) => {
            for mut problem in problems {
                problem.source = at(0);
                findings.push(problem);
            }
        }
    }
    world
}

fn discover(urdf: &Path, resources: &Resources, world: &World) -> Option<PathBuf> {
    let folder = resources.folder();
    let stem = urdf.file_stem()?.to_string_lossy().into_owned();
    let names = [stem, world.placements.first()?.model.name().to_string()];
    let folders = [folder.to_path_buf(), folder.join("../srdf")];
    let candidates =
        folders.iter().flat_map(|folder| names.iter().map(move |name| folder.join(format!("{name}.srdf"))));
    candidates.into_iter().find(|path| path.is_file() && resources.allows(path))
}

fn read(root: Element<'_>, builder: &mut ModelBuilder, findings: &mut Findings) {
    let mut states: Vec<(String, Vec<f64>)> = Vec::new();
    let mut pairs = 0;
    let bodies: BTreeMap<String, BodyId> =
        builder.so_far().bodies().iter().enumerate().map(|(i, b)| (b.name.clone(), BodyId(i))).collect();
    for child in root.children() {
        match child.name() {
            "group_state" => {
                let name = child.attribute("name").unwrap_or("").trim();
                if name.is_empty() {
                    child.warning(findings, "srdf", "", "<group_state> has no name and is left out");
                    continue;
                }
                let index = states.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
                    states.push((name.to_string(), builder.so_far().initial_positions()));
                    states.len() - 1
                });
                for joint in child.children_named("joint") {
                    set_joint(joint, builder.so_far(), &mut states[index].1, findings);
                }
            }
            "disable_collisions" => {
                let link = |role: &str| bodies.get(child.attribute(role).unwrap_or("").trim()).copied();
                // One SRDF serves several variants of a robot: links that this one lacks are not a fault.
                if let (Some(a), Some(b)) = (link("link1"), link("link2"))
                    && a != b
                {
                    builder.exclude_contact(a, b);
                    pairs += 1;
                }
            }
            _ => {}
        }
    }
    let names: Vec<&str> = states.iter().map(|(name, _)| name.as_str()).collect();
    let text = format!(
        "read with the URDF: {} named poses ({}) and {pairs} pairs of links that do not collide",
        names.len(),
        names.join(", ")
    );
    findings.add(Severity::Note, "srdf", Some(root.source()), "", text);
    let freedoms = builder.so_far().dof_count();
    for (name, q) in states {
        builder.add_keyframe(Keyframe { name, q, v: vec![0.0; freedoms], command: Vec::new() });
    }
}

fn set_joint(element: Element<'_>, model: &Model, q: &mut [f64], findings: &mut Findings) {
    let name = element.attribute("name").unwrap_or("").trim();
    let Some(values) = element.number_list("value", findings) else { return };
    let found = model.joints().iter().position(|j| j.name == name);
    // The base, which has no joint in the URDF, under any name the planner gives it.
    let free_base = || model.joints().first().filter(|j| j.kind == JointKind::Free).map(|_| 0);
    let base = if found.is_none() && values.len() == 7 { free_base() } else { None };
    let Some(index) = found.or(base) else { return };
    let joint = &model.joints()[index];
    let at = model.position_offset(JointId(index));
    match (joint.kind, values.as_slice()) {
        (JointKind::Free, [x, y, z, qx, qy, qz, qw]) => {
            q[at..at + 7].copy_from_slice(&[*x, *y, *z, *qw, *qx, *qy, *qz]);
        }
        (_, values) if values.len() == joint.kind.position_count() => {
            q[at..at + values.len()].copy_from_slice(values)
        }
        // A continuous joint may be written as cosine and sine.
        (JointKind::Continuous { .. }, [cos, sin]) => q[at] = libm::atan2(*sin, *cos),
        _ => {
            let text = format!(
                "joint '{name}' has {} values here and {} positions in the robot; it stays where it is",
                values.len(),
                joint.kind.position_count()
            );
            element.warning(findings, "srdf", &format!("joints/{name}"), text);
        }
    }
}
