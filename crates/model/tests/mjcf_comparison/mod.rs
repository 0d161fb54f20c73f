//! Compares a model with MuJoCo's compiled model of the same file.

mod bodies;
mod contacts;
mod forces;

use serde_json::Value;
use veracity_model::{BodyId, JointKind, Mat3, Pose, Vec3, World};

/// Collects the differences.
struct Comparison {
    tolerance: f64,
    list: Vec<String>,
}

impl Comparison {
    fn numbers(&mut self, what: &str, ours: &[f64], theirs: &[f64]) {
        // Relative to the largest number of the group: the components of one vector share their roundings.
        let scale =
            theirs.iter().chain(ours).fold(1e-12_f64, |max, x| if x.is_finite() { max.max(x.abs()) } else { max });
        let same = |(a, b): (&f64, &f64)| a == b || (a - b).abs() <= self.tolerance * scale.max(1e-3);
        if ours.len() != theirs.len() || !ours.iter().zip(theirs).all(same) {
            self.list.push(format!("{what}: ours {ours:?}, MuJoCo {theirs:?}"));
        }
    }

    fn pose(&mut self, what: &str, ours: &Pose, position: &Value, rotation: &Value) {
        let place = numbers(position);
        let rows: Vec<f64> = rotation.as_array().unwrap().iter().flat_map(numbers).collect();
        // Lengths of a robot are of the order of a metre.
        let p = ours.translation.vector;
        let scale = place.iter().fold(1.0_f64, |max, x| max.max(x.abs()));
        let off = (p - Vec3::from_column_slice(&place)).norm();
        let turn = (ours.rotation.to_rotation_matrix().matrix() - Mat3::from_row_slice(&rows)).norm();
        if off > self.tolerance * scale || turn > self.tolerance {
            self.list.push(format!("{what}: off by {off:e} m and {turn:e}"));
        }
    }

    fn check(&mut self, what: &str, same: bool) {
        if !same {
            self.list.push(what.to_string());
        }
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

pub fn differences(world: &World, peer: &Value, tolerance: f64) -> Vec<String> {
    let mut c = Comparison { tolerance, list: Vec::new() };
    let model = &world.placements[0].model;
    c.numbers("gravity", world.gravity.as_slice(), &numbers(&peer["gravity"]));

    let configurations = peer["configurations"].as_array().unwrap();
    c.numbers("initial positions", &model.initial_positions(), &numbers(&configurations[0]["qpos"]));
    let bodies = peer["bodies"].as_array().unwrap();
    let ids: Vec<Option<BodyId>> =
        bodies.iter().enumerate().map(|(i, body)| bodies::find_body(model, i, body)).collect();
    for configuration in configurations {
        let poses = bodies::forward_kinematics(model, &numbers(&configuration["qpos"]));
        for (i, id) in ids.iter().enumerate().skip(1) {
            match id {
                Some(id) => c.pose(
                    &format!("frame of {}", model.body(*id).name),
                    &poses[id.0],
                    &configuration["xpos"][i],
                    &configuration["xmat"][i],
                ),
                None => c.check(&format!("body {i} is missing"), false),
            }
        }
    }
    let initial = bodies::forward_kinematics(model, &model.initial_positions());
    let mut joints = Vec::new();
    let mut geoms = Vec::new();
    for (body, id) in bodies.iter().zip(&ids) {
        let Some(id) = id else { continue };
        bodies::compare_mass(&mut c, model, *id, body);
        joints.extend(bodies::compare_joints(&mut c, model, *id, body));
        geoms.extend(bodies::compare_geoms(&mut c, model, *id, &initial[id.0], body));
    }
    c.check("number of joints", model.joints().iter().filter(|j| j.kind != JointKind::Fixed).count() == joints.len());
    forces::compare_actuators(&mut c, model, &joints, peer);
    contacts::compare_contacts(&mut c, model, &geoms, peer);
    bodies::compare_keyframes(&mut c, model, peer);
    forces::compare_constraints(&mut c, model, peer);
    forces::compare_springs(&mut c, model, peer);
    bodies::compare_sites(&mut c, model, &initial, peer);
    c.list
}
