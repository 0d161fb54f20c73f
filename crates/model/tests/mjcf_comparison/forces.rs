//! Actuators, loops, couplings and springs.

use super::{Comparison, number, numbers};
use serde_json::Value;
use veracity_model::{Drive, JointId, LoopKind, Model, Pose, Quat, Transmission, Vec3};

pub fn compare_actuators(c: &mut Comparison, model: &Model, joints: &[JointId], peer: &Value) {
    let theirs = peer["actuators"].as_array().unwrap();
    c.check("number of actuators", model.actuators().len() == theirs.len());
    for (ours, their) in model.actuators().iter().zip(theirs) {
        let name = &ours.name;
        let gear = numbers(&their["gear"]);
        match &ours.transmission {
            Transmission::Joint { joint, gear: ours, .. } => {
                let target = their["joint"].as_u64().map(|index| joints[index as usize]);
                c.check(&format!("joint of actuator {name}"), target == Some(*joint));
                let theirs = gear.iter().copied().find(|x| *x != 0.0).unwrap_or(0.0);
                c.numbers(&format!("gear of {name}"), &[*ours], &[theirs]);
            }
            Transmission::Tendon { gear: ours, .. } => {
                c.check(&format!("target of actuator {name}"), their["joint"].is_null());
                c.numbers(&format!("gear of {name}"), &[*ours], &gear[..1]);
            }
        }
        let law = match ours.drive {
            Drive::Effort { gain } => [gain, 0.0, 0.0, 0.0],
            Drive::Position { kp, kd } => [kp, 0.0, -kp, -kd],
            Drive::Velocity { kd } => [kd, 0.0, 0.0, -kd],
            Drive::Affine { gain, bias: [a, b, c] } => [gain, a, b, c],
        };
        let mut their_law = vec![number(&their["gain"])];
        their_law.extend(numbers(&their["bias"]));
        c.numbers(&format!("gain and bias of {name}"), &law, &their_law);
        for (ours, key) in [(ours.command_range, "ctrlrange"), (ours.effort_range, "forcerange")] {
            let none = vec![f64::NEG_INFINITY, f64::INFINITY];
            let theirs = their[key].as_array().map_or(none, |_| numbers(&their[key]));
            c.numbers(&format!("{key} of {name}"), &ours, &theirs);
        }
    }
}

/// Compares loops and couplings, in MuJoCo's order, each with its numbers.
pub fn compare_constraints(c: &mut Comparison, model: &Model, peer: &Value) {
    let (mut loops, mut couplings) = (model.loops().iter(), model.couplings().iter());
    let theirs = peer["constraints"].as_array().unwrap();
    c.check("number of constraints", theirs.len() == model.loops().len() + model.couplings().len());
    for their in theirs {
        let data = numbers(&their["data"]);
        let vector = |at: usize| Vec3::new(data[at], data[at + 1], data[at + 2]);
        match their["type"].as_str().unwrap() {
            "joint" | "tendon" => {
                let Some(ours) = couplings.next() else { continue };
                let polynomial = |x: f64, list: &[f64]| list.iter().rev().fold(0.0, |sum, a| sum * x + a);
                // Joint positions are relative to the initial configuration of the file; a tendon of one joint is a
                // factor.
                let initial = model.initial_positions();
                let at = |joint: JointId| initial[model.position_offset(joint)];
                let (factor_y, factor_x) = if their["type"] == "tendon" { (2.0, -3.0) } else { (1.0, 1.0) };
                for x in [-0.7, 0.0, 1.3] {
                    let (y0, x0) = (at(ours.follower), ours.leader.map_or(0.0, at));
                    let expected = match ours.leader {
                        Some(_) => polynomial(factor_x * (x - x0), &data[..5]),
                        None => data[0],
                    };
                    let y = polynomial(x, &ours.coefficients);
                    c.numbers(&format!("coupling {} at {x}", ours.name), &[factor_y * (y - y0)], &[expected]);
                }
            }
            kind => {
                let Some(ours) = loops.next() else { continue };
                let weld = kind == "weld";
                let expected = if weld { LoopKind::Weld } else { LoopKind::Ball };
                c.check(&format!("kind of loop {}", ours.name), ours.kind == expected);
                if their["sites"] == true {
                    continue;
                }
                let q = |at: usize| nalgebra::Quaternion::new(data[at], data[at + 1], data[at + 2], data[at + 3]);
                let (a, b) = if weld {
                    (Pose::from_parts(vector(3).into(), Quat::new_normalize(q(6))), vector(0))
                } else {
                    (Pose::from_parts(vector(0).into(), Quat::identity()), vector(3))
                };
                let name = &ours.name;
                let place = |pose: &Pose| pose.translation.vector.as_slice().to_vec();
                c.numbers(&format!("frame of {name} in the first body"), &place(&ours.a_from_frame), &place(&a));
                c.numbers(&format!("frame of {name} in the second body"), &place(&ours.b_from_frame), b.as_slice());
                let turn = (ours.a_from_frame.rotation.inverse() * a.rotation).angle();
                // The angle of a quaternion near one is accurate to the square root of a rounding.
                c.check(&format!("orientation of {name} is off by {turn:e}"), turn < 1e-7);
            }
        }
    }
}

pub fn compare_springs(c: &mut Comparison, model: &Model, peer: &Value) {
    let pulls = |spring: &&Value| number(&spring["stiffness"]) != 0.0 || number(&spring["damping"]) != 0.0;
    let theirs: Vec<&Value> = peer["springs"].as_array().unwrap().iter().filter(pulls).collect();
    c.check("number of springs", theirs.len() == model.springs().len());
    for (ours, their) in model.springs().iter().zip(theirs) {
        let length = numbers(&their["length"])[0];
        let numbers = [length, number(&their["stiffness"]), number(&their["damping"])];
        c.numbers(&format!("spring {}", ours.name), &[ours.rest_length, ours.stiffness, ours.damping], &numbers);
    }
}
